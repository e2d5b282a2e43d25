//! Ways to take questions apart by kind of document, for the command and for the window: how they fare, and how the
//! tests between them stand (seeds/super-llm-block.md, `meta_learning`).

use std::fmt::Write as _;

use frlm_learning::planning::account::{LearnerAccount, strategy_name};
use frlm_learning::planning::decompose::Strategy;
use frlm_learning::planning::domain::Domain;
use frlm_learning::planning::strategies::{Contest, FEWEST_SAMPLES, StrategyStatus};
use serde_json::{Value, json};

/// A strategy in a domain.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The kind of document.
    pub domain: Domain,
    /// The strategy's name.
    pub name: String,
    /// Questions.
    pub questions: u64,
    /// Those with an answer.
    pub answered: u64,
    /// Mean reward.
    pub reward: f64,
    /// How it stands.
    pub test: Test,
}

/// How a strategy stands against others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// Nobody chose it there: it is how questions are asked where there is nothing to choose.
    NotChosen,
    /// The policy may choose it; no test of it was decided.
    InUse,
    /// Its test runs.
    Running {
        /// Against whom.
        against: Strategy,
        /// Its own samples so far.
        samples: u64,
    },
    /// It won its latest test.
    Won {
        /// Against whom.
        against: Strategy,
    },
    /// It lost, and is not chosen.
    Retired {
        /// Which one to bring back.
        strategy: Strategy,
        /// Why it lost.
        why: String,
    },
}

impl Test {
    /// For programs.
    pub fn key(&self) -> &'static str {
        match self {
            Self::NotChosen => "not_chosen",
            Self::InUse => "in_use",
            Self::Running { .. } => "running",
            Self::Won { .. } => "decided",
            Self::Retired { .. } => "retired",
        }
    }

    /// In a few words.
    pub fn in_words(&self) -> String {
        match self {
            Self::NotChosen => "–".to_owned(),
            Self::InUse => "in use".to_owned(),
            Self::Running { samples, .. } => format!("running, {samples} of {FEWEST_SAMPLES}"),
            Self::Won { .. } => "decided, won".to_owned(),
            Self::Retired { .. } => "retired".to_owned(),
        }
    }

    /// Why so; nothing where there was no test.
    pub fn why(&self) -> Option<String> {
        match self {
            Self::NotChosen | Self::InUse => None,
            Self::Running { against, .. } | Self::Won { against } => Some(format!("against \"{against}\"")),
            Self::Retired { why, .. } => Some(why.clone()),
        }
    }
}

