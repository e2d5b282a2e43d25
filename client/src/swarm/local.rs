//! The user's own model as a venue: local runs and the fallback (seeds/frlm-architecture.md,
//! "LocalExecutor"). It takes the same jobs as a provider and answers by the same events.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use frlm_conductor::swarm::{
    LOCAL_PROVIDER, OutgoingJob, ProviderId, ProviderInfo, Swarm, SwarmEvent, Tariff, Ticket,
};
use frlm_inference::{Constraint, GenerationRequest, LanguageModel, ModelError, Usage};
use frlm_protocol::{JobAnswer, ModelIdentity, OutputConstraint};
use frlm_questions::dialect::Prompt;
use frlm_wallet::Msats;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Runs jobs on a model in this process or at the user's endpoint.
#[derive(Debug)]
pub struct LocalVenue {
    model: Arc<dyn LanguageModel>,
    events: mpsc::Sender<SwarmEvent>,
    /// Its id as a provider.
    name: ProviderId,
    price_per_1k: Msats,
    slots: Arc<Semaphore>,
    tasks: TaskTracker,
    all: CancellationToken,
    running: Arc<Mutex<HashMap<Ticket, CancellationToken>>>,
}

impl LocalVenue {
    /// A venue over a loaded model; its events go to `events`.
    pub fn new(model: Arc<dyn LanguageModel>, events: mpsc::Sender<SwarmEvent>) -> Self {
        let slots = Arc::new(Semaphore::new(model.info().in_flight.max(1)));
        Self {
            model,
            events,
            name: LOCAL_PROVIDER.into(),
            price_per_1k: Msats(0),
            slots,
            tasks: TaskTracker::new(),
            all: CancellationToken::new(),
            running: Arc::default(),
        }
    }

    /// The same under another name, for an endpoint of the user's that is not this machine, at a price that is
    /// accounted and never paid from here.
    #[must_use]
    pub fn named(mut self, name: &str, price_per_1k: Msats) -> Self {
        self.name = name.into();
        self.price_per_1k = price_per_1k;
        self
    }

    /// How the run sees this venue.
    pub fn provider(&self) -> ProviderInfo {
        let info = self.model.info();
        ProviderInfo {
            id: Arc::clone(&self.name),
            name: match &*self.name {
                LOCAL_PROVIDER => "this machine".to_owned(),
                name => name.to_owned(),
            },
            model: ModelIdentity { name: info.name.clone(), weights_hash: info.weights_hash.clone() },
            dialect: info.dialect,
            context_tokens: info.context_tokens,
            speed: None,
            workers: u32::try_from(info.concurrency).unwrap_or(1),
            queue_length: 0,
            tariff: Tariff::per_1k(self.price_per_1k),
            trusted: true,
            escrow: None,
            flat_price: None,
            pow_bits: 0,
            blob_bytes: 0,
        }
    }
}

#[async_trait]
impl Swarm for LocalVenue {
    async fn submit(&self, job: OutgoingJob) {
        let token = self.all.child_token();
        let ticket = job.ticket;
        lock(&self.running).insert(ticket, token.clone());
        let (model, events, slots) = (Arc::clone(&self.model), self.events.clone(), Arc::clone(&self.slots));
        let running = Arc::clone(&self.running);
        self.tasks.spawn(async move {
            let work = async {
                let _slot = slots.acquire_owned().await;
                answer(model.as_ref(), &job.prompt).await
            };
            // Dropping the work drops the generation, which stops the engine.
            let outcome = tokio::select! {
                () = token.cancelled() => None,
                outcome = work => Some(outcome),
            };
            lock(&running).remove(&ticket);
            let event = match outcome {
                None => return,
                Some(Ok((answers, usage))) => {
                    let info = model.info();
                    let identity =
                        ModelIdentity { name: info.name.clone(), weights_hash: info.weights_hash.clone() };
                    let (reference, job) = (LOCAL_PROVIDER.to_owned(), LOCAL_PROVIDER.to_owned());
                    SwarmEvent::Result { ticket, answers, model: Some(identity), usage, reference, job }
                }
                Some(Err(error)) => SwarmEvent::SendFailed { ticket, reason: error.to_string() },
            };
            // A closed channel means that the run has ended.
            let _ = events.send(event).await;
        });
    }

    async fn cancel(&self, ticket: Ticket) {
        if let Some(token) = lock(&self.running).remove(&ticket) {
            token.cancel();
        }
    }

    async fn shutdown(&self) {
        self.all.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// The map holds no invariant that a panic could break.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(model: &dyn LanguageModel, prompt: &Prompt) -> Result<(Vec<JobAnswer>, Usage), ModelError> {
    let request = |text: &String| {
        let mut request = GenerationRequest::greedy(text, prompt.max_tokens as usize);
        request.constraint = prompt.constraint.clone().filter(|_| model.info().constraints).map(
            |constraint| match constraint {
                OutputConstraint::JsonSchema(schema) => Constraint::JsonSchema(schema),
                OutputConstraint::Regex(regex) => Constraint::Regex(regex),
                OutputConstraint::Lark(grammar) => Constraint::Lark(grammar),
            },
        );
        request
    };
    let prompts = prompt.texts();
    let mut answers = Vec::with_capacity(prompts.len());
    let mut usage = Usage::default();
    for batch in prompts.chunks(model.preferred_batch_size().max(1)) {
        for answer in model.generate_all(batch.iter().map(request).collect()).await? {
            usage += answer.usage;
            answers.push(JobAnswer {
                confidence: answer.probability(),
                reasoning: answer.reasoning,
                text: answer.text,
                // Nobody audits their own machine.
                commitment: None,
            });
        }
    }
    Ok((answers, usage))
}
