//! Arguments of the benchmarks and experiments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::bench::Measurement;
use crate::model::LabModelArgs;

/// Benchmarks and experiments of FRLM.
#[derive(Debug, Parser)]
#[command(name = "frlm-lab", version)]
pub struct Lab {
    /// Where models and experiments that go on lie [default: the platform's data directory].
    #[arg(long, global = true, env = "FRLM_HOME", value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// What to measure.
    #[command(subcommand)]
    pub command: LabCommand,
}

/// What to measure.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// Overhead, scaling, throughput and memory, each against a floor measured in the same run, and what
    /// escrow costs.
    Bench {
        /// These rows alone.
        #[arg(long, value_enum, value_delimiter = ',', value_name = "ROWS")]
        only: Vec<Measurement>,
        /// A tenth of the work, for a quick look.
        #[arg(long)]
        quick: bool,
    },
    /// Accuracy, calibration and speed of a records model on held-out fragments, as production reads them.
    Model(LabModelArgs),
    /// Whether one pass over prompt and answer tells the claimed weights from smaller ones, from lower
    /// quantisations and from noise.
    #[cfg(feature = "embedded")]
    Audit(LabAuditArgs),
    /// Liars among simulated providers against every verification policy: what is accepted, what it costs.
    Redteam(LabRedteamArgs),
    /// Claims in words: SIMULATED readers, liars and reviewers over documents written by code, under the rules of runs.
    Words(LabWordsArgs),
    /// Questions over tables, answered by code, against answers that a script of its own computed.
    Tables(LabTablesArgs),
    /// What the learners learn, against ways that do not learn.
    #[command(subcommand)]
    Learn(LabLearnCommand),
}

/// `frlm-lab tables`
#[derive(Debug, Args)]
pub struct LabTablesArgs {
    /// A folder with questions.json and the files that it asks about.
    #[arg(value_name = "FOLDER", default_value = "tables/corpus")]
    pub corpus: PathBuf,
    /// A model that reads what code is not sure of, such as http://127.0.0.1:8080/v1#model-name.
    #[arg(long, value_name = "MODEL", requires = "replies")]
    pub planner: Option<String>,
    /// JSON lines of what a model replied. New replies are appended.
    #[arg(long, value_name = "FILE")]
    pub replies: Option<PathBuf>,
    /// How many questions a model is asked at once.
    #[arg(long, value_name = "COUNT", default_value_t = 4)]
    pub at_once: usize,
}

/// `frlm-lab learn`
#[derive(Debug, Subcommand)]
pub enum LabLearnCommand {
    /// Which role at which venue: trains on real inference over an embedded swarm; --simulate compares the
    /// learners with routing that does not learn, at scale.
    Route(LabRouteArgs),
    /// How to take a question apart: learning curves against ways that do not learn, over SIMULATED questions
    /// whose preferences are hidden.
    Decompose(LabDecomposeArgs),
    /// Whether that training pays in runs: held-out questions of several parts over an embedded swarm with real
    /// inference, arranged by code, by the untrained policy and by the trained one.
    Compound(LabCompoundArgs),
    /// Whether a question is simple enough to be asked in one piece: how well the shipped weights tell it, and weights
    /// learned from scratch.
    Analyse(LabAnalyseArgs),
}

/// `frlm-lab learn analyse`
#[derive(Debug, Args)]
pub struct LabAnalyseArgs {
    /// Labelled questions: split, label and question, with tabs between.
    #[arg(value_name = "QUESTIONS.tsv", default_value = "assets/brain/questions.tsv")]
    pub questions: PathBuf,
    /// Where to write the weights that were learned.
    #[arg(long, value_name = "PATH")]
    pub weights: Option<PathBuf>,
    /// One JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// `frlm-lab learn compound`
#[derive(Debug, Args)]
pub struct LabCompoundArgs {
    /// Held-out questions for each seed, each asked in all three ways.
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    pub questions: usize,
    /// Questions that each policy learns from before.
    #[arg(long, value_name = "COUNT", default_value_t = 500)]
    pub training: usize,
    /// Policies, each with questions and draws of its own.
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    pub seeds: u64,
    /// The first of them.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Lines of a generated document.
    #[arg(long, value_name = "LINES", default_value_t = 48)]
    pub lines: usize,
    /// The providers' model; the embedded one unless given.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Put the questions so that code cannot take them apart, and have this general model do it, guided by the policy; embedded:
    /// the small model inside the program.
    #[arg(long, value_name = "MODEL")]
    pub planner: Option<String>,
    /// Hyperparameters as JSON; what it does not name keeps its default.
    #[arg(long, value_name = "PATH")]
    pub settings: Option<PathBuf>,
    /// Do not go on with an experiment that was stopped, nor show one that is done.
    #[arg(long)]
    pub fresh: bool,
    /// One JSON object instead of tables.
    #[arg(long)]
    pub json: bool,
}

/// `frlm-lab learn decompose`
#[derive(Debug, Args)]
pub struct LabDecomposeArgs {
    /// Questions before the simulated preferences change.
    #[arg(long, value_name = "COUNT", default_value_t = 5_000)]
    pub episodes: usize,
    /// Questions after that.
    #[arg(long, value_name = "COUNT", default_value_t = 2_000)]
    pub after_shift: usize,
    /// Worlds, each with a learner of its own.
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub worlds: u64,
    /// Other worlds and draws.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Hyperparameters as JSON; what it does not name keeps its default.
    #[arg(long, value_name = "PATH")]
    pub settings: Option<PathBuf>,
    /// One JSON object instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Where to write the learning curves, as SVG.
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
}

/// `frlm-lab learn route`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct LabRouteArgs {
    /// Tasks to train on.
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    pub iterations: u32,
    /// Other draws; with --simulate other worlds.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// The learner [default: the better one in the simulation].
    #[arg(long, value_enum, value_name = "NAME")]
    pub learner: Option<LearnerKind>,
    /// The model of all roles; the embedded one unless given.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// A model of its own for a role, at both venues: planner=PATH.gguf. It is asked as the model of the others is.
    /// Repeat for more.
    #[arg(long = "role", value_name = "ROLE=MODEL")]
    pub roles: Vec<String>,
    /// A model that scores answers to tasks without a known answer.
    #[arg(long, value_name = "MODEL")]
    pub judge: Option<String>,
    /// Tasks, one JSON object per line with id, type, description and, where it is known, the lines that are
    /// expected.
    #[arg(long, value_name = "PATH")]
    pub tasks: Option<PathBuf>,
    /// What counts as the full cost of a task in its reward.
    #[arg(long, value_name = "MSATS", default_value_t = 2_000)]
    pub full_cost_msats: u64,
    /// Count the time that answers really take; the training then does not repeat itself.
    #[arg(long)]
    pub measured: bool,
    /// Do not go on with a training that was interrupted.
    #[arg(long)]
    pub fresh: bool,
    /// Do not learn from the requests after the training.
    #[arg(long)]
    pub no_online_learning: bool,
    /// One JSON object instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Where to write plots, as SVG.
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
    /// Compare learners and routing that does not learn in SIMULATED swarms of 20 to 2,000 providers.
    #[arg(long, conflicts_with_all = ["model", "roles", "judge", "tasks", "learner"])]
    pub simulate: bool,
    /// Tasks for each provider of a simulated swarm, at least 2,000 in all.
    #[arg(long, value_name = "COUNT", default_value_t = 24, requires = "simulate")]
    pub tasks_per_provider: usize,
    /// Time and memory of a decision among 10,000 providers.
    #[arg(long, conflicts_with = "simulate")]
    pub bench: bool,
}

