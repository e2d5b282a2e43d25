//! What was paid for questions that got no answer, by who paid: it counts for the same key's next question, since a
//! Lightning payment cannot be given back.
//!
//! ```text
//!   bill ─► paid, in time or later ─► claimed ─► a run begins ─┬─ answered, cancelled ─► all of it is spent
//!   (on disk)     (on disk)              ▲  │     (on disk)    └─ no answer, killed ─► reserved, until the ledger knows
//!                                        │  └─ not begun ─┐                            what it cost: that is spent
//!                                        └── what is left ┴◄───────────────────────────┘
//! ```
//!
//! An invoice can be paid when nobody waits for that any more. So bills are written down before they are sent, and looked
//! up when their payer comes again. A claim that is dropped while its run is under way counts as spent, else a payer that cancels
//! questions could have any number of runs for one payment.
//!
//! Every change is on the disk before it counts. Changes are written one after the other, on threads that may block.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;
use frlm_client::util::files;
use frlm_client::wallet::Sats;
use frlm_client::wallet::cashu::Invoice;
use nostr::PublicKey;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

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
    /// Never held while something is written.
    accounts: Mutex<Accounts>,
    /// Held by the one who writes, and by nobody outside of `writes`.
    turn: Mutex<()>,
    writes: TaskTracker,
}

#[derive(Debug, Default)]
struct Accounts {
    book: Book,
    /// Sats of `book.left` that are reserved for runs that have not begun.
    claimed: HashMap<PublicKey, u64>,
    /// Those of `book.begun` that this process asks.
    under_way: HashSet<String>,
}

