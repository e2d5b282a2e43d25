//! What is known of the table behind an answer, as far as it was looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use frlm_client::run::{Found, Opened, RowOrder, ShownColumn, ShownRow, Wanted, Which};

use crate::desktop::screens::load::Load;

/// Rows that are asked for at once.
pub const PAGE: usize = 100;
/// Pages that are kept: more than are ever in sight.
const MOST_PAGES: usize = 40;

/// Numbers of rows, in the order in which they are looked at.
type Rows = Arc<Vec<u32>>;

/// What the engine reports.
#[derive(Debug, Clone)]
pub enum Event {
    /// The table is open, with its rows and those that the query found, or cannot be.
    Opened(Box<Result<(Opened, [Rows; 2]), String>>),
    /// Rows were found, or could not be looked for.
    Rows(Which, u64, Result<Rows, String>),
    /// What stands in a page of them.
    Page(Which, u64, usize, Vec<ShownRow>),
    /// What SQL found, with its rows, or why it was not run.
    Ran(Result<(Found, Rows), String>),
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Opens it.
    Open,
    /// Only rows with this text.
    Filter(Which, String),
    /// Only the cited rows, or all of them.
    OnlyCited(bool),
    /// In this order.
    Order(Which, RowOrder),
    /// The columns from this one on.
    Columns(Which, usize),
    /// A page has come into sight.
    Page(Which, usize),
    /// Shows the query as SQL, or hides it.
    ShowSql(bool),
    /// The SQL as it is typed.
    Sql(String),
    /// Runs it.
    Run,
    /// Back to the query of the answer.
    Restore,
    /// Asks the question by another reading.
    AskBy(usize),
    /// Saves rows as CSV through the system's dialogue.
    Export(Which),
}

/// Rows as they are looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// What their cells are.
    pub columns: Vec<ShownColumn>,
    /// Which rows, and how they stand.
    pub wanted: Wanted,
    /// The first column in sight.
    pub first_column: usize,
    /// The numbers of the rows that were found.
    pub rows: Load<Arc<Vec<u32>>>,
    /// Counts what was wanted: reports for something else are dropped.
    pub revision: u64,
    /// For what the rows were found that are there.
    pub of_revision: u64,
    pages: BTreeMap<usize, Arc<Vec<ShownRow>>>,
    asked: BTreeSet<usize>,
}

impl Sheet {
    /// A row by its position, once it was read.
    pub fn row(&self, position: usize) -> Option<&ShownRow> {
        self.pages.get(&(position / PAGE))?.get(position % PAGE)
    }

    /// Whether a page is neither there nor on its way.
    pub fn lacks(&self, page: usize) -> bool {
        !self.pages.contains_key(&page) && !self.asked.contains(&page)
    }

    /// How many rows were found.
    pub fn count(&self) -> usize {
        self.rows.ready().map_or(0, |rows| rows.len())
    }

    fn want(&mut self, change: impl FnOnce(&mut Wanted)) {
        change(&mut self.wanted);
        self.revision += 1;
    }

    fn apply(&mut self, revision: u64, rows: Result<Arc<Vec<u32>>, String>) {
        if revision == self.revision {
            self.rows = rows.map_or_else(Load::Failed, Load::Ready);
            self.of_revision = revision;
            self.pages.clear();
            self.asked.clear();
        }
    }

    fn keep(&mut self, revision: u64, page: usize, rows: Vec<ShownRow>) {
        if revision != self.of_revision {
            return;
        }
        if self.pages.len() >= MOST_PAGES {
            self.pages.clear();
            self.asked.clear();
        }
        self.pages.insert(page, Arc::new(rows));
        self.asked.remove(&page);
    }
}

/// The table behind an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Behind {
    /// The table as it was opened; `None`: nobody has looked yet.
    pub opened: Option<Load<Opened>>,
    /// Its rows.
    pub file: Sheet,
    /// Rows that the query found.
    pub found: Sheet,
    /// What it found.
    pub result: Option<Found>,
    /// The SQL as it is edited, while it is shown.
    pub sql: Option<String>,
    /// Whether SQL of the user gave what is shown as found.
    pub is_own: bool,
    /// While SQL is running: whether it is the user's.
    pub running: Option<bool>,
    /// Why the SQL was not run.
    pub refused: Option<String>,
}

impl Behind {
    /// The table, once it is open.
    pub fn open(&self) -> Option<&Opened> {
        self.opened.as_ref()?.ready()
    }

    /// Some rows of it.
    pub fn sheet(&self, which: Which) -> &Sheet {
        match which {
            Which::File => &self.file,
            Which::Found => &self.found,
        }
    }

    fn sheet_mut(&mut self, which: Which) -> &mut Sheet {
        match which {
            Which::File => &mut self.file,
            Which::Found => &mut self.found,
        }
    }

    /// Whether what the query found says more than the answer does.
    pub fn shows_found(&self) -> bool {
        self.sql.is_some() || self.result.as_ref().is_some_and(|found| !found.is_one_value())
    }

    fn take(&mut self, found: Found, rows: Arc<Vec<u32>>) {
        let (columns, revision) = (found.columns.clone(), self.found.revision + 1);
        let of_revision = revision;
        self.found = Sheet { columns, revision, of_revision, rows: Load::Ready(rows), ..Sheet::default() };
        self.result = Some(found);
    }

    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Opened(opened) => match *opened {
                Ok((opened, [file, found])) => {
                    self.file.columns.clone_from(&opened.columns);
                    self.file.rows = Load::Ready(file);
                    self.take(opened.found.clone(), found);
                    self.opened = Some(Load::Ready(opened));
                }
                Err(why) => self.opened = Some(Load::Failed(why)),
            },
            Event::Rows(which, revision, rows) => self.sheet_mut(which).apply(revision, rows),
            Event::Page(which, revision, page, rows) => self.sheet_mut(which).keep(revision, page, rows),
            Event::Ran(ran) => {
                let is_own = self.running.take().unwrap_or(false);
                match ran {
                    Ok((found, rows)) => {
                        (self.refused, self.is_own) = (None, is_own);
                        self.take(found, rows);
                    }
                    Err(why) => self.refused = Some(why),
                }
            }
        }
    }

    /// Changes what is shown. `sql` is the query of the answer.
    pub fn perform(&mut self, action: &Action, sql: &str) {
        match action {
            Action::Open => self.opened = Some(Load::Busy),
            Action::Filter(which, text) => {
                self.sheet_mut(*which).want(|wanted| wanted.text.clone_from(text));
            }
            Action::OnlyCited(only) => {
                let cited = self.open().map(|opened| opened.cited.clone()).filter(|_| *only);
                self.file.want(|wanted| wanted.lines = cited);
            }
            Action::Order(which, order) => self.sheet_mut(*which).want(|wanted| wanted.order = *order),
            Action::Columns(which, first) => self.sheet_mut(*which).first_column = *first,
            Action::Page(which, page) => drop(self.sheet_mut(*which).asked.insert(*page)),
            Action::ShowSql(shown) => {
                self.sql = shown.then(|| self.sql.take().unwrap_or_else(|| sql.to_owned()));
            }
            Action::Sql(typed) => self.sql = Some(typed.clone()),
            Action::Run => self.running = Some(true),
            Action::Restore => (self.sql, self.running) = (Some(sql.to_owned()), Some(false)),
            Action::AskBy(_) | Action::Export(_) => {}
        }
    }
}