/// What the policy finds best now by kind of document, in a sentence; empty before it has learned.
pub fn favourites(account: &LearnerAccount) -> String {
    let favourites = match account.favourites() {
        Ok(favourites) => favourites,
        Err(error) => return format!("Its best choice now is not known: {error}."),
    };
    let told = favourites.iter().map(|(domain, action)| {
        format!("for {domain} \"{}\", at most {} parts at once", strategy_name(action), action.steps)
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { String::new() } else { format!("Best choice now: {}.", told.join("; ")) }
}

/// All that were ever used, by kind of document, best first.
pub fn rows(account: &LearnerAccount) -> Vec<Row> {
    let mut rows = Vec::new();
    for (domain, record) in account.domains() {
        let contest = account.contests().get(domain);
        rows.extend(record.strategies.iter().map(|(name, strategy)| Row {
            domain: *domain,
            name: name.clone(),
            questions: strategy.rewards.count,
            answered: strategy.answered,
            reward: strategy.rewards.mean,
            test: contest.map_or(Test::NotChosen, |contest| test(contest, name)),
        }));
    }
    rows.sort_by(|one, other| {
        let by_domain = one.domain.to_string().cmp(&other.domain.to_string());
        by_domain.then_with(|| other.reward.total_cmp(&one.reward))
    });
    rows
}

fn test(contest: &Contest, name: &str) -> Test {
    let known = contest.contenders().iter().find(|contender| contender.strategy.to_string() == name);
    let Some(contender) = known else { return Test::NotChosen };
    let strategy = contender.strategy;
    let running = |against: Option<Strategy>| {
        let samples = contender.trial.count;
        against.map_or(Test::InUse, |against| Test::Running { against, samples })
    };
    match &contender.status {
        StrategyStatus::Retired { why } => Test::Retired { strategy, why: why.clone() },
        StrategyStatus::InUse => Test::InUse,
        StrategyStatus::Challenger => running(contest.test().map(|test| test.champion.strategy)),
        StrategyStatus::Champion => {
            let won = contest.decided().iter().rev().find(|decided| decided.winner == strategy);
            let before = won.map_or(Test::InUse, |decided| Test::Won { against: decided.loser });
            contest.test().map_or(before, |test| running(Some(test.challenger.strategy)))
        }
    }
}

/// A table for people, with how to use again what is retired.
pub fn table(account: &LearnerAccount) -> String {
    let mut text = format!(
        "{:24}  {:9}  {:>9}  {:>8}  {:>6}  test\n",
        "strategy", "documents", "questions", "answered", "reward"
    );
    let rows = rows(account);
    // Writing into a String cannot fail, here and below.
    for Row { domain, name, questions, answered, reward, test } in &rows {
        let why = test.why().map_or(String::new(), |why| format!(", {why}"));
        let _ = writeln!(
            text,
            "{name:24}  {:9}  {questions:>9}  {answered:>8}  {reward:>6.2}  {}{why}",
            domain.to_string(),
            test.in_words(),
        );
    }
    let best = favourites(account);
    if !best.is_empty() {
        let _ = writeln!(text, "the policy chooses among those that are in use. {best}");
    }
    for row in &rows {
        if let Test::Retired { strategy, .. } = &row.test {
            let _ = writeln!(text, "to use it again: frlm strategies restore {} \"{strategy}\"", row.domain);
        }
    }
    text
}

/// The same for programs, with what was decided.
pub fn as_json(account: &LearnerAccount) -> Value {
    let strategies: Vec<Value> = rows(account)
        .into_iter()
        .map(|row| {
            json!({
                "strategy": row.name, "documents": row.domain, "questions": row.questions, "answered": row.answered,
                "mean_reward": row.reward, "test": row.test.key(), "why": row.test.why(),
            })
        })
        .collect();
    let mut decided = Vec::new();
    for (domain, contest) in account.contests() {
        decided.extend(contest.decided().iter().map(|one| {
            json!({
                "documents": domain, "test": one.test, "winner": one.winner.to_string(),
                "loser": one.loser.to_string(), "why": one.why,
            })
        }));
    }
    // A policy that cannot be computed with is set aside where it is read.
    let favourites: Vec<Value> = account
        .favourites()
        .unwrap_or_default()
        .into_iter()
        .map(|(domain, action)| {
            json!({
                "documents": domain, "strategy": strategy_name(&action), "most_parts_at_once": action.steps,
            })
        })
        .collect();
    json!({ "strategies": strategies, "decided": decided, "favourites": favourites })
}

/// Accounts in which something was decided or learned.
#[cfg(any(test, feature = "testing"))]
#[cfg_attr(
    not(test),
    expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test that cannot go on panics")
)]
#[cfg_attr(test, expect(clippy::missing_panics_doc, reason = "a test that cannot go on panics"))]
pub mod testing {
    use frlm_learning::planning::account::{Asked, LearnerAccount, Reweighed, Served};
    use frlm_learning::planning::decompose::{
        Action, EpisodeId, Expertise, LearnerSettings, Moment, Pattern,
    };
    use frlm_learning::planning::domain::Domain;
    use frlm_learning::planning::hints::HintRecord;
    use frlm_learning::planning::reward::Outcome;
    use frlm_learning::planning::satisfaction::Satisfaction;
    use frlm_learning::planning::strategies::{FEWEST_SAMPLES, FEWEST_TO_TEST};

