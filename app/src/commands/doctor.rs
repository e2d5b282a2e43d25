//! `frlm doctor`: is everything there that the commands need? Each failure names its fix.

use frlm_conductor::store::Store;
use frlm_inference::GenerationRequest;
use frlm_relay::{ConnectOptions, Connection};
use frlm_wallet::Ledger;

use crate::cli::DoctorArgs;
use crate::config::first_named;
use crate::failure::Failure;
use crate::home::Home;
use crate::models;

/// Prints one line per check; fails if one does.
pub async fn run(args: &DoctorArgs, home: &Home) -> anyhow::Result<()> {
    let mut failed = 0;
    let mut report = |name: &str, outcome: Result<String, String>| match outcome {
        Ok(found) => say!("ok      {name}: {found}"),
        Err(problem) => {
            failed += 1;
            say!("FAILED  {name}: {problem}");
        }
    };
    report("state", Ok(home.root().display().to_string()));
    let config = home.config();
    report(
        "settings",
        match &config {
            Ok(_) if home.config_file().exists() => Ok(home.config_file().display().to_string()),
            Ok(_) => Ok("defaults (no config.toml)".to_owned()),
            Err(error) => Err(error.to_string()),
        },
    );
    report(
        "recorded runs",
        Store::open(&home.store())
            .and_then(|store| store.list(usize::MAX))
            .map(|runs| format!("{} runs", runs.len()))
            .map_err(|error| error.to_string()),
    );
    report("ledger", ledger(home).await);
    report("embedded model", embedded(home).await);
    let config = config.unwrap_or_default();
    match config.provide.model.clone().or_else(|| config.ask.model.clone()) {
        None => report("your model", Ok("none configured; --model PATH.gguf names one".to_owned())),
        Some(name) => report(
            "your model",
            models::open(&name, Some(1), home)
                .await
                .map(|model| format!("{} ({} tokens)", model.info().name, model.info().context_tokens))
                .map_err(|error| error.to_string()),
        ),
    }
    let relays = first_named([&args.relays, &config.relays]);
    if relays.is_empty() {
        report("relay", Ok("none configured; frlm relay starts one on this machine".to_owned()));
    }
    for relay in relays {
        report(&format!("relay {relay}"), reach(&relay).await);
    }
    if failed == 0 { Ok(()) } else { Err(Failure::with_code(1, format!("{failed} checks failed")).into()) }
}

async fn ledger(home: &Home) -> Result<String, String> {
    let ledger = Ledger::open(home.ledger()).await.map_err(|error| error.to_string())?;
    let report = ledger.audit().await.map_err(|error| error.to_string())?;
    match report.mismatches.first() {
        None => Ok("all sums add up".to_owned()),
        Some(first) => Err(format!("{first}; frlm wallet audit lists all")),
    }
}

async fn embedded(home: &Home) -> Result<String, String> {
    let began = std::time::Instant::now();
    let model = models::open("embedded", Some(1), home).await.map_err(|error| error.to_string())?;
    let loaded = began.elapsed();
    let request = GenerationRequest::greedy("copy status\norder=4001 user=mara status=failed", 16);
    let answer = model.generate(request).await.map_err(|error| error.to_string())?;
    if answer.text.trim() == "failed" {
        Ok(format!("loads in {} ms and reads a record", loaded.as_millis()))
    } else {
        Err("it misreads a simple record; this build's weights are damaged, please reinstall".to_owned())
    }
}

async fn reach(relay: &str) -> Result<String, String> {
    let url = frlm_relay::parse_relay_url(relay).map_err(|error| error.to_string())?;
    let (publisher, _incoming) =
        Connection::connect(&[url], ConnectOptions::default()).await.map_err(|error| error.to_string())?;
    publisher.shutdown().await;
    Ok("reachable".to_owned())
}
