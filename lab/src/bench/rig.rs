//! A swarm in this process: relay, providers, and runs over made-up fragments.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use frlm_client::swarm::nostr::NostrSwarm;
use frlm_conductor::policy::FrlmPolicy;
use frlm_conductor::run::journal::Journal;
use frlm_conductor::run::route::Routing;
use frlm_conductor::run::{Equipment, Run, RunSetup, Wiring};
use frlm_conductor::store::{NewRun, Store};
use frlm_conductor::swarm::{Swarm, SwarmEvent};
use frlm_conductor::trace::{TraceEvent, TraceRecord};
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_learning::routing::RoutingMemory;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_questions::answer::Answer;
use frlm_questions::ingest::{self, Document, Fragment, SplitOptions};
use frlm_questions::plan::{FragmentMap, Task};
use frlm_questions::query::{Comparison, Condition, Query, Reduction};
use frlm_questions::question::FieldHints;
use frlm_relay::{ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::sampling::Domain;
use frlm_verifier::trust::{Evidence, ProviderTraits, ReputationStore, TaskClass};
use frlm_wallet::{Ledger, Sats};
use nostr::{Keys, RelayUrl, Timestamp};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use frlm_client::failure::Failure;

/// Relay and providers; everything ends with [`Rig::shutdown`].
pub struct Rig {
    relay: EmbeddedRelay,
    url: RelayUrl,
    providers: Vec<ProviderHandle>,
    home: tempfile::TempDir,
    /// What runs know of the providers before they begin.
    known: Option<ReputationStore>,
}

/// How a run went.
pub struct Measured {
    /// From the first job handed to the swarm to the last verdict.
    pub working: Duration,
    /// Events that went through the relay: jobs, feedback, results.
    pub events: usize,
    /// Jobs that were handed to the swarm.
    pub jobs: usize,
}

impl Rig {
    /// A relay and one provider per model.
    pub async fn start(models: Vec<Arc<dyn LanguageModel>>) -> anyhow::Result<Self> {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await?;
        let url = relay.url();
        let mut providers = Vec::new();
        for (number, model) in (1..).zip(models) {
            let config = ProviderConfig {
                name: format!("bench-{number}"),
                jobs_per_minute_per_asker: u32::MAX,
                ..ProviderConfig::default()
            };
            providers
                .push(Provider::start(config, Keys::generate(), std::slice::from_ref(&url), model).await?);
        }
        Ok(Self { relay, url, providers, home: tempfile::tempdir()?, known: None })
    }

    /// From now on runs know all providers as trustworthy, by so many answers of each.
    pub fn know(&mut self, answers: usize) -> anyhow::Result<()> {
        let store = ReputationStore::at(self.home.path().join("reputation.db"));
        let comparison = Evidence::Comparison {
            class: TaskClass::new(Task::KINDS[1], Domain::General.name(), 0),
            groups: vec![self.keys()],
            accepted: Some(0),
            certainty: 1.0,
            audited: true,
        };
        let traits: Vec<_> = self.keys().into_iter().map(|key| (key, ProviderTraits::default())).collect();
        store.record(Timestamp::now().as_secs(), &traits, &vec![comparison; answers])?;
        self.known = Some(store);
        Ok(())
    }

    /// Asks every fragment once, with ledger and journal as in production.
    pub async fn ask(&self, fragments: Vec<Arc<Fragment>>) -> anyhow::Result<Measured> {
        self.ask_under(VerificationPolicy::None, fragments).await
    }

    /// Asks as often as the policy says.
    pub async fn ask_under(
        &self,
        policy: VerificationPolicy,
        fragments: Vec<Arc<Fragment>>,
    ) -> anyhow::Result<Measured> {
        let mut measured = Measuring::default();
        self.run(fragments, policy, |record| measured.see(&record)).await?;
        Ok(measured.end())
    }

    /// Where they meet.
    pub fn url(&self) -> &RelayUrl {
        &self.url
    }

    /// The providers' keys, in the order of their models.
    pub fn keys(&self) -> Vec<String> {
        self.providers.iter().map(|one| one.public_key().to_hex()).collect()
    }

    /// A run under this policy; every event goes to `watcher` at once.
    pub async fn run(
        &self,
        fragments: Vec<Arc<Fragment>>,
        policy: VerificationPolicy,
        watcher: impl FnMut(TraceRecord),
    ) -> anyhow::Result<Answer> {
        self.run_until(fragments, policy, &CancellationToken::new(), watcher).await
    }

    /// The same, until it is stopped.
    pub async fn run_until(
        &self,
        fragments: Vec<Arc<Fragment>>,
        policy: VerificationPolicy,
        stop: &CancellationToken,
        watcher: impl FnMut(TraceRecord),
    ) -> anyhow::Result<Answer> {
        let keys = Keys::generate();
        let (publisher, incoming) =
            Connection::connect(std::slice::from_ref(&self.url), ConnectOptions::default()).await?;
        let (events_in, events) = mpsc::channel(4_096);
        let swarm: Arc<dyn Swarm> = Arc::new(
            NostrSwarm::start(keys.clone(), publisher, incoming, events_in, Timestamp::now(), &[]).await,
        );
        let mut setup = setup(&keys.public_key().to_hex(), fragments);
        setup.policy.verification = policy;
        setup.whom.only = self.keys().into_iter().map(Into::into).collect();
        setup.candidates.place = self.url.to_string();
        setup.candidates.enough = self.providers.len();
        let known = self.known.clone();
        let venues = Venues { swarm: Some(Arc::clone(&swarm)), local: None, known, events };
        let outcome = execute_until(self.home.path(), setup, venues, stop, watcher).await;
        swarm.shutdown().await;
        outcome
    }

    /// Ends providers and relay.
    pub async fn shutdown(self) {
        ProviderHandle::stop_all(&self.providers).await;
        self.relay.shutdown().await;
    }
}

/// Who answers, and where their events come out.
pub struct Venues {
    /// Providers behind a relay.
    pub swarm: Option<Arc<dyn Swarm>>,
    /// A model in this process.
    pub local: Option<Arc<dyn Swarm>>,
    /// What is known of them before.
    pub known: Option<ReputationStore>,
    /// Events of both.
    pub events: mpsc::Receiver<SwarmEvent>,
}

/// A run of [`query`] over the fragments, one answer each.
pub fn setup(id: &str, fragments: Vec<Arc<Fragment>>) -> RunSetup {
    let query = query();
    let plan =
        FragmentMap::new(QUESTION, Some(query.clone()), FieldHints::default(), fragments.clone(), false);
    let mut policy = FrlmPolicy::standard();
    policy.verification = VerificationPolicy::None;
    let mut setup = RunSetup::new(id, QUESTION, fragments, Box::new(plan), policy);
    setup.query = Some(query);
    setup
}

/// Carries a run out with its ledger and its journal in `home`; every event goes to `watcher` at once.
pub async fn execute(
    home: &Path,
    setup: RunSetup,
    venues: Venues,
    watcher: impl FnMut(TraceRecord),
) -> anyhow::Result<Answer> {
    execute_until(home, setup, venues, &CancellationToken::new(), watcher).await
}

async fn execute_until(
    home: &Path,
    setup: RunSetup,
    venues: Venues,
    stop: &CancellationToken,
    mut watcher: impl FnMut(TraceRecord),
) -> anyhow::Result<Answer> {
    let id = setup.id.clone();
    let ledger = Ledger::open(home.join("ledger.db")).await?;
    let store = Store::open(&home.join("runs.db"))?;
    ledger.open_run(id.as_str(), Sats(1_000)).await?;
    let row = NewRun {
        id: id.clone(),
        started_at_ms: 0,
        question: QUESTION.to_owned(),
        request: serde_json::Value::Null,
        secret_key: String::new(),
    };
    store.begin(row).await?;
    let (watchers, mut watch) = mpsc::unbounded_channel();
    let journal = Journal::new(&id, Some(store), Some(watchers), 0, Duration::ZERO);
    let Venues { swarm, local, known, events } = venues;
    let memory = RoutingMemory::at(home.join("routing.json"));
    let routing = Some(Routing { memory: Some(memory), ..Routing::default() });
    let equipment = Equipment { routing, reputation: known, ..Equipment::default() };
    let run = Run::new(setup, Wiring { swarm, local, events, ledger, journal }, equipment);
    let mut run = Box::pin(run.execute(stop.clone()));
    let outcome = loop {
        tokio::select! {
            biased;
            Some(record) = watch.recv() => watcher(record),
            outcome = &mut run => break outcome,
        }
    };
    while let Ok(record) = watch.try_recv() {
        watcher(record);
    }
    Ok(outcome.map_err(|error| Failure::with_code(error.exit_code(), error))?)
}

/// Times and counts of a run, taken from its events as they come.
#[derive(Default)]
struct Measuring {
    first_ms: Option<u64>,
    last_ms: u64,
    events: usize,
    jobs: usize,
}

impl Measuring {
    fn see(&mut self, record: &TraceRecord) {
        match record.event {
            TraceEvent::SubQuerySubmit { .. } => {
                self.first_ms.get_or_insert(record.at_ms);
                self.jobs += 1;
            }
            TraceEvent::Verified { .. } => self.last_ms = record.at_ms,
            TraceEvent::SubQuerySent { .. }
            | TraceEvent::SubQueryFeedback { .. }
            | TraceEvent::SubQueryReturn { ok: true, .. } => self.events += 1,
            _ => {}
        }
    }

    fn end(self) -> Measured {
        let working = self.last_ms.saturating_sub(self.first_ms.unwrap_or(0));
        Measured { working: Duration::from_millis(working), events: self.events, jobs: self.jobs }
    }
}

const QUESTION: &str = "How many orders have status failed?";

/// What every bench asks.
pub fn query() -> Query {
    Query {
        reduction: Reduction::Count,
        measure: None,
        report: None,
        conditions: vec![Condition {
            field: "status".to_owned(),
            comparison: Comparison::Equal,
            value: "failed".to_owned(),
        }],
    }
}

/// What that says of everything.
pub const ANSWER: &str = "{\"matches\":[]}";

/// An engine that answers at once or after a fixed time, and says so in its name.
pub fn scripted(latency: Duration, concurrency: usize) -> Arc<dyn LanguageModel> {
    let model = ScriptedModel::new("scripted", |_| ANSWER.to_owned());
    Arc::new(model.with_latency(latency).with_concurrency(concurrency).with_dialect(Dialect::Json))
}

/// An engine that answers every question of the benches rightly, after a fixed time.
pub fn honest(latency: Duration) -> Arc<dyn LanguageModel> {
    let model = ScriptedModel::new("honest", |prompt| {
        let failed = prompt.lines().filter(|line| line.ends_with("status=failed"));
        let numbers = failed.filter_map(|line| line.split('|').next()?.trim().parse::<usize>().ok());
        let matches: Vec<_> = numbers.map(|line| json!({ "line": line, "quote": "status=failed" })).collect();
        json!({ "matches": matches }).to_string()
    });
    Arc::new(model.with_latency(latency).with_dialect(Dialect::Json))
}

/// Fragments of an order log that nobody has seen before.
pub fn fragments(count: usize, lines: usize) -> Vec<Arc<Fragment>> {
    use std::fmt::Write as _;
    let mut text = String::new();
    for number in 0..count * lines {
        let status = ["shipped", "failed", "delivered", "refunded"][number % 4];
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "order={} user=user{} amount={} status={status}",
            4_000 + number,
            number % 97,
            number * 7 % 900
        );
    }
    let document = Document::of_text("orders.log", text);
    let options = SplitOptions { max_tokens: 4_000, max_records: lines };
    ingest::split(&[document], options).into_iter().map(Arc::new).collect()
}

/// Seconds that a piece of work takes.
pub async fn timed<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<Duration> {
    let began = Instant::now();
    work.await?;
    Ok(began.elapsed())
}
