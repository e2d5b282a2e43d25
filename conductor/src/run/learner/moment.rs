//! How a run finds the swarm: the policy sees it with the next question (function 2, `encode_state`).

use std::time::Duration;

use frlm_learning::planning::decompose::Moment;

use super::LearnerDesk;
use super::evaluation::mean;
use crate::swarm::ProviderInfo;

impl LearnerDesk {
    /// Providers were found, and nothing was asked of them yet: how busy they are with what others ask.
    pub(in crate::run) fn found(&mut self, providers: &[ProviderInfo]) {
        let busy = |info: &ProviderInfo| {
            let waiting = f64::from(info.queue_length);
            waiting / (waiting + f64::from(info.workers.max(1)))
        };
        self.load = mean(providers.iter().filter(|info| !info.trusted).map(busy));
    }

    /// A relay took a job, so long after it was sent. The quickest one had nothing else to do: what is left is the trip.
    pub(in crate::run) fn heard_after(&mut self, took: Duration) {
        self.trip = Some(self.trip.map_or(took, |quickest| quickest.min(took)));
    }

    /// Both, as far as they were seen.
    pub(super) fn moment(&self) -> Moment {
        Moment { load: self.load, network_latency_secs: self.trip.unwrap_or_default().as_secs_f64() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_is_the_average_of_the_providers_and_latency_that_of_the_nearest() {
        let mut desk = LearnerDesk::default();
        assert_eq!(desk.moment(), Moment::default(), "nobody was seen");
        let provider = |workers, queue_length, trusted| ProviderInfo {
            workers,
            queue_length,
            trusted,
            ..ProviderInfo::foreign("provider".into(), frlm_wallet::Sats::ZERO)
        };
        desk.found(&[provider(1, 3, false), provider(2, 2, false), provider(1, 99, true)]);
        for millis in [80, 40, 900] {
            desk.heard_after(Duration::from_millis(millis));
        }
        let Moment { load, network_latency_secs } = desk.moment();
        assert!((load - 0.625).abs() < 1e-9 && (network_latency_secs - 0.04).abs() < 1e-9, "{load}");
    }
}
