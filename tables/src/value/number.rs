//! Numbers as people write them. What a separator means is decided for a whole column, never for one cell.

use rust_decimal::Decimal;

use super::unit;

/// Most significant digits that a double keeps: what a column of decimals may have and still be exact.
pub(crate) const EXACT_DIGITS: u32 = 15;

/// Which sign stands before the decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Separator {
    /// `1,234.56`
    Point,
    /// `1.234,56`
    Comma,
}

/// What a cell tells about the decimal separator of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// No separator, or one that cannot be a decimal one.
    None,
    /// Only readable with a decimal point.
    Point,
    /// Only readable with a decimal comma.
    Comma,
    /// `1.234`: a decimal point, or a group of a decimal comma.
    EitherByPoint,
    /// `1,234`: a decimal comma, or a group of a decimal point.
    EitherByComma,
}

/// A cell that looks like a number, before its separators are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Written<'a> {
    pub negative: bool,
    pub percent: bool,
    pub currency: Option<&'static str>,
    /// Letters behind the number that are no currency, as written.
    pub unit: Option<&'a str>,
    /// Digits and separators.
    body: &'a str,
    pub evidence: Evidence,
    /// Digits with a zero in front that is none of a number: `00417`.
    pub is_code: bool,
}

/// Reads a cell as a number, if it is one under some locale.
pub(crate) fn written(cell: &str) -> Option<Written<'_>> {
    let mut rest = cell.trim();
    if rest.is_empty() || rest.len() > 48 || !rest.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut negative = false;
    if let Some(inner) = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        negative = true;
        rest = inner.trim();
    }
    let mut currency = None;
    // A sign may stand before or behind the currency.
    for _ in 0..2 {
        if let Some(after) = rest.strip_prefix(['-', '−', '–']) {
            if negative {
                return None;
            }
            negative = true;
            rest = after.trim_start();
        } else if let Some(after) = rest.strip_prefix('+') {
            rest = after.trim_start();
        }
        if currency.is_none() {
            let length = rest.find(|letter: char| {
                letter.is_ascii_digit() || matches!(letter, '-' | '−' | '+' | '.' | ',' | ' ')
            })?;
            if length > 0 {
                currency = Some(unit::currency(&rest[..length])?);
                rest = rest[length..].trim_start();
            }
        }
    }
    let end =
        rest.char_indices().find(|(_, letter)| !is_of_a_body(*letter)).map_or(rest.len(), |(index, _)| index);
    let (body, tail) = rest.split_at(end);
    let body = body.trim_end();
    let mut tail = tail.trim();
    // `1.2e-7` and other programs' notation.
    if let Some(exponent) = tail.strip_prefix(['e', 'E'])
        && !exponent.is_empty()
        && rest.parse::<f64>().is_ok()
    {
        return Some(Written {
            negative,
            percent: false,
            currency,
            unit: None,
            body: rest,
            evidence: Evidence::Point,
            is_code: false,
        });
    }
    let mut percent = false;
    let mut found_unit = None;
    let (body, trailing_minus) = body.strip_suffix('-').map_or((body, false), |body| (body, true));
    if trailing_minus {
        if negative {
            return None;
        }
        negative = true;
    }
    if let Some(after) = tail.strip_prefix('%') {
        percent = true;
        tail = after;
    } else if !tail.is_empty() {
        // `2 Std.`
        tail = tail.strip_suffix('.').filter(|unit| unit::measure_of(unit).is_some()).unwrap_or(tail);
        if let Some(code) = unit::currency(tail) {
            if currency.is_some_and(|other| other != code) {
                return None;
            }
            currency = Some(code);
        } else if tail.len() <= 16
            && tail.chars().all(|letter| letter.is_alphabetic() || "/²³µ°".contains(letter))
        {
            found_unit = Some(tail);
        } else {
            return None;
        }
        tail = "";
    }
    if !tail.is_empty() {
        return None;
    }
    let evidence = evidence(body)?;
    let digits = body.as_bytes();
    let is_code = digits.len() > 1 && digits[0] == b'0' && digits.iter().all(u8::is_ascii_digit);
    Some(Written { negative, percent, currency, unit: found_unit, body, evidence, is_code })
}

