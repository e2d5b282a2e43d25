//! What follows from what a part of a run has found out about answers. The part decides, and the run carries it out
//! ([`Engine::follow`](super::engine::Engine::follow)).

use frlm_questions::plan::Outcome;
use frlm_verifier::Replica;

use super::checks::Answered;
use super::trust::Consequence;
use crate::swarm::Ticket;

/// What follows.
#[derive(Debug)]
pub(super) enum Follows {
    /// No check of its own objects to an answer: it counts.
    Counts(Answered),
    /// The methods of its level found an answer right: it counts.
    FoundRight(Answered),
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
    /// Something was seen of providers.
    Seen(Consequence),
}
