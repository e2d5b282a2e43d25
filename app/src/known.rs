//! Answers that the user has checked, kept as known (seeds/verifier-block.md, «Ground Truth Database»).

use frlm_conductor::run::known::known_as;
use frlm_conductor::store::Store;
use frlm_conductor::trace::view::{Ending, RunView};
use frlm_verifier::validation::ground_truth::{GroundTruthStore, KnownAnswer, Provenance};

use crate::failure::Failure;
use crate::home::Home;
use crate::standing::now;

/// The home's known answers; an empty store where there are none.
pub fn open(home: &Home) -> anyhow::Result<GroundTruthStore> {
    let named = |error| Failure::usage(format!("{}: {error}", home.known().display()));
    Ok(GroundTruthStore::open(&home.known()).map_err(named)?)
}

/// Keeps a run's answer, or this one, which the user has checked; `false` if it was known. Blocks.
pub fn keep(home: &Home, run: &str, answer: Option<&str>) -> anyhow::Result<(KnownAnswer, bool)> {
    let entry = checked(&Store::open(&home.store())?, run, answer)?;
    let added = open(home)?.add(&entry).map_err(Failure::usage)?;
    Ok((entry, added))
}

/// A finished run's answer as something known.
fn checked(store: &Store, run: &str, answer: Option<&str>) -> anyhow::Result<KnownAnswer> {
    let run = store.find(run).map_err(Failure::usage)?;
    let view = RunView::of(&store.trace(&run.id)?.records);
    let Some(Ending::Answered(found)) = &view.ending else {
        return Err(Failure::usage(format!("run {} has no answer to keep", run.id)).into());
    };
    if found.coverage < 1.0 {
        let words =
            format!("run {} saw only a part of its documents; frlm runs resume goes on with it", run.id);
        return Err(Failure::usage(words).into());
    }
    Ok(KnownAnswer {
        question: known_as(&view.question, &view.documents),
        answer: answer.unwrap_or(&found.answer).to_owned(),
        category: "documents".to_owned(),
        provenance: Provenance::Audit { run: run.id, method: "a person".to_owned(), at: now() },
    })
}
