//! Parts that two read, over a real relay: the first reader is settled before the second is asked, and whatever becomes of the second
//! one, the run ends as it would have without.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use frlm_conductor::claim_cache::ClaimCache;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, Generation, GenerationRequest, LanguageModel, ModelError, ModelInfo};
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_questions::answer::Completeness;
use frlm_questions::ingest::Fragment;
use frlm_relay::EmbeddedRelay;
use frlm_scheduler::SubtaskId;
use frlm_verifier::VerificationPolicy;
use nostr::Keys;

use crate::claims::{claims, house, numbered, rule, warden_who_reads};
use crate::common::{Asker, Outcome, relay};

/// Which lines somebody reads.
type Reads = fn(&str) -> bool;
const ALL: Reads = |_| true;
const NOTHING: Reads = |_| false;

/// Rules of twelve parts.
const TWELVE_PARTS: usize = 36;

/// Providers that want pay, and so take one job of a stranger before the verdict on it.
async fn paid(relay: &EmbeddedRelay, models: Vec<Arc<dyn LanguageModel>>) -> Vec<ProviderHandle> {
    let mut providers = Vec::new();
    for model in models {
        let name = model.info().name.clone();
        let config = ProviderConfig { name, price_msats_per_1k: 1_000, ..ProviderConfig::default() };
        providers.push(Provider::start(config, Keys::generate(), &[relay.url()], model).await.unwrap());
    }
    providers
}

fn asker(enough: usize) -> Asker {
    let mut asker = Asker { question: "Who locks which room?", enough, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::DEFAULT;
    asker.discovery = Duration::from_secs(1);
    asker.skips_compiling = true;
    asker
}

/// Asks those of whom each reads these lines alone.
async fn ask(reads: &[Reads], asker: Asker) -> Outcome {
    ask_of(reads, house(TWELVE_PARTS, 3), asker).await
}

async fn ask_of(reads: &[Reads], parts: Vec<Arc<Fragment>>, asker: Asker) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let names = ["alpha", "beta"];
    let models = names.iter().zip(reads).map(|(name, reads)| warden_who_reads(name, false, *reads));
    let _providers = paid(&relay, models.collect()).await;
    asker.ask(&relay.url(), parts, home.path()).await
}

/// Subtasks by the beginning of their key, with the rest of it.
fn planned(outcome: &Outcome, prefix: &str) -> Vec<(SubtaskId, String)> {
    let all = outcome.trace.iter().filter_map(|record| match &record.event {
        TraceEvent::Plan { subtasks } => Some(subtasks),
        _ => None,
    });
    let named = all.flatten().filter_map(|one| Some((one.id, one.key.strip_prefix(prefix)?.to_owned())));
    named.collect()
}

/// Where in the trace a subtask was sent, or accepted, and by whom.
fn place(outcome: &Outcome, id: SubtaskId, is_sent: bool) -> (usize, String) {
    let found = outcome.trace.iter().enumerate().find_map(|(at, record)| match &record.event {
        TraceEvent::SubQuerySubmit { subtask, provider, .. } if is_sent && *subtask == id => {
            Some((at, provider.clone()))
        }
        TraceEvent::Verify { subtask, agreeing, passed: true, .. } if !is_sent && *subtask == id => {
            Some((at, agreeing.join(" ")))
        }
        _ => None,
    });
    found.expect("it is in the trace")
}

fn timeouts(outcome: &Outcome) -> usize {
    outcome.count(|event| matches!(event, TraceEvent::SubQueryTimeout { .. }))
}

#[tokio::test(flavor = "multi_thread")]
async fn one_part_of_twelve_is_read_by_another_once_its_first_reader_is_paid() {
    let outcome = ask(&[ALL; 2], asker(2)).await;
    let again = planned(&outcome, "again:");
    let [(second, key)] = again.as_slice() else { panic!("{again:?}") };
    let parts = planned(&outcome, "map:");
    let (first, _) = parts.iter().find(|(_, part)| format!("map:{part}") == *key).unwrap();
    let (paid, first_reader) = place(&outcome, *first, false);
    let (asked, second_reader) = place(&outcome, *second, true);
    assert!(paid < asked, "the first reader waits for nobody");
    assert_ne!(first_reader, second_reader);
    assert_eq!(place(&outcome, *second, false).1, second_reader, "it is paid, too");
    assert_eq!(timeouts(&outcome), 0);

    let answer = outcome.result.unwrap();
    let found = Completeness { parts: 1, facts: 3, shared: 3, found_by_one: 1.0 };
    assert_eq!(answer.completeness, Some(found));
    assert!((answer.coverage - 1.0).abs() < 1e-9 && answer.budget.reserved_sats == 0, "{answer:#?}");
    let report = claims(&answer);
    assert_eq!((report.stated, report.accepted), (TWELVE_PARTS, TWELVE_PARTS), "{report:?}");
    for room in 1..=TWELVE_PARTS {
        let rule = rule(room);
        assert_eq!(answer.answer.matches(rule.trim_end_matches('.')).count(), 1, "room {room}");
    }
}

