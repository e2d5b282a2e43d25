//! Events in the shapes that other NIP-90 software sends.

use frlm_protocol::{
    Announcement, Audience, Encryption, Feedback, FeedbackStatus, InputSource, JobAnswer, JobRequest,
    JobResult, ParseError, ReceivedJob,
};
use nostr::nips::{nip04, nip44};
use nostr::{Event, EventBuilder, EventId, JsonUtil, Keys, Kind, Tag, Timestamp};
use serde_json::json;

fn now() -> Timestamp {
    Timestamp::from_secs(1_700_000_000)
}

fn event(keys: &Keys, kind: u16, content: &str, tags: serde_json::Value) -> Event {
    let tags: Vec<Vec<String>> = serde_json::from_value(tags).unwrap();
    EventBuilder::new(Kind::Custom(kind), content)
        .tags(tags.into_iter().map(|tag| Tag::parse(tag).unwrap()))
        .custom_created_at(now())
        .sign_with_keys(keys)
        .unwrap()
}

struct Pair {
    client: Keys,
    provider: Keys,
}

fn pair() -> Pair {
    Pair { client: Keys::generate(), provider: Keys::generate() }
}

impl Pair {
    fn job(&self, content: &str, tags: serde_json::Value) -> Result<ReceivedJob, ParseError> {
        JobRequest::from_event(&event(&self.client, 5050, content, tags), &self.provider)
    }

    fn provider_hex(&self) -> String {
        self.provider.public_key().to_hex()
    }

    fn client_hex(&self) -> String {
        self.client.public_key().to_hex()
    }
}

fn texts(job: &ReceivedJob) -> Vec<&str> {
    job.request.inputs.iter().map(|input| input.data.as_str()).collect()
}

#[test]
fn a_nostrdvm_request_with_its_quirks_is_read() {
    let pair = pair();
    let tags = json!([
        ["i", "What is a vending machine?", "text"],
        ["param", "model", "llama3"],
        ["param", "max_tokens", "512"],
        ["param", "temperature", "0.5"],
        ["param", "top-k", "50"],
        ["param", "top-p", "0.7"],
        ["param", "frequency_penalty", "1"],
        ["output", "text/plain"],
        ["bid", "5000", "5000"],
        ["relays", "wss://relay.one.example", "wss://relay.two.example/"],
        ["alt", "This is a NIP90 request"],
        ["p", pair.provider_hex()],
        ["expiration", "1700000500"],
    ]);
    let job = pair.job("NIP 90 Text Generation", tags).unwrap();
    assert_eq!(texts(&job), ["What is a vending machine?"], "the junk content is not a prompt");
    assert_eq!(job.audience, Audience::Directed(pair.provider.public_key()));
    assert_eq!(job.encryption, Encryption::None);
    let request = &job.request;
    assert_eq!((request.max_tokens, request.top_k), (Some(512), Some(50)));
    assert_eq!((request.temperature, request.top_p), (Some(0.5), Some(0.7)));
    assert_eq!(request.model.as_deref(), Some("llama3"));
    assert_eq!(request.bid_msats, Some(5000));
    assert_eq!(request.relays, ["wss://relay.one.example", "wss://relay.two.example/"]);
    assert_eq!(request.expires_at, Some(Timestamp::from_secs(1_700_000_500)));
    assert_eq!(request.profile, None);
    assert!(job.request_json.is_some() && !job.wants_encryption());
}

#[test]
fn an_encrypted_request_is_read_in_both_schemes() {
    let pair = pair();
    let inner =
        json!([["i", "secret question", "text"], ["param", "max_tokens", 64], ["bid", 1000]]).to_string();
    let (secret, to) = (pair.client.secret_key(), pair.provider.public_key());
    let new = nip44::encrypt(secret, &to, &inner, nip44::Version::V2).unwrap();
    let old = nip04::encrypt(secret, &to, &inner).unwrap();
    for (content, scheme) in [(new, Encryption::Nip44), (old, Encryption::Nip04)] {
        let marked = json!([["p", pair.provider_hex()], ["encrypted"]]);
        let unmarked = json!([["p", pair.provider_hex()]]);
        for tags in [marked, unmarked] {
            let job = pair.job(&content, tags).unwrap();
            assert_eq!(texts(&job), ["secret question"]);
            assert_eq!(job.encryption, scheme);
            assert_eq!((job.request.max_tokens, job.request.bid_msats), (Some(64), Some(1000)));
            assert!(job.raw_tags.contains(&vec!["bid".to_owned(), "1000".to_owned()]));
        }
    }
}

