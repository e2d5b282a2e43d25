//! The command line (design.md, section 3). Others script against it.

mod lab;
mod values;
mod wallet;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use frlm_verifier::request::VerificationLevel;
#[cfg(feature = "embedded")]
pub use lab::LabAuditArgs;
pub use lab::{
    LabAnalyseArgs, LabCommand, LabCompoundArgs, LabDecomposeArgs, LabLearnCommand, LabModelArgs,
    LabRedteamArgs, LabRouteArgs, LearnerKind,
};
pub use values::MOST_SECS;
use values::{count, listen, sats, seconds, share, speed, stars};
pub use wallet::{MintsCommand, WalletCommand};

/// For whoever has never heard of them.
const WORDS: &str = "\
Words:
  provider  a program that answers parts of a question with its model, here or anywhere (frlm provide)
  relay     a server that passes encrypted jobs and answers between askers and providers; it speaks
            Nostr, so any Nostr relay will do (frlm relay)
  npub1…    the public key of a provider, by which it is named
  sats      what paid providers are paid in: the smallest unit of bitcoin
  mint      who holds sats for you (Cashu); without one providers that are free can be asked

frlm demo sets all of it up on this machine, with play money.";

/// Ask a swarm of untrusted GPUs about your documents; pay only for what verifies.
#[derive(Debug, Parser)]
#[command(name = "frlm", version, propagate_version = true, subcommand_required = false, after_help = WORDS)]
pub struct Cli {
    /// Where settings, recorded runs and the ledger live [default: the platform's data directory].
    #[arg(long, global = true, env = "FRLM_HOME", value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// More about what happens, on stderr; twice for everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// What to do; without one the desktop app opens.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// Reads a command line. Whoever writes `--budget -5` has named a budget that cannot be, and is told so; clap by
    /// itself would look for a flag of that name.
    pub fn read<T: Into<OsString> + Clone>(words: impl IntoIterator<Item = T>) -> Result<Self, clap::Error> {
        let matches = negative_numbers_are_values(Self::command()).try_get_matches_from(words)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut Self::command()))
    }
}

fn negative_numbers_are_values(command: clap::Command) -> clap::Command {
    let value = |arg: clap::Arg| {
        let takes_values = arg.get_action().takes_values();
        arg.allow_negative_numbers(takes_values)
    };
    command.mut_args(value).mut_subcommands(negative_numbers_are_values)
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the whole thing on this machine: a relay, three providers, a question, a checked answer.
    Demo(DemoArgs),
    /// Ask a question over documents.
    Ask(Box<AskArgs>),
    /// Answer others' questions with this machine's model until interrupted; a second Ctrl-C stops at once.
    Provide(ProvideArgs),
    /// What is known of providers from earlier runs: list, biases, export, import, forget.
    #[command(subcommand)]
    Providers(ProvidersCommand),
    /// Answers that you know to be right: runs that answer such a question otherwise say so.
    #[command(subcommand)]
    Known(KnownCommand),
    /// Models on this machine: list them, fetch one, see what fits its memory.
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Where parts of your questions went (role: which kind of work; venue: which place), and what came of it.
    #[command(subcommand)]
    Route(RouteCommand),
    /// Ways to take questions apart by kind of document: which are tested against each other, which are retired and why.
    #[command(subcommand)]
    Strategies(StrategiesCommand),
    /// Answer questions over documents through an OpenAI-compatible endpoint, until interrupted.
    Serve(ServeArgs),
    /// Run a relay, where askers and providers meet: for this machine, a LAN or a private swarm.
    Relay(RelayArgs),
    /// Money: mints, balances, receive, send, history, receipts, audit, recovery; without it free providers answer.
    #[command(subcommand)]
    Wallet(WalletCommand),
    /// Questions asked so far: list, show, diff, replay, export, resume, feedback, delete.
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Benchmarks and experiments.
    #[command(subcommand)]
    Lab(LabCommand),
    /// Check store, ledger, wallet, models, GPU, display and relays; each failure names its fix.
    Doctor(DoctorArgs),
}

/// `frlm demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Another question about the bundled order log.
    #[arg(value_name = "QUESTION")]
    pub question: Option<String>,
    /// Ask a question of three parts, two of which wait for the first, over two bundled logs.
    #[arg(long, conflicts_with = "question")]
    pub compound: bool,
    /// Let one of the providers lie (a simulation: its answers are falsified before they are sent), and say what becomes
    /// of it and of the sats that were locked for it.
    #[arg(long)]
    pub liar: bool,
    /// Keep the books of both sides in this folder, a home for the asker and for each provider: their wallet commands
    /// work when the demo has ended, and are printed. Otherwise wallets of play money go with it.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Print one JSON object on stdout.
    #[arg(long)]
    pub json: bool,
}

