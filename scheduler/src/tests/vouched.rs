//! Providers that somebody vouches for, in a crowd of fresh keys.

use super::*;

/// A crowd of keys of whom nothing is known, and behind them one more.
fn beside_a_crowd(trust: Trust, seed: u64) -> Scheduler {
    let config = SchedulerConfig { by_trust: true, seed, ..SchedulerConfig::default() };
    let mut scheduler = Scheduler::new(config);
    for provider in 0..200 {
        let trust = if provider == 199 { trust } else { Trust::Newcomer };
        scheduler.providers.upsert(ProviderIndex(provider), Capacity { trust, ..on_credit(u32::MAX) });
    }
    scheduler
}

/// Of how many runs it gets the first job, of a hundred.
fn first_jobs(trust: Trust) -> usize {
    let asked_first = |seed: &u64| {
        let mut scheduler = beside_a_crowd(trust, *seed);
        scheduler.entries.add(ONE);
        dispatched(&scheduler.poll(Duration::ZERO))[0].2 == ProviderIndex(199)
    };
    (0..100).filter(asked_first).count()
}

#[test]
fn a_vouched_one_is_found_in_a_crowd_and_newcomers_have_their_lot() {
    let vouched = first_jobs(Trust::Vouched);
    assert!((70..=97).contains(&vouched), "{vouched} of 100 jobs");
    let worked = first_jobs(Trust::Worked);
    assert!((70..=97).contains(&worked), "{worked} of 100 jobs with work");
    let unknown = first_jobs(Trust::Newcomer);
    assert!(unknown <= 5, "{unknown} of 100 jobs without that");
}

#[test]
fn one_that_is_vouched_for_goes_before_one_with_work() {
    let mut scheduler = beside_a_crowd(Trust::Vouched, 3);
    let worked = Capacity { trust: Trust::Worked, ..on_credit(u32::MAX) };
    scheduler.providers.upsert(ProviderIndex(7), worked);
    for _ in 0..8 {
        scheduler.entries.add(ONE);
    }
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    let of = |index| sent.iter().filter(|(.., provider)| *provider == ProviderIndex(index)).count();
    assert!(of(199) > of(7), "{sent:?}");
}

#[test]
fn one_that_is_vouched_for_is_believed_as_a_newcomer() {
    let mut scheduler = beside_a_crowd(Trust::Vouched, 1);
    let id = scheduler.entries.add(ONE);
    assert!(!scheduler.reach(id).known, "nobody has a record");
}
