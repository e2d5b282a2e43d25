//! What the providers screen knows.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use frlm_client::conductor::swarm::Tariff;

use super::past_jobs::PastJobs;
use super::view::status;
use crate::desktop::screens::load::Load;
use crate::desktop::widgets::{Order, SortKey, Sorted};
use frlm_client::trial::Trial;

/// How watching the relays stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Watching {
    /// The settings are being read.
    #[default]
    Beginning,
    /// No relay is named, and none is contacted without that.
    NoRelay,
    /// The relays are being connected to.
    Connecting,
    /// At least one relay is there.
    On,
    /// No relay could be reached; it is tried again.
    Unreachable(String),
    /// The settings cannot be used.
    Failed(String),
}

/// Where a relay stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relay {
    /// Its address.
    pub address: String,
    /// Whether it can be used now.
    pub online: bool,
    /// Its last complaint, or why it is not there.
    pub words: String,
}

/// What a provider announces. All of it is a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Its public key, hex.
    pub key: String,
    /// What it calls itself.
    pub name: String,
    /// The model it claims to run.
    pub model: String,
    /// sha256 of the weights it claims, hex.
    pub weights_hash: Option<String>,
    /// Whether the model copies fields of records and does nothing else.
    pub records_only: bool,
    /// Tokens that prompt and answer may fill together.
    pub context_tokens: u64,
    /// Jobs that it works on at once.
    pub workers: u32,
    /// What it asks.
    pub tariff: Tariff,
}

/// What this machine knows of a provider from its answers so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Reputation {
    /// "known", "newcomer", "left out" or "lied".
    pub status: &'static str,
    /// The share in the kind of work in which it is trusted least, 0..=1; `None` before it did any.
    pub fidelity: Option<f64>,
    /// Each kind of work with its share.
    pub kinds: Vec<(String, f64)>,
    /// Fitness, 0..=1, and credits, a score; `None` before it earned any.
    pub score: Option<(f64, u64)>,
    /// Errors of it, of its weights, or of it and another one together that are more than chance, in words.
    pub biases: Vec<String>,
}

/// Whom the user's runs ask, as the settings file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choices {
    /// Never asked.
    pub blocked: BTreeSet<String>,
    /// If there are any, nobody else is asked.
    pub preferred: BTreeSet<String>,
}

/// Which providers are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// Those that can be asked now.
    #[default]
    Here,
    /// Those too that were asked before, or are blocked or preferred.
    Known,
}

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// How watching stands.
    Watching(Watching),
    /// Where the relays stand.
    Relays(Vec<Relay>),
    /// These can be asked, or ask for something else than before.
    Here(Vec<Offer>),
    /// These cannot be asked any more.
    Gone(Vec<String>),
    /// Nobody is here: watching started over.
    Nobody,
    /// How providers did in the recorded runs, by key, or why those cannot be read.
    PastJobs(Load<HashMap<String, PastJobs>>),
    /// The reputation of each provider, by key.
    Reputations(HashMap<String, Reputation>),
    /// What the settings file says.
    Choices(Choices),
    /// How the trial of a provider stands.
    Trial {
        /// Its key.
        key: String,
        /// How it stands.
        trial: Trial,
    },
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Reconnects.
    Again,
    /// Which providers are listed.
    Show(Show),
    /// In which order.
    Sort(Option<Order>),
    /// Shows what is known of a provider.
    Choose(String),
    /// Never to be asked, or to be asked again.
    Block(String, bool),
    /// To be among the only ones that are asked, or not.
    Prefer(String, bool),
    /// Sends one small job to a provider.
    Try(String),
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Providers {
    /// How watching the relays stands.
    pub watching: Watching,
    /// Where each relay stands.
    pub relays: Vec<Relay>,
    /// Who can be asked now, by key.
    pub here: BTreeMap<String, Offer>,
    /// How providers did in the recorded runs, by key.
    pub past_jobs: Load<HashMap<String, PastJobs>>,
    /// The reputation of each provider, by key.
    pub reputations: HashMap<String, Reputation>,
    /// What the settings file says.
    pub choices: Choices,
    /// Which are listed.
    pub show: Show,
    /// How they are sorted.
    pub sorted: Sorted,
    /// Whose details are shown.
    pub chosen: Option<String>,
    /// The latest trial of each provider that was tried, by key.
    pub trials: BTreeMap<String, Trial>,
    /// Keys of those that are listed: cheapest first, then by name.
    listed: Vec<String>,
}

