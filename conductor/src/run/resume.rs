//! What an earlier start of a run left behind: a fold over its trace.

use std::collections::HashMap;
use std::time::Duration;

use frlm_inference::Usage;
use frlm_learning::planning::account::Chosen;
use frlm_learning::planning::analyse::Analysis;
use frlm_questions::answer::UsageReport;
use frlm_questions::dialect::MapAnswer;
use frlm_questions::plan::{Outcome, is_of_a_part};
use frlm_questions::query::Query;
use frlm_questions::question::compile::Compiled;

use crate::store::LoadedTrace;
use crate::trace::{TraceEvent, TraceRecord};

/// The key of the question about the question.
const COMPILED: &str = "compile";

/// An accepted answer from an earlier start.
#[derive(Debug, Clone)]
pub struct KnownOutcome {
    /// What was accepted.
    pub outcome: Outcome,
    /// Share of agreeing answers.
    pub agreement: f64,
    /// What the agreeing providers said of themselves.
    pub confidence: Option<f64>,
    /// Replicas that answered.
    pub replicas: u32,
    /// Whether the user's own model answered.
    pub local: bool,
}

/// Everything that a resumed run need not do again.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Accepted answers by the subtask's stable key.
    pub outcomes: HashMap<String, KnownOutcome>,
    /// The next free event number.
    pub next_seq: u64,
    /// Time that the earlier starts took.
    pub elapsed: Duration,
    /// How many attempts it has had: the ledger knows attempts by their numbers, so these must not repeat.
    pub attempts: u32,
    /// What models read and wrote for it.
    pub usage: UsageReport,
    /// How the question is taken apart, if that was chosen before: by the policy in an earlier start, or by the caller
    /// that starts the run.
    pub chosen: Option<Chosen>,
    /// The budget that the trace knows.
    pub limit_sats: Option<u64>,
    /// How simple the question was found to be, if that was looked at.
    pub analysed: Option<Analysis>,
    /// The parts into which a model took the question, if one did.
    pub taken_apart: Option<Vec<String>>,
    /// Whether the first plan was made: its results may be here already.
    pub planned: bool,
}

impl Known {
    /// Takes in the attempts that the ledger knows: a killed process may have reserved for some that
    /// its trace never told of, and the names of reservations must not repeat.
    pub fn skip_attempts(&mut self, reserved: impl IntoIterator<Item = u32>) {
        for attempt in reserved {
            self.attempts = self.attempts.max(attempt.saturating_add(1));
        }
    }

    /// Drops fragment answers that were given under a different query. `query` is code's reading; `None` means that a model
    /// is asked to compile it. The version of the program that began the run may have read the question differently.
    pub(super) fn hold_to(&mut self, query: Option<&Query>) {
        let same = match (self.outcomes.get(COMPILED).map(|known| &known.outcome), query) {
            (Some(Outcome::Compiled(Compiled::Query(then))), Some(now)) => **then == *now,
            // The question was read then as it is now.
            (Some(Outcome::Compiled(_)), None) | (None, Some(_)) => true,
            (Some(_), _) => false,
            // Code read it as a query then, or nobody did: answers in words still hold.
            (None, None) => {
                let records = |known: &KnownOutcome| {
                    matches!(known.outcome, Outcome::Mapped(MapAnswer::Records { .. }))
                };
                self.outcomes.retain(|key, known| is_of_a_part(key) || !records(known));
                return;
            }
        };
        if !same {
            self.outcomes.retain(|key, _| key == COMPILED || is_of_a_part(key));
        }
    }

    /// What a recorded run knows, behind a damaged place of its journal too.
    pub fn from_store(loaded: &LoadedTrace) -> Self {
        let mut known = Self::from_trace(loaded.records.iter().chain(&loaded.beyond));
        known.next_seq = loaded.next_seq;
        known
    }

