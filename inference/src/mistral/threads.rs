//! One thread per small engine.
//!
//! candle and mistral.rs split every matrix product over rayon's global pool. For a model of a few
//! megabytes the split costs more than the product: each call from outside the pool queues a job,
//! wakes a worker and sleeps, hundreds of times per token, and two engines queue behind each other.
//! rayon runs a parallel iterator inline when it is called from a pool with one thread, so each small
//! engine's own thread becomes the only member of a pool of its own. There is no need for
//! `RAYON_NUM_THREADS`, which would have to be set before the process starts.

use std::cell::OnceCell;

thread_local! {
    /// The pool of this thread. rayon never frees it, so it must be made once.
    static POOL: OnceCell<Option<rayon::ThreadPool>> = const { OnceCell::new() };
}

/// Makes the calling thread the only member of its own rayon pool, once.
///
/// Must be called on the engine's thread; requests do so from their logits processor.
pub(super) fn keep_on_this_thread() {
    POOL.with(|pool| {
        pool.get_or_init(|| {
            match rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build() {
                Ok(pool) => Some(pool),
                Err(error) => {
                    // A thread that already belongs to a pool stays there: slower, not wrong.
                    tracing::debug!(%error, "the engine keeps the shared thread pool");
                    None
                }
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use rayon::iter::{IntoParallelIterator, ParallelIterator};

    use super::*;

    #[test]
    fn parallel_work_stays_on_the_engine_thread() {
        let seen = std::thread::spawn(|| {
            keep_on_this_thread();
            keep_on_this_thread();
            let here = std::thread::current().id();
            (0..1000).into_par_iter().all(|_| std::thread::current().id() == here)
        });
        assert!(seen.join().expect("the thread ends"));
    }
}
