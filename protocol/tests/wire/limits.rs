//! Sizes: what builders refuse with words that help, and what parsers cut.

use frlm_protocol::limits::{MAX_OPEN_INPUT_BYTES, MAX_PLAINTEXT_BYTES};
use frlm_protocol::{
    Audience, BuildError, Feedback, Heartbeat, Input, InputSource, JobRequest, JobResult, ParseError,
    RefusalReason,
};
use nostr::{Event, EventBuilder, JsonUtil, Keys, Kind, Tag, Timestamp};

use crate::bare_job;

fn now() -> Timestamp {
    Timestamp::from_secs(1_700_000_000)
}

fn job_over(text: String) -> JobRequest {
    JobRequest { inputs: vec![Input { data: text, source: InputSource::Text }], ..bare_job() }
}

fn directed() -> Audience {
    Audience::Directed(Keys::generate().public_key())
}

fn event(kind: u16, content: &str, tags: &[&[&str]], keys: &Keys) -> Event {
    EventBuilder::new(Kind::Custom(kind), content)
        .tags(tags.iter().map(|tag| Tag::parse(tag.iter().copied()).unwrap()))
        .allow_self_tagging()
        .custom_created_at(now())
        .sign_with_keys(keys)
        .unwrap()
}

#[test]
fn the_largest_encrypted_job_stays_under_what_relays_accept() {
    let text = "x".repeat(MAX_PLAINTEXT_BYTES - 64);
    let event = job_over(text).to_event(directed(), &Keys::generate(), now()).unwrap();
    assert!(event.as_json().len() < 64 * 1024, "{}", event.as_json().len());
}

