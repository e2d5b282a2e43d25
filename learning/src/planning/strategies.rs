//! Ways to take questions apart that compete: statistics by domain, A/B tests, retirement
//! (seeds/super-llm-block.md, `learned_strategies`, `meta_learning`; docs/decisions/0039-ways-that-compete.md).
//!
//! ```text
//!            asked 20 times                       another is asked more than both together
//!   in use ────────────────► champion, challenger ─────────────────────────► in use
//!     ▲                            │ the test decides
//!     │ brought back               ├──► champion, until the next one is worth a test
//!     └──────────────── retired ◄──┘
//! ```
//!
//! All ways that are not retired are in use: the policy chooses among them. While two of them are tested, an even coin
//! decides wherever the policy's draw falls on one of the two, so that no question has a say in who gets it. Only those
//! questions are samples. The loser is retired, and stays on record with the reason.
//!
//! The test may be looked at after every question: its bounds hold at all times at once (a confidence sequence
//! by Robbins' normal mixture; Waudby-Smith et al., "Time-uniform central limit theory", 2021), so that stopping
//! when it looks good proves nothing false. Before [`FEWEST_SAMPLES`] of each it says nothing.

mod moments;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use self::moments::Moments;
use super::decompose::{Field, Strategy};

/// Samples of each strategy before a test may decide (`test_sample_size`).
pub const FEWEST_SAMPLES: u64 = 100;
/// Questions since the latest test began before a way is worth another one.
pub const FEWEST_TO_TEST: u64 = 20;
/// Questions of another way before a test may give way to it.
const FEWEST_TO_TAKE_OVER: u64 = 50;
/// How often a test may find a difference where there is none, over its whole life.
const ALPHA: f64 = 0.05;
/// Differences in reward that matter to nobody: with so little left open, both are alike.
const NO_MATTER: f64 = 0.01;
/// Decisions that are kept.
const MOST_DECIDED: usize = 20;

/// Where a strategy stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "standing")]
pub enum StrategyStatus {
    /// The policy may choose it; it was in no test, or left one undecided.
    InUse,
    /// Won its last test, or was asked most when the first one began.
    Champion,
    /// Is tested against the champion.
    Challenger,
    /// Lost; the policy does not choose it.
    Retired {
        /// Against whom, and by how much.
        why: String,
    },
}

/// A strategy with what is known of it in a domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    /// Which.
    #[serde(rename = "way")]
    pub strategy: Strategy,
    /// See [`StrategyStatus`].
    #[serde(rename = "standing")]
    pub status: StrategyStatus,
    /// Rewards of the samples of the test that runs.
    pub trial: Moments,
    /// Questions for which it was chosen since the latest test began.
    asked: u64,
}

/// What a question was worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// How it was asked.
    pub strategy: Strategy,
    /// The test in which a coin chose that; `None` where the policy did.
    pub test: Option<u64>,
    /// What it was worth.
    pub reward: f64,
}

/// The test that runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test<'a> {
    /// Which of the tests of its domain it is, from 1.
    pub number: u64,
    /// The champion.
    pub champion: &'a Contender,
    /// The challenger.
    pub challenger: &'a Contender,
}

/// A test that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// Its number.
    pub test: u64,
    /// Who stays.
    pub winner: Strategy,
    /// Who is retired.
    pub loser: Strategy,
    /// Why: against whom, by how much, after how many samples.
    pub why: String,
}

/// What a test says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    /// Too early.
    Open,
    /// The challenger is better by at least `by`.
    Challenger { by: f64 },
    /// The champion is better by at least `by`.
    Champion { by: f64 },
    /// Whatever the difference is, it does not matter.
    Alike,
}

/// The strategies of one domain.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Contest {
    #[serde(rename = "strategies")]
    contenders: Vec<Contender>,
    /// Tests that ever began.
    tests: u64,
    decided: Vec<Decided>,
}

/// Why a strategy cannot be brought back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContestError {
    /// It is not out of use.
    #[error("\"{0}\" is not retired here; frlm strategies list shows which are")]
    NotRetired(Strategy),
}

impl Contest {
    /// All that were ever chosen, retired ones included.
    pub fn contenders(&self) -> &[Contender] {
        &self.contenders
    }

    /// What the latest tests have decided, newest last.
    pub fn decided(&self) -> &[Decided] {
        &self.decided
    }

