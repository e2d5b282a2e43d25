//! How a question is taken apart, chosen by a policy that learns from the rewards of runs
//! (seeds/super-llm-block.md, function 2; docs/decisions/0012-how-the-brain-learns.md).

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{Episode, LearnerAccount, Reweighed, strategy_name};
use crate::planning::decompose::{
    Action, EpisodeId, Expertise, LearnError, Learner, LearnerSettings, Moment, State, Strategy, Tuning,
};
use crate::planning::domain::Domain;
use crate::planning::simplicity::{TaskType, simplicity};

/// Newest episodes of a domain that say how it goes there now.
const RECENT: usize = 20;

/// Above this an episode is an example, and so many of them are.
const HIGH_REWARD: f64 = 0.90;
const MOST_PRACTICES: usize = 3;

/// What the policy is told of one part of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartFacts<'question> {
    /// Its words.
    pub text: &'question str,
    /// Whether it asks for records that meet conditions.
    pub has_conditions: bool,
}

/// A question before it is taken apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// What kind of documents it is asked of.
    pub domain: Domain,
    /// 0 (simple) to 1.
    pub complexity: f64,
    /// Its words.
    pub words: u32,
    /// Its parts.
    pub parts: u32,
    /// Whether it sets bounds.
    pub has_constraints: bool,
    /// What the asker knows of the matter (`user_expertise`).
    pub expertise: Expertise,
}

impl Asked {
    /// The same of somebody who knows so much.
    #[must_use]
    pub fn by(self, expertise: Option<Expertise>) -> Self {
        Self { expertise: expertise.unwrap_or_default(), ..self }
    }

    /// What can be told of a question before anybody is asked.
    pub fn of(question: &str, documents: &[String], parts: &[PartFacts]) -> Self {
        let score = |text: &str| simplicity(text, TaskType::FactualSearch, None).score;
        let simple = parts.iter().map(|part| score(part.text)).sum::<f64>() / parts.len().max(1) as f64;
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            domain: Domain::of(documents),
            complexity: 1.0 - simple,
            words: count(question.split_whitespace().count()),
            parts: count(parts.len()),
            has_constraints: parts.iter().any(|part| part.has_conditions),
            expertise: Expertise::default(),
        }
    }

    /// The same of a question whose parts are not known yet: `likely_parts` is a guess. `is_value` says whether the documents
    /// hold a word as a value; `simplicity` is the question's, 0..=1.
    pub fn before_parts(
        question: &str,
        documents: &[String],
        likely_parts: usize,
        is_value: impl Fn(&str) -> bool,
        simplicity: f64,
    ) -> Self {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            domain: Domain::of(documents),
            complexity: 1.0 - simplicity,
            words: count(question.split_whitespace().count()),
            parts: count(likely_parts),
            has_constraints: question.split(|letter: char| !letter.is_alphanumeric()).any(is_value),
            expertise: Expertise::default(),
        }
    }
}

/// What the policy chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// To be named when the reward is known.
    pub episode: EpisodeId,
    /// How to take the question apart.
    pub action: Action,
    /// Whether something was tried.
    pub explored: bool,
    /// The test in which a coin chose between two ways (`test_sample_size`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<u64>,
    /// How many updates the policy had had.
    pub updates: u64,
    /// Why, in words.
    pub why: String,
    /// Why questions that were taken apart like this went best, in this program's own words; often nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub practices: Vec<String>,
}

impl LearnerAccount {
    /// An account whose policy begins with these settings, the seed of its draws among them.
    pub fn with_policy(settings: LearnerSettings) -> Result<Self, LearnError> {
        let policy = Learner::new(settings)?.stored()?;
        Ok(Self { policy: Some(Box::new(policy)), ..Self::default() })
    }

    /// Has the policy go by these hyperparameters from here on; one that begins with the next question does, too.
    pub fn tune(&mut self, tuning: Tuning) -> Result<(), LearnError> {
        let mut learner = self.learner()?;
        if learner.tune(tuning) {
            self.policy = Some(Box::new(learner.stored()?));
        }
        Ok(())
    }

    /// Whether the policy can go on, if there is one.
    pub(super) fn is_sound(&self) -> bool {
        self.policy.as_ref().is_none_or(|policy| policy.is_sound())
    }

    /// How often the policy has learned, and of how many choices; `None` before the first one.
    pub fn policy_so_far(&self) -> Option<(u64, u64)> {
        self.policy.as_ref().map(|policy| (policy.updates(), policy.episodes()))
    }

