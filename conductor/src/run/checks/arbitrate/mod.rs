//! Who is right where nobody agrees on an answer in words (tier 2, fourth step; seeds/verifier-block.md,
//! `llm_arbitration`; docs/decisions/0036-the-user-s-model-arbitrates.md, 0043-a-newcomers-word-is-audited.md).
//!
//! ```text
//!   nobody is left to ask, and the answers differ ─► in words, each with its quotes, and a model of the user's is fit?
//!        │ no                                                     │ yes
//!        ▼                                                        ▼
//!     given up (or the user's own model answers)  ◄── unsettled ─ arbiter, both orders
//!        ▲                                                        │ settled
//!        │                                                        ▼
//!        │                                  somebody with a record says so? ── yes ──────────────► accepted
//!        │                                                        │ no                                 ▲
//!        │                                                        ▼                                    │
//!        └───────────────────────────────────────────── no ─ borne out by the text, in the model's eyes? ─ yes
//! ```
//!
//! It works beside the loop. Meanwhile the subtask is closed for the scheduler and open for the run: nothing more is
//! asked, nobody is paid or declined, and no stage ends.

mod contest;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use frlm_verifier::consensus::{self, Contender, JudgeError, Settled, Unsettled};
use frlm_verifier::{Report, Verified, by_arbitration};

use self::contest::{contest, different};
use super::judge::{Duty, Judging, Silence};
use super::validation::{Audit, NotBorneOut};
use super::{Check, Checked, Checks};
use crate::plan::Outcome;
use crate::run::follows::Follows;
use crate::run::subtasks::{Progress, Subtasks};
use crate::run::validate::Validation;
use crate::run::work::Work;
use crate::scheduler::{FailureReason, SubtaskId};
use crate::trace::{RunStage, TraceEvent};

/// What is before the user's model as an arbiter, and what it settled.
#[derive(Default)]
pub(in crate::run) struct Arbitrations {
    /// What the replicas said where all are in and too few agree: told when the subtask is given up.
    split: HashMap<SubtaskId, Report>,
    /// Before the arbiter, with why they would be given up without it.
    before: HashMap<SubtaskId, FailureReason>,
    settled: HashSet<SubtaskId>,
}

/// Why a contest came to no ruling.
#[derive(Debug)]
enum NoRuling {
    /// The arbiter settled nothing: the answers stand as they are.
    Unsettled(Unsettled),
    /// It gave no word.
    Silent(Silence),
    /// Nobody with a record said what it chose, and the text does not bear it out.
    NotBorneOut(String),
}

/// A contest that has ended.
#[derive(Debug)]
pub(in crate::run) struct Ruled {
    subtask: SubtaskId,
    contenders: usize,
    found: Result<Settled, NoRuling>,
    /// Whether the chosen answer was held against the text.
    audited: bool,
}

/// Has an arbiter settle a contest.
async fn settle(
    arbiter: &Judging,
    query: &str,
    contenders: &[Contender],
    timeout: Duration,
) -> Result<Settled, NoRuling> {
    let (judge, _turn) = arbiter.ready(timeout).await.map_err(NoRuling::Silent)?;
    let ruling = consensus::arbitrate(query, contenders, judge);
    match tokio::time::timeout(timeout, ruling).await {
        Err(_) => Err(NoRuling::Silent(Silence::Away(format!("no ruling within {} s", timeout.as_secs())))),
        Ok(found) => found.map_err(NoRuling::Unsettled),
    }
}

impl NoRuling {
    fn in_words(&self) -> String {
        match self {
            Self::Unsettled(why) => why.to_string(),
            Self::Silent(Silence::Away(why) | Silence::Unfit(why)) => why.clone(),
            Self::NotBorneOut(why) => {
                format!("no provider with a record gave the answer that the arbiter chose, and {why}")
            }
        }
    }

    /// Whether the model gave its word: what is no ruling an answer may have made it say.
    fn word(&self) -> Result<(), Silence> {
        match self {
            Self::Unsettled(gone @ Unsettled::Judge(JudgeError::Model(_))) => {
                Err(Silence::Away(gone.to_string()))
            }
            Self::Silent(silence) => Err(silence.clone()),
            Self::Unsettled(_) | Self::NotBorneOut(_) => Ok(()),
        }
    }
}

