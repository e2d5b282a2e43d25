//! How long something took, and how late it was: from one moment of a row to another.

use super::Derived;
use super::called::described;
use super::said::Said;
use crate::ask::lexicon::Hint;
use crate::ask::pieces::Meaning;
use crate::ask::superlatives::only_fitting;
use crate::ask::{loose, naming};
use crate::column::{Column, Kind};
use crate::table::Table;
use crate::{vocabulary, words};

/// `the most days late`, `how late on average`: from the day on which something was due.
pub(super) fn lateness(table: &Table, said: &Said<'_>) -> Option<Derived> {
    let late = said.position(&["late", "overdue", "verspätet", "spät", "verspätung", "tardy"])?;
    let speaks_of_days = said.has(&["days", "tage", "tagen", "day"])
        || said.low[..late].last().is_some_and(|word| word == "how" || word == "wie");
    if !speaks_of_days && !said.ranks_or_averages() || said.has(&["per", "pro"]) && said.has(&["how", "wie"])
    {
        return None;
    }
    let (Meaning::Late { end, due }, _) = naming::late_option(table, "late")? else { return None };
    let [end, due] = described(table, [end, due]);
    let sql = format!("round(julianday({}) - julianday({}), 4)", end.sql(), due.sql());
    let is_dates = end.kind == Kind::Date && due.kind == Kind::Date;
    let kind = Kind::Duration { unit: "d", scale: if is_dates { 0 } else { 4 } };
    let name = "days late".to_owned();
    let mut start = late;
    while start > 0
        && matches!(
            said.low[start - 1].as_str(),
            "days"
                | "tage"
                | "day"
                | "zu"
                | "too"
                | "the"
                | "most"
                | "am"
                | "meisten"
                | "die"
                | "of"
                | "number"
                | "how"
                | "many"
        )
    {
        start -= 1;
    }
    let is_most = said.low[start..late].iter().any(|word| matches!(word.as_str(), "most" | "meisten"));
    let question = said.with(
        start..late + 1,
        &if is_most { format!("with the largest \"{name}\"") } else { format!("\"{name}\"") },
    );
    Some(Derived { name, kind, sql, question })
}

/// `how long did it take`, `how many days were they kept`: from the first moment of a row to the second.
pub(super) fn duration(table: &Table, said: &Said<'_>) -> Option<Derived> {
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
    const STAYS: &[&str] = &[
        "time",
        "zeit",
        "stay",
        "aufenthalt",
        "aufenthaltsdauer",
        "length",
        "verweildauer",
        "leihdauer",
        "bearbeitungszeit",
        "durchlaufzeit",
        "wartezeit",
    ];
    const SPANS: &[&str] = &[
        "days", "tage", "hours", "stunden", "minutes", "minuten", "weeks", "wochen", "nights", "nächte",
        "tagen", "nächten",
    ];
    let counts = said.low.windows(2).any(|pair| {
        matches!(
            pair[0].as_str(),
            "many" | "viele" | "total" | "average" | "mean" | "durchschnittliche" | "gesamte"
        ) && SPANS.contains(&pair[1].as_str())
    });
    let has_length = |column: &Column| matches!(column.kind, Kind::Duration { .. });
    let is_time = said.has(STAYS) && said.ranks_or_averages();
    if !said.has(LONG) && !counts && !is_time {
        return None;
    }
    // `from opening to closing` says which, whatever other lengths there are.
    let between = || {
        let is_moment = |column: &usize| table.columns[*column].is_moment();
        let at = said.position(&["from", "between", "von", "zwischen"])?;
        let named: Vec<(usize, usize)> = (at + 1..said.low.len().min(at + 6))
            .filter_map(|place| {
                Some((place, loose::columns_of(table, &said.low[place]).into_iter().find(is_moment)?))
            })
            .collect();
        let [(_, start), (last, end)] = named[..] else { return None };
        (start != end).then_some((start, end, at..last + 1))
    };
    if let Some((start, end, places)) = between() {
        return Some(length_between(table, said, start, end, places));
    }
    if table.columns.iter().any(has_length) || only_fitting(table, Hint::Duration).is_some() {
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
    let question = nights_in_total(said).unwrap_or_else(|| without_how_long(said));
    Some(Derived { name: "duration".to_owned(), kind, sql, question })
}

/// `how many nights were booked by phone`: all of them together, where nothing else is made of them.
fn nights_in_total(said: &Said<'_>) -> Option<String> {
    let at = said.low.windows(3).position(|words| {
        matches!(words[0].as_str(), "how" | "wie")
            && matches!(words[1].as_str(), "many" | "viele")
            && matches!(words[2].as_str(), "nights" | "nächte")
    })?;
    let is_plain = !said.ranks_or_averages() && !said.has(&["per", "each", "pro", "je", "jede", "every"]);
    (at == 0 && is_plain).then(|| said.with(0..3, "what is the total \"duration\""))
}

/// `who stays the longest, and how many nights is that?`: the longest says it.
fn without_how_long(said: &Said<'_>) -> String {
    let asks_how_long = |at: &usize| {
        let word = |ahead: usize| said.low.get(at + ahead).map_or("", String::as_str);
        matches!(word(0), "and" | "und")
            && matches!(word(1), "how" | "wie" | "for")
            && matches!(word(2), "many" | "long" | "viele" | "lange" | "lang" | "how")
    };
    let is_ranked = said.low.iter().any(|word| {
        word.ends_with("est") && word.len() > 5
            || word.ends_with("sten")
            || word.ends_with("ste") && word.len() > 6
    });
    let ends = said.low.last().is_some_and(|last| {
        matches!(
            last.as_str(),
            "that" | "it" | "this" | "das" | "es" | "be" | "days" | "nights" | "long" | "tage" | "nächte"
        )
    });
    match (0..said.low.len()).find(asks_how_long).filter(|at| is_ranked && ends && *at > 2) {
        Some(at) => said.written[..at].join(" "),
        None => said.written.join(" "),
    }
}

/// From one moment that the question names to another.
fn length_between(
    table: &Table,
    said: &Said<'_>,
    start: usize,
    end: usize,
    places: std::ops::Range<usize>,
) -> Derived {
    let [from, to] = described(table, [start, end]);
    let days = format!("julianday({}) - julianday({})", to.sql(), from.sql());
    let is_dates = from.kind == Kind::Date && to.kind == Kind::Date;
    let (unit, sql) =
        if is_dates || said.low.iter().any(|word| word.starts_with("day") || word.starts_with("tag")) {
            ("d", format!("round({days}, 4)"))
        } else {
            ("h", format!("round(({days}) * 24, 4)"))
        };
    let name = format!("{} to {}", from.name, to.name);
    let kind = Kind::Duration { unit, scale: if is_dates { 0 } else { 4 } };
    // `took more than 2 days from opening to closing`
    let mut words: Vec<String> = Vec::new();
    for (place, written) in said.written.iter().enumerate() {
        if matches!(
            said.low[place].as_str(),
            "took" | "take" | "takes" | "lasted" | "dauerte" | "dauerten" | "needed" | "brauchte"
        ) {
            words.push(format!("had \"{name}\""));
        } else if place == places.start
            && !said.has(&["took", "take", "takes", "lasted", "dauerte", "dauerten", "needed", "brauchte"])
        {
            words.push(format!("\"{name}\""));
        } else if !places.contains(&place) {
            words.push((*written).to_owned());
        }
    }
    Derived { name, kind, sql, question: words.join(" ") }
}
