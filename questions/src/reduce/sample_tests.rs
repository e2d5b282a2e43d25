//! The whole pure path over the sample documents: question → query → prompts → a model that copies
//! without fault → checked answers → result, against what grep and awk would count.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Bound, Coverage, FragmentRef, Reduced, reduce};
use crate::dialect::claims::Form;
use crate::dialect::testing::{ORDERS, SERVICE, fragments};
use crate::dialect::{
    MapAnswer, MapTask, evaluate_without_model, json as json_dialect, needs_model, records,
};
use crate::ingest::Fragment;
use crate::question::{compile, field_hints, parse};

/// A field of a sample line; the two files are read the way awk would.
fn field<'line>(line: &'line str, name: &str) -> Option<&'line str> {
    if line.contains("order=") {
        let key = format!("{name}=");
        return line.split(' ').find_map(|word| word.strip_prefix(key.as_str()));
    }
    let column = ["time", "level", "service", "method", "path", "status", "latency", "request"];
    line.split_whitespace().nth(column.iter().position(|known| *known == name)?)
}

/// The perfect model: `copy a, b` and a record → the fields' values.
fn copied(instruction: &str, record: &str) -> String {
    let fields = instruction.strip_prefix("copy ").unwrap().split(", ");
    fields.flat_map(|name| [field(record, name).unwrap_or("-"), "\n"]).collect()
}

fn map(task: &MapTask, fragment: &Fragment) -> MapAnswer {
    let query = task.query.as_ref().unwrap();
    if !needs_model(query) {
        return evaluate_without_model(query, fragment);
    }
    let prompt = records::prompt(task, fragment);
    let answers: Vec<String> = prompt.inputs.iter().map(|input| copied(&prompt.instruction, input)).collect();
    assert!(answers.iter().all(|answer| answer.len() <= prompt.max_tokens as usize));
    let answer = records::read(task, fragment, &answers, &[]).unwrap().answer;
    // A general model that finds the same records says so in JSON: the replicas agree.
    let MapAnswer::Records { matches } = &answer else { panic!() };
    let items: Vec<_> = matches
        .iter()
        .rev()
        .map(|found| json!({ "line": found.line, "quote": found.quote[..20], "value": found.value, "reported": found.reported }))
        .collect();
    let text = json!({ "matches": items }).to_string();
    let other = json_dialect::parse(task, fragment, &[text]).unwrap();
    assert_eq!(answer.agreement_key(), other.agreement_key());
    answer
}

fn ask(file: &str, text: &str, question: &str, plan: Option<&str>) -> Reduced {
    let fragments = fragments(file, text, 37);
    let query = match plan {
        None => parse(question, &field_hints(&fragments)).unwrap_or_else(|| panic!("not read: {question}")),
        Some(plan) => match compile::parse_records(question, plan) {
            Ok(compile::Compiled::Query(query)) => *query,
            other => panic!("{question}: {other:?}"),
        },
    };
    let task = MapTask {
        question: question.to_owned(),
        query: Some(query.clone()),
        manner: String::new(),
        form: Form::default(),
    };
    let answers: Vec<MapAnswer> = fragments.iter().map(|fragment| map(&task, fragment)).collect();
    let pairs: Vec<_> = fragments.iter().map(FragmentRef::from).zip(&answers).collect();
    let result = reduce(&query, &pairs, Coverage::full(fragments.len()));
    assert_eq!(result.bound, Bound::Exact, "{question}");
    for citation in &result.citations {
        let line = text.lines().nth(citation.lines[0] as usize - 1).unwrap();
        assert!(line.contains(&citation.quote), "{question}: {citation:?}");
    }
    result
}

fn orders(question: &str) -> Reduced {
    ask("orders.log", ORDERS, question, None)
}

fn service(question: &str, plan: &str) -> Reduced {
    ask("service.log", SERVICE, question, Some(plan))
}

fn lines_with<'text>(text: &'text str, part: &'text str) -> impl Iterator<Item = (usize, &'text str)> {
    (1..).zip(text.lines()).filter(move |(_, line)| line.contains(part))
}

fn cents(line: &str) -> i64 {
    field(line, "amount").unwrap().replace('.', "").parse().unwrap()
}

