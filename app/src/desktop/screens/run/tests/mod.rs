//! The run screen, in any state and at any moment.

mod folds;
mod lanes;
mod moments;
mod orders;
mod pictures;
mod plans;

use frlm_client::questions::stage::RunStage;
use frlm_conductor::trace::{TraceEvent, TraceRecord};
use frlm_learning::planning::account::{Appraisal, Chosen};
use frlm_learning::planning::decompose::{self, EpisodeId, Pattern};
use frlm_learning::planning::evaluation::{Batch, evaluate};
use frlm_learning::planning::hints::HintRecord;
use frlm_learning::planning::reward::Outcome;
use frlm_learning::planning::satisfaction::Satisfaction;

use super::samples::{Recipe, weighed};
use super::state::Run;
use crate::desktop::screens::Screen;
use crate::desktop::state::State;

/// The records, and one more thing that happens.
fn then(mut records: Vec<TraceRecord>, event: TraceEvent) -> Vec<TraceRecord> {
    let (seq, at_ms) = (records.len() as u64, records.last().map_or(0, |last| last.at_ms) + 4);
    records.push(TraceRecord { seq, at_ms, event });
    records
}

fn on_screen(run: Run) -> State {
    State { screen: Screen::Run, run, ..State::default() }
}

/// What that run is asked.
const OF_THREE_PARTS: &str = "Which user has the most failed orders, how many errors did the log show for that user, and \
                              was their largest order shipped?";

/// The end of a run whose question had three parts, which the policy had asked in waves.
fn of_three_parts() -> Vec<TraceRecord> {
    let chosen = Chosen {
        practices: Vec::new(),
        episode: EpisodeId(7),
        action: decompose::Action { pattern: Pattern::Hybrid, ..decompose::Action::STATIC },
        explored: false,
        test: None,
        updates: 3,
        why: "drawn by a policy that has learned 3 times".to_owned(),
    };
    let mut records = Recipe::done(41);
    for record in &mut records {
        if let TraceEvent::RunStart { question, .. } = &mut record.event {
            OF_THREE_PARTS.clone_into(question);
        }
        if let TraceEvent::Notice { stage: RunStage::Analyse, says } = &mut record.event {
            "the question has three parts, two of which wait for the first".clone_into(says);
        }
    }
    let steps = [
        (0, 15, "Which user has the most failed orders", (0, None)),
        (15, 11, "how many errors did the log show for user ines.costa", (1, Some(0))),
        (26, 15, "was the largest of orders of user ines.costa shipped", (2, Some(0))),
    ];
    let batch = Batch { correctness: 0.97, expected_secs: 40.0, real_secs: 52.0, routing_accuracy: 0.88 };
    let evaluated = TraceEvent::Evaluated {
        appraisal: Box::new(Appraisal {
            evaluation: evaluate(&batch, 0.61),
            expected_secs: 40.0,
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
    let mut records = then(records, TraceEvent::Chosen(Box::new(chosen)));
    for (first, count, text, place) in steps {
        records = then(records, weighed(first, count, text, Some(place)));
    }
    then(records, evaluated)
}
