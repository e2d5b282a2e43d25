//! Watches the relays' directory while the screen is open, and keeps the user's choices.

use std::collections::BTreeMap;
use std::time::Duration;

use frlm_client::conductor::swarm::ProviderInfo;
use frlm_client::inference::Dialect;
use frlm_client::protocol::printable;
use frlm_client::relay::RelayStatus;
use nostr::RelayUrl;
use tokio::sync::watch;

use super::past_jobs;
use super::state::{Action, Choices, Event, Offer, Providers, Relay, Watching};
use super::words;
use crate::desktop::engine::runs;
use crate::desktop::engine::{Engine, Event as AppEvent, Outbox, Switch};
use frlm_client::config::{Config, first_named, relay_urls};
use frlm_client::directory::{Link, ProviderDirectory, View};
use frlm_client::home::Home;
use frlm_client::settings_file::{Setting, SettingsFile};
use frlm_client::trial::{self, Trial};

/// How often what was heard is passed on.
const TICK: Duration = Duration::from_millis(250);

/// Does what takes time.
pub fn perform(
    action: &Action,
    shown: &Providers,
    engine: &Engine,
    switch: &Switch,
    swarm_relay: Option<&str>,
) {
    match action {
        Action::Again => open(engine, switch, swarm_relay),
        Action::Block(key, blocked) => choose(engine, key.clone(), *blocked, "blocked", "providers"),
        Action::Prefer(key, preferred) => choose(engine, key.clone(), *preferred, "providers", "blocked"),
        Action::Try(key) => {
            let records_only = shown.here.get(key).is_some_and(|offer| offer.records_only);
            attempt(engine, key.clone(), records_only, swarm_relay);
        }
        Action::Show(_) | Action::Sort(_) | Action::Choose(_) => {}
    }
}

/// Watches the relays of the settings, and the local swarm's while it is on; reads how providers did before.
pub fn open(engine: &Engine, switch: &Switch, swarm_relay: Option<&str>) {
    let (home, outbox, swarm) = (engine.home().clone(), engine.outbox(), swarm_relay.map(str::to_owned));
    let (off, directory) = (switch.turn(engine), engine.directory().clone());
    engine.spawn(async move {
        tokio::select! {
            () = off.cancelled() => {}
            () = watch(&home, &outbox, &directory, swarm) => {}
        }
    });
    engine.read(past_jobs::read, |past| AppEvent::Providers(Event::PastJobs(past)));
    engine.change(words::RECORDS_UNREAD, past_jobs::reputations, |reputations| {
        AppEvent::Providers(Event::Reputations(reputations))
    });
}

/// Sends a provider one small job.
fn attempt(engine: &Engine, key: String, records_only: bool, swarm_relay: Option<&str>) {
    let (home, outbox, swarm) = (engine.home().clone(), engine.outbox(), swarm_relay.map(str::to_owned));
    let stop = engine.stop();
    engine.spawn(async move {
        let trial = match relays(&home, swarm.as_ref()) {
            Ok((_, relays)) => tokio::select! {
                () = stop.cancelled() => return,
                trial = trial::attempt(&relays, &key, records_only) => trial,
            },
            Err(error) => Trial::Failed(runs::words(&error)),
        };
        outbox.send(AppEvent::Providers(Event::Trial { key, trial })).await;
    });
}

/// Enters a key into one of the lists of `[ask]`, or takes it out; nobody is on both.
fn choose(engine: &Engine, key: String, wanted: bool, list: &'static str, other: &'static str) {
    let report = |choices| AppEvent::Providers(Event::Choices(choices));
    engine.change(words::NOT_CHANGED, move |home| change(home, &key, wanted, list, other), report);
}

fn change(home: &Home, key: &str, wanted: bool, list: &str, other: &str) -> anyhow::Result<Choices> {
    let config = home.config()?;
    let of = |name: &str| if name == "blocked" { &config.ask.blocked } else { &config.ask.providers };
    // The file may hold npub1…, the screen knows hex.
    let without = |name: &str| {
        let same = |entry: &String| hex(entry) == key;
        of(name).iter().filter(|entry| !same(entry)).cloned().collect::<Vec<_>>()
    };
    let mut entries = without(list);
    if wanted {
        entries.push(key.to_owned());
    }
    let mut file = SettingsFile::open(&home.config_file())?;
    let setting = |entries: Vec<String>| {
        if entries.is_empty() { Setting::Default } else { Setting::List(entries) }
    };
    file.set("ask", list, setting(entries));
    if wanted {
        file.set("ask", other, setting(without(other)));
    }
    file.save()?;
    Ok(choices(&home.config()?))
}

fn choices(config: &Config) -> Choices {
    let keys = |list: &[String]| list.iter().map(|entry| hex(entry)).collect();
    Choices { blocked: keys(&config.ask.blocked), preferred: keys(&config.ask.providers) }
}

