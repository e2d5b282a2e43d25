//! The command line (design.md, section 3). Others script against it.
//!
//! Commands with many arguments have a module each; `values` says what an argument may be.

mod ask;
mod cache;
mod docs;
mod learned;
mod run;
mod runs;
mod values;
mod wallet;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

pub use ask::AskArgs;
pub use cache::CacheCommand;
use clap::builder::{OsStr, Resettable};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
pub use docs::DocsArgs;
use frlm_client::relay::RelayProfile;
pub use learned::{KnownCommand, ProvidersCommand, RouteCommand, StrategiesCommand};
pub use run::RunArgs;
pub use runs::{ExportFormat, RunsCommand, Thumbs};
use values::{count, listen, sats};
pub use wallet::{MintsCommand, WalletCommand};

/// Words that a first user needs.
const WORDS: &str = "\
Words:
  provider  a program that answers parts of a question with its model, here or anywhere (frlm provide)
  relay     a server that passes encrypted jobs and answers between askers and providers; any Nostr
            relay works (frlm relay)
  npub1…    the public key of a provider, which is its name
  sats      the money that providers are paid in: the smallest unit of bitcoin
  mint      a server that holds sats for you (Cashu); without one you can ask free providers

frlm demo sets all of it up on this machine, with play money.";

/// Ask a swarm of untrusted GPUs about your documents; by default, pay only for answers that verify.
#[derive(Debug, Parser)]
#[command(name = "frlm", version, propagate_version = true, subcommand_required = false, after_help = WORDS)]
pub struct Cli {
    /// Where settings, recorded runs and the ledger live [default: the platform's data directory].
    #[arg(long, global = true, env = "FRLM_HOME", value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Say more about what happens, on stderr; given twice, also what the libraries log.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// What to do; without one the desktop app opens.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// Reads a command line. For `--budget -5` the error says that such a budget cannot be; clap by itself would look for
    /// a flag of that name.
    pub fn read<T: Into<OsString> + Clone>(words: impl IntoIterator<Item = T>) -> Result<Self, clap::Error> {
        let command = negative_numbers_are_values(without_empty_home(Self::command()));
        let matches = command.mut_subcommand("run", run::as_a_program).try_get_matches_from(words)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut Self::command()))
    }
}

