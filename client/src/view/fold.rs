//! What each event does to the view.

use frlm_questions::stage::RunStage;
use frlm_scheduler::{AttemptId, SubtaskId};

use super::money::Bound;
use super::{
    AttemptEnding, AttemptView, ClusterView, DecidedView, Ending, EvaluatedView, EvaluationView, RelayView,
    RunView, Said, StepView, SubtaskState, SubtaskView, TellingView,
};
use frlm_conductor::trace::{AuditFinding, PlannedSubtask, TraceEvent, TraceRecord};

/// Subtasks that one event may add without their having been planned.
const MOST_UNPLANNED: usize = 65_536;

impl RunView {
    /// Folds one event.
    #[expect(clippy::too_many_lines, reason = "one arm per kind of event")]
    pub fn apply(&mut self, record: &TraceRecord) {
        self.at_ms = self.at_ms.max(record.at_ms);
        self.events += 1;
        let at_ms = record.at_ms;
        match &record.event {
            TraceEvent::RunStart {
                run_id,
                question,
                limit_sats,
                policy,
                documents,
                fragments,
                started_at_ms,
            } => {
                self.start.run_id.clone_from(run_id);
                self.start.question.clone_from(question);
                self.budget.set(at_ms, *limit_sats);
                self.start.policy.clone_from(policy);
                self.start.documents.clone_from(documents);
                self.start.fragments = *fragments;
                self.start.started_at_ms = *started_at_ms;
            }
            TraceEvent::RunResume { .. } => self.resume(at_ms),
            TraceEvent::BudgetRaised { limit_sats } => self.budget.set(at_ms, *limit_sats),
            TraceEvent::RelayOnline { relay } => {
                let entry = self.relay(relay);
                entry.online = true;
                entry.reason.clear();
            }
            TraceEvent::RelayOffline { relay, reason } => {
                let entry = self.relay(relay);
                entry.online = false;
                entry.reason.clone_from(reason);
            }
            TraceEvent::ProviderSeen { provider, name, model, price_msats_per_1k } => {
                let (_, entry) = self.providers.of_mut(provider);
                entry.name.clone_from(name);
                entry.model.clone_from(model);
                entry.price_msats_per_1k = *price_msats_per_1k;
                entry.here = true;
            }
            TraceEvent::ProviderGone { provider } => self.providers.of_mut(provider).1.here = false,
            TraceEvent::Plan { subtasks } => self.plan(subtasks, at_ms),
            TraceEvent::Analysed(analysis) => {
                if analysis.direct {
                    // All of the text is one fragment now.
                    self.start.fragments = 1;
                }
                self.plan.analysis = Some(analysis.clone());
            }
            TraceEvent::Chosen(chosen) => self.plan.chosen = Some(chosen.as_ref().clone()),
            TraceEvent::Weighed { first, count, text, part, needs, weighed } => {
                self.plan.weighed(StepView {
                    first: first.0,
                    count: *count,
                    text: text.clone(),
                    part: *part,
                    needs: *needs,
                    weighed: weighed.as_ref().clone(),
                });
            }
            TraceEvent::Routed { subtask, task_type, role, venue, .. } => {
                let lane = lane_of(&mut self.subtasks, *subtask);
                self.plan.routed(&mut lane.route, [task_type, role, venue]);
            }
            TraceEvent::BudgetReserve { subtask, attempt, sats } => {
                self.subtask(*subtask).attempt(attempt.0, at_ms).hold(*sats);
                self.money.reserve(at_ms, *sats);
            }
            TraceEvent::BudgetSettle { subtask, attempt, spent_sats, refunded_sats } => {
                self.settle(*subtask, *attempt, at_ms, *spent_sats, *refunded_sats);
            }
            TraceEvent::Owed { subtask, attempt, sats } => self.record_debt(*subtask, *attempt, at_ms, *sats),
            TraceEvent::SubQuerySubmit { subtask, attempt, provider, hedge } => {
                let (position, asked) = self.providers.of_mut(provider);
                asked.asked += 1;
                let lane = lane_of(&mut self.subtasks, *subtask);
                let before = lane.ask(at_ms);
                self.progress.note(before, lane.state, at_ms);
                let entry = lane.attempt(attempt.0, at_ms);
                entry.provider = Some(position);
                entry.submitted_ms = at_ms;
                entry.hedge = *hedge;
            }
            TraceEvent::SubQuerySent { subtask, attempt, job } => self.sent(*subtask, *attempt, at_ms, job),
            TraceEvent::SubQueryFeedback { subtask, attempt, .. } => {
                let lane = self.subtask(*subtask);
                if lane.state == SubtaskState::Asked {
                    lane.state = SubtaskState::Processing;
                }
                lane.attempt(attempt.0, at_ms).processing_ms.get_or_insert(at_ms);
            }
            TraceEvent::SubQueryReturn { subtask, attempt, ok, summary, tokens, .. } => {
                self.returned(*subtask, *attempt, at_ms, (*ok, summary, *tokens));
            }
            TraceEvent::SubQueryTimeout { subtask, attempt } => {
                self.subtask(*subtask).attempt(attempt.0, at_ms).end(at_ms, AttemptEnding::TimedOut);
            }
            TraceEvent::SubQueryCancel { subtask, attempt } => {
                self.subtask(*subtask).attempt(attempt.0, at_ms).end(at_ms, AttemptEnding::Cancelled);
            }
            TraceEvent::Verify { subtask, passed, agreement, agreeing, dissenting } => {
                self.compared(*subtask, (*passed, *agreement), agreeing, dissenting);
            }
            TraceEvent::Verified { subtask, local, .. } => self.accept(*subtask, *local, at_ms),
            TraceEvent::GaveUp { subtask, why } => {
                let lane = self.subtask(*subtask);
                lane.closed_ms = Some(at_ms);
                let now = SubtaskState::GaveUp(*why);
                let before = std::mem::replace(&mut lane.state, now);
                self.progress.note(before, now, at_ms);
            }
            TraceEvent::FallbackLocal { reason, subtasks } => {
                let says = format!("{reason}: this machine's own model takes {subtasks} subtasks");
                self.tellings.push(TellingView { at_ms, stage: RunStage::Route, says, decided: None });
            }
            // What it cost is told by the settlement that comes with it, and more exactly than by the quote; what the
            // validator said by the end of its attempt, the parts of a question by the steps.
            TraceEvent::Posterior { .. }
            | TraceEvent::Quoted { .. }
            | TraceEvent::TakenApart { .. }
            | TraceEvent::PaidUnescrowed { .. }
            | TraceEvent::ComparedInWords { .. }
            | TraceEvent::Attested { .. } => {}
            TraceEvent::NoVerdict { subtask, attempt, .. } => {
                let entry = self.subtask(*subtask).attempt(attempt.0, at_ms);
                // It came, whatever became of it here.
                entry.end(at_ms, AttemptEnding::Answered);
                entry.said = Some(Said::Nothing);
            }
            TraceEvent::Validated { passed, .. } => {
                if let Some(passed) = passed {
                    self.checks.judged.count(*passed);
                }
            }
            TraceEvent::Arbitrated { chosen, .. } => {
                self.checks.arbitrated.count(!chosen.is_empty());
            }
            TraceEvent::Stray { .. } => self.strays += 1,
            TraceEvent::Audited { finding, .. } => match finding {
                AuditFinding::Fits => self.checks.audited.count(true),
                AuditFinding::AnotherModel => self.checks.audited.count(false),
                AuditFinding::Unreadable(_) => {}
            },
            TraceEvent::FinalCheck { passed, .. } => self.checks.whole.count(*passed),
            TraceEvent::Decision { stage, decision, reasoning, basis } => {
                let decided = Some(DecidedView { verb: *decision, basis: basis.clone() });
                self.tellings.push(TellingView { at_ms, stage: *stage, says: reasoning.clone(), decided });
            }
            TraceEvent::Notice { stage, says } => {
                self.tellings.push(TellingView { at_ms, stage: *stage, says: says.clone(), decided: None });
            }
            TraceEvent::Evaluated { appraisal, outcome, hints, kept } => {
                self.evaluation.run = Some(EvaluatedView {
                    appraisal: **appraisal,
                    outcome: *outcome,
                    hints: *hints,
                    kept: *kept,
                });
            }
            TraceEvent::Clustered { kind, sets, feedback } => {
                self.evaluation.clusters.push(ClusterView {
                    kind: kind.clone(),
                    sets: *sets,
                    feedback: feedback.as_ref().clone(),
                });
            }
            TraceEvent::RunDone { answer } => {
                self.money.close(at_ms, &answer.budget);
                self.ending = Some(Ending::Answered(answer.clone()));
            }
            TraceEvent::RunFailed { error, exit_code } => {
                self.ending = Some(Ending::Failed { error: error.clone(), exit_code: *exit_code });
            }
        }
    }

