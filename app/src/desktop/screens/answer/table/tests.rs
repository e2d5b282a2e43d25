use std::sync::Arc;

use egui::Theme;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use frlm_client::run::{
    Found, Opened, OtherReading, Point, ReadingChoice, RowOrder, Series, ShownColumn, ShownRow, Which,
};
use frlm_client::view::Ending;
use frlm_questions::answer::Citation;

use super::state::PAGE;
use super::{Action, Event};
use crate::desktop::command::Command;
use crate::desktop::screens::answer;
use crate::desktop::screens::answer::tests::{by_code, shows};
use crate::desktop::state::State;
use crate::desktop::testing::{click, pictures, window};

const ROWS: u32 = 300;

fn column(name: &str, is_number: bool) -> ShownColumn {
    ShownColumn { name: name.to_owned(), is_number }
}

fn is_failed(line: u32) -> bool {
    [2, 4].contains(&(line % 23))
}

/// A line of the log as its table shows it.
fn order(line: u32) -> ShownRow {
    let user = ["ida.holm", "ali.demir", "emma.dubois", "jon.berg"][(line * 3 % 4) as usize];
    let cells = [
        format!("2026-03-0{} {:02}:{:02}:09", 2 + line / 60, line % 60 * 2 / 5, line * 17 % 60),
        (40_000 + line).to_string(),
        user.to_owned(),
        format!("{}.95", 9 + line * 37 % 240),
        if is_failed(line) { "failed" } else { "paid" }.to_owned(),
    ];
    ShownRow { line, cells: cells.into() }
}

fn apply(state: &mut State, event: Event) {
    state.answer.apply(answer::Event::Table(event));
}

fn perform(state: &mut State, action: Action) {
    state.perform(&Command::Answer(answer::Action::Table(action)));
}

fn page(state: &mut State, which: Which, rows: impl Iterator<Item = ShownRow>) {
    let revision = state.answer.table.sheet(which).of_revision;
    apply(state, Event::Page(which, revision, 0, rows.take(PAGE).collect()));
}

fn rows(count: u32) -> Arc<Vec<u32>> {
    Arc::new((1..=count).collect())
}

/// The answer of code with its table open, and what its query found.
fn open(found: &Found, results: &[[&str; 2]], readings: Vec<OtherReading>) -> State {
    let mut state = by_code();
    if let Some(Ending::Answered(answer)) = &mut state.run.view.ending {
        let first = answer.citations[0].clone();
        let cited = (1..=ROWS).filter(|line| is_failed(*line)).map(|line| {
            let [time, number, user, amount, status] = order(line).cells.try_into().unwrap();
            let quote = format!("{time} order={number} user={user} amount={amount} status={status}");
            Citation { lines: [line, line], quote, ..first.clone() }
        });
        answer.citations = cited.collect();
        answer.answer = answer.answer.replace("26", &answer.citations.len().to_string());
    }
    state.answer.citation = None;
    let opened = Opened {
        columns: ["time", "order", "user", "amount", "status"]
            .map(|name| column(name, name == "order" || name == "amount"))
            .into(),
        rows: u64::from(ROWS),
        cited: (1..=ROWS).filter(|line| is_failed(*line)).collect(),
        found: found.clone(),
        readings,
        is_joined: false,
    };
    let lists = [rows(ROWS), rows(u32::try_from(found.rows).unwrap())];
    apply(&mut state, Event::Opened(Box::new(Ok((opened, lists)))));
    page(&mut state, Which::File, (1..=ROWS).map(order));
    page(&mut state, Which::Found, shown(results));
    state
}

fn shown(results: &[[&str; 2]]) -> impl Iterator<Item = ShownRow> {
    (1..).zip(results).map(|(line, cells)| ShownRow { line, cells: cells.map(str::to_owned).into() })
}

fn one_value() -> Found {
    Found { columns: vec![column("count", true)], rows: 1, is_cut: false, series: None }
}

