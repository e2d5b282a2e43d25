//! Blobs: the embedded server as other software sees it, and fetching from servers that are not what they seem.

use std::time::Duration;

use crate::common::{anywhere, relay, within};
use frlm_protocol::{Authorization, BlobError, BlobPointer, BlobVerb, SealedBlob};
use frlm_relay::{
    BlobLimits, BlobOptions, ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig, Incoming,
    Publisher, TransferError,
};
use nostr::{JsonUtil as _, Keys, Timestamp};
use reqwest::{Client, Response, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use url::Url;

const TEXT: &str = r#"[["i","a document","text"]]"#;

async fn relay_with(blobs: Option<BlobLimits>) -> EmbeddedRelay {
    let config = EmbeddedRelayConfig { blobs, ..EmbeddedRelayConfig::at(anywhere()) };
    EmbeddedRelay::start(config).await.unwrap()
}

async fn connect(relay: &EmbeddedRelay, blobs: BlobOptions) -> (Publisher, Incoming) {
    let options = ConnectOptions { blobs, ..ConnectOptions::default() };
    Connection::connect(&[relay.url()], options).await.unwrap()
}

fn soon() -> Timestamp {
    Timestamp::now() + 60_u64
}

fn blob() -> SealedBlob {
    SealedBlob::seal(TEXT).unwrap()
}

/// A program that speaks to the blob server beside a relay.
struct Browser {
    client: Client,
    server: String,
    keys: Keys,
}

impl Browser {
    fn at(relay: &EmbeddedRelay) -> Self {
        let client = Client::builder().no_proxy().build().unwrap();
        Self { client, server: format!("http://{}", relay.address()), keys: Keys::generate() }
    }

    fn leave(&self, verb: BlobVerb, blob: &SealedBlob, expires_at: Timestamp) -> String {
        let leave = Authorization { verb, sha256: blob.sha256(), expires_at };
        leave.to_header(&self.keys, Timestamp::now() - 1_u64).unwrap()
    }

    async fn put(&self, blob: &SealedBlob, leave: &str) -> Response {
        let request = self.client.put(format!("{}/upload", self.server)).header("Authorization", leave);
        request.body(blob.bytes().to_vec()).send().await.unwrap()
    }

    async fn upload(&self, blob: &SealedBlob) -> Response {
        self.put(blob, &self.leave(BlobVerb::Upload, blob, soon())).await
    }

    async fn get(&self, name: &str) -> Response {
        self.client.get(format!("{}/{name}", self.server)).send().await.unwrap()
    }

    async fn delete(&self, blob: &SealedBlob, leave: &str) -> StatusCode {
        let url = format!("{}/{}", self.server, blob.sha256());
        self.client.delete(url).header("Authorization", leave).send().await.unwrap().status()
    }
}

#[tokio::test]
async fn a_blob_is_uploaded_described_fetched_and_deleted_as_the_buds_say() {
    let relay = relay().await;
    let (browser, blob) = (Browser::at(&relay), blob());
    let uploaded = browser.upload(&blob).await;
    assert_eq!(uploaded.status(), StatusCode::OK);
    let described: serde_json::Value = uploaded.json().await.unwrap();
    let name = blob.sha256().to_string();
    assert_eq!(described["sha256"], name);
    assert_eq!(described["size"], blob.bytes().len());
    assert_eq!(described["url"], format!("{}/{name}", browser.server));
    assert!(described["uploaded"].is_u64() && described["type"].is_string());

    for named in [name.clone(), format!("{name}.bin")] {
        let found = browser.get(&named).await;
        assert_eq!(found.headers()["access-control-allow-origin"], "*");
        assert_eq!(found.headers()["content-type"], "application/octet-stream");
        assert_eq!(found.bytes().await.unwrap(), blob.bytes());
    }
    let head = browser.client.head(format!("{}/{name}", browser.server)).send().await.unwrap();
    assert_eq!((head.status(), head.headers()["content-length"].to_str().unwrap()), (StatusCode::OK, "4136"));
    let preflight = browser.client.request(reqwest::Method::OPTIONS, format!("{}/upload", browser.server));
    let preflight = preflight.send().await.unwrap();
    assert!(preflight.headers()["access-control-allow-methods"].to_str().unwrap().contains("PUT"));
    assert!(preflight.headers()["access-control-allow-headers"].to_str().unwrap().contains("Authorization"));

    let leave = browser.leave(BlobVerb::Delete, &blob, soon());
    assert_eq!(Browser::at(&relay).delete(&blob, &leave.replace("Nostr", "Basic")).await, 401);
    assert_eq!(browser.delete(&blob, &leave).await, 204);
    assert_eq!(browser.get(&name).await.status(), 404);
    assert_eq!(browser.delete(&blob, &leave).await, 404);
}

#[tokio::test]
async fn an_upload_needs_leave_of_its_key_for_this_blob_and_this_moment() {
    let relay = relay().await;
    let (browser, blob, other) = (Browser::at(&relay), blob(), blob());
    let forged = {
        let header = browser.leave(BlobVerb::Upload, &blob, soon());
        let mut event = Authorization::event_in(&header).unwrap();
        event.pubkey = Keys::generate().public_key();
        format!("Nostr {}", base64(event.as_json().as_bytes()))
    };
    for (leave, words) in [
        (String::new(), "kind 24242"),
        (browser.leave(BlobVerb::Upload, &other, soon()), "another blob"),
        (browser.leave(BlobVerb::Delete, &blob, soon()), "another action"),
        (browser.leave(BlobVerb::Upload, &blob, Timestamp::now() - 1_u64), "expired"),
        (forged, "signature"),
    ] {
        let refused = browser.put(&blob, &leave).await;
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{words}");
        assert_eq!(refused.headers()["access-control-allow-origin"], "*");
        assert!(refused.headers()["x-reason"].to_str().unwrap().contains(words), "{words}");
        let body: serde_json::Value = refused.json().await.unwrap();
        assert!(body["message"].as_str().unwrap().contains(words), "{body}");
    }
    assert_eq!(browser.get(&blob.sha256().to_string()).await.status(), 404);
    assert_eq!(browser.upload(&blob).await.status(), 200);
    // Somebody else's leave deletes nothing.
    let stranger = Browser::at(&relay);
    let leave = stranger.leave(BlobVerb::Delete, &blob, soon());
    assert_eq!(stranger.delete(&blob, &leave).await, 403);
}

fn base64(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bytes.chunks(3).fold(String::new(), |mut text, chunk| {
        let word = chunk.iter().fold(0_u32, |word, byte| (word << 8) | u32::from(*byte));
        let word = word << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            let letter = LETTERS[((word >> (18 - 6 * place)) & 63) as usize];
            write!(text, "{}", char::from(letter)).unwrap();
        }
        text
    })
}

