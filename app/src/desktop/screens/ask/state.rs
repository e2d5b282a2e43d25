//! What the ask screen knows.

use std::path::PathBuf;

use frlm_client::conductor::swarm::Tariff;
use frlm_client::documents::Password;
use frlm_client::local_swarm::Speaks;
use frlm_client::run::OtherReading;
use frlm_client::verifier::request::VerificationLevel;

use super::wishes::{Followed, Wish, Wishes};
use super::words::{self, POLICIES};
use crate::desktop::widgets::Unit;

/// Where the question goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Venue {
    /// The swarm on this machine.
    #[default]
    LocalSwarm,
    /// The relays in the settings.
    Relays,
    /// The user's own model; nothing goes to a relay.
    OwnModel,
}

/// A document as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub name: String,
    /// Bytes of text.
    pub bytes: usize,
    /// Pieces it was cut into.
    pub fragments: usize,
    /// Estimated tokens.
    pub tokens: usize,
}

/// How reading the documents stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reading {
    /// None were given.
    #[default]
    Nothing,
    /// They are read.
    Busy {
        /// So many were begun.
        files: usize,
    },
    /// They were read.
    Read {
        /// In order.
        documents: Vec<Document>,
        /// What the user should know about them.
        warnings: Vec<String>,
    },
    /// They cannot be read.
    Failed(String),
}

/// A provider that would be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What it calls itself.
    pub name: String,
    /// The model it claims to run.
    pub model: String,
    /// What it asks.
    pub tariff: Tariff,
}

/// What asking would mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Previewed {
    /// Not looked up: something is missing.
    #[default]
    Nothing,
    /// It is looked up.
    Busy,
    /// It was looked up.
    Known {
        /// One answer per fragment, in sats.
        low: u64,
        /// As many answers as must agree.
        expected: u64,
        /// Every answer that the policy allows.
        high: u64,
        /// About so much of what is expected the providers say they give away.
        given: u64,
        /// Jobs to begin with.
        subtasks: usize,
        /// Each fragment goes to this many providers.
        replicas: u32,
        /// And to at most this many.
        most_replicas: u32,
        /// Who is there.
        providers: Vec<Seen>,
        /// Why nobody could be looked up.
        unreachable: Option<String>,
        /// Whether code answers it, and no provider is asked.
        by_code: bool,
        /// Whether the own model reads the question first.
        own_model_reads: bool,
        /// Whether a provider is asked first to write it as a query.
        provider_reads: bool,
        /// Bytes of the fragments.
        bytes: usize,
        /// Hosts that may read them in plain, with what they are to the user; empty: none.
        in_plain: String,
        /// Readings of code, where it cannot decide between several.
        readings: Vec<OtherReading>,
    },
    /// It cannot be asked like this.
    Failed(String),
}

/// What the engine reports. `revision` says for which state of the form.
#[derive(Debug, Clone)]
pub enum Event {
    /// The documents were read, or cannot be.
    Reading {
        /// Of the form.
        revision: u64,
        /// The result.
        reading: Reading,
        /// Whether a password, or another one, would open what was not read.
        locked: bool,
    },
    /// What asking would mean.
    Previewed {
        /// Of the form.
        revision: u64,
        /// The result.
        previewed: Previewed,
    },
    /// The run could not be started; nothing was sent.
    NotStarted(String),
    /// The run began.
    Started,
    /// The desktop has no file dialog, or did not show one.
    NoChooser,
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// The question as it is typed.
    Question(String),
    /// Files or folders were dropped.
    Add(Vec<PathBuf>),
    /// The text in the clipboard is wanted as a document, however short it is.
    WantPaste,
    /// Text was pasted: it becomes a document.
    Paste(String),
    /// A document is not wanted.
    Remove(usize),
    /// None of them is.
    RemoveAll,
    /// Reads the documents again, which could not be read or have changed.
    ReadAgain,
    /// Reads them again with this password.
    Unlock(Password),
    /// The system's dialogue: `true` for folders.
    Choose(bool),
    /// The documents are not waited for any longer.
    StopReading,
    /// The path of a file or folder, as it is typed.
    TypePath(String),
    /// What was typed is added.
    AddTyped,
    /// The bundled document and question that this is tried on.
    Sample(Speaks),
    /// The budget, in sats.
    Budget(u64),
    /// How answers are accepted: a policy's name.
    Verify(String),
    /// By how many methods an answer must be right.
    Level(VerificationLevel),
    /// Where the question goes.
    Venue(Venue),
    /// What is wished of the answer.
    Wish(Wish),
    /// The question follows this run's, or none.
    Follow(Option<Followed>),
    /// Code answers by this reading, or decides itself who answers.
    ReadAs(Option<OtherReading>),
    /// Who is there may have changed: look again.
    Again,
    /// Off it goes.
    Start,
    /// What is being started is not wanted any more.
    Cancel,
}

