//! Two claims compared by their words, figures and negations (docs/claims.md, section 2).
//!
//! Code holds two claims for the same only if they have the same facts, the same negations and limits ("only", "before") and
//! the same other words in the same order, but for endings, words such as "the", and units that changed places. Everything
//! else that is alike is for a model to say.

use std::collections::BTreeSet;

use super::facts::{Facts, Lexicon};
use super::language;
use super::merge::{Difference, Relation};
use super::token::{Kind, Token, tokens};

/// Wording at which two claims with the same facts may be one: job advertisements were almost identical from there on.
const SAME: f64 = 0.5;
/// Wording from which a model is asked.
const SIMILAR: f64 = 0.2;
/// Statements with fewer words say too little to contradict each other.
const FEWEST_WORDS: usize = 4;
/// Letters of an ending: "rent" and "rents" are one word, "employer" and "employee" are two.
const LONGEST_ENDING: usize = 3;

/// What a statement says of how much, or when.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    kind: Difference,
    value: String,
    /// Empty where a number stands alone. Such a number often names what is spoken of: order 17, room 3.
    unit: &'static str,
}

/// In what two statements differ that may not both be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clash {
    /// What is different.
    pub difference: Difference,
    /// Whether they say it in the same words.
    pub in_same_words: bool,
}

impl Clash {
    /// Whether both cannot be right. With another date the same may have happened twice.
    pub fn is_sure(self) -> bool {
        self.in_same_words && self.difference != Difference::Date
    }
}

/// A statement as it is compared.
#[derive(Debug)]
pub struct Wording {
    /// Words in lower case, figures masked.
    words: usize,
    /// Hashes of three words in a row, sorted.
    trigrams: Vec<u64>,
    /// Hashes of four letters in a row, sorted.
    grams: Vec<u64>,
    facts: BTreeSet<Fact>,
    /// What each negation negates: the words beside it.
    negated: Vec<String>,
    /// Words that limit a statement.
    limits: BTreeSet<String>,
    /// All other words that say something, and digits as they stand, in their order.
    content: Vec<String>,
}

