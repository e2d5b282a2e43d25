//! Draws the answer screen.

use egui::{Align2, CornerRadius, Margin, Role, Sense, TextEdit, Ui, WidgetInfo, vec2};
use frlm_client::answer_markdown::markdown;
use frlm_client::answer_parts::claims;
use frlm_client::protocol::{one_line, printable};
use frlm_client::questions::answer::Answer;
use frlm_client::units::percent;
use frlm_client::view::{SubtaskState, SubtaskView};
use lucide_icons::Icon;

use super::checked::{reservations_ui, tiers_ui};
use super::reading::reading_ui;
use super::sources::{citations_ui, numbers_ui, source_ui};
use super::state::{Action, AnswerScreen, Format};
use super::table::{file_ui, found_ui};
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::Screen;
use crate::desktop::screens::run::{self, Run};
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::words::plural;
use crate::desktop::widgets::{
    Button, Tone, Unit, card_ui, copy_ui, empty_ui, figure_ui, file_name, focus_ring, heading, hint,
    markdown_ui, name, note_ui, play_ui, screen_ui, small, soft, two_columns_ui,
};

/// Parts without an answer that are listed.
const MOST_MISSING: usize = 5;

pub fn answer_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let Some(answer) = state.answered() else {
        // What a person has to decide is told without the words of the command line.
        let why = match state.run.awaits_person() {
            Some(left) => Some(run::plainly(&left.says)),
            None => state.run.failure().map(str::to_owned),
        };
        let failed = why.map(|why| words::no_answer(&printable(&why)));
        let (what, then, button, go) = match &failed {
            Some(why) => (words::NO_ANSWER, why.as_str(), words::SEE_WHAT_TO_DO, Screen::Run),
            // What it came to is not known yet.
            None if state.run.stage == run::Stage::Reading => {
                (words::READING_RUN, words::READING_RUN_THEN, words::SEE_RUN, Screen::Run)
            }
            None if state.run.is_some() => {
                (words::NO_ANSWER_YET, words::NOT_FINISHED, words::WATCH_RUN, Screen::Run)
            }
            None => (words::NO_ANSWER_YET, words::NONE_ASKED, words::ASK, Screen::Ask),
        };
        empty_ui(ui, Icon::BookOpenCheck, what, then, |ui| {
            Button::primary(button).icon(go.icon()).show(ui, commands, Command::Go(go));
        });
        return;
    };
    let question = printable(&state.run.view.start.question);
    let documents: Vec<_> =
        state.run.view.start.documents.iter().take(4).map(|name| one_line(file_name(name))).collect();
    let (named, more) = (documents.join(", "), state.run.view.start.documents.len() - documents.len());
    let about = words::about(&if more > 0 { words::and_more(&named, more) } else { named });
    let mut asked = Commands::default();
    screen_ui(
        ui,
        (&question, &about),
        space::L,
        |ui| actions_ui(ui, &question, answer, state.run.unit, &mut asked),
        |ui| {
            // What the left column asks for, the right one too.
            let mut right = Commands::default();
            let rating = |ui: &mut Ui, commands: &mut Commands| {
                ui.add_space(space::S);
                rating_ui(ui, &state.answer, answer.coverage >= 1.0, commands);
            };
            let Some(reading) = &answer.reading else {
                two_columns_ui(
                    ui,
                    0.6,
                    |ui| {
                        text_ui(ui, state, answer, commands);
                        ui.add_space(space::S);
                        citations_ui(ui, state, answer, commands);
                        rating(ui, commands);
                    },
                    |ui| {
                        trust_ui(ui, &state.run, answer, &mut right);
                        ui.add_space(space::S);
                        source_ui(ui, state, answer, &mut right);
                    },
                );
                commands.extend(right.take());
                return;
            };
            let behind = &state.answer.table;
            two_columns_ui(
                ui,
                0.55,
                |ui| {
                    text_ui(ui, state, answer, commands);
                    if state.answer.citation.is_some() {
                        ui.add_space(space::S);
                        source_ui(ui, state, answer, commands);
                    }
                    rating(ui, commands);
                },
                |ui| reading_ui(ui, answer, reading, behind, &mut right),
            );
            commands.extend(right.take());
            if behind.shows_found() {
                ui.add_space(space::S);
                found_ui(ui, behind, answer, reading, commands);
            }
            ui.add_space(space::S);
            file_ui(ui, behind, reading, commands);
            ui.add_space(space::S);
            citations_ui(ui, state, answer, commands);
        },
    );
    commands.extend(asked.take());
}

fn actions_ui(ui: &mut Ui, question: &str, answer: &Answer, unit: Unit, commands: &mut Commands) {
    Button::primary(words::FOLLOW_UP).icon(Icon::CornerDownLeft).show(ui, commands, Action::FollowUp);
    let json = Button::new(words::SAVE_JSON).icon_only(Icon::CodeXml);
    json.show(ui, commands, Action::Export(Format::Json));
    let markdown_too = Button::new(words::SAVE_MARKDOWN).icon_only(Icon::Save);
    markdown_too.show(ui, commands, Action::Export(Format::Markdown));
    let copy = Button::new(words::COPY).icon_only(Icon::Copy);
    if copy_ui(ui, copy, &answer.run_id, || markdown(question, answer, unit)) {
        commands.push(Action::Copied);
    }
}

fn text_ui(ui: &mut Ui, state: &State, answer: &Answer, commands: &mut Commands) {
    card_ui(ui, |ui| {
        reservations_ui(ui, state, answer, commands);
        for (number, claim) in claims(answer).iter().enumerate() {
            if number > 0 && claim.begins {
                ui.add_space(space::XS);
            }
            // Tables in two pieces are two tables.
            ui.push_id(number, |ui| markdown_ui(ui, &printable(claim.text)));
            numbers_ui(ui, state, answer, claim, commands);
        }
    });
}

