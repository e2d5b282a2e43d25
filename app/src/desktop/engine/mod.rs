//! Everything that takes time. The engine runs on the app's tokio runtime, knows nothing of egui,
//! and reports [`Event`]s through a bounded channel; the window folds them into its state.

pub mod books;
mod changes;
pub mod clock;
pub mod machine;
pub mod others;
pub mod runs;
pub mod swarm;
pub mod tray;

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::command::Command;
use super::screens::load::Load;
use super::screens::{
    Screen, answer, ask, earn, known, learning, models, providers, run, runs as recorded, settings, wallet,
};
use super::state::{Machine, State};
use super::widgets::Tone;
use frlm_client::directory::ProviderDirectory;
use frlm_client::documents::{Documents, Memory, Password};
use frlm_client::home::Home;
use frlm_client::payment::debts::Outcome;
use frlm_client::protocol::printable;
use frlm_client::units::plural;
use frlm_client::wallet_manager;
use runs::RunManager;
use swarm::{LocalSwarm, SwarmManager};

/// Events that may wait for the window; beyond it the engine's tasks wait.
const QUEUE: usize = 8_192;
/// How long quitting waits for what is under way.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What the engine reports.
#[derive(Debug)]
pub enum Event {
    /// What this machine is.
    Machine(Machine),
    /// How the swarm on this machine stands.
    Swarm(LocalSwarm),
    /// For the ask screen.
    Ask(ask::Event),
    /// For the run screen.
    Run(run::Event),
    /// For the answer screen.
    Answer {
        /// Of which run.
        run: String,
        /// What it is.
        event: answer::Event,
    },
    /// For the runs screen.
    Runs(recorded::Event),
    /// For the providers screen.
    Providers(providers::Event),
    /// For the models screen.
    Models(models::Event),
    /// For the earn screen.
    Earn(earn::Event),
    /// For the wallet screen.
    Wallet(wallet::Event),
    /// For the learning screen.
    Learning(learning::Event),
    /// For the known answers.
    Known(known::Event),
    /// For the settings screen.
    Settings(settings::Event),
    /// Whether the desktop shows an icon for this app.
    Tray(tray::Tray),
    /// To be done as if the user had asked for it: files were chosen in a dialogue.
    Do(Command),
    /// Something the user should know.
    Notice {
        /// What it means.
        tone: Tone,
        /// What happened.
        what: String,
        /// What is safe, what to do.
        then: String,
    },
}

/// Where tasks report to. Each report wakes the window.
#[derive(Clone)]
pub struct Outbox {
    sender: mpsc::Sender<Event>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl Outbox {
    /// Reports; waits while the window is behind. When it is gone nobody needs to know any more.
    pub async fn send(&self, event: Event) {
        if self.sender.send(event).await.is_ok() {
            (self.wake)();
        }
    }

    /// The same for those who block, and only if the window is not behind.
    pub fn try_send(&self, event: Event) {
        if self.sender.try_send(event).is_ok() {
            (self.wake)();
        }
    }

    /// Reports a failure as a notice.
    pub async fn fail(&self, what: impl Into<String>, error: &anyhow::Error) {
        self.send(Event::Notice { tone: Tone::Bad, what: what.into(), then: runs::words(error) }).await;
    }
}

/// Does work that blocks its thread, such as reading files, on another one.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    tokio::task::spawn_blocking(work).await?
}

/// The off switch of what is watched: one thing at a time.
#[derive(Debug, Default)]
pub struct Switch(Mutex<Option<CancellationToken>>);

impl Switch {
    /// Ends what was watched before. The token ends what is watched from now on.
    pub fn turn(&self, engine: &Engine) -> CancellationToken {
        let token = engine.stop().child_token();
        self.replace(Some(token.clone()));
        token
    }

    /// Ends what is watched.
    pub fn off(&self) {
        self.replace(None);
    }

    fn replace(&self, token: Option<CancellationToken>) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *held, token) {
            before.cancel();
        }
    }
}

