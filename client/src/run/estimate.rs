//! `--dry-run`: the plan, what would leave this machine, and to whom. Publishes nothing.

mod reused;
mod scripts;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use frlm_conductor::claim_cache::ClaimCache;
use frlm_conductor::policy::FrlmPolicy;
use frlm_conductor::run::claims::rules::rules;
use frlm_conductor::run::claims::second::ONE_OF;
use frlm_conductor::run::quote::{Quote, fee_of_a_job, payee, quote, time, with_fees};
use frlm_conductor::run::route::SWARM;
use frlm_conductor::swarm::{ProviderInfo, Tariff};
use frlm_protocol::{one_line, printable};
use frlm_questions::asker::Priority;
use frlm_questions::dialect::MapTask;
use frlm_questions::dialect::claims::Form;
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::program::{MOST_CALLS, MOST_QUESTIONS};
use frlm_questions::plan::{PlanTask, Subtask, Task};
use frlm_questions::query::Query;
use frlm_scheduler::SubtaskId;
use frlm_verifier::VerificationPolicy;
use frlm_verifier::claims::planning::MOST_STEPS;
use frlm_verifier::claims::{Votes, Word};
use frlm_verifier::request::VerificationLevel;
use frlm_wallet::{CashuWallet, Msats, Sats};

use self::reused::{Reused, without_reused};
use super::own_models::named;
use super::readers::{self, Reader, readers};
use super::request::LOCAL;
use super::{Prepared, RunRequest};
use crate::config::Config;
use crate::directory::ProviderDirectory;
use crate::payment::cashu::CashuRail;
use crate::provider_record;

/// What a run would do.
#[derive(Debug)]
pub struct Estimate {
    /// Who is there.
    pub providers: Vec<ProviderInfo>,
    /// Why nobody could be looked up, if so.
    pub unreachable: Option<String>,
    /// All subtasks that can be foreseen.
    pub subtasks: Vec<Subtask>,
    /// How many of them are asked first; the others wait for these.
    pub first: usize,
    /// Parts of which earlier runs verified the same claims; they are not among the subtasks.
    pub reused: Reused,
    /// What they would cost, with what a mint takes for them where that is known.
    pub quote: Quote,
    /// How much of what is expected a mint takes, if one could be asked.
    pub fees: Option<Sats>,
    /// How long the first answers to all of it take by the speeds that providers announce; `None` where none is announced.
    pub time: Option<Duration>,
    /// Bytes of the fragments.
    pub bytes: usize,
    /// Who may read them in plain.
    pub readers: Vec<Reader>,
    /// Blob servers of the settings, for parts that are too large for the relays.
    pub blob_servers: Vec<String>,
}

/// Who reads a question first that code is not sure of.
const OWN_MODEL_READS: &str = "Own model   reads the question first, for code is not sure of it: the model is told the names of the table's columns and \
     some of their values, and code runs the query that it writes. If there is none, the run is as without a model\n";

/// Who reads a question that code is not sure of where the user has no model.
const PROVIDER_READS: &str = "Planner     a provider writes it as a query, for code is not sure of it: the provider is told the names of the table's columns \
     and some of their values, and code runs the query. Only if nobody writes one, or if it asks what texts mean, are the parts \
     read; that costs more, within the budget\n";

/// What code answers alone.
const FREE: Quote = Quote { low: Sats::ZERO, expected: Sats::ZERO, high: Sats::ZERO, given: Sats::ZERO };

/// Looks without touching: asks the directory who is at the relays, and makes the plan.
pub async fn estimate(
    prepared: &Prepared,
    config: &Config,
    directory: &ProviderDirectory,
    reusable: Option<ClaimCache>,
) -> anyhow::Result<Estimate> {
    let mut readers = readers(&prepared.request, config)?;
    if prepared.by_code() {
        readers.retain(|reader| prepared.asks_own_model() && reader.is_own_model());
    }
    let (providers, unreachable) = if !prepared.request.uses_swarm() || prepared.by_code() {
        (Vec::new(), None)
    } else {
        match askable(prepared, directory).await {
            Ok(providers) => (providers, None),
            Err(error) => (Vec::new(), Some(error)),
        }
    };
    let (subtasks, first) = if prepared.request.program.is_some() {
        // What it asks follows from its answers: nobody can tell before it runs.
        (a_question(&prepared.fragments), 0)
    } else {
        let mut plan = prepared.plan(true);
        let mut subtasks = plan.next(&[], SubtaskId(0))?;
        let first = subtasks.len();
        subtasks.extend(plan.to_come());
        (subtasks, first)
    };
    let (subtasks, first, reused) = without_reused(subtasks, first, prepared, reusable).await?;
    let quote = if prepared.by_code() {
        FREE
    } else if prepared.request.uses_swarm() {
        quote(&subtasks, &providers, &prepared.policy, prepared.request.roles_told())
    } else {
        quote_of_own(&subtasks, prepared, config)?
    };
    let time = time(&subtasks, &providers);
    let bytes = prepared.fragments.iter().map(|fragment| fragment.text.len()).sum();
    let blob_servers = config.blobs.servers.clone();
    Ok(Estimate {
        providers,
        unreachable,
        subtasks,
        first,
        reused,
        quote,
        fees: None,
        time,
        bytes,
        readers,
        blob_servers,
    })
}

