use frlm_scheduler::SubtaskId;

use super::*;
use crate::trace::{PlannedSubtask, TraceEvent, TraceRecord};

fn new_run(id: &str) -> NewRun {
    NewRun {
        id: id.to_owned(),
        started_at_ms: 1,
        question: "how many?".to_owned(),
        request: serde_json::json!({"files": []}),
        secret_key: "00".to_owned(),
    }
}

fn record(seq: u64) -> TraceRecord {
    TraceRecord { seq, at_ms: seq, event: TraceEvent::Stray { what: format!("event {seq}") } }
}

#[tokio::test]
async fn what_was_flushed_is_there_for_another_process() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    store.begin(new_run("abc123")).await.unwrap();
    store.append("abc123", (0..500).map(record).collect()).await.unwrap();
    store.flush("abc123").await.unwrap();
    let other = Store::open(&path).unwrap();
    assert_eq!(other.trace("abc123").unwrap().records.len(), 500);
    assert_eq!(other.find("abc").unwrap().state, RunState::Running);
}

#[tokio::test]
async fn dropping_the_last_handle_writes_what_is_queued() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    store.begin(new_run("r")).await.unwrap();
    store.append("r", vec![record(0)]).await.unwrap();
    drop(store);
    assert_eq!(Store::open(&path).unwrap().trace("r").unwrap().records, [record(0)]);
}

#[tokio::test]
async fn more_events_at_once_than_may_wait_are_written_all_the_same() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(&home.path().join("runs.db")).unwrap();
    store.begin(new_run("r")).await.unwrap();
    for first in [0, 10_000] {
        store.append("r", (first..first + 10_000).map(record).collect()).await.unwrap();
    }
    store.flush("r").await.unwrap();
    assert_eq!(store.trace("r").unwrap().records.len(), 20_000);
}

#[tokio::test]
async fn a_damaged_trace_opens_as_far_as_it_goes() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    store.begin(new_run("r")).await.unwrap();
    store.append("r", (0..5).map(record).collect()).await.unwrap();
    store.flush("r").await.unwrap();
    connect(&path).unwrap().execute("UPDATE trace SET body = '{broken' WHERE seq = 3", []).unwrap();
    let loaded = store.trace("r").unwrap();
    assert_eq!(loaded.records.len(), 3);
    assert_eq!(loaded.beyond, [record(4)]);
    assert_eq!(loaded.next_seq, 5);
    assert!(loaded.damage.unwrap().contains("event 3"));
}

#[tokio::test]
async fn a_resumed_run_never_reuses_the_number_of_an_unreadable_event() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    store.begin(new_run("r")).await.unwrap();
    store.append("r", (0..5).map(record).collect()).await.unwrap();
    store.flush("r").await.unwrap();
    connect(&path).unwrap().execute("UPDATE trace SET body = '{broken' WHERE seq = 4", []).unwrap();
    let known = crate::run::resume::Known::from_store(&store.trace("r").unwrap());
    assert_eq!(known.next_seq, 5);
    store.append("r", vec![record(known.next_seq)]).await.unwrap();
    store.flush("r").await.unwrap();
}

#[tokio::test]
async fn a_full_disk_is_reported_and_keeps_what_was_there() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("runs.db");
    {
        let store = Store::open(&path).unwrap();
        store.begin(new_run("r")).await.unwrap();
        store.append("r", vec![record(0)]).await.unwrap();
        store.flush("r").await.unwrap();
    }
    let connection = connect(&path).unwrap();
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    connection.pragma_update(None, "max_page_count", pages).unwrap();
    let store = Store { path: path.clone(), writer: writer::Writer::start(connection, path) };
    store.append("r", (1..5_000).map(record).collect()).await.unwrap();
    let error = store.flush("r").await.unwrap_err().to_string();
    assert!(error.contains("full") && error.contains("--home"), "{error}");
    assert_eq!(store.trace("r").unwrap().records, [record(0)]);
}

