//! What stands in a paragraph of a Word file: its runs, with what they refer to.
//!
//! What was deleted is left out, what was inserted is there; of a field there is the result and not its instruction.

use super::body::{Field, Notes, Reading};
use crate::block::Kind;
use crate::event::Refusal;
use crate::office::chart::Chart;
use crate::office::counting::Counting;
use crate::office::flow::Piece;
use crate::office::xml::{Element, Space, Xml};

/// Fields within fields, at most; more are read as text.
const MOST_FIELDS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Paragraph {
    pub text: String,
    /// What follows it: notes, frames, charts.
    pub after: Vec<Part>,
}

#[derive(Debug)]
pub(super) enum Part {
    Piece(Piece),
    Chart(Chart),
}

/// The properties of a run that matter to its text.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    bold: bool,
    hidden: bool,
}

impl Reading<'_, '_> {
    /// An element in a paragraph, which is open.
    pub fn inline(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
        paragraph: &mut Paragraph,
    ) -> Result<(), Refusal> {
        match (element.space, element.name()) {
            (Space::W, b"r") => self.run(xml, paragraph),
            (
                Space::W,
                b"hyperlink" | b"ins" | b"moveTo" | b"smartTag" | b"customXml" | b"sdt" | b"sdtContent"
                | b"dir" | b"bdo",
            ) => self.inlines(xml, paragraph),
            (Space::W, b"fldSimple") => {
                let instruction = element.attr(b"instr").unwrap_or_default();
                if self.in_margin && counts_pages(&instruction) {
                    return xml.skip();
                }
                self.inlines(xml, paragraph)
            }
            (Space::M, b"oMath" | b"oMathPara") => {
                let formula = super::math::read(xml)?;
                if self.is_shown() {
                    paragraph.text.push_str(&formula);
                }
                Ok(())
            }
            (Space::Mc, b"AlternateContent") => {
                self.alternatives(xml, |reading, xml| reading.inlines(xml, paragraph))
            }
            _ => xml.skip(),
        }
    }

    fn inlines(&mut self, xml: &mut Xml<'_>, paragraph: &mut Paragraph) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            self.inline(&element, xml, paragraph)?;
        }
        Ok(())
    }

    fn run(&mut self, xml: &mut Xml<'_>, paragraph: &mut Paragraph) -> Result<(), Refusal> {
        let mut run = Run::default();
        self.run_parts(xml, paragraph, &mut run)
    }

    fn run_parts(
        &mut self,
        xml: &mut Xml<'_>,
        paragraph: &mut Paragraph,
        run: &mut Run,
    ) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::W, b"t") => {
                    let begin = paragraph.text.len();
                    xml.text_into(&mut paragraph.text)?;
                    let added = &paragraph.text[begin..];
                    let is_text = added.chars().any(|character| !character.is_whitespace());
                    if !self.is_shown() || run.hidden {
                        self.hidden |= run.hidden && is_text;
                        paragraph.text.truncate(begin);
                    } else if is_text {
                        self.bold |= run.bold;
                        self.plain |= !run.bold;
                    }
                    continue;
                }
                (Space::W, b"rPr") => {
                    *run = read_properties(xml)?;
                    continue;
                }
                (Space::W, b"drawing" | b"pict" | b"object") => {
                    self.graphic(xml, paragraph)?;
                    continue;
                }
                (Space::Mc, b"AlternateContent") => {
                    self.alternatives(xml, |reading, xml| reading.run_parts(xml, paragraph, run))?;
                    continue;
                }
                (Space::W, b"ruby") => {
                    self.ruby(xml, paragraph)?;
                    continue;
                }
                (Space::W, b"instrText") => {
                    self.instruction(xml)?;
                    continue;
                }
                (Space::W, b"fldChar") => self.field(&element),
                _ if run.hidden || !self.is_shown() => {}
                (Space::W, b"tab" | b"ptab") => paragraph.text.push('\t'),
                (Space::W, b"br" | b"cr") => paragraph.text.push('\n'),
                (Space::W, b"noBreakHyphen") => paragraph.text.push('-'),
                (Space::W, b"sym") => paragraph.text.extend(symbol(&element)),
                (Space::W, b"footnoteReference") => {
                    let note = Notes::refer(&mut self.footnotes, &element, paragraph, Counting::Decimal);
                    paragraph.after.extend(note.map(Part::Piece));
                }
                (Space::W, b"endnoteReference") => {
                    let note = Notes::refer(&mut self.endnotes, &element, paragraph, Counting::LowerRoman);
                    self.endnotes_at_end.extend(note);
                }
                (Space::W, b"commentReference") => {
                    let comment = element.attr(b"id").and_then(|id| self.comments.remove(&*id));
                    let comment = comment.map(|text| Part::Piece(Piece::Block(Kind::Note, text)));
                    paragraph.after.extend(comment);
                }
                _ => {}
            }
            xml.skip()?;
        }
        Ok(())
    }

    /// What a drawing holds as text: frames, charts.
    fn graphic(&mut self, xml: &mut Xml<'_>, paragraph: &mut Paragraph) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::W, b"txbxContent") => {
                    self.flow.hold();
                    // A field that is open around the frame is none of the frame's.
                    let fields = std::mem::take(&mut self.fields);
                    self.blocks(xml)?;
                    self.fields = fields;
                    let pieces = self.flow.release();
                    if self.is_shown() {
                        paragraph.after.extend(pieces.into_iter().map(Part::Piece));
                    }
                }
                (Space::Mc, b"AlternateContent") => {
                    self.alternatives(xml, |reading, xml| reading.graphic(xml, paragraph))?;
                }
                (Space::Chart, b"chart") => {
                    let id = xml.attr_in(&element, Space::R, b"id");
                    let chart = id.and_then(|id| self.charts.remove(&*id));
                    paragraph.after.extend(chart.map(Part::Chart));
                    xml.skip()?;
                }
                _ => self.graphic(xml, paragraph)?,
            }
        }
        Ok(())
    }

    /// Characters with their reading above them: the characters alone.
    fn ruby(&mut self, xml: &mut Xml<'_>, paragraph: &mut Paragraph) -> Result<(), Refusal> {
        while let Some(element) = xml.child()? {
            if (element.space, element.name()) == (Space::W, b"rubyBase") {
                self.inlines(xml, paragraph)?;
            } else {
                xml.skip()?;
            }
        }
        Ok(())
    }

    fn field(&mut self, element: &Element<'_>) {
        match element.attr(b"fldCharType").as_deref() {
            Some("begin") if self.fields.len() < MOST_FIELDS => self.fields.push(Field::default()),
            Some("separate") => {
                if let Some(field) = self.fields.last_mut() {
                    field.in_result = true;
                }
            }
            Some("end") => {
                self.fields.pop();
            }
            _ => {}
        }
    }

    fn instruction(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        let text = xml.text()?;
        if let Some(field) = self.fields.last_mut().filter(|field| field.instruction.len() < 256) {
            field.instruction.extend(text.chars().take(256));
        }
        Ok(())
    }

    /// Whether text is shown here: it is no instruction, and no number of a page in the margin.
    fn is_shown(&self) -> bool {
        self.fields
            .iter()
            .all(|field| field.in_result && !(self.in_margin && counts_pages(&field.instruction)))
    }
}

