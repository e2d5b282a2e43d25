//! Draws the models screen.

use egui::{Align, Layout, Margin, Response, ScrollArea, TextEdit, Ui};
use lucide_icons::Icon;

use super::download::download_ui;
use super::state::{Action, Models, Opened, Speed, Turn, Use};
use crate::desktop::command::Commands;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::lasting;
use crate::desktop::widgets::{
    Banner, Button, FIELD_LABEL, Tone, badge_ui, card_ui, field_ui, heading, mark_ui, name, note_ui,
    one_line_ui, screen_ui, small, soft, thousands, well_ui,
};
use frlm_client::model_catalog::{Entry, Fit, Found, Place};

/// How high the chat gets.
const CHAT: f32 = 300.0;
/// The longest message, in characters.
const LONGEST_PROMPT: usize = 20_000;

pub fn models_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let models = &state.models;
    let subtitle =
        "Your own model writes answers in words, answers when no provider is online, and can earn.";
    let push = &mut Commands::default();
    screen_ui(
        ui,
        ("Models", subtitle),
        space::L,
        |ui| {
            // Where they cannot be looked up, what is said about it has the button.
            let unread = matches!(models.found, Load::Failed(_));
            if !unread && ui.add(Button::new("Refresh").icon(Icon::RefreshCw)).clicked() {
                push.push(Action::Reload);
            }
        },
        |ui| {
            match &models.found {
                Load::Busy => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Looking for models…")),
                Load::Failed(why) => {
                    let safe = format!("{why}. No model was opened.");
                    let what = "The models cannot be listed";
                    Banner { tone: Tone::Bad, what, safe: &safe }.show_last(ui, |ui| {
                        Button::new("Try again").icon(Icon::RotateCcw).show(ui, commands, Action::Reload);
                    });
                }
                Load::Ready(found) => found_ui(ui, found, models, commands),
            }
            ui.add_space(space::L);
            another_ui(ui, models, commands);
            ui.add_space(space::L);
            download_ui(ui, &models.download, commands);
            ui.add_space(space::L);
            let tried = ui.scope(|ui| try_ui(ui, models, commands)).response;
            keep_in_sight(ui, models, &tried);
        },
    );
    commands.extend(push.take());
}

/// What is tried lies below all models, and is pressed for beside any of them: the page goes there when one is opened,
/// and once it is open where nobody has left that place meanwhile.
fn keep_in_sight(ui: &Ui, models: &Models, tried: &Response) {
    let opening = matches!(models.opened, Opened::Busy(_));
    let seen = ui.scope_id().with("a model is opening");
    let was_opening = ui.data_mut(|data| std::mem::replace(data.get_temp_mut_or_default(seen), opening));
    if opening != was_opening && (opening || ui.is_rect_visible(tried.rect)) {
        tried.scroll_to_me(None);
    }
}

fn found_ui(ui: &mut Ui, found: &Found, models: &Models, commands: &mut Commands) {
    for entry in &found.entries {
        entry_ui(ui, entry, found, models, commands);
    }
    if found.entries.iter().all(|entry| entry.place == Place::Inside) {
        let words = "No model of your own yet. Open one below, or download one. It is then listed here, with \
                     whether it fits this machine's memory.";
        note_ui(ui, Tone::Plain, Icon::Info, words);
    }
    ui.label(soft(ui, &format!("GGUF files in {} are listed here.", found.folder)));
}

fn entry_ui(ui: &mut Ui, entry: &Entry, found: &Found, models: &Models, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(heading(&entry.name));
            fit_ui(ui, entry, found.free_bytes);
            if found.own.as_ref() == Some(&entry.spec) {
                badge_ui(ui, Tone::Accent, Icon::User, "for questions");
            }
            if found.served.as_ref() == Some(&entry.spec) {
                badge_ui(ui, Tone::Accent, Icon::HandCoins, "for earning");
            }
        });
        if entry.place != Place::Inside {
            one_line_ui(ui, egui::RichText::new(&entry.spec).monospace());
        }
        let mut about = entry.about.clone();
        if let Some(weights) = entry.weights_bytes {
            let fit = Fit::of(weights, found.free_bytes);
            let why = fit.why(weights, found.free_bytes);
            about = if about.is_empty() { why } else { format!("{about}; {why}") };
        }
        if let Some(problem) = &entry.problem {
            about.clone_from(problem);
        }
        ui.label(soft(ui, &about));
        ui.add_space(space::XS);
        uses_ui(ui, entry, found, models, commands);
    });
    ui.add_space(space::S);
}

