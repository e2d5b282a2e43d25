//! What the brain has learned from runs: how well the swarm serves (seeds/super-llm-block.md, function 4), what each
//! way to take a question apart was worth (function 2), by domain, and the best and the worst.
//!
//! ```text
//!   question ─► choice (policy)
//!   run ends ─► evaluation, reward ─► an episode ◄── a rating (once), what the user did with the answer
//!                                        │   the reward follows, nothing is counted twice
//!                                        ▼
//!      statistics by domain, ways that compete, hints, best and worst, policy
//! ```

mod compete;
mod counted;
mod domains;
#[cfg(all(test, unix))]
mod kills;
pub mod memory;
mod policy;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use self::counted::Counted;
pub use self::domains::{DomainRecord, StrategyRecord, strategy_name};
pub use self::policy::{Asked, Chosen, PartFacts};
use super::decompose::{Action, EpisodeId, Moment, Stored};
use super::domain::Domain;
use super::episodes::Extremes;
use super::evaluation::{Evaluation, History};
use super::hints::HintRecord;
use super::performance::{Performance, Work};
use super::phrasing::{Phrased, Phrasings};
use super::reward::{Outcome, RewardSettings};
use super::satisfaction::{Behaviour, Satisfaction};
use super::strategies::{Contest, Decided};

/// Episodes that are kept (`recent_rewards`: the last 1,000).
const MOST_EPISODES: usize = 1_000;
/// Characters of a question that are kept.
const LONGEST_QUESTION: usize = 200;
/// The swarm's score before anything is known of it.
const FIRST_SCORE: f64 = 0.5;

/// What a run showed when it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Served {
    /// The run.
    pub run_id: String,
    /// As asked.
    pub question: String,
    /// What kind of documents it was asked of.
    pub domain: Domain,
    /// How it was taken apart.
    pub action: Action,
    /// The policy's episode, where it chose.
    pub chosen: Option<EpisodeId>,
    /// The test in which a coin chose between two ways.
    pub test: Option<u64>,
    /// Whether something was tried.
    pub explored: bool,
    /// What became of the hints.
    pub hints: HintRecord,
    /// How the question was put to readers, where it was.
    pub phrased: Option<Phrased>,
    /// Mean correctness of the subtasks, by the verifier, 0..=1.
    pub correctness: f64,
    /// Subtasks of the plan.
    pub subtasks: u32,
    /// Providers that were there.
    pub providers: u32,
    /// How they were found.
    pub moment: Moment,
    /// Whether it ended with an answer.
    pub answered: bool,
    /// What came of it; its satisfaction is a guess until somebody says more.
    pub outcome: Outcome,
}

impl Served {
    /// What follows from the run by itself: it is measured as the first of all.
    pub fn appraised_alone(&self) -> Appraisal {
        LearnerAccount::default().note(self, 0).appraisal
    }
}

/// What follows from what a run showed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Appraisal {
    /// How well the swarm served.
    pub evaluation: Evaluation,
    /// What earlier runs of the domain led to expect, in seconds; the first run's own time.
    pub expected_secs: f64,
    /// What the way to take the question apart was worth, −1..=1.
    pub reward: f64,
}

/// A run that was taken in.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted {
    /// What follows from it.
    pub appraisal: Appraisal,
    /// The test that it decided.
    pub decided: Option<Decided>,
}

/// A question with what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// The run.
    pub run_id: String,
    /// Unix milliseconds.
    pub at_ms: u64,
    /// The question, cut.
    pub question: String,
    /// What kind of documents it was asked of.
    pub domain: Domain,
    /// How it was taken apart.
    pub action: Action,
    /// The policy's episode, where it chose.
    pub chosen: Option<EpisodeId>,
    /// The test in which a coin chose between two ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<u64>,
    /// Whether something was tried.
    pub explored: bool,
    /// Providers that were there.
    pub providers: u32,
    /// How they were found.
    #[serde(default)]
    pub moment: Moment,
    /// Whether it ended with an answer.
    pub answered: bool,
    /// What came of it.
    pub outcome: Outcome,
    /// What that was worth.
    pub reward: f64,
    /// What the user was seen to do with the answer.
    pub behaviour: Behaviour,
    /// What it has counted for, while it has no answer and may go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    counted: Option<Counted>,
}

