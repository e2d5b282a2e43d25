//! What the wallet screen knows of the sats themselves.

use std::fmt;

use frlm_client::wallet::cashu::PaymentQuote;
use frlm_client::wallet::seed::{is_word_at, places_to_ask};

use super::action::{Action, Event, QuizStep};
use super::holdings::{Holdings, WalletStatus};
use crate::desktop::screens::load::Load;
use crate::desktop::screens::wallet::words;

/// The words of a wallet, a token, or what may be one of them, as typed: whose it is has the sats. It is written nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// Some of the words of a new wallet, asked for to see that all were written down.
#[derive(Clone, PartialEq, Eq)]
pub struct Quiz {
    /// The places of the words, counted from 1, with what was typed for each.
    pub asked: Vec<(usize, String)>,
    /// What was typed last is not right.
    pub wrong: bool,
}

impl Quiz {
    /// About some of these words.
    fn about(words: &Secret) -> Self {
        let places = places_to_ask(words.0.split_whitespace().count());
        Self { asked: places.into_iter().map(|place| (place, String::new())).collect(), wrong: false }
    }

    fn is_right(&self, words: &Secret) -> bool {
        self.asked.iter().all(|(place, typed)| is_word_at(&words.0, *place, typed))
    }
}

/// How receiving stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Receiving {
    /// Nothing is awaited.
    #[default]
    Idle,
    /// A mint is asked.
    Asking,
    /// An invoice waits for somebody to pay it.
    Invoice {
        /// What to pay: bolt11.
        bolt11: String,
        /// How much arrives, in sats.
        sats: u64,
    },
    /// Sats have arrived.
    Done(u64),
}

/// Something that cannot be taken back, before the user agrees to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendRequest {
    /// A token over so many sats.
    Token(u64),
    /// The payment of an invoice.
    Payment(PaymentQuote),
}

/// How sending stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Sending {
    /// Nothing is sent.
    #[default]
    Idle,
    /// A mint is asked.
    Asking,
    /// The user is asked.
    Confirm(SendRequest),
    /// It is being done.
    Busy(SendRequest),
    /// A token: anybody who reads it has the sats.
    Token(Secret),
    /// An invoice was paid.
    Paid {
        /// What the receiver got, in sats.
        sats: u64,
        /// What it cost on top, in sats.
        fee: u64,
    },
}

/// The sats themselves.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Balance {
    /// Whether there is a wallet, and what is in it.
    pub status: Option<WalletStatus>,
    /// Why that cannot be said.
    pub broken: Option<String>,
    /// The words, while they are shown.
    pub words: Option<Secret>,
    /// Whether they are those of a wallet that was just made.
    pub is_new: bool,
    /// Some of them, while they are asked for.
    pub quiz: Option<Quiz>,
    /// The words of a wallet that is to be restored, as typed.
    pub restoring: Option<String>,
    /// Whether the user is asked if the words should be shown.
    pub revealing: bool,
    /// The mint of which the user is asked if it should go.
    pub removing: Option<String>,
    /// As typed.
    pub url: String,
    /// As typed.
    pub limit: String,
    /// As typed.
    pub incoming: String,
    /// As typed.
    pub outgoing: String,
    /// How receiving stands.
    pub receiving: Receiving,
    /// How sending stands.
    pub sending: Sending,
    /// What did not work, and why.
    pub failed: Option<(String, String)>,
    /// What nobody knows yet, and what to do: it stays until it was read.
    pub unclear: Option<(String, String)>,
}

impl fmt::Debug for Balance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Balance")
            .field("status", &self.status)
            .field("receiving", &self.receiving)
            .field("sending", &self.sending)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

impl Balance {
    /// What is in the wallet, if there is one.
    pub fn holdings(&self) -> Option<&Holdings> {
        match &self.status {
            Some(WalletStatus::Open(holdings)) => Some(holdings),
            _ => None,
        }
    }

    /// What is asked, taken back: what Escape does here.
    pub fn closing(&self) -> Option<Action> {
        if self.removing.is_some() {
            Some(Action::AskRemove(None))
        } else if self.revealing {
            Some(Action::AskReveal(false))
        } else {
            matches!(self.sending, Sending::Confirm(_)).then_some(Action::Dismiss)
        }
    }

