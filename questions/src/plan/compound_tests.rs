//! The growing plan of a question in parts, with answers that are computed from the lines.

use std::sync::Arc;

use frlm_learning::planning::decompose::{Action, Dependencies, Pattern};
use frlm_scheduler::SubtaskId;

use super::compound::{Answered, CompoundMap, reduce_parts};
use super::{Outcome, PlanSource, Settled, Subtask, Task};
use crate::dialect::testing::{ORDERS, SHOP, fragments, right_answer};
use crate::ingest::{Fragment, FragmentId};
use crate::question::compound::Compound;
use crate::reduce::{Bound, Coverage};

fn documents() -> Vec<Arc<Fragment>> {
    let mut all = fragments("orders.log", ORDERS, 60);
    all.extend(fragments("shop.log", SHOP, 60));
    (0..).zip(all).map(|(id, fragment)| Arc::new(Fragment { id: FragmentId(id), ..fragment })).collect()
}

fn read(question: &str) -> (Arc<Compound>, Vec<Arc<Fragment>>) {
    let documents = documents();
    let plain: Vec<Fragment> = documents.iter().map(|fragment| fragment.as_ref().clone()).collect();
    (Arc::new(Compound::read(question, &plain).unwrap()), documents)
}

fn answer(subtask: &Subtask) -> Outcome {
    let Task::Map { task, fragment } = &subtask.task else { panic!("only fragments are asked") };
    Outcome::Mapped(right_answer(task.query.as_ref().unwrap(), fragment))
}

/// Runs a plan to its end; the waves in which it grew, and everything that was answered. Subtasks that
/// `fails` names never are.
fn grow(
    plan: &mut CompoundMap,
    fails: impl Fn(&Subtask) -> bool,
) -> (Vec<usize>, Vec<(Subtask, Option<Outcome>)>) {
    let mut all: Vec<(Subtask, Option<Outcome>)> = Vec::new();
    let mut waves = Vec::new();
    let mut told = 0;
    loop {
        let settled: Vec<Settled<'_>> = (0..)
            .zip(&all)
            .skip(told)
            .filter_map(|(id, (_, outcome))| {
                Some(Settled { id: SubtaskId(id), outcome: outcome.as_ref()?, confidence: 1.0 })
            })
            .collect();
        let next = plan.next(&settled, SubtaskId(u32::try_from(all.len()).unwrap())).unwrap();
        told = all.len();
        if next.is_empty() {
            return (waves, all);
        }
        waves.push(next.len());
        all.extend(next.into_iter().map(|subtask| {
            let outcome = (!fails(&subtask)).then(|| answer(&subtask));
            (subtask, outcome)
        }));
    }
}

fn answered(all: &[(Subtask, Option<Outcome>)]) -> impl Iterator<Item = Answered<'_>> {
    all.iter().map(|(subtask, outcome)| Answered { subtask, outcome: outcome.as_ref() })
}

const FAILED: &str = "Which user has the most failed orders, how many errors did the log show for that user, \
                      and was the largest of that user's orders shipped?";

#[test]
fn what_waits_is_asked_when_its_answer_is_there_and_the_text_says_all() {
    let (compound, documents) = read(FAILED);
    let mut plan = CompoundMap::new(Arc::clone(&compound), documents.clone());
    let (orders, shop) = (ORDERS.lines().count().div_ceil(60), SHOP.lines().count().div_ceil(60));
    assert_eq!(plan.to_come().len(), orders + shop + orders);
    let (waves, all) = grow(&mut plan, |_| false);
    assert_eq!(waves, [orders, shop + orders]);
    assert!(plan.to_come().is_empty());
    let (reduced, coverage, _) = reduce_parts(&compound, &documents, answered(&all));
    assert_eq!(coverage, Coverage::full(orders + shop + orders));
    assert_eq!(reduced.bound, Bound::Exact);
    // grep status=failed orders.log | grep -o 'user=[^ ]*' | sort | uniq -c | sort -rn | head -2
    let errors = SHOP.lines().filter(|line| line.contains("level=ERROR user=ines.costa ")).count();
    let lines: Vec<&str> = reduced.text.lines().collect();
    assert!(lines[0].contains("ines.costa: 9 of 48 records; next is sofia.berg with 8"), "{}", lines[0]);
    assert!(lines[1].contains(&format!("[ines.costa] {errors} records match")), "{}", lines[1]);
    assert!(
        lines[2].contains("[ines.costa] No, delivered and not shipped. The largest amount is 315.40"),
        "{}",
        lines[2]
    );
}

#[test]
fn a_part_whose_answer_is_missing_leaves_those_that_wait_for_it_unasked() {
    let (compound, documents) = read(FAILED);
    let mut plan = CompoundMap::new(Arc::clone(&compound), documents.clone());
    let (waves, all) = grow(&mut plan, |subtask| subtask.key().starts_with("map:3:"));
    assert_eq!(waves.len(), 1);
    let (reduced, coverage, _) = reduce_parts(&compound, &documents, answered(&all));
    assert!(!coverage.is_full());
    assert_eq!(reduced.bound, Bound::Unknown);
    assert!(
        reduced.text.contains("2. How many errors did the log show for that user? It was not asked"),
        "{}",
        reduced.text
    );
}

