//! The columns and values that words name: by whole names, by parts of them, by synonyms.

use super::happenings::are_one;
use super::lexicon::{self, Word};
use super::pieces::{MAX_OPTIONS, Meaning, PART_OF_NAME, PART_OF_VALUE, SYNONYM};
use super::tokens::{Token, TokenKind};
use crate::column::{Column, Kind, Unit};
use crate::query::{Filter, TextTest};
use crate::table::Table;
use crate::value::unit;
use crate::{vocabulary, words};

/// `in euros`: the currency of amounts that stand in several, or nothing new where all are in that one.
pub(super) fn currency_option(table: &Table, low: &str) -> Option<(Meaning, u32)> {
    let code = match low {
        "us dollar" | "us dollars" | "us-dollar" => "USD",
        "swiss franc" | "swiss francs" | "schweizer franken" | "franken" => "CHF",
        "british pounds" | "pounds sterling" => "GBP",
        _ => unit::currency(low).or_else(|| unit::currency(low.strip_suffix('s')?))?,
    };
    // A column of the amounts in that currency.
    let mut named = (0..table.columns.len()).filter(|column| {
        let parts = words::parts(&table.columns[*column].name);
        table.columns[*column].is_numeric() && parts.iter().any(|part| part.eq_ignore_ascii_case(code))
    });
    if let (Some(column), None) = (named.next(), named.next()) {
        return Some((Meaning::Column(column), SYNONYM));
    }
    for column in &table.columns {
        match (&column.kind, column.currency_column) {
            (Kind::Number { unit: Unit::Currencies, .. }, Some(column)) => {
                let hit =
                    table.values().whole(&[code.to_lowercase()]).iter().find(|hit| hit.column == column)?;
                return Some(value_of(hit, code, 0));
            }
            (Kind::Number { unit: Unit::Currency(other), .. }, _) if *other == code => {
                return Some((Meaning::Word(Word::Noise), 0));
            }
            _ => {}
        }
    }
    let hits = table.values().whole(&[code.to_lowercase()]);
    let is_of_currencies = |column: usize| {
        words::parts(&table.columns[column].name)
            .iter()
            .any(|part| vocabulary::are_synonyms("currency", part))
    };
    hits.iter().find(|hit| is_of_currencies(hit.column)).map(|hit| value_of(hit, code, 0))
}

/// `Germany`, where a column of countries says `DE`.
pub(super) fn country_option(table: &Table, low: &str) -> Option<(Meaning, u32)> {
    let code = vocabulary::country_code(low)?;
    let is_of_countries = |column: usize| {
        words::parts(&table.columns[column].name)
            .iter()
            .any(|part| vocabulary::are_synonyms("country", part) || part == "nationality")
    };
    let hits = table.values().whole(&[code.to_owned()]);
    hits.iter().find(|hit| is_of_countries(hit.column)).map(|hit| value_of(hit, code, 1))
}

/// What it costs to take several words for the letters that they begin with.
pub(super) const INITIALS: u32 = SYNONYM;

/// `heart rate` of the column `Avg HR`: words that begin with the letters of a part of a name.
pub(super) fn by_initials(table: &Table, tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    (2..=4.min(tokens.len() - at)).rev().find_map(|length| {
        let slice = &tokens[at..at + length];
        let is_plain =
            |token: &Token| token.kind == TokenKind::Word && lexicon::meaning(&token.low).is_none();
        if !slice.iter().all(is_plain) {
            return None;
        }
        let initials: String =
            slice.iter().filter_map(|token| token.text.chars().next()).flat_map(char::to_uppercase).collect();
        let mut found = (0..table.columns.len()).filter(|column| {
            table.columns[*column]
                .name
                .split(|letter: char| !letter.is_alphanumeric())
                .any(|part| part == initials)
        });
        found.next().filter(|_| found.next().is_none()).map(|column| (column, length))
    })
}

