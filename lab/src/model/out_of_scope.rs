//! Questions that a records model cannot answer: it must say so, or at least not be sure.

use std::sync::Arc;

use frlm_inference::LanguageModel;

use super::score::Score;
use frlm_client::config::Config;
use frlm_client::documents::Documents;
use frlm_client::home::Home;
use frlm_client::local_swarm::ORDERS;
use frlm_client::run::RunSpec;
use frlm_client::run::{Own, RunRequest, RunService, StartOptions, prepare};

/// One question per line: reasons, summaries, groups, several steps, other subjects, no question at all.
const QUESTIONS: &str = include_str!("../../../assets/model/out-of-scope.txt");
/// Below this an answer is not sure.
const SURE: f64 = 0.5;
/// The share of questions that should be met so, in hundredths.
const TARGET: f64 = 80.0;

/// Asks them all of the model alone, as `frlm ask --local --model embedded` does.
pub async fn run(model: Arc<dyn LanguageModel>, limit: Option<usize>) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let home = Home::open(Some(folder.path().join("home")))?;
    let runs = RunService::open(&home).await?.with_models(Own::model(model)).without_history();
    let file = ORDERS.unpack(&home)?;
    let (mut met, mut refused, mut unsure) = (Score::default(), 0, 0);
    for question in QUESTIONS.lines().take(limit.unwrap_or(usize::MAX)) {
        let mut flags = RunSpec::for_demo(question.to_owned(), vec![file.clone()], String::new());
        (flags.relays, flags.local, flags.model) = (Vec::new(), true, Some("embedded".to_owned()));
        let prepared = prepare(RunRequest::from_spec(&flags, &Config::default())?, &Documents::default())?;
        let by_code = prepared.query.is_some() || prepared.compound.is_some();
        let reader = if by_code { "code" } else { "model" };
        let run = runs.start_prepared(prepared, StartOptions::default()).await?;
        match run.done.await {
            Err(_) => refused += 1,
            Ok(answer) if answer.confidence < SURE => unsure += 1,
            Ok(answer) => {
                eprintln!(
                    "  sure ({:.2}, read by {reader}): {question} → {}",
                    answer.confidence, answer.answer
                );
                met.add(false);
                continue;
            }
        }
        met.add(true);
    }
    let verdict = if met.percent() >= TARGET { "reached" } else { "missed" };
    println!(
        "out of scope {:.1}% of {} met with no answer ({refused}) or a confidence below {SURE} ({unsure})  target {TARGET}%: {verdict}",
        met.percent(),
        met.total
    );
    Ok(())
}
