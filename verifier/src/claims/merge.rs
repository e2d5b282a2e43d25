//! Claims of several readers that state one fact become one (docs/claims.md, section 2).
//!
//! ```text
//!   two claims ─ no line in common ──────────────────────────► apart
//!        │
//!        ├─ wording (figures masked) ≥ 0.5, other figures, dates or negation ─► conflict
//!        ├─ wording ≥ 0.5, same facts, same words in the same order ──────────► same fact
//!        ├─ wording ≥ 0.2 otherwise ─────────────────────────► ask a model in both directions
//!        └─ else ────────────────────────────────────────────► apart
//! ```
//!
//! Wording alone tells too little: "the tenant pays the landlord" and "the landlord pays the tenant" have the same letters, and
//! a lie that is merged with a true claim would be believed on an honest reader's record. [`super::wording`] has what code holds
//! for the same.
//!
//! Groups are joined by complete linkage: every member states the same fact as every other, so that a chain of small
//! differences joins nothing. All choices follow the claims' own order, never the order of arrival.

use std::collections::{BTreeMap, BTreeSet};

use super::claim::{Claim, Quote};
use super::wording::{Wording, relation};

/// Claims that are compared with each other, the rest stay alone.
const MOST_COMPARED: usize = 512;

/// A claim with its reader.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stated {
    /// The claim, which has passed the code checks.
    pub claim: Claim,
    /// Who stated it.
    pub reader: String,
}

/// In what two claims differ that cannot both be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Another number, or another unit.
    Number,
    /// Another date or time of day.
    Date,
    /// One negates what the other states.
    Negation,
}

/// How two claims stand to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relation {
    /// They state the same fact.
    Same,
    /// Perhaps: a model decides, asked in both directions.
    Similar,
    /// They speak of the same and differ.
    Conflict(Difference),
    /// They have nothing to do with each other.
    Apart,
}

/// Claims that state one fact. Indices are those of the claims as they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The claim whose words stand for all: the most specific one.
    pub wording: usize,
    /// All of them.
    pub members: Vec<usize>,
    /// Who stated it.
    pub readers: BTreeSet<String>,
    /// Everything it rests on.
    pub quotes: Vec<Quote>,
}

/// What merging comes to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Merged {
    /// Every claim is in exactly one group.
    pub groups: Vec<Group>,
    /// Pairs of groups that contradict each other.
    pub conflicts: Vec<(usize, usize, Difference)>,
    /// Pairs of claims that a model should be asked about.
    pub questions: Vec<(usize, usize)>,
}

/// Merges claims about one part. `said` tells what a model answered about two claims, where it was asked: whether each
/// states what the other does.
pub fn merge(stated: &[Stated], said: &dyn Fn(&Claim, &Claim) -> Option<bool>) -> Merged {
    let mut order: Vec<usize> = (0..stated.len()).collect();
    order.sort_by(|&a, &b| stated[a].cmp(&stated[b]).then(a.cmp(&b)));
    let read: Vec<Wording> = order.iter().map(|&at| Wording::of(&stated[at].claim.text)).collect();
    let claim = |at: usize| &stated[order[at]].claim;

    let mut relations: BTreeMap<(usize, usize), (Relation, f64)> = BTreeMap::new();
    for right in 0..order.len().min(MOST_COMPARED) {
        for left in 0..right {
            if !claim(left).overlaps(claim(right)) {
                continue;
            }
            let (mut relation, likeness) = relation(&read[left], &read[right]);
            if relation == Relation::Similar
                && let Some(same) = said(claim(left), claim(right))
            {
                relation = if same { Relation::Same } else { Relation::Apart };
            }
            if relation != Relation::Apart {
                relations.insert((left, right), (relation, likeness));
            }
        }
    }
    let groups = linked(order.len(), &relations);
    let mut merged = Merged::default();
    let mut group_of = vec![0; order.len()];
    for (number, members) in groups.iter().enumerate() {
        for &member in members {
            group_of[member] = number;
        }
        merged.groups.push(group(stated, &order, &read, members));
    }
    let mut conflicts = BTreeMap::new();
    for (&(left, right), &(relation, _)) in &relations {
        let (one, other) = (group_of[left].min(group_of[right]), group_of[left].max(group_of[right]));
        match relation {
            Relation::Conflict(difference) if one != other => {
                conflicts.entry((one, other)).or_insert(difference);
            }
            Relation::Similar if one != other => merged.questions.push((order[left], order[right])),
            _ => {}
        }
    }
    merged.conflicts =
        conflicts.into_iter().map(|((one, other), difference)| (one, other, difference)).collect();
    merged
}

/// How two claims stand to each other; that they share a line is the caller's to see to.
pub fn compare(left: &Claim, right: &Claim) -> Relation {
    relation(&Wording::of(&left.text), &Wording::of(&right.text)).0
}

/// Complete linkage: the likest pair first, joined where all members of both sides state the same.
fn linked(count: usize, relations: &BTreeMap<(usize, usize), (Relation, f64)>) -> Vec<Vec<usize>> {
    let is_same =
        |a: usize, b: usize| matches!(relations.get(&(a.min(b), a.max(b))), Some((Relation::Same, _)));
    let mut pairs: Vec<((usize, usize), f64)> = relations
        .iter()
        .filter(|(_, (relation, _))| *relation == Relation::Same)
        .map(|(pair, (_, likeness))| (*pair, *likeness))
        .collect();
    pairs.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut groups: Vec<Vec<usize>> = (0..count).map(|at| vec![at]).collect();
    let mut group_of: Vec<usize> = (0..count).collect();
    for ((left, right), _) in pairs {
        let (one, other) = (group_of[left].min(group_of[right]), group_of[left].max(group_of[right]));
        if one != other && groups[one].iter().all(|&a| groups[other].iter().all(|&b| is_same(a, b))) {
            let moved = std::mem::take(&mut groups[other]);
            for &member in &moved {
                group_of[member] = one;
            }
            groups[one].extend(moved);
        }
    }
    groups.retain(|members| !members.is_empty());
    for members in &mut groups {
        members.sort_unstable();
    }
    groups
}

fn group(stated: &[Stated], order: &[usize], read: &[Wording], members: &[usize]) -> Group {
    // The most specific wording: most facts, then most words; of equals the first in the claims' own order.
    let specific = |at: &&usize| (read[**at].specific(), std::cmp::Reverse(**at));
    let wording = members.iter().max_by_key(specific).copied().unwrap_or_default();
    let mut quotes: Vec<Quote> =
        members.iter().flat_map(|&at| stated[order[at]].claim.quotes.clone()).collect();
    quotes.sort();
    quotes.dedup();
    Group {
        wording: order[wording],
        members: members.iter().map(|&at| order[at]).collect(),
        readers: members.iter().map(|&at| stated[order[at]].reader.clone()).collect(),
        quotes,
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
