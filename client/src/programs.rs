//! A program of the user's: what is read of its text, and how it runs in the sandbox and talks to a run
//! (docs/decisions/0067-programs-over-the-swarm.md).

use std::path::Path;
use std::sync::Arc;

use frlm_questions::ingest::{Document, Fragment};
use frlm_questions::plan::program::Script;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The longest program, in bytes.
const MOST_BYTES: usize = 256 << 10;
/// Characters of a program's first words that name its run.
const LONGEST_TITLE: usize = 200;

/// A program, with all that it takes to run it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramText {
    /// Its file's name.
    pub name: String,
    /// All of it.
    pub code: String,
    /// sha256 of that, hex.
    pub sha256: String,
    /// What was asked of it; may be empty.
    #[serde(default)]
    pub question: String,
}

impl ProgramText {
    /// Reads a program.
    pub fn read(path: &Path, question: &str) -> anyhow::Result<Self> {
        let place = path.display();
        let bytes = std::fs::read(path)
            .map_err(|error| Failure::usage(format!("cannot read the program {place}: {error}")))?;
        if bytes.len() > MOST_BYTES {
            return Err(Failure::usage(format!(
                "{place} has {} bytes and a program may have {MOST_BYTES}; name documents with --file PATH",
                bytes.len()
            ))
            .into());
        }
        let code = String::from_utf8(bytes)
            .map_err(|_| Failure::usage(format!("{place} is not text (UTF-8), so it is no program")))?;
        let name = path.file_name().map_or_else(|| "program.py".into(), |name| name.to_string_lossy());
        Ok(Self { name: name.into_owned(), sha256: digest(&code), code, question: question.to_owned() })
    }

    /// What its run is called: the question, else the program's first words, else its name.
    pub fn title(&self) -> String {
        let first =
            if self.question.is_empty() { first_words(&self.code) } else { Some(self.question.as_str()) };
        first.unwrap_or(&self.name).chars().take(LONGEST_TITLE).collect()
    }

    /// All that it says, for callers that must know what it is about.
    pub fn words(&self) -> String {
        format!("{}\n{}", self.question, self.code)
    }

    /// Whether it is a program, and was not changed since it was recorded. Nothing of it runs.
    pub fn check(&self) -> anyhow::Result<()> {
        if digest(&self.code) != self.sha256 {
            return Err(Failure::usage(format!(
                "the record of {} was changed since the run began, so its questions are not known; run it \
                 again with frlm run",
                self.name
            ))
            .into());
        }
        built_in::read(self).map_err(|why| Failure::usage(why).into())
    }

    /// The program with what it finds set, ready to begin.
    pub fn script(&self, documents: &[String], fragments: &[Arc<Fragment>]) -> Box<dyn Script> {
        built_in::script(self, documents, fragments)
    }
}

fn digest(code: &str) -> String {
    Document::of_text("", code).sha256
}

/// The first line of a program's description: its first comment, or text that stands by itself.
fn first_words(code: &str) -> Option<&str> {
    let mut lines = code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("#!"));
    let first = lines.next()?;
    let quoted = ["\"\"\"", "'''"].into_iter().find_map(|quote| Some((first.strip_prefix(quote)?, quote)));
    let words = match quoted {
        Some(("", _)) => lines.next()?,
        Some((words, quote)) => words.strip_suffix(quote).unwrap_or(words),
        None => first.strip_prefix('#')?,
    };
    let words = words.trim();
    (!words.is_empty()).then_some(words)
}

/// Whether a program sets `answer` outside of functions and classes: then that is its answer.
#[cfg(any(feature = "sandbox", test))]
fn sets_answer(code: &str) -> bool {
    let mut in_definition = false;
    for line in code.lines() {
        let rest = line.trim_start();
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        if rest.len() == line.len() {
            in_definition = ["def ", "async def ", "class "].iter().any(|word| rest.starts_with(word));
        }
        let is_set = rest.strip_prefix("answer").map(str::trim_start).is_some_and(|after| {
            let after = after.strip_prefix(['+', '-', '*', '|']).unwrap_or(after);
            let annotated = after.starts_with(':') && after.contains('=');
            annotated || (after.starts_with('=') && !after.starts_with("=="))
        });
        if is_set && !in_definition {
            return true;
        }
    }
    false
}

