//! How a recorded run came to its answer, in lines of text: providers, plan, verdicts, decisions.

use std::fmt::Write as _;

use crate::view::{ClusterView, DecidedView, Ending, EvaluatedView, RunView, TellingView};
use frlm_conductor::trace::{Decider, DecisionBasis};
use frlm_learning::planning::account::{Appraisal, strategy_name};
use frlm_learning::planning::evaluation::Signal;
use frlm_learning::planning::hints::Suggested;
use frlm_learning::planning::satisfaction::Satisfaction;
use frlm_protocol::{one_line, printable};
use frlm_util::text::shortened;

/// Everything that the record says of how a run came to its answer.
pub fn lines(view: &RunView) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(Ending::Answered(answer)) = &view.ending
        && let Some(reading) = &answer.reading
    {
        lines.push(format!("\nread as           {}", printable(&reading.words)));
        lines.push(format!("as SQL            {}", one_line(&reading.sql)));
        lines.extend(reading.notes.iter().map(|note| format!("{:18}{}", "", one_line(note))));
    }
    lines.push("\nprovider          model             asked  agreed  dissented".to_owned());
    let names: Vec<_> =
        view.providers.iter().map(|provider| shortened(&one_line(&provider.display_name()), 16)).collect();
    for (provider, name) in view.providers.iter().zip(&names) {
        let namesakes = names.iter().filter(|other| *other == name).count() > 1;
        lines.push(format!(
            "{name:16}  {:16}  {:5}  {:6}  {:9}{}",
            shortened(&printable(&provider.model), 16),
            provider.asked,
            provider.agreed,
            provider.dissented,
            if namesakes { format!("  {}", provider.short_key()) } else { String::new() }
        ));
    }
    if !view.plan.routes.is_empty() {
        lines.push("\nrouted            role          venue             subtasks  verified".to_owned());
    }
    for route in &view.plan.routes {
        lines.push(format!(
            "{:16}  {:12}  {:16}  {:8}  {:8}",
            shortened(&printable(&route.task_type), 16),
            shortened(&printable(&route.role), 12),
            shortened(&printable(&route.venue), 16),
            route.subtasks,
            route.verified
        ));
    }
    lines.extend(plan(view).into_iter().chain(served(view)).chain(clusters(view)));
    lines.push("\nchecked           passed  failed".to_owned());
    for (tier, counts) in [
        ("one by one", view.checks.alone),
        ("against others", view.checks.compared),
        ("as a whole", view.checks.whole),
    ] {
        lines.push(format!("{tier:16}  {:6}  {:6}", counts.passed, counts.failed));
    }
    if !view.tellings.is_empty() {
        lines.push("\ndecisions and notices".to_owned());
    }
    for telling in &view.tellings {
        lines.push(format!("{:>9.3} s  {}", telling.at_ms as f64 / 1e3, printable(&told(telling))));
    }
    if view.strays > 0 {
        lines.push(format!(
            "{} events did not count (late, repeated, unreadable or from unknown keys)",
            view.strays
        ));
    }
    lines
}

/// A notice, or a decision, in a line: after which stage, what, by whom, why, and by how much.
pub fn told(telling: &TellingView) -> String {
    let TellingView { stage, says, decided, .. } = telling;
    let Some(DecidedView { verb, basis }) = decided else { return format!("{stage}: {says}") };
    let basis = basis.as_deref();
    let mut text = format!("{stage}: {}", verb.name());
    // Writing into a String cannot fail.
    if let Some(reason) = basis.and_then(|basis| basis.retry_reason) {
        let _ = write!(text, " ({})", format!("{reason:?}").to_lowercase());
    }
    let by = match basis.map(|basis| &basis.by) {
        None => "",
        Some(Decider::Model) => " by the model",
        Some(Decider::Code | Decider::CodeAsModelFailed(_)) => " by code",
    };
    let _ = write!(text, "{by}: {says}");
    if let Some(DecisionBasis { by: Decider::CodeAsModelFailed(why), .. }) = basis {
        let _ = write!(text, " [the model's verdict did not count: {why}]");
    }
    for (name, value) in basis.into_iter().flat_map(|basis| &basis.suggested_params) {
        let _ = write!(text, " [to try: {name} {value}]");
    }
    let rates = basis.into_iter().flat_map(|basis| &basis.rates).filter(|(_, rate)| **rate != 0.0);
    for (at, (name, rate)) in rates.enumerate() {
        let _ = write!(text, "{}{name} {rate:.3}", if at == 0 { " · " } else { ", " });
    }
    text
}

