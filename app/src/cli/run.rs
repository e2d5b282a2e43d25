//! `frlm run`.

use std::path::PathBuf;

use clap::{Arg, Args, Command};

use super::AskArgs;

/// What a program can use, for its author.
const HELP: &str = "\
A program is written in the sandbox's subset of Python: functions, comprehensions, classes, math, re, json; no files,
no network, no packages, no clock, no random numbers. These names are set:
  question   the program's question; empty if you gave none
  documents  the names of the documents
  fragments  the parts of the documents: each has index, file, first and last (lines), text; page and heading, if the
             file has them; and table, the rows of its tables by the names of their columns
It may call, in statements, functions and comprehensions:
  ask(question, fragments=None)          one verified answer over these parts, or over all
  ask_each(question, fragments=None)     the same question of each part, all at once: a list of answers
  ask_all([(question, fragments), ...])  several questions at once: a list of answers
An answer is a number if code counts or adds, True or False, a list if there are several, text, or None if nothing was
found. A missing answer raises RuntimeError unless you pass missing=...: then it is that value.
The run's answer is the variable answer, or else the value of the last line. What the program prints goes to stderr.
Every call is verified, paid and recorded as in frlm ask; the same question is not asked twice.

Example: assets/programs/failed_orders.py";

/// `frlm run`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct RunArgs {
    /// The program.
    #[arg(value_name = "PROGRAM.py")]
    pub program: PathBuf,
    /// How the program's questions are asked, as in frlm ask.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// Flags of a question that a program has no use for.
const OF_A_QUESTION: [&str; 5] = ["after", "language", "style", "expertise", "interests"];

/// The same flags as for a question, but those that say how the one answer of a model is put; the question is the program's
/// to read.
pub(super) fn as_a_program(command: Command) -> Command {
    let question = |arg: Arg| {
        arg.required(false)
            .default_value("")
            .hide_default_value(true)
            .help("The program's question; the program reads it as `question`")
    };
    OF_A_QUESTION.iter().fold(command.mut_arg("question", question), |command, name| {
        command.mut_arg(name, |arg| arg.hide(true))
    })
}

impl RunArgs {
    /// The first flag that was given and that a program has no use for.
    pub fn useless(&self) -> Option<&'static str> {
        let AskArgs { by, after, language, style, expertise, interests, .. } = &self.ask;
        [
            ("--by", by.is_some()),
            ("--after", after.is_some()),
            ("--language", language.is_some()),
            ("--style", style.is_some()),
            ("--expertise", expertise.is_some()),
            ("--interest", !interests.is_empty()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::{Cli, Command};

    #[test]
    fn a_program_takes_a_question_or_none_and_the_flags_of_a_question() {
        let read = |words: &[&str]| match Cli::read(words.iter().copied()).unwrap().command {
            Some(Command::Run(args)) => args,
            other => panic!("{other:?}"),
        };
        let plain = read(&["frlm", "run", "count.py", "--file", "a.log", "--budget", "7"]);
        assert_eq!((plain.ask.question.as_str(), plain.ask.budget, plain.useless()), ("", Some(7), None));
        let asked = read(&["frlm", "run", "count.py", "How many?", "-f", "a.log", "--style", "concise"]);
        assert_eq!((asked.ask.question.as_str(), asked.useless()), ("How many?", Some("--style")));
        assert!(Cli::read(["frlm", "run"]).is_err() && Cli::read(["frlm", "ask"]).is_err());
    }
}
