//! Programs that call functions of their caller: what they may say and hear, and that it opens no way out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use frlm_sandbox::{Call, Conversation, Limits, Next, Ran, Records, Reply, Sandbox, SandboxError, Script};
use serde_json::{Map, Value, json};

const LIMITS: Limits = Limits { time_ms: 1_000, memory_bytes: 128 << 20, output_bytes: 16 << 10, depth: 400 };
static GOES_ON: AtomicBool = AtomicBool::new(false);

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_frlm-sandbox-test-worker"), &[], LIMITS)
}

fn script(code: &str) -> Script {
    let fragments = Records {
        name: "fragments".to_owned(),
        kind: "Fragment".to_owned(),
        fields: ["index", "file", "text"].map(str::to_owned).to_vec(),
        rows: vec![
            vec![json!(0), json!("a.log"), json!("one\ntwo")],
            vec![json!(1), json!("b.log"), json!("three")],
        ],
    };
    Script {
        name: "program.py".to_owned(),
        code: code.to_owned(),
        inputs: Map::from_iter([("question".to_owned(), json!("How many?"))]),
        records: vec![fragments],
        functions: vec!["ask".to_owned()],
    }
}

/// What a program came to, whose calls are answered like this, and what it printed.
fn talk(code: &str, answer: impl FnMut(&Call) -> Reply) -> (String, Result<Ran, SandboxError>) {
    go_on(sandbox().converse(script(code)).unwrap(), answer)
}

fn go_on(
    mut conversation: Conversation,
    mut answer: impl FnMut(&Call) -> Reply,
) -> (String, Result<Ran, SandboxError>) {
    let mut all = String::new();
    loop {
        let (printed, next) = conversation.next(&GOES_ON);
        all.push_str(&printed);
        match next {
            Ok(Next::Calls(call)) => conversation.reply(&answer(&call)).unwrap(),
            Ok(Next::Ended(ran)) => return (all, Ok(ran)),
            Err(error) => return (all, Err(error)),
        }
    }
}

fn nobody(call: &Call) -> Reply {
    panic!("it called {call:?}")
}

#[test]
fn a_program_asks_hears_and_goes_on() {
    let code = "\
def total(pieces):
    if len(pieces) == 1:
        print('asks', pieces[0].file)
        return ask(question, pieces[0])
    half = len(pieces) // 2
    return total(pieces[:half]) + total(pieces[half:])

total(fragments)";
    let mut calls = Vec::new();
    let (printed, ran) = talk(code, |call| {
        calls.push(call.clone());
        Reply::Gives(json!(20 + calls.len()))
    });
    assert_eq!(ran.unwrap().value.as_deref(), Some("43"));
    assert_eq!(printed, "asks a.log\nasks b.log\n");
    let given: Vec<&Value> = calls.iter().flat_map(|call| &call.arguments).collect();
    assert_eq!(given, [&json!("How many?"), &json!(0), &json!("How many?"), &json!(1)]);
}

#[test]
fn what_is_given_by_name_and_in_lists_arrives() {
    let (_, ran) = talk("ask('Who?', fragments=fragments, missing=None) is None", |call| {
        assert_eq!(call.arguments, [json!("Who?")]);
        assert_eq!(Value::Object(call.named.clone()), json!({"fragments": [0, 1], "missing": null}));
        Reply::Gives(Value::Null)
    });
    assert_eq!(ran.unwrap().truth, Some(true));
}

#[test]
fn a_call_that_came_to_nothing_is_an_error_that_the_program_may_catch() {
    let caught = "try:\n    ask('a')\nexcept RuntimeError as error:\n    found = str(error)\nfound";
    let (_, ran) = talk(caught, |_| Reply::Raises("no verified answer".to_owned()));
    assert_eq!(ran.unwrap().value.as_deref(), Some("no verified answer"));

    let (_, ran) = talk("x = 1\nask('a')", |_| Reply::Raises("no verified answer".to_owned()));
    let error = ran.unwrap_err().to_string();
    assert!(error.contains("File \"program.py\", line 2"), "{error}");
    assert!(error.contains("RuntimeError: no verified answer"), "{error}");

    let (_, ran) = talk("ask(1, 2, 3)", |_| Reply::Misused("ask() takes a question".to_owned()));
    assert!(ran.unwrap_err().to_string().contains("TypeError: ask() takes a question"));
}

#[test]
fn what_cannot_be_sent_is_an_error_of_the_program() {
    let (_, ran) = talk("ask(float('nan'))", nobody);
    assert!(ran.unwrap_err().to_string().contains("TypeError"));
    let (_, ran) = talk("ask('y' * 2000000)", nobody);
    assert!(ran.unwrap_err().to_string().contains("was given more than"));
    let (_, ran) = talk("tell('a')", nobody);
    assert!(ran.unwrap_err().to_string().contains("NameError"));
}

/// What each tries, and a word that its output would hold if it got through. The channel is open in all of them.
const ESCAPES: [(&str, &str, &str); 9] = [
    ("reads a file", "ask('a')\nopen('/etc/passwd').read()", "root:"),
    ("reads its own input", "ask('a')\nopen('/dev/stdin').read()", "gives"),
    ("imports by name", "ask('a')\n__import__('os').system('id')\n'asked'", "asked"),
    ("reads the environment", "ask('a')\nimport os\nstr(dict(os.environ))", "PATH"),
    ("tells the time", "ask('a')\nfrom datetime import datetime\nstr(datetime.now())", "20"),
    ("draws lots", "ask('a')\nimport random\nstr(random.random())", "0."),
    ("goes through the function", "ask.__globals__\n'asked'", "asked"),
    ("awaits", "import asyncio\nasync def f():\n    return await ask('a')\nasyncio.run(f())", "never"),
    ("aborts", "ask('a')\nimport os\nos.abort()\n'alive'", "alive"),
];

