//! Training as seeds/load-balanced-rl-workflow.md has it (sections 4 and 5), killed and gone on with.

use super::*;
use crate::routing::STAMP;
use crate::routing::space::VenueId;
use crate::routing::workers::testing::{Scripted, bank, by_role};
use crate::saved;

fn training(iterations: u32, seed: u64) -> Training {
    let space = Space::seed();
    let learner = Learner::q_table(&space);
    let settings = TrainingSettings { iterations, seed, ..TrainingSettings::default() };
    Training::new(settings, &bank(), space, learner)
}

async fn finished(mut training: Training) -> Training {
    let workers = Scripted::new(by_role);
    while !training.is_done() {
        training.advance(&bank(), &workers, None).await.unwrap();
    }
    training
}

#[test]
fn fifty_iterations_are_the_default_section_5() {
    assert_eq!(TrainingSettings::default().iterations, 50);
}

#[tokio::test]
async fn an_iteration_is_five_steps_and_one_call_to_a_worker_section_4() {
    let workers = Scripted::new(by_role);
    let mut training = training(2, 7);
    let mut steps = Vec::new();
    while !training.is_done() {
        let step = serde_json::to_value(training.step()).unwrap();
        steps.push(step["step"].as_str().unwrap().to_owned());
        training.advance(&bank(), &workers, None).await.unwrap();
    }
    assert_eq!(steps, ["pick", "assign", "execute", "judge", "update"].repeat(2));
    assert_eq!(workers.calls(), 2);
    assert!((training.router().learner().exploration() - 0.98_f64.powi(2)).abs() < 1e-12);
}

#[tokio::test]
async fn the_judge_is_an_iterations_second_call_unless_the_answer_was_checked() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let model = frlm_inference::scripted::ScriptedModel::new("judge", move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        r#"{"relevance":1,"accuracy":1,"completeness":1,"agent_match":1,"reasoning":""}"#.to_owned()
    });
    let judge = Judge::new(Arc::new(model));
    let workers = Scripted::new(by_role);
    let unchecked = TaskBank::seed();
    let mut judged = Training::new(
        TrainingSettings { iterations: 3, ..TrainingSettings::default() },
        &unchecked,
        Space::seed(),
        Learner::q_table(&Space::seed()),
    );
    while !judged.is_done() {
        judged.advance(&unchecked, &workers, Some(&judge)).await.unwrap();
    }
    assert_eq!((workers.calls(), asked.load(Ordering::SeqCst)), (3, 3), "two calls an iteration");
    let mut checked = training(3, 7);
    while !checked.is_done() {
        checked.advance(&bank(), &workers, Some(&judge)).await.unwrap();
    }
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_training_that_dies_after_every_step_ends_like_one_that_never_died() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.json");
    let whole = finished(training(50, 11)).await;
    saved::write(&path, STAMP, &training(50, 11)).unwrap();
    loop {
        // As after kill -9: nothing but the file is left. The step that was under way is done twice.
        let mut lost: Training = saved::read(&path, STAMP).unwrap();
        lost.advance(&bank(), &Scripted::new(by_role), None).await.unwrap();
        let mut again: Training = saved::read(&path, STAMP).unwrap();
        again.check(&bank()).unwrap();
        if again.is_done() {
            assert_eq!(again, whole);
            return;
        }
        again.advance(&bank(), &Scripted::new(by_role), None).await.unwrap();
        assert_eq!(again, lost, "a step repeats itself");
        saved::write(&path, STAMP, &again).unwrap();
    }
}

#[tokio::test]
async fn identical_seeds_give_identical_trainings_and_others_do_not() {
    assert_eq!(finished(training(30, 5)).await, finished(training(30, 5)).await);
    assert_ne!(finished(training(30, 5)).await.log(), finished(training(30, 6)).await.log());
}

#[tokio::test]
async fn logs_hold_the_documents_numbers_sections_3_4_and_7() {
    let training = finished(training(40, 3)).await;
    let mut tracker = super::super::load::LoadTracker::new(4, LoadSettings::default());
    for iteration in training.log() {
        assert!(
            (iteration.penalty - tracker.penalty(iteration.role())).abs() < 1e-12,
            "read before recording"
        );
        tracker.record(iteration.role());
        assert_eq!(iteration.utilization, tracker.utilization());
        assert!((iteration.adjusted - (iteration.raw - iteration.penalty).max(0.0)).abs() < 1e-12);
        if iteration.task == "silent" {
            assert!(iteration.outcome.as_ref().unwrap_err().contains("timed out"));
            assert!(iteration.raw.abs() < 1e-12 && iteration.judgement.quality.abs() < 1e-12);
        }
    }
    assert_eq!(training.log().len(), 40);
    let records = training.role_records();
    assert_eq!(records.iter().map(|record| record.completed_tasks).sum::<u32>(), 40);
    let mut of_coder = training.log().iter().filter(|one| one.role() == RoleId(1)).map(|one| one.adjusted);
    let (count, total) = of_coder.by_ref().fold((0_u32, 0.0), |(count, sum), one| (count + 1, sum + one));
    assert!(count > 0 && records[1].completed_tasks == count);
    assert!((records[1].avg_quality() - total / f64::from(count)).abs() < 1e-12);
    assert!(RoleRecord::default().avg_quality().abs() < 1e-12);
}

#[tokio::test]
async fn a_long_training_learns_which_role_suits() {
    let training = finished(training(600, 2)).await;
    let router = training.router();
    for name in ["analysis", "coding", "research", "validation"] {
        let task_type = router.task_type(name).unwrap();
        let values = router.learner().values(router.space(), &router.situation(task_type));
        let best = values.iter().copied().fold(f64::MIN, f64::max);
        let at = values.iter().position(|value| *value >= best).unwrap();
        let action = router.space().action_ids().nth(at).unwrap();
        let role = router.space().role_name(router.space().parts(action).0);
        if name != "coding" {
            assert_eq!(role.get(..3), name.get(..3), "{values:?}");
        }
    }
}

#[tokio::test]
async fn with_all_venues_down_the_state_stays_and_the_training_goes_on_later() {
    let mut training = training(5, 1);
    training.advance(&bank(), &Scripted::new(by_role), None).await.unwrap();
    let before = training.clone();
    let mut down = Scripted::new(by_role);
    down.down = vec![VenueId(0), VenueId(1)];
    let error = training.advance(&bank(), &down, None).await.unwrap_err();
    assert!(error.to_string().contains("all venues are down"), "{error}");
    assert_eq!(training, before);
    assert!(finished(training).await.is_done());
}

#[test]
fn a_state_goes_on_only_with_its_own_tasks() {
    let training = training(5, 1);
    assert!(matches!(training.check(&TaskBank::seed()), Err(TrainingError::OtherTasks)));
    assert!(training.check(&bank()).is_ok());
    let forged = Training { step: Step::Assign { task: 99 }, ..training };
    assert!(matches!(forged.check(&bank()), Err(TrainingError::Unsound)));
}
