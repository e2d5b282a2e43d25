//! From the engine's responses to chunks, or to one answer.
//!
//! The engine streams text and says why it ended; the step log tells which tokens were drawn. The
//! engine sends nothing at all for tokens that end inside a letter of several bytes, the last one
//! included, so the end of the channel is judged by the log.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::stream::{self, StreamExt};
use mistralrs::Response;
use tokio::sync::mpsc;

use super::sampler::{Record, Step, StepLog};
use crate::stop::StopScanner;
use crate::{Answer, Chunk, FinishReason, Generation, ModelError, RankedToken, TokenLogprob, Usage};

/// Turns token ids into text, each call on its own.
pub(super) type TokenText = Arc<dyn Fn(&[u32]) -> String + Send + Sync>;

/// A request the engine works on, seen from its reader.
pub(super) struct Running {
    /// `None` once the answer has ended.
    responses: Option<mpsc::Receiver<Response>>,
    log: Arc<StepLog>,
    stop: StopScanner,
    max_tokens: usize,
    token_text: TokenText,
    end_tokens: Arc<[u32]>,
    ready: VecDeque<Result<Chunk, ModelError>>,
    text: String,
    reasoning: String,
}

impl Running {
    pub fn new(
        responses: mpsc::Receiver<Response>,
        log: Arc<StepLog>,
        stop: StopScanner,
        max_tokens: usize,
        token_text: TokenText,
        end_tokens: Arc<[u32]>,
    ) -> Self {
        Self {
            responses: Some(responses),
            log,
            stop,
            max_tokens,
            token_text,
            end_tokens,
            ready: VecDeque::new(),
            text: String::new(),
            reasoning: String::new(),
        }
    }

    pub fn into_stream(self) -> Generation {
        stream::unfold(self, |mut running| async move { running.next().await.map(|chunk| (chunk, running)) })
            .boxed()
    }

