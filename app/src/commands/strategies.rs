//! `frlm strategies`: how the ways to take questions apart fare, which are tested against each other, and which are
//! retired (seeds/super-llm-block.md, `meta_learning`).

use std::fmt::Write as _;

use frlm_client::learning::planning::account::memory::{BrainError, BrainMemory};
use frlm_client::learning::planning::account::{BrainAccount, strategy_name};
use frlm_client::learning::planning::decompose::Way;
use frlm_client::learning::planning::domain::Domain;
use serde_json::{Value, json};

use crate::cli::StrategiesCommand;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::strategies::{Row, Test, favourites, rows};

/// Does what was asked with the strategies.
pub fn run(command: &StrategiesCommand, home: &Home) -> anyhow::Result<()> {
    let memory = BrainMemory::at(home.brain());
    match command {
        StrategiesCommand::List { json } => {
            let account = memory.load()?.unwrap_or_default();
            if *json {
                say!("{}", as_json(&account));
            } else if account.domains().is_empty() {
                note!("no run was evaluated yet; frlm ask does, and this shows what came of it");
            } else {
                say_raw!("{}", describe(&account));
            }
        }
        StrategiesCommand::Restore { documents, strategy } => {
            let domain = Domain::named(documents).ok_or_else(|| {
                let all: Vec<String> = Domain::ALL.iter().map(ToString::to_string).collect();
                Failure::usage(format!("«{documents}» is no kind of document; choose {}", all.join(", ")))
            })?;
            let way = Way::named(strategy).ok_or_else(|| {
                let all: Vec<String> = Way::all().map(|way| format!("\"{way}\"")).collect();
                Failure::usage(format!("«{strategy}» is no strategy; choose {}", all.join(", ")))
            })?;
            memory.bring_back(domain, way).map_err(|error| match error {
                BrainError::Contest(_) => Failure::usage(error).into(),
                error => anyhow::Error::from(error),
            })?;
            note!("«{way}» is in use again for {domain}; it may be tested anew");
        }
    }
    Ok(())
}

fn describe(account: &BrainAccount) -> String {
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
        if let Test::Retired { way, .. } = &row.test {
            let _ = writeln!(text, "to use it again: frlm strategies restore {} \"{way}\"", row.domain);
        }
    }
    text
}

fn as_json(account: &BrainAccount) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;
    use frlm_client::strategies::testing::{retired_one, taught_one};

    #[test]
    fn the_list_says_what_the_policy_finds_best_once_it_has_learned() {
        assert!(!describe(&retired_one()).contains("finds best now"), "it has learned nothing");
        assert_eq!(as_json(&retired_one())["favourites"], json!([]));
        let account = taught_one();
        let (text, listed) = (describe(&account), as_json(&account));
        let best = &listed["favourites"][0];
        let way = best["strategy"].as_str().unwrap();
        let (at_once, documents) = (best["most_parts_at_once"].as_u64().unwrap(), &best["documents"]);
        assert!((2..=7).contains(&at_once) && Way::named(way).is_some() && documents == "logs", "{listed}");
        let told = format!("What it finds best now: for logs «{way}», at most {at_once} parts at once.\n");
        assert!(text.ends_with(&told), "{text}");
    }

    #[test]
    fn the_list_says_who_was_retired_and_why_and_restore_takes_it_back() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let memory = BrainMemory::at(home.brain());
        memory.begin(&retired_one()).unwrap();
        let text = describe(&memory.load().unwrap().unwrap());
        let line = |way: &str| text.lines().find(|line| line.starts_with(way)).unwrap().to_owned();
        assert!(
            line("all at once, specific").ends_with("decided, won, against «in waves, specific»"),
            "{text}"
        );
        let retired = line("in waves, specific");
        assert!(retired.contains("retired, against «all at once, specific»: worth at least"), "{text}");
        assert!(text.ends_with("frlm strategies restore logs \"in waves, specific\"\n"), "{text}");
        let listed = as_json(&memory.load().unwrap().unwrap());
        assert_eq!(
            (&listed["strategies"][1]["test"], &listed["decided"][0]["test"]),
            (&json!("retired"), &json!(1))
        );
        let restore = |documents: &str, strategy: &str| {
            let (documents, strategy) = (documents.to_owned(), strategy.to_owned());
            run(&StrategiesCommand::Restore { documents, strategy }, &home)
        };
        for (documents, strategy, fix) in [
            ("novels", "in waves, specific", "choose logs, tables"),
            ("logs", "sideways", "choose \"all at once, specific\""),
            ("logs", "all at once, specific", "frlm strategies list"),
            ("code", "in waves, specific", "frlm strategies list"),
        ] {
            let error = restore(documents, strategy).unwrap_err();
            assert!(error.to_string().contains(fix), "{error}");
            assert_eq!(frlm_client::failure::last_words(&error).1, 2, "a usage mistake: {error}");
        }
        restore("logs", "in waves, specific").unwrap();
        let text = describe(&memory.load().unwrap().unwrap());
        assert!(!text.contains("retired"), "{text}");
    }
}
