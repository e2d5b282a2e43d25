//! Answers in words: a reader's claims are reviewed by others before they count (docs/claims.md).
//!
//! ```text
//!  result ─► code checks ─► book ─► reviews, as subtasks for others ─► verdicts ─► book ─► what is borne out ─► accepted
//!             (its attempt waits; its provider is free)                             └─ nothing is ─► the attempt failed
//! ```
//!
//! This is the run's side: it knows who is here, sends reviews, accepts and pays. The [`book`] decides what to ask and what to
//! believe; the laboratory's simulated runs use it, too.
//!
//! - [`claim_desk`]: what is under review in this run
//! - [`book`]: claims, reviews, and what follows
//! - [`mod@rules`]: when a claim is accepted, by policy and level
//! - [`outcome`]: what becomes of a claim
//! - [`examination`]: gold in reviews
//! - [`disputes`]: claims whose reviews contradict each other, by everything the run has seen
//! - [`doubt`]: claims that are decided again because one of their reviewers was excluded
//! - [`records`]: what is known of readers and reviewers
//! - [`kept`]: claims that earlier runs verified
//! - [`settle`]: what an answer comes to whose claims are decided
//! - [`second`]: parts with two readers, and how much one reader leaves out; [`reread`]: the run's side of it
//! - [`trusted`]: the reviewer that the user trusts: their own model, or the validator that they named
//! - [`examine`]: the run's side of gold: it makes gold, shows it, and excludes providers that fail
//! - [`written`]: the sentences of a written answer, as claims about its notes

pub mod book;
mod claim_desk;
mod disputes;
mod doubt;
pub mod examination;
mod examine;
mod kept;
pub mod outcome;
mod records;
pub(super) mod reread;
pub mod rules;
pub mod second;
mod settle;
mod trusted;
mod written;

use frlm_questions::dialect::claims::Form;
use frlm_questions::plan::Task;
use frlm_verifier::claims::Rules;

pub(super) use self::claim_desk::{ClaimDesk, parts_of};
pub(super) use self::kept::LookedUp;
use self::rules::{RULES, rules};
pub(super) use self::settle::{Settling, Taken};
pub(super) use self::trusted::OwnReviewer;
use crate::policy::FrlmPolicy;

/// When claims count; `None` where whole answers are compared or judged.
fn rules_of(policy: &FrlmPolicy) -> Option<Rules> {
    rules(&policy.verification, policy.level)
}

/// Whether answers to a task are settled by claims and reviews, and not by comparing whole answers.
pub(super) fn settles(policy: &FrlmPolicy, task: &Task) -> bool {
    match task {
        Task::Map { task: map, .. } => {
            task.is_reading() && map.form != Form::Whole && rules_of(policy).is_some()
        }
        Task::Combine(_) => rules_of(policy).is_some(),
        // Two planners seldom say the same, and code holds a plan to the question.
        Task::Review(_) | Task::Reread { .. } | Task::Plan(_) => true,
        Task::Compile(_) => false,
    }
}

/// How many answers a task takes, and how many providers it may take to settle it: with what is reviewed, its reviewers.
/// Were they not counted, two readings could each hold the credit of the other's only reviewer left, and wait for ever.
pub(super) fn answers_of(policy: &FrlmPolicy, task: &Task) -> (u32, u32) {
    let is_reviewed = match task {
        Task::Map { .. } | Task::Reread { .. } => true,
        Task::Combine(task) => task.is_last(),
        Task::Review(_) | Task::Plan(_) | Task::Compile(_) => false,
    };
    match (settles(policy, task), is_reviewed) {
        (true, true) => {
            let reviews = rules_of(policy).unwrap_or(RULES).most_reviews;
            (1, 1 + u32::try_from(reviews).unwrap_or(u32::MAX))
        }
        (true, false) => (1, 1),
        (false, _) => (policy.verification.first_replicas(), policy.verification.most_replicas()),
    }
}

/// How many providers must be here before a task is worth asking: as many as must support each claim, where votes decide. The
/// user's own model is one of them.
pub(super) fn fewest(policy: &FrlmPolicy, task: &Task) -> u32 {
    let is_voted = task.is_reading()
        && settles(policy, task)
        && rules_of(policy).is_some_and(|rules| rules.votes.is_some());
    if is_voted {
        policy.verification.first_replicas().saturating_sub(policy.own_reviews.into()).max(1)
    } else {
        answers_of(policy, task).0
    }
}
