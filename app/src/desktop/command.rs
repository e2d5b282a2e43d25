//! Everything that can be done, as one enum. Buttons, the palette (Ctrl+K), shortcuts and tooltips
//! all go through it; views never act, they push commands.

use std::sync::LazyLock;

use egui::gui_zoom::kb_shortcuts::{ZOOM_IN, ZOOM_OUT, ZOOM_RESET};
use egui::{Key, KeyboardShortcut, Modifiers, ThemePreference};
use lucide_icons::Icon;

use super::screens::{
    Screen, answer, ask, earn, known, learning, models, providers, run, runs, settings, wallet,
};
use super::state::State;
use frlm_client::local_swarm::Speaks;

/// Something to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Opens a screen.
    Go(Screen),
    /// For the window around the screens.
    Shell(Shell),
    /// Starts a relay and three providers on this machine.
    StartLocalSwarm(Speaks),
    /// Stops them.
    StopLocalSwarm,
    /// For the ask screen.
    Ask(ask::Action),
    /// For the run screen.
    Run(run::Action),
    /// For the answer screen.
    Answer(answer::Action),
    /// Looks again at what the open screen shows.
    Refresh,
    /// What this screen lists has changed on disk.
    Changed(Screen),
    /// For the runs screen.
    Runs(runs::Action),
    /// For the providers screen.
    Providers(providers::Action),
    /// For the models screen.
    Models(models::Action),
    /// For the earn screen.
    Earn(earn::Action),
    /// For the wallet screen.
    Wallet(wallet::Action),
    /// For the learning screen.
    Learning(learning::Action),
    /// For the known answers.
    Known(known::Action),
    /// For the settings screen.
    Settings(settings::Action),
    /// Goes on earning while the window is closed, or not.
    Background(bool),
}

/// What the window around the screens does, without the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum Shell {
    /// Opens or closes the palette.
    TogglePalette,
    /// What was typed into the palette.
    PaletteQuery(String),
    /// Moves the palette's choice.
    PaletteMove(i32),
    /// Light, dark, or as the system is.
    Theme(ThemePreference),
    /// How large everything is.
    Zoom(Zoom),
    /// Takes a notice away.
    DismissNotice(u64),
    /// Takes all of them away.
    DismissNotices,
    /// Takes the checklist on the start screen away for good.
    DismissChecklist,
    /// Brings it back.
    ShowChecklist,
    /// Brings the window back.
    Show,
    /// As [`Self::Quit`], from a tray: what is asked is asked in the window.
    QuitFromTray,
    /// Closes the app; asks first if something is under way.
    Quit,
    /// Closes the app: runs are paused, jobs finished or refused.
    QuitNow,
    /// Does not close the app after all.
    Stay,
}

/// What a view can push as it is, without naming the screen that it is for.
macro_rules! commands {
    ($($action:ty => $command:expr),* $(,)?) => {
        $(impl From<$action> for Command {
            fn from(action: $action) -> Self {
                let command: fn($action) -> Self = $command;
                command(action)
            }
        })*
    };
}

commands! {
    Screen => Self::Go,
    Shell => Self::Shell,
    ask::Action => Self::Ask,
    run::Action => Self::Run,
    answer::Action => Self::Answer,
    answer::table::Action => |action| Self::Answer(answer::Action::Table(action)),
    runs::Action => Self::Runs,
    providers::Action => Self::Providers,
    models::Action => Self::Models,
    models::Fetch => |action| Self::Models(models::Action::Download(action)),
    earn::Action => Self::Earn,
    wallet::Action => Self::Wallet,
    wallet::balance::Action => |action| Self::Wallet(wallet::Action::Balance(action)),
    learning::Action => Self::Learning,
    known::Action => Self::Known,
    settings::Action => Self::Settings,
}

/// How the size of everything changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zoom {
    /// A tenth larger.
    Bigger,
    /// A tenth smaller.
    Smaller,
    /// As the screen has it.
    Usual,
    /// So many percent of that.
    To(u16),
}

/// A command that is offered in the palette.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What to do.
    pub command: Command,
    /// In words: a verb first.
    pub title: String,
    /// Its icon.
    pub icon: Icon,
    /// The keys that do the same.
    pub shortcut: Option<KeyboardShortcut>,
}

/// Commands that a view pushed while it was drawn.
#[derive(Debug, Default)]
pub struct Commands(Vec<Command>);

