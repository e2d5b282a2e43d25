//! What has been asked so far, so that an experiment which was stopped goes on.
//!
//! ```text
//!   lab-compound/brain-SEED.json   the policy in training: a question more is a choice more
//!   lab-compound/trials.json       what was measured, written whole after each trial
//! ```
//!
//! Stopped at any moment, the question under way is lost.

use std::path::{Path, PathBuf};

use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_learning::planning::decompose::LearnerSettings;
use frlm_learning::saved::{self, Stamp};
use serde::{Deserialize, Serialize};

use super::trial::{Trial, Way};
use frlm_client::failure::Failure;

const STAMP: Stamp = Stamp { format: "frlm-lab-compound", version: 1 };

/// What an experiment is about: it goes on only with the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Held-out questions for each seed.
    pub questions: usize,
    /// Questions that the policy learns from, for each seed.
    pub training: usize,
    /// Lines of a document.
    pub lines: usize,
    /// Who answers.
    pub model: String,
    /// Who takes questions apart, if not code.
    pub planner: Option<String>,
    /// How the policy learns.
    pub learner: LearnerSettings,
}

/// An experiment with its folder.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    state: State,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    settings: Settings,
    trials: Vec<Trial>,
}

impl Kept {
    /// Goes on with what lies in the folder, or begins.
    pub fn open(folder: &Path, settings: &Settings, fresh: bool) -> anyhow::Result<Self> {
        if fresh && folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
        std::fs::create_dir_all(folder)?;
        let path = trials_in(folder);
        let state = if path.exists() {
            saved::read(&path, STAMP).map_err(Failure::usage)?
        } else {
            State { settings: settings.clone(), trials: Vec::new() }
        };
        if state.settings != *settings {
            return Err(Failure::usage(format!(
                "{}: this experiment began with other settings ({:?}); name the same ones, or begin a new one (--fresh)",
                path.display(),
                state.settings
            ))
            .into());
        }
        let kept = Self { folder: folder.to_owned(), state };
        // A training belongs to these settings before its first measurement, too.
        kept.write()?;
        Ok(kept)
    }

    /// The policy of a seed.
    pub fn memory(&self, seed: u64) -> LearnerMemory {
        LearnerMemory::at(self.folder.join(format!("brain-{seed}.json")))
    }

    /// Whether a question was asked this way.
    pub fn has(&self, seed: u64, way: Way, question: usize) -> bool {
        self.state.trials.iter().any(|trial| (trial.seed, trial.way, trial.question) == (seed, way, question))
    }

    /// Keeps a trial; durable when it returns.
    pub fn add(&mut self, trial: Trial) -> anyhow::Result<()> {
        self.state.trials.push(trial);
        self.write()
    }

    /// What was measured with these seeds.
    pub fn trials(&self, seeds: std::ops::Range<u64>) -> Vec<Trial> {
        self.state.trials.iter().filter(|trial| seeds.contains(&trial.seed)).cloned().collect()
    }

    /// What it is about.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    fn write(&self) -> anyhow::Result<()> {
        Ok(saved::write(&trials_in(&self.folder), STAMP, &self.state)?)
    }
}

fn trials_in(folder: &Path) -> PathBuf {
    folder.join("trials.json")
}

#[cfg(test)]
mod tests {
    use super::super::trial::rated;
    use super::*;

    fn settings(questions: usize) -> Settings {
        Settings {
            questions,
            training: 200,
            lines: 48,
            model: "scripted ?".to_owned(),
            planner: None,
            learner: LearnerSettings::default(),
        }
    }

    fn trial(question: usize) -> Trial {
        let (outcome, reward) = rated(None, false, 1.5);
        Trial {
            seed: 1,
            question,
            kind: "fan".to_owned(),
            way: Way::Trained,
            strategy: "one by one, specific".to_owned(),
            right: false,
            subtasks: 9,
            sats: 70,
            outcome,
            reward,
        }
    }

    #[test]
    fn an_experiment_goes_on_with_the_same_settings_and_only_with_those() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("lab-compound");
        let mut kept = Kept::open(&folder, &settings(10), false).unwrap();
        kept.add(trial(0)).unwrap();
        kept.add(trial(1)).unwrap();
        drop(kept);
        let again = Kept::open(&folder, &settings(10), false).unwrap();
        assert_eq!(again.trials(1..2), [trial(0), trial(1)]);
        assert!(again.trials(2..9).is_empty());
        assert!(again.has(1, Way::Trained, 1));
        assert!(
            !again.has(1, Way::Planner, 1)
                && !again.has(1, Way::Trained, 2)
                && !again.has(2, Way::Trained, 1)
        );
        let refused = Kept::open(&folder, &settings(11), false).unwrap_err().to_string();
        assert!(refused.contains("--fresh"), "{refused}");
        assert!(Kept::open(&folder, &settings(11), true).unwrap().trials(0..9).is_empty());
    }
}
