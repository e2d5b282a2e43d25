//! What is asked, checked before anything leaves this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use frlm_conductor::policy::{FrlmPolicy, Quorum};
use frlm_conductor::route::roles::{self, Role};
use frlm_conductor::run::route::{MOST_OWN_VENUES, SWARM};
use frlm_conductor::swarm::LOCAL_PROVIDER;
use frlm_questions::asker::Asker;
use frlm_questions::dialect::needs_model;
use frlm_questions::ingest::{self, DocumentList, Fragment, IngestWarning, SplitOptions};
use frlm_questions::plan::Computed;
use frlm_questions::query::Query;
use frlm_questions::question::compound::Compound;
use frlm_questions::question::{FieldHints, parse};
use frlm_verifier::request::VerificationLevel;
use frlm_verifier::{PolicyName, VerificationPolicy};
use frlm_wallet::Sats;
use nostr::{PublicKey, RelayUrl};
use serde::{Deserialize, Serialize};

use super::asker::asker;
use super::before::takes_a_reader;
use super::by_code::{self, ByCode};
use super::follow_up::Follows;
use super::read_by_model::Unsure;
use super::readings::{OtherReading, ReadingChoice};
use super::spec::{MOST_SECS, RunSpec};
use super::sureness::is_unsure_over;
use super::understood::{Understood, in_one_piece, understand};
use crate::config::{By, Config, first_named, relay_urls};
use crate::documents::{Documents, password_from};
use crate::failure::Failure;
use crate::models;
use crate::programs::ProgramText;
use crate::sandbox;

/// A question with everything needed to ask it, and to ask it again after a restart.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "flags and settings of a question")]
pub struct RunRequest {
    /// As asked.
    pub question: String,
    /// Who answers what the rows of a table tell.
    #[serde(default)]
    pub by: By,
    /// The reading of code that a person chose; then code answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<ReadingChoice>,
    /// How a model of the user's own read the question over a table: its reply, from which code computes the answer again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_by_model: Option<String>,
    /// Absolute paths.
    pub files: Vec<PathBuf>,
    /// The file that holds the password of encrypted documents; the password itself is recorded nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_file: Option<PathBuf>,
    /// sha256 of each document, in order; empty before the first reading.
    #[serde(default)]
    pub hashes: Vec<String>,
    /// Where providers listen.
    pub relays: Vec<String>,
    /// Hex keys; empty: everyone.
    pub providers: Vec<String>,
    /// Hex keys: never asked.
    #[serde(default)]
    pub blocked: Vec<String>,
    /// Hex keys of foreign providers.
    #[serde(default)]
    pub foreign: Vec<String>,
    /// Where subtasks may go; empty: to the swarm.
    #[serde(default)]
    pub venues: Vec<String>,
    /// What one job of a foreign provider may cost, in sats.
    #[serde(default)]
    pub bid: u64,
    /// Up to what a foreign provider is paid before its work: what the user has agreed to.
    #[serde(default)]
    pub agreed_before: u64,
    /// The policy's name.
    pub verify: String,
    /// By how many methods an answer must be right.
    #[serde(default)]
    pub level: VerificationLevel,
    /// The budget in sats.
    pub budget: u64,
    /// Preset that the rest builds on.
    pub preset: Option<String>,
    /// Share of fragments that is enough when no more can be had.
    pub quorum: Option<f64>,
    /// Seconds until the run gives up.
    pub timeout: u64,
    /// Seconds that a provider has for a usual job; the preset's where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_timeout: Option<u64>,
    /// Seconds to wait for providers.
    pub discovery: u64,
    /// Most lines per fragment.
    pub fragment_lines: usize,
    /// Whether only the local model is used.
    pub local: bool,
    /// The local model.
    pub model: Option<String>,
    /// Who asks: how the answer should be put, and how much time matters.
    #[serde(default)]
    pub asker: Asker,
    /// The run whose question this one follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<Follows>,
    /// The program that asks, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramText>,
    /// Whether general models may be told a role before their task.
    #[serde(default = "yes")]
    pub roles: bool,
    /// Whether answers of providers are audited whose weights are at hand.
    #[serde(default = "yes")]
    pub audit: bool,
    /// Whether everything is read again, whatever earlier runs verified.
    #[serde(default)]
    pub fresh: bool,
    /// Whether it is paid in play money of a swarm on this machine, which goes with its process.
    #[serde(default)]
    pub play_money: bool,
}

