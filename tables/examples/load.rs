//! Loads a file, runs a statement several times, and prints how long each took and how much memory was used at most.
//!
//! `load FILE SQL`; `figures.sh` calls it.

use std::path::Path;
use std::time::Instant;

use frlm_tables::{LoadOptions, Table};

/// Runs of the statement.
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, sql] = arguments.as_slice() else { return Err("load FILE SQL".into()) };
    let start = Instant::now();
    let table = Table::load_file(Path::new(file), &LoadOptions::default())?;
    println!("load_secs {:.2}", start.elapsed().as_secs_f64());
    println!("rows {}", table.rows());
    for _ in 0..RUNS {
        let start = Instant::now();
        let outcome = table.run_sql(sql)?;
        println!("query_secs {:.3} ({} rows)", start.elapsed().as_secs_f64(), outcome.rows.len());
    }
    if let Some(peak) = peak_kib() {
        println!("peak_mib {}", peak / 1024);
    }
    Ok(())
}

/// Most memory that the process has had, where Linux tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
