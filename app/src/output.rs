//! The answer on stdout: for people or as the contract's JSON object.

use std::fmt::Write as _;

use frlm_conductor::answer::Answer;
use frlm_protocol::printable;

/// Citations shown to people; the JSON object has them all.
const MOST_SHOWN: usize = 5;

/// One JSON object.
pub fn json(answer: &Answer) -> String {
    // Strings, numbers and lists of them: nothing in it can fail to serialise.
    serde_json::to_string(answer).unwrap_or_default()
}

/// For people. Text from documents and peers is stripped of control characters.
pub fn human(answer: &Answer) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = writeln!(text, "{}\n", printable(&answer.answer));
    for citation in answer.citations.iter().take(MOST_SHOWN) {
        let [first, last] = citation.lines;
        let lines = if first == last { format!("{first}") } else { format!("{first}–{last}") };
        let _ = writeln!(text, "  {}:{lines}  {}", printable(&citation.file), printable(&citation.quote));
    }
    if answer.citations.len() > MOST_SHOWN {
        let _ = writeln!(text, "  … and {} more", answer.citations.len() - MOST_SHOWN);
    }
    if !answer.citations.is_empty() {
        text.push('\n');
    }
    let subtasks = &answer.subtasks;
    let _ = writeln!(
        text,
        "{} of {} subtasks verified ({}, {} answers, {:.0}% agreement), coverage {:.0}%, confidence {:.2}",
        subtasks.verified,
        subtasks.total,
        answer.verification.policy,
        answer.verification.replicas,
        answer.verification.agreement * 100.0,
        answer.coverage * 100.0,
        answer.confidence
    );
    let verification = &answer.verification;
    if verification.spot_checks + verification.gold_tasks + verification.gold_failed > 0 {
        let _ = writeln!(
            text,
            "{} answers looked at again; {} parts whose answer code knew, {} wrong answers to them",
            verification.spot_checks, verification.gold_tasks, verification.gold_failed
        );
    }
    let budget = &answer.budget;
    let _ = writeln!(
        text,
        "{} of {} sats spent, {} available · {:.1} s · run {}",
        budget.spent_sats,
        budget.limit_sats,
        budget.available_sats,
        answer.duration_ms as f64 / 1e3,
        answer.run_id
    );
    text
}