/// The own model as a venue.
pub const LOCAL: &str = LOCAL_PROVIDER;
const BUDGET: u64 = 1_000;
const TIMEOUT_SECS: u64 = 300;
const DISCOVERY_SECS: u64 = 5;
/// Records per fragment unless told otherwise.
pub(super) const FRAGMENT_LINES: usize = 16;
/// Tokens per fragment: small enough for any model, and for the size of a job on the wire.
pub(super) const FRAGMENT_TOKENS: usize = 2_000;

impl RunRequest {
    /// Whether providers are asked that may want their pay before they work.
    pub fn pays_foreign(&self) -> bool {
        !self.play_money && !self.foreign.is_empty()
    }

    /// Joins what was asked for with the settings; what was asked for wins.
    pub fn from_spec(spec: &RunSpec, config: &Config) -> anyhow::Result<Self> {
        let settings = &config.ask;
        let relays = first_named([&spec.relays, &settings.relays, &config.relays]);
        let providers = first_named([&spec.providers, &settings.providers]);
        let local = spec.local || settings.local;
        let preset = spec.preset.clone().or_else(|| settings.preset.clone());
        let base = preset_policy(preset.as_deref())?;
        let from_preset = |value: u64, standard: u64| if preset.is_some() { value } else { standard };
        let policy_limit = config.pay_before.per_job.unwrap_or(0);
        let bid = spec.bid.unwrap_or(policy_limit);
        let files = spec
            .files
            .iter()
            .map(|file| {
                if file.as_os_str() == ingest::STANDARD_INPUT {
                    Ok(file.clone())
                } else {
                    std::path::absolute(file)
                }
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            question: spec.question.trim().to_owned(),
            by: spec.by.or(settings.by).unwrap_or_default(),
            reading: spec.reading.clone(),
            read_by_model: None,
            files,
            password_file: spec
                .password_file
                .as_ref()
                .or(config.documents.password_file.as_ref())
                .map(std::path::absolute)
                .transpose()?,
            hashes: Vec::new(),
            relays,
            providers: provider_keys("--provider", &providers)?,
            blocked: provider_keys("[ask] blocked", &settings.blocked)?,
            foreign: provider_keys("--foreign", &first_named([&spec.foreign, &settings.foreign]))?,
            venues: if local { Vec::new() } else { venues(first_named([&spec.venues, &settings.venues]))? },
            bid,
            agreed_before: if spec.yes || settings.yes { bid } else { policy_limit },
            verify: spec
                .verify
                .clone()
                .or_else(|| settings.verify.clone())
                .unwrap_or_else(|| base.verification.to_string()),
            level: spec.level.or(settings.level).unwrap_or_default(),
            budget: spec.budget.or(settings.budget).unwrap_or(from_preset(base.budget.0, BUDGET)),
            quorum: spec.quorum.or(settings.quorum),
            timeout: spec
                .timeout
                .or(settings.timeout)
                .unwrap_or(from_preset(base.timeout.total.as_secs(), TIMEOUT_SECS)),
            job_timeout: spec.job_timeout.or(settings.job_timeout),
            preset,
            discovery: spec.discovery.or(settings.discovery).unwrap_or(DISCOVERY_SECS),
            fragment_lines: spec.fragment_lines.or(settings.fragment_lines).unwrap_or(FRAGMENT_LINES),
            local,
            model: spec.model.clone().or_else(|| settings.model.clone()),
            asker: asker(spec, settings)?,
            follows: spec.after.as_deref().map(Follows::run),
            program: None,
            roles: config.routing.roles,
            audit: settings.audit.unwrap_or(true),
            fresh: spec.fresh || settings.fresh,
            play_money: false,
        })
    }

