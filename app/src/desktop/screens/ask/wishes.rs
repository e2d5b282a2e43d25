//! Who asks, on the form: behind one line, for most questions need none of it.

use egui::{Label, Ui};
use lucide_icons::Icon;

use super::state::{Action, Ask};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{Button, checkbox_ui, field_ui, one_line_ui, small, soft, tabs_ui};
use frlm_client::failure::Failure;
use frlm_client::run::RunSpec;

/// A choice by its name on the command line; empty: as in the settings.
type Choice = &'static str;

/// What is wished of the answer; what is empty the settings say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Whether it is shown.
    pub open: bool,
    /// "German".
    pub language: String,
    /// How much is said, and how.
    pub style: Choice,
    /// What the reader knows of the matter.
    pub expertise: Choice,
    /// With commas between them.
    pub interests: String,
    /// How much time matters.
    pub priority: Choice,
    /// Seconds until the run gives up, as typed.
    pub timeout: String,
    /// Whether parts are read whose claims earlier runs have verified.
    pub fresh: bool,
}

/// One of them, changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Shows them, or not.
    Open(bool),
    /// As typed.
    Language(String),
    /// As chosen.
    Style(Choice),
    /// As chosen.
    Expertise(Choice),
    /// As typed.
    Interests(String),
    /// As chosen.
    Priority(Choice),
    /// As typed.
    Timeout(String),
    /// Reads them, or not.
    Fresh(bool),
}

/// The answered run that a question follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// Its id.
    pub run: String,
    /// What it was asked.
    pub question: String,
}

impl Wishes {
    /// Changes one.
    pub fn set(&mut self, wish: &Wish) {
        match wish {
            Wish::Open(open) => self.open = *open,
            Wish::Language(text) => self.language.clone_from(text),
            Wish::Style(choice) => self.style = *choice,
            Wish::Expertise(choice) => self.expertise = *choice,
            Wish::Interests(text) => self.interests.clone_from(text),
            Wish::Priority(choice) => self.priority = *choice,
            Wish::Timeout(text) => self.timeout.clone_from(text),
            Wish::Fresh(fresh) => self.fresh = *fresh,
        }
    }

    /// The flags that say the same; whether they make sense is looked at with all others.
    pub fn put_into(&self, spec: &mut RunSpec) -> Result<(), Failure> {
        spec.language = said(&self.language);
        spec.style = said(self.style);
        spec.expertise = said(self.expertise);
        spec.interests = self.interests.split(',').filter_map(said).collect();
        spec.priority = said(self.priority);
        spec.fresh = self.fresh;
        spec.timeout = match said(&self.timeout) {
            None => None,
            Some(text) => Some(text.parse().map_err(|_| Failure::usage(words::not_a_time(&text)))?),
        };
        Ok(())
    }

    /// What is wished, in a line.
    pub fn in_words(&self) -> String {
        let mut wishes: Vec<String> = said(&self.language).into_iter().collect();
        wishes.extend(said(self.style));
        wishes.extend(said(self.expertise).map(|level| words::for_level(&level)));
        wishes.extend(said(&self.interests).map(|interests| words::interested(&interests)));
        wishes.extend(said(self.priority).map(|priority| words::of_priority(&priority)));
        wishes.extend(said(&self.timeout).map(|seconds| words::stop_after(&seconds)));
        wishes.extend(self.fresh.then(|| words::IS_FRESH.to_owned()));
        if wishes.is_empty() { words::OPTIONS_EMPTY.to_owned() } else { wishes.join(", ") }
    }
}

fn said(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

pub fn wishes_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    let wishes = &ask.wishes;
    let mut wish = None;
    ui.vertical(|ui| {
        let icon = if wishes.open { Icon::ChevronDown } else { Icon::ChevronRight };
        ui.horizontal(|ui| {
            if ui.add(Button::quiet(words::OPTIONS).icon(icon)).clicked() {
                wish = Some(Wish::Open(!wishes.open));
            }
            if !wishes.open {
                ui.add(Label::new(soft(ui, &wishes.in_words())).truncate());
            }
        });
        if !wishes.open {
            return;
        }
        ui.label(soft(ui, words::OPTIONS_ABOUT));
        ui.add_space(space::S);
        let width = (ui.available_width() - space::L) / 2.0;
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::L;
            if let Some(text) =
                field_ui(ui, words::LANGUAGE, &wishes.language, words::LANGUAGE_EXAMPLE, width)
            {
                wish = Some(Wish::Language(text));
            }
            if let Some(text) =
                field_ui(ui, words::INTERESTS, &wishes.interests, words::INTERESTS_EXAMPLE, width)
            {
                wish = Some(Wish::Interests(text));
            }
        });
        if let Some(choice) = choice_ui(ui, words::STYLE, &words::STYLES, wishes.style) {
            wish = Some(Wish::Style(choice));
        }
        if let Some(choice) = choice_ui(ui, words::EXPERTISE, &words::EXPERTISES, wishes.expertise) {
            wish = Some(Wish::Expertise(choice));
        }
        if let Some(choice) = choice_ui(ui, words::PRIORITY, &words::PRIORITIES, wishes.priority) {
            wish = Some(Wish::Priority(choice));
        }
        if let Some(text) = field_ui(ui, words::TIME_LIMIT, &wishes.timeout, "300", width) {
            wish = Some(Wish::Timeout(text));
        }
        if let Some(fresh) = checkbox_ui(ui, words::FRESH, wishes.fresh) {
            wish = Some(Wish::Fresh(fresh));
        }
    });
    commands.extend(wish.map(Action::Wish));
}

fn choice_ui(ui: &mut Ui, label: &str, choices: &[(Choice, &str)], chosen: Choice) -> Option<Choice> {
    ui.add_space(space::XS);
    ui.label(small(ui, label));
    // Alternatives of different rows have the same words.
    ui.push_id(label, |ui| tabs_ui(ui, choices, chosen)).inner
}

/// Which run the question follows, and a way out of it.
pub fn followed_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    let Some(followed) = &ask.follows else { return };
    ui.horizontal(|ui| {
        let question = frlm_client::protocol::printable(&followed.question).into_owned();
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            Button::quiet(words::ASK_SEPARATELY).icon_only(Icon::X).show(ui, commands, Action::Follow(None));
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                let follows = soft(ui, &words::follows(&question));
                one_line_ui(ui, follows).on_hover_text(words::FOLLOWS_HINT);
            });
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wished_becomes_flags_and_what_is_not_is_left_to_the_settings() {
        let mut wishes = Wishes::default();
        for wish in [
            Wish::Language(" German ".to_owned()),
            Wish::Style("concise"),
            Wish::Interests("prices, , delays".to_owned()),
            Wish::Timeout("60".to_owned()),
            Wish::Fresh(true),
        ] {
            wishes.set(&wish);
        }
        let mut spec = RunSpec::over("Why?".to_owned(), Vec::new());
        wishes.put_into(&mut spec).unwrap();
        assert_eq!((spec.language.as_deref(), spec.style.as_deref()), (Some("German"), Some("concise")));
        assert_eq!((spec.interests.len(), spec.timeout), (2, Some(60)));
        assert!(spec.expertise.is_none() && spec.priority.is_none() && spec.fresh);
        assert!(wishes.in_words().ends_with("everything read again"), "{}", wishes.in_words());
        wishes.set(&Wish::Timeout("soon".to_owned()));
        assert!(wishes.put_into(&mut spec).unwrap_err().to_string().contains("give seconds"));
    }
}