impl Arbitrations {
    /// Whether anything is before the arbiter.
    pub fn any_out(&self) -> bool {
        !self.before.is_empty()
    }

    /// Whether an arbiter chose this subtask's answer.
    pub fn is_settled(&self, id: SubtaskId) -> bool {
        self.settled.contains(&id)
    }

    /// An answer is looked at again: what is found then is no word of the arbiter's.
    pub fn reopened(&mut self, id: SubtaskId) {
        self.settled.remove(&id);
    }

    /// How many answers rest on the arbiter's word.
    pub fn count(&self) -> usize {
        self.settled.len()
    }

    /// What the replicas of a subtask said that nobody agreed on, if that was not told yet.
    pub fn take_split(&mut self, id: SubtaskId) -> Option<Report> {
        self.split.remove(&id)
    }
}

impl Checks {
    /// Who would settle a subtask, and between what.
    fn before_arbiter(
        &self,
        validation: &Validation,
        subtasks: &Subtasks,
        id: SubtaskId,
    ) -> Option<(Judging, Vec<Contender>)> {
        // Whom the user named as validator has the last word (docs/decisions/0011-the-validator-does-the-task-itself.md).
        let arbiter = self.judge.in_duty(Duty::Arbitrate);
        let arbiter = arbiter.filter(|_| validation.validator().is_none())?;
        Some((arbiter, contest(&subtasks.replicas_of(id))?))
    }

    /// Puts a subtask's answers before the arbiter that would be given up; `false` if there is nothing that it could
    /// settle.
    pub(in crate::run) fn arbitrate(
        &mut self,
        work: &Work,
        validation: &Validation,
        id: SubtaskId,
        why: FailureReason,
    ) -> bool {
        let Work { setup, subtasks, .. } = work;
        if !matches!(why, FailureReason::Split | FailureReason::Exhausted | FailureReason::NobodyLeft) {
            return false;
        }
        let Some((arbiter, contenders)) = self.before_arbiter(validation, subtasks, id) else { return false };
        let Some(record) = subtasks.of(id) else { return false };
        let query = setup.question_of(record.task()).to_owned();
        let timeout = setup.policy.decisions.timeout;
        let contenders_shown = different(&contenders);
        self.arbitrations.before.insert(id, why);
        self.out.begin(Check::Arbitration, async move {
            let found = settle(&arbiter, &query, &contenders, timeout).await;
            Checked::Ruled(Ruled { subtask: id, contenders: contenders_shown, found, audited: false })
        });
        true
    }

    /// Has a chosen answer held against the text that nobody vouches for; the ruling stands if it is borne out.
    fn audit_chosen(&mut self, ruled: Ruled, audit: Audit, timeout: Duration) {
        self.out.begin(Check::Arbitration, async move {
            let found = match audit.carry_out(timeout).await {
                Ok(()) => ruled.found,
                Err(NotBorneOut::Away(why)) => Err(NoRuling::Silent(Silence::Away(why))),
                Err(NotBorneOut::Objection(why)) => Err(NoRuling::NotBorneOut(why)),
            };
            Checked::Ruled(Ruled { found, ..ruled })
        });
    }
}

impl Checks {
    /// All replicas are in and none of their answers is accepted: an arbiter may know better.
    pub(in crate::run) fn split(
        &mut self,
        work: &mut Work,
        validation: &Validation,
        id: SubtaskId,
        report: Report,
    ) {
        if self.before_arbiter(validation, &work.subtasks, id).is_some() {
            self.arbitrations.split.insert(id, report);
        } else {
            work.tell_split(id, report);
            work.attempts.end_unpaid(&work.subtasks, id);
        }
    }

