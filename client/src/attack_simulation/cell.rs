//! One cell: a policy against a share of liars, with the product's scheduler and verifier.
//!
//! ```text
//!   Scheduler (conductor) ─► simulated provider ─► reply ─► Normalised, groups (verifier)
//!        ▲                                                        │
//!        └── accept | ask another | stop ◄── verify, Assessor ◄───┘
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use frlm_scheduler::{
    Action, AttemptFailure, AttemptId, Capacity, Needs, ProviderIndex, Scheduler, SchedulerConfig, SubtaskId,
    Trust,
};
use frlm_verifier::attested::Confirmation;
use frlm_verifier::consensus::equal_answers;
use frlm_verifier::normalise::{ExpectedFormat, Normalised};
use frlm_verifier::sampling::SamplingRules;
use frlm_verifier::trust::{Assessor, Changes, Evidence, Question, Reputation, Ruling, TaskClass};
use frlm_verifier::value::Scalar;
use frlm_verifier::{AdaptiveConfig, Replica, Report, Verdict, VerificationPolicy, satisfies, verify};
use serde::Serialize;

use super::adversary::CLIQUE_TOPIC;
use super::swarm::{Mix, Swarm};
use super::world::{Reply, Subtask, TOPICS, VALIDATOR, model_answer, spelled};

/// What is simulated.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The policy.
    pub policy: VerificationPolicy,
    /// Who lies.
    pub mix: Mix,
    /// Share of liars, 0..=1.
    pub share: f64,
    /// The honest models' error rate, 0..=1.
    pub error_rate: f64,
    /// How many subtasks.
    pub subtasks: usize,
    /// Makes the world; the same for all policies.
    pub seed: u64,
}

impl Cell {
    /// Whether the other differs in nothing but the world.
    pub fn is_like(&self, other: &Self) -> bool {
        self.policy == other.policy
            && self.mix == other.mix
            && (self.share - other.share).abs() < 1e-9
            && (self.error_rate - other.error_rate).abs() < 1e-9
            && self.subtasks == other.subtasks
    }
}

/// What came of it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Tally {
    /// Accepted and right.
    pub right: usize,
    /// Accepted and wrong.
    pub false_accepts: usize,
    /// Not accepted although the right answer was given.
    pub false_rejects: usize,
    /// Not accepted, and nobody gave the right answer.
    pub unanswered: usize,
    /// Subtasks on the clique's topic.
    pub on_topic: usize,
    /// Those of them that were accepted and right.
    pub on_topic_right: usize,
    /// Jobs that were handed out: replicas, spot checks, cold start, attempts that timed out.
    pub jobs: usize,
    /// Spot checks among them.
    pub spot_checks: usize,
    /// Accepted answers that others were asked for, too, once the provider whose word they rested on was
    /// contradicted. Their jobs count.
    #[serde(rename = "second_looks")]
    pub rechecks: usize,
    /// Answers that the policy's validator was shown: jobs, too.
    pub validations: usize,
    /// Subtasks whose right answer code knew and that served as gold tasks; they cost nothing beyond
    /// themselves.
    pub gold_tasks: usize,
    /// Wrong answers to them.
    pub gold_failed: usize,
    /// Liars' keys, those that came back included.
    pub liars: usize,
    /// Liars' keys that were put out.
    pub liars_out: usize,
    /// Mean lies of a liar's key until it was put out.
    pub lies_until_out: Option<f64>,
    /// Honest providers that were put out at the end.
    pub honest_out: usize,
}

/// Runs a cell.
pub fn run(cell: &Cell) -> Tally {
    let mut simulation = Simulation::new(cell);
    simulation.run();
    simulation.tally()
}

struct SimulatedSubtask {
    subtask: Subtask,
    replies: Vec<Given>,
    accepted: Option<bool>,
}

/// An answer that came.
struct Given {
    /// The place of who gave it.
    by: usize,
    confidence: f64,
    normalised: Normalised,
    /// What the policy's validator says of it, where there is one.
    attested: Option<bool>,
}

struct Simulation<'a> {
    cell: &'a Cell,
    scheduler: Scheduler,
    swarm: Swarm,
    assessor: Assessor,
    slots: Vec<SimulatedSubtask>,
    arrivals: BinaryHeap<Reverse<Arrival>>,
    replies: Vec<Option<Reply>>,
    now: Duration,
    jobs: usize,
    validations: usize,
    rechecks: usize,
}

/// Ordered by time, then by when it was sent.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    at: Duration,
    reply: usize,
    subtask: SubtaskId,
    attempt: AttemptId,
}

