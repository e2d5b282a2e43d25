//! What a part of a cell tells: the upper and the lower of two numbers in one cell, the domain of an e-mail address, the ending of a file.

use crate::column::Kind;
use crate::column::Unit;
use crate::table::Table;
use crate::words;

/// A column that is a part of another's cells.
pub(super) struct Part {
    pub name: String,
    pub kind: Kind,
    pub sql: String,
    /// The words of the question that name it.
    pub words: std::ops::Range<usize>,
}

const UPPER: &[&str] =
    &["systolic", "systolische", "systolischer", "systolischen", "upper", "obere", "oberer", "oberen", "top"];
const LOWER: &[&str] = &[
    "diastolic",
    "diastolische",
    "diastolischer",
    "diastolischen",
    "lower",
    "untere",
    "unterer",
    "unteren",
    "bottom",
];

/// Words that belong to such a name.
const BEHIND: &[&str] = &[
    "blood",
    "pressure",
    "bp",
    "value",
    "values",
    "number",
    "reading",
    "figure",
    "blutdruck",
    "blutdruckwert",
    "wert",
    "werte",
    "druck",
];

/// The part of a cell that some folded words of a question ask for.
pub(super) fn asked_for(table: &Table, low: &[String]) -> Option<Part> {
    of_a_pair(table, low).or_else(|| of_an_address(table, low))
}

/// `the systolic value`, of cells such as `130/73`.
fn of_a_pair(table: &Table, low: &[String]) -> Option<Part> {
    let is_in = |list: &[&str]| low.iter().position(|word| list.contains(&word.as_str()));
    let (at, is_upper) = is_in(UPPER).map(|at| (at, true)).or_else(|| is_in(LOWER).map(|at| (at, false)))?;
    let is_pair = |text: &String| {
        text.split_once('/').is_some_and(|(first, second)| {
            [first, second].iter().all(|part| {
                let part = part.trim();
                !part.is_empty() && part.len() < 5 && part.bytes().all(|byte| byte.is_ascii_digit())
            })
        })
    };
    let holds_pairs = |column: &usize| {
        let first = if table.columns[*column].is_text() { table.first_texts(*column) } else { Vec::new() };
        !first.is_empty() && first.iter().filter(|text| is_pair(text)).count() * 10 >= first.len() * 9
    };
    let mut found = (0..table.columns.len()).filter(holds_pairs);
    let (column, None) = (found.next()?, found.next()) else { return None };
    let own = &table.columns[column];
    let sql = own.sql();
    let part = if is_upper {
        format!("substr({sql}, 1, instr({sql}, '/') - 1)")
    } else {
        format!("substr({sql}, instr({sql}, '/') + 1)")
    };
    let mut end = at + 1;
    while low.get(end).is_some_and(|word| BEHIND.contains(&word.as_str())) {
        end += 1;
    }
    Some(Part {
        name: format!("{} {}", own.name, if is_upper { "upper" } else { "lower" }),
        kind: Kind::Number { scale: Some(0), unit: Unit::None },
        sql: format!("CASE WHEN instr({sql}, '/') > 0 THEN CAST({part} AS INTEGER) END"),
        words: at..end,
    })
}

/// `per mail provider`, `which domain`, of e-mail addresses.
fn of_an_address(table: &Table, low: &[String]) -> Option<Part> {
    const DOMAINS: &[&str] = &[
        "domain",
        "domains",
        "domäne",
        "provider",
        "providers",
        "mailanbieter",
        "anbieter",
        "domänen",
        "mail-anbieter",
    ];
    let at = low.iter().position(|word| DOMAINS.contains(&word.as_str()))?;
    let is_address = |text: &String| {
        text.split_once('@').is_some_and(|(_, domain)| domain.contains('.')) && !text.contains(' ')
    };
    let holds_addresses = |column: &usize| {
        let described = &table.columns[*column];
        let first = if described.is_text() { table.first_texts(*column) } else { Vec::new() };
        !first.is_empty() && first.iter().filter(|text| is_address(text)).count() * 10 >= first.len() * 8
    };
    // A column of its own is not computed.
    if table.columns.iter().any(|column| words::parts(&column.name).iter().any(|part| *part == low[at])) {
        return None;
    }
    let mut found = (0..table.columns.len()).filter(holds_addresses);
    let (column, None) = (found.next()?, found.next()) else { return None };
    let own = &table.columns[column];
    let sql = own.sql();
    let start =
        if at > 0 && matches!(low[at - 1].as_str(), "mail" | "email" | "e-mail") { at - 1 } else { at };
    Some(Part {
        name: format!("{} domain", own.name),
        kind: Kind::Text { is_enumeration: true },
        sql: format!("CASE WHEN instr({sql}, '@') > 0 THEN lower(substr({sql}, instr({sql}, '@') + 1)) END"),
        words: start..at + 1,
    })
}
