//! The offer as it is typed, and what it means.

use frlm_client::inference::open::{ModelSource, ModelSpec};

use super::hours::Hours;
use super::words;
use frlm_client::prices::{Mistake, Prices, SURGE_FROM};

/// What is offered, as it is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// What to be called in the directory.
    pub name: String,
    /// What `--model` takes.
    pub model: String,
    /// Sats per 1,000 tokens.
    pub price: String,
    /// Sats per 1,000 tokens written; empty: the same.
    pub written: String,
    /// The least that a job costs, in sats.
    pub minimum: String,
    /// What is asked while many jobs wait, in percent.
    pub surge: String,
    /// From how many jobs on.
    pub surge_from: String,
    /// Jobs of one key that cost nothing each day.
    pub free: String,
    /// Jobs that may wait.
    pub queue: String,
    /// Jobs that one key may owe for.
    pub pay_after: String,
    /// Whether plain jobs are taken, which anyone can read.
    pub open_jobs: bool,
    /// Whether it pauses while other programs need the machine.
    pub yields: bool,
    /// Whether it serves between these hours only.
    pub by_hours: bool,
    /// The first of them.
    pub from: String,
    /// Their end.
    pub to: String,
    /// Where to listen.
    pub relays: Vec<String>,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            name: "frlm provider".to_owned(),
            model: "embedded".to_owned(),
            price: "0".to_owned(),
            written: String::new(),
            minimum: "0".to_owned(),
            surge: "100".to_owned(),
            surge_from: SURGE_FROM.to_string(),
            free: "0".to_owned(),
            queue: "64".to_owned(),
            pay_after: "0".to_owned(),
            open_jobs: false,
            yields: false,
            by_hours: false,
            from: "22".to_owned(),
            to: "7".to_owned(),
            relays: Vec::new(),
        }
    }
}

/// What can be offered as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// What is asked.
    pub prices: Prices,
    /// Jobs that may wait.
    pub queue: usize,
    /// When to serve; `None`: at all hours.
    pub hours: Option<Hours>,
}

impl Form {
    /// Whether another program runs the model, here or elsewhere: what that takes says nothing of who else needs
    /// this machine.
    pub fn is_served_elsewhere(&self) -> bool {
        let spec = self.model.parse::<ModelSpec>();
        spec.is_ok_and(|spec| matches!(spec.source, ModelSource::Endpoint { .. }))
    }

    /// The numbers, or which of them is none.
    pub fn limits(&self) -> Result<Limits, &'static str> {
        let prices = self.prices()?;
        let queue: usize = self.queue.trim().parse().map_err(|_| words::QUEUE_NUMBER)?;
        prices.check().map_err(Mistake::words)?;
        if queue == 0 {
            return Err(words::QUEUE_EMPTY);
        }
        if self.model.trim().is_empty() {
            return Err(words::NEEDS_MODEL);
        }
        let hours = if self.by_hours { Some(Hours::parse(&self.from, &self.to)?) } else { None };
        Ok(Limits { prices, queue, hours })
    }

    fn prices(&self) -> Result<Prices, &'static str> {
        let sats = |text: &str| text.trim().parse::<u64>();
        let written = match self.written.trim() {
            "" => None,
            text => Some(sats(text).map_err(|_| words::WRITTEN_NUMBER)?),
        };
        let jobs = |text: &str| text.trim().parse::<u32>();
        Ok(Prices {
            per_1k: sats(&self.price).map_err(|_| words::PRICE_NUMBER)?,
            written_per_1k: written,
            minimum: sats(&self.minimum).map_err(|_| words::MINIMUM_NUMBER)?,
            surge_percent: Some(jobs(&self.surge).map_err(|_| words::SURGE_NUMBER)?),
            surge_from: Some(self.surge_from.trim().parse().map_err(|_| words::SURGE_FROM_NUMBER)?),
            free: jobs(&self.free).map_err(|_| words::FREE_NUMBER)?,
            pay_after: jobs(&self.pay_after).map_err(|_| words::UNPAID_NUMBER)?,
        })
    }

    /// Whether more is said of the price than the price itself.
    pub fn says_more_of_prices(&self) -> bool {
        let usual = Self::default();
        [&self.written, &self.minimum, &self.surge, &self.surge_from, &self.free]
            .iter()
            .zip([&usual.written, &usual.minimum, &usual.surge, &usual.surge_from, &usual.free])
            .any(|(typed, usual)| typed.trim() != usual)
    }

    /// What a field holds.
    pub fn field(&mut self, field: Field) -> &mut String {
        match field {
            Field::Name => &mut self.name,
            Field::Model => &mut self.model,
            Field::Price => &mut self.price,
            Field::Written => &mut self.written,
            Field::Minimum => &mut self.minimum,
            Field::Surge => &mut self.surge,
            Field::SurgeFrom => &mut self.surge_from,
            Field::Free => &mut self.free,
            Field::Queue => &mut self.queue,
            Field::PayAfter => &mut self.pay_after,
            Field::From => &mut self.from,
            Field::To => &mut self.to,
        }
    }
}

/// What of the form is typed into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The name in the directory.
    Name,
    /// The model.
    Model,
    /// The price.
    Price,
    /// The price of what is written.
    Written,
    /// The least that a job costs.
    Minimum,
    /// What is asked while many jobs wait.
    Surge,
    /// From how many jobs on.
    SurgeFrom,
    /// What is given away.
    Free,
    /// The queue.
    Queue,
    /// What may be owed.
    PayAfter,
    /// The first hour.
    From,
    /// The end of the hours.
    To,
}
