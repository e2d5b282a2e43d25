//! Whatever providers, mints, users and kills do, the invariants of docs/ARCHITECTURE.md hold. Peers and mints are simulated
//! here, and do what a seed says; the run, its ledger and its store are real.
//!
//! `FRLM_CASES` says how many seeds are tried, `FRLM_SEED` which one is the first. Threads of the ledger and of the store
//! take their turns as the system gives them, so that a seed that failed may have to be tried a few times.

mod world;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use frlm_conductor::policy::FrlmPolicy;
use frlm_conductor::run::control::RunCommand;
use frlm_conductor::run::journal::Journal;
use frlm_conductor::run::resume::Known;
use frlm_conductor::run::{Equipment, Run, RunError, RunSetup, Wiring};
use frlm_conductor::store::{NewRun, Store};
use frlm_conductor::swarm::Swarm;
use frlm_questions::answer::Answer;
use frlm_questions::plan::FragmentMap;
use frlm_questions::question::{field_hints, parse};
use frlm_scheduler::SubtaskId;
use frlm_verifier::VerificationPolicy;
use frlm_verifier::trust::ReputationStore;
use frlm_wallet::ledger::HistoryEvent;
use frlm_wallet::{Ledger, Sats};
use rusqlite::Connection;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use world::{Life, World, books_are_closed};

use crate::common::{QUESTION, orders, remembered};

/// Seeds that are tried unless the environment says otherwise.
const CASES: u64 = 1_000;
/// Runs that go on side by side.
const AT_ONCE: usize = 24;
/// What a run may last.
const TOTAL: Duration = Duration::from_secs(20);
/// How long a run may need to end: to give back what is locked, and to tell whom it has paid.
const TO_END: Duration = Duration::from_mins(1);
/// The same once somebody has stopped it.
const TO_STOP: Duration = Duration::from_secs(15);

