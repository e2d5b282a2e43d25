//! The best and the worst decompositions, with the reason (seeds/super-llm-block.md, `best_episodes`,
//! `worst_episodes`).

use serde::{Deserialize, Serialize};

use super::decompose::Action;
use super::reward::{Outcome, RewardSettings};

/// Episodes that are kept at either end.
const KEPT: usize = 10;
/// Characters of a question that are kept.
const LONGEST_QUESTION: usize = 200;

/// An episode that taught something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// The question, cut.
    pub question: String,
    /// How it was taken apart.
    pub action: Action,
    /// What that was worth.
    pub reward: f64,
    /// What made it so.
    pub why: String,
}

/// The best and the worst, each from its end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Extremes {
    /// Best first.
    pub best: Vec<Episode>,
    /// Worst first.
    pub worst: Vec<Episode>,
}

impl Extremes {
    /// Takes an episode in, if it is among the best or the worst.
    pub fn note(&mut self, settings: &RewardSettings, question: &str, action: Action, outcome: &Outcome) {
        let reward = settings.reward(outcome);
        let episode = |why: String| Episode {
            question: question.chars().take(LONGEST_QUESTION).collect(),
            action,
            reward,
            why,
        };
        keep(&mut self.best, episode(strength(settings, outcome)), |one, other| one > other);
        keep(&mut self.worst, episode(weakness(settings, outcome)), |one, other| one < other);
    }
}

impl Extremes {
    /// Drops an episode: it turned out to be worth something else.
    pub fn forget(&mut self, question: &str, reward: f64) {
        for kept in [&mut self.best, &mut self.worst] {
            let same =
                |one: &Episode| one.question == question && (one.reward - reward).abs() <= f64::EPSILON;
            if let Some(at) = kept.iter().position(same) {
                kept.remove(at);
            }
        }
    }
}

fn keep(kept: &mut Vec<Episode>, episode: Episode, before: fn(f64, f64) -> bool) {
    let at = kept.partition_point(|other| !before(episode.reward, other.reward));
    if at < KEPT {
        kept.insert(at, episode);
        kept.truncate(KEPT);
    }
}

/// Components with their weights, named.
fn components(settings: &RewardSettings, outcome: &Outcome) -> [(&'static str, f64, f64); 5] {
    [
        ("answers were right", settings.success, outcome.success),
        ("the user was content", settings.satisfaction, outcome.satisfaction.share()),
        ("it was quick", settings.efficiency, settings.efficiency_of(1.0, outcome.latency_secs)),
        ("the steps were simple", settings.simplicity, outcome.simplicity),
        ("the parts fitted together", settings.coherence, outcome.coherence),
    ]
}

/// What earned most.
fn strength(settings: &RewardSettings, outcome: &Outcome) -> String {
    let mut earned = components(settings, outcome);
    earned.sort_by(|one, other| (other.1 * other.2).total_cmp(&(one.1 * one.2)));
    format!("{} ({:.2}), {} ({:.2})", earned[0].0, earned[0].2, earned[1].0, earned[1].2)
}

/// What cost most: a penalty, or the component that fell shortest of its weight.
fn weakness(settings: &RewardSettings, outcome: &Outcome) -> String {
    if outcome.steps > settings.most_steps {
        return format!("taken apart into {} steps: too much overhead", outcome.steps);
    }
    if outcome.complex && outcome.steps < settings.fewest_steps {
        return "a complex question was not taken apart".to_owned();
    }
    let mut lost = components(settings, outcome);
    lost.sort_by(|one, other| (other.1 * (1.0 - other.2)).total_cmp(&(one.1 * (1.0 - one.2))));
    format!("too little of \"{}\" ({:.2})", lost[0].0, lost[0].2)
}

#[cfg(test)]
mod tests {
    use super::super::satisfaction::Satisfaction;
    use super::*;

    fn outcome(success: f64, steps: u32) -> Outcome {
        Outcome {
            success,
            satisfaction: Satisfaction::Guessed(0.5),
            latency_secs: 10.0,
            simplicity: 0.8,
            coherence: 0.9,
            steps,
            complex: true,
        }
    }

    #[test]
    fn the_best_and_the_worst_are_kept_in_order_and_no_more_of_them() {
        let mut extremes = Extremes::default();
        for number in 0..50 {
            // In no order.
            let success = f64::from(number * 37 % 50) / 50.0;
            extremes.note(
                &RewardSettings::default(),
                &format!("{number}"),
                Action::STATIC,
                &outcome(success, 4),
            );
        }
        assert_eq!((extremes.best.len(), extremes.worst.len()), (KEPT, KEPT));
        assert!(extremes.best.is_sorted_by(|one, other| one.reward >= other.reward));
        assert!(extremes.worst.is_sorted_by(|one, other| one.reward <= other.reward));
        assert!(extremes.best[9].reward > extremes.worst[9].reward);
        assert!(extremes.best[0].why.starts_with("answers were right (0.98)"), "{}", extremes.best[0].why);
    }

    #[test]
    fn what_turned_out_otherwise_is_dropped_from_both_ends() {
        let mut extremes = Extremes::default();
        for (question, success) in [("a", 0.2), ("b", 0.8)] {
            extremes.note(&RewardSettings::default(), question, Action::STATIC, &outcome(success, 4));
        }
        let reward = RewardSettings::default().reward(&outcome(0.8, 4));
        extremes.forget("a", reward);
        assert_eq!((extremes.best.len(), extremes.worst.len()), (2, 2), "another one is worth that");
        extremes.forget("b", reward);
        assert_eq!((extremes.best[0].question.as_str(), extremes.worst[0].question.as_str()), ("a", "a"));
        assert_eq!((extremes.best.len(), extremes.worst.len()), (1, 1));
    }

    #[test]
    fn the_reason_names_what_cost_most() {
        let why = |outcome| weakness(&RewardSettings::default(), &outcome);
        assert_eq!(why(outcome(0.9, 12)), "taken apart into 12 steps: too much overhead");
        assert_eq!(why(outcome(0.9, 1)), "a complex question was not taken apart");
        assert_eq!(why(outcome(0.1, 4)), "too little of \"answers were right\" (0.10)");
        let late = Outcome { latency_secs: 600.0, satisfaction: Satisfaction::Stars(5), ..outcome(0.99, 4) };
        assert_eq!(why(late), "too little of \"it was quick\" (0.05)");
    }

    #[test]
    fn a_long_question_is_cut() {
        let mut extremes = Extremes::default();
        extremes.note(&RewardSettings::default(), &"ж".repeat(100_000), Action::STATIC, &outcome(0.5, 3));
        assert_eq!(extremes.best[0].question.chars().count(), LONGEST_QUESTION);
    }
}
