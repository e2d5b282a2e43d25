use frlm_scheduler::{AttemptId, FailureReason, SubtaskId};
use frlm_verifier::validation::Method;
use proptest::prelude::*;

use super::*;
use frlm_conductor::trace::{AuditFinding, PlannedSubtask, TraceEvent};

fn record(seq: u64, at_ms: u64, event: TraceEvent) -> TraceRecord {
    TraceRecord { seq, at_ms, event }
}

fn ids(subtask: u32, attempt: u32) -> (SubtaskId, AttemptId) {
    (SubtaskId(subtask), AttemptId(attempt))
}

fn submit(subtask: u32, attempt: u32, provider: &str) -> TraceEvent {
    let (subtask, attempt) = ids(subtask, attempt);
    TraceEvent::SubQuerySubmit { subtask, attempt, provider: provider.to_owned(), hedge: false }
}

fn sent(subtask: u32, attempt: u32) -> TraceEvent {
    let (subtask, attempt) = ids(subtask, attempt);
    TraceEvent::SubQuerySent { subtask, attempt, job: "e".repeat(64) }
}

fn returned(subtask: u32, attempt: u32) -> TraceEvent {
    let (subtask, attempt) = ids(subtask, attempt);
    let summary = "2 records match".to_owned();
    TraceEvent::SubQueryReturn {
        subtask,
        attempt,
        ok: true,
        summary,
        tokens: 40,
        completion_tokens: 8,
        duration_ms: 9,
    }
}

fn reserve(subtask: u32, attempt: u32, sats: u64) -> TraceEvent {
    let (subtask, attempt) = ids(subtask, attempt);
    TraceEvent::BudgetReserve { subtask, attempt, sats }
}

fn settle(subtask: u32, attempt: u32, spent_sats: u64, refunded_sats: u64) -> TraceEvent {
    let (subtask, attempt) = ids(subtask, attempt);
    TraceEvent::BudgetSettle { subtask, attempt, spent_sats, refunded_sats }
}

/// One subtask, two providers, the second says something else.
fn disputed() -> Vec<TraceRecord> {
    let events = [
        (
            0,
            TraceEvent::Plan {
                subtasks: vec![PlannedSubtask {
                    id: SubtaskId(0),
                    key: "k".to_owned(),
                    label: "lines 1–16".to_owned(),
                }],
            },
        ),
        (1, reserve(0, 0, 5)),
        (1, reserve(0, 1, 5)),
        (2, submit(0, 0, "aa")),
        (2, submit(0, 1, "bb")),
        (3, sent(0, 0)),
        (10, returned(0, 0)),
        (12, returned(0, 1)),
        (
            12,
            TraceEvent::Verify {
                subtask: SubtaskId(0),
                passed: false,
                agreement: 0.5,
                agreeing: vec!["aa".to_owned()],
                dissenting: vec!["bb".to_owned()],
            },
        ),
        (13, settle(0, 0, 4, 1)),
        (13, settle(0, 1, 0, 5)),
    ];
    (0..).zip(events).map(|(seq, (at_ms, event))| record(seq, at_ms, event)).collect()
}

#[test]
fn any_moment_can_be_shown_without_folding_again() {
    let records = disputed();
    let whole = RunView::of(&records);
    let mut folded = RunView::default();
    for pair in records.windows(2) {
        folded.apply(&pair[0]);
        if pair[0].at_ms < pair[1].at_ms {
            let at = pair[0].at_ms;
            let lane = folded.subtasks.first().map(|lane| lane.state);
            assert_eq!(lane, whole.subtasks.first().map(|lane| lane.state_at(at)), "at {at} ms");
            assert_eq!(folded.money.now(), whole.money.at(at), "at {at} ms");
        }
    }
}

#[test]
fn money_moves_from_reserved_to_locked_to_spent_or_free() {
    let view = RunView::of(&disputed());
    let at = |at_ms| (view.money.at(at_ms).reserved, view.money.at(at_ms).locked, view.money.at(at_ms).spent);
    assert_eq!(at(0), (0, 0, 0));
    assert_eq!(at(1), (10, 0, 0));
    assert_eq!(at(3), (5, 5, 0));
    assert_eq!(at(13), (0, 0, 4));
    assert_eq!(view.money.now().free(100), 96);
}

#[test]
fn what_is_owed_counts_as_spent_and_is_told_apart_until_it_is_paid() {
    let owed = |attempt| {
        let (subtask, attempt) = ids(0, attempt);
        TraceEvent::Owed { subtask, attempt, sats: 5 }
    };
    let events = [
        (1, reserve(0, 0, 5)),
        (1, reserve(0, 1, 5)),
        (3, sent(0, 0)),
        (3, sent(0, 1)),
        (12, owed(0)),
        (13, owed(1)),
        (20, settle(0, 0, 4, 1)),
        (30, TraceEvent::RunResume { resumed_at_ms: 0, known: 0 }),
    ];
    let mut view = RunView::default();
    for (seq, (at_ms, event)) in (0..).zip(events) {
        // As the journal stores it.
        let stored = serde_json::to_string(&record(seq, at_ms, event)).unwrap();
        view.apply(&serde_json::from_str(&stored).unwrap());
    }
    let at = |at_ms| {
        let MoneyPoint { spent, owed, locked, reserved, .. } = view.money.at(at_ms);
        (spent, owed, locked, reserved)
    };
    assert_eq!((at(3), at(12)), ((0, 0, 10, 0), (5, 5, 5, 0)));
    assert_eq!((at(13), at(20)), ((10, 10, 0, 0), (9, 5, 0, 0)), "what was too much is free again");
    assert_eq!(at(30), (9, 0, 0, 0), "debts of an earlier start are somebody else's to pay");
    assert_eq!(view.money.now().free(100), 91);
    assert!(view.money.ever_owed());
}

