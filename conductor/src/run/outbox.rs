//! What a run writes, and what may leave once that is on disk: one step after another, in the order in which the loop decided on
//! them.
//!
//! ```text
//!  loop ─► push ─► step ─► step ─► step ─► next ─► loop: booked, said, sent
//!                   │ failed
//!                   └─► no step behind it happens: nothing leaves that is not written down
//! ```
//!
//! The loop of a run waits for no disk. While one is slow, cancellation, orders and the deadline have their turn, and nothing
//! new leaves. Mints have tasks of their own (the `money::mints` module).

use std::future::Future;
use std::path::PathBuf;

use tokio::sync::oneshot;

use super::RunError;
use super::beside::Beside;
use crate::store::StoreError;

/// What a step does, as far as the loop asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It reserves sats for jobs. What comes meanwhile is reserved together.
    Reserve,
    /// It ends reservations. What ends meanwhile is written together.
    End,
    /// Anything else.
    Other,
}

/// Steps on their way, each with a result `T`. Dropping this aborts them.
#[derive(Debug)]
pub(super) struct Outbox<T> {
    steps: Beside<Step, Result<T, Halted>>,
    /// Tells when the latest step has succeeded; closed if it has failed.
    latest: oneshot::Receiver<()>,
}

/// Why a step was not done.
#[derive(Debug)]
enum Halted {
    /// It failed.
    Failed(RunError),
    /// An earlier step failed.
    Skipped,
}

impl<T> Default for Outbox<T> {
    fn default() -> Self {
        Self { steps: Beside::default(), latest: succeeded() }
    }
}

impl<T: Send + 'static> Outbox<T> {
    /// Adds a step, which begins once all before it have succeeded.
    pub fn push(&mut self, step: impl Future<Output = Result<T, RunError>> + Send + 'static) {
        self.push_as(Step::Other, step);
    }

    /// The same for a step that may be asked for.
    pub fn push_as(&mut self, which: Step, step: impl Future<Output = Result<T, RunError>> + Send + 'static) {
        let (success, latest) = oneshot::channel();
        let before = std::mem::replace(&mut self.latest, latest);
        self.steps.begin(which, async move {
            if before.await.is_err() {
                return Err(Halted::Skipped);
            }
            let done = step.await.map_err(Halted::Failed)?;
            // Nobody may be behind it.
            let _ = success.send(());
            Ok(done)
        });
    }

    /// Does something at once that depends on nothing on its way.
    pub fn do_now(&mut self, step: impl Future<Output = T> + Send + 'static) {
        self.steps.begin(Step::Other, async move { Ok(step.await) });
    }

    /// Whether nothing is on its way.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether such a step is on its way.
    pub fn holds(&self, which: Step) -> bool {
        self.steps.any(which)
    }

    /// What the next step came to, or why it failed; `None` if nothing is on its way. Nothing is lost if this is dropped.
    pub async fn next(&mut self) -> Option<Result<T, RunError>> {
        loop {
            return Some(match self.steps.next().await? {
                Ok(Ok(done)) => Ok(done),
                Ok(Err(Halted::Failed(error))) => Err(error),
                Ok(Err(Halted::Skipped)) => continue,
                Err(_) => {
                    let reason = "a step of the run broke off".to_owned();
                    Err(StoreError::Write { path: PathBuf::new(), reason }.into())
                }
            });
        }
    }

    /// After a failure: steps that are added from now on happen. To be called once nothing is on its way.
    pub fn mend(&mut self) {
        self.latest = succeeded();
    }
}

fn succeeded() -> oneshot::Receiver<()> {
    let (success, latest) = oneshot::channel();
    // Its receiver is here.
    let _ = success.send(());
    latest
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::*;

    /// Steps that note that they happened, and the notes.
    fn noted() -> (Outbox<u8>, Arc<Mutex<Vec<u8>>>) {
        (Outbox::default(), Arc::default())
    }

    #[tokio::test(start_paused = true)]
    async fn steps_happen_in_their_order_however_long_each_takes() {
        let (mut outbox, notes) = noted();
        for (number, millis) in [(1, 50), (2, 1), (3, 20)] {
            let notes = Arc::clone(&notes);
            outbox.push(async move {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                notes.lock().unwrap().push(number);
                Ok(number)
            });
        }
        outbox.do_now(async { 9 });
        let mut told = Vec::new();
        while let Some(done) = outbox.next().await {
            told.push(done.unwrap());
        }
        assert_eq!((told, notes.lock().unwrap().clone()), (vec![9, 1, 2, 3], vec![1, 2, 3]));
        assert!(outbox.is_empty());
    }

    #[tokio::test]
    async fn nothing_happens_behind_a_failed_step_until_it_is_mended() {
        let (mut outbox, notes) = noted();
        let note = |number: u8| {
            let notes = Arc::clone(&notes);
            async move {
                notes.lock().unwrap().push(number);
                Ok(number)
            }
        };
        outbox.push(note(1));
        outbox.push(async { Err(RunError::Interrupted("run".to_owned())) });
        outbox.push(note(2));
        assert!(matches!(outbox.next().await, Some(Ok(1))));
        outbox.push(note(3));
        assert!(matches!(outbox.next().await, Some(Err(RunError::Interrupted(_)))));
        assert!(outbox.next().await.is_none());
        outbox.mend();
        outbox.push(note(4));
        assert!(matches!(outbox.next().await, Some(Ok(4))));
        assert_eq!(*notes.lock().unwrap(), [1, 4]);
    }

    #[tokio::test]
    async fn a_step_is_on_its_way_until_it_is_done_or_skipped() {
        let mut outbox = Outbox::default();
        outbox.push_as(Step::Reserve, async { Err(RunError::Interrupted("run".to_owned())) });
        outbox.push_as(Step::End, async { Ok(1_u8) });
        assert!(outbox.holds(Step::Reserve) && outbox.holds(Step::End) && !outbox.holds(Step::Other));
        assert!(matches!(outbox.next().await, Some(Err(RunError::Interrupted(_)))));
        assert!(!outbox.holds(Step::Reserve));
        assert!(outbox.next().await.is_none());
        assert!(!outbox.holds(Step::End), "the next one may begin");
    }
}
