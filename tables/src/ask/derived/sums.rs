//! One amount by another, their sum, their difference, one times the other.

use super::Derived;
use super::called::{decimals, described, number_called};
use super::said::{ARTICLES, Said};
use crate::ask::recast;
use crate::column::{Column, Kind, Unit};
use crate::table::Table;
use crate::{vocabulary, words};

/// `rent per square metre`, `Preis pro Nacht`: one amount by another.
pub(super) fn ratio(table: &Table, said: &Said<'_>) -> Option<Derived> {
    // `price minus cost per piece`
    if said.has(&["minus", "abzüglich"]) {
        return None;
    }
    let at = said.position(&["per", "pro", "je"])?;
    let (by, length) = [2, 1].into_iter().find_map(|length| {
        let phrase = said.low.get(at + 1..at + 1 + length)?.join(" ");
        Some((number_called(table, &phrase)?, length))
    })?;
    let (of, before) = said.column_before(table, at).or_else(|| {
        let amounts: Vec<usize> = table.measures().into_iter().filter(|column| *column != by).collect();
        let [column] = amounts[..] else { return None };
        Some((column, 0))
    })?;
    if of == by {
        return None;
    }
    let [left, right] = described(table, [of, by]);
    let name = format!("{} per {}", left.name, right.name);
    let question = said.with(at - before..at + 1 + length, &format!("\"{name}\""));
    let sql = format!("round(1.0 * {} / nullif({}, 0), 6)", left.sql(), right.sql());
    Some(Derived { name, kind: Kind::Number { scale: Some(6), unit: Unit::None }, sql, question })
}

/// What says that the second of two amounts is the larger.
const BETTER: &[&str] = &[
    "improved",
    "improve",
    "gained",
    "gain",
    "verbessert",
    "gestiegen",
    "rose",
    "increased",
    "increase",
    "went",
    "climbed",
    "zugelegt",
];

/// What says that amounts of all rows are told apart.
const TOTALS: &[&str] =
    &["total", "totals", "overall", "gesamt", "gesamte", "gesamten", "gesamtes", "insgesamt", "summe", "sum"];

