//! `frlm-lab learn analyse`: whether a question is simple enough to be asked in one piece; how well the shipped weights tell
//! it, and weights that are learned from scratch.

use std::fmt::Write as _;

use anyhow::Context as _;
use frlm_learning::planning::analyse::DIRECT;
use frlm_learning::planning::analyse::classifier::{Classifier, Example, Score, Split, read};
use serde_json::json;

use crate::arguments::LabAnalyseArgs;
use frlm_client::failure::Failure;

/// Learns, measures, prints; writes the weights where that is asked for.
pub fn run(args: &LabAnalyseArgs) -> anyhow::Result<()> {
    let path = &args.questions;
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
    let examples = read(&text).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    if of(&examples, Split::Training).next().is_none() {
        return Err(Failure::usage(format!("{} has no questions to learn from", path.display())).into());
    }
    let learned = Classifier::learned(of(&examples, Split::Training));
    let measured = [("shipped", Classifier::shipped()), ("learned now", &learned)]
        .map(|(name, classifier)| (name, Split::ALL.map(|split| classifier.score(of(&examples, split)))));
    if let Some(path) = &args.weights {
        let text = serde_json::to_string_pretty(&learned)?;
        std::fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("weights: {}", path.display());
    }
    if args.json {
        let scores = |scores: &[Score; 3]| {
            Split::ALL
                .iter()
                .zip(scores)
                .map(|(split, score)| (split.name().to_owned(), json!(score)))
                .collect::<serde_json::Map<_, _>>()
        };
        let [shipped, now] = &measured;
        println!(
            "{}",
            json!({ "shipped": scores(&shipped.1), "learned": scores(&now.1), "weights": learned })
        );
    } else {
        print!("{}", table(&measured));
    }
    Ok(())
}

fn of(examples: &[Example], split: Split) -> impl Iterator<Item = &Example> {
    examples.iter().filter(move |example| example.split == split)
}

fn table(measured: &[(&str, [Score; 3])]) -> String {
    let mut text = format!(
        "| weights | questions | told apart rightly | direct (at {DIRECT:.2}) | direct, though complex |\n\
         | --- | --- | --- | --- | --- |\n"
    );
    for (name, scores) in measured {
        for (split, score) in Split::ALL.iter().zip(scores) {
            // Writing into a String cannot fail.
            let _ = writeln!(
                text,
                "| {name} | {}, {} | {:.1} % | {} | {} |",
                split.name(),
                score.questions,
                score.right as f64 * 100.0 / score.questions.max(1) as f64,
                score.direct,
                score.direct_wrongly,
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_row_and_an_empty_one_divides_by_nothing() {
        let score = Score { questions: 50, right: 48, direct: 24, direct_wrongly: 1 };
        let text = table(&[("shipped", [score, score, Score::default()])]);
        assert!(text.contains("| shipped | held-out, 50 | 96.0 % | 24 | 1 |"), "{text}");
        assert!(text.contains("| shipped | written, 0 | 0.0 % | 0 | 0 |"), "{text}");
    }
}
