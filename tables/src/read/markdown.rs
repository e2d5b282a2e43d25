//! Tables in a Markdown text. The largest is the table; a person is told of the others.

use super::line_number;
use crate::raw::RawTable;

/// Where a table begins and ends in the lines of a text.
struct Block {
    header: usize,
    end: usize,
}

/// Whether there is a table with a row.
pub(super) fn has_table(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    blocks(&lines).iter().any(|block| block.end > block.header + 2)
}

/// The largest table of a text.
pub(super) fn read(text: &str) -> RawTable {
    let lines: Vec<&str> = text.lines().collect();
    let blocks = blocks(&lines);
    let Some(largest) =
        blocks.iter().max_by_key(|block| (block.end - block.header, std::cmp::Reverse(block.header)))
    else {
        return RawTable::default();
    };
    let mut table = RawTable::new(cells(lines[largest.header]));
    for (index, line) in lines.iter().enumerate().take(largest.end).skip(largest.header + 2) {
        let row = cells(line);
        let number = line_number(index);
        table.push_row(number..=number, row.iter().map(String::as_str));
    }
    table.drop_total();
    if blocks.len() > 1 {
        table.notes.push(format!(
            "the table at line {} is read; {} more are in the file",
            line_number(largest.header),
            blocks.len() - 1
        ));
    }
    table
}

fn blocks(lines: &[&str]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut index = 1;
    while index < lines.len() {
        if is_rule(lines[index]) && lines[index - 1].contains('|') {
            let end =
                (index + 1..lines.len()).find(|line| !lines[*line].contains('|')).unwrap_or(lines.len());
            blocks.push(Block { header: index - 1, end });
            index = end;
        }
        index += 1;
    }
    blocks
}

/// `|---|:--:|`
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('|') && line.contains("--") && line.chars().all(|letter| "|-: ".contains(letter))
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for letter in line.chars() {
        match letter {
            '|' if !escaped => cells.push(String::new()),
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            _ => {
                if let Some(cell) = cells.last_mut() {
                    if escaped && letter != '|' {
                        cell.push('\\');
                    }
                    cell.push(letter);
                }
            }
        }
        escaped = false;
    }
    if line.ends_with('|') && cells.len() > 1 {
        cells.pop();
    }
    cells.iter().map(|cell| plain(cell)).collect()
}

/// A cell without emphasis, code marks and the target of a link.
fn plain(cell: &str) -> String {
    let cell = cell.trim();
    let mut text = cell.trim_matches('`').to_owned();
    for mark in ["**", "__"] {
        if let Some(inner) = text.strip_prefix(mark).and_then(|inner| inner.strip_suffix(mark)) {
            text = inner.to_owned();
        }
    }
    if let Some(inner) = text.strip_prefix('[')
        && let Some((label, target)) = inner.split_once("](")
        && target.ends_with(')')
    {
        text = label.to_owned();
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_table_is_read_with_its_lines() {
        let text = "# Stock\n\n| a |\n|---|\n| 1 |\n\n| Item | **Price** |\n| :-- | --: |\n| `bolt` | 1.50 |\n| [nut](x) | 2 \\| 3 |\n\nend";
        let table = read(text);
        assert_eq!(table.names, ["Item", "Price"]);
        let rows: Vec<_> = table.rows().collect();
        assert_eq!((rows[0].cell(0), rows[0].cell(1), rows[0].lines().0), ("bolt", "1.50", 9));
        assert_eq!((rows[1].cell(0), rows[1].cell(1)), ("nut", "2 | 3"));
        assert_eq!(table.notes.len(), 1);
    }
}
