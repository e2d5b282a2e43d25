//! A file that is too large for memory, as blocks of whole records.
//!
//! Each block ends before a record, so that reading block by block finds the same records as reading all at once. What stands
//! behind the last whole record of a block begins the next one.

use std::io::Read;

use super::delimited::{self, Plan};
use super::{Format, access, json, key_values, log, syslog};
use crate::error::LoadError;
use crate::raw::RawTable;

/// Bytes that are read at once.
const BLOCK_BYTES: usize = 8 << 20;

/// Longest record that is waited for. A quote that is never closed would swallow the file.
const MAX_RECORD_BYTES: usize = 64 << 20;

/// Whether files of a format can be read block by block: what a record is shows in its lines alone.
pub(crate) fn can_stream(format: Format) -> bool {
    matches!(
        format,
        Format::Delimited
            | Format::JsonLines
            | Format::KeyValues
            | Format::AccessLog
            | Format::Syslog
            | Format::Log
    )
}

/// A file's text, block by block.
pub(crate) struct Blocks<R> {
    reader: R,
    format: Format,
    plan: Option<Plan>,
    /// Whether bytes that are no UTF-8 are read as Latin-1: decided by the first that are not.
    is_latin: bool,
    /// What was read and belongs to no block yet.
    bytes: Vec<u8>,
    at_end: bool,
    is_first: bool,
    /// Lines before the next block.
    lines: u32,
    block_bytes: usize,
}

/// Records, and how many lines stand before the first line of their block.
pub(crate) struct Block {
    pub raw: RawTable,
    pub lines_before: u32,
}

impl<R: Read> Blocks<R> {
    pub fn new(reader: R, format: Format) -> Self {
        Self {
            reader,
            format,
            plan: None,
            is_latin: false,
            bytes: Vec::new(),
            at_end: false,
            is_first: true,
            lines: 0,
            block_bytes: BLOCK_BYTES,
        }
    }

    /// The next block. `None` behind the last.
    pub fn next(&mut self) -> Result<Option<Block>, LoadError> {
        let mut wanted = self.block_bytes;
        loop {
            self.fill(wanted)?;
            if self.bytes.is_empty() {
                return Ok(None);
            }
            // A record that is longer than may be waited for is taken as it is.
            let is_last = self.at_end || self.bytes.len() >= MAX_RECORD_BYTES;
            let end = if is_last { self.bytes.len() } else { line_end(&self.bytes) };
            if end == 0 {
                wanted *= 2;
                continue;
            }
            let text = self.decoded(end);
            let (raw, used) = if self.format == Format::Delimited {
                let plan = self.plan.get_or_insert_with(|| delimited::plan(&text));
                delimited::read_block(plan, &text, self.is_first, is_last)
            } else {
                let used = if is_last { text.len() } else { self.cut(&text) };
                (self.read(&text[..used]), used)
            };
            if used == 0 && !is_last {
                wanted *= 2;
                continue;
            }
            let lines_before = self.lines;
            self.lines = self.lines.saturating_add(breaks(&text.as_bytes()[..used]));
            self.forget(&text, end, used);
            self.is_first = false;
            return Ok(Some(Block { raw, lines_before }));
        }
    }

    fn fill(&mut self, wanted: usize) -> Result<(), LoadError> {
        let mut limited = (&mut self.reader).take(wanted.saturating_sub(self.bytes.len()) as u64);
        limited.read_to_end(&mut self.bytes)?;
        self.at_end = self.bytes.len() < wanted;
        if self.is_first && self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.bytes.drain(..3);
        }
        Ok(())
    }

    fn decoded(&mut self, end: usize) -> String {
        let bytes = &self.bytes[..end];
        if !self.is_latin {
            match std::str::from_utf8(bytes) {
                Ok(text) => return text.to_owned(),
                Err(_) => self.is_latin = true,
            }
        }
        // A block of plain UTF-8 stays what it is.
        std::str::from_utf8(bytes)
            .map_or_else(|_| bytes.iter().copied().map(crate::words::western).collect(), str::to_owned)
    }

    /// Drops what a block has used of the bytes read.
    fn forget(&mut self, text: &str, end: usize, used: usize) {
        // Latin-1 has one byte per letter.
        let bytes = if text.len() == end { used } else { text[..used].chars().count() };
        self.bytes.drain(..bytes);
    }

    /// Where the last record of a text begins: its lines may go on in the next block.
    fn cut(&self, text: &str) -> usize {
        let begins: fn(&str) -> bool = match self.format {
            Format::Log => log::is_line,
            Format::Syslog => syslog::is_line,
            _ => return text.len(),
        };
        let mut end = text.len();
        while let Some(start) = text[..end].trim_end_matches('\n').rfind('\n').map(|at| at + 1) {
            if begins(text[start..end].trim_end()) {
                return start;
            }
            end = start;
        }
        0
    }

    fn read(&self, text: &str) -> RawTable {
        match self.format {
            Format::JsonLines => json::read_lines(text),
            Format::AccessLog => access::read(text),
            Format::Syslog => syslog::read(text),
            Format::Log => log::read(text),
            _ => key_values::read(text),
        }
    }
}

