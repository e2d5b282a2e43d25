#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response as Answer, header};
use axum::response::Redirect;
use axum::routing::get;
use tokio_util::task::AbortOnDropHandle;

use super::*;

/// A server that serves one file, gives up after so many bytes, and remembers what it was asked.
#[derive(Clone)]
struct Server {
    file: Arc<Mutex<Vec<u8>>>,
    gives_up_after: Arc<Mutex<Option<usize>>>,
    asked: Arc<Mutex<Vec<Option<String>>>>,
    _task: Arc<AbortOnDropHandle<std::io::Result<()>>>,
}

impl Server {
    async fn start(file: Vec<u8>) -> (Self, String) {
        let server = Self {
            file: Arc::new(Mutex::new(file)),
            gives_up_after: Arc::default(),
            asked: Arc::default(),
            _task: Arc::new(AbortOnDropHandle::new(tokio::spawn(async { Ok(()) }))),
        };
        let router = Router::new()
            .route("/m.gguf", get(serve))
            .route("/moved/m.gguf", get(|| async { Redirect::temporary("/m.gguf") }))
            .route("/away/m.gguf", get(|| async { Redirect::temporary("http://host.invalid/m.gguf") }))
            .with_state(server.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/m.gguf", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, router).await });
        (Self { _task: Arc::new(AbortOnDropHandle::new(task)), ..server }, url)
    }

    fn ranges(&self) -> Vec<Option<String>> {
        self.asked.lock().unwrap().clone()
    }
}

fn tag(file: &[u8]) -> String {
    format!("\"{}-{}\"", file.len(), file.first().copied().unwrap_or(0))
}

async fn serve(State(server): State<Server>, headers: HeaderMap) -> Answer<Body> {
    let text = |name| headers.get(name).and_then(|value: &header::HeaderValue| value.to_str().ok());
    let file = server.file.lock().unwrap().clone();
    let range = text(header::RANGE).map(str::to_owned);
    server.asked.lock().unwrap().push(range.clone());
    let unchanged = text(header::IF_RANGE) == Some(tag(&file).as_str());
    let from: usize = match range.filter(|_| unchanged) {
        Some(range) => range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap(),
        None => 0,
    };
    if from > 0 && from >= file.len() {
        return Answer::builder().status(416).body(Body::empty()).unwrap();
    }
    let rest = file[from..].to_vec();
    let mut answer =
        Answer::builder().header(header::ETAG, tag(&file)).header(header::CONTENT_LENGTH, rest.len());
    if from > 0 {
        let range = format!("bytes {from}-{}/{}", file.len() - 1, file.len());
        answer = answer.status(206).header(header::CONTENT_RANGE, range);
    }
    let body = match server.gives_up_after.lock().unwrap().take() {
        None => Body::from(rest),
        Some(count) => {
            let gone = std::io::Error::other("the server was switched off");
            let parts = [Ok(rest[..count].to_vec()), Err(gone)];
            Body::from_stream(futures::stream::iter(parts))
        }
    };
    answer.body(body).unwrap()
}

fn bytes(seed: u8) -> Vec<u8> {
    (0..300_000_u32).map(|number| seed.wrapping_add(number.to_le_bytes()[0])).collect()
}

fn sha256(file: &[u8]) -> String {
    hex::encode(Sha256::digest(file))
}

async fn get_it(url: &str, sha256: &str, folder: &Path) -> Result<Outcome, DownloadError> {
    fetch(&DownloadRequest::parse(url, sha256).unwrap(), folder, &CancellationToken::new(), |_| {}).await
}

#[tokio::test]
async fn what_stopped_goes_on_where_it_stopped_and_is_checked_as_a_whole() {
    let (file, folder) = (bytes(1), tempfile::tempdir().unwrap());
    let (server, url) = Server::start(file.clone()).await;
    let (order, stop) = (DownloadRequest::parse(&url, &sha256(&file)).unwrap(), CancellationToken::new());
    let stopped = fetch(&order, folder.path(), &stop, |_| stop.cancel()).await.unwrap();
    let Outcome::Stopped(kept) = stopped else { panic!("{stopped:?}") };
    assert!(kept > 0);
    assert!(!folder.path().join("m.gguf").exists(), "nothing is called whole before it is");

    let done = get_it(&url, &sha256(&file), folder.path()).await.unwrap();
    let path = folder.path().join("m.gguf");
    assert_eq!(done, Outcome::Done { path: path.clone(), sha256: sha256(&file) });
    assert_eq!(std::fs::read(path).unwrap(), file);
    assert_eq!(server.ranges(), [None, Some(format!("bytes={kept}-"))]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[tokio::test]
async fn a_server_that_drops_out_is_named_and_the_next_try_completes_the_file() {
    let (file, folder) = (bytes(1), tempfile::tempdir().unwrap());
    let (server, url) = Server::start(file.clone()).await;
    *server.gives_up_after.lock().unwrap() = Some(100_000);
    let lost = get_it(&url, &sha256(&file), folder.path()).await.unwrap_err();
    assert!(matches!(&lost, DownloadError::Network { .. }) && lost.to_string().contains("kept"), "{lost}");
    get_it(&url, &sha256(&file), folder.path()).await.unwrap();
    assert_eq!(std::fs::read(folder.path().join("m.gguf")).unwrap(), file);
}

#[tokio::test]
async fn a_file_that_changed_meanwhile_is_fetched_from_the_start() {
    let (first, second, folder) = (bytes(1), bytes(9), tempfile::tempdir().unwrap());
    let (server, url) = Server::start(first).await;
    *server.gives_up_after.lock().unwrap() = Some(50_000);
    get_it(&url, "", folder.path()).await.unwrap_err();
    server.file.lock().unwrap().clone_from(&second);
    get_it(&url, &sha256(&second), folder.path()).await.unwrap();
    assert_eq!(std::fs::read(folder.path().join("m.gguf")).unwrap(), second);
}

#[tokio::test]
async fn another_file_than_the_one_that_was_named_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, url) = Server::start(bytes(1)).await;
    let error = get_it(&url, &sha256(&bytes(2)), folder.path()).await.unwrap_err();
    assert!(error.to_string().contains(&sha256(&bytes(1))), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_stop_keeps_what_came_and_a_whole_part_needs_only_the_check() {
    let (file, folder) = (bytes(3), tempfile::tempdir().unwrap());
    let (server, url) = Server::start(file.clone()).await;
    let (order, stop) = (DownloadRequest::parse(&url, "").unwrap(), CancellationToken::new());
    stop.cancel();
    assert!(matches!(fetch(&order, folder.path(), &stop, |_| {}).await, Ok(Outcome::Stopped(_))));
    // As a process leaves it that dies between the last byte and the check.
    std::fs::write(folder.path().join("m.gguf.part"), &file).unwrap();
    get_it(&url, &sha256(&file), folder.path()).await.unwrap();
    assert_eq!(server.ranges().last().unwrap().as_deref(), Some("bytes=300000-"));
}

#[tokio::test]
async fn what_somebody_else_fetches_is_left_alone() {
    let (file, folder) = (bytes(1), tempfile::tempdir().unwrap());
    let (_server, url) = Server::start(file.clone()).await;
    let part = folder.path().join("m.gguf.part");
    std::fs::write(&part, "theirs").unwrap();
    let theirs = std::fs::OpenOptions::new().write(true).open(&part).unwrap();
    theirs.try_lock().unwrap();
    let refused = get_it(&url, "", folder.path()).await.unwrap_err();
    assert!(matches!(refused, DownloadError::UnderWay { .. }), "{refused}");
    assert_eq!(std::fs::read(&part).unwrap(), b"theirs");

    drop(theirs);
    get_it(&url, &sha256(&file), folder.path()).await.unwrap();
    assert_eq!(std::fs::read(folder.path().join("m.gguf")).unwrap(), file);
}

#[tokio::test]
async fn a_server_that_is_not_there_or_does_not_have_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, url) = Server::start(bytes(1)).await;
    let missing = url.replace("m.gguf", "other.gguf");
    assert!(matches!(get_it(&missing, "", folder.path()).await, Err(DownloadError::Refused { .. })));
    // Port 9 of loopback is nobody's.
    assert!(matches!(
        get_it("http://127.0.0.1:9/m.gguf", "", folder.path()).await,
        Err(DownloadError::Network { .. })
    ));
}

#[tokio::test]
async fn a_server_may_send_on_but_not_to_where_the_file_could_be_changed_unseen() {
    let (file, folder) = (bytes(1), tempfile::tempdir().unwrap());
    let (_server, url) = Server::start(file.clone()).await;
    let away = url.replace("/m.gguf", "/away/m.gguf");
    let unseen = get_it(&away, "", folder.path()).await.unwrap_err().to_string();
    assert!(unseen.contains("name its sha256"), "{unseen}");
    let checked = get_it(&away, &sha256(&file), folder.path()).await.unwrap_err().to_string();
    assert!(!checked.contains("name its sha256"), "it is asked, and is not there: {checked}");

    get_it(&url.replace("/m.gguf", "/moved/m.gguf"), "", folder.path()).await.unwrap();
    assert_eq!(std::fs::read(folder.path().join("m.gguf")).unwrap(), file);
}

#[test]
fn only_what_can_be_checked_or_trusted_on_the_way_is_ordered() {
    let digest = "0".repeat(64);
    for (url, sha256, part) in [
        ("model", "", "no address"),
        ("ftp://host.example/m.gguf", "", "only https"),
        ("http://host.example/m.gguf", "", "sha256"),
        ("https://host.example/m.gguf", "12", "64 digits"),
        ("https://host.example/m.bin", "", "NAME.gguf"),
        ("https://host.example/.gguf", "", "NAME.gguf"),
        ("https://host.example/a%2Fb.gguf", "", "NAME.gguf"),
    ] {
        let error = DownloadRequest::parse(url, sha256).unwrap_err().to_string();
        assert!(error.contains(part), "{url}: {error}");
    }
    assert_eq!(DownloadRequest::parse("http://host.example/m.gguf", &digest).unwrap().name, "m.gguf");
    assert!(DownloadRequest::parse("https://host.example/a/m.gguf?download=true", "").is_ok());
}
