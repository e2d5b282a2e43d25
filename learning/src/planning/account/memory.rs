//! The file that holds the brain's account, and how several processes share it.
//!
//! ```text
//!   each change:  lock ─► read the latest ─► change it ─► write it whole, aside, durable, renamed ─► unlock
//! ```
//!
//! Killed at any moment, the file is the one before the change or the one after it. A damaged one is renamed, so that it is
//! neither used nor lost, and the account starts over.

use std::path::{Path, PathBuf};

use super::{Asked, Chosen, LearnerAccount, Noted, Reweighed, Served};
use crate::planning::decompose::{LearnError, Strategy, Tuning};
use crate::planning::domain::Domain;
use crate::planning::performance::Work;
use crate::planning::phrasing::Template;
use crate::planning::satisfaction::{Behaviour, Satisfaction};
use crate::planning::simplicity::TaskType;
use crate::planning::strategies::ContestError;
use crate::saved::{self, SavedError, Stamp};

/// What the file says it is.
pub const STAMP: Stamp = Stamp { format: "frlm-brain", version: 2 };
/// What it said before ways competed: an older program would drop what it does not know of.
const BEFORE_CONTESTS: Stamp = Stamp { version: 1, ..STAMP };

/// Why an account could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LearnerError {
    /// The file.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// The policy.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// Not a strategy that could be brought back.
    #[error(transparent)]
    Contest(#[from] ContestError),
    /// It was damaged.
    #[error("{} is damaged ({why}); it is set aside as {}, and learning starts over", .path.display(), .aside.display())]
    Quarantined {
        /// Where it was.
        path: PathBuf,
        /// Where it is now.
        aside: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// The file that holds an account.
#[derive(Debug, Clone)]
pub struct LearnerMemory {
    path: PathBuf,
    /// How its user wants the policy to learn; `None`: as it did before.
    tuning: Option<Tuning>,
}

impl LearnerMemory {
    /// The account in this file, whether it is there already or not.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), tuning: None }
    }

    /// The same, and from the next question on its policy goes by these hyperparameters, also where it learns of a rating.
    #[must_use]
    pub fn tuned(self, tuning: Tuning) -> Self {
        Self { tuning: Some(tuning), ..self }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The account; `None` if there is none yet. A damaged file is set aside, which the error says; a caller that looks
    /// again finds none. Blocks while another process writes.
    pub fn load(&self) -> Result<Option<LearnerAccount>, LearnerError> {
        let _held = saved::lock(&self.path)?;
        self.read()
    }

    /// Begins with this account; `false` if there is one already. Blocks while another process writes.
    pub fn begin(&self, account: &LearnerAccount) -> Result<bool, LearnerError> {
        let _held = saved::lock(&self.path)?;
        if self.read()?.is_some() {
            return Ok(false);
        }
        self.write(account)?;
        Ok(true)
    }

    /// Takes in what a run showed. Blocks while another process writes.
    pub fn add(&self, served: &Served) -> Result<Noted, LearnerError> {
        self.add_work(served, &Work::default())
    }

    /// The same with how it worked. Blocks while another process writes.
    pub fn add_work(&self, served: &Served, work: &Work) -> Result<Noted, LearnerError> {
        let now_ms = frlm_util::clock::unix_millis();
        let _held = saved::lock(&self.path)?;
        let mut account = self.read()?.unwrap_or_default();
        let noted = account.note_work(served, work, now_ms);
        let taught = account.teach(Reweighed { chosen: served.chosen, reward: noted.appraisal.reward });
        self.write(&account)?;
        taught?;
        Ok(noted)
    }

    /// Chooses how to take a question apart, and remembers that it did. Blocks while another process writes.
    pub fn choose(&self, asked: &Asked) -> Result<Chosen, LearnerError> {
        let _held = saved::lock(&self.path)?;
        let mut account = self.read()?.unwrap_or_default();
        if let Some(tuning) = self.tuning {
            account.tune(tuning)?;
        }
        let chosen = account.choose(asked)?;
        self.write(&account)?;
        Ok(chosen)
    }

    /// The way to put a question of this kind to readers that is worth a try now, among those that code can put it in, and
    /// that of a model where one is there. `framed`: readers are told all that a template says anyway. Blocks while
    /// another process writes.
    pub fn phrasing(
        &self,
        task_type: TaskType,
        question: &str,
        by_model: bool,
        framed: bool,
    ) -> Result<Template, LearnerError> {
        let account = self.load()?.unwrap_or_default();
        let can = |template: Template| match template {
            Template::Rewrite => by_model,
            Template::AsAsked => true,
            template => !framed && template.for_reader(question).is_some(),
        };
        Ok(account.phrasings().next(task_type, can))
    }

    /// Hears what somebody thinks of a run's answer; `false` where the run is not known or was rated before. Blocks
    /// while another process writes.
    pub fn rate(&self, run: &str, satisfaction: Satisfaction) -> Result<bool, LearnerError> {
        self.change(|account| account.rate(run, satisfaction))
    }

    /// Takes in what the user was seen to do with a run's answer; `false` where that changes nothing. Blocks while
    /// another process writes.
    pub fn observe(&self, run: &str, seen: &Behaviour) -> Result<bool, LearnerError> {
        self.change(|account| account.observe(run, seen))
    }

    /// Takes a way that was retired in a domain into use again. Blocks while another process writes.
    pub fn bring_back(&self, domain: Domain, strategy: Strategy) -> Result<(), LearnerError> {
        let _held = saved::lock(&self.path)?;
        let mut account = self.read()?.unwrap_or_default();
        account.bring_back(domain, strategy)?;
        self.write(&account)
    }

    /// Where an account stands that was set aside as damaged; `None` if none was. Nobody reads it again, and whatever
    /// question it knew may still stand there.
    pub fn quarantined_before(&self) -> Option<PathBuf> {
        Some(self.path_aside()).filter(|aside| aside.exists())
    }

    /// Takes the question of a deleted run out; `false` where the run is not known. Blocks while another process
    /// writes.
    pub fn forget_question(&self, run: &str) -> Result<bool, LearnerError> {
        let _held = saved::lock(&self.path)?;
        saved::clear_unfinished(&self.path)?;
        let Some(mut account) = self.read()? else { return Ok(false) };
        let known = account.forget_question(run);
        if known {
            self.write(&account)?;
        }
        Ok(known)
    }

    /// Changes what an episode was worth, if there is an account and it knows it, and has the policy hear of that.
    fn change(
        &self,
        change: impl FnOnce(&mut LearnerAccount) -> Option<Reweighed>,
    ) -> Result<bool, LearnerError> {
        let _held = saved::lock(&self.path)?;
        let Some(mut account) = self.read()? else { return Ok(false) };
        let Some(reweighed) = change(&mut account) else { return Ok(false) };
        let taught = account.teach(reweighed);
        self.write(&account)?;
        taught?;
        Ok(true)
    }

    fn read(&self) -> Result<Option<LearnerAccount>, LearnerError> {
        if !self.path.exists() {
            return Ok(None);
        }
        let read = match saved::read(&self.path, STAMP) {
            Err(SavedError::Other { version, .. }) if version == BEFORE_CONTESTS.version => {
                saved::read(&self.path, BEFORE_CONTESTS).map(LearnerAccount::of_version_1)
            }
            read => read,
        };
        match read {
            Err(SavedError::Damaged { source, .. }) => Err(self.quarantine(source.to_string())),
            Ok(account) if !account.is_sound() => Err(self
                .quarantine("the weights of its policy are no numbers, or too few or too many".to_owned())),
            read => Ok(Some(read?)),
        }
    }

    fn quarantine(&self, why: String) -> LearnerError {
        let aside = self.path_aside();
        // If it cannot even be renamed, the next change replaces it.
        let _ = std::fs::rename(&self.path, &aside);
        LearnerError::Quarantined { path: self.path.clone(), aside, why }
    }

    fn path_aside(&self) -> PathBuf {
        self.path.with_extension("damaged")
    }

    fn write(&self, account: &LearnerAccount) -> Result<(), LearnerError> {
        Ok(saved::write(&self.path, STAMP, account)?)
    }
}
