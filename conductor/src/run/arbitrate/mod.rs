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
//! asked, nobody is paid or turned down, and no stage ends.

mod contest;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::consensus::{self, Contender, Judge, JudgeError, ModelJudge, Settled, Unsettled, exam};
use frlm_verifier::{Replica, Report, Verified, by_arbitration};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use self::contest::{contest, different};
use super::driver::Run;
use super::fit::{Fit, NotFit, examined};
use super::slots::SlotState;
use super::strategies::{Audit, NotBorneOut};
use crate::plan::Outcome;
use crate::scheduler::{GaveUp, SubtaskId};
use crate::trace::TraceEvent;

/// Contests in a row that may come to no ruling before the model is left alone for the rest of the run.
const MOST_FAILURES: u32 = 3;

/// The user's model as an arbiter, and what is before it.
#[derive(Default)]
pub(super) struct Arbitrations {
    arbiter: Option<Arbiter>,
    /// What the replicas said where all are in and too few agree: told when the subtask is given up.
    split: HashMap<SubtaskId, Report>,
    /// Before the arbiter, with why they would be given up without it.
    before: HashMap<SubtaskId, GaveUp>,
    settled: HashSet<SubtaskId>,
    failures: u32,
    out: JoinSet<Ruled>,
}

#[derive(Clone)]
struct Arbiter {
    judge: Arc<ModelJudge>,
    /// Whether it may arbitrate; known from the first contest on.
    fit: Arc<Fit>,
    /// As many at once as the model takes.
    room: Arc<Semaphore>,
}

/// Why a contest came to no ruling.
#[derive(Debug)]
enum NoRuling {
    /// The arbiter settled nothing: the answers stand as they are.
    Unsettled(Unsettled),
    /// It did not answer in time.
    Late(Duration),
    /// It could not be examined.
    Away(String),
    /// It did not pass its examination.
    Unfit(String),
    /// Nobody with a record said what it chose, and the text does not bear it out.
    NotBorneOut(String),
}

/// A contest that has ended.
#[derive(Debug)]
pub(super) struct Ruled {
    subtask: SubtaskId,
    contenders: usize,
    found: Result<Settled, NoRuling>,
    /// Whether the chosen answer was held against the text.
    audited: bool,
}

impl Arbiter {
    async fn settle(
        &self,
        query: &str,
        contenders: &[Contender],
        patience: Duration,
    ) -> Result<Settled, NoRuling> {
        let judge: &dyn Judge = &*self.judge;
        examined(&self.fit, exam::examine_arbiter(judge), patience).await.map_err(|why| match why {
            NotFit::Away(why) => NoRuling::Away(why),
            NotFit::Unfit(why) => NoRuling::Unfit(format!("the model is no arbiter: {why}")),
        })?;
        // Who waits for those before it does not wait for the model.
        let _permit = self.room.acquire().await;
        let ruling = consensus::arbitrate(query, contenders, judge);
        match tokio::time::timeout(patience, ruling).await {
            Err(_) => Err(NoRuling::Late(patience)),
            Ok(found) => found.map_err(NoRuling::Unsettled),
        }
    }
}

impl NoRuling {
    fn in_words(&self) -> String {
        match self {
            Self::Unsettled(why) => why.to_string(),
            Self::Late(patience) => format!("no ruling within {} s", patience.as_secs()),
            Self::Away(why) | Self::Unfit(why) => why.clone(),
            Self::NotBorneOut(why) => {
                format!("nobody with a record gave the answer that the arbiter chose, and {why}")
            }
        }
    }

    /// Whether it says something of the model rather than of the contest: what is no ruling an answer may have made it
    /// say, and no answer may silence it.
    fn is_failure(&self) -> bool {
        let gone = matches!(self, Self::Unsettled(Unsettled::Judge(JudgeError::Model(_))));
        gone || matches!(self, Self::Late(_) | Self::Away(_))
    }
}

impl Arbitrations {
    /// Whether anything is before the arbiter.
    pub fn any_out(&self) -> bool {
        !self.before.is_empty()
    }

