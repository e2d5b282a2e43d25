//! From events to chunks.

use std::collections::VecDeque;

use futures::stream::{self, BoxStream, StreamExt};
use reqwest::Response;

use super::sse::Lines;
use super::wire::{self, Choice, Event, UsageReport};
use super::{Endpoint, refusal};
use crate::{Answer, Chunk, FinishReason, Generation, ModelError, TokenLogprob, Usage};

type Bytes = BoxStream<'static, Result<Vec<u8>, reqwest::Error>>;

/// Reads a streamed answer. Dropping the result drops the response, which closes the connection.
pub(super) fn chunks(response: Response, endpoint: Endpoint, max_tokens: usize) -> Generation {
    let bytes: Bytes = response.bytes_stream().map(|part| part.map(|bytes| bytes.to_vec())).boxed();
    let reader = Reader {
        bytes: Some(bytes),
        endpoint,
        lines: Lines::default(),
        ready: VecDeque::new(),
        answer: Partial::default(),
        max_tokens,
    };
    stream::unfold(reader, |mut reader| async move { reader.next().await.map(|chunk| (chunk, reader)) })
        .boxed()
}

struct Reader {
    /// `None` once everything is read.
    bytes: Option<Bytes>,
    endpoint: Endpoint,
    lines: Lines,
    ready: VecDeque<Result<Chunk, ModelError>>,
    answer: Partial,
    max_tokens: usize,
}

#[derive(Default)]
struct Partial {
    text: String,
    reasoning: String,
    logprobs: Vec<TokenLogprob>,
    usage: Option<UsageReport>,
    finish: Option<FinishReason>,
    /// Pieces of text received: the best count of tokens where a server reports no usage.
    pieces: u64,
}

impl Reader {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Some(chunk);
            }
            let bytes = self.bytes.as_mut()?;
            match bytes.next().await {
                Some(Ok(part)) => match self.lines.push(&part) {
                    Ok(events) => events.iter().for_each(|event| self.event(event)),
                    Err(_) => self.end(Err(self.endpoint.unavailable("it sent an endless line or body"))),
                },
                Some(Err(error)) => self.end(Err(refusal::transport(&self.endpoint, &error))),
                None => {
                    if let Some(event) = self.lines.finish() {
                        self.event(&event);
                    }
                    self.close();
                }
            }
        }
    }

    fn event(&mut self, data: &str) {
        if self.bytes.is_none() {
            return;
        }
        if data == "[DONE]" {
            return self.close();
        }
        let Ok(event) = serde_json::from_str::<Event>(data) else {
            let shown = self.endpoint.quote(data);
            return self.end(Err(self
                .endpoint
                .unavailable(format!("it sent something that is no answer: {shown}"))));
        };
        if let Some(error) = &event.error {
            let said = self.endpoint.quote(wire::error_message(error).unwrap_or("it gives no reason"));
            return self.end(Err(ModelError::Failed(said)));
        }
        self.answer.usage = event.usage.or(self.answer.usage);
        if let Some(choice) = event.choices.into_iter().next() {
            self.choice(choice);
        }
    }

    fn choice(&mut self, choice: Choice) {
        let reasoning = choice.delta.reasoning_content.or(choice.delta.reasoning).unwrap_or_default();
        if !reasoning.is_empty() {
            self.answer.pieces += 1;
            self.answer.reasoning.push_str(&reasoning);
            self.ready.push_back(Ok(Chunk::Reasoning(reasoning)));
        }
        let text = choice.delta.content.unwrap_or_default();
        if !text.is_empty() {
            self.answer.pieces += 1;
            self.answer.text.push_str(&text);
            self.ready.push_back(Ok(Chunk::Text(text)));
        }
        self.answer.logprobs.extend(choice.logprobs.into_iter().flat_map(wire::Logprobs::into_tokens));
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.answer.finish = Some(match reason.as_str() {
                "length" => FinishReason::Length,
                "content_filter" => {
                    let withheld = "the server's filter held the rest of the answer back".to_owned();
                    return self.end(Err(ModelError::Failed(withheld)));
                }
                _ => FinishReason::Stop,
            });
        }
    }

    /// The server says it is finished.
    fn close(&mut self) {
        let Some(finish) = self.answer.finish else {
            // A connection cut in the middle looks just like this, so half an answer never passes
            // for a whole one.
            let reason = format!(
                "the answer broke off after {} of at most {} tokens",
                self.answer.pieces, self.max_tokens
            );
            return self.end(Err(self.endpoint.unavailable(reason)));
        };
        let partial = std::mem::take(&mut self.answer);
        let usage =
            partial.usage.map_or(Usage { prompt_tokens: 0, completion_tokens: partial.pieces }, |usage| {
                Usage { prompt_tokens: usage.prompt_tokens, completion_tokens: usage.completion_tokens }
            });
        self.end(Ok(Chunk::Done(Answer {
            text: partial.text,
            reasoning: (!partial.reasoning.is_empty()).then_some(partial.reasoning),
            logprobs: partial.logprobs,
            usage,
            finish,
        })));
    }

    fn end(&mut self, last: Result<Chunk, ModelError>) {
        if self.bytes.take().is_some() {
            self.ready.push_back(last);
        }
    }
}