impl Commands {
    /// Asks for something to be done after this frame.
    pub fn push(&mut self, command: impl Into<Command>) {
        self.0.push(command.into());
    }

    /// The same if something is so, such as a click.
    pub fn push_if(&mut self, is_wanted: bool, command: impl Into<Command>) {
        self.extend(is_wanted.then_some(command));
    }

    /// Asks for some things, in order.
    pub fn extend<C: Into<Command>>(&mut self, commands: impl IntoIterator<Item = C>) {
        self.0.extend(commands.into_iter().map(Into::into));
    }

    /// Takes what was asked for.
    pub fn take(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.0)
    }
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut entries = Vec::new();
    let mut add = |command, title: &str, icon, shortcut| {
        entries.push(Entry { command, title: title.to_owned(), icon, shortcut });
    };
    let ctrl = |key| Some(KeyboardShortcut::new(Modifiers::COMMAND, key));
    for screen in Screen::ALL.iter().copied() {
        let title = format!("Go to {}", screen.title());
        add(Command::Go(screen), &title, screen.icon(), ctrl(screen.key()));
    }
    add(Command::Shell(Shell::TogglePalette), "Find a command", Icon::Search, ctrl(Key::K));
    let plain = |key| Some(KeyboardShortcut::new(Modifiers::NONE, key));
    add(Command::Ask(ask::Action::Start), "Ask the swarm", Icon::Send, ctrl(Key::Enter));
    add(Command::Ask(ask::Action::Choose(false)), "Add files", Icon::FileText, ctrl(Key::O));
    add(Command::Ask(ask::Action::WantPaste), "Paste text as a document", Icon::ClipboardPaste, None);
    add(Command::Ask(ask::Action::Choose(true)), "Add a folder", Icon::Folder, None);
    let tried = |speaks| Command::Ask(ask::Action::Sample(speaks));
    add(tried(Speaks::Embedded), "Try the sample of records", Icon::Sparkles, None);
    add(tried(Speaks::Recording), "Try the sample of prose", Icon::Sparkles, None);
    add(Command::Run(run::Action::Pause), "Pause the run", Icon::Pause, plain(Key::Space));
    add(Command::Run(run::Action::GoOn(None)), "Resume the run", Icon::Play, None);
    let raise = Command::Run(run::Action::AskBudget(true));
    add(raise, "Raise the budget of the run", Icon::TrendingUp, None);
    add(Command::Run(run::Action::Accept), "Answer from the verified parts", Icon::Check, None);
    let replay = "Replay the run, or pause the replay";
    add(Command::Run(run::Action::Play), replay, Icon::CirclePlay, plain(Key::P));
    add(
        Command::Run(run::Action::Scrub(None)),
        "Back to the newest moment",
        Icon::SkipForward,
        plain(Key::Escape),
    );
    add(Command::Answer(answer::Action::FollowUp), "Ask a follow-up", Icon::CornerDownLeft, None);
    let save = |format| Command::Answer(answer::Action::Export(format));
    add(save(answer::Format::Markdown), "Save the answer as Markdown", Icon::Save, None);
    add(save(answer::Format::Json), "Save the answer as JSON", Icon::CodeXml, None);
    add(Command::Refresh, "Refresh", Icon::RefreshCw, plain(Key::F5));
    add(Command::Earn(earn::Action::Start), "Go online as a provider", Icon::Radio, None);
    add(Command::Earn(earn::Action::Stop), "Go offline as a provider", Icon::PowerOff, None);
    add(Command::Earn(earn::Action::Pause(15)), "Pause serving for 15 minutes", Icon::Pause, None);
    add(Command::Earn(earn::Action::Pause(60)), "Pause serving for an hour", Icon::Pause, None);
    add(Command::Background(true), "Keep earning when the window is closed", Icon::HandCoins, None);
    add(Command::Background(false), "Stop earning when the window is closed", Icon::PowerOff, None);
    let save = Command::Settings(settings::Action::Save);
    add(save, "Save the settings", Icon::Save, ctrl(Key::S));
    add(Command::Settings(settings::Action::Diagnose), "Run the health check", Icon::Stethoscope, None);
    add(Command::Wallet(wallet::Action::Audit), "Audit the wallet", Icon::Scale, None);
    add(Command::Known(known::Action::Open), "Show the known answers", Icon::BadgeCheck, None);
    for (speaks, title) in [
        (Speaks::Embedded, "Start the local swarm"),
        (Speaks::Recording, "Start the local swarm with a recording"),
        (Speaks::OwnModel, "Start the local swarm with your own model"),
    ] {
        add(Command::StartLocalSwarm(speaks), title, Icon::Network, None);
    }
    add(Command::StopLocalSwarm, "Stop the local swarm", Icon::PowerOff, None);
    add(Command::Shell(Shell::Theme(ThemePreference::Light)), "Use the light theme", Icon::Sun, None);
    add(Command::Shell(Shell::Theme(ThemePreference::Dark)), "Use the dark theme", Icon::Moon, None);
    add(
        Command::Shell(Shell::Theme(ThemePreference::System)),
        "Match the system's theme",
        Icon::Monitor,
        None,
    );
    // egui has these keys as well, and Ctrl = for those whose + needs Shift.
    add(Command::Shell(Shell::Zoom(Zoom::Bigger)), "Zoom in: everything bigger", Icon::ZoomIn, Some(ZOOM_IN));
    add(
        Command::Shell(Shell::Zoom(Zoom::Smaller)),
        "Zoom out: everything smaller",
        Icon::ZoomOut,
        Some(ZOOM_OUT),
    );
    add(Command::Shell(Shell::Zoom(Zoom::Usual)), "Zoom to 100%", Icon::Maximize, Some(ZOOM_RESET));
    for (section, word) in settings::SECTIONS {
        let open = Command::Settings(settings::Action::Open(section));
        add(open, &format!("Settings: {word}"), Screen::Settings.icon(), None);
    }
    for (tab, word) in wallet::TABS {
        let open = Command::Wallet(wallet::Action::Tab(tab));
        add(open, &format!("Wallet: {word}"), Screen::Wallet.icon(), None);
    }
    add(Command::Shell(Shell::ShowChecklist), "Show the setup checklist", Icon::ListChecks, None);
    add(Command::Shell(Shell::DismissNotices), "Dismiss all notices", Icon::BellOff, None);
    add(Command::Shell(Shell::Quit), "Quit", Icon::X, ctrl(Key::Q));
    entries
});

