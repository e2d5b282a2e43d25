//! Whether rewards fall so far short of what was expected that tastes must have changed.
//!
//! Looked at twice: after each reward, for a change that cannot be missed, and at each update, for a smaller one that takes
//! more rewards to be told from chance. The first one spares the policy up to an update's worth of questions that it asks
//! in ways which were right once, and from which it learns little.

/// When to take rewards for a change of tastes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Alarm {
    /// Rewards that are looked at.
    pub newest: usize,
    /// How much less than expected their mean must be.
    short_by: f64,
    /// And that beyond doubt.
    standard_errors: f64,
    /// Of them those that are kept: what was seen since the change.
    pub kept: usize,
}

impl Alarm {
    /// For looking after each reward. Five standard errors, because it is looked at so often. Where the mean of forty shows
    /// it, about half of them are from after the change.
    pub const AT_ONCE: Self = Self { newest: 40, short_by: 0.10, standard_errors: 5.0, kept: 20 };

    /// For looking at each update, at all rewards since the one before.
    pub fn at_update(update_every: u32) -> Self {
        let newest = update_every.max(2) as usize;
        Self { newest, short_by: 0.05, standard_errors: 4.0, kept: newest }
    }

    /// Whether rewards, each less what was expected of it and with its weight, say so.
    pub fn goes_off(&self, surprises: &[(f64, f64)]) -> bool {
        let (surprise, doubt) = weighed(surprises);
        surprises.len() >= self.newest && surprise <= -self.short_by.max(self.standard_errors * doubt)
    }
}

/// The mean of values with their weights, and its standard error: what the policy alone would have brought, although some
/// choices were a coin's.
fn weighed(values: &[(f64, f64)]) -> (f64, f64) {
    let count = values.len() as f64;
    let weights: f64 = values.iter().map(|(weight, _)| weight).sum();
    if count < 2.0 || weights <= 0.0 {
        return (0.0, f64::INFINITY);
    }
    let mean = values.iter().map(|(weight, value)| weight * value).sum::<f64>() / weights;
    let squares: f64 = values.iter().map(|(weight, value)| (weight * (value - mean)).powi(2)).sum();
    (mean, (count / (count - 1.0) * squares).sqrt() / weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surprise_counts_by_what_the_policy_alone_would_have_chosen() {
        let (mean, doubt) = weighed(&[(1.0, 0.2), (1.0, 0.4), (1.0, 0.6)]);
        // The standard error of an even sample: √(0.04 / 3).
        assert!((mean - 0.4).abs() < 1e-9 && (doubt - (0.04_f64 / 3.0).sqrt()).abs() < 1e-9);
        // A coin gave half of the questions to a way that the policy takes one time in ten.
        let tested: Vec<(f64, f64)> =
            (0..100).map(|number| if number % 2 == 0 { (1.8, 0.0) } else { (0.2, -0.5) }).collect();
        assert!((weighed(&tested).0 + 0.05).abs() < 1e-9);
        assert!(weighed(&[(1.0, -1.0)]).1.is_infinite(), "one value says nothing");
    }

    #[test]
    fn what_cannot_be_missed_is_seen_at_once_and_what_may_be_chance_is_not() {
        // Rewards that are 0.1 off in either direction, the last of them short by so much.
        let after = |changed: usize, short_by: f64| -> Vec<(f64, f64)> {
            let chance = |at: usize| if at.is_multiple_of(2) { 0.1 } else { -0.1 };
            (0..40).map(|at| (1.0, chance(at) - if at < changed { short_by } else { 0.0 })).collect()
        };
        assert!(!Alarm::AT_ONCE.goes_off(&after(0, 0.0)) && !Alarm::AT_ONCE.goes_off(&after(40, 0.09)));
        assert!(Alarm::AT_ONCE.goes_off(&after(40, 0.12)));
        assert!(!Alarm::AT_ONCE.goes_off(&after(12, 0.25)) && Alarm::AT_ONCE.goes_off(&after(26, 0.25)));
        assert!(!Alarm::AT_ONCE.goes_off(&after(40, 0.5)[..39]), "not enough to tell");
        assert!(Alarm::at_update(40).goes_off(&after(40, 0.09)), "an update looks closer");
        assert!(!Alarm::at_update(100).goes_off(&after(40, 0.5)));
    }
}
