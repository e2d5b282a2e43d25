//! Wires a prepared request to relay, local model, ledger and store.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use frlm_conductor::claim_cache::ClaimCache;
use frlm_conductor::payment::PaymentRail;
use frlm_conductor::run::journal::Journal;
use frlm_conductor::run::resume::Known;
use frlm_conductor::run::route::{OwnVenue, Routing};
use frlm_conductor::run::{Equipment, Run, RunSetup, Wiring};
use frlm_conductor::store::{NewRun, Store};
use frlm_conductor::swarm::{ProviderInfo, Swarm, SwarmEvent};
use frlm_conductor::trace::{TraceEvent, TraceRecord};
use frlm_inference::{Dialect, LanguageModel};
use frlm_questions::stage::RunStage;
use frlm_relay::{BlobOptions, ConnectOptions, Connection, Incoming, Publisher};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::decisions::Priors;
use frlm_verifier::trust::ReputationStore;
use frlm_verifier::validation::ground_truth::{GroundTruthStore, KnownAnswers};
use frlm_wallet::{CashuWallet, Ledger, Msats, Sats};
use nostr::{Keys, PublicKey, RelayUrl, Timestamp};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::request::LOCAL;
use super::{Own, Prepared, RunRequest, event_record, follow_up};
use crate::failure::{Failure, code};
use crate::home::Home;
use crate::payment::cashu::CashuRail;
use crate::sandbox;
use crate::swarm::local::LocalVenue;
use crate::swarm::nostr::NostrSwarm;
use crate::vouching::Vouched;
use crate::wallet_session::{PayBefore, Wallets};

/// Swarm events that may wait for the run; beyond it the relay connection is held back.
const EVENT_QUEUE: usize = 4_096;

/// Known providers that a run asks relays for by their keys: with these a question has 13 KB, which every relay takes.
const MOST_KNOWN: usize = 100;

/// A wired run, ready to be executed.
pub(super) struct Started {
    /// The run; boxed, so that futures that hold it in passing stay small.
    pub run: Box<Run>,
    /// Everything that happens.
    pub watch: mpsc::UnboundedReceiver<TraceRecord>,
    /// What to close when the run has ended.
    pub venues: Vec<Arc<dyn Swarm>>,
}

/// Which run it is.
pub(super) struct Identity {
    /// The run's id.
    pub id: String,
    /// The run's keys.
    pub keys: Keys,
    /// What earlier starts of it left.
    pub known: Known,
    /// Whether the home has a record of it; what happened may be missing there, where its process died at once.
    pub recorded: bool,
    /// Whether a person takes the answer with what is verified.
    pub accepted: bool,
}

/// Where a run is recorded.
pub(super) struct Records {
    /// What it may spend and has spent.
    pub ledger: Ledger,
    /// What happened.
    pub store: Store,
    /// What relays brought.
    pub events_file: PathBuf,
    /// Providers that earlier runs came to know: found however many others a relay knows.
    pub providers: Vec<PublicKey>,
    /// Whom the keys that the user named vouch for.
    pub vouched: Vouched,
    /// Where texts go that are too large for an event.
    pub blobs: BlobOptions,
}

/// A connection to the relays, if nobody stops the run before.
async fn connected(
    relays: &[RelayUrl],
    options: ConnectOptions,
    cancel: &CancellationToken,
) -> anyhow::Result<(Publisher, Incoming)> {
    let connecting = Connection::connect(relays, options);
    let connected = cancel.run_until_cancelled(connecting).await.ok_or_else(follow_up::nothing_sent)?;
    Ok(connected.map_err(|error| Failure::with_code(code::NO_PROVIDERS, error))?)
}

/// A run as its home lists it.
fn as_recorded(id: &str, request: &RunRequest, keys: &Keys, started_at_ms: u64) -> anyhow::Result<NewRun> {
    Ok(NewRun {
        id: id.to_owned(),
        started_at_ms,
        question: request.question.clone(),
        request: serde_json::to_value(request)?,
        secret_key: keys.secret_key().to_secret_hex(),
    })
}

