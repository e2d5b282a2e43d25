//! The test vectors of docs/protocol.md: what this program writes is what they say, and what they hold it reads.
//!
//! `cargo test -p frlm-protocol -- --ignored rewrite_the_vectors` writes them. Nonces and signatures are others each time.

mod blob;
mod refused;
mod vouching;

use std::path::PathBuf;

use frlm_protocol::announcement::{Announcement, Heartbeat};
use frlm_protocol::receipt::ReceiptLabel;
use frlm_protocol::{
    Attestation, AttestationError, Audience, Cancellation, Certificate, Covered, Feedback, FeedbackStatus,
    Input, InputSource, JobAnswer, JobRequest, JobResult, Mode, ModelIdentity, OutputConstraint, ParseError,
    RefusalReason, Settlement, Speed, Validate, Verdict, kinds, limits, prompts, verdict,
};
use nostr::hashes::hex::DisplayHex as _;
use nostr::nips::nip44::v2::ConversationKey;
use nostr::nips::nip44::{self, Version};
use nostr::{Event, EventBuilder, EventId, JsonUtil, Keys, Kind, SecretKey, Tag, Timestamp};
use serde_json::{Value, json};

const NOW: Timestamp = Timestamp::from_secs(1_790_000_000);
const PARTIES: [&str; 3] = ["asker", "provider", "identity"];

/// One event as this program writes it now, and how it reads it.
struct Case {
    name: &'static str,
    from: &'static str,
    to: Option<&'static str>,
    event: Event,
    reads: Box<dyn Fn(&Event)>,
}

/// Events that others name by their ids.
struct Named {
    job: Event,
    validation: Event,
    foreign: Event,
    /// A signature, which is another one each time.
    certificate: Certificate,
}

fn keys(party: &str) -> Keys {
    let at = PARTIES.iter().position(|known| *known == party).unwrap();
    let byte = u8::try_from(at).unwrap() + 1;
    Keys::new(SecretKey::from_slice(&[byte; 32]).unwrap())
}

fn later(secs: u64) -> Timestamp {
    NOW + secs
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors.json")
}

fn vectors() -> Value {
    serde_json::from_str(&std::fs::read_to_string(file()).unwrap()).unwrap()
}

fn recorded(vectors: &Value, name: &str) -> Event {
    let named = vectors["events"].as_array().unwrap().iter().find(|case| case["name"] == name);
    Event::from_json(named.unwrap()["event"].to_string()).unwrap()
}

/// What an event that is encrypted to a party holds.
fn plaintext(event: &Event, to: Option<&str>) -> Option<String> {
    let is_encrypted = event.tags.iter().any(|tag| tag.as_slice()[0] == "encrypted");
    is_encrypted
        .then(|| nip44::decrypt(keys(to.unwrap()).secret_key(), &event.pubkey, &event.content).unwrap())
}

/// A job of tags, as another program may write it.
fn job_of(tags: &Value, encrypted_to: &Keys, created_at: Timestamp) -> Event {
    let asker = keys("asker");
    let sealed =
        nip44::encrypt(asker.secret_key(), &encrypted_to.public_key(), tags.to_string(), Version::V2);
    let expiration = later(30).as_secs().to_string();
    let outer = [
        vec!["p", &keys("provider").public_key().to_hex()],
        vec!["encrypted"],
        vec!["expiration", &expiration],
    ]
    .map(|tag| Tag::parse(tag).unwrap());
    let event =
        EventBuilder::new(Kind::Custom(5050), sealed.unwrap()).tags(outer).custom_created_at(created_at);
    event.sign_with_keys(&asker).unwrap()
}

const RECORDS: [&str; 2] = [
    "2026-03-02T00:11:19Z order=40101 user=priya.nair amount=149.00 currency=EUR status=shipped",
    "2026-03-02T00:46:00Z order=40104 user=mara.lindt amount=156.95 currency=EUR",
];

fn job() -> JobRequest {
    JobRequest {
        max_tokens: Some(110),
        temperature: Some(0.0),
        bid_msats: Some(0),
        expires_at: Some(later(30)),
        profile: Some("1".to_owned()),
        ..JobRequest::over("copy status, user", RECORDS, Mode::Each)
    }
}

