//! What the styles of a Word file say about its paragraphs: headings, captions, code, numbers.

use std::collections::HashMap;

use crate::event::Refusal;
use crate::office::xml::{Space, Xml};

/// Styles that are based on each other, at most; more run in a circle.
const MOST_ANCESTORS: usize = 32;

/// What a style makes of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Look {
    #[default]
    Plain,
    Heading(u8),
    Caption,
    Code,
}

/// Which list numbers a paragraph, and at which level, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ListLevel {
    pub list: Option<String>,
    pub level: Option<u8>,
}

#[derive(Debug, Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    /// 0 is the highest level, 9 is body text.
    outline: Option<u8>,
    list: ListLevel,
}

/// What a paragraph gets from its style.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Applied {
    pub look: Look,
    pub list: ListLevel,
    /// The style's own id: a list may tie its levels to styles.
    pub id: String,
}

#[derive(Debug, Default)]
pub(super) struct Styles {
    by_id: HashMap<String, Style>,
    /// The style of paragraphs that name none.
    default: Option<String>,
    applied: HashMap<String, Applied>,
}

impl Styles {
    pub fn read(xml: &mut Xml<'_>) -> Result<Self, Refusal> {
        let mut styles = Self::default();
        xml.child()?;
        while let Some(element) = xml.child()? {
            if (element.space, element.name()) != (Space::W, b"style") {
                xml.skip()?;
                continue;
            }
            let id = element.attr(b"styleId").unwrap_or_default().into_owned();
            let of_paragraphs = element.attr(b"type").is_none_or(|kind| kind == "paragraph");
            if of_paragraphs && element.switch(b"default") == Some(true) {
                styles.default = Some(id.clone());
            }
            let style = Style::read(xml)?;
            styles.by_id.insert(id, style);
        }
        Ok(styles)
    }

    /// What the style with this id makes of a paragraph; that of the default style without an id.
    pub fn apply(&mut self, id: Option<&str>) -> Applied {
        let Some(id) = id.or(self.default.as_deref()) else {
            return Applied::default();
        };
        if let Some(applied) = self.applied.get(id) {
            return applied.clone();
        }
        let applied = self.resolve(id);
        // Ids come from the text: one that no style has is not worth keeping.
        if self.by_id.contains_key(id) {
            self.applied.insert(id.to_owned(), applied.clone());
        }
        applied
    }

    /// The list that a numbering style stands for.
    pub fn list_of(&self, id: &str) -> Option<&str> {
        self.by_id.get(id)?.list.list.as_deref()
    }

    fn resolve(&self, id: &str) -> Applied {
        let mut applied = Applied { id: id.to_owned(), ..Applied::default() };
        let (mut look, mut outline) = (None, None);
        let mut next = Some(id);
        for _ in 0..MOST_ANCESTORS {
            let Some(current) = next else { break };
            let style = self.by_id.get(current);
            let name = style.map_or("", |style| style.name.as_str());
            look = look.or_else(|| look_of(if name.is_empty() { current } else { name }));
            let Some(style) = style else { break };
            outline = outline.or(style.outline);
            applied.list.list = applied.list.list.or_else(|| style.list.list.clone());
            applied.list.level = applied.list.level.or(style.list.level);
            next = style.based_on.as_deref();
        }
        applied.look = match (look, outline) {
            (Some(Look::Caption | Look::Code), _) | (_, None) => look.unwrap_or_default(),
            (look, Some(level)) => heading_of(level).or(look).unwrap_or_default(),
        };
        applied
    }
}

impl Style {
    fn read(xml: &mut Xml<'_>) -> Result<Self, Refusal> {
        let mut style = Self::default();
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::W, b"name") => {
                    style.name = element.attr(b"val").unwrap_or_default().into_owned();
                    xml.skip()?;
                }
                (Space::W, b"basedOn") => {
                    style.based_on = element.attr(b"val").map(Into::into);
                    xml.skip()?;
                }
                (Space::W, b"pPr") => {
                    let properties = Properties::read(xml)?;
                    style.outline = properties.outline;
                    style.list = properties.list;
                }
                _ => xml.skip()?,
            }
        }
        Ok(style)
    }
}

/// The properties of a paragraph, its own or its style's.
#[derive(Debug, Default)]
pub(super) struct Properties {
    pub style: Option<String>,
    pub outline: Option<u8>,
    pub list: ListLevel,
}

