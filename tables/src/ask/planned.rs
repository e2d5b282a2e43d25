//! Questions that the grammar refuses, read by a model: what it is told of the table, and what is made of its query.
//!
//! The model writes no answer, only a query of this table's columns ([`crate::query::written`]). Code runs it, says how it was
//! read, and is never sure of it: nobody has checked that the query means the question.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Answer, Frame, Reading};
use crate::column::{Column, Kind};
use crate::query::written::{self, Meaning, PlannedReply, Reply};
use crate::query::{Aggregate, Cell, Function, Query};
use crate::table::Table;

/// What a query of a model costs, so that no answer with it is sure.
const PLANNED: u32 = 4;

/// Most values of a column that are shown.
const MAX_VALUES: usize = 12;

/// Most letters of a value that are shown.
const MAX_VALUE_CHARS: usize = 40;

/// Most cells of another type that are shown of a column.
const MAX_MISFITS: usize = 3;

/// Most columns that are shown.
const MAX_COLUMNS: usize = 80;

/// What a model is asked, and the form of its reply.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannerPrompt {
    /// What it is to do.
    pub system: String,
    /// The table and the question.
    pub user: String,
    /// The form of the reply, as JSON Schema.
    pub schema: serde_json::Value,
}

const SYSTEM: &str = "You turn a question about one table into a query, as one JSON object and nothing else. You never answer the \
question yourself. Use only the columns listed, by their exact names.\n\
- \"select\": what is shown, in the order in which the question asks for it. A column's name, or {\"function\":\"sum\",\"column\":\"amount\"}. \
Functions: count (of records, without a column), count_distinct, sum, average, median, percentile (with \"percent\"), min, max, \
standard_deviation, range (all leave missing cells out), share (of a hundred; \"only\" holds the condition, \"where\" the whole; with a column, the share of its sum), \
per_value (records per different value). Each may have \"only\": a condition on the rows it is made of. \
{\"difference\":[A,B]} is A less B.\n\
- \"where\": a condition: {\"compare\":{\"column\":\"amount\",\"is\":\">\",\"value\":5}} (or =, !=, <, >=, <=), {\"in\":{\"column\":\"city\",\"values\":[\"Berlin\"]}}, \
{\"between\":{\"column\":\"day\",\"from\":\"2026-03-01\",\"to\":\"2026-03-31\"}} (both ends count; for times give the last second), \
{\"text\":{\"column\":\"note\",\"test\":\"contains\",\"text\":\"refund\"}} (contains, word, starts_with, ends_with, matches; case is folded), \
{\"missing\":{\"column\":\"paid\"}} (nothing stands there), {\"other_type\":{\"column\":\"score\"}} (something stands there that is not of the column's type), {\"part\":{\"column\":\"day\",\"part\":\"month\",\"values\":[3]}} (or year, quarter, day, weekday from 1 for Monday, hour), \
{\"compare_columns\":{\"column\":\"returned\",\"is\":\">\",\"other\":\"due\"}}, {\"all\":[...]}, {\"any\":[...]}, {\"not\":...}. \
{\"means\":{\"column\":\"comment\",\"says\":\"a complaint about delivery\"}}: people read that column of every record to tell which mean it. It is slow and costs money: \
use it once at most, and only for what free text means, never for what another condition or a listed value can tell. \"says\" has a few words that complete \"this is ...\".\n\
- \"group_by\": names of columns, or {\"column\":\"day\",\"by\":\"month\"} (or year, quarter, week, day, hour, minute, weekday, hour_of_day), which is selected as \"day\". Missing cells are a group of their own, unless \"where\" leaves them out. \"having\": [{\"of\":{\"function\":\"count\"},\"is\":\">\",\"value\":3}].\n\
- \"order_by\": [{\"output\":1,\"descending\":true}], by the place in \"select\", counted from 0, where every group stands in \"select\". \"limit\": how many; ties are shown too. \
With \"limit_in_each\":[\"squad\"] the limit counts in each group: \"select\":[\"squad\",\"rower\"], \"order_by\" and \"limit\":1 give the best record of each.\n\
- \"compute\": columns made of others of the same record, used by their names: {\"name\":\"worth\",\"product\":[\"price\",\"stock\"]}, \
also quotient, sum, difference (the first less the second; of two times of day a length of time), days (from the first moment to the second); \
{\"name\":\"domain\",\"part\":{\"column\":\"email\",\"after\":\"@\"}} (after or before a text, or \"matching\" a pattern with one group in parentheses), \
with \"as\":\"number\" where the part is one.\n\
- \"distinct\": true, to show equal rows once. \"count_results\": true, to show only how many results there are, such as groups that pass \"having\". \
\"unit\":\"min\" gives lengths of time or sizes of data in that unit. \"rows\":\"lines\" with {\"line\":{\"test\":\"contains\",\"text\":\"x\"}} asks of the lines of the file.\n\
Select what the question asks for first: who has the most is the person, then the number. A single number is selected alone. \
Numbers are in the unit of their column; a text with a unit, as \"2 GB\", is turned into it. Names a question spells otherwise, or in another language, are written as the column has them.\n\
If the table cannot answer the question, reply {\"refuse\":\"why\"}: say which column would be needed. Never replace what was asked by something else.";

