//! Reads documents, looks up who is there, and starts runs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use frlm_client::documents::{Documents, keep_pasted};
use frlm_client::protocol::{one_line, printable};
use frlm_client::questions::ingest::IngestWarning;

use super::state::{Action, Ask, Document, Event, Previewed, Reading, Seen, Venue};
use super::words;
use crate::desktop::command::Command;
use crate::desktop::engine::{Engine, Event as AppEvent, Outbox, runs};
use frlm_client::config::{AskConfig, Config};
use frlm_client::directory::ProviderDirectory;
use frlm_client::home::Home;
use frlm_client::run::{self, By, Estimate, Prepared, RunRequest, RunSpec, in_words, parts, prepare_in};
use frlm_client::wallet_manager::WalletManager;

/// Typing pauses this long before anything is looked up.
const CALM: Duration = Duration::from_millis(300);
/// Between two reports of how far the reading is.
const TOLD_EVERY: Duration = Duration::from_millis(150);
/// Nobody opens and closes a dialog in less.
const TOO_QUICK: Duration = Duration::from_millis(400);
/// Documents that are listed by name; all of them are read.
const MOST_LISTED: usize = 500;

/// The newest revision of the form: work for older ones stops.
#[derive(Debug, Default)]
pub struct Newest {
    form: AtomicU64,
    files: AtomicU64,
}

/// What a run would be asked with, as far as the engine needs it.
#[derive(Debug, Clone, Default)]
pub struct Form {
    ask: Ask,
    swarm_relay: Option<String>,
}

impl Form {
    /// The form and the local swarm's relay.
    pub fn new(ask: &Ask, swarm_relay: Option<&str>) -> Self {
        Self { ask: ask.clone(), swarm_relay: swarm_relay.map(str::to_owned) }
    }

    fn lacks_swarm(&self) -> bool {
        self.ask.venue == Venue::LocalSwarm && self.swarm_relay.is_none()
    }
}

/// Does what takes time. `form` holds the form *after* the action.
pub fn perform(action: &Action, form: Form, engine: &Engine, newest: &Arc<Newest>) {
    newest.form.store(form.ask.revision, Ordering::Relaxed);
    newest.files.store(form.ask.files_revision, Ordering::Relaxed);
    match action {
        Action::Add(_) | Action::Remove(_) | Action::RemoveAll | Action::ReadAgain | Action::Unlock(_) => {
            if let Action::Unlock(password) = action {
                engine.open_documents_with(password.clone());
            }
            read(&form, engine, newest);
            preview(form, engine, newest);
        }
        Action::Question(_)
        | Action::Verify(_)
        | Action::Level(_)
        | Action::Venue(_)
        | Action::Wish(_)
        | Action::Follow(_)
        | Action::ReadAs(_)
        | Action::Again => {
            preview(form, engine, newest);
        }
        // What it costs does not depend on what it may cost; for the clipboard the window asks the system.
        Action::Budget(_)
        | Action::WantPaste
        | Action::StopReading
        | Action::TypePath(_)
        | Action::AddTyped => {}
        Action::Sample(speaks) => {
            let (sample, _) = speaks.tried_on();
            let unpack = move |home: &Home| sample.unpack(home);
            engine.change(words::SAMPLE_NOT_UNPACKED, unpack, |path| add(vec![path]));
        }
        Action::Paste(text) => paste(text.clone(), engine),
        Action::Choose(folders) => choose(*folders, engine),
        Action::Start => start(form, engine),
        Action::Cancel => engine.runs().cancel(),
    }
}

fn read(form: &Form, engine: &Engine, newest: &Arc<Newest>) {
    if form.ask.files.is_empty() {
        return;
    }
    let (files, revision) = (form.ask.files.clone(), form.ask.files_revision);
    let newest = Arc::clone(newest);
    let told = Mutex::new((0_usize, Instant::now()));
    let progress = engine.outbox();
    let reader = engine.documents().watched(move |_| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        told.0 += 1;
        if told.1.elapsed() > TOLD_EVERY {
            told.1 = Instant::now();
            let reading = Reading::Busy { files: told.0 };
            progress.try_send(AppEvent::Ask(Event::Reading { revision, reading, locked: false }));
        }
        newest.files.load(Ordering::Relaxed) == revision
    });
    engine.report(async move {
        let (reading, locked) = tokio::task::spawn_blocking(move || documents(&files, &reader))
            .await
            .unwrap_or_else(|error| (Reading::Failed(error.to_string()), false));
        AppEvent::Ask(Event::Reading { revision, reading, locked })
    });
}

