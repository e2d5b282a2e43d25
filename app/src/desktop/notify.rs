//! What the system tells the user while the window is behind others: that a run has ended.

use frlm_conductor::trace::TraceEvent;
use frlm_protocol::printable;

use super::engine::Event;
use super::screens::run;
use super::state::State;

/// The longest text of a notification, in characters.
const LONGEST: usize = 180;

/// Tells the system's notification service, if there is one. Blocks.
pub fn show(what: &str, body: &str) {
    let shown = notify_rust::Notification::new().appname("FRLM").summary(what).body(body).show();
    if let Err(error) = shown {
        // Whether somebody shows it is the system's business; the window shows it in any case.
        tracing::info!("no notification: {error}");
    }
}

/// What to tell about an event, if anything: a title and a text.
pub fn words(event: &Event, state: &State) -> Option<(String, String)> {
    let Event::Run(run::Event::Records { records, .. }) = event else { return None };
    records.iter().find_map(|record| match &record.event {
        TraceEvent::RunDone { answer } => Some(("Answered".to_owned(), clip(&answer.answer))),
        TraceEvent::RunFailed { error, .. } if state.run.can_pause() => {
            Some(("The run ended without an answer".to_owned(), clip(error)))
        }
        _ => None,
    })
}

fn clip(text: &str) -> String {
    printable(text).chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop::screens::run::samples::Recipe;

    #[test]
    fn only_endings_are_worth_a_notification() {
        let records = Recipe::done(3);
        let (last, before) = records.split_last().unwrap();
        let event = |records: Vec<_>| Event::Run(run::Event::Records { id: String::new(), records });
        assert_eq!(words(&event(before.to_vec()), &State::default()), None);
        let (what, body) = words(&event(vec![last.clone()]), &State::default()).unwrap();
        assert_eq!(what, "Answered");
        assert!(body.contains("27 records"));
    }
}