#[test]
fn a_request_encrypted_to_someone_else_is_refused() {
    let pair = pair();
    let other = Keys::generate().public_key();
    let content = nip44::encrypt(pair.client.secret_key(), &other, "[]", nip44::Version::V2).unwrap();
    let to_other = json!([["p", other.to_hex()], ["encrypted"]]);
    assert_eq!(pair.job(&content, to_other).unwrap_err(), ParseError::NotForUs);
    let to_us = json!([["p", pair.provider_hex()], ["encrypted"]]);
    assert!(matches!(pair.job(&content, to_us).unwrap_err(), ParseError::Undecryptable(_)));
}

#[test]
fn a_request_without_inputs_takes_its_prompt_from_where_it_stands() {
    let pair = pair();
    assert_eq!(texts(&pair.job("Tell me a joke", json!([])).unwrap()), ["Tell me a joke"]);
    assert_eq!(texts(&pair.job("junk", json!([["param", "prompt", "A joke"]])).unwrap()), ["A joke"]);
    assert!(texts(&pair.job("", json!([])).unwrap()).is_empty(), "nothing at all is still no error");
}

#[test]
fn input_types_are_read_leniently() {
    let pair = pair();
    let job = pair
        .job(
            "",
            json!([
                ["i", "two elements"],
                ["i", "p", "prompt"],
                ["i", "t", "TEXT"],
                ["i", "?", "odd"],
                ["i", "https://a.example", "url"],
                ["i", "ab", "event", "wss://r.example", "root"],
                ["i", "cd", "job"],
                ["i"]
            ]),
        )
        .unwrap();
    let sources: Vec<_> = job.request.inputs.iter().map(|input| input.source).collect();
    let text = InputSource::Text;
    assert_eq!(sources, [text, text, text, text, InputSource::Url, InputSource::Event, InputSource::Job]);
}

#[test]
fn parameters_as_one_json_object_are_read() {
    let pair = pair();
    let job = pair
        .job(
            "",
            json!([["i", "q"], ["params", "{\"max_tokens\": 12, \"top_k\": \"7\", \"temperature\": 0.25}"]]),
        )
        .unwrap();
    assert_eq!((job.request.max_tokens, job.request.top_k), (Some(12), Some(7)));
    assert_eq!(job.request.temperature, Some(0.25));
}

#[test]
fn numbers_that_are_none_are_ignored() {
    let pair = pair();
    let job = pair
        .job(
            "",
            json!([
                ["i", "q"],
                ["bid", "cheap"],
                ["param", "max_tokens", "many"],
                ["param", "temperature", "NaN"],
                ["param", "top_k", "-3"],
                ["expiration", "soon"],
                ["output"],
                ["bid"]
            ]),
        )
        .unwrap();
    let request = &job.request;
    assert_eq!((request.bid_msats, request.max_tokens, request.top_k), (None, None, None));
    assert_eq!((request.temperature, request.expires_at, request.output.as_deref()), (None, None, None));
}

#[test]
fn relay_lists_are_read_in_every_disguise() {
    let pair = pair();
    let relays = |tags| pair.job("", tags).unwrap().request.relays;
    let both = ["wss://a.example", "ws://b.example:7777"];
    assert_eq!(relays(json!([["i", "q"], ["relays", both[0], both[1]]])), both);
    assert_eq!(relays(json!([["i", "q"], ["relays", "wss://a.example,ws://b.example:7777"]])), both);
    assert_eq!(relays(json!([["i", "q"], ["relays", "wss://a.example ws://b.example:7777"]])), both);
    assert_eq!(
        relays(json!([["i", "q"], ["relays", "[\"wss://a.example\", \"ws://b.example:7777\"]"]])),
        both
    );
    assert_eq!(
        relays(json!([["i", "q"], ["relays", both[0]], ["relays", "http://no", "", "nonsense", both[1]]])),
        both
    );
}

