//! What is counted of questions, and what outlives a process (seeds/super-llm-block.md, functions 2 and 4).

mod ways;

use proptest::prelude::*;

use super::memory::{LearnerError, LearnerMemory};
use super::*;
use crate::planning::decompose::{Dependencies, Expertise, LearnerSettings, Pattern, Tuning};
use crate::planning::evaluation::Signal;
use crate::planning::hints::Suggested;
use crate::planning::performance::Synthesis;

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

pub(super) fn served(run: &str, success: f64) -> Served {
    let mut hints = HintRecord::default();
    hints.note(Suggested::One, Suggested::One, Suggested::One);
    Served {
        run_id: run.to_owned(),
        question: format!("How many orders of {run} failed?"),
        domain: Domain::Logs,
        action: Action::STATIC,
        chosen: None,
        test: None,
        explored: false,
        hints,
        phrased: None,
        correctness: success,
        subtasks: 4,
        providers: 3,
        moment: Moment::default(),
        answered: success > 0.5,
        outcome: Outcome {
            success,
            satisfaction: Behaviour::default().satisfaction(),
            latency_secs: 6.0,
            simplicity: 0.8,
            coherence: 1.0,
            steps: 1,
            complex: false,
        },
    }
}

/// A question of several parts over logs.
pub(super) fn in_parts() -> Asked {
    Asked {
        domain: Domain::Logs,
        complexity: 0.3,
        words: 12,
        parts: 2,
        has_constraints: true,
        expertise: Expertise::default(),
    }
}

#[test]
fn a_run_moves_the_score_by_a_tenth_and_earns_the_function_2_reward() {
    let mut account = LearnerAccount::default();
    let appraisal = account.note(&served("a", 1.0), 1).appraisal;
    // The first run of a domain is as quick as was expected: 0.5 + 0.3 + 0.2.
    assert!(near(appraisal.evaluation.batch, 1.0) && near(account.score(), 0.55));
    assert_eq!(appraisal.evaluation.signal, Signal::Positive);
    let reward = 0.35 + 0.25 * 0.5 + 0.20 / 1.2 + 0.15 * 0.8 + 0.05;
    assert!(near(appraisal.reward, reward), "{}", appraisal.reward);
    // The second one took twice as long for as many subtasks.
    let mut late = served("b", 1.0);
    late.outcome.latency_secs = 12.0;
    let appraisal = account.note(&late, 2).appraisal;
    assert!(near(appraisal.expected_secs, 6.0) && near(appraisal.evaluation.components[1], 0.5));
    assert_eq!((account.evaluations(), account.hints().given()), (2, 2));
}

#[test]
fn a_rating_takes_the_place_of_the_guess_once() {
    let mut account = LearnerAccount::default();
    let before = account.note(&served("a", 1.0), 1).appraisal.reward;
    let after = account.rate("a", Satisfaction::Stars(5)).unwrap().reward;
    assert!(near(after - before, 0.25 * 0.5));
    assert_eq!(account.rate("a", Satisfaction::Stars(1)), None, "the second one is not heard");
    let seen = Behaviour { copied: true, ..Behaviour::default() };
    assert_eq!(account.observe("a", &seen), None, "nor is what was seen");
    assert_eq!(account.rate("nobody", Satisfaction::Stars(1)), None);
    let logs = &account.domains()[&Domain::Logs];
    assert!(near(logs.rewards.mean, after) && near(logs.satisfaction.mean, 1.0) && logs.questions() == 1);
    assert!(account.extremes().best.len() == 1 && near(account.extremes().best[0].reward, after));
}

#[test]
fn what_the_user_was_seen_to_do_adds_up_by_the_rules_of_the_seed() {
    let mut account = LearnerAccount::default();
    account.note(&served("a", 1.0), 1);
    account.observe("a", &Behaviour { copied: true, ..Behaviour::default() }).unwrap();
    account
        .observe("a", &Behaviour { expanded_reasoning: true, follow_ups: 1, ..Behaviour::default() })
        .unwrap();
    account.observe("a", &Behaviour { follow_ups: 2, ..Behaviour::default() }).unwrap();
    let episode = account.episodes().next().unwrap();
    assert_eq!(episode.behaviour.follow_ups, 3);
    // 0.5 + 0.20 + 0.10 − 0.20 for more than two questions that followed.
    assert!(near(episode.outcome.satisfaction.share(), 0.6));
}

