//! Answers that are programs, and checks that are (seeds/verifier-block.md, `programmatic_verification`,
//! "For code: run code and check output").
//!
//! Programs are run by a [`CodeRunner`], which must hold whatever they try; this module only says what
//! their outcome means. A program of an answer and a check never run together: the check sees the answer
//! and what its program gave as values, so that an answer cannot redefine what it is measured by.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::{Finding, Method, excerpt, score};
use crate::normalise::{ExpectedFormat, Normalised, agreement};
use crate::request::OriginalTask;

/// Runs programs that someone else wrote, in a sandbox.
pub trait CodeRunner: Send + Sync {
    /// Runs a program that finds these names set. Blocks until it has ended or was stopped.
    fn run(&self, code: &str, inputs: &[(&str, Value)]) -> Result<Ran, CodeError>;
}

/// What a program came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ran {
    /// What it printed, and after that the value of its last line.
    pub output: String,
    /// That value, where it is a truth.
    pub truth: Option<bool>,
}

/// Why a program gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// It is no program, raised an error, or used more than it may.
    #[error("{0}")]
    Wrong(String),
    /// It could not be run here, which says nothing about it.
    #[error("{0}")]
    Unclear(String),
}

/// Runs the program that an answer is, and compares what it gives with what is known to be right. A program
/// that does not run is wrong; one that runs, where nobody knows what it should give, is not known to be right.
pub(super) fn by_output(answer: &str, task: &OriginalTask, runner: &dyn CodeRunner) -> Option<Finding> {
    let code = program_of(answer, task)?;
    let plain = |text: &str| Normalised::of(text, ExpectedFormat::Explanation);
    let (correctness, detail) = match (runner.run(&code, &[]), &task.ground_truth) {
        (Ok(ran), Some(expected)) => {
            let same = agreement(&plain(&ran.output), &plain(expected), task.rounding()).agrees();
            (Some(score(same)), format!("the program gave {:?}", excerpt(&ran.output)))
        }
        (Ok(ran), None) => {
            (None, format!("the program gave {:?}; what is right is not known", excerpt(&ran.output)))
        }
        (Err(CodeError::Wrong(error)), _) => (Some(0.0), format!("the program failed: {}", excerpt(&error))),
        (Err(CodeError::Unclear(error)), _) => {
            (None, format!("the program could not be run: {}", excerpt(&error)))
        }
    };
    Some(finding(correctness, detail))
}

/// Asks a check of the asker's whether an answer is right. Its last line says `True` or `False` of
///
/// - `answer`: what was answered; a dict if it is a JSON object, else text
/// - `output`: what the program in the answer gave, `None` if there is none or it did not run
///
/// A check that fails or says neither could not tell.
pub(super) fn by_check(answer: &str, check: &str, task: &OriginalTask, runner: &dyn CodeRunner) -> Finding {
    let output = program_of(answer, task).map(|code| runner.run(&code, &[]));
    let given = match &output {
        Some(Ok(ran)) => Value::String(ran.output.clone()),
        Some(Err(_)) | None => Value::Null,
    };
    let inputs = [("answer", seen(answer)), ("output", given)];
    let (correctness, detail) = match runner.run(check, &inputs).map(|ran| ran.truth) {
        Ok(Some(true)) => (Some(1.0), "the check says True".to_owned()),
        Ok(Some(false)) => (Some(0.0), refused(output.and_then(Result::err))),
        Ok(None) => (None, "the check's last line is neither True nor False".to_owned()),
        Err(error) => (None, format!("the check itself failed: {}", excerpt(&error.to_string()))),
    };
    finding(correctness, detail)
}

fn refused(failure: Option<CodeError>) -> String {
    match failure {
        Some(error) => {
            format!("the check says False; the answer's program failed: {}", excerpt(&error.to_string()))
        }
        None => "the check says False".to_owned(),
    }
}

fn finding(correctness: Option<f64>, detail: String) -> Finding {
    Finding { method: Method::ProgrammaticExecution, correctness, detail, assessment: None }
}

/// An answer as a check sees it.
fn seen(answer: &str) -> Value {
    match serde_json::from_str(answer) {
        Ok(object @ Value::Object(_)) => object,
        _ => Value::String(answer.to_owned()),
    }
}

