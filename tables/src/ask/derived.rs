//! Questions for what no column holds and two of them tell together: how long something took, the rent per square metre, income
//! minus spending, what the stock is worth. The two become a column of their own, and the question is asked of the wider table.

use super::lexicon::Hint;
use super::loose;
use super::superlatives::only_fitting;
use super::{Answer, UNSURE, naming};
use crate::column::{Column, Kind, Unit};
use crate::table::Table;
use crate::{vocabulary, words};

/// A column that a question asks for, and the question by its name.
struct Derived {
    name: String,
    kind: Kind,
    sql: String,
    question: String,
}

impl Table {
    /// Answers a question for what two columns tell together.
    pub(super) fn ask_derived(&self, question: &str) -> Option<Answer> {
        if self.columns.iter().any(|column| column.computed.is_some()) {
            return None;
        }
        let said = Said::of(question);
        let Derived { name, kind, sql, question } = ratio(self, &said)
            .or_else(|| sum_or_difference(self, &said))
            .or_else(|| worth(self, &said))
            .or_else(|| duration(self, &said))?;
        let wider = self.with_computed(&name, kind, sql.clone()).ok()?;
        let Answer::Unique(mut answered) = wider.ask(&question) else { return None };
        if !answered.query.columns().contains(&self.columns.len()) {
            return None;
        }
        answered.confidence = answered.confidence.min(UNSURE);
        answered.notes.push(format!("{name} is computed as {sql}"));
        Some(Answer::Unique(answered))
    }
}

/// The words of a question, as written and folded.
struct Said<'q> {
    written: Vec<&'q str>,
    low: Vec<String>,
}

impl<'q> Said<'q> {
    fn of(question: &'q str) -> Self {
        Self::of_words(question.split_whitespace().collect())
    }

    fn of_words(written: Vec<&'q str>) -> Self {
        let bare = |word: &&str| {
            word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '²').to_lowercase()
        };
        let low = written.iter().map(bare).collect();
        Self { written, low }
    }

    fn has(&self, list: &[&str]) -> bool {
        self.low.iter().any(|word| list.contains(&word.as_str()))
    }

    fn position(&self, list: &[&str]) -> Option<usize> {
        self.low.iter().position(|word| list.contains(&word.as_str()))
    }

    /// The question with other words in place of some.
    fn with(&self, places: std::ops::Range<usize>, instead: &str) -> String {
        let mut words: Vec<&str> = self.written[..places.start].to_vec();
        words.push(instead);
        words.extend(&self.written[places.end..]);
        words.join(" ")
    }

    /// The column of numbers that words from a place on name, and how many words these are.
    fn column_at(&self, table: &Table, at: usize) -> Option<(usize, usize)> {
        (1..=3.min(self.low.len().saturating_sub(at))).rev().find_map(|length| {
            let phrase = self.low[at..at + length].join(" ");
            Some((number_called(table, &phrase)?, length))
        })
    }

    /// The same of words before a place.
    fn column_before(&self, table: &Table, at: usize) -> Option<(usize, usize)> {
        (1..=3.min(at)).rev().find_map(|length| {
            let phrase = self.low[at - length..at].join(" ");
            Some((number_called(table, &phrase)?, length))
        })
    }

    /// Whether something else than a sum is asked for.
    fn ranks_or_averages(&self) -> bool {
        self.low.iter().any(|word| {
            word.ends_with("est") && word.len() > 5
                || word.starts_with("durchschnitt")
                || matches!(
                    word.as_str(),
                    "most"
                        | "least"
                        | "average"
                        | "mean"
                        | "median"
                        | "avg"
                        | "höchste"
                        | "höchsten"
                        | "größte"
                        | "größten"
                        | "best"
                        | "worst"
                        | "meisten"
                        | "kleinste"
                        | "kleinsten"
                        | "niedrigste"
                        | "niedrigsten"
                        | "total"
                        | "sum"
                        | "summe"
                )
        })
    }

    /// A name in place of some words, added up unless the question says what else to make of it.
    fn asking_for(&self, places: std::ops::Range<usize>, name: &str) -> String {
        let total = if self.ranks_or_averages() { "" } else { "total " };
        self.with(places, &format!("{total}\"{name}\""))
    }
}

