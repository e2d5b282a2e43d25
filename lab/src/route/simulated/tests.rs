//! The simulated swarm with few tasks: what holds there holds with many.

use super::cell::{Tally, run};
use super::policy::Policy;
use super::table::{Measured, rows, tables};
use super::world::Setting;
use super::{cells, plot};
use frlm_client::attack_simulation::parallel;

const SETTING: Setting = Setting { providers: 60, mix: 2, tasks: 6_000, seed: 3 };

fn all() -> Vec<(Policy, Tally)> {
    Policy::ALL.map(|policy| (policy, run(policy, &SETTING))).into()
}

fn of(all: &[(Policy, Tally)], policy: Policy) -> Tally {
    all.iter().find(|(other, _)| *other == policy).unwrap().1
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another_one() {
    for policy in [Policy::QTable, Policy::Linear, Policy::Random] {
        assert_eq!(run(policy, &SETTING), run(policy, &SETTING));
        assert_ne!(run(policy, &SETTING), run(policy, &Setting { seed: 4, ..SETTING }));
    }
}

#[test]
fn every_task_is_answered_whatever_fails_and_goes_away() {
    for (policy, tally) in all() {
        assert!(tally.failures > 0, "{}: nothing failed, so nothing was shown", policy.name());
        assert!(tally.throughput > 0.0 && tally.p95_latency_secs.is_finite());
        // The mean quality is over as many answers as there are tasks, or it could not be in range.
        assert!((0.3..0.95).contains(&tally.quality), "{}: {}", policy.name(), tally.quality);
    }
}

#[test]
fn learners_find_better_answers_for_a_sat_than_routing_by_load_alone() {
    let all = all();
    let blind = of(&all, Policy::LeastLoaded);
    for policy in [Policy::QTable, Policy::Linear] {
        let learned = of(&all, policy);
        assert!(learned.quality > blind.quality, "{}: {learned:?} against {blind:?}", policy.name());
        assert!(learned.quality_per_sat > blind.quality_per_sat, "{}", policy.name());
        assert!(learned.throughput > 0.95 * blind.throughput, "{}", policy.name());
    }
    assert!(of(&all, Policy::Matched).quality > blind.quality, "knowing the roles helps");
}

#[test]
fn all_runs_come_back_in_order_with_tables_a_plot_and_rows() {
    let cells = cells(&[20], 2, 1, 1);
    let shrunk: Vec<_> =
        cells.iter().map(|(policy, setting)| (*policy, Setting { tasks: 100, ..*setting })).collect();
    let measured = parallel::over(&shrunk, |(policy, setting)| Measured {
        policy: *policy,
        setting: *setting,
        tally: run(*policy, setting),
    })
    .unwrap();
    assert!(measured.iter().zip(&shrunk).all(|(one, cell)| (one.policy, one.setting) == *cell));
    let text = tables(&measured);
    assert_eq!(text.matches("| linucb |").count(), 2, "{text}");
    assert!(!text.contains("NaN"), "{text}");
    assert_eq!(plot::svg(&measured).matches("<polygon").count(), 5 * 9);
    assert_eq!(rows(&measured).len(), shrunk.len());
}
