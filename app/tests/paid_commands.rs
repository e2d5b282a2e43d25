//! Paid work as commands: real processes, a real relay, a mint of play money on loopback.

#![cfg(test)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{Background, Endpoint, orders, run, stderr, stdout};
use frlm_relay::{ConnectOptions, Connection, Incoming, Publisher, RelayMessage};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use nostr::{EventBuilder, Filter, Keys, Kind};

const QUESTION: &str = "How many lines have status failed?";
const PATIENCE: Duration = Duration::from_mins(1);

/// Somebody who sees every job that goes through a relay.
struct Onlooker {
    publisher: Publisher,
    incoming: Incoming,
}

impl Onlooker {
    async fn at(url: &str) -> Self {
        let url = frlm_relay::parse_relay_url(url).unwrap();
        let (publisher, incoming) = Connection::connect(&[url], ConnectOptions::default()).await.unwrap();
        let kinds = [frlm_protocol::kinds::JOB_REQUEST, Kind::TextNote];
        publisher.subscribe("jobs", vec![Filter::new().kinds(kinds)]).await;
        Self { publisher, incoming }
    }

    /// Jobs since the last look: a note of our own that comes after them marks the end.
    async fn jobs(&mut self) -> usize {
        let note = EventBuilder::text_note("so far").sign_with_keys(&Keys::generate()).unwrap();
        self.publisher.publish(&note).await.unwrap();
        let mut jobs = 0;
        loop {
            match tokio::time::timeout(PATIENCE, self.incoming.recv()).await.unwrap().unwrap() {
                RelayMessage::Event(event) if event.id == note.id => return jobs,
                RelayMessage::Event(event) if event.kind == Kind::TextNote => {}
                RelayMessage::Event(_) => jobs += 1,
                _ => {}
            }
        }
    }
}

/// A command that must succeed; what it said on stdout.
async fn done(home: &Path, args: &[&str]) -> String {
    let output = command(home, args).await;
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stdout(&output)
}

/// A command beside the mint and the relay's messages that this process serves.
async fn command(home: &Path, args: &[&str]) -> std::process::Output {
    let (home, args) = (home.to_owned(), args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>());
    let ran = tokio::task::spawn_blocking(move || {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        run(&home, &args)
    });
    ran.await.unwrap()
}

/// A relay, a mint, an asker with 500 sats there, and providers that want a price.
struct Market {
    folder: tempfile::TempDir,
    relay: (Background, String),
    mint: PlayMint,
    _providers: Vec<Background>,
}

impl Market {
    async fn open(names: &[&str], price: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let relay = Background::relay(&folder.path().join("relay"));
        let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        let asker = folder.path().join("asker");
        let mut providers = Vec::new();
        for home in names.iter().map(|name| folder.path().join(name)).chain([asker.clone()]) {
            done(&home, &["wallet", "create"]).await;
            done(&home, &["wallet", "mints", "add", mint.url()]).await;
        }
        done(&asker, &["wallet", "receive", "500"]).await;
        for name in names {
            let (home, url) = (folder.path().join(name), relay.1.clone());
            let model = Endpoint::that_says(r#"{"matches":[]}"#).model();
            let price = price.to_owned();
            let started = tokio::task::spawn_blocking(move || {
                let more = ["--model", &model, "--price", &price];
                Background::provider_with(&home, &url, &more)
            });
            providers.push(started.await.unwrap());
        }
        Self { folder, relay, mint, _providers: providers }
    }

    fn asker(&self) -> PathBuf {
        self.folder.path().join("asker")
    }

    fn document(&self, lines: usize) -> String {
        let path = self.folder.path().join(format!("{lines}.log"));
        orders(&path, lines);
        path.display().to_string()
    }

    async fn ask(&self, document: &str, budget: &str) -> std::process::Output {
        let args = [
            "ask",
            QUESTION,
            "--file",
            document,
            "--relay",
            &self.relay.1,
            "--budget",
            budget,
            "--yes",
            "--json",
        ];
        command(&self.asker(), &args).await
    }

    /// What the asker has at the mint.
    async fn available(&self) -> u64 {
        let balance: serde_json::Value =
            serde_json::from_str(&done(&self.asker(), &["wallet", "balance", "--json"]).await).unwrap();
        balance["mints"][0]["available_sats"].as_u64().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_of_one_sat_for_600_lines_names_the_cost_exits_three_and_publishes_nothing() {
    let market = Market::open(&["a", "b", "c"], "5").await;
    let mut onlooker = Onlooker::at(&market.relay.1).await;
    let output = market.ask(&market.document(600), "1").await;
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert_eq!(stdout(&output), "", "no answer was made up");
    let cost: u64 = said
        .split_once("would cost about ")
        .and_then(|(_, rest)| rest.split(' ').next()?.replace(',', "").parse().ok())
        .unwrap_or_else(|| panic!("no cost in: {said}"));
    assert!(cost > 1 && said.contains("--budget"), "{said}");
    assert_eq!(onlooker.jobs().await, 0, "nothing was published");
    assert_eq!(market.available().await, 500, "nothing was locked");
    assert!(done(&market.asker(), &["wallet", "audit"]).await.contains("all sums add up"));
    market.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_of_the_settings_are_shown_and_refuse_a_run_by_name() {
    let market = Market::open(&["a", "b"], "5").await;
    let mut onlooker = Onlooker::at(&market.relay.1).await;
    let asker = market.asker();
    std::fs::write(asker.join("config.toml"), "[limits]\nper_day = 4\nper_mint = 100\n").unwrap();
    let shown = done(&asker, &["wallet", "limits"]).await;
    assert!(shown.contains("per day       4 sats  used 0 sats"), "{shown}");
    assert!(shown.contains("per mint      100 sats") && shown.contains("per subtask   no limit"), "{shown}");
    let output = market.ask(&market.document(100), "400").await;
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("over the limit per day") && said.contains("per_day under [limits]"), "{said}");
    assert_eq!((onlooker.jobs().await, market.available().await), (0, 500));
    market.mint.shutdown().await;
}
