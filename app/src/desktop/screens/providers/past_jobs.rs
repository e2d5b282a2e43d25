//! How providers did in the recorded runs: jobs, agreement, time and money, folded from traces.

use std::collections::HashMap;

use frlm_client::conductor::store::Store;
use frlm_client::protocol::printable;
use frlm_client::verifier::trust::{Bias, ExportedRecord, ReputationStore, biases};
use frlm_client::view::{AttemptEnding, RunView};

use super::state::Reputation;
use crate::desktop::widgets::Unit;
use frlm_client::home::Home;
use frlm_client::provider_record::{fidelities, in_words, status};
use frlm_client::recorded_run;

/// How a provider did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PastJobs {
    /// What it called itself last.
    pub name: String,
    /// Jobs it got.
    pub asked: u64,
    /// Answers that agreed with the accepted one.
    pub agreed: u64,
    /// Answers that did not.
    pub dissented: u64,
    /// Jobs answered in time.
    pub answered: u64,
    /// Time from sending to answer, over all answered jobs.
    pub answering_ms: u64,
    /// What its answers cost.
    pub spent_sats: u64,
    /// What it was paid in.
    pub unit: Unit,
}

impl PastJobs {
    /// Share of its compared answers that agreed, 0..=1; `None` before the first.
    pub fn agreement(&self) -> Option<f64> {
        let compared = self.agreed + self.dissented;
        (compared > 0).then(|| self.agreed as f64 / compared as f64)
    }

    /// Mean time to an answer; `None` before the first.
    pub fn mean_ms(&self) -> Option<u64> {
        self.answering_ms.checked_div(self.answered)
    }
}

/// What this home knows of each provider, by key. Blocks.
pub fn reputations(home: &Home) -> anyhow::Result<HashMap<String, Reputation>> {
    let reputation = ReputationStore::at(home.reputation()).load(frlm_client::util::clock::unix_secs())?;
    let export = reputation.export();
    let biases = biases(&export);
    let reputation = |record: &ExportedRecord| {
        let kinds = fidelities(&reputation, record);
        let fidelity = kinds.iter().map(|(_, share)| *share).reduce(f64::min);
        let status = status(&reputation, record);
        let kinds = kinds.into_iter().map(|(kind, share)| (printable(&kind).into_owned(), share)).collect();
        let score = Some(record.score).filter(|score| !score.is_new());
        let score = score.map(|score| (score.fitness, score.credits));
        let biases = biases.iter().filter(|bias| is_about(bias, record)).map(in_words).collect();
        (record.provider.clone(), Reputation { status, fidelity, kinds, score, biases })
    };
    Ok(export.providers.iter().map(reputation).collect())
}

fn is_about(bias: &Bias, record: &ExportedRecord) -> bool {
    match bias {
        Bias::Provider { provider, .. } => *provider == record.provider,
        Bias::Weights { weights_hash, .. } => record.traits.weights_hash.as_ref() == Some(weights_hash),
        Bias::Alike { left, right, .. } => [left, right].contains(&&record.provider),
    }
}

/// The newest runs that are looked at.
const MOST_RUNS: usize = 100;
/// Events that are folded at most, all runs together: a look must not take long.
const MOST_EVENTS: u64 = 300_000;

/// Folds the newest runs. Blocks.
pub fn read(home: &Home) -> anyhow::Result<HashMap<String, PastJobs>> {
    let mut past = HashMap::new();
    if !home.store().exists() {
        return Ok(past);
    }
    let store = Store::open(&home.store())?;
    let mut events = 0;
    // Newest first, so that the names are the newest too.
    for run in store.list(MOST_RUNS)? {
        let (view, _) = recorded_run::view_of(&store, &run.id)?;
        add(&mut past, &view);
        if recorded_run::in_play_money(&run) {
            // These keys were made for one swarm on this machine, and went with it.
            for provider in view.providers.iter() {
                past.entry(provider.key.clone()).and_modify(|jobs| jobs.unit = Unit::Play);
            }
        }
        events += view.events;
        if events > MOST_EVENTS {
            break;
        }
    }
    Ok(past)
}

/// Adds what one run says.
pub fn add(past: &mut HashMap<String, PastJobs>, view: &RunView) {
    for provider in view.providers.iter() {
        let jobs = past.entry(provider.key.clone()).or_default();
        if jobs.name.is_empty() {
            jobs.name = printable(&provider.name).into_owned();
        }
        jobs.asked += u64::from(provider.asked);
        jobs.agreed += u64::from(provider.agreed);
        jobs.dissented += u64::from(provider.dissented);
    }
    for attempt in view.subtasks.iter().flat_map(|lane| &lane.attempts) {
        let provider = attempt.provider.and_then(|position| view.providers.get(position as usize));
        let Some(jobs) = provider.and_then(|provider| past.get_mut(&provider.key)) else { continue };
        jobs.spent_sats = jobs.spent_sats.saturating_add(attempt.spent_sats);
        if let (Some(AttemptEnding::Answered), Some(sent), Some(ended)) =
            (attempt.ending, attempt.sent_ms, attempt.ended_ms)
        {
            jobs.answered += 1;
            jobs.answering_ms = jobs.answering_ms.saturating_add(ended.saturating_sub(sent));
        }
    }
    // A provider that was only seen has no jobs.
    past.retain(|_, jobs| jobs.asked > 0);
}

#[cfg(test)]
mod tests {
    use frlm_conductor::trace::{TraceEvent, TraceRecord};
    use frlm_scheduler::{AttemptId, SubtaskId};

    use super::*;

    #[test]
    fn a_record_adds_up_jobs_time_and_money() {
        let (subtask, attempt) = (SubtaskId(0), AttemptId(0));
        let seen = |provider: &str| TraceEvent::ProviderSeen {
            provider: provider.to_owned(),
            name: "amber\u{202e}fox".to_owned(),
            model: "m".to_owned(),
            price_msats_per_1k: 0,
        };
        let events = [
            (0, seen("aa")),
            (0, seen("bb")),
            (1, TraceEvent::BudgetReserve { subtask, attempt, sats: 5 }),
            (2, TraceEvent::SubQuerySubmit { subtask, attempt, provider: "aa".to_owned(), hedge: false }),
            (3, TraceEvent::SubQuerySent { subtask, attempt, job: "e".to_owned() }),
            (
                43,
                TraceEvent::SubQueryReturn {
                    subtask,
                    attempt,
                    ok: true,
                    summary: String::new(),
                    tokens: 1,
                    completion_tokens: 0,
                    duration_ms: 40,
                },
            ),
            (
                44,
                TraceEvent::Verify {
                    subtask,
                    passed: true,
                    agreement: 1.0,
                    agreeing: vec!["aa".to_owned()],
                    dissenting: Vec::new(),
                },
            ),
            (45, TraceEvent::BudgetSettle { subtask, attempt, spent_sats: 4, refunded_sats: 1 }),
        ];
        let trace: Vec<_> =
            (0..).zip(events).map(|(seq, (at_ms, event))| TraceRecord { seq, at_ms, event }).collect();
        let mut past = HashMap::new();
        add(&mut past, &RunView::of(&trace));
        add(&mut past, &RunView::of(&trace));
        assert_eq!(past.keys().collect::<Vec<_>>(), ["aa"], "bb was only seen");
        let jobs = &past["aa"];
        assert_eq!((jobs.asked, jobs.agreed, jobs.spent_sats), (2, 2, 8));
        assert_eq!((jobs.mean_ms(), jobs.agreement()), (Some(40), Some(1.0)));
        assert!(!jobs.name.contains('\u{202e}'));
    }
}
