//! Every payment through escrow, in both directions, from the wallet's own books. Tokens and Lightning
//! payments are the mints' affair and are not listed.

use std::collections::HashSet;

use egui::Ui;
use frlm_wallet::escrow::{DebtRow, DebtState, Earning, Fate, LockRow};
use frlm_wallet::{CashuWallet, Key};
use lucide_icons::Icon;

use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::{ago, short};
use crate::desktop::widgets::{Cell, Column, Row, Tone, card_ui, soft, table_ui, thousands};

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
    /// Who is on the other side, hex.
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
        locks.iter().filter(|row| row.fate() != Fate::Void).map(|row| &row.key).collect();
    let open = |row: &&DebtRow| row.state == DebtState::Owed && !locked.contains(&row.debt.key);
    let owed = debts.iter().filter(open).map(of_debt);
    let paid = locks.iter().filter_map(of_lock);
    let mut payments: Vec<Payment> = paid.chain(owed).chain(earnings.iter().map(of_earning)).collect();
    payments.sort_by_key(|payment| std::cmp::Reverse(payment.at_ms));
    Ok(payments)
}

fn of_lock(row: &LockRow) -> Option<Payment> {
    let (flow, fees) = match row.fate() {
        Fate::Void => return None,
        Fate::Waiting { .. } => (Flow::Locked, row.lock_fee),
        Fate::Paid { fees, .. } => (Flow::Paid, fees),
        Fate::Back { fees } => (Flow::Back, fees),
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

const COLUMNS: [Column; 6] = [
    Column::fixed("Changed", 105.0),
    Column::rest("What became of it"),
    Column::fixed("Run", 110.0),
    Column::fixed("With", 110.0),
    Column::figures("Sats", 110.0),
    Column::figures("Fees", 90.0),
];

/// The list, in the room that is left.
pub fn payments_ui(ui: &mut Ui, payments: &[Payment], now_ms: u64) {
    ui.label(soft(
        ui,
        "Payments for answers, to providers and from askers, newest first. Tokens and Lightning payments are \
         between you and your mints, and not listed.",
    ));
    ui.add_space(space::XS);
    card_ui(ui, |ui| {
        let height = (ui.available_height() - space::XXL).max(160.0);
        ui.set_min_height(height);
        if payments.is_empty() {
            ui.label(soft(ui, "Nobody was paid through escrow yet, and nobody has paid this machine."));
            return;
        }
        table_ui(ui, "payments", &COLUMNS, height, payments.len(), |position| {
            row(&payments[position], now_ms)
        });
    });
}

fn row(payment: &Payment, now_ms: u64) -> Row {
    let (tone, icon, words, sign) = match payment.flow {
        Flow::Paid => (Tone::Plain, Icon::ArrowUpRight, "paid to a provider", "−"),
        Flow::Back => (Tone::Good, Icon::Undo2, "back: not needed, or not agreed with", ""),
        Flow::Owed => (Tone::Warn, Icon::Handshake, "owed to a provider that worked first", "−"),
        Flow::Locked => (Tone::Busy, Icon::Lock, "locked for a provider", ""),
        Flow::Earned => (Tone::Good, Icon::ArrowDownLeft, "earned from an asker", "+"),
        Flow::Due => (Tone::Busy, Icon::Handshake, "owed to this machine", ""),
        Flow::Pending => (Tone::Busy, Icon::Lock, "locked for this machine", ""),
        Flow::GivenBack => (Tone::Plain, Icon::Undo2, "given back to its asker", ""),
        Flow::Withheld => (Tone::Bad, Icon::CircleX, "withheld by its asker", ""),
    };
    let fees = if payment.fees == 0 { "–".to_owned() } else { thousands(payment.fees) };
    Row {
        chosen: false,
        cells: vec![
            Cell::soft(ago(now_ms, payment.at_ms)),
            Cell::mark(tone, icon, words),
            Cell::mono(if payment.run.is_empty() { "–" } else { short(&payment.run) }),
            Cell::mono(short(&payment.peer)),
            Cell::text(format!("{sign}{}", thousands(payment.sats))),
            Cell::text(fees),
        ],
    }
}