    /// Waits for the whole answer.
    pub async fn into_answer(mut self) -> Result<Answer, ModelError> {
        while let Some(chunk) = self.next().await {
            if let Chunk::Done(answer) = chunk? {
                return Ok(answer);
            }
        }
        Err(ModelError::Failed("the engine ended without an answer".to_owned()))
    }

    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Some(chunk);
            }
            match self.responses.as_mut()?.recv().await {
                Some(response) => self.take(response),
                None => self.channel_closed(),
            }
        }
    }

    fn take(&mut self, response: Response) {
        match response {
            Response::Chunk(chunk) => {
                let Some(choice) = chunk.choices.into_iter().next() else {
                    return;
                };
                if let Some(reasoning) = choice.delta.reasoning_content.filter(|text| !text.is_empty()) {
                    self.reasoning.push_str(&reasoning);
                    self.ready.push_back(Ok(Chunk::Reasoning(reasoning)));
                }
                if self.text_arrived(choice.delta.content.as_deref().unwrap_or_default()) {
                    return;
                }
                match choice.finish_reason.as_deref() {
                    None => {}
                    Some("length") => self.finish(FinishReason::Length),
                    Some("canceled") => {
                        self.fail(ModelError::Failed("the engine cancelled the request".to_owned()));
                    }
                    Some(_) => self.finish(FinishReason::Stop),
                }
            }
            Response::Done(response) => {
                let Some(choice) = response.choices.into_iter().next() else {
                    return self.fail(ModelError::Failed("the engine sent an empty answer".to_owned()));
                };
                if let Some(reasoning) = choice.message.reasoning_content {
                    self.reasoning.push_str(&reasoning);
                }
                let finish = match choice.finish_reason.as_str() {
                    "length" => FinishReason::Length,
                    "canceled" => {
                        return self.fail(ModelError::Failed("the engine cancelled the request".to_owned()));
                    }
                    _ => FinishReason::Stop,
                };
                self.text_arrived(&choice.message.content.unwrap_or_default());
                self.finish(finish);
            }
            Response::ValidationError(error) => self.fail(ModelError::Invalid(error.to_string())),
            Response::InternalError(_) if self.turn_ended() => self.finish(FinishReason::Stop),
            Response::InternalError(error) => self.fail(ModelError::Failed(error.to_string())),
            Response::ModelError(message, _) => self.fail(ModelError::Failed(message)),
            _ => self.fail(ModelError::Failed("the engine sent a response of another kind".to_owned())),
        }
    }

    /// What was drawn for this answer. An engine may take a step beyond the last that it was allowed before it
    /// drops the request, and a late reader finds it in the log.
    fn record(&self) -> Record {
        let mut record = self.log.record();
        record.steps.truncate(self.max_tokens);
        record
    }

    /// Passes text on; true if it ended the answer.
    fn text_arrived(&mut self, piece: &str) -> bool {
        if piece.is_empty() {
            return false;
        }
        let released = self.stop.push(piece);
        self.release(released.text);
        if released.stopped {
            let record = self.record();
            let steps = self.steps_of_text(&record);
            self.done(FinishReason::Stop, &record, steps);
        }
        released.stopped
    }

    fn release(&mut self, text: String) {
        if !text.is_empty() {
            self.text.push_str(&text);
            self.ready.push_back(Ok(Chunk::Text(text)));
        }
    }

    fn channel_closed(&mut self) {
        if self.turn_ended() {
            self.finish(FinishReason::Stop);
        } else if self.record().steps.len() >= self.max_tokens {
            self.finish(FinishReason::Length);
        } else {
            self.fail(ModelError::Failed("the engine broke down in the middle of the answer".to_owned()));
        }
    }

    fn finish(&mut self, finish: FinishReason) {
        let rest = self.stop.finish();
        self.release(rest);
        let record = self.record();
        // The token that ends the turn is no part of the text.
        let steps = record.steps.len() - usize::from(self.turn_ended());
        self.done(finish, &record, steps);
    }

    fn turn_ended(&self) -> bool {
        self.record().steps.last().is_some_and(|step| self.end_tokens.contains(&step.token))
    }

    fn done(&mut self, finish: FinishReason, record: &Record, steps_of_text: usize) {
        let logprobs = record.steps[..steps_of_text].iter().map(|step| self.token_logprob(step)).collect();
        let answer = Answer {
            text: std::mem::take(&mut self.text),
            reasoning: Some(std::mem::take(&mut self.reasoning)).filter(|text| !text.is_empty()),
            logprobs,
            usage: Usage {
                prompt_tokens: record.prompt_tokens as u64,
                completion_tokens: record.steps.len() as u64,
            },
            finish,
        };
        self.end(Ok(Chunk::Done(answer)));
    }

    /// How many steps wrote the text up to a stop text. The engine may have run ahead by then.
    fn steps_of_text(&self, record: &Record) -> usize {
        let wanted = self.text.len() + self.reasoning.len();
        let mut written = 0;
        let before = |step: &&Step| {
            let starts_inside = written < wanted;
            written += (self.token_text)(&[step.token]).len();
            starts_inside
        };
        record.steps.iter().take_while(before).count()
    }

    fn token_logprob(&self, step: &Step) -> TokenLogprob {
        let ranked = |&(id, logprob): &(u32, f32)| RankedToken {
            id: Some(id),
            text: (self.token_text)(&[id]),
            logprob,
        };
        TokenLogprob {
            id: Some(step.token),
            token: (self.token_text)(&[step.token]),
            logprob: step.logprob,
            top: step.top.iter().map(ranked).collect(),
        }
    }

    fn fail(&mut self, error: ModelError) {
        self.end(Err(error));
    }

    fn end(&mut self, last: Result<Chunk, ModelError>) {
        // After a stop text the engine is still writing.
        self.leave();
        self.ready.push_back(last);
    }
}

impl Running {
    fn leave(&mut self) {
        if let Some(responses) = self.responses.take() {
            self.log.cancel(responses);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.leave();
    }
}
