//! Accepted answers that are looked at again: the least agreed upon first, by somebody who has not
//! answered yet, or by this machine's own model, whose word decides.

use std::collections::HashSet;

use frlm_scheduler::SubtaskId;
use frlm_verifier::Report;

use super::super::checks::is_prose;
use super::super::engine::Engine;
use super::super::subtasks::Progress;
use super::super::work::Work;
use crate::swarm::Ticket;
use crate::trace::TraceEvent;

/// Accepted answers that one investigation has audited.
const MOST_AUDITS: usize = 8;

/// Audits of this run.
#[derive(Debug, Default)]
pub(in crate::run) struct Audits {
    /// Under way.
    out: HashSet<SubtaskId>,
    /// Subtasks that were audited or are: no answer is audited twice.
    seen: HashSet<SubtaskId>,
    /// The auditor found the same.
    pub confirmed: u64,
    /// The auditor found something else.
    pub contradicted: u64,
    /// Nobody did it, or nothing can tell what the auditor's other words mean.
    pub unsettled: u64,
}

/// What an auditor's answer says of the accepted one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finding {
    Confirmed,
    Contradicted,
    /// It says it in other words, and nothing can tell whether they mean the same. Claims settle answers in words, so only the
    /// answer of an earlier version, in a resumed run, is audited as a whole.
    OtherWords,
}

impl Finding {
    fn of(agrees: bool, comparable: bool) -> Self {
        match (agrees, comparable) {
            (true, _) => Self::Confirmed,
            (false, true) => Self::Contradicted,
            (false, false) => Self::OtherWords,
        }
    }
}

impl Audits {
    /// Whether an answer to this subtask is an auditor's.
    pub fn is_out(&self, id: SubtaskId) -> bool {
        self.out.contains(&id)
    }

    /// Nobody audited it; `false` if nobody was to.
    pub fn gave_up(&mut self, id: SubtaskId) -> bool {
        let was_out = self.out.remove(&id);
        self.unsettled += u64::from(was_out);
        was_out
    }
}

/// Has the answers audited that are least agreed upon; why not, if nobody can.
pub(super) fn audit(engine: &mut Engine) -> Result<String, String> {
    if let Some(own) = engine.work.setup.candidates.fallback.clone() {
        // Only subtasks that are opened again reach the last resort.
        engine.on_provider(own, true);
    }
    let mut doubtful: Vec<(f64, SubtaskId)> = (0..)
        .zip(engine.work.subtasks.iter())
        .filter_map(|(id, record)| match &record.state {
            Progress::Accepted(accepted) if accepted.agreement < 1.0 => {
                Some((accepted.agreement, SubtaskId(id)))
            }
            _ => None,
        })
        .filter(|(_, id)| !engine.work.audits.seen.contains(id) && engine.work.scheduler.could_ask(*id))
        .collect();
    doubtful.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    doubtful.truncate(MOST_AUDITS);
    if doubtful.is_empty() {
        return Err("no provider is left to audit the doubtful answers".to_owned());
    }
    for (_, id) in &doubtful {
        engine.work.audits.out.insert(*id);
        engine.work.audits.seen.insert(*id);
        if let Some(record) = engine.work.subtasks.of_mut(*id) {
            record.replicas.clear();
        }
        engine.work.scheduler.entries.reopen(*id);
    }
    Ok(format!("{} doubtful answers are audited", doubtful.len()))
}

/// An auditor's answer came.
pub(in crate::run) fn judge_audit(work: &mut Work, ticket: Ticket) {
    let id = ticket.subtask;
    let (now, attempt) = (work.now, ticket.attempt);
    let Some(record) = work.subtasks.of_mut(id) else { return };
    let Some((_, replica)) = record.replicas.pop() else { return };
    let Progress::Accepted(accepted) = &mut record.state else { return };
    let agrees = accepted.outcome.agreement_key() == replica.key;
    let comparable = !is_prose(&accepted.outcome) && !is_prose(&replica.answer);
    let finding = Finding::of(agrees, comparable);
    if finding != Finding::OtherWords {
        let answers = f64::from(accepted.replicas);
        let agreeing = accepted.agreement * answers + f64::from(u8::from(agrees));
        accepted.replicas += 1;
        accepted.agreement = agreeing / (answers + 1.0);
    }
    let corrected = !agrees && replica.trusted;
    if corrected {
        accepted.outcome = replica.answer.clone();
        accepted.local = true;
    }
    let verified = corrected.then(|| TraceEvent::Verified {
        subtask: id,
        key: record.subtask.key(),
        outcome: accepted.outcome.clone(),
        agreement: accepted.agreement,
        confidence: accepted.confidence,
        replicas: accepted.replicas,
        local: true,
    });
    let agreement = accepted.agreement;
    let audits = &mut work.audits;
    audits.out.remove(&id);
    *match finding {
        Finding::Confirmed => &mut audits.confirmed,
        Finding::Contradicted => &mut audits.contradicted,
        Finding::OtherWords => &mut audits.unsettled,
    } += 1;
    // Who confirms is paid like those it agrees with; a contradiction is nobody's verdict yet.
    work.attempts.end_answered(ticket, &replica.answer, agrees);
    let auditor = vec![replica.provider];
    let compared = match finding {
        Finding::Confirmed => Some((auditor, Vec::new())),
        Finding::Contradicted => Some((Vec::new(), auditor)),
        Finding::OtherWords => None,
    };
    if let Some((agreeing, dissenting)) = compared {
        let report = Report { agreeing, dissenting, agreement, reported_confidence: None };
        work.journal.verify(id, agrees, report);
    }
    if let Some(verified) = verified {
        work.journal.emit(verified);
    }
    work.scheduler.answered(id, attempt, Some(0), now);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_contradict_nothing() {
        assert_eq!(Finding::of(true, false), Finding::Confirmed, "the very words say the same");
        assert_eq!(Finding::of(true, true), Finding::Confirmed);
        assert_eq!(Finding::of(false, true), Finding::Contradicted);
        assert_eq!(Finding::of(false, false), Finding::OtherWords);
    }
}
