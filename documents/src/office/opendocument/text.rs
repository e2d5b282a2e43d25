//! The text of OpenDocument files: paragraphs, lists, tables, notes, frames.
//!
//! What was deleted is kept apart in the file and left out here.

use std::collections::HashSet;

use super::styles::{Look, Styles};
use crate::block::Kind;
use crate::event::Refusal;
use crate::office::counting::Counting;
use crate::office::flow::{Flow, Piece, Row, Table, joined};
use crate::office::package::Package;
use crate::office::xml::{Element, Node, Space, Xml};
use crate::output::collapsed;

pub(super) struct Reading<'f, 'o, 'a> {
    pub flow: Flow<'f, 'o>,
    pub package: Package<'a>,
    pub styles: Styles,
    /// In a header or footer, where the numbers of pages are left out.
    pub in_margin: bool,
    footnotes: i64,
    endnotes: i64,
    endnotes_at_end: Vec<Piece>,
    /// Formulas and charts that were told.
    objects: HashSet<String>,
}

/// A list, around what is being read.
#[derive(Debug, Clone, Default)]
struct List {
    style: String,
    level: usize,
    /// What the next paragraph's number is to be; nothing inside of an item that was numbered.
    pending: Option<Pending>,
}

#[derive(Debug, Clone, Copy)]
struct Pending {
    from: Option<i64>,
}

#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    /// Notes and frames, which follow it.
    after: Vec<Piece>,
}

impl<'f, 'o, 'a> Reading<'f, 'o, 'a> {
    pub fn new(flow: Flow<'f, 'o>, package: Package<'a>, styles: Styles) -> Self {
        Self {
            flow,
            package,
            styles,
            in_margin: false,
            footnotes: 0,
            endnotes: 0,
            endnotes_at_end: Vec::new(),
            objects: HashSet::new(),
        }
    }

    pub fn finish(mut self) -> Result<(), Refusal> {
        let endnotes = std::mem::take(&mut self.endnotes_at_end);
        self.flow.put_all(endnotes)?;
        self.flow.finish()
    }

    /// The blocks in the rest of the element that is open.
    pub fn blocks(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        self.blocks_in(xml, None)
    }