#[test]
fn a_foreign_client_gets_what_it_expects() {
    let pair = pair();
    let request = event(
        &pair.client,
        5050,
        "",
        json!([["i", "q", "text"], ["p", pair.provider_hex()], ["bid", "5000"]]),
    );
    let job = JobRequest::from_event(&request, &pair.provider).unwrap();
    let result = JobResult {
        answers: vec![JobAnswer { text: "The answer.".to_owned(), ..JobAnswer::default() }],
        model: None,
        prompt_tokens: 5,
        completion_tokens: 3,
        attestation: None,
        amount_msats: Some(2000),
    };
    let answer = result.to_event(&job, &pair.provider, now()).unwrap();
    assert_eq!(answer.kind, Kind::Custom(6050));
    assert_eq!(answer.content, "The answer.");
    let tags: Vec<Vec<String>> = answer.tags.iter().map(|tag| tag.as_slice().to_vec()).collect();
    let request_json = request.as_json();
    for expected in [
        ["e", &request.id.to_hex()],
        ["p", &pair.client_hex()],
        ["status", "success"],
        ["amount", "2000"],
        ["request", &request_json],
    ] {
        assert!(tags.contains(&expected.map(str::to_owned).to_vec()), "{expected:?} in {tags:?}");
    }
}

#[test]
fn an_encrypted_foreign_job_gets_a_plain_answer_in_its_own_scheme() {
    let pair = pair();
    let (secret, to) = (pair.client.secret_key(), pair.provider.public_key());
    let inner = r#"[["i","q","text"]]"#;
    let partial = Feedback { partial: Some("so far".to_owned()), ..Feedback::of(FeedbackStatus::Partial) };
    for is_old in [true, false] {
        let content = if is_old {
            nip04::encrypt(secret, &to, inner).unwrap()
        } else {
            nip44::encrypt(secret, &to, inner, nip44::Version::V2).unwrap()
        };
        let open = |content: &str| {
            if is_old {
                nip04::decrypt(secret, &to, content).ok()
            } else {
                nip44::decrypt(secret, &to, content).ok()
            }
        };
        let job = pair.job(&content, json!([["p", pair.provider_hex()], ["encrypted"]])).unwrap();
        let result: JobResult = serde_json::from_value(json!({"answers": [{"text": "secret"}]})).unwrap();
        let answer = result.to_event(&job, &pair.provider, now()).unwrap();
        assert_eq!(open(&answer.content).as_deref(), Some("secret"));
        assert!(answer.tags.iter().all(|tag| tag.as_slice()[0] != "i"), "what was secret is not told");
        let said = partial.to_event(&job, &pair.provider, now()).unwrap();
        assert_eq!(open(&said.content).as_deref(), Some("so far"));
    }
}

#[test]
fn the_result_of_a_plain_foreign_job_names_its_inputs() {
    let pair = pair();
    let inputs = json!([["i", "What is a relay?", "text"], ["i", "And a key?", "text", "", "second"]]);
    let job = pair.job("", inputs.clone()).unwrap();
    let result: JobResult = serde_json::from_value(json!({"answers": [{"text": "a server"}]})).unwrap();
    let answer = result.to_event(&job, &pair.provider, now()).unwrap();
    let told: Vec<&[String]> = answer.tags.iter().map(Tag::as_slice).filter(|tag| tag[0] == "i").collect();
    assert_eq!(json!(told), inputs);
}

