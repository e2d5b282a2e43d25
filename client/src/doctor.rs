//! Is everything there that the program needs? Each failure names its fix. `frlm doctor` prints the
//! checks, the desktop app shows them.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use frlm_conductor::store::Store;
use frlm_inference::GenerationRequest;
use frlm_protocol::limits::ANNOUNCEMENT_LIFETIME_SECS;
use frlm_relay::other_relays::{MOST_ASKED, other_relays};
use frlm_relay::{ConnectOptions, Connection, Publisher};
use frlm_wallet::Ledger;
use frlm_wallet::seed::vault;
use nostr::{Event, Keys, PublicKey, Timestamp};
use tokio::sync::mpsc;

use crate::config::Config;
use crate::home::Home;
use crate::models;
use crate::run::{RunRequest, RunSpec};
use crate::swarm::discovery::announcements;
use crate::units::plural;
use crate::wallet_session;

/// How long a relay has to say which providers it knows.
const PATIENCE: Duration = Duration::from_secs(2);

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was checked.
    pub name: String,
    /// What was found, or what is wrong and what to do.
    pub outcome: Result<String, String>,
}

/// Checks everything, one thing after another; `report` gets each as soon as it is known. Ends early
/// if nobody reads. `relays`: beside those of the settings. `display`: what the front end says of its own.
pub async fn check(home: Home, relays: Vec<String>, display: &str, report: mpsc::Sender<Check>) {
    // The caller may be gone; then nobody needs to know any more.
    let _ = check_all(&home, relays, display, &report).await;
}

type Gone = mpsc::error::SendError<Check>;

async fn check_all(
    home: &Home,
    relays: Vec<String>,
    display: &str,
    report: &mpsc::Sender<Check>,
) -> Result<(), Gone> {
    let say = |name: &str, outcome| report.send(Check { name: name.to_owned(), outcome });
    say("state", Ok(home.root().display().to_string())).await?;
    let config = home.config();
    say(
        "settings",
        match config.as_ref().map(usable) {
            Ok(Err(error)) => Err(format!("{error} (config.toml)")),
            Ok(Ok(())) if home.config_file().exists() => Ok(home.config_file().display().to_string()),
            Ok(Ok(())) => Ok("defaults (no config.toml)".to_owned()),
            Err(error) => Err(error.to_string()),
        },
    )
    .await?;
    say("recorded runs", runs(home).await).await?;
    say("ledger", ledger(home).await).await?;
    say("wallet", wallet(home).await).await?;
    say("embedded model", embedded(home).await).await?;
    let config = config.unwrap_or_default();
    let relays = with_configured(relays, &config);
    say("your model", your_model(config.provide.model.or(config.ask.model), home).await).await?;
    say("GPU", gpu()).await?;
    say("display", Ok(display.to_owned())).await?;
    if relays.is_empty() {
        say("relay", Ok("none configured; frlm relay starts one on this machine".to_owned())).await?;
    }
    for relay in relays {
        say(&format!("relay {relay}"), reach(&relay).await).await?;
    }
    Ok(())
}

/// Whether a question could be asked with these settings: what would refuse every question is found here.
fn usable(config: &Config) -> anyhow::Result<()> {
    let spec = RunSpec::over("?".to_owned(), Vec::new());
    RunRequest::from_spec(&spec, config)?.terms().map(drop)
}

/// The named relays and all that some command finds in the settings, each once.
fn with_configured(mut relays: Vec<String>, config: &Config) -> Vec<String> {
    for relay in [&config.relays, &config.ask.relays, &config.provide.relays].into_iter().flatten() {
        if !relays.contains(relay) {
            relays.push(relay.clone());
        }
    }
    relays
}

async fn runs(home: &Home) -> Result<String, String> {
    let path = home.store();
    let count = move || {
        let runs = Store::open(&path).and_then(|store| store.list(usize::MAX));
        runs.map(|runs| plural(runs.len(), "run")).map_err(|error| error.to_string())
    };
    tokio::task::spawn_blocking(count).await.unwrap_or_else(|error| Err(error.to_string()))
}

async fn ledger(home: &Home) -> Result<String, String> {
    let ledger = Ledger::open(home.ledger()).await.map_err(|error| error.to_string())?;
    let report = ledger.audit().await.map_err(|error| error.to_string())?;
    match report.mismatches.first() {
        None => Ok("all balances match".to_owned()),
        Some(first) => Err(format!("{first}; frlm wallet audit lists all")),
    }
}

/// Whether the seed can be read. No mint is asked.
async fn wallet(home: &Home) -> Result<String, String> {
    let folder = home.wallet();
    if !vault::exists(&folder) {
        return Ok("none; without one no sats move (frlm wallet create makes one)".to_owned());
    }
    let open = move || {
        vault::open(&folder, wallet_session::passphrase().as_deref()).map_err(|error| error.to_string())
    };
    let opened = tokio::task::spawn_blocking(open).await.unwrap_or_else(|error| Err(error.to_string()));
    opened.map(|_| "its seed can be read; frlm wallet balance shows what is in it".to_owned())
}

