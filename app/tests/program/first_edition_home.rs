//! A home that the last version before the split of the program wrote opens, and says what it said then.
//!
//! `tests/fixtures/first-edition-home` is the asker's home of `frlm demo --keep`, in which a second question was asked of two
//! providers for nothing. Its mint is gone, and its sats are play money.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{json, run, stderr, stdout};

/// Paid for in play money.
const PAID: &str = "1155f1996817daa3";
/// Asked for nothing.
const FREE: &str = "54f0849b97793494";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/first-edition-home");
    copy(&fixture, home.path());
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
