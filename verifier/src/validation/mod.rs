//! Whether an accepted answer is right (seeds/verifier-block.md, "Answer Validator").
//!
//! Agreement says that nodes said the same; validation says whether it is so. Methods in the seed's
//! order of priority: programmatic (99 %), ground truth (99 %), a model's opinion (96 %),
//! cross-reference (95 %). The most reliable one that could tell decides.
//!
//! - [`calculation`]: a task's arithmetic, done again
//! - [`claims`]: calculations that an answer shows, done again
//! - [`cross_reference`]: an answer's values, looked for in the documents at hand
//! - [`ground_truth`]: known answers, with where they are from
//! - [`program`]: answers that are programs, and checks that are

pub mod calculation;
pub mod claims;
pub mod cross_reference;
pub mod ground_truth;
pub mod program;
#[cfg(test)]
mod tests;
mod verse;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::consensus::{Assessment, Consensus, Judge, JudgeError, OPINION_PASSES, Unread};
use crate::normalise::{Normalised, agreement};
use crate::request::{OriginalTask, TaskType, VerificationLevel, VerificationRequirements};
use ground_truth::KnownAnswers;
use program::CodeRunner;

/// How an answer was validated, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The calculation or the program was run again.
    ProgrammaticExecution,
    /// The true answer is known.
    GroundTruth,
    /// A model's opinion.
    LlmValidation,
    /// The values stand in the documents.
    CrossReference,
    /// Nothing could tell.
    None,
}

impl Method {
    /// The correctness from which an answer passes (seeds/verifier-block.md,
    /// `aggregate_validation_results`: .95 where code or known truth decides, .75 for a model).
    pub fn threshold(self) -> f64 {
        match self {
            Self::ProgrammaticExecution | Self::GroundTruth | Self::CrossReference => 0.95,
            Self::LlmValidation | Self::None => OPINION_PASSES,
        }
    }

    /// The methods for a kind of task, in the order in which they are tried (seeds/verifier-block.md,
    /// `strategies`). "Quality" and "syntax" are parts of a model's assessment and of running a
    /// program; values copied out of a text are looked up in that text first.
    pub fn strategies(task_type: TaskType) -> &'static [Self] {
        use Method::{CrossReference, GroundTruth, LlmValidation, ProgrammaticExecution};
        match task_type {
            TaskType::Calculation | TaskType::CodeGeneration => {
                &[ProgrammaticExecution, GroundTruth, LlmValidation]
            }
            TaskType::FactualQa => &[GroundTruth, CrossReference, LlmValidation],
            TaskType::Extraction => &[GroundTruth, CrossReference],
            TaskType::CreativeWriting => &[LlmValidation],
        }
    }
}

/// What one method found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which.
    pub method: Method,
    /// 0..=1; `None` if it could not tell.
    pub correctness: Option<f64>,
    /// What it compared, or why it could not tell.
    pub detail: String,
    /// A model's opinion in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assessment: Option<Assessment>,
}

/// Whether an accepted answer is right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidationOutcome {
    /// `None`: nothing could tell.
    pub verification_passed: Option<bool>,
    /// 0..=1, by the primary method.
    pub correctness: Option<f64>,
    /// The most reliable method that could tell.
    pub primary_method: Method,
    /// What every method that was tried found, in the order of trying.
    pub findings: Vec<Finding>,
}

impl ValidationOutcome {
    /// What a model did not read that was asked; `None` if it read everything, or nobody was asked.
    pub fn unread(&self) -> Option<Unread> {
        let opinions = self.findings.iter().filter_map(|finding| finding.assessment.as_ref());
        opinions.map(|opinion| opinion.unread).find(|unread| !unread.is_nothing())
    }
}

/// What validation may use. Everything may be missing.
#[derive(Clone, Copy, Default)]
pub struct Tools<'a> {
    /// Runs programs.
    pub code: Option<&'a dyn CodeRunner>,
    /// Known answers.
    pub known: Option<&'a dyn KnownAnswers>,
    /// A model.
    pub judge: Option<&'a dyn Judge>,
    /// The documents at hand.
    pub documents: &'a [&'a str],
}

impl std::fmt::Debug for Tools<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tools")
            .field("code", &self.code.is_some())
            .field("known", &self.known.is_some())
            .field("judge", &self.judge.is_some())
            .field("documents", &self.documents.len())
            .finish()
    }
}

/// Validates an accepted answer.
///
/// `standard` stops at the first method that can tell; `high` asks a model as well; `critical` tries
/// everything and passes only if something could tell and nothing objects. Where nothing could tell the outcome is
/// uncertain at every level, as the source document has it: what follows from that is the caller's.
pub async fn validate(
    consensus: &Consensus,
    task: &OriginalTask,
    requirements: &VerificationRequirements,
    tools: Tools<'_>,
) -> ValidationOutcome {
    validate_answer(&consensus.answer, task, requirements, tools).await
}