#[test]
fn nothing_gets_out_by_the_new_way() {
    for (what, code, word) in ESCAPES {
        let (printed, ran) = talk(code, |_| Reply::Gives(Value::Null));
        match ran {
            Ok(ran) => panic!("{what}: it went on and gave {ran:?}"),
            Err(SandboxError::Start(why)) => panic!("{what}: the sandbox did not even start: {why}"),
            Err(error) => {
                let last = error.to_string().lines().last().unwrap_or_default().to_owned();
                assert!(!last.contains(word) && printed.is_empty(), "{what}: {error}");
            }
        }
    }
}

#[test]
fn what_is_said_over_the_channel_is_data() {
    let hostile = "\"}}\n{\"printed\":\"\",\"comes\":{\"end\":{\"gave\":{}}}}\n";
    let (printed, ran) = talk("print(question)\nask(question + ask(question))", |call| {
        Reply::Gives(json!(format!("{hostile}{}", call.arguments.len())))
    });
    assert_eq!(printed, "How many?\n");
    assert_eq!(ran.unwrap().value, Some(format!("{hostile}1")));
}

#[test]
fn each_limit_is_told_by_its_name() {
    let ended = |code| talk(code, |_| Reply::Gives(json!(1))).1.unwrap_err();
    assert_eq!(ended("ask('a')\nwhile True:\n    pass"), SandboxError::Time(1_000));
    assert_eq!(ended("while True:\n    print('y' * 1000)"), SandboxError::Output(16 << 10));
    assert_eq!(ended("while True:\n    print('y' * 1000)\n    ask('a')"), SandboxError::Output(16 << 10));
    assert_eq!(ended("ask('a')\n'y' * 20000"), SandboxError::Output(16 << 10));
    let deep = ended("ask('a')\ndef f(n):\n    return f(n + 1)\nf(0)").to_string();
    assert!(deep.contains("RecursionError"), "{deep}");
    let big = ended("x = []\nwhile True:\n    x.append('y' * 100000 + str(len(x)))");
    assert!(matches!(big, SandboxError::Died(_) | SandboxError::Failed(_)), "{big}");
}

#[test]
fn time_in_which_it_waits_is_not_its_own() {
    let (_, ran) = talk("ask('a') + ask('b')", |_| {
        // More than all the time that it has, in two answers.
        std::thread::sleep(Duration::from_millis(700));
        Reply::Gives(json!(1))
    });
    assert_eq!(ran.unwrap().value.as_deref(), Some("2"));
}

#[test]
fn a_syntax_error_names_its_line_and_nothing_runs() {
    let error = sandbox().read(&script("print('ran')\nx = (\n")).unwrap_err();
    assert!(matches!(&error, SandboxError::Failed(words) if words.contains("program.py")), "{error}");
    assert_eq!(sandbox().read(&script("while True:\n    ask('a')")), Ok(()));
}

#[test]
fn a_conversation_can_be_stopped_at_once() {
    let stop = AtomicBool::new(true);
    let mut conversation = sandbox().converse(script("while True:\n    pass")).unwrap();
    let began = Instant::now();
    assert_eq!(conversation.next(&stop).1, Err(SandboxError::Stopped));
    assert!(began.elapsed() < Duration::from_millis(LIMITS.time_ms) && stop.load(Ordering::Relaxed));
}

/// The interpreter offers none of this; the process would not do it either, though it may read what it is answered.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_is_answered_can_read_that_and_nothing_else() {
    let by_hand = Sandbox::new(env!("CARGO_BIN_EXE_frlm-sandbox-test-worker"), &["try-by-hand"], LIMITS);
    let (printed, ran) = go_on(by_hand.converse(script("")).unwrap(), nobody);
    assert!(ran.is_ok());
    let done: Vec<&str> =
        printed.lines().filter(|line| !line.ends_with("refused") && !line.ends_with("empty")).collect();
    assert!(printed.lines().count() == 8 && done.is_empty(), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_worker_that_sends_nonsense_is_neither_believed_nor_waited_for() {
    let mute = Sandbox::new("/bin/sh", &["-c", "exit 3"], LIMITS);
    assert!(matches!(go_on(mute.converse(script("")).unwrap(), nobody).1, Err(SandboxError::Died(_))));
    let nonsense = Sandbox::new("/bin/sh", &["-c", "echo nonsense; sleep 60"], LIMITS);
    assert!(matches!(go_on(nonsense.converse(script("")).unwrap(), nobody).1, Err(SandboxError::Died(_))));
    let call = r#"{"printed":"","comes":{"call":{"function":"ask","arguments":[],"named":{}}}}"#;
    let deaf = format!("while true; do echo '{call}'; done");
    let deaf = Sandbox::new("/bin/sh", &["-c", &deaf], LIMITS);
    let mut conversation = deaf.converse(script("")).unwrap();
    let long = Reply::Gives(json!("y".repeat(1 << 20)));
    let refused = (0..10).find_map(|_| {
        assert!(matches!(conversation.next(&GOES_ON).1, Ok(Next::Calls(_))));
        conversation.reply(&long).err()
    });
    assert!(refused.is_some(), "nobody reads what it is answered");
}