/// A learner of routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LearnerKind {
    /// A table of values by task type and load.
    QTable,
    /// A linear bandit with upper confidence bounds.
    Linucb,
}

/// `frlm-lab redteam`
#[derive(Debug, Args)]
pub struct LabRedteamArgs {
    /// Real parts instead of a simulation: an embedded relay, nine providers on the embedded model, three of
    /// which lie.
    #[arg(long, conflicts_with_all = ["plot", "worlds"])]
    pub real: bool,
    /// A hundred questions over folders of several formats, put to three honest providers on the embedded model as by
    /// frlm ask --by swarm, then once more with three liars beside them: who is excluded, and what liars are paid.
    #[arg(long, conflicts_with_all = ["real", "plot", "worlds", "subtasks"])]
    pub tables: bool,
    /// With --tables: a folder with questions.json and the files that it asks about.
    #[arg(long, value_name = "FOLDER", requires = "tables", default_value = "tables/corpus")]
    pub corpus: PathBuf,
    /// With --tables: how many questions are put.
    #[arg(long, value_name = "COUNT", requires = "tables", default_value_t = 100)]
    pub questions: usize,
    /// With --real: the model behind every provider.
    #[arg(long, value_name = "MODEL", requires = "real", default_value = "embedded")]
    pub model: String,
    /// Subtasks in each of 288 cells [default: 10000; with --real 300].
    #[arg(long, value_name = "COUNT")]
    pub subtasks: Option<usize>,
    /// The first world of subtasks, errors and lots.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Worlds: every cell is simulated in each, and shown as median and band.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub worlds: u64,
    /// One JSON object with every cell instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Where to write the curves, as SVG.
    #[arg(long, value_name = "PATH")]
    pub plot: Option<PathBuf>,
}

/// `frlm-lab words`
#[derive(Debug, Args)]
pub struct LabWordsArgs {
    /// Claims of each row and world, after a fifth as many of warm-up.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    pub claims: usize,
    /// Worlds: every row is simulated in each, and shown as median.
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub seeds: u64,
    /// The first of them.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Only the rows in whose heading or name all of these texts stand: 7B,'as runs'.
    #[arg(long, value_delimiter = ',', value_name = "TEXTS")]
    pub only: Vec<String>,
    /// One JSON object instead of tables.
    #[arg(long)]
    pub json: bool,
}

/// `frlm-lab audit`
#[cfg(feature = "embedded")]
#[derive(Debug, Args)]
pub struct LabAuditArgs {
    /// Prompts as JSON lines.
    #[arg(value_name = "EVAL.jsonl.gz", default_value = "assets/model/eval.jsonl.gz")]
    pub examples: PathBuf,
    /// Prompts that each writer answers.
    #[arg(long, value_name = "COUNT", default_value_t = 1_000)]
    pub answers: usize,
    /// Trials of 20 answers for each writer.
    #[arg(long, value_name = "COUNT", default_value_t = 2_000)]
    pub trials: usize,
    /// Other draws.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Where to write the curves, as SVG.
    #[arg(long, value_name = "PATH")]
    pub plot: Option<PathBuf>,
    /// Where to write how far apart honest answers were, for audits to come.
    #[arg(long, value_name = "PATH")]
    pub calibration: Option<PathBuf>,
}
