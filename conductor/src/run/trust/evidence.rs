//! What the run sees of its providers beside their answers' agreement: checks, audits, verdicts, silence.

use frlm_questions::plan::Outcome;
use frlm_questions::stage::RunStage;
use frlm_scheduler::SubtaskId;
use frlm_verifier::Replica;
use frlm_verifier::trust::{Evidence, TaskClass};

use super::ruling::{Consequence, WRONG_TOO_OFTEN};
use super::{Verdicts, gold_key};
use crate::run::journal::Journal;
use crate::run::subtasks::Subtasks;
use crate::run::trust::TrustDesk;
use crate::swarm::{ProviderInfo, Ticket};

/// The kind of work that a validator's verdicts are, in its record.
const VALIDATING: &str = "validate";
/// Why a provider is out.
const ANOTHER_MODEL: &str = "an audit shows that other weights than it claims wrote its answers";
const NOTHING_TO_READ: &str = "its answers come with nothing that the weights which it claims could read";

impl TrustDesk {
    /// A validator gave its word about an answer: it is held against what code finds in the documents, wherever code
    /// can tell (tier 3 looks at the verifiers, too; seeds/verifier-block.md, "Fraud detection").
    pub(in crate::run) fn saw_verdict(
        &mut self,
        subtasks: &Subtasks,
        journal: &mut Journal,
        validator: &str,
        id: SubtaskId,
        key: &str,
        confirmed: bool,
    ) {
        let Some(record) = subtasks.of(id) else { return };
        let Some(gold) = gold_key(record.task()) else { return };
        let price = record.first_price.unwrap_or_default();
        let class = TaskClass::new(VALIDATING, self.domain.name(), price.0);
        let right = confirmed == (key == gold);
        self.verdicts.held_against_code += 1;
        self.verdicts.wrong += u32::from(!right);
        let changes = self.assessor.observe(Evidence::Comparison {
            class,
            groups: vec![vec![validator.to_owned()]],
            accepted: right.then_some(0),
            certainty: 1.0,
            audited: true,
        });
        if !changes.out.is_empty() {
            let Verdicts { held_against_code, wrong } = self.verdicts;
            let words = format!(
                "the validator {validator} was wrong in {wrong} of {held_against_code} verdicts about answers that code \
                 knows: name another one (--verify validated:NPUB), or let records decide (--verify adaptive)"
            );
            journal.notice(RunStage::Verify, &words);
        }
    }

    /// Whether the weights that its provider claims are to read this answer, by lot (tier 3).
    pub(in crate::run) fn is_drawn_for_audit(
        &self,
        subtasks: &Subtasks,
        ticket: Ticket,
        replica: &Replica<Outcome>,
    ) -> bool {
        let question = self.question(subtasks, ticket.subtask);
        question.is_some_and(|question| self.assessor.audited(&question, replica).is_some())
    }
}

impl TrustDesk {
    /// An answer did not pass the checks that need no comparison. It speaks against its provider once another answer to the subtask
    /// passes them: what nobody can read, such as signs that a model never saw, makes honest providers fail alike.
    pub(in crate::run) fn saw_failed_check(
        &mut self,
        subtasks: &Subtasks,
        id: SubtaskId,
        provider: &ProviderInfo,
    ) -> Option<Consequence> {
        if provider.trusted {
            return None;
        }
        let provider = provider.id.to_string();
        if self.passed.contains(&id) {
            return self.hold_failed_check_against(subtasks, id, provider);
        }
        self.failed.entry(id).or_default().push(provider);
        None
    }

    /// An answer passed those checks.
    pub(in crate::run) fn saw_passed_check(
        &mut self,
        subtasks: &Subtasks,
        id: SubtaskId,
    ) -> Vec<Consequence> {
        if !self.passed.insert(id) {
            return Vec::new();
        }
        let failed = self.failed.remove(&id).unwrap_or_default();
        failed
            .into_iter()
            .filter_map(|provider| self.hold_failed_check_against(subtasks, id, provider))
            .collect()
    }

    fn hold_failed_check_against(
        &mut self,
        subtasks: &Subtasks,
        id: SubtaskId,
        provider: String,
    ) -> Option<Consequence> {
        let class = self.question(subtasks, id)?.class;
        let changes = self.assessor.observe(Evidence::FailedCheck { class, provider });
        Some(Consequence { changes, why: WRONG_TOO_OFTEN })
    }

    /// The weights that a provider claims have read an answer of it; with `false` if it is known by now that it runs others.
    pub(in crate::run) fn saw_audit(
        &mut self,
        provider: &str,
        weights_hash: String,
        score_nats: f64,
    ) -> (Consequence, bool) {
        let provider = provider.to_owned();
        let member = self.member(&provider);
        let changes = self.assessor.observe(Evidence::Audited { provider, weights_hash, score_nats });
        let has_lied = member.is_some_and(|member| self.assessor.reputation().has_lied(member));
        (Consequence { changes, why: ANOTHER_MODEL }, !has_lied)
    }

    /// An answer was to be read by the weights that its provider claims, and came with nothing to read.
    pub(in crate::run) fn saw_nothing_to_read(
        &mut self,
        subtasks: &Subtasks,
        id: SubtaskId,
        provider: &str,
    ) -> Option<Consequence> {
        let (class, provider) = (self.question(subtasks, id)?.class, provider.to_owned());
        let changes = self.assessor.observe(Evidence::NothingToRead { class, provider });
        Some(Consequence { changes, why: NOTHING_TO_READ })
    }

    /// A provider did not answer in time.
    pub(in crate::run) fn saw_timeout(&mut self, provider: &str) {
        self.assessor.observe(Evidence::Timeout { provider: provider.to_owned() });
    }
}
