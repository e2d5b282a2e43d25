//! Looks for models, opens one and talks to it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use frlm_client::inference::{Chunk, Dialect, GenerationRequest, LanguageModel, Message, Role, Sampling};
use frlm_client::protocol::printable;
use futures::StreamExt as _;
use tokio_util::sync::CancellationToken;

use super::download;
use super::state::{Action, Event, Info, Models, Opened, Speed, Turn, Use};
use super::words;
use crate::desktop::command::Command;
use crate::desktop::engine::runs;
use crate::desktop::engine::{Engine, Event as AppEvent, Outbox};
use crate::desktop::screens::load::Load;
use frlm_client::home::Home;
use frlm_client::model_catalog;
use frlm_client::models;
use frlm_client::settings_file::{Setting, SettingsFile};

/// The longest answer, in tokens.
const ANSWER_TOKENS: usize = 512;
/// Text is passed on this often: every token would be a frame.
const PACE: Duration = Duration::from_millis(50);

/// Keeps the opened model, and the off switches of its answer and of a download.
#[derive(Debug, Clone, Default)]
pub struct Bench {
    opening: Arc<Mutex<Opening>>,
    download: download::DownloadManager,
}

#[derive(Debug, Default)]
struct Opening {
    model: Option<Arc<dyn LanguageModel>>,
    off: CancellationToken,
}

impl Bench {
    /// Ends what is under way and puts another model, or none, on the bench.
    fn put(&self, model: Option<Arc<dyn LanguageModel>>, off: CancellationToken) {
        let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        opening.off.cancel();
        *opening = Opening { model, off };
    }

    /// Puts the model there that was being opened, unless another was asked for meanwhile.
    fn fill(&self, model: Arc<dyn LanguageModel>, off: &CancellationToken) {
        let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if !off.is_cancelled() {
            opening.model = Some(model);
        }
    }

    fn model(&self) -> Option<(Arc<dyn LanguageModel>, CancellationToken)> {
        let opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        Some((opening.model.clone()?, opening.off.child_token()))
    }
}

/// Does what takes time. `models` is the screen after the action.
pub fn perform(action: &Action, models: &Models, engine: &Engine, bench: &Bench) {
    match action {
        Action::Reload => look(engine),
        Action::Browse => browse(engine),
        Action::Open(spec) => open(spec.clone(), engine, bench),
        Action::Close => bench.put(None, CancellationToken::new()),
        Action::Send => send(models, engine, bench),
        Action::Stop => {
            if let Some((model, _)) = bench.model() {
                bench.put(Some(model), engine.stop().child_token());
            }
        }
        Action::Download(action) => download::perform(action, &models.download, engine, &bench.download),
        Action::Use(what, spec) => use_from_now_on(*what, spec.clone(), engine),
        Action::Address(_) | Action::Prompt(_) => {}
    }
}

/// Looks for models.
pub fn look(engine: &Engine) {
    engine.read(model_catalog::find, |found| AppEvent::Models(Event::Found(found)));
}

fn browse(engine: &Engine) {
    let outbox = engine.outbox();
    engine.spawn(async move {
        let dialog = rfd::AsyncFileDialog::new().set_title(words::CHOOSE).add_filter("GGUF", &["gguf"]);
        if let Some(file) = dialog.pick_file().await {
            let path = file.path().display().to_string();
            outbox.send(AppEvent::Do(Command::Models(Action::Address(path)))).await;
        }
    });
}

fn open(spec: String, engine: &Engine, bench: &Bench) {
    let off = engine.stop().child_token();
    bench.put(None, off.clone());
    let (home, outbox, bench) = (engine.home().clone(), engine.outbox(), bench.clone());
    engine.spawn(async move {
        let began = Instant::now();
        let opened = tokio::select! {
            // Another model was asked for, or the app quits.
            () = off.cancelled() => return,
            opened = models::open(&spec, None, &home) => opened,
        };
        let opened = match opened {
            Ok(model) => {
                let known = info(&model, began.elapsed());
                bench.fill(model, &off);
                Opened::Ready { spec, info: known }
            }
            Err(error) => Opened::Failed { spec, why: runs::words(&error) },
        };
        outbox.send(AppEvent::Models(Event::Opened(opened))).await;
    });
}

