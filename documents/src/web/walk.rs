//! A page's tree → blocks, in the order of the page.

use std::collections::HashSet;

use dom_query::{Document, NodeId, Tree};

use super::dom::{self, Step};
use super::table;
use crate::block::{Kind, Place};
use crate::event::Refusal;
use crate::output::Output;

/// Stands for a line break within a block until its text is told, when it becomes a space.
const LINE_BREAK: char = '\u{1}';

/// Reads elements into blocks of one document.
pub(super) struct Walker<'w, 'o> {
    tree: &'w Tree,
    place: &'w Place,
    /// How many tables the document has so far.
    tables: &'w mut u32,
    out: &'w mut Output<'o>,
    /// Text of the block that is being read.
    buffer: String,
    /// What the text stands in, the innermost last.
    within: Vec<Within>,
    /// Cells that were told, of all tables.
    pub(super) cells: u64,
}

/// An element that says what the text in it is.
struct Within {
    node: NodeId,
    role: Role,
}

enum Role {
    Heading(u8),
    Code,
    Caption,
    Footnote,
    List(Numbering),
    /// An item of a list: how deep its list lies, its number, and whether its first block was told.
    Item {
        depth: u8,
        number: Option<String>,
        told: bool,
    },
}

/// How the items of a list are numbered.
struct Numbering {
    ordered: bool,
    style: char,
    next: i64,
    step: i64,
}

impl<'w, 'o> Walker<'w, 'o> {
    pub fn new(
        document: &'w Document,
        place: &'w Place,
        tables: &'w mut u32,
        out: &'w mut Output<'o>,
    ) -> Self {
        let tree = &document.tree;
        Self { tree, place, tables, out, buffer: String::new(), within: Vec::new(), cells: 0 }
    }

    /// Tells a heading of the highest level that stands outside of what is walked.
    pub fn heading(&mut self, text: &str) -> Result<(), Refusal> {
        self.tell(Kind::Heading(1), text)
    }

    /// Tells all blocks within an element, but for those that are left out.
    pub fn walk(&mut self, root: NodeId, left_out: &HashSet<NodeId>) -> Result<(), Refusal> {
        let tree = self.tree;
        dom::try_visit(tree, root, |step| match step {
            Step::Enter(node) if dom::push_text(tree, node, &mut self.buffer) => Ok(false),
            Step::Enter(node) => {
                if left_out.contains(&node) {
                    self.flush()?;
                    return Ok(false);
                }
                self.enter(node, left_out)
            }
            Step::Leave(node) => self.leave(node).map(|()| true),
        })?;
        self.flush()
    }

    pub(super) fn tell(&mut self, kind: Kind, text: &str) -> Result<(), Refusal> {
        self.out.block(kind, text, self.place.clone())
    }

    pub(super) fn tell_row(&mut self, table: u32, header: bool, cells: Vec<String>) -> Result<(), Refusal> {
        self.out.row(table, header, cells, self.place.clone())
    }

    /// Begins an element; tells whether what lies inside is read.
    fn enter(&mut self, node: NodeId, left_out: &HashSet<NodeId>) -> Result<bool, Refusal> {
        let Some(name) = dom::name(self.tree, node) else {
            // The document itself, or a comment without anything inside.
            return Ok(true);
        };
        if dom::is_unseen(self.tree, node) {
            return Ok(false);
        }
        let name = &*name;
        match name {
            "br" => {
                if self.in_code() {
                    self.buffer.push('\n');
                } else if self
                    .buffer
                    .trim_end_matches(|character: char| character.is_ascii_whitespace())
                    .ends_with(LINE_BREAK)
                {
                    self.flush()?;
                } else {
                    self.buffer.push(LINE_BREAK);
                }
                return Ok(false);
            }
            // A footnote's number does not belong to the word before it.
            "sup" if self.has_link(node) => self.buffer.push(' '),
            "table" => {
                self.flush()?;
                if let Some(grid) = table::Grid::of_data(self.tree, node) {
                    *self.tables += 1;
                    let number = *self.tables;
                    grid.tell(number, self, left_out)?;
                    return Ok(false);
                }
            }
            _ if dom::is_block(self.tree, node) => self.break_block()?,
            _ => {}
        }
        if let Some(role) = self.role(name, node) {
            self.within.push(Within { node, role });
        }
        Ok(true)
    }

    fn leave(&mut self, node: NodeId) -> Result<(), Refusal> {
        let ends_role = self.within.last().is_some_and(|within| within.node == node);
        if ends_role {
            self.flush()?;
            self.within.pop();
        } else if dom::is_block(self.tree, node) {
            self.break_block()?;
        }
        Ok(())
    }