fn trust_ui(ui: &mut Ui, shown: &Run, answer: &Answer, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::TRUST));
        ui.add_space(space::XS);
        ui.columns(2, |columns| {
            let parts = words::parts(answer.subtasks.verified, answer.subtasks.total);
            figure_ui(&mut columns[0], words::COVERAGE, &percent(answer.coverage), &parts);
            let confidence = words::share(answer.confidence);
            figure_ui(&mut columns[1], words::CONFIDENCE, &confidence, words::OF_WEAKEST);
        });
        ui.add_space(space::S);
        // Row by row, so that what stands beside each other begins at the same height.
        ui.columns(2, |columns| {
            let agreement = words::share(answer.verification.agreement);
            let answers = words::compared(answer.verification.replicas);
            figure_ui(&mut columns[0], words::AGREEMENT, &agreement, &answers);
            let (spent, unit) = (shown.unit.amount(answer.budget.spent_sats), shown.unit);
            let budget = words::of_budget(unit, answer.budget.limit_sats);
            figure_ui(&mut columns[1], words::COST, &spent, &budget);
        });
        ui.add_space(space::S);
        tiers_ui(ui, answer);
        play_ui(ui, shown.unit);
        if let Some(weakest) = shown.posteriors.weakest {
            ui.columns(2, |columns| {
                let [fidelity, correctness] = [weakest.fidelity, weakest.correctness].map(run::percent);
                figure_ui(&mut columns[0], words::FIDELITY, &fidelity, words::FIDELITY_ABOUT);
                figure_ui(&mut columns[1], words::CORRECTNESS, &correctness, words::CORRECTNESS_ABOUT);
            });
            ui.add_space(space::S);
        }
        let missing: Vec<&SubtaskView> =
            shown.view.subtasks.iter().filter(|lane| matches!(lane.state, SubtaskState::GaveUp(_))).collect();
        if !missing.is_empty() {
            ui.label(name(words::MISSING));
            for lane in missing.iter().take(MOST_MISSING) {
                note_ui(ui, Tone::Bad, Icon::CircleX, &run::short_label(&printable(&lane.label)));
            }
            if missing.len() > MOST_MISSING {
                ui.label(soft(ui, &words::more(missing.len() - MOST_MISSING)));
            }
        }
        Button::new(words::SEE_RUN).icon(Icon::Activity).show(ui, commands, Screen::Run);
    });
}

fn rating_ui(ui: &mut Ui, rating: &AnswerScreen, whole: bool, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::RATE_TITLE));
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            for stars in 1..=5_u8 {
                if star_ui(ui, stars, stars <= rating.stars) {
                    commands.push(Action::Stars(stars));
                }
            }
            ui.add_space(space::M);
            let thumbs =
                [(true, Icon::ThumbsUp, words::THUMBS_UP), (false, Icon::ThumbsDown, words::THUMBS_DOWN)];
            for (up, icon, word) in thumbs {
                let button = if rating.thumbs == Some(up) { Button::new(word) } else { Button::quiet(word) };
                button.icon_only(icon).show(ui, commands, Action::Thumbs(up));
            }
        });
        let mut comment = rating.comment.clone();
        let field = TextEdit::singleline(&mut comment)
            .hint_text(hint(words::COMMENT_EXAMPLE))
            .desired_width(f32::INFINITY)
            .char_limit(1_000)
            .margin(Margin::symmetric(12, 8));
        if ui.add(field).accessible_name(words::COMMENT).changed() {
            commands.push(Action::Comment(comment));
        }
        let given = rating.stars > 0 || rating.thumbs.is_some() || !rating.comment.trim().is_empty();
        ui.horizontal_wrapped(|ui| {
            let button = Button::new(words::RATE).icon(Icon::Check);
            button.enabled(given && rating.rated.is_none()).show(ui, commands, Action::Rate);
            ui.label(small(ui, &words::taught(rating.rated)));
        });
        keep_ui(ui, rating, whole, commands);
    });
}

/// An answer that the user has checked may be kept: one about the same documents that differs is shown as such.
fn keep_ui(ui: &mut Ui, rating: &AnswerScreen, whole: bool, commands: &mut Commands) {
    let kept = rating.kept;
    ui.horizontal_wrapped(|ui| {
        let button = Button::new(words::KEEP).icon(Icon::BadgeCheck).enabled(whole && kept.is_none());
        button.show(ui, commands, Action::Keep);
        let about = match kept {
            _ if !whole => words::KEEP_WHOLE,
            None if rating.forgotten => words::KEEP_FORGOTTEN,
            None => words::KEEP_ABOUT,
            Some(true) => words::KEPT,
            Some(false) => words::KEPT_BEFORE,
        };
        ui.label(small(ui, about));
        commands.push_if(kept.is_some() && ui.add(Button::quiet(words::FORGET_IT)).clicked(), Action::Forget);
    });
}

fn star_ui(ui: &mut Ui, stars: u8, filled: bool) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(28.0, size::CONTROL), Sense::click());
    let word = plural(stars.into(), "star");
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, filled, &word));
    let colours = tokens(ui);
    let ink = if filled || response.hovered() { colours.accent } else { colours.text_soft };
    let painter = ui.painter();
    if filled {
        painter.rect_filled(rect.shrink2(vec2(2.0, 5.0)), CornerRadius::same(6), colours.accent_soft);
    }
    focus_ring(painter, &response, rect, 6, colours);
    painter.text(rect.center(), Align2::CENTER_CENTER, char::from(Icon::Star), fonts::icons(18.0), ink);
    response.clicked()
}
