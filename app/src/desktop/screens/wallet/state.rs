//! What the wallet screen knows.

use frlm_client::wallet_audit::HomeAudit;

use super::balance::{self, Balance};
use super::view::meaning;
use crate::desktop::screens::load::Load;
use crate::desktop::widgets::{Order, SortKey, Sorted, Unit};

/// A run's account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The run's id.
    pub run: String,
    /// As asked; empty if the run itself was deleted.
    pub question: String,
    /// Unix milliseconds.
    pub opened_at_ms: u64,
    /// What it was paid in, as far as its record says.
    pub unit: Unit,
    /// Where its sats are.
    pub sums: Sums,
}

/// `limit = spent + reserved + pending_refund + available`, always; `spent` includes the fees and what is owed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// The most that may be spent.
    pub limit: u64,
    /// Paid, or possibly paid.
    pub spent: u64,
    /// The part of `spent` that went to fees.
    pub fees: u64,
    /// The part of `spent` that is owed: the work counts, and its provider is still to be paid.
    pub owed: u64,
    /// Set aside for attempts under way.
    pub reserved: u64,
    /// On its way back.
    pub pending_refund: u64,
    /// Free.
    pub available: u64,
}

impl Sums {
    /// All accounts in sats together; play money is no money. Sums of sats that exist cannot
    /// overflow; invented ones stop at the top.
    pub fn of(accounts: &[Account]) -> Self {
        accounts.iter().filter(|account| account.unit == Unit::Sats).fold(
            Self::default(),
            |total, account| {
                let sums = account.sums;
                Self {
                    limit: total.limit.saturating_add(sums.limit),
                    spent: total.spent.saturating_add(sums.spent),
                    fees: total.fees.saturating_add(sums.fees),
                    owed: total.owed.saturating_add(sums.owed),
                    reserved: total.reserved.saturating_add(sums.reserved),
                    pending_refund: total.pending_refund.saturating_add(sums.pending_refund),
                    available: total.available.saturating_add(sums.available),
                }
            },
        )
    }
}

/// One transition of a run's money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Order of all things in the ledger.
    pub sequence: i64,
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// In a word.
    pub what: &'static str,
    /// Subtask and attempt; none for the run's limit.
    pub whose: Option<(u32, u32)>,
    /// The amount that it names.
    pub sats: Option<u64>,
}

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// All accounts, newest first.
    Accounts {
        /// The accounts, or why the ledger cannot be read.
        accounts: Load<Vec<Account>>,
        /// Unix milliseconds of the look.
        now_ms: u64,
    },
    /// A run's history.
    History {
        /// Which run.
        run: String,
        /// Its steps, newest first, or why they cannot be read.
        steps: Load<Vec<Step>>,
    },
    /// What the audit found.
    Audited(Load<HomeAudit>),
    /// For the sats themselves.
    Balance(balance::Event),
}

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    /// What each run was given and what became of it.
    #[default]
    Runs,
    /// The sats themselves.
    Balance,
    /// Every payment through escrow.
    Payments,
}

/// A table of this screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// The runs' accounts.
    Accounts,
    /// The history of the chosen one.
    Steps,
    /// Every payment.
    Payments,
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Looks again.
    Reload,
    /// Shows a run's history.
    Choose(String),
    /// Compares ledger, wallet, receipts and mints.
    Audit,
    /// Shows the sats themselves, or what runs did with them.
    Tab(Tab),
    /// In which order a table stands.
    Sort(Listed, Option<Order>),
    /// For the sats themselves.
    Balance(balance::Action),
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Wallet {
    /// What is shown.
    pub tab: Tab,
    /// The sats themselves.
    pub balance: Balance,
    /// All accounts.
    pub accounts: Load<Vec<Account>>,
    /// All of them together.
    pub total: Sums,
    /// When they were read.
    pub now_ms: u64,
    /// The run whose history is shown.
    pub chosen: Option<String>,
    /// Its history.
    pub history: Load<Vec<Step>>,
    /// The audit, once it was asked for.
    pub audit: Option<Load<HomeAudit>>,
    /// How the accounts are sorted.
    pub by_account: Sorted,
    /// How the chosen one's history is.
    pub by_step: Sorted,
    /// How the payments are.
    pub by_payment: Sorted,
}

