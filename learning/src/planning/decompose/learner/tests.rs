//! Learning by the figures of seeds/super-llm-block.md (`learning_params`, `update_policy`).

use super::super::draws::behaviour;
use super::super::state::Expertise;
use super::super::strategy::Strategy;
use super::*;

fn state(domain: u8) -> State {
    State {
        complexity: 0.6,
        words: 20,
        domain,
        has_constraints: false,
        clauses: 2,
        providers: 5,
        load: 0.3,
        network_latency_secs: 0.1,
        recent_success: 0.9,
        recent_reward: 0.7,
        expertise: Expertise::Intermediate,
        satisfaction: 0.5,
    }
}

/// What is best in a domain, and what a choice is worth there.
fn worth(domain: u8, action: Action) -> f64 {
    let best = if domain == 0 { [0, 0, 1, 2] } else { [5, 2, 0, 0] };
    let right = action.choices().iter().zip(best).filter(|(choice, best)| **choice == *best).count();
    0.2 + 0.15 * right as f64
}

fn taught(settings: LearnerSettings, episodes: u64) -> Learner {
    let mut learner = Learner::new(settings).unwrap();
    teach(&mut learner, episodes);
    learner
}

fn teach(learner: &mut Learner, episodes: u64) {
    for _ in 0..episodes {
        let domain = u8::from(learner.episodes() % 2 == 1);
        let choice = learner.choose(&state(domain)).unwrap();
        learner.reward(choice.episode, worth(domain, choice.action)).unwrap();
    }
}

#[test]
fn the_defaults_are_those_of_learning_params() {
    let settings = LearnerSettings::default();
    assert_eq!((settings.learning_rate, settings.exploration_rate), (0.001, 0.15));
    assert_eq!((settings.batch_size, settings.update_every, settings.buffer), (32, 100, 1_000));
}

#[test]
fn update_policy_waits_for_32_and_keeps_the_newest_1_000_experiences() {
    let settings = LearnerSettings { update_every: 10, steps_per_update: 1, ..LearnerSettings::default() };
    let mut learner = taught(settings, 31);
    assert_eq!(learner.updates(), 0, "there is no batch yet");
    teach(&mut learner, 1);
    assert_eq!(learner.updates(), 1, "and no further ten are waited for");
    teach(&mut learner, 9);
    assert_eq!(learner.updates(), 1);
    teach(&mut learner, 1);
    assert_eq!(learner.updates(), 2);

    let mut full = taught(LearnerSettings { update_every: u32::MAX, ..settings }, 1_001);
    assert_eq!(full.experiences.rewarded().count(), 1_000);
    assert!(matches!(full.reward(EpisodeId(0), 0.5), Err(LearnError::Forgotten(EpisodeId(0)))));
    assert_eq!(full.reward(EpisodeId(1), 0.5).unwrap(), None, "the second one is known");
}

#[test]
fn the_discount_factor_is_unused_because_an_episode_is_one_decision() {
    let mut learner = Learner::new(LearnerSettings::default()).unwrap();
    for reward in [0.2, 0.9, -0.5] {
        let choice = learner.choose(&state(0)).unwrap();
        learner.reward(choice.episode, reward).unwrap();
    }
    let returns: Vec<Option<f64>> = learner.experiences.rewarded().map(|one| one.reward).collect();
    assert_eq!(returns, [Some(0.2), Some(0.9), Some(-0.5)], "and not 0.2 + 0.95 × 0.9 − …");
}

#[test]
fn what_is_stored_with_something_else_goes_on_as_if_nothing_had_happened() {
    let settings = LearnerSettings { update_every: 40, steps_per_update: 5, ..LearnerSettings::default() };
    let mut learner = taught(settings, 100);
    let text = serde_json::to_string(&learner.stored().unwrap()).unwrap();
    let stored: Stored = serde_json::from_str(&text).unwrap();
    assert_eq!((stored.episodes(), stored.updates()), (100, learner.updates()));
    let mut again = Learner::going_on(stored).unwrap().unwrap();
    for _ in 0..20 {
        assert_eq!(again.choose(&state(0)).unwrap(), learner.choose(&state(0)).unwrap());
    }
    let mut other = learner.stored().unwrap();
    other.settings.hidden += 1;
    assert!(Learner::going_on(other).unwrap().is_none(), "weights of other networks");
}

#[test]
fn it_learns_what_is_best_in_each_domain() {
    let learner = taught(LearnerSettings::default(), 3_000);
    for domain in [0, 1] {
        let best = learner.best(&state(domain)).unwrap();
        assert!((worth(domain, best) - 0.8).abs() < 1e-9, "domain {domain}: {best:?}");
    }
    assert_eq!(learner.updates(), 30);
}

#[test]
fn exploration_tries_about_as_often_as_it_says() {
    let mut learner = Learner::new(LearnerSettings::default()).unwrap();
    let explored = (0..2_000).filter(|_| learner.choose(&state(0)).unwrap().explored).count();
    assert!((230..370).contains(&explored), "{explored} of 2,000 at 0.15");
}

