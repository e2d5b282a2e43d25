//! What the earn screen knows.

use frlm_client::provider::{ProviderEvent, ProviderStats};
use frlm_client::wallet::escrow::Earning;

use super::form::{Field, Form};
use super::jobs::Jobs;
use super::lists::{job_key, pay_key};
use super::words;
use crate::desktop::screens::load::Load;
use crate::desktop::screens::providers::Relay;
use crate::desktop::widgets::{Order, Sorted};
use frlm_client::provider_pay::Pay;

/// Until when to serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Until {
    /// Until it is stopped.
    #[default]
    Stopped,
    /// For so many hours.
    Hours(u8),
}

/// How this machine stands as a provider.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Status {
    /// It does not serve.
    #[default]
    Off,
    /// The model is loaded, the relays are connected to.
    Starting,
    /// It serves.
    On {
        /// Its public key, npub1….
        key: String,
        /// The model that it serves.
        model: String,
        /// Jobs that it works on at once.
        at_once: u64,
        /// Whether the model copies fields of records and does nothing else.
        records_only: bool,
        /// Where it listens.
        relays: Vec<String>,
    },
    /// Running jobs finish, those that wait are refused.
    Stopping,
    /// It serves again by itself after a while.
    Paused {
        /// After so many minutes.
        minutes: u64,
    },
    /// Other programs need the machine; it serves again by itself when they do not.
    Yielding,
    /// It is not among its hours; it serves again by itself when they begin.
    Resting {
        /// "22:00".
        until: String,
    },
    /// It could not be started, or ended by itself.
    Failed(String),
}

/// How this machine would be paid.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PaymentSetup {
    /// That is being looked up.
    #[default]
    Unknown,
    /// No wallet was made: prices would be quoted and counted, and no sats would move.
    NoWallet,
    /// The wallet trusts no mint: no price could be taken.
    NoMint,
    /// In escrow at these mints.
    Open(Vec<String>),
    /// The wallet cannot be opened.
    Broken(String),
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Listed {
    /// Jobs since it went online.
    #[default]
    Jobs,
    /// The pay of every job that ever came with its price.
    Pay,
}

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// What the settings file says.
    Form(Load<Box<Form>>),
    /// How this machine stands.
    Status(Status),
    /// What happened.
    Provider(Vec<ProviderEvent>),
    /// Counts and load.
    Stats(ProviderStats),
    /// Reports that were not passed on: there were too many.
    Missed(u64),
    /// How many minutes this place is east of Greenwich; `None`: the system does not say.
    Place(Option<i32>),
    /// How this machine would be paid.
    PaymentSetup(PaymentSetup),
    /// What the wallet's escrow book says, all of it or what has changed.
    Paid {
        /// Of jobs.
        earnings: Vec<Earning>,
        /// Unix seconds of the look.
        now_secs: u64,
    },
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// What is typed.
    Type(Field, String),
    /// Shows all that can be said of the price, or the price alone.
    MorePrices(bool),
    /// Takes plain jobs, or not.
    OpenJobs(bool),
    /// Pauses while other programs need the machine, or not.
    Yields(bool),
    /// Serves between certain hours only, or at all hours.
    ByHours(bool),
    /// Until when to serve.
    Until(Until),
    /// Goes online.
    Start,
    /// Goes offline: running jobs finish, those that wait are refused.
    Stop,
    /// Goes offline at once: running jobs are dropped and their askers told.
    StopNow,
    /// Goes offline, and online again after so many minutes.
    Pause(u64),
    /// Lists jobs or their pay.
    List(Listed),
    /// In which order the listed stand.
    Sort(Option<Order>),
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Earn {
    /// Whether the settings were read, or why they cannot be used: without them nothing is said of an offer.
    pub settings: Load<()>,
    /// What is offered.
    pub form: Form,
    /// Whether it was changed since the settings were read.
    pub edited: bool,
    /// Whether the user wants to see all that can be said of the price.
    pub more_prices: bool,
    /// Until when to serve.
    pub until: Until,
    /// How this machine stands.
    pub status: Status,
    /// Counts and load since it went online.
    pub stats: ProviderStats,
    /// Where it listens.
    pub relays: Vec<Relay>,
    /// The newest jobs.
    pub jobs: Jobs,
    /// Reports that were not passed on.
    pub missed: u64,
    /// How many minutes this place is east of Greenwich, if the system says.
    pub offset: Option<i32>,
    /// How this machine would be paid.
    pub payment_setup: PaymentSetup,
    /// What jobs were paid.
    pub pay: Pay,
    /// When that was looked up, in Unix seconds.
    pub pay_secs: u64,
    /// What is listed.
    pub listed: Listed,
    /// How that is sorted.
    pub sorted: Sorted,
}

impl Earn {
    /// Whether going online makes sense now.
    pub fn can_start(&self) -> bool {
        self.is_paused() || matches!(self.status, Status::Off | Status::Failed(_))
    }

    /// Whether it serves again by itself.
    pub fn is_paused(&self) -> bool {
        matches!(self.status, Status::Paused { .. } | Status::Yielding | Status::Resting { .. })
    }

