//! Where each subtask goes: which role at which venue, decided when somebody has room for it (design.md,
//! section 1, "route"; seeds/load-balanced-rl-workflow.md, sections 3.5 and 9.2).
//!
//! ```text
//!   plan ─► held ─► open venues? ─► decide (what earlier runs learned) ─► released to that venue ─► scheduler
//!            ▲       hard constraints first                                        │
//!            │                                                                     ├─ accepted ─► learn from the verdict
//!            └──────────────────── another venue is left ◄── given up there ◄──────┘
//! ```
//!
//! A subtask is decided late, when a job could leave at once. So every decision sees the results of earlier ones, and
//! who is busy now. Nobody is asked outside the venue that was chosen.

mod venues;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write as _;
use std::time::Duration;

use frlm_inference::Dialect;
use frlm_learning::routing::judge::Judgement;
use frlm_learning::routing::production::{Begun, MemoryError, Outcome as Came};
use frlm_learning::routing::{
    Account, Availability, Hints, Production, ProductionSettings, RoutingMemory, Space, VenueId,
};
use frlm_questions::dialect::Prompt;
use frlm_questions::plan::{Outcome, Task};
use frlm_scheduler::{AttemptId, Eligible, FailureReason, Scheduler, SubtaskId, Venue};
use frlm_verifier::{Replica, Report};
use frlm_wallet::Sats;
use venues::Takes;
pub(super) use venues::Venues;
pub use venues::{MOST_OWN_VENUES, OwnVenue, SWARM};

use super::background_writer::{BackgroundWriter, read_beside};
use super::journal::Journal;
use super::subtasks::{Progress, SubtaskRecord, Subtasks};
use super::{RunSetup, claims, gold, quote};
use crate::policy::FrlmPolicy;
use crate::route::roles;
use crate::route::roles::Role;
use crate::trace::{RunStage, TraceEvent};

/// The kinds of work in a run, as task types.
const TASK_TYPES: [&str; 5] = Task::KINDS;
/// Decisions that are added to the account's file together.
const NEWS_AT_ONCE: usize = 1_000;

const NO_ROOM: &str = "has no room";

/// What a run routes by.
#[derive(Default)]
pub struct Routing {
    /// What earlier runs learned, and where this run stores what it learns.
    pub memory: Option<RoutingMemory>,
    /// How decisions are made and learned from.
    pub settings: ProductionSettings,
    /// The user's own engines and endpoints, as venues beside the swarm.
    pub own: Vec<OwnVenue>,
}

/// A run's routing, at work.
pub(super) struct RouteDesk {
    production: Production,
    memory: Option<RoutingMemory>,
    /// What is on its way to that file.
    writer: BackgroundWriter,
    pub venues: Venues,
    /// Subtasks that wait for a decision, by the skill that they take.
    held: BTreeMap<u8, VecDeque<SubtaskId>>,
    /// Subtasks that were decided about and are not done.
    under_way: HashMap<SubtaskId, UnderWay>,
    /// How many of them wait for their first job to leave, by venue.
    unsent: HashMap<Venue, usize>,
    /// Venues that a subtask has failed at.
    failed_at: HashMap<SubtaskId, Vec<Venue>>,
    /// What the subtask takes that was looked at last: while it waits for room, it is with every round.
    takes: (Option<SubtaskId>, Takes),
}

struct UnderWay {
    begun: Begun,
    at: Duration,
    venue: Venue,
    /// Whether a job has left for it.
    sent: bool,
}

impl RouteDesk {
    pub fn new(routing: Routing) -> Self {
        let venues = Venues::new(routing.own);
        let space = space(&venues);
        Self {
            production: Production::going_on(Account::fresh(space), routing.settings),
            memory: routing.memory,
            writer: BackgroundWriter::default(),
            venues,
            held: BTreeMap::new(),
            under_way: HashMap::new(),
            unsent: HashMap::new(),
            failed_at: HashMap::new(),
            takes: (None, Takes::default()),
        }
    }

    /// Whether a venue that has no room promises more than those that have: a full one counts as much less as
    /// the busiest role does.
    fn is_worth_waiting(&self, kind: &str, hints: &Hints, now: &Availability, all: &Availability) -> bool {
        let of = |available| self.production.preview(kind, Some(hints), available);
        let full = self.production.router().tracker().settings().max_penalty;
        matches!((of(now), of(all)), (Ok(now), Ok(all)) if all.venue != now.venue && all.value - full > now.value)
    }

    fn write(&mut self) {
        let news = self.production.take_news();
        let Some(memory) = self.memory.clone().filter(|_| !news.is_empty()) else { return };
        let (space, settings) = (self.production.space().clone(), *self.production.settings());
        self.writer.begin(move || memory.add(&space, &news, &settings));
    }

