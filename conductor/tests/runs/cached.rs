//! What a run verified is not paid twice: over a real relay, with providers that want their pay.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use frlm_questions::answer::{Answer, ClaimsReport};
use frlm_questions::ingest::Fragment;

use crate::claims::{Behaviour, LEASE, QUESTION, lease_of, model};
use crate::common::{Asker, Outcome, relay};
use frlm_conductor::claim_cache::ClaimCache;
use frlm_conductor::trace::TraceEvent;
use frlm_provider::{Provider, ProviderConfig};
use frlm_verifier::{AdaptiveConfig, VerificationPolicy};
use nostr::Keys;

/// A swarm whose askers share a cache.
struct Swarm {
    relay: frlm_relay::EmbeddedRelay,
    providers: Vec<frlm_provider::ProviderHandle>,
    home: tempfile::TempDir,
}

impl Swarm {
    async fn start(names: &[&str]) -> Self {
        let relay = relay().await;
        let mut providers = Vec::new();
        for name in names {
            let name = (*name).to_owned();
            let model = model(&name, Behaviour::Honest);
            let config = ProviderConfig { name, price_msats_per_1k: 1_000, ..ProviderConfig::default() };
            providers.push(Provider::start(config, Keys::generate(), &[relay.url()], model).await.unwrap());
        }
        Self { relay, providers, home: tempfile::tempdir().unwrap() }
    }

    async fn ask(
        &self,
        question: &'static str,
        fragments: Vec<Arc<Fragment>>,
        verification: VerificationPolicy,
    ) -> Asked {
        let cache = Some(ClaimCache::at(self.home.path().join("claims.db")));
        let enough = self.providers.len();
        let mut asker = Asker { question, enough, cache, skips_compiling: true, ..Asker::default() };
        asker.policy.verification = verification;
        asker.discovery = Duration::from_secs(1);
        Asked::of(asker.ask(&self.relay.url(), fragments, self.home.path()).await)
    }
}

struct Asked {
    answer: Answer,
    /// Jobs by which parts were read.
    readings: usize,
}

impl Asked {
    fn of(outcome: Outcome) -> Self {
        let mut parts = HashSet::new();
        let mut readings = 0;
        for record in &outcome.trace {
            match &record.event {
                TraceEvent::Plan { subtasks } => {
                    let read = subtasks.iter().filter(|subtask| subtask.key.starts_with("map:"));
                    parts.extend(read.map(|subtask| subtask.id));
                }
                TraceEvent::SubQuerySent { subtask, .. } => readings += usize::from(parts.contains(subtask)),
                _ => {}
            }
        }
        Self { answer: outcome.result.unwrap(), readings }
    }

    fn claims(&self) -> ClaimsReport {
        self.answer.verification.claims.unwrap()
    }

    fn cited(&self) -> Vec<(&str, [u32; 2], &str)> {
        let cited = self.answer.citations.iter();
        cited.map(|citation| (citation.file.as_str(), citation.lines, citation.quote.as_str())).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_question_is_not_paid_twice() {
    let swarm = Swarm::start(&["alpha", "beta"]).await;
    let adaptive = VerificationPolicy::DEFAULT;
    let first = swarm.ask(QUESTION, lease_of(&LEASE), adaptive.clone()).await;
    assert_eq!((first.readings, first.claims().earlier.reused_parts, first.claims().accepted), (2, 0, 4));

    let again = swarm.ask(QUESTION, lease_of(&LEASE), adaptive.clone()).await;
    let report = again.claims();
    assert_eq!(
        (again.readings, report.earlier.reused_parts, report.earlier.reused, report.stated),
        (0, 2, 4, 0)
    );
    let (paid, before) = (again.answer.budget.spent_sats, first.answer.budget.spent_sats);
    assert!(paid > 0 && paid < before, "{paid} of {before}: the answer is written again");
    assert!(report.earlier.saved_sats > 0 && report.earlier.saved_sats < before, "{report:?} of {before}");
    assert_eq!(again.cited(), first.cited());
    assert_eq!(again.answer.answer, first.answer.answer);
    assert!((again.answer.coverage - 1.0).abs() < 1e-9 && again.answer.subtasks.cached == 2);

    let other = swarm.ask("Who repairs what?", lease_of(&LEASE), adaptive.clone()).await;
    assert_eq!((other.readings, other.claims().earlier.reused_parts), (2, 0), "another question");
    let strict = AdaptiveConfig { target_fidelity: 0.999, ..AdaptiveConfig::STANDARD };
    let stricter = swarm.ask(QUESTION, lease_of(&LEASE), VerificationPolicy::Adaptive(strict)).await;
    assert_eq!((stricter.readings, stricter.claims().earlier.reused_parts), (2, 0), "a stricter policy");

    // A third file comes.
    let mut longer = LEASE.to_vec();
    longer.push(("Signed in Bonn.", "It was signed in Bonn.", "It was signed in Ulm."));
    let changed = swarm.ask(QUESTION, lease_of(&longer), adaptive).await;
    assert_eq!((changed.readings, changed.claims().earlier.reused_parts), (1, 2), "only what is new is read");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_reviewed_is_not_kept() {
    let swarm = Swarm::start(&["alpha"]).await;
    for _ in 0..2 {
        let asked = swarm.ask(QUESTION, lease_of(&LEASE), VerificationPolicy::DEFAULT).await;
        assert_eq!((asked.readings, asked.claims().earlier.reused_parts), (2, 0));
        assert_eq!(asked.claims().not_reviewed, 4);
    }
}
