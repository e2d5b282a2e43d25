//! Progress on stderr: one living line on a terminal, a line now and then in a pipe.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::Duration;

use frlm_client::conductor::trace::TraceRecord;
use frlm_client::run_notes::Notes;
use frlm_client::units::plural;
use frlm_client::view::RunView;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// In a pipe, a line at least this often while something moves.
const PIPE_INTERVAL: Duration = Duration::from_secs(5);

/// Shows a run until its events end. `view`: what is known of a run that goes on.
pub async fn watch(mut events: mpsc::UnboundedReceiver<TraceRecord>, mut view: RunView) -> RunView {
    let mut notes = Notes::default();
    let bar = bar();
    let terminal = std::io::stderr().is_terminal();
    let mut last_line = Instant::now();
    let mut batch = Vec::new();
    while events.recv_many(&mut batch, 1_024).await > 0 {
        for record in batch.drain(..) {
            view.apply(&record);
            if let Some(note) = notes.of(&record, &view) {
                if terminal {
                    bar.println(note);
                } else {
                    note!("{note}");
                }
            }
        }
        bar.set_length(view.subtasks.len() as u64);
        bar.set_position((view.progress.verified() + view.progress.gave_up) as u64);
        bar.set_message(line(&view));
        if !terminal && last_line.elapsed() >= PIPE_INTERVAL {
            last_line = Instant::now();
            note!("{}/{} {}", view.progress.verified(), view.subtasks.len(), line(&view));
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
    let mut line =
        format!("verified · {here} · {} of {} sats", view.money.now().spent, view.budget.limit_sats);
    if view.checks.dissents > 0 {
        // Writing into a String cannot fail.
        let _ = write!(line, " · {} disputed", view.checks.dissents);
    }
    if view.progress.gave_up > 0 {
        let _ = write!(line, " · {} failed", view.progress.gave_up);
    }
    line
}

#[cfg(test)]
mod tests {
    use frlm_client::conductor::trace::TraceEvent;

    use super::*;

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
    async fn the_budget_of_a_resumed_run_is_known() {
        let (events, watch) = mpsc::unbounded_channel();
        let event = TraceEvent::RunResume { resumed_at_ms: 0, known: 0 };
        events.send(TraceRecord { seq: 1, at_ms: 0, event }).unwrap();
        drop(events);
        let mut before = RunView::default();
        before.budget.limit_sats = 40;
        let view = super::watch(watch, before).await;
        assert!(line(&view).ends_with("0 of 40 sats"), "{}", line(&view));
    }
}