/// `frlm ask`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct AskArgs {
    /// The question.
    pub question: String,
    /// A document or a folder; may be repeated.
    #[arg(long = "file", short = 'f', value_name = "PATH")]
    pub files: Vec<PathBuf>,
    /// The most this may cost, fees included [default: 1000].
    #[arg(long, value_name = "SATS", value_parser = sats)]
    pub budget: Option<u64>,
    /// A relay where providers listen (ws:// or wss://); may be repeated.
    #[arg(long = "relay", short = 'r', value_name = "URL")]
    pub relays: Vec<String>,
    /// Ask only the provider with this public key, as its frlm provide prints it; may be repeated.
    #[arg(long = "provider", value_name = "NPUB")]
    pub providers: Vec<String>,
    /// Also ask this provider of another make (NIP-90), which may want its pay before it works; may be repeated.
    #[arg(long = "foreign", value_name = "NPUB")]
    pub foreign: Vec<String>,
    /// Where subtasks may go: swarm, local (the --model), or one of `[[venues]]` in config.toml; may be repeated.
    /// Each subtask goes where the most quality for a sat is expected [default: swarm].
    #[arg(long = "venue", value_name = "NAME", conflicts_with = "local")]
    pub venues: Vec<String>,
    /// The most that one job of a foreign provider may cost, paid before and unescrowed [default: 0].
    #[arg(long, value_name = "SATS", value_parser = sats)]
    pub bid: Option<u64>,
    /// When an answer is believed: adaptive (by the records of who gave it), none (the first one),
    /// redundancy:REPLICAS/AGREE (so many are asked and so many must agree), objective:FILE (it satisfies a JSON
    /// schema or a check in Python) or validated:NPUB (a provider that you trust does it again) [default: adaptive].
    #[arg(long, value_name = "POLICY")]
    pub verify: Option<String>,
    /// By how many methods an answer must be right: standard, high or critical. Above standard a model of yours looks, too
    /// (--model), and at critical all that apply must agree [default: standard].
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<VerificationLevel>,
    /// A preset for budget, patience, quorum and verification: default or production. Flags override it.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Show an answer over this share of the fragments when the rest cannot be verified (0 to 1).
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub quorum: Option<f64>,
    /// Seconds until the run gives up [default: 300].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<u64>,
    /// Seconds to wait for providers before giving up [default: 5].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub discovery: Option<u64>,
    /// Most lines per fragment [default: 16].
    #[arg(long, value_name = "LINES", value_parser = count::<usize>)]
    pub fragment_lines: Option<usize>,
    /// Use only a model on this machine or at your endpoint; nothing goes to a relay.
    #[arg(long)]
    pub local: bool,
    /// The local model: PATH.gguf, a safetensors folder, http(s)://HOST/v1#NAME, or embedded.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// The language of an answer in words: German, pt-BR [default: the model's choice]. Told, like the next three, to
    /// whoever writes the answer and to no reader of a part; what code writes is English.
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Option<String>,
    /// How an answer in words is put: detailed, concise or conversational.
    #[arg(long, value_name = "STYLE")]
    pub style: Option<String>,
    /// What you know of the matter: beginner, intermediate or expert.
    #[arg(long, value_name = "LEVEL")]
    pub expertise: Option<String>,
    /// What you care about; may be repeated.
    #[arg(long = "interest", value_name = "WORDS")]
    pub interests: Vec<String>,
    /// normal, or high: who is slow is doubled sooner and who is quick is asked rather, within the cap [default: normal].
    #[arg(long, value_name = "PRIORITY")]
    pub priority: Option<String>,
    /// The question follows this earlier run's: over its documents, unless others are named. What was said there is told
    /// to your own model at most, which makes the question stand on its own.
    #[arg(long, value_name = "RUN")]
    pub after: Option<String>,
    /// Print the plan, what would leave this machine and to whom; publish nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask for confirmation of the cost; it is said on stderr all the same.
    #[arg(long, short = 'y')]
    pub yes: bool,
    /// Print one JSON object on stdout.
    #[arg(long)]
    pub json: bool,
}

impl AskArgs {
    /// A question over documents, everything else at its default.
    pub fn over(question: String, files: Vec<PathBuf>) -> Self {
        Self {
            question,
            files,
            budget: None,
            relays: Vec::new(),
            providers: Vec::new(),
            foreign: Vec::new(),
            venues: Vec::new(),
            bid: None,
            verify: None,
            level: None,
            preset: None,
            quorum: None,
            timeout: None,
            discovery: None,
            fragment_lines: None,
            local: false,
            model: None,
            language: None,
            style: None,
            expertise: None,
            interests: Vec::new(),
            priority: None,
            after: None,
            dry_run: false,
            yes: true,
            json: false,
        }
    }

