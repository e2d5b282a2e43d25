//! The sandbox's other end: one program from standard input, one word to standard output, or, where the program talks
//! ([`crate::talk`]), as many lines each way as it makes calls.

use std::io::{BufRead as _, Read as _, Write as _};
use std::process::ExitCode;

use monty::MontyRun;
use monty_types::{CompileOptions, ExcType, MontyException, MontyObject, PrintWriter, ResourceTracker};

use crate::confine::{confine, resources};
use crate::talk::{self, Broken};
use crate::values::object;
use crate::wire::{Comes, Limits, Program, Ran, Request, Turn, Word, Work};

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

/// Why a worker ends without its last word.
enum End {
    /// It could not limit itself.
    NotConfined,
    /// What it reads or writes is no conversation any more.
    Broken,
}

impl From<Broken> for End {
    fn from(_: Broken) -> Self {
        Self::Broken
    }
}

fn answer() -> Result<(), End> {
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line).map_err(|_| End::Broken)?;
    let Request { limits, work } = serde_json::from_str(&line).map_err(|_| End::Broken)?;
    drop(line);
    confine(&limits, matches!(work, Work::Talk(_))).map_err(|_| End::NotConfined)?;
    let mut output = std::io::stdout().lock();
    let word = match work {
        Work::Run(program) => run(program, &limits),
        Work::Read(script) => return Ok(talk::read(script, &mut output)?),
        Work::Talk(script) => return Ok(talk::talk(script, &limits, &mut input, &mut output)?),
    };
    let word = serde_json::to_vec(&word).map_err(|_| End::Broken)?;
    output.write_all(&word).and_then(|()| output.flush()).map_err(|_| End::Broken)
}

fn run(program: Program, limits: &Limits) -> Word {
    let (names, values): (Vec<String>, Vec<MontyObject>) =
        program.inputs.into_iter().map(|(name, value)| (name, object(value))).unzip();
    let compiled = match MontyRun::new(program.code, "program.py", names, CompileOptions::default()) {
        Ok(compiled) => compiled,
        Err(error) => return raised(&error),
    };
    let mut printed = String::new();
    let writer = PrintWriter::CollectString(&mut printed, Some(limits.output_bytes));
    let ended = compiled.run(values, ResourceTracker::new(resources(limits)), writer);
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

/// What a program could try if it got out of the interpreter, tried by hand in a worker that is confined like
/// any other. For tests.
#[doc(hidden)]
pub fn try_by_hand() -> ExitCode {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    let request: Option<Request> = read.ok().and_then(|_| serde_json::from_str(&line).ok());
    let Some(request) = request else { return ExitCode::FAILURE };
    let talks = matches!(request.work, Work::Talk(_));
    // What whoever started it may have left open.
    let left_open = std::fs::File::open("/etc/passwd");
    if confine(&request.limits, talks).is_err() {
        return ExitCode::from(NOT_CONFINED);
    }
    let told = |refused: bool| if refused { "refused" } else { "done" };
    let file = std::env::temp_dir().join("frlm-escaped-by-hand");
    let empty = std::env::vars_os().next().is_none();
    let mut byte = [0];
    let open_is_refused = match left_open {
        Ok(mut open) => open.read(&mut byte).is_err(),
        Err(_) => true,
    };
    // Where it is answered there, nobody has said anything, and it would wait.
    let input_is_refused = talks || std::io::stdin().read_line(&mut line).is_err();
    let printed = [
        format!("read a file: {}", told(std::fs::read("/etc/passwd").is_err())),
        format!("write a file: {}", told(std::fs::write(file, "out").is_err())),
        format!("open a socket: {}", told(std::net::TcpListener::bind("127.0.0.1:0").is_err())),
        format!("start a program: {}", told(std::process::Command::new("/bin/true").status().is_err())),
        format!("start a thread: {}", told(std::thread::Builder::new().spawn(|| ()).is_err())),
        format!("read what is open: {}", told(input_is_refused && open_is_refused)),
        format!("write elsewhere: {}", told(std::io::stderr().write_all(b"out").is_err())),
        format!("read the environment: {}", if empty { "empty" } else { "full" }),
    ]
    .join("\n");
    let word = Word::Gave(Ran { printed: printed.clone(), value: None, truth: None });
    let word = if talks {
        serde_json::to_vec(&Turn { printed, comes: Comes::End(word) })
    } else {
        serde_json::to_vec(&word)
    };
    let Ok(mut word) = word else { return ExitCode::FAILURE };
    if talks {
        word.push(b'\n');
    }
    match std::io::stdout().lock().write_all(&word) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
