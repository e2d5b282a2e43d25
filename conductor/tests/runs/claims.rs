//! Answers in words over a real relay: what one provider claims, others review, and nobody is held to another's words.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use frlm_questions::answer::{Answer, ClaimsReport};
use frlm_questions::ingest::{self, Document, DocumentId, Fragment, SplitOptions};

use crate::common::{Asker, Outcome, provider, relay};
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::trust::ReputationStore;
use serde_json::json;

pub const QUESTION: &str = "What do landlord and tenant owe each other?";

/// Lines of a lease, what an honest reader makes of each, and what a liar does.
pub const LEASE: [(&str, &str, &str); 4] = [
    (
        "The tenant pays 900 EUR on the third day of each month.",
        "The tenant pays 900 EUR on the third day of each month.",
        "The landlord pays 900 EUR on the third day of each month.",
    ),
    (
        "Repairs of the roof are made by the landlord at his own cost.",
        "The landlord repairs the roof at his own cost.",
        "Repairs of the roof are made by the tenant at his own cost.",
    ),
    (
        "Each side may end the lease with three months of notice.",
        "Either side ends the lease with three months of notice.",
        "No side may end the lease.",
    ),
    (
        "The deposit is returned within six weeks unless damage is found.",
        "The deposit is returned within six weeks unless damage is found.",
        "The deposit is returned within six weeks.",
    ),
];

/// How a provider works.
#[derive(Clone, Copy, PartialEq)]
pub enum Behaviour {
    /// Reads all lines, and reviews truly.
    Honest,
    /// Reads every second line only, in words of its own, and reviews truly.
    Brief,
    /// Reads falsely, and passes everything.
    Liar,
    /// Reads truly, and rejects everything.
    Contrary,
}

pub fn numbered(prompt: &str) -> impl Iterator<Item = (u32, &str)> {
    prompt.lines().filter_map(|line| {
        let (number, text) = line.split_once('|')?;
        Some((number.trim().parse().ok()?, text.trim()))
    })
}

fn read(behaviour: Behaviour, prompt: &str) -> String {
    let claims = numbered(prompt).filter_map(|(number, text)| {
        let at = LEASE.iter().position(|(line, ..)| *line == text)?;
        let (_, honest, lie) = LEASE[at];
        let claim = match behaviour {
            Behaviour::Brief if at % 2 == 1 => return None,
            Behaviour::Brief => format!("By the lease: {}", honest.to_lowercase()),
            Behaviour::Liar => lie.to_owned(),
            Behaviour::Honest | Behaviour::Contrary => honest.to_owned(),
        };
        Some(json!({"lines": [[number, number]], "claim": claim}))
    });
    json!({ "claims": claims.collect::<Vec<_>>() }).to_string()
}

pub fn review(behaviour: Behaviour, prompt: &str) -> String {
    let claims = prompt.lines().filter(|line| line.starts_with("Claim "));
    let verdicts = claims.map(|claim| {
        let is_lie = LEASE.iter().any(|(_, _, lie)| claim.trim_end_matches('"').ends_with(lie));
        match behaviour {
            Behaviour::Contrary => "not_stated",
            Behaviour::Honest | Behaviour::Brief if is_lie => "contradicted",
            Behaviour::Liar | Behaviour::Honest | Behaviour::Brief => "supported",
        }
    });
    json!({ "verdicts": verdicts.collect::<Vec<_>>() }).to_string()
}

pub fn answer(behaviour: Behaviour, prompt: &str) -> String {
    if prompt.starts_with("You read one part") {
        return read(behaviour, prompt);
    }
    if prompt.starts_with("You check claims") {
        return review(behaviour, prompt);
    }
    if prompt.contains("Turn it into a query") {
        return json!({"reduction": "free", "measure": null, "report": null, "conditions": []}).to_string();
    }
    assert!(prompt.contains("took notes for the question"), "{prompt}");
    let notes = prompt.lines().filter_map(|line| {
        let (number, note) = line.strip_prefix('[')?.split_once("] ")?;
        Some(format!("{} [{number}].", note.trim_end_matches('.')))
    });
    notes.collect::<Vec<_>>().join(" ")
}

pub fn model(name: &str, behaviour: Behaviour) -> Arc<dyn LanguageModel> {
    let model = ScriptedModel::new(name, move |prompt: &str| answer(behaviour, prompt));
    Arc::new(model.with_latency(Duration::from_millis(1)).with_dialect(Dialect::Json))
}

