//! Whatever happens, every subtask ends.

use proptest::prelude::*;

use super::*;

/// Answers, failures, departures, silence and answers that nobody judges in any order.
fn any_world() -> impl Strategy<Value = (u32, u32, Vec<u8>)> {
    (1_u32..6, 1_u32..40, proptest::collection::vec(any::<u8>(), 1..400))
}

proptest! {
    #[test]
    fn every_subtask_ends_and_no_provider_is_over_its_slots((providers, subtasks, dice) in any_world()) {
        let mut scheduler = with_providers(providers);
        let ids: Vec<_> = (0..subtasks).map(|_| scheduler.entries.add(TWO_OF_THREE)).collect();
        let mut now = Duration::ZERO;
        let mut out: Vec<(SubtaskId, AttemptId, ProviderIndex)> = Vec::new();
        let mut answers = vec![0_u32; ids.len()];
        let mut names = std::collections::HashSet::new();
        let mut dice = dice.into_iter().cycle();
        for _ in 0..2_000 {
            for action in scheduler.poll(now) {
                match action {
                    Action::Dispatch { subtask, attempt, provider, .. } => {
                        prop_assert!(!out.iter().any(|o| o.0 == subtask && o.2 == provider));
                        prop_assert!(names.insert(attempt), "{attempt:?} names two attempts");
                        out.push((subtask, attempt, provider));
                    }
                    Action::Cancel { subtask, attempt } | Action::TimedOut { subtask, attempt } => {
                        out.retain(|o| (o.0, o.1) != (subtask, attempt));
                    }
                    Action::GaveUp { .. } => {}
                }
            }
            for provider in 0..providers {
                prop_assert!(out.iter().filter(|o| o.2 == ProviderIndex(provider)).count() <= 2);
            }
            if scheduler.entries.open() == 0 {
                break;
            }
            let roll = dice.next().unwrap_or(0);
            if out.is_empty() || roll < 40 {
                now = scheduler.next_wakeup().unwrap_or(now).max(now + Duration::from_millis(100));
                continue;
            }
            let (subtask, attempt, provider) = out.swap_remove(usize::from(roll) % out.len());
            match roll {
                40..=59 => scheduler.failed(subtask, attempt, AttemptFailure::Failed, now),
                60..=69 => scheduler.failed(subtask, attempt, AttemptFailure::Busy, now),
                70..=79 => scheduler.failed(subtask, attempt, AttemptFailure::TooLate, now),
                80..=84 => {
                    scheduler.failed(subtask, attempt, AttemptFailure::Failed, now);
                    scheduler.remove_provider(provider, now);
                    scheduler.providers.upsert(provider, Capacity { workers: 1, skills: 0, venue: None, last_resort: false, most_unjudged: u32::MAX, trust: Trust::Known });
                }
                85..=89 => scheduler.failed(subtask, attempt, AttemptFailure::NoVerdict, now),
                90..=99 => {
                    if roll % 2 == 0 { scheduler.came_in(subtask, attempt) } else { scheduler.awaits_word(subtask, attempt, now) }
                    out.push((subtask, attempt, provider));
                }
                _ => {
                    let seen = &mut answers[subtask.0 as usize];
                    *seen += 1;
                    let missing = match *seen { 1 => Some(1), 2 if roll % 3 == 0 => Some(1), 3 if roll % 2 == 0 => None, _ => Some(0) };
                    scheduler.answered(subtask, attempt, missing, now);
                }
            }
        }
        // A swarm that is busy for ever keeps its subtasks waiting: the run's deadline ends them.
        scheduler.give_up_all(FailureReason::OutOfTime);
        prop_assert_eq!(scheduler.entries.open(), 0);
        for action in scheduler.poll(now) {
            if let Action::Cancel { subtask, attempt } = action {
                out.retain(|o| (o.0, o.1) != (subtask, attempt));
            }
        }
        prop_assert!(out.is_empty(), "attempts that nobody took back: {out:?}");
    }

    #[test]
    fn credit_never_brings_a_run_to_a_standstill(
        providers in 3_u32..6,
        subtasks in 1_u32..30,
        liars in 0_u32..2,
        rolls in proptest::collection::vec(any::<u16>(), 1..300),
    ) {
        let mut scheduler = Scheduler::new(SchedulerConfig::default());
        let mut released = vec![0_u32; providers as usize];
        for provider in 0..providers {
            scheduler.providers.upsert(ProviderIndex(provider), on_credit(1));
        }
        for _ in 0..subtasks {
            scheduler.entries.add(TWO_OF_THREE);
        }
        let mut out = Vec::new();
        let mut honest: Vec<Vec<ProviderIndex>> = vec![Vec::new(); subtasks as usize];
        let mut dice = rolls.into_iter().cycle();
        while scheduler.entries.open() > 0 {
            for action in scheduler.poll(Duration::ZERO) {
                match action {
                    Action::Dispatch { subtask, attempt, provider, .. } => out.push((subtask, attempt, provider)),
                    Action::Cancel { subtask, attempt } => out.retain(|o| (o.0, o.1) != (subtask, attempt)),
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            prop_assert!(!out.is_empty(), "{} subtasks wait for each other", scheduler.entries.open());
            let (subtask, attempt, provider) =
                out.swap_remove(usize::from(dice.next().unwrap_or(0)) % out.len());
            let agreeing = &mut honest[subtask.0 as usize];
            if provider.0 >= liars {
                agreeing.push(provider);
            }
            let missing = u32::from(agreeing.len() != 2);
            let paid = if missing == 0 { std::mem::take(agreeing) } else { Vec::new() };
            scheduler.answered(subtask, attempt, Some(missing), Duration::ZERO);
            for provider in paid {
                released[provider.0 as usize] += 1;
                let most = 1 << released[provider.0 as usize].min(6);
                scheduler.providers.upsert(provider, on_credit(most));
            }
        }
    }
}
