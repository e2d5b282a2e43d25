//! Ways to ask and to put a question that compete: tried, tested against each other, retired
//! (seeds/super-llm-block.md, function 2).

use super::super::memory::LearnerMemory;
use super::super::*;
use super::{in_parts, near, served};
use crate::planning::decompose::{Learner, LearnerSettings, Phrasing, Strategy};
use crate::planning::phrasing::Template;
use crate::planning::simplicity::TaskType;
use crate::planning::strategies::{FEWEST_SAMPLES, FEWEST_TO_TEST};

/// Two ways over logs were chosen often enough for a test of them to begin.
fn with_a_test() -> LearnerAccount {
    let mut account = LearnerAccount::default();
    for number in 0..FEWEST_TO_TEST {
        for phrasing in [Phrasing::Specific, Phrasing::General] {
            let action = Action { phrasing, ..Action::STATIC };
            let run = format!("{number} {phrasing:?}");
            account.note(&Served { action, chosen: Some(EpisodeId(number)), ..served(&run, 1.0) }, 0);
        }
    }
    account
}

#[test]
fn ways_to_put_a_question_are_tried_and_the_best_is_kept_to_over_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    let mut used = [0_u32; 2];
    for number in 0..120 {
        let template = memory.phrasing(TaskType::Analysis, "Why was the mill closed?", false, false).unwrap();
        assert_ne!(template, Template::Rewrite, "nobody is there who could");
        let best = template == Template::StepByStep;
        used[usize::from(best)] += 1;
        let worth = if best { 1.0 } else { 0.2 };
        let phrased = Phrased { task_type: TaskType::Analysis, template, worth };
        let run = Served { phrased: Some(phrased), ..served(&format!("run {number}"), 1.0) };
        memory.add(&run).unwrap();
        if number == 0 {
            // It goes on, and is the same question.
            memory.add(&run).unwrap();
        }
    }
    assert!(used[1] > used[0], "{used:?}");
    let account = memory.load().unwrap().unwrap();
    assert_eq!(account.phrasings().used().map(|(_, _, tally)| tally.uses).sum::<u64>(), 120);
    let framed = memory.phrasing(TaskType::Analysis, "Why was the mill closed?", false, true).unwrap();
    assert_eq!(framed, Template::AsAsked, "readers who are told all of it anyway are asked as it stands");
    let by_model = memory.phrasing(TaskType::Analysis, "Why was the mill closed?", true, false).unwrap();
    assert_eq!(by_model, Template::Rewrite, "what was never tried is tried first");
}

#[test]
fn a_losing_strategy_is_retired_with_the_reason_until_it_is_restored() {
    let settings = LearnerSettings { seed: 3, ..LearnerSettings::default() };
    let mut account = LearnerAccount::with_policy(settings).unwrap();
    let mut asked = 0;
    let mut ask = |account: &mut LearnerAccount| {
        let chosen = account.choose(&in_parts()).unwrap();
        // A provider that is told what it is about answers more.
        let success = if chosen.action.phrasing == Phrasing::ContextRich { 1.0 } else { 0.4 };
        asked += 1;
        let run = Served {
            action: chosen.action,
            chosen: Some(chosen.episode),
            test: chosen.test,
            ..served(&format!("{asked}"), success)
        };
        let noted = account.note(&run, asked);
        account.teach(Reweighed { chosen: run.chosen, reward: noted.appraisal.reward }).unwrap();
        (chosen, noted.decided)
    };
    let mut tested = 0;
    let decided = (0..2_500).find_map(|_| {
        let (chosen, decided) = ask(&mut account);
        tested += u32::from(chosen.test.is_some());
        assert_eq!(chosen.test.is_some(), chosen.why.contains("an even coin decided"), "{}", chosen.why);
        decided
    });
    let decided = decided.expect("one of two ways lost");
    assert!(tested >= 200, "{tested}");
    if decided.why.contains("less") {
        assert_ne!(decided.loser.phrasing, Phrasing::ContextRich, "{decided:?}");
    }
    for _ in 0..100 {
        let (chosen, _) = ask(&mut account);
        assert_ne!(Strategy::of(&chosen.action), decided.loser);
        assert!(chosen.why.contains(&format!("retired here: \"{}\"", decided.loser)), "{}", chosen.why);
    }
    account.bring_back(Domain::Logs, decided.loser).unwrap();
    assert!(
        account.bring_back(Domain::Logs, decided.loser).is_err()
            && account.field(Domain::Logs).closed.is_empty()
    );
    assert!(account.bring_back(Domain::Code, decided.loser).is_err(), "another domain's");
}

