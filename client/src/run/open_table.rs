//! The table behind an answer that code computed, open for a person: its rows, what was found, other readings of the question,
//! and SQL that the person writes, which can only read.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::Path;

use anyhow::Context as _;
use frlm_conductor::store::Store;
use frlm_conductor::trace::TraceEvent;
use frlm_protocol::{one_line, printable};
use frlm_questions::answer::{Answer, Reading};
use frlm_questions::plan::{Outcome as Came, Queried};
use frlm_tables::Table;
use frlm_tables::query::{Cell, Outcome, RowOrder, Series, ShownRow, Wanted};

use super::document_tables::{InDocument, all_tables};
use super::read_by_model::meaning_of;
use super::readings::{ModelsReply, OtherReading, Read, readings};
use super::sources::request;
use crate::documents::Documents;
use crate::failure::Failure;
use crate::home::Home;

/// Other readings that are offered.
const MOST_READINGS: usize = 4;
/// Characters of a cell that are shown; all of them are exported.
const LONGEST_CELL: usize = 300;

/// A column as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownColumn {
    /// Its name.
    pub name: String,
    /// Whether its cells are numbers, which end at the same edge.
    pub is_number: bool,
}

/// What a query found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What its cells are.
    pub columns: Vec<ShownColumn>,
    /// How many rows.
    pub rows: usize,
    /// Whether more rows were found than are kept.
    pub is_cut: bool,
    /// The same as a series, if it is one.
    pub series: Option<Series>,
}

impl Found {
    /// Whether it is one value, which the answer says already.
    pub fn is_one_value(&self) -> bool {
        self.rows <= 1 && self.columns.len() <= 1
    }
}

/// A table as it was opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The columns of the file's table.
    pub columns: Vec<ShownColumn>,
    /// How many rows it has.
    pub rows: u64,
    /// Lines of the file that the answer cites.
    pub cited: Vec<u32>,
    /// What the reading of the answer found.
    pub found: Found,
    /// Other ways to read the question, the surest first.
    pub readings: Vec<OtherReading>,
    /// Whether the reading is of two tables; SQL of a person is run over one of them.
    pub is_joined: bool,
}

/// Which rows are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Which {
    /// Those of the file's table.
    File,
    /// Those that a query found.
    Found,
}

