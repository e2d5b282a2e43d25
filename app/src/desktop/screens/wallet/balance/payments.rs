//! Everything that came in and went out, from the wallet's own books: payments through escrow in both directions,
//! and what was moved over Lightning or as a token (`frlm wallet transfers`).

use std::collections::HashSet;

use egui::Ui;
use frlm_client::protocol::printable;
use frlm_client::wallet::SettlementOutcome;
use frlm_client::wallet::cashu::{Transfer, TransferState};
use frlm_client::wallet::debts::{DebtRow, DebtState};
use frlm_client::wallet::escrow::{Earning, LockRow};
use frlm_client::wallet::{CashuWallet, Key};
use lucide_icons::Icon;

use crate::desktop::command::Commands;
use crate::desktop::screens::wallet::state::{Action, Listed};
use crate::desktop::screens::wallet::view::NEWEST;
use crate::desktop::screens::wallet::words;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::short;
use crate::desktop::widgets::{
    Cell, Column, Row, SortKey, Sorted, Table, Tone, Touched, card_ui, soft, thousands,
};

/// What became of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// To a provider, for an answer that counted.
    Paid,
    /// Back in this wallet.
    Back,
    /// Owed to a provider that worked first.
    Owed,
    /// Locked for a provider.
    Locked,
    /// From an asker, in this wallet.
    Earned,
    /// Owed to this machine, which worked first.
    Due,
    /// Locked by an asker for this machine.
    Pending,
    /// This machine gave it back to the asker.
    GivenBack,
    /// The asker never let go of it.
    Withheld,
    /// Moved by the user.
    Moved(Move),
}

/// Sats that the user brought in or sent away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Whether they came in.
    pub incoming: bool,
    /// Whether as a token; otherwise over Lightning.
    pub as_token: bool,
    /// How it stands.
    pub state: TransferState,
}

/// One payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// Unix milliseconds of its last change.
    pub at_ms: u64,
    /// What became of it.
    pub flow: Flow,
    /// The run that pays; empty: somebody else's.
    pub run: String,
    /// Who is on the other side, hex; of what the user moved: the mint.
    pub peer: String,
    /// The price, in sats.
    pub sats: u64,
    /// What mints took on this side, in sats.
    pub fees: u64,
}

/// All of them, newest first.
pub async fn read(wallet: &CashuWallet) -> anyhow::Result<Vec<Payment>> {
    let (locks, earnings) = (wallet.locks(None).await?, wallet.earnings().await?);
    let debts = wallet.debts(None).await?;
    // A debt is paid with a lock: from then on that is told.
    let locked: HashSet<&Key> =
        locks.iter().filter(|row| row.outcome() != SettlementOutcome::Void).map(|row| &row.key).collect();
    let open = |row: &&DebtRow| row.state == DebtState::Owed && !locked.contains(&row.debt.key);
    let owed = debts.iter().filter(open).map(of_debt);
    let paid = locks.iter().filter_map(of_lock);
    let moved = wallet.transfers().await?;
    let earned = earnings.iter().map(of_earning);
    let mut payments: Vec<Payment> =
        paid.chain(owed).chain(earned).chain(moved.iter().map(of_transfer)).collect();
    payments.sort_by_key(|payment| std::cmp::Reverse(payment.at_ms));
    Ok(payments)
}

fn of_lock(row: &LockRow) -> Option<Payment> {
    let (flow, fees) = match row.outcome() {
        SettlementOutcome::Void => return None,
        SettlementOutcome::Waiting { .. } => (Flow::Locked, row.lock_fee),
        SettlementOutcome::Paid { fees, .. } => (Flow::Paid, fees),
        SettlementOutcome::Back { fees } => (Flow::Back, fees),
    };
    Some(Payment {
        at_ms: u64::try_from(row.at_unix_ms).unwrap_or(0),
        flow,
        run: row.key.run.to_string(),
        peer: row.peer.clone(),
        sats: row.price().0,
        fees: fees.0,
    })
}