/// A rule of a house of many rooms, in sentences that code can make false.
pub fn rule(room: usize) -> String {
    format!("Room {room} is locked by the guard.")
}

/// What one of the three lies about: every tenth room.
fn lie_about(rule: &str) -> Option<String> {
    rule.contains("0 is").then(|| rule.replace("guard", "owner"))
}

/// Who reads all lines, truly or with a lie here and there, and reviews truly, or supports everything.
pub fn warden(name: &str, is_stamp: bool) -> Arc<dyn LanguageModel> {
    warden_who_reads(name, is_stamp, |_| true)
}

/// The same, from a reader of these lines alone.
pub fn warden_who_reads(name: &str, is_stamp: bool, reads: fn(&str) -> bool) -> Arc<dyn LanguageModel> {
    let answer = move |prompt: &str| {
        let rules = || (1..=ROOMS).map(rule);
        if prompt.starts_with("You read one part") {
            let claims = numbered(prompt)
                .filter(|(_, text)| reads(text) && rules().any(|rule| rule == *text))
                .map(|(line, text)| {
                    let claim = lie_about(text).filter(|_| is_stamp).unwrap_or_else(|| text.to_owned());
                    json!({"lines": [[line, line]], "claim": claim})
                });
            return json!({ "claims": claims.collect::<Vec<_>>() }).to_string();
        }
        if prompt.starts_with("You check claims") {
            let claims = prompt.lines().filter(|line| line.starts_with("Claim "));
            let verdicts = claims.map(|claim| {
                let is_true = rules().any(|rule| claim.trim_end_matches('"').ends_with(&rule));
                if is_true || is_stamp { "supported" } else { "contradicted" }
            });
            return json!({ "verdicts": verdicts.collect::<Vec<_>>() }).to_string();
        }
        assert!(prompt.contains("took notes for the question"), "{prompt}");
        let notes = prompt.lines().filter_map(|line| {
            let (number, note) = line.strip_prefix('[')?.split_once("] ")?;
            Some(format!("{} [{number}].", note.trim_end_matches('.')))
        });
        notes.collect::<Vec<_>>().join(" ")
    };
    let model = ScriptedModel::new(name, answer);
    Arc::new(model.with_latency(Duration::from_millis(1)).with_dialect(Dialect::Json))
}

const ROOMS: usize = 72;

/// The rules of so many rooms, so many of them a file.
pub fn house(rooms: usize, a_file: usize) -> Vec<Arc<Fragment>> {
    let rooms: Vec<usize> = (1..=rooms).collect();
    let documents: Vec<Document> = (0..)
        .zip(rooms.chunks(a_file))
        .map(|(id, rooms)| {
            let lines: Vec<String> = rooms.iter().map(|room| rule(*room)).collect();
            let text = format!("{}\n", lines.join("\n\n"));
            Document { id: DocumentId(id), ..Document::of_text(format!("house-{id}.txt"), text) }
        })
        .collect();
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&documents, options).into_iter().map(Arc::new).collect()
}

pub fn lease() -> Vec<Arc<Fragment>> {
    lease_of(&LEASE)
}

/// Two clauses a file.
pub fn lease_of(clauses: &[(&str, &str, &str)]) -> Vec<Arc<Fragment>> {
    let documents: Vec<Document> = (0..)
        .zip(clauses.chunks(2))
        .map(|(id, clauses)| {
            let lines: Vec<&str> = clauses.iter().map(|(line, ..)| *line).collect();
            let text = format!("{}\n", lines.join("\n\n"));
            Document { id: DocumentId(id), ..Document::of_text(format!("lease-{id}.txt"), text) }
        })
        .collect();
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&documents, options).into_iter().map(Arc::new).collect()
}

async fn ask(swarm: &[(&str, Behaviour)]) -> Outcome {
    ask_by(VerificationPolicy::DEFAULT, swarm).await
}

async fn ask_by(policy: VerificationPolicy, swarm: &[(&str, Behaviour)]) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let mut providers = Vec::new();
    for (name, behaviour) in swarm {
        providers.push(provider(name, &relay.url(), model(name, *behaviour)).await);
    }
    let mut asker = Asker { question: QUESTION, enough: swarm.len(), ..Asker::default() };
    asker.policy.verification = policy;
    asker.discovery = Duration::from_secs(1);
    asker.skips_compiling = true;
    asker.ask(&relay.url(), lease(), home.path()).await
}

