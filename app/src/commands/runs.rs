//! `frlm runs`: recorded runs.

use std::io::IsTerminal as _;
use std::time::Duration;

use frlm_client::conductor::store::{RunState, Store, StoredRun};
use frlm_client::conductor::trace::TraceEvent;
use frlm_client::protocol::{one_line, printable};
use frlm_client::util::text::shortened;
use frlm_client::view::{Ending, RunView};
use frlm_client::wallet::Money;

use super::ask::{STOPPING, follow, print_answer, say_accounted};
use crate::cli::{ExportFormat, RunsCommand, Thumbs};
use crate::interrupt::Interrupt;
use crate::streams::agreed;
use frlm_client::comparison::{self, Side};
use frlm_client::export::{self, Format};
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::ratings::{self, Rating};
use frlm_client::run::{ResumeOptions, Resumed, RunService};
use frlm_client::{deletion, recorded_run, run_report, wallet_session};

/// Runs shown by `list`.
const MOST_LISTED: usize = 1_000;

/// A replay waits no longer for an event, however slow it is.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Does what was asked with the recorded runs.
pub async fn run(command: &RunsCommand, home: &Home) -> anyhow::Result<()> {
    let store = Store::open(&home.store())?;
    let find = |id: &str| store.find(id).map_err(Failure::from);
    match command {
        RunsCommand::List { json } => list(&store, *json, home),
        RunsCommand::Show { run, json } => show(&store, &find(run)?, *json, home),
        RunsCommand::Diff { first, second, json } => {
            diff(&store, [&find(first)?, &find(second)?], *json, home)
        }
        RunsCommand::Replay { run, speed } => replay(&store, &find(run)?, *speed).await,
        RunsCommand::Export { run, format } => print_export(&store, &find(run)?, *format),
        RunsCommand::Resume { run, accept, json } => {
            Box::pin(resume(&store, find(run)?, *accept, *json, home)).await
        }
        RunsCommand::Feedback { run, stars, thumbs, comment, json } => {
            let rating = Rating {
                run_id: find(run)?.id,
                stars: *stars,
                thumbs_up: thumbs.map(|thumbs| thumbs == Thumbs::Up),
                comment: comment.clone(),
            };
            feedback(rating, *json, home).await
        }
        RunsCommand::Delete { run, yes } => delete(&store, &find(run)?, *yes, home).await,
    }
}

fn diff(store: &Store, [first, second]: [&StoredRun; 2], json: bool, home: &Home) -> anyhow::Result<()> {
    let view = |run: &StoredRun| -> anyhow::Result<RunView> {
        let (view, damage) = recorded_run::view_of(store, &run.id)?;
        say_damage(damage.as_ref());
        Ok(view)
    };
    let money = |run: &StoredRun| {
        if home.money() == Money::Play || recorded_run::in_play_money(run) {
            Money::Play
        } else {
            Money::Real
        }
    };
    let (one, other) = (view(first)?, view(second)?);
    let facts = comparison::facts(
        Side { view: &one, money: money(first) },
        Side { view: &other, money: money(second) },
    );
    if json {
        say!("{}", serde_json::json!({ "first": first.id, "second": second.id, "facts": facts }));
        return Ok(());
    }
    say!("  {:<12} {}\n  {:<12} {}", "first", first.id, "second", second.id);
    say_raw!("{}", comparison::in_words(&facts));
    Ok(())
}

fn list(store: &Store, json: bool, home: &Home) -> anyhow::Result<()> {
    let runs = recorded_run::newest(store, MOST_LISTED, home)?;
    if json {
        say!("{}", runs.iter().map(recorded_run::row).collect::<serde_json::Value>());
        return Ok(());
    }
    if runs.is_empty() {
        note!("no runs yet; try: frlm demo");
    }
    for run in runs {
        let state = serde_json::to_value(run.state)?;
        say!("{}  {:11}  {}", run.id, state.as_str().unwrap_or_default(), one_line(&run.question));
    }
    Ok(())
}

fn show(store: &Store, run: &StoredRun, json: bool, home: &Home) -> anyhow::Result<()> {
    let (view, damage) = recorded_run::view_of(store, &run.id)?;
    say_damage(damage.as_ref());
    if json {
        say!("{}", recorded_run::as_json(run, &view));
    } else {
        say_raw!("{}", recorded_run::in_words(run, &view, home));
    }
    Ok(())
}

fn say_damage(damage: Option<&impl std::fmt::Display>) {
    if let Some(damage) = damage {
        note!("note: the record is damaged: {damage}; it is shown up to that point");
    }
}

