//! What this machine is and what is set up on it.

use frlm_client::conductor::store::Store;
use frlm_client::inference::open::ModelSpec;

use super::runs::words;
use crate::desktop::state::Machine;
use frlm_client::config::Config;
use frlm_client::home::Home;
use frlm_client::model_catalog;

/// Recorded runs that are counted.
const MOST_COUNTED: usize = 10_000;

/// Reads settings, the run store and the system's own description. Blocks.
pub fn look(home: &Home) -> Machine {
    let (config, problem) = match home.config() {
        Ok(config) => (config, None),
        Err(error) => (Config::default(), Some(words(&error))),
    };
    let runs = if home.store().exists() {
        Store::open(&home.store()).and_then(|store| store.list(MOST_COUNTED)).map_or(0, |runs| runs.len())
    } else {
        0
    };
    Machine {
        threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        memory_mib: model_catalog::free_bytes().map(|bytes| bytes >> 20),
        problem,
        relays: config.relays,
        model_host: config.ask.model.as_deref().and_then(host_elsewhere),
        model: config.ask.model,
        budget: config.ask.budget,
        verify: config.ask.verify,
        level: config.ask.level,
        embedded_model: cfg!(feature = "embedded"),
        runs,
        home: home.root().display().to_string(),
    }
}

/// The host that a model is on, unless that is this machine. A name that is none is complained of where it is used.
fn host_elsewhere(model: &str) -> Option<String> {
    model.parse::<ModelSpec>().ok()?.source.remote_host()
}
