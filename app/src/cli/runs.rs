//! `frlm runs`.

use clap::Subcommand;

use super::values::{speed, stars};

/// `frlm runs`
#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// All recorded runs, newest first.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// A run's answer, providers and verdicts.
    Show {
        /// The run's id or its beginning.
        run: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Two runs side by side: answer, coverage, cost, providers, time. ≠ marks what differs.
    Diff {
        /// The first run's id or its beginning.
        first: String,
        /// The second run's.
        second: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Play a run's events again.
    Replay {
        /// The run's id or its beginning.
        run: String,
        /// Times real speed; 0 prints everything at once.
        #[arg(long, value_name = "TIMES", default_value_t = 0.0, value_parser = speed)]
        speed: f64,
    },
    /// Write a run's events to stdout, for scripts or a trace viewer.
    Export {
        /// The run's id or its beginning.
        run: String,
        /// One JSON object per event, or one file for Perfetto (ui.perfetto.dev) and chrome://tracing.
        #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
        format: ExportFormat,
    },
    /// Continue a run that was interrupted or killed; verified parts are not asked again.
    Resume {
        /// The run's id or its beginning.
        run: String,
        /// Answer from the verified parts, if the run waits for your decision.
        #[arg(long)]
        accept: bool,
        /// Print one JSON object on stdout.
        #[arg(long)]
        json: bool,
    },
    /// Say how good an answer was. It stays on this machine; routing and plans learn from it, once for each run.
    Feedback {
        /// The run's id or its beginning.
        run: String,
        /// 1 to 5.
        #[arg(long, value_parser = stars)]
        stars: Option<u8>,
        /// Up or down; if stars are given too, only they count.
        #[arg(long, value_enum)]
        thumbs: Option<Thumbs>,
        /// A comment in your own words.
        #[arg(long, value_name = "TEXT", default_value = "")]
        comment: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Delete a run and its text in follow-up runs. What stays is named.
    Delete {
        /// The run's id or its beginning.
        run: String,
        /// Do not ask for confirmation.
        #[arg(long, short = 'y')]
        yes: bool,
    },
}

/// The short form of a rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Thumbs {
    /// It was good.
    Up,
    /// It was not.
    Down,
}

/// What `frlm runs export` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    /// JSON lines.
    Jsonl,
    /// The Chrome trace event format.
    Perfetto,
}