/// As on disk.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Book {
    /// Sats of everybody who has paid, also those that are claimed; 0 where all of it is spent.
    left: BTreeMap<PublicKey, u64>,
    /// The newest last.
    bills: VecDeque<Bill>,
    /// Claims whose runs have begun, by run: reserved until it is known what is spent of them.
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
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Reserved,
    /// Its run is not asked yet.
    Beginning(String),
    UnderWay(String),
    Over,
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
        Ok(Arc::new(Self { path, accounts, turn: Mutex::default(), writes: TaskTracker::new() }))
    }

    /// Whether somebody has paid here before.
    pub fn knows(&self, payer: &PublicKey) -> bool {
        self.accounts().book.left.contains_key(payer)
    }

    /// Writes down what somebody is about to be asked for.
    pub async fn billed(self: &Arc<Self>, bill: Bill) -> anyhow::Result<()> {
        let add = move |book: &mut Book| {
            book.bills.push_back(bill);
            if book.bills.len() > MOST_BILLS {
                book.bills.pop_front();
            }
        };
        self.in_background(move |credits| credits.change(add, |_| ())).await?
    }

    /// What somebody was asked for and may have paid, the newest first.
    pub fn bills(&self, payer: PublicKey) -> Vec<Bill> {
        let accounts = self.accounts();
        let theirs = accounts.book.bills.iter().rev().filter(|bill| bill.payer == payer);
        theirs.take(MOST_LOOKED_UP).cloned().collect()
    }

    /// Writes down that a bill was paid: once, in any process.
    pub async fn paid(self: &Arc<Self>, bill: &Bill) -> anyhow::Result<()> {
        let bill = bill.clone();
        self.in_background(move |credits| credits.change(|book| book.pay(&bill), |_| ())).await?
    }

    /// Sets so much of what a payer has left aside for a question; `None` if that is not enough.
    pub fn claim(self: &Arc<Self>, payer: PublicKey, amount: Sats) -> Option<Claim> {
        let mut accounts = self.accounts();
        if accounts.free(&payer) < amount.0 {
            return None;
        }
        *accounts.claimed.entry(payer).or_default() += amount.0;
        Some(Claim { credits: Arc::clone(self), payer, amount: amount.0, stage: Stage::Reserved })
    }

    /// Runs for a payer that are over without an answer, also by the end of an earlier process.
    pub fn unsettled(&self, payer: PublicKey) -> Vec<String> {
        let accounts = self.accounts();
        let theirs = accounts.book.begun.iter().filter(|(_, begun)| begun.payer == payer);
        let over = theirs.map(|(run, _)| run).filter(|run| !accounts.under_way.contains(*run));
        over.take(MOST_LOOKED_UP).cloned().collect()
    }

    /// Settles one of them, which has cost so much: the rest of its claim is there for another question.
    pub async fn ended(self: &Arc<Self>, run: &str, cost: Sats) -> anyhow::Result<()> {
        let run = run.to_owned();
        self.in_background(move |credits| credits.change(|book| book.end(&run, cost.0), |_| ())).await?
    }

    /// Waits until all that has happened so far is written.
    pub async fn written(&self) {
        self.writes.close();
        self.writes.wait().await;
    }

    /// Does something that may block. It is carried through also where its caller stops waiting.
    fn in_background<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> JoinHandle<T> {
        let credits = Arc::clone(self);
        self.writes.spawn_blocking(move || work(&credits))
    }

    /// Changes the book: on the disk, then here. `then`: what changes in the same moment besides it. Blocks.
    fn change(&self, change: impl FnOnce(&mut Book), then: impl FnOnce(&mut Accounts)) -> anyhow::Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut book = self.accounts().book.clone();
        change(&mut book);
        self.save(&book)?;
        let mut accounts = self.accounts();
        accounts.book = book;
        then(&mut accounts);
        Ok(())
    }

    /// Writes down that all that a run was claimed for is spent. Blocks.
    fn spend(&self, run: &str, sats: u64) {
        let end_run = |accounts: &mut Accounts| {
            accounts.under_way.remove(run);
        };
        if let Err(error) = self.change(|book| book.end(run, sats), end_run) {
            // Its run stays under way, and its sats reserved: the next process takes off what it cost.
            tracing::warn!(%error, "what an asker has left could not be written");
        }
    }

    fn save(&self, book: &Book) -> anyhow::Result<()> {
        let written = files::replace(&self.path, &serde_json::to_vec(book)?, files::Access::Owner);
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Accounts {
    /// Sats of a payer that are not reserved.
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
    /// A bill is paid, if that is news.
    fn pay(&mut self, bill: &Bill) {
        let Some(at) = self.bills.iter().position(|known| known == bill) else { return };
        self.bills.remove(at);
        let left = self.left.entry(bill.payer).or_default();
        *left = left.saturating_add(bill.sats);
        if self.left.len() > MOST_PAYERS {
            self.left.retain(|_, left| *left > 0);
        }
    }

    /// A run is over, and so much of what was claimed for it is spent.
    fn end(&mut self, run: &str, spent: u64) {
        let Some(begun) = self.begun.remove(run) else { return };
        if let Some(left) = self.left.get_mut(&begun.payer) {
            *left = left.saturating_sub(spent.min(begun.sats));
        }
    }
}

impl Claim {
    /// Its run begins: from here on all of it is spent, unless there is no answer. One that cannot be written down is let
    /// go.
    pub async fn begin(mut self, run: &str) -> anyhow::Result<Self> {
        let (credits, run) = (Arc::clone(&self.credits), run.to_owned());
        let begin = move |credits: &Credits| {
            let begun = Begun { payer: self.payer, sats: self.amount };
            let add = |book: &mut Book| {
                book.begun.insert(run.clone(), begun);
            };
            credits.change(add, |accounts| {
                accounts.release(&begun.payer, begun.sats);
                accounts.under_way.insert(run.clone());
            })?;
            self.stage = Stage::Beginning(run);
            anyhow::Ok(self)
        };
        let mut claim = credits.in_background(begin).await??;
        if let Stage::Beginning(run) = &mut claim.stage {
            claim.stage = Stage::UnderWay(std::mem::take(run));
        }
        Ok(claim)
    }

    /// Ends it where there is an answer, which is given once it is written down that all of it is spent.
    pub async fn answered(mut self) {
        if let Stage::UnderWay(run) = std::mem::replace(&mut self.stage, Stage::Over) {
            let sats = self.amount;
            // What fails is said there.
            let _ = self.credits.in_background(move |credits| credits.spend(&run, sats)).await;
        }
    }

    /// Ends it where there was no answer: what its run cost, the ledger knows sooner or later ([`Credits::unsettled`]).
    pub fn no_answer(mut self) {
        if let Stage::UnderWay(run) = std::mem::replace(&mut self.stage, Stage::Over) {
            self.credits.accounts().under_way.remove(&run);
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Reserved => self.credits.accounts().release(&self.payer, self.amount),
            // Cancelled while that was written. No run has cost anything, and the ledger knows.
            Stage::Beginning(run) => {
                self.credits.accounts().under_way.remove(&run);
            }
            Stage::UnderWay(run) => {
                let sats = self.amount;
                if Handle::try_current().is_ok() {
                    self.credits.in_background(move |credits| credits.spend(&run, sats));
                } else {
                    self.credits.spend(&run, sats);
                }
            }
            Stage::Over => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use nostr::Keys;

    use super::*;

    fn bill(payer: PublicKey, quote: &str, sats: u64) -> Bill {
        Bill { payer, mint: "https://mint".to_owned(), quote: quote.to_owned(), sats }
    }

    async fn pay(credits: &Arc<Credits>, bill: &Bill) {
        credits.billed(bill.clone()).await.unwrap();
        credits.paid(bill).await.unwrap();
    }

    async fn begun(credits: &Arc<Credits>, payer: PublicKey, sats: u64, run: &str) -> Claim {
        credits.claim(payer, Sats(sats)).unwrap().begin(run).await.unwrap()
    }

    /// Nothing is written until what is returned is dropped.
    fn slow_disk(credits: &Arc<Credits>) -> mpsc::Sender<()> {
        let ((held, is_held), (go_on, wait)) = (mpsc::channel(), mpsc::channel());
        let credits = Arc::clone(credits);
        std::thread::spawn(move || {
            let _turn = credits.turn.lock().unwrap();
            held.send(()).unwrap();
            let _ = wait.recv();
        });
        is_held.recv().unwrap();
        go_on
    }

    #[tokio::test]
    async fn what_was_paid_survives_a_restart_less_what_questions_cost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credit.json");
        // As a home makes it.
        std::fs::write(&path, "").unwrap();
        let open = || Credits::open(path.clone()).unwrap();
        let (ada, ben) = (Keys::generate().public_key(), Keys::generate().public_key());
        let credits = open();
        assert!(credits.claim(ada, Sats(1)).is_none() && !credits.knows(&ada));
        pay(&credits, &bill(ada, "a", 50)).await;
        let first = begun(&credits, ada, 30, "first").await;
        assert!(credits.claim(ada, Sats(30)).is_none(), "the same sats are not claimed twice");
        assert!(credits.claim(ben, Sats(1)).is_none(), "nor by somebody else");
        // Killed while a question is under way that had cost 12.
        std::mem::forget(first);
        let credits = open();
        assert!(credits.claim(ada, Sats(21)).is_none(), "nobody knows yet what it cost");
        assert!(credits.unsettled(ben).is_empty());
        assert_eq!(credits.unsettled(ada), ["first"]);
        credits.ended("first", Sats(12)).await.unwrap();
        assert!(open().unsettled(ada).is_empty() && credits.claim(ada, Sats(39)).is_none());
        // Cancelled before its run began: nothing is spent.
        drop(credits.claim(ada, Sats(38)).unwrap());
        // No answer, and its run had cost 8.
        let second = begun(&credits, ada, 30, "second").await;
        assert!(credits.unsettled(ada).is_empty(), "it is under way");
        second.no_answer();
        assert!(credits.claim(ada, Sats(9)).is_none(), "its sats are reserved still");
        assert_eq!(credits.unsettled(ada), ["second"]);
        credits.ended("second", Sats(8)).await.unwrap();
        begun(&credits, ada, 20, "third").await.answered().await;
        let credits = open();
        assert!(credits.claim(ada, Sats(11)).is_none());
        // Cancelled.
        drop(begun(&credits, ada, 10, "fourth").await);
        assert!(credits.claim(ada, Sats(1)).is_none(), "also before that is written");
        credits.written().await;
        assert!(open().claim(ada, Sats(1)).is_none() && open().knows(&ada), "who has paid is known");
    }

    #[tokio::test]
    async fn a_bill_that_is_paid_late_counts_once_for_who_was_billed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credit.json");
        let (ada, ben) = (Keys::generate().public_key(), Keys::generate().public_key());
        let credits = Credits::open(path.clone()).unwrap();
        let late = bill(ada, "late", 20);
        credits.billed(late.clone()).await.unwrap();
        credits.billed(bill(ben, "never", 20)).await.unwrap();
        assert!(credits.claim(ada, Sats(1)).is_none());
        let credits = Credits::open(path.clone()).unwrap();
        assert_eq!(credits.bills(ada), std::slice::from_ref(&late));
        credits.paid(&late).await.unwrap();
        credits.paid(&late).await.unwrap();
        assert!(credits.bills(ada).is_empty() && credits.claim(ada, Sats(21)).is_none());
        assert!(Credits::open(path).unwrap().claim(ada, Sats(20)).is_some());
    }

    #[tokio::test]
    async fn bills_that_nobody_pays_take_no_more_than_so_much_room() {
        let folder = tempfile::tempdir().unwrap();
        let credits = Credits::open(folder.path().join("credit.json")).unwrap();
        let ada = Keys::generate().public_key();
        let bills = (0..MOST_BILLS).map(|number| bill(ada, &number.to_string(), 1));
        credits.accounts().book.bills.extend(bills);
        credits.billed(bill(ada, "last", 1)).await.unwrap();
        let (newest, kept) = (credits.bills(ada), credits.accounts().book.bills.len());
        assert_eq!((newest.len(), kept), (MOST_LOOKED_UP, MOST_BILLS));
        assert_eq!(newest[0], bill(ada, "last", 1));
    }

    #[tokio::test]
    async fn a_run_spends_at_most_its_claimed_credit_and_names_a_damaged_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credit.json");
        let credits = Credits::open(path.clone()).unwrap();
        let ada = Keys::generate().public_key();
        pay(&credits, &bill(ada, "a", 20)).await;
        begun(&credits, ada, 5, "run").await.no_answer();
        credits.ended("run", Sats(500)).await.unwrap();
        assert!(credits.claim(ada, Sats(15)).is_some());
        std::fs::write(&path, "{").unwrap();
        let error = format!("{:#}", Credits::open(path).unwrap_err());
        assert!(error.contains("credit.json cannot be read") && error.contains("move it away"), "{error}");
    }
    #[tokio::test]
    async fn a_payment_that_cannot_be_written_down_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let credits = Credits::open(folder.path().join("credit.json")).unwrap();
        let ada = Keys::generate().public_key();
        let bill = bill(ada, "a", 20);
        credits.billed(bill.clone()).await.unwrap();
        std::fs::remove_dir_all(folder.path()).unwrap();
        assert!(credits.paid(&bill).await.is_err());
        assert!(credits.claim(ada, Sats(1)).is_none());
        assert_eq!(credits.bills(ada), [bill], "it is looked up again");
    }

    /// On one thread: a write that blocked it would never end.
    #[tokio::test]
    async fn others_go_on_while_something_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let credits = Credits::open(folder.path().join("credit.json")).unwrap();
        let ada = Keys::generate().public_key();
        pay(&credits, &bill(ada, "a", 20)).await;
        let first = begun(&credits, ada, 5, "first").await;
        let disk = slow_disk(&credits);
        drop(first);
        let second = credits.claim(ada, Sats(15)).unwrap();
        let others = async {
            tokio::task::yield_now().await;
            assert!(credits.knows(&ada) && credits.claim(ada, Sats(1)).is_none());
            assert!(credits.unsettled(ada).is_empty(), "what the first cost is known, and is being written");
            drop(disk);
        };
        let (second, ()) = tokio::join!(second.begin("second"), others);
        drop(second.unwrap());
        credits.written().await;
        assert_eq!(Credits::open(credits.path.clone()).unwrap().accounts().book.left[&ada], 0);
    }

    #[tokio::test]
    async fn a_question_that_is_called_off_while_its_run_begins_has_spent_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let credits = Credits::open(folder.path().join("credit.json")).unwrap();
        let ada = Keys::generate().public_key();
        pay(&credits, &bill(ada, "a", 20)).await;
        let disk = slow_disk(&credits);
        let claim = credits.claim(ada, Sats(20)).unwrap();
        tokio::select! {
            biased;
            _ = claim.begin("run") => unreachable!("the disk is slow"),
            () = tokio::task::yield_now() => {}
        }
        drop(disk);
        while credits.unsettled(ada).is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // The ledger knows nothing of it.
        credits.ended("run", Sats(0)).await.unwrap();
        assert!(credits.claim(ada, Sats(20)).is_some());
    }
}
