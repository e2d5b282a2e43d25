//! Which provider of a venue gets a task, where no scheduler of a run decides it.
//!
//! Hard constraints first: budget, context length, capability, privacy, room. Of those who meet them two are drawn, and the
//! better one is taken. What is better and how two are drawn is the product's ([`ProviderWorth`], [`choose`]).

use frlm_conductor::route::ProviderWorth;
use frlm_learning::routing::RewardSettings;
use frlm_scheduler::ProviderIndex;
use frlm_scheduler::choose::choose;
use rand::RngCore;

use super::constraints::{Needs, NobodySuits, Obstacle, Offer};

#[derive(Debug, Clone, Copy)]
struct State {
    offer: Offer,
    /// Jobs that we have with it.
    held: u32,
    gone: bool,
}

/// The providers of a venue, by the caller's index.
#[derive(Debug, Clone, Default)]
pub struct Providers {
    worth: ProviderWorth,
    states: Vec<Option<State>>,
    /// Those that are there, in no order, so that drawing one is one step.
    alive: Vec<ProviderIndex>,
}

impl Providers {
    /// Nobody yet.
    pub fn new(reward: RewardSettings) -> Self {
        Self { worth: ProviderWorth::new(reward), ..Self::default() }
    }

    /// A provider came, came back, or changed its offer. What was learned of it is kept.
    pub fn upsert(&mut self, provider: ProviderIndex, offer: Offer) {
        self.worth.upsert(provider, offer.terms);
        let at = provider.0 as usize;
        if self.states.len() <= at {
            self.states.resize(at + 1, None);
        }
        match &mut self.states[at] {
            Some(state) => {
                state.offer = offer;
                if !std::mem::replace(&mut state.gone, false) {
                    return;
                }
            }
            empty => *empty = Some(State { offer, held: 0, gone: false }),
        }
        self.alive.push(provider);
    }

    /// A provider went away; what it held is lost.
    pub fn remove(&mut self, provider: ProviderIndex) {
        if let Some(state) = self.state_mut(provider) {
            state.gone = true;
            state.held = 0;
        }
        self.alive.retain(|alive| *alive != provider);
    }

    /// What the verifier's records say of it, 0..=1.
    pub fn set_fidelity(&mut self, provider: ProviderIndex, fidelity: f64) {
        self.worth.set_fidelity(provider, fidelity);
    }

    /// A job was sent to it.
    pub fn sent(&mut self, provider: ProviderIndex) {
        if let Some(state) = self.state_mut(provider) {
            state.held = state.held.saturating_add(1);
        }
    }

    /// A job came back with an answer after so long.
    pub fn answered(&mut self, provider: ProviderIndex, latency_secs: f64) {
        self.came_back(provider);
        self.worth.answered(provider, latency_secs);
    }

    /// A job came to nothing.
    pub fn failed(&mut self, provider: ProviderIndex) {
        self.came_back(provider);
        self.worth.failed(provider);
    }

    /// A job was refused for want of room.
    pub fn refused(&mut self, provider: ProviderIndex) {
        self.came_back(provider);
        self.worth.refused(provider);
    }

    fn came_back(&mut self, provider: ProviderIndex) {
        if let Some(state) = self.state_mut(provider) {
            state.held = state.held.saturating_sub(1);
        }
    }

    /// How many are there.
    pub fn len(&self) -> usize {
        self.alive.len()
    }

    /// Whether nobody is there.
    pub fn is_empty(&self) -> bool {
        self.alive.is_empty()
    }

    /// What rules the provider out for this task, if anything does.
    fn obstacle(&self, provider: ProviderIndex, needs: &Needs) -> Option<Obstacle> {
        self.state(provider).map_or(Some(Obstacle::Capability), |state| obstacle(state, needs))
    }

    /// Chooses among those that suit and may be asked; if there is nobody the error says why. `allowed`
    /// holds what only the caller knows: who was asked already.
    pub fn pick(
        &self,
        needs: &Needs,
        allowed: impl Fn(ProviderIndex) -> bool,
        rng: &mut dyn RngCore,
    ) -> Result<ProviderIndex, NobodySuits> {
        let suits = |provider: ProviderIndex| self.obstacle(provider, needs).is_none() && allowed(provider);
        let promise = |provider| {
            let held = self.state(provider).map_or(0, |state| state.held);
            self.worth.at(provider, needs.tokens, |slots, claimed| load(held, slots, claimed))
        };
        choose(&self.alive, suits, promise, rng).ok_or_else(|| self.why_nobody(needs))
    }

    fn why_nobody(&self, needs: &Needs) -> NobodySuits {
        let mut why = NobodySuits { all: self.alive.len(), ..NobodySuits::default() };
        for provider in &self.alive {
            if let Some(obstacle) = self.obstacle(*provider, needs) {
                why.count(obstacle);
            }
        }
        why
    }

    fn state(&self, provider: ProviderIndex) -> Option<&State> {
        self.states.get(provider.0 as usize)?.as_ref()
    }

    fn state_mut(&mut self, provider: ProviderIndex) -> Option<&mut State> {
        self.states.get_mut(provider.0 as usize)?.as_mut()
    }
}

fn obstacle(state: &State, needs: &Needs) -> Option<Obstacle> {
    let offer = &state.offer;
    if needs.private && !offer.is_own_machine {
        Some(Obstacle::Privacy)
    } else if offer.skills & needs.skills != needs.skills
        || needs.role.is_some_and(|role| !offer.roles.contains(role))
    {
        Some(Obstacle::Capability)
    } else if offer.context_tokens < needs.tokens {
        Some(Obstacle::Context)
    } else if offer.terms.cost_msats(needs.tokens) > needs.most_msats {
        Some(Obstacle::Budget)
    } else if state.held >= offer.terms.slots {
        Some(Obstacle::Room)
    } else {
        None
    }
}

/// The load of a provider by the jobs that the caller has with it. What its heartbeat claims can only make it look busier;
/// one whose heartbeat is not believed counts as full.
fn load(ours: u32, slots: f64, claimed: Option<u32>) -> f64 {
    let own = f64::from(ours) / slots;
    own.max(claimed.map_or(1.0, |claimed| f64::from(claimed) / slots))
}

#[cfg(test)]
#[path = "providers_tests.rs"]
mod tests;
