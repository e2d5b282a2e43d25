//! `frlm runs show`: one run, with its plan, providers and verdicts.

use frlm_client::conductor::store::{Store, StoredRun};
use frlm_client::conductor::trace::view::{Ending, RunView};
use frlm_client::home::Home;
use frlm_client::protocol::{one_line, printable};
use frlm_client::{output, run_report};

use super::{in_play_money, program_of};

/// Of a run in play money that has no answer.
const ENDED_WITH_ITS_SWARM: &str =
    "It is paid in play money of a swarm that is over or another program's: ask again, or try frlm demo";

pub(super) fn show(store: &Store, run: &StoredRun, json: bool, home: &Home) -> anyhow::Result<()> {
    let loaded = store.trace(&run.id)?;
    let view = RunView::of(&loaded.records);
    if let Some(damage) = &loaded.damage {
        note!("note: the record is damaged: {damage}; this is what it says up to there");
    }
    if json {
        match &view.ending {
            Some(Ending::Answered(answer)) => say!("{}", output::json(answer)),
            _ => say!(
                "{}",
                serde_json::json!({
                    "run_id": run.id, "question": run.question, "state": run.state,
                    "verified": view.verified(), "total": view.subtasks.len(),
                })
            ),
        }
        return Ok(());
    }
    say!("{}\n", printable(&run.question));
    if let Some(program) = program_of(run) {
        let digest = program.sha256.get(..16).unwrap_or_default();
        say!(
            "program {}, {} lines, sha256 {digest}\n",
            one_line(&program.name),
            program.code.lines().count()
        );
    }
    match &view.ending {
        Some(Ending::Answered(answer)) => say_raw!("{}", output::human(answer)),
        Some(Ending::Failed { error, exit_code }) => {
            say!("failed ({exit_code}): {}", told_again(error, in_play_money(run)));
        }
        None => say!(
            "not finished: {} of {} parts verified. {}",
            view.verified(),
            view.subtasks.len(),
            if home.is_under_way(&run.id) {
                "It is under way".to_owned()
            } else if in_play_money(run) {
                ENDED_WITH_ITS_SWARM.to_owned()
            } else {
                format!("Go on with: frlm runs resume {}", run.id)
            }
        ),
    }
    for line in run_report::lines(&view) {
        say!("{line}");
    }
    Ok(())
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
            ("stopped; frlm runs resume 12ab goes on where it was", "stopped. It is paid in play money"),
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
