//! What the app knows. Views read it; only [`State::perform`] (what the user asked for) and
//! [`State::apply`] (what the engine reports) change it, and both are pure: no clock, no I/O.

use frlm_client::questions::answer::Answer;
use frlm_client::verifier::request::VerificationLevel;
use frlm_client::view::Ending;

use super::command::{self, Command, Shell};
use super::engine::Event;
use super::engine::swarm::LocalSwarm;
use super::engine::tray::Tray;
use super::screens::Screen;
use super::screens::answer::AnswerScreen;
use super::screens::ask::{self, Ask};
use super::screens::earn::Earn;
use super::screens::known::{self, Known};
use super::screens::learning::{self, Learning};
use super::screens::models::Models;
use super::screens::providers::Providers;
use super::screens::run::{self, Run};
use super::screens::runs::Runs;
use super::screens::settings::Settings;
use super::screens::wallet::Wallet;
use super::widgets::Tone;

/// Everything that is on screen, or could be.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Which screen is open.
    pub screen: Screen,
    /// The palette, while it is open.
    pub palette: Option<Palette>,
    /// What the user should know, oldest first.
    pub notices: Vec<Notice>,
    /// The swarm on this machine.
    pub swarm: LocalSwarm,
    /// What this machine is and what is set up, once looked up.
    pub machine: Option<Machine>,
    /// The ask screen.
    pub ask: Ask,
    /// The run on screen.
    pub run: Run,
    /// The answer screen, beside the run.
    pub answer: AnswerScreen,
    /// Every recorded run.
    pub runs: Runs,
    /// Who can be asked.
    pub providers: Providers,
    /// What this machine can run.
    pub models: Models,
    /// This machine as a provider.
    pub earn: Earn,
    /// What the ledger knows.
    pub wallet: Wallet,
    /// What routing has learned.
    pub learning: Learning,
    /// What the user knows to be right.
    pub known: Known,
    /// What is set.
    pub settings: Settings,
    /// Whether earning goes on while the window is closed.
    pub background: bool,
    /// Whether the desktop shows an icon for this app.
    pub tray: Tray,
    /// Whether the user has taken the checklist away.
    pub checklist_dismissed: bool,
    /// What is under way, while the user is asked whether to quit nevertheless.
    pub leaving: Vec<String>,
    /// The next notice gets this number.
    pub next_notice: u64,
}

/// The palette.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Palette {
    /// What was typed.
    pub query: String,
    /// Which of the found entries Enter takes.
    pub chosen: usize,
}

/// Something the user should know, beside whatever is on screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Unique.
    pub id: u64,
    /// What it means.
    pub tone: Tone,
    /// What happened.
    pub what: String,
    /// What is safe, what to do.
    pub then: String,
}

/// What this machine is, and what is set up on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// Processor threads.
    pub threads: usize,
    /// Memory in MiB, where the system tells.
    pub memory_mib: Option<u64>,
    /// Why the settings file cannot be used; what is said of it is then what nobody has set.
    pub problem: Option<String>,
    /// Relays in the settings file.
    pub relays: Vec<String>,
    /// The user's own model in the settings file.
    pub model: Option<String>,
    /// The host that it is on, unless that is this machine.
    pub model_host: Option<String>,
    /// The budget in the settings file, in sats.
    pub budget: Option<u64>,
    /// The verification policy in the settings file.
    pub verify: Option<String>,
    /// By how many methods an answer must be right, in the settings file.
    pub level: Option<VerificationLevel>,
    /// Whether the small model is in this build.
    pub embedded_model: bool,
    /// Recorded runs.
    pub runs: usize,
    /// The state directory.
    pub home: String,
}

/// Notices that are kept; older ones go.
const MOST_NOTICES: usize = 4;

