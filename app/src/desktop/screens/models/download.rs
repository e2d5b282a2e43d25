//! A model from an address: what is typed, how far it is, and what came of it.

use std::sync::{Arc, Mutex, PoisonError};

use egui::Ui;
use frlm_client::inference::download::{DownloadRequest, Outcome, Progress, fetch};
use frlm_client::protocol::{printable, shown_path};
use lucide_icons::Icon;
use tokio_util::sync::CancellationToken;

use super::state::Event as ModelsEvent;
use crate::desktop::command::{Command, Commands};
use crate::desktop::engine::{Engine, Event as AppEvent};
use crate::desktop::screens::models;
use crate::desktop::theme::tokens;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::bytes;
use crate::desktop::widgets::{
    Banner, Button, Part, Tone, bar_ui, card_ui, field_ui, heading, mark_ui, soft,
};
use frlm_client::model_catalog;

/// How a download stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stage {
    /// None was asked for.
    #[default]
    Idle,
    /// The server is asked, or what came before is read.
    Asking,
    /// It comes.
    Coming(Progress),
    /// It was stopped after so many bytes, which are kept.
    Stopped(u64),
    /// It is there.
    Done {
        /// Where.
        path: String,
        /// Its sha256, hex.
        sha256: String,
        /// Whether that was what the user had named.
        checked: bool,
    },
    /// It failed: why, and what became of what had come.
    Failed(String),
}

/// The form and how its download stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Download {
    /// As typed.
    pub url: String,
    /// As typed.
    pub sha256: String,
    /// How it stands.
    pub stage: Stage,
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// The address, as typed.
    Url(String),
    /// The sha256, as typed.
    Sha256(String),
    /// Fetches it, from where it stopped.
    Start,
    /// Stops; what came is kept.
    Stop,
}

impl Download {
    /// What would be fetched, or what is wrong with what was typed.
    pub fn order(&self) -> Result<DownloadRequest, String> {
        DownloadRequest::parse(&self.url, &self.sha256).map_err(|error| error.to_string())
    }

    /// Whether one is under way.
    pub fn is_busy(&self) -> bool {
        matches!(self.stage, Stage::Asking | Stage::Coming(_))
    }

    /// Does what needs no looking up.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Url(text) => self.url.clone_from(text),
            Action::Sha256(text) => self.sha256.clone_from(text),
            Action::Start if !self.is_busy() && self.order().is_ok() => self.stage = Stage::Asking,
            Action::Start | Action::Stop => {}
        }
    }
}

/// Keeps the off switch of the download under way.
#[derive(Debug, Clone, Default)]
pub struct DownloadManager(Arc<Mutex<Option<CancellationToken>>>);

/// Does what takes time. `shown` is the form after the action.
pub fn perform(action: &Action, shown: &Download, engine: &Engine, manager: &DownloadManager) {
    let mut kept = manager.0.lock().unwrap_or_else(PoisonError::into_inner);
    match action {
        Action::Start if shown.stage == Stage::Asking && kept.is_none() => {
            let Ok(order) = shown.order() else { return };
            let stop = engine.stop().child_token();
            *kept = Some(stop.clone());
            start(order, stop, engine, manager.clone());
        }
        Action::Stop => {
            if let Some(stop) = &*kept {
                stop.cancel();
            }
        }
        Action::Start | Action::Url(_) | Action::Sha256(_) => {}
    }
}

fn start(order: DownloadRequest, stop: CancellationToken, engine: &Engine, manager: DownloadManager) {
    let (folder, outbox, tell) = (engine.home().models(), engine.outbox(), engine.event_sender());
    engine.spawn(async move {
        let report = |stage| AppEvent::Models(ModelsEvent::Download(stage));
        let fetched = fetch(&order, &folder, &stop, |progress| tell(report(Stage::Coming(progress)))).await;
        *manager.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let stage = match fetched {
            Ok(Outcome::Done { path, sha256 }) => {
                let path = shown_path(&path);
                Stage::Done { path, sha256, checked: order.sha256.is_some() }
            }
            Ok(Outcome::Stopped(done)) => Stage::Stopped(done),
            Err(error) => Stage::Failed(printable(&error.to_string()).into_owned()),
        };
        outbox.send(report(stage)).await;
        outbox.send(AppEvent::Do(Command::Models(models::Action::Reload))).await;
    });
}

/// The card.
pub fn download_ui(ui: &mut Ui, download: &Download, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Download a model"));
        ui.label(soft(
            ui,
            "Downloads a GGUF file from an address that you trust into the models folder. An interrupted \
             download resumes. If you give the sha256 that the publisher names, a file with another one is \
             deleted.",
        ));
        ui.add_space(space::XS);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::L;
            let width = (ui.available_width() - space::L) / 2.0;
            let hint = "https://HOST/qwen3-4b.gguf";
            commands.extend(field_ui(ui, "Address of the file", &download.url, hint, width).map(Action::Url));
            let hint = "64 digits; if empty, not checked";
            commands.extend(
                field_ui(ui, "sha256 of the file", &download.sha256, hint, width).map(Action::Sha256),
            );
        });
        ui.add_space(space::XS);
        ui.horizontal(|ui| {
            if download.is_busy() {
                let button =
                    Button::new("Stop").icon(Icon::Pause).hint("the part already downloaded is kept");
                button.show(ui, commands, Action::Stop);
                return;
            }
            let ready = download.order();
            let kept = matches!(download.stage, Stage::Stopped(_) | Stage::Failed(_));
            let word = if kept { "Resume" } else { "Download" };
            let button = Button::new(word).icon(Icon::Download).enabled(ready.is_ok());
            let why = ready.err().unwrap_or_default();
            let typed = !download.url.trim().is_empty();
            let button = if why.is_empty() { button } else { button.hint(&why) };
            button.show(ui, commands, Action::Start);
            if typed && !why.is_empty() {
                ui.label(soft(ui, &why));
            }
        });
        stage_ui(ui, &download.stage);
    });
}

fn stage_ui(ui: &mut Ui, stage: &Stage) {
    match stage {
        Stage::Idle => {}
        Stage::Asking => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Asking the server…")),
        Stage::Coming(progress) => {
            if let Some(total) = progress.total {
                let part = Part { name: "here", amount: progress.done, colour: tokens(ui).busy };
                bar_ui(ui, "Download", total, &[part]);
            }
            ui.label(soft(ui, &model_catalog::progress_in_words(progress)));
        }
        Stage::Stopped(done) => {
            let words = format!("Stopped; {} are kept, and the download resumes from there.", bytes(*done));
            mark_ui(ui, Tone::Warn, Icon::Pause, &words);
        }
        Stage::Done { path, sha256, checked } => {
            let words = if *checked { "Downloaded; the sha256 matches" } else { "Downloaded" };
            let safe = if *checked {
                path.clone()
            } else {
                format!("{path}. No sha256 was given to check it; the file's is {sha256}.")
            };
            Banner { tone: Tone::Good, what: words, safe: &safe }.show_last(ui, |_| {});
        }
        Stage::Failed(why) => {
            Banner { tone: Tone::Bad, what: "The download failed", safe: why }.show_last(ui, |_| {});
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_fetched_twice_at_once_and_nothing_without_an_order() {
        let mut download = Download::default();
        download.perform(&Action::Start);
        assert_eq!(download.stage, Stage::Idle);
        download.perform(&Action::Url("https://host.example/m.gguf".to_owned()));
        download.perform(&Action::Start);
        assert_eq!(download.stage, Stage::Asking);
        assert!(download.is_busy());
    }
}
