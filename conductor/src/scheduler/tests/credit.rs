//! Providers that take only so many jobs without a verdict.

use std::collections::{HashMap, VecDeque};

use super::*;

#[test]
fn an_answer_without_a_verdict_uses_credit() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    scheduler.upsert_provider(ProviderIndex(0), on_credit(1));
    scheduler.upsert_provider(ProviderIndex(1), on_credit(1));
    let id =
        scheduler.add(Needs { answers: 2, replicas: 2, skills: 0, ends_itself: false, settled_apart: false });
    scheduler.add(ONE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.len(), 2);
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    assert!(dispatched(&scheduler.poll(SECOND)).is_empty(), "its answer waits for the other one");
    scheduler.answered(id, sent[1].1, Some(0), SECOND);
    assert_eq!(dispatched(&scheduler.poll(SECOND)).len(), 1, "both have their verdict");
}

/// Pay is released, and a tab shrinks, after its provider was left out or went away, too.
#[test]
fn pay_that_ends_after_its_provider_has_gone_does_not_bring_it_back() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..2 {
        scheduler.upsert_provider(ProviderIndex(provider), on_credit(1));
    }
    scheduler.remove_provider(ProviderIndex(0), SECOND);
    scheduler.change_capacity(ProviderIndex(0), on_credit(2));
    scheduler.change_capacity(ProviderIndex(1), on_credit(2));
    scheduler.change_capacity(ProviderIndex(2), on_credit(2));
    assert_eq!(scheduler.capable_providers(0), 1);
    for _ in 0..4 {
        scheduler.add(ONE);
    }
    let sent = dispatched(&scheduler.poll(SECOND));
    assert_eq!(sent.iter().map(|sent| sent.2).collect::<Vec<_>>(), [ProviderIndex(1); 2], "as it takes now");
    scheduler.upsert_provider(ProviderIndex(0), on_credit(2));
    assert_eq!(dispatched(&scheduler.poll(SECOND)).len(), 2, "who comes back is asked");
}

#[test]
fn the_provider_that_a_dispute_may_need_is_left_to_it() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..3 {
        scheduler.upsert_provider(ProviderIndex(provider), on_credit(1));
    }
    let disputed = scheduler.add(TWO_OF_THREE);
    let next = scheduler.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.iter().map(|sent| sent.0).collect::<Vec<_>>(), [disputed, disputed]);
    scheduler.answered(disputed, sent[0].1, Some(1), SECOND);
    scheduler.answered(disputed, sent[1].1, Some(1), SECOND);
    let third = dispatched(&scheduler.poll(SECOND));
    assert_eq!(third.iter().map(|sent| sent.0).collect::<Vec<_>>(), [disputed]);
    scheduler.answered(disputed, third[0].1, Some(0), SECOND);
    assert_eq!(dispatched(&scheduler.poll(SECOND)).len(), 2);
    assert!(scheduler.is_open(next));
}

/// Answers what was asked longest ago until nothing is open, all of it honestly; each verdict doubles
/// the credit of those it pays. Returns how often each provider was paid.
fn work_through(scheduler: &mut Scheduler, providers: u32) -> Vec<u32> {
    let mut paid = vec![0_u32; providers as usize];
    let mut out = VecDeque::new();
    let mut agreeing: HashMap<SubtaskId, Vec<ProviderIndex>> = HashMap::new();
    while scheduler.open() > 0 {
        out.extend(dispatched(&scheduler.poll(Duration::ZERO)));
        let (subtask, attempt, provider) = out.pop_front().expect("somebody is always at work");
        let agreeing = agreeing.entry(subtask).or_default();
        agreeing.push(provider);
        let done = agreeing.len() == 2;
        scheduler.answered(subtask, attempt, Some(u32::from(!done)), Duration::ZERO);
        for provider in agreeing.drain(..if done { 2 } else { 0 }) {
            paid[provider.0 as usize] += 1;
            let credit = 1 << paid[provider.0 as usize].min(6);
            scheduler.upsert_provider(provider, on_credit(credit));
        }
    }
    paid
}

#[test]
fn nobody_is_kept_in_reserve_for_ever() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..3 {
        scheduler.upsert_provider(ProviderIndex(provider), on_credit(1));
    }
    for _ in 0..60 {
        scheduler.add(TWO_OF_THREE);
    }
    let paid = work_through(&mut scheduler, 3);
    assert_eq!(paid.iter().sum::<u32>(), 120);
    assert!(paid.iter().all(|paid| *paid >= 20), "{paid:?}");
}