fn reading(certificate: &Certificate) -> JobRequest {
    let schema =
        json!({"type": "object", "properties": {"claims": {"type": "array"}}, "required": ["claims"]});
    JobRequest {
        constraint: Some(OutputConstraint::JsonSchema(schema)),
        max_tokens: Some(2_048),
        model: Some("Qwen2.5-7B".to_owned()),
        top_p: Some(0.9),
        top_k: Some(40),
        temperature: Some(0.7),
        output: Some("application/json".to_owned()),
        bid_msats: Some(21_000),
        payment: Some("{\"id\":\"…\"}".to_owned()),
        certificate: Some(certificate.clone()),
        relays: vec!["wss://relay.example".to_owned()],
        expires_at: Some(later(70)),
        profile: Some("1".to_owned()),
        ..JobRequest::over(
            "You read one part of a document for somebody …",
            ["3| Die Miete beträgt 900 €."],
            Mode::Together,
        )
    }
}

fn validation() -> JobRequest {
    let answers = vec!["shipped\npriya.nair".to_owned(), "-\nmara.lindt".to_owned()];
    let validate = Validate { result: EventId::from_byte_array([7; 32]), answers };
    JobRequest { validate: Some(validate), ..job() }
}

fn open_job() -> JobRequest {
    JobRequest { instruction: "Say hello".to_owned(), inputs: Vec::new(), mode: Mode::Together, ..job() }
}

fn result() -> JobResult {
    let answer = |text: &str| JobAnswer { text: text.to_owned(), ..JobAnswer::default() };
    JobResult {
        answers: vec![answer("shipped\npriya.nair"), answer("-\nmara.lindt")],
        model: Some(ModelIdentity { name: "copier".to_owned(), weights_hash: None }),
        prompt_tokens: 52,
        completion_tokens: 8,
        attestation: None,
        amount_msats: None,
    }
}

fn attested() -> JobResult {
    let attestation = Attestation {
        result: EventId::from_byte_array([7; 32]),
        digest: validation().digest(),
        confirmed: 1,
        shown: 2,
    };
    JobResult { answers: Vec::new(), attestation: Some(attestation), ..result() }
}

fn announcement() -> Announcement {
    Announcement {
        name: "a stranger".to_owned(),
        model: "copier".to_owned(),
        weights_hash: None,
        quantisation: None,
        context_tokens: 8_192,
        speed: Speed::new(810.0, 8.3),
        price_msats_per_1k: 2_000,
        written_msats_per_1k: Some(8_000),
        least_msats: 1_000,
        dialect: "records".to_owned(),
        concurrency: 2,
        roles: vec!["worker".to_owned()],
        mints: vec!["https://mint.example".to_owned()],
        escrow_key: Some(format!("02{}", "ab".repeat(32))),
        pay_after_jobs: 3,
        free_jobs_per_day: 5,
        accepts_open_jobs: false,
        blob_bytes: 0,
    }
}

/// The job that a request becomes on its way, and that it is read as.
fn request_case(name: &'static str, request: JobRequest) -> Case {
    let event =
        request.to_event(Audience::Directed(keys("provider").public_key()), &keys("asker"), NOW).unwrap();
    let reads = Box::new(move |event: &Event| {
        assert_eq!(JobRequest::from_event(event, &keys("provider")).unwrap().request, request, "{name}");
    });
    Case { name, from: "asker", to: Some("provider"), event, reads }
}

fn feedback_case(name: &'static str, job: &Event, feedback: Feedback) -> Case {
    let job = JobRequest::from_event(job, &keys("provider")).unwrap();
    let event = feedback.to_event(&job, &keys("provider"), later(1)).unwrap();
    let reads = Box::new(move |event: &Event| {
        let received = Feedback::from_event(event, &keys("asker")).unwrap();
        let words = feedback.detail.clone().or_else(|| received.feedback.detail.clone());
        let expected = Feedback { detail: words, ..feedback.clone() };
        assert_eq!((received.job, received.feedback), (job.id, expected), "{name}");
    });
    Case { name, from: "provider", to: Some("asker"), event, reads }
}

fn result_case(name: &'static str, job: &Event, result: JobResult) -> Case {
    let job = JobRequest::from_event(job, &keys("provider")).unwrap();
    let event = result.to_event(&job, &keys("provider"), later(2)).unwrap();
    let reads = Box::new(move |event: &Event| {
        let received = JobResult::from_event(event, &keys("asker")).unwrap();
        assert_eq!((received.job, received.result), (job.id, result.clone()), "{name}");
    });
    Case { name, from: "provider", to: Some("asker"), event, reads }
}

