//! Draws what concerns sats: which mints are trusted, what may be spent, and who is paid before the work.

use egui::Ui;

use super::form::{Field, Flag};
use super::state::Settings;
use super::view::{fields_ui, flag_ui};
use crate::desktop::command::Commands;
use crate::desktop::screens::wallet::balance::mints_card_ui;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{card_ui, heading, scroll_ui, small, soft};

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
            ui.label(small(
                ui,
                "Mints are added and removed at once; \"Save\" is for what stands above them.",
            ));
        }
        ui.add_space(space::XXL);
    });
}

fn limits_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Limits in sats, fees included"));
        ui.label(soft(
            ui,
            "Beside each run's own cap, for all runs of this machine together. They are looked at in the same durable \
             step that sets sats aside, so that no crash gets past them. A day is the current hour and the 23 before \
             it; play money is never counted. An empty field is no limit.",
        ));
        ui.add_space(space::S);
        let rows: [&[Field]; 2] =
            [&[Field::PerSubtask, Field::PerDay], &[Field::PerProvider, Field::PerMint]];
        fields_ui(ui, settings, &rows, commands);
    });
}

fn before_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Paid before the work"));
        ui.label(soft(
            ui,
            "Providers of another make (NIP-90), which you name by \"frlm ask --foreign\" or foreign = [\"npub1…\"] under [ask] \
             in config.toml, may want their pay first, and what is paid then is gone, whatever comes back. Up to so many \
             sats for one job are paid without asking, and offered. An empty field: nobody is paid before.",
        ));
        ui.add_space(space::S);
        fields_ui(ui, settings, &[&[Field::PerJob]], commands);
        flag_ui(ui, settings, Flag::PayByLightning, commands);
        ui.label(small(
            ui,
            "FRLM_NWC is a variable of your environment: the address that your wallet makes under \"Nostr Wallet Connect\".",
        ));
        flag_ui(ui, settings, Flag::PayByToken, commands);
    });
}
