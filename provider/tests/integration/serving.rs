//! Jobs in, results out.

use frlm_inference::ModelError;
use frlm_protocol::{
    Audience, FeedbackStatus, JobRequest, Mode, OutputConstraint, RefusalReason, Validate, kinds,
};
use frlm_provider::ProviderEvent;
use nostr::{EventBuilder, EventId, Keys, Tag, Timestamp};
use serde_json::json;

use crate::engine::{GatedModel, NEVER};
use crate::world::{Asker, Reply, World, request, start, texts};

/// seeds/verifier-block.md, "Tier 1", "Self-confidence assessment": an answer says how sure its model was of its words.
#[tokio::test]
async fn a_directed_job_is_answered_encrypted() {
    let model = GatedModel::open();
    let mut world = World::with(&model, |config| config.word_after = NEVER).await;
    let mut asker = world.asker().await;
    let job = asker.ask(&request("copy the status", &["order 4001 shipped"])).await;

    let Reply::Result(result, event) = asker.reply(&job).await else {
        panic!("a quick answer needs no word before it")
    };
    assert_eq!(texts(&result), ["re: order 4001 shipped"]);
    assert_eq!((result.prompt_tokens, result.completion_tokens, result.amount_msats), (7, 3, None));
    assert_eq!(result.model.unwrap().name, "gated");
    assert!((result.answers[0].confidence.unwrap() - (-0.5_f64).exp()).abs() < 1e-6);
    assert!(!event.content.contains("shipped") && !job.content.contains("shipped"));
    assert_eq!(event.pubkey, world.key());
    assert_eq!(model.prompts(), ["copy the status\norder 4001 shipped"]);

    let finished = world.event("finished", |e| matches!(e, ProviderEvent::Finished { .. })).await;
    assert!(matches!(finished, ProviderEvent::Finished { job: id, tokens: 10, .. } if id == job.id));
    world.event("delivered", |e| matches!(e, ProviderEvent::Delivered { .. })).await;
    let stats = world.provider.stats();
    assert_eq!((stats.received, stats.finished, stats.running, stats.relays_online), (1, 1, 0, 1));
}

#[tokio::test]
async fn a_job_that_takes_longer_is_told_once_how_it_stands_running_or_waiting() {
    let model = GatedModel::closed();
    let world = World::new(&model).await;
    let (mut first, mut second) = (world.asker().await, world.asker().await);
    let (running, waiting) =
        (first.ask(&request("copy", &["a"])).await, second.ask(&request("copy", &["b"])).await);
    let at_work = first.feedback(&running, FeedbackStatus::Processing).await;
    assert_eq!(at_work.detail, None);
    let told = second.feedback(&waiting, FeedbackStatus::Processing).await;
    assert!(told.detail.unwrap().contains("waits for its turn"));
    model.let_pass(2);
    for (asker, job) in [(&mut first, &running), (&mut second, &waiting)] {
        assert!(matches!(asker.reply(job).await, Reply::Result(..)), "the result is the next word");
    }
}

#[tokio::test]
async fn each_input_gets_its_answer_in_order() {
    let model = GatedModel::open().concurrency(4).holding("record 0");
    let world = World::new(&model).await;
    let mut asker = world.asker().await;
    let inputs: Vec<String> = (0..40).map(|n| format!("record {n}")).collect();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let mut each = request("copy", &inputs);
    each.mode = Mode::Each;
    let job = asker.ask(&each).await;
    // A slow first answer keeps none of the others waiting, and still stands first.
    model.until_answered(39).await;
    model.release_held();
    let result = asker.result(&job).await;
    let expected: Vec<String> = inputs.iter().map(|input| format!("re: {input}")).collect();
    assert_eq!(texts(&result), expected);
    assert_eq!(result.prompt_tokens, 40 * 7);
}

