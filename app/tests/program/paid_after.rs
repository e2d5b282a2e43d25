//! Pay after the verdict as commands: real processes, a real relay, a mint of play money on loopback, and what is
//! owed when the asker is killed.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::line::{Condition, Line};
use crate::common::paid_swarm::{FUNDS, NOTHING_MATCHES, PaidSwarm, TIMEOUT, command, done, parsed, sum};
use crate::common::{Background, Endpoint, frlm, stderr, stdout};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::debts::{DebtRow, DebtState};
use frlm_wallet::seed::{Seed, vault};
use frlm_wallet::{CashuWallet, Money};
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
    tokio::time::timeout(TIMEOUT, looking).await.unwrap_or_else(|_| panic!("not within {TIMEOUT:?}: {what}"))
}

/// What provider "a" has, once nothing of it is open any more.
async fn earned(swarm: &PaidSwarm) -> Value {
    until("everything is redeemed", async || {
        let report = parsed(&done(&swarm.home("a"), &["wallet", "earned", "--json"]).await);
        (report["total"]["pending_jobs"] == 0).then(|| report["total"].clone())
    })
    .await
}

/// What a run cost, once the ledger knows.
async fn receipt(swarm: &PaidSwarm, run: &str) -> Value {
    until("the receipt adds up", async || {
        let receipt = parsed(&done(&swarm.asker(), &["wallet", "receipt", run, "--json"]).await);
        (receipt["adds_up"] == true).then_some(receipt)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_agree_on_what_was_paid_after_the_verdict() {
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let (url, offer) = (mint.url().to_owned(), ["--price", "5", "--pay-after", "3"]);
    let swarm = PaidSwarm::at(mint, &url, &["a"], &offer, &Endpoint::that_says(NOTHING_MATCHES)).await;
    let output = swarm.ask_with(&swarm.document(60), "400", &["--verify", "none"]).await;
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("paid after, unescrowed"), "{}", stderr(&output));
    let answer = parsed(&stdout(&output));
    let run = answer["run_id"].as_str().unwrap();

    let earned = earned(&swarm).await;
    let receipt = receipt(&swarm, run).await;
    let lines = receipt["lines"].as_array().unwrap();
    let (paid, after) = (sum(lines, "paid_msats"), sum(lines, "after_msats"));
    assert!(after > 0 && after <= paid, "{receipt}");
    assert_eq!((sum(lines, "owed_msats"), sum(lines, "waiting_msats")), (0, 0), "{receipt}");
    assert_eq!(earned["earned_sats"].as_u64().unwrap() * 1_000, paid, "this mint takes no fees");
    assert_eq!(swarm.available().await, FUNDS - paid / 1_000);
    let history = done(&swarm.asker(), &["wallet", "history", run, "--json"]).await;
    let schemes: BTreeSet<String> =
        history.lines().filter_map(|row| parsed(row)["scheme"].as_str().map(str::to_owned)).collect();
    assert!(schemes.contains("after"), "{schemes:?}");
    assert!(done(&swarm.asker(), &["wallet", "audit"]).await.contains("all balances match"));
    swarm.mint.shutdown().await;
}

/// A service whose words on stderr are kept.
struct Serving {
    _process: Background,
    said: Arc<Mutex<Vec<String>>>,
}

impl Serving {
    fn start(swarm: &PaidSwarm) -> Self {
        let mut child = frlm(&swarm.asker())
            .args(["serve", "--listen", "127.0.0.1:0", "--relay", &swarm.relay.1])
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

/// An asker with a job whose verdict finds the line to its mint sprung.
struct Scene {
    line: Line,
    swarm: PaidSwarm,
    seed: Seed,
    /// The words of the question.
    asking: Vec<String>,
}

impl Scene {
    async fn with(sprung: Condition) -> Self {
        let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        let line = Line::to(mint.url()).await;
        // When the model is asked the job is out, and its verdict is not in.
        let model = Endpoint::that_says_after(NOTHING_MATCHES, line.trap(sprung));
        let offer = ["--price", "5", "--pay-after", "8"];
        let swarm = PaidSwarm::at(mint, line.url(), &["a"], &offer, &model).await;
        let seed = vault::open(&swarm.asker().join("wallet"), None).unwrap().seed();
        line.arm();
        let more = ["--verify", "none", "--fragment-lines", "100"];
        let asking = swarm.asking(&swarm.document(60), "400", &more);
        Self { line, swarm, seed, asking }
    }

    /// Asks, until what is owed is written down.
    async fn owing(&self) -> Background {
        let ask =
            frlm(&self.swarm.asker()).args(&self.asking).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let ask = Background(ask.unwrap());
        until("what is owed is written down", async || (!self.debts().await.is_empty()).then_some(())).await;
        ask
    }

    /// The asker's books. While another process has them open, nothing is recovered by looking.
    async fn wallet(&self) -> CashuWallet {
        let folder = self.swarm.asker().join("wallet");
        CashuWallet::open(&folder, self.seed.clone(), Money::Real).await.unwrap().0
    }

    async fn debts(&self) -> Vec<DebtRow> {
        self.wallet().await.debts(None).await.unwrap()
    }

    /// What provider "a" has, whatever is still open of it.
    async fn report(&self) -> Value {
        parsed(&done(&self.swarm.home("a"), &["wallet", "earned", "--json"]).await)["total"].clone()
    }

    /// Everything that was owed was paid, once, and both books and the ledger say so.
    async fn is_paid_once(&self) {
        let owed = self.debts().await;
        assert!(owed.iter().all(|row| row.state == DebtState::Paid), "{owed:?}");
        let price: u64 = owed.iter().map(|row| row.debt.price.0).sum();
        let swarm = &self.swarm;
        assert_eq!(earned(swarm).await["earned_sats"].as_u64().unwrap(), price);
        assert_eq!(swarm.available().await, FUNDS - price);
        let runs = parsed(&done(&swarm.asker(), &["runs", "list", "--json"]).await);
        let receipt = receipt(swarm, runs[0]["run_id"].as_str().unwrap()).await;
        let lines = receipt["lines"].as_array().unwrap();
        assert_eq!(receipt["spent_msats"].as_u64().unwrap(), price * 1_000, "{receipt}");
        assert_eq!((sum(lines, "after_msats"), sum(lines, "owed_msats")), (price * 1_000, 0), "{receipt}");
        assert!(done(&swarm.asker(), &["wallet", "audit"]).await.contains("all balances match"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asker_that_cannot_pay_says_what_it_owes_and_recover_pays_it_once() {
    let scene = Scene::with(Condition::Cut).await;
    let words: Vec<&str> = scene.asking.iter().map(String::as_str).collect();
    let output = command(&scene.swarm.asker(), &words).await;
    let said = stderr(&output);
    assert!(output.status.success(), "the answer is there, whatever is still unpaid: {said}");
    assert!(said.contains("owed for a job") && said.contains("owed: frlm wallet recover pays it"), "{said}");
    assert!(said.contains("reserved for debts") && !said.contains("does not add up"), "{said}");
    assert_eq!(scene.report().await["earned_sats"], 0);
    // With the run would go the key that can tell the provider of its pay.
    let runs = parsed(&done(&scene.swarm.asker(), &["runs", "list", "--json"]).await);
    let run = runs[0]["run_id"].as_str().unwrap();
    let deleted = command(&scene.swarm.asker(), &["runs", "delete", run, "--yes"]).await;
    assert_eq!(deleted.status.code(), Some(1), "{}", stderr(&deleted));
    assert!(stderr(&deleted).contains("run frlm wallet recover first"), "{}", stderr(&deleted));

    scene.line.mend();
    let recovered = done(&scene.swarm.asker(), &["wallet", "recover"]).await;
    assert!(recovered.contains("were paid for"), "{recovered}");
    scene.is_paid_once().await;
    done(&scene.swarm.asker(), &["runs", "delete", run, "--yes"]).await;
    scene.swarm.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_askers_debt_is_paid_once_by_a_service_when_the_mint_is_back() {
    let scene = Scene::with(Condition::Stalled).await;
    // Dropped, it is killed as by `kill -9`.
    drop(scene.owing().await);
    scene.line.cut();

    let serving = Serving::start(&scene.swarm);
    serving.says("owed for a job").await;
    let owed = scene.debts().await;
    assert!(owed.iter().all(|row| row.state == DebtState::Owed), "{owed:?}");
    let report = scene.report().await;
    assert_eq!(
        (&report["earned_sats"], &report["pending_jobs"]),
        (&0.into(), &owed.len().into()),
        "{report}"
    );

    scene.line.mend();
    serving.says("of debts for").await;
    scene.is_paid_once().await;
    drop(serving);
    scene.swarm.mint.shutdown().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_was_signed_over_and_never_said_is_said_by_the_next_process() {
    let scene = Scene::with(Condition::Stalled).await;
    let ask = scene.owing().await;
    // Nobody takes the word that pays; the sats are locked and signed over all the same.
    scene.swarm.relay.0.signal("-STOP");
    scene.line.mend();
    until("the sats are signed over", async || {
        let locks = scene.wallet().await.locks(None).await.unwrap();
        (!locks.is_empty() && locks.iter().all(|lock| lock.state() == "released")).then_some(())
    })
    .await;
    drop(ask);
    assert_eq!(scene.report().await["earned_sats"], 0);
    scene.swarm.relay.0.signal("-CONT");

    let serving = Serving::start(&scene.swarm);
    serving.says("of debts for").await;
    scene.is_paid_once().await;
    drop(serving);
    scene.swarm.mint.shutdown().await;
}