/// Whether the number of a room ends with one of these digits.
fn ends_with(line: &str, digits: [char; 5]) -> bool {
    line.split_once(" is").is_some_and(|(room, _)| room.ends_with(digits))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_readers_additions_are_in_the_answer_and_show_what_one_misses() {
    // No two of them who differ state one fact.
    let even: Reads = |line| ends_with(line, ['0', '2', '4', '6', '8']);
    let odd: Reads = |line| ends_with(line, ['1', '3', '5', '7', '9']);
    // Twelve parts of six rooms.
    let outcome = ask_of(&[even, odd], house(72, 6), asker(2)).await;
    let joined =
        outcome.count(|event| matches!(event, TraceEvent::Verified { key, .. } if key.starts_with("map:")));
    assert_eq!(joined, 12 + 1, "what is added is written down, too");
    let answer = outcome.result.unwrap();
    // Each has three of the six: 4 · 4 / 1 − 1 facts by Chapman.
    let found = answer.completeness.unwrap();
    assert_eq!((found.parts, found.facts, found.shared), (1, 6, 0));
    assert!((found.found_by_one - 3.0 / 15.0).abs() < 1e-3, "{found:?}");
    let report = claims(&answer);
    assert_eq!((report.accepted, report.used()), (report.stated, report.stated), "{report:?}");
    let said = (1..=72).filter(|room| answer.answer.contains(rule(*room).trim_end_matches('.'))).count();
    assert_eq!(said, report.used(), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9 && answer.confidence > 0.9, "{answer:#?}");
}

/// Reads what it has not reviewed, and never answers who has it read what it has.
#[derive(Debug)]
struct Silent {
    model: Arc<dyn LanguageModel>,
    never: ScriptedModel,
    reviewed: Mutex<HashSet<String>>,
}

#[async_trait]
impl LanguageModel for Silent {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        let prompt: String = request.messages.iter().map(|message| message.content.as_str()).collect();
        let lines: HashSet<String> = numbered(&prompt).map(|(_, text)| text.to_owned()).collect();
        if prompt.starts_with("You read one part") {
            let is_known = lines.iter().any(|line| {
                self.reviewed.lock().unwrap().contains(line)
                    && (1..=TWELVE_PARTS).any(|room| rule(room) == *line)
            });
            if is_known {
                return self.never.stream(request).await;
            }
        } else {
            self.reviewed.lock().unwrap().extend(lines);
        }
        self.model.stream(request).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_reader_that_never_answers_changes_nothing_but_the_estimate() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let silent = |name: &str| -> Arc<dyn LanguageModel> {
        let never = ScriptedModel::new(name, |_| String::new()).with_latency(Duration::from_hours(24));
        let (never, reviewed) = (never.with_dialect(Dialect::Json), Mutex::default());
        Arc::new(Silent { model: warden_who_reads(name, false, ALL), never, reviewed })
    };
    let _providers = paid(&relay, vec![silent("alpha"), silent("beta")]).await;
    let mut asker = asker(2);
    asker.policy.timeout.per_query = Duration::from_millis(700);
    let began = Instant::now();
    let outcome = asker.ask(&relay.url(), house(TWELVE_PARTS, 3), home.path()).await;
    let again = planned(&outcome, "again:");
    assert_eq!(again.len(), 1);
    let sent = outcome
        .count(|event| matches!(event, TraceEvent::SubQuerySubmit { subtask, .. } if *subtask == again[0].0));
    assert_eq!(sent, 1, "nobody is asked twice");
    let refused = outcome
        .count(|event| matches!(event, TraceEvent::Verify { dissenting, .. } if !dissenting.is_empty()));
    assert_eq!(refused, 0, "nobody is told to be wrong");
    let answer = outcome.result.unwrap();
    assert_eq!(answer.completeness, None);
    let report = claims(&answer);
    assert_eq!((report.stated, report.accepted), (TWELVE_PARTS, TWELVE_PARTS), "{report:?}");
    assert!((answer.coverage - 1.0).abs() < 1e-9 && answer.confidence > 0.9, "{answer:#?}");
    assert_eq!((answer.subtasks.failed, answer.budget.reserved_sats), (0, 0));
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn with_one_provider_every_part_is_read_once() {
    let outcome = ask(&[ALL], asker(1)).await;
    assert!(planned(&outcome, "again:").is_empty());
    let answer = outcome.result.unwrap();
    assert!(answer.completeness.is_none() && (answer.coverage - 1.0).abs() < 1e-9, "{answer:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_empty_readings_are_both_believed_and_not_repeated_next_run() {
    let home = tempfile::tempdir().unwrap();
    let cache = || Some(ClaimCache::at(home.path().join("claims.db")));
    let outcome = ask(&[NOTHING; 2], Asker { cache: cache(), ..asker(2) }).await;
    assert_eq!(planned(&outcome, "again:").len(), 1);
    let confidences = outcome.trace.iter().filter_map(|record| match &record.event {
        TraceEvent::Verified { confidence, key, .. } if key.starts_with("map:") => Some(*confidence),
        _ => None,
    });
    let confidences: Vec<Option<f64>> = confidences.collect();
    assert_eq!(confidences.len(), TWELVE_PARTS / 3);
    assert!(confidences.iter().all(|one| one.is_some_and(|one| one > 0.5)), "{confidences:?}");

    let next = ask(&[NOTHING; 2], Asker { cache: cache(), ..asker(2) }).await;
    let reused = next.count(|event| {
        matches!(event, TraceEvent::Notice { says, .. } if says.starts_with("1 of 12 parts are not read again"))
    });
    assert_eq!(reused, 1);
}