#[tokio::test]
async fn what_cannot_be_written_of_one_run_is_nobody_elses_loss() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(&home.path().join("runs.db")).unwrap();
    for id in ["r", "other"] {
        store.begin(new_run(id)).await.unwrap();
    }
    // A number twice is refused, in one transaction with what is fine.
    store.append("r", vec![record(0), record(0)]).await.unwrap();
    store.append("other", vec![record(0)]).await.unwrap();
    let error = store.flush("r").await.unwrap_err().to_string();
    assert!(error.contains("UNIQUE"), "{error}");
    store.flush("other").await.unwrap();
    assert!(store.append("r", vec![record(1)]).await.is_err(), "a record with a gap is worth nothing");
    assert!(store.trace("r").unwrap().records.is_empty());
    store.append("other", vec![record(1)]).await.unwrap();
    store.flush("other").await.unwrap();
    assert_eq!(store.trace("other").unwrap().records, [record(0), record(1)]);
    assert!(store.begin(new_run("other")).await.is_err(), "there is one of that name");
    store.begin(new_run("next")).await.unwrap();
    store.set_state("r", RunState::Failed).await.unwrap();
}

#[tokio::test]
async fn prefixes_find_runs_and_say_when_they_do_not() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(&home.path().join("runs.db")).unwrap();
    for id in ["aa1", "aa2", "b"] {
        store.begin(new_run(id)).await.unwrap();
    }
    assert_eq!(store.find("b").unwrap().id, "b");
    assert!(matches!(store.find("aa"), Err(StoreError::Ambiguous { count: 2, .. })));
    assert!(matches!(store.find("zz"), Err(StoreError::NoSuchRun(_))));
    store.delete("b").await.unwrap();
    assert_eq!(store.list(10).unwrap().len(), 2);
}

/// Freed pages and the log of writes included.
#[tokio::test]
async fn of_a_deleted_run_no_word_is_left_in_the_file() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    let secret = "a question that nobody else asks";
    let request = serde_json::json!({"question": secret, "files": []});
    for (id, question) in [("a", secret), ("b", "how many?")] {
        let run = NewRun { question: question.to_owned(), request: request.clone(), ..new_run(id) };
        store.begin(run).await.unwrap();
    }
    let said = |seq| TraceRecord {
        event: TraceEvent::Stray { what: format!("{secret} {}", "and more of it ".repeat(40)) },
        ..record(seq)
    };
    store.append("a", (0..300).map(said).collect()).await.unwrap();
    store.flush("a").await.unwrap();
    let stands = |words: &str| {
        std::fs::read_dir(home.path()).unwrap().any(|file| {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            bytes.windows(words.len()).any(|window| window == words.as_bytes())
        })
    };
    assert!(stands(secret) && stands("and more of it"));
    store.delete_and_rewrite("a", vec![("b".to_owned(), serde_json::Value::Null)]).await.unwrap();
    assert!(!stands(secret) && !stands("and more of it"));
    let left = store.list(10).unwrap();
    assert_eq!((left.len(), &left[0].request), (1, &serde_json::Value::Null));
    assert!(stands("how many?"));
}

#[tokio::test]
async fn what_another_connection_writes_is_noticed_once() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    store.begin(new_run("r")).await.unwrap();
    let mut changes = Changes::of(&path).unwrap();
    assert!(!changes.any().unwrap());
    store.append("r", vec![record(0)]).await.unwrap();
    store.flush("r").await.unwrap();
    assert!(changes.any().unwrap());
    store.trace("r").unwrap();
    drop(Store::open(&path).unwrap());
    assert!(!changes.any().unwrap(), "reading is no change");
}

#[tokio::test]
async fn a_plan_waits_for_room_as_its_subtasks_would() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    store.begin(new_run("r")).await.unwrap();
    let plan = |seq| {
        let planned = |id| PlannedSubtask { id: SubtaskId(id), key: String::new(), label: String::new() };
        let event = TraceEvent::Plan { subtasks: (0..1_000).map(planned).collect() };
        TraceRecord { event, ..record(seq) }
    };
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for seq in 0..8 {
        store.append("r", vec![plan(seq)]).await.unwrap();
    }
    let mut ninth = Box::pin(store.append("r", vec![plan(8)]));
    let soon = std::time::Duration::from_millis(50);
    assert!(tokio::time::timeout(soon, &mut ninth).await.is_err(), "nothing can be written yet");
    other.execute_batch("ROLLBACK").unwrap();
    ninth.await.unwrap();
    store.flush("r").await.unwrap();
    assert_eq!(store.trace("r").unwrap().records.len(), 9);
}
