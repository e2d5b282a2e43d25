//! OpenDocument: texts (ODT), slides (ODP) and sheets (ODS) → blocks.
//!
//! - `styles`: headings, captions and code by their styles; what is hidden
//! - `lists`: the numbers of lists and headings
//! - `text`: paragraphs, lists, tables, notes, frames; slides and cells are made of them, too
//! - `sheet`: cells with their values
//! - this file: the parts of a file, and slides

mod lists;
mod sheet;
mod styles;
mod text;

use std::collections::HashSet;

use self::styles::Styles;
use self::text::Reading;
use super::flow::{Flow, joined};
use super::margin;
use super::package::Package;
use super::xml::{Space, Xml};
use crate::block::{Kind, Place};
use crate::event::Refusal;
use crate::format::Format;
use crate::output::{Output, collapsed};

/// A file's content, and the styles of both its parts.
struct Opened<'a> {
    package: Package<'a>,
    content: String,
    styles_part: Option<String>,
    styles: Styles,
}

impl<'a> Opened<'a> {
    fn open(format: Format, bytes: &'a [u8], out: &mut Output<'_>) -> Result<Self, Refusal> {
        let mut package = Package::open(format, bytes, out.options().limits)?;
        let manifest = package.text("META-INF/manifest.xml")?;
        if manifest.is_some_and(|manifest| manifest.contains("encryption-data")) {
            return Err(Refusal::locked("an OpenDocument file", "LibreOffice"));
        }
        let content = package.required("content.xml")?;
        package.tell_title("meta.xml", out)?;
        let mut styles = Styles::default();
        let styles_part = package.text("styles.xml")?;
        if let Some(text) = &styles_part {
            styles.read(&mut package.xml(text))?;
        }
        styles.read(&mut package.xml(&content))?;
        Ok(Self { package, content, styles_part, styles })
    }
}

pub(crate) fn read_odt(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let Opened { package, content, styles_part, styles } = Opened::open(Format::Odt, bytes, out)?;
    let mut xml = package.xml(&content);
    let mut reading = Reading::new(Flow::new(out, Place::Text), package, styles);
    if let Some(text) = &styles_part {
        read_margins(text, &mut reading)?;
    }
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::Office, b"document-content" | b"body") => {}
            (Space::Office, b"text") => reading.blocks(&mut xml)?,
            _ => xml.skip()?,
        }
    }
    reading.finish()
}

/// Headers and footers of all kinds of pages, each once.
fn read_margins(text: &str, reading: &mut Reading<'_, '_, '_>) -> Result<(), Refusal> {
    let mut xml = reading.package.xml(text);
    let mut told = HashSet::new();
    while let Some(element) = xml.child()? {
        let name = match (element.space, element.name()) {
            (Space::Office, b"document-styles" | b"master-styles") | (Space::Style, b"master-page") => {
                continue;
            }
            (Space::Style, b"header" | b"header-first" | b"header-left") => "Header",
            (Space::Style, b"footer" | b"footer-first" | b"footer-left") => "Footer",
            _ => {
                xml.skip()?;
                continue;
            }
        };
        reading.in_margin = true;
        reading.flow.hold();
        reading.blocks(&mut xml)?;
        let text = collapsed(&joined(&reading.flow.release()));
        reading.in_margin = false;
        if !margin::is_page_number(&text) && told.insert(text.clone()) {
            reading.flow.block(Kind::Field, format!("{name}: {text}"))?;
        }
    }
    Ok(())
}

pub(crate) fn read_odp(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let limits = out.options().limits;
    let Opened { package, content, styles, .. } = Opened::open(Format::Odp, bytes, out)?;
    let mut xml = package.xml(&content);
    let mut reading = Reading::new(Flow::new(out, Place::Slide { slide: 1 }), package, styles);
    let mut number = 0;
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::Office, b"document-content" | b"body" | b"presentation") => {}
            (Space::Draw, b"page") => {
                number += 1;
                if number > limits.pages {
                    return Err(Refusal::too_much("slides", u64::from(limits.pages)));
                }
                reading.flow.place = Place::Slide { slide: number };
                let style = element.attr(b"style-name").unwrap_or_default();
                if reading.styles.is_hidden(&style) {
                    reading.flow.warn(format!("slide {number} is hidden; it was read"));
                }
                slide(&mut xml, number, &mut reading)?;
            }
            _ => xml.skip()?,
        }
    }
    reading.finish()
}

/// A slide: its title first, then what lies on it, then notes.
fn slide(xml: &mut Xml<'_>, number: u32, reading: &mut Reading<'_, '_, '_>) -> Result<(), Refusal> {
    let (mut title, mut has_title) = (String::new(), false);
    let mut notes = Vec::new();
    reading.flow.hold();
    while let Some(element) = xml.child()? {
        let class = xml.attr_in(&element, Space::Presentation, b"class");
        match (element.space, element.name()) {
            (Space::Presentation, b"notes") => {
                reading.flow.hold();
                reading.notes_page(xml)?;
                notes.push(collapsed(&joined(&reading.flow.release())));
            }
            (Space::Draw, _) if class.as_deref() == Some("title") => {
                has_title = true;
                reading.flow.hold();
                reading.shape_as_blocks(&element, xml)?;
                title.push(' ');
                title.push_str(&joined(&reading.flow.release()));
            }
            (Space::Draw, _)
                if matches!(class.as_deref(), Some("page-number" | "date-time" | "footer" | "header")) =>
            {
                xml.skip()?;
            }
            _ => reading.shape_as_blocks(&element, xml)?,
        }
    }
    let pieces = reading.flow.release();
    let title = collapsed(&title);
    if has_title || !pieces.is_empty() {
        let title = if title.is_empty() { format!("Slide {number}") } else { title };
        reading.flow.block(Kind::Heading(2), title)?;
    }
    reading.flow.put_all(pieces)?;
    for note in notes {
        reading.flow.block(Kind::Note, note)?;
    }
    reading.flow.write_code()
}

pub(crate) fn read_ods(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let Opened { package, content, styles, .. } = Opened::open(Format::Ods, bytes, out)?;
    let mut xml = package.xml(&content);
    sheet::read(&mut xml, &styles, out)
}