fn euros(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

#[test]
fn counts_are_what_grep_counts() {
    let failed = lines_with(ORDERS, "status=failed").count();
    let result = orders("How many orders have status failed?");
    assert_eq!((result.matched, result.text), (failed, format!("{failed} records match (status = failed).")));

    let refunded =
        lines_with(ORDERS, "user=mara.lindt").filter(|(_, line)| line.contains("status=refunded")).count();
    assert_eq!(orders("How many orders of mara.lindt were refunded?").matched, refunded);

    let large = ORDERS.lines().filter(|line| cents(line) > 10_000).count();
    assert_eq!(orders("How many orders have an amount over 100 EUR?").matched, large);

    assert_eq!(
        orders("How many lines mention card_declined?").matched,
        lines_with(ORDERS, "card_declined").count()
    );
    assert_eq!(orders("How many orders are there?").text, "648 records in all.");

    let errors = SERVICE.lines().filter(|line| field(line, "level") == Some("ERROR")).count();
    assert_eq!(service("How many lines have level ERROR?", "count\n-\nlevel = ERROR\n").matched, errors);
    let slow =
        |line: &&str| field(line, "latency").unwrap().trim_end_matches("ms").parse::<u32>().unwrap() > 1_000;
    assert_eq!(
        service("How many lines have a latency over 1 s?", "count\n-\nlatency > 1 s\n").matched,
        SERVICE.lines().filter(slow).count()
    );
}

#[test]
fn extremes_totals_and_means_are_what_awk_computes() {
    let (line, largest) = (1..).zip(ORDERS.lines()).max_by_key(|(_, line)| cents(line)).unwrap();
    let user = field(largest, "user").unwrap();
    assert_eq!(
        orders("Which user has the largest amount?").text,
        format!("The largest amount is {} ({user}, line {line}).", euros(cents(largest)))
    );

    let refunds: Vec<i64> = lines_with(ORDERS, "status=refunded").map(|(_, line)| cents(line)).collect();
    let total: i64 = refunds.iter().sum();
    assert_eq!(
        orders("What is the total amount of refunded orders?").text,
        format!(
            "The total amount is {} over {} records, where status = refunded.",
            euros(total),
            refunds.len()
        )
    );

    let mean = orders("What is the average amount?").text;
    let all: i64 = ORDERS.lines().map(cents).sum();
    let expected = format!("The average amount is about {:.4} over 648 records.", all as f64 / 64_800.0);
    assert_eq!(mean, expected);

    let slowest = SERVICE
        .lines()
        .map(|line| field(line, "latency").unwrap())
        .max_by_key(|latency| latency.trim_end_matches("ms").parse::<u32>().unwrap());
    let result = service("Which service has the largest latency?", "max\nlatency, service\n");
    assert!(
        result.text.starts_with(&format!("The largest latency is {} (", slowest.unwrap())),
        "{}",
        result.text
    );
}

#[test]
fn first_last_lists_and_lookups_are_what_grep_finds() {
    let (line, first) = lines_with(ORDERS, "status=refunded").next().unwrap();
    let order = field(first, "order").unwrap();
    assert_eq!(
        orders("What is the first refunded order?").text,
        format!("The first order is {order} (line {line}), where status = refunded.")
    );

    let (line, last) = lines_with(ORDERS, "chargeback").last().unwrap();
    let result = orders("Show the last line that mentions chargeback");
    assert_eq!((result.citations[0].lines[0] as usize, result.citations[0].quote.as_str()), (line, last));

    let users: BTreeSet<&str> =
        lines_with(ORDERS, "status=expired").map(|(_, line)| field(line, "user").unwrap()).collect();
    let result = orders("Which users have expired orders?");
    assert!(users.iter().all(|user| result.text.contains(user)), "{}", result.text);
    assert!(result.text.contains(&format!("({} value", users.len())), "{}", result.text);

    let (line, _) = lines_with(ORDERS, "order=40268").next().unwrap();
    let result = orders("What is the status of order 40268?");
    assert_eq!(result.text, format!("The status is refunded (line {line}), where order = 40268."));
    assert_eq!(orders("Are there any disputed orders?").text, "Yes: 10 records match (status = disputed).");
}
