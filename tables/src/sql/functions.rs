//! What SQLite lacks: exact sums, medians, words.

use std::collections::BTreeMap;
use std::panic::{RefUnwindSafe, UnwindSafe};

use jiff::civil::Date;
use regex::{Regex, RegexBuilder};
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Result};
use rust_decimal::Decimal;

use crate::words;

/// Largest compiled regular expression, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Adds the functions to a connection.
pub(crate) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_aggregate_function("exact_sum", 2, flags, ExactSum)?;
    connection.create_aggregate_function("exact_avg", 2, flags, ExactAverage)?;
    connection.create_aggregate_function("median", 1, flags, Quantile)?;
    connection.create_aggregate_function("percentile", 2, flags, Quantile)?;
    connection.create_aggregate_function("stddev", 1, flags, Deviation)?;
    connection.create_aggregate_function("most_common", 1, flags, MostCommon)?;
    text_function(connection, "fold", 1, |texts| Value::Text(words::fold(texts[0])))?;
    text_function(connection, "has_text", 2, |texts| {
        truth(words::fold(texts[0]).contains(&words::fold(texts[1])))
    })?;
    text_function(connection, "starts_with", 2, |texts| {
        truth(words::fold(texts[0]).starts_with(&words::fold(texts[1])))
    })?;
    text_function(connection, "ends_with", 2, |texts| {
        truth(words::fold(texts[0]).ends_with(&words::fold(texts[1])))
    })?;
    text_function(connection, "has_words", 2, |texts| truth(has_words(texts[0], texts[1])))?;
    connection.create_scalar_function("text_part", 2, flags, |context| {
        let Some(text) = text_of(context, 0) else { return Ok(Value::Null) };
        let pattern = context.get_or_create_aux(
            1,
            |value| -> std::result::Result<_, Box<dyn std::error::Error + Send + Sync>> {
                Ok(compiled(value.as_str()?)?)
            },
        )?;
        Ok(text_part(&pattern, &text).map_or(Value::Null, |part| Value::Text(part.to_owned())))
    })?;
    text_function(connection, "iso_week", 1, |texts| iso_week(texts[0]).map_or(Value::Null, Value::Text))?;
    connection.create_scalar_function("matches", 2, flags, |context| {
        let Some(text) = text_of(context, 0) else { return Ok(Value::Null) };
        let pattern = context.get_or_create_aux(
            1,
            |value| -> std::result::Result<_, Box<dyn std::error::Error + Send + Sync>> {
                Ok(compiled(value.as_str()?)?)
            },
        )?;
        Ok(truth(pattern.is_match(&text)))
    })
}

fn truth(value: bool) -> Value {
    Value::Integer(i64::from(value))
}

fn text_function<F>(connection: &Connection, name: &str, arguments: i32, function: F) -> Result<()>
where
    F: Fn(&[&str]) -> Value + Send + UnwindSafe + RefUnwindSafe + 'static,
{
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(name, arguments, flags, move |context| {
        let mut texts: Vec<String> = Vec::with_capacity(2);
        for index in 0..context.len() {
            let Some(text) = text_of(context, index) else { return Ok(Value::Null) };
            texts.push(text);
        }
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok(function(&borrowed))
    })
}

fn text_of(context: &Context<'_>, index: usize) -> Option<String> {
    match context.get_raw(index) {
        ValueRef::Null | ValueRef::Blob(_) => None,
        ValueRef::Integer(value) => Some(value.to_string()),
        ValueRef::Real(value) => Some(value.to_string()),
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// A pattern without regard to case, of bounded size.
pub(crate) fn compiled(pattern: &str) -> std::result::Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(true).size_limit(MAX_PATTERN_BYTES).build()
}

/// What the first group of a pattern matches in a text, or the pattern itself if it has none.
fn text_part<'t>(pattern: &Regex, text: &'t str) -> Option<&'t str> {
    let found = pattern.captures(text)?;
    found.get(1).or_else(|| found.get(0)).map(|part| part.as_str().trim()).filter(|part| !part.is_empty())
}

/// Whether a text holds some words, whole and in order, next to each other.
pub(crate) fn has_words(text: &str, wanted: &str) -> bool {
    let text = words::fold(text);
    let wanted = words::fold(wanted);
    if wanted.is_empty() {
        return false;
    }
    let is_word =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let (starts_word, ends_word) = (is_word(wanted.chars().next()), is_word(wanted.chars().next_back()));
    text.match_indices(&wanted).any(|(start, found)| {
        let before = text[..start].chars().next_back();
        let after = text[start + found.len()..].chars().next();
        !(starts_word && is_word(before) || ends_word && is_word(after))
    })
}

