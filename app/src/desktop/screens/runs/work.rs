//! Reads the run store and the ledger, deletes and exports.

use std::collections::HashMap;
use std::io::Write as _;

use anyhow::Context as _;
use frlm_client::conductor::store::{Store, StoredRun};
use frlm_client::protocol::{one_line, printable, shown_path};
use frlm_client::view::{Ending, RunView};
use frlm_client::wallet::Ledger;

use super::state::{Action, Details, Entry, Event};
use super::words;
use crate::desktop::engine::{Engine, Event as AppEvent};
use crate::desktop::screens::load::Load;
use crate::desktop::widgets::{Tone, Unit};
use frlm_client::export::{self, Format};
use frlm_client::home::Home;
use frlm_client::run::RunRequest;
use frlm_client::{deletion, recorded_run};

/// Runs that are listed; older ones are in the store and in `frlm runs list`.
const MOST_LISTED: usize = 100_000;
/// The longest answer that is shown beside the table, in characters; the answer screen shows all.
const LONGEST_ANSWER: usize = 600;

/// Does what takes time.
pub fn perform(action: &Action, engine: &Engine) {
    match action {
        Action::Reload => list(engine),
        Action::Choose(id) => {
            let (id, of) = (id.clone(), id.clone());
            let report = |details| AppEvent::Runs(Event::Details { id, details });
            engine.read(move |home| read_details(home, &of), report);
        }
        Action::Delete(id) => delete(id.clone(), engine),
        Action::Export(id, format) => {
            let (id, format) = (id.clone(), *format);
            let report = |path| AppEvent::Runs(Event::Exported(path));
            engine.change(words::NOT_EXPORTED, move |home| write(home, &id, format), report);
        }
        Action::Search(_)
        | Action::Show(_)
        | Action::Sort(_)
        | Action::WantSecond(_)
        | Action::EndComparison
        | Action::AskDelete(_) => {}
    }
}

/// Reads all runs.
pub fn list(engine: &Engine) {
    let home = engine.home().clone();
    engine.report(async move {
        let runs = Load::from(entries(&home).await);
        let now_ms = frlm_client::util::clock::unix_millis();
        AppEvent::Runs(Event::Listed { runs, now_ms })
    });
}

async fn entries(home: &Home) -> anyhow::Result<Vec<Entry>> {
    if !home.store().exists() {
        return Ok(Vec::new());
    }
    let path = home.store();
    let runs = tokio::task::spawn_blocking(move || Store::open(&path)?.list(MOST_LISTED)).await??;
    let mut spent = HashMap::new();
    if home.ledger().exists() {
        for row in Ledger::open(home.ledger()).await?.runs().await? {
            spent.insert(row.run.to_string(), row.budget.spent.0);
        }
    }
    Ok(runs.into_iter().map(|run| entry(run, &spent)).collect())
}

fn entry(run: StoredRun, spent: &HashMap<String, u64>) -> Entry {
    // A run of another version is listed with what its columns say.
    let request = serde_json::from_value::<RunRequest>(run.request).ok();
    let documents = request.iter().flat_map(|request| &request.files).map(|file| {
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        one_line(&name).into_owned()
    });
    let venue = match &request {
        Some(request) if request.local => words::THIS_MACHINE.to_owned(),
        Some(request) => printable(&request.relays.join(", ")).into_owned(),
        None => String::new(),
    };
    Entry {
        documents: documents.collect(),
        venue,
        policy: request.as_ref().map(|request| printable(&request.verify).into_owned()).unwrap_or_default(),
        unit: Unit::of(request.as_ref().is_some_and(|request| request.play_money)),
        budget_sats: request.as_ref().map_or(0, |request| request.budget),
        spent_sats: spent.get(&run.id).copied(),
        question: printable(&run.question).into_owned(),
        started_at_ms: run.started_at_ms,
        state: run.state,
        id: run.id,
    }
}

/// Blocks.
fn read_details(home: &Home, id: &str) -> anyhow::Result<Details> {
    let (view, damage) = recorded_run::view_of(&Store::open(&home.store())?, id)?;
    Ok(of_view(&view, damage.map(|damage| printable(&damage).into_owned())))
}

/// What the table shows of a folded trace.
pub fn of_view(view: &RunView, damage: Option<String>) -> Details {
    let (answer, report) = match &view.ending {
        Some(Ending::Answered(answer)) => (answer.answer.clone(), Some(answer)),
        Some(Ending::Failed { error, .. }) => (error.clone(), None),
        None => (words::NOT_ENDED.to_owned(), None),
    };
    Details {
        answer: printable(&answer).chars().take(LONGEST_ANSWER).collect(),
        answered: report.is_some(),
        confidence: report.map(|report| report.confidence),
        coverage: report.map(|report| report.coverage),
        agreement: report.map(|report| report.verification.agreement),
        verified: view.progress.verified(),
        subtasks: view.subtasks.len(),
        dissents: view.checks.dissents,
        providers: view
            .providers
            .iter()
            .filter(|provider| provider.asked > 0)
            .map(|provider| printable(&view.providers.name_of(provider)).into_owned())
            .collect(),
        lasted_ms: view.at_ms,
        events: view.events,
        spent_sats: view.money.now().spent,
        damage,
    }
}

fn delete(id: String, engine: &Engine) {
    let (home, outbox, manager) = (engine.home().clone(), engine.outbox(), engine.wallet_manager());
    engine.spawn(async move {
        let deleted = async {
            let _claim = deletion::claim(&id, &home, manager.open(&home)).await?;
            deletion::delete(&id, &Store::open(&home.store())?, &home).await
        };
        match deleted.await {
            Ok(left) => {
                outbox.send(AppEvent::Runs(Event::Deleted(id))).await;
                let copies = left.in_words();
                if !copies.is_empty() {
                    let what = words::COPIES_REMAIN.to_owned();
                    let then = printable(&copies.join("; ")).into_owned();
                    outbox.send(AppEvent::Notice { tone: Tone::Warn, what, then }).await;
                }
            }
            Err(error) => outbox.fail(words::NOT_DELETED, &error).await,
        }
    });
}

/// Writes a run below the state directory's `exports` and returns the path. Blocks.
fn write(home: &Home, id: &str, format: Format) -> anyhow::Result<String> {
    let folder = home.root().join("exports");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(match format {
        Format::JsonLines => format!("run-{id}.jsonl"),
        Format::Perfetto => format!("run-{id}.perfetto.json"),
    });
    let write = || {
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
        export::lines(&Store::open(&home.store())?, id, format, |line| Ok(writeln!(file, "{line}")?))?;
        anyhow::Ok(file.flush()?)
    };
    write().with_context(|| format!("cannot write {}", path.display()))?;
    Ok(shown_path(&path))
}