/// What a provider replied to the question of a run, with what readers found for it; `None` where none was asked.
fn reply_of_provider(
    home: &Home,
    run_id: &str,
    sources: &[InDocument<'_>],
) -> anyhow::Result<Option<ModelsReply>> {
    let records = Store::open(&home.store())?.trace(run_id)?.records;
    let verified = records.iter().filter_map(|record| match &record.event {
        TraceEvent::Verified { key, outcome, .. } => Some((key.as_str(), outcome)),
        _ => None,
    });
    // A part may be told of again, with what a second reader added.
    let outcomes: HashMap<&str, &Came> = verified.collect();
    let query = outcomes.values().find_map(|outcome| match outcome {
        Came::Queried(Queried::Query(text)) => Some(text.clone()),
        _ => None,
    });
    let Some(text) = query else { return Ok(None) };
    let meaning = sources.iter().find_map(|source| meaning_of(&source.table, &text));
    let answers = outcomes.values().filter_map(|outcome| match outcome {
        Came::Mapped(answer) => Some(answer),
        _ => None,
    });
    let meant =
        meaning.map(|meaning| answers.flat_map(|answer| meaning.lines(answer).collect::<Vec<_>>()).collect());
    Ok(Some(ModelsReply { text, meant: meant.unwrap_or_default() }))
}

/// An open table. Everything blocks.
#[derive(Debug)]
pub struct OpenTable {
    table: Table,
    outcome: Outcome,
}

impl OpenTable {
    /// Opens the table behind the answer of a run.
    pub fn open(
        reader: &Documents,
        home: &Home,
        answer: &Answer,
        reading: &Reading,
    ) -> anyhow::Result<(Self, Opened)> {
        let request = request(home, &answer.run_id)?;
        let gone = || format!("{} is not where it was", one_line(&reading.file));
        let read = reader.read(&request.files).map_err(|_| anyhow::anyhow!(gone()))?;
        let hashes: Vec<&str> = read.documents.iter().map(|document| document.sha256.as_str()).collect();
        if hashes != request.hashes {
            return Err(Failure::usage("the documents have changed since they were read; ask again").into());
        }
        let mut sources = all_tables(&read.documents, reader.tables())?;
        let reply = match request.read_by_model {
            Some(text) => Some(ModelsReply { text, meant: BTreeSet::new() }),
            None => reply_of_provider(home, &answer.run_id, &sources)?,
        };
        let mut all = readings(&sources, &request.question, reply.as_ref());
        let name = |read: &Read| sources[read.table].document.name.as_str();
        let own = all
            .iter()
            .position(|read| name(read) == reading.file && read.answered.sql() == reading.sql)
            .with_context(|| "another version of FRLM read this question otherwise; ask again")?;
        let own = all.swap_remove(own);
        // Code and a model may read it alike.
        all.retain(|read| name(read) != reading.file || read.answered.sql() != reading.sql);
        all.sort_by(|one, other| other.answered.confidence.total_cmp(&one.answered.confidence));
        let others = all.iter().map(|read| OtherReading::of(name(read), &read.answered));
        let others = others.take(MOST_READINGS).collect();
        let table = sources.swap_remove(own.table).table;
        let outcome = own.answered.outcome;
        let cited = answer.citations.iter().filter(|citation| citation.file == reading.file);
        let opened = Opened {
            columns: columns_of(&table),
            rows: table.rows(),
            cited: cited.map(|citation| citation.lines[0]).collect(),
            found: found(&outcome),
            readings: others,
            is_joined: own.is_joined,
        };
        Ok((Self { table, outcome }, opened))
    }

    /// Runs SQL of a person in the place of the query before.
    pub fn run_sql(&mut self, sql: &str) -> anyhow::Result<Found> {
        let sql = sql.trim().trim_end_matches(';');
        self.outcome = self.table.run_sql(sql).map_err(Failure::usage)?;
        Ok(found(&self.outcome))
    }

    /// The numbers of the rows that are wanted, in order.
    pub fn find(&self, which: Which, wanted: &Wanted) -> anyhow::Result<Vec<u32>> {
        match which {
            Which::File => Ok(self.table.find_rows(wanted)?),
            Which::Found => Ok(self.find_in_outcome(wanted)),
        }
    }

    /// What stands in these rows.
    pub fn rows(&self, which: Which, rows: &[u32]) -> anyhow::Result<Vec<ShownRow>> {
        let mut shown = match which {
            Which::File => self.table.read_rows(rows)?,
            Which::Found => rows.iter().filter_map(|row| self.outcome_row(*row)).collect(),
        };
        for cell in shown.iter_mut().flat_map(|row| &mut row.cells) {
            *cell = one_line(cell).chars().take(LONGEST_CELL).collect();
        }
        Ok(shown)
    }

    /// Writes the rows that are wanted to a file, as CSV with a header.
    pub fn save_csv(&self, which: Which, wanted: &Wanted, path: &Path) -> anyhow::Result<()> {
        let rows = self.find(which, wanted)?;
        let cannot = || format!("cannot write {}", frlm_protocol::shown_path(path));
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).with_context(cannot)?);
        match which {
            Which::File => self.table.write_rows(&rows, &mut file)?,
            Which::Found => {
                let kept = rows.iter().filter_map(|row| self.outcome.rows.get(at(*row)).cloned());
                let outcome = Outcome { rows: kept.collect(), ..self.outcome.clone() };
                file.write_all(outcome.to_csv().as_bytes()).with_context(cannot)?;
            }
        }
        file.flush().with_context(cannot)
    }

    fn find_in_outcome(&self, wanted: &Wanted) -> Vec<u32> {
        let text = wanted.text.trim().to_lowercase();
        let holds = |row: &&u32| {
            text.is_empty()
                || self
                    .outcome_row(**row)
                    .is_some_and(|row| row.cells.iter().any(|cell| cell.to_lowercase().contains(&text)))
        };
        let all: Vec<u32> = (1..).take(self.outcome.rows.len()).collect();
        let mut rows: Vec<u32> = all.iter().filter(holds).copied().collect();
        let RowOrder { column, falls } = wanted.order;
        match column {
            None if falls => rows.reverse(),
            None => {}
            Some(column) => rows.sort_by(|one, other| {
                let cell = |row: &u32| self.outcome.rows[at(*row)].get(column);
                in_order(cell(one), cell(other), falls)
            }),
        }
        rows
    }

    fn outcome_row(&self, row: u32) -> Option<ShownRow> {
        let cells = self.outcome.rows.get(at(row))?;
        let shown = cells.iter().zip(&self.outcome.headings).map(|(cell, heading)| match cell {
            Cell::Missing => String::new(),
            cell => heading.shown(cell),
        });
        Some(ShownRow { line: row, cells: shown.collect() })
    }
}

