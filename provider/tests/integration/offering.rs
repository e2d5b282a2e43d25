//! Announcement and heartbeat.

use std::time::Duration;

use frlm_protocol::{Announcement, Heartbeat, kinds};
use nostr::{Event, Filter, PublicKey};

use crate::engine::GatedModel;
use crate::world::{Asker, World, patiently};

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
