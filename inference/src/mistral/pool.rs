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
//! third as long again, with the engine idle; so whoever waits is handed over by the engine itself.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mistralrs::Model;
use mistralrs::core::Request;

use super::sampler::StepLog;
use crate::ModelError;

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
    /// An engine is gone: nobody is kept waiting for it.
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

    /// How many requests run at a time.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// How many lanes nobody holds now.
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
        self.start(engine, wanting)
    }

    fn start(self: &Arc<Self>, engine: usize, wanting: Wanting) -> Result<(), ModelError> {
        let request = (wanting.make)(EngineLease { pool: Arc::clone(self), engine });
        let sender = self.engines[engine].inner().get_sender(None).map_err(|_| stopped());
        // One request per lane: the engine's queue never fills.
        let sent = sender.and_then(|sender| sender.try_send(request).map_err(|_| stopped()));
        if sent.is_err() {
            // Their readers see their channels closed.
            let abandoned = {
                let mut state = self.state();
                state.closed = true;
                std::mem::take(&mut state.waiting)
            };
            drop(abandoned);
        }
        sent
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic happens while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to one running request. Dropping it gives the lane to whoever waits.
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
        if let Some(wanting) = next
            && let Err(error) = self.pool.start(self.engine, wanting)
        {
            tracing::debug!(%error, "a waiting request found no engine");
        }
    }
}

fn stopped() -> ModelError {
    ModelError::Failed("the engine stopped".to_owned())
}