/// Wires a run. Nothing is sent before the run is executed. `cancel` also stops what is done here: the question may be
/// looked at by a model, and relays are called.
pub(super) async fn start(
    mut prepared: Prepared,
    own: Own,
    records: Records,
    identity: Identity,
    mut equipment: Equipment,
    cancel: &CancellationToken,
) -> anyhow::Result<Started> {
    let Identity { id, keys, known, recorded, .. } = identity;
    let Records { ledger, store, events_file, providers, vouched, blobs } = records;
    let follows = follow_up::stand_alone(&mut prepared, own.model.as_deref(), cancel).await?;
    let resumed = known.next_seq > 0;
    let (events_in, events) = mpsc::channel(EVENT_QUEUE);
    let mut venues: Vec<Arc<dyn Swarm>> = Vec::new();
    let swarm = if !prepared.request.uses_swarm() || prepared.by_code() {
        None
    } else {
        // Relays that want to know who reads and writes are shown the run's key, which links it to nothing else.
        let options = ConnectOptions { auth_keys: Some(keys.clone()), blobs, ..ConnectOptions::default() };
        let connection = connected(&prepared.relays, options, cancel).await?;
        let (publisher, incoming) = event_record::kept(connection, events_file);
        let since = Timestamp::now() - known.elapsed.as_secs();
        let mut sought = named(&prepared.request.providers, &prepared.policy.verification);
        sought.extend(providers);
        sought.extend(vouched.sought());
        let swarm: Arc<dyn Swarm> = Arc::new(
            NostrSwarm::start(keys.clone(), publisher, incoming, events_in.clone(), since, &sought).await,
        );
        venues.push(Arc::clone(&swarm));
        Some(swarm)
    };
    let Own { model, venues: endpoints, routing, learner, audits, small } = own;
    if !resumed {
        follow_up::note(&prepared.request, learner.as_ref()).await;
    }
    let models = model.iter().chain(endpoints.iter().map(|endpoint| &endpoint.model));
    let dialects: Vec<Dialect> = models.map(|model| model.info().dialect).collect();
    let words_possible = swarm.is_some() || dialects.is_empty() || dialects.contains(&Dialect::Json);
    let plan = prepared.plan(words_possible);
    let reading_is_unsure = prepared.reading_is_unsure;
    let Prepared { request, policy, documents, fragments, query, compound, computed, notices, .. } = prepared;
    let is_venue = request.local || request.names(LOCAL);
    let thinks = model.clone();
    let local = model.map(|model| wire(LOCAL, Msats::ZERO, model, &events_in));
    let endpoints = endpoints
        .into_iter()
        .map(|endpoint| wire(&endpoint.name, endpoint.price_per_1k, endpoint.model, &events_in));
    let own_venues: Vec<OwnVenue> = local.clone().filter(|_| is_venue).into_iter().chain(endpoints).collect();
    for own in &own_venues {
        // The channel is empty and large; this cannot fail before the run reads it.
        let _ = events_in.try_send(SwarmEvent::ProviderSeen(own.provider.clone()));
    }
    let fallback = local.as_ref().filter(|_| !is_venue);
    venues.extend(own_venues.iter().chain(fallback).map(|own| Arc::clone(&own.engine)));
    ledger.open_run(id.as_str(), Sats(request.budget)).await?;
    let now_ms = frlm_util::clock::unix_millis();
    if !recorded {
        store.begin(as_recorded(&id, &request, &keys, now_ms)?).await?;
    }
    let (watchers, watch) = mpsc::unbounded_channel();
    let mut journal = Journal::new(&id, Some(store), Some(watchers), known.next_seq, known.elapsed);
    if resumed {
        journal.emit(TraceEvent::RunResume { resumed_at_ms: now_ms, known: known.outcomes.len() });
    } else {
        journal.emit(TraceEvent::RunStart {
            run_id: id.clone(),
            question: request.question.clone(),
            started_at_ms: now_ms,
            limit_sats: request.budget,
            policy: policy.verification.to_string(),
            documents: documents.names.clone(),
            fragments: fragments.len(),
        });
        if let Some(reasoning) = documents.bound() {
            // On one line, as all decisions.
            journal.emit(notice(reasoning.replacen("\n- ", " ", 1).replace("\n- ", "; ")));
        }
    }
    for reasoning in notices.into_iter().chain(follows) {
        journal.emit(notice(reasoning));
    }
    if let Some(reasoning) = vouched.note().filter(|_| !resumed) {
        journal.emit(notice(reasoning));
    }
    note_budget(&mut journal, &known, request.budget);
    let mut setup = RunSetup::new(&id, &request.question, fragments, plan, policy);
    setup.computed = computed;
    setup.reading_is_unsure = reading_is_unsure;
    setup.query = query;
    setup.compound = compound;
    setup.documents = documents;
    setup.known = known;
    ask_as(&mut setup, &request);
    setup.whom.vouched = vouched.ids().collect();
    setup.whom.vouched_providers = vouched.providers.iter().map(|key| key.to_hex().into()).collect();
    // Where the own model is a venue, it is not the last resort.
    setup.candidates.fallback = fallback.map(|own| own.provider.clone());
    let local = local.map(|own| own.engine);
    (equipment.decider, equipment.judge) = (thinks.clone(), thinks);
    (equipment.sandbox, equipment.weights, equipment.small_model) = (sandbox::runner(), audits, small);
    equipment.advisor = learner;
    equipment.routing =
        routing.map(|(memory, settings)| Routing { memory: Some(memory), settings, own: own_venues });
    let run = Run::new(setup, Wiring { swarm, local, events, ledger, journal }, equipment);
    Ok(Started { run: Box::new(run), watch, venues })
}

