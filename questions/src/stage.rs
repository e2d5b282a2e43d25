//! The stages of a run, as decisions and notices name them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A stage of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStage {
    /// What is asked, and how hard it is.
    Analyse,
    /// How the question is taken apart.
    Plan,
    /// Who is there.
    Discover,
    /// Where subtasks go.
    Route,
    /// Who is asked.
    Dispatch,
    /// Answers come in, and are compared.
    Verify,
    /// No subtask is open any more.
    Collect,
    /// The answer is written.
    Synthesise,
    /// A program of the user's asks.
    Program,
    /// What the run taught.
    Learn,
    /// What the user ordered.
    Control,
    /// What the run's record cannot hold.
    Record,
}

impl RunStage {
    /// Its name in files: `analyse`, `collect`, …
    pub const fn name(self) -> &'static str {
        match self {
            Self::Analyse => "analyse",
            Self::Plan => "plan",
            Self::Discover => "discover",
            Self::Route => "route",
            Self::Dispatch => "dispatch",
            Self::Verify => "verify",
            Self::Collect => "collect",
            Self::Synthesise => "synthesise",
            Self::Program => "program",
            Self::Learn => "learn",
            Self::Control => "control",
            Self::Record => "record",
        }
    }
}

impl fmt::Display for RunStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
