//! PowerPoint (PPTX) → blocks: slide by slide, in the order of the show.
//!
//! - `shapes`: what lies on a slide: titles, texts, tables, groups, charts, diagrams
//! - this file: which slides there are, and what belongs to each: notes, comments
//!
//! A slide's title is a heading of level 2; there is none of level 1. A slide without a title is called by its number, so that
//! its text does not seem to stand under the title of the slide before it.

mod shapes;

use std::collections::{HashMap, HashSet};

use self::shapes::{Role, Shape, Slide};
use super::flow::{Flow, Piece};
use super::package::{Package, Relation};
use super::xml::Space;
use crate::block::{Kind, Place};
use crate::event::Refusal;
use crate::format::Format;
use crate::output::{Output, collapsed};

pub(crate) fn read(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let limits = out.options().limits;
    let mut package = Package::open(Format::Pptx, bytes, limits)?;
    let main = package.main_part("ppt/presentation.xml")?;
    let relations = package.relations(&main)?;
    package.tell_title("docProps/core.xml", out)?;
    let slides = order(&mut package, &main)?;
    if slides.len() > limits.pages as usize {
        return Err(Refusal::too_much("slides", u64::from(limits.pages)));
    }
    let authors = authors(&mut package, &relations)?;
    let mut deck = Deck { flow: Flow::new(out, Place::Text), package, authors, margins: HashSet::new() };
    for (number, id) in (1..).zip(slides) {
        // A slide whose file is missing was deleted by a program that forgot to say so.
        if let Some(relation) = relations.get(&id) {
            deck.slide(number, &relation.target)?;
        }
    }
    deck.flow.finish()
}

/// The relationships of the slides, in the order of the show.
fn order(package: &mut Package<'_>, main: &str) -> Result<Vec<String>, Refusal> {
    let text = package.required(main)?;
    let mut xml = package.xml(&text);
    let mut slides = Vec::new();
    xml.child()?;
    while let Some(element) = xml.child()? {
        if (element.space, element.name()) != (Space::P, b"sldIdLst") {
            xml.skip()?;
            continue;
        }
        while let Some(element) = xml.child()? {
            slides.extend(xml.attr_in(&element, Space::R, b"id").map(std::borrow::Cow::into_owned));
            xml.skip()?;
        }
    }
    Ok(slides)
}

/// The names of those who commented, by their ids.
fn authors(
    package: &mut Package<'_>,
    relations: &HashMap<String, Relation>,
) -> Result<HashMap<String, String>, Refusal> {
    let mut authors = HashMap::new();
    for relation in
        relations.values().filter(|relation| matches!(&*relation.kind, "commentAuthors" | "authors"))
    {
        let Some(text) = package.text(&relation.target)? else { continue };
        let mut xml = package.xml(&text);
        xml.child()?;
        while let Some(element) = xml.child()? {
            if let (Some(id), Some(name)) = (element.attr(b"id"), element.attr(b"name")) {
                authors.insert(id.into_owned(), collapsed(&name));
            }
            xml.skip()?;
        }
    }
    Ok(authors)
}

struct Deck<'f, 'o, 'a> {
    flow: Flow<'f, 'o>,
    package: Package<'a>,
    authors: HashMap<String, String>,
    /// Footers that were told: most stand on every slide.
    margins: HashSet<String>,
}

impl Deck<'_, '_, '_> {
    fn slide(&mut self, number: u32, member: &str) -> Result<(), Refusal> {
        let Some(text) = self.package.text(member)? else { return Ok(()) };
        let relations = self.package.relations(member)?;
        self.flow.place = Place::Slide { slide: number };
        let mut slide = Slide::default();
        let mut xml = self.package.xml(&text);
        let hidden = xml.child()?.is_some_and(|element| element.switch(b"show") == Some(false));
        slide.read(&mut xml)?;
        if hidden {
            self.flow.warn(format!("slide {number} is hidden; it was read"));
        }

        let titles = slide.shapes.iter().filter(|shape| shape.role == Role::Title);
        let title = collapsed(&titles.map(Shape::text).collect::<Vec<_>>().join(" "));
        slide.shapes.retain(|shape| !matches!(shape.role, Role::Title | Role::Automatic));
        let title = if title.is_empty() { format!("Slide {number}") } else { title };
        let has_text = |shape: &Shape| shape.role != Role::Margin && !shape.is_empty();
        let has_graphics = !slide.charts.is_empty() || !slide.diagrams.is_empty();
        if slide.has_title || has_graphics || slide.shapes.iter().any(has_text) {
            self.flow.block(Kind::Heading(2), title)?;
        }
        for shape in slide.shapes {
            if shape.role == Role::Margin {
                let text = collapsed(&shape.text());
                if !super::margin::is_page_number(&text) && self.margins.insert(text.clone()) {
                    self.flow.block(Kind::Field, format!("Footer: {text}"))?;
                }
                continue;
            }
            shape.put(&mut self.flow)?;
        }
        self.graphics(&slide.charts, &slide.diagrams, &relations)?;
        self.beside(&relations)?;
        self.flow.write_code()
    }

    /// Charts and diagrams, which are files of their own.
    fn graphics(
        &mut self,
        charts: &[String],
        diagrams: &[String],
        relations: &HashMap<String, Relation>,
    ) -> Result<(), Refusal> {
        for relation in charts.iter().filter_map(|id| relations.get(id)) {
            if let Some(chart) = super::chart::read(&mut self.package, &relation.target)? {
                chart.put(&mut self.flow)?;
            }
        }
        for relation in diagrams.iter().filter_map(|id| relations.get(id)) {
            let Some(text) = self.package.text(&relation.target)? else { continue };
            let mut diagram = Slide::default();
            diagram.read(&mut self.package.xml(&text))?;
            for shape in diagram.shapes {
                let text = shape.text();
                self.flow.block(Kind::ListItem(0), text)?;
            }
        }
        Ok(())
    }

    /// A speaker's notes, and comments.
    fn beside(&mut self, relations: &HashMap<String, Relation>) -> Result<(), Refusal> {
        let mut beside: Vec<&Relation> = relations.values().collect();
        beside.sort_by(|one, other| (&one.kind, &one.target).cmp(&(&other.kind, &other.target)));
        for relation in &beside {
            if relation.kind == "comments" {
                self.comments(&relation.target)?;
            }
        }
        for relation in &beside {
            if relation.kind == "notesSlide" {
                let Some(text) = self.package.text(&relation.target)? else { continue };
                let mut notes = Slide::default();
                notes.read(&mut self.package.xml(&text))?;
                for shape in notes.shapes.iter().filter(|shape| shape.role == Role::Body) {
                    let text = shape.text();
                    self.flow.put(Piece::Block(Kind::Note, text))?;
                }
            }
        }
        Ok(())
    }

    /// Comments of both kinds: a text, or the paragraphs of a shape.
    fn comments(&mut self, member: &str) -> Result<(), Refusal> {
        let Some(text) = self.package.text(member)? else { return Ok(()) };
        let mut xml = self.package.xml(&text);
        xml.child()?;
        while let Some(element) = xml.child()? {
            if !matches!((element.space, element.name()), (Space::P | Space::Comment, b"cm")) {
                xml.skip()?;
                continue;
            }
            let author = element.attr(b"authorId").and_then(|id| self.authors.get(&*id).cloned());
            for (author, text) in shapes::comment(&mut xml, author.unwrap_or_default())? {
                let author = self.authors.get(&author).unwrap_or(&author);
                let text = if author.is_empty() { text } else { format!("{author}: {text}") };
                self.flow.block(Kind::Note, text)?;
            }
        }
        Ok(())
    }
}