/// `late`: behind the day on which something was due.
pub(super) fn late_option(table: &Table, low: &str) -> Option<(Meaning, u32)> {
    if !matches!(low, "late" | "verspätet" | "belated" | "belatedly" | "too late" | "zu spät" | "spät") {
        return None;
    }
    let end = table.end_column()?;
    let is_due = |column: &usize| {
        *column != end
            && table.columns[*column].kind == table.columns[end].kind
            && words::parts(&table.columns[*column].name)
                .iter()
                .any(|part| vocabulary::are_synonyms("due", part))
    };
    let due = (0..table.columns.len()).find(is_due)?;
    // Late may be what is not there yet, too.
    Some((Meaning::Late { end, due }, SYNONYM + 1))
}

/// `females`, where a column of the sex says `F`.
pub(super) fn sex_option(table: &Table, low: &str) -> Option<(Meaning, u32)> {
    let codes: &[&str] = match low {
        "mann" | "herr" | "herren" | "male" | "males" | "men" | "man" | "boy" | "boys" | "männlich"
        | "männliche" | "männlichen" | "männer" | "jungen" | "männchen" => &["m", "male", "männlich"],
        "frau" | "dame" | "damen" | "läuferin" | "läuferinnen" | "female" | "females" | "women" | "woman"
        | "girl" | "girls" | "weiblich" | "weibliche" | "weiblichen" | "frauen" | "mädchen" | "weibchen" => {
            &["f", "w", "female", "weiblich"]
        }
        _ => return None,
    };
    let is_of_sexes = |column: usize| {
        matches!(
            words::fold(&table.columns[column].name).as_str(),
            "sex" | "gender" | "geschlecht" | "m/w" | "m/f" | "w/m" | "m/w/d"
        )
    };
    let value = codes.iter().find_map(|code| {
        let hits = table.values().whole(&[(*code).to_owned()]);
        hits.iter().find(|hit| is_of_sexes(hit.column)).map(|hit| value_of(hit, code, 1))
    });
    value.or_else(|| class_of_sex(table, codes))
}

/// `the fastest woman`, where a column of age classes says `W40`.
fn class_of_sex(table: &Table, codes: &[&str]) -> Option<(Meaning, u32)> {
    let is_class = |text: &String| {
        let mut letters = text.chars();
        matches!(letters.next(), Some('M' | 'W' | 'F' | 'H' | 'D')) && {
            let rest: String = letters.collect();
            (1..=3).contains(&rest.len())
                && rest.chars().all(|letter| letter.is_ascii_digit() || letter == 'U' || letter == 'K')
        }
    };
    let holds_classes = |column: &usize| {
        let first = if table.columns[*column].is_text() { table.first_texts(*column) } else { Vec::new() };
        !first.is_empty() && first.iter().filter(|text| is_class(text)).count() * 10 >= first.len() * 9
    };
    let column = (0..table.columns.len()).find(holds_classes)?;
    let is_woman = codes.contains(&"w");
    let first = table.first_texts(column);
    let letters: &[&str] = if is_woman { &["W", "F", "D"] } else { &["M", "H"] };
    let letter = letters.iter().find(|letter| first.iter().any(|text| text.starts_with(**letter)))?;
    let test = TextTest::StartsWith;
    Some((Meaning::Holds(Filter::Text { column, test, text: (*letter).to_owned() }), 3))
}

/// `the numbers`, `Rechnungsnummern`, where one column has a name for each record.
pub(super) fn number_of_records(table: &Table, low: &str) -> Option<(Meaning, u32)> {
    let head = ["numbers", "number", "nummern", "nummer"].iter().find_map(|end| low.strip_suffix(end))?;
    let names_them = |column: &usize| {
        let parts = words::parts(&table.columns[*column].name);
        if !head.is_empty() {
            return vocabulary::names_codes(&parts) && table.is_unique(*column);
        }
        let is_noun = |part: &String| {
            table
                .nouns
                .iter()
                .any(|noun| vocabulary::are_synonyms(noun, part) || words::same_but_plural(noun, part))
        };
        parts.iter().any(is_noun) && table.is_unique(*column)
    };
    let mut found = (0..table.columns.len()).filter(names_them);
    let first = found.next()?;
    let penalty = if head.is_empty() { SYNONYM } else { SYNONYM + 1 };
    found.next().is_none().then_some((Meaning::Column(first), penalty))
}

