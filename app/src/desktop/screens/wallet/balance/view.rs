//! Draws the sats themselves.

use egui::{RichText, ScrollArea, Ui};
use lucide_icons::Icon;

use super::action::Action;
use super::backup;
use super::holdings::{Held, Holdings, WalletStatus};
use super::mints::mints_ui;
use super::state::{Balance, Receiving, Secret, SendRequest, Sending};
use crate::desktop::command::{Commands, Shell};
use crate::desktop::screens::wallet::{self, words};
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::{ago, lasting, moment, plural, short};
use crate::desktop::widgets::{
    Banner, Button, Tone, Unit, busy_ui, card_ui, copy_ui, field_ui, figure_ui, headed_ui, heading, mark_ui,
    name, qr_ui, scroll_ui, small, soft, thousands, two_columns_ui, well_ui,
};
use frlm_client::wallet_session::invitation;

/// Locks or debts that are listed one by one.
const MOST_HELD: usize = 8;
/// How wide a QR code is.
const CODE: f32 = 240.0;
/// Room for an invoice or a token that is shown: five whole lines.
const LONG_TEXT: f32 = 80.0;

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
        None => busy_ui(ui, words::OPENING),
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
        let safe = words::others_unchanged(why);
        Banner { tone: Tone::Bad, what, safe: &safe }.show(ui, |ui| {
            Button::new(words::OK).icon(Icon::Check).show(ui, commands, Action::Dismiss);
        });
    }
    if let Some((what, why)) = &balance.unclear {
        Banner { tone: Tone::Warn, what, safe: why }.show(ui, |ui| {
            Button::new(words::QUIT).icon(Icon::X).show(ui, commands, Shell::Quit);
            Button::new(words::OK).icon(Icon::Check).show(ui, commands, Action::Dismiss);
        });
    }
    if let Some(why) = &balance.broken {
        let banner = Banner { tone: Tone::Bad, what: words::UNOPENED, safe: &words::unopened(why) };
        banner.retry(ui, commands, words::TRY_AGAIN, wallet::Action::Reload);
    }
    balance.broken.is_none()
}

