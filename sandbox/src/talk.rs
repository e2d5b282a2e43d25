//! A worker whose program calls functions: every call goes out as a line, and its answer comes in as one.
//!
//! ```text
//!   run ─► a function of the other end's ─► line out ─► (it waits; that time is not the program's) ─► line in ─► run …
//!    │        anything of the system's ─► an error in the program
//!    └─► the end, an error, a limit ─► the last line
//! ```

use std::io::{BufRead, Read as _, Write};

use monty::{MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExcType, ExtFunctionResult, MontyException, MontyObject, PrintWriter, ResourceTracker,
};
use serde_json::Map;

use crate::confine::resources;
use crate::values::{object, plain, shown};
use crate::wire::{Call, Comes, End, Limits, Ran, Records, Reply, Script, Turn, Word};

/// The longest call, in bytes.
const MOST_CALL_BYTES: usize = 1 << 20;
/// The longest answer to a call, in bytes; the other end keeps to less.
const MOST_REPLY_BYTES: u64 = 64 << 20;
/// Characters of a traceback that are told, from its beginning and from its end.
const TOLD_OF_AN_ERROR: usize = 2_000;

/// Says whether it is a program; runs nothing.
pub(crate) fn read(script: Script, output: &mut impl Write) -> Result<(), End> {
    let word = match compile(script.code, &script.name, Vec::new()) {
        Ok(_) => Word::Gave(Ran { printed: String::new(), value: None, truth: None }),
        Err(error) => Word::Raised(traceback(&error)),
    };
    say(output, String::new(), Comes::End(word))
}

/// Runs it to its end.
pub(crate) fn talk(
    script: Script,
    limits: &Limits,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<(), End> {
    let Script { name, code, inputs, records, functions } = script;
    let records = records.into_iter().map(|records| (records.name.clone(), listed(records)));
    let (names, values): (Vec<String>, Vec<MontyObject>) =
        inputs.into_iter().map(|(name, value)| (name, object(value))).chain(records).unzip();
    let compiled = match compile(code, &name, names) {
        Ok(compiled) => compiled,
        Err(error) => {
            return say(output, String::new(), Comes::End(Word::Raised(traceback(&error))));
        }
    };
    let mut printed_before = 0;
    let mut printed = String::new();
    let mut step =
        compiled.start(values, ResourceTracker::new(resources(limits)), into(&mut printed, 0, limits));
    loop {
        let progress = match step {
            Ok(progress) => progress,
            Err(error) => return say(output, printed, Comes::End(raised(&error))),
        };
        step = match progress {
            RunProgress::Complete(value) => {
                let word = gave(&value, limits);
                return say(output, printed, Comes::End(word));
            }
            RunProgress::NameLookup(lookup) => {
                let known = lookup.object_id().is_none() && functions.contains(&lookup.name);
                let found =
                    known.then(|| MontyObject::Function { name: lookup.name.clone(), docstring: None });
                lookup.resume(found, into(&mut printed, printed_before, limits))
            }
            RunProgress::OsCall(call) => {
                let refusal = call.function_call.on_no_handler();
                call.resume(refusal, into(&mut printed, printed_before, limits))
            }
            RunProgress::ResolveFutures(futures) => {
                let words = "nothing can be awaited here: the functions answer when they are called";
                let error = MontyException::new(ExcType::RuntimeError, Some(words.to_owned()));
                futures.abort(error, into(&mut printed, printed_before, limits))
            }
            RunProgress::FunctionCall(call) => {
                let known = call.object_id.is_none() && functions.contains(&call.function_name);
                let result = if known {
                    match asked(&call.function_name, &call.args, &call.kwargs) {
                        Ok(asked) => {
                            printed_before += printed.len();
                            say(output, std::mem::take(&mut printed), Comes::Call(asked))?;
                            answered(hear(input)?)
                        }
                        Err(words) => error(ExcType::TypeError, words),
                    }
                } else {
                    ExtFunctionResult::NotFound(call.function_name.clone())
                };
                call.resume(result, into(&mut printed, printed_before, limits))
            }
        };
    }
}

fn compile(code: String, name: &str, names: Vec<String>) -> Result<MontyRun, MontyException> {
    MontyRun::new(code, name, names, CompileOptions::default())
}

/// Collects what is printed, as long as it is not more in all than the limits allow.
fn into<'text>(printed: &'text mut String, before: usize, limits: &Limits) -> PrintWriter<'text> {
    PrintWriter::CollectString(printed, Some(limits.output_bytes.saturating_sub(before)))
}

