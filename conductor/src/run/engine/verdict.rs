//! Answers that passed their own checks: compared with each other, accepted or rejected.

use frlm_inference::Usage;
use frlm_questions::plan::Outcome;
use frlm_scheduler::{AttemptFailure, AttemptId, SubtaskId};
use frlm_verifier::attested::Confirmation;
use frlm_verifier::fitness::AnswerVerdict;
use frlm_verifier::trust::{Reach, Ruling};
use frlm_verifier::{Replica, Report, Verdict, verify};
use frlm_wallet::Sats;

use super::{Engine, returned};
use crate::run::checks::is_prose;
use crate::run::decide::judge_audit;
use crate::run::provider_scoring::Experience;
use crate::run::subtasks::{Accepted, Progress};
use crate::run::trust::{Consequence, tell_posterior};
use crate::run::validate::unjudged::{MOST_PAID_UNJUDGED, MOST_UNJUDGED};
use crate::run::work::Work;
use crate::run::{learner, provider_scoring, quote};
use crate::swarm::{ProviderId, Ticket};
use crate::trace::{PosteriorStep, RunStage, TraceEvent};

impl Engine {
    /// Compares a subtask's replicas after one was added.
    pub fn judge(&mut self, ticket: Ticket) {
        let id = ticket.subtask;
        if self.work.audits.is_out(id) {
            judge_audit(&mut self.work, ticket);
            return;
        }
        let (now, attempt) = (self.work.now, ticket.attempt);
        if self.work.setup.policy.verification.is_adaptive() || self.answers.rechecks.out.contains(&id) {
            self.judge_by_trust(id, Some(attempt));
            return;
        }
        let Some(record) = self.work.subtasks.of(id) else { return };
        let replicas: Vec<Replica<Outcome>> = record.replicas.iter().map(|(_, it)| it.clone()).collect();
        provider_scoring::record_agreement(
            &self.work.providers.peers,
            &self.work.setup,
            &mut self.work.scheduler,
            &replicas,
        );
        match verify(&self.work.setup.policy.verification, &replicas) {
            Verdict::Open { missing } => self.work.scheduler.answered(id, attempt, Some(missing), now),
            Verdict::Split(report) => {
                self.split(id, report);
                self.work.scheduler.answered(id, attempt, None, now);
            }
            Verdict::Accepted(verified) => {
                let (outcome, report) = verified.into_parts();
                match report.agreeing.first() {
                    Some(provider) if self.is_drawn_for_another_look(id, &replicas, &report) => {
                        self.answers.rechecks.draw(id, provider.clone());
                    }
                    // An answer that is rechecked teaches more once its recheck has ended.
                    _ => self.work.providers.trust.learn_from(&self.work.subtasks, id, &replicas, &report),
                }
                self.accept(id, outcome, report);
                self.work.scheduler.answered(id, attempt, Some(0), now);
            }
        }
    }

    /// Decides over a subtask's replicas, `true` if one is accepted. With an attempt, its replica was just added, and others may be asked.
    /// Without one, nobody else can be asked, and a replica is accepted or nothing changes.
    pub fn judge_by_trust(&mut self, id: SubtaskId, attempt: Option<AttemptId>) -> bool {
        let Work { journal, scheduler, providers, subtasks, .. } = &mut self.work;
        let Some(record) = subtasks.of(id) else { return false };
        let replicas: Vec<Replica<Outcome>> = record.replicas.iter().map(|(_, it)| it.clone()).collect();
        let Some(question) = providers.trust.question(subtasks, id) else { return false };
        let nobody = Reach { anyone: false, known: false };
        let reach = attempt.map_or(nobody, |_| scheduler.reach(id));
        let missing = match providers.trust.assessor.rule(&question, &replicas, reach) {
            Ruling::Ask { .. } | Ruling::Split { .. } if attempt.is_none() => return false,
            Ruling::Ask { because, leading } => {
                tell_posterior(journal, id, PosteriorStep::Ask(because), leading);
                Some(1)
            }
            Ruling::Split { report, leading } => {
                tell_posterior(journal, id, PosteriorStep::Stop, leading);
                self.split(id, report);
                None
            }
            Ruling::Accepted { verified, assessment } => {
                tell_posterior(journal, id, PosteriorStep::Accept, Some(assessment));
                let (outcome, report) = verified.into_parts();
                let certainty = assessment.fidelity;
                let follows = providers.trust_after(scheduler, &question, &replicas, &report, certainty);
                self.apply(follows);
                self.accept(id, outcome, report);
                Some(0)
            }
        };
        if let Some(attempt) = attempt {
            self.work.scheduler.answered(id, attempt, missing, self.work.now);
        }
        missing == Some(0)
    }

