//! Reads and writes the settings file, makes the checks, and watches the log.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use frlm_client::protocol::printable;
use frlm_client::verifier::decisions::priors::RUN;
use nostr::nips::nip19::ToBech32 as _;
use tokio::sync::mpsc;

use super::form::Flag;
use super::state::{Action, Draft, Event, FromFile, Settings};
use super::words;
use crate::desktop::command::Command;
use crate::desktop::engine::runs;
use crate::desktop::engine::{Engine, Event as AppEvent, Switch, blocking};
use crate::display;
use frlm_client::doctor::{Check, check};
use frlm_client::home::Home;
use frlm_client::log_lines;
use frlm_client::run::own_priors;
use frlm_client::settings_file::{Setting, SettingsFile};
use frlm_client::thresholds::Thresholds;

/// How often the log is looked at while the screen is open.
const LOG_PACE: Duration = Duration::from_millis(500);

/// Reads the file and watches the log.
pub fn open(engine: &Engine, log: &Switch) {
    engine.read(read, |file| AppEvent::Settings(Event::Read(file)));
    engine.read(
        |home| Ok(Thresholds::new(own_priors(home)?, home.priors().display().to_string())),
        |thresholds| AppEvent::Settings(Event::Thresholds(thresholds)),
    );
    let (off, outbox) = (log.turn(engine), engine.outbox());
    engine.spawn(async move {
        let (mut known, mut tick) = (0, tokio::time::interval(LOG_PACE));
        loop {
            tokio::select! {
                () = off.cancelled() => return,
                _ = tick.tick() => {}
            }
            if let Some((count, lines)) = log_lines::newer_than(known) {
                known = count;
                outbox.send(AppEvent::Settings(Event::Log(lines))).await;
            }
        }
    });
}

/// Does what takes time. `settings` is the screen after the action.
pub fn perform(action: &Action, settings: &Settings, engine: &Engine, log: &Switch) {
    match action {
        Action::Reload => open(engine, log),
        Action::Save if settings.saving => save(settings, engine),
        Action::Diagnose => diagnose(engine),
        // What is there is never overwritten.
        Action::WriteThresholds => engine.change(
            words::THRESHOLDS_NOT_WRITTEN,
            |home| copy_built_in(&home.priors()),
            |()| AppEvent::Do(Command::Refresh),
        ),
        Action::Save
        | Action::Open(_)
        | Action::Type(..)
        | Action::Set(..)
        | Action::Relay(_)
        | Action::AddRelay
        | Action::RemoveRelay(_)
        | Action::Data(_)
        | Action::Show(_)
        | Action::SearchLog(_) => {}
    }
}

fn read(home: &Home) -> anyhow::Result<Box<FromFile>> {
    let (path, root) = (home.config_file().display().to_string(), home.root().display().to_string());
    let identity = home.provider_key()?.map(|key| key.to_bech32()).transpose()?;
    Ok(Box::new(FromFile { config: home.config()?, path, home: root, identity }))
}

fn copy_built_in(path: &Path) -> anyhow::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    file.write_all(RUN.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

fn save(settings: &Settings, engine: &Engine) {
    let (draft, changed) = (settings.draft.clone(), settings.changed());
    let (home, outbox) = (engine.home().clone(), engine.outbox());
    engine.spawn(async move {
        let outcome = blocking(move || write(&home, &draft, &changed)).await;
        let saved = outcome.is_ok();
        let outcome = outcome.map_err(|error| runs::words(&error));
        outbox.send(AppEvent::Settings(Event::Saved(outcome))).await;
        if saved {
            // The file is what counts: show what it says now.
            outbox.send(AppEvent::Do(Command::Refresh)).await;
        }
    });
}

type Changed = (Vec<super::form::Field>, Vec<Flag>, bool);

/// Writes what was changed and touches nothing else. Blocks.
fn write(home: &Home, draft: &Draft, (fields, flags, relays): &Changed) -> anyhow::Result<()> {
    let mut file = SettingsFile::open(&home.config_file())?;
    for field in fields {
        let (section, key) = field.place();
        file.set(section, key, field.setting(draft.text(*field)).map_err(anyhow::Error::msg)?);
    }
    for flag in flags {
        let (section, key) = flag.place();
        file.set(section, key, Flag::setting(draft.flag(*flag)));
    }
    if *relays {
        let list = draft.relays.clone();
        file.set("", "relays", if list.is_empty() { Setting::Default } else { Setting::List(list) });
    }
    file.save()
}

fn diagnose(engine: &Engine) {
    let (home, outbox, stop) = (engine.home().clone(), engine.outbox(), engine.stop());
    engine.spawn(async move {
        let (report, mut checks) = mpsc::channel(1);
        let passing_on = async {
            while let Some(found) = checks.recv().await {
                let check = printable_check(&found);
                outbox.send(AppEvent::Settings(Event::Checked(check))).await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            _ = async { tokio::join!(check(home, Vec::new(), display::in_words(), report), passing_on) } => {}
        }
        outbox.send(AppEvent::Settings(Event::AllChecked)).await;
    });
}

fn printable_check(check: &Check) -> Check {
    let plain = |text: &String| printable(text).into_owned();
    Check { name: plain(&check.name), outcome: check.outcome.as_ref().map(plain).map_err(plain) }
}

#[cfg(test)]
mod tests {
    use super::super::form::Field;
    use super::*;
    use crate::desktop::screens::load::Load;

    #[test]
    fn a_file_of_ones_own_begins_as_what_is_built_in_and_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        assert!(own_priors(&home).unwrap().is_none());
        copy_built_in(&home.priors()).unwrap();
        assert_eq!(own_priors(&home).unwrap(), Some(frlm_verifier::decisions::Priors::shipped()));
        std::fs::write(home.priors(), "mine").unwrap();
        assert!(copy_built_in(&home.priors()).is_err());
        assert_eq!(std::fs::read_to_string(home.priors()).unwrap(), "mine");
    }

    #[test]
    fn saving_writes_the_changes_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let written = "# mine\nrelays = [\"wss://a\"]\n\n[ask]\nbudget = 500 # not more\ntimeout = 60\n";
        std::fs::write(home.config_file(), written).unwrap();
        let mut settings = Settings::default();
        let file = FromFile {
            config: home.config().unwrap(),
            path: String::new(),
            home: String::new(),
            identity: None,
        };
        settings.apply(Event::Read(Load::Ready(Box::new(file))));
        settings.perform(&Action::Type(Field::Timeout, "90".to_owned()));
        settings.perform(&Action::Set(Flag::Local, true));
        write(&home, &settings.draft, &settings.changed()).unwrap();
        let expected = written.replace("timeout = 60", "timeout = 90\nlocal = true");
        assert_eq!(std::fs::read_to_string(home.config_file()).unwrap(), expected);
    }
}
