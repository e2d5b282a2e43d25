//! Draws the start screen.

use egui::{Align, Layout, TextStyle, Ui, vec2};
use lucide_icons::Icon;

use super::abilities::{Ability, Stands, abilities};
use super::checklist::{Item, checklist};
use crate::desktop::command::{Command, Commands};
use crate::desktop::engine::swarm::LocalSwarm;
use crate::desktop::screens::{Screen, ask};
use crate::desktop::state::{Machine, State};
use crate::desktop::theme::tokens::{CLEAR, space};
use crate::desktop::widgets::words::plural;
use crate::desktop::widgets::{
    Banner, Button, Tone, card_ui, figure_ui, heading, info_ui, mark_ui, name, screen_ui, soft, thousands,
};
use frlm_client::local_swarm::{CAVEAT, Speaks};

pub fn start_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    screen_ui(
        ui,
        (
            "Ask documents that are too long to read",
            "A swarm of other people's GPUs reads them for you. You set a budget, and every claim in the answer \
             leads to the line it came from.",
        ),
        space::L,
        |_| {},
        |ui| {
            if let Some(why) = state.machine.as_ref().and_then(|machine| machine.problem.as_deref()) {
                problem_ui(ui, why, commands);
            }
            paths_ui(ui, state.copied.as_deref(), commands);
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
    let safe = format!("{why}. Until then nothing is asked or served. The file was not changed.");
    Banner { tone: Tone::Bad, what: "The settings cannot be used", safe: &safe }.show(ui, |ui| {
        Button::new("Open Settings").icon(Icon::Settings).show(ui, commands, Screen::Settings);
        Button::new("Read them again").icon(Icon::RotateCcw).show(ui, commands, Command::Refresh);
    });
}

/// From the words of a card to those of the next: the gap between them, and the margin and the line of both.
const BETWEEN_WORDS: f32 = space::L + 2.0 * (16.0 + 1.0);

/// Three people use the program: what each of them does with it.
const PATHS: [(&str, &str); 3] = [
    ("Ask", "Drop documents on this window, type a question, see the price quote, and press Ctrl+Enter."),
    ("Earn", "Let this machine answer other people's questions at your price while you do not need it."),
    (
        "Develop",
        "Everything a button does, a command does. Jobs are NIP-90, Nostr's standard for paid work: scripts can ask, \
         too.",
    ),
];

/// What a developer begins with.
pub const COMMAND: &str = "frlm ask \"How many …?\" --file PATH --relay URL --json";

/// A way in for each. `copied`: what is in the clipboard from here.
fn paths_ui(ui: &mut Ui, copied: Option<&str>, commands: &mut Commands) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = space::L;
        ui.columns(3, |columns| {
            let ask = Button::new("Ask a question").icon(Icon::MessageCircleQuestionMark);
            if path_ui(&mut columns[0], PATHS[0], ask) {
                commands.push(Screen::Ask);
            }
            let earn = Button::new("Start earning").icon(Icon::HandCoins);
            if path_ui(&mut columns[1], PATHS[1], earn) {
                commands.push(Screen::Earn);
            }
            let (word, icon) = if copied == Some(COMMAND) {
                ("Copied", Icon::Check)
            } else {
                ("Copy a command", Icon::Copy)
            };
            if path_ui(&mut columns[2], PATHS[2], Button::new(word).icon(icon).hint(COMMAND)) {
                commands.push(Command::Copy(COMMAND.to_owned()));
            }
        });
    });
}

/// One of them; whether its button was pressed. All are of one height, however their words break.
fn path_ui(ui: &mut Ui, (title, words): (&str, &str), button: Button<'_>) -> bool {
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
        ui.add(button).clicked()
    })
}

/// Starts the swarm on this machine, by what is to speak in it.
pub fn start_swarm_ui(ui: &mut Ui, embedded: Button<'_>, has_model: bool, commands: &mut Commands) {
    ui.horizontal_wrapped(|ui| {
        let hint = "Small models copy fields out of records: logs, tickets, CSV";
        embedded.icon(Icon::Network).hint(hint).show(
            ui,
            commands,
            Command::StartLocalSwarm(Speaks::Embedded),
        );
        let hint = "A question in words about a licence. The three models play a recording, and one of them \
                    lies";
        let button = Button::new("With a recording, for prose").icon(Icon::Play).hint(hint);
        button.show(ui, commands, Command::StartLocalSwarm(Speaks::Recording));
        let hint = "The model in your settings speaks for all three providers";
        if has_model && ui.add(Button::new("With your own model").icon(Icon::Cpu).hint(hint)).clicked() {
            commands.push(Command::StartLocalSwarm(Speaks::OwnModel));
        }
    });
}

