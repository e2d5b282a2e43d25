//! What a file is. Its bytes decide; its name only where they cannot.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Text without blocks of its own: prose, Markdown, a log, CSV, JSON, code. The caller tells them apart.
    Plain,
    /// PDF.
    Pdf,
    /// Word.
    Docx,
    /// PowerPoint.
    Pptx,
    /// Excel.
    Xlsx,
    /// Excel 97.
    Xls,
    /// OpenDocument text.
    Odt,
    /// OpenDocument slides.
    Odp,
    /// OpenDocument sheets.
    Ods,
    /// A web page.
    Html,
    /// A book made of web pages.
    Epub,
    /// One message.
    Eml,
    /// A mailbox.
    Mbox,
    /// An archive, zip.
    Zip,
    /// An archive, tar.
    Tar,
    /// One compressed file, which may be a tar.
    Gzip,
    /// Subtitles, SubRip.
    Srt,
    /// Subtitles, WebVTT.
    Vtt,
}

/// As people call it.
impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Plain => "text",
            Self::Pdf => "PDF",
            Self::Docx => "Word",
            Self::Pptx => "PowerPoint",
            Self::Xlsx | Self::Xls => "Excel",
            Self::Odt | Self::Odp | Self::Ods => "OpenDocument",
            Self::Html => "HTML",
            Self::Epub => "EPUB",
            Self::Eml => "mail",
            Self::Mbox => "mailbox",
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::Gzip => "gzip",
            Self::Srt => "SubRip",
            Self::Vtt => "WebVTT",
        })
    }
}

impl Format {
    /// Whether it is read in a worker process with limits, because a file can harm its reader.
    pub fn needs_worker(self) -> bool {
        !matches!(self, Self::Plain | Self::Srt | Self::Vtt)
    }
}
