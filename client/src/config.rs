//! `config.toml`: what the flags of `ask`, `provide`, `relay` and `serve` are where a command does not name them. A flag that
//! means one question alone (`--after`, `--dry-run`, `--json`) is not there, and `serve` asks by `[ask]`.

mod blobs;

use std::net::SocketAddr;
use std::path::Path;
use std::str::FromStr;

use frlm_learning::planning::decompose::Tuning;
use frlm_learning::routing::ProductionSettings;
use frlm_verifier::request::VerificationLevel;
use frlm_wallet::Sats;
use frlm_wallet::ledger::Limits;
use nostr::RelayUrl;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

pub use self::blobs::BlobsConfig;
use crate::failure::Failure;

/// The settings file. Flags win over it, it wins over the built-in defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Relays for `ask` and `provide`, where a command names none.
    pub relays: Vec<String>,
    /// `frlm ask`
    pub ask: AskConfig,
    /// `frlm provide`
    pub provide: ProvideConfig,
    /// Whose word counts about others.
    pub trust: TrustConfig,
    /// `frlm relay`
    pub relay: RelayConfig,
    /// Where jobs go that are too large for an event.
    pub blobs: BlobsConfig,
    /// `frlm serve`
    pub serve: ServeConfig,
    /// How documents are read.
    pub documents: DocumentsConfig,
    /// What all runs together may spend, and on whom.
    pub limits: LimitsConfig,
    /// Pay before the work, for foreign providers.
    pub pay_before: PayBeforeConfig,
    /// Engines and endpoints of the user's own that `--venue` can name.
    pub venues: Vec<VenueConfig>,
    /// How runs decide where their subtasks go.
    pub routing: RoutingConfig,
    /// How the policy learns that takes questions apart.
    #[serde(deserialize_with = "checked")]
    pub brain: Tuning,
}

/// What nothing could be learned with is refused where it stands.
fn checked<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tuning, D::Error> {
    let tuning = Tuning::deserialize(deserializer)?;
    tuning.check().map_err(|why| D::Error::custom(format!("[brain] {why}")))?;
    Ok(tuning)
}

/// A limit that lets nothing through would be a service that refuses everything.
fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let limit = usize::deserialize(deserializer)?;
    if limit == 0 { Err(D::Error::custom("must be at least 1")) } else { Ok(limit) }
}

/// An engine or endpoint of the user's own. Its operator sees the fragments that go there, and its answers are
/// believed like those of the own machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VenueConfig {
    /// What it is called: letters, digits, `-` and `_`.
    pub name: String,
    /// As for `--model`.
    pub model: String,
    /// Sats per 1,000 tokens, counted against a run's budget. Nothing is paid from here.
    #[serde(default)]
    pub price: u64,
    /// The environment variable that holds its key. Without one no key is sent.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Tokens that prompt and answer may fill together. Without it what the weights or the endpoint say, else 8,192.
    #[serde(default)]
    pub context: Option<usize>,
}

/// How documents are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentsConfig {
    /// Whether what was read of PDF, Office and other files is kept for the next time.
    pub cache: bool,
    /// Whether such files are read where nothing limits their reader. A hostile file can then take all memory.
    pub unconfined: bool,
    /// The file that holds the password of encrypted documents.
    pub password_file: Option<std::path::PathBuf>,
}

impl Default for DocumentsConfig {
    fn default() -> Self {
        Self { cache: true, unconfined: false, password_file: None }
    }
}

/// How runs decide role and venue of a subtask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoutingConfig {
    /// Whether runs change what is known of roles and venues.
    pub online_learning: bool,
    /// Whether runs try what is not known to be best.
    pub explore: bool,
    /// Whether general models are told to be an analyst, a researcher and so on before their task, which takes some
    /// 30 tokens of each prompt. Otherwise a decision is one about venues alone.
    pub roles: bool,
    /// Decisions that are kept for `frlm route health`.
    pub log_entries: usize,
}

impl Default for RoutingConfig {
    fn default() -> Self {
        let ProductionSettings { online_learning, explore, tell_roles, log_entries, .. } =
            ProductionSettings::default();
        Self { online_learning, explore, roles: tell_roles, log_entries }
    }
}

impl From<RoutingConfig> for ProductionSettings {
    fn from(config: RoutingConfig) -> Self {
        let RoutingConfig { online_learning, explore, roles, log_entries } = config;
        Self { online_learning, explore, tell_roles: roles, log_entries, ..Self::default() }
    }
}

/// What foreign providers may be paid before they work, unescrowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PayBeforeConfig {
    /// Up to so many sats for one job without asking; it is also what is offered unless `--bid` says
    /// otherwise.
    pub per_job: Option<u64>,
    /// Whether a Lightning wallet (`FRLM_NWC`) pays, instead of a mint.
    pub lightning: bool,
    /// Whether a provider without an invoice is given a Cashu token: anybody who reads it has the sats.
    pub token: bool,
}