#[test]
fn a_part_that_speaks_of_nothing_is_not_asked_and_is_not_missing() {
    let (compound, documents) = read(
        "Which user has the most orders with an amount over 100000, and how many errors did the log show for that user?",
    );
    let mut plan = CompoundMap::new(Arc::clone(&compound), documents.clone());
    let (waves, all) = grow(&mut plan, |_| false);
    assert_eq!(waves.len(), 1);
    let (reduced, coverage, _) = reduce_parts(&compound, &documents, answered(&all));
    assert!(coverage.is_full());
    assert!(reduced.text.contains("because part 1 has no single answer"), "{}", reduced.text);
}

#[test]
fn keys_tell_parts_and_answers_apart_and_stay_the_same() {
    let (compound, documents) = read(FAILED);
    let keys = || {
        let (_, all) = grow(&mut CompoundMap::new(Arc::clone(&compound), documents.clone()), |_| false);
        all.into_iter().map(|(subtask, _)| subtask.key()).collect::<Vec<_>>()
    };
    let first = keys();
    assert_eq!(first, keys());
    let distinct: std::collections::HashSet<&String> = first.iter().collect();
    assert_eq!(distinct.len(), first.len());
    assert!(first.iter().all(|key| super::fragment_of_key(key).is_some()));
}

#[test]
fn parts_that_code_can_answer_are_not_sent() {
    let (compound, documents) =
        read("How many lines mention card_declined, and how many lines mention session_lost?");
    assert!(compound.by_code());
    let mut plan = CompoundMap::new(Arc::clone(&compound), documents.clone());
    let (waves, all) = grow(&mut plan, |_| false);
    assert!(waves.is_empty() && all.is_empty());
    let (reduced, coverage, _) = reduce_parts(&compound, &documents, answered(&all));
    assert!(coverage.is_full());
    let declined = ORDERS.matches("card_declined").count();
    assert!(reduced.text.contains(&format!("{declined} records match")), "{}", reduced.text);
}

#[test]
fn however_the_brain_arranges_the_parts_the_answer_is_the_same() {
    let (compound, documents) = read(FAILED);
    let asked = |action: Option<Action>| {
        let mut plan = CompoundMap::new(Arc::clone(&compound), documents.clone());
        assert!(plan.has_choice());
        if let Some(action) = &action {
            plan.follow(action);
        }
        let to_come = plan.to_come().len();
        let (waves, all) = grow(&mut plan, |_| false);
        assert_eq!(waves.iter().sum::<usize>(), to_come, "the quote covers all of it");
        let (reduced, coverage, _) = reduce_parts(&compound, &documents, answered(&all));
        assert!(coverage.is_full());
        (waves.len(), reduced.text)
    };
    let (_, wanted) = asked(None);
    for action in Action::all() {
        let (waves, text) = asked(Some(action));
        assert_eq!(text, wanted, "{action:?}");
        let chain = action.pattern == Pattern::Sequential || action.dependencies == Dependencies::LinearChain;
        assert_eq!(waves, if chain { 3 } else { 2 }, "{action:?}");
    }
}

#[test]
fn no_more_parts_are_open_than_were_chosen() {
    let (compound, documents) = read(
        "How many orders failed? How many orders were refunded? How many orders were shipped? What is the largest amount?",
    );
    let waves = |steps| {
        let mut plan = CompoundMap::new(Arc::clone(&compound), documents.clone());
        let action =
            Action { steps, pattern: Pattern::Parallel, dependencies: Dependencies::Dag, ..Action::STATIC };
        plan.follow(&action);
        grow(&mut plan, |_| false).0.len()
    };
    assert_eq!((waves(2), waves(3), waves(4), waves(7)), (2, 2, 1, 1));
}

#[test]
fn a_failed_part_delays_independent_ones_only_while_something_is_open() {
    let (compound, documents) = read("How many orders failed, and what is the largest amount?");
    let mut plan = CompoundMap::new(Arc::clone(&compound), documents.clone());
    plan.follow(&Action { pattern: Pattern::Sequential, ..Action::STATIC });
    let first = plan.next(&[], SubtaskId(0)).unwrap();
    assert!(!first.is_empty() && first.iter().all(|subtask| subtask.key().contains(":part:0:")));
    // Its answers never come.
    let asked = SubtaskId(u32::try_from(first.len()).unwrap());
    assert!(plan.next(&[], asked).unwrap().is_empty());
    assert!(plan.hold_nothing_back());
    let second = plan.next(&[], asked).unwrap();
    assert!(!second.is_empty() && second.iter().all(|subtask| subtask.key().contains(":part:1:")));
    assert!(!plan.hold_nothing_back(), "nothing is left to ask");
}

