//! A home that the last version before the split of the program wrote opens, and says what it said then.
//!
//! `tests/fixtures/first-edition-home.tar.gz` is the asker's home of `frlm demo --keep`, in which a second question was asked of two
//! providers for nothing. Its mint is gone, and its sats are play money.

use std::fs;
use std::path::Path;

use flate2::read::GzDecoder;
use rusqlite::{Connection, params};
use serde_json::Value;
use tempfile::TempDir;

#[cfg(feature = "embedded")]
use crate::common::Background;
use crate::common::{json, run, stderr, stdout};

/// Paid for in play money.
const PAID: &str = "1155f1996817daa3";
/// Asked for nothing.
const FREE: &str = "54f0849b97793494";

fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/first-edition-home.tar.gz");
    let packed = GzDecoder::new(fs::File::open(fixture).unwrap());
    tar::Archive::new(packed).unpack(home.path()).unwrap();
    home
}

/// What a command prints, if it succeeds.
fn said(home: &TempDir, args: &[&str]) -> String {
    let output = run(home.path(), args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stdout(&output)
}

#[test]
fn its_runs_are_listed_shown_and_replayed() {
    let home = home();
    let listed = said(&home, &["runs", "list"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with(FREE) && lines[1].starts_with(PAID), "{listed}");
    assert!(lines.iter().all(|line| line.contains("done")), "{listed}");
    let shown = said(&home, &["runs", "show", PAID]);
    assert!(shown.contains("48 records match") && shown.contains("41 of 41 parts verified"), "{shown}");
    let replayed = said(&home, &["runs", "replay", PAID, "--speed", "0"]);
    assert!(replayed.contains("41 of 41 parts verified, 0 disputed, 167 sats spent"), "{replayed}");
    let output = run(home.path(), &["runs", "show", FREE, "--json"]);
    assert_eq!(json(&output)["run_id"], FREE);
}

#[test]
fn its_wallet_and_its_providers_are_as_they_were() {
    let home = home();
    let balance = said(&home, &["wallet", "balance"]);
    assert!(balance.contains("play sats") && balance.contains("available 833 sats"), "{balance}");
    assert!(balance.contains(PAID) && balance.contains("spent 167 sats"), "{balance}");
    let providers = said(&home, &["providers", "list"]);
    assert_eq!(providers.lines().filter(|line| line.starts_with("npub1")).count(), 2, "{providers}");
    assert!(said(&home, &["wallet", "receipt", PAID]).contains("167 spent"));
}

/// Leaves of a run what its process had written when it was killed right after this event, with its question asked of the same
/// document and relay at other places.
fn killed_after(home: &TempDir, id: &str, last: u64, document: &Path, relay: &str) {
    let runs = Connection::open(home.path().join("runs.db")).unwrap();
    runs.execute("DELETE FROM trace WHERE run = ?1 AND seq > ?2", params![id, last]).unwrap();
    let request: String =
        runs.query_row("SELECT request FROM runs WHERE id = ?1", [id], |row| row.get(0)).unwrap();
    let mut request: Value = serde_json::from_str(&request).unwrap();
    request["files"] = serde_json::json!([document]);
    request["relays"] = serde_json::json!([relay]);
    let changed = runs.execute(
        "UPDATE runs SET state = 'running', request = ?2 WHERE id = ?1",
        params![id, request.to_string()],
    );
    assert_eq!(changed.unwrap(), 1);
}

/// The first lines of the orders that both runs were asked about.
fn orders(home: &TempDir, lines: usize) -> std::path::PathBuf {
    let text = include_str!("../../../assets/samples/orders.log");
    let path = home.path().join("orders.log");
    fs::write(&path, text.split_inclusive('\n').take(lines).collect::<String>()).unwrap();
    path
}

#[cfg(feature = "embedded")]
#[test]
fn an_unfinished_run_goes_on_where_it_was() {
    let (home, folder) = (home(), tempfile::tempdir().unwrap());
    let (_relay, url) = Background::relay(&folder.path().join("relay"));
    let _a = Background::provider(&folder.path().join("a"), &url);
    let _b = Background::provider(&folder.path().join("b"), &url);
    // One of its two parts was verified, and the other one's answers were out.
    killed_after(&home, FREE, 34, &orders(&home, 30), &url);
    let ledger = Connection::open(home.path().join("ledger.db")).unwrap();
    ledger.execute("UPDATE entries SET state = 'reserved' WHERE run = 2 AND subtask = 0", []).unwrap();
    drop(ledger);
    let output = run(home.path(), &["runs", "resume", FREE, "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let answer = json(&output);
    assert_eq!(
        (&answer["answer"], &answer["coverage"]),
        (&"3 records match (status = failed).".into(), &1.0.into())
    );
    let runs = Connection::open(home.path().join("runs.db")).unwrap();
    let mut asked = runs
        .prepare("SELECT body FROM trace WHERE run = ?1 AND seq > 34 AND body LIKE '%subquery_submit%'")
        .unwrap();
    let asked = asked.query_map([FREE], |row| row.get::<_, String>(0)).unwrap();
    let asked: Vec<Value> = asked.map(|body| serde_json::from_str(&body.unwrap()).unwrap()).collect();
    assert!(!asked.is_empty() && asked.iter().all(|job| job["subtask"] == 0), "{asked:?}");
}

#[test]
fn an_unfinished_run_whose_mint_is_gone_says_so_and_keeps_its_sats() {
    let home = home();
    killed_after(&home, PAID, 200, &orders(&home, 648), "ws://127.0.0.1:9");
    let output = run(home.path(), &["runs", "resume", PAID]);
    assert!(!output.status.success());
    assert!(stderr(&output).contains("play"), "{}", stderr(&output));
    let balance = said(&home, &["wallet", "balance"]);
    assert!(balance.contains("available 833 sats"), "{balance}");
}