#[test]
fn a_run_that_went_on_after_it_had_failed_is_one_question() {
    let mut account = LearnerAccount::default();
    account.note(&served("a", 0.25), 1);
    account.note(&served("a", 1.0), 2);
    let logs = &account.domains()[&Domain::Logs];
    assert_eq!((account.episodes().len(), logs.questions(), logs.answered), (1, 1, 1));
    assert!(near(logs.success.mean, 1.0));
    assert!(account.extremes().worst[0].reward > 0.6, "{:?}", account.extremes().worst);
}

#[test]
fn how_a_run_was_served_counts_once_however_often_it_goes_on() {
    // It took longer than it was to take, and its hint was wrong; in the end it was as quick as the others.
    let mut failed = served("a", 0.25);
    failed.outcome.latency_secs = 24.0;
    failed.hints = HintRecord::default();
    failed.hints.note(Suggested::One, Suggested::One, Suggested::Several);
    let (others, right) = ([served("b", 1.0), served("c", 0.75)], served("a", 1.0));
    let (mut once, mut again) = (LearnerAccount::default(), LearnerAccount::default());
    once.note(&served("z", 1.0), 1);
    again.note(&served("z", 1.0), 1);
    let expected = once.note(&right, 2).appraisal;
    again.note(&failed, 2);
    // It may fail once more, and others may be asked meanwhile.
    again.note(&failed, 2);
    for other in &others {
        once.note(other, 3);
        again.note(other, 3);
    }
    let appraisal = again.note(&right, 4).appraisal;
    assert_eq!(appraisal, expected, "it is held against what was known when it began");
    assert_eq!((again.evaluations(), again.hints()), (4, once.hints()));
    let (history, wanted) = (again.history(), once.history());
    assert_eq!(
        (history.better, history.same, history.worse),
        (wanted.better, wanted.same, wanted.worse),
        "as if it had never failed"
    );
    for (mean, wanted) in history.components.iter().zip(wanted.components) {
        assert!(mean.count == 4 && near(mean.mean, wanted.mean), "{history:?}");
    }
    // Those that were asked meanwhile were judged by what was known then: the score differs by none of it.
    let paces = [&again, &once].map(|account| account.domains()[&Domain::Logs].expected_pace().unwrap());
    assert!(near(paces[0], paces[1]) && near(again.score(), once.score()), "{paces:?}");
    // It has its answer: nothing that comes of it later is another run.
    again.note(&failed, 5);
    assert!(near(again.score(), once.score()) && again.evaluations() == 4);
}

#[test]
fn how_a_run_worked_counts_with_its_answer_once() {
    let mut account = LearnerAccount::default();
    let work = Work { secs: Some([1.0; 5]), pattern: Some(Synthesis::Narrative) };
    account.note_work(&served("a", 0.25), &work, 1);
    assert_eq!(account.performance(), Performance::default(), "it has no answer");
    for at in 2..4 {
        account.note_work(&served("a", 1.0), &work, at);
    }
    account.note(&served("b", 1.0), 4);
    let performance = account.performance();
    assert_eq!((performance.measured(), performance.put_together()), (1, 1));
}

#[test]
fn the_question_of_a_deleted_run_goes_and_its_figures_stay() {
    let mut account = LearnerAccount::default();
    account.note(&served("a", 1.0), 1);
    let before = account.domains().clone();
    assert!(account.forget_question("a") && !account.forget_question("b"));
    assert!(account.rate("a", Satisfaction::Stars(3)).is_some(), "it can still be judged");
    assert!(!serde_json::to_string(&account).unwrap().contains("How many orders"));
    assert_eq!(account.domains()[&Domain::Logs].questions(), before[&Domain::Logs].questions());
    assert!(account.extremes().best.is_empty() && account.extremes().worst.is_empty());
}

