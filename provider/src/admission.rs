//! Whether a job is taken: a pure function of the job, the operator's settings and the load.
//!
//! Reasons that will not change (what is asked) come before those that will (how much there is to
//! do), so that an asker never retries what can never succeed. The words of a refusal name the fix
//! and never quote the job: relays show them to everyone.

use std::time::Duration;

use frlm_inference::{Constraint, Dialect, ModelInfo};
use frlm_protocol::limits::MAX_PLAINTEXT_BYTES;
use frlm_protocol::{Audience, JobRequest, OutputConstraint, ReceivedJob, RefusalReason, one_line};
use frlm_verifier::SelfCheck;
use nostr::Timestamp;

use crate::config::ProviderConfig;
use crate::prompt;

/// Nobody is told to come back later than this.
const LONGEST_RETRY_SECS: u64 = 600;
/// Bytes around each answer in a result: its braces, names and confidence.
const BYTES_AROUND_ANSWER: usize = 40;
/// First words of what a model that copies fields is trained for (docs/decisions/0002-one-record-per-prompt.md).
const RECORD_TASKS: [&str; 4] = ["copy", "plan", "same", "better"];

/// Why a job is refused or has failed, in words for its asker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// For programs.
    pub reason: RefusalReason,
    /// For people; quotes nothing of the job.
    pub detail: String,
    /// In how many seconds the job may be sent again, where that helps.
    pub retry_after_secs: Option<u32>,
    /// Bits of proof of work with which it would be taken now.
    pub pow_bits: Option<u8>,
}

impl Refusal {
    pub(crate) fn new(reason: RefusalReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into(), retry_after_secs: None, pow_bits: None }
    }

    /// The same, for a job that may be sent again after so many seconds: at least one, and at most ten minutes, after which
    /// all may be otherwise.
    pub(crate) fn until(self, secs: f64) -> Self {
        let wait = Duration::try_from_secs_f64(secs.ceil()).map_or(LONGEST_RETRY_SECS, |wait| wait.as_secs());
        let secs = u32::try_from(wait.clamp(1, LONGEST_RETRY_SECS)).ok();
        Self { retry_after_secs: secs, ..self }
    }
}

/// What admission depends on besides the job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State<'a> {
    pub(crate) config: &'a ProviderConfig,
    pub(crate) model: &'a ModelInfo,
    /// Prompts that are answered before the last one of this job is, those of this job left out: others have their turns
    /// only as long as it has them.
    pub(crate) prompts_ahead: usize,
    /// How long one prompt takes, once that is known.
    pub(crate) prompt_duration: Option<Duration>,
    /// The engine has rested so long that one job may show whether it is quicker than that.
    pub(crate) trial: bool,
    /// The asker's next job may be free.
    pub(crate) gives_away: bool,
    /// The provider is shutting down.
    pub(crate) stopping: bool,
}

/// What a job needs, found out while admitting it.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) prompts: usize,
    pub(crate) max_tokens: usize,
    /// Tokens that it reads and at most writes, all prompts together.
    pub(crate) work: u64,
    /// It is worked for without pay, as one of those that are given away.
    pub(crate) free: bool,
    /// It may be late, and shows how quick the engine is.
    pub(crate) trial: bool,
    /// For the engine; `None` where the engine enforces no constraints.
    pub(crate) constraint: Option<Constraint>,
    /// For the answers.
    pub(crate) self_check: SelfCheck,
}

/// Takes a job or says why not.
///
/// The queue's places and the askers' rates are state that admitting a job changes; they are the
/// session's and are asked last.
pub(crate) fn admit(job: &ReceivedJob, state: &State<'_>, now: Timestamp) -> Result<Admitted, Refusal> {
    if state.stopping {
        return Err(Refusal::new(RefusalReason::ShuttingDown, "the provider is shutting down"));
    }
    supported(job, state)?;
    right_model(job, state)?;
    let max_tokens = fits(job, state)?;
    let (constraint, self_check) = constraint(job, state)?;
    let prompts = prompt::count(&job.request);
    let free = is_free(job, state, max_tokens.saturating_mul(prompts))?;
    let trial = in_time(job, state, prompts, now)?;
    let tokens = max_tokens.saturating_mul(prompts).saturating_add(prompt::total_tokens(&job.request));
    let work = u64::try_from(tokens).unwrap_or(u64::MAX).max(1);
    Ok(Admitted { prompts, max_tokens, work, free, trial, constraint, self_check })
}

