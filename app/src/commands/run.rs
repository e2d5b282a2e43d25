//! `frlm run`: a program of the user's asks.

use super::ask;
use crate::cli::RunArgs;
use crate::streams;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::programs::ProgramText;
use frlm_client::run::{RunRequest, prepare_in};

/// Runs the program, and prints its answer.
pub async fn run(args: &RunArgs, home: &Home) -> anyhow::Result<()> {
    if let Some(flag) = args.useless() {
        return Err(Failure::usage(format!(
            "{flag} is for one answer in words or for a follow-up question; a program asks its own questions. \
             Leave it out"
        ))
        .into());
    }
    let config = home.config()?;
    let program = ProgramText::read(&args.program, args.ask.question.trim())?;
    let mut request = RunRequest::from_spec(&args.ask.spec(), &config)?;
    request.question = program.title();
    request.program = Some(program);
    let prepared = prepare_in(home, request, &streams::documents(home))?;
    Box::pin(ask::carry_through(prepared, &args.ask, &config, home)).await
}
