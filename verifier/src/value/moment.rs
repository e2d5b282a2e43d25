//! Dates and times as records write them.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};

/// A day, a time of day, or a point in time with or without a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A calendar day.
    Day(Date),
    /// A time of day, and whether its seconds were written.
    Hour(Time, bool),
    /// A clock reading without a zone.
    Clock(DateTime),
    /// A point in time, and the clock reading as it was written.
    Instant(Timestamp, DateTime),
}

impl Moment {
    /// Reads ISO 8601 dates and times (`2026-03-02`, `2026-03-02T08:14:07Z`, `2026-03-02 08:14`),
    /// `2026/03/02`, `02.03.2026` and times of day (`08:14`, `08:14:07`).
    ///
    /// `03/02/2026` is not read: half the world means March, the other half February.
    pub fn parse(text: &str) -> Option<Self> {
        match text.len() {
            5 if digits_with(text, b"00:00") => return Some(Self::Hour(text.parse().ok()?, false)),
            8 if digits_with(text, b"00:00:00") => return Some(Self::Hour(text.parse().ok()?, true)),
            10 if digits_with(text, b"0000/00/00") => {
                return text.replace('/', "-").parse().ok().map(Self::Day);
            }
            10 if digits_with(text, b"00.00.0000") => {
                let iso = format!("{}-{}-{}", &text[6..], &text[3..5], &text[..2]);
                return iso.parse().ok().map(Self::Day);
            }
            _ => {}
        }
        // jiff also reads basic-format dates, which in records are ordinary numbers.
        if !text.get(..10).is_some_and(|day| digits_with(day, b"0000-00-00")) {
            return None;
        }
        if text.len() == 10 {
            return text.parse().ok().map(Self::Day);
        }
        // A civil reading would drop an offset without a word, so that the other is tried first.
        let Ok(instant) = text.parse::<Timestamp>() else {
            return text.parse().ok().map(Self::Clock);
        };
        let clock = text[10..].find(['Z', 'z', '+', '-']).map(|at| &text[..10 + at])?;
        Some(Self::Instant(instant, clock.trim_end().parse().ok()?))
    }

    /// Orders two moments at the coarser one's precision: every time of a day equals the day.
    /// `None` for a day and a time of day.
    pub fn order(self, other: Self) -> Option<Ordering> {
        Some(match (self, other) {
            (Self::Day(_), Self::Hour(..)) | (Self::Hour(..), Self::Day(_)) => return None,
            (Self::Instant(left, _), Self::Instant(right, _)) => left.cmp(&right),
            (Self::Day(left), right) => left.cmp(&right.clock().date()),
            (left, Self::Day(right)) => left.clock().date().cmp(&right),
            (Self::Hour(left, seconds), right) => by_hour(left, right, seconds),
            (left, Self::Hour(right, seconds)) => by_hour(right, left, seconds).reverse(),
            (left, right) => left.clock().cmp(&right.clock()),
        })
    }

    /// One spelling for all spellings of a moment.
    pub fn canonical(self) -> String {
        match self {
            Self::Day(day) => day.to_string(),
            Self::Hour(time, _) => time.to_string(),
            Self::Clock(clock) => clock.to_string(),
            Self::Instant(instant, _) => instant.to_string(),
        }
    }

    fn clock(self) -> DateTime {
        match self {
            Self::Day(day) => day.at(0, 0, 0, 0),
            Self::Hour(time, _) => DateTime::from_parts(Date::ZERO, time),
            Self::Clock(clock) | Self::Instant(_, clock) => clock,
        }
    }
}

fn by_hour(left: Time, right: Moment, seconds_written: bool) -> Ordering {
    let other = right.clock().time();
    let exact = seconds_written && !matches!(right, Moment::Hour(_, false));
    let parts = |time: Time| (time.hour(), time.minute(), if exact { time.second() } else { 0 });
    parts(left).cmp(&parts(other))
}

/// Whether the text has the pattern's shape, `0` standing for any digit.
fn digits_with(text: &str, pattern: &[u8]) -> bool {
    let fits =
        |(byte, wanted): (u8, &u8)| if *wanted == b'0' { byte.is_ascii_digit() } else { byte == *wanted };
    text.len() == pattern.len() && text.bytes().zip(pattern).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(left: &str, right: &str) -> Option<Ordering> {
        Moment::parse(left)?.order(Moment::parse(right)?)
    }

    #[test]
    fn moments_compare_at_the_coarser_precision() {
        let equal = [
            ("2026-03-02", "2026-03-02T23:59:59Z"),
            ("2026/03/02", "02.03.2026"),
            ("08:14", "08:14:59"),
            ("08:14:07", "2026-03-02T08:14:07.9Z"),
            ("2026-03-02T08:14:07Z", "2026-03-02T10:14:07+02:00"),
            ("2026-03-02 08:14:07", "2026-03-02T08:14:07"),
        ];
        for (left, right) in equal {
            assert_eq!(order(left, right), Some(Ordering::Equal), "{left} {right}");
        }
        assert_eq!(order("2026-03-03", "2026-03-02T23:59:59Z"), Some(Ordering::Greater));
        assert_eq!(order("08:14", "08:13:59"), Some(Ordering::Greater));
        assert_eq!(order("2026-03-02T08:13:00Z", "08:14"), Some(Ordering::Less));
    }

    #[test]
    fn what_is_no_date_is_not_read_as_one() {
        for text in [
            "20260302",
            "2026-13-02",
            "2026-03",
            "03/02/2026",
            "8:14",
            "08.14",
            "2026-03-02Tsoon",
            "",
            "ü2026-03-02",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
        assert_eq!(order("2026-03-02", "08:14"), None);
    }
}