    fn blocks_in(&mut self, xml: &mut Xml<'_>, mut list: Option<&mut List>) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            self.block(&element, xml, list.as_deref_mut())?;
        }
        Ok(())
    }

    fn block(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
        list: Option<&mut List>,
    ) -> Result<(), Refusal> {
        match (element.space, element.name()) {
            (Space::Text, b"p" | b"h") => self.paragraph(element, xml, list),
            (Space::Text, b"list") => self.list(element, xml, list),
            (Space::Text, b"numbered-paragraph") => self.numbered_paragraph(element, xml),
            (Space::Table, b"table") => self.table(xml),
            (Space::Text, b"tracked-changes" | b"number") => xml.skip(),
            // Declarations, and how an index is made.
            (Space::Text, name) if name.ends_with(b"-decls") || name.ends_with(b"-source") => xml.skip(),
            (Space::Text, _) => self.blocks_in(xml, list),
            (Space::Draw, _) | (Space::Office, b"annotation") => self.shape_as_blocks(element, xml),
            _ => xml.skip(),
        }
    }

    fn paragraph(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
        list: Option<&mut List>,
    ) -> Result<(), Refusal> {
        let look = element.attr(b"style-name").map(|style| self.styles.look(&style)).unwrap_or_default();
        let heading = (element.name() == b"h").then(|| element.number(b"outline-level").unwrap_or(1));
        let is_numbered = element.switch(b"is-list-header") != Some(true);
        let from = element.number(b"start-value");
        let mut paragraph = Paragraph::default();
        self.inline(xml, &mut paragraph)?;

        let is_empty = paragraph.text.trim().is_empty();
        let mut mark = String::new();
        let mut item = None;
        if let Some(list) = list
            && let Some(pending) = list.pending.take()
        {
            // An item without a word counts, too: the next one shows the number after it.
            let own = element.attr(b"style-name").filter(|_| list.style.is_empty());
            let by_paragraph =
                own.as_deref().and_then(|style| self.styles.list_style(style)).map(String::from);
            let style = by_paragraph.as_ref().unwrap_or(&list.style);
            mark = self.styles.lists.count(style, list.level, pending.from);
            item = Some(u8::try_from(list.level).unwrap_or(u8::MAX));
        } else if let Some(level) = heading.filter(|_| !is_empty && is_numbered) {
            mark = self.styles.lists.count_heading(level, from);
        }
        let kind = match (heading, look, item) {
            (Some(level), ..) => Kind::Heading(u8::try_from(level.clamp(1, 6)).unwrap_or(6)),
            (None, Look::Title, _) => Kind::Heading(1),
            (None, Look::Heading(level), _) => Kind::Heading(level.min(6)),
            (None, Look::Caption, _) => Kind::Caption,
            (None, Look::Code, _) => Kind::Code,
            (None, Look::Plain, Some(depth)) => Kind::ListItem(depth),
            (None, Look::Plain, None) => Kind::Paragraph,
        };
        let text = if mark.is_empty() { paragraph.text } else { format!("{mark} {}", paragraph.text) };
        if !is_empty || kind == Kind::Code {
            self.flow.block(kind, text)?;
        }
        self.flow.put_all(paragraph.after)
    }

    fn list(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
        around: Option<&mut List>,
    ) -> Result<(), Refusal> {
        let level = around.as_ref().map_or(0, |outer| outer.level + 1);
        let outer = around.map(|outer| outer.style.as_str());
        let style = self.styles.lists.begin(element, level, outer);
        let mut list = List { style, level, pending: None };
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::Text, b"list-item") => {
                    list.pending = Some(Pending { from: element.number(b"start-value") });
                    self.blocks_in(xml, Some(&mut list))?;
                }
                (Space::Text, b"list-header") => {
                    list.pending = None;
                    self.blocks_in(xml, Some(&mut list))?;
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// An item that stands without its list, whose numbering it goes on with.
    fn numbered_paragraph(&mut self, element: &Element<'_>, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        let style = element.attr(b"style-name").map(String::from).unwrap_or_default();
        let level = element.number::<usize>(b"level").unwrap_or(1).saturating_sub(1);
        let pending = Some(Pending { from: element.number(b"start-value") });
        self.blocks_in(xml, Some(&mut List { style, level, pending }))
    }

    /// Text in the rest of the element that is open, and what stands in it.
    fn inline(&mut self, xml: &mut Xml<'_>, paragraph: &mut Paragraph) -> Result<(), Refusal> {
        while let Some(node) = xml.next()? {
            let element = match node {
                Node::Text(text) => {
                    paragraph.text.push_str(&text);
                    continue;
                }
                Node::Close => break,
                Node::Open(element) => element,
            };
            match (element.space, element.name()) {
                (Space::Text, b"s") => {
                    let count = element.number(b"c").unwrap_or(1_usize);
                    paragraph.text.extend(std::iter::repeat_n(' ', count.min(80)));
                    xml.skip()?;
                }
                (Space::Text, b"tab") => {
                    paragraph.text.push('\t');
                    xml.skip()?;
                }
                (Space::Text, b"line-break") => {
                    paragraph.text.push('\n');
                    xml.skip()?;
                }
                (Space::Text, b"note") => self.note(&element, xml, paragraph)?,
                (Space::Text, b"page-number" | b"page-count") if self.in_margin => xml.skip()?,
                (Space::Text, b"ruby-text" | b"number" | b"script" | b"hidden-text") => xml.skip()?,
                (Space::Text, _) => self.inline(xml, paragraph)?,
                (Space::Draw, _) => self.shape(&element, xml, paragraph)?,
                (Space::Office, b"annotation") => self.annotation(xml, paragraph)?,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn note(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
        paragraph: &mut Paragraph,
    ) -> Result<(), Refusal> {
        let is_endnote = element.attr(b"note-class").as_deref() == Some("endnote");
        let (mut label, mut text) = (None, String::new());
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::Text, b"note-citation") => {
                    // A mark of the author's own.
                    label = element.attr(b"label").map(String::from);
                    xml.skip()?;
                }
                (Space::Text, b"note-body") => {
                    self.flow.hold();
                    self.blocks(xml)?;
                    text = joined(&self.flow.release());
                }
                _ => xml.skip()?,
            }
        }
        let (counter, counting) = if is_endnote {
            (&mut self.endnotes, Counting::LowerRoman)
        } else {
            (&mut self.footnotes, Counting::Decimal)
        };
        let mark = label.unwrap_or_else(|| {
            *counter += 1;
            counting.write(*counter)
        });
        let mark = format!("[{mark}]");
        paragraph.text.push_str(&mark);
        let note = Piece::Block(Kind::Footnote, format!("{mark} {text}"));
        if is_endnote {
            self.endnotes_at_end.push(note);
        } else {
            paragraph.after.push(note);
        }
        Ok(())
    }

    /// A remark, with its author.
    fn annotation(&mut self, xml: &mut Xml<'_>, paragraph: &mut Paragraph) -> Result<(), Refusal> {
        let mut author = String::new();
        self.flow.hold();
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::Dc, b"creator") => xml.text_into(&mut author)?,
                (Space::Text, b"p" | b"h" | b"list") => self.block(&element, xml, None)?,
                _ => xml.skip()?,
            }
        }
        let text = joined(&self.flow.release());
        let author = collapsed(&author);
        let text = if author.is_empty() { text } else { format!("{author}: {text}") };
        paragraph.after.push(Piece::Block(Kind::Note, text));
        Ok(())
    }

    /// A frame, a group, a shape: texts and tables in it follow the paragraph; a formula stands in it.
    fn shape(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
        paragraph: &mut Paragraph,
    ) -> Result<(), Refusal> {
        match (element.space, element.name()) {
            (Space::Draw, b"object") => {
                let object = xml.attr_in(element, Space::Xlink, b"href").map(String::from);
                xml.skip()?;
                return self.object(&object.unwrap_or_default(), paragraph);
            }
            (Space::Office, b"annotation") => return self.annotation(xml, paragraph),
            _ => {}
        }
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::Draw, _) | (Space::Office, b"annotation") => self.shape(&element, xml, paragraph)?,
                (Space::Text | Space::Table, _) => {
                    self.flow.hold();
                    self.block(&element, xml, None)?;
                    paragraph.after.extend(self.flow.release());
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// A shape that stands by itself.
    pub fn shape_as_blocks(&mut self, element: &Element<'_>, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        if !matches!(element.space, Space::Draw | Space::Office | Space::Table) {
            return xml.skip();
        }
        if (element.space, element.name()) == (Space::Office, b"forms") {
            return xml.skip();
        }
        let mut paragraph = Paragraph::default();
        self.shape(element, xml, &mut paragraph)?;
        if !paragraph.text.trim().is_empty() {
            self.flow.block(Kind::Paragraph, paragraph.text)?;
        }
        self.flow.put_all(paragraph.after)
    }

    /// The notes to a slide: those of the speaker, and not the page's header.
    pub fn notes_page(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            let class = xml.attr_in(&element, Space::Presentation, b"class");
            let is_margin =
                matches!(class.as_deref(), Some("page-number" | "date-time" | "footer" | "header" | "page"));
            if is_margin { xml.skip()? } else { self.shape_as_blocks(&element, xml)? }
        }
        Ok(())
    }

    fn table(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        let mut table = Table::default();
        self.rows(xml, false, &mut table)?;
        table.finish(&mut self.flow)
    }

    fn rows(&mut self, xml: &mut Xml<'_>, header: bool, table: &mut Table) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::Table, b"table-row") => {
                    let mut row = self.row(xml)?;
                    row.header = header;
                    table.row(row, &mut self.flow)?;
                }
                (Space::Table, b"table-header-rows") => self.rows(xml, true, table)?,
                (Space::Table, b"table-rows" | b"table-row-group") => self.rows(xml, header, table)?,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn row(&mut self, xml: &mut Xml<'_>) -> Result<Row, Refusal> {
        let mut row = Row::default();
        while let Some(element) = xml.child()? {
            let repeated = element.number(b"number-columns-repeated").unwrap_or(1);
            match (element.space, element.name()) {
                (Space::Table, b"table-cell") => {
                    self.flow.hold();
                    self.blocks(xml)?;
                    let pieces = self.flow.release();
                    row.cell(pieces, repeated);
                }
                (Space::Table, b"covered-table-cell") => {
                    row.pad(repeated);
                    xml.skip()?;
                }
                _ => xml.skip()?,
            }
        }
        Ok(row)
    }

    /// A formula or a chart, which is a file of its own inside of this one.
    fn object(&mut self, href: &str, paragraph: &mut Paragraph) -> Result<(), Refusal> {
        let member = format!("{}/content.xml", href.trim_start_matches("./").trim_end_matches('/'));
        if !self.objects.insert(member.clone()) {
            return Ok(());
        }
        let Some(text) = self.package.text(&member)? else { return Ok(()) };
        let mut xml = self.package.xml(&text);
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::MathMl, b"math") => formula(&element, &mut xml, &mut paragraph.text)?,
                (Space::Office, b"document-content" | b"body") => {}
                (Space::Office, b"chart") => {
                    self.flow.hold();
                    self.chart(&mut xml)?;
                    paragraph.after.extend(self.flow.release());
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// A chart's title, and the table of its numbers.
    fn chart(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::Table, b"table") => self.table(xml)?,
                (Space::Text, b"p") => {
                    let mut title = Paragraph::default();
                    self.inline(xml, &mut title)?;
                    self.flow.block(Kind::Caption, title.text)?;
                }
                _ => self.chart(xml)?,
            }
        }
        Ok(())
    }
}

