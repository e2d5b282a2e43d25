//! Answers in words before they are compared: what says the same in other words counts as the same (tier 2;
//! seeds/verifier-block.md, `group_by_semantic_similarity`; docs/decisions/0026-answers-in-other-words.md).
//!
//! ```text
//!  answer ─► in words, and unlike those that are there? ─── no ──────────────────► replica ─► judge
//!                  │ yes, and a general model of the user's is at hand                ▲
//!                  ▼                                                                  │
//!            compared by meaning, beside the loop ─► those of one meaning have one key ┘
//!            (its attempt is still out for the scheduler)
//! ```
//!
//! The answers of one subtask are compared one after the other, each with all that were there before it: which of
//! them belong together does not depend on who was first, only under whose key they stand. A judge that fails has
//! not said that two answers mean the same, and one that cannot tell apart what differs is not asked about anything
//! ([`exam`]). Of answers that mean the same it chooses the best words, and those are what is accepted
//! (`aggregate_similar_answers`).

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::consensus::exam;
use frlm_verifier::consensus::{self, CachedJudge, Judge, JudgeError, ModelJudge};
use frlm_verifier::{Replica, Report, best_said};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::driver::Run;
use super::fit::{Fit, NotFit, examined};
use super::slots::SlotState;
use crate::dialect::MapAnswer;
use crate::plan::Outcome;
use crate::scheduler::{AttemptId, SubtaskId};
use crate::swarm::Ticket;
use crate::trace::TraceEvent;

/// Comparisons in a row that may fail before the model is left alone for the rest of the run.
const MOST_FAILURES: u32 = 3;

/// The user's model as a judge, and the answers that are before it.
#[derive(Default)]
pub(super) struct Meanings {
    reader: Option<Reader>,
    /// By subtask: the answer that is compared now, and those that come after it.
    waiting: BTreeMap<u32, VecDeque<Unplaced>>,
    /// By subtask with answers that say the same in other words: the key that the best of them has by itself, if the
    /// model chose one.
    joined: HashMap<u32, Option<String>>,
    out: JoinSet<Meant>,
    failures: u32,
}

#[derive(Clone)]
struct Reader {
    judge: Arc<CachedJudge<ModelJudge>>,
    /// Whether it may judge; known from the first comparison on.
    fit: Arc<Fit>,
    /// As many at once as the model takes.
    room: Arc<Semaphore>,
}

/// Why two answers were not compared.
#[derive(Debug)]
enum NotCompared {
    /// The model did not answer.
    Failed(String),
    /// It did not pass its examination.
    Unfit(String),
}

impl Reader {
    async fn meanings(
        &self,
        texts: &[String],
        patience: Duration,
    ) -> Result<consensus::Meanings, NotCompared> {
        examined(&self.fit, exam::examine(&*self.judge), patience).await.map_err(|why| match why {
            NotFit::Away(why) => NotCompared::Failed(why),
            NotFit::Unfit(why) => NotCompared::Unfit(format!("the model is no judge of that: {why}")),
        })?;
        // Who waits for those before it does not wait for the model.
        let _permit = self.room.acquire().await;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let comparing = consensus::meanings(&texts, &*self.judge);
        let late = |_| NotCompared::Failed(format!("no answer within {} s", patience.as_secs()));
        tokio::time::timeout(patience, comparing).await.map_err(late)
    }

    /// Which of the answers that mean the same as the newest is said best. A model that does not say it loses nothing
    /// but that.
    async fn best_phrasing(
        &self,
        texts: &[String],
        groups: &[Vec<usize>],
        patience: Duration,
    ) -> Option<usize> {
        let newest = texts.len().checked_sub(1)?;
        let mut same = groups.iter().find(|group| group.len() > 1 && group.contains(&newest))?.clone();
        // Whoever answered first, the model reads them in one order.
        same.sort_by_key(|&at| &texts[at]);
        let choosing = async {
            let _permit = self.room.acquire().await;
            let phrasings: Vec<&str> = same.iter().map(|&at| texts[at].as_str()).collect();
            self.judge.best_phrasing(&phrasings).await
        };
        let chosen = tokio::time::timeout(patience, choosing).await.ok()?.ok()?;
        same.get(chosen).copied()
    }
}

