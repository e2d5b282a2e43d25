//! What the engine reports of a run, and what the user asks for.

use frlm_client::conductor::trace::TraceRecord;

use super::inspect::Behind;
use super::replay::ReplaySpeed;
use super::state::{Filter, Grouping, Side};
use crate::desktop::widgets::Unit;

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
    /// A higher budget came too late: the run is over.
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
    Speed(ReplaySpeed),
    /// So many microseconds have passed while it was played.
    Advance(u64),
    /// Stops tidily; can go on later.
    Pause,
    /// Goes on; with a higher budget if one is given. Fragments that failed are asked again.
    GoOn(Option<u64>),
    /// Asks for a higher budget, or not after all.
    AskBudget(bool),
    /// That budget, as typed.
    TypeBudget(String),
    /// Lets the run under way spend so many sats in all.
    RaiseBudget(u64),
    /// Goes on with what is verified: a person has looked at it and takes it.
    Accept,
    /// Asks nobody any more for a lane; the answer will say that it is missing.
    Cancel(u32),
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
    /// Chooses a provider, by its position.
    Provider(u32),
    /// Chooses an event.
    Event(u64),
    /// Chooses none any more.
    CloseEvent,
    /// A page of the inspector is looked at.
    NeedPage(u64),
}
