//! Draws the settings screen.

use egui::Ui;
use lucide_icons::Icon;

use super::asking::asking_ui;
use super::form::{Field, Flag};
use super::kept::kept_ui;
use super::logs::logs_ui;
use super::look::look_ui;
use super::money::money_ui;
use super::state::{Action, FromFile, Section, Settings};
use super::thresholds::thresholds_ui;
use crate::desktop::command::{Command, Commands, shortcut};
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::words::plural;
use crate::desktop::widgets::{
    Banner, Button, FIELD_LABEL, Tone, card_ui, checkbox_ui, checked_field_ui, column_ui, field_ui, heading,
    mark_ui, name, note_ui, one_line_ui, scroll_ui, small, soft, tabs_ui, title_ui,
};
use frlm_client::doctor::Check;

/// Height of a line without buttons.
const LINE: f32 = 22.0;
/// Width of a check's mark: that of the longer word.
const MARK: f32 = 60.0;
/// In less width than this the parts have shorter names.
const ROOMY: f32 = 720.0;

pub fn settings_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let settings = &state.settings;
    column_ui(ui, size::CONTENT, |ui| {
        ui.add_space(space::XL);
        let subtitle = match &settings.file {
            Load::Ready(file) => format!("Saved in {}. Comments and other lines stay.", file.path),
            // As high, so that nothing moves once it is read.
            _ => "Saved in config.toml. Comments and other lines stay.".to_owned(),
        };
        title_ui(ui, "Settings", &subtitle, |ui| save_ui(ui, settings, commands));
        ui.add_space(space::S);
        let privacy = if ui.available_width() < ROOMY { "Privacy" } else { "Identity and privacy" };
        let tabs = [
            (Section::Relays, "Relays"),
            (Section::Asking, "Asking"),
            (Section::Providing, "Providing"),
            (Section::Money, "Money"),
            (Section::Thresholds, "Thresholds"),
            (Section::Privacy, privacy),
            (Section::Appearance, "Appearance"),
            (Section::Diagnostics, "Diagnostics"),
            (Section::Logs, "Logs"),
        ];
        commands.extend(tabs_ui(ui, &tabs, settings.section).map(Action::Open));
        ui.add_space(space::S);
        outcome_ui(ui, settings, commands);
        match settings.section {
            Section::Appearance => return scroll_ui(ui, "look", |ui| look_ui(ui, commands)),
            Section::Diagnostics => {
                return scroll_ui(ui, "diagnostics", |ui| diagnostics_ui(ui, settings, commands));
            }
            Section::Logs => return logs_ui(ui, settings, commands),
            Section::Thresholds => return thresholds_ui(ui, settings, commands),
            Section::Relays | Section::Asking | Section::Providing | Section::Money | Section::Privacy => {}
        }
        match &settings.file {
            Load::Busy => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Reading the settings…")),
            Load::Failed(why) => failed_ui(ui, why, commands),
            Load::Ready(file) => match settings.section {
                Section::Asking => scroll_ui(ui, "asking", |ui| asking_ui(ui, settings, commands)),
                Section::Providing => {
                    scroll_ui(ui, "providing", |ui| providing_ui(ui, settings, commands));
                }
                Section::Money => money_ui(ui, state, commands),
                Section::Privacy => {
                    scroll_ui(ui, "privacy", |ui| privacy_ui(ui, state, file, commands));
                }
                _ => scroll_ui(ui, "relays", |ui| relays_ui(ui, settings, commands)),
            },
        }
    });
}

fn save_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    let changed = settings.is_changed();
    // The sentence beside the buttons stays in one line, and what is below it where it is.
    let narrow = ui.available_width() < ROOMY;
    // These parts hold nothing that is saved.
    let is_idle = matches!(
        settings.section,
        Section::Thresholds | Section::Appearance | Section::Diagnostics | Section::Logs
    );
    if is_idle && !changed && !settings.saving {
        return;
    }
    let problem = settings.draft.problem();
    let word = if settings.saving { "Saving…" } else { "Save" };
    let save = Command::Settings(Action::Save);
    let mut button = Button::primary(word).icon(Icon::Save).enabled(settings.can_save());
    if let Some(problem) = &problem {
        button = button.hint(problem);
    } else if !changed {
        button = button.hint("nothing was changed");
    } else {
        button = button.shortcut(shortcut(&save));
    }
    button.show(ui, commands, save);
    let undo = Button::new("Discard changes");
    let undo = if narrow { undo.icon_only(Icon::Undo2) } else { undo.icon(Icon::Undo2) };
    commands.push_if(changed && ui.add(undo).clicked(), Action::Reload);
}

