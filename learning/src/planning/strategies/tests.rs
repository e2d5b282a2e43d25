//! Tests between ways by the figures of seeds/super-llm-block.md (`meta_learning`).

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::planning::decompose::{AskingOrder, Phrasing};

const OLD: Strategy = Strategy { order: AskingOrder::AllAtOnce, phrasing: Phrasing::Specific };
const NEW: Strategy = Strategy { order: AskingOrder::InWaves, phrasing: Phrasing::Specific };
const THIRD: Strategy = Strategy { order: AskingOrder::OneByOne, phrasing: Phrasing::General };

/// The policy chose it so often, for so much each.
fn chosen(contest: &mut Contest, strategy: Strategy, times: u64, reward: f64) {
    for _ in 0..times {
        assert_eq!(contest.note(Sample { strategy, test: None, reward }), None);
    }
}

/// Both are in a test.
fn paired() -> Contest {
    let mut contest = Contest::default();
    chosen(&mut contest, OLD, FEWEST_TO_TEST + 1, 0.7);
    chosen(&mut contest, NEW, FEWEST_TO_TEST, 0.7);
    contest
}

fn status(contest: &Contest, strategy: Strategy) -> &StrategyStatus {
    &contest.contenders().iter().find(|contender| contender.strategy == strategy).unwrap().status
}

/// Runs a test of two strategies with these means to its end, or for so many questions.
fn tested(old: f64, new: f64, questions: u32, seed: u64) -> (Option<Decided>, u32, Contest) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut contest = paired();
    let number = contest.test().unwrap().number;
    for question in 1..=questions {
        let (strategy, mean) = if rng.random() { (NEW, new) } else { (OLD, old) };
        let reward = mean + 0.3 * (rng.random::<f64>() - 0.5);
        if let Some(decided) = contest.note(Sample { strategy, test: Some(number), reward }) {
            return (Some(decided), question, contest);
        }
    }
    (None, questions, contest)
}

#[test]
fn the_better_of_two_wins_after_100_uses_each_and_the_other_is_retired() {
    let (decided, questions, contest) = tested(0.6, 0.8, 5_000, 1);
    let decided = decided.unwrap();
    assert!((200..400).contains(&questions), "the test size of meta_learning is a floor: {questions}");
    assert_eq!((decided.test, decided.winner, decided.loser), (1, NEW, OLD));
    assert!(matches!(status(&contest, OLD), StrategyStatus::Retired { why } if *why == decided.why));
    assert!(decided.why.starts_with("against \"in waves, specific\": worth at least 0.1"), "{}", decided.why);
    assert_eq!(*status(&contest, NEW), StrategyStatus::Champion);
    assert_eq!(contest.field(), Field { closed: vec![OLD], pair: None });
    assert_eq!(contest.decided(), [decided]);
}

#[test]
fn no_test_is_decided_before_test_sample_size_however_clear_it_is() {
    let mut contest = paired();
    for _ in 0..FEWEST_SAMPLES - 1 {
        for (strategy, reward) in [(OLD, 0.9), (NEW, -0.9)] {
            assert_eq!(contest.note(Sample { strategy, test: Some(1), reward }), None);
        }
    }
    let last = |strategy, reward| Sample { strategy, test: Some(1), reward };
    assert_eq!(contest.note(last(OLD, 0.9)), None, "100 of one and 99 of the other");
    assert_eq!(contest.note(last(NEW, -0.9)).unwrap().loser, NEW);
    assert_eq!(FEWEST_SAMPLES, 100);
}

#[test]
fn what_a_strategy_is_worth_less_is_no_more_than_its_table_shows() {
    // 0.774 and 0.508 are shown as 0.77 and 0.51.
    assert_eq!(less(0.774 - 0.508), "worth at least 0.26 less");
    assert_eq!(less(0.004), "worth at least 0.004 less");
}

#[test]
fn the_worse_challenger_is_retired() {
    let (decided, _, contest) = tested(0.8, 0.7, 20_000, 2);
    assert_eq!(decided.unwrap().loser, NEW);
    assert_eq!(*status(&contest, OLD), StrategyStatus::Champion);
}

#[test]
fn looking_after_every_question_finds_no_difference_where_there_is_none() {
    let wrong = |seed: &u64| tested(0.7, 0.7, 2_000, *seed).0.is_some_and(|one| one.why.contains("less"));
    let false_alarms = (0..200).filter(wrong).count();
    assert!(false_alarms <= 10, "{false_alarms} of 200 at a level of 5 % over the whole test");
}

