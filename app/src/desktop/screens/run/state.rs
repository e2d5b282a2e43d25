//! What the run screen knows.

use std::collections::BTreeMap;

use frlm_conductor::answer::Decision;
use frlm_conductor::brain::hints::HintRecord;
use frlm_conductor::trace::view::{Ending, RunView, SubtaskState, SubtaskView};
use frlm_conductor::trace::{TraceEvent, TraceRecord};

use super::belief::{Belief, Beliefs};
use super::counted::Counted;
use super::inspect::Behind;
use super::replay::{Replay, Speed};
use super::tiers::{TierCurve, Tiers};
use crate::desktop::widgets::Unit;

/// The exit code of a run in which too little is verified, or a person has to decide (design.md, section 3).
const LEFT_TO_A_PERSON: u8 = 5;

/// The exit code of a run that was stopped (design.md, section 3).
pub const INTERRUPTED: u8 = 130;
/// All that will ever be.
pub const MOST_SATS: u64 = 2_100_000_000_000_000;
/// What is proposed as a higher cap: so many times the one before.
pub const RAISE: u64 = 2;
/// Events per page of the inspector.
pub const PAGE: u64 = 128;
/// Pages that are kept.
const MOST_PAGES: usize = 24;

/// One event, as small as the list of all of them needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stub {
    /// Milliseconds since the run began.
    pub at_ms: u64,
    /// Which kind: an index into [`super::events::KINDS`].
    pub kind: u8,
    /// The subtask that it is about, if it is about one.
    pub subtask: Option<u32>,
}

/// How lanes are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// One lane per subtask, its replicas bracketed.
    #[default]
    Subtask,
    /// One lane per provider.
    Provider,
}

/// Which lanes are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// All.
    #[default]
    All,
    /// Not decided yet.
    Open,
    /// Replicas said different things.
    Disputed,
    /// Given up.
    Failed,
}

/// What stands beside the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// Decisions as they fell.
    #[default]
    Decisions,
    /// Every event.
    Events,
    /// The chosen lane.
    Lane,
}

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// Another run is shown from now on.
    Opened {
        /// Its id.
        id: String,
        /// Whether it is under way in this process.
        live: bool,
        /// What it is paid in.
        unit: Unit,
    },
    /// The run goes on after a pause.
    Resumed {
        /// Its id.
        id: String,
    },
    /// More of its trace, in order.
    Records {
        /// Of which run.
        id: String,
        /// In order, without gaps.
        records: Vec<TraceRecord>,
    },
    /// A recorded trace was read to its end.
    Loaded {
        /// Of which run.
        id: String,
        /// Why the rest cannot be read.
        damage: Option<String>,
    },
    /// The run is not under way any more.
    Ended {
        /// Its id.
        id: String,
        /// Why it has no answer, with the exit code.
        error: Option<(String, u8)>,
    },
    /// It could not go on; nothing was sent.
    NotResumed {
        /// Its id.
        id: String,
        /// Why not.
        why: String,
    },
    /// An order for a lane came too late: the run is over or takes none.
    NotOrdered {
        /// Of which run.
        id: String,
        /// For which lane.
        lane: u32,
    },
    /// A higher cap came too late: the run is over.
    NotRaised {
        /// Of which run.
        id: String,
    },
    /// The text that a lane's providers were sent with the question.
    Text {
        /// Of which run.
        id: String,
        /// Of which lane.
        lane: u32,
        /// The text, or why it cannot be shown.
        text: Result<String, String>,
    },
    /// What stands behind an event.
    Raw {
        /// Of which run.
        id: String,
        /// Behind which event.
        seq: u64,
        /// The signed Nostr events and the receipt, or why they cannot be shown.
        behind: Result<Behind, String>,
    },
    /// A page for the inspector, as lines of JSON.
    Page {
        /// Of which run.
        id: String,
        /// Its first event.
        from_seq: u64,
        /// One line per event.
        lines: Vec<String>,
    },
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Shows a recorded run.
    Open(String),
    /// Shows a recorded run, and plays it once it is read.
    Replay(String),
    /// Plays the run on screen; holds it if it is played, and goes on if it is held.
    Play,
    /// How fast it is played.
    Speed(Speed),
    /// So many microseconds have passed while it was played.
    Advance(u64),
    /// Stops tidily; can go on later.
    Pause,
    /// Goes on; with a higher cap if one is given. Fragments that failed are asked again.
    GoOn(Option<u64>),
    /// Asks for a higher cap, or not after all.
    AskCap(bool),
    /// That cap, as typed.
    TypeCap(String),
    /// Lets the run under way spend so many sats in all.
    RaiseCap(u64),
    /// Goes on with what is verified: a person has looked at it and takes it.
    Accept,
    /// Asks nobody any more for a lane; the answer will say that it is missing.
    CallOff(u32),
    /// Asks everyone afresh for a lane that was given up.
    AskAgain(u32),
    /// Shows the moment `ms` into the run; `None`: the newest.
    Scrub(Option<u64>),
    /// Groups the lanes.
    Group(Grouping),
    /// Shows some of the lanes.
    Show(Filter),
    /// What stands beside the lanes.
    Beside(Side),
    /// Chooses a lane.
    Lane(u32),
    /// Chooses an event.
    Event(u64),
    /// Chooses none any more.
    CloseEvent,
    /// A page of the inspector is looked at.
    NeedPage(u64),
}

