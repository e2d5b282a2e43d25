//! How a run was served counts once, however often it went on: what it had come to before is taken back first.
//!
//! ```text
//!   ends without an answer ─► counted, and remembered what ─┬─► goes on ─► that is taken back, and what it came to counts
//!   ends with one ─► counted, and no more of it             └─► does not
//! ```
//!
//! The score is a moving average (seeds/super-llm-block.md, function 4): of what a batch adds to it a tenth goes with each
//! that follows. One that turned out otherwise is put right by the difference, as far as that is not gone.

use serde::{Deserialize, Serialize};

use super::{LearnerAccount, Served};
use crate::planning::evaluation::{Batch, Evaluation, corrected, evaluate};
use crate::planning::hints::HintRecord;

/// What a run without an answer has counted for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Counted {
    hints: HintRecord,
    evaluation: Evaluation,
    /// Which of all evaluations it was, from 1.
    number: u64,
    /// Seconds for each subtask.
    pace: f64,
    /// Those that earlier runs led to expect, if there were any.
    expected_pace: Option<f64>,
}

impl LearnerAccount {
    /// Counts how a run was served. `known`: the place of its episode, where it went on. Returns what was made of it, the
    /// seconds that were expected, and what to remember should it go on.
    pub(super) fn count(
        &mut self,
        served: &Served,
        known: Option<usize>,
    ) -> (Evaluation, f64, Option<Counted>) {
        let episode = known.map(|at| &self.episodes[at]);
        let before = episode.and_then(|episode| episode.counted);
        let domain = episode.map_or(served.domain, |episode| episode.domain);
        let record = self.domains.entry(domain).or_default();
        let secs = served.outcome.latency_secs;
        let pace = secs / f64::from(served.subtasks.max(1));
        let expected_pace = before.map_or_else(|| record.expected_pace(), |before| before.expected_pace);
        let expected_secs = expected_pace.map_or(secs, |pace| pace * f64::from(served.subtasks));
        let batch = Batch {
            correctness: served.correctness,
            expected_secs,
            real_secs: secs,
            routing_accuracy: served.hints.accuracy().unwrap_or(1.0),
        };
        let evaluation = evaluate(&batch, before.map_or(self.score, |before| before.evaluation.old));
        let number = match (known, before) {
            (None, _) => {
                self.score = evaluation.new;
                self.evaluations += 1;
                self.history.note(&evaluation);
                self.hints.join(served.hints);
                record.took(pace);
                self.evaluations
            }
            (Some(_), Some(before)) => {
                let since = self.evaluations.saturating_sub(before.number);
                self.score = corrected(self.score, &before.evaluation, &evaluation, since);
                self.history.replace(&before.evaluation, &evaluation);
                self.hints.replace(before.hints, served.hints);
                record.took_instead(before.pace, pace);
                before.number
            }
            // It had its answer, or was counted by a version that did not remember for what: that stays.
            (Some(_), None) => return (evaluation, expected_secs, None),
        };
        let counted = Counted { hints: served.hints, evaluation, number, pace, expected_pace };
        (evaluation, expected_secs, (!served.answered).then_some(counted))
    }
}
