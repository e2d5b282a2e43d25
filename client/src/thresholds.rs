//! The thresholds by which a run decides after its stages, in words: what is built in, and what a file of the user's says in
//! its place.

use frlm_verifier::decisions::priors::{Prior, RatePrior};
use frlm_verifier::decisions::{DataSource, Params, Priors, RetryReason};

/// What kind of data a run is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Data {
    /// Live.
    #[default]
    Real,
    /// Mixed.
    Hybrid,
    /// Lab and gold.
    Synthetic,
}

impl Data {
    fn source(self) -> DataSource {
        match self {
            Self::Real => DataSource::Real,
            Self::Hybrid => DataSource::Hybrid,
            Self::Synthetic => DataSource::Synthetic,
        }
    }
}

/// The bounds of one figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// After which stage it is looked at.
    pub stage: String,
    /// The figure's name.
    pub figure: String,
    /// Where it is good.
    pub good: String,
    /// Where it is worth a retry.
    pub bearable: String,
    /// What a retry changes, and the values that it should try.
    pub retry: String,
    /// Whether the user's file says so.
    pub own: bool,
}

/// What is in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds {
    /// Of every stage and kind of data.
    in_force: Priors,
    /// What of it the user's file says.
    own: Option<Priors>,
    /// Where that file is, or would be.
    pub path: String,
}

impl Thresholds {
    /// What is built in, with the user's own in its place.
    pub fn new(own: Option<Priors>, path: String) -> Self {
        let in_force = match &own {
            Some(own) => Priors::shipped().overruled_by(own.clone()),
            None => Priors::shipped(),
        };
        Self { in_force, own, path }
    }

    /// Whether there is a file of the user's.
    pub fn has_own(&self) -> bool {
        self.own.is_some()
    }

    /// The bounds for one kind of data, in the order of the stages' names.
    pub fn bounds(&self, data: Data) -> Vec<Bound> {
        let source = data.source();
        let (in_force, file) = (&self.in_force, self.own.as_ref());
        let stages = in_force.evaluation_thresholds.keys();
        let bounds = stages.flat_map(|stage| {
            let own = self.is_own(stage, source);
            let priors = in_force.of(stage, source).into_iter().flatten();
            priors.map(move |(figure, prior)| {
                let reason = reason(prior);
                let tries = reason.and_then(|reason| suggested(in_force, stage, reason));
                let own_tries = reason.zip(file).and_then(|(reason, file)| suggested(file, stage, reason));
                bound(stage, figure, prior, (tries, own || own_tries.is_some()))
            })
        });
        bounds.collect()
    }

    fn is_own(&self, stage: &str, source: DataSource) -> bool {
        let has = |priors: &Priors, source: DataSource| {
            priors.evaluation_thresholds.get(stage).is_some_and(|sources| sources.contains_key(&source))
        };
        // What nothing is said of is judged as live data are.
        let source = if has(&self.in_force, source) { source } else { DataSource::Real };
        self.own.as_ref().is_some_and(|own| has(own, source))
    }
}

/// Why a figure that is bearable is asked for again: as code decides it (`verifier/src/decisions/fallback.rs`).
fn reason(prior: &Prior) -> Option<RetryReason> {
    match prior {
        Prior::Rate(RatePrior { retry: Some(retry), .. }) => Some(*retry),
        Prior::Rate(RatePrior { good_max: Some(_), .. }) => Some(RetryReason::Tighten),
        Prior::Least(_) | Prior::Rate(RatePrior { good_min: Some(_), .. }) => Some(RetryReason::Widen),
        Prior::Rate(_) => None,
    }
}

/// What a file suggests to try.
fn suggested<'a>(priors: &'a Priors, stage: &str, reason: RetryReason) -> Option<&'a Params> {
    priors.suggested_params.get(stage)?.get(&reason).filter(|params| !params.is_empty())
}

