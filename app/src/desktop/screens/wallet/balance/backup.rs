//! Draws what a wallet is made from: a new one, one that is restored, and its words.

use egui::{Margin, RichText, TextEdit, Ui};
use lucide_icons::Icon;

use super::action::{Action, QuizStep};
use super::state::{Balance, Quiz, Words};
use super::view::push;
use crate::desktop::command::Commands;
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{Button, Tone, card_ui, empty_ui, field_ui, heading, mark_ui, small, soft};

/// Width of a field for a word.
const WORD: f32 = 160.0;
/// The longest phrase that is typed, in characters: 24 words have less.
const LONGEST_PHRASE: usize = 400;

/// Where no wallet was made yet.
pub fn nothing_ui(ui: &mut Ui, balance: &Balance, commands: &mut Commands) {
    if balance.restoring.is_some() {
        return restore_ui(ui, balance, commands);
    }
    empty_ui(
        ui,
        Icon::Wallet,
        "No wallet yet",
        "Free providers need no wallet. To ask others, create one: its sats are held by mints that you choose, \
         and go to a provider only after its answer is verified.",
        |ui| {
            if ui.add(Button::primary("Create a wallet").icon(Icon::Plus)).clicked() {
                push(commands, Action::Create);
            }
            if ui.add(Button::quiet("Restore from recovery phrase").icon(Icon::KeyRound)).clicked() {
                push(commands, Action::Phrase(Some(String::new())));
            }
        },
    );
}

fn restore_ui(ui: &mut Ui, balance: &Balance, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Restore a wallet from its recovery phrase"));
        ui.label(soft(
            ui,
            "FRLM looks for its sats at each mint that you add afterwards. Locked payments of its runs can be \
             refunded only on the machine that made them.",
        ));
        ui.add_space(space::S);
        let label = ui.label(small(ui, "The recovery phrase, in order"));
        let mut typed = balance.restoring.clone().unwrap_or_default();
        let field = ui.add(
            TextEdit::multiline(&mut typed)
                .id_salt("phrase")
                .desired_rows(3)
                .desired_width(f32::INFINITY)
                .char_limit(LONGEST_PHRASE)
                .margin(Margin::symmetric(12, 10)),
        );
        if field.labelled_by(label.id).changed() {
            push(commands, Action::Phrase(Some(typed)));
        }
        ui.horizontal(|ui| {
            let ready = balance.can_restore();
            let button = Button::primary("Restore").icon(Icon::KeyRound).enabled(ready.is_ok());
            let button = if let Err(why) = ready { button.hint(why) } else { button };
            if ui.add(button).clicked() {
                push(commands, Action::Restore);
            }
            if ui.add(Button::new("Not now").icon(Icon::X)).clicked() {
                push(commands, Action::Phrase(None));
            }
        });
    });
}

/// The words, when the wallet was made or the user asks for them.
pub fn words_ui(ui: &mut Ui, words: &Words, is_new: bool, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Write these words down, in this order"));
        ui.label(soft(
            ui,
            "Anybody who has these words has your sats. Without them your sats are lost if this machine is \
             lost. Paper is safer than a file.",
        ));
        ui.add_space(space::S);
        egui::Grid::new("words").num_columns(4).spacing([space::XL, space::S]).show(ui, |ui| {
            for (position, word) in words.0.split_whitespace().enumerate() {
                ui.label(RichText::new(format!("{:>2}. {word}", position + 1)).font(fonts::mono(16.0)));
                if position % 4 == 3 {
                    ui.end_row();
                }
            }
        });
        ui.add_space(space::M);
        if ui.add(Button::primary("I have written them down").icon(Icon::Check)).clicked() {
            push(commands, if is_new { Action::Quiz(QuizStep::Begin) } else { Action::HideWords });
        }
    });
}

/// Asks for some words of a new wallet.
pub fn quiz_ui(ui: &mut Ui, quiz: &Quiz, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Which words are at these places?"));
        ui.label(soft(ui, "This makes sure that you have written the words down."));
        ui.add_space(space::S);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::L;
            for (number, (place, typed)) in quiz.asked.iter().enumerate() {
                if let Some(text) = field_ui(ui, &format!("Word {place}"), typed, "", WORD) {
                    push(commands, Action::Quiz(QuizStep::Word(number, text)));
                }
            }
        });
        if quiz.wrong {
            mark_ui(ui, Tone::Bad, Icon::CircleX, "Some of these words are wrong; check them again.");
        }
        ui.horizontal(|ui| {
            if ui.add(Button::primary("These are the words").icon(Icon::Check)).clicked() {
                push(commands, Action::Quiz(QuizStep::Check));
            }
            if ui.add(Button::new("Show them again").icon(Icon::Eye)).clicked() {
                push(commands, Action::Quiz(QuizStep::Back));
            }
        });
    });
}

/// The way to the words of a wallet that is open.
pub fn backup_ui(ui: &mut Ui, balance: &Balance, commands: &mut Commands) {
    ui.label(heading("Backup"));
    ui.label(soft(
        ui,
        "The recovery phrase restores everything on any machine, except payments locked by running runs.",
    ));
    if !balance.revealing {
        if ui.add(Button::new("Show the words").icon(Icon::Eye)).clicked() {
            push(commands, Action::AskReveal(true));
        }
        return;
    }
    ui.label("Make sure that nobody is watching. Anybody who reads the words has your sats.");
    ui.horizontal(|ui| {
        if ui.add(Button::danger("Show them now").icon(Icon::Eye)).clicked() {
            push(commands, Action::Reveal);
        }
        if ui.add(Button::new("Not now").icon(Icon::X)).clicked() {
            push(commands, Action::AskReveal(false));
        }
    });
}
