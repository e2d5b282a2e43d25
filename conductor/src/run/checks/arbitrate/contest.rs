//! What is put before an arbiter: answers in words that contradict each other.

use std::collections::HashSet;

use frlm_verifier::Replica;
use frlm_verifier::consensus::{Contender, MOST_CONTENDERS};

use crate::dialect::MapAnswer;
use crate::plan::Outcome;

/// The answers of a subtask as an arbiter is shown them: what each says and what it quotes, nothing of who said it.
/// `None` where it could not tell: fewer than two answers, too many, or one that is not in words or says that the text
/// holds none.
pub(super) fn contest(replicas: &[Replica<Outcome>]) -> Option<Vec<Contender>> {
    let contender = |replica: &Replica<Outcome>| {
        let (answer, rests_on) = match &replica.answer {
            Outcome::Mapped(MapAnswer::Words { answer, quotes }) => {
                let quotes: Vec<&str> = quotes.iter().map(|found| found.quote.as_str()).collect();
                (answer, quotes.join(" / "))
            }
            Outcome::Combined(answer) => (answer, String::new()),
            Outcome::Mapped(MapAnswer::Records { .. } | MapAnswer::Claims { .. })
            | Outcome::Compiled(_)
            | Outcome::Planned(_)
            | Outcome::Queried(_)
            | Outcome::Reviewed(_) => return None,
        };
        let answer = Some(answer.trim()).filter(|answer| !answer.is_empty())?.to_owned();
        Some(Contender { key: replica.key.clone(), answer, rests_on })
    };
    let contenders: Vec<Contender> = replicas.iter().map(contender).collect::<Option<_>>()?;
    (2..=MOST_CONTENDERS).contains(&different(&contenders)).then_some(contenders)
}

/// How many of them an arbiter is shown: those who say the same are one.
pub(super) fn different(contenders: &[Contender]) -> usize {
    contenders.iter().map(|contender| contender.key.as_str()).collect::<HashSet<&str>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::RecordMatch;

    fn said(provider: &str, answer: &str, quote: &str) -> Replica<Outcome> {
        let found = RecordMatch { line: 1, quote: quote.to_owned(), value: None, reported: None };
        let outcome = Outcome::Mapped(MapAnswer::Words { answer: answer.to_owned(), quotes: vec![found] });
        Replica {
            provider: provider.to_owned(),
            key: outcome.agreement_key(),
            trusted: false,
            confidence: Some(0.99),
            attested: None,
            answer: outcome,
        }
    }

    #[test]
    fn an_arbiter_is_shown_answers_and_quotes_and_nothing_of_who_gave_them() {
        let replicas = [said("a", "A flood.", "the river rose"), said("b", "A fire.", "the mill burnt")];
        let contenders = contest(&replicas).unwrap();
        assert_eq!(
            (contenders[0].answer.as_str(), contenders[0].rests_on.as_str()),
            ("A flood.", "the river rose")
        );
        assert!(!format!("{contenders:?}").contains("0.99"));
        let again = said("c", "a flood", "it rose");
        let contenders = contest(&[replicas.as_slice(), &[again]].concat()).unwrap();
        assert_eq!((contenders.len(), different(&contenders)), (3, 2));
    }

    #[test]
    fn silence_records_and_agreement_are_no_contest() {
        let flood = said("a", "A flood.", "the river rose");
        assert!(contest(&[flood.clone(), said("b", " ", "the river rose")]).is_none());
        assert!(contest(&[flood.clone(), said("b", "a flood", "it rose")]).is_none(), "they say the same");
        let records = Outcome::Mapped(MapAnswer::Records { matches: Vec::new() });
        let records = Replica { key: records.agreement_key(), answer: records, ..said("b", "x", "x") };
        assert!(contest(&[flood, records]).is_none());
    }
}
