//! A disk that takes nothing: nothing new leaves, and orders of the user are heard at once.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use frlm_conductor::policy::{FrlmPolicy, Quorum};
use frlm_conductor::run::control::{Control, RunCommand};
use frlm_conductor::run::journal::Journal;
use frlm_conductor::run::{Equipment, Run, RunError, RunSetup, Wiring};
use frlm_conductor::store::{NewRun, Store};
use frlm_conductor::swarm::{OutgoingJob, ProviderInfo, Swarm, SwarmEvent, Tariff, Ticket};
use frlm_inference::Dialect;
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::FragmentMap;
use frlm_questions::question::{field_hints, parse};
use frlm_verifier::VerificationPolicy;
use frlm_wallet::{Ledger, Msats, Sats};
use nostr::Keys;
use rusqlite::Connection;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::common::{QUESTION, copied, orders};

/// What a job takes.
const WORK: Duration = Duration::from_millis(30);
/// What may be on its way already when a disk stalls.
const ON_ITS_WAY: Duration = Duration::from_millis(300);
/// In the same moment, on a machine that builds something else meanwhile.
const AT_ONCE: Duration = Duration::from_millis(500);
/// Most parts are never asked for: they are too many for the time that a test has.
const PARTS: u32 = 2_000;

/// Some jobs are never answered, so that something is always out.
fn is_never_answered(ticket: Ticket) -> bool {
    ticket.subtask.0 % 5 == 1
}

/// Works on jobs, each for a while, and notes what it is told.
struct Busy {
    events: mpsc::Sender<SwarmEvent>,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    jobs: HashSet<Ticket>,
    cancelled: Vec<Ticket>,
}

#[async_trait]
impl Swarm for Busy {
    async fn submit(&self, job: OutgoingJob) {
        self.told.lock().unwrap().jobs.insert(job.ticket);
        if is_never_answered(job.ticket) {
            return;
        }
        let answered = copied(&job);
        let events = self.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(WORK).await;
            let _ = events.send(answered).await;
        });
    }

    async fn cancel(&self, ticket: Ticket) {
        self.told.lock().unwrap().cancelled.push(ticket);
    }

    async fn shutdown(&self) {}
}

impl Busy {
    fn jobs(&self) -> usize {
        self.told.lock().unwrap().jobs.len()
    }

    /// A job that is out and will never be answered.
    fn unanswered(&self) -> Ticket {
        let told = self.told.lock().unwrap();
        let is_out = |ticket: &&Ticket| is_never_answered(**ticket) && !told.cancelled.contains(*ticket);
        *told.jobs.iter().find(is_out).expect("something is out")
    }

    fn is_cancelled(&self, ticket: Ticket) -> bool {
        self.told.lock().unwrap().cancelled.contains(&ticket)
    }
}

/// A run over a thousand parts whose ledger and store lie in a folder.
struct Going {
    swarm: Arc<Busy>,
    control: Control,
    stop: CancellationToken,
    task: JoinHandle<Result<frlm_questions::answer::Answer, RunError>>,
    ledger: Ledger,
    id: String,
}

