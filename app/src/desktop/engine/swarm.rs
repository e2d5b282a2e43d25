//! The swarm on this machine: an embedded relay and providers with keys, connections and engines
//! of their own, paid in play money, as in `frlm demo`.

use std::future::Future;
use std::sync::Mutex;

use frlm_client::wallet::Sats;
use tokio_util::sync::CancellationToken;

use super::{Engine, Event};
use crate::desktop::command::Command;
use crate::desktop::screens::ask;
use frlm_client::demo_mint::{DemoMint, Place};
use frlm_client::local_swarm::{Models, PROVIDERS, Speaks, Swarm};

/// Play sats that the asker begins with; each question adds its own budget.
const FUNDS: Sats = Sats(1_000);

/// How the swarm on this machine stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LocalSwarm {
    /// It was not asked for.
    #[default]
    Off,
    /// It starts.
    Starting,
    /// It serves.
    On {
        /// Its relay's address.
        relay: String,
        /// How many providers.
        providers: usize,
        /// What speaks for them.
        speaks: Speaks,
    },
    /// It could not be started.
    Failed(String),
}

impl LocalSwarm {
    /// Whether starting it makes sense.
    pub fn can_start(&self) -> bool {
        matches!(self, Self::Off | Self::Failed(_))
    }

    /// What speaks in it; the embedded model, as long as nobody chose.
    pub fn speaks(&self) -> Speaks {
        match self {
            Self::On { speaks, .. } => *speaks,
            Self::Off | Self::Starting | Self::Failed(_) => Speaks::default(),
        }
    }

    /// Whether it serves.
    pub fn is_on(&self) -> bool {
        matches!(self, Self::On { .. })
    }

    /// Its relay, if it serves.
    pub fn relay(&self) -> Option<&str> {
        match self {
            Self::On { relay, .. } => Some(relay),
            Self::Off | Self::Starting | Self::Failed(_) => None,
        }
    }
}

/// Keeps the swarm's off switch.
#[derive(Debug, Default)]
pub struct SwarmManager(Mutex<Option<CancellationToken>>);

impl SwarmManager {
    /// Starts the swarm, unless it runs; `own` is the user's model, as the settings name it.
    pub fn start(&self, speaks: Speaks, own: Option<String>, engine: &Engine) {
        let home = engine.home().clone();
        self.serve(speaks, async move { speaks.models(own.as_deref(), &home).await }, engine);
    }

    /// Starts the swarm with these models, unless it runs.
    pub fn serve(
        &self,
        speaks: Speaks,
        models: impl Future<Output = anyhow::Result<Models>> + Send + 'static,
        engine: &Engine,
    ) {
        let off = engine.stop().child_token();
        if let Ok(mut switch) = self.0.lock() {
            if switch.as_ref().is_some_and(|switch| !switch.is_cancelled()) {
                return;
            }
            *switch = Some(off.clone());
        }
        let (home, outbox, wallet_manager) =
            (engine.home().clone(), engine.outbox(), engine.wallet_manager());
        engine.spawn(async move {
            let started = async {
                let models = models.await?;
                let demo_mint = DemoMint::start(&PROVIDERS, FUNDS, Place::Passing(&home)).await?;
                Swarm::start(models, demo_mint).await
            };
            match started.await {
                Ok(swarm) => {
                    let relay = swarm.relay().to_string();
                    wallet_manager.play_with(Some(swarm.demo_mint().asker().clone()));
                    outbox
                        .send(Event::Swarm(LocalSwarm::On { relay, providers: PROVIDERS.len(), speaks }))
                        .await;
                    outbox.send(Event::Do(Command::Refresh)).await;
                    // Somebody may be there now for a question that is being written.
                    outbox.send(Event::Do(Command::Ask(ask::Action::Again))).await;
                    off.cancelled().await;
                    wallet_manager.play_with(None);
                    swarm.stop().await;
                    outbox.send(Event::Swarm(LocalSwarm::Off)).await;
                }
                Err(error) => {
                    off.cancel();
                    outbox.send(Event::Swarm(LocalSwarm::Failed(super::runs::words(&error)))).await;
                }
            }
        });
    }

    /// Stops the swarm.
    pub fn stop(&self) {
        if let Ok(mut switch) = self.0.lock()
            && let Some(off) = switch.take()
        {
            off.cancel();
        }
    }
}
