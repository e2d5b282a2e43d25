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
//! (`frlm_verifier::consensus::exam`). Of answers that mean the same it chooses the best words, and those are what is accepted
//! (`aggregate_similar_answers`).

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use frlm_verifier::consensus::{self, Judge as _, JudgeError};
use frlm_verifier::{Replica, Report, best_said};

use super::judge::{Duty, Judging, Silence};
use super::{Check, Checked, Checks};
use crate::dialect::MapAnswer;
use crate::plan::Outcome;
use crate::run::follows::Follows;
use crate::run::subtasks::{Progress, SubtaskRecord, Subtasks};
use crate::run::work::Work;
use crate::scheduler::{AttemptId, SubtaskId};
use crate::swarm::Ticket;
use crate::trace::{RunStage, TraceEvent};

/// The answers that are before the user's model.
#[derive(Default)]
pub(super) struct SemanticMatcher {
    /// By subtask: the answer that is compared now, and those that come after it.
    waiting: BTreeMap<SubtaskId, VecDeque<PendingReplica>>,
    /// By subtask with answers that say the same in other words: the key that the best of them has by itself, if the
    /// model chose one.
    joined: HashMap<SubtaskId, Option<String>>,
}

/// What was found of answers that were compared.
#[derive(Debug)]
struct Compared {
    groups: Vec<Vec<usize>>,
    /// Which of those that mean the same as the newest is said best, if the model chose.
    best: Option<usize>,
}

/// Compares answers, the newest last.
async fn compare(
    judging: &Judging,
    texts: &[String],
    timeout: Duration,
) -> Result<(Compared, Result<(), Silence>), Silence> {
    let (judge, _turn) = judging.ready(timeout).await?;
    let said: Vec<&str> = texts.iter().map(String::as_str).collect();
    let comparing = consensus::meanings(&said, judge);
    let late = |_| Silence::Away(format!("no answer within {} s", timeout.as_secs()));
    let found = tokio::time::timeout(timeout, comparing).await.map_err(late)?;
    let word = match found.failed {
        Some(gone @ JudgeError::Model(_)) => Err(Silence::Away(gone.to_string())),
        // An answer may have made it say that: it costs this answer its companions, and others nothing.
        Some(JudgeError::Unusable(_) | JudgeError::TooLong { .. }) | None => Ok(()),
    };
    let newest = said.len().saturating_sub(1);
    let same = found.groups.iter().find(|group| group.len() > 1 && group.contains(&newest));
    let best = match same {
        None => None,
        Some(same) => {
            let mut same = same.clone();
            // Who answered first does not matter: the model reads them in one order.
            same.sort_by_key(|&at| said[at]);
            let phrasings: Vec<&str> = same.iter().map(|&at| said[at]).collect();
            // A model that does not say it loses nothing but that.
            let chosen = tokio::time::timeout(timeout, judge.best_phrasing(&phrasings)).await;
            chosen.ok().and_then(Result::ok).and_then(|chosen| same.get(chosen).copied())
        }
    };
    Ok((Compared { groups: found.groups, best }, word))
}

/// An answer that passed every check of its own and is not among the replicas yet.
#[derive(Debug)]
pub(in crate::run) struct PendingReplica {
    pub ticket: Ticket,
    pub replica: Replica<Outcome>,
}

/// An answer to the same subtask that was here before.
#[derive(Debug)]
struct EarlierAnswer {
    /// Under which it stands by itself.
    key: String,
    words: String,
}

/// A comparison that has ended.
#[derive(Debug)]
pub(in crate::run) struct MatchResult {
    subtask: SubtaskId,
    /// Each with the key that it has by itself, the new one last.
    keys: Vec<String>,
    /// `None`: they were not compared.
    found: Option<Compared>,
    /// Whether the model gave its word.
    word: Result<(), Silence>,
}

impl Checks {
    /// Whether it can be told if another answer says the same: in other words only a model can.
    pub fn can_compare(&self, outcome: &Outcome) -> bool {
        self.judge.has(Duty::Compare) || in_words(outcome).is_none()
    }