#[tokio::test]
async fn the_server_takes_no_more_than_it_says_and_drops_what_expired() {
    let limits = BlobLimits {
        max_bytes: 10_000,
        max_key_bytes: 8_192,
        max_total_bytes: 100_000,
        ..BlobLimits::default()
    };
    let relay = relay_with(Some(limits)).await;
    let browser = Browser::at(&relay);
    let large = SealedBlob::seal(&"x".repeat(12_000)).unwrap();
    let refused = browser.upload(&large).await;
    assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert!(refused.headers()["x-reason"].to_str().unwrap().contains("10000"));
    let (first, second) = (blob(), blob());
    assert_eq!(browser.upload(&first).await.status(), 200);
    assert_eq!(browser.upload(&second).await.status(), StatusCode::TOO_MANY_REQUESTS);

    let limits = BlobLimits { longest: Duration::from_secs(1), ..limits };
    let relay = relay_with(Some(limits)).await;
    let browser = Browser::at(&relay);
    assert_eq!(browser.upload(&first).await.status(), 200);
    let name = first.sha256().to_string();
    let gone = async {
        while browser.get(&name).await.status() != 404 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    within(gone).await;
    assert_eq!(browser.upload(&second).await.status(), 200, "its room is free again");
}

#[tokio::test]
async fn a_relay_without_a_blob_server_says_nothing_of_one() {
    for (blobs, offer) in [(Some(BlobLimits::default()), true), (None, false)] {
        let relay = relay_with(blobs).await;
        let browser = Browser::at(&relay);
        let request = browser.client.get(&browser.server).header("Accept", "application/nostr+json");
        let document: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(document["blossom"]["max_size"].is_u64(), offer, "{document}");
        assert_eq!(browser.upload(&blob()).await.status() == 200, offer);
    }
}

#[tokio::test]
async fn a_blob_beside_the_relay_is_found_without_an_address() {
    let relay = relay().await;
    let ((asker, _a), (provider, _p)) =
        (connect(&relay, BlobOptions::default()).await, connect(&relay, BlobOptions::default()).await);
    let (keys, sealed) = (Keys::generate(), blob());
    within(async {
        while !asker.takes_blobs(sealed.bytes().len()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let pointer = asker.upload(&sealed, soon(), &keys).await.unwrap();
    assert!(pointer.urls().is_empty());
    let bytes = provider.fetch_blob(&pointer).await.unwrap();
    assert_eq!(pointer.open(&bytes).unwrap().trim_end(), TEXT);
    asker.delete_blob(&pointer, &keys).await;
    assert_eq!(provider.fetch_blob(&pointer).await, Err(TransferError::Gone));
}

#[tokio::test]
async fn what_relays_take_is_known_by_their_documents_and_bounded_by_the_user() {
    let config = EmbeddedRelayConfig { max_content_chars: 9_000, ..EmbeddedRelayConfig::at(anywhere()) };
    let relay = EmbeddedRelay::start(config).await.unwrap();
    let (publisher, _incoming) = connect(&relay, BlobOptions::default()).await;
    within(async {
        while publisher.content_limit() != Some(9_000) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let less = BlobOptions { over_chars: Some(500), ..BlobOptions::default() };
    let (publisher, _incoming) = connect(&relay, less).await;
    assert_eq!(publisher.content_limit(), Some(500));
}

#[tokio::test]
async fn an_upload_that_is_refused_says_so_in_the_words_of_the_server() {
    let limits = BlobLimits { max_key_bytes: 4_200, ..BlobLimits::default() };
    let relay = relay_with(Some(limits)).await;
    let named = BlobOptions {
        servers: vec![Url::parse(&format!("http://{}", relay.address())).unwrap()],
        ..BlobOptions::default()
    };
    let (publisher, _incoming) = connect(&relay, named).await;
    let keys = Keys::generate();
    let pointer = publisher.upload(&blob(), soon(), &keys).await.unwrap();
    assert_eq!(pointer.urls().len(), 1, "a named server stands in the job");
    let refused = publisher.upload(&blob(), soon(), &keys).await.unwrap_err();
    assert!(matches!(&refused, TransferError::Refused { status: 429, words } if words.contains("this key")));

    let without = relay_with(None).await;
    let (publisher, _incoming) = connect(&without, BlobOptions::default()).await;
    assert_eq!(publisher.upload(&blob(), soon(), &keys).await, Err(TransferError::NoServer));
}

/// A server that answers every request with these bytes, and then waits.
async fn server(answer: Vec<u8>) -> Url {
    let listener = TcpListener::bind(anywhere()).await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut request = [0_u8; 4_096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(&answer).await;
                tokio::time::sleep(Duration::from_secs(30)).await;
            });
        }
    });
    url
}

fn ok(length: usize, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n").as_bytes(), body].concat()
}

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// What becomes of a fetch from a server that is named, as a blob of this size.
async fn fetched(answer: Vec<u8>, sealed: &SealedBlob) -> Result<Vec<u8>, TransferError> {
    let relay = relay_with(None).await;
    let server = server(answer).await;
    let url = server.join(&sealed.sha256().to_string()).unwrap();
    let named = BlobOptions { servers: vec![server], timeout: PATIENCE, ..BlobOptions::default() };
    let (publisher, _incoming) = connect(&relay, named).await;
    within(publisher.fetch_blob(&sealed.at(vec![url]))).await
}

#[tokio::test]
async fn a_server_that_is_not_what_it_seems_is_found_out() {
    let sealed = blob();
    let (bytes, size) = (sealed.bytes().to_vec(), sealed.bytes().len());
    assert_eq!(fetched(ok(size, &bytes), &sealed).await, Ok(bytes.clone()));

    let mut other = bytes.clone();
    other[50] ^= 1;
    assert_eq!(fetched(ok(size, &other), &sealed).await, Err(BlobError::Hash.into()));
    let more = [bytes.as_slice(), b"more"].concat();
    assert_eq!(fetched(ok(more.len(), &more), &sealed).await, Err(BlobError::Size.into()));
    assert_eq!(fetched(ok(10, &bytes[..10]), &sealed).await, Err(BlobError::Size.into()));
    // Endless, whatever it says of its length.
    let begin = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".as_slice();
    let chunk = [b"1000\r\n".as_slice(), &[b'x'; 4_096], b"\r\n"].concat();
    let endless = [begin, &chunk, &chunk].concat();
    assert_eq!(fetched(endless, &sealed).await, Err(BlobError::Size.into()));
    // It begins and does not end, or says nothing at all.
    let slow = Err(TransferError::Slow(PATIENCE));
    assert_eq!(fetched(ok(size, &bytes[..100]), &sealed).await, slow);
    assert_eq!(fetched(Vec::new(), &sealed).await, slow);
    let elsewhere = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(fetched(elsewhere.to_vec(), &sealed).await, Err(TransferError::Redirected));
    let odd = b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n".to_vec();
    assert_eq!(fetched(odd, &sealed).await, Err(TransferError::Status(500)));
}

/// A blob that is there, at an address of this machine, and how a provider fares that is told of it.
async fn told_of(server: &Url, sealed: &SealedBlob, blobs: BlobOptions) -> Result<Vec<u8>, TransferError> {
    let relay = relay_with(None).await;
    let (publisher, _incoming) = connect(&relay, blobs).await;
    let pointer: BlobPointer = sealed.at(vec![server.join(&sealed.sha256().to_string()).unwrap()]);
    within(publisher.fetch_blob(&pointer)).await
}

#[tokio::test]
async fn nobody_is_made_to_ask_this_machine_or_a_server_that_no_one_named() {
    let sealed = blob();
    let bytes = sealed.bytes().to_vec();
    let here = server(ok(bytes.len(), &bytes)).await;
    let mut by_name = here.clone();
    by_name.set_host(Some("localhost")).unwrap();
    let anywhere = BlobOptions { from_anywhere: true, ..BlobOptions::default() };
    // In numbers, and by a name that is looked up.
    for server in [&here, &by_name] {
        assert_eq!(told_of(server, &sealed, anywhere.clone()).await, Err(TransferError::Private), "{server}");
    }
    assert_eq!(told_of(&by_name, &sealed, BlobOptions::default()).await, Err(TransferError::NotAllowed));
    // The operator may say otherwise.
    let named = BlobOptions { servers: vec![here.clone()], ..BlobOptions::default() };
    assert_eq!(told_of(&here, &sealed, named).await, Ok(bytes));
}
