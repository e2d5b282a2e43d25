//! What the settings screen knows.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::form::{Field, Flag};
use super::words;
use crate::desktop::screens::load::Load;
use frlm_client::config::Config;
use frlm_client::doctor::Check;
use frlm_client::log_lines::Line;
use frlm_client::thresholds::{Data, Thresholds};

/// A part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Section {
    /// Where providers and askers meet.
    #[default]
    Relays,
    /// Defaults of questions.
    Asking,
    /// Defaults of serving.
    Providing,
    /// Mints, what all runs together may spend, and who is paid before the work.
    Money,
    /// By which figures runs decide.
    Thresholds,
    /// What leaves this machine, and what is kept on it.
    Privacy,
    /// Light, dark, how large.
    Appearance,
    /// Whether everything is there.
    Diagnostics,
    /// What the program says about itself.
    Logs,
}

/// Which lines of the log are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lines {
    /// All that are kept.
    #[default]
    All,
    /// Warnings and errors.
    Warnings,
}

/// What the settings file says.
#[derive(Debug, Clone, PartialEq)]
pub struct FromFile {
    /// The settings.
    pub config: Config,
    /// Where the file is.
    pub path: String,
    /// Where everything is kept.
    pub home: String,
    /// The key that this machine serves under, npub1…, once there is one.
    pub identity: Option<String>,
}

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// What the file says, or why it cannot be used.
    Read(Load<Box<FromFile>>),
    /// The thresholds in force, or why the user's own cannot be used.
    Thresholds(Load<Thresholds>),
    /// Whether the changes were written.
    Saved(Result<(), String>),
    /// One more check.
    Checked(Check),
    /// All checks were made.
    AllChecked,
    /// The lines of the log, oldest first.
    Log(Vec<Arc<Line>>),
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Opens a part.
    Open(Section),
    /// Reads the file again; changes that were not saved go.
    Reload,
    /// What is typed.
    Type(Field, String),
    /// A yes or no.
    Set(Flag, bool),
    /// A relay's address as it is typed.
    Relay(String),
    /// Adds it.
    AddRelay,
    /// Takes a relay off the list.
    RemoveRelay(usize),
    /// Writes the changes.
    Save,
    /// Checks that everything is there.
    Diagnose,
    /// For which kind of data thresholds are shown.
    Data(Data),
    /// Writes the built-in thresholds to a file that can be edited.
    WriteThresholds,
    /// Which lines of the log are shown.
    Show(Lines),
    /// What is typed into the log's search field.
    SearchLog(String),
}

/// What can be changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// Texts.
    pub texts: BTreeMap<Field, String>,
    /// Yes or no.
    pub flags: BTreeMap<Flag, bool>,
    /// Where providers and askers meet.
    pub relays: Vec<String>,
}

impl Draft {
    fn of(config: &Config) -> Self {
        Self {
            texts: Field::ALL.iter().map(|field| (*field, field.of(config))).collect(),
            flags: Flag::ALL.iter().map(|flag| (*flag, flag.of(config))).collect(),
            relays: config.relays.clone(),
        }
    }

    /// A text.
    pub fn text(&self, field: Field) -> &str {
        self.texts.get(&field).map(String::as_str).unwrap_or_default()
    }

    /// A yes or no.
    pub fn flag(&self, flag: Flag) -> bool {
        self.flags.get(&flag).copied().unwrap_or_default()
    }

    /// The first thing that cannot work.
    pub fn problem(&self) -> Option<String> {
        Field::ALL.iter().find_map(|field| field.setting(self.text(*field)).err())
    }
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Which part is open.
    pub section: Section,
    /// What the file says.
    pub file: Load<Box<FromFile>>,
    /// What is changed.
    pub draft: Draft,
    /// What the draft began with.
    saved: Draft,
    /// A relay's address as it is typed.
    pub relay: String,
    /// Why it is no address.
    pub relay_problem: Option<String>,
    /// Whether the changes are being written.
    pub saving: bool,
    /// What came of it last.
    pub outcome: Option<Result<(), String>>,
    /// By which figures runs decide.
    pub thresholds: Load<Thresholds>,
    /// For which kind of data they are shown.
    pub data: Data,
    /// The checks so far.
    pub checks: Vec<Check>,
    /// Whether checks are being made.
    pub checking: bool,
    /// The lines of the log, oldest first.
    log: Vec<Arc<Line>>,
    /// Which of them are shown.
    pub lines: Lines,
    /// As typed.
    pub search: String,
    /// Those that are shown, newest first.
    shown: Vec<Arc<Line>>,
}

