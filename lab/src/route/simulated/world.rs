//! The simulated swarm: who is there, what they are good at, what arrives when. No transport, no inference.
//!
//! All figures here are assumptions, and the same for every way of routing.

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use frlm_client::attack_simulation::world::mix;

/// Task types, and as many roles.
pub const TYPES: usize = 4;
/// Task types in order.
pub const TYPE_NAMES: [&str; TYPES] = ["analysis", "coding", "research", "validation"];
/// Roles in order: the one at the same place suits a task type best.
pub const ROLE_NAMES: [&str; TYPES] = ["analyst", "coder", "researcher", "validator"];
/// Venues: dear and quick endpoints, cheap and slower peers.
pub const VENUE_NAMES: [&str; 2] = ["endpoint", "swarm"];
/// Jobs that a provider may be given at once: one that runs and one that waits.
pub const SLOTS: u32 = 2;
/// A job whose provider went away is noticed after this long.
pub const NOTICED_SECS: f64 = 2.0;

/// Mixes of task types.
pub const MIXES: [&str; 10] = [
    "even",
    "mostly analysis",
    "mostly coding",
    "mostly research",
    "mostly validation",
    "analysis and coding",
    "research and validation",
    "only coding",
    "in turns",
    "coding swells",
];

/// What the quality of a role is for a type: best at its own, fair at its neighbour's.
pub fn fit(role: usize, task_type: usize) -> f64 {
    // Analysts and researchers understand each other's work, coders and validators too.
    let neighbour = [2, 3, 0, 1];
    if role == task_type {
        0.92
    } else if neighbour.get(task_type) == Some(&role) {
        0.75
    } else {
        0.55
    }
}

/// Shares of the task types at a moment of the run, 0..=1.
pub fn shares(mix: usize, moment: f64) -> [f64; TYPES] {
    let mostly = |favourite: usize, share: f64| {
        let mut shares = [(1.0 - share) / 3.0; TYPES];
        shares[favourite] = share;
        shares
    };
    match mix {
        1..=4 => mostly(mix - 1, 0.7),
        5 => [0.45, 0.45, 0.05, 0.05],
        6 => [0.05, 0.05, 0.45, 0.45],
        7 => mostly(1, 1.0),
        8 => mostly(
            if moment < 0.25 {
                0
            } else if moment < 0.5 {
                1
            } else if moment < 0.75 {
                2
            } else {
                3
            },
            0.8,
        ),
        9 => mostly(1, 0.1 + 0.7 * moment.clamp(0.0, 1.0)),
        _ => [0.25; TYPES],
    }
}

/// A provider and what is really behind it.
#[derive(Debug, Clone)]
pub struct Provider {
    /// The role that it takes on.
    pub role: usize,
    /// Where it is.
    pub venue: usize,
    /// How long a job takes it on average.
    pub service_secs: f64,
    /// What a job costs.
    pub price_msats: u64,
    /// What it makes of a role's quality, 0..=1.
    pub skill: f64,
    /// How often a job comes to nothing, 0..=1.
    pub failure_rate: f64,
    /// Away from when to when, in seconds.
    pub away: Option<(f64, f64)>,
    /// From then on it takes ten times as long.
    pub slows_at_secs: Option<f64>,
}

/// A task.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// When it arrives.
    pub at_secs: f64,
    /// Of which type it is.
    pub task_type: usize,
}

/// What is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// How many providers.
    pub providers: usize,
    /// Which of [`MIXES`].
    pub mix: usize,
    /// How many tasks.
    pub tasks: usize,
    /// Makes the world.
    pub seed: u64,
}

/// Providers and tasks.
#[derive(Debug)]
pub struct World {
    /// In order.
    pub providers: Vec<Provider>,
    /// By arrival.
    pub tasks: Vec<Task>,
    /// From this place on, all tasks arrive at once.
    pub backlog_from: usize,
}

/// Share of what all providers could do that arrives, outside bursts and in them.
const CALM_LOAD: f64 = 0.6;
const BURST_LOAD: f64 = 1.6;
/// Bursts, and the share of the time that they take.
const BURSTS: f64 = 3.0;
const BURST_SHARE: f64 = 0.2;
/// One task in so many comes at the end, with the others of its kind, all at once.
const BACKLOG_PART: usize = 4;

