//! Engines that share one model, who may use which, and who is next.
//!
//! ```text
//!              lane free                          engine drops the request
//! submit() ──────────────► engine ───────────────────────┐
//!     │ all busy                                          ▼
//!     └────────────► waiting ──────────────────► next one, sent from the engine's own thread
//! ```
//!
//! A small model answers in a few milliseconds. Waking a reader so that it sends the next request took a
//! third as long again, with the engine idle; so the next request is handed over by the engine itself.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mistralrs::Model;
use mistralrs::core::Request;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use super::sampler::StepLog;
use crate::ModelError;

/// How often, and how many times, one looks whether an engine that broke down can be started again.
const RESTART_PAUSE: Duration = Duration::from_millis(20);
const RESTART_LOOKS: usize = 250;

/// A request that wants a lane.
pub(super) struct Wanting {
    /// Tells whether anybody still waits for the answer.
    pub log: Arc<StepLog>,
    /// Makes the request once its lane is known.
    pub make: Box<dyn FnOnce(EngineLease) -> Request + Send>,
}

/// Engines with the same weights. A *lane* is the right to one running request on one engine: a
/// single-threaded engine has one, a batching engine has as many as its batch.
pub(super) struct EnginePool {
    engines: Vec<Model>,
    state: Mutex<State>,
    lanes: usize,
}

struct State {
    /// The engine of every lane nobody holds.
    free: Vec<usize>,
    /// First come, first served. Empty while a lane is free.
    waiting: VecDeque<Wanting>,
    /// An engine is gone for good: nobody is kept waiting for it.
    closed: bool,
}

impl EnginePool {
    pub fn new(engines: Vec<Model>, lanes_each: usize) -> Arc<Self> {
        // Neighbouring lanes belong to different engines, so that light load spreads.
        let free: Vec<usize> = (0..lanes_each).flat_map(|_| (0..engines.len()).rev()).collect();
        let lanes = free.len();
        Arc::new(Self {
            engines,
            state: Mutex::new(State { free, waiting: VecDeque::new(), closed: false }),
            lanes,
        })
    }

    /// The way to the one engine of a pool that is not shared.
    pub fn only_engine(&self) -> Result<Sender<Request>, String> {
        let [engine] = self.engines.as_slice() else {
            return Err("the pool has several engines".to_owned());
        };
        engine.inner().get_sender(None).map_err(|error| error.to_string())
    }

    /// How many requests run at a time.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// How many lanes nobody holds now.
    #[cfg(test)]
    pub fn free_lanes(&self) -> usize {
        self.state().free.len()
    }

    /// Gives a request to a free engine, or puts it in line.
    pub fn submit(self: &Arc<Self>, wanting: Wanting) -> Result<(), ModelError> {
        let engine = {
            let mut state = self.state();
            if state.closed {
                return Err(stopped());
            }
            let Some(engine) = state.free.pop() else {
                state.waiting.push_back(wanting);
                return Ok(());
            };
            engine
        };
        self.start(engine, wanting);
        Ok(())
    }

    fn start(self: &Arc<Self>, engine: usize, wanting: Wanting) {
        let request = (wanting.make)(EngineLease { pool: Arc::clone(self), engine });
        if let Err(request) = self.offer(engine, request) {
            self.start_again(engine, request);
        }
    }

    /// Gives a request to an engine, or back to the caller if the engine has just broken down. One
    /// that broke down a while ago is started again by the library.
    fn offer(&self, engine: usize, request: Request) -> Result<(), Request> {
        match self.engines[engine].inner().get_sender(None) {
            // One request per lane: the engine's queue never fills.
            Ok(sender) => sender.try_send(request).map_err(|error| match error {
                TrySendError::Full(request) | TrySendError::Closed(request) => request,
            }),
            Err(_) => Err(request),
        }
    }

    /// Waits until an engine that broke down can be started again. Nothing tells when its thread has
    /// ended, so that a thread of ours looks.
    fn start_again(self: &Arc<Self>, engine: usize, mut request: Request) {
        let pool = Arc::clone(self);
        let looking = move || {
            for _ in 0..RESTART_LOOKS {
                std::thread::sleep(RESTART_PAUSE);
                match pool.offer(engine, request) {
                    Ok(()) => return,
                    Err(again) => request = again,
                }
            }
            pool.close();
            drop(request);
        };
        if let Err(error) = std::thread::Builder::new().name("engine-restart".to_owned()).spawn(looking) {
            tracing::warn!(%error, "an engine that broke down could not be started again");
            self.close();
        }
    }

    fn close(&self) {
        // Their readers see their channels closed.
        let abandoned = {
            let mut state = self.state();
            state.closed = true;
            std::mem::take(&mut state.waiting)
        };
        drop(abandoned);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic happens while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to one running request. Dropping it gives the lane to the next request.
pub(super) struct EngineLease {
    pool: Arc<EnginePool>,
    engine: usize,
}

impl Drop for EngineLease {
    fn drop(&mut self) {
        let next = {
            let mut state = self.pool.state();
            let next = loop {
                match state.waiting.pop_front() {
                    Some(wanting) if wanting.log.is_cancelled() => {}
                    next => break next,
                }
            };
            if next.is_none() {
                state.free.push(self.engine);
            }
            next
        };
        let Some(wanting) = next else { return };
        if std::thread::panicking() {
            // This is the engine's thread, and it is about to end.
            let lease = EngineLease { pool: Arc::clone(&self.pool), engine: self.engine };
            self.pool.start_again(self.engine, (wanting.make)(lease));
        } else {
            self.pool.start(self.engine, wanting);
        }
    }
}

fn stopped() -> ModelError {
    ModelError::Failed("the engine stopped".to_owned())
}
