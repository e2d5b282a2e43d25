//! `frlm strategies`: how the ways to take questions apart fare, which are tested against each other, and which are
//! retired (seeds/super-llm-block.md, `meta_learning`).

use frlm_client::learning::planning::account::memory::{LearnerError, LearnerMemory};
use frlm_client::learning::planning::decompose::Strategy;
use frlm_client::learning::planning::domain::Domain;

use crate::cli::StrategiesCommand;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::strategies::{as_json, table};

/// Does what was asked with the strategies.
pub fn run(command: &StrategiesCommand, home: &Home) -> anyhow::Result<()> {
    let memory = LearnerMemory::at(home.learner());
    match command {
        StrategiesCommand::List { json } => {
            let account = memory.load()?.unwrap_or_default();
            if *json {
                say!("{}", as_json(&account));
            } else if account.domains().is_empty() {
                note!("no run was evaluated yet; ask with frlm ask first");
            } else {
                say_raw!("{}", table(&account));
            }
        }
        StrategiesCommand::Restore { documents, strategy } => {
            let domain = Domain::named(documents).ok_or_else(|| {
                let all: Vec<String> = Domain::ALL.iter().map(ToString::to_string).collect();
                Failure::usage(format!("\"{documents}\" is no kind of document; choose {}", all.join(", ")))
            })?;
            let strategy = Strategy::named(strategy).ok_or_else(|| {
                let all: Vec<String> = Strategy::all().map(|strategy| format!("\"{strategy}\"")).collect();
                Failure::usage(format!("\"{strategy}\" is no strategy; choose {}", all.join(", ")))
            })?;
            memory.bring_back(domain, strategy).map_err(|error| match error {
                LearnerError::Contest(_) => Failure::usage(error).into(),
                error => anyhow::Error::from(error),
            })?;
            note!("\"{strategy}\" is in use again for {domain}; it may be tested again");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frlm_client::strategies::testing::retired_one;

    #[test]
    fn restore_takes_a_retired_strategy_back_and_names_what_it_does_not_know() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let memory = LearnerMemory::at(home.learner());
        memory.begin(&retired_one()).unwrap();
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
            assert_eq!(frlm_client::failure::render_error(&error).1, 2, "a usage mistake: {error}");
        }
        restore("logs", "in waves, specific").unwrap();
        let text = table(&memory.load().unwrap().unwrap());
        assert!(!text.contains("retired"), "{text}");
    }
}
