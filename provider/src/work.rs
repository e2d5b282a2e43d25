//! The work on one job: prompts in, checked answers out.
//!
//! Dropping the future stops the engine: every generation is a stream that cancels itself when it is
//! dropped. Slots of the engine are permits held by generations, not by jobs, so that a job with many
//! inputs uses idle slots and gives them back between prompts.

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{
    Answer, Chunk, Dialect, GenerationRequest, LanguageModel, Message, ModelError, Sampling, Usage,
};
use frlm_protocol::limits::MAX_PLAINTEXT_BYTES;
use frlm_protocol::{
    Attestation, BuildError, JobAnswer, JobRequest, JobResult, ModelIdentity, ReceivedJob, RefusalReason,
    Validate,
};
use frlm_verifier::attested::Confirmation;
use frlm_verifier::consensus::{Judge, ModelJudge};
use frlm_verifier::{Candidate, SelfCheckFailure};
use frlm_wallet::{Msats, Sats};
use futures::{StreamExt, TryStreamExt, stream};
use nostr::{Keys, Timestamp};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::admission::Refusal;
use crate::commit::Committing;
use crate::config::ProviderConfig;
use crate::metered::Metered;
use crate::payments::Payments;
use crate::prompt;
use crate::queue::Rank;
use crate::session::{Answered, Outcome, Ticket, Took};
use crate::slots::Slots;

/// What every job's work shares.
#[derive(Debug)]
pub(crate) struct JobExecutor {
    config: ProviderConfig,
    keys: Keys,
    model: Arc<dyn LanguageModel>,
    slots: Slots,
    /// Checks pay before work; `None` for those who work for nothing.
    payments: Option<Arc<Payments>>,
}

/// Tokens that a job reads and writes at most before another one has its turn; a prompt is never divided.
const TOKENS_PER_TURN: usize = 4_096;
/// What a model that only copies fields answers to any other instruction (docs/decisions/0002-one-record-per-prompt.md).
const NOT_UNDERSTOOD: &str = "?";

/// What an engine is asked at the start to show how quickly it is, how much it may write, and how long it has.
const TRIAL: &str = include_str!("trial.txt");
const TRIAL_TOKENS: usize = 32;
const TRIAL_LIMIT: Duration = Duration::from_secs(30);
/// Pieces of a text from which on they show how quickly it is written.
const FEWEST_PIECES: usize = 4;

/// Why a job gave no answer.
#[derive(Debug, thiserror::Error)]
enum WorkError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("answer {number} of {count}: {failure}")]
    SelfCheck { number: usize, count: usize, failure: SelfCheckFailure },
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("the job expired while it ran")]
    Expired,
    #[error("the job held the engine for {} s", .0.as_secs())]
    TooSlow(Duration),
    #[error("{}", .0.detail)]
    Unpaid(Refusal),
    #[error("{}", .0.detail)]
    NoRoom(Refusal),
    #[error("the engine is gone")]
    Closed,
    #[error("the model does not understand the instruction")]
    NotUnderstood,
    #[error("the answers take {0} bytes before the last one is written")]
    Oversized(usize),
}

/// One checked answer.
struct Piece {
    /// Of its prompt.
    index: usize,
    answer: JobAnswer,
    usage: Usage,
    engine_time: Duration,
    /// What it took, where it was watched.
    took: Option<Took>,
}

impl JobExecutor {
    pub(crate) fn new(
        config: ProviderConfig,
        keys: Keys,
        model: Arc<dyn LanguageModel>,
        payments: Option<Arc<Payments>>,
    ) -> Self {
        let slots = Slots::new(model.info().in_flight.max(1));
        Self { config, keys, model, slots, payments }
    }

