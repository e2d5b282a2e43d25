//! Office files are zips of XML files: their members by name, their relationships, their title.
//!
//! Bytes are counted while they are inflated; what a zip says about its sizes is not believed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::compound::Compound;
use super::xml::{Node, Space, Xml};
use crate::event::Refusal;
use crate::format::Format;
use crate::options::Limits;
use crate::output::Output;

/// An open office file.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Members by their names in lower case, with forward slashes and without a leading one.
    names: HashMap<String, usize>,
    pub format: Format,
    pub limits: Limits,
    /// Bytes inflated so far.
    unpacked: u64,
}

/// What a member says about another.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    /// The last part of its type, such as `footnotes`.
    pub kind: String,
    /// The member's name, from the root.
    pub target: String,
}

impl<'a> Package<'a> {
    /// Opens a file. One that a password protects is told as such, as is one of the old binary formats.
    pub fn open(format: Format, bytes: &'a [u8], limits: Limits) -> Result<Self, Refusal> {
        if Compound::is_one(bytes) {
            return Err(refuse_compound(format, bytes));
        }
        let archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|_| Refusal::damaged(format, "its list of parts cannot be read"))?;
        let mut names = HashMap::new();
        for index in 0..archive.len() {
            if let Some(name) = archive.name_for_index(index) {
                names.insert(normal(name), index);
            }
        }
        Ok(Self { archive, names, format, limits, unpacked: 0 })
    }

    /// Whether there is such a member.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(&normal(name))
    }

    /// The text of an XML member; nothing if there is none.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        let mut bytes = Vec::new();
        let found = self.inflate(name, |chunk| bytes.extend_from_slice(chunk))?;
        Ok(found.then(|| decode(bytes)))
    }

    /// The text of an XML member that the file cannot do without.
    pub fn required(&mut self, name: &str) -> Result<String, Refusal> {
        let missing = || Refusal::damaged(self.format, format_args!("{name} is missing"));
        let missing = missing();
        self.text(name)?.ok_or(missing)
    }

    /// Inflates a member without keeping it, so that a library may read it whose memory grows with it.
    pub fn inflate(&mut self, name: &str, mut each: impl FnMut(&[u8])) -> Result<bool, Refusal> {
        let Some(index) = self.names.get(&normal(name)).copied() else {
            return Ok(false);
        };
        let format = self.format;
        let mut member = self.archive.by_index(index).map_err(|error| match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
                Refusal::locked("an Office file", "the program that wrote it")
            }
            ZipError::UnsupportedArchive(_) => {
                Refusal::damaged(format, format_args!("{name} is compressed in a way that is not read"))
            }
            _ => Refusal::damaged(format, format_args!("{name} cannot be unpacked")),
        })?;
        let mut chunk = vec![0; 64 << 10];
        let mut member_bytes = 0;
        loop {
            let read = member
                .read(&mut chunk)
                .map_err(|_| Refusal::damaged(format, format_args!("{name} cannot be unpacked")))?;
            if read == 0 {
                return Ok(true);
            }
            member_bytes += read as u64;
            self.unpacked += read as u64;
            if member_bytes > self.limits.member_bytes {
                return Err(Refusal::too_much("bytes in one part", self.limits.member_bytes));
            }
            if self.unpacked > self.limits.unpacked_bytes {
                return Err(Refusal::too_much("bytes when unpacked", self.limits.unpacked_bytes));
            }
            each(&chunk[..read]);
        }
    }

    /// A reader of a member's text.
    pub fn xml<'t>(&self, text: &'t str) -> Xml<'t> {
        Xml::new(text, self.format, self.limits.nesting)
    }

    /// The relationships of a member by their ids; those of the whole file for an empty name. What lies outside of the file
    /// is left out.
    pub fn relations(&mut self, name: &str) -> Result<HashMap<String, Relation>, Refusal> {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let path = if folder.is_empty() {
            format!("_rels/{file}.rels")
        } else {
            format!("{folder}/_rels/{file}.rels")
        };
        let mut relations = HashMap::new();
        let Some(text) = self.text(&path)? else {
            return Ok(relations);
        };
        let mut xml = self.xml(&text);
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            if element.name() != b"Relationship" || element.attr(b"TargetMode").as_deref() == Some("External")
            {
                continue;
            }
            if let (Some(id), Some(kind), Some(target)) =
                (element.attr(b"Id"), element.attr(b"Type"), element.attr(b"Target"))
            {
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                relations.insert(id.into_owned(), Relation { kind, target: resolve(folder, &target) });
            }
        }
        Ok(relations)
    }

    /// The member that holds the document itself.
    pub fn main_part(&mut self, usual: &str) -> Result<String, Refusal> {
        let relations = self.relations("")?;
        let named = relations.into_values().find(|relation| relation.kind == "officeDocument");
        Ok(named.map(|relation| relation.target).filter(|name| self.has(name)).unwrap_or(usual.to_owned()))
    }

    /// Tells the title that the file's properties give it.
    pub fn tell_title(&mut self, member: &str, out: &mut Output<'_>) -> Result<(), Refusal> {
        let Some(text) = self.text(member)? else {
            return Ok(());
        };
        let mut xml = self.xml(&text);
        // Properties are beside the text: damaged ones are no reason to refuse it.
        while let Ok(Some(node)) = xml.next() {
            if let Node::Open(element) = node
                && element.space == Space::Dc
                && element.name() == b"title"
            {
                let mut title = String::new();
                if xml.text_into(&mut title).is_ok() {
                    out.title(&title);
                }
                break;
            }
        }
        Ok(())
    }
}

