//! Columns of pages → blocks: paragraphs and tables go on over columns and pages, notes stand behind what they interrupt.

use super::geometry;
use super::join::{self, Vocabulary};
use super::layout::{Item, Layout};
use super::line::Line;
use super::marker::{self, MarkerKind};
use super::outline::Outline;
use super::paragraph::{self, Paragraph};
use super::style::{self, Body, Style};
use super::table::Table;
use crate::block::{Bounds, Kind, Place};
use crate::event::Refusal;
use crate::output::Output;

/// Letters this much smaller than those of the text are small print.
const SMALLER: f32 = 0.93;

/// How much of a page's height, at its top, a header may stand in that is only told by its place.
const HEADER: f32 = 0.08;

/// What was read and may still go on.
#[derive(Default)]
pub(super) struct Flow {
    pub vocabulary: Vocabulary,
    pub style: Style,
    pub outline: Outline,
    /// The last paragraph of the text, and what came behind it without ending it.
    pending: Vec<Pending>,
    tables: u32,
    /// The table that ended the last page, if one did.
    open_table: Option<OpenTable>,
    /// Where the lists that are open begin, from the outermost inwards.
    lists: Vec<(f32, MarkerKind)>,
    /// Letters of lines that are of fixed width, and of the others.
    fixed: (usize, usize),
    /// Whether anything was told.
    pub told: bool,
}

struct Pending {
    kind: Kind,
    text: String,
    page: u32,
    bounds: Option<Bounds>,
    /// Set for text that may go on.
    open: Option<Open>,
}

/// How a paragraph that may go on ended.
struct Open {
    size: f32,
    is_full: bool,
}

struct OpenTable {
    number: u32,
    table: Table,
    first: Vec<String>,
    page: u32,
}

/// What a table may go on from.
#[derive(Clone, Copy)]
enum Before {
    /// The page before, if nothing stands before the table on its own.
    Page(bool),
    /// The column before.
    Column,
}

/// What a paragraph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Heading,
    Text,
    Item,
    Code,
    Caption,
    Footnote,
    Aside,
}

impl Flow {
    pub fn new(outline: Outline) -> Self {
        Self { outline, ..Self::default() }
    }

    /// Learns what the running text looks like and which words there are, before anything of these pages is told.
    pub fn learn(&mut self, pages: &[Layout]) {
        for page in pages {
            for paragraph in page.columns.iter().flatten().filter_map(paragraph_of) {
                for line in &paragraph.lines {
                    self.vocabulary.learn(&line.text);
                    match line.fixed_width {
                        Some(true) => self.fixed.0 += line.text.len(),
                        _ => self.fixed.1 += line.text.len(),
                    }
                }
            }
        }
        let body = self.style.body();
        for page in pages {
            for column in &page.columns {
                let roles = self.roles(page, column, body);
                for (item, role) in column.iter().zip(roles) {
                    if let (Item::Paragraph(paragraph), Role::Heading) = (item, role) {
                        self.style.learn_heading(paragraph, body);
                    }
                }
            }
        }
    }

    /// Tells the blocks of a page.
    pub fn page(&mut self, page: Layout, out: &mut Output<'_>) -> Result<(), Refusal> {
        let body = self.style.body();
        let Layout { number, turn, area, columns, rules, aside } = page;
        let mut page = Layout { number, turn, area, columns: Vec::new(), rules, aside };
        for (index, column) in columns.into_iter().enumerate() {
            let roles = self.roles(&page, &column, body);
            let mut first = true;
            // Whether a table here may go on with one that ended the column before.
            let mut leads = index > 0;
            for (item, role) in column.into_iter().zip(roles) {
                match item {
                    Item::Table(table) => {
                        let before = if leads { Before::Column } else { Before::Page(index == 0 && first) };
                        leads = false;
                        self.table(&page, before, table, out)?;
                    }
                    Item::Paragraph(paragraph) => {
                        leads = leads && is_header(&page, &paragraph);
                        let open = self.open_table.take_if(|_| leads);
                        self.paragraph(&page, paragraph, role, first, body, out)?;
                        self.open_table = open.or(self.open_table.take());
                    }
                }
                first = first && matches!(role, Role::Caption | Role::Footnote);
            }
        }
        page.columns.clear();
        Ok(())
    }

