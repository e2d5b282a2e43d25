//! What the runs screen knows.

use std::collections::BTreeMap;

use frlm_client::conductor::store::RunState;

use super::view::state_mark;
use crate::desktop::screens::load::Load;
use crate::desktop::widgets::{Order, SortKey, Sorted, Unit};
use frlm_client::export::Format;

/// A recorded run as the table shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Unix milliseconds.
    pub started_at_ms: u64,
    /// As asked.
    pub question: String,
    /// How it stands.
    pub state: RunState,
    /// File names.
    pub documents: Vec<String>,
    /// Where it was asked: relays, or this machine.
    pub venue: String,
    /// The verification policy's name.
    pub policy: String,
    /// The budget, in sats.
    pub budget_sats: u64,
    /// What it is paid in.
    pub unit: Unit,
    /// What the ledger says it cost; `None` if the ledger does not know the run.
    pub spent_sats: Option<u64>,
}

/// What a run's trace says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Details {
    /// The answer, or why there is none.
    pub answer: String,
    /// Whether that is an answer.
    pub answered: bool,
    /// 0..=1, once answered.
    pub confidence: Option<f64>,
    /// 0..=1, once answered.
    pub coverage: Option<f64>,
    /// Mean share of agreeing answers, 0..=1, once answered.
    pub agreement: Option<f64>,
    /// Subtasks with an accepted answer.
    pub verified: usize,
    /// All subtasks.
    pub subtasks: usize,
    /// Comparisons in which somebody dissented.
    pub dissents: usize,
    /// Providers that were asked, by name.
    pub providers: Vec<String>,
    /// From the first to the last event.
    pub lasted_ms: u64,
    /// Events in the trace.
    pub events: u64,
    /// Sats spent, as the trace adds them up.
    pub spent_sats: u64,
    /// Why the trace cannot be read to its end.
    pub damage: Option<String>,
}

/// Which runs are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// All.
    #[default]
    All,
    /// With an answer.
    Answered,
    /// Under way or interrupted: they can go on.
    Open,
    /// Without an answer.
    Failed,
}

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// All runs, newest first.
    Listed {
        /// The runs, or why they cannot be read.
        runs: Load<Vec<Entry>>,
        /// Unix milliseconds of the look.
        now_ms: u64,
    },
    /// What a run's trace says.
    Details {
        /// Of which run.
        id: String,
        /// What it says, or why it cannot be read.
        details: Load<Details>,
    },
    /// A run is gone, with its trace.
    Deleted(String),
    /// A run was written to a file.
    Exported(String),
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Looks again.
    Reload,
    /// What is typed into the search field.
    Search(String),
    /// Which runs are listed.
    Show(Show),
    /// In which order.
    Sort(Option<Order>),
    /// Shows a run's details; while a second run is wanted, takes it as that.
    Choose(String),
    /// Asks for a second run to compare the chosen one with, or takes the wish back.
    WantSecond(bool),
    /// Puts the second run away.
    EndComparison,
    /// Asks whether the chosen run should go.
    AskDelete(bool),
    /// Deletes a run with its trace.
    Delete(String),
    /// Writes a run to a file.
    Export(String, Format),
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    /// All runs.
    pub recorded: Load<Vec<Entry>>,
    /// When they were read.
    pub now_ms: u64,
    /// As typed.
    pub search: String,
    /// Which are listed.
    pub show: Show,
    /// How they are sorted.
    pub sorted: Sorted,
    /// The chosen run's id.
    pub chosen: Option<String>,
    /// Whether the next choice is the run to compare with.
    pub wants_second: bool,
    /// The run that the chosen one is compared with.
    pub second: Option<String>,
    /// Whether the user is being asked if the chosen run should go.
    pub deleting: bool,
    /// The last export's path.
    pub exported: Option<String>,
    /// Details of the runs that were looked at, by id.
    details: BTreeMap<String, Load<Details>>,
    /// Positions of the listed runs.
    listed: Vec<usize>,
}

/// Details that are kept.
const MOST_DETAILS: usize = 32;

impl Runs {
    /// The runs that fit filter and search, newest first.
    pub fn listed(&self) -> &[usize] {
        &self.listed
    }

    /// A run by its position.
    pub fn entry(&self, position: usize) -> Option<&Entry> {
        self.recorded.ready()?.get(position)
    }

    /// A run by its id.
    pub fn find(&self, id: &str) -> Option<&Entry> {
        self.recorded.ready()?.iter().find(|entry| entry.id == id)
    }

