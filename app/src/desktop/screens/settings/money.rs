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
            ui.label(small(ui, "Mints are added and removed at once; \"Save\" saves the settings above."));
        }
        ui.add_space(space::XXL);
    });
}

fn limits_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Spending limits in sats, fees included"));
        ui.label(soft(
            ui,
            "They hold for all runs of this machine together, in addition to each run's own budget, even after \
             a crash. A day is the current hour and the 23 before it. Play money is not counted. An empty \
             field means no limit.",
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
            "Other NIP-90 providers, which you name with \"frlm ask --foreign\" or with foreign = [\"npub1…\"] \
             under [ask] in config.toml, may ask for pay before the work. That pay is gone, even if no answer \
             comes. Up to this many sats per job are offered and paid without asking you. An empty field means \
             that nothing is paid before the work.",
        ));
        ui.add_space(space::S);
        fields_ui(ui, settings, &[&[Field::PerJob]], commands);
        flag_ui(ui, settings, Flag::PayByLightning, commands);
        ui.label(small(
            ui,
            "FRLM_NWC is an environment variable: set it to the address that your wallet shows under \"Nostr \
             Wallet Connect\".",
        ));
        flag_ui(ui, settings, Flag::PayByToken, commands);
    });
}
