//! A run for Perfetto and chrome://tracing: the Chrome trace event format, microseconds.
//!
//! One lane per job that a provider has at once: overlapping spans on one lane do not display. Verdicts
//! and decisions are instants, money is a counter.

use std::collections::{BTreeMap, HashMap};

use crate::view::RunView;
use frlm_conductor::trace::{TraceEvent, TraceRecord};
use serde_json::{Value, json};

/// One process in the file: the run.
const RUN: u32 = 1;
/// The lane of what concerns no single job.
const RUN_TRACK: usize = 0;

/// The trace as one JSON object.
pub fn chrome_trace(records: &[TraceRecord]) -> Value {
    let mut export = Export::default();
    for record in records {
        export.view.apply(record);
        export.take(record);
    }
    export.finish()
}

#[derive(Default)]
struct Export {
    view: RunView,
    events: Vec<Value>,
    tracks: Tracks,
    /// Attempts that are out: where and since when.
    open: HashMap<(u32, u32), Open>,
    at_ms: u64,
}

struct Open {
    provider: String,
    track: usize,
    since_ms: u64,
    hedge: bool,
}

impl Export {
    #[expect(clippy::too_many_lines, reason = "one arm per kind of event")]
    fn take(&mut self, record: &TraceRecord) {
        self.at_ms = record.at_ms;
        match &record.event {
            TraceEvent::SubQuerySubmit { subtask, attempt, provider, hedge } => {
                let track = self.tracks.take(provider);
                let open = Open { provider: provider.clone(), track, since_ms: record.at_ms, hedge: *hedge };
                self.open.insert((subtask.0, attempt.0), open);
            }
            TraceEvent::SubQueryReturn { subtask, attempt, ok, summary, .. } => {
                let outcome = if *ok { "answered" } else { "failed" };
                self.end((subtask.0, attempt.0), outcome, summary);
            }
            TraceEvent::SubQueryTimeout { subtask, attempt } => {
                self.end((subtask.0, attempt.0), "timed out", "");
            }
            TraceEvent::SubQueryCancel { subtask, attempt } => {
                self.end((subtask.0, attempt.0), "cancelled", "");
            }
            TraceEvent::Verify { subtask, passed, agreement, dissenting, .. } => {
                let word = if *passed { "verified" } else { "not verified" };
                let name = format!("{word}: {}", self.label(subtask.0));
                let args = json!({"agreement": agreement, "dissenting": dissenting});
                self.instant(&name, &args);
            }
            TraceEvent::Posterior { subtask, step, fidelity, correctness } => {
                let args = json!({"step": step, "fidelity": fidelity, "correctness": correctness});
                self.instant(&format!("believed: {}", self.label(subtask.0)), &args);
            }
            TraceEvent::Attested { subtask, validator, result, confirmed, shown, .. } => {
                let args = json!({
                    "validator": validator, "result": result, "confirmed": confirmed, "shown": shown,
                });
                self.instant(&format!("validated: {}", self.label(subtask.0)), &args);
            }
            TraceEvent::NoVerdict { subtask, validator, provider, paid, why, .. } => {
                let args = json!({"validator": validator, "provider": provider, "paid": paid, "why": why});
                self.instant(&format!("no verdict: {}", self.label(subtask.0)), &args);
            }
            TraceEvent::ComparedInWords { subtask, others, same, .. } => {
                let args = json!({"others": others, "same": same});
                self.instant(&format!("compared in words: {}", self.label(subtask.0)), &args);
            }
            TraceEvent::Validated { subtask, method, correctness, passed, methods, unread, .. } => {
                let args = json!({
                    "method": method, "correctness": correctness, "passed": passed, "methods": methods,
                    "unread": unread,
                });
                self.instant(&format!("judged: {}", self.label(subtask.0)), &args);
            }
            TraceEvent::Clustered { kind, sets, feedback } => {
                self.instant(&format!("cluster: {kind}"), &json!({"sets": sets, "feedback": feedback}));
            }
            TraceEvent::Arbitrated { subtask, contenders, audited, chosen, confidence, reasoning } => {
                let args = json!({
                    "contenders": contenders, "audited": audited, "chosen": chosen, "confidence": confidence,
                    "reasoning": reasoning,
                });
                self.instant(&format!("arbitrated: {}", self.label(subtask.0)), &args);
            }
            TraceEvent::Audited { subtask, provider, finding, apart_nats, .. } => {
                let args = json!({"provider": provider, "finding": finding, "apart_nats": apart_nats});
                self.instant(&format!("audited: {}", self.label(subtask.0)), &args);
            }
            TraceEvent::FinalCheck { passed, findings, .. } => {
                let word = if *passed { "passed" } else { "not passed" };
                self.instant(&format!("final check {word}"), &json!({"findings": findings}));
            }
            TraceEvent::Decision { stage, decision, reasoning, basis } => {
                let rates = basis.as_ref().map(|basis| &basis.rates);
                let args = json!({"reasoning": reasoning, "rates": rates});
                self.instant(&format!("{stage}: {}", decision.name()), &args);
            }
            TraceEvent::Notice { stage, says } => {
                self.instant(&format!("{stage}: notice"), &json!({"says": says}));
            }
            TraceEvent::BudgetRaised { limit_sats } => {
                self.instant("budget raised", &json!({"limit_sats": limit_sats}));
            }
            TraceEvent::TakenApart { parts, reasoning } => {
                self.instant("question taken apart", &json!({"parts": parts, "reasoning": reasoning}));
            }
            TraceEvent::Analysed(analysis) => {
                self.instant(&format!("question analysed: {:.2}", analysis.score), &json!(analysis));
            }
            TraceEvent::Chosen(chosen) => {
                let args = json!({"action": chosen.action, "explored": chosen.explored, "test": chosen.test, "why": chosen.why});
                self.instant("plan chosen", &args);
            }
            TraceEvent::Weighed { first, count, text, weighed, .. } => {
                let args = json!({"first": first, "subtasks": count, "text": text, "hint": weighed.hint});
                self.instant(&format!("step weighed: {:.2}", weighed.simplicity.score), &args);
            }
            TraceEvent::Evaluated { appraisal, outcome, .. } => {
                let args = json!({"appraisal": appraisal, "outcome": outcome});
                self.instant(&format!("evaluated: reward {:.2}", appraisal.reward), &args);
            }
            TraceEvent::BudgetReserve { .. } | TraceEvent::BudgetSettle { .. } | TraceEvent::Owed { .. } => {
                let now = self.view.money.now();
                let args = json!({
                    "spent": now.spent.saturating_sub(now.owed), "owed": now.owed, "locked": now.locked, "reserved": now.reserved,
                });
                self.events.push(json!({
                    "name": "sats", "ph": "C", "pid": RUN, "tid": RUN_TRACK, "ts": record.at_ms * 1_000,
                    "args": args,
                }));
            }
            TraceEvent::RunStart { .. }
            | TraceEvent::RunResume { .. }
            | TraceEvent::RelayOnline { .. }
            | TraceEvent::RelayOffline { .. }
            | TraceEvent::ProviderSeen { .. }
            | TraceEvent::ProviderGone { .. }
            | TraceEvent::Plan { .. }
            | TraceEvent::Quoted { .. }
            | TraceEvent::Routed { .. }
            | TraceEvent::PaidUnescrowed { .. }
            | TraceEvent::SubQuerySent { .. }
            | TraceEvent::SubQueryFeedback { .. }
            | TraceEvent::Verified { .. }
            | TraceEvent::GaveUp { .. }
            | TraceEvent::FallbackLocal { .. }
            | TraceEvent::Stray { .. }
            | TraceEvent::RunDone { .. }
            | TraceEvent::RunFailed { .. } => {}
        }
    }

