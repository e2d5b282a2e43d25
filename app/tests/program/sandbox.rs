//! Programs that a model answered, and a check that the asker wrote, through the binary that ships: whatever
//! they try, a worker ends and everybody else goes on.

use std::path::Path;
use std::process::Output;

use crate::common::{Endpoint, json, run, stderr, stdout};
use frlm_sandbox::{Limits, Program, Sandbox, SandboxError};
use frlm_wallet::{Ledger, Sats};

const LIMITS: Limits = Limits { time_ms: 1_000, memory_bytes: 128 << 20, output_bytes: 16 << 10, depth: 400 };

/// What each of them tries, and a word that its output would hold if it got through.
const ESCAPES: [(&str, &str, &str); 8] = [
    ("reads a file", "open('/etc/passwd').read()", "root:"),
    ("opens a connection", "import socket\nsocket.create_connection(('127.0.0.1', 80))\n'open'", "open"),
    ("imports", "import os\nstr(dict(os.environ))", "PATH"),
    ("forks until nothing is left", "import os\nwhile True:\n    os.fork()", "never"),
    ("never ends", "while True:\n    pass", "never"),
    ("takes all memory", "x = []\nwhile True:\n    x.append('y' * 100000 + str(len(x)))", "never"),
    ("calls itself for ever", "def f(n):\n    return f(n + 1)\nf(0)", "never"),
    ("aborts", "import os\nos.abort()\n'alive'", "alive"),
];

/// The program that ships is its own worker, and this process, which holds a ledger, can go on spending.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_gets_out_and_the_wallet_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_frlm"), &["sandbox-worker"], LIMITS);
    assert_eq!(sandbox.run(&Program::new("sum(range(1, 101))")).unwrap().output(), "5050");
    let deep = "(".repeat(40_000);
    let tries = ESCAPES.iter().copied().chain([("leads the parser too deep", deep.as_str(), "never")]);
    for (at, (what, program, word)) in tries.enumerate() {
        match sandbox.run(&Program::new(program)) {
            Ok(ran) => panic!("{what}: it went on and gave {ran:?}"),
            Err(SandboxError::Start(why)) => panic!("{what}: the sandbox did not even start: {why}"),
            Err(error) => assert!(!error.to_string().contains(word), "{what}: {error}"),
        }
        let name = format!("run-{at}");
        ledger.open_run(name.as_str(), Sats(10)).await.unwrap();
        assert_eq!(ledger.budget(name.as_str()).await.unwrap().available, Sats(10));
    }
}

const EXERCISE: &str = "Exercise: write a program that adds the whole numbers from 1 to 100.\n";

/// Asks an endpoint that answers with this program, and has the answer checked.
fn asked(folder: &Path, program: &'static str, check: &str) -> Output {
    let document = folder.join("exercise.txt");
    std::fs::write(&document, EXERCISE).unwrap();
    let file = folder.join("check.py");
    std::fs::write(&file, check).unwrap();
    let said = serde_json::json!({
        "reduction": "free",
        "found": true,
        "answer": format!("```python\n{program}\n```"),
        "quotes": [{"line": 1, "quote": "adds the whole numbers from 1 to 100"}],
    });
    let endpoint = Endpoint::that_says(Box::leak(said.to_string().into_boxed_str()));
    run(
        &folder.join("home"),
        &[
            "ask",
            "Which program solves the exercise, and why?",
            "--file",
            document.to_str().unwrap(),
            "--local",
            "--model",
            &endpoint.model(),
            "--verify",
            &format!("objective:{}", file.display()),
            "--yes",
            "--json",
        ],
    )
}

#[test]
fn an_answer_that_is_a_program_is_run_before_it_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let check = "output is not None and output.strip() == '5050' and len(answer['quotes']) == 1";
    let right = asked(folder.path(), "sum(range(1, 100 + 1))", check);
    assert!(right.status.success(), "{}", stderr(&right));
    assert!(json(&right)["answer"].as_str().unwrap().contains("sum(range(1, 100 + 1))"));

    let wrong = asked(folder.path(), "sum(range(1, 100))", check);
    assert_eq!(wrong.status.code(), Some(5), "{}", stderr(&wrong));
    assert!(stderr(&wrong).contains("the check says False"), "{}", stderr(&wrong));
}

#[test]
fn a_hostile_answer_gets_nowhere_and_cannot_talk_the_check_round() {
    let folder = tempfile::tempdir().unwrap();
    let check = "output is not None and len(output) > 0 and sum([1, 1]) == 2";
    for program in [
        "open('/etc/passwd').read()",
        "while True:\n    pass",
        "import os\nos.abort()",
        // What it redefines is gone when the check runs; it gives nothing, so the check says no.
        "def len(x):\n    return 100\ndef sum(x):\n    return 2\noutput = 'yes'",
    ] {
        let outcome = asked(folder.path(), program, check);
        assert_eq!(outcome.status.code(), Some(5), "{program}: {}", stderr(&outcome));
        let said = stdout(&outcome) + &stderr(&outcome);
        assert!(!said.contains("root:"), "{said}");
    }
}

#[test]
fn an_undecided_check_accepts_nothing_and_an_invalid_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let silent = asked(folder.path(), "5050", "answer['no such key'] == 1");
    assert_eq!(silent.status.code(), Some(5), "{}", stderr(&silent));
    assert!(stderr(&silent).contains("the check itself failed"), "{}", stderr(&silent));
    let none = asked(folder.path(), "5050", "output ==");
    assert_eq!(none.status.code(), Some(2), "{}", stderr(&none));
    assert!(stderr(&none).contains("it is no program"), "{}", stderr(&none));
}
