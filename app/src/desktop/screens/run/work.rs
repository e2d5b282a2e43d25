//! Loads recorded runs, and pauses and resumes live ones.

use frlm_conductor::store::Store;
use frlm_protocol::printable;

use super::state::{Action, Event, PAGE};
use crate::desktop::engine::runs::words;
use crate::desktop::engine::{Engine, Event as AppEvent, Outbox};
use crate::home::Home;

/// Events read from the store at once.
const BATCH: u32 = 1_024;

/// Does what takes time. `id` is the run on screen.
pub fn perform(action: &Action, id: &str, engine: &Engine) {
    let id = id.to_owned();
    match action {
        Action::Open(id) => open(id.clone(), engine),
        Action::Pause => engine.runs().pause(&id),
        Action::GoOn(cap) => {
            let (runs, outbox, cap) = (engine.runs(), engine.outbox(), *cap);
            engine.spawn(async move {
                if let Err(error) = runs.resume(&id, cap).await {
                    outbox.send(AppEvent::Run(Event::NotResumed(words(&error)))).await;
                }
            });
        }
        Action::NeedPage(from_seq) => page(id, *from_seq, engine),
        Action::Scrub(_)
        | Action::Group(_)
        | Action::Show(_)
        | Action::Beside(_)
        | Action::Lane(_)
        | Action::Event(_) => {}
    }
}

fn open(id: String, engine: &Engine) {
    let (home, outbox, stop) = (engine.home().clone(), engine.outbox(), engine.stop());
    engine.spawn(async move {
        outbox.send(AppEvent::Run(Event::Opened { id: id.clone(), live: false })).await;
        let mut from_seq = 0;
        let damage = loop {
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
            if loaded.damage.is_some() || count < BATCH as usize || stop.is_cancelled() {
                break loaded.damage;
            }
        };
        let damage = damage.map(|damage| printable(&damage).into_owned());
        outbox.send(AppEvent::Run(Event::Loaded { id, damage })).await;
    });
}

fn page(id: String, from_seq: u64, engine: &Engine) {
    let (home, outbox) = (engine.home().clone(), engine.outbox());
    engine.spawn(async move { send_page(&home, &outbox, id, from_seq).await });
}

async fn send_page(home: &Home, outbox: &Outbox, id: String, from_seq: u64) {
    let (path, run) = (home.store(), id.clone());
    let most = u32::try_from(PAGE).unwrap_or(u32::MAX);
    let read =
        tokio::task::spawn_blocking(move || Store::open(&path)?.trace_page(&run, from_seq, most)).await;
    let lines = match read {
        Ok(Ok(loaded)) => loaded
            .records
            .iter()
            .map(|record| printable(&serde_json::to_string(record).unwrap_or_default()).into_owned())
            .collect(),
        Ok(Err(error)) => vec![error.to_string()],
        Err(error) => vec![error.to_string()],
    };
    outbox.send(AppEvent::Run(Event::Page { id, from_seq, lines })).await;
}
