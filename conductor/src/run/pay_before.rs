//! Foreign providers that want their pay before they work: the way from an invoice to a payment.
//!
//! ```text
//!  invoice or amount ─► bill (rail: checked, nothing moves) ─► agreed? ─► pay out (ledger, durable) ─► pay (rail)
//!     └────────────┴─ refused, the attempt fails ◄─────┘                                       │
//!                                       settled ◄── paid ──┬── failed: reconciled, the attempt fails
//!                                                          └── unclear: spent until it is looked up
//! ```
//!
//! A token is settled when it is handed to its provider, before it leaves. If the attempt is over by then, the token stays
//! here, and costs the run only the fees.
//!
//! A payment takes as long as Lightning takes; the run goes on meanwhile.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use frlm_wallet::prepay::{BearerToken, PrepaidEnd, Prepayment};
use frlm_wallet::{Key, Ledger, LedgerError, Msats, Reservation, Sats};
use tokio::task::JoinSet;

use super::money::{Held, settle_paid};
use crate::payment::PaymentRail;
use crate::swarm::{ProviderId, Ticket};

/// What a provider asks for.
#[derive(Debug)]
pub(super) struct Demand {
    pub ticket: Ticket,
    pub provider: ProviderId,
    /// The most that was offered for the job.
    pub bid: Sats,
    /// What it says it wants.
    pub stated: Option<Msats>,
    /// Its invoice, unchecked; empty where it names none.
    pub invoice: String,
}

/// How it ended.
#[derive(Debug)]
pub(super) enum PayOutcome {
    /// The provider has its pay; the ledger has settled it.
    Paid {
        /// To the provider.
        sats: Sats,
        /// To mint and network.
        fees: Sats,
    },
    /// There is a token that pays the provider, and the provider does not have it yet.
    Made {
        /// To the provider.
        sats: Sats,
        /// To the mint.
        fees: Sats,
        /// What the provider is to be given with its job.
        token: BearerToken,
    },
    /// It gets nothing, and why.
    Unpaid(String),
    /// It is unknown; until it is known, the ledger counts the payment as spent.
    Unclear(String),
}

/// A payment that has come to an end.
#[derive(Debug)]
pub(super) struct Ended {
    pub ticket: Ticket,
    pub provider: ProviderId,
    pub amount: Sats,
    pub outcome: PayOutcome,
    /// The reservation, if nothing of it was touched.
    pub unpaid: Option<Held>,
    made: Option<Made>,
}

/// A token that is to be given to a provider.
#[derive(Debug)]
pub(super) struct Handover {
    pub ticket: Ticket,
    pub provider: ProviderId,
    /// What was reserved for it.
    pub amount: Sats,
    /// To the provider.
    pub sats: Sats,
    /// To the mint.
    pub fees: Sats,
    pub token: BearerToken,
}

/// What a token has cost that nobody has yet, and what was reserved for it.
#[derive(Debug)]
struct Made {
    reservation: Reservation,
    sats: Sats,
    fees: Sats,
}

/// What was paid for and not judged yet.
#[derive(Debug)]
struct Open {
    key: Key,
    answered: bool,
    cancelled: bool,
    /// The attempt is over; only the answer that is owed is still waited for.
    over: bool,
}

/// Payments before work.
#[derive(Debug, Default)]
pub(super) struct PayBefore {
    /// What the user has agreed to for one job.
    pub agreed: Sats,
    paying: JoinSet<Result<Ended, LedgerError>>,
    open: HashMap<Ticket, Open>,
    /// Those of which nobody knows yet whether they were paid, and so not what their providers owe.
    under_way: HashSet<Ticket>,
    /// Tokens that nobody has yet.
    made: HashMap<Ticket, Made>,
    /// Those that nobody will be given.
    kept: Vec<(Ticket, Made)>,
    /// What came of those that were decided after their attempts were over.
    late: Vec<(Key, PrepaidEnd)>,
}

impl PayBefore {
    /// Begins to check and to pay.
    pub fn pay(&mut self, rail: Arc<dyn PaymentRail>, ledger: Ledger, demand: Demand, held: Held) {
        self.begin(demand.ticket, held.reservation.key().clone());
        self.paying.spawn(carry_out(rail, ledger, demand, held, self.agreed));
    }

    fn begin(&mut self, ticket: Ticket, key: Key) {
        self.under_way.insert(ticket);
        self.open.insert(ticket, Open { key, answered: false, cancelled: false, over: false });
    }

    /// Whether an attempt is paid before its work, or is about to be.
    pub fn has(&self, ticket: Ticket) -> bool {
        self.open.contains_key(&ticket)
    }

    /// Whether payments are under way.
    pub fn is_paying(&self) -> bool {
        !self.paying.is_empty()
    }

