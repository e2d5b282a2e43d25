//! Where the questions go: a relay and providers in this process, each with a key and a connection of its own, asked
//! as `frlm ask` asks.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use frlm_conductor::trace::TraceEvent;
use frlm_inference::LanguageModel;
use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_learning::planning::account::{Asked, Chosen};
use frlm_learning::planning::analyse::Analysis;
use frlm_learning::planning::decompose::Action;
use frlm_learning::planning::reward::Outcome;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_questions::answer::Answer;
use frlm_questions::plan::facts;
use frlm_questions::small_model::SmallModel;
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use nostr::{Keys, RelayUrl};
use tempfile::TempDir;

use super::questions::Case;
use crate::model::end_to_end::is_right;
use frlm_client::config::Config;
use frlm_client::documents::Documents;
use frlm_client::home::Home;
use frlm_client::models;
use frlm_client::run::RunSpec;
use frlm_client::run::{Own, Prepared, RunHandle, RunRequest, RunService, StartOptions, prepare};

/// Providers, one engine each where the model is the embedded one.
pub const PROVIDERS: usize = 3;
/// How answers are verified: what is known of providers from before plays no part.
pub const POLICY: &str = "redundancy:3/2";
/// Their price in millisats per 1,000 tokens: counted, not paid.
const PRICE_MSATS_PER_1K: u64 = 10_000;
/// Sats that a question may cost: the budget is not what is measured.
const BUDGET: u64 = 1_000_000;
/// Seconds that a question may take: nor is patience.
const TIMEOUT_SECS: u64 = 3_600;

/// Who says how the parts are asked.
#[derive(Debug)]
pub enum Choice {
    /// Nobody.
    Nobody,
    /// It was chosen before.
    Made(Box<Chosen>),
    /// The policy in this file, which hears what comes of it.
    By(LearnerMemory),
}

/// How a question went.
#[derive(Debug)]
pub struct Went {
    /// The run.
    pub run: String,
    /// Whether every part was answered rightly.
    pub right: bool,
    /// The answer, or why there is none.
    pub answer: Result<Answer, String>,
    /// What the run measured of itself.
    pub outcome: Option<Outcome>,
    /// What was chosen.
    pub action: Option<Action>,
    /// From the start of the run to its end.
    pub secs: f64,
}

/// A running swarm and its asker. It ends with [`LabSwarm::stop`].
pub struct LabSwarm {
    url: RelayUrl,
    relay: EmbeddedRelay,
    providers: Vec<ProviderHandle>,
    model: String,
    /// The asker's own model, which takes questions apart.
    planner: Option<Arc<dyn LanguageModel>>,
    /// The small one inside the program, which does so in its place, and its name.
    small: Option<(String, SmallModel)>,
    runs: RunService,
    folder: TempDir,
}

impl LabSwarm {
    /// Relay, providers with this model, and an asker with a home of its own.
    pub async fn start(spec: &str, home: &Home) -> anyhow::Result<Self> {
        let first = models::open(spec, Some(1), home).await?;
        let mut engines = vec![first];
        while engines.len() < PROVIDERS {
            // Small enough to have one engine each; larger weights are shared.
            let next = if spec == "embedded" {
                models::open(spec, Some(1), home).await?
            } else {
                Arc::clone(&engines[0])
            };
            engines.push(next);
        }
        Self::of(engines, home).await
    }

    /// The same with engines that are open.
    pub async fn of(engines: Vec<Arc<dyn LanguageModel>>, home: &Home) -> anyhow::Result<Self> {
        let model = engines.first().map(|engine| name(&**engine)).unwrap_or_default();
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await?;
        let url = relay.url();
        let mut providers = Vec::new();
        for (number, engine) in (1..).zip(engines) {
            let config = ProviderConfig {
                name: format!("lab-{number}"),
                price_msats_per_1k: PRICE_MSATS_PER_1K,
                jobs_per_minute_per_asker: u32::MAX,
                ..ProviderConfig::default()
            };
            providers
                .push(Provider::start(config, Keys::generate(), std::slice::from_ref(&url), engine).await?);
        }
        let folder = tempfile::tempdir_in(home.root())?;
        let home = Home::open(Some(folder.path().join("asker")))?;
        let runs = RunService::open(&home).await?.without_history();
        Ok(Self { url, relay, providers, model, planner: None, small: None, runs, folder })
    }

    /// With a model of the asker's own, for the ways that have a policy.
    #[must_use]
    pub fn planned_by(self, planner: Arc<dyn LanguageModel>) -> Self {
        Self { planner: Some(planner), ..self }
    }