    /// The roles that a general model may be told.
    pub fn told(&self) -> &'static [Role] {
        if self.production.settings().tell_roles { &roles::OF_RUNS } else { &[] }
    }

    /// Subtasks that were decided for a venue and for which nothing has left yet. Counted as they change: every
    /// decision asks, and thousands may be out.
    fn waiting(&self, venue: Venue) -> usize {
        self.unsent.get(&venue).copied().unwrap_or(0)
    }

    /// Counts what a subtask takes, unless that is known.
    fn count(&mut self, id: SubtaskId, record: &SubtaskRecord) {
        if self.takes.0 != Some(id) {
            self.takes = (Some(id), Takes::default());
        }
        let told = self.told();
        self.takes.1.count(&record.subtask, &self.venues, told);
    }

    /// A subtask was decided about.
    fn begin(&mut self, id: SubtaskId, begun: Begun, venue: Venue, at: Duration) {
        self.end(id);
        *self.unsent.entry(venue).or_default() += 1;
        self.under_way.insert(id, UnderWay { begun, at, venue, sent: false });
    }

    /// A job for it leaves.
    pub fn send(&mut self, id: SubtaskId) {
        let Some(one) = self.under_way.get_mut(&id) else { return };
        if !std::mem::replace(&mut one.sent, true)
            && let Some(unsent) = self.unsent.get_mut(&one.venue)
        {
            *unsent -= 1;
        }
    }

    /// It is done, or nothing comes of it here.
    fn end(&mut self, id: SubtaskId) -> Option<UnderWay> {
        let one = self.under_way.remove(&id)?;
        if !one.sent
            && let Some(unsent) = self.unsent.get_mut(&one.venue)
        {
            *unsent -= 1;
        }
        Some(one)
    }
}

fn space(venues: &Venues) -> Space {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let roles = roles::OF_RUNS.map(|role| role.name);
    Space::new(owned(&TASK_TYPES), owned(&roles), venues.names())
        .expect("task types and roles are distinct, and so are the venues' names")
}

/// What suits a kind of work as long as nothing is known: copying takes no role, reading and writing do.
fn hints(space: &Space, task: &Task) -> Hints {
    let role = match task {
        // Planners, readers and reviewers are told all that they need in their rules.
        Task::Compile(_) | Task::Plan(_) | Task::Map { .. } | Task::Reread { .. } | Task::Review(_) => {
            roles::PLAIN
        }
        Task::Combine(_) => roles::ANALYST,
    };
    Hints { role: space.role(role.name).map(|role| (role, 1.0)), venue: None }
}

/// What routing decides over.
pub(super) struct Routed<'run> {
    pub setup: &'run RunSetup,
    pub scheduler: &'run mut Scheduler,
    pub subtasks: &'run mut Subtasks,
    pub journal: &'run mut Journal,
    /// Since the run began.
    pub now: Duration,
}

impl RouteDesk {
    /// Reads what earlier runs learned. A file that cannot be read costs experience, not the run.
    pub(super) async fn recall(&mut self, journal: &mut Journal) {
        let Some(memory) = self.memory.clone() else { return };
        let wanted = space(&self.venues);
        let read = read_beside(move || match memory.load()? {
            Some(account) => Ok(account.joined(&wanted)?),
            None => Ok::<_, MemoryError>(Account::fresh(wanted)),
        });
        match read.await {
            Ok(account) => self.production = Production::going_on(account, *self.production.settings()),
            Err(why) => {
                self.memory = None;
                let words = format!("routing begins without experience and keeps none: {why}");
                journal.notice(RunStage::Route, &words);
            }
        }
    }

    /// Has what was decided added to the account's file, in parts and beside the loop.
    pub(super) fn remember_part(&mut self, journal: &mut Journal) {
        let failed = self.writer.failed();
        if failed.is_none() && !self.writer.is_busy() && self.production.unwritten() >= NEWS_AT_ONCE {
            self.write();
        }
        self.tell_what_is_not_kept(failed, journal);
    }

    /// Has the rest of it added, when the run has ended.
    pub(super) async fn remember(&mut self, journal: &mut Journal) {
        let mut failed = self.writer.failed_in_the_end().await;
        if failed.is_none() {
            self.write();
            failed = self.writer.failed_in_the_end().await;
        }
        self.tell_what_is_not_kept(failed, journal);
    }

    fn tell_what_is_not_kept(&mut self, failed: Option<String>, journal: &mut Journal) {
        let Some(error) = failed else { return };
        // Said once.
        self.memory = None;
        journal.notice(RunStage::Route, &format!("what this run learned of routing is not kept: {error}"));
    }

