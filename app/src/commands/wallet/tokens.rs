//! Tokens of this home's wallet that nobody has taken.

use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::util::clock::unix_secs;
use frlm_client::{ledger_report, wallet_session};

/// Lists them, after asking their mints; or redeems them again.
pub async fn tokens(reclaim: bool, json: bool, home: &Home) -> anyhow::Result<()> {
    let wallet = wallet_session::need(home).await?;
    wallet.look_up_tokens().await?;
    let tokens = wallet.tokens_out().await?;
    if tokens.is_empty() {
        note!("every token of this wallet was redeemed");
    }
    let (all, mut not_back) = (tokens.len(), 0);
    for token in tokens {
        let back = if reclaim { Some(wallet.reclaim_token(&token.id).await) } else { None };
        let failed = back.as_ref().and_then(|back| back.as_ref().err()).map(ToString::to_string);
        not_back += usize::from(failed.is_some());
        let received = back.and_then(Result::ok);
        let outcome = (received, failed.as_deref());
        if json {
            say!("{}", ledger_report::token_as_json(&token, outcome));
        } else {
            say!("{}", ledger_report::token(&token, outcome, unix_secs()));
        }
    }
    outcome(not_back, all)
}

/// A caller that asked for all of them, perhaps a script, is told if one was not redeemed.
fn outcome(not_back: usize, all: usize) -> anyhow::Result<()> {
    if not_back == 0 {
        return Ok(());
    }
    let words = format!(
        "{not_back} of {all} tokens were not redeemed; those that are still listed can be redeemed when their mint \
         answers again: frlm wallet tokens"
    );
    Err(Failure::with_code(code::FAILED, words).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frlm_client::failure::render_error;

    #[test]
    fn a_token_that_did_not_come_back_is_a_failure_and_none_is_not() {
        assert!(outcome(0, 0).is_ok() && outcome(0, 3).is_ok());
        let (words, code) = render_error(&outcome(1, 3).unwrap_err());
        assert_eq!(code, 1);
        assert!(words.starts_with("1 of 3 tokens were not redeemed"), "{words}");
    }
}
