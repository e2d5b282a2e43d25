//! Strangers, hogs and relays as they are.

use std::net::SocketAddr;

use frlm_protocol::{Audience, FeedbackStatus, JobRequest, Mode, RefusalReason, kinds};
use frlm_provider::{Provider, ProviderConfig, ProviderEvent, ProviderHandle};
use frlm_relay::{ConnectOptions, EmbeddedRelay, EmbeddedRelayConfig, RelayProfile};
use nostr::{EventBuilder, Keys, Tag, Timestamp};

use crate::engine::GatedModel;
use crate::world::{Asker, World, patiently, quick_options, request, texts};

/// What a client of another kind asks: a prompt, and no word of our profile.
fn foreign(prompt: &str) -> JobRequest {
    JobRequest { expires_at: None, ..JobRequest::over("", [prompt], Mode::Together) }
}

async fn relay(change: impl FnOnce(&mut EmbeddedRelayConfig)) -> EmbeddedRelay {
    let mut config = EmbeddedRelayConfig::at(SocketAddr::from(([127, 0, 0, 1], 0)));
    change(&mut config);
    EmbeddedRelay::start(config).await.unwrap()
}

#[tokio::test]
async fn a_field_copying_model_says_its_limits_and_leaves_open_jobs_alone() {
    let model = GatedModel::open().of_records();
    let mut world = World::with(&model, |config| config.accept_open_jobs = true).await;
    let mut asker = world.asker().await;
    let open = asker.ask_as(&foreign("What is the capital of France?"), Audience::Open).await;
    world
        .event("left alone", |event| matches!(event, ProviderEvent::Refused { job, .. } if *job == open.id))
        .await;
    let directed = asker.ask(&foreign("What is the capital of France?")).await;
    assert_eq!(asker.refusal(&directed).await, RefusalReason::Unsupported);
    assert!(model.prompts().is_empty(), "its engine is not asked");
    // Its own dialect, and yet nothing that it understands.
    let own = asker.ask(&request("copy that, if you can", &["a", "b"])).await;
    assert_eq!(asker.refusal(&own).await, RefusalReason::Unsupported);
    assert_eq!(model.prompts().len(), 1);
    // Whatever else was said by now, nothing was about the open job.
    let last = asker.ask(&foreign("And of Spain?")).await;
    assert_eq!(asker.refusal(&last).await, RefusalReason::Unsupported);
    assert!(!asker.has_heard_of(&open));
}

#[tokio::test]
async fn a_small_job_has_its_turn_between_the_prompts_of_large_ones() {
    let model = GatedModel::closed();
    let world = World::new(&model).await;
    let hogs = [world.asker().await, world.asker().await];
    let many: Vec<String> = (0..300).map(|number| number.to_string()).collect();
    let mut large = request("copy", &many.iter().map(String::as_str).collect::<Vec<_>>());
    large.mode = Mode::Each;
    for hog in &hogs {
        for _ in 0..2 {
            hog.ask(&large).await;
        }
    }
    model.until_running(1).await;
    world.until_stats("the large ones wait", |stats| stats.queued == 3).await;
    let mut modest = world.asker().await;
    let job = modest.ask(&request("copy", &["modest"])).await;
    world.until_stats("it has begun", |stats| stats.running == 2).await;
    // The prompt that runs, perhaps one that was next, then ours.
    model.let_pass(3);
    assert_eq!(texts(&modest.result(&job).await), ["re: modest"]);
}

#[tokio::test]
async fn answers_that_fit_into_no_result_are_not_written_to_their_end() {
    let model = GatedModel::open().answering(|prompt| {
        let first: u32 = prompt.lines().last().unwrap().parse().unwrap();
        let numbers: Vec<String> = (first..first + 100).map(|number| number.to_string()).collect();
        Ok(numbers.join(" "))
    });
    let world = World::new(&model).await;
    let mut hog = world.asker().await;
    let many: Vec<String> = (0..300).map(|number| number.to_string()).collect();
    let mut large = request("write", &many.iter().map(String::as_str).collect::<Vec<_>>());
    large.mode = Mode::Each;
    large.max_tokens = Some(512);
    let job = hog.ask(&large).await;
    assert_eq!(hog.refusal(&job).await, RefusalReason::TooLarge);
    assert!(model.prompts().len() < 100, "32 KB of 400 bytes each: {}", model.prompts().len());
}

/// A provider at this relay, whose engine answers at once.
async fn provider_at(relay: &EmbeddedRelay) -> ProviderHandle {
    let model = std::sync::Arc::new(GatedModel::open());
    let config = ProviderConfig::default();
    Provider::start_with(config, Keys::generate(), &[relay.url()], quick_options(), model).await.unwrap()
}

