//! Times in a question: days, months, years, stretches of a day.

use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime, Time};

use super::tokens::{Token, TokenKind};
use crate::value::moment::{self, DateOrder};

/// A stretch of time that a question names.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Span {
    /// From the first moment up to, not including, the second.
    Stretch {
        from: DateTime,
        to: DateTime,
    },
    /// A month of whichever year.
    Month(i8),
    /// A day of whichever year.
    MonthDay(i8, i8),
    /// Some days of a month of whichever year: `the first half of June`.
    Days(i8, i8, i8),
    /// A weekday, Monday is 1.
    Weekdays(Vec<i64>),
    /// A time of day.
    Clock(Time),
    Quarter(i8),
    /// A date that is two, by its order.
    Doubtful,
}

/// The time that begins at a token, and how many tokens it takes.
#[expect(clippy::too_many_lines, reason = "one way to write a time after another")]
pub(super) fn span_at(tokens: &[Token], at: usize) -> Option<(Span, usize)> {
    let token = &tokens[at];
    let year_at = |index: usize| tokens.get(index).and_then(|token| year(&token.text));
    // Behind a day and a month, four digits are a year, whichever it is.
    let any_year_at = |index: usize| {
        let text = &tokens.get(index)?.text;
        text.parse::<i16>().ok().filter(|year| text.len() == 4 && *year >= 1000)
    };
    if let TokenKind::Moment(written) = &token.kind {
        if written.date.is_none() {
            return Some((Span::Clock(written.time?), 1));
        }
        if written.orders() == Some((true, true))
            && written.date(DateOrder::DayFirst) != written.date(DateOrder::MonthFirst)
        {
            return Some((Span::Doubtful, 1));
        }
        let order = if matches!(written.orders(), Some((false, true))) {
            DateOrder::MonthFirst
        } else {
            DateOrder::DayFirst
        };
        let from = written.date_time(order)?;
        if written.time.is_some() {
            return Some((Span::Stretch { from, to: from.checked_add(1.second()).ok()? }, 1));
        }
        if let Some(TokenKind::Moment(clock)) = tokens.get(at + 1).map(|token| &token.kind)
            && clock.date.is_none()
        {
            let from = from.date().to_datetime(clock.time?);
            return Some((Span::Stretch { from, to: from.checked_add(1.minute()).ok()? }, 2));
        }
        return day(from.date()).map(|span| (span, 1));
    }
    if let Some(number) = moment::month(&token.text) {
        // `March 4, 2026`, `March 2026`, `March`; `may` is a verb as often.
        if token.low == "may" && token.text != "May"
            || token.low.len() < 3
            || token.low == "sat"
            || token.low == "mar" && token.text == "mar"
        {
            return None;
        }
        if let Some(day_number) = tokens.get(at + 1).and_then(|token| day_number(&token.text)) {
            let comma = usize::from(tokens.get(at + 2).is_some_and(|token| token.text == ","));
            if let Some(year) = any_year_at(at + 2 + comma) {
                return day(Date::new(year, number, day_number).ok()?).map(|span| (span, 3 + comma));
            }
            if Date::new(2024, number, day_number).is_ok() {
                return Some((Span::MonthDay(number, day_number), 2));
            }
        }
        if let Some(year) = year_at(at + 1) {
            return month(year, number).map(|span| (span, 2));
        }
        return Some((Span::Month(number), 1));
    }
    if let Some(found) = part_of_month(tokens, at) {
        return Some(found);
    }
    // `6pm`
    if let (true, Some(half)) = (token.low.len() > 2, token.low.get(token.low.len().saturating_sub(2)..))
        && let (Some(late), Ok(hour)) = (
            match half {
                "am" => Some(0),
                "pm" => Some(12),
                _ => None,
            },
            token.low[..token.low.len() - 2].parse::<i8>(),
        )
        && (1..=12).contains(&hour)
    {
        return Some((Span::Clock(Time::new(hour % 12 + late, 0, 0, 0).ok()?), 1));
    }
    if let Some(day_number) = day_number(&token.text) {
        let next = tokens.get(at + 1).and_then(|token| moment::month(&token.text));
        if let (Some(number), Some(year)) = (next, year_at(at + 2)) {
            return day(Date::new(year, number, day_number).ok()?).map(|span| (span, 3));
        }
        if let Some(number) = next.filter(|_| tokens[at + 1].low.chars().count() >= 3)
            && Date::new(2024, number, day_number).is_ok()
            && tokens[at + 1].text.chars().any(char::is_uppercase)
        {
            return Some((Span::MonthDay(number, day_number), 2));
        }
        if let Some(found) = hour_of_day(tokens, at) {
            return Some(found);
        }
        let half = tokens.get(at + 1).map(|token| token.low.as_str());
        if let (Some(half @ ("am" | "pm" | "uhr" | "o'clock")), Ok(hour)) = (half, token.text.parse::<i8>()) {
            let hour = match half {
                "pm" if hour < 12 => hour + 12,
                "am" if hour == 12 => 0,
                _ => hour,
            };
            return Some((Span::Clock(Time::new(hour, 0, 0, 0).ok()?), 2));
        }
    }
    if let Some((quarter, length)) = quarter_at(tokens, at) {
        let of = usize::from(
            tokens.get(at + length).is_some_and(|token| matches!(token.low.as_str(), "of" | "von" | "des")),
        );
        let of = of
            + usize::from(of > 0 && tokens.get(at + length + 1).is_some_and(|token| token.low == "jahres"));
        if let Some(year) = year_at(at + length + of) {
            let from = Date::new(year, quarter * 3 - 2, 1).ok()?;
            return Some((stretch(from, from.checked_add(3.months()).ok()?), length + of + 1));
        }
        return Some((Span::Quarter(quarter), length));
    }
    if let Some(weekday) = moment::weekday(&token.text).filter(|_| token.text.len() > 3) {
        return Some((Span::Weekdays(vec![i64::from(weekday)]), 1));
    }
    if matches!(token.low.as_str(), "weekend" | "weekends" | "wochenende" | "wochenenden") {
        return Some((Span::Weekdays(vec![6, 7]), 1));
    }
    match token.low.as_str() {
        "noon" | "mittag" => return Some((Span::Clock(Time::new(12, 0, 0, 0).ok()?), 1)),
        "midnight" | "mitternacht" => return Some((Span::Clock(Time::midnight()), 1)),
        _ => {}
    }
    if let Some(from) = decade(&token.low) {
        return Some((stretch(Date::new(from, 1, 1).ok()?, Date::new(from + 10, 1, 1).ok()?), 1));
    }
    // `2026-03`
    if let Some((left, right)) = token.text.split_once('-')
        && let (Some(year), Ok(number), 2) = (year(left), right.parse(), right.len())
    {
        return month(year, number).map(|span| (span, 1));
    }
    let year = year(&token.text)?;
    let from = Date::new(year, 1, 1).ok()?;
    Some((stretch(from, Date::new(year.checked_add(1)?, 1, 1).ok()?), 1))
}

