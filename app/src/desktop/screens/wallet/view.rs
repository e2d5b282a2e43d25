//! Draws the wallet screen.

use egui::Ui;
use lucide_icons::Icon;

use super::balance::{balance_ui, payments_ui};
use super::state::{Account, Action, Listed, Step, Sums, Tab, Wallet};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::words::{in_window, plural, short};
use crate::desktop::widgets::{
    Banner, Button, Cell, Column, Order, Part, Row, Table, Tone, Touched, Unit, amount, busy_ui, card_ui,
    column_ui, empty_ui, figure_ui, heading, meter_ui, name, note_ui, one_line_ui, play_ui, scroll_ui, soft,
    tabs_ui, thousands, title_ui,
};

/// Of the table of runs.
pub static ACCOUNTS: [Column; 6] = [
    Column::times("Opened", 92.0),
    Column::rest("Run"),
    Column::figures("Budget", 106.0),
    Column::figures("Spent", 106.0),
    Column::figures("Reserved", 106.0),
    Column::figures("Available", 106.0),
];

/// In less width than this the last of them is left out.
const ROOMY: f32 = 820.0;

/// Of the history of one.
pub const STEPS: [Column; 5] = [
    Column::figures("Entry", 80.0),
    Column::times("When", 105.0),
    Column::fixed("What happened", 170.0),
    Column::rest("For"),
    Column::figures("Sats", 110.0),
];

/// In all three tables the newest stand first of themselves.
pub const NEWEST: Option<Order> = Some(Order::falling(0));

pub fn wallet_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let wallet = &state.wallet;
    column_ui(ui, size::CONTENT, |ui| {
        ui.add_space(space::XL);
        // Where something cannot be read, what is said about it has the button.
        let (unread, unaudited) = (wallet.is_unread(), wallet.is_unaudited());
        title_ui(ui, words::TITLE, words::SUBTITLE, |ui| {
            if !unread && ui.add(Button::new(words::REFRESH).icon(Icon::RefreshCw)).clicked() {
                commands.push(Action::Reload);
            }
            if !unaudited {
                let button = Button::new(words::AUDIT).icon(Icon::Scale).hint(words::AUDIT_HINT);
                button.show(ui, commands, Action::Audit);
            }
        });
        ui.add_space(space::S);
        commands.extend(tabs_ui(ui, &words::TABS, wallet.tab).map(Action::Tab));
        ui.add_space(space::S);
        match (wallet.tab, wallet.balance.holdings()) {
            (Tab::Payments, Some(holdings)) if !unread => {
                let now_ms = holdings.now_secs.saturating_mul(1_000);
                return payments_ui(ui, &holdings.payments, now_ms, &wallet.by_payment, commands);
            }
            // Without a wallet, or with one that cannot be opened, there are no payments: what is missing is said there.
            (Tab::Balance | Tab::Payments, _) => return balance_ui(ui, &wallet.balance, commands),
            (Tab::Runs, _) => {}
        }
        match &wallet.accounts {
            Load::Busy => busy_ui(ui, words::READING_LEDGER),
            Load::Failed(why) => unread_ui(ui, wallet, why, commands),
            Load::Ready(accounts) if accounts.is_empty() => {
                audited_ui(ui, wallet, commands);
                nothing_ui(ui, commands);
            }
            Load::Ready(accounts) => {
                let room = ui.available_height();
                // On a small screen tables keep a height that shows something, and all of it scrolls.
                scroll_ui(ui, "runs' money", |ui| {
                    audited_ui(ui, wallet, commands);
                    total_ui(ui, &wallet.total, accounts.iter().any(|account| account.unit == Unit::Play));
                    ui.add_space(space::S);
                    let left = room - ui.min_rect().height();
                    accounts_ui(ui, wallet, accounts, left, commands);
                    ui.add_space(space::S);
                    history_ui(ui, wallet, room - ui.min_rect().height() - space::L, commands);
                    ui.add_space(space::S);
                });
            }
        }
    });
}

/// The ledger cannot be read. An audit that failed for the same reason is no second message.
fn unread_ui(ui: &mut Ui, wallet: &Wallet, why: &str, commands: &mut Commands) {
    let audit_too = matches!(&wallet.audit, Some(Load::Failed(unaudited)) if unaudited == why);
    if !audit_too {
        audited_ui(ui, wallet, commands);
    }
    let audit = if audit_too { words::NO_AUDIT_EITHER } else { "" };
    let safe = words::ledger_unread(why, audit);
    Banner { tone: Tone::Bad, what: words::LEDGER_UNREAD, safe: &safe }.show(ui, |ui| {
        Button::new(words::TRY_AGAIN).icon(Icon::RotateCcw).show(ui, commands, Action::Reload);
        if audit_too {
            audit_again_ui(ui, commands);
        }
    });
}

