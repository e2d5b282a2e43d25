//! Jobs as they come, folded from what the provider reports.

use std::collections::{HashMap, VecDeque};

use frlm_client::protocol::printable;
use frlm_client::provider::ProviderEvent;

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobStatus {
    /// Taken, waits.
    Waiting,
    /// In the engine.
    Working,
    /// Answered, the result is on its way.
    Answered,
    /// A relay took the result.
    Delivered,
    /// The asker accepted the answer: its words.
    Accepted(String),
    /// The asker did not: its words.
    Rejected(String),
    /// Refused: why.
    Refused(String),
    /// No answer: why.
    Failed(String),
    /// Cancelled by its asker.
    Cancelled,
    /// No relay took the result: why.
    Undelivered(String),
}

/// One job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its event id, hex.
    pub id: String,
    /// Who asks, hex; empty for what was refused before that was known.
    pub asker: String,
    /// How many prompts it makes.
    pub prompts: usize,
    /// Tokens read and written, once answered.
    pub tokens: u64,
    /// Time in the engine, once answered.
    pub took_ms: u64,
    /// What became of it.
    pub status: JobStatus,
}

/// Jobs that are kept; older ones go.
pub const MOST_JOBS: usize = 1_000;

/// The newest jobs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Jobs {
    /// Newest first.
    newest: VecDeque<Job>,
    /// Id → how many jobs came before it.
    places: HashMap<String, u64>,
    /// Jobs so far.
    count: u64,
    /// Things that were no job for us: the last reason, and how many.
    pub ignored: Option<(String, u64)>,
}

impl Jobs {
    /// How many are kept.
    pub fn len(&self) -> usize {
        self.newest.len()
    }

    /// A job, counted from the newest.
    pub fn get(&self, position: usize) -> Option<&Job> {
        self.newest.get(position)
    }

    /// The newest refusals with their reasons, each reason once, with how often it was given.
    pub fn refusals(&self) -> Vec<(&str, usize)> {
        let mut reasons: Vec<(&str, usize)> = Vec::new();
        for job in &self.newest {
            let JobStatus::Refused(why) = &job.status else { continue };
            match reasons.iter_mut().find(|(known, _)| known == why) {
                Some((_, count)) => *count += 1,
                None => reasons.push((why, 1)),
            }
        }
        reasons
    }

    /// Folds what the provider reports.
    pub fn take(&mut self, event: &ProviderEvent) {
        let words = |text: &str| printable(text).into_owned();
        match event {
            ProviderEvent::JobReceived { job, asker, prompts } => {
                let entry = self.job(&job.to_hex());
                (entry.asker, entry.prompts) = (asker.to_hex(), *prompts);
            }
            ProviderEvent::Started { job } => self.job(&job.to_hex()).status = JobStatus::Working,
            ProviderEvent::Finished { job, tokens, duration, .. } => {
                let entry = self.job(&job.to_hex());
                entry.tokens = *tokens;
                entry.took_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
                // The relay may have been faster than this report.
                if entry.status != JobStatus::Delivered {
                    entry.status = JobStatus::Answered;
                }
            }
            ProviderEvent::Delivered { job } => {
                let entry = self.job(&job.to_hex());
                // Refusals are delivered too.
                if matches!(entry.status, JobStatus::Working | JobStatus::Waiting | JobStatus::Answered) {
                    entry.status = JobStatus::Delivered;
                }
            }
            ProviderEvent::Judged { verdict } => {
                let said = words(&verdict.feedback);
                let status =
                    if verdict.accepted { JobStatus::Accepted(said) } else { JobStatus::Rejected(said) };
                self.job(&verdict.job.to_hex()).status = status;
            }
            ProviderEvent::Refused { job, detail, .. } => {
                self.job(&job.to_hex()).status = JobStatus::Refused(words(detail));
            }
            ProviderEvent::Failed { job, detail, .. } => {
                self.job(&job.to_hex()).status = JobStatus::Failed(words(detail));
            }
            ProviderEvent::Cancelled { job } => self.job(&job.to_hex()).status = JobStatus::Cancelled,
            ProviderEvent::Undelivered { job, reason } => {
                self.job(&job.to_hex()).status = JobStatus::Undelivered(words(reason));
            }
            ProviderEvent::Ignored { reason, .. } => {
                let count = self.ignored.as_ref().map_or(0, |(_, count)| *count);
                self.ignored = Some((words(reason), count + 1));
            }
            ProviderEvent::RelayOnline { .. }
            | ProviderEvent::RelayOffline { .. }
            | ProviderEvent::RelayNotice { .. }
            | ProviderEvent::Delayed { .. }
            | ProviderEvent::Stopping
            | ProviderEvent::Stopped => {}
        }
    }

