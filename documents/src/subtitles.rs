//! Subtitles → blocks: what is said, and when.

use crate::event::Refusal;
use crate::format::Format;
use crate::output::Output;

pub(crate) fn read(_format: Format, _bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "subtitles".to_owned(), remedy: "not yet".to_owned() })
}
