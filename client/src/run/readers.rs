//! Who reads documents in plain beside the providers that they are encrypted for: endpoints that the user named.

use frlm_inference::open::ModelSpec;

use super::own_models::named;
use super::request::RunRequest;
use crate::config::Config;
use crate::failure::Failure;

/// A host that may read fragments and the question as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// What the user calls it: "your own model", or the venue's name.
    pub who: String,
    /// Where it is.
    pub host: String,
}

const OWN_MODEL: &str = "your own model";

impl Reader {
    /// Whether it is the user's own model.
    pub fn is_own_model(&self) -> bool {
        self.who == OWN_MODEL
    }
}

/// The hosts other than this machine that may read what is asked: the user's own model if it is an endpoint,
/// also where it only steps in when the swarm cannot answer, and the venues.
pub fn readers(request: &RunRequest, config: &Config) -> anyhow::Result<Vec<Reader>> {
    let own = request.model.iter().map(|model| (OWN_MODEL, model));
    let names: Vec<String> = request.own_venues().map(str::to_owned).collect();
    let venues = named(&config.venues, &names)?;
    let venues = venues.iter().map(|venue| (venue.name.as_str(), &venue.model));
    let mut readers = Vec::new();
    for (who, model) in own.chain(venues) {
        let spec: ModelSpec = model.parse().map_err(Failure::usage)?;
        readers.extend(spec.source.remote_host().map(|host| Reader { who: who.to_owned(), host }));
    }
    Ok(readers)
}

/// "api.example.org (your own model) and gpu.lan (office)".
pub fn in_words(readers: &[Reader]) -> String {
    let each = readers.iter().map(|Reader { who, host }| format!("{host} ({who})"));
    each.collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{AskConfig, VenueConfig};
    use crate::run::RunSpec;

    fn read_by(model: Option<&str>, venues: &[&str]) -> String {
        let venue = |name: &str, model: &str| VenueConfig {
            name: name.to_owned(),
            model: model.to_owned(),
            price: 0,
            key_env: None,
            context: None,
        };
        let ask = AskConfig {
            model: model.map(str::to_owned),
            venues: venues.iter().map(|name| (*name).to_owned()).collect(),
            ..AskConfig::default()
        };
        let config = Config {
            venues: vec![venue("office", "http://10.0.0.5:8080/v1#m"), venue("desk", "http://[::1]:1/v1#m")],
            ask,
            ..Config::default()
        };
        let request = RunRequest::from_spec(&RunSpec::over("Why?".to_owned(), Vec::new()), &config).unwrap();
        in_words(&readers(&request, &config).unwrap())
    }

    #[test]
    fn only_remote_hosts_count_as_readers_each_named_by_its_role() {
        assert_eq!(read_by(None, &[]), "");
        assert_eq!(read_by(Some("/models/a.gguf"), &["swarm", "desk"]), "");
        assert_eq!(read_by(Some("http://localhost:8080/v1#m"), &[]), "");
        assert_eq!(read_by(Some("https://api.example.org/v1#m"), &[]), "api.example.org (your own model)");
        assert_eq!(
            read_by(Some("https://api.example.org/v1#m"), &["swarm", "office", "desk"]),
            "api.example.org (your own model) and 10.0.0.5 (office)"
        );
    }
}
