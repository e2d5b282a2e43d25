//! Several processes on one file, one of them killed.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::*;

const LEDGER: &str = "FRLM_TEST_LEDGER";

/// Runs `second_process` below in a process of its own and waits until it holds reservations.
///
/// Its output must stay open, or it dies of that when it ends.
fn start_second_process(ledger: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ledger::tests::processes::second_process", "--ignored", "--nocapture"])
        .env(LEDGER, ledger)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    assert!(output.by_ref().lines().map_while(Result::ok).any(|line| line.contains("holding")));
    (child, output)
}

#[tokio::test]
#[ignore = "the other half of the tests in this file"]
async fn second_process() {
    let ledger = Ledger::open(std::env::var(LEDGER).unwrap()).await.unwrap();
    let unsent = ledger.reserve(Key::new("run", 1, 7), Sats(10)).await.unwrap();
    let sent = ledger.reserve(Key::new("run", 2, 7), Sats(20)).await.unwrap();
    sent.publish().await.unwrap();
    println!("\nholding");
    // Until the other side kills this process or closes the pipe.
    std::io::stdin().lines().next();
    drop((unsent, sent));
}

#[tokio::test]
async fn a_killed_process_is_recovered_and_a_living_one_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    let (mut child, _output) = start_second_process(ledger.path());

    assert_eq!(ledger.recover().await.unwrap(), Recovered::default());
    assert_eq!(sums(&ledger).await, [0, 0, 30, 0, 70]);
    let error = ledger.attach(Key::new("run", 2, 7)).await.unwrap_err();
    assert!(matches!(error, LedgerError::InUse { in_other_process: true, .. }));

    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(
        ledger.recover().await.unwrap(),
        Recovered {
            returned: vec![Key::new("run", 1, 7)],
            doubtful: vec![Key::new("run", 2, 7)],
            reclaimed: vec![],
        }
    );
    assert_eq!(sums(&ledger).await, [20, 0, 0, 0, 80]);
    assert!(ledger.audit().await.unwrap().is_clean());
}

#[tokio::test]
async fn a_process_that_ends_in_order_leaves_nothing_to_recover() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(100)).await.unwrap();
    let (mut child, _output) = start_second_process(ledger.path());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(ledger.recover().await.unwrap(), Recovered::default());
    assert_eq!(sums(&ledger).await, [0, 0, 0, 0, 100]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_ledgers_on_one_file_never_exceed_the_limit_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    // Opened at once on a file that does not exist yet.
    let (first, second) = tokio::join!(Ledger::open(&path), Ledger::open(&path));
    let ledgers = [first.unwrap(), second.unwrap()];
    let (first, second) =
        tokio::join!(ledgers[0].open_run("run", Sats(100)), ledgers[1].open_run("run", Sats(100)));
    first.unwrap();
    second.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for subtask in 0..60 {
        let ledger = ledgers[subtask as usize % 2].clone();
        tasks.spawn(async move { ledger.reserve(key(subtask), Sats(3)).await });
    }
    let held: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    assert_eq!(held.len(), 33);
    for ledger in &ledgers {
        assert_eq!(sums(ledger).await, [0, 0, 99, 0, 1]);
        assert!(ledger.audit().await.unwrap().is_clean());
    }
}
