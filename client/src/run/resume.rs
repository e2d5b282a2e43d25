//! A recorded run goes on: what is verified is not asked again.

use frlm_conductor::run::resume::Known;
use frlm_conductor::store::RunState;
use frlm_questions::ingest::IngestWarning;
use frlm_wallet::Sats;
use frlm_wallet::ledger::HistoryEvent;
use nostr::Keys;
use tokio_util::sync::CancellationToken;

use super::start::Identity;
use super::{RunHandle, RunRequest, RunService, prepare};
use crate::documents::Documents;
use crate::failure::Failure;

/// How a run goes on.
#[derive(Default)]
pub struct ResumeOptions {
    /// A new budget for the whole run, in sats.
    pub budget: Option<u64>,
    /// Whether a person takes the answer with what is verified.
    pub accept: bool,
    /// Stops the run when it is cancelled.
    pub cancel: CancellationToken,
}

/// A run that goes on, and what to know about its documents.
pub struct Resumed {
    /// The run.
    pub handle: RunHandle,
    /// Notes on its documents.
    pub warnings: Vec<IngestWarning>,
    /// Where its record goes on: the number of the first new event.
    pub next_seq: u64,
}

impl RunService {
    /// Goes on with a recorded run. A run that was paid in play money goes on in the same play money, or not at all.
    pub async fn resume(&self, id: &str, options: ResumeOptions) -> anyhow::Result<Resumed> {
        let claim = self.home.claim_run(id).await?;
        // Another process may have gone on with it until a moment ago.
        let run = self.store.find(id)?;
        let mut request: RunRequest = serde_json::from_value(run.request.clone())
            .map_err(|_| Failure::usage("this run was recorded by another version and cannot be resumed"))?;
        self.wallets.check(request.play_money)?;
        // A budget that was raised before is in the ledger alone; a run that never began is not in it.
        let limit = self.ledger.budget(run.id.as_str()).await.map_or(request.budget, |budget| budget.limit.0);
        request.budget = limit;
        if let Some(budget) = options.budget.filter(|budget| *budget != limit) {
            self.ledger.raise_limit(run.id.as_str(), Sats(budget)).await.map_err(Failure::usage)?;
            request.budget = budget;
        }
        let keys = Keys::parse(&run.secret_key)?;
        let mut known = Known::from_store(&self.store.trace(&run.id)?);
        let mut prepared = prepare(request, &Documents::of(&self.home))?;
        let warnings = std::mem::take(&mut prepared.warnings);
        let models = self.models_for(&prepared.request).await?;
        self.store.set_state(&run.id, RunState::Running).await?;
        known.skip_attempts(self.ledger.history(run.id.as_str()).await?.into_iter().filter_map(|row| {
            match row.event {
                HistoryEvent::Reservation { key, .. } => Some(key.attempt),
                HistoryEvent::Limit(_) => None,
            }
        }));
        let next_seq = known.next_seq;
        let identity = Identity { id: run.id, keys, known, recorded: true, accepted: options.accept };
        let handle = Box::pin(self.launch(prepared, models, identity, claim, options.cancel)).await?;
        Ok(Resumed { handle, warnings, next_seq })
    }
}
