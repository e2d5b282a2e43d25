//! An answer as Markdown.

use std::fmt::Write as _;

use frlm_protocol::{one_line, printable};
use frlm_questions::answer::Answer;

use crate::units::{Unit, percent};

/// The answer with its sources, for people. Quotes are fenced, so that what a document says is
/// never taken for markup.
pub fn markdown(question: &str, answer: &Answer, unit: Unit) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = writeln!(text, "# {}\n\n{}\n", printable(question), printable(&answer.answer));
    let _ = writeln!(
        text,
        "Coverage {}, confidence {:.2}, {} of {} parts verified ({}), {} of {}.\n",
        percent(answer.coverage),
        answer.confidence,
        answer.subtasks.verified,
        answer.subtasks.total,
        printable(&answer.verification.policy),
        answer.budget.spent_sats,
        unit.amount(answer.budget.limit_sats)
    );
    let check = answer.verification.final_check.as_ref();
    let findings = check.map_or(&[][..], |check| check.findings.as_slice());
    let doubt = answer.doubt();
    let reservations: Vec<&str> = answer
        .caution()
        .into_iter()
        .chain(doubt.as_deref())
        .chain(findings.iter().map(String::as_str))
        .collect();
    if !reservations.is_empty() {
        text.push_str("## Reservations\n\n");
    }
    for reservation in &reservations {
        let _ = writeln!(text, "- {}", printable(reservation).replace('\n', " "));
    }
    if !answer.citations.is_empty() {
        let gap = if reservations.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}## Sources");
    }
    for (number, citation) in (1..).zip(&answer.citations) {
        let place = citation.place();
        let quote = printable(&citation.quote);
        let fence = "`".repeat(longest_run(&quote, '`').max(2) + 1);
        let _ = writeln!(
            text,
            "\n{number}. {}, {}\n\n{fence}text\n{quote}\n{fence}",
            one_line(&citation.file),
            one_line(&place)
        );
    }
    let _ = writeln!(text, "\nRun {}", printable(&answer.run_id));
    text
}

fn longest_run(text: &str, of: char) -> usize {
    let mut longest = 0;
    let mut here = 0;
    for character in text.chars() {
        here = if character == of { here + 1 } else { 0 };
        longest = longest.max(here);
    }
    longest
}

#[cfg(test)]
mod tests {
    use frlm_questions::answer::{Citation, Location};

    use super::*;
    use crate::output::tests::sample_answer;

    fn cited(quote: &str, findings: Vec<String>) -> Answer {
        let citation = Citation {
            fragment: "0".to_owned(),
            file: "orders.log".to_owned(),
            lines: [7, 7],
            location: Location::default(),
            quote: quote.to_owned(),
            claim: None,
        };
        Answer { citations: vec![citation], ..sample_answer(findings) }
    }

    #[test]
    fn what_is_wrong_with_an_answer_goes_with_it() {
        let told = |findings| markdown("How many?", &cited("failed", findings), Unit::Sats);
        assert!(!told(Vec::new()).contains("Reservations"));
        let text = told(vec!["the known answer is \"26\", and this is another one".to_owned()]);
        let wanted =
            "## Reservations\n\n- the known answer is \"26\", and this is another one\n\n## Sources\n";
        assert!(text.contains(wanted), "{text}");
    }

    #[test]
    fn quotes_cannot_leave_their_fence() {
        let text = markdown("How many?", &cited("```\n# not a heading", Vec::new()), Unit::Sats);
        assert!(text.contains("````text\n```\n# not a heading\n````"));
        assert!(text.starts_with("# How many?"));
    }
}
