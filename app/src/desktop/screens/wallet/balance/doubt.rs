//! What is said where a mint was asked to do something and nobody knows whether it did: that is not known, the sats are
//! safe, and what to do.

use frlm_client::protocol::printable;
use frlm_client::wallet::WalletError;

use super::action::Event;
use crate::desktop::engine::runs::words;
use crate::desktop::screens::wallet::words;

/// What a mint was asked for when something went wrong, so that sats may be on their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// To exchange a token.
    Token,
    /// To say whether an invoice is paid, and for its sats.
    Invoice,
    /// To pay an invoice, or for a token.
    Sending,
}

/// What came of receiving when it failed; nothing was asked for if it failed before that.
pub fn not_received(asked: Option<Asked>, error: &anyhow::Error) -> Event {
    told(asked, error, words::RECEIVED_UNCLEAR, words::NOT_RECEIVED)
}

/// What came of taking a token back when it failed.
pub fn not_taken_back(error: &anyhow::Error) -> Event {
    told(Some(Asked::Token), error, words::REDEEMED_UNCLEAR, words::NOT_REDEEMED)
}

/// What came of sending when it failed.
pub fn not_sent(error: &anyhow::Error) -> Event {
    told(Some(Asked::Sending), error, words::SENT_UNCLEAR, words::NOT_SENT)
}

fn told(asked: Option<Asked>, error: &anyhow::Error, unclear: &str, failed: &str) -> Event {
    match in_doubt(asked, error) {
        Some(why) => Event::Unclear(unclear.to_owned(), why),
        None => Event::Failed(failed.to_owned(), words(error)),
    }
}

/// What is so, what is safe and what to do, where a mint was asked and nobody knows what it did. The wallet finishes it
/// when it is opened alone the next time, which this window keeps anybody from while it has it open.
fn in_doubt(asked: Option<Asked>, error: &anyhow::Error) -> Option<String> {
    let Some(WalletError::Unclear { mint, reason }) = error.downcast_ref::<WalletError>() else {
        return None;
    };
    let (mint, reason) = (printable(mint), printable(reason));
    let (safe, then) = match asked? {
        Asked::Token => (words::UNCLEAR_TOKEN, words::UNCLEAR_TOKEN_THEN),
        Asked::Invoice => (words::UNCLEAR_INVOICE, words::UNCLEAR_INVOICE_THEN),
        Asked::Sending => (words::UNCLEAR_SENT, words::UNCLEAR_SENT_THEN),
    };
    Some(words::unclear(&mint, &reason, safe, then))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sats_that_may_be_on_their_way_are_not_said_to_be_nowhere() {
        let unclear = || -> anyhow::Error {
            let (mint, reason) = ("https://mint.example".to_owned(), "it timed out".to_owned());
            WalletError::Unclear { mint, reason }.into()
        };
        let Event::Unclear(_, sending) = not_sent(&unclear()) else { panic!("it may have been sent") };
        assert!(sending.contains("Do not send them a second time"), "{sending}");
        let Event::Unclear(what, _) = not_taken_back(&unclear()) else { panic!("it may have been redeemed") };
        assert!(what.contains("was redeemed"), "{what}");
        for (asked, then) in [(Asked::Token, "receive the token again"), (Asked::Invoice, "was not paid")] {
            let Event::Unclear(what, why) = not_received(Some(asked), &unclear()) else {
                panic!("{asked:?}")
            };
            assert!(what.contains("not known yet") && why.contains(then), "{what}: {why}");
            let begins = "https://mint.example did not answer clearly (it timed out). If";
            assert!(why.starts_with(begins), "{why}");
        }
        // Where no mint was asked for sats yet, and where it has refused, nothing is on its way.
        let spent = anyhow::Error::from(WalletError::AlreadySpent);
        for (asked, error) in [(None, unclear()), (Some(Asked::Token), spent)] {
            let Event::Failed(what, _) = not_received(asked, &error) else { panic!("{error}") };
            assert_eq!(what, "Nothing was received");
        }
    }
}