#[test]
fn probabilities_of_all_choices_add_up_to_one_with_exploration() {
    let learner = taught(LearnerSettings::default(), 300);
    let heads = learner.networks.probabilities(&state(1).features()).unwrap();
    let all: f64 = Action::all().map(|action| behaviour(&heads, action.choices(), 0.15)).sum();
    assert!((all - 1.0).abs() < 1e-4, "{all}");
}

#[test]
fn a_late_rating_replaces_the_reward_and_no_update_is_made_for_it() {
    let mut learner = Learner::new(LearnerSettings::default()).unwrap();
    let choice = learner.choose(&state(0)).unwrap();
    learner.reward(choice.episode, 0.2).unwrap();
    learner.reward(choice.episode, 0.9).unwrap();
    assert_eq!(learner.rewards_since_update, 1);
    assert_eq!(learner.experiences.rewarded().next().unwrap().reward, Some(0.9));
    assert!(matches!(learner.reward(EpisodeId(77), 0.5), Err(LearnError::Forgotten(_))));
    assert!(matches!(learner.reward(choice.episode, f64::NAN), Err(LearnError::NoReward(_))));
    assert!(matches!(learner.reward(choice.episode, 1.5), Err(LearnError::NoReward(_))));
}

#[test]
fn a_learner_that_was_stopped_goes_on_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decomposition.json");
    let mut whole = taught(LearnerSettings::default(), 150);
    whole.save(&path).unwrap();
    let mut again = Learner::load(&path).unwrap();
    teach(&mut whole, 200);
    teach(&mut again, 200);
    assert_eq!(whole.networks.weights().unwrap(), again.networks.weights().unwrap());
    assert_eq!(whole.experiences, again.experiences);
}

#[test]
fn a_damaged_file_is_set_aside_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decomposition.json");
    taught(LearnerSettings::default(), 10).save(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    for broken in [&text[..text.len() / 2], &text.replacen("\"weights\":[[", "\"weights\":[[1.0,", 1)] {
        std::fs::write(&path, broken).unwrap();
        let error = Learner::load(&path).unwrap_err();
        assert!(matches!(&error, LearnError::Quarantined(aside) if aside.exists()), "{error}");
        assert!(!path.exists(), "it is not read again");
    }
    assert!(matches!(Learner::load(&path), Err(LearnError::Saved(SavedError::Disk { .. }))));
}

#[test]
fn a_test_of_a_way_that_is_worse_makes_it_forget_nothing() {
    let mut learner = taught(LearnerSettings::default(), 1_500);
    let best = Strategy::of(&learner.best(&state(0)).unwrap());
    let worse = Strategy::all()
        .find(|strategy| strategy.order != best.order && strategy.phrasing != best.phrasing)
        .unwrap();
    let field = Field { closed: Vec::new(), pair: Some([best, worse]) };
    let mut tested = [0_u32; 2];
    for _ in 0..400 {
        let domain = u8::from(learner.episodes() % 2 == 1);
        let choice = learner.choose_within(&field, &state(domain)).unwrap();
        let update = learner.reward(choice.episode, worth(domain, choice.action)).unwrap();
        assert!(!update.is_some_and(|update| update.forgot));
        tested[0] += u32::from(choice.tested && Strategy::of(&choice.action) == best);
        tested[1] += u32::from(choice.tested && Strategy::of(&choice.action) == worse);
    }
    assert!(tested.iter().all(|count| *count > 40), "{tested:?}");
}

#[test]
fn when_tastes_change_it_forgets_and_learns_again() {
    let mut learner = taught(LearnerSettings::default(), 1_500);
    assert_eq!(learner.learning_since, 0, "nothing was forgotten while nothing changed");
    let swapped = |domain: u8| 1 - domain;
    let mut forgot = None;
    for asked in 0..1_500 {
        let domain = u8::from(asked % 2 == 1);
        let choice = learner.choose(&state(domain)).unwrap();
        let update = learner.reward(choice.episode, worth(swapped(domain), choice.action)).unwrap();
        if update.is_some_and(|update| update.forgot) {
            forgot.get_or_insert(asked);
        }
    }
    assert!(forgot.is_some_and(|asked| asked < 200), "{forgot:?}");
    for domain in [0, 1] {
        let best = learner.best(&state(domain)).unwrap();
        assert!(worth(swapped(domain), best) > 0.6, "domain {domain}: {best:?}");
    }
}

#[test]
fn a_change_that_cannot_be_missed_is_not_waited_for_until_the_next_update() {
    let mut learner = taught(LearnerSettings::default(), 1_500);
    let before = learner.updates();
    let forgotten = (0..100).find(|asked| {
        let domain = u8::from(asked % 2 == 1);
        let choice = learner.choose(&state(domain)).unwrap();
        learner.reward(choice.episode, worth(1 - domain, choice.action)).unwrap();
        learner.learning_since == before
    });
    assert!(forgotten.is_some_and(|asked| asked < 40), "{forgotten:?}");
    assert!(learner.updates() == before && learner.experiences.rewarded().count() <= 20);
    // It says so with the update that follows.
    let said = (0..100).find_map(|asked| {
        let domain = u8::from(asked % 2 == 1);
        let choice = learner.choose(&state(domain)).unwrap();
        learner.reward(choice.episode, worth(1 - domain, choice.action)).unwrap()
    });
    assert!(said.unwrap().forgot && learner.updates() == before + 1);
}
