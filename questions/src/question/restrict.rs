//! What is said of a noun: the conditions behind it.

use super::fields::Values;
use super::lexicon::COMPARISONS;
use super::phrase::{Field, OpenEnd, Phrase, comparable};
use crate::query::{Comparison, Condition};

/// Words that say that a clause follows, and nothing else.
const LINKS: [&str; 7] = [", and", "and", ",", "that", "which", "who", "where"];

/// Verbs before a participle: "orders that were refunded".
const AUXILIARIES: [&str; 12] = [
    "have been",
    "has been",
    "had been",
    "are",
    "were",
    "is",
    "was",
    "got",
    "marked as",
    "marked",
    "have",
    "has",
];

/// Words before a field: "with status failed".
const BEFORE_FIELD: [&str; 20] = [
    "with an",
    "with a",
    "with the",
    "with",
    "having an",
    "having a",
    "having the",
    "having",
    "where the",
    "where",
    "whose",
    "have an",
    "have a",
    "have the",
    "have",
    "has an",
    "has a",
    "has the",
    "has",
    "had",
];

/// Prepositions before a value whose field is known, or before the field itself.
const PREPOSITIONS: [&str; 15] = [
    "placed by",
    "made by",
    "belonging to",
    "belong to",
    "of the",
    "by the",
    "from the",
    "for the",
    "of",
    "by",
    "from",
    "for",
    "in",
    "at",
    "to",
];

const MENTIONS: [&str; 10] = [
    "mentioning",
    "mentions",
    "mention",
    "containing",
    "contains",
    "contain",
    "including",
    "includes",
    "include",
    "with",
];

const TEXT_NOUNS: [&str; 8] =
    ["the exact text", "the words", "the word", "the text", "the phrase", "the string", "the term", "text"];

impl Phrase<'_> {
    /// Reads all conditions that stand here; how many there were.
    pub fn restrictions(&mut self) -> usize {
        let before = self.conditions.len();
        while self.attempt(Self::restriction).is_some() {}
        self.conditions.len() - before
    }

    fn restriction(&mut self) -> Option<()> {
        let link = self.eat_any(&LINKS);
        // "where" and "that" open field clauses of their own; a bare "and" may continue one.
        let continues = matches!(link, Some(", and" | "and" | "," | "where")) && !self.conditions.is_empty()
            || link == Some("where");
        if link.is_some() {
            self.eat_any(&["that", "which", "who"]);
        } else if self.open_end == OpenEnd::Words {
            return None;
        }
        let needs_auxiliary = match self.open_end {
            OpenEnd::Closed => false,
            OpenEnd::Word => link.is_none(),
            OpenEnd::Words | OpenEnd::Quotation => true,
        };
        self.open_end = OpenEnd::Closed;
        self.attempt(Self::mention)
            .or_else(|| self.attempt(|phrase| phrase.field_clause(continues)))
            .or_else(|| self.attempt(Self::moment_clause))
            .or_else(|| self.attempt(Self::of_someone))
            .or_else(|| self.attempt(|phrase| phrase.participle(needs_auxiliary)))
    }

    /// `that mention timeout`, `containing "card declined"`.
    fn mention(&mut self) -> Option<()> {
        let verb = self.eat_any(&MENTIONS)?;
        let named = self.eat_any(&TEXT_NOUNS).is_some();
        // "with timeout" may mean a field; "with the word timeout" does not.
        if verb == "with" && !named {
            return None;
        }
        let quoted = self.at_quotation();
        let value = self.value(None)?;
        self.open_end = if quoted { OpenEnd::Quotation } else { OpenEnd::Words };
        self.conditions.push(Condition { field: "line".into(), comparison: Comparison::Contains, value });
        Some(())
    }

    /// `with status failed`, `whose amount is over 100 EUR`, `amount >= 100`.
    fn field_clause(&mut self, continues: bool) -> Option<()> {
        let opened = self.eat_any(&BEFORE_FIELD).is_some() || continues;
        if continues {
            self.eat("the");
        }
        let field = self.field()?;
        let copula = self.eat_any(&["is", "are", "was", "were", "of", ":", "set to"]).is_some();
        if self.eat("between") {
            return self.between(&field);
        }
        let comparison =
            COMPARISONS.iter().find(|(words, _)| self.eat(words)).map(|&(_, comparison)| comparison);
        let symbol = comparison.is_some() || copula;
        if !opened && !symbol {
            return None;
        }
        let quoted = self.at_quotation();
        let value = self.value(Some(&field))?;
        self.open_end = if quoted { OpenEnd::Closed } else { OpenEnd::Word };
        let comparison = match comparison {
            Some(comparison) => comparison,
            None if self.eat_any(&["or more", "or higher", "or above", "or greater"]).is_some() => {
                Comparison::AtLeast
            }
            None if self.eat_any(&["or less", "or lower", "or below"]).is_some() => Comparison::AtMost,
            None => Comparison::Equal,
        };
        self.push(&field, comparison, value)
    }

    fn between(&mut self, field: &Field) -> Option<()> {
        let low = self.value(Some(field))?;
        if !self.eat("and") {
            return None;
        }
        let high = self.value(Some(field))?;
        self.push(field, Comparison::AtLeast, low)?;
        self.push(field, Comparison::AtMost, high)
    }

    /// `after 2026-03-04`: needs the one field that holds dates.
    fn moment_clause(&mut self) -> Option<()> {
        let words = self.eat_any(&["later than", "earlier than", "after", "before", "since", "on"])?;
        let comparison = match words {
            "after" | "later than" => Comparison::Greater,
            "before" | "earlier than" => Comparison::Less,
            "since" => Comparison::AtLeast,
            _ => Comparison::Equal,
        };
        let mut moments = self.hints.fields().iter().filter(|field| field.values == Values::Moments);
        let only = moments.next().filter(|_| moments.next().is_none())?;
        let field = Field { name: only.name.clone(), hint: Some(only) };
        let value = self.value(Some(&field))?;
        crate::dialect::Moment::parse(&value)?;
        self.push(&field, comparison, value)
    }

    /// `of mara.lindt`, `by user mara.lindt`, `of order 40117`, `at level WARN`.
    fn of_someone(&mut self) -> Option<()> {
        self.eat_any(&["are", "were", "is", "was"]);
        self.eat_any(&PREPOSITIONS)?;
        if let Some(condition) = self.attempt(Self::bare_value) {
            self.conditions.push(condition);
            return Some(());
        }
        let field = self.field()?;
        let value = self.value(Some(&field))?;
        self.push(&field, Comparison::Equal, value)
    }

    /// `that failed`, `were refunded`, `have been shipped`.
    fn participle(&mut self, needs_auxiliary: bool) -> Option<()> {
        if self.eat_any(&AUXILIARIES).is_none() && needs_auxiliary {
            return None;
        }
        let condition = self.bare_value()?;
        self.conditions.push(condition);
        Some(())
    }

    fn push(&mut self, field: &Field, comparison: Comparison, value: String) -> Option<()> {
        if !comparable(field, comparison, &value, self.hints) {
            return None;
        }
        self.conditions.push(Condition { field: field.name.clone(), comparison, value });
        Some(())
    }
}
