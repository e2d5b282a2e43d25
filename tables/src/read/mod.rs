//! Text → records: which format a file is in, and one module per format.

pub(crate) mod access;
mod aligned;
pub(crate) mod blocks;
pub(crate) mod delimited;
mod dialect;
mod header;
mod journal;
mod json;
mod key_values;
mod line_counter;
mod lines;
mod log;
mod markdown;
mod syslog;
mod templates;

use serde::{Deserialize, Serialize};

use crate::error::LoadError;
use crate::raw::RawTable;

/// The formats that become tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Rows with cells between commas, semicolons, tabs or bars.
    Delimited,
    /// One JSON document with a list of objects in it.
    Json,
    /// One JSON object per line.
    JsonLines,
    /// `key=value` in every line.
    KeyValues,
    /// Common and combined log format of web servers.
    AccessLog,
    /// RFC 3164 or RFC 5424.
    Syslog,
    /// The export format of systemd's journal.
    Journal,
    /// Lines that begin with a time, or with a level.
    Log,
    /// Tables in a Markdown text.
    Markdown,
    /// Columns under each other, parted by blanks.
    Aligned,
    /// Rows that somebody else read.
    Rows,
    /// Lines without more structure.
    Lines,
}

/// The note on lines that are no record.
pub(crate) fn unreadable_note(count: u64) -> String {
    format!("{count} lines belong to no record")
}

/// Lines that are looked at to tell the format.
const SAMPLE_LINES: usize = 200;

/// Which format the text is in, by what it says and by what the file is called.
pub(crate) fn detect(name: &str, text: &str) -> Format {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let start = text.trim_start();
    match extension.as_str() {
        "csv" | "tsv" | "tab" | "psv" => return Format::Delimited,
        "jsonl" | "ndjson" => return Format::JsonLines,
        "md" | "markdown" if markdown::has_table(text) => return Format::Markdown,
        _ => {}
    }
    if start.starts_with('{') || start.starts_with('[') {
        let sample = sample(text);
        let objects = sample.iter().filter(|line| line.starts_with('{') && line.ends_with('}')).count();
        if objects >= 2 && objects * 10 >= sample.len() * 9 {
            return Format::JsonLines;
        }
        if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
            return Format::Json;
        }
        if objects * 2 > sample.len() {
            return Format::JsonLines;
        }
    }
    let sample = sample(text);
    if sample.is_empty() {
        return Format::Lines;
    }
    if journal::is_export(&sample) {
        return Format::Journal;
    }
    let most = |matching: usize| matching * 10 >= sample.len() * 8;
    if most(sample.iter().filter(|line| access::is_line(line)).count()) {
        return Format::AccessLog;
    }
    if most(sample.iter().filter(|line| syslog::is_line(line)).count()) {
        return Format::Syslog;
    }
    if most(sample.iter().filter(|line| key_values::is_line(line)).count()) {
        return Format::KeyValues;
    }
    if markdown::has_table(text) {
        return Format::Markdown;
    }
    let heads = sample.iter().filter(|line| log::is_line(line)).count();
    if heads >= 2 && (most(heads) || (log::is_line(sample[0]) && heads * 10 >= sample.len() * 2)) {
        return Format::Log;
    }
    if aligned::has_table(text) {
        return Format::Aligned;
    }
    if dialect::sniff(text).is_some() { Format::Delimited } else { Format::Lines }
}

/// Reads a text in a known format.
pub(crate) fn read(format: Format, text: &str) -> Result<RawTable, LoadError> {
    let table = match format {
        Format::Delimited => delimited::read(text),
        Format::Json => json::read(text)?,
        Format::JsonLines => json::read_lines(text),
        Format::KeyValues => key_values::read(text),
        Format::AccessLog => access::read(text),
        Format::Syslog => syslog::read(text),
        Format::Journal => journal::read(text),
        Format::Log => log::read(text),
        Format::Markdown => markdown::read(text),
        Format::Aligned => aligned::read(text),
        Format::Rows | Format::Lines => lines::read(text),
    };
    if table.len() == 0 {
        return Err(LoadError::NoRecords);
    }
    Ok(table)
}

fn sample(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).take(SAMPLE_LINES).collect()
}

/// The number of the line behind an index.
pub(crate) fn line_number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX - 1) + 1
}
