//! The endpoint over real sockets, with a relay and providers on loopback.

mod documents;
mod over_nostr;

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frlm_conductor::store::Store;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::Dialect;
use frlm_inference::scripted::ScriptedModel;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use nostr::Keys;
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::{Service, serve};
use frlm_client::home::Home;
use frlm_client::run::RunRequest;
use frlm_client::run::RunSpec;

/// Code answers this one: no model is asked.
const BY_CODE: &str = "How many lines contain failed?";
/// Providers copy a field for this one.
const BY_THE_SWARM: &str = "How many orders have status failed?";

/// An endpoint with a home of its own.
struct Endpoint {
    address: SocketAddr,
    service: Arc<Service>,
    client: Client,
    folder: TempDir,
    stop: CancellationToken,
    serving: AbortOnDropHandle<std::io::Result<()>>,
}

impl Endpoint {
    async fn start(settings: &str) -> Self {
        Self::at(tempfile::tempdir().unwrap(), settings).await
    }

    async fn at(folder: TempDir, settings: &str) -> Self {
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        std::fs::write(home.config_file(), settings).unwrap();
        let args = RunSpec { discovery: Some(30), ..RunSpec::over(String::new(), Vec::new()) };
        let request = RunRequest::from_spec(&args, &home.config().unwrap()).unwrap();
        let service = Service::open(home, request).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let serving = AbortOnDropHandle::new(tokio::spawn(serve(listener, service.clone(), stop.clone())));
        Self { address, service, client: Client::new(), folder, stop, serving }
    }

    async fn post(&self, path: &str, body: &Value) -> Response {
        self.client.post(format!("http://{}{path}", self.address)).json(body).send().await.unwrap()
    }

    async fn ask(&self, question: &str) -> Response {
        self.post("/v1/chat/completions", &over_orders(question)).await
    }

    async fn health(&self) -> Value {
        let response = self.client.get(format!("http://{}/health", self.address)).send().await.unwrap();
        response.json().await.unwrap()
    }

    fn takes_open_jobs(&self) -> bool {
        self.home().config().unwrap().serve.open_jobs
    }

    fn home(&self) -> Home {
        Home::open(Some(self.folder.path().to_owned())).unwrap()
    }
}

/// An order log of 40 lines, every fifth order of which failed.
fn orders() -> String {
    let mut text = String::new();
    for number in 1..=40 {
        let status = if number % 5 == 0 { "failed" } else { "shipped" };
        writeln!(text, "order={number} user=user{} status={status}", number % 7).unwrap();
    }
    text
}

/// A question about it.
fn over_orders(question: &str) -> Value {
    let data = format!("data:text/plain;base64,{}", STANDARD.encode(orders()));
    json!({ "model": "frlm", "messages": [{ "role": "user", "content": [
        { "type": "file", "file": { "filename": "orders.log", "file_data": data } },
        { "type": "text", "text": question },
    ] }] })
}

/// A relay with two providers that copy fields of records.
async fn swarm() -> (EmbeddedRelay, Vec<ProviderHandle>) {
    let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(([127, 0, 0, 1], 0).into())).await.unwrap();
    let mut providers = Vec::new();
    for name in ["a", "b"] {
        let config = ProviderConfig { name: name.to_owned(), ..ProviderConfig::default() };
        let model = ScriptedModel::new("scripted", copy).with_dialect(Dialect::Records);
        let relays = [relay.url()];
        providers.push(Provider::start(config, Keys::generate(), &relays, Arc::new(model)).await.unwrap());
    }
    (relay, providers)
}

/// Copies the fields that the instruction names out of `key=value` records.
fn copy(prompt: &str) -> String {
    let (instruction, record) = prompt.split_once('\n').unwrap_or((prompt, ""));
    let value = |field: &str| {
        let mut words = record.split_whitespace();
        words.find_map(|word| word.strip_prefix(field)?.strip_prefix('=')).unwrap_or("-").to_owned() + "\n"
    };
    instruction.trim_start_matches("copy ").split(", ").map(value).collect()
}

/// Tokens read and written for a run's answers, by its trace.
fn tokens_in_trace(endpoint: &Endpoint, answer: &Value) -> (u64, u64) {
    let store = Store::open(&endpoint.home().store()).unwrap();
    let trace = store.trace(answer["frlm"]["run_id"].as_str().unwrap()).unwrap();
    trace.records.iter().fold((0, 0), |(read, written), record| match &record.event {
        TraceEvent::SubQueryReturn { ok: true, tokens, completion_tokens, .. } => {
            (read + tokens - completion_tokens, written + completion_tokens)
        }
        _ => (read, written),
    })
}

