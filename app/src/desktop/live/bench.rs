//! The window with its real engine, and a small real swarm for it.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use egui::Theme;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use frlm_conductor::store::{NewRun, Store};
use frlm_conductor::trace::TraceRecord;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use nostr::Keys;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::desktop::app::Desktop;
use crate::desktop::command::Command;
use crate::desktop::engine::Engine;
use crate::desktop::screens::{Screen, ask, run};
use crate::desktop::state::State;
use crate::desktop::testing::WINDOW;
use frlm_client::home::Home;

pub const QUESTION: &str = "How many orders have status failed?";

/// How long anything may take before a test fails. Without optimisation, sealing a seed takes a hundred
/// times as long.
const TIMEOUT: Duration = Duration::from_mins(if cfg!(debug_assertions) { 5 } else { 1 });

/// The window, its engine, and the state directory of both.
pub struct Live {
    window: Option<Harness<'static, Desktop>>,
    woken: Receiver<()>,
    pub runtime: Runtime,
    pub folder: TempDir,
}

impl Live {
    /// A fresh home with these settings.
    pub fn with_settings(settings: &str) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), settings)
    }

    /// With the answer of a swarm to a question about 40 lines.
    pub fn answered(swarm: &Swarm) -> Self {
        let mut live = Self::with_settings(&swarm.settings());
        live.fill_in(40);
        live.perform(&Command::Ask(ask::Action::Start));
        live.until_answered();
        live
    }

    /// The same in a folder that is there.
    pub fn in_folder(folder: TempDir, settings: &str) -> Self {
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        std::fs::write(home.config_file(), settings).unwrap();
        let runtime = Runtime::new().unwrap();
        let (wake, woken) = sync_channel(1);
        let handle = runtime.handle().clone();
        let window = Harness::builder().with_size(WINDOW).with_theme(Theme::Light).with_max_steps(12);
        let window = window.build_eframe(move |creation| {
            // A full channel has woken the test already.
            let (engine, inbox) = Engine::new(home, handle, move || {
                let _ = wake.try_send(());
            });
            Desktop::new(&creation.egui_ctx, Some(engine), inbox)
        });
        Self { window: Some(window), woken, runtime, folder }
    }

    pub fn home(&self) -> Home {
        Home::open(Some(self.folder.path().to_owned())).unwrap()
    }

    pub fn window(&mut self) -> &mut Harness<'static, Desktop> {
        self.window.as_mut().unwrap()
    }

    pub fn state(&mut self) -> &State {
        self.window().state().state()
    }

    /// Does something as the palette would.
    pub fn perform(&mut self, command: &Command) {
        let window = self.window();
        let ctx = window.ctx.clone();
        window.state_mut().perform(&ctx, command);
    }

    /// Clicks what has this name.
    pub fn click(&mut self, label: &str) {
        let window = self.window();
        window.step();
        window.get_by_label(label).click();
        window.step();
    }

    /// Presses what has this name as a screen reader does, wherever the page stands.
    pub fn press(&mut self, label: &str) {
        let window = self.window();
        window.step();
        window.get_by_label(label).click_accesskit();
        window.step();
    }

    /// Draws frames until something holds of what is known.
    pub fn until(&mut self, what: &str, holds: impl Fn(&State) -> bool) {
        let end = Instant::now() + TIMEOUT;
        loop {
            self.window().step();
            if holds(self.state()) {
                // What it changed is on screen now.
                self.window().step();
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            let tellings = &self.state().run.view.tellings;
            assert!(!left.is_zero(), "not within {TIMEOUT:?}: {what}\n{tellings:#?}");
            // A frame may have left events for the next one without being woken again.
            let _ = self.woken.recv_timeout(left.min(Duration::from_millis(100)));
        }
    }

    /// Draws frames until the run has ended with an answer.
    pub fn until_answered(&mut self) {
        let has_ended = |state: &State| state.answered().is_some() && state.run.stage == run::Stage::Recorded;
        self.until("the answer is there", has_ended);
    }

    /// Opens the run that is shown from its record, as from the list of runs.
    pub fn open_again(&mut self) {
        self.until_answered();
        let id = self.state().run.id.clone();
        // A moment is chosen, so that it shows when the run has been opened again: until then it looks read already.
        self.perform(&Command::Run(run::Action::Scrub(Some(0))));
        self.until("a moment is shown", |state| state.run.cursor.is_some());
        self.perform(&Command::Run(run::Action::Open(id)));
        self.until("it is read again", |state| state.run.cursor.is_none());
        self.until_answered();
    }

    /// Fills in the form: this question about an order log of so many lines, for providers at the
    /// relays of the settings.
    pub fn fill_in(&mut self, lines: usize) {
        let document = self.orders(lines);
        self.perform(&Command::Go(Screen::Ask));
        self.perform(&Command::Ask(ask::Action::Venue(ask::Venue::Relays)));
        self.perform(&Command::Ask(ask::Action::Add(vec![document])));
        self.perform(&Command::Ask(ask::Action::Question(QUESTION.to_owned())));
    }

    /// Records a run as it would lie on disk.
    pub fn record(&self, id: &str, question: &str, records: Vec<TraceRecord>) {
        let store = Store::open(&self.home().store()).unwrap();
        let run = NewRun {
            id: id.to_owned(),
            started_at_ms: 0,
            question: question.to_owned(),
            request: serde_json::Value::Null,
            secret_key: "00".to_owned(),
        };
        self.runtime.block_on(async {
            store.begin(run).await.unwrap();
            store.append(id, records).await.unwrap();
            store.flush(id).await.unwrap();
        });
    }

    /// An order log in which every fifth order failed.
    fn orders(&self, lines: usize) -> PathBuf {
        let mut text = String::new();
        for number in 1..=lines {
            let status = if number % 5 == 0 { "failed" } else { "shipped" };
            writeln!(text, "order={number} user=user{} status={status}", number % 7).unwrap();
        }
        let path = self.folder.path().join("orders.log");
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(mut window) = self.window.take() {
            window.state_mut().shut_down();
        }
    }
}

