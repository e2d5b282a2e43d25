//! Opens the table behind an answer, looks for rows, runs SQL, and saves rows.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use frlm_client::conductor::store::Store;
use frlm_client::protocol::shown_path;
use frlm_client::questions::answer::{Answer, Reading};
use frlm_client::run::{OpenTable, RunRequest, Wanted, Which, prepare_in};

use super::state::{Action, Behind, Event, PAGE};
use crate::desktop::engine::runs;
use crate::desktop::engine::{Engine, Event as AppEvent, Outbox, blocking};
use crate::desktop::screens::answer::{Event as AnswerEvent, words};
use crate::desktop::widgets::Tone;

/// Typing pauses this long before rows are looked for.
const CALM: Duration = Duration::from_millis(250);

/// The table that was opened last. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct LastTable {
    /// The run, and its table.
    open: Arc<Mutex<Option<(String, OpenTable)>>>,
    /// What was looked for last: earlier wishes are not carried out.
    newest: Arc<Mutex<HashMap<Which, u64>>>,
    asked: Arc<AtomicU64>,
}

impl LastTable {
    fn ask(&self, which: Which) -> u64 {
        let this = self.asked.fetch_add(1, Ordering::Relaxed);
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).insert(which, this);
        this
    }

    fn is_newest(&self, which: Which, this: u64) -> bool {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).get(&which) == Some(&this)
    }

    /// Works with the table of a run, off the window's thread. One piece of work at a time.
    async fn with<T: Send + 'static>(
        &self,
        run: &str,
        work: impl FnOnce(&mut OpenTable) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let (open, run) = (Arc::clone(&self.open), run.to_owned());
        blocking(move || match open.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some((of, table)) if *of == run => work(table),
            _ => anyhow::bail!(words::ANOTHER_TABLE),
        })
        .await
    }
}

/// Does what takes time. `behind` is what is shown after the action.
pub fn perform(action: &Action, answer: Answer, behind: &Behind, engine: &Engine, last: &LastTable) {
    let Some(reading) = answer.reading.clone() else { return };
    let (outbox, last, run) = (engine.outbox(), last.clone(), answer.run_id.clone());
    match action {
        Action::Open => open(answer, reading, engine, last),
        Action::Filter(which, _) | Action::Order(which, _) => find(*which, run, behind, engine, last),
        Action::OnlyCited(_) => find(Which::File, run, behind, engine, last),
        Action::Page(which, page) => {
            let (which, page, sheet) = (*which, *page, behind.sheet(*which));
            let rows = sheet.rows.ready().cloned().unwrap_or_default();
            let revision = sheet.of_revision;
            engine.spawn(async move {
                let some = rows.iter().skip(page * PAGE).take(PAGE).copied().collect::<Vec<_>>();
                match last.with(&run, move |table| table.rows(which, &some)).await {
                    Ok(rows) => tell(&outbox, &run, Event::Page(which, revision, page, rows)).await,
                    Err(error) => outbox.fail(words::ROWS_UNREAD, &error).await,
                }
            });
        }
        Action::Run | Action::Restore => {
            let sql = behind.sql.clone().unwrap_or(reading.sql);
            engine.spawn(async move {
                let ran = last.with(&run, move |table| {
                    let found = table.run_sql(&sql)?;
                    Ok((found, Arc::new(table.find(Which::Found, &Wanted::default())?)))
                });
                let ran = ran.await.map_err(|error| runs::words(&error));
                tell(&outbox, &run, Event::Ran(ran)).await;
            });
        }
        Action::AskBy(position) => {
            let other = behind.open().and_then(|opened| opened.readings.get(*position));
            if let Some(choice) = other.map(|other| other.choice.clone()) {
                ask_by(choice, run, engine);
            }
        }
        Action::Export(which) => save(*which, run, &reading.file, behind, engine, last),
        Action::Columns(..) | Action::ShowSql(_) | Action::Sql(_) => {}
    }
}

async fn tell(outbox: &Outbox, run: &str, event: Event) {
    let event = AnswerEvent::Table(event);
    outbox.send(AppEvent::Answer { run: run.to_owned(), event }).await;
}

fn open(answer: Answer, reading: Reading, engine: &Engine, last: LastTable) {
    let (home, reader, outbox) = (engine.home().clone(), engine.documents(), engine.outbox());
    engine.spawn(async move {
        let run = answer.run_id.clone();
        let held = Arc::clone(&last.open);
        let opened = blocking(move || {
            let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
            // Two tables at once would take twice the memory.
            *held = None;
            let (table, opened) = OpenTable::open(&reader, &home, &answer, &reading)?;
            let all = |which| table.find(which, &Wanted::default()).map(Arc::new);
            let rows = [all(Which::File)?, all(Which::Found)?];
            *held = Some((answer.run_id, table));
            Ok((opened, rows))
        });
        let opened = opened.await;
        tell(&outbox, &run, Event::Opened(Box::new(opened.map_err(|error| runs::words(&error))))).await;
    });
}

fn find(which: Which, run: String, behind: &Behind, engine: &Engine, last: LastTable) {
    let (outbox, this) = (engine.outbox(), last.ask(which));
    let (wanted, revision) = (behind.sheet(which).wanted.clone(), behind.sheet(which).revision);
    engine.spawn(async move {
        tokio::time::sleep(CALM).await;
        if !last.is_newest(which, this) {
            return;
        }
        let rows = last.with(&run, move |table| table.find(which, &wanted)).await;
        let rows = rows.map(Arc::new).map_err(|error| runs::words(&error));
        tell(&outbox, &run, Event::Rows(which, revision, rows)).await;
    });
}

/// The same question over the same documents, as a run of its own.
fn ask_by(choice: frlm_client::run::ReadingChoice, run: String, engine: &Engine) {
    let (home, reader, outbox) = (engine.home().clone(), engine.documents(), engine.outbox());
    let manager = engine.runs();
    let switch = manager.will_ask();
    engine.spawn(async move {
        let prepared = blocking(move || {
            let stored = Store::open(&home.store())?.find(&run)?;
            let request: RunRequest = serde_json::from_value(stored.request)?;
            prepare_in(&home, RunRequest { reading: Some(choice), hashes: Vec::new(), ..request }, &reader)
        });
        let asked = match prepared.await {
            Ok(prepared) => manager.ask(prepared, switch).await,
            Err(error) => Err(error),
        };
        if let Err(error) = asked {
            outbox.fail(words::NOT_ASKED, &error).await;
        }
    });
}

fn save(which: Which, run: String, file: &str, behind: &Behind, engine: &Engine, last: LastTable) {
    let outbox = engine.outbox();
    let wanted = behind.sheet(which).wanted.clone();
    let what = if which == Which::File { "rows" } else { "result" };
    let stem = std::path::Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    engine.spawn(async move {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title(words::SAVE_ROWS)
            .set_file_name(format!("{stem}-{what}.csv"));
        let Some(chosen) = dialog.save_file().await else { return };
        let path = chosen.path().to_owned();
        let then = shown_path(&path);
        match last.with(&run, move |table| table.save_csv(which, &wanted, &path)).await {
            Ok(()) => {
                let what = words::ROWS_SAVED.to_owned();
                outbox.send(AppEvent::Notice { tone: Tone::Good, what, then }).await;
            }
            Err(error) => outbox.fail(words::ROWS_NOT_SAVED, &error).await,
        }
    });
}
