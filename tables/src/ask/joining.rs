//! A question over two tables that belong together: `orders per customer name` over `orders.csv` and `customers.csv`.
//!
//! Two columns are a key if they hold the same kind of value, one of them holds none twice, and they are called alike
//! (`customer_id` in both), or the one after the other table (`customer`, and `id` of customers). A question may name the key
//! (`joined on customer_id`); one that it does not name is a guess that is said. `no order`, `more than three orders` speak of how
//! many partners a row has: these are counted into a column of their own.

use super::{Answer, Answered, UNSURE};
use crate::join::can_be_compared;
use crate::query::Query;
use crate::table::Table;
use crate::words;

/// An answer over two tables.
#[derive(Debug)]
pub struct JoinedAnswer {
    /// The table whose rows are cited: an index into those that were asked.
    pub table: usize,
    /// The answer.
    pub answered: Box<Answered>,
}

/// Confidence where the key was not named.
const KEY_GUESSED: f64 = 0.75;

/// Words by which a question says that tables are to be joined, and on what.
const JOINS: &[&str] =
    &["joined", "join", "matched", "linked", "merged", "verknüpft", "verbunden", "gejoint"];
const ON: &[&str] = &["on", "by", "over", "via", "through", "using", "über", "anhand", "mit", "per", "nach"];

/// Words that add nothing to the name of a key.
const KEY_WORDS: &[&str] = &[
    "id", "nr", "no", "number", "nummer", "key", "code", "name", "kennung", "ref", "num", "login", "sku",
    "email", "mail",
];

/// Two columns that hold the same.
struct JoinKey {
    left: usize,
    right: usize,
    /// Lower is better.
    rank: u32,
}

/// Answers a question with two of several tables at once; nothing if no two of them answer it in one way.
pub fn ask_joined(tables: &[&Table], question: &str) -> Option<JoinedAnswer> {
    let (question, named_key) = without_key(question);
    let mut found: Vec<(bool, JoinedAnswer)> = Vec::new();
    for (first, left) in tables.iter().enumerate() {
        for (second, right) in tables.iter().enumerate().filter(|(second, _)| *second != first) {
            for key in keys(left, right, named_key.as_deref()) {
                let mut answered = Vec::new();
                if first < second {
                    answered.extend(
                        of_rows(left, right, &key, &question).map(|(is_left, answered)| {
                            (false, if is_left { first } else { second }, answered)
                        }),
                    );
                }
                answered
                    .extend(of_counts(left, right, &key, &question).map(|answered| (true, first, answered)));
                for (is_counted, table, mut answered) in answered {
                    if named_key.is_none() {
                        answered.confidence = answered.confidence.min(KEY_GUESSED);
                    }
                    let (ours, theirs) = (&left.columns[key.left].name, &right.columns[key.right].name);
                    let note =
                        format!("{} and {} were joined where {ours} is {theirs}", left.name, right.name);
                    answered.reading = format!("{} ({note})", answered.reading);
                    answered.notes.push(note);
                    found.push((is_counted, JoinedAnswer { table, answered }));
                }
            }
        }
    }
    // `no orders` is said of those without a partner, and of no row that has one.
    if found.iter().any(|(is_counted, _)| *is_counted) {
        found.retain(|(is_counted, _)| *is_counted);
    }
    let mut found: Vec<JoinedAnswer> = found.into_iter().map(|(_, found)| found).collect();
    let best = found.iter().map(|found| found.answered.confidence).max_by(f64::total_cmp)?;
    found.retain(|found| found.answered.confidence >= best);
    let is_one = found.iter().all(|other| other.answered.outcome.rows == found[0].answered.outcome.rows);
    is_one.then(|| found.swap_remove(0))
}