/// Runs what the user asked for.
pub struct Engine {
    home: Home,
    handle: Handle,
    tasks: TaskTracker,
    stop: CancellationToken,
    outbox: Outbox,
    swarm: SwarmManager,
    runs: RunManager,
    newest_ask: Arc<ask::work::Newest>,
    /// How often this machine was looked at: an earlier look that ends later knows less.
    looks: Arc<AtomicU64>,
    books: books::Books,
    wallet_manager: wallet_manager::WalletManager,
    changes: Switch,
    providers: Switch,
    directory: ProviderDirectory,
    documents: Memory,
    document_password: Arc<Mutex<Option<Password>>>,
    bench: models::work::Bench,
    table: answer::table::work::LastTable,
    earn: earn::work::EarnManager,
    log: Switch,
    tray: tray::TrayManager,
}

impl Engine {
    /// An engine on a runtime, and what it will report. `wake` is called after each report, from
    /// any thread.
    pub fn new(
        home: Home,
        handle: Handle,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> (Self, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let outbox = Outbox { sender, wake: Arc::new(wake) };
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let wallet_manager = {
            let (outbox, tasks, handle) = (outbox.clone(), tasks.clone(), handle.clone());
            wallet_manager::WalletManager::new(move |found| {
                let (outbox, event) = (outbox.clone(), debts_notice(found));
                tasks.spawn_on(async move { outbox.send(event).await }, &handle);
            })
        };
        let runs = RunManager::new(
            home.clone(),
            outbox.clone(),
            wallet_manager.clone(),
            tasks.clone(),
            stop.clone(),
        );
        let engine = Self {
            home,
            handle,
            tasks,
            stop,
            outbox,
            swarm: SwarmManager::default(),
            runs,
            newest_ask: Arc::default(),
            looks: Arc::default(),
            books: books::Books::default(),
            wallet_manager,
            changes: Switch::default(),
            providers: Switch::default(),
            directory: ProviderDirectory::default(),
            documents: Memory::default(),
            document_password: Arc::default(),
            bench: models::work::Bench::default(),
            table: answer::table::work::LastTable::default(),
            earn: earn::work::EarnManager::default(),
            log: Switch::default(),
            tray: tray::TrayManager::default(),
        };
        engine.refresh_machine();
        engine.look_after_the_wallet();
        (engine, receiver)
    }

    /// The state directory.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Where tasks report to.
    pub fn outbox(&self) -> Outbox {
        self.outbox.clone()
    }

    /// Reports from threads that are not the runtime's.
    pub fn event_sender(&self) -> Arc<dyn Fn(Event) + Send + Sync> {
        let (outbox, tasks, handle) = (self.outbox(), self.tasks.clone(), self.handle.clone());
        Arc::new(move |event| {
            let outbox = outbox.clone();
            tasks.spawn_on(async move { outbox.send(event).await }, &handle);
        })
    }

    /// Cancelled when the app quits: tasks end tidily.
    pub fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// The ledger, for those who only read it.
    pub fn books(&self) -> books::Books {
        self.books.clone()
    }

    /// The wallets, each once opened.
    pub fn wallet_manager(&self) -> wallet_manager::WalletManager {
        self.wallet_manager.clone()
    }

    /// The swarm on this machine with other models than the embedded one.
    #[cfg(test)]
    pub fn serve_here(&self, models: frlm_client::local_swarm::Models) {
        let speaks = frlm_client::local_swarm::Speaks::default();
        self.swarm.serve(speaks, std::future::ready(Ok(models)), self);
    }

    /// Reads documents; those that were read last are at hand while their files stay as they are.
    pub fn documents(&self) -> Documents {
        let password = self.document_password.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Documents::of(&self.home).with_password(password).with_memory(self.documents.clone())
    }

    /// The password of encrypted documents, until the window closes.
    pub fn open_documents_with(&self, password: Password) {
        *self.document_password.lock().unwrap_or_else(PoisonError::into_inner) = Some(password);
    }

    /// Who is at the relays, for everything that looks.
    pub fn directory(&self) -> &ProviderDirectory {
        &self.directory
    }

    /// Runs under way.
    pub fn runs(&self) -> RunManager {
        self.runs.clone()
    }

    /// Starts a task. It is awaited when the app quits.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn_on(task, &self.handle);
    }

