//! The world around a run: providers and a mint that do whatever a seed says, and that look at each step whether the run
//! may take it.

mod books;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use frlm_conductor::payment::{Cost, LockFailed, Payment, PaymentRail, Secured, Unpaid};
use frlm_conductor::swarm::{
    Address, EscrowOffer, OutgoingJob, ProviderInfo, Swarm, SwarmEvent, Tariff, Ticket,
};
use frlm_conductor::trace::{TraceEvent, TraceRecord};
use frlm_inference::{Dialect, Usage};
use frlm_protocol::{FeedbackStatus, JobAnswer, RefusalReason, Settlement};
use frlm_verifier::VerificationPolicy;
use frlm_wallet::ledger::{Entry, State};
use frlm_wallet::{Key, Ledger, Msats, Sats};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

pub use books::books_are_closed;

use crate::common::{copy, lie};

/// What the mint takes for each lock.
const FEE: Sats = Sats(1);

/// What a provider does with its jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    Honest,
    /// Tells the lie that all liars tell.
    Liar,
    /// Says what is no answer.
    Babbler,
    /// Says nothing.
    Silent,
    /// Wants to be paid before it works.
    Foreign,
}

/// A provider.
#[derive(Debug)]
pub struct Peer {
    pub info: ProviderInfo,
    nature: Nature,
}

/// What is known of a job that left.
#[derive(Debug)]
struct Job {
    provider: String,
    /// How many answers are asked for.
    due: usize,
    /// What came back for it.
    said: Option<Vec<String>>,
}

impl Job {
    /// The records that it says have failed, if it is an answer.
    fn found(&self) -> Option<Vec<usize>> {
        let said = self.said.as_ref().filter(|said| said.len() == self.due)?;
        Some((0..).zip(said).filter(|(_, text)| text.trim() == "failed").map(|(at, _)| at).collect())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Locked,
    /// Signed over.
    Released,
    Back,
}

#[derive(Debug)]
struct Lock {
    price: Sats,
    at: At,
}

/// What has happened in all lives of a run.
#[derive(Debug, Default)]
pub struct Book {
    /// What the run must not have done.
    pub broken: Vec<String>,
    jobs: HashMap<Ticket, Job>,
    locks: HashMap<Key, Lock>,
    /// Jobs of which the journal told before they left.
    told: HashMap<Ticket, String>,
    /// Providers whose answer to a subtask was accepted.
    accepted: HashSet<(u32, String)>,
    /// Attempts that are paid although nobody said whether they are right.
    without_verdict: HashSet<Ticket>,
    /// Keys of subtasks that the plan has, and of those that were verified.
    pub planned: HashSet<String>,
    pub verified: HashSet<String>,
    /// How much was signed over to providers.
    pub released: Sats,
}

impl Book {
    fn broke(&mut self, what: String) {
        self.broken.push(what);
    }
}

/// One seed's world; it outlives the processes of its run.
#[derive(Debug)]
pub struct World {
    pub run: String,
    pub policy: VerificationPolicy,
    pub peers: Vec<Peer>,
    pub limit: Mutex<Sats>,
    random: Mutex<StdRng>,
    book: Mutex<Book>,
}

impl World {
    pub fn new(seed: u64, policy: VerificationPolicy, limit: Sats) -> Self {
        let mut random = StdRng::seed_from_u64(seed ^ 0x5eed);
        let count = random.random_range(2..=7);
        let peers = (0..count).map(|number| peer(number, &mut random)).collect();
        Self {
            run: format!("{seed:064x}"),
            policy,
            peers,
            limit: Mutex::new(limit),
            random: Mutex::new(random),
            book: Mutex::default(),
        }
    }

    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap()
    }

    /// Whether something that happens in so many of a hundred cases happens.
    pub fn chance(&self, percent: u32) -> bool {
        self.random.lock().unwrap().random_range(0..100) < percent
    }

    pub fn between(&self, from: u64, to: u64) -> u64 {
        self.random.lock().unwrap().random_range(from..=to)
    }

    fn millis(&self, from: u64, to: u64) -> Duration {
        Duration::from_millis(self.between(from, to))
    }

    /// How many tell the same lie.
    pub fn liars(&self) -> usize {
        self.peers.iter().filter(|peer| peer.nature == Nature::Liar).count()
    }