    /// A subtask joined the plan: it waits until somebody has room.
    pub(super) fn hold(&mut self, scheduler: &mut Scheduler, id: SubtaskId, skill: u8) {
        scheduler.entries.hold(id);
        self.held.entry(skill).or_default().push_back(id);
    }

    /// Decides about as many subtasks as there is room for; `true` if there were any.
    pub(super) fn route(&mut self, at: &mut Routed<'_>, left: Sats) -> bool {
        if self.held.values().all(VecDeque::is_empty) || !at.scheduler.providers.any(Eligible::ALL) {
            return false;
        }
        let left = if self.venues.any_price() { left } else { Sats(u64::MAX) };
        let mut any = false;
        let skills: Vec<u8> = self.held.keys().copied().collect();
        for skill in skills {
            while self.route_next(at, skill, left) {
                any = true;
            }
        }
        any
    }

    /// Decides about the next subtask of a skill; `false` if none waits, or nobody has room for it.
    fn route_next(&mut self, at: &mut Routed<'_>, skill: u8, left: Sats) -> bool {
        let Some(waiting) = self.held.get_mut(&skill) else { return false };
        while waiting.front().is_some_and(|id| !at.scheduler.entries.is_open(*id)) {
            waiting.pop_front();
        }
        let Some(id) = waiting.front().copied() else { return false };
        let Some(record) = at.subtasks.of(id) else { return false };
        let kind = record.task().kind();
        let hints = hints(self.production.space(), record.task());
        self.count(id, record);
        let (available, why) = match self.open_venues(at, id, skill, left) {
            Open::Some { available, with_busy, why } => {
                if with_busy.is_some_and(|all| self.is_worth_waiting(kind, &hints, &available, &all)) {
                    return false;
                }
                (available, why)
            }
            Open::Later => return false,
            Open::Never => {
                // Nobody could do it: the scheduler waits for newcomers and gives it up as it always does.
                self.held.get_mut(&skill).and_then(VecDeque::pop_front);
                at.scheduler.entries.release(id, None);
                return true;
            }
        };
        let decided = self.production.assign(
            &at.setup.id,
            kind,
            Some(&hints),
            frlm_util::clock::unix_time(),
            &available,
        );
        self.held.get_mut(&skill).and_then(VecDeque::pop_front);
        let Ok(begun) = decided else {
            at.scheduler.entries.release(id, None);
            return true;
        };
        let (space, decision) = (self.production.space(), &begun.decision);
        let (role, venue) = (space.role_name(decision.role), space.venue_name(decision.venue));
        at.journal.emit(TraceEvent::Routed {
            subtask: id,
            task_type: kind.to_owned(),
            role: role.to_owned(),
            venue: venue.to_owned(),
            load_state: space.load_name(decision.situation.load),
            explored: decision.explored,
            worth: decision.value,
            why,
        });
        let venue = self.venues.named(venue);
        if let Some(record) = at.subtasks.of_mut(id) {
            let known: &'static [Role] = &roles::OF_RUNS;
            record.role = known.iter().find(|known| known.name == role);
        }
        at.scheduler.entries.release(id, venue);
        if let Some(venue) = venue {
            self.begin(id, begun, venue, at.now);
        }
        true
    }

    /// Which roles at which venues may work on a subtask now, and why not the others.
    fn open_venues(&self, at: &Routed<'_>, id: SubtaskId, skill: u8, left: Sats) -> Open {
        let space = self.production.space();
        let (mut available, mut all) = (Availability::all(space), Availability::all(space));
        let failed_at = self.failed_at.get(&id).map_or(&[][..], Vec::as_slice);
        let replicas = at.setup.policy.verification.first_replicas().max(1) as usize;
        let (mut open, mut later) = (false, false);
        let mut why = Vec::new();
        for (position, name) in (0..).map(VenueId).zip(space.venues()) {
            let venue = self.venues.named(name);
            let who = Eligible { skills: skill, venue };
            let obstacle = match venue {
                // Known from earlier runs, and not asked in this one.
                None => Some(None),
                Some(venue) if failed_at.contains(&venue) => Some(Some("gave no accepted answer")),
                Some(_) if !at.scheduler.providers.any(who) => Some(Some("has no provider that can do it")),
                Some(venue) => {
                    if let Some(obstacle) = self.venues.obstacle(name, &self.takes.1, left) {
                        Some(Some(obstacle))
                    } else {
                        let needed = if name == SWARM { replicas } else { 1 };
                        let taken = self.waiting(venue) * needed;
                        let busy = at.scheduler.providers.room(who, taken + 1) <= taken;
                        later |= busy;
                        busy.then_some(Some(NO_ROOM))
                    }
                }
            };
            if self.told().is_empty() || !self.venues.hears_roles(name) {
                for role in space.role_ids().filter(|role| space.role_name(*role) != roles::PLAIN.name) {
                    available.close(space, role, position);
                    all.close(space, role, position);
                }
            }
            if let Some(reason) = obstacle {
                available.close_venue(space, position);
                if reason != Some(NO_ROOM) {
                    all.close_venue(space, position);
                }
                why.extend(reason.map(|reason| format!("{name} {reason}")));
            }
            open |= obstacle.is_none();
        }
        match (open, later) {
            (true, _) => Open::Some { available, with_busy: later.then_some(all), why: why.join("; ") },
            (false, true) => Open::Later,
            (false, false) => Open::Never,
        }
    }

