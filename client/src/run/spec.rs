//! What is to be asked and how: what the flags of a command, the Ask screen, an HTTP body and a program all become.

use std::path::PathBuf;

use frlm_verifier::request::VerificationLevel;

use super::readings::ReadingChoice;
use crate::config::By;

/// The longest wait that can be asked for: a year. Deadlines are clock times, and those end somewhere.
pub const MOST_SECS: u64 = 365 * 24 * 60 * 60;

/// A question over documents. What is `None` or empty is as the settings say, and else as by default.
#[derive(Debug, Clone, Default)]
pub struct RunSpec {
    /// The question.
    pub question: String,
    /// Who answers what the rows of a table tell.
    pub by: Option<By>,
    /// The reading of code that a person chose.
    pub reading: Option<ReadingChoice>,
    /// Documents and folders.
    pub files: Vec<PathBuf>,
    /// The file that holds the password of encrypted documents.
    pub password_file: Option<PathBuf>,
    /// The most this may cost, in sats, fees included.
    pub budget: Option<u64>,
    /// Where providers listen: `ws://` or `wss://`.
    pub relays: Vec<String>,
    /// Public keys of the only providers that are asked.
    pub providers: Vec<String>,
    /// Public keys of foreign providers, which may want their pay before they work.
    pub foreign: Vec<String>,
    /// Where subtasks may go: `swarm`, `local`, or names of venues in the settings.
    pub venues: Vec<String>,
    /// The most that one job of a foreign provider may cost, in sats.
    pub bid: Option<u64>,
    /// When an answer is accepted: the name of a verification policy.
    pub verify: Option<String>,
    /// By how many methods an answer must be right.
    pub level: Option<VerificationLevel>,
    /// The preset that the rest builds on.
    pub preset: Option<String>,
    /// Share of the fragments that is enough when the rest cannot be verified, 0..=1.
    pub quorum: Option<f64>,
    /// Seconds until the run gives up.
    pub timeout: Option<u64>,
    /// Seconds that a provider has for a usual job.
    pub job_timeout: Option<u64>,
    /// Seconds to wait for providers.
    pub discovery: Option<u64>,
    /// Most lines per fragment.
    pub fragment_lines: Option<usize>,
    /// Whether only a model of the user's own is asked, and nothing goes to a relay.
    pub local: bool,
    /// That model.
    pub model: Option<String>,
    /// The language of an answer in words.
    pub language: Option<String>,
    /// How an answer in words is put.
    pub style: Option<String>,
    /// What the reader knows of the matter.
    pub expertise: Option<String>,
    /// What the reader cares about.
    pub interests: Vec<String>,
    /// `normal` or `high`.
    pub priority: Option<String>,
    /// The earlier run that the question follows.
    pub after: Option<String>,
    /// Whether everything is read again, whatever earlier runs verified.
    pub fresh: bool,
    /// Whether the user has agreed to what it may cost.
    pub yes: bool,
}

impl RunSpec {
    /// A question over documents that the user has agreed to pay for, everything else at its default.
    pub fn over(question: String, files: Vec<PathBuf>) -> Self {
        Self { question, files, yes: true, ..Self::default() }
    }

    /// What the demo asks.
    pub fn for_demo(question: String, files: Vec<PathBuf>, relay: String) -> Self {
        Self { relays: vec![relay], discovery: Some(30), ..Self::over(question, files) }
    }
}
