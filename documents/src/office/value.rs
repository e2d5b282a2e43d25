//! Values of cells as a person sees them, but for what depends on a country: no thousands separators, dates as 2024-03-01.

use calamine::ExcelDateTime;

/// The text of a cell, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub text: String,
    pub kind: ValueKind,
    pub bold: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Text,
    /// A whole number that may be a year: it may name a column, too.
    Year,
    Date,
    /// A number, a truth value, an error.
    Other,
}

impl Value {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: ValueKind::Text, bold: false }
    }

    pub fn number(value: f64) -> Self {
        let is_year = value.fract() == 0.0 && (1900.0..=2100.0).contains(&value);
        let kind = if is_year { ValueKind::Year } else { ValueKind::Other };
        Self { text: number(value), kind, bold: false }
    }

    /// A share: 0.5 is 50%.
    pub fn percent(value: f64) -> Self {
        Self { text: percent(value), kind: ValueKind::Other, bold: false }
    }

    pub fn truth(value: bool) -> Self {
        let text = if value { "TRUE" } else { "FALSE" };
        Self { text: text.to_owned(), kind: ValueKind::Other, bold: false }
    }

    pub fn error(error: impl std::fmt::Display) -> Self {
        Self { text: error.to_string(), kind: ValueKind::Other, bold: false }
    }

    /// A date, a time or both, as Excel stores them.
    pub fn date(date: &ExcelDateTime) -> Self {
        let kind = if date.is_duration() { ValueKind::Other } else { ValueKind::Date };
        let text = if date.is_duration() { duration(date.as_f64()) } else { date_time(date) };
        Self { text, kind, bold: false }
    }

    /// A date, a time or both by ISO 8601.
    pub fn iso_date(text: &str) -> Self {
        Self { text: iso_date(text), kind: ValueKind::Date, bold: false }
    }

    /// A span of time by ISO 8601: `PT12H30M00S`.
    pub fn iso_duration(text: &str) -> Self {
        let seconds = iso_seconds(text);
        let text = seconds.map_or_else(|| text.to_owned(), |seconds| duration(seconds / 86_400.0));
        Self { text, kind: ValueKind::Other, bold: false }
    }
}

/// A number with the fifteen digits that spreadsheets show, so that 0.1 + 0.2 is 0.3.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "#NUM!".to_owned();
    }
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if rounded == 0.0 {
        "0".to_owned()
    } else if (1e-9..1e21).contains(&size) {
        rounded.to_string()
    } else {
        format!("{rounded:E}")
    }
}

fn percent(value: f64) -> String {
    format!("{}%", number(value * 100.0))
}

/// A number that a file keeps as text, such as the values of a chart; other text as it is.
pub(super) fn cached_number(text: &str) -> String {
    let is_number =
        text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'));
    match text.parse() {
        Ok(value) if is_number => number(value),
        _ => text.to_owned(),
    }
}

/// Whether a number format shows shares.
pub(super) fn is_percent(format: &str) -> bool {
    let mut characters = format.chars();
    while let Some(character) = characters.next() {
        match character {
            '%' => return true,
            ';' => return false,
            '\\' | '_' | '*' => {
                characters.next();
            }
            '"' => {
                characters.by_ref().find(|end| *end == '"');
            }
            '[' => {
                characters.by_ref().find(|end| *end == ']');
            }
            _ => {}
        }
    }
    false
}

fn date_time(date: &ExcelDateTime) -> String {
    let value = date.as_f64();
    // What Excel does not show as a date either.
    if !(0.0..2_958_466.0).contains(&value) {
        return number(value);
    }
    let (year, month, day, hour, minute, second, milli) = date.to_ymd_hms_milli();
    let mut time = format!("{hour:02}:{minute:02}:{second:02}");
    if milli > 0 {
        time.push_str(format!(".{milli:03}").trim_end_matches('0'));
    }
    let has_time = (hour, minute, second, milli) != (0, 0, 0, 0);
    match (value < 1.0, has_time) {
        (true, _) => time,
        (false, false) => format!("{year:04}-{month:02}-{day:02}"),
        (false, true) => format!("{year:04}-{month:02}-{day:02} {time}"),
    }
}

