//! Announcement and heartbeat.

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::scripted::ScriptedModel;
use frlm_protocol::{Announcement, Heartbeat, kinds};
use frlm_provider::{Provider, ProviderConfig, StartError};
use nostr::{Event, Filter, Keys, PublicKey};

use crate::engine::GatedModel;
use crate::relay::TestRelay;
use crate::world::{Asker, World, patiently, quick_options};

/// What a relay holds of a provider's offer.
pub async fn offers(asker: &Asker, provider: PublicKey) -> Vec<Event> {
    let filter = Filter::new().kinds([kinds::ANNOUNCEMENT, kinds::HEARTBEAT]).author(provider);
    asker.publisher.fetch(vec![filter], Duration::from_secs(10)).await
}

/// Waits until a relay holds announcement and heartbeat.
pub async fn until_offered(asker: &Asker, provider: PublicKey) -> Vec<Event> {
    patiently("the offer", async {
        loop {
            let found = offers(asker, provider).await;
            if found.len() == 2 {
                return found;
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_provider_announces_what_it_offers_and_that_it_lives() {
    let world = World::with(&GatedModel::open().concurrency(4), |config| {
        config.name = "a spare card".to_owned();
        config.price_msats_per_1k = 2000;
    })
    .await;
    let asker = world.asker().await;
    let found = until_offered(&asker, world.key()).await;
    let offer = found.iter().find_map(|event| Announcement::from_event(event).ok()).unwrap().announcement;
    assert_eq!(
        (offer.name.as_str(), offer.model.as_str(), offer.dialect.as_str()),
        ("a spare card", "gated", "json")
    );
    assert_eq!((offer.price_msats_per_1k, offer.concurrency, offer.context_tokens), (2000, 4, 4096));
    assert_eq!(offer.roles, ["worker", "validator"]);
    let heartbeat = found.iter().find_map(|event| Heartbeat::from_event(event).ok()).unwrap();
    assert_eq!(heartbeat.heartbeat.expires_at.as_secs(), heartbeat.created_at.as_secs() + 60);
}

#[tokio::test]
async fn an_engine_that_is_tried_at_the_start_is_announced_with_its_speed() {
    let relay = TestRelay::start().await;
    let words = |_: &str| "one two three four five six seven eight nine ten".to_owned();
    let (wait, each) = (Duration::from_millis(50), Duration::from_millis(10));
    let model = ScriptedModel::new("m", words).with_latency(wait).with_token_interval(each);
    let (config, keys) =
        (ProviderConfig { tries_engine: true, ..ProviderConfig::default() }, Keys::generate());
    let relays = [relay.url()];
    let key = keys.public_key();
    let _provider =
        Provider::start_with(config, keys, &relays, quick_options(), Arc::new(model)).await.unwrap();
    let asker = Asker::connect(&relay.url(), key).await;
    let speed = patiently("a speed", async {
        loop {
            let found = until_offered(&asker, key).await;
            let offers = found.iter().find_map(|event| Announcement::from_event(event).ok());
            if let Some(speed) = offers.unwrap().announcement.speed {
                return speed;
            }
        }
    })
    .await;
    // It takes no less than it is told to, and longer where the machine is busy.
    assert!(speed.decode() <= 100.0 && speed.prefill() <= 200.0 / wait.as_secs_f64(), "{speed:?}");
    assert!(speed.decode() > 1.0, "{speed:?}");
}

#[tokio::test]
async fn what_fits_into_no_announcement_is_not_served_in_silence() {
    let relay = TestRelay::start().await;
    let model = Arc::new(ScriptedModel::new(&"m".repeat(300), str::to_owned));
    let relays = [relay.url()];
    let (config, keys) = (ProviderConfig::default(), Keys::generate());
    let refused = Provider::start_with(config, keys, &relays, quick_options(), model).await.unwrap_err();
    assert!(matches!(&refused, StartError::Offer(_)), "{refused}");
    assert!(refused.to_string().contains("shorter name"), "{refused}");
}
