//! What the run says of all providers that answered one kind of task (tier 2; seeds/verifier-block.md,
//! "Cluster-level Feedback"). It is shown and decides nothing, as fitness does
//! (docs/decisions/0029-fitness-is-shown-and-decides-nothing.md).

use std::collections::BTreeMap;

use frlm_verifier::fitness::{ClusterTally, Evaluation};

use super::journal::Journal;
use crate::trace::TraceEvent;

/// Replica sets by the kind of task that they answered.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    by_kind: BTreeMap<&'static str, ClusterTally>,
}

impl Clusters {
    /// A subtask's answers got their verdicts.
    pub fn take(&mut self, kind: &'static str, quality: f64, agreement: f64, answers: &[(Evaluation, f64)]) {
        self.by_kind.entry(kind).or_default().take(quality, agreement, answers);
    }
}

impl Clusters {
    /// Records at the run's end what it says of each cluster.
    pub(super) fn tell_clusters(&mut self, journal: &mut Journal) {
        for (kind, tally) in std::mem::take(&mut self.by_kind) {
            let Some(feedback) = tally.feedback() else { continue };
            let sets = tally.sets();
            journal.emit(TraceEvent::Clustered { kind: kind.to_owned(), sets, feedback: Box::new(feedback) });
        }
    }
}
