//! What an operator decides about a provider.

use std::collections::HashSet;
use std::time::Duration;

use frlm_inference::Dialect;
use frlm_protocol::JobRequest;
use frlm_protocol::limits::{MAX_BLOB_BYTES, MAX_HEARTBEAT_LIFETIME_SECS, MAX_NAME_BYTES, MAX_POW_BITS};
use frlm_relay::BlobOptions;
use nostr::PublicKey;

use crate::prompt;

/// Prices while many jobs wait or run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surge {
    /// Number of waiting and running jobs at which these prices apply.
    pub from_jobs: usize,
    /// In percent of the usual prices.
    pub percent: u32,
}

/// An operator's settings. [`Default`] serves for free, directed jobs only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderConfig {
    /// For people; stands in the announcement.
    pub name: String,
    /// Millisats per 1,000 tokens read, and written unless that has a price of its own; 0 is free.
    pub price_msats_per_1k: u64,
    /// Millisats per 1,000 tokens written, where that is another price.
    pub written_msats_per_1k: Option<u64>,
    /// The least that a job costs, in millisats, however short it is.
    pub least_msats: u64,
    /// Other prices while many jobs wait or run. They are announced. A job that still bids the usual price is served.
    pub surge: Option<Surge>,
    /// Unpaid jobs that one key may have, and all keys together eight times as many in a day; 0: every
    /// price is locked before the work. Only for paid providers.
    pub pay_after_jobs: u32,
    /// Free jobs a day for one key, and eight times as many for all keys together; 0: none.
    pub free_jobs_per_day: u32,
    /// Most jobs that wait, all askers together.
    pub max_queue: usize,
    /// Whether plain open jobs are taken. Everybody on the relay can read them.
    pub accept_open_jobs: bool,
    /// Whether nobody is told at which other relays this provider is.
    pub hide_relays: bool,
    /// Bits of proof of work that a key of which nothing is known has to show while many wait; 0: none.
    pub pow_bits: u8,
    /// Bits of proof of work that the announcement shows; 0: none.
    pub announced_pow_bits: u8,
    /// Keys of askers that somebody vouches for: their jobs go before those of unknown ones.
    pub vouched: HashSet<PublicKey>,
    /// Most tokens of one prompt, if less than the model's context allows.
    pub max_prompt_tokens: Option<usize>,
    /// Most inputs of one job.
    pub max_inputs: usize,
    /// Largest blob that is fetched for a job; 0: none is.
    pub max_blob_bytes: usize,
    /// From where those are fetched, beside its own relays.
    pub blobs: BlobOptions,
    /// Most tokens per answer where the job names no limit.
    pub default_answer_tokens: usize,
    /// Jobs that one key may send in a minute, and at once after a quiet minute.
    pub jobs_per_minute_per_asker: u32,
    /// Time between two signs of life; each one counts for twice as long.
    pub heartbeat_interval: Duration,
    /// Longest time that one job may hold the engine.
    pub max_job_duration: Duration,
    /// How long running jobs may take to finish when the provider stops gracefully.
    pub graceful_limit: Duration,
    /// How long a job is here before its asker is told how it stands: most results come sooner, and say more.
    pub word_after: Duration,
    /// Whether the engine writes a few words at the start, to be announced with its speed before its first job.
    pub tries_engine: bool,
}

impl Default for ProviderConfig {
    fn default() -> Self {
        Self {
            name: "frlm provider".to_owned(),
            price_msats_per_1k: 0,
            written_msats_per_1k: None,
            least_msats: 0,
            surge: None,
            pay_after_jobs: 0,
            free_jobs_per_day: 0,
            max_queue: 64,
            accept_open_jobs: false,
            hide_relays: false,
            pow_bits: 0,
            announced_pow_bits: 0,
            vouched: HashSet::new(),
            max_prompt_tokens: None,
            max_inputs: 1024,
            max_blob_bytes: MAX_BLOB_BYTES,
            blobs: BlobOptions::default(),
            default_answer_tokens: 512,
            // A conductor that splits a long document sends many small jobs from one key; the queue
            // and its fair turns hold back askers that send more than the engine can do.
            jobs_per_minute_per_asker: 1200,
            heartbeat_interval: Duration::from_secs(30),
            max_job_duration: Duration::from_mins(10),
            graceful_limit: Duration::from_secs(30),
            word_after: Duration::from_secs(1),
            tries_engine: false,
        }
    }
}

/// A setting that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The name does not fit into an announcement.
    #[error("the provider's name takes {size} bytes; at most {MAX_NAME_BYTES} fit into an announcement")]
    NameTooLong {
        /// Its bytes.
        size: usize,
    },
    /// A setting that must be at least 1.
    #[error("{0} must be at least 1")]
    Zero(&'static str),
    /// A busy provider that asks less has even more to do.
    #[error("surge prices must be at least 100 percent of the usual ones")]
    Surge,
    /// No asker would do as much.
    #[error("at most {MAX_POW_BITS} bits of proof of work can be asked for or shown")]
    Pow,
    /// Directories would cut the heartbeat's lifetime.
    #[error("the heartbeat interval must lie between 1 and {} seconds", MAX_HEARTBEAT_LIFETIME_SECS / 2)]
    HeartbeatInterval,
}