#[test]
fn an_oversized_job_is_refused_with_sizes() {
    let refused = job_over("x".repeat(MAX_PLAINTEXT_BYTES)).to_event(directed(), &Keys::generate(), now());
    match refused {
        Err(BuildError::TooLarge { size, limit, .. }) => {
            assert!(size > limit && limit == MAX_PLAINTEXT_BYTES);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_open_job_keeps_long_text_out_of_plain_tags() {
    let keys = Keys::generate();
    assert!(job_over("x".repeat(MAX_OPEN_INPUT_BYTES)).to_event(Audience::Open, &keys, now()).is_ok());
    let refused = job_over("x".repeat(MAX_OPEN_INPUT_BYTES + 1)).to_event(Audience::Open, &keys, now());
    let words = refused.unwrap_err().to_string();
    assert!(words.contains("1025") && words.contains("1024") && words.contains("name a provider"), "{words}");
}

#[test]
fn a_job_without_expiration_gets_one() {
    let keys = Keys::generate();
    let event = job_over("x".to_owned()).to_event(Audience::Open, &keys, now()).unwrap();
    let job = JobRequest::from_event(&event, &keys).unwrap();
    assert_eq!(job.request.expires_at, Some(Timestamp::from_secs(1_700_000_600)));
}

#[test]
fn mistakes_are_refused_before_anything_is_signed() {
    let keys = Keys::generate();
    let build = |job: JobRequest| job.to_event(Audience::Open, &keys, now()).unwrap_err();
    let job = || job_over("x".to_owned());
    assert_eq!(build(JobRequest { inputs: Vec::new(), ..job() }), BuildError::Empty("the job"));
    let nan = JobRequest { temperature: Some(f64::NAN), ..job() };
    assert_eq!(build(nan), BuildError::NotFinite("temperature"));
    let late = JobRequest { expires_at: Some(now()), ..job() };
    assert!(matches!(build(late), BuildError::AlreadyExpired { .. }));
    let relay = JobRequest { relays: vec!["http:/nonsense".to_owned()], ..job() };
    assert!(matches!(build(relay), BuildError::BadRelay(_)));
}

#[test]
fn an_oversized_result_is_refused_with_sizes() {
    let (asker, provider) = (Keys::generate(), Keys::generate());
    let event = job_over("x".to_owned()).to_event(Audience::Open, &asker, now()).unwrap();
    let job = JobRequest::from_event(&event, &provider).unwrap();
    let long = "y".repeat(MAX_PLAINTEXT_BYTES);
    let result: JobResult = serde_json::from_value(serde_json::json!({"answers": [{"text": long}]})).unwrap();
    let refused = result.to_event(&job, &provider, now());
    assert!(matches!(refused, Err(BuildError::TooLarge { what: "the result", .. })));
}

#[test]
fn confidence_is_clamped_and_a_hash_that_is_none_is_dropped() {
    let (asker, provider) = (Keys::generate(), Keys::generate());
    let p = asker.public_key().to_hex();
    let e = "ab".repeat(32);
    let content = r#"{"answers":[{"text":"a","confidence":7.5},{"text":"b","confidence":-1},{"text":"c"}],
        "model":{"name":"m","weights_hash":"not a hash"}}"#;
    let result = event(6050, content, &[&["e", &e], &["p", &p]], &provider);
    let result = JobResult::from_event(&result, &asker).unwrap().result;
    let confidences: Vec<_> = result.answers.iter().map(|answer| answer.confidence).collect();
    assert_eq!(confidences, [Some(1.0), Some(0.0), None]);
    assert_eq!(result.model.unwrap().weights_hash, None);
}

#[test]
fn results_that_are_not_ours_to_read_say_why() {
    let (asker, provider) = (Keys::generate(), Keys::generate());
    let p = asker.public_key().to_hex();
    let e = "ab".repeat(32);
    let parse = |event: &Event| JobResult::from_event(event, &asker).unwrap_err();
    assert_eq!(
        parse(&event(6051, "x", &[&["e", &e], &["p", &p]], &provider)),
        ParseError::WrongKind { expected: 6050, got: 6051 }
    );
    assert_eq!(parse(&event(6050, "x", &[&["p", &p]], &provider)), ParseError::MissingJobId);
    assert_eq!(parse(&event(6050, "x", &[&["e", "junk"], &["p", &p]], &provider)), ParseError::MissingJobId);
    assert_eq!(parse(&event(6050, "x", &[&["e", &e]], &provider)), ParseError::NotForUs);
    let sealed = event(6050, "not encrypted", &[&["e", &e], &["p", &p], &["encrypted"]], &provider);
    assert!(matches!(parse(&sealed), ParseError::Undecryptable(_)));
    let huge = event(6050, &"x".repeat(300_000), &[&["e", &e], &["p", &p]], &provider);
    assert!(matches!(parse(&huge), ParseError::TooLarge { .. }));
    let many = format!(r#"{{"answers":[{}]}}"#, vec![r#"{"text":""}"#; 2000].join(","));
    let many = event(6050, &many, &[&["e", &e], &["p", &p]], &provider);
    assert!(matches!(parse(&many), ParseError::TooLarge { what: "answers", .. }));
}

#[test]
fn a_long_refusal_is_cut_at_a_character() {
    let (asker, provider) = (Keys::generate(), Keys::generate());
    let event = job_over("x".to_owned()).to_event(Audience::Open, &asker, now()).unwrap();
    let job = JobRequest::from_event(&event, &provider).unwrap();
    let feedback = Feedback::refusal(RefusalReason::Busy, "é".repeat(1000));
    let back = Feedback::from_event(&feedback.to_event(&job, &provider, now()).unwrap(), &asker).unwrap();
    assert_eq!(back.feedback.detail.unwrap(), "é".repeat(256));
    assert_eq!(back.feedback.reason, Some(RefusalReason::Busy));
}

#[test]
fn a_heartbeat_cannot_claim_to_live_for_ever() {
    let heartbeat = Heartbeat { queue_length: 0, expires_at: Timestamp::from_secs(u64::MAX) };
    let back = Heartbeat::from_event(&heartbeat.to_event(&Keys::generate(), now()).unwrap()).unwrap();
    assert_eq!(back.heartbeat.expires_at, Timestamp::from_secs(1_700_000_600));
}
