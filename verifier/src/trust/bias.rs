//! Errors that are no chance (seeds/verifier-block.md, "Tier 3: Super Cluster-Level", "Detect systematic
//! biases"): records of all providers held against each other, kind of work by kind of work.
//!
//! A liar loses the [sequential test](super::sequential) within a few answers. What is found here stays below it for
//! good: a model that gets one kind of answer wrong now and then, or two keys that are wrong together.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::correlation::by_errors;
use super::evidence::TaskClass;
use super::record::Record;
use super::reputation::{ExportedRecord, PRIOR_CHECKS, PRIOR_ERROR_RATE, ReputationExport};

/// How likely it is that anything at all is reported where nobody is biased.
const FALSE_ALARMS: f64 = 0.01;
/// Fewer checked answers than this are no habit, and nothing to hold another one's against.
const LEAST_CHECKS: f64 = 8.0;
/// From this correlation on two are said to err alike: two shared errors, or six of the same weights.
const ALIKE: f64 = 0.6;

/// Errors that are no chance, of providers that are still asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "bias", rename_all = "snake_case")]
pub enum Bias {
    /// One provider errs more in a kind of work than the others do there.
    Provider {
        /// Its key.
        provider: String,
        /// Where it errs.
        errs: Errs,
    },
    /// All who run the same weights err more in a kind of work than those of other weights.
    Weights {
        /// The weights.
        weights_hash: String,
        /// How many run them.
        runners: usize,
        /// Where they err.
        errs: Errs,
    },
    /// Two gave the same wrong answers more often than two models do. Together they already count as little
    /// more than one.
    Alike {
        /// One of them.
        left: String,
        /// The other.
        right: String,
        /// How often.
        shared_errors: u32,
        /// Whether they claim the same weights, which err alike honestly, if less often.
        same_weights: bool,
    },
}

/// How much more.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Errs {
    /// The kind of work.
    pub class: TaskClass,
    /// Share of the checked answers that were wrong.
    pub wrong: f64,
    /// What is usual there.
    pub usual: f64,
    /// Checked answers; older ones have faded.
    pub checks: f64,
}

/// Checked answers of one or several.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    wrong: f64,
    checks: f64,
}

impl Tally {
    fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        records.into_iter().fold(Self::default(), |sum, record| Self {
            wrong: sum.wrong + record.wrong,
            checks: sum.checks + record.checks(),
        })
    }

    fn share(self) -> f64 {
        if self.checks > 0.0 { self.wrong / self.checks } else { 0.0 }
    }

    /// With what is usual of anybody before it is measured: few say little.
    fn with_prior(self) -> Self {
        Self { wrong: PRIOR_ERROR_RATE * PRIOR_CHECKS + self.wrong, checks: PRIOR_CHECKS + self.checks }
    }

    /// What these make usual.
    fn usual(self) -> f64 {
        self.with_prior().share()
    }

    /// How much less likely these came from one source that is wrong at this rate than from one of their own, in nats.
    fn surprise(self, rate: f64) -> f64 {
        let part =
            |count: f64, share: f64, rate: f64| if count > 0.0 { count * (share / rate).ln() } else { 0.0 };
        let wrong = self.share();
        part(self.wrong, wrong, rate) + part(self.checks - self.wrong, 1.0 - wrong, 1.0 - rate)
    }

    /// `Some` if these err more than is usual among the others, and that both err at one rate is less likely than that
    /// each errs at its own by e to the power of `nats` (the generalised likelihood ratio). What is usual is measured,
    /// too: where few others were checked, much may be chance.
    fn against(self, others: Self, nats: f64, class: &TaskClass) -> Option<Errs> {
        if self.checks < LEAST_CHECKS || others.checks < LEAST_CHECKS {
            return None;
        }
        let (wrong, usual) = (self.share(), others.usual());
        if wrong <= usual {
            return None;
        }
        let others = others.with_prior();
        let both = Self { wrong: self.wrong + others.wrong, checks: self.checks + others.checks };
        let surprise = self.surprise(both.share()) + others.surprise(both.share());
        (surprise >= nats).then(|| Errs { class: class.clone(), wrong, usual, checks: self.checks })
    }
}

/// One provider's record in the class at hand.
struct Row<'a> {
    provider: &'a ExportedRecord,
    record: &'a Record,
}