fn iso_week(text: &str) -> Option<String> {
    let date: Date = text.get(..10)?.parse().ok()?;
    let week = date.iso_week_date();
    Some(format!("{:04}-W{:02}", week.year(), week.week()))
}

fn real(context: &Context<'_>, index: usize) -> Option<f64> {
    match context.get_raw(index) {
        #[expect(clippy::cast_precision_loss, reason = "statistics of large integers are rounded")]
        ValueRef::Integer(value) => Some(value as f64),
        ValueRef::Real(value) => Some(value),
        _ => None,
    }
}

/// A sum of decimals, in units of the last.
#[derive(Default)]
struct Sum {
    total: i128,
    count: i64,
    scale: u32,
}

impl Sum {
    fn add(&mut self, context: &Context<'_>) -> Result<()> {
        self.scale = u32::try_from(context.get::<i64>(1)?).unwrap_or(0).min(18);
        let units = match context.get_raw(0) {
            ValueRef::Integer(value) => i128::from(value) * 10_i128.pow(self.scale),
            ValueRef::Real(value) => {
                let scaled = value * 10_f64.powi(i32::try_from(self.scale).unwrap_or(0));
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a double of at most 15 digits in whole units fits"
                )]
                let units = scaled.round() as i128;
                units
            }
            _ => return Ok(()),
        };
        self.total = self.total.checked_add(units).ok_or_else(too_large)?;
        self.count += 1;
        Ok(())
    }

    fn decimal(&self) -> Result<Decimal> {
        Decimal::try_from_i128_with_scale(self.total, self.scale).map_err(|_| too_large())
    }
}

fn too_large() -> rusqlite::Error {
    rusqlite::Error::UserFunctionError("the sum is too large to be exact".into())
}

/// A decimal as SQLite holds it: whole, or a double that has the same digits.
fn value_of(decimal: Decimal) -> Result<Value> {
    use rust_decimal::prelude::ToPrimitive as _;
    let decimal = decimal.normalize();
    if decimal.scale() == 0 {
        return decimal.to_i64().map(Value::Integer).ok_or_else(too_large);
    }
    decimal.to_string().parse().map(Value::Real).map_err(|_| too_large())
}

/// The text that stands in the most rows; of several the first in order.
struct MostCommon;

impl Aggregate<BTreeMap<String, u64>, Value> for MostCommon {
    fn init(&self, _: &mut Context<'_>) -> Result<BTreeMap<String, u64>> {
        Ok(BTreeMap::new())
    }

    fn step(&self, context: &mut Context<'_>, rows: &mut BTreeMap<String, u64>) -> Result<()> {
        let Some(text) = text_of(context, 0) else { return Ok(()) };
        *rows.entry(text).or_default() += 1;
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, rows: Option<BTreeMap<String, u64>>) -> Result<Value> {
        let mut most = (Value::Null, 0);
        for (text, count) in rows.unwrap_or_default() {
            if count > most.1 {
                most = (Value::Text(text), count);
            }
        }
        Ok(most.0)
    }
}

struct ExactSum;

impl Aggregate<Sum, Value> for ExactSum {
    fn init(&self, _: &mut Context<'_>) -> Result<Sum> {
        Ok(Sum::default())
    }

    fn step(&self, context: &mut Context<'_>, sum: &mut Sum) -> Result<()> {
        sum.add(context)
    }

    fn finalize(&self, _: &mut Context<'_>, sum: Option<Sum>) -> Result<Value> {
        match sum {
            Some(sum) if sum.count > 0 => {
                let decimal = sum.decimal()?;
                // More digits than a double keeps would be shown wrong.
                if decimal.scale() > 0
                    && decimal.normalize().mantissa().unsigned_abs() >= 1_000_000_000_000_000
                {
                    return Ok(Value::Text(decimal.normalize().to_string()));
                }
                value_of(decimal)
            }
            _ => Ok(Value::Null),
        }
    }
}

struct ExactAverage;

impl Aggregate<Sum, Value> for ExactAverage {
    fn init(&self, _: &mut Context<'_>) -> Result<Sum> {
        Ok(Sum::default())
    }

    fn step(&self, context: &mut Context<'_>, sum: &mut Sum) -> Result<()> {
        sum.add(context)
    }

