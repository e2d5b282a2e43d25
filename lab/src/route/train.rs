//! `frlm-lab learn route` with real inference: training over a task bank on an embedded swarm, put away
//! after every step, then some requests in production mode.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use frlm_client::swarm::local::LocalVenue;
use frlm_client::swarm::nostr::NostrSwarm;
use frlm_conductor::swarm::{Swarm, SwarmEvent};
use frlm_inference::Dialect;
use frlm_learning::routing::space::Space;
use frlm_learning::routing::training::TrainingError;
use frlm_learning::routing::{
    Judge, Learner, Production, ProductionSettings, RewardSettings, STAMP, TaskBank, Training,
    TrainingSettings,
};
use frlm_learning::saved;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_relay::{ConnectOptions, EmbeddedRelay, EmbeddedRelayConfig};
use nostr::{Keys, RelayUrl, Timestamp};
use tokio::sync::mpsc;

use super::report;
use super::workers::{Crew, Laboratory, Venue, VenueTerms, of_dialect};
use crate::arguments::LabRouteArgs;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::models;

/// Tasks for the embedded model, from its held-out set, each with its one right answer.
pub const RECORD_TASKS: &str = include_str!("records.jsonl");

/// Millisats per 1,000 tokens at the swarm.
const SWARM_PRICE: u64 = 10_000;
const LOCAL: VenueTerms = VenueTerms { name: "local", overhead_secs: 0.0, secs_per_token: 0.040 };
const SWARM: VenueTerms = VenueTerms { name: "swarm", overhead_secs: 0.3, secs_per_token: 0.005 };
const PROVIDERS: usize = 2;
const EVENT_QUEUE: usize = 256;
/// How long providers have to announce themselves.
const DISCOVERY: Duration = Duration::from_secs(20);

/// Trains, or goes on with a training that was interrupted, and shows what was learned.
pub async fn run(args: &LabRouteArgs, home: &Home) -> anyhow::Result<()> {
    let crews = crews(args, home).await?;
    let dialect = crews[0].model.info().dialect;
    let bank = bank(args, dialect)?;
    let judge = match &args.judge {
        Some(spec) => Some(Judge::new(models::open(spec, Some(1), home).await?)),
        None => None,
    };
    let path = home.routing_training();
    let mut training = begin_or_go_on(args, &bank, &crews, &path)?;
    let rig = Rig::start(&crews, args, home, training.settings().seed).await?;
    introduce(&training, &bank, args, &rig);
    let began = Instant::now();
    let trained = train(&mut training, &bank, &rig.laboratory, judge.as_ref(), &path).await;
    let shown = match trained {
        Ok(()) => {
            eprintln!("took {:.1} s", began.elapsed().as_secs_f64());
            show(args, &training, &bank, &rig.laboratory, judge.as_ref()).await
        }
        Err(error) => Err(error),
    };
    rig.stop().await;
    shown
}

async fn train(
    training: &mut Training,
    bank: &TaskBank,
    workers: &Laboratory,
    judge: Option<&Judge>,
    path: &Path,
) -> anyhow::Result<()> {
    while !training.is_done() {
        let before = training.iteration();
        training.advance(bank, workers, judge).await?;
        saved::write(path, STAMP, training)?;
        if let (true, Some(last)) = (training.iteration() > before, training.log().last()) {
            eprintln!("{}", report::line(training, last));
        }
    }
    Ok(())
}

async fn show(
    args: &LabRouteArgs,
    training: &Training,
    bank: &TaskBank,
    workers: &Laboratory,
    judge: Option<&Judge>,
) -> anyhow::Result<()> {
    if let Some(folder) = &args.plots {
        for path in report::write_plots(training, folder)? {
            eprintln!("plot: {}", path.display());
        }
    }
    let settings = ProductionSettings {
        reward: training.settings().reward,
        online_learning: !args.no_online_learning,
        ..ProductionSettings::default()
    };
    let mut production = Production::new(training.router().clone(), settings);
    let began = Instant::now();
    for task in bank.tasks() {
        // A refusal is counted in health; the others go on.
        if let Err(error) = production.process("lab", task, began.elapsed(), workers, judge).await {
            eprintln!("{error}");
        }
    }
    if args.json {
        println!(
            "{}",
            serde_json::json!({
                "simulated": false, "training": training, "health": production.health(),
                "requests": production.log().collect::<Vec<_>>(),
            })
        );
    } else {
        print!("{}", report::tables(training));
        print!("{}", report::production(&production));
    }
    Ok(())
}

