//! Asks the questions of a corpus and prints how many were answered right, wrong and sure of it, or not at all. `score FOLDER` asks those
//! of another one.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let own = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"));
    let folder = std::env::args().nth(1).map_or_else(own, PathBuf::from);
    println!("{}", frlm_tables::corpus::ask_all(&folder, None)?.text());
    Ok(())
}
