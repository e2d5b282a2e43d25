//! What the providers of a venue promise (design.md, section 1, "route").
//!
//! More is promised by who is faithful and reliable, less by who is dear and slow: they are weighed as the reward weighs them, and
//! load is taken off. Load has two sources that are kept apart: what *we* have with a provider, which the caller counts, and
//! the queue that its heartbeat *claims*. A claim can only make a provider look busier than we know it is. One whose claims of
//! room are contradicted by refusals is not believed any more and counts as busy.
//!
//! Which provider is asked the scheduler decides, and hard constraints come first there: skills, room and credit.

use frlm_learning::routing::RewardSettings;
use frlm_scheduler::ProviderIndex;

/// What a full queue takes off, as the load penalty of roles does at most.
const LOAD_WEIGHT: f64 = 0.20;
/// How much a new observation of time or failure counts, 0..=1.
const NEWEST_WEIGHT: f64 = 0.1;
/// Contradicted claims of room after which heartbeats are not believed.
const MOST_CONTRADICTIONS: u8 = 3;

/// What a provider asks, and takes. Claims, all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Millisats per 1,000 tokens read or written.
    pub price_msats_per_1k: u64,
    /// Jobs that it may be given at once, waiting ones included.
    pub slots: u32,
}

impl Terms {
    /// What so many tokens cost, rounded up, so that a budget is never exceeded by a fraction.
    pub fn cost_msats(self, tokens: u32) -> u64 {
        self.price_msats_per_1k.saturating_mul(u64::from(tokens)).div_ceil(1_000)
    }
}

#[derive(Debug, Clone, Copy)]
struct Known {
    terms: Terms,
    /// What the verifier's records say, 0..=1.
    fidelity: f64,
    /// Share of its jobs that came to an answer, newest counting most, 0..=1.
    reliability: f64,
    /// Time from sending to answer, newest counting most; `None` before the first.
    latency_secs: Option<f64>,
    /// Jobs that wait there, by its own word.
    claimed: u32,
    contradictions: u8,
}

/// What is known of providers, by the caller's index; of who goes away it is kept.
#[derive(Debug, Clone, Default)]
pub struct ProviderWorth {
    /// What price and time take off.
    reward: RewardSettings,
    known: Vec<Option<Known>>,
    /// Time of all answers, newest counting most: what a newcomer is expected to take.
    usual_secs: Option<f64>,
}

impl ProviderWorth {
    /// Nobody yet.
    pub fn new(reward: RewardSettings) -> Self {
        Self { reward, ..Self::default() }
    }

    /// A provider came, came back, or changed its terms. What was learned of it is kept.
    pub fn upsert(&mut self, provider: ProviderIndex, terms: Terms) {
        let at = provider.0 as usize;
        if self.known.len() <= at {
            self.known.resize(at + 1, None);
        }
        match &mut self.known[at] {
            Some(known) => known.terms = terms,
            empty => {
                *empty = Some(Known {
                    terms,
                    fidelity: 0.5,
                    reliability: 1.0,
                    latency_secs: None,
                    claimed: 0,
                    contradictions: 0,
                });
            }
        }
    }

    /// What the verifier's records say of it, 0..=1.
    pub fn set_fidelity(&mut self, provider: ProviderIndex, fidelity: f64) {
        if let Some(known) = self.known_mut(provider) {
            known.fidelity = if fidelity.is_finite() { fidelity.clamp(0.0, 1.0) } else { 0.0 };
        }
    }

    /// How many jobs wait there, by its own word.
    pub fn heartbeat(&mut self, provider: ProviderIndex, queue_length: u32) {
        if let Some(known) = self.known_mut(provider) {
            known.claimed = queue_length;
        }
    }

    /// A job came back with an answer after so long.
    pub fn answered(&mut self, provider: ProviderIndex, latency_secs: f64) {
        if !latency_secs.is_finite() || latency_secs < 0.0 {
            return;
        }
        self.usual_secs = Some(mixed(self.usual_secs, latency_secs));
        if let Some(known) = self.known_mut(provider) {
            known.latency_secs = Some(mixed(known.latency_secs, latency_secs));
            known.reliability = mixed(Some(known.reliability), 1.0);
        }
    }

    /// A job came to nothing.
    pub fn failed(&mut self, provider: ProviderIndex) {
        if let Some(known) = self.known_mut(provider) {
            known.reliability = mixed(Some(known.reliability), 0.0);
        }
    }

    /// A job was refused for want of room. If the heartbeat had claimed room, it was wrong.
    pub fn refused(&mut self, provider: ProviderIndex) {
        if let Some(known) = self.known_mut(provider).filter(|known| known.claimed < known.terms.slots) {
            known.contradictions = known.contradictions.saturating_add(1);
        }
    }