/// Reads and cuts documents as a run would; and whether a password would open what was not read. Blocks.
fn documents(files: &[PathBuf], reader: &Documents) -> (Reading, bool) {
    let read = match reader.read(files) {
        Ok(read) => read,
        Err(error) => {
            let words = printable(&error.to_string()).into_owned();
            return (Reading::Failed(words), error.needs_password());
        }
    };
    let locked = read.warnings.iter().any(IngestWarning::needs_password);
    let counts = parts(&read.documents);
    let listed = read.documents.iter().zip(counts).take(MOST_LISTED).map(|(document, fragments)| Document {
        name: one_line(&document.name).into_owned(),
        bytes: document.text.len(),
        fragments,
        tokens: document.text.tokens(),
    });
    let warnings = read.warnings.iter().map(|warning| printable(&warning.to_string()).into_owned()).collect();
    (Reading::Read { documents: listed.collect(), warnings }, locked)
}

fn preview(form: Form, engine: &Engine, newest: &Arc<Newest>) {
    if !form.ask.is_complete() || form.lacks_swarm() {
        return;
    }
    let (outbox, home, newest) = (engine.outbox(), engine.home().clone(), Arc::clone(newest));
    let (revision, wallet_manager, directory) =
        (form.ask.revision, engine.wallet_manager(), engine.directory().clone());
    let reader = engine.documents();
    let is_newest = move || newest.form.load(Ordering::Relaxed) == revision;
    engine.spawn(async move {
        tokio::time::sleep(CALM).await;
        if !is_newest() {
            return;
        }
        let previewed = match look(&form, &home, &wallet_manager, &directory, reader).await {
            Ok((prepared, estimate)) => known(&prepared, &estimate),
            Err(error) => Previewed::Failed(runs::words(&error)),
        };
        outbox.send(AppEvent::Ask(Event::Previewed { revision, previewed })).await;
    });
}

async fn look(
    form: &Form,
    home: &Home,
    wallet_manager: &WalletManager,
    directory: &ProviderDirectory,
    reader: Documents,
) -> anyhow::Result<(Prepared, Estimate)> {
    let prepared = prepared(form, home, reader).await?;
    let reusable = run::reusable(home, &prepared.request)?;
    let estimate = run::estimate(&prepared, &home.config()?, directory, reusable).await?;
    let payer = wallet_manager.payer(home, prepared.request.play_money);
    let estimate = estimate.with_fees_of(payer, &prepared).await;
    Ok((prepared, estimate))
}

async fn prepared(form: &Form, home: &Home, reader: Documents) -> anyhow::Result<Prepared> {
    let request = request(form, home.config()?)?;
    let home = home.clone();
    tokio::task::spawn_blocking(move || prepare_in(&home, request, &reader)).await?
}

/// What the form asks for. Where the question goes is the form's word; of the settings counts what it leaves open.
fn request(form: &Form, mut config: Config) -> anyhow::Result<RunRequest> {
    let ask = &form.ask;
    config.ask.local = false;
    if ask.venue == Venue::LocalSwarm {
        // Neither the relays nor the model, providers and venues of the settings: this swarm stands alone.
        config.ask = AskConfig {
            providers: Vec::new(),
            foreign: Vec::new(),
            venues: Vec::new(),
            model: None,
            ..config.ask
        };
    }
    let mut spec = RunSpec::over(ask.question.clone(), ask.files.clone());
    // The local swarm is there to be tried; elsewhere the settings say who tells what code could.
    spec.by = if ask.venue == Venue::LocalSwarm { Some(By::Swarm) } else { config.ask.by };
    spec.reading = ask.read_as.as_ref().map(|reading| reading.choice.clone());
    spec.budget = Some(ask.budget);
    spec.verify = Some(ask.verify.clone());
    spec.level = Some(ask.level);
    spec.local = ask.venue == Venue::OwnModel;
    if ask.venue == Venue::LocalSwarm {
        spec.relays = form.swarm_relay.iter().cloned().collect();
        spec.discovery = Some(30);
    }
    ask.wishes.put_into(&mut spec)?;
    spec.after = ask.follows.as_ref().map(|followed| followed.run.clone());
    let mut request = RunRequest::from_spec(&spec, &config)?;
    if ask.venue == Venue::LocalSwarm {
        // Also where the swarm has no relay yet: never those of the settings.
        request.relays = spec.relays;
        request.play_money = true;
    }
    Ok(request)
}

fn known(prepared: &Prepared, estimate: &Estimate) -> Previewed {
    let policy = &prepared.policy.verification;
    Previewed::Known {
        low: estimate.quote.low.0,
        expected: estimate.quote.expected.0,
        high: estimate.quote.high.0,
        given: estimate.quote.given.0,
        subtasks: estimate.subtasks.len(),
        // A provider whose record is enough is asked alone.
        replicas: if policy.is_adaptive() { 1 } else { policy.first_replicas() },
        most_replicas: policy.most_asked(),
        providers: estimate
            .providers
            .iter()
            .map(|provider| Seen {
                name: printable(&provider.name).into_owned(),
                model: printable(&provider.model.name).into_owned(),
                tariff: provider.tariff,
            })
            .collect(),
        unreachable: estimate.unreachable.as_deref().map(|why| printable(why).into_owned()),
        by_code: prepared.by_code(),
        own_model_reads: prepared.asks_own_model(),
        provider_reads: estimate.provider_reads_first(),
        bytes: estimate.bytes,
        in_plain: printable(&in_words(&estimate.readers)).into_owned(),
        readings: prepared.readings.clone(),
    }
}

