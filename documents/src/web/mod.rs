//! HTML, and the books that are made of it, → blocks.

use crate::event::Refusal;
use crate::output::Output;

pub(crate) fn html(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "html".to_owned(), remedy: "not yet".to_owned() })
}

pub(crate) fn epub(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "epub".to_owned(), remedy: "not yet".to_owned() })
}
