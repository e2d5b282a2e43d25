//! What the models screen knows.

use super::download::{self, Download};
use crate::desktop::screens::load::Load;
use frlm_client::model_catalog::Catalog;

/// A model that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// The name that it is announced under.
    pub name: String,
    /// Tokens that prompt and answer may fill together.
    pub context_tokens: u64,
    /// The weights' number format.
    pub quantisation: Option<String>,
    /// Requests to keep in flight for the best total throughput.
    pub concurrency: u64,
    /// Whether it copies fields of records and does nothing else.
    pub records_only: bool,
    /// How long opening took.
    pub opening_ms: u64,
}

/// How the model that is tried stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Opened {
    /// None was opened.
    #[default]
    Nothing,
    /// It is being opened.
    Busy(String),
    /// It can be talked to.
    Ready {
        /// What `--model` takes.
        spec: String,
        /// What is known about it.
        info: Info,
    },
    /// It could not be opened.
    Failed {
        /// What `--model` takes.
        spec: String,
        /// Why, and what to do.
        why: String,
    },
}

/// How fast an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speed {
    /// From sending to the first text.
    pub first_ms: u64,
    /// From sending to the end.
    pub total_ms: u64,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written, as the engine counts them.
    pub tokens: u64,
}

impl Speed {
    /// Tokens per second after the first; `None` where there was nothing to measure.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let (tokens, ms) = (self.tokens.checked_sub(1)?, self.total_ms.checked_sub(self.first_ms)?);
        (tokens > 0 && ms > 0).then(|| tokens as f64 * 1e3 / ms as f64)
    }
}

/// One turn of the chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Whether the user said it.
    pub mine: bool,
    /// What was said.
    pub text: String,
    /// How fast it came, once it ended.
    pub speed: Option<Speed>,
    /// Why it ended early.
    pub problem: Option<String>,
}

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// What is found.
    Found(Load<Catalog>),
    /// How the tried model stands.
    Opened(Opened),
    /// More of the answer.
    Text(String),
    /// The answer is complete.
    Answered(Speed),
    /// It ended early.
    Broke(String),
    /// How a download stands.
    Download(download::DownloadStage),
}

/// What a model is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Words and fallback: `ask.model`.
    Own,
    /// Served to others: `provide.model`.
    Served,
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Looks again.
    Reload,
    /// An address or a path as it is typed.
    Address(String),
    /// The system's dialogue for a GGUF file.
    Browse,
    /// Opens a model to try it.
    Open(String),
    /// Lets it go.
    Close,
    /// A message as it is typed.
    Prompt(String),
    /// Sends it.
    Send,
    /// Ends the answer that is being written.
    Stop,
    /// Uses a model from now on, or no more.
    Use(Use, Option<String>),
    /// For the download.
    Download(download::Action),
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Models {
    /// What is found.
    pub found: Load<Catalog>,
    /// As typed.
    pub address: String,
    /// How the tried model stands.
    pub opened: Opened,
    /// As typed.
    pub prompt: String,
    /// The chat.
    pub chat: Vec<Turn>,
    /// Whether an answer is being written.
    pub answering: bool,
    /// A model from an address.
    pub download: Download,
}

/// Turns that are kept on screen.
const MOST_TURNS: usize = 200;
/// The longest answer that is kept, in bytes: no model fills memory.
const LONGEST_ANSWER: usize = 64 * 1_024;

impl Models {
    /// The opened model.
    pub fn ready(&self) -> Option<(&str, &Info)> {
        let Opened::Ready { spec, info } = &self.opened else { return None };
        Some((spec, info))
    }

    /// Whether the message can be sent.
    pub fn can_send(&self) -> bool {
        self.ready().is_some() && !self.answering && !self.prompt.trim().is_empty()
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Found(found) => self.found = found,
            // Progress may come late: what is over stays over.
            Event::Download(download::DownloadStage::Coming(_)) if !self.download.is_busy() => {}
            Event::Download(stage) => self.download.stage = stage,
            Event::Opened(opened) => {
                self.answering = false;
                if let Opened::Ready { info, .. } = &opened
                    && info.records_only
                    && self.prompt.is_empty()
                {
                    RECORDS_EXAMPLE.clone_into(&mut self.prompt);
                }
                self.opened = opened;
            }
            Event::Text(text) => {
                if let Some(turn) = self.chat.last_mut().filter(|turn| !turn.mine)
                    && turn.text.len() + text.len() <= LONGEST_ANSWER
                {
                    turn.text.push_str(&text);
                }
            }
            Event::Answered(speed) => {
                self.answering = false;
                if let Some(turn) = self.chat.last_mut() {
                    turn.speed = Some(speed);
                }
            }
            Event::Broke(why) => {
                self.answering = false;
                if let Some(turn) = self.chat.last_mut() {
                    turn.problem = Some(why);
                }
            }
        }
    }

    /// Does what needs no looking up.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Reload => {
                if !matches!(self.found, Load::Ready(_)) {
                    self.found = Load::Busy;
                }
            }
            Action::Address(address) => self.address.clone_from(address),
            Action::Open(spec) => {
                self.opened = Opened::Busy(spec.clone());
                (self.answering, self.chat) = (false, Vec::new());
            }
            Action::Close => {
                self.opened = Opened::Nothing;
                (self.answering, self.chat) = (false, Vec::new());
            }
            Action::Prompt(prompt) => self.prompt.clone_from(prompt),
            Action::Send if self.can_send() => {
                let turn = |mine, text| Turn { mine, text, speed: None, problem: None };
                self.chat.push(turn(true, std::mem::take(&mut self.prompt)));
                self.chat.push(turn(false, String::new()));
                if self.chat.len() > MOST_TURNS {
                    self.chat.drain(..2);
                }
                self.answering = true;
            }
            Action::Download(action) => self.download.perform(action),
            Action::Send | Action::Browse | Action::Stop | Action::Use(..) => {}
        }
    }
}

/// What a model that only copies fields can be asked.
pub const RECORDS_EXAMPLE: &str = "copy status\norder=4001 user=mara status=failed";