impl ProviderConfig {
    /// Finds settings that cannot work.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.name.len() > MAX_NAME_BYTES {
            return Err(ConfigError::NameTooLong { size: self.name.len() });
        }
        for (what, zero) in [
            ("the queue's length", self.max_queue == 0),
            ("the number of inputs per job", self.max_inputs == 0),
            ("the number of tokens per answer", self.default_answer_tokens == 0),
            ("the number of jobs per minute", self.jobs_per_minute_per_asker == 0),
            (
                "the number of jobs from which on more is asked",
                self.surge.is_some_and(|at| at.from_jobs == 0),
            ),
        ] {
            if zero {
                return Err(ConfigError::Zero(what));
            }
        }
        if self.surge.is_some_and(|surge| surge.percent < 100) {
            return Err(ConfigError::Surge);
        }
        if self.pow_bits.max(self.announced_pow_bits) > MAX_POW_BITS {
            return Err(ConfigError::Pow);
        }
        if !(1..=MAX_HEARTBEAT_LIFETIME_SECS / 2).contains(&self.heartbeat_interval.as_secs()) {
            return Err(ConfigError::HeartbeatInterval);
        }
        Ok(())
    }

    /// What so many tokens cost, in millisats that are a whole number of sats, rounded up.
    pub fn price_msats(&self, read: u64, written: u64) -> u64 {
        let of = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let per_1k_written = self.written_msats_per_1k.unwrap_or(self.price_msats_per_1k);
        let msats = of(read, self.price_msats_per_1k).saturating_add(of(written, per_1k_written));
        let sats = u64::try_from(msats.div_ceil(1_000_000)).unwrap_or(u64::MAX / 1000);
        sats.max(self.least_msats.div_ceil(1_000)).saturating_mul(1000)
    }

    /// The most that a job can cost if so many tokens are written for it by a model of this kind, in millisats. A verdict
    /// about others' answers costs what comparing them reads, too, where a model and not code compares.
    pub(crate) fn price_of(&self, request: &JobRequest, answer_tokens: usize, dialect: Dialect) -> u64 {
        let tokens = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let compared = match &request.validate {
            Some(shown) if dialect == Dialect::Json => prompt::compared_tokens(shown, answer_tokens),
            _ => 0,
        };
        let read = prompt::total_tokens(request).saturating_add(compared);
        self.price_msats(tokens(read), tokens(answer_tokens))
    }

    /// Whether any job costs something.
    pub fn is_paid(&self) -> bool {
        self.price_msats_per_1k > 0
            || self.written_msats_per_1k.is_some_and(|price| price > 0)
            || self.least_msats > 0
    }
}

#[cfg(test)]
mod tests {
    use frlm_protocol::{Mode, Validate};
    use nostr::EventId;

    use super::*;
    use crate::testing::request;

    #[test]
    fn the_defaults_work() {
        assert_eq!(ProviderConfig::default().check(), Ok(()));
    }

    #[test]
    fn settings_that_cannot_work_are_named() {
        let config = |change: fn(&mut ProviderConfig)| {
            let mut config = ProviderConfig::default();
            change(&mut config);
            config.check()
        };
        assert!(matches!(config(|c| c.max_queue = 0), Err(ConfigError::Zero(_))));
        assert!(matches!(config(|c| c.name = "x".repeat(500)), Err(ConfigError::NameTooLong { size: 500 })));
        let surge = |from_jobs, percent| {
            ProviderConfig { surge: Some(Surge { from_jobs, percent }), ..ProviderConfig::default() }.check()
        };
        assert_eq!((surge(1, 100), surge(1, 99)), (Ok(()), Err(ConfigError::Surge)));
        assert!(matches!(surge(0, 150), Err(ConfigError::Zero(_))));
        assert_eq!(config(|c| c.pow_bits = MAX_POW_BITS + 1), Err(ConfigError::Pow));
        for interval in [Duration::from_millis(10), Duration::from_hours(1)] {
            let unusable = ProviderConfig { heartbeat_interval: interval, ..ProviderConfig::default() };
            assert_eq!(unusable.check(), Err(ConfigError::HeartbeatInterval));
        }
    }

    #[test]
    fn prices_are_whole_sats_rounded_up_and_never_overflow() {
        let priced = |price_msats_per_1k| ProviderConfig { price_msats_per_1k, ..ProviderConfig::default() };
        assert_eq!(priced(0).price_msats(1_000_000, 0), 0);
        assert_eq!(priced(1000).price_msats(0, 1), 1000);
        assert_eq!(priced(1000).price_msats(600, 400), 1000);
        assert_eq!(priced(1000).price_msats(600, 401), 2000);
        assert_eq!(priced(u64::MAX).price_msats(u64::MAX, u64::MAX) % 1000, 0);
    }

    #[test]
    fn a_verdict_by_a_model_costs_what_it_reads_and_one_by_code_is_free() {
        let a_sat_a_token = ProviderConfig { price_msats_per_1k: 1_000_000, ..ProviderConfig::default() };
        let mut job = request("copy", &["a b"], Mode::Each);
        let price = |job: &JobRequest, dialect| a_sat_a_token.price_of(job, 10, dialect);
        assert_eq!(price(&job, Dialect::Json), 12_000);
        job.validate = Some(Validate { result: EventId::all_zeros(), answers: vec!["x".repeat(40)] });
        assert_eq!(price(&job, Dialect::Records), 12_000);
        assert_eq!(price(&job, Dialect::Json), 52_000, "ten tokens of each, in both orders");
    }

    #[test]
    fn what_is_written_may_have_a_price_of_its_own_and_every_job_a_least() {
        let config = ProviderConfig {
            price_msats_per_1k: 1_000,
            written_msats_per_1k: Some(8_000),
            least_msats: 2_500,
            ..ProviderConfig::default()
        };
        assert_eq!(config.price_msats(2_000, 500), 6_000);
        assert_eq!(config.price_msats(1, 1), 3_000, "the least in whole sats, too");
        assert!(config.is_paid() && !ProviderConfig::default().is_paid());
        assert!(ProviderConfig { least_msats: 1, ..ProviderConfig::default() }.is_paid());
    }
}