impl Properties {
    pub fn read(xml: &mut Xml<'_>) -> Result<Self, Refusal> {
        let mut properties = Self::default();
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::W, b"pStyle") => properties.style = element.attr(b"val").map(Into::into),
                (Space::W, b"outlineLvl") => properties.outline = element.number(b"val"),
                (Space::W, b"numPr") => {
                    while let Some(element) = xml.child()? {
                        match (element.space, element.name()) {
                            (Space::W, b"ilvl") => properties.list.level = element.number(b"val"),
                            (Space::W, b"numId") => {
                                properties.list.list = element.attr(b"val").map(Into::into);
                            }
                            _ => {}
                        }
                        xml.skip()?;
                    }
                    continue;
                }
                _ => {}
            }
            xml.skip()?;
        }
        Ok(properties)
    }
}

/// The heading that an outline level stands for.
pub(super) fn heading_of(outline: u8) -> Option<Look> {
    (outline < 9).then(|| Look::Heading((outline + 1).min(6)))
}

/// What a style is by its name. Word keeps the English names in all languages; other programs do not, and a style that is
/// missing in the file has only its id, which Word does translate.
fn look_of(name: &str) -> Option<Look> {
    const HEADINGS: [&str; 16] = [
        "heading",
        "überschrift",
        "berschrift",
        "titre",
        "título",
        "ttulo",
        "titolo",
        "kop",
        "rubrik",
        "overskrift",
        "nagłówek",
        "nagwek",
        "заголовок",
        "otsikko",
        "見出し",
        "标题",
    ];
    let name = name.trim().to_lowercase();
    match name.as_str() {
        "title" => return Some(Look::Heading(1)),
        "caption" | "beschriftung" | "légende" | "lgende" => return Some(Look::Caption),
        "code" | "source code" | "sourcecode" | "code block" | "html preformatted" | "htmlpreformatted"
        | "preformatted text" | "preformattedtext" | "plain code" => return Some(Look::Code),
        _ => {}
    }
    let level = HEADINGS.iter().find_map(|word| name.strip_prefix(word))?.trim();
    let level: u8 = level.parse().ok().filter(|level| (1..=9).contains(level))?;
    Some(Look::Heading(level.min(6)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    fn styles(inner: &str) -> Styles {
        let text = format!(
            "<w:styles xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>{inner}</w:styles>"
        );
        Styles::read(&mut Xml::new(&text, Format::Docx, 16)).unwrap()
    }

    #[test]
    fn headings_are_known_by_outline_name_or_ancestor() {
        let mut styles = styles(
            "<w:style w:type='paragraph' w:styleId='berschrift2'><w:name w:val='heading 2'/></w:style>\
             <w:style w:styleId='Clause'><w:name w:val='Clause'/><w:basedOn w:val='berschrift2'/></w:style>\
             <w:style w:styleId='Part'><w:name w:val='Part'/><w:pPr><w:outlineLvl w:val='0'/></w:pPr></w:style>\
             <w:style w:styleId='Body'><w:name w:val='x'/><w:basedOn w:val='Part'/>\
             <w:pPr><w:outlineLvl w:val='9'/></w:pPr></w:style>\
             <w:style w:styleId='Ring'><w:basedOn w:val='Ring'/></w:style>",
        );
        let mut look = |id| styles.apply(Some(id)).look;
        assert_eq!(look("berschrift2"), Look::Heading(2));
        assert_eq!(look("Clause"), Look::Heading(2));
        assert_eq!(look("Part"), Look::Heading(1));
        assert_eq!(look("Body"), Look::Plain);
        assert_eq!(look("Ring"), Look::Plain);
        assert_eq!(look("Titre3"), Look::Heading(3));
        assert_eq!(look("Heading"), Look::Plain);
    }

    #[test]
    fn a_paragraph_without_a_style_has_the_default_one() {
        let mut styles = styles(
            "<w:style w:type='paragraph' w:default='1' w:styleId='N'><w:name w:val='Normal'/>\
             <w:pPr><w:numPr><w:ilvl w:val='1'/><w:numId w:val='7'/></w:numPr></w:pPr></w:style>",
        );
        let list = ListLevel { list: Some("7".into()), level: Some(1) };
        assert_eq!(styles.apply(None), Applied { look: Look::Plain, list, id: "N".into() });
    }
}