impl Settings {
    /// Whether something was changed and not written.
    pub fn is_changed(&self) -> bool {
        self.draft != self.saved
    }

    /// Whether what was changed can be written now.
    pub fn can_save(&self) -> bool {
        self.is_changed() && self.draft.problem().is_none() && !self.saving
    }

    /// What differs from the file.
    pub fn changed(&self) -> (Vec<Field>, Vec<Flag>, bool) {
        let fields = Field::ALL.iter().filter(|field| self.draft.text(**field) != self.saved.text(**field));
        let flags = Flag::ALL.iter().filter(|flag| self.draft.flag(**flag) != self.saved.flag(**flag));
        (fields.copied().collect(), flags.copied().collect(), self.draft.relays != self.saved.relays)
    }

    /// The lines of the log that are shown, newest first.
    pub fn shown(&self) -> &[Arc<Line>] {
        &self.shown
    }

    /// How many lines are kept.
    pub fn kept(&self) -> usize {
        self.log.len()
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Read(file) => {
                if let Load::Ready(file) = &file {
                    let read = Draft::of(&file.config);
                    if !self.is_changed() {
                        self.draft = read.clone();
                    }
                    self.saved = read;
                }
                self.file = file;
            }
            Event::Thresholds(thresholds) => self.thresholds = thresholds,
            Event::Saved(outcome) => {
                self.saving = false;
                if outcome.is_ok() {
                    self.saved = self.draft.clone();
                }
                self.outcome = Some(outcome);
            }
            Event::Checked(check) => self.checks.push(check),
            Event::AllChecked => self.checking = false,
            Event::Log(log) => {
                self.log = log;
                self.show();
            }
        }
    }

    /// Does what takes no time.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Open(section) => self.section = *section,
            Action::Reload => {
                self.draft = self.saved.clone();
                self.outcome = None;
            }
            Action::Type(field, text) => {
                self.draft.texts.insert(*field, text.clone());
                self.outcome = None;
            }
            Action::Set(flag, set) => {
                self.draft.flags.insert(*flag, *set);
                self.outcome = None;
            }
            Action::Relay(address) => {
                self.relay.clone_from(address);
                self.relay_problem = None;
            }
            Action::AddRelay => self.add_relay(),
            Action::RemoveRelay(position) => {
                if *position < self.draft.relays.len() {
                    self.draft.relays.remove(*position);
                }
                self.outcome = None;
            }
            Action::Save => self.saving = self.is_changed() && self.draft.problem().is_none(),
            Action::Diagnose => {
                self.section = Section::Diagnostics;
                (self.checks, self.checking) = (Vec::new(), true);
            }
            Action::Data(data) => self.data = *data,
            Action::WriteThresholds => {}
            Action::Show(lines) => {
                self.lines = *lines;
                self.show();
            }
            Action::SearchLog(search) => {
                self.search.clone_from(search);
                self.show();
            }
        }
    }

    fn add_relay(&mut self) {
        let address = self.relay.trim().to_owned();
        match frlm_client::relay::parse_relay_url(&address) {
            Ok(_) if self.draft.relays.contains(&address) => {
                self.relay_problem = Some(words::LISTED_ALREADY.to_owned());
            }
            Ok(_) => {
                self.draft.relays.push(address);
                self.relay.clear();
                self.outcome = None;
            }
            Err(error) => {
                self.relay_problem = Some(frlm_client::protocol::printable(&error.to_string()).into_owned());
            }
        }
    }

    fn show(&mut self) {
        let search = self.search.trim().to_lowercase();
        let fits = |line: &&Arc<Line>| {
            let serious = self.lines == Lines::All || line.level <= tracing::Level::WARN;
            let found = || line.text.to_lowercase().contains(&search) || line.target.contains(&search);
            serious && (search.is_empty() || found())
        };
        self.shown = self.log.iter().rev().filter(fits).cloned().collect();
    }
}
