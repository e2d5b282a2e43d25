//! Goes online and offline.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use frlm_client::provider::{ProviderEvent, ProviderHandle};
use frlm_client::wallet::CashuWallet;
use nostr::nips::nip19::ToBech32 as _;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::form::Form;
use super::hours::Hours;
use super::payment_setup::{Book, payment_setup};
use super::rest::{at, beats, looks};
use super::state::{Action, Earn, Event, Status, Until};
use crate::desktop::engine::clock::{self, Clock};
use crate::desktop::engine::others::{Gauge, Need};
use crate::desktop::engine::runs::words;
use crate::desktop::engine::{Engine, Event as AppEvent, Outbox};
use frlm_client::config::first_named;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::providing::{ProviderSpec, Serving, serve};
use frlm_client::wallet_manager;

/// What happened and the counts are passed on this often.
const PACE: Duration = Duration::from_millis(200);
/// Reports that are kept between two times; more than that are counted.
const BATCH: usize = 1_024;
/// How long running jobs may take when the app quits; the engine waits a little longer.
pub const QUITTING: Duration = Duration::from_secs(4);

/// What the user wants of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instruction {
    Serve,
    /// For so many minutes.
    Pause(u64),
    /// As long as other programs need the machine.
    Yield,
    /// Until its hours begin.
    Rest,
    Stop,
    StopNow,
}

/// Keeps the line to the provider's task, while there is one.
#[derive(Debug, Default)]
pub struct EarnManager(Mutex<Option<watch::Sender<Instruction>>>);

impl EarnManager {
    /// Tells the task, if there is one.
    fn tell(&self, wish: Instruction) -> bool {
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        line.as_ref().is_some_and(|line| line.send(wish).is_ok())
    }

    /// Whether this machine serves or will go on to.
    pub fn is_serving(&self) -> bool {
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        line.as_ref().is_some_and(|line| !line.is_closed())
    }

    fn renew(&self) -> watch::Receiver<Instruction> {
        let (sender, receiver) = watch::channel(Instruction::Serve);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        receiver
    }
}

/// Does what takes time. `earn` is the screen after the action.
pub fn perform(action: &Action, earn: &Earn, engine: &Engine, manager: &EarnManager) {
    match action {
        // A paused provider goes on; its settings are those that it paused with.
        Action::Start if earn.status == Status::Starting && !manager.tell(Instruction::Serve) => {
            start(earn.form.clone(), earn.until, engine, manager.renew());
        }
        Action::Stop => drop(manager.tell(Instruction::Stop)),
        Action::StopNow => drop(manager.tell(Instruction::StopNow)),
        Action::Pause(minutes) => drop(manager.tell(Instruction::Pause(*minutes))),
        Action::Start
        | Action::Type(..)
        | Action::MorePrices(_)
        | Action::OpenJobs(_)
        | Action::Yields(_)
        | Action::ByHours(_)
        | Action::Until(_)
        | Action::List(_)
        | Action::Sort(_) => {}
    }
}

/// Reads what the settings offer. `swarm_relay`: where to listen if they name nothing.
pub fn look(engine: &Engine, swarm_relay: Option<&str>) {
    let swarm = swarm_relay.map(str::to_owned);
    engine.read(move |home| form(home, swarm).map(Box::new), |form| AppEvent::Earn(Event::Form(form)));
    engine.report(async { AppEvent::Earn(Event::Place(clock::offset().await)) });
    let (home, outbox, wallet_manager) = (engine.home().clone(), engine.outbox(), engine.wallet_manager());
    engine.spawn(async move {
        let (payment_setup, wallet) = payment_setup(&home, &wallet_manager).await;
        outbox.send(AppEvent::Earn(Event::PaymentSetup(payment_setup))).await;
        if let Some(wallet) = wallet {
            Book::new(wallet).pass_on(&outbox).await;
        }
    });
}