    /// The limit in the form: `Ok(None)` for none.
    pub fn limit(&self) -> Result<Option<u64>, &'static str> {
        match self.limit.trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| words::NEEDS_LIMIT),
        }
    }

    /// Whether the mint in the form can be added, or why not.
    pub fn can_add(&self) -> Result<(), &'static str> {
        if self.url.trim().is_empty() {
            return Err(words::NEEDS_MINT);
        }
        self.limit().map(drop)
    }

    /// Whether there are enough words to restore a wallet from, or why not.
    pub fn can_restore(&self) -> Result<(), &'static str> {
        let words = self.restoring.as_deref().unwrap_or_default().split_whitespace().count();
        if matches!(words, 12 | 15 | 18 | 21 | 24) { Ok(()) } else { Err(words::NEEDS_PHRASE) }
    }

    /// Whether something can be received as typed, or why not.
    pub fn can_receive(&self) -> Result<(), &'static str> {
        let typed = self.incoming.trim();
        if typed.starts_with("cashu") {
            return Ok(());
        }
        match typed.parse::<u64>() {
            Ok(sats) if sats > 0 => self.has_mint(),
            _ => Err(words::NEEDS_INCOMING),
        }
    }

    /// Whether something can be sent as typed, or why not.
    pub fn can_send(&self) -> Result<(), &'static str> {
        let typed = self.outgoing.trim();
        if typed.to_lowercase().starts_with("ln") {
            return self.has_mint();
        }
        match typed.parse::<u64>() {
            Ok(sats) if sats > 0 => self.has_mint(),
            _ => Err(words::NEEDS_OUTGOING),
        }
    }

    fn has_mint(&self) -> Result<(), &'static str> {
        let any = self.holdings().is_some_and(|holdings| !holdings.mints.is_empty());
        if any { Ok(()) } else { Err(words::NEEDS_MINT_FIRST) }
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Status(Load::Ready(status)) => {
                (self.status, self.broken) = (Some(status), None);
            }
            Event::Status(Load::Failed(why)) => self.broken = Some(why),
            Event::Status(Load::Busy) => {}
            Event::Made(words) => {
                self.is_new = !std::mem::take(&mut self.revealing);
                (self.words, self.quiz) = (Some(words), None);
            }
            Event::Restored => self.restoring = None,
            Event::Receiving(receiving) => {
                if matches!(receiving, Receiving::Done(_)) {
                    self.incoming.clear();
                }
                self.receiving = receiving;
            }
            Event::Sending(sending) => {
                if matches!(sending, Sending::Token(_) | Sending::Paid { .. }) {
                    self.outgoing.clear();
                }
                self.sending = sending;
            }
            Event::Added => {
                self.url.clear();
                self.limit.clear();
            }
            Event::Unclear(what, why) => {
                self.wait_no_longer();
                self.unclear = Some((what, why));
            }
            Event::Failed(what, why) => {
                self.wait_no_longer();
                self.failed = Some((what, why));
            }
        }
    }

    /// What was under way has ended.
    fn wait_no_longer(&mut self) {
        if matches!(self.receiving, Receiving::Asking | Receiving::Invoice { .. }) {
            self.receiving = Receiving::Idle;
        }
        if matches!(self.sending, Sending::Asking | Sending::Busy(_)) {
            self.sending = Sending::Idle;
        }
    }

    fn ask_for_words(&mut self, step: &QuizStep) {
        match step {
            QuizStep::Begin => self.quiz = self.words.as_ref().map(Quiz::about),
            QuizStep::Word(number, Secret(typed)) => {
                if let Some((_, word)) = self.quiz.as_mut().and_then(|quiz| quiz.asked.get_mut(*number)) {
                    word.clone_from(typed);
                }
            }
            QuizStep::Check => {
                if let (Some(quiz), Some(words)) = (&mut self.quiz, &self.words) {
                    quiz.wrong = !quiz.is_right(words);
                    if !quiz.wrong {
                        (self.words, self.quiz) = (None, None);
                    }
                }
            }
            QuizStep::Back => self.quiz = None,
        }
    }

    /// Does what needs no looking up.
    pub fn perform(&mut self, action: &Action) {
        self.failed = None;
        match action {
            Action::Create | Action::AddMint | Action::Restore | Action::Reveal | Action::Reclaim(_) => {}
            Action::AskRemove(mint) => self.removing.clone_from(mint),
            Action::RemoveMint(_) => self.removing = None,
            Action::Phrase(typed) => self.restoring = typed.clone().map(|typed| typed.0),
            Action::AskReveal(asked) => self.revealing = *asked,
            Action::HideWords => (self.words, self.quiz) = (None, None),
            Action::Quiz(step) => self.ask_for_words(step),
            Action::Url(text) => self.url.clone_from(text),
            Action::Limit(text) => self.limit.clone_from(text),
            Action::Incoming(Secret(text)) => self.incoming.clone_from(text),
            Action::Outgoing(Secret(text)) => self.outgoing.clone_from(text),
            Action::Receive => self.receiving = Receiving::Asking,
            Action::LeaveInvoice => self.receiving = Receiving::Idle,
            Action::Send => self.sending = Sending::Asking,
            Action::Confirm => {
                if let Sending::Confirm(order) = std::mem::take(&mut self.sending) {
                    self.sending = Sending::Busy(order);
                }
            }
            Action::Dismiss => {
                self.unclear = None;
                if !matches!(self.sending, Sending::Busy(_)) {
                    self.sending = Sending::Idle;
                }
                if matches!(self.receiving, Receiving::Done(_)) {
                    self.receiving = Receiving::Idle;
                }
            }
        }
    }
}
