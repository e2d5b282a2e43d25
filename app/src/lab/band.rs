//! What several runs of the same thing came to.

use serde::Serialize;

/// Median, lowest and highest of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Band {
    /// In the middle.
    pub median: f64,
    /// Lowest.
    pub low: f64,
    /// Highest.
    pub high: f64,
}

impl Band {
    /// Of these values; of none, no numbers.
    pub fn over(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let median = match values.len() {
            0 => f64::NAN,
            count if count % 2 == 1 => values[middle],
            _ => f64::midpoint(values[middle - 1], values[middle]),
        };
        let end = |value: Option<&f64>| value.copied().unwrap_or(f64::NAN);
        Self { median, low: end(values.first()), high: end(values.last()) }
    }
}