/// `the first half of November`, `erste Woche im Juni`, `Anfang Mai`, and how many tokens it takes.
fn part_of_month(tokens: &[Token], at: usize) -> Option<(Span, usize)> {
    let low = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.low.as_str());
    let place = match low(0) {
        "first" | "erste" | "ersten" => 0,
        "second" | "zweite" | "zweiten" => 1,
        "last" | "letzte" | "letzten" => 2,
        "early" | "anfang" => 3,
        "mid" | "mitte" => 4,
        "late" | "ende" => 5,
        _ => return None,
    };
    let (days, mut length) = match (low(1), place) {
        ("half" | "hälfte", 0) => ((1, 15), 2),
        ("half" | "hälfte", 1 | 2) => ((16, 31), 2),
        ("week" | "woche", 0) => ((1, 7), 2),
        ("week" | "woche", 1) => ((8, 14), 2),
        (_, 3) => ((1, 10), 1),
        (_, 4) => ((11, 20), 1),
        (_, 5) => ((21, 31), 1),
        _ => return None,
    };
    while matches!(low(length), "of" | "in" | "im" | "des" | "von" | "vom" | "-") {
        length += 1;
    }
    let name = &tokens.get(at + length)?.text;
    let month = moment::month(name).or_else(|| moment::month(name.strip_suffix('s')?))?;
    name.starts_with(char::is_uppercase).then_some((Span::Days(month, days.0, days.1), length + 1))
}