    /// Takes in what the run has told of itself.
    pub fn hear(&self, record: TraceRecord) {
        let mut book = self.book();
        match record.event {
            TraceEvent::SubQuerySubmit { subtask, attempt, provider, .. } => {
                book.told.insert(Ticket { subtask, attempt }, provider);
            }
            TraceEvent::Plan { subtasks } => {
                book.planned.extend(subtasks.into_iter().map(|subtask| subtask.key));
            }
            TraceEvent::Verify { subtask, passed: true, agreeing, .. } => {
                self.must_agree(&mut book, subtask.0, &agreeing);
                book.accepted.extend(agreeing.into_iter().map(|provider| (subtask.0, provider)));
            }
            TraceEvent::Verified { key, .. } => {
                book.verified.insert(key);
            }
            TraceEvent::NoVerdict { subtask, attempt, paid: true, .. } => {
                book.without_verdict.insert(Ticket { subtask, attempt });
            }
            _ => {}
        }
    }
}

fn peer(number: u32, random: &mut StdRng) -> Peer {
    let nature = match random.random_range(0..10) {
        0..=5 => Nature::Honest,
        6 => Nature::Liar,
        7 => Nature::Babbler,
        8 => Nature::Silent,
        _ => Nature::Foreign,
    };
    let id: Arc<str> = format!("{number:064x}").into();
    let pays_nothing = random.random_bool(0.3);
    let mints = vec![format!("https://mint{}.example", random.random_range(0..2))];
    let pay_after_jobs = if random.random_bool(0.3) { 2 } else { 0 };
    let foreign = ProviderInfo::foreign(id.clone(), Sats(3));
    let info = ProviderInfo {
        name: format!("{nature:?} {number}"),
        dialect: Dialect::Records,
        workers: random.random_range(1..=4),
        tariff: if pays_nothing { Tariff::FREE } else { Tariff::per_1k(Msats(1_000)) },
        escrow: (!pays_nothing).then(|| EscrowOffer { key: id.to_string(), mints, pay_after_jobs }),
        flat_price: None,
        ..foreign.clone()
    };
    Peer { info: if nature == Nature::Foreign { foreign } else { info }, nature }
}

/// One process of the run, as its peers and its mints see it. Clones are the same one.
#[derive(Clone)]
pub struct Life(Arc<Inner>);

struct Inner {
    world: Arc<World>,
    ledger: Ledger,
    events: mpsc::Sender<SwarmEvent>,
    told: Mutex<mpsc::UnboundedReceiver<TraceRecord>>,
    work: Mutex<HashMap<Ticket, AbortHandle>>,
    errands: Mutex<JoinSet<()>>,
}

impl std::fmt::Debug for Life {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Life").field(&self.0.world.run).finish()
    }
}

impl Life {
    pub fn new(
        world: Arc<World>,
        ledger: Ledger,
        events: mpsc::Sender<SwarmEvent>,
        told: mpsc::UnboundedReceiver<TraceRecord>,
    ) -> Self {
        let life = Self(Arc::new(Inner {
            world,
            ledger,
            events,
            told: Mutex::new(told),
            work: Mutex::default(),
            errands: Mutex::default(),
        }));
        for peer in &life.0.world.peers {
            let (from, to) = if life.0.world.chance(80) { (0, 50) } else { (0, 4_000) };
            life.later(life.0.world.millis(from, to), SwarmEvent::ProviderSeen(peer.info.clone()));
        }
        life
    }

    /// Everybody falls silent, as its process is gone.
    pub fn end(&self) {
        self.listen();
        self.0.errands.lock().unwrap().abort_all();
    }

    /// Takes in what the run has told so far.
    pub fn listen(&self) {
        let mut told = self.0.told.lock().unwrap();
        while let Ok(record) = told.try_recv() {
            self.0.world.hear(record);
        }
    }

    fn later(&self, after: Duration, event: SwarmEvent) -> AbortHandle {
        let events = self.0.events.clone();
        self.0.errands.lock().unwrap().spawn(async move {
            tokio::time::sleep(after).await;
            let _ = events.send(event).await;
        })
    }

    /// What the ledger says of an attempt.
    async fn entry(&self, key: Key) -> Option<Entry> {
        self.0.ledger.entry(key).await.ok()
    }