#[test]
fn what_cannot_be_read_can_still_be_answered_by_those_that_it_names() {
    let pair = pair();
    let broken = event(&pair.client, 5050, "nonsense", json!([["p", pair.provider_hex()], ["encrypted"]]));
    assert!(JobRequest::from_event(&broken, &pair.provider).is_err());
    let job = ReceivedJob::unopened(&broken, pair.provider.public_key()).unwrap();
    let refusal = Feedback::refusal(frlm_protocol::RefusalReason::Unsupported, "it cannot be read");
    let said = refusal.to_event(&job, &pair.provider, now()).unwrap();
    assert_eq!(Feedback::from_event(&said, &pair.client).unwrap().job, broken.id);
    assert!(ReceivedJob::unopened(&broken, Keys::generate().public_key()).is_none());
}

#[test]
fn a_foreign_result_is_one_answer() {
    let pair = pair();
    let id = EventId::all_zeros().to_hex();
    for content in ["plain words", "{\"some\": \"json\"}", "[1,2]", "", "{\"answers\": 3}"] {
        let tags = json!([
            ["request", "{}"],
            ["e", &id, "wss://r.example"],
            ["i", "q", "text"],
            ["p", pair.client_hex()],
            ["alt", "This is the result"],
            ["status", "success"],
            ["amount", "7000", "lnbc70n1invoice"],
        ]);
        let received =
            JobResult::from_event(&event(&pair.provider, 6050, content, tags), &pair.client).unwrap();
        assert_eq!(received.result.answers.len(), 1);
        assert_eq!(received.result.answers[0].text, content);
        assert_eq!(received.result.amount_msats, Some(7000));
        assert_eq!(received.invoice.as_deref(), Some("lnbc70n1invoice"));
        assert_eq!(received.job, EventId::all_zeros());
        assert_eq!(received.result.model, None);
    }
}

#[test]
fn foreign_feedback_is_read() {
    let pair = pair();
    let id = EventId::all_zeros().to_hex();
    let read = |content: &str, mut tags: serde_json::Value| {
        let base = json!([["e", &id], ["p", pair.client_hex()]]);
        tags.as_array_mut().unwrap().extend(base.as_array().unwrap().clone());
        Feedback::from_event(&event(&pair.provider, 7000, content, tags), &pair.client)
    };
    let payment =
        read("Please pay", json!([["status", "payment-required"], ["amount", "1000", "lnbc1"]])).unwrap();
    assert_eq!(payment.feedback.status, FeedbackStatus::PaymentRequired);
    assert_eq!(payment.feedback.amount_msats, Some(1000));
    assert_eq!(payment.invoice.as_deref(), Some("lnbc1"));
    assert_eq!(payment.feedback.detail.as_deref(), Some("Please pay"));

    let odd = read("", json!([["status", "Payment_Required", "words"], ["amount", "a lot"]])).unwrap();
    assert_eq!(odd.feedback.status, FeedbackStatus::PaymentRequired);
    assert_eq!((odd.feedback.amount_msats, odd.feedback.detail.as_deref()), (None, Some("words")));

    let partial = read("half an answer", json!([["status", "partial"]])).unwrap();
    assert_eq!(partial.feedback.partial.as_deref(), Some("half an answer"));

    let error = read("", json!([["status", "error", "no"], ["reason", "from-the-future"]])).unwrap();
    assert_eq!((error.feedback.status, error.feedback.reason), (FeedbackStatus::Error, None));

    assert_eq!(
        read("", json!([["status", "dancing"]])).unwrap_err(),
        ParseError::UnknownStatus("dancing".to_owned())
    );
    assert_eq!(read("", json!([])).unwrap_err(), ParseError::UnknownStatus(String::new()));
}

#[test]
fn a_foreigner_reads_our_cancellation_as_an_error() {
    let pair = pair();
    let job = pair.job("hi", json!([])).unwrap();
    let event = Feedback::of(FeedbackStatus::Cancelled).to_event(&job, &pair.provider, now()).unwrap();
    let status = event.tags.iter().find(|tag| tag.as_slice()[0] == "status").unwrap();
    assert_eq!(status.as_slice()[1], "error");
    assert!(status.as_slice()[2].starts_with("cancelled"));
}

