//! Runs under the validated policy over a real relay: one provider's signed word decides.

use std::time::Duration;

use frlm_scheduler::{AttemptId, SubtaskId};

use crate::common::{Asker, Outcome, copy, engine, lie, orders, provider, relay};
use frlm_conductor::trace::TraceEvent;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::trust::ReputationStore;
use frlm_wallet::{Ledger, Sats};
use nostr::{Keys, RelayUrl};

const QUICK: Duration = Duration::from_millis(1);

fn validated_by(validator: &ProviderHandle) -> Asker {
    let mut asker = Asker::default();
    asker.policy.verification = VerificationPolicy::Validated { validator: validator.public_key().to_hex() };
    asker
}

/// (confirmed, rejected)
fn verdicts(outcome: &Outcome) -> (usize, usize) {
    let all = outcome.count(|event| matches!(event, TraceEvent::Attested { .. }));
    let confirmed = outcome
        .count(|event| matches!(event, TraceEvent::Attested { confirmed, shown, .. } if confirmed == shown));
    (confirmed, all - confirmed)
}

/// How often the run says that its validator is wrong too often.
fn warned(outcome: &Outcome) -> usize {
    outcome.count(|event| {
        matches!(event, TraceEvent::Notice { says, .. }
            if says.contains("verdicts about answers that code knows"))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_validator_rejects_a_false_answer_and_only_confirmed_ones_count() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let honest = provider("honest", &relay.url(), engine(copy, QUICK)).await;
    let liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let validator = provider("validator", &relay.url(), engine(copy, QUICK)).await;
    let asker = Asker { enough: 2, ..validated_by(&validator) };
    let outcome = asker.ask(&relay.url(), orders(80, 4), home.path()).await;
    let (confirmed, rejected) = verdicts(&outcome);
    assert!(confirmed >= 20, "one for each subtask: {confirmed}");
    assert!(rejected > 0, "the liar was asked, too");
    assert_eq!(warned(&outcome), 0);
    let key = validator.public_key().to_hex();
    for record in &outcome.trace {
        match &record.event {
            TraceEvent::Verify { passed: true, agreeing, .. } => {
                assert_eq!(agreeing, &[honest.public_key().to_hex()]);
                assert!(!agreeing.contains(&liar.public_key().to_hex()));
            }
            TraceEvent::Attested { validator, result, .. } => {
                assert_eq!(*validator, key);
                assert_eq!(result.len(), 64, "the result event that it is about");
            }
            _ => {}
        }
    }
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("16 "), "{}", answer.answer);
    assert_eq!(answer.verification.policy, format!("validated:{key}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_validator_that_confirms_nothing_leaves_no_answer() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let _c = provider("c", &relay.url(), engine(copy, QUICK)).await;
    let validator = provider("validator", &relay.url(), engine(lie, QUICK)).await;
    let mut asker = Asker { enough: 3, ..validated_by(&validator) };
    asker.policy.timeout.total = Duration::from_secs(30);
    let outcome = asker.ask(&relay.url(), orders(20, 4), home.path()).await;
    assert_eq!(verdicts(&outcome).0, 0);
    assert_eq!(warned(&outcome), 1, "code knows what the validator rejected");
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}

/// Writes nothing: no verdict can rest on that, and its own check says so.
fn mute(_: &str) -> String {
    String::new()
}

/// A provider that asks a sat for a job.
async fn priced(name: &str, url: &RelayUrl) -> ProviderHandle {
    let config =
        ProviderConfig { name: name.to_owned(), price_msats_per_1k: 10, ..ProviderConfig::default() };
    let model = engine(copy, QUICK);
    Provider::start(config, Keys::generate(), std::slice::from_ref(url), model).await.unwrap()
}

/// The answers without a verdict: whose attempt, by whom, and whether it is paid.
fn unjudged(outcome: &Outcome) -> Vec<((SubtaskId, AttemptId), String, bool)> {
    let all = outcome.trace.iter().filter_map(|record| match &record.event {
        TraceEvent::NoVerdict { subtask, attempt, provider, paid, .. } => {
            Some(((*subtask, *attempt), provider.clone(), *paid))
        }
        _ => None,
    });
    all.collect()
}

/// seeds/verifier-block.md, "Fitness-Driven Evolution": who is right or wrong is what counts, and of these nobody said
/// either.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_validators_verdict_the_provider_is_paid_and_its_record_stays() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let providers = [priced("a", &relay.url()).await, priced("b", &relay.url()).await];
    let validator = provider("validator", &relay.url(), engine(mute, QUICK)).await;
    let store = ReputationStore::at(home.path().join("reputation.db"));
    let keys = Keys::generate();
    let run = keys.public_key().to_hex();
    let asker = Asker { keys, enough: 2, memory: Some(store.clone()), ..validated_by(&validator) };
    let limit = Sats(asker.policy.budget.0);
    let outcome = asker.ask(&relay.url(), orders(40, 1), home.path()).await;

    let unjudged = unjudged(&outcome);
    assert!(unjudged.len() >= 3 && unjudged.iter().all(|(_, _, paid)| *paid), "{unjudged:?}");
    for record in &outcome.trace {
        let mine = |subtask: &SubtaskId, attempt: &AttemptId| {
            unjudged.iter().any(|(whose, _, _)| *whose == (*subtask, *attempt))
        };
        match &record.event {
            TraceEvent::SubQueryReturn { subtask, attempt, ok, .. } if mine(subtask, attempt) => {
                assert!(*ok, "its provider did not fail: {:?}", record.event);
            }
            TraceEvent::BudgetSettle { subtask, attempt, spent_sats, .. } => {
                assert_eq!(*spent_sats, u64::from(mine(subtask, attempt)), "{:?}", record.event);
            }
            TraceEvent::SubQueryTimeout { .. } => panic!("nobody was slow: {:?}", record.event),
            _ => {}
        }
    }
    // What stands in the ledger is what was paid, and within the limit.
    let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
    let budget = ledger.budget(run.as_str()).await.unwrap();
    assert_eq!((budget.spent, budget.reserved), (Sats(unjudged.len() as u64), Sats::ZERO), "{budget:?}");
    assert_eq!(budget.spent.saturating_add(budget.available), limit, "{budget:?}");
    // Nothing is kept of it: neither is less believed, and neither is out.
    let known = store.load(0).unwrap();
    for provider in &providers {
        let member = known.member(&provider.public_key().to_hex());
        assert!(member.is_none_or(|member| known.answers(member) == 0 && !known.is_out(member)));
    }
    // Whose answers nobody judges is not asked for ever more of them, and a person is told why.
    let stopped = outcome.count(|event| {
        matches!(event, TraceEvent::Notice { says, .. } if says.contains("not asked again in this run"))
    });
    assert_eq!(stopped, 2);
    let error = outcome.result.unwrap_err();
    assert_eq!(error.exit_code(), 5);
    let words = error.to_string();
    assert!(
        words.contains("there was no verdict about the answers") && words.contains("--verify adaptive"),
        "{words}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_that_a_validator_takes_is_not_its_providers() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let honest = priced("honest", &relay.url()).await;
    let validator = provider("validator", &relay.url(), engine(copy, Duration::from_mins(10))).await;
    let store = ReputationStore::at(home.path().join("reputation.db"));
    let mut asker = Asker { memory: Some(store.clone()), ..validated_by(&validator) };
    asker.policy.timeout.per_query = Duration::from_secs(4);
    let outcome = asker.ask(&relay.url(), orders(2, 1), home.path()).await;
    let unjudged = unjudged(&outcome);
    let key = honest.public_key().to_hex();
    assert_eq!(unjudged.len(), 2, "one for each line: {unjudged:?}");
    assert!(unjudged.iter().all(|(_, provider, paid)| *provider == key && *paid), "{unjudged:?}");
    assert_eq!(outcome.count(|event| matches!(event, TraceEvent::SubQueryTimeout { .. })), 0);
    let known = store.load(0).unwrap();
    assert!(known.member(&key).is_none_or(|member| !known.is_out(member)));
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_validator_a_run_does_not_begin() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let mut asker = Asker { discovery: Duration::from_secs(2), ..Asker::default() };
    let nobody = Keys::generate().public_key().to_hex();
    asker.policy.verification = VerificationPolicy::Validated { validator: nobody };
    let outcome = asker.ask(&relay.url(), orders(20, 4), home.path()).await;
    let sent = outcome.count(|event| matches!(event, TraceEvent::SubQuerySubmit { .. }));
    let error = outcome.result.unwrap_err();
    assert_eq!((error.exit_code(), sent), (4, 0));
    let words = error.to_string();
    assert!(words.contains("the validator") && words.contains("frlm provide"), "{words}");
}
