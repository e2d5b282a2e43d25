//! Real inference for training: roles that differ in their prompt and, where one is given a model of its own, in their
//! model, at two venues that differ in price and time. Both venues are the product's (`frlm_conductor::swarm`): an
//! engine in this process, and providers behind an embedded relay. One task at a time goes to a venue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use frlm_conductor::route::{Terms, roles};
use frlm_conductor::swarm::{OutgoingJob, ProviderId, ProviderInfo, Swarm, SwarmEvent, Ticket};
use frlm_inference::{Dialect, LanguageModel};
use frlm_learning::routing::space::Space;
use frlm_learning::routing::{Availability, Execution, NoAnswer, Task, VenueId, Workers};
use frlm_protocol::{FeedbackStatus, Mode, ModelIdentity, RefusalReason};
use frlm_questions::dialect::Prompt;
use frlm_scheduler::ProviderIndex;
use frlm_wallet::Msats;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use tokio::sync::{Mutex, mpsc};

use super::constraints::{Needs, Offer, RoleSet};
use super::providers::Providers;

/// A role: its name and how it puts a task to the model.
#[derive(Debug, Clone, Copy)]
pub struct Role {
    /// As in tables.
    pub name: &'static str,
    how: How,
}

#[derive(Debug, Clone, Copy)]
enum How {
    /// The word that the embedded model was trained to hear for this sort of task.
    Word(&'static str),
    /// What a general model is told to be.
    System(&'static str),
}

/// The roles of the embedded model: one word each, so that the wrong role gives a wrong answer.
const RECORDS: [Role; 4] = [
    Role { name: "copier", how: How::Word("copy") },
    Role { name: "planner", how: How::Word("plan") },
    Role { name: "comparer", how: How::Word("same") },
    Role { name: "chooser", how: How::Word("better") },
];

/// Tokens that a general model may write (section 2.2).
const MOST_WRITTEN: u32 = 768;

/// The roles of the source document (seeds/load-balanced-rl-workflow.md, section 2.1) for general models.
const GENERAL: [Role; 4] = [general(0), general(1), general(2), general(3)];

const fn general(at: usize) -> Role {
    let role = roles::SEED[at];
    Role { name: role.name, how: How::System(role.brief) }
}

/// The roles that suit a model's dialect.
pub fn of_dialect(dialect: Dialect) -> [Role; 4] {
    match dialect {
        Dialect::Records => RECORDS,
        Dialect::Json => GENERAL,
    }
}

impl Role {
    fn prompt(&self, task: &Task) -> Prompt {
        let (instruction, input) = match self.how {
            // `copy FIELDS` stands on one line, the record on the next.
            How::Word("copy") => match task.description.split_once('\n') {
                Some((fields, record)) => (format!("copy {fields}"), record.to_owned()),
                None => ("copy".to_owned(), task.description.clone()),
            },
            How::Word(word) => (word.to_owned(), task.description.clone()),
            How::System(words) => (words.to_owned(), task.description.clone()),
        };
        Prompt {
            instruction,
            inputs: vec![input],
            mode: Mode::Each,
            max_tokens: match self.how {
                How::Word(_) => 96,
                How::System(_) => MOST_WRITTEN,
            },
            constraint: None,
        }
    }
}

/// A model and the roles that it works in.
#[derive(Debug, Clone)]
pub struct Crew {
    /// As it was asked for.
    pub spec: String,
    /// Loaded, for the venue in this process.
    pub model: Arc<dyn LanguageModel>,
    /// Names of roles.
    pub roles: Vec<&'static str>,
}

/// What a venue's work costs and how long it takes by agreement, so that a training repeats itself.
#[derive(Debug, Clone, Copy)]
pub struct VenueTerms {
    /// As in tables.
    pub name: &'static str,
    /// Before the first token.
    pub overhead_secs: f64,
    /// For every token read or written.
    pub secs_per_token: f64,
}

/// A venue with its connection, as far as one model works there.
pub struct Venue {
    terms: VenueTerms,
    /// Names of the roles that this model takes on there.
    roles: Vec<&'static str>,
    swarm: Arc<dyn Swarm>,
    inbox: Mutex<Inbox>,
    up: AtomicBool,
}

struct Inbox {
    events: mpsc::Receiver<SwarmEvent>,
    /// Providers with other models are not of this place.
    model: ModelIdentity,
    infos: Vec<ProviderInfo>,
    providers: Providers,
    tickets: u32,
    lot: SmallRng,
}

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_mins(2);
/// What a job may cost at most.
const BID: Msats = Msats(1_000_000);

impl Venue {
    /// A venue whose events come through `events`, for the roles of `crew`.
    pub fn new(
        terms: VenueTerms,
        crew: &Crew,
        swarm: Arc<dyn Swarm>,
        events: mpsc::Receiver<SwarmEvent>,
        seed: u64,
    ) -> Self {
        let info = crew.model.info();
        let inbox = Inbox {
            events,
            model: ModelIdentity { name: info.name.clone(), weights_hash: info.weights_hash.clone() },
            infos: Vec::new(),
            providers: Providers::default(),
            tickets: 0,
            lot: SmallRng::seed_from_u64(seed),
        };
        let (roles, up) = (crew.roles.clone(), AtomicBool::new(false));
        Self { terms, roles, swarm, inbox: Mutex::new(inbox), up }
    }

    /// Waits until so many providers are there; how many came in time.
    pub async fn gather(&self, enough: usize, timeout: Duration) -> usize {
        let mut inbox = self.inbox.lock().await;
        let deadline = tokio::time::Instant::now() + timeout;
        while inbox.providers.len() < enough {
            let Ok(Some(event)) = tokio::time::timeout_at(deadline, inbox.events.recv()).await else { break };
            inbox.note(&event);
        }
        self.up.store(!inbox.providers.is_empty(), Ordering::SeqCst);
        inbox.providers.len()
    }

    /// Ends the connection.
    pub async fn shutdown(&self) {
        self.swarm.shutdown().await;
    }

    async fn execute(&self, prompt: Prompt, nominal: bool) -> Result<Execution, String> {
        let mut inbox = self.inbox.lock().await;
        while let Ok(event) = inbox.events.try_recv() {
            inbox.note(&event);
        }
        let result = inbox.ask(prompt, &*self.swarm).await;
        self.up.store(!inbox.providers.is_empty(), Ordering::SeqCst);
        let Answered { text, by, tokens, price_per_1k, took } = result?;
        let measured_secs = took.as_secs_f64();
        let nominal_secs = self.terms.overhead_secs + tokens as f64 * self.terms.secs_per_token;
        Ok(Execution {
            output: text,
            by,
            cost_msats: price_per_1k.0.saturating_mul(tokens).div_ceil(1_000),
            latency_secs: if nominal { nominal_secs } else { measured_secs },
            measured_secs,
        })
    }
}

struct Answered {
    text: String,
    by: String,
    tokens: u64,
    price_per_1k: Msats,
    took: Duration,
}

impl Inbox {
    /// Sends the prompt to a provider and waits for its answer.
    async fn ask(&mut self, prompt: Prompt, swarm: &dyn Swarm) -> Result<Answered, String> {
        let bytes = prompt.texts().iter().map(String::len).sum::<usize>();
        // A token is at least a byte: what fits by bytes fits.
        let tokens = u32::try_from(bytes).unwrap_or(u32::MAX).saturating_add(prompt.max_tokens);
        let needs = Needs { role: None, skills: 0, tokens, most_msats: BID.0, private: false };
        let picked =
            self.providers.pick(&needs, |_| true, &mut self.lot).map_err(|error| error.to_string())?;
        let info = self.infos.get(picked.0 as usize).cloned().ok_or("the provider is not known")?;
        let ticket = Ticket::at(self.tickets, 0);
        self.tickets += 1;
        self.providers.sent(picked);
        let began = Instant::now();
        let job = OutgoingJob {
            ticket,
            provider: info.id.clone(),
            prompt: Arc::new(prompt),
            bid: BID,
            payment: None,
            foreign: false,
            expires_in_secs: TIMEOUT.as_secs(),
            shown: None,
        };
        swarm.submit(job).await;
        let waited = tokio::time::timeout(TIMEOUT, self.answer_to(ticket, picked)).await;
        let took = began.elapsed();
        match waited {
            Ok(Ok((text, tokens))) => {
                self.providers.answered(picked, took.as_secs_f64());
                let by = format!("{} ({})", info.name, info.model.name);
                Ok(Answered { text, by, tokens, price_per_1k: info.tariff.dearest_per_1k(), took })
            }
            Ok(Err(reason)) => Err(reason),
            Err(_) => {
                swarm.cancel(ticket).await;
                self.providers.failed(picked);
                Err(format!("{} did not answer within {} s", info.name, TIMEOUT.as_secs()))
            }
        }
    }

    async fn answer_to(&mut self, wanted: Ticket, provider: ProviderIndex) -> Result<(String, u64), String> {
        while let Some(event) = self.events.recv().await {
            match event {
                SwarmEvent::Result { ticket, answers, usage, .. } if ticket == wanted => {
                    let tokens = usage.prompt_tokens.saturating_add(usage.completion_tokens);
                    let text = answers.into_iter().map(|answer| answer.text).collect::<Vec<_>>().join("\n");
                    return Ok((text, tokens));
                }
                SwarmEvent::SendFailed { ticket, reason } if ticket == wanted => {
                    self.providers.failed(provider);
                    return Err(reason);
                }
                SwarmEvent::Feedback { ticket, status, reason, detail, .. } if ticket == wanted => {
                    match status {
                        FeedbackStatus::Error
                        | FeedbackStatus::Cancelled
                        | FeedbackStatus::PaymentRequired => {
                            if reason == Some(RefusalReason::Busy) {
                                self.providers.refused(provider);
                            } else {
                                self.providers.failed(provider);
                            }
                            return Err(detail.unwrap_or_else(|| "it refused the job".to_owned()));
                        }
                        _ => {}
                    }
                }
                other => self.note(&other),
            }
        }
        Err("the venue closed its connection".to_owned())
    }

    fn note(&mut self, event: &SwarmEvent) {
        match event {
            SwarmEvent::ProviderSeen(info) if info.model == self.model => {
                let at = self.place(&info.id).unwrap_or_else(|| {
                    self.infos.push(info.clone());
                    self.infos.len() - 1
                });
                self.infos[at] = info.clone();
                let offer = Offer {
                    roles: RoleSet::default(),
                    skills: 0,
                    context_tokens: u32::try_from(info.context_tokens).unwrap_or(u32::MAX),
                    terms: Terms {
                        price_msats_per_1k: info.tariff.dearest_per_1k().0,
                        slots: info.workers.saturating_mul(2),
                    },
                    is_own_machine: info.trusted,
                };
                self.providers.upsert(index(at), offer);
            }
            SwarmEvent::ProviderGone(id) => {
                if let Some(at) = self.place(id) {
                    self.providers.remove(index(at));
                }
            }
            _ => {}
        }
    }

    fn place(&self, id: &ProviderId) -> Option<usize> {
        self.infos.iter().position(|info| info.id == *id)
    }
}

fn index(at: usize) -> ProviderIndex {
    ProviderIndex(u32::try_from(at).unwrap_or(u32::MAX))
}

/// All venues with the roles that work there.
pub struct Laboratory {
    /// Each venue once for every model that works there.
    pub venues: Vec<Venue>,
    /// In the order of the space's roles.
    pub roles: [Role; 4],
    /// Whether the venues' terms, not the clock, say how long an answer took.
    pub nominal: bool,
}

#[async_trait]
impl Workers for Laboratory {
    fn available(&self, space: &Space) -> Availability {
        let mut available = Availability::all(space);
        for (id, name) in (0..).map(VenueId).zip(space.venues()) {
            let here = || self.venues.iter().filter(|venue| venue.terms.name == name);
            let is_up = |venue: &Venue| venue.up.load(Ordering::SeqCst);
            if here().next().is_some() && !here().any(is_up) {
                available.close_venue(space, id);
            }
            let gone = here().filter(|venue| !is_up(venue)).flat_map(|venue| &venue.roles);
            for role in gone.filter_map(|role| space.role(role)) {
                available.close(space, role, id);
            }
        }
        available
    }

    async fn execute(&self, task: &Task, role: &str, venue: &str) -> Result<Execution, NoAnswer> {
        let no_answer = |reason: String| NoAnswer { venue: venue.to_owned(), reason };
        let role = self.roles.iter().find(|known| known.name == role);
        let works_there = |known: &&Venue| {
            known.terms.name == venue && role.is_some_and(|role| known.roles.contains(&role.name))
        };
        let place = self.venues.iter().find(works_there);
        let (Some(role), Some(place)) = (role, place) else {
            return Err(no_answer("there is no such role or venue".to_owned()));
        };
        place.execute(role.prompt(task), self.nominal).await.map_err(no_answer)
    }
}

#[cfg(test)]
#[path = "workers_tests.rs"]
mod tests;
