//! Draws what a wallet is made from: a new one, one that is restored, and its words.

use egui::{Margin, RichText, TextEdit, Ui};
use lucide_icons::Icon;

use super::action::{Action, QuizStep};
use super::state::{Balance, Quiz, Secret};
use crate::desktop::command::Commands;
use crate::desktop::screens::wallet::words;
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{Button, Tone, card_ui, empty_ui, field_ui, headed_ui, mark_ui, small};

/// Width of a field for a word.
const WORD: f32 = 160.0;
/// The longest phrase that is typed, in characters: 24 words have less.
const LONGEST_PHRASE: usize = 400;

/// Where no wallet was made yet.
pub fn nothing_ui(ui: &mut Ui, balance: &Balance, commands: &mut Commands) {
    if balance.restoring.is_some() {
        return restore_ui(ui, balance, commands);
    }
    empty_ui(ui, Icon::Wallet, words::NO_WALLET, words::NO_WALLET_THEN, |ui| {
        Button::primary(words::CREATE).icon(Icon::Plus).show(ui, commands, Action::Create);
        let button = Button::quiet(words::RESTORE_PHRASE).icon(Icon::KeyRound);
        button.show(ui, commands, Action::Phrase(Some(Secret(String::new()))));
    });
}

fn restore_ui(ui: &mut Ui, balance: &Balance, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::RESTORE_TITLE, words::RESTORE_ABOUT);
        ui.add_space(space::S);
        let label = ui.label(small(ui, words::PHRASE));
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
            commands.push(Action::Phrase(Some(Secret(typed))));
        }
        ui.horizontal(|ui| {
            let button = Button::primary(words::RESTORE).icon(Icon::KeyRound).ready(balance.can_restore());
            button.show(ui, commands, Action::Restore);
            Button::new(words::NOT_NOW).icon(Icon::X).show(ui, commands, Action::Phrase(None));
        });
    });
}

/// The words, when the wallet was made or the user asks for them.
pub fn words_ui(ui: &mut Ui, words: &Secret, is_new: bool, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::WRITE_DOWN, words::WRITE_DOWN_WHY);
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
        let button = Button::primary(words::WRITTEN_DOWN).icon(Icon::Check);
        button.show(ui, commands, if is_new { Action::Quiz(QuizStep::Begin) } else { Action::HideWords });
    });
}

/// Asks for some words of a new wallet.
pub fn quiz_ui(ui: &mut Ui, quiz: &Quiz, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::QUIZ, words::QUIZ_WHY);
        ui.add_space(space::S);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::L;
            for (number, (place, typed)) in quiz.asked.iter().enumerate() {
                let typed = field_ui(ui, &words::word(*place), typed, "", WORD);
                commands.extend(typed.map(|text| Action::Quiz(QuizStep::Word(number, Secret(text)))));
            }
        });
        if quiz.wrong {
            mark_ui(ui, Tone::Bad, Icon::CircleX, words::WRONG_WORDS);
        }
        ui.horizontal(|ui| {
            let button = Button::primary(words::CHECK_WORDS).icon(Icon::Check);
            button.show(ui, commands, Action::Quiz(QuizStep::Check));
            Button::new(words::SHOW_AGAIN).icon(Icon::Eye).show(ui, commands, Action::Quiz(QuizStep::Back));
        });
    });
}

/// The way to the words of a wallet that is open.
pub fn backup_ui(ui: &mut Ui, balance: &Balance, commands: &mut Commands) {
    headed_ui(ui, words::BACKUP, words::BACKUP_ABOUT);
    if !balance.revealing {
        Button::new(words::SHOW_WORDS).icon(Icon::Eye).show(ui, commands, Action::AskReveal(true));
        return;
    }
    ui.label(words::SHOW_WORDS_SURE);
    ui.horizontal(|ui| {
        Button::danger(words::SHOW_NOW).icon(Icon::Eye).show(ui, commands, Action::Reveal);
        Button::new(words::NOT_NOW).icon(Icon::X).show(ui, commands, Action::AskReveal(false));
    });
}