    /// All replicas are in and none of their answers is accepted.
    pub fn split(&mut self, id: SubtaskId, report: Report) {
        // An accepted answer that nobody contradicts stands once the subtask is given up, and who confirmed it is paid.
        if self.answers.rechecks.is_uncontradicted(&self.work.subtasks, id) {
            return;
        }
        self.work.tell_split(id, report);
        self.work.attempts.end_unpaid(&self.work.subtasks, id);
    }

    /// Whether tier 3 has somebody else asked for an answer that another policy accepts.
    pub fn is_drawn_for_another_look(
        &mut self,
        id: SubtaskId,
        replicas: &[Replica<Outcome>],
        report: &Report,
    ) -> bool {
        let looks = self.work.setup.policy.verification.looks_again();
        let in_prose = replicas.iter().any(|replica| is_prose(&replica.answer));
        // Two true answers in words of their own would pass for a contradiction, and both be given up.
        if in_prose || !self.work.scheduler.could_ask(id) {
            return false;
        }
        let Some(question) = self.work.providers.trust.question(&self.work.subtasks, id) else {
            return false;
        };
        let Some(because) =
            self.work.providers.trust.assessor.looks_again(&question, replicas, report, looks)
        else {
            return false;
        };
        let leading = self.work.providers.trust.assessor.assess(&question, replicas, report);
        tell_posterior(&mut self.work.journal, id, PosteriorStep::Ask(because), leading);
        true
    }

    pub fn accept(&mut self, id: SubtaskId, outcome: Outcome, report: Report) {
        let Some(record) = self.work.subtasks.of_mut(id) else { return };
        let answers = record.take_replicas();
        let replicas = u32::try_from(answers.len()).unwrap_or(u32::MAX);
        let local =
            answers.iter().any(|(_, replica)| replica.trusted && report.agreeing.contains(&replica.provider));
        let key = record.subtask.key();
        if !self.answers.rechecks.ended(id) {
            self.work.gauge.accepted(record.first_price);
        }
        self.work.gauge.compared(answers.len(), report.dissenting.len());
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
        let compared = self.work.setup.is_compared(&answers);
        // The provider whose answer was accepted alone, and rechecked since.
        let mut first = self.answers.rechecks.take_first(id);
        let mut scored = Vec::new();
        for (attempt, replica) in &answers {
            let ticket = Ticket { subtask: id, attempt: *attempt };
            // Only the agreeing set is paid (design.md, section 1).
            let agrees = report.agreeing.contains(&replica.provider);
            let metadata = self.work.attempts.sent.get(&ticket).and_then(|sent| sent.metadata.clone());
            if let Some(metadata) = &metadata {
                self.answers.rechecks.keep_first(id, ticket, metadata);
            }
            let metadata = metadata.or_else(|| Some(first.take_if(|(whose, _)| *whose == ticket)?.1));
            let verdict = if agrees { AnswerVerdict::Correct } else { AnswerVerdict::Wrong };
            scored.extend(self.answers.verdicts.score(
                &mut self.work.providers.trust,
                replica,
                metadata,
                verdict,
                compared,
            ));
            paid = paid.saturating_add(self.work.attempts.end_answered(ticket, &replica.answer, agrees));
        }
        let quality = self.answers.checks.validation.correctness(id, &outcome).unwrap_or(report.agreement);
        if compared {
            self.work.providers.clusters.take(kind, quality, report.agreement, &scored);
        }
        if let Some((desk, at)) = self.work.routing(self.work.now) {
            desk.went_well(&at, id, &outcome, &report, &answers, paid);
        }
        let (agreement, confidence) = (report.agreement, report.reported_confidence);
        self.work.journal.verify(id, true, report);
        self.work.journal.emit(TraceEvent::Verified {
            subtask: id,
            key,
            outcome,
            agreement,
            confidence,
            replicas,
            local,
        });
        self.work.subtasks.fresh.push(id);
    }