async fn body(response: Response) -> Value {
    response.json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_swarm_answers_over_http_with_citations_and_drops_the_document() {
    let (relay, providers) = swarm().await;
    let endpoint = Endpoint::start(&format!("relays = [\"{}\"]\n", relay.url())).await;
    let response = endpoint.ask(BY_THE_SWARM).await;
    assert_eq!(response.status(), StatusCode::OK);
    let answer = body(response).await;
    let content = answer["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(content.starts_with("8 "), "{answer}");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert_eq!(answer["frlm"]["citations"][0]["file"], "orders.log");
    // What the providers reported, each answer by itself; the scripted model counts words.
    let number = |value: &Value| value.as_u64().unwrap();
    let usage = &answer["usage"];
    assert_eq!(number(&usage["prompt_tokens"]), tokens_in_trace(&endpoint, &answer).0, "{usage}");
    assert_eq!(number(&usage["completion_tokens"]), tokens_in_trace(&endpoint, &answer).1, "{usage}");
    assert!(number(&usage["completion_tokens"]) >= 40, "a word for each order at least: {usage}");
    assert_eq!(
        number(&usage["total_tokens"]),
        number(&usage["prompt_tokens"]) + number(&usage["completion_tokens"])
    );
    assert!(number(&answer["frlm"]["usage"]["reported"]) > 0);
    assert_eq!(answer["frlm"]["usage"]["unreported"], 0);
    let left = std::fs::read_dir(endpoint.folder.path()).unwrap();
    let uploads =
        left.filter(|entry| entry.as_ref().unwrap().file_name().display().to_string().contains("asked-"));
    assert_eq!(uploads.count(), 0, "the documents went with the question");
    // What was learned of roles and venues is what `frlm route health` says.
    let health = endpoint.health().await;
    assert!(health["routing"]["answered"].as_u64().unwrap() > 0, "{health}");
    assert_eq!(
        (&health["asking"], &health["waiting"], &health["refused"]),
        (&json!(0), &json!(0), &json!(0))
    );
    // The answer can be rated, under the id that clients see.
    let rating = json!({ "run_id": answer["id"], "stars": 4 });
    let rated = endpoint.post("/v1/feedback", &rating).await;
    assert_eq!(rated.status(), StatusCode::OK);
    // Every answer of this run was compared: the verdict outranks the rating.
    assert_eq!(body(rated).await, json!({ "kept": true, "decisions": 0, "plan": true }));
    // The brain hears it once.
    let again = endpoint.post("/v1/feedback", &rating).await;
    assert_eq!(body(again).await, json!({ "kept": true, "decisions": 0, "plan": false }));
    let kept = std::fs::read_to_string(endpoint.home().ratings()).unwrap();
    assert!(
        kept.contains(answer["frlm"]["run_id"].as_str().unwrap()) && kept.contains("\"stars\":4"),
        "{kept}"
    );
    for wrong in [json!({ "run_id": "nobody", "stars": 4 }), json!({ "run_id": answer["id"], "stars": 6 })] {
        assert!(endpoint.post("/v1/feedback", &wrong).await.status().is_client_error());
    }
    for provider in &providers {
        provider.shutdown().immediate.cancel();
    }
    relay.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_beyond_its_limit_is_told_when_to_come_again_and_costs_nothing() {
    let endpoint = Endpoint::start("relays = ['ws://127.0.0.1:1']\n[serve]\nper_minute = 2\n").await;
    for _ in 0..2 {
        let answer = body(endpoint.ask(BY_CODE).await).await;
        assert!(answer["choices"][0]["message"]["content"].as_str().unwrap().starts_with("8 "), "{answer}");
        let nothing = json!({ "prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0 });
        assert_eq!(answer["usage"], nothing, "code answered, no model read anything");
    }
    let refused = endpoint.ask(BY_CODE).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    let again_in: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&again_in));
    let error = body(refused).await;
    assert_eq!(error["error"]["code"], "rate_limit_exceeded");
    assert!(error["error"]["message"].as_str().unwrap().contains("nothing was sent or spent"));
    let health = endpoint.health().await;
    assert_eq!((&health["refused"], &health["per_minute"]), (&json!(1), &json!(2)));
    let runs = Store::open(&endpoint.home().store()).unwrap().list(10).unwrap();
    assert_eq!(runs.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_begins_at_once_and_ends_with_the_whole_answer_or_the_error() {
    let endpoint = Endpoint::start("relays = ['ws://127.0.0.1:1']\n").await;
    let mut request = over_orders(BY_CODE);
    request["stream"] = json!(true);
    request["stream_options"] = json!({ "include_usage": true });
    let text = endpoint.post("/v1/chat/completions", &request).await.text().await.unwrap();
    let events: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(events.last(), Some(&"[DONE]"));
    let chunks: Vec<Value> =
        events[..events.len() - 1].iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    for chunk in &chunks {
        assert_eq!((&chunk["id"], &chunk["created"]), (&chunks[0]["id"], &chunks[0]["created"]), "{text}");
    }
    let progress = chunks[1]["choices"][0]["delta"]["reasoning_content"].as_str().unwrap();
    assert!(progress.starts_with("read 1 document in "), "{text}");
    let [.., content, last, usage] = &chunks[..] else { panic!("{text}") };
    assert!(content["choices"][0]["delta"]["content"].as_str().unwrap().starts_with("8 "), "{text}");
    assert_eq!(last["choices"][0]["finish_reason"], "stop");
    assert_eq!((&last["frlm"]["coverage"], &last["frlm"]["question"]), (&json!(1.0), &json!(BY_CODE)));
    let run = last["frlm"]["run_id"].as_str().unwrap();
    assert_eq!(last["id"], format!("chatcmpl-{run}"), "the id is that of the run from the beginning");
    assert_eq!((&usage["choices"], &usage["usage"]["total_tokens"]), (&json!([]), &json!(0)));
    // Nobody is at this relay: what went wrong is said in the stream.
    let mut request = over_orders(BY_THE_SWARM);
    request["stream"] = json!(true);
    let text = endpoint.post("/v1/chat/completions", &request).await.text().await.unwrap();
    assert!(text.contains("\"no_providers\"") && text.trim_end().ends_with("data: [DONE]"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_is_refused_before_anything_is_sent() {
    let endpoint = Endpoint::start("relays = ['ws://127.0.0.1:1']\n").await;
    let no_document = json!({ "messages": [{ "role": "user", "content": "How many?" }] });
    let mut binary = over_orders(BY_CODE);
    binary["messages"][0]["content"][0]["file"]["file_data"] =
        json!(STANDARD.encode([0_u8, 159, 146, 150, 0, 7]));
    let mut policy = over_orders(BY_CODE);
    policy["frlm"] = json!({ "verify": "sometimes" });
    let mut unknown = over_orders(BY_CODE);
    unknown["frlm"] = json!({ "bugdet_sats": 1 });
    // The service's own policy is adaptive: a caller may not do without.
    let mut less = over_orders(BY_CODE);
    less["frlm"] = json!({ "verify": "none" });
    let response = endpoint.post("/v1/chat/completions", &less).await;
    assert_eq!(response.status(), StatusCode::FORBIDDEN);
    let error = body(response).await;
    assert!(error["error"]["message"].as_str().unwrap().contains("choose adaptive"), "{error}");
    for (request, words) in [
        (no_document, "there is no document"),
        (binary, "orders.log"),
        (policy, "sometimes"),
        (unknown, "bugdet"),
    ] {
        let response = endpoint.post("/v1/chat/completions", &request).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{words}");
        let error = body(response).await;
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains(words) && !message.contains("asked-"), "{error}");
    }
    let foreign =
        endpoint.client.get(format!("http://{}/health", endpoint.address)).header("host", "evil.example");
    assert_eq!(foreign.send().await.unwrap().status(), StatusCode::FORBIDDEN);
    let runs = Store::open(&endpoint.home().store()).unwrap().list(10).unwrap();
    assert!(runs.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_and_a_service_that_stops_end_their_runs() {
    // A relay without providers: the run waits for somebody to come.
    let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(([127, 0, 0, 1], 0).into())).await.unwrap();
    let settings = format!("relays = [\"{}\"]\n[serve]\nat_once = 1\nwaiting = 0\n", relay.url());
    let endpoint = Endpoint::start(&settings).await;
    let asking = endpoint.ask(BY_THE_SWARM);
    let gone = tokio::time::timeout(Duration::from_secs(2), asking).await;
    assert!(gone.is_err(), "nobody answers");
    // Its place is free again as soon as its run has ended.
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while endpoint.health().await["asking"] != 0 {
        assert!(std::time::Instant::now() < end, "the run goes on without its caller");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (first, second) = (over_orders(BY_THE_SWARM), over_orders(BY_THE_SWARM));
    let (waiting, busy) = tokio::join!(endpoint.post("/v1/chat/completions", &first), async {
        while endpoint.health().await["asking"] != 1 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let busy = endpoint.post("/v1/chat/completions", &second).await;
        endpoint.stop.cancel();
        endpoint.service.shut_down().await;
        busy
    });
    assert_eq!(busy.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(body(busy).await["error"]["code"], "busy");
    assert_eq!(waiting.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(body(waiting).await["error"]["code"], "stopping");
    endpoint.serving.await.unwrap().unwrap();
    relay.shutdown().await;
}