impl Episode {
    /// Whether somebody said what they think of it: that is heard once.
    pub fn is_rated(&self) -> bool {
        matches!(self.outcome.satisfaction, Satisfaction::Stars(_))
    }
}

/// The account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnerAccount {
    score: f64,
    evaluations: u64,
    /// Since they are kept apart.
    #[serde(default)]
    history: History,
    hints: HintRecord,
    domains: BTreeMap<Domain, DomainRecord>,
    extremes: Extremes,
    episodes: VecDeque<Episode>,
    /// The ways that compete, by domain.
    #[serde(default)]
    contests: BTreeMap<Domain, Contest>,
    /// What is known of ways to put a question to readers.
    #[serde(default)]
    phrasings: Phrasings,
    /// Since they are measured.
    #[serde(default)]
    performance: Performance,
    /// The policy that chooses how questions are taken apart, from the first choice on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<Box<Stored>>,
}

impl Default for LearnerAccount {
    fn default() -> Self {
        Self {
            score: FIRST_SCORE,
            evaluations: 0,
            history: History::default(),
            hints: HintRecord::default(),
            domains: BTreeMap::new(),
            extremes: Extremes::default(),
            episodes: VecDeque::new(),
            contests: BTreeMap::new(),
            phrasings: Phrasings::default(),
            performance: Performance::default(),
            policy: None,
        }
    }
}

/// A reward that has changed, for the policy to hear of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reweighed {
    /// The policy's episode, where it chose.
    pub chosen: Option<EpisodeId>,
    /// What it is worth now.
    pub reward: f64,
}

impl LearnerAccount {
    /// How well the swarm serves, 0..=1.
    pub fn score(&self) -> f64 {
        self.score
    }

    /// Evaluations so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// What the evaluations said, all together.
    pub fn history(&self) -> History {
        self.history
    }

    /// What became of the hints so far.
    pub fn hints(&self) -> HintRecord {
        self.hints
    }

    /// What is known of ways to put a question to readers.
    pub fn phrasings(&self) -> &Phrasings {
        &self.phrasings
    }

    /// Where the time of answers went, and how they were put together.
    pub fn performance(&self) -> Performance {
        self.performance
    }

    /// By domain.
    pub fn domains(&self) -> &BTreeMap<Domain, DomainRecord> {
        &self.domains
    }

    /// The best and the worst.
    pub fn extremes(&self) -> &Extremes {
        &self.extremes
    }

    /// The newest episodes, oldest first.
    pub fn episodes(&self) -> impl DoubleEndedIterator<Item = &Episode> + ExactSizeIterator {
        self.episodes.iter()
    }

