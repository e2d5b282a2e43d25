//! What the record says of a verdict on an answer, in words: by what it was judged, what came of it, and what of it
//! nobody has read.

use egui::Ui;
use frlm_client::conductor::trace::{TraceEvent, TraceRecord};
use frlm_client::protocol::printable;
use frlm_client::verifier::consensus::Unread;
use frlm_client::verifier::validation::Method;
use lucide_icons::Icon;

use super::posterior::percent;
use super::words::{self, by};
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{Tone, name, note_ui};

/// A verdict as it is told.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    tone: Tone,
    words: String,
    unread: Option<String>,
}

/// The verdict in a line of the record, if it is one.
pub fn verdict_ui(ui: &mut Ui, line: &str) {
    let Some(told) = told(line) else { return };
    ui.label(name(words::VERDICT));
    note_ui(ui, told.tone, told.tone.icon(), &told.words);
    if let Some(unread) = told.unread {
        note_ui(ui, Tone::Warn, Icon::ScissorsLineDashed, &unread);
    }
    ui.add_space(space::S);
}

fn told(line: &str) -> Option<Told> {
    let record: TraceRecord = serde_json::from_str(line).ok()?;
    if let TraceEvent::NoVerdict { paid, why, .. } = record.event {
        return Some(no_verdict(paid, &why));
    }
    let TraceEvent::Validated { method, correctness, passed, methods, unread, .. } = record.event else {
        return None;
    };
    let (tone, verdict) = match passed {
        Some(true) => (Tone::Good, words::PASSED),
        Some(false) => (Tone::Bad, words::NOT_PASSED),
        None => (Tone::Plain, words::NO_METHOD),
    };
    let right = correctness.map_or(String::new(), |share| words::right(&percent(share)));
    let tried: Vec<&str> = methods.iter().filter(|tried| **tried != method).map(|tried| by(*tried)).collect();
    let before = if tried.is_empty() { String::new() } else { words::also_tried(&tried.join(", ")) };
    let words = if method == Method::None {
        words::verdict(verdict, &right, &before)
    } else {
        words::verdict_by(verdict, by(method), &right, &before)
    };
    Some(Told { tone, words, unread: unread.filter(|unread| !unread.is_nothing()).as_ref().map(on_a_part) })
}

/// Decision 0054: what nobody judged is not used, and is its provider's work all the same.
fn no_verdict(paid: bool, why: &str) -> Told {
    let pay = if paid { words::BUT_PAID } else { "" };
    let words = words::no_verdict(&printable(why), pay);
    Told { tone: Tone::Plain, words, unread: None }
}

/// Decision 0042: by a part nothing is right.
fn on_a_part(unread: &Unread) -> String {
    words::judged_on_a_part(&unread.to_string())
}

#[cfg(test)]
mod tests {
    use frlm_scheduler::{AttemptId, SubtaskId};

    use super::*;

    fn line(passed: Option<bool>, unread: Option<Unread>) -> String {
        let event = TraceEvent::Validated {
            subtask: SubtaskId(3),
            attempt: AttemptId(0),
            method: Method::LlmValidation,
            correctness: passed.map(|_| 0.62),
            passed,
            methods: vec![Method::CrossReference, Method::LlmValidation],
            unread,
        };
        serde_json::to_string(&TraceRecord { seq: 7, at_ms: 40, event }).unwrap()
    }

    #[test]
    fn a_verdict_on_a_part_says_what_was_not_read() {
        let unread = Unread { task_chars: 0, answer_chars: 700 };
        let partly = told(&line(Some(false), Some(unread))).unwrap();
        assert_eq!(
            partly.words,
            "It did not pass, judged by your own model; 62.0% likely to be right. Also tried: by finding its values \
             in the documents."
        );
        let unread = partly.unread.unwrap();
        assert!(unread.starts_with("Judged on a part, without the last 700 characters of the answer: "));
        let whole = told(&line(None, None)).unwrap();
        assert_eq!((whole.tone, whole.unread), (Tone::Plain, None));
        assert!(whole.words.starts_with("No method could check it, which only the level critical requires"));
    }

    #[test]
    fn a_missing_verdict_names_its_reason_and_what_happens_to_the_pay() {
        let said = |paid| {
            let event = TraceEvent::NoVerdict {
                subtask: SubtaskId(3),
                attempt: AttemptId(0),
                validator: "v".to_owned(),
                provider: "p".to_owned(),
                paid,
                why: "the \u{202e}engine failed".to_owned(),
            };
            told(&serde_json::to_string(&TraceRecord { seq: 7, at_ms: 40, event }).unwrap()).unwrap()
        };
        let paid = said(true);
        assert!(paid.words.ends_with("The answer is not used, but its provider is paid."));
        assert!(!paid.words.contains('\u{202e}') && paid.words.contains("engine failed"), "{}", paid.words);
        assert_eq!((paid.tone, paid.unread), (Tone::Plain, None));
        assert!(said(false).words.ends_with("The answer is not used."));
    }

    #[test]
    fn other_events_are_no_verdicts() {
        let event = TraceEvent::BudgetRaised { limit_sats: 5 };
        let line = serde_json::to_string(&TraceRecord { seq: 7, at_ms: 40, event }).unwrap();
        assert_eq!((told(&line), told("no record")), (None, None));
    }
}
