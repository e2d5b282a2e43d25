//! What became of claims, and of the provider that lied: by the run's decisions, its trace and the receipt.

use std::fmt::Write as _;

use frlm_questions::answer::{Answer, ClaimsReport};
use frlm_questions::stage::RunStage;

use crate::view::{AttemptView, RunView};
use frlm_protocol::printable;
use frlm_wallet::Money;

use crate::faulty_provider::is_by;
use crate::receipt::Receipt;

/// What became of all claims of a run.
pub fn claims_in_words(claims: &ClaimsReport) -> String {
    format!(
        "{} claims were made: code rejected {}, reviews {}, {} are undecided and not used, {} are accepted ({} of them without a \
         review); {} verdicts were given, and {} on gold, {} of them wrong",
        claims.stated,
        claims.fell_to_code,
        claims.rejected,
        claims.left_out,
        claims.used(),
        claims.not_reviewed,
        claims.reviews,
        claims.gold,
        claims.gold_wrong
    )
}

/// What became of the provider that lies: which of its claims were rejected, and what it was paid.
pub fn came_of_it(name: &str, key: &str, answer: &Answer, view: &RunView, receipt: &Receipt) -> String {
    let said = |about: String| {
        let verified = answer.decisions.iter().filter(|decision| decision.stage == RunStage::Verify);
        verified.filter_map(move |decision| decision.reasoning.strip_prefix(&about))
    };
    let rejected: Vec<&str> = said(format!("a claim of {key} is rejected ")).collect();
    let excluded = said(format!("{key} is not asked any more: ")).next();
    let mut text = format!("{name}, which lies: {} of its claims were rejected", rejected.len());
    // Writing into a String cannot fail.
    for claim in &rejected {
        let _ = write!(text, "\n  {}", printable(claim));
    }
    let readings: Vec<&AttemptView> = view
        .subtasks
        .iter()
        .filter(|subtask| subtask.fragment.is_some())
        .flat_map(|subtask| &subtask.attempts)
        .filter(|attempt| is_by(attempt, key, view) && attempt.ending.is_some())
        .collect();
    let unpaid = readings.iter().filter(|attempt| attempt.spent_sats + attempt.owed_sats == 0).count();
    let _ = write!(
        text,
        "\n  it read {} parts and was not paid for {unpaid} of them: a reading with no more accepted than rejected claims earns nothing",
        readings.len()
    );
    let unit = if receipt.play_money { Money::Play } else { Money::Real }.unit();
    match receipt.lines.iter().find(|line| line.provider == key) {
        Some(line) => {
            let _ = write!(
                text,
                "\n  {} of its {} jobs were accepted, reviews included: {} {unit} paid, {} refunded",
                line.accepted,
                line.jobs,
                line.paid_msats / 1_000,
                line.reclaimed_msats / 1_000
            );
        }
        None => text.push_str("\n  it was paid nothing, and nothing was locked for it"),
    }
    if let Some(why) = excluded {
        let _ = write!(text, "\n  it was not asked any more: {}", printable(why));
    }
    text
}