fn info(model: &Arc<dyn LanguageModel>, opening: Duration) -> Info {
    let known = model.info();
    Info {
        name: printable(&known.name).into_owned(),
        context_tokens: known.context_tokens as u64,
        quantisation: known.quantisation.as_deref().map(|format| printable(format).into_owned()),
        concurrency: known.concurrency as u64,
        records_only: known.dialect == Dialect::Records,
        opening_ms: millis(opening),
    }
}

fn send(models: &Models, engine: &Engine, bench: &Bench) {
    let awaits = |turn: &Turn| !turn.mine && turn.text.is_empty() && turn.problem.is_none();
    if !models.answering || !models.chat.last().is_some_and(awaits) {
        return;
    }
    let Some((model, off)) = bench.model() else { return };
    let request = request(&models.chat, model.info().dialect == Dialect::Records);
    let outbox = engine.outbox();
    engine.spawn(async move {
        let event = tokio::select! {
            () = off.cancelled() => Event::Broke(words::STOPPED.to_owned()),
            outcome = talk(&model, request, &outbox) => match outcome {
                Ok(speed) => Event::Answered(speed),
                Err(error) => Event::Broke(printable(&error.to_string()).into_owned()),
            },
        };
        outbox.send(AppEvent::Models(event)).await;
    });
}

/// The chat as a request: a model that only copies fields reads the last message alone.
fn request(chat: &[Turn], last_only: bool) -> GenerationRequest {
    let said = chat.iter().filter(|turn| !turn.text.is_empty() && turn.problem.is_none());
    let said = said.map(|turn| Message {
        role: if turn.mine { Role::User } else { Role::Assistant },
        content: turn.text.clone(),
    });
    let mut messages: Vec<Message> = said.collect();
    if last_only {
        messages.drain(..messages.len().saturating_sub(1));
    }
    GenerationRequest {
        messages,
        max_tokens: ANSWER_TOKENS,
        sampling: Sampling::GREEDY,
        constraint: None,
        top_logprobs: 0,
        stop: Vec::new(),
    }
}

async fn talk(
    model: &Arc<dyn LanguageModel>,
    request: GenerationRequest,
    outbox: &Outbox,
) -> anyhow::Result<Speed> {
    let began = Instant::now();
    let mut chunks = model.stream(request).await?;
    let (mut first, mut passed_on, mut pending) = (None, began, String::new());
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            Chunk::Text(text) => {
                first.get_or_insert_with(|| began.elapsed());
                pending.push_str(&printable(&text));
                if passed_on.elapsed() >= PACE {
                    passed_on = Instant::now();
                    let text = std::mem::take(&mut pending);
                    outbox.send(AppEvent::Models(Event::Text(text))).await;
                }
            }
            Chunk::Reasoning(_) => drop(first.get_or_insert_with(|| began.elapsed())),
            Chunk::Done(answer) => {
                outbox.send(AppEvent::Models(Event::Text(pending))).await;
                let total = began.elapsed();
                return Ok(Speed {
                    first_ms: millis(first.unwrap_or(total)),
                    total_ms: millis(total),
                    prompt_tokens: answer.usage.prompt_tokens,
                    tokens: answer.usage.completion_tokens,
                });
            }
        }
    }
    anyhow::bail!(words::NO_ANSWER)
}

fn use_from_now_on(what: Use, spec: Option<String>, engine: &Engine) {
    let change = move |home: &Home| {
        let mut file = SettingsFile::open(&home.config_file())?;
        let section = if what == Use::Own { "ask" } else { "provide" };
        file.set(section, "model", spec.map_or(Setting::Default, Setting::Text));
        file.save()?;
        model_catalog::find(home).context(words::CHANGED_NOT_LISTED)
    };
    let report = |found| AppEvent::Models(Event::Found(Load::Ready(found)));
    engine.change(words::NOT_CHANGED, change, report);
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_turn_is_not_resent_and_a_copying_model_reads_the_last_one() {
        let turn = |mine, text: &str, problem: Option<&str>| Turn {
            mine,
            text: text.to_owned(),
            speed: None,
            problem: problem.map(str::to_owned),
        };
        let chat = [
            turn(true, "a", None),
            turn(false, "b", Some("stopped")),
            turn(true, "c", None),
            turn(false, "", None),
        ];
        let said = |last_only| -> Vec<String> {
            request(&chat, last_only).messages.into_iter().map(|message| message.content).collect()
        };
        assert_eq!(said(false), ["a", "c"]);
        assert_eq!(said(true), ["c"]);
    }
}
