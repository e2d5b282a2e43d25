//! Tokens per second of a model: the bare engine, and the same prompts as jobs through a relay and a provider.
//!
//! ```text
//! cargo run --release -p frlm-provider --features frlm-inference/mistralrs --example tokens_per_second -- \
//!     MODEL [PROMPT/ANSWER,…] [AT_ONCE,…] [ROUNDS]
//! ```
//!
//! `MODEL` is a file, a folder or an endpoint, as `frlm provide --model` takes it; or a relay's address, and the first provider
//! that announces itself there is asked, without a bare engine beside it. `PROMPT/ANSWER` is about how many tokens each prompt has
//! and how many are to be written (`1024/1` is reading alone), `AT_ONCE` how many are asked for together, and `ROUNDS` how
//! many of those there are. `frlm-inference/cuda` instead of `frlm-inference/mistralrs` puts the engine on a GPU.

use std::collections::HashMap;
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use frlm_inference::{GenerationRequest, LanguageModel, ModelError, ModelSpec, Usage, open};
use frlm_protocol::kinds::{ANNOUNCEMENT, JOB_FEEDBACK, JOB_RESULT, PROFILE_VERSION};
use frlm_protocol::{Audience, Feedback, FeedbackStatus, JobRequest, JobResult, Mode};
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_relay::{
    ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig, Incoming, Publisher, RelayMessage,
    parse_relay_url,
};
use futures::StreamExt as _;
use nostr::{EventId, Filter, Keys, PublicKey, RelayUrl, Timestamp};

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let Some(model) = arguments.next() else {
        eprintln!("usage: tokens_per_second MODEL [PROMPT/ANSWER,…] [AT_ONCE,…] [ROUNDS]");
        std::process::exit(2);
    };
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let (loads, widths, rounds) = (next("1024/1,32/128,512/128"), next("1,4,16"), next("4"));
    let loads = loads.split(',').map(Load::parse).collect::<Result<Vec<_>, _>>()?;
    let widths = widths.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let rounds: usize = rounds.parse()?;

    let swarm = if model.starts_with("ws") { Swarm::at(&model)? } else { Swarm::of(&model).await? };
    let mut asker = Asker::connect(&swarm).await?;
    if let Some(engine) = &swarm.engine {
        // Kernels are made ready, and memory is taken, at the first use.
        bare(engine, &prompts("warm", Load { prompt: 64, answer: 8 }, 2), 8, 2).await?;
    }
    println!(
        "prompt/answer  at once  by        jobs  failed  prompt tokens/s  written tokens/s  median s    s"
    );
    for load in loads {
        for &width in &widths {
            let name = |by: &str| format!("{by} {load:?} {width}");
            let prompts = |by: &str| prompts(&name(by), load, width * rounds);
            if let Some(engine) = &swarm.engine {
                bare(engine, &prompts("engine"), load.answer, width).await?.print(load, width, "engine");
            }
            asker.ask(&prompts("swarm"), load.answer, width).await?.print(load, width, "provider");
        }
    }
    swarm.shutdown().await;
    Ok(())
}

/// Tokens of a prompt and of its answer.
#[derive(Debug, Clone, Copy)]
struct Load {
    prompt: usize,
    answer: usize,
}

impl Load {
    fn parse(text: &str) -> Result<Self, Failure> {
        let (prompt, answer) = text.split_once('/').ok_or("a load is PROMPT/ANSWER, as in 1024/128")?;
        Ok(Self { prompt: prompt.parse()?, answer: answer.parse()? })
    }
}

/// Prompts that differ from their first word on, so that nothing kept of one serves another.
fn prompts(name: &str, load: Load, count: usize) -> Vec<String> {
    let words = ["order", "user", "amount", "status", "shipped", "failed", "date", "total"];
    let prompt = |number: usize| {
        let mut text = format!("{number} {name}");
        for word in 0..load.prompt.saturating_sub(8) {
            text.push(' ');
            text.push_str(words[(number + word * word) % words.len()]);
        }
        text
    };
    (0..count).map(prompt).collect()
}

/// Straight into the engine.
async fn bare(
    engine: &Arc<dyn LanguageModel>,
    prompts: &[String],
    answer: usize,
    at_once: usize,
) -> Result<Measured, ModelError> {
    let began = Instant::now();
    let mut answers = futures::stream::iter(prompts)
        .map(|prompt| async move {
            let began = Instant::now();
            let answer = engine.generate(GenerationRequest::greedy(prompt.as_str(), answer)).await?;
            Ok::<_, ModelError>((answer.usage, began.elapsed()))
        })
        .buffer_unordered(at_once);
    let mut measured = Measured::default();
    while let Some(answer) = answers.next().await {
        let (usage, took) = answer?;
        measured.usage += usage;
        measured.each.push(took);
    }
    measured.took = began.elapsed();
    Ok(measured)
}

/// A provider, wherever it is.
struct Swarm {
    relay: RelayUrl,
    /// What is in this process.
    engine: Option<Arc<dyn LanguageModel>>,
    own: Option<(EmbeddedRelay, ProviderHandle)>,
}

