//! Announcement and heartbeats: how askers learn that this provider exists.
//!
//! Both are addressable events, of which relays keep the newest by whole seconds; so each one is
//! dated at least a second after the one before it, or is the very same event again.

use std::time::Duration;

use frlm_inference::{Dialect, ModelInfo};
use frlm_protocol::limits::ANNOUNCEMENT_LIFETIME_SECS;
use frlm_protocol::{Announcement, BuildError, Heartbeat, RelayList, Speed};
use nostr::{Event, Keys, Timestamp};

use crate::config::{ProviderConfig, Surge};

/// An announcement this young is sent again as it is. One that is older is renewed with the next heartbeat: a relay that
/// strangers flood keeps the newest events, and so does one that lost its memory.
const ANNOUNCEMENT_FRESH_SECS: u64 = 120;
/// Another speed is announced once it is so many times what was announced, or so many times less.
const WORTH_TELLING: f64 = 1.25;

#[derive(Debug)]
pub(crate) struct Announcer {
    announcement: Announcement,
    /// Per 1,000 tokens read, per 1,000 written, and for the shortest job.
    usual: (u64, Option<u64>, u64),
    surge: Option<Surge>,
    /// Prices or speed are others than those that were announced.
    changed: bool,
    keys: Keys,
    interval: Duration,
    announced: Option<Event>,
    /// Bits of work that it shows, and whether the last one does.
    pow_bits: u8,
    is_worked: bool,
    beaten: Option<Event>,
    /// Which relays it is at, where it tells.
    listed: Option<Event>,
}

impl Announcer {
    pub(crate) fn new(config: &ProviderConfig, model: &ModelInfo, keys: Keys) -> Self {
        let announcement = Announcement {
            name: config.name.clone(),
            model: model.name.clone(),
            weights_hash: model.weights_hash.clone(),
            quantisation: model.quantisation.clone(),
            context_tokens: saturating_u32(model.context_tokens),
            speed: None,
            price_msats_per_1k: config.price_msats_per_1k,
            written_msats_per_1k: config.written_msats_per_1k,
            least_msats: config.least_msats,
            dialect: match model.dialect {
                Dialect::Json => "json",
                Dialect::Records => "records",
            }
            .to_owned(),
            concurrency: saturating_u32(model.concurrency.max(1)),
            roles: vec!["worker".to_owned(), "validator".to_owned()],
            mints: Vec::new(),
            escrow_key: None,
            pay_after_jobs: 0,
            free_jobs_per_day: config.free_jobs_per_day,
            accepts_open_jobs: config.accept_open_jobs,
            blob_bytes: saturating_u32(config.max_blob_bytes),
        };
        Self {
            announcement,
            usual: (config.price_msats_per_1k, config.written_msats_per_1k, config.least_msats),
            surge: config.surge,
            changed: false,
            keys,
            interval: config.heartbeat_interval,
            announced: None,
            pow_bits: config.announced_pow_bits,
            is_worked: false,
            beaten: None,
            listed: None,
        }
    }

    /// Says how this provider is paid, and for how many jobs a key may owe.
    pub(crate) fn pay_to(&mut self, escrow_key: String, mints: Vec<String>, pay_after_jobs: u32) {
        self.announcement.escrow_key = Some(escrow_key);
        self.announcement.mints = mints;
        self.announcement.pay_after_jobs = pay_after_jobs;
    }

    /// Asks what is asked with so many jobs that wait or run.
    pub(crate) fn price_for(&mut self, load: usize) {
        let busy = self.surge.filter(|surge| load >= surge.from_jobs);
        let percent = u128::from(busy.map_or(100, |surge| surge.percent));
        let of = |msats: u64| u64::try_from(u128::from(msats) * percent / 100).unwrap_or(u64::MAX);
        let (read, written, least) = self.usual;
        let prices = (of(read), written.map(of), of(least));
        let offer = &mut self.announcement;
        self.changed |= prices != (offer.price_msats_per_1k, offer.written_msats_per_1k, offer.least_msats);
        (offer.price_msats_per_1k, offer.written_msats_per_1k, offer.least_msats) = prices;
    }

    /// Says how quickly the engine is, where that is news.
    pub(crate) fn measured(&mut self, speed: Speed) {
        let Some(speed) = Speed::new(two_digits(speed.prefill()), two_digits(speed.decode())) else { return };
        let far = |one: f64, other: f64| (one / other).max(other / one) > WORTH_TELLING;
        let is_news = self
            .announcement
            .speed
            .is_none_or(|told| far(told.prefill(), speed.prefill()) || far(told.decode(), speed.decode()));
        if is_news {
            self.announcement.speed = Some(speed);
            self.changed = true;
        }
    }

