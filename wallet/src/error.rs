//! What can go wrong between a wallet and its mints, and what a mint's refusal is about.

use std::path::PathBuf;
use std::sync::Arc;

use crate::amount::Sats;
use crate::peer_words;

/// Why the wallet did not do what it was asked, and whether sats may have moved.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WalletError {
    /// Not an address of a mint.
    #[error("`{0}` is no address of a mint; write it as https://mint.example")]
    BadMint(String),
    /// Not on the list.
    #[error("{mint} is not among the mints you trust; if you do: frlm wallet mints add {mint}")]
    MintNotAllowed {
        /// Its address.
        mint: String,
    },
    /// No mint at all.
    #[error("the wallet has no mint yet; name one you trust: frlm wallet mints add https://…")]
    NoMint,
    /// Its sats may be worth something, and the wallet's are not.
    #[error(
        "the sats of this wallet are play money, worth nothing; {mint} belongs in a wallet of its own: --home DIR"
    )]
    PlayMoney {
        /// Its address.
        mint: String,
    },
    /// It did not answer when it was to be put on the list.
    #[error(
        "{mint} cannot be reached as a mint ({reason}); it was not added: check the address, or try again once the \
         mint answers"
    )]
    NotAdded {
        /// Its address.
        mint: String,
        /// In words.
        reason: String,
    },
    /// It is on the list, and did not say what it has of this wallet's words.
    #[error(
        "{mint} may hold your sats, but cannot be reached ({reason}), so it was not searched for sats of this wallet's \
         words: once it answers, frlm wallet mints add {mint} again, with its --limit if it has one"
    )]
    NotSearched {
        /// Its address.
        mint: String,
        /// In words.
        reason: String,
    },
    /// The mint would hold more than its limit.
    #[error(
        "{mint} may hold {limit}; it holds {held} and {more} would be added: let it hold more with \
         frlm wallet mints add {mint} --limit SATS"
    )]
    OverLimit {
        /// Its address.
        mint: String,
        /// Its limit.
        limit: Sats,
        /// What it holds.
        held: Sats,
        /// What would be added.
        more: Sats,
    },
    /// Not enough sats.
    #[error("{needed} needed, {available} available at {mint}; add some: frlm wallet receive SATS")]
    InsufficientFunds {
        /// Its address.
        mint: String,
        /// With fees.
        needed: Sats,
        /// What is there to spend.
        available: Sats,
    },
    /// The mint's fees have risen since sats were reserved for it.
    #[error(
        "{mint} takes more than when {most} were reserved: it would cost {cost} now; no sats have moved, and the next \
         try counts its fees again"
    )]
    Dearer {
        /// Its address.
        mint: String,
        /// With fees.
        cost: Sats,
        /// What was reserved.
        most: Sats,
    },
    /// The mint refused, so that nothing has moved.
    #[error("{mint} refused: {reason}; no sats have moved")]
    Refused {
        /// Its address.
        mint: String,
        /// In the mint's words.
        reason: String,
    },
    /// The mint takes no request of that size, so that nothing has moved.
    #[error("{mint} refused: {reason}; no sats have moved")]
    TooLarge {
        /// Its address.
        mint: String,
        /// In the mint's words.
        reason: String,
        /// How many proofs it takes at once, where it says so.
        most: Option<usize>,
    },
    /// Another wallet of the same words has used what this one would have used next.
    #[error(
        "another wallet of the same words is ahead of this one at {mint}; no sats have moved: try again, and use one \
         wallet only"
    )]
    CounterCollision {
        /// Its address.
        mint: String,
    },
    /// Nobody knows whether the mint did it.
    #[error(
        "{mint} did not answer clearly ({reason}); the sats stay reserved until it does: frlm wallet recover"
    )]
    Unclear {
        /// Its address.
        mint: String,
        /// In words.
        reason: String,
    },
    /// The mint answered something that no honest mint answers.
    #[error("{mint} answered wrongly: {what}; consider leaving it")]
    Lying {
        /// Its address.
        mint: String,
        /// What was wrong.
        what: String,
    },
    /// Nothing is to be moved.
    #[error("0 sats are nothing to send; name an amount of at least one sat")]
    Nothing,
    /// A token's sats were spent before.
    #[error("the mint says that these sats were spent before")]
    AlreadySpent,
    /// Not a token.
    #[error("this is no Cashu token that can be used here: {0}")]
    BadToken(String),
    /// Not an invoice, or not the right one.
    #[error("this invoice cannot be paid: {0}")]
    BadInvoice(String),
    /// Waited for and not paid.
    #[error("the invoice was not paid in time; once it is: frlm wallet recover")]
    NotPaid,
    /// Sats are kept in a file that cannot be used.
    #[error("{}: {reason}", path.display())]
    Storage {
        /// The file.
        path: PathBuf,
        /// In words.
        reason: String,
    },
    /// The seed's file.
    #[error(transparent)]
    Vault(Arc<crate::seed::vault::VaultError>),
    /// A bug or an impossible answer of the library.
    #[error("{0}")]
    Internal(String),
}

impl WalletError {
    /// What a mint's answer means. Only a clear refusal means that nothing has moved.
    pub(crate) fn from_mint(mint: &str, error: &cdk::Error) -> Self {
        let mint = mint.to_owned();
        match error {
            cdk::Error::TokenAlreadySpent => Self::AlreadySpent,
            // Weighed before the library says it: see `doubt`.
            cdk::Error::PaymentFailed => Self::Refused { mint, reason: "it could not pay".to_owned() },
            error if is_about_size(error) => {
                Self::TooLarge { mint, reason: in_words(error), most: named_most(error) }
            }
            error if error.is_definitive_failure() => Self::Refused { mint, reason: in_words(error) },
            error => Self::Unclear { mint, reason: in_words(error) },
        }
    }