fn supported(job: &ReceivedJob, state: &State<'_>) -> Result<(), Refusal> {
    let unsupported = |detail: String| Err(Refusal::new(RefusalReason::Unsupported, detail));
    if job.audience == Audience::Open && !state.config.accept_open_jobs {
        return unsupported("this provider takes no open jobs; encrypt the job to its key".to_owned());
    }
    if let Some(source) = prompt::unsupported_source(&job.request) {
        return unsupported(format!("an input names {source}; this provider reads text inputs only"));
    }
    if prompt::is_empty(&job.request) {
        return unsupported("the job has neither an instruction nor an input".to_owned());
    }
    if state.model.dialect == Dialect::Records && !is_for_records(&job.request) {
        let detail =
            "this provider's model only copies fields of records; ask a provider with a general model";
        return unsupported(detail.to_owned());
    }
    if job.request.max_tokens == Some(0) {
        return unsupported("max_tokens is 0; ask for at least 1".to_owned());
    }
    Ok(())
}

/// Whether a model that only copies fields can do this.
fn is_for_records(request: &JobRequest) -> bool {
    let input = request.inputs.first().map_or("", |input| input.data.as_str());
    let instruction = if request.instruction.is_empty() { input } else { &request.instruction };
    let task = instruction.split(|mark: char| mark.is_whitespace()).next().unwrap_or_default();
    RECORD_TASKS.contains(&task)
}

fn right_model(job: &ReceivedJob, state: &State<'_>) -> Result<(), Refusal> {
    match &job.request.model {
        Some(wanted) if !wanted.eq_ignore_ascii_case(&state.model.name) => Err(Refusal::new(
            RefusalReason::WrongModel,
            format!("this provider runs {}; name that or no model", state.model.name),
        )),
        _ => Ok(()),
    }
}

/// The bound on tokens per answer.
fn fits(job: &ReceivedJob, state: &State<'_>) -> Result<usize, Refusal> {
    let too_large = |detail: String| Err(Refusal::new(RefusalReason::TooLarge, detail));
    let inputs = job.request.inputs.len();
    if inputs > state.config.max_inputs {
        return too_large(format!(
            "{inputs} inputs; this provider takes at most {}",
            state.config.max_inputs
        ));
    }
    let least_bytes = prompt::count(&job.request).saturating_mul(BYTES_AROUND_ANSWER);
    if job.is_profile() && least_bytes > MAX_PLAINTEXT_BYTES {
        let most = MAX_PLAINTEXT_BYTES / BYTES_AROUND_ANSWER;
        return too_large(format!(
            "{inputs} answers fit into no result, and {most} at most do; split the job"
        ));
    }
    let prompt_tokens = prompt::largest_tokens(&job.request);
    if let Some(limit) = state.config.max_prompt_tokens
        && prompt_tokens > limit
    {
        return too_large(format!(
            "a prompt has about {prompt_tokens} tokens; this provider takes at most {limit}"
        ));
    }
    let context = state.model.context_tokens;
    let room = context.saturating_sub(prompt_tokens);
    if room == 0 {
        return too_large(format!("a prompt has about {prompt_tokens} tokens; the model reads {context}"));
    }
    // The prompt's size is an estimate that errs low, so a limit of our own choice leaves slack.
    let safe_room = room.div_ceil(2);
    match job.request.max_tokens.map(|tokens| usize::try_from(tokens).unwrap_or(usize::MAX)) {
        None => Ok(state.config.default_answer_tokens.min(safe_room)),
        // Foreign clients often ask for far more than they need: for them it is an upper bound.
        Some(tokens) if tokens > room && !job.is_profile() => Ok(safe_room),
        Some(tokens) if tokens > room => too_large(format!(
            "a prompt of about {prompt_tokens} tokens and an answer of {tokens} exceed the model's {context}"
        )),
        Some(tokens) => Ok(tokens),
    }
}

