//! XML as a stream of elements and texts, with the namespaces that office files use.
//!
//! There is no tree: a reader asks for the next node, and recurses into elements that it knows. Document types and entities
//! are never expanded, and elements within elements are counted.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::event::Refusal;
use crate::format::Format;

/// Names for namespaces that may hold at one place. Each element is compared with all of them.
const MOST_NAMESPACES: usize = 500;

/// The namespaces that readers tell apart. Files name them as they like; readers see these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// Word: `w`.
    W,
    /// Drawings: `a`.
    A,
    /// Presentations: `p`.
    P,
    /// Comments of newer presentations: `p188`.
    Comment,
    /// Formulas in Word: `m`.
    M,
    /// Ids of relationships: `r`.
    R,
    /// Alternatives for older programs: `mc`.
    Mc,
    Chart,
    /// Diagrams: `dgm`.
    Diagram,
    /// Dublin Core: title, author.
    Dc,
    // OpenDocument:
    Office,
    Style,
    Text,
    Table,
    Draw,
    Presentation,
    Xlink,
    MathMl,
    Other,
}

/// The next thing in a file.
pub(super) enum Node<'a> {
    Open(Element<'a>),
    Close,
    Text(Cow<'a, str>),
}

/// The start of an element. Its [`Node::Close`] follows, also of an empty one.
pub(super) struct Element<'a> {
    pub space: Space,
    start: BytesStart<'a>,
}

impl Element<'_> {
    /// Its name without prefix.
    pub fn name(&self) -> &[u8] {
        self.start.local_name().into_inner()
    }

    /// The value of the first attribute with this name, whatever its namespace.
    pub fn attr(&self, name: &[u8]) -> Option<Cow<'_, str>> {
        let mut attributes = self.start.attributes();
        let found = attributes.with_checks(false).flatten().find(|a| a.key.local_name().as_ref() == name)?;
        Some(value(&found))
    }

    /// An attribute that is a number; nothing if it is none.
    pub fn number<T: std::str::FromStr>(&self, name: &[u8]) -> Option<T> {
        self.attr(name)?.trim().parse().ok()
    }

    /// An attribute that switches something; nothing if it is not there.
    pub fn switch(&self, name: &[u8]) -> Option<bool> {
        self.attr(name).map(|value| !matches!(&*value, "0" | "false" | "off" | "none"))
    }

    /// A switch that is on if the element stands there without saying more, as those of Word.
    pub fn is_on(&self) -> bool {
        self.switch(b"val").unwrap_or(true)
    }
}

fn value<'v>(attribute: &quick_xml::events::attributes::Attribute<'v>) -> Cow<'v, str> {
    match attribute.normalized_value(XmlVersion::Implicit1_0) {
        Ok(value) => value,
        // An entity that is not known stays as it is written.
        Err(_) => Cow::Owned(String::from_utf8_lossy(&attribute.value).into_owned()),
    }
}

/// A name that stands for a namespace, in the element at this depth and in what lies inside of it.
struct Binding {
    depth: u32,
    prefix: Vec<u8>,
    space: Space,
}

pub(super) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    bindings: Vec<Binding>,
    format: Format,
    depth: u32,
    limit: u32,
}

impl<'a> Xml<'a> {
    pub fn new(text: &'a str, format: Format, limit: u32) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        reader.config_mut().allow_dangling_amp = true;
        Self { reader, bindings: Vec::new(), format, depth: 0, limit }
    }

