//! The text of a message → blocks: paragraphs, quotes, items, a signature.

use crate::block::{Kind, Place};
use crate::event::Refusal;
use crate::output::Output;

/// Tells a plain text. Lines of one paragraph are joined; a quote keeps its first mark, so that it is known as one.
pub(super) fn tell(text: &str, place: &Place, out: &mut Output<'_>) -> Result<(), Refusal> {
    let mut paragraph = Paragraph::default();
    for line in text.lines() {
        let (marks, content) = split_marks(line);
        let signature = line == "-- " || line == "--";
        let item = is_item(content);
        if content.trim().is_empty() || signature || item || marks != paragraph.marks {
            std::mem::take(&mut paragraph).tell(place, out)?;
            paragraph.marks = marks;
            paragraph.item = item;
        }
        if !signature {
            paragraph.push(content.trim());
        }
    }
    paragraph.tell(place, out)
}

#[derive(Default)]
struct Paragraph {
    marks: usize,
    item: bool,
    text: String,
}

impl Paragraph {
    fn push(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        if self.text.is_empty() {
            self.text = ">".repeat(self.marks.min(20));
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text += line;
    }

    fn tell(self, place: &Place, out: &mut Output<'_>) -> Result<(), Refusal> {
        let kind = if self.item && self.marks == 0 { Kind::ListItem(0) } else { Kind::Paragraph };
        out.block(kind, &self.text, place.clone())
    }
}

/// How often a line is quoted, and what stands behind the marks: `> > text`.
fn split_marks(line: &str) -> (usize, &str) {
    let mut marks = 0;
    let mut rest = line;
    while let Some(behind) = rest.strip_prefix('>').or_else(|| rest.strip_prefix(" >").filter(|_| marks > 0))
    {
        marks += 1;
        rest = behind;
    }
    (marks, rest)
}

/// `- x`, `* x`, `3. x`
fn is_item(line: &str) -> bool {
    let (first, rest) = line.trim_start().split_once(' ').unwrap_or_default();
    let number = first.strip_suffix(['.', ')']).unwrap_or_default();
    let numbered = (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    !rest.trim().is_empty() && (matches!(first, "-" | "*" | "•") || numbered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Options};

    fn told(text: &str) -> Vec<(Kind, String)> {
        let (mut told, mut bytes) = (Vec::new(), 0);
        let mut sink = |event| {
            if let Event::Block(block) = event {
                told.push((block.kind, block.text));
            }
        };
        let options = Options::default();
        tell(text, &Place::Text, &mut Output::new(&options, &mut bytes, &mut sink)).unwrap();
        told
    }

    #[test]
    fn paragraphs_quotes_items_and_signatures_are_told_apart() {
        let text = "Hello Ann,\r\nthe rent\r\nis due.\r\n\r\n- one\r\n- two\r\n  and more\r\n\r\n> You wrote\r\n> this.\r\n>\r\n> > And\r\n> > that.\r\n-- \r\nBob\r\n+49 30 1";
        let expected = [
            (Kind::Paragraph, "Hello Ann, the rent is due."),
            (Kind::ListItem(0), "- one"),
            (Kind::ListItem(0), "- two and more"),
            (Kind::Paragraph, "> You wrote this."),
            (Kind::Paragraph, ">> And that."),
            (Kind::Paragraph, "Bob +49 30 1"),
        ];
        assert_eq!(told(text), expected.map(|(kind, text)| (kind, text.to_owned())));
    }
}