    /// The next payment that ends; `None` if there is none.
    pub async fn next(&mut self) -> Result<Option<Ended>, LedgerError> {
        loop {
            match self.paying.join_next().await {
                None => return Ok(None),
                Some(Ok(Ok(mut ended))) => {
                    let (may_be_paid, has_left) = match &ended.outcome {
                        PayOutcome::Unpaid(_) => (false, false),
                        PayOutcome::Made { .. } => (true, false),
                        PayOutcome::Paid { .. } | PayOutcome::Unclear(_) => (true, true),
                    };
                    self.known(ended.ticket, may_be_paid, has_left);
                    self.made.extend(ended.made.take().map(|made| (ended.ticket, made)));
                    return Ok(Some(ended));
                }
                Some(Ok(Err(error))) => return Err(error),
                // Its reservation counts as spent, or is given back, whichever the ledger knows.
                Some(Err(error)) => tracing::error!(%error, "a payment broke off"),
            }
        }
    }

    /// It is known what became of a payment, as far as it ever will be. Whose time ran out meanwhile has sent nothing,
    /// unless it was not paid, or what pays it has not left this machine.
    fn known(&mut self, ticket: Ticket, may_be_paid: bool, has_left: bool) {
        self.under_way.remove(&ticket);
        let Some(open) = self.open.get(&ticket) else { return };
        let is_silent = may_be_paid && has_left && open.over && !open.cancelled;
        if is_silent || !may_be_paid {
            let open = self.open.remove(&ticket).filter(|_| is_silent);
            self.late.extend(open.map(|open| (open.key, PrepaidEnd::Silent)));
        }
    }

    /// An answer came, of whatever use.
    pub fn answered(&mut self, ticket: Ticket) {
        if let Some(open) = self.open.get_mut(&ticket) {
            open.answered = true;
            if open.over {
                self.late.push((open.key.clone(), PrepaidEnd::Cancelled));
                self.open.remove(&ticket);
            }
        }
    }

    /// Whether a provider was paid for an answer and has not sent it: it is not told that nobody wants
    /// it any more, and may still show that it keeps its word.
    pub fn is_owed(&self, ticket: Ticket) -> bool {
        self.open.get(&ticket).is_some_and(|open| !open.answered)
    }

    /// Notes that a provider is given its token, which is settled in the ledger then; `None` if there is none.
    pub fn begin_to_give(&mut self, rail: Option<&Arc<dyn PaymentRail>>, ticket: Ticket) -> Option<Giving> {
        let rail = Arc::clone(rail?);
        Some(Giving { rail, ticket, made: self.made.remove(&ticket)? })
    }

    /// Whether a provider may have its token now. Otherwise the token is kept back.
    pub fn given(&mut self, given: Given) -> bool {
        let Given { ticket, may_have_it, made } = given;
        if !may_have_it {
            self.made.extend(made.map(|made| (ticket, made)));
            self.kept_back(ticket);
        }
        may_have_it
    }

    /// A token was made for an attempt that is over: its provider is never given it, and owes nothing.
    pub fn kept_back(&mut self, ticket: Ticket) {
        if let Some(open) = self.open.remove(&ticket) {
            self.late.push((open.key, PrepaidEnd::Cancelled));
        }
        self.kept.extend(self.made.remove(&ticket).map(|made| (ticket, made)));
    }

    /// The answer is not wanted any more.
    pub fn cancelled(&mut self, ticket: Ticket) {
        if let Some(open) = self.open.get_mut(&ticket) {
            open.cancelled = true;
        }
    }

    /// What is to be written of paid work whose attempts have ended: those with a cost count. One that
    /// was cancelled stays unanswered until it is answered: somebody who stalls until others have done
    /// the work is not paid before again either.
    pub fn ends(&mut self, ended: &[(Ticket, Option<Sats>)]) -> PrepaidEnds {
        PrepaidEnds { decided: self.decided(ended), kept: std::mem::take(&mut self.kept) }
    }

    /// What came of paid work, where that is known now.
    fn decided(&mut self, ended: &[(Ticket, Option<Sats>)]) -> Vec<(Key, PrepaidEnd)> {
        let mut known = std::mem::take(&mut self.late);
        for (ticket, cost) in ended {
            let Some(open) = self.open.get_mut(ticket) else { continue };
            let end = match (cost, open.answered) {
                (Some(_), _) => PrepaidEnd::Earned,
                // It came, and nobody looked at it: that is no word against it.
                (None, true) if open.cancelled => PrepaidEnd::Cancelled,
                (None, true) => PrepaidEnd::Rejected,
                (None, false) if open.cancelled || self.under_way.contains(ticket) => {
                    open.over = true;
                    continue;
                }
                (None, false) => PrepaidEnd::Silent,
            };
            known.extend(self.open.remove(ticket).map(|open| (open.key, end)));
        }
        known
    }
}

