//! Jobs whose texts are in blobs.

use std::net::SocketAddr;
use std::time::Duration;

use frlm_protocol::{BlobPointer, FeedbackStatus, JobRequest, RefusalReason, SealedBlob};
use frlm_provider::ProviderConfig;
use frlm_relay::{BlobOptions, ConnectOptions, Connection, parse_blob_server};
use nostr::{Event, Timestamp};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::engine::GatedModel;
use crate::world::{Asker, World, patiently, quick_options, request, texts};

/// Long enough for this machine, and short enough for a test.
const BLOB_TIMEOUT: Duration = Duration::from_millis(800);

async fn world(change: impl FnOnce(&mut ProviderConfig), servers: &[SocketAddr]) -> World {
    let servers = servers.iter().map(|at| parse_blob_server(&format!("http://{at}")).unwrap()).collect();
    let blobs = BlobOptions { servers, timeout: BLOB_TIMEOUT, ..BlobOptions::default() };
    let options = ConnectOptions { read_limits: true, blobs, ..quick_options() };
    World::connected(&GatedModel::open(), change, options).await
}

fn wanted() -> JobRequest {
    let expires_at = Some(Timestamp::now() + 60_u64);
    JobRequest { expires_at, ..request("copy", &["from a blob"]) }
}

fn sealed() -> SealedBlob {
    SealedBlob::seal(&wanted().apart()).unwrap()
}

/// Puts a blob beside the relay, until then.
async fn put(world: &World, asker: &Asker, blob: &SealedBlob, until: Timestamp) -> BlobPointer {
    let options = ConnectOptions { read_limits: true, ..quick_options() };
    let (publisher, _incoming) = Connection::connect(&[world.relay.url()], options).await.unwrap();
    patiently("the relay's word of its blob server", async {
        while !publisher.takes_blobs(blob.bytes().len()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    publisher.upload(blob, until, &asker.keys).await.unwrap()
}

async fn ask(world: &World, asker: &Asker, pointer: &BlobPointer) -> Event {
    let event = wanted().to_event_beside(pointer, world.key(), &asker.keys, Timestamp::now()).unwrap();
    asker.publish(&event).await;
    event
}

/// Why a job is refused whose blob is there.
async fn refused(world: &World, pointer: &BlobPointer) -> (RefusalReason, String) {
    let mut asker = world.asker().await;
    let job = ask(world, &asker, pointer).await;
    let feedback = asker.feedback(&job, FeedbackStatus::Error).await;
    (feedback.reason.unwrap(), feedback.detail.unwrap())
}

/// A server that answers every request with this and then waits.
async fn server(answer: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let _ = stream.read(&mut [0_u8; 4_096]).await;
                let _ = stream.write_all(&answer).await;
                tokio::time::sleep(Duration::from_secs(30)).await;
            });
        }
    });
    address
}

fn at(server: SocketAddr, blob: &SealedBlob) -> BlobPointer {
    let url = parse_blob_server(&format!("http://{server}")).unwrap();
    blob.at(vec![url.join(&blob.sha256().to_string()).unwrap()])
}

#[tokio::test]
async fn a_job_beside_a_blob_is_answered_like_any_other() {
    let world = world(|_| {}, &[]).await;
    let mut asker = world.asker().await;
    let pointer = put(&world, &asker, &sealed(), Timestamp::now() + 60_u64).await;
    let job = ask(&world, &asker, &pointer).await;
    assert_eq!(texts(&asker.result(&job).await), ["re: from a blob"]);
}

#[tokio::test]
async fn a_blob_that_has_expired_or_never_was_is_missed_in_words() {
    let world = world(|_| {}, &[]).await;
    let asker = world.asker().await;
    let never = refused(&world, &sealed().at(Vec::new())).await;
    assert_eq!(never.0, RefusalReason::Unsupported);
    assert!(never.1.contains("not there"), "{never:?}");
    let pointer = put(&world, &asker, &sealed(), Timestamp::now() + 2_u64).await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let expired = refused(&world, &pointer).await;
    assert!(expired.1.contains("not any more"), "{expired:?}");
}

#[tokio::test]
async fn a_blob_that_is_too_large_is_not_fetched() {
    let world = world(|config| config.max_blob_bytes = 4_100, &[]).await;
    let told = refused(&world, &sealed().at(Vec::new())).await;
    assert_eq!(told.0, RefusalReason::TooLarge);
    assert!(told.1.contains("4136 bytes") && told.1.contains("at most 4100"), "{told:?}");
}

#[tokio::test]
async fn other_bytes_than_the_job_names_are_refused() {
    let blob = sealed();
    let mut other = blob.bytes().to_vec();
    other[30] ^= 1;
    let answer =
        [format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", other.len()).as_bytes(), &other].concat();
    let liar = server(answer).await;
    let told = refused(&world(|_| {}, &[liar]).await, &at(liar, &blob)).await;
    assert_eq!(told.0, RefusalReason::Unsupported);
    assert!(told.1.contains("hash is another"), "{told:?}");
}

#[tokio::test]
async fn a_server_that_never_answers_holds_nobody_up() {
    let silent = server(Vec::new()).await;
    let world = world(|_| {}, &[silent]).await;
    let mut asker = world.asker().await;
    let slow = ask(&world, &asker, &at(silent, &sealed())).await;
    let quick = asker.ask(&request("copy", &["meanwhile"])).await;
    assert_eq!(texts(&asker.result(&quick).await), ["re: meanwhile"]);
    assert!(!asker.has_heard_of(&slow), "it is still waited for");
    let told = asker.feedback(&slow, FeedbackStatus::Error).await.detail.unwrap();
    assert!(told.contains("longer than 0.8 s"), "{told}");
}

#[tokio::test]
async fn a_private_address_is_never_asked() {
    let blob = sealed();
    let answer = [
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", blob.bytes().len()).as_bytes(),
        blob.bytes(),
    ]
    .concat();
    // It would be the right answer.
    let inside = server(answer).await;
    let told = refused(&world(|_| {}, &[]).await, &at(inside, &blob)).await;
    assert_eq!(told.0, RefusalReason::Unsupported);
    assert!(told.1.contains("private address"), "{told:?}");
    assert!(!told.1.contains("127.0.0.1"), "relays show it to everybody: {told:?}");
}
