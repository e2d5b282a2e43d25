//! The parser's position in a question, and the words, fields and values at it.

use super::fields::{FieldHint, FieldHints, Values, spelled};
use super::lexicon::{
    CORE_FIELDS, CORE_KEYS, CORE_NUMBERS, GENERIC_NOUNS, IDENTIFIERS, LEVEL_FIELDS, TOO_GENERAL, is_frame,
    singular,
};
use super::tokens::Token;
use crate::dialect::{Quantity, Scalar};
use crate::query::{Comparison, Condition};

/// A field that the question names and the documents have.
#[derive(Debug, Clone)]
pub struct Field<'hints> {
    /// The name as the documents write it.
    pub name: String,
    /// What is known of it; nothing in documents that name no fields.
    pub hint: Option<&'hints FieldHint>,
}

impl Field<'_> {
    /// Whether it tells records apart.
    pub fn names_record(&self) -> bool {
        self.hint.map_or_else(|| CORE_KEYS.contains(&self.name.as_str()), |hint| hint.names_record)
    }

    /// Whether its values can be added up.
    pub fn can_be_added(&self) -> bool {
        let spelled = spelled(&self.name);
        let last = spelled.rsplit(' ').next().unwrap_or_default();
        let numeric =
            self.hint.map_or_else(|| CORE_NUMBERS.contains(&last), |hint| hint.values == Values::Numbers);
        numeric && !IDENTIFIERS.contains(&last)
    }
}

/// What a question is about.
#[derive(Debug, Clone)]
pub enum Noun<'hints> {
    /// Any record.
    Record,
    /// The records, called by the field that tells them apart.
    Key(Field<'hints>),
    /// A field of which several records may have the same value.
    Field(Field<'hints>),
}

/// Whether the last value could go on with the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenEnd {
    /// It could not.
    Closed,
    /// A field's value could have a second word: "reason card declined".
    Word,
    /// Text without quotation marks could have many: "mention refund of mara.lindt".
    Words,
    /// It could not, but another text could follow: “mention "refund" and failed”.
    Quotation,
}

/// The position in a question.
#[derive(Clone)]
pub struct Phrase<'run> {
    question: &'run str,
    tokens: &'run [Token],
    at: usize,
    /// What the documents call things.
    pub hints: &'run FieldHints,
    /// The conditions read so far.
    pub conditions: Vec<Condition>,
    /// Whether the condition read last has an end.
    pub open_end: OpenEnd,
}

impl<'run> Phrase<'run> {
    /// The beginning of a question.
    pub fn new(question: &'run str, tokens: &'run [Token], hints: &'run FieldHints) -> Self {
        Self { question, tokens, at: 0, hints, conditions: Vec::new(), open_end: OpenEnd::Closed }
    }

