//! `frlm-lab redteam --tables`: a hundred questions over folders of several formats, put to three honest providers with the embedded
//! model as `frlm ask --by swarm` puts them; then the same questions once more, with three liars beside them. One home asks them all, so
//! that what it learns of a provider stays.
//!
//! Relay, providers and asker share this process. Keys and questions are the same in each run of the laboratory; which provider answers
//! first is not.

mod questions;

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use frlm_client::config::Config;
use frlm_client::documents::Documents;
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::models;
use frlm_client::run::{By, RunHandle, RunRequest, RunService, RunSpec, StartOptions, prepare};
use frlm_client::util::clock::unix_secs;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::LanguageModel;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_questions::answer::Answer;
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use frlm_scheduler::AttemptId;
use frlm_tables::SURE;
use frlm_verifier::trust::ReputationStore;
use nostr::{Keys, RelayUrl};
use serde::Serialize;

use self::questions::{Case, cases};
use super::real::{Liar, Lie};

/// Providers that do not lie.
const HONEST: usize = 3;
/// Their price, and the liars': a sat for each 1,000 tokens, counted and not paid.
const PRICE_MSATS_PER_1K: u64 = 1_000;
/// Seconds that a question may take.
const TIMEOUT_SECS: u64 = 60;
/// Sats that a question may cost: the budget is not what is measured.
const BUDGET: u64 = 100_000;

/// What came of the questions of one part.
#[derive(Debug, Default, Serialize)]
pub struct Part {
    /// Questions of which at least one job reached a provider.
    pub asked: usize,
    /// Answers that say what is right.
    pub right: usize,
    /// Answers that do not.
    pub wrong: usize,
    /// Of these, how many with a confidence that counts as sure.
    pub wrong_and_sure: usize,
    /// Questions without an answer.
    pub unanswered: usize,
    /// Questions that no job was made of, which are not among those asked.
    pub not_put: usize,
    /// By provider, the honest ones first.
    pub providers: Vec<Seen>,
    /// Seconds that it took.
    pub secs: f64,
}

/// What became of one provider in a part.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Seen {
    /// How it lies; absent: it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lie: Option<Lie>,
    /// Jobs that it was given.
    pub jobs: usize,
    /// Sats that its answers were worth to the asker.
    pub sats: u64,
    /// The number of the question in which it was excluded, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_at: Option<usize>,
    /// Jobs that it had been given by then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs_until_excluded: Option<usize>,
    /// Whether it is excluded when the part is over.
    pub is_out: bool,
}

/// Asks the questions, prints what came of them, and fails if an honest provider was excluded, the liar that gives another value
/// of the line was not, or an answer is wrong and sure.
pub async fn run(corpus: &Path, questions: usize, json: bool, home: &Home) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in(home.root())?;
    let cases = cases(corpus, &folder.path().join("files"))?;
    let mut engines = Vec::new();
    for _ in 0..HONEST {
        engines.push(models::open("embedded", Some(1), home).await?);
    }
    eprintln!(
        "real keys, sockets and jobs: {HONEST} honest providers with the embedded model behind an embedded relay, then {} liars \
         beside them; {questions} questions each",
        Lie::ALL.len()
    );
    let mut rig = Rig::open(folder.path()).await?;
    for (number, engine) in engines.iter().enumerate() {
        rig.admit(number, Arc::clone(engine), None).await?;
    }
    let honest = rig.ask(&cases, questions, |_| false).await?;
    for (number, (lie, engine)) in Lie::ALL.into_iter().zip(&engines).enumerate() {
        let liar = Arc::new(Liar::new(Arc::clone(engine), lie));
        rig.admit(HONEST + number, liar, Some(lie)).await?;
    }
    let all_found = |seen: &[Seen]| seen[HONEST..].iter().all(|liar| liar.is_out);
    let with_liars = rig.ask(&cases, questions, all_found).await?;
    rig.close().await;
    if json {
        println!("{}", serde_json::json!({ "honest": honest, "with_liars": with_liars }));
    } else {
        println!(
            "Three honest providers:\n\n{}\nThree liars beside them, until all are excluded:\n\n{}",
            honest.text(),
            with_liars.text()
        );
    }
    verdict(&honest, &with_liars)
}