    /// Tells what was kept because it might have gone on.
    pub fn finish(&mut self, out: &mut Output<'_>) -> Result<(), Refusal> {
        self.flush(out)
    }

    fn roles(&self, page: &Layout, column: &[Item], body: Body) -> Vec<Role> {
        let notes = footnotes_from(page, column, body);
        let role = |(index, item): (usize, &Item)| {
            let Item::Paragraph(paragraph) = item else { return Role::Text };
            let text = paragraph.lines.first().map_or("", |line| line.text.as_str());
            let followed = column.len() > index + 1 || page.columns.len() > 1 || index == 0;
            if page.aside {
                Role::Aside
            } else if index >= notes {
                Role::Footnote
            } else if self.outline.level(&whole(paragraph)).is_some() && paragraph.lines.len() <= 4 {
                Role::Heading
            } else if is_caption(paragraph, text, body) {
                Role::Caption
            } else if style::is_heading(paragraph, body, followed) {
                Role::Heading
            } else if paragraph.fixed_width && paragraph.lines.len() > 1 && self.fixed.0 < self.fixed.1 {
                Role::Code
            } else if paragraph.marker.is_some() {
                Role::Item
            } else {
                Role::Text
            }
        };
        column.iter().enumerate().map(role).collect()
    }

    fn paragraph(
        &mut self,
        page: &Layout,
        paragraph: Paragraph,
        role: Role,
        first: bool,
        body: Body,
        out: &mut Output<'_>,
    ) -> Result<(), Refusal> {
        let bounds = Some(page.turn.page_bounds(paragraph.bounds));
        let text = self.joined(&paragraph.lines);
        let mut pending = Pending { kind: Kind::Paragraph, text, page: page.number, bounds, open: None };
        if !matches!(role, Role::Footnote | Role::Caption | Role::Aside) {
            self.open_table = None;
        }
        if !matches!(role, Role::Item | Role::Footnote | Role::Caption | Role::Aside) {
            self.lists.clear();
        }
        match role {
            Role::Heading => {
                let level = self.outline.level(&whole(&paragraph));
                let level = level.unwrap_or_else(|| self.style.level(&paragraph, body));
                pending.kind = Kind::Heading(level);
                self.flush(out)?;
            }
            Role::Code => {
                pending.kind = Kind::Code;
                pending.text = code(&paragraph);
                self.flush(out)?;
            }
            Role::Text | Role::Item => {
                if role == Role::Item {
                    pending.kind = Kind::ListItem(self.depth(&paragraph));
                } else if self.joins(&paragraph, first, &pending.text) {
                    return Ok(());
                }
                pending.open = Some(Open { size: paragraph.size, is_full: paragraph.is_full });
                self.flush(out)?;
            }
            Role::Caption => pending.kind = Kind::Caption,
            Role::Aside => pending.kind = Kind::Note,
            Role::Footnote => {
                for note in notes(paragraph.lines) {
                    let text = self.joined(&note);
                    let bounds = note.iter().fold(geometry::NOTHING, |all, line| all.union(line.bounds));
                    let bounds = Some(page.turn.page_bounds(bounds));
                    self.pending.push(Pending {
                        kind: Kind::Footnote,
                        text,
                        page: page.number,
                        bounds,
                        open: None,
                    });
                }
                return Ok(());
            }
        }
        self.pending.push(pending);
        Ok(())
    }