fn audit_again_ui(ui: &mut Ui, commands: &mut Commands) {
    Button::new(words::AUDIT_AGAIN).icon(Icon::Scale).show(ui, commands, Action::Audit);
}

fn nothing_ui(ui: &mut Ui, commands: &mut Commands) {
    empty_ui(ui, Icon::Wallet, words::NO_RUN, words::NO_RUN_THEN, |ui| {
        Button::primary(words::ASK).icon(Icon::Send).show(ui, commands, Screen::Ask);
    });
}

/// What an audit found, if one was asked for: also of a ledger that lists nothing or cannot be read.
fn audited_ui(ui: &mut Ui, wallet: &Wallet, commands: &mut Commands) {
    let Some(audit) = &wallet.audit else { return };
    match audit {
        Load::Busy => busy_ui(ui, words::COMPARING),
        Load::Failed(why) => {
            let banner =
                Banner { tone: Tone::Bad, what: words::NO_AUDIT, safe: &words::nothing_changed(why) };
            banner.show(ui, |ui| audit_again_ui(ui, commands));
        }
        Load::Ready(audit) => {
            let safe = audit.agreement();
            let banner = if !audit.differences.is_empty() {
                Banner { tone: Tone::Bad, what: words::DIFFERENT, safe: words::NOTHING_CHANGED }
            } else if audit.unasked.is_empty() {
                Banner { tone: Tone::Good, what: words::MATCH, safe: &safe }
            } else {
                Banner { tone: Tone::Warn, what: words::MATCH_PARTLY, safe: &safe }
            };
            let points: Vec<String> = audit.points().iter().map(|point| in_window(point)).collect();
            banner.show_points(ui, &points, |_| {});
        }
    }
}

fn total_ui(ui: &mut Ui, total: &Sums, any_play: bool) {
    card_ui(ui, |ui| {
        if any_play {
            ui.label(soft(ui, words::WITHOUT_PLAY));
        }
        let paid = total.spent.saturating_sub(total.owed);
        let owed = (total.owed > 0).then(|| (words::OWED, total.owed, words::OWED_ABOUT.to_owned()));
        // What is owed counts as spent in the table below, and is no part of this figure.
        let spent = if total.owed > 0 { words::PAID } else { words::SPENT };
        let figures: Vec<(&str, u64, String)> = std::iter::once((spent, paid, fees(total.fees)))
            .chain(owed)
            .chain([
                (words::RESERVED, total.reserved, words::RESERVED_ABOUT.to_owned()),
                (words::REFUNDING, total.pending_refund, words::REFUNDING_ABOUT.to_owned()),
                (words::AVAILABLE, total.available, words::AVAILABLE_ABOUT.to_owned()),
            ])
            .collect();
        ui.columns(figures.len(), |columns| {
            for (column, (label, sats, about)) in columns.iter_mut().zip(figures) {
                figure_ui(column, label, &amount(sats), &about);
            }
        });
        ui.add_space(space::S);
        meter_ui(ui, words::ALL_BUDGETS, total.limit, &parts(ui, total));
    });
}

fn fees(fees: u64) -> String {
    if fees == 0 { words::NO_FEES.to_owned() } else { words::fees(fees) }
}

fn parts(ui: &Ui, sums: &Sums) -> Vec<Part> {
    let colours = tokens(ui);
    let paid = sums.spent.saturating_sub(sums.owed);
    let owed =
        (sums.owed > 0).then_some(Part { name: words::IS_OWED, amount: sums.owed, colour: colours.accent });
    let rest = [
        Part { name: words::IS_RESERVED, amount: sums.reserved, colour: colours.busy },
        Part { name: words::IS_REFUNDING, amount: sums.pending_refund, colour: colours.warn },
        Part { name: words::IS_AVAILABLE, amount: sums.available, colour: colours.outline },
    ];
    let name = if sums.owed > 0 { words::IS_PAID } else { words::IS_SPENT };
    let paid = Part { name, amount: paid, colour: colours.good };
    std::iter::once(paid).chain(owed).chain(rest).collect()
}

fn accounts_ui(ui: &mut Ui, wallet: &Wallet, accounts: &[Account], room: f32, commands: &mut Commands) {
    // A few accounts leave the rest of the room to the history.
    let all = (accounts.len() as f32 + 1.0) * size::ROW + space::M;
    let height = (room * 0.45).max(130.0).min(all);
    ui.allocate_ui(egui::vec2(ui.available_width(), height), |ui| {
        ui.set_min_height(height);
        let row = |position: usize| {
            let account = &accounts[position];
            let sums = account.sums;
            let name = if account.question.is_empty() {
                Cell::soft(words::deleted(short(&account.run)))
            } else {
                Cell::text(&account.question)
            };
            Row {
                chosen: wallet.chosen.as_ref() == Some(&account.run),
                cells: vec![
                    Cell::ago(wallet.now_ms, account.opened_at_ms),
                    name,
                    Cell::text(account.unit.amount(sums.limit)),
                    Cell::text(account.unit.amount(sums.spent)),
                    Cell::text(account.unit.amount(sums.reserved)),
                    Cell::text(account.unit.amount(sums.available)),
                ],
            }
        };
        // What is free follows from the others; questions are told apart by their words.
        let shown =
            if ui.available_width() < ROOMY { &ACCOUNTS[..ACCOUNTS.len() - 1] } else { &ACCOUNTS[..] };
        let table = Table::new("accounts", shown)
            .sorted(&wallet.by_account, NEWEST)
            .choosing(wallet.chosen.as_deref());
        match table.show(ui, height, accounts.len(), row) {
            Some(Touched::Row(position)) => {
                commands.push(Action::Choose(accounts[position].run.clone()));
            }
            Some(Touched::Sort(order)) => {
                commands.push(Action::Sort(Listed::Accounts, order));
            }
            None => {}
        }
    });
}

