//! `frlm demo`: the whole thing on one machine, with real parts: a relay, three providers with
//! their own keys, connections and engines, a bundled document, a checked answer.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::Context as _;
use frlm_conductor::store::Store;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use frlm_wallet::Ledger;
use nostr::{Keys, RelayUrl};

use super::ask::{carry_out, print_answer};
use crate::asking::{AskRequest, Earlier, prepare, start};
use crate::cli::{AskArgs, DemoArgs};
use crate::config::Config;
use crate::home::Home;
use crate::models;

const QUESTION: &str = "How many orders have status failed?";
/// Checked against the file by anyone who has grep.
const CHECK: &str = "grep -c 'status=failed'";
const DOCUMENT: &str = include_str!("../../../assets/samples/orders.log");
const PROVIDERS: [&str; 3] = ["demo-a", "demo-b", "demo-c"];

/// Starts the swarm, asks, prints the answer, ends the swarm.
pub async fn run(args: &DemoArgs, home: &Home) -> anyhow::Result<()> {
    let document = unpack(home)?;
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await?;
    let relays = [frlm_relay::parse_relay_url(&relay.url().to_string())?];
    note!(
        "relay {} · {} providers (they share this machine and one model family, so their agreement shows \
         how it works, not that the answer is true)",
        relays[0],
        PROVIDERS.len()
    );
    let mut providers = Vec::new();
    for name in PROVIDERS {
        providers.push(provider(name, &relays, home).await?);
    }
    let outcome = ask(args, &document, &relays[0], home).await;
    for provider in &providers {
        provider.shutdown().immediate.cancel();
    }
    for provider in &providers {
        provider.stopped().await;
    }
    relay.shutdown().await;
    outcome
}

async fn provider(name: &str, relays: &[RelayUrl], home: &Home) -> anyhow::Result<ProviderHandle> {
    // One engine each: three providers already keep every core of a small machine busy.
    let model = models::open("embedded", Some(1), home).await?;
    let config = ProviderConfig { name: name.to_owned(), ..ProviderConfig::default() };
    Ok(Provider::start(config, Keys::generate(), relays, model).await?)
}

async fn ask(
    args: &DemoArgs,
    document: &std::path::Path,
    relay: &RelayUrl,
    home: &Home,
) -> anyhow::Result<()> {
    let question = args.question.clone().unwrap_or_else(|| QUESTION.to_owned());
    note!("document {} ({} lines)\nquestion {question}", document.display(), DOCUMENT.lines().count());
    let flags = AskArgs::for_demo(question, document.to_owned(), relay.to_string());
    let prepared = prepare(AskRequest::from_args(&flags, &Config::default())?)?;
    let ledger = Ledger::open(home.ledger()).await?;
    let store = Store::open(&home.store())?;
    let fresh = Earlier::nothing();
    let claim = home.claim_run(&fresh.id)?;
    let started = start(prepared, None, ledger, Some(store), fresh, claim).await?;
    let answer = carry_out(started).await?;
    print_answer(&answer, args.json);
    if args.question.is_none() {
        note!("check it: {CHECK} {}", document.display());
    }
    Ok(())
}

/// The bundled document as a file, so that its citations can be looked up and the run resumed.
fn unpack(home: &Home) -> anyhow::Result<PathBuf> {
    let folder = home.root().join("samples");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join("orders.log");
    std::fs::write(&path, DOCUMENT).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}
