//! Deletes a recorded run, and what was said in it wherever else it stands on this machine.
//!
//! | where | what becomes of it |
//! |---|---|
//! | the run store | run and trace go, and are overwritten |
//! | runs that follow it | what was said in it goes from their records; their own questions stay |
//! | `brain.json` | its question goes, its figures stay |
//! | `brain.damaged` | stays: who could take one question out could read it |
//! | `feedback.jsonl` | what was said of it in words goes, the figures stay |
//! | `run-….events.jsonl` | goes |
//! | `claims.db` | claims that it verified go, and are overwritten |
//! | pasted documents | go, but for those that other runs read too |
//! | known answers, exports | their owner deletes them: they stay |
//! | the ledger | stays: it has no words, only what it cost |
//!
//! What stays and may repeat words of the run is named.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use frlm_questions::question::follow_up::Turn;

use crate::view::{Ending, RunView};
use anyhow::Context as _;
use frlm_conductor::claim_cache::ClaimCache;
use frlm_conductor::store::{Store, StoredRun};
use frlm_learning::planning::account::memory::{LearnerError, LearnerMemory};
use frlm_protocol::shown_path;
use frlm_verifier::validation::ground_truth::Provenance;
use frlm_wallet::CashuWallet;
use serde_json::Value;

use crate::home::{Home, RunClaim};
use crate::{known, ratings, wallet_session};

/// What may still repeat words of a run that was deleted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Runs that follow it, at whatever distance: their questions may be made of its question and answer.
    pub followed_by: BTreeSet<String>,
    /// Answers of its that are kept as known.
    pub known: usize,
    /// Files that it was exported to.
    pub exports: Vec<PathBuf>,
    /// What the learner knew once, set aside as damaged.
    pub damaged: Option<PathBuf>,
}

impl Left {
    /// For people, a line each; none where nothing is left.
    pub fn in_words(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.followed_by.is_empty() {
            let ids: Vec<&str> = self.followed_by.iter().map(String::as_str).collect();
            lines.push(format!(
                "its question and answer were removed from the runs that follow it; their own questions stay \
                 and may repeat words of it: {} (frlm runs delete)",
                ids.join(", ")
            ));
        }
        if self.known > 0 {
            lines.push(format!(
                "{} of its answers are kept as known answers; frlm known list shows them, frlm known forget \
                 deletes them",
                self.known
            ));
        }
        if !self.exports.is_empty() {
            let files: Vec<String> = self.exports.iter().map(|path| shown_path(path)).collect();
            lines.push(format!("it was exported to {}; that stays until you delete it", files.join(", ")));
        }
        if let Some(path) = &self.damaged {
            lines.push(format!(
                "{} was moved aside as damaged and may contain its question; FRLM does not read that file any \
                 more, so delete it",
                shown_path(path)
            ));
        }
        lines
    }
}

/// Claims a run that is to be deleted: refused while it is under way, or owes for work that counts. `open` opens the
/// home's wallet, if the ledger says that it may owe.
pub async fn claim(
    run: &str,
    home: &Home,
    open: impl Future<Output = anyhow::Result<Option<CashuWallet>>>,
) -> anyhow::Result<RunClaim> {
    let claim = home.claim_run(run).await?;
    if wallet_session::may_owe(home, run).await?
        && let Some(wallet) = open.await?
    {
        wallet_session::owes_nothing(&wallet, run).await?;
    }
    Ok(claim)
}

/// Deletes a run that the caller has claimed. Its record goes last: while anything else is left, the run is listed and
/// can be deleted again.
pub async fn delete(run: &str, store: &Store, home: &Home) -> anyhow::Result<Left> {
    let (id, store_read, files) = (run.to_owned(), store.clone(), home.clone());
    let forget = move || {
        files.delete_events(&id)?;
        ClaimCache::at(files.claims()).forget_run(&id)?;
        let damaged = forget_question(&id, &files)?;
        ratings::forget_words(&id, &files)?;
        let runs = store_read.list(usize::MAX)?;
        let (requests, followed_by) = other_mentions(&store_read, &runs, &id)?;
        delete_pasted(&runs, &id, &std::path::absolute(files.pasted())?)?;
        let left =
            Left { followed_by, known: known_from(&files, &id), exports: exports(&files, &id), damaged };
        anyhow::Ok((requests, left))
    };
    let (requests, left) = tokio::task::spawn_blocking(forget).await??;
    store.delete_and_rewrite(run, requests).await?;
    Ok(left)
}

