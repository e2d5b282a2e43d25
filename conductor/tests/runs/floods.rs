//! Strangers whose keys cost nothing, beside a run that pays. `FRLM_FLOOD_KEYS=1000` is the size of `.ci/deep interop`.
//!
//! Relay and mint, providers, asker and strangers have threads of their own here, so that the system counts what each of them
//! computes. With `FRLM_FLOOD_ELSEWHERE=1` the same jobs are for keys that nobody serves: what the run takes longer then is what relay
//! and strangers take from it, because they share its processors. Figures: `docs/decisions/0112-known-keys-are-read-first.md`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::scene::Scene;
use crate::common::{copy, engine, orders};
use frlm_client::payment::cashu::CashuRail;
use frlm_conductor::policy::FrlmPolicy;
use frlm_protocol::kinds::PROFILE_VERSION;
use frlm_protocol::{Audience, Heartbeat, Input, InputSource, JobRequest, Mode};
use frlm_provider::ProviderConfig;
use frlm_relay::{ConnectOptions, Connection};
use nostr::{Event, Keys, PublicKey, Timestamp};
use tokio::runtime::{Builder, Runtime};

/// What the engine takes for one record: a run is as long as its work, however busy this machine is.
pub const RECORD: Duration = Duration::from_millis(30);
const JOBS_OF_A_KEY: usize = 5;
/// Signs of life of further fresh keys for each of those.
const HEARTBEATS_FOR_A_KEY: usize = 10;
const HOGS: usize = 2;
const INPUTS_OF_A_HOG: usize = 300;
/// For a machine that does other things, too.
pub const SLACK: Duration = Duration::from_secs(3);

fn keys() -> usize {
    std::env::var("FRLM_FLOOD_KEYS").ok().and_then(|keys| keys.parse().ok()).unwrap_or(100)
}

/// Large jobs, and signs of life and jobs of fresh keys that ask for work for nothing.
pub fn flood(providers: &[PublicKey]) -> Vec<Event> {
    let record = |number: usize| Input {
        data: format!("order={number} user=u{number} status=failed"),
        source: InputSource::Text,
    };
    let job = |provider: PublicKey, keys: &Keys, number: usize, inputs: usize| {
        let now = Timestamp::now();
        let request = JobRequest {
            instruction: "copy status".to_owned(),
            inputs: (0..inputs).map(|at| record(number * inputs + at)).collect(),
            mode: Mode::Each,
            max_tokens: Some(24),
            temperature: None,
            top_p: None,
            top_k: None,
            model: None,
            constraint: None,
            output: None,
            bid_msats: None,
            payment: None,
            certificate: None,
            validate: None,
            relays: Vec::new(),
            expires_at: Some(now + 60_u64),
            profile: Some(PROFILE_VERSION.to_owned()),
        };
        request.to_event(Audience::Directed(provider), keys, now).unwrap()
    };
    let of_a_key = |_| {
        let keys = Keys::generate();
        let jobs = (0..JOBS_OF_A_KEY).flat_map(|number| providers.iter().map(move |to| (number, *to)));
        jobs.map(|(number, to)| job(to, &keys, number, 8)).collect::<Vec<_>>()
    };
    let hog = |_| {
        let keys = Keys::generate();
        providers.iter().map(|to| job(*to, &keys, 0, INPUTS_OF_A_HOG)).collect::<Vec<_>>()
    };
    let alive = |_| {
        let now = Timestamp::now();
        let heartbeat = Heartbeat { queue_length: 0, expires_at: now + 60_u64 };
        heartbeat.to_event(&Keys::generate(), now).unwrap()
    };
    let hogs = (0..HOGS).flat_map(hog);
    hogs.chain((0..keys() * HEARTBEATS_FOR_A_KEY).map(alive)).chain((0..keys()).flat_map(of_a_key)).collect()
}

/// How long a run takes that pays.
async fn a_paying_run(scene: &Scene) -> Duration {
    let rail = Arc::new(CashuRail::new(scene.payer.clone()));
    let mut asker = scene.asker(rail, FrlmPolicy::standard().verification);
    asker.keys = Keys::generate();
    let began = Instant::now();
    let outcome = scene.start_over(orders(240, 8), asker).await.end().await;
    let answer = outcome.result.expect("it has its answer").answer;
    assert!(answer.starts_with("48 "), "{answer}");
    began.elapsed()
}

/// Seconds of processor time that each part of the scene has had, by the names of its threads; nothing where the system does not tell.
fn computed() -> BTreeMap<String, f64> {
    let mut parts = BTreeMap::new();
    for thread in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let read = |file: &str| std::fs::read_to_string(thread.path().join(file)).unwrap_or_default();
        let nanos = read("schedstat").split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok());
        *parts.entry(read("comm").trim().to_owned()).or_default() += nanos.unwrap_or(0.0) / 1e9;
    }
    parts
}

/// A part of the scene with threads of its own, which live as long as it does.
fn part(name: &str) -> Runtime {
    let mut threads = Builder::new_multi_thread();
    threads.thread_name(name).thread_keep_alive(Duration::from_mins(10)).enable_all().build().unwrap()
}

#[test]
fn a_paying_run_in_a_flood_of_fresh_keys_takes_at_most_twice_its_time() {
    let [market, working, asking, strange] = ["market", "providers", "asker", "strangers"].map(part);
    let scene = market.block_on(Scene::new());
    let mut providers = Vec::new();
    for name in ["a", "b"] {
        let config = ProviderConfig {
            name: name.to_owned(),
            price_msats_per_1k: 1_000,
            free_jobs_per_day: 3,
            ..ProviderConfig::default()
        };
        let starting = async {
            let wallet = scene.wallet(name).await;
            scene.start_provider(config, engine(copy, RECORD), wallet).await
        };
        providers.push(working.block_on(starting));
    }
    let alone = asking.block_on(a_paying_run(&scene));
    let served = providers.iter().map(|paid| paid.handle.public_key());
    let elsewhere = std::env::var_os("FRLM_FLOOD_ELSEWHERE").is_some();
    let to: Vec<PublicKey> =
        served.map(|key| if elsewhere { Keys::generate().public_key() } else { key }).collect();
    let events = flood(&to);
    let count = events.len();
    let options = ConnectOptions { publish_timeout: Duration::from_mins(1), ..ConnectOptions::default() };
    let url = scene.url.clone();
    let before = computed();
    let flooding = strange.spawn(async move {
        let (stranger, _incoming) = Connection::connect(&[url], options).await.unwrap();
        let began = Instant::now();
        let publishing = events.into_iter().map(|event| {
            let stranger = stranger.clone();
            async move { stranger.publish(&event).await }
        });
        let flooded = futures::future::join_all(publishing).await;
        assert!(flooded.iter().all(Result::is_ok), "the relay takes the flood");
        began.elapsed()
    });
    let (flooded, beside) = asking.block_on(async { tokio::join!(flooding, a_paying_run(&scene)) });
    let flooded = flooded.unwrap();
    eprintln!("{count} events of {} keys, sent in {flooded:?}: {beside:?}, alone {alone:?}", keys());
    for (part, seconds) in computed() {
        let seconds = seconds - before.get(&part).unwrap_or(&0.0);
        if seconds >= 0.05 {
            eprintln!("{part}: {seconds:.1} s of processor time");
        }
    }
    for paid in &providers {
        eprintln!("{:?}", paid.handle.stats());
    }
    assert!(beside <= alone * 2 + SLACK, "{beside:?}, alone {alone:?}");
}
