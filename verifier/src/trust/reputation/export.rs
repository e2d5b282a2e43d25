//! A reputation as a file of the user's own.

use serde::{Deserialize, Serialize};

use super::super::audits::AuditRecord;
use super::super::evidence::{ProviderTraits, TaskClass};
use super::super::record::{Record, kept_after};
use super::Reputation;
use crate::fitness::Score;

/// The form of the file; another one is refused.
pub const VERSION: u32 = 1;

/// One provider's record in a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExportedRecord {
    /// Its key.
    pub provider: String,
    /// What it said of itself.
    pub traits: ProviderTraits,
    /// Over all classes.
    pub overall: Record,
    /// By class.
    pub classes: Vec<(TaskClass, Record)>,
    /// Gold tasks and audits answered right.
    pub gold_right: f64,
    /// Gold tasks and audits answered wrongly.
    pub gold_wrong: f64,
    /// Answers that counted or were compared.
    pub answers: u32,
    /// Jobs it did not answer in time.
    pub timeouts: u32,
    /// What audits by the weights that it claims came to; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "AuditRecord::is_empty")]
    pub audits: AuditRecord,
    /// Its fitness and credits; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Score::is_new")]
    pub score: Score,
    /// Whether a lie was proven.
    pub proven_lie: bool,
    /// Whether the sequential test was lost.
    pub excluded: bool,
}

impl ExportedRecord {
    /// Lets everything but a proven lie fade, as [`Reputation::decay`] does.
    pub fn decay(&mut self, days: f64) {
        self.overall.decay(days);
        self.score.fade(kept_after(days));
        self.classes.iter_mut().for_each(|(_, record)| record.decay(days));
        if self.overall.has_faded() {
            self.excluded = false;
        }
    }
}

/// More answers than anybody checks.
const MOST_CHECKS: f64 = 1e9;
/// Audits' scores that are kept: far more than a test takes.
const MOST_SCORES: usize = 1_000;

impl ExportedRecord {
    fn is_possible(&self) -> bool {
        let counted = |number: f64| (0.0..=MOST_CHECKS).contains(&number);
        let possible =
            |record: &Record| counted(record.right) && counted(record.wrong) && record.test.is_possible();
        let Self { overall, classes, audits, .. } = self;
        possible(overall)
            && classes.iter().all(|(_, record)| possible(record))
            && counted(self.gold_right)
            && counted(self.gold_wrong)
            && (0.0..=1.0).contains(&self.score.fitness)
            && audits.hiding.is_possible()
            && audits.scores_nats.len() <= MOST_SCORES
            && audits.scores_nats.iter().all(|nats| nats.abs() <= MOST_CHECKS)
    }
}

/// How often two providers gave the same wrong answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pair {
    /// One.
    pub left: String,
    /// The other.
    pub right: String,
    /// How often.
    pub shared_errors: u32,
}

/// A whole reputation in a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "what frlm providers export writes")]
pub struct ReputationExport {
    /// The file's form.
    pub version: u32,
    /// Everybody, by key.
    pub providers: Vec<ExportedRecord>,
    /// Who erred alike.
    pub pairs: Vec<Pair>,
}

/// What cannot be taken in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Another program wrote it.
    #[error(
        "this reputation has form {0}, and this program reads form {VERSION}; use the program that wrote it"
    )]
    Version(u32),
    /// Numbers that no provider can have come to.
    #[error("what this reputation says of {0:?} cannot be; have it written again where it is from")]
    Impossible(String),
}

impl ReputationExport {
    /// Finds what somebody else wrote that would spoil what is known here: sums of such numbers are none, and no file
    /// can hold those.
    pub fn check(&self) -> Result<(), ImportError> {
        if self.version != VERSION {
            return Err(ImportError::Version(self.version));
        }
        match self.providers.iter().find(|record| !record.is_possible()) {
            Some(record) => Err(ImportError::Impossible(record.provider.clone())),
            None => Ok(()),
        }
    }
}

impl Reputation {
    /// Everything that is known, in an order of its own.
    pub fn export(&self) -> ReputationExport {
        let mut providers: Vec<ExportedRecord> = self
            .states
            .iter()
            .map(|state| {
                let mut classes: Vec<_> =
                    state.classes.iter().map(|(class, record)| (class.clone(), *record)).collect();
                classes.sort_by(|a, b| a.0.cmp(&b.0));
                ExportedRecord {
                    provider: state.name.clone(),
                    traits: state.traits.clone(),
                    overall: state.overall,
                    classes,
                    gold_right: state.gold_right,
                    gold_wrong: state.gold_wrong,
                    answers: state.answers,
                    timeouts: state.timeouts,
                    audits: state.audits.clone(),
                    score: state.score,
                    proven_lie: state.proven_lie,
                    excluded: state.excluded,
                }
            })
            .collect();
        providers.sort_by(|a, b| a.provider.cmp(&b.provider));
        let name = |member: u32| self.states[member as usize].name.clone();
        let mut pairs: Vec<Pair> = self
            .coincidences
            .pairs()
            .map(|((a, b), shared_errors)| {
                let (a, b) = (name(a), name(b));
                let (left, right) = if a <= b { (a, b) } else { (b, a) };
                Pair { left, right, shared_errors }
            })
            .collect();
        pairs.sort();
        ReputationExport { version: VERSION, providers, pairs }
    }

    /// Takes in what was exported; who is known already is left as it is.
    pub fn import(&mut self, export: ReputationExport) -> Result<(), ImportError> {
        if export.version != VERSION {
            return Err(ImportError::Version(export.version));
        }
        let new = |this: &Self, name: &str| !this.by_name.contains_key(name);
        let pairs: Vec<Pair> =
            export.pairs.into_iter().filter(|pair| new(self, &pair.left) || new(self, &pair.right)).collect();
        for record in export.providers {
            if !new(self, &record.provider) {
                continue;
            }
            let member = self.enrol(&record.provider, record.traits);
            let state = &mut self.states[member.at()];
            state.overall = record.overall;
            state.classes = record.classes.into_iter().collect();
            state.gold_right = record.gold_right;
            state.gold_wrong = record.gold_wrong;
            state.answers = record.answers;
            state.timeouts = record.timeouts;
            state.audits = record.audits;
            state.score = record.score;
            state.proven_lie = record.proven_lie;
            state.excluded = record.excluded;
        }
        for pair in pairs {
            if let (Some(left), Some(right)) = (self.member(&pair.left), self.member(&pair.right)) {
                self.coincidences.add(left.0, right.0, pair.shared_errors);
            }
        }
        self.relearn();
        Ok(())
    }
}