    /// Starts work that blocks its thread: reading files and databases.
    pub fn spawn_blocking(&self, work: impl FnOnce() + Send + 'static) {
        self.tasks.spawn_blocking_on(work, &self.handle);
    }

    /// Starts a task, and reports what came of it.
    pub fn report(&self, task: impl Future<Output = Event> + Send + 'static) {
        let outbox = self.outbox();
        self.spawn(async move { outbox.send(task.await).await });
    }

    /// Reads what the home holds, and reports it.
    pub fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Home) -> anyhow::Result<T> + Send + 'static,
        report: impl FnOnce(Load<T>) -> Event + Send + 'static,
    ) {
        let home = self.home.clone();
        self.report(async move { report(Load::from(blocking(move || read(&home)).await)) });
    }

    /// Changes what the home holds, and reports what came of it; `failed` says in a notice what did not.
    pub fn change<T: Send + 'static>(
        &self,
        failed: &'static str,
        change: impl FnOnce(&Home) -> anyhow::Result<T> + Send + 'static,
        report: impl FnOnce(T) -> Event + Send + 'static,
    ) {
        let (home, outbox) = (self.home.clone(), self.outbox());
        self.spawn(async move {
            match blocking(move || change(&home)).await {
                Ok(changed) => outbox.send(report(changed)).await,
                Err(error) => outbox.fail(failed, &error).await,
            }
        });
    }

    /// The part of a command that takes time. `state` is what is on screen after the command.
    pub fn perform(&self, command: &Command, state: &State) {
        match command {
            Command::StartLocalSwarm(speaks) => {
                let own = state.machine.as_ref().and_then(|machine| machine.model.clone());
                self.swarm.start(*speaks, own, self);
            }
            Command::StopLocalSwarm => self.swarm.stop(),
            Command::Go(screen) => self.open(*screen, state),
            Command::Refresh => self.open(state.screen, state),
            Command::Changed(screen) => self.read_again(*screen, state),
            Command::Ask(action) => {
                let form = ask::work::Form::new(&state.ask, state.swarm.relay());
                ask::work::perform(action, form, self, &self.newest_ask);
            }
            Command::Run(action) => run::work::perform(action, &state.run, self),
            Command::Answer(action) => answer::work::perform(action, state, self, &self.table),
            Command::Runs(action) => recorded::work::perform(action, self),
            Command::Providers(action) => {
                let (shown, relay) = (&state.providers, state.swarm.relay());
                providers::work::perform(action, shown, self, &self.providers, relay);
            }
            Command::Models(action) => models::work::perform(action, &state.models, self, &self.bench),
            Command::Earn(action) => earn::work::perform(action, &state.earn, self, &self.earn),
            Command::Wallet(action) => wallet::work::perform(action, &state.wallet, self),
            Command::Learning(action) => learning::work::perform(action, self),
            Command::Known(known::Action::Open) => self.open(Screen::Learning, state),
            Command::Known(action) => known::work::perform(action, self),
            Command::Settings(action) => settings::work::perform(action, &state.settings, self, &self.log),
            Command::Background(wanted) => {
                self.tray.want(*wanted, self);
                if *wanted {
                    // The tray goes online by the offer, which only the earn screen reads otherwise.
                    earn::work::look(self, state.swarm.relay());
                }
            }
            // The engine has no part in what the window around the screens does.
            Command::Shell(_) => {}
        }
    }

    /// Whether this machine serves or will go on to.
    pub fn is_serving(&self) -> bool {
        self.earn.is_serving()
    }

    /// What the tray's icon tells of serving from now on.
    pub fn show_serving(&self, serving: tray::Serving) {
        self.tray.show(serving, self);
    }

    /// What quitting would interrupt, in words; empty: nothing.
    pub fn under_way(&self) -> Vec<String> {
        let mut found = Vec::new();
        match self.runs.count() {
            0 => {}
            runs => found
                .push(format!("{}: paused until you resume; verified parts are saved", plural(runs, "run"))),
        }
        if self.earn.is_serving() {
            found.push(format!(
                "earning: running jobs have {} s to finish; waiting jobs are refused and their askers are told",
                earn::work::QUITTING.as_secs()
            ));
        }
        found
    }

    /// What a screen lists has changed: it is read again, and nothing else happens to the screen.
    fn read_again(&self, screen: Screen, state: &State) {
        match screen {
            Screen::Runs => {
                recorded::work::list(self);
                if let Some(id) = &state.runs.chosen {
                    recorded::work::perform(&recorded::Action::Choose(id.clone()), self);
                }
            }
            Screen::Wallet => {
                wallet::work::look(self);
                if let Some(run) = &state.wallet.chosen {
                    wallet::work::history(run.clone(), self);
                }
            }
            // They list nothing that `changes` watches.
            Screen::Start
            | Screen::Ask
            | Screen::Run
            | Screen::Answer
            | Screen::Providers
            | Screen::Models
            | Screen::Earn
            | Screen::Learning
            | Screen::Settings => {}
        }
    }

    /// Looks up what a screen shows when it opens; what only a screen needs ends with it.
    fn open(&self, screen: Screen, state: &State) {
        self.refresh_machine();
        changes::watch(screen, &self.changes, self);
        if screen != Screen::Providers {
            self.providers.off();
        }
        if screen != Screen::Settings {
            self.log.off();
        }
        let swarm_relay = state.swarm.relay();
        match screen {
            Screen::Runs => recorded::work::list(self),
            Screen::Providers => providers::work::open(self, &self.providers, swarm_relay),
            Screen::Models => models::work::look(self),
            Screen::Earn => earn::work::look(self, swarm_relay),
            Screen::Wallet => wallet::work::look(self),
            Screen::Learning => {
                learning::work::look(self);
                known::work::look(self);
            }
            Screen::Settings => {
                settings::work::open(self, &self.log);
                // Its mints stand there, too.
                wallet::balance::work::look(self);
            }
            Screen::Start | Screen::Ask | Screen::Run | Screen::Answer => {}
        }
    }

    /// Looks up what this machine is and what is set up.
    fn refresh_machine(&self) {
        let (home, outbox, handle) = (self.home.clone(), self.outbox(), self.handle.clone());
        let looks = Arc::clone(&self.looks);
        let this = looks.fetch_add(1, Ordering::Relaxed) + 1;
        self.spawn_blocking(move || {
            let machine = machine::look(&home);
            if looks.load(Ordering::Relaxed) == this {
                handle.block_on(outbox.send(Event::Machine(machine)));
            }
        });
    }

    /// Opens the home's wallet, if there is one: what earlier runs left in it is seen to from the start.
    fn look_after_the_wallet(&self) {
        let (home, wallet_manager, stop) = (self.home.clone(), self.wallet_manager(), self.stop());
        self.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                opened = wallet_manager.open(&home) => {
                    // The caller that needs it says so too.
                    if let Err(error) = opened {
                        tracing::warn!(%error, "the wallet cannot be opened");
                    }
                }
            }
        });
    }

    /// Ends everything: tells the tasks, and waits for them within limits.
    pub fn shut_down(self) {
        self.tray.want(false, &self);
        self.stop.cancel();
        self.tasks.close();
        let ended = self.handle.block_on(async { tokio::time::timeout(TIMEOUT, self.tasks.wait()).await });
        if ended.is_err() {
            tracing::warn!("some tasks did not end within {TIMEOUT:?}");
        }
    }
}

/// What becomes of what earlier runs owe, for the user.
fn debts_notice(found: &Outcome) -> Event {
    match found.waiting.first() {
        Some(why) => Event::Notice {
            tone: Tone::Warn,
            what: "Providers are still owed for answers that count".to_owned(),
            then: format!(
                "{}. FRLM tries again by itself. Until then the sats count as spent.",
                printable(why).trim_end_matches('.')
            ),
        },
        None => Event::Notice {
            tone: Tone::Good,
            what: "Debts of earlier runs are paid".to_owned(),
            then: format!("{}, for jobs: {}", found.sats, found.told),
        },
    }
}
