//! `frlm provide`: serve jobs until interrupted.

use frlm_client::protocol::one_line;
use frlm_client::provider::{ProviderEvent, ProviderHandle};
use frlm_client::wallet::debts::CREDIT_LINES_OVERALL;
use nostr::nips::nip19::ToBech32 as _;
use tokio::sync::broadcast::error::RecvError;

use crate::cli::ProvideArgs;
use crate::interrupt::Interrupt;
use frlm_client::config::{ProvideConfig, first_named};
use frlm_client::earnings_report::Sums;
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::prices::Prices;
use frlm_client::providing::{ProviderSpec, serve};
use frlm_client::units::short;
use frlm_client::wallet_maintenance::Maintenance;
use frlm_client::wallet_session;

/// The model that is served unless another is named.
const DEFAULT_MODEL: &str = "embedded";

/// Serves until the first Ctrl-C, finishing or refusing what it holds; the second stops at once.
pub async fn run(args: &ProvideArgs, home: &Home) -> anyhow::Result<()> {
    let config = home.config()?;
    let defaults = &config.provide;
    let named = args.model.clone().or_else(|| defaults.model.clone());
    let prices = priced(args, defaults)?;
    let spec = ProviderSpec {
        relays: first_named([&args.relays, &defaults.relays, &config.relays]),
        model: named.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
        name: args.name.clone().or_else(|| defaults.name.clone()),
        queue: args.queue.or(defaults.queue),
        open_jobs: args.open_jobs || defaults.open_jobs,
        hide_relays: defaults.hide_relays,
        pow: args.pow.or(defaults.pow),
        prices,
    };
    if named.is_none() {
        note!(
            "no model is configured, so the embedded one is served: it only extracts fields from logs and \
             tables. For a general model: frlm provide --model PATH.gguf"
        );
    }
    let wallet = wallet_session::open(home).await?;
    // Before anybody is told that it serves: a signal that comes right then must be a tidy end too.
    let interrupt = Interrupt::listen("finishing running jobs; again to stop at once");
    // What this home asked for earlier, and nobody decided about or paid, is seen to meanwhile.
    let _maintenance = match &wallet {
        Some(wallet) => Some(Maintenance::start(
            wallet.clone(),
            home.open_ledger().await?,
            home.clone(),
            wallet_session::notice_debts,
        )),
        None => None,
    };
    // A signal while a model loads is an end, too: nobody was promised anything.
    let serving = tokio::select! {
        serving = serve(&spec, home, wallet) => serving?,
        () = interrupt.tidy.cancelled() => {
            return Err(Failure::with_code(code::INTERRUPTED, "stopped before it was online").into());
        }
    };
    let (handle, info, wallet) = (&serving.handle, &serving.model, &serving.wallet);
    note!(
        "serving {} ({} at once, {}) as {}\non {}",
        one_line(&info.name),
        info.concurrency,
        spec.prices.in_words(),
        handle.public_key().to_bech32()?,
        spec.relays.join(", ")
    );
    match wallet {
        Some(wallet) => {
            note!("paid through escrow at {}", wallet_session::names(wallet).await?);
            if spec.prices.pay_after > 0 {
                let all = spec.prices.pay_after.saturating_mul(CREDIT_LINES_OVERALL);
                note!(
                    "up to {} jobs of one key and {all} in all per day are done before they are paid: that \
                     much can be lost",
                    spec.prices.pay_after
                );
            }
        }
        None if spec.prices.is_paid() => note!(
            "note: this home has no wallet, so prices are announced but no sats move; to be paid: frlm wallet \
             create, then frlm wallet mints add URL"
        ),
        None => {}
    }
    follow(handle, &interrupt).await;
    let stats = handle.stats();
    note!(
        "served {} jobs, {} tokens; refused {}, failed {}, cancelled {}",
        stats.finished,
        stats.usage.total(),
        stats.refused,
        stats.failed,
        stats.cancelled
    );
    if stats.accepted + stats.rejected > 0 {
        note!("askers accepted {} of its answers and rejected {}", stats.accepted, stats.rejected);
    }
    if let Some(wallet) = wallet {
        note!("{}", Sums::of(&wallet.earnings().await?).describe(wallet.money()));
    }
    Ok(())
}

/// The prices that were asked for.
fn priced(args: &ProvideArgs, defaults: &ProvideConfig) -> anyhow::Result<Prices> {
    let settings = Prices::of(defaults);
    let prices = Prices {
        per_1k: args.price.unwrap_or(settings.per_1k),
        written_per_1k: args.price_written.or(settings.written_per_1k),
        minimum: args.minimum.unwrap_or(settings.minimum),
        surge_percent: args.surge.or(settings.surge_percent),
        surge_from: args.surge_from.or(settings.surge_from),
        free: args.free.unwrap_or(settings.free),
        pay_after: args.pay_after.unwrap_or(settings.pay_after),
    };
    match prices.check() {
        Ok(()) => Ok(prices),
        Err(mistake) => {
            let why = format!("{}: {}; prices are named with --price SATS", mistake.flag(), mistake.words());
            Err(Failure::usage(why).into())
        }
    }
}

async fn follow(handle: &ProviderHandle, interrupt: &Interrupt) {
    let shutdown = handle.shutdown();
    let mut events = handle.events();
    let (tidy, now) = (interrupt.tidy.clone(), interrupt.now.clone());
    loop {
        tokio::select! {
            () = handle.stopped() => return,
            () = tidy.cancelled(), if !shutdown.graceful.is_cancelled() => shutdown.graceful.cancel(),
            () = now.cancelled(), if !shutdown.immediate.is_cancelled() => shutdown.immediate.cancel(),
            event = events.recv() => match event {
                Ok(event) => show(&event),
                Err(RecvError::Lagged(missed)) => note!("({missed} events not shown)"),
                Err(RecvError::Closed) => return,
            },
        }
    }
}

fn show(event: &ProviderEvent) {
    match event {
        ProviderEvent::RelayOnline { relay } => note!("online at {}", one_line(relay)),
        ProviderEvent::RelayOffline { relay, reason } => {
            note!("{} is gone ({}); reconnecting", one_line(relay), one_line(reason));
        }
        ProviderEvent::Finished { job, tokens, duration, .. } => {
            note!("job {} · {tokens} tokens · {} ms", short(&job.to_hex()), duration.as_millis());
        }
        ProviderEvent::Refused { job, detail, .. } | ProviderEvent::Failed { job, detail, .. } => {
            note!("job {} · {}", short(&job.to_hex()), one_line(detail));
        }
        ProviderEvent::Undelivered { job, reason } => {
            note!("job {} · result not delivered: {}", short(&job.to_hex()), one_line(reason));
        }
        ProviderEvent::Judged { verdict } if !verdict.accepted => {
            note!("job {} · rejected: {}", short(&verdict.job.to_hex()), one_line(&verdict.feedback));
        }
        ProviderEvent::RelayNotice { relay, message } => {
            note!("{} says: {}", one_line(relay), one_line(message));
        }
        ProviderEvent::Judged { .. }
        | ProviderEvent::Delayed { .. }
        | ProviderEvent::JobReceived { .. }
        | ProviderEvent::Ignored { .. }
        | ProviderEvent::Started { .. }
        | ProviderEvent::Cancelled { .. }
        | ProviderEvent::Delivered { .. }
        | ProviderEvent::Stopping
        | ProviderEvent::Stopped => {}
    }
}
