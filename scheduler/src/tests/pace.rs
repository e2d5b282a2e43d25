//! Slow and quick machines beside each other.

use frlm_protocol::Speed;
use proptest::prelude::*;

use super::*;

/// Half a page read, and much to write: five times what is usual.
const LONG: Needs = Needs { percent: 500, reading: Some(10), ..ONE };

/// Machines that are so many times as quick as the assumed one, and nothing known where there is no figure.
fn machines(speeds: &[Option<f64>]) -> Scheduler {
    let mut scheduler = with_providers(0);
    for (at, times) in (0..).zip(speeds) {
        scheduler.providers.upsert(ProviderIndex(at), Capacity { workers: 1, ..on_credit(u32::MAX) });
        if let Some(times) = times {
            scheduler.providers.set_speed(ProviderIndex(at), Speed::ASSUMED.times(*times));
        }
    }
    scheduler
}

/// How long the first attempt of a long subtask is waited for.
fn waited_for(known: Option<f64>) -> Duration {
    let mut scheduler = machines(&[known]);
    let id = scheduler.entries.add(LONG);
    let (_, attempt, _) = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.answer_due(id, attempt).unwrap()
}

#[test]
fn a_machine_is_waited_for_twice_as_long_as_it_takes_within_bounds() {
    let unknown = USUAL * 5;
    assert_eq!(waited_for(None), unknown);
    assert_eq!(waited_for(Some(1.0)), unknown * 2);
    assert_eq!(waited_for(Some(2.0)), unknown);
    assert_eq!(waited_for(Some(0.5)), unknown * 4);
    assert_eq!(
        waited_for(Some(0.001)),
        unknown * 4,
        "who says that it is that slow is not waited for in full"
    );
    assert_eq!(waited_for(Some(1_000.0)), USUAL, "a trip takes its time, too");
}

#[test]
fn at_short_relays_an_attempt_has_longer_and_is_doubled_later() {
    let trip = SECOND * 60;
    let ends = |with_trip: bool| {
        let mut scheduler = machines(&[None, None]);
        let id = scheduler.entries.add(LONG);
        let (_, attempt, _) = dispatched(&scheduler.poll(Duration::ZERO))[0];
        // Said after the job has left: the relay complains about what follows it.
        if with_trip {
            scheduler.set_attempt_timeout(USUAL, trip);
        }
        let (mut now, mut doubled) = (Duration::ZERO, None);
        loop {
            now += SECOND;
            let actions = scheduler.poll(now);
            if actions.iter().any(|action| matches!(action, Action::Dispatch { hedge: true, .. })) {
                doubled.get_or_insert(now);
            }
            if actions.contains(&Action::TimedOut { subtask: id, attempt }) {
                return (doubled.unwrap_or(now), now);
            }
        }
    };
    let (doubled, over) = ends(false);
    let (doubled_later, over_later) = ends(true);
    assert_eq!(over_later, over + trip);
    assert!(doubled_later >= doubled + trip, "{doubled_later:?} and {doubled:?}");
}

#[test]
fn what_a_machine_has_to_do_before_is_waited_for_too() {
    let mut scheduler = machines(&[Some(1.0)]);
    let ids = [scheduler.entries.add(LONG), scheduler.entries.add(LONG)];
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    let due = |at: usize| scheduler.answer_due(ids[at], sent[at].1).unwrap();
    assert_eq!((sent.len(), due(0), due(1)), (2, USUAL * 10, USUAL * 20));
}