fn verdict(honest: &Part, with_liars: &Part) -> anyhow::Result<()> {
    let mut wrong = Vec::new();
    let is_struck = |seen: &Seen| seen.is_out || seen.excluded_at.is_some();
    let struck = |part: &Part| part.providers.iter().take(HONEST).filter(|seen| is_struck(seen)).count();
    match struck(honest) + struck(with_liars) {
        0 => {}
        count => wrong.push(format!("{count} times an honest provider was excluded")),
    }
    // The others are corrected by the check of copies, or hardly asked once they lie.
    let plain = with_liars.providers.iter().filter(|seen| seen.lie == Some(Lie::OtherField));
    match plain.filter(|seen| !seen.is_out).count() {
        0 => {}
        _ => wrong.push("the liar that gives another value of the line was not excluded".to_owned()),
    }
    match honest.wrong_and_sure + with_liars.wrong_and_sure {
        0 => {}
        count => wrong.push(format!("{count} answers are wrong with a confidence of {SURE} or more")),
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::with_code(code::FAILED, wrong.join("; ")).into())
}

/// Relay, providers, and the home that asks.
struct Rig {
    relay: EmbeddedRelay,
    url: RelayUrl,
    providers: Vec<ProviderHandle>,
    seen: Vec<Seen>,
    home: Home,
    runs: RunService,
    folder: PathBuf,
    asked: u64,
}

/// The same keys in each run of the laboratory.
fn keys(number: u64) -> anyhow::Result<Keys> {
    Ok(Keys::parse(&format!("{:064x}", number + 1))?)
}

impl Rig {
    async fn open(folder: &Path) -> anyhow::Result<Self> {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await?;
        let home = Home::open(Some(folder.join("asker")))?;
        let runs = RunService::open(&home).await?;
        let (url, folder) = (relay.url(), folder.to_owned());
        Ok(Self { relay, url, providers: Vec::new(), seen: Vec::new(), home, runs, folder, asked: 0 })
    }

    async fn admit(
        &mut self,
        number: usize,
        model: Arc<dyn LanguageModel>,
        lie: Option<Lie>,
    ) -> anyhow::Result<()> {
        let config = ProviderConfig {
            name: format!("lab-{}", number + 1),
            price_msats_per_1k: PRICE_MSATS_PER_1K,
            jobs_per_minute_per_asker: u32::MAX,
            ..ProviderConfig::default()
        };
        let relays = std::slice::from_ref(&self.url);
        self.providers.push(Provider::start(config, keys(number as u64)?, relays, model).await?);
        self.seen.push(Seen { lie, ..Seen::default() });
        Ok(())
    }

    async fn close(self) {
        ProviderHandle::stop_all(&self.providers).await;
        self.relay.shutdown().await;
    }

    /// Puts so many questions, or fewer where nothing is left to see.
    async fn ask(
        &mut self,
        cases: &[Case],
        questions: usize,
        is_over: impl Fn(&[Seen]) -> bool,
    ) -> anyhow::Result<Part> {
        let mut part = Part { providers: self.seen.clone(), ..Part::default() };
        let began = Instant::now();
        for case in cases {
            if part.asked == questions || is_over(&part.providers) {
                break;
            }
            self.ask_one(case, &mut part).await?;
            self.look_up_who_is_out(&mut part)?;
        }
        part.secs = began.elapsed().as_secs_f64();
        Ok(part)
    }

    async fn ask_one(&mut self, case: &Case, part: &mut Part) -> anyhow::Result<()> {
        self.asked += 1;
        let folder = self.folder.join(format!("question-{}", self.asked));
        std::fs::create_dir_all(&folder)?;
        for file in &case.files {
            std::fs::copy(file, folder.join(file.file_name().unwrap_or_default()))?;
        }
        let mut spec = RunSpec::for_demo(case.question.clone(), vec![folder.clone()], self.url.to_string());
        spec.by = Some(By::Swarm);
        spec.providers = self.providers.iter().map(|one| one.public_key().to_hex()).collect();
        spec.timeout = Some(TIMEOUT_SECS);
        spec.budget = Some(BUDGET);
        spec.fresh = true;
        let request = RunRequest::from_spec(&spec, &Config::default())?;
        let prepared = prepare(request, &Documents::default());
        let mut watching = Watching::new(&self.providers, part.asked + 1);
        let ended = match prepared {
            Err(error) => Err(format!("{error:#}")),
            Ok(prepared) => {
                let options = StartOptions { keys: keys(1_000 + self.asked)?, ..StartOptions::default() };
                let RunHandle { mut events, mut done, .. } =
                    self.runs.start_prepared(prepared, options).await?;
                let ended = loop {
                    tokio::select! {
                        biased;
                        Some(record) = events.recv() => watching.see(record.event, &mut part.providers),
                        ended = &mut done => break ended,
                    }
                };
                while let Ok(record) = events.try_recv() {
                    watching.see(record.event, &mut part.providers);
                }
                ended.map_err(|failure| failure.message)
            }
        };
        std::fs::remove_dir_all(&folder)?;
        part.note(case, ended, watching.is_asked());
        Ok(())
    }

