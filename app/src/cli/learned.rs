//! What earlier runs taught, and what the user knows: `frlm providers`, `known`, `route` and `strategies`.

use std::path::PathBuf;

use clap::Subcommand;

use super::values::count;

/// `frlm providers`
#[derive(Debug, Subcommand)]
pub enum ProvidersCommand {
    /// Every known provider: how many answers, how many of them right, and how far it is trusted.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Errors that are more than chance: of a provider or of weights in one kind of work, and of two providers that
    /// are wrong together.
    Biases {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write all records to stdout, for another of your machines. Nobody else gets them unless you send them.
    Export,
    /// Import records of another machine. Providers that are known here keep their records.
    Import {
        /// What export wrote; - reads a pipe.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Do not ask for confirmation.
        #[arg(long, short = 'y')]
        yes: bool,
    },
    /// Forget a provider's record.
    Forget {
        /// Its key.
        #[arg(value_name = "NPUB")]
        provider: String,
    },
}

/// `frlm known`
#[derive(Debug, Subcommand)]
pub enum KnownCommand {
    /// All known answers, or those with these words, and where each is from.
    List {
        /// Only those whose question or answer has all of these words.
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
        /// The exact answer to keep, if shorter than the run's text (e.g. 48).
        #[arg(long, value_name = "TEXT")]
        answer: Option<String>,
    },
    /// Import JSON lines with a question, an answer and an optional category. The whole file or nothing is imported.
    Import {
        /// The file; - reads a pipe.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Write all of them to stdout as JSON lines.
    Export,
    /// Forget the known answer to a question.
    Forget {
        /// The question, as list shows it.
        question: String,
    },
}

/// `frlm route`
#[derive(Debug, Subcommand)]
pub enum RouteCommand {
    /// Load state, utilisation, imbalance, exploration, costs, errors by venue, the latest decisions.
    Health {
        /// How many of the latest decisions.
        #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = count::<usize>)]
        requests: usize,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Forget what was learned about roles and venues.
    Forget,
}

/// `frlm strategies`
#[derive(Debug, Subcommand)]
pub enum StrategiesCommand {
    /// All strategies that were used, with their questions, mean reward and test results.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Re-enable a retired strategy; it may be tested again.
    Restore {
        /// The kind of document, as list shows it: logs, tables, records, code, prose, papers, mixed or other.
        documents: String,
        /// The strategy, as list shows it, in quotes.
        strategy: String,
    },
}
