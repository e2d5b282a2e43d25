//! What else a question may mean: for a person to choose from where code is not sure.

use super::{Answered, is_nothing};
use crate::table::Table;

/// Most readings that are offered beside the likeliest.
const MOST: usize = 2;

/// Most readings that are run to find them.
const MOST_TRIED: usize = 8;

/// How sure code is of any of them, at most.
const CONFIDENCE: f64 = 0.5;

impl Table {
    /// Less likely readings of a question than those of [`Table::ask`], the likelier ones first. Each finds something, and
    /// something else than the others.
    pub fn other_readings(&self, question: &str) -> Vec<Answered> {
        let Ok(mut readings) = self.candidates(question) else { return Vec::new() };
        readings.sort_by_key(|reading| reading.penalty);
        let best = readings.first().map(|reading| reading.penalty);
        let has_no_doubt =
            |columns: &[usize]| columns.iter().all(|column| self.columns[*column].doubt.is_none());
        let mut found = Vec::new();
        let mut others: Vec<Answered> = Vec::new();
        let likely = readings.into_iter().filter(|reading| has_no_doubt(&reading.query.columns()));
        for reading in likely.take(MOST_TRIED) {
            let is_best = Some(reading.penalty) == best;
            let Some(mut answered) = self.answered(reading) else { continue };
            let rows = answered.outcome.rows.clone();
            if found.contains(&rows) {
                continue;
            }
            found.push(rows);
            if !is_best && answered.outcome.rows.iter().flatten().any(|cell| !is_nothing(cell)) {
                answered.confidence = answered.confidence.min(CONFIDENCE);
                others.push(answered);
            }
        }
        others.truncate(MOST);
        others
    }
}

#[cfg(test)]
mod tests {
    use crate::{Answer, Answered, LoadOptions, Table};

    const FIXTURES: &str =
        "Home,Away,HG,AG,Attendance\nEden,Tarn,2,1,400\nTarn,Eden,0,3,1000\nEden,Shap,1,1,500\n";

    fn told(answered: &Answered) -> String {
        format!("{}: {}", answered.reading, answered.text())
    }

    #[test]
    fn beside_a_guess_stands_what_else_may_be_meant() {
        let table = Table::load("fixtures.csv", FIXTURES, &LoadOptions::default()).expect("a table");
        let question = "Which team had the highest attendance?";
        let Answer::Unique(guess) = table.ask(question) else { panic!("a guess") };
        assert_eq!(told(&guess), "Away, Attendance with the largest Attendance: 3 rows: Eden: 1000");
        let others = table.other_readings(question);
        let others: Vec<String> = others.iter().map(told).collect();
        assert_eq!(others, ["Home, Attendance with the largest Attendance: 3 rows: Tarn: 1000"]);
    }

    #[test]
    fn the_only_reading_has_none_beside_it() {
        let table = Table::load("fixtures.csv", FIXTURES, &LoadOptions::default()).expect("a table");
        assert!(table.other_readings("What is the total Attendance?").is_empty());
        assert!(table.other_readings("How is the weather?").is_empty());
    }
}