/// Limits in sats beside a run's own budget; fees count, and a day is the last 24 hours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitsConfig {
    /// All attempts at one subtask.
    pub per_subtask: Option<u64>,
    /// All runs, in a day.
    pub per_day: Option<u64>,
    /// One provider, in a day.
    pub per_provider: Option<u64>,
    /// Through one mint, in a day.
    pub per_mint: Option<u64>,
}

impl From<LimitsConfig> for Limits {
    fn from(config: LimitsConfig) -> Self {
        Self {
            per_subtask: config.per_subtask.map(Sats),
            per_day: config.per_day.map(Sats),
            per_provider: config.per_provider.map(Sats),
            per_mint: config.per_mint.map(Sats),
        }
    }
}

/// Who answers a question about the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Code, where it finds a place for every word or a model of the user's own has read it; else the swarm.
    Auto,
    /// Code, by its own reading or that of a model of the user's own; or nobody.
    Code,
    /// The swarm, whatever code could tell.
    #[default]
    Swarm,
}

impl By {
    const ALL: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("code", Self::Code), ("swarm", Self::Swarm)];
}

impl FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|(name, _)| *name == text);
        named.map(|(_, by)| by).ok_or_else(|| format!("{text:?} is unknown; use auto, code or swarm"))
    }
}

/// Defaults of `frlm ask`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "settings of a question")]
pub struct AskConfig {
    /// `--budget`
    pub budget: Option<u64>,
    /// `--relay`
    pub relays: Vec<String>,
    /// `--provider`
    pub providers: Vec<String>,
    /// `--foreign`
    pub foreign: Vec<String>,
    /// Providers that are never asked.
    pub blocked: Vec<String>,
    /// `--venue`
    pub venues: Vec<String>,
    /// `--verify`
    pub verify: Option<String>,
    /// `--by`
    pub by: Option<By>,
    /// `--level`
    pub level: Option<VerificationLevel>,
    /// `--preset`
    pub preset: Option<String>,
    /// `--quorum`
    pub quorum: Option<f64>,
    /// `--timeout`
    pub timeout: Option<u64>,
    /// `--job-timeout`
    pub job_timeout: Option<u64>,
    /// `--discovery`
    pub discovery: Option<u64>,
    /// `--fragment-lines`
    pub fragment_lines: Option<usize>,
    /// `--local`
    pub local: bool,
    /// `--model`: also the model that may step in when the swarm cannot answer.
    pub model: Option<String>,
    /// `--language`
    pub language: Option<String>,
    /// `--style`
    pub style: Option<String>,
    /// `--expertise`
    pub expertise: Option<String>,
    /// `--interest`
    pub interests: Vec<String>,
    /// `--priority`
    pub priority: Option<String>,
    /// `--fresh`
    pub fresh: bool,
    /// Whether verified claims are kept for the next time, and those of earlier runs are used (on unless it says `false`).
    pub cache: Option<bool>,
    /// `--yes`
    pub yes: bool,
    /// Whether providers that are paid are shown whose run it is: they do more unreleased work for whom they know, and
    /// can tell then which runs are of one asker.
    pub certificate: bool,
    /// Whether some answers of providers that claim to run the embedded model are read by it (on unless it says
    /// `false`): this machine tells that way who runs another one.
    pub audit: Option<bool>,
    /// Whether the small model inside the program takes questions apart where code and no model of the user's can, and
    /// says in a sentence what the parts came to (on unless it says `false`).
    pub embedded_brain: Option<bool>,
}

/// Defaults of `frlm provide`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProvideConfig {
    /// `--relay`
    pub relays: Vec<String>,
    /// `--model`
    pub model: Option<String>,
    /// `--price`
    pub price: Option<u64>,
    /// `--price-written`
    pub price_written: Option<u64>,
    /// `--minimum`
    pub minimum: Option<u64>,
    /// `--surge`
    pub surge: Option<u32>,
    /// `--surge-from`
    pub surge_from: Option<usize>,
    /// `--pay-after`
    pub pay_after: Option<u32>,
    /// `--free`
    pub free: Option<u32>,
    /// `--name`
    pub name: Option<String>,
    /// `--queue`
    pub queue: Option<usize>,
    /// `--open-jobs`
    pub open_jobs: bool,
    /// Whether nobody is told at which other relays the provider is.
    pub hide_relays: bool,
    /// `--pow`
    pub pow: Option<u8>,
}

/// Whose word counts about keys of which nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrustConfig {
    /// Whom these keys follow, or label as good, is vouched for.
    pub follow: Vec<String>,
}

