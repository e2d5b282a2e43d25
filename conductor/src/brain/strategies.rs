//! Ways to take questions apart that compete: statistics by domain, A/B tests, retirement
//! (seeds/super-llm-block.md, `learned_strategies`, `meta_learning`).
//!
//! In each domain one strategy is the champion. A challenger gets every other question until a test decides;
//! whoever loses is retired, and stays on record with the reason.
//!
//! The test may be looked at after every question: its bounds hold at all times at once (a confidence sequence
//! by Robbins' normal mixture; Waudby-Smith et al., «Time-uniform central limit theory», 2021), so that stopping
//! when it looks good proves nothing false. Before [`FEWEST_SAMPLES`] of each it says nothing.

use serde::{Deserialize, Serialize};

use super::decompose::Action;

/// Samples of each strategy before a test may decide (`test_sample_size`).
pub const FEWEST_SAMPLES: u64 = 100;
/// How often a test may find a difference where there is none, over its whole life.
const ALPHA: f64 = 0.05;
/// Differences in reward that matter to nobody: with so little left open, both are alike.
const NO_MATTER: f64 = 0.01;

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

/// Where a strategy stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "standing")]
pub enum Standing {
    /// Serves its domain.
    Champion,
    /// Is tested against the champion.
    Challenger,
    /// Lost.
    Retired {
        /// Against whom, and by how much.
        why: String,
    },
}

/// A way to take questions of a domain apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    /// Names it within its domain.
    pub name: String,
    /// What it does.
    pub action: Action,
    /// See [`Standing`].
    pub standing: Standing,
    /// Questions whose answer was verified completely.
    pub successes: u64,
    /// Rewards of all its questions.
    pub rewards: Moments,
    /// Rewards within the test that runs.
    trial: Moments,
}

/// What a test says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// Too early.
    Open,
    /// The challenger is better by at least `by`.
    Challenger {
        /// The lower bound of the difference.
        by: f64,
    },
    /// The champion is better by at least `by`.
    Champion {
        /// The lower bound of the difference.
        by: f64,
    },
    /// Whatever the difference is, it does not matter.
    Alike,
}

/// The strategies of one domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contest {
    strategies: Vec<Strategy>,
}

/// Why a strategy cannot be tested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContestError {
    /// One at a time.
    #[error("«{0}» is tested already; one challenger at a time")]
    Busy(String),
    /// Names are for people.
    #[error("there is a strategy «{0}» already; give it another name")]
    Taken(String),
}

impl Contest {
    /// A domain with its first strategy.
    pub fn new(name: impl Into<String>, action: Action) -> Self {
        Self { strategies: vec![strategy(name.into(), action, Standing::Champion)] }
    }

    /// All that ever served, retired ones included.
    pub fn strategies(&self) -> &[Strategy] {
        &self.strategies
    }

    fn place(&self, standing: &Standing) -> Option<usize> {
        self.strategies.iter().position(|strategy| strategy.standing == *standing)
    }

    /// Puts another strategy to the test.
    pub fn challenge(&mut self, name: impl Into<String>, action: Action) -> Result<(), ContestError> {
        let name = name.into();
        if let Some(at) = self.place(&Standing::Challenger) {
            return Err(ContestError::Busy(self.strategies[at].name.clone()));
        }
        if self.strategies.iter().any(|strategy| strategy.name == name) {
            return Err(ContestError::Taken(name));
        }
        for strategy in &mut self.strategies {
            strategy.trial = Moments::default();
        }
        self.strategies.push(strategy(name, action, Standing::Challenger));
        Ok(())
    }

    /// The strategy for the next question; `coin` is an even draw, which decides while a test runs.
    pub fn next(&self, coin: bool) -> &Strategy {
        let at = self.place(&Standing::Challenger).filter(|_| coin);
        let at = at.or_else(|| self.place(&Standing::Champion)).unwrap_or(0);
        &self.strategies[at]
    }

    /// Notes what a strategy's question was worth, and ends the test if that decides it. What belongs to a
    /// retired strategy is noted and decides nothing.
    pub fn note(&mut self, name: &str, reward: f64, success: bool) -> Verdict {
        if let Some(strategy) = self.strategies.iter_mut().find(|strategy| strategy.name == name)
            && reward.is_finite()
        {
            strategy.rewards.push(reward);
            strategy.trial.push(reward);
            strategy.successes += u64::from(success);
        }
        let (Some(champion), Some(challenger)) =
            (self.place(&Standing::Champion), self.place(&Standing::Challenger))
        else {
            return Verdict::Open;
        };
        let verdict = compare(&self.strategies[challenger].trial, &self.strategies[champion].trial);
        match verdict {
            Verdict::Open => {}
            Verdict::Challenger { by } => {
                self.retire(champion, challenger, &format!("at least {by:.3} less"));
            }
            Verdict::Champion { by } => self.retire(challenger, champion, &format!("at least {by:.3} less")),
            Verdict::Alike => self.retire(challenger, champion, "no difference that matters"),
        }
        verdict
    }