    /// Whether the relays need a new offer.
    pub(crate) fn announcement_is_due(&self, now: Timestamp) -> bool {
        self.changed || !self.announced.as_ref().is_some_and(|event| is_fresh(event, now))
    }

    /// The offer: a new one, or the last one while that is fresh.
    pub(crate) fn announcement(&mut self, now: Timestamp) -> Result<Event, BuildError> {
        if let Some(event) = self.announced.as_ref().filter(|event| !self.changed && is_fresh(event, now)) {
            return Ok(event.clone());
        }
        let created_at = after(self.announced.as_ref(), now);
        let event = self.announcement.to_event(
            plus(created_at, ANNOUNCEMENT_LIFETIME_SECS),
            &self.keys,
            created_at,
        )?;
        self.announced = Some(event.clone());
        self.is_worked = self.pow_bits == 0;
        self.changed = false;
        Ok(event)
    }

    /// Bits of work that the last offer still lacks.
    pub(crate) fn lacks_work(&self) -> Option<u8> {
        (!self.is_worked).then_some(self.pow_bits)
    }

    /// The last offer has its work, or as much time was spent on it as there was.
    pub(crate) fn worked(&mut self, event: Event) {
        if let Some(announced) = self.announced.as_mut().filter(|known| known.created_at == event.created_at)
        {
            *announced = event;
            self.is_worked = true;
        }
    }

    /// At which of these relays it is reached (NIP-65): the last such event while that says the same; `None` where there is
    /// nothing to say.
    pub(crate) fn relay_list<'a>(
        &mut self,
        relays: impl IntoIterator<Item = &'a str>,
        now: Timestamp,
    ) -> Result<Option<Event>, BuildError> {
        let list = RelayList::public(relays);
        if list.relays.is_empty() {
            return Ok(None);
        }
        let said = self.listed.as_ref().and_then(|event| RelayList::from_event(event).ok());
        if said.is_none_or(|said| said.list != list) {
            self.listed = Some(list.to_event(&self.keys, after(self.listed.as_ref(), now))?);
        }
        Ok(self.listed.clone())
    }

    /// A sign of life that counts for two intervals: a new one, or one from this very second.
    pub(crate) fn heartbeat(&mut self, load: usize, now: Timestamp) -> Result<Event, BuildError> {
        if let Some(event) = &self.beaten
            && event.created_at >= now
        {
            return Ok(event.clone());
        }
        let created_at = after(self.beaten.as_ref(), now);
        let expires_at = plus(created_at, self.counts_for().as_secs());
        let heartbeat = Heartbeat { queue_length: saturating_u32(load), expires_at };
        let event = heartbeat.to_event(&self.keys, created_at)?;
        self.beaten = Some(event.clone());
        Ok(event)
    }

    /// How long a sign of life counts.
    pub(crate) fn counts_for(&self) -> Duration {
        Duration::from_secs(self.interval.as_secs().max(1) * 2)
    }

    /// Replaces offer and sign of life by ones that are over in a second.
    pub(crate) fn farewell(&mut self, now: Timestamp) -> Result<[Event; 2], BuildError> {
        let created_at = after(self.announced.as_ref(), now);
        let announcement = self.announcement.to_event(plus(created_at, 1), &self.keys, created_at)?;
        let created_at = after(self.beaten.as_ref(), now);
        let heartbeat = Heartbeat { queue_length: 0, expires_at: plus(created_at, 1) };
        Ok([announcement, heartbeat.to_event(&self.keys, created_at)?])
    }
}

fn is_fresh(announcement: &Event, now: Timestamp) -> bool {
    now.as_secs() < announcement.created_at.as_secs() + ANNOUNCEMENT_FRESH_SECS
}

fn after(last: Option<&Event>, now: Timestamp) -> Timestamp {
    last.map_or(now, |event| plus(event.created_at, 1).max(now))
}

fn plus(moment: Timestamp, secs: u64) -> Timestamp {
    Timestamp::from_secs(moment.as_secs().saturating_add(secs))
}

/// More digits would say nothing of an engine, and tell one machine from another.
fn two_digits(speed: f64) -> f64 {
    format!("{speed:.1e}").parse().unwrap_or(speed)
}

