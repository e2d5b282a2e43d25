//! What the system tells the user while the window is behind others, or away: that a run has ended, or that this machine
//! does not serve any more.

use frlm_client::conductor::trace::{TraceEvent, TraceRecord};
use frlm_client::protocol::printable;

use super::engine::Event;
use super::screens::{earn, run};
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
    if let Event::Run(run::Event::Records { id, records }) = event {
        return ending(id, records, state);
    }
    // A user who let it earn in the background would wait for nothing.
    let Event::Earn(earn::Event::Status(earn::Status::Failed(why))) = event else { return None };
    Some(("Offline".to_owned(), clip(why)))
}

/// The ending among the records of a run, if it is news.
fn ending(id: &str, records: &[TraceRecord], state: &State) -> Option<(String, String)> {
    // Of the run on screen a record may be read rather than heard of, and what is heard may have been read before.
    let shown = Some(&state.run).filter(|run| run.is_some() && run.id == id);
    let is_news = |record: &&TraceRecord| {
        shown.is_none_or(|run| run.is_live() && record.seq >= run.events.len() as u64)
    };
    records.iter().filter(is_news).find_map(|record| {
        if let TraceEvent::RunDone { answer } = &record.event {
            return Some(("Answered".to_owned(), clip(&answer.answer)));
        }
        let TraceEvent::RunFailed { error, exit_code } = &record.event else { return None };
        // The user who stopped it knows.
        let is_news = *exit_code != run::INTERRUPTED;
        is_news.then(|| ("The run ended without an answer".to_owned(), clip(error)))
    })
}

fn clip(text: &str) -> String {
    printable(text).chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop::screens::run::samples::{Recipe, shown};

    #[test]
    fn only_endings_are_worth_a_notification() {
        let records = Recipe::done(3);
        let (last, before) = records.split_last().unwrap();
        let event = |records: Vec<_>| Event::Run(run::Event::Records { id: String::new(), records });
        assert_eq!(words(&event(before.to_vec()), &State::default()), None);
        let (what, body) = words(&event(vec![last.clone()]), &State::default()).unwrap();
        assert_eq!(what, "Answered");
        assert!(body.contains("12 records"));
    }

    #[test]
    fn the_end_of_a_run_is_told_once_and_not_when_its_record_is_read() {
        let records = Recipe::done(3);
        let end = records.len() - 1;
        let report = |run: &run::Run| {
            Event::Run(run::Event::Records { id: run.id.clone(), records: records[end..].to_vec() })
        };
        let live = shown(records[..end].to_vec(), true);
        let state = |run: &run::Run| State { run: run.clone(), ..State::default() };
        assert!(words(&report(&live), &state(&live)).is_some());
        let folded = shown(records.clone(), true);
        assert_eq!(words(&report(&folded), &state(&folded)), None, "it was told before");
        let read = shown(records[..end].to_vec(), false);
        assert_eq!(words(&report(&read), &state(&read)), None, "it ended long ago");
    }

    #[test]
    fn a_lost_provider_service_is_notified_and_a_stopped_one_is_not() {
        let told = |status| words(&Event::Earn(earn::Event::Status(status)), &State::default());
        let (what, body) = told(earn::Status::Failed("the relay is\u{202e} gone".to_owned())).unwrap();
        assert_eq!((what.as_str(), body.contains('\u{202e}')), ("Offline", false));
        for status in [earn::Status::Off, earn::Status::Stopping, earn::Status::Paused { minutes: 15 }] {
            assert_eq!(told(status), None);
        }
    }

    #[test]
    fn a_run_that_the_user_stopped_is_no_news() {
        let failed = |exit_code| {
            let event = TraceEvent::RunFailed { error: "stopped".to_owned(), exit_code };
            let records = vec![TraceRecord { seq: 0, at_ms: 5, event }];
            Event::Run(run::Event::Records { id: "another".to_owned(), records })
        };
        assert_eq!(words(&failed(run::INTERRUPTED), &State::default()), None);
        assert!(words(&failed(4), &State::default()).is_some());
    }
}