/// A key as it stands in events; what is no key stays what it is.
fn hex(key: &str) -> String {
    nostr::PublicKey::parse(key).map_or_else(|_| printable(key).into_owned(), |key| key.to_hex())
}

async fn watch(home: &Home, outbox: &Outbox, directory: &ProviderDirectory, swarm_relay: Option<String>) {
    let tell = |event| outbox.send(AppEvent::Providers(event));
    tell(Event::Nobody).await;
    let relays = match relays(home, swarm_relay.as_ref()) {
        Ok((config, relays)) => {
            tell(Event::Choices(choices(&config))).await;
            relays
        }
        Err(error) => return tell(Event::Watching(Watching::Failed(runs::words(&error)))).await,
    };
    if relays.is_empty() {
        tell(Event::Relays(Vec::new())).await;
        return tell(Event::Watching(Watching::NoRelay)).await;
    }
    directory.retry(&relays);
    listen(outbox, directory.watch(&relays)).await;
}

/// The settings, and where to look: the relays that are named there, and the local swarm's.
fn relays(home: &Home, swarm_relay: Option<&String>) -> anyhow::Result<(Config, Vec<RelayUrl>)> {
    let config = home.config()?;
    let named = first_named([&config.ask.relays, &config.relays]);
    let relays = relay_urls(named.iter().chain(swarm_relay))?;
    Ok((config, relays))
}

/// Passes on what changes at the relays, at most every [`TICK`].
async fn listen(outbox: &Outbox, mut view: watch::Receiver<View>) {
    let tell = |event| outbox.send(AppEvent::Providers(event));
    let (mut shown, mut watching, mut relays) = (BTreeMap::new(), Watching::Beginning, Vec::new());
    loop {
        let now = view.borrow_and_update().clone();
        // Before the link: the banner that it draws stands above what each relay says.
        let found: Vec<Relay> = now.relays.iter().map(relay).collect();
        if found != relays {
            relays.clone_from(&found);
            tell(Event::Relays(found)).await;
        }
        let link = how_it_stands(&now.link);
        if link != watching {
            watching.clone_from(&link);
            tell(Event::Watching(link)).await;
        }
        let (here, gone) = news(&mut shown, now.providers.iter().map(offer));
        if !here.is_empty() {
            tell(Event::Here(here)).await;
        }
        if !gone.is_empty() {
            tell(Event::Gone(gone)).await;
        }
        tokio::time::sleep(TICK).await;
        if view.changed().await.is_err() {
            return;
        }
    }
}

fn how_it_stands(link: &Link) -> Watching {
    match link {
        Link::Connecting => Watching::Connecting,
        Link::On { .. } => Watching::On,
        Link::Unreachable(why) => Watching::Unreachable(printable(why).into_owned()),
    }
}

/// What is new in a list of offers beside the one before, and whose are gone; `shown` becomes the new list.
fn news(shown: &mut BTreeMap<String, Offer>, now: impl Iterator<Item = Offer>) -> (Vec<Offer>, Vec<String>) {
    let now: BTreeMap<String, Offer> = now.map(|offer| (offer.key.clone(), offer)).collect();
    let here = now.values().filter(|offer| shown.get(&offer.key) != Some(offer)).cloned().collect();
    let gone = shown.keys().filter(|key| !now.contains_key(*key)).cloned().collect();
    *shown = now;
    (here, gone)
}

fn offer(info: &ProviderInfo) -> Offer {
    Offer {
        key: info.id.to_string(),
        name: printable(&info.name).into_owned(),
        model: printable(&info.model.name).into_owned(),
        weights_hash: info.model.weights_hash.as_deref().map(|hash| printable(hash).into_owned()),
        records_only: info.dialect == Dialect::Records,
        context_tokens: info.context_tokens as u64,
        workers: info.workers,
        tariff: info.tariff,
    }
}

fn relay(status: &RelayStatus) -> Relay {
    Relay {
        address: status.url.to_string(),
        online: status.connected,
        words: status.last_message.as_deref().map(|words| printable(words).into_owned()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use nostr::nips::nip19::ToBech32 as _;

    use super::*;

    #[test]
    fn blocking_takes_a_provider_off_the_preferred_list_and_keeps_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let key = nostr::Keys::generate().public_key();
        let written = format!("# mine\n[ask]\nproviders = [\"{}\"]\n", key.to_bech32().unwrap());
        std::fs::write(home.config_file(), written).unwrap();
        let found = change(&home, &key.to_hex(), true, "blocked", "providers").unwrap();
        assert!(found.blocked.contains(&key.to_hex()) && found.preferred.is_empty());
        assert!(std::fs::read_to_string(home.config_file()).unwrap().starts_with("# mine\n"));
        let found = change(&home, &key.to_hex(), false, "blocked", "providers").unwrap();
        assert_eq!(found, Choices::default());
    }
}