impl<'a> Simulation<'a> {
    fn new(cell: &'a Cell) -> Self {
        let config = SchedulerConfig {
            by_trust: cell.policy.is_adaptive(),
            seed: cell.seed,
            ..SchedulerConfig::default()
        };
        let adaptive = match cell.policy {
            VerificationPolicy::Adaptive(config) => config,
            _ => AdaptiveConfig::default(),
        };
        let assessor =
            Assessor::new(adaptive, SamplingRules::default(), Reputation::new(), cell.seed ^ 0x5e_c7e7);
        let mut simulation = Self {
            cell,
            scheduler: Scheduler::new(config),
            swarm: Swarm::new(cell.share, cell.mix, cell.seed),
            assessor,
            slots: Vec::with_capacity(cell.subtasks),
            arrivals: BinaryHeap::new(),
            replies: Vec::new(),
            now: Duration::ZERO,
            jobs: 0,
            validations: 0,
            rechecks: 0,
        };
        for at in 0..simulation.swarm.providers.len() {
            simulation.enrol(at);
        }
        for number in 0..cell.subtasks {
            let subtask = Subtask::draw(number as u64, cell.seed);
            simulation.slots.push(SimulatedSubtask { subtask, replies: Vec::new(), accepted: None });
            let (answers, replicas) = (cell.policy.first_replicas(), cell.policy.most_replicas());
            simulation.scheduler.entries.add(Needs {
                answers,
                replicas,
                skills: 0,
                venue: None,
                ends_itself: false,
                settled_apart: false,
                percent: 100,
                reading: None,
            });
        }
        simulation
    }

    fn enrol(&mut self, at: usize) {
        let provider = &self.swarm.providers[at];
        self.assessor.meet(&provider.name, provider.traits());
        self.offer(at, Trust::Newcomer);
    }

    fn offer(&mut self, at: usize, trust: Trust) {
        let capacity = Capacity {
            workers: 1,
            skills: 0,
            venue: None,
            last_resort: false,
            most_unjudged: u32::MAX,
            trust,
        };
        self.scheduler.providers.upsert(index(at), capacity);
    }

    fn run(&mut self) {
        loop {
            for action in self.scheduler.poll(self.now) {
                match action {
                    Action::Dispatch { subtask, attempt, provider, .. } => {
                        self.send(subtask, attempt, provider);
                    }
                    Action::TimedOut { subtask, attempt } => {
                        if let Some(provider) = self.scheduler.entries.provider_of(subtask, attempt) {
                            let provider = self.swarm.providers[provider.0 as usize].name.clone();
                            self.assessor.observe(Evidence::Timeout { provider });
                        }
                    }
                    Action::GaveUp { subtask, .. } => self.give_up(subtask),
                    Action::Cancel { .. } => {}
                }
            }
            if self.scheduler.entries.open() == 0 {
                return;
            }
            let wakeup = self.scheduler.next_wakeup();
            match self.arrivals.peek() {
                Some(Reverse(first)) if wakeup.is_none_or(|wakeup| first.at <= wakeup) => self.arrive(),
                _ => match wakeup {
                    Some(wakeup) => self.now = self.now.max(wakeup),
                    None => return,
                },
            }
        }
    }

    fn send(&mut self, subtask: SubtaskId, attempt: AttemptId, provider: ProviderIndex) {
        self.jobs += 1;
        let task = self.slots[subtask.0 as usize].subtask;
        let (reply, takes) = self.swarm.providers[provider.0 as usize].reply(&task, self.cell.error_rate);
        if reply.is_some() {
            let at = self.now + takes;
            self.arrivals.push(Reverse(Arrival { at, reply: self.replies.len(), subtask, attempt }));
            self.replies.push(reply);
        }
    }

    fn arrive(&mut self) {
        let Some(Reverse(Arrival { at, reply, subtask, attempt })) = self.arrivals.pop() else { return };
        self.now = self.now.max(at);
        let Some(reply) = self.replies[reply].take() else { return };
        let Some(provider) = self.scheduler.entries.provider_of(subtask, attempt) else { return };
        if !self.scheduler.entries.is_out(subtask, attempt) {
            return;
        }
        let normalised = Normalised::of(&reply.text, ExpectedFormat::NumericalAnswer);
        if let VerificationPolicy::Objective { schema } = &self.cell.policy
            && satisfies(schema, &as_json(&normalised)).is_err()
        {
            self.scheduler.failed(subtask, attempt, AttemptFailure::Failed, self.now);
            return;
        }
        let attested = self.attested(subtask, &reply);
        let given = Given { by: provider.0 as usize, confidence: reply.confidence, normalised, attested };
        self.slots[subtask.0 as usize].replies.push(given);
        self.judge(subtask, attempt);
    }