/// Something that was found out before the run began.
const fn notice(says: String) -> TraceEvent {
    TraceEvent::Notice { stage: RunStage::Analyse, says }
}

/// Providers that the user named, and the validator that the policy names: nobody crowds them out.
fn named(providers: &[String], policy: &VerificationPolicy) -> Vec<PublicKey> {
    let validator = match policy {
        VerificationPolicy::Validated { validator } => Some(validator),
        VerificationPolicy::None
        | VerificationPolicy::Redundancy { .. }
        | VerificationPolicy::Objective { .. }
        | VerificationPolicy::Checked { .. }
        | VerificationPolicy::Adaptive(_) => None,
    };
    providers.iter().chain(validator).filter_map(|key| PublicKey::parse(key).ok()).collect()
}

/// Whom the run may ask, on what terms, and for whom.
fn ask_as(setup: &mut RunSetup, request: &RunRequest) {
    setup.whom.only = request.providers.iter().map(|key| key.as_str().into()).collect();
    setup.whom.blocked = request.blocked.iter().map(|key| key.as_str().into()).collect();
    let bid = Sats(request.bid);
    setup.candidates.foreign =
        request.foreign.iter().map(|key| ProviderInfo::foreign(key.as_str().into(), bid)).collect();
    setup.candidates.agreed_before = Sats(request.agreed_before);
    setup.asker = request.asker.clone();
    setup.candidates.place = place(&request.relays);
    setup.candidates.discovery = Duration::from_secs(request.discovery);
}

/// The record of a run that goes on with a higher budget says so.
fn note_budget(journal: &mut Journal, known: &Known, limit_sats: u64) {
    if known.limit_sats.is_some_and(|before| before != limit_sats) {
        journal.emit(TraceEvent::BudgetRaised { limit_sats });
    }
}

/// An engine or endpoint of the user's, wired to a run's events.
fn wire(
    name: &str,
    price_per_1k: Msats,
    model: Arc<dyn LanguageModel>,
    events: &mpsc::Sender<SwarmEvent>,
) -> OwnVenue {
    let venue = LocalVenue::new(model, events.clone()).named(name, price_per_1k);
    OwnVenue { provider: venue.provider(), engine: Arc::new(venue) }
}

