//! Pay after the verdict as commands: real processes, a real relay, a mint of play money on loopback, and what is
//! owed when the asker is killed.

#![cfg(test)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;
#[path = "common/line.rs"]
mod line;
#[path = "common/market.rs"]
mod market;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{Background, Endpoint, frlm, stderr, stdout};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::escrow::{DebtRow, DebtState};
use frlm_wallet::seed::{Seed, vault};
use frlm_wallet::{CashuWallet, Money};
use line::Line;
use market::{FUNDS, Market, NOTHING_MATCHES, PATIENCE, done, parsed, sum};
use serde_json::Value;

/// Polls until something is there; a condition, not a pause, decides.
async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking)
        .await
        .unwrap_or_else(|_| panic!("not within {PATIENCE:?}: {what}"))
}

/// What provider «a» has, once nothing of it is open any more.
async fn earned(market: &Market) -> Value {
    until("everything is redeemed", async || {
        let mirror = parsed(&done(&market.home("a"), &["wallet", "earned", "--json"]).await);
        (mirror["total"]["pending_jobs"] == 0).then(|| mirror["total"].clone())
    })
    .await
}

/// What a run cost, once the ledger knows.
async fn receipt(market: &Market, run: &str) -> Value {
    until("the receipt adds up", async || {
        let receipt = parsed(&done(&market.asker(), &["wallet", "receipt", run, "--json"]).await);
        (receipt["adds_up"] == true).then_some(receipt)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_agree_on_what_was_paid_after_the_verdict() {
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let (url, offer) = (mint.url().to_owned(), ["--price", "5", "--pay-after", "3"]);
    let market = Market::at(mint, &url, &["a"], &offer, &Endpoint::that_says(NOTHING_MATCHES)).await;
    let output = market.ask_with(&market.document(60), "400", &["--verify", "none"]).await;
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("paid after, unescrowed"), "{}", stderr(&output));
    let answer = parsed(&stdout(&output));
    let run = answer["run_id"].as_str().unwrap();

    let earned = earned(&market).await;
    let receipt = receipt(&market, run).await;
    let lines = receipt["lines"].as_array().unwrap();
    let (paid, after) = (sum(lines, "paid_msats"), sum(lines, "after_msats"));
    assert!(after > 0 && after <= paid, "{receipt}");
    assert_eq!((sum(lines, "owed_msats"), sum(lines, "waiting_msats")), (0, 0), "{receipt}");
    assert_eq!(earned["earned_sats"].as_u64().unwrap() * 1_000, paid, "this mint takes no fees");
    assert_eq!(market.available().await, FUNDS - paid / 1_000);
    let history = done(&market.asker(), &["wallet", "history", run, "--json"]).await;
    let schemes: BTreeSet<String> =
        history.lines().filter_map(|row| parsed(row)["scheme"].as_str().map(str::to_owned)).collect();
    assert!(schemes.contains("after"), "{schemes:?}");
    assert!(done(&market.asker(), &["wallet", "audit"]).await.contains("all sums add up"));
    market.mint.shutdown().await;
}

/// A service whose words on stderr are kept.
struct Serving {
    _process: Background,
    said: Arc<Mutex<Vec<String>>>,
}

impl Serving {
    fn start(market: &Market) -> Self {
        let mut child = frlm(&market.asker())
            .args(["serve", "--listen", "127.0.0.1:0", "--relay", &market.relay.1])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (lines, said) = (BufReader::new(child.stderr.take().unwrap()).lines(), Arc::default());
        let kept: Arc<Mutex<Vec<String>>> = Arc::clone(&said);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                kept.lock().unwrap().push(line);
            }
        });
        Self { _process: Background(child), said }
    }

    async fn says(&self, words: &str) {
        until(words, async || {
            let said = self.said.lock().unwrap();
            said.iter().any(|line| line.contains(words)).then_some(())
        })
        .await;
    }
}

/// What the asker owes or has owed, by its own books: while another process has them open, so that nothing is
/// recovered by looking.
async fn debts(market: &Market, seed: &Seed) -> Vec<DebtRow> {
    let folder = market.asker().join("wallet");
    let (wallet, _) = CashuWallet::open(&folder, seed.clone(), Money::Real).await.unwrap();
    wallet.debts(None).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_asker_owes_is_paid_once_by_a_service_when_the_mint_is_back() {
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let line = Line::to(mint.url()).await;
    // When the model is asked the job is out, and its verdict is not in.
    let model = Endpoint::that_says_after(NOTHING_MATCHES, line.trap());
    let market = Market::at(mint, line.url(), &["a"], &["--price", "5", "--pay-after", "8"], &model).await;
    let seed = vault::open(&market.asker().join("wallet"), None).unwrap().seed();
    line.arm();
    let more = ["--verify", "none", "--fragment-lines", "100"];
    let asking = market.asking(&market.document(60), "400", &more);
    let ask = frlm(&market.asker()).args(asking).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let ask = Background(ask.unwrap());
    until("what is owed is written down", async || (!debts(&market, &seed).await.is_empty()).then_some(()))
        .await;
    // Killed as by `kill -9`, between what is owed and the word that pays it.
    drop(ask);
    line.cut();

    let serving = Serving::start(&market);
    serving.says("owed for a job").await;
    let owed = debts(&market, &seed).await;
    assert!(owed.iter().all(|row| row.state == DebtState::Owed), "{owed:?}");
    let price: u64 = owed.iter().map(|row| row.debt.price.0).sum();
    let mirror = parsed(&done(&market.home("a"), &["wallet", "earned", "--json"]).await);
    assert_eq!(mirror["total"]["earned_sats"], 0, "{mirror}");
    assert_eq!(mirror["total"]["pending_jobs"].as_u64().unwrap(), owed.len() as u64, "{mirror}");

    line.mend();
    serving.says("were paid for").await;
    assert_eq!(earned(&market).await["earned_sats"].as_u64().unwrap(), price);
    let owed = debts(&market, &seed).await;
    assert!(owed.iter().all(|row| row.state == DebtState::Paid), "{owed:?}");
    assert_eq!(market.available().await, FUNDS - price, "once");
    let runs = parsed(&done(&market.asker(), &["runs", "list", "--json"]).await);
    let receipt = receipt(&market, runs[0]["run_id"].as_str().unwrap()).await;
    let lines = receipt["lines"].as_array().unwrap();
    assert_eq!(receipt["spent_msats"].as_u64().unwrap(), price * 1_000, "{receipt}");
    assert_eq!((sum(lines, "after_msats"), sum(lines, "owed_msats")), (price * 1_000, 0), "{receipt}");
    assert!(done(&market.asker(), &["wallet", "audit"]).await.contains("all sums add up"));
    drop(serving);
    market.mint.shutdown().await;
}