    /// What the validator says of an answer: an honest provider beside the fifty, with weights of its own,
    /// that does the task itself and errs as the others do. Its job counts, its time does not.
    fn attested(&mut self, id: SubtaskId, reply: &Reply) -> Option<bool> {
        if !matches!(self.cell.policy, VerificationPolicy::Validated { .. }) {
            return None;
        }
        self.jobs += 1;
        self.validations += 1;
        let (own, _) = model_answer(&self.slots[id.0 as usize].subtask, VALIDATOR, self.cell.error_rate);
        let (own, shown) = ([spelled(own, VALIDATOR)], [reply.text.clone()]);
        Some(Confirmation::by_code(&own, &shown, ExpectedFormat::NumericalAnswer).accepts())
    }

    fn judge(&mut self, id: SubtaskId, attempt: AttemptId) {
        let replicas = self.replicas(id);
        let missing = if self.cell.policy.is_adaptive() {
            let question = self.question(id, &replicas);
            let reach = self.scheduler.reach(id);
            match self.assessor.rule(&question, &replicas, reach) {
                Ruling::Ask { .. } => Some(1),
                Ruling::Split { .. } => None,
                Ruling::Accepted { verified, assessment } => {
                    self.accept(id, *verified.answer());
                    self.learn(&question, &replicas, verified.report(), assessment.fidelity);
                    Some(0)
                }
            }
        } else {
            self.compare(id);
            match verify(&self.cell.policy, &replicas) {
                Verdict::Open { missing } => Some(missing),
                Verdict::Split(_) => None,
                Verdict::Accepted(verified) => {
                    self.accept(id, *verified.answer());
                    Some(0)
                }
            }
        };
        self.scheduler.answered(id, attempt, missing, self.now);
    }

    /// As the run does it (conductor, `run/provider_scoring.rs`): where agreement alone decides, the scheduler is told who
    /// contradicts whom.
    fn compare(&mut self, id: SubtaskId) {
        if !matches!(self.cell.policy, VerificationPolicy::Redundancy { .. }) {
            return;
        }
        let Some((newest, before)) = self.slots[id.0 as usize].replies.split_last() else { return };
        for other in before {
            let both = vec![newest.normalised.clone(), other.normalised.clone()];
            let same = equal_answers(both).len() == 1;
            self.scheduler.disagreement.compared(index(newest.by), index(other.by), same);
        }
    }

    /// The replies so far, those that say the same under one key. The answer of a replica is its place.
    fn replicas(&self, id: SubtaskId) -> Vec<Replica<usize>> {
        let replies = &self.slots[id.0 as usize].replies;
        let groups = equal_answers(replies.iter().map(|given| given.normalised.clone()).collect());
        let mut replicas: Vec<Replica<usize>> = replies
            .iter()
            .enumerate()
            .map(|(place, given)| Replica {
                provider: self.swarm.providers[given.by].name.clone(),
                key: String::new(),
                trusted: false,
                confidence: Some(given.confidence),
                attested: given.attested,
                answer: place,
            })
            .collect();
        for group in groups {
            let spelling =
                group.iter().map(|&place| replies[place].normalised.canonical()).min().unwrap_or_default();
            for place in group {
                replicas[place].key.clone_from(&spelling);
            }
        }
        replicas
    }

    fn question(&self, id: SubtaskId, replicas: &[Replica<usize>]) -> Question {
        let SimulatedSubtask { subtask, replies, .. } = &self.slots[id.0 as usize];
        let class = TaskClass::new("extract", TOPICS[subtask.topic], u64::from(subtask.price));
        let known = subtask.known_to_code && self.assessor.is_gold(u64::from(id.0));
        let right = |replica: &&Replica<usize>| is_right(subtask, &replies[replica.answer].normalised);
        let key = || match replicas.iter().find(right) {
            Some(replica) => replica.key.clone(),
            None => right_answer(subtask).canonical(),
        };
        let gold = known.then(key);
        Question { id: u64::from(id.0), class, high_stakes: false, flagged: false, gold }
    }

    fn accept(&mut self, id: SubtaskId, place: usize) {
        let slot = &mut self.slots[id.0 as usize];
        slot.accepted = Some(is_right(&slot.subtask, &slot.replies[place].normalised));
    }