/// The models with their roles; the first has those that were given none of their own.
async fn crews(args: &LabRouteArgs, home: &Home) -> anyhow::Result<Vec<Crew>> {
    let spec = args.model.as_deref().unwrap_or("embedded").to_owned();
    let model = models::open(&spec, Some(1), home).await?;
    let dialect = model.info().dialect;
    let mut crews = vec![Crew { spec, model, roles: of_dialect(dialect).map(|role| role.name).to_vec() }];
    for given in &args.roles {
        let (name, spec) = given.split_once('=').ok_or_else(|| {
            Failure::usage(format!("--role {given}: write ROLE=MODEL, as planner=PATH.gguf"))
        })?;
        let Some(at) = crews[0].roles.iter().position(|role| *role == name) else {
            let known = of_dialect(dialect).map(|role| role.name).join(", ");
            return Err(Failure::usage(format!("--role {given}: the roles are {known}, each once")).into());
        };
        let role = crews[0].roles.remove(at);
        let model = models::open_as(spec, Some(dialect), Some(1), home).await?;
        crews.push(Crew { spec: spec.to_owned(), model, roles: vec![role] });
    }
    Ok(crews)
}

/// Names models and roles: a training goes on only with the same.
fn workers(crews: &[Crew]) -> String {
    let crew = |crew: &Crew| {
        let info = crew.model.info();
        let weights = info.weights_hash.as_deref().unwrap_or("?");
        format!("{}: {} {weights}", crew.roles.join(", "), info.name)
    };
    crews.iter().filter(|crew| !crew.roles.is_empty()).map(crew).collect::<Vec<_>>().join("; ")
}

fn bank(args: &LabRouteArgs, dialect: Dialect) -> anyhow::Result<TaskBank> {
    Ok(match (&args.tasks, dialect) {
        (Some(path), _) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
            TaskBank::read(&text).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?
        }
        (None, Dialect::Records) => TaskBank::read(RECORD_TASKS).context("the bundled tasks")?,
        (None, Dialect::Json) => TaskBank::seed(),
    })
}

fn begin_or_go_on(
    args: &LabRouteArgs,
    bank: &TaskBank,
    crews: &[Crew],
    path: &Path,
) -> anyhow::Result<Training> {
    let workers = workers(crews);
    if path.exists() && !args.fresh {
        let training: Training = saved::read(path, STAMP)?;
        if !training.is_done() {
            let began_with = &training.settings().workers;
            if *began_with != workers {
                return Err(Failure::usage(format!(
                    "{}: this training began with other models ({began_with}) than these ({workers}); name the same \
                     ones, or begin a new one (--fresh)",
                    path.display()
                ))
                .into());
            }
            training.check(bank).map_err(|error| match error {
                TrainingError::OtherTasks | TrainingError::Unsound => {
                    Failure::usage(format!("{}: {error} (--fresh)", path.display()))
                }
                TrainingError::NoRoute(error) => Failure::usage(error),
            })?;
            return Ok(training);
        }
    }
    let names = of_dialect(crews[0].model.info().dialect).map(|role| role.name.to_owned());
    let venues = [LOCAL, SWARM].map(|terms| terms.name.to_owned());
    let space = Space::new(bank.types(), names.into(), venues.into()).map_err(Failure::usage)?;
    let learner = match args.learner {
        Some(kind) => kind.learner(&space),
        None => Learner::default_for(&space),
    };
    let settings = TrainingSettings {
        iterations: args.iterations,
        seed: args.seed,
        workers,
        reward: RewardSettings { full_cost_msats: args.full_cost_msats, ..RewardSettings::default() },
        ..TrainingSettings::default()
    };
    Ok(Training::new(settings, bank, space, learner))
}