/// Where a run on screen stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    /// Nothing happens to it in this process.
    #[default]
    Recorded,
    /// Its trace is being read.
    Reading,
    /// It is under way in this process.
    Live,
    /// It was asked to stop and has not yet.
    Pausing,
    /// It was asked to go on and has not yet.
    Resuming,
}

/// A run on screen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Its id; empty: none.
    pub id: String,
    /// The fold of its trace.
    pub view: RunView,
    /// Every event.
    pub events: Vec<Stub>,
    /// Attempts per provider, in order of submission: (subtask, attempt).
    pub by_provider: Vec<Vec<(u32, u32)>>,
    /// Where it stands.
    pub stage: Stage,
    /// What it is paid in.
    pub unit: Unit,
    /// Sats that were bound to jobs and came back: (milliseconds since the start, sum so far).
    pub came_back: Vec<(u64, u64)>,
    /// How far its answers are believed, where that decides.
    pub beliefs: Beliefs,
    /// What the tiers of verification let through, over time.
    pub tiers: TierCurve,
    /// Why the rest of its trace cannot be read.
    pub damage: Option<String>,
    /// Why it did not go on.
    pub refused: Option<String>,
    /// A higher cap as it is typed, while one is asked for.
    pub cap_typed: Option<String>,
    /// The cap that the run was told, until it shows.
    pub raising: Option<u64>,
    /// The moment shown; `None`: the newest.
    pub cursor: Option<u64>,
    /// How playing it stands, if it is played.
    pub replay: Option<Replay>,
    /// Whether it is played as soon as it is read.
    pub plays_when_read: bool,
    /// How lanes are grouped.
    pub grouping: Grouping,
    /// Which lanes are shown.
    pub filter: Filter,
    /// What stands beside them.
    pub side: Side,
    /// The chosen lane.
    pub lane: Option<u32>,
    /// What is said of all lanes at once.
    pub(super) counted: Counted,
    /// What became of the advice for each step of the plan; none while the run is under way.
    pub(super) fates: Vec<HintRecord>,
    /// The events that are about the chosen lane, in order.
    pub linked: Vec<u64>,
    /// What the chosen lane's providers were sent, once read.
    pub text: Option<Result<String, String>>,
    /// Lanes that an order was given for which has not shown yet.
    pub ordered: Vec<u32>,
    /// The chosen event.
    pub event: Option<u64>,
    /// What stands behind it, once read.
    pub raw: Option<Result<Behind, String>>,
    /// Counts how often the list of events was opened for the chosen one: it is scrolled to it.
    pub sought: u64,
    /// Pages of the inspector, by their first event.
    pub pages: BTreeMap<u64, Vec<String>>,
    /// Pages that were asked for.
    pub awaited: Vec<u64>,
}

