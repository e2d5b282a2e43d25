//! Sheets → blocks: a heading with the sheet's name, and tables.
//!
//! - `region`: rows → tables with headers
//! - `xlsx`: Excel, cell by cell
//! - `xls`: Excel 97, with what its `records` say of a cell's looks
//!
//! The sheets of OpenDocument are read beside its texts, and written by `region`, too.

mod records;
mod region;
mod xls;
mod xlsx;

pub(in crate::office) use self::region::{SheetRow, SheetWriter};
pub(crate) use self::xls::read as read_xls;
pub(crate) use self::xlsx::read as read_xlsx;

use crate::event::{Refusal, Warning};
use crate::format::Format;
use crate::output::Output;

/// Sheets that nobody sees are read; somebody put them there.
pub(in crate::office) fn warn_of_hidden(sheet: &str, out: &mut Output<'_>) {
    out.warn(Warning::Other(format!("the sheet \"{sheet}\" is hidden; it was read")));
}

/// What a workbook comes to: told in part is better than not at all, and nothing is told as what it is.
fn outcome(format: Format, told: bool, damage: Option<String>, out: &mut Output<'_>) -> Result<(), Refusal> {
    match damage {
        Some(what) if !told => Err(Refusal::damaged(format, what)),
        Some(what) => {
            out.warn(Warning::Other(format!("{what}; what can be read of it was read")));
            Ok(())
        }
        None if told => Ok(()),
        None => Err(Refusal::Empty),
    }
}
