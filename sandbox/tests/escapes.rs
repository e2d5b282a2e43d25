//! Programs that somebody else wrote: whatever they try, a worker ends and this process goes on.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::time::{Duration, Instant};

use frlm_sandbox::{Limits, Program, Sandbox, SandboxError};
use serde_json::json;

const LIMITS: Limits = Limits { time_ms: 1_000, memory_bytes: 128 << 20, output_bytes: 16 << 10, depth: 400 };

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_frlm-sandbox-test-worker"), &[], LIMITS)
}

fn run(code: &str) -> Result<frlm_sandbox::Ran, SandboxError> {
    sandbox().run(&Program::new(code))
}

#[test]
fn a_program_that_answers_is_heard() {
    let factorial = "def factorial(n):\n    return 1 if n < 2 else n * factorial(n - 1)\n";
    let ran = run(&format!("{factorial}factorial(10)")).unwrap();
    assert_eq!((ran.output().as_str(), ran.truth), ("3628800", None));
    let ran = run("print('a', 1 + 1)\nprint('b')").unwrap();
    assert_eq!((ran.printed.as_str(), ran.value), ("a 2\nb\n", None));
    assert_eq!(run("2 > 1").unwrap().truth, Some(true));
    assert_eq!(run("'True'").unwrap().truth, None, "a word is no truth");
    let error = run("1 / 0").unwrap_err();
    assert!(matches!(&error, SandboxError::Failed(words) if words.contains("ZeroDivisionError")), "{error}");
    assert!(matches!(run("def ("), Err(SandboxError::Failed(_))));
}

#[test]
fn inputs_are_values_and_never_program_text() {
    let mut program = Program::new("answer['n'] + len(answer['items']) == 44 and note is None and text == t");
    program.inputs.insert("answer".to_owned(), json!({"n": 42, "items": [1.5, true]}));
    program.inputs.insert("note".to_owned(), json!(null));
    let hostile = "'); while True: pass #\"\"\"";
    program.inputs.insert("text".to_owned(), json!(hostile));
    program.inputs.insert("t".to_owned(), json!(hostile));
    assert_eq!(sandbox().run(&program).unwrap().truth, Some(true));
}

/// What each of them tries, and a word that its output would hold if it got through.
const ESCAPES: [(&str, &str, &str); 19] = [
    ("reads a file", "open('/etc/passwd').read()", "root:"),
    ("reads a file by path", "from pathlib import Path\nPath('/etc/passwd').read_text()", "root:"),
    ("lists a folder", "from pathlib import Path\nstr(list(Path('/').iterdir()))", "etc"),
    ("opens a connection", "import socket\nsocket.create_connection(('127.0.0.1', 80))\n'open'", "open"),
    ("fetches a page", "import urllib.request\nurllib.request.urlopen('http://127.0.0.1').read()", "html"),
    ("starts a program", "import subprocess\nsubprocess.check_output(['id'])", "uid="),
    ("asks the shell", "import os\nos.system('id')\n'asked'", "asked"),
    ("imports by name", "__import__('os').system('id')\n'asked'", "asked"),
    ("goes through a type", "().__class__.__bases__[0].__subclasses__()\n'asked'", "asked"),
    ("evaluates text", "eval('1 + 1')\n'asked'", "asked"),
    ("reads the environment", "import os\nstr(dict(os.environ))", "PATH"),
    ("forks until nothing is left", "import os\nwhile True:\n    os.fork()", "never"),
    ("never ends", "while True:\n    pass", "never"),
    ("never ends and hides it", "while True:\n    try:\n        while True: pass\n    except: pass", "never"),
    ("takes all memory at once", "x = 'x' * (1 << 40)\nlen(x)", "1099511627776"),
    ("takes all memory bit by bit", "x = []\nwhile True:\n    x.append('y' * 100000 + str(len(x)))", "never"),
    ("calls itself for ever", "def f(n):\n    return f(n + 1)\nf(0)", "never"),
    ("aborts", "import os\nos.abort()\n'alive'", "alive"),
    ("never stops talking", "while True:\n    print('y' * 1000)", "never"),
];

