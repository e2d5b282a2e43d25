//! A relay that ends the provider's subscription.

use std::sync::Arc;

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