fn outcome_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    if let Some(problem) = settings.draft.problem() {
        Banner { tone: Tone::Warn, what: "This cannot be saved yet", safe: &problem }.show(ui, |_| {});
    }
    match &settings.outcome {
        None => {}
        Some(Ok(())) => {
            drop(mark_ui(ui, Tone::Good, Icon::CircleCheck, "Saved. It applies from the next run on."));
        }
        Some(Err(why)) => {
            Banner { tone: Tone::Bad, what: "The settings were not saved", safe: why }.show(ui, |ui| {
                Button::new("Try again").icon(Icon::RotateCcw).show(ui, commands, Action::Save);
            });
        }
    }
}

fn failed_ui(ui: &mut Ui, why: &str, commands: &mut Commands) {
    let safe =
        format!("{why}. The file was not changed. Fix it in an editor, or move it away to use the defaults.");
    Banner { tone: Tone::Bad, what: "The settings file cannot be used", safe: &safe }.show(ui, |ui| {
        Button::new("Read it again").icon(Icon::RotateCcw).show(ui, commands, Action::Reload);
    });
}

fn relays_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Relays"));
        ui.label(soft(
            ui,
            "Relays pass jobs and answers between askers and providers. FRLM contacts only the relays on this \
             list. A relay sees sizes, times and keys; jobs are encrypted for the providers that work on them.",
        ));
        ui.add_space(space::S);
        if settings.draft.relays.is_empty() {
            ui.label(name("No relay yet"));
        }
        for (position, relay) in settings.draft.relays.iter().enumerate() {
            ui.horizontal(|ui| {
                let shown = frlm_client::protocol::printable(relay);
                let remove = format!("Remove {shown}");
                Button::quiet(&remove).icon_only(Icon::X).show(ui, commands, Action::RemoveRelay(position));
                one_line_ui(ui, egui::RichText::new(shown).monospace());
            });
        }
        ui.add_space(space::S);
        ui.horizontal(|ui| {
            let hint = "wss://HOST, or ws://127.0.0.1:7777 for \"frlm relay\" on this machine";
            commands.extend(field_ui(ui, "Another relay", &settings.relay, hint, 520.0).map(Action::Relay));
            ui.vertical(|ui| {
                ui.add_space(FIELD_LABEL);
                let given = !settings.relay.trim().is_empty();
                Button::new("Add").icon(Icon::Plus).enabled(given).show(ui, commands, Action::AddRelay);
            });
        });
        if let Some(problem) = &settings.relay_problem {
            note_ui(ui, Tone::Bad, Icon::CircleX, problem);
        }
    });
}

/// Two fields a row.
pub fn fields_ui(ui: &mut Ui, settings: &Settings, rows: &[&[Field]], commands: &mut Commands) {
    let width = (ui.available_width() - space::L) / 2.0;
    for row in rows {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::L;
            for field in *row {
                let about = field.about();
                let text = settings.draft.text(*field);
                let problem = field.setting(text).err();
                let typed = checked_field_ui(ui, about.label, text, about.hint, width, problem.as_deref());
                commands.extend(typed.map(|text| Action::Type(*field, text)));
            }
        });
    }
}

/// A box with the words of its setting.
pub fn flag_ui(ui: &mut Ui, settings: &Settings, flag: Flag, commands: &mut Commands) {
    let (_, _, words) = flag.about();
    commands.extend(checkbox_ui(ui, words, settings.draft.flag(flag)).map(|set| Action::Set(flag, set)));
}

fn providing_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Defaults of earning"));
        ui.label(soft(
            ui,
            "The defaults of \"frlm provide\" and of Earn. An empty field means the built-in default.",
        ));
        ui.add_space(space::S);
        let rows: [&[Field]; 5] = [
            &[Field::Name, Field::ProvideModel],
            &[Field::Price, Field::PriceWritten],
            &[Field::Minimum, Field::Free],
            &[Field::Surge, Field::SurgeFrom],
            &[Field::Queue, Field::PayAfter],
        ];
        fields_ui(ui, settings, &rows, commands);
        flag_ui(ui, settings, Flag::OpenJobs, commands);
    });
}

