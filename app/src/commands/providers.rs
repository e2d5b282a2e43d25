//! `frlm providers`: what this home knows of the providers it asked. It is the user's own: nothing of it
//! leaves the machine unless the user writes it to a file and sends that.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use frlm_client::protocol::shown_path;
use frlm_client::util::clock::unix_secs;
use frlm_client::verifier::trust::{
    Reputation, ReputationExport, ReputationStore, ReputationStoreError, biases,
};
use nostr::PublicKey;

use crate::cli::ProvidersCommand;
use crate::streams::agreed;
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::provider_record::{as_json, in_words, table};
use frlm_client::vouching::{self, Vouched};

/// Does what was asked with the reputation file.
pub fn run(command: &ProvidersCommand, home: &Home) -> anyhow::Result<()> {
    let store = ReputationStore::at(home.reputation());
    let load = || store.load(unix_secs());
    match command {
        ProvidersCommand::List { json } => {
            list(&load()?, &vouching::last_known(home, &home.config()?.trust)?, *json);
            Ok(())
        }
        ProvidersCommand::Biases { json } => {
            stand_out(&load()?.export(), *json);
            Ok(())
        }
        ProvidersCommand::Export => {
            note!(
                "this names every provider you asked, with its record; anybody who reads it learns whom you \
                 work with"
            );
            say!("{}", serde_json::to_string_pretty(&load()?.export())?);
            Ok(())
        }
        ProvidersCommand::Import { file, yes } => import(&store, file, *yes),
        ProvidersCommand::Forget { provider } => {
            let key = PublicKey::parse(provider).map_err(|_| {
                Failure::usage(format!("{provider}: not a public key; frlm providers list shows them"))
            })?;
            if !store.forget(unix_secs(), &key.to_hex())? {
                return Err(Failure::usage("this provider has no record").into());
            }
            note!("forgotten: it is a newcomer from now on");
            Ok(())
        }
    }
}

fn list(reputation: &Reputation, vouched: &Vouched, json: bool) {
    let providers = reputation.export().providers;
    if json {
        let rows = providers.iter().map(|record| as_json(reputation, record));
        say!("{}", serde_json::Value::from(vouched.beside(rows)));
        return;
    }
    if providers.is_empty() {
        note!("no provider has a record yet; frlm ask creates records");
    } else {
        say_raw!("{}", table(reputation));
    }
    say_raw!("{}", vouched.lines(providers.iter().map(|record| record.provider.as_str())));
}

fn stand_out(known: &ReputationExport, json: bool) {
    let found = biases(known);
    if json {
        say!("{}", serde_json::json!(found));
        return;
    }
    if found.is_empty() {
        note!("no provider of {} stands out: no errors that are more than chance", known.providers.len());
    }
    for bias in &found {
        say!("{}", in_words(bias));
    }
}

fn import(store: &ReputationStore, file: &Path, yes: bool) -> anyhow::Result<()> {
    let mut text = String::new();
    let mut source: Box<dyn std::io::Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        let opened = std::fs::File::open(file);
        Box::new(opened.map_err(|error| Failure::usage(format!("{}: {error}", shown_path(file))))?)
    };
    source.read_to_string(&mut text).with_context(|| format!("cannot read {}", shown_path(file)))?;
    let export: ReputationExport = serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("{} is no exported reputation: {error}", shown_path(file)))
    })?;
    let question = format!(
        "Import the records of {} providers from this file? Its author then decides which of them your runs \
         trust. Records that you have already stay as they are.",
        export.providers.len()
    );
    if !yes && !agreed(&question)? {
        return Err(
            Failure::with_code(code::FAILED, "nothing was imported; --yes skips this question").into()
        );
    }
    store.import(unix_secs(), export).map_err(|error| match error {
        ReputationStoreError::Import(_) => Failure::usage(error).into(),
        error => anyhow::Error::from(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use frlm_verifier::trust::{Evidence, ProviderTraits, TaskClass};

    const HONEST: &str = "aa4fc8665f5696e33db7e1a572e3b0f5b3d615837b0f362dcb1c8068b098c7b4";
    const LIAR: &str = "bb4fc8665f5696e33db7e1a572e3b0f5b3d615837b0f362dcb1c8068b098c7b4";

    fn store(folder: &Path) -> ReputationStore {
        let store = ReputationStore::at(folder.join("reputation.db"));
        let agreement = Evidence::Comparison {
            class: TaskClass::new("extract", "general", 1),
            groups: vec![vec![HONEST.to_owned()], vec![LIAR.to_owned()]],
            accepted: Some(0),
            certainty: 1.0,
            audited: true,
        };
        let mut evidence = vec![agreement; 10];
        evidence.push(Evidence::ProvenLie { provider: LIAR.to_owned() });
        let nobody: &[(String, ProviderTraits)] = &[];
        store.record(unix_secs(), nobody, &evidence).unwrap();
        store
    }

    #[test]
    fn what_is_exported_is_taken_in_elsewhere_and_what_is_known_there_stays() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let exported = store(here.path()).load(unix_secs()).unwrap().export();
        let file = here.path().join("reputation.json");
        std::fs::write(&file, serde_json::to_string(&exported).unwrap()).unwrap();
        let other = ReputationStore::at(there.path().join("reputation.db"));
        import(&other, &file, true).unwrap();
        let reputation = other.load(unix_secs()).unwrap();
        assert!(reputation.is_out(reputation.member(LIAR).unwrap()));
        assert!(other.forget(unix_secs(), LIAR).unwrap() && !other.forget(unix_secs(), LIAR).unwrap());
        assert!(other.load(unix_secs()).unwrap().member(LIAR).is_none());
        std::fs::write(&file, "{}").unwrap();
        assert!(import(&other, &file, true).is_err());
    }
}