    /// The chosen run.
    pub fn chosen(&self) -> Option<&Entry> {
        self.find(self.chosen.as_deref()?)
    }

    /// What is known of a run's trace.
    pub fn details(&self, id: &str) -> &Load<Details> {
        self.details.get(id).unwrap_or(&Load::Busy)
    }

    /// What is asked or shown in the place of the list, taken away: what Escape does here.
    pub fn closing(&self) -> Option<Action> {
        if self.deleting {
            Some(Action::AskDelete(false))
        } else if self.wants_second {
            Some(Action::WantSecond(false))
        } else {
            self.compared().map(|_| Action::EndComparison)
        }
    }

    /// The two runs that are compared.
    pub fn compared(&self) -> Option<(&Entry, &Entry)> {
        Some((self.chosen()?, self.find(self.second.as_deref()?)?))
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Listed { runs, now_ms } => {
                (self.recorded, self.now_ms) = (runs, now_ms);
                if self.chosen().is_none() {
                    self.unchoose();
                }
                self.list();
            }
            Event::Details { id, details } => {
                if self.details.len() >= MOST_DETAILS {
                    let kept =
                        |id: &String| Some(id) == self.chosen.as_ref() || Some(id) == self.second.as_ref();
                    let unused = self.details.keys().find(|id| !kept(id)).cloned();
                    unused.map(|id| self.details.remove(&id));
                }
                self.details.insert(id, details);
            }
            Event::Deleted(id) => {
                if let Load::Ready(runs) = &mut self.recorded {
                    runs.retain(|entry| entry.id != id);
                }
                self.details.remove(&id);
                self.unchoose();
                self.list();
            }
            Event::Exported(path) => self.exported = Some(path),
        }
    }

    /// Does what needs no looking up.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Reload => {
                if !matches!(self.recorded, Load::Ready(_)) {
                    self.recorded = Load::Busy;
                }
            }
            Action::Search(search) => {
                self.search.clone_from(search);
                self.list();
            }
            Action::Show(show) => {
                self.show = *show;
                self.list();
            }
            Action::Sort(order) => {
                self.sorted.choose(*order);
                self.sort();
            }
            Action::Choose(id) => {
                if self.wants_second && self.chosen.as_ref() != Some(id) {
                    self.second = Some(id.clone());
                } else {
                    self.chosen = Some(id.clone());
                    self.second = None;
                }
                (self.wants_second, self.deleting, self.exported) = (false, false, None);
                // What could not be read is read again.
                if matches!(self.details(id), Load::Failed(_)) {
                    self.details.remove(id);
                }
            }
            Action::WantSecond(wanted) => self.wants_second = *wanted,
            Action::EndComparison => self.second = None,
            Action::AskDelete(asked) => self.deleting = *asked,
            Action::Delete(_) => self.deleting = false,
            Action::Export(..) => self.exported = None,
        }
    }

    fn unchoose(&mut self) {
        (self.chosen, self.second, self.exported) = (None, None, None);
        (self.wants_second, self.deleting) = (false, false);
    }

    fn list(&mut self) {
        let search = self.search.trim().to_lowercase();
        let words: Vec<&str> = search.split_whitespace().collect();
        let fits = |entry: &Entry| {
            let shown = match self.show {
                Show::All => true,
                Show::Answered => entry.state == RunState::Done,
                Show::Open => matches!(entry.state, RunState::Running | RunState::Interrupted),
                Show::Failed => entry.state == RunState::Failed,
            };
            let text =
                || format!("{} {} {}", entry.id, entry.question, entry.documents.join(" ")).to_lowercase();
            shown && (words.is_empty() || words.iter().all(|word| text().contains(word)))
        };
        let runs = self.recorded.ready().map_or(&[][..], Vec::as_slice);
        let listed = (0..).zip(runs).filter(|(_, entry)| fits(entry)).map(|(position, _)| position).collect();
        self.listed = listed;
        self.sort();
    }

    /// By a column of the table.
    fn sort(&mut self) {
        let runs = self.recorded.ready().map_or(&[][..], Vec::as_slice);
        let listed = &self.listed;
        self.sorted.sort(listed.len(), |row, column| {
            let entry = &runs[listed[row]];
            match column {
                0 => SortKey::Number(entry.started_at_ms),
                1 => SortKey::words(&entry.question),
                2 => SortKey::words(state_mark(entry.state).2),
                3 => SortKey::words(&entry.documents.join(", ")),
                _ => SortKey::number(entry.spent_sats),
            }
        });
    }
}