    /// Works on a job until it is answered, fails, or is stopped. When this returns, the engine does
    /// nothing for the job any more.
    pub(crate) async fn run(&self, ticket: Ticket, stop: CancellationToken) -> Outcome {
        let work = async {
            let (limit, at_limit) = self.time_limit(&ticket.job);
            tokio::time::timeout(limit, self.answer(&ticket)).await.unwrap_or(Err(at_limit))
        };
        let ended = tokio::select! {
            biased;
            () = stop.cancelled() => return Outcome::Stopped,
            ended = work => ended,
        };
        match ended {
            Ok(answered) => Outcome::Answered(Box::new(answered)),
            Err(WorkError::NoRoom(refusal)) => Outcome::Waits(Box::new(ticket), refusal),
            Err(error) => Outcome::Failed(for_the_asker(&error), error.to_string()),
        }
    }

    /// Has the engine write a few words, to see how quickly it reads and writes; `None` where it does not show.
    pub(crate) async fn try_out(&self) -> Option<Took> {
        let _slot = self.slots.take().await?;
        let request = GenerationRequest::greedy(TRIAL, TRIAL_TOKENS);
        match tokio::time::timeout(TRIAL_LIMIT, self.generate_watched(request)).await {
            Ok(Ok((_, took))) => Some(took),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the engine could not be tried");
                None
            }
            Err(_) => None,
        }
    }

    fn time_limit(&self, job: &ReceivedJob) -> (Duration, WorkError) {
        let longest = self.config.max_job_duration;
        let left = job
            .request
            .expires_at
            .map(|end| Duration::from_secs(end.as_secs().saturating_sub(Timestamp::now().as_secs())));
        match left {
            Some(left) if left < longest => (left, WorkError::Expired),
            _ => (longest, WorkError::TooSlow(longest)),
        }
    }

    async fn answer(&self, ticket: &Ticket) -> Result<Answered, WorkError> {
        let paid = self.check_pay(ticket).await?;
        let _at_work = (ticket.rank > Rank::Guest).then(|| self.slots.begin_paid());
        let started = Instant::now();
        let prompts = prompt::prompts(&ticket.job.request);
        let count = prompts.len();
        let committing = Committing::of(&ticket.job, self.model.info());
        let in_flight = self.model.info().in_flight.max(1);
        // A job alone is shared out among the idle slots. Where other jobs keep them busy it is answered in one
        // go, as far as the engine likes: each handful wakes a reader, which costs the engine time.
        let idle = self.slots.idle().max(1);
        let each = usize::try_from(ticket.needs.work).unwrap_or(usize::MAX) / count.max(1);
        let in_turn = (TOKENS_PER_TURN / each.max(1)).max(1);
        // Guests give the engine back after each prompt: jobs that pay may come meanwhile.
        let most =
            if self.is_guest(ticket) { 1 } else { self.model.preferred_batch_size().clamp(1, in_turn) };
        let batch = count.div_ceil(idle).clamp(1, most);
        let mut numbered = prompts.into_iter().enumerate();
        let handfuls = std::iter::from_fn(|| {
            let taken: Vec<_> = numbered.by_ref().take(batch).collect();
            (!taken.is_empty()).then_some(taken)
        });
        // Unordered, so that a slow prompt leaves no slot idle; the answers are put in order below.
        let mut pieces: Vec<Piece> = stream::iter(handfuls)
            .map(|prompts| self.pieces(ticket, &committing, count, prompts))
            .buffer_unordered(in_flight)
            .try_fold(Vec::new(), |mut pieces, more| {
                pieces.extend(more);
                std::future::ready(fits_so_far(&pieces).map(|()| pieces))
            })
            .await?;
        if self.model.info().dialect == Dialect::Records
            && pieces.iter().all(|piece| piece.answer.text.trim() == NOT_UNDERSTOOD)
        {
            return Err(WorkError::NotUnderstood);
        }
        pieces.sort_unstable_by_key(|piece| piece.index);
        let duration = started.elapsed();

        let mut usage = Usage::default();
        let attestation = match &ticket.job.request.validate {
            None => None,
            Some(shown) => {
                let (attestation, compared) = self.attest(&ticket.job.request, shown, &pieces).await;
                usage += compared;
                Some(attestation)
            }
        };
        let mut engine_time = Duration::ZERO;
        let took = pieces.iter().find_map(|piece| piece.took);
        let mut answers = Vec::with_capacity(count);
        for piece in pieces {
            usage += piece.usage;
            engine_time += piece.engine_time;
            answers.push(piece.answer);
        }
        committing.choose(&mut answers);
        let confidence = answers.iter().filter_map(|answer| answer.confidence).reduce(f64::min);
        let info = self.model.info();
        let price_msats = self.config.price_msats(usage.prompt_tokens, usage.completion_tokens);
        // What is in escrow was agreed before; otherwise tokens count, up to the bid.
        let amount_msats = match paid.and_then(Sats::to_msats) {
            Some(agreed) => agreed.0,
            None if ticket.needs.free => 0,
            None => price_msats.min(ticket.job.request.bid_msats.unwrap_or(0)),
        };
        // A verdict is all that was asked for.
        let answers = if attestation.is_some() { Vec::new() } else { answers };
        let result = JobResult {
            answers,
            model: Some(ModelIdentity { name: info.name.clone(), weights_hash: info.weights_hash.clone() }),
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            attestation,
            amount_msats: (amount_msats > 0).then_some(amount_msats),
        };
        let event = result.to_event(&ticket.job, &self.keys, Timestamp::now())?;
        let payer = match &self.payments {
            Some(payments) if paid.is_some() => payments.payer(&ticket.job).await,
            _ => None,
        };
        Ok(Answered { event, usage, amount_msats, confidence, duration, engine_time, took, payer })
    }

    /// What this provider's own answers say of those that it is shown, and what comparing them took. A model that can
    /// judge is asked where two texts differ in words alone.
    async fn attest(&self, request: &JobRequest, shown: &Validate, own: &[Piece]) -> (Attestation, Usage) {
        let own: Vec<String> = own.iter().map(|piece| piece.answer.text.clone()).collect();
        let model = Arc::new(Metered::new(Arc::clone(&self.model)));
        let judge = (self.model.info().dialect == Dialect::Json)
            .then(|| ModelJudge::new(Arc::clone(&model) as Arc<dyn LanguageModel>));
        // Comparing takes the engine as writing does, one pair after the other.
        let _slot = if judge.is_some() { self.slots.take().await } else { None };
        let judge = judge.as_ref().map(|judge| judge as &dyn Judge);
        let found = Confirmation::of(&own, &shown.answers, judge).await;
        let attestation = Attestation {
            result: shown.result,
            digest: request.digest(),
            confirmed: found.confirmed,
            shown: found.shown,
        };
        (attestation, model.used())
    }

    /// Whether a job has to leave the engine to those that pay.
    fn is_guest(&self, ticket: &Ticket) -> bool {
        self.config.is_paid() && ticket.rank == Rank::Guest
    }

    /// Waits until a job that waits for credit may have room.
    pub(crate) async fn room_made(&self) {
        match &self.payments {
            Some(payments) => payments.room_made().await,
            None => std::future::pending().await,
        }
    }

    /// The price that is locked for this job, before any work is done for it; nothing for what is given away.
    async fn check_pay(&self, ticket: &Ticket) -> Result<Option<Sats>, WorkError> {
        let Some(payments) = self.payments.as_ref().filter(|_| !ticket.needs.free) else { return Ok(None) };
        let answers = ticket.needs.max_tokens.saturating_mul(ticket.needs.prompts);
        let price = self.config.price_of(&ticket.job.request, answers, self.model.info().dialect);
        let price = Msats(price).ceil_to_sats();
        payments.check(&ticket.job, price).await.map(Some).map_err(|turned| {
            if turned.for_now { WorkError::NoRoom(turned.refusal) } else { WorkError::Unpaid(turned.refusal) }
        })
    }

    /// Answers some of a job's prompts, each with its number, in one slot of the engine.
    async fn pieces(
        &self,
        ticket: &Ticket,
        committing: &Committing,
        count: usize,
        prompts: Vec<(usize, String)>,
    ) -> Result<Vec<Piece>, WorkError> {
        let slot =
            if self.is_guest(ticket) { self.slots.take_as_guest().await } else { self.slots.take().await };
        let slot = slot.ok_or(WorkError::Closed)?;
        let started = Instant::now();
        let request = |(_, prompt): &(usize, String)| GenerationRequest {
            messages: vec![Message::user(prompt.as_str())],
            max_tokens: ticket.needs.max_tokens,
            sampling: sampling(&ticket.job.request),
            constraint: ticket.needs.constraint.clone(),
            top_logprobs: committing.top_logprobs(),
            stop: Vec::new(),
        };
        let mut took = None;
        let answers = match prompts.as_slice() {
            [only] if count == 1 && ticket.job.is_profile() => {
                let (answer, watched) = self.generate_watched(request(only)).await?;
                took = Some(watched);
                vec![answer]
            }
            [only] => vec![self.model.generate(request(only)).await?],
            several => {
                let requests = several.iter().map(request).collect();
                self.model.generate_all(requests).await?
            }
        };
        if answers.len() != prompts.len() {
            let odd = format!("the engine gave {} answers to {} prompts", answers.len(), prompts.len());
            return Err(ModelError::Failed(odd).into());
        }
        let engine_time = started.elapsed() / u32::try_from(prompts.len()).unwrap_or(u32::MAX).max(1);
        drop(slot);
        prompts
            .into_iter()
            .zip(answers)
            .map(|((index, prompt), answer)| {
                let commitment = committing.commitment(index, &answer);
                let mut piece = Self::checked(ticket, (index, count), &prompt, answer, engine_time)?;
                piece.answer.commitment = commitment;
                piece.took = took;
                Ok(piece)
            })
            .collect()
    }

    /// An answer, once it has passed the provider's own check.
    fn checked(
        ticket: &Ticket,
        (index, count): (usize, usize),
        prompt: &str,
        mut answer: Answer,
        engine_time: Duration,
    ) -> Result<Piece, WorkError> {
        if ticket.needs.self_check.expects_json() {
            answer.text = unfenced(&answer.text).to_owned();
        }
        let candidate = Candidate {
            prompt,
            text: &answer.text,
            finish: answer.finish,
            max_tokens: ticket.needs.max_tokens,
        };
        ticket.needs.self_check.check(candidate).map_err(|failure| WorkError::SelfCheck {
            number: index + 1,
            count,
            failure,
        })?;
        let confidence = answer.probability();
        let usage = answer.usage;
        Ok(Piece {
            index,
            answer: JobAnswer {
                text: answer.text,
                reasoning: answer.reasoning,
                confidence,
                commitment: None,
            },
            usage,
            engine_time,
            took: None,
        })
    }

    /// Generates, and says what reading and writing took.
    async fn generate_watched(&self, request: GenerationRequest) -> Result<(Answer, Took), ModelError> {
        let began = Instant::now();
        let mut chunks = self.model.stream(request).await?;
        let (mut first, mut pieces) = (None::<Instant>, 0_usize);
        while let Some(chunk) = chunks.next().await {
            match chunk? {
                Chunk::Done(answer) => {
                    let mut took = Took::default();
                    if let Some(first) = first {
                        (took.read, took.reading) = (answer.usage.prompt_tokens, first - began);
                    }
                    if let Some(first) = first.filter(|_| pieces >= FEWEST_PIECES) {
                        (took.written, took.writing) =
                            (answer.usage.completion_tokens.saturating_sub(1), first.elapsed());
                    }
                    return Ok((answer, took));
                }
                Chunk::Reasoning(_) | Chunk::Text(_) => {}
            }
            pieces += 1;
            first.get_or_insert_with(Instant::now);
        }
        Err(ModelError::Failed("the engine ended its stream without an answer".to_owned()))
    }
}

