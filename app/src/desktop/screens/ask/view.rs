//! Draws the ask screen.

use egui::{Margin, RichText, Slider, TextEdit, Ui, vec2};
use lucide_icons::Icon;

use super::describe::budget_verdict;
use super::foot::start_ui;
use super::state::{Action, Ask, Document, LONGEST_QUESTION, Previewed, Reading, Venue};
use super::trouble::{deserted_ui, no_quote_ui, refused_ui, unreachable_ui};
use super::wishes::{followed_ui, wishes_ui};
use super::words::{self, LEVELS, POLICIES};
use crate::desktop::command::Commands;
use crate::desktop::engine::swarm::LocalSwarm;
use crate::desktop::screens::start::start_swarm_ui;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::{
    Banner, Button, Part, Tone, bar_ui, busy_ui, card_ui, choice_ui, footed_ui, heading, hint, info_ui,
    legend_ui, name, note_ui, one_line_ui, play_ui, screen_ui, small, soft, tariff_words, two_columns_ui,
};
use frlm_client::documents::Password;
use frlm_client::local_swarm::Speaks;
use frlm_client::protocol::one_line;
use frlm_client::run::OtherReading;
use frlm_client::units::bytes;

/// The dearest budget that the slider reaches; more can be typed.
const SLIDER_TOP: u64 = 100_000;
/// Width of the field beside the slider: six digits.
const BUDGET_FIELD: f32 = 88.0;
/// Height of both.
const BUDGET_ROW: f32 = 28.0;
/// Documents listed before "and so many more".
const MOST_LISTED: usize = 6;

pub fn ask_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    // What the form asks for, the button too.
    let mut asked = Commands::default();
    footed_ui(ui, size::CONTENT, |ui| form_ui(ui, state, commands), |ui| start_ui(ui, state, &mut asked));
    commands.extend(asked.take());
}

fn form_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let ask = &state.ask;
    screen_ui(
        ui,
        (words::TITLE, words::SUBTITLE),
        space::L,
        |_| {},
        |ui| {
            refused_ui(ui, ask, commands);
            // What the left column asks for, the right one too.
            let mut right = Commands::default();
            two_columns_ui(
                ui,
                0.58,
                |ui| {
                    documents_ui(ui, ask, state.swarm.speaks(), commands);
                    ui.add_space(space::S);
                    question_ui(ui, ask, commands);
                    ui.add_space(space::S);
                    cost_ui(ui, state, commands);
                },
                |ui| {
                    venue_ui(ui, state, &mut right);
                    ui.add_space(space::S);
                    verify_ui(ui, ask, &mut right);
                },
            );
            commands.extend(right.take());
        },
    );
}

fn documents_ui(ui: &mut Ui, ask: &Ask, speaks: Speaks, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::DOCUMENTS));
        match &ask.reading {
            Reading::Nothing => {
                ui.label(soft(ui, words::KINDS));
            }
            Reading::Busy { files: 0 } => busy_ui(ui, words::READING),
            Reading::Busy { files } => drop(ui.horizontal(|ui| {
                busy_ui(ui, &words::reading_file(*files));
                Button::quiet(words::STOP_READING).icon(Icon::Square).show(ui, commands, Action::StopReading);
            })),
            Reading::Failed(why) => {
                let safe = words::nothing_sent(why);
                let banner = Banner { tone: Tone::Bad, what: words::UNREADABLE, safe: &safe };
                banner.retry(ui, commands, words::READ_AGAIN, Action::ReadAgain);
            }
            Reading::Read { documents, warnings } => read_ui(ui, documents, warnings),
        }
        if ask.locked {
            password_ui(ui, commands);
        }
        for (position, file) in ask.files.iter().enumerate().take(MOST_LISTED) {
            ui.horizontal(|ui| {
                let shown = frlm_client::protocol::shown_path(file);
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    let remove = words::remove(&shown);
                    Button::quiet(&remove).icon_only(Icon::X).show(ui, commands, Action::Remove(position));
                    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                        one_line_ui(ui, RichText::new(&shown).monospace());
                    });
                });
            });
        }
        if ask.files.len() > MOST_LISTED {
            ui.horizontal(|ui| {
                ui.label(soft(ui, &words::more(ask.files.len() - MOST_LISTED, "file")));
                // Those that are not listed have no button of their own.
                Button::quiet(words::REMOVE_ALL).icon(Icon::X).show(ui, commands, Action::RemoveAll);
            });
        }
        ui.add_space(space::XS);
        ui.horizontal_wrapped(|ui| {
            Button::new(words::ADD_FILES).icon(Icon::FileText).show(ui, commands, Action::Choose(false));
            Button::new(words::ADD_FOLDER).icon(Icon::Folder).show(ui, commands, Action::Choose(true));
            let button = Button::new(words::PASTE).icon(Icon::ClipboardPaste).hint(words::PASTE_HINT);
            button.show(ui, commands, Action::WantPaste);
            if ask.files.is_empty() && ui.add(Button::quiet(words::TRY_SAMPLE).icon(Icon::Sparkles)).clicked()
            {
                commands.push(Action::Sample(speaks));
            }
        });
        if let Some(path) = &ask.typed_path {
            path_ui(ui, path, commands);
        }
    });
}

