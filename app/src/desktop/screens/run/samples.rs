//! Runs for pictures and tests.

use std::collections::BTreeMap;

use frlm_client::conductor::answer::{
    Answer, BudgetReport, Citation, FinalReport, Method, SubtaskReport, UsageReport, VerificationReport,
};
use frlm_client::conductor::ingest::DocumentsReport;
use frlm_client::conductor::scheduler::{FailureReason, SubtaskId};
use frlm_client::conductor::trace::{Decider, DecisionBasis, PosteriorStep, TraceEvent, TraceRecord};
use frlm_client::verifier::decisions::DataSource;
use frlm_client::verifier::trust::AskReason;

use super::messages::Event;
pub use super::recipe::Recipe;
use super::state::Run;
use crate::desktop::widgets::Unit;

/// The answer of the sample runs.
pub fn answer() -> Answer {
    let citation = |line: u32, fragment: u32| Citation {
        fragment: fragment.to_string(),
        file: "orders.log".to_owned(),
        lines: [line, line],
        location: frlm_client::conductor::answer::Location::default(),
        quote: format!(
            "2026-03-0{}T{:02}:1{}:09Z order=4{line:04} user=ida.holm amount=49.95 status=failed",
            2 + fragment * 7 / 12,
            // A later line is a later order, also on the same day.
            4 + fragment,
            line % 10
        ),
        claim: None,
    };
    Answer {
        run_id: "5e1f0c9a7b3d2468".to_owned(),
        answer: "**12 records** match (status = failed), between 2 and 8 March.".to_owned(),
        method: Method::MapReduce,
        reading: None,
        confidence: 0.91,
        coverage: 1.0,
        documents: DocumentsReport::default(),
        completeness: None,
        citations: (0..12).map(|number| citation(number * 16 + 7, number)).collect(),
        budget: BudgetReport {
            limit_sats: 1_000,
            spent_sats: 246,
            fees_sats: 0,
            reserved_sats: 0,
            pending_refund_sats: 0,
            available_sats: 754,
            refund_at: None,
        },
        subtasks: SubtaskReport { total: 41, verified: 41, swarm: 41, ..SubtaskReport::default() },
        verification: VerificationReport {
            policy: "redundancy:3/2".to_owned(),
            // As the trace has it: five of the parts were disputed, and a third answer decided each.
            replicas: 87,
            agreement: 0.96,
            spot_checks: 4,
            rechecks: 0,
            arbitrated: 0,
            gold_tasks: 3,
            gold_failed: 0,
            claims: None,
            final_check: Some(FinalReport { passed: true, claims: 12, findings: Vec::new() }),
        },
        decisions: Vec::new(),
        usage: UsageReport::default(),
        duration_ms: 8_123,
    }
}

impl Recipe {
    /// A run in the middle: of `lanes`, most are verified, some at work, the rest queued.
    pub fn busy(lanes: u32) -> Vec<TraceRecord> {
        let mut recipe = Self::default();
        recipe.begin(lanes);
        let done = lanes * 6 / 10;
        for lane in 0..done {
            recipe.lane(lane);
        }
        for lane in done..(done + lanes / 8) {
            recipe.submit(lane, 0);
            recipe.submit(lane, 1);
            if lane % 2 == 0 {
                recipe.began(lane, 0);
            }
            if lane % 3 == 0 {
                recipe.answered(lane, 0);
            }
        }
        recipe.records
    }

    /// A finished run.
    pub fn done(lanes: u32) -> Vec<TraceRecord> {
        let mut recipe = Self::default();
        recipe.begin(lanes);
        for lane in 0..lanes {
            recipe.lane(lane);
        }
        recipe.emit(
            2,
            TraceEvent::Decision {
                stage: "collect".to_owned(),
                decision: "proceed".to_owned(),
                reasoning: format!("{lanes} of {lanes} parts are verified"),
                basis: None,
            },
        );
        let (parts, findings) = (lanes as usize, Vec::new());
        recipe.emit(0, TraceEvent::FinalCheck { passed: true, parts, claims: 12, findings });
        recipe.emit(2, TraceEvent::RunDone { answer: Box::new(answer()) });
        recipe.records
    }