/// The column in which nothing stands for what is `unpaid` or still `open`: one of moments, or of yes and no.
pub(super) fn absent_column(table: &Table, low: &str) -> Option<usize> {
    const ENDS: &[&str] = &["closed", "paid", "returned", "bezahlt", "zurück"];
    let can_be_absent = |column: usize| {
        let described = &table.columns[column];
        described.is_moment() && described.missing > 0 || matches!(described.kind, Kind::Boolean { .. })
    };
    let mut found: Vec<usize> = Vec::new();
    let is_open =
        matches!(low, "open" | "outstanding" | "pending" | "offen" | "offene" | "offenen" | "ausstehend");
    let stem = low.strip_prefix("un").filter(|stem| stem.chars().count() > 3);
    for column in (0..table.columns.len()).filter(|column| can_be_absent(*column)) {
        let parts = words::parts(&table.columns[column].name);
        let is_named = |word: &str| {
            parts.iter().any(|part| words::same_word(part, word) || vocabulary::are_synonyms(part, word))
        };
        let is_end = is_open && ENDS.iter().any(|end| is_named(end));
        if is_end || stem.is_some_and(is_named) {
            found.push(column);
        }
    }
    let [column] = found[..] else { return None };
    Some(column)
}

/// Phrases for what has not come to its end.
const STILL: &[&str] = &[
    "still out",
    "still have",
    "still has",
    "still open",
    "still missing",
    "still away",
    "still on loan",
    "still borrowed",
    "still outstanding",
    "not back",
    "not back yet",
    "not yet back",
    "yet to be returned",
    "yet to come back",
    "noch offen",
    "noch draußen",
    "noch ausgeliehen",
    "noch unterwegs",
    "noch nicht zurück",
    "noch weg",
    "noch zu hause",
    "noch daheim",
    "steht noch aus",
    "stehen noch aus",
    "noch aus",
    "still due",
    "still owed",
    "still owing",
    "yet to be paid",
    "noch zu zahlen",
    "noch nicht da",
];

/// `still out`: the end that is not there yet.
pub(super) fn still_option(table: &Table, phrase: &str) -> Option<(Meaning, u32)> {
    STILL.contains(&phrase).then(|| table.end_column())?.map(|column| (Meaning::Absent(column), SYNONYM + 1))
}

/// From so many values with a word on, they are texts that hold it.
const MANY_VALUES: u32 = 5;

/// Words that add nothing behind a column's name: `status code`, `customer name`.
const SUFFIXES: &[&str] = &[
    "code", "name", "value", "level", "column", "field", "number", "type", "id", "address", "adresse",
    "adressen", "nummern", "time", "zeit", "line",
];

/// Last parts of a column's name that say what something is called: `customer.name` is the customer.
const NAMING_PARTS: &[&str] = &["name", "login", "title", "username", "label"];

/// Whether a phrase is a column's name and a word that adds nothing: `e-mail address`.
fn is_name_with_suffix(parts: &[String], wanted: &[String]) -> bool {
    wanted.len() == parts.len() + 1
        && parts.len() > 1
        && wanted.last().is_some_and(|last| SUFFIXES.contains(&words::singular(last).as_str()))
        && parts.iter().zip(wanted).all(|(left, right)| words::same_word(left, right))
}