/// Behind the last line break.
fn line_end(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

#[expect(clippy::naive_bytecount, reason = "a block that is read once")]
fn breaks(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// Lines and cells of each record, by the names of the columns.
    type Records = Vec<((u32, u32), Vec<(String, String)>)>;

    fn records(raw: &RawTable, before: u32) -> Records {
        raw.rows()
            .map(|row| {
                let (first, last) = row.lines();
                let cells = raw.given.iter().enumerate();
                let filled = cells.map(|(column, name)| (name.clone(), row.cell(column).to_owned()));
                ((first + before, last + before), filled.filter(|(_, cell)| !cell.is_empty()).collect())
            })
            .collect()
    }

    fn in_blocks(text: &[u8], format: Format, block_bytes: usize) -> Records {
        let mut blocks = Blocks { block_bytes, ..Blocks::new(text, format) };
        let mut found = Vec::new();
        while let Some(block) = blocks.next().unwrap() {
            found.extend(records(&block.raw, block.lines_before));
        }
        found
    }

    fn same_in_blocks(text: &str, format: Format) {
        let whole = records(&super::super::read(format, text).unwrap(), 0);
        for block_bytes in [400, 500, 777, 5_000] {
            let blocks = in_blocks(text.as_bytes(), format, block_bytes);
            assert_eq!(blocks, whole, "{format:?} in blocks of {block_bytes}");
        }
    }

    #[test]
    fn rows_with_line_breaks_and_blank_lines_are_the_same_in_blocks() {
        let mut text = "id,note,amount\n".to_owned();
        for number in 0..200 {
            let row = match number % 5 {
                0 => format!("{number},\"two\nlines, \"\"quoted\"\"\",1.5\n"),
                1 => format!("\n{number},plain,2.5\r\n"),
                2 => format!("{number},short\n"),
                3 => format!("Total,of all,{number}\n"),
                _ => format!("{number},Zoë,3.5\n"),
            };
            text.push_str(&row);
        }
        same_in_blocks(&text, Format::Delimited);
        same_in_blocks(&(text + "Total,of all,9"), Format::Delimited);
    }

    #[test]
    fn stack_traces_are_not_cut_between_blocks() {
        let mut text = String::new();
        for number in 0..100 {
            writeln!(text, "2026-03-04 10:11:12 ERROR com.shop.Pay - lost key={number}").unwrap();
            for line in 0..number % 4 {
                writeln!(text, "\tat com.shop.Pay.run(Pay.java:{line})").unwrap();
            }
        }
        same_in_blocks(&text, Format::Log);
    }

    #[test]
    fn fields_that_come_late_are_the_same_in_blocks() {
        let lines = (0..100).map(|number| match number {
            90.. => format!("a={number} Late=yes late=no\n"),
            _ => format!("a={number} b=x\n"),
        });
        same_in_blocks(&lines.collect::<String>(), Format::KeyValues);
        let json = (0..100).map(|number| format!("{{\"a\": {number}, \"b{}\": 1}}\n", number / 50));
        same_in_blocks(&json.collect::<String>(), Format::JsonLines);
    }

    #[test]
    fn latin_letters_in_a_late_block_are_read() {
        let mut text: Vec<u8> = b"name,city\n".to_vec();
        for _ in 0..100 {
            text.extend(b"Ann,Berlin\n");
        }
        text.extend(b"J\xfcrgen,K\xf6ln\n");
        let found = in_blocks(&text, Format::Delimited, 300);
        assert_eq!(found.len(), 101);
        assert_eq!(found[100].1[1].1, "Köln");
    }
}
