//! How content the user was: by word, or guessed from what they did (seeds/super-llm-block.md,
//! `calculate_implicit_satisfaction`).

use serde::{Deserialize, Serialize};

/// What is known of the user's satisfaction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by", content = "value")]
pub enum Satisfaction {
    /// One to five stars.
    Stars(u8),
    /// By behaviour, 0..=1.
    Guessed(f64),
}

impl Satisfaction {
    /// Thumbs are the ends of the scale of stars.
    pub fn thumbs(up: bool) -> Self {
        Self::Stars(if up { 5 } else { 1 })
    }

    /// As a share of the best, 0..=1: stars / 5.
    pub fn share(self) -> f64 {
        match self {
            Self::Stars(stars) => f64::from(stars.clamp(1, 5)) / 5.0,
            Self::Guessed(share) => share.clamp(0.0, 1.0),
        }
    }
}

/// What the app saw the user do with an answer. What was not observed stays at its default and counts for
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a signal of its own in the source document")]
pub struct Behaviour {
    /// The answer was copied.
    pub copied: bool,
    /// It was bookmarked.
    pub bookmarked: bool,
    /// The user looked at how it came about.
    pub expanded_reasoning: bool,
    /// It was passed on.
    pub shared: bool,
    /// The user said that something is wrong with it.
    pub reported_issue: bool,
    /// Questions that followed it.
    pub follow_ups: u32,
    /// Seconds that it was read; `None`: nobody could see that.
    pub reading_secs: Option<f64>,
    /// Seconds until the user did something with it; `None`: they did nothing, or nobody could see it.
    pub first_interaction_secs: Option<f64>,
}

impl Behaviour {
    /// Both together: what was seen once was seen, questions add up, the longest reading and the first interaction
    /// count.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let both = |one: Option<f64>, other: Option<f64>, of: fn(f64, f64) -> f64| match (one, other) {
            (Some(one), Some(other)) => Some(of(one, other)),
            (one, other) => one.or(other),
        };
        Self {
            copied: self.copied || other.copied,
            bookmarked: self.bookmarked || other.bookmarked,
            expanded_reasoning: self.expanded_reasoning || other.expanded_reasoning,
            shared: self.shared || other.shared,
            reported_issue: self.reported_issue || other.reported_issue,
            follow_ups: self.follow_ups.saturating_add(other.follow_ups),
            reading_secs: both(self.reading_secs, other.reading_secs, f64::max),
            first_interaction_secs: both(self.first_interaction_secs, other.first_interaction_secs, f64::min),
        }
    }

    /// The satisfaction that this suggests, 0..=1; 0.5 says nothing.
    pub fn satisfaction(&self) -> Satisfaction {
        let reading = |wanted: fn(f64) -> bool| self.reading_secs.is_some_and(wanted);
        let signals = [
            (self.copied, 0.20),
            (self.bookmarked, 0.15),
            (self.expanded_reasoning, 0.10),
            (self.shared, 0.15),
            (reading(|seconds| seconds > 30.0), 0.10),
            (self.first_interaction_secs.is_some_and(|seconds| seconds < 5.0), 0.05),
            (self.follow_ups > 2, -0.20),
            (self.reported_issue, -0.40),
            (reading(|seconds| seconds < 5.0), -0.15),
        ];
        let moved: f64 = signals.iter().filter(|(seen, _)| *seen).map(|(_, weight)| weight).sum();
        Satisfaction::Guessed((0.5 + moved).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn the_example_of_user_feedback_gives_95_as_seed_arithmetic_says() {
        let behaviour = Behaviour {
            copied: true,
            expanded_reasoning: true,
            reading_secs: Some(45.3),
            first_interaction_secs: Some(3.2),
            ..Behaviour::default()
        };
        assert!(near(behaviour.satisfaction().share(), 0.95));
    }

    #[test]
    fn each_calculate_implicit_satisfaction_signal_has_weight_only_if_seen() {
        let neutral = Behaviour::default();
        assert!(near(neutral.satisfaction().share(), 0.5));
        let cases = [
            (Behaviour { copied: true, ..neutral }, 0.70),
            (Behaviour { bookmarked: true, ..neutral }, 0.65),
            (Behaviour { expanded_reasoning: true, ..neutral }, 0.60),
            (Behaviour { shared: true, ..neutral }, 0.65),
            (Behaviour { reading_secs: Some(30.1), ..neutral }, 0.60),
            (Behaviour { reading_secs: Some(4.9), ..neutral }, 0.35),
            (Behaviour { reading_secs: Some(30.0), ..neutral }, 0.50),
            (Behaviour { reading_secs: Some(5.0), ..neutral }, 0.50),
            (Behaviour { first_interaction_secs: Some(5.0), ..neutral }, 0.50),
            (Behaviour { first_interaction_secs: Some(4.9), ..neutral }, 0.55),
            (Behaviour { follow_ups: 2, ..neutral }, 0.50),
            (Behaviour { follow_ups: 3, ..neutral }, 0.30),
            (Behaviour { reported_issue: true, ..neutral }, 0.10),
            (Behaviour { reported_issue: true, follow_ups: 9, ..neutral }, 0.0),
        ];
        for (behaviour, expected) in cases {
            assert!(near(behaviour.satisfaction().share(), expected), "{behaviour:?}");
        }
    }

    #[test]
    fn what_is_seen_bit_by_bit_is_what_was_seen_at_once() {
        let read =
            Behaviour { reading_secs: Some(12.0), first_interaction_secs: Some(8.0), ..Behaviour::default() };
        let copied =
            Behaviour { copied: true, reading_secs: Some(40.0), follow_ups: 1, ..Behaviour::default() };
        let both = read.and(&copied);
        assert!(both.copied && both.follow_ups == 1 && both.reading_secs == Some(40.0));
        assert_eq!((both, both.first_interaction_secs), (copied.and(&read), Some(8.0)));
        assert_eq!(both.and(&Behaviour::default()), both);
    }

    #[test]
    fn stars_are_fifths_and_thumbs_their_ends() {
        assert!(near(Satisfaction::Stars(4).share(), 0.8));
        assert!(near(Satisfaction::Stars(9).share(), 1.0) && near(Satisfaction::Stars(0).share(), 0.2));
        assert_eq!(
            (Satisfaction::thumbs(true), Satisfaction::thumbs(false)),
            (Satisfaction::Stars(5), Satisfaction::Stars(1))
        );
    }
}
