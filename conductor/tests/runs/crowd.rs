//! A crowd of fresh keys that announce themselves and answer nothing, of which a relay tells before the providers that the
//! asker knows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use frlm_conductor::policy::FrlmPolicy;
use frlm_conductor::run::journal::Journal;
use frlm_conductor::run::{Equipment, Run, RunSetup, Wiring};
use frlm_conductor::swarm::{OutgoingJob, ProviderInfo, Swarm, SwarmEvent, Ticket};
use frlm_inference::Dialect;
use frlm_protocol::Speed;
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::FragmentMap;
use frlm_questions::question::{field_hints, parse};
use frlm_verifier::VerificationPolicy;
use frlm_wallet::{Ledger, Sats};
use nostr::Keys;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::common::{QUESTION, copied, orders, remembered};

const KNOWN: [&str; 3] = ["a", "b", "c"];
const SILENT: usize = 40;
const PARTS: usize = 80;
/// How much later than the crowd the known ones are heard of.
const LATER: Duration = Duration::from_millis(400);
const TOOK: Duration = Duration::from_millis(5);

/// Known providers that answer, and strangers that do not.
struct Crowd {
    events: mpsc::Sender<SwarmEvent>,
    jobs: Mutex<HashMap<String, usize>>,
}

#[async_trait]
impl Swarm for Crowd {
    async fn submit(&self, job: OutgoingJob) {
        *self.jobs.lock().unwrap().entry(job.provider.to_string()).or_default() += 1;
        if !KNOWN.contains(&&*job.provider) {
            return;
        }
        let answered = copied(&job);
        let events = self.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(TOOK).await;
            let _ = events.send(answered).await;
        });
    }

    async fn cancel(&self, _: Ticket) {}

    async fn shutdown(&self) {}
}

fn seen(id: &str) -> SwarmEvent {
    SwarmEvent::ProviderSeen(ProviderInfo {
        dialect: Dialect::Records,
        flat_price: None,
        workers: 4,
        speed: Some(Speed::new(4_000.0, 400.0).unwrap()),
        ..ProviderInfo::foreign(id.into(), Sats::ZERO)
    })
}

/// A run of which the relay tells the crowd first; how long it took, and the jobs of the crowd and of the known ones.
/// `looking`: whether the relay has more to tell meanwhile.
async fn beside_a_crowd(looking: bool) -> (Duration, usize, usize) {
    let (home, id) = (tempfile::tempdir().unwrap(), Keys::generate().public_key().to_hex());
    let policy = FrlmPolicy { verification: VerificationPolicy::DEFAULT, ..FrlmPolicy::standard() };
    let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
    ledger.open_run(id.as_str(), policy.budget).await.unwrap();
    let (events_in, events) = mpsc::channel(1_024);
    events_in.try_send(SwarmEvent::Looking(looking)).unwrap();
    for number in 0..SILENT {
        events_in.try_send(seen(&format!("silent {number}"))).unwrap();
    }
    let swarm = Arc::new(Crowd { events: events_in.clone(), jobs: Mutex::default() });
    let fragments = orders(PARTS * 4, 4);
    let owned: Vec<Fragment> = fragments.iter().map(|fragment| (**fragment).clone()).collect();
    let hints = field_hints(&owned);
    let query = parse(QUESTION, &hints);
    let map = FragmentMap::new(QUESTION, query.clone(), hints, fragments.clone(), query.is_none());
    let mut setup = RunSetup::new(&id, QUESTION, fragments, Box::new(map), policy);
    setup.query = query;
    let journal = Journal::new(&id, None, None, 0, Duration::ZERO);
    let venue = Arc::clone(&swarm) as Arc<dyn Swarm>;
    let wiring = Wiring { swarm: Some(venue), local: None, events, ledger, journal };
    let reputation = Some(remembered(home.path(), &KNOWN.map(str::to_owned), 40));
    let equipment = Equipment { reputation, ..Equipment::default() };
    let run = Run::new(setup, wiring, equipment);
    let began = tokio::time::Instant::now();
    let tells = tokio::spawn(async move {
        tokio::time::sleep(LATER).await;
        for name in KNOWN {
            events_in.send(seen(name)).await.unwrap();
        }
        events_in.send(SwarmEvent::Looking(false)).await.unwrap();
    });
    let answer = Box::pin(run.execute(CancellationToken::new())).await.unwrap();
    tells.await.unwrap();
    let took = began.elapsed();
    assert!(answer.answer.starts_with(&format!("{} ", PARTS * 4 / 5)), "{}", answer.answer);
    let jobs = swarm.jobs.lock().unwrap();
    let of = |known: bool| jobs.iter().filter(move |(id, _)| KNOWN.contains(&id.as_str()) == known);
    let count = |known| of(known).map(|(_, jobs)| *jobs).sum();
    (took, count(false), count(true))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_records_waits_for_known_ones_while_relays_tell_of_others() {
    let (took, silent, known) = beside_a_crowd(true).await;
    // One place of ten is theirs, and what goes beyond the room of the known ones.
    assert!(silent <= PARTS, "{silent} jobs to the crowd and {known} to the known ones");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn known_providers_that_come_late_take_over_what_a_silent_crowd_has() {
    let (took, silent, known) = beside_a_crowd(false).await;
    assert!(silent >= PARTS, "{silent} jobs: the crowd was asked first");
    assert!(took < Duration::from_secs(10), "{took:?}; {known} jobs to the known ones");
}
