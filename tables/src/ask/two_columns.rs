//! Comparisons that concern two columns: one with another, or both with a number.

use super::frame::Parser;
use super::lexicon::Word;
use super::pieces::Meaning;
use super::tokens::Quantity;
use crate::query::{Comparison, Filter, Literal};

impl Parser<'_> {
    /// `less than 50 in both maths and science`: said of two columns.
    pub(super) fn of_both(
        &mut self,
        comparison: Comparison,
        quantity: &Quantity,
        number: usize,
    ) -> Option<Filter> {
        let first = number + 1 + self.fillers(number + 1);
        let joint = first + 1 + self.fillers(first + 1);
        let second = joint + 1 + self.fillers(joint + 1);
        let (Meaning::Column(column), Word::And, Meaning::Column(other)) =
            (self.peek(first)?.clone(), self.word(joint)?, self.peek(second)?.clone())
        else {
            return None;
        };
        let says_both = self.texts[self.at + number..self.at + second]
            .iter()
            .any(|text| ["both", "each", "beiden", "sowohl"].contains(&text.to_lowercase().as_str()));
        if !says_both || !self.are_comparable(column, other) {
            return None;
        }
        let mut of =
            |column| Some(Filter::Compare { column, comparison, value: self.literal(column, quantity)? });
        let filter = Filter::And(vec![of(column)?, of(other)?]);
        self.at += second + 1;
        self.frame.doubt.guesses += 1;
        Some(filter)
    }

    /// The only column whose name is a part of another's, which bounds it: `stock` of `minimum stock`.
    pub(super) fn bounded_by(&self, other: usize) -> Option<usize> {
        let bound = crate::words::fold(&self.table.columns[other].name);
        let mut found = (0..self.table.columns.len()).filter(|column| {
            let name = crate::words::fold(&self.table.columns[*column].name);
            *column != other
                && name.chars().count() > 3
                && bound.contains(&name)
                && self.are_comparable(*column, other)
        });
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// `did better in Maths than in English`
    pub(super) fn better(&mut self, is_more: bool) -> Option<Filter> {
        let first = 1 + self.fillers(1);
        let than = first + 1;
        let second = than + 1 + self.fillers(than + 1);
        let (Meaning::Column(column), Meaning::Column(other)) = (self.peek(first)?, self.peek(second)?)
        else {
            return None;
        };
        let is_than = self.word(than) == Some(Word::Than)
            || self.texts.get(self.at + than).is_some_and(|text| text.eq_ignore_ascii_case("als"));
        if !is_than || !self.are_comparable(*column, *other) {
            return None;
        }
        let is_larger = is_more != self.table.is_better_when_small(*column);
        let comparison = if is_larger { Comparison::Greater } else { Comparison::Less };
        let filter = Filter::Compare { column: *column, comparison, value: Literal::Column(*other) };
        self.at += second + 1;
        self.frame.doubt.guesses += 3;
        let word = if is_larger == is_more { "larger" } else { "smaller" };
        self.frame.doubt.notes.push(format!("better was taken as a {word} number"));
        Some(filter)
    }

    /// Whether the values of two columns can be compared with each other as they stand.
    pub(super) fn are_comparable(&self, left: usize, right: usize) -> bool {
        let (left, right) = (&self.table.columns[left], &self.table.columns[right]);
        let are_amounts = left.is_numeric() && right.is_numeric() && left.unit_label() == right.unit_label();
        are_amounts && left.currency_column == right.currency_column
            || left.is_moment() && right.is_moment() && left.kind == right.kind
    }
}