/// The program as it runs: where it sets `answer`, that is what it comes to. Lines keep their numbers.
#[cfg(any(feature = "sandbox", test))]
fn as_it_runs(code: &str) -> String {
    if sets_answer(code) { format!("{}\nanswer\n", code.trim_end()) } else { code.to_owned() }
}

#[cfg(feature = "sandbox")]
mod built_in {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use frlm_protocol::printable;
    use frlm_questions::ingest::Fragment;
    use frlm_questions::plan::program::{Broken, Call, FUNCTIONS, Reply, Said, Script};
    use frlm_sandbox::{Conversation, Limits, MOST_SCRIPT_BYTES, Next, Records, Sandbox, SandboxError};
    use serde_json::{Map, Value, json};

    use super::{ProgramText, as_it_runs};
    use crate::sandbox::WORKER;

    /// Half a minute of its own time, 1 GiB, 1 MiB printed and answered, 400 calls within calls.
    const LIMITS: Limits =
        Limits { time_ms: 30_000, memory_bytes: 1 << 30, output_bytes: 1 << 20, depth: 400 };

    pub fn read(program: &ProgramText) -> Result<(), String> {
        let sandbox = Sandbox::of_this_program(WORKER, LIMITS)
            .map_err(|error| format!("programs cannot be run here: {error}"))?;
        let script = frlm_sandbox::Script {
            name: program.name.clone(),
            code: program.code.clone(),
            ..frlm_sandbox::Script::default()
        };
        match sandbox.read(&script) {
            Ok(()) => Ok(()),
            Err(SandboxError::Failed(why)) => Err(format!("{} is no program:\n{why}", program.name)),
            Err(error) => Err(format!("{}: {error}", program.name)),
        }
    }

    pub fn script(
        program: &ProgramText,
        documents: &[String],
        fragments: &[Arc<Fragment>],
    ) -> Box<dyn Script> {
        let fields = ["index", "file", "first", "last", "text", "page", "heading", "table"]
            .map(str::to_owned)
            .to_vec();
        let rows = fragments.iter().enumerate().map(|(index, fragment)| {
            let lines = &fragment.span.lines;
            vec![
                json!(index),
                json!(&*fragment.file),
                json!(lines.start()),
                json!(lines.end()),
                json!(&*fragment.text),
                json!(fragment.location(*lines.start()).page),
                json!(fragment.location(*lines.start()).heading),
                json!(table(fragment)),
            ]
        });
        let fragments = Records {
            name: "fragments".to_owned(),
            kind: "Fragment".to_owned(),
            fields,
            rows: rows.collect(),
        };
        let inputs = Map::from_iter([
            ("documents".to_owned(), json!(documents)),
            ("question".to_owned(), json!(program.question)),
        ]);
        let script = frlm_sandbox::Script {
            name: program.name.clone(),
            code: as_it_runs(&program.code),
            inputs,
            records: vec![fragments],
            functions: FUNCTIONS.map(str::to_owned).to_vec(),
        };
        Box::new(Talking { asleep: Some(script), awake: None })
    }

    /// The rows of a fragment's tables by the names of their columns.
    fn table(fragment: &Fragment) -> Vec<Map<String, Value>> {
        let Some(transcript) = &fragment.transcript else { return Vec::new() };
        let rows = fragment.records.iter().filter_map(|record| transcript.entry(record.line));
        let rows = rows.filter(|entry| !entry.fields.is_empty());
        rows.map(|entry| entry.fields.iter().map(|(name, cell)| (name.clone(), json!(cell))).collect())
            .collect()
    }

    /// A program in a worker, which begins when it is first let go on.
    struct Talking {
        asleep: Option<frlm_sandbox::Script>,
        awake: Option<Conversation>,
    }

    impl Script for Talking {
        fn go_on(&mut self, reply: Option<Reply>, stop: &AtomicBool) -> Result<Said, Broken> {
            if let Some(script) = self.asleep.take() {
                let sandbox = Sandbox::of_this_program(WORKER, LIMITS)
                    .map_err(|error| Broken(format!("programs cannot be run here: {error}")))?;
                self.awake = Some(sandbox.converse(script).map_err(broken)?);
            }
            let Some(conversation) = &mut self.awake else {
                return Err(Broken("the program has not begun".to_owned()));
            };
            if let Some(reply) = reply {
                conversation.reply(&told(reply)).map_err(broken)?;
            }
            let (printed, next) = conversation.next(stop);
            for line in printed.lines() {
                notice!("{}", printable(line));
            }
            match next.map_err(broken)? {
                Next::Calls(call) => {
                    let frlm_sandbox::Call { function, arguments, named } = call;
                    Ok(Said::Calls(Call { function, arguments, named }))
                }
                Next::Ended(ran) => Ok(Said::Ended(ran.value)),
            }
        }
    }

