//! What a file is, by its bytes, and by its name where they cannot tell.

use crate::event::Refusal;
use crate::format::Format;

impl Format {
    /// Tells what a file is; or that it is something which is not read, and what to do about it.
    pub fn detect(name: &str, bytes: &[u8]) -> Result<Self, Refusal> {
        let extension = name.rsplit(['/', '\\']).next().and_then(|file| file.rsplit_once('.'));
        let extension = extension.map(|(_, extension)| extension.to_ascii_lowercase());
        Ok(match extension.as_deref() {
            _ if bytes.starts_with(b"%PDF-") => Self::Pdf,
            Some("docx") => Self::Docx,
            Some("pptx") => Self::Pptx,
            Some("xlsx") => Self::Xlsx,
            Some("xls") => Self::Xls,
            Some("odt") => Self::Odt,
            Some("odp") => Self::Odp,
            Some("ods") => Self::Ods,
            Some("html" | "htm") => Self::Html,
            Some("epub") => Self::Epub,
            Some("eml") => Self::Eml,
            Some("mbox") => Self::Mbox,
            Some("zip") => Self::Zip,
            Some("tar") => Self::Tar,
            Some("gz" | "tgz") => Self::Gzip,
            Some("srt") => Self::Srt,
            Some("vtt") => Self::Vtt,
            _ => Self::Plain,
        })
    }
}
