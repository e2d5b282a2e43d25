//! How a file is read, and how much of it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a file is read.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// What opens it, if it is encrypted.
    pub password: Option<String>,
    /// How much of it is read.
    pub limits: Limits,
}

/// Without the password.
impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let password = self.password.as_ref().map(|_| "…");
        formatter.debug_struct("Options").field("password", &password).field("limits", &self.limits).finish()
    }
}

/// How much is read. What is more is refused in words; the limits of memory and time are the worker's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of text, over all documents in a file.
    pub text_bytes: u64,
    /// Bytes of one unpacked member (an entry of a zip, a stream), however small it lies in the file.
    pub member_bytes: u64,
    /// Bytes of all unpacked members together.
    pub unpacked_bytes: u64,
    /// Files inside of a file.
    pub files: u32,
    /// Files inside of files inside of files.
    pub depth: u32,
    /// Pages, slides, sheets, chapters or messages of a document.
    pub pages: u32,
    /// Elements within elements.
    pub nesting: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 256 << 20,
            member_bytes: 128 << 20,
            unpacked_bytes: 512 << 20,
            files: 10_000,
            depth: 4,
            pages: 100_000,
            nesting: 256,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_printed() {
        let options = Options { password: Some("hunter2".to_owned()), ..Options::default() };
        assert!(!format!("{options:?}").contains("hunter2"));
    }
}