async fn start(home: &Path, total: Duration) -> Going {
    let id = Keys::generate().public_key().to_hex();
    let mut policy = FrlmPolicy { verification: VerificationPolicy::None, ..FrlmPolicy::standard() };
    policy.timeout.total = total;
    policy.timeout.per_query = Duration::from_mins(1);
    policy.quorum = Quorum::Fraction(0.0);
    policy.budget = Sats(1_000_000);
    let ledger = Ledger::open(home.join("ledger.db")).await.unwrap();
    ledger.open_run(id.as_str(), policy.budget).await.unwrap();
    let store = Store::open(&home.join("runs.db")).unwrap();
    let new = NewRun {
        id: id.clone(),
        started_at_ms: 1,
        question: QUESTION.to_owned(),
        request: serde_json::Value::Null,
        secret_key: String::new(),
    };
    store.begin(new).await.unwrap();
    let (events_in, events) = mpsc::channel(1_024);
    let provider = ProviderInfo {
        dialect: Dialect::Records,
        flat_price: None,
        workers: 64,
        tariff: Tariff::per_1k(Msats(1_000)),
        ..ProviderInfo::foreign("busy".into(), Sats::ZERO)
    };
    events_in.try_send(SwarmEvent::ProviderSeen(provider)).unwrap();
    let swarm = Arc::new(Busy { events: events_in, told: Mutex::default() });
    let fragments = orders(PARTS as usize, 1);
    let owned: Vec<Fragment> = fragments.iter().map(|fragment| (**fragment).clone()).collect();
    let hints = field_hints(&owned);
    let query = parse(QUESTION, &hints);
    let map = FragmentMap::new(QUESTION, query.clone(), hints, fragments.clone(), query.is_none());
    let mut setup = RunSetup::new(&id, QUESTION, fragments, Box::new(map), policy);
    setup.query = query;
    let journal = Journal::new(&id, Some(store), None, 0, Duration::ZERO);
    let venue = Arc::clone(&swarm) as Arc<dyn Swarm>;
    let wiring = Wiring { swarm: Some(venue), local: None, events, ledger: ledger.clone(), journal };
    let (run, stop) = (Run::new(setup, wiring, Equipment::default()), CancellationToken::new());
    let control = run.control();
    let task = tokio::spawn(Box::pin(run.execute(stop.clone())));
    Going { swarm, control, stop, task, ledger, id }
}

/// Waits until something is so.
async fn until(within: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < within, "not within {within:?}: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Holds a database, so that nobody else can write to it.
fn stall(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_disk_stalls_nothing_leaves_and_orders_are_heard_at_once() {
    for file in ["ledger.db", "runs.db"] {
        let home = tempfile::tempdir().unwrap();
        let going = start(home.path(), Duration::from_hours(1)).await;
        until(Duration::from_secs(20), "jobs leave", || going.swarm.jobs() > 20).await;
        let held = stall(&home.path().join(file));
        tokio::time::sleep(ON_ITS_WAY).await;
        let left = going.swarm.jobs();
        // An order is carried out: the job of a part that is out is cancelled.
        let out = going.swarm.unanswered();
        assert!(going.control.give(RunCommand::Cancel(out.subtask)));
        let swarm = Arc::clone(&going.swarm);
        until(AT_ONCE, "an order is heard", || swarm.is_cancelled(out)).await;
        tokio::time::sleep(ON_ITS_WAY).await;
        // The trace need only be on its way.
        if file == "ledger.db" {
            assert_eq!(going.swarm.jobs(), left, "something has left that is not written down");
        }
        // So are all others once the run is stopped.
        let out = going.swarm.unanswered();
        going.stop.cancel();
        until(AT_ONCE, "a stop is heard", || swarm.is_cancelled(out)).await;
        drop(held);
        let ended = tokio::time::timeout(Duration::from_secs(30), going.task).await.unwrap().unwrap();
        assert!(matches!(ended, Err(RunError::Interrupted(_))), "{file}: {ended:?}");
        let budget = going.ledger.budget(going.id.as_str()).await.unwrap();
        assert_eq!((budget.reserved, budget.pending_refund), (Sats::ZERO, Sats::ZERO), "{file}");
        assert!(budget.spent > Sats::ZERO, "{file}: something was paid before");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_that_comes_while_a_disk_stalls_ends_every_part_at_once() {
    let home = tempfile::tempdir().unwrap();
    let going = start(home.path(), Duration::from_secs(3)).await;
    let begun = Instant::now();
    until(Duration::from_secs(20), "jobs leave", || going.swarm.jobs() > 4).await;
    let held = stall(&home.path().join("ledger.db"));
    let (swarm, out) = (Arc::clone(&going.swarm), going.swarm.unanswered());
    until(Duration::from_secs(8), "the deadline is kept", || swarm.is_cancelled(out)).await;
    assert!(begun.elapsed() >= Duration::from_millis(2_500), "it did not end before");
    drop(held);
    let ended = tokio::time::timeout(Duration::from_secs(30), going.task).await.unwrap().unwrap();
    assert!(ended.is_ok_and(|answer| answer.coverage < 1.0), "a part of an answer is an answer");
    let budget = going.ledger.budget(going.id.as_str()).await.unwrap();
    assert_eq!(budget.reserved, Sats::ZERO);
}
