//! What the assessor says of a subtask's answers, and what the run does about it.

use frlm_questions::plan::Outcome;
use frlm_scheduler::{Scheduler, SubtaskId};
use frlm_verifier::trust::{Assessment, Changes, Question};
use frlm_verifier::{Replica, Report};

use crate::run::journal::Journal;
use crate::run::provider_desk::ProviderDesk;
use crate::run::subtasks::Subtasks;
use crate::run::trust::TrustDesk;
use crate::swarm::ProviderId;
use crate::trace::{PosteriorStep, TraceEvent};

/// Why a provider is out.
pub(super) const WRONG_TOO_OFTEN: &str = "its answers are wrong too often";

/// What follows from what was seen of providers, and why.
#[derive(Debug)]
pub(in crate::run) struct Consequence {
    pub(in crate::run) changes: Changes,
    pub(in crate::run) why: &'static str,
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
    pub(in crate::run) fn trust_after(
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

pub(in crate::run) fn tell_posterior(
    journal: &mut Journal,
    subtask: SubtaskId,
    step: PosteriorStep,
    leading: Option<Assessment>,
) {
    let Some(Assessment { fidelity, correctness, .. }) = leading else { return };
    journal.emit(TraceEvent::Posterior { subtask, step, fidelity, correctness });
}
