//! Why an answer does not pass at its level, in words.

use frlm_verifier::request::VerificationLevel;
use frlm_verifier::validation::{Finding, Method, ValidationOutcome};

/// Why an answer does not pass at its level; `None` if it does, or if nothing could tell and that is enough.
pub(super) fn objection(found: &ValidationOutcome, level: VerificationLevel) -> Option<String> {
    if found.verification_passed != Some(false) {
        return None;
    }
    let fails = |finding: &&Finding| {
        finding.correctness.is_some_and(|correctness| correctness < finding.method.threshold())
    };
    let why = found.findings.iter().find(fails).map_or_else(
        || "nothing could tell whether it is right; a model of yours could (--model)".to_owned(),
        |finding| {
            format!(
                "{:.2} by {}: {}",
                finding.correctness.unwrap_or(0.0),
                name(finding.method),
                finding.detail
            )
        },
    );
    Some(format!("it does not pass at the level {level}: {why}"))
}

/// The method in words.
fn name(method: Method) -> &'static str {
    match method {
        Method::ProgrammaticExecution => "code",
        Method::GroundTruth => "what is known",
        Method::LlmValidation => "your model",
        Method::CrossReference => "the text",
        Method::None => "nothing",
    }
}

#[cfg(test)]
mod tests {
    use frlm_verifier::validation::aggregate;

    use super::*;

    #[test]
    fn what_nothing_can_tell_passes_at_the_high_level_and_not_at_the_critical_one() {
        let silent = |level| objection(&aggregate(Vec::new(), level), level);
        assert_eq!(silent(VerificationLevel::High), None);
        assert!(silent(VerificationLevel::Critical).is_some_and(|why| why.contains("--model")));
    }
}
