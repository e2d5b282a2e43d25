//! A run is followed, event by event, from another process than the one that runs it: what is seen
//! there at any moment is what a replay of the finished trace shows of that moment. And whatever part of
//! the trace was saved, a process that opens it again shows the same of it.

use std::ffi::OsStr;
use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Background, Endpoint, frlm, orders, run, stderr, stdout, until};
use frlm_client::view::{Ending, RunView};
use frlm_conductor::store::{NewRun, Store};
use frlm_conductor::trace::TraceRecord;
use proptest::prelude::*;

/// Events that are read at once: small and uneven, as a reader that is now fast and now slow.
const BATCHES: [u32; 6] = [1, 7, 2, 31, 3, 12];
/// The view is kept after so many further events.
const KEPT_EVERY: u64 = 40;

/// What another process saw of a run while it ran.
struct Followed {
    id: String,
    /// At the end.
    view: RunView,
    /// On the way.
    moments: Vec<RunView>,
    /// Reads in which the run was neither at its beginning nor at its end.
    in_the_middle: usize,
    /// What the process that ran it printed.
    answer: serde_json::Value,
}

/// Asks in one process and follows it in this one, through the store only.
fn follow(home: &Path, relay: &str, document: &Path) -> Followed {
    let mut ask = frlm(home)
        .args([
            "ask",
            "How many lines have status failed?",
            "--by",
            "swarm",
            "--relay",
            relay,
            "--json",
            "--yes",
        ])
        .args(["--fragment-lines", "4", "--file", document.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = ask.stdout.take().unwrap();
    let mut ask = Background(ask);
    let path = home.join("runs.db");
    let mut id = String::new();
    until("the run is in the store", Duration::from_mins(1), || {
        let listed = path.exists().then(|| Store::open(&path).unwrap().list(1).unwrap());
        id = listed.and_then(|mut runs| Some(runs.pop()?.id)).unwrap_or_default();
        !id.is_empty()
    });
    let store = Store::open(&path).unwrap();
    let mut followed =
        Followed { id, view: RunView::default(), moments: Vec::new(), in_the_middle: 0, answer: ().into() };
    let mut batches = BATCHES.into_iter().cycle();
    until("the run ends", Duration::from_mins(3), || {
        loop {
            let most = batches.next().unwrap_or(1);
            let page = store.trace_page(&followed.id, followed.view.events, most).unwrap();
            assert_eq!(page.damage, None, "a page of a run under way");
            if page.records.is_empty() {
                return followed.view.ending.is_some();
            }
            for record in &page.records {
                followed.view.apply(record);
            }
            followed.in_the_middle += usize::from(followed.view.ending.is_none());
            let kept = followed.moments.last().map_or(0, |view| view.events);
            if followed.view.events >= kept + KEPT_EVERY {
                followed.moments.push(followed.view.clone());
            }
        }
    });
    let mut text = String::new();
    BufReader::new(output).read_to_string(&mut text).unwrap();
    assert!(ask.wait(Duration::from_mins(1)).unwrap().success());
    followed.answer = serde_json::from_str(&text).unwrap();
    followed
}

fn in_batches(records: &[TraceRecord], cuts: &[usize]) -> RunView {
    let mut view = RunView::default();
    let mut rest = records;
    for cut in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (batch, after) = rest.split_at((*cut).min(rest.len()));
        for record in batch {
            view.apply(record);
        }
        rest = after;
    }
    view
}

/// Names the store to a process of this test that does nothing but fold what is saved there.
const FOLDS: &str = "FRLM_TEST_FOLDS";
/// Around what such a process prints.
const EDGES: [&str; 2] = ["<<view ", " view>>"];

/// Prints the view of the run in a store, read in small batches.
fn fold_and_print(path: &OsStr) {
    let store = Store::open(Path::new(path)).unwrap();
    let id = store.list(1).unwrap().pop().unwrap().id;
    let (mut view, mut batches) = (RunView::default(), BATCHES.into_iter().cycle());
    loop {
        let page = store.trace_page(&id, view.events, batches.next().unwrap_or(1)).unwrap();
        assert_eq!(page.damage, None);
        if page.records.is_empty() {
            break;
        }
        for record in &page.records {
            view.apply(record);
        }
    }
    writeln!(std::io::stdout(), "{}{view:?}{}", EDGES[0], EDGES[1]).unwrap();
}

/// What another process shows of the run in a store.
fn shown_elsewhere(store: &Path) -> String {
    let name = "followed_run::a_run_that_is_followed_from_another_process_looks_as_its_replay_does";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(FOLDS, store)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let said = stdout(&output);
    let view = said.split_once(EDGES[0]).and_then(|(_, after)| after.split_once(EDGES[1]));
    view.unwrap_or_else(|| panic!("no view in {said}")).0.to_owned()
}

/// Saves a trace up to an event, looks at it from another process, saves the rest, and looks again.
fn saved_in_two_parts(records: &[TraceRecord], at: usize, runtime: &tokio::runtime::Runtime) -> [String; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let id = "5e1f0c9a7b3d2468";
    let run = NewRun {
        id: id.to_owned(),
        started_at_ms: 0,
        question: "q".to_owned(),
        request: serde_json::Value::Null,
        secret_key: "00".to_owned(),
    };
    let save = |part: &[TraceRecord]| {
        let store = Store::open(&path).unwrap();
        runtime.block_on(async {
            if store.list(1).unwrap().is_empty() {
                store.begin(run.clone()).await.unwrap();
            }
            store.append(id, part.to_vec()).await.unwrap();
            store.flush(id).await.unwrap();
        });
    };
    let (before, after) = records.split_at(at);
    save(before);
    let part = shown_elsewhere(&path);
    save(after);
    [part, shown_elsewhere(&path)]
}

#[test]
fn a_run_that_is_followed_from_another_process_looks_as_its_replay_does() {
    if let Some(store) = std::env::var_os(FOLDS) {
        return fold_and_print(&store);
    }
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("asker");
    let endpoint = Endpoint::that_says(r#"{"matches":[]}"#);
    let (_relay, url) = Background::relay(folder.path());
    let _a = Background::provider_with(folder.path(), &url, &["--model", &endpoint.model()]);
    let _b = Background::provider_with(folder.path(), &url, &["--model", &endpoint.model()]);
    let document = folder.path().join("orders.log");
    orders(&document, 240);
    let followed = follow(&home, &url, &document);
    assert!(followed.in_the_middle > 10, "the run was over before anybody looked");

    // What the process itself answered is what was seen from outside.
    let Some(Ending::Answered(answer)) = &followed.view.ending else { panic!("the run has an answer") };
    assert_eq!(serde_json::to_value(answer).unwrap(), followed.answer);

    // The finished trace folds to the same view, in any batches, and to every view on the way.
    let records = Store::open(&home.join("runs.db")).unwrap().trace(&followed.id).unwrap().records;
    assert_eq!(RunView::of(&records), followed.view);
    for seen in &followed.moments {
        assert_eq!(RunView::of(&records[..usize::try_from(seen.events).unwrap()]), *seen);
    }
    proptest!(ProptestConfig::with_cases(16), |(cuts in prop::collection::vec(1..97_usize, 1..30))| {
        prop_assert_eq!(&in_batches(&records, &cuts), &followed.view);
    });

    // Whatever was saved when the run was cut off, and when it had gone on, is shown elsewhere as it is here.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    proptest!(ProptestConfig::with_cases(8), |(at in 0..=records.len())| {
        let shown = [format!("{:?}", RunView::of(&records[..at])), format!("{:?}", followed.view)];
        prop_assert!(saved_in_two_parts(&records, at, &runtime) == shown, "saved up to event {}", at);
    });

    // A third process replays it: one line per event, and the same sums.
    let replayed = run(&home, &["runs", "replay", &followed.id]);
    assert!(replayed.status.success(), "{}", stderr(&replayed));
    let lines = stdout(&replayed);
    let (events, sums) = lines.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(events.lines().count(), records.len());
    let view = &followed.view;
    let said = format!(
        "{} of {} parts verified, {} disputed, {} sats spent",
        view.progress.verified(),
        view.subtasks.len(),
        view.checks.dissents,
        view.money.now().spent
    );
    assert_eq!(sums, said);
}
