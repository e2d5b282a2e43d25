//! Claims of several readers that state one fact become one (docs/claims.md, section 2).
//!
//! ```text
//!   two claims ─ no line in common ──────────────────────────► apart
//!        │
//!        ├─ wording (figures masked) ≥ 0.5, other figures, dates or negation ─► conflict
//!        ├─ wording ≥ 0.5, same facts ───────────────────────► same fact
//!        ├─ wording ≥ 0.5, one states more facts; or 0.2–0.5 ► ask a model in both directions
//!        │                 (as where either has a name that the other lacks)
//!        └─ else ────────────────────────────────────────────► apart
//! ```
//!
//! Groups are joined by complete linkage: every member states the same fact as every other, so that a chain of small
//! differences joins nothing. All choices follow the claims' own order, never the order of arrival.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::claim::{Claim, Quote};
use super::facts::{Facts, Lexicon};
use super::language;
use super::token::tokens;

/// Wording at which two claims with the same facts are one: job advertisements were almost identical from there on.
const SAME: f64 = 0.5;
/// Wording from which a model is asked.
const SIMILAR: f64 = 0.2;
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
    let read: Vec<Wording> = order.iter().map(|&at| Wording::of(&stated[at].claim)).collect();
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
    relation(&Wording::of(left), &Wording::of(right)).0
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
    let specific = |at: &&usize| (read[**at].facts.len(), read[**at].words.len(), std::cmp::Reverse(**at));
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

/// A claim as it is compared.
struct Wording {
    /// Words in lower case, figures masked.
    words: Vec<String>,
    trigrams: HashSet<u64>,
    grams: HashSet<u64>,
    /// Numbers, dates and times, each with its kind.
    facts: BTreeSet<(Difference, String)>,
    is_negated: bool,
    /// Capitalised words but the first, which may be names.
    capitalised: BTreeSet<String>,
}

impl Wording {
    fn of(claim: &Claim) -> Self {
        let read = Facts::of(&claim.text, &Lexicon::default());
        let mut facts = BTreeSet::new();
        for figure in read.figures.iter().chain(&read.counts) {
            let (base, factor) = figure.unit.map_or(("", 1.into()), |unit| (unit.base, unit.factor));
            let value = figure.values[0].checked_mul(factor).unwrap_or(figure.values[0]).normalize();
            facts.insert((Difference::Number, format!("{value} {base}")));
        }
        facts.extend(read.dates.iter().map(|date| (Difference::Date, format!("{:?}", date.readings[0]))));
        facts.extend(read.times.iter().map(|(minutes, _)| (Difference::Date, format!("{minutes} min"))));
        let words: Vec<String> = claim
            .text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| {
                if word.contains(|c: char| c.is_ascii_digit()) { "0".to_owned() } else { word.to_lowercase() }
            })
            .collect();
        let trigrams = if words.len() < 3 {
            HashSet::from([hash(words.iter().flat_map(|word| word.chars()))])
        } else {
            words
                .windows(3)
                .map(|three| hash(three.iter().flat_map(|word| word.chars().chain([' ']))))
                .collect()
        };
        let letters: Vec<char> = words.join(" ").chars().collect();
        let grams =
            letters.windows(4.min(letters.len().max(1))).map(|four| hash(four.iter().copied())).collect();
        let capitalised = tokens(&claim.text)
            .iter()
            .filter(|token| !token.begins && token.is_capitalised() && language::unit(token.text).is_none())
            .map(|token| token.text.to_lowercase())
            .collect();
        Self { words, trigrams, grams, facts, is_negated: read.negations % 2 == 1, capitalised }
    }
}

fn relation(left: &Wording, right: &Wording) -> (Relation, f64) {
    let likeness = jaccard(&left.trigrams, &right.trigrams).max(jaccard(&left.grams, &right.grams));
    let missing =
        |from: &Wording, other: &Wording| from.facts.difference(&other.facts).next().map(|fact| fact.0);
    let relation = match (missing(left, right), missing(right, left)) {
        _ if likeness < SIMILAR => Relation::Apart,
        (Some(difference), Some(_)) if likeness >= SAME => Relation::Conflict(difference),
        // Two figures about the same lines are two facts.
        (Some(_), Some(_)) => Relation::Apart,
        _ if left.is_negated != right.is_negated && likeness >= SAME => {
            Relation::Conflict(Difference::Negation)
        }
        (None, None) if likeness >= SAME && !names_differ(left, right) => Relation::Same,
        _ => Relation::Similar,
    };
    (relation, likeness)
}

/// Whether each has capitalised words that the other lacks: names, or nouns of two languages and ways of putting it.
fn names_differ(left: &Wording, right: &Wording) -> bool {
    let has_own =
        |one: &Wording, other: &Wording| one.capitalised.iter().any(|word| !other.words.contains(word));
    has_own(left, right) && has_own(right, left)
}

/// The share of what both have in what either has.
fn jaccard(left: &HashSet<u64>, right: &HashSet<u64>) -> f64 {
    let both = left.intersection(right).count();
    let either = left.len() + right.len() - both;
    if either == 0 { 0.0 } else { both as f64 / either as f64 }
}

/// FNV-1a, the same on every machine.
fn hash(chars: impl Iterator<Item = char>) -> u64 {
    chars.fold(0xcbf2_9ce4_8422_2325, |hash, c| {
        (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