/// What a program may ask at least: something of one fragment, the longest.
fn a_question(fragments: &[Arc<Fragment>]) -> Vec<Subtask> {
    let longest = fragments.iter().max_by_key(|fragment| fragment.text.len());
    let task = Arc::new(MapTask {
        question: String::new(),
        query: None,
        manner: String::new(),
        form: Form::default(),
    });
    longest
        .map(|fragment| Subtask::new(Task::Map { task, fragment: Arc::clone(fragment) }))
        .into_iter()
        .collect()
}

/// Those at the relays that the run may ask.
async fn askable(prepared: &Prepared, directory: &ProviderDirectory) -> Result<Vec<ProviderInfo>, String> {
    let mut providers = directory.providers(&prepared.relays).await?;
    let (only, blocked) = (&prepared.request.providers, &prepared.request.blocked);
    let among = |keys: &[String], provider: &ProviderInfo| keys.iter().any(|key| **key == *provider.id);
    providers.retain(|provider| (only.is_empty() || among(only, provider)) && !among(blocked, provider));
    Ok(providers)
}

/// What others may read of it.
fn what_leaves(request: &RunRequest) -> &'static str {
    match &request.program {
        Some(_) => "every fragment that the program asks about, and what it asks, but not the program",
        None => "every fragment and the question",
    }
}

/// What work costs that is not the swarm's. What is the user's own is believed, so that one answer of it is enough.
fn quote_of_own(subtasks: &[Subtask], prepared: &Prepared, config: &Config) -> anyhow::Result<Quote> {
    let request = &prepared.request;
    let names: Vec<String> = request.own_venues().map(str::to_owned).collect();
    let venues = named(&config.venues, &names)?;
    let prices = venues.iter().map(|venue| (venue.name.as_str(), venue.price));
    let model = (request.local || request.names(LOCAL)).then_some((LOCAL, 0));
    let offer = |(name, price): (&str, u64)| ProviderInfo {
        tariff: Tariff::per_1k(Sats(price).to_msats().unwrap_or(Msats(u64::MAX))),
        trusted: true,
        flat_price: None,
        ..ProviderInfo::foreign(name.into(), Sats::ZERO)
    };
    let offers: Vec<ProviderInfo> = model.into_iter().chain(prices).map(offer).collect();
    let policy = FrlmPolicy { verification: VerificationPolicy::None, ..prepared.policy.clone() };
    Ok(quote(subtasks, &offers, &policy, request.roles_told()))
}

fn in_words(query: &Query) -> String {
    let fields = query.fields();
    let over = if fields.is_empty() { "whole lines".to_owned() } else { fields.join(", ") };
    format!("{} over {over}", query.reduction.phrase())
}

/// What the question follows and what the asker wishes, a line each; empty where that is nothing.
fn of_asker(request: &RunRequest) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    if let Some(follows) = &request.follows {
        let _ = writeln!(text, "Follows     {}", printable(&follows.in_words(request)));
    }
    let wishes = request.asker.preferences.in_words();
    if !wishes.is_empty() {
        let _ = writeln!(
            text,
            "Wishes      {wishes}: sent only to the writer of an answer in words, not to the readers of parts"
        );
    }
    if request.asker.priority == Priority::High {
        text.push_str(
            "Priority    high: backup requests go out sooner and fast providers are preferred; it may cost \
             more, within the budget\n",
        );
    }
    text
}

impl Estimate {
    /// The same with what a mint takes, if somebody here would be paid through one. `open` opens the wallet that pays: why
    /// that fails is said when something is to be paid.
    pub async fn with_fees_of(
        self,
        open: impl Future<Output = anyhow::Result<Option<CashuWallet>>>,
        prepared: &Prepared,
    ) -> Self {
        if payee(self.quote, self.subtasks.len(), &self.providers, &prepared.policy).is_none() {
            return self;
        }
        match open.await {
            Ok(Some(wallet)) => self.with_fees(&wallet, prepared).await,
            Ok(None) | Err(_) => self,
        }
    }

