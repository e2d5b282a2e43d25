//! What the assessor says of a subtask's answers, and what the run does about it.

use frlm_verifier::trust::{Assessment, Changes, Question, Ruling};
use frlm_verifier::{Replica, Report};

use super::super::driver::Run;
use crate::plan::Outcome;
use crate::run::journal::Journal;
use crate::run::provider_desk::ProviderDesk;
use crate::run::subtasks::Subtasks;
use crate::run::trust::TrustDesk;
use crate::scheduler::{AttemptId, Scheduler, SubtaskId};
use crate::swarm::{ProviderId, Ticket};
use crate::trace::{PosteriorStep, TraceEvent};

/// Why a provider is out.
pub(super) const WRONG_TOO_OFTEN: &str = "its answers are wrong too often";

/// What follows from what was seen of providers, and why.
#[derive(Debug)]
pub(in crate::run) struct Consequence {
    pub(super) changes: Changes,
    pub(super) why: &'static str,
}

impl TrustDesk {
    /// Learns from an answer that another policy accepted.
    pub(in crate::run) fn learn_from(
        &mut self,
        subtasks: &Subtasks,
        id: SubtaskId,
        replicas: &[Replica<Outcome>],
        report: &Report,
    ) {
        let Some(question) = self.question(subtasks, id) else { return };
        // Where those who agreed are not who would be believed, the agreement teaches nothing.
        if let Some(assessment) = self.assessor.assess(&question, replicas, report) {
            self.assessor.accepted(&question, replicas, report, assessment.fidelity);
        }
    }
}

impl ProviderDesk {
    /// An answer is accepted: what that says of those who answered.
    fn trust_after(
        &mut self,
        scheduler: &mut Scheduler,
        question: &Question,
        replicas: &[Replica<Outcome>],
        report: &Report,
        certainty: f64,
    ) -> Consequence {
        let changes = self.trust.assessor.accepted(question, replicas, report, certainty);
        for replica in replicas.iter().filter(|replica| !replica.trusted) {
            let Some(member) = self.trust.member(&replica.provider) else { continue };
            let trust = self.trust.trust(member, &question.class);
            let id: ProviderId = replica.provider.as_str().into();
            if let Some((index, capacity)) = self.peers.trusted(&id, trust) {
                scheduler.providers.change_capacity(index, capacity);
            }
            let fidelity = self.trust.assessor.reputation().fidelity(member, &question.class);
            self.record_fidelity(scheduler, &id, fidelity);
        }
        Consequence { changes, why: WRONG_TOO_OFTEN }
    }
}

fn tell_posterior(
    journal: &mut Journal,
    subtask: SubtaskId,
    step: PosteriorStep,
    leading: Option<Assessment>,
) {
    let Some(Assessment { fidelity, correctness, .. }) = leading else { return };
    journal.emit(TraceEvent::Posterior { subtask, step, fidelity, correctness });
}

impl Run {
    /// Rules over a subtask's replicas after one was added.
    pub(in crate::run) fn judge_by_trust(&mut self, ticket: Ticket, replicas: &[Replica<Outcome>]) {
        let id = SubtaskId(ticket.subtask);
        let Some(question) = self.providers.trust.question(&self.subtasks, id) else { return };
        let (now, attempt) = (self.began.elapsed(), AttemptId(ticket.attempt));
        let reach = self.scheduler.reach(id);
        match self.providers.trust.assessor.rule(&question, replicas, reach) {
            Ruling::Ask { because, leading } => {
                tell_posterior(&mut self.journal, id, PosteriorStep::Ask(because), leading);
                self.scheduler.answered(id, attempt, Some(1), now);
            }
            Ruling::Split { report, leading } => {
                tell_posterior(&mut self.journal, id, PosteriorStep::Stop, leading);
                self.split(id, report);
                self.scheduler.answered(id, attempt, None, now);
            }
            Ruling::Accepted { verified, assessment } => {
                tell_posterior(&mut self.journal, id, PosteriorStep::Accept, Some(assessment));
                let (outcome, report) = verified.into_parts();
                let (scheduler, certainty) = (&mut self.scheduler, assessment.fidelity);
                let follows = self.providers.trust_after(scheduler, &question, replicas, &report, certainty);
                self.apply(follows);
                self.accept(id, outcome, report);
                self.scheduler.answered(id, attempt, Some(0), now);
            }
        }
    }

    /// Whether tier 3 has somebody else asked for an answer that another policy accepts.
    pub(in crate::run) fn is_drawn_for_another_look(
        &mut self,
        id: SubtaskId,
        replicas: &[Replica<Outcome>],
        report: &Report,
    ) -> bool {
        let looks = self.setup.policy.verification.looks_again();
        let comparable = replicas.iter().all(|replica| self.answers.checks.can_compare(&replica.answer));
        // Two true answers in words of their own would pass for a contradiction, and both be given up.
        if !comparable || !self.scheduler.could_ask(id) {
            return false;
        }
        let Some(question) = self.providers.trust.question(&self.subtasks, id) else { return false };
        let Some(because) = self.providers.trust.assessor.looks_again(&question, replicas, report, looks)
        else {
            return false;
        };
        let leading = self.providers.trust.assessor.assess(&question, replicas, report);
        tell_posterior(&mut self.journal, id, PosteriorStep::Ask(because), leading);
        true
    }

    /// Stops asking those who are out, asks those again who are back, and asks others for what is in doubt.
    pub(in crate::run) fn apply(&mut self, Consequence { changes, why }: Consequence) {
        if !self.setup.policy.verification.is_adaptive() {
            return;
        }
        for &member in &changes.out {
            let id: ProviderId = self.providers.trust.name(member).into();
            self.providers.exclude(&mut self.scheduler, &id, self.began.elapsed());
            self.journal.decide("verify", "retry", &format!("{id} is not asked any more: {why}"));
        }
        for &member in &changes.back {
            let id: ProviderId = self.providers.trust.name(member).into();
            if let Some((index, capacity)) = self.providers.peers.readmit(&id) {
                self.scheduler.providers.upsert(index, capacity);
                let words = format!("{id} is asked again: those who outvoted it were wrong");
                self.journal.decide("verify", "retry", &words);
            }
        }
        self.recheck(&changes.doubted);
    }
}
