//! A small simulated swarm drives the scheduler.

mod choice;
mod credit;
mod disagreement;
mod pace;
mod properties;
mod vouched;

use super::providers::BUSY_PAUSE;
use super::*;

const SECOND: Duration = Duration::from_secs(1);
const ONE: Needs = Needs {
    answers: 1,
    replicas: 1,
    skills: 0,
    venue: None,
    ends_itself: false,
    settled_apart: false,
    percent: 100,
    reading: None,
};
const TWO_OF_THREE: Needs = Needs {
    answers: 2,
    replicas: 3,
    skills: 0,
    venue: None,
    ends_itself: false,
    settled_apart: false,
    percent: 100,
    reading: None,
};

fn with_providers(count: u32) -> Scheduler {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..count {
        scheduler.providers.upsert(
            ProviderIndex(provider),
            Capacity {
                workers: 1,
                skills: 0,
                venue: None,
                last_resort: false,
                most_unjudged: u32::MAX,
                trust: Trust::Known,
            },
        );
    }
    scheduler
}

fn dispatched(actions: &[Action]) -> Vec<(SubtaskId, AttemptId, ProviderIndex)> {
    actions
        .iter()
        .filter_map(|action| match *action {
            Action::Dispatch { subtask, attempt, provider, .. } => Some((subtask, attempt, provider)),
            _ => None,
        })
        .collect()
}

/// A provider that takes only so many jobs without a verdict.
fn on_credit(most_unjudged: u32) -> Capacity {
    Capacity { workers: 4, skills: 0, venue: None, last_resort: false, most_unjudged, trust: Trust::Known }
}

#[test]
fn replicas_of_one_subtask_go_to_distinct_providers() {
    let mut scheduler = with_providers(3);
    scheduler.entries.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.len(), 2);
    assert_ne!(sent[0].2, sent[1].2);
}

#[test]
fn dissent_asks_the_third_and_agreement_closes() {
    let mut scheduler = with_providers(3);
    let id = scheduler.entries.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    scheduler.answered(id, sent[1].1, Some(1), SECOND);
    let third = dispatched(&scheduler.poll(SECOND));
    assert_eq!(third.len(), 1);
    assert!(!sent.iter().any(|first| first.2 == third[0].2));
    scheduler.answered(id, third[0].1, Some(0), SECOND * 2);
    assert!(!scheduler.entries.is_open(id));
    assert!(scheduler.poll(SECOND * 2).is_empty());
}

#[test]
fn a_provider_that_answered_is_asked_again_if_the_user_wants_that() {
    let mut scheduler = with_providers(2);
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
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    scheduler.answered(id, sent[1].1, None, SECOND);
    let split = [Action::GaveUp { subtask: id, why: FailureReason::Split }];
    assert_eq!(scheduler.poll(SECOND), split);
    scheduler.entries.ask_again(id);
    let again = dispatched(&scheduler.poll(SECOND * 2));
    assert_eq!(again.len(), 2);
    assert!(again.iter().all(|(_, attempt, _)| attempt.0 >= 2), "attempts keep their own names: {again:?}");
    assert_ne!(again[0].2, again[1].2);
    scheduler.answered(id, again[0].1, Some(1), SECOND * 3);
    scheduler.answered(id, again[1].1, Some(0), SECOND * 3);
    assert_eq!(scheduler.entries.open(), 0);
}

#[test]
fn asking_again_changes_nothing_for_an_open_subtask() {
    let mut scheduler = with_providers(2);
    let id = scheduler.entries.add(TWO_OF_THREE);
    scheduler.poll(Duration::ZERO);
    scheduler.entries.ask_again(id);
    assert!(scheduler.poll(Duration::ZERO).is_empty());
    assert_eq!(scheduler.entries.open(), 1);
}

#[test]
fn an_accepted_answer_cancels_what_is_still_out() {
    let mut scheduler = with_providers(2);
    let id = scheduler.entries.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    scheduler.answered(id, sent[0].1, Some(0), SECOND);
    assert_eq!(scheduler.poll(SECOND), [Action::Cancel { subtask: id, attempt: sent[1].1 }]);
}

