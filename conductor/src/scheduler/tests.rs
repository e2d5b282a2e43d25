//! A small simulated swarm drives the scheduler.

use std::collections::{HashMap, VecDeque};

use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);
const ONE: Needs = Needs { answers: 1, replicas: 1, skills: 0 };
const TWO_OF_THREE: Needs = Needs { answers: 2, replicas: 3, skills: 0 };

fn with_providers(count: u32) -> Scheduler {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..count {
        scheduler.upsert_provider(
            ProviderIndex(provider),
            Capacity {
                workers: 1,
                skills: 0,
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

#[test]
fn replicas_of_one_subtask_go_to_distinct_providers() {
    let mut scheduler = with_providers(3);
    scheduler.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.len(), 2);
    assert_ne!(sent[0].2, sent[1].2);
}

#[test]
fn dissent_asks_the_third_and_agreement_closes() {
    let mut scheduler = with_providers(3);
    let id = scheduler.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    scheduler.answered(id, sent[1].1, Some(1), SECOND);
    let third = dispatched(&scheduler.poll(SECOND));
    assert_eq!(third.len(), 1);
    assert!(!sent.iter().any(|first| first.2 == third[0].2));
    scheduler.answered(id, third[0].1, Some(0), SECOND * 2);
    assert!(!scheduler.is_open(id));
    assert!(scheduler.poll(SECOND * 2).is_empty());
}

#[test]
fn whoever_answered_is_asked_again_if_the_user_wants_everyone_asked_afresh() {
    let mut scheduler = with_providers(2);
    let id = scheduler.add(Needs { answers: 2, replicas: 2, skills: 0 });
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    scheduler.answered(id, sent[1].1, None, SECOND);
    let split = [Action::GaveUp { subtask: id, why: GaveUp::Split }];
    assert_eq!(scheduler.poll(SECOND), split);
    scheduler.ask_again(id);
    let again = dispatched(&scheduler.poll(SECOND * 2));
    assert_eq!(again.len(), 2);
    assert!(again.iter().all(|(_, attempt, _)| attempt.0 >= 2), "attempts keep their own names: {again:?}");
    assert_ne!(again[0].2, again[1].2);
    scheduler.answered(id, again[0].1, Some(1), SECOND * 3);
    scheduler.answered(id, again[1].1, Some(0), SECOND * 3);
    assert_eq!(scheduler.open(), 0);
}

#[test]
fn asking_again_changes_nothing_for_an_open_subtask() {
    let mut scheduler = with_providers(2);
    let id = scheduler.add(TWO_OF_THREE);
    scheduler.poll(Duration::ZERO);
    scheduler.ask_again(id);
    assert!(scheduler.poll(Duration::ZERO).is_empty());
    assert_eq!(scheduler.open(), 1);
}

#[test]
fn an_accepted_answer_cancels_what_is_still_out() {
    let mut scheduler = with_providers(2);
    let id = scheduler.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    scheduler.answered(id, sent[0].1, Some(0), SECOND);
    assert_eq!(scheduler.poll(SECOND), [Action::Cancel { subtask: id, attempt: sent[1].1 }]);
}

#[test]
fn a_timeout_asks_somebody_else_and_a_late_answer_is_ignored() {
    let mut scheduler = with_providers(2);
    let id = scheduler.add(ONE);
    let first = dispatched(&scheduler.poll(Duration::ZERO))[0];
    let late = SchedulerConfig::default().per_attempt;
    let actions = scheduler.poll(late);
    assert!(actions.contains(&Action::TimedOut { subtask: id, attempt: first.1 }));
    let second = dispatched(&actions)[0];
    assert_ne!(first.2, second.2);
    scheduler.answered(id, first.1, Some(0), late + SECOND);
    assert!(scheduler.is_open(id), "an answer to an attempt that was given up does not count");
    scheduler.answered(id, second.1, Some(0), late + SECOND);
    assert!(!scheduler.is_open(id));
}

#[test]
fn a_straggler_is_hedged_after_its_multiple_of_the_usual_latency() {
    let mut scheduler = with_providers(2);
    let quick = scheduler.add(ONE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.answered(quick, sent.1, Some(0), SECOND);
    let slow = scheduler.add(ONE);
    let first = dispatched(&scheduler.poll(SECOND))[0];
    assert!(scheduler.poll(SECOND * 3).is_empty());
    let hedge = dispatched(&scheduler.poll(SECOND * 4));
    assert_eq!(hedge.len(), 1);
    assert_ne!(hedge[0].2, first.2);
    scheduler.answered(slow, hedge[0].1, Some(0), SECOND * 5);
    assert_eq!(scheduler.poll(SECOND * 5), [Action::Cancel { subtask: slow, attempt: first.1 }]);
}

#[test]
fn where_time_matters_a_straggler_is_hedged_after_half_as_long() {
    let mut scheduler = with_providers(2);
    scheduler.config = SchedulerConfig::default().in_a_hurry();
    let quick = scheduler.add(ONE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.answered(quick, sent.1, Some(0), SECOND);
    scheduler.add(ONE);
    let first = dispatched(&scheduler.poll(SECOND))[0];
    assert!(scheduler.poll(SECOND * 2).is_empty());
    let hedge = dispatched(&scheduler.poll(SECOND * 5 / 2));
    assert_eq!(hedge.len(), 1);
    assert_ne!(hedge[0].2, first.2);
}

#[test]
fn a_busy_provider_is_asked_again_after_its_pause() {
    let mut scheduler = with_providers(1);
    let id = scheduler.add(ONE);
    let first = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.failed(id, first.1, AttemptFailure::Busy, SECOND);
    assert!(scheduler.poll(SECOND).is_empty());
    let again = scheduler.next_wakeup().unwrap();
    assert_eq!(dispatched(&scheduler.poll(again)).len(), 1);
}

#[test]
fn a_vanished_provider_loses_its_work_to_the_others() {
    let mut scheduler = with_providers(2);
    for _ in 0..4 {
        scheduler.add(ONE);
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
    assert_eq!((closed, scheduler.open()), (4, 0));
}

#[test]
fn with_nobody_left_a_subtask_is_given_up_after_the_wait() {
    let mut scheduler = with_providers(2);
    let id = scheduler.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    scheduler.answered(id, sent[1].1, Some(1), SECOND);
    assert!(scheduler.poll(SECOND).is_empty());
    let end = scheduler.next_wakeup().unwrap();
    let mut now = end;
    let mut actions = Vec::new();
    while scheduler.open() > 0 {
        actions.extend(scheduler.poll(now));
        now = scheduler.next_wakeup().unwrap_or(now).max(now + SECOND);
    }
    assert!(actions.contains(&Action::GaveUp { subtask: id, why: GaveUp::NobodyLeft }));
}

#[test]
fn subtasks_that_were_never_sent_do_not_wait_for_ever_when_all_are_gone() {
    let mut scheduler = with_providers(1);
    for _ in 0..5 {
        scheduler.add(ONE);
    }
    scheduler.poll(Duration::ZERO);
    scheduler.remove_provider(ProviderIndex(0), SECOND);
    scheduler.poll(SECOND);
    let mut now = SECOND;
    while scheduler.open() > 0 {
        now = scheduler.next_wakeup().expect("open subtasks always have a moment at which to look again");
        scheduler.poll(now);
    }
    assert!(now <= SECOND * 12, "given up at {now:?}");
}

#[test]
fn skills_decide_who_may_be_asked() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    scheduler.upsert_provider(
        ProviderIndex(0),
        Capacity {
            workers: 1,
            skills: 0b01,
            last_resort: false,
            most_unjudged: u32::MAX,
            trust: Trust::Known,
        },
    );
    scheduler.upsert_provider(
        ProviderIndex(1),
        Capacity {
            workers: 1,
            skills: 0b11,
            last_resort: false,
            most_unjudged: u32::MAX,
            trust: Trust::Known,
        },
    );
    scheduler.add(Needs { skills: 0b10, ..ONE });
    assert_eq!(dispatched(&scheduler.poll(Duration::ZERO))[0].2, ProviderIndex(1));
}

#[test]
fn the_last_resort_is_asked_only_for_what_was_given_up() {
    let mut scheduler = with_providers(1);
    let own = ProviderIndex(1);
    scheduler.upsert_provider(
        own,
        Capacity { workers: 1, skills: 0, last_resort: true, most_unjudged: u32::MAX, trust: Trust::Known },
    );
    let id = scheduler.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert!(sent.iter().all(|sent| sent.2 != own));
    scheduler.give_up(id, GaveUp::Split);
    scheduler.reopen(id);
    let actions = scheduler.poll(SECOND);
    assert_eq!(dispatched(&actions)[0].2, own);
}

#[test]
fn who_lets_jobs_time_out_is_asked_after_those_who_answer() {
    let mut scheduler = with_providers(2);
    let first = scheduler.add(ONE);
    let silent = dispatched(&scheduler.poll(Duration::ZERO))[0].2;
    let late = SchedulerConfig::default().per_attempt;
    let again = dispatched(&scheduler.poll(late))[0];
    scheduler.answered(first, again.1, Some(0), late + SECOND);
    for _ in 0..2 {
        scheduler.add(ONE);
    }
    let sent = dispatched(&scheduler.poll(late + SECOND));
    assert!(sent.iter().all(|sent| sent.2 != silent), "{sent:?}");
}

/// How often each of some providers is asked by subtasks that come one at a time and are answered at once.
fn asked_one_at_a_time(scheduler: &mut Scheduler, providers: usize, subtasks: u32) -> Vec<u32> {
    let mut asked = vec![0; providers];
    for _ in 0..subtasks {
        scheduler.add(TWO_OF_THREE);
        for (left, (subtask, attempt, provider)) in
            dispatched(&scheduler.poll(Duration::ZERO)).into_iter().enumerate()
        {
            asked[provider.0 as usize] += 1;
            let missing = u32::from(left == 0);
            scheduler.answered(subtask, attempt, Some(missing), Duration::ZERO);
        }
    }
    asked
}

#[test]
fn idle_providers_that_promise_the_same_are_asked_alike() {
    let asked = asked_one_at_a_time(&mut with_providers(5), 5, 500);
    assert_eq!(asked.iter().sum::<u32>(), 1_000);
    assert!(asked.iter().all(|asked| (150..250).contains(asked)), "whoever came first gets most: {asked:?}");
}

#[test]
fn who_promises_more_is_asked_rather_until_its_load_outweighs_it() {
    let mut scheduler = with_providers(3);
    for (provider, worth) in (0..).zip([0.70, 0.85, 0.72]) {
        scheduler.value_provider(ProviderIndex(provider), worth);
    }
    let asked = asked_one_at_a_time(&mut scheduler, 3, 10);
    assert_eq!(asked, [0, 10, 10], "the best two, as long as they are idle");
    for _ in 0..5 {
        scheduler.add(ONE);
    }
    let order: Vec<u32> = dispatched(&scheduler.poll(Duration::ZERO)).iter().map(|sent| sent.2.0).collect();
    assert_eq!(order, [1, 1, 2, 0, 2], "0.85 less half of 0.2 is still the most, then they take turns");
}

#[test]
fn what_does_not_fit_a_provider_is_put_to_another_and_counts_against_nobody() {
    let mut scheduler = with_providers(8);
    let id = scheduler.add(ONE);
    let mut tried = Vec::new();
    for _ in 0..7 {
        let sent = dispatched(&scheduler.poll(Duration::ZERO))[0];
        assert!(!tried.contains(&sent.2), "{tried:?}, then {:?}", sent.2);
        tried.push(sent.2);
        scheduler.failed(id, sent.1, AttemptFailure::Unfit, Duration::ZERO);
    }
    let last = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.answered(id, last.1, Some(0), SECOND);
    assert!(!scheduler.is_open(id), "seven who could not take it used up none of its chances");
    scheduler.add(Needs { answers: 8, replicas: 8, skills: 0 });
    assert_eq!(dispatched(&scheduler.poll(SECOND)).len(), 8, "all of them are asked for other subtasks");
}

/// Providers 0 and 1 are newcomers, 2 has a record, 3 may be believed alone.
fn by_trust() -> Scheduler {
    let mut scheduler = Scheduler::new(SchedulerConfig { by_trust: true, ..SchedulerConfig::default() });
    for (provider, trust) in (0..).zip([Trust::Newcomer, Trust::Newcomer, Trust::Known, Trust::Alone]) {
        scheduler.upsert_provider(
            ProviderIndex(provider),
            Capacity { workers: 1, skills: 0, last_resort: false, most_unjudged: u32::MAX, trust },
        );
    }
    scheduler
}

#[test]
fn a_subtask_is_shown_to_one_newcomer_while_others_can_be_asked() {
    let mut scheduler = by_trust();
    for (provider, worth) in (0..).zip([0.9, 0.7, 0.8, 0.6]) {
        scheduler.value_provider(ProviderIndex(provider), worth);
    }
    let id = scheduler.add(Needs { replicas: 4, ..TWO_OF_THREE });
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.iter().map(|sent| sent.2.0).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(scheduler.reach(id), Reach { anyone: true, known: true });
    scheduler.answered(id, sent[0].1, Some(2), SECOND);
    scheduler.answered(id, sent[1].1, Some(2), SECOND);
    let more = dispatched(&scheduler.poll(SECOND));
    assert_eq!(more.iter().map(|sent| sent.2.0).collect::<Vec<_>>(), [3, 1], "then nobody else was left");
    assert_eq!(scheduler.reach(id), Reach { anyone: true, known: true }, "both may still answer");
    scheduler.answered(id, more[0].1, Some(1), SECOND);
    assert_eq!(scheduler.reach(id), Reach { anyone: false, known: true }, "the known one has answered");
}

#[test]
fn who_may_be_believed_alone_is_asked_alone() {
    let mut scheduler = by_trust();
    (0..3).for_each(|newcomer| scheduler.remove_provider(ProviderIndex(newcomer), Duration::ZERO));
    scheduler.upsert_provider(
        ProviderIndex(4),
        Capacity { workers: 1, skills: 0, last_resort: false, most_unjudged: u32::MAX, trust: Trust::Alone },
    );
    let id = scheduler.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.len(), 1);
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    assert_eq!(
        dispatched(&scheduler.poll(SECOND)).len(),
        1,
        "a second one is asked if the answer is doubted"
    );
}

/// Answers, failures, departures and silence in any order.
fn any_world() -> impl Strategy<Value = (u32, u32, Vec<u8>)> {
    (1_u32..6, 1_u32..40, proptest::collection::vec(any::<u8>(), 1..400))
}

/// A provider that takes only so many jobs without a verdict.
fn on_credit(most_unjudged: u32) -> Capacity {
    Capacity { workers: 4, skills: 0, last_resort: false, most_unjudged, trust: Trust::Known }
}

#[test]
fn an_answer_without_a_verdict_uses_credit() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    scheduler.upsert_provider(ProviderIndex(0), on_credit(1));
    scheduler.upsert_provider(ProviderIndex(1), on_credit(1));
    let id = scheduler.add(Needs { answers: 2, replicas: 2, skills: 0 });
    scheduler.add(ONE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.len(), 2);
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    assert!(dispatched(&scheduler.poll(SECOND)).is_empty(), "its answer waits for the other one");
    scheduler.answered(id, sent[1].1, Some(0), SECOND);
    assert_eq!(dispatched(&scheduler.poll(SECOND)).len(), 1, "both have their verdict");
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

/// Three honest providers and two that are a hundred times as quick, each with a lie of its own. How many of a
/// hundred subtasks find two that agree, if the scheduler is told who contradicts whom, or is not.
fn agreed_beside_two_quick_liars(told: bool, most_unjudged: u32) -> usize {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    for provider in 0..5 {
        let capacity = Capacity { workers: 1, most_unjudged, ..on_credit(u32::MAX) };
        scheduler.upsert_provider(ProviderIndex(provider), capacity);
    }
    for _ in 0..100 {
        scheduler.add(TWO_OF_THREE);
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
        if scheduler.open() == 0 {
            return agreed;
        }
        out.sort_by_key(|(at, subtask, attempt, _)| std::cmp::Reverse((*at, *subtask, *attempt)));
        let (at, subtask, attempt, provider) = out.pop().expect("somebody is at work while anything is open");
        now = at;
        if !scheduler.is_out(subtask, attempt) {
            continue;
        }
        let answered = answers.entry(subtask).or_default();
        for other in answered.iter().filter(|_| told) {
            scheduler.compared(provider, *other, says(provider) == says(*other));
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
fn nobody_waits_for_one_that_never_answers_because_it_has_not_met_the_liar() {
    // Four honest providers, a liar that is a hundred times as quick, and one whose jobs are hedged and cancelled.
    const SILENT: ProviderIndex = ProviderIndex(5);
    let says = |provider: ProviderIndex| u32::from(provider.0 == 0);
    let mut scheduler = with_providers(6);
    for _ in 0..200 {
        scheduler.add(TWO_OF_THREE);
    }
    let mut now = Duration::ZERO;
    let mut out: Vec<(Duration, SubtaskId, AttemptId, ProviderIndex)> = Vec::new();
    let mut answers: HashMap<SubtaskId, Vec<ProviderIndex>> = HashMap::new();
    let mut agreed = 0;
    while scheduler.open() > 0 {
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
        if !scheduler.is_out(subtask, attempt) {
            continue;
        }
        let answered = answers.entry(subtask).or_default();
        for other in &*answered {
            scheduler.compared(provider, *other, says(provider) == says(*other));
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
fn keeping_those_apart_who_contradict_each_other_holds_nobody_up_where_credit_is_scarce() {
    for most_unjudged in [1, 2, 3] {
        // It ends, and somebody is always at work meanwhile.
        assert!(agreed_beside_two_quick_liars(true, most_unjudged) > 0);
    }
}

#[test]
fn who_is_at_odds_with_everybody_is_asked_where_nobody_else_is_left() {
    let mut scheduler = with_providers(3);
    for (left, right) in [(0, 1), (0, 2), (1, 2)] {
        scheduler.compared(ProviderIndex(left), ProviderIndex(right), false);
    }
    let id = scheduler.add(TWO_OF_THREE);
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

#[test]
fn timers_of_ended_attempts_are_swept_out() {
    let mut scheduler = with_providers(1);
    for _ in 0..20_000 {
        scheduler.add(ONE);
    }
    while scheduler.open() > 0 {
        for (subtask, attempt, _) in dispatched(&scheduler.poll(Duration::ZERO)) {
            scheduler.answered(subtask, attempt, Some(0), Duration::ZERO);
        }
        assert!(scheduler.timers.len() <= 1_100, "{}", scheduler.timers.len());
    }
}

proptest! {
    #[test]
    fn every_subtask_ends_and_no_provider_is_over_its_slots((providers, subtasks, dice) in any_world()) {
        let mut scheduler = with_providers(providers);
        let ids: Vec<_> = (0..subtasks).map(|_| scheduler.add(TWO_OF_THREE)).collect();
        let mut now = Duration::ZERO;
        let mut out: Vec<(SubtaskId, AttemptId, ProviderIndex)> = Vec::new();
        let mut answers = vec![0_u32; ids.len()];
        let mut dice = dice.into_iter().cycle();
        for _ in 0..2_000 {
            for action in scheduler.poll(now) {
                match action {
                    Action::Dispatch { subtask, attempt, provider, .. } => {
                        prop_assert!(!out.iter().any(|o| o.0 == subtask && o.2 == provider));
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
            if scheduler.open() == 0 {
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
                60..=79 => scheduler.failed(subtask, attempt, AttemptFailure::Busy, now),
                80..=84 => {
                    scheduler.failed(subtask, attempt, AttemptFailure::Failed, now);
                    scheduler.remove_provider(provider, now);
                    scheduler.upsert_provider(provider, Capacity { workers: 1, skills: 0, last_resort: false, most_unjudged: u32::MAX, trust: Trust::Known });
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
        scheduler.give_up_all(GaveUp::OutOfTime);
        prop_assert_eq!(scheduler.open(), 0);
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
            scheduler.upsert_provider(ProviderIndex(provider), on_credit(1));
        }
        for _ in 0..subtasks {
            scheduler.add(TWO_OF_THREE);
        }
        let mut out = Vec::new();
        let mut honest: Vec<Vec<ProviderIndex>> = vec![Vec::new(); subtasks as usize];
        let mut dice = rolls.into_iter().cycle();
        while scheduler.open() > 0 {
            for action in scheduler.poll(Duration::ZERO) {
                match action {
                    Action::Dispatch { subtask, attempt, provider, .. } => out.push((subtask, attempt, provider)),
                    Action::Cancel { subtask, attempt } => out.retain(|o| (o.0, o.1) != (subtask, attempt)),
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            prop_assert!(!out.is_empty(), "{} subtasks wait for each other", scheduler.open());
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
                scheduler.upsert_provider(provider, on_credit(most));
            }
        }
    }
}

#[test]
fn a_held_subtask_is_asked_only_when_it_is_released_and_only_of_those_it_is_released_for() {
    let (here, there) = (ProviderIndex(0), ProviderIndex(1));
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    let capacity = |skills| Capacity {
        workers: 2,
        skills,
        last_resort: false,
        most_unjudged: u32::MAX,
        trust: Trust::Known,
    };
    scheduler.upsert_provider(here, capacity(0b101));
    scheduler.upsert_provider(there, capacity(0b1001));
    let id = scheduler.add(Needs { skills: 0b1, ..ONE });
    scheduler.hold(id);
    assert!(scheduler.poll(Duration::ZERO).is_empty() && scheduler.is_open(id));
    assert_eq!((scheduler.room(0b1, 100), scheduler.room(0b1001, 100), scheduler.room(0b1, 3)), (8, 4, 3));
    scheduler.release(id, 0b1001);
    let asked = |actions: &[Action]| match actions {
        [Action::Dispatch { provider, attempt, .. }] => Some((*provider, *attempt)),
        _ => None,
    };
    let (provider, attempt) = asked(&scheduler.poll(Duration::ZERO)).unwrap();
    assert_eq!((provider, scheduler.room(0b1001, 100)), (there, 3));
    // What was given up there can be put back and asked elsewhere.
    scheduler.give_up(id, GaveUp::Exhausted);
    assert_eq!(scheduler.open(), 0);
    scheduler.put_back(id);
    assert_eq!(scheduler.open(), 1);
    let actions = scheduler.poll(SECOND);
    assert!(asked(&actions).is_none() && actions.contains(&Action::Cancel { subtask: id, attempt }));
    scheduler.release(id, 0b101);
    assert_eq!(asked(&scheduler.poll(SECOND)).unwrap().0, here);
}