/// Whether answers may still fit into one result: work that nobody can be sent is not done to its end.
fn fits_so_far(pieces: &[Piece]) -> Result<(), WorkError> {
    let bytes = pieces.iter().map(|piece| piece.answer.text.len()).sum();
    if bytes > MAX_PLAINTEXT_BYTES { Err(WorkError::Oversized(bytes)) } else { Ok(()) }
}

/// Greedy unless the job asks for a temperature; values that no engine takes are left to the engine.
fn sampling(request: &JobRequest) -> Sampling {
    match request.temperature {
        Some(temperature) if temperature > 0.0 && temperature.is_finite() => Sampling {
            temperature,
            top_p: request.top_p.filter(|top_p| *top_p > 0.0 && *top_p <= 1.0),
            top_k: request.top_k.and_then(|top_k| usize::try_from(top_k).ok()).filter(|top_k| *top_k > 0),
        },
        _ => Sampling::GREEDY,
    }
}

/// The text inside a Markdown code fence, which chat models like to put around JSON.
fn unfenced(text: &str) -> &str {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match inner.and_then(|inner| inner.split_once('\n')) {
        Some((language, body)) if language.trim().chars().all(char::is_alphanumeric) => body.trim(),
        _ => text,
    }
}

/// What the asker learns. Words of engines and answers stay here: relays show feedback to everyone.
fn for_the_asker(error: &WorkError) -> Refusal {
    let (reason, detail) = match error {
        WorkError::Model(ModelError::TooLong { needed, available }) => (
            RefusalReason::TooLarge,
            format!("prompt and answer need {needed} tokens, the model reads {available}"),
        ),
        WorkError::Model(ModelError::Invalid(_) | ModelError::Unsupported { .. }) => {
            (RefusalReason::Unsupported, "the engine cannot serve this request's parameters".to_owned())
        }
        WorkError::Model(_) | WorkError::Closed => {
            (RefusalReason::EngineFailed, "the engine failed; try another provider".to_owned())
        }
        WorkError::SelfCheck { number, count, failure } => {
            (RefusalReason::SelfCheckFailed, format!("answer {number} of {count} {}", failure.summary()))
        }
        WorkError::Build(BuildError::TooLarge { size, limit, .. }) => (
            RefusalReason::TooLarge,
            format!("the answers take {size} bytes and {limit} fit into one result; split the job"),
        ),
        WorkError::Oversized(_) => (
            RefusalReason::TooLarge,
            format!(
                "the answers take more than the {MAX_PLAINTEXT_BYTES} bytes that fit into one result; split the job"
            ),
        ),
        WorkError::NotUnderstood => (
            RefusalReason::Unsupported,
            "this provider's model does not understand the instruction; ask one with a general model"
                .to_owned(),
        ),
        WorkError::Build(_) => (RefusalReason::EngineFailed, "the result could not be written".to_owned()),
        WorkError::Unpaid(refusal) | WorkError::NoRoom(refusal) => return refusal.clone(),
        WorkError::Expired => (RefusalReason::TooLate, "the job expired while it ran".to_owned()),
        WorkError::TooSlow(limit) => (
            RefusalReason::EngineFailed,
            format!("the job took longer than this provider's {} s; split it", limit.as_secs()),
        ),
    };
    Refusal::new(reason, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use frlm_protocol::Mode;

    #[test]
    fn jobs_without_a_temperature_are_greedy() {
        let mut job = request("x", &[], Mode::Together);
        job.top_k = Some(5);
        assert_eq!(sampling(&job), Sampling::GREEDY);
        job.temperature = Some(0.0);
        assert_eq!(sampling(&job), Sampling::GREEDY);
        job.temperature = Some(0.7);
        job.top_p = Some(0.0);
        assert_eq!(sampling(&job), Sampling { temperature: 0.7, top_p: None, top_k: Some(5) });
    }

    #[test]
    fn a_code_fence_around_json_is_taken_off() {
        for (text, inner) in [
            ("```json\n{\"a\":1}\n```", "{\"a\":1}"),
            ("\n```\n[1]\n```\n", "[1]"),
            ("{\"a\":\"```\"}", "{\"a\":\"```\"}"),
            ("```", "```"),
            ("```json {} ```", "```json {} ```"),
        ] {
            assert_eq!(unfenced(text), inner, "{text}");
        }
    }

    #[test]
    fn the_asker_never_reads_the_engines_words() {
        let secret = "http://10.0.0.7:8080";
        let error = WorkError::Model(ModelError::Unavailable {
            endpoint: secret.to_owned(),
            reason: "refused".to_owned(),
        });
        assert!(error.to_string().contains(secret));
        assert!(!for_the_asker(&error).detail.contains(secret));
    }
}
