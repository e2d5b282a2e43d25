//! The ledger as its users see it; `interleavings` tries what nobody thought of.

mod interleavings;
mod limits;
mod machine;
mod processes;

use std::time::Duration;

use super::*;

async fn open(folder: &tempfile::TempDir) -> Ledger {
    Ledger::open(file(folder)).await.unwrap()
}

fn file(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("home").join("ledger.sqlite")
}

fn key(subtask: u32) -> Key {
    Key::new("run", subtask, 0)
}

/// spent, fees, reserved, pending refund, available
async fn sums(ledger: &Ledger) -> [u64; 5] {
    let budget = ledger.budget("run").await.unwrap();
    assert!(budget.is_balanced());
    [budget.spent, budget.fees, budget.reserved, budget.pending_refund, budget.available].map(|sats| sats.0)
}

/// Ends the actor as if its process had been killed.
pub(crate) async fn crash(ledger: Ledger) {
    let commands = ledger.shared.commands.as_ref().unwrap();
    commands.send(Command::Crash).await.unwrap();
    commands.closed().await;
}

/// seeds/frlm-architecture.md, "Budget Flow": the refund is what was reserved less what it cost.
#[tokio::test]
async fn a_reservation_is_settled_for_what_it_cost() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    let reservation = ledger.reserve(key(1), Sats(60)).await.unwrap();
    assert_eq!(
        format!("{reservation:?}"),
        "Reservation { key: Key { run: \"run\", subtask: 1, attempt: 0 }, amount: Sats(60), .. }"
    );
    assert_eq!(sums(&ledger).await, [0, 0, 60, 0, 40]);
    reservation.publish().await.unwrap();
    reservation.settle(Sats(40), Sats(2)).await.unwrap();
    assert_eq!(sums(&ledger).await, [42, 2, 0, 0, 58]);
    assert!(ledger.audit().await.unwrap().is_clean());
}

#[tokio::test]
async fn a_dropped_reservation_releases_its_sats() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    drop(ledger.reserve(key(1), Sats(60)).await.unwrap());
    assert_eq!(sums(&ledger).await, [0, 0, 0, 0, 100]);
    let error = ledger.attach(key(1)).await.unwrap_err();
    assert!(matches!(error, LedgerError::WrongState { state: State::Returned, .. }), "{error}");
}

#[tokio::test]
async fn a_reservation_dropped_last_is_still_released() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    let reservation = ledger.reserve(key(1), Sats(60)).await.unwrap();
    drop(ledger);
    drop(reservation);
    let ledger = open(&folder).await;
    assert_eq!(*ledger.recovered(), Recovered::default());
    assert_eq!(sums(&ledger).await, [0, 0, 0, 0, 100]);
    assert_eq!(ledger.entry(key(1)).await.unwrap().state, State::Returned);
}

#[tokio::test]
async fn an_abandoned_request_gives_its_sats_back() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    for subtask in 0..50 {
        let asked = ledger.reserve(key(subtask), Sats(60));
        let _ = tokio::time::timeout(Duration::from_micros(u64::from(subtask) * 20), asked).await;
    }
    // Whatever was granted after nobody waited any more gives itself back in the next commit.
    ledger.activity().await.unwrap();
    assert_eq!(sums(&ledger).await, [0, 0, 0, 0, 100]);
}