#[tokio::test]
async fn the_operator_learns_that_a_relay_refuses_the_offer() {
    let relay = relay(|config| config.max_event_bytes = 600).await;
    let provider = provider_at(&relay).await;
    let mut events = provider.events();
    let told = patiently("the refusal is told", async {
        loop {
            if let ProviderEvent::RelayNotice { message, .. } = events.recv().await.unwrap() {
                return message;
            }
        }
    });
    let told = told.await;
    assert!(told.contains("refuses the offer") && told.contains("larger than 600 bytes"), "{told}");
}

#[tokio::test]
async fn a_job_that_is_too_large_to_be_read_is_told_the_limit() {
    let relay = relay(|config| (config.max_event_bytes, config.max_content_chars) = (1 << 20, 1 << 20)).await;
    let provider = provider_at(&relay).await;
    let mut asker = Asker::connect(&relay.url(), provider.public_key()).await;
    let job = EventBuilder::new(kinds::JOB_REQUEST, "x ".repeat(150_000))
        .tag(Tag::public_key(provider.public_key()))
        .sign_with_keys(&asker.keys)
        .unwrap();
    asker.publish(&job).await;
    let refusal = asker.feedback(&job, FeedbackStatus::Error).await;
    let told = (refusal.reason, refusal.detail.unwrap());
    assert!(told.0 == Some(RefusalReason::TooLarge) && told.1.contains("262144"), "{told:?}");
}

#[tokio::test]
async fn every_result_comes_through_a_relay_of_sixty_events_a_minute() {
    const JOBS: usize = 66;
    let relay = relay(|config| config.events_per_minute = 60).await;
    let (keys, relays) = (Keys::generate(), [relay.url()]);
    let model = std::sync::Arc::new(GatedModel::open());
    let starting =
        Provider::start_with(ProviderConfig::default(), keys.clone(), &relays, quick_options(), model);
    let provider = starting.await.unwrap();
    let mut events = provider.events();
    let mut asker = Asker::connect(&relay.url(), keys.public_key()).await;
    let mut jobs = Vec::new();
    for number in 0..JOBS {
        let mut job = request("copy", &[&number.to_string()]);
        job.expires_at = Some(Timestamp::now() + 120_u64);
        jobs.push(asker.ask(&job).await);
    }
    for job in &jobs {
        asker.result(job).await;
    }
    let told = patiently("the limit is named", async {
        loop {
            match events.recv().await.unwrap() {
                ProviderEvent::RelayNotice { message, .. } if message.contains("rate-limited") => return,
                _ => {}
            }
        }
    });
    told.await;
}

#[tokio::test]
async fn jobs_are_answered_at_relays_with_the_limits_of_those_elsewhere() {
    for profile in RelayProfile::ALL {
        let relay = EmbeddedRelay::start(profile.at(SocketAddr::from(([127, 0, 0, 1], 0)))).await.unwrap();
        let keys = Keys::generate();
        let options = ConnectOptions { auth_keys: Some(keys.clone()), ..quick_options() };
        let (config, model) = (ProviderConfig::default(), std::sync::Arc::new(GatedModel::open()));
        let _provider =
            Provider::start_with(config, keys.clone(), &[relay.url()], options, model).await.unwrap();
        let mut asker = Asker::connect(&relay.url(), keys.public_key()).await;
        let mut jobs = Vec::new();
        for number in 0..20 {
            jobs.push(asker.ask(&request("copy", &[&number.to_string()])).await);
        }
        for (number, job) in jobs.iter().enumerate() {
            assert_eq!(texts(&asker.result(job).await), [format!("re: {number}")], "{profile:?}");
        }
        let large = request("copy", &[&"x".repeat(5_000)]);
        let large =
            large.to_event(Audience::Directed(keys.public_key()), &asker.keys, Timestamp::now()).unwrap();
        let sent = asker.publisher.publish(&large).await;
        if profile == RelayProfile::PythonNostrRelay {
            assert!(sent.unwrap_err().to_string().contains("larger than 4096 characters"));
        } else {
            asker.result(&large).await;
        }
        relay.shutdown().await;
    }
}

#[tokio::test]
async fn the_first_listener_hears_that_a_relay_is_online_however_late() {
    let relay = relay(|_| {}).await;
    let provider = provider_at(&relay).await;
    let mut stats = provider.watch_stats();
    patiently("it is online", stats.wait_for(|stats| stats.relays_online == 1)).await.unwrap();
    let mut events = provider.events();
    let online = patiently("it is told", async {
        loop {
            if let ProviderEvent::RelayOnline { relay } = events.recv().await.unwrap() {
                return relay;
            }
        }
    });
    assert_eq!(online.await.trim_end_matches('/'), relay.url().as_str().trim_end_matches('/'));
    assert!(provider.events().try_recv().is_err(), "others hear of what comes");
}
