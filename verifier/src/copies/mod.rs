//! Lines of one file share a template: what a model copied from most lines of a fragment shows code
//! where the field stands in all of them (docs/decisions/0005-the-model-names-code-generalises.md).
//!
//! A model says, line by line, what the asked field's value is. Code looks for the [`rule::Rule`] that
//! most of these copies follow (after `status=` up to the next space; between the second and the third
//! bar; …) and holds every copy against it. A copy that the rule confirms is worth more than the
//! model's own word; a lone one that contradicts it is overruled by what stands at the rule's place;
//! where no rule has enough copies behind it, nothing is overruled. This is wrapper induction
//! (Kushmerick 1997) with a model's copies in the place of a person's examples.
//!
//! It sees one provider's answers to one fragment and nothing else, so that nobody's answers can steer
//! how another's are read.

mod rule;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rule::{Rule, folded_name, named_rules, rules_for, worded_rules};

/// What a model copied of one field from one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Copy {
    /// Text that stands in the line as a whole.
    Value(String),
    /// "There is no such field."
    Absent,
    /// The field's own name: where the value is looked for, not the value.
    Name,
    /// Text that does not stand in the line as a whole.
    Garbled(String),
}

/// What a line holds after the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The value, `None` where the line has none.
    pub value: Option<String>,
    /// What it rests on.
    pub basis: Basis,
}

/// What a value rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The model's copy, and the rule that the other copies follow.
    Confirmed,
    /// The rule; the model's copy was another.
    Corrected,
    /// The model's copy alone.
    Alone,
    /// Nothing: the copy does not stand in the line, and no rule says what does.
    Unreadable,
}

/// Copies that a rule must be followed by, unless the lines name the field themselves.
const FEWEST_FOLLOWERS: usize = 3;

/// Rules that are tried on every line, most followed first.
const MOST_RULES: usize = 96;

/// Places of one value in one line that rules are made from.
const MOST_PLACES: usize = 4;

/// What a place between like marks counts per line, where a follower counts 1,000.
const COLUMN: i64 = 250;

/// Shares, in hundredths of the lines.
mod share {
    /// Followers that let a rule overrule a copy from elsewhere in the line.
    pub const FOLLOWED: usize = 68;
    /// Followers that are enough where the others say nothing, or name a part of the same place.
    pub const FOLLOWED_UNDISPUTED: usize = 45;
    /// Lines that then must at least not dispute it.
    pub const UNDISPUTED: usize = 75;
    /// Followers or parts that are enough where the lines' own key is the field's name; where it stands
    /// there as a word, others must not dispute it either.
    pub const NAMED: usize = 34;
    /// Followers that are enough between like marks, where most others name a part of the same place.
    pub const COLUMN: usize = 20;
    /// Followers from which a rule that ends at a space may cut a longer copy.
    pub const SINGLE_WORDS: usize = 85;
    /// Lines that make a second template, if they agree with each other.
    pub const SECOND: usize = 12;
    /// Followers that a second rule has among the lines that it applies to.
    pub const SECOND_FOLLOWED: usize = 70;
}

/// Checks one field's copies against each other. `stands` says how a text stands in a line as a whole
/// (its unit included), or that it does not.
pub fn check(
    field: &str,
    texts: &[&str],
    copies: &[Copy],
    stands: impl Fn(usize, &str) -> Option<String>,
) -> Vec<Checked> {
    let uses = candidates(field, texts, copies);
    let best = uses.iter().max_by_key(|used| used.score()).filter(|used| used.is_trusted());
    let Some(best) = best else {
        return copies.iter().map(alone).collect();
    };
    let second = second_template(best, &uses);
    (0..copies.len())
        .map(|at| {
            let copy = &copies[at];
            match best.votes[at] {
                Vote::Follows | Vote::BothAbsent => Checked { basis: Basis::Confirmed, ..alone(copy) },
                _ if second[at] => alone(copy),
                Vote::Outside if best.named == Named::AsKey && !names(texts[at], field) => {
                    Checked { value: None, basis: Basis::Corrected }
                }
                Vote::Outside => alone(copy),
                Vote::Part { longer: true } if !best.may_cut() => alone(copy),
                _ => best.extracted(texts[at]).and_then(|value| stands(at, value)).map_or_else(
                    || alone(copy),
                    |value| Checked { value: Some(value), basis: Basis::Corrected },
                ),
            }
        })
        .collect()
}