fn settlement_case(name: &'static str, from: &'static str, job: EventId, settlement: Settlement) -> Case {
    let to = if from == "asker" { "provider" } else { "asker" };
    let recipient = keys(to).public_key();
    let event = settlement.to_event(job, recipient, later(3_600), &keys(from), later(3)).unwrap();
    let reads = Box::new(move |event: &Event| {
        let received = Settlement::from_event(event, &keys(to)).unwrap();
        let expected = (job, keys(from).public_key(), settlement.clone());
        assert_eq!((received.job, received.author, received.settlement), expected, "{name}");
    });
    Case { name, from, to: Some(to), event, reads }
}

/// All events, each as this program writes it.
fn cases(named: &Named) -> Vec<Case> {
    let all = [
        offers(),
        requests(&named.certificate),
        replies(named),
        words(named.job.id),
        vouching::cases(),
        vec![blob::beside_a_blob()],
    ];
    all.into_iter().flatten().collect()
}

fn plain(name: &'static str, from: &'static str, event: Event, reads: impl Fn(&Event) + 'static) -> Case {
    Case { name, from, to: None, event, reads: Box::new(reads) }
}

/// What a provider says of itself.
fn offers() -> Vec<Case> {
    let heartbeat = Heartbeat { queue_length: 3, expires_at: later(60) };
    let offer = announcement().to_event(later(3_600), &keys("provider"), NOW).unwrap();
    let life = heartbeat.to_event(&keys("provider"), NOW).unwrap();
    vec![
        plain("announcement", "provider", offer, |event| {
            let received = Announcement::from_event(event).unwrap();
            assert_eq!((received.announcement, received.expires_at), (announcement(), Some(later(3_600))));
            assert_eq!(received.profile.as_deref(), Some("1"));
        }),
        plain("heartbeat", "provider", life, move |event| {
            assert_eq!(Heartbeat::from_event(event).unwrap().heartbeat, heartbeat);
        }),
    ]
}

/// Jobs.
fn requests(certificate: &Certificate) -> Vec<Case> {
    let open = open_job().to_event(Audience::Open, &keys("asker"), NOW).unwrap();
    let read = |event: &Event| JobRequest::from_event(event, &keys("provider")).unwrap();
    let foreign = plain("foreign job", "asker", foreign_job(), move |event| {
        let received = read(event);
        assert_eq!((received.is_profile(), received.request.max_tokens), (false, Some(64)));
        let input = Input { data: "Say hello".to_owned(), source: InputSource::Text };
        assert_eq!(received.request.inputs, [input]);
    });
    vec![
        request_case("job", job()),
        request_case("reading", reading(certificate)),
        request_case("validation", validation()),
        plain("open job", "asker", open, move |event| {
            let received = read(event);
            assert_eq!((received.audience, received.request), (Audience::Open, open_job()));
        }),
        Case { to: Some("provider"), ..foreign },
    ]
}

/// What a provider says of jobs.
fn replies(named: &Named) -> Vec<Case> {
    let partial =
        Feedback { partial: Some("The rent is".to_owned()), ..Feedback::of(FeedbackStatus::Partial) };
    let busy = Feedback {
        retry_after_secs: Some(12),
        ..Feedback::refusal(RefusalReason::Busy, "64 jobs wait; come back later")
    };
    let busy_for_guests = Feedback {
        retry_after_secs: Some(12),
        pow_bits: Some(16),
        ..Feedback::refusal(RefusalReason::Busy, "64 jobs wait; come back later")
    };
    let covered = Covered {
        validator: keys("provider").public_key(),
        job: named.validation.id,
        result: EventId::from_byte_array([7; 32]),
        digest: validation().digest(),
    };
    let attests = move |event: &Event| {
        let read = |covered: &Covered| Attestation::from_event(event, &keys("asker"), covered);
        assert_eq!(read(&covered).ok(), attested().attestation);
        let other = Covered { digest: job().digest(), ..covered.clone() };
        assert_eq!(read(&other), Err(AttestationError::Digest));
    };
    let answer = JobAnswer { text: "Hello!".to_owned(), ..JobAnswer::default() };
    let to_foreign =
        JobResult { answers: vec![answer], model: None, prompt_tokens: 0, completion_tokens: 0, ..result() };
    vec![
        feedback_case("processing", &named.job, Feedback::of(FeedbackStatus::Processing)),
        feedback_case("partial", &named.job, partial),
        feedback_case("busy", &named.job, busy),
        feedback_case("cancelled", &named.job, Feedback::of(FeedbackStatus::Cancelled)),
        result_case("result", &named.job, result()),
        result_case("priced result", &named.job, JobResult { amount_msats: Some(2_000), ..result() }),
        Case { reads: Box::new(attests), ..result_case("attestation", &named.validation, attested()) },
        result_case("foreign result", &named.foreign, to_foreign),
        feedback_case("busy, and work is asked for", &named.job, busy_for_guests),
    ]
}

