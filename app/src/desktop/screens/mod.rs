//! One folder per screen. README.md in `desktop/` says how a screen is added.

/// What a screen says, as a table: a constant, or a function where parts of the sentence are given. Each screen has its
/// table in `words.rs`.
macro_rules! words {
    ($($name:ident $(($($given:ident: $type:ty),*))? = $text:literal $(, $part:expr)*;)*) => {
        $(words!(@one $name $(($($given: $type),*))? = $text $(, $part)*);)*
    };
    (@one $name:ident = $text:literal) => {
        pub const $name: &str = $text;
    };
    (@one $name:ident($($given:ident: $type:ty),*) = $text:literal $(, $part:expr)*) => {
        pub fn $name($($given: $type),*) -> String {
            format!($text $(, $part)*)
        }
    };
}

pub mod answer;
pub mod ask;
pub mod earn;
pub mod known;
pub mod learning;
pub mod load;
pub mod models;
pub mod providers;
pub mod run;
pub mod runs;
pub mod settings;
pub mod start;
pub mod wallet;

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
    /// Documents, a question, a budget.
    Ask,
    /// The swarm at work.
    Run,
    /// The answer and its sources.
    Answer,
    /// Every recorded run.
    Runs,
    /// Who can be asked.
    Providers,
    /// What this machine can run.
    Models,
    /// This machine as a provider.
    Earn,
    /// What the ledger knows.
    Wallet,
    /// What routing has learned.
    Learning,
    /// What is set, diagnostics, logs.
    Settings,
}

impl Screen {
    /// All of them, in the order of the navigation; Ctrl+1 opens the first.
    pub const ALL: &[Self] = &[
        Self::Start,
        Self::Ask,
        Self::Run,
        Self::Answer,
        Self::Runs,
        Self::Providers,
        Self::Models,
        Self::Earn,
        Self::Wallet,
        Self::Learning,
        Self::Settings,
    ];

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::Ask => "Ask",
            Self::Run => "Run",
            Self::Answer => "Answer",
            Self::Runs => "Runs",
            Self::Providers => "Providers",
            Self::Models => "Models",
            Self::Earn => "Earn",
            Self::Wallet => "Wallet",
            Self::Learning => "Learning",
            Self::Settings => "Settings",
        }
    }

    /// Its icon in the navigation.
    pub fn icon(self) -> Icon {
        match self {
            Self::Start => Icon::House,
            Self::Ask => Icon::MessageCircleQuestionMark,
            Self::Run => Icon::Activity,
            Self::Answer => Icon::BookOpenCheck,
            Self::Runs => Icon::History,
            Self::Providers => Icon::Users,
            Self::Models => Icon::Cpu,
            Self::Earn => Icon::HandCoins,
            Self::Wallet => Icon::Wallet,
            Self::Learning => Icon::GraduationCap,
            Self::Settings => Icon::Settings,
        }
    }

    /// Draws it.
    pub fn ui(self, ui: &mut Ui, state: &State, commands: &mut Commands) {
        match self {
            Self::Start => start::start_ui(ui, state, commands),
            Self::Ask => ask::ask_ui(ui, state, commands),
            Self::Run => run::run_ui(ui, state, commands),
            Self::Answer => answer::answer_ui(ui, state, commands),
            Self::Runs => runs::runs_ui(ui, state, commands),
            Self::Providers => providers::providers_ui(ui, state, commands),
            Self::Models => models::models_ui(ui, state, commands),
            Self::Earn => earn::earn_ui(ui, state, commands),
            Self::Wallet => wallet::wallet_ui(ui, state, commands),
            Self::Learning => learning::learning_ui(ui, state, commands),
            Self::Settings => settings::settings_ui(ui, state, commands),
        }
    }
}
