//! Who is asked: by skills, by what they promise, by what is known of them.

use super::*;
use crate::timing::LONGEST_HERE;

#[test]
fn skills_decide_who_may_be_asked() {
    let mut scheduler = Scheduler::new(SchedulerConfig::default());
    scheduler.providers.upsert(
        ProviderIndex(0),
        Capacity {
            workers: 1,
            skills: 0b01,
            venue: None,
            last_resort: false,
            most_unjudged: u32::MAX,
            trust: Trust::Known,
        },
    );
    scheduler.providers.upsert(
        ProviderIndex(1),
        Capacity {
            workers: 1,
            skills: 0b11,
            venue: None,
            last_resort: false,
            most_unjudged: u32::MAX,
            trust: Trust::Known,
        },
    );
    scheduler.entries.add(Needs { skills: 0b10, ..ONE });
    assert_eq!(dispatched(&scheduler.poll(Duration::ZERO))[0].2, ProviderIndex(1));
}

#[test]
fn who_is_preferred_is_asked_first_and_nobody_waits_for_it() {
    let mut scheduler = with_providers(3);
    let preferred = ProviderIndex(1);
    for _ in 0..3 {
        let id = scheduler.entries.add(ONE);
        scheduler.entries.ask_first(id, preferred);
    }
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent[0].2, preferred);
    assert_eq!(sent.len(), 3, "the others are free: {sent:?}");
    scheduler.failed(sent[1].0, sent[1].1, AttemptFailure::Busy, SECOND);
    scheduler.failed(sent[0].0, sent[0].1, AttemptFailure::Failed, SECOND);
    let again = dispatched(&scheduler.poll(SECOND));
    assert!(again.iter().any(|one| one.0 == sent[0].0 && one.2 != preferred), "it has failed: {again:?}");
}

#[test]
fn the_last_resort_is_asked_only_for_what_was_given_up() {
    let mut scheduler = with_providers(1);
    let own = ProviderIndex(1);
    scheduler.providers.upsert(
        own,
        Capacity {
            workers: 1,
            skills: 0,
            venue: None,
            last_resort: true,
            most_unjudged: u32::MAX,
            trust: Trust::Known,
        },
    );
    let id = scheduler.entries.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert!(sent.iter().all(|sent| sent.2 != own));
    scheduler.give_up(id, FailureReason::Split);
    scheduler.entries.reopen(id);
    let actions = scheduler.poll(SECOND);
    assert_eq!(dispatched(&actions)[0].2, own);
}

#[test]
fn who_lets_jobs_time_out_is_asked_after_those_who_answer() {
    let mut scheduler = with_providers(2);
    let first = scheduler.entries.add(ONE);
    let silent = dispatched(&scheduler.poll(Duration::ZERO))[0].2;
    let late = SchedulerConfig::default().per_attempt;
    let again = dispatched(&scheduler.poll(late))[0];
    scheduler.answered(first, again.1, Some(0), late + SECOND);
    for _ in 0..2 {
        scheduler.entries.add(ONE);
    }
    let sent = dispatched(&scheduler.poll(late + SECOND));
    assert!(sent.iter().all(|sent| sent.2 != silent), "{sent:?}");
}

