//! Runs under the adaptive policy over a real relay: trust is earned, remembered and lost.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use frlm_questions::stage::RunStage;

use crate::common::{Asker, Outcome, QUESTION, copy, engine, lie, orders, provider, relay, remembered};
use frlm_conductor::trace::{PosteriorStep, TraceEvent};
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::fitness::STARTING_FITNESS;
use frlm_verifier::request::VerificationLevel;
use frlm_verifier::sampling::SampledBecause;
use frlm_verifier::trust::{AskReason, ReputationStore};
use frlm_wallet::{Key, Ledger};
use nostr::{Keys, RelayUrl};

const QUICK: Duration = Duration::from_millis(1);

fn adaptive(home: &Path) -> Asker {
    let mut asker =
        Asker { memory: Some(ReputationStore::at(home.join("reputation.db"))), ..Asker::default() };
    asker.policy.verification = VerificationPolicy::DEFAULT;
    asker
}

fn sent(outcome: &Outcome) -> usize {
    outcome.count(|event| matches!(event, TraceEvent::SubQuerySubmit { .. }))
}

fn decided(outcome: &Outcome, words: &str) -> usize {
    outcome.count(|event| {
        matches!(event, TraceEvent::Notice { stage, says } if *stage == RunStage::Verify && says.contains(words))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_that_one_run_earned_saves_the_next_one_replicas() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let first = adaptive(home.path()).ask(&relay.url(), orders(160, 4), home.path()).await;
    assert_eq!(decided(&first, "none of 2 providers has a record"), 1);
    let second = adaptive(home.path()).ask(&relay.url(), orders(160, 4), home.path()).await;
    assert_eq!(decided(&second, "2 of 2 providers have a record"), 1);
    let doubted = |outcome: &Outcome| {
        outcome.count(|event| {
            matches!(event, TraceEvent::Posterior { step: PosteriorStep::Accept, fidelity, .. } if *fidelity < 0.99)
        })
    };
    let by_two = first.count(
        |event| matches!(event, TraceEvent::Verify { passed: true, agreeing, .. } if agreeing.len() == 2),
    );
    assert!(by_two > 0, "the first answers rest on the agreement of two unknown providers");
    assert_eq!(doubted(&second), 0);
    // Redundancy would have taken 80; what is beyond 40 are spot checks.
    assert!(sent(&second) < 64, "{} answers for 40 subtasks", sent(&second));
    let alone = second.count(|event| {
        matches!(event, TraceEvent::Posterior { step: PosteriorStep::Accept, fidelity, correctness, .. }
            if *fidelity >= 0.99 && correctness <= fidelity)
    });
    assert_eq!(alone, 40);
    let checks = second.count(|event| {
        matches!(event, TraceEvent::Posterior { step: PosteriorStep::Ask(AskReason::SpotCheck(_)), .. })
    });
    let answer = second.result.unwrap();
    assert!(answer.answer.starts_with("32 "), "{}", answer.answer);
    assert_eq!((answer.verification.policy.as_str(), answer.verification.spot_checks), ("adaptive", checks));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recheck_that_is_certain_is_asked_for_at_once() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let slow = Duration::from_millis(200);
    let _a = provider("a", &relay.url(), engine(copy, slow)).await;
    let _b = provider("b", &relay.url(), engine(copy, slow)).await;
    adaptive(home.path()).ask(&relay.url(), orders(160, 16), home.path()).await;
    let mut critical = adaptive(home.path());
    critical.policy.level = VerificationLevel::Critical;
    let second = critical.ask(&relay.url(), orders(16, 16), home.path()).await;
    let steps = second.trace.iter().filter_map(|record| match record.event {
        TraceEvent::SubQuerySubmit { .. } => Some("asked"),
        TraceEvent::SubQueryReturn { ok: true, .. } => Some("answered"),
        TraceEvent::Posterior { step: PosteriorStep::Ask(AskReason::SpotCheck(why)), .. } => {
            assert_eq!(why, SampledBecause::HighStakes);
            Some("rechecked")
        }
        _ => None,
    });
    assert_eq!(steps.collect::<Vec<_>>(), ["asked", "asked", "answered", "rechecked", "answered"]);
    assert!(second.result.unwrap().answer.starts_with("3 "));
}

/// A provider that asks a sat for a job.
async fn for_a_sat(keys: Keys, url: &RelayUrl, model: Arc<dyn LanguageModel>) -> ProviderHandle {
    let config = ProviderConfig { price_msats_per_1k: 10, ..ProviderConfig::default() };
    Provider::start(config, keys, std::slice::from_ref(url), model).await.unwrap()
}

/// A run at the critical level, where each answer is rechecked, that waits for two providers. The first has a record: it agreed with many
/// others.
fn critical(first: &Keys, home: &Path) -> Asker {
    for _ in 0..10 {
        remembered(home, &[first, &Keys::generate()].map(|keys| keys.public_key().to_hex()), 40);
    }
    let mut asker = Asker { enough: 2, ..adaptive(home) };
    asker.policy.level = VerificationLevel::Critical;
    asker
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_believed_stands_where_its_recheck_brings_none() {
    let (relay, home, first) = (relay().await, tempfile::tempdir().unwrap(), Keys::generate());
    let asker = critical(&first, home.path());
    let _first = for_a_sat(first, &relay.url(), engine(copy, QUICK)).await;
    let nonsense = engine(|_| String::new(), Duration::from_millis(200));
    let _second = for_a_sat(Keys::generate(), &relay.url(), nonsense).await;
    let outcome = asker.ask(&relay.url(), orders(16, 16), home.path()).await;
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("3 ") && answer.budget.spent_sats == 1, "{answer:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recheck_that_cannot_be_paid_costs_no_answer() {
    let (relay, home, first) = (relay().await, tempfile::tempdir().unwrap(), Keys::generate());
    let asker = critical(&first, home.path());
    let run = asker.keys.public_key().to_hex();
    let slow = || engine(copy, Duration::from_millis(200));
    let _first = for_a_sat(first, &relay.url(), slow()).await;
    let mut going = asker.start(&relay.url(), orders(16, 16), home.path()).await;
    going.until(|event| matches!(event, TraceEvent::SubQuerySubmit { .. })).await;
    // Something else takes what is left of the cap, as fees or disputes do.
    let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
    let left = ledger.budget(run.as_str()).await.unwrap().available;
    let taken = ledger.reserve(Key::new(run.as_str(), 900, 0), left).await.unwrap();
    let _second = for_a_sat(Keys::generate(), &relay.url(), slow()).await;
    let outcome = going.end().await;
    drop(taken);
    let told = |wanted: fn(&TraceEvent) -> bool| outcome.count(wanted);
    assert_eq!(told(|event| matches!(event, TraceEvent::SubQuerySubmit { .. })), 1);
    assert_eq!(told(|event| matches!(event, TraceEvent::SubQueryCancel { .. })), 0);
    assert!(outcome.result.unwrap().answer.starts_with("3 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_as_sure_as_code_is_of_what_the_question_means() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let sure = || -> Arc<dyn LanguageModel> {
        let model = ScriptedModel::new("scripted", copy).with_latency(QUICK).with_dialect(Dialect::Records);
        Arc::new(model.with_logprob(-0.001))
    };
    let _a = provider("a", &relay.url(), sure()).await;
    let _b = provider("b", &relay.url(), sure()).await;
    let ask = async |question: &'static str, is_unsure: bool| {
        let asker = Asker { question, is_unsure, ..adaptive(home.path()) };
        let outcome = asker.ask(&relay.url(), orders(40, 4), home.path()).await;
        let is_said = outcome.count(|event| {
            matches!(event, TraceEvent::Notice { says, .. } if says.contains("not sure that the question is meant"))
        });
        let answer = outcome.result.unwrap();
        (answer.answer, answer.confidence, is_said)
    };
    for question in [QUESTION, "How many orders have status failed, and how many orders have status shipped?"]
    {
        let (text, confidence, is_said) = ask(question, false).await;
        assert!(confidence > 0.9 && is_said == 0, "{confidence}");
        let (same, confidence, is_said) = ask(question, true).await;
        assert!(same == text && (confidence - 0.75).abs() < 1e-9 && is_said == 1, "{confidence}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_liar_is_out_for_this_run_and_the_next() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let honest = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let key = liar.public_key().to_hex();
    let three = || Asker { discovery: Duration::from_secs(3), enough: 3, ..adaptive(home.path()) };
    let first = three().ask(&relay.url(), orders(200, 5), home.path()).await;
    assert_eq!(decided(&first, "is not asked any more"), 1);
    let second = three().ask(&relay.url(), orders(200, 5), home.path()).await;
    let asked = second
        .count(|event| matches!(event, TraceEvent::SubQuerySubmit { provider, .. } if *provider == key));
    assert_eq!(asked, 0);
    for outcome in [first, second] {
        for record in &outcome.trace {
            if let TraceEvent::Verify { passed: true, agreeing, .. } = &record.event {
                assert!(!agreeing.contains(&key), "a lie was accepted");
            }
        }
        assert!(outcome.result.unwrap().answer.starts_with("40 "));
    }
    let known = ReputationStore::at(home.path().join("reputation.db")).load(0).unwrap();
    let score = |key: &str| known.score(known.member(key).unwrap());
    let (liar, honest) = (score(&key), score(&honest.public_key().to_hex()));
    assert!(liar.fitness < STARTING_FITNESS && honest.fitness > STARTING_FITNESS, "{liar:?} {honest:?}");
    assert!(honest.credits > liar.credits, "{liar:?} {honest:?}");
}

/// Copies, but lies in every `each`th prompt from its so manieth on.
fn sleeper(lies_from: &Arc<AtomicUsize>, prompts: &Arc<AtomicUsize>, each: usize) -> Arc<dyn LanguageModel> {
    let (lies_from, prompts) = (Arc::clone(lies_from), Arc::clone(prompts));
    let answer = move |prompt: &str| {
        let number = prompts.fetch_add(1, Ordering::SeqCst);
        let lies = number >= lies_from.load(Ordering::SeqCst) && number.is_multiple_of(each);
        if lies { lie(prompt) } else { copy(prompt) }
    };
    Arc::new(ScriptedModel::new("scripted", answer).with_latency(QUICK).with_dialect(Dialect::Records))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_which_code_overruled_much_is_looked_at_by_somebody_else() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let (lies_from, prompts) = (Arc::new(AtomicUsize::new(usize::MAX)), Arc::new(AtomicUsize::new(0)));
    let _careless = provider("careless", &relay.url(), sleeper(&lies_from, &prompts, 3)).await;
    let three = || Asker { enough: 3, ..adaptive(home.path()) };
    let first = three().ask(&relay.url(), orders(600, 12), home.path()).await;
    assert!(first.result.unwrap().answer.starts_with("120 "));
    lies_from.store(0, Ordering::SeqCst);
    let second = three().ask(&relay.url(), orders(600, 12), home.path()).await;
    let flagged = AskReason::SpotCheck(SampledBecause::Flagged);
    let looked_at = second.count(|event| {
        matches!(event, TraceEvent::Posterior { step: PosteriorStep::Ask(why), .. } if *why == flagged)
    });
    assert!(looked_at > 0);
    assert!(second.result.unwrap().answer.starts_with("120 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_believed_from_a_sleeper_are_rechecked_once_it_is_contradicted() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let (lies_from, prompts) = (Arc::new(AtomicUsize::new(usize::MAX)), Arc::new(AtomicUsize::new(0)));
    let _sleeper = provider("sleeper", &relay.url(), sleeper(&lies_from, &prompts, 1)).await;
    let three = || Asker { enough: 3, ..adaptive(home.path()) };
    let first = three().ask(&relay.url(), orders(500, 5), home.path()).await;
    assert!(first.result.unwrap().answer.starts_with("100 "));
    // Twenty honest jobs more: some of them are believed alone.
    lies_from.store(prompts.load(Ordering::SeqCst) + 100, Ordering::SeqCst);
    let second = three().ask(&relay.url(), orders(1_000, 5), home.path()).await;
    assert_eq!(decided(&second, "is not asked any more"), 1);
    assert!(decided(&second, "rest on the word of one provider that was contradicted since") > 0);
    let answer = second.result.unwrap();
    assert!(answer.verification.rechecks > 0, "{:?}", answer.verification);
    assert!(answer.answer.starts_with("200 "), "{}", answer.answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_unknown_providers_that_contradict_each_other_are_exit_five() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(lie, QUICK)).await;
    let mut asker = adaptive(home.path());
    asker.policy.timeout.total = Duration::from_secs(30);
    let outcome = asker.ask(&relay.url(), orders(20, 4), home.path()).await;
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_unknown_provider_is_not_believed_and_one_with_a_record_is() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let alone = || Asker {
        discovery: Duration::from_secs(2),
        only: vec![a.public_key().to_hex()],
        ..adaptive(home.path())
    };
    let error = alone().ask(&relay.url(), orders(20, 4), home.path()).await.result.unwrap_err();
    assert_eq!(error.exit_code(), 4);
    let words = error.to_string();
    for part in ["its record alone is not enough", "frlm provide", "--model", "--verify none"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    adaptive(home.path()).ask(&relay.url(), orders(160, 4), home.path()).await.result.unwrap();
    let outcome = alone().ask(&relay.url(), orders(20, 4), home.path()).await;
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("4 "), "{}", answer.answer);
    assert_eq!(answer.verification.replicas, 5, "one answer to each of five subtasks");
}

#[tokio::test(flavor = "multi_thread")]
async fn gold_subtasks_are_drawn_and_a_faulty_provider_gains_nothing_by_them() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let outcome = adaptive(home.path()).ask(&relay.url(), orders(1_000, 5), home.path()).await;
    let answer = outcome.result.unwrap();
    // One in ten of 200 subtasks; a lot that leaves fewer than five is one in ten thousand.
    assert!(answer.verification.gold_tasks >= 5, "{:?}", answer.verification);
    assert_eq!(answer.verification.gold_failed, 0);
    let liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let three = Asker { enough: 3, ..adaptive(home.path()) };
    let outcome = three.ask(&relay.url(), orders(1_000, 5), home.path()).await;
    let key = liar.public_key().to_hex();
    for record in &outcome.trace {
        if let TraceEvent::Verify { passed: true, agreeing, .. } = &record.event {
            assert!(!agreeing.contains(&key), "a lie was accepted");
        }
    }
    assert!(outcome.result.unwrap().answer.starts_with("200 "));
}

/// Copies, but of all records of every third part it says what stands nowhere: as a model does with signs that it never saw.
fn misread(prompt: &str) -> String {
    let number = prompt.split("order=").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    if number.is_some_and(|number| ((number - 1) / 4).is_multiple_of(3)) {
        "exploded\n".to_owned()
    } else {
        copy(prompt)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_can_read_excludes_nobody() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(misread, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(misread, QUICK)).await;
    let _c = provider("c", &relay.url(), engine(misread, QUICK)).await;
    let three = || Asker { enough: 3, ..adaptive(home.path()) };
    let run = three().ask(&relay.url(), orders(160, 4), home.path()).await;
    let failed = |event: &TraceEvent| matches!(event, TraceEvent::SubQueryReturn { ok: false, .. });
    assert!(run.count(failed) > 20, "{} answers fail the checks", run.count(failed));
    assert_eq!(decided(&run, "is not asked any more"), 0);
    // Where others can read them, it speaks against who cannot.
    let _d = provider("d", &relay.url(), engine(copy, QUICK)).await;
    let _e = provider("e", &relay.url(), engine(copy, QUICK)).await;
    let five = Asker { discovery: Duration::from_secs(3), enough: 5, ..adaptive(home.path()) };
    let run = five.ask(&relay.url(), orders(400, 4), home.path()).await;
    assert!(decided(&run, "is not asked any more") > 0);
}
