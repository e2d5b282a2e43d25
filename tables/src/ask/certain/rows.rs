//! What the rows of a table are called, and whether each row is one of what they are called.

use rust_decimal::Decimal;

use super::said::{bare, is_name};
use crate::column::Column;
use crate::query::{Aggregate, Cell, Function, Outcome, Query};
use crate::table::Table;
use crate::value::moment;
use crate::{vocabulary, words};

/// Words of a file's name that say nothing of its rows, if they stand at the end.
const CONTAINERS: &[&str] = &[
    "list", "liste", "table", "tabelle", "file", "datei", "data", "daten", "dataset", "export", "exported",
    "import", "dump", "copy", "kopie", "final", "new", "old", "neu", "alt", "raw", "clean", "all", "alle",
    "log", "register", "sheet", "csv", "utf",
];

/// Words behind which a file's name says whose its rows are, or of when.
const LINKS: &[&str] = &[
    "of", "by", "per", "in", "for", "from", "at", "with", "on", "since", "until", "von", "pro", "nach", "je",
    "im", "am", "für", "aus", "mit", "der", "des", "seit", "bis",
];

/// Last words in the name of a column that tells things apart: `order_id`, `hotel_name`.
const NAMING_WORDS: &[&str] = &[
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "name",
    "title",
    "titel",
    "key",
    "ref",
    "reference",
    "no",
    "nr",
    "num",
    "number",
    "nummer",
    "code",
    "kennung",
];

/// Names of columns, and what each of them tells apart.
const TOLD_BY: &[(&str, &str)] = &[
    ("isbn", "book"),
    ("title", "book"),
    ("title", "movie"),
    ("title", "song"),
    ("title", "album"),
    ("title", "game"),
    ("titel", "buch"),
    ("titel", "bücher"),
    ("titel", "film"),
    ("sku", "product"),
    ("ean", "product"),
    ("vin", "car"),
    ("plate", "car"),
    ("iban", "account"),
];

/// Names of columns that say how many things a row stands for.
const COUNTS: &[&str] = &[
    "count",
    "counts",
    "number",
    "numbers",
    "quantity",
    "qty",
    "n",
    "num",
    "total",
    "totals",
    "units",
    "pieces",
    "pcs",
    "copies",
    "cases",
    "frequency",
    "freq",
    "anzahl",
    "menge",
    "stück",
    "stückzahl",
    "exemplare",
    "fälle",
    "häufigkeit",
    "gesamt",
];

/// Names of columns whose rows are stretches of time.
const PERIODS: &[&str] =
    &["year", "month", "quarter", "week", "season", "jahr", "monat", "quartal", "woche", "saison"];

impl Table {
    /// The words of the file's name up to the noun that its rows are called by: `product`, `reviews`.
    pub(super) fn row_words(&self) -> Vec<String> {
        let mut parts = words::parts(&self.name);
        if let Some(link) = parts.iter().skip(1).position(|part| LINKS.contains(&part.as_str())) {
            parts.truncate(link + 1);
        }
        let says_nothing = |part: &String| {
            part.chars().any(|letter| letter.is_ascii_digit())
                || part.chars().count() < 3
                || CONTAINERS.contains(&part.as_str())
                || moment::month(part).is_some()
                || moment::weekday(part).is_some()
        };
        let kept = parts.iter().rposition(|part| !says_nothing(part)).map_or(parts.len(), |last| last + 1);
        parts.truncate(kept);
        parts
    }

    /// Nouns that the rows may be called by: the last, and plurals before it, as in `trees_berlin`.
    fn row_nouns(&self) -> Vec<String> {
        let mut parts = self.row_words();
        let last = parts.pop();
        parts.retain(|part| *part != words::singular(part));
        parts.extend(last);
        parts
    }

    /// Whether a phrase names the rows: `reviews` and `product reviews`, but not `product`.
    pub(super) fn are_rows_called(&self, phrase: &str) -> bool {
        let (parts, spoken) = (self.row_words(), words::parts(phrase));
        let Some((noun, before)) = spoken.split_last() else { return false };
        let is_plain = |word: &String| {
            self.values().whole(std::slice::from_ref(word)).is_empty()
                && !self.columns.iter().any(|column| is_name(&column.name, word))
        };
        let ends_here = |end: usize| {
            spoken.len() <= end
                && spoken
                    .iter()
                    .rev()
                    .zip(parts[..end].iter().rev())
                    .all(|(word, part)| words::same_but_plural(word, part))
        };
        // `orders_berlin` are orders.
        let is_plural = |end: usize| {
            let part = &parts[end - 1];
            *part != words::singular(part) && !self.refers_to(part)
        };
        self.nouns.iter().any(|known| words::same_but_plural(known, noun))
            && (1..=parts.len()).any(|end| ends_here(end) && (end == parts.len() || is_plural(end)))
            // `open orders` may be those with that status.
            && before.iter().all(is_plain)
    }

    /// Whether several rows have the same of what a noun names.
    fn refers_to(&self, noun: &str) -> bool {
        (0..self.columns.len()).any(|column| {
            let described = &self.columns[column];
            let is_named = words::parts(&described.name).iter().any(|part| names_alike(part, noun));
            (is_named || tells_apart(described, noun, column == 0).is_some()) && !self.is_unique(column)
        })
    }

