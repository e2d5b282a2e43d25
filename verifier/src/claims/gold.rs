//! Gold for words, made by code from verified claims (docs/claims.md, section 3; Oleson 2011).
//!
//! A verified claim is true, so that a claim with one thing changed is false: a figure, date or name exchanged, a
//! negation put in or taken out, a qualification dropped, other lines attached. Real claims have passed the code checks,
//! and so what is exchanged is taken from the quoted lines where they have another value: else a reviewer could tell
//! gold by looking for figures that stand nowhere. Half of all gold is unchanged. Each is used once.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use sha2::{Digest, Sha256};

use super::changes;
use super::claim::Claim;
use super::draws::Draws;
use super::text::Text;

/// What was done to a verified claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// Nothing: it is to be supported.
    Unchanged,
    /// A number is another one.
    Figure,
    /// A date is another one.
    Date,
    /// A name is another one.
    Name,
    /// A negation was put in, or taken out.
    Negation,
    /// A condition or exception is missing.
    Qualification,
    /// Its quotes are lines that do not speak of it.
    OtherLines,
    /// Nothing: a real claim that reviewers found false. Injected errors are unnatural, and people who lie together know
    /// their own lies.
    FoundFalse,
}

impl Change {
    /// What makes a claim false.
    pub const FALSE: [Self; 6] =
        [Self::Figure, Self::Date, Self::Name, Self::Negation, Self::Qualification, Self::OtherLines];

    /// Whether a reviewer should reject it.
    pub fn is_false(self) -> bool {
        self != Self::Unchanged
    }
}

/// A claim whose verdict is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gold {
    /// By which the caller knows it again; it says nothing of what was changed.
    pub id: String,
    /// What the reviewer is shown.
    pub claim: Claim,
    /// What was changed.
    pub change: Change,
}

/// Makes one gold claim out of a verified claim of `text`; `None` where the change does not fit it.
pub fn make(verified: &Claim, text: &Text, change: Change, seed: u64) -> Option<Gold> {
    let claim = changes::changed(verified, text, change, &mut Draws::new(seed, &verified.text))?;
    let digest = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(&verified.text).finalize();
    let id = digest[..8].iter().fold(String::new(), |id, byte| format!("{id}{byte:02x}"));
    Some(Gold { id, claim, change })
}

/// The share of a reviewer's claims that should be gold so that honest work pays better than none: more than
/// `c / ((1−κ)(a_h−a₀)B)` (docs/claims.md, section 3).
pub fn share(stakes: &Stakes) -> f64 {
    stakes.effort / ((1.0 - stakes.recognised) * (stakes.honest - stakes.constant) * stakes.at_stake)
}

/// What decides how much gold is needed. Amounts are in pays for one claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stakes {
    /// What honest work on a claim costs.
    pub effort: f64,
    /// The probability that a reviewer recognises gold.
    pub recognised: f64,
    /// Balanced accuracy of honest work.
    pub honest: f64,
    /// Balanced accuracy of the best constant verdict.
    pub constant: f64,
    /// What is lost when gold is failed.
    pub at_stake: f64,
}

/// Gold that waits, and gold that is out. Nothing is handed out twice, and nothing to anybody who has read or reviewed what
/// it was made from: a changed figure is no test for a reviewer that remembers the true one.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    waiting: Vec<(Gold, BTreeSet<String>)>,
    out: BTreeMap<String, Gold>,
    seen: HashSet<String>,
}

impl Pool {
    /// Adds one, unless these words were gold before. `known_to` names those that have seen the claim that it was made from.
    pub fn add(&mut self, gold: Gold, known_to: BTreeSet<String>) -> bool {
        let is_new = self.seen.insert(gold.claim.text.clone());
        if is_new {
            self.waiting.push((gold, known_to));
        }
        is_new
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether one waits that this reviewer may be given.
    pub fn has_for(&self, reviewer: &str) -> bool {
        self.waiting.iter().any(|(_, known_to)| !known_to.contains(reviewer))
    }

    /// Throws away what was made from claims that somebody has read or reviewed: its word is worth nothing any more.
    pub fn distrust(&mut self, who: &str) {
        self.waiting.retain(|(_, known_to)| !known_to.contains(who));
    }

    /// Somebody has read what these were made from.
    pub fn is_known_to(&mut self, ids: &[String], who: &str) {
        for (_, known_to) in self.waiting.iter_mut().filter(|(gold, _)| ids.contains(&gold.id)) {
            known_to.insert(who.to_owned());
        }
    }

    /// Hands one out to a reviewer: a false one or a true one, as wished, if there is one. Of false ones, each second is a real
    /// claim that was found false, as long as there are such.
    pub fn take(&mut self, is_false: bool, reviewer: &str, draws: &mut Draws) -> Option<Gold> {
        let fits = |(gold, known_to): &(Gold, BTreeSet<String>)| {
            gold.change.is_false() == is_false && !known_to.contains(reviewer)
        };
        let all: Vec<usize> = (0..self.waiting.len()).filter(|&at| fits(&self.waiting[at])).collect();
        let is_real = |at: &usize| self.waiting[*at].0.change == Change::FoundFalse;
        let real: Vec<usize> = all.iter().copied().filter(is_real).collect();
        let among = if !real.is_empty() && draws.chance(0.5) { &real } else { &all };
        let (gold, _) = self.waiting.swap_remove(*draws.pick(among)?);
        self.out.insert(gold.id.clone(), gold.clone());
        Some(gold)
    }

    /// What a verdict on it is to be held against; `None` for what is no gold, or was settled.
    pub fn settle(&mut self, id: &str) -> Option<Gold> {
        self.out.remove(id)
    }
}

#[cfg(test)]
#[path = "gold_tests.rs"]
mod tests;