    fn role(&mut self, name: &str, node: NodeId) -> Option<Role> {
        let attribute = |name: &str| dom::attribute(self.tree, node, name).unwrap_or_default();
        let is_note =
            |kind: &str| matches!(kind, "footnote" | "endnote" | "rearnote" | "doc-footnote" | "doc-endnote");
        if is_note(&attribute("role")) || attribute("epub:type").split_whitespace().any(is_note) {
            return Some(Role::Footnote);
        }
        let in_list = |depth: usize| u8::try_from(depth).unwrap_or(u8::MAX);
        let lists = self.within.iter().filter(|within| matches!(within.role, Role::List(_))).count();
        Some(match name {
            "h1" => Role::Heading(1),
            "h2" => Role::Heading(2),
            "h3" => Role::Heading(3),
            "h4" => Role::Heading(4),
            "h5" => Role::Heading(5),
            "h6" => Role::Heading(6),
            "pre" | "listing" | "xmp" | "plaintext" => Role::Code,
            "figcaption" | "caption" => Role::Caption,
            "ul" | "ol" | "menu" | "dir" | "dl" => Role::List(self.numbering(name, node)),
            "li" => {
                let number = self.number(node);
                Role::Item { depth: in_list(lists.saturating_sub(1)), number, told: false }
            }
            "dt" => Role::Item { depth: in_list(lists.saturating_sub(1)), number: None, told: false },
            "dd" => Role::Item { depth: in_list(lists), number: None, told: false },
            _ => return None,
        })
    }

    fn numbering(&self, name: &str, node: NodeId) -> Numbering {
        let attribute = |name: &str| dom::attribute(self.tree, node, name);
        let step = if attribute("reversed").is_some() { -1 } else { 1 };
        let items = || {
            let items = self.tree.child_ids_of_it(&node, false);
            let items = items.filter(|child| dom::name(self.tree, *child).is_some_and(|name| &*name == "li"));
            i64::try_from(items.count()).unwrap_or(i64::MAX)
        };
        let start = attribute("start").and_then(|start| start.trim().parse().ok());
        let next = start.unwrap_or_else(|| if step < 0 { items() } else { 1 });
        let style = attribute("type").and_then(|style| style.trim().chars().next()).unwrap_or('1');
        Numbering { ordered: name == "ol", style, next, step }
    }

    /// The number of an item, if its list is numbered.
    fn number(&mut self, item: NodeId) -> Option<String> {
        let value = dom::attribute(self.tree, item, "value").and_then(|value| value.trim().parse().ok());
        let numbering = self.within.iter_mut().rev().find_map(|within| match &mut within.role {
            Role::List(numbering) => Some(numbering),
            _ => None,
        })?;
        if !numbering.ordered {
            return None;
        }
        let number = value.unwrap_or(numbering.next);
        numbering.next = number.saturating_add(numbering.step);
        Some(numbered(number, numbering.style))
    }

    fn in_code(&self) -> bool {
        self.within.iter().any(|within| matches!(within.role, Role::Code))
    }

    fn has_link(&self, node: NodeId) -> bool {
        let is_link = |child: NodeId| dom::name(self.tree, child).is_some_and(|name| &*name == "a");
        self.tree.child_ids_of_it(&node, false).any(is_link)
    }

