//! Answers that passed their own checks: compared with each other, accepted or rejected.

use frlm_inference::Usage;
use frlm_verifier::attested::Confirmation;
use frlm_verifier::fitness::AnswerVerdict;
use frlm_verifier::trust::Ruling;
use frlm_verifier::{Replica, Report, Verdict, verify};
use frlm_wallet::Sats;

use super::{AnswerDesk, returned};
use crate::plan::Outcome;
use crate::run::decide::judge_audit;
use crate::run::subtasks::{Accepted, Progress};
use crate::run::trust::{Consequence, tell_posterior};
use crate::run::work::Work;
use crate::run::{provider_scoring, quote};
use crate::scheduler::{AttemptId, SubtaskId};
use crate::swarm::{ProviderId, Ticket};
use crate::trace::{PosteriorStep, TraceEvent};

impl AnswerDesk {
    /// Compares a subtask's replicas after one was added.
    pub fn judge(&mut self, work: &mut Work, ticket: Ticket) {
        let id = SubtaskId(ticket.subtask);
        if work.audits.is_out(id) {
            judge_audit(work, &self.checks, ticket);
            return;
        }
        let now = work.began.elapsed();
        let attempt = AttemptId(ticket.attempt);
        let Some(record) = work.subtasks.of_mut(SubtaskId(ticket.subtask)) else { return };
        let replicas: Vec<Replica<Outcome>> =
            record.replicas.iter().map(|(_, replica)| replica.clone()).collect();
        if work.setup.policy.verification.is_adaptive() || self.rechecks.is_out(id) {
            self.judge_by_trust(work, ticket, &replicas);
            return;
        }
        provider_scoring::record_agreement(
            &work.providers.peers,
            &work.setup,
            &mut work.scheduler,
            &replicas,
        );
        match verify(&work.setup.policy.verification, &replicas) {
            Verdict::Open { missing } => work.scheduler.answered(id, attempt, Some(missing), now),
            Verdict::Split(report) => {
                self.checks.split(work, &self.validation, id, report);
                work.scheduler.answered(id, attempt, None, now);
            }
            Verdict::Accepted(verified) => {
                let (outcome, report) = verified.into_parts();
                match report.agreeing.first() {
                    Some(provider) if self.is_drawn_for_another_look(work, id, &replicas, &report) => {
                        self.rechecks.draw(id, provider.clone());
                    }
                    // What is looked at again teaches more when that has ended.
                    _ => work.providers.trust.learn_from(&work.subtasks, id, &replicas, &report),
                }
                self.accept(work, id, outcome, report);
                work.scheduler.answered(id, attempt, Some(0), now);
            }
        }
    }

    /// Rules over a subtask's replicas after one was added.
    pub fn judge_by_trust(&mut self, work: &mut Work, ticket: Ticket, replicas: &[Replica<Outcome>]) {
        let id = SubtaskId(ticket.subtask);
        let Some(question) = work.providers.trust.question(&work.subtasks, id) else { return };
        let (now, attempt) = (work.began.elapsed(), AttemptId(ticket.attempt));
        let reach = work.scheduler.reach(id);
        match work.providers.trust.assessor.rule(&question, replicas, reach) {
            Ruling::Ask { because, leading } => {
                tell_posterior(&mut work.journal, id, PosteriorStep::Ask(because), leading);
                work.scheduler.answered(id, attempt, Some(1), now);
            }
            Ruling::Split { report, leading } => {
                tell_posterior(&mut work.journal, id, PosteriorStep::Stop, leading);
                self.checks.split(work, &self.validation, id, report);
                work.scheduler.answered(id, attempt, None, now);
            }
            Ruling::Accepted { verified, assessment } => {
                tell_posterior(&mut work.journal, id, PosteriorStep::Accept, Some(assessment));
                let (outcome, report) = verified.into_parts();
                let (scheduler, certainty) = (&mut work.scheduler, assessment.fidelity);
                let follows = work.providers.trust_after(scheduler, &question, replicas, &report, certainty);
                self.apply(work, follows);
                self.accept(work, id, outcome, report);
                work.scheduler.answered(id, attempt, Some(0), now);
            }
        }
    }

    /// Whether tier 3 has somebody else asked for an answer that another policy accepts.
    pub fn is_drawn_for_another_look(
        &mut self,
        work: &mut Work,
        id: SubtaskId,
        replicas: &[Replica<Outcome>],
        report: &Report,
    ) -> bool {
        let looks = work.setup.policy.verification.looks_again();
        let comparable = replicas.iter().all(|replica| self.checks.can_compare(&replica.answer));
        // Two true answers in words of their own would pass for a contradiction, and both be given up.
        if !comparable || !work.scheduler.could_ask(id) {
            return false;
        }
        let Some(question) = work.providers.trust.question(&work.subtasks, id) else { return false };
        let Some(because) = work.providers.trust.assessor.looks_again(&question, replicas, report, looks)
        else {
            return false;
        };
        let leading = work.providers.trust.assessor.assess(&question, replicas, report);
        tell_posterior(&mut work.journal, id, PosteriorStep::Ask(because), leading);
        true
    }

