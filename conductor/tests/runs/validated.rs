//! Runs under the validated policy over a real relay: one provider's signed word decides.

use std::time::Duration;

use crate::common::{Asker, Outcome, copy, engine, lie, orders, provider, relay};
use frlm_conductor::trace::TraceEvent;
use frlm_provider::ProviderHandle;
use frlm_verifier::VerificationPolicy;
use nostr::Keys;

const QUICK: Duration = Duration::from_millis(1);

fn validated_by(validator: &ProviderHandle) -> Asker {
    let mut asker = Asker::default();
    asker.policy.verification = VerificationPolicy::Validated { validator: validator.public_key().to_hex() };
    asker
}

/// (confirmed, turned down)
fn verdicts(outcome: &Outcome) -> (usize, usize) {
    let all = outcome.count(|event| matches!(event, TraceEvent::Attested { .. }));
    let confirmed = outcome
        .count(|event| matches!(event, TraceEvent::Attested { confirmed, shown, .. } if confirmed == shown));
    (confirmed, all - confirmed)
}

/// How often the run says that its validator is wrong too often.
fn warned(outcome: &Outcome) -> usize {
    outcome.count(|event| {
        matches!(event, TraceEvent::Decision { decision, reasoning, .. }
            if decision == "escalate" && reasoning.contains("verdicts about answers that code knows"))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_liar_is_turned_down_by_the_validator_and_only_confirmed_answers_are_accepted() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let honest = provider("honest", &relay.url(), engine(copy, QUICK)).await;
    let liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let validator = provider("validator", &relay.url(), engine(copy, QUICK)).await;
    let asker = Asker { enough: 2, ..validated_by(&validator) };
    let outcome = asker.ask(&relay.url(), orders(80, 4), home.path()).await;
    let (confirmed, turned_down) = verdicts(&outcome);
    assert!(confirmed >= 20, "one for each subtask: {confirmed}");
    assert!(turned_down > 0, "the liar was asked, too");
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
    assert_eq!(warned(&outcome), 1, "code knows what the validator turned down");
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