#[test]
fn strategies_are_named_by_what_runs_do() {
    let name = |pattern, dependencies| strategy_name(&Action { pattern, dependencies, ..Action::STATIC });
    assert_eq!(name(Pattern::Parallel, Dependencies::Dag), "all at once, specific");
    assert_eq!(name(Pattern::Parallel, Dependencies::LinearChain), "one by one, specific");
    assert_eq!(name(Pattern::Hybrid, Dependencies::Dag), "in waves, specific");
}

#[test]
fn what_was_learned_comes_back_and_a_damaged_file_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    assert_eq!(memory.load().unwrap(), None);
    assert!(!memory.rate("a", Satisfaction::Stars(5)).unwrap(), "there is no account yet");
    let mut account = LearnerAccount::default();
    for run in ["a", "b"] {
        account.note(&served(run, 1.0), 0);
        memory.add(&served(run, 1.0)).unwrap();
    }
    let stored = memory.load().unwrap().unwrap();
    assert_eq!((stored.domains(), stored.extremes()), (account.domains(), account.extremes()));
    assert!(memory.rate("b", Satisfaction::Stars(4)).unwrap());
    assert!(!memory.rate("b", Satisfaction::Stars(1)).unwrap());
    // Half a file, as a disk may leave it.
    let text = std::fs::read(memory.path()).unwrap();
    std::fs::write(memory.path(), &text[..text.len() / 2]).unwrap();
    let error = memory.load().unwrap_err();
    assert!(matches!(&error, LearnerError::Quarantined { .. }), "{error}");
    assert!(error.to_string().contains("brain.damaged"), "{error}");
    assert_eq!(std::fs::read(folder.path().join("brain.damaged")).unwrap().len(), text.len() / 2);
    assert_eq!(memory.load().unwrap(), None);
    memory.add(&served("c", 1.0)).unwrap();
    assert_eq!(memory.load().unwrap().unwrap().episodes().len(), 1);
}

/// The file can be read, and what stands in it cannot be computed with.
#[test]
fn an_account_whose_weights_are_damaged_is_set_aside_too() {
    let folder = tempfile::tempdir().unwrap();
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    memory.choose(&in_parts()).unwrap();
    let text = std::fs::read_to_string(memory.path()).unwrap();
    for (case, whole, broken) in [
        ("one too many", "\"weights\":[[", "\"weights\":[[1.0,"),
        ("no number", "\"weights\":[[", "\"weights\":[[1e300,"),
        ("another size", "\"hidden\":32", "\"hidden\":18446744073709551615"),
    ] {
        assert!(text.contains(whole), "{case}");
        std::fs::write(memory.path(), text.replacen(whole, broken, 1)).unwrap();
        let error = memory.load().unwrap_err();
        assert!(
            matches!(&error, LearnerError::Quarantined { aside, .. } if aside.exists()),
            "{case}: {error}"
        );
        assert_eq!(memory.load().unwrap(), None, "{case}: it is not read again");
    }
    memory.choose(&in_parts()).unwrap();
    assert_eq!(memory.load().unwrap().unwrap().policy_so_far(), Some((0, 1)), "and starts over");
}

#[test]
fn a_process_killed_before_the_rename_loses_only_that_change() {
    let folder = tempfile::tempdir().unwrap();
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    memory.add(&served("a", 1.0)).unwrap();
    // What a writer leaves that was killed in the middle; the lock goes with its process.
    std::fs::write(folder.path().join("brain.part"), "{\"format\":\"frlm-brain\",\"ver").unwrap();
    assert_eq!(memory.load().unwrap().unwrap().episodes().len(), 1);
    memory.add(&served("b", 1.0)).unwrap();
    assert_eq!(memory.load().unwrap().unwrap().episodes().len(), 2);
}

