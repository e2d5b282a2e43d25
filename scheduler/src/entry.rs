//! What the scheduler remembers of one subtask.

use std::time::Duration;

use super::pace::UNKNOWN_LEEWAY;
use super::types::SPARE_ATTEMPTS;
use super::{AttemptId, Needs, ProviderIndex};

/// Refusals of providers that would be too late after which a subtask has no chance left. Each provider gives two at most,
/// but keys cost nothing.
pub(super) const MOST_TOO_LATE: u32 = 32;

/// Where an attempt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttemptState {
    /// Sent, no answer yet.
    Out,
    /// Its answer passed the checks.
    Answered,
    /// Failed, timed out, cancelled or answered nonsense.
    Failed,
    /// Its answer passed the checks, and its judge said nothing.
    Unjudged,
    /// The provider had no room, or never heard of it; it may be asked again.
    TurnedAway,
    /// The provider said at once that it would not be in time.
    TooLate,
    /// The subtask does not fit the provider.
    Unfit,
    /// None at all: the provider may not be asked, even if everyone is asked again.
    Barred,
    /// None at all: the provider is asked before others.
    Preferred,
    /// From before the user had everyone asked afresh: it counts for nothing.
    Past,
}

/// What an attempt that is out waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pending {
    /// Its provider.
    Answer,
    /// This machine, which looks at the answer.
    LocalReview,
    /// Somebody else, who is to judge the answer.
    Attestation,
    /// Reviews of the answer, which are subtasks themselves.
    Reviews,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt {
    pub id: AttemptId,
    pub provider: ProviderIndex,
    /// When it was sent; or when its answer reached its judge. In nanoseconds, as there are
    /// many attempts.
    since: u64,
    pub state: AttemptState,
    /// Who has to do something about it.
    pub pending: Pending,
    /// Its provider took so much longer than others do that somebody else is asked, too.
    pub straggles: bool,
    /// How long its provider has, in percent of what one has of which nothing is known.
    pub leeway: u16,
}

impl Attempt {
    /// An attempt that waits for its provider.
    pub fn new(id: AttemptId, provider: ProviderIndex, leeway: u16, now: Duration) -> Self {
        let (state, pending) = (AttemptState::Out, Pending::Answer);
        let mut attempt = Self { id, provider, since: 0, state, pending, straggles: false, leeway };
        attempt.waits_since(now);
        attempt
    }

    /// None at all: this provider may not be asked.
    pub fn barred(id: AttemptId, provider: ProviderIndex) -> Self {
        Self { state: AttemptState::Barred, ..Self::new(id, provider, UNKNOWN_LEEWAY, Duration::ZERO) }
    }

    /// None at all: this provider is asked before others.
    pub fn preferred(id: AttemptId, provider: ProviderIndex) -> Self {
        Self { state: AttemptState::Preferred, ..Self::barred(id, provider) }
    }

    /// Since when it waits for what it waits for, since the run began.
    pub fn since(&self) -> Duration {
        Duration::from_nanos(self.since)
    }

    /// What it waits for, it waits for from now on.
    pub fn waits_since(&mut self, now: Duration) {
        self.since = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
    }
}

#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own, and there are many entries"
)]
pub(super) struct Entry {
    pub needs: Needs,
    /// Agreeing answers still wanted.
    pub missing: u32,
    /// Attempts beyond `missing` that stragglers caused.
    pub hedges: u32,
    pub closed: bool,
    /// Waits for the caller to say who may be asked.
    pub held: bool,
    /// The first attempt that fails ends it.
    pub once: bool,
    /// Failed and answered attempts from before the subtask was opened again.
    pub forgiven: u16,
    /// A timer runs that gives the subtask up if nobody new comes.
    pub waits_for_newcomer: bool,
    /// Whether it is counted among those that nobody works on.
    pub is_counted: bool,
    pub attempts: Vec<Attempt>,
}

impl Entry {
    pub fn new(needs: Needs) -> Self {
        Self {
            needs,
            missing: needs.answers,
            hedges: 0,
            closed: false,
            held: false,
            once: false,
            forgiven: 0,
            waits_for_newcomer: false,
            is_counted: false,
            attempts: Vec::new(),
        }
    }

    pub fn attempt(&self, id: AttemptId) -> Option<&Attempt> {
        self.attempts.iter().find(|attempt| attempt.id == id)
    }

    pub fn attempt_mut(&mut self, id: AttemptId) -> Option<&mut Attempt> {
        self.attempts.iter_mut().find(|attempt| attempt.id == id)
    }

    pub fn is_out(&self, attempt: AttemptId) -> bool {
        self.attempt(attempt).is_some_and(|attempt| attempt.state == AttemptState::Out)
    }

