//! Draws the sats themselves.

use egui::{RichText, ScrollArea, Ui};
use lucide_icons::Icon;

use super::action::Action;
use super::backup;
use super::holdings::{Held, Holdings, WalletStatus};
use super::mints::mints_ui;
use super::state::{Balance, Receiving, SendRequest, Sending};
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::wallet;
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::{ago, counted, lasting, moment, short};
use crate::desktop::widgets::{
    Banner, Button, Tone, card_ui, copy_ui, field_ui, figure_ui, heading, mark_ui, name, qr_ui, scroll_ui,
    small, soft, thousands, two_columns_ui, well_ui,
};
use frlm_client::wallet_session::invitation;

/// Locks or debts that are listed one by one.
const MOST_HELD: usize = 8;
/// How wide a QR code is.
const CODE: f32 = 240.0;
/// Room for an invoice or a token that is shown: five whole lines.
const LONG_TEXT: f32 = 80.0;

pub fn push(commands: &mut Commands, action: Action) {
    commands.push(Command::Wallet(wallet::Action::Balance(action)));
}

/// The tab.
pub fn balance_ui(ui: &mut Ui, balance: &Balance, commands: &mut Commands) {
    if let Some(words) = &balance.words {
        match &balance.quiz {
            Some(quiz) => backup::quiz_ui(ui, quiz, commands),
            None => backup::words_ui(ui, words, balance.is_new, commands),
        }
        return;
    }
    if !usable_ui(ui, balance, commands) {
        return;
    }
    match &balance.status {
        None => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Opening the wallet…")),
        Some(WalletStatus::None) => backup::nothing_ui(ui, balance, commands),
        Some(WalletStatus::Open(holdings)) => {
            scroll_ui(ui, "purse", |ui| {
                open_ui(ui, balance, holdings, commands);
                ui.add_space(space::XXL);
            });
        }
    }
}

/// What did not work, and whether the wallet can be opened at all.
pub fn usable_ui(ui: &mut Ui, balance: &Balance, commands: &mut Commands) -> bool {
    if let Some((what, why)) = &balance.failed {
        let safe = format!("{why}. All other sats are unchanged.");
        Banner { tone: Tone::Bad, what, safe: &safe }.show(ui, |ui| {
            if ui.add(Button::new("OK").icon(Icon::Check)).clicked() {
                push(commands, Action::Dismiss);
            }
        });
    }
    if let Some((what, why)) = &balance.unclear {
        Banner { tone: Tone::Warn, what, safe: why }.show(ui, |ui| {
            if ui.add(Button::new("Quit FRLM").icon(Icon::X)).clicked() {
                commands.push(Command::Quit);
            }
            if ui.add(Button::new("OK").icon(Icon::Check)).clicked() {
                push(commands, Action::Dismiss);
            }
        });
    }
    if let Some(why) = &balance.broken {
        let safe = format!("{why}. Your sats are unchanged; nothing can be sent until the wallet opens.");
        Banner { tone: Tone::Bad, what: "The wallet cannot be opened", safe: &safe }.show(ui, |ui| {
            if ui.add(Button::new("Try again").icon(Icon::RotateCcw)).clicked() {
                commands.push(Command::Wallet(wallet::Action::Reload));
            }
        });
    }
    balance.broken.is_none()
}

fn open_ui(ui: &mut Ui, balance: &Balance, holdings: &Holdings, commands: &mut Commands) {
    if holdings.play {
        let safe = "It is for trying things out. Nobody outside this machine accepts it.";
        Banner { tone: Tone::Warn, what: "Play money: worth nothing", safe }.show(ui, |_| {});
    }
    card_ui(ui, |ui| {
        let unit = holdings.unit();
        ui.columns(3, |columns| {
            let free = format!("{} {unit}", thousands(holdings.available()));
            figure_ui(&mut columns[0], "Available", &free, &counted(holdings.mints.len(), "mint"));
            let pending = format!("{} {unit}", thousands(holdings.pending()));
            figure_ui(&mut columns[1], "Pending", &pending, "in payments that are not complete");
            let held = counted(holdings.held.len(), "payment");
            figure_ui(&mut columns[2], "In escrow", &held, "of earlier runs");
        });
    });
    ui.add_space(space::S);
    // What the left column asks for, the right one too.
    let mut right = Commands::default();
    two_columns_ui(
        ui,
        0.5,
        |ui| {
            card_ui(ui, |ui| receive_ui(ui, balance, holdings, commands));
            ui.add_space(space::S);
            card_ui(ui, |ui| mints_ui(ui, balance, holdings, commands));
        },
        |ui| {
            card_ui(ui, |ui| send_ui(ui, balance, holdings, &mut right));
            ui.add_space(space::S);
            if !holdings.out.is_empty() {
                card_ui(ui, |ui| out_ui(ui, holdings, &mut right));
                ui.add_space(space::S);
            }
            if !holdings.owed.is_empty() {
                card_ui(ui, |ui| owed_ui(ui, holdings));
                ui.add_space(space::S);
            }
            card_ui(ui, |ui| held_ui(ui, holdings));
            ui.add_space(space::S);
            card_ui(ui, |ui| backup::backup_ui(ui, balance, &mut right));
        },
    );
    for command in right.take() {
        commands.push(command);
    }
}

