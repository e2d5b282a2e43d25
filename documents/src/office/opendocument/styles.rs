//! What the styles of an OpenDocument file say: what a paragraph is, which list numbers it, what is hidden.

use std::collections::{HashMap, HashSet};

use super::lists::Lists;
use crate::event::Refusal;
use crate::office::xml::{Space, Xml};

/// Styles that are based on each other, at most; more run in a circle.
const MOST_ANCESTORS: usize = 32;

/// What a style makes of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Look {
    #[default]
    Plain,
    Title,
    Heading(u8),
    Caption,
    Code,
}

#[derive(Debug, Default)]
pub(super) struct Styles {
    parents: HashMap<String, String>,
    /// The list styles that styles of paragraphs name.
    lists_of: HashMap<String, String>,
    /// Styles of sheets and slides that are not shown.
    hidden: HashSet<String>,
    pub lists: Lists,
}

impl Styles {
    /// Adds the styles of a part.
    pub fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (
                    Space::Office,
                    b"document-styles" | b"document-content" | b"styles" | b"automatic-styles",
                ) => {}
                (Space::Style, b"style") => {
                    let name = element.attr(b"name").unwrap_or_default().into_owned();
                    if let Some(parent) = element.attr(b"parent-style-name") {
                        self.parents.insert(name.clone(), parent.into_owned());
                    }
                    if let Some(list) = element.attr(b"list-style-name") {
                        self.lists_of.insert(name.clone(), list.into_owned());
                    }
                    while let Some(element) = xml.child()? {
                        let hides = match element.name() {
                            b"table-properties" => element.switch(b"display") == Some(false),
                            b"drawing-page-properties" => {
                                element.attr(b"visibility").as_deref() == Some("hidden")
                            }
                            _ => false,
                        };
                        if hides {
                            self.hidden.insert(name.clone());
                        }
                        xml.skip()?;
                    }
                }
                (Space::Text, b"list-style") => {
                    let name = element.attr(b"name").unwrap_or_default().into_owned();
                    self.lists.read_style(name, xml)?;
                }
                (Space::Text, b"outline-style") => self.lists.read_outline(xml)?,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    pub fn is_hidden(&self, style: &str) -> bool {
        self.hidden.contains(style)
    }

    /// The list style of a paragraph with this style, for a list that names none.
    pub fn list_style(&self, style: &str) -> Option<&str> {
        self.ancestors(style).find_map(|name| self.lists_of.get(name)).map(String::as_str)
    }

    pub fn look(&self, style: &str) -> Look {
        for name in self.ancestors(style) {
            match name {
                "Title" => return Look::Title,
                "Caption" | "Illustration" | "Figure" | "Drawing" => return Look::Caption,
                "Preformatted_20_Text" | "Preformatted Text" | "Code" | "Source_20_Code" => {
                    return Look::Code;
                }
                _ => {}
            }
            let level = name.strip_prefix("Heading_20_").and_then(|level| level.parse().ok());
            if let Some(level @ 1..=10) = level {
                return Look::Heading(level);
            }
        }
        Look::Plain
    }

    /// A style, and those that it is based on.
    fn ancestors<'s>(&'s self, style: &'s str) -> impl Iterator<Item = &'s str> {
        std::iter::successors(Some(style), |name| self.parents.get(*name).map(String::as_str))
            .take(MOST_ANCESTORS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    #[test]
    fn a_style_is_what_its_ancestors_are() {
        let text = "<o:document-content xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:1.0' \
                    xmlns:s='urn:oasis:names:tc:opendocument:xmlns:style:1.0'><o:automatic-styles>\
                    <s:style s:name='P1' s:parent-style-name='Figure'/><s:style s:name='P2' s:parent-style-name='P2'/>\
                    <s:style s:name='P3' s:parent-style-name='Preformatted_20_Text'/>\
                    <s:style s:name='P4' s:parent-style-name='Heading_20_2' s:list-style-name='N'/>\
                    <s:style s:name='P5' s:parent-style-name='P4'/>\
                    <s:style s:name='ta2'><s:table-properties s:display='false'/></s:style>\
                    </o:automatic-styles></o:document-content>";
        let mut styles = Styles::default();
        styles.read(&mut Xml::new(text, Format::Odt, 16)).unwrap();
        let looks = ["P1", "P2", "P3", "P5", "none"].map(|name| styles.look(name));
        assert_eq!(looks, [Look::Caption, Look::Plain, Look::Code, Look::Heading(2), Look::Plain]);
        assert_eq!(["P5", "P2", "none"].map(|name| styles.list_style(name)), [Some("N"), None, None]);
        assert!(styles.is_hidden("ta2") && !styles.is_hidden("P1"));
    }
}