    /// Stops asking those who are out, asks those again who are back, and asks others for what is in doubt.
    pub fn apply(&mut self, Consequence { changes, why }: Consequence) {
        if !self.work.setup.policy.verification.is_adaptive() {
            return;
        }
        for &member in &changes.out {
            let id: ProviderId = self.work.providers.trust.name(member).into();
            self.work.providers.exclude(&mut self.work.scheduler, &id, self.work.now);
            self.work.journal.notice(RunStage::Verify, &format!("{id} is not asked any more: {why}"));
        }
        for &member in &changes.back {
            let id: ProviderId = self.work.providers.trust.name(member).into();
            if let Some((index, capacity)) = self.work.providers.peers.readmit(&id) {
                self.work.scheduler.providers.upsert(index, capacity);
                let words = format!("{id} is asked again: those who outvoted it were wrong");
                self.work.journal.notice(RunStage::Verify, &words);
            }
        }
        self.answers.rechecks.recheck(&mut self.work, &changes.doubted);
    }

    /// The validator's word came.
    pub fn on_attested(&mut self, ticket: Ticket, verdict: Result<Confirmation, String>, usage: Usage) {
        let found = match verdict {
            Ok(found) => found,
            Err(why) => {
                self.validation_failed(ticket, false, &why);
                return;
            }
        };
        let (Some(answer), Some(sent)) =
            (self.answers.validation.validated(ticket), self.work.attempts.sent.remove(&ticket))
        else {
            return;
        };
        self.answers.validation.pay_verdict();
        // It is paid for the work of a verdict, not for a verdict that pleases.
        let Confirmation { confirmed, shown } = found;
        let answers = self.answers.validation.texts_of(answer);
        let cost = quote::actual_of_verdict(&sent.prompt, answers, &sent.provider);
        self.work.attempts.ended.push((ticket, Some(cost)));
        let usage = self.work.report.count_usage(usage, &sent.prompt);
        let summary = format!("the validator confirms {confirmed} of {shown} answers");
        let after = self.work.now.saturating_sub(sent.at);
        returned(&mut self.work.journal, ticket, after, Ok((summary, usage)));
        let id = answer.subtask;
        let is_wanted = self.work.scheduler.entries.is_out(id, answer.attempt);
        let Some(held) = self.answers.validation.take_judged(answer, ticket, is_wanted) else { return };
        if found.accepts() {
            self.answers.validation.say_right(&held.replica.provider);
        }
        self.work.journal.emit(TraceEvent::Attested {
            subtask: answer.subtask,
            attempt: answer.attempt,
            validator: sent.provider.id.to_string(),
            result: held.shown.result,
            confirmed,
            shown,
        });
        let replica = Replica { attested: Some(found.accepts()), ..held.replica };
        self.work.providers.trust.saw_verdict(
            &self.work.subtasks,
            &mut self.work.journal,
            &sent.provider.id,
            id,
            &replica.key,
            found.accepts(),
        );
        if let Some(record) = self.work.subtasks.of_mut(answer.subtask) {
            record.replicas.push((answer.attempt, replica));
            self.judge(answer);
        }
    }