/// seeds/frlm-architecture.md, "Error Handling": what exceeds the budget is refused before it is sent.
#[tokio::test]
async fn a_budget_is_never_exceeded_and_several_are_reserved_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    let held = ledger.reserve_all(vec![(key(1), Sats(30)), (key(2), Sats(40))]).await.unwrap();
    let error = ledger.reserve_all(vec![(key(3), Sats(20)), (key(4), Sats(20))]).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "over budget: 40 sats needed, 30 sats of 100 sats available; raise the budget"
    );
    let error = ledger.reserve_all(vec![(key(5), Sats(1)), (key(5), Sats(1))]).await.unwrap_err();
    assert!(matches!(error, LedgerError::KeyExists { .. }));
    let error = ledger.reserve_all(vec![(key(5), Sats(0)), (key(5), Sats(0))]).await.unwrap_err();
    assert!(matches!(error, LedgerError::KeyExists { .. }), "what is free has its key once, too");
    assert!(matches!(ledger.entry(key(5)).await.unwrap_err(), LedgerError::UnknownKey { .. }));
    assert!(matches!(ledger.entry(key(3)).await.unwrap_err(), LedgerError::UnknownKey { .. }));
    assert_eq!(sums(&ledger).await, [0, 0, 70, 0, 30]);

    ledger.raise_limit("run", Sats(110)).await.unwrap();
    let more = ledger.reserve_all(vec![(key(3), Sats(20)), (key(4), Sats(20))]).await.unwrap();
    assert_eq!(sums(&ledger).await, [0, 0, 110, 0, 0]);
    drop((held, more));
    let huge = ledger.reserve(key(6), Sats(u64::MAX)).await.unwrap_err();
    assert!(matches!(huge, LedgerError::BudgetExceeded { .. }));
}

#[tokio::test]
async fn a_run_keeps_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    assert!(matches!(ledger.budget("run").await, Err(LedgerError::UnknownRun { .. })));
    ledger.open_run("run", Sats(100)).await.unwrap();
    ledger.open_run("run", Sats(100)).await.unwrap();
    assert!(matches!(ledger.open_run("run", Sats(99)).await, Err(LedgerError::RunExists { .. })));
    assert!(matches!(ledger.raise_limit("run", Sats(99)).await, Err(LedgerError::LimitLowered { .. })));
    assert!(matches!(
        ledger.open_run("other", Sats(u64::MAX)).await,
        Err(LedgerError::AmountTooLarge { .. })
    ));
    let runs = ledger.runs().await.unwrap();
    assert_eq!(runs.iter().map(|run| &*run.run).collect::<Vec<_>>(), ["run"]);
}

#[tokio::test]
async fn an_attempt_that_cost_too_much_counts_in_full_until_it_is_reconciled() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    let reservation = ledger.reserve(key(1), Sats(50)).await.unwrap();
    let error = reservation.settle(Sats(50), Sats(1)).await.unwrap_err();
    assert_eq!(error.to_string(), "run/1.0 cost 50 sats and 1 sat in fees, but only 50 sats were reserved");
    assert_eq!(sums(&ledger).await, [50, 0, 0, 0, 50]);
    ledger.reconcile(key(1), Sats(49), Sats(1)).await.unwrap();
    assert_eq!(sums(&ledger).await, [50, 1, 0, 0, 50]);
}

#[tokio::test]
async fn escrow_comes_back_through_a_pending_refund() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    let mut reservation = ledger.reserve(key(1), Sats(50)).await.unwrap();
    reservation.lock().await.unwrap();
    reservation.release().await.unwrap();
    assert_eq!(sums(&ledger).await, [0, 0, 0, 50, 50]);
    ledger.reconcile(key(1), Sats(0), Sats(1)).await.unwrap();
    assert_eq!(sums(&ledger).await, [1, 1, 0, 0, 99]);
}

#[tokio::test]
async fn after_pay_out_a_drop_leaves_the_sats_spent() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    let mut reservation = ledger.reserve(key(1), Sats(50)).await.unwrap();
    reservation.pay_out().await.unwrap();
    let error = ledger.reconcile(key(1), Sats(50), Sats(0)).await.unwrap_err();
    assert!(matches!(error, LedgerError::InUse { in_other_process: false, .. }));
    drop(reservation);
    assert_eq!(sums(&ledger).await, [50, 0, 0, 0, 50]);
    let again = ledger.attach(key(1)).await.unwrap();
    again.settle(Sats(20), Sats(0)).await.unwrap();
    assert_eq!(sums(&ledger).await, [20, 0, 0, 0, 80]);
}

