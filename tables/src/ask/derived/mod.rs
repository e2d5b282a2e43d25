//! Questions for what no column holds and two of them tell together: how long something took, the rent per square metre, income
//! minus spending, what the stock is worth. The two become a column of their own, and the question is asked of the wider table.

mod called;
mod lengths;
mod said;
mod sums;

use super::lexicon::Word;
use super::pieces::{self, Meaning};
use super::{Answer, UNSURE, parts, tokens};
use crate::column::Kind;
use crate::table::Table;
use said::Said;

/// A column that a question asks for, and the question by its name.
struct Derived {
    name: String,
    kind: Kind,
    sql: String,
    question: String,
}

impl Table {
    /// Answers a question for what two columns tell together.
    pub(super) fn ask_derived(&self, question: &str) -> Option<Answer> {
        if self.columns.iter().any(|column| column.computed.is_some()) {
            return None;
        }
        let said = Said::of(question);
        let Derived { name, kind, sql, question } = part(self, &said)
            .or_else(|| sums::ratio(self, &said))
            .or_else(|| sums::sum_or_difference(self, &said))
            .or_else(|| sums::total_of_both(self, &said))
            .or_else(|| sums::worth(self, &said))
            .or_else(|| lengths::lateness(self, &said))
            .or_else(|| lengths::duration(self, &said))?;
        let wider = self.with_computed(&name, kind, sql.clone()).ok()?;
        let uses_it = |answer: Answer| match answer {
            Answer::Unique(answered) if answered.query.columns().contains(&self.columns.len()) => {
                Some(answered)
            }
            _ => None,
        };
        let mut answered =
            uses_it(wider.ask(&question)).or_else(|| uses_it(wider.ask(&self.in_short(&said, &name)?)))?;
        answered.confidence = answered.confidence.min(UNSURE);
        answered.notes.push(format!("{name} is computed as {sql}"));
        Some(Answer::Unique(answered))
    }
}

impl Table {
    /// A question for a number of a computed column with nothing but the conditions that the table knows.
    fn in_short(&self, said: &Said<'_>, name: &str) -> Option<String> {
        let is_average =
            said.has(&["average", "mean", "avg", "schnitt", "durchschnitt", "durchschnittlich", "mittel"]);
        let is_median = said.has(&["median"]);
        let is_ranked = said.ranks_or_averages() && !is_average && !is_median;
        if is_ranked
            || said.has(&["who", "wer", "which", "welche", "welcher", "welches", "welchen", "how many"])
        {
            return None;
        }
        let function = if is_average {
            "average"
        } else if is_median {
            "median"
        } else {
            "total"
        };
        let mut short = format!("What is the {function} \"{name}\"");
        let pieces = pieces::pieces(self, &tokens::tokens(&said.written.join(" ")));
        for (at, piece) in pieces.iter().enumerate() {
            let is_condition = piece.options.iter().any(|(meaning, penalty)| {
                *penalty < 2 && matches!(meaning, Meaning::Value { .. } | Meaning::Time(_))
            });
            let is_group = at > 0 && pieces[at - 1].options.first() == Some(&(Meaning::Word(Word::Per), 0));
            if is_group {
                short.push_str(" per");
            }
            if is_condition || is_group {
                short.push(' ');
                short.push_str(&piece.text);
            }
        }
        Some(short)
    }
}

/// `the systolic value above 140`: a part of a cell.
fn part(table: &Table, said: &Said<'_>) -> Option<Derived> {
    let found = parts::asked_for(table, &said.low)?;
    let parts::Part { name, kind, sql, words } = found;
    // `how many blood pressure readings had a systolic value`: the column itself is not asked for.
    let is_of_pressure = |place: usize| {
        !words.contains(&place)
            && (said.low[place] == "blood"
                || said.low[place] == "pressure" && place > 0 && said.low[place - 1] == "blood")
    };
    let kept: Vec<usize> = (0..said.written.len()).filter(|place| !is_of_pressure(*place)).collect();
    let mut question: Vec<String> = Vec::new();
    for place in kept {
        if place == words.start {
            question.push(format!("\"{name}\""));
        } else if !words.contains(&place) {
            question.push(said.written[place].to_owned());
        }
    }
    Some(Derived { name, kind, sql, question: question.join(" ") })
}

#[cfg(test)]
mod tests {
    use crate::{Answer, LoadOptions, Table};

    fn first(table: &Table, question: &str) -> String {
        match table.ask(question) {
            Answer::Unique(answer) => {
                assert!(answer.confidence < 0.8, "{question}: {}", answer.confidence);
                answer.outcome.rows[0][0].to_string()
            }
            other => panic!("{question}: {other:?}"),
        }
    }

    #[test]
    fn two_columns_tell_what_neither_holds() {
        let text = "Title,Borrowed,Due,Returned\nEmma,2025-01-07,2025-01-28,2025-01-17\nDune,2025-01-08,2025-01-29,2025-01-28\nUbik,2025-01-09,2025-01-30,\n";
        let loans = Table::load("loans.csv", text, &LoadOptions::default()).unwrap();
        assert_eq!(first(&loans, "On average, how many days were they kept?"), "15");
        assert_eq!(first(&loans, "Which title was kept the longest?"), "Dune");
        let text = "Address,Living space,Rent\nA,50 m²,500 €\nB,80 m²,720 €\nC,30 m²,360 €\n";
        let flats = Table::load("flats.csv", text, &LoadOptions::default()).unwrap();
        assert_eq!(first(&flats, "Which address has the lowest rent per square metre?"), "B");
        let text = "Datum;Einnahme;Ausgabe\n01.02.2024;100,00;\n02.02.2024;;30,50\n03.02.2024;20,00;\n";
        let cash = Table::load("kasse.csv", text, &LoadOptions::default()).unwrap();
        assert_eq!(first(&cash, "Einnahmen minus Ausgaben?"), "89.5");
        let text = "Item,Price,Stock\nHat,19.50,2\nScarf,10.00,3\n";
        let shop = Table::load("shop.csv", text, &LoadOptions::default()).unwrap();
        assert_eq!(first(&shop, "What is the stock worth?"), "69");
    }
}