fn form(home: &Home, swarm_relay: Option<String>) -> anyhow::Result<Form> {
    let config = home.config()?;
    let defaults = Form::default();
    let mut relays = first_named([&config.provide.relays, &config.relays]);
    if relays.is_empty() {
        relays.extend(swarm_relay);
    }
    Ok(Form {
        name: config.provide.name.unwrap_or(defaults.name),
        model: config.provide.model.unwrap_or(defaults.model),
        price: config.provide.price.map_or(defaults.price, |price| price.to_string()),
        written: config.provide.price_written.map_or(defaults.written, |price| price.to_string()),
        minimum: config.provide.minimum.map_or(defaults.minimum, |sats| sats.to_string()),
        surge: config.provide.surge.map_or(defaults.surge, |percent| percent.to_string()),
        surge_from: config.provide.surge_from.map_or(defaults.surge_from, |jobs| jobs.to_string()),
        free: config.provide.free.map_or(defaults.free, |jobs| jobs.to_string()),
        queue: config.provide.queue.map_or(defaults.queue, |queue| queue.to_string()),
        pay_after: config.provide.pay_after.map_or(defaults.pay_after, |jobs| jobs.to_string()),
        open_jobs: config.provide.open_jobs,
        relays,
        ..defaults
    })
}

fn start(form: Form, until: Until, engine: &Engine, wish: watch::Receiver<Instruction>) {
    let task = ServingTask {
        home: engine.home().clone(),
        outbox: engine.outbox(),
        wallet_manager: engine.wallet_manager(),
        quit: engine.stop(),
        hours: form.limits().ok().and_then(|limits| limits.hours),
        clock: Clock::default(),
        form,
        insists: false,
        stays: false,
        deadline: match until {
            Until::Stopped => None,
            Until::Hours(hours) => Some(Instant::now() + Duration::from_hours(u64::from(hours))),
        },
        wish,
    };
    engine.report(async move {
        AppEvent::Earn(Event::Status(match task.run().await {
            Ok(()) => Status::Off,
            Err(error) => Status::Failed(words(&error)),
        }))
    });
}

/// One time online, with its pauses.
pub(super) struct ServingTask {
    home: Home,
    outbox: Outbox,
    wallet_manager: wallet_manager::WalletManager,
    pub(super) quit: CancellationToken,
    form: Form,
    /// When to serve; `None`: at all hours.
    pub(super) hours: Option<Hours>,
    pub(super) clock: Clock,
    /// The user wants to serve although other programs need the machine.
    pub(super) insists: bool,
    /// The user wants to serve although its hours have not begun.
    pub(super) stays: bool,
    pub(super) deadline: Option<Instant>,
    pub(super) wish: watch::Receiver<Instruction>,
}

impl ServingTask {
    async fn run(mut self) -> anyhow::Result<()> {
        loop {
            if self.is_out_of_hours().await {
                if !self.rest().await {
                    return Ok(());
                }
                self.tell(Event::Status(Status::Starting)).await;
            }
            let quit = self.quit.clone();
            let (serving, wallet) = tokio::select! {
                () = quit.cancelled() => return Ok(()),
                online = self.go_online() => online?,
            };
            match self.attend(&serving.handle, wallet.map(Book::new)).await {
                Instruction::Pause(minutes) => {
                    if !self.pause(minutes).await {
                        return Ok(());
                    }
                    self.tell(Event::Status(Status::Starting)).await;
                }
                Instruction::Yield => {
                    if !self.yield_to_others().await {
                        return Ok(());
                    }
                    self.tell(Event::Status(Status::Starting)).await;
                }
                Instruction::Rest => {}
                Instruction::Stop | Instruction::StopNow => return Ok(()),
                Instruction::Serve => {
                    anyhow::bail!("the provider stopped by itself; see Settings, Logs")
                }
            }
        }
    }

    /// The provider, and the wallet that it earns into.
    async fn go_online(&self) -> anyhow::Result<(Serving, Option<CashuWallet>)> {
        let form = &self.form;
        let limits = form.limits().map_err(Failure::usage)?;
        let spec = ProviderSpec {
            relays: form.relays.clone(),
            model: form.model.trim().to_owned(),
            name: Some(form.name.trim().to_owned()),
            queue: Some(limits.queue),
            open_jobs: form.open_jobs,
            hide_relays: self.home.config()?.provide.hide_relays,
            pow: self.home.config()?.provide.pow,
            prices: limits.prices,
        };
        let wallet = self.wallet_manager.open(&self.home).await?;
        let serving = serve(&spec, &self.home, wallet.clone()).await?;
        let info = &serving.model;
        let status = Status::On {
            key: serving.handle.public_key().to_bech32()?,
            model: frlm_client::protocol::printable(&info.name).into_owned(),
            at_once: info.concurrency as u64,
            records_only: info.dialect == frlm_client::inference::Dialect::Records,
            relays: serving.relays.iter().map(ToString::to_string).collect(),
        };
        self.tell(Event::Status(status)).await;
        Ok((serving, wallet))
    }