fn bound(stage: &str, figure: &str, prior: &Prior, (tries, own): (Option<&Params>, bool)) -> Bound {
    let (good, bearable, retry) = match prior {
        Prior::Least(least) => (format!("from {least}"), String::new(), "widen".to_owned()),
        Prior::Rate(rate) => {
            let RatePrior { good_max, warn_max, good_min, warn_min, retry, .. } = rate;
            let retry = retry.map_or("as is usual".to_owned(), |retry| format!("{retry:?}").to_lowercase());
            (range(*good_min, *good_max), range(*warn_min, *warn_max), retry)
        }
    };
    let values = tries.into_iter().flatten().map(|(name, value)| {
        let value = match (value.as_str(), value.as_f64()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(number)) => number.to_string(),
            (None, None) => value.to_string(),
        };
        format!("{} {value}", name.replace('_', " "))
    });
    let retry = std::iter::once(retry).chain(values).collect::<Vec<String>>().join(", ");
    Bound { stage: stage.to_owned(), figure: figure.replace('_', " "), good, bearable, retry, own }
}

fn range(least: Option<f64>, most: Option<f64>) -> String {
    match (least, most) {
        (None, None) => "–".to_owned(),
        (None, Some(most)) => format!("up to {most}"),
        (Some(least), None) => format!("from {least}"),
        (Some(least), Some(most)) => format!("{least} to {most}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_the_users_own_file_replace_the_built_in_ones() {
        let built_in = Thresholds::new(None, String::new());
        let of = |thresholds: &Thresholds, stage: &str, figure: &str| {
            let found = thresholds.bounds(Data::Real);
            found.into_iter().find(|bound| bound.stage == stage && bound.figure == figure)
        };
        let usual = of(&built_in, "verify", "dissent rate").expect("it is built in");
        assert!(!usual.own && usual.good.starts_with("up to ") && usual.retry == "tighten", "{usual:?}");
        let text = r#"{"evaluation_thresholds":{"verify":{"real":{
            "dissent_rate":{"good_max":0.01,"warn_max":0.5},"min_answers":3}}}}"#;
        let own = Thresholds::new(Some(Priors::parse(text).unwrap()), String::new());
        let mine = of(&own, "verify", "dissent rate").unwrap();
        assert_eq!((mine.good.as_str(), mine.bearable.as_str(), mine.own), ("up to 0.01", "up to 0.5", true));
        assert_eq!(of(&own, "verify", "min answers").unwrap().good, "from 3");
        assert_eq!(of(&own, "verify", "failure rate"), None, "a kind of data is overruled as a whole");
        let lab = own.bounds(Data::Synthetic);
        assert!(lab.iter().all(|bound| !bound.own), "of that kind the file says nothing: {lab:?}");
        let others = |thresholds: &Thresholds| {
            let bounds = thresholds.bounds(Data::Real);
            bounds.into_iter().filter(|bound| bound.stage != "verify").collect::<Vec<_>>()
        };
        assert_eq!(others(&own), others(&built_in));
    }

    /// docs/decisions/0053-decisions-under-a-grammar.md: values to try are priors; seeds/llm-reasoning-refactor.md, section 7.
    #[test]
    fn beside_what_a_retry_changes_stand_the_values_that_are_suggested_for_it() {
        let retry = |own: Option<&str>, stage: &str, figure: &str| {
            let thresholds = Thresholds::new(own.map(|text| Priors::parse(text).unwrap()), String::new());
            let found = thresholds.bounds(Data::Real);
            let bound = found.into_iter().find(|bound| bound.stage == stage && bound.figure == figure);
            bound.map(|bound| (bound.retry, bound.own))
        };
        let told = |words: &str, own| Some((words.to_owned(), own));
        assert_eq!(retry(None, "verify", "timeout rate"), told("widen, patience factor 2", false));
        assert_eq!(
            retry(None, "verify", "dissent rate"),
            told("tighten", false),
            "for that nothing is suggested"
        );
        let own = r#"{"evaluation_thresholds":{},
            "suggested_params":{"verify":{"widen":{"patience_factor":3.5,"note":"at night"}}}}"#;
        let mine = told("widen, note at night, patience factor 3.5", true);
        assert_eq!(retry(Some(own), "verify", "timeout rate"), mine);
        assert_eq!(retry(Some(own), "collect", "lost to time rate"), told("widen, patience factor 2", false));
        let documents = include_str!("../../verifier/priors/window_optimizer.json");
        let (stage, figure) = ("step_1_window_optimizer", "bidirectional rate");
        let usual = told("as is usual, forward threshold 0.005, reverse threshold 0.005", true);
        assert_eq!(retry(Some(documents), stage, figure), usual, "too high, which tightens");
    }
}