    /// The roles that general models may be told, for quotes.
    pub fn roles_told(&self) -> &'static [Role] {
        if self.roles { &roles::OF_RUNS } else { &[] }
    }

    /// Whether subtasks may go to this venue by the user's word.
    pub fn names(&self, venue: &str) -> bool {
        self.venues.iter().any(|name| name == venue)
    }

    /// Whether anything may go to the swarm.
    pub fn uses_swarm(&self) -> bool {
        !self.local && (self.venues.is_empty() || self.names(SWARM))
    }

    /// Names of venues that `config.toml` must describe.
    pub fn own_venues(&self) -> impl Iterator<Item = &str> {
        self.venues.iter().map(String::as_str).filter(|name| ![SWARM, LOCAL].contains(name))
    }

    /// How to behave, and whom to ask: what holds for every question asked like this one, if all of it makes sense.
    pub fn terms(&self) -> anyhow::Result<(FrlmPolicy, Vec<RelayUrl>)> {
        if self.fragment_lines == 0 || self.timeout == 0 || self.job_timeout == Some(0) {
            return Err(
                Failure::usage("--fragment-lines, --timeout and --job-timeout must be at least 1").into()
            );
        }
        if self.timeout.max(self.discovery).max(self.job_timeout.unwrap_or(0)) > MOST_SECS {
            return Err(Failure::usage(format!(
                "--timeout, --job-timeout and --discovery can be at most {MOST_SECS} seconds (a year)"
            ))
            .into());
        }
        let policy = self.policy()?;
        Ok((policy, relay_urls(&self.relays)?))
    }

    fn policy(&self) -> anyhow::Result<FrlmPolicy> {
        let mut policy = preset_policy(self.preset.as_deref())?;
        policy.budget = Sats(self.budget);
        policy.timeout.total = Duration::from_secs(self.timeout);
        if let Some(seconds) = self.job_timeout {
            policy.timeout.per_query = Duration::from_secs(seconds);
        }
        if self.preset.is_none() {
            policy.quorum = Quorum::All;
        }
        if let Some(share) = self.quorum {
            if !(0.0..=1.0).contains(&share) {
                return Err(Failure::usage(format!("--quorum {share}: give a share between 0 and 1")).into());
            }
            policy.quorum = Quorum::Fraction(share);
        }
        policy.verification = read_policy(&self.verify)?;
        policy.level = self.level;
        Ok(policy)
    }
}

/// Runs of earlier versions told roles, and may be audited when they go on.
fn yes() -> bool {
    true
}

/// Names of venues as they may be given: each once, and no more than a run can tell apart.
fn venues(names: Vec<String>) -> anyhow::Result<Vec<String>> {
    let simple = |name: &&String| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    if let Some(name) = names.iter().find(|name| !simple(name)) {
        return Err(Failure::usage(format!("--venue {name}: a name has letters, digits, - and _")).into());
    }
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    let own = distinct.iter().filter(|name| *name != SWARM).count();
    if own > MOST_OWN_VENUES {
        return Err(Failure::usage(format!(
            "{own} venues are named beside the swarm; a run uses at most {MOST_OWN_VENUES}"
        ))
        .into());
    }
    Ok(distinct)
}

fn preset_policy(name: Option<&str>) -> anyhow::Result<FrlmPolicy> {
    match name {
        None => Ok(FrlmPolicy::standard()),
        Some(name) => Ok(FrlmPolicy::preset(name).ok_or_else(|| {
            Failure::usage(format!("unknown preset \"{name}\"; use default or production"))
        })?),
    }
}