/// Height of a line without buttons.
const LINE: f32 = 22.0;
/// Height of what stands over the table: heading, number of steps, and the gaps below them and the table's head.
const SAID: f32 = 64.0;
/// Height of the line that says what a run owes.
const OWED: f32 = 30.0;

fn history_ui(ui: &mut Ui, wallet: &Wallet, room: f32, commands: &mut Commands) {
    card_ui(ui, |ui| {
        let height = (room - 2.0 * space::XL).max(180.0);
        ui.set_min_height(height);
        let Some(account) = wallet.chosen() else {
            ui.label(soft(ui, words::CHOOSE));
            return;
        };
        let control = std::mem::replace(&mut ui.spacing_mut().interact_size.y, LINE);
        ui.horizontal(|ui| {
            ui.label(heading(words::HISTORY));
            let question = if account.question.is_empty() { short(&account.run) } else { &account.question };
            play_ui(ui, account.unit);
            one_line_ui(ui, name(question));
        });
        ui.spacing_mut().interact_size.y = control;
        if account.sums.owed > 0 {
            let owed = words::still_owed(&account.unit.amount(account.sums.owed));
            note_ui(ui, Tone::Warn, Icon::Handshake, &owed).on_hover_text(words::STILL_OWED_HINT);
        }
        match &wallet.history {
            Load::Busy => busy_ui(ui, words::READING_HISTORY),
            Load::Failed(why) => {
                let safe = words::nothing_changed(why);
                Banner { tone: Tone::Bad, what: words::HISTORY_UNREAD, safe: &safe }.show_last(ui, |ui| {
                    let button = Button::new(words::READ_AGAIN).icon(Icon::RotateCcw);
                    button.show(ui, commands, Action::Choose(account.run.clone()));
                });
            }
            Load::Ready(steps) => {
                ui.label(soft(ui, &plural(steps.len(), "step")));
                let row = |position: usize| step_row(wallet.now_ms, &steps[position]);
                let said = if account.sums.owed > 0 { SAID + OWED } else { SAID };
                let table = Table::new("history", &STEPS).sorted(&wallet.by_step, NEWEST).read_only();
                let touched = table.show(ui, (height - said).max(80.0), steps.len(), row);
                if let Some(Touched::Sort(order)) = touched {
                    commands.push(Action::Sort(Listed::Steps, order));
                }
            }
        }
    });
}

fn step_row(now_ms: u64, step: &Step) -> Row {
    let (tone, icon, what) = meaning(step.what);
    let whose = match step.whose {
        Some((part, attempt)) => words::part(part, attempt),
        None => words::OF_RUN.to_owned(),
    };
    Row {
        chosen: false,
        cells: vec![
            Cell::soft(step.sequence.to_string()),
            Cell::ago(now_ms, step.at_ms),
            Cell::mark(tone, icon, what),
            Cell::text(whose),
            Cell::text(step.sats.map_or(String::new(), thousands)),
        ],
    }
}

/// A transition's name as people say it; an unknown one as the ledger says it.
pub fn meaning(what: &'static str) -> (Tone, Icon, &'static str) {
    match what {
        "limit" => (Tone::Plain, Icon::Gauge, "budget set"),
        "reserve" => (Tone::Busy, Icon::CircleDashed, "reserved"),
        "publish" => (Tone::Busy, Icon::Send, "job sent"),
        "lock" => (Tone::Busy, Icon::Lock, "locked in escrow"),
        "pay_out" => (Tone::Good, Icon::LockOpen, "released"),
        "settle" => (Tone::Good, Icon::CircleCheck, "counted as spent"),
        "give_back" => (Tone::Plain, Icon::Undo2, "returned"),
        "recover" => (Tone::Warn, Icon::LifeBuoy, "recovered"),
        "attach" => (Tone::Plain, Icon::Link, "resumed"),
        "reconcile" => (Tone::Good, Icon::CircleCheck, "reconciled"),
        other => (Tone::Plain, Icon::Circle, other),
    }
}
