//! Questions that work on this very file.

use super::Answer;
use crate::column::Kind;
use crate::table::Table;

/// How many are offered.
const COUNT: usize = 2;

impl Table {
    /// Two questions that this table answers.
    pub(super) fn suggestions(&self) -> Vec<String> {
        let mut candidates = Vec::new();
        let category =
            self.columns.iter().find(|column| matches!(column.kind, Kind::Text { is_enumeration: true }));
        if let Some(column) = self.measures().first().map(|index| &self.columns[*index]) {
            candidates.push(format!("What is the average \"{}\"?", column.name));
            if let Some(category) = category {
                candidates.push(format!("What is the total \"{}\" per \"{}\"?", column.name, category.name));
            }
        }
        if let Some(category) = category {
            candidates.push(format!("How many records are there per \"{}\"?", category.name));
        }
        candidates.push("How many records are there?".to_owned());
        candidates.push("How many lines are in the file?".to_owned());
        candidates.retain(|question| self.understands(question));
        candidates.truncate(COUNT);
        candidates
    }

    /// Whether a question has one reading, without making suggestions for it.
    fn understands(&self, question: &str) -> bool {
        let pieces = super::pieces::pieces(self, &super::tokens::tokens(question));
        let readings = self.readings(&pieces);
        let doubtful = |reading: &super::Reading| {
            reading.query.columns().iter().any(|column| self.columns[*column].doubt.is_some())
        };
        readings.len() == 1 && !readings.iter().any(doubtful) && self.run(&readings[0].query).is_ok()
    }
}

impl Answer {
    /// The one answer, if there is one.
    pub fn unique(&self) -> Option<&super::Answered> {
        if let Self::Unique(answered) = self { Some(answered) } else { None }
    }
}