fn read_policy(name: &str) -> anyhow::Result<VerificationPolicy> {
    match name.parse::<PolicyName>().map_err(Failure::usage)? {
        PolicyName::None => Ok(VerificationPolicy::None),
        PolicyName::Adaptive(config) => Ok(VerificationPolicy::Adaptive(config)),
        PolicyName::Redundancy { replicas, agree } => Ok(VerificationPolicy::Redundancy { replicas, agree }),
        PolicyName::Validated { validator } => {
            let key = PublicKey::parse(&validator).map_err(|_| {
                Failure::usage(format!(
                    "--verify validated:{validator}: not a public key; use the npub1… that the validator's \
                     frlm provide prints"
                ))
            })?;
            Ok(VerificationPolicy::Validated { validator: key.to_hex() })
        }
        PolicyName::Objective { file } => {
            let text = std::fs::read_to_string(&file).map_err(|error| {
                Failure::usage(format!(
                    "--verify objective:{file}: {error}; name a JSON schema, or a check in Python"
                ))
            })?;
            if Path::new(&file).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("py")) {
                sandbox::compiles(&text)
                    .map_err(|why| Failure::usage(format!("--verify objective: {file}: {why}")))?;
                return Ok(VerificationPolicy::Checked { check: text.into() });
            }
            let schema = serde_json::from_str(&text).map_err(|error| {
                Failure::usage(format!(
                    "--verify objective: {file} is not JSON: {error} (a check in Python has a name in .py)"
                ))
            })?;
            frlm_verifier::check_schema(&schema).map_err(|error| {
                Failure::usage(format!("--verify objective: {file} is not a JSON schema: {error}"))
            })?;
            Ok(VerificationPolicy::Objective { schema })
        }
    }
}

/// Hex keys of those who are named by this flag or setting.
fn provider_keys(flag: &str, names: &[String]) -> anyhow::Result<Vec<String>> {
    let key = |name: &String| {
        PublicKey::parse(name).map(|key| key.to_hex()).map_err(|_| {
            Failure::usage(format!(
                "{flag} {name}: not a public key; use the npub1… that frlm provide prints"
            ))
        })
    };
    Ok(names.iter().map(key).collect::<Result<_, _>>()?)
}

/// A request whose documents were read and whose every part makes sense.
#[derive(Debug)]
pub struct Prepared {
    /// The request, with the documents' hashes.
    pub request: RunRequest,
    /// How to behave.
    pub policy: FrlmPolicy,
    /// Document names, in order, and what could not be read.
    pub documents: DocumentList,
    /// The documents in pieces.
    pub fragments: Vec<Arc<Fragment>>,
    /// All of it as one piece, if that is no larger than any other piece may be: a simple question that needs words is
    /// asked of that.
    pub whole: Option<Arc<Fragment>>,
    /// Field names seen in the documents.
    pub hints: FieldHints,
    /// What code made of the question, if it could.
    pub query: Option<Query>,
    /// Its parts, if it has several and code can read each.
    pub compound: Option<Arc<Compound>>,
    /// The answer, if code computed it from a table.
    pub computed: Option<Computed>,
    /// Readings that code cannot decide between; a person may choose one ([`RunRequest::reading`]).
    pub readings: Vec<OtherReading>,
    /// What a model reads: one of the user's own before the run begins, or a provider's.
    pub(super) unsure: Option<Unsure>,
    /// Whether the question is asked of tables, and code is not sure how it is meant.
    pub(super) reading_is_unsure: bool,
    /// Whom to ask.
    pub relays: Vec<RelayUrl>,
    /// What the user should know about the documents.
    pub warnings: Vec<IngestWarning>,
    /// What was found out before the run began, for its record.
    pub(super) notices: Vec<String>,
}

impl Prepared {
    /// Whether code answers the question and no provider is asked. A model of the user's own may read it before
    /// ([`Prepared::asks_own_model`]).
    pub fn by_code(&self) -> bool {
        self.is_read_by_code() || self.unsure.as_ref().is_some_and(Unsure::is_all_there_is)
    }

    /// Whether a model of the user's own is asked first how the question is meant.
    pub fn asks_own_model(&self) -> bool {
        self.unsure.as_ref().is_some_and(|unsure| unsure.for_own_model)
    }

