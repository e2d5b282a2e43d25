//! What lies on a slide: shapes with paragraphs, tables, groups of shapes.

use crate::block::Kind;
use crate::event::Refusal;
use crate::office::counting::Counting;
use crate::office::flow::{Flow, Piece, Row, Table};
use crate::office::xml::{Element, Space, Xml};

/// Levels of lists.
const LEVELS: usize = 9;

/// What a shape is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Role {
    Title,
    /// A place for text, with bullets unless the text says otherwise.
    Body,
    /// A footer.
    Margin,
    /// A date or a number, which nobody wrote.
    Automatic,
    #[default]
    Other,
}

/// What a shape says.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub role: Role,
    paragraphs: Vec<Paragraph>,
    rows: Vec<Row>,
    /// The table says that its first row is a special one.
    marked: bool,
}

#[derive(Debug)]
struct Paragraph {
    text: String,
    /// The depth of an item.
    item: Option<u8>,
}

impl Shape {
    /// The text of its paragraphs.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
        texts.join(" ")
    }

    pub fn is_empty(&self) -> bool {
        self.paragraphs.is_empty() && self.rows.is_empty()
    }

    /// Tells it.
    pub fn put(self, flow: &mut Flow<'_, '_>) -> Result<(), Refusal> {
        for paragraph in self.paragraphs {
            let kind = paragraph.item.map_or(Kind::Paragraph, Kind::ListItem);
            flow.block(kind, paragraph.text)?;
        }
        let mut table = Table::default();
        table.marked = self.marked;
        for row in self.rows {
            table.row(row, flow)?;
        }
        table.finish(flow)
    }
}

/// A slide, a page of notes or a diagram.
#[derive(Debug, Default)]
pub(super) struct Slide {
    pub shapes: Vec<Shape>,
    pub has_title: bool,
    /// Relationships of charts and of the data of diagrams.
    pub charts: Vec<String>,
    pub diagrams: Vec<String>,
}

impl Slide {
    /// Reads what is in the rest of the element that is open.
    pub fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                // A point of a diagram is as a shape.
                (Space::P, b"sp") | (Space::Diagram, b"pt") => {
                    let shape = read_shape(xml)?;
                    self.has_title |= shape.role == Role::Title;
                    self.shapes.push(shape);
                }
                (Space::A, b"tbl") => {
                    let shape = read_table(xml)?;
                    self.shapes.push(shape);
                }
                (Space::Chart, b"chart") => {
                    self.charts.extend(xml.attr_in(&element, Space::R, b"id").map(Into::into));
                    xml.skip()?;
                }
                (Space::Diagram, b"relIds") => {
                    self.diagrams.extend(xml.attr_in(&element, Space::R, b"dm").map(Into::into));
                    xml.skip()?;
                }
                (Space::Mc, b"Fallback") => xml.skip()?,
                _ => self.read(xml)?,
            }
        }
        Ok(())
    }
}

fn read_shape(xml: &mut Xml<'_>) -> Result<Shape, Refusal> {
    let mut shape = Shape::default();
    let mut plain = false;
    read_shape_parts(xml, &mut shape, &mut plain)?;
    Ok(shape)
}

fn read_shape_parts(xml: &mut Xml<'_>, shape: &mut Shape, plain: &mut bool) -> Result<(), Refusal> {
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::P, b"ph") => {
                (shape.role, *plain) = role(&element);
                xml.skip()?;
            }
            (_, b"txBody") | (Space::Diagram, b"t") => {
                let bullets = shape.role == Role::Body && !*plain;
                shape.paragraphs.extend(read_text(xml, bullets, &mut true)?);
            }
            (Space::Mc, b"Fallback") => xml.skip()?,
            _ => read_shape_parts(xml, shape, plain)?,
        }
    }
    Ok(())
}

/// What a placeholder is for, and whether its text has no bullets.
fn role(element: &Element<'_>) -> (Role, bool) {
    match element.attr(b"type").as_deref() {
        Some("title" | "ctrTitle") => (Role::Title, true),
        Some("sldNum" | "dt") => (Role::Automatic, true),
        Some("ftr" | "hdr") => (Role::Margin, true),
        Some("subTitle") => (Role::Body, true),
        Some("body" | "obj") | None => (Role::Body, false),
        Some(_) => (Role::Other, true),
    }
}

