//! Draws the start screen.

use egui::{Align, Layout, TextStyle, Ui, vec2};
use lucide_icons::Icon;

use super::abilities::{Ability, Stands, abilities};
use super::checklist::{Item, checklist};
use super::words::{self, PATHS};
use crate::desktop::command::{Command, Commands, Shell};
use crate::desktop::engine::swarm::LocalSwarm;
use crate::desktop::screens::{Screen, ask};
use crate::desktop::state::{Machine, State};
use crate::desktop::theme::tokens::{CLEAR, space};
use crate::desktop::widgets::{
    Banner, Button, Tone, busy_ui, card_ui, copy_ui, figure_ui, headed_ui, heading, info_ui, name, screen_ui,
    soft, thousands,
};
use frlm_client::local_swarm::Speaks;

pub fn start_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    screen_ui(
        ui,
        (words::TITLE, words::SUBTITLE),
        space::L,
        |_| {},
        |ui| {
            if let Some(why) = state.machine.as_ref().and_then(|machine| machine.problem.as_deref()) {
                problem_ui(ui, why, commands);
            }
            paths_ui(ui, commands);
            ui.add_space(space::S);
            try_ui(ui, &state.swarm, state.machine.as_ref(), commands);
            ui.add_space(space::S);
            machine_ui(ui, state.machine.as_ref(), commands);
            ui.add_space(space::S);
            if !state.checklist_dismissed {
                checklist_ui(ui, &checklist(state), commands);
            }
        },
    );
}

/// What is said below is then what nobody has set.
fn problem_ui(ui: &mut Ui, why: &str, commands: &mut Commands) {
    let safe = words::unusable(why);
    Banner { tone: Tone::Bad, what: words::SETTINGS_UNUSABLE, safe: &safe }.show(ui, |ui| {
        Button::new(words::OPEN_SETTINGS).icon(Icon::Settings).show(ui, commands, Screen::Settings);
        Button::new(words::READ_AGAIN).icon(Icon::RotateCcw).show(ui, commands, Command::Refresh);
    });
}

/// From the words of a card to those of the next: the gap between them, and the margin and the line of both.
const BETWEEN_WORDS: f32 = space::L + 2.0 * (16.0 + 1.0);

/// What a developer begins with.
pub const COMMAND: &str = "frlm ask \"How many …?\" --file PATH --relay URL --json";

/// A way in for each.
fn paths_ui(ui: &mut Ui, commands: &mut Commands) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = space::L;
        ui.columns(3, |columns| {
            let ask = Button::new(words::ASK).icon(Icon::MessageCircleQuestionMark);
            path_ui(&mut columns[0], PATHS[0], |ui| ask.show(ui, commands, Screen::Ask));
            let earn = Button::new(words::START_EARNING).icon(Icon::HandCoins);
            path_ui(&mut columns[1], PATHS[1], |ui| earn.show(ui, commands, Screen::Earn));
            let copy = Button::new(words::COPY).icon(Icon::Copy).hint(COMMAND);
            path_ui(&mut columns[2], PATHS[2], |ui| {
                copy_ui(ui, copy, (), || COMMAND.to_owned());
            });
        });
    });
}

/// One of them. All are of one height, however their words break.
fn path_ui(ui: &mut Ui, (title, words): (&str, &str), button: impl FnOnce(&mut Ui)) {
    card_ui(ui, |ui| {
        ui.label(heading(title));
        let (font, width) = (TextStyle::Body.resolve(ui.style()), ui.available_width());
        let height = |words: &str| ui.painter().layout(words.to_owned(), font.clone(), CLEAR, width).size().y;
        let tallest = PATHS.iter().map(|(_, words)| height(words)).fold(0.0, f32::max);
        ui.allocate_ui(vec2(width, tallest), |ui| {
            ui.set_min_height(tallest);
            ui.label(soft(ui, words));
        });
        ui.add_space(space::S);
        button(ui);
    });
}

/// Starts the swarm on this machine, by what is to speak in it.
pub fn start_swarm_ui(ui: &mut Ui, embedded: Button<'_>, has_model: bool, commands: &mut Commands) {
    ui.horizontal_wrapped(|ui| {
        let embedded = embedded.icon(Icon::Network).hint(words::START_SWARM_HINT);
        embedded.show(ui, commands, Command::StartLocalSwarm(Speaks::Embedded));
        let recording = Button::new(words::RECORDING).icon(Icon::Play).hint(words::RECORDING_HINT);
        recording.show(ui, commands, Command::StartLocalSwarm(Speaks::Recording));
        if has_model {
            let own = Button::new(words::OWN_MODEL).icon(Icon::Cpu).hint(words::OWN_MODEL_HINT);
            own.show(ui, commands, Command::StartLocalSwarm(Speaks::OwnModel));
        }
    });
}

