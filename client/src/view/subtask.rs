//! One subtask as a lane over time: its attempts with the moments at which they changed, so that
//! any moment of the run can be shown without folding the trace again.

use frlm_scheduler::FailureReason;

/// Where a subtask stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SubtaskState {
    /// Not sent yet.
    #[default]
    Queued,
    /// Sent, no answer yet.
    Asked,
    /// A provider has begun.
    Processing,
    /// Some answers are in, not enough agree yet.
    Returned,
    /// An answer was accepted.
    Verified,
    /// It ended without an accepted answer.
    GaveUp(FailureReason),
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptEnding {
    /// With an answer that passed the checks that need no comparison.
    Answered,
    /// With an error, or an answer that did not pass them.
    Failed,
    /// Nobody answered in time.
    TimedOut,
    /// It was not needed any more.
    Cancelled,
    /// The process that waited for it ended.
    Lost,
}

/// What the comparison said of an attempt's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The same as the agreeing set.
    Same,
    /// Something else.
    Else,
    /// Nothing: its judge said nothing, which is not its provider's doing.
    Nothing,
}

/// One provider asked once. Moments are milliseconds since the run began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptView {
    /// Its number within the subtask.
    pub id: u32,
    /// Position of the provider in [`super::RunView::providers`], once one was asked.
    pub provider: Option<u32>,
    /// Whether it doubles a straggler.
    pub hedge: bool,
    /// When it was handed to the swarm.
    pub submitted_ms: u64,
    /// When the venue took it.
    pub sent_ms: Option<u64>,
    /// When the provider said that it had begun.
    pub processing_ms: Option<u64>,
    /// When it ended.
    pub ended_ms: Option<u64>,
    /// How it ended.
    pub ending: Option<AttemptEnding>,
    /// What the comparison said of its answer.
    pub said: Option<Said>,
    /// The job's event id.
    pub job: Box<str>,
    /// Its answer in short, or why there is none.
    pub summary: Box<str>,
    /// Tokens that the provider counted.
    pub tokens: u64,
    /// Set aside for it and not ended yet.
    pub held_sats: u64,
    /// What it cost in the end.
    pub spent_sats: u64,
    /// Owed for it, as it counts and its provider works first.
    pub owed_sats: u64,
}

impl AttemptView {
    pub(super) fn new(id: u32, at_ms: u64) -> Self {
        Self {
            id,
            provider: None,
            hedge: false,
            submitted_ms: at_ms,
            sent_ms: None,
            processing_ms: None,
            ended_ms: None,
            ending: None,
            said: None,
            job: Box::default(),
            summary: Box::default(),
            tokens: 0,
            held_sats: 0,
            spent_sats: 0,
            owed_sats: 0,
        }
    }

    pub(super) fn hold(&mut self, sats: u64) {
        self.held_sats = self.held_sats.saturating_add(sats);
    }

    /// The first ending counts: a result that comes after a cancellation changes nothing.
    pub(super) fn end(&mut self, at_ms: u64, ending: AttemptEnding) {
        if self.ending.is_none() {
            self.ending = Some(ending);
            self.ended_ms = Some(at_ms);
        }
    }
}

/// A time in which nobody was asked for a subtask, as it had been given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenUp {
    /// When it was given up.
    pub at_ms: u64,
    /// When somebody was asked again.
    pub again_ms: u64,
    /// Why it was given up.
    pub why: FailureReason,
}

/// A subtask as screens show it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SubtaskView {
    /// For people.
    pub label: String,
    /// The fragment it reads, if it reads one: [`frlm_questions::answer::Citation::fragment`] as a number.
    pub fragment: Option<u32>,
    /// Where it stands.
    pub state: SubtaskState,
    /// When it joined the plan.
    pub planned_ms: u64,
    /// When it was verified or given up.
    pub closed_ms: Option<u64>,
    /// When it was given up and asked again after that, in order.
    pub given_up: Vec<GivenUp>,
    /// Everyone that was asked, in order.
    pub attempts: Vec<AttemptView>,
    /// Share of agreeing answers at the last comparison, 0..=1.
    pub agreement: Option<f64>,
    /// Whether replicas said different things.
    pub dissent: bool,
    /// Whether the user's own model answered.
    pub local: bool,
    /// Where it was sent: position in [`super::PlanView::routes`].
    pub route: Option<u16>,
}

/// How many subtasks are done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProgressView {
    /// When each subtask was verified, in order.
    verified_ms: Vec<u64>,
    /// Subtasks given up.
    pub gave_up: usize,
}

impl ProgressView {
    /// Subtasks with an accepted answer.
    pub fn verified(&self) -> usize {
        self.verified_ms.len()
    }

    /// Subtasks that had an accepted answer `at_ms` into the run.
    pub fn verified_at(&self, at_ms: u64) -> usize {
        self.verified_ms.partition_point(|moment| *moment <= at_ms)
    }

    /// A subtask has become this, and was that before; whether it is verified now and was not.
    pub(super) fn note(&mut self, before: SubtaskState, now: SubtaskState, at_ms: u64) -> bool {
        let gave_up = |state| usize::from(matches!(state, SubtaskState::GaveUp(_)));
        self.gave_up = self.gave_up + gave_up(now) - gave_up(before);
        let is_new = now == SubtaskState::Verified && before != SubtaskState::Verified;
        if is_new {
            self.verified_ms.push(at_ms);
        }
        is_new
    }
}

impl SubtaskView {
    /// Where it stood `at_ms` into the run.
    pub fn state_at(&self, at_ms: u64) -> SubtaskState {
        if self.closed_ms.is_some_and(|closed| closed <= at_ms) {
            return self.state;
        }
        let before = |moment: Option<u64>| moment.is_some_and(|moment| moment <= at_ms);
        let since = match self.given_up.iter().rev().find(|given_up| given_up.at_ms <= at_ms) {
            Some(given_up) if at_ms < given_up.again_ms => return SubtaskState::GaveUp(given_up.why),
            Some(given_up) => given_up.again_ms,
            None => 0,
        };
        let mut state = SubtaskState::Queued;
        let asked = |attempt: &&AttemptView| (since..=at_ms).contains(&attempt.submitted_ms);
        for attempt in self.attempts.iter().filter(asked) {
            if attempt.ending == Some(AttemptEnding::Answered) && before(attempt.ended_ms) {
                return SubtaskState::Returned;
            }
            if before(attempt.processing_ms) {
                state = SubtaskState::Processing;
            } else if state == SubtaskState::Queued {
                state = SubtaskState::Asked;
            }
        }
        state
    }

    /// Somebody is asked; how it stood before.
    pub(super) fn ask(&mut self, at_ms: u64) -> SubtaskState {
        let before = self.state;
        match before {
            SubtaskState::Queued => self.state = SubtaskState::Asked,
            SubtaskState::GaveUp(why) => {
                let given_up = self.closed_ms.take().unwrap_or(at_ms);
                self.given_up.push(GivenUp { at_ms: given_up, again_ms: at_ms, why });
                self.state = SubtaskState::Asked;
            }
            _ => {}
        }
        before
    }

    pub(super) fn attempt(&mut self, id: u32, at_ms: u64) -> &mut AttemptView {
        // The attempt meant is nearly always the last or the one before it.
        let found = self.attempts.iter().rposition(|attempt| attempt.id == id);
        let index = found.unwrap_or_else(|| {
            self.attempts.push(AttemptView::new(id, at_ms));
            self.attempts.len() - 1
        });
        &mut self.attempts[index]
    }
}
