//! A swarm that always has something new to say takes nobody else's turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use frlm_conductor::policy::FrlmPolicy;
use frlm_conductor::run::journal::Journal;
use frlm_conductor::run::{Equipment, Run, RunError, RunSetup, Wiring};
use frlm_conductor::swarm::{OutgoingJob, ProviderInfo, Swarm, SwarmEvent, Ticket};
use frlm_inference::{Dialect, Usage};
use frlm_protocol::JobAnswer;
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::FragmentMap;
use frlm_questions::question::{field_hints, parse};
use frlm_verifier::VerificationPolicy;
use frlm_wallet::{Ledger, Sats};
use nostr::Keys;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::common::{QUESTION, copy, orders};

/// Jobs after which the run is stopped.
const STOPPED_AFTER: usize = 8;

/// Answers each job before the run has turned round, and has the run stopped soon.
struct AtOnce {
    events: mpsc::Sender<SwarmEvent>,
    jobs: AtomicUsize,
    stop: CancellationToken,
}

#[async_trait]
impl Swarm for AtOnce {
    async fn submit(&self, job: OutgoingJob) {
        if self.jobs.fetch_add(1, Ordering::Relaxed) + 1 == STOPPED_AFTER {
            self.stop.cancel();
        }
        let text = |prompt: &String| JobAnswer {
            text: copy(prompt),
            reasoning: None,
            confidence: None,
            commitment: None,
        };
        let answered = SwarmEvent::Result {
            ticket: job.ticket,
            answers: job.prompt.texts().iter().map(text).collect(),
            model: None,
            usage: Usage::default(),
            reference: "at once".to_owned(),
            job: "at once".to_owned(),
        };
        self.events.try_send(answered).unwrap();
    }

    async fn cancel(&self, _: Ticket) {}

    async fn shutdown(&self) {}
}

fn provider(id: &str) -> ProviderInfo {
    ProviderInfo {
        dialect: Dialect::Records,
        flat_price: None,
        ..ProviderInfo::foreign(id.into(), Sats::ZERO)
    }
}

#[tokio::test]
async fn a_stop_is_heard_however_quickly_the_providers_answer() {
    let (home, id) = (tempfile::tempdir().unwrap(), Keys::generate().public_key().to_hex());
    let policy = FrlmPolicy { verification: VerificationPolicy::TWO_OF_THREE, ..FrlmPolicy::standard() };
    let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
    ledger.open_run(id.as_str(), policy.budget).await.unwrap();
    let (events_in, events) = mpsc::channel(1_024);
    for name in ["a", "b"] {
        events_in.try_send(SwarmEvent::ProviderSeen(provider(name))).unwrap();
    }
    let stop = CancellationToken::new();
    let swarm = Arc::new(AtOnce { events: events_in, jobs: AtomicUsize::new(0), stop: stop.clone() });
    let fragments = orders(200, 1);
    let owned: Vec<Fragment> = fragments.iter().map(|fragment| (**fragment).clone()).collect();
    let hints = field_hints(&owned);
    let query = parse(QUESTION, &hints);
    let map = FragmentMap::new(QUESTION, query.clone(), hints, fragments.clone(), query.is_none());
    let mut setup = RunSetup::new(&id, QUESTION, fragments, Box::new(map), policy);
    setup.query = query;
    let journal = Journal::new(&id, None, None, 0, Duration::ZERO);
    let venue = Arc::clone(&swarm) as Arc<dyn Swarm>;
    let wiring = Wiring { swarm: Some(venue), local: None, events, ledger, journal };
    let result = Box::pin(Run::new(setup, wiring, Equipment::default()).execute(stop)).await;
    let jobs = swarm.jobs.load(Ordering::Relaxed);
    assert!(matches!(result, Err(RunError::Interrupted(_))), "it went on: {jobs} jobs");
    assert!((STOPPED_AFTER..200).contains(&jobs), "stopped after {STOPPED_AFTER}, it sent {jobs}");
}
