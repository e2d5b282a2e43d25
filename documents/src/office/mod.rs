//! Word, PowerPoint, Excel and OpenDocument → blocks.
//!
//! - `package`, `compound`, `xml`: zips with their relationships, the old container, nodes of XML
//! - `flow`, `value`, `counting`, `margin`: blocks and tables on their way out, values of cells, numbers of lists, page numbers
//! - `word`, `slides`, `sheet`, `opendocument`: one module per family
//! - `chart`: the numbers that a chart shows

mod chart;
mod compound;
mod counting;
mod flow;
#[cfg(test)]
mod lists;
mod margin;
mod opendocument;
mod package;
mod sheet;
mod slides;
mod value;
mod word;
mod xml;

pub(crate) use self::opendocument::{read_odp as odp, read_ods as ods, read_odt as odt};
pub(crate) use self::sheet::{read_xls as xls, read_xlsx as xlsx};
pub(crate) use self::slides::read as pptx;
pub(crate) use self::word::read as docx;
