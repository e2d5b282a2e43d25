//! What seals the wallet.

use frlm_client::home::Home;
use frlm_client::wallet_passphrase;

use crate::streams::secret;

/// Sets, changes or drops the passphrase.
pub fn passphrase(drop: bool, json: bool, home: &Home) -> anyhow::Result<()> {
    let resealed = wallet_passphrase::change(home, drop, secret)?;
    if json {
        say!("{}", resealed.as_json());
    } else {
        say!("{resealed}");
    }
    Ok(())
}
