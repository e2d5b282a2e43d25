//! `frlm demo`: the whole thing on one machine, with real parts: a relay, three providers with
//! their own keys, connections and engines, a bundled document, a checked answer.

use frlm_conductor::store::Store;
use frlm_wallet::Ledger;
use nostr::RelayUrl;

use super::ask::{carry_out, print_answer};
use crate::asking::{AskRequest, Earlier, prepare, start};
use crate::cli::{AskArgs, DemoArgs};
use crate::config::Config;
use crate::home::Home;
use crate::local_swarm::{CAVEAT, DOCUMENT, PROVIDERS, QUESTION, Swarm, unpack_document};

/// Checked against the file by anyone who has grep.
const CHECK: &str = "grep -c 'status=failed'";

/// Starts the swarm, asks, prints the answer, ends the swarm.
pub async fn run(args: &DemoArgs, home: &Home) -> anyhow::Result<()> {
    let document = unpack_document(home)?;
    let swarm = Swarm::start(home).await?;
    note!("relay {} · {} providers ({CAVEAT})", swarm.relay(), PROVIDERS.len());
    let outcome = ask(args, &document, swarm.relay(), home).await;
    swarm.stop().await;
    outcome
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
