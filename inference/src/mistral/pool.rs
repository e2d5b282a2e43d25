//! Engines that share one model, and who may use which.

use std::sync::{Arc, Mutex, PoisonError};

use mistralrs::Model;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ModelError;

/// Engines with the same weights. A *lane* is the right to one running request on one engine: a
/// single-threaded engine has one, a batching engine has as many as its batch.
pub(super) struct EnginePool {
    engines: Vec<Model>,
    /// The engine of every lane nobody holds: as many as the semaphore has permits.
    free: Mutex<Vec<usize>>,
    permits: Arc<Semaphore>,
    lanes: usize,
}

impl EnginePool {
    pub fn new(engines: Vec<Model>, lanes_each: usize) -> Arc<Self> {
        // Neighbouring lanes belong to different engines, so that light load spreads.
        let free: Vec<usize> = (0..lanes_each).flat_map(|_| (0..engines.len()).rev()).collect();
        let lanes = free.len();
        Arc::new(Self { engines, free: Mutex::new(free), permits: Arc::new(Semaphore::new(lanes)), lanes })
    }

    /// How many requests run at a time.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// How many lanes nobody holds now.
    pub fn free_lanes(&self) -> usize {
        self.permits.available_permits()
    }

    /// Waits for a lane; first come, first served.
    pub async fn lease(self: &Arc<Self>) -> Result<EngineLease, ModelError> {
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(|_| ModelError::Failed("the engine was shut down".to_owned()))?;
        let engine = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or(0);
        Ok(EngineLease { pool: Arc::clone(self), engine, _permit: permit })
    }
}

/// The right to one running request. Dropping it frees the lane.
pub(super) struct EngineLease {
    pool: Arc<EnginePool>,
    engine: usize,
    // Released after `Drop::drop`, so the lane is back in the list before anyone can ask for it.
    _permit: OwnedSemaphorePermit,
}

impl EngineLease {
    pub fn engine(&self) -> &Model {
        &self.pool.engines[self.engine]
    }
}

impl Drop for EngineLease {
    fn drop(&mut self) {
        self.pool.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.engine);
    }
}
