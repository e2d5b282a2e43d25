//! What a model replied to questions that code was not sure of, in a file of JSON lines.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Failure;

/// A reply, and what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The file that the question was asked of.
    pub file: String,
    /// The question.
    pub question: String,
    /// What the model wrote.
    pub reply: String,
}

/// Replies by file and question.
#[derive(Debug, Default)]
pub struct Replies(HashMap<(String, String), String>);

impl Replies {
    /// Reads a file of replies, which may be compressed; none where there is no file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let mut replies = Self::default();
        if !path.exists() {
            return Ok(replies);
        }
        let file = File::open(path)?;
        let is_packed = path.extension().is_some_and(|ending| ending == "gz");
        let reader: Box<dyn Read> =
            if is_packed { Box::new(flate2::read::GzDecoder::new(file)) } else { Box::new(file) };
        for line in BufReader::new(reader).lines() {
            let line = line?;
            if !line.trim().is_empty() {
                replies.add(serde_json::from_str(&line)?);
            }
        }
        Ok(replies)
    }

    /// Adds a reply; one to the same question is replaced.
    pub fn add(&mut self, reply: Reply) {
        self.0.insert((reply.file, reply.question), reply.reply);
    }

    /// The reply to a question.
    pub fn of(&self, file: &str, question: &str) -> Option<&str> {
        self.0.get(&(file.to_owned(), question.to_owned())).map(String::as_str)
    }

    /// Appends a reply to a file.
    pub fn append(path: &Path, reply: &Reply) -> Result<(), Failure> {
        let mut file = File::options().create(true).append(true).open(path)?;
        writeln!(file, "{}", serde_json::to_string(reply)?)?;
        Ok(())
    }
}