    fn key(&self, ticket: Ticket) -> Key {
        Key::new(self.0.world.run.as_str(), ticket.subtask.0, ticket.attempt.0)
    }

    /// Whether a job may leave: its reservation is durable, covers the bid and is known to be about to leave; its pay is
    /// locked where it says so; the journal knows of it; and no attempt has its name.
    async fn may_leave(&self, job: &OutgoingJob) {
        let (ticket, world) = (job.ticket, &self.0.world);
        let entry = self.entry(self.key(ticket)).await;
        let budget = self.0.ledger.budget(world.run.as_str()).await;
        let mut book = world.book();
        if let Some(other) = book.jobs.insert(
            ticket,
            Job { provider: job.provider.to_string(), due: job.prompt.texts().len(), said: None },
        ) {
            book.broke(format!(
                "{ticket:?} leaves for {}, and had left for {}",
                job.provider, other.provider
            ));
        }
        if book.told.get(&ticket).is_none_or(|provider| *provider != *job.provider) {
            book.broke(format!("{ticket:?} leaves before the journal knows of it"));
        }
        match entry {
            None => book.broke(format!("{ticket:?} leaves without a reservation")),
            Some(entry) => {
                if job.bid > entry.amount.to_msats().unwrap_or(Msats(u64::MAX)) {
                    book.broke(format!("{ticket:?} offers {}, and {} are reserved", job.bid, entry.amount));
                }
                if entry.amount > Sats::ZERO && !entry.published {
                    book.broke(format!("{ticket:?} leaves before the ledger knows that it may"));
                }
                let wanted = if job.payment.is_some() { State::Locked } else { State::Reserved };
                if entry.state != wanted {
                    book.broke(format!(
                        "{ticket:?} leaves and is {:?} in the ledger, not {wanted:?}",
                        entry.state
                    ));
                }
            }
        }
        if let Some(payload) = &job.payment {
            let key = self.key(ticket);
            if *payload != key.to_string() || book.locks.get(&key).is_none_or(|lock| lock.at != At::Locked) {
                book.broke(format!("{ticket:?} leaves with {payload}, which is not locked for it"));
            }
        }
        if let Ok(budget) = budget {
            let sum = [budget.spent, budget.reserved, budget.pending_refund, budget.available];
            let sum = sum.into_iter().fold(Sats::ZERO, Sats::saturating_add);
            if sum != budget.limit || budget.limit > *world.limit.lock().unwrap() {
                book.broke(format!("the sats of the run do not add up to its limit: {budget:?}"));
            }
        }
    }

    /// Whether pay may be signed over: its answer came and was accepted, and it was not signed over before.
    async fn may_be_paid(&self, key: &Key, wanted: State) {
        self.listen();
        let entry = self.entry(key.clone()).await;
        let mut book = self.0.world.book();
        let ticket = Ticket::at(key.subtask, key.attempt);
        let counts = book.without_verdict.contains(&ticket)
            || book
                .jobs
                .get(&ticket)
                .is_some_and(|job| book.accepted.contains(&(ticket.subtask.0, job.provider.clone())));
        if !counts {
            book.broke(format!("{ticket:?} is paid before its answer is accepted"));
        }
        if book.jobs.get(&ticket).is_none_or(|job| job.said.is_none()) {
            book.broke(format!("{ticket:?} is paid and has said nothing"));
        }
        if entry.is_none_or(|entry| entry.state != wanted) {
            book.broke(format!("{ticket:?} is paid before it counts as spent: {entry:?}"));
        }
    }