impl Notes {
    /// The mark of a note in the text, and the note itself if it is mentioned for the first time.
    fn refer(
        notes: &mut Self,
        element: &Element<'_>,
        paragraph: &mut Paragraph,
        counting: Counting,
    ) -> Option<Piece> {
        let note = element.attr(b"id").and_then(|id| notes.texts.remove(&*id))?;
        // A mark of the author's own follows in the text, and stands in the note.
        if element.switch(b"customMarkFollows") == Some(true) {
            return Some(Piece::Block(Kind::Footnote, note));
        }
        notes.told += 1;
        let mark = format!("[{}]", counting.write(notes.told));
        paragraph.text.push_str(&mark);
        Some(Piece::Block(Kind::Footnote, format!("{mark} {note}")))
    }
}

fn read_properties(xml: &mut Xml<'_>) -> Result<Run, Refusal> {
    let mut run = Run::default();
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::W, b"b") => run.bold = element.is_on(),
            (Space::W, b"vanish") => run.hidden = element.is_on(),
            _ => {}
        }
        xml.skip()?;
    }
    Ok(run)
}

/// Whether a field shows the number of a page, or how many there are.
fn counts_pages(instruction: &str) -> bool {
    let name = instruction.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    matches!(&*name, "PAGE" | "NUMPAGES" | "SECTIONPAGES")
}

/// A character of a symbol font: those that forms and lists use, as the characters that look like them.
fn symbol(element: &Element<'_>) -> Option<char> {
    let code = element.attr(b"char").and_then(|code| u32::from_str_radix(&code, 16).ok())?;
    if !(0xf000..=0xf0ff).contains(&code) {
        return char::from_u32(code);
    }
    let font = element.attr(b"font").unwrap_or_default();
    match (&*font, code & 0xff) {
        ("Wingdings", 0xa8 | 0x6f) => Some('☐'),
        ("Wingdings", 0xfe | 0x52) => Some('☑'),
        ("Wingdings", 0xfd | 0x78) => Some('☒'),
        ("Wingdings", 0xfc) => Some('✓'),
        ("Wingdings", 0xfb) => Some('✗'),
        ("Wingdings", 0xe0) | ("Symbol", 0xae) => Some('→'),
        ("Symbol", 0xb7) => Some('•'),
        ("Symbol", 0xb3) => Some('≥'),
        ("Symbol", 0xa3) => Some('≤'),
        ("Symbol", 0xb1) => Some('±'),
        ("Symbol", 0xb4) => Some('×'),
        ("Symbol", 0xb0) => Some('°'),
        ("Symbol", 0xb9) => Some('≠'),
        ("Symbol", letter @ (0x61..=0x7a | 0x41..=0x5a)) => greek(letter),
        _ => None,
    }
}

/// The Greek letter that the font Symbol shows for a Latin one.
fn greek(letter: u32) -> Option<char> {
    const SMALL: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
    let letter = char::from_u32(letter)?;
    let index = u32::from(letter.to_ascii_lowercase()) - u32::from('a');
    let small = SMALL.chars().nth(index as usize)?;
    if letter.is_ascii_uppercase() { small.to_uppercase().next() } else { Some(small) }
}
