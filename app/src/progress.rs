//! Progress on stderr: one living line on a terminal, a line now and then in a pipe.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::Duration;

use frlm_client::conductor::scheduler::GaveUp;
use frlm_client::conductor::trace::view::RunView;
use frlm_client::conductor::trace::{AuditFinding, TraceEvent, TraceRecord};
use frlm_client::protocol::printable;
use frlm_client::wallet::Money;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::mpsc;
use tokio::time::Instant;

use frlm_client::units::plural;

/// In a pipe, a line at least this often while something moves.
const PIPE_INTERVAL: Duration = Duration::from_secs(5);

/// Shows a run until its events end. `view`: what is known of a run that goes on.
pub async fn watch(mut events: mpsc::UnboundedReceiver<TraceRecord>, mut view: RunView) -> RunView {
    let mut told = Vec::new();
    let bar = bar();
    let terminal = std::io::stderr().is_terminal();
    let mut last_line = Instant::now();
    let mut batch = Vec::new();
    while events.recv_many(&mut batch, 1_024).await > 0 {
        for record in batch.drain(..) {
            view.apply(&record);
            if let Some(note) = first_of_its_kind(&record, &mut told).then(|| note(&record, &view)).flatten()
            {
                if terminal {
                    bar.println(note);
                } else {
                    note!("{note}");
                }
            }
        }
        bar.set_length(view.subtasks.len() as u64);
        bar.set_position((view.verified() + view.gave_up) as u64);
        bar.set_message(line(&view));
        if !terminal && last_line.elapsed() >= PIPE_INTERVAL {
            last_line = Instant::now();
            note!("{}/{} {}", view.verified(), view.subtasks.len(), line(&view));
        }
    }
    bar.finish_and_clear();
    view
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:24} {pos}/{len} {wide_msg}") {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn line(view: &RunView) -> String {
    let here = view.providers.iter().filter(|provider| provider.here).count();
    let here = plural(here, "provider");
    let mut line = format!("verified · {here} · {} of {} sats", view.money.now().spent, view.limit_sats);
    if view.dissents > 0 {
        // Writing into a String cannot fail.
        let _ = write!(line, " · {} disputed", view.dissents);
    }
    if view.gave_up > 0 {
        let _ = write!(line, " · {} failed", view.gave_up);
    }
    line
}

/// Whether this is no subtask that was given up for a reason that was told before: such subtasks are many when
/// providers are slow, are counted in the line, and are often asked again. Of answers without a verdict the first is
/// told, in the place of the subtasks that are given up for it.
fn first_of_its_kind(record: &TraceRecord, told: &mut Vec<GaveUp>) -> bool {
    let why = match record.event {
        TraceEvent::GaveUp { why, .. } => why,
        TraceEvent::NoVerdict { .. } => GaveUp::NoVerdict,
        _ => return true,
    };
    let is_first = !told.contains(&why);
    if is_first {
        told.push(why);
    }
    is_first
}

