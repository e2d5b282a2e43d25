//! A provider that sends whatever it likes: nothing of it may be counted, and the run goes on.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{Asker, Outcome, copy, engine, orders, provider, relay};
use frlm_conductor::trace::TraceEvent;
use frlm_protocol::job::ReceivedJob;
use frlm_protocol::kinds::{JOB_REQUEST, JOB_RESULT};
use frlm_protocol::{Announcement, Heartbeat, JobAnswer, JobRequest, JobResult};
use frlm_relay::{ConnectOptions, Connection, RelayMessage};
use nostr::{Event, EventBuilder, EventId, Filter, Keys, RelayUrl, Tag, Timestamp};

type Reply = Arc<dyn Fn(&Keys, &ReceivedJob) -> Vec<Event> + Send + Sync>;

/// Announces itself like any provider and answers each job with what `reply` makes.
struct Mallory {
    keys: Keys,
    _task: tokio_util::task::AbortOnDropHandle<()>,
}

/// How Mallory behaves beside what she says.
#[derive(Clone, Copy)]
struct Behaviour {
    dialect: &'static str,
    /// She thinks for so long before each answer.
    delay: Duration,
    /// What she asks for the shortest job; for tokens she asks nothing.
    least_msats: u64,
}

const PROMPT_RECORDS: Behaviour = Behaviour { dialect: "records", delay: Duration::ZERO, least_msats: 0 };

impl Mallory {
    async fn start(url: &RelayUrl, behaviour: Behaviour, reply: Reply) -> Self {
        let keys = Keys::generate();
        let (publisher, mut incoming) =
            Connection::connect(std::slice::from_ref(url), ConnectOptions::default()).await.unwrap();
        let filter = Filter::new().kind(JOB_REQUEST).pubkey(keys.public_key());
        publisher.subscribe("jobs", vec![filter]).await;
        let now = Timestamp::now();
        let announcement = Announcement {
            name: "mallory".to_owned(),
            model: "frlm-records".to_owned(),
            weights_hash: None,
            quantisation: None,
            context_tokens: 1_024,
            speed: None,
            price_msats_per_1k: 0,
            written_msats_per_1k: None,
            least_msats: behaviour.least_msats,
            dialect: behaviour.dialect.to_owned(),
            concurrency: 1,
            roles: vec!["worker".to_owned()],
            mints: Vec::new(),
            escrow_key: None,
            pay_after_jobs: 0,
            free_jobs_per_day: 0,
            accepts_open_jobs: false,
            blob_bytes: 0,
        };
        publisher.publish(&announcement.to_event(now + 600, &keys, now).unwrap()).await.unwrap();
        let heartbeat = Heartbeat { queue_length: 0, expires_at: now + 120 };
        publisher.publish(&heartbeat.to_event(&keys, now).unwrap()).await.unwrap();
        let own = keys.clone();
        let task = tokio::spawn(async move {
            while let Some(message) = incoming.recv().await {
                let RelayMessage::Event(event) = message else { continue };
                let Ok(job) = JobRequest::from_event(&event, &own) else { continue };
                tokio::time::sleep(behaviour.delay).await;
                for event in reply(&own, &job) {
                    // The relay may refuse what is too large: that is part of the game.
                    let _ = publisher.publish(&event).await;
                }
            }
        });
        Self { keys, _task: tokio_util::task::AbortOnDropHandle::new(task) }
    }
}

/// The honest answer, to be bent by a test.
fn honest(job: &ReceivedJob) -> JobResult {
    let answers = job.request.inputs.iter().map(|input| JobAnswer {
        text: copy(&format!("{}\n{}", job.request.instruction, input.data)),
        confidence: Some(0.99),
        ..JobAnswer::default()
    });
    JobResult {
        answers: answers.collect(),
        model: None,
        prompt_tokens: 1,
        completion_tokens: 1,
        attestation: None,
        amount_msats: None,
    }
}

/// These words for every answer.
fn saying(words: &str, job: &ReceivedJob) -> JobResult {
    let mut result = honest(job);
    for answer in &mut result.answers {
        words.clone_into(&mut answer.text);
    }
    result
}

