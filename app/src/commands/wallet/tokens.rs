//! Tokens of this home's wallet that nobody has taken.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::home::Home;
use crate::purse;
use crate::units::lasting;

/// Lists them, after asking their mints; or takes them back.
pub async fn tokens(take_back: bool, json: bool, home: &Home) -> anyhow::Result<()> {
    let wallet = purse::need(home).await?;
    wallet.look_up_tokens().await?;
    let tokens = wallet.tokens_out().await?;
    let now_secs = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    if tokens.is_empty() {
        note!("every token that this wallet made was taken");
    }
    for token in tokens {
        let back = if take_back { Some(wallet.take_token_back(&token.id).await) } else { None };
        let failed = back.as_ref().and_then(|back| back.as_ref().err()).map(ToString::to_string);
        let received = back.and_then(Result::ok);
        if json {
            say!(
                "{}",
                serde_json::json!({
                    "mint": token.mint, "sats": token.amount.0, "at_secs": token.at_secs, "token": token.text,
                    "taken_back_sats": received.map(|sats| sats.0), "failed": failed,
                })
            );
            continue;
        }
        let age = lasting(now_secs.saturating_sub(token.at_secs).saturating_mul(1_000));
        match (received, failed) {
            (Some(received), _) => say!("{received} are back at {}", token.mint),
            (None, Some(failed)) => {
                say!(
                    "{} at {} are not back: {}",
                    token.amount,
                    token.mint,
                    frlm_protocol::printable(&failed)
                );
            }
            (None, None) => say!("{} at {}, made {age} ago\n{}", token.amount, token.mint, token.text),
        }
    }
    Ok(())
}
