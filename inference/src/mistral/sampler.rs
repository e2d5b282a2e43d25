//! Drawing tokens, and the record of how likely each was.
//!
//! mistral.rs 0.8 draws well but reports badly: its log-probabilities are base 10, renormalised over
//! whatever top-k left (always 0 for greedy), minus infinity for the rivals, and lost for tokens that
//! end inside a letter of several bytes. Receipts and audits need the model's own ln p for every
//! token. So a logits processor, which sees each step's logits and all tokens so far, draws the token
//! itself, notes its ln p, and hands the engine logits in which only that token is left.
//!
//! The processor lives exactly as long as the engine works on the request. It therefore also carries
//! the engine lease: the engine counts as free when it is free.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mistralrs::{CustomLogitsProcessor, Device, Response, Tensor};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tokio::sync::mpsc;

use super::pool::EngineLease;
use super::threads;
use crate::Sampling;

/// One generated token.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub token: u32,
    /// ln p under the model's own distribution: temperature 1, before top-k, top-p and constraints.
    pub logprob: f32,
    /// The most likely tokens, best first.
    pub top: Vec<(u32, f32)>,
}

/// What the engine thread and the reader of a generation share.
#[derive(Debug)]
pub(super) struct StepLog(Mutex<Progress>);

#[derive(Debug)]
struct Progress {
    rng: SmallRng,
    prompt_tokens: usize,
    /// Tokens before the last recorded step, to recognise the second call of a constrained step.
    position: usize,
    /// ln of the sum of exp(logit) at the last step, before any constraint.
    normaliser: f32,
    steps: Vec<Step>,
    unread: Option<Unread>,
}

/// What is left of a reader that went away.
#[derive(Debug)]
struct Unread {
    /// Engine steps since then.
    steps: usize,
    /// Lives as long as the engine has the request: the engine breaks down over an answer, or an
    /// error, that it cannot deliver.
    _responses: Option<mpsc::Receiver<Response>>,
}

/// A copy of the log.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    pub prompt_tokens: usize,
    pub steps: Vec<Step>,
}