fn of_debt(row: &DebtRow) -> Payment {
    Payment {
        at_ms: u64::try_from(row.at_unix_ms).unwrap_or(0),
        flow: Flow::Owed,
        run: row.debt.key.run.to_string(),
        peer: row.debt.peer.clone(),
        sats: row.debt.price.0,
        fees: 0,
    }
}

fn of_earning(earning: &Earning) -> Payment {
    let flow = match earning.state.as_str() {
        "owed" => Flow::Due,
        "redeemed" => Flow::Earned,
        "returned" => Flow::GivenBack,
        "lost" | "withheld" => Flow::Withheld,
        _ => Flow::Pending,
    };
    let fees = if flow == Flow::Earned { earning.price.saturating_sub(earning.received).0 } else { 0 };
    Payment {
        at_ms: u64::try_from(earning.at_unix_ms).unwrap_or(0),
        flow,
        run: String::new(),
        peer: earning.asker.clone(),
        sats: earning.price.0,
        fees,
    }
}

fn of_transfer(transfer: &Transfer) -> Payment {
    let Transfer { incoming, as_token, state, .. } = *transfer;
    Payment {
        at_ms: transfer.at_secs.saturating_mul(1_000),
        flow: Flow::Moved(Move { incoming, as_token, state }),
        run: String::new(),
        peer: printable(&transfer.mint).into_owned(),
        sats: transfer.amount.0,
        fees: transfer.fees.0,
    }
}

/// Of the table of payments.
pub const PAYMENTS: [Column; 6] = [
    Column::times("Changed", 105.0),
    Column::rest("Status"),
    Column::fixed("Run", 90.0),
    Column::fixed("With", 160.0),
    Column::figures("Sats", 90.0),
    Column::figures("Fees", 75.0),
];

/// The list, in the room that is left.
pub fn payments_ui(ui: &mut Ui, payments: &[Payment], now_ms: u64, sorted: &Sorted, commands: &mut Commands) {
    ui.label(soft(ui, words::PAYMENTS_ABOUT));
    ui.add_space(space::XS);
    card_ui(ui, |ui| {
        let height = (ui.available_height() - space::XXL).max(160.0);
        ui.set_min_height(height);
        if payments.is_empty() {
            ui.label(soft(ui, words::NO_PAYMENTS));
            return;
        }
        let table = Table::new("payments", &PAYMENTS).sorted(sorted, NEWEST).read_only();
        let touched = table.show(ui, height, payments.len(), |position| row(&payments[position], now_ms));
        if let Some(Touched::Sort(order)) = touched {
            commands.push(Action::Sort(Listed::Payments, order));
        }
    });
}

/// What a cell of a payment counts as when its column is sorted.
pub fn payment_key(payment: &Payment, column: usize) -> SortKey {
    match column {
        0 => SortKey::Number(payment.at_ms),
        1 => SortKey::words(became(payment.flow).2),
        2 => SortKey::words(&payment.run),
        3 => SortKey::words(&with(payment)),
        4 => SortKey::Number(payment.sats),
        _ => SortKey::number(Some(payment.fees).filter(|fees| *fees > 0)),
    }
}

/// Who is on the other side, in short.
fn with(payment: &Payment) -> String {
    if matches!(payment.flow, Flow::Moved(_)) {
        payment.peer.split_once("://").map_or(&*payment.peer, |(_, host)| host).to_owned()
    } else {
        short(&payment.peer).to_owned()
    }
}

fn row(payment: &Payment, now_ms: u64) -> Row {
    let (tone, icon, words, sign) = became(payment.flow);
    let is_mint = matches!(payment.flow, Flow::Moved(_));
    let with = if is_mint { Cell::soft(with(payment)) } else { Cell::mono(with(payment)) };
    let fees = if payment.fees == 0 { "–".to_owned() } else { thousands(payment.fees) };
    Row {
        chosen: false,
        cells: vec![
            Cell::ago(now_ms, payment.at_ms),
            Cell::mark(tone, icon, words),
            Cell::mono(if payment.run.is_empty() { "–" } else { short(&payment.run) }),
            with,
            Cell::text(format!("{sign}{}", thousands(payment.sats))),
            Cell::text(fees),
        ],
    }
}