    /// With the small model inside the program in the place of one of the asker's own.
    #[must_use]
    pub fn helped_by(self, name: String, small: SmallModel) -> Self {
        Self { small: Some((name, small)), ..self }
    }

    /// Name and weights of the model behind the providers.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Those of the asker's own, if it has one; or the small one's.
    pub fn planner(&self) -> Option<String> {
        let own = self.planner.as_ref().map(|planner| name(&**planner));
        own.or_else(|| self.small.as_ref().map(|(name, _)| name.clone()))
    }

    /// Where documents may lie until the swarm stops.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Asks a question. What prevents it from being asked at all is an error; a run without an answer is none.
    pub async fn ask(&self, case: &Case, choice: Choice) -> anyhow::Result<Went> {
        let prepared = prepared(&case.text, &case.file, self.url.as_str())?;
        let may_plan = !matches!(choice, Choice::Nobody);
        let (chosen, learner, model) = match choice {
            // Code alone.
            Choice::Nobody => (None, None, None),
            Choice::Made(chosen) => (Some(*chosen), None, self.planner.clone()),
            Choice::By(memory) => (None, Some(memory), self.planner.clone()),
        };
        let small = self.small.as_ref().filter(|_| may_plan).map(|(_, small)| small.clone());
        let action = chosen.as_ref().map(|chosen| chosen.action);
        let models = Own { model, learner, small, ..Own::default() };
        let runs = self.runs.clone().with_models(models);
        let options = StartOptions { chosen, ..StartOptions::default() };
        let RunHandle { id, mut events, mut done, .. } = runs.start_prepared(prepared, options).await?;
        let mut went =
            Went { run: id, right: false, answer: Err(String::new()), outcome: None, action, secs: 0.0 };
        let began = Instant::now();
        let ended = loop {
            tokio::select! {
                biased;
                Some(record) = events.recv() => went.see(record.event),
                ended = &mut done => break ended,
            }
        };
        went.secs = began.elapsed().as_secs_f64();
        while let Ok(record) = events.try_recv() {
            went.see(record.event);
        }
        went.right = ended.as_ref().is_ok_and(|answer| is_right(&case.right, answer));
        went.answer = ended.map_err(|failure| failure.message);
        Ok(went)
    }

    /// Ends providers and relay; what lay in its folder goes.
    pub async fn stop(self) {
        ProviderHandle::stop_all(&self.providers).await;
        self.relay.shutdown().await;
    }
}

impl Went {
    fn see(&mut self, event: TraceEvent) {
        match event {
            TraceEvent::Chosen(chosen) => self.action = Some(chosen.action),
            TraceEvent::Evaluated { outcome, .. } => self.outcome = Some(outcome),
            _ => {}
        }
    }
}

fn name(model: &dyn LanguageModel) -> String {
    let info = model.info();
    let weights = info.weights_hash.as_deref().unwrap_or("?");
    format!("{} {}", info.name, weights.get(..12).unwrap_or(weights))
}

fn prepared(question: &str, file: &Path, relay: &str) -> anyhow::Result<Prepared> {
    let mut flags = RunSpec::for_demo(question.to_owned(), vec![file.to_owned()], relay.to_owned());
    flags.verify = Some(POLICY.to_owned());
    flags.timeout = Some(TIMEOUT_SECS);
    flags.budget = Some(BUDGET);
    prepare(RunRequest::from_spec(&flags, &Config::default())?, &Documents::default())
}

/// What the policy may know of a question; `None` where code does not read it in parts that are asked. Nobody is
/// connected to.
pub fn read(question: &str, file: &Path) -> anyhow::Result<Option<Asked>> {
    let prepared = prepared(question, file, "ws://127.0.0.1:1")?;
    let parts = prepared.compound.as_deref().filter(|compound| !compound.by_code());
    Ok(parts.map(|compound| facts::of_parts(&prepared.request.question, &prepared.documents.names, compound)))
}

/// The same for one that only a model may take apart; `None` where code reads it, or its documents have no fields.
pub fn read_loosely(question: &str, file: &Path) -> anyhow::Result<Option<Asked>> {
    let prepared = prepared(question, file, "ws://127.0.0.1:1")?;
    if prepared.query.is_some() || prepared.compound.is_some() || prepared.hints.is_empty() {
        return Ok(None);
    }
    let question = &prepared.request.question;
    let simplicity = Analysis::of(question, None).score;
    Ok(Some(facts::before_parts(question, &prepared.documents.names, &prepared.hints, simplicity)))
}
