//! How a command ends when it does not answer.

use std::fmt;

use frlm_conductor::store::StoreError;
use frlm_protocol::printable;
use frlm_wallet::seed::vault::VaultError;

/// Exit codes of the command contract (design.md, section 3).
pub mod code {
    /// Something failed.
    pub const FAILED: u8 = 1;
    /// The command was used wrongly.
    pub const USAGE: u8 = 2;
    /// Nobody can be asked, or no relay reached.
    pub const NO_PROVIDERS: u8 = 4;
    /// The answer was not verified, or a person has to decide.
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

/// Which run is meant is the user's to say; a record that cannot be read is nobody's mistake.
impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSuchRun(_) | StoreError::Ambiguous { .. } => Self::usage(error),
            StoreError::Open { .. } | StoreError::Write { .. } | StoreError::Read { .. } => {
                Self::with_code(code::FAILED, error)
            }
        }
    }
}

/// A wallet that is not there, or there already, and a passphrase that is not the right one are the user's to mend; a
/// damaged file and a full disk are nobody's mistake.
impl From<VaultError> for Failure {
    fn from(error: VaultError) -> Self {
        match error {
            VaultError::Missing(_)
            | VaultError::Exists(_)
            | VaultError::WrongPassphrase(_)
            | VaultError::PassphraseNeeded(_) => Self::usage(error),
            VaultError::Damaged { .. } | VaultError::Io { .. } => Self::with_code(code::FAILED, error),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The message for the user and the exit code. Whatever is no [`Failure`] has failed, with its
/// chain in one line: "cannot open X: permission denied".
pub fn render_error(error: &anyhow::Error) -> (String, u8) {
    match error.downcast_ref::<Failure>() {
        Some(failure) => (failure.message.clone(), failure.code),
        None => (in_one_line(error), code::FAILED),
    }
}

/// The same for programs: what a command prints that was asked for JSON and has no answer.
pub fn as_json(error: &anyhow::Error) -> serde_json::Value {
    let (message, code) = render_error(error);
    serde_json::json!({ "error": printable(&message), "exit_code": code })
}

/// Who says what lies below in words of its own has said it: neither that nor what is below it follows once more.
fn in_one_line(error: &anyhow::Error) -> String {
    let mut words = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if words.is_empty() {
            words = cause;
        } else if words.contains(&cause) {
            break;
        } else {
            words.push_str(": ");
            words.push_str(&cause);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn what_an_error_says_of_its_cause_is_not_said_twice() {
        let root = || anyhow::anyhow!("Error code 14");
        let opened = root().context("unable to open database file: a.db");
        let told = opened.context("a.db: unable to open database file: a.db; check the disk");
        let message = "a.db: unable to open database file: a.db; check the disk";
        assert_eq!(render_error(&told), (message.to_owned(), code::FAILED));
        let untold = root().context("cannot open a.db");
        assert_eq!(render_error(&untold), ("cannot open a.db: Error code 14".to_owned(), code::FAILED));
    }

    #[test]
    fn a_wrong_name_is_a_mistake_and_a_file_that_cannot_be_read_is_none() {
        let path = PathBuf::from("home");
        let reason = || "disk full".to_owned();
        for (failure, code) in [
            (Failure::from(StoreError::NoSuchRun("12".to_owned())), code::USAGE),
            (StoreError::Ambiguous { prefix: "1".to_owned(), count: 2 }.into(), code::USAGE),
            (StoreError::Open { path: path.clone(), reason: reason() }.into(), code::FAILED),
            (StoreError::Read { path: path.clone(), reason: reason() }.into(), code::FAILED),
            (VaultError::Missing(path.clone()).into(), code::USAGE),
            (VaultError::WrongPassphrase(path.clone()).into(), code::USAGE),
            (VaultError::Damaged { path: path.clone(), what: reason() }.into(), code::FAILED),
            (VaultError::Io { path, source: std::io::Error::other("disk full") }.into(), code::FAILED),
        ] {
            assert_eq!(failure.code, code, "{failure}");
        }
    }
}
