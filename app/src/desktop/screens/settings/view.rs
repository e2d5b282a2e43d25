//! Draws the settings screen.

use egui::{Grid, RichText, Ui};
use lucide_icons::Icon;

use super::asking::asking_ui;
use super::form::{Field, Flag};
use super::kept::kept_ui;
use super::logs::logs_ui;
use super::look::look_ui;
use super::money::money_ui;
use super::state::{Action, FromFile, Section, Settings};
use super::thresholds::thresholds_ui;
use super::words;
use crate::desktop::command::{Command, Commands, shortcut};
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::{
    Banner, Button, FIELD_LABEL, Tone, busy_ui, card_ui, checkbox_ui, checked_field_ui, column_ui, copy_ui,
    field_ui, headed_ui, heading, mark_ui, name, note_ui, one_line_ui, scroll_ui, small, soft, tabs_ui,
    title_ui,
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
            Load::Ready(file) => words::saved_in(&file.path),
            Load::Busy | Load::Failed(_) => words::SAVED_THERE.to_owned(),
        };
        title_ui(ui, words::TITLE, &subtitle, |ui| save_ui(ui, settings, commands));
        ui.add_space(space::S);
        let narrow = ui.available_width() < ROOMY;
        let tabs = words::SECTIONS.map(|(section, word)| {
            (section, if narrow && section == Section::Privacy { words::PRIVACY } else { word })
        });
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
            Load::Busy => busy_ui(ui, words::READING_SETTINGS),
            Load::Failed(why) => failed_ui(ui, why, commands),
            Load::Ready(file) => match settings.section {
                Section::Asking => scroll_ui(ui, "asking", |ui| asking_ui(ui, settings, commands)),
                Section::Providing => {
                    scroll_ui(ui, "providing", |ui| providing_ui(ui, settings, commands));
                }
                Section::Money => money_ui(ui, state, commands),
                Section::Privacy => {
                    scroll_ui(ui, "privacy", |ui| privacy_ui(ui, settings, file, commands));
                }
                Section::Relays
                | Section::Appearance
                | Section::Diagnostics
                | Section::Logs
                | Section::Thresholds => scroll_ui(ui, "relays", |ui| relays_ui(ui, settings, commands)),
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
    let word = if settings.saving { words::SAVING } else { words::SAVE };
    let save = Command::Settings(Action::Save);
    let mut button = Button::primary(word).icon(Icon::Save).enabled(settings.can_save());
    if let Some(problem) = &problem {
        button = button.hint(problem);
    } else if !changed {
        button = button.hint(words::UNCHANGED);
    } else {
        button = button.shortcut(shortcut(&save));
    }
    button.show(ui, commands, save);
    let undo = Button::new(words::DISCARD);
    let undo = if narrow { undo.icon_only(Icon::Undo2) } else { undo.icon(Icon::Undo2) };
    commands.push_if(changed && ui.add(undo).clicked(), Action::Reload);
}

fn outcome_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    if let Some(problem) = settings.draft.problem() {
        Banner { tone: Tone::Warn, what: words::CANNOT_SAVE, safe: &problem }.show(ui, |_| {});
    }
    match &settings.outcome {
        None => {}
        Some(Ok(())) => drop(mark_ui(ui, Tone::Good, Icon::CircleCheck, words::SAVED)),
        Some(Err(why)) => {
            let banner = Banner { tone: Tone::Bad, what: words::NOT_SAVED, safe: why };
            banner.retry(ui, commands, words::TRY_AGAIN, Action::Save);
        }
    }
}

fn failed_ui(ui: &mut Ui, why: &str, commands: &mut Commands) {
    let banner = Banner { tone: Tone::Bad, what: words::UNUSABLE, safe: &words::unusable(why) };
    banner.retry(ui, commands, words::READ_AGAIN, Action::Reload);
}