fn start(form: Form, engine: &Engine) {
    let (outbox, home) = (engine.outbox(), engine.home().clone());
    let runs = engine.runs();
    let switch = runs.will_ask();
    let reader = engine.documents();
    engine.spawn(async move {
        let prepared = match prepared(&form, &home, reader).await {
            Ok(prepared) => prepared,
            Err(error) => return refuse(&outbox, &error).await,
        };
        if let Err(error) = runs.ask(prepared, switch).await {
            refuse(&outbox, &error).await;
        }
    });
}

async fn refuse(outbox: &Outbox, error: &anyhow::Error) {
    let why = runs::words(error);
    outbox.send(AppEvent::Ask(Event::NotStarted(why))).await;
}

/// Pasted text becomes a file under the state directory, so that citations can be looked up later.
fn paste(text: String, engine: &Engine) {
    let write = move |home: &Home| Ok(keep_pasted(&text, &home.pasted())?);
    engine.change(words::PASTE_NOT_SAVED, write, |path| add(vec![path]));
}

/// Documents that came from elsewhere than a drop.
fn add(files: Vec<PathBuf>) -> AppEvent {
    AppEvent::Do(Command::Ask(Action::Add(files)))
}

fn choose(folders: bool, engine: &Engine) {
    let outbox = engine.outbox();
    engine.spawn(async move {
        let dialog = rfd::AsyncFileDialog::new().set_title(words::CHOOSE);
        let asked = Instant::now();
        let chosen = if folders { dialog.pick_folders().await } else { dialog.pick_files().await };
        // Where no dialog can be shown, the answer comes at once and is the same as that of who chose nothing.
        if chosen.is_none() && asked.elapsed() < TOO_QUICK {
            outbox.send(AppEvent::Ask(Event::NoChooser)).await;
        }
        let files: Vec<PathBuf> = chosen.into_iter().flatten().map(|file| file.path().to_owned()).collect();
        if !files.is_empty() {
            outbox.send(add(files)).await;
        }
    });
}

#[cfg(test)]
mod tests {
    use frlm_verifier::request::VerificationLevel;

    use super::*;

    /// Settings of somebody with providers, venues and a model of their own.
    fn settled() -> Config {
        let key = nostr::Keys::generate().public_key().to_hex();
        let ask = AskConfig {
            providers: vec![key.clone()],
            foreign: vec![key],
            venues: vec!["swarm".to_owned(), "office".to_owned()],
            local: true,
            model: Some("https://api.example.org/v1#m".to_owned()),
            ..AskConfig::default()
        };
        Config { relays: vec!["wss://relay.example".to_owned()], ask, ..Config::default() }
    }

    fn asked(venue: Venue) -> RunRequest {
        let ask = Ask { question: "How many?".to_owned(), venue, ..Ask::default() };
        request(&Form::new(&ask, Some("ws://127.0.0.1:40123")), settled()).unwrap()
    }

    #[test]
    fn the_local_swarm_stands_alone_whatever_the_settings_name() {
        let request = asked(Venue::LocalSwarm);
        assert_eq!(request.relays, ["ws://127.0.0.1:40123"]);
        assert!(request.providers.is_empty() && request.foreign.is_empty() && request.venues.is_empty());
        assert!(request.model.is_none() && !request.local && request.play_money);
    }

    #[test]
    fn how_sure_it_must_be_is_the_forms_word_which_begins_as_the_settings_say() {
        let mut ask = Ask { question: "How many?".to_owned(), ..Ask::default() };
        let level = |ask: &Ask| request(&Form::new(ask, None), settled()).unwrap().level;
        ask.settle(None, None, Some(VerificationLevel::High));
        assert_eq!(level(&ask), VerificationLevel::High);
        ask.perform(&Action::Level(VerificationLevel::Critical));
        ask.settle(None, None, Some(VerificationLevel::High));
        assert_eq!(level(&ask), VerificationLevel::Critical, "what was chosen stays");
    }

    #[test]
    fn where_the_question_goes_is_the_forms_word() {
        let relays = asked(Venue::Relays);
        assert!(!relays.local && relays.uses_swarm() && !relays.play_money);
        assert_eq!((relays.relays.len(), relays.providers.len(), relays.venues.len()), (1, 1, 2));
        let own = asked(Venue::OwnModel);
        assert!(own.local && own.venues.is_empty() && own.model.is_some());
    }
}