    /// What the policy finds best, by domain, for a question like the latest for which it chose there. Nothing before it has
    /// learned, or since it has forgotten; nothing that is retired.
    pub fn favourites(&self) -> Result<Vec<(Domain, Action)>, LearnError> {
        if self.policy.is_none() {
            return Ok(Vec::new());
        }
        let learner = self.learner()?;
        if learner.updates() == learner.learning_since() {
            return Ok(Vec::new());
        }
        let mut favourites = Vec::new();
        for domain in Domain::ALL {
            let closed = self.field(domain).closed;
            let best =
                learner.best_for(domain.number())?.filter(|best| !closed.contains(&Strategy::of(best)));
            favourites.extend(best.map(|best| (domain, best)));
        }
        Ok(favourites)
    }

    /// Chooses how to take a question apart. A policy begins with the first one; its draws are its own.
    pub fn choose(&mut self, asked: &Asked) -> Result<Chosen, LearnError> {
        let mut learner = self.learner()?;
        let field = self.field(asked.domain);
        let choice = learner.choose_within(&field, &self.state(asked))?;
        let updates = learner.updates();
        self.policy = Some(Box::new(learner.stored()?));
        let test = self.test_in_words(asked.domain).filter(|_| choice.tested);
        let mut why = match (choice.explored, updates) {
            _ if choice.tested => test.as_ref().map_or_else(String::new, |(_, words)| words.clone()),
            (true, _) => "one of the four choices was drawn evenly, to see what it is worth".to_owned(),
            (false, 0) => {
                "drawn by a policy that has not learned yet: every strategy is about as likely".to_owned()
            }
            (false, updates) => format!("drawn by a policy that has learned {updates} times"),
        };
        if !field.closed.is_empty() {
            let closed: Vec<String> = field.closed.iter().map(|strategy| format!("\"{strategy}\"")).collect();
            // Writing into a String cannot fail.
            let _ = write!(why, "; retired here: {}", closed.join(", "));
        }
        let practices = self.best_practices(choice.action);
        Ok(Chosen {
            episode: choice.episode,
            action: choice.action,
            explored: choice.explored,
            test: test.map(|(number, _)| number),
            updates,
            why,
            practices,
        })
    }

    /// Why questions that were taken apart by this strategy went best: the first three of more than 0.90
    /// (`get_best_practices`).
    pub(super) fn best_practices(&self, action: Action) -> Vec<String> {
        let strategy = strategy_name(&action);
        let best = self.extremes.best.iter();
        let of_strategy =
            best.filter(|one| one.reward > HIGH_REWARD && strategy_name(&one.action) == strategy);
        of_strategy.take(MOST_PRACTICES).map(|one| one.why.clone()).collect()
    }

    /// Tells the policy what an episode of its was worth, and again when that changes. What it has forgotten needs no
    /// telling.
    pub fn teach(&mut self, reweighed: Reweighed) -> Result<(), LearnError> {
        let Some(episode) = reweighed.chosen.filter(|_| self.policy.is_some()) else { return Ok(()) };
        let mut learner = self.learner()?;
        let learning_since = learner.learning_since();
        let heard = learner.reward(episode, reweighed.reward);
        if matches!(heard, Err(LearnError::Forgotten(_))) {
            return Ok(());
        }
        heard?;
        // At once, as it forgot: until the next update questions would be asked by tests of what holds no longer.
        if learner.learning_since() != learning_since {
            self.restart_contests();
        }
        self.policy = Some(Box::new(learner.stored()?));
        Ok(())
    }

    fn learner(&self) -> Result<Learner, LearnError> {
        if let Some(stored) = &self.policy
            && let Some(learner) = Learner::going_on(stored.as_ref().clone())?
        {
            return Ok(learner);
        }
        // None yet: one whose weights do not fit is set aside where it is read.
        Learner::new(LearnerSettings { seed: rand::random(), ..LearnerSettings::default() })
    }

    /// What the policy sees. Nobody has been asked yet: who is there, and how busy, is as it was last (`encode_state`).
    pub(super) fn state(&self, asked: &Asked) -> State {
        let domain = asked.domain;
        let of_domain = || self.episodes().rev().filter(move |episode| episode.domain == domain).take(RECENT);
        let mean = |value: fn(&Episode) -> f64, without: f64| {
            let (count, sum) =
                of_domain().fold((0_u32, 0.0), |(count, sum), episode| (count + 1, sum + value(episode)));
            if count == 0 { without } else { sum / f64::from(count) }
        };
        let last = self.episodes().next_back();
        let Moment { load, network_latency_secs } = last.map(|episode| episode.moment).unwrap_or_default();
        State {
            complexity: asked.complexity,
            words: asked.words,
            domain: asked.domain.number(),
            has_constraints: asked.has_constraints,
            clauses: asked.parts,
            providers: last.map_or(0, |episode| episode.providers),
            load,
            network_latency_secs,
            recent_success: mean(|episode| episode.outcome.success, 0.5),
            recent_reward: mean(|episode| episode.reward, 0.0),
            expertise: asked.expertise,
            satisfaction: mean(|episode| episode.outcome.satisfaction.share(), 0.5),
        }
    }
}
