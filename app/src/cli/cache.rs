//! `frlm cache`

use clap::Subcommand;

/// `frlm cache`
#[derive(Debug, Subcommand)]
pub enum CacheCommand {
    /// The kept questions and files, most recently used first, with their parts, claims and what was paid for them.
    List {
        /// Print JSON lines.
        #[arg(long)]
        json: bool,
    },
    /// Delete all of it, and overwrite it.
    Clear,
}
