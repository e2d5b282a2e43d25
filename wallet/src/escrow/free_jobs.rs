//! Jobs that a provider gave away on a day, kept so that a restart gives none of them again.

use rusqlite::{Transaction, params};

use crate::error::WalletError;
use crate::journal::sql;
use crate::mint::CashuWallet;

impl CashuWallet {
    /// Notes that `provider` gave a job to `asker` on a day, counted from 1970; what was given on earlier ones is
    /// forgotten.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn note_free_job(&self, provider: String, asker: String, day: u64) -> Result<(), WalletError> {
        let work = move |transaction: &Transaction<'_>| {
            transaction.execute("DELETE FROM gifts WHERE day < ?1", [sql(day)])?;
            let note = "INSERT INTO gifts (provider, asker, day, jobs) VALUES (?1, ?2, ?3, 1)
                        ON CONFLICT (provider, asker, day) DO UPDATE SET jobs = jobs + 1";
            transaction.execute(note, params![provider, asker, sql(day)]).map(drop)
        };
        self.inner.journal.write(work).await
    }

    /// Whom `provider` gave how many jobs on a day.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn free_jobs(&self, provider: String, day: u64) -> Result<Vec<(String, u32)>, WalletError> {
        let read = move |transaction: &Transaction<'_>| {
            let mut statement =
                transaction.prepare("SELECT asker, jobs FROM gifts WHERE provider = ?1 AND day = ?2")?;
            let rows =
                statement.query_map(params![provider, sql(day)], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        };
        self.inner.journal.write(read).await
    }
}

#[cfg(test)]
mod tests {
    use crate::mint::{CashuWallet, Money};
    use crate::seed::{Phrase, Seed};

    async fn opened(folder: &tempfile::TempDir, seed: &Seed) -> CashuWallet {
        CashuWallet::open(folder.path(), seed.clone(), Money::Play).await.unwrap().0
    }

    #[tokio::test]
    async fn what_was_given_on_a_day_outlives_the_process_and_not_the_day() {
        let (folder, seed) = (tempfile::tempdir().unwrap(), Phrase::generate().seed());
        let wallet = opened(&folder, &seed).await;
        let give = async |wallet: &CashuWallet, provider: &str, asker: &str, day: u64| {
            wallet.note_free_job(provider.to_owned(), asker.to_owned(), day).await.unwrap();
        };
        give(&wallet, "mine", "a", 20_000).await;
        give(&wallet, "mine", "a", 20_000).await;
        give(&wallet, "mine", "b", 20_000).await;
        give(&wallet, "another", "a", 20_000).await;
        drop(wallet);
        let wallet = opened(&folder, &seed).await;
        let free_jobs = async |day: u64| {
            let mut free_jobs = wallet.free_jobs("mine".to_owned(), day).await.unwrap();
            free_jobs.sort();
            free_jobs
        };
        assert_eq!(free_jobs(20_000).await, [("a".to_owned(), 2), ("b".to_owned(), 1)]);
        give(&wallet, "mine", "b", 20_001).await;
        assert_eq!(free_jobs(20_001).await, [("b".to_owned(), 1)]);
        assert!(free_jobs(20_000).await.is_empty());
    }
}