    /// The test that runs.
    pub fn test(&self) -> Option<Test<'_>> {
        let (champion, challenger) = self.pair()?;
        Some(Test {
            number: self.tests,
            champion: &self.contenders[champion],
            challenger: &self.contenders[challenger],
        })
    }

    /// What the policy may choose, and between which two a coin decides.
    pub fn field(&self) -> Field {
        let retired = self.contenders.iter().filter(|contender| contender.is_retired());
        Field {
            closed: retired.map(|contender| contender.strategy).collect(),
            pair: self.test().map(|test| [test.champion.strategy, test.challenger.strategy]),
        }
    }

    /// Notes what a question was worth, and ends the test if that decides it. What belongs to another test, or to a
    /// way that was retired since, is noted and decides nothing.
    pub fn note(&mut self, sample: Sample) -> Option<Decided> {
        if !sample.reward.is_finite() {
            return None;
        }
        let is_of_test = self.is_of_test(&sample);
        let contender = self.contender(sample.strategy);
        contender.asked += 1;
        if is_of_test {
            contender.trial.push(sample.reward);
        }
        self.go_on()
    }

    /// A question that was noted turned out to be worth something else than `old`.
    pub fn replace(&mut self, sample: Sample, old: f64) -> Option<Decided> {
        if !sample.reward.is_finite() {
            return None;
        }
        if self.is_of_test(&sample) {
            self.contender(sample.strategy).trial.replace(old, sample.reward);
        }
        self.go_on()
    }

    /// Takes a retired strategy into use again: the policy may choose it, and it may be tested again.
    pub fn bring_back(&mut self, strategy: Strategy) -> Result<(), ContestError> {
        let retired = self.contenders.iter_mut().find(|one| one.strategy == strategy && one.is_retired());
        let contender = retired.ok_or(ContestError::NotRetired(strategy))?;
        (contender.status, contender.asked) = (StrategyStatus::InUse, 0);
        Ok(())
    }

    /// Takes all into use again and ends the test undecided: what was found holds no longer.
    pub fn begin_again(&mut self) {
        for contender in &mut self.contenders {
            contender.status = StrategyStatus::InUse;
            contender.trial = Moments::default();
            contender.asked = 0;
        }
    }

    fn is_of_test(&self, sample: &Sample) -> bool {
        sample.test.is_some() && sample.test == self.test().map(|test| test.number)
    }

    /// The entry of a way, from its first question on.
    fn contender(&mut self, strategy: Strategy) -> &mut Contender {
        let known = self.contenders.iter().position(|contender| contender.strategy == strategy);
        let at = known.unwrap_or_else(|| {
            self.contenders.push(Contender {
                strategy,
                status: StrategyStatus::InUse,
                trial: Moments::default(),
                asked: 0,
            });
            self.contenders.len() - 1
        });
        &mut self.contenders[at]
    }

    fn place(&self, status: &StrategyStatus) -> Option<usize> {
        self.contenders.iter().position(|contender| contender.status == *status)
    }

    /// Champion and challenger, while there are both.
    fn pair(&self) -> Option<(usize, usize)> {
        self.place(&StrategyStatus::Champion).zip(self.place(&StrategyStatus::Challenger))
    }

    /// Ends the test where it is decided, and begins the next one where there is something to test.
    fn go_on(&mut self) -> Option<Decided> {
        let decided = self.decide();
        self.give_way();
        self.begin_test();
        decided
    }

    fn decide(&mut self) -> Option<Decided> {
        let (champion, challenger) = self.pair()?;
        let (tried, held) = (&self.contenders[challenger].trial, &self.contenders[champion].trial);
        let samples = [tried.count, held.count];
        let (winner, loser, by) = match compare(tried, held) {
            Verdict::Open => return None,
            Verdict::Challenger { by } => (challenger, champion, less(by)),
            Verdict::Champion { by } => (champion, challenger, less(by)),
            Verdict::Alike => (champion, challenger, "no difference that matters".to_owned()),
        };
        let [one, other] = if winner == challenger { samples } else { [samples[1], samples[0]] };
        let why = format!(
            "against \"{}\": {by}, after {other} of its questions and {one} of the other's",
            self.contenders[winner].strategy
        );
        let decided = Decided {
            test: self.tests,
            winner: self.contenders[winner].strategy,
            loser: self.contenders[loser].strategy,
            why: why.clone(),
        };
        self.contenders[loser].status = StrategyStatus::Retired { why };
        self.contenders[winner].status = StrategyStatus::Champion;
        self.decided.push(decided.clone());
        let before = self.decided.len().saturating_sub(MOST_DECIDED);
        self.decided.drain(..before);
        Some(decided)
    }

    /// Where the policy has come to prefer another way to both that are tested, the challenger makes room, unharmed.
    fn give_way(&mut self) {
        let Some((champion, challenger)) = self.pair() else { return };
        let both = self.contenders[champion].asked + self.contenders[challenger].asked;
        let most = self.most_asked(None).map_or(0, |other| self.contenders[other].asked);
        if most >= FEWEST_TO_TAKE_OVER && most > both {
            self.contenders[challenger].status = StrategyStatus::InUse;
        }
    }

    /// Tests the champion, or the strategy asked most, against the next most asked one.
    fn begin_test(&mut self) {
        if self.place(&StrategyStatus::Challenger).is_some() {
            return;
        }
        let Some(champion) = self.place(&StrategyStatus::Champion).or_else(|| self.most_asked(None)) else {
            return;
        };
        let Some(challenger) = self.most_asked(Some(champion)) else { return };
        self.contenders[champion].status = StrategyStatus::Champion;
        self.contenders[challenger].status = StrategyStatus::Challenger;
        self.tests += 1;
        for contender in &mut self.contenders {
            (contender.trial, contender.asked) = (Moments::default(), 0);
        }
    }

    /// Of those in use that are worth a test, the one that was asked most since the latest test began; of equals the
    /// first.
    fn most_asked(&self, but: Option<usize>) -> Option<usize> {
        let worth_it = |at: &usize| {
            let contender = &self.contenders[*at];
            Some(*at) != but && contender.status == StrategyStatus::InUse && contender.asked >= FEWEST_TO_TEST
        };
        let places = (0..self.contenders.len()).rev().filter(worth_it);
        places.max_by_key(|at| self.contenders[*at].asked)
    }
}

impl Contender {
    /// Whether it is out of use.
    pub fn is_retired(&self) -> bool {
        matches!(self.status, StrategyStatus::Retired { .. })
    }
}

/// By how much a strategy is worth less, as rewards are shown: cut off, not rounded, so that it is never more than what
/// their means lie apart in a table.
fn less(by: f64) -> String {
    let shown = (by * 100.0).floor() / 100.0;
    if shown > 0.0 {
        format!("worth at least {shown:.2} less")
    } else {
        format!("worth at least {by:.3} less")
    }
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
