//! One folder per screen. README.md in `desktop/` says how a screen is added.

pub mod answer;
pub mod ask;
pub mod run;
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
    /// Documents, a question, a cap.
    Ask,
    /// The swarm at work.
    Run,
    /// The answer and its sources.
    Answer,
}

impl Screen {
    /// All of them, in the order of the navigation; Ctrl+1 opens the first.
    pub const ALL: &[Self] = &[Self::Start, Self::Ask, Self::Run, Self::Answer];

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::Ask => "Ask",
            Self::Run => "Run",
            Self::Answer => "Answer",
        }
    }

    /// Its icon in the navigation.
    pub fn icon(self) -> Icon {
        match self {
            Self::Start => Icon::House,
            Self::Ask => Icon::MessageCircleQuestionMark,
            Self::Run => Icon::Activity,
            Self::Answer => Icon::BookOpenCheck,
        }
    }

    /// Draws it.
    pub fn ui(self, ui: &mut Ui, state: &State, commands: &mut Commands) {
        match self {
            Self::Start => start::start_ui(ui, state, commands),
            Self::Ask => ask::ask_ui(ui, state, commands),
            Self::Run => run::run_ui(ui, state, commands),
            Self::Answer => answer::answer_ui(ui, state, commands),
        }
    }
}