    fn told(reply: Reply) -> frlm_sandbox::Reply {
        match reply {
            Reply::Gives(value) => frlm_sandbox::Reply::Gives(value),
            Reply::Raises(words) => frlm_sandbox::Reply::Raises(words),
            Reply::Misused(words) => frlm_sandbox::Reply::Misused(words),
        }
    }

    fn broken(error: SandboxError) -> Broken {
        Broken(match error {
            SandboxError::Failed(traceback) => format!("the program failed:\n{traceback}"),
            SandboxError::Lacks(what) => format!("the program needs what the sandbox does not have: {what}"),
            SandboxError::Time(ms) => format!(
                "the program was stopped: it computed for {} s, beside the time in which it waited for answers",
                ms / 1_000
            ),
            SandboxError::Output(bytes) => {
                format!("the program was stopped: it prints or answers more than {bytes} bytes")
            }
            SandboxError::Died(how) => format!(
                "the program was ended by the system ({how}): it took more memory than {} MiB, or called itself too often",
                LIMITS.memory_bytes >> 20
            ),
            SandboxError::TooLong(bytes, _) => format!(
                "program and documents have {bytes} bytes together; a program can read {MOST_SCRIPT_BYTES}. \
                 Name fewer files"
            ),
            SandboxError::Stopped | SandboxError::Start(_) => error.to_string(),
        })
    }
}

#[cfg(not(feature = "sandbox"))]
mod built_in {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use frlm_questions::ingest::Fragment;
    use frlm_questions::plan::program::{Broken, Reply, Said, Script};

    use super::ProgramText;

    const NONE: &str = "this build runs no programs (feature sandbox)";

    struct Never;

    impl Script for Never {
        fn go_on(&mut self, _reply: Option<Reply>, _stop: &AtomicBool) -> Result<Said, Broken> {
            Err(Broken(NONE.to_owned()))
        }
    }

    pub fn read(_program: &ProgramText) -> Result<(), String> {
        Err(NONE.to_owned())
    }

    pub fn script(
        _program: &ProgramText,
        _documents: &[String],
        _fragments: &[Arc<Fragment>],
    ) -> Box<dyn Script> {
        Box::new(Never)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(code: &str, question: &str) -> ProgramText {
        ProgramText {
            name: "count.py".to_owned(),
            code: code.to_owned(),
            sha256: String::new(),
            question: question.to_owned(),
        }
    }

    #[test]
    fn a_run_is_called_by_its_question_or_by_the_programs_first_words() {
        let title = |code, question| program(code, question).title();
        assert_eq!(title("# Counts", "How many?"), "How many?");
        assert_eq!(
            title("#!/usr/bin/env frlm\n\n# Counts failed orders.\nask('x')", ""),
            "Counts failed orders."
        );
        assert_eq!(title("\"\"\"Counts.\"\"\"\nask('x')", ""), "Counts.");
        assert_eq!(title("'''\n  Counts all.\n'''", ""), "Counts all.");
        assert_eq!(title("ask('x')", ""), "count.py");
    }

    #[test]
    fn a_variable_named_answer_is_the_answer_and_one_in_a_function_is_not() {
        for code in ["answer = 1", "if x:\n    answer = 1", "answer: str = 'a'", "answer=1", "answer += [1]"]
        {
            assert!(sets_answer(code), "{code}");
        }
        for code in
            ["answer == 1", "def f():\n    answer = 1\nf()", "answers = 1", "# answer = 1", "ask('x')"]
        {
            assert!(!sets_answer(code), "{code}");
        }
        assert_eq!(as_it_runs("x = 1\nanswer = x\n\n"), "x = 1\nanswer = x\nanswer\n");
        assert_eq!(as_it_runs("1 + 1\n"), "1 + 1\n");
    }
}
