//! How a command ends when it does not answer.

use std::fmt;

/// Exit codes of the command contract (design.md, section 3).
pub mod code {
    /// Something failed.
    pub const FAILED: u8 = 1;
    /// The command was used wrongly.
    pub const USAGE: u8 = 2;
    /// Nobody can be asked, or no relay reached.
    pub const NO_PROVIDERS: u8 = 4;
    /// The answer was not verified, or a person has to decide.
    #[cfg(any(feature = "desktop", test))]
    pub const UNVERIFIED: u8 = 5;
    /// The user stopped it.
    pub const INTERRUPTED: u8 = 130;
}

/// A message for the user and the exit code that goes with it. Commands return `anyhow::Result`; this
/// is the error to return where the exit code matters.
#[derive(Debug)]
pub struct Failure {
    /// Exit code.
    pub code: u8,
    /// What happened and what to do.
    pub message: String,
}

impl Failure {
    /// The user asked for something that makes no sense.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { code: code::USAGE, message: message.to_string() }
    }

    /// The same with an exit code of its own.
    pub fn with_code(code: u8, message: impl fmt::Display) -> Self {
        Self { code, message: message.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The message for the user and the exit code. Whatever is no [`Failure`] has failed, with its
/// whole chain in one line: «cannot open X: permission denied».
pub fn last_words(error: &anyhow::Error) -> (String, u8) {
    match error.downcast_ref::<Failure>() {
        Some(failure) => (failure.message.clone(), failure.code),
        None => (format!("{error:#}"), code::FAILED),
    }
}
