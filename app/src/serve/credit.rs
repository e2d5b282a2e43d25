//! What was paid for questions that got no answer, by who paid: it counts for the same key's next question, since a
//! Lightning payment cannot be given back.
//!
//! ```text
//!   paid ─► on disk ─► claimed for a question ─┬─ answered, called off ─► all of it is spent
//!                             ▲                └─ no answer ─► what its run cost is spent
//!                             └────────── what is left ◄───────────────┘
//! ```
//!
//! Payments are written down before work begins: after a kill everybody still has what they had paid. A claim that is
//! dropped counts as spent, else whoever calls questions off could have as many runs as they like for one payment.

use std::collections::{BTreeMap, HashMap};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;
use frlm_wallet::Sats;
use nostr::PublicKey;

/// What the payers of a service have left. One process at a time has its file, as it has the service's key.
#[derive(Debug)]
pub struct Credits {
    path: PathBuf,
    accounts: Mutex<Accounts>,
}

#[derive(Debug, Default)]
struct Accounts {
    /// Sats, also those that are claimed; as on disk.
    left: BTreeMap<PublicKey, u64>,
    claimed: HashMap<PublicKey, u64>,
}

/// Sats that a question under way may cost.
#[derive(Debug)]
pub struct Claim {
    credits: Arc<Credits>,
    payer: PublicKey,
    amount: u64,
    /// What is spent of it when it ends.
    spent: u64,
}

impl Credits {
    /// Opens the file; one that is not there is empty.
    pub fn open(path: PathBuf) -> anyhow::Result<Arc<Self>> {
        let left = match std::fs::read(&path) {
            // So a home makes it, for its owner alone.
            Ok(text) if text.is_empty() => BTreeMap::new(),
            Ok(text) => serde_json::from_slice(&text).with_context(|| {
                let path = path.display();
                format!("{path} cannot be read; it says what askers have left: mend it, or move it away to forget that")
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let accounts = Mutex::new(Accounts { left, ..Accounts::default() });
        Ok(Arc::new(Self { path, accounts }))
    }

    /// Writes down what somebody has paid.
    pub fn paid(&self, payer: PublicKey, amount: Sats) -> anyhow::Result<()> {
        let mut accounts = self.accounts();
        let left = accounts.left.entry(payer).or_default();
        *left = left.saturating_add(amount.0);
        self.save(&accounts.left)
    }

    /// Sets so much of what a payer has left aside for a question; `None` if that is not enough.
    pub fn claim(self: &Arc<Self>, payer: PublicKey, amount: Sats) -> Option<Claim> {
        let mut accounts = self.accounts();
        let left = accounts.left.get(&payer).copied().unwrap_or(0);
        let claimed = accounts.claimed.entry(payer).or_default();
        if left.saturating_sub(*claimed) < amount.0 {
            return None;
        }
        *claimed += amount.0;
        Some(Claim { credits: Arc::clone(self), payer, amount: amount.0, spent: amount.0 })
    }

    fn save(&self, left: &BTreeMap<PublicKey, u64>) -> anyhow::Result<()> {
        let context = || format!("cannot write {}", self.path.display());
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder).with_context(context)?;
        serde_json::to_writer(&mut file, left).with_context(context)?;
        file.flush().and_then(|()| file.as_file().sync_all()).with_context(context)?;
        file.persist(&self.path).with_context(context)?;
        Ok(())
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claim {
    /// Ends it where there was no answer: the rest of it is there for another question.
    pub fn cost(mut self, spent: Sats) {
        self.spent = spent.0.min(self.amount);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut accounts = self.credits.accounts();
        if let Some(claimed) = accounts.claimed.get_mut(&self.payer) {
            *claimed = claimed.saturating_sub(self.amount);
        }
        let left = accounts.left.entry(self.payer).or_default();
        *left = left.saturating_sub(self.spent);
        accounts.left.retain(|_, left| *left > 0);
        accounts.claimed.retain(|_, claimed| *claimed > 0);
        if let Err(error) = self.credits.save(&accounts.left) {
            // Who paid keeps more than is theirs: that is no harm to them.
            tracing::warn!(%error, "what an asker has left could not be written");
        }
    }
}

#[cfg(test)]
mod tests {
    use nostr::Keys;

    use super::*;

    #[test]
    fn what_was_paid_survives_a_restart_less_what_questions_cost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credit.json");
        // As a home makes it.
        std::fs::write(&path, "").unwrap();
        let open = || Credits::open(path.clone()).unwrap();
        let (ada, ben) = (Keys::generate().public_key(), Keys::generate().public_key());
        let credits = open();
        assert!(credits.claim(ada, Sats(1)).is_none());
        credits.paid(ada, Sats(50)).unwrap();
        let first = credits.claim(ada, Sats(30)).unwrap();
        assert!(credits.claim(ada, Sats(30)).is_none(), "the same sats are not claimed twice");
        assert!(credits.claim(ben, Sats(1)).is_none(), "nor by somebody else");
        // Killed while a question is under way: nothing is spent.
        std::mem::forget(first);
        let credits = open();
        // No answer, and its run had cost 12.
        credits.claim(ada, Sats(30)).unwrap().cost(Sats(12));
        assert!(credits.claim(ada, Sats(39)).is_none());
        // Answered, or called off.
        drop(credits.claim(ada, Sats(30)));
        let credits = open();
        assert!(credits.claim(ada, Sats(9)).is_none());
        drop(credits.claim(ada, Sats(8)).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}");
    }

    #[test]
    fn a_run_never_spends_more_of_it_than_was_claimed_and_a_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credit.json");
        let credits = Credits::open(path.clone()).unwrap();
        let ada = Keys::generate().public_key();
        credits.paid(ada, Sats(20)).unwrap();
        credits.claim(ada, Sats(5)).unwrap().cost(Sats(500));
        assert!(credits.claim(ada, Sats(15)).is_some());
        std::fs::write(&path, "{").unwrap();
        let error = format!("{:#}", Credits::open(path).unwrap_err());
        assert!(error.contains("credit.json cannot be read") && error.contains("move it away"), "{error}");
    }
}