    /// The next contest that ends; `None` if it was lost with its task.
    pub async fn next(&mut self) -> Option<Ruled> {
        self.out.join_next().await?.ok()
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

    /// Notes what became of a contest; why the model is not asked any more, once that is so.
    fn note(&mut self, found: &Result<Settled, NoRuling>) -> Option<String> {
        match found {
            Err(NoRuling::Unfit(why)) => return Some(why.clone()),
            Err(why) if why.is_failure() => self.failures += 1,
            Ok(_) | Err(_) => self.failures = 0,
        }
        let why = found.as_ref().err().map(NoRuling::in_words)?;
        (self.failures >= MOST_FAILURES).then_some(why)
    }
}

impl Run {
    /// Has this model say who is right where nobody agrees on an answer in words. One that only copies fields cannot.
    #[must_use]
    pub fn arbitrated_by(mut self, model: Arc<dyn LanguageModel>) -> Self {
        if model.info().dialect == Dialect::Json {
            let room = Arc::new(Semaphore::new(model.info().in_flight.max(1)));
            let judge = Arc::new(ModelJudge::new(model));
            self.arbitrations.arbiter = Some(Arbiter { judge, fit: Arc::default(), room });
        }
        self
    }

    /// All replicas are in and none of their answers is accepted: an arbiter may know better.
    pub(super) fn split(&mut self, id: SubtaskId, report: Report) {
        if self.before_arbiter(id).is_some() {
            self.arbitrations.split.insert(id, report);
        } else {
            self.turn_down(id, report);
        }
    }

    /// Who would settle a subtask, and between what.
    fn before_arbiter(&self, id: SubtaskId) -> Option<(Arbiter, Vec<Contender>)> {
        // Whom the user named as validator has the last word (docs/decisions/0011-the-validator-does-the-task-itself.md).
        let arbiter = self.arbitrations.arbiter.clone().filter(|_| self.validation.validator().is_none())?;
        Some((arbiter, contest(&self.replicas_of(id))?))
    }

    fn replicas_of(&self, id: SubtaskId) -> Vec<Replica<Outcome>> {
        let slot = self.slots.get(id.0 as usize);
        slot.map(|slot| slot.replicas.iter().map(|(_, replica)| replica.clone()).collect())
            .unwrap_or_default()
    }

    /// Puts a subtask's answers before the arbiter that would be given up; `false` if there is nothing that it could
    /// settle.
    pub(super) fn arbitrate(&mut self, id: SubtaskId, why: GaveUp) -> bool {
        if !matches!(why, GaveUp::Split | GaveUp::Exhausted | GaveUp::NobodyLeft) {
            return false;
        }
        let Some((arbiter, contenders)) = self.before_arbiter(id) else { return false };
        let Some(slot) = self.slots.get(id.0 as usize) else { return false };
        let query = self.setup.question_of(slot.task()).to_owned();
        let patience = self.setup.policy.decisions.patience;
        let contenders_shown = different(&contenders);
        self.arbitrations.before.insert(id, why);
        self.arbitrations.out.spawn(async move {
            let found = arbiter.settle(&query, &contenders, patience).await;
            Ruled { subtask: id, contenders: contenders_shown, found, audited: false }
        });
        true
    }

