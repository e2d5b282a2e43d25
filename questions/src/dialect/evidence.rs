//! Whether what a model says it copied stands in the record.

use frlm_util::text::collapse_whitespace;
use frlm_verifier::value::{Quantity, anchor};
use rust_decimal::Decimal;

use crate::ingest::Record;

/// Finds a copied value in a record and returns it as it stands there, its unit included.
///
/// A value must stand as a whole: `42` is not a copy of `420`, `fail` none of `failed`. Where the
/// model reads a row in another form than the file holds (CSV), the value must stand in both, so
/// that a header's name is never taken for a value.
pub fn copied_from(record: &Record, value: &str) -> Option<String> {
    let found = anchor(record.prompt_text(), value)?;
    if record.shown.is_some() {
        // CSV doubles quotation marks inside quoted cells.
        anchor(&record.text, value).is_some().then_some(()).or_else(|| {
            let undoubled = record.text.replace("\"\"", "\"");
            anchor(&undoubled, value).map(|_| ())
        })?;
    }
    Some(found.to_owned())
}

/// Finds the number in a record that equals one a model wrote its own way (`118.4` for `118.40`).
pub fn number_from(record: &Record, amount: Decimal) -> Option<String> {
    let separates = |c: char| c.is_whitespace() || "=:;\"'()[]{}|".contains(c);
    let equals = |token: &&str| Quantity::parse(token).is_some_and(|found| found.amount == amount);
    let tokens = || record.text.split(separates).map(|token| token.trim_end_matches([',', '.']));
    tokens()
        .find(equals)
        .or_else(|| tokens().flat_map(|token| token.split(',')).find(equals))
        .map(str::to_owned)
}

/// Whether a quotation stands in a text, runs of space aside.
pub fn quote_stands(text: &str, quote: &str) -> bool {
    let quote = collapse_whitespace(quote);
    !quote.is_empty() && collapse_whitespace(text).contains(&quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(text: &str, shown: Option<&str>) -> Record {
        Record { line: 1, text: text.into(), shown: shown.map(Into::into) }
    }

    #[test]
    fn a_whole_value_stands_and_a_part_of_one_does_not() {
        let text = "2026-03-02T08:14:07Z order=40117 user=mara.lindt amount=118.40 took 412ms loss=-5 $7";
        let stands = [
            ("40117", "40117"),
            ("mara.lindt", "mara.lindt"),
            ("118.40", "118.40"),
            ("412", "412ms"),
            ("412ms", "412ms"),
            ("-5", "-5"),
            ("7", "$7"),
            ("2026-03-02", "2026-03-02"),
            ("2026-03-02T08:14:07Z", "2026-03-02T08:14:07Z"),
        ];
        for (value, found) in stands {
            assert_eq!(copied_from(&record(text, None), value).as_deref(), Some(found), "{value}");
        }
        for value in [
            "4011",
            "0117",
            "mara.lind",
            "118",
            "40",
            "41",
            "5",
            "ms",
            "lindt",
            "mara",
            "lindt amount",
            "failed",
            "",
            " ",
        ] {
            assert_eq!(copied_from(&record(text, None), value), None, "{value}");
        }
    }

    #[test]
    fn a_header_name_is_no_value_of_a_csv_row() {
        let row = record("17,\"a \"\"b\"\" c\",failed", Some("id: 17, note: a \"b\" c, status: failed"));
        assert_eq!(copied_from(&row, "failed").as_deref(), Some("failed"));
        assert_eq!(copied_from(&row, "a \"b\" c").as_deref(), Some("a \"b\" c"));
        assert_eq!(copied_from(&row, "status"), None);
    }

    #[test]
    fn a_number_is_found_in_the_spelling_of_the_record() {
        let text = record("a=6,288.95 b=118.40, c 12ms", None);
        assert_eq!(number_from(&text, Decimal::new(1_184, 1)).as_deref(), Some("118.40"));
        assert_eq!(number_from(&text, Decimal::new(628_895, 2)).as_deref(), Some("6,288.95"));
        assert_eq!(number_from(&text, Decimal::new(12, 0)).as_deref(), Some("12ms"));
        assert_eq!(number_from(&text, Decimal::new(288, 0)), None);
    }

    #[test]
    fn quotes_may_differ_in_space_only() {
        assert!(quote_stands("a  b\tc", "b c"));
        assert!(!quote_stands("a b c", "a c"));
        assert!(!quote_stands("a b c", "  "));
    }
}