    /// The process that waited for the open attempts is gone; their answers will not be read.
    fn resume(&mut self, at_ms: u64) {
        self.ending = None;
        self.evaluation = EvaluationView::default();
        self.money.resume(at_ms);
        for lane in &mut self.subtasks {
            for attempt in &mut lane.attempts {
                attempt.owed_sats = 0;
                attempt.end(at_ms, AttemptEnding::Lost);
            }
            if matches!(lane.state, SubtaskState::Asked | SubtaskState::Processing | SubtaskState::Returned) {
                lane.state = SubtaskState::Queued;
            }
        }
    }

    /// A resumed run plans again, from the first subtask on: what is verified stays so.
    fn plan(&mut self, subtasks: &[PlannedSubtask], at_ms: u64) {
        for planned in subtasks {
            let lane = self.subtask(planned.id);
            if lane.label.is_empty() {
                lane.planned_ms = at_ms;
            }
            lane.label.clone_from(&planned.label);
            lane.fragment = frlm_questions::plan::fragment_of_key(&planned.key);
        }
    }

    fn sent(&mut self, subtask: SubtaskId, attempt: AttemptId, at_ms: u64, job: &str) {
        let entry = self.subtask(subtask).attempt(attempt.0, at_ms);
        let held = if entry.sent_ms.is_none() { entry.held_sats } else { 0 };
        entry.sent_ms.get_or_insert(at_ms);
        entry.job = job.into();
        self.money.lock(at_ms, held);
    }

