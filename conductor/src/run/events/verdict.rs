//! Answers that passed their own checks: compared with each other, accepted or rejected.

use std::sync::Arc;

use frlm_verifier::fitness::AnswerVerdict;
use frlm_verifier::{Replica, Verdict, verify};
use frlm_wallet::Sats;

use super::failed::returned;
use crate::plan::Outcome;
use crate::run::checks::{Answered, PendingReplica};
use crate::run::driver::Run;
use crate::run::provider_scoring;
use crate::run::provider_scoring::Experience;
use crate::run::subtasks::{Accepted, Progress};
use crate::scheduler::{AttemptId, SubtaskId};
use crate::swarm::{Shown, Ticket};
use crate::trace::TraceEvent;

impl Run {
    /// Takes an answer that passed every check of its own for the comparison.
    pub(in crate::run) fn count(&mut self, answered: Answered) {
        self.came_back(&answered);
        let Some(answered) = self.take_in_words(answered) else { return };
        let Answered { ticket, replica, texts, reference, .. } = answered;
        let Some(sent) = self.attempts.sent.get(&ticket) else { return };
        let task = (Arc::clone(&sent.prompt), sent.provider.dialect);
        let wants_attestation = self.answers.validation.validator().is_some() && !sent.provider.trusted;
        if wants_attestation {
            let (shown, now) = (Shown { result: reference, answers: texts }, self.began.elapsed());
            let can = self.answers.validation.hold(ticket, replica, shown, task, now);
            self.scheduler.awaits_word(SubtaskId(ticket.subtask), AttemptId(ticket.attempt), now);
            if !can {
                self.no_verdict(ticket, "the validator's model cannot do what this provider was asked to do");
            }
            return;
        }
        self.place(PendingReplica { ticket, replica });
    }

    /// Records that an answer came to which no check of its own objects.
    pub(in crate::run) fn came_back(&mut self, answered: &Answered) {
        let Answered { ticket, replica, usage, latency, .. } = answered;
        let Some(sent) = self.attempts.sent.get(ticket) else { return };
        let (provider, prompt) = (sent.provider.id.clone(), Arc::clone(&sent.prompt));
        self.decisions.gauge.returned(&provider, *latency);
        self.providers.heard.answered(&provider);
        let usage = self.report.count_usage(*usage, &prompt);
        returned(&mut self.journal, *ticket, *latency, Ok((replica.answer.summary(), usage)));
        self.providers.record_experience(&mut self.scheduler, &provider, Experience::Answered(*latency));
    }

    /// Compares a subtask's replicas after one was added.
    pub(in crate::run) fn judge(&mut self, ticket: Ticket) {
        let id = SubtaskId(ticket.subtask);
        if self.decisions.audits.is_out(id) {
            self.judge_audit(ticket);
            return;
        }
        let now = self.began.elapsed();
        let attempt = AttemptId(ticket.attempt);
        let Some(record) = self.subtasks.of_mut(SubtaskId(ticket.subtask)) else { return };
        let replicas: Vec<Replica<Outcome>> =
            record.replicas.iter().map(|(_, replica)| replica.clone()).collect();
        if self.setup.policy.verification.is_adaptive() || self.answers.rechecks.is_out(id) {
            self.judge_by_trust(ticket, &replicas);
            return;
        }
        provider_scoring::record_agreement(
            &self.providers.peers,
            &self.setup,
            &mut self.scheduler,
            &replicas,
        );
        match verify(&self.setup.policy.verification, &replicas) {
            Verdict::Open { missing } => self.scheduler.answered(id, attempt, Some(missing), now),
            Verdict::Split(report) => {
                self.split(id, report);
                self.scheduler.answered(id, attempt, None, now);
            }
            Verdict::Accepted(verified) => {
                let (outcome, report) = verified.into_parts();
                match report.agreeing.first() {
                    Some(provider) if self.is_drawn_for_another_look(id, &replicas, &report) => {
                        self.answers.rechecks.draw(id, provider.clone());
                    }
                    // What is looked at again teaches more when that has ended.
                    _ => self.providers.trust.learn_from(&self.subtasks, id, &replicas, &report),
                }
                self.accept(id, outcome, report);
                self.scheduler.answered(id, attempt, Some(0), now);
            }
        }
    }

    pub(in crate::run) fn accept(&mut self, id: SubtaskId, outcome: Outcome, report: frlm_verifier::Report) {
        let Some(record) = self.subtasks.of_mut(id) else { return };
        let answers = record.take_replicas();
        let replicas = u32::try_from(answers.len()).unwrap_or(u32::MAX);
        let outcome = self.answers.checks.best_words(id.0, &answers, &report).unwrap_or(outcome);
        let local =
            answers.iter().any(|(_, replica)| replica.trusted && report.agreeing.contains(&replica.provider));
        let key = record.subtask.key();
        if !self.answers.rechecks.ended(id) {
            self.decisions.gauge.accepted(record.first_price);
        }
        self.decisions.gauge.compared(answers.len(), report.dissenting.len());
        record.state = Progress::Accepted(Accepted {
            outcome: outcome.clone(),
            agreement: report.agreement,
            confidence: report.reported_confidence,
            replicas,
            local,
            cached: false,
        });
        let kind = record.task().kind();
        let mut paid = Sats::ZERO;
        let compared = self.setup.is_compared(&answers);
        // Who was accepted alone, and was looked at again.
        let mut first = self.answers.rechecks.take_first(id);
        let mut scored = Vec::new();
        for (attempt, replica) in &answers {
            let ticket = Ticket { subtask: id.0, attempt: attempt.0 };
            // Only the agreeing set is paid (design.md, section 1).
            let agrees = report.agreeing.contains(&replica.provider);
            let metadata = self.attempts.sent.get(&ticket).and_then(|sent| sent.metadata.clone());
            if let Some(metadata) = &metadata {
                self.answers.rechecks.keep_first(id, ticket, metadata);
            }
            let metadata = metadata.or_else(|| Some(first.take_if(|(whose, _)| *whose == ticket)?.1));
            let verdict = match (agrees, self.answers.checks.arbitrations.is_settled(id)) {
                (true, _) => AnswerVerdict::Correct,
                // Whom an arbiter did not choose is not proven wrong (seed-arithmetic.md, scenario 2).
                (false, true) => AnswerVerdict::NotChosen,
                (false, false) => AnswerVerdict::Wrong,
            };
            scored.extend(self.answers.verdicts.score(
                &mut self.providers.trust,
                replica,
                metadata,
                verdict,
                compared,
            ));
            paid = paid.saturating_add(self.attempts.end_answered(ticket, &replica.answer, agrees));
        }
        let quality = self.answers.checks.validation.correctness(id, &outcome).unwrap_or(report.agreement);
        if compared {
            self.providers.clusters.take(kind, quality, report.agreement, &scored);
        }
        if let Some((desk, at)) = self.routing(self.began.elapsed()) {
            desk.went_well(&at, id, &outcome, &report, &answers, paid);
        }
        let (agreement, confidence) = (report.agreement, report.reported_confidence);
        self.journal.verify(id, true, report);
        self.journal.emit(TraceEvent::Verified {
            subtask: id,
            key,
            outcome,
            agreement,
            confidence,
            replicas,
            local,
        });
        self.answers.fresh.push(id);
    }
}
