//! Programs of the user's, through the binary that ships: the bundled one over a swarm on this machine, and those that
//! are wrong, are stopped, or never end.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::{
    Background, Endpoint, SmallSwarm, frlm, json, killed_on_its_way, orders, run, stderr, stdout,
};
use serde_json::Value;

const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets");

/// The first lines of a sample, under its own name.
fn beginning_of(sample: &str, lines: usize, folder: &Path) -> PathBuf {
    let text = std::fs::read_to_string(Path::new(ASSETS).join("samples").join(sample)).unwrap();
    let path = folder.join(sample);
    let text: String = text.lines().take(lines).fold(String::new(), |text, line| text + line + "\n");
    std::fs::write(&path, text).unwrap();
    path
}

fn lines_with(path: &Path, parts: &[&str]) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
}

fn notes(answer: &Value, stage: &str) -> Vec<String> {
    let decisions = answer["decisions"].as_array().unwrap().iter();
    let of_stage = decisions.filter(|decision| decision["stage"] == stage);
    of_stage.map(|decision| decision["reasoning"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_bundled_program_asks_a_swarm_and_its_answer_is_right_and_cited() {
    let folder = tempfile::tempdir().unwrap();
    let (_relay, url) = Background::relay(folder.path());
    let _a = Background::provider(folder.path(), &url);
    let _b = Background::provider(folder.path(), &url);
    let orders = beginning_of("orders.log", 320, folder.path());
    let shop = beginning_of("shop.log", 105, folder.path());
    let program = Path::new(ASSETS).join("programs/failed_orders.py");
    let words = |more: &'static str| {
        let mut command = frlm(folder.path());
        command.arg("run").arg(&program).arg("--file").arg(&orders).arg("--file").arg(&shop);
        command.args(["--relay", &url, more]).output().unwrap()
    };
    let foreseen = words("--dry-run");
    assert!(foreseen.status.success(), "{}", stderr(&foreseen));
    for part in ["failed_orders.py", "sha256", "for each question to a fragment", "but not the program"] {
        assert!(stdout(&foreseen).contains(part), "{part}: {}", stdout(&foreseen));
    }
    assert!(!stdout(&run(folder.path(), &["runs", "list"])).contains("Whose orders"));

    let output = words("--json");
    assert!(output.status.success(), "{}", stderr(&output));
    let answer = json(&output);
    let user = "ines.costa";
    let failed = lines_with(&orders, &["status=failed", &format!("user={user} ")]);
    let errors = lines_with(&shop, &["level=ERROR", &format!("user={user} ")]);
    let text = answer["answer"].as_str().unwrap();
    assert!(text.starts_with(&format!("{user}: {failed} failed orders, most of them in lines ")), "{text}");
    assert!(text.ends_with(&format!("the shop logged {errors} errors for them.")), "{text}");
    assert_eq!((&answer["method"], &answer["coverage"]), (&"program".into(), &1.0.into()));
    assert!(!answer["citations"].as_array().unwrap().is_empty(), "{answer}");
    // Halves are asked over what each piece was asked before: 20 pieces twice, 7 of the shop's once.
    assert_eq!(answer["subtasks"]["total"], 47, "{answer}");
    assert!(notes(&answer, "program")[0].contains("Which user has the most failed orders?"), "{answer}");
    assert!(stderr(&output).contains(&format!("most failed orders: {user}")), "{}", stderr(&output));

    let id = answer["run_id"].as_str().unwrap();
    assert!(stdout(&run(folder.path(), &["runs", "list"])).contains("Whose orders fail most"));
    let shown = stdout(&run(folder.path(), &["runs", "show", id]));
    assert!(shown.contains(user) && shown.contains("program failed_orders.py, "), "{shown}");
    assert!(stdout(&run(folder.path(), &["runs", "replay", id])).contains("call 1: ask"));
}

/// Counts in each piece, and adds by code.
const ADDS: &str = "# Counts failed lines.\nsum(ask_each('How many lines have status failed?'))\n";

#[test]
fn a_program_that_was_killed_with_its_run_goes_on_and_asks_nothing_twice() {
    let SmallSwarm { folder, home, url, path, .. } = &SmallSwarm::with_orders(400);
    let program = folder.path().join("adds.py");
    std::fs::write(&program, ADDS).unwrap();
    let flags = ["--file", path.to_str().unwrap(), "--relay", url, "--yes", "--fragment-lines", "8"];
    let id = killed_on_its_way(home, frlm(home).arg("run").arg(&program).args(flags));
    // The run has its program: the file may go.
    std::fs::remove_file(&program).unwrap();
    let resumed = run(home, &["runs", "resume", &id, "--json"]);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    let answer = json(&resumed);
    assert_eq!(answer["answer"], "80");
    assert!(answer["subtasks"]["cached"].as_u64().unwrap() >= 3, "{answer}");
    assert_eq!(answer["subtasks"]["total"], 50, "{answer}");
    assert!(run(home, &["wallet", "audit"]).status.success());
}

/// Runs a program over a document, answered by a model of the user's that finds nothing.
fn alone(code: &str, more: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let (document, program) = (folder.path().join("orders.log"), folder.path().join("mine.py"));
    orders(&document, 20);
    std::fs::write(&program, code).unwrap();
    let endpoint = Endpoint::that_says(r#"{"matches":[]}"#);
    frlm(&folder.path().join("home"))
        .arg("run")
        .arg(&program)
        .arg("--file")
        .arg(&document)
        .args(["--local", "--model", &endpoint.model()])
        .args(more)
        .output()
        .unwrap()
}

#[test]
fn what_a_program_finds_set_is_there() {
    let code = "\
answer = []
for piece in fragments[:1]:
    answer.append([piece.index, piece.file.endswith('orders.log'), piece.first, piece.last, len(piece.text) > 9])
answer.append(len(documents))
answer.append(question)
answer.append(ask('How many lines have status failed?', fragments[0]))
answer.append(ask('Are there any lines with status failed?', fragments[0]))
";
    let output = alone(code, &["What is there?", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let answer = json(&output);
    assert_eq!(answer["answer"], "[0, True, 1, 16, True]\n1\nWhat is there?\n0\nFalse");
}

#[test]
fn a_syntax_error_is_told_with_its_line_before_anything_is_asked() {
    let output = alone("x = 1\nif x\n    ask('Who?')\n", &[]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("mine.py is no program") && said.contains("line 2"), "{said}");
    let output = alone("ask('Who?')", &["--style", "concise"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("--style"), "{}", stderr(&output));
}

#[test]
fn an_error_of_the_program_is_told_with_its_line() {
    for (code, line, words) in [
        ("n = ask('How many lines have status failed?')\n1 / n\n", "line 2", "ZeroDivisionError"),
        ("def f():\n    return ask(3)\nf()\n", "line 2", "a question in words first"),
        ("x = 1\nopen('/etc/passwd').read()\n", "line 2", "PermissionError"),
        ("x = 1\nask('How many lines have status failed?', 99)\n", "line 2", "indices from 0"),
        ("x = 1\n", "", "ended without an answer"),
    ] {
        let output = alone(code, &[]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{code}: {said}");
        assert!(said.contains(line) && said.contains(words), "{code}: {said}");
        assert!(!said.contains("root:"), "{said}");
    }
}

#[test]
fn a_program_with_endless_time_output_or_memory_is_stopped_and_named() {
    for (code, more, words) in [
        ("while True:\n    pass\n", &["--timeout", "3"][..], "while its program was computing"),
        ("while True:\n    print('y' * 1000)\n", &[], "prints or answers more than"),
        ("'y' * 2000000\n", &[], "prints or answers more than"),
        ("def f(n):\n    return f(n + 1)\nf(0)\n", &[], "RecursionError"),
        ("x = []\nwhile True:\n    x.append('y' * 10000000 + str(len(x)))\n", &[], "emory"),
        ("ask_each('How many lines have status failed?', [0] * 100001)\n", &[], "more than 100000 questions"),
    ] {
        let output = alone(code, more);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{code}: {said}");
        assert!(said.contains(words), "{code}: {said}");
    }
}

#[test]
fn a_program_without_questions_is_free_and_cannot_fool_a_terminal() {
    let mut code = String::from("print('\\x1b[2Jcleared')\n");
    writeln!(code, "len([piece for piece in fragments if 'failed' in piece.text])").unwrap();
    let output = alone(&code, &["--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let answer = json(&output);
    assert_eq!((&answer["answer"], &answer["subtasks"]["total"]), (&"2".into(), &0.into()));
    assert!(stderr(&output).contains("cleared") && !stderr(&output).contains('\u{1b}'));
}
