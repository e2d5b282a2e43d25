//! A run under way, as its front end holds it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use frlm_conductor::run::control::{Control, RunCommand};
use frlm_conductor::trace::TraceRecord;
use frlm_questions::answer::Answer;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::start::Started;
use crate::failure::{Failure, code};

/// A run under way. It goes on by itself until it ends, or until [`RunHandle::done`] is dropped.
pub struct RunHandle {
    /// The run's id.
    pub id: String,
    /// Everything that happens. Who does not want to know drops it.
    pub events: mpsc::UnboundedReceiver<TraceRecord>,
    /// Stops the run and gives it orders.
    pub control: RunControl,
    /// The answer, or why there is none.
    pub done: RunDone,
}

impl RunHandle {
    /// Lets a wired run go. `held` is dropped when the run has ended.
    pub(super) fn launch(
        id: String,
        started: Started,
        held: impl Send + 'static,
        cancel: CancellationToken,
    ) -> Self {
        let Started { run, watch, venues } = started;
        let control = RunControl { cancel: cancel.clone(), orders: run.control() };
        let task = tokio::spawn(async move {
            let outcome = Box::pin(run.execute(cancel)).await;
            for venue in venues {
                venue.shutdown().await;
            }
            drop(held);
            outcome.map_err(|error| Failure::with_code(error.exit_code(), error))
        });
        Self { id, events: watch, control, done: RunDone(AbortOnDropHandle::new(task)) }
    }
}

/// Stops a run and gives it orders. Clones control the same run.
#[derive(Clone)]
pub struct RunControl {
    cancel: CancellationToken,
    orders: Control,
}

impl RunControl {
    /// Stops the run tidily: what is verified stays, and it can be resumed.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Gives an order; `false` if the run has ended or takes none.
    pub fn order(&self, order: RunCommand) -> bool {
        self.orders.give(order)
    }
}

/// Resolves to the answer of a run. Dropping it stops the run at once; its wallet and ledger are settled when the run is
/// resumed.
pub struct RunDone(AbortOnDropHandle<Result<Answer, Failure>>);

impl RunDone {
    /// Stops the run at once, and returns when nothing of it is left in this process.
    pub async fn abort(self) {
        self.0.abort();
        // It was aborted, or had ended before.
        let _ = self.0.await;
    }
}

impl Future for RunDone {
    type Output = Result<Answer, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(match ready!(Pin::new(&mut self.0).poll(context)) {
            Ok(outcome) => outcome,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(Failure::with_code(
                code::INTERRUPTED,
                "this program ends; frlm runs resume continues the \
                                                           run",
            )),
        })
    }
}