async fn replay(store: &Store, run: &StoredRun, speed: f64) -> anyhow::Result<()> {
    let loaded = store.trace(&run.id)?;
    let mut at_ms = 0;
    let mut view = RunView::default();
    for record in &loaded.records {
        if speed > 0.0 {
            tokio::time::sleep(pause(record.at_ms.saturating_sub(at_ms), speed)).await;
        }
        at_ms = record.at_ms;
        view.apply(record);
        let body = serde_json::to_value(&record.event)?;
        let kind = body.get("type").and_then(|kind| kind.as_str()).unwrap_or_default();
        let what = match &record.event {
            TraceEvent::Decision { .. } | TraceEvent::Notice { .. } => {
                view.tellings.last().map_or(String::new(), run_report::told)
            }
            _ => shortened(&recorded_run::details(&body), 150),
        };
        say!("{:>9.3} s  {kind:17}  {}", record.at_ms as f64 / 1e3, printable(&what));
    }
    say_damage(loaded.damage.as_ref());
    say!(
        "{} of {} parts verified, {} disputed, {} sats spent",
        view.progress.verified(),
        view.subtasks.len(),
        view.checks.dissents,
        view.money.now().spent
    );
    Ok(())
}

/// The time between two events, so many times as fast.
fn pause(between_ms: u64, speed: f64) -> Duration {
    let pause = Duration::try_from_secs_f64(between_ms as f64 / 1e3 / speed);
    pause.map_or(LONGEST_PAUSE, |pause| pause.min(LONGEST_PAUSE))
}

fn print_export(store: &Store, run: &StoredRun, format: ExportFormat) -> anyhow::Result<()> {
    let format = match format {
        ExportFormat::Jsonl => Format::JsonLines,
        ExportFormat::Perfetto => Format::Perfetto,
    };
    let damage = export::lines(store, &run.id, format, |line| {
        say!("{line}");
        Ok(())
    })?;
    say_damage(damage.as_ref());
    Ok(())
}

async fn resume(store: &Store, run: StoredRun, accept: bool, json: bool, home: &Home) -> anyhow::Result<()> {
    if run.state == RunState::Done {
        note!("note: this run has its answer already");
        let view = RunView::of(&store.trace(&run.id)?.records);
        if let Some(Ending::Answered(answer)) = &view.ending {
            print_answer(answer, json);
            return Ok(());
        }
    }
    let before = RunView::of(&store.trace(&run.id)?.records);
    let service = RunService::open(home).await?;
    let interrupt = Interrupt::listen(STOPPING);
    let options = ResumeOptions { accept, cancel: interrupt.tidy.clone(), ..ResumeOptions::default() };
    let Resumed { handle, warnings, .. } = service.resume(&run.id, options).await?;
    for warning in &warnings {
        note!("note: {}", printable(&warning.to_string()));
    }
    let answer = follow(handle, interrupt, before).await?;
    print_answer(&answer, json);
    if service.wallet().is_none() {
        say_accounted(&answer);
    }
    Ok(())
}

/// Keeps a rating, and says who learned from it.
async fn feedback(rating: Rating, json: bool, home: &Home) -> anyhow::Result<()> {
    rating.check().map_err(|why| Failure::usage(format!("{why}; try: frlm runs feedback RUN --stars 4")))?;
    let (run_id, home) = (rating.run_id.clone(), home.clone());
    let kept = tokio::task::spawn_blocking(move || ratings::keep_and_teach(&rating, &home)).await?;
    let taught = kept?;
    if json {
        say!(
            "{}",
            serde_json::json!({ "run_id": run_id, "kept": true, "decisions": taught.decisions, "plan": taught.plan })
        );
        return Ok(());
    }
    say!("saved on this machine\n{}", taught.in_words());
    Ok(())
}

async fn delete(store: &Store, run: &StoredRun, yes: bool, home: &Home) -> anyhow::Result<()> {
    let _claim = deletion::claim(&run.id, home, wallet_session::open(home)).await?;
    if !yes && !std::io::stdin().is_terminal() {
        return Err(Failure::usage("deleting needs --yes when there is no terminal").into());
    }
    if !yes && !agreed(&format!("delete run {} \"{}\"?", run.id, one_line(&run.question)))? {
        return Ok(());
    }
    let left = deletion::delete(&run.id, store, home).await?;
    note!("deleted {}", run.id);
    for line in left.in_words() {
        note!("{}", printable(&line));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_keeps_the_pauses_of_a_run_and_is_never_stuck() {
        assert_eq!(pause(500, 2.0), Duration::from_millis(250));
        assert_eq!(pause(0, f64::MIN_POSITIVE), Duration::ZERO);
        for speed in [0.001, 1e-300, f64::MIN_POSITIVE] {
            assert_eq!(pause(100_000, speed), LONGEST_PAUSE, "{speed}");
        }
    }
}
