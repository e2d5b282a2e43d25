//! Events put together again: the documents of a file.

use serde::{Deserialize, Serialize};

use crate::block::Block;
use crate::event::{Event, Refusal, Warning};
use crate::format::Format;
use crate::transcript::Transcript;

/// A document that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The file's name; what lay inside of it is named `box.zip/report.pdf`.
    pub name: String,
    /// What it is.
    pub format: Format,
    /// The title that it gives itself, if that is no block of its own.
    pub title: Option<String>,
    /// What it holds.
    pub content: Content,
    /// What was left out or guessed.
    pub warnings: Vec<Warning>,
    /// Whether all of it was read; where not, `content` is what came before.
    pub ended: Result<(), Refusal>,
}

/// What a document holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Text of a format without blocks.
    Plain(String),
    /// Blocks with their places.
    Blocks(Transcript),
}

impl Content {
    /// The text that quotes are looked up in.
    pub fn text(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Blocks(transcript) => &transcript.text,
        }
    }
}

impl Document {
    /// Whether it holds files and no text of its own, as an archive does.
    pub fn only_holds_files(&self) -> bool {
        matches!(self.format, Format::Zip | Format::Tar | Format::Gzip) && self.ended.is_ok()
    }
}

/// Makes documents of events.
#[derive(Debug, Default)]
pub struct Collector {
    documents: Vec<Document>,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    name: String,
    format: Format,
    title: Option<String>,
    blocks: Vec<Block>,
    plain: Option<String>,
    warnings: Vec<Warning>,
}

impl Collector {
    /// Takes in the next event.
    pub fn push(&mut self, event: Event) {
        match event {
            Event::Document { name, format } => {
                self.end(&Ok(()));
                self.open = Some(Open {
                    name,
                    format,
                    title: None,
                    blocks: Vec::new(),
                    plain: None,
                    warnings: Vec::new(),
                });
            }
            Event::End(ended) => self.end(&ended),
            event => {
                let Some(open) = &mut self.open else { return };
                match event {
                    Event::Title(title) => open.title = Some(title),
                    Event::Block(block) => open.blocks.push(block),
                    Event::Plain(text) => open.plain = Some(text),
                    Event::Warning(warning) => open.warnings.push(warning),
                    Event::Document { .. } | Event::End(_) => {}
                }
            }
        }
    }

    /// The document that is being read.
    pub fn open(&self) -> Option<&str> {
        self.open.as_ref().map(|open| open.name.as_str())
    }

    /// Ends the document that is open.
    pub fn end(&mut self, ended: &Result<(), Refusal>) {
        if let Some(open) = self.open.take() {
            let content = match open.plain {
                Some(text) => Content::Plain(text),
                None => Content::Blocks(Transcript::of(open.blocks)),
            };
            self.documents.push(Document {
                name: open.name,
                format: open.format,
                title: open.title,
                content,
                warnings: open.warnings,
                ended: ended.clone(),
            });
        }
    }

    /// The documents, in the order in which they began.
    pub fn finish(mut self) -> Vec<Document> {
        self.end(&Ok(()));
        self.documents
    }
}
