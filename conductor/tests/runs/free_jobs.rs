//! Jobs that a provider gives away, over real sockets: relay, provider with a wallet, a mint.

use std::sync::Arc;

use frlm_client::payment::cashu::CashuRail;
use frlm_client::swarm::nostr::NostrSwarm;
use frlm_conductor::swarm::{OutgoingJob, Swarm, SwarmEvent, Ticket};
use frlm_conductor::trace::TraceEvent;
use frlm_protocol::{Mode, RefusalReason};
use frlm_provider::ProviderConfig;
use frlm_questions::dialect::Prompt;
use frlm_relay::{ConnectOptions, Connection};
use frlm_verifier::VerificationPolicy;
use frlm_wallet::Msats;
use frlm_wallet::ledger::Scheme;
use nostr::Timestamp;
use tokio::sync::mpsc;

use crate::after::ended;
use crate::common::copy;
use crate::common::scene::{Paid, Scene, books_closed};

async fn generous(scene: &Scene, free_jobs_per_day: u32) -> Paid {
    let config = ProviderConfig {
        name: "generous".to_owned(),
        price_msats_per_1k: 1_000,
        free_jobs_per_day,
        ..ProviderConfig::default()
    };
    scene.provider_with(config, copy).await
}

/// The ledger books nothing for what is free; the trace has its reservation of nothing.
fn is_free_job(event: &TraceEvent) -> bool {
    matches!(event, TraceEvent::BudgetReserve { sats: 0, .. })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_providers_free_jobs_cost_nothing_and_the_rest_is_locked_and_paid() {
    let scene = Scene::new().await;
    let provider = generous(&scene, 2).await;
    let rail = Arc::new(CashuRail::new(scene.payer.clone()));
    let outcome = scene.ask(rail, VerificationPolicy::None).await;
    assert_eq!(outcome.count(is_free_job), 2);
    let answer = outcome.result.expect("it is answered");
    assert!(answer.answer.contains("12"), "{}", answer.answer);
    books_closed(&provider).await;
    scene.all_books_agree().await;
    let schemes = scene.schemes().await;
    assert!(schemes.iter().all(|scheme| *scheme == Scheme::Escrow), "{schemes:?}");
    let run = scene.keys.public_key().to_hex();
    let locks = scene.payer.locks(Some(&run)).await.unwrap();
    assert!(!locks.is_empty(), "there were more jobs than free ones");
    assert_eq!(locks.len(), schemes.len(), "each of the others was locked: {locks:?}");
    let earnings = provider.wallet.earnings().await.unwrap();
    assert_eq!(earnings.len(), locks.len(), "free jobs stand in no book: {earnings:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_gives_less_than_announced_is_paid_within_the_budget() {
    let scene = Scene::new().await;
    let provider = generous(&scene, 1).await;
    // The run's own key has had its share of the day before the run begins.
    let relays = std::slice::from_ref(&scene.url);
    let (publisher, incoming) = Connection::connect(relays, ConnectOptions::default()).await.unwrap();
    let (events_in, mut events) = mpsc::channel(64);
    let swarm =
        NostrSwarm::start(scene.keys.clone(), publisher, incoming, events_in, Timestamp::now(), &[]).await;
    let prompt = Arc::new(Prompt {
        instruction: "copy status".to_owned(),
        inputs: vec!["order=1 user=u1 status=failed".to_owned()],
        mode: Mode::Each,
        max_tokens: 24,
        constraint: None,
    });
    let free_job = |subtask: u32| OutgoingJob {
        // Far from those of the run.
        ticket: Ticket::at(subtask, 0),
        provider: provider.handle.public_key().to_hex().into(),
        prompt: Arc::clone(&prompt),
        bid: Msats::ZERO,
        payment: None,
        foreign: false,
        expires_in_secs: 60,
        shown: None,
    };
    // Nobody takes a job before it has announced itself.
    while !matches!(events.recv().await.expect("the swarm is there"), SwarmEvent::ProviderSeen(_)) {}
    for (subtask, expected) in [(900, Ok(())), (901, Err(Some(RefusalReason::BidTooLow)))] {
        swarm.submit(free_job(subtask)).await;
        assert_eq!(ended(&mut events, Ticket::at(subtask, 0)).await, expected);
    }
    swarm.shutdown().await;

    let rail = Arc::new(CashuRail::new(scene.payer.clone()));
    let outcome = scene.ask(rail, VerificationPolicy::None).await;
    assert_eq!(outcome.count(is_free_job), 1, "one was asked for as a free job, and then no other");
    let answer = outcome.result.expect("it is answered, for pay");
    assert!(answer.answer.contains("12"), "{}", answer.answer);
    let said = |event: &TraceEvent| matches!(event, TraceEvent::Notice { says, .. } if says.contains("gives nothing more away"));
    assert_eq!(outcome.trace.iter().filter(|record| said(&record.event)).count(), 1, "the run says so");
    books_closed(&provider).await;
    scene.all_books_agree().await;
}