impl Row<'_> {
    fn weights(&self) -> Option<&str> {
        self.provider.traits.weights_hash.as_deref()
    }
}

/// What stands out, in an order of its own.
pub fn biases(known: &ReputationExport) -> Vec<Bias> {
    let is_out = |provider: &ExportedRecord| provider.proven_lie || provider.excluded;
    // Who is not asked any more is no measure of what is usual.
    let mut classes: BTreeMap<&TaskClass, Vec<Row<'_>>> = BTreeMap::new();
    for provider in known.providers.iter().filter(|provider| !is_out(provider)) {
        for (class, record) in &provider.classes {
            classes.entry(class).or_default().push(Row { provider, record });
        }
    }
    // The more is looked at, the more stands out by chance.
    let looks: usize = classes.values().map(|rows| rows.len() + weights(rows).len()).sum();
    let nats = (looks.max(1) as f64 / FALSE_ALARMS).ln();
    let mut found: Vec<Bias> = classes.iter().flat_map(|(class, rows)| in_class(class, rows, nats)).collect();
    let provider = |key: &str| known.providers.iter().find(|provider| provider.provider == key);
    for pair in &known.pairs {
        let (Some(left), Some(right)) = (provider(&pair.left), provider(&pair.right)) else { continue };
        let same_weights =
            left.traits.weights_hash.is_some() && left.traits.weights_hash == right.traits.weights_hash;
        if by_errors(pair.shared_errors, same_weights) >= ALIKE && !(is_out(left) && is_out(right)) {
            found.push(Bias::Alike {
                left: pair.left.clone(),
                right: pair.right.clone(),
                shared_errors: pair.shared_errors,
                same_weights,
            });
        }
    }
    found
}