/// Names in zips are written with either slash, and compared without regard to case.
fn normal(name: &str) -> String {
    name.replace('\\', "/").trim_start_matches('/').to_lowercase()
}

/// A relationship's target from the root of the file.
fn resolve(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// XML as text: UTF-8 as a rule, UTF-16 or what it declares else.
fn decode(bytes: Vec<u8>) -> String {
    let declared = || {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
        let label = head.split("encoding=").nth(1)?.get(1..)?;
        let label = label.split(['"', '\'']).next()?.to_owned();
        encoding_rs::Encoding::for_label(label.as_bytes())
    };
    let encoding = match encoding_rs::Encoding::for_bom(&bytes) {
        Some((encoding, _)) => encoding,
        None => declared().unwrap_or(encoding_rs::UTF_8),
    };
    if encoding == encoding_rs::UTF_8 && !bytes.starts_with(b"\xef\xbb\xbf") {
        return String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    }
    match encoding.decode(&bytes).0 {
        Cow::Borrowed(text) => text.to_owned(),
        Cow::Owned(text) => text,
    }
}

/// Why an office file that is no zip is not read.
fn refuse_compound(format: Format, bytes: &[u8]) -> Refusal {
    let Ok(compound) = Compound::open(bytes) else {
        return Refusal::damaged(format, "it is neither a zip nor a whole binary file");
    };
    if compound.has("EncryptedPackage") {
        return Refusal::locked("an Office file", "Office");
    }
    let (what, remedy) = if compound.has("WordDocument") {
        ("a Word 97 document", "save it as .docx")
    } else if compound.has("PowerPoint Document") {
        ("a PowerPoint 97 presentation", "save it as .pptx")
    } else {
        ("an old binary Office file", "save it in a format of today")
    };
    Refusal::Unsupported { what: what.to_owned(), remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved_from_the_root() {
        assert_eq!(resolve("word", "styles.xml"), "word/styles.xml");
        assert_eq!(resolve("ppt/slides", "../notesSlides/n.xml"), "ppt/notesSlides/n.xml");
        assert_eq!(resolve("word", "/word/a.xml"), "word/a.xml");
        assert_eq!(resolve("", "../../..\\word\\a.xml"), "word/a.xml");
    }

    #[test]
    fn xml_is_decoded_by_its_mark_or_its_declaration() {
        assert_eq!(decode(b"\xff\xfe<\0a\0".to_vec()), "<a");
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>";
        assert!(decode(latin.to_vec()).ends_with("<a>\u{e9}</a>"));
        assert_eq!(decode(b"<a>\xff".to_vec()), "<a>\u{fffd}");
    }
}
