//! A run in the store, as people and programs read it.

use std::fmt::Write as _;

use crate::view::{Ending, RunView};
use frlm_conductor::store::{RunState, Store, StoredRun};
use frlm_conductor::trace::TraceRecord;
use frlm_protocol::{one_line, printable};
use frlm_util::text::shortened;
use serde_json::{Value, json};

use crate::home::Home;
use crate::programs::ProgramText;
use crate::run::RunRequest;
use crate::{output, run_report};

/// Of a run in play money that has no answer.
const ENDED_WITH_ITS_SWARM: &str = "It is paid in play money of a swarm that has ended or belongs to another program: ask again, or try frlm \
     demo";

/// The newest runs, so many at most, each in the state in which it is. Blocks.
pub fn newest(store: &Store, most: usize, home: &Home) -> anyhow::Result<Vec<StoredRun>> {
    let mut runs = store.list(most)?;
    for run in &mut runs {
        if run.state == RunState::Running && !home.is_under_way(&run.id) {
            // Its process ended a moment ago, or died before it could say how.
            run.state = match store.find(&run.id)?.state {
                RunState::Running => RunState::Interrupted,
                ended => ended,
            };
        }
    }
    Ok(runs)
}

/// Events read from the store at once.
pub const PAGE: u32 = 1_024;

/// Hands a run's record over page by page; returns why the rest cannot be read. Blocks.
pub fn each_page(
    store: &Store,
    run: &str,
    mut take: impl FnMut(&[TraceRecord]) -> anyhow::Result<()>,
) -> anyhow::Result<Option<String>> {
    let mut from_seq = 0;
    loop {
        let page = store.trace_page(run, from_seq, PAGE)?;
        take(&page.records)?;
        from_seq += page.records.len() as u64;
        if page.damage.is_some() || page.records.len() < PAGE as usize {
            return Ok(page.damage);
        }
    }
}

/// A run's record, folded page by page, and why the rest of it cannot be read. Blocks.
pub fn view_of(store: &Store, run: &str) -> anyhow::Result<(RunView, Option<String>)> {
    let mut view = RunView::default();
    let damage = each_page(store, run, |records| {
        for record in records {
            view.apply(record);
        }
        Ok(())
    })?;
    Ok((view, damage))
}

/// A run in a list, for programs.
pub fn row(run: &StoredRun) -> Value {
    json!({
        "run_id": run.id, "started_at_ms": run.started_at_ms, "question": run.question, "state": run.state,
    })
}

/// The program that asked, where one did.
fn program_of(run: &StoredRun) -> Option<ProgramText> {
    serde_json::from_value::<RunRequest>(run.request.clone()).ok()?.program
}

/// Whether a run is paid in play money.
pub fn in_play_money(run: &StoredRun) -> bool {
    serde_json::from_value::<RunRequest>(run.request.clone()).is_ok_and(|request| request.play_money)
}

/// Its answer, or how far it is, for programs.
pub fn as_json(run: &StoredRun, view: &RunView) -> String {
    match &view.ending {
        Some(Ending::Answered(answer)) => output::json(answer),
        _ => json!({
            "run_id": run.id, "question": run.question, "state": run.state,
            "verified": view.progress.verified(), "total": view.subtasks.len(),
        })
        .to_string(),
    }
}

/// Its answer or how far it is, and how it came to it: plan, providers and verdicts.
pub fn in_words(run: &StoredRun, view: &RunView, home: &Home) -> String {
    let mut text = format!("{}\n\n", printable(&run.question));
    if let Some(program) = program_of(run) {
        let (name, lines) = (one_line(&program.name), program.code.lines().count());
        let digest = program.sha256.get(..16).unwrap_or_default();
        // Writing into a String cannot fail.
        let _ = write!(text, "program {name}, {lines} lines, sha256 {digest}\n\n");
    }
    let ending = match &view.ending {
        Some(Ending::Answered(answer)) => output::human(answer),
        Some(Ending::Failed { error, exit_code }) => {
            format!("failed ({exit_code}): {}\n", told_again(error, in_play_money(run)))
        }
        None => {
            let next = if home.is_under_way(&run.id) {
                "It is running".to_owned()
            } else if in_play_money(run) {
                ENDED_WITH_ITS_SWARM.to_owned()
            } else {
                format!("Resume it: frlm runs resume {}", run.id)
            };
            format!(
                "not finished: {} of {} parts verified. {next}\n",
                view.progress.verified(),
                view.subtasks.len()
            )
        }
    };
    text += &ending;
    for line in run_report::lines(view) {
        text += &line;
        text.push('\n');
    }
    text
}

/// An event's fields without its type, in short.
pub fn details(event: &Value) -> String {
    let fields = event.as_object().into_iter().flatten().filter(|(name, _)| *name != "type");
    let fields = fields.map(|(name, value)| format!("{name}={}", shortened(&value.to_string(), 60)));
    fields.collect::<Vec<_>>().join(" ")
}

/// Why a run failed. What it advised then is not repeated where nobody can follow it.
fn told_again(error: &str, in_play_money: bool) -> String {
    if in_play_money && error.contains("frlm runs resume") {
        let why = error.split("frlm runs resume").next().unwrap_or_default();
        let why = why.rfind(['.', ';', ':']).map_or("it has no answer", |end| &why[..end]);
        return printable(&format!("{why}. {ENDED_WITH_ITS_SWARM}")).into_owned();
    }
    printable(error).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_resumed_is_not_said_to_be() {
        for (error, begins) in [
            ("stopped; frlm runs resume 12ab continues from here", "stopped. It is paid in play money"),
            ("2 parts failed. Start more providers and go on with frlm runs resume", "2 parts failed. It is"),
            ("frlm runs resume asks for them again", "it has no answer. It is"),
        ] {
            let told = told_again(error, true);
            assert!(told.starts_with(begins) && !told.contains("resume"), "{told}");
            assert_eq!(told_again(error, false), error);
        }
        assert_eq!(told_again("nobody answered", true), "nobody answered");
    }
}
