//! Tables of a page: rows and cells, if it is data and not the layout of the page.

use std::collections::HashSet;

use dom_query::{NodeId, Tree};

use super::dom::{self, Step};
use super::walk::Walker;
use crate::block::Kind;
use crate::event::Refusal;

/// Columns of the widest table. What lies further right is joined to the last one.
const MAX_COLUMNS: usize = 4096;

/// Columns and rows that one cell may span.
const MAX_SPAN: usize = 1000;

/// Cells of all tables on a page, empty ones among them: spans make many out of few bytes.
const MAX_CELLS: u64 = 4_000_000;

/// Characters of a cell's text above which a table without names of columns is the layout of a page.
const MAX_DATA_CHARACTERS: usize = 600;

/// A table that is data.
pub(super) struct Grid {
    captions: Vec<String>,
    rows: Vec<Row>,
    width: usize,
}

struct Row {
    section: Section,
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Head,
    Body(usize),
    Foot,
}

struct Cell {
    column: usize,
    columns: usize,
    rows: usize,
    names: bool,
    bold: bool,
    text: String,
    nested: Vec<NodeId>,
    /// Paragraphs, items and the like within.
    blocks: usize,
    headings: bool,
}

impl Grid {
    /// `None` if the table only arranges the page.
    pub fn of_data(tree: &Tree, table: NodeId) -> Option<Self> {
        let role = dom::attribute(tree, table, "role").unwrap_or_default();
        if matches!(role.as_str(), "presentation" | "none") {
            return None;
        }
        let mut grid = Self::of(tree, table);
        let cells = || grid.rows.iter().flat_map(|row| &row.cells);
        let named =
            cells().any(|cell| cell.names) || grid.rows.iter().any(|row| row.section == Section::Head);
        let arranges = |cell: &Cell| {
            !cell.nested.is_empty()
                || cell.headings
                || cell.blocks > 3
                || cell.text.len() > MAX_DATA_CHARACTERS && cell.text.chars().count() > MAX_DATA_CHARACTERS
        };
        let declared = named || !grid.captions.is_empty();
        let large = grid.rows.len() >= 2 && grid.rows.iter().any(|row| row.cells.len() >= 2);
        if grid.rows.is_empty() || !declared && (!large || cells().any(arranges)) {
            return None;
        }
        grid.place();
        Some(grid)
    }

    fn of(tree: &Tree, table: NodeId) -> Self {
        let mut grid = Self { captions: Vec::new(), rows: Vec::new(), width: 0 };
        let children =
            |node: NodeId| tree.child_ids_of(&node).into_iter().filter(|child| !dom::is_unseen(tree, *child));
        for (index, child) in children(table).enumerate() {
            let section = match dom::name(tree, child).as_deref() {
                Some("caption") => {
                    grid.captions.push(dom::text(tree, child));
                    continue;
                }
                Some("thead") => Section::Head,
                Some("tbody") => Section::Body(index),
                Some("tfoot") => Section::Foot,
                _ => continue,
            };
            for row in children(child) {
                let cells: Vec<Cell> = children(row).filter_map(|cell| Cell::of(tree, cell)).collect();
                if !cells.is_empty() {
                    grid.rows.push(Row { section, cells });
                }
            }
        }
        // A foot may stand before the body, and is shown after it.
        grid.rows.sort_by_key(|row| row.section);
        grid
    }

    /// Gives each cell its column.
    fn place(&mut self) {
        let mut section = None;
        // How many further rows each column is taken by a cell above.
        let mut taken: Vec<usize> = Vec::new();
        for row in &mut self.rows {
            if section != Some(row.section) {
                taken.clear();
                section = Some(row.section);
            }
            let mut next = taken.iter().map(|rows| rows.saturating_sub(1)).collect::<Vec<_>>();
            let mut column = 0;
            for cell in &mut row.cells {
                while taken.get(column).is_some_and(|rows| *rows > 0) {
                    column += 1;
                }
                cell.column = column.min(MAX_COLUMNS - 1);
                let end = (column + cell.columns).min(MAX_COLUMNS);
                if cell.rows > 1 && column < end {
                    next.resize(next.len().max(end), 0);
                    next[column..end].fill(cell.rows - 1);
                }
                column = end;
                self.width = self.width.max(cell.column + 1);
            }
            taken = next;
        }
    }

