//! The blocks of a Word file: paragraphs, tables, and what is wrapped around them.

use std::collections::HashMap;

use super::numbering::Numbering;
use super::paragraph::{Paragraph, Part};
use super::styles::{Look, Properties, Styles, heading_of};
use crate::block::Kind;
use crate::event::Refusal;
use crate::office::chart::Chart;
use crate::office::flow::{Flow, Piece, Row, Table};
use crate::office::xml::{Space, Xml};

/// Notes that are numbered in the order in which the text mentions them.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// By their ids. A note is taken out when it is told.
    pub texts: HashMap<String, String>,
    pub told: i64,
}

/// A field of which the instruction or the result is being read.
#[derive(Debug, Default)]
pub(super) struct Field {
    pub instruction: String,
    pub in_result: bool,
}

#[expect(clippy::struct_excessive_bools, reason = "each is true or false whatever the others are")]
pub(super) struct Reading<'f, 'o> {
    pub flow: Flow<'f, 'o>,
    pub styles: Styles,
    pub numbering: Numbering,
    pub footnotes: Notes,
    pub endnotes: Notes,
    pub endnotes_at_end: Vec<Piece>,
    /// With their authors, by their ids.
    pub comments: HashMap<String, String>,
    pub charts: HashMap<String, Chart>,
    /// In a header or footer, where the numbers of pages are left out.
    pub in_margin: bool,
    /// Fields that are open, the innermost last.
    pub fields: Vec<Field>,
    /// There was hidden text.
    pub hidden: bool,
    /// There was text, since it was asked last, that is bold; that is not.
    pub bold: bool,
    pub plain: bool,
}

impl<'f, 'o> Reading<'f, 'o> {
    pub fn new(flow: Flow<'f, 'o>) -> Self {
        Self {
            flow,
            styles: Styles::default(),
            numbering: Numbering::default(),
            footnotes: Notes::default(),
            endnotes: Notes::default(),
            endnotes_at_end: Vec::new(),
            comments: HashMap::new(),
            charts: HashMap::new(),
            in_margin: false,
            fields: Vec::new(),
            hidden: false,
            bold: false,
            plain: false,
        }
    }

