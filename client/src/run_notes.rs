//! What is worth a line of its own while a run is under way.

use frlm_scheduler::FailureReason;

use crate::view::RunView;
use frlm_conductor::trace::{AuditFinding, TraceEvent, TraceRecord};
use frlm_protocol::printable;
use frlm_wallet::Money;

/// The notes of one run.
#[derive(Debug, Default)]
pub struct Notes {
    /// Why subtasks were given up, as far as it was told.
    told: Vec<FailureReason>,
}

impl Notes {
    /// What to tell of an event, which `view` already holds.
    ///
    /// Each reason to give a subtask up is told once: such subtasks are many when providers are slow, and are often
    /// asked again. Of answers without a verdict the first is told, in the place of the subtasks given up for it.
    pub fn of(&mut self, record: &TraceRecord, view: &RunView) -> Option<String> {
        let why = match record.event {
            TraceEvent::GaveUp { why, .. } => why,
            TraceEvent::NoVerdict { .. } => FailureReason::NoVerdict,
            _ => return note(record, view),
        };
        if self.told.contains(&why) {
            return None;
        }
        self.told.push(why);
        note(record, view)
    }
}

fn note(record: &TraceRecord, view: &RunView) -> Option<String> {
    match &record.event {
        TraceEvent::RelayOffline { relay, reason } => {
            Some(format!("relay {} is gone ({}); reconnecting", printable(relay), printable(reason)))
        }
        TraceEvent::Quoted { low_sats, expected_sats, high_sats, fees_sats, left_sats, play_money } => {
            let unit = if *play_money { Money::Play } else { Money::Real }.unit();
            let fees = fees_sats.map_or_else(
                || "what a mint takes comes on top".to_owned(),
                |fees| format!("{fees} of them for the mint"),
            );
            Some(format!(
                "quote: {expected_sats} {unit} expected ({low_sats} without replicas, {high_sats} with every replica and \
                 spot check), {fees}; never more than {left_sats}"
            ))
        }
        TraceEvent::FallbackLocal { reason, .. } => {
            Some(format!("{}: your own model answers instead", printable(reason)))
        }
        TraceEvent::Verify { agreeing, dissenting, subtask, .. }
            if agreeing.is_empty() && !dissenting.is_empty() =>
        {
            let names: Vec<String> =
                dissenting.iter().map(|key| printable(&view.providers.name(key)).into_owned()).collect();
            Some(format!(
                "subtask {}: more claims of {} were rejected than accepted; it is not paid",
                subtask.0,
                names.join(", ")
            ))
        }
        TraceEvent::Verify { dissenting, subtask, .. } if !dissenting.is_empty() => {
            let names: Vec<String> =
                dissenting.iter().map(|key| printable(&view.providers.name(key)).into_owned()).collect();
            Some(format!("subtask {}: {} disagreed", subtask.0, names.join(", ")))
        }
        TraceEvent::Audited { provider, finding: AuditFinding::AnotherModel, .. } => {
            let name = view.providers.name(provider);
            Some(format!("{} runs another model than it claims, an audit shows", printable(&name)))
        }
        TraceEvent::NoVerdict { subtask, provider, paid, why, .. } => Some(format!(
            "subtask {}: no verdict about the answer of {} ({}); it is not used{}",
            subtask.0,
            printable(&view.providers.name(provider)),
            printable(why),
            if *paid { ", but its provider is paid" } else { "" }
        )),
        TraceEvent::PaidUnescrowed { provider, sats, fees_sats, .. } => Some(format!(
            "{} was paid {sats} sats and {fees_sats} in fees before its work, unescrowed",
            printable(&view.providers.name(provider))
        )),
        TraceEvent::GaveUp { subtask, why } => Some(format!(
            "subtask {} is unanswered for now: {} (others like it are counted as failed)",
            subtask.0,
            why.in_words()
        )),
        TraceEvent::RunStart { .. }
        | TraceEvent::RunResume { .. }
        | TraceEvent::BudgetRaised { .. }
        | TraceEvent::RelayOnline { .. }
        | TraceEvent::ProviderSeen { .. }
        | TraceEvent::ProviderGone { .. }
        | TraceEvent::Plan { .. }
        | TraceEvent::TakenApart { .. }
        | TraceEvent::Analysed(_)
        | TraceEvent::Chosen(_)
        | TraceEvent::Weighed { .. }
        | TraceEvent::Routed { .. }
        | TraceEvent::BudgetReserve { .. }
        | TraceEvent::BudgetSettle { .. }
        | TraceEvent::Owed { .. }
        | TraceEvent::SubQuerySubmit { .. }
        | TraceEvent::SubQuerySent { .. }
        | TraceEvent::SubQueryFeedback { .. }
        | TraceEvent::SubQueryReturn { .. }
        | TraceEvent::SubQueryTimeout { .. }
        | TraceEvent::SubQueryCancel { .. }
        | TraceEvent::Verify { .. }
        | TraceEvent::Attested { .. }
        | TraceEvent::Validated { .. }
        | TraceEvent::ComparedInWords { .. }
        | TraceEvent::Arbitrated { .. }
        | TraceEvent::Audited { .. }
        | TraceEvent::Posterior { .. }
        | TraceEvent::Verified { .. }
        | TraceEvent::Stray { .. }
        | TraceEvent::FinalCheck { .. }
        | TraceEvent::Decision { .. }
        | TraceEvent::Notice { .. }
        | TraceEvent::Evaluated { .. }
        | TraceEvent::Clustered { .. }
        | TraceEvent::RunDone { .. }
        | TraceEvent::RunFailed { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use frlm_scheduler::{AttemptId, SubtaskId};

    use super::*;

    #[test]
    fn why_subtasks_were_given_up_is_said_in_words_and_once_for_each_reason() {
        let mut notes = Notes::default();
        let mut said = Vec::new();
        for (seq, why) in
            (0..).zip([FailureReason::NobodyLeft, FailureReason::NobodyLeft, FailureReason::Split])
        {
            let event = TraceEvent::GaveUp { subtask: SubtaskId(4), why };
            let record = TraceRecord { seq, at_ms: 0, event };
            said.extend(notes.of(&record, &RunView::default()));
        }
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("unanswered for now: no further provider was there to ask"), "{said:?}");
        assert!(said[1].contains("unanswered for now: the providers disagree"), "{said:?}");
    }

    #[test]
    fn the_first_answer_without_a_verdict_is_reported_with_reason_and_pay() {
        let no_verdict = TraceEvent::NoVerdict {
            subtask: SubtaskId(4),
            attempt: AttemptId(0),
            validator: "v".to_owned(),
            provider: "p".to_owned(),
            paid: true,
            why: "the engine failed".to_owned(),
        };
        let gave_up = TraceEvent::GaveUp { subtask: SubtaskId(4), why: FailureReason::NoVerdict };
        let mut notes = Notes::default();
        let mut said = Vec::new();
        for event in [no_verdict.clone(), no_verdict, gave_up] {
            let record = TraceRecord { seq: 0, at_ms: 0, event };
            said.extend(notes.of(&record, &RunView::default()));
        }
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("subtask 4: no verdict about the answer of "), "{said:?}");
        assert!(said[0].ends_with("(the engine failed); it is not used, but its provider is paid"));
    }

    #[test]
    fn what_a_run_will_cost_is_said_in_words_and_play_money_is_called_so() {
        let said = |fees_sats, play_money| {
            let event = TraceEvent::Quoted {
                low_sats: 12,
                expected_sats: 24,
                high_sats: 60,
                fees_sats,
                left_sats: 100,
                play_money,
            };
            note(&TraceRecord { seq: 0, at_ms: 0, event }, &RunView::default()).unwrap()
        };
        assert_eq!(
            said(Some(3), false),
            "quote: 24 sats expected (12 without replicas, 60 with every replica and spot check), 3 of them for the \
             mint; never more than 100"
        );
        assert!(said(None, false).contains("what a mint takes comes on top"));
        assert!(said(Some(0), true).starts_with("quote: 24 play sats (worth nothing) expected"));
    }
}
