//! Shares of right answers, and how far stated confidence is from them.

/// Right answers of all.
#[derive(Debug, Default, Clone, Copy)]
pub struct Score {
    /// Right ones.
    pub right: usize,
    /// All.
    pub total: usize,
}

impl Score {
    /// Counts one answer.
    pub fn add(&mut self, right: bool) {
        self.total += 1;
        self.right += usize::from(right);
    }

    /// In hundredths; 0 where nothing was counted.
    pub fn percent(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.right as f64 * 100.0 / self.total as f64 }
    }
}

/// Bins of the calibration error.
const BINS: usize = 10;

/// Expected calibration error: mean distance between stated probability and share of right answers,
/// over bins of equal width.
pub fn calibration_error(judged: &[(f64, bool)]) -> f64 {
    let mut bins = [(0.0, 0_usize); BINS];
    for (probability, right) in judged {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a probability times ten"
        )]
        let bin = ((probability * BINS as f64) as usize).min(BINS - 1);
        bins[bin].0 += probability;
        bins[bin].1 += usize::from(*right);
    }
    let distance: f64 = bins.iter().map(|(stated, right)| (stated - *right as f64).abs()).sum();
    distance / judged.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_compares_what_was_said_with_what_was_right() {
        assert!(calibration_error(&[(1.0, true), (1.0, true)]) < 1e-9);
        assert!((calibration_error(&[(0.95, true), (0.95, false)]) - 0.45).abs() < 1e-9);
        let mixed = [(0.95, true), (0.91, true), (0.05, false), (0.55, true)];
        assert!((calibration_error(&mixed) - (0.05 + 0.09 + 0.05 + 0.45) / 4.0).abs() < 1e-9);
    }
}