const ARTICLES: &[&str] =
    &["the", "der", "die", "das", "den", "dem", "a", "an", "our", "my", "unsere", "unseren"];

/// The column of amounts that a phrase names or speaks of.
fn number_called(table: &Table, phrase: &str) -> Option<usize> {
    let is_amount = |column: &usize| table.columns[*column].is_numeric() && !table.holds_codes(*column);
    naming::columns_called(table, phrase).into_iter().find(is_amount).or_else(|| {
        let is_one_word = !phrase.contains(' ') && phrase.chars().count() > 2;
        is_one_word.then(|| loose::columns_of(table, phrase).into_iter().find(is_amount))?
    })
}

fn described(table: &Table, columns: [usize; 2]) -> [&Column; 2] {
    columns.map(|column| &table.columns[column])
}

/// Most decimals of two columns.
fn decimals(left: &Column, right: &Column) -> u32 {
    left.scale().unwrap_or(6).max(right.scale().unwrap_or(6))
}

/// `rent per square metre`, `Preis pro Nacht`: one amount by another.
fn ratio(table: &Table, said: &Said<'_>) -> Option<Derived> {
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

/// `income minus spending`, `rent plus heating`, `the difference between selling and buying price`, `improved between`.
fn sum_or_difference(table: &Table, said: &Said<'_>) -> Option<Derived> {
    const MINUS: &[&str] = &["minus", "less", "abzüglich"];
    const PLUS: &[&str] = &["plus", "zuzüglich"];
    const BETWEEN: &[&str] = &["between", "zwischen", "from", "von"];
    const APART: &[&str] = &["difference", "unterschied", "differenz", "gap", "margin", "marge", "spanne"];
    const BETTER: &[&str] =
        &["improved", "improve", "gained", "verbessert", "gestiegen", "rose", "increased"];
    let skip = |mut at: usize| {
        while said.low.get(at).is_some_and(|word| ARTICLES.contains(&word.as_str())) {
            at += 1;
        }
        at
    };
    let is_sum = said.has(PLUS);
    let (first, second, places) = if let Some(at) = said.position(MINUS).or_else(|| said.position(PLUS)) {
        let (first, before) = said.column_before(table, at)?;
        let next = skip(at + 1);
        let (second, behind) = said.column_at(table, next)?;
        (first, second, at - before..next + behind)
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
    let sign = if is_sum { "+" } else { "-" };
    // Of income and spending, a row has one.
    let has_one = left.missing + right.missing >= table.rows;
    let of = |column: &Column| if has_one { format!("coalesce({}, 0)", column.sql()) } else { column.sql() };
    let sql = format!("round({} {sign} {}, {})", of(left), of(right), decimals(left, right));
    let name = format!("{} {} {}", left.name, if is_sum { "plus" } else { "minus" }, right.name);
    let question = if is_better {
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

/// `what is the stock worth`: the price of a piece times how many there are.
fn worth(table: &Table, said: &Said<'_>) -> Option<Derived> {
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

/// `how long did it take`, `how many days were they kept`: from the first moment of a row to the second.
fn duration(table: &Table, said: &Said<'_>) -> Option<Derived> {
    const LONG: &[&str] = &[
        "long",
        "longest",
        "shortest",
        "slowest",
        "fastest",
        "quickest",
        "took",
        "take",
        "takes",
        "kept",
        "keep",
        "lasted",
        "duration",
        "turnaround",
        "dauer",
        "dauert",
        "dauerte",
        "dauern",
        "gedauert",
        "lange",
        "längste",
        "längsten",
        "kürzeste",
        "kürzesten",
        "schnellste",
        "schnellsten",
        "langsamste",
        "langsamsten",
    ];
    const SPANS: &[&str] = &["days", "tage", "hours", "stunden", "minutes", "minuten", "weeks", "wochen"];
    let counts = said
        .low
        .windows(2)
        .any(|pair| matches!(pair[0].as_str(), "many" | "viele") && SPANS.contains(&pair[1].as_str()));
    let has_length = |column: &Column| matches!(column.kind, Kind::Duration { .. });
    let is_time = said.has(&["time", "zeit"]) && said.ranks_or_averages();
    if !said.has(LONG) && !counts && !is_time
        || table.columns.iter().any(has_length)
        || only_fitting(table, Hint::Duration).is_some()
    {
        return None;
    }
    let is_due = |column: usize| {
        words::parts(&table.columns[column].name).iter().any(|part| vocabulary::are_synonyms("due", part))
    };
    let moments: Vec<usize> = (0..table.columns.len())
        .filter(|column| table.columns[*column].is_moment() && !is_due(*column))
        .collect();
    let (start, end) = match (moments.as_slice(), table.end_column()) {
        ([start, end], _) => (*start, *end),
        ([start, ..], Some(end)) if *start != end => (*start, end),
        _ => return None,
    };
    let [from, to] = described(table, [start, end]);
    let days = format!("julianday({}) - julianday({})", to.sql(), from.sql());
    let is_of = |stems: &[&str]| said.low.iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)));
    let is_dates = from.kind == Kind::Date && to.kind == Kind::Date;
    let (unit, sql) = if is_dates || is_of(&["day", "tag"]) {
        ("d", format!("round({days}, 4)"))
    } else if is_of(&["minute"]) {
        ("min", format!("round(({days}) * 1440, 4)"))
    } else {
        ("h", format!("round(({days}) * 24, 4)"))
    };
    let kind = Kind::Duration { unit, scale: if is_dates { 0 } else { 4 } };
    Some(Derived { name: "duration".to_owned(), kind, sql, question: said.written.join(" ") })
}

#[cfg(test)]
mod tests {
    use crate::{Answer, LoadOptions, Table};

    fn first(table: &Table, question: &str) -> String {
        match table.ask(question) {
            Answer::Unique(answer) => {
                assert!(answer.confidence < 0.8, "{question}: {}", answer.confidence);
                answer.outcome.rows[0][0].to_string()
            }
            other => panic!("{question}: {other:?}"),
        }
    }

    #[test]
    fn two_columns_tell_what_neither_holds() {
        let text = "Title,Borrowed,Due,Returned\nEmma,2025-01-07,2025-01-28,2025-01-17\nDune,2025-01-08,2025-01-29,2025-01-28\nUbik,2025-01-09,2025-01-30,\n";
        let loans = Table::load("loans.csv", text, &LoadOptions::default()).unwrap();
        assert_eq!(first(&loans, "On average, how many days were they kept?"), "15");
        assert_eq!(first(&loans, "Which title was kept the longest?"), "Dune");
        let text = "Address,Living space,Rent\nA,50 m²,500 €\nB,80 m²,720 €\nC,30 m²,360 €\n";
        let flats = Table::load("flats.csv", text, &LoadOptions::default()).unwrap();
        assert_eq!(first(&flats, "Which address has the lowest rent per square metre?"), "B");
        let text = "Datum;Einnahme;Ausgabe\n01.02.2024;100,00;\n02.02.2024;;30,50\n03.02.2024;20,00;\n";
        let cash = Table::load("kasse.csv", text, &LoadOptions::default()).unwrap();
        assert_eq!(first(&cash, "Einnahmen minus Ausgaben?"), "89.5");
        let text = "Item,Price,Stock\nHat,19.50,2\nScarf,10.00,3\n";
        let shop = Table::load("shop.csv", text, &LoadOptions::default()).unwrap();
        assert_eq!(first(&shop, "What is the stock worth?"), "69");
    }
}