fn weights<'a>(rows: &'a [Row<'_>]) -> BTreeSet<&'a str> {
    rows.iter().filter_map(Row::weights).collect()
}

fn in_class(class: &TaskClass, rows: &[Row<'_>], nats: f64) -> Vec<Bias> {
    let mut found = Vec::new();
    let mut biased = BTreeSet::new();
    for weights_hash in weights(rows) {
        let (runners, others): (Vec<&Row<'_>>, Vec<&Row<'_>>) =
            rows.iter().partition(|row| row.weights() == Some(weights_hash));
        let others = Tally::of(others.iter().map(|row| row.record));
        // It is the weights only if nobody who runs them does better; one alone may be its provider.
        let all = runners.iter().all(|row| row.record.wrong_share() > others.usual());
        let together = Tally::of(runners.iter().map(|row| row.record));
        if let Some(errs) = together.against(others, nats, class).filter(|_| all && runners.len() > 1) {
            biased.insert(weights_hash);
            let weights_hash = weights_hash.to_owned();
            found.push(Bias::Weights { weights_hash, runners: runners.len(), errs });
        }
    }
    for (at, row) in rows.iter().enumerate() {
        // A provider of weights that err is compared with others that run them.
        let fellows = row.weights().filter(|weights| biased.contains(weights));
        let others = rows.iter().enumerate().filter(|(other, row)| {
            *other != at && fellows.is_none_or(|weights| row.weights() == Some(weights))
        });
        let others = Tally::of(others.map(|(_, row)| row.record));
        if let Some(errs) = Tally::of([row.record]).against(others, nats, class) {
            found.push(Bias::Provider { provider: row.provider.provider.clone(), errs });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::evidence::ProviderTraits;
    use super::super::reputation::Pair;
    use super::*;

    fn class(kind: &str) -> TaskClass {
        TaskClass::new(kind, "general", 1)
    }

    /// A provider with some right and wrong answers in one class.
    fn provider(key: &str, weights: &str, (right, wrong): (f64, f64)) -> ExportedRecord {
        let record = Record { right, wrong, ..Record::default() };
        ExportedRecord {
            provider: key.to_owned(),
            traits: ProviderTraits { weights_hash: Some(weights.to_owned()), operator: None },
            overall: record,
            classes: vec![(class("extract"), record)],
            ..ExportedRecord::default()
        }
    }

    fn known(providers: Vec<ExportedRecord>) -> ReputationExport {
        ReputationExport { providers, ..ReputationExport::default() }
    }

    #[test]
    fn a_provider_with_more_errors_in_one_kind_is_named_and_chance_is_not() {
        let mut providers: Vec<_> = ["a", "b", "c"].map(|key| provider(key, key, (99.0, 1.0))).into();
        providers.push(provider("d", "d", (97.0, 3.0)));
        assert_eq!(biases(&known(providers.clone())), [], "three of a hundred may be chance");
        providers[3] = provider("d", "d", (90.0, 10.0));
        // Its other work is as good as theirs.
        for provider in &mut providers {
            let record = Record { right: 99.0, wrong: 1.0, ..Record::default() };
            provider.classes.push((class("classify"), record));
        }
        let found = biases(&known(providers.clone()));
        let [Bias::Provider { provider, errs }] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((provider.as_str(), &errs.class), ("d", &class("extract")));
        assert!((errs.wrong - 0.1).abs() < 1e-9 && errs.usual < 0.02 && errs.checks > 99.0, "{errs:?}");
        // Where everybody errs, the work is hard.
        providers[..3].fill(self::provider("e", "w", (90.0, 10.0)));
        assert_eq!(biases(&known(providers.clone())), []);
        // Nor is anybody held against those who are not asked any more, or named who is not.
        providers[3].excluded = true;
        assert_eq!(biases(&known(providers)), []);
    }

    #[test]
    fn it_is_the_weights_if_all_who_run_them_err_and_the_provider_if_one_does() {
        let others = || ["a", "b"].map(|key| provider(key, "other", (99.0, 1.0)));
        let biased = ["c", "d", "e"].map(|key| provider(key, "odd", (92.0, 8.0)));
        let found = biases(&known(others().into_iter().chain(biased.clone()).collect()));
        let [Bias::Weights { weights_hash, runners: 3, errs }] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((weights_hash.as_str(), &errs.class), ("odd", &class("extract")));
        let one = [biased[0].clone(), provider("d", "odd", (100.0, 0.0)), provider("e", "odd", (100.0, 0.0))];
        let found = biases(&known(others().into_iter().chain(one).collect()));
        assert!(
            matches!(found.as_slice(), [Bias::Provider { provider, .. }] if provider == "c"),
            "{found:?}"
        );
    }

    #[test]
    fn two_that_are_wrong_together_are_named_sooner_if_their_weights_differ() {
        let mut known = known(vec![
            provider("a", "one", (20.0, 0.0)),
            provider("b", "two", (20.0, 0.0)),
            provider("c", "two", (20.0, 0.0)),
        ]);
        let pair = |left: &str, right: &str, shared_errors| Pair {
            left: left.to_owned(),
            right: right.to_owned(),
            shared_errors,
        };
        known.pairs = vec![pair("a", "b", 1), pair("b", "c", 5)];
        assert_eq!(biases(&known), []);
        known.pairs = vec![pair("a", "b", 2), pair("b", "c", 6)];
        let alike = |left: &str, right: &str, shared_errors, same_weights| Bias::Alike {
            left: left.to_owned(),
            right: right.to_owned(),
            shared_errors,
            same_weights,
        };
        assert_eq!(biases(&known), [alike("a", "b", 2, false), alike("b", "c", 6, true)]);
        // Who errs like one that is not asked any more is worth a word; two that are not, are not.
        known.providers[0].proven_lie = true;
        assert_eq!(biases(&known).len(), 2);
        known.providers[1].excluded = true;
        assert_eq!(biases(&known), [alike("b", "c", 6, true)]);
    }

    #[test]
    fn without_records_nothing_stands_out() {
        assert_eq!(biases(&ReputationExport::default()), []);
        let few = vec![provider("a", "a", (0.0, 7.0)), provider("b", "b", (99.0, 1.0))];
        assert_eq!(biases(&known(few)), [], "seven answers are no habit");
    }

    #[test]
    fn what_is_usual_is_no_more_certain_than_those_who_make_it_are_many() {
        let against = |others: (f64, f64)| {
            let found = biases(&known(vec![provider("a", "a", (285.0, 15.0)), provider("b", "b", others)]));
            !found.is_empty()
        };
        assert!(!against((8.0, 0.0)), "eight right answers do not make one in twenty unusual");
        assert!(against((594.0, 6.0)), "six hundred do");
    }
}
