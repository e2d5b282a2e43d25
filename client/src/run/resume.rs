//! A recorded run, wired to go on: what is verified is not asked again.

use frlm_conductor::ingest::IngestWarning;
use frlm_conductor::run::resume::Known;
use frlm_conductor::store::{RunState, Store};
use frlm_wallet::Sats;
use frlm_wallet::ledger::HistoryEvent;
use nostr::Keys;
use tokio_util::sync::CancellationToken;

use super::{Earlier, RunRequest, Started, judging, own, own_priors, prepare, remembering, start, vouching};
use crate::failure::Failure;
use crate::home::Home;
use crate::wallet_session::Wallets;

/// A run that goes on, and what to know about its documents.
pub struct Resumed {
    /// The run.
    pub started: Started,
    /// Notes on its documents.
    pub warnings: Vec<IngestWarning>,
    /// Where its record goes on: the number of the first new event.
    pub next_seq: u64,
}

/// Wires a recorded run again. `cap`: a higher limit for the whole run, in sats. A run that was paid
/// in play money goes on in the same play money, or not at all.
pub async fn resume(
    store: Store,
    id: &str,
    cap: Option<u64>,
    wallets: &Wallets,
    home: &Home,
) -> anyhow::Result<Resumed> {
    let priors = own_priors(home)?;
    let ledger = home.open_ledger().await?;
    // Before it is claimed: what it owes itself is paid as if it were over.
    wallets.settle_the_past(&ledger, home).await?;
    let claim = home.claim_run(id).await?;
    // Another process may have gone on with it until a moment ago.
    let run = store.find(id)?;
    let mut request: RunRequest = serde_json::from_value(run.request.clone())
        .map_err(|_| Failure::usage("this run was recorded by another version and cannot be resumed"))?;
    let play_money = request.play_money;
    wallets.check(play_money)?;
    // A cap that was raised before is in the ledger alone; a run that never began is not in it.
    let limit = ledger.budget(run.id.as_str()).await.map_or(request.budget, |budget| budget.limit.0);
    request.budget = limit;
    if let Some(cap) = cap.filter(|cap| *cap != limit) {
        ledger.raise_limit(run.id.as_str(), Sats(cap)).await.map_err(Failure::usage)?;
        request.budget = cap;
    }
    let keys = Keys::parse(&run.secret_key)?;
    let loaded = store.trace(&run.id)?;
    let mut known = Known::from_store(&loaded);
    let mut prepared = prepare(request)?;
    let warnings = std::mem::take(&mut prepared.warnings);
    let own = own(&prepared.request, home).await?;
    store.set_state(&run.id, RunState::Running).await?;
    known.skip_attempts(ledger.history(run.id.as_str()).await?.into_iter().filter_map(
        |row| match row.event {
            HistoryEvent::Reservation { key, .. } => Some((key.subtask, key.attempt)),
            HistoryEvent::Limit(_) => None,
        },
    ));
    let next_seq = known.next_seq;
    let earlier = Earlier { id: run.id, keys, known };
    // What its question follows was settled when it began.
    let stop = CancellationToken::new();
    let started = start(prepared, own, ledger.clone(), Some(store), earlier, claim, &stop).await?;
    let started = remembering(wallets.pay(started, &ledger, play_money), home);
    let started = vouching(started, wallets.own.as_ref().filter(|_| !play_money), home).await;
    let started = judging(started, priors);
    Ok(Resumed { started, warnings, next_seq })
}