    /// What comes of a job.
    fn work(&self, job: &OutgoingJob) {
        let world = Arc::clone(&self.0.world);
        let Some(peer) = world.peers.iter().find(|peer| peer.info.id == job.provider) else { return };
        let ticket = job.ticket;
        if world.chance(90) {
            self.later(world.millis(0, 20), SwarmEvent::Sent { ticket, reference: format!("{ticket:?}") });
        }
        let takes = if world.chance(90) { world.millis(1, 400) } else { world.millis(400, 6_000) };
        let mischance = world.between(0, 99);
        let event = match (peer.nature, mischance) {
            (Nature::Foreign, _) => {
                SwarmEvent::PaymentRequired { ticket, amount: Some(Msats(3_000)), invoice: String::new() }
            }
            (Nature::Silent, _) | (_, 0..3) => return,
            (_, 3..6) => SwarmEvent::SendFailed { ticket, reason: "the relay is gone".to_owned() },
            (_, 6..14) => refusal(ticket, world.between(0, 3)),
            (_, 14..17) => {
                self.later(takes + world.millis(1, 3_000), SwarmEvent::ProviderSeen(peer.info.clone()));
                SwarmEvent::ProviderGone(peer.info.id.clone())
            }
            (nature, mischance) => {
                let texts = job.prompt.texts();
                let said: Vec<String> = texts.iter().map(|prompt| answer(nature, prompt)).collect();
                let said = if mischance < 19 { said.into_iter().skip(1).collect() } else { said };
                let handle = self.answers(takes, ticket, said.clone());
                self.0.work.lock().unwrap().insert(ticket, handle);
                if mischance > 96 {
                    // Once more, as a relay may bring it twice.
                    self.answers(takes + world.millis(0, 50), ticket, said);
                }
                return;
            }
        };
        self.later(takes, event);
    }

    fn answers(&self, after: Duration, ticket: Ticket, said: Vec<String>) -> AbortHandle {
        let life = self.clone();
        self.0.errands.lock().unwrap().spawn(async move {
            tokio::time::sleep(after).await;
            let answer = |text: &String| JobAnswer {
                text: text.clone(),
                reasoning: None,
                confidence: None,
                commitment: None,
            };
            let result = SwarmEvent::Result {
                ticket,
                answers: said.iter().map(answer).collect(),
                model: None,
                usage: Usage::default(),
                reference: format!("result of {ticket:?}"),
                job: format!("{ticket:?}"),
            };
            if let Some(job) = life.0.world.book().jobs.get_mut(&ticket) {
                job.said = Some(said);
            }
            let _ = life.0.events.send(result).await;
        })
    }
}

fn answer(nature: Nature, prompt: &str) -> String {
    match nature {
        Nature::Liar => lie(prompt),
        Nature::Babbler => "certainly!".to_owned(),
        Nature::Honest | Nature::Silent | Nature::Foreign => copy(prompt),
    }
}

fn refusal(ticket: Ticket, which: u64) -> SwarmEvent {
    let reason = match which {
        0 => RefusalReason::Busy,
        1 => RefusalReason::TooLate,
        2 => RefusalReason::BidTooLow,
        _ => RefusalReason::EngineFailed,
    };
    let retry_after_secs = (reason == RefusalReason::Busy).then_some(1);
    let (status, detail) = (FeedbackStatus::Error, Some("not now".to_owned()));
    SwarmEvent::Feedback { ticket, status, reason: Some(reason), detail, retry_after_secs }
}

#[async_trait]
impl Swarm for Life {
    async fn submit(&self, job: OutgoingJob) {
        self.listen();
        self.may_leave(&job).await;
        self.work(&job);
    }

    async fn cancel(&self, ticket: Ticket) {
        let work = self.0.work.lock().unwrap().remove(&ticket);
        // Some hear of it too late.
        if let Some(work) = work.filter(|_| self.0.world.chance(70)) {
            work.abort();
        }
    }

    async fn settle(&self, ticket: Ticket, settlement: Settlement) {
        let (world, key) = (&self.0.world, self.key(ticket));
        match settlement {
            Settlement::Declined if world.chance(70) => {
                let payload = if world.chance(95) { key.to_string() } else { "no lock".to_owned() };
                self.later(world.millis(1, 300), SwarmEvent::Returned { ticket, payload });
            }
            Settlement::Paid { .. } if world.chance(90) => {
                self.later(world.millis(1, 100), SwarmEvent::Told { ticket });
            }
            Settlement::Released(_) | Settlement::Paid { .. } => {
                let is_released = world.book().locks.get(&key).is_some_and(|lock| lock.at == At::Released);
                if !is_released {
                    world.book().broke(format!("{ticket:?} is told of pay that was not signed over"));
                }
            }
            _ => {}
        }
    }

    fn address(&self, ticket: Ticket) -> Option<Address> {
        Some(Address { job: format!("{ticket:?}"), relays: vec!["wss://relay.example".to_owned()] })
    }

    async fn shutdown(&self) {}
}

