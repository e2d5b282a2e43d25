//! The plan as the brain sees it: its steps, what each waits for, how simple it is, and who should answer it.

use egui::Ui;
use frlm_client::learning::planning::decompose::{Action, AskingOrder, Phrasing, Strategy};
use frlm_client::learning::planning::hints::Suggested;
use frlm_client::protocol::printable;
use frlm_client::view::{ClusterView, EvaluatedView, StepView};

use super::state::Run;
use super::words;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::{plural, sentence};
use crate::desktop::widgets::{card_ui, name, small, soft};

/// Steps that are shown; a plan that a person reads has fewer.
const MOST_STEPS: usize = 12;

/// The steps, where there are any.
pub fn plan_ui(ui: &mut Ui, run: &Run) {
    let steps = &run.view.plan.steps;
    if steps.is_empty() {
        return;
    }
    card_ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::XS;
        if let Some(chosen) = &run.view.plan.chosen {
            ui.label(small(ui, &way(chosen.action)));
            if let Some(test) = chosen.test {
                ui.label(small(ui, &words::sample_of(test)));
            }
            ui.label(soft(ui, &sentence(&printable(&chosen.why))));
        }
        for (position, step) in steps.iter().take(MOST_STEPS).enumerate() {
            step_ui(ui, run, position, step);
        }
        if steps.len() > MOST_STEPS {
            ui.label(small(ui, &words::more_steps(steps.len() - MOST_STEPS)));
        }
        // It is evaluated when it has ended.
        if let Some(evaluated) = run.view.evaluation.run.as_ref().filter(|_| run.cursor.is_none()) {
            ui.add_space(space::S);
            let EvaluatedView { appraisal, outcome, .. } = evaluated;
            let evaluation = &appraisal.evaluation;
            ui.label(soft(ui, &words::score(evaluation.batch, appraisal.reward))).on_hover_text(format!(
                "Correctness, pace and routing: {:.2}, {:.2}, {:.2}. Success {:.2}, simplicity {:.2}, coherence {:.2} in \
                 {:.1} s",
                evaluation.components[0],
                evaluation.components[1],
                evaluation.components[2],
                outcome.success,
                outcome.simplicity,
                outcome.coherence,
                outcome.latency_secs
            ));
            let told = evaluation.feedback();
            if !told.is_empty() {
                ui.label(small(ui, &told));
            }
        }
        for cluster in run.view.evaluation.clusters.iter().filter(|_| run.cursor.is_none()) {
            cluster_ui(ui, cluster);
        }
    });
    ui.add_space(space::S);
}

/// How those did who answered one kind of task, taken together (seeds/verifier-block.md, "Cluster-level Feedback").
fn cluster_ui(ui: &mut Ui, cluster: &ClusterView) {
    let ClusterView { kind, sets, feedback } = cluster;
    let quality = feedback.cluster_quality;
    let word = feedback.overall_performance.name();
    let mut about = format!(
        "{}: answers {:.2}, agreement {:.2}, fitness {:.2}",
        plural(*sets as usize, words::REPLICA_SET),
        quality.consensus_quality,
        quality.consistency,
        quality.average_node_quality,
    );
    for advice in &feedback.recommendations {
        about.push_str(". ");
        about.push_str(&printable(advice));
    }
    ui.label(soft(ui, &words::together(&printable(kind), word))).on_hover_text(about);
}

fn step_ui(ui: &mut Ui, run: &Run, position: usize, step: &StepView) {
    let number = step.part.unwrap_or(position) + 1;
    let waits = step.needs.map_or(String::new(), |part| words::after_part(part + 1));
    if position > 0 || run.view.plan.chosen.is_some() {
        ui.add_space(space::S);
    }
    ui.label(name(&words::step(number, &sentence(&printable(&step.text)))));
    ui.label(small(ui, &words::step_verified(run.verified_of(position), step.count, &waits)));
    ui.label(soft(ui, &advice(step))).on_hover_text(printable(&step.weighed.hint.reason).as_ref());
    let record = run.hint_record(position).unwrap_or_default();
    if let (Some(followed), Some(right)) = (record.follow_rate(), record.accuracy()) {
        ui.label(small(ui, &words::followed(followed, right))).on_hover_text(words::FOLLOWED_HINT);
    }
}

/// In which order and in which words the parts are asked.
fn way(action: Action) -> String {
    let Strategy { order, phrasing } = Strategy::of(&action);
    let order = match order {
        AskingOrder::AllAtOnce => "as soon as each has what it needs",
        AskingOrder::InWaves => "in waves, the next when all of one are answered",
        AskingOrder::OneByOne => "one by one",
    };
    let phrasing = match phrasing {
        Phrasing::Specific => "in exact words",
        Phrasing::General => "in the words of the question",
        Phrasing::ContextRich => "with what the question says around them",
    };
    words::way(order, phrasing, action.steps)
}

/// How simple a step is and who should answer it, in words.
pub fn advice(step: &StepView) -> String {
    let who = match step.weighed.hint.suggested {
        Suggested::One => "one provider is enough",
        Suggested::Several => "several should answer",
        Suggested::Any => "any provider with room",
    };
    let simplicity = &step.weighed.simplicity;
    words::advice(simplicity.score, &printable(&simplicity.reasoning), who, step.weighed.hint.confidence)
}