    fn settle(&mut self, subtask: SubtaskId, attempt: AttemptId, at_ms: u64, spent: u64, refunded: u64) {
        let lane = self.subtask(subtask);
        let entry = lane.attempt(attempt.0, at_ms);
        let ended = spent.saturating_add(refunded);
        entry.held_sats = entry.held_sats.saturating_sub(ended);
        entry.spent_sats = entry.spent_sats.saturating_add(spent);
        let was = if entry.owed_sats > 0 { Bound::Owed } else { bound(entry) };
        entry.owed_sats = entry.owed_sats.saturating_sub(ended);
        // Every paid answer of a subtask but one is the price of comparing.
        let paid_before = lane.attempts.iter().any(|other| other.id != attempt.0 && other.spent_sats > 0);
        if paid_before {
            let tier = &mut self.checks.compared;
            tier.cost_sats = tier.cost_sats.saturating_add(spent);
        }
        self.money.settle(at_ms, ended, was, spent);
    }

    fn record_debt(&mut self, subtask: SubtaskId, attempt: AttemptId, at_ms: u64, sats: u64) {
        let entry = self.subtask(subtask).attempt(attempt.0, at_ms);
        entry.owed_sats = entry.owed_sats.saturating_add(sats);
        let from = bound(entry);
        self.money.record_debt(at_ms, sats, from);
    }

    fn returned(
        &mut self,
        subtask: SubtaskId,
        attempt: AttemptId,
        at_ms: u64,
        (ok, summary, tokens): (bool, &str, u64),
    ) {
        self.checks.alone.count(ok);
        let lane = self.subtask(subtask);
        if ok && matches!(lane.state, SubtaskState::Asked | SubtaskState::Processing) {
            lane.state = SubtaskState::Returned;
        }
        let entry = lane.attempt(attempt.0, at_ms);
        entry.end(at_ms, if ok { AttemptEnding::Answered } else { AttemptEnding::Failed });
        entry.summary = summary.into();
        entry.tokens = tokens;
    }

    fn compared(
        &mut self,
        subtask: SubtaskId,
        (passed, agreement): (bool, f64),
        agreeing: &[String],
        dissenting: &[String],
    ) {
        self.checks.compared.count(passed);
        self.checks.dissents += usize::from(!dissenting.is_empty());
        let lane = self.subtask(subtask);
        lane.dissent |= !dissenting.is_empty();
        lane.agreement = Some(agreement);
        for (keys, said) in [(agreeing, Said::Same), (dissenting, Said::Else)] {
            for key in keys {
                let position = self.providers.of_mut(key).0;
                let attempts = &mut self.subtask(subtask).attempts;
                let attempt = attempts.iter_mut().rev().find(|attempt| {
                    attempt.provider == Some(position) && attempt.ending == Some(AttemptEnding::Answered)
                });
                let before = attempt.and_then(|attempt| attempt.said.replace(said));
                // An answer that is compared once more counts once, and the last comparison counts.
                let provider = self.providers.of_mut(key).1;
                match before {
                    Some(Said::Same) => provider.agreed = provider.agreed.saturating_sub(1),
                    Some(Said::Else) => provider.dissented = provider.dissented.saturating_sub(1),
                    Some(Said::Nothing) | None => {}
                }
                *(if said == Said::Same { &mut provider.agreed } else { &mut provider.dissented }) += 1;
            }
        }
    }

    fn accept(&mut self, subtask: SubtaskId, local: bool, at_ms: u64) {
        let lane = lane_of(&mut self.subtasks, subtask);
        lane.local = local;
        lane.closed_ms = Some(at_ms);
        let before = std::mem::replace(&mut lane.state, SubtaskState::Verified);
        if self.progress.note(before, SubtaskState::Verified, at_ms) {
            self.plan.arrived(lane.route);
        }
    }

    fn subtask(&mut self, id: SubtaskId) -> &mut SubtaskView {
        lane_of(&mut self.subtasks, id)
    }

    fn relay(&mut self, address: &str) -> &mut RelayView {
        let index = self.relays.iter().position(|relay| relay.address == address).unwrap_or_else(|| {
            self.relays.push(RelayView { address: address.to_owned(), ..RelayView::default() });
            self.relays.len() - 1
        });
        &mut self.relays[index]
    }
}

fn lane_of(subtasks: &mut Vec<SubtaskView>, id: SubtaskId) -> &mut SubtaskView {
    // A damaged trace may name any number; memory is not spent on its word.
    let index = (id.0 as usize).min(subtasks.len() + MOST_UNPLANNED);
    if subtasks.len() <= index {
        subtasks.resize_with(index + 1, SubtaskView::default);
    }
    &mut subtasks[index]
}

/// Where the sats of an attempt are that is not owed for.
fn bound(attempt: &AttemptView) -> Bound {
    if attempt.sent_ms.is_some() { Bound::Locked } else { Bound::Reserved }
}