    /// As the run does it (conductor, `run/trust.rs`): records change who is asked, and how many.
    fn learn(&mut self, question: &Question, replicas: &[Replica<usize>], report: &Report, certainty: f64) {
        let changes = self.assessor.accepted(question, replicas, report, certainty);
        let target = self.assessor.config().target_fidelity;
        for replica in replicas {
            let Some(at) = place(&replica.provider) else { continue };
            let reputation = self.assessor.reputation();
            let Some(member) = reputation.member(&replica.provider) else { continue };
            let trust = if !reputation.has_record(member) {
                Trust::Newcomer
            } else if reputation.fidelity(member, &question.class) >= target {
                Trust::Alone
            } else {
                Trust::Known
            };
            if !self.swarm.providers[at].out {
                self.offer(at, trust);
            }
        }
        self.apply(&changes);
    }

    fn apply(&mut self, changes: &Changes) {
        let at = |member| place(self.assessor.reputation().name(member));
        let (out, back): (Vec<usize>, Vec<usize>) = (
            changes.out.iter().filter_map(|member| at(*member)).collect(),
            changes.back.iter().filter_map(|member| at(*member)).collect(),
        );
        for at in out {
            self.scheduler.remove_provider(index(at), self.now);
            if let Some(again) = self.swarm.put_out(at) {
                self.enrol(again);
            }
        }
        for at in back {
            self.swarm.providers[at].out = false;
            self.offer(at, Trust::Known);
        }
        for doubted in &changes.doubted {
            let id = SubtaskId(u32::try_from(doubted.subtask).unwrap_or(u32::MAX));
            if self.scheduler.could_ask(id) {
                self.rechecks += 1;
                self.scheduler.entries.reopen(id);
            }
        }
    }

    /// What was contradicted when others looked at it again, and nobody settled, is not accepted any more.
    fn give_up(&mut self, id: SubtaskId) {
        let replicas = self.replicas(id);
        if replicas.windows(2).any(|pair| pair[0].key != pair[1].key) {
            self.slots[id.0 as usize].accepted = None;
        }
    }

    fn tally(&self) -> Tally {
        let gold = self.assessor.gold();
        let mut tally = Tally {
            jobs: self.jobs,
            spot_checks: self.assessor.spot_checks(),
            validations: self.validations,
            rechecks: self.rechecks,
            gold_tasks: gold.tasks,
            gold_failed: gold.failed,
            ..Tally::default()
        };
        for slot in &self.slots {
            let on_topic = slot.subtask.topic == CLIQUE_TOPIC;
            let given = slot.replies.iter().any(|given| is_right(&slot.subtask, &given.normalised));
            let count = match (slot.accepted, given) {
                (Some(true), _) => &mut tally.right,
                (Some(false), _) => &mut tally.false_accepts,
                (None, true) => &mut tally.false_rejects,
                (None, false) => &mut tally.unanswered,
            };
            *count += 1;
            tally.on_topic += usize::from(on_topic);
            tally.on_topic_right += usize::from(on_topic && slot.accepted == Some(true));
        }
        let mut lies = 0;
        for provider in &self.swarm.providers {
            match (provider.kind, provider.out) {
                (Some(_), out) => {
                    tally.liars += 1;
                    tally.liars_out += usize::from(out);
                    lies += if out { provider.lies } else { 0 };
                }
                (None, out) => tally.honest_out += usize::from(out),
            }
        }
        tally.lies_until_out = (tally.liars_out > 0).then(|| f64::from(lies) / tally.liars_out as f64);
        tally
    }
}

/// Whether an answer stands for the right amount, as the product compares values.
fn is_right(subtask: &Subtask, answer: &Normalised) -> bool {
    equal_answers(vec![right_answer(subtask), answer.clone()]).len() == 1
}

fn right_answer(subtask: &Subtask) -> Normalised {
    Normalised::of(&spelled(subtask.truth, 0), ExpectedFormat::NumericalAnswer)
}

/// An answer as an objective policy's schema sees it: its number, or its text.
fn as_json(answer: &Normalised) -> String {
    match answer.scalar() {
        Some(Scalar::Number(quantity)) => quantity.amount.to_string(),
        _ => serde_json::Value::String(answer.canonical()).to_string(),
    }
}

fn index(at: usize) -> ProviderIndex {
    ProviderIndex(u32::try_from(at).unwrap_or(u32::MAX))
}

/// A provider's place by its name, which is made of it.
fn place(name: &str) -> Option<usize> {
    name.strip_prefix("provider-")?.parse().ok()
}
