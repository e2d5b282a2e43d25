//! What is the user's own: the model for local runs and as the fallback, the venues, and what earlier runs
//! learned of routing.

use std::sync::Arc;

use frlm_conductor::run::prefill::WeightsAtHand;
use frlm_inference::LanguageModel;
use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_learning::routing::{ProductionSettings, RoutingMemory};
use frlm_questions::small_model::SmallModel;
use frlm_wallet::{Msats, Sats};

use super::request::{LOCAL, RunRequest};
use crate::config::{Config, VenueConfig};
use crate::failure::Failure;
use crate::home::Home;
use crate::models;

/// What a run may use beside the swarm, and what it knows of routing.
#[derive(Clone, Default)]
pub struct Own {
    /// The model of `--model`.
    pub model: Option<Arc<dyn LanguageModel>>,
    /// Those of `[[venues]]` that the run names.
    pub venues: Vec<Endpoint>,
    /// What routing has learned, and how it goes on; `None`: any provider with room gets the subtasks.
    pub routing: Option<(RoutingMemory, ProductionSettings)>,
    /// What earlier runs have taught about plans; `None`: nothing is learned.
    pub learner: Option<LearnerMemory>,
    /// Weights by which answers of providers are audited that claim to run them.
    pub audits: Option<WeightsAtHand>,
    /// The small model inside the program: it takes questions apart where [`Own::model`] cannot.
    pub small: Option<SmallModel>,
}

/// An engine or endpoint under its name.
#[derive(Clone)]
pub struct Endpoint {
    /// The venue's name.
    pub name: String,
    /// Counted for its work.
    pub price_per_1k: Msats,
    /// What answers there.
    pub model: Arc<dyn LanguageModel>,
}

impl Own {
    /// A model and nothing else: nothing is learned.
    pub fn model(model: Arc<dyn LanguageModel>) -> Self {
        Self { model: Some(model), ..Self::default() }
    }
}

/// Whether a model of the user's is named where the question is to go to one.
fn model_is_named(request: &RunRequest) -> Result<(), Failure> {
    if request.model.is_some() || !(request.local || request.names(LOCAL)) {
        return Ok(());
    }
    Err(Failure::usage(
        "--local and --venue local need your own model: --model PATH.gguf, --model http://HOST/v1#NAME, or --model \
         embedded (it only extracts fields from logs and tables)",
    ))
}

/// What can be known of a request's models before a document is read: whether they are named, and there.
pub(super) fn check(request: &RunRequest, config: &Config) -> anyhow::Result<()> {
    model_is_named(request)?;
    if let Some(model) = &request.model {
        models::check(model)?;
    }
    let names: Vec<String> = request.own_venues().map(str::to_owned).collect();
    named(&config.venues, &names).map(|_| ())
}

/// Opens what the user configured for this request.
pub async fn own(request: &RunRequest, home: &Home) -> anyhow::Result<Own> {
    let config = home.config()?;
    model_is_named(request)?;
    let model = match &request.model {
        Some(model) => Some(models::open(model, None, home).await?),
        None => None,
    };
    let mut venues = Vec::new();
    let names: Vec<String> = request.own_venues().map(str::to_owned).collect();
    for venue in named(&config.venues, &names)? {
        let price_per_1k = Sats(venue.price).to_msats().unwrap_or(Msats(u64::MAX));
        let model = models::open_venue(venue, home).await?;
        venues.push(Endpoint { name: venue.name.clone(), price_per_1k, model });
    }
    let settings = ProductionSettings { tell_roles: request.roles, ..config.routing.into() };
    let routing = Some((RoutingMemory::at(home.routing()), settings));
    let audits = models::at_hand(home).filter(|_| request.audit);
    let learner = Some(LearnerMemory::at(home.learner()).tuned(config.brain));
    let small = models::small(home).filter(|_| config.ask.embedded_brain.unwrap_or(true));
    Ok(Own { model, venues, routing, learner, audits, small })
}

/// The venues of these names, in the order of the names.
pub(super) fn named<'a>(known: &'a [VenueConfig], names: &[String]) -> anyhow::Result<Vec<&'a VenueConfig>> {
    let mut venues = Vec::new();
    for name in names {
        let Some(venue) = known.iter().find(|venue| venue.name == *name) else {
            let others: Vec<&str> = known.iter().map(|venue| venue.name.as_str()).collect();
            return Err(Failure::usage(format!(
                "--venue {name}: there is no such venue; there are swarm, local{}{} (a venue is added by [[venues]] with \
                 name and model in config.toml)",
                if others.is_empty() { "" } else { ", " },
                others.join(", ")
            ))
            .into());
        };
        venues.push(venue);
    }
    Ok(venues)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::render_error;
    use crate::run::RunSpec;

    #[tokio::test]
    async fn the_small_model_is_asked_unless_the_settings_say_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        for (text, is_there) in
            [("", true), ("[ask]\nembedded_brain = true\n", true), ("[ask]\nembedded_brain = false\n", false)]
        {
            std::fs::write(folder.path().join("config.toml"), text).unwrap();
            let args = RunSpec::over("Why?".to_owned(), Vec::new());
            let request = RunRequest::from_spec(&args, &home.config().unwrap()).unwrap();
            let own = own(&request, &home).await.unwrap();
            // A program without the weights never has it.
            assert_eq!(own.small.is_some(), is_there && cfg!(feature = "embedded"), "{text}");
        }
    }

    #[test]
    fn a_venue_that_is_not_in_the_settings_is_named_with_those_that_are() {
        let office = VenueConfig {
            name: "office".to_owned(),
            model: "http://127.0.0.1:1/v1#m".to_owned(),
            price: 2,
            key_env: None,
            context: None,
        };
        let known = [office];
        assert_eq!(named(&known, &["office".to_owned()]).unwrap(), [&known[0]]);
        let (words, code) = render_error(&named(&known, &["home".to_owned()]).unwrap_err());
        assert_eq!(code, 2);
        assert!(words.contains("swarm, local, office") && words.contains("config.toml"), "{words}");
    }
}