    fn is_read_by_code(&self) -> bool {
        if self.computed.is_some() {
            return true;
        }
        match &self.compound {
            Some(compound) => compound.by_code(),
            None => self.query.as_ref().is_some_and(|query| !needs_model(query)),
        }
    }

    /// Takes an answer by code.
    pub(super) fn take_answer(&mut self, answer: &ByCode) {
        if answer.is_of_kept_text() {
            self.fragments = answer.fragments().into_iter().map(Arc::new).collect();
        }
        self.computed = Some(answer.computed(&self.fragments));
    }

    /// Takes another question in the place of the one that was read.
    pub fn reread(&mut self, question: String) {
        let pieces: Vec<Fragment> = self.fragments.iter().map(|fragment| (**fragment).clone()).collect();
        self.query = parse(&question, &self.hints);
        self.compound = match &self.query {
            Some(_) => None,
            None => Compound::read(&question, &pieces).map(Arc::new),
        };
        self.request.question = question;
    }
}

/// What is asked of tables: each part of a question that has several, if it can be asked before another is answered. Nothing, where
/// a question follows another and only a model can tell what it means.
fn asked_of_tables<'a>(request: &'a RunRequest, compound: Option<&'a Compound>) -> Vec<&'a str> {
    if request.follows.as_ref().is_some_and(|follows| !follows.by_code) {
        return Vec::new();
    }
    let Some(compound) = compound else { return vec![&request.question] };
    compound.parts.iter().filter(|part| part.needs.is_none()).map(|part| part.text.as_str()).collect()
}

/// The longest question that can be asked: a quarter of what an encrypted event holds, so that a fragment and
/// an answer have room beside it.
const MOST_QUESTION_BYTES: usize = 16 * 1_024;