fn saturating_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NOW, model_info};

    fn announcer() -> Announcer {
        Announcer::new(&ProviderConfig::default(), &model_info(), Keys::generate())
    }

    fn expires_at(heartbeat: &Event) -> u64 {
        Heartbeat::from_event(heartbeat).unwrap().heartbeat.expires_at.as_secs()
    }

    #[test]
    fn a_heartbeat_counts_for_two_intervals() {
        let mut announcer = announcer();
        let event = announcer.heartbeat(3, NOW).unwrap();
        assert_eq!(expires_at(&event), NOW.as_secs() + 60);
        assert_eq!(Heartbeat::from_event(&event).unwrap().heartbeat.queue_length, 3);
    }

    #[test]
    fn relays_that_come_online_together_get_the_same_events() {
        let mut announcer = announcer();
        assert_eq!(announcer.announcement(NOW).unwrap(), announcer.announcement(plus(NOW, 5)).unwrap());
        assert_eq!(announcer.heartbeat(0, NOW).unwrap(), announcer.heartbeat(1, NOW).unwrap());
        assert!(!announcer.announcement_is_due(plus(NOW, 5)));
        assert!(announcer.announcement_is_due(plus(NOW, ANNOUNCEMENT_FRESH_SECS)));
        let renewed = announcer.announcement(plus(NOW, ANNOUNCEMENT_FRESH_SECS)).unwrap();
        assert_eq!(renewed.created_at, plus(NOW, ANNOUNCEMENT_FRESH_SECS));
    }

    #[test]
    fn an_announcement_is_renewed_long_before_it_expires() {
        let mut announcer = announcer();
        let mut renewed = 0;
        for heartbeat in 0..120 {
            let now = plus(NOW, heartbeat * 30);
            renewed += u64::from(announcer.announcement_is_due(now));
            let event = announcer.announcement(now).unwrap();
            assert!(plus(event.created_at, 150) > now);
        }
        assert_eq!(renewed, 30, "every four heartbeats for an hour");
    }

    #[test]
    fn a_busy_provider_raises_its_price_and_lowers_it_afterwards() {
        let config = ProviderConfig {
            price_msats_per_1k: 2_000,
            written_msats_per_1k: Some(3_000),
            least_msats: 1_000,
            surge: Some(Surge { from_jobs: 4, percent: 150 }),
            ..ProviderConfig::default()
        };
        let mut announcer = Announcer::new(&config, &model_info(), Keys::generate());
        let mut last = None;
        for (load, prices) in [
            (3, (2_000, Some(3_000), 1_000)),
            (4, (3_000, Some(4_500), 1_500)),
            (9, (3_000, Some(4_500), 1_500)),
            (0, (2_000, Some(3_000), 1_000)),
        ] {
            announcer.price_for(load);
            assert_eq!(announcer.announcement_is_due(NOW), load != 9, "said when it changes: {load}");
            let event = announcer.announcement(NOW).unwrap();
            let offer = Announcement::from_event(&event).unwrap().announcement;
            let found = (offer.price_msats_per_1k, offer.written_msats_per_1k, offer.least_msats);
            assert_eq!(found, prices, "{load}");
            assert!(load == 9 || last < Some(event.created_at), "it replaces the one before");
            last = Some(event.created_at);
        }
    }

    #[test]
    fn a_measured_speed_is_announced_in_two_digits_and_again_on_change() {
        let mut announcer = announcer();
        let said_of = |announcer: &mut Announcer| {
            let event = announcer.announcement(NOW).unwrap();
            let speed = Announcement::from_event(&event).unwrap().announcement.speed;
            (speed.map(|speed| (speed.prefill(), speed.decode())), event.created_at)
        };
        let (none, first) = said_of(&mut announcer);
        assert_eq!(none, None);
        for (prefill, decode, said, is_news) in [
            (812.3, 8.34, (810.0, 8.3), true),
            (790.0, 8.9, (810.0, 8.3), false),
            (790.0, 16.0, (790.0, 16.0), true),
            (300.0, 16.0, (300.0, 16.0), true),
        ] {
            announcer.measured(Speed::new(prefill, decode).unwrap());
            assert_eq!(announcer.announcement_is_due(NOW), is_news, "{prefill} and {decode}");
            assert_eq!(said_of(&mut announcer).0, Some(said));
        }
        assert!(said_of(&mut announcer).1 > first, "it replaces the one before");
    }

    #[test]
    fn a_farewell_is_newer_than_what_it_replaces_and_soon_over() {
        let mut announcer = announcer();
        let before = [announcer.announcement(NOW).unwrap(), announcer.heartbeat(0, NOW).unwrap()];
        let farewell = announcer.farewell(NOW).unwrap();
        for (before, after) in before.iter().zip(&farewell) {
            assert_eq!(before.kind, after.kind);
            assert!(after.created_at > before.created_at);
        }
        assert_eq!(expires_at(&farewell[1]), NOW.as_secs() + 2);
        let offer = Announcement::from_event(&farewell[0]).unwrap();
        assert_eq!(offer.expires_at, Some(plus(NOW, 2)));
    }
}
