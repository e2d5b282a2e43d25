//! What follows from what a part of a run has found out about answers. The part decides, and the run carries it out
//! ([`Engine::follow`](super::engine::Engine::follow)).

use frlm_verifier::{Replica, Report};

use super::checks::{Answered, PendingReplica};
use super::trust::Consequence;
use crate::plan::Outcome;
use crate::scheduler::{FailureReason, SubtaskId};
use crate::swarm::Ticket;

/// What follows.
#[derive(Debug)]
pub(super) enum Follows {
    /// No check of its own objects to an answer: it counts.
    Counts(Answered),
    /// The methods of its level found an answer right: it counts.
    FoundRight(Answered),
    /// An answer is compared with the others of its subtask.
    Compared(PendingReplica),
    /// A subtask has one more answer to be judged over: that of this attempt.
    Judged(Ticket),
    /// An attempt failed.
    Failed { ticket: Ticket, why: String },
    /// Nobody can tell whether an answer is right: it is not used, and its provider is paid.
    Unjudged { ticket: Ticket, replica: Replica<Outcome>, why: String },
    /// An answer in words is accepted as far as its claims stand, and paid for if that is earned. `agreement`: the share of its
    /// claims that nobody disputed.
    Settled {
        ticket: Ticket,
        replica: Replica<Outcome>,
        confidence: Option<f64>,
        agreement: f64,
        earned: bool,
    },
    /// A subtask has its answer.
    Accepted { id: SubtaskId, outcome: Outcome, report: Report },
    /// A subtask is given up.
    GaveUp { id: SubtaskId, why: FailureReason },
    /// Something was seen of providers.
    Seen(Consequence),
    /// From here on answers count by their words, as no model compares them.
    ByWordsAlone { why: String },
    /// From here on answers that contradict each other stay undecided.
    NoArbiter { why: String },
}
