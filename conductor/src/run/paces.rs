//! How quick each provider is: measured by its answers; until the first answer, what it announces counts.

use std::collections::HashMap;
use std::time::Duration;

use frlm_protocol::{JobAnswer, Speed};
use frlm_questions::ingest::estimate_tokens;
use frlm_scheduler::Pace;

use super::attempts::Sent;
use super::quote;
use crate::swarm::{ProviderId, ProviderInfo};

/// What is known of the providers' speeds.
#[derive(Debug, Default)]
pub(super) struct Paces {
    of: HashMap<ProviderId, Known>,
}

#[derive(Debug)]
struct Known {
    pace: Pace,
    /// When its latest answer came.
    answered: Duration,
}

impl Paces {
    /// Notes the speed that a provider announces, if any. Returns the speed to reckon with; `None` if nothing is known.
    pub fn announced(&mut self, id: &ProviderId, speed: Option<Speed>) -> Option<Speed> {
        let is_known = self.of.contains_key(id);
        if speed.is_none() && !is_known {
            return None;
        }
        let known = self.of.entry(id.clone()).or_insert_with(|| Known::of(speed));
        known.pace.announces(speed);
        Some(known.pace.speed())
    }

    /// Notes the answers to a job in words. Its tokens are counted here: what a provider says of them is a claim.
    pub fn seen(&mut self, sent: &Sent, answers: &[JobAnswer], now: Duration) -> Speed {
        let texts = answers.iter().flat_map(|answer| [Some(&answer.text), answer.reasoning.as_ref()]);
        let written = texts.flatten().map(|text| estimate_tokens(text) as u64).sum();
        self.answered(&sent.provider, (quote::read(&sent.prompt), written), sent.at, now)
    }

    /// Notes an answer of so many tokens read and written, which came now, to a job that left at `sent`. A provider with one
    /// worker begins a job once the one before it is done. With several workers nobody knows when it began: all of the time counts.
    fn answered(
        &mut self,
        provider: &ProviderInfo,
        (read, written): (u64, u64),
        sent: Duration,
        now: Duration,
    ) -> Speed {
        let known = self.of.entry(provider.id.clone()).or_insert_with(|| Known::of(provider.speed));
        let began = if provider.workers == 1 { sent.max(known.answered) } else { sent };
        known.pace.observe(read, written, now.saturating_sub(began));
        known.answered = now;
        known.pace.speed()
    }
}

impl Known {
    fn of(speed: Option<Speed>) -> Self {
        Self { pace: Pace::announced(speed), answered: Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use frlm_wallet::Sats;

    use super::*;

    fn provider(workers: u32, speed: Option<Speed>) -> ProviderInfo {
        ProviderInfo { speed, workers, ..ProviderInfo::foreign("a".into(), Sats::ZERO) }
    }

    #[test]
    fn what_is_announced_counts_until_the_first_answer() {
        let (mut paces, id) = (Paces::default(), ProviderId::from("a"));
        assert_eq!(paces.announced(&id, None), None, "nothing is known, and it is taken for a slow one");
        let quick = Speed::new(2_000.0, 80.0);
        assert_eq!(paces.announced(&id, quick), quick);
        let secs = Duration::from_secs;
        // A tenth of what it says of itself.
        let took = secs(50);
        let seen = paces.answered(&provider(1, quick), (2_000, 320), secs(10), secs(10) + took);
        assert!((seen.decode() - 8.0).abs() < 1e-6, "{seen:?}");
        assert_eq!(paces.announced(&id, quick), Some(seen));
        assert_eq!(paces.announced(&id, None), Some(seen));
    }

    #[test]
    fn a_job_that_waited_for_another_of_ours_does_not_count_as_slow() {
        let secs = Duration::from_secs;
        let measured = |workers| {
            let (mut paces, provider) = (Paces::default(), provider(workers, None));
            paces.answered(&provider, (1_000, 200), secs(0), secs(30));
            paces.answered(&provider, (1_000, 200), secs(0), secs(60))
        };
        assert!((measured(1).decode() - 8.0).abs() < 1e-6);
        assert!(measured(2).decode() < 7.0, "it may have begun with both at once");
    }
}
