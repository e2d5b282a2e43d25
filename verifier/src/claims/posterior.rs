//! How likely a claim is false, and when enough is known of it (docs/claims.md, section 6).
//!
//! ```text
//!   P(false) = σ( ln π/(1-π)  +  code  +  Σ wᵢ ln C[false,vᵢ]/C[true,vᵢ] )
//!        │
//!        ├─ ≤ τ, reviews do not speak against it ─► accepted      ├─ ≥ 0.6, two reviewers do ─► rejected
//!        └─ else ─► one more reviewer, of those that may be asked
//!                   └─ none ─► left out, and named
//! ```
//!
//! π is the reader's record, C a reviewer's confusion matrix, w = 1/(1 + (n−1)ρ) for n equal reviews of one model family:
//! nine judges of like models were worth about two votes (2605.29800). A reviewer of the reader's own family counts as one
//! more of its family, because judges favour similar models (2502.04313).
//!
//! Where [`Votes`] decide, only how many support a claim does; P(false) is what it is believed by. One reviewer may be trusted by
//! the user, as their own model or as the validator that they named: what its verdict is for, [`Word`] says.
//!
//! Reviews of one family are seldom equal. The strongest of each side counts in full and each further one what n equal ones
//! count less what n−1 do, so that another verdict never moves the posterior the wrong way. A reviewer that errs more often
//! than it is right weighs nothing: nobody gains by being wrong on purpose.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::reviewer::{Confusion, Verdict};

/// How alike reviews of one family err.
pub const CORRELATION: f64 = 0.44;
/// P(false) from which a claim is rejected.
pub const REJECTED_AT: f64 = 0.6;
/// Reviews that a claim needs where no doubt is wanted.
const FEWEST_WITHOUT_DOUBT: usize = 2;

/// One verdict on a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// Who gave it.
    pub reviewer: String,
    /// The family of its model.
    pub family: String,
    /// What it says.
    pub verdict: Verdict,
    /// What such a verdict is worth from this reviewer.
    pub confusion: Confusion,
    /// Whether it had no record.
    pub is_newcomer: bool,
    /// Whether the user trusts it.
    pub is_trusted: bool,
}

/// Everything that is known of a claim that passed the code checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// How likely a claim of its reader is false, by the reader's record.
    pub prior: f64,
    /// The reader's model family.
    pub family: String,
    /// The share of false claims that code finds.
    pub code_catches: f64,
    /// The verdicts so far.
    pub reviews: Vec<Review>,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// P(false) up to which a claim is accepted.
    pub accept_at: f64,
    /// Reviews of one claim at most.
    pub most_reviews: usize,
    /// Where votes decide, and not what is known of those who give them.
    pub votes: Option<Votes>,
    /// What the verdict of the reviewer is for that the user trusts.
    pub word: Word,
    /// Whether two must have reviewed a claim, and none may reject it.
    pub wants_no_doubt: bool,
}

/// What the verdict of the reviewer is for that the user trusts: their own model, or the validator that they named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// It is one more reviewer, asked where no other one is left.
    OneMore,
    /// Nothing is accepted that it rejects: it is asked of each claim that would be, if it is there.
    Needed,
    /// It reviews every claim, and nobody else does.
    Alone,
}

/// So many of so many must support a claim; its reader is one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Votes {
    /// The reader and its reviewers, at most.
    pub of: usize,
    /// How many of them must support it: more than half.
    pub agree: usize,
}

/// Somebody who may be asked for a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Who.
    pub reviewer: String,
    /// Whether it has no record; at most one such reviews a claim while anybody else can be asked.
    pub is_newcomer: bool,
    /// Whether the user trusts it.
    pub is_trusted: bool,
}

