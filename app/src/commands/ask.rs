//! `frlm ask`: one question.

use std::io::IsTerminal as _;

use frlm_conductor::answer::Answer;
use frlm_conductor::payment::cashu::CashuRail;
use frlm_conductor::run::RunError;
use frlm_conductor::store::Store;
use frlm_conductor::trace::view::RunView;

use crate::cli::AskArgs;
use crate::interrupt::Interrupt;
use crate::progress;
use crate::streams::agreed;
use frlm_client::config::Config;
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::output;
use frlm_client::receipt::Receipt;
use frlm_client::run::{
    self, Earlier, Estimate, Prepared, RunRequest, Started, judging, model_is_named, own, own_priors,
    prepare, recall, remembering, start, vouching,
};
use frlm_client::wallet_maintenance;
use frlm_client::wallet_session;
use frlm_client::wallet_session::Wallets;

/// What the first signal is answered with while a run begins or goes on.
pub const STOPPING: &str = "stopping; again to stop at once";

/// Asks, and prints the answer.
pub async fn run(args: &AskArgs, home: &Home) -> anyhow::Result<()> {
    let config = home.config()?;
    let mut request = RunRequest::from_spec(&args.spec(), &config)?;
    recall(&mut request, home)?;
    let prepared = prepare(request)?;
    Box::pin(carry_through(prepared, args, &config, home)).await
}

/// Shows what would be asked, or asks it: whatever these flags say.
pub async fn carry_through(
    prepared: Prepared,
    args: &AskArgs,
    config: &Config,
    home: &Home,
) -> anyhow::Result<()> {
    warn(&prepared);
    if args.dry_run {
        // What the run itself would be refused for.
        model_is_named(&prepared.request)?;
        let estimate = foresee(&prepared, config, home).await?;
        if args.json {
            say!("{}", estimate.json(&prepared));
        } else {
            say_raw!("{}", estimate.describe(&prepared));
        }
        return Ok(());
    }
    let own = own(&prepared.request, home).await?;
    let priors = own_priors(home)?;
    if !(args.yes || config.ask.yes || prepared.request.local) {
        confirm(&prepared, config, home).await?;
    }
    let ledger = home.open_ledger().await?;
    let store = Store::open(&home.store())?;
    let fresh = Earlier::nothing();
    let claim = home.claim_run(&fresh.id).await?;
    let wallets = Wallets::of(home).await?;
    wallets.settle_the_past(&ledger, home).await?;
    let interrupt = Interrupt::listen(STOPPING);
    let started = start(prepared, own, ledger.clone(), Some(store), fresh, claim, &interrupt.tidy).await?;
    let started = remembering(wallets.pay(started, &ledger, false), home);
    let started = vouching(started, wallets.own.as_ref(), home).await;
    let started = judging(started, priors);
    let answer = carry_out(started, interrupt, RunView::default()).await?;
    print_answer(&answer, args.json);
    if let Some(wallet) = &wallets.own {
        // What could not be paid at its verdict perhaps can be now; otherwise the next command sees to it. A mint or
        // a relay that stalls takes its time: nobody has to wait for that.
        let interrupt = Interrupt::listen("what is owed is left to the next command");
        if let Some(found) =
            interrupt.tidy.run_until_cancelled(wallet_maintenance::look(wallet, &ledger, home)).await
        {
            wallet_maintenance::say(&found);
        }
        let receipt = Receipt::of(wallet, &ledger, &answer.run_id).await?;
        note!("{}", receipt.describe());
    } else {
        say_accounted(&answer);
    }
    Ok(())
}

/// A budget that was used where nothing can have been paid: prices count against it all the same.
pub fn say_accounted(answer: &Answer) {
    if answer.budget.spent_sats > 0 {
        note!(
            "note: this home has no wallet, so prices were accounted and no sats have moved (frlm wallet create \
             makes one)"
        );
    }
}

/// Runs to the end, or until it is interrupted, with progress on stderr. `before`: what is known of a run that goes on.
pub async fn carry_out(started: Started, interrupt: Interrupt, before: RunView) -> anyhow::Result<Answer> {
    let Started { run, watch, venues, claim: _claim, refunds: _refunds } = started;
    let watching = Box::pin(progress::watch(watch, before));
    let working = async {
        tokio::select! {
            outcome = Box::pin(run.execute(interrupt.tidy.clone())) => outcome.map_err(|error| from_run(error).into()),
            () = interrupt.now.cancelled() => Err(Failure::with_code(code::INTERRUPTED, "stopped at once; frlm runs resume goes on").into()),
        }
    };
    let (outcome, _) = tokio::join!(working, watching);
    for venue in venues {
        venue.shutdown().await;
    }
    outcome
}

/// The answer on stdout.
pub fn print_answer(answer: &Answer, json: bool) {
    if json {
        say!("{}", output::json(answer));
    } else {
        say_raw!("{}", output::human(answer));
    }
}

/// What the user should know about the documents.
pub fn warn(prepared: &Prepared) {
    for warning in &prepared.warnings {
        note!("note: {}", frlm_protocol::printable(&warning.to_string()));
    }
}

fn from_run(error: RunError) -> Failure {
    Failure::with_code(error.exit_code(), error)
}

/// What the run would do, and what it would cost with the fees of this home's mint.
async fn foresee(prepared: &Prepared, config: &Config, home: &Home) -> anyhow::Result<Estimate> {
    let estimate = run::estimate(prepared, config).await?;
    if !estimate.is_paid(prepared) {
        return Ok(estimate);
    }
    // Why a wallet cannot be opened is said when something is to be paid from it.
    match wallet_session::open(home).await {
        Ok(Some(wallet)) => Ok(estimate.with_fees(&CashuRail::new(wallet), prepared).await),
        Ok(None) | Err(_) => Ok(estimate),
    }
}

/// Asks before money is spent. Free work needs no question: the cap protects it. Where nobody can be asked, the run says
/// on stderr what it will cost before its first job leaves, and goes on.
async fn confirm(prepared: &Prepared, config: &Config, home: &Home) -> anyhow::Result<()> {
    if !std::io::stdin().is_terminal() {
        return Ok(());
    }
    let estimate = foresee(prepared, config, home).await?;
    let free = estimate.providers.iter().all(|provider| provider.tariff.is_free());
    if free || prepared.by_code() {
        return Ok(());
    }
    if agreed(&format!("{}Go on?", estimate.describe(prepared)))? {
        Ok(())
    } else {
        Err(Failure::with_code(code::FAILED, "nothing was sent; --yes skips this question").into())
    }
}
