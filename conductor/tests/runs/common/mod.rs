//! A small real swarm for tests: relay and providers on loopback sockets, engines that copy fields
//! by code.

pub mod proxy;
pub mod scene;
pub mod stuck;

use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use frlm_client::swarm::local::LocalVenue;
use frlm_client::swarm::nostr::NostrSwarm;
use frlm_conductor::claim_cache::ClaimCache;
use frlm_conductor::payment::PaymentRail;
use frlm_conductor::policy::FrlmPolicy;
use frlm_conductor::run::control::Control;
use frlm_conductor::run::journal::Journal;
use frlm_conductor::run::prefill::WeightsAtHand;
use frlm_conductor::run::resume::Known;
use frlm_conductor::run::route::{OwnVenue, Routing};
use frlm_conductor::run::{Equipment, Run, RunError, RunSetup, Wiring};
use frlm_conductor::swarm::{OutgoingJob, ProviderInfo, Swarm, SwarmEvent};
use frlm_conductor::trace::{TraceEvent, TraceRecord};
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel, Usage};
use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_learning::routing::{ProductionSettings, RoutingMemory};
use frlm_protocol::JobAnswer;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_questions::answer::Answer;
use frlm_questions::ingest::{self, Document, Fragment, SplitOptions};
use frlm_questions::plan::program::Script;
use frlm_questions::plan::{CompoundMap, FragmentMap, PlanSource, ProgramPlan};
use frlm_questions::question::compound::Compound;
use frlm_questions::question::{field_hints, parse};
use frlm_questions::small_model::SmallModel;
use frlm_relay::{ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::decisions::Priors;
use frlm_verifier::trust::{Evidence, ProviderTraits, ReputationStore, TaskClass};
use frlm_verifier::validation::ground_truth::KnownAnswers;
use frlm_wallet::{Ledger, Msats, Sats};
use nostr::{Keys, PublicKey, RelayUrl, Timestamp};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub const QUESTION: &str = "How many orders have status failed?";

/// How long a run waits for newcomers unless a test says otherwise. Everybody is there before it asks, and a relay on
/// loopback says so at once; but where nobody agrees all of it is waited out.
const NEWCOMERS: Duration = Duration::from_secs(2);
/// … and where somebody joins in mid-run, or the run must still be under way at its deadline.
pub const LONG: Duration = Duration::from_secs(10);

/// A relay at a port that the system picks.
pub async fn relay() -> EmbeddedRelay {
    relay_at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await
}

pub async fn relay_at(address: SocketAddr) -> EmbeddedRelay {
    EmbeddedRelay::start(EmbeddedRelayConfig::at(address)).await.unwrap()
}

/// Copies the asked fields out of `key=value` records, as the embedded model is trained to.
pub fn copy(prompt: &str) -> String {
    let (instruction, record) = prompt.split_once('\n').unwrap_or((prompt, ""));
    let fields = instruction.trim_start_matches("copy ").split(", ");
    let value = |field: &str| {
        record.split(' ').find_map(|part| part.strip_prefix(&format!("{field}="))).unwrap_or("-")
    };
    fields.fold(String::new(), |text, field| text + value(field) + "\n")
}

/// The answer to a job by who copies, with no reasoning and no word on itself.
pub fn copied(job: &OutgoingJob) -> SwarmEvent {
    let answer = |prompt: &String| JobAnswer { text: copy(prompt), ..JobAnswer::default() };
    SwarmEvent::Result {
        ticket: job.ticket,
        answers: job.prompt.texts().iter().map(answer).collect(),
        model: None,
        usage: Usage::default(),
        reference: "copied".to_owned(),
        job: "copied".to_owned(),
    }
}

/// Copies something else that stands in the record: a lie that no format check can see.
pub fn lie(prompt: &str) -> String {
    copy(&prompt.replacen("copy status", "copy user", 1))
}

pub fn engine(answer: fn(&str) -> String, latency: Duration) -> Arc<dyn LanguageModel> {
    Arc::new(ScriptedModel::new("scripted", answer).with_latency(latency).with_dialect(Dialect::Records))
}

/// A general model that says this of everything and quotes that line. As a reviewer it supports what it says itself.
pub fn witness(words: &'static str, line: u32) -> Arc<dyn LanguageModel> {
    let answer = move |prompt: &str| {
        if prompt.contains("Turn it into a query") {
            return json!({"reduction": "free", "measure": null, "report": null, "conditions": []})
                .to_string();
        }
        if prompt.starts_with("You check claims") {
            let claims = prompt.lines().filter(|line| line.starts_with("Claim "));
            let verdicts = claims.map(|claim| if claim.contains(words) { "supported" } else { "not_stated" });
            return json!({ "verdicts": verdicts.collect::<Vec<_>>() }).to_string();
        }
        let numbered =
            |shown: &&str| shown.split_once('|').is_some_and(|(number, _)| number.trim() == line.to_string());
        if prompt.contains("\"quotes\"") && !prompt.contains("\"claims\"") {
            // What is judged as a whole is asked for as words with quotes.
            let quote = prompt.lines().find(numbered).and_then(|shown| shown.split_once('|'));
            let quote = quote.map_or("", |(_, text)| text.trim());
            let quotes = json!([{"line": line, "quote": quote}]);
            return json!({"found": true, "answer": words, "quotes": quotes}).to_string();
        }
        json!({"claims": [{"lines": [[line, line]], "claim": words}]}).to_string()
    };
    let model = ScriptedModel::new("witness", answer);
    Arc::new(model.with_latency(Duration::from_millis(1)).with_dialect(Dialect::Json))
}

pub async fn provider(name: &str, url: &RelayUrl, model: Arc<dyn LanguageModel>) -> ProviderHandle {
    let config = ProviderConfig { name: name.to_owned(), ..ProviderConfig::default() };
    Provider::start(config, Keys::generate(), std::slice::from_ref(url), model).await.unwrap()
}

/// An order log in which every fifth order failed, in fragments of `lines` lines.
pub fn orders(count: usize, lines: usize) -> Vec<Arc<Fragment>> {
    let mut text = String::new();
    for number in 1..=count {
        let status = if number % 5 == 0 { "failed" } else { "shipped" };
        writeln!(text, "order={number} user=user{} status={status}", number % 7).unwrap();
    }
    let document = Document::of_text("orders.log", text);
    let options = SplitOptions { max_tokens: 4_000, max_records: lines };
    ingest::split(&[document], options).into_iter().map(Arc::new).collect()
}

/// What earlier runs have learned: these providers agreed each time, in so many answers.
pub fn remembered(home: &Path, providers: &[String], answers: usize) -> ReputationStore {
    let store = ReputationStore::at(home.join("reputation.db"));
    let comparison = Evidence::Comparison {
        class: TaskClass::new("map", "general", 1),
        groups: vec![providers.to_vec()],
        accepted: Some(0),
        certainty: 1.0,
        audited: false,
    };
    let traits: Vec<_> = providers.iter().map(|name| (name.clone(), ProviderTraits::default())).collect();
    store.record(Timestamp::now().as_secs(), &traits, &vec![comparison; answers]).unwrap();
    store
}

/// One run with its own key, ledger and journal.
#[expect(clippy::struct_excessive_bools, reason = "each is something else that a test may ask for")]
pub struct Asker {
    pub keys: Keys,
    pub policy: FrlmPolicy,
    pub known: Known,
    pub only: Vec<String>,
    /// Providers that somebody vouches for.
    pub vouched: Vec<PublicKey>,
    pub discovery: Duration,
    /// How long a subtask that nobody is left to answer waits for somebody new.
    pub newcomers: Duration,
    pub stop: CancellationToken,
    /// The user's own model, that may step in.
    pub own: Option<Arc<dyn LanguageModel>>,
    /// How many providers to wait for, beyond those that must agree.
    pub enough: usize,
    /// What is known of providers, and where it is kept.
    pub memory: Option<ReputationStore>,
    /// How providers are paid, if they are.
    pub rail: Option<Arc<dyn PaymentRail>>,
    /// As whom it is known to providers, and how many locks it has released to each.
    pub identity: Option<(Keys, Vec<(String, u32)>)>,
    /// Foreign providers by key, and what one job of theirs may cost.
    pub foreign: Vec<(String, Sats)>,
    /// What a foreign provider may be paid before it works.
    pub agreed_before: Sats,
    /// Thresholds for the stages' decisions, if not the shipped ones.
    pub priors: Option<Priors>,
    /// The model that decides after each stage, if not code.
    pub decider: Option<Arc<dyn LanguageModel>>,
    /// The user's own model as a judge of answers and a reviewer of claims.
    pub judge: Option<Arc<dyn LanguageModel>>,
    /// What is known to be true.
    pub known_answers: Option<Arc<dyn KnownAnswers>>,
    /// Whether a person wants what is there.
    pub accepts: bool,
    /// What is asked.
    pub question: &'static str,
    /// Engines and endpoints of the user's own as venues: name, model, price for 1,000 tokens.
    pub venues: Vec<(&'static str, Arc<dyn LanguageModel>, Msats)>,
    /// What routing has learned, and where that is kept; `None`: nothing is routed.
    pub routing: Option<RoutingMemory>,
    /// What earlier runs have taught of plans, and where that is kept.
    pub learner: Option<LearnerMemory>,
    /// Weights that read answers of providers which claim them.
    pub audits: Option<WeightsAtHand>,
    /// A small model for what the user has no model for.
    pub small: Option<SmallModel>,
    /// Whether a question about documents without fields goes to its readers at once, as the product has it.
    pub skips_compiling: bool,
    /// Whether a planner is asked about a question that seems to take several steps, as the product has it.
    pub takes_steps: bool,
    /// All of the text as one fragment, where a simple question may be asked of that.
    pub whole: Option<Arc<Fragment>>,
    /// What earlier runs verified, and where that is kept.
    pub cache: Option<ClaimCache>,
    /// Whether readers answer in words as one, as where a schema judges that.
    pub as_one: bool,
    /// Whether code is not sure how the question is meant.
    pub is_unsure: bool,
    /// The program that asks in the place of the question.
    pub program: Option<Box<dyn Script>>,
}

impl Default for Asker {
    fn default() -> Self {
        Self {
            keys: Keys::generate(),
            // Any two must agree: tests of trust ask for it.
            policy: FrlmPolicy { verification: VerificationPolicy::TWO_OF_THREE, ..FrlmPolicy::standard() },
            known: Known::default(),
            only: Vec::new(),
            vouched: Vec::new(),
            discovery: Duration::from_secs(10),
            newcomers: NEWCOMERS,
            stop: CancellationToken::new(),
            own: None,
            enough: 0,
            memory: None,
            rail: None,
            identity: None,
            foreign: Vec::new(),
            agreed_before: Sats::ZERO,
            priors: None,
            decider: None,
            judge: None,
            known_answers: None,
            accepts: false,
            question: QUESTION,
            venues: Vec::new(),
            routing: None,
            learner: None,
            audits: None,
            small: None,
            skips_compiling: false,
            takes_steps: false,
            whole: None,
            cache: None,
            as_one: false,
            is_unsure: false,
            program: None,
        }
    }
}

/// How a run ended, with everything that happened.
pub struct Outcome {
    pub result: Result<Answer, RunError>,
    pub trace: Vec<TraceRecord>,
}

impl Outcome {
    pub fn count(&self, wanted: impl Fn(&TraceEvent) -> bool) -> usize {
        self.trace.iter().filter(|record| wanted(&record.event)).count()
    }
}

/// A run that is under way; its events can be watched.
pub struct Going {
    /// Gives orders to the run.
    pub control: Control,
    pub watch: mpsc::UnboundedReceiver<TraceRecord>,
    seen: Vec<TraceRecord>,
    task: tokio::task::JoinHandle<Result<Answer, RunError>>,
    swarm: Arc<dyn Swarm>,
}

impl Going {
    /// Waits for an event of the run.
    pub async fn until(&mut self, wanted: impl Fn(&TraceEvent) -> bool) {
        let waiting = async {
            while let Some(record) = self.watch.recv().await {
                let found = wanted(&record.event);
                self.seen.push(record);
                if found {
                    return;
                }
            }
            panic!("the run ended before it happened");
        };
        tokio::time::timeout(Duration::from_mins(1), waiting).await.expect("it happens within a minute");
    }

    pub async fn end(mut self) -> Outcome {
        let result = tokio::time::timeout(Duration::from_mins(2), self.task).await;
        self.swarm.shutdown().await;
        while let Ok(record) = self.watch.try_recv() {
            self.seen.push(record);
        }
        let Ok(result) = result else {
            let last = &self.seen[self.seen.len().saturating_sub(40)..];
            panic!("the run has not ended within two minutes; what happened last: {last:#?}");
        };
        let result = result.expect("the run does not panic");
        Outcome { result, trace: self.seen }
    }
}

impl Asker {
    /// Starts to ask its question of the fragments.
    pub async fn start(self, url: &RelayUrl, fragments: Vec<Arc<Fragment>>, home: &Path) -> Going {
        let id = self.keys.public_key().to_hex();
        let ledger = Ledger::open(home.join("ledger.db")).await.unwrap();
        ledger.open_run(id.as_str(), Sats(self.policy.budget.0)).await.unwrap();
        let options = ConnectOptions { auth_keys: Some(self.keys.clone()), ..ConnectOptions::default() };
        let (publisher, incoming) = Connection::connect(std::slice::from_ref(url), options).await.unwrap();
        let (events_in, events) = mpsc::channel(1_024);
        let swarm: Arc<dyn Swarm> = Arc::new(
            NostrSwarm::start(
                self.keys.clone(),
                publisher,
                incoming,
                events_in.clone(),
                Timestamp::now(),
                &self.vouched,
            )
            .await,
        );
        let mut venues = Vec::new();
        for (name, model, price) in self.venues {
            let venue = LocalVenue::new(model, events_in.clone()).named(name, price);
            let provider = venue.provider();
            events_in.send(SwarmEvent::ProviderSeen(provider.clone())).await.unwrap();
            venues.push(OwnVenue { provider, engine: Arc::new(venue) });
        }
        let local = self.own.map(|model| Arc::new(LocalVenue::new(model, events_in)));
        let owned: Vec<Fragment> = fragments.iter().map(|fragment| (**fragment).clone()).collect();
        let hints = field_hints(&owned);
        let question = self.question;
        let asks = self.program.is_none();
        let query = parse(question, &hints).filter(|_| asks);
        let compound =
            if asks && query.is_none() { Compound::read(question, &owned).map(Arc::new) } else { None };
        let plan: Box<dyn PlanSource> = if let Some(script) = self.program {
            Box::new(ProgramPlan::new(script, question, fragments.clone(), true))
        } else if let Some(compound) = &compound {
            Box::new(CompoundMap::new(Arc::clone(compound), fragments.clone()))
        } else {
            // Questions that code cannot read are for models that answer in words.
            let is_prose = hints.is_empty();
            let map = FragmentMap::new(question, query.clone(), hints, fragments.clone(), query.is_none());
            let map = map.over_prose(is_prose && self.skips_compiling);
            let map = if self.takes_steps { map.in_steps() } else { map };
            Box::new(map.as_one(self.as_one).with_whole(self.whole))
        };
        let mut setup = RunSetup::new(&id, question, fragments, plan, self.policy);
        (setup.query, setup.reading_is_unsure) = (query, self.is_unsure);
        setup.compound = compound;
        setup.candidates.place = url.to_string();
        setup.whom.only = self.only.iter().map(|key| key.as_str().into()).collect();
        setup.whom.vouched = self.vouched.iter().map(|key| key.to_hex().into()).collect();
        setup.candidates.foreign =
            self.foreign.iter().map(|(key, bid)| ProviderInfo::foreign(key.as_str().into(), *bid)).collect();
        setup.candidates.agreed_before = self.agreed_before;
        setup.candidates.discovery = self.discovery;
        setup.candidates.newcomers = self.newcomers;
        setup.candidates.enough = self.enough;
        setup.candidates.fallback = local.as_ref().map(|venue| venue.provider());
        let (watchers, watch) = mpsc::unbounded_channel();
        let journal = Journal::new(&id, None, Some(watchers), self.known.next_seq, self.known.elapsed);
        setup.known = self.known;
        let local = local.map(|venue| venue as Arc<dyn Swarm>);
        let wiring = Wiring { swarm: Some(Arc::clone(&swarm)), local, events, ledger, journal };
        let settings = ProductionSettings::default();
        let equipment = Equipment {
            rail: self.rail,
            identity: self.identity,
            reputation: self.memory,
            known_answers: self.known_answers,
            claims: self.cache,
            reads_afresh: false,
            routing: self.routing.map(|memory| Routing { memory: Some(memory), settings, own: venues }),
            decider: self.decider,
            judge: self.judge,
            sandbox: None,
            weights: self.audits,
            advisor: self.learner,
            small_model: self.small,
            priors: self.priors,
            accepted_by_person: self.accepts,
        };
        let run = Run::new(setup, wiring, equipment);
        let control = run.control();
        let task = tokio::spawn(run.execute(self.stop));
        Going { control, watch, seen: Vec::new(), task, swarm }
    }

    pub async fn ask(self, url: &RelayUrl, fragments: Vec<Arc<Fragment>>, home: &Path) -> Outcome {
        self.start(url, fragments, home).await.end().await
    }
}
