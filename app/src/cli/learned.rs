//! What earlier runs taught, and what the user knows: `frlm providers`, `known`, `route` and `strategies`.

use std::path::PathBuf;

use clap::Subcommand;

use super::values::count;

/// `frlm providers`
#[derive(Debug, Subcommand)]
pub enum ProvidersCommand {
    /// Everybody that is known: how many answers, how many of them right, and how far each is believed.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Errors that are more than chance: of a provider or of weights in one kind of work, and of two that are
    /// wrong together.
    Biases {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write everything that is known to stdout, for another machine of yours. Nobody else gets it unless
    /// you send it.
    Export,
    /// Take in what another machine knows; who is known here stays as known.
    Import {
        /// What export wrote; - reads a pipe.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Do not ask.
        #[arg(long, short = 'y')]
        yes: bool,
    },
    /// Begin anew with a provider.
    Forget {
        /// Its key.
        #[arg(value_name = "NPUB")]
        provider: String,
    },
}

/// `frlm known`
#[derive(Debug, Subcommand)]
pub enum KnownCommand {
    /// All of them, or those that hold these words, with where each is from.
    List {
        /// Only those whose question or answer holds all of these words.
        #[arg(value_name = "WORDS")]
        words: Vec<String>,
        /// Print JSON lines, as export does.
        #[arg(long)]
        json: bool,
    },
    /// Keep a run's answer, which you have checked, for the same question over documents of the same names.
    Keep {
        /// The run's id or its beginning.
        run: String,
        /// The right answer, where the run's own is longer than that: 48.
        #[arg(long, value_name = "TEXT")]
        answer: Option<String>,
    },
    /// Take in JSON lines with question and answer, and if you like a category; all or none of them.
    Import {
        /// The file; - reads a pipe.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Write all of them to stdout as JSON lines.
    Export,
    /// Remove what is known about a question.
    Forget {
        /// As list shows it.
        question: String,
    },
}

/// `frlm route`
#[derive(Debug, Subcommand)]
pub enum RouteCommand {
    /// Load state, utilisation, imbalance, what is tried, costs, errors by venue, the latest decisions.
    Health {
        /// How many of the latest decisions.
        #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = count::<usize>)]
        requests: usize,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Begin anew with what is known of roles and venues.
    Forget,
}

/// `frlm strategies`
#[derive(Debug, Subcommand)]
pub enum StrategiesCommand {
    /// All that were used, with their questions, mean reward and how their test stands.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Take one that was retired into use again; it may be tested anew.
    Restore {
        /// The kind of document, as list shows it: logs, tables, records, code, prose, papers, mixed or other.
        documents: String,
        /// The strategy, as list shows it, in quotes.
        strategy: String,
    },
}