/// What is to be done with a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Reviews bear it out.
    Accepted {
        /// How likely it is false all the same.
        p_false: f64,
    },
    /// Reviews reject it.
    Rejected {
        /// How likely it is false.
        p_false: f64,
    },
    /// Ask one more of those that [`may_review`].
    Ask,
    /// Ask the one that the user trusts.
    AskTrusted,
    /// It stays undecided, and the answer names it.
    Undecided {
        /// Why nobody else is asked.
        reason: Undecided,
        /// How likely it is false.
        p_false: f64,
    },
}

/// Why an undecided claim is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    /// As many reviews as the rules allow contradict each other.
    #[error("its reviews contradict each other")]
    Disputed,
    /// Nobody else can be asked.
    #[error("there is no other reviewer")]
    NoReviewer,
}

/// How likely a claim that passed the code checks is false.
pub fn p_false(evidence: &Evidence) -> f64 {
    let prior = evidence.prior.clamp(1e-6, 1.0 - 1e-6);
    let odds = (prior / (1.0 - prior)).ln() + (1.0 - evidence.code_catches.clamp(0.0, 0.99)).ln();
    1.0 / (1.0 + (-odds - reviews(evidence)).exp())
}

/// What one of `n` equal reviews of one family counts.
pub fn weight(n: usize) -> f64 {
    1.0 / (1.0 + (n.max(1) as f64 - 1.0) * CORRELATION)
}

/// What all reviews say together, in nats: positive where they speak against the claim.
fn reviews(evidence: &Evidence) -> f64 {
    let mut families: BTreeMap<&str, [Vec<f64>; 2]> = BTreeMap::new();
    for review in &evidence.reviews {
        // Which of the two rejecting verdicts it is says little of an exchanged value: reject is compared with reject.
        let rejects = review.verdict.rejects();
        let likelihood = |is_false: bool| {
            let passes = review.confusion.likelihood(is_false, Verdict::Supported);
            if rejects { 1.0 - passes } else { passes }
        };
        let says = (likelihood(true) / likelihood(false)).ln();
        let says = if rejects { says.max(0.0) } else { says.min(0.0) };
        families.entry(&review.family).or_default()[usize::from(rejects)].push(says);
    }
    let mut sum = 0.0;
    for (family, sides) in families {
        let is_readers = family == evidence.family;
        for mut side in sides {
            side.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
            sum += side.iter().enumerate().map(|(at, says)| further(at + 1, is_readers) * says).sum::<f64>();
        }
    }
    sum
}

/// What the `n`th review of a family adds.
fn further(n: usize, is_readers: bool) -> f64 {
    let together = |n: usize| if n == 0 { 0.0 } else { n as f64 * weight(n + usize::from(is_readers)) };
    together(n) - together(n - 1)
}

/// Decides what to do with a claim. `candidates` are those that may review it, none of them its reader.
pub fn decide(evidence: &Evidence, rules: &Rules, candidates: &[Candidate]) -> Decision {
    let p_false = p_false(evidence);
    let word = evidence.reviews.iter().find(|review| review.is_trusted).map(|review| review.verdict);
    let may_ask_trusted = word.is_none() && candidates.iter().any(|candidate| candidate.is_trusted);
    let (others, disputed) =
        (others(candidates), Decision::Undecided { reason: Undecided::Disputed, p_false });
    let decision = match (rules.word, word) {
        (Word::Alone, Some(word)) if word.rejects() => return Decision::Rejected { p_false },
        (Word::Alone, Some(_)) => return Decision::Accepted { p_false },
        (Word::Alone, None) => Decision::Undecided { reason: Undecided::NoReviewer, p_false },
        (Word::OneMore | Word::Needed, _) => match rules.votes {
            Some(votes) => by_votes(evidence, votes, p_false, &others),
            None => by_posterior(evidence, rules, p_false, &others),
        },
    };
    let is_accepted = matches!(decision, Decision::Accepted { .. });
    if rules.wants_no_doubt && is_accepted {
        if evidence.reviews.iter().any(|review| review.verdict.rejects()) {
            return disputed;
        }
        if evidence.reviews.len() < FEWEST_WITHOUT_DOUBT {
            match ask(evidence, &others, p_false) {
                Decision::Undecided { .. } if may_ask_trusted => return Decision::AskTrusted,
                decision => return decision,
            }
        }
    }
    match decision {
        Decision::Undecided { reason: Undecided::NoReviewer, .. } if may_ask_trusted => Decision::AskTrusted,
        _ if is_accepted && rules.word == Word::Needed && may_ask_trusted => Decision::AskTrusted,
        _ if is_accepted && rules.word == Word::Needed && word.is_some_and(Verdict::rejects) => disputed,
        decision => decision,
    }
}