/// Takes its question out of what was learned. Returns the file that was set aside as damaged, just now or before.
fn forget_question(run: &str, home: &Home) -> Result<Option<PathBuf>, LearnerError> {
    let memory = LearnerMemory::at(home.learner());
    match memory.forget_question(run) {
        Ok(_) | Err(LearnerError::Quarantined { .. }) => Ok(memory.quarantined_before()),
        Err(error) => Err(error),
    }
}

/// A run, and its request as it is to be recorded.
type Changed = (String, Value);

/// Requests of other runs as they are without what was said in this one, and which runs follow it. Blocks.
fn other_mentions(
    store: &Store,
    runs: &[StoredRun],
    run: &str,
) -> anyhow::Result<(Vec<Changed>, BTreeSet<String>)> {
    // Records from before turns named their runs: by their words.
    let nameless = runs.iter().flat_map(|other| turns(&other.request)).any(|turn| named(turn).is_none());
    let this = runs.iter().find(|other| other.id == run).filter(|_| nameless);
    let said = this.map(|this| said_in(store, this)).transpose()?.flatten();
    let mut requests = Vec::new();
    for other in runs.iter().filter(|other| other.id != run) {
        let mut request = other.request.clone();
        if take_out(&mut request, run, said.as_ref()) {
            requests.push((other.id.clone(), request));
        }
    }
    let mut followed_by = followers(runs, run);
    followed_by.extend(requests.iter().map(|(other, _)| other.clone()));
    Ok((requests, followed_by))
}

/// What runs that follow this one were told of it.
fn said_in(store: &Store, run: &StoredRun) -> anyhow::Result<Option<Turn>> {
    let view = RunView::of(&store.trace(&run.id)?.records);
    let Some(Ending::Answered(answer)) = &view.ending else { return Ok(None) };
    Ok(Some(Turn::new(&run.question, &answer.answer)))
}