#[test]
fn attempts_know_what_the_comparison_said_of_them() {
    let view = RunView::of(&disputed());
    let said: Vec<_> = view.subtasks[0].attempts.iter().map(|attempt| attempt.said).collect();
    assert_eq!(said, [Some(Said::Same), Some(Said::Else)]);
    assert_eq!((view.providers[0].agreed, view.providers[1].dissented), (1, 1));
    assert_eq!(view.checks.compared.failed, 1);
}

#[test]
fn an_answer_that_is_compared_once_more_counts_once() {
    let mut view = RunView::of(&disputed());
    let both = || vec!["aa".to_owned(), "bb".to_owned()];
    let event = |agreeing, dissenting| TraceEvent::Verify {
        subtask: SubtaskId(0),
        passed: true,
        agreement: 1.0,
        agreeing,
        dissenting,
    };
    view.apply(&record(11, 14, event(both(), Vec::new())));
    let counts = |view: &RunView| {
        let counts = view.providers.iter().map(|provider| (provider.agreed, provider.dissented));
        counts.collect::<Vec<_>>()
    };
    assert_eq!(counts(&view), [(1, 0), (1, 0)], "the last comparison counts");
    view.apply(&record(12, 15, event(vec!["bb".to_owned()], vec!["aa".to_owned()])));
    assert_eq!(counts(&view), [(0, 1), (1, 0)]);
}

