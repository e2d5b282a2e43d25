//! Pay after the verdict over real sockets: relay, providers with wallets, a mint.

use std::sync::Arc;

use async_trait::async_trait;
use frlm_questions::dialect::Prompt;

use crate::common::scene::{Scene, TIMEOUT, books_closed, received};
use crate::common::{copy, lie};
use frlm_client::payment::cashu::CashuRail;
use frlm_client::payment::debts::{Outcome as Debts, pay_debts_of};
use frlm_client::swarm::nostr::NostrSwarm;
use frlm_client::view::RunView;
use frlm_conductor::payment::{Cost, LockFailed, Payment, PaymentRail, Secured, Unpaid};
use frlm_conductor::run::RunError;
use frlm_conductor::swarm::{EscrowOffer, OutgoingJob, Swarm, SwarmEvent, Ticket};
use frlm_conductor::trace::TraceEvent;
use frlm_protocol::{Mode, RefusalReason};
use frlm_provider::ProviderConfig;
use frlm_relay::{ConnectOptions, Connection};
use frlm_verifier::VerificationPolicy;
use frlm_wallet::debts::{CreditLine, DebtState};
use frlm_wallet::escrow::Claim;
use frlm_wallet::ledger::Scheme;
use frlm_wallet::{Key, Msats, Sats, reconcile};
use nostr::{Keys, Timestamp};
use tokio::sync::mpsc;