    /// What a provider promises for so many tokens apart from the jobs that the caller has with it and counts itself (`ours`):
    /// only what its heartbeat claims beyond them takes something off. 1 is a certain answer at once for nothing.
    pub fn worth(&self, provider: ProviderIndex, tokens: u32, ours: u32) -> f64 {
        self.at(provider, tokens, |slots, claimed| {
            claimed.map_or(1.0, |claimed| (f64::from(claimed.saturating_sub(ours)) / slots).min(1.0))
        })
    }

    /// The worth at a load, which follows from the slots and from what the heartbeat claims, if the provider is trusted so far.
    pub fn at(&self, provider: ProviderIndex, tokens: u32, load: impl Fn(f64, Option<u32>) -> f64) -> f64 {
        let Some(known) = self.known.get(provider.0 as usize).and_then(Option::as_ref) else { return 0.0 };
        let is_believed = known.contradictions < MOST_CONTRADICTIONS;
        let load = load(f64::from(known.terms.slots.max(1)), is_believed.then_some(known.claimed));
        let usual = known.latency_secs.or(self.usual_secs).unwrap_or(0.0);
        let (worth, cost) = (known.fidelity * known.reliability, known.terms.cost_msats(tokens));
        let raw = self.reward.raw(worth, cost, usual * (1.0 + load));
        raw - LOAD_WEIGHT * load.min(1.0)
    }

    fn known_mut(&mut self, provider: ProviderIndex) -> Option<&mut Known> {
        self.known.get_mut(provider.0 as usize)?.as_mut()
    }
}

fn mixed(known: Option<f64>, new: f64) -> f64 {
    known.map_or(new, |known| known + NEWEST_WEIGHT * (new - known))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: Terms = Terms { price_msats_per_1k: 1_000, slots: 4 };
    const TOKENS: u32 = 1_000;

    fn of(terms: impl IntoIterator<Item = Terms>) -> ProviderWorth {
        let mut worth = ProviderWorth::default();
        (0..).zip(terms).for_each(|(at, terms)| worth.upsert(ProviderIndex(at), terms));
        worth
    }

    fn first_is_worth_more(worth: &ProviderWorth) -> bool {
        worth.worth(ProviderIndex(0), TOKENS, 0) > worth.worth(ProviderIndex(1), TOKENS, 0)
    }

    #[test]
    fn the_more_faithful_cheaper_faster_or_more_reliable_is_worth_more() {
        let mut faithful = of([TERMS; 2]);
        faithful.set_fidelity(ProviderIndex(0), 0.9);
        assert!(first_is_worth_more(&faithful));
        assert!(first_is_worth_more(&of([Terms { price_msats_per_1k: 100, ..TERMS }, TERMS])));
        let mut faster = of([TERMS; 2]);
        faster.answered(ProviderIndex(0), 0.5);
        faster.answered(ProviderIndex(1), 4.0);
        assert!(first_is_worth_more(&faster));
        let mut reliable = of([TERMS; 2]);
        reliable.failed(ProviderIndex(1));
        assert!(first_is_worth_more(&reliable));
        assert!(!first_is_worth_more(&of([TERMS; 2])), "equals are equal");
    }

    #[test]
    fn the_price_is_rounded_up() {
        assert_eq!((TERMS.cost_msats(1_000), TERMS.cost_msats(1)), (1_000, 1));
        assert_eq!(Terms { price_msats_per_1k: 1, ..TERMS }.cost_msats(1_001), 2);
    }

    #[test]
    fn what_a_caller_counts_itself_is_not_taken_off_twice() {
        let (mut worth, one) = (of([TERMS]), ProviderIndex(0));
        let idle = worth.worth(one, TOKENS, 0);
        worth.heartbeat(one, 2);
        assert!(worth.worth(one, TOKENS, 0) < idle, "others' jobs wait there");
        assert!((worth.worth(one, TOKENS, 2) - idle).abs() < 1e-12, "the two that wait are the caller's");
        worth.heartbeat(one, 0);
        (0..3).for_each(|_| worth.refused(one));
        assert!(worth.worth(one, TOKENS, 0) < idle - 0.19, "it counts as full");
    }

    #[test]
    fn a_heartbeat_that_lies_is_not_believed_after_three_refusals() {
        let (mut worth, one) = (of([TERMS]), ProviderIndex(0));
        let idle = worth.worth(one, TOKENS, 0);
        for refusals in 1..=3 {
            worth.heartbeat(one, 0);
            worth.refused(one);
            assert_eq!((worth.worth(one, TOKENS, 0) - idle).abs() < 1e-12, refusals < 3);
        }
        let mut honest = of([TERMS]);
        honest.heartbeat(one, 4);
        (0..5).for_each(|_| honest.refused(one));
        honest.heartbeat(one, 0);
        assert!(
            (honest.worth(one, TOKENS, 0) - idle).abs() < 1e-12,
            "a refusal that the heartbeat foretold is no lie"
        );
    }
}
