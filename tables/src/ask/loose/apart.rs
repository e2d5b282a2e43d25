//! Values that no row has at once: either is meant, and often each for itself. And what all rows of a group come to.

use super::assembly::{Assembly, BOLD_GUESS};
use crate::ask::lexicon::Word;
use crate::ask::readings::names_rows;
use crate::query::{Aggregate, Filter, Function, Having, Key, Literal, Output, Query};
use crate::table::Table;
use crate::words;

/// `sales of Ada and Bob`: no cell says both, so either is meant. The column, if two were told apart.
pub(super) fn either(table: &Table, filter: Filter) -> (Option<Filter>, Option<usize>) {
    let parts = match filter {
        Filter::And(parts) => parts,
        Filter::In { column, ref values } if values.len() == 2 && !are_one(values) => {
            return (Some(filter), Some(column));
        }
        other => return (Some(other), None),
    };
    let mut kept: Vec<Filter> = Vec::new();
    let mut told_apart = None;
    for part in parts {
        if let Filter::In { column, values } = &part
            && let Some(Filter::In { values: earlier, .. }) = kept
                .iter_mut()
                .find(|other| matches!(other, Filter::In { column: same, .. } if same == column))
            && table.columns[*column].is_text()
        {
            earlier.extend(values.iter().cloned());
            told_apart = Some(*column);
            continue;
        }
        kept.push(part);
    }
    (Filter::all(kept), told_apart)
}

impl Assembly<'_> {
    /// `which owners owe us more than £200 altogether`: of all rows of each together.
    pub(super) fn groups_that_sum(&mut self) -> Option<Query> {
        let asks_which = self.frame.asks.iter().any(|ask| matches!(ask, Word::Which | Word::Who));
        let is_plain = self.frame.rank.extreme.is_none()
            && self.frame.rank.most.is_none()
            && self.frame.measure.function.as_ref().is_none_or(|function| *function == Function::Sum);
        let adds_up = self.frame.measure.in_total || self.frame.measure.function.is_some();
        if !asks_which || !is_plain || !adds_up {
            return None;
        }
        let parts = match self.filter.clone()? {
            Filter::And(parts) => parts,
            other => vec![other],
        };
        let is_of_amounts = |part: &Filter| matches!(part, Filter::Compare { column, value: Literal::Number(_), .. } if self.is_amount(*column));
        let at = parts.iter().position(is_of_amounts)?;
        let Filter::Compare { column, comparison, value: Literal::Number(value) } = parts[at].clone() else {
            return None;
        };
        let key = self
            .named
            .iter()
            .copied()
            .find(|column| self.is_free_text(*column))
            .or_else(|| self.who()?.first().copied())?;
        if names_rows(self.table, key) {
            return None;
        }
        self.named.retain(|other| *other != key && *other != column);
        self.frame.doubt.guesses += BOLD_GUESS;
        self.settle();
        let rest = parts.into_iter().enumerate().filter(|(index, _)| *index != at).map(|(_, part)| part);
        let there =
            (self.table.columns[key].missing > 0).then(|| Filter::Not(Box::new(Filter::Missing(key))));
        let aggregate = Aggregate::of(Function::Sum, column);
        Some(Query {
            filter: Filter::both(Filter::all(rest.collect()), there),
            groups: vec![Key::Column(key)],
            outputs: vec![Output::Key(0), Output::Aggregate(aggregate.clone())],
            having: vec![Having { aggregate, comparison, value }],
            ..Query::default()
        })
    }
}

/// Whether two texts are one value in two spellings.
fn are_one(values: &[Literal]) -> bool {
    let fold = |value: &Literal| match value {
        Literal::Text(text) => Some(words::fold(text)),
        _ => None,
    };
    values.windows(2).all(|pair| fold(&pair[0]) == fold(&pair[1]))
}