impl State {
    /// Folds what the engine reports.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Machine(machine) => {
                self.ask.settle(machine.budget, machine.verify.as_deref(), machine.level);
                self.machine = Some(machine);
            }
            Event::Swarm(swarm) => self.swarm = swarm,
            Event::Ask(event) => {
                if matches!(event, ask::Event::Started) {
                    self.screen = Screen::Run;
                }
                self.ask.apply(event);
            }
            Event::Run(event) => {
                if matches!(event, run::Event::Opened { .. }) {
                    self.answer = AnswerScreen::default();
                }
                self.run.apply(event);
            }
            Event::Answer { run, event } => {
                // Another run may be on screen by now.
                if self.answered().is_some_and(|answer| answer.run_id == run) {
                    self.answer.apply(event);
                }
            }
            Event::Runs(event) => self.runs.apply(event),
            Event::Providers(event) => self.providers.apply(event),
            Event::Models(event) => self.models.apply(event),
            Event::Earn(event) => self.earn.apply(event),
            Event::Wallet(event) => self.wallet.apply(event),
            Event::Learning(event) => self.learning.apply(event),
            Event::Known(event) => self.known.apply(event),
            Event::Settings(event) => self.settings.apply(event),
            Event::Tray(tray) => self.tray = if self.background { tray } else { Tray::Off },
            Event::Do(command) => self.perform(&command),
            Event::Notice { tone, what, then } => self.notice(tone, what, then),
        }
    }

    /// The part of a command that changes what is on screen; the rest is the engine's.
    pub fn perform(&mut self, command: &Command) {
        match command {
            Command::Go(screen) => {
                self.screen = *screen;
                self.palette = None;
            }
            Command::Shell(action) => self.perform_shell(action),
            Command::StartLocalSwarm(_) => self.swarm = LocalSwarm::Starting,
            Command::Ask(action) => self.ask.perform(action),
            Command::Run(action) => self.run.perform(action),
            Command::Answer(action) => {
                let reading = self.answered().and_then(|answer| answer.reading.as_ref());
                let sql = reading.map_or(String::new(), |reading| reading.sql.clone());
                self.answer.perform(action, &sql);
            }
            Command::Background(wanted) => {
                self.background = *wanted;
                self.tray = if *wanted { Tray::Asking } else { Tray::Off };
            }
            Command::Runs(action) => self.runs.perform(action),
            Command::Providers(action) => self.providers.perform(action),
            Command::Models(action) => self.models.perform(action),
            Command::Earn(action) => self.earn.perform(action),
            Command::Wallet(action) => self.wallet.perform(action),
            Command::Learning(action) => self.learning.perform(action),
            Command::Known(action) => {
                if *action == known::Action::Open {
                    self.screen = Screen::Learning;
                    self.palette = None;
                    self.learning.perform(&learning::Action::Show(learning::Source::Known));
                }
                self.known.perform(action);
            }
            Command::Settings(action) => self.settings.perform(action),
            Command::Refresh | Command::Changed(_) | Command::StopLocalSwarm => {}
        }
    }

    fn perform_shell(&mut self, action: &Shell) {
        match action {
            Shell::TogglePalette => {
                self.palette = if self.palette.is_some() { None } else { Some(Palette::default()) };
            }
            Shell::PaletteQuery(query) => {
                self.palette = Some(Palette { query: query.clone(), chosen: 0 });
            }
            Shell::PaletteMove(by) => self.move_choice(*by),
            Shell::DismissNotice(id) => self.notices.retain(|notice| notice.id != *id),
            Shell::DismissNotices => self.notices.clear(),
            Shell::DismissChecklist => self.checklist_dismissed = true,
            Shell::ShowChecklist => self.checklist_dismissed = false,
            Shell::Stay | Shell::QuitNow => self.leaving.clear(),
            Shell::Theme(_) | Shell::Zoom(_) | Shell::Show | Shell::QuitFromTray | Shell::Quit => {}
        }
    }

    /// The answer of the run on screen, once it has one.
    pub fn answered(&self) -> Option<&Answer> {
        match &self.run.view.ending {
            Some(Ending::Answered(answer)) => Some(answer),
            _ => None,
        }
    }

    /// Adds a notice.
    pub fn notice(&mut self, tone: Tone, what: String, then: String) {
        let id = self.next_notice;
        self.next_notice += 1;
        self.notices.push(Notice { id, tone, what, then });
        if self.notices.len() > MOST_NOTICES {
            self.notices.remove(0);
        }
    }

    fn move_choice(&mut self, by: i32) {
        let Some(palette) = &self.palette else { return };
        let found = command::find(&palette.query, self).len();
        if let (Some(palette), true) = (&mut self.palette, found > 0) {
            let step = usize::try_from(by.unsigned_abs()).unwrap_or(0) % found;
            let forward = if by < 0 { found - step } else { step };
            palette.chosen = (palette.chosen + forward) % found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::screens::answer;
    use super::super::screens::run::samples;
    use super::*;

    #[test]
    fn the_palettes_choice_goes_round() {
        let mut state = State::default();
        state.perform(&Command::Shell(Shell::TogglePalette));
        let count = command::find("", &state).len();
        state.perform(&Command::Shell(Shell::PaletteMove(-1)));
        assert_eq!(state.palette.as_ref().unwrap().chosen, count - 1);
        state.perform(&Command::Shell(Shell::PaletteMove(1)));
        assert_eq!(state.palette.as_ref().unwrap().chosen, 0);
    }

    #[test]
    fn what_became_of_an_answer_is_not_said_of_that_of_another_run() {
        let run = samples::shown(samples::Recipe::done(3), false);
        let mut state = State { run, ..State::default() };
        let kept = |run: &str| Event::Answer { run: run.to_owned(), event: answer::Event::Kept(true) };
        state.apply(kept("another"));
        assert_eq!(state.answer.kept, None);
        let shown = state.answered().unwrap().run_id.clone();
        state.apply(kept(&shown));
        assert_eq!(state.answer.kept, Some(true));
    }

    #[test]
    fn old_notices_make_room() {
        let mut state = State::default();
        for number in 0..9 {
            state.notice(Tone::Warn, number.to_string(), String::new());
        }
        assert_eq!(state.notices.len(), MOST_NOTICES);
        assert_eq!(state.notices.last().unwrap().what, "8");
    }
}