/// An empty variable is how many shells and service files unset one; clap would take it for a home without a name, also
/// where `--home` names another.
fn without_empty_home(command: clap::Command) -> clap::Command {
    if std::env::var_os("FRLM_HOME").is_some_and(|home| home.is_empty()) {
        command.mut_arg("home", |home| home.env(Resettable::<OsStr>::Reset))
    } else {
        command
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
    /// Show a whole run on this machine: a relay, three providers, a question, a checked answer.
    #[cfg(feature = "demo")]
    Demo(DemoArgs),
    /// Ask a question over documents.
    Ask(Box<AskArgs>),
    /// Show what FRLM finds in documents: lines, pages, headings, tables, and what it could not read.
    Docs(DocsArgs),
    /// Run your own program, which asks about parts of documents and joins the answers by code.
    Run(Box<RunArgs>),
    /// Answer other people's questions with this machine's model until interrupted; a second Ctrl-C stops at once.
    Provide(ProvideArgs),
    /// The records of providers from earlier runs: list, biases, export, import, forget.
    #[command(subcommand)]
    Providers(ProvidersCommand),
    /// Answers that you know to be right. A run that finds a different one says so.
    #[command(subcommand)]
    Known(KnownCommand),
    /// The claim cache: claims that earlier runs verified. The same question does not pay for them again.
    #[command(subcommand)]
    Cache(CacheCommand),
    /// Models on this machine: list them, download one, see which fit its memory.
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Where parts of your questions went (role: which kind of work; venue: which place), and the results.
    #[command(subcommand)]
    Route(RouteCommand),
    /// Strategies for compound questions, by kind of document: which are being tested, which are retired and why.
    #[command(subcommand)]
    Strategies(StrategiesCommand),
    /// Answer questions over documents through an OpenAI-compatible endpoint, until interrupted.
    ///
    /// Documents come as file parts, as files uploaded to /v1/files, or as text: in the system message, or in one text with the
    /// question. There the question is what follows the last "Question:" or "Query:" at the beginning of a line; without one
    /// it is the last paragraph. `frlm.question` in the answer says how it was understood.
    Serve(ServeArgs),
    /// Run a relay, which passes jobs between askers and providers: for this machine, a LAN or a private swarm.
    Relay(RelayArgs),
    /// Money: mints, balances, receive, send, history, receipts, audit, recovery; without it free providers answer.
    #[command(subcommand)]
    Wallet(WalletCommand),
    /// Your runs, one for each question: list, show, diff, replay, export, resume, feedback, delete.
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Benchmarks and experiments are a program of their own.
    #[command(hide = true)]
    Lab {
        /// What was to be measured.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Check store, ledger, wallet, models, GPU, display and relays; each failure names its fix.
    Doctor(DoctorArgs),
}

impl Command {
    /// Whether one object with an answer is printed, or with an error where there is no answer.
    pub fn answers_as_json(&self) -> bool {
        match self {
            #[cfg(feature = "demo")]
            Self::Demo(args) => args.json,
            Self::Ask(args) => args.json,
            Self::Run(args) => args.ask.json,
            Self::Runs(RunsCommand::Resume { json, .. }) => *json,
            Self::Docs(_)
            | Self::Provide(_)
            | Self::Providers(_)
            | Self::Known(_)
            | Self::Cache(_)
            | Self::Models(_)
            | Self::Route(_)
            | Self::Strategies(_)
            | Self::Serve(_)
            | Self::Relay(_)
            | Self::Wallet(_)
            | Self::Runs(_)
            | Self::Lab { .. }
            | Self::Doctor(_) => false,
        }
    }
}

/// `frlm demo`
#[cfg(feature = "demo")]
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub struct DemoArgs {
    /// Another question about the bundled order log; with --model, about the bundled licence.
    #[arg(value_name = "QUESTION")]
    pub question: Option<String>,
    /// Let all three providers use your own general model, and ask a question in words over a bundled licence:
    /// PATH.gguf, a safetensors folder, or http(s)://HOST/v1#NAME (Ollama, llama.cpp and others).
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["compound", "liar", "recorded"])]
    pub model: Option<String>,
    /// Ask a question of three parts, two of which wait for the first, over two bundled logs.
    #[arg(long, conflicts_with = "question")]
    pub compound: bool,
    /// Let one of the providers lie (a simulation: its answers are falsified before they are sent), and say what happens
    /// to it and to the sats that were locked for it.
    #[arg(long)]
    pub liar: bool,
    /// Ask a question in words over a bundled licence with recorded model output; one provider lies. No model runs; the
    /// checks are real, and so are the payments, in play money.
    #[arg(long, conflicts_with_all = ["question", "compound", "liar"])]
    pub recorded: bool,
    /// Keep a home for the asker and one for each provider in this folder. The demo prints wallet commands that work in
    /// them afterwards. Without this flag the wallets of play money are deleted.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Print one JSON object on stdout.
    #[arg(long)]
    pub json: bool,
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
    /// Price in sats per 1,000 tokens written, if it differs [default: that of --price].
    #[arg(long, value_name = "SATS_PER_1K", value_parser = sats)]
    pub price_written: Option<u64>,
    /// Minimum price of a job in sats, however short it is [default: 0].
    #[arg(long, value_name = "SATS", value_parser = sats)]
    pub minimum: Option<u64>,
    /// Surge price while many jobs wait or run, in percent of the usual price [default: 100].
    #[arg(long, value_name = "PERCENT", value_parser = count::<u32>)]
    pub surge: Option<u32>,
    /// Number of waiting and running jobs at which --surge applies [default: 16].
    #[arg(long, value_name = "JOBS", value_parser = count::<usize>)]
    pub surge_from: Option<usize>,
    /// Accept this many unpaid jobs per asker's key, and eight times as many a day from all keys; pay comes after the
    /// verdict, without escrow [default: 0].
    #[arg(long, value_name = "JOBS", value_parser = count::<u32>)]
    pub pay_after: Option<u32>,
    /// Free jobs a day for each asker's key, and eight times as many for all keys together [default: 0].
    #[arg(long, value_name = "JOBS", value_parser = count::<u32>)]
    pub free: Option<u32>,
    /// The provider's name, which askers see.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Queue limit: how many jobs may wait [default: 64].
    #[arg(long, value_name = "JOBS", value_parser = count::<usize>)]
    pub queue: Option<usize>,
    /// Also take open jobs, which anyone can read.
    #[arg(long)]
    pub open_jobs: bool,
    /// Bits of proof of work that unknown askers have to show while many wait; 0: none [default: 16].
    #[arg(long, value_name = "BITS", value_parser = count::<u8>)]
    pub pow: Option<u8>,
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
    /// Where parts may go, as in frlm ask; may be repeated.
    #[arg(long = "venue", value_name = "NAME", conflicts_with = "local")]
    pub venues: Vec<String>,
    /// Use only a model on this machine or at your endpoint; nothing goes to a relay.
    #[arg(long)]
    pub local: bool,
    /// Your own model, as in frlm ask.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Also answer questions that anybody sends as NIP-90 jobs over the relays. If there is a wallet, the asker of each gets
    /// a price quote and pays an invoice before a sat is spent.
    #[arg(long)]
    pub nostr: bool,
    /// With --nostr: also answer open questions, which name no provider and which anyone can read; paid by invoice.
    #[arg(long)]
    pub open_jobs: bool,
}

/// `frlm relay`
#[derive(Debug, Args)]
pub struct RelayArgs {
    /// Address to listen on [default: 127.0.0.1:7777].
    #[arg(long, value_name = "ADDR", value_parser = listen)]
    pub listen: Option<SocketAddr>,
    /// Keep the limits of another relay, to try providers and questions against them: strfry, nostream, nostr-rs-relay,
    /// rnostr, python-nostr-relay, auth.
    #[arg(long, value_name = "RELAY")]
    pub like: Option<RelayProfile>,
    /// Keep no blobs: a job that is too large for an event then needs another blob server (servers under blobs in config.toml).
    #[arg(long)]
    pub no_blobs: bool,
}

/// `frlm models`
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// What --model takes: the embedded model, the files in the models folder, and models that the settings name.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Download a GGUF file into the models folder. Ctrl-C stops; the same command continues.
    Get {
        /// https://HOST/PATH/NAME.gguf
        #[arg(value_name = "URL")]
        url: String,
        /// The SHA-256 that the file must have; required over plain http from another machine.
        #[arg(long, value_name = "HEX", default_value = "")]
        sha256: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Say which models fit into the memory that is free now, and why or why not.
    Fit {
        /// Only this file, or this name of frlm models list; otherwise all that are listed.
        #[arg(value_name = "PATH.gguf")]
        file: Option<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// `frlm doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// A relay to check in addition to the configured ones; may be repeated.
    #[arg(long = "relay", short = 'r', value_name = "URL")]
    pub relays: Vec<String>,
}