/// Whether what this build computes with is there.
fn gpu() -> Result<String, String> {
    if cfg!(feature = "cuda") {
        // The driver of a machine of its own, and that of Windows as Linux inside it sees it.
        let driver = ["/proc/driver/nvidia", "/dev/dxg"].iter().any(|path| Path::new(path).exists());
        return if driver || !cfg!(target_os = "linux") {
            Ok("this build uses NVIDIA GPUs".to_owned())
        } else {
            Err("this build is for NVIDIA GPUs, but their driver is not installed: install it, or build \
                 without --features cuda"
                .to_owned())
        };
    }
    let found = if cfg!(feature = "metal") {
        "this build uses Metal"
    } else {
        "not used: models run on the CPU; build with --features cuda (NVIDIA) or metal (Apple) to use one"
    };
    Ok(found.to_owned())
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

async fn your_model(name: Option<String>, home: &Home) -> Result<String, String> {
    let Some(name) = name else { return Ok("none configured; --model PATH.gguf names one".to_owned()) };
    let model = models::open(&name, Some(1), home).await.map_err(|error| error.to_string())?;
    Ok(format!("{} ({} tokens)", model.info().name, model.info().context_tokens))
}

async fn reach(relay: &str) -> Result<String, String> {
    let url = frlm_relay::parse_relay_url(relay).map_err(|error| error.to_string())?;
    // A key of this connection alone, for relays that want one.
    let options = ConnectOptions { auth_keys: Some(Keys::generate()), ..ConnectOptions::default() };
    let (publisher, _incoming) =
        Connection::connect(&[url], options).await.map_err(|error| error.to_string())?;
    let found = match announced(&publisher).await.as_slice() {
        [] => "reachable".to_owned(),
        providers => {
            let found = format!("reachable; {} announced there", plural(providers.len(), "provider"));
            let others: Vec<String> =
                other_relays(&publisher, providers).await.iter().map(ToString::to_string).collect();
            if others.is_empty() {
                found
            } else {
                format!("{found}, and also at {}; a relay is asked once you name it", others.join(", "))
            }
        }
    };
    publisher.shutdown().await;
    Ok(found)
}

/// Who has announced something at a relay lately, those that read a list at most.
async fn announced(publisher: &Publisher) -> Vec<PublicKey> {
    let filter = announcements().since(Timestamp::now() - ANNOUNCEMENT_LIFETIME_SECS).limit(MOST_ASKED);
    let events = publisher.fetch(vec![filter], PATIENCE).await;
    let is_over = |event: &Event| event.tags.expiration().is_some_and(|until| *until <= Timestamp::now());
    let found: BTreeSet<PublicKey> =
        events.iter().filter(|event| !is_over(event)).map(|event| event.pubkey).collect();
    found.into_iter().take(MOST_ASKED).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use frlm_inference::scripted::ScriptedModel;
    use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
    use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};

    use super::*;

    #[tokio::test]
    async fn a_home_without_a_wallet_lacks_nothing_and_a_damaged_seed_names_its_fix() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        assert!(wallet(&home).await.unwrap().contains("frlm wallet create"));
        std::fs::create_dir_all(home.wallet()).unwrap();
        std::fs::write(home.wallet().join(SEED), "nonsense").unwrap();
        let problem = wallet(&home).await.unwrap_err();
        assert!(problem.contains("frlm wallet create --restore"), "{problem}");
    }

    #[test]
    fn relays_of_settings_and_arguments_are_each_checked_once() {
        let settings =
            "relays = ['ws://a']\n[ask]\nrelays = ['ws://b']\n[provide]\nrelays = ['ws://b', 'ws://c']\n";
        let config: Config = toml::from_str(settings).unwrap();
        let found = with_configured(vec!["ws://c".to_owned()], &config);
        assert_eq!(found, ["ws://c", "ws://a", "ws://b"]);
        assert_eq!(with_configured(Vec::new(), &Config::default()), Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_relay_tells_how_many_providers_it_knows_and_where_else_they_are() {
        let anywhere = || EmbeddedRelayConfig::at("127.0.0.1:0".parse().unwrap());
        let (here, there) = (EmbeddedRelay::start(anywhere()).await, EmbeddedRelay::start(anywhere()).await);
        let (here, there) = (here.unwrap(), there.unwrap());
        let url = here.url().to_string();
        assert_eq!(reach(&url).await.unwrap(), "reachable");
        let urls = [here.url(), there.url()];
        let start = |config| {
            let model = Arc::new(ScriptedModel::new("scripted", str::to_owned));
            Provider::start(config, Keys::generate(), &urls, model)
        };
        let open = start(ProviderConfig::default()).await.unwrap();
        let hiding = start(ProviderConfig { hide_relays: true, ..ProviderConfig::default() }).await.unwrap();
        let expected = format!(
            "reachable; 2 providers announced there, and also at {} (1 of them); a relay is asked once you name it",
            there.url().as_str_without_trailing_slash()
        );
        let until = std::time::Instant::now() + Duration::from_secs(20);
        loop {
            let found = reach(&url).await.unwrap();
            if found == expected {
                break;
            }
            assert!(std::time::Instant::now() < until, "{found}");
        }
        ProviderHandle::stop_all(&[open, hiding]).await;
    }

    /// Where the wallet keeps its seed.
    const SEED: &str = "seed.json";
}