    /// Adds a paragraph to the one that the column or the page before ended with, if that goes on.
    fn joins(&mut self, paragraph: &Paragraph, first: bool, text: &str) -> bool {
        let behind_float = self.pending.last().is_some_and(|last| last.open.is_none());
        if !first && !behind_float {
            return false;
        }
        let Some((before, open)) = self.pending.iter_mut().find_map(|pending| {
            let open = pending.open.take()?;
            Some((pending, open))
        }) else {
            return false;
        };
        let same = (open.size - paragraph.size).abs() < 0.06 * paragraph.size;
        let lower =
            text.chars().find(|character| character.is_alphanumeric()).is_some_and(char::is_lowercase);
        let broken = before.text.ends_with(['-', '\u{2010}', '\u{ad}']);
        let goes_on = !paragraph::ends_sentence(&before.text)
            && (lower || broken || open.is_full && !paragraph.is_indented && first);
        if !same || !goes_on {
            before.open = Some(open);
            return false;
        }
        join::append(&mut before.text, text, &self.vocabulary);
        before.open = Some(Open { size: open.size, is_full: paragraph.is_full });
        true
    }

    fn joined(&self, lines: &[Line]) -> String {
        let mut text = String::new();
        for line in lines {
            join::append(&mut text, &line.text, &self.vocabulary);
        }
        text
    }

    /// How deep the list is that an item belongs to.
    fn depth(&mut self, item: &Paragraph) -> u8 {
        let (Some(marker), Some(first)) = (&item.marker, item.lines.first()) else { return 0 };
        let (left, near) = (first.bounds.left - item.column.left, 0.6 * item.size);
        let place =
            self.lists.iter().position(|(open, kind)| (open - left).abs() < near && *kind == marker.kind);
        if let Some(place) = place {
            self.lists.truncate(place + 1);
        } else {
            self.lists.retain(|(open, _)| *open < left - near);
            self.lists.push((left, marker.kind));
        }
        u8::try_from(self.lists.len().saturating_sub(1)).unwrap_or(u8::MAX)
    }

    fn table(
        &mut self,
        page: &Layout,
        place: Before,
        table: Table,
        out: &mut Output<'_>,
    ) -> Result<(), Refusal> {
        self.lists.clear();
        let mut rows: Vec<(Vec<String>, Bounds)> = Vec::with_capacity(table.rows.len());
        for row in &table.rows {
            let cells = row.cells.iter().map(|lines| self.cell(lines)).collect();
            rows.push((cells, page.turn.page_bounds(row.bounds)));
        }
        let open = self.open_table.take();
        let before = open.filter(|open| match place {
            Before::Page(first) => first && open.page + 1 == page.number && open.table.goes_on_in(&table),
            Before::Column => {
                let middle = page.area.top + geometry::height(page.area) / 2.0;
                open.page == page.number
                    && open.table.bounds.bottom > middle
                    && open.table.goes_on_beside(&table)
            }
        });
        let mut header = table.header;
        let (number, names) = if let Some(before) = before {
            if rows.first().is_some_and(|(cells, _)| *cells == before.first) {
                rows.remove(0);
            }
            header = false;
            (before.number, before.first)
        } else {
            self.tables += 1;
            (self.tables, rows.first().map(|(cells, _)| cells.clone()).unwrap_or_default())
        };
        if self.pending.iter().all(|pending| pending.open.is_none()) {
            self.flush(out)?;
        }
        for (index, (cells, bounds)) in rows.into_iter().enumerate() {
            let kind = Kind::Row { table: number, header: header && index == 0, cells };
            let pending =
                Pending { kind, text: String::new(), page: page.number, bounds: Some(bounds), open: None };
            self.pending.push(pending);
        }
        self.open_table = Some(OpenTable { number, table, first: names, page: page.number });
        Ok(())
    }

    fn cell(&self, lines: &[String]) -> String {
        let mut text = String::new();
        for line in lines {
            join::append(&mut text, line, &self.vocabulary);
        }
        text
    }

    fn flush(&mut self, out: &mut Output<'_>) -> Result<(), Refusal> {
        for pending in std::mem::take(&mut self.pending) {
            self.told = true;
            let place = Place::Page { page: pending.page, bounds: pending.bounds };
            match pending.kind {
                Kind::Row { table, header, cells } => out.row(table, header, cells, place)?,
                kind => out.block(kind, &pending.text, place)?,
            }
        }
        Ok(())
    }
}

fn paragraph_of(item: &Item) -> Option<&Paragraph> {
    match item {
        Item::Paragraph(paragraph) => Some(paragraph),
        Item::Table(_) => None,
    }
}

