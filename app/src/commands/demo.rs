//! `frlm demo`: the whole thing on one machine, with real parts: a relay, three providers with
//! their own keys, connections and engines, a bundled document, a checked answer.

use frlm_conductor::store::Store;
use frlm_wallet::{Ledger, Money, Sats};

use super::ask::{carry_out, print_answer};
use crate::asking::{AskRequest, Earlier, prepare, start};
use crate::cli::{AskArgs, DemoArgs};
use crate::config::Config;
use crate::home::Home;
use crate::local_swarm::{CAVEAT, DOCUMENT, PROVIDERS, QUESTION, Swarm, unpack_document};
use crate::play_economy::PlayEconomy;
use crate::receipt::Receipt;
use crate::{purse, receipt};

/// Play sats that the demo may spend: the default budget of `ask`.
const BUDGET: u64 = 1_000;
/// Checked against the file by anyone who has grep.
const CHECK: &str = "grep -c 'status=failed'";

/// Starts the swarm, asks, prints the answer, ends the swarm.
pub async fn run(args: &DemoArgs, home: &Home) -> anyhow::Result<()> {
    let document = unpack_document(home)?;
    let swarm = Swarm::start_paid(Sats(BUDGET), home).await?;
    note!("relay {} · {} providers ({CAVEAT})", swarm.relay(), PROVIDERS.len());
    if let Some(economy) = swarm.economy() {
        note!("mint {} · {BUDGET} {} to spend", economy.mint(), Money::Play.unit());
    }
    let outcome = ask(args, &document, &swarm, home).await;
    swarm.stop().await;
    outcome
}

async fn ask(args: &DemoArgs, document: &std::path::Path, swarm: &Swarm, home: &Home) -> anyhow::Result<()> {
    let question = args.question.clone().unwrap_or_else(|| QUESTION.to_owned());
    note!("document {} ({} lines)\nquestion {question}", document.display(), DOCUMENT.lines().count());
    let flags = AskArgs::for_demo(question, document.to_owned(), swarm.relay().to_string());
    let prepared = prepare(AskRequest::from_args(&flags, &Config::default())?)?;
    let ledger = Ledger::open(home.ledger()).await?;
    let store = Store::open(&home.store())?;
    let fresh = Earlier::nothing();
    let claim = home.claim_run(&fresh.id)?;
    let started = start(prepared, None, ledger.clone(), Some(store), fresh, claim).await?;
    let asker = swarm.economy().map(PlayEconomy::asker);
    let answer = carry_out(purse::paying(started, asker)).await?;
    print_answer(&answer, args.json);
    if let Some(economy) = swarm.economy() {
        note!("{}", Receipt::of(economy.asker(), &ledger, &answer.run_id).await?.describe());
        economy.books_closed().await?;
        for (name, wallet) in economy.providers() {
            note!("{name}: {}", receipt::earnings(&wallet.earnings().await?, Money::Play));
        }
    }
    if args.question.is_none() {
        note!("check it: {CHECK} {}", document.display());
    }
    Ok(())
}