/// A span of time in days: 1.5 is 36:00:00.
fn duration(days: f64) -> String {
    let seconds = (days * 86_400.0).round();
    if !seconds.is_finite() || seconds.abs() > 1e15 {
        return number(days);
    }
    let sign = if seconds < 0.0 { "-" } else { "" };
    #[expect(clippy::cast_possible_truncation, reason = "its size was checked")]
    let seconds = seconds.abs() as i64;
    format!("{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn iso_date(text: &str) -> String {
    let text = text.trim().trim_end_matches('Z');
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    let whole = time.split_once('.').filter(|(_, rest)| rest.bytes().all(|byte| byte == b'0'));
    let time = whole.map_or(time, |(time, _)| time);
    match time {
        "" | "00:00:00" | "00:00" => date.to_owned(),
        time if date.is_empty() => time.to_owned(),
        time => format!("{date} {time}"),
    }
}

fn iso_seconds(text: &str) -> Option<f64> {
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |text| (-1.0, text));
    let mut rest = text.strip_prefix("PT")?;
    let mut seconds = 0.0;
    for (unit, worth) in [('H', 3600.0), ('M', 60.0), ('S', 1.0)] {
        if let Some((value, after)) = rest.split_once(unit) {
            seconds += value.replace(',', ".").parse::<f64>().ok()? * worth;
            rest = after;
        }
    }
    rest.is_empty().then_some(seconds * sign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use calamine::ExcelDateTimeType::{DateTime, TimeDelta};

    #[test]
    fn numbers_have_no_noise() {
        let cases = [
            (1200.0, "1200"),
            (0.1 + 0.2, "0.3"),
            (-0.0, "0"),
            (1.1 * 1.1, "1.21"),
            (123_456_789_012_345_680.0, "123456789012346000"),
            (1e300, "1E300"),
            (2.5e-12, "2.5E-12"),
            (f64::NAN, "#NUM!"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn sums_of_cents_are_written_as_cents() {
        for cents in 0_i32..5000 {
            let sum: f64 = (0..3).map(|_| f64::from(cents) / 100.0).sum();
            let text = number(sum);
            let expected = format!("{}.{:02}", cents * 3 / 100, cents * 3 % 100);
            assert_eq!(text, expected.trim_end_matches('0').trim_end_matches('.'));
        }
    }

    #[test]
    fn whole_numbers_are_written_as_they_are() {
        for exponent in 0..15 {
            for digit in [1_i64, 7, 9] {
                let whole = digit * 10_i64.pow(exponent) + 3;
                assert_eq!(number(whole as f64), whole.to_string());
            }
        }
    }

    #[test]
    fn shares_are_known_by_their_format() {
        assert_eq!(Value::percent(0.07).text, "7%");
        assert_eq!(Value::percent(1.255).text, "125.5%");
        for format in ["0%", "0.00%", "[Red]0.0\\ %;-0%"] {
            assert!(is_percent(format), "{format}");
        }
        for format in ["General", "0.00\"%\"", "0\\%", "0;0%", "[$%-409]0"] {
            assert!(!is_percent(format), "{format}");
        }
    }

    #[test]
    fn dates_are_written_by_iso_8601() {
        let date = |value, kind| Value::date(&ExcelDateTime::new(value, kind, false)).text;
        assert_eq!(date(45352.0, DateTime), "2024-03-01");
        assert_eq!(date(45352.5, DateTime), "2024-03-01 12:00:00");
        assert_eq!(date(0.25, DateTime), "06:00:00");
        assert_eq!(date(1.5, TimeDelta), "36:00:00");
        assert_eq!(date(-3.0, DateTime), "-3");
        assert_eq!(date(-0.5, TimeDelta), "-12:00:00");
        let old_mac = ExcelDateTime::new(0.0, DateTime, true);
        assert_eq!(Value::date(&old_mac).kind, ValueKind::Date);
        assert_eq!(Value::iso_date("2024-03-01T00:00:00").text, "2024-03-01");
        assert_eq!(Value::iso_date("2024-03-01T08:30:00.000").text, "2024-03-01 08:30:00");
        assert_eq!(Value::iso_duration("PT26H05M00S").text, "26:05:00");
        assert_eq!(Value::iso_duration("a day").text, "a day");
    }

    #[test]
    fn numbers_that_may_be_years_are_told() {
        assert_eq!(Value::number(2024.0).kind, ValueKind::Year);
        assert_eq!(Value::number(2024.5).kind, ValueKind::Other);
        assert_eq!(Value::number(1200.0).kind, ValueKind::Other);
    }
}