    /// The same with what the mint of this wallet takes, as the run itself counts it.
    pub async fn with_fees(mut self, wallet: &CashuWallet, prepared: &Prepared) -> Self {
        let (count, policy) = (self.subtasks.len(), &prepared.policy);
        let Some((offer, price)) = payee(self.quote, count, &self.providers, policy) else { return self };
        let rail = CashuRail::new(wallet.clone());
        if let Some(each) = fee_of_a_job(&rail, &offer, price).await {
            let quote = with_fees(self.quote, count, policy, each);
            self.fees = Some(quote.expected.saturating_sub(self.quote.expected));
            self.quote = quote;
        }
        self
    }

    /// Whether parts are read at once for an answer in words.
    fn is_read(&self) -> bool {
        self.reused.parts > 0 || self.subtasks.iter().any(|subtask| subtask.task.is_reading())
    }

    /// Whether a planner is asked if the question takes several steps.
    fn may_take_steps(&self) -> bool {
        self.subtasks.iter().any(|subtask| matches!(subtask.task, Task::Plan(PlanTask::Steps(_))))
    }

    /// Whether a provider is asked first to write the question as a query over a table.
    pub fn provider_reads_first(&self) -> bool {
        self.subtasks.iter().any(|subtask| matches!(subtask.task, Task::Plan(PlanTask::Query(_))))
    }