    /// Ends the block that is being read; within code, its line.
    fn break_block(&mut self) -> Result<(), Refusal> {
        if !self.in_code() {
            return self.flush();
        }
        if !self.buffer.is_empty() && !self.buffer.ends_with('\n') {
            self.buffer.push('\n');
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Refusal> {
        let mut text = std::mem::take(&mut self.buffer);
        if text.chars().all(|character| character.is_whitespace() || character.is_control()) {
            return Ok(());
        }
        let mut kind = Kind::Paragraph;
        for within in self.within.iter_mut().rev() {
            kind = match &mut within.role {
                Role::List(_) => continue,
                Role::Heading(level) => Kind::Heading(*level),
                Role::Code => Kind::Code,
                Role::Caption => Kind::Caption,
                Role::Footnote => Kind::Footnote,
                Role::Item { told: true, .. } => Kind::Paragraph,
                Role::Item { depth, number, told } => {
                    *told = true;
                    if let Some(number) = number {
                        text.insert_str(0, &format!("{number} "));
                    }
                    Kind::ListItem(*depth)
                }
            };
            break;
        }
        self.tell(kind, &text)
    }
}

/// A number as a list of this style shows it: `3.`, `c.`, `iii.`
fn numbered(number: i64, style: char) -> String {
    let letters = |first: u8| {
        let mut left = number;
        let mut letters = Vec::new();
        while left > 0 {
            letters.push(char::from(first + u8::try_from((left - 1) % 26).unwrap_or(0)));
            left = (left - 1) / 26;
        }
        letters.into_iter().rev().collect::<String>()
    };
    let shown = match style {
        'a' if number > 0 => letters(b'a'),
        'A' if number > 0 => letters(b'A'),
        'i' if (1..4000).contains(&number) => roman(number).to_lowercase(),
        'I' if (1..4000).contains(&number) => roman(number),
        _ => number.to_string(),
    };
    shown + "."
}

fn roman(mut number: i64) -> String {
    const DIGITS: [(i64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut roman = String::new();
    for (value, digit) in DIGITS {
        while number >= value {
            roman.push_str(digit);
            number -= value;
        }
    }
    roman
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Event, Options, read};

    fn blocks(page: &str) -> Vec<Block> {
        let mut blocks = Vec::new();
        let page = format!("<html><body>{page}");
        read("x.html", page.as_bytes(), &Options::default(), &mut |event| match event {
            Event::Block(block) => blocks.push(block),
            Event::End(ended) => assert_eq!(ended, Ok(())),
            _ => {}
        });
        blocks
    }

    fn told(page: &str) -> Vec<(Kind, String)> {
        blocks(page).into_iter().map(|block| (block.kind, block.text)).collect()
    }

    fn texts(page: &str) -> Vec<String> {
        blocks(page).into_iter().map(|block| block.text).collect()
    }

    fn text(kind: Kind, text: &str) -> (Kind, String) {
        (kind, text.to_owned())
    }

    #[test]
    fn blocks_are_what_their_elements_say() {
        let page = "<h1>Lease</h1>loose <b>te</b>xt<p>The rent\n is <i>1200</i>.<h2>Code</h2><pre><code>if x:\n  y\n\
                    </code></pre><figure><img><figcaption>A house</figcaption></figure><blockquote><p>Said</blockquote>\
                    <details><summary>More</summary>hidden until opened</details>";
        assert_eq!(
            told(page),
            [
                text(Kind::Heading(1), "Lease"),
                text(Kind::Paragraph, "loose text"),
                text(Kind::Paragraph, "The rent is 1200."),
                text(Kind::Heading(2), "Code"),
                text(Kind::Code, "if x:\n  y"),
                text(Kind::Caption, "A house"),
                text(Kind::Paragraph, "Said"),
                text(Kind::Paragraph, "More"),
                text(Kind::Paragraph, "hidden until opened"),
            ]
        );
    }

    #[test]
    fn lists_keep_their_depth_and_their_numbers() {
        let page = "<ul><li>one<ul><li>deep</ul><li><p>two</p><p>more</p></ul><ol start=3><li>c<li value=7>g<li>h</ol>\
                    <ol type=i reversed><li>x<li>y</ol><dl><dt>Term<dd>Meaning</dl>";
        assert_eq!(
            told(page),
            [
                text(Kind::ListItem(0), "one"),
                text(Kind::ListItem(1), "deep"),
                text(Kind::ListItem(0), "two"),
                text(Kind::Paragraph, "more"),
                text(Kind::ListItem(0), "3. c"),
                text(Kind::ListItem(0), "7. g"),
                text(Kind::ListItem(0), "8. h"),
                text(Kind::ListItem(0), "ii. x"),
                text(Kind::ListItem(0), "i. y"),
                text(Kind::ListItem(0), "Term"),
                text(Kind::ListItem(1), "Meaning"),
            ]
        );
        assert_eq!(
            [numbered(28, 'a'), numbered(3, 'A'), numbered(1994, 'I'), numbered(0, 'i')],
            ["ab.", "C.", "MCMXCIV.", "0."]
        );
    }

    #[test]
    fn line_breaks_stay_within_a_block_and_two_end_it() {
        assert_eq!(texts("Main Street 1<br>Berlin<br>\n<br>Germany"), ["Main Street 1 Berlin", "Germany"]);
        assert_eq!(texts("<pre>a<br>b<div>c</div>d</pre>"), ["a\nb\nc\nd"]);
    }

    #[test]
    fn what_is_hidden_is_not_read() {
        let page = "<p>seen<span hidden> no</span><script>no()</script><style>no</style><template>no</template>\
                    <p style='display: none'>no<p aria-hidden=true>no<noscript>no</noscript><button>no</button>";
        assert_eq!(texts(page), ["seen"]);
    }

    #[test]
    fn ways_to_other_pages_are_left_out_unless_there_is_nothing_else() {
        let nav =
            "<nav><ul><li><a href=a>One page of many</a><li><a href=b>Another page of many</a></ul></nav>";
        let page = format!(
            "<header><h1>Lease</h1>Menu</header>{nav}<p>The rent is 1200 a month, and more.<footer>Imprint</footer>"
        );
        assert_eq!(texts(&page), ["Lease", "The rent is 1200 a month, and more."]);
        assert_eq!(texts(&format!("{nav}<p>x")), ["One page of many", "Another page of many", "x"]);
        let article = "<article><header><h2>Head</h2></header><p>Text of the article.<footer>Its foot</footer></article>";
        assert_eq!(texts(article), ["Head", "Text of the article.", "Its foot"]);
    }

    #[test]
    fn a_footnote_and_its_mark_are_told_apart_from_words() {
        let page = "<p>word<sup><a href='#n'>1</a></sup> and x<sup>2</sup><aside role=doc-footnote>1 The note.</aside>";
        assert_eq!(told(page), [text(Kind::Paragraph, "word 1 and x2"), text(Kind::Footnote, "1 The note.")]);
    }

    #[test]
    fn elements_deeper_than_the_limit_are_read_as_text() {
        let page = format!("{}deep{}<p>after", "<div>".repeat(100_000), "</div>".repeat(100_000));
        assert_eq!(texts(&page), ["deep", "after"]);
    }
}
