//! Dates and times of day in the notations of three languages.

use std::collections::BTreeSet;

use super::language;
use super::token::{Kind, Token};

/// A day, a month of a year, or a day of a month.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct When {
    /// The year, with four digits.
    pub year: Option<i32>,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: Option<u8>,
}

/// A date, with a second reading where day and month may be exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dated {
    /// What it may mean.
    pub readings: Vec<When>,
    /// As it stands.
    pub text: String,
}

/// A date or time of day that begins at a token.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The dates: two in "3 to 5 March".
    pub dates: Vec<Dated>,
    /// The time of day in minutes, and as it stands.
    pub time: Option<(u32, String)>,
    /// How many tokens it has.
    pub used: usize,
    /// Whether the number before it was the first day of a span, and no figure.
    pub takes_figure: bool,
}

/// Reads what begins at a token: `3 March 2026`, `1er mars`, `the 28th of March, 2007`, `March 28, 2007`, `mars 2007`, and
/// what [`numeric`] and [`clock`] read.
pub(super) fn read(tokens: &[Token<'_>], at: usize) -> Option<Found> {
    let token = tokens[at];
    if token.kind == Kind::Digits {
        if let Some((minutes, used)) = clock(tokens, at) {
            return Some(Found { time: Some((minutes, token.text.to_owned())), used, ..Found::default() });
        }
        let readings = numeric(token.text);
        if !readings.is_empty() {
            let dates = vec![Dated { readings, text: token.text.to_owned() }];
            return Some(Found { dates, used: 1, ..Found::default() });
        }
    }
    let mut next = at;
    let mut day = day_at(tokens, &mut next);
    if day.is_some() && tokens.get(next).is_some_and(|word| matches!(word.text, "of" | "de")) {
        next += 1;
    }
    let word = tokens.get(next).filter(|word| word.kind == Kind::Word)?;
    let month = language::month(word.text)?;
    next += 1;
    if day.is_none() {
        day = day_at(tokens, &mut next);
    }
    let year = tokens.get(next).and_then(|token| year_of(*token));
    next += usize::from(year.is_some());
    if day.is_none() && year.is_none() {
        return None;
    }
    let text = tokens[at..next].iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
    let mut found = Found { used: next - at, ..Found::default() };
    // `3 to 5 March`: the first day has the same month.
    if let Some(first) = at.checked_sub(2).and_then(|first| day_of(tokens[first]))
        && matches!(tokens[at - 1].text, "to" | "and" | "bis" | "und" | "au" | "et" | "until" | "or")
        && day_of(token).is_some()
    {
        found.takes_figure = true;
        let readings = vec![When { year, month, day: Some(first) }];
        found.dates.push(Dated { readings, text: format!("{first} {}", word.text) });
    }
    found.dates.push(Dated { readings: vec![When { year, month, day }], text });
    Some(found)
}

/// A day of a month with its ordinal ending, where one stands there.
fn day_at(tokens: &[Token<'_>], next: &mut usize) -> Option<u8> {
    let day = tokens.get(*next).and_then(|token| day_of(*token))?;
    *next += 1;
    *next += usize::from(tokens.get(*next).is_some_and(|word| word.attached && is_ordinal(word.text)));
    Some(day)
}

impl When {
    /// Whether this date of a document bears `claimed` out; a year that it lacks may stand among `years`.
    pub fn bears_out(&self, claimed: &Self, years: &BTreeSet<i32>) -> bool {
        let year = |year: i32| self.year.map_or_else(|| years.contains(&year), |ours| ours == year);
        self.month == claimed.month
            && claimed.day.is_none_or(|day| self.day == Some(day))
            && claimed.year.is_none_or(year)
    }
}

/// Whether letters make an ordinal of the digits before them.
pub(super) fn is_ordinal(text: &str) -> bool {
    matches!(text, "st" | "nd" | "rd" | "th" | "er" | "re" | "e" | "ème")
}

fn day_of(token: Token<'_>) -> Option<u8> {
    token.text.parse().ok().filter(|day| token.kind == Kind::Digits && (1..=31).contains(day))
}

fn year_of(token: Token<'_>) -> Option<i32> {
    token.text.parse().ok().filter(|year| token.kind == Kind::Digits && (1000..=2999).contains(year))
}

/// Minutes since midnight, and the tokens that say so: `14:30`, `14h30`, `14.30 Uhr`, `2:30 pm`.
fn clock(tokens: &[Token<'_>], at: usize) -> Option<(u32, usize)> {
    let token = tokens[at];
    let next = tokens.get(at + 1);
    if let Some(rest) = next.filter(|next| next.attached).and_then(|next| next.text.strip_prefix(['h', 'H']))
    {
        let minutes = if rest.is_empty() { "0" } else { rest };
        return minutes_of(token.text, minutes).map(|minutes| (minutes, 2));
    }
    let oclock = next.is_some_and(|next| next.text == "Uhr");
    let (hour, minute) = match token.text.split_once(':') {
        Some(parts) => parts,
        None if oclock => token.text.split_once('.').unwrap_or((token.text, "0")),
        None => return None,
    };
    let minute = minute.split(':').next()?;
    let minutes = minutes_of(hour, minute)?;
    let half = next.map(|next| next.text.to_lowercase());
    match half.as_deref() {
        Some("pm") if minutes < 12 * 60 => Some((minutes + 12 * 60, 2)),
        Some("am" | "pm") => Some((minutes, 2)),
        _ => Some((minutes, 1 + usize::from(oclock))),
    }
}

fn minutes_of(hour: &str, minute: &str) -> Option<u32> {
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 25 && minute < 60).then_some(hour * 60 + minute)
}

/// `2026-03-02`, `2026/03/02`, `02.03.2026`, `2.3.26`, `02/03/2026` (both ways).
fn numeric(text: &str) -> Vec<When> {
    let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
    let marks: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let ([one, two, three], [mark, other]) = (&parts[..], &marks[..]) else { return Vec::new() };
    let (Ok(one_number), Ok(two_number), Ok(three_number)) =
        (one.parse::<i32>(), two.parse::<i32>(), three.parse::<i32>())
    else {
        return Vec::new();
    };
    if mark != other {
        return Vec::new();
    }
    let when = |year: i32, month: i32, day: i32| {
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(When {
            year: Some(year),
            month,
            day: Some(day),
        })
    };
    if one.len() == 4 {
        return when(one_number, two_number, three_number).into_iter().collect();
    }
    let year = match three.len() {
        4 => three_number,
        2 if *mark == '.' || *mark == '/' => 2000 + three_number,
        _ => return Vec::new(),
    };
    let mut readings: Vec<When> = when(year, two_number, one_number).into_iter().collect();
    if *mark == '/' {
        readings.extend(when(year, one_number, two_number).filter(|_| one != two));
    }
    readings
}