/// Everything that the palette offers, in its order.
pub fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// The keys for a command, for tooltips.
pub fn shortcut(command: &Command) -> Option<KeyboardShortcut> {
    entries().iter().find(|entry| entry.command == *command).and_then(|entry| entry.shortcut)
}

impl Command {
    /// The screen on which it can be seen what it does, if that is one; those that lead to theirs themselves have none.
    pub fn shows_on(&self) -> Option<Screen> {
        match self {
            Self::Ask(_) => Some(Screen::Ask),
            Self::Run(_) => Some(Screen::Run),
            Self::Runs(_) => Some(Screen::Runs),
            Self::Providers(_) => Some(Screen::Providers),
            Self::Models(_) => Some(Screen::Models),
            Self::Earn(_) | Self::Background(_) => Some(Screen::Earn),
            Self::Wallet(_) => Some(Screen::Wallet),
            Self::Learning(_) => Some(Screen::Learning),
            Self::Settings(_) => Some(Screen::Settings),
            Self::Shell(Shell::ShowChecklist) => Some(Screen::Start),
            Self::Go(_)
            | Self::Shell(_)
            | Self::StartLocalSwarm(_)
            | Self::StopLocalSwarm
            | Self::Answer(_)
            | Self::Refresh
            | Self::Changed(_)
            | Self::Known(_) => None,
        }
    }

    /// Whether the palette offers it. What its screen may still lack, that screen says: it is led to in any case.
    fn is_offered(&self, state: &State) -> bool {
        if *self == Self::Earn(earn::Action::Start) {
            // The offer is read when the screen is opened.
            return state.earn.can_start();
        }
        *self != Self::Shell(Shell::TogglePalette) && self.is_available(state)
    }