    /// Folds a trace.
    pub fn from_trace<'a>(records: impl IntoIterator<Item = &'a TraceRecord>) -> Self {
        let mut known = Self::default();
        for record in records {
            known.next_seq = record.seq + 1;
            known.elapsed = known.elapsed.max(Duration::from_millis(record.at_ms));
            match &record.event {
                TraceEvent::Verified { key, outcome, agreement, confidence, replicas, local, .. } => {
                    let outcome = KnownOutcome {
                        outcome: outcome.clone(),
                        agreement: *agreement,
                        confidence: *confidence,
                        replicas: *replicas,
                        local: *local,
                    };
                    known.outcomes.insert(key.clone(), outcome);
                }
                TraceEvent::SubQueryReturn { ok: true, tokens, completion_tokens, .. } => {
                    let usage = Usage {
                        prompt_tokens: tokens.saturating_sub(*completion_tokens),
                        completion_tokens: *completion_tokens,
                    };
                    known.usage.add((*tokens > 0).then_some(usage));
                }
                TraceEvent::RunStart { limit_sats, .. } | TraceEvent::BudgetRaised { limit_sats } => {
                    known.limit_sats = Some(*limit_sats);
                }
                TraceEvent::Chosen(chosen) => known.chosen = Some(chosen.as_ref().clone()),
                TraceEvent::Analysed(analysis) => known.analysed = Some(analysis.clone()),
                TraceEvent::TakenApart { parts, .. } => known.taken_apart = Some(parts.clone()),
                TraceEvent::Plan { .. } => known.planned = true,
                TraceEvent::BudgetReserve { attempt, .. } => known.skip_attempts([attempt.0]),
                _ => {}
            }
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use frlm_questions::query::Reduction;

    use super::*;

    fn query(measure: &str) -> Query {
        let measure = Some(measure.to_owned());
        Query { reduction: Reduction::Sum, measure, report: None, conditions: Vec::new() }
    }

    /// What is left of a run that compiled its question to this, or had no need to, under a reading of now.
    fn left(compiled: Option<Compiled>, now: Option<&Query>) -> Vec<String> {
        let known =
            |outcome| KnownOutcome { outcome, agreement: 1.0, confidence: None, replicas: 2, local: false };
        let mut run = Known::default();
        let read = || known(Outcome::Mapped(MapAnswer::Records { matches: Vec::new() }));
        for key in ["map:0:ab", "map:0:ab:part:1:failed"] {
            run.outcomes.insert(key.to_owned(), read());
        }
        run.outcomes.insert("combine".to_owned(), known(Outcome::Combined("rain".to_owned())));
        if let Some(compiled) = compiled {
            run.outcomes.insert(COMPILED.to_owned(), known(Outcome::Compiled(compiled)));
        }
        run.hold_to(now);
        let mut keys: Vec<String> = run.outcomes.into_keys().collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn what_was_answered_to_another_reading_of_the_question_is_asked_again() {
        let compiled = |measure| Some(Compiled::Query(Box::new(query(measure))));
        let (amount, price) = (query("amount"), query("price"));
        for (then, now) in [
            (compiled("amount"), None),
            (compiled("amount"), Some(&amount)),
            (Some(Compiled::Free), None),
            (None, Some(&amount)),
        ] {
            let count = if then.is_some() { 4 } else { 3 };
            assert_eq!(left(then.clone(), now).len(), count, "{then:?}, {now:?}");
        }
        for (then, now) in [(compiled("amount"), Some(&price)), (Some(Compiled::Free), Some(&amount))] {
            assert_eq!(left(then.clone(), now), [COMPILED, "map:0:ab:part:1:failed"], "{then:?}, {now:?}");
        }
        assert_eq!(left(None, None), ["combine", "map:0:ab:part:1:failed"], "records of another reading");
    }

    #[test]
    fn what_readers_of_prose_said_is_not_asked_again() {
        let known =
            |outcome| KnownOutcome { outcome, agreement: 1.0, confidence: None, replicas: 1, local: false };
        let claims = || Outcome::Mapped(MapAnswer::Claims { claims: Vec::new() });
        let mut run = Known::default();
        run.outcomes.insert("map:0:ab".to_owned(), known(claims()));
        run.outcomes.insert("plan".to_owned(), known(Outcome::Planned(Vec::new())));
        run.hold_to(None);
        assert_eq!(run.outcomes.len(), 2);
    }
}
