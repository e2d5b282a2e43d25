//! Traces as the pipeline writes them, from a fixed recipe: for benchmarks, pictures and tests of front ends.
//! Nobody is asked and nothing is answered; the screen that shows one says that it is a simulation.

use frlm_questions::answer::{
    Answer, BudgetReport, Citation, FinalReport, Location, Method, SubtaskReport, UsageReport,
    VerificationReport,
};
use frlm_questions::ingest::DocumentsReport;
use frlm_questions::plan::Outcome;
use frlm_questions::stage::RunStage;
use frlm_scheduler::{AttemptId, FailureReason, SubtaskId};
use frlm_verifier::decisions::Verb;
use std::collections::BTreeMap;

use frlm_conductor::trace::{Decider, DecisionBasis, PlannedSubtask, PosteriorStep, TraceEvent, TraceRecord};
use frlm_learning::planning::hints::{Complexity, hint};
use frlm_learning::planning::simplicity::{TaskType, simplicity};
use frlm_learning::planning::steps::Weighed;
use frlm_verifier::decisions::DataSource;
use frlm_verifier::trust::AskReason;

const NAMES: [&str; 5] = ["amber-fox", "slate-heron", "birch-otter", "cobalt-wren", "quiet-lynx"];

/// Writes a trace.
#[derive(Default)]
pub struct Recipe {
    records: Vec<TraceRecord>,
    at_ms: u64,
}

/// Records that are found in a lane: one in each of the first twelve, which makes the answer of the samples.
fn found(lane: u32) -> u32 {
    u32::from(lane < 12)
}

fn matching(records: u32) -> String {
    if records == 1 { "1 record matches".to_owned() } else { format!("{records} records match") }
}

impl Recipe {
    fn emit(&mut self, later_ms: u64, event: TraceEvent) {
        self.at_ms += later_ms;
        self.records.push(TraceRecord { seq: self.records.len() as u64, at_ms: self.at_ms, event });
    }

    fn begin(&mut self, lanes: u32) {
        self.emit(
            0,
            TraceEvent::RunStart {
                run_id: "5e1f0c9a7b3d2468".to_owned(),
                question: "How many orders have status failed?".to_owned(),
                started_at_ms: 1_772_409_600_000,
                limit_sats: 1_000,
                policy: "redundancy:3/2".to_owned(),
                documents: vec!["orders.log".to_owned()],
                fragments: lanes as usize,
            },
        );
        self.emit(3, TraceEvent::RelayOnline { relay: "ws://127.0.0.1:40123".to_owned() });
        for name in NAMES {
            self.emit(
                2,
                TraceEvent::ProviderSeen {
                    provider: key(name),
                    name: name.to_owned(),
                    model: "frlm-records".to_owned(),
                    price_msats_per_1k: 4_000,
                },
            );
        }
        self.emit(
            4,
            TraceEvent::Notice {
                stage: RunStage::Analyse,
                says: "Understood as: count by status".to_owned(),
            },
        );
        let subtasks = (0..lanes)
            .map(|lane| PlannedSubtask {
                id: SubtaskId(lane),
                key: format!("map:{lane}:{lane:064x}"),
                label: format!("lines {}–{} of orders.log", lane * 16 + 1, lane * 16 + 16),
            })
            .collect();
        self.emit(1, TraceEvent::Plan { subtasks });
    }

    fn submit(&mut self, lane: u32, attempt: u32) {
        let (subtask, attempt_id) = (SubtaskId(lane), AttemptId(attempt));
        let name = NAMES[(lane + attempt * 2) as usize % NAMES.len()];
        self.emit(1, TraceEvent::BudgetReserve { subtask, attempt: attempt_id, sats: 4 });
        let provider = key(name);
        self.emit(
            0,
            TraceEvent::SubQuerySubmit { subtask, attempt: attempt_id, provider, hedge: attempt > 1 },
        );
        self.emit(2, TraceEvent::SubQuerySent { subtask, attempt: attempt_id, job: job(lane, attempt) });
    }

    fn began(&mut self, lane: u32, attempt: u32) {
        self.emit(
            6,
            TraceEvent::SubQueryFeedback {
                subtask: SubtaskId(lane),
                attempt: AttemptId(attempt),
                status: "processing".to_owned(),
                detail: None,
            },
        );
    }

    fn answered(&mut self, lane: u32, attempt: u32) {
        self.said(lane, attempt, &matching(found(lane)));
    }

    fn said(&mut self, lane: u32, attempt: u32, summary: &str) {
        self.emit(
            11,
            TraceEvent::SubQueryReturn {
                subtask: SubtaskId(lane),
                attempt: AttemptId(attempt),
                ok: true,
                summary: summary.to_owned(),
                tokens: 612,
                completion_tokens: 12,
                duration_ms: 40,
            },
        );
    }