    /// Tells the table's captions and rows, and what tables lie within its cells after the row of each.
    pub fn tell(
        self,
        number: u32,
        walker: &mut Walker<'_, '_>,
        left_out: &HashSet<NodeId>,
    ) -> Result<(), Refusal> {
        for caption in &self.captions {
            walker.tell(Kind::Caption, caption)?;
        }
        let names = self.names();
        for (index, row) in self.rows.into_iter().enumerate() {
            let title =
                matches!(row.cells.as_slice(), [cell] if self.width > 1 && cell.columns >= self.width);
            let mut cells = vec![String::new(); self.width];
            let mut nested = Vec::new();
            for cell in row.cells {
                if !cells[cell.column].is_empty() {
                    cells[cell.column].push(' ');
                }
                cells[cell.column] += &cell.text;
                nested.extend(cell.nested);
            }
            if title && index == 0 {
                walker.tell(Kind::Caption, &cells.concat())?;
            } else {
                walker.cells += cells.len() as u64;
                if walker.cells > MAX_CELLS {
                    return Err(Refusal::too_much("cells on one page", MAX_CELLS));
                }
                walker.tell_row(number, names.contains(&index), cells)?;
            }
            for table in nested {
                walker.walk(table, left_out)?;
            }
        }
        Ok(())
    }

    /// Which rows name the columns: those of a head; the first ones, if they have nothing but names; a bold first row.
    fn names(&self) -> Vec<usize> {
        let head = self.rows.iter().take_while(|row| row.section == Section::Head).count();
        if head > 0 {
            return (0..head).collect();
        }
        let filled = |row: &Row, is: fn(&Cell) -> bool| {
            let mut cells = row.cells.iter().filter(|cell| !cell.text.trim().is_empty()).peekable();
            cells.peek().is_some() && cells.all(is)
        };
        let named = self.rows.iter().take_while(|row| filled(row, |cell| cell.names)).count();
        if named > 0 && named < self.rows.len() {
            return (0..named).collect();
        }
        match self.rows.as_slice() {
            [first, second, ..]
                if first.cells.len() > 1
                    && filled(first, |cell| cell.bold)
                    && !filled(second, |cell| cell.bold) =>
            {
                vec![0]
            }
            _ => Vec::new(),
        }
    }
}

impl Cell {
    fn of(tree: &Tree, node: NodeId) -> Option<Self> {
        let name = dom::name(tree, node)?;
        if !matches!(&*name, "td" | "th") {
            return None;
        }
        let span =
            |name: &str| dom::attribute(tree, node, name).and_then(|span| span.trim().parse::<usize>().ok());
        let mut cell = Self {
            column: 0,
            columns: span("colspan").unwrap_or(1).clamp(1, MAX_SPAN),
            // Zero means: down to the end.
            rows: span("rowspan").map_or(1, |rows| if rows == 0 { MAX_SPAN } else { rows.min(MAX_SPAN) }),
            names: &*name == "th",
            bold: true,
            text: String::new(),
            nested: Vec::new(),
            blocks: 0,
            headings: false,
        };
        cell.read(tree, node);
        Some(cell)
    }

