//! Time and memory of a routing decision among ten thousand live providers (design.md, section 1,
//! "route"): role and venue by the learner, then a provider by hard constraints and two choices.

use std::time::{Duration, Instant};

use frlm_conductor::route::Terms;
use frlm_learning::routing::space::Space;
use frlm_learning::routing::{Availability, Learner, LoadSettings, Mode, RoleId, Router, TaskType};
use frlm_scheduler::ProviderIndex;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;

use super::constraints::{Needs, Offer, RoleSet};
use super::providers::Providers;

const PROVIDERS: u32 = 10_000;
const DECISIONS: u32 = 2_000;
/// What a decision may take.
const ALLOWED: Duration = Duration::from_millis(1);

/// Prints the table: the time of the 99th decision in a hundred, and the slowest.
pub fn run() {
    let before = memory_stats::memory_stats().map(|stats| stats.physical_mem);
    let everybody = providers(|_| 4);
    let after = memory_stats::memory_stats().map(|stats| stats.physical_mem);
    println!("| decision among {PROVIDERS} providers | p50 | p99 | slowest | at p99 allowed {ALLOWED:?} |");
    println!("| --- | --- | --- | --- | --- |");
    // One in two thousand has room: the draws find nobody, and everybody is looked at.
    let crowded = providers(|at| if at % 2_000 == 1 { 4 } else { 0 });
    for (learner, name) in
        [(Learner::linear as fn(&Space) -> Learner, "linucb"), (Learner::q_table, "q-table")]
    {
        for (providers, how) in [(&everybody, "all with room"), (&crowded, "5 with room")] {
            row(&format!("{name}, {how}"), learner, providers);
        }
    }
    if let (Some(before), Some(after)) = (before, after) {
        let each = after.saturating_sub(before) as f64 / f64::from(PROVIDERS);
        println!("memory per provider: {each:.0} B by which the process grew");
    }
}

fn row(name: &str, learner: fn(&Space) -> Learner, providers: &Providers) {
    let mut times = decisions(learner, providers);
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    let slowest = times.last().copied().unwrap_or_default();
    let reached = if at(99) <= ALLOWED { "reached" } else { "missed" };
    println!("| {name} | {:?} | {:?} | {slowest:?} | {reached} |", at(50), at(99));
}

fn decisions(learner: fn(&Space) -> Learner, providers: &Providers) -> Vec<Duration> {
    let space = Space::seed();
    let available = Availability::all(&space);
    let mut router = Router::new(space.clone(), learner(&space), LoadSettings::default());
    let mut lot = SmallRng::seed_from_u64(1);
    let types = u32::try_from(space.task_types().len()).unwrap_or(1);
    (0..DECISIONS)
        .map(|number| {
            let task_type = TaskType(u16::try_from(number % types).unwrap_or(0));
            let began = Instant::now();
            let decision = router.decide(task_type, &available, None, Mode::Greedy, &mut lot);
            let Ok(decision) = decision else { return began.elapsed() };
            let needs = Needs {
                role: Some(decision.role),
                skills: 1,
                tokens: 2_000,
                most_msats: 10_000,
                private: false,
            };
            let picked = providers.pick(&needs, |_| true, &mut lot);
            let took = began.elapsed();
            let accounted = router.account(decision.role);
            router.learn(&decision, accounted, if picked.is_ok() { 0.7 } else { 0.0 }, None);
            took
        })
        .collect()
}

fn providers(slots: impl Fn(u32) -> u32) -> Providers {
    let mut providers = Providers::default();
    for at in 0..PROVIDERS {
        let offer = Offer {
            roles: RoleSet::of((0..4).map(RoleId)),
            skills: 1,
            context_tokens: 8_192,
            terms: Terms { price_msats_per_1k: u64::from(at % 4_000), slots: slots(at) },
            is_own_machine: false,
        };
        providers.upsert(ProviderIndex(at), offer);
        providers.set_fidelity(ProviderIndex(at), f64::from(at % 100) / 100.0);
    }
    providers
}
