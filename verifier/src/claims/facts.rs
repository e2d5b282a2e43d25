//! What code can hold a claim to: its numbers, dates and names.
//!
//! Numbers are compared by value and unit ([`crate::value`]), in digits or in words: "two years" is 24 months, `1.500`
//! may be either number. Dates are read in the notations of three languages. A name is a capitalised word that is no
//! ordinary word of its document ([`Lexicon`]): German writes every noun with a capital letter, and a sentence begins
//! with one everywhere.

use std::collections::HashSet;

use rust_decimal::Decimal;

use super::dates::{self, Dated, is_ordinal};
use super::language::{self, Language, Unit};
use super::token::{Kind, Token, tokens};
use crate::value::Quantity;

/// What a number does where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It says how much, or when.
    Plain,
    /// It says which part of a text: "section 4".
    Reference,
    /// It numbers an entry of a list: "(2)".
    Marker,
}

/// A number.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its value, and a second one where its mark may group or divide.
    pub values: Vec<Decimal>,
    /// What it counts, where that is a unit of measure.
    pub unit: Option<Unit>,
    /// What it does.
    pub role: Role,
    /// With the capitalised word before it, where there is one: a part of a name, as "tidewell 40" may be.
    pub named: Option<String>,
    /// As it stands.
    pub text: String,
}

/// The facts of a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Numbers that are no part of a date.
    pub figures: Vec<Figure>,
    /// Numbers in words of what is no unit of measure, "one of five ways": they bear others out and need not be borne out
    /// themselves, because the reader may have counted the entries of a list.
    pub counts: Vec<Figure>,
    /// Dates.
    pub dates: Vec<Dated>,
    /// Times of day, in minutes.
    pub times: Vec<(u32, String)>,
    /// Names, as they stand, and words with digits in them.
    pub names: Vec<String>,
    /// How many words negate.
    pub negations: usize,
}

/// Which words of a document are ordinary ones.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    lower: HashSet<String>,
    /// Capitalised within a sentence.
    capitalised: HashSet<String>,
    /// Capitalised after a German determiner.
    determined: HashSet<String>,
    /// Capitalised after an English article, as "the Initial Developer": a role and no name.
    roles: HashSet<String>,
    /// Capitalised after a title or beside another such word, as "Herr Weber" and "Anna Weber" are.
    shown: HashSet<String>,
    /// Numbers as they stand.
    numbers: HashSet<String>,
    /// Numbers with the capitalised word before them.
    named: HashSet<String>,
}

impl Lexicon {
    /// Learns from a document.
    pub fn of(text: &str) -> Self {
        let mut lexicon = Self::default();
        for line in text.lines() {
            lexicon.learn(line);
        }
        lexicon
    }

    fn learn(&mut self, line: &str) {
        let all = tokens(line);
        // A heading writes ordinary words with capital letters.
        let is_heading = all
            .iter()
            .filter(|token| token.kind == Kind::Word && token.text.chars().count() > 3)
            .all(Token::is_capitalised);
        let mut last: Option<&Token<'_>> = None;
        for token in &all {
            if token.kind == Kind::Digits {
                self.numbers.insert(token.text.to_owned());
                self.named.extend(last.and_then(|last| named(last, token)));
            } else if matches!(token.kind, Kind::Word | Kind::Mixed) {
                let lower = token.text.to_lowercase();
                if !token.is_capitalised() {
                    self.lower.insert(lower);
                } else if !is_heading && !token.begins && !token.begins_line {
                    if last.is_some_and(|last| language::is_determiner(last.text)) {
                        self.determined.insert(lower.clone());
                    }
                    self.capitalised.insert(lower);
                }
            }
            last = Some(token);
        }
        self.learn_pairs(line, &all);
        if !is_heading {
            self.learn_roles(line, &all);
        }
    }

