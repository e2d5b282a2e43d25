//! The ledger, opened once for everything that the window only reads in it: opening one enters a new
//! owner, which is a change that nobody need hear of.

use std::sync::Arc;

use frlm_client::wallet::Ledger;
use tokio::sync::Mutex;

use frlm_client::home::Home;

/// The ledger of the home, once there is one. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Books(Arc<Mutex<Option<Ledger>>>);

impl Books {
    /// The ledger; none before a run or a command has made one.
    pub async fn ledger(&self, home: &Home) -> anyhow::Result<Option<Ledger>> {
        let mut held = self.0.lock().await;
        let path = home.ledger();
        if held.is_none() && std::fs::metadata(&path).is_ok_and(|file| file.len() > 0) {
            *held = Some(home.open_ledger().await?);
        }
        Ok(held.clone())
    }
}