/// Lets time pass forty times as quickly as it does, so that what is written to disk meanwhile takes next to none.
async fn hurry() {
    const REAL: Duration = Duration::from_micros(500);
    loop {
        // While somebody else's thread is busy, no timer is jumped to.
        tokio::task::spawn_blocking(|| std::thread::sleep(REAL)).await.unwrap();
        tokio::time::advance(REAL * 40).await;
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[tokio::test(start_paused = true)]
async fn the_invariants_of_a_run_hold_whatever_happens() {
    let first = number("FRLM_SEED").unwrap_or(1);
    let seeds = first..first.saturating_add(number("FRLM_CASES").unwrap_or(CASES));
    let mut tally = Tally::default();
    let trying = async {
        let mut going = JoinSet::new();
        for seed in seeds {
            while going.len() >= AT_ONCE {
                tally.take(going.join_next().await);
            }
            going.spawn(case(seed));
        }
        while !going.is_empty() {
            tally.take(going.join_next().await);
        }
        tally
    };
    let tally = tokio::select! {
        tally = trying => tally,
        () = hurry() => unreachable!("time does not end"),
    };
    println!("{tally:?}");
    let shows = [tally.answers, tally.partial, tally.failed, tally.stopped, tally.killed];
    assert!(shows.iter().all(|count| *count > 0) && tally.released > 0, "too little happens: {tally:?}");
    assert!(tally.broken.is_empty(), "{} broken:\n{}", tally.broken.len(), tally.broken.join("\n"));
}

/// What has come of all cases: a test in which nothing is ever answered, killed or paid would show nothing.
#[derive(Debug, Default)]
struct Tally {
    answers: u32,
    partial: u32,
    failed: u32,
    stopped: u32,
    killed: u32,
    released: u64,
    broken: Vec<String>,
}

impl Tally {
    fn take(&mut self, case: Option<Result<Case, tokio::task::JoinError>>) {
        let Some(case) = case else { return };
        let case = case.expect("no case panics");
        self.answers += u32::from(case.coverage.is_some());
        self.partial += u32::from(case.coverage.is_some_and(|coverage| coverage < 1.0));
        self.failed += u32::from(case.coverage.is_none());
        self.stopped += case.stopped;
        self.killed += case.killed;
        self.released += case.released.0;
        self.broken.extend(case.broken.into_iter().take(3).map(|what| format!("seed {}: {what}", case.seed)));
    }
}

/// What has come of one seed.
#[derive(Debug, Default)]
struct Case {
    seed: u64,
    coverage: Option<f64>,
    stopped: u32,
    killed: u32,
    released: Sats,
    broken: Vec<String>,
}

/// How a process ended.
enum End {
    Killed,
    Ended(Box<Result<Answer, RunError>>),
}

async fn case(seed: u64) -> Case {
    let folder = tempfile::tempdir().unwrap();
    let policy = match seed % 5 {
        0 => VerificationPolicy::None,
        1 | 2 => VerificationPolicy::TWO_OF_THREE,
        3 => VerificationPolicy::Redundancy { replicas: 5, agree: 3 },
        _ => FrlmPolicy::standard().verification,
    };
    let limit = Sats([20, 60, 200, 500][(seed / 5 % 4) as usize]);
    let world = Arc::new(World::new(seed, policy, limit));
    let fragments = orders(usize::try_from(world.between(4, 40)).unwrap(), 4);
    // In half of the cases some are known by earlier runs, liars among them.
    let reputation = (seed / 5 % 8 < 4).then(|| {
        let known: Vec<String> = world.peers.iter().step_by(2).map(|peer| peer.info.id.to_string()).collect();
        remembered(folder.path(), &known, 20 << (seed / 40 % 4))
    });
    let failed = fragments
        .iter()
        .flat_map(|fragment| fragment.text.lines())
        .filter(|line| line.ends_with("failed"))
        .count();
    let mut case = Case { seed, ..Case::default() };
    let mut home = folder.path().join("0");
    std::fs::create_dir(&home).unwrap();
    for life in 0..4 {
        let ledger = Ledger::open(home.join("ledger.db")).await.unwrap();
        let store = Store::open(&home.join("runs.db")).unwrap();
        let process = live(&world, &fragments, ledger.clone(), store, reputation.clone(), life);
        let end = Box::pin(process).await;
        let next = folder.path().join((life + 1).to_string());
        let ended = match end {
            End::Killed => {
                case.killed += 1;
                std::fs::create_dir(&next).unwrap();
                as_if_killed(&home, &next).await;
                home = next;
                continue;
            }
            End::Ended(ended) => *ended,
        };
        books_are_closed(&world, &ledger, case.killed > 0).await;
        match ended {
            Err(RunError::Interrupted(_)) => {
                case.stopped += 1;
                continue;
            }
            Ok(answer) => {
                is_borne_out(&world, &answer, failed);
                case.coverage = Some(answer.coverage);
            }
            Err(error @ (RunError::Ledger(_) | RunError::Store(_))) if error.exit_code() == 1 => {
                world.book().broken.push(format!("the run fails at its own books: {error}"));
            }
            Err(_) => {}
        }
        break;
    }
    let book = world.book();
    case.released = book.released;
    case.broken.clone_from(&book.broken);
    case
}

/// One process: begins the run, or goes on with what the one before it has left.
async fn live(
    world: &Arc<World>,
    fragments: &[Arc<frlm_questions::ingest::Fragment>],
    ledger: Ledger,
    store: Store,
    reputation: Option<ReputationStore>,
    life: u32,
) -> End {
    let id = world.run.clone();
    let mut policy = FrlmPolicy { verification: world.policy.clone(), ..FrlmPolicy::standard() };
    policy.budget = *world.limit.lock().unwrap();
    policy.timeout.per_query = Duration::from_secs(2);
    policy.timeout.total = TOTAL;
    let mut known = Known::default();
    if store.find(&id).is_ok() {
        known = Known::from_store(&store.trace(&id).unwrap());
        known.skip_attempts(ledger.history(id.as_str()).await.unwrap().into_iter().filter_map(|row| {
            let HistoryEvent::Reservation { key, .. } = row.event else { return None };
            Some(key.attempt)
        }));
    } else {
        ledger.open_run(id.as_str(), policy.budget).await.unwrap();
        let request = serde_json::Value::Null;
        let (question, secret_key) = (QUESTION.to_owned(), "00".repeat(32));
        store
            .begin(NewRun { id: id.clone(), started_at_ms: 0, question, request, secret_key })
            .await
            .unwrap();
    }
    let (watchers, told) = mpsc::unbounded_channel();
    let (events_in, events) = mpsc::channel(1_024);
    let journal = Journal::new(&id, Some(store), Some(watchers), known.next_seq, known.elapsed);
    let peers = Life::new(Arc::clone(world), ledger.clone(), events_in, told);
    let owned: Vec<_> = fragments.iter().map(|fragment| (**fragment).clone()).collect();
    let hints = field_hints(&owned);
    let query = parse(QUESTION, &hints);
    let plan = FragmentMap::new(QUESTION, query.clone(), hints, fragments.to_vec(), false);
    let mut setup = RunSetup::new(&id, QUESTION, fragments.to_vec(), Box::new(plan), policy);
    setup.query = query;
    setup.known = known;
    setup.candidates.discovery = Duration::from_secs(2);
    setup.candidates.newcomers = Duration::from_secs(1);
    setup.candidates.enough = usize::try_from(world.between(0, 3)).unwrap();
    let swarm: Arc<dyn Swarm> = Arc::new(peers.clone());
    let wiring = Wiring { swarm: Some(swarm), local: None, events, ledger, journal };
    let equipment = Equipment { rail: Some(Arc::new(peers.clone())), reputation, ..Equipment::default() };
    let run = Run::new(setup, wiring, equipment);
    let (control, stop) = (run.control(), CancellationToken::new());
    let at = |percent, most| world.chance(percent).then(|| Duration::from_millis(world.between(1, most)));
    let (dies, stops) = if life < 3 { (at(30, 3_000), at(15, 3_000)) } else { (None, None) };
    let meddling = meddle(world, &control);
    let running = Box::pin(run.execute(stop.clone()));
    let stopping = async {
        let Some(stops) = stops else { return std::future::pending().await };
        tokio::time::sleep(stops).await;
        stop.cancel();
        let stopped = std::time::Instant::now();
        tokio::time::sleep(TO_STOP).await;
        stopped
    };
    let dying = async {
        let Some(dies) = dies else { return std::future::pending().await };
        tokio::time::sleep(dies).await;
    };
    let end = tokio::select! {
        ended = running => End::Ended(Box::new(ended)),
        () = dying => End::Killed,
        () = meddling => unreachable!("nobody tires of it"),
        stopped = stopping => {
            let real = stopped.elapsed();
            world.book().broken.push(format!("the run goes on although it was stopped, {real:?} of real time ago"));
            End::Killed
        }
        () = tokio::time::sleep(TOTAL + TO_END) => {
            world.book().broken.push("the run goes on after its time is up".to_owned());
            End::Killed
        }
    };
    peers.end();
    end
}

/// A user who cannot leave it alone.
async fn meddle(world: &World, control: &frlm_conductor::run::control::Control) {
    loop {
        tokio::time::sleep(Duration::from_millis(world.between(200, 4_000))).await;
        let id = SubtaskId(u32::try_from(world.between(0, 10)).unwrap());
        let order = match world.between(0, 9) {
            0 => RunCommand::Cancel(id),
            1 => RunCommand::AskAgain(id),
            2 => {
                let mut limit = world.limit.lock().unwrap();
                *limit = limit.saturating_add(Sats(20));
                RunCommand::RaiseBudget(*limit)
            }
            _ => continue,
        };
        control.give(order);
    }
}

/// Copies what would lie on the disk had the process been killed now.
async fn as_if_killed(from: &Path, to: &Path) {
    let (from, to): (PathBuf, PathBuf) = (from.to_owned(), to.to_owned());
    let copying = move || {
        for name in ["ledger.db", "runs.db"] {
            let copy = to.join(name);
            let connection = Connection::open(from.join(name)).unwrap();
            connection.busy_timeout(Duration::from_secs(10)).unwrap();
            connection.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
        }
    };
    tokio::task::spawn_blocking(copying).await.unwrap();
}

/// An answer claims no more parts than were verified, and where honest providers outnumber liars it is right.
fn is_borne_out(world: &World, answer: &Answer, failed: usize) {
    let mut book = world.book();
    let (planned, verified) = (book.planned.len(), book.verified.len());
    // Four digits are told.
    if answer.coverage * planned as f64 > verified as f64 + 1e-3 * planned as f64 {
        book.broken
            .push(format!("a coverage of {} with {verified} of {planned} parts verified", answer.coverage));
    }
    let is_sure = match world.policy {
        VerificationPolicy::Redundancy { agree, .. } => world.liars() < agree as usize,
        _ => world.liars() == 0,
    };
    let said = answer.answer.split_whitespace().find_map(|word| word.parse::<usize>().ok());
    let fits =
        if answer.coverage < 1.0 { said.is_none_or(|said| said <= failed) } else { said == Some(failed) };
    if is_sure && !fits {
        book.broken.push(format!("{failed} have failed, and the answer is: {}", answer.answer));
    }
}