    /// What an English article stands before, and the word behind that: "the Initial Developer".
    fn learn_roles(&mut self, line: &str, all: &[Token<'_>]) {
        for (at, article) in all.iter().enumerate().filter(|(_, token)| language::is_article(token.text)) {
            let mut end = article.start + article.text.len();
            for token in all[at + 1..].iter().take(2) {
                if !token.is_capitalised() || &line[end..token.start] != " " {
                    break;
                }
                self.roles.insert(token.text.to_lowercase());
                end = token.start + token.text.len();
            }
        }
    }

    /// What a line shows as a name: a capitalised word after a title, or beside another one that is no unit and no month.
    fn learn_pairs(&mut self, line: &str, all: &[Token<'_>]) {
        for [left, right] in all.array_windows() {
            let between = &line[left.start + left.text.len()..right.start];
            let is_word = |token: &Token<'_>| token.kind == Kind::Word && token.is_capitalised();
            if !is_word(left) || !is_word(right) {
                continue;
            }
            if language::is_title(left.text) && matches!(between, " " | ". ") {
                self.shown.insert(right.text.to_lowercase());
            } else if between == " " && [left, right].iter().all(|token| may_be_name(token.text)) {
                self.shown.extend([left, right].map(|token| token.text.to_lowercase()));
            }
        }
    }

    /// Whether a number stands anywhere, as the number of a section may.
    pub fn has_number(&self, digits: &str) -> bool {
        self.numbers.contains(digits)
    }

    /// Whether a number stands anywhere with the same capitalised word before it, as a part of a name does.
    pub fn has_named(&self, named: &str) -> bool {
        self.named.contains(named)
    }

    fn is_name(&self, tokens: &[Token<'_>], at: usize, language: Language) -> bool {
        let token = &tokens[at];
        let lower = token.text.to_lowercase();
        let letters = token.text.chars().filter(|c| c.is_alphabetic()).count();
        if letters < 2 || language::is_reference(&lower) || !may_be_name(token.text) {
            return false;
        }
        let inner_capitals = token.text.chars().skip(1).any(char::is_uppercase);
        if inner_capitals {
            return true;
        }
        if self.lower.contains(&lower) {
            return false;
        }
        if language == Language::German {
            // A paraphrase may use a noun of its own, or one from elsewhere that stands there without an article: only what
            // the document shows as a name is told from nouns.
            return self.shown.contains(&lower)
                && !self.determined.contains(&lower)
                && !language::is_german_noun(&lower);
        }
        if self.roles.contains(&lower) {
            return false;
        }
        let beside = |other: Option<&Token<'_>>| {
            other.is_some_and(|other| other.kind == Kind::Word && other.is_capitalised())
        };
        let is_pair = beside(tokens.get(at + 1)) && !tokens[at + 1].begins;
        !token.begins || self.capitalised.contains(&lower) || is_pair
    }
}

impl Facts {
    /// Reads a claim, whose names are told by the document's words.
    pub fn of(text: &str, lexicon: &Lexicon) -> Self {
        let tokens = tokens(text);
        let language = Language::of(text);
        let mut facts = Self::default();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if let Some(found) = dates::read(&tokens, at) {
                if found.takes_figure {
                    facts.figures.pop();
                }
                facts.dates.extend(found.dates);
                facts.times.extend(found.time);
                at += found.used;
                continue;
            }
            if let Some(used) = facts.read_figure(&tokens, at) {
                at += used;
                continue;
            }
            facts.negations += usize::from(language::negates(token));
            let is_name = match token.kind {
                Kind::Mixed => true,
                Kind::Word => token.is_capitalised() && lexicon.is_name(&tokens, at, language),
                Kind::Digits | Kind::Sign => false,
            };
            if is_name {
                facts.names.push(token.text.to_owned());
            }
            at += 1;
        }
        facts
    }

    fn read_figure(&mut self, tokens: &[Token<'_>], at: usize) -> Option<usize> {
        let token = tokens[at];
        let mut used = 1;
        let mut text = token.text.to_owned();
        let mut values = match token.kind {
            Kind::Digits => values_of(token),
            Kind::Word => vec![Decimal::from(language::number_word(token.text)?)],
            Kind::Mixed | Kind::Sign => return None,
        };
        if values.is_empty() {
            // `1887-1889`, `10.0.0.1`: several numbers.
            for part in token.text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()) {
                let values = Decimal::from_str_exact(part).ok().into_iter().collect();
                let text = part.to_owned();
                self.figures.push(Figure { values, unit: None, role: Role::Plain, named: None, text });
            }
            return Some(1);
        }
        // `thirty (30) days`: the number in words is repeated, and the unit follows the brackets.
        let mut next = at + 1;
        if token.kind == Kind::Word
            && let [open, number, close, ..] = tokens.get(next..).unwrap_or_default()
            && (open.text, close.text) == ("(", ")")
            && values_of(*number) == values
        {
            next += 3;
            used += 3;
        }
        if tokens.get(next).is_some_and(|word| word.attached && is_ordinal(word.text)) {
            next += 1;
            used += 1;
        }
        if let Some(factor) = tokens.get(next).and_then(|word| language::magnitude(word.text)) {
            for value in &mut values {
                *value = value.checked_mul(Decimal::from(factor)).unwrap_or(*value);
            }
            text = format!("{text} {}", tokens[next].text);
            next += 1;
            used += 1;
        }
        // The unit may follow brackets: "thirty (30) days".
        let after = tokens
            .get(next)
            .filter(|word| !word.begins || word.kind == Kind::Sign || tokens[next - 1].text == ")");
        let is_unit = |token: &&Token<'_>| matches!(token.kind, Kind::Word | Kind::Sign);
        let mut unit = after.filter(is_unit).and_then(|word| language::unit(word.text));
        // `30 calendar days`, `drei volle Monate`.
        if unit.is_none()
            && after.is_some_and(|word| word.kind == Kind::Word && !language::is_function_word(word.text))
            && let Some(second) = tokens.get(next + 1).filter(|word| word.kind == Kind::Word && !word.begins)
        {
            unit = language::unit(second.text);
        } else if unit.is_some() {
            text = format!("{text} {}", tokens[next].text);
        }
        if unit.is_none() && at > 0 && "$€£¥₿".contains(tokens[at - 1].text)
            || at > 0 && is_code(tokens[at - 1].text)
        {
            unit = unit.or_else(|| language::unit(tokens[at - 1].text));
        }
        if token.kind == Kind::Word && unit.is_none() {
            self.counts.push(Figure { values, unit, role: Role::Plain, named: None, text });
            return Some(used);
        }
        let role = role(tokens, at, used, unit.is_some());
        let named = at.checked_sub(1).and_then(|before| named(&tokens[before], &token));
        self.figures.push(Figure { values, unit, role, named, text });
        Some(used)
    }
}

impl Figure {
    /// Whether this number of a document bears `claimed` out.
    pub fn bears_out(&self, claimed: &Self) -> bool {
        let equal = |ours: Decimal, theirs: Decimal| {
            self.values.iter().any(|value| {
                claimed.values.iter().any(|other| {
                    value.checked_mul(ours).is_some_and(|value| other.checked_mul(theirs) == Some(value))
                })
            })
        };
        match (self.unit, claimed.unit) {
            (Some(ours), Some(theirs)) => ours.base == theirs.base && equal(ours.factor, theirs.factor),
            (None, Some(_)) => self.role == Role::Plain && equal(Decimal::ONE, Decimal::ONE),
            (_, None) => equal(Decimal::ONE, Decimal::ONE),
        }
    }
}

/// A number with the capitalised word before it.
fn named(word: &Token<'_>, number: &Token<'_>) -> Option<String> {
    let is_word = word.kind == Kind::Word && word.is_capitalised() && number.kind == Kind::Digits;
    is_word.then(|| format!("{} {}", word.text.to_lowercase(), number.text))
}

/// Whether a capitalised word may be a name by itself.
fn may_be_name(word: &str) -> bool {
    !language::is_function_word(word)
        && !language::is_title(word)
        && language::month(word).is_none()
        && language::number_word(word).is_none()
        && language::unit(word).is_none()
}

/// The value of digits, and the other one where a single mark may group or divide.
fn values_of(token: Token<'_>) -> Vec<Decimal> {
    let Some(first) = Quantity::parse(token.text).map(|quantity| quantity.amount) else { return Vec::new() };
    let sign = if matches!(token.before, Some('-' | '−')) && !token.attached {
        -Decimal::ONE
    } else {
        Decimal::ONE
    };
    let mut values = vec![first * sign];
    let marks: Vec<char> = token.text.chars().filter(|c| !c.is_ascii_digit()).collect();
    if let ['.' | ','] = marks[..]
        && let Some((whole, rest)) = token.text.split_once(['.', ','])
        && rest.len() == 3
        && (1..=3).contains(&whole.len())
    {
        for text in [format!("{whole}{rest}"), format!("{whole}.{rest}")] {
            values.extend(Decimal::from_str_exact(&text).ok().filter(|value| *value != first));
        }
    }
    values
}

fn role(tokens: &[Token<'_>], at: usize, used: usize, has_unit: bool) -> Role {
    let before = at.checked_sub(1).map(|before| tokens[before]);
    let in_brackets = before.is_some_and(|before| before.text == "(")
        && tokens.get(at + used).is_some_and(|after| after.text == ")");
    let opens_line = tokens[at].begins_line && matches!(tokens[at].after, Some('.' | ')'));
    // "(900)" is an amount, "(2)" an entry of a list.
    let is_small = tokens[at].text.len() <= 2;
    if has_unit {
        Role::Plain
    } else if is_small && (in_brackets || opens_line) {
        Role::Marker
    } else if is_reference(tokens, at) {
        Role::Reference
    } else {
        Role::Plain
    }
}

/// "section 4", and the 5 of "sections 4 and 5".
fn is_reference(tokens: &[Token<'_>], at: usize) -> bool {
    // Far enough for "sections 4, 5, 6, 7 and 8", and no longer for a line of numbers alone.
    const LOOKS_BACK: usize = 8;
    let links = |token: &Token<'_>| {
        token.kind == Kind::Digits
            || matches!(token.text, "and" | "or" | "to" | "und" | "oder" | "bis" | "et" | "ou" | "à")
    };
    let before = tokens[..at].iter().rev().take(LOOKS_BACK).find(|token| !links(token));
    before.is_some_and(|token| language::is_reference(token.text))
}

fn is_code(text: &str) -> bool {
    text.len() == 3 && text.chars().all(|c| c.is_ascii_uppercase()) && crate::value::measure(text).is_some()
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod tests;
