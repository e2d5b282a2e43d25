//! Those who contradict each other are kept apart as long as that holds nobody up.

use std::collections::HashMap;

use super::*;

/// Three honest providers and two that are a hundred times as quick, each with a lie of its own. How many of a
/// hundred subtasks find two that agree, if the scheduler is told who contradicts whom, or is not.
fn agreed_beside_two_quick_liars(told: bool, most_unjudged: u32) -> usize {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..5 {
        let capacity = Capacity { workers: 1, most_unjudged, ..on_credit(u32::MAX) };
        scheduler.providers.upsert(ProviderIndex(provider), capacity);
    }
    for _ in 0..100 {
        scheduler.entries.add(TWO_OF_THREE);
    }
    let says = |provider: ProviderIndex| provider.0.min(2);
    let mut now = Duration::ZERO;
    let mut out: Vec<(Duration, SubtaskId, AttemptId, ProviderIndex)> = Vec::new();
    let mut answers: HashMap<SubtaskId, Vec<ProviderIndex>> = HashMap::new();
    let mut agreed = 0;
    loop {
        for (subtask, attempt, provider) in dispatched(&scheduler.poll(now)) {
            let takes = Duration::from_millis(if says(provider) < 2 { 1 } else { 100 });
            out.push((now + takes, subtask, attempt, provider));
        }
        if scheduler.entries.open() == 0 {
            return agreed;
        }
        out.sort_by_key(|(at, subtask, attempt, _)| std::cmp::Reverse((*at, *subtask, *attempt)));
        let (at, subtask, attempt, provider) = out.pop().expect("somebody is at work while anything is open");
        now = at;
        if !scheduler.entries.is_out(subtask, attempt) {
            continue;
        }
        let answered = answers.entry(subtask).or_default();
        for other in answered.iter().filter(|_| told) {
            scheduler.disagreement.compared(provider, *other, says(provider) == says(*other));
        }
        answered.push(provider);
        let honest = answered.iter().filter(|by| says(**by) == 2).count();
        let missing = match (honest, answered.len()) {
            (2.., _) => Some(0),
            (_, 3..) => None,
            _ => Some(1),
        };
        agreed += usize::from(missing == Some(0));
        scheduler.answered(subtask, attempt, missing, now);
    }
}

#[test]
fn two_quick_liars_do_not_take_the_seats_that_a_majority_needs() {
    let (told, untold) =
        (agreed_beside_two_quick_liars(true, u32::MAX), agreed_beside_two_quick_liars(false, u32::MAX));
    assert!(told >= 90, "{told} of 100");
    assert!(untold + 20 <= told, "{untold} of 100 without being told, {told} with it");
}

#[test]
fn no_subtask_waits_for_a_silent_provider_that_has_not_met_the_faulty_one() {
    // Four honest providers, a liar that is a hundred times as quick, and one whose jobs are hedged and cancelled.
    const SILENT: ProviderIndex = ProviderIndex(5);
    let says = |provider: ProviderIndex| u32::from(provider.0 == 0);
    let mut scheduler = with_providers(6);
    for _ in 0..200 {
        scheduler.entries.add(TWO_OF_THREE);
    }
    let mut now = Duration::ZERO;
    let mut out: Vec<(Duration, SubtaskId, AttemptId, ProviderIndex)> = Vec::new();
    let mut answers: HashMap<SubtaskId, Vec<ProviderIndex>> = HashMap::new();
    let mut agreed = 0;
    while scheduler.entries.open() > 0 {
        for (subtask, attempt, provider) in dispatched(&scheduler.poll(now)) {
            let takes = Duration::from_millis(if says(provider) == 1 { 1 } else { 100 });
            if provider != SILENT {
                out.push((now + takes, subtask, attempt, provider));
            }
        }
        out.sort_by_key(|(at, subtask, attempt, _)| std::cmp::Reverse((*at, *subtask, *attempt)));
        let next = out.last().map(|(at, ..)| *at);
        let woken = scheduler.next_wakeup().filter(|at| *at > now);
        let Some(at) = next.into_iter().chain(woken).min() else { break };
        now = at;
        let Some((_, subtask, attempt, provider)) = out.pop_if(|(at, ..)| *at <= now) else { continue };
        if !scheduler.entries.is_out(subtask, attempt) {
            continue;
        }
        let answered = answers.entry(subtask).or_default();
        for other in &*answered {
            scheduler.disagreement.compared(provider, *other, says(provider) == says(*other));
        }
        answered.push(provider);
        let honest = answered.iter().filter(|by| says(**by) == 0).count();
        let missing = match (honest, answered.len()) {
            (2.., _) => Some(0),
            (_, 3..) => None,
            _ => Some(1),
        };
        agreed += usize::from(missing == Some(0));
        scheduler.answered(subtask, attempt, missing, now);
    }
    assert!(agreed >= 190, "{agreed} of 200");
    assert!(
        now < Duration::from_secs(40),
        "{now:?}: what never comes is waited for once, and all of it together"
    );
}

#[test]
fn separating_disagreeing_providers_delays_nobody_when_credit_is_scarce() {
    for most_unjudged in [1, 2, 3] {
        // It ends, and somebody is always at work meanwhile.
        assert!(agreed_beside_two_quick_liars(true, most_unjudged) > 0);
    }
}

#[test]
fn who_is_at_odds_with_everybody_is_asked_where_nobody_else_is_left() {
    let mut scheduler = with_providers(3);
    for (left, right) in [(0, 1), (0, 2), (1, 2)] {
        scheduler.disagreement.compared(ProviderIndex(left), ProviderIndex(right), false);
    }
    let id = scheduler.entries.add(TWO_OF_THREE);
    let mut asked = Vec::new();
    for second in 0..3 {
        let sent = dispatched(&scheduler.poll(SECOND * second));
        asked.extend(sent.iter().map(|(_, _, provider)| *provider));
        for (_, attempt, _) in sent {
            scheduler.answered(id, attempt, Some(1), SECOND * second);
        }
    }
    asked.sort();
    assert_eq!(asked, [ProviderIndex(0), ProviderIndex(1), ProviderIndex(2)]);
}