/// Whether a line at the very top of a page may be its header, which no other page repeats.
fn is_header(page: &Layout, paragraph: &Paragraph) -> bool {
    paragraph.lines.len() == 1
        && paragraph.bounds.bottom < page.area.top + HEADER * geometry::height(page.area)
}

fn whole(paragraph: &Paragraph) -> String {
    paragraph.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn is_caption(paragraph: &Paragraph, text: &str, body: Body) -> bool {
    let Some(certain) = marker::caption(text) else { return false };
    let differs = paragraph.size < SMALLER * body.size || paragraph.is_centred();
    paragraph.size < 1.15 * body.size
        && (certain || differs || paragraph.lines.len() == 1 && !paragraph::ends_sentence(text))
}

/// The first item of a column that is a footnote; all behind it are.
fn footnotes_from(page: &Layout, column: &[Item], body: Body) -> usize {
    let height = geometry::height(page.area);
    let below_rule = |paragraph: &Paragraph| {
        page.rules.iter().any(|rule| {
            let above = paragraph.bounds.top - rule.bottom;
            let width = geometry::width(*rule);
            (-2.0..1.8 * paragraph.size).contains(&above)
                && geometry::height(*rule) < 3.0
                && width > 2.0 * paragraph.size
                && width < 0.7 * geometry::width(page.area)
                && rule.left < paragraph.bounds.left + 2.0 * paragraph.size
                && rule.right > paragraph.bounds.left
        })
    };
    let mut from = column.len();
    for (index, item) in column.iter().enumerate().rev() {
        let Item::Paragraph(paragraph) = item else { break };
        let Some(first) = paragraph.lines.first() else { break };
        let low = paragraph.bounds.top > page.area.top + 0.4 * height;
        let small = paragraph.size < SMALLER * body.size;
        let marked = marker::footnote(&first.text) && starts_raised_or_small(first, small);
        let ruled = below_rule(paragraph);
        if !low || !small && !ruled || marker::caption(&first.text).is_some() && !ruled {
            break;
        }
        if marked && (small || ruled) || ruled && small {
            from = index;
        }
        if ruled {
            break;
        }
    }
    from
}

/// Whether a line begins with a mark that is raised, or is small print as a whole.
fn starts_raised_or_small(line: &Line, small: bool) -> bool {
    small || line.words.first().is_some_and(|word| word.size < 0.85 * line.size)
}

/// Each mark begins a note of its own.
fn notes(lines: Vec<Line>) -> Vec<Vec<Line>> {
    let mut notes: Vec<Vec<Line>> = Vec::new();
    let number = |line: &Line| -> Option<u32> {
        line.text.split(' ').next()?.trim_matches(['[', ']', '(', ')', '.']).parse().ok()
    };
    let mut last: Option<u32> = None;
    for line in lines {
        let begins = marker::footnote(&line.text)
            && match (last, number(&line)) {
                (Some(last), Some(number)) => number == last + 1,
                _ => true,
            };
        if begins || notes.is_empty() {
            last = number(&line).or(last);
            notes.push(vec![line]);
        } else if let Some(note) = notes.last_mut() {
            note.push(line);
        }
    }
    notes
}

/// Lines with the spaces that stand before and between their words.
fn code(paragraph: &Paragraph) -> String {
    let left = paragraph.bounds.left;
    let mut text = String::new();
    for line in &paragraph.lines {
        let advance = line.words.iter().flat_map(|word| &word.glyphs).map(|glyph| glyph.right - glyph.left);
        let advance = advance.fold(0.0, f32::max).max(0.3 * line.size);
        let mut column = 0_usize;
        for word in &line.words {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "columns of a line are few"
            )]
            let at = ((word.bounds.left - left) / advance).round().clamp(0.0, 400.0) as usize;
            let wanted = if column == 0 { at } else { at.max(column + 1) };
            text.extend(std::iter::repeat_n(' ', wanted - column));
            let letters = word.text();
            column = wanted + letters.chars().count();
            text.push_str(&letters);
        }
        text.push('\n');
    }
    text
}