#[tokio::test]
async fn prompts_go_to_the_engine_in_handfuls_that_leave_every_slot_its_share() {
    for (inputs, handfuls) in [(40, vec![8, 8, 8, 8, 8]), (18, vec![5, 5, 5, 3]), (3, vec![])] {
        let model = GatedModel::open().concurrency(4).preferring(8);
        let world = World::new(&model).await;
        let mut asker = world.asker().await;
        let inputs: Vec<String> = (0..inputs).map(|n| format!("record {n}")).collect();
        let mut each = request("copy", &inputs.iter().map(String::as_str).collect::<Vec<_>>());
        each.mode = Mode::Each;
        let job = asker.ask(&each).await;
        let result = asker.result(&job).await;
        let expected: Vec<String> = inputs.iter().map(|input| format!("re: {input}")).collect();
        assert_eq!(texts(&result), expected);
        assert_eq!(model.handfuls(), handfuls);
    }
}

#[tokio::test]
async fn a_job_with_many_inputs_uses_every_slot_and_no_more() {
    let model = GatedModel::closed().concurrency(3);
    let world = World::new(&model).await;
    let asker = world.asker().await;
    let mut each = request("copy", &["a", "b", "c", "d", "e", "f"]);
    each.mode = Mode::Each;
    asker.ask(&each).await;
    asker.ask(&each).await;
    model.until_running(3).await;
    world.until_stats("both jobs run", |stats| stats.running == 2).await;
    assert_eq!(model.prompts().len(), 3);
}

/// seeds/verifier-block.md, "Tier 1": all tasks are checked before their answers are sent.
#[tokio::test]
async fn a_json_answer_is_freed_from_its_fence_and_checked() {
    let model = GatedModel::open().answering(|prompt| {
        Ok(if prompt.contains("good") { "```json\n{\"users\":[\"a\"]}\n```" } else { "{\"users\":[" }
            .to_owned())
    });
    let world = World::new(&model).await;
    let mut asker = world.asker().await;
    let mut constrained = request("list users", &["good"]);
    let schema =
        json!({ "type": "object", "properties": { "users": { "type": "array" } }, "required": ["users"] });
    constrained.constraint = Some(OutputConstraint::JsonSchema(schema));
    let good = asker.ask(&constrained).await;
    assert_eq!(texts(&asker.result(&good).await), ["{\"users\":[\"a\"]}"]);

    constrained.inputs[0].data = "bad".to_owned();
    let bad = asker.ask(&constrained).await;
    assert_eq!(asker.refusal(&bad).await, RefusalReason::SelfCheckFailed);
}

#[tokio::test]
async fn a_failing_or_panicking_engine_costs_one_job() {
    let model = GatedModel::open().answering(|prompt| match prompt {
        "fail" => Err(ModelError::Failed("out of memory at 10.0.0.7".to_owned())),
        "panic" => panic!("the engine's own bug"),
        _ => Ok("fine".to_owned()),
    });
    let world = World::new(&model).await;
    let mut asker = world.asker().await;
    for prompt in ["fail", "panic"] {
        let job = asker.ask(&request("", &[prompt])).await;
        let feedback = asker.feedback(&job, FeedbackStatus::Error).await;
        assert_eq!(feedback.reason, Some(RefusalReason::EngineFailed));
        assert!(!feedback.detail.unwrap().contains("10.0.0.7"));
    }
    let job = asker.ask(&request("", &["work"])).await;
    assert_eq!(texts(&asker.result(&job).await), ["fine"]);
}

#[tokio::test]
async fn a_foreign_clients_plain_job_gets_a_plain_answer() {
    let world = World::new(&GatedModel::open()).await;
    let mut asker = world.asker().await;
    let job = EventBuilder::new(kinds::JOB_REQUEST, "")
        .tags([
            Tag::parse(["i", "who wrote it?", "text"]).unwrap(),
            Tag::parse(["relays", "wss://a.example", "wss://b.example"]).unwrap(),
            Tag::parse(["param", "top-k", "40"]).unwrap(),
            Tag::public_key(world.key()),
        ])
        .sign_with_keys(&asker.keys)
        .unwrap();
    asker.publish(&job).await;
    let (result, event) = asker.result_event(&job).await;
    assert_eq!(texts(&result), ["re: who wrote it?"]);
    assert_eq!(event.content, "re: who wrote it?");
}

