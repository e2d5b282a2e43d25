//! The words between the scheduler and its caller.

use std::num::NonZeroU8;
use std::time::Duration;

/// Position of a provider in the run's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProviderIndex(pub u32);

/// Position of a subtask in the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct SubtaskId(pub u32);

/// Number of an attempt in its run: each has another one, whatever it is an attempt at. Those of an earlier start are smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct AttemptId(pub u32);

/// What a usual subtask takes a provider of which nothing is known: 1,000 tokens read and 200 written, by
/// [`Speed::ASSUMED`](frlm_protocol::Speed::ASSUMED).
pub const USUAL: Duration = Duration::from_secs(30);

/// Attempts that a subtask may fail beyond the replicas that the policy asks for.
pub const SPARE_ATTEMPTS: u32 = 4;

/// How patient the scheduler is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SchedulerConfig {
    /// An attempt at a usual subtask that took longer than this has failed; longer ones have more ([`Needs::percent`]), and
    /// so have slower providers.
    pub per_attempt: Duration,
    /// How long a job and its answer may be on their way, beside what its provider takes.
    pub trip: Duration,
    /// When all of it must be done: a provider that could not be done by then is asked only where nobody else can.
    pub total: Duration,
    /// A straggler is hedged after this many times the usual latency …
    pub hedge_factor: f64,
    /// … but never before this long.
    pub hedge_floor: Duration,
    /// How long a subtask that nobody is left to answer waits for newcomers.
    pub newcomer_wait: Duration,
    /// Whether what is known of providers decides who is asked: a provider whose word may be enough is
    /// asked alone, and no subtask is shown to a second newcomer while others can be asked.
    pub by_trust: bool,
    /// Decides between providers that promise the same, and which of many are looked at.
    pub seed: u64,
}

impl Default for SchedulerConfig {
    fn default() -> Self {
        Self {
            per_attempt: USUAL,
            trip: Duration::ZERO,
            total: Duration::MAX,
            hedge_factor: 3.0,
            hedge_floor: Duration::from_secs(2),
            newcomer_wait: Duration::from_secs(10),
            by_trust: false,
            seed: 0,
        }
    }
}

impl SchedulerConfig {
    /// The same for somebody to whom time matters (seeds/super-llm-block.md, function 1, `priority`): who is slow is
    /// doubled after half as long.
    #[must_use]
    pub fn in_a_hurry(self) -> Self {
        Self { hedge_factor: self.hedge_factor / 2.0, hedge_floor: self.hedge_floor / 2, ..self }
    }
}

/// What a subtask needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Agreeing answers.
    pub answers: u32,
    /// Distinct providers that may be asked for their opinion.
    pub replicas: u32,
    /// Only providers whose [skills](super::Capacity::skills) contain all these bits.
    pub skills: u8,
    /// Only providers of this venue, if the subtask was routed to one.
    pub venue: Option<Venue>,
    /// Whether its first answer ends it: it never waits for anybody else, and so never for anybody's credit.
    pub ends_itself: bool,
    /// Whether its answers are settled in another way than by agreeing: a stricter policy changes nothing of it.
    pub settled_apart: bool,
    /// How long its answer may take, in percent of what a usual one may.
    pub percent: u16,
    /// How much of that time goes by while it is read, in percent; `None` where its time does not go by tokens, and a
    /// provider's speed says nothing.
    pub reading: Option<u8>,
}

/// A place that work is routed to, by its position in the run's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Venue(NonZeroU8);

impl Venue {
    /// The venue at a position; `None` beyond [`Venue::MOST`].
    pub fn at(position: usize) -> Option<Self> {
        u8::try_from(position + 1).ok().and_then(NonZeroU8::new).map(Self)
    }

    /// How many venues a run can tell apart.
    pub const MOST: usize = u8::MAX as usize;
}

/// Whom work may go to: those who have all these skills, at a venue if one is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Eligible {
    /// As bits that the caller defines.
    pub skills: u8,
    /// Where.
    pub venue: Option<Venue>,
}