/// For encrypted documents. What is typed is kept in the window alone, and only until it is given.
fn password_ui(ui: &mut Ui, commands: &mut Commands) {
    let id = egui::Id::unique("document password");
    let mut typed: String = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    ui.horizontal(|ui| {
        let label = ui.label(soft(ui, words::PASSWORD));
        let field = ui
            .add(TextEdit::singleline(&mut typed).password(true).id_salt("password").desired_width(200.0))
            .labelled_by(label.id);
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        let open = ui.add(Button::new(words::OPEN_THEM).icon(Icon::LockOpen)).clicked() || entered;
        if open && !typed.is_empty() {
            commands.push(Action::Unlock(Password(std::mem::take(&mut typed))));
        }
    });
    ui.data_mut(|data| data.insert_temp(id, typed));
}

/// For desktops without a file dialog.
fn path_ui(ui: &mut Ui, path: &str, commands: &mut Commands) {
    ui.add_space(space::XS);
    note_ui(ui, Tone::Warn, Icon::TriangleAlert, words::NO_CHOOSER);
    ui.horizontal(|ui| {
        let label = ui.label(soft(ui, words::PATH));
        let mut typed = path.to_owned();
        let field = ui
            .add(TextEdit::singleline(&mut typed).id_salt("path").desired_width(420.0))
            .labelled_by(label.id);
        if field.changed() {
            commands.push(Action::TypePath(typed));
        }
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if (ui.add(Button::new(words::ADD).icon(Icon::Plus)).clicked() || entered) && !path.trim().is_empty()
        {
            // Before the field is emptied.
            commands.push(Action::Add(vec![path.trim().into()]));
            commands.push(Action::AddTyped);
        }
    });
}

fn read_ui(ui: &mut Ui, documents: &[Document], warnings: &[String]) {
    let sum = |part: fn(&Document) -> usize| documents.iter().map(part).sum::<usize>();
    let (parts, tokens) = (sum(|document| document.fragments), sum(|document| document.tokens));
    let size = bytes(sum(|document| document.bytes) as u64);
    let read = words::read(documents.len(), parts, tokens, &size);
    note_ui(ui, Tone::Good, Icon::CircleCheck, &read).on_hover_text(words::READ_HINT);
    for warning in warnings.iter().take(3) {
        note_ui(ui, Tone::Warn, Icon::TriangleAlert, warning);
    }
    if warnings.len() > 3 {
        ui.label(soft(ui, &words::more(warnings.len() - 3, "note")))
            .on_hover_text(warnings.iter().skip(3).take(20).cloned().collect::<Vec<_>>().join("\n"));
    }
}

fn question_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    card_ui(ui, |ui| {
        let label = ui.label(heading(words::QUESTION));
        let mut question = ask.question.clone();
        let field = ui.add(
            TextEdit::multiline(&mut question)
                .id_salt("question")
                .hint_text(hint(words::EXAMPLE))
                .desired_rows(2)
                .desired_width(f32::INFINITY)
                .char_limit(LONGEST_QUESTION)
                .margin(Margin::symmetric(12, 10)),
        );
        if field.labelled_by(label.id).changed() {
            commands.push(Action::Question(question));
        }
        followed_ui(ui, ask, commands);
        readings_ui(ui, ask, commands);
        wishes_ui(ui, ask, commands);
    });
}

