//! Functions and groups of a question: `the average and maximum score`, `per region`, `by status`.

use super::frame::Parser;
use super::lexicon::{Hint, Word};
use super::pieces::Meaning;
use super::readings::names_rows;
use crate::query::{Function, Key};
use crate::{vocabulary, words};

impl Parser<'_> {
    /// `the average and the maximum score`, `the total stock and the average price`.
    pub(super) fn pairs_functions(&mut self, next: usize) -> bool {
        let follows = matches!(
            self.word(next),
            Some(Word::Sum | Word::Average | Word::Median | Word::Extreme(_, Hint::None) | Word::Deviation)
        );
        let extreme = self.frame.rank.extreme.filter(|(_, hint)| *hint == Hint::None);
        let function = self
            .frame
            .measure
            .function
            .clone()
            .or_else(|| extreme.map(|(largest, _)| if largest { Function::Max } else { Function::Min }));
        let (true, Some(function)) = (follows && self.frame.measure.earlier.len() < 4, function) else {
            return false;
        };
        let column =
            self.frame.named.columns.iter().rposition(|column| self.table.columns[*column].is_numeric());
        let column = column
            .map(|index| self.frame.named.columns.remove(index))
            .or_else(|| self.frame.named.asked.pop());
        self.frame.measure.earlier.push((function, column));
        self.frame.measure.function = None;
        self.frame.rank.extreme = None;
        true
    }

    /// `the maximum number of nights` is that of the column `nights`.
    pub(super) fn skip_number_of(&mut self) {
        let next = 1 + self.fillers(1);
        let column = next + 1 + self.fillers(next + 1);
        if self.word(next) == Some(Word::Count)
            && matches!(self.peek(column), Some(Meaning::Column(column)) if self.table.columns[*column].is_numeric())
        {
            self.at += next;
        }
    }

    pub(super) fn is_every_record(&self) -> bool {
        // `the average per order` is that of all orders; anything else per order is one number for each.
        if ["per", "pro", "je"].contains(&self.texts[self.at].to_lowercase().as_str())
            && self.frame.measure.function != Some(Function::Average)
        {
            return false;
        }
        // `for each of the vets` is one number for each of them.
        if self
            .texts
            .get(self.at + 1)
            .is_some_and(|next| matches!(next.to_lowercase().as_str(), "of" | "von" | "der"))
        {
            return false;
        }
        match self.peek(1 + self.fillers(1)) {
            Some(Meaning::Noun | Meaning::Word(Word::Records)) => true,
            Some(Meaning::Column(column)) => {
                let is_number = || self.table.holds_codes(*column) && self.table.is_unique(*column);
                (names_rows(self.table, *column) || is_number()) && !self.frame.named.asked.contains(column)
            }
            _ => false,
        }
    }

    pub(super) fn function(&mut self, function: Function) -> bool {
        // `total number of orders` is a count; two measures at once are not understood.
        let next = self.fillers(1) + 1;
        if function == Function::Sum && self.word(next) == Some(Word::Count) {
            self.at += 1;
            return true;
        }
        if self.frame.measure.function.is_some() {
            return false;
        }
        self.frame.measure.function = Some(function);
        self.skip_number_of();
        self.at += 1;
        true
    }

    fn key_at(&mut self, from: usize) -> Option<(Key, usize)> {
        let offset = from + self.fillers(from);
        match self.peek(offset)? {
            Meaning::Column(column) => Some((Key::Column(*column), offset + 1)),
            Meaning::Word(Word::Unit(bucket)) => {
                let column = self.moment_spoken_of()?;
                Some((Key::Bucket(column, *bucket), offset + 1))
            }
            _ => None,
        }
    }

    pub(super) fn group(&mut self) -> bool {
        let Some((key, length)) = self.key_at(1) else { return false };
        self.frame.parted.by.push(key);
        self.at += length;
        true
    }

    /// `top 3 countries by revenue`: by all that each of them brought.
    fn adds_up_for_each(&mut self, column: usize) {
        let mut named = self.frame.named.asked.iter().chain(&self.frame.named.columns);
        let is_group =
            named.any(|other| self.table.columns[*other].is_text() && !names_rows(self.table, *other));
        let mut parts = words::parts(&self.table.columns[column].name).into_iter();
        let is_amount = self.table.columns[column].is_numeric()
            && parts.any(|part| vocabulary::are_synonyms("amount", &part));
        if is_group && is_amount && self.frame.rank.top.is_some() && self.frame.measure.function.is_none() {
            self.frame.measure.function = Some(Function::Sum);
            self.frame.doubt.guesses += 3;
        }
    }

    /// `top 5 customers by revenue` orders, `total by region` groups.
    pub(super) fn by(&mut self) -> bool {
        // `written by each of the authors`
        if self.word(1 + self.fillers(1)) == Some(Word::Per) {
            self.at += 1;
            return true;
        }
        // `spent by users on each plan`: who did it, and not what it is parted by.
        let before = self.texts[..self.at].iter().rev().find(|text| !text.to_lowercase().ends_with("total"));
        let is_done = before.is_some_and(|text| {
            let text = text.to_lowercase();
            text.ends_with("ed") || ["spent", "paid", "sold", "made", "bought"].contains(&text.as_str())
        });
        let is_parted_behind = self.pieces[self.at..].contains(&Meaning::Word(Word::Per));
        if let (true, true, Some(Meaning::Column(_))) =
            (is_done, is_parted_behind, self.peek(1 + self.fillers(1)))
        {
            self.at += 2 + self.fillers(1);
            self.frame.doubt.guesses += 3;
            return true;
        }
        // `per month by invoice date`, `pro Monat nach Rechnungsdatum`
        let next = 1 + self.fillers(1);
        if let (Some(Meaning::Column(column)), Some(Key::Bucket(time, _))) =
            (self.peek(next), self.frame.parted.by.last_mut())
            && self.table.columns[*column].is_moment()
        {
            *time = *column;
            self.at += next + 1;
            return true;
        }
        // `sort the names by salary`
        if self.frame.asks.contains(&Word::Sorted) {
            return self.sort();
        }
        let ranks = self.frame.rank.top.is_some()
            || self.frame.asks.contains(&Word::Top)
            || self.frame.rank.extreme.is_some() && self.frame.measure.function.is_none();
        if !ranks {
            return self.group();
        }
        let next = 1 + self.fillers(1);
        match self.peek(next) {
            Some(Meaning::Column(column)) => {
                self.adds_up_for_each(*column);
                self.frame.named.columns.push(*column);
                self.at += next + 1;
                true
            }
            Some(Meaning::Word(Word::Sum | Word::Average | Word::Count | Word::Median)) => {
                self.at += 1;
                true
            }
            // `top 5 pages by hits`, but `by revenue` of `sales.csv` counts no sales.
            Some(Meaning::Noun | Meaning::Word(Word::Records))
                if !vocabulary::names_money(&[self.texts[self.at + next].to_lowercase()]) =>
            {
                self.frame.asks.push(Word::Count);
                self.frame.rows.records = true;
                self.at += next + 1;
                true
            }
            _ => false,
        }
    }
}