#[tokio::test(flavor = "multi_thread")]
async fn work_is_paid_after_its_verdict_within_credit_and_all_ledgers_agree() {
    let scene = Scene::new().await;
    let provider = scene.provider("a", copy, 3).await;
    let rail = Arc::new(CashuRail::new(scene.payer.clone()));
    let outcome = scene.ask(rail, VerificationPolicy::None).await;
    let answer = outcome.result.expect("it is answered");
    assert!(answer.answer.contains("12"), "{}", answer.answer);
    books_closed(&provider).await;
    scene.all_books_agree().await;
    let debts = scene.payer.debts(None).await.unwrap();
    assert!(debts.len() >= 3, "{debts:?}");
    assert!(debts.iter().all(|row| row.state == DebtState::Paid), "{debts:?}");
    let after = scene.schemes().await.into_iter().filter(|scheme| *scheme == Scheme::After).count();
    assert_eq!(after, debts.len(), "what was booked as paid after was");
    let view = RunView::of(&outcome.trace);
    assert!(view.money.ever_owed() && view.money.now().owed == 0, "it was owed, and paid in time");
    let told = |event: &TraceEvent| matches!(event, TraceEvent::Owed { .. });
    assert_eq!(outcome.trace.iter().filter(|record| told(&record.event)).count(), debts.len());
    let earnings = provider.wallet.earnings().await.unwrap();
    assert!(earnings.iter().all(|earning| earning.state == "redeemed"), "{earnings:?}");
    assert_eq!(provider.wallet.available().await.unwrap(), received(&provider).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_sides_price_written_tokens_alike_and_apply_the_minimum() {
    let scene = Scene::new().await;
    let config = ProviderConfig {
        name: "a".to_owned(),
        price_msats_per_1k: 1_000,
        written_msats_per_1k: Some(5_000),
        least_msats: 3_000,
        pay_after_jobs: 2,
        ..ProviderConfig::default()
    };
    let provider = scene.provider_with(config, copy).await;
    let rail = Arc::new(CashuRail::new(scene.payer.clone()));
    let outcome = scene.ask(rail, VerificationPolicy::None).await;
    let answer = outcome.result.expect("whatever the price, both sides reckon it alike");
    assert!(answer.answer.contains("12"), "{}", answer.answer);
    books_closed(&provider).await;
    scene.all_books_agree().await;
    let locks = scene.payer.locks(Some(&scene.run())).await.unwrap();
    assert!(locks.len() >= 6 && locks.iter().all(|lock| lock.price() >= Sats(3)), "{locks:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_is_expected_to_cost_counts_what_the_mint_takes() {
    let mut expected = Vec::new();
    for input_fee_ppk in [0, 100] {
        let scene = Scene::with_fee(input_fee_ppk).await;
        let provider = scene.provider("a", copy, 0).await;
        let rail = Arc::new(CashuRail::new(scene.payer.clone()));
        let outcome = scene.ask_within(Sats(1), rail, VerificationPolicy::None).await;
        match outcome.result.unwrap_err() {
            RunError::OverBudget { expected: sats, .. } => expected.push(sats),
            other => panic!("{other}"),
        }
        provider.handle.shutdown().immediate.cancel();
        provider.handle.stopped().await;
    }
    assert!(expected[0] < expected[1], "{expected:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_liar_that_lets_us_owe_is_owed_nothing() {
    let scene = Scene::new().await;
    let mut providers = Vec::new();
    for (name, answer) in [("a", copy as fn(&str) -> String), ("b", copy), ("liar", lie)] {
        providers.push(scene.provider(name, answer, 8).await);
    }
    let rail = Arc::new(CashuRail::new(scene.payer.clone()));
    let outcome = scene.ask(rail, VerificationPolicy::TWO_OF_THREE).await;
    assert!(outcome.result.expect("the honest two agree").answer.contains("12"));
    for provider in &providers {
        books_closed(provider).await;
    }
    scene.all_books_agree().await;
    assert_eq!(received(&providers[2]).await, Sats::ZERO, "a lie earns nothing");
    assert!(received(&providers[0]).await > Sats::ZERO && received(&providers[1]).await > Sats::ZERO);
    let liar = providers[2].handle.public_key().to_hex();
    let debts = scene.payer.debts(None).await.unwrap();
    assert!(!debts.is_empty() && debts.iter().all(|row| row.debt.peer != liar), "{debts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_with_full_credit_lines_is_paid_through_escrow_and_says_so() {
    let scene = Scene::new().await;
    let provider = scene.provider("a", copy, 1).await;
    // Eight strangers owe already.
    for stranger in 0..8 {
        let claim = Claim {
            job: format!("job {stranger}"),
            asker: format!("stranger {stranger}"),
            model: "scripted".to_owned(),
        };
        let due = Timestamp::now().as_secs() + 3_600;
        provider.wallet.open_debt(claim, Sats(1), due, CreditLine { per_key: 1 }).await.unwrap();
    }
    let rail = Arc::new(CashuRail::new(scene.payer.clone()));
    let outcome = scene.ask(rail, VerificationPolicy::None).await;
    let refused = outcome.count(
        |event| matches!(event, TraceEvent::Notice { says, .. } if says.contains("nothing more be owed")),
    );
    assert_eq!(refused, 1, "it is said, and not tried again");
    assert!(outcome.result.expect("it is answered").answer.contains("12"));
    assert!(scene.payer.debts(None).await.unwrap().is_empty());
    let schemes = scene.schemes().await;
    assert_eq!(schemes.iter().filter(|scheme| **scheme == Scheme::After).count(), 1, "{schemes:?}");
    assert!(schemes.contains(&Scheme::Escrow), "{schemes:?}");
    scene.all_books_agree().await;
    provider.handle.shutdown().immediate.cancel();
    provider.handle.stopped().await;
}

/// Where a rail stops, as a process does that is killed there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiesAt {
    /// The verdict is in, and what is owed is written down.
    Lock,
    /// The sats are locked.
    Release,
}

/// Pays like [`CashuRail`], until it does no more.
#[derive(Debug)]
struct Dying {
    rail: CashuRail,
    at: DiesAt,
}

#[async_trait]
impl PaymentRail for Dying {
    async fn cost(&self, offer: &EscrowOffer, price: Sats) -> Result<Cost, String> {
        self.rail.cost(offer, price).await
    }

    async fn lock(&self, mint: &str, orders: Vec<Payment>) -> Result<Vec<Secured>, LockFailed> {
        if self.at == DiesAt::Lock {
            return Err(LockFailed { reason: "it is dead".to_owned(), unclear: true });
        }
        self.rail.lock(mint, orders).await
    }

    async fn release(&self, _keys: Vec<Key>) -> Result<Vec<(Key, String)>, String> {
        Err("it is dead".to_owned())
    }

    async fn record_debts(&self, debts: Vec<Unpaid>) -> Result<(), String> {
        self.rail.record_debts(debts).await
    }

    async fn settled(&self, keys: Vec<Key>) -> Result<(), String> {
        self.rail.settled(keys).await
    }

    async fn reclaim(&self, payloads: Vec<String>) -> Result<Vec<(Key, Sats)>, String> {
        self.rail.reclaim(payloads).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn debts_of_a_killed_run_are_paid_once_by_the_next_process() {
    for at in [DiesAt::Lock, DiesAt::Release] {
        let scene = Scene::new().await;
        let provider = scene.provider("a", copy, 16).await;
        let rail = Arc::new(Dying { rail: CashuRail::new(scene.payer.clone()), at });
        let outcome = scene.ask(rail, VerificationPolicy::None).await;
        assert!(outcome.result.expect("it is answered").answer.contains("12"));
        assert_eq!(received(&provider).await, Sats::ZERO);
        let owed = scene.payer.debts(None).await.unwrap();
        let prices: Sats = owed.iter().map(|row| row.debt.price).sum();
        assert!(owed.len() >= 6 && owed.iter().all(|row| row.state == DebtState::Owed), "{owed:?}");
        let left = RunView::of(&outcome.trace).money.now();
        assert!(left.owed >= prices.0 && left.spent >= left.owed, "the run says what it owes: {left:?}");
        // All of it counts as spent meanwhile: nobody can spend it a second time.
        let ledger = scene.ledger().await;
        let budget = ledger.budget(scene.run()).await.unwrap();
        assert!(budget.spent >= prices && budget.reserved == Sats::ZERO, "{budget:?}");
        let waiting = reconcile(&ledger, Some(&scene.payer)).await.unwrap().waiting;
        assert_eq!(waiting.len(), owed.len());

        let keys_of = |run: &str| (run == scene.run()).then(|| scene.keys.clone());
        let alive = pay_debts_of(&scene.payer, |_| false, keys_of).await.unwrap();
        assert_eq!(alive, Debts::default(), "a run under way sees to it itself");
        let nobody = pay_debts_of(&scene.payer, |_| true, |_| None).await.unwrap();
        assert_eq!(
            (nobody.told, nobody.waiting.len()),
            (0, owed.len()),
            "who cannot speak for the run waits"
        );
        let paid = pay_debts_of(&scene.payer, |_| true, keys_of).await.unwrap();
        assert_eq!((paid.told, paid.sats), (owed.len(), prices), "{paid:?}");
        assert_eq!(pay_debts_of(&scene.payer, |_| true, keys_of).await.unwrap().told, 0);
        reconcile(&ledger, Some(&scene.payer)).await.unwrap();
        drop(ledger);
        books_closed(&provider).await;
        scene.all_books_agree().await;
        assert!(received(&provider).await >= prices, "{at:?}");
        assert_eq!(provider.wallet.available().await.unwrap(), received(&provider).await);
    }
}

/// Waits for what becomes of a job.
pub async fn ended(
    events: &mut mpsc::Receiver<SwarmEvent>,
    wanted: Ticket,
) -> Result<(), Option<RefusalReason>> {
    let waiting = async {
        while let Some(event) = events.recv().await {
            match event {
                SwarmEvent::Result { ticket, .. } if ticket == wanted => return Ok(()),
                SwarmEvent::Feedback { ticket, status, reason, .. }
                    if ticket == wanted && status == frlm_protocol::FeedbackStatus::Error =>
                {
                    return Err(reason);
                }
                _ => {}
            }
        }
        panic!("the swarm ended");
    };
    tokio::time::timeout(TIMEOUT, waiting).await.expect("something becomes of it")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asker_that_never_pays_gets_two_answers_and_then_needs_escrow() {
    let scene = Scene::new().await;
    let provider = scene.provider("a", copy, 2).await;
    let relays = std::slice::from_ref(&scene.url);
    let (publisher, incoming) = Connection::connect(relays, ConnectOptions::default()).await.unwrap();
    let (events_in, mut events) = mpsc::channel(64);
    let swarm =
        NostrSwarm::start(Keys::generate(), publisher, incoming, events_in, Timestamp::now(), &[]).await;
    let offer = async {
        loop {
            if let Some(SwarmEvent::ProviderSeen(info)) = events.recv().await {
                return info;
            }
        }
    };
    let info = tokio::time::timeout(TIMEOUT, offer).await.expect("it announces itself");
    let offer = info.escrow.clone().expect("it wants pay");
    assert_eq!(offer.pay_after_jobs, 2, "how much may be owed is announced");

    let rail = CashuRail::new(scene.payer.clone());
    let prompt = Arc::new(Prompt {
        instruction: "copy status".to_owned(),
        inputs: vec!["order=1 user=u1 status=failed".to_owned()],
        mode: Mode::Each,
        max_tokens: 24,
        constraint: None,
    });
    let job = |attempt: u32, payment: Option<String>| OutgoingJob {
        ticket: Ticket::at(0, attempt),
        provider: info.id.clone(),
        prompt: Arc::clone(&prompt),
        bid: Msats(1_000),
        payment,
        foreign: false,
        expires_in_secs: 60,
        shown: None,
    };
    let mut outcomes = Vec::new();
    for attempt in 0..3 {
        swarm.submit(job(attempt, None)).await;
        outcomes.push(ended(&mut events, Ticket::at(0, attempt)).await);
    }
    assert_eq!(outcomes, [Ok(()), Ok(()), Err(Some(RefusalReason::BidTooLow))]);
    let order = Payment {
        key: Key::new("run", 0, 3),
        provider: info.id.clone(),
        offer,
        mint: scene.mint.url().to_owned(),
        price: Sats(1),
        most: None,
        locktime: Timestamp::now().as_secs() + 3_600,
    };
    let secured = rail.lock(scene.mint.url(), vec![order]).await.unwrap().remove(0);
    swarm.submit(job(3, Some(secured.payload))).await;
    assert_eq!(ended(&mut events, Ticket::at(0, 3)).await, Ok(()), "with a lock it works");

    // What is withheld is seen, and is all that was lost.
    let due = Timestamp::now().as_secs() + 24 * 3_600;
    assert_eq!(provider.wallet.expire_debts(due).await.unwrap().len(), 2);
    let states: Vec<String> =
        provider.wallet.earnings().await.unwrap().into_iter().map(|each| each.state).collect();
    assert_eq!(states.iter().filter(|state| *state == "withheld").count(), 2, "{states:?}");
    swarm.shutdown().await;
    provider.handle.shutdown().immediate.cancel();
    provider.handle.stopped().await;
}
