//! What the user asks for on the wallet screen, and what the engine reports.

use std::fmt;

use super::holdings::WalletStatus;
use super::state::{Receiving, Sending, Words};
use crate::desktop::screens::load::Load;

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// Whether there is a wallet, and what is in it.
    Status(Load<WalletStatus>),
    /// The words of a wallet: it was made, or they were asked for.
    Made(Words),
    /// A wallet was restored.
    Restored,
    /// How receiving stands.
    Receiving(Receiving),
    /// How sending stands.
    Sending(Sending),
    /// The mint in the form is on the list now.
    Added,
    /// Something did not work: what, and why.
    Failed(String, String),
    /// Nobody knows whether sats have moved: what is not known, and what is so, what is safe and what to do.
    Unclear(String, String),
}

/// How it is found out whether new words are written down.
#[derive(Clone, PartialEq, Eq)]
pub enum QuizStep {
    /// They are: some of them are asked for.
    Begin,
    /// One of those, by its number among them, as typed.
    Word(usize, String),
    /// Those are the words.
    Check,
    /// Shows the words once more.
    Back,
}

/// What the user asks for.
#[derive(Clone, PartialEq, Eq)]
pub enum Action {
    /// Makes a wallet with new words.
    Create,
    /// The words were looked at again, and are to be hidden.
    HideWords,
    /// Whether the new words are written down.
    Quiz(QuizStep),
    /// The words of a wallet that is to be restored, as typed; `None`: none is.
    Phrase(Option<String>),
    /// Restores the wallet of those words.
    Restore,
    /// Asks whether the words should be shown, or not after all.
    AskReveal(bool),
    /// Shows the words.
    Reveal,
    /// A mint's address, as typed.
    Url(String),
    /// Its limit, as typed.
    Limit(String),
    /// Puts the mint in the form on the list.
    AddMint,
    /// Asks whether a mint that holds sats should go off the list, or not after all.
    AskRemove(Option<String>),
    /// Takes a mint off the list.
    RemoveMint(String),
    /// An amount or a token, as typed.
    Incoming(String),
    /// Redeems the token, or asks for an invoice.
    Receive,
    /// Shows the invoice no more. A later payment still counts.
    LeaveInvoice,
    /// An amount or an invoice, as typed.
    Outgoing(String),
    /// Takes a token back that nobody has taken.
    Reclaim(String),
    /// Looks up what sending would mean.
    Send,
    /// The user agrees.
    Confirm,
    /// The user does not, or has seen enough.
    Dismiss,
}

impl fmt::Debug for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is typed may be a token, and a token is money.
        formatter.write_str(match self {
            Self::Create => "Create",
            Self::HideWords => "HideWords",
            Self::Quiz(_) => "Quiz",
            Self::Phrase(_) => "Phrase",
            Self::Restore => "Restore",
            Self::AskReveal(_) => "AskReveal",
            Self::Reveal => "Reveal",
            Self::Url(_) => "Url",
            Self::Limit(_) => "Limit",
            Self::AddMint => "AddMint",
            Self::AskRemove(_) => "AskRemove",
            Self::RemoveMint(_) => "RemoveMint",
            Self::Incoming(_) => "Incoming",
            Self::Receive => "Receive",
            Self::LeaveInvoice => "LeaveInvoice",
            Self::Outgoing(_) => "Outgoing",
            Self::Reclaim(_) => "Reclaim",
            Self::Send => "Send",
            Self::Confirm => "Confirm",
            Self::Dismiss => "Dismiss",
        })
    }
}
