//! One folder per screen. README.md in `desktop/` says how a screen is added.

pub mod start;

use egui::Ui;
use lucide_icons::Icon;

use super::command::Commands;
use super::state::State;

/// The screens, in the order of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Screen {
    /// What can be done here.
    #[default]
    Start,
}

impl Screen {
    /// All of them, in the order of the navigation; Ctrl+1 opens the first.
    pub const ALL: &[Self] = &[Self::Start];

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Start => "Start",
        }
    }

    /// Its icon in the navigation.
    pub fn icon(self) -> Icon {
        match self {
            Self::Start => Icon::House,
        }
    }

    /// Draws it.
    pub fn ui(self, ui: &mut Ui, state: &State, commands: &mut Commands) {
        match self {
            Self::Start => start::start_ui(ui, state, commands),
        }
    }
}