/// Rows of an outcome are counted from 1, as those of a table are.
fn at(row: u32) -> usize {
    (row as usize).saturating_sub(1)
}

/// Empty cells last, numbers before words.
fn in_order(one: Option<&Cell>, other: Option<&Cell>, falls: bool) -> Ordering {
    let turned = |order: Ordering| if falls { order.reverse() } else { order };
    match (one, other) {
        (None | Some(Cell::Missing), None | Some(Cell::Missing)) => Ordering::Equal,
        (None | Some(Cell::Missing), _) => Ordering::Greater,
        (_, None | Some(Cell::Missing)) => Ordering::Less,
        (Some(Cell::Number(one)), Some(Cell::Number(other))) => turned(one.cmp(other)),
        (Some(Cell::Number(_)), _) => turned(Ordering::Less),
        (_, Some(Cell::Number(_))) => turned(Ordering::Greater),
        (Some(one), Some(other)) => {
            turned(one.to_string().to_lowercase().cmp(&other.to_string().to_lowercase()))
        }
    }
}

fn columns_of(table: &Table) -> Vec<ShownColumn> {
    let column = |column: &frlm_tables::Column| ShownColumn {
        name: one_line(&column.name).into_owned(),
        is_number: column.is_numeric(),
    };
    table.columns().iter().map(column).collect()
}

fn found(outcome: &Outcome) -> Found {
    let is_number = |at: usize| {
        let mut cells =
            outcome.rows.iter().filter_map(|row| row.get(at)).filter(|cell| **cell != Cell::Missing);
        cells.all(|cell| matches!(cell, Cell::Number(_))) && !outcome.rows.is_empty()
    };
    let columns = outcome.headings.iter().enumerate().map(|(at, heading)| ShownColumn {
        name: one_line(&heading.name).into_owned(),
        is_number: is_number(at),
    });
    let mut series = outcome.series();
    for point in series.iter_mut().flat_map(|series| &mut series.points) {
        point.name = printable(&point.name).into_owned();
        point.shown = printable(&point.shown).into_owned();
    }
    Found { columns: columns.collect(), rows: outcome.rows.len(), is_cut: outcome.is_cut, series }
}

#[cfg(test)]
mod tests {
    use frlm_questions::plan::Computed;

    use super::*;
    use crate::config::{By, Config};
    use crate::run::request::{RunRequest, prepare};
    use crate::run::spec::RunSpec;

    const ORDERS: &str = "order,shop,amount,day\n1,North,10.50,2026-01-03\n2,South,4.00,2026-01-09\n3,North,2.00,2026-02-04\n4,east,,2026-03-01\n";