#[async_trait]
impl PaymentRail for Life {
    async fn cost(&self, offer: &EscrowOffer, price: Sats) -> Result<Cost, String> {
        tokio::time::sleep(self.0.world.millis(0, 30)).await;
        if self.0.world.chance(3) {
            return Err("no mint of its is known here".to_owned());
        }
        Ok(Cost { mint: offer.mints[0].clone(), total: price.saturating_add(FEE) })
    }

    async fn lock(&self, _mint: &str, orders: Vec<Payment>) -> Result<Vec<Secured>, LockFailed> {
        let world = &self.0.world;
        let fails = world.between(0, 99);
        // A mint that takes half a minute, or for ever.
        let takes = match world.between(0, 99) {
            0 => Duration::from_hours(24),
            1..4 => Duration::from_secs(30),
            _ => world.millis(1, 300),
        };
        for order in &orders {
            let is_owed = order.most.is_none();
            if is_owed {
                self.may_be_paid(&order.key, State::Released).await;
            }
            let entry = self.entry(order.key.clone()).await;
            let wanted = if is_owed { State::Released } else { State::Locked };
            let is_covered = entry.is_some_and(|entry| {
                entry.state == wanted && entry.amount >= order.price.saturating_add(FEE)
            });
            if !is_covered {
                world
                    .book()
                    .broke(format!("{} is locked at the mint, and the ledger says {entry:?}", order.key));
            }
        }
        tokio::time::sleep(takes).await;
        if fails < 8 {
            return Err(LockFailed { reason: "the mint refuses".to_owned(), unclear: false });
        }
        let mut book = world.book();
        let unclear = fails < 12;
        if unclear && fails < 10 {
            return Err(LockFailed { reason: "the mint is gone".to_owned(), unclear });
        }
        let mut secured = Vec::with_capacity(orders.len());
        for Payment { key, price, .. } in orders {
            if book.locks.insert(key.clone(), Lock { price, at: At::Locked }).is_some() {
                book.broke(format!("{key} is locked twice"));
            }
            secured.push(Secured { payload: key.to_string(), key, fees: FEE });
        }
        if unclear { Err(LockFailed { reason: "the mint is gone".to_owned(), unclear }) } else { Ok(secured) }
    }

    async fn release(&self, keys: Vec<Key>) -> Result<Vec<(Key, String)>, String> {
        if self.0.world.chance(4) {
            return Err("the disk is full".to_owned());
        }
        let mut released = Vec::with_capacity(keys.len());
        for key in keys {
            self.may_be_paid(&key, State::Released).await;
            // Too near to its locktime, now and then.
            if self.0.world.chance(3) {
                continue;
            }
            let mut book = self.0.world.book();
            let book = &mut *book;
            match book.locks.get_mut(&key) {
                Some(lock) if lock.at == At::Locked => {
                    lock.at = At::Released;
                    book.released = book.released.saturating_add(lock.price);
                    released.push((key.clone(), key.to_string()));
                }
                lock => book.broken.push(format!("{key} is signed over and is {lock:?}")),
            }
        }
        Ok(released)
    }

    async fn record_debts(&self, debts: Vec<Unpaid>) -> Result<(), String> {
        for debt in debts {
            let key = debt.order.key;
            let entry = self.entry(key.clone()).await;
            if entry.is_none_or(|entry| entry.state != State::Released) {
                self.0.world.book().broke(format!("{key} is owed before it counts as spent: {entry:?}"));
            }
        }
        if self.0.world.chance(5) { Err("the disk is full".to_owned()) } else { Ok(()) }
    }

    async fn settled(&self, _keys: Vec<Key>) -> Result<(), String> {
        Ok(())
    }

    async fn reclaim(&self, payloads: Vec<String>) -> Result<Vec<(Key, Sats)>, String> {
        tokio::time::sleep(self.0.world.millis(1, 300)).await;
        if self.0.world.chance(10) {
            return Err("the mint refuses".to_owned());
        }
        let mut book = self.0.world.book();
        let mut back = Vec::new();
        for (key, lock) in book.locks.iter_mut().filter(|(_, lock)| lock.at == At::Locked) {
            if payloads.contains(&key.to_string()) {
                lock.at = At::Back;
                back.push((key.clone(), FEE));
            }
        }
        Ok(back)
    }
}