/// [`validate`] for one answer, before anybody else's is compared with it.
pub async fn validate_answer(
    answer: &str,
    task: &OriginalTask,
    requirements: &VerificationRequirements,
    tools: Tools<'_>,
) -> ValidationOutcome {
    let level = requirements.verification_level;
    let mut findings: Vec<Finding> = Vec::new();
    let strategies = Method::strategies(task.task_type);
    // An equation that does not hold is an error in an answer of any kind; the asker's own check overrules that.
    if task.check.is_none() {
        findings.extend(claims::check(answer, tools.documents));
        findings.extend(verse::check(answer, task));
    }
    // A check says more than any method that goes by the kind of task.
    let check = task.check.is_some() && !strategies.contains(&Method::ProgrammaticExecution);
    let first = check.then_some(Method::ProgrammaticExecution);
    for method in first.into_iter().chain(strategies.iter().copied()) {
        let told = findings.iter().any(|finding| finding.correctness.is_some());
        let wanted = match level {
            VerificationLevel::Standard => !told,
            VerificationLevel::High => !told || method == Method::LlmValidation,
            VerificationLevel::Critical => true,
        };
        let finding = match method {
            _ if !wanted => None,
            Method::ProgrammaticExecution => programmatic(answer, task, tools),
            Method::GroundTruth if requirements.use_ground_truth => known_answer(answer, task, tools),
            Method::LlmValidation if requirements.use_llm_validation => {
                opinion(answer, task, level, tools).await
            }
            Method::CrossReference => cross_reference::check(answer, task, tools.documents),
            Method::GroundTruth | Method::LlmValidation | Method::None => None,
        };
        findings.extend(finding);
    }
    aggregate(findings, level)
}

/// The verdict of the most reliable method that could tell (`aggregate_validation_results`).
pub fn aggregate(findings: Vec<Finding>, level: VerificationLevel) -> ValidationOutcome {
    let told = |finding: &&Finding| finding.correctness.is_some();
    let primary = findings.iter().filter(told).min_by_key(|finding| finding.method);
    let (method, correctness) =
        primary.map_or((Method::None, None), |finding| (finding.method, finding.correctness));
    let passes = |finding: &Finding| {
        finding.correctness.is_none_or(|correctness| correctness >= finding.method.threshold())
    };
    let verification_passed = correctness.map(|correctness| match level {
        VerificationLevel::Critical => findings.iter().all(passes),
        VerificationLevel::Standard | VerificationLevel::High => correctness >= method.threshold(),
    });
    ValidationOutcome { verification_passed, correctness, primary_method: method, findings }
}

fn programmatic(answer: &str, task: &OriginalTask, tools: Tools<'_>) -> Option<Finding> {
    if let Some(check) = &task.check {
        return Some(program::by_check(answer, check, task, tools.code?));
    }
    match task.task_type {
        TaskType::Calculation => Some(calculation::check(answer, task)),
        TaskType::CodeGeneration => program::by_output(answer, task, tools.code?),
        TaskType::FactualQa | TaskType::Extraction | TaskType::CreativeWriting => None,
    }
}

fn known_answer(answer: &str, task: &OriginalTask, tools: Tools<'_>) -> Option<Finding> {
    let truth = match &task.ground_truth {
        Some(truth) => truth.clone(),
        None => tools.known?.lookup(&task.query)?,
    };
    let of = |text: &str| Normalised::of(text, task.expected_format);
    let matches = agreement(&of(answer), &of(&truth), task.rounding()).agrees();
    Some(Finding {
        method: Method::GroundTruth,
        correctness: Some(score(matches)),
        detail: format!("known answer: {}", excerpt(&truth)),
        assessment: None,
    })
}

async fn opinion(
    answer: &str,
    task: &OriginalTask,
    level: VerificationLevel,
    tools: Tools<'_>,
) -> Option<Finding> {
    let judge = tools.judge?;
    let judged: Result<Assessment, JudgeError> = judge.assess(&beside(task, tools.documents), answer).await;
    let (correctness, detail, assessment) = match judged {
        Ok(assessment) => (assessment.told(level), assessment.in_words(), Some(assessment)),
        Err(error) => (None, error.to_string(), None),
    };
    Some(Finding { method: Method::LlmValidation, correctness, detail, assessment })
}

/// The task as a model is shown it: what an answer may rest on stands beside the question. It is no part of the
/// question: values that a question names are nothing that an answer would have to show.
fn beside<'a>(task: &'a OriginalTask, documents: &[&str]) -> Cow<'a, OriginalTask> {
    if documents.is_empty() || matches!(task.task_type, TaskType::Calculation | TaskType::CodeGeneration) {
        return Cow::Borrowed(task);
    }
    let query = format!("{} Text: {}", task.query, documents.join("\n"));
    Cow::Owned(OriginalTask { query, ..task.clone() })
}

fn score(correct: bool) -> f64 {
    if correct { 1.0 } else { 0.0 }
}

fn excerpt(text: &str) -> String {
    text.chars().take(120).collect()
}
