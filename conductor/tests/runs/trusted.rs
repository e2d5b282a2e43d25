//! Claims over a real relay where the user trusts somebody: their own model, or the validator that they named.

use std::sync::Arc;
use std::time::Duration;

use crate::claims::{Behaviour, QUESTION, answer, claims, lease, lies_in, model};
use crate::common::{Asker, Outcome, provider, relay};
use frlm_conductor::swarm::LOCAL_PROVIDER;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::consensus::exam;
use frlm_verifier::request::VerificationLevel;
use serde_json::json;

/// A model of the user's that passes its examination as a reviewer, and then reviews like this.
fn own(behaviour: Behaviour) -> Arc<dyn LanguageModel> {
    let says = move |prompt: &str| {
        let known = |claim: &str| exam::REVIEWED.iter().find(|(text, ..)| claim.contains(text));
        let shown: Vec<&str> = prompt.lines().filter(|line| line.starts_with("Claim ")).collect();
        if !prompt.starts_with("You check claims") || shown.iter().any(|claim| known(claim).is_none()) {
            return answer(behaviour, prompt);
        }
        let verdict = |claim: &&str| match known(claim) {
            Some((_, _, true)) => "supported",
            _ => "not_stated",
        };
        json!({ "verdicts": shown.iter().map(verdict).collect::<Vec<_>>() }).to_string()
    };
    let model = ScriptedModel::new("own", says);
    Arc::new(model.with_latency(Duration::from_millis(1)).with_dialect(Dialect::Json))
}

/// How a run is asked.
struct Asked {
    policy: VerificationPolicy,
    level: VerificationLevel,
    own: Option<Arc<dyn LanguageModel>>,
}

impl Default for Asked {
    fn default() -> Self {
        Self { policy: VerificationPolicy::DEFAULT, level: VerificationLevel::Standard, own: None }
    }
}

async fn ask(how: Asked, swarm: &[(&str, Behaviour)]) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let mut providers = Vec::new();
    for (name, behaviour) in swarm {
        providers.push(provider(name, &relay.url(), model(name, *behaviour)).await);
    }
    let Asked { policy, level, own } = how;
    let mut asker = Asker { question: QUESTION, enough: swarm.len(), ..Asker::default() };
    (asker.own, asker.judge) = (own.clone(), own);
    (asker.policy.verification, asker.policy.level) = (policy, level);
    asker.discovery = Duration::from_secs(1);
    asker.newcomers = Duration::from_millis(500);
    asker.skips_compiling = true;
    asker.ask(&relay.url(), lease(), home.path()).await
}

/// Jobs of somebody.
fn jobs_of(outcome: &Outcome, who: &str) -> usize {
    outcome.count(|event| matches!(event, TraceEvent::SubQuerySubmit { provider, .. } if provider == who))
}

fn says(outcome: &Outcome, words: &str) -> usize {
    outcome.count(|event| matches!(event, TraceEvent::Notice { says, .. } if says.contains(words)))
}

