//! Dates and times as people and programs write them. Whether the day or the month comes first is decided for a
//! whole column, never for one cell.

use jiff::civil::{Date, DateTime, Time};

/// Which of two small numbers of a date is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum DateOrder {
    /// `04/03/2026` is the fourth of March.
    DayFirst,
    /// `04/03/2026` is the third of April.
    MonthFirst,
}

/// The year that dates without one get. It is a leap year, and is never shown.
pub(crate) const NO_YEAR: i16 = 2000;

/// The date of a cell before its order is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DatePart {
    Fixed(Date),
    /// Two numbers of which either may be the day, as far as this form goes.
    Pair {
        first: i8,
        second: i8,
        year: i16,
    },
    /// Month and day without a year.
    NoYear {
        month: i8,
        day: i8,
    },
}

/// A cell that looks like a date, a time or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrittenMoment {
    pub date: Option<DatePart>,
    pub time: Option<Time>,
    /// Digits behind the seconds.
    pub fraction_digits: u8,
    /// Seconds east of UTC, if the cell says so.
    pub offset: Option<i32>,
}

impl WrittenMoment {
    /// What a pair of numbers says about its column: day first, month first, either, or nothing (no pair).
    pub fn orders(&self) -> Option<(bool, bool)> {
        match self.date {
            Some(DatePart::Pair { first, second, year }) => {
                Some((Date::new(year, second, first).is_ok(), Date::new(year, first, second).is_ok()))
            }
            _ => None,
        }
    }

    /// The date under an order.
    pub fn date(&self, order: DateOrder) -> Option<Date> {
        match self.date? {
            DatePart::Fixed(date) => Some(date),
            DatePart::Pair { first, second, year } => match order {
                DateOrder::DayFirst => Date::new(year, second, first).ok(),
                DateOrder::MonthFirst => Date::new(year, first, second).ok(),
            },
            DatePart::NoYear { month, day } => Date::new(NO_YEAR, month, day).ok(),
        }
    }

    /// Date and time under an order, midnight where there is no time.
    pub fn date_time(&self, order: DateOrder) -> Option<DateTime> {
        Some(self.date(order)?.to_datetime(self.time.unwrap_or_else(Time::midnight)))
    }
}

/// Reads a cell as a date, a time or both.
pub(crate) fn written(cell: &str) -> Option<WrittenMoment> {
    let cell = cell.trim();
    if cell.len() < 4 || cell.len() > 48 || !cell.is_ascii() && !cell.contains(['ä', 'Ä']) {
        return None;
    }
    let first = cell.chars().next()?;
    if !first.is_ascii_digit() && !first.is_alphabetic() {
        return None;
    }
    let mut scan = Scan { rest: cell };
    if let Some(moment) = scan.iso_basic() {
        return Some(moment);
    }
    let mut scan = Scan { rest: cell };
    if let Some(time) = scan.whole_time() {
        return Some(time);
    }
    let mut scan = Scan { rest: cell };
    scan.skip_weekday();
    let mut date = scan.date()?;
    if scan.rest.is_empty() {
        return Some(WrittenMoment { date: Some(date), time: None, fraction_digits: 0, offset: None });
    }
    if !scan.skip_between() {
        return None;
    }
    let (time, fraction_digits) = scan.time()?;
    let mut offset = scan.zone();
    // `Wed Mar  4 10:11:12 2026`
    if let DatePart::NoYear { month, day } = date
        && let Some(year) = scan.trailing_year()
    {
        date = DatePart::Fixed(Date::new(year, month, day).ok()?);
        offset = offset.or_else(|| scan.zone());
    }
    scan.rest.is_empty().then_some(WrittenMoment {
        date: Some(date),
        time: Some(time),
        fraction_digits,
        offset,
    })
}

/// `20260304`, which is a date only where the column's name says so.
pub(crate) fn compact_date(cell: &str) -> Option<Date> {
    if cell.len() != 8 || !cell.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let year: i16 = cell[..4].parse().ok()?;
    if !(1900..=2100).contains(&year) {
        return None;
    }
    Date::new(year, cell[4..6].parse().ok()?, cell[6..].parse().ok()?).ok()
}