/// `total` of `Total (EUR)`.
fn is_without_currency(parts: &[String], wanted: &[String]) -> bool {
    let [before @ .., last] = parts else { return false };
    let is_currency = last.len() == 3 && super::conditions::CURRENCY_CODES.contains(&last.as_str());
    is_currency
        && before.len() == wanted.len()
        && before.iter().zip(wanted).all(|(left, right)| words::same_but_plural(left, right))
}

/// Whether a word names no more of a column than what its numbers are per: `nights` of `Rate per night`.
fn is_what_it_is_per(parts: &[String], wanted: &[String]) -> bool {
    let ([.., per, unit], [word]) = (parts, wanted) else { return false };
    matches!(per.as_str(), "per" | "pro" | "je") && parts.len() > 2 && words::same_word(unit, word)
}

/// Whether a phrase of two words names a column of one word: `status code`, or `payment method` where a record is a payment.
fn is_longer_name(table: &Table, part: &str, wanted: &[String]) -> bool {
    let [first, second] = wanted else { return false };
    // `total amount`, `art students` say more than a column's name.
    let says_more = lexicon::meaning(first).is_some()
        || !table.values().whole(std::slice::from_ref(first)).is_empty()
        || !table.values().partial(first).is_empty()
        || !table.values().plural(first).is_empty()
        || !table.values().by_stem(first).is_empty();
    if says_more {
        return false;
    }
    let names = |word: &str| words::same_but_plural(part, word);
    if SUFFIXES.contains(&words::singular(second).as_str()) {
        return names(first) || vocabulary::are_synonyms(part, first);
    }
    let is_kin = |word: &String| words::same_but_plural(word, first) || vocabulary::are_synonyms(word, first);
    let is_column = || {
        table.columns.iter().any(|column| {
            let parts = words::parts(&column.name);
            parts.len() == 1 && vocabulary::are_synonyms(&parts[0], first)
        })
    };
    // `the last district created`: a column of its own says more, too.
    let is_column_itself =
        table.columns.iter().any(|column| words::same_but_plural(&words::fold(&column.name), first));
    names(second) && !is_column_itself && (table.nouns.iter().any(is_kin) || is_column())
}

