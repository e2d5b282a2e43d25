//! Loads recorded runs, and pauses and resumes live ones.

use std::time::Duration;

use anyhow::Context as _;
use frlm_client::conductor::run::control::RunCommand;
use frlm_client::conductor::store::Store;
use frlm_client::documents::Documents;
use frlm_client::protocol::printable;
use frlm_client::scheduler::SubtaskId;
use frlm_client::wallet::Sats;

use super::inspect;
use super::messages::{Action, Event};
use super::state::{PAGE, Run};
use crate::desktop::command::Command;
use crate::desktop::engine::runs::words;
use crate::desktop::engine::{Engine, Event as AppEvent, blocking};
use crate::desktop::screens::load::Load;
use crate::desktop::widgets::Unit;
use frlm_client::home::Home;
use frlm_client::recorded_run;
use frlm_client::run::{RunRequest, prepare};

/// Events read from the store at once.
const BATCH: u32 = 1_024;

/// How often the record of a run under way is read on.
const FOLLOWING: Duration = Duration::from_millis(200);

/// Characters of a fragment that are shown.
const LONGEST_TEXT: usize = 6_000;

/// Does what takes time. `shown` is the run on screen after the action.
pub fn perform(action: &Action, shown: &Run, engine: &Engine) {
    let id = shown.id.clone();
    match action {
        Action::Open(id) | Action::Replay(id) => open(id.clone(), engine),
        Action::Pause => engine.runs().pause(&id),
        Action::GoOn(budget) => resume(shown, *budget, false, engine),
        Action::Accept => resume(shown, None, true, engine),
        Action::RaiseBudget(budget) => raise(id, Sats(*budget), engine),
        Action::Cancel(lane) => order(id, *lane, RunCommand::Cancel(SubtaskId(*lane)), engine),
        Action::AskAgain(lane) => order(id, *lane, RunCommand::AskAgain(SubtaskId(*lane)), engine),
        Action::Lane(_) => read_text(id, shown, engine),
        Action::Event(seq) => {
            read_text(id.clone(), shown, engine);
            inspect::read(id, *seq, shown, engine);
        }
        Action::NeedPage(from_seq) => page(id, *from_seq, engine),
        Action::Play
        | Action::Speed(_)
        | Action::Advance(_)
        | Action::AskBudget(_)
        | Action::TypeBudget(_)
        | Action::Scrub(_)
        | Action::Group(_)
        | Action::Show(_)
        | Action::Beside(_)
        | Action::Provider(_)
        | Action::CloseEvent => {}
    }
}

fn resume(shown: &Run, budget: Option<u64>, accept: bool, engine: &Engine) {
    let (id, shown) = (shown.id.clone(), shown.events.len() as u64);
    let (runs, outbox) = (engine.runs(), engine.outbox());
    engine.spawn(async move {
        match runs.resume(&id, budget, accept).await {
            Ok(next_seq) if next_seq >= shown => {}
            // What was shown last was never recorded, as on a full disk: the record is what goes on.
            Ok(_) => outbox.send(AppEvent::Do(Command::Run(Action::Open(id)))).await,
            Err(error) => {
                let why = words(&error);
                outbox.send(AppEvent::Run(Event::NotResumed { id, why })).await;
            }
        }
    });
}

fn raise(id: String, budget: Sats, engine: &Engine) {
    if !engine.runs().give(&id, RunCommand::RaiseBudget(budget)) {
        engine.report(async move { AppEvent::Run(Event::NotRaised { id }) });
    }
}

fn order(id: String, lane: u32, order: RunCommand, engine: &Engine) {
    if !engine.runs().give(&id, order) {
        engine.report(async move { AppEvent::Run(Event::NotOrdered { id, lane }) });
    }
}