fn introduce(training: &Training, bank: &TaskBank, args: &LabRouteArgs, rig: &Rig) {
    let models: Vec<String> = rig
        .models
        .iter()
        .map(|(roles, model)| format!("{roles}: {}", frlm_protocol::printable(model)))
        .collect();
    eprintln!(
        "real inference at two venues, {} in this process and {PROVIDERS} providers for each model over an embedded \
         relay for {SWARM_PRICE} msats per 1,000 tokens (counted, not paid); all of them share this machine. {}",
        LOCAL.name,
        models.join("; ")
    );
    if rig.laboratory.nominal {
        eprintln!(
            "time in the reward is nominal, so that a training repeats itself: {} {} s and {} s a token, {} {} s and \
             {} s a token (--measured takes the clock)",
            LOCAL.name,
            LOCAL.overhead_secs,
            LOCAL.secs_per_token,
            SWARM.name,
            SWARM.overhead_secs,
            SWARM.secs_per_token
        );
    }
    let checked = bank.tasks().iter().filter(|task| task.expected.is_some()).count();
    let judged = bank.tasks().len() - checked;
    match (judged, &args.judge) {
        (0, _) => eprintln!("{checked} tasks, all with a known right answer: checked, not judged"),
        (_, Some(judge)) => eprintln!("{checked} tasks are checked, {judged} judged by {judge}"),
        (_, None) => {
            eprintln!("{judged} tasks have no known answer and there is no --judge: 0.5 counts for them");
        }
    }
    if training.iteration() > 0 || *training.step() != frlm_learning::routing::training::Step::Pick {
        eprintln!(
            "going on after {} of {} iterations, with the settings it began with (--fresh starts over)",
            training.iteration(),
            training.settings().iterations
        );
    }
}

/// Relay, providers and both venues.
struct Rig {
    laboratory: Laboratory,
    /// Roles and their model.
    models: Vec<(String, String)>,
    relay: EmbeddedRelay,
    providers: Vec<ProviderHandle>,
}

impl Rig {
    async fn start(crews: &[Crew], args: &LabRouteArgs, home: &Home, seed: u64) -> anyhow::Result<Self> {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await?;
        let address = frlm_relay::parse_relay_url(&relay.url().to_string())?;
        let dialect = crews[0].model.info().dialect;
        let mut rig = Self {
            laboratory: Laboratory {
                venues: Vec::new(),
                roles: of_dialect(dialect),
                nominal: !args.measured,
            },
            models: crews
                .iter()
                .map(|crew| (crew.roles.join(", "), crew.model.info().name.clone()))
                .collect(),
            relay,
            providers: Vec::new(),
        };
        for crew in crews.iter().filter(|crew| !crew.roles.is_empty()) {
            let (events_in, events) = mpsc::channel(EVENT_QUEUE);
            let local = LocalVenue::new(Arc::clone(&crew.model), events_in.clone());
            // The channel is empty; this cannot fail before the venue reads it.
            let _ = events_in.try_send(SwarmEvent::ProviderSeen(local.provider()));
            rig.laboratory.venues.push(Venue::new(LOCAL, crew, Arc::new(local), events, seed));
            if let Err(error) = rig.join_swarm(crew, dialect, home, &address, seed).await {
                rig.stop().await;
                return Err(error);
            }
        }
        Ok(rig)
    }

    async fn join_swarm(
        &mut self,
        crew: &Crew,
        dialect: Dialect,
        home: &Home,
        address: &RelayUrl,
        seed: u64,
    ) -> anyhow::Result<()> {
        let relays = std::slice::from_ref(address);
        for _ in 0..PROVIDERS {
            let number = self.providers.len() + 1;
            let model = models::open_as(&crew.spec, Some(dialect), Some(1), home).await?;
            let config = ProviderConfig {
                name: format!("lab-{number}"),
                price_msats_per_1k: SWARM_PRICE,
                ..ProviderConfig::default()
            };
            self.providers.push(Provider::start(config, Keys::generate(), relays, model).await?);
        }
        let (publisher, incoming) =
            frlm_relay::Connection::connect(relays, ConnectOptions::default()).await?;
        let (events_in, events) = mpsc::channel(EVENT_QUEUE);
        let since = Timestamp::now();
        let swarm: Arc<dyn Swarm> =
            Arc::new(NostrSwarm::start(Keys::generate(), publisher, incoming, events_in, since, &[]).await);
        self.laboratory.venues.push(Venue::new(SWARM, crew, swarm, events, seed));
        // The two that were pushed for this crew.
        for (venue, enough) in self.laboratory.venues.iter().rev().zip([PROVIDERS, 1]) {
            let came = venue.gather(enough, DISCOVERY).await;
            anyhow::ensure!(came == enough, "only {came} of {enough} providers came within {DISCOVERY:?}");
        }
        Ok(())
    }

    async fn stop(self) {
        for venue in &self.laboratory.venues {
            venue.shutdown().await;
        }
        ProviderHandle::stop_all(&self.providers).await;
        self.relay.shutdown().await;
    }
}
