//! Batches: one that fails takes none of the others with it.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use frlm_wallet::Msats;

use super::lock::MOST_SPLITS;
use super::*;
use crate::payment::{LockFailed, Payment};
use crate::run::outbox::Outbox;
use crate::swarm::{EscrowOffer, Tariff};

/// What is reserved for each job, and its price.
const RESERVED: Sats = Sats(3);
const PRICE: Sats = Sats(2);

/// A mint that answers, and one that never does.
const MINT: &str = "m";
const SILENT: &str = "silent";

/// A mint with so much to lock, and what it takes on top of a price.
#[derive(Debug)]
struct FakeRail {
    left: Mutex<u64>,
    fees: Sats,
    asked: Mutex<u32>,
    /// Whether nobody knows of what it does not lock.
    unclear: bool,
}

impl FakeRail {
    fn new(left: u64, fees: u64) -> Self {
        Self { left: Mutex::new(left), fees: Sats(fees), asked: Mutex::default(), unclear: false }
    }

    fn with(left: u64, fees: u64) -> Arc<Self> {
        Arc::new(Self::new(left, fees))
    }
}

#[async_trait]
impl PaymentRail for FakeRail {
    async fn cost(&self, _: &EscrowOffer, _: Sats) -> Result<Cost, String> {
        unreachable!("what it costs is known")
    }

    async fn lock(&self, mint: &str, orders: Vec<Payment>) -> Result<Vec<Secured>, LockFailed> {
        if mint == SILENT {
            std::future::pending::<()>().await;
        }
        *self.asked.lock().unwrap() += 1;
        let wanted: u64 = orders.iter().map(|order| order.price.0).sum();
        let mut left = self.left.lock().unwrap();
        if wanted > *left {
            return Err(LockFailed { reason: "too little".to_owned(), unclear: self.unclear });
        }
        *left -= wanted;
        let secured =
            |order: Payment| Secured { key: order.key, payload: "locked".to_owned(), fees: self.fees };
        Ok(orders.into_iter().map(secured).collect())
    }

    async fn release(&self, keys: Vec<Key>) -> Result<Vec<(Key, String)>, String> {
        Ok(keys.into_iter().map(|key| (key, "signed".to_owned())).collect())
    }

    async fn settled(&self, _: Vec<Key>) -> Result<(), String> {
        Ok(())
    }

    async fn reclaim(&self, payloads: Vec<String>) -> Result<Vec<(Key, Sats)>, String> {
        // A subtask, and what taking its sats back costs.
        let whose = |payload: String| {
            let (subtask, fees) = payload.split_once(' ').unwrap_or((payload.as_str(), "0"));
            (Key::new("run", subtask.parse().unwrap(), 0), Sats(fees.parse().unwrap()))
        };
        Ok(payloads.into_iter().map(whose).collect())
    }
}

fn provider() -> ProviderInfo {
    ProviderInfo {
        tariff: Tariff::per_1k(Msats(1_000)),
        escrow: Some(EscrowOffer { key: String::new(), mints: Vec::new(), pay_after_jobs: 0 }),
        flat_price: None,
        ..ProviderInfo::foreign("a".into(), Sats::ZERO)
    }
}

fn ticket(subtask: u32) -> Ticket {
    Ticket::at(subtask, 0)
}

/// Sets sats aside for a job at each of these mints, and begins to lock them.
async fn begun(fake: &Arc<FakeRail>, mints: &[&str], folder: &tempfile::TempDir) -> (Money, Mints) {
    let ledger = Ledger::open(folder.path().join("ledger.db")).await.unwrap();
    ledger.open_run("run", Sats(10_000)).await.unwrap();
    let rail: Arc<dyn PaymentRail> = Arc::clone(fake) as _;
    let mut money = Money::new("run", ledger, Some(rail));
    let wanted = |(subtask, mint): (u32, &&str)| Wanted {
        ticket: ticket(subtask),
        provider: "a".into(),
        amount: RESERVED,
        scheme: Scheme::Escrow,
        mint: Some((*mint).into()),
        debt: None,
    };
    let wanted: Vec<Wanted> = (0..).zip(mints).map(wanted).collect();
    let locks = wanted.iter().map(|wanted| wanted.ticket).collect();
    reserve(&mut money, wanted, locks).await;
    let purchase = |(subtask, mint): (u32, &&str)| Purchase {
        ticket: ticket(subtask),
        provider: provider(),
        price: PRICE,
        cost: Cost { mint: (*mint).to_owned(), total: RESERVED },
    };
    let purchases = (0..).zip(mints).map(purchase).collect();
    let mut mints = Mints::default();
    money.begin_locks(purchases, Duration::from_mins(5), &mut mints);
    (money, mints)
}

/// Sets sats aside.
async fn reserve(money: &mut Money, wanted: Vec<Wanted>, locks: HashSet<Ticket>) {
    let reserving = money.begin_to_reserve(wanted, locks);
    let (_, refused) = money.reserved(reserving.await.unwrap());
    assert!(refused.is_empty(), "{refused:?}");
}

