//! Draws the models screen.

use egui::{Align, Layout, Margin, Response, ScrollArea, TextEdit, Ui};
use lucide_icons::Icon;

use super::download::download_ui;
use super::state::{Action, Models, Opened, Turn, Use};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{
    Banner, Button, FIELD_LABEL, Tone, badge_ui, busy_ui, card_ui, field_ui, headed_ui, heading, mark_ui,
    name, note_ui, one_line_ui, screen_ui, small, soft, well_ui,
};
use frlm_client::model_catalog::{Catalog, CatalogEntry, Fit, Place};

/// How high the chat gets.
const CHAT: f32 = 300.0;
/// The longest message, in characters.
const LONGEST_PROMPT: usize = 20_000;

pub fn models_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let models = &state.models;
    let push = &mut Commands::default();
    screen_ui(
        ui,
        (words::TITLE, words::SUBTITLE),
        space::L,
        |ui| {
            // Where they cannot be looked up, what is said about it has the button.
            let unread = matches!(models.found, Load::Failed(_));
            if !unread && ui.add(Button::new(words::REFRESH).icon(Icon::RefreshCw)).clicked() {
                push.push(Action::Reload);
            }
        },
        |ui| {
            match &models.found {
                Load::Busy => busy_ui(ui, words::LOOKING),
                Load::Failed(why) => {
                    let (what, safe) = (words::UNLISTED, words::unlisted(why));
                    Banner { tone: Tone::Bad, what, safe: &safe }.show_last(ui, |ui| {
                        Button::new(words::TRY_AGAIN).icon(Icon::RotateCcw).show(
                            ui,
                            commands,
                            Action::Reload,
                        );
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

fn found_ui(ui: &mut Ui, found: &Catalog, models: &Models, commands: &mut Commands) {
    for entry in &found.entries {
        entry_ui(ui, entry, found, models, commands);
    }
    if found.entries.iter().all(|entry| entry.place == Place::Inside) {
        note_ui(ui, Tone::Plain, Icon::Info, words::NO_OWN);
    }
    ui.label(soft(ui, &words::listed_from(&found.folder)));
}

fn entry_ui(ui: &mut Ui, entry: &CatalogEntry, found: &Catalog, models: &Models, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(heading(&entry.name));
            fit_ui(ui, entry, found.free_bytes);
            if found.own.as_ref() == Some(&entry.spec) {
                badge_ui(ui, Tone::Accent, Icon::User, words::FOR_QUESTIONS);
            }
            if found.served.as_ref() == Some(&entry.spec) {
                badge_ui(ui, Tone::Accent, Icon::HandCoins, words::FOR_EARNING);
            }
        });
        if entry.place != Place::Inside {
            one_line_ui(ui, egui::RichText::new(&entry.spec).monospace());
        }
        let mut about = entry.about.clone();
        if let Some(weights) = entry.weights_bytes {
            let fit = Fit::of(weights, found.free_bytes);
            let why = fit.why(weights, found.free_bytes);
            about = if about.is_empty() { why } else { words::about(&about, &why) };
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

fn fit_ui(ui: &mut Ui, entry: &CatalogEntry, free_bytes: Option<u64>) {
    if entry.problem.is_some() {
        badge_ui(ui, Tone::Bad, Icon::CircleX, words::UNUSABLE);
        return;
    }
    match (entry.place, entry.weights_bytes) {
        (Place::Inside, _) => drop(badge_ui(ui, Tone::Good, Icon::Package, words::BUILT_IN)),
        (Place::Endpoint, _) => drop(badge_ui(ui, Tone::Plain, Icon::Globe, words::ENDPOINT)),
        (Place::File, Some(weights)) => {
            let fit = Fit::of(weights, free_bytes);
            badge_ui(ui, tone(fit), tone(fit).icon(), fit.word());
        }
        (Place::File, None) => drop(badge_ui(ui, Tone::Plain, Icon::Folder, words::FOLDER)),
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

fn uses_ui(ui: &mut Ui, entry: &CatalogEntry, found: &Catalog, models: &Models, commands: &mut Commands) {
    let usable = entry.problem.is_none();
    ui.horizontal_wrapped(|ui| {
        let opening = models.opened == Opened::Busy(entry.spec.clone());
        let try_it = words::try_it(&entry.name);
        let button = Button::new(&try_it).icon(Icon::MessageSquare).enabled(usable && !opening);
        button.show(ui, commands, Action::Open(entry.spec.clone()));
        let questions = [words::USE_FOR_QUESTIONS, words::STOP_FOR_QUESTIONS];
        let earning = [words::USE_FOR_EARNING, words::STOP_FOR_EARNING];
        let uses = [
            (Use::Own, &found.own, questions, words::QUESTIONS_HINT),
            (Use::Served, &found.served, earning, words::EARNING_HINT),
        ];
        for (what, current, [start, stop], hint) in uses {
            let is_it = current.as_ref() == Some(&entry.spec);
            let spec = (!is_it).then(|| entry.spec.clone());
            let button = Button::quiet(if is_it { stop } else { start }).hint(hint).enabled(usable || is_it);
            button.show(ui, commands, Action::Use(what, spec));
        }
    });
}

fn another_ui(ui: &mut Ui, models: &Models, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::OTHER, words::OTHER_ABOUT);
        ui.add_space(space::XS);
        ui.horizontal(|ui| {
            let width = (ui.available_width() - 280.0).max(200.0);
            let typed = field_ui(ui, words::ADDRESS, &models.address, words::ADDRESS_EXAMPLE, width);
            commands.extend(typed.map(Action::Address));
            ui.vertical(|ui| {
                ui.add_space(FIELD_LABEL);
                ui.horizontal(|ui| {
                    Button::new(words::BROWSE).icon(Icon::FolderOpen).show(ui, commands, Action::Browse);
                    let given = !models.address.trim().is_empty();
                    let button = Button::new(words::OPEN).icon(Icon::MessageSquare).enabled(given);
                    button.show(ui, commands, Action::Open(models.address.trim().to_owned()));
                });
            });
        });
    });
}

fn try_ui(ui: &mut Ui, models: &Models, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::CHAT));
        match &models.opened {
            Opened::Nothing => drop(ui.label(soft(ui, words::CHAT_ABOUT))),
            Opened::Busy(spec) => {
                note_ui(ui, Tone::Busy, Icon::LoaderCircle, &words::opening(spec));
                Button::new(words::CANCEL).icon(Icon::X).show(ui, commands, Action::Close);
            }
            Opened::Failed { spec, why } => {
                let what = words::not_opened(spec);
                Banner { tone: Tone::Bad, what: &what, safe: why }.show_last(ui, |ui| {
                    let button = Button::new(words::TRY_AGAIN).icon(Icon::RotateCcw);
                    button.show(ui, commands, Action::Open(spec.clone()));
                });
            }
            Opened::Ready { spec, info } => {
                let format = info.quantisation.as_deref().map(words::format).unwrap_or_default();
                ui.horizontal(|ui| {
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        Button::quiet(words::CLOSE).icon(Icon::X).show(ui, commands, Action::Close);
                        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                            mark_ui(ui, Tone::Good, Icon::CircleCheck, &info.name).on_hover_text(spec);
                            one_line_ui(ui, soft(ui, &words::opened(info, &format)));
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
    let label = ui.label(small(ui, words::MESSAGE));
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
        let send = Button::primary(words::SEND).icon(Icon::Send).enabled(models.can_send());
        send.show(ui, commands, Action::Send);
        let stop = Button::new(words::STOP).icon(Icon::Square).enabled(models.answering);
        stop.show(ui, commands, Action::Stop);
    });
}

fn turn_ui(ui: &mut Ui, turn: &Turn, writing: bool) {
    ui.label(small(ui, if turn.mine { words::YOU } else { words::THE_MODEL }));
    if turn.mine {
        ui.label(name(&turn.text));
    } else {
        well_ui(ui, |ui| {
            if !turn.text.is_empty() {
                ui.label(&turn.text);
            }
            if writing {
                busy_ui(ui, words::WRITING);
            }
            if let Some(problem) = &turn.problem {
                note_ui(ui, Tone::Warn, Icon::TriangleAlert, problem);
            }
            if let Some(speed) = &turn.speed {
                ui.label(soft(ui, &words::speed(speed)));
            }
        });
    }
    ui.add_space(space::XS);
}
