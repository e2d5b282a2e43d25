//! An answer's exact values, looked for in the documents at hand (seeds/verifier-block.md,
//! "Cross-Reference").

use super::{Finding, Method};
use crate::normalise::Sentence;
use crate::request::OriginalTask;
use crate::value::{Scalar, word};

/// Compares every value of the answer with the documents. `None` without documents.
///
/// Correctness is the share of the answer's values that stand in one of them; values that the question
/// itself names say nothing. An answer without values is compared by its quotations, and one without
/// either cannot be told.
pub fn check(answer: &str, task: &OriginalTask, documents: &[&str]) -> Option<Finding> {
    if documents.is_empty() {
        return None;
    }
    let asked: Vec<String> = Sentence::of(&task.query).values().map(Scalar::canonical).collect();
    let claimed: Vec<String> =
        Sentence::of(answer).values().map(Scalar::canonical).filter(|value| !asked.contains(value)).collect();
    let quotations = quotations(answer);
    let total = claimed.len() + quotations.len();
    let finding = |correctness, detail| {
        Some(Finding { method: Method::CrossReference, correctness, detail, assessment: None })
    };
    if total == 0 {
        return finding(None, "the answer has nothing that could be looked up".to_owned());
    }
    let mut known: Vec<String> = documents.iter().flat_map(|text| values(text)).collect();
    known.sort_unstable();
    let texts: Vec<String> = documents.iter().map(|text| word(text)).collect();
    let found = claimed.iter().filter(|value| known.binary_search(value).is_ok()).count()
        + quotations.iter().filter(|quote| texts.iter().any(|text| text.contains(&word(quote)))).count();
    finding(Some(found as f64 / total as f64), format!("{found} of {total} claims are in the documents"))
}

fn values(text: &str) -> Vec<String> {
    // Line by line, so that a value never spans two records.
    text.lines()
        .flat_map(|line| Sentence::of(line).values().map(Scalar::canonical).collect::<Vec<_>>())
        .collect()
}

/// Texts between quotation marks, of two words or more.
fn quotations(answer: &str) -> Vec<&str> {
    const MARKS: [(char, char); 3] = [('"', '"'), ('“', '”'), ('«', '»')];
    let mut found = Vec::new();
    for (open, close) in MARKS {
        let mut rest = answer;
        while let Some(from) = rest.find(open) {
            let inner = &rest[from + open.len_utf8()..];
            let Some(to) = inner.find(close) else { break };
            if inner[..to].split_whitespace().count() >= 2 {
                found.push(&inner[..to]);
            }
            rest = &inner[to + close.len_utf8()..];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalise::ExpectedFormat;
    use crate::request::TaskType;
    use crate::testing::task;

    /// seeds/verifier-block.md, "Cross-Reference": the document says what for, and no formula; ours is the share that stands.
    #[test]
    fn a_claim_counts_only_if_it_stands_in_a_document() {
        let task = task("Which order over 100 failed?", TaskType::FactualQa, ExpectedFormat::Explanation);
        let documents = ["order 4001 by user1 amount 118.40 failed\norder 4002 by user2 amount 7 shipped"];
        let share = |answer| check(answer, &task, &documents).and_then(|finding| finding.correctness);
        assert_eq!(share("Order 4001, 118.4, over 100"), Some(1.0));
        assert_eq!(share("Order 4001 by user9"), Some(0.5));
        assert_eq!(share("It says \"amount 118.40 failed\""), Some(1.0));
        assert_eq!(share("It says \"amount was refunded\""), Some(0.0));
        assert_eq!(share("None of them"), None);
        assert_eq!(check("4001", &task, &[]), None);
    }
}