#[test]
fn a_choice_is_rewarded_in_the_policy_and_again_by_a_rating() {
    let folder = tempfile::tempdir().unwrap();
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    let asked = in_parts();
    for number in 0..120_u64 {
        let chosen = memory.choose(&asked).unwrap();
        assert_eq!(
            chosen.episode,
            EpisodeId(number),
            "each question is an episode of its own, over restarts"
        );
        assert!((2..=7).contains(&chosen.action.steps) && !chosen.why.is_empty());
        let run = format!("{number}");
        memory
            .add(&Served { action: chosen.action, chosen: Some(chosen.episode), ..served(&run, 1.0) })
            .unwrap();
        if number % 3 == 0 {
            assert!(memory.rate(&run, Satisfaction::Stars(5)).unwrap());
        }
    }
    let account = memory.load().unwrap().unwrap();
    // A rating is no second reward: an update for every hundred questions.
    assert_eq!(account.policy_so_far(), Some((1, 120)));
    let strategies = &account.domains()[&Domain::Logs].strategies;
    assert_eq!(strategies.values().map(|strategy| strategy.rewards.count).sum::<u64>(), 120);
    assert!(strategies.len() > 3, "an even policy tries everything: {:?}", strategies.keys());
}

#[test]
fn get_best_practices_lists_what_went_best_from_a_reward_of_90_percent() {
    let mut account = LearnerAccount::default();
    account.note(&served("a", 1.0), 0);
    assert!(account.best_practices(Action::STATIC).is_empty(), "0.81 is no example");
    for run in ["a", "b", "c", "d"] {
        account.note(&served(run, 1.0), 0);
        account.rate(run, Satisfaction::Stars(5)).unwrap();
    }
    let practices = account.best_practices(Action::STATIC);
    assert_eq!(practices.len(), 3, "the first three of four");
    assert!(
        practices.iter().all(|why| !why.contains("How many orders")),
        "no word of a question: {practices:?}"
    );
    let other = Action { pattern: Pattern::Hybrid, dependencies: Dependencies::Dag, ..Action::STATIC };
    assert!(account.best_practices(other).is_empty(), "another strategy's");
}

/// A file is written aside and renamed: whenever a process is killed, what it had not finished is beside the account.
#[test]
fn a_process_killed_while_it_writes_leaves_the_account_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("brain.json");
    let memory = LearnerMemory::at(&path);
    memory.add(&served("a", 1.0)).unwrap();
    let before = memory.load().unwrap().unwrap();
    let whole = std::fs::read(&path).unwrap();
    for written in [0, 1, whole.len() / 2, whole.len() - 1] {
        std::fs::write(path.with_extension("part"), &whole[..written]).unwrap();
        assert_eq!(memory.load().unwrap().unwrap(), before, "{written} bytes of the next one");
    }
    memory.add(&served("b", 0.5)).unwrap();
    assert_eq!(memory.load().unwrap().unwrap().episodes().len(), 2, "and the next one goes on from it");
}

#[test]
fn a_seeded_policy_repeats_itself_and_an_account_begins_once() {
    let folder = tempfile::tempdir().unwrap();
    let account =
        |seed| LearnerAccount::with_policy(LearnerSettings { seed, ..LearnerSettings::default() }).unwrap();
    let asked = in_parts();
    let draws = |mut account: LearnerAccount| -> Vec<Action> {
        (0..30).map(|_| account.choose(&asked).unwrap().action).collect()
    };
    assert_eq!(draws(account(7)), draws(account(7)));
    assert_ne!(draws(account(7)), draws(account(8)));
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    assert!(memory.begin(&account(7)).unwrap());
    assert!(!memory.begin(&account(8)).unwrap(), "there is one");
    assert_eq!(draws(memory.load().unwrap().unwrap()), draws(account(7)));
}

