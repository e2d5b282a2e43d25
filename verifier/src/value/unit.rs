//! The units that may stand beside a number.

use rust_decimal::Decimal;

/// What a unit measures, and how much of the base unit one of it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// Units of one kind can be converted into each other.
    pub kind: Kind,
    /// How many base units one unit is.
    pub factor: Decimal,
}

/// A kind of quantity, with its base unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Money of one currency, by its ISO 4217 code. Currencies are never converted.
    Currency(&'static str),
    /// Time in nanoseconds.
    Time,
    /// Data in bytes.
    Data,
    /// Mass in grams.
    Mass,
    /// Length in millimetres.
    Length,
    /// Hundredths.
    Percent,
    /// Temperature; scales are never converted.
    Temperature(&'static str),
    /// Things counted.
    Pieces,
}

impl Measure {
    /// Whether it is money, whose unit may stand before the number.
    pub fn is_currency(self) -> bool {
        matches!(self.kind, Kind::Currency(_))
    }
}

impl Kind {
    /// The base unit's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Currency(code) => code,
            Self::Time => "ns",
            Self::Data => "bytes",
            Self::Mass => "g",
            Self::Length => "mm",
            Self::Percent => "%",
            Self::Temperature(scale) => scale,
            Self::Pieces => "pieces",
        }
    }
}

const CURRENCIES: [(&str, &str); 6] =
    [("$", "USD"), ("€", "EUR"), ("£", "GBP"), ("¥", "JPY"), ("₹", "INR"), ("₿", "BTC")];

const CODES: [&str; 22] = [
    "USD", "EUR", "GBP", "JPY", "CHF", "CNY", "INR", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK",
    "HUF", "BRL", "MXN", "ZAR", "TRY", "BTC", "SATS",
];

/// Looks a unit up; single letters keep their case, everything else is read without regard to it.
pub fn measure(text: &str) -> Option<Measure> {
    if let Some(&(_, code)) = CURRENCIES.iter().find(|(symbol, _)| *symbol == text) {
        return Some(of(Kind::Currency(code), 1));
    }
    if let Some(&code) = CODES.iter().find(|code| code.eq_ignore_ascii_case(text)) {
        return Some(of(Kind::Currency(code), 1));
    }
    if text.chars().count() == 1 && text.chars().all(char::is_uppercase) && text != "B" {
        return None;
    }
    let (kind, factor) = match text.to_lowercase().as_str() {
        "euro" | "euros" => (Kind::Currency("EUR"), 1),
        "dollar" | "dollars" => (Kind::Currency("USD"), 1),
        "pound" | "pounds" => (Kind::Currency("GBP"), 1),
        "franken" | "francs" => (Kind::Currency("CHF"), 1),
        "sat" => (Kind::Currency("SATS"), 1),
        "ns" => (Kind::Time, 1),
        "us" | "µs" | "μs" => (Kind::Time, 1_000),
        "ms" | "msec" | "millisecond" | "milliseconds" => (Kind::Time, 1_000_000),
        "s" | "sec" | "secs" | "second" | "seconds" => (Kind::Time, 1_000_000_000),
        "min" | "mins" | "minute" | "minutes" => (Kind::Time, 60 * 1_000_000_000),
        "h" | "hr" | "hrs" | "hour" | "hours" => (Kind::Time, 3_600 * 1_000_000_000),
        "d" | "day" | "days" => (Kind::Time, 86_400 * 1_000_000_000),
        "b" | "byte" | "bytes" => (Kind::Data, 1),
        "kb" => (Kind::Data, 1_000),
        "mb" => (Kind::Data, 1_000_000),
        "gb" => (Kind::Data, 1_000_000_000),
        "tb" => (Kind::Data, 1_000_000_000_000),
        "kib" => (Kind::Data, 1 << 10),
        "mib" => (Kind::Data, 1 << 20),
        "gib" => (Kind::Data, 1 << 30),
        "tib" => (Kind::Data, 1 << 40),
        "g" | "gram" | "grams" => (Kind::Mass, 1),
        "kg" => (Kind::Mass, 1_000),
        "mm" => (Kind::Length, 1),
        "cm" => (Kind::Length, 10),
        // "m" is metres in one table and minutes in the next: it is not read as a unit at all.
        "metre" | "metres" | "meter" | "meters" => (Kind::Length, 1_000),
        "km" => (Kind::Length, 1_000_000),
        "%" | "percent" => (Kind::Percent, 1),
        "°c" => (Kind::Temperature("°C"), 1),
        "°f" => (Kind::Temperature("°F"), 1),
        "pcs" | "pieces" | "piece" => (Kind::Pieces, 1),
        _ => return None,
    };
    Some(of(kind, factor))
}

fn of(kind: Kind, factor: i64) -> Measure {
    Measure { kind, factor: Decimal::from(factor) }
}