fn relays_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::RELAYS, words::RELAYS_ABOUT);
        ui.add_space(space::S);
        if settings.draft.relays.is_empty() {
            ui.label(name(words::NO_RELAY));
        }
        for (position, relay) in settings.draft.relays.iter().enumerate() {
            ui.horizontal(|ui| {
                let shown = frlm_client::protocol::printable(relay);
                let remove = words::remove(&shown);
                Button::quiet(&remove).icon_only(Icon::X).show(ui, commands, Action::RemoveRelay(position));
                one_line_ui(ui, RichText::new(shown).monospace());
            });
        }
        ui.add_space(space::S);
        ui.horizontal(|ui| {
            let typed = field_ui(ui, words::RELAY, &settings.relay, words::RELAY_EXAMPLE, 520.0);
            commands.extend(typed.map(Action::Relay));
            ui.vertical(|ui| {
                ui.add_space(FIELD_LABEL);
                let given = !settings.relay.trim().is_empty();
                Button::new(words::ADD).icon(Icon::Plus).enabled(given).show(ui, commands, Action::AddRelay);
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
                let (label, hint) = words::field(*field);
                let text = settings.draft.text(*field);
                let problem = field.setting(text).err();
                let typed = checked_field_ui(ui, label, text, hint, width, problem.as_deref());
                commands.extend(typed.map(|text| Action::Type(*field, text)));
            }
        });
    }
}

/// A box with the words of its setting.
pub fn flag_ui(ui: &mut Ui, settings: &Settings, flag: Flag, commands: &mut Commands) {
    let set = checkbox_ui(ui, words::flag(flag), settings.draft.flag(flag));
    commands.extend(set.map(|set| Action::Set(flag, set)));
}

/// Names as they are typed or lie in a folder, each with what it is.
pub fn named_ui(ui: &mut Ui, id: &str, named: &[(&str, &str)]) {
    Grid::new(id).num_columns(2).min_row_height(LINE).spacing([space::L, space::S]).show(ui, |ui| {
        for (name, what) in named {
            ui.label(RichText::new(*name).monospace());
            one_line_ui(ui, soft(ui, what));
            ui.end_row();
        }
    });
}

fn providing_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::PROVIDING_DEFAULTS, words::PROVIDING_ABOUT);
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
fn identity_ui(ui: &mut Ui, settings: &Settings, file: &FromFile, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::IDENTITY));
        match &file.identity {
            None => drop(ui.label(soft(ui, words::NO_IDENTITY))),
            Some(npub) => {
                ui.horizontal(|ui| {
                    let copy = Button::quiet(words::COPY_KEY).icon_only(Icon::Copy);
                    copy_ui(ui, copy, npub, || npub.clone());
                    one_line_ui(ui, RichText::new(npub).monospace());
                });
                ui.label(soft(ui, words::PROVIDER_KEY));
            }
        }
        ui.label(soft(ui, words::ASKER_KEY));
        flag_ui(ui, settings, Flag::Certificate, commands);
    });
    ui.add_space(space::S);
}

fn privacy_ui(ui: &mut Ui, settings: &Settings, file: &FromFile, commands: &mut Commands) {
    identity_ui(ui, settings, file, commands);
    card_ui(ui, |ui| {
        ui.label(heading(words::LEAVES));
        let relays = match settings.draft.relays.as_slice() {
            [] => words::LEAVES_NOTHING.to_owned(),
            relays => words::leaves(&relays.join(", ")),
        };
        ui.label(relays);
        flag_ui(ui, settings, Flag::Local, commands);
    });
    ui.add_space(space::S);
    kept_ui(ui, &file.home);
}

fn diagnostics_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::HEALTH_CHECK, words::HEALTH_ABOUT);
        ui.add_space(space::XS);
        let word = if settings.checking { words::CHECKING } else { words::CHECK_NOW };
        let button = Button::primary(word).icon(Icon::Stethoscope).enabled(!settings.checking);
        button.show(ui, commands, Action::Diagnose);
        ui.add_space(space::S);
        for check in &settings.checks {
            check_ui(ui, check);
        }
        let failed = settings.checks.iter().filter(|check| check.outcome.is_err()).count();
        if !settings.checking && !settings.checks.is_empty() {
            let found = words::checks_failed(failed);
            ui.label(small(ui, if failed == 0 { words::ALL_WELL } else { &found }));
        }
    });
}

/// A check; what failed names its fix, which is never cut off.
fn check_ui(ui: &mut Ui, check: &Check) {
    ui.spacing_mut().interact_size.y = LINE;
    ui.horizontal_top(|ui| {
        let (tone, icon, word, found) = match &check.outcome {
            Ok(found) => (Tone::Good, Icon::CircleCheck, words::CHECK_OK, found),
            Err(problem) => (Tone::Bad, Icon::CircleX, words::CHECK_FAILED, problem),
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
