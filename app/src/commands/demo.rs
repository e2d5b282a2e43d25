//! `frlm demo`: the whole thing on one machine, with real parts: a relay, three providers with
//! their own keys, connections and engines, a bundled document, a checked answer. With `--recorded` a recording speaks in the
//! place of the engines, with `--model` a general model of the user's.

use frlm_client::documents::Documents;
use frlm_client::protocol::printable;
use frlm_client::questions::answer::Answer;
use frlm_client::view::RunView;
use frlm_client::wallet::{Money, Sats};

use super::ask::{STOPPING, follow, print_answer};
use crate::cli::DemoArgs;
use crate::interrupt::Interrupt;
use frlm_client::config::Config;
use frlm_client::demo_homes::{ASKER, DemoHomes};
use frlm_client::demo_mint::{DemoMint, Place};
use frlm_client::earnings_report::Sums;
use frlm_client::failure::{Failure, code};
use frlm_client::faulty_provider::{self, FaultyProvider};
use frlm_client::home::Home;
use frlm_client::local_swarm::{
    CAVEAT, COMPOUND_QUESTION, GPL3, Models, ORDERS, PROVIDERS, QUESTION, SHOP, SampleDocument, Speaks, Swarm,
};
use frlm_client::models;
use frlm_client::output;
use frlm_client::receipt::Receipt;
use frlm_client::recorded::{self, RECORDED};
use frlm_client::run::{By, Own, RunRequest, RunService, RunSpec, StartOptions, prepare};
use frlm_client::wallet_session::Wallets;

/// Play sats that the demo may spend: the default budget of `ask`.
const BUDGET: u64 = 1_000;
/// An hour: a slow machine takes longer over its three engines, and there is no run to resume. Who has seen enough stops it.
const TIMEOUT_SECS: u64 = 3_600;
/// Who lies, if somebody is to.
const FAULTY: &str = PROVIDERS[2];
/// Checked against the file by anyone who has grep.
const CHECK: &str = "grep -c 'status=failed' orders.log";
/// The same for the three parts.
const COMPOUND_CHECK: &str = "user=$(grep status=failed orders.log | grep -o 'user=[^ ]*' | sort | uniq -c | sort -rn | \
     awk 'NR==1 {print $2}'); echo $user; grep -c \"level=ERROR $user \" shop.log; grep \" $user \" orders.log | \
     sed 's/amount=//' | sort -k4 -rn | head -1";

/// Starts the swarm, asks, prints the answer, ends the swarm.
pub async fn run(args: &DemoArgs, home: &Home) -> anyhow::Result<()> {
    let kept = args.keep.as_deref().map(DemoHomes::make).transpose()?;
    let place = kept.as_ref().map_or(Place::Passing(home), Place::Kept);
    let models = models_of(args, home).await?;
    let demo_mint = DemoMint::start(&PROVIDERS, Sats::ZERO, place).await?;
    let swarm = Swarm::start(models, demo_mint).await?;
    let caveat = if args.recorded { recorded::CAVEAT } else { CAVEAT };
    note!("relay {} · {} providers ({caveat})", swarm.relay(), PROVIDERS.len());
    note!("mint {} · {BUDGET} {} to spend", swarm.demo_mint().mint(), Money::Play.unit());
    if args.liar {
        note!(
            "{FAULTY} simulates a liar: its engine reads like the others, but its answers are replaced by \
             made-up ones before they are sent"
        );
    }
    if args.recorded {
        note!("{RECORDED}");
        note!(
            "{FAULTY} lies in it: it mixes false claims with true ones and supports each claim that it reviews"
        );
    }
    let asker = match &kept {
        Some(kept) => kept.home(ASKER)?,
        None => home.clone(),
    };
    let outcome = Box::pin(ask(args, &swarm, &asker, home)).await;
    swarm.stop().await;
    let run = outcome?;
    if let Some(kept) = kept {
        note!("{}", kept.commands(&run, &PROVIDERS));
    }
    Ok(())
}

/// What speaks for each provider.
async fn models_of(args: &DemoArgs, home: &Home) -> anyhow::Result<Models> {
    let mut models = speaks(args).models(args.model.as_deref(), home).await?;
    if args.liar {
        let [.., last] = &mut models;
        *last = FaultyProvider::over(last.clone());
    }
    Ok(models)
}

fn speaks(args: &DemoArgs) -> Speaks {
    match &args.model {
        Some(_) => Speaks::OwnModel,
        None if args.recorded => Speaks::Recording,
        None => Speaks::Embedded,
    }
}