/// What the next mint has locked, or why it has not.
async fn locked(money: &mut Money, mints: &mut Mints) -> HashMap<Ticket, Option<String>> {
    let Some(DoneByMint::Locked(done)) = mints.next().await else { panic!("a mint was to lock something") };
    let (told, abandoned) = money.take_locks(done);
    let mut outbox = Outbox::default();
    money.write_abandoned(abandoned, &mut outbox);
    while let Some(written) = outbox.next().await {
        written.unwrap();
    }
    told
}

/// Ends attempts of which none was on credit.
async fn end(money: &mut Money, ended: Vec<(Ticket, Option<Sats>)>) -> Moved {
    let mut mints = Mints::default();
    let ending = money.begin_to_end(ended);
    let moved = money.finished(ending.await.unwrap(), &mut mints);
    assert!(!mints.errands.any(Errand::Pay));
    moved
}

/// Takes back what was returned.
async fn reclaim(money: &mut Money) -> Vec<TraceEvent> {
    let mut mints = Mints::default();
    money.begin_to_reclaim(&mut mints);
    match mints.next().await {
        Some(DoneByMint::Reclaimed(back)) => match money.returns.begin_to_book(back, money.ledger.clone()) {
            Some(booking) => booking.await.unwrap(),
            None => Vec::new(),
        },
        Some(done) => panic!("{done:?}"),
        None => Vec::new(),
    }
}

/// So many jobs for which sats are reserved and then locked; which of them could not be paid for.
async fn secured(
    fake: &Arc<FakeRail>,
    jobs: usize,
    folder: &tempfile::TempDir,
) -> (Money, HashMap<Ticket, String>) {
    let (mut money, mut mints) = begun(fake, &vec![MINT; jobs], folder).await;
    let told = locked(&mut money, &mut mints).await;
    assert_eq!((told.len(), mints.next().await.is_none()), (jobs, true));
    (money, told.into_iter().filter_map(|(ticket, failed)| Some((ticket, failed?))).collect())
}

#[tokio::test]
async fn locks_at_a_healthy_mint_never_wait_for_a_silent_one() {
    let (folder, fake) = (tempfile::tempdir().unwrap(), FakeRail::with(100, 1));
    let (mut money, mut mints) = begun(&fake, &[SILENT, MINT, SILENT, MINT], &folder).await;
    assert_eq!(locked(&mut money, &mut mints).await, HashMap::from([(ticket(1), None), (ticket(3), None)]));
    assert!(money.payment(ticket(1)).is_some() && money.payment(ticket(0)).is_none());
    assert_eq!(money.refund_at(), None);
    // The run ends before the other mint has said anything: nobody knows what it does yet.
    money.give_up_locks(&mut mints);
    assert!(money.refund_at().is_some());
    end(&mut money, (0..4).map(|subtask| (ticket(subtask), None)).collect()).await;
    let budget = money.ledger.budget("run").await.unwrap();
    assert_eq!((budget.reserved, budget.pending_refund), (Sats::ZERO, Sats(12)));
}

#[tokio::test]
async fn with_too_few_sats_for_all_jobs_the_affordable_ones_are_paid_for() {
    let (folder, fake) = (tempfile::tempdir().unwrap(), FakeRail::with(7, 1));
    let (money, failed) = secured(&fake, 4, &folder).await;
    assert_eq!(failed, HashMap::from([(ticket(3), "too little".to_owned())]));
    let paid = (0..4).filter(|subtask| money.payment(ticket(*subtask)).is_some());
    assert_eq!(paid.collect::<Vec<_>>(), [0, 1, 2]);
    let budget = money.ledger.budget("run").await.unwrap();
    assert_eq!(
        (budget.reserved, budget.spent),
        (Sats(9), Sats::ZERO),
        "the fourth job's sats are free again"
    );
}

#[tokio::test]
async fn an_unpayable_jobs_end_frees_its_sats_and_reports_that_once() {
    let (folder, fake) = (tempfile::tempdir().unwrap(), FakeRail::with(7, 1));
    let (mut money, failed) = secured(&fake, 4, &folder).await;
    assert!(failed.contains_key(&ticket(3)));
    assert_eq!(
        end(&mut money, vec![(ticket(3), None)]).await.events,
        [settled(ticket(3), RESERVED, Sats::ZERO)]
    );
    assert_eq!(end(&mut money, vec![(ticket(3), None)]).await.events, []);
}

#[tokio::test]
async fn an_early_refund_is_booked_when_its_attempt_ends() {
    let (folder, fake) = (tempfile::tempdir().unwrap(), FakeRail::with(100, 1));
    let (mut money, _) = secured(&fake, 3, &folder).await;
    for subtask in 0..3 {
        money.on_returned(ticket(subtask), subtask.to_string());
    }
    assert_eq!(reclaim(&mut money).await, [], "all three are out still");
    // The first counts, the second does not, the third is still out.
    end(&mut money, vec![(ticket(0), Some(PRICE)), (ticket(1), None)]).await;
    assert_eq!(reclaim(&mut money).await, [settled(ticket(1), RESERVED, Sats::ZERO)]);
    assert!(!money.returns.any_awaited());
    let budget = money.ledger.budget("run").await.unwrap();
    assert_eq!((budget.spent, budget.reserved, budget.pending_refund), (Sats(3), RESERVED, Sats::ZERO));
    end(&mut money, vec![(ticket(2), None)]).await;
    assert_eq!(
        reclaim(&mut money).await,
        [settled(ticket(2), RESERVED, Sats::ZERO)],
        "it was kept for later"
    );
}

