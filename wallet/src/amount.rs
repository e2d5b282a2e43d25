//! Amounts of money. Whole numbers only.

use std::fmt;
use std::iter::Sum;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Millisats in a sat.
const MSATS_PER_SAT: u64 = 1_000;

/// Whole sats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sats(pub u64);

/// Thousandths of a sat, as NIP-90 and Lightning quote prices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Msats(pub u64);

/// Why a text is no amount.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// Not even one digit.
    #[error("an amount is missing; write a whole number such as 1000")]
    Empty,
    /// A minus sign.
    #[error("`{text}`: an amount cannot be negative")]
    Negative {
        /// As it was written.
        text: String,
    },
    /// A decimal point.
    #[error("`{text}`: an amount is a whole number of {unit}")]
    Fraction {
        /// As it was written.
        text: String,
        /// What is counted.
        unit: &'static str,
    },
    /// Anything else.
    #[error("`{text}` is no amount; write a whole number of {unit} such as 1000")]
    NotANumber {
        /// As it was written.
        text: String,
        /// What is counted.
        unit: &'static str,
    },
    /// Over 64 bits.
    #[error("`{text}` is more {unit} than there are")]
    TooLarge {
        /// As it was written.
        text: String,
        /// What is counted.
        unit: &'static str,
    },
}

macro_rules! amount {
    ($amount:ident, $unit:literal, $singular:literal) => {
        impl $amount {
            /// Nothing.
            pub const ZERO: Self = Self(0);

            /// The sum, or nothing beyond 64 bits.
            #[must_use]
            pub fn checked_add(self, other: Self) -> Option<Self> {
                self.0.checked_add(other.0).map(Self)
            }

            /// The difference, or nothing below zero.
            #[must_use]
            pub fn checked_sub(self, other: Self) -> Option<Self> {
                self.0.checked_sub(other.0).map(Self)
            }

            /// The amount for several of the same price, or nothing beyond 64 bits.
            #[must_use]
            pub fn checked_mul(self, count: u64) -> Option<Self> {
                self.0.checked_mul(count).map(Self)
            }

            /// The sum, at most the largest amount.
            #[must_use]
            pub fn saturating_add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }

            /// The difference, at least zero.
            #[must_use]
            pub fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }
        }

        impl fmt::Display for $amount {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_grouped(formatter, self.0)?;
                formatter.write_str(if self.0 == 1 { concat!(" ", $singular) } else { concat!(" ", $unit) })
            }
        }

        impl FromStr for $amount {
            type Err = AmountError;

            /// Reads `1000`, `1,000`, `1_000` and each with the unit behind it.
            fn from_str(text: &str) -> Result<Self, AmountError> {
                parse(text, $unit, $singular).map(Self)
            }
        }

        impl Sum for $amount {
            /// Saturates, so that a sum can only be too careful when it is compared with a limit.
            fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
                amounts.fold(Self::ZERO, Self::saturating_add)
            }
        }
    };
}

amount!(Sats, "sats", "sat");
amount!(Msats, "msats", "msat");

impl Msats {
    /// The whole sats that cover this amount: prices are rounded up (design, money).
    #[must_use]
    pub fn ceil_to_sats(self) -> Sats {
        Sats(self.0.div_ceil(MSATS_PER_SAT))
    }
}

impl Sats {
    /// The same amount in thousandths, or nothing beyond 64 bits.
    #[must_use]
    pub fn to_msats(self) -> Option<Msats> {
        self.0.checked_mul(MSATS_PER_SAT).map(Msats)
    }
}

fn write_grouped(formatter: &mut fmt::Formatter<'_>, amount: u64) -> fmt::Result {
    let digits = amount.to_string();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            formatter.write_str(",")?;
        }
        write!(formatter, "{digit}")?;
    }
    Ok(())
}

fn parse(text: &str, unit: &'static str, singular: &str) -> Result<u64, AmountError> {
    let trimmed = text.trim();
    let number =
        trimmed.strip_suffix(unit).or_else(|| trimmed.strip_suffix(singular)).unwrap_or(trimmed).trim_end();
    if number.is_empty() {
        return Err(AmountError::Empty);
    }
    let text = trimmed.to_owned();
    if number.starts_with('-') {
        return Err(AmountError::Negative { text });
    }
    if number.contains('.') && number.bytes().all(|byte| byte.is_ascii_digit() || b".,_".contains(&byte)) {
        return Err(AmountError::Fraction { text, unit });
    }
    if !is_grouped(number) {
        return Err(AmountError::NotANumber { text, unit });
    }
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    digits.parse().map_err(|_| AmountError::TooLarge { text, unit })
}

/// Digits, or digits in groups of three: `1,5` may be meant as a fraction and is refused.
fn is_grouped(number: &str) -> bool {
    let mut groups = number.split([',', '_']);
    let all_digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    groups.next().is_some_and(all_digits) && groups.all(|group| group.len() == 3 && all_digits(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn millisats_round_up_to_sats() {
        for (msats, sats) in
            [(0, 0), (1, 1), (999, 1), (1_000, 1), (1_001, 2), (u64::MAX, 18_446_744_073_709_552)]
        {
            assert_eq!(Msats(msats).ceil_to_sats(), Sats(sats));
        }
    }

    #[test]
    fn amounts_are_displayed_in_groups_of_three() {
        for (amount, shown) in [(0, "0 sats"), (1, "1 sat"), (999, "999 sats"), (1_234_567, "1,234,567 sats")]
        {
            assert_eq!(Sats(amount).to_string(), shown);
        }
        assert_eq!(Msats(1_234).to_string(), "1,234 msats");
    }

    #[test]
    fn what_is_displayed_can_be_read() {
        for amount in [0, 1, 12, 1_000, u64::MAX] {
            assert_eq!(Sats(amount).to_string().parse(), Ok(Sats(amount)));
        }
        assert_eq!(" 1_000 sats ".parse(), Ok(Sats(1_000)));
    }

    #[test]
    fn a_text_that_is_no_amount_says_why() {
        let message = |text: &str| text.parse::<Sats>().unwrap_err().to_string();
        assert_eq!(message("-5"), "`-5`: an amount cannot be negative");
        assert_eq!(message("1.5"), "`1.5`: an amount is a whole number of sats");
        assert_eq!(message("1,5"), "`1,5` is no amount; write a whole number of sats such as 1000");
        assert_eq!(message("many"), "`many` is no amount; write a whole number of sats such as 1000");
        assert_eq!(message(""), "an amount is missing; write a whole number such as 1000");
        assert!(message("18446744073709551616").contains("more sats than there are"));
    }

    #[test]
    fn arithmetic_never_wraps() {
        assert_eq!(Sats(u64::MAX).checked_add(Sats(1)), None);
        assert_eq!(Sats(1).checked_sub(Sats(2)), None);
        assert_eq!(Sats(1).saturating_sub(Sats(2)), Sats::ZERO);
        assert_eq!(Sats(u64::MAX).to_msats(), None);
        assert_eq!([Sats(u64::MAX), Sats(1)].into_iter().sum::<Sats>(), Sats(u64::MAX));
    }
}
