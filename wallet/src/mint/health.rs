//! Which mints do not answer, since when, and when each is asked again by itself.
//!
//! ```text
//!  answers ──no answer in time, or no connection──► silent ──pause over──► asked once more ──┐
//!     ▲                                               ▲                                      │
//!     └───────────────── any answer ──────────────────┼──────────── silent again: the pause doubles
//! ```
//!
//! During the pause whatever looks after the wallet by itself leaves the mint alone: opening, the watch over refunds, a
//! provider's payments. What somebody asks for now is tried all the same. Silences are in the journal, so that a program
//! that is started once a minute does not wait for the same mint each time.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cdk::mint_url::MintUrl;
use rusqlite::{Transaction, params};

use super::address::parse_mint;
use crate::error::WalletError;
use crate::journal::{Journal, now_ms};

/// The pause after the first silence, and the longest one.
const FIRST_PAUSE: Duration = Duration::from_secs(15);
const LONGEST_PAUSE: Duration = Duration::from_mins(10);

/// Which mints are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// All: somebody waits for what comes of it.
    All,
    /// Those that do not rest after a silence.
    Due,
    /// The same, and a mint that says nothing for a moment is not waited for.
    Passing,
}

/// A mint that does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SilentMint {
    /// Its address.
    pub url: String,
    /// Since when; seconds since 1970.
    pub since_secs: u64,
    /// When it is asked again by itself; seconds since 1970.
    pub next_at_secs: u64,
    /// In words.
    pub reason: String,
}

impl fmt::Display for SilentMint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = u64::try_from(now_ms() / 1_000).unwrap_or(0);
        let (for_secs, in_secs) =
            (now.saturating_sub(self.since_secs), self.next_at_secs.saturating_sub(now));
        write!(
            formatter,
            "{} has not answered for {for_secs} s ({}); it is asked again by itself in {in_secs} s, and at once by: \
             frlm wallet recover",
            self.url, self.reason
        )
    }
}

/// What is known of the mints of one wallet.
#[derive(Debug)]
pub(crate) struct Health {
    journal: Journal,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    silent: HashMap<MintUrl, Silence>,
    /// When each has answered last in this session.
    heard: HashMap<MintUrl, Instant>,
    /// When each has last failed to answer in this session.
    missed: HashMap<MintUrl, Instant>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Silence {
    since_ms: i64,
    /// How often it was asked in vain, pauses in between.
    times: u32,
    next_at_ms: i64,
    reason: String,
}

impl Health {
    /// What earlier processes have found.
    pub async fn load(journal: &Journal) -> Result<Self, WalletError> {
        let silent = journal.write(read).await?;
        let known = Known { silent, ..Known::default() };
        Ok(Self { journal: journal.clone(), known: Mutex::new(known) })
    }

    /// A mint has answered, whatever it said.
    pub async fn answered(&self, mint: &MintUrl) {
        let was_silent = {
            let mut known = self.known();
            known.heard.insert(mint.clone(), Instant::now());
            known.silent.remove(mint).is_some()
        };
        if was_silent {
            let name = mint.to_string();
            let forget = move |transaction: &Transaction<'_>| {
                transaction.execute("DELETE FROM silences WHERE mint = ?1", [name])
            };
            note_failure(self.journal.write(forget).await);
        }
    }