    /// A subtask has its accepted answer: routing learns from the verdict.
    pub(super) fn went_well(
        &mut self,
        at: &Routed<'_>,
        id: SubtaskId,
        outcome: &Outcome,
        report: &Report,
        answers: &[(AttemptId, Replica<Outcome>)],
        cost: Sats,
    ) {
        let Some(one) = self.end(id) else { return };
        let Some(record) = at.subtasks.of(id) else { return };
        let alone = answers.iter().all(|(_, replica)| replica.trusted);
        let judgement = if alone {
            match known_to_code(record.task(), outcome) {
                Some(right) => Judgement::verified(if right { 1.0 } else { 0.0 }),
                None => Judgement::own_word(report.reported_confidence),
            }
        } else {
            Judgement::verified(report.agreement)
        };
        let latency_secs = at.now.saturating_sub(one.at).as_secs_f64();
        let came = Came { answered: true, cost_msats: quote::in_msats(cost).0, latency_secs };
        self.production.finish(one.begun, came, judgement);
    }

    /// A subtask was given up: routing learns from that where it is the venue's doing, and decides again where
    /// another venue is left. `true`: it is asked elsewhere.
    pub(super) fn try_another_venue(
        &mut self,
        at: &mut Routed<'_>,
        id: SubtaskId,
        why: FailureReason,
    ) -> bool {
        // A provider that is asked about it after this need not be of the venue that it was routed to.
        at.scheduler.entries.ask_anywhere(id);
        let Some(one) = self.end(id) else { return false };
        // Money, the user's mind and a silent validator are not the venue's doing.
        if matches!(why, FailureReason::OverBudget | FailureReason::Cancelled | FailureReason::NoVerdict) {
            return false;
        }
        // Where nothing left, its provider went away before: that says nothing of its work.
        if one.sent {
            let latency_secs = at.now.saturating_sub(one.at).as_secs_f64();
            let came = Came { answered: false, cost_msats: 0, latency_secs };
            let judgement = Judgement::without_output(&format!("given up: {why:?}"));
            self.production.finish(one.begun, came, judgement);
        }
        if why == FailureReason::OutOfTime {
            return false;
        }
        let failed_at = self.failed_at.entry(id).or_default();
        failed_at.push(one.venue);
        let Some(record) = at.subtasks.of_mut(id) else { return false };
        let skill = record.subtask.skill() as u8;
        let mut others = self.venues.all().filter(|venue| !failed_at.contains(venue));
        if !others.any(|venue| at.scheduler.providers.any(Eligible { skills: skill, venue: Some(venue) })) {
            return false;
        }
        record.replicas.clear();
        record.state = Progress::Open;
        at.scheduler.entries.put_back(id);
        self.held.entry(skill).or_default().push_front(id);
        true
    }
}

/// Says to a model what is said of a subtask beside its task: what was wrong with an earlier answer, and its role.
pub(super) fn brief(policy: &FrlmPolicy, record: &SubtaskRecord, dialect: Dialect, prompt: &mut Prompt) {
    if let (Some(lesson), Dialect::Json, Some(input)) = (record.lesson, dialect, prompt.inputs.last_mut()) {
        // Writing into a String cannot fail.
        let _ = write!(input, "\n\nAn earlier answer to this was turned down: {lesson}.");
    }
    // Prompts for claims say what to be: "say what follows" is the contrary of "from the notes alone".
    if let (Some(role), false) = (record.role, claims::settles(policy, record.task())) {
        roles::tell(role.brief, dialect, prompt);
    }
}

enum Open {
    /// These actions are possible now, these if one waits; in words why not the others.
    Some { available: Availability, with_busy: Option<Availability>, why: String },
    /// Somebody could do it and has no room now.
    Later,
    /// Nobody could.
    Never,
}

/// Whether an answer is what code computes from the documents; `None` where code cannot.
fn known_to_code(task: &Task, outcome: &Outcome) -> Option<bool> {
    let Task::Map { task, fragment } = task else { return None };
    let answer = gold::answer_by_code(task.query.as_ref()?, fragment)?;
    Some(Outcome::Mapped(answer).agreement_key() == outcome.agreement_key())
}