/// `income minus spending`, `rent plus heating`, `the difference between selling and buying price`, `improved between`.
pub(super) fn sum_or_difference(table: &Table, said: &Said<'_>) -> Option<Derived> {
    const MINUS: &[&str] = &["minus", "less", "abzüglich"];
    const PLUS: &[&str] = &["plus", "zuzüglich"];
    const BETWEEN: &[&str] = &["between", "zwischen", "from", "von"];
    const APART: &[&str] = &["difference", "unterschied", "differenz", "gap", "margin", "marge", "spanne"];
    const TIMES: &[&str] = &["times", "mal", "multiplied"];
    let skip = |mut at: usize| {
        while said.low.get(at).is_some_and(|word| ARTICLES.contains(&word.as_str())) {
            at += 1;
        }
        at
    };
    let is_sum = said.has(PLUS);
    let of_both = |at: usize| {
        let (first, before) = said.column_before(table, at)?;
        let next = skip(at + 1);
        let next = if said.low.get(next).is_some_and(|word| word == "by") { skip(next + 1) } else { next };
        let (second, behind) = said.column_at(table, next)?;
        Some((first, second, at - before..next + behind))
    };
    let product = said.position(TIMES).and_then(of_both);
    let is_product = product.is_some();
    let (first, second, places) = if let Some(product) = product {
        product
    } else if let Some(at) = said.position(MINUS).or_else(|| said.position(PLUS)) {
        of_both(at)?
    } else {
        let start = said.position(APART).or_else(|| said.position(BETTER))?;
        let between = start + said.low[start..].iter().position(|word| BETWEEN.contains(&word.as_str()))?;
        let at = skip(between + 1);
        let (first, length) = said.column_at(table, at)?;
        let joint = at + length;
        if !matches!(said.low.get(joint)?.as_str(), "and" | "und" | "to" | "bis" | "zu") {
            return None;
        }
        let next = skip(joint + 1);
        let (second, behind) = said.column_at(table, next)?;
        (first, second, start..next + behind)
    };
    if first == second {
        return None;
    }
    // Who improved has more in the second.
    let is_better = said.has(BETTER);
    let (first, second) = if is_better { (second, first) } else { (first, second) };
    let [left, right] = described(table, [first, second]);
    let sign = match (is_product, is_sum) {
        (true, _) => "*",
        (_, true) => "+",
        _ => "-",
    };
    // Of income and spending, a row has one; of two totals, each is that of all rows.
    let has_one = !is_product && (left.missing + right.missing >= table.rows || said.has(TOTALS));
    let of = |column: &Column| if has_one { format!("coalesce({}, 0)", column.sql()) } else { column.sql() };
    let sql = format!("round({} {sign} {}, {})", of(left), of(right), decimals(left, right));
    let word = match sign {
        "*" => "times",
        "+" => "plus",
        _ => "minus",
    };
    let name = format!("{} {word} {}", left.name, right.name);
    let by_how_much: Vec<&str> = said.written[places.clone()]
        .iter()
        .zip(&said.low[places.clone()])
        .skip(1)
        .take_while(|(_, low)| !BETWEEN.contains(&low.as_str()))
        .filter(|(_, low)| {
            !matches!(low.as_str(), "by" | "um" | "points" | "point" | "marks" | "punkte" | "up")
        })
        .map(|(written, _)| *written)
        .collect();
    let is_told = by_how_much.iter().any(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    let question = if is_better && is_told {
        said.with(places, &format!("have \"{name}\" {}", by_how_much.join(" ")))
    } else if is_better && said.has(&["how", "wie"]) {
        said.with(places, &format!("have \"{name}\" over 0"))
    } else if is_better {
        said.with(places, &format!("has the largest \"{name}\""))
    } else {
        said.asking_for(places, &name)
    };
    let unit = match &left.kind {
        Kind::Number { unit, .. } => unit.clone(),
        _ => Unit::None,
    };
    Some(Derived { name, kind: Kind::Number { scale: Some(decimals(left, right)), unit }, sql, question })
}

/// `both tests added up`, `basic and bonus together`: the sum of two columns.
pub(super) fn total_of_both(table: &Table, said: &Said<'_>) -> Option<Derived> {
    const TOGETHER: &[&str] = &[
        "together",
        "combined",
        "added",
        "zusammen",
        "zusammengerechnet",
        "zusammengenommen",
        "addiert",
        "overall",
        "sum",
        "summe",
        "insgesamt",
    ];
    let together = said.position(TOGETHER)?;
    let both = said.position(&["both", "beide", "beiden", "beider"]);
    let (first, second, places) = if let Some(at) = both {
        let name = said.low.get(at + 1)?;
        let number = |ordinal: &str| recast::numbered_column(table, &[ordinal, name]);
        let (first, second) = (number("first")?, number("second")?);
        if number("third").is_some() {
            return None;
        }
        (first, second, at..at + 2)
    } else {
        let at = said.position(&["and", "und"])?;
        let (first, before) = said.column_before(table, at)?;
        let (second, behind) = said.column_at(table, at + 1)?;
        (first, second, at - before..at + 1 + behind)
    };
    let [left, right] = described(table, [first, second]);
    if first == second || !left.is_numeric() || !right.is_numeric() || left.unit_label() != right.unit_label()
    {
        return None;
    }
    let name = format!("{} plus {}", left.name, right.name);
    let sql = format!("round({} + {}, {})", left.sql(), right.sql(), decimals(left, right));
    let mut words: Vec<String> = Vec::new();
    for (place, written) in said.written.iter().enumerate() {
        let is_said = place == together || place == together + 1 && said.low[place] == "up";
        if place == places.start {
            words.push(format!("\"{name}\""));
        } else if !places.contains(&place) && !is_said {
            words.push((*written).to_owned());
        }
    }
    let unit = match &left.kind {
        Kind::Number { unit, .. } => unit.clone(),
        _ => Unit::None,
    };
    let kind = Kind::Number { scale: Some(decimals(left, right)), unit };
    Some(Derived { name, kind, sql, question: words.join(" ") })
}

/// `what is the stock worth`: the price of a piece times how many there are.
pub(super) fn worth(table: &Table, said: &Said<'_>) -> Option<Derived> {
    const WORTH: &[&str] =
        &["worth", "wert", "value", "warenwert", "lagerwert", "bestandswert", "gesamtwert"];
    let at = said.position(WORTH)?;
    let called = |concepts: &[&str], column: &Column| {
        column.is_numeric()
            && words::parts(&column.name).iter().any(|part| {
                concepts.iter().any(|concept| part == concept || vocabulary::are_synonyms(concept, part))
            })
    };
    let position = |concepts: &[&str]| table.columns.iter().position(|column| called(concepts, column));
    let pieces = table.quantity_column().or_else(|| position(&["stock"]))?;
    let prices: Vec<usize> = (0..table.columns.len())
        .filter(|column| *column != pieces && called(&["price", "ek", "vk", "rrp"], &table.columns[*column]))
        .collect();
    let spoken =
        said.low.iter().find_map(|word| number_called(table, word).filter(|column| prices.contains(column)));
    let price = spoken.or(if let [price] = prices[..] { Some(price) } else { None })?;
    let [left, right] = described(table, [price, pieces]);
    let name = format!("{} times {}", left.name, right.name);
    let sql = format!("round({} * {}, {})", left.sql(), right.sql(), decimals(left, right));
    // `the stock at list price`: both are in the name.
    let is_in_name =
        |word: &String| number_called(table, word).is_some_and(|column| column == price || column == pieces);
    let kept: Vec<&str> = (0..said.written.len())
        .filter(|place| *place == at || !is_in_name(&said.low[*place]))
        .map(|place| said.written[place])
        .collect();
    let said = Said::of_words(kept);
    let at = said.position(WORTH)?;
    let question = said.asking_for(at..at + 1, &name);
    Some(Derived { name, kind: left.kind.clone(), sql, question })
}
