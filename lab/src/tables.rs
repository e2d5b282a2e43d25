//! Questions over tables: how many code answers right, refuses, or gets wrong, and of these how many with confidence.

#[path = "../../tables/tests/scoring/mod.rs"]
mod scoring;

use std::path::Path;

use anyhow::Context as _;

/// Asks the questions of a corpus and prints the scores, and each question that was not answered right.
pub fn run(corpus: &Path) -> anyhow::Result<()> {
    let scored = scoring::ask_all(corpus)
        .map_err(|error| anyhow::anyhow!(error))
        .with_context(|| format!("{}: no corpus of questions over tables", corpus.display()))?;
    println!("{}", scored.text());
    Ok(())
}