/// Over the rows of the one that says the key often, with what the other says of it. True if these are rows of the first.
fn of_rows(left: &Table, right: &Table, key: &JoinKey, question: &str) -> Option<(bool, Box<Answered>)> {
    // Those of the table whose key may stand twice.
    let is_left = right.is_unique(key.right);
    let joined = left.joined(key.left, right, key.right).ok().filter(|joined| joined.rows() > 0)?;
    let Answer::Unique(answered) = joined.ask(question) else { return None };
    let of_first = if is_left { left.columns.len() } else { right.columns.len() };
    let uses = |is_of: fn(usize, usize) -> bool| {
        answered.query.columns().iter().any(|column| is_of(*column, of_first))
    };
    let is_of_both = uses(|column, first| column >= first)
        && (uses(|column, first| column < first) || counts_rows(&answered.query));
    // What hardly fits either table fits no two of them.
    (is_of_both && answered.confidence >= UNSURE).then_some((is_left, answered))
}

/// Over the rows of the first, with how many partners each has.
fn of_counts(left: &Table, right: &Table, key: &JoinKey, question: &str) -> Option<Box<Answered>> {
    let counted = left.with_partners_counted(key.left, right, key.right).ok()?;
    // Columns that share no value are no key: `name` of the customers is no `customer_id` of the orders.
    if counted.columns.last().is_some_and(|count| count.missing == counted.rows()) {
        return None;
    }
    let Answer::Unique(answered) = counted.ask(question) else { return None };
    let filter = answered.query.filter.as_ref();
    let mut columns = Vec::new();
    if let Some(filter) = filter {
        filter.push_columns(&mut columns);
    }
    // A sum of counts is better asked of the rows themselves.
    (columns.contains(&left.columns.len()) && answered.confidence >= UNSURE).then_some(answered)
}

fn counts_rows(query: &Query) -> bool {
    use crate::query::{Function, Output};
    query.outputs.iter().flat_map(Output::aggregates).any(|aggregate| {
        aggregate.column.is_none() && matches!(aggregate.function, Function::Count | Function::Share)
    })
}

/// The keys of two tables, the best first: none that is worse than another.
fn keys(left: &Table, right: &Table, named: Option<&str>) -> Vec<JoinKey> {
    let mut keys: Vec<JoinKey> = Vec::new();
    for (own, column) in left.columns.iter().enumerate() {
        for (others, other) in right.columns.iter().enumerate() {
            if !can_be_compared(&column.kind, &other.kind) {
                continue;
            }
            let (ours, theirs) = (words::parts(&column.name), words::parts(&other.name));
            let rank = if named.is_some_and(|named| is_called(&ours, named) || is_called(&theirs, named)) {
                (ours == theirs
                    || is_called_after(&ours, &theirs, right)
                    || is_called_after(&theirs, &ours, left))
                .then_some(0)
            } else if named.is_some() {
                None
            } else if ours == theirs
                && (ours.iter().any(|part| is_key_word(part))
                    || is_noun(left, &ours)
                    || is_noun(right, &ours))
            {
                Some(1)
            } else if is_called_after(&ours, &theirs, right) || is_called_after(&theirs, &ours, left) {
                Some(2)
            } else if ours == theirs && column.is_text() {
                Some(3)
            } else {
                None
            };
            keys.extend(rank.map(|rank| JoinKey { left: own, right: others, rank }));
        }
    }
    keys.retain(|key| left.is_unique(key.left) || right.is_unique(key.right));
    let best = keys.iter().map(|key| key.rank).min();
    keys.retain(|key| Some(key.rank) == best);
    keys
}

fn is_called(parts: &[String], named: &str) -> bool {
    parts == words::parts(named).as_slice()
}

fn is_key_word(word: &str) -> bool {
    KEY_WORDS.contains(&word)
}

/// Whether a name is what a table calls its records: `customer` of `customers.csv`.
fn is_noun(table: &Table, parts: &[String]) -> bool {
    let [part] = parts else { return false };
    table.nouns.iter().any(|noun| words::same_but_plural(noun, part) || words::same_word(noun, part))
}

/// `customer`, `customer_id`, `kundennr` of `id`, `nr`, `name`, where the other table is of customers.
fn is_called_after(ours: &[String], theirs: &[String], table: &Table) -> bool {
    let is_plain_key = |part: &String| is_key_word(part) || is_noun(table, std::slice::from_ref(part));
    if theirs.is_empty() || !theirs.iter().all(is_plain_key) {
        return false;
    }
    ours.iter().any(|part| is_noun(table, std::slice::from_ref(part))) && ours.iter().all(is_plain_key)
}