#[test]
fn two_compared_figures_are_compared_once_both_are_known() {
    let (compound, documents) =
        read("Compare the number of failed orders with the number of refunded orders.");
    let text = |fails: fn(&Subtask) -> bool| {
        let (_, all) = grow(&mut CompoundMap::new(Arc::clone(&compound), documents.clone()), fails);
        reduce_parts(&compound, &documents, answered(&all)).0.text
    };
    let count = |status: &str| ORDERS.lines().filter(|line| line.contains(status)).count();
    let (failed, refunded) = (count("status=failed"), count("status=refunded"));
    assert!(failed > refunded);
    let whole = text(|_| false);
    let lines: Vec<&str> = whole.lines().collect();
    assert!(lines[0].starts_with("1. The number of failed orders: ") && lines.len() == 3, "{whole}");
    assert_eq!(lines[2], format!("The first is larger, by {}.", failed - refunded));
    let asks_for_refunded = |subtask: &Subtask| match &subtask.task {
        Task::Map { task, .. } => {
            task.query.as_ref().is_some_and(|query| query.conditions[0].value == "refunded")
        }
        _ => false,
    };
    assert!(!text(asks_for_refunded).contains("larger"));
}

#[test]
fn whether_there_are_more_is_answered_with_yes_or_no() {
    let count = |status: &str| ORDERS.lines().filter(|line| line.contains(status)).count();
    let (failed, refunded) = (count("status=failed"), count("status=refunded"));
    assert!(failed > refunded);
    let more = failed - refunded;
    for (question, verdict) in [
        ("Are there more failed than refunded orders?", format!("Yes, more, by {more}.")),
        ("Are there fewer failed than refunded orders?", format!("No, more, by {more}.")),
        ("Are there more refunded than failed orders?", format!("No, fewer, by {more}.")),
        ("Are there fewer refunded orders than failed ones?", format!("Yes, fewer, by {more}.")),
    ] {
        let (compound, documents) = read(question);
        let (_, all) = grow(&mut CompoundMap::new(Arc::clone(&compound), documents.clone()), |_| false);
        let text = reduce_parts(&compound, &documents, answered(&all)).0.text;
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() == 3 && lines[0].starts_with("1. How many "), "{text}");
        assert_eq!(lines[2], verdict, "{question}");
    }
}

#[test]
fn what_two_answers_come_to_stands_behind_them_once_both_are_known() {
    let (compound, documents) = read(
        "Which user has the most failed orders, how many orders of that user are failed, how many orders of that user are refunded, which of the two is larger, and what is the sum of the two?",
    );
    let text = |fails: fn(&Subtask) -> bool| {
        let mut plan = CompoundMap::new(Arc::clone(&compound), documents.clone());
        let (_, all) = grow(&mut plan, fails);
        reduce_parts(&compound, &documents, answered(&all)).0.text
    };
    let whole = text(|_| false);
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines.len(), 5, "{whole}");
    let user = lines[0].split_once("? ").unwrap().1.split(':').next().unwrap();
    let count = |status: &str| {
        let owner = format!("user={user} ");
        ORDERS.lines().filter(|line| line.contains(&owner) && line.contains(status)).count()
    };
    let (failed, refunded) = (count("status=failed"), count("status=refunded"));
    assert!(failed > refunded, "{whole}");
    assert_eq!(lines[3], format!("Which of the two is larger? Part 2 is larger, by {}.", failed - refunded));
    assert_eq!(lines[4], format!("What is the sum of the two? {}.", failed + refunded));
    let unknown = text(|subtask| subtask.part() == Some(2));
    let told = unknown.lines().filter(|line| line.contains("That cannot be told")).count();
    assert_eq!(told, 2, "{unknown}");
}

#[test]
fn totals_and_averages_are_compared_as_far_as_they_are_exact() {
    let text = |question: &str| {
        let (compound, documents) = read(question);
        let (_, all) = grow(&mut CompoundMap::new(Arc::clone(&compound), documents.clone()), |_| false);
        reduce_parts(&compound, &documents, answered(&all)).0.text
    };
    // In cents.
    let total = |status: &str| -> i64 {
        let amounts = ORDERS.lines().filter(|line| line.contains(status)).map(|line| {
            let amount = line.split("amount=").nth(1).unwrap().split(' ').next().unwrap();
            amount.replace('.', "").parse::<i64>().unwrap()
        });
        amounts.sum()
    };
    let (failed, refunded) = (total("status=failed"), total("status=refunded"));
    let which = if failed > refunded { "first" } else { "second" };
    let cents = (failed - refunded).abs();
    let verdict = format!("The {which} is larger, by {}.{:02}.", cents / 100, cents % 100);
    let said = text("Compare the total amount of failed orders with the total amount of refunded orders.");
    assert_eq!(said.lines().last(), Some(verdict.as_str()), "{said}");
    let said =
        text("Compare the average amount of failed orders with the average amount of refunded orders.");
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("The ") && last.contains(" is larger, by "), "{said}");
}