/// Asks two honest providers and Mallory.
async fn ask_with(
    reply: impl Fn(&Keys, &ReceivedJob) -> Vec<Event> + Send + Sync + 'static,
) -> (Outcome, String) {
    ask_in_a(PROMPT_RECORDS, reply).await
}

async fn ask_in_a(
    behaviour: Behaviour,
    reply: impl Fn(&Keys, &ReceivedJob) -> Vec<Event> + Send + Sync + 'static,
) -> (Outcome, String) {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, Duration::from_millis(1))).await;
    let _b = provider("b", &relay.url(), engine(copy, Duration::from_millis(1))).await;
    let mallory = Mallory::start(&relay.url(), behaviour, Arc::new(reply)).await;
    let mut asker = Asker::default();
    asker.policy.timeout.per_query = Duration::from_secs(2);
    let outcome = asker.ask(&relay.url(), orders(40, 4), home.path()).await;
    (outcome, mallory.keys.public_key().to_hex())
}

fn right(outcome: &Outcome) {
    let answer = outcome.result.as_ref().unwrap();
    assert!(answer.answer.starts_with("8 "), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
}

fn agreed(outcome: &Outcome, key: &str) -> bool {
    outcome.trace.iter().any(|record| {
        matches!(&record.event, TraceEvent::Verify { agreeing, .. } if agreeing.iter().any(|one| one == key))
    })
}

/// Right, and the owner of this key had no part in it.
fn right_without(outcome: &Outcome, key: &str) {
    right(outcome);
    assert!(!agreed(outcome, key));
}

fn rejected(outcome: &Outcome) -> bool {
    outcome.count(|event| matches!(event, TraceEvent::SubQueryReturn { ok: false, .. })) > 0
}

fn answer_with(keys: &Keys, job: &ReceivedJob, result: &JobResult) -> Vec<Event> {
    vec![result.to_event(job, keys, Timestamp::now()).unwrap()]
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_instead_of_an_encrypted_result_does_not_count() {
    let (outcome, key) = ask_with(|keys, job| {
        let tags = [Tag::event(job.id), Tag::public_key(job.asker)];
        vec![EventBuilder::new(JOB_RESULT, "}{ not json \u{1b}[31m").tags(tags).sign_with_keys(keys).unwrap()]
    })
    .await;
    right_without(&outcome, &key);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_few_answers_and_forged_values_do_not_count() {
    let (outcome, key) = ask_with(|keys, job| {
        let mut too_few = honest(job);
        too_few.answers.pop();
        let forged = saying("exploded\n", job);
        answer_with(keys, job, if job.id.as_bytes()[0] % 2 == 0 { &too_few } else { &forged })
    })
    .await;
    right_without(&outcome, &key);
    assert!(rejected(&outcome));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_oversized_result_does_not_count() {
    let (outcome, key) = ask_with(|keys, job| {
        let tags = [Tag::event(job.id), Tag::public_key(job.asker)];
        let content = "x".repeat(110_000);
        vec![EventBuilder::new(JOB_RESULT, content).tags(tags).sign_with_keys(keys).unwrap()]
    })
    .await;
    right_without(&outcome, &key);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_signed_by_somebody_who_was_not_asked_does_not_count() {
    let stranger = Keys::generate();
    let key = stranger.public_key().to_hex();
    let (outcome, _) = ask_with(move |_, job| {
        let mut result = honest(job);
        for answer in &mut result.answers {
            "shipped\n".clone_into(&mut answer.text);
        }
        answer_with(&stranger, job, &result)
    })
    .await;
    right_without(&outcome, &key);
    assert!(outcome.count(|event| matches!(event, TraceEvent::Stray { .. })) > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn results_for_other_jobs_and_repeated_results_do_not_count_twice() {
    let earlier: Mutex<Option<ReceivedJob>> = Mutex::new(None);
    let (outcome, _) = ask_with(move |keys, job| {
        let mut events = Vec::new();
        // An answer to a job that never was, one to an earlier job again, then the real one, twice.
        let mut other = job.clone();
        other.id = EventId::all_zeros();
        events.extend(answer_with(keys, &other, &honest(job)));
        if let Some(before) = earlier.lock().unwrap().replace(job.clone()) {
            events.extend(answer_with(keys, &before, &honest(&before)));
        }
        let real = answer_with(keys, job, &honest(job));
        events.extend(real.clone());
        events.extend(real);
        events
    })
    .await;
    right(&outcome);
    for record in &outcome.trace {
        if let TraceEvent::Verify { agreeing, .. } = &record.event {
            let mut distinct = agreeing.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), agreeing.len(), "one provider counted twice");
        }
    }
    assert!(outcome.count(|event| matches!(event, TraceEvent::Stray { .. })) > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn results_of_an_earlier_run_do_not_count_in_a_later_one() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, Duration::from_millis(1))).await;
    let _b = provider("b", &relay.url(), engine(copy, Duration::from_millis(1))).await;
    // In the first run Mallory answers and remembers; in the second she only repeats herself: the very
    // event, and the old answer to the old job in a new envelope for the new run.
    let earlier: Mutex<Vec<(ReceivedJob, Event)>> = Mutex::new(Vec::new());
    let reply = move |keys: &Keys, job: &ReceivedJob| {
        let mut earlier = earlier.lock().unwrap();
        if earlier.first().is_none_or(|(before, _)| before.asker == job.asker) {
            let events = answer_with(keys, job, &honest(job));
            earlier.push((job.clone(), events[0].clone()));
            return events;
        }
        let (before, event) = earlier[0].clone();
        let mut readdressed = before.clone();
        readdressed.asker = job.asker;
        let mut events = answer_with(keys, &readdressed, &honest(&before));
        events.push(event);
        events
    };
    let mallory = Mallory::start(&relay.url(), PROMPT_RECORDS, Arc::new(reply)).await;
    let key = mallory.keys.public_key().to_hex();
    let first = Asker::default().ask(&relay.url(), orders(40, 4), home.path()).await;
    right(&first);
    assert!(agreed(&first, &key), "she was honest in the first run");
    let mut asker = Asker::default();
    asker.policy.timeout.per_query = Duration::from_secs(2);
    let second = asker.ask(&relay.url(), orders(40, 4), home.path()).await;
    right(&second);
    assert!(!agreed(&second, &key));
    assert!(second.count(|event| matches!(event, TraceEvent::Stray { .. })) > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_costs_time_but_no_answer() {
    let (outcome, key) = ask_with(|_, _| Vec::new()).await;
    right_without(&outcome, &key);
}

#[tokio::test(flavor = "multi_thread")]
async fn words_where_json_was_asked_for_do_not_count() {
    let behaviour = Behaviour { dialect: "json", ..PROMPT_RECORDS };
    let (outcome, key) = ask_in_a(behaviour, |keys, job| {
        answer_with(keys, job, &saying("Certainly! Here are the lines you asked for.", job))
    })
    .await;
    right_without(&outcome, &key);
    assert!(rejected(&outcome));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_minimum_with_free_tokens_attracts_no_job_and_ends_no_run() {
    for least_msats in [1_000_000_000_000, u64::MAX] {
        let behaviour = Behaviour { least_msats, ..PROMPT_RECORDS };
        let (outcome, key) = ask_in_a(behaviour, |keys, job| answer_with(keys, job, &honest(job))).await;
        right_without(&outcome, &key);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_after_its_time_does_not_count() {
    // Longer than an attempt may take; her second answer comes after the run has asked others.
    let behaviour = Behaviour { delay: Duration::from_millis(2_500), ..PROMPT_RECORDS };
    let (outcome, key) = ask_in_a(behaviour, |keys, job| answer_with(keys, job, &honest(job))).await;
    right_without(&outcome, &key);
    let timed_out = outcome.count(|event| matches!(event, TraceEvent::SubQueryTimeout { .. }));
    let cancelled = outcome.count(|event| matches!(event, TraceEvent::SubQueryCancel { .. }));
    assert!(timed_out + cancelled > 0);
}
