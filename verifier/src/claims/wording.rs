//! Two claims compared by their words, figures and negations (docs/claims.md, section 2).
//!
//! Code holds two claims for the same only if they have the same facts, the same negations and limits ("only", "before") and
//! the same other words in the same order, but for endings, words such as "the", and units that changed places. Everything
//! else that is alike is for a model to say.

use std::collections::{BTreeSet, HashSet};

use super::claim::Claim;
use super::facts::{Facts, Lexicon};
use super::language;
use super::merge::{Difference, Relation};
use super::token::{Kind, Token, tokens};

/// Wording at which two claims with the same facts may be one: job advertisements were almost identical from there on.
const SAME: f64 = 0.5;
/// Wording from which a model is asked.
const SIMILAR: f64 = 0.2;
/// Letters of an ending: "rent" and "rents" are one word, "employer" and "employee" are two.
const LONGEST_ENDING: usize = 3;

/// A claim as it is compared.
pub(super) struct Wording {
    /// Words in lower case, figures masked.
    words: usize,
    trigrams: HashSet<u64>,
    grams: HashSet<u64>,
    /// Numbers, dates and times, each with its kind.
    facts: BTreeSet<(Difference, String)>,
    /// What each negation negates: the words beside it.
    negated: Vec<String>,
    /// Words that limit a statement.
    limits: BTreeSet<String>,
    /// All other words that say something, and digits as they stand, in their order.
    content: Vec<String>,
}

impl Wording {
    pub(super) fn of(claim: &Claim) -> Self {
        let read = Facts::of(&claim.text, &Lexicon::default());
        let mut facts = BTreeSet::new();
        for figure in read.figures.iter().chain(&read.counts) {
            let (base, factor) = figure.unit.map_or(("", 1.into()), |unit| (unit.base, unit.factor));
            let value = figure.values[0].checked_mul(factor).unwrap_or(figure.values[0]).normalize();
            facts.insert((Difference::Number, format!("{value} {base}")));
        }
        facts.extend(read.dates.iter().map(|date| (Difference::Date, format!("{:?}", date.readings[0]))));
        facts.extend(read.times.iter().map(|(minutes, _)| (Difference::Date, format!("{minutes} min"))));

        let (mut negated, mut limits, mut content) = (Vec::new(), BTreeSet::new(), Vec::new());
        let mut all = tokens(&claim.text);
        all.retain(|token| token.kind != Kind::Sign);
        for (at, token) in all.iter().enumerate() {
            let lower = token.text.to_lowercase();
            let beside = [at.checked_sub(1), Some(at + 1)].map(|at| at.and_then(|at| all.get(at)));
            let is_beside_number = beside.iter().flatten().any(|token| is_number(token));
            if language::negates(token) {
                negated.push(
                    beside.map(|token| token.map_or("", |token| token.text)).join(" … ").to_lowercase(),
                );
            } else if language::is_limit(&lower) {
                limits.insert(lower);
            } else if token.kind == Kind::Digits || says_something(&lower, is_beside_number) {
                content.push(lower);
            }
        }

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
        Self { words: words.len(), trigrams, grams, facts, negated, limits, content }
    }

    /// How much it states: facts, then words.
    pub(super) fn specific(&self) -> (usize, usize) {
        (self.facts.len(), self.words)
    }

    /// Whether both have the same words that say something, in the same order.
    fn says_the_same(&self, other: &Self) -> bool {
        let is_word = |word: &&String| !word.starts_with(|c: char| c.is_ascii_digit());
        let has_own = |one: &Self, other: &Self| {
            one.content
                .iter()
                .filter(is_word)
                .any(|word| !other.content.iter().any(|theirs| is_same_word(word, theirs)))
        };
        // Digits that only one has belong to a date or number in another notation: the facts compare those.
        let shared = |one: &Self, other: &Self| -> Vec<String> {
            let is_shared = |word: &&String| other.content.iter().any(|theirs| is_same_word(word, theirs));
            one.content.iter().filter(is_shared).cloned().collect()
        };
        let (left, right) = (shared(self, other), shared(other, self));
        !has_own(self, other)
            && !has_own(other, self)
            && left.len() == right.len()
            && left.iter().zip(&right).all(|(left, right)| is_same_word(left, right))
    }
}

/// How two claims stand to each other, and how alike they are worded.
pub(super) fn relation(left: &Wording, right: &Wording) -> (Relation, f64) {
    let likeness = jaccard(&left.trigrams, &right.trigrams).max(jaccard(&left.grams, &right.grams));
    let missing =
        |from: &Wording, other: &Wording| from.facts.difference(&other.facts).next().map(|fact| fact.0);
    let negates = |wording: &Wording| wording.negated.len() % 2 == 1;
    let relation = match (missing(left, right), missing(right, left)) {
        _ if likeness < SIMILAR => Relation::Apart,
        (Some(difference), Some(_)) if likeness >= SAME => Relation::Conflict(difference),
        // Two figures about the same lines are two facts.
        (Some(_), Some(_)) => Relation::Apart,
        _ if negates(left) != negates(right) && likeness >= SAME => Relation::Conflict(Difference::Negation),
        _ if negates(left) != negates(right) => Relation::Apart,
        (None, None)
            if likeness >= SAME
                && left.negated == right.negated
                && left.limits == right.limits
                && left.says_the_same(right) =>
        {
            Relation::Same
        }
        _ => Relation::Similar,
    };
    (relation, likeness)
}

/// Whether a word states something of its own. Units and months beside a number are compared with it.
fn says_something(lower: &str, is_beside_number: bool) -> bool {
    let belongs = is_beside_number && (language::unit(lower).is_some() || language::month(lower).is_some());
    !belongs && !language::is_function_word(lower) && language::number_word(lower).is_none()
}

fn is_number(token: &Token<'_>) -> bool {
    token.kind == Kind::Digits || language::number_word(token.text).is_some()
}

fn is_same_word(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let ends = |rest: &str| {
        short.chars().count() > 2
            && rest.chars().count() <= LONGEST_ENDING
            && rest.chars().all(char::is_alphabetic)
            && short.chars().all(char::is_alphabetic)
    };
    long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || ends(rest))
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