#[test]
fn encode_state_shows_the_policy_the_swarm_of_the_last_question() {
    let mut account = LearnerAccount::default();
    assert_eq!(account.state(&in_parts()).providers, 0, "nobody was seen yet");
    let busy = Moment { load: 0.75, network_latency_secs: 0.25 };
    account.note(&Served { moment: busy, ..served("busy", 1.0) }, 1);
    let state = account.state(&in_parts());
    let seen = Moment { load: state.load, network_latency_secs: state.network_latency_secs };
    assert_eq!((seen, state.providers), (busy, 3));
    account.note(&served("idle", 1.0), 2);
    let kept = serde_json::to_string(&account).unwrap();
    let again: LearnerAccount = serde_json::from_str(&kept).unwrap();
    assert!(again.state(&in_parts()).load.abs() < 1e-9, "the latest says how it is");
}

#[test]
fn what_is_asked_is_told_to_the_policy_by_its_words_and_parts() {
    let question = "How many orders failed, and what is the largest amount?";
    let parts = [
        PartFacts { text: "How many orders failed", has_conditions: true },
        PartFacts { text: "what is the largest amount", has_conditions: false },
    ];
    let asked = Asked::of(question, &["orders.log".to_owned()], &parts);
    assert_eq!((asked.domain, asked.words, asked.parts), (Domain::Logs, 10, 2));
    assert!(
        asked.has_constraints && near(asked.complexity, 1.0 - 0.80),
        "neither part has an \"and\" of its own"
    );
}

proptest! {
    /// Whatever is rated in whichever order, the statistics are those of the rewards as they stand.
    #[test]
    fn statistics_follow_the_episodes(
        runs in prop::collection::vec((0_u8..6, 0.0_f64..=1.0, prop::option::of(1_u8..=5)), 1..40),
    ) {
        let mut account = LearnerAccount::default();
        for (run, success, stars) in runs {
            let run = format!("{run}");
            account.note(&served(&run, success), 0);
            if let Some(stars) = stars {
                account.rate(&run, Satisfaction::Stars(stars));
            }
        }
        let logs = &account.domains()[&Domain::Logs];
        let count = account.episodes().len();
        let mean = account.episodes().map(|episode| episode.reward).sum::<f64>() / count as f64;
        let answered = account.episodes().filter(|episode| episode.answered).count();
        prop_assert_eq!((logs.questions(), logs.answered), (count as u64, answered as u64));
        prop_assert!((logs.rewards.mean - mean).abs() < 1e-9);
        prop_assert!(logs.rewards.variance() >= 0.0 && (0.0..=1.0).contains(&account.score()));
        let best = account.episodes().map(|episode| episode.reward).fold(-1.0, f64::max);
        prop_assert!((account.extremes().best[0].reward - best).abs() < 1e-9);
    }
}

#[test]
fn a_policy_learns_as_the_settings_have_it_from_the_next_question_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("brain.json");
    let asks = |memory: &LearnerMemory, run: &str| {
        let chosen = memory.choose(&in_parts()).unwrap();
        memory
            .add(&Served { action: chosen.action, chosen: Some(chosen.episode), ..served(run, 1.0) })
            .unwrap();
    };
    let updates = |memory: &LearnerMemory| memory.load().unwrap().unwrap().policy_so_far().unwrap().0;
    let soon = Tuning { update_every: 4, batch_size: 2, steps_per_update: 1, ..Tuning::default() };
    let tuned = LearnerMemory::at(&path).tuned(soon);
    for run in 0..4 {
        asks(&tuned, &format!("soon {run}"));
    }
    assert_eq!(updates(&tuned), 1, "it has begun with them");
    // Settings that say nothing of it change nothing; the built-in ones are in force once somebody says so.
    let plain = LearnerMemory::at(&path);
    for run in 0..4 {
        asks(&plain, &format!("as before {run}"));
    }
    assert_eq!(updates(&plain), 2);
    let built_in = LearnerMemory::at(&path).tuned(Tuning::default());
    for run in 0..8 {
        asks(&built_in, &format!("built in {run}"));
    }
    assert_eq!(updates(&built_in), 2);
    assert_eq!(built_in.load().unwrap().unwrap().policy_so_far().unwrap().1, 16, "and nothing was forgotten");
}