    fn retire(&mut self, loser: usize, winner: usize, by: &str) {
        let why = format!("against «{}»: {by}", self.strategies[winner].name);
        self.strategies[loser].standing = Standing::Retired { why };
        self.strategies[winner].standing = Standing::Champion;
    }
}

fn strategy(name: String, action: Action, standing: Standing) -> Strategy {
    Strategy { name, action, standing, successes: 0, rewards: Moments::default(), trial: Moments::default() }
}

/// Compares mean rewards with bounds that hold however often one looks.
fn compare(challenger: &Moments, champion: &Moments) -> Verdict {
    let fewest = challenger.count.min(champion.count);
    if fewest < FEWEST_SAMPLES {
        return Verdict::Open;
    }
    let samples = fewest as f64;
    let deviation = (challenger.variance() / challenger.count as f64
        + champion.variance() / champion.count as f64)
        .sqrt();
    // The mixture that is tightest when the test may first decide.
    let log = -2.0 * ALPHA.ln();
    let mixture = (log + log.ln() + 1.0) / FEWEST_SAMPLES as f64;
    let spread = samples * mixture + 1.0;
    let margin = deviation * (2.0 * spread / (samples * mixture) * (spread.sqrt() / ALPHA).ln()).sqrt();
    match challenger.mean - champion.mean {
        better if better - margin > 0.0 => Verdict::Challenger { by: better - margin },
        better if better + margin < 0.0 => Verdict::Champion { by: -(better + margin) },
        better if better.abs() + margin < NO_MATTER => Verdict::Alike,
        _ => Verdict::Open,
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn a_value_that_turned_out_otherwise_counts_as_if_it_had_been_so_from_the_start() {
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

    /// Runs a test of two strategies with these means to its end, or for so many questions.
    fn contest(champion: f64, challenger: f64, questions: u32, seed: u64) -> (Verdict, u32, Contest) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut contest = Contest::new("old", Action::STATIC);
        contest.challenge("new", Action { steps: 5, ..Action::STATIC }).unwrap();
        for question in 1..=questions {
            let name = contest.next(rng.random()).name.clone();
            let mean = if name == "old" { champion } else { challenger };
            let reward = mean + 0.3 * (rng.random::<f64>() - 0.5);
            let verdict = contest.note(&name, reward, reward > 0.5);
            if verdict != Verdict::Open {
                return (verdict, question, contest);
            }
        }
        (Verdict::Open, questions, contest)
    }

    #[test]
    fn the_better_one_wins_after_at_least_100_of_each_and_the_other_is_retired_with_the_reason() {
        let (verdict, questions, contest) = contest(0.6, 0.8, 5_000, 1);
        assert!(matches!(verdict, Verdict::Challenger { by } if by > 0.1), "{verdict:?}");
        assert!((200..400).contains(&questions), "the test size of meta_learning is a floor: {questions}");
        let [old, new] = contest.strategies() else { panic!("two strategies") };
        assert!(matches!(&old.standing, Standing::Retired { why } if why.contains("«new»")), "{old:?}");
        assert!(new.standing == Standing::Champion && new.successes > 90 && contest.next(true).name == "new");
    }

    #[test]
    fn the_worse_challenger_is_retired() {
        let (verdict, _, contest) = contest(0.8, 0.7, 20_000, 2);
        assert!(matches!(verdict, Verdict::Champion { .. }));
        assert_eq!(contest.next(true).name, "old");
    }

    #[test]
    fn looking_after_every_question_finds_no_difference_where_there_is_none() {
        let false_alarms = (0..200)
            .filter(|seed| {
                matches!(
                    contest(0.7, 0.7, 2_000, *seed).0,
                    Verdict::Challenger { .. } | Verdict::Champion { .. }
                )
            })
            .count();
        assert!(false_alarms <= 10, "{false_alarms} of 200 at a level of 5 % over the whole test");
    }

    #[test]
    fn equals_are_told_apart_from_the_undecided_in_the_end() {
        let (verdict, _, contest) = contest(0.7, 0.7, 200_000, 3);
        assert!(verdict == Verdict::Alike && contest.next(true).name == "old");
    }

    #[test]
    fn one_challenger_at_a_time_and_no_name_twice() {
        let mut contest = Contest::new("old", Action::STATIC);
        assert!(!contest.strategies().is_empty() && contest.next(true).name == "old");
        assert_eq!(contest.challenge("old", Action::STATIC), Err(ContestError::Taken("old".to_owned())));
        contest.challenge("new", Action::STATIC).unwrap();
        assert_eq!(contest.challenge("newer", Action::STATIC), Err(ContestError::Busy("new".to_owned())));
        assert_eq!(contest.note("gone", 0.5, true), Verdict::Open);
        assert_eq!(contest.note("new", f64::NAN, true), Verdict::Open);
        assert_eq!(contest.strategies()[1].rewards.count, 0);
    }
}