/// How often each of some providers is asked by subtasks that come one at a time and are answered at once.
fn asked_one_at_a_time(scheduler: &mut Scheduler, providers: usize, subtasks: u32) -> Vec<u32> {
    let mut asked = vec![0; providers];
    for _ in 0..subtasks {
        scheduler.entries.add(TWO_OF_THREE);
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
    assert!(asked.iter().all(|asked| (150..250).contains(asked)), "the first provider gets most: {asked:?}");
}

#[test]
fn who_promises_more_is_asked_rather_until_its_load_outweighs_it() {
    let mut scheduler = with_providers(3);
    for (provider, worth) in (0..).zip([0.70, 0.85, 0.72]) {
        scheduler.providers.value(ProviderIndex(provider), worth);
    }
    let asked = asked_one_at_a_time(&mut scheduler, 3, 10);
    assert_eq!(asked, [0, 10, 10], "the best two, as long as they are idle");
    for _ in 0..5 {
        scheduler.entries.add(ONE);
    }
    let order: Vec<u32> = dispatched(&scheduler.poll(Duration::ZERO)).iter().map(|sent| sent.2.0).collect();
    assert_eq!(order, [1, 1, 2, 0, 2], "0.85 less half of 0.2 is still the most, then they take turns");
}

#[test]
fn an_unfit_subtask_moves_to_another_provider_and_nobody_is_blamed() {
    let mut scheduler = with_providers(8);
    let id = scheduler.entries.add(ONE);
    let mut tried = Vec::new();
    for _ in 0..7 {
        let sent = dispatched(&scheduler.poll(Duration::ZERO))[0];
        assert!(!tried.contains(&sent.2), "{tried:?}, then {:?}", sent.2);
        tried.push(sent.2);
        scheduler.failed(id, sent.1, AttemptFailure::Unfit, Duration::ZERO);
    }
    let last = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.answered(id, last.1, Some(0), SECOND);
    assert!(!scheduler.entries.is_open(id), "seven who could not take it used up none of its chances");
    scheduler.entries.add(Needs {
        answers: 8,
        replicas: 8,
        skills: 0,
        venue: None,
        ends_itself: false,
        settled_apart: false,
        percent: 100,
        reading: None,
    });
    assert_eq!(dispatched(&scheduler.poll(SECOND)).len(), 8, "all of them are asked for other subtasks");
}

#[test]
fn an_unpayable_subtask_moves_on_and_its_provider_is_not_blamed() {
    for (failure, next) in [(AttemptFailure::Unpaid, 0), (AttemptFailure::Failed, 1)] {
        let mut scheduler = with_providers(2);
        for (provider, worth) in (0..).zip([0.9, 0.5]) {
            scheduler.providers.value(ProviderIndex(provider), worth);
        }
        let id = scheduler.entries.add(ONE);
        let first = dispatched(&scheduler.poll(Duration::ZERO))[0];
        scheduler.failed(id, first.1, failure, SECOND);
        let second = dispatched(&scheduler.poll(SECOND))[0];
        assert_eq!((first.2, second.2), (ProviderIndex(0), ProviderIndex(1)), "{failure:?}");
        scheduler.answered(id, second.1, Some(0), SECOND);
        scheduler.entries.add(ONE);
        let later = dispatched(&scheduler.poll(SECOND))[0];
        assert_eq!(later.2, ProviderIndex(next), "who has failed comes last: {failure:?}");
    }
}

#[test]
fn where_nothing_can_be_paid_for_a_subtask_runs_out_of_chances() {
    let mut scheduler = with_providers(8);
    let id = scheduler.entries.add(ONE);
    for _ in 0..100 {
        let Some(sent) = dispatched(&scheduler.poll(SECOND)).first().copied() else { break };
        scheduler.failed(id, sent.1, AttemptFailure::Unpaid, SECOND);
    }
    assert!(!scheduler.entries.is_open(id));
}

#[test]
fn providers_excluded_before_a_subtask_reaches_them_cost_it_nothing() {
    let mut scheduler = with_providers(9);
    let id = scheduler.entries.add(ONE);
    for _ in 0..8 {
        let (_, attempt, provider) = dispatched(&scheduler.poll(SECOND))[0];
        scheduler.failed(id, attempt, AttemptFailure::NotSent, SECOND);
        scheduler.remove_provider(provider, SECOND);
    }
    let last = dispatched(&scheduler.poll(SECOND));
    assert_eq!(last.len(), 1, "somebody is left who can be paid");
    // A provider that is no longer excluded may be asked again, as if it never was.
    let back = (0..9).map(ProviderIndex).find(|provider| *provider != last[0].2).unwrap();
    scheduler.failed(id, last[0].1, AttemptFailure::Failed, SECOND);
    scheduler.providers.upsert(back, on_credit(u32::MAX));
    assert_eq!(dispatched(&scheduler.poll(SECOND))[0].2, back);
}

#[test]
fn an_answer_without_a_verdict_blames_nobody_and_is_not_asked_again() {
    let mut scheduler = with_providers(2);
    for (provider, worth) in (0..).zip([0.9, 0.5]) {
        scheduler.providers.value(ProviderIndex(provider), worth);
    }
    let id = scheduler.entries.add(Needs {
        answers: 1,
        replicas: 3,
        skills: 0,
        venue: None,
        ends_itself: false,
        settled_apart: false,
        percent: 100,
        reading: None,
    });
    let first = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.awaits_word(id, first.1, Duration::ZERO);
    scheduler.failed(id, first.1, AttemptFailure::NoVerdict, SECOND);
    let second = dispatched(&scheduler.poll(SECOND))[0];
    assert_eq!((first.2, second.2), (ProviderIndex(0), ProviderIndex(1)));
    scheduler.failed(id, second.1, AttemptFailure::NoVerdict, SECOND);
    assert!(dispatched(&scheduler.poll(SECOND)).is_empty(), "both have answered it");
    scheduler.entries.add(ONE);
    assert_eq!(dispatched(&scheduler.poll(SECOND))[0].2, ProviderIndex(0), "and neither comes last for it");
    let end = SECOND + SchedulerConfig::default().newcomer_wait;
    assert!(scheduler.poll(end).contains(&Action::GaveUp { subtask: id, why: FailureReason::NoVerdict }));
}

#[test]
fn answers_without_a_verdict_count_among_those_that_a_subtask_may_come_to() {
    let mut scheduler = with_providers(5);
    let id = scheduler.entries.add(Needs {
        answers: 1,
        replicas: 3,
        skills: 0,
        venue: None,
        ends_itself: false,
        settled_apart: false,
        percent: 100,
        reading: None,
    });
    for _ in 0..3 {
        let sent = dispatched(&scheduler.poll(SECOND))[0];
        scheduler.failed(id, sent.1, AttemptFailure::NoVerdict, SECOND);
    }
    assert_eq!(scheduler.poll(SECOND), [Action::GaveUp { subtask: id, why: FailureReason::NoVerdict }]);
}

#[test]
fn a_provider_whose_answer_awaits_a_verdict_is_neither_slow_nor_lost() {
    let mut scheduler = with_providers(2);
    for (provider, worth) in (0..).zip([0.9, 0.5]) {
        scheduler.providers.value(ProviderIndex(provider), worth);
    }
    let quick = scheduler.entries.add(ONE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.answered(quick, sent.1, Some(0), SECOND);
    let id = scheduler.entries.add(Needs {
        answers: 1,
        replicas: 2,
        skills: 0,
        venue: None,
        ends_itself: false,
        settled_apart: false,
        percent: 100,
        reading: None,
    });
    let (_, attempt, provider) = dispatched(&scheduler.poll(SECOND))[0];
    scheduler.awaits_word(id, attempt, SECOND);
    scheduler.remove_provider(provider, SECOND);
    assert!(scheduler.entries.is_out(id, attempt), "its answer is here");
    scheduler.providers.upsert(provider, on_credit(u32::MAX));
    let late = SECOND + SchedulerConfig::default().per_attempt;
    assert!(
        scheduler.poll(late.saturating_sub(SECOND)).is_empty(),
        "nobody doubles it: that would wait for the same word"
    );
    let actions = scheduler.poll(late);
    assert!(actions.contains(&Action::TimedOut { subtask: id, attempt }), "{actions:?}");
    assert_ne!(dispatched(&actions)[0].2, provider, "it has answered");
    scheduler.entries.add(ONE);
    assert_eq!(dispatched(&scheduler.poll(late))[0].2, provider, "and is asked first for what comes next");
}

#[test]
fn an_answer_that_this_machine_looks_at_outlives_its_provider() {
    let mut scheduler = with_providers(2);
    let id = scheduler.entries.add(ONE);
    let (_, attempt, provider) = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.came_in(id, attempt);
    scheduler.remove_provider(provider, SECOND);
    assert!(scheduler.entries.is_out(id, attempt), "its answer is here");
    assert!(scheduler.poll(SECOND).is_empty(), "nothing is cancelled, and nobody is asked in its place");
    scheduler.answered(id, attempt, Some(0), SECOND * 2);
    assert_eq!(
        (scheduler.entries.open(), scheduler.providers.here()),
        (0, 1),
        "it counts, and its provider stays away"
    );
}

#[test]
fn with_everybody_gone_only_what_still_needs_somebody_is_given_up() {
    for newcomer_wait in [SchedulerConfig::default().newcomer_wait, Duration::ZERO] {
        let mut scheduler = with_providers(1);
        scheduler.config.newcomer_wait = newcomer_wait;
        let answered = scheduler.entries.add(ONE);
        let (_, attempt, provider) = dispatched(&scheduler.poll(Duration::ZERO))[0];
        scheduler.came_in(answered, attempt);
        scheduler.remove_provider(provider, SECOND);
        let waiting = scheduler.entries.add(ONE);
        scheduler.poll(SECOND);
        let gone = scheduler.poll(SECOND + newcomer_wait);
        assert_eq!(
            (scheduler.entries.is_open(answered), scheduler.entries.is_open(waiting)),
            (true, false),
            "{gone:?}"
        );
        assert!(scheduler.entries.is_out(answered, attempt));
        assert!(scheduler.next_wakeup().is_some_and(|at| at > SECOND + newcomer_wait), "nothing spins");
        scheduler.answered(answered, attempt, Some(1), SECOND * 20);
        scheduler.poll(SECOND * 20);
        let mut now = SECOND * 20;
        while scheduler.entries.is_open(answered) {
            now = scheduler.next_wakeup().expect("it waits for somebody now").max(now);
            scheduler.poll(now);
        }
        assert!(now <= SECOND * 20 + newcomer_wait * 2, "given up at {now:?}");
    }
}

#[test]
fn a_late_answers_judge_has_as_much_time_as_its_provider_had() {
    let timeout = SchedulerConfig::default().per_attempt;
    let mut scheduler = with_providers(1);
    let id = scheduler.entries.add(ONE);
    let (_, attempt, _) = dispatched(&scheduler.poll(Duration::ZERO))[0];
    assert_eq!(scheduler.word_due(id, attempt), None, "nobody judges what is not here");
    let late = timeout.saturating_sub(SECOND);
    scheduler.came_in(id, attempt);
    scheduler.awaits_word(id, attempt, late);
    assert!(scheduler.poll(timeout).is_empty() && scheduler.entries.is_out(id, attempt));
    // It reaches its judge only now: others came before it.
    let shown = timeout + SECOND;
    scheduler.awaits_word(id, attempt, shown);
    assert_eq!(scheduler.word_due(id, attempt), Some(shown + timeout));
    assert!(scheduler.poll(late + timeout).is_empty() && scheduler.entries.is_out(id, attempt));
    let end = scheduler.poll(shown + timeout);
    assert!(end.contains(&Action::TimedOut { subtask: id, attempt }), "{end:?}");
    assert!(scheduler.entries.is_without_verdict(id, attempt));
}

#[test]
fn the_duration_of_a_verdict_says_nothing_of_provider_speeds() {
    let mut scheduler = with_providers(1);
    let id = scheduler.entries.add(ONE);
    let (_, attempt, _) = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.awaits_word(id, attempt, SECOND);
    scheduler.answered(id, attempt, Some(0), SECOND * 20);
    assert_eq!(scheduler.usual_latency.get(), Some(SECOND));
}

#[test]
fn the_time_that_this_machine_takes_over_an_answer_is_not_its_providers() {
    let timeout = SchedulerConfig::default().per_attempt;
    let mut scheduler = with_providers(2);
    for (provider, worth) in (0..).zip([0.9, 0.5]) {
        scheduler.providers.value(ProviderIndex(provider), worth);
    }
    let id = scheduler.entries.add(Needs {
        answers: 1,
        replicas: 2,
        skills: 0,
        venue: None,
        ends_itself: false,
        settled_apart: false,
        percent: 100,
        reading: None,
    });
    let (_, attempt, provider) = dispatched(&scheduler.poll(Duration::ZERO))[0];
    scheduler.came_in(id, attempt);
    for waited in 1..LONGEST_HERE {
        assert!(scheduler.poll(timeout * waited).is_empty(), "nobody is asked in its place");
    }
    // Looked at late, it counts as any other.
    let mut late = with_providers(1);
    let counted = late.entries.add(ONE);
    let (_, its, _) = dispatched(&late.poll(Duration::ZERO))[0];
    late.came_in(counted, its);
    late.poll(timeout * 3);
    late.answered(counted, its, Some(0), timeout * 3);
    assert_eq!(late.entries.open(), 0);
    // What was lost on the way is asked of another, and says nothing of the provider that answered.
    let lost = scheduler.poll(timeout * LONGEST_HERE);
    assert!(lost.contains(&Action::TimedOut { subtask: id, attempt }), "{lost:?}");
    assert!(scheduler.entries.is_without_verdict(id, attempt));
    assert_ne!(dispatched(&lost)[0].2, provider);
    scheduler.entries.add(ONE);
    assert_eq!(dispatched(&scheduler.poll(timeout * LONGEST_HERE))[0].2, provider, "it is asked first");
}

/// Providers 0 and 1 are newcomers, 2 has a record, 3 may be believed alone.
fn by_trust() -> Scheduler {
    let mut scheduler = Scheduler::new(SchedulerConfig { by_trust: true, ..SchedulerConfig::default() });
    for (provider, trust) in (0..).zip([Trust::Newcomer, Trust::Newcomer, Trust::Known, Trust::Alone]) {
        scheduler.providers.upsert(
            ProviderIndex(provider),
            Capacity {
                workers: 1,
                skills: 0,
                venue: None,
                last_resort: false,
                most_unjudged: u32::MAX,
                trust,
            },
        );
    }
    scheduler
}

#[test]
fn a_subtask_is_shown_to_one_newcomer_while_others_can_be_asked() {
    let mut scheduler = by_trust();
    for (provider, worth) in (0..).zip([0.9, 0.7, 0.8, 0.6]) {
        scheduler.providers.value(ProviderIndex(provider), worth);
    }
    let id = scheduler.entries.add(Needs { replicas: 4, ..TWO_OF_THREE });
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
fn who_may_be_believed_alone_is_asked_with_others_for_a_recheck() {
    let mut scheduler = by_trust();
    (0..2).for_each(|newcomer| scheduler.remove_provider(ProviderIndex(newcomer), Duration::ZERO));
    scheduler.providers.value(ProviderIndex(3), 0.9);
    let id = scheduler.entries.add(TWO_OF_THREE);
    let first = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(first.iter().map(|sent| sent.2.0).collect::<Vec<_>>(), [3]);
    scheduler.entries.ask_others_too(id);
    let second = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(second.iter().map(|sent| sent.2.0).collect::<Vec<_>>(), [2]);
    scheduler.answered(id, first[0].1, Some(1), SECOND);
    scheduler.entries.ask_others_too(id);
    assert!(dispatched(&scheduler.poll(SECOND)).is_empty(), "the caller said who is missing");
    scheduler.answered(id, second[0].1, Some(0), SECOND);
    assert_eq!(scheduler.entries.open(), 0);
}

#[test]
fn who_may_be_believed_alone_is_asked_alone() {
    let mut scheduler = by_trust();
    (0..3).for_each(|newcomer| scheduler.remove_provider(ProviderIndex(newcomer), Duration::ZERO));
    scheduler.providers.upsert(
        ProviderIndex(4),
        Capacity {
            workers: 1,
            skills: 0,
            venue: None,
            last_resort: false,
            most_unjudged: u32::MAX,
            trust: Trust::Alone,
        },
    );
    let id = scheduler.entries.add(TWO_OF_THREE);
    let sent = dispatched(&scheduler.poll(Duration::ZERO));
    assert_eq!(sent.len(), 1);
    scheduler.answered(id, sent[0].1, Some(1), SECOND);
    assert_eq!(
        dispatched(&scheduler.poll(SECOND)).len(),
        1,
        "a second one is asked if the answer is doubted"
    );
}