/// What is worth a line of its own.
fn note(record: &TraceRecord, view: &RunView) -> Option<String> {
    match &record.event {
        TraceEvent::RelayOffline { relay, reason } => {
            Some(format!("relay {} is gone ({}); reconnecting", printable(relay), printable(reason)))
        }
        TraceEvent::Quoted { low_sats, expected_sats, high_sats, fees_sats, left_sats, play_money } => {
            let unit = if *play_money { Money::Play } else { Money::Real }.unit();
            let fees = fees_sats.map_or_else(
                || "what a mint takes comes on top".to_owned(),
                |fees| format!("{fees} of them for the mint"),
            );
            Some(format!(
                "quote: {expected_sats} {unit} expected ({low_sats} without replicas, {high_sats} with every replica and \
                 spot check), {fees}; never more than {left_sats}"
            ))
        }
        TraceEvent::FallbackLocal { reason, .. } => {
            Some(format!("{}: this machine's own model steps in", printable(reason)))
        }
        TraceEvent::Verify { dissenting, subtask, .. } if !dissenting.is_empty() => {
            let names: Vec<String> =
                dissenting.iter().map(|key| printable(&view.provider_name(key)).into_owned()).collect();
            Some(format!("subtask {}: {} said something else", subtask.0, names.join(", ")))
        }
        TraceEvent::Audited { provider, finding: AuditFinding::AnotherModel, .. } => {
            let name = view.provider_name(provider);
            Some(format!("{} runs another model than it claims, as an audit shows", printable(&name)))
        }
        TraceEvent::NoVerdict { subtask, provider, paid, why, .. } => Some(format!(
            "subtask {}: no verdict about the answer of {} ({}); it is not used{}",
            subtask.0,
            printable(&view.provider_name(provider)),
            printable(why),
            if *paid { ", and its provider is paid all the same" } else { "" }
        )),
        TraceEvent::PaidUnescrowed { provider, sats, fees_sats, .. } => Some(format!(
            "{} was paid {sats} sats and {fees_sats} in fees before its work, unescrowed",
            printable(&view.provider_name(provider))
        )),
        TraceEvent::GaveUp { subtask, why } => Some(format!(
            "subtask {} was given up for now: {} (others like it are counted as failed)",
            subtask.0,
            why.in_words()
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use frlm_conductor::scheduler::{AttemptId, SubtaskId};

    use super::*;

    #[test]
    fn why_subtasks_were_given_up_is_said_in_words_and_once_for_each_reason() {
        let mut told = Vec::new();
        let mut said = Vec::new();
        for (seq, why) in (0..).zip([GaveUp::NobodyLeft, GaveUp::NobodyLeft, GaveUp::Split]) {
            let event = TraceEvent::GaveUp { subtask: SubtaskId(4), why };
            let record = TraceRecord { seq, at_ms: 0, event };
            if first_of_its_kind(&record, &mut told) {
                said.extend(note(&record, &RunView::default()));
            }
        }
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("given up for now: no further provider was there to ask"), "{said:?}");
        assert!(said[1].contains("given up for now: the providers disagree"), "{said:?}");
    }

    #[test]
    fn the_first_answer_without_a_verdict_is_told_with_what_kept_it_and_whether_it_is_paid() {
        let no_verdict = TraceEvent::NoVerdict {
            subtask: SubtaskId(4),
            attempt: AttemptId(0),
            validator: "v".to_owned(),
            provider: "p".to_owned(),
            paid: true,
            why: "the engine failed".to_owned(),
        };
        let gave_up = TraceEvent::GaveUp { subtask: SubtaskId(4), why: GaveUp::NoVerdict };
        let mut told = Vec::new();
        let mut said = Vec::new();
        for event in [no_verdict.clone(), no_verdict, gave_up] {
            let record = TraceRecord { seq: 0, at_ms: 0, event };
            if first_of_its_kind(&record, &mut told) {
                said.extend(note(&record, &RunView::default()));
            }
        }
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("subtask 4: no verdict about the answer of "), "{said:?}");
        assert!(
            said[0].ends_with("(the engine failed); it is not used, and its provider is paid all the same")
        );
    }

    #[test]
    fn what_a_run_will_cost_is_said_in_words_and_play_money_is_called_so() {
        let said = |fees_sats, play_money| {
            let event = TraceEvent::Quoted {
                low_sats: 12,
                expected_sats: 24,
                high_sats: 60,
                fees_sats,
                left_sats: 100,
                play_money,
            };
            note(&TraceRecord { seq: 0, at_ms: 0, event }, &RunView::default()).unwrap()
        };
        assert_eq!(
            said(Some(3), false),
            "quote: 24 sats expected (12 without replicas, 60 with every replica and spot check), 3 of them for the \
             mint; never more than 100"
        );
        assert!(said(None, false).contains("what a mint takes comes on top"));
        assert!(said(Some(0), true).starts_with("quote: 24 play sats (worth nothing) expected"));
    }

    #[test]
    fn one_provider_is_not_called_several() {
        let mut view = RunView::default();
        let event = TraceEvent::ProviderSeen {
            provider: "a".to_owned(),
            name: "a".to_owned(),
            model: "m".to_owned(),
            price_msats_per_1k: 0,
        };
        view.apply(&TraceRecord { seq: 0, at_ms: 0, event });
        assert!(line(&view).contains("· 1 provider ·"), "{}", line(&view));
    }

    #[tokio::test]
    async fn the_cap_of_a_run_that_goes_on_is_known() {
        let (events, watch) = mpsc::unbounded_channel();
        let event = TraceEvent::RunResume { resumed_at_ms: 0, known: 0 };
        events.send(TraceRecord { seq: 1, at_ms: 0, event }).unwrap();
        drop(events);
        let mut before = RunView::default();
        before.limit_sats = 40;
        let view = super::watch(watch, before).await;
        assert!(line(&view).ends_with("0 of 40 sats"), "{}", line(&view));
    }
}