/// The steps of the plan: how simple each is, who the hint says should answer it, and what became of that.
fn plan(view: &RunView) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(chosen) = &view.plan.chosen {
        let tried = match chosen.test {
            Some(test) => format!(" (a sample of test {test})"),
            None if chosen.explored => " (tried)".to_owned(),
            None => String::new(),
        };
        lines.push(format!(
            "\nplan              {}, at most {} parts at once{tried}: {}",
            strategy_name(&chosen.action),
            chosen.action.steps,
            printable(&chosen.why)
        ));
    }
    if !view.plan.steps.is_empty() {
        lines.push(format!("\n{:44}  simple  hint     sure  verified  followed  right", "step"));
    }
    for (number, step) in (1..).zip(&view.plan.steps) {
        let number = step.part.map_or(number, |part| part + 1);
        let waits = step.needs.map_or(String::new(), |part| format!(" (after {})", part + 1));
        let record = step.hint_record(&view.subtasks);
        lines.push(format!(
            "{:44}  {:6.2}  {:7}  {:4.2}  {:>8}  {:>8}  {:>5}",
            shortened(&printable(&format!("{number}{waits} {}", step.text)), 44),
            step.weighed.simplicity.score,
            hint_in_words(step.weighed.hint.suggested),
            step.weighed.hint.confidence,
            format!("{}/{}", step.verified(&view.subtasks), step.count),
            share(record.follow_rate()),
            share(record.accuracy()),
        ));
    }
    lines
}

/// How well the run was served, and what the way to take its question apart was worth.
fn served(view: &RunView) -> Vec<String> {
    let Some(EvaluatedView { appraisal, outcome, hints, kept }) = &view.evaluation.run else {
        return Vec::new();
    };
    let Appraisal { evaluation, expected_secs, reward } = appraisal;
    let [correct, pace, routing] = evaluation.components;
    let signal = match evaluation.signal {
        Signal::Positive => "better than before",
        Signal::Neutral => "as before",
        Signal::Negative => "worse than before",
    };
    let satisfaction = match outcome.satisfaction {
        Satisfaction::Stars(stars) => format!("{stars} stars"),
        Satisfaction::Guessed(share) => format!("{share:.2} guessed"),
    };
    let mut lines = vec![
        format!(
            "\nserved            {:.2} = 0.5 × {correct:.2} correct + 0.3 × {pace:.2} pace + 0.2 × {routing:.2} hints right",
            evaluation.batch
        ),
        format!(
            "                  {:.1} s, {expected_secs:.1} s were expected; score {:.3} → {:.3}: {signal}",
            outcome.latency_secs, evaluation.old, evaluation.new
        ),
    ];
    let told = evaluation.feedback();
    if !told.is_empty() {
        lines.push(format!("{:18}{told}", ""));
    }
    lines.extend([
        format!(
            "reward            {reward:.3}: success {:.2}, satisfaction {satisfaction}, simplicity {:.2}, coherence {:.2}, \
             {} steps",
            outcome.success, outcome.simplicity, outcome.coherence, outcome.steps
        ),
        format!(
            "                  hints followed {}, right {}; {}",
            share(hints.follow_rate()),
            share(hints.accuracy()),
            if *kept { "added to what runs have taught" } else { "not added to what runs have taught" }
        ),
    ]);
    lines
}

/// What is said of those who answered each kind of task, taken together.
fn clusters(view: &RunView) -> Vec<String> {
    let mut lines = Vec::new();
    if !view.evaluation.clusters.is_empty() {
        lines.push("\ntogether          sets  answers  agreement  fitness".to_owned());
    }
    for ClusterView { kind, sets, feedback } in &view.evaluation.clusters {
        let quality = feedback.cluster_quality;
        lines.push(format!(
            "{:16}  {sets:4}  {:7.2}  {:9.2}  {:7.2}  {}",
            shortened(&printable(kind), 16),
            quality.consensus_quality,
            quality.consistency,
            quality.average_node_quality,
            feedback.overall_performance.name(),
        ));
        lines.extend(
            feedback.recommendations.iter().map(|advice| format!("{:16}  {}", "", printable(advice))),
        );
    }
    lines
}

/// Who should answer.
fn hint_in_words(suggested: Suggested) -> &'static str {
    match suggested {
        Suggested::One => "one",
        Suggested::Several => "several",
        Suggested::Any => "any",
    }
}

fn share(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

#[cfg(test)]
mod tests {
    use frlm_conductor::trace::{TraceEvent, TraceRecord};
    use frlm_learning::planning::evaluation::{Batch, evaluate};
    use frlm_learning::planning::hints::HintRecord;
    use frlm_learning::planning::reward::Outcome;

    use super::*;

    #[test]
    fn what_served_a_run_is_told_what_was_good_and_what_should_get_better() {
        let batch = Batch { correctness: 0.97, expected_secs: 20.0, real_secs: 52.0, routing_accuracy: 0.8 };
        let evaluated = TraceEvent::Evaluated {
            appraisal: Box::new(Appraisal {
                evaluation: evaluate(&batch, 0.61),
                expected_secs: 20.0,
                reward: 0.66,
            }),
            outcome: Outcome {
                success: 1.0,
                satisfaction: Satisfaction::Guessed(0.5),
                latency_secs: 52.0,
                simplicity: 0.78,
                coherence: 1.0,
                steps: 3,
                complex: true,
            },
            hints: HintRecord::default(),
            kept: true,
        };
        let lines = served(&RunView::of(&[TraceRecord { seq: 0, at_ms: 52_000, event: evaluated }]));
        assert_eq!(lines[2], "                  good: correct answers; to get better: speed", "{lines:?}");
        assert!(lines[3].starts_with("reward            0.660: success 1.00"), "{lines:?}");
    }
}