impl Table {
    /// What a model is told, so that it reads a question that the grammar refused.
    pub fn planner_prompt(&self, question: &str) -> PlannerPrompt {
        let mut user = format!("Table: {} ({} records)\nColumns:\n", self.name, self.rows);
        for (index, column) in self.columns.iter().enumerate().take(MAX_COLUMNS) {
            // Writing into a String cannot fail.
            let _ = writeln!(user, "- {}", self.column_for_a_model(index, column));
        }
        if self.columns.len() > MAX_COLUMNS {
            let _ = writeln!(user, "- and {} more, which are not listed", self.columns.len() - MAX_COLUMNS);
        }
        let _ = write!(user, "\nQuestion: {question}");
        PlannerPrompt { system: SYSTEM.to_owned(), user, schema: written::schema() }
    }

    fn column_for_a_model(&self, index: usize, column: &Column) -> String {
        let mut text = format!("{:?}: ", column.name);
        let kind = match &column.kind {
            Kind::Number { .. } => "number",
            Kind::Duration { .. } => "duration",
            Kind::Size { .. } => "size of data",
            Kind::Date => "date, as 2026-03-04",
            Kind::DateTime { has_year: false, .. } => "time without a year, as 03-04 10:00:00",
            Kind::DateTime { .. } => "date and time, as 2026-03-04 10:00:00",
            Kind::Time => "time of day, as 10:00:00",
            Kind::Boolean { .. } => "yes or no, as true and false",
            Kind::Text { .. } => "text",
        };
        text.push_str(kind);
        if !column.unit_label().is_empty() {
            let _ = write!(text, " in {}", column.unit_label());
        }
        if column.is_text() {
            let values = self.most_frequent(index);
            let distinct = self.values().distinct[index];
            let known = if distinct <= values.len() { "all values" } else { "some values" };
            let _ = write!(text, "; {known}: {}", values.join(", "));
        } else if let Some((least, most)) = self.ends(index) {
            let _ = write!(text, "; from {least} to {most}");
        }
        if column.missing > 0 {
            let _ = write!(text, "; {} missing", column.missing);
        }
        if column.misfits > 0 {
            let samples = column.misfit_samples.iter().take(MAX_MISFITS);
            let samples: Vec<String> =
                samples.map(|misfit| format!("{:?}", shortened(&misfit.text))).collect();
            let _ = write!(text, "; {} of another type, such as {}", column.misfits, samples.join(", "));
        }
        if let Some(currency) = column.currency_column {
            let name = self.column_name(currency);
            let _ = write!(text, "; in several currencies (see {name:?}), each of which is added by itself");
        }
        text
    }

    fn ends(&self, column: usize) -> Option<(String, String)> {
        let end = |function: Function| {
            let outcome = self.run(&Query::number(Aggregate::of(function, column), None)).ok()?;
            outcome.single().filter(|cell| **cell != Cell::Missing).map(ToString::to_string)
        };
        Some((end(Function::Min)?, end(Function::Max)?))
    }