    fn look_up_who_is_out(&self, part: &mut Part) -> anyhow::Result<()> {
        let reputation = ReputationStore::at(self.home.reputation()).load(unix_secs())?;
        let asked = part.asked;
        for (seen, provider) in part.providers.iter_mut().zip(&self.providers) {
            let member = reputation.member(&provider.public_key().to_hex());
            seen.is_out = member.is_some_and(|member| reputation.is_out(member));
            if seen.is_out {
                seen.excluded_at.get_or_insert(asked);
                seen.jobs_until_excluded.get_or_insert(seen.jobs);
            }
        }
        Ok(())
    }
}

/// What the events of a run say of its providers.
struct Watching {
    keys: HashMap<String, usize>,
    /// Who was given an attempt.
    attempts: HashMap<AttemptId, usize>,
    question: usize,
}

impl Watching {
    fn new(providers: &[ProviderHandle], question: usize) -> Self {
        let keys = providers.iter().enumerate().map(|(at, one)| (one.public_key().to_hex(), at));
        Self { keys: keys.collect(), attempts: HashMap::new(), question }
    }

    fn is_asked(&self) -> bool {
        !self.attempts.is_empty()
    }

    fn see(&mut self, event: TraceEvent, providers: &mut [Seen]) {
        match event {
            TraceEvent::SubQuerySubmit { attempt, provider, .. } => {
                if let Some(&at) = self.keys.get(&provider) {
                    self.attempts.insert(attempt, at);
                    providers[at].jobs += 1;
                }
            }
            TraceEvent::BudgetSettle { attempt, spent_sats, .. } => {
                if let Some(&at) = self.attempts.get(&attempt) {
                    providers[at].sats += spent_sats;
                }
            }
            TraceEvent::Notice { says, .. } => {
                let named = says.split_once(" is not asked any more");
                if let Some(&at) = named.and_then(|(key, _)| self.keys.get(key)) {
                    providers[at].excluded_at.get_or_insert(self.question);
                    let jobs = providers[at].jobs;
                    providers[at].jobs_until_excluded.get_or_insert(jobs);
                }
            }
            _ => {}
        }
    }
}

impl Part {
    fn note(&mut self, case: &Case, ended: Result<Answer, String>, is_asked: bool) {
        if !is_asked {
            self.not_put += 1;
            return;
        }
        self.asked += 1;
        match ended {
            Err(why) => {
                self.unanswered += 1;
                eprintln!("UNANSWERED {} | {why}", case.question);
            }
            Ok(answer) if case.is_answered_by(&answer.answer) => self.right += 1,
            Ok(answer) => {
                self.wrong += 1;
                self.wrong_and_sure += usize::from(answer.confidence >= SURE);
                let said: String = answer.answer.chars().take(160).collect();
                eprintln!(
                    "WRONG {} {} | {} | {said} | right is {:?}",
                    case.files[0].file_name().unwrap_or_default().display(),
                    case.question,
                    answer.confidence,
                    case.expected
                );
            }
        }
    }

    fn text(&self) -> String {
        let mut lines = vec![
            "| provider | jobs | sats | excluded in question | after jobs |".to_owned(),
            "| --- | --: | --: | --: | --: |".to_owned(),
        ];
        for (number, seen) in (1..).zip(&self.providers) {
            let who = seen.lie.map_or("honest", Lie::words);
            let shown =
                |count: Option<usize>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());
            let (excluded, after) = (shown(seen.excluded_at), shown(seen.jobs_until_excluded));
            lines.push(format!("| {number}, {who} | {} | {} | {excluded} | {after} |", seen.jobs, seen.sats));
        }
        let Self { asked, right, wrong, wrong_and_sure, unanswered, not_put, secs, .. } = self;
        lines.push(format!(
            "\n{asked} questions asked: {right} right, {wrong} wrong, {wrong_and_sure} of them sure, {unanswered} without an answer; \
             {not_put} others were put to nobody; {secs:.0} s\n"
        ));
        lines.join("\n")
    }
}