    /// A contest has ended, or was lost.
    pub(super) fn on_ruled(&mut self, ruled: Option<Ruled>) {
        let Some(Ruled { subtask, contenders, mut found, audited }) = ruled else {
            self.arbitrate_no_more("a contest was lost");
            return;
        };
        let Some(why) = self.arbitrations.before.remove(&subtask) else { return };
        let slot = self.slots.get(subtask.0 as usize);
        let Some(slot) = slot.filter(|slot| matches!(slot.state, SlotState::Open)) else { return };
        let replicas = self.replicas_of(subtask);
        let mut verified = found.as_ref().ok().and_then(|settled| by_arbitration(&replicas, settled));
        if let Some(chosen) = verified.take_if(|chosen| !audited && !self.is_vouched_for(subtask, chosen)) {
            let question = self.setup.question_of(slot.task());
            if let Some(audit) = self.strategies.audit(slot.task(), chosen.answer(), question) {
                self.arbitrations.before.insert(subtask, why);
                self.audit_chosen(Ruled { subtask, contenders, found, audited: true }, audit);
                return;
            }
            let words = "there is no model of yours that could hold it against the text";
            found = Err(NoRuling::NotBorneOut(words.to_owned()));
        }
        let no_more = self.arbitrations.note(&found);
        self.journal.emit(TraceEvent::Arbitrated {
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
        match verified {
            Some(verified) => {
                if self.arbitrations.settled.is_empty() {
                    let words = "providers contradict each other in words, and nobody is left to ask: your model \
                                 decides who is right, from what they quote";
                    self.decide("verify", "proceed", words);
                }
                self.arbitrations.split.remove(&subtask);
                self.arbitrations.settled.insert(subtask);
                let (outcome, report) = verified.into_parts();
                self.accept(subtask, outcome, report);
            }
            None => self.gave_up(subtask, why),
        }
        if let Some(why) = no_more {
            self.arbitrate_no_more(&why);
        }
    }

    /// Whether somebody with a record said what the arbiter chose, or it was found right before it was compared.
    fn is_vouched_for(&self, id: SubtaskId, chosen: &Verified<Outcome>) -> bool {
        chosen.report().agreeing.iter().any(|provider| self.trust.has_record(provider))
            || self.strategies.bear_out(id, chosen.answer())
    }

    /// Has a chosen answer held against the text that nobody vouches for; the ruling stands if it is borne out.
    fn audit_chosen(&mut self, ruled: Ruled, audit: Audit) {
        let patience = self.setup.policy.decisions.patience;
        self.arbitrations.out.spawn(async move {
            let found = match audit.carry_out(patience).await {
                Ok(()) => ruled.found,
                Err(NotBorneOut::Away(why)) => Err(NoRuling::Away(why)),
                Err(NotBorneOut::Objection(why)) => Err(NoRuling::NotBorneOut(why)),
            };
            Ruled { found, ..ruled }
        });
    }

    /// Nobody arbitrates any more: what is before the arbiter is given up.
    pub(super) fn arbitrate_no_more(&mut self, why: &str) {
        if self.arbitrations.arbiter.take().is_some() {
            let words =
                format!("where answers in words contradict each other nobody decides from here on: {why}");
            self.decide("verify", "proceed", &words);
        }
        self.arbitrations.out = JoinSet::new();
        let mut before: Vec<(SubtaskId, GaveUp)> = self.arbitrations.before.drain().collect();
        before.sort_unstable_by_key(|(id, _)| *id);
        for (id, why) in before {
            self.gave_up(id, why);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arbiter_that_keeps_failing_is_left_alone_and_one_that_is_unsure_is_not() {
        let mut arbitrations = Arbitrations::default();
        let unsure = || Err(NoRuling::Unsettled(Unsettled::Unsure(0.5)));
        let late = || Err(NoRuling::Late(Duration::from_secs(20)));
        for _ in 0..10 {
            assert_eq!(arbitrations.note(&unsure()), None);
        }
        assert_eq!((arbitrations.note(&late()), arbitrations.note(&late())), (None, None));
        assert_eq!(arbitrations.note(&unsure()), None, "it answers again");
        assert_eq!((arbitrations.note(&late()), arbitrations.note(&late())), (None, None));
        assert!(arbitrations.note(&late()).is_some_and(|why| why.contains("20 s")));
        let provoked = || JudgeError::Unusable("more than one JSON object".to_owned());
        let provoked = || Err(NoRuling::Unsettled(Unsettled::Judge(provoked())));
        let mut provoking = Arbitrations::default();
        assert!((0..10).all(|_| provoking.note(&provoked()).is_none()), "no answer may silence the model");
        let unfit = Err(NoRuling::Unfit("it is no arbiter".to_owned()));
        assert_eq!(Arbitrations::default().note(&unfit), Some("it is no arbiter".to_owned()));
    }
}