fn receive_ui(ui: &mut Ui, balance: &Balance, holdings: &Holdings, commands: &mut Commands) {
    ui.label(heading("Receive sats"));
    match &balance.receiving {
        Receiving::Invoice { bolt11, sats } => {
            let (words, is_shown) = invitation(holdings.money(), &thousands(*sats));
            ui.label(words);
            if is_shown {
                // In capitals a code needs half the room, and means the same (BOLT 11).
                qr_ui(ui, "The invoice as a QR code", &bolt11.to_uppercase(), CODE.min(ui.available_width()));
                to_copy_ui(ui, "Copy the invoice", bolt11);
            }
            mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "waiting for payment");
            let hint = "if the invoice is paid later, the sats still arrive";
            if ui.add(Button::new("Stop waiting").icon(Icon::X).hint(hint)).clicked() {
                push(commands, Action::LeaveInvoice);
            }
            return;
        }
        Receiving::Done(sats) => {
            let words = format!("{} {} have arrived", thousands(*sats), holdings.unit());
            mark_ui(ui, Tone::Good, Icon::CircleCheck, &words);
        }
        Receiving::Idle | Receiving::Asking => {}
    }
    let width = ui.available_width();
    if let Some(text) =
        field_ui(ui, "A token, or an amount of sats", &balance.incoming, "cashuB… or 1000", width)
    {
        push(commands, Action::Incoming(text));
    }
    let asking = balance.receiving == Receiving::Asking;
    let ready = balance.can_receive();
    let word = if asking { "Asking the mint…" } else { "Receive" };
    let button = Button::new(word).icon(Icon::Download).enabled(ready.is_ok() && !asking);
    let button = if let Err(why) = ready { button.hint(why) } else { button };
    if ui.add(button).clicked() {
        push(commands, Action::Receive);
    }
}

fn send_ui(ui: &mut Ui, balance: &Balance, holdings: &Holdings, commands: &mut Commands) {
    ui.label(heading("Send sats"));
    let unit = holdings.unit();
    match &balance.sending {
        Sending::Confirm(order) => return confirm_ui(ui, order, unit, commands),
        Sending::Busy(_) => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Sending…")),
        Sending::Token(token) => {
            ui.label("This text is the money: the first person to redeem it gets it.");
            qr_ui(ui, "The token as a QR code", token, CODE.min(ui.available_width()));
            to_copy_ui(ui, "Copy the token", token);
            // Below the other button, which gets shorter when it is pressed: a second press must not end up here.
            if ui.add(Button::new("Done").icon(Icon::Check)).clicked() {
                push(commands, Action::Dismiss);
            }
            return;
        }
        Sending::Paid { sats, fee } => {
            let words = format!("paid {} and {} in fees", thousands(*sats), thousands(*fee));
            mark_ui(ui, Tone::Good, Icon::CircleCheck, &words);
        }
        Sending::Idle | Sending::Asking => {}
    }
    let width = ui.available_width();
    let label = "A Lightning invoice, or an amount of sats";
    if let Some(text) = field_ui(ui, label, &balance.outgoing, "lnbc… or 100", width) {
        push(commands, Action::Outgoing(text));
    }
    let asking = matches!(balance.sending, Sending::Asking | Sending::Busy(_));
    let ready = balance.can_send();
    let button = Button::new("Send").icon(Icon::Send).enabled(ready.is_ok() && !asking);
    let button = if let Err(why) = ready { button.hint(why) } else { button };
    if ui.add(button).clicked() {
        push(commands, Action::Send);
    }
}

/// Sats that are gone stay gone: the user is asked.
fn confirm_ui(ui: &mut Ui, order: &SendRequest, unit: &str, commands: &mut Commands) {
    let (what, button) = match order {
        SendRequest::Token(sats) => (
            format!(
                "This creates a token of {} {unit}. Anybody who reads it can redeem it.",
                thousands(*sats)
            ),
            "Create the token",
        ),
        SendRequest::Payment(quote) => (
            format!(
                "This pays {} {unit}, and at most {} more in fees, from {}.",
                thousands(quote.amount.0),
                thousands(quote.fee_reserve.0),
                frlm_client::protocol::printable(&quote.mint)
            ),
            "Pay",
        ),
    };
    ui.label(what);
    ui.horizontal(|ui| {
        if ui.add(Button::primary(button).icon(Icon::Check)).clicked() {
            push(commands, Action::Confirm);
        }
        if ui.add(Button::new("Cancel").icon(Icon::X)).clicked() {
            push(commands, Action::Dismiss);
        }
    });
}