    fn end(&mut self, attempt: (u32, u32), outcome: &str, detail: &str) {
        let Some(open) = self.open.remove(&attempt) else { return };
        self.tracks.give_back(&open.provider, open.track);
        self.events.push(json!({
            "name": self.label(attempt.0), "cat": outcome, "ph": "X", "pid": RUN, "tid": open.track,
            "ts": open.since_ms * 1_000, "dur": (self.at_ms - open.since_ms) * 1_000,
            "args": {
                "subtask": attempt.0, "attempt": attempt.1, "outcome": outcome, "detail": detail,
                "hedge": open.hedge,
            },
        }));
    }

    fn instant(&mut self, name: &str, args: &Value) {
        self.events.push(json!({
            "name": name, "ph": "i", "s": "p", "pid": RUN, "tid": RUN_TRACK, "ts": self.at_ms * 1_000,
            "args": args,
        }));
    }

    fn label(&self, subtask: u32) -> String {
        self.view
            .subtasks
            .get(subtask as usize)
            .map_or_else(|| format!("subtask {subtask}"), |view| view.label.clone())
    }

    fn finish(mut self) -> Value {
        let still_out: Vec<(u32, u32)> = self.open.keys().copied().collect();
        for attempt in still_out {
            self.end(attempt, "still out", "");
        }
        let named = |track: usize, name: &str| json!({"name": "thread_name", "ph": "M", "pid": RUN, "tid": track, "args": {"name": name}});
        self.events.push(json!({
            "name": "process_name", "ph": "M", "pid": RUN, "tid": RUN_TRACK,
            "args": {"name": format!("frlm run {}", self.view.start.run_id)},
        }));
        self.events.push(named(RUN_TRACK, "verdicts and decisions"));
        for (provider, tracks) in &self.tracks.by_provider {
            let name = self.view.providers.name(provider);
            self.events.extend(tracks.iter().map(|track| named(track.number, &name)));
        }
        json!({"displayTimeUnit": "ms", "traceEvents": self.events})
    }
}