    /// For people.
    pub fn describe(&self, prepared: &Prepared) -> String {
        let mut text = String::new();
        let request = &prepared.request;
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "Documents   {} in {} fragments, {} bytes",
            prepared.documents.names.len(),
            prepared.fragments.len(),
            self.bytes
        );
        if let Some(bound) = prepared.documents.bound() {
            let _ = writeln!(text, "Not read    {}", printable(&bound.replace("\n- ", "\n            ")));
        }
        text.push_str(&self.asks(prepared));
        if prepared.by_code() {
            let _ = match (prepared.asks_own_model(), self.readers.as_slice()) {
                (false, _) => writeln!(
                    text,
                    "Leaves      nothing: code answers this, no model is asked, and it costs nothing"
                ),
                (true, []) => writeln!(text, "Leaves      nothing: code answers this, and it costs nothing"),
                (true, readers) => writeln!(
                    text,
                    "Leaves      what your own model is told, to {}. Code answers, and it costs nothing",
                    printable(&readers::in_words(readers))
                ),
            };
            return text;
        }
        let policy = &prepared.policy.verification;
        let goes_to = match policy.first_replicas() {
            _ if policy.is_adaptive() => "one provider with a good record, or to two newcomers".to_owned(),
            1 => "one provider".to_owned(),
            several => format!("{several} providers"),
        };
        let by_claims = rules(policy, prepared.policy.level);
        let _ = if let Some(rules) = by_claims.filter(|_| request.uses_swarm() && self.is_read()) {
            let most = rules.most_reviews;
            let others = match rules.word {
                Word::Alone => "the validator reviews".to_owned(),
                Word::OneMore | Word::Needed => format!("up to {most} others review"),
            };
            let until = rules.votes.map_or(String::new(), |Votes { of, agree }| {
                format!(" until {agree} of {of}, its reader among them, support it")
            });
            let twice = match prepared.policy.level {
                VerificationLevel::Critical => "every part".to_owned(),
                VerificationLevel::Standard | VerificationLevel::High => format!("one part of {ONE_OF}"),
            };
            writeln!(
                text,
                "Verified    {policy}: one provider reads each part, {others} each claim of it{until}, and a second one reads {twice}"
            )
        } else if request.uses_swarm() {
            let most = policy.most_asked();
            writeln!(text, "Verified    {policy}: each subtask goes to {goes_to}, at most to {most}")
        } else {
            writeln!(text, "Verified    your own model is trusted: one answer to each subtask is enough")
        };
        text.push_str(&of_asker(request));
        text.push_str(&self.who_reads(request));
        if let Some(time) = self.time {
            let _ = writeln!(
                text,
                "Time        about {} s for a first answer to each, by the speeds that providers announce; reviews come on top",
                time.as_secs().max(1)
            );
        }
        text.push_str(&self.costs(prepared.policy.budget, request));
        text
    }

    /// Where the documents go, and who is there.
    fn who_reads(&self, request: &RunRequest) -> String {
        let mut text = String::new();
        // Writing into a String cannot fail.
        for name in request.venues.iter().filter(|name| *name != SWARM) {
            let _ = writeln!(
                text,
                "Venue       {name}, yours: it can read what is routed there, and its answers are trusted"
            );
        }
        if !self.readers.is_empty() {
            let _ = writeln!(
                text,
                "In plain    {} can read the parts and the question",
                printable(&readers::in_words(&self.readers))
            );
        }
        if request.local && self.readers.is_empty() {
            let _ = writeln!(text, "Leaves      nothing: a model on this machine answers");
        } else if request.local {
            let _ =
                writeln!(text, "Leaves      {}: your own model is on another machine", what_leaves(request));
        } else if !request.uses_swarm() {
            let _ = writeln!(text, "Leaves      nothing to a relay: the venues above answer");
        } else {
            let _ = writeln!(
                text,
                "Leaves      {}, encrypted (NIP-44) to the providers that work on \
                 them; the relay sees sizes, times and keys. Via {}",
                what_leaves(request),
                request.relays.join(", ")
            );
            if !self.blob_servers.is_empty() {
                let _ = writeln!(
                    text,
                    "Blobs       parts that are too large for the relays go encrypted through {}, which sees sizes, \
                     times and keys",
                    printable(&self.blob_servers.join(", "))
                );
            }
            match &self.unreachable {
                Some(reason) => {
                    let _ = writeln!(text, "Providers   unknown: {}", printable(reason));
                }
                None if self.providers.is_empty() => {
                    let _ = writeln!(text, "Providers   0 online");
                }
                None => {
                    for provider in &self.providers {
                        let _ = writeln!(
                            text,
                            "Provider    {} {} runs {} at {}",
                            provider_record::short(&provider.id),
                            printable(&provider.name),
                            printable(&provider.model.name),
                            provider.tariff
                        );
                    }
                }
            }
        }
        text
    }

    /// What is asked: the question as it was understood, or the program.
    fn asks(&self, prepared: &Prepared) -> String {
        let request = &prepared.request;
        let mut text = String::new();
        // Writing into a String cannot fail.
        if let Some(computed) = &prepared.computed {
            let _ = writeln!(text, "Question    read as {}", printable(&computed.reading.words));
        }
        if prepared.asks_own_model() {
            text.push_str(OWN_MODEL_READS);
        }
        if prepared.computed.is_some() || prepared.asks_own_model() && prepared.by_code() {
            return text;
        }
        if self.provider_reads_first() {
            text.push_str(PROVIDER_READS);
        }
        let _ = match (&request.program, &prepared.query, &prepared.compound) {
            (Some(program), _, _) => writeln!(
                text,
                "Program     {}, {} lines, sha256 {}: it runs in the sandbox; its later questions depend on \
                 earlier answers",
                printable(&program.name),
                program.code.lines().count(),
                program.sha256.get(..16).unwrap_or_default()
            ),
            (None, Some(query), _) => writeln!(text, "Question    understood as: {}", in_words(query)),
            (None, None, Some(compound)) => writeln!(text, "Question    {}", compound.describe()),
            (None, None, None) if self.is_read() => {
                writeln!(text, "Question    in words: each part is read for what it states about it")
            }
            (None, None, None) => writeln!(text, "Question    a model turns it into a query first"),
        };
        if self.may_take_steps() {
            let _ = writeln!(
                text,
                "Steps       a model says first whether the question takes several steps: the parts are then \
                 read for each step, up to {MOST_STEPS} times, within the budget; the cost below is for one \
                 step"
            );
        }
        for (number, part) in prepared.compound.iter().flat_map(|compound| (1..).zip(&compound.parts)) {
            let files = part.documents.join(", ");
            let _ = writeln!(text, "  part {number}    {} in {}", in_words(&part.query), one_line(&files));
        }
        let later = match self.subtasks.len() - self.first {
            _ if request.program.is_some() => String::new(),
            0 => String::new(),
            later => format!(", {later} later"),
        };
        let _ = match &request.program {
            Some(_) => writeln!(
                text,
                "Subtasks    as many as it asks for: at most {MOST_CALLS} calls and {MOST_QUESTIONS} questions \
                 to fragments, within the budget"
            ),
            None => writeln!(text, "Subtasks    {} to begin with{later}", self.first),
        };
        text.push_str(&self.reused.in_words());
        text
    }

    /// What it would cost, and what that leaves out. What is the user's own is paid through no mint.
    fn costs(&self, budget: Sats, request: &RunRequest) -> String {
        let Quote { low, expected, high, given } = self.quote;
        let each = if request.program.is_some() { " for each question to a fragment" } else { "" };
        let mut text = format!(
            "Cost        {expected} expected{each} ({low} without replicas, {high} at most); the budget is \
             {budget}\n"
        );
        // Writing into a String cannot fail.
        let _ = match self.fees {
            Some(Sats::ZERO) => Ok(()),
            Some(fees) => writeln!(text, "Fees        about {fees} of the expected cost go to the mint"),
            None if request.uses_swarm() && expected > Sats::ZERO => {
                writeln!(text, "Fees        the mint's fees come on top and stay within the budget")
            }
            None => Ok(()),
        };
        if given > Sats::ZERO {
            let _ = writeln!(
                text,
                "Free        about {given} of that, as the providers announce; the budget still covers it"
            );
        }
        text
    }
}
