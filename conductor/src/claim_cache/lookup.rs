//! Readings that are planned, looked up among those of earlier runs: for a run before it asks, and for its estimate.

use std::sync::Arc;

use frlm_questions::dialect::MapTask;
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::{Belongs, Outcome, Subtask, Task};
use frlm_util::clock::unix_secs;

use super::key::{Key, Strength};
use super::store::{CacheError, ClaimCache};

/// A reading that is planned.
#[derive(Debug)]
pub struct Planned {
    at: usize,
    task: Arc<MapTask>,
    about: Fragment,
    /// The question as the user asked it, where readers may be asked in other words.
    asked: Option<Arc<str>>,
}

/// What earlier runs verified of one.
#[derive(Debug)]
pub struct Found {
    /// Its place among the subtasks.
    pub at: usize,
    /// Its answer.
    pub outcome: Outcome,
    /// Claims of that.
    pub claims: usize,
    /// How far they are believed, 0..=1.
    pub confidence: f64,
    /// What the reading and its reviews had cost.
    pub sats: u64,
}

/// The readings among these subtasks of a run that was asked this.
pub fn planned(subtasks: &[Subtask], asked: &str, is_wanted: impl Fn(&Subtask) -> bool) -> Vec<Planned> {
    let asked: Arc<str> = asked.into();
    let readings = subtasks.iter().enumerate().filter(|(_, subtask)| subtask.task.is_reading());
    let planned = readings.filter(|(_, subtask)| is_wanted(subtask)).filter_map(|(at, subtask)| {
        let Task::Map { task, fragment } = &subtask.task else { return None };
        let asked = (subtask.belongs == Belongs::Whole).then(|| Arc::clone(&asked));
        Some(Planned { at, task: Arc::clone(task), about: fragment.unread(), asked })
    });
    planned.collect()
}

/// Looks them up. Also says whether the file had to be set aside. Blocks.
pub fn look_up(
    cache: &ClaimCache,
    planned: &[Planned],
    strength: Strength,
) -> Result<(Vec<Found>, Option<String>), CacheError> {
    let quarantined = cache.make_ready()?;
    let key = |planned: &Planned| {
        let question = planned.asked.as_deref().unwrap_or(&planned.task.question);
        // A copy, so that what is read of a long document is let go.
        Key::of(&planned.about.unread(), question, &planned.task.manner)
    };
    let keys: Vec<Key> = planned.iter().map(key).collect();
    let kept = cache.find(&keys, strength, unix_secs())?;
    let found = planned.iter().zip(&keys).filter_map(|(planned, key)| {
        let kept = kept.get(key)?;
        Some(Found {
            at: planned.at,
            outcome: Outcome::Mapped(kept.answer(&planned.about)?),
            claims: kept.claims.len(),
            confidence: kept.confidence(),
            sats: kept.sats,
        })
    });
    Ok((found.collect(), quarantined))
}
