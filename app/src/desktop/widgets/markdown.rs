//! Text with Markdown, as models write it, in the shipped typefaces. Nothing is fetched and nothing
//! can be clicked: an image is its description, HTML is text, a link stands beside its words.

use std::mem;

use egui::text::{LayoutJob, TextFormat};
use egui::{Grid, Label, ScrollArea, Ui};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::well_ui;
use crate::desktop::theme::tokens::{CLEAR, space, text};
use crate::desktop::theme::{fonts, tokens};

/// Size of running text: an answer is what its screen is about.
const BODY: f32 = 16.0;
/// Size of headings in it, which stand under the screen's own title.
const HEADING: f32 = 18.0;
/// Room of a bullet or a number.
const INDENT: f32 = 28.0;

/// The text, as wide as there is room.
pub fn markdown_ui(ui: &mut Ui, text: &str) {
    for (position, block) in blocks(text).iter().enumerate() {
        block_ui(ui, position, block);
    }
}

/// How a stretch of text is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Look {
    strong: bool,
    emphasis: bool,
    code: bool,
}

/// A stretch of text in one look.
type Span = (String, Look);

/// What a block holds.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Text(Vec<Span>),
    Heading(Vec<Span>),
    Code(String),
    /// Rows of cells; the first row names the columns.
    Table(Vec<Vec<Vec<Span>>>),
    Rule,
}

/// What stands on lines of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    /// How many lists and quotes it stands in.
    depth: usize,
    /// Of a list's item: its bullet or number.
    marker: Option<String>,
    content: Content,
}

/// The blocks of a text, in order.
fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        reader.read(event);
    }
    reader.end_text();
    reader.blocks
}

/// Folds the parser's events into blocks.
#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    line: Vec<Span>,
    look: Look,
    /// Open lists, each with the number of its next item if its items have numbers.
    lists: Vec<Option<u64>>,
    quotes: usize,
    /// Of the item that has begun, until its first block takes it.
    marker: Option<String>,
    rows: Vec<Vec<Vec<Span>>>,
    /// Where an open link leads.
    link: String,
}

impl Reader {
    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(tag),
            Event::End(tag) => self.end(tag),
            Event::Code(text) => {
                self.line.push((text.into_string(), Look { code: true, ..self.look }));
            }
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.line.push((text.into_string(), self.look)),
            Event::SoftBreak => self.line.push((" ".to_owned(), self.look)),
            Event::HardBreak => self.line.push(("\n".to_owned(), self.look)),
            Event::Rule => self.push(Content::Rule),
            Event::TaskListMarker(_) => {}
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "answers have no other tags, or nothing begins with them"
    )]
    fn begin(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Strong => self.look.strong = true,
            Tag::Emphasis => self.look.emphasis = true,
            Tag::Link { dest_url, .. } => self.link = dest_url.into_string(),
            Tag::TableHead => {
                self.look.strong = true;
                self.rows.push(Vec::new());
            }
            Tag::TableRow => self.rows.push(Vec::new()),
            Tag::List(first) => {
                self.end_text();
                self.lists.push(first);
            }
            Tag::Item => {
                let number = self.lists.last_mut().and_then(Option::as_mut).map(|next| {
                    let number = *next;
                    *next = number.saturating_add(1);
                    number
                });
                self.marker = Some(number.map_or("•".to_owned(), |number| format!("{number}.")));
            }
            Tag::BlockQuote(_) => {
                self.end_text();
                self.quotes += 1;
            }
            Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_) => self.end_text(),
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing ends with the other tags")]
    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong | TagEnd::TableHead => self.look.strong = false,
            TagEnd::Emphasis => self.look.emphasis = false,
            TagEnd::Link => {
                let leads = mem::take(&mut self.link);
                if self.line.last().is_none_or(|(words, _)| *words != leads) {
                    self.line.push((format!(" ({leads})"), self.look));
                }
            }
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_text(),
            TagEnd::Item => {
                self.end_text();
                // An empty item leaves its marker to nobody.
                self.marker = None;
            }
            TagEnd::List(_) => {
                self.end_text();
                self.lists.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.end_text();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::Heading(_) => {
                let line = mem::take(&mut self.line);
                self.push(Content::Heading(line));
            }
            TagEnd::CodeBlock => {
                let code: String = mem::take(&mut self.line).into_iter().map(|(text, _)| text).collect();
                self.push(Content::Code(code.trim_end().to_owned()));
            }
            TagEnd::TableCell => {
                let cell = mem::take(&mut self.line);
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let rows = mem::take(&mut self.rows);
                self.push(Content::Table(rows));
            }
            _ => {}
        }
    }

    /// What was read of a paragraph becomes a block.
    fn end_text(&mut self) {
        let line = mem::take(&mut self.line);
        if !line.is_empty() {
            self.push(Content::Text(line));
        }
    }

    fn push(&mut self, content: Content) {
        let depth = self.lists.len() + self.quotes;
        self.blocks.push(Block { depth, marker: self.marker.take(), content });
    }
}