/// The question without `joined on customer_id`, and the key that it names.
fn without_key(question: &str) -> (String, Option<String>) {
    let words: Vec<&str> = question.split_whitespace().collect();
    let bare = |word: &str| {
        word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_').to_lowercase()
    };
    let joins = words.iter().position(|word| JOINS.contains(&bare(word).as_str()));
    let on = joins.and_then(|joins| {
        (joins + 1..words.len().min(joins + 5)).find(|at| ON.contains(&bare(words[*at]).as_str()))
    });
    let (Some(joins), Some(on)) = (joins, on) else { return (question.to_owned(), None) };
    let mut key = on + 1;
    while key + 1 < words.len()
        && ["the", "their", "der", "die", "das", "den"].contains(&bare(words[key]).as_str())
    {
        key += 1;
    }
    let Some(name) = words.get(key).map(|word| bare(word)).filter(|name| !name.is_empty()) else {
        return (question.to_owned(), None);
    };
    let rest: Vec<&str> = words[..joins].iter().chain(&words[key + 1..]).copied().collect();
    (rest.join(" ").trim_end_matches([',', ';']).to_owned(), Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadOptions;

    fn tables() -> [Table; 2] {
        let orders = "order,customer_id,amount,date\n1,C1,5.00,2026-03-01\n2,C2,7.50,2026-03-02\n3,C1,1.50,2026-04-01\n4,C1,3.00,2026-04-02\n";
        let customers = "id,name,city\nC1,Ada,Berlin\nC2,Bob,Paris\nC3,Eve,Berlin\nC4,Kim,Rome\n";
        let load = |name: &str, text: &str| Table::load(name, text, &LoadOptions::default()).unwrap();
        [load("orders.csv", orders), load("customers.csv", customers)]
    }

    fn rows(question: &str) -> (Vec<Vec<String>>, f64, usize) {
        let [orders, customers] = tables();
        let found = ask_joined(&[&orders, &customers], question).unwrap_or_else(|| panic!("{question}"));
        let mut rows: Vec<Vec<String>> = found
            .answered
            .outcome
            .rows
            .iter()
            .map(|row| row.iter().map(ToString::to_string).collect())
            .collect();
        rows.sort();
        (rows, found.answered.confidence, found.table)
    }

    #[test]
    fn rows_of_one_table_are_put_together_by_a_column_of_the_other() {
        let (found, confidence, table) = rows("How many orders are there per customer name?");
        assert_eq!(found, [["Ada", "3"], ["Bob", "1"]]);
        assert!(confidence < 0.8, "the key was guessed: {confidence}");
        assert_eq!(table, 0);
        assert_eq!(rows("What is the total amount per city?").0, [["Berlin", "9.5"], ["Paris", "7.5"]]);
        assert_eq!(rows("What is the average amount of customers in Berlin?").0[0][0], "3.17");
    }

    #[test]
    fn a_key_that_is_named_is_no_guess() {
        let (found, confidence, _) = rows("How many orders are there per city, joined on customer_id?");
        assert_eq!(found, [["Berlin", "3"], ["Paris", "1"]]);
        assert!(confidence >= super::super::READ_WHOLE, "{confidence}");
    }

    #[test]
    fn rows_without_a_partner_are_found() {
        let (found, _, table) = rows("Which customers have no orders?");
        let names: Vec<&str> = found.iter().map(|row| row[0].as_str()).collect();
        assert!(names == ["Eve", "Kim"] || names == ["C3", "C4"], "{found:?}");
        assert_eq!(table, 1);
        assert_eq!(rows("How many customers have no orders?").0, [["2"]]);
        assert_eq!(rows("How many customers have more than 2 orders?").0, [["1"]]);
    }

    #[test]
    fn the_key_is_taken_out_of_the_question() {
        let (question, key) = without_key("Total amount per city, joined on the customer_id?");
        assert_eq!((question.as_str(), key.as_deref()), ("Total amount per city", Some("customer_id")));
        assert_eq!(without_key("Who joined in March?"), ("Who joined in March?".to_owned(), None));
    }
}
