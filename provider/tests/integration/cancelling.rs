//! Jobs that are cancelled.

use frlm_protocol::FeedbackStatus;
use frlm_provider::ProviderEvent;
use nostr::Keys;

use crate::engine::GatedModel;
use crate::world::{World, request, texts};

#[tokio::test]
async fn the_askers_cancellation_stops_the_engine_and_is_confirmed() {
    let model = GatedModel::closed();
    let world = World::new(&model).await;
    let mut asker = world.asker().await;
    let job = asker.ask(&request("copy", &["a"])).await;
    model.until_running(1).await;
    asker.cancel(&job, &asker.keys).await;
    asker.feedback(&job, FeedbackStatus::Cancelled).await;
    model.until_running(0).await;
    assert_eq!(world.provider.stats().cancelled, 1);

    let next = asker.ask(&request("copy", &["b"])).await;
    model.let_pass(1);
    assert_eq!(texts(&asker.result(&next).await), ["re: b"]);
}

#[tokio::test]
async fn a_waiting_job_is_taken_back_without_ever_reaching_the_engine() {
    let model = GatedModel::closed();
    let world = World::new(&model).await;
    let mut asker = world.asker().await;
    let running = asker.ask(&request("copy", &["a"])).await;
    let waiting = asker.ask(&request("copy", &["b"])).await;
    world.until_stats("one waits", |stats| stats.queued == 1).await;
    asker.cancel(&waiting, &asker.keys).await;
    asker.feedback(&waiting, FeedbackStatus::Cancelled).await;
    model.let_pass(2);
    asker.result(&running).await;
    assert_eq!(model.prompts().len(), 1);
}

#[tokio::test]
async fn a_strangers_cancellation_is_ignored() {
    let model = GatedModel::closed();
    let mut world = World::new(&model).await;
    let mut asker = world.asker().await;
    let stranger = world.asker().await;
    let job = asker.ask(&request("copy", &["a"])).await;
    model.until_running(1).await;
    stranger.cancel(&job, &Keys::generate()).await;
    world.event("ignored", |e| matches!(e, ProviderEvent::Ignored { event, .. } if *event == job.id)).await;
    model.let_pass(1);
    assert_eq!(texts(&asker.result(&job).await), ["re: a"]);
}