fn block_ui(ui: &mut Ui, position: usize, block: &Block) {
    if block.depth == 0 {
        content_ui(ui, position, &block.content);
        return;
    }
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.add_space(INDENT * (block.depth - 1) as f32);
        let marker = block.marker.as_deref().unwrap_or_default();
        ui.vertical(|ui| {
            ui.set_width(INDENT);
            if !marker.is_empty() {
                line_ui(ui, &[(marker.to_owned(), Look::default())], BODY);
            }
        });
        ui.vertical(|ui| content_ui(ui, position, &block.content));
    });
}

fn content_ui(ui: &mut Ui, position: usize, content: &Content) {
    match content {
        Content::Text(line) => line_ui(ui, line, BODY),
        Content::Heading(line) => {
            ui.add_space(space::XS);
            let strong = |(words, look): &Span| (words.clone(), Look { strong: true, ..*look });
            line_ui(ui, &line.iter().map(strong).collect::<Vec<Span>>(), HEADING);
        }
        Content::Code(code) => well_ui(ui, |ui| {
            line_ui(ui, &[(code.clone(), Look { code: true, ..Look::default() })], BODY);
        }),
        Content::Table(rows) => {
            ScrollArea::horizontal().id_salt(("answer table", position)).show(ui, |ui| {
                Grid::new(("answer cells", position)).spacing([space::XL, space::XS]).show(ui, |ui| {
                    for row in rows {
                        for cell in row {
                            line_ui(ui, cell, BODY);
                        }
                        ui.end_row();
                    }
                });
            });
        }
        Content::Rule => drop(ui.separator()),
    }
}

/// The spans as one text, which wraps as one and is selected as one.
fn line_ui(ui: &mut Ui, spans: &[Span], size: f32) {
    let colours = tokens(ui);
    let mut job = LayoutJob::default();
    for (words, look) in spans {
        let font_id = match look {
            Look { code: true, .. } => fonts::mono(text::MONO),
            Look { strong: true, .. } => fonts::strong(size),
            _ => fonts::body(size),
        };
        let format = TextFormat {
            font_id,
            color: colours.text,
            background: if look.code { colours.sunken } else { CLEAR },
            italics: look.emphasis,
            ..TextFormat::default()
        };
        job.append(words, 0.0, format);
    }
    ui.add(Label::new(job));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(words: &str) -> Span {
        (words.to_owned(), Look::default())
    }

    fn strong(words: &str) -> Span {
        (words.to_owned(), Look { strong: true, ..Look::default() })
    }

    #[test]
    fn bold_words_are_set_apart_from_their_neighbours() {
        let read = blocks("**27 records** match.");
        let line = vec![strong("27 records"), plain(" match.")];
        assert_eq!(read, [Block { depth: 0, marker: None, content: Content::Text(line) }]);
    }

    #[test]
    fn list_items_have_one_marker_and_keep_their_depth() {
        let read = blocks("3. first\n   - inner\n4. second\n\n   more of it\n");
        let seen: Vec<(usize, Option<&str>)> =
            read.iter().map(|block| (block.depth, block.marker.as_deref())).collect();
        assert_eq!(seen, [(1, Some("3.")), (2, Some("•")), (1, Some("4.")), (1, None)]);
    }

    #[test]
    fn html_and_images_are_words_and_links_say_where_they_lead() {
        let read = blocks("a <b>c</b> ![a cat](https://one.example/cat.png) [here](https://two.example)");
        let [Block { content: Content::Text(line), .. }] = read.as_slice() else { panic!("{read:?}") };
        let words: String = line.iter().map(|(words, _)| words.as_str()).collect();
        assert_eq!(words, "a <b>c</b> a cat here (https://two.example)");
    }

    #[test]
    fn a_table_has_its_rows_and_bold_names_of_columns() {
        let read = blocks("| status | orders |\n|---|---|\n| failed | 27 |\n");
        let cell = |word: &str| vec![plain(word)];
        let rows =
            vec![vec![vec![strong("status")], vec![strong("orders")]], vec![cell("failed"), cell("27")]];
        assert_eq!(read, [Block { depth: 0, marker: None, content: Content::Table(rows) }]);
    }
}