#[test]
fn the_best_choice_by_domain_is_known_after_learning_and_never_retired() {
    let settings = LearnerSettings {
        seed: 5,
        update_every: 4,
        batch_size: 2,
        steps_per_update: 1,
        ..LearnerSettings::default()
    };
    assert!(LearnerAccount::default().favourites().unwrap().is_empty(), "there is no policy");
    let mut account = LearnerAccount::with_policy(settings).unwrap();
    for _ in 0..4 {
        assert!(account.favourites().unwrap().is_empty(), "it has not learned");
        let chosen = account.choose(&in_parts()).unwrap();
        account.teach(Reweighed { chosen: Some(chosen.episode), reward: 0.5 }).unwrap();
    }
    let favourites = account.favourites().unwrap();
    assert_eq!(favourites.len(), 1, "it was asked about logs alone: {favourites:?}");
    let (domain, best) = favourites[0];
    assert_eq!(domain, Domain::Logs);
    // Here the other is always right, and this one seldom.
    let phrasing = if best.phrasing == Phrasing::General { Phrasing::Specific } else { Phrasing::General };
    let other = Action { phrasing, ..best };
    let mut runs = 0;
    for (action, test, success, times) in [
        (other, None, 1.0, FEWEST_TO_TEST + 1),
        (best, None, 0.4, FEWEST_TO_TEST),
        (other, Some(1), 1.0, FEWEST_SAMPLES),
        (best, Some(1), 0.4, FEWEST_SAMPLES),
    ] {
        for _ in 0..times {
            runs += 1;
            let run = served(&format!("{runs}"), success);
            account.note(&Served { action, chosen: Some(EpisodeId(runs)), test, ..run }, runs);
        }
    }
    assert_eq!(account.field(Domain::Logs).closed, [Strategy::of(&best)]);
    assert!(account.favourites().unwrap().is_empty(), "it is retired");
}

#[test]
fn when_the_policy_is_reset_tests_end_at_once_and_their_results_lapse() {
    let mut account = with_a_test();
    let mut learner = Learner::new(LearnerSettings::default()).unwrap();
    let state = account.state(&in_parts());
    // All were content with all of it, for as long as it takes to expect that; the last update was just now.
    for _ in 0..600 {
        let choice = learner.choose(&state).unwrap();
        learner.reward(choice.episode, 0.9).unwrap();
    }
    account.policy = Some(Box::new(learner.stored().unwrap()));
    let is_tested = |account: &LearnerAccount| account.contests()[&Domain::Logs].test().is_some();
    assert!(is_tested(&account));
    let asked = (0..100).find(|_| {
        let chosen = account.choose(&in_parts()).unwrap();
        account.teach(Reweighed { chosen: Some(chosen.episode), reward: 0.0 }).unwrap();
        !is_tested(&account)
    });
    assert!(asked.is_some_and(|asked| asked < 60), "{asked:?}");
}

#[test]
fn a_rating_reaches_the_test_that_its_question_was_a_sample_of() {
    let mut account = LearnerAccount::default();
    let strategy = |phrasing| Action { phrasing, ..Action::STATIC };
    let sample = |run: String, phrasing, test| Served {
        action: strategy(phrasing),
        chosen: Some(EpisodeId(7)),
        test,
        ..served(&run, 1.0)
    };
    for number in 0..21 {
        account.note(&sample(format!("a{number}"), Phrasing::Specific, None), 0);
        account.note(&sample(format!("b{number}"), Phrasing::General, None), 0);
    }
    let before = account.note(&sample("rated".to_owned(), Phrasing::General, Some(1)), 0).appraisal.reward;
    let mean =
        |account: &LearnerAccount| account.contests()[&Domain::Logs].test().unwrap().challenger.trial.mean;
    assert!(near(mean(&account), before));
    account.rate("rated", Satisfaction::Stars(5)).unwrap();
    assert!(near(mean(&account), before + 0.25 * 0.5));
    account.rate("b3", Satisfaction::Stars(1)).unwrap();
    assert!(near(mean(&account), before + 0.25 * 0.5), "that was no sample");
    // A question that nobody chose for says nothing of ways.
    let counts = |account: &LearnerAccount| account.contests()[&Domain::Logs].clone();
    let known = counts(&account);
    account.note(&served("single", 0.1), 0);
    assert_eq!(counts(&account), known);
}

#[test]
fn an_account_from_before_ways_competed_goes_on_with_what_was_chosen_then() {
    let folder = tempfile::tempdir().unwrap();
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    let mut account = LearnerAccount::default();
    for number in 0..5 {
        let run = Served { chosen: Some(EpisodeId(number)), ..served(&format!("{number}"), 1.0) };
        account.note(&run, 0);
    }
    account.note(&served("single", 1.0), 0);
    let mut body = serde_json::to_value(&account).unwrap();
    body.as_object_mut().unwrap().remove("contests").unwrap();
    let old = serde_json::json!({"format": "frlm-brain", "version": 1, "body": body});
    std::fs::write(memory.path(), old.to_string()).unwrap();
    let read = memory.load().unwrap().unwrap();
    assert_eq!(read, account, "all of it, and what was chosen is in use");
    assert_eq!(read.contests()[&Domain::Logs].contenders().len(), 1);
    assert!(!memory.rate("nobody", Satisfaction::Stars(1)).unwrap());
    assert!(
        std::fs::read_to_string(memory.path()).unwrap().contains("\"version\":1"),
        "reading changes nothing"
    );
    memory.add(&served("new", 1.0)).unwrap();
    let written = std::fs::read_to_string(memory.path()).unwrap();
    assert!(written.starts_with("{\"format\":\"frlm-brain\",\"version\":2,"), "{}", &written[..60]);
    assert_eq!(memory.load().unwrap().unwrap().episodes().len(), 7);
}

#[test]
fn choices_made_before_strategies_competed_start_a_test_uncounted() {
    let mut account = with_a_test();
    account.contests.clear();
    let account = account.of_version_1();
    let test = account.contests()[&Domain::Logs].test().unwrap();
    assert_eq!((test.number, test.champion.trial.count, test.challenger.trial.count), (1, 0, 0));
}
