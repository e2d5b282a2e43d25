//! Messages and mailboxes → blocks; attachments are files inside.

use crate::event::Refusal;
use crate::output::Output;

pub(crate) fn eml(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "eml".to_owned(), remedy: "not yet".to_owned() })
}

pub(crate) fn mbox(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "mbox".to_owned(), remedy: "not yet".to_owned() })
}