/// What pays from these wallets, where there is something to pay from.
pub(super) fn rail(wallets: &Wallets, play_money: bool) -> Option<Arc<dyn PaymentRail>> {
    let (payer, before) = if play_money {
        (wallets.play.as_ref(), PayBefore::default())
    } else {
        (wallets.own.as_ref(), wallets.before.clone())
    };
    let wallet = payer?;
    let before = before.beside(wallet.money());
    let rail = CashuRail::new(wallet.clone()).with_tokens(before.tokens);
    Some(Arc::new(match before.lightning {
        Some(lightning) => rail.with_lightning(lightning),
        None => rail,
    }))
}

/// Providers that earlier runs on this home came to know, those with most answers first, without those that lied; none
/// where the record cannot be read.
pub(super) async fn known_providers(home: &Home) -> Vec<PublicKey> {
    let store = ReputationStore::at(home.reputation());
    let now = frlm_util::clock::unix_secs();
    let loaded = tokio::task::spawn_blocking(move || store.load(now)).await;
    let Ok(Ok(reputation)) = loaded else { return Vec::new() };
    let mut records = reputation.export().providers;
    records.retain(|record| !record.proven_lie && !record.excluded);
    records.sort_by_key(|record| std::cmp::Reverse(record.answers));
    let keys = records.iter().filter_map(|record| PublicKey::from_hex(&record.provider).ok());
    keys.take(MOST_KNOWN).collect()
}

/// Where runs on this home find what earlier ones verified, and keep what they verify, where the settings let them.
pub(super) fn verified_claims(home: &Home) -> Option<ClaimCache> {
    let is_used = home.config().is_ok_and(|config| config.ask.cache.unwrap_or(true));
    is_used.then(|| ClaimCache::at(home.claims_to_write()))
}

/// What an estimate counts as read already; `None` where the settings or the question say that everything is read.
pub fn reusable(home: &Home, request: &RunRequest) -> anyhow::Result<Option<ClaimCache>> {
    let is_used = home.config()?.ask.cache.unwrap_or(true) && !request.fresh;
    Ok(is_used.then(|| ClaimCache::at(home.claims())))
}

/// As whose run one is known to the providers that it pays from this wallet, where the settings say so. What cannot be
/// read costs the run their credit, and nothing else.
pub(super) async fn identity(payer: Option<&CashuWallet>, home: &Home) -> Option<(Keys, Vec<(String, u32)>)> {
    known_as(payer, home).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "no provider is shown whose run this is");
        None
    })
}

/// As whom a run is known, and how many locks that one has released to each provider.
async fn known_as(
    payer: Option<&CashuWallet>,
    home: &Home,
) -> anyhow::Result<Option<(Keys, Vec<(String, u32)>)>> {
    let Some(wallet) = payer else { return Ok(None) };
    if !home.config()?.ask.certificate {
        return Ok(None);
    }
    let (identity, since_unix_ms) = home.asker_identity()?;
    // Before that nobody was shown anything.
    let released = wallet.released_since(since_unix_ms).await?;
    Ok(Some((identity, released)))
}

/// The user's known answers, if there are any. A file that cannot be read costs the comparison, not the run.
pub(super) fn known_answers(home: &Home) -> Option<Arc<dyn KnownAnswers>> {
    let path = home.known();
    if !path.exists() {
        return None;
    }
    match GroundTruthStore::open(&path) {
        Ok(store) => Some(Arc::new(store)),
        Err(error) => {
            tracing::warn!(%error, "known answers are not compared");
            None
        }
    }
}

/// The user's own thresholds for what is decided after the stages of a run, if the home has any.
pub fn own_priors(home: &Home) -> anyhow::Result<Option<Priors>> {
    let path = home.priors();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::usage(format!("cannot read {}: {error}", path.display())).into()),
    };
    let priors = Priors::parse(&text)
        .map_err(|error| Failure::usage(format!("{} is not usable: {error}", path.display())))?;
    Ok(Some(priors))
}

/// The first 16 hex digits of the run's public key: unique, and no secret.
pub(super) fn run_id(keys: &Keys) -> String {
    keys.public_key().to_hex().chars().take(16).collect()
}

fn place(relays: &[String]) -> String {
    match relays {
        [] => "this machine".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}