impl Swarm {
    async fn of(model: &str) -> Result<Self, Failure> {
        let began = Instant::now();
        let engine = open(&model.parse::<ModelSpec>()?).await?;
        println!("loaded in {:.1} s: {:?}", began.elapsed().as_secs_f64(), engine.info());
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await?;
        let url = relay.url();
        let provider = Provider::start(
            ProviderConfig::default(),
            Keys::generate(),
            std::slice::from_ref(&url),
            Arc::clone(&engine),
        )
        .await?;
        Ok(Self { relay: url, engine: Some(engine), own: Some((relay, provider)) })
    }

    fn at(relay: &str) -> Result<Self, Failure> {
        Ok(Self { relay: parse_relay_url(relay)?, engine: None, own: None })
    }

    async fn shutdown(self) {
        if let Some((relay, provider)) = self.own {
            ProviderHandle::stop_all(&[provider]).await;
            relay.shutdown().await;
        }
    }
}

/// Sends jobs to one provider.
struct Asker {
    keys: Keys,
    publisher: Publisher,
    incoming: Incoming,
    provider: PublicKey,
}

impl Asker {
    async fn connect(swarm: &Swarm) -> Result<Self, Failure> {
        let keys = Keys::generate();
        let relays = std::slice::from_ref(&swarm.relay);
        let (publisher, mut incoming) = Connection::connect(relays, ConnectOptions::default()).await?;
        let answers = Filter::new().kinds([JOB_RESULT, JOB_FEEDBACK]).pubkey(keys.public_key());
        publisher.subscribe("answers", vec![answers]).await;
        let provider = if let Some((_, provider)) = &swarm.own {
            provider.public_key()
        } else {
            publisher.subscribe("providers", vec![Filter::new().kind(ANNOUNCEMENT)]).await;
            loop {
                match incoming.recv().await.ok_or("the relay went away")? {
                    RelayMessage::Event(event) if event.kind == ANNOUNCEMENT => break event.pubkey,
                    _ => {}
                }
            }
        };
        Ok(Self { keys, publisher, incoming, provider })
    }

    /// As many jobs, each of one prompt, are on their way at once.
    async fn ask(&mut self, prompts: &[String], answer: usize, at_once: usize) -> Result<Measured, Failure> {
        let began = Instant::now();
        let mut measured = Measured::default();
        let mut left = prompts.iter();
        let mut out: HashMap<EventId, Instant> = HashMap::new();
        loop {
            while out.len() < at_once
                && let Some(prompt) = left.next()
            {
                let sent = Instant::now();
                out.insert(self.send(prompt, answer).await?, sent);
            }
            if out.is_empty() {
                break;
            }
            let RelayMessage::Event(event) = self.incoming.recv().await.ok_or("the relay went away")? else {
                continue;
            };
            if event.kind == JOB_RESULT {
                let received = JobResult::from_event(&event, &self.keys)?;
                if let Some(sent) = out.remove(&received.job) {
                    measured.usage += Usage {
                        prompt_tokens: received.result.prompt_tokens,
                        completion_tokens: received.result.completion_tokens,
                    };
                    measured.each.push(sent.elapsed());
                }
            } else if event.kind == JOB_FEEDBACK {
                let received = Feedback::from_event(&event, &self.keys)?;
                if received.feedback.status == FeedbackStatus::Error && out.remove(&received.job).is_some() {
                    measured.failed.push(received.feedback.detail.unwrap_or_default());
                }
            }
        }
        measured.took = began.elapsed();
        Ok(measured)
    }

    async fn send(&self, prompt: &str, answer: usize) -> Result<EventId, Failure> {
        let request = JobRequest {
            max_tokens: Some(u32::try_from(answer)?),
            temperature: Some(0.0),
            profile: Some(PROFILE_VERSION.to_owned()),
            ..JobRequest::over("", [prompt], Mode::Together)
        };
        let event = request.to_event(Audience::Directed(self.provider), &self.keys, Timestamp::now())?;
        self.publisher.publish(&event).await?;
        Ok(event.id)
    }
}

#[derive(Default)]
struct Measured {
    usage: Usage,
    took: Duration,
    each: Vec<Duration>,
    failed: Vec<String>,
}

impl Measured {
    fn print(mut self, load: Load, at_once: usize, by: &str) {
        self.each.sort_unstable();
        let seconds = self.took.as_secs_f64();
        println!(
            "{:>13}  {at_once:>7}  {by:<8}  {:>4}  {:>6}  {:>15.0}  {:>16.1}  {:>8.3}  {seconds:>5.2}",
            format!("{}/{}", load.prompt, load.answer),
            self.each.len(),
            self.failed.len(),
            self.usage.prompt_tokens as f64 / seconds,
            self.usage.completion_tokens as f64 / seconds,
            self.each.get(self.each.len() / 2).map_or(0.0, Duration::as_secs_f64),
        );
        if let Some(why) = self.failed.first() {
            println!("               failed: {why}");
        }
    }
}
