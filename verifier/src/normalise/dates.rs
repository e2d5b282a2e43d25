//! Dates with the month's name: `2 March 2026`, `March 2, 2026`, `2nd Mar. 2026`.

use crate::value::{Moment, Scalar};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Reads three words as a date.
pub(super) fn named(words: &[&str]) -> Option<Scalar> {
    let [first, second, year] = words else { return None };
    let year: u16 = bare(year).parse().ok().filter(|year| (1000..=9999).contains(year))?;
    let (day, month) = match month(first) {
        Some(month) => (day(second)?, month),
        None => (day(first)?, month(second)?),
    };
    Moment::parse(&format!("{year:04}-{month:02}-{day:02}")).map(Scalar::Moment)
}

/// Whether a word may begin a date with the month's name.
pub(super) fn is_month(word: &str) -> bool {
    month(word).is_some()
}

fn month(word: &str) -> Option<usize> {
    let word = bare(word).to_lowercase();
    if word.chars().count() < 3 {
        return None;
    }
    // "sept" is as common as "sep"; "ma" would be two months.
    MONTHS.iter().position(|month| month.starts_with(&word)).map(|at| at + 1)
}

fn day(word: &str) -> Option<u8> {
    let word = bare(word);
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

fn bare(word: &str) -> &str {
    word.trim_matches(['.', ',', ';', ')', '('])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_words_are_a_date_only_if_they_name_one() {
        let iso = |words: [&str; 3]| named(&words).map(|date| date.canonical());
        assert_eq!(iso(["2", "March", "2026"]).as_deref(), Some("2026-03-02"));
        assert_eq!(iso(["Mar.", "2nd,", "2026"]).as_deref(), Some("2026-03-02"));
        assert_eq!(iso(["31", "Feb", "2026"]), None);
        assert_eq!(iso(["2", "marching", "2026"]), None);
        assert_eq!(iso(["2", "ma", "2026"]), None);
        assert_eq!(iso(["2", "March", "26"]), None);
    }
}
