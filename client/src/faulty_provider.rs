//! A provider that lies, so that a demo can show what becomes of it. The lies alone are made up: relay, escrow,
//! checks and verdicts are those of every run.

use std::fmt::Write as _;
use std::future::ready;
use std::sync::Arc;

use crate::view::{AttemptEnding, AttemptView, RunView, Said};
use async_trait::async_trait;
use frlm_inference::{Answer, Chunk, Generation, GenerationRequest, LanguageModel, ModelError, ModelInfo};
use frlm_protocol::printable;
use frlm_wallet::Money;
use futures::StreamExt as _;

use crate::receipt::Receipt;

/// What it says instead of what its engine has read.
const MADE_UP: &str = "made-up";

/// An engine whose answers are falsified before they are sent.
#[derive(Debug)]
pub struct FaultyProvider {
    honest: Arc<dyn LanguageModel>,
}

impl FaultyProvider {
    /// Falsifies the answers of this engine.
    pub fn over(honest: Arc<dyn LanguageModel>) -> Arc<dyn LanguageModel> {
        Arc::new(Self { honest })
    }
}

#[async_trait]
impl LanguageModel for FaultyProvider {
    fn info(&self) -> &ModelInfo {
        self.honest.info()
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        let chunks = self.honest.stream(request).await?;
        // What comes before the end is true, and nobody is to see it.
        let lies = chunks.filter_map(|chunk| {
            ready(match chunk {
                Ok(Chunk::Done(answer)) => Some(Ok(Chunk::Done(falsified(answer)))),
                Ok(Chunk::Text(_) | Chunk::Reasoning(_)) => None,
                Err(error) => Some(Err(error)),
            })
        });
        Ok(lies.boxed())
    }

    fn preferred_batch_size(&self) -> usize {
        self.honest.preferred_batch_size()
    }

    async fn generate_all(&self, requests: Vec<GenerationRequest>) -> Result<Vec<Answer>, ModelError> {
        let answers = self.honest.generate_all(requests).await?;
        Ok(answers.into_iter().map(falsified).collect())
    }
}

/// As many lines as there were, and nothing in them that stands in any record. Wherever nothing was copied the lie is
/// one too: "there is no such record" would be true of many a part.
fn falsified(answer: Answer) -> Answer {
    let lines = answer.text.lines().count().max(1);
    Answer { text: vec![MADE_UP; lines].join("\n"), ..answer }
}

/// What became of the faulty provider in a run: what was found, what it was paid, and where the sats are that were locked for it.
pub fn came_of_it(name: &str, key: &str, view: &RunView, receipt: &Receipt) -> String {
    let attempts = view.subtasks.iter().enumerate().flat_map(|(id, subtask)| {
        subtask
            .attempts
            .iter()
            .filter(move |attempt| is_by(attempt, key, view))
            .map(move |attempt| (id, attempt))
    });
    let (found, others): (Vec<(usize, &AttemptView)>, Vec<_>) =
        attempts.partition(|(_, attempt)| was_found(attempt));
    let unfound =
        others.iter().filter(|(_, attempt)| attempt.ending == Some(AttemptEnding::Answered)).count();
    let mut text = format!(
        "{name}, which lied: {} of its {} answers were found false",
        found.len(),
        found.len() + unfound
    );
    // Writing into a String cannot fail.
    if let Some((id, attempt)) = found.first() {
        let _ = write!(text, "; subtask {id}: {}", printable(&attempt.summary));
    }
    let unit = if receipt.play_money { Money::Play } else { Money::Real }.unit();
    let Some(line) = receipt.lines.iter().find(|line| line.provider == key) else {
        let _ = write!(text, ". It was paid nothing, and nothing was locked for it");
        return text;
    };
    let sats = |msats: u64| msats / 1_000;
    let paid = match sats(line.paid_msats) {
        0 => "nothing".to_owned(),
        paid => format!("{paid}, for its true answers"),
    };
    let _ = write!(text, ". In {unit} it was paid {paid}; {} were refunded", sats(line.reclaimed_msats));
    if let (waiting @ 1.., Some(until)) = (sats(line.waiting_msats), line.waiting_until) {
        let _ = write!(
            text,
            "; {waiting} are in escrow until {until} (Unix time), because it did not return them; a mint that \
             stays would then refund them"
        );
    }
    text
}