/// What came of payments before work, to be written down.
#[derive(Debug, Default)]
pub(super) struct PrepaidEnds {
    decided: Vec<(Key, PrepaidEnd)>,
    kept: Vec<(Ticket, Made)>,
}

impl PrepaidEnds {
    /// Writes it down. Says what was reserved for tokens that were kept back, and what they have cost.
    pub async fn write(self, rail: &dyn PaymentRail) -> Result<Vec<(Ticket, Sats, Sats)>, LedgerError> {
        for (key, end) in self.decided {
            if let Err(reason) = rail.end_prepaid(&key, end).await {
                tracing::warn!(%reason, "what came of a payment could not be written down");
            }
        }
        let mut kept = Vec::new();
        for (ticket, made) in self.kept {
            if let Err(reason) = rail.keep_prepaid(made.reservation.key()).await {
                // It counts as spent until the wallet's books are looked at.
                tracing::warn!(%reason, "that a token is kept could not be written down");
                continue;
            }
            kept.push((ticket, made.reservation.amount(), made.fees));
            settle_paid(made.reservation, (Sats::ZERO, made.fees)).await?;
        }
        Ok(kept)
    }
}

/// A token that is about to be given to its provider.
#[derive(Debug)]
pub(super) struct Giving {
    rail: Arc<dyn PaymentRail>,
    ticket: Ticket,
    made: Made,
}

/// Whether it may be: the wallet notes it as given, and the ledger as spent.
#[derive(Debug)]
pub(super) struct Given {
    pub ticket: Ticket,
    may_have_it: bool,
    /// The token's reservation, where it stays here.
    made: Option<Made>,
}

impl Giving {
    /// Writes it down.
    pub async fn write(self) -> Result<Given, LedgerError> {
        let Self { rail, ticket, made } = self;
        match rail.give_prepaid(made.reservation.key()).await {
            Ok(true) => {
                settle_paid(made.reservation, (made.sats, made.fees)).await?;
                Ok(Given { ticket, may_have_it: true, made: None })
            }
            Ok(false) => Ok(Given { ticket, may_have_it: false, made: Some(made) }),
            Err(reason) => {
                // Its reservation counts as spent until the wallet's books are looked at.
                tracing::warn!(%reason, "that a token is given away could not be written down");
                Ok(Given { ticket, may_have_it: false, made: None })
            }
        }
    }
}