/// A count of failed orders, which could also be a count of what another file says.
fn counted() -> State {
    let words = "number of rows where status = failed: 3 rows".to_owned();
    let choice =
        ReadingChoice { file: "refunds.csv".to_owned(), sql: "SELECT count(*) FROM refunds".to_owned() };
    let other = OtherReading { words, text: "3".to_owned(), confidence: 0.9, choice };
    open(&one_value(), &[["26", ""]], vec![other])
}

const DAYS: [[&str; 2]; 7] = [
    ["2026-03-02", "1,204.50 €"],
    ["2026-03-03", "988.95 €"],
    ["2026-03-04", "1,630.20 €"],
    ["2026-03-05", "2,411.00 €"],
    ["2026-03-06", "2,190.45 €"],
    ["2026-03-07", "640.10 €"],
    ["2026-03-08", "415.95 €"],
];

fn series(points: &[[&str; 2]], is_time: bool) -> Found {
    let point = |[name, shown]: &[&str; 2]| Point {
        name: (*name).to_owned(),
        value: shown.trim_end_matches(" €").replace(',', "").parse().unwrap(),
        shown: (*shown).to_owned(),
    };
    let (group, measure) = if is_time { ("day", "total amount") } else { ("user", "failed") };
    Found {
        columns: vec![column(group, false), column(measure, true)],
        rows: points.len(),
        is_cut: false,
        series: Some(Series {
            group: group.to_owned(),
            measure: measure.to_owned(),
            is_time,
            points: points.iter().map(point).collect(),
        }),
    }
}

/// A sum per day: a series.
fn per_day() -> State {
    let mut state = open(&series(&DAYS, true), &DAYS, Vec::new());
    state.run.view.start.question = "What is the total amount per day?".to_owned();
    if let Some(Ending::Answered(answer)) = &mut state.run.view.ending {
        let words = "total of amount per day: 300 rows";
        let listed: Vec<String> = DAYS.iter().take(3).map(|day| day.join(": ")).collect();
        answer.answer = format!("{}; … ({words})", listed.join("; "));
        let reading = answer.reading.as_mut().unwrap();
        (reading.words, reading.rows) = (words.to_owned(), 300);
        reading.sql =
            "SELECT substr(\"time\", 1, 10) AS \"day\", exact_sum(\"amount\", 2) AS \"total amount\" \
                       FROM \"orders\" GROUP BY 1 ORDER BY 1"
                .to_owned();
    }
    state
}

const USERS: [[&str; 2]; 4] =
    [["ida.holm", "9"], ["ali.demir", "8"], ["emma.dubois", "6"], ["jon.berg", "3"]];

/// A count whose SQL the user has edited.
fn edited() -> State {
    let mut state = open(&one_value(), &[["26", ""]], Vec::new());
    perform(&mut state, Action::ShowSql(true));
    let sql = "SELECT \"user\", count(*) AS failed\nFROM \"orders\"\nWHERE \"status\" = 'failed'\n\
               GROUP BY \"user\" ORDER BY failed DESC";
    perform(&mut state, Action::Sql(sql.to_owned()));
    perform(&mut state, Action::Run);
    apply(&mut state, Event::Ran(Ok((series(&USERS, false), rows(4)))));
    page(&mut state, Which::Found, shown(&USERS));
    state
}

#[test]
fn the_table_behind_an_answer_has_its_pictures() {
    pictures("answer_code", &counted());
    pictures("answer_chart", &per_day());
    pictures("answer_sql", &edited());
    let mut failed = by_code();
    let why = Err("orders.log is not where it was".to_owned());
    apply(&mut failed, Event::Opened(Box::new(why)));
    pictures("answer_code_gone", &failed);
}

#[test]
fn of_a_million_rows_only_those_in_sight_are_drawn_and_asked_for() {
    let mut state = counted();
    perform(&mut state, Action::Filter(Which::File, "x".to_owned()));
    let revision = state.answer.table.file.revision;
    apply(&mut state, Event::Rows(Which::File, revision, Ok(rows(1_000_000))));
    page(&mut state, Which::File, (1..).map(order));
    let window = window(state, Theme::Light);
    let nodes = window.root().children_recursive();
    let drawn = nodes.filter(|node| node.accesskit_node().role() == egui::accesskit::Role::Row).count();
    assert!((5..80).contains(&drawn), "{drawn} rows are drawn");
    window.get_by_label("1,000,000 of 300 rows");
    let table = &window.state().state().answer.table;
    assert!(!table.file.lacks(0) && table.file.lacks(1), "only what is in sight is asked for");
}