#[tokio::test]
async fn a_cost_above_its_reservation_is_spent_in_full_in_either_order() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    for (subtask, paid_out) in [(1, false), (2, true)] {
        let mut reservation = ledger.reserve(key(subtask), Sats(10)).await.unwrap();
        if paid_out {
            reservation.pay_out().await.unwrap();
        }
        let error = reservation.settle(Sats(9), Sats(2)).await.unwrap_err();
        assert!(matches!(error, LedgerError::OverReservation { .. }), "{error}");
    }
    assert_eq!(sums(&ledger).await, [20, 0, 0, 0, 80]);
}

#[tokio::test]
async fn recovery_releases_what_never_left_and_doubts_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    let unsent = ledger.reserve(key(1), Sats(10)).await.unwrap();
    let sent = ledger.reserve(key(2), Sats(20)).await.unwrap();
    sent.publish().await.unwrap();
    let mut locked = ledger.reserve(key(3), Sats(30)).await.unwrap();
    locked.lock().await.unwrap();
    let free = ledger.reserve(key(4), Sats(0)).await.unwrap();
    free.publish().await.unwrap();
    crash(ledger).await;
    drop((unsent, sent, locked, free));

    let ledger = open(&folder).await;
    assert_eq!(
        *ledger.recovered(),
        Recovered { returned: vec![key(1), key(4)], doubtful: vec![key(2)], reclaimed: vec![key(3)] }
    );
    assert_eq!(sums(&ledger).await, [20, 0, 0, 30, 50]);
    let resumed = ledger.attach(key(2)).await.unwrap();
    assert!(matches!(ledger.attach(key(2)).await, Err(LedgerError::InUse { in_other_process: false, .. })));
    assert_eq!(sums(&ledger).await, [0, 0, 20, 30, 50]);
    resumed.settle(Sats(5), Sats(0)).await.unwrap();
    assert_eq!(sums(&ledger).await, [5, 0, 0, 30, 65]);
    assert!(ledger.audit().await.unwrap().is_clean());
    let left: Vec<_> = std::fs::read_dir(file(&folder).parent().unwrap()).unwrap().flatten().collect();
    let owners = left.iter().filter(|entry| entry.file_name().to_string_lossy().contains("-owner-")).count();
    assert_eq!(owners, 1, "the dead owner's file is swept");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_transitions_share_commits() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(1_000)).await.unwrap();
    // While another process holds the file, everything gathers.
    let other = rusqlite::Connection::open(ledger.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for subtask in 0..400 {
        let ledger = ledger.clone();
        tasks.spawn(async move { ledger.reserve(key(subtask), Sats(1)).await.unwrap() });
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let before = Activity { commits: 1, writes: 1 };
    other.execute_batch("COMMIT").unwrap();
    let held = tasks.join_all().await;
    let after = ledger.activity().await.unwrap();
    assert_eq!(after.writes - before.writes, 400);
    assert!(after.commits - before.commits <= 10, "{after:?}");
    assert_eq!(sums(&ledger).await, [0, 0, 400, 0, 600]);
    drop(held);
    assert_eq!(sums(&ledger).await, [0, 0, 0, 0, 1_000]);
}

#[tokio::test]
async fn a_locked_file_is_a_clear_error_and_no_release_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::open_with(&file(&folder), Duration::from_millis(20)).await.unwrap();
    ledger.open_run("run", Sats(100)).await.unwrap();
    let held = ledger.reserve(key(1), Sats(60)).await.unwrap();
    let settled = ledger.reserve(key(2), Sats(40)).await.unwrap();
    let other = rusqlite::Connection::open(ledger.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = ledger.reserve(key(3), Sats(0)).await.unwrap_err();
    assert!(matches!(error, LedgerError::Locked { .. }));
    assert!(error.to_string().contains("ledger.sqlite: locked by another process"), "{error}");
    drop(held);
    settled.settle(Sats(1), Sats(0)).await.unwrap_err();
    tokio::time::sleep(Duration::from_millis(150)).await;
    other.execute_batch("COMMIT").unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(sums(&ledger).await, [0, 0, 40, 0, 60]);
    ledger.attach(key(2)).await.unwrap().settle(Sats(1), Sats(0)).await.unwrap();
    assert_eq!(sums(&ledger).await, [1, 0, 0, 0, 99]);
}

#[tokio::test]
async fn a_file_that_cannot_be_opened_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    std::fs::write(&path, "this is no database, but it is long enough to look at: ".repeat(100)).unwrap();
    let error = Ledger::open(&path).await.unwrap_err();
    assert!(error.to_string().contains("ledger.sqlite"), "{error}");
    let error = Ledger::open(path.join("below")).await.unwrap_err();
    assert!(error.to_string().contains("ledger.sqlite"), "{error}");

    let newer = folder.path().join("newer.sqlite");
    rusqlite::Connection::open(&newer).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    assert!(matches!(Ledger::open(&newer).await, Err(LedgerError::NewerSchema { found: 99, .. })));
}