fn to_copy_ui(ui: &mut Ui, copy: &str, text: &str) {
    well_ui(ui, |ui| {
        ScrollArea::vertical().id_salt(copy).max_height(LONG_TEXT).auto_shrink([false, true]).show(
            ui,
            |ui| {
                ui.label(RichText::new(text).font(fonts::mono(12.0)));
            },
        );
    });
    copy_ui(ui, Button::new(copy).icon(Icon::Copy), text, || text.to_owned());
}

fn held_ui(ui: &mut Ui, holdings: &Holdings) {
    ui.label(heading("In escrow"));
    if holdings.held.is_empty() {
        ui.label(soft(ui, "No payments of earlier runs are pending."));
        return;
    }
    ui.label(soft(
        ui,
        "Locked for answers that were not accepted, and not returned by their providers. FRLM refunds them; \
         you need not do anything.",
    ));
    for held in holdings.held.iter().take(MOST_HELD) {
        held_row_ui(ui, held, holdings);
    }
    more_ui(ui, holdings.held.len());
}

fn out_ui(ui: &mut Ui, holdings: &Holdings, commands: &mut Commands) {
    ui.label(heading("Tokens not redeemed yet"));
    ui.label(soft(
        ui,
        "Anybody who has one of these tokens can still redeem it. If you redeem it first, the sats are yours \
         again, less the mint's fee.",
    ));
    for out in holdings.out.iter().take(MOST_HELD) {
        let sats = format!("{} {}", thousands(out.sats), holdings.unit());
        since_ui(ui, &format!("{sats}, made"), holdings.now_secs, out.since_secs);
        if ui.add(Button::new(&format!("Redeem {sats}")).icon(Icon::Undo2)).clicked() {
            push(commands, Action::Reclaim(out.id.clone()));
        }
    }
    more_ui(ui, holdings.out.len());
}

fn owed_ui(ui: &mut Ui, holdings: &Holdings) {
    ui.label(heading("Owed"));
    ui.label(soft(
        ui,
        "For accepted answers of providers that are paid after the work. FRLM pays as soon as mint and relay \
         can be reached. Until then the sats count as spent; you need not do anything.",
    ));
    for owed in holdings.owed.iter().take(MOST_HELD) {
        let sats = format!("{} {}", thousands(owed.sats), holdings.unit());
        since_ui(ui, &format!("{sats} owed for an accepted answer"), holdings.now_secs, owed.since_secs);
        let (part, attempt) = owed.whose;
        ui.label(format!("run {}, part {}, attempt {}", short(&owed.run), part + 1, attempt + 1));
    }
    more_ui(ui, holdings.owed.len());
}

/// Says how many of a list are not shown.
fn more_ui(ui: &mut Ui, count: usize) {
    if count > MOST_HELD {
        ui.label(small(ui, &format!("and {}", counted(count - MOST_HELD, "more payment"))));
    }
}

fn held_row_ui(ui: &mut Ui, held: &Held, holdings: &Holdings) {
    let now_secs = holdings.now_secs;
    let left = held.until_secs.saturating_sub(now_secs);
    let next = if left == 0 {
        "the locktime has passed: being refunded".to_owned()
    } else {
        format!(
            "refunded in {} at the latest, or as soon as its provider returns it",
            lasting(left.saturating_mul(1_000))
        )
    };
    let (part, attempt) = held.whose;
    let sats = format!("{} {}", thousands(held.sats), holdings.unit());
    since_ui(ui, &format!("{sats}, locked"), now_secs, held.since_secs);
    ui.label(format!("run {}, part {}, attempt {}", short(&held.run), part + 1, attempt + 1));
    let until = moment(held.until_secs.saturating_mul(1_000));
    ui.label(soft(ui, &next)).on_hover_text(format!("At {until}"));
}

/// What became of an amount, and how long ago: under the pointer stands when that was.
fn since_ui(ui: &mut Ui, what: &str, now_secs: u64, since_secs: u64) {
    let (now_ms, since_ms) = (now_secs.saturating_mul(1_000), since_secs.saturating_mul(1_000));
    ui.label(name(&format!("{what} {}", ago(now_ms, since_ms)))).on_hover_text(moment(since_ms));
}
