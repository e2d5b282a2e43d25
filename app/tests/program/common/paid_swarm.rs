//! A relay, a mint of play money, an asker with sats there, and providers that want some: real processes around a
//! mint in the test's own.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use serde_json::Value;

use crate::common::{Background, Endpoint, orders, run, stderr, stdout};

/// How long anything may take: only for a test that fails.
pub const TIMEOUT: Duration = Duration::from_mins(1);
/// What the asker has at first.
pub const FUNDS: u64 = 500;
/// What the providers' model says of everything.
pub const NOTHING_MATCHES: &str = r#"{"matches":[]}"#;

const QUESTION: &str = "How many lines have status failed?";

/// A command that must succeed; what it said on stdout.
pub async fn done(home: &Path, args: &[&str]) -> String {
    let output = command(home, args).await;
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stdout(&output)
}

/// A command beside the mint and the relay's messages that this process serves.
pub async fn command(home: &Path, args: &[&str]) -> Output {
    let (home, args) = (home.to_owned(), args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>());
    let ran = tokio::task::spawn_blocking(move || {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        run(&home, &args)
    });
    ran.await.unwrap()
}

pub fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

pub fn sum(lines: &[Value], of: &str) -> u64 {
    lines.iter().map(|line| line[of].as_u64().unwrap()).sum()
}

/// A relay, a mint, an asker with sats there, and providers that want a price.
pub struct PaidSwarm {
    pub folder: tempfile::TempDir,
    pub relay: (Background, String),
    pub mint: PlayMint,
    _providers: Vec<Background>,
}

impl PaidSwarm {
    /// With providers that ask this price.
    pub async fn open(names: &[&str], price: &str) -> Self {
        let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        let url = mint.url().to_owned();
        let model = Endpoint::that_says(NOTHING_MATCHES);
        Self::at(mint, &url, names, &["--price", price], &model).await
    }

    /// With providers that offer this, and a mint that everybody knows by this address.
    pub async fn at(mint: PlayMint, url: &str, names: &[&str], offer: &[&str], model: &Endpoint) -> Self {
        let providers: Vec<(&str, &Endpoint)> = names.iter().map(|name| (*name, model)).collect();
        Self::of(mint, url, &providers, offer).await
    }

    /// The same, each provider with a model of its own.
    pub async fn of(mint: PlayMint, url: &str, providers: &[(&str, &Endpoint)], offer: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let relay = Background::relay(&folder.path().join("relay"));
        let asker = folder.path().join("asker");
        let mut serving = Vec::new();
        for home in providers.iter().map(|(name, _)| folder.path().join(name)).chain([asker.clone()]) {
            done(&home, &["wallet", "create", "--yes"]).await;
            done(&home, &["wallet", "mints", "add", url]).await;
        }
        done(&asker, &["wallet", "receive", &FUNDS.to_string()]).await;
        for (name, model) in providers {
            let (home, relay) = (folder.path().join(name), relay.1.clone());
            let more = ["--model".to_owned(), model.model()].into_iter();
            let more: Vec<String> = more.chain(offer.iter().map(|word| (*word).to_owned())).collect();
            let started = tokio::task::spawn_blocking(move || {
                let more: Vec<&str> = more.iter().map(String::as_str).collect();
                Background::provider_with(&home, &relay, &more)
            });
            serving.push(started.await.unwrap());
        }
        Self { folder, relay, mint, _providers: serving }
    }

    pub fn home(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn asker(&self) -> PathBuf {
        self.home("asker")
    }

    pub fn document(&self, lines: usize) -> String {
        let path = self.folder.path().join(format!("{lines}.log"));
        orders(&path, lines);
        path.display().to_string()
    }

    /// The words of a question.
    pub fn asking(&self, document: &str, budget: &str, more: &[&str]) -> Vec<String> {
        let words = [
            "ask",
            QUESTION,
            "--by",
            "swarm",
            "--file",
            document,
            "--relay",
            &self.relay.1,
            "--budget",
            budget,
        ];
        let words = words.iter().chain(&["--yes", "--json"]).chain(more);
        words.map(|word| (*word).to_owned()).collect()
    }

    pub async fn ask(&self, document: &str, budget: &str) -> Output {
        self.ask_with(document, budget, &[]).await
    }

    pub async fn ask_with(&self, document: &str, budget: &str, more: &[&str]) -> Output {
        let words = self.asking(document, budget, more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        command(&self.asker(), &words).await
    }

    /// What the asker has at the mint.
    pub async fn available(&self) -> u64 {
        let balance = parsed(&done(&self.asker(), &["wallet", "balance", "--json"]).await);
        balance["mints"][0]["available_sats"].as_u64().unwrap()
    }
}