#[tokio::test(flavor = "multi_thread")]
async fn under_redundancy_the_users_own_model_is_one_more_reviewer() {
    let policy = VerificationPolicy::TWO_OF_THREE;
    let asked = Asked { policy: policy.clone(), own: Some(own(Behaviour::Honest)), ..Asked::default() };
    let outcome = ask(asked, &[("alpha", Behaviour::Brief)]).await;
    assert!(jobs_of(&outcome, LOCAL_PROVIDER) > 0);
    assert_eq!(outcome.count(|event| matches!(event, TraceEvent::ComparedInWords { .. })), 0, "claims are");
    let answer = outcome.result.unwrap();
    let report = claims(&answer);
    assert!(report.accepted > 0 && report.accepted == report.stated && report.own == 0, "{report:?}");
    // Where others are enough it is not asked.
    let asked = Asked { policy, own: Some(own(Behaviour::Contrary)), ..Asked::default() };
    let outcome = ask(asked, &[("alpha", Behaviour::Honest), ("beta", Behaviour::Brief)]).await;
    assert_eq!(jobs_of(&outcome, LOCAL_PROVIDER), 0);
    assert!(outcome.result.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_users_own_model_reviews_what_nobody_else_can() {
    let asked = Asked { own: Some(own(Behaviour::Honest)), ..Asked::default() };
    let answer = ask(asked, &[("alpha", Behaviour::Honest)]).await.result.unwrap();
    let report = claims(&answer);
    assert_eq!((report.accepted, report.not_reviewed), (4, 0), "{report:?}");
    let asked = Asked { own: Some(own(Behaviour::Honest)), ..Asked::default() };
    if let Ok(answer) = ask(asked, &[("zeta", Behaviour::Liar)]).await.result {
        assert_eq!(lies_in(&answer.answer), 0, "{}", answer.answer);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_its_examination_reviews_nothing_and_is_named() {
    let stamp = Some(model("own", Behaviour::Honest));
    let outcome = ask(Asked { own: stamp, ..Asked::default() }, &[("alpha", Behaviour::Honest)]).await;
    assert_eq!(says(&outcome, "your own model reviews no claims: it supported 4 claims"), 1);
    assert_eq!(jobs_of(&outcome, LOCAL_PROVIDER), 0);
    let report = claims(&outcome.result.unwrap());
    assert_eq!((report.accepted, report.not_reviewed), (0, 4), "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_the_level_high_nothing_stands_that_the_users_model_rejects() {
    // One more liar supports whatever the other one states.
    let liars = [("eta", Behaviour::Liar), ("zeta", Behaviour::Liar)];
    let own = || Some(own(Behaviour::Honest));
    let believed = ask(Asked { own: own(), ..Asked::default() }, &liars).await.result.unwrap();
    assert!(lies_in(&believed.answer) > 0, "{}", believed.answer);
    let outcome = ask(Asked { level: VerificationLevel::High, own: own(), ..Asked::default() }, &liars).await;
    assert!(jobs_of(&outcome, LOCAL_PROVIDER) > 0);
    if let Ok(answer) = &outcome.result {
        assert_eq!(lies_in(&answer.answer), 0, "{}", answer.answer);
    }
    let honest = [("alpha", Behaviour::Honest), ("beta", Behaviour::Brief)];
    let outcome =
        ask(Asked { level: VerificationLevel::High, own: own(), ..Asked::default() }, &honest).await;
    let report = claims(&outcome.result.unwrap());
    assert_eq!(report.accepted, report.stated, "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_the_level_critical_two_review_each_claim_and_two_read_each_part() {
    let level = VerificationLevel::Critical;
    let swarm = [("alpha", Behaviour::Honest), ("beta", Behaviour::Honest), ("gamma", Behaviour::Honest)];
    let answer = ask(Asked { level, ..Asked::default() }, &swarm).await.result.unwrap();
    let report = claims(&answer);
    assert!(report.accepted == 4 && report.reviews >= 8, "{report:?}");
    assert_eq!(answer.completeness.unwrap().parts, 2);
    // With one reviewer alone nothing is used, and what was done is paid.
    let outcome = ask(Asked { level, ..Asked::default() }, &swarm[..2]).await;
    let unjudged = outcome.count(|event| matches!(event, TraceEvent::NoVerdict { paid: true, .. }));
    assert!(unjudged > 0);
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}

/// A run with a validator, of which nobody else knows.
async fn ask_validated(validator: Arc<dyn LanguageModel>, swarm: &[(&str, Behaviour)]) -> (Outcome, String) {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let validator = provider("validator", &relay.url(), validator).await;
    let key = validator.public_key().to_hex();
    let mut providers = Vec::new();
    for (name, behaviour) in swarm {
        providers.push(provider(name, &relay.url(), model(name, *behaviour)).await);
    }
    let mut asker = Asker { question: QUESTION, enough: swarm.len(), ..Asker::default() };
    asker.policy.verification = VerificationPolicy::Validated { validator: key.clone() };
    asker.policy.timeout.total = Duration::from_secs(40);
    asker.skips_compiling = true;
    (asker.ask(&relay.url(), lease(), home.path()).await, key)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_validator_reviews_each_claim_and_nobody_else_does() {
    let swarm = [("alpha", Behaviour::Honest), ("beta", Behaviour::Liar)];
    let (outcome, key) = ask_validated(model("validator", Behaviour::Honest), &swarm).await;
    let asked = outcome.trace.iter().filter_map(|record| match &record.event {
        TraceEvent::SubQuerySubmit { subtask, provider, .. } => Some((*subtask, *provider == key)),
        _ => None,
    });
    let reviews: Vec<_> =
        asked.clone().filter(|(_, is_validators)| *is_validators).map(|(id, _)| id).collect();
    assert!(!reviews.is_empty());
    assert!(asked.clone().all(|(id, is_validators)| is_validators || !reviews.contains(&id)));
    assert_eq!(outcome.count(|event| matches!(event, TraceEvent::Attested { .. })), 0);
    let answer = outcome.result.unwrap();
    let report = claims(&answer);
    assert_eq!(lies_in(&answer.answer), 0, "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9, "{answer:#?}");
    let seen = report.reviews + report.fell_to_code;
    assert!(report.accepted == 4 && seen >= report.stated && report.gold == 0, "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_of_which_the_validator_says_nothing_are_paid_and_not_used() {
    let mute = ScriptedModel::new("validator", |_: &str| "well".to_owned()).with_dialect(Dialect::Json);
    let (outcome, _) = ask_validated(Arc::new(mute), &[("alpha", Behaviour::Honest)]).await;
    let unjudged = outcome.count(|event| matches!(event, TraceEvent::NoVerdict { paid: true, .. }));
    assert!(unjudged > 0);
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}