fn open_ui(ui: &mut Ui, balance: &Balance, holdings: &Holdings, commands: &mut Commands) {
    if holdings.play {
        Banner { tone: Tone::Warn, what: words::PLAY, safe: words::PLAY_ABOUT }.show(ui, |_| {});
    }
    card_ui(ui, |ui| {
        let unit = holdings.unit();
        ui.columns(3, |columns| {
            let (available, mints) = (unit.amount(holdings.available()), holdings.mints.len());
            figure_ui(&mut columns[0], words::AVAILABLE, &available, &plural(mints, "mint"));
            let pending = unit.amount(holdings.pending());
            figure_ui(&mut columns[1], words::PENDING, &pending, words::PENDING_ABOUT);
            let held = plural(holdings.held.len(), "payment");
            figure_ui(&mut columns[2], words::IN_ESCROW, &held, words::IN_ESCROW_ABOUT);
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
    commands.extend(right.take());
}

fn receive_ui(ui: &mut Ui, balance: &Balance, holdings: &Holdings, commands: &mut Commands) {
    ui.label(heading(words::RECEIVE_TITLE));
    match &balance.receiving {
        Receiving::Invoice { bolt11, sats } => {
            let (words, is_shown) = invitation(holdings.money(), &thousands(*sats));
            ui.label(words);
            if is_shown {
                // In capitals a code needs half the room, and means the same (BOLT 11).
                qr_ui(ui, words::INVOICE_CODE, &bolt11.to_uppercase(), CODE.min(ui.available_width()));
                to_copy_ui(ui, words::COPY_INVOICE, bolt11);
            }
            busy_ui(ui, words::WAITING);
            let button = Button::new(words::STOP_WAITING).icon(Icon::X).hint(words::STOP_WAITING_HINT);
            button.show(ui, commands, Action::LeaveInvoice);
            return;
        }
        Receiving::Done(sats) => {
            mark_ui(ui, Tone::Good, Icon::CircleCheck, &words::arrived(holdings.unit(), *sats));
        }
        Receiving::Idle | Receiving::Asking => {}
    }
    let width = ui.available_width();
    commands.extend(
        field_ui(ui, words::INCOMING, &balance.incoming, words::INCOMING_EXAMPLE, width)
            .map(|text| Action::Incoming(Secret(text))),
    );
    let asking = balance.receiving == Receiving::Asking;
    let word = if asking { words::ASKING_MINT } else { words::RECEIVE };
    let button = Button::new(word).icon(Icon::Download).enabled(!asking).ready(balance.can_receive());
    button.show(ui, commands, Action::Receive);
}

fn send_ui(ui: &mut Ui, balance: &Balance, holdings: &Holdings, commands: &mut Commands) {
    ui.label(heading(words::SEND_TITLE));
    let unit = holdings.unit();
    match &balance.sending {
        Sending::Confirm(order) => return confirm_ui(ui, order, unit, commands),
        Sending::Busy(_) => busy_ui(ui, words::SENDING),
        Sending::Token(Secret(token)) => {
            ui.label(words::TOKEN_IS_MONEY);
            qr_ui(ui, words::TOKEN_CODE, token, CODE.min(ui.available_width()));
            to_copy_ui(ui, words::COPY_TOKEN, token);
            // Below the other button, which gets shorter when it is pressed: a second press must not end up here.
            Button::new(words::DONE).icon(Icon::Check).show(ui, commands, Action::Dismiss);
            return;
        }
        Sending::Paid { sats, fee } => {
            mark_ui(ui, Tone::Good, Icon::CircleCheck, &words::sent(*sats, *fee));
        }
        Sending::Idle | Sending::Asking => {}
    }
    let width = ui.available_width();
    let (label, example) = (words::OUTGOING, words::OUTGOING_EXAMPLE);
    commands.extend(
        field_ui(ui, label, &balance.outgoing, example, width).map(|text| Action::Outgoing(Secret(text))),
    );
    let asking = matches!(balance.sending, Sending::Asking | Sending::Busy(_));
    let button = Button::new(words::SEND).icon(Icon::Send).enabled(!asking).ready(balance.can_send());
    button.show(ui, commands, Action::Send);
}

/// Sats that are gone stay gone: the user is asked.
fn confirm_ui(ui: &mut Ui, order: &SendRequest, unit: Unit, commands: &mut Commands) {
    let (what, button) = match order {
        SendRequest::Token(sats) => (words::confirm_token(&unit.amount(*sats)), words::CREATE_TOKEN),
        SendRequest::Payment(quote) => {
            let (amount, mint) = (unit.amount(quote.amount.0), frlm_client::protocol::printable(&quote.mint));
            (words::confirm_payment(&amount, quote.fee_reserve.0, &mint), words::PAY)
        }
    };
    ui.label(what);
    ui.horizontal(|ui| {
        Button::primary(button).icon(Icon::Check).show(ui, commands, Action::Confirm);
        Button::new(words::CANCEL).icon(Icon::X).show(ui, commands, Action::Dismiss);
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
    ui.label(heading(words::IN_ESCROW));
    if holdings.held.is_empty() {
        ui.label(soft(ui, words::NOTHING_IN_ESCROW));
        return;
    }
    ui.label(soft(ui, words::IN_ESCROW_WHY));
    for held in holdings.held.iter().take(MOST_HELD) {
        held_row_ui(ui, held, holdings);
    }
    more_ui(ui, holdings.held.len());
}

fn out_ui(ui: &mut Ui, holdings: &Holdings, commands: &mut Commands) {
    headed_ui(ui, words::TOKENS, words::TOKENS_WHY);
    for out in holdings.out.iter().take(MOST_HELD) {
        let sats = holdings.unit().amount(out.sats);
        since_ui(ui, &words::made(&sats), holdings.now_secs, out.since_secs);
        let redeem = words::redeem(&sats);
        Button::new(&redeem).icon(Icon::Undo2).show(ui, commands, Action::Reclaim(out.id.clone()));
    }
    more_ui(ui, holdings.out.len());
}

fn owed_ui(ui: &mut Ui, holdings: &Holdings) {
    headed_ui(ui, words::OWED, words::OWED_WHY);
    for owed in holdings.owed.iter().take(MOST_HELD) {
        let sats = words::owed(&holdings.unit().amount(owed.sats));
        since_ui(ui, &sats, holdings.now_secs, owed.since_secs);
        ui.label(words::of_run(short(&owed.run), &words::part(owed.whose.0, owed.whose.1)));
    }
    more_ui(ui, holdings.owed.len());
}

/// Says how many of a list are not shown.
fn more_ui(ui: &mut Ui, count: usize) {
    if count > MOST_HELD {
        ui.label(small(ui, &words::more(count - MOST_HELD)));
    }
}

fn held_row_ui(ui: &mut Ui, held: &Held, holdings: &Holdings) {
    let now_secs = holdings.now_secs;
    let left = held.until_secs.saturating_sub(now_secs);
    let next = if left == 0 {
        words::LOCKTIME_PASSED.to_owned()
    } else {
        words::refunded_in(&lasting(left.saturating_mul(1_000)))
    };
    since_ui(ui, &words::locked(&holdings.unit().amount(held.sats)), now_secs, held.since_secs);
    ui.label(words::of_run(short(&held.run), &words::part(held.whose.0, held.whose.1)));
    let until = moment(held.until_secs.saturating_mul(1_000));
    ui.label(soft(ui, &next)).on_hover_text(words::at(&until));
}

/// What became of an amount, and how long ago: under the pointer stands when that was.
fn since_ui(ui: &mut Ui, what: &str, now_secs: u64, since_secs: u64) {
    let (now_ms, since_ms) = (now_secs.saturating_mul(1_000), since_secs.saturating_mul(1_000));
    ui.label(name(&format!("{what} {}", ago(now_ms, since_ms)))).on_hover_text(moment(since_ms));
}
