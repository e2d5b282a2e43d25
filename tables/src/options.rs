//! What a user may say about a file before it is read.

use crate::read::Format;
use crate::value::moment::DateOrder;
use crate::value::number::Separator;

/// What a user may say about a file before it is read.
#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// What stands before the decimals, if the user said so.
    pub separator: Option<Separator>,
    /// What comes first in a date, if the user said so.
    pub date_order: Option<DateOrder>,
    /// The format, if it is known.
    pub format: Option<Format>,
    /// Most bytes that are read.
    pub limit_bytes: usize,
    /// Most bytes of a file that is read into memory as a whole where it could be read block by block. A table in memory takes up
    /// to 13 times as much.
    pub memory_bytes: u64,
    /// Most bytes of a file that has to be in memory as a whole, whatever its size: a JSON document, the journal's export.
    pub whole_bytes: usize,
    /// Most bytes that the table of a file read block by block may take on the disk.
    pub disk_bytes: u64,
    /// Most steps of SQLite's machine that a query may take.
    pub query_steps: u64,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            separator: None,
            date_order: None,
            format: None,
            limit_bytes: 2 << 30,
            memory_bytes: 16 << 20,
            whole_bytes: 2 << 30,
            disk_bytes: 6 << 30,
            query_steps: 4_000_000_000,
        }
    }
}