    /// Passes on what happens until the provider has ended; returns what it was to do.
    async fn attend(&mut self, handle: &ProviderHandle, mut book: Option<Book>) -> Instruction {
        let shutdown = handle.shutdown();
        let (mut events, stats) = (handle.events(), handle.watch_stats());
        let mut tick = tokio::time::interval(PACE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut batch, mut missed, mut last) = (Vec::new(), 0, None);
        let (mut wished, mut force_at) = (Instruction::Serve, None);
        let (mut gauge, mut need) = (Gauge::new(), Need::default());
        let (mut looks, mut beats) = (looks(), beats());
        let yields = self.form.yields && !self.insists && !self.form.is_served_elsewhere();
        loop {
            tokio::select! {
                () = handle.stopped() => break,
                _ = looks.tick(), if yields && wished == Instruction::Serve => {
                    if need.note(gauge.look()) {
                        wished = Instruction::Yield;
                        shutdown.graceful.cancel();
                        self.tell(Event::Status(Status::Stopping)).await;
                    }
                }
                _ = beats.tick(), if self.hours.is_some() && wished == Instruction::Serve => {
                    if self.is_out_of_hours().await {
                        wished = Instruction::Rest;
                        shutdown.graceful.cancel();
                        self.tell(Event::Status(Status::Stopping)).await;
                    }
                }
                changed = self.wish.changed() => {
                    wished = if changed.is_ok() { *self.wish.borrow_and_update() } else { Instruction::Stop };
                    match wished {
                        Instruction::Serve => {}
                        Instruction::Stop | Instruction::Pause(_) | Instruction::Yield | Instruction::Rest => shutdown.graceful.cancel(),
                        Instruction::StopNow => shutdown.immediate.cancel(),
                    }
                }
                () = self.quit.cancelled(), if force_at.is_none() => {
                    wished = Instruction::Stop;
                    shutdown.graceful.cancel();
                    force_at = Some(Instant::now() + QUITTING);
                }
                () = at(self.deadline), if wished == Instruction::Serve => {
                    wished = Instruction::Stop;
                    shutdown.graceful.cancel();
                    self.tell(Event::Status(Status::Stopping)).await;
                }
                () = at(force_at) => {
                    force_at = None;
                    shutdown.immediate.cancel();
                }
                event = events.recv() => match event {
                    Ok(event) if batch.len() < BATCH => batch.push(event),
                    Ok(_) => missed += 1,
                    Err(RecvError::Lagged(count)) => missed += count,
                    Err(RecvError::Closed) => break,
                },
                _ = tick.tick() => {
                    let moved = !batch.is_empty() || missed > 0;
                    self.pass_on(&mut batch, &mut missed).await;
                    if let Some(book) = &mut book {
                        book.keep_up(moved, &self.outbox).await;
                    }
                    let now = *stats.borrow();
                    if last != Some(now) {
                        last = Some(now);
                        self.tell(Event::Stats(now)).await;
                    }
                }
            }
        }
        handle.stopped().await;
        self.pass_on(&mut batch, &mut missed).await;
        if let Some(book) = &mut book {
            book.pass_on(&self.outbox).await;
        }
        self.tell(Event::Stats(handle.stats())).await;
        wished
    }

    async fn pass_on(&self, batch: &mut Vec<ProviderEvent>, missed: &mut u64) {
        if !batch.is_empty() {
            self.tell(Event::Provider(std::mem::take(batch))).await;
        }
        if *missed > 0 {
            self.tell(Event::Missed(std::mem::take(missed))).await;
        }
    }

    pub(super) async fn tell(&self, event: Event) {
        self.outbox.send(AppEvent::Earn(event)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frlm_client::prices::Prices;

    #[test]
    fn every_price_of_the_settings_is_offered() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let settings = "[provide]\nprice = 5\nprice_written = 15\nminimum = 2\nsurge = 150\nsurge_from = 8\nfree = 3\n\
                        pay_after = 1\n";
        std::fs::write(home.config_file(), settings).unwrap();
        let offered = form(&home, None).unwrap().limits().unwrap().prices;
        assert_eq!(offered, Prices::of(&home.config().unwrap().provide));
        assert_eq!((offered.surge_percent, offered.surge_from), (Some(150), Some(8)));
    }
}