    fn finalize(&self, _: &mut Context<'_>, sum: Option<Sum>) -> Result<Value> {
        match sum {
            Some(sum) if sum.count > 0 => {
                let average = sum.decimal()?.checked_div(Decimal::from(sum.count)).ok_or_else(too_large)?;
                value_of(average.round_dp(12))
            }
            _ => Ok(Value::Null),
        }
    }
}

/// The values of a group and the wanted share of them.
struct Values {
    values: Vec<f64>,
    share: f64,
}

struct Quantile;

impl Aggregate<Values, Option<f64>> for Quantile {
    fn init(&self, _: &mut Context<'_>) -> Result<Values> {
        Ok(Values { values: Vec::new(), share: 0.5 })
    }

    fn step(&self, context: &mut Context<'_>, values: &mut Values) -> Result<()> {
        if context.len() > 1 {
            values.share = real(context, 1).unwrap_or(50.0).clamp(0.0, 100.0) / 100.0;
        }
        if let Some(value) = real(context, 0) {
            values.values.push(value);
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, values: Option<Values>) -> Result<Option<f64>> {
        let Some(mut values) = values.filter(|values| !values.values.is_empty()) else { return Ok(None) };
        values.values.sort_by(f64::total_cmp);
        let last = values.values.len() - 1;
        let place = values.share * last as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
        let below = (place.floor() as usize).min(last);
        let above = (below + 1).min(last);
        let between = place - below as f64;
        let low = values.values[below];
        Ok(Some(low + (values.values[above] - low) * between))
    }
}

/// Welford's running mean and squares.
#[derive(Default)]
struct Spread {
    count: f64,
    mean: f64,
    squares: f64,
}

struct Deviation;

impl Aggregate<Spread, Option<f64>> for Deviation {
    fn init(&self, _: &mut Context<'_>) -> Result<Spread> {
        Ok(Spread::default())
    }

    fn step(&self, context: &mut Context<'_>, spread: &mut Spread) -> Result<()> {
        if let Some(value) = real(context, 0) {
            spread.count += 1.0;
            let from_old = value - spread.mean;
            spread.mean += from_old / spread.count;
            spread.squares += from_old * (value - spread.mean);
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, spread: Option<Spread>) -> Result<Option<f64>> {
        Ok(spread
            .filter(|spread| spread.count > 1.0)
            .map(|spread| (spread.squares / (spread.count - 1.0)).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(sql: &str) -> Value {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn sums_of_decimals_are_exact() {
        let rows = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 1000)";
        assert_eq!(one(&format!("{rows} SELECT exact_sum(0.1, 2) FROM c")), Value::Integer(100));
        assert_eq!(
            one("SELECT exact_sum(x, 2) FROM (SELECT 0.1 AS x UNION ALL SELECT 0.2)"),
            Value::Real(0.3)
        );
        assert_eq!(one("SELECT exact_avg(x, 0) FROM (SELECT 1 AS x UNION ALL SELECT 2)"), Value::Real(1.5));
        assert_eq!(one("SELECT exact_sum(NULL, 2)"), Value::Null);
    }

    #[test]
    fn the_most_common_spelling_stands_for_the_others() {
        let rows = "(SELECT 'CAT' AS x UNION ALL SELECT 'Cat' UNION ALL SELECT 'Cat' UNION ALL SELECT NULL)";
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(one(&format!("SELECT most_common(x) FROM {rows}")), text("Cat"));
        assert_eq!(
            one("SELECT most_common(x) FROM (SELECT 'b' AS x UNION ALL SELECT 'a')"),
            text("a"),
            "of two that are as common, one and always the same"
        );
        assert_eq!(one("SELECT most_common(NULL)"), Value::Null);
    }

    #[test]
    fn medians_and_percentiles_interpolate() {
        let rows = "(SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 10)";
        assert_eq!(one(&format!("SELECT median(x) FROM {rows}")), Value::Real(2.5));
        assert_eq!(one(&format!("SELECT percentile(x, 100) FROM {rows}")), Value::Real(10.0));
        assert_eq!(
            one("SELECT stddev(x) FROM (SELECT 2 AS x UNION ALL SELECT 4)"),
            Value::Real(2.0_f64.sqrt())
        );
    }

    #[test]
    fn words_are_whole_and_case_does_not_count() {
        assert!(has_words("License: MIT", "mit"));
        assert!(!has_words("eventEMITter3", "MIT"));
        assert!(has_words("GET /a 404", "404"));
        assert!(!has_words("", ""));
    }
}
