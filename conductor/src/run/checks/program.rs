//! Answers before a check of the asker's (policy `objective:CHECK.py`; seeds/verifier-block.md,
//! `programmatic_verification`).
//!
//! ```text
//!  result ─► checks of the text ─► the asker's check, in the sandbox ─┬ True ─► replica ─► judge
//!              (its attempt is still out for the scheduler)           └ else ─► the attempt failed
//! ```
//!
//! A check takes milliseconds to seconds, so it runs beside the loop. Only where the check itself could tell
//! is an answer accepted: what it could not tell, no other method of tier 2 may vouch for here.

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::Usage;
use frlm_questions::plan::{Outcome, Task};
use frlm_verifier::Replica;
use frlm_verifier::normalise::ExpectedFormat;
use frlm_verifier::request::{OriginalTask, TaskType, VerificationRequirements};
use frlm_verifier::validation::program::CodeRunner;
use frlm_verifier::validation::{Method, Tools, ValidationOutcome, validate_answer};
use futures::executor::block_on;
use tokio::sync::Semaphore;

use crate::swarm::Ticket;

/// An answer that passed the checks of its text.
#[derive(Debug)]
pub(in crate::run) struct Answered {
    pub ticket: Ticket,
    pub replica: Replica<Outcome>,
    /// As the provider sent it.
    pub texts: Vec<String>,
    /// The result event.
    pub reference: String,
    /// As the provider reports it.
    pub usage: Usage,
    pub latency: Duration,
}

/// Where programs run. Clones share its room.
#[derive(Clone)]
pub(super) struct Sandbox {
    pub runner: Option<Arc<dyn CodeRunner>>,
    /// One program per core: more would only take longer each, and their time is limited.
    pub room: Arc<Semaphore>,
}

impl Default for Sandbox {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { runner: None, room: Arc::new(Semaphore::new(cores)) }
    }
}

/// Runs the asker's check over an answer.
pub(super) async fn run_check(answer: String, task: OriginalTask, sandbox: Sandbox) -> Result<(), String> {
    let Some(runner) = sandbox.runner else {
        return Err("this program was built without a sandbox for checks".to_owned());
    };
    let permit = sandbox.room.acquire_owned().await;
    let ran = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let tools = Tools { code: Some(&*runner), ..Tools::default() };
        let requirements = VerificationRequirements::default();
        block_on(validate_answer(&answer, &task, &requirements, tools))
    });
    ran.await.map_err(|_| "the check was lost".to_owned()).and_then(|outcome| passed(&outcome))
}

/// An answer and its task as tier 2 sees them: the answer as the JSON that a schema would see. `None` for what
/// is no answer to the question.
pub(super) fn as_asked(
    outcome: &Outcome,
    task: &Task,
    question: &str,
    check: &str,
) -> Option<(String, OriginalTask)> {
    let (answer, task_type) = match outcome {
        Outcome::Compiled(_) | Outcome::Planned(_) | Outcome::Queried(_) | Outcome::Reviewed(_) => {
            return None;
        }
        Outcome::Mapped(answer) => {
            let copied = matches!(task, Task::Map { task, .. } if task.query.is_some());
            let task_type = if copied { TaskType::Extraction } else { TaskType::FactualQa };
            (serde_json::to_string(answer).ok()?, task_type)
        }
        Outcome::Combined(text) => {
            (serde_json::json!({"kind": "combined", "answer": text}).to_string(), TaskType::FactualQa)
        }
    };
    let task = OriginalTask {
        query: question.to_owned(),
        task_type,
        domain: "general".to_owned(),
        expected_format: ExpectedFormat::Explanation,
        ground_truth: None,
        rounding_allowed: None,
        check: Some(check.to_owned()),
    };
    Some((answer, task))
}

/// Whether the check itself passed it; if not, why not.
fn passed(outcome: &ValidationOutcome) -> Result<(), String> {
    let by_check = outcome.findings.iter().find(|found| found.method == Method::ProgrammaticExecution);
    let passed =
        outcome.primary_method == Method::ProgrammaticExecution && outcome.verification_passed == Some(true);
    if passed {
        return Ok(());
    }
    Err(by_check.map_or_else(|| "the check could not be run".to_owned(), |found| found.detail.clone()))
}

#[cfg(test)]
mod tests {
    use frlm_verifier::validation::Finding;

    use super::*;

    #[test]
    fn only_the_check_itself_can_pass_an_answer() {
        let found = |method, correctness| Finding {
            method,
            correctness,
            detail: "said so".to_owned(),
            assessment: None,
        };
        let outcome = |findings: Vec<Finding>, primary, passes| ValidationOutcome {
            verification_passed: passes,
            correctness: None,
            primary_method: primary,
            findings,
        };
        let (code, cross) = (Method::ProgrammaticExecution, Method::CrossReference);
        assert_eq!(passed(&outcome(vec![found(code, Some(1.0))], code, Some(true))), Ok(()));
        let refused = passed(&outcome(vec![found(code, Some(0.0))], code, Some(false)));
        assert_eq!(refused, Err("said so".to_owned()));
        let silent = outcome(vec![found(code, None), found(cross, Some(1.0))], cross, Some(true));
        assert_eq!(passed(&silent), Err("said so".to_owned()));
        assert!(passed(&outcome(Vec::new(), Method::None, None)).is_err());
    }
}
