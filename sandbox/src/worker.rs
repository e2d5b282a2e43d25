//! The sandbox's other end: one program from standard input, one word to standard output; where the program talks
//! ([`crate::talk`]), as many lines each way as it makes calls; where a document is read ([`crate::reading`]), its bytes in
//! and a line out for each thing that is found.

use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;

use monty::MontyRun;
use monty_types::{CompileOptions, ExcType, MontyException, MontyObject, PrintWriter, ResourceTracker};

use crate::confine::{Confined, confine, resources};
use crate::values::object;
use crate::wire::{End, Limits, NOT_CONFINED, Program, Ran, Request, Word, Work};
use crate::{reading, talk};

/// Characters of an error that are told.
const LONGEST_ERROR: usize = 2_000;

/// Does the one thing that standard input asks for, behind the walls, and says what came of it. The process must do nothing else before or after: no settings, no runtime, no logs.
pub fn serve() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(End::NotConfined) => ExitCode::from(NOT_CONFINED),
        Err(End::Broken) => ExitCode::FAILURE,
    }
}

fn answer() -> Result<(), End> {
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line).map_err(|_| End::Broken)?;
    let Request { limits, work } = serde_json::from_str(&line).map_err(|_| End::Broken)?;
    drop(line);
    let within = |confined| confine(&limits, confined).map_err(|_| End::NotConfined);
    match work {
        Work::Run(program) => {
            within(Confined::Program)?;
            let word = serde_json::to_vec(&run(program, &limits)).map_err(|_| End::Broken)?;
            let mut output = std::io::stdout().lock();
            output.write_all(&word).and_then(|()| output.flush()).map_err(|_| End::Broken)
        }
        Work::Read(script) => {
            within(Confined::Program)?;
            talk::read(script, &mut std::io::stdout().lock())
        }
        Work::Talk(script) => {
            within(Confined::Conversation)?;
            talk::talk(script, &limits, &mut input, &mut std::io::stdout().lock())
        }
        Work::Document(document) => reading::read(document, limits, &mut input),
        Work::Page(page) => reading::page(page, limits, &mut input),
    }
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