impl Run {
    /// Whether there is a run to show.
    pub fn is_some(&self) -> bool {
        !self.id.is_empty()
    }

    /// Whether it stopped without an answer, so that it can go on.
    pub fn can_go_on(&self) -> bool {
        self.is_some()
            && self.stage == Stage::Recorded
            && !matches!(self.view.ending, Some(Ending::Answered(_)))
    }

    /// The decision by which the run was left to a person, if it was.
    pub fn awaits_person(&self) -> Option<&Decision> {
        let Some(Ending::Failed { exit_code: LEFT_TO_A_PERSON, .. }) = &self.view.ending else { return None };
        let decisions = self.view.decisions.iter().rev().map(|each| &each.decision);
        decisions.filter(|_| self.can_go_on()).find(|each| each.decision == "escalate")
    }

    /// Whether going on with what is verified can give an answer.
    pub fn can_be_accepted(&self) -> bool {
        self.awaits_person().is_some() && self.view.verified() > 0
    }

    /// Why it ended without an answer; one that was paused has not ended.
    pub fn failure(&self) -> Option<&str> {
        match &self.view.ending {
            Some(Ending::Failed { error, exit_code }) if *exit_code != INTERRUPTED && !self.is_live() => {
                Some(error.as_str())
            }
            _ => None,
        }
    }

    /// Whether it can be paused.
    pub fn can_pause(&self) -> bool {
        self.stage == Stage::Live
    }

    /// Whether it is under way in this process.
    pub fn is_live(&self) -> bool {
        matches!(self.stage, Stage::Live | Stage::Pausing)
    }

    /// Whether a lane can be called off now.
    pub fn can_call_off(&self, lane: u32) -> bool {
        let open =
            |lane: &SubtaskView| !matches!(lane.state, SubtaskState::Verified | SubtaskState::GaveUp(_));
        self.takes_orders(lane) && self.view.subtasks.get(lane as usize).is_some_and(open)
    }

    /// Whether a lane that was given up can be asked again now.
    pub fn can_ask_again(&self, lane: u32) -> bool {
        let given_up = |lane: &SubtaskView| matches!(lane.state, SubtaskState::GaveUp(_));
        self.takes_orders(lane) && self.view.subtasks.get(lane as usize).is_some_and(given_up)
    }

    fn takes_orders(&self, lane: u32) -> bool {
        self.stage == Stage::Live && !self.ordered.contains(&lane)
    }

    /// Whether a higher cap would change something: it is under way, or can go on.
    pub fn can_raise(&self) -> bool {
        (self.stage == Stage::Live && self.raising.is_none()) || self.can_go_on()
    }

    /// The cap as typed, or why it cannot be one.
    pub fn typed_cap(&self) -> Result<u64, String> {
        let typed = self.cap_typed.as_deref().unwrap_or_default();
        // Grouped as amounts are shown, it is a number too.
        let digits: String = typed.chars().filter(|letter| !letter.is_whitespace()).collect();
        let unit = self.unit.name();
        let cap: u64 = digits.parse().map_err(|_| format!("the cap is a whole number of {unit}"))?;
        if cap > MOST_SATS {
            return Err(format!("that is more {unit} than there are"));
        }
        if cap <= self.view.limit_sats {
            let now = self.unit.amount(self.view.limit_sats);
            return Err(format!("it is {now} now and can only rise"));
        }
        Ok(cap)
    }

    /// Whether what is known of providers decides how many of them are asked.
    pub fn is_adaptive(&self) -> bool {
        self.view.policy.starts_with("adaptive")
    }

    /// Chooses a lane, with the events that are about it.
    fn choose(&mut self, lane: u32) {
        (self.lane, self.text) = (Some(lane), None);
        let mine = (0_u64..).zip(&self.events).filter(|(_, event)| event.subtask == Some(lane));
        self.linked = mine.map(|(seq, _)| seq).collect();
    }

