//! Jobs that are not taken.

use frlm_protocol::{InputSource, Mode, RefusalReason, kinds};
use frlm_provider::ProviderEvent;
use nostr::{EventBuilder, Tag, Timestamp};

use crate::engine::GatedModel;
use crate::world::{World, request, texts};

#[tokio::test]
async fn a_full_queue_answers_busy() {
    let model = GatedModel::closed();
    let world = World::with(&model, |config| config.max_queue = 1).await;
    let mut asker = world.asker().await;
    let running = asker.ask(&request("copy", &["a"])).await;
    model.until_running(1).await;
    let waiting = asker.ask(&request("copy", &["b"])).await;
    world.until_stats("one waits", |stats| stats.queued == 1).await;
    let refused = asker.ask(&request("copy", &["c"])).await;
    assert_eq!(asker.refusal(&refused).await, RefusalReason::Busy);
    model.let_pass(2);
    assert_eq!(texts(&asker.result(&running).await), ["re: a"]);
    assert_eq!(texts(&asker.result(&waiting).await), ["re: b"]);
}

#[tokio::test]
async fn one_asker_cannot_starve_another() {
    let model = GatedModel::closed();
    let world = World::with(&model, |config| config.max_queue = 60).await;
    let (greedy, mut modest) = (world.asker().await, world.asker().await);
    for n in 0..60 {
        greedy.ask(&request("copy", &[&format!("greedy {n}")])).await;
    }
    world.until_stats("sixty jobs", |stats| stats.received == 60).await;
    let job = modest.ask(&request("copy", &["modest"])).await;
    world.until_stats("one more", |stats| stats.received == 61).await;
    // The one that runs, at most one turn of the other, then ours.
    model.let_pass(3);
    assert_eq!(texts(&modest.result(&job).await), ["re: modest"]);
}

#[tokio::test]
async fn unservable_jobs_are_refused_with_their_reason() {
    let world = World::new(&GatedModel::open()).await;
    let mut asker = world.asker().await;

    let large = asker.ask(&request("copy", &[&"word ".repeat(6000)])).await;
    assert_eq!(asker.refusal(&large).await, RefusalReason::TooLarge);

    let mut several = request("copy", &["small", &"word ".repeat(6000)]);
    several.mode = Mode::Each;
    let several = asker.ask(&several).await;
    assert_eq!(asker.refusal(&several).await, RefusalReason::TooLarge);

    let mut other_model = request("copy", &["a"]);
    other_model.model = Some("gpt".to_owned());
    let other_model = asker.ask(&other_model).await;
    assert_eq!(asker.refusal(&other_model).await, RefusalReason::WrongModel);

    let mut address = request("copy", &["http://169.254.169.254/"]);
    address.inputs[0].source = InputSource::Url;
    let address = asker.ask(&address).await;
    assert_eq!(asker.refusal(&address).await, RefusalReason::Unsupported);
}

#[tokio::test]
async fn an_asker_over_its_rate_is_told_so() {
    let world = World::with(&GatedModel::open(), |config| config.jobs_per_minute_per_asker = 1).await;
    let (mut hasty, mut calm) = (world.asker().await, world.asker().await);
    let first = hasty.ask(&request("copy", &["a"])).await;
    hasty.result(&first).await;
    let second = hasty.ask(&request("copy", &["b"])).await;
    assert_eq!(hasty.refusal(&second).await, RefusalReason::RateLimited);
    let other = calm.ask(&request("copy", &["c"])).await;
    calm.result(&other).await;
}

#[tokio::test]
async fn a_job_that_expires_in_the_engine_is_let_go() {
    let model = GatedModel::closed();
    let world = World::new(&model).await;
    let mut asker = world.asker().await;
    let mut short = request("copy", &["a"]);
    short.expires_at = Some(Timestamp::from_secs(Timestamp::now().as_secs() + 2));
    let job = asker.ask(&short).await;
    model.until_running(1).await;
    assert_eq!(asker.refusal(&job).await, RefusalReason::TooLate);
    model.until_running(0).await;
}

#[tokio::test]
async fn garbage_never_stops_the_provider() {
    let mut world = World::new(&GatedModel::open()).await;
    let mut asker = world.asker().await;
    let provider = world.key();
    let tag = |values: &[&str]| Tag::parse(values.iter().copied()).unwrap();
    let table: Vec<(&str, Vec<Tag>)> = vec![
        ("", vec![]),
        ("not base64 at all", vec![tag(&["encrypted"])]),
        ("AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", vec![tag(&["encrypted"])]),
        ("c2VjcmV0?iv=AAAAAAAAAAAAAAAAAAAAAA==", vec![tag(&["encrypted"])]),
        ("", vec![tag(&["i"])]),
        ("", vec![tag(&["frlm", "1"]), tag(&["i", "a"]), tag(&["param", "mode", "sideways"])]),
        ("", vec![tag(&["frlm", "1"]), tag(&["i", "a"]), tag(&["param", "constraint", "{{{"])]),
        ("", vec![tag(&["i", "a"]), tag(&["param", "max_tokens", "0"])]),
        ("", vec![tag(&["i", "a", "url"])]),
        ("", vec![tag(&["i", "a", "event"]), tag(&["param"]), tag(&["params", "{"])]),
    ];
    let count = table.len();
    for (content, tags) in table {
        let event = EventBuilder::new(kinds::JOB_REQUEST, content)
            .tags(tags)
            .tag(Tag::public_key(provider))
            .sign_with_keys(&asker.keys)
            .unwrap();
        asker.publish(&event).await;
    }
    for _ in 0..count {
        let turned_away =
            |e: &ProviderEvent| matches!(e, ProviderEvent::Ignored { .. } | ProviderEvent::Refused { .. });
        world.event("turned away", turned_away).await;
    }
    let odd_deletion = EventBuilder::new(kinds::CANCELLATION, "")
        .tags([tag(&["e", "nonsense"]), tag(&["k", "5050"]), Tag::public_key(provider)])
        .sign_with_keys(&asker.keys)
        .unwrap();
    asker.publish(&odd_deletion).await;

    let job = asker.ask(&request("copy", &["still here"])).await;
    assert_eq!(texts(&asker.result(&job).await), ["re: still here"]);
}
