//! One figure from several worlds.

use serde::Serialize;

/// Median, lowest and highest over the worlds.
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
    /// Of these values; not numbers if there are none.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_stands_between_the_ends() {
        assert_eq!(Band::over(vec![3.0, 1.0, 2.0]), Band { median: 2.0, low: 1.0, high: 3.0 });
        assert_eq!(Band::over(vec![4.0, 1.0]), Band { median: 2.5, low: 1.0, high: 4.0 });
        assert!(Band::over(Vec::new()).median.is_nan());
    }
}