impl Eligible {
    /// Everybody.
    pub const ALL: Self = Self { skills: 0, venue: None };
}

impl Needs {
    /// Who may be asked.
    pub fn eligible(self) -> Eligible {
        Eligible { skills: self.skills, venue: self.venue }
    }

    /// A time that is meant for a usual subtask, for this one.
    pub(super) fn scaled(self, usual: Duration) -> Duration {
        usual.saturating_mul(self.percent.into()) / 100
    }

    /// A time that is meant for a usual subtask, for this one and a provider that has so many percent of it.
    pub(super) fn within(self, usual: Duration, leeway: u16) -> Duration {
        // A fast provider has no less than for a usual job: the way there and back takes time, too.
        (self.scaled(usual).saturating_mul(leeway.into()) / 100).max(usual)
    }

    /// What a time for this one would be for a usual subtask.
    pub(super) fn unscaled(self, own: Duration) -> Duration {
        own.saturating_mul(100) / u32::from(self.percent.max(1))
    }
}

/// What the caller must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Send the subtask to the provider.
    Dispatch {
        /// Which subtask.
        subtask: SubtaskId,
        /// A new attempt.
        attempt: AttemptId,
        /// To whom.
        provider: ProviderIndex,
        /// Whether it doubles an attempt that is still out.
        hedge: bool,
    },
    /// Take an attempt back: its answer is not needed any more.
    Cancel {
        /// Which subtask.
        subtask: SubtaskId,
        /// Which attempt.
        attempt: AttemptId,
    },
    /// An attempt ran out of time.
    TimedOut {
        /// Which subtask.
        subtask: SubtaskId,
        /// Which attempt.
        attempt: AttemptId,
    },
    /// The subtask ended without an accepted answer.
    GaveUp {
        /// Which subtask.
        subtask: SubtaskId,
        /// Why.
        why: FailureReason,
    },
}

/// Why a subtask ended without an accepted answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureReason {
    /// Replicas are used up and too few agree.
    Split,
    /// Every allowed attempt failed.
    Exhausted,
    /// No provider is left that was not asked yet.
    NobodyLeft,
    /// The run's deadline came first.
    OutOfTime,
    /// The money for another attempt is not there.
    OverBudget,
    /// The user does not want it any more.
    #[serde(rename = "called_off")]
    Cancelled,
    /// There are answers, and their judge said nothing about them.
    NoVerdict,
}

impl FailureReason {
    /// For people.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Split => "the providers disagree",
            Self::Exhausted => "every attempt failed",
            Self::NobodyLeft => "no further provider was there to ask",
            Self::OutOfTime => "time ran out",
            Self::OverBudget => "the budget ran out",
            Self::Cancelled => "cancelled",
            Self::NoVerdict => "there was no verdict about the answers",
        }
    }
}

/// How an attempt ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptFailure {
    /// "Busy", "rate limited": the same provider may be asked again after a pause.
    Busy,
    /// The same, and it says itself after how long there will be room.
    BusyFor(Duration),
    /// It failed or its answer did not pass the checks: ask another provider.
    Failed,
    /// It would not have been done in time, by the provider's own word: ask another one, or more patiently, and the same
    /// one for something else after a pause. Said at once that costs the subtask none of its spare attempts: it is asked
    /// of each provider twice at most, and of many only so often. Said after much of its time it is a failure.
    TooLate,
    /// The subtask does not fit the provider, and was never sent: ask another one.
    Unfit,
    /// It was never sent, as its provider is left out from now on: that costs the subtask nothing.
    NotSent,
    /// Its pay could not be reserved here, so that it was never sent: it costs the subtask a chance, for perhaps no
    /// pay can be, and says nothing of the provider.
    Unpaid,
    /// It was answered, and the judge of the answer said nothing: that counts as one of the answers that the
    /// subtask may come to, says nothing of the provider, and nobody is asked for the same thing twice.
    NoVerdict,
}