/// The columns that a phrase names: whole names first, then parts of names, then synonyms.
pub(super) fn column_options(table: &Table, phrase: &str) -> Vec<(Meaning, u32)> {
    let wanted = words::parts(phrase);
    // `not` is no `note`.
    let is_small = matches!(phrase, "not" | "no" | "nicht" | "or" | "and" | "oder" | "und");
    if wanted.is_empty()
        || is_small && !table.columns.iter().any(|column| words::fold(&column.name) == phrase)
    {
        return Vec::new();
    }
    let mut options: Vec<(usize, u32)> = Vec::new();
    for (index, column) in table.columns.iter().enumerate() {
        let parts: Vec<String> = words::parts(&column.name);
        // `is borrowed` speaks of no borrower.
        let is_agent = |part: &str, word: &str| {
            word.ends_with("ed") && (part.ends_with("er") || part.ends_with("or")) && !word.starts_with(part)
        };
        let same = |left: &String, right: &String| words::same_word(left, right) && !is_agent(left, right);
        let is_date_of = wanted.len() == 2
            && column.is_moment()
            && parts.len() == 1
            && parts[0] == wanted[0]
            && matches!(wanted[1].as_str(), "date" | "dates" | "day" | "datum");
        if words::fold(&column.name) == phrase
            || is_date_of
            || phrase.strip_suffix('s').is_some_and(|one| one.len() > 1 && words::fold(&column.name) == one)
            || (parts.len() == wanted.len()
                && parts.iter().zip(&wanted).all(|(left, right)| same(left, right)))
            || is_without_currency(&parts, &wanted)
        {
            options.push((index, 0));
        } else if parts.len() == 1 && is_longer_name(table, &parts[0], &wanted)
            || is_name_with_suffix(&parts, &wanted)
            || column.is_numeric() && has_unit(column, phrase)
        {
            options.push((index, SYNONYM));
        } else if wanted.iter().all(|word| parts.iter().any(|part| same(part, word)))
            && (wanted.len() > 1 || wanted[0].len() > 2)
            && !is_what_it_is_per(&parts, &wanted)
        {
            options.push((index, PART_OF_NAME));
        } else if (wanted.len() == 1 || parts.len() == 1)
            && parts.iter().any(|part| vocabulary::are_synonyms(part, phrase))
            // What was taken is not how, when or whether it was paid.
            && (column.is_numeric() || !vocabulary::names_money(&wanted) || parts.iter().any(|part| are_one(phrase, part)))
        {
            options.push((index, SYNONYM + u32::from(parts.len() > 1)));
        }
    }
    // A name as it stands is no other word with the same stem: `borrower` and `Borrowed`.
    let is_exact = |column: usize| words::same_but_plural(&words::fold(&table.columns[column].name), phrase);
    if options.iter().any(|(column, penalty)| *penalty == 0 && is_exact(*column)) {
        options.retain(|(column, penalty)| *penalty > 0 || is_exact(*column));
    }
    if let ([word], true) = (wanted.as_slice(), options.is_empty()) {
        options.extend(numbers_of(table, word).map(|column| (column, PART_OF_NAME)));
        // `renewed` of `Renewals`
        let root = word.strip_suffix("ed").filter(|root| root.chars().count() >= 5);
        let is_akin = |column: &usize| {
            let parts = words::parts(&table.columns[*column].name);
            let is_agent = |part: &String| part.ends_with("er") || part.ends_with("or");
            root.is_some_and(|root| parts.iter().any(|part| part.starts_with(root) && !is_agent(part)))
        };
        options.extend((0..table.columns.len()).filter(is_akin).map(|column| (column, SYNONYM + 1)));
    }
    // `paid` is the column `Paid`, and may be `Paid on`.
    if let ([word], true) = (wanted.as_slice(), options.iter().any(|(_, penalty)| *penalty == 0)) {
        let is_its_time = |column: usize| {
            table.columns[column].is_moment()
                && matches!(words::parts(&table.columns[column].name).as_slice(), [first, second]
                    if words::same_word(first, word) && matches!(second.as_str(), "on" | "at" | "am" | "date"))
        };
        options.retain(|(column, penalty)| *penalty == 0 || is_its_time(*column));
        let times = options.iter().filter(|(_, penalty)| *penalty > 0).map(|(column, _)| *column);
        let times: Vec<(Meaning, u32)> = times.map(|column| (Meaning::Column(column), 1)).collect();
        options.retain(|(_, penalty)| *penalty == 0);
        let named = options.iter().map(|(column, _)| (Meaning::Column(*column), 0));
        return named.chain(times).collect();
    }
    let best = options.iter().map(|(_, penalty)| *penalty).min();
    // `product` is its name before it is its number.
    let synonyms: Vec<usize> =
        options.iter().filter(|(_, penalty)| *penalty >= SYNONYM).map(|(column, _)| *column).collect();
    if synonyms.len() > 1 && synonyms.iter().any(|column| !table.holds_numbered_names(*column)) {
        options.retain(|(column, penalty)| *penalty < SYNONYM || !table.holds_numbered_names(*column));
    }
    prefer_names(table, &wanted, &mut options);
    options
        .into_iter()
        .filter(|(_, penalty)| {
            Some(*penalty) == best || (*penalty > PART_OF_NAME && best > Some(PART_OF_NAME))
        })
        .map(|(index, penalty)| (Meaning::Column(index), penalty))
        .collect()
}