/// What a line itself says of a field that it names by a key, in every way in which its end may be read. Nothing where it
/// names the field twice: which of them is meant, the line does not say.
pub fn said_by_key<'text>(text: &'text str, field: &str) -> Vec<&'text str> {
    let rules = named_rules(text, field);
    let (Some(first), Some(last)) = (rules.first(), rules.last()) else { return Vec::new() };
    if first.start != last.start || !first.start.is_once_in(text) {
        return Vec::new();
    }
    rules.iter().filter_map(|rule| rule.extract(text)).map(|(_, value)| value).collect()
}

/// Whether a copied text is the name of the field and no value of it.
pub fn is_name(copied: &str, field: &str) -> bool {
    folded_name(copied) == folded_name(field)
}

/// A copy that nothing else speaks for.
fn alone(copy: &Copy) -> Checked {
    match copy {
        Copy::Value(value) => Checked { value: Some(value.clone()), basis: Basis::Alone },
        Copy::Absent | Copy::Name => Checked { value: None, basis: Basis::Alone },
        Copy::Garbled(_) => Checked { value: None, basis: Basis::Unreadable },
    }
}

fn names(text: &str, field: &str) -> bool {
    !named_rules(text, field).is_empty()
}

/// What one copy says about a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vote {
    /// It is what stands at the rule's place.
    Follows,
    /// The line has no such place, and the model found no such field.
    BothAbsent,
    /// It begins at the rule's place and is a part of what stands there, or goes on beyond it.
    Part { longer: bool },
    /// It is the field's name, behind which the rule's place is.
    Points,
    /// The model found no such field, or copied what is not there; something stands at the place.
    Silent,
    /// It is something else.
    Contradicts,
    /// The line has no such place; the model copied something.
    Outside,
}

/// How the lines name the field themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// They do not.
    Not,
    /// By a word before the value: `user mara`.
    AsWord,
    /// By a key: `user=mara`.
    AsKey,
}

/// A rule with the votes on it.
#[derive(Debug)]
struct Used {
    rule: Rule,
    named: Named,
    votes: Vec<Vote>,
}

impl Used {
    fn new(rule: Rule, named: Named, texts: &[&str], copies: &[Copy]) -> Self {
        let votes = texts.iter().zip(copies).map(|(text, copy)| vote(&rule, text, copy)).collect();
        Self { rule, named, votes }
    }

    fn extracted<'text>(&self, text: &'text str) -> Option<&'text str> {
        self.rule.extract(text).map(|(_, value)| value)
    }

    fn count(&self, counted: impl Fn(Vote) -> bool) -> usize {
        self.votes.iter().filter(|vote| counted(**vote)).count()
    }

    fn followers(&self) -> usize {
        self.count(|vote| vote == Vote::Follows)
    }

    /// Followers count most; silence and parts of the same place count little, other values against.
    fn score(&self) -> (i64, &Rule) {
        let of = |vote: Vote| match vote {
            Vote::Follows => 1_000,
            Vote::BothAbsent => 950,
            Vote::Part { .. } | Vote::Points => 300,
            Vote::Silent => -250,
            Vote::Outside => -400,
            Vote::Contradicts => -500,
        };
        let votes: i64 = self.votes.iter().map(|vote| of(*vote)).sum();
        let is_named = self.named != Named::Not;
        let named = if is_named { 2_500 } else { 0 };
        // Models cut values at spaces; a column between like marks outweighs some of that.
        let lines = i64::try_from(self.votes.len()).unwrap_or(i64::MAX);
        let column = if is_named || self.rule.is_column() { lines.saturating_mul(COLUMN) } else { 0 };
        (votes.saturating_add(column) + named + self.rule.start.weight(), &self.rule)
    }

    /// Whether enough copies follow the rule to hold the others against it.
    fn is_trusted(&self) -> bool {
        let lines = self.votes.len();
        let at_least = |count: usize, share: usize| count * 100 >= lines * share;
        let agree = self.count(|vote| matches!(vote, Vote::Follows | Vote::BothAbsent));
        let parts = self.count(|vote| matches!(vote, Vote::Part { .. }));
        let followed = self.followers() >= FEWEST_FOLLOWERS;
        let silent = self.count(|vote| vote == Vote::Silent);
        let points = self.count(|vote| vote == Vote::Points);
        let enough = at_least(agree + parts + points, share::NAMED);
        let undisputed = at_least(agree + parts + points + silent, share::UNDISPUTED);
        let by_name = self.followers() + parts > 0
            && match self.named {
                Named::AsKey => enough || undisputed,
                Named::AsWord => enough && undisputed,
                Named::Not => false,
            };
        let by_column = self.rule.is_column()
            && at_least(self.followers(), share::COLUMN)
            && followed
            && at_least(agree + parts, share::UNDISPUTED);
        let by_votes = followed && at_least(agree, share::FOLLOWED);
        let by_silence = followed && at_least(agree, share::FOLLOWED_UNDISPUTED) && undisputed;
        by_name || by_column || by_votes || by_silence
    }

    /// Whether a copy that goes on beyond the rule's place is cut to it.
    fn may_cut(&self) -> bool {
        !self.rule.end.is_space() || self.followers() * 100 >= self.votes.len() * share::SINGLE_WORDS
    }
}

