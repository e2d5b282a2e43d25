//! The operator wants the card back.

use frlm_protocol::{Announcement, FeedbackStatus, Heartbeat, RefusalReason};
use frlm_provider::ProviderEvent;

use crate::engine::{GatedModel, NEVER};
use crate::world::{World, patiently, request, texts};

#[tokio::test]
async fn a_graceful_stop_finishes_what_runs_and_refuses_the_rest() {
    let model = GatedModel::closed();
    let mut world = World::with(&model, |config| config.graceful_limit = NEVER).await;
    let mut asker = world.asker().await;
    let running = asker.ask(&request("copy", &["a"])).await;
    model.until_running(1).await;
    let waiting = asker.ask(&request("copy", &["b"])).await;
    world.until_stats("one waits", |stats| stats.queued == 1).await;

    world.provider.shutdown().graceful.cancel();
    assert_eq!(asker.refusal(&waiting).await, RefusalReason::ShuttingDown);
    let late = asker.ask(&request("copy", &["c"])).await;
    assert_eq!(asker.refusal(&late).await, RefusalReason::ShuttingDown);
    model.let_pass(1);
    assert_eq!(texts(&asker.result(&running).await), ["re: a"]);
    patiently("the stop", world.provider.stopped()).await;
    world.event("stopped", |e| matches!(e, ProviderEvent::Stopped)).await;
}

#[tokio::test]
async fn a_graceful_stop_does_not_wait_for_ever() {
    let model = GatedModel::closed();
    let world =
        World::with(&model, |config| config.graceful_limit = std::time::Duration::from_millis(50)).await;
    let mut asker = world.asker().await;
    let job = asker.ask(&request("copy", &["a"])).await;
    model.until_running(1).await;
    world.provider.shutdown().graceful.cancel();
    assert_eq!(asker.refusal(&job).await, RefusalReason::ShuttingDown);
    patiently("the stop", world.provider.stopped()).await;
    model.until_running(0).await;
}

#[tokio::test]
async fn an_immediate_stop_drops_the_work_and_still_says_so() {
    let model = GatedModel::closed();
    let world = World::new(&model).await;
    let mut asker = world.asker().await;
    let running = asker.ask(&request("copy", &["a"])).await;
    let waiting = asker.ask(&request("copy", &["b"])).await;
    world.until_stats("one waits", |stats| stats.queued == 1).await;
    world.provider.shutdown().immediate.cancel();
    model.until_running(0).await;
    patiently("the stop", world.provider.stopped()).await;
    for job in [running, waiting] {
        assert_eq!(
            asker.feedback(&job, FeedbackStatus::Error).await.reason,
            Some(RefusalReason::ShuttingDown)
        );
    }
}

#[tokio::test]
async fn dropping_the_handle_stops_the_engine() {
    let model = GatedModel::closed();
    let world = World::new(&model).await;
    let asker = world.asker().await;
    asker.ask(&request("copy", &["a"])).await;
    model.until_running(1).await;
    drop(world.provider);
    model.until_running(0).await;
}

#[tokio::test]
async fn a_stopped_provider_leaves_the_directories_at_once() {
    let world = World::new(&GatedModel::open()).await;
    let asker = world.asker().await;
    crate::offering::until_offered(&asker, world.key()).await;
    world.provider.shutdown().graceful.cancel();
    patiently("the stop", world.provider.stopped()).await;
    for event in crate::offering::offers(&asker, world.key()).await {
        let ends_at = match Heartbeat::from_event(&event) {
            Ok(received) => received.heartbeat.expires_at,
            Err(_) => Announcement::from_event(&event).unwrap().expires_at.unwrap(),
        };
        assert!(ends_at.as_secs() <= event.created_at.as_secs() + 1);
    }
}
