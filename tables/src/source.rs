//! Bytes that are read more than once: a file, or a text that somebody else keeps.

use std::fs::File;
use std::io::{Read, Result, Seek as _};

/// A file's bytes, which may be more than fit in memory. They must stay the same as long as a table is of them.
pub trait Source: Send + Sync {
    /// How many there are.
    fn bytes(&self) -> Result<u64>;

    /// All of them from the first on. Only one reader is used at a time.
    fn reader(&self) -> Result<Box<dyn Read + '_>>;
}

impl Source for File {
    fn bytes(&self) -> Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn reader(&self) -> Result<Box<dyn Read + '_>> {
        let mut file = self;
        file.rewind()?;
        Ok(Box::new(file))
    }
}