fn fit_ui(ui: &mut Ui, entry: &Entry, free_bytes: Option<u64>) {
    if entry.problem.is_some() {
        badge_ui(ui, Tone::Bad, Icon::CircleX, "cannot be used");
        return;
    }
    match (entry.place, entry.weights_bytes) {
        (Place::Inside, _) => drop(badge_ui(ui, Tone::Good, Icon::Package, "built in")),
        (Place::Endpoint, _) => drop(badge_ui(ui, Tone::Plain, Icon::Globe, "endpoint")),
        (Place::File, Some(weights)) => {
            let fit = Fit::of(weights, free_bytes);
            badge_ui(ui, tone(fit), tone(fit).icon(), fit.word());
        }
        (Place::File, None) => drop(badge_ui(ui, Tone::Plain, Icon::Folder, "folder")),
    }
}

fn tone(fit: Fit) -> Tone {
    match fit {
        Fit::Yes => Tone::Good,
        Fit::Tight => Tone::Warn,
        Fit::No => Tone::Bad,
        Fit::Unknown => Tone::Plain,
    }
}

fn uses_ui(ui: &mut Ui, entry: &Entry, found: &Found, models: &Models, commands: &mut Commands) {
    let usable = entry.problem.is_none();
    ui.horizontal_wrapped(|ui| {
        let opening = models.opened == Opened::Busy(entry.spec.clone());
        let try_it = format!("Try {}", entry.name);
        let button = Button::new(&try_it).icon(Icon::MessageSquare).enabled(usable && !opening);
        button.show(ui, commands, Action::Open(entry.spec.clone()));
        let uses = [
            (Use::Own, &found.own, "my questions", "for answers in words, and when no provider is online"),
            (Use::Served, &found.served, "earning", "what Earn offers to others"),
        ];
        for (what, current, word, hint) in uses {
            let is_it = current.as_ref() == Some(&entry.spec);
            let words = format!("{} for {word}", if is_it { "Stop using" } else { "Use" });
            let spec = (!is_it).then(|| entry.spec.clone());
            let button = Button::quiet(&words).hint(hint).enabled(usable || is_it);
            button.show(ui, commands, Action::Use(what, spec));
        }
    });
}

fn another_ui(ui: &mut Ui, models: &Models, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Your own file or endpoint"));
        ui.label(soft(
            ui,
            "A GGUF file, a folder with safetensors, or an OpenAI-compatible endpoint. Put the endpoint's key \
             into an environment variable and add ?key_env=NAME before the #.",
        ));
        ui.add_space(space::XS);
        ui.horizontal(|ui| {
            let hint = "/models/qwen3-4b.gguf or http://127.0.0.1:8080/v1#qwen3-4b";
            let width = (ui.available_width() - 280.0).max(200.0);
            commands
                .extend(field_ui(ui, "Path or address", &models.address, hint, width).map(Action::Address));
            ui.vertical(|ui| {
                ui.add_space(FIELD_LABEL);
                ui.horizontal(|ui| {
                    Button::new("Browse").icon(Icon::FolderOpen).show(ui, commands, Action::Browse);
                    let given = !models.address.trim().is_empty();
                    let button = Button::new("Open").icon(Icon::MessageSquare).enabled(given);
                    button.show(ui, commands, Action::Open(models.address.trim().to_owned()));
                });
            });
        });
    });
}