    pub fn out(&self) -> impl Iterator<Item = AttemptId> + '_ {
        self.attempts.iter().filter(|attempt| attempt.state == AttemptState::Out).map(|attempt| attempt.id)
    }

    /// Attempts whose answers are compared, and by whom they were given.
    pub fn answered(&self) -> impl Iterator<Item = (AttemptId, ProviderIndex)> + '_ {
        self.attempts
            .iter()
            .filter(|attempt| attempt.state == AttemptState::Answered)
            .map(|attempt| (attempt.id, attempt.provider))
    }

    /// Distinct providers that may still have to be asked until the replicas are used up.
    pub fn replicas_left(&self) -> u32 {
        self.needs.replicas.saturating_sub(self.given().saturating_add(self.in_flight()))
    }

    /// Answers that were given, whatever was said of them.
    fn given(&self) -> u32 {
        self.count(|state| matches!(state, AttemptState::Answered | AttemptState::Unjudged))
    }

    /// Attempts that somebody had and that are over. Those are bounded, however many providers come.
    pub fn tried(&self) -> u32 {
        self.given() + self.count(|state| matches!(state, AttemptState::Failed | AttemptState::TooLate))
    }

    /// Whether an answer was given of which nobody said whether it is right.
    pub fn lacks_a_word(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.state == AttemptState::Unjudged)
    }

    /// What an attempt waits for that is out.
    pub fn pending(&self, attempt: AttemptId) -> Option<Pending> {
        let out = self.attempt(attempt).filter(|attempt| attempt.state == AttemptState::Out);
        out.map(|attempt| attempt.pending)
    }

    pub fn in_flight(&self) -> u32 {
        u32::try_from(self.out().count()).unwrap_or(u32::MAX)
    }

    fn count(&self, wanted: impl Fn(AttemptState) -> bool) -> u32 {
        u32::try_from(self.attempts.iter().filter(|attempt| wanted(attempt.state)).count())
            .unwrap_or(u32::MAX)
    }

    /// Failures count against the spare attempts; a busy provider costs nothing, nor does one that would be too late, as
    /// far as that goes.
    pub fn attempts_left(&self) -> bool {
        if self.once {
            return self.count(|state| matches!(state, AttemptState::Failed | AttemptState::TooLate)) == 0;
        }
        self.count(|state| state == AttemptState::Failed) <= SPARE_ATTEMPTS + u32::from(self.forgiven)
            && self.count(|state| state == AttemptState::TooLate) < MOST_TOO_LATE + u32::from(self.forgiven)
    }

    /// Past attempts no longer count against the subtask.
    pub fn forgive(&mut self) {
        self.forgiven = u16::try_from(self.attempts.len()).unwrap_or(u16::MAX);
    }

    /// Everyone may be asked again, as if nobody had been.
    pub fn renew(&mut self) {
        for attempt in self
            .attempts
            .iter_mut()
            .filter(|attempt| !matches!(attempt.state, AttemptState::Barred | AttemptState::Preferred))
        {
            attempt.state = AttemptState::Past;
        }
        self.missing = self.needs.answers;
        (self.hedges, self.forgiven, self.waits_for_newcomer) = (0, 0, false);
    }

    /// Whether it waits for a provider that nobody was found for yet: held or not, none works on it, and none has answered.
    pub fn is_untouched(&self) -> bool {
        !self.closed && self.asked_now().next().is_none()
    }

    pub fn wants_another(&self) -> bool {
        !self.closed
            && !self.held
            && self.attempts_left()
            && self.in_flight() < self.missing + self.hedges
            && self.may_have_another()
    }

    /// Whether the answers that are there or may come leave room for one more. A hedge may exceed the replicas:
    /// the first answer counts, the other is cancelled.
    pub fn may_have_another(&self) -> bool {
        self.given() + self.in_flight() < self.needs.replicas + self.hedges + u32::from(self.forgiven)
    }

    /// It has not heard of this subtask from us yet, except to say that there was no room, and nobody is preferred to it.
    pub fn is_fresh(&self, provider: ProviderIndex) -> bool {
        let any_preferred = self.attempts.iter().any(|attempt| attempt.state == AttemptState::Preferred);
        let (mut is_unasked, mut is_preferred) = (true, !any_preferred);
        for state in self.asked(provider) {
            is_preferred |= state == AttemptState::Preferred;
            is_unasked &=
                matches!(state, AttemptState::TurnedAway | AttemptState::Past | AttemptState::Preferred);
        }
        is_unasked && is_preferred
    }

    /// Opinions come from distinct providers, so a provider that answered is not asked again. One that
    /// failed once may be, when nobody fresh is there: a lost event looks the same as a failure. So may who would have
    /// been too late once: what it had to do before may be done.
    pub fn may_ask(&self, provider: ProviderIndex) -> bool {
        let mut failures = 0;
        for state in self.asked(provider) {
            match state {
                AttemptState::Out
                | AttemptState::Answered
                | AttemptState::Unjudged
                | AttemptState::Unfit
                | AttemptState::Barred => return false,
                AttemptState::Failed | AttemptState::TooLate => failures += 1,
                AttemptState::TurnedAway | AttemptState::Past | AttemptState::Preferred => {}
            }
        }
        failures < 2
    }

    /// Those whose answer counts or may come.
    pub fn asked_now(&self) -> impl Iterator<Item = ProviderIndex> + '_ {
        let counts = |state| matches!(state, AttemptState::Out | AttemptState::Answered);
        self.attempts.iter().filter(move |attempt| counts(attempt.state)).map(|attempt| attempt.provider)
    }

    fn asked(&self, provider: ProviderIndex) -> impl Iterator<Item = AttemptState> + '_ {
        self.attempts.iter().filter(move |attempt| attempt.provider == provider).map(|attempt| attempt.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As for what the run itself keeps of a subtask (`run::driver`): 1,024 bytes are for all of it.
    #[test]
    fn what_the_scheduler_keeps_of_a_subtask_with_one_attempt_stays_small() {
        let (entry, attempt) = (size_of::<Entry>(), size_of::<Attempt>());
        assert!(entry <= 56 && attempt <= 24, "{entry} and {attempt} bytes");
    }
}
