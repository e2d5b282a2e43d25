//! Draws what concerns sats: which mints are trusted, what may be spent, and who is paid before the work.

use egui::Ui;

use super::form::{Field, Flag};
use super::state::Settings;
use super::view::{fields_ui, flag_ui};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::screens::wallet::balance::mints_card_ui;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{card_ui, headed_ui, scroll_ui, small};

/// The part of the settings.
pub fn money_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let settings = &state.settings;
    scroll_ui(ui, "money", |ui| {
        limits_ui(ui, settings, commands);
        ui.add_space(space::S);
        before_ui(ui, settings, commands);
        ui.add_space(space::S);
        // The wallet's own list, not one of the file: it changes at once.
        mints_card_ui(ui, &state.wallet.balance, commands);
        if state.wallet.balance.holdings().is_some() {
            ui.label(small(ui, words::MINTS_AT_ONCE));
        }
        ui.add_space(space::XXL);
    });
}

fn limits_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::LIMITS, words::LIMITS_ABOUT);
        ui.add_space(space::S);
        let rows: [&[Field]; 2] =
            [&[Field::PerSubtask, Field::PerDay], &[Field::PerProvider, Field::PerMint]];
        fields_ui(ui, settings, &rows, commands);
    });
}

fn before_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::PAY_BEFORE, words::PAY_BEFORE_ABOUT);
        ui.add_space(space::S);
        fields_ui(ui, settings, &[&[Field::PerJob]], commands);
        flag_ui(ui, settings, Flag::PayByLightning, commands);
        ui.label(small(ui, words::NWC));
        flag_ui(ui, settings, Flag::PayByToken, commands);
    });
}