    /// Whether what the rows are called by is told apart by a column in which it stands again and again: a file of orders may have a
    /// row for each of their items.
    pub(super) fn repeats_its_things(&self) -> bool {
        self.row_nouns().iter().any(|noun| {
            let telling: Vec<(usize, bool)> = (0..self.columns.len())
                .filter_map(|column| {
                    tells_apart(&self.columns[column], noun, column == 0).map(|is_own| (column, is_own))
                })
                .collect();
            let has_own = telling.iter().any(|(column, is_own)| *is_own && self.is_unique(*column));
            // The parent of a ticket is no number of its own.
            telling.iter().any(|(column, is_own)| (*is_own || !has_own) && !self.is_unique(*column))
        })
    }

    /// Whether a row may stand for many of what the rows are called by: it says how many, or it is a line of a summary.
    pub(super) fn stands_for_many(&self) -> bool {
        self.row_nouns().iter().any(|noun| {
            let is_numbered = (0..self.columns.len()).any(|column| {
                tells_apart(&self.columns[column], noun, column == 0) == Some(true) && self.is_unique(column)
            });
            let is_count = |column: usize| {
                counts(&self.columns[column].name, noun)
                    && self.is_amount_of_things(column)
                    && !(column == 0 && self.is_unique(column))
                    && !self.values().running.contains(&column)
            };
            !is_numbered && ((0..self.columns.len()).any(is_count) || self.is_summary(noun))
        })
    }

    /// Whether a row has the numbers of a year, or of one thing for each of several kinds: medals of a country, accidents of a month.
    fn is_summary(&self, noun: &str) -> bool {
        let names = |column: usize| words::parts(bare(&self.columns[column].name));
        let others = 1..self.columns.len();
        if others.is_empty() {
            return false;
        }
        let is_period = names(0).iter().any(|part| PERIODS.contains(&part.as_str()))
            && !names(0).iter().any(|part| words::same_but_plural(part, noun))
            && self.is_unique(0)
            && others.clone().all(|column| self.columns[column].is_numeric());
        // `price` and `age` say something of the one thing that the row is.
        let is_kind = |column: usize| {
            self.is_amount_of_things(column)
                && !names(column)
                    .iter()
                    .any(|part| vocabulary::names_columns(part) || vocabulary::is_unit(part))
        };
        let is_crossed = others.len() > 1
            && self.columns[0].is_text()
            && self.is_unique(0)
            && !is_own_name(&names(0), noun)
            && others.clone().all(is_kind);
        is_period || is_crossed
    }

    /// Whole numbers from 0 on, without a unit.
    fn is_amount_of_things(&self, column: usize) -> bool {
        let described = &self.columns[column];
        let is_bare =
            described.is_numeric() && described.scale() == Some(0) && described.unit_label().is_empty();
        let smallest = || self.run(&Query::number(Aggregate::of(Function::Min, column), None));
        is_bare
            && match smallest().ok().as_ref().and_then(Outcome::single) {
                Some(Cell::Number(number)) => *number >= Decimal::ZERO,
                _ => false,
            }
    }
}

/// Whether a column tells apart what a noun names, and whether its name says no more than that: `order_id` of orders does,
/// `parent_order_id` says more.
fn tells_apart(column: &Column, noun: &str, is_first: bool) -> Option<bool> {
    let parts = words::parts(bare(&column.name));
    let is_noun = |part: &str| names_alike(part, noun);
    match parts.as_slice() {
        [part] if matches!(part.as_str(), "id" | "uid" | "uuid" | "guid") => Some(true),
        // A title may be that of what a row is about.
        [part]
            if is_first
                && NAMING_WORDS.contains(&part.as_str())
                && !matches!(part.as_str(), "name" | "title" | "titel") =>
        {
            Some(true)
        }
        [part] => {
            let is_told = |(name, thing): &(&str, &str)| part == name && is_noun(thing);
            (TOLD_BY.iter().any(is_told) || is_compound(part, noun)).then_some(true)
        }
        [.., thing, word] if NAMING_WORDS.contains(&word.as_str()) && is_noun(thing) => {
            Some(parts.len() == 2)
        }
        _ => None,
    }
}

fn names_alike(part: &str, noun: &str) -> bool {
    let (part, noun) = (words::singular(part), words::singular(noun));
    part == noun || vocabulary::are_synonyms(&part, &noun)
}

/// `Bestellnr` of `Bestellungen`, `orderid` of `orders`.
fn is_compound(part: &str, noun: &str) -> bool {
    let root = words::stem(noun);
    let rest = words::plain(part).strip_prefix(&root).map(str::to_owned);
    rest.is_some_and(|rest| {
        // At most `ung`, `s` or `en` between both.
        root.chars().count() >= 3
            && NAMING_WORDS.iter().any(|word| {
                rest.strip_suffix(word)
                    .is_some_and(|between| matches!(between, "" | "s" | "n" | "e" | "en" | "ungs"))
            })
    })
}

/// Whether a name is that of what the rows are called by.
fn is_own_name(parts: &[String], noun: &str) -> bool {
    let is_noun = |part: &String| words::same_but_plural(part, noun);
    let names_it = |part: &String| NAMING_WORDS.contains(&part.as_str());
    parts.iter().any(|part| is_noun(part) || names_it(part))
}

/// Whether a column is called as a number of things, or of these: `count`, `number of trees`, `tickets_sold`.
fn counts(name: &str, noun: &str) -> bool {
    let parts = words::parts(bare(name));
    let is_count = |part: &String| COUNTS.contains(&part.as_str());
    let is_noun = |part: &String| words::same_but_plural(part, noun);
    let is_many = |part: &String| is_noun(part) && *part != words::singular(part);
    let is_link = |part: &String| LINKS.contains(&part.as_str());
    parts.iter().all(|part| is_count(part) || is_noun(part) || is_link(part)) && parts.iter().any(is_count)
        || parts.iter().any(is_many) && !is_name(name, noun)
}
