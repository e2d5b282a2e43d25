//! Relays that restart, with and without their memory.

use std::time::Duration;

use frlm_provider::ProviderEvent;
use frlm_relay::ConnectOptions;

use crate::engine::GatedModel;
use crate::world::{Asker, World, quick_options, request, texts};

#[tokio::test]
async fn a_result_survives_a_relay_that_restarts_in_mid_job() {
    let model = GatedModel::closed();
    let mut world = World::new(&model).await;
    let mut asker = world.asker().await;
    let job = asker.ask(&request("copy", &["a"])).await;
    model.until_running(1).await;

    world.relay.stop().await;
    world.event("offline", |e| matches!(e, ProviderEvent::RelayOffline { .. })).await;
    model.let_pass(1);
    world.event("finished", |e| matches!(e, ProviderEvent::Finished { .. })).await;
    world.relay.restart().await;
    assert_eq!(texts(&asker.result(&job).await), ["re: a"]);
    world.event("delivered", |e| matches!(e, ProviderEvent::Delivered { .. })).await;
}

#[tokio::test]
async fn a_result_is_sent_again_when_relays_are_away_for_a_whole_attempt() {
    let model = GatedModel::closed();
    let options = ConnectOptions { publish_timeout: Duration::from_millis(200), ..quick_options() };
    let mut world = World::connected(&model, |_| {}, options).await;
    let mut asker = world.asker().await;
    let job = asker.ask(&request("copy", &["a"])).await;
    model.until_running(1).await;
    world.relay.stop().await;
    model.let_pass(1);
    world.event("delayed", |e| matches!(e, ProviderEvent::Delayed { .. })).await;
    world.relay.restart().await;
    assert_eq!(texts(&asker.result(&job).await), ["re: a"]);
}

#[tokio::test]
async fn a_relay_that_lost_its_memory_gets_results_and_offer_again() {
    let model = GatedModel::open();
    let mut world = World::new(&model).await;
    let mut asker = world.asker().await;
    let job = asker.ask(&request("copy", &["a"])).await;
    let (_, first) = asker.result_event(&job).await;
    world.event("delivered", |e| matches!(e, ProviderEvent::Delivered { .. })).await;

    world.relay.stop().await;
    world.relay.restart().await;
    world.event("delivered again", |e| matches!(e, ProviderEvent::Delivered { .. })).await;
    let mut late = Asker::with_keys(asker.keys.clone(), &world.relay.url(), world.key()).await;
    let (_, again) = late.result_event(&job).await;
    assert_eq!(again, first);
    assert_eq!(model.prompts().len(), 1);
    crate::offering::until_offered(&late, world.key()).await;
}