fn try_ui(ui: &mut Ui, swarm: &LocalSwarm, machine: Option<&Machine>, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Try it now on a local swarm"));
        ui.label(soft(
            ui,
            &format!(
                "A relay (which passes questions and answers on), three providers (which answer) and a mint of \
                 play money, all on this machine: {CAVEAT}. It costs no real sats (hundred-millionths of a \
                 bitcoin)."
            ),
        ));
        ui.add_space(space::S);
        match swarm {
            LocalSwarm::Failed(why) => {
                let safe = format!("{why}. Nothing was sent.");
                let what = "The local swarm did not start";
                Banner { tone: Tone::Bad, what, safe: &safe }.show_last(ui, |ui| {
                    let button = Button::new("Try again").icon(Icon::RotateCcw);
                    button.show(ui, commands, Command::StartLocalSwarm(Speaks::Embedded));
                });
            }
            LocalSwarm::Off => {
                let button = Button::primary("Start the local swarm");
                start_swarm_ui(ui, button, machine.is_some_and(|machine| machine.model.is_some()), commands);
            }
            LocalSwarm::Starting => {
                ui.add(Button::primary("Starting…").icon(Icon::LoaderCircle).enabled(false));
            }
            LocalSwarm::On { relay, providers, speaks } => {
                ui.label(name(&format!("{} online at {relay}", plural(*providers, "provider"))));
                ui.horizontal(|ui| {
                    if ui.add(Button::primary("Try the sample document").icon(Icon::Sparkles)).clicked() {
                        commands.push(ask::Action::Sample(*speaks));
                        commands.push(ask::Action::Venue(ask::Venue::LocalSwarm));
                        commands.push(Screen::Ask);
                    }
                    let button = Button::new("Stop the local swarm").icon(Icon::PowerOff);
                    button.show(ui, commands, Command::StopLocalSwarm);
                });
            }
        }
    });
}

fn machine_ui(ui: &mut Ui, machine: Option<&Machine>, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("This machine"));
        ui.add_space(space::S);
        let Some(machine) = machine else {
            mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Looking at what this machine can do…");
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
        let memory =
            machine.memory_mib.map_or("unknown".to_owned(), |mib| format!("{:.1} GiB", mib as f64 / 1_024.0));
        let threads = thousands(machine.threads as u64);
        figure_ui(&mut columns[0], "Processor threads", &threads, "for models without a GPU");
        figure_ui(&mut columns[1], "Free memory", &memory, "a model must fit into it");
        let (model, about) = match (&machine.model, machine.embedded_model) {
            (Some(model), _) => (model.as_str(), "your own, from the settings"),
            (None, true) => ("frlm-records", "built in: only extracts fields from logs and tables"),
            (None, false) => ("none", "add one in Models"),
        };
        figure_ui(&mut columns[2], "Model", model, about);
    });
}

fn ability_ui(ui: &mut Ui, ability: &Ability, commands: &mut Commands) {
    let (tone, icon, word) = match ability.stands {
        Stands::Yes => (Tone::Good, Icon::CircleCheck, "yes"),
        Stands::Partly => (Tone::Warn, Icon::CircleAlert, "partly"),
        Stands::No => (Tone::Plain, Icon::Circle, "not yet"),
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
            let mark = if item.done {
                (Tone::Good, Icon::CircleCheck, "done")
            } else {
                (Tone::Plain, Icon::Circle, "open")
            };
            line_ui(ui, mark, item.what, &item.how, |_| {});
        }
    });
}

fn checklist_head_ui(ui: &mut Ui, commands: &mut Commands) {
    ui.horizontal(|ui| {
        ui.label(heading("Setup"));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = Button::quiet("Dismiss the checklist").icon_only(Icon::X);
            button.show(ui, commands, Command::DismissChecklist);
        });
    });
}
