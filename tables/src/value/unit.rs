//! Units of time and of size, with what one of each is worth in the smallest.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

/// The unit of lengths of time that are written as a clock shows them: `1:10:39`. They are kept in seconds.
pub(crate) const CLOCK: &str = "h:mm:ss";

/// The same where less than an hour is written without hours: `24:18`.
pub(crate) const SHORT_CLOCK: &str = "[h:]mm:ss";

/// The same with parts of a second: `8:12.4`.
pub(crate) const FINE_CLOCK: &str = "[h:]mm:ss.s";

/// Units of time, with their nanoseconds.
const DURATIONS: &[(&str, i64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("msec", 1_000_000),
    ("millisecond", 1_000_000),
    ("milliseconds", 1_000_000),
    ("millisekunden", 1_000_000),
    (CLOCK, 1_000_000_000),
    (SHORT_CLOCK, 1_000_000_000),
    (FINE_CLOCK, 1_000_000_000),
    ("s", 1_000_000_000),
    ("sec", 1_000_000_000),
    ("secs", 1_000_000_000),
    ("sek", 1_000_000_000),
    ("second", 1_000_000_000),
    ("seconds", 1_000_000_000),
    ("sekunde", 1_000_000_000),
    ("sekunden", 1_000_000_000),
    ("m", 60_000_000_000),
    ("min", 60_000_000_000),
    ("mins", 60_000_000_000),
    ("minute", 60_000_000_000),
    ("minutes", 60_000_000_000),
    ("minuten", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("hr", 3_600_000_000_000),
    ("hrs", 3_600_000_000_000),
    ("hour", 3_600_000_000_000),
    ("hours", 3_600_000_000_000),
    ("std", 3_600_000_000_000),
    ("stunde", 3_600_000_000_000),
    ("stunden", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
    ("day", 86_400_000_000_000),
    ("days", 86_400_000_000_000),
    ("tag", 86_400_000_000_000),
    ("tage", 86_400_000_000_000),
];

/// Units of size, with their bytes. `KB` is a thousand bytes, `KiB` 1024.
const SIZES: &[(&str, i64)] = &[
    ("b", 1),
    ("byte", 1),
    ("bytes", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

/// Units of which one is another's with the point moved, with the power of ten of each.
const METRIC: &[&[(&str, i32)]] = &[
    &[("mm", -3), ("cm", -2), ("m", 0), ("meter", 0), ("metres", 0), ("km", 3), ("kilometer", 3)],
    &[("µg", -6), ("mg", -3), ("g", 0), ("gramm", 0), ("kg", 3), ("t", 6)],
    &[("ml", -3), ("cl", -2), ("dl", -1), ("l", 0), ("liter", 0), ("litres", 0), ("hl", 2)],
    &[("µs/cm", 0), ("ms/cm", 3)],
    &[("m²", 0), ("m2", 0), ("qm", 0), ("sqm", 0), ("sq m", 0)],
    &[("wh", 0), ("kwh", 3), ("mwh", 6)],
    &[("w", 0), ("kw", 3), ("mw", 6)],
];

/// By which power of ten a number of one unit is multiplied to be one of another.
pub(crate) fn power_between(from: &str, to: &str) -> Option<i32> {
    let (from, to) = (from.to_lowercase().replace('μ', "µ"), to.to_lowercase().replace('μ', "µ"));
    let power = |units: &[(&str, i32)], unit: &str| {
        units.iter().find(|(name, _)| *name == unit).map(|(_, power)| *power)
    };
    METRIC.iter().find_map(|units| Some(power(units, &from)? - power(units, &to)?))
}

/// The spelling that a column of such a unit shows.
const SHOWN: &[(i64, &str)] = &[
    (1, "ns"),
    (1_000, "µs"),
    (1_000_000, "ms"),
    (1_000_000_000, "s"),
    (60_000_000_000, "min"),
    (3_600_000_000_000, "h"),
    (86_400_000_000_000, "d"),
];

const SHOWN_SIZES: &[(i64, &str)] = &[
    (1, "B"),
    (1_000, "KB"),
    (1_000_000, "MB"),
    (1_000_000_000, "GB"),
    (1_000_000_000_000, "TB"),
    (1 << 10, "KiB"),
    (1 << 20, "MiB"),
    (1 << 30, "GiB"),
    (1 << 40, "TiB"),
];

/// Currencies by sign, code and word.
const CURRENCIES: &[(&str, &str)] = &[
    ("$", "USD"),
    ("us$", "USD"),
    ("usd", "USD"),
    ("dollar", "USD"),
    ("dollars", "USD"),
    ("€", "EUR"),
    ("eur", "EUR"),
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("£", "GBP"),
    ("gbp", "GBP"),
    ("pound", "GBP"),
    ("pounds", "GBP"),
    ("¥", "JPY"),
    ("jpy", "JPY"),
    ("yen", "JPY"),
    ("chf", "CHF"),
    ("fr.", "CHF"),
    ("franken", "CHF"),
    ("franc", "CHF"),
    ("francs", "CHF"),
    ("sek", "SEK"),
    ("kr", "kr"),
    ("zł", "PLN"),
    ("pln", "PLN"),
    ("₹", "INR"),
    ("inr", "INR"),
    ("sat", "sat"),
    ("sats", "sat"),
];

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Measure {
    Duration,
    Size,
}

/// The factor of a unit to nanoseconds or bytes.
pub(crate) fn factor(unit: &str, measure: Measure) -> Option<i64> {
    let table = match measure {
        Measure::Duration => DURATIONS,
        Measure::Size => SIZES,
    };
    if unit.len() > 16 {
        return None;
    }
    let folded = unit.to_lowercase();
    table.iter().find(|(name, _)| *name == folded).map(|(_, factor)| *factor)
}

/// `829M`, `4.5G` of a column of sizes: what one is worth in bytes.
pub(crate) fn size_letter(unit: &str) -> Option<i64> {
    Some(match unit {
        "B" => 1,
        "K" | "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        _ => return None,
    })
}

/// What a unit measures, if it is known. `SEK` in capitals is a currency.
pub(crate) fn measure_of(unit: &str) -> Option<Measure> {
    if unit == "SEK" {
        return None;
    }
    [Measure::Duration, Measure::Size].into_iter().find(|measure| factor(unit, *measure).is_some())
}

/// How a unit of that factor is written.
pub(crate) fn shown(factor: i64, measure: Measure) -> &'static str {
    let table = match measure {
        Measure::Duration => SHOWN,
        Measure::Size => SHOWN_SIZES,
    };
    table.iter().find(|(other, _)| *other == factor).map_or("", |(_, name)| name)
}

/// This word, if it is how a unit or a currency is shown.
pub(crate) fn known(word: &str) -> Option<&'static str> {
    let units = SHOWN.iter().chain(SHOWN_SIZES).map(|(_, name)| *name);
    let units = units.chain([CLOCK, SHORT_CLOCK, FINE_CLOCK]);
    units.chain(CURRENCIES.iter().map(|(_, code)| *code)).chain([""]).find(|known| *known == word)
}

/// The currency that a sign, code or word names.
pub(crate) fn currency(text: &str) -> Option<&'static str> {
    if text.is_empty() || text.len() > 8 {
        return None;
    }
    let folded = text.to_lowercase();
    if folded == "sek" && text != "SEK" {
        return None;
    }
    CURRENCIES.iter().find(|(name, _)| *name == folded).map(|(_, code)| *code)
}

/// Codes of currencies that no amount is known by, and that stand in a column of their own.
const OTHER_CODES: &[&str] = &[
    "AED", "ARS", "AUD", "BGN", "BRL", "CAD", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "HKD", "HUF", "IDR",
    "ILS", "ISK", "KRW", "MAD", "MXN", "MYR", "NGN", "NOK", "NZD", "PEN", "PHP", "PKR", "RMB", "RON", "RSD",
    "RUB", "SAR", "SGD", "THB", "TRY", "TWD", "UAH", "VND", "ZAR", "BTC", "ETH", "DEM",
];

/// Whether a whole cell is the sign, code or word of a currency.
pub(crate) fn is_currency_code(text: &str) -> bool {
    currency(text).is_some() || OTHER_CODES.contains(&text)
}

/// Units of amounts that no number is turned into another by.
const OTHER_UNITS: &[&str] = &[
    "pc",
    "pcs",
    "piece",
    "pieces",
    "pkg",
    "pack",
    "packs",
    "packet",
    "packets",
    "box",
    "boxes",
    "bag",
    "bags",
    "bottle",
    "bottles",
    "can",
    "cans",
    "carton",
    "cartons",
    "crate",
    "crates",
    "dozen",
    "each",
    "ea",
    "pair",
    "pairs",
    "set",
    "sets",
    "unit",
    "units",
    "roll",
    "rolls",
    "stk",
    "stück",
    "dose",
    "dosen",
    "paket",
    "packung",
    "flasche",
    "karton",
    "kiste",
    "lb",
    "lbs",
    "oz",
    "gal",
    "gallon",
    "gallons",
    "pint",
    "pints",
    "cup",
    "cups",
    "tbsp",
    "tsp",
    "ft",
    "feet",
    "in",
    "inch",
    "inches",
    "yd",
    "mi",
    "mile",
    "miles",
    "gram",
    "grams",
    "kilo",
    "kilos",
    "kilogram",
    "kilograms",
    "tonne",
    "tonnes",
    "ton",
    "tons",
    "liter",
    "liters",
    "litre",
    "litres",
    "ml",
    "ha",
    "acre",
    "acres",
    "m3",
    "m³",
    "km²",
    "km2",
    "cm²",
    "°c",
    "°f",
    "%",
    "kcal",
    "kj",
    "mph",
    "km/h",
    "bar",
    "psi",
    "mg/l",
    "mmol/l",
    "mg/dl",
];

/// Whether a whole cell is a unit of amounts.
pub(crate) fn is_of_amounts(text: &str) -> bool {
    let folded = text.trim_end_matches('.').to_lowercase();
    measure_of(&folded).is_some()
        || power_between(&folded, &folded).is_some()
        || OTHER_UNITS.contains(&folded.as_str())
}

/// Whether two words name the same unit: `min` and `minutes`.
pub(crate) fn are_equal(left: &str, right: &str) -> bool {
    let measure = measure_of(left);
    measure.is_some()
        && measure == measure_of(right)
        && measure.is_some_and(|measure| factor(left, measure) == factor(right, measure))
}

/// A length of time as a clock shows it, in nanoseconds, and whether it has hours: `1:10:39`, `24:18`, `8:12.4`. With hours and parts of
/// a second it would be a time of a day.
pub(crate) fn clock(cell: &str) -> Option<(i64, bool)> {
    let (whole, fraction) = cell.split_once(['.', ',']).unwrap_or((cell, ""));
    let is_fine = whole.len() < cell.len();
    if is_fine && (!(1..=3).contains(&fraction.len()) || !fraction.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return None;
    }
    let parts: Vec<&str> = whole.split(':').collect();
    let is_part = |(at, part): (usize, &&str)| {
        part.bytes().all(|byte| byte.is_ascii_digit())
            && if at == 0 { (1..=3).contains(&part.len()) } else { part.len() == 2 }
    };
    if !(2..=if is_fine { 2 } else { 3 }).contains(&parts.len()) || !parts.iter().enumerate().all(is_part) {
        return None;
    }
    let numbers: Vec<i64> = parts.iter().map(|part| part.parse().ok()).collect::<Option<_>>()?;
    if numbers[1..].iter().any(|number| *number > 59) {
        return None;
    }
    let seconds = numbers.iter().fold(0, |seconds, number| seconds * 60 + number);
    let nanos: i64 = if is_fine { format!("{fraction:0<9}").parse().ok()? } else { 0 };
    Some((seconds * 1_000_000_000 + nanos, parts.len() == 3))
}

/// Whether lengths of time of this unit are written as a clock shows them.
pub(crate) fn is_clock(unit: &str) -> bool {
    [CLOCK, SHORT_CLOCK, FINE_CLOCK].contains(&unit)
}

/// A number of seconds as a clock of that unit shows them; `None` if it is none of such a unit.
pub(crate) fn in_clock(number: Decimal, unit: &str) -> Option<String> {
    match unit {
        CLOCK | SHORT_CLOCK => Some(as_clock(number.round().to_i64()?, unit)),
        FINE_CLOCK => {
            let number = number.round_dp(3).normalize();
            let fraction = number.fract().abs().to_string();
            let fraction = fraction.split_once('.').map_or("0", |(_, digits)| digits);
            Some(format!("{}.{fraction}", as_clock(number.trunc().to_i64()?, SHORT_CLOCK)))
        }
        _ => None,
    }
}

fn as_clock(seconds: i64, unit: &str) -> String {
    let (hours, minutes, left) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours == 0 && unit == SHORT_CLOCK {
        format!("{minutes}:{left:02}")
    } else {
        format!("{hours}:{minutes:02}:{left:02}")
    }
}

/// Reads a length of time of several parts: `1m30s`, `2h 15min`. In nanoseconds.
pub(crate) fn compound(cell: &str) -> Option<i64> {
    if cell.len() > 40 || !cell.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let mut rest = cell;
    let mut total: i64 = 0;
    let mut before = i64::MAX;
    let mut count = 0;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).filter(|digits| *digits > 0)?;
        let amount: i64 = rest[..digits].parse().ok()?;
        // Only the last part has decimals: `2m27.7s`.
        let decimals = rest[digits..].strip_prefix(['.', ',']).map_or("", |behind| {
            &behind[..behind.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(behind.len())]
        });
        let behind = &rest[digits + if decimals.is_empty() { 0 } else { decimals.len() + 1 }..];
        let behind = behind.trim_start();
        let letters = behind.find(|letter: char| !letter.is_alphabetic()).unwrap_or(behind.len());
        let factor = factor(&behind[..letters], Measure::Duration)?;
        if factor >= before {
            return None;
        }
        before = factor;
        total = total.checked_add(amount.checked_mul(factor)?)?;
        count += 1;
        rest = behind[letters..].trim_start();
        if !decimals.is_empty() {
            let fraction: i64 = decimals.get(..9).unwrap_or(decimals).parse().ok()?;
            let power = 10_i64.checked_pow(u32::try_from(decimals.len().min(9)).ok()?)?;
            total = total.checked_add(fraction.checked_mul(factor)? / power)?;
            if !rest.is_empty() {
                return None;
            }
        }
    }
    (count > 1).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_several_parts_add_up() {
        assert_eq!(compound("1m30s"), Some(90_000_000_000));
        assert_eq!(compound("2h 15min"), Some(8_100_000_000_000));
        assert_eq!(compound("2m27.7s"), Some(147_700_000_000));
        for cell in ["5s", "30s1m", "1x2s", "", "s", "1m30", "1.5m30s"] {
            assert_eq!(compound(cell), None, "{cell}");
        }
    }

    #[test]
    fn lengths_of_time_are_read_and_written_as_clocks_show_them() {
        assert_eq!(clock("1:10:39"), Some((4_239_000_000_000, true)));
        assert_eq!(clock("24:18"), Some((1_458_000_000_000, false)));
        assert_eq!(clock("8:12.4"), Some((492_400_000_000, false)));
        for cell in ["1:70:00", "12", "1:2:3", "a:10", "1:10:39 PM", "DNF", "1:10:39.5", "8:12.", "8:1.2"] {
            assert_eq!(clock(cell), None, "{cell}");
        }
        assert_eq!(as_clock(4239, CLOCK), "1:10:39");
        assert_eq!(as_clock(1458, CLOCK), "0:24:18");
        assert_eq!(as_clock(1458, SHORT_CLOCK), "24:18");
        assert_eq!(in_clock(Decimal::new(4924, 1), FINE_CLOCK).as_deref(), Some("8:12.4"));
        assert_eq!(in_clock(Decimal::from(480), FINE_CLOCK).as_deref(), Some("8:00.0"));
    }

    #[test]
    fn metric_units_differ_by_a_power_of_ten() {
        assert_eq!(power_between("m", "km"), Some(-3));
        assert_eq!(power_between("kg", "g"), Some(3));
        assert_eq!(power_between("mS/cm", "µS/cm"), Some(3));
        assert_eq!(power_between("kg", "km"), None);
    }

    #[test]
    fn units_and_currencies_are_told_apart() {
        assert_eq!(measure_of("ms"), Some(Measure::Duration));
        assert_eq!(measure_of("MiB"), Some(Measure::Size));
        assert_eq!(measure_of("kg"), None);
        assert_eq!(measure_of("SEK"), None);
        assert_eq!(currency("SEK"), Some("SEK"));
        assert_eq!(currency("€"), Some("EUR"));
        assert_eq!(shown(1_000_000, Measure::Duration), "ms");
    }
}
