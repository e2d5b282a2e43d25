//! Runs under way in this process: started, resumed, stopped, and reported event by event.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use frlm_client::conductor::run::control::RunCommand;
use frlm_client::conductor::store::Store;
use frlm_client::protocol::printable;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Event, Outbox};
use crate::desktop::screens::{ask, run};
use crate::desktop::widgets::Unit;
use crate::desktop::widgets::words::in_window;
use frlm_client::failure::render_error;
use frlm_client::home::Home;
use frlm_client::run::{
    Prepared, ResumeOptions, Resumed, RunControl, RunHandle, RunRequest, RunService, StartOptions,
};
use frlm_client::wallet_manager::WalletManager;

/// Trace events that go to the window at once.
const BATCH: usize = 256;

/// Keeps runs and their off switches. Clones share them.
#[derive(Clone)]
pub struct RunManager {
    home: Home,
    outbox: Outbox,
    wallet_manager: WalletManager,
    tasks: TaskTracker,
    stop: CancellationToken,
    /// Stops what was asked last, also before it is a run.
    newest: Arc<Mutex<CancellationToken>>,
    under_way: Arc<Mutex<HashMap<String, RunControl>>>,
}

impl RunManager {
    /// A keeper whose runs end with `stop` and are awaited through `tasks`.
    pub fn new(
        home: Home,
        outbox: Outbox,
        wallet_manager: WalletManager,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        Self { home, outbox, wallet_manager, tasks, stop, newest: Arc::default(), under_way: Arc::default() }
    }

    /// The off switch of what is about to be asked.
    pub fn will_ask(&self) -> CancellationToken {
        let switch = self.stop.child_token();
        self.newest().clone_from(&switch);
        switch
    }

    /// Asks. Returns when the run is under way, or why it is not: then nothing was sent.
    pub async fn ask(&self, prepared: Prepared, cancel: CancellationToken) -> anyhow::Result<()> {
        let (play_money, foreign) = (prepared.request.play_money, prepared.request.pays_foreign());
        let service = self.service(foreign).await?;
        let run =
            service.start_prepared(prepared, StartOptions { cancel, ..StartOptions::default() }).await?;
        let id = run.id.clone();
        let unit = Unit::of(play_money);
        self.outbox.send(Event::Run(run::Event::Opened { id: id.clone(), live: true, unit })).await;
        self.outbox.send(Event::Ask(ask::Event::Started)).await;
        self.follow(run);
        Ok(())
    }

    async fn service(&self, foreign: bool) -> anyhow::Result<RunService> {
        RunService::with_wallets(&self.home, self.wallet_manager.wallets(&self.home, foreign).await?).await
    }

    /// Goes on with a recorded run; what is verified is not asked again. `budget`: a new one for the whole run; `accept`: a person
    /// takes what is there. Returns where its record goes on.
    pub async fn resume(&self, id: &str, budget: Option<u64>, accept: bool) -> anyhow::Result<u64> {
        let store = Store::open(&self.home.store())?;
        // A request that cannot be read is refused below, with words.
        let request = serde_json::from_value::<RunRequest>(store.find(id)?.request);
        let foreign = request.is_ok_and(|request| request.pays_foreign());
        let options = ResumeOptions { budget, accept, cancel: self.stop.child_token() };
        let Resumed { handle, next_seq, .. } = self.service(foreign).await?.resume(id, options).await?;
        self.outbox.send(Event::Run(run::Event::Resumed { id: id.to_owned() })).await;
        self.follow(handle);
        Ok(next_seq)
    }

    /// Stops a run tidily: what is verified stays, and it can go on later.
    pub fn pause(&self, id: &str) {
        if let Some(control) = self.under_way().get(id) {
            control.cancel();
        }
    }

    /// Stops what was asked last while it is no run yet: then nothing is sent. One that has begun meanwhile is paused.
    pub fn cancel(&self) {
        self.newest().cancel();
    }

    fn newest(&self) -> MutexGuard<'_, CancellationToken> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives an order to a run that is under way; `false` if it is not, or takes none.
    pub fn give(&self, id: &str, order: RunCommand) -> bool {
        self.under_way().get(id).is_some_and(|control| control.order(order))
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<String, RunControl>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this process carries a run out now.
    pub fn is_under_way(&self, id: &str) -> bool {
        self.under_way().contains_key(id)
    }

    /// How many runs are under way.
    pub fn count(&self) -> usize {
        self.under_way().len()
    }

    /// Reports what happens in a run until it has ended.
    fn follow(&self, run: RunHandle) {
        let RunHandle { id, mut events, control, done } = run;
        self.under_way().insert(id.clone(), control);
        let manager = self.clone();
        self.tasks.spawn(async move {
            let outbox = manager.outbox.clone();
            let reporting = async {
                let mut records = Vec::new();
                while events.recv_many(&mut records, BATCH).await > 0 {
                    let records = std::mem::take(&mut records);
                    outbox.send(Event::Run(run::Event::Records { id: id.clone(), records })).await;
                }
            };
            let (outcome, ()) = tokio::join!(done, reporting);
            manager.wallet_manager.wake();
            manager.under_way().remove(&id);
            let error = outcome.err().map(|failure| (printable(&failure.message).into_owned(), failure.code));
            outbox.send(Event::Run(run::Event::Ended { id, error })).await;
        });
    }
}

/// An error in words that can be shown.
pub fn words(error: &anyhow::Error) -> String {
    in_window(&printable(&render_error(error).0))
}