/// The fragment that the chosen lane's providers were sent with the question.
fn read_text(id: String, shown: &Run, engine: &Engine) {
    let Some(lane) = shown.lane.filter(|_| shown.text.is_none()) else { return };
    let fragment = shown.view.subtasks.get(lane as usize).and_then(|lane| lane.fragment);
    let Some(fragment) = fragment else { return };
    let (home, outbox) = (engine.home().clone(), engine.outbox());
    engine.spawn(async move {
        let run = id.clone();
        let text = blocking(move || fragment_text(&home, &run, fragment)).await;
        let text = text.map_err(|error| words(&error));
        outbox.send(AppEvent::Run(Event::Text { id, lane, text })).await;
    });
}

/// Cuts the run's documents again. Blocks.
fn fragment_text(home: &Home, run: &str, fragment: u32) -> anyhow::Result<String> {
    let stored = Store::open(&home.store())?.find(run)?;
    let request: RunRequest =
        serde_json::from_value(stored.request).context("this run did not save its question")?;
    let prepared = prepare(request, &Documents::of(home))?;
    let fragment = prepared.fragments.get(fragment as usize).context("the documents have changed since")?;
    Ok(printable(&fragment.text).chars().take(LONGEST_TEXT).collect())
}

/// Reads a run's record. That of a run under way is read on until the run has ended: what is reported of it
/// meanwhile may be ahead of the file, and is folded once, whichever comes first.
fn open(id: String, engine: &Engine) {
    let (home, outbox, stop, runs) = (engine.home().clone(), engine.outbox(), engine.stop(), engine.runs());
    engine.spawn(async move {
        let (place, run) = (home.clone(), id.clone());
        let unit = tokio::task::spawn_blocking(move || unit(&place, &run)).await.unwrap_or_default();
        let live = runs.is_under_way(&id);
        outbox.send(AppEvent::Run(Event::Opened { id: id.clone(), live, unit })).await;
        let mut from_seq = 0;
        let damage = loop {
            // Asked before the file: what it wrote last is then in it.
            let live = runs.is_under_way(&id);
            let (place, run) = (home.clone(), id.clone());
            let read = tokio::task::spawn_blocking(move || {
                Store::open(&place.store())?.trace_page(&run, from_seq, BATCH)
            });
            let loaded = match read.await {
                Ok(Ok(loaded)) => loaded,
                Ok(Err(error)) => break Some(error.to_string()),
                Err(error) => break Some(error.to_string()),
            };
            let count = loaded.records.len();
            from_seq += count as u64;
            outbox.send(AppEvent::Run(Event::Records { id: id.clone(), records: loaded.records })).await;
            let at_the_end = count < BATCH as usize;
            if loaded.damage.is_some() || (at_the_end && !live) || stop.is_cancelled() {
                break loaded.damage;
            }
            if at_the_end {
                tokio::time::sleep(FOLLOWING).await;
            }
        };
        let damage = damage.map(|damage| printable(&damage).into_owned());
        outbox.send(AppEvent::Run(Event::Loaded { id, damage })).await;
    });
}

/// What a run was paid in, as far as its record says. Blocks.
fn unit(home: &Home, run: &str) -> Unit {
    let stored = Store::open(&home.store()).and_then(|store| store.find(run));
    Unit::of(stored.is_ok_and(|run| recorded_run::in_play_money(&run)))
}

/// What could not be read is told in the place of the lines.
fn page(id: String, from_seq: u64, engine: &Engine) {
    let run = id.clone();
    let read = move |home: &Home| {
        let most = u32::try_from(PAGE).unwrap_or(u32::MAX);
        let page = Store::open(&home.store())?.trace_page(&run, from_seq, most)?;
        let line = |record| anyhow::Ok(printable(&serde_json::to_string(record)?).into_owned());
        page.records.iter().map(line).collect()
    };
    engine.read(read, move |lines: Load<Vec<String>>| {
        let lines = match lines {
            Load::Ready(lines) => lines,
            Load::Failed(why) => vec![why],
            Load::Busy => Vec::new(),
        };
        AppEvent::Run(Event::Page { id, from_seq, lines })
    });
}