    pub fn accept(&mut self, work: &mut Work, id: SubtaskId, outcome: Outcome, report: Report) {
        let Some(record) = work.subtasks.of_mut(id) else { return };
        let answers = record.take_replicas();
        let replicas = u32::try_from(answers.len()).unwrap_or(u32::MAX);
        let outcome = self.checks.best_words(id.0, &answers, &report).unwrap_or(outcome);
        let local =
            answers.iter().any(|(_, replica)| replica.trusted && report.agreeing.contains(&replica.provider));
        let key = record.subtask.key();
        if !self.rechecks.ended(id) {
            work.gauge.accepted(record.first_price);
        }
        work.gauge.compared(answers.len(), report.dissenting.len());
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
        let compared = work.setup.is_compared(&answers);
        // Who was accepted alone, and was looked at again.
        let mut first = self.rechecks.take_first(id);
        let mut scored = Vec::new();
        for (attempt, replica) in &answers {
            let ticket = Ticket { subtask: id.0, attempt: attempt.0 };
            // Only the agreeing set is paid (design.md, section 1).
            let agrees = report.agreeing.contains(&replica.provider);
            let metadata = work.attempts.sent.get(&ticket).and_then(|sent| sent.metadata.clone());
            if let Some(metadata) = &metadata {
                self.rechecks.keep_first(id, ticket, metadata);
            }
            let metadata = metadata.or_else(|| Some(first.take_if(|(whose, _)| *whose == ticket)?.1));
            let verdict = match (agrees, self.checks.arbitrations.is_settled(id)) {
                (true, _) => AnswerVerdict::Correct,
                // Whom an arbiter did not choose is not proven wrong (seed-arithmetic.md, scenario 2).
                (false, true) => AnswerVerdict::NotChosen,
                (false, false) => AnswerVerdict::Wrong,
            };
            scored.extend(self.verdicts.score(
                &mut work.providers.trust,
                replica,
                metadata,
                verdict,
                compared,
            ));
            paid = paid.saturating_add(work.attempts.end_answered(ticket, &replica.answer, agrees));
        }
        let quality = self.checks.validation.correctness(id, &outcome).unwrap_or(report.agreement);
        if compared {
            work.providers.clusters.take(kind, quality, report.agreement, &scored);
        }
        if let Some((desk, at)) = work.routing(work.began.elapsed()) {
            desk.went_well(&at, id, &outcome, &report, &answers, paid);
        }
        let (agreement, confidence) = (report.agreement, report.reported_confidence);
        work.journal.verify(id, true, report);
        work.journal.emit(TraceEvent::Verified {
            subtask: id,
            key,
            outcome,
            agreement,
            confidence,
            replicas,
            local,
        });
        work.subtasks.fresh.push(id);
    }

    /// Stops asking those who are out, asks those again who are back, and asks others for what is in doubt.
    pub fn apply(&mut self, work: &mut Work, Consequence { changes, why }: Consequence) {
        if !work.setup.policy.verification.is_adaptive() {
            return;
        }
        for &member in &changes.out {
            let id: ProviderId = work.providers.trust.name(member).into();
            work.providers.exclude(&mut work.scheduler, &id, work.began.elapsed());
            work.journal.decide("verify", "retry", &format!("{id} is not asked any more: {why}"));
        }
        for &member in &changes.back {
            let id: ProviderId = work.providers.trust.name(member).into();
            if let Some((index, capacity)) = work.providers.peers.readmit(&id) {
                work.scheduler.providers.upsert(index, capacity);
                let words = format!("{id} is asked again: those who outvoted it were wrong");
                work.journal.decide("verify", "retry", &words);
            }
        }
        self.rechecks.recheck(work, &mut self.checks, &changes.doubted);
    }

    /// The validator's word came.
    pub fn on_attested(
        &mut self,
        work: &mut Work,
        ticket: Ticket,
        verdict: Result<Confirmation, String>,
        usage: Usage,
    ) {
        let found = match verdict {
            Ok(found) => found,
            Err(why) => {
                self.validation_failed(work, ticket, false, &why);
                return;
            }
        };
        let (Some(answer), Some(sent)) =
            (self.validation.validated(ticket), work.attempts.sent.remove(&ticket))
        else {
            return;
        };
        self.validation.pay_verdict();
        // It is paid for the work of a verdict, not for a verdict that pleases.
        let Confirmation { confirmed, shown } = found;
        let answers = self.validation.texts_of(answer);
        let cost = quote::actual_of_verdict(&sent.prompt, answers, &sent.provider);
        work.attempts.ended.push((ticket, Some(cost)));
        let usage = work.report.count_usage(usage, &sent.prompt);
        let summary = format!("the validator confirms {confirmed} of {shown} answers");
        let after = work.began.elapsed().saturating_sub(sent.at);
        returned(&mut work.journal, ticket, after, Ok((summary, usage)));
        let id = SubtaskId(answer.subtask);
        let is_wanted = work.scheduler.entries.is_out(id, AttemptId(answer.attempt));
        let Some(held) = self.validation.take_judged(answer, ticket, is_wanted) else { return };
        if found.accepts() {
            self.validation.say_right(&held.replica.provider);
        }
        work.journal.emit(TraceEvent::Attested {
            subtask: SubtaskId(answer.subtask),
            attempt: AttemptId(answer.attempt),
            validator: sent.provider.id.to_string(),
            result: held.shown.result,
            confirmed,
            shown,
        });
        let replica = Replica { attested: Some(found.accepts()), ..held.replica };
        work.providers.trust.saw_verdict(
            &work.subtasks,
            &mut work.journal,
            &sent.provider.id,
            id,
            &replica.key,
            found.accepts(),
        );
        if let Some(record) = work.subtasks.of_mut(SubtaskId(answer.subtask)) {
            record.replicas.push((AttemptId(answer.attempt), replica));
            self.judge(work, answer);
        }
    }
}