/// Checks a request and reads its documents. Nothing leaves this machine.
pub fn prepare(mut request: RunRequest, documents: &Documents) -> anyhow::Result<Prepared> {
    check_question(&request.question)?;
    let (policy, relays) = request.terms()?;
    if let Some(program) = &request.program {
        program.check()?;
    }
    if takes_a_reader(&request) && relays.is_empty() && request.uses_swarm() {
        return Err(Failure::usage(NO_RELAY).into());
    }
    if request.files.is_empty() {
        return Err(Failure::usage(
            "no document was given; name one or more with --file PATH (a folder works too, - reads a pipe)",
        )
        .into());
    }
    let password = request.password_file.as_deref().map(password_from).transpose()?;
    let reader = documents.clone().with_password(password);
    let ingested = reader.read(&request.files).map_err(Failure::usage)?;
    let hashes: Vec<String> = ingested.documents.iter().map(|document| document.sha256.clone()).collect();
    if !request.hashes.is_empty() && request.hashes != hashes {
        return Err(Failure::usage(
            "the documents have changed since the run began, so its verified parts no longer hold; \
             ask again with frlm ask",
        )
        .into());
    }
    request.hashes = hashes;
    let options = SplitOptions { max_tokens: FRAGMENT_TOKENS, max_records: request.fragment_lines };
    // What a program asks, it says itself.
    let asks = request.program.is_none();
    let mut told = by_code::Told { warnings: ingested.warnings, ..by_code::Told::default() };
    let mut answered = if asks && request.follows.is_none() {
        let (by, choice) = (request.by, request.reading.as_ref());
        let is_for_planner = !takes_a_reader(&request);
        let has_model = is_for_planner && request.model.as_deref().is_some_and(models::is_general);
        let has_swarm = is_for_planner && by == By::Auto && request.uses_swarm() && !relays.is_empty();
        let inquiry = by_code::Inquiry { question: &request.question, by, choice, has_model, has_swarm };
        by_code::answer(inquiry, &ingested.documents, documents.tables(), &mut told)?
    } else {
        None
    };
    if let Some(reply) = &request.read_by_model
        && let Some(unsure) = told.unsure.take()
    {
        let read = unsure.read(reply);
        answered = Some(read.map_err(|why| Failure::usage(format!("{why} Ask again with frlm ask")))?);
    }
    // All parts of a long document take much memory, and nobody is asked about them.
    let long = match &answered {
        Some(answered) => answered.is_of_kept_text().then(|| answered.fragments()),
        None => told.unsure.as_ref().and_then(Unsure::part_of_kept_text),
    };
    let Understood { fragments, hints, query, mut compound } = match long {
        Some(fragments) => Understood::unasked(fragments),
        None => understand(asks.then_some(&request.question), &ingested.documents, options),
    };
    let computed = answered.map(|answered| answered.computed(&fragments));
    if let Some(follows) = request.follows.as_mut().filter(|follows| !follows.settled) {
        let stands = query.is_some() || compound.is_some();
        if let Some(together) = follows.settle_by_code(stands, &request.question, &fragments) {
            compound = Compound::read(&together, &fragments);
            request.question = together;
        }
    }
    // The tables were asked the whole question as it was written, if anything.
    if asks && computed.is_none() && (compound.is_some() || request.follows.is_some()) {
        let questions = asked_of_tables(&request, compound.as_ref());
        told.is_unsure = is_unsure_over(&questions, &ingested.documents, documents.tables());
    }
    let whole = if asks && query.is_none() && computed.is_none() {
        in_one_piece(&ingested.documents, &fragments)
    } else {
        None
    };
    let names = ingested.documents.iter().map(|document| document.name.clone()).collect();
    let mut prepared = Prepared {
        policy,
        documents: DocumentList::of(names, &told.warnings),
        fragments: fragments.into_iter().map(Arc::new).collect(),
        whole: whole.map(Arc::new),
        hints,
        query,
        compound: compound.map(Arc::new),
        computed,
        readings: told.readings,
        unsure: told.unsure,
        reading_is_unsure: told.is_unsure,
        relays,
        warnings: told.warnings,
        notices: Vec::new(),
        request,
    };
    // What code counts line by line, no model knows better.
    if prepared.computed.is_none() && prepared.is_read_by_code() {
        prepared.unsure = None;
    }
    if prepared.relays.is_empty() && prepared.request.uses_swarm() && !prepared.by_code() {
        let failure = Failure::usage(NO_RELAY);
        match &mut prepared.unsure {
            Some(unsure) => unsure.or_fail(failure),
            None => return Err(failure.into()),
        }
    }
    Ok(prepared)
}

fn check_question(question: &str) -> Result<(), Failure> {
    if question.is_empty() {
        return Err(Failure::usage("the question is empty; try: frlm ask \"How many …?\" --file PATH"));
    }
    if question.len() > MOST_QUESTION_BYTES {
        return Err(Failure::usage(format!(
            "the question has {} bytes and at most {MOST_QUESTION_BYTES} can be asked: every job carries it. Put \
             long text into a document and name it with --file PATH",
            question.len()
        )));
    }
    Ok(())
}

/// No relay is contacted that the user did not name (design.md, section 3).
pub const NO_RELAY: &str = "no relay is named, and none is contacted without your consent. Choose one:
  this machine      frlm relay, then --relay ws://127.0.0.1:7777
  a private swarm   --relay ws://HOST:7777 of the machine that runs frlm relay
  a public relay    --relay wss://HOST (jobs are encrypted; the relay sees who asks whom, and when)
  no swarm at all   --local --model PATH.gguf
Set `relays = [\"ws://…\"]` in config.toml to make it the default";

/// The same for a provider: without a relay nobody finds it.
pub const NO_RELAY_TO_SERVE: &str =
    "no relay is named, and none is contacted without your consent. Choose one, the \
same as those who are to ask:
  this machine      frlm relay, then --relay ws://127.0.0.1:7777
  a private swarm   --relay ws://HOST:7777 of the machine that runs frlm relay
  a public relay    --relay wss://HOST (jobs are encrypted; the relay sees who asks whom, and when)
Set `relays = [\"ws://…\"]` in config.toml to make it the default";
