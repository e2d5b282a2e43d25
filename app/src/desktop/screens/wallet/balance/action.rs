//! What the user asks for on the wallet screen, and what the engine reports.

use super::holdings::WalletStatus;
use super::state::{Receiving, Secret, Sending};
use crate::desktop::screens::load::Load;

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// Whether there is a wallet, and what is in it.
    Status(Load<WalletStatus>),
    /// The words of a wallet: it was made, or they were asked for.
    Made(Secret),
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuizStep {
    /// They are: some of them are asked for.
    Begin,
    /// One of those, by its number among them, as typed.
    Word(usize, Secret),
    /// Those are the words.
    Check,
    /// Shows the words once more.
    Back,
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Makes a wallet with new words.
    Create,
    /// The words were looked at again, and are to be hidden.
    HideWords,
    /// Whether the new words are written down.
    Quiz(QuizStep),
    /// The words of a wallet that is to be restored, as typed; `None`: none is.
    Phrase(Option<Secret>),
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
    Incoming(Secret),
    /// Redeems the token, or asks for an invoice.
    Receive,
    /// Shows the invoice no more. A later payment still counts.
    LeaveInvoice,
    /// An amount or an invoice, as typed.
    Outgoing(Secret),
    /// Takes a token back that nobody has taken.
    Reclaim(String),
    /// Looks up what sending would mean.
    Send,
    /// The user agrees.
    Confirm,
    /// The user does not, or has seen enough.
    Dismiss,
}
