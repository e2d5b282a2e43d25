//! Reads the ledger.

use std::collections::HashMap;

use frlm_client::conductor::store::{Store, StoredRun};
use frlm_client::protocol::printable;
use frlm_client::wallet::debts::DebtState;
use frlm_client::wallet::ledger::{HistoryEvent, HistoryRow, RunBudget};

use super::balance;
use super::state::{Account, Action, Event, Step, Sums, Wallet};
use crate::desktop::engine::books::Books;
use crate::desktop::engine::{Engine, Event as AppEvent};
use crate::desktop::screens::load::Load;
use crate::desktop::widgets::Unit;
use frlm_client::home::Home;
use frlm_client::recorded_run;
use frlm_client::wallet_audit;
use frlm_client::wallet_manager::WalletManager;

/// Does what takes time.
pub fn perform(action: &Action, shown: &Wallet, engine: &Engine) {
    match action {
        Action::Reload => look(engine),
        Action::Choose(run) => history(run.clone(), engine),
        Action::Audit => audit(engine),
        Action::Tab(_) | Action::Sort(..) => {}
        Action::Balance(action) => balance::work::perform(action, &shown.balance, engine),
    }
}

/// Reads all accounts.
pub fn look(engine: &Engine) {
    balance::work::look(engine);
    let (home, books, manager) = (engine.home().clone(), engine.books(), engine.wallet_manager());
    engine.report(async move {
        let accounts = Load::from(accounts(&home, &books, &manager).await);
        let now_ms = frlm_client::util::clock::unix_millis();
        AppEvent::Wallet(Event::Accounts { accounts, now_ms })
    });
}

async fn accounts(home: &Home, books: &Books, manager: &WalletManager) -> anyhow::Result<Vec<Account>> {
    let Some(ledger) = books.ledger(home).await? else { return Ok(Vec::new()) };
    let runs = ledger.runs().await?;
    let questions = questions(home.clone()).await;
    let owed = owed(home, manager).await;
    let accounts = runs.into_iter().rev().map(|row| {
        let mut account = account(&row, questions.get(&*row.run));
        // What is owed is part of what counts as spent, whatever the two books say in between.
        account.sums.owed = owed.get(&*row.run).copied().unwrap_or(0).min(account.sums.spent);
        account
    });
    Ok(accounts.collect())
}

/// What each run owes providers that worked first. A wallet that cannot be read says so where the sats
/// themselves are shown.
async fn owed(home: &Home, manager: &WalletManager) -> HashMap<String, u64> {
    let mut owed = HashMap::new();
    let Ok(Some(wallet)) = manager.open(home).await else { return owed };
    let Ok(debts) = wallet.debts(None).await else { return owed };
    for row in debts.iter().filter(|row| row.state == DebtState::Owed) {
        let sum: &mut u64 = owed.entry(row.debt.key.run.to_string()).or_default();
        *sum = sum.saturating_add(row.debt.price.0);
    }
    owed
}

/// What a run was asked, and what it was paid in.
type Asked = (String, Unit);

/// What each run was asked; a run store that cannot be read leaves the accounts without questions.
async fn questions(home: Home) -> HashMap<String, Asked> {
    let read = move || {
        let runs = home.store().exists().then(|| Store::open(&home.store())?.list(usize::MAX));
        let runs = runs.and_then(Result::ok).unwrap_or_default();
        let asked = |run: StoredRun| {
            let unit = Unit::of(recorded_run::in_play_money(&run));
            (run.id, (printable(&run.question).into_owned(), unit))
        };
        runs.into_iter().map(asked).collect()
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

fn account(row: &RunBudget, asked: Option<&Asked>) -> Account {
    let budget = &row.budget;
    let (question, unit) = asked.cloned().unwrap_or_default();
    Account {
        run: row.run.to_string(),
        question,
        unit,
        opened_at_ms: u64::try_from(row.opened_at_unix_ms).unwrap_or(0),
        sums: Sums {
            limit: budget.limit.0,
            spent: budget.spent.0,
            fees: budget.fees.0,
            owed: 0,
            reserved: budget.reserved.0,
            pending_refund: budget.pending_refund.0,
            available: budget.available.0,
        },
    }
}

/// Reads the steps of a run's money.
pub fn history(run: String, engine: &Engine) {
    let (home, books) = (engine.home().clone(), engine.books());
    engine.report(async move {
        let steps = async {
            let Some(ledger) = books.ledger(&home).await? else { return Ok(Vec::new()) };
            anyhow::Ok(ledger.history(run.as_str()).await?.iter().rev().map(step).collect())
        };
        let steps = Load::from(steps.await);
        AppEvent::Wallet(Event::History { run, steps })
    });
}

fn step(row: &HistoryRow) -> Step {
    let (what, whose, sats) = match &row.event {
        HistoryEvent::Limit(limit) => ("limit", None, Some(limit.0)),
        HistoryEvent::Reservation { key, transition } => {
            (transition.name(), Some((key.subtask, key.attempt)), transition.amount().map(|amount| amount.0))
        }
    };
    Step { sequence: row.sequence, at_ms: u64::try_from(row.at_unix_ms).unwrap_or(0), what, whose, sats }
}

fn audit(engine: &Engine) {
    let (home, books, manager) = (engine.home().clone(), engine.books(), engine.wallet_manager());
    engine.report(async move {
        let found = async {
            let ledger = match books.ledger(&home).await? {
                Some(ledger) => ledger,
                // A wallet has something to compare before the first run, too.
                None => home.open_ledger().await?,
            };
            wallet_audit::audit(&ledger, &manager.open(&home).await).await
        };
        AppEvent::Wallet(Event::Audited(Load::from(found.await)))
    });
}

#[cfg(test)]
mod tests {
    use frlm_wallet::ledger::Key;
    use frlm_wallet::{Ledger, Sats};

    use super::*;

    #[tokio::test]
    async fn the_accounts_are_what_the_ledger_says() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let (books, manager) = (Books::default(), WalletManager::new(|_| ()));
        assert_eq!(accounts(&home, &books, &manager).await.unwrap(), []);
        let ledger = Ledger::open(home.ledger()).await.unwrap();
        ledger.open_run("abc", Sats(100)).await.unwrap();
        let key = Key { run: "abc".into(), subtask: 3, attempt: 1 };
        let held = ledger.reserve(key, Sats(40)).await.unwrap();
        let found = accounts(&home, &books, &manager).await.unwrap();
        assert_eq!(found[0].sums, Sums { limit: 100, reserved: 40, available: 60, ..Sums::default() });
        let rows = ledger.history("abc").await.unwrap();
        let steps: Vec<_> = rows.iter().map(step).collect();
        assert_eq!((steps[0].what, steps[0].sats), ("limit", Some(100)));
        assert_eq!((steps[1].whose, steps[1].sats), (Some((3, 1)), Some(40)));
        drop(held);
    }
}