#[tokio::test]
async fn an_audit_reports_what_does_not_follow_from_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    ledger.reserve(key(1), Sats(60)).await.unwrap().settle(Sats(50), Sats(1)).await.unwrap();
    ledger.reserve(key(2), Sats(10)).await.unwrap().release().await.unwrap();
    let audit = ledger.audit().await.unwrap();
    assert_eq!((audit.transitions, audit.runs, audit.reservations), (5, 1, 2));
    assert!(audit.is_clean());

    let other = rusqlite::Connection::open(ledger.path()).unwrap();
    other.execute_batch("UPDATE runs SET spent_sats = 12, fees_sats = 0").unwrap();
    other.execute_batch("UPDATE entries SET actual_sats = 3 WHERE subtask = 1").unwrap();
    other.execute_batch("INSERT INTO transitions VALUES (NULL, 0, 1, 1, 2, 0, 'settle', 1, 0)").unwrap();
    let mismatches = ledger.audit().await.unwrap().mismatches;
    assert!(mismatches.iter().any(|found| matches!(found, Mismatch::Run { .. })));
    assert!(mismatches.iter().any(|found| matches!(found, Mismatch::Entry { .. })));
    assert!(mismatches.iter().any(|found| matches!(found, Mismatch::Impossible { .. })));
    assert_eq!(mismatches.len(), 3);
}

#[tokio::test]
async fn the_history_tells_what_happened_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("other", Sats(1)).await.unwrap();
    ledger.open_run("run", Sats(100)).await.unwrap();
    let reservation = ledger.reserve(key(1), Sats(60)).await.unwrap();
    reservation.publish().await.unwrap();
    reservation.settle(Sats(50), Sats(1)).await.unwrap();
    let events: Vec<_> = ledger.history("run").await.unwrap().into_iter().map(|row| row.event).collect();
    let of_key = |transition| HistoryEvent::Reservation { key: key(1), transition };
    assert_eq!(
        events,
        [
            HistoryEvent::Limit(Sats(100)),
            of_key(Transition::Reserve(Sats(60))),
            of_key(Transition::Publish),
            of_key(Transition::Settle { actual: Sats(50), fees: Sats(1) }),
        ]
    );
}

#[tokio::test]
async fn only_what_is_not_final_is_asked_of_the_books_behind_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(folder.path().join("ledger.sqlite")).await.unwrap();
    ledger.open_run("run", Sats(100)).await.unwrap();
    let key = |subtask| Key::new("run", subtask, 0);
    for subtask in 0..4 {
        let mut reservation = ledger.reserve(key(subtask), Sats(10)).await.unwrap();
        reservation.publish().await.unwrap();
        if subtask > 0 {
            reservation.pay_out().await.unwrap();
        }
        if subtask > 1 {
            reservation.settle(Sats(10), Sats::ZERO).await.unwrap();
        }
    }
    assert_eq!(ledger.undecided().await.unwrap(), [key(1)]);
}