fn is_of_a_body(letter: char) -> bool {
    letter.is_ascii_digit()
        || matches!(letter, '.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '_' | '-')
}

fn is_neutral_group(byte: char) -> bool {
    matches!(byte, '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '_')
}

/// What the separators of a body say, `None` if they make no number at all.
fn evidence(body: &str) -> Option<Evidence> {
    if body.bytes().all(|byte| byte.is_ascii_digit()) {
        return (!body.is_empty()).then_some(Evidence::None);
    }
    if body.len() > 18
        && body.starts_with(|first: char| first.is_ascii_digit())
        && body.parse::<f64>().is_ok()
    {
        return Some(Evidence::Point);
    }
    let point = parse_body(body, Separator::Point).is_some();
    let comma = parse_body(body, Separator::Comma).is_some();
    let has_comma = body.contains(',');
    let has_point = body.contains('.');
    match (point, comma) {
        (false, false) => None,
        (true, false) => Some(if has_comma || has_point { Evidence::Point } else { Evidence::None }),
        (false, true) => Some(if has_comma || has_point { Evidence::Comma } else { Evidence::None }),
        (true, true) if has_comma => Some(Evidence::EitherByComma),
        (true, true) if has_point => Some(Evidence::EitherByPoint),
        (true, true) => Some(Evidence::None),
    }
}

/// The digits of a body without separators, and how many of them are decimals.
fn parse_body(body: &str, separator: Separator) -> Option<(i64, u32)> {
    let (decimal, group) = match separator {
        Separator::Point => ('.', ','),
        Separator::Comma => (',', '.'),
    };
    let (whole, decimals) = match body.split_once(decimal) {
        Some((whole, decimals)) => (whole, decimals),
        None => (body, ""),
    };
    if !decimals.bytes().all(|byte| byte.is_ascii_digit()) || (body.contains(decimal) && decimals.is_empty())
    {
        return None;
    }
    let mut mantissa: i64 = 0;
    let mut push = |digit: u8| -> Option<()> {
        mantissa = mantissa.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
        Some(())
    };
    let mut in_group = 0_u32;
    let mut grouped: Option<char> = None;
    let mut seen = 0_u32;
    for letter in whole.chars() {
        if letter.is_ascii_digit() {
            push(letter as u8)?;
            seen += 1;
            in_group += 1;
        } else if letter == group || is_neutral_group(letter) {
            // A first group of one to three digits that is not zero alone, then threes, all by one sign.
            let first_is_fine = grouped.is_some() || (seen <= 3 && mantissa_is_no_zero(whole));
            if seen == 0 || !first_is_fine || grouped.is_some_and(|sign| sign != letter || in_group != 3) {
                return None;
            }
            grouped = Some(letter);
            in_group = 0;
        } else {
            return None;
        }
    }
    if grouped.is_some() && in_group != 3 {
        return None;
    }
    if seen == 0 && decimals.is_empty() {
        return None;
    }
    for digit in decimals.bytes() {
        push(digit)?;
    }
    Some((mantissa, u32::try_from(decimals.len()).ok()?))
}

fn mantissa_is_no_zero(whole: &str) -> bool {
    !whole.starts_with('0')
}

/// A number with its decimals, exact if it has few enough digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Numeral {
    Exact {
        mantissa: i64,
        scale: u32,
    },
    /// More digits than are kept.
    Rounded(f64),
}

impl Written<'_> {
    /// The number under a separator. Percentages are in hundredths, as written.
    pub fn read(&self, separator: Separator) -> Option<Numeral> {
        let sign = if self.negative { -1 } else { 1 };
        if let Some((mantissa, scale)) = parse_body(self.body, separator) {
            return Some(Numeral::Exact { mantissa: sign * mantissa, scale });
        }
        if self.evidence == Evidence::Point || self.evidence == Evidence::None {
            let plain: String =
                self.body.chars().filter(|letter| !is_neutral_group(*letter) && *letter != ',').collect();
            let value = plain.parse::<f64>().ok().filter(|value| value.is_finite())?;
            if self.body.contains(['e', 'E']) || self.body.len() > 18 {
                let value = if self.negative { -value } else { value };
                return Some(Numeral::Rounded(value));
            }
        }
        None
    }
}

