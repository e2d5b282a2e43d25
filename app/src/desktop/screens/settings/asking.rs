//! Draws what questions begin with: the budget, when an answer counts, and the model that is asked here.

use egui::Ui;

use super::form::{Field, Flag};
use super::state::Settings;
use super::view::{fields_ui, flag_ui, named_ui};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{card_ui, headed_ui, name, soft};

/// The part of the settings.
pub fn asking_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::ASKING_DEFAULTS, words::ASKING_ABOUT);
        ui.add_space(space::S);
        let rows: [&[Field]; 4] = [
            &[Field::Budget, Field::Verify],
            &[Field::Timeout, Field::Discovery],
            &[Field::FragmentLines, Field::Quorum],
            &[Field::AskModel, Field::Level],
        ];
        fields_ui(ui, settings, &rows, commands);
        flag_ui(ui, settings, Flag::NoConfirmation, commands);
        ui.add_space(space::S);
        ui.label(name(words::POLICIES_ARE));
        named_ui(ui, "policies", &words::POLICIES);
        ui.label(soft(ui, words::MORE_REPLICAS));
    });
}

#[cfg(test)]
mod tests {
    use frlm_verifier::PolicyName;

    use super::*;

    #[test]
    fn every_policy_that_is_named_is_one() {
        for (policy, _) in words::POLICIES {
            let typed = policy.replace("REPLICAS/AGREE", "3/2");
            assert!(typed.parse::<PolicyName>().is_ok(), "{typed}");
        }
    }
}