    /// Takes in what a run showed. A run that went on after it had ended is one question: what it came to takes the
    /// place of what it had come to before.
    pub fn note(&mut self, served: &Served, at_ms: u64) -> Noted {
        let known = self.place(&served.run_id);
        let settings = RewardSettings::default();
        let (evaluation, expected_secs, counted) = self.count(served, known);
        // A run that goes on is one question, and was put to its readers once.
        if let (Some(phrased), None) = (served.phrased, known) {
            self.phrasings.note(phrased.task_type, phrased.template, phrased.worth);
        }
        let (reward, decided) = if let Some(at) = known {
            self.episodes[at].counted = counted;
            let satisfaction = self.episodes[at].outcome.satisfaction;
            let (reweighed, decided) =
                self.reweigh(at, Outcome { satisfaction, ..served.outcome }, served.answered);
            (reweighed.reward, decided)
        } else {
            let reward = settings.reward(&served.outcome);
            let record = self.domains.entry(served.domain).or_default();
            record.begin(served.action, served.answered, reward, &served.outcome);
            self.extremes.note(&settings, &served.question, served.action, &served.outcome);
            let episode = Episode {
                run_id: served.run_id.clone(),
                at_ms,
                question: served.question.chars().take(LONGEST_QUESTION).collect(),
                domain: served.domain,
                action: served.action,
                chosen: served.chosen,
                test: served.test,
                explored: served.explored,
                providers: served.providers,
                moment: served.moment,
                answered: served.answered,
                outcome: served.outcome,
                reward,
                behaviour: Behaviour::default(),
                counted,
            };
            let decided = self.compete(&episode);
            self.episodes.push_back(episode);
            while self.episodes.len() > MOST_EPISODES {
                self.episodes.pop_front();
            }
            (reward, decided)
        };
        Noted { appraisal: Appraisal { evaluation, expected_secs, reward }, decided }
    }

    /// Takes in how a run worked, with what it showed: that of its answer counts, once.
    pub fn note_work(&mut self, served: &Served, work: &Work, at_ms: u64) -> Noted {
        let had_answer = self.place(&served.run_id).is_some_and(|at| self.episodes[at].answered);
        if served.answered && !had_answer {
            self.performance.note(work);
        }
        self.note(served, at_ms)
    }

    /// Hears what somebody thinks of an answer: the first word counts, and takes the place of the guess
    /// (seed-arithmetic.md). `None`: the run is not known, or was rated.
    pub fn rate(&mut self, run: &str, satisfaction: Satisfaction) -> Option<Reweighed> {
        let at = self.place(run).filter(|at| !self.episodes[*at].is_rated())?;
        let Episode { outcome, answered, .. } = self.episodes[at];
        Some(self.reweigh(at, Outcome { satisfaction, ..outcome }, answered).0)
    }

    /// Takes in what the user was seen to do with an answer (`calculate_implicit_satisfaction`). A rating outranks it.
    pub fn observe(&mut self, run: &str, seen: &Behaviour) -> Option<Reweighed> {
        let at = self.place(run)?;
        let episode = &mut self.episodes[at];
        episode.behaviour = episode.behaviour.and(seen);
        if episode.is_rated() {
            return None;
        }
        let outcome = Outcome { satisfaction: episode.behaviour.satisfaction(), ..episode.outcome };
        let answered = episode.answered;
        Some(self.reweigh(at, outcome, answered).0)
    }

    /// A run was deleted: its question goes, its figures stay. `false`: it is not known.
    pub fn forget_question(&mut self, run: &str) -> bool {
        let Some(at) = self.place(run) else { return false };
        let episode = &mut self.episodes[at];
        self.extremes.forget(&episode.question, episode.reward);
        episode.question.clear();
        true
    }

    fn place(&self, run: &str) -> Option<usize> {
        self.episodes.iter().rposition(|episode| episode.run_id == run)
    }

    /// Something else came of an episode than was thought: whatever was counted of it changes with it.
    fn reweigh(&mut self, at: usize, outcome: Outcome, answered: bool) -> (Reweighed, Option<Decided>) {
        let settings = RewardSettings::default();
        let reward = settings.reward(&outcome);
        let episode = &mut self.episodes[at];
        let record = self.domains.entry(episode.domain).or_default();
        record.change(episode, &outcome, reward, answered);
        // That of a run which was deleted has no question, and is shown nowhere.
        if !episode.question.is_empty() {
            self.extremes.forget(&episode.question, episode.reward);
            self.extremes.note(&settings, &episode.question, episode.action, &outcome);
        }
        let before = episode.reward;
        (episode.outcome, episode.reward, episode.answered) = (outcome, reward, answered);
        let reweighed = Reweighed { chosen: episode.chosen, reward };
        (reweighed, self.compete_again(at, before))
    }
}
