//! Thresholds, in a file: by step and kind of data (seeds/llm-reasoning-refactor.md, section 4).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::schema::{Params, RetryReason, is_plain};

/// Thresholds for the stages of a run, as they are shipped.
pub const RUN: &str = include_str!("../../priors/run.json");

/// Where a stage's data come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataSource {
    /// Lab and gold.
    Synthetic,
    /// Live.
    Real,
    /// Mixed.
    Hybrid,
}

impl DataSource {
    /// As the file and the reasoning name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Synthetic => "synthetic",
            Self::Real => "real",
            Self::Hybrid => "hybrid",
        }
    }
}

/// Bounds of one rate. What lies beyond "good" is a warning, what lies beyond "warn" a failure;
/// `fail_max` is where even an investigation is pointless.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatePrior {
    /// Good up to here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_max: Option<f64>,
    /// Worth a retry up to here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warn_max: Option<f64>,
    /// Beyond all doubt from here on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_max: Option<f64>,
    /// Good from here on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_min: Option<f64>,
    /// Worth a retry from here on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warn_min: Option<f64>,
    /// What a retry changes, if not what is usual: too high → tighten, too low → widen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryReason>,
}

/// One entry of a step: bounds of a rate, or the least that a metric must be (`min_seeds_tested`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Prior {
    /// The least of the metric whose name follows `min_`.
    Least(f64),
    /// Bounds of the rate of this name.
    Rate(RatePrior),
}

/// The thresholds of one step for one kind of data.
pub type StepPriors = BTreeMap<String, Prior>;

/// What retries of a step should try, by what they are to change (sections 5 and 7).
pub type Suggestions = BTreeMap<RetryReason, Params>;

/// A priors file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Priors {
    /// By step, then by kind of data.
    pub evaluation_thresholds: BTreeMap<String, BTreeMap<DataSource, StepPriors>>,
    /// By step: the values that code suggests where it decides for a retry.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub suggested_params: BTreeMap<String, Suggestions>,
}

/// A priors file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriorsError {
    /// Not JSON of the shape.
    #[error("the priors are not of the shape they should have: {0}")]
    Shape(String),
    /// A step without the strictest kind of data, which stands in for all that are missing.
    #[error("the priors of {0} have no entry for real data, which the others fall back on")]
    NoReal(String),
    /// Bounds that contradict each other.
    #[error("the priors of {step}: the bounds of {rate} are out of order")]
    Order {
        /// The step.
        step: String,
        /// The rate.
        rate: String,
    },
    /// A value to try that is a list or has parts.
    #[error(
        "the priors of {step}: the value suggested for {name} must be a text, a number, true, false or null"
    )]
    Suggestion {
        /// The step.
        step: String,
        /// The parameter.
        name: String,
    },
}

impl Priors {
    /// Reads and checks a file.
    pub fn parse(text: &str) -> Result<Self, PriorsError> {
        let priors: Self =
            serde_json::from_str(text).map_err(|error| PriorsError::Shape(error.to_string()))?;
        for (step, sources) in &priors.evaluation_thresholds {
            if !sources.contains_key(&DataSource::Real) {
                return Err(PriorsError::NoReal(step.clone()));
            }
            for (rate, prior) in sources.values().flatten() {
                if !prior.is_ordered() {
                    return Err(PriorsError::Order { step: step.clone(), rate: rate.clone() });
                }
            }
        }
        for (step, suggestions) in &priors.suggested_params {
            if let Some((name, _)) = suggestions.values().flatten().find(|(_, value)| !is_plain(value)) {
                return Err(PriorsError::Suggestion { step: step.clone(), name: name.clone() });
            }
        }
        Ok(priors)
    }

    /// The thresholds that are shipped for the stages of a run.
    ///
    /// # Panics
    ///
    /// Never: a test reads the shipped file.
    pub fn shipped() -> Self {
        Self::parse(RUN).expect("the shipped priors are checked by a test")
    }

    /// These thresholds, those of a user's file in the place of theirs: step by step, kind by kind; and these
    /// suggestions, step by step, reason by reason.
    #[must_use]
    pub fn overruled_by(mut self, file: Self) -> Self {
        for (step, sources) in file.evaluation_thresholds {
            self.evaluation_thresholds.entry(step).or_default().extend(sources);
        }
        for (step, suggestions) in file.suggested_params {
            self.suggested_params.entry(step).or_default().extend(suggestions);
        }
        self
    }

    /// What retries of a step should try.
    pub fn suggestions(&self, step: &str) -> Suggestions {
        self.suggested_params.get(step).cloned().unwrap_or_default()
    }

    /// The thresholds of a step; for a kind of data that the file does not have, those of the strictest.
    pub fn of(&self, step: &str, source: DataSource) -> Option<&StepPriors> {
        let sources = self.evaluation_thresholds.get(step)?;
        sources.get(&source).or_else(|| sources.get(&DataSource::Real))
    }
}

impl Prior {
    fn is_ordered(&self) -> bool {
        let Self::Rate(prior) = self else { return true };
        let rising = |values: [Option<f64>; 3]| {
            let known: Vec<f64> = values.into_iter().flatten().collect();
            known.windows(2).all(|pair| pair[0] <= pair[1])
        };
        rising([prior.good_max, prior.warn_max, prior.fail_max])
            && rising([prior.warn_min, prior.good_min, None])
    }
}