/// Readings that code cannot decide between, for the user to choose one.
fn readings_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    let meaning = |reading: &OtherReading| one_line(&reading.words).into_owned();
    if let Some(reading) = &ask.read_as {
        note_ui(ui, Tone::Good, Icon::HardDrive, &words::code_reads(&meaning(reading)));
        Button::quiet(words::READ_OTHERWISE).icon(Icon::RotateCcw).show(ui, commands, Action::ReadAs(None));
        return;
    }
    let Previewed::Known { readings, .. } = &ask.previewed else { return };
    if readings.is_empty() {
        return;
    }
    note_ui(ui, Tone::Accent, Icon::Info, &words::readings(readings.len()));
    for (position, reading) in readings.iter().enumerate() {
        let result: String = one_line(&reading.text).chars().take(80).collect();
        let about = words::reading_found(&one_line(&reading.choice.file), &result);
        ui.push_id(position, |ui| {
            if choice_ui(ui, &meaning(reading), &about, false).clicked() {
                commands.push(Action::ReadAs(Some(reading.clone())));
            }
        });
    }
}

fn venue_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let machine = state.machine.as_ref();
    let relays = machine.map_or(&[][..], |machine| &machine.relays);
    let model = machine.and_then(|machine| machine.model.as_deref());
    card_ui(ui, |ui| {
        ui.label(heading(words::WHO_ANSWERS));
        let swarm = match &state.swarm {
            LocalSwarm::On { providers, speaks, .. } => {
                let how = match speaks {
                    Speaks::Embedded => words::SWARM_EMBEDDED,
                    Speaks::Recording => words::SWARM_RECORDED,
                    Speaks::OwnModel => words::SWARM_OWN_MODEL,
                };
                words::swarm_runs(*providers, how)
            }
            LocalSwarm::Starting => words::SWARM_STARTING.to_owned(),
            LocalSwarm::Off => words::SWARM_OFF.to_owned(),
            LocalSwarm::Failed(why) => words::swarm_failed(why),
        };
        let is_unusable = machine.is_some_and(|machine| machine.problem.is_some());
        let relays = match relays {
            [] if is_unusable => words::SETTINGS_UNUSABLE.to_owned(),
            [] => words::NO_RELAY.to_owned(),
            relays => relays.join(", "),
        };
        for (venue, word, about) in [
            (Venue::LocalSwarm, words::LOCAL_SWARM, swarm.as_str()),
            (Venue::Relays, words::PUBLIC_SWARM, relays.as_str()),
            (Venue::OwnModel, words::OWN_MODEL, model.unwrap_or(words::NO_MODEL)),
        ] {
            if choice_ui(ui, word, about, state.ask.venue == venue).clicked() {
                commands.push(Action::Venue(venue));
            }
        }
        if state.ask.venue == Venue::LocalSwarm && state.swarm.can_start() {
            ui.add_space(space::XS);
            start_swarm_ui(ui, Button::new(words::START_SWARM), model.is_some(), commands);
        }
        providers_ui(ui, &state.ask, commands);
    });
}

/// Who is there, or an honest 0 and what to do.
fn providers_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    let Previewed::Known { providers, unreachable, by_code: false, .. } = &ask.previewed else { return };
    if ask.venue == Venue::OwnModel {
        return;
    }
    ui.add_space(space::S);
    if let Some(why) = unreachable {
        unreachable_ui(ui, ask, why, commands);
    } else if providers.is_empty() {
        deserted_ui(ui, ask, commands);
    } else {
        for provider in providers.iter().take(4) {
            let provider_and_model = words::provider(&provider.name, &provider.model);
            ui.scope(|ui| {
                // Its two lines are closer to each other than to its neighbours.
                ui.spacing_mut().item_spacing.y = 2.0;
                one_line_ui(ui, name(&provider_and_model));
                // What it costs is never cut off.
                let costs = tariff_words(ask.unit(), &provider.tariff);
                ui.label(soft(ui, &costs).font(fonts::body(text::SMALL)));
            });
        }
        if providers.len() > 4 {
            ui.label(soft(ui, &words::more(providers.len() - 4, "provider")));
        }
    }
}

