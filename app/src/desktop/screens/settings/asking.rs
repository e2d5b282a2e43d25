//! Draws what questions begin with: the budget, when an answer counts, and the model that is asked here.

use egui::Ui;

use super::form::{Field, Flag};
use super::named::named_ui;
use super::state::Settings;
use super::view::{fields_ui, flag_ui};
use crate::desktop::command::Commands;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{card_ui, heading, name, soft};

/// What may stand in "How answers are accepted", in the words of `--verify`.
const POLICIES: [(&str, &str); 5] = [
    ("adaptive", "more providers are asked until an answer is verified"),
    ("none", "one provider's answer counts; its quotes are still checked"),
    (
        "redundancy:REPLICAS/AGREE",
        "REPLICAS providers are asked and AGREE of them must agree, as in redundancy:3/2",
    ),
    ("objective:FILE", "the answer must pass the JSON schema or the Python check in this file"),
    ("validated:NPUB", "a provider that you trust, named by its public key (npub1…), does the task again"),
];

/// The part of the settings.
pub fn asking_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Defaults of questions"));
        ui.label(soft(
            ui,
            "The defaults of \"frlm ask\" and of this window. An empty field means the built-in default.",
        ));
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
        ui.label(name("Verification policies"));
        named_ui(ui, "policies", &POLICIES);
        ui.label(soft(ui, "More replicas (the same part asked of more providers) cost more and let fewer wrong answers through."));
    });
}

#[cfg(test)]
mod tests {
    use frlm_verifier::PolicyName;

    use super::*;

    #[test]
    fn every_policy_that_is_named_is_one() {
        for (policy, _) in POLICIES {
            let typed = policy.replace("REPLICAS/AGREE", "3/2");
            assert!(typed.parse::<PolicyName>().is_ok(), "{typed}");
        }
    }
}
