//! Whether a model of the user's, that reads the text itself, bears out an answer which nobody with a record gave
//! (design.md, section 6: "every agreeing set includes a provider with a record or a local audit";
//! docs/decisions/0043-a-newcomers-word-is-audited.md).

use std::time::Duration;

use frlm_verifier::request::VerificationLevel;
use frlm_verifier::validation::{Method, ValidationOutcome};

use super::super::Checks;
use super::super::judge::{Duty, Judging, Silence};
use super::super::program::Sandbox;
use super::objection::objection;
use super::{AnswerValidation, Case, case};
use crate::plan::{Outcome, Task};
use crate::scheduler::SubtaskId;

/// The methods that an audit takes: the model's opinion, and whatever is more reliable.
const LEVEL: VerificationLevel = VerificationLevel::High;

/// An answer that is to be audited, and who audits it.
pub(in crate::run::checks) struct Audit {
    case: Case,
    assessor: Judging,
    sandbox: Sandbox,
}

/// Why an answer is not borne out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::run::checks) enum NotBorneOut {
    /// The model did not answer when it was to be examined.
    Away(String),
    /// It may not judge, had no opinion, or does not think the answer right.
    Objection(String),
}

impl AnswerValidation {
    /// Whether an answer was found right already in the way an audit would.
    pub fn bear_out(&self, id: SubtaskId, outcome: &Outcome) -> bool {
        !self.found.is_empty() && self.found.get(&(id, outcome.agreement_key())).is_some_and(is_borne_out)
    }
}

impl Audit {
    /// What it takes to audit an answer; `None` where the user has no model that can.
    pub fn of(checks: &Checks, task: &Task, outcome: &Outcome, question: &str) -> Option<Self> {
        let (case, assessor) = (case(task, outcome, question, LEVEL)?, checks.judge.in_duty(Duty::Assess)?);
        Some(Self { case, assessor, sandbox: checks.sandbox.clone() })
    }

    /// Has the model look.
    pub async fn carry_out(self, timeout: Duration) -> Result<(), NotBorneOut> {
        let Self { case, assessor, sandbox } = self;
        let (found, word) = case.validate(Some(assessor), sandbox, timeout).await;
        match word {
            Some(Err(Silence::Away(why))) => return Err(NotBorneOut::Away(why)),
            Some(Err(Silence::Unfit(why))) => {
                return Err(NotBorneOut::Objection(format!("your model may not judge answers: {why}")));
            }
            Some(Ok(())) | None => {}
        }
        if is_borne_out(&found) {
            return Ok(());
        }
        let silent = || match found.unread() {
            Some(unread) => format!("your model could judge it only on a part, {unread}"),
            None => "your model has no opinion of it".to_owned(),
        };
        let objection = objection(&found, LEVEL).map_or_else(silent, |objection| objection.why);
        Err(NotBorneOut::Objection(objection))
    }
}

/// Whether a model thinks an answer right, or something does that is more reliable: that its values stand in the text
/// says no more of it than that it was read.
fn is_borne_out(found: &ValidationOutcome) -> bool {
    found.verification_passed == Some(true) && found.primary_method <= Method::LlmValidation
}

#[cfg(test)]
mod tests {
    use frlm_verifier::validation::{Finding, aggregate};

    use super::*;

    #[test]
    fn values_found_in_the_text_are_no_audit_and_a_models_opinion_is_one() {
        let found = |method, correctness| Finding {
            method,
            correctness: Some(correctness),
            detail: "so it seems".to_owned(),
            assessment: None,
        };
        let borne_out = |findings| is_borne_out(&aggregate(findings, LEVEL));
        assert!(!borne_out(Vec::new()));
        assert!(!borne_out(vec![found(Method::CrossReference, 1.0)]));
        assert!(borne_out(vec![found(Method::CrossReference, 1.0), found(Method::LlmValidation, 0.75)]));
        assert!(!borne_out(vec![found(Method::CrossReference, 1.0), found(Method::LlmValidation, 0.74)]));
        assert!(borne_out(vec![found(Method::ProgrammaticExecution, 1.0)]));
    }
}
