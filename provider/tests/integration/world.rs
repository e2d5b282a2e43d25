//! A relay, a provider and askers, on real sockets.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use frlm_protocol::{
    Audience, Cancellation, Feedback, FeedbackStatus, JobRequest, JobResult, Mode, RefusalReason, kinds,
};
use frlm_provider::{Provider, ProviderConfig, ProviderEvent, ProviderHandle, ProviderStats};
use frlm_relay::{ConnectOptions, Connection, Incoming, Publisher, RelayMessage};
use nostr::{Event, EventId, Filter, Keys, PublicKey, RelayUrl, Timestamp};
use tokio::sync::broadcast;

use crate::engine::GatedModel;
use crate::relay::TestRelay;

/// How long a test waits for anything before it fails.
pub const TIMEOUT: Duration = Duration::from_secs(30);

pub async fn patiently<T>(what: &str, future: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(TIMEOUT, future).await;
    ended.unwrap_or_else(|_| panic!("{what} did not happen in time"))
}

/// One relay and one provider.
pub struct World {
    pub relay: TestRelay,
    pub provider: ProviderHandle,
    pub keys: Keys,
    events: broadcast::Receiver<ProviderEvent>,
}

impl World {
    pub async fn new(model: &GatedModel) -> Self {
        Self::with(model, |_| {}).await
    }

    pub async fn with(model: &GatedModel, change: impl FnOnce(&mut ProviderConfig)) -> Self {
        Self::connected(model, change, quick_options()).await
    }

    pub async fn connected(
        model: &GatedModel,
        change: impl FnOnce(&mut ProviderConfig),
        options: ConnectOptions,
    ) -> Self {
        let relay = TestRelay::start().await;
        let keys = Keys::generate();
        let mut config = ProviderConfig::default();
        change(&mut config);
        let relays = [relay.url()];
        let model = Arc::new(model.clone());
        let provider = Provider::start_with(config, keys.clone(), &relays, options, model).await.unwrap();
        let events = provider.events();
        Self { relay, provider, keys, events }
    }

    pub fn key(&self) -> PublicKey {
        self.keys.public_key()
    }

    pub async fn asker(&self) -> Asker {
        Asker::connect(&self.relay.url(), self.key()).await
    }

    /// Waits for an event of the provider; earlier ones are passed over.
    pub async fn event(&mut self, what: &str, matches: impl Fn(&ProviderEvent) -> bool) -> ProviderEvent {
        patiently(what, async {
            loop {
                let event = self.events.recv().await.unwrap();
                if matches(&event) {
                    return event;
                }
            }
        })
        .await
    }

    pub async fn until_stats(
        &self,
        what: &str,
        matches: impl FnMut(&ProviderStats) -> bool,
    ) -> ProviderStats {
        let mut stats = self.provider.watch_stats();
        *patiently(what, stats.wait_for(matches)).await.unwrap()
    }
}

/// One more provider on a relay that runs already.
pub async fn start(relay: &RelayUrl, keys: &Keys, model: &GatedModel) -> ProviderHandle {
    let (config, relays) = (ProviderConfig::default(), std::slice::from_ref(relay));
    Provider::start_with(config, keys.clone(), relays, quick_options(), Arc::new(model.clone()))
        .await
        .unwrap()
}

pub fn quick_options() -> ConnectOptions {
    ConnectOptions {
        first_retry: Duration::from_millis(20),
        longest_retry: Duration::from_millis(100),
        read_limits: false,
        ..ConnectOptions::default()
    }
}

/// What an asker hears about a job.
#[derive(Debug, Clone)]
pub enum Reply {
    Result(JobResult, Box<Event>),
    Feedback(Feedback),
}

/// A key with its own connection.
pub struct Asker {
    pub keys: Keys,
    pub publisher: Publisher,
    incoming: Incoming,
    provider: PublicKey,
    unread: HashMap<EventId, VecDeque<Reply>>,
}

impl Asker {
    pub async fn connect(relay: &RelayUrl, provider: PublicKey) -> Self {
        Self::with_keys(Keys::generate(), relay, provider).await
    }