    fn read(&mut self, tree: &Tree, node: NodeId) {
        let mut bold = 0_usize;
        let is_bold =
            |node: NodeId| dom::name(tree, node).is_some_and(|name| matches!(&*name, "b" | "strong"));
        dom::visit(tree, node, |step| match step {
            Step::Enter(inside) => {
                let before = self.text.len();
                if dom::push_text(tree, inside, &mut self.text) {
                    self.bold &= bold > 0 || self.text[before..].trim().is_empty();
                    return false;
                }
                let name = dom::name(tree, inside);
                let name = name.as_deref().unwrap_or_default();
                if inside != node && dom::is_unseen(tree, inside) {
                    return false;
                }
                if name == "table" {
                    self.nested.push(inside);
                    return false;
                }
                bold += usize::from(is_bold(inside));
                self.headings |= matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
                self.blocks +=
                    usize::from(matches!(name, "p" | "li" | "div" | "pre" | "blockquote" | "form"));
                if dom::is_block(tree, inside) {
                    self.text.push(' ');
                }
                true
            }
            Step::Leave(inside) => {
                bold -= usize::from(is_bold(inside));
                if dom::is_block(tree, inside) {
                    self.text.push(' ');
                }
                true
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::{Event, Kind, Options, Refusal, read};

    /// Rows as `table:cells`, with `#` before those that name the columns, and other blocks as their text.
    fn told(page: &str) -> Vec<String> {
        let mut told = Vec::new();
        read("x.html", page.as_bytes(), &Options::default(), &mut |event| match event {
            Event::Block(block) => told.push(match block.kind {
                Kind::Row { table, header, cells } => {
                    format!("{}{table}:{}", if header { "#" } else { "" }, cells.join("|"))
                }
                Kind::Caption => format!("caption {}", block.text),
                _ => block.text,
            }),
            Event::End(Err(refusal)) => told.push(refusal.to_string()),
            _ => {}
        });
        told
    }

    #[test]
    fn a_table_is_told_by_row_with_the_names_of_its_columns() {
        let page = "<table><caption>Rents</caption><thead><tr><th>Item<th>Amount<tfoot><tr><td>Sum<td>1300\
                    <tbody><tr><td>Rent<td>1200<tr><td>Heat<br>ing<td><p>100</p></table>";
        assert_eq!(
            told(page),
            ["caption Rents", "#1:Item|Amount", "1:Rent|1200", "1:Heat ing|100", "1:Sum|1300"]
        );
        let bold = "<table><tr><td><b>Item</b><td><strong>Amount</strong><tr><td>Rent<td>1200</table>";
        assert_eq!(told(bold), ["#1:Item|Amount", "1:Rent|1200"]);
        let plain = "<table><tr><td>a<td>b<tr><td>c<td>d</table><table><tr><th>x<td>1<tr><th>y<td>2</table>";
        assert_eq!(told(plain), ["1:a|b", "1:c|d", "2:x|1", "2:y|2"]);
    }

    #[test]
    fn merged_cells_stand_in_their_first_column_and_row() {
        let page = "<table><tr><th>Region<th colspan=2>2023<tr><td rowspan=2>North<td>1<td>2<tr><td>3<td>4\
                    <tr><td colspan=99>end</table>";
        assert_eq!(told(page), ["#1:Region|2023|", "1:North|1|2", "1:|3|4", "1:end||"]);
        let title = "<table><tr><th colspan=2>Berlin<tr><th>Area<td>892<tr><th>Mayor<td>X</table>";
        assert_eq!(told(title), ["caption Berlin", "1:Area|892", "1:Mayor|X"]);
    }

    #[test]
    fn tables_within_cells_follow_their_row() {
        let page = "<table><tr><th>a<th>b<tr><td>1<td>2<table><tr><th>c<th>d<tr><td>3<td>4</table><tr><td>5<td>6</table>";
        assert_eq!(told(page), ["#1:a|b", "1:1|2", "#2:c|d", "2:3|4", "1:5|6"]);
    }

    #[test]
    fn a_table_that_arranges_the_page_is_read_as_text() {
        assert_eq!(told("<table><tr><td><h2>Menu</h2><td><p>Text</table>"), ["Menu", "Text"]);
        assert_eq!(told("<table><tr><td>a<tr><td>b</table>"), ["a", "b"]);
        assert_eq!(
            told("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>"),
            ["a", "b", "c", "d"]
        );
        let outer = "<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>e<tr><td>f<td>g</table>";
        assert_eq!(told(outer), ["1:a|b", "1:c|d", "e", "f", "g"]);
    }

    #[test]
    fn spans_cannot_make_a_table_without_bounds() {
        let row = "<tr><td>a<td colspan=99999999999>b<td colspan=1000 rowspan=60000>c<td>d";
        let page = format!("<table>{}</table>", row.repeat(4000));
        let told = told(&page);
        let refusal = Refusal::too_much("cells on one page", super::MAX_CELLS).to_string();
        assert_eq!(told.last(), Some(&refusal));
    }
}
