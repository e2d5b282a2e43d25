//! Count, mean and spread of values as they come.

use serde::{Deserialize, Serialize};

/// Count, mean and spread of values as they come (Welford, 1962).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Moments {
    /// Values so far.
    pub count: u64,
    /// Their mean; 0 of none.
    pub mean: f64,
    squares: f64,
}

impl Moments {
    /// Takes a value in.
    pub fn push(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (value - self.mean);
    }

    /// A value that was taken in turned out to be another one.
    pub fn replace(&mut self, old: f64, new: f64) {
        if self.count == 0 {
            return;
        }
        let count = self.count as f64;
        let sum_of_squares = self.squares + count * self.mean * self.mean - old * old + new * new;
        self.mean += (new - old) / count;
        // Rounding must not make a spread negative.
        self.squares = (sum_of_squares - count * self.mean * self.mean).max(0.0);
    }

    /// Sample variance; of fewer than two, 0.
    pub fn variance(&self) -> f64 {
        if self.count < 2 { 0.0 } else { self.squares / (self.count - 1) as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corrected_value_counts_as_if_it_had_been_right_from_the_start() {
        let of = |values: &[f64]| {
            let mut moments = Moments::default();
            for &value in values {
                moments.push(value);
            }
            moments
        };
        let (mut changed, right) = (of(&[0.2, 0.9, 0.4]), of(&[0.2, 0.5, 0.4]));
        changed.replace(0.9, 0.5);
        assert!((changed.mean - right.mean).abs() < 1e-12);
        assert!((changed.variance() - right.variance()).abs() < 1e-12);
        let mut none = Moments::default();
        none.replace(1.0, 0.0);
        assert_eq!(none, Moments::default());
    }
}