    /// What the demo asks.
    pub fn for_demo(question: String, files: Vec<PathBuf>, relay: String) -> Self {
        Self { relays: vec![relay], discovery: Some(30), ..Self::over(question, files) }
    }
}

/// `frlm provide`
#[derive(Debug, Args)]
pub struct ProvideArgs {
    /// A relay to listen on (ws:// or wss://); may be repeated.
    #[arg(long = "relay", short = 'r', value_name = "URL")]
    pub relays: Vec<String>,
    /// PATH.gguf, a safetensors folder, http(s)://HOST/v1#NAME, or embedded [default: embedded].
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Price in sats per 1,000 tokens read or written [default: 0].
    #[arg(long, value_name = "SATS_PER_1K", value_parser = sats)]
    pub price: Option<u64>,
    /// Another price for 1,000 tokens written [default: that of --price].
    #[arg(long, value_name = "SATS_PER_1K", value_parser = sats)]
    pub price_written: Option<u64>,
    /// The least that a job costs in sats, however short it is [default: 0].
    #[arg(long, value_name = "SATS", value_parser = sats)]
    pub minimum: Option<u64>,
    /// What is asked while many jobs wait, in percent of the usual prices [default: 100].
    #[arg(long, value_name = "PERCENT", value_parser = count::<u32>)]
    pub surge: Option<u32>,
    /// Jobs that wait or run from which on that is asked [default: 16].
    #[arg(long, value_name = "JOBS", value_parser = count::<usize>)]
    pub surge_from: Option<usize>,
    /// Let each asker's key owe for so many jobs, paid after its verdict instead of locked before; all keys
    /// together eight times as many in a day [default: 0].
    #[arg(long, value_name = "JOBS", value_parser = count::<u32>)]
    pub pay_after: Option<u32>,
    /// Jobs of each asker's key that cost nothing each day; all keys together eight times as many [default: 0].
    #[arg(long, value_name = "JOBS", value_parser = count::<u32>)]
    pub free: Option<u32>,
    /// What to call yourself in the directory.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Jobs that may wait [default: 64].
    #[arg(long, value_name = "JOBS", value_parser = count::<usize>)]
    pub queue: Option<usize>,
    /// Also take open jobs, which anyone can read.
    #[arg(long)]
    pub open_jobs: bool,
}

/// `frlm serve`. What is not here is set under `[ask]` in config.toml.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to listen on [default: 127.0.0.1:8080]. One that other machines reach needs `[[serve.callers]]`.
    #[arg(long, value_name = "ADDR", value_parser = listen)]
    pub listen: Option<SocketAddr>,
    /// The most that one question may cost, fees included; callers may wish for less [default: 1000].
    #[arg(long, value_name = "SATS", value_parser = sats)]
    pub budget: Option<u64>,
    /// A relay where providers listen (ws:// or wss://); may be repeated.
    #[arg(long = "relay", short = 'r', value_name = "URL")]
    pub relays: Vec<String>,
    /// Where subtasks may go, as in frlm ask; may be repeated.
    #[arg(long = "venue", value_name = "NAME", conflicts_with = "local")]
    pub venues: Vec<String>,
    /// Use only a model on this machine or at your endpoint; nothing goes to a relay.
    #[arg(long)]
    pub local: bool,
    /// The local model, as in frlm ask.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
}

/// `frlm relay`
#[derive(Debug, Args)]
pub struct RelayArgs {
    /// Address to listen on [default: 127.0.0.1:7777].
    #[arg(long, value_name = "ADDR", value_parser = listen)]
    pub listen: Option<SocketAddr>,
}

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

/// `frlm models`
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// The model inside, the files in the models folder and what the settings name: what --model takes.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Fetch a GGUF file into the models folder. Ctrl-C stops; the same command goes on where it stopped.
    Get {
        /// https://HOST/PATH/NAME.gguf
        #[arg(value_name = "URL")]
        url: String,
        /// What the file must hash to; over plain http from another machine it must be given.
        #[arg(long, value_name = "HEX", default_value = "")]
        sha256: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Whether weights fit into the memory that is free now, and why or why not.
    Fit {
        /// Only this file; otherwise all that are listed.
        #[arg(value_name = "PATH.gguf")]
        file: Option<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
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
    /// Go on with a run that was interrupted or killed; verified subtasks are not asked again.
    Resume {
        /// The run's id or its beginning.
        run: String,
        /// Go on with what is there where the run says that a person has to decide.
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
        /// Up or down; where stars are given too, they count.
        #[arg(long, value_enum)]
        thumbs: Option<Thumbs>,
        /// In words.
        #[arg(long, value_name = "TEXT", default_value = "")]
        comment: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Delete a run with its trace, and what was said in it from the runs that follow it. What stays is named.
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

/// `frlm doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Relays to check, beside the configured ones.
    #[arg(long = "relay", short = 'r', value_name = "URL")]
    pub relays: Vec<String>,
}