/// Defaults of `frlm relay`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelayConfig {
    /// `--listen`
    pub listen: Option<SocketAddr>,
    /// `--no-blobs`
    pub no_blobs: bool,
}

/// Defaults of `frlm serve`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServeConfig {
    /// `--listen`
    pub listen: Option<SocketAddr>,
    /// Requests of one caller in any 60 seconds.
    #[serde(deserialize_with = "at_least_one")]
    pub per_minute: usize,
    /// Questions that are asked at once.
    #[serde(deserialize_with = "at_least_one")]
    pub at_once: usize,
    /// Questions that may wait.
    pub waiting: usize,
    /// Policies that callers may choose beside that of `[ask]`, and stricter ones of their kinds.
    pub verify: Vec<String>,
    /// `--nostr`
    pub nostr: bool,
    /// `--open-jobs`
    pub open_jobs: bool,
    /// Who may ask; empty: programs on this machine.
    pub callers: Vec<CallerConfig>,
}

impl Default for ServeConfig {
    fn default() -> Self {
        let per_minute = ProductionSettings::default().per_minute;
        Self {
            listen: None,
            per_minute,
            at_once: 4,
            waiting: 32,
            verify: Vec::new(),
            nostr: false,
            open_jobs: false,
            callers: Vec::new(),
        }
    }
}

/// Somebody who may ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallerConfig {
    /// Its requests are counted under this name.
    pub name: String,
    /// The environment variable that holds its key.
    pub key_env: String,
}

impl Config {
    /// Reads the file; one that is not there means defaults.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(Failure::usage(format!("cannot read {}: {error}", path.display())).into());
            }
        };
        Ok(toml::from_str(&text)
            .map_err(|error| Failure::usage(format!("{} is not usable: {error}", path.display())))?)
    }
}

/// The first list that names anything.
pub fn first_named<'a>(lists: impl IntoIterator<Item = &'a Vec<String>>) -> Vec<String> {
    lists.into_iter().find(|list| !list.is_empty()).cloned().unwrap_or_default()
}

/// Addresses of relays, as somebody named them.
pub fn relay_urls<'a>(named: impl IntoIterator<Item = &'a String>) -> Result<Vec<RelayUrl>, Failure> {
    named.into_iter().map(|url| frlm_relay::parse_relay_url(url).map_err(Failure::usage)).collect()
}

#[cfg(test)]
mod reference_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::render_error;

    #[test]
    fn a_wrong_key_names_the_file_and_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, "[ask]\nbugdet = 5\n").unwrap();
        let (message, code) = render_error(&Config::load(&path).unwrap_err());
        assert_eq!(code, 2);
        assert!(message.contains("bugdet") && message.contains("config.toml"));
    }

    #[test]
    fn the_file_sets_what_flags_set() {
        let text = "relays = ['ws://a']\n[ask]\nbudget = 5\nverify = 'none'\naudit = false\ncertificate = true\nembedded_brain = false\n\
                    fresh = true\ncache = false\n[provide]\nprice = 2\n\
                    pay_after = 3\nfree = 4\n[limits]\nper_day = 900\n";
        let config: Config = toml::from_str(text).unwrap();
        assert_eq!((config.ask.budget, config.provide.price), (Some(5), Some(2)));
        assert_eq!((config.ask.audit, config.provide.pay_after), (Some(false), Some(3)));
        assert_eq!((config.ask.certificate, config.provide.free), (true, Some(4)));
        assert_eq!(config.ask.embedded_brain, Some(false));
        assert_eq!((config.ask.fresh, config.ask.cache), (true, Some(false)));
        assert_eq!(Limits::from(config.limits), Limits { per_day: Some(Sats(900)), ..Limits::default() });
        assert_eq!(config.brain, Tuning::default());
    }

    #[test]
    fn learning_settings_may_be_partial_and_bad_ones_are_named_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let load = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Config::load(&path)
        };
        let config = load("[brain]\nexploration_rate = 0.05\nupdate_every = 50\n").unwrap();
        let wanted = Tuning { exploration_rate: 0.05, update_every: 50, ..Tuning::default() };
        assert_eq!(config.brain, wanted);
        for (text, named) in [
            ("[brain]\nexploration_rate = 2.0\n", "[brain] exploration_rate is 2 and must be from 0 to 1"),
            ("[brain]\nbatch_size = 2000\n", "from 1 to 1000, the buffer"),
            ("[brain]\nhidden = 64\n", "hidden"),
            ("[brain]\nlearning_rate = \"fast\"\n", "learning_rate"),
        ] {
            let (message, code) = render_error(&load(text).unwrap_err());
            assert_eq!(code, 2, "{text}");
            assert!(message.contains(named) && message.contains("config.toml"), "{message}");
        }
    }
}