    fn job(&mut self, id: &str) -> &mut Job {
        let place = match self.places.get(id) {
            Some(place) => *place,
            None => self.add(id),
        };
        let position = usize::try_from(self.count - 1 - place).unwrap_or(0);
        &mut self.newest[position]
    }

    fn add(&mut self, id: &str) -> u64 {
        if self.newest.len() == MOST_JOBS
            && let Some(oldest) = self.newest.pop_back()
        {
            self.places.remove(&oldest.id);
        }
        let (asker, status) = (String::new(), JobStatus::Waiting);
        self.newest.push_front(Job { id: id.to_owned(), asker, prompts: 0, tokens: 0, took_ms: 0, status });
        self.places.insert(id.to_owned(), self.count);
        self.count += 1;
        self.count - 1
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use frlm_protocol::{RefusalReason, Verdict};
    use nostr::{EventId, Keys};

    use super::*;

    fn id(number: u32) -> EventId {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        EventId::from_byte_array(bytes)
    }

    fn received(number: u32) -> ProviderEvent {
        let asker = Keys::generate().public_key();
        ProviderEvent::JobReceived { job: id(number), asker, prompts: 3 }
    }

    #[test]
    fn a_job_is_followed_to_its_end() {
        let mut jobs = Jobs::default();
        jobs.take(&received(1));
        jobs.take(&received(2));
        jobs.take(&ProviderEvent::Started { job: id(1) });
        assert_eq!(jobs.get(1).unwrap().status, JobStatus::Working);
        let duration = Duration::from_millis(340);
        jobs.take(&ProviderEvent::Finished { job: id(1), tokens: 80, duration, confidence: None });
        jobs.take(&ProviderEvent::Delivered { job: id(1) });
        let job = jobs.get(1).unwrap();
        assert_eq!((&job.status, job.tokens, job.took_ms, job.prompts), (&JobStatus::Delivered, 80, 340, 3));
        assert_eq!(jobs.get(0).unwrap().status, JobStatus::Waiting);
    }

    #[test]
    fn what_the_asker_says_of_an_answer_is_its_end() {
        let mut jobs = Jobs::default();
        for (number, accepted) in [(1, true), (2, false)] {
            jobs.take(&received(number));
            let feedback = "so it\u{202e} is".to_owned();
            let job = id(number);
            let verdict = Verdict { job, accepted, fitness: 0.5, change: 0.0, credits: 0, feedback };
            jobs.take(&ProviderEvent::Judged { verdict });
            // A relay may confirm the result after that.
            jobs.take(&ProviderEvent::Delivered { job });
        }
        let said = |position: usize| jobs.get(position).unwrap().status.clone();
        let (JobStatus::Rejected(second), JobStatus::Accepted(first)) = (said(0), said(1)) else {
            panic!("{:?} {:?}", said(0), said(1))
        };
        assert!(first == second && !first.contains('\u{202e}'));
    }

    #[test]
    fn a_refusal_stays_a_refusal_once_delivered_and_counts_by_reason() {
        let mut jobs = Jobs::default();
        for number in 0..3 {
            let detail = if number == 2 { "the queue is full" } else { "the bid is too low" }.to_owned();
            let reason = RefusalReason::Busy;
            jobs.take(&ProviderEvent::Refused { job: id(number), reason, detail });
            jobs.take(&ProviderEvent::Delivered { job: id(number) });
        }
        assert_eq!(jobs.refusals(), [("the queue is full", 1), ("the bid is too low", 2)]);
    }

    #[test]
    fn old_jobs_make_room_and_what_is_told_of_them_later_does_no_harm() {
        let mut jobs = Jobs::default();
        let most = u32::try_from(MOST_JOBS).unwrap();
        for number in 0..most + 10 {
            jobs.take(&received(number));
        }
        assert_eq!(jobs.len(), MOST_JOBS);
        assert_eq!(jobs.get(0).unwrap().id, id(most + 9).to_hex());
        jobs.take(&ProviderEvent::Cancelled { job: id(most) });
        assert_eq!(jobs.get(9).unwrap().status, JobStatus::Cancelled);
        jobs.take(&ProviderEvent::Cancelled { job: id(3) });
        assert_eq!(jobs.get(0).unwrap().id, id(3).to_hex());
    }
}