fn constraint(job: &ReceivedJob, state: &State<'_>) -> Result<(Option<Constraint>, SelfCheck), Refusal> {
    let constraint = job.request.constraint.as_ref().map(|constraint| match constraint {
        OutputConstraint::JsonSchema(schema) => Constraint::JsonSchema(schema.clone()),
        OutputConstraint::Regex(pattern) => Constraint::Regex(pattern.clone()),
        OutputConstraint::Lark(grammar) => Constraint::Lark(grammar.clone()),
    });
    if matches!(constraint, Some(Constraint::Lark(_))) && !state.model.constraints {
        let detail = "this engine enforces no grammars; use a JSON schema or a regular expression";
        return Err(Refusal::new(RefusalReason::Unsupported, detail));
    }
    let expects_json = job.is_profile()
        && job
            .request
            .output
            .as_deref()
            .is_some_and(|output| output.eq_ignore_ascii_case("application/json"));
    let self_check = SelfCheck::new(constraint.as_ref(), expects_json).map_err(|error| {
        // The error quotes the constraint, over several lines; it is the provider's log that wants it.
        tracing::debug!(job = %job.id, error = %one_line(&error.to_string()), "unusable constraint");
        let detail = "the constraint cannot be compiled: it has a mistake, needs look-around, or names \
                      other documents";
        Refusal::new(RefusalReason::Unsupported, detail)
    })?;
    Ok((constraint.filter(|_| state.model.constraints), self_check))
}

/// Whether a job is given away, which costs its asker part of the day's share; others must bid their price.
fn is_free(job: &ReceivedJob, state: &State<'_>, answer_tokens: usize) -> Result<bool, Refusal> {
    let price_msats = state.config.price_of(&job.request, answer_tokens, state.model.dialect);
    let bid_msats = job.request.bid_msats.unwrap_or(0);
    if bid_msats >= price_msats {
        return Ok(false);
    }
    // An asker that has locked sats has not asked for a free job, and wants a refund.
    if state.gives_away && job.request.payment.is_none() {
        return Ok(true);
    }
    let gave = state.config.free_jobs_per_day > 0 && !state.gives_away;
    let why = if gave { "today's free jobs are used up, and " } else { "" };
    let sats = price_msats / 1000;
    let detail = format!("{why}the job may cost up to {sats} sats; bid as much, or lower max_tokens");
    Err(Refusal::new(RefusalReason::BidTooLow, detail))
}

/// Whether a job is taken although it may be late.
fn in_time(job: &ReceivedJob, state: &State<'_>, prompts: usize, now: Timestamp) -> Result<bool, Refusal> {
    let (Some(expires_at), Some(each)) = (job.request.expires_at, state.prompt_duration) else {
        return Ok(false);
    };
    let remaining_secs = expires_at.as_secs().saturating_sub(now.as_secs());
    let turns = (state.prompts_ahead + prompts).div_ceil(state.model.concurrency.max(1));
    let estimate = each.as_secs_f64() * turns as f64;
    let late = estimate > remaining_secs as f64;
    if late && !state.trial {
        let detail = format!("it would take about {estimate:.0} s and the job expires in {remaining_secs} s");
        let refusal = Refusal::new(RefusalReason::TooLate, detail);
        // What waits before it goes by; what it needs itself does not.
        let alone = each.as_secs_f64() * prompts.div_ceil(state.model.concurrency.max(1)) as f64;
        let passes = alone <= remaining_secs as f64;
        return Err(if passes { refusal.until(estimate - remaining_secs as f64) } else { refusal });
    }
    Ok(late)
}

#[cfg(test)]
mod tests;
