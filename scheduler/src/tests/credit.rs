//! Providers that take only so many jobs without a verdict.

use std::collections::{HashMap, VecDeque};

use super::*;

#[test]
fn an_answer_without_a_verdict_uses_credit() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    scheduler.providers.upsert(ProviderIndex(0), on_credit(1));
    scheduler.providers.upsert(ProviderIndex(1), on_credit(1));
    let id = scheduler.entries.add(Needs {
        answers: 2,
        replicas: 2,
        skills: 0,
        venue: None,
        ends_itself: false,
        settled_apart: false,
        percent: 100,
        reading: None,
    });
    scheduler.entries.add(ONE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.len(), 2);
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    assert!(dispatched(&scheduler.poll(SECOND)).is_empty(), "its answer waits for the other one");
    scheduler.answered(id, sent[1].1, Some(0), SECOND);
    assert_eq!(dispatched(&scheduler.poll(SECOND)).len(), 1, "both have their verdict");
}

/// Pay is released, and a credit line shrinks, after its provider was excluded or went away, too.
#[test]
fn pay_that_ends_after_its_provider_has_gone_does_not_bring_it_back() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..2 {
        scheduler.providers.upsert(ProviderIndex(provider), on_credit(1));
    }
    scheduler.remove_provider(ProviderIndex(0), SECOND);
    scheduler.providers.change_capacity(ProviderIndex(0), on_credit(2));
    scheduler.providers.change_capacity(ProviderIndex(1), on_credit(2));
    scheduler.providers.change_capacity(ProviderIndex(2), on_credit(2));
    assert_eq!(scheduler.providers.here(), 1);
    for _ in 0..4 {
        scheduler.entries.add(ONE);
    }
    let sent = dispatched(&scheduler.poll(SECOND));
    assert_eq!(sent.iter().map(|sent| sent.2).collect::<Vec<_>>(), [ProviderIndex(1); 2], "as it takes now");
    scheduler.providers.upsert(ProviderIndex(0), on_credit(2));
    assert_eq!(dispatched(&scheduler.poll(SECOND)).len(), 2, "who comes back is asked");
}

#[test]
fn the_provider_that_a_dispute_may_need_is_left_to_it() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..3 {
        scheduler.providers.upsert(ProviderIndex(provider), on_credit(1));
    }
    let disputed = scheduler.entries.add(TWO_OF_THREE);
    let next = scheduler.entries.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.iter().map(|sent| sent.0).collect::<Vec<_>>(), [disputed, disputed]);
    scheduler.answered(disputed, sent[0].1, Some(1), SECOND);
    scheduler.answered(disputed, sent[1].1, Some(1), SECOND);
    let third = dispatched(&scheduler.poll(SECOND));
    assert_eq!(third.iter().map(|sent| sent.0).collect::<Vec<_>>(), [disputed]);
    scheduler.answered(disputed, third[0].1, Some(0), SECOND);
    assert_eq!(dispatched(&scheduler.poll(SECOND)).len(), 2);
    assert!(scheduler.entries.is_open(next));
}

/// Answers what was asked longest ago until nothing is open, all of it honestly; each verdict doubles
/// the credit of those it pays. Returns how often each provider was paid.
fn work_through(scheduler: &mut Scheduler, providers: u32) -> Vec<u32> {
    let mut paid = vec![0_u32; providers as usize];
    let mut out = VecDeque::new();
    let mut agreeing: HashMap<SubtaskId, Vec<ProviderIndex>> = HashMap::new();
    while scheduler.entries.open() > 0 {
        out.extend(dispatched(&scheduler.poll(Duration::ZERO)));
        let (subtask, attempt, provider) = out.pop_front().expect("somebody is always at work");
        let agreeing = agreeing.entry(subtask).or_default();
        agreeing.push(provider);
        let done = agreeing.len() == 2;
        scheduler.answered(subtask, attempt, Some(u32::from(!done)), Duration::ZERO);
        for provider in agreeing.drain(..if done { 2 } else { 0 }) {
            paid[provider.0 as usize] += 1;
            let credit = 1 << paid[provider.0 as usize].min(6);
            scheduler.providers.upsert(provider, on_credit(credit));
        }
    }
    paid
}

#[test]
fn nobody_is_kept_in_reserve_for_ever() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..3 {
        scheduler.providers.upsert(ProviderIndex(provider), on_credit(1));
    }
    for _ in 0..60 {
        scheduler.entries.add(TWO_OF_THREE);
    }
    let paid = work_through(&mut scheduler, 3);
    assert_eq!(paid.iter().sum::<u32>(), 120);
    assert!(paid.iter().all(|paid| *paid >= 20), "{paid:?}");
}

/// Readings whose claims two others must review, each of whom reads as well: how many are settled before nothing happens
/// any more, by how many providers a reading says that it takes.
fn settled_readings(providers: u32, readings: u32, replicas: u32) -> u32 {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..providers {
        scheduler.providers.upsert(ProviderIndex(provider), on_credit(1));
    }
    let reading = Needs {
        answers: 1,
        replicas,
        skills: 0,
        venue: None,
        ends_itself: false,
        settled_apart: true,
        percent: 100,
        reading: None,
    };
    let review = Needs { replicas: 1, ends_itself: true, ..reading };
    for _ in 0..readings {
        scheduler.entries.add(reading);
    }
    // By reading: its attempt, and who has read or reviewed it. By review: whose it is.
    let mut read: HashMap<SubtaskId, (AttemptId, Vec<ProviderIndex>)> = HashMap::new();
    let mut reviews: HashMap<SubtaskId, SubtaskId> = HashMap::new();
    let (mut now, mut settled) = (Duration::ZERO, 0);
    loop {
        now += SECOND / 10;
        let sent = dispatched(&scheduler.poll(now));
        if sent.is_empty() {
            return settled;
        }
        for (id, attempt, provider) in sent {
            let of = reviews.get(&id).copied().unwrap_or(id);
            if of == id {
                scheduler.is_reviewed(id, attempt, now);
            } else {
                scheduler.answered(id, attempt, Some(0), now);
            }
            let (first, seen_by) = read.entry(of).or_insert_with(|| (attempt, Vec::new()));
            seen_by.push(provider);
            if seen_by.len() == 3 {
                scheduler.answered(of, *first, Some(0), now);
                settled += 1;
                continue;
            }
            let next = scheduler.entries.add(review);
            for provider in &*seen_by {
                scheduler.entries.bar(next, *provider);
            }
            reviews.insert(next, of);
        }
    }
}

#[test]
fn readings_never_hold_the_credit_of_each_others_reviewers() {
    for providers in 3..6 {
        assert_eq!(settled_readings(providers, 8, 4), 8, "{providers}");
    }
    assert!(
        settled_readings(3, 8, 2) < 8,
        "where reviewers are not counted, two readings wait for each other"
    );
}
