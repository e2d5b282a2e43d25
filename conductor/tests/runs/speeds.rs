//! A machine of 8 tokens a second and one of 200 share a run, in a time that passes a hundred times as quickly.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use frlm_conductor::policy::FrlmPolicy;
use frlm_conductor::run::journal::Journal;
use frlm_conductor::run::{Equipment, Run, RunSetup, Wiring};
use frlm_conductor::swarm::{OutgoingJob, ProviderInfo, Swarm, SwarmEvent, Tariff, Ticket};
use frlm_conductor::trace::{TraceEvent, TraceRecord};
use frlm_inference::{GenerationRequest, LanguageModel, Usage};
use frlm_protocol::{JobAnswer, Speed};
use frlm_questions::answer::Answer;
use frlm_questions::ingest::estimate_tokens;
use frlm_questions::plan::FragmentMap;
use frlm_questions::question::FieldHints;
use frlm_wallet::{Ledger, Msats, Sats};
use nostr::Keys;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::claims::{house, warden};

const SLOW: &str = "slow";
const QUICK: &str = "quick";
const QUESTION: &str = "Who locks which room?";

/// Machines that do one job after the other, each at a speed of its own, and give up a job that has expired.
struct Machines {
    speeds: HashMap<&'static str, Speed>,
    model: Arc<dyn LanguageModel>,
    events: mpsc::Sender<SwarmEvent>,
    free_at: Mutex<HashMap<String, Instant>>,
    out: Mutex<HashMap<Ticket, AbortHandle>>,
    /// Jobs that expired before they were done.
    expired: AtomicUsize,
    /// The longest that any job took since it was sent.
    longest: Mutex<Duration>,
}

#[async_trait]
impl Swarm for Machines {
    async fn submit(&self, job: OutgoingJob) {
        let prompt = job.prompt.texts().join("\n");
        let request = GenerationRequest::greedy(&prompt, job.prompt.max_tokens as usize);
        let text = self.model.generate(request).await.unwrap().text;
        let tokens = |text: &str| estimate_tokens(text) as u64;
        let speed = self.speeds[&*job.provider];
        let took = Duration::from_secs_f64(speed.secs(tokens(&prompt), tokens(&text)));
        let now = Instant::now();
        let done = {
            let mut free_at = self.free_at.lock().unwrap();
            let free_at = free_at.entry(job.provider.to_string()).or_insert(now);
            *free_at = now.max(*free_at) + took;
            *free_at
        };
        if done > now + Duration::from_secs(job.expires_in_secs) {
            self.expired.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let mut longest = self.longest.lock().unwrap();
        *longest = (*longest).max(done - now);
        let ticket = job.ticket;
        let answers = vec![JobAnswer { text, reasoning: None, confidence: None, commitment: None }];
        let (reference, job) = ("a machine".to_owned(), "a machine".to_owned());
        let result =
            SwarmEvent::Result { ticket, answers, model: None, usage: Usage::default(), reference, job };
        let events = self.events.clone();
        let work = tokio::spawn(async move {
            tokio::time::sleep_until(done).await;
            let _ = events.send(result).await;
        });
        self.out.lock().unwrap().insert(ticket, work.abort_handle());
    }

    async fn cancel(&self, ticket: Ticket) {
        if let Some(work) = self.out.lock().unwrap().remove(&ticket) {
            work.abort();
        }
    }

    async fn shutdown(&self) {}
}

/// What came of a run.
struct Shared {
    answer: Answer,
    trace: Vec<TraceRecord>,
    expired: usize,
    longest: Duration,
}

impl Shared {
    fn count(&self, wanted: impl Fn(&TraceEvent) -> bool) -> usize {
        self.trace.iter().filter(|record| wanted(&record.event)).count()
    }

    /// Attempts that went to a provider.
    fn asked(&self, whom: &str) -> HashSet<Ticket> {
        let asked = self.trace.iter().filter_map(|record| match &record.event {
            TraceEvent::SubQuerySubmit { subtask, attempt, provider, .. } if provider == whom => {
                Some(Ticket { subtask: *subtask, attempt: *attempt })
            }
            _ => None,
        });
        asked.collect()
    }

