//! Reads what stands behind an event of the inspector: the signed Nostr events, what our job says, and the
//! receipt of its pay.

use std::fmt::Write as _;

use frlm_client::conductor::store::Store;
use frlm_client::conductor::trace::{TraceEvent, TraceRecord};
use frlm_client::protocol::kinds::{CANCELLATION, JOB_FEEDBACK, JOB_REQUEST, JOB_RESULT, SETTLEMENT};
use frlm_client::protocol::printable;
use frlm_client::wallet::SettlementOutcome;
use frlm_client::wallet::debts::DebtState;
use frlm_client::wallet::ledger::{Entry, State};
use frlm_client::wallet::{Key, LedgerError, Sats};
use nostr::{Keys, Kind};

use super::events::stands_on_more;
use super::messages::Event;
use super::state::Run;
use crate::desktop::engine::books::Books;
use crate::desktop::engine::runs::words;
use crate::desktop::engine::{Engine, Event as AppEvent, blocking};
use frlm_client::home::Home;
use frlm_client::run::event_record;
use frlm_client::units::moment;
use frlm_client::wallet_manager::WalletManager;

/// What stands behind an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Behind {
    /// The signed Nostr events as JSON; empty: none is kept.
    pub events: Vec<String>,
    /// What our job says, for whom it was encrypted.
    pub opened: Option<String>,
    /// What the books say of the attempt's pay, line by line.
    pub receipt: Vec<String>,
}

/// Reads it. `shown` is the run on screen.
pub fn read(id: String, seq: u64, shown: &Run, engine: &Engine) {
    let stub = usize::try_from(seq).ok().and_then(|seq| shown.events.get(seq));
    let Some(stub) = stub.filter(|stub| stands_on_more(stub.kind)) else { return };
    let lane = stub.subtask.and_then(|lane| shown.view.subtasks.get(lane as usize));
    let attempts = lane.map_or(&[][..], |lane| &lane.attempts);
    let jobs: Vec<(u32, String)> = attempts.iter().map(|each| (each.id, each.job.to_string())).collect();
    let (home, outbox) = (engine.home().clone(), engine.outbox());
    let (books, manager) = (engine.books(), engine.wallet_manager());
    engine.spawn(async move {
        let behind = behind(&home, (&books, &manager), &id, seq, jobs).await.map_err(|error| words(&error));
        outbox.send(AppEvent::Run(Event::Raw { id, seq, behind })).await;
    });
}

async fn behind(
    home: &Home,
    (books, manager): (&Books, &WalletManager),
    run: &str,
    seq: u64,
    jobs: Vec<(u32, String)>,
) -> anyhow::Result<Behind> {
    let (place, id) = (home.clone(), run.to_owned());
    let read = blocking(move || {
        let page = Store::open(&place.store())?.trace_page(&id, seq, 1)?;
        let record = page.records.into_iter().next();
        let behind = match &record {
            Some(record) => said(&place, &id, record, &jobs)?,
            None => Behind::default(),
        };
        Ok((record, behind))
    });
    let (record, mut behind) = read.await?;
    if let Some((subtask, attempt)) = record.as_ref().and_then(|record| paid_for(&record.event)) {
        behind.receipt = receipt(Key::new(run, subtask, attempt), home, books, manager).await?;
    }
    Ok(behind)
}

/// The attempt that an event is about, and which signed events are behind it.
#[expect(clippy::wildcard_enum_match_arm, reason = "most of what happens in a run is not signed by anybody")]
fn crossed(event: &TraceEvent) -> Option<(u32, &'static [Kind])> {
    match event {
        TraceEvent::SubQuerySubmit { attempt, .. } | TraceEvent::SubQuerySent { attempt, .. } => {
            Some((attempt.0, &[JOB_REQUEST]))
        }
        TraceEvent::SubQueryFeedback { attempt, .. } => Some((attempt.0, &[JOB_FEEDBACK])),
        // A failure is told by feedback; an answer is a result.
        TraceEvent::SubQueryReturn { attempt, .. } => Some((attempt.0, &[JOB_RESULT, JOB_FEEDBACK])),
        TraceEvent::SubQueryCancel { attempt, .. } => Some((attempt.0, &[CANCELLATION])),
        TraceEvent::BudgetSettle { attempt, .. } | TraceEvent::Owed { attempt, .. } => {
            Some((attempt.0, &[SETTLEMENT]))
        }
        _ => None,
    }
}

/// The attempt whose pay an event is about.
fn paid_for(event: &TraceEvent) -> Option<(u32, u32)> {
    let (TraceEvent::BudgetReserve { subtask, attempt, .. }
    | TraceEvent::BudgetSettle { subtask, attempt, .. }
    | TraceEvent::PaidUnescrowed { subtask, attempt, .. }
    | TraceEvent::Owed { subtask, attempt, .. }) = event
    else {
        return None;
    };
    Some((subtask.0, attempt.0))
}