impl Providers {
    /// Keys of those that are listed.
    pub fn listed(&self) -> &[String] {
        &self.listed
    }

    /// How a provider did in the recorded runs.
    pub fn past_jobs(&self, key: &str) -> Option<&PastJobs> {
        self.past_jobs.ready()?.get(key)
    }

    /// What to call a provider: its own name for itself, or the beginning of its key.
    pub fn name(&self, key: &str) -> String {
        let here = self.here.get(key).map(|offer| offer.name.as_str());
        let name = here.or(self.past_jobs(key).map(|past| past.name.as_str())).unwrap_or_default();
        if name.is_empty() { crate::desktop::widgets::words::short(key).to_owned() } else { name.to_owned() }
    }

    /// Whether a provider can be sent a trial now.
    pub fn can_try(&self, key: &str) -> bool {
        self.here.contains_key(key) && self.trials.get(key) != Some(&Trial::Busy)
    }

    /// Relays that can be used now.
    pub fn online(&self) -> usize {
        self.relays.iter().filter(|relay| relay.online).count()
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Watching(watching) => self.watching = watching,
            Event::Relays(relays) => self.relays = relays,
            Event::Here(offers) => {
                for offer in offers {
                    self.here.insert(offer.key.clone(), offer);
                }
            }
            Event::Gone(keys) => {
                for key in keys {
                    self.here.remove(&key);
                }
            }
            Event::Nobody => self.here.clear(),
            Event::PastJobs(past) => self.past_jobs = past,
            Event::Reputations(reputations) => self.reputations = reputations,
            Event::Choices(choices) => self.choices = choices,
            Event::Trial { key, trial } => drop(self.trials.insert(key, trial)),
        }
        self.list();
    }

    /// Does what needs no looking up.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Again => self.watching = Watching::Connecting,
            Action::Show(show) => self.show = *show,
            Action::Sort(order) => self.sorted.choose(*order),
            Action::Choose(key) => self.chosen = Some(key.clone()),
            Action::Try(key) => drop(self.trials.insert(key.clone(), Trial::Busy)),
            // What the file says counts; the work reports it.
            Action::Block(..) | Action::Prefer(..) => {}
        }
        self.list();
    }

    fn list(&mut self) {
        let mut keys: BTreeSet<&String> = self.here.keys().collect();
        if self.show == Show::Known {
            keys.extend(self.past_jobs.ready().into_iter().flat_map(HashMap::keys));
            keys.extend(self.choices.blocked.iter().chain(&self.choices.preferred));
        }
        let mut listed: Vec<_> = keys
            .into_iter()
            .map(|key| {
                // By what a usual job costs, as runs compare them.
                let price = self.here.get(key).map_or(u64::MAX, |offer| offer.tariff.usual().0);
                (price, self.name(key).to_lowercase(), key.clone())
            })
            .collect();
        listed.sort();
        self.listed = listed.into_iter().map(|(_, _, key)| key).collect();
        self.sort();
    }

    /// By a column of the table.
    fn sort(&mut self) {
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.sort(self.listed.len(), |row, column| {
            let key = self.listed[row].as_str();
            let (offer, past, reputation) =
                (self.here.get(key), self.past_jobs(key), self.reputations.get(key));
            match column {
                0 => SortKey::words(&self.name(key)),
                1 => offer.map_or(SortKey::Nothing, |offer| SortKey::words(&offer.model)),
                2 => SortKey::number(offer.map(|offer| offer.tariff.usual().0)),
                3 => SortKey::number(past.and_then(PastJobs::mean_ms)),
                4 => SortKey::share(
                    reputation.and_then(|reputation| reputation.score).map(|(fitness, _)| fitness),
                ),
                5 => SortKey::share(reputation.and_then(|reputation| reputation.fidelity)),
                6 => SortKey::share(past.and_then(PastJobs::agreement)),
                7 => SortKey::words(status(self, key).2),
                _ => SortKey::number(past.map(|past| past.spent_sats)),
            }
        });
        self.sorted = sorted;
    }
}
