//! One way of routing in one world, event by event.
//!
//! ```text
//!   arrival ─► queue ─► somebody with room? ─► dispatcher decides ─► provider works ─► done
//!                ▲            no: waits                                   │ failed, went away
//!                └─────────────────────────── asked again ◄───────────────┘
//! ```

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use frlm_learning::routing::load::coefficient_of_variation;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use serde::Serialize;

use super::policy::{Dispatcher, Policy, Sent};
use super::world::{NOTICED_SECS, Setting, World, fit};
use frlm_client::attack_simulation::world::mix;

/// What came of it.
#[derive(Debug, Clone, Copy, Serialize, PartialEq)]
pub struct Tally {
    /// Answers per second while there is more to do than can be done: while tasks wait for room.
    pub throughput: f64,
    /// Seconds from arrival to answer that 95 in 100 of the tasks before the backlog did not exceed.
    pub p95_latency_secs: f64,
    /// Quality of all answers over the sats that they cost.
    pub quality_per_sat: f64,
    /// Mean quality of an answer.
    pub quality: f64,
    /// σ/μ of the time that providers worked.
    pub imbalance: f64,
    /// Jobs that came to nothing and were asked again.
    pub failures: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SimulatedEvent {
    Arrival(usize),
    Done(usize),
    Left(usize),
    Back(usize),
}

struct Job {
    task: usize,
    sent: Sent,
    sent_secs: f64,
    /// Quality and cost; `None`: it comes to nothing.
    outcome: Option<(f64, u64)>,
}

struct Simulation {
    world: World,
    dispatcher: Dispatcher,
    /// By time, then by when it was planned.
    events: BinaryHeap<Reverse<(Duration, u64, SimulatedEvent)>>,
    planned: u64,
    waiting: VecDeque<usize>,
    jobs: Vec<Job>,
    busy_until: Vec<f64>,
    worked_secs: Vec<f64>,
    latencies: Vec<f64>,
    /// How long tasks waited for room, and answers that came meanwhile.
    crowded_secs: f64,
    crowded_answers: usize,
    answers: usize,
    quality: f64,
    msats: u64,
    failures: usize,
    lot: SmallRng,
}

/// Runs one way of routing in the world of the setting.
pub fn run(policy: Policy, setting: &Setting) -> Tally {
    let world = World::draw(setting);
    let lot = |purpose: u64| SmallRng::seed_from_u64(mix(setting.seed, 0x70_0000 + purpose));
    let count = world.providers.len();
    let mut simulation = Simulation {
        dispatcher: Dispatcher::new(policy, &world, lot(1)),
        events: BinaryHeap::new(),
        planned: 0,
        waiting: VecDeque::new(),
        jobs: Vec::with_capacity(world.tasks.len()),
        busy_until: vec![0.0; count],
        worked_secs: vec![0.0; count],
        latencies: Vec::with_capacity(world.tasks.len()),
        crowded_secs: 0.0,
        crowded_answers: 0,
        answers: 0,
        quality: 0.0,
        msats: 0,
        failures: 0,
        lot: lot(2),
        world,
    };
    simulation.run()
}

impl Simulation {
    fn run(&mut self) -> Tally {
        for task in 0..self.world.tasks.len() {
            self.plan(self.world.tasks[task].at_secs, SimulatedEvent::Arrival(task));
        }
        for at in 0..self.world.providers.len() {
            if let Some((from, to)) = self.world.providers[at].away {
                self.plan(from, SimulatedEvent::Left(at));
                self.plan(to, SimulatedEvent::Back(at));
            }
        }
        let mut before = 0.0;
        while let Some(Reverse((at, _, event))) = self.events.pop() {
            let now = at.as_secs_f64();
            let crowded = !self.waiting.is_empty();
            if crowded {
                self.crowded_secs += now - before;
            }
            before = now;
            match event {
                SimulatedEvent::Arrival(task) => self.waiting.push_back(task),
                SimulatedEvent::Left(at) => self.dispatcher.went(at, &self.world.providers[at]),
                SimulatedEvent::Back(at) => {
                    self.busy_until[at] = now;
                    self.dispatcher.came(at, &self.world.providers[at]);
                }
                SimulatedEvent::Done(job) => {
                    let answered = self.finish(job, now);
                    self.crowded_answers += usize::from(answered && crowded);
                }
            }
            self.hand_out(now);
        }
        self.tally()
    }

    fn hand_out(&mut self, now: f64) {
        while self.dispatcher.has_room()
            && let Some(task) = self.waiting.pop_front()
        {
            let task_type = self.world.tasks[task].task_type;
            let Some(sent) = self.dispatcher.send(task_type, &self.world) else {
                self.waiting.push_front(task);
                return;
            };
            self.start(task, sent, now);
        }
    }

    fn start(&mut self, task: usize, sent: Sent, now: f64) {
        let at = sent.provider;
        let provider = &self.world.providers[at];
        let begins = self.busy_until[at].max(now);
        let slowness = if provider.slows_at_secs.is_some_and(|from| begins >= from) { 10.0 } else { 1.0 };
        let takes = provider.service_secs * slowness * self.lot.random_range(0.7..1.3);
        let ends = begins + takes;
        let gone = provider.away.filter(|(from, to)| begins < *to && ends > *from);
        let fails = self.lot.random_bool(provider.failure_rate);
        let quality = fit(provider.role, self.world.tasks[task].task_type) * provider.skill
            + self.lot.random_range(-0.05..0.05);
        let outcome = (!fails && gone.is_none()).then(|| (quality.clamp(0.0, 1.0), provider.price_msats));
        let known_at = gone.map_or(ends, |(from, _)| from.max(now) + NOTICED_SECS);
        self.busy_until[at] = ends;
        self.worked_secs[at] += takes;
        self.plan(known_at, SimulatedEvent::Done(self.jobs.len()));
        self.jobs.push(Job { task, sent, sent_secs: now, outcome });
    }

    /// Whether it was answered.
    fn finish(&mut self, job: usize, now: f64) -> bool {
        let Job { task, sent, sent_secs, outcome } = &self.jobs[job];
        self.dispatcher.done(sent, &self.world, *outcome, now - sent_secs);
        let Some((quality, msats)) = *outcome else {
            self.failures += 1;
            self.waiting.push_front(*task);
            return false;
        };
        self.quality += quality;
        self.msats += msats;
        if *task < self.world.backlog_from {
            self.latencies.push(now - self.world.tasks[*task].at_secs);
        }
        self.answers += 1;
        true
    }

    fn plan(&mut self, at_secs: f64, event: SimulatedEvent) {
        self.planned += 1;
        self.events.push(Reverse((Duration::from_secs_f64(at_secs), self.planned, event)));
    }

    fn tally(&mut self) -> Tally {
        self.latencies.sort_by(f64::total_cmp);
        let last = (self.latencies.len() * 95).div_ceil(100).saturating_sub(1);
        let p95 = self.latencies.get(last).copied();
        Tally {
            throughput: self.crowded_answers as f64 / self.crowded_secs.max(1e-9),
            p95_latency_secs: p95.unwrap_or(f64::INFINITY),
            quality_per_sat: self.quality * 1_000.0 / (self.msats.max(1) as f64),
            quality: self.quality / self.answers.max(1) as f64,
            imbalance: coefficient_of_variation(&self.worked_secs),
            failures: self.failures,
        }
    }
}