/// Who this machine is to others.
fn identity_ui(
    ui: &mut Ui,
    settings: &Settings,
    file: &FromFile,
    copied: Option<&str>,
    commands: &mut Commands,
) {
    card_ui(ui, |ui| {
        ui.label(heading("Your identity"));
        match &file.identity {
            None => drop(ui.label(soft(
                ui,
                "None yet: the key of this machine as a provider is created when it first goes online.",
            ))),
            Some(npub) => {
                ui.horizontal(|ui| {
                    let is_copied = copied == Some(npub.as_str());
                    let (word, icon) =
                        if is_copied { ("Copied", Icon::Check) } else { ("Copy the key", Icon::Copy) };
                    Button::quiet(word).icon_only(icon).show(ui, commands, Command::Copy(npub.clone()));
                    one_line_ui(ui, egui::RichText::new(npub).monospace());
                });
                ui.label(soft(
                    ui,
                    "The public key of this machine as a provider. Askers name it to ask only this provider \
                     (--provider), or to have it check the answers of others (validated:NPUB). The secret key \
                     is in provider.key: keep a copy, because it cannot be restored. If you move it away, a \
                     new one is created.",
                ));
            }
        }
        let asker = "As an asker you are anonymous: each run has its own key. If you want to be known for \
                     having paid before, your own key (asker.key) vouches for each run inside the encrypted \
                     job. Then a run does not begin as an unknown key, whose first jobs are sent one by one. \
                     Those providers can tell which runs are yours and can prove it to others. Nobody else is \
                     told, and no relay.";
        ui.label(soft(ui, asker));
        flag_ui(ui, settings, Flag::Certificate, commands);
    });
    ui.add_space(space::S);
}

fn privacy_ui(ui: &mut Ui, state: &State, file: &FromFile, commands: &mut Commands) {
    let settings = &state.settings;
    identity_ui(ui, settings, file, state.copied.as_deref(), commands);
    card_ui(ui, |ui| {
        ui.label(heading("What leaves this machine"));
        let relays = match settings.draft.relays.as_slice() {
            [] => "Nothing: there is no relay yet.".to_owned(),
            relays => format!(
                "Parts of your documents and the question, encrypted for the providers that work on them, \
                 through {}. Each run has its own key, so relays cannot link your runs.",
                relays.join(", ")
            ),
        };
        ui.label(relays);
        flag_ui(ui, settings, Flag::Local, commands);
    });
    ui.add_space(space::S);
    kept_ui(ui, &file.home);
}

fn diagnostics_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Health check"));
        ui.label(soft(
            ui,
            "The same checks as \"frlm doctor\": home folder, settings, runs, ledger, models, relays. FRLM \
             connects to the relays on your list and publishes nothing.",
        ));
        ui.add_space(space::XS);
        let word = if settings.checking { "Checking…" } else { "Check now" };
        let button = Button::primary(word).icon(Icon::Stethoscope).enabled(!settings.checking);
        button.show(ui, commands, Action::Diagnose);
        ui.add_space(space::S);
        for check in &settings.checks {
            check_ui(ui, check);
        }
        let failed = settings.checks.iter().filter(|check| check.outcome.is_err()).count();
        if !settings.checking && !settings.checks.is_empty() {
            let found = format!("{} failed, and what fixes it is said beside it.", plural(failed, "check"));
            ui.label(small(ui, if failed == 0 { "Everything works." } else { &found }));
        }
    });
}

/// A check; what failed names its fix, which is never cut off.
fn check_ui(ui: &mut Ui, check: &Check) {
    ui.spacing_mut().interact_size.y = LINE;
    ui.horizontal_top(|ui| {
        let (tone, icon, word, found) = match &check.outcome {
            Ok(found) => (Tone::Good, Icon::CircleCheck, "ok", found),
            Err(problem) => (Tone::Bad, Icon::CircleX, "failed", problem),
        };
        // Names stand below each other, whatever the word before them.
        ui.vertical(|ui| {
            ui.set_width(MARK);
            mark_ui(ui, tone, icon, word);
        });
        // Further lines begin beside the mark.
        ui.vertical(|ui| {
            ui.horizontal_wrapped(|ui| {
                ui.label(name(&check.name));
                ui.label(soft(ui, found));
            });
        });
    });
}
