//! Reads what routing and the brain have stored.

use frlm_client::learning::planning::account::memory::{LearnerError, LearnerMemory};
use frlm_client::learning::planning::decompose::Strategy;
use frlm_client::learning::planning::domain::Domain;
use frlm_client::learning::routing::{RoutingMemory, STAMP, Training};
use frlm_client::learning::saved;

use super::state::{Action, Event, Stored};
use crate::desktop::engine::{Engine, Event as AppEvent};
use frlm_client::attack_simulation::{self, Answers};
use frlm_client::home::Home;
use frlm_client::learned_plans;
use frlm_client::routing_picture::{of_account, of_training};

/// Does what takes time.
pub fn perform(action: &Action, engine: &Engine) {
    match action {
        Action::Reload => look(engine),
        Action::Simulate(of) => simulate(*of, engine),
        Action::BringBack(domain, strategy) => bring_back(engine, *domain, *strategy),
        Action::Show(_) | Action::LoadState(_) => {}
    }
}

/// Reads all files.
pub fn look(engine: &Engine) {
    engine.read(|home| read(home).map(Box::new), |stored| AppEvent::Learning(Event::Stored(stored)));
}

/// Takes a strategy into use again, and reads what is stored then.
fn bring_back(engine: &Engine, domain: Domain, strategy: Strategy) {
    let done = move |home: &Home| brought_back(home, domain, strategy).map(Box::new);
    engine.read(done, |stored| AppEvent::Learning(Event::Stored(stored)));
}

/// What is stored once a strategy is in use again. Blocks.
pub fn brought_back(home: &Home, domain: Domain, strategy: Strategy) -> anyhow::Result<Stored> {
    match LearnerMemory::at(home.learner()).bring_back(domain, strategy) {
        // Somebody else uses it again, and that is what is shown.
        Ok(()) | Err(LearnerError::Contest(_)) => read(home),
        Err(error) => Err(error.into()),
    }
}

/// Simulates a world of its own each time.
fn simulate(of: Answers, engine: &Engine) {
    let seed = frlm_client::util::clock::unix_secs();
    let report = move |outcome| AppEvent::Learning(Event::Simulated(of, outcome));
    engine.read(move |_| attack_simulation::simulate(of, seed), report);
}

/// Blocks.
pub fn read(home: &Home) -> anyhow::Result<Stored> {
    let settings = home.config()?.routing.into();
    let account = RoutingMemory::at(home.routing()).load()?;
    let training = home.routing_training();
    let training: Option<Training> =
        if training.exists() { Some(saved::read(&training, STAMP)?) } else { None };
    let plans = match LearnerMemory::at(home.learner()).load() {
        Ok(account) => account.as_ref().and_then(learned_plans::of_account).map(Ok),
        Err(error) => Some(Err(error.to_string())),
    };
    Ok(Stored {
        plans,
        runs: account.as_ref().and_then(|account| of_account(account, &settings)),
        training: training.as_ref().and_then(of_training),
    })
}