fn try_ui(ui: &mut Ui, models: &Models, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Chat"));
        match &models.opened {
            Opened::Nothing => {
                ui.label(soft(ui, "Open a model to talk to it here. Nothing goes to a relay."));
            }
            Opened::Busy(spec) => {
                let words = format!("Opening {spec}… A large file takes minutes the first time it is read.");
                note_ui(ui, Tone::Busy, Icon::LoaderCircle, &words);
                Button::new("Cancel").icon(Icon::X).show(ui, commands, Action::Close);
            }
            Opened::Failed { spec, why } => {
                let what = format!("{spec} cannot be opened");
                Banner { tone: Tone::Bad, what: &what, safe: why }.show_last(ui, |ui| {
                    let button = Button::new("Try again").icon(Icon::RotateCcw);
                    button.show(ui, commands, Action::Open(spec.clone()));
                });
            }
            Opened::Ready { spec, info } => {
                let format =
                    info.quantisation.as_deref().map_or(String::new(), |format| format!("{format}, "));
                let words = format!(
                    "{format}{} tokens of context, {} at once, opened in {}",
                    thousands(info.context_tokens),
                    thousands(info.concurrency),
                    lasting(info.opening_ms)
                );
                ui.horizontal(|ui| {
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        Button::quiet("Close").icon(Icon::X).show(ui, commands, Action::Close);
                        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                            mark_ui(ui, Tone::Good, Icon::CircleCheck, &info.name).on_hover_text(spec);
                            one_line_ui(ui, soft(ui, &words));
                        });
                    });
                });
                chat_ui(ui, models, commands);
            }
        }
    });
}

fn chat_ui(ui: &mut Ui, models: &Models, commands: &mut Commands) {
    if !models.chat.is_empty() {
        // As high as it is worth, however little of the page is left: the page scrolls, too.
        let area = ScrollArea::vertical().id_salt("chat").max_height(CHAT).min_scrolled_height(CHAT);
        area.stick_to_bottom(true).show(ui, |ui| {
            for (position, turn) in models.chat.iter().enumerate() {
                let writing = models.answering && position + 1 == models.chat.len();
                turn_ui(ui, turn, writing);
            }
        });
    }
    let label = ui.label(small(ui, "Message"));
    let mut prompt = models.prompt.clone();
    let field = ui.add(
        TextEdit::multiline(&mut prompt)
            .id_salt("message")
            .desired_rows(2)
            .desired_width(f32::INFINITY)
            .char_limit(LONGEST_PROMPT)
            .margin(Margin::symmetric(12, 10)),
    );
    if field.labelled_by(label.id).changed() {
        commands.push(Action::Prompt(prompt));
    }
    ui.horizontal(|ui| {
        let send = Button::primary("Send").icon(Icon::Send).enabled(models.can_send());
        send.show(ui, commands, Action::Send);
        let stop = Button::new("Stop").icon(Icon::Square).enabled(models.answering);
        stop.show(ui, commands, Action::Stop);
    });
}

fn turn_ui(ui: &mut Ui, turn: &Turn, writing: bool) {
    ui.label(small(ui, if turn.mine { "You" } else { "The model" }));
    if turn.mine {
        ui.label(name(&turn.text));
    } else {
        well_ui(ui, |ui| {
            if !turn.text.is_empty() {
                ui.label(&turn.text);
            }
            if writing {
                mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Writing…");
            }
            if let Some(problem) = &turn.problem {
                note_ui(ui, Tone::Warn, Icon::TriangleAlert, problem);
            }
            if let Some(speed) = &turn.speed {
                ui.label(soft(ui, &speed_words(speed)));
            }
        });
    }
    ui.add_space(space::XS);
}

fn speed_words(speed: &Speed) -> String {
    let first = format!("first token after {}", lasting(speed.first_ms));
    let read = format!("{} tokens read, {} written", thousands(speed.prompt_tokens), thousands(speed.tokens));
    match speed.tokens_per_second() {
        Some(rate) => format!("{first}, then {rate:.1} tokens/s; {read}"),
        None => format!("{first}; {read}"),
    }
}