/// What an asker says of a job, and what becomes of its pay.
fn words(job: EventId) -> Vec<Case> {
    let (asker, provider) = (keys("asker"), keys("provider").public_key());
    let cancellation = Cancellation { job }.to_event(Audience::Directed(provider), &asker, later(4)).unwrap();
    let verdicts = vec![Verdict {
        job,
        accepted: true,
        fitness: 0.56,
        change: 0.06,
        credits: 40,
        feedback: "Correct answer.".to_owned(),
    }];
    let judged = verdict::to_event(&verdicts, provider, later(3_600), &asker, later(5)).unwrap();
    let judged = plain("verdicts", "asker", judged, move |event| {
        assert_eq!(verdict::from_event(event, &keys("provider")).unwrap().verdicts, verdicts);
    });
    let receipt = ReceiptLabel { provider, run: "ab12".to_owned(), jobs: 3, accepted: 2, paid_msats: 4_000 };
    let release = || "{\"lock\":\"…\",\"signatures\":[]}".to_owned();
    let paid = Settlement::Paid { lock: "{\"id\":\"…\"}".to_owned(), release: release() };
    vec![
        plain("cancellation", "asker", cancellation, move |event| {
            assert!(Cancellation::from_event(event).unwrap().cancels(&job, &keys("asker").public_key()));
        }),
        Case { to: Some("provider"), ..judged },
        settlement_case("released", "asker", job, Settlement::Released(release())),
        settlement_case("declined", "asker", job, Settlement::Declined),
        settlement_case("returned", "provider", job, Settlement::Returned(release())),
        settlement_case("paid", "asker", job, paid),
        plain("receipt", "asker", receipt.to_event(&asker, later(6)).unwrap(), move |event| {
            assert_eq!(ReceiptLabel::from_event(event).unwrap().receipt, receipt);
        }),
    ]
}

fn foreign_job() -> Event {
    job_of(&json!([["i", "Say hello", "text"], ["param", "max_new_tokens", "64"]]), &keys("provider"), NOW)
}

fn freshly_named() -> Named {
    let directed = |request: JobRequest| {
        request.to_event(Audience::Directed(keys("provider").public_key()), &keys("asker"), NOW).unwrap()
    };
    let certificate = Certificate::sign(&keys("identity"), &keys("asker").public_key(), later(604_800));
    Named { job: directed(job()), validation: directed(validation()), foreign: foreign_job(), certificate }
}

fn written_prompts() -> Value {
    let each: [(&str, &[&str], Mode); 6] = [
        ("copy status", &["a b", "c d"], Mode::Each),
        ("copy status", &["a b", "c d"], Mode::Together),
        ("", &["who?"], Mode::Together),
        ("who?", &[], Mode::Each),
        ("who?", &["", "x"], Mode::Each),
        ("", &[], Mode::Together),
    ];
    let written = each.map(|(instruction, inputs, mode)| {
        let name = if mode == Mode::Each { "each" } else { "together" };
        let prompts = prompts(instruction, inputs.iter().copied(), mode);
        json!({"instruction": instruction, "inputs": inputs, "mode": name, "prompts": prompts})
    });
    written.to_vec().into()
}

fn conversation_key() -> String {
    let key = ConversationKey::derive(keys("asker").secret_key(), &keys("provider").public_key()).unwrap();
    key.as_bytes().to_lower_hex_string()
}