    /// A line of the inspector, if its page is there.
    pub fn line(&self, seq: u64) -> Option<&str> {
        let page = self.pages.get(&(seq / PAGE * PAGE))?;
        page.get(usize::try_from(seq % PAGE).ok()?).map(String::as_str)
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        let counts = matches!(
            event,
            Event::Opened { .. } | Event::Records { .. } | Event::Loaded { .. } | Event::Ended { .. }
        );
        self.take(event);
        if counts {
            self.count();
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Opened { id, live, unit } => {
                let stage = if live { Stage::Live } else { Stage::Reading };
                let plays_when_read = self.plays_when_read && !live;
                // How it is looked at stays as it was; the lane is another run's.
                let grouping = self.grouping;
                let side = if self.side == Side::Lane { Side::default() } else { self.side };
                *self = Self { id, stage, unit, plays_when_read, grouping, side, ..Self::default() };
            }
            Event::Resumed { id } if id == self.id => {
                (self.stage, self.refused) = (Stage::Live, None);
                self.fates.clear();
            }
            Event::Records { id, records } if id == self.id => {
                for record in &records {
                    self.fold(record);
                }
            }
            Event::Loaded { id, damage } if id == self.id => {
                (self.stage, self.damage) = (Stage::Recorded, damage);
                self.weigh_advice();
                if std::mem::take(&mut self.plays_when_read) {
                    self.play_or_hold();
                }
            }
            Event::Ended { id, error } if id == self.id => {
                self.stage = Stage::Recorded;
                self.ordered.clear();
                self.raising = None;
                self.weigh_advice();
                if let (None, Some((error, exit_code))) = (&self.view.ending, error) {
                    self.view.ending = Some(Ending::Failed { error, exit_code });
                }
                if !self.can_raise() {
                    self.cap_typed = None;
                }
            }
            Event::NotResumed { id, why } if id == self.id => {
                (self.stage, self.refused) = (Stage::Recorded, Some(why));
            }
            Event::NotOrdered { id, lane } if id == self.id => self.ordered.retain(|each| *each != lane),
            Event::NotRaised { id } if id == self.id => self.raising = None,
            Event::Text { id, lane, text } if id == self.id && self.lane == Some(lane) => {
                self.text = Some(text);
            }
            Event::Raw { id, seq, behind } if id == self.id && self.event == Some(seq) => {
                self.raw = Some(behind);
            }
            Event::Page { id, from_seq, lines } if id == self.id => {
                self.awaited.retain(|awaited| *awaited != from_seq);
                if self.pages.len() >= MOST_PAGES {
                    self.pages.clear();
                }
                self.pages.insert(from_seq, lines);
            }
            Event::Resumed { .. }
            | Event::NotResumed { .. }
            | Event::Records { .. }
            | Event::Loaded { .. }
            | Event::Ended { .. }
            | Event::NotOrdered { .. }
            | Event::NotRaised { .. }
            | Event::Text { .. }
            | Event::Raw { .. }
            | Event::Page { .. } => {}
        }
    }

    /// Changes what is shown.
    pub fn perform(&mut self, action: &Action) {
        self.change(action);
        if matches!(
            action,
            Action::Scrub(_)
                | Action::Show(_)
                | Action::Play
                | Action::Advance(_)
                | Action::GoOn(_)
                | Action::Accept
        ) {
            self.count();
        }
    }