/// A relay with providers that copy fields, on loopback.
pub struct Swarm {
    pub runtime: Runtime,
    pub relay: Option<EmbeddedRelay>,
    pub address: SocketAddr,
    providers: Vec<ProviderHandle>,
}

impl Swarm {
    /// So many providers that take this long for an answer and ask this price.
    pub fn start(providers: usize, latency: Duration, price_msats_per_1k: u64) -> Self {
        let runtime = Runtime::new().unwrap();
        let relay = runtime.block_on(relay_at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))));
        let (url, address) = (relay.url().to_string(), relay.address());
        let providers = runtime.block_on(serve(&url, providers, latency, price_msats_per_1k));
        Self { runtime, address, relay: Some(relay), providers }
    }

    /// Providers that come to a relay that is there.
    pub fn join(address: SocketAddr, providers: usize, latency: Duration) -> Self {
        let runtime = Runtime::new().unwrap();
        let providers = runtime.block_on(serve(&format!("ws://{address}"), providers, latency, 0));
        Self { runtime, relay: None, address, providers }
    }

    /// As the settings name it.
    pub fn settings(&self) -> String {
        format!("relays = [\"ws://{}\"]\n", self.address)
    }

    /// The relay goes away, as when its machine is switched off.
    pub fn lose_relay(&mut self) {
        if let Some(relay) = self.relay.take() {
            self.runtime.block_on(relay.shutdown());
        }
    }

    /// It comes back at the same address.
    pub fn bring_relay_back(&mut self) {
        self.relay = Some(self.runtime.block_on(relay_at(self.address)));
    }
}

impl Drop for Swarm {
    fn drop(&mut self) {
        for provider in &self.providers {
            provider.shutdown().immediate.cancel();
        }
        self.lose_relay();
    }
}

async fn serve(url: &str, count: usize, latency: Duration, price_msats_per_1k: u64) -> Vec<ProviderHandle> {
    let url = frlm_relay::parse_relay_url(url).unwrap();
    let mut handles = Vec::new();
    for number in 0..count {
        let config =
            ProviderConfig { name: format!("p{number}"), price_msats_per_1k, ..ProviderConfig::default() };
        let model = copying(latency);
        let relays = std::slice::from_ref(&url);
        handles.push(Provider::start(config, Keys::generate(), relays, model).await.unwrap());
    }
    handles
}

/// A model that takes this long to copy fields out of records.
pub fn copying(latency: Duration) -> Arc<dyn LanguageModel> {
    let model = ScriptedModel::new("scripted", copy).with_latency(latency);
    Arc::new(model.with_dialect(Dialect::Records))
}

async fn relay_at(address: SocketAddr) -> EmbeddedRelay {
    EmbeddedRelay::start(EmbeddedRelayConfig::at(address)).await.unwrap()
}

/// Copies the asked fields out of `key=value` records, as the embedded model is trained to.
fn copy(prompt: &str) -> String {
    let (instruction, record) = prompt.split_once('\n').unwrap_or((prompt, ""));
    let fields = instruction.trim_start_matches("copy ").split(", ");
    let value = |field: &str| {
        record.split(' ').find_map(|part| part.strip_prefix(&format!("{field}="))).unwrap_or("-")
    };
    fields.fold(String::new(), |text, field| text + value(field) + "\n")
}