fn try_ui(ui: &mut Ui, swarm: &LocalSwarm, machine: Option<&Machine>, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::TRY, &words::try_about());
        ui.add_space(space::S);
        match swarm {
            LocalSwarm::Failed(why) => {
                let (what, safe) = (words::NOT_STARTED, words::not_started(why));
                Banner { tone: Tone::Bad, what, safe: &safe }.show_last(ui, |ui| {
                    let button = Button::new(words::TRY_AGAIN).icon(Icon::RotateCcw);
                    button.show(ui, commands, Command::StartLocalSwarm(Speaks::Embedded));
                });
            }
            LocalSwarm::Off => {
                let button = Button::primary(words::START_SWARM);
                start_swarm_ui(ui, button, machine.is_some_and(|machine| machine.model.is_some()), commands);
            }
            LocalSwarm::Starting => {
                ui.add(Button::primary(words::STARTING).icon(Icon::LoaderCircle).enabled(false));
            }
            LocalSwarm::On { relay, providers, speaks } => {
                ui.label(name(&words::online(*providers, relay)));
                ui.horizontal(|ui| {
                    if ui.add(Button::primary(words::TRY_SAMPLE).icon(Icon::Sparkles)).clicked() {
                        commands.push(ask::Action::Sample(*speaks));
                        commands.push(ask::Action::Venue(ask::Venue::LocalSwarm));
                        commands.push(Screen::Ask);
                    }
                    let button = Button::new(words::STOP_SWARM).icon(Icon::PowerOff);
                    button.show(ui, commands, Command::StopLocalSwarm);
                });
            }
        }
    });
}

fn machine_ui(ui: &mut Ui, machine: Option<&Machine>, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::MACHINE));
        ui.add_space(space::S);
        let Some(machine) = machine else {
            busy_ui(ui, words::LOOKING);
            return;
        };
        ui.scope(|ui| {
            // Figures stand below the words of the cards above.
            ui.spacing_mut().item_spacing.x = BETWEEN_WORDS;
            figures_ui(ui, machine);
        });
        ui.add_space(space::S);
        for ability in abilities(machine) {
            ability_ui(ui, &ability, commands);
        }
    });
}

fn figures_ui(ui: &mut Ui, machine: &Machine) {
    ui.columns(3, |columns| {
        let memory = machine.memory_mib.map_or(words::UNKNOWN.to_owned(), words::memory);
        let threads = thousands(machine.threads as u64);
        figure_ui(&mut columns[0], words::THREADS, &threads, words::THREADS_ABOUT);
        figure_ui(&mut columns[1], words::MEMORY, &memory, words::MEMORY_ABOUT);
        let (model, about) = match (&machine.model, machine.embedded_model) {
            (Some(model), _) => (model.as_str(), words::MODEL_OWN),
            (None, true) => ("frlm-records", words::MODEL_BUILT_IN),
            (None, false) => (words::NONE, words::MODEL_NONE),
        };
        figure_ui(&mut columns[2], words::MODEL, model, about);
    });
}

fn ability_ui(ui: &mut Ui, ability: &Ability, commands: &mut Commands) {
    let (tone, icon, word) = match ability.stands {
        Stands::Yes => (Tone::Good, Icon::CircleCheck, words::YES),
        Stands::Partly => (Tone::Warn, Icon::CircleAlert, words::PARTLY),
        Stands::No => (Tone::Plain, Icon::Circle, words::NOT_YET),
    };
    line_ui(ui, (tone, icon, word), ability.what, &ability.how, |ui| {
        if let Some((word, screen)) = ability.helps
            && ui.add(Button::quiet(word)).clicked()
        {
            commands.push(Command::Go(screen));
        }
    });
}

/// How something stands, what it is, what there is to say of it, and at the end of the line what helps. Long words go
/// on in a further line.
fn line_ui(
    ui: &mut Ui,
    (tone, icon, word): (Tone, Icon, &str),
    what: &str,
    how: &str,
    helps: impl FnOnce(&mut Ui),
) {
    ui.horizontal(|ui| {
        info_ui(ui, tone, icon, word);
        ui.label(name(what));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            helps(ui);
            ui.with_layout(Layout::left_to_right(Align::Center).with_main_wrap(true), |ui| {
                ui.label(soft(ui, how));
            });
        });
    });
}

fn checklist_ui(ui: &mut Ui, items: &[Item], commands: &mut Commands) {
    if items.is_empty() || items.iter().all(|item| item.done) {
        return;
    }
    card_ui(ui, |ui| {
        checklist_head_ui(ui, commands);
        ui.add_space(space::S);
        ui.spacing_mut().interact_size.y = 22.0;
        for item in items {
            let open = (Tone::Plain, Icon::Circle, words::OPEN);
            let mark = if item.done { (Tone::Good, Icon::CircleCheck, words::DONE) } else { open };
            line_ui(ui, mark, item.what, &item.how, |_| {});
        }
    });
}

fn checklist_head_ui(ui: &mut Ui, commands: &mut Commands) {
    ui.horizontal(|ui| {
        ui.label(heading(words::SETUP));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = Button::quiet(words::DISMISS).icon_only(Icon::X);
            button.show(ui, commands, Shell::DismissChecklist);
        });
    });
}
