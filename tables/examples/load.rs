//! Loads a file, runs a statement several times, and prints how long each took, how much of it the processor worked, and how much
//! memory was used at most.
//!
//! `load FILE SQL [STORE]`, where `STORE` is a folder in which the table is kept; `figures.sh` calls it.

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use frlm_tables::{LoadOptions, Source, Store, Table};

/// Runs of the statement.
const RUNS: usize = 5;

/// What Linux counts processor time in, by second.
const TICKS: f64 = 100.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, sql, store @ ..] = arguments.as_slice() else { return Err("load FILE SQL [STORE]".into()) };
    let table = timed("load", || table(Path::new(file), store.first()))?;
    println!("rows {}", table.rows());
    for _ in 0..RUNS {
        timed("query", || Ok(table.run_sql(sql)?))?;
    }
    if let Some(peak) = peak_kib() {
        println!("peak_mib {}", peak / 1024);
    }
    Ok(())
}

/// The path stands for the hash of what is measured here.
fn table(path: &Path, store: Option<&String>) -> Result<Table, Box<dyn Error>> {
    let options = LoadOptions::default();
    let Some(store) = store else { return Ok(Table::load_file(path, &options)?) };
    let source: Arc<dyn Source> = Arc::new(File::open(path)?);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(Store::at(PathBuf::from(store)).load(&name, &path.to_string_lossy(), &source, &options)?)
}

fn timed<T>(what: &str, work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<T, Box<dyn Error>> {
    let (start, before) = (Instant::now(), processor_secs());
    let done = work()?;
    let worked = processor_secs() - before;
    println!("{what}_secs {:.3} processor_secs {worked:.2}", start.elapsed().as_secs_f64());
    Ok(done)
}

/// Processor time of this process, where Linux tells.
fn processor_secs() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = status.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: f64 = [11, 12].iter().filter_map(|field| fields.get(*field)?.parse::<f64>().ok()).sum();
    ticks / TICKS
}

/// Most memory that the process has had, where Linux tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