/// The form.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each asks whether something else is true")]
pub struct Ask {
    /// As typed.
    pub question: String,
    /// Files and folders, in the order given.
    pub files: Vec<PathBuf>,
    /// The path that is being typed, where the desktop shows no file dialog.
    pub typed_path: Option<String>,
    /// The budget, in sats.
    pub budget: u64,
    /// The verification policy's name.
    pub verify: String,
    /// The policy that the settings name, if they name one.
    pub usual: Option<String>,
    /// By how many methods an answer must be right.
    pub level: VerificationLevel,
    /// Whether budget, policy or level were chosen in the form.
    pub edited: bool,
    /// Where the question goes.
    pub venue: Venue,
    /// What is wished of the answer.
    pub wishes: Wishes,
    /// The run whose question this one follows.
    pub follows: Option<Followed>,
    /// The reading of code that was chosen.
    pub read_as: Option<OtherReading>,
    /// How reading stands.
    pub reading: Reading,
    /// Whether a password, or another one, would open what was not read.
    pub locked: bool,
    /// What asking would mean.
    pub previewed: Previewed,
    /// Whether the clipboard was asked for its text.
    pub wants_paste: bool,
    /// Whether a run is being started.
    pub starting: bool,
    /// Why the last one was not.
    pub refused: Option<String>,
    /// Counts changes: reports for an older form are dropped.
    pub revision: u64,
    /// Counts changes of the documents alone.
    pub files_revision: u64,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            question: String::new(),
            files: Vec::new(),
            typed_path: None,
            budget: STANDARD_BUDGET,
            verify: POLICIES[0].0.to_owned(),
            usual: None,
            level: VerificationLevel::Standard,
            edited: false,
            venue: Venue::default(),
            wishes: Wishes::default(),
            follows: None,
            read_as: None,
            reading: Reading::default(),
            locked: false,
            previewed: Previewed::default(),
            wants_paste: false,
            starting: false,
            refused: None,
            revision: 0,
            files_revision: 0,
        }
    }
}

/// The budget where neither form nor settings name one, in sats.
const STANDARD_BUDGET: u64 = 1_000;

/// The longest question, in characters.
pub const LONGEST_QUESTION: usize = 2_000;

impl Ask {
    /// What the run would be paid in: the swarm on this machine takes play money.
    pub fn unit(&self) -> Unit {
        Unit::of(self.venue == Venue::LocalSwarm)
    }

    /// Takes over what the settings say, unless something else was chosen in the form.
    pub fn settle(&mut self, budget: Option<u64>, verify: Option<&str>, level: Option<VerificationLevel>) {
        self.usual = verify.map(str::to_owned);
        if !self.edited {
            self.budget = budget.unwrap_or(STANDARD_BUDGET);
            self.level = level.unwrap_or_default();
            verify.unwrap_or(POLICIES[0].0).clone_into(&mut self.verify);
        }
    }