    /// A table as a run over it leaves it, without its record.
    fn opened(question: &str) -> (OpenTable, Found, Computed) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("orders.csv");
        std::fs::write(&file, ORDERS).unwrap();
        let spec = RunSpec { by: Some(By::Code), ..RunSpec::over(question.to_owned(), vec![file.clone()]) };
        let request = RunRequest::from_spec(&spec, &Config::default()).unwrap();
        let computed = prepare(request, &Documents::default()).unwrap().computed.unwrap();
        let read = Documents::default().read(&[file]).unwrap();
        let mut sources = all_tables(&read.documents, None).unwrap();
        let own = readings(&sources, question, None).swap_remove(0);
        assert_eq!(own.answered.sql(), computed.reading.sql);
        let table = sources.swap_remove(0).table;
        let outcome = own.answered.outcome;
        let found = found(&outcome);
        (OpenTable { table, outcome }, found, computed)
    }

    fn cells(table: &OpenTable, which: Which, wanted: &Wanted) -> Vec<String> {
        let rows = table.find(which, wanted).unwrap();
        table.rows(which, &rows).unwrap().iter().map(|row| row.cells.join(" ")).collect()
    }

    #[test]
    fn what_a_reading_found_is_sorted_filtered_and_drawn_as_a_series() {
        let (table, found, _) = opened("What is the total amount per month?");
        assert_eq!(found.rows, 2, "a month without a number is left out");
        let series = found.series.unwrap();
        assert!(series.is_time && series.points.len() == 2, "{series:?}");
        assert!(found.columns[1].is_number && !found.columns[0].is_number);
        let by = |falls| Wanted { order: RowOrder { column: Some(1), falls }, ..Wanted::default() };
        assert_eq!(cells(&table, Which::Found, &by(true)), ["2026-01 14.5", "2026-02 2"]);
        assert_eq!(cells(&table, Which::Found, &by(false)), ["2026-02 2", "2026-01 14.5"]);
        let february = Wanted { text: "-02".to_owned(), ..Wanted::default() };
        assert_eq!(cells(&table, Which::Found, &february), ["2026-02 2"]);
        assert_eq!(cells(&table, Which::File, &february), ["3 North 2 2026-02-04"]);
    }

    #[test]
    fn sql_of_a_person_only_reads_and_what_is_refused_leaves_the_result() {
        let (mut table, found, computed) = opened("What is the total amount?");
        assert!(found.is_one_value());
        assert_eq!(table.run_sql(&computed.reading.sql).unwrap().rows, 1);
        let lists = table.run_sql("SELECT \"order\", shop FROM orders WHERE shop = 'North';").unwrap();
        assert_eq!((lists.rows, lists.is_one_value()), (2, false));
        for sql in ["DELETE FROM orders", "SELECT 1; SELECT 2", "SELECT nothing FROM orders", ""] {
            assert!(table.run_sql(sql).is_err(), "{sql}");
        }
        assert_eq!(cells(&table, Which::Found, &Wanted::default()), ["1 North", "3 North"]);
        assert_eq!(table.find(Which::File, &Wanted::default()).unwrap().len(), 4);
    }

    #[test]
    fn rows_are_saved_as_they_are_filtered_and_sorted() {
        let (table, _, _) = opened("What is the total amount per shop?");
        let folder = tempfile::tempdir().unwrap();
        let saved = |which, wanted: &Wanted| {
            let path = folder.path().join("rows.csv");
            table.save_csv(which, wanted, &path).unwrap();
            std::fs::read_to_string(path).unwrap()
        };
        let north = Wanted {
            text: "north".to_owned(),
            order: RowOrder { column: Some(2), falls: false },
            ..Wanted::default()
        };
        let rows = "order,shop,amount,day\n3,North,2,2026-02-04\n1,North,10.5,2026-01-03\n";
        assert_eq!(saved(Which::File, &north), rows);
        let by_shop = Wanted { order: RowOrder { column: Some(0), falls: true }, ..Wanted::default() };
        assert_eq!(saved(Which::Found, &by_shop), "shop,total amount\nSouth,4\nNorth,12.5\n");
        let nowhere = table.save_csv(Which::File, &north, &folder.path().join("none/rows.csv"));
        assert!(nowhere.unwrap_err().to_string().starts_with("cannot write "));
    }
}