    fn change(&mut self, action: &Action) {
        match action {
            Action::Pause if self.stage == Stage::Live => self.stage = Stage::Pausing,
            Action::Open(_) => self.plays_when_read = false,
            Action::Replay(_) => self.plays_when_read = true,
            Action::Play => self.play_or_hold(),
            Action::Speed(speed) => self.set_speed(*speed),
            Action::Advance(passed_us) => self.advance(*passed_us),
            Action::Pause => {}
            Action::GoOn(_) | Action::Accept => {
                (self.stage, self.refused, self.cap_typed) = (Stage::Resuming, None, None);
                self.seek(None);
            }
            Action::AskCap(asked) => {
                let proposed = self.view.limit_sats.saturating_mul(RAISE).clamp(1, MOST_SATS);
                self.cap_typed = asked.then(|| proposed.to_string());
            }
            Action::TypeCap(typed) => self.cap_typed = Some(typed.clone()),
            Action::RaiseCap(cap) => (self.raising, self.cap_typed) = (Some(*cap), None),
            Action::CallOff(lane) | Action::AskAgain(lane) => self.ordered.push(*lane),
            Action::Scrub(moment) => self.seek(*moment),
            Action::Group(grouping) => self.grouping = *grouping,
            Action::Show(filter) => self.filter = *filter,
            Action::Beside(side) => {
                self.sought += u64::from(self.side != *side && *side == Side::Events && self.event.is_some());
                self.side = *side;
            }
            Action::Lane(lane) => {
                self.side = Side::Lane;
                self.choose(*lane);
            }
            Action::Event(seq) => {
                (self.event, self.raw) = (Some(*seq), None);
                let subtask = usize::try_from(*seq).ok().and_then(|seq| self.events.get(seq)?.subtask);
                if let Some(lane) = subtask.filter(|_| subtask != self.lane) {
                    self.choose(lane);
                }
            }
            Action::CloseEvent => (self.event, self.raw) = (None, None),
            Action::NeedPage(from_seq) => {
                if !self.awaited.contains(from_seq) {
                    self.awaited.push(*from_seq);
                }
            }
        }
    }

    /// Folds one event. Events that came before, as after a reconnect, are not folded twice.
    pub fn fold(&mut self, record: &TraceRecord) {
        if record.seq != self.events.len() as u64 {
            return;
        }
        self.view.apply(record);
        if let TraceEvent::BudgetSettle { refunded_sats: back @ 1.., .. } = &record.event {
            let before = self.came_back.last().map_or(0, |(_, sum)| *sum);
            self.came_back.push((record.at_ms, before.saturating_add(*back)));
        }
        if let TraceEvent::Posterior { subtask, step, fidelity, correctness } = &record.event {
            let belief = Belief { fidelity: *fidelity, correctness: *correctness };
            self.beliefs.take(subtask.0, *step, belief);
        }
        self.tiers.note(Tiers::now(&self.view, &self.beliefs));
        if matches!(record.event, TraceEvent::CapRaised { .. }) {
            self.raising = None;
        }
        let (kind, subtask) = super::events::kind(&record.event);
        self.counted.note(&self.view, &record.event, subtask);
        if let TraceEvent::GaveUp { subtask, .. }
        | TraceEvent::Verified { subtask, .. }
        | TraceEvent::SubQuerySubmit { subtask, .. } = &record.event
        {
            self.ordered.retain(|lane| *lane != subtask.0);
        }
        if subtask.is_some() && subtask == self.lane {
            self.linked.push(record.seq);
        }
        self.events.push(Stub { at_ms: record.at_ms, kind, subtask });
        // The page that holds it, if it is there, is not complete any more.
        self.pages.remove(&(record.seq / PAGE * PAGE));
        if let TraceEvent::SubQuerySubmit { subtask, attempt, .. } = &record.event
            && let Some(lane) = self.view.subtasks.get(subtask.0 as usize)
            // Sats may be set aside for the next attempt already: the one that is meant need not be the last.
            && let Some(position) = lane.attempts.iter().rposition(|each| each.id == attempt.0)
            && let Some(provider) = lane.attempts[position].provider
        {
            let provider = provider as usize;
            if self.by_provider.len() <= provider {
                self.by_provider.resize_with(provider + 1, Vec::new);
            }
            self.by_provider[provider].push((subtask.0, u32::try_from(position).unwrap_or(u32::MAX)));
        }
    }
}