/// The columns that a phrase names, the nearest first, or whose numbers are of a unit that it names.
pub(super) fn columns_called(table: &Table, phrase: &str) -> Vec<usize> {
    let mut options = column_options(table, phrase);
    options.sort_by_key(|(_, penalty)| *penalty);
    let named = options.into_iter().filter_map(|(meaning, _)| match meaning {
        Meaning::Column(column) => Some(column),
        _ => None,
    });
    let of_unit = (0..table.columns.len()).filter(|column| {
        let unit = table.columns[*column].unit_label();
        !unit.is_empty() && vocabulary::names_unit(phrase, unit)
    });
    named.chain(of_unit).collect()
}

/// `Rechnungsnummern` of the column `Rechnung`, or `Rechnungsnr.`.
fn numbers_of(table: &Table, word: &str) -> Option<usize> {
    let base = ["nummern", "nummer", "nr"].iter().find_map(|ending| word.strip_suffix(ending))?;
    let is_base = |part: &str| {
        let part = part.strip_suffix("nr").unwrap_or(part);
        let without_joint = |text: &str| text.trim_end_matches(['s', 'n']).to_owned();
        without_joint(part) == without_joint(base) && base.chars().count() > 2
    };
    table.columns.iter().position(|column| {
        let parts = words::parts(&column.name);
        matches!(parts.as_slice(), [part] if is_base(part))
    })
}

/// Whether a column's numbers are of a unit, which stands behind them or in parentheses in the column's name.
fn has_unit(column: &Column, word: &str) -> bool {
    let in_name =
        column.name.rsplit_once(['(', '[']).map_or("", |(_, unit)| unit.trim_end_matches([')', ']']));
    [column.unit_label(), in_name].iter().any(|unit| !unit.is_empty() && vocabulary::names_unit(word, unit))
}

/// Of `customer.name` and `customer.country`, `customer` is the first.
fn prefer_names(table: &Table, wanted: &[String], options: &mut [(usize, u32)]) {
    let is_name = |column: usize| {
        let parts = words::parts(&table.columns[column].name);
        parts.len() == wanted.len() + 1
            && parts.last().is_some_and(|last| NAMING_PARTS.contains(&last.as_str()))
    };
    let named =
        options.iter().filter(|(column, penalty)| *penalty == PART_OF_NAME && is_name(*column)).count();
    let is_id = |column: usize| {
        let parts = words::parts(&table.columns[column].name);
        parts.len() == wanted.len() + 1 && parts.last().is_some_and(|last| last == "id")
    };
    // Without a name, users are told apart by their `user.id`.
    let is_name = |column: usize| if named == 0 { is_id(column) } else { is_name(column) };
    let part_of_name = |(column, penalty): &&(usize, u32)| *penalty == PART_OF_NAME && is_name(*column);
    if options.iter().filter(part_of_name).count() == 1 {
        for (column, penalty) in options.iter_mut().filter(|(_, penalty)| *penalty == PART_OF_NAME) {
            *penalty += u32::from(!is_name(*column));
        }
    }
}

/// Words that are said of anything: `new tickets` are not those of the `new rules`.
const SAID_OF_ANYTHING: &[&str] = &[
    "new", "neu", "neue", "neuen", "old", "alt", "alte", "alten", "good", "big", "small", "long", "short",
    "time", "times", "day", "days", "first", "second", "third", "last", "zeit", "erste", "ersten", "letzte",
];