fn named(vectors: &Value) -> Named {
    let reading = JobRequest::from_event(&recorded(vectors, "reading"), &keys("provider")).unwrap();
    let certificate = reading.request.certificate.unwrap();
    let asker = keys("asker").public_key();
    assert_eq!(certificate.vouches_for(&asker, later(604_799)), Some(keys("identity").public_key()));
    assert_eq!(certificate.vouches_for(&asker, later(604_800)), None);
    Named {
        certificate,
        job: recorded(vectors, "job"),
        validation: recorded(vectors, "validation"),
        foreign: recorded(vectors, "foreign job"),
    }
}

#[test]
fn what_this_program_writes_is_what_the_vectors_say() {
    let vectors = vectors();
    let cases = cases(&named(&vectors));
    assert_eq!(vectors["events"].as_array().unwrap().len(), cases.len());
    for (recorded, case) in vectors["events"].as_array().unwrap().iter().zip(cases) {
        let event = Event::from_json(recorded["event"].to_string()).unwrap();
        let parties = (recorded["from"].as_str(), recorded["to"].as_str());
        assert_eq!((recorded["name"].as_str(), parties), (Some(case.name), (Some(case.from), case.to)));
        assert_eq!(event.verify().map_err(|error| error.to_string()), Ok(()), "{}", case.name);
        let outside = |event: &Event| (event.kind, event.created_at, event.tags.clone(), event.pubkey);
        assert_eq!(outside(&event), outside(&case.event), "{}", case.name);
        match plaintext(&case.event, case.to) {
            None => {
                assert_eq!((event.id, event.content), (case.event.id, case.event.content), "{}", case.name);
            }
            Some(text) => {
                assert_eq!(recorded["plaintext"].as_str(), Some(text.as_str()), "{}", case.name);
                assert_eq!(plaintext(&event, case.to), Some(text), "{}", case.name);
            }
        }
    }
    assert_eq!(vectors["prompts"], written_prompts());
    assert_eq!(vectors["digest"], validation().digest());
    assert_eq!(vectors["blob"], blob::written_blob());
    assert_eq!(vectors["conversation_key"], conversation_key());
    assert_eq!(vectors["now"], NOW.as_secs());
}

#[test]
fn what_the_vectors_hold_is_read_as_it_was_meant() {
    let vectors = vectors();
    for case in cases(&named(&vectors)) {
        (case.reads)(&recorded(&vectors, case.name));
    }
}

#[test]
fn refused_jobs_of_the_vectors_are_unreadable_or_unserved_by_anybody() {
    let vectors = vectors();
    let recorded = vectors["refused"].as_array().unwrap();
    assert_eq!(recorded.len(), refused::refused().len());
    for (recorded, (name, _, reason)) in recorded.iter().zip(refused::refused()) {
        assert_eq!(
            (recorded["name"].as_str(), recorded["reason"].as_str()),
            (Some(name), Some(reason.as_str()))
        );
        let event = Event::from_json(recorded["event"].to_string()).unwrap();
        event.verify().unwrap();
        let read = JobRequest::from_event(&event, &keys("provider"));
        match (name, read) {
            ("encrypted to another key", Err(ParseError::Undecryptable(_)))
            | ("an unknown mode" | "an unknown constraint", Err(ParseError::Malformed { .. })) => {}
            ("dated a day ahead", Ok(job)) => assert_eq!(job.created_at, later(86_400)),
            ("an address to fetch", Ok(job)) => assert_eq!(job.request.inputs[1].source, InputSource::Url),
            ("no token", Ok(job)) => assert_eq!(job.request.max_tokens, Some(0)),
            ("nothing to do", Ok(job)) => {
                assert!(job.request.inputs.is_empty() && job.request.instruction.is_empty());
            }
            ("another model", Ok(job)) => assert_eq!(job.request.model.as_deref(), Some("another")),
            (name, read) => panic!("{name}: {read:?}"),
        }
    }
}

