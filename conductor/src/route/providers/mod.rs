//! Which provider of a venue gets a task (design.md, section 1, "route").
//!
//! Hard constraints first: budget, context length, capability, privacy, block list, room. Of those who
//! meet them two are drawn, and the better one is taken ([`choose`](mod@crate::scheduler::choose)).
//!
//! Better is who promises more: fidelity and reliability less price and expected time, weighed as the
//! reward weighs them, less the load. Load has two sources that are kept apart: what *we* have with a
//! provider, and the queue that its heartbeat *claims*. A claim can only make a provider look busier
//! than we know it is. One whose claims of room are contradicted by refusals is not believed any more
//! and counts as busy.

mod needs;

use frlm_learning::routing::RewardSettings;
pub use needs::{Needs, NobodySuits, Obstacle, Offer, RoleSet};
use rand::RngCore;

use crate::scheduler::ProviderIndex;
use crate::scheduler::choose::choose;

/// How providers are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChoiceSettings {
    /// What price and time take off.
    pub reward: RewardSettings,
    /// What a full queue takes off, as the load penalty of roles does at most.
    pub load_weight: f64,
    /// How much a new observation of time or failure counts, 0..=1.
    pub newest_weight: f64,
    /// Contradicted claims of room after which heartbeats are not believed.
    pub most_contradictions: u8,
}