#[test]
fn a_slow_machine_at_its_own_pace_is_no_straggler_and_a_late_fast_one_is() {
    let (slow, quick) = (ProviderIndex(0), ProviderIndex(1));
    let hedged_after = |whom: ProviderIndex| {
        let mut scheduler = machines(&[Some(1.0), Some(20.0)]);
        // Both have shown that they are as quick as they say: a third of what they may take.
        for _ in 0..8 {
            let id = scheduler.entries.add(LONG);
            let (_, attempt, provider) = dispatched(&scheduler.poll(Duration::ZERO))[0];
            let took = if provider == slow { USUAL * 5 / 3 } else { USUAL / 12 };
            scheduler.answered(id, attempt, Some(0), took);
        }
        let other = if whom == slow { quick } else { slow };
        let id = scheduler.entries.add(LONG);
        scheduler.entries.bar(id, other);
        let began = USUAL * 10;
        let (_, attempt, provider) = dispatched(&scheduler.poll(began))[0];
        assert_eq!(provider, whom);
        // Somebody who could be asked, too.
        scheduler.providers.upsert(ProviderIndex(2), Capacity { workers: 1, ..on_credit(u32::MAX) });
        let mut now = began;
        loop {
            now += SECOND;
            let actions = scheduler.poll(now);
            if actions.contains(&Action::TimedOut { subtask: id, attempt }) {
                return None;
            }
            if !dispatched(&actions).is_empty() {
                return Some(now.saturating_sub(began));
            }
        }
    };
    let (slow, quick) = (hedged_after(slow).unwrap(), hedged_after(quick).unwrap());
    assert!(slow > USUAL * 4, "it takes fifty seconds when all is well: {slow:?}");
    assert!(quick < USUAL / 2, "it takes two and a half: {quick:?}");
}

#[test]
fn a_machine_that_cannot_finish_in_time_is_asked_only_as_a_last_resort() {
    let total = USUAL * 4;
    let asked = |speeds: &[Option<f64>]| {
        let mut scheduler = machines(speeds);
        scheduler.config.total = total;
        for _ in 0..4 {
            scheduler.entries.add(LONG);
        }
        let sent = dispatched(&scheduler.poll(Duration::ZERO));
        sent.iter().map(|(_, _, provider)| provider.0).collect::<Vec<_>>()
    };
    // A third of 150 seconds is what its answer usually takes.
    assert_eq!(asked(&[Some(1.0), Some(20.0)]).iter().filter(|provider| **provider == 0).count(), 2);
    assert!(asked(&[Some(0.2), Some(20.0)]).iter().all(|provider| *provider == 1));
    assert_eq!(asked(&[Some(0.2)]), [0, 0], "nobody else is here");
    assert!(asked(&[Some(0.2), None]).contains(&1), "of whom nothing is known may be quick");
}

proptest! {
    #[test]
    fn no_attempt_waits_without_bound_or_less_than_a_usual_answer_takes(
        prefill in Speed::SLOWEST..Speed::QUICKEST,
        decode in Speed::SLOWEST..Speed::QUICKEST,
        percent in 100_u16..=10_000,
        reading in 0_u8..=100,
        before in 0_usize..2,
    ) {
        let mut scheduler = machines(&[None]);
        scheduler.providers.set_speed(ProviderIndex(0), Speed::new(prefill, decode).unwrap());
        let needs = Needs { percent, reading: Some(reading), ..ONE };
        let ids: Vec<_> = (0..=before).map(|_| scheduler.entries.add(needs)).collect();
        let sent = dispatched(&scheduler.poll(Duration::ZERO));
        let due = scheduler.answer_due(ids[before], sent[before].1).unwrap();
        prop_assert!(due >= USUAL, "{due:?}");
        let most = needs.scaled(USUAL) * 4 * u32::try_from(before + 1).unwrap();
        prop_assert!(due <= most, "{due:?} and {most:?}");
    }
}

/// How long two machines take for 41 subtasks that each of them answers in 400 ms, beside others that never answer, and how
/// many jobs those had.
fn beside_silent(silent: u32, trust: Trust, needs: Needs) -> (Duration, usize) {
    beside(silent, trust, needs, Duration::ZERO)
}

