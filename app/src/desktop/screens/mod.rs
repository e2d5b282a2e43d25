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
pub mod words;

use egui::{Key, Ui};
use lucide_icons::Icon;

use super::command::Commands;
use super::state::State;

/// The screens in the order of the navigation: name, icon, the key that opens it with Ctrl, and what draws it.
macro_rules! screens {
    ($($(#[$about:meta])* $name:ident $icon:ident $key:ident $draw:path;)*) => {
        /// A screen.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum Screen {
            $($(#[$about])* $name,)*
        }

        impl Screen {
            /// All of them, in the order of the navigation; Ctrl+1 opens the first.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }

            /// Its icon in the navigation.
            pub fn icon(self) -> Icon {
                match self {
                    $(Self::$name => Icon::$icon,)*
                }
            }

            /// The key that opens it, with Ctrl.
            pub fn key(self) -> Key {
                match self {
                    $(Self::$name => Key::$key,)*
                }
            }

            /// Draws it.
            pub fn ui(self, ui: &mut Ui, state: &State, commands: &mut Commands) {
                match self {
                    $(Self::$name => $draw(ui, state, commands),)*
                }
            }
        }
    };
}

// There are more screens than digits: the last two have the keys that other programs have for what is alike.
screens! {
    /// What can be done here.
    #[default]
    Start House Num1 start::start_ui;
    /// Documents, a question, a budget.
    Ask MessageCircleQuestionMark Num2 ask::ask_ui;
    /// The swarm at work.
    Run Activity Num3 run::run_ui;
    /// The answer and its sources.
    Answer BookOpenCheck Num4 answer::answer_ui;
    /// Every recorded run.
    Runs History Num5 runs::runs_ui;
    /// Who can be asked.
    Providers Users Num6 providers::providers_ui;
    /// What this machine can run.
    Models Cpu Num7 models::models_ui;
    /// This machine as a provider.
    Earn HandCoins Num8 earn::earn_ui;
    /// What the ledger knows.
    Wallet Wallet Num9 wallet::wallet_ui;
    /// What routing has learned.
    Learning GraduationCap L learning::learning_ui;
    /// What is set, diagnostics, logs.
    Settings Settings Comma settings::settings_ui;
}