/// Seconds or milliseconds since 1970, which is a moment only where the column's name says so.
pub(crate) fn epoch(cell: &str) -> Option<DateTime> {
    let digits = cell.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, fraction) = cell.split_at(digits);
    let seconds: i64 = whole.parse().ok()?;
    let timestamp = match (digits, fraction.is_empty()) {
        (10, true) => jiff::Timestamp::from_second(seconds),
        (13, true) => jiff::Timestamp::from_millisecond(seconds),
        (16, true) => jiff::Timestamp::from_microsecond(seconds),
        (10, false) => {
            let nanos: f64 = format!("0{fraction}").parse().ok()?;
            #[expect(clippy::cast_possible_truncation, reason = "a fraction of a second in nanoseconds fits")]
            jiff::Timestamp::new(seconds, (nanos * 1e9).round() as i32)
        }
        _ => return None,
    };
    Some(jiff::tz::TimeZone::UTC.to_datetime(timestamp.ok()?))
}

/// The number of a month's name, English or German, whole or shortened.
pub(crate) fn month(name: &str) -> Option<i8> {
    const NAMES: &[(&str, i8)] = &[
        ("january", 1),
        ("february", 2),
        ("march", 3),
        ("april", 4),
        ("may", 5),
        ("june", 6),
        ("july", 7),
        ("august", 8),
        ("september", 9),
        ("october", 10),
        ("november", 11),
        ("december", 12),
        ("januar", 1),
        ("jänner", 1),
        ("februar", 2),
        ("märz", 3),
        ("maerz", 3),
        ("mai", 5),
        ("juni", 6),
        ("juli", 7),
        ("oktober", 10),
        ("dezember", 12),
        ("sept", 9),
        ("mrz", 3),
        ("okt", 10),
        ("dez", 12),
    ];
    let folded = name.to_lowercase();
    if let Some((_, number)) = NAMES.iter().find(|(name, _)| *name == folded) {
        return Some(*number);
    }
    if folded.chars().count() != 3 {
        return None;
    }
    NAMES.iter().find(|(name, _)| name.starts_with(&folded)).map(|(_, number)| *number)
}

/// The number of a weekday's name, Monday first from 1.
pub(crate) fn weekday(name: &str) -> Option<i8> {
    const NAMES: &[&[&str]] = &[
        &["monday", "mon", "montag", "mondays", "montags"],
        &["tuesday", "tue", "tues", "dienstag", "tuesdays", "dienstags"],
        &["wednesday", "wed", "mittwoch", "wednesdays", "mittwochs"],
        &["thursday", "thu", "thur", "thurs", "donnerstag", "thursdays", "donnerstags"],
        &["friday", "fri", "freitag", "fridays", "freitags"],
        &["saturday", "sat", "samstag", "saturdays", "samstags"],
        &["sunday", "sun", "sonntag", "sundays", "sonntags"],
    ];
    let folded = name.to_lowercase();
    let index = NAMES.iter().position(|names| names.contains(&folded.as_str()))?;
    i8::try_from(index + 1).ok()
}

