//! An answer that comes in parts: that somebody answers, how far it is, and the answer once it is verified. Nothing that is
//! not verified is ever shown. All parts have the id of the run.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use frlm_client::run::StartOptions;
use frlm_client::util::clock::unix_secs;
use futures::{Stream, StreamExt as _, stream};
use tokio::sync::watch;

use super::chat::answer::{Answered, Interface};
use super::chat::{Asked, Shape};
use super::progress::Progress;
use super::refusal::Refusal;
use super::service::Service;

/// Where nothing else is to be said, a comment comes this often, so that nobody on the way gives up.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

type Answering = Pin<Box<dyn Future<Output = Result<Answered, Refusal>> + Send>>;

/// What happens to a question that is being asked.
enum Step {
    Progress(Progress),
    Answered(Box<Result<Answered, Refusal>>),
}

/// Asks, and tells of it.
pub fn answer(
    service: Arc<Service>,
    asked: Asked,
    interface: Interface,
    shape: Shape,
    with_usage: bool,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let run = StartOptions::default();
    let chunks = interface.chunks(&run.id(), unix_secs());
    let (sender, progress) = watch::channel(Progress::default());
    // A caller that goes away drops it, which stops the run.
    let answering: Answering = Box::pin(async move { service.answer_as(asked, run.keys, sender).await });
    let begin = chunks.begin();
    let steps = stream::unfold(Some((answering, progress)), next).flat_map(move |step| {
        let parts = match step {
            Step::Progress(progress) => chunks.progress(&progress.in_words()).into_iter().collect(),
            Step::Answered(answered) => match *answered {
                Ok(answered) => chunks.end(&answered, &shape, with_usage),
                Err(refusal) => vec![refusal.body()],
            },
        };
        stream::iter(parts)
    });
    let parts = stream::iter([begin]).chain(steps).map(|part| Event::default().data(part.to_string()));
    let done = stream::iter([Event::default().data("[DONE]")]);
    Sse::new(parts.chain(done).map(Ok)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

type Asking = (Answering, watch::Receiver<Progress>);

/// The next step. What was verified before the answer is told before it.
async fn next(asking: Option<Asking>) -> Option<(Step, Option<Asking>)> {
    let (mut answering, mut progress) = asking?;
    tokio::select! {
        biased;
        Ok(()) = progress.changed() => {
            let seen = *progress.borrow_and_update();
            Some((Step::Progress(seen), Some((answering, progress))))
        }
        answered = &mut answering => Some((Step::Answered(Box::new(answered)), None)),
    }
}
