//! Draws which mints may hold sats, in the wallet and in the settings.

use egui::{RichText, Ui};
use lucide_icons::Icon;

use super::action::Action;
use super::holdings::{Holdings, Mint, WalletStatus};
use super::state::Balance;
use super::view::usable_ui;
use crate::desktop::command::Commands;
use crate::desktop::screens::Screen;
use crate::desktop::screens::wallet::{self, words};
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{
    Banner, Button, Tone, Unit, badge_ui, busy_ui, card_ui, field_ui, headed_ui, heading, name, one_line_ui,
    soft, well_ui,
};

/// Width of the field for a mint's limit.
const LIMIT: f32 = 110.0;

/// The mints where something else than the wallet is shown: there may be none, or one that cannot be opened.
pub fn mints_card_ui(ui: &mut Ui, balance: &Balance, commands: &mut Commands) {
    if !usable_ui(ui, balance, commands) {
        return;
    }
    card_ui(ui, |ui| match &balance.status {
        Some(WalletStatus::Open(holdings)) => mints_ui(ui, balance, holdings, commands),
        None => {
            ui.label(heading(words::MINTS));
            busy_ui(ui, words::OPENING);
        }
        Some(WalletStatus::None) => {
            headed_ui(ui, words::MINTS, words::MINTS_NO_WALLET);
            if ui.add(Button::new(words::CREATE).icon(Icon::Wallet)).clicked() {
                commands.push(wallet::Action::Tab(wallet::Tab::Balance));
                commands.push(Screen::Wallet);
            }
        }
    });
}

/// The mints of a wallet, and a form for one more.
pub fn mints_ui(ui: &mut Ui, balance: &Balance, holdings: &Holdings, commands: &mut Commands) {
    headed_ui(ui, words::MINTS, words::MINTS_ABOUT);
    for mint in &holdings.mints {
        mint_ui(ui, mint, holdings.unit(), balance.removing.as_ref() == Some(&mint.url), commands);
    }
    ui.add_space(space::XS);
    ui.horizontal(|ui| {
        // Both fields end where the mints above them end.
        let width = (ui.available_width() - LIMIT - ui.spacing().item_spacing.x).max(120.0);
        let url = field_ui(ui, words::MINT, &balance.url, words::MINT_EXAMPLE, width);
        commands.extend(url.map(Action::Url));
        let limit = field_ui(ui, words::LIMIT, &balance.limit, words::LIMIT_EXAMPLE, LIMIT);
        commands.extend(limit.map(Action::Limit));
    });
    let button = Button::new(words::ADD_MINT).icon(Icon::Plus).ready(balance.can_add());
    button.show(ui, commands, Action::AddMint);
}

/// One mint; `asked`: whether it should go.
fn mint_ui(ui: &mut Ui, mint: &Mint, unit: Unit, asked: bool, commands: &mut Commands) {
    well_ui(ui, |ui| {
        ui.horizontal(|ui| {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let remove = words::remove(&mint.url);
                if ui.add(Button::quiet(&remove).icon_only(Icon::X)).clicked() {
                    let url = mint.url.clone();
                    // What is not there is not out of reach without it.
                    let is_empty = mint.available == 0 && mint.pending == 0;
                    let wish = if is_empty { Action::RemoveMint(url) } else { Action::AskRemove(Some(url)) };
                    commands.push(wish);
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    one_line_ui(ui, RichText::new(&mint.url).monospace());
                });
            });
        });
        let limit = mint.limit.map_or(words::NO_LIMIT.to_owned(), words::limit);
        ui.label(name(&words::holds(&unit.amount(mint.available), &limit)));
        if mint.pending > 0 {
            ui.label(soft(ui, &words::pending(mint.pending)));
        }
        if mint.on_this_machine {
            badge_ui(ui, Tone::Warn, Icon::HardDrive, words::ON_THIS_MACHINE);
            ui.label(soft(ui, words::ON_THIS_MACHINE_ABOUT));
        }
        if asked {
            remove_ui(ui, mint, unit, commands);
        }
    });
}

/// Asks before sats are out of reach.
fn remove_ui(ui: &mut Ui, mint: &Mint, unit: Unit, commands: &mut Commands) {
    let safe = words::remove_sure(&unit.amount(mint.available.saturating_add(mint.pending)));
    Banner { tone: Tone::Warn, what: words::REMOVE_SURE, safe: &safe }.show_last(ui, |ui| {
        Button::danger(words::REMOVE).icon(Icon::X).show(ui, commands, Action::RemoveMint(mint.url.clone()));
        Button::new(words::CANCEL).show(ui, commands, Action::AskRemove(None));
    });
}
