//! How far a run is, in words for its asker. They hold nothing that is not verified.

use frlm_client::conductor::trace::{TraceEvent, TraceRecord};

/// A stream is told of this many steps of a run at most, and of each change of its plan.
const STEPS: usize = 20;

/// How far a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    documents: usize,
    fragments: usize,
    planned: usize,
    verified: usize,
}

impl Progress {
    /// Takes in what happened, and says whether that is worth telling.
    pub fn see(&mut self, record: &TraceRecord) -> bool {
        match &record.event {
            TraceEvent::RunStart { documents, fragments, .. } => {
                (self.documents, self.fragments) = (documents.len(), *fragments);
                true
            }
            TraceEvent::Plan { subtasks } => {
                self.planned += subtasks.len();
                false
            }
            TraceEvent::Verified { .. } => {
                let before = self.steps();
                self.verified += 1;
                self.steps() != before
            }
            _ => false,
        }
    }

    /// For people.
    pub fn in_words(&self) -> String {
        let Self { documents, fragments, planned, verified } = self;
        if *verified == 0 {
            let (one, many) =
                (if *documents == 1 { "" } else { "s" }, if *fragments == 1 { "" } else { "s" });
            format!("read {documents} document{one} in {fragments} part{many}")
        } else {
            format!("verified {verified} of {} parts", (*planned).max(*verified))
        }
    }

    fn steps(&self) -> usize {
        self.verified * STEPS / self.planned.max(self.verified).max(1)
    }
}

#[cfg(test)]
mod tests {
    use frlm_client::conductor::trace::PlannedSubtask;
    use frlm_client::questions::plan::Outcome;
    use frlm_client::scheduler::SubtaskId;

    use super::*;

    #[test]
    fn a_long_run_tells_a_bounded_number_of_steps() {
        let mut progress = Progress::default();
        let mut told = Vec::new();
        let planned =
            |id: u32| PlannedSubtask { id: SubtaskId(id), key: id.to_string(), label: String::new() };
        let start = TraceEvent::RunStart {
            run_id: "a".to_owned(),
            question: "How many?".to_owned(),
            started_at_ms: 0,
            limit_sats: 0,
            policy: "adaptive".to_owned(),
            documents: vec!["a.log".to_owned()],
            fragments: 1_000,
        };
        let plan = TraceEvent::Plan { subtasks: (0..1_000).map(planned).collect() };
        let verified = |id: u32| TraceEvent::Verified {
            subtask: SubtaskId(id),
            key: id.to_string(),
            outcome: Outcome::Combined(String::new()),
            agreement: 1.0,
            confidence: None,
            replicas: 1,
            local: false,
        };
        let events = [start, plan].into_iter().chain((0..1_000).map(verified));
        for (seq, event) in (0..).zip(events) {
            if progress.see(&TraceRecord { seq, at_ms: seq, event }) {
                told.push(progress.in_words());
            }
        }
        assert_eq!(told.len(), 1 + STEPS);
        assert_eq!(
            (told[0].as_str(), told[1].as_str()),
            ("read 1 document in 1000 parts", "verified 50 of 1000 parts")
        );
        assert_eq!(told[STEPS], "verified 1000 of 1000 parts");
    }
}