#[tokio::test]
async fn an_open_job_is_served_where_they_are_welcome_and_answered_encrypted() {
    let world = World::with(&GatedModel::open(), |config| config.accept_open_jobs = true).await;
    let mut asker = world.asker().await;
    let elsewhere = Audience::Directed(Keys::generate().public_key());
    asker.ask_as(&request("copy", &["not for us"]), elsewhere).await;
    let job = asker.ask_as(&request("copy", &["for anyone"]), Audience::Open).await;
    let (result, event) = asker.result_event(&job).await;
    assert_eq!(texts(&result), ["re: for anyone"]);
    assert!(!event.content.contains("for anyone"));
    assert_eq!(world.provider.stats().received, 1);
}

#[tokio::test]
async fn the_price_is_asked_and_never_exceeds_the_bid() {
    let world = World::with(&GatedModel::open(), |config| config.price_msats_per_1k = 250_000).await;
    let mut asker = world.asker().await;
    let mut paid = request("copy", &["a"]);
    paid.bid_msats = Some(100_000);
    let job = asker.ask(&paid).await;
    // 10 tokens at 250 sats per 1,000 are 2.5 sats.
    assert_eq!(asker.result(&job).await.amount_msats, Some(3000));
}

#[tokio::test]
async fn a_restarted_provider_does_not_work_twice() {
    let model = GatedModel::open();
    let world = World::new(&model).await;
    let mut asker = world.asker().await;
    let job = asker.ask(&request("copy", &["once"])).await;
    let (_, first) = asker.result_event(&job).await;
    world.provider.shutdown().graceful.cancel();
    crate::world::patiently("the stop", world.provider.stopped()).await;

    let again = GatedModel::open();
    let provider = start(&world.relay.url(), &world.keys, &again).await;
    // The relay shows the old job to the new provider before this one.
    let mut other = Asker::connect(&world.relay.url(), provider.public_key()).await;
    let fresh = other.ask(&request("copy", &["new"])).await;
    other.result(&fresh).await;
    assert_eq!(again.prompts(), ["copy\nnew"]);
    assert!(first.created_at <= Timestamp::now());
}

#[tokio::test]
async fn a_validators_usage_includes_its_comparison_and_its_own_answer() {
    let ruled =
        |prompt: &str| if prompt.contains("SHOWN") { "{\"similarity\": 0.95}" } else { "the cat sat here" };
    let model = GatedModel::open().answering(move |prompt| Ok(ruled(prompt).to_owned()));
    let world = World::new(&model).await;
    let mut asker = world.asker().await;
    let answers = vec!["SHOWN a dog lay under the table".to_owned()];
    let validate = Some(Validate { result: EventId::all_zeros(), answers });
    let validation = asker.ask(&JobRequest { validate, ..request("sum up", &["a text"]) }).await;
    let result = asker.result(&validation).await;
    assert_eq!(result.attestation.unwrap().confirmed, 1);
    // Seven read and three written each time: its own answer, and the comparison in both orders.
    assert_eq!((result.prompt_tokens, result.completion_tokens), (3 * 7, 3 * 3));
}

#[tokio::test]
async fn a_validators_comparison_takes_an_engine_slot_like_any_other_work() {
    let words = "the cat sat on the mat by the door";
    let model = GatedModel::open().concurrency(2).holding("SHOWN").answering(move |_| Ok(words.to_owned()));
    let world = World::new(&model).await;
    let mut asker = world.asker().await;
    let answers = vec!["SHOWN a dog lay under the table".to_owned()];
    let validate = Some(Validate { result: EventId::all_zeros(), answers });
    let validation = asker.ask(&JobRequest { validate, ..request("sum up", &["a text"]) }).await;
    model.until_answered(1).await;
    let mut two = request("copy", &["SHOWN one", "SHOWN two"]);
    two.mode = Mode::Each;
    let copies = asker.ask(&two).await;
    model.until_running(2).await;
    model.release_held();
    let attestation = asker.result(&validation).await.attestation.unwrap();
    assert_eq!((attestation.confirmed, attestation.shown), (0, 1));
    assert_eq!(texts(&asker.result(&copies).await), [words, words]);
    assert_eq!(model.most_running(), 2);
}
