//! What a decision says of a figure, in words for people: code writes it down as seeds/llm-reasoning-refactor.md has it,
//! by the name that the figure has in files (`verifier/src/decisions/fallback.rs`).

use crate::desktop::screens::settings::figure_counts;
use crate::desktop::widgets::words::in_window;

/// A decision's reasoning. What does not speak of a figure that is known stands as it is, but for commands.
pub fn plainly(reasoning: &str) -> String {
    let (first, rest) = match reasoning.split_once("; ") {
        Some((first, rest)) => (first, format!("; {rest}")),
        None => (reasoning, String::new()),
    };
    of_figure(first).map_or_else(|| in_window(reasoning), |words| format!("{words}{rest}"))
}

/// "dissent_rate 0.0700 within good range for real data".
fn of_figure(said: &str) -> Option<String> {
    let (name, rest) = said.split_once(' ')?;
    let (value, rest) = rest.split_once(' ')?;
    let (range, _) = rest.split_once(" for ")?;
    let figure = name.replace('_', " ");
    let counts = figure_counts(&figure)?;
    let value = value.parse::<f64>().map_or_else(|_| value.to_owned(), |value| value.to_string());
    let range = match range {
        "within good range" => "which is good",
        "in warning range" => "which is worth a retry",
        "exceeds fail threshold" => "which is more than acceptable",
        "falls short of fail threshold" => "which is less than acceptable",
        "is no ground to go on" => "which is not enough to continue",
        _ => return None,
    };
    Some(format!("the {figure} ({counts}) is {value}, {range}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use frlm_verifier::decisions::{DataSource, Outcome, Priors, by_code};

    use super::*;

    /// Whatever code writes down by the thresholds that are built in, from nothing measured to beyond all bounds.
    #[test]
    fn whatever_code_decides_by_a_figure_is_told_in_words() {
        let priors = Priors::shipped();
        for step in priors.evaluation_thresholds.keys() {
            let thresholds = priors.of(step, DataSource::Real).unwrap();
            for rate in [None, Some(0.0), Some(0.5), Some(2e6)] {
                let rates = thresholds.keys().filter_map(|name| Some((name.clone(), rate?)));
                let outcome = Outcome {
                    step: step.clone(),
                    data_source: DataSource::Real,
                    metrics: BTreeMap::new(),
                    rates: rates.collect(),
                };
                let written = by_code(&outcome, thresholds, &priors.suggestions(step)).reasoning;
                let told = plainly(&written);
                assert!(told.starts_with("the ") && told.contains(", which is "), "{written}: {told}");
            }
        }
    }

    #[test]
    fn a_figure_is_told_in_words_and_everything_else_as_it_is() {
        assert_eq!(
            plainly("dissent_rate 0.9700 exceeds fail threshold for real data"),
            "the dissent rate (compared answers that differ) is 0.97, which is more than acceptable"
        );
        assert_eq!(
            plainly("timeout_rate 0.2500 in warning range for real data; 2 more replicas; one more provider"),
            "the timeout rate (attempts without an answer in time) is 0.25, which is worth a retry; 2 more replicas; \
             one more provider"
        );
        assert_eq!(
            plainly("dissent_rate unmeasured is no ground to go on for real data"),
            "the dissent rate (compared answers that differ) is unmeasured, which is not enough to continue"
        );
        for other in [
            "41 of 41 parts are verified",
            "forward_rate 0.1 within good range for real data",
            "",
            "one word",
        ] {
            assert_eq!(plainly(other), other);
        }
    }
}