    /// Whether it is certain that nothing has moved and nothing will. After any other error sats
    /// count as gone until it is known.
    pub fn is_certain(&self) -> bool {
        matches!(
            self,
            Self::BadMint(_)
                | Self::MintNotAllowed { .. }
                | Self::NoMint
                | Self::PlayMoney { .. }
                | Self::NotAdded { .. }
                | Self::NotSearched { .. }
                | Self::OverLimit { .. }
                | Self::InsufficientFunds { .. }
                | Self::Dearer { .. }
                | Self::Refused { .. }
                | Self::TooLarge { .. }
                | Self::CounterCollision { .. }
                | Self::Nothing
                | Self::AlreadySpent
                | Self::BadToken(_)
                | Self::BadInvoice(_)
        )
    }

    /// Whether the mint has said no, so that nothing has moved and nothing will.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::TooLarge { .. })
    }

    pub(crate) fn internal(error: impl std::fmt::Display) -> Self {
        Self::Internal(peer_words::safe(&error.to_string()))
    }
}

/// Whether a mint refused a request because there is too much in it. Nutshell answers 422, what stands before a mint
/// 413, and some mints say it in words only.
pub(crate) fn is_about_size(error: &cdk::Error) -> bool {
    match error {
        cdk::Error::MaxInputsExceeded { .. }
        | cdk::Error::MaxOutputsExceeded { .. }
        | cdk::Error::BatchSizeExceeded { .. }
        | cdk::Error::HttpError(Some(413 | 422), _) => true,
        cdk::Error::HttpError(Some(400..500), words) | cdk::Error::UnknownErrorResponse(words) => {
            let words = words.to_lowercase();
            ["inputs", "outputs", "proofs"].iter().any(|what| {
                words.contains(&format!("too many {what}")) || words.contains(&format!("maximum {what}"))
            })
        }
        _ => false,
    }
}

/// How many proofs a mint takes at once, where its refusal says so.
pub(crate) fn named_most(error: &cdk::Error) -> Option<usize> {
    match error {
        cdk::Error::MaxInputsExceeded { max, .. } | cdk::Error::MaxOutputsExceeded { max, .. } => {
            Some(*max).filter(|max| *max > 0)
        }
        _ => None,
    }
}

/// The library's words, without the status that it writes where there is none. They hold what the mint says, which may
/// hold what it was sent.
pub(crate) fn in_words(error: &cdk::Error) -> String {
    peer_words::safe(&match error {
        cdk::Error::HttpError(None, words) => words.clone(),
        cdk::Error::Timeout => "no answer in time".to_owned(),
        cdk::Error::HttpError(Some(status), words) => format!("it answers {status}: {words}"),
        error => error.to_string(),
    })
}

impl From<crate::seed::vault::VaultError> for WalletError {
    fn from(error: crate::seed::vault::VaultError) -> Self {
        Self::Vault(Arc::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mint_that_does_not_answer_is_named_with_what_happened_and_no_status() {
        let said = |status| {
            let error = cdk::Error::HttpError(status, "Connection refused".to_owned());
            WalletError::from_mint("https://mint.example", &error).to_string()
        };
        let begins = |words: &str| format!("https://mint.example did not answer clearly ({words})");
        assert!(said(None).starts_with(&begins("Connection refused")), "{}", said(None));
        assert!(!said(Some(500)).contains("Some"), "{}", said(Some(500)));
    }

    #[test]
    fn a_refusal_for_size_is_told_from_every_other_one() {
        let is_size = |error: &cdk::Error| {
            let error = WalletError::from_mint("https://mint.example", error);
            assert_eq!(error.is_refusal(), error.is_certain(), "{error}");
            matches!(error, WalletError::TooLarge { .. })
        };
        for status in [413, 422] {
            assert!(is_size(&cdk::Error::HttpError(Some(status), "no".to_owned())));
        }
        assert!(is_size(&cdk::Error::MaxInputsExceeded { actual: 60, max: 50 }));
        assert!(is_size(&cdk::Error::HttpError(Some(400), "Too many inputs".to_owned())));
        assert!(is_size(&cdk::Error::UnknownErrorResponse("code: 0, detail: too many outputs".to_owned())));
        for status in [400, 404, 429, 500, 502] {
            assert!(!is_size(&cdk::Error::HttpError(Some(status), "later".to_owned())));
        }
        assert_eq!(named_most(&cdk::Error::MaxOutputsExceeded { actual: 60, max: 50 }), Some(50));
        assert_eq!(named_most(&cdk::Error::MaxInputsExceeded { actual: 0, max: 0 }), None);
    }

    #[test]
    fn proofs_that_a_mint_sends_back_in_its_error_are_in_no_message() {
        let proof = "9a1f293253e41e5b".repeat(4);
        let body =
            format!(r#"{{"detail":"too many inputs","inputs":[{{"C":"02{proof}","secret":"{proof}"}}]}}"#);
        for error in [cdk::Error::HttpError(Some(422), body.clone()), cdk::Error::Custom(body.clone())] {
            for shown in [
                WalletError::from_mint("https://mint.example", &error).to_string(),
                WalletError::internal(&error).to_string(),
            ] {
                assert!(shown.contains("too many inputs") && !shown.contains(&proof[..24]), "{shown}");
            }
        }
    }
}
