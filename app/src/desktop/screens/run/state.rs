//! What the run screen knows.

use std::collections::BTreeMap;

use frlm_client::learning::planning::hints::HintRecord;
use frlm_client::view::RunView;

use super::counted::Counted;
use super::inspect::Behind;
use super::messages::Action;
use super::posterior::Posteriors;
use super::replay::Replay;
use super::tiers::TierCurve;
use crate::desktop::widgets::Unit;
pub use frlm_client::failure::code::INTERRUPTED;

/// All that will ever be.
pub const MOST_SATS: u64 = 2_100_000_000_000_000;
/// What is proposed as a higher budget: so many times the one before.
pub const RAISE: u64 = 2;
/// Events per page of the inspector.
pub const PAGE: u64 = 128;

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
    /// Sats that were bound to jobs and refunded: (milliseconds since the start, sum so far).
    pub came_back: Vec<(u64, u64)>,
    /// How likely its answers are right, where that decides.
    pub posteriors: Posteriors,
    /// What the tiers of verification let through, over time.
    pub tiers: TierCurve,
    /// Why the rest of its trace cannot be read.
    pub damage: Option<String>,
    /// Why it did not go on.
    pub refused: Option<String>,
    /// A higher budget as it is typed, while one is asked for.
    pub budget_typed: Option<String>,
    /// The budget that the run was told, until it shows.
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
    /// The chosen provider, by its position; then no lane is chosen.
    pub provider: Option<u32>,
    /// What is said of all lanes at once.
    pub(super) counted: Counted,
    /// What became of the advice for each step of the plan; none while the run is under way.
    pub(super) hint_records: Vec<HintRecord>,
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

    /// Whether what is known of providers decides how many of them are asked.
    pub fn is_adaptive(&self) -> bool {
        self.view.start.policy.starts_with("adaptive")
    }

    /// Chooses a lane, with the events that are about it.
    fn choose(&mut self, lane: u32) {
        (self.lane, self.provider, self.text) = (Some(lane), None, None);
        let mine = (0_u64..).zip(&self.events).filter(|(_, event)| event.subtask == Some(lane));
        self.linked = mine.map(|(seq, _)| seq).collect();
    }

    /// A line of the inspector, if its page is there.
    pub fn line(&self, seq: u64) -> Option<&str> {
        let page = self.pages.get(&(seq / PAGE * PAGE))?;
        page.get(usize::try_from(seq % PAGE).ok()?).map(String::as_str)
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
                (self.stage, self.refused, self.budget_typed) = (Stage::Resuming, None, None);
                self.seek(None);
            }
            Action::AskBudget(asked) => {
                let proposed = self.view.budget.limit_sats.saturating_mul(RAISE).clamp(1, MOST_SATS);
                self.budget_typed = asked.then(|| proposed.to_string());
            }
            Action::TypeBudget(typed) => self.budget_typed = Some(typed.clone()),
            Action::RaiseBudget(budget) => (self.raising, self.budget_typed) = (Some(*budget), None),
            Action::Cancel(lane) | Action::AskAgain(lane) => self.ordered.push(*lane),
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
            Action::Provider(provider) => {
                self.side = Side::Lane;
                (self.lane, self.provider, self.text) = (None, Some(*provider), None);
                self.linked.clear();
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
}
