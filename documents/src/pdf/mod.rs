//! PDF → blocks: glyphs → words → lines → columns → paragraphs, headings, tables.

use crate::event::Refusal;
use crate::output::Output;

pub(crate) fn read(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "read".to_owned(), remedy: "not yet".to_owned() })
}
