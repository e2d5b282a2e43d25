//! Questions become runs: each caller within its limit, so many at once, and how things stand.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use frlm_client::conductor::store::StoreError;
use frlm_client::conductor::trace::TraceRecord;
use frlm_client::documents::Documents;
use frlm_client::learning::routing::production::CallerLimit;
use frlm_client::learning::routing::{Health, RoutingMemory};
use frlm_client::protocol::printable;
use frlm_client::questions::answer::Answer;
use frlm_client::wallet::cashu::Invoice;
use frlm_client::wallet::{CashuWallet, LedgerError, Sats};
use nostr::Keys;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::callers::Callers;
use super::chat::Asked;
use super::chat::answer::Answered;
use super::files::FileStore;
use super::policies::Policies;
use super::progress::Progress;
use super::refusal::Refusal;
use super::uploads::{self, Kept};
use frlm_client::config::{RoutingConfig, ServeConfig};
use frlm_client::directory::ProviderDirectory;
use frlm_client::failure::{Failure, render_error};
use frlm_client::home::Home;
use frlm_client::run::{
    Follows, Prepared, RunHandle, RunRequest, RunService, StartOptions, estimate, own, prepare, reusable,
};
use frlm_client::wallet_maintenance::Maintenance;
use frlm_client::wallet_session::{self, Wallets, mint_to_receive_at};

/// Answers questions over documents.
pub struct Service {
    home: Home,
    /// Every question is asked like this, unless its caller wishes for less.
    request: RunRequest,
    runs: RunService,
    /// Who is at the relays, for quotes.
    directory: ProviderDirectory,
    maintenance: Option<Maintenance>,
    /// Who may ask.
    pub callers: Callers,
    /// What they uploaded.
    pub files: Arc<FileStore>,
    policies: Policies,
    routing: RoutingConfig,
    limits: ServeConfig,
    began: Instant,
    limit: Mutex<CallerLimit>,
    refused: AtomicU64,
    /// Those of them that the account of routing does not hold yet.
    unwritten: AtomicU64,
    /// Questions that are asked or wait.
    places: Arc<Semaphore>,
    /// Questions that are asked.
    turns: Semaphore,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// How things stand.
#[derive(Debug, Serialize)]
pub struct ServiceHealth {
    /// What runs have learned of roles and venues, and their load, costs and errors; null before the first.
    pub routing: Option<Health>,
    /// Questions that are asked now.
    pub asking: usize,
    /// Questions that wait.
    pub waiting: usize,
    /// Requests beyond a caller's limit since the service began.
    pub refused: u64,
    /// Requests of one caller in any 60 seconds.
    pub per_minute: usize,
    /// Sats that one question may cost.
    pub budget_sats: u64,
}

impl Service {
    /// A service that asks every question like `request`, whose question and files do not matter.
    pub async fn open(home: Home, request: RunRequest) -> anyhow::Result<Arc<Self>> {
        let config = home.config()?;
        let limits = config.serve;
        // Loading a model may take minutes: a wrong setting is found before.
        let callers = Callers::of(&limits.callers)?;
        let policies = Policies::of(&request.verify, &limits.verify)?;
        let wallets = Wallets { kept: true, ..Wallets::of(&home).await? };
        let runs = RunService::with_wallets(&home, wallets).await?;
        let keep = |own: &CashuWallet| {
            Maintenance::start(own.clone(), runs.ledger().clone(), home.clone(), wallet_session::notice_debts)
        };
        let maintenance = runs.wallet().map(keep);
        Ok(Arc::new(Self {
            runs: runs.with_models(own(&request, &home).await?),
            directory: ProviderDirectory::default(),
            maintenance,
            files: Arc::new(FileStore::at(home.served_files())),
            callers,
            policies,
            routing: config.routing,
            began: Instant::now(),
            limit: Mutex::default(),
            refused: AtomicU64::new(0),
            unwritten: AtomicU64::new(0),
            places: Arc::new(Semaphore::new(limits.at_once.max(1) + limits.waiting)),
            turns: Semaphore::new(limits.at_once.max(1)),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            home,
            request,
            limits,
        }))
    }

    /// Counts a request of a caller, or refuses it.
    pub fn admit(&self, caller: &str) -> Result<(), Refusal> {
        let mut limit = self.limit.lock().unwrap_or_else(PoisonError::into_inner);
        limit.admit(caller, self.limits.per_minute, self.began.elapsed()).map_err(|over| {
            self.refused.fetch_add(1, Ordering::Relaxed);
            self.unwritten.fetch_add(1, Ordering::Relaxed);
            over.into()
        })
    }

