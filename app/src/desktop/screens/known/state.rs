//! What is known of the known answers.

use std::sync::Arc;

use crate::desktop::screens::load::Load;

/// A known answer as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The question as the store has it, by which it is forgotten. Never shown.
    pub key: String,
    /// The same in words that can be shown.
    pub question: String,
    /// The right answer.
    pub answer: String,
    /// `documents`, `imported`, or what a file calls it.
    pub category: String,
    /// Where it is from.
    pub from: String,
    /// What a search looks at: all of it in small letters.
    sought: String,
}

impl Entry {
    /// Of texts that can be shown.
    pub fn new(key: String, [question, answer, category, from]: [String; 4]) -> Self {
        let sought = format!("{question}\n{answer}\n{category}\n{from}").to_lowercase();
        Self { key, question, answer, category, from, sought }
    }

    fn has(&self, words: &[String]) -> bool {
        words.iter().all(|word| self.sought.contains(word))
    }
}

/// What was found in the store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// In the order of the store.
    pub entries: Vec<Arc<Entry>>,
    /// How many there are, those that are too many to list included.
    pub all: usize,
}

/// What came of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// So many are new, so many were known.
    Imported(usize, usize),
    /// They are written there.
    Exported(String),
}

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// What is known, or why it cannot be read.
    Listed(Load<Listed>),
    /// What came of a file.
    Done(Outcome),
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Shows them, wherever the user is.
    Open,
    /// Looks again.
    Reload,
    /// What is typed into the search field.
    Search(String),
    /// Shows one of them, by its key.
    Choose(String),
    /// Asks whether it is to be forgotten, or not after all.
    AskForget(bool),
    /// Forgets it.
    Forget(String),
    /// Takes in a file.
    Import,
    /// Writes all of them to a file.
    Export,
}

/// The tab.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// What is known.
    pub listed: Load<Listed>,
    /// As typed.
    pub search: String,
    /// Which one is shown whole.
    pub chosen: Option<String>,
    /// Whether the user is asked if it is to be forgotten.
    pub forgetting: bool,
    /// What came of the latest file.
    pub outcome: Option<Outcome>,
    /// Those that hold all of the words.
    shown: Vec<Arc<Entry>>,
}

impl Known {
    /// Those that hold all of the words that are searched for.
    pub fn shown(&self) -> &[Arc<Entry>] {
        &self.shown
    }

    /// The one that is shown whole.
    pub fn entry(&self) -> Option<&Entry> {
        let (chosen, listed) = (self.chosen.as_ref()?, self.listed.ready()?);
        listed.entries.iter().find(|entry| entry.key == *chosen).map(|entry| &**entry)
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Listed(listed) => {
                self.listed = listed;
                self.show();
            }
            Event::Done(outcome) => self.outcome = Some(outcome),
        }
    }

    /// Does what needs no looking up.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Search(search) => {
                self.search.clone_from(search);
                self.show();
            }
            Action::Choose(key) => {
                self.chosen = Some(key.clone());
                self.forgetting = false;
            }
            Action::AskForget(asked) => self.forgetting = *asked,
            // It is listed until the store says that it is gone.
            Action::Forget(_) => self.forgetting = false,
            Action::Import | Action::Export => self.outcome = None,
            Action::Open | Action::Reload => {}
        }
    }

    fn show(&mut self) {
        let words: Vec<String> = self.search.split_whitespace().map(str::to_lowercase).collect();
        let entries = self.listed.ready().map_or(&[][..], |listed| listed.entries.as_slice());
        self.shown = entries.iter().filter(|entry| entry.has(&words)).cloned().collect();
    }
}