/// Whether a provider was asked in this attempt.
pub(crate) fn is_by(attempt: &AttemptView, key: &str, view: &RunView) -> bool {
    let provider = attempt.provider.and_then(|position| view.providers.get(position as usize));
    provider.is_some_and(|provider| provider.key == key)
}

/// Because a check of the answer alone names the lie, or because others said something else. Jobs that it refused
/// are neither.
fn was_found(attempt: &AttemptView) -> bool {
    let by_check = attempt.ending == Some(AttemptEnding::Failed) && attempt.summary.contains(MADE_UP);
    by_check || attempt.said == Some(Said::Else)
}

#[cfg(test)]
mod tests {
    use frlm_conductor::trace::{TraceEvent, TraceRecord};
    use frlm_inference::scripted::ScriptedModel;
    use frlm_scheduler::{AttemptId, SubtaskId};

    use super::*;
    use crate::receipt::Line;

    #[tokio::test]
    async fn every_answer_is_falsified_on_every_path_and_no_part_leaks_the_truth() {
        let honest = Arc::new(ScriptedModel::new("scripted", |prompt| format!("{prompt}\nsecond\n")));
        let faulty = FaultyProvider::over(honest);
        let request = || GenerationRequest::greedy("failed", 16);
        let lie = "made-up\nmade-up";
        assert_eq!(faulty.generate(request()).await.unwrap().text, lie);
        let several = faulty.generate_all(vec![request(), request()]).await.unwrap();
        assert_eq!(several.iter().map(|answer| answer.text.as_str()).collect::<Vec<_>>(), [lie, lie]);
        let chunks: Vec<_> = faulty.stream(request()).await.unwrap().collect().await;
        assert!(matches!(&chunks[..], [Ok(Chunk::Done(answer))] if answer.text == lie), "{chunks:?}");
    }

    #[test]
    fn what_was_found_what_was_paid_and_where_the_rest_is_are_said() {
        let (subtask, attempt) = (SubtaskId(0), AttemptId(0));
        let seen = TraceEvent::ProviderSeen {
            provider: "ab".repeat(32),
            name: "demo-c".to_owned(),
            model: String::new(),
            price_msats_per_1k: 1_000,
        };
        let asked = TraceEvent::SubQuerySubmit { subtask, attempt, provider: "ab".repeat(32), hedge: false };
        let returned = TraceEvent::SubQueryReturn {
            subtask,
            attempt,
            ok: false,
            summary: "line 3 does not contain the quoted \"made-up\"".to_owned(),
            tokens: 0,
            completion_tokens: 0,
            duration_ms: 5,
        };
        let records = [seen, asked, returned].into_iter().zip(0..);
        let records: Vec<TraceRecord> =
            records.map(|(event, seq)| TraceRecord { seq, at_ms: seq, event }).collect();
        let view = RunView::of(&records);
        let receipt = |lines: Vec<Line>| Receipt {
            run_id: "run".to_owned(),
            play_money: true,
            lines,
            spent_msats: 0,
            fees_msats: 0,
            undecided_msats: 0,
            adds_up: true,
        };
        let line = Line { provider: "ab".repeat(32), jobs: 1, reclaimed_msats: 4_000, ..Line::default() };
        let told = |line: Vec<Line>| came_of_it("demo-c", &"ab".repeat(32), &view, &receipt(line));
        let back = told(vec![line.clone()]);
        assert!(back.contains("1 of its 1 answers were found false; subtask 0: line 3 does not"), "{back}");
        assert!(
            back.ends_with("In play sats (worth nothing) it was paid nothing; 4 were refunded"),
            "{back}"
        );
        let waits = Line { reclaimed_msats: 0, waiting_msats: 4_000, waiting_until: Some(77), ..line };
        assert!(told(vec![waits]).contains("4 are in escrow until 77 (Unix time)"));
        assert!(told(Vec::new()).ends_with("nothing was locked for it"));
    }
}