impl World {
    /// Draws a world; the same one for the same setting.
    pub fn draw(setting: &Setting) -> Self {
        let mut lot = SmallRng::seed_from_u64(mix(setting.seed, setting.providers as u64));
        let mut providers: Vec<Provider> =
            (0..setting.providers).map(|number| Provider::draw(number, &mut lot)).collect();
        let capacity: f64 = providers.iter().map(|provider| 1.0 / provider.service_secs).sum();
        let mean_load = CALM_LOAD * (1.0 - BURST_SHARE) + BURST_LOAD * BURST_SHARE;
        let backlog_from = setting.tasks - setting.tasks / BACKLOG_PART;
        let horizon_secs = backlog_from as f64 / (capacity * mean_load);
        // The quickest of all becomes the slowest: everybody has learned to like it by then.
        let quickest = (0..providers.len())
            .min_by(|one, other| providers[*one].service_secs.total_cmp(&providers[*other].service_secs));
        if let Some(provider) = quickest.and_then(|at| providers.get_mut(at)) {
            provider.slows_at_secs = Some(0.4 * horizon_secs);
        }
        for provider in providers.iter_mut().filter(|provider| provider.venue == 1) {
            if lot.random_bool(0.2) {
                provider.away = Some((0.6 * horizon_secs, 0.7 * horizon_secs));
            }
        }
        let mut tasks = Vec::with_capacity(setting.tasks);
        let mut at_secs = 0.0;
        for number in 0..setting.tasks {
            let moment = at_secs / horizon_secs;
            let in_burst = (moment * BURSTS).fract() < BURST_SHARE;
            let rate = capacity * if in_burst { BURST_LOAD } else { CALM_LOAD };
            if number < backlog_from {
                at_secs += -(1.0 - lot.random::<f64>()).ln() / rate;
            }
            tasks.push(Task { at_secs, task_type: drawn(shares(setting.mix, moment), &mut lot) });
        }
        Self { providers, tasks, backlog_from }
    }
}

impl Provider {
    /// One in five is an endpoint; roles go round within each venue.
    fn draw(number: usize, lot: &mut SmallRng) -> Self {
        let endpoint = number % 5 == 4;
        let role = if endpoint { number / 5 % TYPES } else { (number - number / 5) % TYPES };
        let (service, price, skill) = if endpoint {
            (0.6..1.2, 8_000..=12_000, 0.95..1.0)
        } else {
            (1.0..4.0, 1_000..=4_000, 0.75..1.0)
        };
        let unreliable = !endpoint && lot.random_bool(0.05);
        Self {
            role,
            venue: usize::from(!endpoint),
            service_secs: lot.random_range(service),
            price_msats: lot.random_range(price),
            skill: lot.random_range(skill),
            failure_rate: if unreliable { 0.25 } else { lot.random_range(0.01..0.05) },
            away: None,
            slows_at_secs: None,
        }
    }
}

/// A place drawn by its share.
fn drawn(shares: [f64; TYPES], lot: &mut SmallRng) -> usize {
    let mut left = lot.random::<f64>();
    for (at, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return at;
        }
    }
    TYPES - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTING: Setting = Setting { providers: 100, mix: 0, tasks: 4_000, seed: 1 };

    #[test]
    fn every_mix_adds_up_at_every_moment() {
        for (mix, name) in MIXES.iter().enumerate() {
            for moment in [0.0, 0.3, 0.6, 1.0] {
                assert!((shares(mix, moment).iter().sum::<f64>() - 1.0).abs() < 1e-9, "{name}");
            }
        }
    }

    #[test]
    fn both_venues_have_every_role_and_one_provider_slows_down() {
        let world = World::draw(&Setting { providers: 20, ..SETTING });
        for venue in 0..VENUE_NAMES.len() {
            for role in 0..TYPES {
                assert!(world.providers.iter().any(|one| (one.venue, one.role) == (venue, role)));
            }
        }
        assert_eq!(world.providers.iter().filter(|one| one.slows_at_secs.is_some()).count(), 1);
    }

    #[test]
    fn tasks_come_in_bursts_and_more_than_the_swarm_can_do_in_them() {
        let world = World::draw(&SETTING);
        let capacity: f64 = world.providers.iter().map(|one| 1.0 / one.service_secs).sum();
        let (arriving, backlog) = world.tasks.split_at(world.backlog_from);
        let end = backlog[0].at_secs;
        assert!(backlog.len() == 1_000 && backlog.iter().all(|task| task.at_secs <= end));
        let rate = |from: f64, to: f64| {
            let inside = |task: &&Task| (from * end..to * end).contains(&task.at_secs);
            arriving.iter().filter(inside).count() as f64 / ((to - from) * end)
        };
        assert!(rate(0.0, 0.05) > 1.2 * capacity);
        assert!(rate(0.1, 0.3) < 0.8 * capacity);
    }
}