    /// The blocks in the rest of the element that is open.
    pub fn blocks(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::W, b"p") => self.paragraph(xml)?,
                (Space::W, b"tbl") => self.table(xml)?,
                (Space::W, b"sdt" | b"sdtContent" | b"ins" | b"moveTo" | b"customXml" | b"smartTag") => {
                    self.blocks(xml)?;
                }
                (Space::Mc, b"AlternateContent") => self.alternatives(xml, Self::blocks)?,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// The first of several ways to show something: the others show the same to older programs.
    pub fn alternatives(
        &mut self,
        xml: &mut Xml<'_>,
        mut read: impl FnMut(&mut Self, &mut Xml<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut taken = false;
        while let Some(element) = xml.child()? {
            if element.space == Space::Mc && !taken {
                taken = true;
                read(self, xml)?;
            } else {
                xml.skip()?;
            }
        }
        Ok(())
    }

    fn paragraph(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        let mut properties = Properties::default();
        let mut paragraph = Paragraph::default();
        while let Some(element) = xml.child()? {
            if (element.space, element.name()) == (Space::W, b"pPr") {
                properties = Properties::read(xml)?;
            } else {
                self.inline(&element, xml, &mut paragraph)?;
            }
        }
        // An instruction does not go on in the next paragraph. If the file forgot its end, the text is not lost.
        for field in &mut self.fields {
            field.in_result = true;
        }
        self.put_paragraph(&properties, paragraph)
    }

    fn put_paragraph(&mut self, properties: &Properties, paragraph: Paragraph) -> Result<(), Refusal> {
        let applied = self.styles.apply(properties.style.as_deref());
        let look = match properties.outline {
            Some(outline) if !matches!(applied.look, Look::Caption | Look::Code) => {
                heading_of(outline).unwrap_or_default()
            }
            _ => applied.look,
        };
        let is_empty = paragraph.text.trim().is_empty();
        let mut list = properties.list.clone();
        list.list = list.list.or(applied.list.list);
        list.level = list.level.or(applied.list.level);
        // An item without a word counts, too: the next one shows the number after it.
        let item = self.numbering.count(&list, &applied.id, &self.styles);
        let kind = match (look, &item) {
            (Look::Heading(level), _) => Kind::Heading(level),
            (Look::Caption, _) => Kind::Caption,
            (Look::Code, _) => Kind::Code,
            (Look::Plain, Some(item)) => Kind::ListItem(item.depth),
            (Look::Plain, None) => Kind::Paragraph,
        };
        let mark = item.map(|item| item.mark).filter(|mark| !mark.is_empty());
        let text = match mark {
            Some(mark) => format!("{mark} {}", paragraph.text),
            None => paragraph.text,
        };
        // Empty lines are part of code, and of nothing else.
        if !is_empty || kind == Kind::Code {
            self.flow.block(kind, text)?;
        }
        for part in paragraph.after {
            match part {
                Part::Piece(piece) => self.flow.put(piece)?,
                Part::Chart(chart) => chart.put(&mut self.flow)?,
            }
        }
        Ok(())
    }

    fn table(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        let mut table = Table::default();
        self.rows(xml, &mut table)?;
        table.finish(&mut self.flow)
    }

    fn rows(&mut self, xml: &mut Xml<'_>, table: &mut Table) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::W, b"tr") => {
                    if let Some(row) = self.row(xml)? {
                        table.row(row, &mut self.flow)?;
                    }
                }
                (Space::W, b"tblPr") => {
                    while let Some(element) = xml.child()? {
                        if element.name() == b"tblLook" {
                            table.marked = first_row_is_marked(&element);
                        }
                        xml.skip()?;
                    }
                }
                (Space::W, b"sdt" | b"sdtContent" | b"ins" | b"moveTo" | b"customXml") => {
                    self.rows(xml, table)?;
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// A row; nothing if it is a deleted one.
    fn row(&mut self, xml: &mut Xml<'_>) -> Result<Option<Row>, Refusal> {
        (self.bold, self.plain) = (false, false);
        let (mut row, mut state) = (Row::default(), RowState::default());
        self.cells(xml, &mut row, &mut state)?;
        row.pad(state.columns_after);
        row.bold = self.bold && !self.plain;
        Ok((!state.deleted).then_some(row))
    }

    fn cells(&mut self, xml: &mut Xml<'_>, row: &mut Row, state: &mut RowState) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::W, b"tc") => self.cell(xml, row)?,
                (Space::W, b"trPr") => {
                    while let Some(element) = xml.child()? {
                        match element.name() {
                            b"tblHeader" => row.header = element.is_on(),
                            b"gridBefore" => row.pad(element.number(b"val").unwrap_or(0)),
                            b"gridAfter" => state.columns_after = element.number(b"val").unwrap_or(0),
                            b"del" => state.deleted = true,
                            _ => {}
                        }
                        xml.skip()?;
                    }
                }
                (Space::W, b"sdt" | b"sdtContent" | b"ins" | b"customXml") => {
                    self.cells(xml, row, state)?;
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn cell(&mut self, xml: &mut Xml<'_>, row: &mut Row) -> Result<(), Refusal> {
        let (mut columns, mut goes_on) = (1, false);
        self.flow.hold();
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::W, b"tcPr") => {
                    while let Some(element) = xml.child()? {
                        match element.name() {
                            b"gridSpan" => columns = element.number(b"val").unwrap_or(1),
                            b"vMerge" | b"hMerge" => {
                                goes_on = element.attr(b"val").is_none_or(|value| value != "restart");
                            }
                            _ => {}
                        }
                        xml.skip()?;
                    }
                }
                (Space::W, b"p") => self.paragraph(xml)?,
                (Space::W, b"tbl") => self.table(xml)?,
                (Space::W, b"sdt" | b"ins" | b"moveTo" | b"customXml") => self.blocks(xml)?,
                (Space::Mc, b"AlternateContent") => self.alternatives(xml, Self::blocks)?,
                _ => xml.skip()?,
            }
        }
        let pieces = self.flow.release();
        if goes_on {
            row.pad(columns);
        } else {
            row.cell(pieces, columns);
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
struct RowState {
    columns_after: usize,
    deleted: bool,
}

/// Whether the table's style treats the first row as a special one: by name, or by a bit of a number.
fn first_row_is_marked(look: &crate::office::xml::Element<'_>) -> bool {
    look.switch(b"firstRow").unwrap_or_else(|| {
        let bits = look.attr(b"val").and_then(|value| u32::from_str_radix(&value, 16).ok());
        bits.is_some_and(|bits| bits & 0x20 != 0)
    })
}
