//! Questions that code answers: nothing leaves this machine, and the answer says how the question was read.

use std::fmt::Write as _;
use std::path::Path;

use crate::common::{Endpoint, json, run, stderr, stdout};

/// Orders with named fields, of which every fifth failed.
fn orders(path: &Path, lines: usize) {
    let mut text = String::new();
    for number in 1..=lines {
        let status = if number % 5 == 0 { "failed" } else { "shipped" };
        writeln!(
            text,
            "order={} user=user{} amount={} status={status}",
            4_000 + number,
            number % 7,
            number * 3
        )
        .unwrap();
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_count_over_a_log_is_answered_by_code_without_relay_provider_or_sats() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.log");
    orders(&path, 60);
    let file = path.to_str().unwrap();
    let home = folder.path().join("home");
    let output =
        run(&home, &["ask", "How many orders have status failed?", "--file", file, "--json", "--yes"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let answer = json(&output);
    let text = std::fs::read_to_string(&path).unwrap();
    let failed = text.lines().filter(|line| line.contains("status=failed")).count();
    assert_eq!(answer["method"], "code");
    assert!(answer["answer"].as_str().unwrap().starts_with(&format!("{failed} (")), "{answer}");
    assert_eq!(answer["reading"]["rows"], failed);
    assert_eq!((&answer["budget"]["spent_sats"], &answer["subtasks"]["total"]), (&0.into(), &0.into()));
    for citation in answer["citations"].as_array().unwrap() {
        let line = usize::try_from(citation["lines"][0].as_u64().unwrap()).unwrap();
        assert_eq!(text.lines().nth(line - 1), citation["quote"].as_str());
    }
    let shown = stdout(&run(&home, &["runs", "show", answer["run_id"].as_str().unwrap()]));
    assert!(shown.contains("as SQL            SELECT "), "{shown}");
}

#[test]
fn what_code_cannot_answer_is_refused_with_questions_that_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.log");
    orders(&path, 60);
    let file = path.to_str().unwrap();
    let ask = |question: &str| run(folder.path(), &["ask", question, "--by", "code", "--file", file]);
    let output = ask("Why is everybody so unhappy with the weather?");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let said = stderr(&output);
    let suggested = said.lines().filter_map(|line| line.strip_prefix("  ")).collect::<Vec<_>>();
    assert_eq!(suggested.len(), 2, "{said}");
    for question in suggested {
        let output = ask(question);
        assert!(output.status.success(), "{question}: {}", stderr(&output));
    }
}

#[test]
fn what_code_cannot_read_the_users_model_reads_and_nobody_else_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.log");
    orders(&path, 60);
    let file = path.to_str().unwrap();
    let home = folder.path().join("home");
    // No relay is named.
    let ask = |by: &str, model: &Endpoint| {
        let question = "Who is our most annoying customer?";
        let args = ["ask", question, "--by", by, "--file", file, "--model", &model.model(), "--json"];
        run(&home, &args)
    };
    let reads = Endpoint::that_says(
        r#"{"select":["user",{"function":"count"}],"where":{"in":{"column":"status","values":["failed"]}},
            "group_by":["user"],"order_by":[{"output":1,"descending":true},{"output":0}],"limit":1}"#,
    );
    let output = ask("auto", &reads);
    assert!(output.status.success(), "{}", stderr(&output));
    let answer = json(&output);
    assert_eq!((&answer["method"], &answer["subtasks"]["total"]), (&"code".into(), &0.into()));
    assert_eq!(answer["reading"]["notes"][0], "your own model read the question");
    assert!(answer["answer"].as_str().unwrap().starts_with("user"), "{answer}");
    let shown = stdout(&run(&home, &["runs", "show", answer["run_id"].as_str().unwrap()]));
    assert!(shown.contains("your own model read the question over"), "{shown}");

    let refuses = Endpoint::that_says(r#"{"refuse":"no column tells who is annoying"}"#);
    let output = ask("code", &refuses);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("Questions that work on") && said.contains("no column tells who"), "{said}");
}
