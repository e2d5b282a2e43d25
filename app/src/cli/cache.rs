//! `frlm cache`

use clap::Subcommand;

/// `frlm cache`
#[derive(Debug, Subcommand)]
pub enum CacheCommand {
    /// The cached questions and files, most recently used first, with their parts, their claims and what was paid for them.
    List {
        /// Print JSON lines.
        #[arg(long)]
        json: bool,
    },
    /// Delete the whole cache, and overwrite its file.
    Clear,
}
