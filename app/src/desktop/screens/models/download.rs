//! A model from an address: what is typed, how far it is, and what came of it.

use std::sync::{Arc, Mutex, PoisonError};

use egui::Ui;
use frlm_client::inference::download::{DownloadRequest, Outcome, Progress, fetch};
use frlm_client::protocol::{printable, shown_path};
use lucide_icons::Icon;
use tokio_util::sync::CancellationToken;

use super::state::Event as ModelsEvent;
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::engine::{Engine, Event as AppEvent};
use crate::desktop::screens::models;
use crate::desktop::theme::tokens;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{
    Banner, Button, Part, Tone, bar_ui, busy_ui, card_ui, field_ui, headed_ui, mark_ui, soft,
};
use frlm_client::model_catalog;

/// How a download stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DownloadStage {
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
    pub stage: DownloadStage,
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
        matches!(self.stage, DownloadStage::Asking | DownloadStage::Coming(_))
    }

    /// Does what needs no looking up.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Url(text) => self.url.clone_from(text),
            Action::Sha256(text) => self.sha256.clone_from(text),
            Action::Start if !self.is_busy() && self.order().is_ok() => self.stage = DownloadStage::Asking,
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
        Action::Start if shown.stage == DownloadStage::Asking && kept.is_none() => {
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
        let fetched =
            fetch(&order, &folder, &stop, |progress| tell(report(DownloadStage::Coming(progress)))).await;
        *manager.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let stage = match fetched {
            Ok(Outcome::Done { path, sha256 }) => {
                let path = shown_path(&path);
                DownloadStage::Done { path, sha256, checked: order.sha256.is_some() }
            }
            Ok(Outcome::Stopped(done)) => DownloadStage::Stopped(done),
            Err(error) => DownloadStage::Failed(printable(&error.to_string()).into_owned()),
        };
        outbox.send(report(stage)).await;
        outbox.send(AppEvent::Do(Command::Models(models::Action::Reload))).await;
    });
}

/// The card.
pub fn download_ui(ui: &mut Ui, download: &Download, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::DOWNLOAD_TITLE, words::DOWNLOAD_ABOUT);
        ui.add_space(space::XS);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::L;
            let width = (ui.available_width() - space::L) / 2.0;
            let url = field_ui(ui, words::URL, &download.url, words::URL_EXAMPLE, width);
            commands.extend(url.map(Action::Url));
            let sha256 = field_ui(ui, words::SHA256, &download.sha256, words::SHA256_EXAMPLE, width);
            commands.extend(sha256.map(Action::Sha256));
        });
        ui.add_space(space::XS);
        ui.horizontal(|ui| {
            if download.is_busy() {
                let button = Button::new(words::STOP).icon(Icon::Pause).hint(words::STOP_DOWNLOAD_HINT);
                button.show(ui, commands, Action::Stop);
                return;
            }
            let ready = download.order();
            let kept = matches!(download.stage, DownloadStage::Stopped(_) | DownloadStage::Failed(_));
            let word = if kept { words::RESUME } else { words::DOWNLOAD };
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

fn stage_ui(ui: &mut Ui, stage: &DownloadStage) {
    match stage {
        DownloadStage::Idle => {}
        DownloadStage::Asking => busy_ui(ui, words::ASKING),
        DownloadStage::Coming(progress) => {
            if let Some(total) = progress.total {
                let part = Part { name: words::HERE, amount: progress.done, colour: tokens(ui).busy };
                bar_ui(ui, words::DOWNLOAD, total, &[part]);
            }
            ui.label(soft(ui, &model_catalog::progress_in_words(progress)));
        }
        DownloadStage::Stopped(done) => {
            mark_ui(ui, Tone::Warn, Icon::Pause, &words::stopped(*done));
        }
        DownloadStage::Done { path, sha256, checked } => {
            let (what, safe) = if *checked {
                (words::DOWNLOADED_CHECKED, path.clone())
            } else {
                (words::DOWNLOADED, words::unchecked(path, sha256))
            };
            Banner { tone: Tone::Good, what, safe: &safe }.show_last(ui, |_| {});
        }
        DownloadStage::Failed(why) => {
            Banner { tone: Tone::Bad, what: words::NOT_DOWNLOADED, safe: why }.show_last(ui, |_| {});
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
        assert_eq!(download.stage, DownloadStage::Idle);
        download.perform(&Action::Url("https://host.example/m.gguf".to_owned()));
        download.perform(&Action::Start);
        assert_eq!(download.stage, DownloadStage::Asking);
        assert!(download.is_busy());
    }
}
