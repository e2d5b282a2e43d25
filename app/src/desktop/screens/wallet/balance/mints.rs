//! Draws which mints may hold sats, in the wallet and in the settings.

use egui::{RichText, Ui};
use lucide_icons::Icon;

use super::action::Action;
use super::holdings::{Holdings, Mint, WalletStatus};
use super::state::Balance;
use super::view::{push, usable_ui};
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::{Screen, wallet};
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{
    Banner, Button, Tone, badge_ui, card_ui, field_ui, heading, mark_ui, name, one_line_ui, soft, thousands,
    well_ui,
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
            ui.label(heading("Mints"));
            mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Opening the wallet…");
        }
        Some(WalletStatus::None) => {
            ui.label(heading("Mints"));
            ui.label(soft(ui, "Mints that you choose hold your sats. There is no wallet yet."));
            if ui.add(Button::new("Create a wallet").icon(Icon::Wallet)).clicked() {
                commands.push(Command::Wallet(wallet::Action::Tab(wallet::Tab::Balance)));
                commands.push(Command::Go(Screen::Wallet));
            }
        }
    });
}

/// The mints of a wallet, and a form for one more.
pub fn mints_ui(ui: &mut Ui, balance: &Balance, holdings: &Holdings, commands: &mut Commands) {
    ui.label(heading("Mints"));
    ui.label(soft(ui, "Sats at a mint are a claim on its operator. A limit bounds what you can lose there."));
    for mint in &holdings.mints {
        mint_ui(ui, mint, holdings.unit(), balance.removing.as_ref() == Some(&mint.url), commands);
    }
    ui.add_space(space::XS);
    ui.horizontal(|ui| {
        // Both fields end where the mints above them end.
        let width = (ui.available_width() - LIMIT - ui.spacing().item_spacing.x).max(120.0);
        if let Some(url) = field_ui(ui, "Address of a mint", &balance.url, "https://mint.example", width) {
            push(commands, Action::Url(url));
        }
        if let Some(limit) = field_ui(ui, "Limit in sats", &balance.limit, "none", LIMIT) {
            push(commands, Action::Limit(limit));
        }
    });
    let ready = balance.can_add();
    let button = Button::new("Add the mint").icon(Icon::Plus).enabled(ready.is_ok());
    let button = if let Err(why) = ready { button.hint(why) } else { button };
    if ui.add(button).clicked() {
        push(commands, Action::AddMint);
    }
}

/// One mint; `asked`: whether it should go.
fn mint_ui(ui: &mut Ui, mint: &Mint, unit: &str, asked: bool, commands: &mut Commands) {
    well_ui(ui, |ui| {
        ui.horizontal(|ui| {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let remove = format!("Remove {}", mint.url);
                if ui.add(Button::quiet(&remove).icon_only(Icon::X)).clicked() {
                    let url = mint.url.clone();
                    // What is not there is not out of reach without it.
                    let is_empty = mint.available == 0 && mint.pending == 0;
                    push(
                        commands,
                        if is_empty { Action::RemoveMint(url) } else { Action::AskRemove(Some(url)) },
                    );
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    one_line_ui(ui, RichText::new(&mint.url).monospace());
                });
            });
        });
        let limit = mint.limit.map_or("no limit".to_owned(), |limit| format!("limit {}", thousands(limit)));
        ui.label(name(&format!("{} {unit} · {limit}", thousands(mint.available))));
        if mint.pending > 0 {
            ui.label(soft(ui, &format!("and {} pending", thousands(mint.pending))));
        }
        if mint.on_this_machine {
            badge_ui(ui, Tone::Warn, Icon::HardDrive, "on this machine");
            ui.label(soft(ui, "Only this machine can reach this mint, so nobody else accepts its sats."));
        }
        if asked {
            remove_ui(ui, mint, unit, commands);
        }
    });
}

/// Asks before sats are out of reach.
fn remove_ui(ui: &mut Ui, mint: &Mint, unit: &str, commands: &mut Commands) {
    let sats = thousands(mint.available.saturating_add(mint.pending));
    let safe = format!(
        "It holds {sats} {unit}. They stay yours, but FRLM pays nothing with them until you add the mint \
         again."
    );
    Banner { tone: Tone::Warn, what: "Remove this mint?", safe: &safe }.show_last(ui, |ui| {
        if ui.add(Button::danger("Remove").icon(Icon::X)).clicked() {
            push(commands, Action::RemoveMint(mint.url.clone()));
        }
        if ui.add(Button::new("Cancel")).clicked() {
            push(commands, Action::AskRemove(None));
        }
    });
}