    fn compared(&mut self, lane: u32, attempts: u32, dissenting: Option<u32>) {
        let said = |attempt: u32| key(NAMES[(lane + attempt * 2) as usize % NAMES.len()]);
        let agreeing: Vec<String> =
            (0..attempts).filter(|attempt| Some(*attempt) != dissenting).map(said).collect();
        let agreement = agreeing.len() as f64 / f64::from(attempts);
        self.emit(
            1,
            TraceEvent::Verify {
                subtask: SubtaskId(lane),
                passed: true,
                agreement,
                agreeing,
                dissenting: dissenting.map(said).into_iter().collect(),
            },
        );
        self.emit(
            0,
            TraceEvent::Verified {
                subtask: SubtaskId(lane),
                key: format!("map:{lane}:{lane:064x}"),
                outcome: Outcome::Combined(found(lane).to_string()),
                agreement,
                confidence: Some(0.93),
                replicas: attempts,
                local: false,
            },
        );
        for attempt in 0..attempts {
            let paid = u64::from(Some(attempt) != dissenting) * 3;
            self.emit(
                0,
                TraceEvent::BudgetSettle {
                    subtask: SubtaskId(lane),
                    attempt: AttemptId(attempt),
                    spent_sats: paid,
                    refunded_sats: 4 - paid,
                },
            );
        }
    }

    /// A lane from the first job to the verdict; every ninth is disputed.
    fn lane(&mut self, lane: u32) {
        let disputed = lane % 9 == 4;
        let attempts = if disputed { 3 } else { 2 };
        for attempt in 0..2 {
            self.submit(lane, attempt);
        }
        for attempt in 0..2 {
            self.began(lane, attempt);
        }
        self.answered(lane, 0);
        // A provider that differs says something else.
        self.said(lane, 1, &matching(found(lane) + u32::from(disputed)));
        if disputed {
            self.submit(lane, 2);
            self.began(lane, 2);
            self.answered(lane, 2);
        }
        self.compared(lane, attempts, disputed.then_some(1));
    }

    /// The plan as the brain sees it: three steps that share the lanes.
    fn steps(&mut self, lanes: u32) {
        let texts = [
            "Which user has the most failed orders",
            "How many errors did the log show for that user",
            "Was the largest order of that user shipped",
        ];
        let (mut first, mut left) = (0, lanes);
        for ((position, text), share) in (0_usize..).zip(texts).zip([3_u32, 2, 1]) {
            let count = left.div_ceil(share);
            self.emit(0, weighed(first, count, text, Some((position, position.checked_sub(1)))));
            (first, left) = (first + count, left - count);
        }
    }

    /// About `events` events of finished lanes, with a plan in three steps.
    pub fn long(events: usize) -> Vec<TraceRecord> {
        let mut recipe = Self::default();
        // A lane makes 18 events, and 24 where it is disputed.
        let lanes = u32::try_from(events / 18 + 1).unwrap_or(u32::MAX);
        recipe.begin(lanes);
        recipe.steps(lanes);
        for lane in 0.. {
            if recipe.records.len() >= events {
                break;
            }
            recipe.lane(lane);
        }
        recipe.records.truncate(events);
        recipe.records
    }
}

/// A step of so many subtasks, as a run records it; of a question in parts, which it is and what it waits for.
pub fn weighed(first: u32, count: u32, text: &str, place: Option<(usize, Option<usize>)>) -> TraceEvent {
    let weighed = Weighed {
        task_type: TaskType::FactualSearch,
        complexity: Complexity::Simple,
        simplicity: simplicity(text, TaskType::FactualSearch, None),
        hint: hint(Complexity::Simple, TaskType::FactualSearch, 0.80),
    };
    TraceEvent::Weighed {
        first: SubtaskId(first),
        count,
        text: text.to_owned(),
        part: place.map(|(part, _)| part),
        needs: place.and_then(|(_, needs)| needs),
        weighed: Box::new(weighed),
    }
}

/// The event id of a job: a number that looks like one, and is always the same for the same job.
pub fn job(lane: u32, attempt: u32) -> String {
    let mut state = u64::from(lane) << 32 | u64::from(attempt);
    // SplitMix64, four times.
    let words = std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        format!("{:016x}", mixed ^ (mixed >> 31))
    });
    words.take(4).collect()
}

/// The key of a provider, as a job's id is made: the same for the same name.
fn key(name: &str) -> String {
    let number = name.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    job(number, u32::MAX)
}

/// The answer of the sample runs.
pub fn answer() -> Answer {
    let citation = |line: u32, fragment: u32| Citation {
        fragment: fragment.to_string(),
        file: "orders.log".to_owned(),
        lines: [line, line],
        location: Location::default(),
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
                stage: RunStage::Collect,
                decision: Verb::Proceed,
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
        let (stage, decision) = (RunStage::Collect, Verb::Escalate);
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