    /// A finished run of the adaptive policy: most parts are accepted at once, some after a second answer.
    pub fn adaptive(lanes: u32) -> Vec<TraceRecord> {
        let mut records = Vec::new();
        for mut record in Self::done(lanes) {
            if let TraceEvent::RunStart { policy, .. } = &mut record.event {
                "adaptive".clone_into(policy);
            }
            let mut verified = None;
            if let TraceEvent::Verified { subtask, .. } = &record.event {
                verified = Some(*subtask);
            }
            let at_ms = record.at_ms;
            let mut push = |event| records.push(TraceRecord { seq: records.len() as u64, at_ms, event });
            if let Some(subtask) = verified {
                let posterior = |step, fidelity| TraceEvent::Posterior {
                    subtask,
                    step,
                    fidelity,
                    correctness: fidelity * 0.95,
                };
                if subtask.0 % 7 == 0 {
                    push(posterior(PosteriorStep::Ask(AskReason::Doubt), 0.87));
                }
                push(posterior(PosteriorStep::Accept, 0.982 + f64::from(subtask.0 % 5) * 0.003));
            }
            push(record.event);
        }
        records
    }

    /// A run that ran out of money, with some parts given up: 5 sats are left of its budget, and two jobs of 4 are too
    /// many for that.
    pub fn over_budget(lanes: u32) -> Vec<TraceRecord> {
        let mut recipe = Self::default();
        recipe.begin(lanes);
        let (left, budget) = (5, u64::from(lanes / 2) * 6 + 5);
        if let Some(TraceRecord { event: TraceEvent::RunStart { limit_sats, .. }, .. }) =
            recipe.records.first_mut()
        {
            *limit_sats = budget;
        }
        for lane in 0..lanes / 2 {
            recipe.lane(lane);
        }
        for lane in lanes / 2..lanes {
            recipe.emit(1, TraceEvent::GaveUp { subtask: SubtaskId(lane), why: FailureReason::OverBudget });
        }
        recipe.escalate("too few sats are left for the open parts", None);
        let error = format!("the next part could cost more than the {left} sats that are left of {budget}");
        recipe.emit(1, TraceEvent::RunFailed { error, exit_code: 3 });
        recipe.records
    }
}

impl Recipe {
    fn escalate(&mut self, reasoning: &str, basis: Option<Box<DecisionBasis>>) {
        let (stage, decision) = ("collect".to_owned(), "escalate".to_owned());
        self.emit(1, TraceEvent::Decision { stage, decision, reasoning: reasoning.to_owned(), basis });
    }

    /// A run that was left to a person: some parts were given up.
    pub fn left_to_a_person(lanes: u32) -> Vec<TraceRecord> {
        let mut recipe = Self::default();
        recipe.begin(lanes);
        for lane in 0..lanes - 3 {
            recipe.lane(lane);
        }
        for lane in lanes - 3..lanes {
            recipe.emit(1, TraceEvent::GaveUp { subtask: SubtaskId(lane), why: FailureReason::Split });
        }
        let basis = DecisionBasis {
            by: Decider::Code,
            retry_reason: None,
            confidence: 0.9,
            signal: "contradicted_rate".to_owned(),
            data_source: DataSource::Real,
            metrics: BTreeMap::from([("audits".to_owned(), 4.0)]),
            rates: BTreeMap::from([("contradicted_rate".to_owned(), 0.25)]),
            suggested_params: BTreeMap::new(),
            warnings: Vec::new(),
        };
        let reasoning = "contradicted_rate 0.2500 exceeds fail threshold for real data";
        recipe.escalate(reasoning, Some(Box::new(basis)));
        let error = "a person has to decide after \"collect\"; frlm runs resume 5e1f --accept goes on";
        recipe.emit(1, TraceEvent::RunFailed { error: error.to_owned(), exit_code: 5 });
        recipe.records
    }
}

/// A run on screen.
pub fn shown(records: Vec<TraceRecord>, live: bool) -> Run {
    let mut run = Run::default();
    run.apply(Event::Opened { id: "5e1f0c9a7b3d2468".to_owned(), live, unit: Unit::Sats });
    run.apply(Event::Records { id: "5e1f0c9a7b3d2468".to_owned(), records });
    if !live {
        run.apply(Event::Loaded { id: "5e1f0c9a7b3d2468".to_owned(), damage: None });
    }
    run
}
