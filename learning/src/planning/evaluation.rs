//! How well the swarm served a question (seeds/super-llm-block.md, function 4, `SuperClusterEvaluator`).
//!
//! ```text
//! batch = 0.5 × correctness + 0.3 × min(expected / real time, 1) + 0.2 × routing accuracy
//! score = 0.9 × old + 0.1 × batch;   signal by the change: positive above 0.02, negative below −0.02
//! ```
//!
//! With these weights a single batch moves the score by a tenth of its distance: a signal means that the batch was
//! at least 0.2 away from what the swarm used to be (seed-arithmetic.md: the document's own example is neutral).

use serde::{Deserialize, Serialize};

use super::strategies::Moments;

/// What one question showed of the swarm. Shares are 0..=1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Mean correctness of the subtasks, by the verifier.
    pub correctness: f64,
    /// Time that the plan expected.
    pub expected_secs: f64,
    /// Time that it took.
    pub real_secs: f64,
    /// Share of routing hints that were right.
    pub routing_accuracy: f64,
}

/// Where the score goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// Clearly better than before.
    Positive,
    /// As before.
    Neutral,
    /// Clearly worse.
    Negative,
}

/// The components of an evaluation, and what it makes of the score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Correctness, time and routing, each 0..=1.
    pub components: [f64; 3],
    /// Their weighted sum.
    pub batch: f64,
    /// The score before and after.
    pub old: f64,
    /// See [`Evaluation::old`].
    pub new: f64,
    /// What the change says.
    pub signal: Signal,
}

const WEIGHTS: [f64; 3] = [0.5, 0.3, 0.2];
const NEWEST: f64 = 0.1;
const CLEARLY: f64 = 0.02;

/// Evaluates a batch against the score so far.
pub fn evaluate(batch: &Batch, old: f64) -> Evaluation {
    // What took no time was as quick as anybody could expect.
    let pace = if batch.real_secs > 0.0 { batch.expected_secs.max(0.0) / batch.real_secs } else { 1.0 };
    weigh([batch.correctness.clamp(0.0, 1.0), pace.min(1.0), batch.routing_accuracy.clamp(0.0, 1.0)], old)
}

fn weigh(components: [f64; 3], old: f64) -> Evaluation {
    let batch = WEIGHTS.iter().zip(components).map(|(weight, component)| weight * component).sum();
    let new = (1.0 - NEWEST) * old + NEWEST * batch;
    let signal = match new - old {
        delta if delta > CLEARLY => Signal::Positive,
        delta if delta > -CLEARLY => Signal::Neutral,
        _ => Signal::Negative,
    };
    Evaluation { components, batch, old, new, signal }
}

/// The score where a batch turned out otherwise after which so many others were evaluated.
pub fn corrected(score: f64, before: &Evaluation, now: &Evaluation, since: u64) -> f64 {
    let left = i32::try_from(since).map_or(0.0, |since| (1.0 - NEWEST).powi(since));
    (score + NEWEST * left * (now.batch - before.batch)).clamp(0.0, 1.0)
}

impl Evaluation {
    /// What was good and what should get better, for people (`feedback`); empty where all of it is middling.
    pub fn feedback(&self) -> String {
        let told = [("good", self.strengths()), ("to get better", self.improvements())];
        let told = told.into_iter().filter(|(_, names)| !names.is_empty());
        told.map(|(word, names)| format!("{word}: {}", names.join(", "))).collect::<Vec<_>>().join("; ")
    }

    /// Components of at least 0.9.
    fn strengths(&self) -> Vec<&'static str> {
        self.named(|component| component >= 0.9)
    }

    /// Components under 0.7.
    fn improvements(&self) -> Vec<&'static str> {
        self.named(|component| component < 0.7)
    }

    fn named(&self, wanted: impl Fn(f64) -> bool) -> Vec<&'static str> {
        let names = ["correct answers", "speed", "routing"];
        names
            .into_iter()
            .zip(self.components)
            .filter(|(_, value)| wanted(*value))
            .map(|(name, _)| name)
            .collect()
    }
}

/// Evaluations so far, all together (`evaluation_history`).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    /// See [`Evaluation::components`].
    pub components: [Moments; 3],
    /// After which the score was clearly better.
    pub better: u64,
    /// … as before.
    pub same: u64,
    /// … clearly worse.
    pub worse: u64,
}

