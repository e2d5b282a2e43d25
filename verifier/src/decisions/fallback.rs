//! The decision by code alone (seeds/llm-reasoning-refactor.md, section 7): deterministic, from the
//! priors, and conservative: when in doubt, retry or escalate.

use super::Outcome;
use super::priors::{Prior, RatePrior, StepPriors, Suggestions};
use super::schema::{ReasoningChecks, RetryReason, StageDecision, Verb};

/// How sure the document's fallback is of each verb.
const SURE_TO_PROCEED: f64 = 0.80;
const SURE_TO_RETRY: f64 = 0.60;
const SURE_TO_ESCALATE: f64 = 0.70;
/// Prefix of priors that say how much of a metric is the least.
const LEAST: &str = "min_";

/// Where a rate lies, from harmless to hopeless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    Good,
    Warning(RetryReason),
    Failed(Amiss),
    BeyondDoubt,
}

/// What is wrong with a rate that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Amiss {
    TooHigh,
    TooLow,
    Unmeasured,
}

/// Decides by the worst of the stage's rates.
///
/// Too little tested → retry, widen. A rate beyond its warning → escalate; within it → retry. A rate
/// that has thresholds and was not measured → escalate: nothing is assumed of it. What a retry should try stands in the
/// priors file as well, by its reason.
pub fn by_code(outcome: &Outcome, priors: &StepPriors, suggestions: &Suggestions) -> StageDecision {
    let mut decision = weighed(outcome, priors);
    decision.suggested_params = decision
        .retry_reason
        .and_then(|reason| suggestions.get(&reason))
        .filter(|params| !params.is_empty())
        .cloned();
    decision
}

fn weighed(outcome: &Outcome, priors: &StepPriors) -> StageDecision {
    for (name, prior) in priors {
        if let (Prior::Least(least), Some(metric)) = (prior, name.strip_prefix(LEAST)) {
            let tested = outcome.metrics.get(metric).copied().unwrap_or(0.0);
            if tested < *least {
                let words = format!("{metric} {tested} is below the least of {least}");
                return decision(outcome, Verb::Retry, Some(RetryReason::Widen), metric, &words, Vec::new());
            }
        }
    }
    let rates = priors.iter().filter_map(|(name, prior)| match prior {
        Prior::Rate(prior) => Some((name.as_str(), *prior)),
        Prior::Least(_) => None,
    });
    let judged = rates.map(|(name, prior)| {
        let rate = outcome.rates.get(name).copied().filter(|rate| rate.is_finite());
        (name, rate, rate.map_or(Range::Failed(Amiss::Unmeasured), |rate| prior.range(rate)))
    });
    // Of equally bad rates the first in the file's order decides.
    let worst =
        judged.reduce(|worst, next| if next.2.severity() > worst.2.severity() { next } else { worst });
    let Some((name, rate, range)) = worst else {
        let words = "the step has no thresholds for its rates";
        return decision(outcome, Verb::Escalate, None, "", words, vec!["no_priors".to_owned()]);
    };
    let rate = rate.map_or("unmeasured".to_owned(), |rate| format!("{rate:.4}"));
    match range {
        Range::Good => decision(
            outcome,
            Verb::Proceed,
            None,
            name,
            &format!("{name} {rate} within good range"),
            Vec::new(),
        ),
        Range::Warning(reason) => {
            let words = format!("{name} {rate} in warning range");
            decision(outcome, Verb::Retry, Some(reason), name, &words, Vec::new())
        }
        Range::Failed(_) | Range::BeyondDoubt => {
            let (warning, words) = match range {
                Range::Failed(Amiss::Unmeasured) => ("rate_unmeasured", "is no ground to go on"),
                Range::Failed(Amiss::TooLow) => ("rate_too_low", "falls short of fail threshold"),
                _ => ("rate_too_high", "exceeds fail threshold"),
            };
            let mut warnings = vec![warning.to_owned(), "human_review_recommended".to_owned()];
            if range == Range::BeyondDoubt {
                warnings.push("far_beyond_threshold".to_owned());
            }
            decision(outcome, Verb::Escalate, None, name, &format!("{name} {rate} {words}"), warnings)
        }
    }
}

impl Range {
    fn severity(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Warning(_) => 1,
            Self::Failed(_) => 2,
            Self::BeyondDoubt => 3,
        }
    }
}

impl RatePrior {
    fn range(&self, rate: f64) -> Range {
        let beyond = |limit: Option<f64>| limit.is_some_and(|limit| rate > limit);
        let below = |limit: Option<f64>| limit.is_some_and(|limit| rate < limit);
        if beyond(self.fail_max) {
            Range::BeyondDoubt
        } else if beyond(self.warn_max) {
            Range::Failed(Amiss::TooHigh)
        } else if below(self.warn_min) {
            Range::Failed(Amiss::TooLow)
        } else if beyond(self.good_max) {
            Range::Warning(self.retry.unwrap_or(RetryReason::Tighten))
        } else if below(self.good_min) {
            Range::Warning(self.retry.unwrap_or(RetryReason::Widen))
        } else {
            Range::Good
        }
    }
}

fn decision(
    outcome: &Outcome,
    decision: Verb,
    retry_reason: Option<RetryReason>,
    signal: &str,
    words: &str,
    warnings: Vec<String>,
) -> StageDecision {
    let is_rate = outcome.rates.contains_key(signal);
    StageDecision {
        decision,
        retry_reason,
        confidence: match decision {
            Verb::Proceed => SURE_TO_PROCEED,
            Verb::Retry => SURE_TO_RETRY,
            Verb::Escalate => SURE_TO_ESCALATE,
        },
        reasoning: format!("{words} for {} data", outcome.data_source.name()),
        primary_signal: signal.to_owned(),
        suggested_params: None,
        warnings,
        checks: ReasoningChecks {
            used_rates: is_rate,
            mentioned_data_source: true,
            avoided_absolute_only: is_rate,
        },
    }
}