/// The kept events behind a record. Blocks.
fn said(home: &Home, run: &str, record: &TraceRecord, jobs: &[(u32, String)]) -> anyhow::Result<Behind> {
    let Some((attempt, kinds)) = crossed(&record.event) else { return Ok(Behind::default()) };
    let job = jobs.iter().find(|(id, job)| *id == attempt && !job.is_empty());
    let Some((_, job)) = job else { return Ok(Behind::default()) };
    let kept = event_record::about(&home.events_file(run), job)?;
    let wanted = kinds.iter().find(|kind| kept.iter().any(|event| event.kind == **kind));
    let wanted: Vec<&nostr::Event> = kept.iter().filter(|event| Some(&event.kind) == wanted).collect();
    let mut behind = Behind::default();
    if let Some(event) = wanted.first().filter(|event| event.kind == JOB_REQUEST) {
        let keys = Keys::parse(&Store::open(&home.store())?.find(run)?.secret_key)?;
        behind.opened = event_record::opened(event, &keys).map(|said| printable(&said).into_owned());
    }
    for event in wanted {
        behind.events.push(printable(&serde_json::to_string_pretty(event)?).into_owned());
    }
    Ok(behind)
}

/// What ledger and wallet say of an attempt's pay.
async fn receipt(
    key: Key,
    home: &Home,
    books: &Books,
    manager: &WalletManager,
) -> anyhow::Result<Vec<String>> {
    let Some(ledger) = books.ledger(home).await? else { return Ok(Vec::new()) };
    let mut lines = match ledger.entry(key.clone()).await {
        Ok(entry) => vec![accounted(&entry)],
        // A record from elsewhere has its books elsewhere.
        Err(LedgerError::UnknownRun { .. } | LedgerError::UnknownKey { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let Some(wallet) = manager.open(home).await? else { return Ok(lines) };
    if let Some(row) = wallet.lock_of(&key).await? {
        let became = match row.outcome() {
            SettlementOutcome::Void => "nothing was locked".to_owned(),
            SettlementOutcome::Waiting { until } => {
                let until = moment(until.saturating_mul(1_000));
                format!("in escrow until the verdict, at the latest until {until}")
            }
            SettlementOutcome::Paid { price, fees } => format!("{price} to the provider, {fees} to the mint"),
            SettlementOutcome::Back { fees } => format!("refunded to this wallet, {fees} to the mint"),
        };
        lines.push(format!("Wallet: {} at {}: {became}", row.price(), printable(row.mint())));
    }
    if let Some(row) = wallet.debt_of(&key).await? {
        let became = match row.state {
            DebtState::Owed => "owed, to be paid",
            DebtState::Paid => "paid after the verdict",
            DebtState::Lapsed => "not delivered in time: the sats were refunded",
        };
        lines.push(format!("Work first, pay after: {}, {became}", row.debt.price));
    }
    Ok(lines)
}

/// A reservation in words.
fn accounted(entry: &Entry) -> String {
    let mut words = format!("Ledger: {} were reserved, ", entry.amount);
    let became = match entry.state {
        State::Reserved => "and nothing was paid or locked yet",
        State::Locked => "and are locked in escrow",
        State::Released => "and count as spent: the payment may have left",
        State::Doubtful => "and count as spent until their outcome is known",
        State::Reclaimed => "and are being refunded",
        State::Returned => "and all of them were refunded",
        State::Settled => {
            let back = entry.amount.saturating_sub(entry.actual).saturating_sub(entry.fees);
            // Writing into a String cannot fail.
            let _ = write!(words, "{} were paid, {} in fees, ", entry.actual, entry.fees);
            if back > Sats::ZERO {
                let _ = write!(words, "{back} refunded");
                return words;
            }
            "and none refunded"
        }
    };
    words + became
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(state: State, actual: u64, fees: u64) -> Entry {
        Entry { state, published: true, amount: Sats(5), actual: Sats(actual), fees: Sats(fees) }
    }

    #[test]
    fn a_receipt_says_where_every_sat_is() {
        let told = "Ledger: 5 sats were reserved, 3 sats were paid, 1 sat in fees, 1 sat refunded";
        assert_eq!(accounted(&entry(State::Settled, 3, 1)), told);
        assert!(accounted(&entry(State::Settled, 4, 1)).ends_with("and none refunded"));
        assert!(accounted(&entry(State::Returned, 0, 0)).ends_with("and all of them were refunded"));
        assert!(accounted(&entry(State::Released, 0, 0)).contains("count as spent"));
    }
}