    /// Whether every word was read.
    pub fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Whether a quotation stands here.
    pub fn at_quotation(&self) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token.quoted)
    }

    /// Reads the given words.
    pub fn eat(&mut self, words: &str) -> bool {
        let mut at = self.at;
        for word in words.split(' ') {
            match self.tokens.get(at) {
                Some(token) if !token.quoted && token.lower == word => at += 1,
                _ => return false,
            }
        }
        self.at = at;
        true
    }

    /// Reads the first of several phrases that stands here.
    pub fn eat_any<'words>(&mut self, phrases: &[&'words str]) -> Option<&'words str> {
        phrases.iter().find(|words| self.eat(words)).copied()
    }

    /// Reads something, or nothing at all.
    pub fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = self.clone();
        let result = read(self);
        if result.is_none() {
            *self = before;
        }
        result
    }

    /// Reads a field's name, at most three words, in the singular or the plural.
    pub fn field(&mut self) -> Option<Field<'run>> {
        for length in (1..=3).rev() {
            let Some(words) = self.words(length) else { continue };
            let field = self.field_called(&words).or_else(|| self.field_called(&singular(&words)?));
            if let Some(field) = field {
                self.at += length;
                return Some(field);
            }
        }
        None
    }

    /// Reads a noun with the adjectives before it, which become conditions.
    pub fn noun(&mut self) -> Option<Noun<'run>> {
        self.eat_any(&["all of the", "all the", "all", "the", "any", "every", "an", "a"]);
        for _ in 0..2 {
            if self.noun_here().is_some() {
                break;
            }
            let condition = self.attempt(Self::bare_value)?;
            self.conditions.push(condition);
        }
        let (noun, length) = self.noun_here()?;
        self.at += length;
        Some(noun)
    }

    /// Reads `errors` or `warnings` as the records of that level.
    pub fn level_noun(&mut self) -> Option<()> {
        let token = self.tokens.get(self.at).filter(|token| !token.quoted)?;
        let plural = token.lower.strip_suffix('s')?;
        let hints = self.hints;
        let hint = self.only_field(&LEVEL_FIELDS);
        if hint.is_none() && !hints.is_empty() {
            return None;
        }
        let field = hint.map_or("level", |hint| &hint.name).to_owned();
        let seen = |word: &str| {
            hint.map_or_else(|| hints.levels().contains(word), |hint| hints.has_value(hint, word))
        };
        let value = match plural {
            // Fatal errors are errors too: the count of level ERROR would leave them out.
            "error" if !["fatal", "critical", "err"].iter().any(|worse| seen(worse)) => "error",
            "warning" if seen("warn") && !seen("warning") => "warn",
            "warning" => "warning",
            _ => return None,
        };
        if !seen(value) {
            return None;
        }
        let value = self.question[token.range.clone()].get(..value.len())?.to_owned();
        self.at += 1;
        self.conditions.push(Condition { field, comparison: Comparison::Equal, value });
        Some(())
    }

    /// Reads one word that is known to be the value of one field: `failed`, `ERROR`, `mara.lindt`.
    pub fn bare_value(&mut self) -> Option<Condition> {
        let token = self.tokens.get(self.at).filter(|token| !token.quoted)?;
        let value = &self.question[token.range.clone()];
        let field = self.field_of(value)?;
        self.at += 1;
        Some(Condition { field, comparison: Comparison::Equal, value: value.to_owned() })
    }

    /// Reads a value for a field: a quotation, a number with its unit, words known to be a value of
    /// the field, or one word.
    pub fn value(&mut self, field: Option<&Field>) -> Option<String> {
        let token = self.tokens.get(self.at)?;
        if token.quoted {
            self.at += 1;
            return Some(self.question[token.range.clone()].trim().to_owned());
        }
        let hint = field.and_then(|field| field.hint);
        for length in (2..=4).rev() {
            let Some(text) = self.text(length) else { continue };
            let known = hint.is_some_and(|hint| self.hints.has_value(hint, text));
            if known || Quantity::parse(text).is_some() {
                self.at += length;
                return Some(text.to_owned());
            }
        }
        let word = self.question[token.range.clone()].trim_start_matches('#');
        let is_word = word.chars().any(char::is_alphanumeric);
        if !is_word || is_frame(&token.lower) {
            return None;
        }
        self.at += 1;
        Some(word.to_owned())
    }

    /// Whether the named field tells records apart.
    pub fn is_key(&self, name: &str) -> bool {
        self.field_called(name).is_some_and(|field| field.names_record())
    }

    /// The one field among the documents' whose name is in the list.
    fn only_field(&self, names: &[&str]) -> Option<&'run FieldHint> {
        let is_meant = |field: &&FieldHint| names.contains(&spelled(&field.name).as_str());
        let mut meant = self.hints.fields().iter().filter(is_meant);
        let only = meant.next()?;
        meant.next().is_none().then_some(only)
    }

    fn field_of(&self, value: &str) -> Option<String> {
        let lower = value.to_lowercase();
        if is_frame(&lower) || self.field_called(&lower).is_some() {
            return None;
        }
        let owners = self.hints.owners(value);
        match owners.as_slice() {
            [only] => return Some(only.name.clone()),
            [] => {}
            _ => return None,
        }
        // Where fields have names, a word that was never seen as a value may be another field's,
        // or the documents may say it in other words.
        if self.hints.is_empty() {
            if self.hints.levels().contains(&lower) {
                return Some("level".to_owned());
            }
            if self.hints.statuses().contains(&lower) {
                return Some("status".to_owned());
            }
        }
        let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
        let numbered = stem.len() < lower.len() && stem.len() > 2 && stem.chars().all(char::is_alphabetic);
        let field = numbered.then(|| self.field_called(stem)).flatten()?;
        let is_name = field.hint.is_none_or(|hint| hint.values == Values::Words);
        (is_name && !field.can_be_added()).then_some(field.name)
    }

    fn field_called(&self, words: &str) -> Option<Field<'run>> {
        let spelled_words = spelled(words);
        if self.hints.is_empty() {
            let known = CORE_FIELDS.contains(&spelled_words.as_str());
            return known.then_some(Field { name: spelled_words, hint: None });
        }
        let hint = self.hints.named(words)?;
        let exact = spelled(&hint.name) == spelled_words;
        if !exact && (TOO_GENERAL.contains(&spelled_words.as_str()) || is_frame(&spelled_words)) {
            return None;
        }
        (hint.name != "line").then(|| Field { name: hint.name.clone(), hint: Some(hint) })
    }

    fn noun_here(&self) -> Option<(Noun<'run>, usize)> {
        for length in (1..=3).rev() {
            let Some(words) = self.words(length) else { continue };
            if GENERIC_NOUNS.iter().any(|(one, many)| *one == words || *many == words) {
                return Some((Noun::Record, length));
            }
            let one = singular(&words);
            let many = if one.is_some() { words.clone() } else { format!("{words}s") };
            let one = one.unwrap_or_else(|| words.clone());
            let field = self.field_called(&words).or_else(|| self.field_called(&one));
            match field {
                Some(field) if field.names_record() => return Some((Noun::Key(field), length)),
                _ if self.hints.is_record_noun(&one, &many) => return Some((Noun::Record, length)),
                Some(field) => return Some((Noun::Field(field), length)),
                None => {}
            }
        }
        None
    }

    /// The next words in lower case, none of them quoted.
    fn words(&self, length: usize) -> Option<String> {
        let tokens = self.tokens.get(self.at..self.at + length)?;
        if tokens.iter().any(|token| token.quoted) {
            return None;
        }
        Some(tokens.iter().map(|token| token.lower.as_str()).collect::<Vec<_>>().join(" "))
    }

    /// The question's text of the next words, none of them quoted.
    fn text(&self, length: usize) -> Option<&'run str> {
        let tokens = self.tokens.get(self.at..self.at + length)?;
        let (first, last) = (tokens.first()?, tokens.last()?);
        let quoted = tokens.iter().any(|token| token.quoted);
        (!quoted).then(|| &self.question[first.range.start..last.range.end])
    }
}