    fn most_frequent(&self, column: usize) -> Vec<String> {
        use crate::query::{Key, Limit, Order, Output};
        let query = Query {
            groups: vec![Key::Column(column)],
            outputs: vec![Output::Key(0), Output::Aggregate(Aggregate::count())],
            order: vec![Order { output: 1, descending: true }],
            limit: Some(Limit { count: u32::try_from(MAX_VALUES).unwrap_or(1), with_ties: false }),
            ..Query::default()
        };
        let Ok(outcome) = self.run(&query) else { return Vec::new() };
        let shown = outcome.rows.iter().filter_map(|row| row.first()).filter(|cell| **cell != Cell::Missing);
        shown.map(|cell| format!("{:?}", shortened(&cell.to_string()))).collect()
    }

    /// What a model's reply is, without running its query.
    pub fn read_planned(&self, reply: &str) -> PlannedReply {
        written::look_at(self, reply)
    }

    /// What a model's query comes to. One that asks what texts mean is refused.
    pub fn ask_planned(&self, reply: &str) -> Answer {
        match self.read_planned(reply) {
            PlannedReply::Query { meaning: Some(Meaning { column, says }), .. } => {
                self.refuse(format!("Only readers can tell where {column} means \"{says}\"."))
            }
            _ => self.ask_planned_where(reply, &BTreeSet::new()),
        }
    }