    /// A mint has not answered.
    pub async fn silent(&self, mint: &MintUrl, reason: String) {
        let (name, now) = (mint.to_string(), now_ms());
        let silence = {
            let mut known = self.known();
            known.missed.insert(mint.clone(), Instant::now());
            let known = known.silent.entry(mint.clone()).or_insert_with(|| Silence {
                since_ms: now,
                times: 0,
                next_at_ms: now,
                reason: String::new(),
            });
            // Of requests that were on their way together the first counts.
            if now < known.next_at_ms {
                return;
            }
            let pause = FIRST_PAUSE.saturating_mul(1 << known.times.min(16)).min(LONGEST_PAUSE);
            known.times = known.times.saturating_add(1);
            known.next_at_ms = now.saturating_add(i64::try_from(pause.as_millis()).unwrap_or(i64::MAX));
            known.reason = reason;
            known.clone()
        };
        let note = move |transaction: &Transaction<'_>| {
            transaction.execute(
                "INSERT OR REPLACE INTO silences (mint, since_ms, times, next_at_ms, reason)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![name, silence.since_ms, silence.times, silence.next_at_ms, silence.reason],
            )
        };
        note_failure(self.journal.write(note).await);
    }

    /// Mints that are left alone for now.
    pub fn resting(&self, ask: Ask) -> HashSet<MintUrl> {
        let now = now_ms();
        let rests = |silence: &Silence| ask != Ask::All && now < silence.next_at_ms;
        let known = self.known();
        known.silent.iter().filter(|(_, silence)| rests(silence)).map(|(mint, _)| mint.clone()).collect()
    }

    /// Whether a mint has answered anything since a moment.
    pub fn heard_since(&self, mint: &MintUrl, moment: Instant) -> bool {
        self.known().heard.get(mint).is_some_and(|heard| *heard >= moment)
    }

    /// Whether a mint has failed to answer anything since a moment.
    pub fn missed_since(&self, mint: &MintUrl, moment: Instant) -> bool {
        self.known().missed.get(mint).is_some_and(|missed| *missed >= moment)
    }

    /// Mints that did not answer when they were asked last.
    pub fn all_silent(&self) -> Vec<SilentMint> {
        let secs = |milliseconds: i64| u64::try_from(milliseconds / 1_000).unwrap_or(0);
        let silent = |(mint, silence): (&MintUrl, &Silence)| SilentMint {
            url: mint.to_string(),
            since_secs: secs(silence.since_ms),
            next_at_secs: secs(silence.next_at_ms),
            reason: silence.reason.clone(),
        };
        let mut found: Vec<SilentMint> = self.known().silent.iter().map(silent).collect();
        found.sort_by(|one, other| one.url.cmp(&other.url));
        found
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is not written down holds for this session all the same.
fn note_failure(written: Result<usize, WalletError>) {
    if let Err(error) = written {
        tracing::debug!(%error, "whether a mint answers is not written down");
    }
}

fn read(transaction: &Transaction<'_>) -> Result<HashMap<MintUrl, Silence>, rusqlite::Error> {
    let mut statement =
        transaction.prepare("SELECT mint, since_ms, times, next_at_ms, reason FROM silences")?;
    let rows = statement.query_map([], |row| {
        let silence = Silence {
            since_ms: row.get(1)?,
            times: row.get(2)?,
            next_at_ms: row.get(3)?,
            reason: row.get(4)?,
        };
        Ok((row.get::<_, String>(0)?, silence))
    })?;
    let mut silent = HashMap::new();
    for row in rows {
        let (mint, silence) = row?;
        if let Ok(mint) = parse_mint(&mint) {
            silent.insert(mint, silence);
        }
    }
    Ok(silent)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn health(folder: &tempfile::TempDir) -> Health {
        Health::load(&Journal::open(&folder.path().join("journal.sqlite")).unwrap()).await.unwrap()
    }

    /// The pause after a silence at this moment, as if the one before was over.
    async fn pause(health: &Health, mint: &MintUrl) -> i64 {
        if let Some(silence) = health.known().silent.get_mut(mint) {
            silence.next_at_ms = 0;
        }
        let before = now_ms();
        health.silent(mint, "no answer".to_owned()).await;
        let next = health.known().silent[mint].next_at_ms;
        (next - before) / 1_000
    }

    #[tokio::test]
    async fn a_mint_rests_longer_with_each_silence_and_not_at_all_once_it_answers() {
        let folder = tempfile::tempdir().unwrap();
        let (health, mint) = (health(&folder).await, parse_mint("https://mint.example").unwrap());
        assert!(health.resting(Ask::Due).is_empty());
        for at_least in [15, 30, 60, 120] {
            assert!((at_least..at_least * 2).contains(&pause(&health, &mint).await));
        }
        for _ in 0..40 {
            assert!(pause(&health, &mint).await <= 620, "it is asked every ten minutes at least");
        }
        assert_eq!(health.resting(Ask::Due).len(), 1);
        assert!(health.resting(Ask::All).is_empty(), "a caller that waits for it asks it");
        health.answered(&mint).await;
        assert!(health.resting(Ask::Due).is_empty() && health.all_silent().is_empty());
    }

    #[tokio::test]
    async fn requests_that_fail_together_are_one_silence() {
        let folder = tempfile::tempdir().unwrap();
        let (health, mint) = (health(&folder).await, parse_mint("https://mint.example").unwrap());
        for _ in 0..10 {
            health.silent(&mint, "no answer".to_owned()).await;
        }
        assert_eq!(health.known().silent[&mint].times, 1);
    }

    #[tokio::test]
    async fn the_next_process_knows_which_mints_rest() {
        let folder = tempfile::tempdir().unwrap();
        let mint = parse_mint("https://mint.example").unwrap();
        health(&folder).await.silent(&mint, "no answer".to_owned()).await;
        let next = health(&folder).await;
        assert_eq!(next.resting(Ask::Due).len(), 1);
        assert!(next.all_silent()[0].to_string().contains("https://mint.example has not answered for"));
        next.answered(&mint).await;
        assert!(health(&folder).await.all_silent().is_empty());
    }
}
