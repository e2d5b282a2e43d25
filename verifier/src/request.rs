//! What tier 2 is asked: a task, the answers of several nodes, and how sure one must be.
//!
//! The fields are those of seeds/verifier-block.md, "Validation Request". A *node* is one provider.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::arithmetic::expression;
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

impl TaskType {
    /// What kind of work a question in words asks for, by its own words: a calculation, a program, a text without one
    /// right form, or else a fact.
    pub fn of_question(question: &str) -> Self {
        const WRITING: [&str; 6] = ["write", "draft", "compose", "invent", "rhyme", "imagine"];
        const PROGRAMS: [&str; 7] = ["program", "script", "function", "code", "python", "regex", "macro"];
        const FREE: [&str; 12] = [
            "haiku", "poem", "verse", "limerick", "song", "story", "tale", "slogan", "joke", "toast",
            "motto", "title",
        ];
        if expression(question).is_some() {
            return Self::Calculation;
        }
        let lower = question.to_lowercase();
        let mut words = frlm_util::text::words(&lower);
        if !words.clone().take(4).any(|word| WRITING.contains(&word)) {
            return Self::FactualQa;
        }
        if words.clone().any(|word| PROGRAMS.contains(&word)) {
            Self::CodeGeneration
        } else if words.any(|word| FREE.contains(&word)) {
            Self::CreativeWriting
        } else {
            Self::FactualQa
        }
    }
}

/// How sure one must be (seeds/verifier-block.md, `verification_level`), the least sure first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
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

impl VerificationLevel {
    /// Every level, the least sure first.
    pub const ALL: [Self; 3] = [Self::Standard, Self::High, Self::Critical];

    /// Its name, as the source document and settings write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for VerificationLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no such level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown verification level \"{0}\"; use standard, high or critical")]
pub struct UnknownLevel(String);

impl FromStr for VerificationLevel {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let named = Self::ALL.into_iter().find(|level| level.name() == text);
        named.ok_or_else(|| UnknownLevel(text.to_owned()))
    }
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
    /// What it calls itself ("math_specialist").
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

#[cfg(test)]
mod tests {
    use super::*;

    /// seeds/verifier-block.md, `verification_level`: "standard" | "high" | "critical".
    #[test]
    fn levels_are_named_as_in_the_document() {
        for level in VerificationLevel::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(serde_json::to_value(level).unwrap(), level.name());
        }
        let error = "paranoid".parse::<VerificationLevel>().unwrap_err().to_string();
        assert!(error.contains("paranoid") && error.contains("standard, high or critical"), "{error}");
    }

    /// seeds/verifier-block.md, `strategies` and `expected_format`: the names of the kinds of tasks and of the forms of answers.
    /// The source document has its programs under `code_execution`, too, where they are run; that is one kind here.
    #[test]
    fn kinds_of_tasks_and_forms_of_answers_have_the_documents_names() {
        for (kind, name) in [
            (TaskType::Calculation, "calculation"),
            (TaskType::CreativeWriting, "creative_writing"),
            (TaskType::FactualQa, "factual_qa"),
            (TaskType::CodeGeneration, "code_generation"),
        ] {
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
        }
        for (format, name) in [
            (ExpectedFormat::NumericalAnswer, "numerical_answer"),
            (ExpectedFormat::Explanation, "explanation"),
            (ExpectedFormat::Code, "code"),
            (ExpectedFormat::Creative, "creative"),
        ] {
            assert_eq!(serde_json::to_value(format).unwrap(), name);
        }
    }

    /// seeds/verifier-block.md, "Validation Request": a threshold of .60, known answers and a model, at the standard level. Its
    /// 5 seconds are the caller's: this crate has no clock.
    #[test]
    fn what_is_required_is_what_the_documents_example_requires() {
        let VerificationRequirements {
            verification_level,
            consensus_threshold,
            use_ground_truth,
            use_llm_validation,
        } = VerificationRequirements::default();
        assert_eq!(verification_level, VerificationLevel::Standard);
        assert!((consensus_threshold - 0.60).abs() < f64::EPSILON && use_ground_truth && use_llm_validation);
    }

    /// seeds/verifier-block.md, "Scenario 1", "Scenario 2", "Scenario 3" and `strategies`.
    #[test]
    fn a_question_says_what_kind_of_work_it_asks_for() {
        let of = TaskType::of_question;
        let interest = "Calculate the compound interest on $10,000 at 5% annually for 10 years";
        assert_eq!(of(interest), TaskType::Calculation);
        assert_eq!(of("Write a haiku about artificial intelligence"), TaskType::CreativeWriting);
        assert_eq!(of("When was the Eiffel Tower completed?"), TaskType::FactualQa);
        assert_eq!(of("Please write a Python script that counts them"), TaskType::CodeGeneration);
        assert_eq!(of("Write a summary of the minutes"), TaskType::FactualQa);
        assert_eq!(of("Which poem did the code name write?"), TaskType::FactualQa);
        assert_eq!(of(""), TaskType::FactualQa);
    }
}