/// An answer that passed every check of its own and is not among the replicas yet.
#[derive(Debug)]
pub(super) struct Unplaced {
    pub ticket: Ticket,
    pub replica: Replica<Outcome>,
}

/// What was there before an answer.
#[derive(Debug)]
struct Said {
    /// Under which it stands by itself.
    key: String,
    words: String,
}

/// A comparison that has ended.
#[derive(Debug)]
pub(super) struct Meant {
    subtask: u32,
    /// Each with the key that it has by itself, the new one last.
    keys: Vec<String>,
    /// Which of them is said best, if the new one means the same as others.
    best: Option<usize>,
    found: Result<consensus::Meanings, NotCompared>,
}

impl Meanings {
    /// Whether an answer is being compared.
    pub fn any_out(&self) -> bool {
        !self.out.is_empty()
    }

    /// Whether it can be told if another answer says the same: in other words only a model can.
    pub fn can_compare(&self, outcome: &Outcome) -> bool {
        self.reader.is_some() || in_words(outcome).is_none()
    }

    /// The next comparison that ends; `None` if it was lost with its task.
    pub async fn next(&mut self) -> Option<Meant> {
        self.out.join_next().await?.ok()
    }

    /// Has an answer compared with what was said before; gives it back if that takes no model.
    fn begin(&mut self, answer: Unplaced, said: Vec<Said>, patience: Duration) -> Option<Unplaced> {
        let Some(words) = in_words(&answer.replica.answer).map(str::to_owned) else { return Some(answer) };
        let key = answer.replica.key.clone();
        let Some(reader) = self.reader.clone() else { return Some(answer) };
        if said.is_empty() || said.iter().any(|said| said.key == key) {
            return Some(answer);
        }
        let subtask = answer.ticket.subtask;
        self.waiting.entry(subtask).or_default().push_back(answer);
        self.out.spawn(async move {
            let (mut keys, mut texts): (Vec<String>, Vec<String>) =
                said.into_iter().map(|said| (said.key, said.words)).unzip();
            keys.push(key);
            texts.push(words);
            let found = reader.meanings(&texts, patience).await;
            let best = match &found {
                Ok(found) => reader.best_phrasing(&texts, &found.groups, patience).await,
                Err(_) => None,
            };
            Meant { subtask, keys, best, found }
        });
        None
    }

    /// The best words of those who agree on a subtask, where they agree in different ones: the model's choice, else
    /// those of the surest.
    pub fn best_words(
        &mut self,
        subtask: u32,
        answers: &[(AttemptId, Replica<Outcome>)],
        report: &Report,
    ) -> Option<Outcome> {
        let best = self.joined.remove(&subtask)?;
        let chosen = |replica: &Replica<Outcome>| best.as_ref() == Some(&replica.answer.agreement_key());
        let best = best_said(answers.iter().map(|(_, replica)| replica), report, chosen)?;
        in_words(&best.answer).is_some().then(|| best.answer.clone())
    }

    /// Notes whether the model could compare; why it is not asked any more, once that is so.
    fn note(&mut self, found: &Result<consensus::Meanings, NotCompared>) -> Option<String> {
        let why = match found {
            Err(NotCompared::Unfit(why)) => return Some(why.clone()),
            Err(NotCompared::Failed(why)) => Some(why.clone()),
            Ok(found) => found.failed.as_ref().and_then(|why| match why {
                JudgeError::Model(_) => Some(why.to_string()),
                // An answer may have made it say that: it costs this answer its companions, and others nothing.
                JudgeError::Unusable(_) | JudgeError::TooLong { .. } => None,
            }),
        };
        self.failures = if why.is_some() { self.failures + 1 } else { 0 };
        why.filter(|_| self.failures >= MOST_FAILURES)
    }
}