impl StepLog {
    pub fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Progress {
            rng: SmallRng::from_os_rng(),
            prompt_tokens: 0,
            position: 0,
            normaliser: 0.0,
            steps: Vec::new(),
            unread: None,
        })))
    }

    /// Tells the engine thread that nobody reads any more, and keeps its answers from falling into
    /// the void.
    pub fn cancel(&self, responses: mpsc::Receiver<Response>) {
        self.lock().unread = Some(Unread { steps: 0, _responses: Some(responses) });
    }

    /// Whether nobody reads any more.
    pub fn is_cancelled(&self) -> bool {
        self.lock().unread.is_some()
    }

    pub fn record(&self) -> Record {
        let log = self.lock();
        Record { prompt_tokens: log.prompt_tokens, steps: log.steps.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        // The engine thread cannot leave a step half written, so a poisoned lock is still good.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The logits processor of one request.
pub(super) struct TokenPicker {
    pub log: Arc<StepLog>,
    pub sampling: Sampling,
    pub top_logprobs: usize,
    pub end_tokens: Arc<[u32]>,
    pub single_threaded: bool,
    /// Held for its drop only.
    pub _lease: EngineLease,
    /// Held for its drop, after the lease's: a reader of several answers waits only for the last one.
    pub _at_work: Option<mpsc::Sender<Infallible>>,
}

impl CustomLogitsProcessor for TokenPicker {
    fn apply(&self, logits: &Tensor, context: &[u32]) -> mistralrs::Result<Tensor> {
        if self.single_threaded {
            threads::keep_on_this_thread();
        }
        let values: Vec<f32> = logits.to_vec1()?;
        let mut log = self.log.lock();
        if let Some(unread) = &mut log.unread {
            unread.steps += 1;
            // Ends like any other answer, which costs the requests beside it nothing. Where a constraint
            // forbids that, or the engine takes another token for the end, only an error helps.
            let end = self.end_tokens.first().map(|end| *end as usize);
            return match end.filter(|&end| values.get(end).is_some_and(|logit| logit.is_finite())) {
                Some(end) if unread.steps <= 2 => only(end, values.len()),
                _ => Err(candle_error("the reader of this generation went away")),
            };
        }
        if log.ended_before(context.len(), &self.end_tokens) {
            // A constraint ended with a token that the engine does not take for an end.
            return Err(candle_error("the turn has ended"));
        }
        let token = log.draw(&values, &self.sampling)?;
        log.note(&values, token, context.len(), self.top_logprobs);
        drop(log);
        only(token, values.len())
    }
}

impl Progress {
    /// Whether the token before this position ended the turn.
    fn ended_before(&self, position: usize, end_tokens: &[u32]) -> bool {
        position > self.position && self.steps.last().is_some_and(|step| end_tokens.contains(&step.token))
    }

    fn draw(&mut self, logits: &[f32], sampling: &Sampling) -> mistralrs::Result<usize> {
        if sampling.temperature <= 0.0 {
            let best = argmax(logits).filter(|&best| logits[best].is_finite());
            return best.ok_or_else(|| candle_error("the model produced no usable logits"));
        }
        let mut candidates: Vec<(usize, f64)> = probabilities(logits, sampling.temperature);
        if sampling.top_k.is_some() || sampling.top_p.is_some() {
            candidates.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
            candidates.truncate(sampling.top_k.unwrap_or(usize::MAX));
            candidates.truncate(nucleus(&candidates, sampling.top_p.unwrap_or(1.0)));
        }
        let total: f64 = candidates.iter().map(|(_, weight)| weight).sum();
        if !(total.is_finite() && total > 0.0) {
            return Err(candle_error("the model produced no usable logits"));
        }
        let mut remaining = self.rng.random::<f64>() * total;
        for &(token, weight) in &candidates {
            remaining -= weight;
            if remaining < 0.0 {
                return Ok(token);
            }
        }
        // Only rounding leads here.
        candidates.last().map(|&(token, _)| token).ok_or_else(|| candle_error("no token is left to draw"))
    }

    /// Records a drawn token. A constrained step asks twice at the same position, the second time
    /// with the forbidden tokens masked out: the token changes, the model's distribution does not.
    fn note(&mut self, logits: &[f32], token: usize, position: usize, top: usize) {
        let id = u32::try_from(token).unwrap_or(u32::MAX);
        if self.position == position
            && let Some(step) = self.steps.last_mut()
        {
            step.token = id;
            step.logprob = (logits[token] - self.normaliser).min(0.0);
            return;
        }
        if self.steps.is_empty() {
            self.prompt_tokens = position;
        }
        self.position = position;
        self.normaliser = log_sum_exp(logits);
        let normaliser = self.normaliser;
        self.steps.push(Step {
            token: id,
            logprob: (logits[token] - normaliser).min(0.0),
            top: strongest(logits, top)
                .into_iter()
                .map(|(id, logit)| (id, (logit - normaliser).min(0.0)))
                .collect(),
        });
    }
}

fn candle_error(what: &str) -> <mistralrs::Result<()> as IntoError>::Error {
    std::io::Error::other(what.to_owned()).into()
}

/// Names the error type of mistral.rs' tensor library, which it does not re-export.
pub(super) trait IntoError {
    type Error;
}

impl<T, E> IntoError for Result<T, E> {
    type Error = E;
}

fn argmax(values: &[f32]) -> Option<usize> {
    values.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(index, _)| index)
}

/// Unnormalised probabilities at a temperature above 0, without the masked tokens.
fn probabilities(logits: &[f32], temperature: f64) -> Vec<(usize, f64)> {
    let max = f64::from(logits.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    logits
        .iter()
        .enumerate()
        .filter(|(_, logit)| logit.is_finite())
        .map(|(token, &logit)| (token, ((f64::from(logit) - max) / temperature).exp()))
        .collect()
}

/// How many of the sorted candidates the nucleus of mass `top_p` holds; at least one.
fn nucleus(sorted: &[(usize, f64)], top_p: f64) -> usize {
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let mut mass = 0.0;
    let inside = sorted.iter().take_while(|(_, weight)| {
        let before = mass;
        mass += weight;
        before < top_p * total
    });
    inside.count().max(1)
}

pub(super) fn log_sum_exp(logits: &[f32]) -> f32 {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    max + logits.iter().map(|logit| (logit - max).exp()).sum::<f32>().ln()
}

pub(super) fn strongest(logits: &[f32], count: usize) -> Vec<(u32, f32)> {
    let count = count.min(logits.len());
    if count == 0 {
        return Vec::new();
    }
    let mut order: Vec<(u32, f32)> = (0..).zip(logits.iter().copied()).collect();
    order.select_nth_unstable_by(count - 1, |a, b| b.1.total_cmp(&a.1));
    order.truncate(count);
    order.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
    order
}

/// Logits that leave one token possible.
fn only(token: usize, vocabulary: usize) -> mistralrs::Result<Tensor> {
    let mut values = vec![f32::NEG_INFINITY; vocabulary];
    values[token] = 0.0;
    Tensor::from_vec(values, vocabulary, &Device::Cpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(seed: u64) -> Progress {
        Progress {
            rng: SmallRng::seed_from_u64(seed),
            prompt_tokens: 0,
            position: 0,
            normaliser: 0.0,
            steps: Vec::new(),
            unread: None,
        }
    }

    fn drawn(sampling: Sampling, logits: &[f32]) -> Vec<usize> {
        let mut progress = progress(1);
        (0..2000).map(|_| progress.draw(logits, &sampling).expect("usable logits")).collect()
    }

    #[test]
    fn greedy_takes_the_most_likely_token() {
        assert!(drawn(Sampling::GREEDY, &[0.0, 3.0, 1.0]).iter().all(|&token| token == 1));
    }

    #[test]
    fn tokens_are_drawn_as_often_as_they_are_likely() {
        let sampling = Sampling { temperature: 1.0, top_p: None, top_k: None };
        let logits = [0.75_f32.ln(), 0.25_f32.ln()];
        let first = drawn(sampling, &logits).iter().filter(|&&token| token == 0).count();
        assert!((1400..1600).contains(&first), "{first} of 2000 should be near 1500");
    }

    #[test]
    fn top_k_and_top_p_keep_only_the_strongest() {
        let logits = [0.5_f32.ln(), 0.3_f32.ln(), 0.2_f32.ln()];
        let top_k = Sampling { temperature: 1.0, top_p: None, top_k: Some(2) };
        assert!(drawn(top_k, &logits).iter().all(|&token| token < 2));
        let top_p = Sampling { temperature: 1.0, top_p: Some(0.4), top_k: None };
        assert!(drawn(top_p, &logits).iter().all(|&token| token == 0));
    }

    #[test]
    fn masked_tokens_are_never_drawn_and_all_masked_is_an_error() {
        let sampling = Sampling { temperature: 2.0, top_p: None, top_k: None };
        let logits = [f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY];
        assert!(drawn(sampling, &logits).iter().all(|&token| token == 1));
        assert!(progress(1).draw(&[f32::NEG_INFINITY; 2], &sampling).is_err());
        assert!(progress(1).draw(&[f32::NAN; 2], &sampling).is_err());
        assert!(progress(1).draw(&[f32::NEG_INFINITY; 2], &Sampling::GREEDY).is_err());
    }

    #[test]
    fn log_probabilities_are_natural_and_those_of_the_unconstrained_model() {
        let mut log = progress(1);
        let logits = [0.5_f32.ln() + 3.0, 0.3_f32.ln() + 3.0, 0.2_f32.ln() + 3.0];
        log.note(&logits, 0, 10, 2);
        assert_eq!(log.prompt_tokens, 10);
        assert!((log.steps[0].logprob - 0.5_f32.ln()).abs() < 1e-5);
        assert_eq!(log.steps[0].top.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [0, 1]);
        // The constraint forbids token 0: same position, masked logits.
        log.note(&[f32::NEG_INFINITY, logits[1], logits[2]], 2, 10, 2);
        assert_eq!(log.steps.len(), 1);
        assert_eq!(log.steps[0].token, 2);
        assert!((log.steps[0].logprob - 0.2_f32.ln()).abs() < 1e-5);
        log.note(&logits, 1, 11, 0);
        assert_eq!(log.steps.len(), 2);
    }
}