/// What of a cell is still to be read.
struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    fn digits(&mut self, least: usize, most: usize) -> Option<&'a str> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if length < least || length > most {
            return None;
        }
        let (digits, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(digits)
    }

    fn letters(&mut self) -> Option<&'a str> {
        let length = self.rest.find(|letter: char| !letter.is_alphabetic()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn take(&mut self, letter: char) -> bool {
        match self.rest.strip_prefix(letter) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn skip_weekday(&mut self) {
        let mut ahead = Scan { rest: self.rest };
        if ahead.letters().is_some_and(|word| weekday(word).is_some()) {
            ahead.take('.');
            ahead.take(',');
            ahead.skip_spaces();
            self.rest = ahead.rest;
        }
    }

    /// What stands between a date and its time.
    fn skip_between(&mut self) -> bool {
        let before = self.rest.len();
        self.take(',');
        if !self.take('T') && !self.take('_') {
            self.take(':');
        }
        self.skip_spaces();
        self.rest.len() < before
    }

    fn date(&mut self) -> Option<DatePart> {
        if self.rest.starts_with(char::is_alphabetic) {
            return self.date_by_month_name();
        }
        let first = self.digits(1, 4)?;
        let sign = self.rest.chars().next()?;
        if !matches!(sign, '-' | '/' | '.' | ' ') {
            return None;
        }
        self.take(sign);
        self.skip_spaces();
        if self.rest.starts_with(char::is_alphabetic) {
            let month = month(self.letters()?)?;
            self.take('.');
            if !self.take(sign) {
                self.take(',');
            }
            self.skip_spaces();
            let year = self.year()?;
            return Date::new(year, month, first.parse().ok()?).ok().map(DatePart::Fixed);
        }
        let second: i8 = self.digits(1, 2)?.parse().ok()?;
        if sign == ' ' || !self.take(sign) {
            return None;
        }
        if first.len() == 4 {
            let day = self.digits(1, 2)?.parse().ok()?;
            return Date::new(first.parse().ok()?, second, day).ok().map(DatePart::Fixed);
        }
        if first.len() > 2 {
            return None;
        }
        let first: i8 = first.parse().ok()?;
        let year = self.year()?;
        if sign == '.' {
            return Date::new(year, second, first).ok().map(DatePart::Fixed);
        }
        let pair = DatePart::Pair { first, second, year };
        let is_date = Date::new(year, second, first).is_ok() || Date::new(year, first, second).is_ok();
        is_date.then_some(pair)
    }

    fn date_by_month_name(&mut self) -> Option<DatePart> {
        let month = month(self.letters()?)?;
        self.take('.');
        if !self.take('-') {
            self.skip_spaces();
        }
        let day: i8 = self.digits(1, 2)?.parse().ok()?;
        for ending in ["st", "nd", "rd", "th", "."] {
            if let Some(rest) = self.rest.strip_prefix(ending) {
                self.rest = rest;
                break;
            }
        }
        let mut ahead = Scan { rest: self.rest };
        ahead.take(',');
        if !ahead.take('-') {
            ahead.skip_spaces();
        }
        if let Some(digits) = ahead.digits(4, 4)
            && !ahead.rest.starts_with(':')
        {
            self.rest = ahead.rest;
            return Date::new(digits.parse().ok()?, month, day).ok().map(DatePart::Fixed);
        }
        Date::new(NO_YEAR, month, day).ok().map(|_| DatePart::NoYear { month, day })
    }

    fn year(&mut self) -> Option<i16> {
        let digits = self.digits(2, 4)?;
        let year: i16 = digits.parse().ok()?;
        match digits.len() {
            2 => Some(if year < 70 { 2000 + year } else { 1900 + year }),
            4 => Some(year),
            _ => None,
        }
    }

    fn trailing_year(&mut self) -> Option<i16> {
        let mut ahead = Scan { rest: self.rest };
        ahead.skip_spaces();
        let year = ahead.digits(4, 4)?.parse().ok()?;
        self.rest = ahead.rest;
        Some(year)
    }

    fn time(&mut self) -> Option<(Time, u8)> {
        let mut hour: i8 = self.digits(1, 2)?.parse().ok()?;
        if !self.take(':') {
            return None;
        }
        let minute = self.digits(2, 2)?.parse().ok()?;
        let mut second = 0;
        let mut nanos = 0;
        let mut digits = 0;
        if self.take(':') {
            second = self.digits(2, 2)?.parse().ok()?;
            if self.rest.starts_with(['.', ','])
                && self.rest[1..].starts_with(|next: char| next.is_ascii_digit())
            {
                self.rest = &self.rest[1..];
                let fraction = self.digits(1, 9)?;
                digits = u8::try_from(fraction.len()).ok()?;
                nanos = format!("{fraction:0<9}").parse().ok()?;
            }
        }
        let mut ahead = Scan { rest: self.rest };
        ahead.skip_spaces();
        if let Some(half) = ahead.letters().map(str::to_ascii_lowercase)
            && (half == "am" || half == "pm")
        {
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + if half == "pm" { 12 } else { 0 };
            self.rest = ahead.rest;
        }
        Some((Time::new(hour, minute, second, nanos).ok()?, digits))
    }

    fn zone(&mut self) -> Option<i32> {
        let mut ahead = Scan { rest: self.rest };
        ahead.skip_spaces();
        for name in ["UTC", "GMT", "Z", "z"] {
            if let Some(rest) = ahead.rest.strip_prefix(name)
                && !rest.starts_with(char::is_alphanumeric)
            {
                self.rest = rest;
                return Some(0);
            }
        }
        let sign = if ahead.take('+') {
            1
        } else if ahead.take('-') {
            -1
        } else {
            return None;
        };
        let digits = ahead.digits(2, 4)?;
        let (hours, minutes) = match digits.len() {
            4 => digits.split_at(2),
            2 if ahead.take(':') => (digits, ahead.digits(2, 2)?),
            2 => (digits, "0"),
            _ => return None,
        };
        let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
        if hours > 14 || minutes > 59 {
            return None;
        }
        self.rest = ahead.rest;
        Some(sign * (hours * 3600 + minutes * 60))
    }

    /// `20260304T101112Z`
    fn iso_basic(&mut self) -> Option<WrittenMoment> {
        let date = compact_date(self.rest.get(..8)?)?;
        self.rest = &self.rest[8..];
        if !self.take('T') {
            return None;
        }
        let digits = self.digits(4, 6)?;
        let second = if digits.len() == 6 { digits[4..].parse().ok()? } else { 0 };
        let time = Time::new(digits[..2].parse().ok()?, digits[2..4].parse().ok()?, second, 0).ok()?;
        let offset = self.zone();
        self.rest.is_empty().then_some(WrittenMoment {
            date: Some(DatePart::Fixed(date)),
            time: Some(time),
            fraction_digits: 0,
            offset,
        })
    }

    /// A time of day and nothing else.
    fn whole_time(&mut self) -> Option<WrittenMoment> {
        let (time, fraction_digits) = self.time()?;
        self.rest.is_empty().then_some(WrittenMoment {
            date: None,
            time: Some(time),
            fraction_digits,
            offset: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(cell: &str, order: DateOrder) -> Option<String> {
        let moment = written(cell)?;
        Some(match (moment.date, moment.time) {
            (None, Some(time)) => time.to_string(),
            (_, None) => moment.date(order)?.to_string(),
            _ => moment.date_time(order)?.to_string(),
        })
    }

    #[test]
    fn dates_of_many_forms_are_read() {
        for (cell, expected) in [
            ("2026-03-04", "2026-03-04"),
            ("2026/3/4", "2026-03-04"),
            ("04.03.2026", "2026-03-04"),
            ("4.3.26", "2026-03-04"),
            ("4 Mar 2026", "2026-03-04"),
            ("04-Mar-2026", "2026-03-04"),
            ("March 4, 2026", "2026-03-04"),
            ("Mar 4th 2026", "2026-03-04"),
            ("4. März 2026", "2026-03-04"),
            ("2026-03-04T10:11:12Z", "2026-03-04T10:11:12"),
            ("2026-03-04 10:11:12,345", "2026-03-04T10:11:12.345"),
            ("10/Oct/2000:13:55:36 -0700", "2000-10-10T13:55:36"),
            ("Wed, 04 Mar 2026 10:11:12 +0000", "2026-03-04T10:11:12"),
            ("Wed Mar  4 10:11:12 2026", "2026-03-04T10:11:12"),
            ("Oct 11 22:14:15", "2000-10-11T22:14:15"),
            ("20260304T101112Z", "2026-03-04T10:11:12"),
            ("3/14/2019 1:05 PM", "2019-03-14T13:05:00"),
            ("22:14", "22:14:00"),
        ] {
            assert_eq!(shown(cell, DateOrder::MonthFirst).as_deref(), Some(expected), "{cell}");
        }
        assert_eq!(shown("04/03/2026", DateOrder::DayFirst).as_deref(), Some("2026-03-04"));
        assert_eq!(written("14/03/2026").unwrap().orders(), Some((true, false)));
        assert_eq!(written("2026-03-04T10:11:12+05:30").unwrap().offset, Some(19_800));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for cell in [
            "2026-13-04",
            "31.02.2026",
            "10.0.0.1",
            "1.2.3",
            "12",
            "2026",
            "May",
            "Marco 4",
            "99/99/2026",
            "ümlaut",
            "4 eggs 2026",
            "10:99",
        ] {
            assert_eq!(written(cell), None, "{cell}");
        }
    }

    #[test]
    fn numbers_become_moments_on_demand_only() {
        assert_eq!(compact_date("20260304").unwrap().to_string(), "2026-03-04");
        assert_eq!(compact_date("99999999"), None);
        assert_eq!(epoch("1767225600").unwrap().to_string(), "2026-01-01T00:00:00");
        assert_eq!(epoch("1767225600123").unwrap().to_string(), "2026-01-01T00:00:00.123");
        assert_eq!(epoch("12"), None);
    }
}