#[test]
fn reports_for_rows_that_are_wanted_no_more_are_dropped() {
    let mut state = counted();
    perform(&mut state, Action::OnlyCited(true));
    assert!(state.answer.table.file.wanted.lines.as_ref().is_some_and(|lines| lines.len() == 26));
    let largest = RowOrder { column: Some(3), falls: true };
    perform(&mut state, Action::Order(Which::File, largest));
    apply(&mut state, Event::Rows(Which::File, 1, Ok(rows(1))));
    assert_eq!(state.answer.table.file.count(), ROWS as usize);
    apply(&mut state, Event::Rows(Which::File, 2, Ok(rows(26))));
    assert_eq!((state.answer.table.file.count(), state.answer.table.file.row(0)), (26, None));
    apply(&mut state, Event::Page(Which::File, 0, 0, vec![order(9)]));
    assert_eq!(state.answer.table.file.row(0), None, "a page of the rows before");
    perform(&mut state, Action::Filter(Which::File, "i".to_owned()));
    apply(&mut state, Event::Page(Which::File, 2, 0, vec![order(25)]));
    assert_eq!(state.answer.table.file.row(0), Some(&order(25)), "of those that are shown");
    apply(&mut state, Event::Rows(Which::File, 3, Err("it takes too long".to_owned())));
    assert!(shows(&state, "it takes too long"));
}

#[test]
fn heads_sort_and_a_field_filters() {
    let mut window = window(counted(), Theme::Light);
    click(&mut window, "Sort by amount");
    let order = |falls| RowOrder { column: Some(3), falls };
    assert_eq!(window.state().state().answer.table.file.wanted.order, order(true));
    click(&mut window, "Sort by amount, now largest first");
    assert_eq!(window.state().state().answer.table.file.wanted.order, order(false));
    window.get_by_label("Filter the rows").focus();
    window.run_ok();
    window.get_by_label("Filter the rows").type_text("ida");
    window.run_ok();
    assert_eq!(window.state().state().answer.table.file.wanted.text, "ida");
    window.get_by_label_contains("2 cited");
}

#[test]
fn sql_is_shown_on_demand_edited_run_and_restored() {
    let mut window = window(counted(), Theme::Light);
    assert!(window.query_by_label("Run the SQL").is_none());
    click(&mut window, "Show the SQL");
    let sql = window.state().state().answered().unwrap().reading.clone().unwrap().sql;
    assert_eq!(window.state().state().answer.table.sql.as_ref(), Some(&sql));
    click(&mut window, "Run the SQL");
    window.get_by_label("Running…");
    let refused = Err("only one statement that reads is run".to_owned());
    apply(window.state_mut().state_mut(), Event::Ran(refused));
    window.run_ok();
    window.get_by_label_contains("It was not run: only one statement");
    assert!(window.query_by_label("Result of your SQL").is_none(), "the result before stays");
    click(&mut window, "Hide the SQL");
    assert!(window.query_by_label("Run the SQL").is_none());
    let mut state = edited();
    assert!(shows(&state, "Result of your SQL"));
    perform(&mut state, Action::Restore);
    assert_eq!(state.answer.table.sql, Some(sql));
    apply(&mut state, Event::Ran(Ok((one_value(), rows(1)))));
    assert!(!shows(&state, "Result of your SQL"));
}

#[test]
fn a_chart_says_what_it_shows_and_the_values_stand_beside_it() {
    let window = window(per_day(), Theme::Light);
    let words =
        "Line chart: total amount per day, 7 values from 415.95 € (2026-03-08) to 2,411.00 € (2026-03-05)";
    window.get_by_label(words);
    window.get_by_label_contains("2026-03-05, 2,411.00 €");
    assert!(shows(&edited(), "Bar chart: failed per user, 4 values from 3 (jon.berg) to 9 (ida.holm)"));
}
