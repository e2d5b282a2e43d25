//! What a run thinks of its providers stays with it: all that it publishes, seen by somebody at the relay.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::common::{Asker, copy, engine, lie, orders, provider, relay};
use frlm_protocol::kinds::{CANCELLATION, JOB_REQUEST, SETTLEMENT, VERDICT};
use frlm_relay::{ConnectOptions, Connection, RelayMessage};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::trust::ReputationStore;
use nostr::{Event, EventBuilder, Filter, Keys, Kind};

const QUICK: Duration = Duration::from_millis(1);

fn recipients(event: &Event) -> Vec<String> {
    let named = event.tags.iter().filter(|tag| tag.as_slice().first().is_some_and(|name| name == "p"));
    named.filter_map(|tag| tag.as_slice().get(1).cloned()).collect()
}

/// A reputation is shared by its owner's hand alone (`frlm providers export`): runs tell each provider what became of its
/// own answers, sealed, and publish nothing else of what they have learned.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_known_of_a_provider_is_told_to_nobody_but_itself() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let url = relay.url();
    let a = provider("a", &url, engine(copy, QUICK)).await;
    let b = provider("b", &url, engine(copy, QUICK)).await;
    let liar = provider("liar", &url, engine(lie, QUICK)).await;
    let memory = ReputationStore::at(home.path().join("reputation.db"));
    let mut asker = Asker { memory: Some(memory.clone()), enough: 3, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::DEFAULT;

    let (publisher, mut incoming) =
        Connection::connect(std::slice::from_ref(&url), ConnectOptions::default()).await.unwrap();
    let by_the_asker = Filter::new().author(asker.keys.public_key());
    publisher.subscribe("all", vec![by_the_asker, Filter::new().kind(Kind::TextNote)]).await;
    let end = EventBuilder::text_note("that is all").sign_with_keys(&Keys::generate()).unwrap();
    let asking = async {
        let outcome = asker.ask(&url, orders(200, 5), home.path()).await;
        publisher.publish(&end).await.unwrap();
        outcome
    };
    let looking = async {
        let mut seen = Vec::new();
        while let Some(message) = incoming.recv().await {
            match message {
                RelayMessage::Event(event) if event.id == end.id => break,
                RelayMessage::Event(event) => seen.push(event),
                _ => {}
            }
        }
        seen
    };
    let (outcome, seen) = tokio::join!(asking, looking);
    assert!(outcome.result.unwrap().answer.starts_with("40 "));
    assert!(memory.load(0).unwrap().len() >= 3, "there was something to tell");

    let kinds: BTreeSet<Kind> = seen.iter().map(|event| event.kind).collect();
    let known = [JOB_REQUEST, CANCELLATION, SETTLEMENT, VERDICT];
    assert!(kinds.contains(&VERDICT) && kinds.iter().all(|kind| known.contains(kind)), "{kinds:?}");
    let keys = [&a, &b, &liar].map(|provider| provider.public_key().to_hex());
    for event in &seen {
        let text = serde_json::to_string(event).unwrap();
        let named: Vec<&String> = keys.iter().filter(|key| text.contains(*key)).collect();
        assert!(named.len() <= 1, "one provider is told of another: {text}");
        if event.kind == VERDICT {
            let to = recipients(event);
            assert_eq!(to.iter().collect::<Vec<_>>(), named, "{text}");
            assert!(
                serde_json::from_str::<serde_json::Value>(&event.content).is_err(),
                "it is sealed: {text}"
            );
        }
    }
}
