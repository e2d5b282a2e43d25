//! `frlm run`: a program of the user's asks.

use super::ask;
use crate::asking::{AskRequest, prepare};
use crate::cli::RunArgs;
use crate::failure::Failure;
use crate::home::Home;
use crate::programs::ProgramText;

/// Runs the program, and prints its answer.
pub async fn run(args: &RunArgs, home: &Home) -> anyhow::Result<()> {
    if let Some(flag) = args.useless() {
        return Err(Failure::usage(format!(
            "{flag} says how one answer in words is put, or what its question follows; a program puts its own. Leave it out"
        ))
        .into());
    }
    let config = home.config()?;
    let program = ProgramText::read(&args.program, args.ask.question.trim())?;
    let mut request = AskRequest::from_args(&args.ask, &config)?;
    request.question = program.title();
    request.program = Some(program);
    let prepared = prepare(request)?;
    Box::pin(ask::carry_through(prepared, &args.ask, &config, home)).await
}