impl Wallet {
    /// The chosen account.
    pub fn chosen(&self) -> Option<&Account> {
        let chosen = self.chosen.as_deref()?;
        self.accounts.ready()?.iter().find(|account| account.run == chosen)
    }

    /// Whether what the open tab shows cannot be read.
    pub fn is_unread(&self) -> bool {
        match self.tab {
            Tab::Runs => matches!(self.accounts, Load::Failed(_)),
            // While its words are shown, nothing else is.
            Tab::Balance | Tab::Payments => self.balance.broken.is_some() && self.balance.words.is_none(),
        }
    }

    /// Whether the open tab says that an audit failed, which it does beside what was read.
    pub fn is_unaudited(&self) -> bool {
        self.tab == Tab::Runs
            && !matches!(self.accounts, Load::Busy)
            && matches!(self.audit, Some(Load::Failed(_)))
    }

    /// What is asked on the open tab, taken back: what Escape does here.
    pub fn closing(&self) -> Option<Action> {
        self.balance.closing().filter(|_| self.tab == Tab::Balance).map(Action::Balance)
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Accounts { accounts, now_ms } => {
                self.total = accounts.ready().map(|accounts| Sums::of(accounts)).unwrap_or_default();
                (self.accounts, self.now_ms) = (accounts, now_ms);
            }
            Event::History { run, steps } if self.chosen.as_ref() == Some(&run) => self.history = steps,
            Event::History { .. } => {}
            Event::Audited(audit) => self.audit = Some(audit),
            Event::Balance(event) => self.balance.apply(event),
        }
        self.sort();
    }

    /// Does what needs no looking up.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Reload => {
                if !matches!(self.accounts, Load::Ready(_)) {
                    self.accounts = Load::Busy;
                }
            }
            Action::Choose(run) => {
                self.chosen = Some(run.clone());
                self.history = Load::Busy;
            }
            Action::Audit => {
                self.audit = Some(Load::Busy);
                self.tab = Tab::Runs;
            }
            Action::Tab(tab) => self.tab = *tab,
            Action::Sort(listed, order) => {
                let sorted = match listed {
                    Listed::Accounts => &mut self.by_account,
                    Listed::Steps => &mut self.by_step,
                    Listed::Payments => &mut self.by_payment,
                };
                sorted.choose(*order);
                self.sort();
            }
            Action::Balance(action) => self.balance.perform(action),
        }
    }

    /// By columns of the tables.
    fn sort(&mut self) {
        let accounts = self.accounts.ready().map_or(&[][..], Vec::as_slice);
        self.by_account.sort(accounts.len(), |row, column| {
            let Account { question, opened_at_ms, sums, .. } = &accounts[row];
            match column {
                0 => SortKey::Number(*opened_at_ms),
                1 => SortKey::words(question),
                2 => SortKey::Number(sums.limit),
                3 => SortKey::Number(sums.spent),
                4 => SortKey::Number(sums.reserved),
                _ => SortKey::Number(sums.available),
            }
        });
        let steps = self.history.ready().map_or(&[][..], Vec::as_slice);
        self.by_step.sort(steps.len(), |row, column| {
            let step = &steps[row];
            match column {
                0 => SortKey::number(u64::try_from(step.sequence).ok()),
                1 => SortKey::Number(step.at_ms),
                2 => SortKey::words(meaning(step.what).2),
                3 => SortKey::number(step.whose.map(|(subtask, attempt)| {
                    // Attempts stand within their subtask.
                    (u64::from(subtask) << 32) | u64::from(attempt)
                })),
                _ => SortKey::number(step.sats),
            }
        });
        let payments = self.balance.holdings().map_or(&[][..], |holdings| holdings.payments.as_slice());
        self.by_payment.sort(payments.len(), |row, column| balance::payment_key(&payments[row], column));
    }
}