fn verify_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::VERIFICATION));
        for (policy, word, about) in POLICIES {
            if choice_ui(ui, word, about, ask.verify == policy).clicked() {
                commands.push(Action::Verify(policy.to_owned()));
            }
        }
        let own = ask.usual.as_ref().filter(|usual| POLICIES.iter().all(|(policy, _, _)| policy != usual));
        if let Some(usual) = own
            && choice_ui(ui, words::AS_IN_SETTINGS, usual, ask.verify == *usual).clicked()
        {
            commands.push(Action::Verify(usual.clone()));
        }
        ui.add_space(space::S);
        ui.label(heading(words::CHECKS));
        for (level, word, about) in LEVELS {
            commands.push_if(choice_ui(ui, word, about, ask.level == level).clicked(), Action::Level(level));
        }
    });
}

fn cost_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let ask = &state.ask;
    card_ui(ui, |ui| {
        ui.label(heading(words::BUDGET));
        play_ui(ui, ask.unit());
        let label = ui.label(small(ui, &words::budget_in(ask.unit()))).on_hover_text(ask.unit().about());
        let mut budget = ask.budget;
        ui.spacing_mut().interact_size.y = 24.0;
        let changed = ui.scope(|ui| {
            // The field is as high as the slider beside it, and ends where the card's other things end.
            let slider_width = (ui.available_width() - BUDGET_FIELD - space::S).max(80.0);
            let spacing = ui.spacing_mut();
            spacing.interact_size = vec2(BUDGET_FIELD, BUDGET_ROW);
            spacing.button_padding.y = 5.0;
            spacing.slider_width = slider_width;
            // A well on a card is hardly seen, nor is a wash in it: the rail is as grey as a field's outline, and the
            // handle alone says how far it is.
            ui.visuals_mut().widgets.inactive.bg_fill = tokens(ui).outline;
            let slider = Slider::new(&mut budget, 1..=SLIDER_TOP)
                .logarithmic(true)
                .clamping(egui::SliderClamping::Never)
                .trailing_fill(false)
                .integer();
            ui.add(slider).labelled_by(label.id).changed()
        });
        if changed.inner {
            commands.push(Action::Budget(budget));
        }
        ui.add_space(space::XS);
        if no_quote_ui(ui, state, commands) {
            return;
        }
        let Previewed::Known { low, expected, high, given, .. } = &ask.previewed else {
            return busy_ui(ui, words::ASKING_PRICES);
        };
        quote_ui(ui, ask, (*low, *expected, *high));
        if *given > 0 {
            ui.label(soft(ui, &words::given_away(ask.unit(), *given)));
        }
    });
}

fn quote_ui(ui: &mut Ui, ask: &Ask, (low, expected, high): (u64, u64, u64)) {
    let (colours, budget) = (tokens(ui), ask.budget);
    let (enough, verdict) = if ask.venue == Venue::OwnModel && high == 0 {
        (true, words::OWN_MODEL_FREE.to_owned())
    } else {
        budget_verdict(ask.unit(), budget, low, expected, high)
    };
    if high > 0 {
        let scale = high.max(budget);
        let parts = [
            Part { name: words::AT_LEAST, amount: low, colour: colours.good },
            Part { name: words::EXPECTED, amount: expected, colour: colours.busy },
            Part { name: words::AT_MOST, amount: high, colour: colours.warn },
        ];
        // The bar shows the steps from one to the next; the legend the amounts themselves.
        let steps = [
            Part { amount: low, ..parts[0] },
            Part { amount: expected.saturating_sub(low), ..parts[1] },
            Part { amount: high.saturating_sub(expected), ..parts[2] },
        ];
        bar_ui(ui, words::QUOTE, scale, &steps);
        legend_ui(ui, &parts);
    }
    let (tone, word) =
        if enough { (Tone::Good, words::BUDGET_ENOUGH) } else { (Tone::Bad, words::BUDGET_LOW) };
    ui.horizontal_top(|ui| {
        info_ui(ui, tone, tone.icon(), word);
        ui.vertical(|ui| ui.label(&verdict));
    });
}
