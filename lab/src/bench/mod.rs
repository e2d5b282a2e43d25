//! `frlm-lab bench`: overhead, scaling, throughput, traffic, stopping, memory, escrow and verification (design.md, section 10),
//! each against a floor measured in the same run on the same machine.

mod escrow;
mod memory;
mod overhead;
pub(super) mod rig;
mod scaling;
mod stop;
mod throughput;
mod traffic;
mod verification;

use frlm_client::home::Home;

/// One line of the table.
struct Row {
    what: String,
    floor: String,
    measured: String,
    ratio: f64,
    target: Target,
}

/// What must be reached.
enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// Shown for comparison.
    None,
}

impl Row {
    fn reached(&self) -> Option<bool> {
        match self.target {
            Target::AtMost(limit) => Some(self.ratio <= limit),
            Target::AtLeast(limit) => Some(self.ratio >= limit),
            Target::None => None,
        }
    }

    fn print(&self) {
        let target = match self.target {
            Target::AtMost(limit) => format!("≤ {limit:.2}"),
            Target::AtLeast(limit) => format!("≥ {limit:.2}"),
            Target::None => "–".to_owned(),
        };
        let verdict = match self.reached() {
            Some(true) => "reached",
            Some(false) => "missed",
            None => "",
        };
        println!(
            "| {} | {} | {} | {:.3} | {target} | {verdict} |",
            self.what, self.floor, self.measured, self.ratio
        );
    }
}

/// What can be measured alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Measurement {
    /// What a subtask takes in the conductor's memory.
    Memory,
    /// Tier 2 by code, and how often it asks a model.
    Verification,
    /// Relay, provider and checks against the bare engine.
    Overhead,
    /// 32 providers against the ideal.
    Scaling,
    /// Events per second against the bare relay.
    Throughput,
    /// Events and bytes at the relay for one subtask.
    Traffic,
    /// From Stop to stopped.
    Stop,
    /// Locks and releases at a mint of play money.
    Escrow,
}

/// Prints the table, or some rows of it. `quick` does a tenth of the work.
pub async fn run(only: &[Measurement], quick: bool, home: &Home) -> anyhow::Result<()> {
    let scale = if quick { 10 } else { 1 };
    let wanted = |one| only.is_empty() || only.contains(&one);
    eprintln!(
        "one machine, providers, relay and mint in this process; the rail is free but for the rows about escrow, \
         which pay in play money; engines as named"
    );
    println!("| what | floor | measured | ratio | target | |\n| --- | --- | --- | --- | --- | --- |");
    // First, while nothing else has grown the process.
    if wanted(Measurement::Memory) {
        memory::measure(100_000 / scale).await?.print();
    }
    if wanted(Measurement::Verification) {
        verification::measure(10_000 / scale).await?.print();
        verification::model_calls(home).await?.print();
    }
    if wanted(Measurement::Overhead) {
        overhead::embedded(scale, home).await?.print();
        overhead::slow_engine(scale).await?.print();
    }
    if wanted(Measurement::Scaling) {
        for row in scaling::measure(1_024 / scale).await? {
            row.print();
        }
    }
    if wanted(Measurement::Throughput) {
        throughput::measure(4_000 / scale).await?.print();
    }
    if wanted(Measurement::Traffic) {
        for row in traffic::measure(400 / scale).await? {
            row.print();
        }
    }
    if wanted(Measurement::Stop) {
        stop::measure(if quick { 3 } else { 11 }).await?.print();
    }
    if wanted(Measurement::Escrow) {
        for row in escrow::measure(if quick { 10 } else { 1 }).await? {
            row.print();
        }
    }
    Ok(())
}
