//! `frlm ask`: one question.

use std::io::IsTerminal as _;

use frlm_client::questions::answer::Answer;
use frlm_client::view::RunView;

use crate::cli::AskArgs;
use crate::interrupt::Interrupt;
use crate::progress;
use crate::streams::{self, agreed};
use frlm_client::config::Config;
use frlm_client::directory::ProviderDirectory;
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::output;
use frlm_client::receipt::Receipt;
use frlm_client::run::{
    self, By, Estimate, Prepared, RunHandle, RunRequest, RunService, StartOptions, prepare_in,
    tell_before_reading,
};
use frlm_client::wallet_maintenance;
use frlm_client::wallet_session;

/// What the first signal is answered with while a run begins or goes on.
pub const STOPPING: &str = "stopping; again to stop at once";

/// Asks, and prints the answer.
pub async fn run(args: &AskArgs, home: &Home) -> anyhow::Result<()> {
    let config = home.config()?;
    let mut spec = args.spec();
    spec.by = spec.by.or(config.ask.by).or(Some(By::Auto));
    let request = RunRequest::from_spec(&spec, &config)?;
    tell_before_reading(&request);
    let prepared = prepare_in(home, request, &streams::documents(home))?;
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
        let estimate = foresee(&prepared, config, home).await?;
        if args.json {
            say!("{}", estimate.json(&prepared));
        } else {
            say_raw!("{}", estimate.describe(&prepared));
        }
        return Ok(());
    }
    if !(args.yes || config.ask.yes || prepared.request.local) {
        confirm(&prepared, config, home).await?;
    }
    let service = RunService::open(home).await?;
    let interrupt = Interrupt::listen(STOPPING);
    let options = StartOptions { cancel: interrupt.tidy.clone(), ..StartOptions::default() };
    let run = service.start_prepared(prepared, options).await?;
    let answer = follow(run, interrupt, RunView::default()).await?;
    print_answer(&answer, args.json);
    if let Some(wallet) = service.wallet() {
        let ledger = service.ledger();
        // What could not be paid at its verdict perhaps can be now; otherwise the next command sees to it. A mint or
        // a relay that stalls takes its time: nobody has to wait for that.
        let interrupt = Interrupt::listen("debts are paid by the next command");
        if let Some(found) =
            interrupt.tidy.run_until_cancelled(wallet_maintenance::look(wallet, ledger, home)).await
        {
            wallet_session::notice_debts(&found);
        }
        let receipt = Receipt::of(wallet, ledger, &answer.run_id).await?;
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

/// Follows a run to its end, or until it is interrupted, with progress on stderr. `before`: what is known of a run that
/// goes on.
pub async fn follow(run: RunHandle, interrupt: Interrupt, before: RunView) -> anyhow::Result<Answer> {
    let RunHandle { events, mut done, .. } = run;
    let watching = Box::pin(progress::watch(events, before));
    let working = async {
        tokio::select! {
            outcome = &mut done => outcome.map_err(anyhow::Error::from),
            () = interrupt.now.cancelled() => {
                done.abort().await;
                Err(Failure::with_code(code::INTERRUPTED, "stopped at once; frlm runs resume continues it").into())
            }
        }
    };
    let (outcome, _) = tokio::join!(working, watching);
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
        note!("note: {}", frlm_client::protocol::printable(&warning.to_string()));
    }
}

/// What the run would do, and what it would cost with the fees of this home's mint.
async fn foresee(prepared: &Prepared, config: &Config, home: &Home) -> anyhow::Result<Estimate> {
    let reusable = run::reusable(home, &prepared.request)?;
    let estimate = run::estimate(prepared, config, &ProviderDirectory::default(), reusable).await?;
    Ok(estimate.with_fees_of(wallet_session::open(home), prepared).await)
}

/// Asks before money is spent. Free work needs no question: the budget protects it. Where nobody can be asked, the run says
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