    /// Whether the offer can be announced now, or why not.
    pub fn ready(&self) -> Result<(), &'static str> {
        match self.settings {
            Load::Busy => return Err(words::NEEDS_SETTINGS_READ),
            Load::Failed(_) => return Err(words::NEEDS_SETTINGS),
            Load::Ready(()) => {}
        }
        let limits = self.form.limits()?;
        if self.form.relays.is_empty() {
            return Err(words::NEEDS_RELAY);
        }
        match &self.payment_setup {
            _ if !limits.prices.is_paid() => Ok(()),
            PaymentSetup::NoMint => Err(words::NEEDS_MINT),
            PaymentSetup::Broken(_) => Err(words::NEEDS_WALLET),
            PaymentSetup::Unknown | PaymentSetup::NoWallet | PaymentSetup::Open(_) => Ok(()),
        }
    }

    /// Whether it serves.
    pub fn is_on(&self) -> bool {
        matches!(self.status, Status::On { .. })
    }

    /// Why there are no jobs, as far as can be told from here; empty while there are some.
    pub fn why_no_jobs(&self) -> Vec<String> {
        let Status::On { records_only, .. } = &self.status else { return Vec::new() };
        if self.stats.running > 0 || self.stats.queued > 0 || self.stats.finished > 0 {
            return Vec::new();
        }
        let mut reasons = Vec::new();
        for relay in self.relays.iter().filter(|relay| !relay.online) {
            reasons.push(words::relay_offline(&relay.address, &relay.words));
        }
        for (why, count) in self.jobs.refusals() {
            reasons.push(words::refused(count, why));
        }
        if self.stats.relays_online > 0 && self.stats.received == 0 && self.stats.refused == 0 {
            reasons.push(words::NONE_SENT.to_owned());
            if *records_only {
                reasons.push(words::ONLY_FIELDS.to_owned());
            }
            if !self.form.open_jobs {
                reasons.push(words::NO_OPEN_JOBS.to_owned());
            }
            if self.form.limits().is_ok_and(|limits| limits.prices.is_paid()) {
                reasons.push(words::CHEAPEST_FIRST.to_owned());
            }
        }
        reasons
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Form(Load::Busy) => {}
            Event::Form(Load::Failed(why)) => self.settings = Load::Failed(why),
            Event::Form(Load::Ready(form)) => {
                self.settings = Load::Ready(());
                if self.edited || !self.can_start() {
                    self.form.relays = form.relays;
                } else {
                    self.form = *form;
                }
            }
            Event::Status(status) => {
                if status == Status::Starting {
                    (self.jobs, self.missed) = (Jobs::default(), 0);
                    self.stats = ProviderStats::default();
                }
                match &status {
                    Status::On { relays, .. } => {
                        let connecting = |address: &String| Relay {
                            address: address.clone(),
                            online: false,
                            words: words::CONNECTING.to_owned(),
                        };
                        self.relays = relays.iter().map(connecting).collect();
                    }
                    Status::Off
                    | Status::Failed(_)
                    | Status::Paused { .. }
                    | Status::Yielding
                    | Status::Resting { .. } => {
                        self.relays.clear();
                    }
                    Status::Starting | Status::Stopping => {}
                }
                self.status = status;
            }
            Event::Provider(events) => {
                for event in &events {
                    self.note_relay(event);
                    self.jobs.take(event);
                }
            }
            Event::Stats(stats) => {
                self.stats = stats;
                // The first connections stand before anybody listens to reports about them.
                if stats.relays_online >= self.relays.len() {
                    for relay in self.relays.iter_mut().filter(|relay| !relay.online) {
                        (relay.online, relay.words) = (true, String::new());
                    }
                }
            }
            Event::Missed(count) => self.missed += count,
            Event::Place(offset) => self.offset = offset,
            Event::PaymentSetup(payment_setup) => self.payment_setup = payment_setup,
            Event::Paid { earnings, now_secs } => {
                self.pay.take(&earnings);
                self.pay_secs = now_secs;
            }
        }
        self.sort();
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events are not about a relay")]
    fn note_relay(&mut self, event: &ProviderEvent) {
        let words = |text: &str| frlm_client::protocol::printable(text).into_owned();
        let (address, online, said) = match event {
            ProviderEvent::RelayOnline { relay } => (relay, Some(true), String::new()),
            ProviderEvent::RelayOffline { relay, reason } => (relay, Some(false), words(reason)),
            ProviderEvent::RelayNotice { relay, message } => (relay, None, words(message)),
            _ => return,
        };
        let address = words(address);
        match self.relays.iter_mut().find(|relay| relay.address == address) {
            Some(relay) => (relay.online, relay.words) = (online.unwrap_or(relay.online), said),
            None => self.relays.push(Relay { address, online: online.unwrap_or(true), words: said }),
        }
    }

    /// Does what takes no time.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Type(field, text) => {
                self.form.field(*field).clone_from(text);
                self.edited = true;
            }
            Action::MorePrices(shown) => self.more_prices = *shown,
            Action::OpenJobs(taken) => {
                self.form.open_jobs = *taken;
                self.edited = true;
            }
            Action::Yields(yields) => {
                self.form.yields = *yields;
                self.edited = true;
            }
            Action::ByHours(by_hours) => {
                self.form.by_hours = *by_hours;
                self.edited = true;
            }
            Action::Until(until) => self.until = *until,
            Action::List(listed) if *listed != self.listed => {
                self.listed = *listed;
                // The other table has other columns.
                self.sorted.choose(None);
            }
            Action::Sort(order) => self.sorted.choose(*order),
            Action::Start if self.can_start() => self.apply(Event::Status(Status::Starting)),
            Action::Stop | Action::Pause(_) if self.is_on() => self.status = Status::Stopping,
            Action::Stop if self.is_paused() => self.status = Status::Off,
            Action::Start | Action::Stop | Action::StopNow | Action::Pause(_) | Action::List(_) => {}
        }
        self.sort();
    }

    /// By a column of the table that is listed.
    fn sort(&mut self) {
        match self.listed {
            Listed::Jobs => {
                let (jobs, pay) = (&self.jobs, &self.pay);
                self.sorted.sort(jobs.len(), |row, column| job_key(jobs, pay, row, column));
            }
            Listed::Pay => {
                let pay = &self.pay;
                self.sorted.sort(pay.count(), |row, column| pay_key(pay, row, column));
            }
        }
    }
}