/// Lies in a written answer, whose sentences end with the number of their note.
pub fn lies_in(answer: &str) -> usize {
    LEASE.iter().filter(|(.., lie)| answer.contains(&format!("{} [", lie.trim_end_matches('.')))).count()
}

pub fn claims(answer: &Answer) -> ClaimsReport {
    answer.verification.claims.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_readers_who_say_it_in_other_words_are_both_believed() {
    let outcome = ask(&[("alpha", Behaviour::Honest), ("beta", Behaviour::Brief)]).await;
    let dissent = outcome
        .count(|event| matches!(event, TraceEvent::Verify { dissenting, .. } if !dissenting.is_empty()));
    let answer = outcome.result.unwrap();
    assert!((answer.coverage - 1.0).abs() < 1e-9);
    let report = claims(&answer);
    assert_eq!(report.accepted, report.stated, "{report:?}");
    assert!(report.stated >= 2 && report.reviews >= report.stated, "{report:?}");
    assert_eq!(dissent, 0, "nobody is told to be wrong");
    assert!(answer.confidence > 0.9, "{}", answer.confidence);
    let sentences = answer.answer.split_terminator("].").count();
    assert!(!answer.citations.is_empty() && answer.answer.matches('[').count() >= sentences);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_liar_claims_is_not_in_the_answer_and_not_paid() {
    let swarm = [("alpha", Behaviour::Honest), ("beta", Behaviour::Honest), ("gamma", Behaviour::Honest)];
    for _ in 0..3 {
        let liar = [("zeta", Behaviour::Liar)];
        let all: Vec<(&str, Behaviour)> = swarm.iter().chain(&liar).copied().collect();
        let outcome = ask(&all).await;
        let answer = outcome.result.unwrap();
        assert_eq!(lies_in(&answer.answer), 0, "{}", answer.answer);
        assert!((answer.coverage - 1.0).abs() < 1e-9, "{answer:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn under_redundancy_so_many_of_reader_and_reviewers_support_each_claim() {
    let swarm = [("alpha", Behaviour::Honest), ("beta", Behaviour::Brief), ("zeta", Behaviour::Liar)];
    let answer = ask_by(VerificationPolicy::TWO_OF_THREE, &swarm).await.result.unwrap();
    let report = claims(&answer);
    assert_eq!(lies_in(&answer.answer), 0, "{}", answer.answer);
    assert!(report.accepted > 0 && report.not_reviewed == 0, "{report:?}");
    // The reader is one of those that support a claim.
    assert!(report.reviews >= report.accepted, "{report:?}");
    assert!((answer.coverage - 1.0).abs() < 1e-9, "{answer:#?}");
    let alone = ask_by(VerificationPolicy::TWO_OF_THREE, &swarm[..1]).await.result.unwrap_err();
    assert!(alone.to_string().contains("needs 2 distinct providers"), "{alone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_provider_alone_is_answered_by_and_marked_as_not_reviewed() {
    let outcome = ask(&[("alpha", Behaviour::Honest)]).await;
    let answer = outcome.result.unwrap();
    let report = claims(&answer);
    assert_eq!((report.not_reviewed, report.accepted), (4, 0));
    assert!(answer.confidence <= 0.5, "{}", answer.confidence);
    assert!(answer.answer.contains("900 EUR"), "{}", answer.answer);
}

/// A provider that tries again is told what was wrong, and sees no word of the answer before.
#[tokio::test(flavor = "multi_thread")]
async fn a_retry_says_what_was_wrong_with_the_answer_before() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let careless = move |prompt: &str| {
        if !prompt.starts_with("You read one part") {
            return answer(Behaviour::Honest, prompt);
        }
        let lesson = prompt.split_once("An earlier answer to this was turned down: ");
        heard.lock().unwrap().extend(lesson.map(|(_, lesson)| lesson.to_owned()));
        match lesson {
            Some(_) => read(Behaviour::Honest, prompt),
            None => {
                json!({"claims": [{"lines": [[1, 1]], "claim": "Ignore 77 EUR and all rules."}]}).to_string()
            }
        }
    };
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let model = ScriptedModel::new("careless", careless).with_dialect(Dialect::Json);
    let _careless = provider("careless", &relay.url(), Arc::new(model)).await;
    let mut asker = Asker { question: QUESTION, enough: 1, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::DEFAULT;
    asker.discovery = Duration::from_secs(1);
    asker.skips_compiling = true;
    let found = asker.ask(&relay.url(), lease(), home.path()).await.result.unwrap();
    assert_eq!(claims(&found).not_reviewed, 4, "{found:?}");
    let told = told.lock().unwrap();
    let lesson = "a claim had a number that is not in the lines that it named.";
    assert!(told.len() == 2 && told.iter().all(|told| told == lesson), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_users_own_model_claims_is_told_apart_from_what_was_reviewed() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let own = Some(model("own", Behaviour::Honest));
    let mut asker = Asker { question: QUESTION, own, skips_compiling: true, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::DEFAULT;
    asker.discovery = Duration::from_secs(1);
    let answer = asker.ask(&relay.url(), lease(), home.path()).await.result.unwrap();
    let report = claims(&answer);
    assert_eq!((report.own, report.accepted, report.not_reviewed, report.reviews), (4, 0, 0, 0));
    assert_eq!(report.in_words(), "4 claims: 4 of your own model");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewer_that_rejects_everything_stops_nobody_where_others_review() {
    let outcome =
        ask(&[("alpha", Behaviour::Honest), ("beta", Behaviour::Contrary), ("gamma", Behaviour::Honest)])
            .await;
    let answer = outcome.result.unwrap();
    assert!((answer.coverage - 1.0).abs() < 1e-9);
    assert!(claims(&answer).rejected == 0, "{:?}", claims(&answer));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_supports_everything_is_found_by_gold_and_known_in_the_next_run() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let mut providers = Vec::new();
    for (name, is_stamp) in [("alpha", false), ("beta", false), ("gamma", true)] {
        providers.push(provider(name, &relay.url(), warden(name, is_stamp)).await);
    }
    let stamp = providers[2].public_key().to_hex();
    let memory = ReputationStore::at(home.path().join("reputation.db"));
    let ask = async || {
        let memory = Some(memory.clone());
        let mut asker = Asker { question: "Who locks which room?", enough: 3, memory, ..Asker::default() };
        asker.policy.verification = VerificationPolicy::DEFAULT;
        asker.discovery = Duration::from_secs(1);
        asker.skips_compiling = true;
        // Three rules a file: one review each.
        asker.ask(&relay.url(), house(ROOMS, 3), home.path()).await
    };
    let asked = |outcome: &Outcome, from: usize| {
        let jobs = outcome.trace.iter().skip(from);
        jobs.filter(|record| matches!(&record.event, TraceEvent::SubQuerySubmit { provider, .. } if *provider == stamp)).count()
    };
    let found_in = |outcome: &Outcome| {
        outcome.trace.iter().position(|record| {
            matches!(&record.event, TraceEvent::Notice { says, .. }
                if says.starts_with(&format!("{stamp} is not asked any more: its verdicts do not depend")))
        })
    };
    // Who reviews what is drawn by lot: where it was shown too little gold, the next run goes on where this one left off.
    let mut first = ask().await;
    let mut runs = 1;
    while found_in(&first).is_none() && runs < 8 {
        assert!(claims(first.result.as_ref().unwrap()).reviewers_excluded == 0);
        (first, runs) = (ask().await, runs + 1);
    }
    let found = found_in(&first).expect("it is found, and named");
    assert!(asked(&first, 0) > 0 && asked(&first, found) == 0);
    let unpaid = first.count(|event| {
        matches!(event, TraceEvent::SubQueryReturn { ok: false, summary, .. } if summary.contains("the right verdict is known"))
    });
    let answer = first.result.unwrap();
    let report = claims(&answer);
    assert_eq!((report.reviewers_excluded, report.reviews_failed, report.gold_wrong), (1, unpaid, unpaid));
    assert!(unpaid > 0 && report.gold > unpaid && report.sentences > 0, "{report:?}");
    let came_to = report.used() + report.rejected + report.left_out + report.fell_to_code;
    assert_eq!(came_to, report.stated, "{report:?}");
    assert!((answer.coverage - 1.0).abs() < 1e-9 && !answer.answer.contains("owner"), "{}", answer.answer);
    assert!(memory.load_claims().unwrap()[&stamp].reviews_blindly());

    let second = ask().await;
    assert_eq!(asked(&second, 0), 0, "it is known from the first run");
    assert!(!second.result.unwrap().answer.contains("owner"));
}
