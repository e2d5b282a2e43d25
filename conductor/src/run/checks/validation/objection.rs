//! Why an answer does not pass at its level, in words.

use frlm_verifier::request::VerificationLevel;
use frlm_verifier::validation::{Finding, Method, ValidationOutcome};

/// Why an answer does not pass.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::run::checks) struct Objection {
    pub why: String,
    /// Whether a method found it wrong. If nothing could tell, that is not its provider's doing.
    pub is_found_wrong: bool,
}

/// Why an answer does not pass at its level; `None` if it does, or if nothing could tell and that is enough: at every
/// level but `critical`.
pub(in crate::run::checks) fn objection(
    found: &ValidationOutcome,
    level: VerificationLevel,
) -> Option<Objection> {
    match found.verification_passed {
        Some(true) => return None,
        None if level != VerificationLevel::Critical => return None,
        Some(false) | None => {}
    }
    let fails = |finding: &&Finding| {
        finding.correctness.is_some_and(|correctness| correctness < finding.method.threshold())
    };
    let wrong = found.findings.iter().find(fails);
    let why = wrong.map_or_else(
        || match found.unread() {
            None => "nothing could tell whether it is right; your own model could (--model)".to_owned(),
            Some(unread) => format!(
                "your model judged it on a part, {unread}, and nothing else could tell whether it is right; a model \
                 that reads more at a time could (--model)"
            ),
        },
        |finding| {
            format!(
                "{:.2} by {}: {}",
                finding.correctness.unwrap_or(0.0),
                name(finding.method),
                finding.detail
            )
        },
    );
    let why = format!("it does not pass at the level {level}: {why}");
    Some(Objection { why, is_found_wrong: wrong.is_some() })
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
    use frlm_verifier::consensus::{Assessment, Unread};
    use frlm_verifier::validation::aggregate;

    use super::*;

    #[test]
    fn where_only_a_part_was_read_the_objection_says_so_and_what_would_help() {
        let assessment = Assessment {
            correctness: 1.0,
            completeness: 1.0,
            clarity: 1.0,
            format: 1.0,
            overall: 1.0,
            reasoning: "it adds up".to_owned(),
            unread: Unread { task_chars: 0, answer_chars: 700 },
        };
        let level = VerificationLevel::Critical;
        let finding = Finding {
            method: Method::LlmValidation,
            correctness: assessment.told(level),
            detail: assessment.in_words(),
            assessment: Some(assessment),
        };
        let Objection { why, is_found_wrong } = objection(&aggregate(vec![finding], level), level).unwrap();
        assert!(!is_found_wrong);
        assert!(why.contains("on a part, without the last 700 characters of the answer"), "{why}");
        assert!(why.contains("reads more at a time could (--model)"), "{why}");
    }

    #[test]
    fn an_undecidable_answer_passes_the_high_level_and_not_the_critical_one() {
        let silent = |level| objection(&aggregate(Vec::new(), level), level);
        assert_eq!(silent(VerificationLevel::High), None);
        let critical = silent(VerificationLevel::Critical).unwrap();
        assert!(critical.why.contains("--model") && !critical.is_found_wrong);
    }

    #[test]
    fn what_a_method_finds_wrong_is_its_providers_doing() {
        let level = VerificationLevel::Critical;
        let finding = Finding {
            method: Method::CrossReference,
            correctness: Some(0.5),
            detail: "42 stands in no line".to_owned(),
            assessment: None,
        };
        let found = objection(&aggregate(vec![finding], level), level).unwrap();
        assert!(found.is_found_wrong && found.why.contains("0.50 by the text"), "{found:?}");
    }
}
