//! What may become of a reservation: a pure function.

use std::fmt;
use std::sync::Arc;

use crate::amount::Sats;
use crate::budget::Contribution;

/// Which attempt at which subtask of which run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The run.
    pub run: Arc<str>,
    /// The subtask within the run.
    pub subtask: u32,
    /// The attempt (replica or retry) at the subtask.
    pub attempt: u32,
}

impl Key {
    /// A key from its parts.
    pub fn new(run: impl Into<Arc<str>>, subtask: u32, attempt: u32) -> Self {
        Self { run: run.into(), subtask, attempt }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}.{}", self.run, self.subtask, self.attempt)
    }
}

/// Where a reservation's sats are; drawn in [`crate::ledger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Set aside; nothing has been paid or locked.
    Reserved,
    /// In an escrow that only both parties, or time, can open.
    Locked,
    /// The payment (or the signature that opens the escrow) may have left: spent until reconciled.
    Released,
    /// The process died after the attempt left: spent until attached again or reconciled.
    Doubtful,
    /// The escrow is to be refunded: pending until reconciled.
    Reclaimed,
    /// Final: paid, and the rest available again.
    Settled,
    /// Final: nothing was paid, all of it available again.
    Returned,
}

impl State {
    /// All states, for reading them back by name.
    const ALL: [Self; 7] = [
        Self::Reserved,
        Self::Locked,
        Self::Released,
        Self::Doubtful,
        Self::Reclaimed,
        Self::Settled,
        Self::Returned,
    ];

    /// The name in the ledger's file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Locked => "locked",
            Self::Released => "released",
            Self::Doubtful => "doubtful",
            Self::Reclaimed => "reclaimed",
            Self::Settled => "settled",
            Self::Returned => "returned",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether nothing can follow.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Settled | Self::Returned)
    }
}

/// What happens to a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// Sats are reserved for a new attempt.
    Reserve(Sats),
    /// The attempt is about to leave the machine.
    Publish,
    /// The sats are about to be locked in escrow.
    Lock,
    /// The payment, or the signature that opens the escrow, is about to leave.
    PayOut,
    /// The attempt is over and this is what it cost.
    Settle {
        /// Without fees.
        actual: Sats,
        /// Of mint or network.
        fees: Sats,
    },
    /// Nobody holds the reservation any more, and this is what it turned out to cost.
    Reconcile {
        /// Without fees.
        actual: Sats,
        /// Of mint or network.
        fees: Sats,
    },
    /// Nothing is to be paid.
    GiveBack,
    /// The process that held the reservation has died.
    Recover,
    /// A resumed run takes the reservation up again.
    Attach,
}

impl Transition {
    /// The name in the ledger's file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Reserve(_) => "reserve",
            Self::Publish => "publish",
            Self::Lock => "lock",
            Self::PayOut => "pay_out",
            Self::Settle { .. } => "settle",
            Self::Reconcile { .. } => "reconcile",
            Self::GiveBack => "give_back",
            Self::Recover => "recover",
            Self::Attach => "attach",
        }
    }

    /// The sats that it is about, fees included; `None` where it only moves what was reserved.
    pub fn amount(&self) -> Option<Sats> {
        match *self {
            Self::Reserve(amount) => Some(amount),
            Self::Settle { actual, fees } | Self::Reconcile { actual, fees } => {
                Some(actual.saturating_add(fees))
            }
            Self::Publish | Self::Lock | Self::PayOut | Self::GiveBack | Self::Recover | Self::Attach => None,
        }
    }

    /// The amount and the fees that are written with it.
    pub(super) fn amounts(self) -> (Sats, Sats) {
        match self {
            Self::Reserve(amount) => (amount, Sats::ZERO),
            Self::Settle { actual, fees } | Self::Reconcile { actual, fees } => (actual, fees),
            _ => (Sats::ZERO, Sats::ZERO),
        }
    }

    pub(super) fn from_parts(name: &str, amount: Sats, fees: Sats) -> Option<Self> {
        Some(match name {
            "reserve" => Self::Reserve(amount),
            "publish" => Self::Publish,
            "lock" => Self::Lock,
            "pay_out" => Self::PayOut,
            "settle" => Self::Settle { actual: amount, fees },
            "reconcile" => Self::Reconcile { actual: amount, fees },
            "give_back" => Self::GiveBack,
            "recover" => Self::Recover,
            "attach" => Self::Attach,
            _ => return None,
        })
    }
}

/// A reservation as the ledger knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Where its sats are.
    pub state: State,
    /// Whether the attempt may have left the machine.
    pub published: bool,
    /// What was reserved.
    pub amount: Sats,
    /// What it cost without fees, once settled.
    pub actual: Sats,
    /// What it cost in fees, once settled.
    pub fees: Sats,
}

/// Why a transition cannot happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The key is taken.
    Exists,
    /// The key is unknown.
    Unknown,
    /// Not from this state.
    State(State),
    /// It cost more than was reserved.
    OverReservation(Sats),
}

impl Entry {
    /// What it contributes to its run's budget.
    pub(super) fn share(&self) -> Contribution {
        let mut share = Contribution::default();
        match self.state {
            State::Reserved | State::Locked => share.reserved = self.amount,
            State::Released | State::Doubtful => share.spent = self.amount,
            State::Reclaimed => share.pending_refund = self.amount,
            State::Settled => {
                // Their sum was checked against the amount when it was settled.
                share.spent = self.actual.saturating_add(self.fees);
                share.fees = self.fees;
            }
            State::Returned => {}
        }
        share
    }

    fn to(self, state: State) -> Self {
        Self { state, ..self }
    }

