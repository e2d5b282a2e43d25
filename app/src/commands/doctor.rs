//! `frlm doctor`: is everything there that the commands need? Each failure names its fix.

use tokio::sync::mpsc;

use crate::cli::DoctorArgs;
use crate::display;
use frlm_client::doctor::{Check, check};
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;

/// Prints one line per check; fails if one does.
pub async fn run(args: &DoctorArgs, home: &Home) -> anyhow::Result<()> {
    let (report, mut checks) = mpsc::channel(1);
    let mut failed = 0;
    let printing = async {
        while let Some(Check { name, outcome }) = checks.recv().await {
            match outcome {
                Ok(found) => say!("ok      {name}: {found}"),
                Err(problem) => {
                    failed += 1;
                    say!("FAILED  {name}: {problem}");
                }
            }
        }
    };
    tokio::join!(check(home.clone(), args.relays.clone(), display::in_words(), report), printing);
    let words = match failed {
        0 => return Ok(()),
        1 => "one check failed; it names its fix".to_owned(),
        _ => format!("{failed} checks failed; each names its fix"),
    };
    Err(Failure::with_code(code::FAILED, words).into())
}