/// What an answer says in words, if it says anything in words.
pub(super) fn in_words(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Mapped(MapAnswer::Words { answer, .. }) | Outcome::Combined(answer) => {
            Some(answer.as_str()).filter(|words| !words.trim().is_empty())
        }
        Outcome::Mapped(MapAnswer::Records { .. } | MapAnswer::Claims { .. })
        | Outcome::Compiled(_)
        | Outcome::Planned(_)
        | Outcome::Reviewed(_) => None,
    }
}

/// Under which key each answer stands that was compared: that of the first of its meaning.
fn shared_keys<'a>(keys: &'a [String], groups: &[Vec<usize>]) -> HashMap<&'a str, &'a str> {
    let mut shared = HashMap::new();
    for group in groups {
        let mut members = group.iter().filter_map(|&at| keys.get(at)).map(String::as_str);
        let Some(first) = members.next() else { continue };
        shared.insert(first, first);
        shared.extend(members.map(|key| (key, first)));
    }
    shared
}

impl Run {
    /// Has this model say whether answers in words mean the same. One that only copies fields cannot.
    #[must_use]
    pub fn comparing_by(mut self, model: Arc<dyn LanguageModel>) -> Self {
        if model.info().dialect == Dialect::Json {
            let room = Arc::new(Semaphore::new(model.info().in_flight.max(1)));
            let judge = Arc::new(CachedJudge::new(ModelJudge::new(model)));
            self.meanings.reader = Some(Reader { judge, fit: Arc::default(), room });
        }
        self
    }

    /// Takes an answer among the replicas: at once, or when it is known whether another one means the same.
    pub(super) fn place(&mut self, answer: Unplaced) {
        let ticket = answer.ticket;
        if let Some(waiting) = self.meanings.waiting.get_mut(&ticket.subtask) {
            waiting.push_back(answer);
            return;
        }
        // It may have waited for longer than anybody waits for it.
        if !self.scheduler.is_out(SubtaskId(ticket.subtask), AttemptId(ticket.attempt)) {
            return;
        }
        let said = self.said_before(ticket.subtask);
        let patience = self.setup.policy.decisions.patience;
        let Some(mut answer) = self.meanings.begin(answer, said, patience) else { return };
        self.share_key(&mut answer);
        let Some(slot) = self.slots.get_mut(ticket.subtask as usize) else { return };
        slot.replicas.push((AttemptId(ticket.attempt), answer.replica));
        self.judge(ticket);
    }

    /// What the answers to a subtask say in words, each once, in the order in which they came; while it is
    /// audited, what was accepted.
    fn said_before(&self, subtask: u32) -> Vec<Said> {
        let Some(slot) = self.slots.get(subtask as usize) else { return Vec::new() };
        let outcomes: Vec<&Outcome> = match &slot.state {
            SlotState::Accepted(accepted) if self.desk.audits.is_out(SubtaskId(subtask)) => {
                vec![&accepted.outcome]
            }
            _ => slot.replicas.iter().map(|(_, replica)| &replica.answer).collect(),
        };
        let mut said: Vec<Said> = Vec::new();
        for outcome in outcomes {
            let (Some(words), key) = (in_words(outcome), outcome.agreement_key()) else { continue };
            if said.iter().all(|before| before.key != key) {
                said.push(Said { key, words: words.to_owned() });
            }
        }
        said
    }

    /// An answer in the very words of another one stands under the same key, whatever that is by now.
    fn share_key(&self, answer: &mut Unplaced) {
        let Some(slot) = self.slots.get(answer.ticket.subtask as usize) else { return };
        let own = &answer.replica.key;
        let same = slot.replicas.iter().find(|(_, other)| other.answer.agreement_key() == *own);
        if let Some((_, same)) = same {
            answer.replica.key.clone_from(&same.key);
        }
    }