#[test]
fn equals_are_told_apart_from_the_undecided_in_the_end() {
    let (decided, _, contest) = tested(0.7, 0.7, 200_000, 3);
    assert!(decided.unwrap().why.contains("no difference that matters"));
    assert_eq!(*status(&contest, OLD), StrategyStatus::Champion);
}

#[test]
fn a_test_begins_after_enough_uses_of_two_and_counts_only_later_samples() {
    let mut contest = Contest::default();
    chosen(&mut contest, OLD, FEWEST_TO_TEST + 1, 0.9);
    chosen(&mut contest, NEW, FEWEST_TO_TEST - 1, 0.1);
    assert_eq!((contest.test(), contest.field()), (None, Field::default()));
    chosen(&mut contest, NEW, 1, 0.1);
    let test = contest.test().unwrap();
    assert_eq!((test.number, test.champion.strategy, test.challenger.strategy), (1, OLD, NEW));
    assert_eq!((test.champion.trial.count, test.challenger.trial.count), (0, 0));
    assert_eq!(contest.field().pair, Some([OLD, NEW]));
    // What the policy chose by itself, or a coin in another test, is no sample.
    chosen(&mut contest, OLD, 5, 0.9);
    assert_eq!(contest.note(Sample { strategy: NEW, test: Some(7), reward: 0.1 }), None);
    assert_eq!(contest.note(Sample { strategy: NEW, test: Some(1), reward: f64::NAN }), None);
    let test = contest.test().unwrap();
    assert_eq!((test.champion.trial.count, test.challenger.trial.count), (0, 0));
}

#[test]
fn a_test_that_the_policy_has_left_behind_gives_way_and_harms_nobody() {
    let mut contest = paired();
    chosen(&mut contest, THIRD, FEWEST_TO_TAKE_OVER, 0.8);
    let test = contest.test().unwrap();
    assert_eq!((test.number, test.champion.strategy, test.challenger.strategy), (2, OLD, THIRD));
    assert_eq!(*status(&contest, NEW), StrategyStatus::InUse);
    assert!(contest.decided().is_empty());
}

#[test]
fn a_retired_strategy_can_be_restored_and_is_tested_again() {
    let (_, _, mut contest) = tested(0.6, 0.8, 5_000, 1);
    assert_eq!(contest.bring_back(NEW), Err(ContestError::NotRetired(NEW)));
    assert_eq!(contest.bring_back(THIRD), Err(ContestError::NotRetired(THIRD)));
    contest.bring_back(OLD).unwrap();
    assert_eq!(contest.field(), Field::default());
    chosen(&mut contest, OLD, FEWEST_TO_TEST, 0.9);
    let test = contest.test().unwrap();
    assert_eq!((test.number, test.champion.strategy, test.challenger.strategy), (2, NEW, OLD));
    assert_eq!(contest.decided().len(), 1, "what was decided stays on record");
}

#[test]
fn a_rating_that_comes_late_changes_the_sample_that_it_belongs_to() {
    let mut contest = paired();
    contest.note(Sample { strategy: NEW, test: Some(1), reward: 0.5 });
    contest.replace(Sample { strategy: NEW, test: Some(1), reward: 0.9 }, 0.5);
    let mean = |contest: &Contest| contest.test().unwrap().challenger.trial.mean;
    assert!((mean(&contest) - 0.9).abs() < 1e-12);
    contest.replace(Sample { strategy: NEW, test: None, reward: 0.1 }, 0.7);
    contest.replace(Sample { strategy: NEW, test: Some(1), reward: f64::INFINITY }, 0.9);
    assert!((mean(&contest) - 0.9).abs() < 1e-12, "neither is one of its samples");
}

#[test]
fn what_was_found_under_other_tastes_holds_no_longer() {
    let (_, _, mut contest) = tested(0.6, 0.8, 5_000, 1);
    contest.begin_again();
    assert_eq!((contest.field(), contest.test()), (Field::default(), None));
    chosen(&mut contest, OLD, FEWEST_TO_TEST, 0.9);
    assert_eq!(contest.test(), None);
    chosen(&mut contest, NEW, FEWEST_TO_TEST, 0.9);
    assert_eq!(
        contest.test().unwrap().number,
        2,
        "a test of its own: late samples of the first one are none"
    );
}
