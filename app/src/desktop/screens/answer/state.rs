//! What the answer screen knows beside the run itself.

use frlm_client::ratings::Taught;

use super::page::Page;
use super::table::{self, Behind};

/// Lines around a citation, from the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// Which citation.
    pub citation: usize,
    /// Line numbers and lines, or why they cannot be shown.
    pub lines: Result<Vec<(u32, String)>, String>,
    /// Their page, where the document has pages.
    pub page: Option<Page>,
}

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// The lines around a citation.
    Context(Context),
    /// The rating is kept, and so much was learned from it.
    Rated(Taught),
    /// The answer is among what is known; `false` if it was before.
    Kept(bool),
    /// Nothing is known of the question any more.
    Forgotten,
    /// Of the table behind it.
    Table(table::Event),
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Shows where a citation stands.
    Cite(usize),
    /// Saves through the system's dialogue.
    Export(Format),
    /// The answer was copied.
    Copied,
    /// Asks something else about the same documents.
    FollowUp,
    /// 1 to 5 stars.
    Stars(u8),
    /// Up or down.
    Thumbs(bool),
    /// A comment, as it is typed.
    Comment(String),
    /// Keeps the rating.
    Rate,
    /// Keeps the answer, which the user has checked, as something known.
    Keep,
    /// Asks whether what is known of the question should be forgotten, or not after all.
    AskForget(bool),
    /// Forgets what is known of the question.
    Forget,
    /// Of the table behind it.
    Table(table::Action),
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Markdown,
    /// The object of the command contract.
    Json,
}

/// The screen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerScreen {
    /// The chosen citation.
    pub citation: Option<usize>,
    /// Its surroundings, once read.
    pub context: Option<Context>,
    /// 1 to 5; 0: none.
    pub stars: u8,
    /// Up or down.
    pub thumbs: Option<bool>,
    /// In words.
    pub comment: String,
    /// The rating was kept, and so much was learned from it.
    pub rated: Option<Taught>,
    /// The answer is among what is known; `false` if it was before.
    pub kept: Option<bool>,
    /// What was known of the question is forgotten.
    pub forgotten: bool,
    /// Whether the user is asked if it should be.
    pub forgetting: bool,
    /// The table behind an answer that code computed.
    pub table: Behind,
}

impl AnswerScreen {
    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Context(context) if Some(context.citation) == self.citation => {
                self.context = Some(context);
            }
            Event::Rated(taught) => self.rated = Some(taught),
            Event::Kept(new) => (self.kept, self.forgotten) = (Some(new), false),
            Event::Forgotten => (self.kept, self.forgotten) = (None, true),
            Event::Table(event) => self.table.apply(event),
            Event::Context(_) => {}
        }
    }

    /// Changes what is shown. `sql` is the query of an answer that code computed.
    pub fn perform(&mut self, action: &Action, sql: &str) {
        match action {
            Action::Cite(citation) => (self.citation, self.context) = (Some(*citation), None),
            Action::Stars(stars) => (self.stars, self.rated) = (*stars, None),
            Action::Thumbs(up) => (self.thumbs, self.rated) = (Some(*up), None),
            Action::Comment(comment) => {
                self.comment.clone_from(comment);
                self.rated = None;
            }
            Action::AskForget(asked) => self.forgetting = *asked,
            Action::Forget => self.forgetting = false,
            Action::Table(action) => self.table.perform(action, sql),
            Action::Copied | Action::Export(_) | Action::FollowUp | Action::Rate | Action::Keep => {}
        }
    }
}