    /// Asks. A caller that goes away stops its run: what is verified is paid, nothing more is sent.
    pub async fn answer(self: &Arc<Self>, asked: Asked) -> Result<Answered, Refusal> {
        self.answer_as(asked, Keys::generate(), watch::Sender::default()).await
    }

    /// The same with the keys of the run, for those who tell its id before it begins, and how far it is.
    pub async fn answer_as(
        self: &Arc<Self>,
        asked: Asked,
        keys: Keys,
        progress: watch::Sender<Progress>,
    ) -> Result<Answered, Refusal> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            let (asking, waiting) = (self.limits.at_once, self.limits.waiting);
            Refusal::busy(format!("{asking} questions are being asked and {waiting} wait; nothing was sent"))
        })?;
        let switch = self.stop.child_token();
        let _gone = switch.clone().drop_guard();
        let service = Arc::clone(self);
        let asking = async move {
            let answered = service.carry_out(asked, keys, switch, place, &progress).await;
            service.write_refusals().await;
            answered
        };
        match self.tasks.spawn(asking).await {
            Ok(answered) => answered,
            Err(error) => Err(Refusal::fault(error.to_string())),
        }
    }

    /// Questions that are asked at once.
    pub fn at_once(&self) -> usize {
        self.limits.at_once.max(1)
    }

    /// This home's wallet, where it has one.
    pub fn wallet(&self) -> Option<&CashuWallet> {
        self.runs.wallet()
    }

    /// The most that an answer will cost with those who are here now, fees included, and no more than one may cost here;
    /// `None` where no sats move. Looks without touching.
    pub async fn quote(&self, asked: Asked) -> Result<Option<Sats>, Refusal> {
        let Some(wallet) = self.wallet().filter(|_| self.request.uses_swarm()) else { return Ok(None) };
        let (prepared, kept) = self.prepare(asked).await?;
        let reusable = reusable(&self.home, &prepared.request)?;
        let estimate = estimate(&prepared, &self.home.config()?, &self.directory, reusable)
            .await?
            .with_fees(wallet, &prepared)
            .await;
        drop(kept);
        Ok(Some(estimate.quote.high.min(Sats(self.request.budget))))
    }

    /// An invoice over so many sats, to the first mint of this home's wallet, and who waits for its payment.
    pub async fn invoice(&self, amount: Sats) -> anyhow::Result<(CashuWallet, Invoice)> {
        let wallet = self.wallet().cloned().ok_or_else(|| Failure::usage("there is no wallet"))?;
        let mint = mint_to_receive_at(&wallet, None).await?;
        let invoice = wallet.invoice(&mint, amount).await?;
        Ok((wallet, invoice))
    }

    async fn carry_out(
        &self,
        asked: Asked,
        keys: Keys,
        switch: CancellationToken,
        _place: OwnedSemaphorePermit,
        progress: &watch::Sender<Progress>,
    ) -> Result<Answered, Refusal> {
        let _turn = tokio::select! {
            turn = self.turns.acquire() => turn.map_err(|_| Refusal::stopping())?,
            () = switch.cancelled() => return Err(Refusal::stopping()),
        };
        let (prepared, kept) = self.prepare(asked).await?;
        let question = prepared.request.question.clone();
        let warnings = prepared.warnings.iter().map(|warning| kept.as_sent(&printable(&warning.to_string())));
        let warnings = warnings.collect();
        let answer = self.run(prepared, keys, switch, progress).await?;
        let Kept { folder, names: documents } = kept;
        drop(folder);
        Ok(Answered { answer, warnings, question, documents })
    }

    async fn prepare(&self, asked: Asked) -> Result<(Prepared, Kept), Refusal> {
        let mut request = RunRequest { question: asked.question, ..self.request.clone() };
        if let Some(wished) = asked.budget_sats {
            request.budget = wished.min(self.request.budget);
        }
        if let Some(wished) = asked.verify {
            self.policies.check(&wished)?;
            request.verify = wished;
        }
        if let Some(wished) = asked.timeout_secs {
            request.timeout = wished.min(self.request.timeout);
        }
        if !asked.preferences.is_empty() {
            request.asker.preferences = asked.preferences;
        }
        request.asker.priority = asked.priority.unwrap_or(request.asker.priority);
        request.follows = Follows::said(asked.conversation);
        // A caller may have more checked, never less than the operator wants.
        request.level = request.level.max(asked.level.unwrap_or_default());
        let home = self.home.clone();
        let read = tokio::task::spawn_blocking(move || -> anyhow::Result<_> {
            let kept = uploads::keep(&asked.documents, &home)?;
            request.files = vec![kept.folder.path().to_owned()];
            let prepared = prepare(request, &Documents::of(&home)).map_err(|error| {
                let (words, code) = render_error(&error);
                Failure::with_code(code, kept.as_sent(&words))
            })?;
            Ok((prepared, kept))
        });
        Ok(read.await.map_err(|error| Refusal::fault(error.to_string()))??)
    }

    async fn run(
        &self,
        prepared: Prepared,
        keys: Keys,
        cancel: CancellationToken,
        progress: &watch::Sender<Progress>,
    ) -> anyhow::Result<Answer> {
        let options = StartOptions { keys, cancel, ..StartOptions::default() };
        let RunHandle { mut events, mut done, .. } = self.runs.start_prepared(prepared, options).await?;
        let mut seen = Progress::default();
        let mut tell = |record: &TraceRecord| {
            if seen.see(record) {
                progress.send_replace(seen);
            }
        };
        let outcome = loop {
            tokio::select! {
                biased;
                Some(record) = events.recv() => tell(&record),
                outcome = &mut done => break outcome,
            }
        };
        while let Ok(record) = events.try_recv() {
            tell(&record);
        }
        if let Some(maintenance) = &self.maintenance {
            maintenance.wake();
        }
        Ok(outcome?)
    }

    /// What a run that has ended has cost, or may still cost; `None` while that is not known. What is on its way back costs
    /// a fee when it comes, and is missing here until then.
    pub async fn cost(&self, run: &str) -> Option<Sats> {
        match self.runs.ledger().budget(run).await {
            Ok(budget) if budget.pending_refund > Sats::ZERO => None,
            Ok(budget) => Some(budget.spent.saturating_add(budget.reserved)),
            // Its account is opened before it spends.
            Err(LedgerError::UnknownRun { .. }) => Some(Sats::ZERO),
            Err(error) => {
                tracing::warn!(%error, run, "what a run has cost cannot be read");
                None
            }
        }
    }

    /// How things stand.
    pub async fn health(&self) -> Result<ServiceHealth, Refusal> {
        self.write_refusals().await;
        let (memory, routing) = (RoutingMemory::at(self.home.routing()), self.routing);
        let read = tokio::task::spawn_blocking(move || memory.load());
        let account = read.await.map_err(|error| Refusal::fault(error.to_string()))?;
        let account = account.map_err(|error| Refusal::fault(error.to_string()))?;
        let (at_once, free) = (self.limits.at_once.max(1), self.turns.available_permits());
        let taken = at_once + self.limits.waiting - self.places.available_permits();
        let asking = at_once - free;
        Ok(ServiceHealth {
            routing: account.map(|account| account.health(routing.online_learning, routing.explore)),
            asking,
            waiting: taken.saturating_sub(asking),
            refused: self.refused.load(Ordering::Relaxed),
            per_minute: self.limits.per_minute,
            budget_sats: self.request.budget,
        })
    }

    /// Whether a run was recorded here.
    pub async fn knows(&self, run: &str) -> Result<bool, Refusal> {
        let (store, id) = (self.runs.store().clone(), run.to_owned());
        let found = tokio::task::spawn_blocking(move || store.find(&id)).await;
        match found.map_err(|error| Refusal::fault(error.to_string()))? {
            Ok(found) => Ok(found.id == run),
            Err(StoreError::NoSuchRun(_) | StoreError::Ambiguous { .. }) => Ok(false),
            Err(error) => Err(Refusal::fault(error.to_string())),
        }
    }

    /// Where state lies.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Adds refusals to what `frlm route health` counts.
    async fn write_refusals(&self) {
        let count = self.unwritten.swap(0, Ordering::Relaxed);
        if count == 0 {
            return;
        }
        let memory = RoutingMemory::at(self.home.routing());
        let written = tokio::task::spawn_blocking(move || memory.add_refused(count)).await;
        if !matches!(written, Ok(Ok(true))) {
            // There is no account yet, or it cannot be written now: with the next ones.
            self.unwritten.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Stops what is under way, and waits until all of it has ended.
    pub async fn shut_down(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.write_refusals().await;
    }
}
