//! What tier 2 is asked: a task, the answers of several nodes, and how sure one must be.
//!
//! The fields are those of seeds/verifier-block.md, «Validation Request». A *node* is one provider.

use serde::{Deserialize, Serialize};

use crate::normalise::{ExpectedFormat, Rounding, allows_rounding};

/// What kind of work a task is; strategies, fidelity and priors are kept per kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskType {
    /// Arithmetic that code can repeat.
    Calculation,
    /// A program, or what one prints.
    CodeGeneration,
    /// A fact of the world or of the documents.
    FactualQa,
    /// Values copied out of a text.
    Extraction,
    /// Text that has no one right form.
    CreativeWriting,
}

/// How sure one must be (seeds/verifier-block.md, `verification_level`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerificationLevel {
    /// The first method that can tell decides.
    #[default]
    Standard,
    /// A model looks as well, even where consensus and one method agree.
    High,
    /// Every method that applies must agree; what none can tell is not passed.
    Critical,
}

/// The task as it was put to the nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OriginalTask {
    /// The question.
    pub query: String,
    /// Its kind.
    pub task_type: TaskType,
    /// Its subject, in one or two words.
    pub domain: String,
    /// What form of answer is due.
    pub expected_format: ExpectedFormat,
    /// The true answer, where it is known.
    pub ground_truth: Option<String>,
    /// Whether a rounded value earns partial credit; `None` leaves it to the words of the question.
    pub rounding_allowed: Option<bool>,
    /// A program of the asker's that says `True` of right answers ([`crate::validation::program`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

impl OriginalTask {
    /// Whether a rounded value agrees.
    pub fn rounding(&self) -> Rounding {
        if self.rounding_allowed.unwrap_or_else(|| allows_rounding(&self.query)) {
            Rounding::Allowed
        } else {
            Rounding::Refused
        }
    }
}

/// One node's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeAnswer {
    /// Who answered; distinct within a request.
    pub node_id: String,
    /// What it answered.
    pub answer: String,
    /// Its own confidence, 0..=1.
    pub confidence: f64,
    /// How it says it came to the answer.
    pub reasoning: String,
    /// From asking to answering.
    pub latency_seconds: f64,
    /// Its weight in a vote, around 1.
    pub ensemble_weight: f64,
    /// What it calls itself («math_specialist»).
    pub node_type: String,
    /// Its fitness before this task, 0..=1.
    pub node_fitness: f64,
}

impl NodeAnswer {
    /// The weight in a vote; what is no positive number counts nothing.
    pub fn weight(&self) -> f64 {
        if self.ensemble_weight.is_finite() { self.ensemble_weight.max(0.0) } else { 0.0 }
    }

    /// The confidence within its bounds; what is no number is none at all.
    pub fn bounded_confidence(&self) -> f64 {
        if self.confidence.is_finite() { self.confidence.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// What must be reached, and by which means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VerificationRequirements {
    /// How sure one must be.
    pub verification_level: VerificationLevel,
    /// The share of exact matches, and of weight in a semantic group, that makes a consensus.
    pub consensus_threshold: f64,
    /// Whether known answers are looked up.
    pub use_ground_truth: bool,
    /// Whether a model may judge.
    pub use_llm_validation: bool,
}

impl Default for VerificationRequirements {
    /// The values of the seed's example request.
    fn default() -> Self {
        Self {
            verification_level: VerificationLevel::Standard,
            consensus_threshold: 0.60,
            use_ground_truth: true,
            use_llm_validation: true,
        }
    }
}

/// Everything that tier 2 is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidationRequest {
    /// Names the request.
    pub request_id: String,
    /// Names the task.
    pub task_id: String,
    /// The task.
    pub original_task: OriginalTask,
    /// The answers, from distinct nodes.
    pub node_answers: Vec<NodeAnswer>,
    /// What must be reached.
    pub requirements: VerificationRequirements,
}