    /// A comparison has ended, or was lost.
    pub(super) fn on_meant(&mut self, meant: Option<Meant>) {
        let Some(Meant { subtask, keys, best, found }) = meant else {
            self.compare_by_words_from_now_on("a comparison was lost");
            return;
        };
        let Some(mut waiting) = self.meanings.waiting.remove(&subtask) else { return };
        if let Some(answer) = waiting.pop_front() {
            let groups = found.as_ref().map_or(&[][..], |found| found.groups.as_slice());
            let best = best.and_then(|at| keys.get(at)).cloned();
            self.take_up(answer, &keys, groups, best);
        }
        while let Some(next) = waiting.pop_front() {
            self.place(next);
            if let Some(again) = self.meanings.waiting.get_mut(&subtask) {
                again.append(&mut waiting);
            }
        }
        if let Some(why) = self.meanings.note(&found) {
            self.compare_by_words_from_now_on(&why);
        }
    }

    /// Puts an answer under the key of its meaning, and those that were there.
    fn take_up(
        &mut self,
        mut answer: Unplaced,
        keys: &[String],
        groups: &[Vec<usize>],
        best: Option<String>,
    ) {
        let ticket = answer.ticket;
        if !self.scheduler.is_out(SubtaskId(ticket.subtask), AttemptId(ticket.attempt)) {
            return;
        }
        let shared = shared_keys(keys, groups);
        let newest = keys.len().saturating_sub(1);
        let same = groups.iter().any(|group| group.len() > 1 && group.contains(&newest));
        self.journal.emit(TraceEvent::ComparedInWords {
            subtask: SubtaskId(ticket.subtask),
            attempt: AttemptId(ticket.attempt),
            others: u32::try_from(newest).unwrap_or(u32::MAX),
            same,
        });
        if same {
            self.meanings.joined.insert(ticket.subtask, best);
        }
        let Some(slot) = self.slots.get_mut(ticket.subtask as usize) else { return };
        let before = slot.replicas.iter_mut().map(|(_, replica)| replica);
        for replica in before.chain([&mut answer.replica]) {
            // By what each says itself: who stood together may not do so any more.
            if let Some(key) = shared.get(replica.answer.agreement_key().as_str()) {
                (*key).clone_into(&mut replica.key);
            }
        }
        slot.replicas.push((AttemptId(ticket.attempt), answer.replica));
        self.judge(ticket);
    }

