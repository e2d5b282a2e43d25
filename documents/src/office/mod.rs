//! Word, PowerPoint, Excel and OpenDocument → blocks.

use crate::event::Refusal;
use crate::output::Output;

pub(crate) fn docx(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "docx".to_owned(), remedy: "not yet".to_owned() })
}

pub(crate) fn pptx(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "pptx".to_owned(), remedy: "not yet".to_owned() })
}

pub(crate) fn xlsx(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "xlsx".to_owned(), remedy: "not yet".to_owned() })
}

pub(crate) fn xls(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "xls".to_owned(), remedy: "not yet".to_owned() })
}

pub(crate) fn odt(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "odt".to_owned(), remedy: "not yet".to_owned() })
}

pub(crate) fn odp(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "odp".to_owned(), remedy: "not yet".to_owned() })
}

pub(crate) fn ods(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "ods".to_owned(), remedy: "not yet".to_owned() })
}