/// Lanes of each provider; a lane holds one job at a time.
#[derive(Default)]
struct Tracks {
    by_provider: BTreeMap<String, Vec<Track>>,
    count: usize,
}

struct Track {
    number: usize,
    busy: bool,
}

impl Tracks {
    fn take(&mut self, provider: &str) -> usize {
        let tracks = self.by_provider.entry(provider.to_owned()).or_default();
        if let Some(free) = tracks.iter_mut().find(|track| !track.busy) {
            free.busy = true;
            return free.number;
        }
        self.count += 1;
        tracks.push(Track { number: self.count, busy: true });
        self.count
    }

    fn give_back(&mut self, provider: &str, number: usize) {
        if let Some(track) = self
            .by_provider
            .get_mut(provider)
            .and_then(|tracks| tracks.iter_mut().find(|l| l.number == number))
        {
            track.busy = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use frlm_scheduler::{AttemptId, SubtaskId};

    use super::*;

    fn record(seq: u64, at_ms: u64, event: TraceEvent) -> TraceRecord {
        TraceRecord { seq, at_ms, event }
    }

    fn submit(seq: u64, at_ms: u64, subtask: u32) -> TraceRecord {
        let (subtask, attempt) = (SubtaskId(subtask), AttemptId(0));
        let event = TraceEvent::SubQuerySubmit { subtask, attempt, provider: "aa".to_owned(), hedge: false };
        record(seq, at_ms, event)
    }

    fn timeout(seq: u64, at_ms: u64, subtask: u32) -> TraceRecord {
        let event = TraceEvent::SubQueryTimeout { subtask: SubtaskId(subtask), attempt: AttemptId(0) };
        record(seq, at_ms, event)
    }

    #[test]
    fn concurrent_jobs_get_tracks_of_their_own_and_free_ones_are_reused() {
        let trace = chrome_trace(&[
            submit(0, 0, 0),
            submit(1, 5, 1),
            timeout(2, 10, 0),
            submit(3, 11, 2),
            timeout(4, 20, 1),
        ]);
        let spans: Vec<(u64, u64, u64)> = trace["traceEvents"]
            .as_array()
            .expect("a list of events")
            .iter()
            .filter(|event| event["ph"] == "X")
            .map(|event| {
                let number = |name: &str| event[name].as_u64().expect("a number");
                (number("tid"), number("ts"), number("dur"))
            })
            .collect();
        assert_eq!(spans, [(1, 0, 10_000), (2, 5_000, 15_000), (1, 11_000, 9_000)]);
    }
}