/// Asks and says what came of it; the run's id. `home` is the asker's, `machine` has the models.
async fn ask(args: &DemoArgs, swarm: &Swarm, home: &Home, machine: &Home) -> anyhow::Result<String> {
    let in_words = speaks(args) != Speaks::Embedded;
    let (question, samples, check): (_, &[SampleDocument], _) = match (&args.question, args.compound) {
        (question, _) if in_words => (question.as_deref().unwrap_or(recorded::QUESTION), &[GPL3], None),
        (Some(question), _) => (question.as_str(), &[ORDERS], None),
        (None, false) => (QUESTION, &[ORDERS], Some(CHECK)),
        (None, true) => (COMPOUND_QUESTION, &[ORDERS, SHOP], Some(COMPOUND_CHECK)),
    };
    let mut files = Vec::new();
    for sample in samples {
        let file = sample.unpack(home)?;
        note!("document {} ({} lines)", file.display(), sample.text.lines().count());
        files.push(file);
    }
    note!("question {question}");
    let mut spec = RunSpec::for_demo(question.to_owned(), files, swarm.relay().to_string());
    spec.timeout = Some(TIMEOUT_SECS);
    // Claims are reviewed under this policy alone.
    spec.verify = in_words.then(|| "adaptive".to_owned());
    let mut request = RunRequest::from_spec(&spec, &Config::default())?;
    request.play_money = true;
    // The demo asks the swarm on purpose; where code can tell the same, it is set beside the answer.
    let by_code = RunRequest { by: By::Code, ..request.clone() };
    let by_code = prepare(by_code, &Documents::of(home)).ok().and_then(|prepared| prepared.computed);
    let prepared = prepare(request, &Documents::of(home))?;
    let wallets = Wallets { play: Some(swarm.demo_mint().asker().clone()), ..Wallets::default() };
    // Some answers are audited here as elsewhere; otherwise the demo asks nobody but its swarm.
    // Neither a recording nor a model of the user's is audited by the embedded one's weights.
    let audits = if in_words { None } else { models::at_hand(machine) };
    let models = Own { audits, ..Own::default() };
    let service = RunService::with_wallets(home, wallets).await?.with_models(models).without_history();
    let interrupt = Interrupt::listen(STOPPING);
    let options = StartOptions { cancel: interrupt.tidy.clone(), ..StartOptions::default() };
    let run = service.start_prepared(prepared, options).await?;
    let answer = follow(run, interrupt, RunView::default()).await.map_err(without_resuming)?;
    match (args.recorded, args.json) {
        (true, true) => say!("{}", recorded::json(&answer)),
        (true, false) => say_raw!("{RECORDED}\n\n{}", output::human(&answer)),
        (false, json) => print_answer(&answer, json),
    }
    books(args, swarm, &service, &answer).await?;
    if let Some(computed) = by_code {
        note!(
            "code computes the same answer from the table: {} (frlm ask would use that, for free; the demo \
             asks the swarm on purpose)",
            printable(&computed.text)
        );
    }
    if let Some(check) = check {
        note!("check it in {}: {check}", home.root().join("samples").display());
    }
    Ok(answer.run_id)
}

/// What both sides have in their books, and what became of the faulty provider.
async fn books(args: &DemoArgs, swarm: &Swarm, service: &RunService, answer: &Answer) -> anyhow::Result<()> {
    let (demo_mint, store) = (swarm.demo_mint(), service.store());
    let receipt = Receipt::of(demo_mint.asker(), service.ledger(), &answer.run_id).await?;
    note!("{}", receipt.describe());
    demo_mint.books_closed().await?;
    for earner in demo_mint.providers() {
        let earnings = earner.wallet.earnings().await?;
        note!("{}: {}", earner.name, Sums::of(&earnings).describe(Money::Play));
    }
    if let Some(claims) = answer.verification.claims.as_ref().filter(|_| speaks(args) != Speaks::Embedded) {
        note!("{}", recorded::claims_in_words(claims));
    }
    if let Some(earner) = demo_mint.provider(FAULTY).filter(|_| args.liar || args.recorded) {
        store.flush(&answer.run_id).await?;
        let view = RunView::of(&store.trace(&answer.run_id)?.records);
        let key = earner.keys.public_key().to_hex();
        let told = if args.recorded {
            recorded::came_of_it(FAULTY, &key, answer, &view, &receipt)
        } else {
            faulty_provider::came_of_it(FAULTY, &key, &view, &receipt)
        };
        note!("{told}");
    }
    Ok(())
}

/// The mint of a demo ends with it, and no run goes on whose money is gone.
fn without_resuming(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref::<Failure>() {
        Some(failure) if failure.code == code::INTERRUPTED => Failure::with_code(
            code::INTERRUPTED,
            "stopped; this demo's play money is gone with it. To start again: frlm demo",
        )
        .into(),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frlm_client::failure::render_error;

    #[test]
    fn a_stopped_demo_promises_no_resuming_and_other_failures_keep_their_text() {
        let stopped =
            Failure::with_code(code::INTERRUPTED, "stopped; frlm runs resume 12ab continues from here");
        let (words, exit) = render_error(&without_resuming(stopped.into()));
        assert_eq!(exit, code::INTERRUPTED);
        assert!(!words.contains("resume") && words.contains("frlm demo"), "{words}");
        let (words, exit) =
            render_error(&without_resuming(Failure::with_code(code::UNVERIFIED, "no answer").into()));
        assert_eq!((words.as_str(), exit), ("no answer", 5));
    }
}
