//! A relay that ends the provider's subscription, or the whole connection.

use std::sync::Arc;
use std::time::Duration;

use frlm_provider::{Provider, ProviderConfig};
use futures::{SinkExt as _, StreamExt as _};
use nostr::{Keys, RelayUrl, Timestamp};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::engine::GatedModel;
use crate::world::{patiently, quick_options};

type Client = WebSocketStream<TcpStream>;

async fn say(client: &mut Client, message: &Value) {
    client.send(Message::text(message.to_string())).await.unwrap();
}

/// The filters of the provider's next subscription. Whatever it looks up before is not there.
async fn subscribed(client: &mut Client) -> Vec<Value> {
    patiently("a subscription", async {
        loop {
            let Message::Text(text) = client.next().await.unwrap().unwrap() else { continue };
            let said: Vec<Value> = serde_json::from_str(text.as_str()).unwrap();
            match (said[0].as_str(), said[1].as_str()) {
                (Some("REQ"), Some("jobs")) => return said[2..].to_vec(),
                (Some("REQ"), Some(name)) => say(client, &json!(["EOSE", name])).await,
                _ => {}
            }
        }
    })
    .await
}

#[tokio::test]
async fn who_is_not_heard_for_a_while_asks_for_what_came_meanwhile() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = RelayUrl::parse(&format!("ws://{}", listener.local_addr().unwrap())).unwrap();
    let config = ProviderConfig::default();
    let model = Arc::new(GatedModel::open());
    let accepting = async {
        let (stream, _) = listener.accept().await.unwrap();
        tokio_tungstenite::accept_async(stream).await.unwrap()
    };
    let relays = [url];
    let starting = Provider::start_with(config, Keys::generate(), &relays, quick_options(), model);
    let (started, mut client) = tokio::join!(starting, accepting);
    let _provider = started.unwrap();
    let first = subscribed(&mut client).await;

    let ended_at = Timestamp::now().as_secs();
    say(&mut client, &json!(["CLOSED", "jobs", "error: shutting down idle subscription"])).await;
    let again = subscribed(&mut client).await;
    assert_eq!(again, first);
    for filter in again {
        let since = filter["since"].as_u64().unwrap();
        assert!(since < ended_at, "a job of the moment before would be lost: {filter}");
    }
}

#[tokio::test]
async fn who_comes_back_asks_only_for_what_may_have_been_missed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = RelayUrl::parse(&format!("ws://{}", listener.local_addr().unwrap())).unwrap();
    let accepting = || async {
        let (stream, _) = listener.accept().await.unwrap();
        tokio_tungstenite::accept_async(stream).await.unwrap()
    };
    let relays = [url];
    let config = ProviderConfig { accept_open_jobs: true, ..ProviderConfig::default() };
    let model = Arc::new(GatedModel::open());
    let starting = Provider::start_with(config, Keys::generate(), &relays, quick_options(), model);
    let (started, mut client) = tokio::join!(starting, accepting());
    let _provider = started.unwrap();
    let since = |filters: &[Value]| -> Vec<u64> {
        filters.iter().map(|filter| filter["since"].as_u64().unwrap()).collect()
    };
    let first = since(&subscribed(&mut client).await);

    // Nothing is stored, and a while later there is a last sign of life.
    say(&mut client, &json!(["EOSE", "jobs"])).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let heard_at = Timestamp::now().as_secs();
    say(&mut client, &json!(["NOTICE", "going"])).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    drop(client);
    let mut client = patiently("a new connection", accepting()).await;
    let again = since(&subscribed(&mut client).await);
    assert_eq!(first.len(), again.len());
    for (first, again) in first.into_iter().zip(again) {
        let margin = heard_at - again;
        assert!((first + 2..=first + 4).contains(&again), "{first} and {again}");
        assert!(margin >= 590, "a job that was written {margin} s before would be lost");
    }
}