/// The program in an answer: all of it where a program was asked for, else its first Python block.
fn program_of(answer: &str, task: &OriginalTask) -> Option<String> {
    let text = match seen(answer) {
        Value::Object(members) => members.get("answer")?.as_str()?.to_owned(),
        _ => answer.to_owned(),
    };
    if let Some(block) = python_block(&text) {
        return Some(block.to_owned());
    }
    match Normalised::of(&text, task.expected_format) {
        Normalised::Verbatim(code) if task.expected_format == ExpectedFormat::Code => Some(code),
        _ => None,
    }
}

fn python_block(text: &str) -> Option<&str> {
    static BLOCK: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?is)```(?:python3?|py)[ \t]*\r?\n(.*?)\r?\n[ \t]*```").ok());
    BLOCK.as_ref()?.captures(text)?.get(1).map(|block| block.as_str())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::json;

    use super::*;
    use crate::request::TaskType;
    use crate::testing::task;

    /// Answers for each program by its text, and keeps what it was given.
    #[derive(Default)]
    struct Table {
        ran: Mutex<Vec<(String, Vec<Value>)>>,
    }

    impl CodeRunner for Table {
        fn run(&self, code: &str, inputs: &[(&str, Value)]) -> Result<Ran, CodeError> {
            let values = inputs.iter().map(|(_, value)| value.clone()).collect();
            self.ran.lock().unwrap().push((code.to_owned(), values));
            let truth = |truth| Ok(Ran { output: String::new(), truth: Some(truth) });
            match code {
                "yes" => truth(true),
                "no" => truth(false),
                "42" => Ok(Ran { output: "42\n".to_owned(), truth: None }),
                "import numpy" => Err(CodeError::Unclear("no numpy".to_owned())),
                _ => Err(CodeError::Wrong("SyntaxError".to_owned())),
            }
        }
    }

    fn coding(truth: Option<&str>) -> OriginalTask {
        let mut task = task("A program that prints 42", TaskType::CodeGeneration, ExpectedFormat::Code);
        task.ground_truth = truth.map(str::to_owned);
        task
    }

    /// seeds/verifier-block.md, `programmatic_verification`: correctness 1.0 where the output is the expected one, else 0.0.
    #[test]
    fn a_program_is_judged_by_what_it_gives() {
        let judged = |answer: &str, truth: Option<&str>| {
            by_output(answer, &coding(truth), &Table::default()).unwrap().correctness
        };
        assert_eq!(judged("```python\n42\n```", Some("42")), Some(1.0));
        assert_eq!(judged("42", Some("43")), Some(0.0));
        assert_eq!(judged("43 +", Some("42")), Some(0.0), "what does not run is wrong");
        assert_eq!(judged("import numpy", Some("42")), None, "what cannot be run here may be right");
        assert_eq!(judged("42", None), None, "it runs, and nobody knows what is right");
        assert_eq!(judged("43 +", None), Some(0.0));
    }

    #[test]
    fn a_check_sees_the_answer_and_its_programs_output_as_values() {
        let runner = Table::default();
        let words = json!({"kind": "words", "answer": "So:\n```py\n42\n```\n", "quotes": []}).to_string();
        let plain = task("What is it?", TaskType::FactualQa, ExpectedFormat::Explanation);
        assert_eq!(by_check(&words, "yes", &plain, &runner).correctness, Some(1.0));
        let ran = runner.ran.into_inner().unwrap();
        assert_eq!(ran[0], ("42".to_owned(), vec![]));
        assert_eq!(ran[1].0, "yes", "the answer's text is no part of the check");
        assert_eq!(ran[1].1[0]["answer"], "So:\n```py\n42\n```\n");
        assert_eq!(ran[1].1[1], "42\n");
    }

    #[test]
    fn a_check_that_fails_or_says_neither_could_not_tell() {
        let plain = task("What is it?", TaskType::FactualQa, ExpectedFormat::Explanation);
        let says = |check: &str| by_check("text", check, &plain, &Table::default()).correctness;
        assert_eq!((says("yes"), says("no"), says("42"), says("broken")), (Some(1.0), Some(0.0), None, None));
    }

    #[test]
    fn only_a_python_block_is_a_program() {
        assert_eq!(python_block("x\n```python\na = 1\na\n```\ny"), Some("a = 1\na"));
        assert_eq!(python_block("```PY\r\n1\r\n```"), Some("1"));
        for text in ["```\n1\n```", "```rust\n1\n```", "```python 1 ```", "python\n1", "```python\n1"] {
            assert_eq!(python_block(text), None, "{text}");
        }
    }
}