/// MathML as a line of text.
fn formula(element: &Element<'_>, xml: &mut Xml<'_>, text: &mut String) -> Result<(), Refusal> {
    let sign = match element.name() {
        b"annotation" | b"annotation-xml" => return xml.skip(),
        b"mi" | b"mn" | b"mo" | b"mtext" => return xml.text_into(text),
        b"mfrac" => "/",
        b"msup" => "^",
        b"msub" => "_",
        b"msqrt" => {
            text.push('√');
            ""
        }
        _ => "",
    };
    let mut is_first = true;
    while let Some(element) = xml.child()? {
        if !std::mem::take(&mut is_first) {
            text.push_str(sign);
        }
        formula(&element, xml, text)?;
    }
    Ok(())
}

/// A reader of the text in a cell of a sheet, which has no styles and no files beside it.
pub(super) fn cell_text(xml: &mut Xml<'_>, text: &mut String) -> Result<(), Refusal> {
    while let Some(node) = xml.next()? {
        match node {
            Node::Text(more) => text.push_str(&more),
            Node::Close => break,
            Node::Open(element) => match (element.space, element.name()) {
                (Space::Text, b"s" | b"tab" | b"line-break") => {
                    text.push(' ');
                    xml.skip()?;
                }
                (Space::Text, b"ruby-text") => xml.skip()?,
                (Space::Text, _) => cell_text(xml, text)?,
                _ => xml.skip()?,
            },
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    #[test]
    fn formulas_become_a_line_of_text() {
        let text = "<math xmlns='http://www.w3.org/1998/Math/MathML'><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup>\
                    <mo>=</mo><mfrac><mi>a</mi><msqrt><mn>2</mn></msqrt></mfrac></mrow><annotation>x^2</annotation></semantics></math>";
        let mut xml = Xml::new(text, Format::Odt, 32);
        let element = xml.child().unwrap().unwrap();
        let mut line = String::new();
        formula(&element, &mut xml, &mut line).unwrap();
        assert_eq!(line, "x^2=a/√2");
    }
}
