//! `config.toml`: every flag's default can be set there.

use std::net::SocketAddr;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The settings file. Flags win over it, it wins over the built-in defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Relays for `ask` and `provide`, where a command names none.
    pub relays: Vec<String>,
    /// `frlm ask`
    pub ask: AskConfig,
    /// `frlm provide`
    pub provide: ProvideConfig,
    /// `frlm relay`
    pub relay: RelayConfig,
}

/// Defaults of `frlm ask`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskConfig {
    /// `--budget`
    pub budget: Option<u64>,
    /// `--relay`
    pub relays: Vec<String>,
    /// `--provider`
    pub providers: Vec<String>,
    /// Providers that are never asked.
    pub blocked: Vec<String>,
    /// `--verify`
    pub verify: Option<String>,
    /// `--preset`
    pub preset: Option<String>,
    /// `--quorum`
    pub quorum: Option<f64>,
    /// `--timeout`
    pub timeout: Option<u64>,
    /// `--discovery`
    pub discovery: Option<u64>,
    /// `--fragment-lines`
    pub fragment_lines: Option<usize>,
    /// `--local`
    pub local: bool,
    /// `--model`: also the model that may step in when the swarm cannot answer.
    pub model: Option<String>,
    /// `--yes`
    pub yes: bool,
}

/// Defaults of `frlm provide`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProvideConfig {
    /// `--relay`
    pub relays: Vec<String>,
    /// `--model`
    pub model: Option<String>,
    /// `--price`
    pub price: Option<u64>,
    /// `--name`
    pub name: Option<String>,
    /// `--queue`
    pub queue: Option<usize>,
    /// `--open-jobs`
    pub open_jobs: bool,
}

/// Defaults of `frlm relay`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelayConfig {
    /// `--listen`
    pub listen: Option<SocketAddr>,
}

impl Config {
    /// Reads the file; one that is not there means defaults.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(Failure::usage(format!("cannot read {}: {error}", path.display())).into());
            }
        };
        Ok(toml::from_str(&text)
            .map_err(|error| Failure::usage(format!("{} is not usable: {error}", path.display())))?)
    }
}

/// The first list that names anything.
pub fn first_named<'a>(lists: impl IntoIterator<Item = &'a Vec<String>>) -> Vec<String> {
    lists.into_iter().find(|list| !list.is_empty()).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::last_words;

    #[test]
    fn a_wrong_key_names_the_file_and_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, "[ask]\nbugdet = 5\n").unwrap();
        let (message, code) = last_words(&Config::load(&path).unwrap_err());
        assert_eq!(code, 2);
        assert!(message.contains("bugdet") && message.contains("config.toml"));
    }

    #[test]
    fn the_file_sets_what_flags_set() {
        let text = "relays = ['ws://a']\n[ask]\nbudget = 5\nverify = 'none'\n[provide]\nprice = 2\n";
        let config: Config = toml::from_str(text).unwrap();
        assert_eq!((config.ask.budget, config.provide.price), (Some(5), Some(2)));
    }
}
