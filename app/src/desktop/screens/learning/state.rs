//! What the learning screen knows.

use frlm_client::learning::planning::decompose::Strategy;
use frlm_client::learning::planning::domain::Domain;

use crate::desktop::screens::load::Load;
use frlm_client::attack_simulation::{Answers, Simulation};
use frlm_client::learned_plans::Plans;
use frlm_client::routing_picture::Picture;

/// Where something was learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// From the runs of this machine.
    #[default]
    Runs,
    /// In `frlm-lab learn route`.
    Training,
    /// Not learned but shown: policies against liars in a simulated swarm.
    RedTeam(Answers),
    /// Not learned but told: answers that the user holds to be right.
    Known,
}

/// What is stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stored {
    /// From runs, once one has routed something.
    pub runs: Option<Picture>,
    /// From the latest training.
    pub training: Option<Picture>,
    /// What runs have taught about plans, or why that cannot be read; `None` before the first.
    pub plans: Option<Result<Plans, String>>,
}

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// What is stored, or why it cannot be read.
    Stored(Load<Box<Stored>>),
    /// What came of a simulated world.
    Simulated(Answers, Load<Simulation>),
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Looks again.
    Reload,
    /// Shows what was learned there.
    Show(Source),
    /// Simulates a swarm with liars in it.
    Simulate(Answers),
    /// Takes a way to take questions apart that was retired into use again.
    BringBack(Domain, Strategy),
    /// Shows what is worth how much in this load state: a position.
    LoadState(usize),
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Learning {
    /// What is stored.
    pub stored: Load<Box<Stored>>,
    /// Which part of it is shown.
    pub source: Source,
    /// The load state whose values are shown.
    pub load_state: usize,
    /// The strategy that is being taken into use again.
    pub bringing_back: Option<(Domain, Strategy)>,
    /// The simulated swarms, of records and of words; `None` before the first.
    pub red_team: [Option<Load<Simulation>>; 2],
}

impl Learning {
    /// What is shown; `None` where nothing was learned.
    pub fn picture(&self) -> Option<&Picture> {
        let stored = self.stored.ready()?;
        match self.source {
            Source::Runs => stored.runs.as_ref(),
            Source::Training => stored.training.as_ref(),
            Source::RedTeam(_) | Source::Known => None,
        }
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Stored(stored) => (self.stored, self.bringing_back) = (stored, None),
            Event::Simulated(of, outcome) => self.red_team[of as usize] = Some(outcome),
        }
    }

    /// Does what needs no looking up.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Reload => self.stored = Load::Busy,
            Action::Show(source) => (self.source, self.load_state) = (*source, 0),
            Action::Simulate(of) => self.red_team[*of as usize] = Some(Load::Busy),
            Action::LoadState(at) => self.load_state = *at,
            // What is shown stays until it was looked up again.
            Action::BringBack(domain, strategy) => self.bringing_back = Some((*domain, *strategy)),
        }
    }
}