#[tokio::test]
async fn an_overrun_reservation_is_charged_in_full_and_ends_no_run() {
    let (folder, fake) = (tempfile::tempdir().unwrap(), FakeRail::with(100, 1));
    let (mut money, _) = secured(&fake, 2, &folder).await;
    end(&mut money, vec![(ticket(0), None), (ticket(1), None)]).await;
    money.on_returned(ticket(0), "0 9".to_owned());
    money.on_returned(ticket(1), "1 1".to_owned());
    let mut events = reclaim(&mut money).await;
    events.sort_by_key(|event| matches!(event, TraceEvent::BudgetSettle { spent_sats: 1, .. }));
    assert_eq!(events, [settled(ticket(0), RESERVED, RESERVED), settled(ticket(1), RESERVED, Sats(1))]);
    let budget = money.ledger.budget("run").await.unwrap();
    assert_eq!((budget.spent, budget.pending_refund), (Sats(4), Sats::ZERO), "both are decided");
}

#[tokio::test]
async fn sats_that_may_be_locked_are_said_to_be_back_by_the_locktime() {
    let (folder, fake) =
        (tempfile::tempdir().unwrap(), Arc::new(FakeRail { unclear: true, ..FakeRail::new(0, 1) }));
    let (money, failed) = secured(&fake, 1, &folder).await;
    assert_eq!(failed.len(), 1);
    let budget = money.ledger.budget("run").await.unwrap();
    assert_eq!((budget.pending_refund, budget.available), (RESERVED, Sats(9_997)));
    assert!(
        money.refund_at().is_some_and(|at| at > frlm_util::clock::unix_secs()),
        "{:?}",
        money.refund_at()
    );
    // What was refused is free at once, and nothing is waited for.
    let folder = tempfile::tempdir().unwrap();
    let (money, _) = secured(&FakeRail::with(0, 1), 1, &folder).await;
    assert_eq!(money.refund_at(), None);
}

#[tokio::test]
async fn a_mint_that_refuses_everything_is_not_asked_for_each_job() {
    let (folder, fake) = (tempfile::tempdir().unwrap(), FakeRail::with(0, 1));
    let (money, failed) = secured(&fake, 100, &folder).await;
    assert_eq!((failed.len(), money.held.len()), (100, 0));
    assert!(*fake.asked.lock().unwrap() <= 1 + 2 * MOST_SPLITS);
}

#[tokio::test]
async fn fees_that_rose_since_they_were_reserved_hold_up_nobodys_pay() {
    let (folder, fake) = (tempfile::tempdir().unwrap(), FakeRail::with(100, 5));
    let (mut money, failed) = secured(&fake, 2, &folder).await;
    assert!(failed.is_empty());
    let moved = end(&mut money, vec![(ticket(0), Some(PRICE)), (ticket(1), Some(PRICE))]).await;
    let told = |notice: &Notice| matches!(&notice.settlement, Settlement::Released(_));
    assert_eq!(moved.notices.iter().filter(|notice| told(notice)).count(), 2);
    assert_eq!(moved.events.len(), 2);
    let budget = money.ledger.budget("run").await.unwrap();
    assert_eq!((budget.spent, budget.reserved), (Sats(6), Sats::ZERO), "all that was reserved");
}

#[tokio::test]
async fn a_repeated_payment_request_is_handled_once_and_still_awaited() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(folder.path().join("ledger.db")).await.unwrap();
    ledger.open_run("run", Sats(10_000)).await.unwrap();
    let rail: Arc<dyn PaymentRail> = FakeRail::with(10, 0);
    let mut money = Money::new("run", ledger, Some(rail));
    let wanted = Wanted {
        ticket: ticket(0),
        provider: "a".into(),
        amount: RESERVED,
        scheme: Scheme::Before,
        mint: None,
        debt: None,
    };
    reserve(&mut money, vec![wanted], HashSet::new()).await;
    let demand = |subtask| Demand {
        ticket: ticket(subtask),
        provider: "a".into(),
        bid: PRICE,
        stated: None,
        invoice: "an invoice".to_owned(),
    };
    money.demand(demand(0)).unwrap();
    money.demand(demand(0)).expect("its attempt goes on");
    assert!(money.demand(demand(1)).is_err(), "nothing was reserved for that one");
    // This rail pays nobody before the work.
    let paid = money.paid_before().await.unwrap().unwrap();
    assert!(matches!(paid.outcome, PayOutcome::Unpaid(_)), "{paid:?}");
    assert!(money.paid_before().await.unwrap().is_none(), "one payment was begun");
}
