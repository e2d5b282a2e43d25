//! Relays that restart, with and without their memory.

use frlm_provider::ProviderEvent;

use crate::engine::GatedModel;
use crate::world::{Asker, World, request, texts};

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