#[test]
fn a_foreign_announcement_is_read_as_far_as_it_goes() {
    let provider = Keys::generate();
    let metadata = json!({
        "name": "LLM vending", "image": "https://x.example/i.png", "about": "I answer",
        "encryptionSupported": true, "cashuAccepted": true, "amount": "free",
        "nip90Params": {"model": {"required": false, "values": ["llama3", "mistral"]}},
    });
    let tags = json!([["k", "5050"], ["d", "abc"]]);
    let read = Announcement::from_event(&event(&provider, 31990, &metadata.to_string(), tags)).unwrap();
    assert_eq!(read.announcement.name, "LLM vending");
    assert_eq!(read.announcement.model, "llama3");
    assert_eq!((read.profile, read.flat_price_msats), (None, Some(0)));
    assert!(read.supports_encryption);

    let images = event(&provider, 31990, "{}", json!([["k", "5100"], ["d", "abc"]]));
    assert!(Announcement::from_event(&images).is_err());
}

#[test]
fn an_unreadable_speed_is_dropped_and_the_rest_of_the_offer_stands() {
    let provider = Keys::generate();
    let offer = |read: serde_json::Value, written: serde_json::Value| {
        let ours = json!({
            "version": "1", "model": "m", "context_tokens": 4096, "dialect": "json",
            "prefill_tokens_per_sec": read, "decode_tokens_per_sec": written,
        });
        let metadata = json!({ "name": "n", "frlm": ours }).to_string();
        let tags = json!([["k", "5050"], ["d", "frlm"]]);
        let read = Announcement::from_event(&event(&provider, 31990, &metadata, tags)).unwrap();
        assert_eq!(read.announcement.context_tokens, 4096);
        read.announcement.speed.map(|speed| (speed.prefill(), speed.decode()))
    };
    assert_eq!(offer(json!(200), json!(8.5)), Some((200.0, 8.5)));
    assert_eq!(offer(json!("200"), json!(" 8.5 ")), Some((200.0, 8.5)));
    for bad in [
        json!(null),
        json!(0),
        json!(-8),
        json!(1e300),
        json!("quick"),
        json!([8]),
        json!(true),
        json!("NaN"),
    ] {
        assert_eq!(offer(json!(200), bad.clone()), None, "{bad}");
        assert_eq!(offer(bad.clone(), json!(8)), None, "{bad}");
    }
}

#[test]
fn foreign_clients_are_not_told_that_plain_tokens_are_taken() {
    let foreign = event(&Keys::generate(), 31990, r#"{"name":"x"}"#, json!([["k", "5050"], ["d", "abc"]]));
    let offer = Announcement {
        mints: vec!["https://mint.example".to_owned()],
        ..Announcement::from_event(&foreign).unwrap().announcement
    };
    let expires_at = Timestamp::from_secs(now().as_secs() + 60);
    let event = offer.to_event(expires_at, &Keys::generate(), now()).unwrap();
    let metadata: serde_json::Value = serde_json::from_str(&event.content).unwrap();
    assert_eq!(metadata["cashuAccepted"], json!(false), "they would send one with a job and lose it");
    assert_eq!(metadata["frlm"]["mints"], json!(["https://mint.example"]), "our peers lock theirs there");
}

#[test]
fn a_newer_profile_that_we_cannot_honour_is_refused() {
    let pair = pair();
    let newer =
        |name: &str, value: &str| pair.job("", json!([["i", "q"], ["frlm", "2"], ["param", name, value]]));
    assert!(matches!(newer("mode", "pairwise").unwrap_err(), ParseError::Malformed { what: "mode", .. }));
    assert!(matches!(newer("constraint", "{\"type\":\"abnf\"}"), Err(ParseError::Malformed { .. })));
    assert_eq!(newer("colour", "blue").unwrap().request.profile.as_deref(), Some("2"));
    // The same parameter from a foreign client may mean anything and is no reason to refuse.
    assert!(pair.job("", json!([["i", "q"], ["param", "mode", "chat"]])).is_ok());
}