    /// Whether the form can be sent, or why not.
    pub fn ready(&self) -> Result<(), &'static str> {
        if self.files.is_empty() {
            return Err(words::NEEDS_DOCUMENT);
        }
        if self.question.trim().is_empty() {
            return Err(words::NEEDS_QUESTION);
        }
        match (&self.reading, &self.previewed) {
            (Reading::Failed(_), _) => Err(words::NEEDS_DOCUMENTS_READ),
            (_, Previewed::Failed(_)) => Err(words::NEEDS_SOLUTION),
            _ if self.starting => Err(words::IS_STARTING),
            _ => Ok(()),
        }
    }

    /// Whether there is enough to look up what asking would mean.
    pub fn is_complete(&self) -> bool {
        !self.files.is_empty() && !self.question.trim().is_empty()
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Reading { revision, reading, locked } if revision == self.files_revision => {
                (self.reading, self.locked) = (reading, locked);
            }
            Event::Previewed { revision, previewed } if revision == self.revision => {
                self.previewed = previewed;
            }
            Event::Reading { .. } | Event::Previewed { .. } => {}
            Event::NotStarted(why) => {
                self.starting = false;
                self.refused = Some(why);
            }
            Event::Started => {
                self.starting = false;
                self.refused = None;
            }
            Event::NoChooser => drop(self.typed_path.get_or_insert_default()),
        }
    }

    /// The documents are not those that were read, or are to be read again.
    fn read_again(&mut self) {
        self.files_revision += 1;
        self.reading = if self.files.is_empty() { Reading::Nothing } else { Reading::Busy { files: 0 } };
    }

    /// Changes the form.
    pub fn perform(&mut self, action: &Action) {
        // A clipboard that holds no text is not answered for: the next step ends the wish.
        self.wants_paste = *action == Action::WantPaste;
        match action {
            Action::Question(question) => self.question.clone_from(question),
            Action::Add(files) => {
                for file in files {
                    if !self.files.contains(file) {
                        self.files.push(file.clone());
                    }
                }
                self.read_again();
            }
            Action::Remove(position) => {
                if *position < self.files.len() {
                    self.files.remove(*position);
                }
                self.read_again();
            }
            Action::RemoveAll => {
                self.files.clear();
                self.read_again();
            }
            Action::ReadAgain | Action::Unlock(_) => self.read_again(),
            Action::Verify(policy) => {
                self.verify.clone_from(policy);
                self.edited = true;
            }
            Action::Level(level) => (self.level, self.edited) = (*level, true),
            Action::Venue(venue) => self.venue = *venue,
            Action::Sample(speaks) => {
                speaks.tried_on().1.clone_into(&mut self.question);
                // Its question is about its document alone, which is on its way.
                self.files.clear();
                self.read_again();
            }
            Action::Start => {
                self.starting = true;
                self.refused = None;
                return;
            }
            Action::Budget(sats) => {
                (self.budget, self.edited) = (*sats, true);
                return;
            }
            Action::Wish(wish) => {
                self.wishes.set(wish);
                if matches!(wish, Wish::Open(_)) {
                    return;
                }
            }
            Action::Follow(followed) => self.follows.clone_from(followed),
            Action::ReadAs(reading) => self.read_as.clone_from(reading),
            Action::StopReading => {
                self.files_revision += 1;
                self.reading = Reading::Failed(words::STOPPED_READING.to_owned());
                self.previewed = Previewed::Nothing;
                return;
            }
            Action::TypePath(path) => {
                self.typed_path = Some(path.clone());
                return;
            }
            // What was typed comes back as added.
            Action::AddTyped => {
                self.typed_path = Some(String::new());
                return;
            }
            Action::WantPaste | Action::Paste(_) | Action::Choose(_) | Action::Cancel => return,
            Action::Again => {}
        }
        let is_same = matches!(
            action,
            Action::ReadAs(_) | Action::Verify(_) | Action::Level(_) | Action::Wish(_) | Action::Again
        );
        // It was a reading of that question over those documents.
        self.read_as = self.read_as.take().filter(|_| is_same);
        self.revision += 1;
        self.refused = None;
        self.previewed = if self.is_complete() { Previewed::Busy } else { Previewed::Nothing };
    }
}
