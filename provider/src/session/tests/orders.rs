//! Whatever the order of events, every job that is taken ends exactly once.

use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

#[derive(Debug, Clone, Copy)]
enum Step {
    Receive(usize),
    Cancel(usize),
    CancelByStranger(usize),
    Finish { which: usize, how: usize },
    Drain,
    StopRunning,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..10_usize).prop_map(Step::Receive),
        2 => (0..10_usize).prop_map(Step::Cancel),
        1 => (0..10_usize).prop_map(Step::CancelByStranger),
        6 => (0..2_usize, 0..3_usize).prop_map(|(which, how)| Step::Finish { which, how }),
        1 => Just(Step::Drain),
        1 => Just(Step::StopRunning),
    ]
}

/// What a bystander sees: every job that is taken ends exactly once.
#[derive(Default)]
struct Ledger {
    open: HashSet<EventId>,
    running: Vec<EventId>,
    answered: HashSet<EventId>,
}

impl Ledger {
    fn read(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Tell(ProviderEvent::JobReceived { job, .. }) => {
                    assert!(self.open.insert(*job), "taken twice");
                    assert!(!self.answered.contains(job), "done twice");
                }
                Effect::Start(ticket) => {
                    assert!(self.open.contains(&ticket.job.id) && !self.running.contains(&ticket.job.id));
                    self.running.push(ticket.job.id);
                    assert!(self.running.len() <= 2, "more than the engine's slots");
                }
                Effect::Deliver { job, .. } => {
                    assert!(self.open.remove(job) || self.answered.contains(job));
                    self.answered.insert(*job);
                }
                Effect::Say(job, feedback) | Effect::Repeat(job, feedback) => match feedback.status {
                    // A refused job has no life to end.
                    FeedbackStatus::Error => drop(self.open.remove(&job.id)),
                    FeedbackStatus::Cancelled => assert!(self.open.remove(&job.id), "ended twice"),
                    _ => assert!(self.open.contains(&job.id)),
                },
                Effect::Stop(job) => assert!(self.running.contains(job)),
                Effect::TellSoon(job) => assert!(self.open.contains(job)),
                Effect::Fetch(_) => panic!("no job here has a blob"),
                Effect::Gave { .. } | Effect::Prefer(..) | Effect::Tell(_) => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn every_job_that_is_taken_ends_exactly_once(steps in proptest::collection::vec(step(), 0..60)) {
        let mut bench = Bench::new(|config| config.max_queue = 3);
        bench.session.model.in_flight = 2;
        let askers = [Keys::generate(), Keys::generate()];
        let stranger = Keys::generate();
        let jobs: Vec<Event> = (0..10).map(|n| bench.job(&askers[n % 2], &n.to_string())).collect();
        let mut ledger = Ledger::default();
        for step in steps {
            let effects = match step {
                Step::Receive(n) => bench.receive(&jobs[n]),
                Step::Cancel(n) => bench.cancel(&jobs[n], &askers[n % 2]),
                Step::CancelByStranger(n) => bench.cancel(&jobs[n], &stranger),
                Step::Drain => bench.session.drain(),
                Step::StopRunning => bench.session.stop_running(),
                Step::Finish { which, how } if which < ledger.running.len() => {
                    let id = ledger.running.remove(which);
                    let refusal = Refusal::new(RefusalReason::EngineFailed, "x");
                    let outcome = match how {
                        0 => bench.answered(),
                        1 => Outcome::Failed(refusal, String::new()),
                        _ => Outcome::Stopped,
                    };
                    bench.session.finished(id, outcome, NOW)
                }
                Step::Finish { .. } => Vec::new(),
            };
            ledger.read(&effects);
            prop_assert_eq!(ledger.open.len(), bench.session.load());
        }
        ledger.read(&bench.session.stop_running());
        for id in std::mem::take(&mut ledger.running) {
            ledger.read(&bench.session.finished(id, Outcome::Stopped, NOW));
        }
        prop_assert!(ledger.open.is_empty() && bench.session.is_idle());
    }
}