/// Deletes pasted text that a run read and no other run reads. Blocks.
fn delete_pasted(runs: &[StoredRun], run: &str, pasted: &Path) -> anyhow::Result<()> {
    let (this, others): (Vec<_>, Vec<_>) = runs.iter().partition(|other| other.id == run);
    for file in this.into_iter().flat_map(files).filter(|file| file.parent() == Some(pasted)) {
        // Also by another path to it, or by that of a folder around it.
        let reads = |path: &Path| file.starts_with(path) || path.file_name() == file.file_name();
        if others.iter().any(|other| files(other).any(reads)) {
            continue;
        }
        match std::fs::remove_file(file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot delete {}", file.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Documents that a run reads, and folders of them.
fn files(run: &StoredRun) -> impl Iterator<Item = &Path> {
    run.request["files"].as_array().into_iter().flatten().filter_map(Value::as_str).map(Path::new)
}

fn turns(request: &Value) -> &[Value] {
    request.pointer("/follows/conversation").and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
}

/// Of which run a turn is, if it says so.
fn named(turn: &Value) -> Option<&str> {
    turn["run"].as_str().filter(|run| !run.is_empty())
}

/// Takes out of a request what was said in a run; whether there was anything.
fn take_out(request: &mut Value, run: &str, said: Option<&Turn>) -> bool {
    let follows_it = request["follows"]["run"] == run;
    let conversation = request.pointer_mut("/follows/conversation").and_then(Value::as_array_mut);
    let Some(turns) = conversation else { return false };
    let before = turns.len();
    turns.retain(|turn| match named(turn) {
        Some(of) => of != run,
        None => said.is_none_or(|said| turn["question"] != said.question || turn["answer"] != said.answer),
    });
    // The last turn of a run that follows it is its own, whatever it answered then.
    if follows_it && turns.len() == before && turns.last().is_some_and(|last| named(last).is_none()) {
        turns.pop();
    }
    turns.len() < before
}

/// Runs that follow a run, those that follow these, and so on.
fn followers(runs: &[StoredRun], run: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![run.to_owned()];
    while let Some(before) = open.pop() {
        let next = runs.iter().filter(|other| other.request["follows"]["run"] == before);
        open.extend(next.map(|other| other.id.clone()).filter(|id| found.insert(id.clone())));
    }
    found
}

/// How many answers are kept as known that this run gave. Blocks.
fn known_from(home: &Home, run: &str) -> usize {
    if !home.known().exists() {
        return 0;
    }
    let is_of_it =
        |provenance: &Provenance| matches!(provenance, Provenance::Audit { run: of, .. } if of == run);
    match known::open(home).and_then(|known| known::all(&known)) {
        Ok(all) => all.iter().filter(|entry| is_of_it(&entry.provenance)).count(),
        Err(error) => {
            tracing::warn!("whether answers of the deleted run are kept as known cannot be told: {error}");
            0
        }
    }
}

/// Files below the state directory's `exports` that hold the run. Blocks.
fn exports(home: &Home, run: &str) -> Vec<PathBuf> {
    let begins = format!("run-{run}.");
    let files = std::fs::read_dir(home.root().join("exports")).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = files
        .filter(|file| file.file_name().to_string_lossy().starts_with(&begins))
        .map(|file| file.path())
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use frlm_conductor::claim_cache::{Entry, KeptReading, Key, Strength};
    use frlm_conductor::store::NewRun;
    use frlm_questions::ingest::{Document, SplitOptions, split};
    use frlm_verifier::validation::ground_truth::KnownAnswer;
    use serde_json::json;

    use super::*;

    /// A home with these runs: id, question, and what it follows.
    async fn recorded(runs: &[(&str, &str, Value)]) -> (tempfile::TempDir, Home, Store) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let store = Store::open(&home.store()).unwrap();
        for (id, question, follows) in runs {
            let run = NewRun {
                id: (*id).to_owned(),
                started_at_ms: 1,
                question: (*question).to_owned(),
                request: json!({"question": question, "follows": follows}),
                secret_key: String::new(),
            };
            store.begin(run).await.unwrap();
        }
        (folder, home, store)
    }

    fn turn(question: &str, run: &str) -> Value {
        serde_json::to_value(Turn::new(question, "yes").of(run)).unwrap()
    }

    async fn deleted(home: &Home, store: &Store, run: &str) -> Left {
        delete(run, store, home).await.unwrap()
    }

    #[tokio::test]
    async fn a_deleted_runs_words_leave_its_follow_ups_and_these_are_named() {
        let secret = "Is the patient ill?";
        let (folder, home, store) = recorded(&[
            ("a1", secret, Value::Null),
            ("b2", "Since when?", json!({"run": "a1", "conversation": [turn(secret, "a1")]})),
            (
                "c3",
                "And why?",
                json!({"run": "b2", "conversation": [turn(secret, "a1"), turn("Since when?", "b2")]}),
            ),
            ("d4", "How many?", Value::Null),
        ])
        .await;
        let left = deleted(&home, &store, "a1").await;
        assert_eq!(left.followed_by, BTreeSet::from(["b2", "c3"].map(str::to_owned)));
        let words = left.in_words();
        assert!(words.len() == 1 && words[0].contains("b2, c3"), "{words:?}");
        assert!(store.find("a1").is_err());
        assert!(turns(&store.find("b2").unwrap().request).is_empty());
        assert_eq!(turns(&store.find("c3").unwrap().request), [turn("Since when?", "b2")]);
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            let bytes = std::fs::read(file.path()).unwrap_or_default();
            let stands = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!stands, "{}", file.path().display());
        }
        // Its record is gone, and those behind it are found all the same.
        let left = deleted(&home, &store, "b2").await;
        assert_eq!(left.followed_by, BTreeSet::from(["c3".to_owned()]));
        assert!(turns(&store.find("c3").unwrap().request).is_empty());
        assert_eq!(deleted(&home, &store, "d4").await, Left::default(), "nothing to name");
    }

    #[tokio::test]
    async fn turns_of_an_earlier_version_go_too_though_they_name_no_run() {
        let (_folder, home, store) = recorded(&[
            ("a1", "Is it so?", Value::Null),
            (
                "b2",
                "Since when?",
                json!({"run": "a1", "conversation": [{"question": "Is it so?", "answer": "once no"}]}),
            ),
        ])
        .await;
        deleted(&home, &store, "a1").await;
        assert!(turns(&store.find("b2").unwrap().request).is_empty());
    }

    #[test]
    fn a_turn_that_names_no_run_is_known_by_its_words() {
        let said = Turn::new("Is it so?", "yes");
        let of = |run: &str| json!({"follows": {"run": run, "conversation": [turn("Is it so?", ""), turn("Or so?", "")]}});
        let mut request = of("b2");
        assert!(take_out(&mut request, "a1", Some(&said)));
        assert_eq!(turns(&request), [turn("Or so?", "")]);
        let mut request = of("b2");
        assert!(!take_out(&mut request, "a1", None) && request == of("b2"), "nobody can tell");
        assert!(!take_out(&mut Value::Null, "a1", Some(&said)));
    }

    #[tokio::test]
    async fn a_damaged_account_holds_up_no_deletion_and_is_named_with_every_one() {
        let (_folder, home, store) =
            recorded(&[("a1", "Is it so?", Value::Null), ("b2", "Since when?", Value::Null)]).await;
        std::fs::write(home.learner(), "{\"question\":\"Is it so?").unwrap();
        for run in ["a1", "b2"] {
            let left = deleted(&home, &store, run).await;
            let path = left.damaged.as_deref().unwrap();
            assert_eq!(std::fs::read_to_string(path).unwrap(), "{\"question\":\"Is it so?");
            let words = left.in_words().join("\n");
            assert!(words.contains("brain.damaged") && words.contains("delete it"), "{words}");
            assert!(store.find(run).is_err());
        }
        std::fs::remove_file(home.learner().with_extension("damaged")).unwrap();
        assert_eq!(deleted(&home, &store, "b2").await, Left::default());
    }

    #[tokio::test]
    async fn what_a_killed_write_left_of_its_question_goes_too() {
        let (_folder, home, store) = recorded(&[("a1", "Is it so?", Value::Null)]).await;
        let unfinished = home.learner().with_extension("part");
        std::fs::write(&unfinished, "{\"question\":\"Is it so?").unwrap();
        deleted(&home, &store, "a1").await;
        assert!(!unfinished.exists());
    }

    #[tokio::test]
    async fn claims_that_it_verified_go_too() {
        let (_folder, home, store) = recorded(&[("run", "What is owed?", json!({}))]).await;
        let cache = ClaimCache::at(home.claims());
        let reading = KeptReading { claims: Vec::new(), readers: vec!["alpha".to_owned()], sats: 0 };
        let fragment = split(
            &[Document::of_text("lease.txt", "The rent is 900 EUR.\n")],
            SplitOptions { max_tokens: 100, max_records: 16 },
        );
        let key = Key::of(&fragment[0], "What is owed?", "");
        let strength = Strength { level: 0, fidelity: 0 };
        let entry = Entry { key, file: "lease.txt".to_owned(), reading };
        cache.keep("run", "What is owed?", &[entry], strength, 1).unwrap();
        assert_eq!(cache.list().unwrap().len(), 1);
        deleted(&home, &store, "run").await;
        assert!(cache.list().unwrap().is_empty());
    }

    #[tokio::test]
    async fn pasted_text_goes_with_the_last_run_that_reads_it() {
        let (folder, home, store) = recorded(&[]).await;
        std::fs::create_dir(home.pasted()).unwrap();
        let file = |name: &str| home.pasted().join(name);
        for name in ["shared.txt", "alone.txt", "unasked.txt"] {
            std::fs::write(file(name), name).unwrap();
        }
        let own = folder.path().join("own.txt");
        std::fs::write(&own, "not pasted").unwrap();
        for (id, files) in [
            ("a1", vec![file("shared.txt"), file("alone.txt"), own.clone()]),
            ("b2", vec![file("shared.txt")]),
        ] {
            let run = NewRun {
                id: id.to_owned(),
                started_at_ms: 1,
                question: "Is it so?".to_owned(),
                request: json!({"files": files}),
                secret_key: String::new(),
            };
            store.begin(run).await.unwrap();
        }
        let there = || ["shared.txt", "alone.txt", "unasked.txt"].map(|name| file(name).exists());
        deleted(&home, &store, "a1").await;
        assert_eq!(there(), [true, false, true]);
        deleted(&home, &store, "b2").await;
        assert_eq!(there(), [false, false, true], "nothing is known of a text that was not asked about yet");
        assert!(own.exists());
    }

    #[tokio::test]
    async fn what_the_user_put_elsewhere_stays_and_is_named() {
        let (_folder, home, store) = recorded(&[("a1", "Is it so?", Value::Null)]).await;
        let provenance =
            |run: &str| Provenance::Audit { run: run.to_owned(), method: "a person".to_owned(), at: 1 };
        for run in ["a1", "b2"] {
            let entry = KnownAnswer {
                question: format!("Is it so in {run}?"),
                answer: "yes".to_owned(),
                category: "documents".to_owned(),
                provenance: provenance(run),
            };
            known::open(&home).unwrap().add(&entry).unwrap();
        }
        std::fs::create_dir(home.root().join("exports")).unwrap();
        for name in ["run-a1.jsonl", "run-a1.perfetto.json", "run-a12.jsonl"] {
            std::fs::write(home.root().join("exports").join(name), "{}").unwrap();
        }
        let left = deleted(&home, &store, "a1").await;
        assert_eq!((left.known, left.exports.len()), (1, 2));
        let words = left.in_words().join("\n");
        assert!(words.contains("frlm known forget") && words.contains("run-a1.jsonl"), "{words}");
    }
}