#[test]
fn nothing_gets_out() {
    for (what, program, word) in ESCAPES {
        let began = Instant::now();
        match run(program) {
            Ok(ran) => panic!("{what}: it went on and gave {ran:?}"),
            Err(SandboxError::Start(why)) => panic!("{what}: the sandbox did not even start: {why}"),
            Err(error) => assert!(!error.to_string().contains(word), "{what}: {error}"),
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{what}: {:?}", began.elapsed());
    }
}

#[test]
fn nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let error = run(&format!("f = open({path:?}, 'w')\nf.write('out')\n'written'")).unwrap_err();
    assert!(matches!(&error, SandboxError::Lacks(words) if !words.contains("written")), "{error}");
    assert!(!path.exists());
}

#[test]
fn each_limit_is_told_by_its_name() {
    assert_eq!(run("while True:\n    pass"), Err(SandboxError::Time(1_000)));
    assert_eq!(run("while True:\n    print('y' * 1000)"), Err(SandboxError::Output(16 << 10)));
    assert_eq!(run("'y' * 20000"), Err(SandboxError::Output(16 << 10)));
    let deep = run("def f(n):\n    return f(n + 1)\nf(0)").unwrap_err();
    assert!(matches!(&deep, SandboxError::Failed(words) if words.contains("RecursionError")), "{deep}");
    let big = run("x = []\nwhile True:\n    x.append('y' * 100000 + str(len(x)))").unwrap_err();
    assert!(matches!(big, SandboxError::Died(_) | SandboxError::Failed(_)), "{big}");
    let long = "x = 1\n".repeat(200_000);
    assert!(matches!(run(&long), Err(SandboxError::TooLong(..))));
}

#[test]
fn a_package_that_is_not_here_is_no_fault_of_the_program() {
    let error = run("import numpy\nnumpy.sum([1])").unwrap_err();
    assert!(matches!(error, SandboxError::Lacks(_)), "{error}");
    assert!(!error.is_the_programs());
    assert!(run("1 / 0").unwrap_err().is_the_programs());
}

#[test]
fn a_parser_that_recurses_too_deep_kills_only_its_own_worker() {
    for program in ["(".repeat(40_000), "[".repeat(20_000) + &"]".repeat(20_000), "-".repeat(40_000) + "1"] {
        let error = run(&program).unwrap_err();
        assert!(error.is_the_programs(), "{error}");
    }
}

/// The interpreter offers none of this; the process would not do it either.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_whose_interpreter_is_broken_out_of_can_still_do_nothing() {
    let by_hand = Sandbox::new(env!("CARGO_BIN_EXE_frlm-sandbox-test-worker"), &["try-by-hand"], LIMITS);
    let ran = by_hand.run(&Program::new("")).unwrap();
    let tried: Vec<&str> = ran.printed.lines().collect();
    assert_eq!(
        tried,
        [
            "read a file: refused",
            "write a file: refused",
            "open a socket: refused",
            "start a program: refused",
            "start a thread: refused",
            "read what is open: refused",
            "write elsewhere: refused",
            "read the environment: empty",
        ]
    );
}

#[test]
fn a_worker_that_is_none_and_one_that_does_not_speak_are_errors() {
    let none = Sandbox::new("/nowhere/at-all", &[], LIMITS);
    assert!(matches!(none.run(&Program::new("1")), Err(SandboxError::Start(_))));
    let mute = Sandbox::new("/bin/sh", &["-c", "exit 3"], LIMITS);
    assert!(matches!(mute.run(&Program::new("1")), Err(SandboxError::Died(_))));
}

#[cfg(unix)]
#[test]
fn whatever_a_worker_started_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alive");
    // A worker that leaves a child behind, which would speak up two seconds later.
    let script = format!("(sleep 2; echo alive > {}) & echo nonsense", path.display());
    let leaving = Sandbox::new("/bin/sh", &["-c", &script], LIMITS);
    assert!(leaving.run(&Program::new("1")).is_err());
    std::thread::sleep(Duration::from_secs(3));
    assert!(!path.exists());
}