/// `7 in the morning`, `10 at night`, `8 Uhr abends`.
fn hour_of_day(tokens: &[Token], at: usize) -> Option<(Span, usize)> {
    let low = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.low.as_str());
    let hour: i8 = tokens[at].text.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let clock = usize::from(matches!(low(1), "o'clock" | "uhr"));
    let (is_late, length) = match (low(clock + 1), low(clock + 2), low(clock + 3)) {
        ("in", "the", "morning") => (false, 3),
        ("in", "the", "afternoon" | "evening") => (true, 3),
        ("at", "night", _) => (hour > 5, 2),
        ("am", "morgen" | "vormittag", _) => (false, 2),
        ("am", "nachmittag" | "abend", _) => (true, 2),
        ("morgens" | "vormittags" | "früh", ..) => (false, 1),
        ("nachmittags" | "abends", ..) => (true, 1),
        _ => return None,
    };
    let hour = hour % 12 + if is_late { 12 } else { 0 };
    Some((Span::Clock(Time::new(hour, 0, 0, 0).ok()?), 1 + clock + length))
}

fn year(text: &str) -> Option<i16> {
    let year: i16 = text.parse().ok().filter(|_| text.len() == 4)?;
    (1900..=2100).contains(&year).then_some(year)
}

/// `1990s`, `90s`, `nineties`: the first year of a decade.
fn decade(low: &str) -> Option<i16> {
    const NAMES: &[(&str, i16)] =
        &[("fifties", 1950), ("sixties", 1960), ("seventies", 1970), ("eighties", 1980), ("nineties", 1990)];
    if let Some((_, from)) = NAMES.iter().find(|(name, _)| *name == low) {
        return Some(*from);
    }
    let digits = low.strip_suffix("er").or_else(|| low.strip_suffix('s'))?.trim_end_matches('\'');
    let number: i16 = digits.parse().ok().filter(|number| number % 10 == 0)?;
    match digits.len() {
        2 if number >= 30 => Some(1900 + number),
        // `the 1900s` are ten years or a hundred.
        4 if (1900..2100).contains(&number) && number % 100 != 0 => Some(number),
        _ => None,
    }
}

fn day_number(text: &str) -> Option<i8> {
    let digits = text
        .trim_end_matches("st")
        .trim_end_matches("nd")
        .trim_end_matches("rd")
        .trim_end_matches("th")
        .trim_end_matches('.');
    digits.parse().ok().filter(|day| (1..=31).contains(day) && digits.len() <= 2)
}

/// `Q1`, `the first quarter`, `im ersten Quartal`, and how many tokens it takes.
fn quarter_at(tokens: &[Token], at: usize) -> Option<(i8, usize)> {
    if let Some(quarter) = quarter(&tokens[at].low) {
        return Some((quarter, 1));
    }
    let is_quarter = tokens
        .get(at + 1)
        .is_some_and(|next| matches!(next.low.as_str(), "quarter" | "quartal" | "quartals"));
    let number = match tokens[at].low.trim_end_matches('.') {
        "first" | "1st" | "erste" | "ersten" | "erstes" | "1" => 1,
        "second" | "2nd" | "zweite" | "zweiten" | "zweites" | "2" => 2,
        "third" | "3rd" | "dritte" | "dritten" | "drittes" | "3" => 3,
        "fourth" | "4th" | "last" | "vierte" | "vierten" | "viertes" | "letzten" | "4" => 4,
        _ => return None,
    };
    is_quarter.then_some((number, 2))
}

fn quarter(low: &str) -> Option<i8> {
    low.strip_prefix('q')?.parse().ok().filter(|quarter| (1..=4).contains(quarter))
}

fn stretch(from: Date, to: Date) -> Span {
    Span::Stretch { from: from.to_datetime(Time::midnight()), to: to.to_datetime(Time::midnight()) }
}

fn day(date: Date) -> Option<Span> {
    Some(stretch(date, date.tomorrow().ok()?))
}

fn month(year: i16, number: i8) -> Option<Span> {
    let from = Date::new(year, number, 1).ok()?;
    Some(stretch(from, from.checked_add(1.month()).ok()?))
}
