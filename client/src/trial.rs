//! One small job to one provider: whether it answers, how fast, and what it says. It is signed with a
//! key of its own, holds nothing of the user's, and pays nobody.

use std::sync::Arc;
use std::time::{Duration, Instant};

use frlm_conductor::swarm::{OutgoingJob, Swarm, SwarmEvent, Ticket};
use frlm_protocol::{FeedbackStatus, Mode, RefusalReason, printable};
use frlm_questions::dialect::Prompt;
use frlm_relay::{ConnectOptions, Connection};
use frlm_wallet::Msats;
use nostr::{Keys, RelayUrl, Timestamp};
use tokio::sync::mpsc;

use crate::swarm::nostr::NostrSwarm;

/// How long a provider has.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Events that may wait: the directory of a large relay comes along.
const QUEUE: usize = 1_024;
/// The longest answer that is shown, in characters.
const LONGEST: usize = 300;
/// The record that is sent, and the word in it that is asked for.
const RECORD: &str = "trial=1 status=ready";
const EXPECTED: &str = "ready";
const TICKET: Ticket = Ticket::at(0, 0);

/// How a small job that was sent to one provider stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    /// It is out.
    Busy,
    /// It was answered.
    Answered {
        /// From sending to the result.
        took_ms: u64,
        /// What it said.
        said: String,
        /// Whether that holds the word that was asked for.
        right: bool,
        /// Tokens that the provider counted.
        tokens: u64,
    },
    /// The provider is there and works for pay only, which a trial does not promise.
    WantsPay {
        /// From sending to its words.
        took_ms: u64,
        /// Its own words.
        said: String,
    },
    /// The provider is there and did not take it.
    Refused {
        /// From sending to its words.
        took_ms: u64,
        /// Its own words.
        said: String,
    },
    /// No answer: why.
    Failed(String),
}

/// What is sent: a record to copy a field from, or the same as an instruction.
fn prompt(records_only: bool) -> Prompt {
    let (instruction, mode) = if records_only {
        ("copy status", Mode::Each)
    } else {
        ("Which value does \"status\" have in this record? Answer with that one word.", Mode::Together)
    };
    Prompt {
        instruction: instruction.to_owned(),
        inputs: vec![RECORD.to_owned()],
        mode,
        max_tokens: 24,
        constraint: None,
    }
}

/// Sends the job and waits for what becomes of it.
pub async fn attempt(relays: &[RelayUrl], provider: &str, records_only: bool) -> Trial {
    let keys = Keys::generate();
    let options = ConnectOptions { auth_keys: Some(keys.clone()), ..ConnectOptions::default() };
    let (publisher, incoming) = match Connection::connect(relays, options).await {
        Ok(connection) => connection,
        Err(error) => return Trial::Failed(printable(&error.to_string()).into_owned()),
    };
    let (events_in, mut events) = mpsc::channel(QUEUE);
    let swarm = NostrSwarm::start(keys, publisher, incoming, events_in, Timestamp::now(), &[]).await;
    let began = Instant::now();
    swarm
        .submit(OutgoingJob {
            ticket: TICKET,
            provider: provider.into(),
            prompt: Arc::new(prompt(records_only)),
            bid: Msats::ZERO,
            payment: None,
            foreign: false,
            expires_in_secs: TIMEOUT.as_secs(),
            shown: None,
        })
        .await;
    let outcome = async {
        while let Some(event) = events.recv().await {
            if let Some(trial) = judge(event, began) {
                return trial;
            }
        }
        Trial::Failed("the relay connection ended".to_owned())
    };
    let trial = tokio::time::timeout(TIMEOUT, outcome).await;
    if trial.is_err() {
        swarm.cancel(TICKET).await;
    }
    swarm.shutdown().await;
    trial.unwrap_or_else(|_| Trial::Failed(format!("it did not answer within {} s", TIMEOUT.as_secs())))
}

/// What an event says of the trial; `None`: it goes on.
fn judge(event: SwarmEvent, began: Instant) -> Option<Trial> {
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    match event {
        SwarmEvent::Result { answers, usage, .. } => {
            let tokens = usage.prompt_tokens.saturating_add(usage.completion_tokens);
            let said = answers.into_iter().map(|answer| answer.text).collect::<Vec<_>>().join(" ");
            let right = said.to_lowercase().contains(EXPECTED);
            Some(Trial::Answered { took_ms, said: clipped(&said), right, tokens })
        }
        SwarmEvent::SendFailed { reason, .. } => Some(Trial::Failed(clipped(&reason))),
        SwarmEvent::Feedback { status: FeedbackStatus::PaymentRequired, detail, .. }
        | SwarmEvent::Feedback { reason: Some(RefusalReason::BidTooLow), detail, .. } => {
            Some(Trial::WantsPay { took_ms, said: clipped(&detail.unwrap_or_default()) })
        }
        SwarmEvent::Feedback {
            status: FeedbackStatus::Error | FeedbackStatus::Cancelled, detail, ..
        } => Some(Trial::Refused { took_ms, said: clipped(&detail.unwrap_or_default()) }),
        _ => None,
    }
}

fn clipped(text: &str) -> String {
    printable(text.trim()).chars().take(LONGEST).collect()
}