#[test]
fn a_providers_time_begins_when_its_job_leaves_however_long_its_pay_took() {
    let mut scheduler = with_providers(2);
    let id = scheduler.entries.add(ONE);
    let (_, attempt, provider) = dispatched(&scheduler.poll(Duration::ZERO))[0];
    let (most, slow_mint) = (scheduler.config.per_attempt, scheduler.config.per_attempt / 2);
    scheduler.leaves(id, attempt, slow_mint);
    let early = scheduler.poll(most);
    assert!(!early.contains(&Action::TimedOut { subtask: id, attempt }), "{early:?}");
    assert!(scheduler.entries.is_out(id, attempt));
    let late = scheduler.poll(slow_mint + most);
    assert!(late.contains(&Action::TimedOut { subtask: id, attempt }), "{late:?}");
    assert!(dispatched(&late).iter().chain(&dispatched(&early)).all(|(_, _, next)| *next != provider));
}

#[test]
fn a_timeout_asks_somebody_else_and_a_late_answer_is_ignored() {
    let mut scheduler = with_providers(2);
    let id = scheduler.entries.add(ONE);
    let first = dispatched(&scheduler.poll(Duration::ZERO))[0];
    let late = SchedulerConfig::default().per_attempt;
    let actions = scheduler.poll(late);
    assert!(actions.contains(&Action::TimedOut { subtask: id, attempt: first.1 }));
    let second = dispatched(&actions)[0];
    assert_ne!(first.2, second.2);
    scheduler.answered(id, first.1, Some(0), late + SECOND);
    assert!(scheduler.entries.is_open(id), "an answer to an attempt that was given up does not count");
    scheduler.answered(id, second.1, Some(0), late + SECOND);
    assert!(!scheduler.entries.is_open(id));
}

