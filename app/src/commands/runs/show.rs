//! `frlm runs show`: one run, with its plan, providers and verdicts.

use frlm_client::conductor::store::{Store, StoredRun};
use frlm_client::conductor::trace::view::{ClusterView, DecisionView, Ending, EvaluatedView, RunView};
use frlm_client::learning::planning::account::{Appraisal, strategy_name};
use frlm_client::learning::planning::evaluation::Signal;
use frlm_client::learning::planning::hints::Suggested;
use frlm_client::learning::planning::satisfaction::Satisfaction;
use frlm_client::protocol::{one_line, printable};
use frlm_client::util::text::shortened;

use super::{decided, in_play_money, program_of};
use frlm_client::home::Home;
use frlm_client::output;

/// Of a run in play money that has no answer.
const ENDED_WITH_ITS_SWARM: &str =
    "It is paid in play money of a swarm that is over or another program's: ask again, or try frlm demo";

pub(super) fn show(store: &Store, run: &StoredRun, json: bool, home: &Home) -> anyhow::Result<()> {
    let loaded = store.trace(&run.id)?;
    let view = RunView::of(&loaded.records);
    if let Some(damage) = &loaded.damage {
        note!("note: the record is damaged: {damage}; this is what it says up to there");
    }
    if json {
        match &view.ending {
            Some(Ending::Answered(answer)) => say!("{}", output::json(answer)),
            _ => say!(
                "{}",
                serde_json::json!({
                    "run_id": run.id, "question": run.question, "state": run.state,
                    "verified": view.verified(), "total": view.subtasks.len(),
                })
            ),
        }
        return Ok(());
    }
    say!("{}\n", printable(&run.question));
    if let Some(program) = program_of(run) {
        let digest = program.sha256.get(..16).unwrap_or_default();
        say!(
            "program {}, {} lines, sha256 {digest}\n",
            one_line(&program.name),
            program.code.lines().count()
        );
    }
    match &view.ending {
        Some(Ending::Answered(answer)) => say_raw!("{}", output::human(answer)),
        Some(Ending::Failed { error, exit_code }) => {
            say!("failed ({exit_code}): {}", told_again(error, in_play_money(run)));
        }
        None => say!(
            "not finished: {} of {} parts verified. {}",
            view.verified(),
            view.subtasks.len(),
            if home.is_under_way(&run.id) {
                "It is under way".to_owned()
            } else if in_play_money(run) {
                ENDED_WITH_ITS_SWARM.to_owned()
            } else {
                format!("Go on with: frlm runs resume {}", run.id)
            }
        ),
    }
    say!("\nprovider          model             asked  agreed  dissented");
    let names: Vec<_> =
        view.providers.iter().map(|provider| shortened(&one_line(&provider.display_name()), 16)).collect();
    for (provider, name) in view.providers.iter().zip(&names) {
        let namesakes = names.iter().filter(|other| *other == name).count() > 1;
        say!(
            "{name:16}  {:16}  {:5}  {:6}  {:9}{}",
            shortened(&printable(&provider.model), 16),
            provider.asked,
            provider.agreed,
            provider.dissented,
            if namesakes { format!("  {}", provider.short_key()) } else { String::new() }
        );
    }
    if !view.routes.is_empty() {
        say!("\nrouted            role          venue             subtasks  verified");
    }
    for route in &view.routes {
        say!(
            "{:16}  {:12}  {:16}  {:8}  {:8}",
            shortened(&printable(&route.task_type), 16),
            shortened(&printable(&route.role), 12),
            shortened(&printable(&route.venue), 16),
            route.subtasks,
            route.verified
        );
    }
    for line in plan(&view).into_iter().chain(served(&view)).chain(clusters(&view)) {
        say!("{line}");
    }
    say!("\nchecked           passed  failed");
    for (tier, counts) in [
        ("one by one", view.checked_alone),
        ("against others", view.compared),
        ("as a whole", view.checked_whole),
    ] {
        say!("{tier:16}  {:6}  {:6}", counts.passed, counts.failed);
    }
    if !view.decisions.is_empty() {
        say!("\ndecisions");
    }
    for DecisionView { at_ms, decision, basis } in &view.decisions {
        say!("{:>9.3} s  {}", *at_ms as f64 / 1e3, printable(&decided(decision, basis.as_deref())));
    }
    if view.strays > 0 {
        say!("{} events did not count (late, repeated, unreadable or from strangers)", view.strays);
    }
    Ok(())
}

/// Why a run failed. What it advised then is not repeated where nobody can follow it.
fn told_again(error: &str, in_play_money: bool) -> String {
    if in_play_money && error.contains("frlm runs resume") {
        let why = error.split("frlm runs resume").next().unwrap_or_default();
        let why = why.rfind(['.', ';', ':']).map_or("it has no answer", |end| &why[..end]);
        return printable(&format!("{why}. {ENDED_WITH_ITS_SWARM}")).into_owned();
    }
    printable(error).into_owned()
}

/// The steps of the plan: how simple each is, who the brain says should answer it, and what became of that.
fn plan(view: &RunView) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(chosen) = &view.chosen {
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
    if !view.steps.is_empty() {
        lines.push(format!("\n{:44}  simple  hint     sure  verified  followed  right", "step"));
    }
    for (number, step) in (1..).zip(&view.steps) {
        let number = step.part.map_or(number, |part| part + 1);
        let waits = step.needs.map_or(String::new(), |part| format!(" (after {})", part + 1));
        let fate = view.fate_of(step);
        lines.push(format!(
            "{:44}  {:6.2}  {:7}  {:4.2}  {:>8}  {:>8}  {:>5}",
            shortened(&printable(&format!("{number}{waits} {}", step.text)), 44),
            step.weighed.simplicity.score,
            hint_in_words(step.weighed.hint.suggested),
            step.weighed.hint.confidence,
            format!("{}/{}", view.verified_of(step), step.count),
            share(fate.follow_rate()),
            share(fate.accuracy()),
        ));
    }
    lines
}

/// How well the run was served, and what the way to take its question apart was worth.
fn served(view: &RunView) -> Vec<String> {
    let Some(EvaluatedView { appraisal, outcome, hints, kept }) = &view.evaluated else { return Vec::new() };
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
    if !view.clusters.is_empty() {
        lines.push("\ntogether          sets  answers  agreement  fitness".to_owned());
    }
    for ClusterView { kind, sets, feedback } in &view.clusters {
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

    #[test]
    fn what_cannot_be_resumed_is_not_said_to_be() {
        for (error, begins) in [
            ("stopped; frlm runs resume 12ab goes on where it was", "stopped. It is paid in play money"),
            ("2 parts failed. Start more providers and go on with frlm runs resume", "2 parts failed. It is"),
            ("frlm runs resume asks for them again", "it has no answer. It is"),
        ] {
            let told = told_again(error, true);
            assert!(told.starts_with(begins) && !told.contains("resume"), "{told}");
            assert_eq!(told_again(error, false), error);
        }
        assert_eq!(told_again("nobody answered", true), "nobody answered");
    }
}