impl Default for ChoiceSettings {
    fn default() -> Self {
        Self {
            reward: RewardSettings::default(),
            load_weight: 0.20,
            newest_weight: 0.1,
            most_contradictions: 3,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct State {
    offer: Offer,
    /// What the verifier's records say, 0..=1.
    fidelity: f64,
    /// Share of its jobs that came to an answer, newest counting most, 0..=1.
    reliability: f64,
    /// Time from sending to answer, newest counting most; `None` before the first.
    latency_secs: Option<f64>,
    /// Jobs that we have with it.
    held: u32,
    /// Jobs that wait there, by its own word.
    claimed: u32,
    contradictions: u8,
    blocked: bool,
    gone: bool,
}

/// The providers of a venue, by the caller's index.
#[derive(Debug, Clone, Default)]
pub struct Providers {
    settings: ChoiceSettings,
    states: Vec<Option<State>>,
    /// Those that are there, in no order, so that drawing one is one step.
    alive: Vec<ProviderIndex>,
    /// Time of all answers, newest counting most: what a stranger is expected to take.
    usual_secs: Option<f64>,
}

impl Providers {
    /// Nobody yet.
    pub fn new(settings: ChoiceSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// A provider came, came back, or changed its offer. What was learned of it is kept.
    pub fn upsert(&mut self, provider: ProviderIndex, offer: Offer) {
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
            empty => {
                *empty = Some(State {
                    offer,
                    fidelity: 0.5,
                    reliability: 1.0,
                    latency_secs: None,
                    held: 0,
                    claimed: 0,
                    contradictions: 0,
                    blocked: false,
                    gone: false,
                });
            }
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

    /// The user wants none of its work, or wants it again.
    pub fn block(&mut self, provider: ProviderIndex, blocked: bool) {
        if let Some(state) = self.state_mut(provider) {
            state.blocked = blocked;
        }
    }

    /// What the verifier's records say of it, 0..=1.
    pub fn set_fidelity(&mut self, provider: ProviderIndex, fidelity: f64) {
        if let Some(state) = self.state_mut(provider) {
            state.fidelity = if fidelity.is_finite() { fidelity.clamp(0.0, 1.0) } else { 0.0 };
        }
    }

    /// How many jobs wait there, by its own word.
    pub fn heartbeat(&mut self, provider: ProviderIndex, queue_length: u32) {
        if let Some(state) = self.state_mut(provider) {
            state.claimed = queue_length;
        }
    }

    /// A job was sent to it.
    pub fn sent(&mut self, provider: ProviderIndex) {
        if let Some(state) = self.state_mut(provider) {
            state.held = state.held.saturating_add(1);
        }
    }

    /// A job came back with an answer after so long.
    pub fn answered(&mut self, provider: ProviderIndex, latency_secs: f64) {
        let weight = self.settings.newest_weight;
        if !latency_secs.is_finite() || latency_secs < 0.0 {
            return;
        }
        self.usual_secs = Some(mixed(self.usual_secs, latency_secs, weight));
        if let Some(state) = self.state_mut(provider) {
            state.held = state.held.saturating_sub(1);
            state.latency_secs = Some(mixed(state.latency_secs, latency_secs, weight));
            state.reliability = mixed(Some(state.reliability), 1.0, weight);
        }
    }

    /// A job came to nothing.
    pub fn failed(&mut self, provider: ProviderIndex) {
        let weight = self.settings.newest_weight;
        if let Some(state) = self.state_mut(provider) {
            state.held = state.held.saturating_sub(1);
            state.reliability = mixed(Some(state.reliability), 0.0, weight);
        }
    }

    /// A job was refused for want of room. If the heartbeat had claimed room, it was wrong.
    pub fn refused(&mut self, provider: ProviderIndex) {
        if let Some(state) = self.state_mut(provider) {
            state.held = state.held.saturating_sub(1);
            if state.claimed < state.offer.slots {
                state.contradictions = state.contradictions.saturating_add(1);
            }
        }
    }

    /// Load in slots by the two sources: what we have there, and what it claims.
    pub fn loads(&self, provider: ProviderIndex) -> Option<(u32, u32)> {
        self.state(provider).map(|state| (state.held, state.claimed))
    }

    /// How many are there.
    pub fn len(&self) -> usize {
        self.alive.len()
    }

    /// Whether nobody is there.
    pub fn is_empty(&self) -> bool {
        self.alive.is_empty()
    }

    /// Bytes that one provider takes here, its place among the living included.
    pub const fn bytes_each() -> usize {
        size_of::<Option<State>>() + size_of::<ProviderIndex>()
    }

    /// What rules the provider out for this task, if anything does.
    pub fn obstacle(&self, provider: ProviderIndex, needs: &Needs) -> Option<Obstacle> {
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
        let suits = |provider: ProviderIndex| {
            self.state(provider).is_some_and(|state| obstacle(state, needs).is_none()) && allowed(provider)
        };
        choose(&self.alive, suits, |provider| self.promise(provider, needs), rng)
            .ok_or_else(|| self.why_nobody(needs))
    }

    /// What a provider promises for this task now: 1 is a certain answer at once for nothing.
    pub fn promise(&self, provider: ProviderIndex, needs: &Needs) -> f64 {
        self.state(provider).map_or(0.0, |state| {
            let slots = f64::from(state.offer.slots.max(1));
            let load = if self.believes(state) {
                f64::from(state.held.max(state.claimed)) / slots
            } else {
                (f64::from(state.held) / slots).max(1.0)
            };
            self.worth_of(state, needs, load) - self.settings.load_weight * load.min(1.0)
        })
    }

    /// What it promises apart from the jobs that the caller has with it and counts itself: only what
    /// its heartbeat claims beyond them takes something off.
    pub fn worth(&self, provider: ProviderIndex, needs: &Needs, ours: u32) -> f64 {
        self.state(provider).map_or(0.0, |state| {
            let slots = f64::from(state.offer.slots.max(1));
            let others = if self.believes(state) {
                (f64::from(state.claimed.saturating_sub(ours)) / slots).min(1.0)
            } else {
                1.0
            };
            self.worth_of(state, needs, others) - self.settings.load_weight * others
        })
    }

    fn believes(&self, state: &State) -> bool {
        state.contradictions < self.settings.most_contradictions
    }

    fn worth_of(&self, state: &State, needs: &Needs, load: f64) -> f64 {
        let usual = state.latency_secs.or(self.usual_secs).unwrap_or(0.0);
        self.settings.reward.raw(
            state.fidelity * state.reliability,
            state.offer.cost_msats(needs.tokens),
            usual * (1.0 + load),
        )
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
    if state.blocked {
        Some(Obstacle::Blocked)
    } else if needs.private && !offer.is_own_machine {
        Some(Obstacle::Privacy)
    } else if offer.skills & needs.skills != needs.skills
        || needs.role.is_some_and(|role| !offer.roles.contains(role))
    {
        Some(Obstacle::Capability)
    } else if offer.context_tokens < needs.tokens {
        Some(Obstacle::Context)
    } else if offer.cost_msats(needs.tokens) > needs.most_msats {
        Some(Obstacle::Budget)
    } else if state.held >= offer.slots {
        Some(Obstacle::Room)
    } else {
        None
    }
}

fn mixed(known: Option<f64>, new: f64, weight: f64) -> f64 {
    known.map_or(new, |known| known + weight * (new - known))
}

#[cfg(test)]
mod tests;