    /// Whether it makes sense now; what does not does nothing, and neither do its keys.
    pub fn is_available(&self, state: &State) -> bool {
        match self {
            Self::StartLocalSwarm(Speaks::OwnModel) => {
                let has_model = state.machine.as_ref().is_some_and(|machine| machine.model.is_some());
                state.swarm.can_start() && has_model
            }
            Self::StartLocalSwarm(_) => state.swarm.can_start(),
            Self::StopLocalSwarm => state.swarm.is_on(),
            Self::Changed(screen) => state.screen == *screen,
            Self::Ask(ask::Action::Start) => {
                let lacks_swarm = state.ask.venue == ask::Venue::LocalSwarm && !state.swarm.is_on();
                // Its keys are pressed on other screens by those who have just started one.
                state.screen == Screen::Ask && state.ask.ready().is_ok() && !lacks_swarm
            }
            Self::Providers(providers::Action::Try(key)) => state.providers.can_try(key),
            Self::Run(run::Action::Pause) => state.run.can_pause(),
            Self::Run(run::Action::GoOn(_)) => state.run.can_go_on(),
            Self::Run(run::Action::AskBudget(true)) => state.run.can_raise(),
            Self::Run(run::Action::RaiseBudget(budget)) => {
                state.run.can_raise() && *budget > state.run.view.budget.limit_sats
            }
            Self::Run(run::Action::Accept) => state.run.can_be_accepted(),
            Self::Run(run::Action::Cancel(lane)) => state.run.can_cancel(*lane),
            Self::Run(run::Action::AskAgain(lane)) => state.run.can_ask_again(*lane),
            Self::Run(run::Action::Play) => state.run.can_replay(),
            Self::Run(run::Action::Scrub(None)) => state.run.cursor.is_some(),
            Self::Earn(earn::Action::Start) => state.earn.can_start() && state.earn.ready().is_ok(),
            Self::Earn(earn::Action::Stop) => !state.earn.can_start() || state.earn.is_paused(),
            Self::Earn(earn::Action::Pause(_)) => state.earn.is_on(),
            Self::Answer(_) => state.answered().is_some(),
            Self::Settings(settings::Action::Save) => state.settings.can_save(),
            Self::Background(wanted) => state.background != *wanted,
            Self::Shell(Shell::ShowChecklist) => state.checklist_dismissed,
            Self::Shell(Shell::DismissNotices) => !state.notices.is_empty(),
            Self::Go(_)
            | Self::Shell(_)
            | Self::Ask(_)
            | Self::Run(_)
            | Self::Refresh
            | Self::Runs(_)
            | Self::Providers(_)
            | Self::Models(_)
            | Self::Earn(_)
            | Self::Wallet(_)
            | Self::Learning(_)
            | Self::Known(_)
            | Self::Settings(_) => true,
        }
    }
}

/// The entries that fit a query, best first: every letter of the query stands in the title, in order;
/// titles in which words begin with the query come first.
pub fn find<'a>(query: &str, state: &State) -> Vec<&'a Entry> {
    let query = query.trim().to_lowercase();
    let mut found: Vec<(usize, &Entry)> = entries()
        .iter()
        .filter(|entry| entry.command.is_offered(state))
        .filter_map(|entry| Some((misfit(&query, &entry.title.to_lowercase())?, entry)))
        .collect();
    found.sort_by_key(|(misfit, _)| *misfit);
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// 0: a word begins with the query; 1: the query stands somewhere; 2: its letters do, in order.
fn misfit(query: &str, title: &str) -> Option<usize> {
    if title.split_whitespace().any(|word| word.starts_with(query)) || title.starts_with(query) {
        return Some(0);
    }
    if title.contains(query) {
        return Some(1);
    }
    let mut letters = title.chars();
    query
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .all(|wanted| letters.any(|l| l == wanted))
        .then_some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_commands_share_their_keys() {
        let keys: Vec<_> = entries().iter().filter_map(|entry| entry.shortcut).collect();
        for (position, one) in keys.iter().enumerate() {
            assert!(!keys[..position].contains(one), "{one:?} means two things");
        }
    }

    #[test]
    fn every_screen_has_keys_of_its_own() {
        for screen in Screen::ALL {
            assert!(shortcut(&Command::Go(*screen)).is_some(), "{screen:?}");
        }
    }

    #[test]
    fn the_palette_finds_by_word_beginnings_first() {
        let state = State::default();
        assert_eq!(find("dark", &state)[0].title, "Use the dark theme");
        assert_eq!(find("qt", &state)[0].title, "Quit");
        assert!(find("zzz", &state).is_empty());
    }

    #[test]
    fn what_makes_no_sense_now_is_not_offered() {
        let state = State::default();
        assert!(!find("stop the local", &state).iter().any(|entry| entry.command == Command::StopLocalSwarm));
    }
}