#[test]
fn the_document_has_every_kind_reason_limit_and_name_that_travels() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/protocol.md");
    // Numbers stand there with commas.
    let text = std::fs::read_to_string(path).unwrap().replace(',', "");
    let has = |words: &str| assert!(text.contains(words), "docs/protocol.md does not say {words}");
    for kind in [
        kinds::JOB_REQUEST,
        kinds::JOB_RESULT,
        kinds::JOB_FEEDBACK,
        kinds::SETTLEMENT,
        kinds::VERDICT,
        kinds::LABEL,
        kinds::FOLLOW_LIST,
        kinds::ANNOUNCEMENT,
        kinds::HEARTBEAT,
        kinds::CANCELLATION,
        kinds::RELAY_LIST,
        kinds::BLOB_AUTHORIZATION,
    ] {
        has(&format!("\n| {kind} | "));
    }
    for reason in RefusalReason::ALL {
        has(&format!("\n| `{}` | ", reason.as_str()));
    }
    for (what, limit) in [
        ("| plaintext of an encrypted content", limits::MAX_PLAINTEXT_BYTES),
        ("| content of an event", limits::MAX_CONTENT_BYTES),
        ("| tags of an event", limits::MAX_TAGS),
        ("| inputs of a job", limits::MAX_INPUTS),
        ("| names", limits::MAX_NAME_BYTES),
        ("| words of a feedback", limits::MAX_DETAIL_BYTES),
        ("| bolt11 invoice", limits::MAX_INVOICE_BYTES),
        ("| relays of a job", limits::MAX_RELAYS),
        ("| blob of a job", limits::MAX_BLOB_BYTES),
        ("| addresses of a blob", limits::MAX_BLOB_SERVERS),
        ("| addresses of a blob", limits::MAX_BLOB_URL_BYTES),
        ("| `roles`", limits::MAX_LIST_ENTRIES),
    ] {
        let line = text.lines().find(|line| line.starts_with(what)).unwrap();
        assert!(line.contains(&limit.to_string()), "{limit}: {line}");
    }
    let (request, life) = (limits::MAX_REPEATED_REQUEST_BYTES, limits::MAX_HEARTBEAT_LIFETIME_SECS);
    has(&format!("up to {request} bytes"));
    has(&format!("A heartbeat is valid for at most {life} s"));
    has(&format!("`[\"expiration\" created_at + {}]`", limits::ANNOUNCEMENT_LIFETIME_SECS));
    has(&format!("lives {} s from its date", limits::DEFAULT_JOB_LIFETIME_SECS));
    has(&format!("a result for {} s", limits::SHORT_RELAY_SECS));
    has(&format!("dated more than {} s ahead", limits::CLOCK_SLACK_SECS));

    let vectors = vectors();
    let announced: Value = serde_json::from_str(&recorded(&vectors, "announcement").content).unwrap();
    for field in announced["frlm"].as_object().unwrap().keys() {
        has(&format!("`{field}`"));
    }
    for name in ["reading", "validation", "job beside a blob"] {
        let job = recorded(&vectors, name);
        let tags: Vec<Vec<Value>> =
            serde_json::from_str(&plaintext(&job, Some("provider")).unwrap()).unwrap();
        for tag in tags {
            let text = |at: usize| tag[at].as_str().unwrap();
            has(&if text(0) == "param" { format!("`{}`", text(1)) } else { format!("| `[\"{}\"", text(0)) });
        }
    }
}

#[test]
#[ignore = "rewrites tests/vectors.json"]
fn rewrite_the_vectors() {
    let keys = PARTIES.map(|party| {
        let keys = keys(party);
        (
            party.to_owned(),
            json!({"secret": keys.secret_key().to_secret_hex(), "public": keys.public_key().to_hex()}),
        )
    });
    let event = |event: &Event| serde_json::from_str::<Value>(&event.as_json()).unwrap();
    // Events that others name must be those that are written.
    let named = freshly_named();
    let events: Vec<Value> = cases(&named)
        .into_iter()
        .map(|case| {
            let written = match case.name {
                "job" => &named.job,
                "validation" => &named.validation,
                "foreign job" => &named.foreign,
                _ => &case.event,
            };
            json!({"name": case.name, "from": case.from, "to": case.to, "plaintext": plaintext(written, case.to),
                   "event": event(written)})
        })
        .collect();
    let refused: Vec<Value> = refused::refused()
        .into_iter()
        .map(|(name, job, reason)| json!({"name": name, "reason": reason.as_str(), "event": event(&job)}))
        .collect();
    let vectors = json!({
        "now": NOW.as_secs(), "keys": keys.into_iter().collect::<serde_json::Map<_, _>>(),
        "conversation_key": conversation_key(), "events": events, "prompts": written_prompts(), "refused": refused,
        "digest": validation().digest(), "blob": blob::written_blob(),
    });
    std::fs::write(file(), serde_json::to_string_pretty(&vectors).unwrap() + "\n").unwrap();
}