#[test]
fn a_straggler_is_hedged_after_its_multiple_of_the_usual_latency() {
    let mut scheduler = with_providers(2);
    let quick = scheduler.entries.add(ONE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.answered(quick, sent.1, Some(0), SECOND);
    let slow = scheduler.entries.add(ONE);
    let first = dispatched(&scheduler.poll(SECOND))[0];
    assert!(scheduler.poll(SECOND * 3).is_empty());
    let hedge = dispatched(&scheduler.poll(SECOND * 4));
    assert_eq!(hedge.len(), 1);
    assert_ne!(hedge[0].2, first.2);
    scheduler.answered(slow, hedge[0].1, Some(0), SECOND * 5);
    assert_eq!(scheduler.poll(SECOND * 5), [Action::Cancel { subtask: slow, attempt: first.1 }]);
}

#[test]
fn a_long_subtask_has_longer_and_is_hedged_later() {
    let mut scheduler = with_providers(2);
    let quick = scheduler.entries.add(ONE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.answered(quick, sent.1, Some(0), SECOND);
    // A text that takes five times as long to read and write.
    let long = scheduler.entries.add(Needs { percent: 500, ..ONE });
    let first = dispatched(&scheduler.poll(SECOND))[0];
    assert!(scheduler.poll(SECOND * 15).is_empty(), "fifteen seconds are no long time for it");
    let hedge = dispatched(&scheduler.poll(SECOND * 16));
    assert_eq!((hedge.len(), hedge[0].0), (1, long));
    let timeout = SchedulerConfig::default().per_attempt * 5;
    let late = SECOND + timeout;
    assert!(scheduler.poll(timeout).is_empty());
    assert_eq!(scheduler.timeout(long), SchedulerConfig::default().per_attempt * 5);
    let timed_out = Action::TimedOut { subtask: long, attempt: first.1 };
    assert!(scheduler.poll(late).contains(&timed_out));
    assert!(scheduler.entries.is_open(long), "the other one still has its time");
}

#[test]
fn where_time_matters_a_straggler_is_hedged_after_half_as_long() {
    let mut scheduler = with_providers(2);
    scheduler.config = SchedulerConfig::default().in_a_hurry();
    let quick = scheduler.entries.add(ONE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.answered(quick, sent.1, Some(0), SECOND);
    scheduler.entries.add(ONE);
    let first = dispatched(&scheduler.poll(SECOND))[0];
    assert!(scheduler.poll(SECOND * 2).is_empty());
    let hedge = dispatched(&scheduler.poll(SECOND * 5 / 2));
    assert_eq!(hedge.len(), 1);
    assert_ne!(hedge[0].2, first.2);
}

#[test]
fn a_busy_provider_is_asked_again_after_its_pause() {
    let mut scheduler = with_providers(1);
    let id = scheduler.entries.add(ONE);
    let first = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.failed(id, first.1, AttemptFailure::Busy, SECOND);
    assert!(scheduler.poll(SECOND).is_empty());
    let again = scheduler.next_wakeup().unwrap();
    assert_eq!(dispatched(&scheduler.poll(again)).len(), 1);
}

#[test]
fn a_provider_that_names_a_retry_time_is_asked_again_then() {
    let mut scheduler = with_providers(1);
    let id = scheduler.entries.add(ONE);
    let mut now = Duration::ZERO;
    // As often as it says so, each time after what it said, which is not doubled.
    for _ in 0..5 {
        let asked = dispatched(&scheduler.poll(now));
        assert_eq!(asked.len(), 1);
        scheduler.failed(id, asked[0].1, AttemptFailure::BusyFor(SECOND * 12), now);
        assert!(scheduler.poll(now + SECOND * 11).is_empty());
        now = scheduler.next_wakeup().unwrap();
    }
    assert_eq!(now, SECOND * 60);
}

#[test]
fn a_provider_that_declines_as_too_late_is_not_asked_for_everything() {
    let mut scheduler = with_providers(1);
    for _ in 0..3 {
        scheduler.entries.add(ONE);
    }
    let mut now = Duration::ZERO;
    let mut asked = dispatched(&scheduler.poll(now));
    assert_eq!(asked.len(), 2, "two slots");
    for (id, attempt, _) in asked.drain(..) {
        scheduler.failed(id, attempt, AttemptFailure::TooLate, now);
    }
    assert!(dispatched(&scheduler.poll(now)).is_empty(), "the third one waits");
    while asked.is_empty() {
        now = scheduler.next_wakeup().unwrap();
        asked = dispatched(&scheduler.poll(now));
    }
    assert!(now >= BUSY_PAUSE && now < SECOND * 10, "{now:?}");
}

/// Has every provider say at once, of everything, that it would be too late; how often each said so of this subtask.
fn too_late_for(scheduler: &mut Scheduler, id: SubtaskId, providers: usize) -> Vec<usize> {
    let (mut now, mut refusals) = (Duration::ZERO, vec![0; providers]);
    while scheduler.entries.is_open(id) {
        for (_, attempt, provider) in dispatched(&scheduler.poll(now)) {
            refusals[provider.0 as usize] += 1;
            scheduler.failed(id, attempt, AttemptFailure::TooLate, now);
        }
        now = scheduler.next_wakeup().map_or(now, |at| at.max(now));
        assert!(now < SECOND * 600, "it never ends: {refusals:?}");
    }
    refusals
}

#[test]
fn a_provider_that_would_be_late_costs_no_spare_attempts() {
    let mut scheduler = with_providers(SPARE_ATTEMPTS + 3);
    let id = scheduler.entries.add(ONE);
    let (mut now, mut asked) = (Duration::ZERO, Vec::new());
    for _ in 0..SPARE_ATTEMPTS + 2 {
        let (_, attempt, provider) = dispatched(&scheduler.poll(now))[0];
        asked.push(provider);
        scheduler.failed(id, attempt, AttemptFailure::TooLate, now);
        now += Duration::from_millis(1);
    }
    let (_, attempt, provider) = dispatched(&scheduler.poll(now))[0];
    assert!(!asked.contains(&provider), "the last of them is in time");
    scheduler.answered(id, attempt, Some(0), now);
    assert!(!scheduler.entries.is_open(id) && scheduler.poll(now).is_empty());
}

#[test]
fn a_subtask_for_which_everyone_would_be_too_late_ends() {
    let mut scheduler = with_providers(6);
    let id = scheduler.entries.add(ONE);
    assert_eq!(too_late_for(&mut scheduler, id, 6), [2; 6], "each is asked twice");
    let mut many = with_providers(200);
    let id = many.entries.add(ONE);
    let most = entry::MOST_TOO_LATE as usize;
    assert_eq!(too_late_for(&mut many, id, 200).iter().sum::<usize>(), most, "keys cost nothing");
}

#[test]
fn what_was_given_back_as_too_late_after_much_of_its_time_has_failed() {
    let config = SchedulerConfig::default();
    let mut scheduler = with_providers(SPARE_ATTEMPTS + 2);
    let id = scheduler.entries.add(ONE);
    let mut now = Duration::ZERO;
    for _ in 0..=SPARE_ATTEMPTS {
        let (_, attempt, _) = dispatched(&scheduler.poll(now))[0];
        now += config.per_attempt / 2;
        scheduler.failed(id, attempt, AttemptFailure::TooLate, now);
    }
    assert_eq!(scheduler.poll(now), [Action::GaveUp { subtask: id, why: FailureReason::Exhausted }]);
}

#[test]
fn a_vanished_provider_loses_its_work_to_the_others() {
    let mut scheduler = with_providers(2);
    for _ in 0..4 {
        scheduler.entries.add(ONE);
    }
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.len(), 4, "two slots each");
    scheduler.remove_provider(ProviderIndex(0), SECOND);
    let mut closed = 0;
    let mut work: Vec<_> = sent.into_iter().filter(|sent| sent.2 == ProviderIndex(1)).collect();
    while let Some((subtask, attempt, provider)) = work.pop() {
        assert_eq!(provider, ProviderIndex(1));
        scheduler.answered(subtask, attempt, Some(0), SECOND);
        closed += 1;
        work.extend(dispatched(&scheduler.poll(SECOND)));
    }
    assert_eq!((closed, scheduler.entries.open()), (4, 0));
}

#[test]
fn with_nobody_left_a_subtask_is_given_up_after_the_wait() {
    let mut scheduler = with_providers(2);
    let id = scheduler.entries.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    scheduler.answered(id, sent[1].1, Some(1), SECOND);
    assert!(scheduler.poll(SECOND).is_empty());
    let end = scheduler.next_wakeup().unwrap();
    let mut now = end;
    let mut actions = Vec::new();
    while scheduler.entries.open() > 0 {
        actions.extend(scheduler.poll(now));
        now = scheduler.next_wakeup().unwrap_or(now).max(now + SECOND);
    }
    assert!(actions.contains(&Action::GaveUp { subtask: id, why: FailureReason::NobodyLeft }));
}

#[test]
fn after_a_useless_newcomer_the_next_provider_has_as_long_to_arrive() {
    let (wait, late) = (SchedulerConfig::default().newcomer_wait, SECOND * 9);
    for comes in [true, false] {
        let mut scheduler = with_providers(1);
        let id = scheduler.entries.add(ONE);
        // A provider that failed is asked once more: the event may have been lost.
        let fail_twice = |scheduler: &mut Scheduler, now| {
            for _ in 0..2 {
                let (_, attempt, _) = dispatched(&scheduler.poll(now))[0];
                scheduler.failed(id, attempt, AttemptFailure::Failed, now);
            }
        };
        fail_twice(&mut scheduler, Duration::ZERO);
        scheduler.providers.upsert(ProviderIndex(1), on_credit(u32::MAX));
        fail_twice(&mut scheduler, late);
        assert!(scheduler.poll(wait).is_empty(), "it has been without anybody for a second");
        if comes {
            scheduler.providers.upsert(ProviderIndex(2), on_credit(u32::MAX));
            assert_eq!(dispatched(&scheduler.poll(wait + SECOND))[0].2, ProviderIndex(2));
        } else {
            let end = scheduler.poll(wait * 2);
            assert_eq!(end, [Action::GaveUp { subtask: id, why: FailureReason::NobodyLeft }], "not for ever");
        }
    }
}

#[test]
fn subtasks_that_were_never_sent_do_not_wait_for_ever_when_all_are_gone() {
    let mut scheduler = with_providers(1);
    for _ in 0..5 {
        scheduler.entries.add(ONE);
    }
    scheduler.poll(Duration::ZERO);
    scheduler.remove_provider(ProviderIndex(0), SECOND);
    scheduler.poll(SECOND);
    let mut now = SECOND;
    while scheduler.entries.open() > 0 {
        now = scheduler.next_wakeup().expect("open subtasks always have a moment at which to look again");
        scheduler.poll(now);
    }
    assert!(now <= SECOND * 12, "given up at {now:?}");
}

#[test]
fn timers_of_ended_attempts_are_swept_out() {
    let mut scheduler = with_providers(1);
    for _ in 0..20_000 {
        scheduler.entries.add(ONE);
    }
    while scheduler.entries.open() > 0 {
        for (subtask, attempt, _) in dispatched(&scheduler.poll(Duration::ZERO)) {
            scheduler.answered(subtask, attempt, Some(0), Duration::ZERO);
        }
        assert!(scheduler.timers.len() <= 1_100, "{}", scheduler.timers.len());
    }
}

#[test]
fn a_held_subtask_is_asked_only_once_released_and_only_of_those_named() {
    let (here, there) = (ProviderIndex(0), ProviderIndex(1));
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    let [our, their] = [0, 1].map(|position| Venue::at(position).unwrap());
    let capacity = |venue| Capacity {
        workers: 2,
        skills: 0b1,
        venue: Some(venue),
        last_resort: false,
        most_unjudged: u32::MAX,
        trust: Trust::Known,
    };
    scheduler.providers.upsert(here, capacity(our));
    scheduler.providers.upsert(there, capacity(their));
    let id = scheduler.entries.add(Needs { skills: 0b1, ..ONE });
    scheduler.entries.hold(id);
    assert!(scheduler.poll(Duration::ZERO).is_empty() && scheduler.entries.is_open(id));
    let able = Eligible { skills: 0b1, venue: None };
    let at = |venue| Eligible { venue: Some(venue), ..able };
    let room = |who, most| scheduler.providers.room(who, most);
    assert_eq!((room(able, 100), room(at(their), 100), room(able, 3)), (8, 4, 3));
    assert_eq!(room(Eligible { skills: 0b11, ..able }, 100), 0, "nobody has those skills");
    scheduler.entries.release(id, Some(their));
    let asked = |actions: &[Action]| match actions {
        [Action::Dispatch { provider, attempt, .. }] => Some((*provider, *attempt)),
        _ => None,
    };
    let (provider, attempt) = asked(&scheduler.poll(Duration::ZERO)).unwrap();
    assert_eq!((provider, scheduler.providers.room(at(their), 100)), (there, 3));
    // What was given up there can be put back and asked elsewhere.
    scheduler.give_up(id, FailureReason::Exhausted);
    assert_eq!(scheduler.entries.open(), 0);
    scheduler.entries.put_back(id);
    assert_eq!(scheduler.entries.open(), 1);
    let actions = scheduler.poll(SECOND);
    assert!(asked(&actions).is_none() && actions.contains(&Action::Cancel { subtask: id, attempt }));
    scheduler.entries.release(id, Some(our));
    assert_eq!(asked(&scheduler.poll(SECOND)).unwrap().0, here);
}

#[test]
fn a_busy_swarm_leaves_one_attempt_per_provider_despite_retries() {
    let mut scheduler = with_providers(3);
    let id = scheduler.entries.add(ONE);
    let (mut now, mut asked) = (Duration::ZERO, 0);
    while asked < 1_000 {
        for (_, attempt, _) in dispatched(&scheduler.poll(now)) {
            scheduler.failed(id, attempt, AttemptFailure::Busy, now);
            asked += 1;
        }
        now = scheduler.next_wakeup().unwrap();
    }
    assert!(scheduler.entries.is_open(id) && scheduler.entries.get(id).unwrap().attempts.len() <= 3);
}

#[test]
fn a_single_attempt_ends_on_its_first_failure_and_busy_is_no_failure() {
    let mut scheduler = with_providers(2);
    let [failing, late, busy] = [0, 1, 2].map(|_| scheduler.entries.add(ONE));
    for id in [failing, late, busy] {
        scheduler.entries.try_once(id);
    }
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.len(), 3, "{sent:?}");
    let attempt = |id| sent.iter().find(|(subtask, ..)| *subtask == id).unwrap().1;
    scheduler.failed(failing, attempt(failing), AttemptFailure::Failed, Duration::ZERO);
    scheduler.failed(busy, attempt(busy), AttemptFailure::Busy, Duration::ZERO);
    let actions = scheduler.poll(SECOND);
    assert!(
        actions.contains(&Action::GaveUp { subtask: failing, why: FailureReason::Exhausted }),
        "{actions:?}"
    );
    assert_eq!(dispatched(&actions).iter().filter(|(id, ..)| *id == busy).count(), 1, "{actions:?}");
    let actions = scheduler.poll(SECOND * 600);
    assert!(
        actions.contains(&Action::GaveUp { subtask: late, why: FailureReason::Exhausted }),
        "{actions:?}"
    );
}
