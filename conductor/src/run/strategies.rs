//! Whether answers in words are right, by methods that go by the kind of task (tier 2; seeds/verifier-block.md, «Answer
//! Validator», `strategies`; docs/decisions/0033-verification-levels.md).

use frlm_verifier::validation::claims;

use crate::dialect::MapAnswer;
use crate::plan::{Outcome, Task};

/// What an answer says in words, if it says anything in words.
fn in_words(outcome: &Outcome) -> Option<&str> {
    let words = match outcome {
        Outcome::Mapped(MapAnswer::Words { answer, .. }) | Outcome::Combined(answer) => answer.as_str(),
        Outcome::Mapped(MapAnswer::Records { .. }) | Outcome::Compiled(_) => return None,
    };
    Some(words).filter(|words| !words.trim().is_empty())
}

/// What an answer to a task may rest on: the fragment, or the verified notes and their quotes.
fn documents(task: &Task) -> Vec<&str> {
    match task {
        Task::Compile(_) => Vec::new(),
        Task::Map { fragment, .. } => vec![&*fragment.text],
        Task::Combine(task) => {
            let of = |answer: &MapAnswer| match answer {
                MapAnswer::Words { answer, quotes } => {
                    let quotes = quotes.iter().map(|found| found.quote.as_str());
                    std::iter::once(answer.as_str()).chain(quotes).collect::<Vec<_>>()
                }
                MapAnswer::Records { .. } => Vec::new(),
            };
            task.answers.iter().flat_map(|(_, answer)| of(answer)).collect()
        }
    }
}

/// The calculation in an answer that does not come to what it says: fend does it again, within bounds, and what the
/// documents themselves miscalculate is theirs. At every level, before anybody's agreement counts.
pub(super) fn miscalculated(task: &Task, outcome: &Outcome) -> Option<String> {
    claims::miscalculated(in_words(outcome)?, &documents(task)).map(|wrong| wrong.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::dialect::MapTask;
    use crate::ingest::{self, Document, SplitOptions};

    fn asked(text: &str) -> Task {
        let document = Document::of_text("scale.txt", text);
        let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
        let fragment = ingest::split(&[document], options).remove(0);
        let task = MapTask { question: "What do both weigh?".to_owned(), query: None };
        Task::Map { task: Arc::new(task), fragment: Arc::new(fragment) }
    }

    fn said(answer: &str) -> Outcome {
        Outcome::Mapped(MapAnswer::Words { answer: answer.to_owned(), quotes: Vec::new() })
    }

    #[test]
    fn a_calculation_with_units_that_does_not_come_to_what_is_said_is_an_error_of_the_answer_alone() {
        let task = asked("box one: 12 kg\nbox two: 5 kg\n");
        assert_eq!(miscalculated(&task, &said("12 kg + 5 kg = 17 kg")), None);
        let wrong = miscalculated(&task, &said("Both: 12 kg + 5 kg = 18 kg.")).unwrap();
        assert!(wrong.contains("12 kg + 5 kg") && wrong.contains("17000 g"), "{wrong}");
        let theirs = asked("The clerk: 12 kg + 5 kg = 18 kg\n");
        assert_eq!(miscalculated(&theirs, &said("12 kg + 5 kg = 18 kg, says the clerk")), None);
        assert_eq!(miscalculated(&task, &said(" ")), None);
    }
}