#[test]
fn an_answer_without_a_verdict_says_so_and_counts_for_neither_side() {
    let mut view = RunView::of(&disputed());
    let (subtask, attempt) = ids(0, 1);
    let event = TraceEvent::NoVerdict {
        subtask,
        attempt,
        validator: "v".to_owned(),
        provider: "b".to_owned(),
        paid: true,
        why: "the engine failed".to_owned(),
    };
    let (agreed, dissented) = (view.providers[0].agreed, view.providers[1].dissented);
    // As the journal stores it.
    let stored = serde_json::to_string(&record(11, 60, event)).unwrap();
    assert!(stored.contains(r#""type":"no_verdict""#), "{stored}");
    view.apply(&serde_json::from_str(&stored).unwrap());
    assert_eq!(view.subtasks[0].attempts[1].said, Some(Said::Nothing));
    assert_eq!((view.providers[0].agreed, view.providers[1].dissented), (agreed, dissented));
}

#[test]
fn audits_are_counted_by_what_they_found_and_what_proves_nothing_is_not() {
    let mut view = RunView::of(&disputed());
    let unreadable = AuditFinding::Unreadable("other positions".to_owned());
    for (seq, finding) in (11..).zip([AuditFinding::Fits, AuditFinding::AnotherModel, unreadable]) {
        let (subtask, attempt) = ids(0, 0);
        let provider = "aa".to_owned();
        let event = TraceEvent::Audited { subtask, attempt, provider, finding, apart_nats: None };
        let line = serde_json::to_string(&record(seq, 14, event)).unwrap();
        view.apply(&serde_json::from_str(&line).unwrap());
    }
    assert_eq!(view.checks.audited, TierView { passed: 1, failed: 1, cost_sats: 0 });
}

#[test]
fn judged_and_arbitrated_answers_are_counted_and_undecidable_ones_not() {
    let mut view = RunView::of(&disputed());
    let (subtask, attempt) = ids(0, 0);
    let judged = |passed| TraceEvent::Validated {
        subtask,
        attempt,
        method: Method::CrossReference,
        correctness: None,
        passed,
        methods: vec![Method::CrossReference],
        unread: None,
    };
    let arbitrated = |chosen: &[&str]| TraceEvent::Arbitrated {
        subtask,
        contenders: 2,
        audited: false,
        chosen: chosen.iter().map(|key| (*key).to_owned()).collect(),
        confidence: None,
        reasoning: "the first one quotes the text".to_owned(),
    };
    let events = [
        judged(Some(true)),
        judged(Some(true)),
        judged(Some(false)),
        judged(None),
        arbitrated(&["aa"]),
        arbitrated(&[]),
    ];
    for (seq, event) in (11..).zip(events) {
        view.apply(&record(seq, 14, event));
    }
    assert_eq!(view.checks.judged, TierView { passed: 2, failed: 1, cost_sats: 0 });
    assert_eq!(view.checks.arbitrated, TierView { passed: 1, failed: 1, cost_sats: 0 });
}

#[test]
fn a_raised_budget_holds_from_then_on() {
    let mut view = RunView::default();
    let start = TraceEvent::RunStart {
        run_id: "r".to_owned(),
        question: "q".to_owned(),
        started_at_ms: 0,
        limit_sats: 40,
        policy: "none".to_owned(),
        documents: Vec::new(),
        fragments: 1,
    };
    for (seq, (at_ms, event)) in (0..).zip([(0, start), (50, TraceEvent::BudgetRaised { limit_sats: 90 })]) {
        // As the journal stores it.
        let stored = serde_json::to_string(&record(seq, at_ms, event)).unwrap();
        view.apply(&serde_json::from_str(&stored).unwrap());
    }
    assert_eq!((view.budget.at(0), view.budget.at(49), view.budget.at(50)), (40, 40, 90));
    assert_eq!(view.budget.limit_sats, 90);
}

#[test]
fn a_resumed_run_waits_for_nobody_of_before() {
    let mut view = RunView::of(&disputed()[..7]);
    view.apply(&record(7, 20, TraceEvent::RunResume { resumed_at_ms: 0, known: 0 }));
    let endings: Vec<_> = view.subtasks[0].attempts.iter().map(|attempt| attempt.ending).collect();
    assert_eq!(endings, [Some(AttemptEnding::Answered), Some(AttemptEnding::Lost)]);
    assert_eq!(view.subtasks[0].state, SubtaskState::Queued);
}

#[test]
fn a_subtask_that_was_given_up_and_then_verified_counts_once() {
    let mut view = RunView::of(&disputed());
    view.apply(&record(11, 14, TraceEvent::GaveUp { subtask: SubtaskId(0), why: FailureReason::Split }));
    assert_eq!((view.progress.gave_up, view.progress.verified()), (1, 0));
    let outcome = frlm_questions::plan::Outcome::Combined("x".to_owned());
    view.apply(&record(
        12,
        15,
        TraceEvent::Verified {
            subtask: SubtaskId(0),
            key: "k".to_owned(),
            outcome,
            agreement: 1.0,
            confidence: None,
            replicas: 1,
            local: true,
        },
    ));
    assert_eq!((view.progress.gave_up, view.progress.verified()), (0, 1));
}

#[test]
fn a_subtask_that_is_asked_again_is_open_again_and_its_past_stays_visible() {
    let mut records = disputed();
    let count = records.len() as u64;
    records.push(record(
        count,
        14,
        TraceEvent::GaveUp { subtask: SubtaskId(0), why: FailureReason::Cancelled },
    ));
    records.push(record(count + 1, 20, submit(0, 2, "aa")));
    let view = RunView::of(&records);
    assert_eq!((view.progress.gave_up, view.subtasks[0].state), (0, SubtaskState::Asked));
    let at = |at_ms| view.subtasks[0].state_at(at_ms);
    assert_eq!(at(12), SubtaskState::Returned);
    assert_eq!(at(15), SubtaskState::GaveUp(FailureReason::Cancelled));
    assert_eq!(at(20), SubtaskState::Asked);
}

fn any_event() -> impl Strategy<Value = TraceEvent> {
    let subtask = prop_oneof![0..6_u32, Just(u32::MAX)];
    let sats = prop_oneof![0..50_u64, Just(u64::MAX)];
    (0..10, subtask, 0..4_u32, sats, "[a-c]{1}").prop_map(|(kind, subtask, attempt, sats, key)| match kind {
        0 => reserve(subtask, attempt, sats),
        1 => settle(subtask, attempt, sats, sats),
        2 => submit(subtask, attempt, &key),
        3 => sent(subtask, attempt),
        4 => returned(subtask, attempt),
        5 => TraceEvent::SubQueryTimeout { subtask: SubtaskId(subtask), attempt: AttemptId(attempt) },
        6 => TraceEvent::GaveUp { subtask: SubtaskId(subtask), why: FailureReason::Exhausted },
        7 => TraceEvent::Verify {
            subtask: SubtaskId(subtask),
            passed: true,
            agreement: 1.0,
            agreeing: vec![key],
            dissenting: Vec::new(),
        },
        8 => TraceEvent::Owed { subtask: SubtaskId(subtask), attempt: AttemptId(attempt), sats },
        _ => TraceEvent::RunResume { resumed_at_ms: 0, known: 0 },
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Nonsense in any order, as a damaged trace may hold it, is folded without a panic and without
    /// much memory; the curve stays in order.
    #[test]
    fn nonsense_does_no_harm(events in prop::collection::vec((0..40_u64, any_event()), 0..60)) {
        let mut at_ms = 0;
        let mut view = RunView::default();
        for (seq, (later, event)) in (0..).zip(events) {
            at_ms += later;
            view.apply(&record(seq, at_ms, event));
        }
        prop_assert!(view.money.steps().is_sorted_by_key(|point| point.at_ms));
        prop_assert!(view.money.steps().iter().all(|point| point.owed <= point.spent));
        prop_assert!(view.progress.verified_at(at_ms) == view.progress.verified());
        let _ = view.projected_sats();
    }
}