    /// Over logs "in waves, specific" lost against "all at once, specific", though all its questions had an answer, too.
    pub fn retired_one() -> LearnerAccount {
        let mut account = LearnerAccount::default();
        let better = Action::STATIC;
        let worse = Action { pattern: Pattern::Hybrid, ..better };
        let mut runs = 0;
        let mut ask = |action: Action, test: Option<u64>, success: f64, times: u64| {
            for _ in 0..times {
                runs += 1;
                account.note(&served(runs, action, test, success), runs);
            }
        };
        ask(better, None, 0.9, FEWEST_TO_TEST + 1);
        ask(worse, None, 0.6, FEWEST_TO_TEST);
        ask(better, Some(1), 0.9, FEWEST_SAMPLES);
        ask(worse, Some(1), 0.6, FEWEST_SAMPLES);
        account
    }

    /// Its policy has learned once, of two questions over logs.
    pub fn taught_one() -> LearnerAccount {
        let soon = LearnerSettings {
            update_every: 2,
            batch_size: 2,
            steps_per_update: 1,
            ..LearnerSettings::default()
        };
        let mut account = LearnerAccount::with_policy(soon).unwrap();
        let asked = Asked {
            domain: Domain::Logs,
            complexity: 0.3,
            words: 12,
            parts: 4,
            has_constraints: true,
            expertise: Expertise::default(),
        };
        for number in 0..2 {
            let chosen = account.choose(&asked).unwrap();
            account.note(&served(number, chosen.action, None, 1.0), number);
            account.teach(Reweighed { chosen: Some(chosen.episode), reward: 0.8 }).unwrap();
        }
        account
    }

    /// A question over logs in four parts, for which somebody chose.
    pub fn served(run: u64, action: Action, test: Option<u64>, success: f64) -> Served {
        Served {
            run_id: format!("run {run}"),
            question: format!("How many orders of day {run} failed?"),
            domain: Domain::Logs,
            action,
            chosen: Some(EpisodeId(run)),
            test,
            explored: false,
            hints: HintRecord::default(),
            phrased: None,
            correctness: success,
            subtasks: 4,
            providers: 3,
            moment: Moment::default(),
            answered: success > 0.5,
            outcome: Outcome {
                success,
                satisfaction: Satisfaction::Guessed(0.5),
                latency_secs: 3.0,
                simplicity: 0.8,
                coherence: 1.0,
                steps: 4,
                complex: true,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{retired_one, taught_one};
    use super::*;

    #[test]
    fn the_list_says_who_was_retired_and_why() {
        let (text, listed) = (table(&retired_one()), as_json(&retired_one()));
        let line = |strategy: &str| text.lines().find(|line| line.starts_with(strategy)).unwrap().to_owned();
        assert!(
            line("all at once, specific").ends_with("decided, won, against \"in waves, specific\""),
            "{text}"
        );
        let retired = line("in waves, specific");
        assert!(retired.contains("retired, against \"all at once, specific\": worth at least"), "{text}");
        assert!(text.ends_with("frlm strategies restore logs \"in waves, specific\"\n"), "{text}");
        assert_eq!(
            (&listed["strategies"][1]["test"], &listed["decided"][0]["test"]),
            (&json!("retired"), &json!(1))
        );
    }

    #[test]
    fn the_list_says_what_the_policy_finds_best_once_it_has_learned() {
        assert!(!table(&retired_one()).contains("best choice now"), "it has learned nothing");
        assert_eq!(as_json(&retired_one())["favourites"], json!([]));
        let account = taught_one();
        let (text, listed) = (table(&account), as_json(&account));
        let best = &listed["favourites"][0];
        let strategy = best["strategy"].as_str().unwrap();
        let (at_once, documents) = (best["most_parts_at_once"].as_u64().unwrap(), &best["documents"]);
        assert!(
            (2..=7).contains(&at_once) && Strategy::named(strategy).is_some() && documents == "logs",
            "{listed}"
        );
        let told = format!("Best choice now: for logs \"{strategy}\", at most {at_once} parts at once.\n");
        assert!(text.ends_with(&told), "{text}");
    }
}