impl Numeral {
    /// As a decimal, rounded if it has too many digits.
    pub fn decimal(self) -> Option<Decimal> {
        match self {
            Self::Exact { mantissa, scale } => Decimal::try_new(mantissa, scale).ok(),
            Self::Rounded(value) => Decimal::try_from(value).ok(),
        }
    }

    /// Multiplied by a factor over another, as whole digits, if that is exact.
    pub fn scaled(self, times: i64, by: i64) -> Option<Self> {
        let Self::Exact { mantissa, scale } = self else { return None };
        let value = Decimal::try_new(mantissa, scale).ok()?.checked_mul(Decimal::from(times))?;
        let value = value.checked_div(Decimal::from(by))?.normalize();
        let mantissa = i64::try_from(value.mantissa()).ok()?;
        Some(Self::Exact { mantissa, scale: value.scale() })
    }
}

/// How many digits a mantissa has at a scale.
pub(crate) fn digits_at(mantissa: i64, scale: u32, wanted: u32) -> u32 {
    let digits = mantissa.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
    digits + wanted.saturating_sub(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cell: &str, separator: Separator) -> Option<String> {
        Some(written(cell)?.read(separator)?.decimal()?.to_string())
    }

    #[test]
    fn one_cell_reads_differently_under_another_locale() {
        assert_eq!(read("109,000", Separator::Point).as_deref(), Some("109000"));
        assert_eq!(read("109,000", Separator::Comma).as_deref(), Some("109.000"));
        assert_eq!(read("6.681,88", Separator::Comma).as_deref(), Some("6681.88"));
        assert_eq!(read("6.681,88", Separator::Point), None);
        assert_eq!(read("1 234,56", Separator::Comma).as_deref(), Some("1234.56"));
        assert_eq!(read("1'234.56", Separator::Point).as_deref(), Some("1234.56"));
    }

    #[test]
    fn signs_currencies_and_percent_are_read() {
        assert_eq!(read("(45.00)", Separator::Point).as_deref(), Some("-45.00"));
        assert_eq!(read("-$1,204.50", Separator::Point).as_deref(), Some("-1204.50"));
        assert_eq!(read("$-12", Separator::Point).as_deref(), Some("-12"));
        assert_eq!(read("99,21 €", Separator::Comma).as_deref(), Some("99.21"));
        assert_eq!(read("EUR 5", Separator::Comma).as_deref(), Some("5"));
        assert_eq!(read("12-", Separator::Point).as_deref(), Some("-12"));
        assert!(written("45 %").unwrap().percent);
        assert_eq!(written("12 kg").unwrap().unit, Some("kg"));
        assert_eq!(written("1,5 Std.").unwrap().unit, Some("Std"));
    }

    #[test]
    fn what_is_no_number_is_none() {
        for cell in [
            "",
            "-",
            "1.2.3",
            "12-34",
            "10.0.0.1",
            "1,23,456",
            "n/a",
            "v2",
            "2026-03-04",
            "1 23",
            "$",
            "--5",
            "0.0.1",
        ] {
            assert_eq!(written(cell), None, "{cell}");
        }
    }

    #[test]
    fn evidence_tells_which_separator_it_is() {
        let evidence = |cell| written(cell).unwrap().evidence;
        assert_eq!(evidence("12"), Evidence::None);
        assert_eq!(evidence("1,234"), Evidence::EitherByComma);
        assert_eq!(evidence("1.234"), Evidence::EitherByPoint);
        assert_eq!(evidence("0.123"), Evidence::Point);
        assert_eq!(evidence("12,5"), Evidence::Comma);
        assert_eq!(evidence("1234.567"), Evidence::Point);
        assert_eq!(evidence("1,234,567"), Evidence::Point);
    }

    #[test]
    fn codes_keep_their_zeros() {
        assert!(written("00417").unwrap().is_code);
        assert!(!written("0").unwrap().is_code);
    }
}