    /// Sats that a provider was paid.
    fn paid(&self, whom: &str) -> u64 {
        let asked = self.asked(whom);
        let paid = self.trace.iter().filter_map(|record| match &record.event {
            TraceEvent::BudgetSettle { subtask, attempt, spent_sats, .. } => {
                let ticket = Ticket { subtask: *subtask, attempt: *attempt };
                asked.contains(&ticket).then_some(*spent_sats)
            }
            _ => None,
        });
        paid.sum()
    }
}

/// Lets time pass forty times as quickly as it does, so that what is written to disk meanwhile takes next to none.
async fn hurry() {
    const REAL: Duration = Duration::from_millis(2);
    loop {
        // While somebody else's thread is busy, no timer is jumped to.
        tokio::task::spawn_blocking(|| std::thread::sleep(REAL)).await.unwrap();
        tokio::time::advance(REAL * 40).await;
    }
}

/// Both machines read and review the rules of a house, twelve to a part.
async fn share(announced: bool) -> Shared {
    let (home, id) = (tempfile::tempdir().unwrap(), Keys::generate().public_key().to_hex());
    let mut policy = FrlmPolicy::standard();
    policy.timeout.total = Duration::from_hours(1);
    let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
    ledger.open_run(id.as_str(), policy.budget).await.unwrap();
    let (events_in, events) = mpsc::channel(1_024);
    let speeds = HashMap::from([(SLOW, Speed::ASSUMED), (QUICK, Speed::new(5_000.0, 200.0).unwrap())]);
    for (name, speed) in &speeds {
        let provider = ProviderInfo {
            tariff: Tariff::per_1k(Msats(1_000)),
            speed: Some(*speed).filter(|_| announced),
            context_tokens: 8_192,
            flat_price: None,
            ..ProviderInfo::foreign((*name).into(), Sats::ZERO)
        };
        events_in.try_send(SwarmEvent::ProviderSeen(provider)).unwrap();
    }
    let machines = Arc::new(Machines {
        speeds,
        model: warden("warden", false),
        events: events_in,
        free_at: Mutex::default(),
        out: Mutex::default(),
        expired: AtomicUsize::new(0),
        longest: Mutex::default(),
    });
    let fragments = house(48, 12);
    let map = FragmentMap::new(QUESTION, None, FieldHints::default(), fragments.clone(), true);
    let mut setup = RunSetup::new(&id, QUESTION, fragments, Box::new(map.over_prose(true)), policy);
    setup.candidates.enough = 2;
    let (watchers, mut watch) = mpsc::unbounded_channel();
    let journal = Journal::new(&id, None, Some(watchers), 0, Duration::ZERO);
    let venue = Arc::clone(&machines) as Arc<dyn Swarm>;
    let wiring = Wiring { swarm: Some(venue), local: None, events, ledger, journal };
    let running = Box::pin(Run::new(setup, wiring, Equipment::default()).execute(CancellationToken::new()));
    let answer = tokio::select! {
        answer = running => answer.unwrap(),
        () = hurry() => unreachable!("time does not end"),
    };
    let mut trace = Vec::new();
    while let Ok(record) = watch.try_recv() {
        trace.push(record);
    }
    let expired = machines.expired.load(Ordering::Relaxed);
    let longest = *machines.longest.lock().unwrap();
    Shared { answer, trace, expired, longest }
}

#[tokio::test(start_paused = true)]
async fn providers_of_8_and_200_tokens_a_second_share_a_run_without_a_timeout() {
    let shared = share(true).await;
    assert!((shared.answer.coverage - 1.0).abs() < 1e-9, "{:#?}", shared.answer);
    assert_eq!(shared.count(|event| matches!(event, TraceEvent::SubQueryTimeout { .. })), 0);
    assert_eq!(shared.expired, 0, "no job expires before its machine is done");
    assert!(shared.longest > Duration::from_mins(1), "and the slow one is slow: {:?}", shared.longest);
    let slow = shared.asked(SLOW);
    let taken_back = shared.count(|event| {
        matches!(event, TraceEvent::SubQueryCancel { subtask, attempt }
            if slow.contains(&Ticket { subtask: *subtask, attempt: *attempt }))
    });
    assert_eq!(taken_back, 0, "nobody else does its work meanwhile");
    assert!(shared.paid(SLOW) > 0 && shared.paid(QUICK) > 0, "{} {}", shared.paid(SLOW), shared.paid(QUICK));
}

#[tokio::test(start_paused = true)]
async fn machines_that_announce_no_speed_share_a_run_all_the_same() {
    let shared = share(false).await;
    assert!((shared.answer.coverage - 1.0).abs() < 1e-9, "{:#?}", shared.answer);
    assert_eq!(shared.count(|event| matches!(event, TraceEvent::SubQueryTimeout { .. })), 0);
    assert_eq!(shared.expired, 0);
    assert!(shared.paid(SLOW) > 0 && shared.paid(QUICK) > 0, "{} {}", shared.paid(SLOW), shared.paid(QUICK));
}