    /// Has an answer compared with what was said before; gives it back if that takes no model.
    fn begin_comparing(
        &mut self,
        answer: PendingReplica,
        said: Vec<EarlierAnswer>,
        timeout: Duration,
    ) -> Option<PendingReplica> {
        let Some(words) = in_words(&answer.replica.answer).map(str::to_owned) else { return Some(answer) };
        let key = answer.replica.key.clone();
        let Some(judging) = self.judge.in_duty(Duty::Compare) else { return Some(answer) };
        if said.is_empty() || said.iter().any(|said| said.key == key) {
            return Some(answer);
        }
        let subtask = answer.ticket.subtask;
        self.meanings.waiting.entry(subtask).or_default().push_back(answer);
        self.out.begin(Check::Meaning, async move {
            let (mut keys, mut texts): (Vec<String>, Vec<String>) =
                said.into_iter().map(|said| (said.key, said.words)).unzip();
            keys.push(key);
            texts.push(words);
            let (found, word) = match compare(&judging, &texts, timeout).await {
                Ok((found, word)) => (Some(found), word),
                Err(silence) => (None, Err(silence)),
            };
            Checked::Matched(MatchResult { subtask, keys, found, word })
        });
        None
    }

    /// The best words of those who agree on a subtask, where they agree in different ones: the model's choice, else
    /// those of the surest.
    pub fn best_words(
        &mut self,
        subtask: SubtaskId,
        answers: &[(AttemptId, Replica<Outcome>)],
        report: &Report,
    ) -> Option<Outcome> {
        let best = self.meanings.joined.remove(&subtask)?;
        let chosen = |replica: &Replica<Outcome>| best.as_ref() == Some(&replica.answer.agreement_key());
        let best = best_said(answers.iter().map(|(_, replica)| replica), report, chosen)?;
        in_words(&best.answer).is_some().then(|| best.answer.clone())
    }
}