fn listed(records: Records) -> MontyObject {
    let Records { kind, fields, rows, .. } = records;
    let record = |row: Vec<serde_json::Value>| MontyObject::NamedTuple {
        type_name: kind.clone(),
        field_names: fields.clone(),
        values: row.into_iter().map(object).collect(),
    };
    MontyObject::List(rows.into_iter().map(record).collect())
}

/// A call as it is sent, or what is wrong with it.
fn asked(
    function: &str,
    arguments: &[MontyObject],
    named: &[(MontyObject, MontyObject)],
) -> Result<Call, String> {
    let takes = || format!("{function}() takes text, numbers, fragments, and lists of these");
    let arguments = arguments.iter().map(plain).collect::<Option<Vec<_>>>().ok_or_else(takes)?;
    let named = named
        .iter()
        .map(|(name, value)| match name {
            MontyObject::String(name) => Some((name.clone(), plain(value)?)),
            _ => None,
        })
        .collect::<Option<Map<_, _>>>()
        .ok_or_else(takes)?;
    let call = Call { function: function.to_owned(), arguments, named };
    match serde_json::to_vec(&call) {
        Ok(text) if text.len() <= MOST_CALL_BYTES => Ok(call),
        _ => Err(format!("{function}() was given more than {MOST_CALL_BYTES} bytes")),
    }
}

fn answered(reply: Reply) -> ExtFunctionResult {
    match reply {
        Reply::Gives(value) => ExtFunctionResult::Return(object(value)),
        Reply::Raises(words) => error(ExcType::RuntimeError, words),
        Reply::Misused(words) => error(ExcType::TypeError, words),
    }
}

fn error(kind: ExcType, words: String) -> ExtFunctionResult {
    ExtFunctionResult::Error(MontyException::new(kind, Some(words)))
}

fn say(output: &mut impl Write, printed: String, comes: Comes) -> Result<(), End> {
    let mut line = serde_json::to_vec(&Turn { printed, comes }).map_err(|_| End::Broken)?;
    line.push(b'\n');
    output.write_all(&line).and_then(|()| output.flush()).map_err(|_| End::Broken)
}

fn hear(input: &mut impl BufRead) -> Result<Reply, End> {
    let mut line = Vec::new();
    input.take(MOST_REPLY_BYTES).read_until(b'\n', &mut line).map_err(|_| End::Broken)?;
    serde_json::from_slice(&line).map_err(|_| End::Broken)
}

fn gave(value: &MontyObject, limits: &Limits) -> Word {
    let truth = if let MontyObject::Bool(truth) = value { Some(*truth) } else { None };
    let value = (!matches!(value, MontyObject::None)).then(|| shown(value));
    if value.as_ref().is_some_and(|value| value.len() > limits.output_bytes) {
        return Word::TooMuch;
    }
    Word::Gave(Ran { printed: String::new(), value, truth })
}

fn raised(error: &MontyException) -> Word {
    let words = error.message().unwrap_or_default();
    match error.exc_type() {
        _ if words.contains("time limit exceeded") => Word::OutOfTime,
        // No memory limit is set in the interpreter: only what is printed is counted there.
        ExcType::MemoryError if words.contains("memory limit exceeded") => Word::TooMuch,
        _ => Word::Raised(traceback(error)),
    }
}

/// As Python tells it; of a long one the beginning and the end.
fn traceback(error: &MontyException) -> String {
    let text = error.to_string();
    let count = text.chars().count();
    if count <= 2 * TOLD_OF_AN_ERROR {
        return text;
    }
    let first: String = text.chars().take(TOLD_OF_AN_ERROR).collect();
    let last: String = text.chars().skip(count - TOLD_OF_AN_ERROR).collect();
    format!("{first}\n…\n{last}")
}
