//! What this machine is and what is set up on it.

use frlm_conductor::store::Store;

use crate::desktop::state::Machine;
use crate::home::Home;

/// Recorded runs that are counted.
const MOST_COUNTED: usize = 10_000;

/// Reads settings, the run store and the system's own description. Blocks.
pub fn look(home: &Home) -> Machine {
    let config = home.config().unwrap_or_default();
    let runs = if home.store().exists() {
        Store::open(&home.store()).and_then(|store| store.list(MOST_COUNTED)).map_or(0, |runs| runs.len())
    } else {
        0
    };
    Machine {
        threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        memory_mib: memory_mib(),
        relays: config.relays,
        model: config.ask.model,
        cap: config.ask.budget,
        verify: config.ask.verify,
        embedded_model: cfg!(feature = "embedded"),
        runs,
        home: home.root().display().to_string(),
    }
}

/// Memory that could be used now, in MiB; Linux tells in /proc.
pub fn memory_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1_024)
}