    /// The next node; nothing at the end of the file.
    pub fn next(&mut self) -> Result<Option<Node<'a>>, Refusal> {
        loop {
            let event = self.reader.read_event().map_err(|_| self.broken())?;
            match event {
                Event::Start(start) => return self.open(start).map(Some),
                Event::End(_) => {
                    self.close();
                    return Ok(Some(Node::Close));
                }
                Event::Text(text) => {
                    let text = text.decode().map_err(|_| self.broken())?;
                    return Ok(Some(Node::Text(text)));
                }
                Event::CData(text) => {
                    let text = text.decode().map_err(|_| self.broken())?;
                    return Ok(Some(Node::Text(text)));
                }
                Event::GeneralRef(entity) => {
                    let character = match &*entity {
                        b"lt" => Some('<'),
                        b"gt" => Some('>'),
                        b"amp" => Some('&'),
                        b"quot" => Some('"'),
                        b"apos" => Some('\''),
                        // What a document type defines is not read.
                        _ => entity.resolve_char_ref().ok().flatten(),
                    };
                    if let Some(character) = character {
                        return Ok(Some(Node::Text(Cow::Owned(character.to_string()))));
                    }
                }
                Event::Eof if self.depth > 0 => {
                    return Err(Refusal::damaged(self.format, "it ends within its text"));
                }
                Event::Eof => return Ok(None),
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
    }

    /// The next element inside of the one that is open, or nothing at its end. Text between is passed over.
    pub fn child(&mut self) -> Result<Option<Element<'a>>, Refusal> {
        loop {
            match self.next()? {
                Some(Node::Open(element)) => return Ok(Some(element)),
                Some(Node::Text(_)) => {}
                Some(Node::Close) | None => return Ok(None),
            }
        }
    }