/// The paragraphs of a text. `bold` becomes false if some of it is not.
fn read_text(xml: &mut Xml<'_>, bullets: bool, bold: &mut bool) -> Result<Vec<Paragraph>, Refusal> {
    let mut paragraphs = Vec::new();
    let mut counters = [None; LEVELS];
    let mut marks: [Mark; LEVELS] = std::array::from_fn(|_| if bullets { Mark::Bullet } else { Mark::None });
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::A, b"p") => paragraphs.extend(read_paragraph(xml, &marks, &mut counters, bold)?),
            // How the paragraphs of each level of this shape begin, where they do not say so themselves.
            (Space::A, b"lstStyle") => {
                while let Some(element) = xml.child()? {
                    match level_of(element.name()).and_then(|level| marks.get_mut(level)) {
                        Some(mark) => read_mark(xml, mark)?,
                        None => xml.skip()?,
                    }
                }
            }
            _ => xml.skip()?,
        }
    }
    Ok(paragraphs)
}

/// What a paragraph begins with.
#[derive(Debug, Clone)]
enum Mark {
    None,
    Bullet,
    /// The way it counts, and its first number.
    Number(String, i64),
}

/// The level, counted from 0, that an element such as `lvl2pPr` speaks of.
fn level_of(name: &[u8]) -> Option<usize> {
    let digit = name.strip_prefix(b"lvl")?.strip_suffix(b"pPr")?;
    std::str::from_utf8(digit).ok()?.parse::<usize>().ok()?.checked_sub(1)
}

/// Reads the mark in the rest of the properties that are open, if they name one.
fn read_mark(xml: &mut Xml<'_>, mark: &mut Mark) -> Result<(), Refusal> {
    while let Some(element) = xml.child()? {
        match element.name() {
            b"buNone" => *mark = Mark::None,
            b"buChar" | b"buBlip" => *mark = Mark::Bullet,
            b"buAutoNum" => {
                let kind = element.attr(b"type").unwrap_or_default().into_owned();
                *mark = Mark::Number(kind, element.number(b"startAt").unwrap_or(1));
            }
            _ => {}
        }
        xml.skip()?;
    }
    Ok(())
}

fn read_paragraph(
    xml: &mut Xml<'_>,
    marks: &[Mark; LEVELS],
    counters: &mut [Option<i64>; LEVELS],
    bold: &mut bool,
) -> Result<Option<Paragraph>, Refusal> {
    let mut text = String::new();
    let mut level = 0;
    let mut mark = marks[0].clone();
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::A, b"pPr") => {
                level = element.number(b"lvl").unwrap_or(0).min(LEVELS - 1);
                mark.clone_from(&marks[level]);
                read_mark(xml, &mut mark)?;
            }
            (Space::A, b"r" | b"fld") => run(xml, &mut text, bold)?,
            (Space::A, b"br") => {
                text.push(' ');
                xml.skip()?;
            }
            (Space::M, _) | (Space::Mc, b"AlternateContent") | (Space::Other, b"m") => {
                formula(xml, &mut text)?;
            }
            _ => xml.skip()?,
        }
    }
    if text.trim().is_empty() {
        return Ok(None);
    }
    counters[level + 1..].fill(None);
    match &mark {
        Mark::Number(kind, start) => {
            let number = counters[level].map_or(*start, |last| last.saturating_add(1));
            counters[level] = Some(number);
            text.insert_str(0, &format!("{} ", numbered_mark(kind, number)));
        }
        Mark::None | Mark::Bullet => counters[level] = None,
    }
    let is_item = !matches!(mark, Mark::None);
    Ok(Some(Paragraph { text, item: is_item.then(|| u8::try_from(level).unwrap_or(0)) }))
}

fn run(xml: &mut Xml<'_>, text: &mut String, bold: &mut bool) -> Result<(), Refusal> {
    let mut is_bold = false;
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::A, b"t") => {
                let begin = text.len();
                xml.text_into(text)?;
                *bold &= is_bold || text[begin..].trim().is_empty();
            }
            (Space::A, b"rPr") => {
                is_bold = element.switch(b"b") == Some(true);
                xml.skip()?;
            }
            _ => xml.skip()?,
        }
    }
    Ok(())
}