impl Wording {
    /// Reads a statement.
    pub fn of(text: &str) -> Self {
        let read = Facts::of(text, &Lexicon::default());
        let mut facts = BTreeSet::new();
        for figure in read.figures.iter().chain(&read.counts) {
            let (base, factor) = figure.unit.map_or(("", 1.into()), |unit| (unit.base, unit.factor));
            let value = figure.values[0].checked_mul(factor).unwrap_or(figure.values[0]).normalize();
            facts.insert(Fact { kind: Difference::Number, value: value.to_string(), unit: base });
        }
        let dates = read.dates.iter().map(|date| format!("{:?}", date.readings[0]));
        let times = read.times.iter().map(|(minutes, _)| format!("{minutes} min"));
        facts.extend(dates.chain(times).map(|value| Fact { kind: Difference::Date, value, unit: "" }));

        let (mut negated, mut limits, mut content) = (Vec::new(), BTreeSet::new(), Vec::new());
        let mut all = tokens(text);
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

        let words: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| {
                if word.contains(|c: char| c.is_ascii_digit()) { "0".to_owned() } else { word.to_lowercase() }
            })
            .collect();
        let trigrams = if words.len() < 3 {
            vec![hash(words.iter().flat_map(|word| word.chars()))]
        } else {
            words
                .windows(3)
                .map(|three| hash(three.iter().flat_map(|word| word.chars().chain([' ']))))
                .collect()
        };
        let letters: Vec<char> = words.join(" ").chars().collect();
        let grams =
            letters.windows(4.min(letters.len().max(1))).map(|four| hash(four.iter().copied())).collect();
        let (trigrams, grams) = (sorted(trigrams), sorted(grams));
        Self { words: words.len(), trigrams, grams, facts, negated, limits, content }
    }

    /// How much it states: facts, then words.
    pub(super) fn specific(&self) -> (usize, usize) {
        (self.facts.len(), self.words)
    }

    /// Whether it has every date and time of day that another one has.
    pub fn has_dates_of(&self, other: &Self) -> bool {
        other.facts.iter().all(|fact| fact.kind != Difference::Date || self.facts.contains(fact))
    }

    fn negates(&self) -> bool {
        self.negated.len() % 2 == 1
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
        |from: &Wording, other: &Wording| from.facts.difference(&other.facts).next().map(|fact| fact.kind);
    let relation = match (missing(left, right), missing(right, left)) {
        _ if likeness < SIMILAR => Relation::Apart,
        (Some(difference), Some(_)) if likeness >= SAME => Relation::Conflict(difference),
        // Two figures about the same lines are two facts.
        (Some(_), Some(_)) => Relation::Apart,
        _ if left.negates() != right.negates() && likeness >= SAME => {
            Relation::Conflict(Difference::Negation)
        }
        _ if left.negates() != right.negates() => Relation::Apart,
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

/// Whether two statements from different places cannot both be right, or hardly; that is for people and models to say where
/// it is not [`Clash::is_sure`].
///
/// ```text
/// numbers that stand alone differ ────────────────────────► none: they name what is spoken of (order 17, order 18)
/// the same words, another measure or a negation ──────────► sure
/// the same words, another date ───────────────────────────► not sure: the same may have happened twice
/// alike, and a measure, date or negation differs ─────────► not sure
/// ```
pub fn clash(left: &Wording, right: &Wording) -> Option<Clash> {
    let of = |wording: &Wording, wanted: fn(&Fact) -> bool| -> BTreeSet<Fact> {
        wording.facts.iter().filter(|fact| wanted(fact)).cloned().collect()
    };
    let differ = |wanted: fn(&Fact) -> bool| of(left, wanted) != of(right, wanted);
    let names = |fact: &Fact| fact.kind == Difference::Number && fact.unit.is_empty();
    let measures = |fact: &Fact| fact.kind == Difference::Number && !fact.unit.is_empty();
    let dates = |fact: &Fact| fact.kind == Difference::Date;
    let difference = match (differ(measures), differ(dates), left.negates() != right.negates()) {
        (true, false, false) => Difference::Number,
        (false, true, false) => Difference::Date,
        (false, false, true) => Difference::Negation,
        _ => return None,
    };
    let has_both =
        |wanted: fn(&Fact) -> bool| left.facts.iter().any(wanted) && right.facts.iter().any(wanted);
    let is_stated = match difference {
        Difference::Number => has_both(measures),
        Difference::Date => has_both(dates),
        Difference::Negation => true,
    };
    if differ(names) || !is_stated || left.words.min(right.words) < FEWEST_WORDS {
        return None;
    }
    let in_same_words = left.limits == right.limits && left.says_the_same(right);
    let is_alike = || matches!(relation(left, right).0, Relation::Conflict(_));
    (in_same_words || is_alike()).then_some(Clash { difference, in_same_words })
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

fn sorted(mut hashes: Vec<u64>) -> Vec<u64> {
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// The share of what both have in what either has; both are sorted.
fn jaccard(left: &[u64], right: &[u64]) -> f64 {
    let (mut at, mut both) = (0, 0);
    for hash in left {
        while right.get(at).is_some_and(|other| other < hash) {
            at += 1;
        }
        both += usize::from(right.get(at) == Some(hash));
    }
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
mod tests {
    use super::*;

    fn clash_of(left: &str, right: &str) -> Option<(Difference, bool)> {
        let (left, right) = (Wording::of(left), Wording::of(right));
        let found = clash(&left, &right);
        assert_eq!(found, clash(&right, &left), "it does not matter which is first");
        found.map(|clash| (clash.difference, clash.is_sure()))
    }

    #[test]
    fn another_measure_or_a_negation_in_the_same_words_cannot_both_be_right() {
        let sure = |difference| Some((difference, true));
        assert_eq!(
            clash_of("The rent is 900 EUR a month.", "The rent is 950 EUR a month."),
            sure(Difference::Number)
        );
        assert_eq!(clash_of("The disk was 98% full.", "The disk was 71% full."), sure(Difference::Number));
        assert_eq!(
            clash_of("The tenant may keep a dog in the flat.", "The tenant may not keep a dog in the flat."),
            sure(Difference::Negation)
        );
        assert_eq!(clash_of("The notice period is 2 years.", "The notice period is 24 months."), None);
    }

    #[test]
    fn another_date_may_be_another_event() {
        let unsure = |difference| Some((difference, false));
        assert_eq!(
            clash_of("The lease begins on 1 May 2019.", "The lease begins on 1 June 2019."),
            unsure(Difference::Date)
        );
        assert_eq!(
            clash_of(
                "The lease of flat B with Anna Beck begins on 1 May 2019.",
                "The lease of flat B with Anna Beck started on 1 June 2019."
            ),
            unsure(Difference::Date)
        );
        assert_eq!(clash_of("The lease begins on 1 May 2019.", "The lease begins on May 1, 2019."), None);
    }

    #[test]
    fn what_speaks_of_something_else_contradicts_nothing() {
        for (left, right) in [
            ("Order 17 cost 5 EUR in all.", "Order 18 cost 9 EUR in all."),
            ("The rent was 900 EUR on 3 May 2021.", "The rent was 950 EUR on 3 May 2022."),
            ("The rent is 900 EUR a month.", "The rent is due on the third of each month."),
            ("The deposit is 1,800 EUR.", "Smoking is not allowed on the balcony."),
            ("Rent: 900 EUR", "Rent: 950 EUR"),
        ] {
            assert_eq!(clash_of(left, right), None, "{left} {right}");
        }
    }
}