/// Whether a field's values can stand in the comparison with the value.
pub fn comparable(field: &Field, comparison: Comparison, value: &str, hints: &FieldHints) -> bool {
    let scalar = Scalar::parse(value);
    let ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual | Comparison::Contains);
    if ordered && !matches!(scalar, Scalar::Number(_) | Scalar::Moment(_)) {
        return false;
    }
    let Some(hint) = field.hint else {
        return !ordered || CORE_NUMBERS.contains(&field.name.as_str());
    };
    match &scalar {
        Scalar::Number(quantity) => {
            (hint.values == Values::Numbers || !ordered) && unit_fits(quantity, hint, hints)
        }
        Scalar::Moment(_) => hint.values == Values::Moments || !ordered,
        _ if comparison == Comparison::Contains => true,
        _ => hint.values == Values::Words && !hints.only_resembles(hint, value),
    }
}

/// A unit in the question must be the documents' own: "over 2 s" says nothing about a column of
/// plain numbers, unless its name or a column of one currency says which they are.
fn unit_fits(quantity: &Quantity, hint: &FieldHint, hints: &FieldHints) -> bool {
    let Some(unit) = &quantity.unit else { return true };
    if !hint.units.is_empty() {
        let same_kind = |text: &String| {
            Quantity::parse(&format!("1 {text}"))
                .or_else(|| Quantity::parse(&format!("{text}1")))
                .is_some_and(|seen| seen.unit.is_some_and(|seen| seen.measure.kind == unit.measure.kind))
        };
        return hint.units.iter().all(same_kind);
    }
    let wanted = unit.text.to_lowercase();
    if spelled(&hint.name).split(' ').any(|word| word == wanted) {
        return true;
    }
    unit.measure.is_currency()
        && matches!(hints.owners(unit.measure.kind.name()).as_slice(), [only] if only.is_constant)
}