/// The same where the two come so much later than the others.
fn beside(silent: u32, trust: Trust, needs: Needs, later: Duration) -> (Duration, usize) {
    const TOOK: Duration = Duration::from_millis(400);
    let mut scheduler = with_providers(if later.is_zero() { 2 } else { 0 });
    let mut comes = Some(later).filter(|later| !later.is_zero());
    for provider in 0..silent {
        let capacity = Capacity { workers: 1, trust, ..on_credit(u32::MAX) };
        scheduler.providers.upsert(ProviderIndex(2 + provider), capacity);
        scheduler.providers.set_speed(ProviderIndex(2 + provider), Speed::new(4_000.0, 400.0).unwrap());
    }
    let mut missing = vec![needs.answers; 41];
    for _ in &missing {
        scheduler.entries.add(needs);
    }
    let (mut now, mut free_at, mut lost) = (Duration::ZERO, [Duration::ZERO; 2], 0);
    let mut out: Vec<(Duration, SubtaskId, AttemptId)> = Vec::new();
    while scheduler.entries.open() > 0 {
        if comes.take_if(|at| *at <= now).is_some() {
            for provider in 0..2 {
                scheduler
                    .providers
                    .upsert(ProviderIndex(provider), Capacity { workers: 1, ..on_credit(u32::MAX) });
            }
        }
        for action in scheduler.poll(now) {
            match action {
                Action::Dispatch { subtask, attempt, provider, .. } => {
                    match free_at.get_mut(provider.0 as usize) {
                        Some(free_at) => {
                            *free_at = now.max(*free_at) + TOOK;
                            out.push((*free_at, subtask, attempt));
                        }
                        None => lost += 1,
                    }
                }
                Action::Cancel { subtask, attempt } | Action::TimedOut { subtask, attempt } => {
                    out.retain(|(_, id, of)| (*id, *of) != (subtask, attempt));
                }
                Action::GaveUp { .. } => panic!("{action:?}"),
            }
        }
        let next = out.iter().min().copied();
        let wake = scheduler.next_wakeup().unwrap_or(Duration::MAX).min(comes.unwrap_or(Duration::MAX));
        match next.filter(|(at, ..)| *at <= wake) {
            Some(answer @ (at, id, attempt)) => {
                now = at;
                out.retain(|other| *other != answer);
                let missing = &mut missing[id.0 as usize];
                *missing = missing.saturating_sub(1);
                scheduler.answered(id, attempt, Some(*missing), now);
            }
            None if scheduler.entries.open() > 0 => now = wake,
            None => {}
        }
    }
    (now, lost)
}

#[test]
fn one_that_never_answers_costs_a_run_little_time_and_few_jobs() {
    for needs in [ONE, TWO_OF_THREE] {
        let (alone, _) = beside_silent(0, Trust::Known, needs);
        for silent in [1, 3] {
            let (beside, lost) = beside_silent(silent, Trust::Known, needs);
            assert!(beside <= alone + SECOND * 5, "{silent} silent ones: {beside:?} and not {alone:?}");
            assert!(lost <= 12 * silent as usize, "{lost} jobs to {silent} that answered none");
        }
    }
}

#[test]
fn a_thousand_silent_fresh_keys_cost_a_run_with_known_providers_little() {
    for needs in [ONE, TWO_OF_THREE] {
        let (alone, _) = beside_silent(0, Trust::Known, needs);
        let (beside, lost) = beside_silent(1_000, Trust::Newcomer, needs);
        assert!(beside <= alone * 2, "{beside:?} and not {alone:?}");
        assert!((1..=100).contains(&lost), "{lost} jobs to those that answered none");
    }
}

#[test]
fn known_providers_that_come_after_a_silent_crowd_do_not_wait_for_it() {
    for needs in [ONE, TWO_OF_THREE, Needs { reading: Some(20), ..ONE }] {
        let (alone, _) = beside(0, Trust::Known, needs, Duration::ZERO);
        let (beside, _) = beside(1_000, Trust::Newcomer, needs, SECOND / 2);
        assert!(beside <= alone * 2, "{beside:?} and not {alone:?}");
    }
}

#[test]
fn known_providers_that_are_busy_leave_strangers_only_their_share() {
    let mut scheduler = with_providers(2);
    for stranger in 2..100 {
        let capacity = Capacity { trust: Trust::Newcomer, ..on_credit(u32::MAX) };
        scheduler.providers.upsert(ProviderIndex(stranger), capacity);
    }
    for _ in 0..200 {
        scheduler.entries.add(ONE);
    }
    let mut to_strangers = 0;
    let mut now = Duration::ZERO;
    for _ in 0..4 {
        let sent = dispatched(&scheduler.poll(now));
        to_strangers += sent.iter().filter(|(_, _, provider)| provider.0 >= 2).count();
        for (id, attempt, _) in sent.into_iter().filter(|(_, _, provider)| provider.0 < 2) {
            scheduler.failed(id, attempt, AttemptFailure::BusyFor(SECOND), now);
        }
        now += SECOND / 4;
    }
    assert!(to_strangers <= 2 * UNPROVEN_SLOTS as usize, "{to_strangers} jobs to strangers");
}
