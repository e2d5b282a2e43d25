//! Word, PowerPoint, Excel and OpenDocument → blocks.
//!
//! - `package`, `compound`, `xml`: zips with their relationships, the old container, nodes of XML
//! - `flow`, `value`, `counting`, `margin`: blocks and tables on their way out, values of cells, numbers of lists, page numbers
//! - `word`, `sheet`: one module per family
//! - `chart`: the numbers that a chart shows

mod chart;
mod compound;
mod counting;
mod flow;
mod margin;
mod package;
mod sheet;
mod value;
mod word;
mod xml;

use crate::event::Refusal;
use crate::output::Output;

pub(crate) use self::sheet::{read_xls as xls, read_xlsx as xlsx};
pub(crate) use self::word::read as docx;

pub(crate) fn pptx(_bytes: &[u8], _out: &mut Output<'_>) -> Result<(), Refusal> {
    Err(Refusal::Unsupported { what: "pptx".to_owned(), remedy: "not yet".to_owned() })
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
