//! What was paid for questions that got no answer, by who paid: it counts for the same key's next question, since a
//! Lightning payment cannot be given back.
//!
//! ```text
//!   bill ─► paid, in time or later ─► claimed ─► a run begins ─┬─ answered, called off ─► all of it is spent
//!   (on disk)     (on disk)              ▲  │     (on disk)    └─ no answer, killed ─► set aside, until the ledger knows
//!                                        │  └─ not begun ─┐                            what it cost: that is spent
//!                                        └── what is left ┴◄───────────────────────────┘
//! ```
//!
//! An invoice can be paid when nobody waits for that any more. So bills are written down before they are sent, and looked
//! up when their payer comes again. A claim that is dropped while its run is under way counts as spent, else whoever calls
//! questions off could have as many runs as they like for one payment.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;
use frlm_wallet::Sats;
use frlm_wallet::cashu::Invoice;
use nostr::PublicKey;
use serde::{Deserialize, Serialize};

/// Bills that are kept, for somebody may pay them yet; the oldest go first.
const MOST_BILLS: usize = 1_000;
/// Bills of one payer that are looked up at once.
const MOST_LOOKED_UP: usize = 8;
/// Payers that are known although they have nothing left.
const MOST_PAYERS: usize = 10_000;

/// What the payers of a service have left. One process at a time has its file, as it has the service's key.
#[derive(Debug)]
pub struct Credits {
    path: PathBuf,
    accounts: Mutex<Accounts>,
}

#[derive(Debug, Default)]
struct Accounts {
    book: Book,
    /// Sats of `book.left` that are set aside for runs that have not begun.
    claimed: HashMap<PublicKey, u64>,
    /// Those of `book.begun` that this process asks.
    under_way: HashSet<String>,
}

/// As on disk.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Book {
    /// Sats of everybody who has paid, also those that are claimed; 0 where all of it is spent.
    left: BTreeMap<PublicKey, u64>,
    /// The newest last.
    bills: VecDeque<Bill>,
    /// Claims whose runs have begun, by run: set aside until it is known what is spent of them.
    begun: BTreeMap<String, Begun>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Begun {
    payer: PublicKey,
    sats: u64,
}

/// An invoice that somebody was sent, and that no payment was seen of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bill {
    payer: PublicKey,
    mint: String,
    quote: String,
    sats: u64,
}

/// Sats that a question may cost.
#[derive(Debug)]
pub struct Claim {
    credits: Arc<Credits>,
    payer: PublicKey,
    amount: u64,
    run: Option<String>,
    has_no_answer: bool,
}

impl Bill {
    /// What somebody owes for a question.
    pub fn of(payer: PublicKey, invoice: &Invoice) -> Self {
        Self { payer, mint: invoice.mint.clone(), quote: invoice.quote.clone(), sats: invoice.amount.0 }
    }

    /// As the wallet looks it up.
    pub fn invoice(&self) -> Invoice {
        Invoice {
            mint: self.mint.clone(),
            quote: self.quote.clone(),
            bolt11: String::new(),
            amount: Sats(self.sats),
            expires_at: 0,
        }
    }
}