/// The columns in which a text is a value, whole or but for a plural; else those in whose values it is a word.
pub(super) fn value_options(table: &Table, text: &str) -> Vec<(Meaning, u32)> {
    let index = table.values();
    let parts = words::value_words(text);
    if parts.is_empty()
        || (parts.len() == 1
            && parts[0].chars().count() < 2
            && !parts[0].chars().all(char::is_numeric)
            && !text.chars().any(char::is_uppercase))
    {
        return Vec::new();
    }
    let mut options: Vec<(Meaning, u32)> =
        index.whole(&parts).iter().map(|hit| value_of(hit, text, 0)).collect();
    if options.is_empty() && parts.len() == 1 {
        options = index.plural(&parts[0]).iter().map(|hit| value_of(hit, text, 1)).collect();
    }
    // `no-shows`, `root canals`
    if options.is_empty()
        && let [before @ .., last] = parts.as_slice()
        && !before.is_empty()
    {
        let mut ones = vec![words::singular(last)];
        ones.extend(["n", "en", "e", "s"].iter().filter_map(|end| last.strip_suffix(end).map(str::to_owned)));
        let whole = |one: &String| index.whole(&[before, std::slice::from_ref(one)].concat()).to_vec();
        let hits = ones.iter().filter(|one| *one != last && one.chars().count() > 2).map(whole);
        if let Some(hits) = hits.into_iter().find(|hits| !hits.is_empty()) {
            options = hits.iter().map(|hit| value_of(hit, text, 1)).collect();
        }
    }
    let says_little = SAID_OF_ANYTHING.contains(&parts[0].as_str());
    if options.is_empty() && parts.len() == 1 && parts[0].chars().count() > 2 && !says_little {
        let part = [parts[0].clone(), words::singular(&parts[0]), leaf(&parts[0])]
            .into_iter()
            .find(|part| !index.partial(part).is_empty())
            .unwrap_or_default();
        for (column, count) in index.partial(&part) {
            let penalty = if *count == 1 { PART_OF_VALUE } else { PART_OF_VALUE + 2 };
            let is_free_text = matches!(table.columns[*column].kind, Kind::Text { is_enumeration: false });
            if is_free_text && *count > MANY_VALUES {
                options.push((Meaning::InText { column: *column, text: part.clone() }, penalty));
                continue;
            }
            options.push((
                Meaning::Value {
                    column: *column,
                    values: table.values_with_word(*column, &part),
                    folded: *count > 1,
                },
                penalty,
            ));
        }
    }
    options.truncate(MAX_OPTIONS);
    options
}

/// `scarves` of `scarf`
fn leaf(plural: &str) -> String {
    plural.strip_suffix("ves").map_or_else(String::new, |stem| format!("{stem}f"))
}

pub(super) fn value_of(hit: &crate::values::Hit, text: &str, penalty: u32) -> (Meaning, u32) {
    let wanted = words::fold(text);
    let same: Vec<&(String, u64)> =
        hit.spellings.iter().filter(|(spelling, _)| words::fold(spelling) == wanted).collect();
    // `C`, `C++` and `C#` have the same words and are different values.
    let chosen: Vec<&(String, u64)> = if same.is_empty() { hit.spellings.iter().collect() } else { same };
    let different: std::collections::HashSet<String> =
        chosen.iter().map(|(spelling, _)| words::fold(spelling)).collect();
    let values: Vec<String> = chosen.iter().map(|(spelling, _)| spelling.clone()).collect();
    let folded = values.len() > 1;
    (Meaning::Value { column: hit.column, values, folded }, penalty + u32::from(different.len() > 1) * 3)
}

pub(super) fn parts_of_one_value(table: &Table, slice: &[Token]) -> Option<(Meaning, u32)> {
    if slice.len() != 2
        || slice.iter().any(|token| token.kind != TokenKind::Word || lexicon::meaning(&token.low).is_some())
    {
        return None;
    }
    let first = table.values().partial(&slice[0].low);
    for (column, _) in first {
        let with_both: Vec<String> = table
            .values_with_word(*column, &slice[0].low)
            .into_iter()
            .filter(|value| words::value_words(value).contains(&slice[1].low))
            .collect();
        if !with_both.is_empty() && with_both.len() <= 3 {
            let folded = with_both
                .iter()
                .map(|value| words::fold(value))
                .collect::<std::collections::HashSet<_>>()
                .len()
                > 1;
            return Some((
                Meaning::Value { column: *column, values: with_both, folded },
                if folded { PART_OF_VALUE } else { 1 },
            ));
        }
    }
    None
}