    /// A contest has ended.
    pub(in crate::run) fn on_ruled(&mut self, work: &mut Work, ruled: Ruled) -> Vec<Follows> {
        let Ruled { subtask, contenders, mut found, audited } = ruled;
        let Some(why) = self.arbitrations.before.remove(&subtask) else { return Vec::new() };
        let record = work.subtasks.of(subtask);
        let Some(record) = record.filter(|record| matches!(record.state, Progress::Open)) else {
            return Vec::new();
        };
        let replicas = work.subtasks.replicas_of(subtask);
        let mut verified = found.as_ref().ok().and_then(|settled| by_arbitration(&replicas, settled));
        // Whether somebody with a record said what the arbiter chose, or it was found right before it was compared.
        let trust = &work.providers.trust;
        let is_vouched_for = |chosen: &Verified<Outcome>| {
            chosen.report().agreeing.iter().any(|provider| trust.has_record(provider))
                || self.validation.bear_out(subtask, chosen.answer())
        };
        if let Some(chosen) = verified.take_if(|chosen| !audited && !is_vouched_for(chosen)) {
            let question = work.setup.question_of(record.task());
            if let Some(audit) = Audit::of(self, record.task(), chosen.answer(), question) {
                self.arbitrations.before.insert(subtask, why);
                let (ruled, timeout) = (
                    Ruled { subtask, contenders, found, audited: true },
                    work.setup.policy.decisions.timeout,
                );
                self.audit_chosen(ruled, audit, timeout);
                return Vec::new();
            }
            let words = "there is no model of yours to compare it with the text";
            found = Err(NoRuling::NotBorneOut(words.to_owned()));
        }
        let no_more = self.judge.note(found.as_ref().map(|_| ()).or_else(NoRuling::word));
        work.journal.emit(TraceEvent::Arbitrated {
            subtask,
            contenders: u32::try_from(contenders).unwrap_or(u32::MAX),
            audited,
            chosen: verified.as_ref().map(|one| one.report().agreeing.clone()).unwrap_or_default(),
            confidence: found.as_ref().ok().map(Settled::confidence),
            reasoning: match &found {
                Ok(settled) => settled.reasoning().to_owned(),
                Err(why) => why.in_words(),
            },
        });
        let mut follows = vec![match verified {
            Some(verified) => {
                if self.arbitrations.settled.is_empty() {
                    let words = "providers contradict each other in words, and no other provider is left to \
                                 ask: your model decides by their quotes";
                    work.journal.notice(RunStage::Verify, words);
                }
                self.arbitrations.split.remove(&subtask);
                self.arbitrations.settled.insert(subtask);
                let (outcome, report) = verified.into_parts();
                Follows::Accepted { id: subtask, outcome, report }
            }
            None => Follows::GaveUp { id: subtask, why },
        }];
        follows.extend(no_more.map(|why| Follows::NoArbiter { why }));
        follows
    }

    /// Nobody arbitrates any more: what is before the arbiter is given up.
    pub(in crate::run) fn arbitrate_no_more(&mut self, work: &mut Work, why: &str) -> Vec<Follows> {
        if self.judge.relieve(Duty::Arbitrate) {
            let words = format!("from here on contradicting answers in words stay undecided: {why}");
            work.journal.notice(RunStage::Verify, &words);
        }
        self.out.give_up(Check::Arbitration);
        let mut before: Vec<(SubtaskId, FailureReason)> = self.arbitrations.before.drain().collect();
        before.sort_unstable_by_key(|(id, _)| *id);
        before.into_iter().map(|(id, why)| Follows::GaveUp { id, why }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_model_that_is_gone_or_unfit_gave_no_word() {
        assert_eq!(NoRuling::Unsettled(Unsettled::Unsure(0.5)).word(), Ok(()));
        let provoked = Unsettled::Judge(JudgeError::Unusable("more than one JSON object".to_owned()));
        assert_eq!(NoRuling::Unsettled(provoked).word(), Ok(()), "no answer may silence the model");
        let gone = Unsettled::Judge(JudgeError::Model("it restarts".to_owned()));
        assert!(
            matches!(NoRuling::Unsettled(gone).word(), Err(Silence::Away(why)) if why.contains("restarts"))
        );
        let unfit = Silence::Unfit("it is no arbiter".to_owned());
        assert_eq!(NoRuling::Silent(unfit.clone()).word(), Err(unfit));
    }
}
