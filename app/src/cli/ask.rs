//! `frlm ask`.

use std::path::PathBuf;

use clap::Args;
use frlm_client::run::{By, RunSpec};
use frlm_client::verifier::request::VerificationLevel;

use super::values::{count, sats, seconds, share};

/// `frlm ask`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct AskArgs {
    /// The question.
    pub question: String,
    /// A document (PDF, Word, Excel, PowerPoint, OpenDocument, HTML, EPUB, mail, text, an archive of them) or a folder;
    /// may be repeated.
    #[arg(long = "file", short = 'f', value_name = "PATH")]
    pub files: Vec<PathBuf>,
    /// Read the password of encrypted documents from this file; FRLM_DOCUMENT_PASSWORD holds it, too.
    #[arg(long, value_name = "PATH")]
    pub password_file: Option<PathBuf>,
    /// Who answers questions about the rows of a table: code (exact, free, nothing leaves this machine), swarm, or auto
    /// (code if it finds a place for every word, else the swarm) [default: auto]. Questions of which code is not
    /// sure are read by --model first, if it is a general model, or by a provider; it is told the columns and some of
    /// their values.
    #[arg(long, value_name = "WHO")]
    pub by: Option<By>,
    /// The most this may cost, fees included [default: 1000].
    #[arg(long, value_name = "SATS", value_parser = sats)]
    pub budget: Option<u64>,
    /// A relay where providers listen (ws:// or wss://); may be repeated.
    #[arg(long = "relay", short = 'r', value_name = "URL")]
    pub relays: Vec<String>,
    /// Ask only the provider with this public key, as its frlm provide prints it; may be repeated.
    #[arg(long = "provider", value_name = "NPUB")]
    pub providers: Vec<String>,
    /// Also ask this other NIP-90 provider, which may want its pay before it works; may be repeated.
    #[arg(long = "foreign", value_name = "NPUB")]
    pub foreign: Vec<String>,
    /// Where parts may go: swarm, local (the --model), or one of `[[venues]]` in config.toml; may be repeated.
    /// Each part goes to the venue with the best expected quality per sat [default: swarm].
    #[arg(long = "venue", value_name = "NAME", conflicts_with = "local")]
    pub venues: Vec<String>,
    /// The most that one job of a --foreign provider may cost, paid before the work, without escrow [default: 0].
    #[arg(long, value_name = "SATS", value_parser = sats)]
    pub bid: Option<u64>,
    /// When an answer is accepted: adaptive (by its provider's record), none (the first that passes the checks by code),
    /// redundancy:REPLICAS/AGREE (of REPLICAS providers AGREE must agree), objective:FILE (it passes a JSON schema or a Python
    /// check) or validated:NPUB (a provider that you trust checks it) [default: adaptive].
    #[arg(long, value_name = "POLICY")]
    pub verify: Option<String>,
    /// How many methods must find an answer right: standard, high or critical. Above standard code reads records, too, and
    /// your own model (--model) judges claims of prose; at critical all methods that apply must agree [default: standard].
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<VerificationLevel>,
    /// A preset for budget, timeouts, quorum and verification: default or production. Flags override it.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Show a partial answer if at least this share of the parts is verified (0 to 1).
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub quorum: Option<f64>,
    /// Seconds until the run ends [default: 300].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<u64>,
    /// Seconds that a provider has for a usual job; longer jobs and slower providers get more in proportion [default: 30].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub job_timeout: Option<u64>,
    /// Seconds to wait for providers before giving up [default: 5].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub discovery: Option<u64>,
    /// Most lines per part [default: 16].
    #[arg(long, value_name = "LINES", value_parser = count::<usize>)]
    pub fragment_lines: Option<usize>,
    /// Use only a model on this machine or at your endpoint; nothing goes to a relay.
    #[arg(long)]
    pub local: bool,
    /// Your own model: PATH.gguf, a safetensors folder, http(s)://HOST/v1#NAME, or embedded.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// The language of an answer in words: German, pt-BR [default: the model's choice]. The writer of the answer sees this
    /// flag and the next three; readers of single parts do not. Sentences that code writes are English.
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Option<String>,
    /// The style of an answer in words: detailed, concise or conversational.
    #[arg(long, value_name = "STYLE")]
    pub style: Option<String>,
    /// How much you know about the subject: beginner, intermediate or expert.
    #[arg(long, value_name = "LEVEL")]
    pub expertise: Option<String>,
    /// What you care about; may be repeated.
    #[arg(long = "interest", value_name = "WORDS")]
    pub interests: Vec<String>,
    /// normal, or high: if a provider is slow, a second one is asked sooner, and fast providers are preferred, within the
    /// budget [default: normal].
    #[arg(long, value_name = "PRIORITY")]
    pub priority: Option<String>,
    /// Follow up on this earlier run, over its documents unless you name others. Code joins the two questions, or your own
    /// model, which alone sees the earlier run, rewrites this one. Providers see only the resulting question.
    #[arg(long, value_name = "RUN")]
    pub after: Option<String>,
    /// Print the plan, what would leave this machine and to whom; publish nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Ignore the claim cache and read every part again.
    #[arg(long)]
    pub fresh: bool,
    /// Do not ask for confirmation of the cost, which is still printed on stderr.
    #[arg(long, short = 'y')]
    pub yes: bool,
    /// Print one JSON object on stdout.
    #[arg(long)]
    pub json: bool,
}

impl AskArgs {
    /// What the flags ask for.
    pub fn spec(&self) -> RunSpec {
        RunSpec {
            by: self.by,
            password_file: self.password_file.clone(),
            budget: self.budget,
            relays: self.relays.clone(),
            providers: self.providers.clone(),
            foreign: self.foreign.clone(),
            venues: self.venues.clone(),
            bid: self.bid,
            verify: self.verify.clone(),
            level: self.level,
            preset: self.preset.clone(),
            quorum: self.quorum,
            timeout: self.timeout,
            job_timeout: self.job_timeout,
            discovery: self.discovery,
            fragment_lines: self.fragment_lines,
            local: self.local,
            model: self.model.clone(),
            language: self.language.clone(),
            style: self.style.clone(),
            expertise: self.expertise.clone(),
            interests: self.interests.clone(),
            priority: self.priority.clone(),
            after: self.after.clone(),
            fresh: self.fresh,
            yes: self.yes,
            ..RunSpec::over(self.question.clone(), self.files.clone())
        }
    }
}