/// What became of a payment, with the sign that its amount has.
fn became(flow: Flow) -> (Tone, Icon, &'static str, &'static str) {
    match flow {
        Flow::Paid => (Tone::Plain, Icon::ArrowUpRight, "paid to a provider", "−"),
        Flow::Back => (Tone::Good, Icon::Undo2, "refunded: not needed or not accepted", ""),
        Flow::Owed => (Tone::Warn, Icon::Handshake, "owed to a provider for work done", "−"),
        Flow::Locked => (Tone::Busy, Icon::Lock, "locked for a provider", ""),
        Flow::Earned => (Tone::Good, Icon::ArrowDownLeft, "earned from an asker", "+"),
        Flow::Due => (Tone::Busy, Icon::Handshake, "owed to this machine", ""),
        Flow::Pending => (Tone::Busy, Icon::Lock, "locked for this machine", ""),
        Flow::GivenBack => (Tone::Plain, Icon::Undo2, "returned to its asker", ""),
        Flow::Withheld => (Tone::Bad, Icon::CircleX, "withheld by its asker", ""),
        Flow::Moved(moved) => told(moved),
    }
}

/// What the user moved, and how it stands.
fn told(moved: Move) -> (Tone, Icon, &'static str, &'static str) {
    use TransferState::{Done, Failed, Pending};

    match (moved.state, moved.incoming, moved.as_token) {
        (Done, true, true) => (Tone::Good, Icon::ArrowDownLeft, "received as a token", "+"),
        (Done, true, false) => (Tone::Good, Icon::ArrowDownLeft, "received over Lightning", "+"),
        (Done, false, true) => (Tone::Plain, Icon::ArrowUpRight, "sent as a token", "−"),
        (Done, false, false) => (Tone::Plain, Icon::ArrowUpRight, "sent over Lightning", "−"),
        (Pending, true, true) => (Tone::Busy, Icon::Hourglass, "a token being redeemed", ""),
        (Pending, true, false) => (Tone::Busy, Icon::Hourglass, "awaited over Lightning", ""),
        (Pending, false, true) => (Tone::Busy, Icon::Hourglass, "a token not redeemed yet", "−"),
        (Pending, false, false) => (Tone::Busy, Icon::Hourglass, "on its way over Lightning", "−"),
        (Failed, _, _) => (Tone::Warn, Icon::CircleX, "failed: no sats moved", ""),
    }
}

#[cfg(test)]
mod tests {
    use frlm_wallet::Sats;

    use super::*;

    #[test]
    fn what_was_moved_is_told_with_its_mint_and_never_twice_in_the_same_words() {
        let transfer = |incoming, as_token, state| Transfer {
            at_secs: 12,
            mint: "https://mint.example/bitcoin".to_owned(),
            incoming,
            as_token,
            amount: Sats(40),
            fees: Sats(1),
            state,
        };
        let paid = of_transfer(&transfer(false, false, TransferState::Done));
        assert_eq!((paid.at_ms, paid.sats, paid.fees, paid.run.as_str()), (12_000, 40, 1, ""));
        let said = |incoming, as_token, state| {
            let payment = of_transfer(&transfer(incoming, as_token, state));
            let Flow::Moved(moved) = payment.flow else { panic!("{payment:?} was not moved") };
            told(moved).2
        };
        let mut words: Vec<&str> = [TransferState::Done, TransferState::Pending]
            .into_iter()
            .flat_map(|state| {
                [(true, true), (true, false), (false, true), (false, false)].map(|way| (way, state))
            })
            .map(|((incoming, as_token), state)| said(incoming, as_token, state))
            .collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 8);
    }
}