    fn settled(self, actual: Sats, fees: Sats) -> Result<Self, Refused> {
        if actual.checked_add(fees).is_none_or(|cost| cost > self.amount) {
            return Err(Refused::OverReservation(self.amount));
        }
        Ok(Self { state: State::Settled, actual, fees, ..self })
    }
}

/// The entry after a transition; nothing else decides what may follow what.
pub(super) fn apply(entry: Option<Entry>, transition: Transition) -> Result<Entry, Refused> {
    use State::{Doubtful, Locked, Reclaimed, Released, Reserved, Returned};

    let Some(entry) = entry else {
        return match transition {
            Transition::Reserve(amount) => {
                Ok(Entry { state: Reserved, published: false, amount, actual: Sats::ZERO, fees: Sats::ZERO })
            }
            _ => Err(Refused::Unknown),
        };
    };
    match (entry.state, transition) {
        (_, Transition::Reserve(_)) => Err(Refused::Exists),
        (Reserved | Locked, Transition::Publish) => Ok(Entry { published: true, ..entry }),
        (Reserved, Transition::Lock) | (Locked | Reclaimed, Transition::Attach) => Ok(entry.to(Locked)),
        (Reserved | Locked, Transition::PayOut) => Ok(entry.to(Released)),
        (Reserved | Locked | Released, Transition::Settle { actual, fees })
        | (Released | Doubtful | Reclaimed, Transition::Reconcile { actual, fees }) => {
            entry.settled(actual, fees)
        }
        // The escrow opens only with the payer's signature, which has not left: the sats are refunded.
        (Locked, Transition::GiveBack | Transition::Recover) => Ok(entry.to(Reclaimed)),
        (Reserved, Transition::Recover) if entry.published && entry.amount > Sats::ZERO => {
            Ok(entry.to(Doubtful))
        }
        (Reserved, Transition::GiveBack | Transition::Recover) => Ok(entry.to(Returned)),
        (Reserved | Doubtful, Transition::Attach) => Ok(entry.to(Reserved)),
        (Released, Transition::Attach) => Ok(entry),
        (state, _) => Err(Refused::State(state)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(transitions: &[Transition]) -> Result<Entry, Refused> {
        let mut entry = None;
        for transition in transitions {
            entry = Some(apply(entry, *transition)?);
        }
        entry.ok_or(Refused::Unknown)
    }

    const RESERVE: Transition = Transition::Reserve(Sats(10));
    const SETTLE: Transition = Transition::Settle { actual: Sats(7), fees: Sats(1) };

    #[test]
    fn the_free_rail_settles_without_a_lock() {
        let entry = run(&[
            Transition::Reserve(Sats(0)),
            Transition::Publish,
            Transition::Settle { actual: Sats(0), fees: Sats(0) },
        ]);
        assert_eq!(entry.unwrap().share(), Contribution::default());
    }

    #[test]
    fn escrow_counts_as_reserved_until_it_is_paid_out_or_comes_back() {
        let locked = run(&[RESERVE, Transition::Lock]).unwrap();
        assert_eq!(locked.share().reserved, Sats(10));
        let released = apply(Some(locked), Transition::PayOut).unwrap();
        assert_eq!(released.share().spent, Sats(10));
        let settled = apply(Some(released), SETTLE).unwrap();
        assert_eq!((settled.share().spent, settled.share().fees), (Sats(8), Sats(1)));
        let reclaimed = apply(Some(locked), Transition::GiveBack).unwrap();
        assert_eq!(reclaimed.share().pending_refund, Sats(10));
    }

    #[test]
    fn after_a_crash_only_what_may_have_left_counts_as_spent() {
        let state = |transitions: &[Transition]| run(transitions).unwrap().state;
        assert_eq!(state(&[RESERVE, Transition::Recover]), State::Returned);
        assert_eq!(state(&[RESERVE, Transition::Publish, Transition::Recover]), State::Doubtful);
        assert_eq!(state(&[RESERVE, Transition::Lock, Transition::Recover]), State::Reclaimed);
        let free = [Transition::Reserve(Sats(0)), Transition::Publish, Transition::Recover];
        assert_eq!(state(&free), State::Returned);
    }

    #[test]
    fn nothing_follows_a_final_state() {
        for last in [SETTLE, Transition::GiveBack] {
            let entry = run(&[RESERVE, last]).unwrap();
            assert!(entry.state.is_final());
            for transition in [
                RESERVE,
                Transition::Publish,
                Transition::Lock,
                Transition::PayOut,
                SETTLE,
                Transition::Reconcile { actual: Sats(0), fees: Sats(0) },
                Transition::GiveBack,
                Transition::Recover,
                Transition::Attach,
            ] {
                assert!(apply(Some(entry), transition).is_err(), "{transition:?}");
            }
        }
    }

    #[test]
    fn no_more_can_be_settled_than_was_reserved() {
        let over = Transition::Settle { actual: Sats(10), fees: Sats(1) };
        assert_eq!(run(&[RESERVE, over]), Err(Refused::OverReservation(Sats(10))));
        let huge = Transition::Settle { actual: Sats(u64::MAX), fees: Sats(u64::MAX) };
        assert_eq!(run(&[RESERVE, huge]), Err(Refused::OverReservation(Sats(10))));
    }

    #[test]
    fn names_read_back() {
        for state in State::ALL {
            assert_eq!(State::from_name(state.name()), Some(state));
        }
        for transition in [RESERVE, Transition::Publish, SETTLE, Transition::GiveBack, Transition::Attach] {
            let (amount, fees) = transition.amounts();
            assert_eq!(Transition::from_parts(transition.name(), amount, fees), Some(transition));
        }
    }
}