impl Credits {
    /// Opens the file; one that is not there is empty.
    pub fn open(path: PathBuf) -> anyhow::Result<Arc<Self>> {
        let book = match std::fs::read(&path) {
            // So a home makes it, for its owner alone.
            Ok(text) if text.is_empty() => Book::default(),
            Ok(text) => serde_json::from_slice(&text).with_context(|| {
                let path = path.display();
                format!("{path} cannot be read; it says what askers have left: mend it, or move it away to forget that")
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => Book::default(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let accounts = Mutex::new(Accounts { book, ..Accounts::default() });
        Ok(Arc::new(Self { path, accounts }))
    }

    /// Whether somebody has paid here before.
    pub fn knows(&self, payer: &PublicKey) -> bool {
        self.accounts().book.left.contains_key(payer)
    }

    /// Writes down what somebody is about to be asked for.
    pub fn billed(&self, bill: Bill) -> anyhow::Result<()> {
        let mut accounts = self.accounts();
        let bills = &mut accounts.book.bills;
        bills.push_back(bill);
        if bills.len() > MOST_BILLS {
            bills.pop_front();
        }
        self.save(&accounts.book)
    }

    /// What somebody was asked for and may have paid, the newest first.
    pub fn bills(&self, payer: PublicKey) -> Vec<Bill> {
        let accounts = self.accounts();
        let theirs = accounts.book.bills.iter().rev().filter(|bill| bill.payer == payer);
        theirs.take(MOST_LOOKED_UP).cloned().collect()
    }

    /// Writes down that a bill was paid: once, whoever sees it.
    pub fn paid(&self, bill: &Bill) -> anyhow::Result<()> {
        let mut accounts = self.accounts();
        let book = &mut accounts.book;
        let Some(at) = book.bills.iter().position(|known| known == bill) else { return Ok(()) };
        book.bills.remove(at);
        let left = book.left.entry(bill.payer).or_default();
        *left = left.saturating_add(bill.sats);
        if book.left.len() > MOST_PAYERS {
            book.left.retain(|_, left| *left > 0);
        }
        self.save(&accounts.book)
    }

    /// Sets so much of what a payer has left aside for a question; `None` if that is not enough.
    pub fn claim(self: &Arc<Self>, payer: PublicKey, amount: Sats) -> Option<Claim> {
        let mut accounts = self.accounts();
        if accounts.free(&payer) < amount.0 {
            return None;
        }
        *accounts.claimed.entry(payer).or_default() += amount.0;
        Some(Claim { credits: Arc::clone(self), payer, amount: amount.0, run: None, has_no_answer: false })
    }

    /// Runs for a payer that are over without an answer, also by the end of an earlier process.
    pub fn unsettled(&self, payer: PublicKey) -> Vec<String> {
        let accounts = self.accounts();
        let theirs = accounts.book.begun.iter().filter(|(_, begun)| begun.payer == payer);
        let over = theirs.map(|(run, _)| run).filter(|run| !accounts.under_way.contains(*run));
        over.take(MOST_LOOKED_UP).cloned().collect()
    }

    /// Settles one of them, which has cost so much: the rest of its claim is there for another question.
    pub fn ended(&self, run: &str, cost: Sats) -> anyhow::Result<()> {
        let mut accounts = self.accounts();
        accounts.book.end(run, cost.0);
        self.save(&accounts.book)
    }

    fn save(&self, book: &Book) -> anyhow::Result<()> {
        let context = || format!("cannot write {}", self.path.display());
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder).with_context(context)?;
        serde_json::to_writer(&mut file, book).with_context(context)?;
        file.flush().and_then(|()| file.as_file().sync_all()).with_context(context)?;
        file.persist(&self.path).with_context(context)?;
        Ok(())
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Accounts {
    /// Sats of a payer that nothing is set aside of.
    fn free(&self, payer: &PublicKey) -> u64 {
        let left = self.book.left.get(payer).copied().unwrap_or(0);
        let claimed = self.claimed.get(payer).copied().unwrap_or(0);
        let begun = self.book.begun.values().filter(|begun| begun.payer == *payer);
        begun.fold(left.saturating_sub(claimed), |free, begun| free.saturating_sub(begun.sats))
    }

    fn release(&mut self, payer: &PublicKey, amount: u64) {
        if let Some(claimed) = self.claimed.get_mut(payer) {
            *claimed = claimed.saturating_sub(amount);
        }
        self.claimed.retain(|_, claimed| *claimed > 0);
    }
}

impl Book {
    /// A run is over, and so much of what was claimed for it is spent.
    fn end(&mut self, run: &str, spent: u64) {
        let Some(begun) = self.begun.remove(run) else { return };
        if let Some(left) = self.left.get_mut(&begun.payer) {
            *left = left.saturating_sub(spent.min(begun.sats));
        }
    }
}

impl Claim {
    /// Its run begins: from here on all of it is spent, unless there is no answer.
    pub fn begin(&mut self, run: &str) -> anyhow::Result<()> {
        let mut accounts = self.credits.accounts();
        accounts.book.begun.insert(run.to_owned(), Begun { payer: self.payer, sats: self.amount });
        if let Err(error) = self.credits.save(&accounts.book) {
            accounts.book.begun.remove(run);
            return Err(error);
        }
        accounts.release(&self.payer, self.amount);
        accounts.under_way.insert(run.to_owned());
        self.run = Some(run.to_owned());
        Ok(())
    }

    /// Ends it where there was no answer: what its run cost, the ledger knows sooner or later ([`Credits::unsettled`]).
    pub fn no_answer(mut self) {
        self.has_no_answer = true;
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut accounts = self.credits.accounts();
        let Some(run) = &self.run else {
            accounts.release(&self.payer, self.amount);
            return;
        };
        accounts.under_way.remove(run);
        if self.has_no_answer {
            return;
        }
        accounts.book.end(run, self.amount);
        if let Err(error) = self.credits.save(&accounts.book) {
            // On disk its run is under way: the next process takes off what it cost.
            tracing::warn!(%error, "what an asker has left could not be written");
        }
    }
}

#[cfg(test)]
mod tests {
    use nostr::Keys;

    use super::*;

    fn bill(payer: PublicKey, quote: &str, sats: u64) -> Bill {
        Bill { payer, mint: "https://mint".to_owned(), quote: quote.to_owned(), sats }
    }

    fn pay(credits: &Credits, bill: &Bill) {
        credits.billed(bill.clone()).unwrap();
        credits.paid(bill).unwrap();
    }

    fn begun(credits: &Arc<Credits>, payer: PublicKey, sats: u64, run: &str) -> Claim {
        let mut claim = credits.claim(payer, Sats(sats)).unwrap();
        claim.begin(run).unwrap();
        claim
    }

    #[test]
    fn what_was_paid_survives_a_restart_less_what_questions_cost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credit.json");
        // As a home makes it.
        std::fs::write(&path, "").unwrap();
        let open = || Credits::open(path.clone()).unwrap();
        let (ada, ben) = (Keys::generate().public_key(), Keys::generate().public_key());
        let credits = open();
        assert!(credits.claim(ada, Sats(1)).is_none() && !credits.knows(&ada));
        pay(&credits, &bill(ada, "a", 50));
        let first = begun(&credits, ada, 30, "first");
        assert!(credits.claim(ada, Sats(30)).is_none(), "the same sats are not claimed twice");
        assert!(credits.claim(ben, Sats(1)).is_none(), "nor by somebody else");
        // Killed while a question is under way that had cost 12.
        std::mem::forget(first);
        let credits = open();
        assert!(credits.claim(ada, Sats(21)).is_none(), "nobody knows yet what it cost");
        assert!(credits.unsettled(ben).is_empty());
        assert_eq!(credits.unsettled(ada), ["first"]);
        credits.ended("first", Sats(12)).unwrap();
        assert!(open().unsettled(ada).is_empty() && credits.claim(ada, Sats(39)).is_none());
        // Called off before its run began: nothing is spent.
        drop(credits.claim(ada, Sats(38)).unwrap());
        // No answer, and its run had cost 8.
        let second = begun(&credits, ada, 30, "second");
        assert!(credits.unsettled(ada).is_empty(), "it is under way");
        second.no_answer();
        assert!(credits.claim(ada, Sats(9)).is_none(), "its sats are set aside still");
        assert_eq!(credits.unsettled(ada), ["second"]);
        credits.ended("second", Sats(8)).unwrap();
        // Answered, or called off.
        drop(begun(&credits, ada, 20, "third"));
        let credits = open();
        assert!(credits.claim(ada, Sats(11)).is_none());
        drop(begun(&credits, ada, 10, "fourth"));
        assert!(open().claim(ada, Sats(1)).is_none() && open().knows(&ada), "who has paid is known");
    }

    #[test]
    fn a_bill_that_is_paid_late_counts_once_for_who_was_billed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credit.json");
        let (ada, ben) = (Keys::generate().public_key(), Keys::generate().public_key());
        let credits = Credits::open(path.clone()).unwrap();
        let late = bill(ada, "late", 20);
        credits.billed(late.clone()).unwrap();
        credits.billed(bill(ben, "never", 20)).unwrap();
        assert!(credits.claim(ada, Sats(1)).is_none());
        let credits = Credits::open(path.clone()).unwrap();
        assert_eq!(credits.bills(ada), std::slice::from_ref(&late));
        credits.paid(&late).unwrap();
        credits.paid(&late).unwrap();
        assert!(credits.bills(ada).is_empty() && credits.claim(ada, Sats(21)).is_none());
        assert!(Credits::open(path).unwrap().claim(ada, Sats(20)).is_some());
    }

    #[test]
    fn bills_that_nobody_pays_take_no_more_than_so_much_room() {
        let folder = tempfile::tempdir().unwrap();
        let credits = Credits::open(folder.path().join("credit.json")).unwrap();
        let ada = Keys::generate().public_key();
        let bills = (0..MOST_BILLS).map(|number| bill(ada, &number.to_string(), 1));
        credits.accounts().book.bills.extend(bills);
        credits.billed(bill(ada, "last", 1)).unwrap();
        let (newest, kept) = (credits.bills(ada), credits.accounts().book.bills.len());
        assert_eq!((newest.len(), kept), (MOST_LOOKED_UP, MOST_BILLS));
        assert_eq!(newest[0], bill(ada, "last", 1));
    }

    #[test]
    fn a_run_never_spends_more_of_it_than_was_claimed_and_a_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credit.json");
        let credits = Credits::open(path.clone()).unwrap();
        let ada = Keys::generate().public_key();
        pay(&credits, &bill(ada, "a", 20));
        begun(&credits, ada, 5, "run").no_answer();
        credits.ended("run", Sats(500)).unwrap();
        assert!(credits.claim(ada, Sats(15)).is_some());
        std::fs::write(&path, "{").unwrap();
        let error = format!("{:#}", Credits::open(path).unwrap_err());
        assert!(error.contains("credit.json cannot be read") && error.contains("move it away"), "{error}");
    }
}