    /// The same where readers have told of which records, by their first lines, a text means what the query asks for.
    pub fn ask_planned_where(&self, reply: &str, meant: &BTreeSet<u32>) -> Answer {
        let (query, wider, unit) = match written::read(self, reply, meant) {
            Reply::Query { query, wider, unit } => (*query, wider, unit),
            Reply::Refused(why) => {
                return self.refuse(format!("The model says that this file does not tell: {why}"));
            }
            Reply::Unreadable(why) => {
                return self.refuse(format!("The model's query could not be used: {why}."));
            }
        };
        let mut frame = Frame::default();
        frame.doubt.notes.push("nobody has checked that the model's query means the question".to_owned());
        let table = wider.as_deref().unwrap_or(self);
        frame.wanted.unit = unit;
        match table.answered(Reading { query, frame, penalty: PLANNED }) {
            Some(answered) => Answer::Unique(Box::new(answered)),
            None => self.refuse("The model's query cannot be run on this table.".to_owned()),
        }
    }
}

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_VALUE_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadOptions;

    fn orders() -> Table {
        let text =
            "id,city,amount,day\n1,Berlin,5.00,2026-03-01\n2,Paris,7.50,2026-03-02\n3,Berlin,,2026-04-01\n";
        Table::load("orders.csv", text, &LoadOptions::default()).unwrap()
    }

    #[test]
    fn a_model_is_told_the_columns_their_types_and_samples() {
        let prompt = orders().planner_prompt("Where was it cheapest?");
        for wanted in [
            "orders (3 records)",
            "\"city\": text; all values: \"Berlin\", \"Paris\"",
            "\"amount\": number; from 5 to 7.5; 1 missing",
            "\"day\": date, as 2026-03-04; from 2026-03-01 to 2026-04-01",
            "Question: Where was it cheapest?",
        ] {
            assert!(prompt.user.contains(wanted), "{wanted}:\n{}", prompt.user);
        }
    }

    #[test]
    fn a_query_of_a_model_is_run_and_never_sure() {
        let reply = r#"Here it is: {"select":["city",{"function":"sum","column":"amount"}],"group_by":["city"],
            "where":{"between":{"column":"day","from":"2026-03-01","to":"2026-03-31"}},"order_by":[{"output":1,"descending":true}],"limit":1}"#;
        let Answer::Unique(answer) = orders().ask_planned(reply) else { panic!("no answer") };
        assert_eq!(answer.outcome.rows[0][0].to_string(), "Paris");
        assert!(answer.confidence < 0.8);
        assert!(answer.notes.iter().any(|note| note.contains("the model's query")), "{:?}", answer.notes);
    }

    fn planned(table: &Table, reply: &str) -> Vec<Vec<String>> {
        let Answer::Unique(answer) = table.ask_planned(reply) else { panic!("{reply}") };
        assert!(answer.confidence < 0.8, "{}", answer.confidence);
        answer.outcome.rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect()
    }

    #[test]
    fn where_a_text_means_something_is_known_from_readers() {
        let text = "id,city,note\n1,Rome,it came late\n2,Rome,fine\n3,Oslo,broken on the way\n";
        let table = Table::load("notes.csv", text, &LoadOptions::default()).unwrap();
        let means = r#"{"means":{"column":"note","says":"a  complaint"}}"#;
        let reply =
            format!(r#"{{"select":["city",{{"function":"count"}}],"group_by":["city"],"where":{means}}}"#);
        let PlannedReply::Query { meaning: Some(meaning), .. } = table.read_planned(&reply) else {
            panic!("{reply}")
        };
        assert_eq!((meaning.column.as_str(), meaning.says.as_str()), ("note", "a complaint"));
        assert!(
            matches!(table.ask_planned(&reply), Answer::Refused(why) if why.why.contains("Only readers can tell"))
        );
        let where_meant = |reply: &str, meant: [u32; 2]| {
            let Answer::Unique(answer) = table.ask_planned_where(reply, &meant.into()) else {
                panic!("{reply}")
            };
            let rows = answer.outcome.rows.iter();
            let rows: Vec<String> =
                rows.map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")).collect();
            (rows.join(", "), answer.reading)
        };
        let (rows, reading) = where_meant(&reply, [2, 4]);
        assert_eq!(rows, "Oslo 1, Rome 1");
        assert!(reading.contains("note means \"a complaint\""), "{reading}");
        let others = format!(r#"{{"select":["id"],"where":{{"not":{means}}}}}"#);
        assert_eq!(where_meant(&others, [2, 4]).0, "2");
        let two = format!(
            r#"{{"select":["id"],"where":{{"any":[{means},{{"means":{{"column":"note","says":"praise"}}}}]}}}}"#
        );
        assert!(
            matches!(table.read_planned(&two), PlannedReply::Unreadable(why) if why.contains("one meaning at most"))
        );
    }

    #[test]
    fn a_group_of_dates_is_selected_by_its_column_or_as_it_was_written() {
        for month in [r#""day""#, r#"{"column":"day","by":"month"}"#] {
            let reply = format!(
                r#"{{"select":[{month},{{"function":"count"}}],"group_by":[{{"column":"day","by":"month"}}]}}"#
            );
            assert_eq!(planned(&orders(), &reply), [["2026-03", "2"], ["2026-04", "1"]], "{reply}");
        }
        let other = r#"{"select":[{"column":"day","by":"year"},{"function":"count"}],"group_by":[{"column":"day","by":"month"}]}"#;
        assert!(
            matches!(orders().ask_planned(other), Answer::Refused(why) if why.why.contains("in no such group"))
        );
    }

    #[test]
    fn a_group_is_called_by_its_most_common_spelling() {
        let text = "pet,species\nTom,CAT\nKit,Cat\nMia,cat\nPip,Cat\nRex,dog\nAce,DOG\nBo,dog\n";
        let table = Table::load("pets.csv", text, &LoadOptions::default()).unwrap();
        let reply = r#"{"select":["species",{"function":"count"}],"group_by":["species"]}"#;
        assert_eq!(planned(&table, reply), [["Cat", "4"], ["dog", "3"]]);
    }

    fn tests() -> Table {
        let text = "rower,squad,took,size,score,fee\nAnna,Women,90 s,2 GB,5,€10.00\nOrla,women,1 h,1 GB,n/s,£4.00\nBeth,Women,30 min,5 GB,7,€2.50\n\
            Max,Men,2 min,700 MB,4,£1.00\nRob,Men,75 s,3 GB,3,€1.00\nCal,men,120 s,1 GB,6,€3.00\nDan,Juniors,5 min,1 GB,8,€4.00\n";
        Table::load("tests.csv", text, &LoadOptions::default()).unwrap()
    }

    #[test]
    fn a_model_is_told_cells_of_another_type_and_currencies() {
        let prompt = tests().planner_prompt("Whose score is missing?");
        for wanted in [
            "\"score\": number; from 3 to 8; 1 of another type, such as \"n/s\"",
            "\"fee\": number; in several currencies (see \"fee currency\"), each of which is added by itself",
        ] {
            assert!(prompt.user.contains(wanted), "{wanted}:\n{}", prompt.user);
        }
        let reply = r#"{"select":["rower"],"where":{"other_type":{"column":"score"}}}"#;
        assert_eq!(planned(&tests(), reply), [["Orla"]]);
    }

    #[test]
    fn a_model_may_ask_for_a_unit_and_compare_with_one() {
        let minutes = r#"{"select":[{"function":"sum","column":"took"}],"unit":"min"}"#;
        assert_eq!(planned(&tests(), minutes), [["101.75"]]);
        let large =
            r#"{"select":["rower"],"where":{"compare":{"column":"size","is":">","value":"2500 MB"}}}"#;
        assert_eq!(planned(&tests(), large), [["Beth"], ["Rob"]]);
    }

    #[test]
    fn a_value_of_a_model_is_found_in_all_its_spellings() {
        let reply = r#"{"select":[{"function":"count"}],"where":{"compare":{"column":"squad","is":"=","value":"Women"}}}"#;
        assert_eq!(planned(&tests(), reply), [["3"]]);
        let others = r#"{"select":[{"function":"count"}],"where":{"compare":{"column":"squad","is":"!=","value":"Women"}}}"#;
        assert_eq!(planned(&tests(), others), [["4"]]);
    }

    #[test]
    fn a_model_may_count_groups_and_ask_for_the_best_of_each() {
        let groups = r#"{"select":["squad",{"function":"count"}],"group_by":["squad"],"having":[{"of":{"function":"count"},"is":">=","value":3}],"count_results":true}"#;
        assert_eq!(planned(&tests(), groups), [["2"]]);
        let best = r#"{"select":["squad","rower","took"],"where":{"in":{"column":"squad","values":["Women","Men"]}},"order_by":[{"output":2}],"limit":1,"limit_in_each":["squad"]}"#;
        let Answer::Unique(answer) = tests().ask_planned(best) else { panic!("no answer") };
        assert!(answer.reading.contains("with the smallest took in each squad"), "{}", answer.reading);
        assert_eq!(planned(&tests(), best), [["Men", "Rob", "75"], ["Women", "Anna", "90"]]);
        let busiest = r#"{"select":["squad","fee currency",{"function":"count"}],"group_by":["squad","fee currency"],"order_by":[{"output":2,"descending":true}],"limit":1,"limit_in_each":["squad"]}"#;
        let first: Vec<String> =
            planned(&tests(), busiest).into_iter().map(|row| row[..2].join(" ")).collect();
        assert_eq!(first, ["Juniors EUR", "Men EUR", "Women EUR"]);
    }

    #[test]
    fn amounts_of_several_currencies_are_added_apart() {
        let all = r#"{"select":[{"function":"sum","column":"fee"}]}"#;
        assert_eq!(planned(&tests(), all), [["EUR", "20.5"], ["GBP", "5"]]);
        let one = r#"{"select":[{"function":"sum","column":"fee"}],"where":{"compare":{"column":"squad","is":"=","value":"Juniors"}}}"#;
        assert_eq!(planned(&tests(), one), [["4"]]);
    }

    #[test]
    fn what_is_no_query_of_the_table_is_refused_and_says_why() {
        for (reply, why) in [
            (r#"{"select":["town"]}"#, "no column is called town"),
            (r#"{"select":["city"],"drop":1}"#, "unknown field"),
            (r#"{"select":[{"function":"sum","column":"city"}]}"#, "city holds no numbers"),
            (r#"{"select":[]}"#, "nothing is selected"),
            (r#"{"select":["city"],"unit":"apples"}"#, "apples is no unit of time or of data"),
            (r#"{"select":["city"],"limit_in_each":["city"]}"#, "limit_in_each needs order_by and limit"),
            ("42", "no JSON object"),
            (r#"{"refuse":"there is no column of ages"}"#, "there is no column of ages"),
        ] {
            let Answer::Refused(refusal) = orders().ask_planned(reply) else { panic!("{reply}") };
            assert!(refusal.why.contains(why), "{reply}: {}", refusal.why);
            assert_eq!(refusal.suggestions.len(), 2);
        }
    }
}