    /// The model cannot compare: what is left counts by its words.
    fn compare_by_words_from_now_on(&mut self, why: &str) {
        if self.meanings.reader.take().is_some() {
            let words = format!("answers in other words count as different ones from here on: {why}");
            self.decide("verify", "proceed", &words);
        }
        self.meanings.out = JoinSet::new();
        for answer in std::mem::take(&mut self.meanings.waiting).into_values().flatten() {
            self.place(answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use async_trait::async_trait;
    use frlm_inference::scripted::ScriptedModel;
    use frlm_inference::{Generation, GenerationRequest, ModelError, ModelInfo};

    use super::*;

    /// Passes the examination, but is away when it is asked for the first time.
    #[derive(Debug)]
    struct BackSoon {
        model: ScriptedModel,
        was_asked: AtomicBool,
    }

    #[async_trait]
    impl LanguageModel for BackSoon {
        fn info(&self) -> &ModelInfo {
            self.model.info()
        }

        async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
            if !self.was_asked.swap(true, Ordering::SeqCst) {
                return Err(ModelError::Failed("it restarts".to_owned()));
            }
            self.model.stream(request).await
        }
    }

    fn reader(fit: Fit, room: usize) -> Reader {
        let answer = |prompt: &str| {
            let is_one = |(left, right): &(&str, &str)| prompt.contains(left) && prompt.contains(right);
            format!("{{\"similarity\": {}}}", if exam::SAME.iter().any(is_one) { 0.95 } else { 0.2 })
        };
        let model = ScriptedModel::new("judge", answer);
        let model = Arc::new(BackSoon { model, was_asked: AtomicBool::new(false) });
        let judge = Arc::new(CachedJudge::new(ModelJudge::new(model)));
        Reader { judge, fit: Arc::new(fit), room: Arc::new(Semaphore::new(room)) }
    }

    #[tokio::test]
    async fn a_model_that_is_away_when_it_is_examined_is_examined_again() {
        let (reader, patience) = (reader(Fit::new(), 1), Duration::from_secs(20));
        let texts = ["it rained", "it was wet"].map(str::to_owned);
        let first = reader.meanings(&texts, patience).await;
        assert!(matches!(&first, Err(NotCompared::Failed(why)) if why.contains("it restarts")), "{first:?}");
        let then = reader.meanings(&texts, patience).await;
        assert!(matches!(&then, Ok(found) if found.groups.len() == 2), "{then:?}");
    }

    #[tokio::test]
    async fn who_waits_for_those_before_it_does_not_run_out_of_patience() {
        let reader = reader(Fit::new_with(Some(Ok(()))), 0);
        // Code tells these apart.
        let texts = ["the total is 42", "the sum is 43"].map(str::to_owned);
        let mut reading = std::pin::pin!(reader.meanings(&texts, Duration::ZERO));
        assert!(
            tokio::time::timeout(Duration::from_millis(50), &mut reading).await.is_err(),
            "it waits for its turn, however long ago its patience would have ended"
        );
        reader.room.add_permits(1);
        let found = reading.await;
        assert!(matches!(&found, Ok(found) if found.groups.len() == 2), "{found:?}");
    }

    #[test]
    fn answers_of_one_meaning_stand_under_the_key_of_the_first_that_came() {
        let keys: Vec<String> = ["b", "a", "c"].map(str::to_owned).to_vec();
        let shared = shared_keys(&keys, &[vec![0, 2], vec![1]]);
        assert_eq!((shared["b"], shared["c"], shared["a"]), ("b", "b", "a"));
        assert!(shared_keys(&keys, &[]).is_empty(), "without a judgement everything stands by itself");
    }

    #[test]
    fn a_model_that_keeps_failing_is_left_alone_and_one_failure_is_forgiven() {
        let mut meanings = Meanings::default();
        let failed = Err(NotCompared::Failed("no answer within 20 s".to_owned()));
        let fine = Ok(consensus::Meanings { groups: Vec::new(), failed: None });
        assert_eq!((meanings.note(&failed), meanings.note(&failed)), (None, None));
        assert_eq!(meanings.note(&fine), None);
        assert_eq!((meanings.note(&failed), meanings.note(&failed)), (None, None));
        assert!(meanings.note(&failed).is_some_and(|why| why.contains("20 s")));
        let provoked = JudgeError::Unusable("more than one JSON object".to_owned());
        let provoked = Ok(consensus::Meanings { groups: Vec::new(), failed: Some(provoked) });
        assert!((0..10).all(|_| meanings.note(&provoked).is_none()), "no answer may silence the model");
        let unfit = Err(NotCompared::Unfit("it is no judge".to_owned()));
        assert_eq!(Meanings::default().note(&unfit), Some("it is no judge".to_owned()));
    }

    #[test]
    fn silence_and_records_are_nothing_in_words() {
        let words = |answer: &str| {
            Outcome::Mapped(MapAnswer::Words { answer: answer.to_owned(), quotes: Vec::new() })
        };
        assert_eq!(in_words(&words("The mill burnt.")), Some("The mill burnt."));
        assert_eq!(in_words(&words(" ")), None);
        assert_eq!(in_words(&Outcome::Mapped(MapAnswer::Records { matches: Vec::new() })), None);
    }
}
