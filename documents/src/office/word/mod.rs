//! Word (DOCX) → blocks.
//!
//! - `styles`, `numbering`: what a paragraph is, and the number before it
//! - `body`: paragraphs and tables one after the other
//! - `paragraph`: the runs of a paragraph, with fields, notes, frames
//! - `math`: formulas as a line of text
//! - this file: the parts of a file, and their order: header and footer, text, endnotes

mod body;
mod math;
mod numbering;
mod paragraph;
mod styles;

use std::collections::{HashMap, HashSet};

use self::body::Reading;
use self::numbering::Numbering;
use self::styles::Styles;
use super::flow::{Flow, joined};
use super::margin;
use super::package::{Package, Relation};
use super::xml::Space;
use crate::block::{Kind, Place};
use crate::event::Refusal;
use crate::format::Format;
use crate::output::{Output, collapsed};

pub(crate) fn read(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let mut package = Package::open(Format::Docx, bytes, out.options().limits)?;
    let main = package.main_part("word/document.xml")?;
    let text = package.required(&main)?;
    let relations = package.relations(&main)?;
    package.tell_title("docProps/core.xml", out)?;

    let mut reading = Reading::new(Flow::new(out, Place::Text));
    if let Some(text) = part(&mut package, &relations, "styles")? {
        reading.styles = Styles::read(&mut package.xml(&text))?;
    }
    if let Some(text) = part(&mut package, &relations, "numbering")? {
        reading.numbering = Numbering::read(&mut package.xml(&text))?;
    }
    read_margins(&mut package, &relations, &mut reading)?;
    for (kind, name) in [("footnotes", "footnote"), ("endnotes", "endnote"), ("comments", "comment")] {
        if let Some(text) = part(&mut package, &relations, kind)? {
            let notes = read_notes(&package, &text, name, &mut reading)?;
            match kind {
                "footnotes" => reading.footnotes.texts = notes,
                "endnotes" => reading.endnotes.texts = notes,
                _ => reading.comments = notes,
            }
        }
    }
    reading.charts = charts(&mut package, &relations)?;

    let mut xml = package.xml(&text);
    while let Some(element) = xml.child()? {
        // Around the body stands the document; what else stands in it is no text.
        match (element.space, element.name()) {
            (Space::W, b"document") => {}
            (Space::W, b"body") => reading.blocks(&mut xml)?,
            _ => xml.skip()?,
        }
    }
    if reading.hidden {
        reading.flow.warn("text that is formatted as hidden was left out");
    }
    let endnotes = std::mem::take(&mut reading.endnotes_at_end);
    reading.flow.put_all(endnotes)?;
    reading.flow.finish()
}

/// The text of the part of this kind.
fn part(
    package: &mut Package<'_>,
    relations: &HashMap<String, Relation>,
    kind: &str,
) -> Result<Option<String>, Refusal> {
    match relations.values().find(|relation| relation.kind == kind) {
        Some(relation) => package.text(&relation.target),
        None => Ok(None),
    }
}

/// Headers and footers, each once, without those that hold nothing but the page's number.
fn read_margins(
    package: &mut Package<'_>,
    relations: &HashMap<String, Relation>,
    reading: &mut Reading<'_, '_>,
) -> Result<(), Refusal> {
    let mut parts: Vec<&Relation> =
        relations.values().filter(|relation| matches!(&*relation.kind, "header" | "footer")).collect();
    parts.sort_by(|one, other| (&other.kind, &one.target).cmp(&(&one.kind, &other.target)));
    let mut told = HashSet::new();
    for relation in parts {
        let Some(text) = package.text(&relation.target)? else { continue };
        reading.in_margin = true;
        reading.flow.hold();
        let mut xml = package.xml(&text);
        xml.child()?;
        reading.blocks(&mut xml)?;
        let text = collapsed(&joined(&reading.flow.release()));
        reading.in_margin = false;
        if !margin::is_page_number(&text) && told.insert(text.clone()) {
            let name = if relation.kind == "header" { "Header" } else { "Footer" };
            reading.flow.block(Kind::Field, format!("{name}: {text}"))?;
        }
    }
    Ok(())
}

/// Notes by their ids: footnotes, endnotes, comments with their authors.
fn read_notes(
    package: &Package<'_>,
    text: &str,
    name: &str,
    reading: &mut Reading<'_, '_>,
) -> Result<HashMap<String, String>, Refusal> {
    let mut notes = HashMap::new();
    let mut xml = package.xml(text);
    xml.child()?;
    while let Some(element) = xml.child()? {
        if element.space != Space::W || element.name() != name.as_bytes() {
            xml.skip()?;
            continue;
        }
        let id = element.attr(b"id").unwrap_or_default().into_owned();
        let author = element.attr(b"author").map(|author| collapsed(&author)).unwrap_or_default();
        reading.flow.hold();
        reading.blocks(&mut xml)?;
        let text = collapsed(&joined(&reading.flow.release()));
        let text = if author.is_empty() { text } else { format!("{author}: {text}") };
        notes.insert(id, text);
    }
    Ok(notes)
}

/// Where the charts lie that the text shows, by the ids of their relationships, each with its table.
fn charts(
    package: &mut Package<'_>,
    relations: &HashMap<String, Relation>,
) -> Result<HashMap<String, super::chart::Chart>, Refusal> {
    let mut charts = HashMap::new();
    for (id, relation) in relations.iter().filter(|(_, relation)| relation.kind == "chart") {
        if let Some(chart) = super::chart::read(package, &relation.target)? {
            charts.insert(id.clone(), chart);
        }
    }
    Ok(charts)
}