async fn carry_out(
    rail: Arc<dyn PaymentRail>,
    ledger: Ledger,
    demand: Demand,
    mut held: Held,
    agreed: Sats,
) -> Result<Ended, LedgerError> {
    let Demand { ticket, provider, bid, stated, invoice } = demand;
    let (key, amount) = (held.reservation.key().clone(), held.amount);
    let ended =
        |outcome, unpaid| Ended { ticket, provider: provider.clone(), amount, outcome, unpaid, made: None };
    let order = Prepayment {
        key: key.clone(),
        peer: provider.to_string(),
        bolt11: invoice,
        stated,
        bid,
        reserved: amount,
    };
    let bill = match rail.bill(order).await {
        Ok(bill) => bill,
        Err(reason) => return Ok(ended(PayOutcome::Unpaid(reason), Some(held))),
    };
    if bill.amount() > agreed {
        let reason = format!(
            "it wants {} before it works, unescrowed, and you have not agreed to that: --yes, or per_job under \
             [pay_before] in config.toml",
            bill.amount()
        );
        return Ok(ended(PayOutcome::Unpaid(reason), Some(held)));
    }
    // Durable before the payment can leave: from here on it counts as spent.
    held.reservation.pay_out().await?;
    match rail.pay_bill(&bill).await {
        Ok(paid) => {
            let (sats, fees) = (paid.amount, paid.fees);
            if let Some(token) = paid.token {
                let made = Some(Made { reservation: held.reservation, sats, fees });
                return Ok(Ended { made, ..ended(PayOutcome::Made { sats, fees, token }, None) });
            }
            settle_paid(held.reservation, (sats, fees)).await?;
            Ok(ended(PayOutcome::Paid { sats, fees }, None))
        }
        Err(failed) => {
            drop(held.reservation);
            if failed.unclear {
                return Ok(ended(PayOutcome::Unclear(failed.reason), None));
            }
            ledger.reconcile(key, Sats::ZERO, Sats::ZERO).await?;
            Ok(ended(PayOutcome::Unpaid(failed.reason), None))
        }
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::payment::{Cost, LockFailed, Payment, Secured};
    use crate::swarm::EscrowOffer;

    const TICKET: Ticket = Ticket::at(1, 0);

    fn key() -> Key {
        Key::new("run", 1, 0)
    }

    /// A payment whose attempt ran out of time while it was under way.
    fn timed_out() -> PayBefore {
        let mut before = PayBefore::default();
        before.begin(TICKET, key());
        assert!(before.decided(&[(TICKET, None)]).is_empty(), "nobody knows what it owes");
        before
    }

    #[test]
    fn a_timeout_during_prepayment_counts_as_unsent_only_if_it_was_paid() {
        let mut before = timed_out();
        before.known(TICKET, true, true);
        assert_eq!(before.decided(&[]), [(key(), PrepaidEnd::Silent)]);
        assert!(before.open.is_empty());

        let mut before = timed_out();
        before.known(TICKET, false, false);
        assert!(before.decided(&[]).is_empty());
        assert!(before.open.is_empty());
    }

    #[test]
    fn an_uninspected_answer_is_called_off_and_an_inspected_one_rejected() {
        for (cancelled, end) in [(true, PrepaidEnd::Cancelled), (false, PrepaidEnd::Rejected)] {
            let mut before = PayBefore::default();
            before.begin(TICKET, key());
            before.known(TICKET, true, true);
            before.answered(TICKET);
            if cancelled {
                before.cancelled(TICKET);
            }
            assert_eq!(before.decided(&[(TICKET, None)]), [(key(), end)]);
        }
    }

    #[test]
    fn who_was_never_given_its_token_is_not_said_to_have_sent_nothing() {
        let mut before = timed_out();
        before.known(TICKET, true, false);
        before.kept_back(TICKET);
        assert_eq!(before.decided(&[]), [(key(), PrepaidEnd::Cancelled)]);
    }

    #[test]
    fn who_is_paid_and_sends_nothing_in_its_time_is_silent() {
        let mut before = PayBefore::default();
        before.begin(TICKET, key());
        before.known(TICKET, true, false);
        assert_eq!(before.decided(&[(TICKET, None)]), [(key(), PrepaidEnd::Silent)]);
    }

    /// A wallet's books that say whether a token may be given away.
    #[derive(Debug)]
    struct Books {
        gives: bool,
    }

    #[async_trait]
    impl PaymentRail for Books {
        async fn cost(&self, _: &EscrowOffer, _: Sats) -> Result<Cost, String> {
            unreachable!("nothing is locked")
        }

        async fn lock(&self, _: &str, _: Vec<Payment>) -> Result<Vec<Secured>, LockFailed> {
            unreachable!("nothing is locked")
        }

        async fn release(&self, _: Vec<Key>) -> Result<Vec<(Key, String)>, String> {
            unreachable!("nothing is locked")
        }

        async fn settled(&self, _: Vec<Key>) -> Result<(), String> {
            unreachable!("nothing is locked")
        }

        async fn reclaim(&self, _: Vec<String>) -> Result<Vec<(Key, Sats)>, String> {
            unreachable!("nothing is locked")
        }

        async fn give_prepaid(&self, _: &Key) -> Result<bool, String> {
            Ok(self.gives)
        }
    }

    /// A token of 30 sats and its fees of 2, for which 40 were reserved.
    async fn with_a_token(ledger: &Ledger) -> PayBefore {
        ledger.open_run("run", Sats(90)).await.unwrap();
        let mut reservation = ledger.reserve(key(), Sats(40)).await.unwrap();
        reservation.pay_out().await.unwrap();
        let mut before = PayBefore::default();
        before.begin(TICKET, key());
        before.known(TICKET, true, false);
        before.made.insert(TICKET, Made { reservation, sats: Sats(30), fees: Sats(2) });
        before
    }

    #[tokio::test]
    async fn a_token_counts_as_paid_once_sent_and_costs_only_fees_before() {
        // Its attempt is over; its provider is given it; it was found lying by somebody else.
        for (gives, spent) in [(None, 2), (Some(true), 32), (Some(false), 2)] {
            let folder = tempfile::tempdir().unwrap();
            let ledger = Ledger::open(folder.path().join("ledger.db")).await.unwrap();
            let mut before = with_a_token(&ledger).await;
            assert_eq!(ledger.budget("run").await.unwrap().spent, Sats(40), "until it is known");
            let rail: Arc<dyn PaymentRail> = Arc::new(Books { gives: gives == Some(true) });
            match gives {
                None => before.kept_back(TICKET),
                Some(gives) => {
                    let giving = before.begin_to_give(Some(&rail), TICKET).unwrap();
                    assert_eq!(before.given(giving.write().await.unwrap()), gives);
                }
            }
            let kept = before.ends(&[]).write(rail.as_ref()).await.unwrap();
            assert_eq!(!kept.is_empty(), spent == 2, "{kept:?}");
            assert!(kept.iter().all(|kept| *kept == (TICKET, Sats(40), Sats(2))), "{kept:?}");
            assert_eq!(ledger.budget("run").await.unwrap().spent, Sats(spent), "{gives:?}");
            assert_eq!(before.is_owed(TICKET), gives == Some(true));
        }
    }
}