/// A formula, or text that newer programs show in another way: its first choice.
fn formula(xml: &mut Xml<'_>, text: &mut String) -> Result<(), Refusal> {
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::M | Space::A, b"t") => xml.text_into(text)?,
            (Space::Mc, b"Fallback") => xml.skip()?,
            _ => formula(xml, text)?,
        }
    }
    Ok(())
}

/// A number as its list writes it: `arabicParenBoth` is `(1)`.
fn numbered_mark(kind: &str, number: i64) -> String {
    let counting = if kind.starts_with("alphaLc") {
        Counting::LowerLetter
    } else if kind.starts_with("alphaUc") {
        Counting::UpperLetter
    } else if kind.starts_with("romanLc") {
        Counting::LowerRoman
    } else if kind.starts_with("romanUc") {
        Counting::UpperRoman
    } else if kind.starts_with("circle") {
        Counting::Circled
    } else {
        Counting::Decimal
    };
    let number = counting.write(number);
    if kind.ends_with("ParenBoth") {
        format!("({number})")
    } else if kind.ends_with("ParenR") {
        format!("{number})")
    } else if kind.ends_with("Plain") {
        number
    } else {
        format!("{number}.")
    }
}

fn read_table(xml: &mut Xml<'_>) -> Result<Shape, Refusal> {
    let mut shape = Shape::default();
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::A, b"tblPr") => {
                shape.marked = element.switch(b"firstRow") == Some(true);
                xml.skip()?;
            }
            (Space::A, b"tr") => {
                let row = read_row(xml)?;
                shape.rows.push(row);
            }
            _ => xml.skip()?,
        }
    }
    Ok(shape)
}

fn read_row(xml: &mut Xml<'_>) -> Result<Row, Refusal> {
    let (mut row, mut bold) = (Row::default(), true);
    while let Some(element) = xml.child()? {
        if (element.space, element.name()) != (Space::A, b"tc") {
            xml.skip()?;
            continue;
        }
        // Cells that are merged with another stand in the file, too.
        let goes_on = [b"hMerge", b"vMerge"].iter().any(|name| element.switch(&name[..]) == Some(true));
        let mut pieces = Vec::new();
        while let Some(element) = xml.child()? {
            if element.name() == b"txBody" {
                let paragraphs = read_text(xml, false, &mut bold)?;
                let blocks = paragraphs.into_iter().map(|text| Piece::Block(Kind::Paragraph, text.text));
                pieces.extend(blocks);
            } else {
                xml.skip()?;
            }
        }
        if goes_on { row.pad(1) } else { row.cell(pieces, 1) }
    }
    row.bold = bold;
    Ok(row)
}

/// A comment and its replies: who wrote it (an id), and the text.
pub(super) fn comment(xml: &mut Xml<'_>, author: String) -> Result<Vec<(String, String)>, Refusal> {
    let mut found = vec![(author, String::new())];
    comment_parts(xml, &mut found, 0)?;
    Ok(found)
}

fn comment_parts(xml: &mut Xml<'_>, found: &mut Vec<(String, String)>, at: usize) -> Result<(), Refusal> {
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::P, b"text") | (Space::A, b"t") => {
                let text = xml.text()?;
                if let Some((_, so_far)) = found.get_mut(at) {
                    so_far.push_str(&text);
                }
            }
            (Space::A, b"p") => {
                comment_parts(xml, found, at)?;
                if let Some((_, so_far)) = found.get_mut(at) {
                    so_far.push(' ');
                }
            }
            (Space::Comment, b"reply") => {
                found.push((element.attr(b"authorId").unwrap_or_default().into_owned(), String::new()));
                let reply = found.len() - 1;
                comment_parts(xml, found, reply)?;
            }
            _ => comment_parts(xml, found, at)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_their_list_says() {
        let marks = [
            ("arabicPeriod", 3, "3."),
            ("alphaLcParenR", 2, "b)"),
            ("romanUcPeriod", 4, "IV."),
            ("arabicParenBoth", 1, "(1)"),
            ("arabicPlain", 7, "7"),
            ("circleNumDbPlain", 2, "②"),
        ];
        for (kind, number, mark) in marks {
            assert_eq!(numbered_mark(kind, number), mark);
        }
    }
}