fn vote(rule: &Rule, text: &str, copy: &Copy) -> Vote {
    let found = rule.extract(text).filter(|(_, value)| !value.is_empty() && *value != "-");
    match (found, copy) {
        (None, Copy::Absent | Copy::Name) => Vote::BothAbsent,
        (None, Copy::Value(_) | Copy::Garbled(_)) => Vote::Outside,
        (Some(_), Copy::Name) if matches!(rule.start, rule::Start::Key(_)) => Vote::Points,
        (Some(_), Copy::Absent | Copy::Name) => Vote::Silent,
        (Some((_, value)), Copy::Value(copied)) if value == copied => Vote::Follows,
        (Some((at, value)), Copy::Value(copied) | Copy::Garbled(copied)) => {
            let begins_here = text[at..].starts_with(copied.as_str());
            if begins_here || value.ends_with(copied.as_str()) {
                Vote::Part { longer: copied.len() > value.len() }
            } else if matches!(copy, Copy::Garbled(_)) {
                Vote::Silent
            } else {
                Vote::Contradicts
            }
        }
    }
}

/// The rules that the copies suggest, most suggested first, each with its votes.
fn candidates(field: &str, texts: &[&str], copies: &[Copy]) -> Vec<Used> {
    let mut suggested: BTreeMap<Rule, (Named, usize)> = BTreeMap::new();
    for (text, copy) in texts.iter().zip(copies) {
        let mut own: Vec<(Rule, Named)> =
            named_rules(text, field).into_iter().map(|rule| (rule, Named::AsKey)).collect();
        if own.is_empty() {
            own.extend(worded_rules(text, field).into_iter().map(|rule| (rule, Named::AsWord)));
        }
        if let Copy::Value(value) = copy {
            let places = text.match_indices(value.as_str()).take(MOST_PLACES);
            own.extend(places.flat_map(|(at, _)| rules_for(text, at, at + value.len())).map(|rule| {
                let named =
                    matches!(&rule.start, rule::Start::Key(key) if folded_name(key) == folded_name(field));
                (rule, if named { Named::AsKey } else { Named::Not })
            }));
        }
        own.sort();
        own.dedup();
        for (rule, named) in own {
            suggested.entry(rule).or_insert((named, 0)).1 += 1;
        }
    }
    let mut ranked: Vec<(Rule, (Named, usize))> = suggested.into_iter().collect();
    ranked.sort_by_key(|(_, (named, times))| std::cmp::Reverse((*times, *named)));
    ranked.truncate(MOST_RULES);
    ranked.into_iter().map(|(rule, (named, _))| Used::new(rule, named, texts, copies)).collect()
}

/// Lines that disagree with the best rule together, in one place of their own: a second template, or a
/// mistake that the model makes again and again. Code cannot tell which, and overrules none of them.
fn second_template(best: &Used, uses: &[Used]) -> Vec<bool> {
    let lines = best.votes.len();
    let mut second = vec![false; lines];
    for used in uses {
        let applies = used.count(|vote| !matches!(vote, Vote::BothAbsent | Vote::Outside));
        let consistent = used.followers() * 100 >= applies * share::SECOND_FOLLOWED;
        let own: Vec<usize> = (0..lines)
            .filter(|&at| used.votes[at] == Vote::Follows)
            .filter(|&at| matches!(best.votes[at], Vote::Contradicts | Vote::Outside))
            .collect();
        if consistent && own.len() >= FEWEST_FOLLOWERS && own.len() * 100 >= lines * share::SECOND {
            for at in own {
                second[at] = true;
            }
        }
    }
    second
}
