//! The lines of a file: in memory, or read again from a file that is too large for it.

use std::borrow::Cow;
use std::io::{BufRead as _, BufReader};
use std::sync::Arc;

use crate::source::Source;

/// Longest line that is kept of a file.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// Where the lines of a table's file are.
#[derive(Clone)]
pub(crate) enum Lines {
    Text(String),
    Source(Arc<dyn Source>),
}

impl Lines {
    /// A line, counted from 1.
    pub fn get(&self, number: u32) -> Option<String> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        match self {
            Self::Text(text) => text.lines().nth(index).map(str::to_owned),
            Self::Source(_) => {
                let mut found = None;
                let mut count = 0;
                self.each(|line| {
                    count += 1;
                    if count > index {
                        found = Some(line.to_owned());
                    }
                    count <= index
                })
                .ok()?;
                found
            }
        }
    }

    /// Gives every line in order, until the receiver wants no more.
    pub fn each(&self, mut take: impl FnMut(&str) -> bool) -> std::io::Result<()> {
        let source = match self {
            Self::Text(text) => {
                let _ = text.lines().all(take);
                return Ok(());
            }
            Self::Source(source) => source,
        };
        let mut reader = BufReader::with_capacity(1 << 20, source.reader()?);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let mut limited = std::io::Read::take(&mut reader, MAX_LINE_BYTES);
            if limited.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(());
            }
            if !bytes.ends_with(b"\n") {
                reader.skip_until(b'\n')?;
            }
            let line = match std::str::from_utf8(&bytes) {
                Ok(text) => Cow::Borrowed(text),
                // A line that is too long may be cut within a character.
                Err(error) if error.error_len().is_none() && bytes.len() as u64 == MAX_LINE_BYTES => {
                    String::from_utf8_lossy(&bytes)
                }
                // As the blocks of such a file are read: each byte is a character of Latin-1.
                Err(_) => Cow::Owned(bytes.iter().copied().map(crate::words::western).collect()),
            };
            if !take(line.trim_end_matches(['\n', '\r'])) {
                return Ok(());
            }
        }
    }
}