/// What an answer says in words, if it says anything in words.
pub(in crate::run) fn in_words(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Mapped(MapAnswer::Words { answer, .. }) | Outcome::Combined(answer) => {
            Some(answer.as_str()).filter(|words| !words.trim().is_empty())
        }
        Outcome::Mapped(MapAnswer::Records { .. } | MapAnswer::Claims { .. })
        | Outcome::Compiled(_)
        | Outcome::Planned(_)
        | Outcome::Queried(_)
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

/// An answer in the very words of another one stands under the same key, whatever that is by now.
fn share_key(subtasks: &Subtasks, answer: &mut PendingReplica) {
    let Some(record) = subtasks.of(answer.ticket.subtask) else { return };
    let own = &answer.replica.key;
    let same = record.replicas.iter().find(|(_, other)| other.answer.agreement_key() == *own);
    if let Some((_, same)) = same {
        answer.replica.key.clone_from(&same.key);
    }
}

/// What the answers to a subtask say in words, each once, in the order in which they came; while it is audited, what was
/// accepted.
fn said_before(record: &SubtaskRecord, is_audited: bool) -> Vec<EarlierAnswer> {
    let outcomes: Vec<&Outcome> = match &record.state {
        Progress::Accepted(accepted) if is_audited => vec![&accepted.outcome],
        _ => record.replicas.iter().map(|(_, replica)| &replica.answer).collect(),
    };
    let mut said: Vec<EarlierAnswer> = Vec::new();
    for outcome in outcomes {
        let (Some(words), key) = (in_words(outcome), outcome.agreement_key()) else { continue };
        if said.iter().all(|before| before.key != key) {
            said.push(EarlierAnswer { key, words: words.to_owned() });
        }
    }
    said
}

impl Checks {
    /// Takes an answer among the replicas: at once, or when it is known whether another one means the same.
    pub(in crate::run) fn place(&mut self, work: &mut Work, answer: PendingReplica) -> Option<Ticket> {
        let ticket = answer.ticket;
        if let Some(waiting) = self.meanings.waiting.get_mut(&ticket.subtask) {
            waiting.push_back(answer);
            return None;
        }
        // It may have waited for longer than anybody waits for it.
        if !work.scheduler.entries.is_out(ticket.subtask, ticket.attempt) {
            return None;
        }
        let id = ticket.subtask;
        let is_audited = work.audits.is_out(id);
        let said = work.subtasks.of(id).map_or_else(Vec::new, |record| said_before(record, is_audited));
        let mut answer = self.begin_comparing(answer, said, work.setup.policy.decisions.timeout)?;
        share_key(&work.subtasks, &mut answer);
        let record = work.subtasks.of_mut(ticket.subtask)?;
        record.replicas.push((ticket.attempt, answer.replica));
        Some(ticket)
    }

    /// A comparison has ended.
    pub(in crate::run) fn on_matched(&mut self, work: &mut Work, matched: MatchResult) -> Vec<Follows> {
        let MatchResult { subtask, keys, found, word } = matched;
        let Some(mut waiting) = self.meanings.waiting.remove(&subtask) else { return Vec::new() };
        let mut follows = Vec::new();
        if let Some(answer) = waiting.pop_front() {
            let groups = found.as_ref().map_or(&[][..], |found| found.groups.as_slice());
            let best = found.as_ref().and_then(|found| keys.get(found.best?)).cloned();
            follows.extend(self.take_up(work, answer, &keys, groups, best).map(Follows::Judged));
        }
        // Those that came after it: the first one that is compared makes the others wait for it.
        follows.extend(waiting.into_iter().map(Follows::Compared));
        follows.extend(self.judge.note(word).map(|why| Follows::ByWordsAlone { why }));
        follows
    }

    /// Puts an answer under the key of its meaning, and those that were there.
    fn take_up(
        &mut self,
        work: &mut Work,
        mut answer: PendingReplica,
        keys: &[String],
        groups: &[Vec<usize>],
        best: Option<String>,
    ) -> Option<Ticket> {
        let ticket = answer.ticket;
        if !work.scheduler.entries.is_out(ticket.subtask, ticket.attempt) {
            return None;
        }
        let shared = shared_keys(keys, groups);
        let newest = keys.len().saturating_sub(1);
        let same = groups.iter().any(|group| group.len() > 1 && group.contains(&newest));
        work.journal.emit(TraceEvent::ComparedInWords {
            subtask: ticket.subtask,
            attempt: ticket.attempt,
            others: u32::try_from(newest).unwrap_or(u32::MAX),
            same,
        });
        if same {
            self.meanings.joined.insert(ticket.subtask, best);
        }
        let record = work.subtasks.of_mut(ticket.subtask)?;
        let before = record.replicas.iter_mut().map(|(_, replica)| replica);
        for replica in before.chain([&mut answer.replica]) {
            // By what each says itself: who stood together may not do so any more.
            if let Some(key) = shared.get(replica.answer.agreement_key().as_str()) {
                (*key).clone_into(&mut replica.key);
            }
        }
        record.replicas.push((ticket.attempt, answer.replica));
        Some(ticket)
    }

    /// The model cannot compare: what is left counts by its words.
    pub(in crate::run) fn compare_by_words_from_now_on(
        &mut self,
        work: &mut Work,
        why: &str,
    ) -> Vec<Follows> {
        if self.judge.relieve(Duty::Compare) {
            let words = format!("answers in other words count as different ones from here on: {why}");
            work.journal.notice(RunStage::Verify, &words);
        }
        self.out.give_up(Check::Meaning);
        let waiting = std::mem::take(&mut self.meanings.waiting);
        waiting.into_values().flatten().map(Follows::Compared).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use frlm_inference::scripted::ScriptedModel;

    use super::*;

    #[tokio::test]
    async fn who_waits_for_those_before_it_does_not_run_out_of_patience() {
        let model = Arc::new(ScriptedModel::new("judge", |_: &str| "{\"similarity\": 0.2}".to_owned()));
        let judging = Judging::passed(Duty::Compare, model, 1);
        let before = judging.turn().await;
        // Code tells these apart.
        let texts = ["the total is 42", "the sum is 43"].map(str::to_owned);
        let mut reading = std::pin::pin!(compare(&judging, &texts, Duration::ZERO));
        assert!(
            tokio::time::timeout(Duration::from_millis(50), &mut reading).await.is_err(),
            "it waits for its turn, however long ago its timeout would have ended"
        );
        drop(before);
        let found = reading.await;
        assert!(matches!(&found, Ok((found, Ok(()))) if found.groups.len() == 2), "{found:?}");
    }

    #[test]
    fn answers_of_one_meaning_stand_under_the_key_of_the_first_that_came() {
        let keys: Vec<String> = ["b", "a", "c"].map(str::to_owned).to_vec();
        let shared = shared_keys(&keys, &[vec![0, 2], vec![1]]);
        assert_eq!((shared["b"], shared["c"], shared["a"]), ("b", "b", "a"));
        assert!(shared_keys(&keys, &[]).is_empty(), "without a judgement everything stands by itself");
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