    /// Passes over the rest of the element that is open.
    pub fn skip(&mut self) -> Result<(), Refusal> {
        let target = self.depth.saturating_sub(1);
        while self.depth > target {
            if self.next()?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Adds all text in the rest of the element that is open.
    pub fn text_into(&mut self, text: &mut String) -> Result<(), Refusal> {
        let target = self.depth.saturating_sub(1);
        while self.depth > target {
            match self.next()? {
                Some(Node::Text(more)) => text.push_str(&more),
                Some(_) => {}
                None => break,
            }
        }
        Ok(())
    }

    /// All text in the rest of the element that is open.
    pub fn text(&mut self) -> Result<String, Refusal> {
        let mut text = String::new();
        self.text_into(&mut text)?;
        Ok(text)
    }

    /// The value of an attribute of this namespace.
    pub fn attr_in<'e>(&self, element: &'e Element<'_>, space: Space, name: &[u8]) -> Option<Cow<'e, str>> {
        let mut attributes = element.start.attributes();
        let found = attributes.with_checks(false).flatten().find(|attribute| {
            let (local, prefix) = attribute.key.decompose();
            local.as_ref() == name && prefix.is_some_and(|prefix| self.space(prefix.as_ref()) == space)
        })?;
        Some(value(&found))
    }

    /// What its reader says about it is meant for who writes XML.
    fn broken(&self) -> Refusal {
        Refusal::damaged(self.format, "a part of it is no valid XML")
    }

    fn open(&mut self, start: BytesStart<'a>) -> Result<Node<'a>, Refusal> {
        self.depth += 1;
        if self.depth > self.limit {
            return Err(Refusal::too_much("elements within elements", u64::from(self.limit)));
        }
        // Most elements declare nothing; to parse all attributes of all of them would cost more than the rest.
        if start.attributes_raw().windows(5).any(|window| window == b"xmlns") {
            for attribute in start.attributes().with_checks(false).flatten() {
                let key = attribute.key.as_ref();
                let prefix = match key.strip_prefix(b"xmlns") {
                    Some(b"") => b"".as_slice(),
                    Some([b':', prefix @ ..]) => prefix,
                    _ => continue,
                };
                if self.bindings.len() >= MOST_NAMESPACES {
                    return Err(Refusal::too_much("namespaces", MOST_NAMESPACES as u64));
                }
                let space = space_of(&value(&attribute));
                self.bindings.push(Binding { depth: self.depth, prefix: prefix.to_vec(), space });
            }
        }
        let name = start.name();
        let prefix = name.prefix();
        let space = self.space(prefix.as_ref().map_or(b"", |prefix| prefix.as_ref()));
        Ok(Node::Open(Element { space, start }))
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        while self.bindings.last().is_some_and(|binding| binding.depth > self.depth) {
            self.bindings.pop();
        }
    }

    fn space(&self, prefix: &[u8]) -> Space {
        let bound = self.bindings.iter().rev().find(|binding| binding.prefix == prefix);
        bound.map_or(Space::Other, |binding| binding.space)
    }
}

/// Both the namespaces of the first Office formats and those of the strict ones.
fn space_of(uri: &str) -> Space {
    let open_xml = uri
        .strip_prefix("http://schemas.openxmlformats.org/")
        .map(|name| name.replace("/2006", ""))
        .or_else(|| uri.strip_prefix("http://purl.oclc.org/ooxml/").map(str::to_owned));
    if let Some(name) = open_xml {
        return match name.as_str() {
            "wordprocessingml/main" => Space::W,
            "drawingml/main" => Space::A,
            "presentationml/main" => Space::P,
            "officeDocument/math" => Space::M,
            "officeDocument/relationships" => Space::R,
            "markup-compatibility" => Space::Mc,
            "drawingml/chart" => Space::Chart,
            "drawingml/diagram" => Space::Diagram,
            _ => Space::Other,
        };
    }
    if let Some(name) = uri.strip_prefix("urn:oasis:names:tc:opendocument:xmlns:") {
        return match name.split(':').next().unwrap_or_default() {
            "office" => Space::Office,
            "style" => Space::Style,
            "text" => Space::Text,
            "table" => Space::Table,
            "drawing" => Space::Draw,
            "presentation" => Space::Presentation,
            _ => Space::Other,
        };
    }
    match uri {
        "http://schemas.microsoft.com/office/powerpoint/2018/8/main" => Space::Comment,
        "http://purl.org/dc/elements/1.1/" => Space::Dc,
        "http://www.w3.org/1999/xlink" => Space::Xlink,
        "http://www.w3.org/1998/Math/MathML" => Space::MathMl,
        _ => Space::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

    #[test]
    fn namespaces_are_known_by_their_names_and_not_by_their_prefixes() {
        let text =
            format!("<x:a xmlns:x='{W}'><b xmlns='{W}' x:val='1'/><b/><c xmlns:x='urn:y'><x:d/></c></x:a>");
        let mut xml = Xml::new(&text, Format::Docx, 8);
        let mut seen = Vec::new();
        while let Some(node) = xml.next().unwrap() {
            if let Node::Open(element) = node {
                let value = xml.attr_in(&element, Space::W, b"val").map(Cow::into_owned);
                seen.push((String::from_utf8_lossy(element.name()).into_owned(), element.space, value));
            }
        }
        let expected = [
            ("a", Space::W, None),
            ("b", Space::W, Some("1")),
            ("b", Space::Other, None),
            ("c", Space::Other, None),
            ("d", Space::Other, None),
        ];
        let expected =
            expected.map(|(name, space, value)| (name.to_owned(), space, value.map(str::to_owned)));
        assert_eq!(seen, expected);
    }

    #[test]
    fn entities_of_a_document_type_are_never_expanded() {
        let text = "<!DOCTYPE a [<!ENTITY b 'boom'><!ENTITY c '&b;&b;'><!ENTITY d SYSTEM 'file:///etc/passwd'>]>\
                    <a>1&c;2&d;&amp;&#x33;</a>";
        let mut xml = Xml::new(text, Format::Docx, 8);
        xml.child().unwrap().unwrap();
        assert_eq!(xml.text().unwrap(), "12&3");
    }

    #[test]
    fn elements_within_elements_are_counted() {
        let text = "<a>".repeat(9);
        let mut xml = Xml::new(&text, Format::Docx, 8);
        let refused =
            std::iter::from_fn(|| xml.next().map(|_| ()).err().map_or(Some(None), |e| Some(Some(e))));
        let refused = refused.flatten().next();
        assert_eq!(refused, Some(Refusal::too_much("elements within elements", 8)));
    }

    #[test]
    fn a_file_that_ends_early_is_damaged() {
        let mut xml = Xml::new("<a><b>text", Format::Docx, 8);
        xml.child().unwrap();
        xml.child().unwrap();
        assert!(matches!(xml.skip(), Err(Refusal::Damaged { .. })));
    }
}