    pub fn attempt_failed(&mut self, ticket: Ticket, failure: AttemptFailure, why: &str) {
        if self.answers.validation.is_validation(ticket) {
            let is_busy = matches!(failure, AttemptFailure::Busy | AttemptFailure::BusyFor(_));
            self.validation_failed(ticket, is_busy, why);
            return;
        }
        self.answers.claims.forget_reading(ticket);
        let Some(sent) = self.work.attempts.sent.remove(&ticket) else { return };
        let now = self.work.now;
        returned(&mut self.work.journal, ticket, now.saturating_sub(sent.at), Err(why));
        self.work.attempts.ended.push((ticket, None));
        let experience = match failure {
            AttemptFailure::Failed => {
                self.work.gauge.failed(&sent.provider.id);
                Some(Experience::Failed)
            }
            AttemptFailure::TooLate => {
                self.work.gauge.timed_out();
                Some(Experience::Refused)
            }
            AttemptFailure::Busy | AttemptFailure::BusyFor(_) => Some(Experience::Refused),
            AttemptFailure::Unpaid => {
                self.work.gauge.unpaid();
                None
            }
            // An answer without a verdict has come: the `validate::unjudged` module ends it.
            AttemptFailure::Unfit | AttemptFailure::NotSent | AttemptFailure::NoVerdict => None,
        };
        if let Some(experience) = experience {
            self.work.providers.record_experience(&mut self.work.scheduler, &sent.provider.id, experience);
        }
        if let Some(record) = self.work.subtasks.of_mut(ticket.subtask) {
            let has_failed = matches!(failure, AttemptFailure::Failed | AttemptFailure::Unpaid);
            record.failures = record.failures.saturating_add(u16::from(has_failed));
            record.timeouts = record.timeouts.saturating_add(u16::from(failure == AttemptFailure::TooLate));
            record.last_failure = Some(why.chars().take(200).collect());
        }
        let attempt = ticket.attempt;
        self.work.scheduler.failed(ticket.subtask, attempt, failure, now);
        learner::plan_no_more(&mut self.work.subtasks, &mut self.work.scheduler, ticket.subtask);
    }

    /// A validation gave no verdict, perhaps for want of room at the validator: once more, or the answer has none.
    pub fn validation_failed(&mut self, ticket: Ticket, no_room: bool, why: &str) {
        let Some(answer) = self.answers.validation.validated(ticket) else { return };
        if let Some(sent) = self.work.attempts.sent.remove(&ticket) {
            let after = self.work.now.saturating_sub(sent.at);
            returned(&mut self.work.journal, ticket, after, Err(why));
        }
        self.work.attempts.ended.push((ticket, None));
        if self.answers.validation.tries_again(answer, ticket, no_room, self.work.now) == Some(false) {
            self.no_verdict(answer, why);
        }
    }

    /// Nobody says whether an answer is right: somebody else may be asked for another one.
    pub fn no_verdict(&mut self, answer: Ticket, why: &str) {
        self.end_without_verdict(answer, why);
        let (id, attempt) = (answer.subtask, answer.attempt);
        self.work.scheduler.failed(id, attempt, AttemptFailure::NoVerdict, self.work.now);
    }

    /// An answer whose own checks are over gets no verdict: no method at hand can tell whether it is right, at a level where that is
    /// not enough, or nobody whose verdict it needs has seen its claims. Somebody else may be asked for another one. That is
    /// not its provider's doing.
    pub fn no_word(&mut self, answer: Ticket, replica: &Replica<Outcome>, why: &str) {
        let (id, attempt) = (answer.subtask, answer.attempt);
        self.work.scheduler.failed(id, attempt, AttemptFailure::NoVerdict, self.work.now);
        self.left_unjudged(answer, replica, why);
    }

    /// Ends an answer of which nobody says whether it is right: its provider has done its part, and is paid. The
    /// validation that is out, if any.
    pub fn end_without_verdict(&mut self, answer: Ticket, why: &str) -> Option<Ticket> {
        let (held, out) = self.answers.validation.take(answer)?;
        self.left_unjudged(answer, &held.replica, why);
        out.filter(|out| self.work.attempts.sent.contains_key(out))
    }

    /// Pays for an answer that nobody judged, as far as that goes, and says so.
    fn left_unjudged(&mut self, answer: Ticket, replica: &Replica<Outcome>, why: &str) {
        let provider: ProviderId = replica.provider.as_str().into();
        let excess = self.answers.validation.say_nothing(&provider);
        let paid = excess <= MOST_PAID_UNJUDGED;
        self.work.attempts.end_answered(answer, &replica.answer, paid);
        let validator = self.answers.validation.validator().unwrap_or_default().to_owned();
        self.work.tell_unjudged(answer, validator, &provider, paid, why);
        // The user's own machine is nobody who could live by it.
        if excess >= MOST_UNJUDGED
            && !replica.trusted
            && self.work.scheduler.entries.open() > 0
            && self.work.providers.peers.index(&provider).is_some()
        {
            self.work.ask_nothing_more(&provider, self.answers.validation.validator().is_some());
        }
    }
}