fn others(candidates: &[Candidate]) -> Cow<'_, [Candidate]> {
    if candidates.iter().any(|candidate| candidate.is_trusted) {
        candidates.iter().filter(|candidate| !candidate.is_trusted).cloned().collect()
    } else {
        Cow::Borrowed(candidates)
    }
}

/// What is known of reader and reviewers comes to.
fn by_posterior(evidence: &Evidence, rules: &Rules, p_false: f64, candidates: &[Candidate]) -> Decision {
    // A tie, and a single rejection of what a good record promises, go to one more reviewer.
    let speaks_against = reviews(evidence) > 0.0;
    // A reader's record alone is not enough.
    if p_false <= rules.accept_at && !speaks_against && !evidence.reviews.is_empty() {
        return Decision::Accepted { p_false };
    }
    // One reviewer against a reader is a tie, whatever the reader's record: it decides nothing.
    let rejections = evidence.reviews.iter().filter(|review| review.verdict.rejects()).count();
    if p_false >= REJECTED_AT && speaks_against && rejections > 1 {
        return Decision::Rejected { p_false };
    }
    if evidence.reviews.len() >= rules.most_reviews {
        return Decision::Undecided { reason: Undecided::Disputed, p_false };
    }
    ask(evidence, candidates, p_false)
}

fn ask(evidence: &Evidence, candidates: &[Candidate], p_false: f64) -> Decision {
    if may_review(evidence, candidates).is_empty() {
        return Decision::Undecided { reason: Undecided::NoReviewer, p_false };
    }
    Decision::Ask
}

/// What so many votes come to. A claim that can no longer be accepted goes on as long as its reviewers may still reject it: else a
/// reader would lose nothing by a claim that one of them calls false.
fn by_votes(evidence: &Evidence, votes: Votes, p_false: f64, candidates: &[Candidate]) -> Decision {
    let given = evidence.reviews.len();
    let against = evidence.reviews.iter().filter(|review| review.verdict.rejects()).count();
    let (support, left) = (1 + given - against, votes.of.saturating_sub(1 + given));
    if support >= votes.agree {
        return Decision::Accepted { p_false };
    }
    if 2 * against > votes.of {
        return Decision::Rejected { p_false };
    }
    if support + left < votes.agree && 2 * (against + left) <= votes.of {
        return Decision::Undecided { reason: Undecided::Disputed, p_false };
    }
    ask(evidence, candidates, p_false)
}

/// Those of `candidates` that have not reviewed the claim, by their places. A second newcomer is among them only where nobody else
/// is: newcomers may be one person.
pub fn may_review(evidence: &Evidence, candidates: &[Candidate]) -> Vec<usize> {
    let is_free =
        |at: &usize| evidence.reviews.iter().all(|review| review.reviewer != candidates[*at].reviewer);
    let mut free: Vec<usize> = (0..candidates.len()).filter(is_free).collect();
    let has_newcomer = evidence.reviews.iter().any(|review| review.is_newcomer);
    if has_newcomer && free.iter().any(|&at| !candidates[at].is_newcomer) {
        free.retain(|&at| !candidates[at].is_newcomer);
    }
    free
}

#[cfg(test)]
#[path = "posterior_tests.rs"]
mod tests;