    pub async fn with_keys(keys: Keys, relay: &RelayUrl, provider: PublicKey) -> Self {
        let relays = std::slice::from_ref(relay);
        let options = ConnectOptions { auth_keys: Some(keys.clone()), ..quick_options() };
        let (publisher, incoming) = Connection::connect(relays, options).await.unwrap();
        let replies = Filter::new().kinds([kinds::JOB_RESULT, kinds::JOB_FEEDBACK]).pubkey(keys.public_key());
        publisher.subscribe("replies", vec![replies]).await;
        Self { keys, publisher, incoming, provider, unread: HashMap::new() }
    }

    /// Sends an encrypted job to the provider.
    pub async fn ask(&self, request: &JobRequest) -> Event {
        self.ask_as(request, Audience::Directed(self.provider)).await
    }

    pub async fn ask_as(&self, request: &JobRequest, audience: Audience) -> Event {
        let event = request.to_event(audience, &self.keys, Timestamp::now()).unwrap();
        self.publish(&event).await;
        event
    }

    pub async fn publish(&self, event: &Event) {
        patiently("publishing", self.publisher.publish(event)).await.unwrap();
    }

    /// Takes a job back, signed by `keys`.
    pub async fn cancel(&self, job: &Event, keys: &Keys) {
        let audience = Audience::Directed(self.provider);
        let event = Cancellation { job: job.id }.to_event(audience, keys, Timestamp::now()).unwrap();
        self.publish(&event).await;
    }

    /// The next thing that is said about a job.
    pub async fn reply(&mut self, job: &Event) -> Reply {
        patiently("a reply", async {
            loop {
                if let Some(reply) = self.unread.get_mut(&job.id).and_then(VecDeque::pop_front) {
                    return reply;
                }
                let RelayMessage::Event(event) = self.incoming.recv().await.unwrap() else { continue };
                assert_eq!(event.pubkey, self.provider);
                let (id, reply) = if event.kind == kinds::JOB_RESULT {
                    let received = JobResult::from_event(&event, &self.keys).unwrap();
                    (received.job, Reply::Result(received.result, event))
                } else {
                    let received = Feedback::from_event(&event, &self.keys).unwrap();
                    (received.job, Reply::Feedback(received.feedback))
                };
                self.unread.entry(id).or_default().push_back(reply);
            }
        })
        .await
    }

    /// Whether anything that has come so far is about a job.
    pub fn has_heard_of(&self, job: &Event) -> bool {
        self.unread.contains_key(&job.id)
    }

    /// The result; feedback before it is passed over unless it ends the job.
    pub async fn result(&mut self, job: &Event) -> JobResult {
        self.result_event(job).await.0
    }

    pub async fn result_event(&mut self, job: &Event) -> (JobResult, Event) {
        loop {
            match self.reply(job).await {
                Reply::Result(result, event) => return (result, *event),
                Reply::Feedback(feedback) => {
                    let over = matches!(feedback.status, FeedbackStatus::Error | FeedbackStatus::Cancelled);
                    assert!(!over, "{feedback:?}");
                }
            }
        }
    }

    /// The feedback of this status; others before it are passed over, a result is not.
    pub async fn feedback(&mut self, job: &Event, status: FeedbackStatus) -> Feedback {
        loop {
            match self.reply(job).await {
                Reply::Feedback(feedback) if feedback.status == status => return feedback,
                Reply::Feedback(..) => {}
                Reply::Result(result, _) => panic!("a result instead of {status:?}: {result:?}"),
            }
        }
    }

    /// The reason for which a job is refused or has failed.
    pub async fn refusal(&mut self, job: &Event) -> RefusalReason {
        self.feedback(job, FeedbackStatus::Error).await.reason.unwrap()
    }
}

pub fn request(instruction: &str, inputs: &[&str]) -> JobRequest {
    JobRequest {
        max_tokens: Some(64),
        profile: Some("1".to_owned()),
        ..JobRequest::over(instruction, inputs.iter().copied(), Mode::Together)
    }
}

pub fn texts(result: &JobResult) -> Vec<&str> {
    result.answers.iter().map(|answer| answer.text.as_str()).collect()
}
