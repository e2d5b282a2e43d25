//! The sandbox's other end: one program from standard input, one word to standard output.

use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use monty::MontyRun;
use monty_types::{
    CompileOptions, DictPairs, ExcType, MontyException, MontyObject, PrintWriter, ResourceLimits,
    ResourceTracker,
};
use serde_json::Value;

use crate::confine::confine;
use crate::wire::{Limits, Program, Ran, Request, Word};

/// The exit code of a worker that runs nothing because it could not limit itself.
pub(crate) const NOT_CONFINED: u8 = 77;
/// Characters of an error that are told.
const LONGEST_ERROR: usize = 2_000;

/// Runs the program that stands on standard input, after its limits, and says what came of it. The
/// process must do nothing else before or after: no settings, no runtime, no logs.
pub fn serve() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(End::NotConfined) => ExitCode::from(NOT_CONFINED),
        Err(End::Broken) => ExitCode::FAILURE,
    }
}

enum End {
    NotConfined,
    Broken,
}

fn answer() -> Result<(), End> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|_| End::Broken)?;
    let request: Request = serde_json::from_str(&line).map_err(|_| End::Broken)?;
    drop(line);
    confine(&request.limits).map_err(|_| End::NotConfined)?;
    let word = run(request.program, &request.limits);
    let word = serde_json::to_vec(&word).map_err(|_| End::Broken)?;
    let mut output = std::io::stdout().lock();
    output.write_all(&word).and_then(|()| output.flush()).map_err(|_| End::Broken)
}

fn run(program: Program, limits: &Limits) -> Word {
    let (names, values): (Vec<String>, Vec<MontyObject>) =
        program.inputs.into_iter().map(|(name, value)| (name, object(value))).unzip();
    let compiled = match MontyRun::new(program.code, "program.py", names, CompileOptions::default()) {
        Ok(compiled) => compiled,
        Err(error) => return raised(&error),
    };
    let resources = ResourceLimits {
        max_duration: Some(Duration::from_millis(limits.time_ms)),
        max_recursion_depth: limits.depth,
        ..ResourceLimits::default()
    };
    let mut printed = String::new();
    let writer = PrintWriter::CollectString(&mut printed, Some(limits.output_bytes));
    let ended = compiled.run(values, ResourceTracker::new(resources), writer);
    match ended {
        Ok(value) => gave(printed, &value, limits),
        Err(error) if error.to_string().contains("time limit exceeded") => Word::OutOfTime,
        // What it printed is cut at the limit, and the rest refused.
        Err(error) if error.exc_type() == ExcType::MemoryError && !printed.is_empty() => Word::TooMuch,
        Err(error) => raised(&error),
    }
}

fn gave(printed: String, value: &MontyObject, limits: &Limits) -> Word {
    let truth = if let MontyObject::Bool(truth) = value { Some(*truth) } else { None };
    let value = (!matches!(value, MontyObject::None)).then(|| value.to_string());
    if value.as_ref().is_some_and(|value| value.len() > limits.output_bytes) {
        return Word::TooMuch;
    }
    Word::Gave(Ran { printed, value, truth })
}

fn raised(error: &MontyException) -> Word {
    let words: String = error.summary().chars().take(LONGEST_ERROR).collect();
    match error.exc_type() {
        // Right Python that this interpreter does not know, or a package that is not here.
        ExcType::NotImplementedError | ExcType::ModuleNotFoundError | ExcType::ImportError => {
            Word::Lacks(words)
        }
        _ => Word::Raised(words),
    }
}

/// A JSON value as a program sees it.
fn object(value: Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(truth) => MontyObject::Bool(truth),
        Value::Number(number) => number
            .as_i64()
            .map(MontyObject::Int)
            .or_else(|| number.as_f64().map(MontyObject::Float))
            .unwrap_or(MontyObject::None),
        Value::String(text) => MontyObject::String(text),
        Value::Array(items) => MontyObject::List(items.into_iter().map(object).collect()),
        Value::Object(members) => {
            let pairs = members.into_iter().map(|(name, value)| (MontyObject::String(name), object(value)));
            MontyObject::Dict(pairs.collect::<DictPairs>())
        }
    }
}

/// What a program could try if it got out of the interpreter, tried by hand in a worker that is confined like
/// any other. For tests.
#[doc(hidden)]
pub fn try_by_hand() -> ExitCode {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    let request: Option<Request> = read.ok().and_then(|_| serde_json::from_str(&line).ok());
    let Some(request) = request else { return ExitCode::FAILURE };
    if confine(&request.limits).is_err() {
        return ExitCode::from(NOT_CONFINED);
    }
    let told = |refused: bool| if refused { "refused" } else { "done" };
    let file = std::env::temp_dir().join("frlm-escaped-by-hand");
    let empty = std::env::vars_os().next().is_none();
    let printed = [
        format!("read a file: {}", told(std::fs::read("/etc/passwd").is_err())),
        format!("write a file: {}", told(std::fs::write(file, "out").is_err())),
        format!("open a socket: {}", told(std::net::TcpListener::bind("127.0.0.1:0").is_err())),
        format!("start a program: {}", told(std::process::Command::new("/bin/true").status().is_err())),
        format!("start a thread: {}", told(std::thread::Builder::new().spawn(|| ()).is_err())),
        format!("read what is open: {}", told(std::io::stdin().read_line(&mut line).is_err())),
        format!("write elsewhere: {}", told(std::io::stderr().write_all(b"out").is_err())),
        format!("read the environment: {}", if empty { "empty" } else { "full" }),
    ]
    .join("\n");
    let word = Word::Gave(Ran { printed, value: None, truth: None });
    let Ok(word) = serde_json::to_vec(&word) else { return ExitCode::FAILURE };
    match std::io::stdout().lock().write_all(&word) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