impl History {
    /// Takes in an evaluation.
    pub fn note(&mut self, evaluation: &Evaluation) {
        for (component, value) in self.components.iter_mut().zip(evaluation.components) {
            component.push(value);
        }
        *self.count_of(evaluation.signal) += 1;
    }

    /// One that was taken in turned out to be another.
    pub fn replace(&mut self, before: &Evaluation, now: &Evaluation) {
        let values = before.components.into_iter().zip(now.components);
        for (component, (before, now)) in self.components.iter_mut().zip(values) {
            component.replace(before, now);
        }
        let was = self.count_of(before.signal);
        *was = was.saturating_sub(1);
        *self.count_of(now.signal) += 1;
    }

    fn count_of(&mut self, signal: Signal) -> &mut u64 {
        match signal {
            Signal::Positive => &mut self.better,
            Signal::Neutral => &mut self.same,
            Signal::Negative => &mut self.worse,
        }
    }

    /// How many there were.
    pub fn evaluations(&self) -> u64 {
        self.better + self.same + self.worse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 5e-4
    }

    #[test]
    fn the_super_cluster_evaluation_example_is_919_as_seed_arithmetic_says() {
        let printed = weigh([0.94, 0.89, 0.91], 0.78);
        assert!(near(printed.batch, 0.919) && near(printed.new - 0.78, 0.0139));
        let batch = Batch { correctness: 0.94, expected_secs: 20.0, real_secs: 18.7, routing_accuracy: 0.91 };
        let by_formula = evaluate(&batch, 0.78);
        assert!(near(by_formula.batch, 0.952) && near(by_formula.new - 0.78, 0.0172));
        assert_eq!((printed.signal, by_formula.signal), (Signal::Neutral, Signal::Neutral));
    }

    #[test]
    fn the_signal_of_super_cluster_evaluator_needs_a_change_of_two_hundredths() {
        let signal = |batch: f64, old| weigh([batch; 3], old).signal;
        assert_eq!(signal(1.0, 0.79), Signal::Positive);
        assert_eq!(signal(1.0, 0.81), Signal::Neutral);
        assert_eq!(signal(0.61, 0.80), Signal::Neutral);
        assert_eq!(signal(0.59, 0.80), Signal::Negative);
    }

    #[test]
    fn evaluation_history_has_component_means_and_counts_every_trend() {
        let mut history = History::default();
        for (components, old) in [([1.0, 0.5, 1.0], 0.5), ([0.5, 0.5, 0.5], 0.5), ([0.0, 0.5, 0.0], 0.9)] {
            history.note(&weigh(components, old));
        }
        let means = history.components.map(|component| component.mean);
        assert!(near(means[0], 0.5) && near(means[1], 0.5) && near(means[2], 0.5), "{means:?}");
        assert_eq!((history.better, history.same, history.worse), (1, 1, 1));
        assert_eq!(history.evaluations(), 3);
    }

    #[test]
    fn a_late_batch_loses_by_its_delay_and_an_early_one_gains_nothing() {
        let pace = |expected_secs, real_secs| {
            evaluate(&Batch { correctness: 1.0, expected_secs, real_secs, routing_accuracy: 1.0 }, 0.5)
                .components[1]
        };
        assert!(near(pace(10.0, 20.0), 0.5) && near(pace(20.0, 10.0), 1.0) && near(pace(5.0, 0.0), 1.0));
        let late = evaluate(
            &Batch { correctness: 0.95, expected_secs: 1.0, real_secs: 4.0, routing_accuracy: 0.8 },
            0.5,
        );
        assert_eq!((late.strengths(), late.improvements()), (vec!["correct answers"], vec!["speed"]));
    }

    /// seeds/super-llm-block.md, "Super Cluster Evaluation", `feedback`: strengths and improvements.
    #[test]
    fn feedback_names_what_was_good_and_what_should_get_better() {
        let told = |components| weigh(components, 0.5).feedback();
        assert_eq!(told([0.94, 0.25, 0.91]), "good: correct answers, routing; to get better: speed");
        assert_eq!(told([0.9, 0.9, 0.9]), "good: correct answers, speed, routing");
        assert_eq!(told([0.69, 0.8, 0.8]), "to get better: correct answers");
        assert_eq!(told([0.89, 0.7, 0.8]), "", "nothing stands out");
    }
}
