//! Archives: files inside, with bounds on how many and how large.

use crate::event::Refusal;
use crate::output::Output;

pub(crate) fn zip(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "zip".to_owned(), remedy: "not yet".to_owned() })
}

pub(crate) fn tar(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "tar".to_owned(), remedy: "not yet".to_owned() })
}

pub(crate) fn gzip(_name: &str, _bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "gzip".to_owned(), remedy: "not yet".to_owned() })
}
