//! Runs under way in this process: started, resumed, stopped, and reported event by event.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use frlm_conductor::run::control::{Control, Order};
use frlm_conductor::store::Store;
use frlm_protocol::printable;
use frlm_wallet::Sats;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::wallet_keeper::Keeper;
use super::{Event, Outbox};
use crate::desktop::screens::{ask, run};
use crate::desktop::widgets::Unit;
use frlm_client::demo_mint::fund;
use frlm_client::failure::last_words;
use frlm_client::home::Home;
use frlm_client::run::{
    Earlier, Prepared, Resumed, RunRequest, Started, judging, own, own_priors, remembering, resume, start,
    vouching,
};

/// Trace events that go to the window at once.
const BATCH: usize = 256;

/// Keeps runs and their off switches. Clones share them.
#[derive(Clone)]
pub struct RunKeeper {
    home: Home,
    outbox: Outbox,
    purse: Keeper,
    tasks: TaskTracker,
    stop: CancellationToken,
    /// Stops what was asked last, also before it is a run.
    newest: Arc<Mutex<CancellationToken>>,
    reins: Arc<Mutex<HashMap<String, Reins>>>,
}

/// What holds a run that is under way.
struct Reins {
    stop: CancellationToken,
    control: Control,
}

impl RunKeeper {
    /// A keeper whose runs end with `stop` and are awaited through `tasks`.
    pub fn new(
        home: Home,
        outbox: Outbox,
        purse: Keeper,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        Self { home, outbox, purse, tasks, stop, newest: Arc::default(), reins: Arc::default() }
    }

    /// The off switch of what is about to be asked.
    pub fn will_ask(&self) -> CancellationToken {
        let switch = self.stop.child_token();
        self.newest().clone_from(&switch);
        switch
    }

    /// Asks. Returns when the run is under way, or why it is not: then nothing was sent.
    pub async fn ask(&self, prepared: Prepared, switch: CancellationToken) -> anyhow::Result<()> {
        let priors = own_priors(&self.home)?;
        let own = own(&prepared.request, &self.home).await?;
        let ledger = self.home.open_ledger().await?;
        let store = Store::open(&self.home.store())?;
        let fresh = Earlier::nothing();
        let id = fresh.id.clone();
        let claim = self.home.claim_run(&id).await?;
        let play_money = prepared.request.play_money;
        let foreign = prepared.request.pays_foreign();
        let wallets = self.purse.wallets(&self.home, foreign).await?;
        wallets.check(play_money)?;
        if let Some(play) = wallets.play.as_ref().filter(|_| play_money) {
            fund(play, Sats(prepared.request.budget)).await?;
        }
        wallets.settle_the_past(&ledger, &self.home).await?;
        let started = start(prepared, own, ledger.clone(), Some(store), fresh, claim, &switch).await?;
        let started = remembering(wallets.pay(started, &ledger, play_money), &self.home);
        let payer = wallets.own.as_ref().filter(|_| !play_money);
        let started = vouching(started, payer, &self.home).await;
        let started = judging(started, priors);
        let unit = Unit::of(play_money);
        self.outbox.send(Event::Run(run::Event::Opened { id: id.clone(), live: true, unit })).await;
        self.outbox.send(Event::Ask(ask::Event::Started)).await;
        self.carry_out(id, started, switch);
        Ok(())
    }

    /// Goes on with a recorded run; what is verified is not asked again. `cap`: a higher limit; `accept`: a person
    /// takes what is there. Returns where its record goes on.
    pub async fn resume(&self, id: &str, cap: Option<u64>, accept: bool) -> anyhow::Result<u64> {
        let store = Store::open(&self.home.store())?;
        // A request that cannot be read is refused below, with words.
        let request = serde_json::from_value::<RunRequest>(store.find(id)?.request);
        let foreign = request.is_ok_and(|request| request.pays_foreign());
        let wallets = self.purse.wallets(&self.home, foreign).await?;
        let Resumed { mut started, next_seq, .. } = resume(store, id, cap, &wallets, &self.home).await?;
        if accept {
            *started.run = started.run.accepted_by_person();
        }
        self.outbox.send(Event::Run(run::Event::Resumed { id: id.to_owned() })).await;
        self.carry_out(id.to_owned(), started, self.stop.child_token());
        Ok(next_seq)
    }

    /// Stops a run tidily: what is verified stays, and it can go on later.
    pub fn pause(&self, id: &str) {
        if let Some(reins) = self.reins().get(id) {
            reins.stop.cancel();
        }
    }

    /// Stops what was asked last while it is no run yet: then nothing is sent. One that has begun meanwhile is paused.
    pub fn call_off(&self) {
        self.newest().cancel();
    }

    fn newest(&self) -> MutexGuard<'_, CancellationToken> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives an order to a run that is under way; `false` if it is not, or takes none.
    pub fn give(&self, id: &str, order: Order) -> bool {
        self.reins().get(id).is_some_and(|reins| reins.control.give(order))
    }

    fn reins(&self) -> MutexGuard<'_, HashMap<String, Reins>> {
        self.reins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this process carries a run out now.
    pub fn is_under_way(&self, id: &str) -> bool {
        self.reins().contains_key(id)
    }

    /// How many runs are under way.
    pub fn count(&self) -> usize {
        self.reins().len()
    }

    fn carry_out(&self, id: String, started: Started, switch: CancellationToken) {
        let reins = Reins { stop: switch.clone(), control: started.run.control() };
        self.reins().insert(id.clone(), reins);
        let keeper = self.clone();
        self.tasks.spawn(async move {
            let Started { run, mut watch, venues, claim, refunds: _refunds } = started;
            let outbox = keeper.outbox.clone();
            let reporting = async {
                let mut records = Vec::new();
                while watch.recv_many(&mut records, BATCH).await > 0 {
                    let records = std::mem::take(&mut records);
                    outbox.send(Event::Run(run::Event::Records { id: id.clone(), records })).await;
                }
            };
            let (outcome, ()) = tokio::join!(run.execute(switch), reporting);
            for venue in venues {
                venue.shutdown().await;
            }
            drop(claim);
            keeper.purse.wake();
            keeper.reins().remove(&id);
            let error = outcome.err().map(|error| {
                let (words, code) = (error.to_string(), error.exit_code());
                (printable(&words).into_owned(), code)
            });
            outbox.send(Event::Run(run::Event::Ended { id, error })).await;
        });
    }
}

/// An error in words that can be shown.
pub fn words(error: &anyhow::Error) -> String {
    printable(&last_words(error).0).into_owned()
}
