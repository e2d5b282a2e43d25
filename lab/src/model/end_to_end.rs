//! Questions over generated documents through the whole of production: relay, three providers with keys of
//! their own, redundancy, checks, reduction. What is right comes from [`super::documents`].

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use frlm_inference::LanguageModel;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_questions::answer::Answer;
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use nostr::{Keys, RelayUrl};

use super::LabModelArgs;
use super::documents::{Document, Form, Question, Right};
use super::remembering::Remembering;
use super::score::{Score, calibration_error};
use frlm_client::config::Config;
use frlm_client::documents::Documents;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::run::RunSpec;
use frlm_client::run::{RunRequest, RunService, StartOptions, prepare};

const PROVIDERS: usize = 3;
/// Documents take as long as they take: patience is not what is measured.
const TIMEOUT_SECS: u64 = 3_600;
/// Shares of right answers that are aimed at, in hundredths.
const COUNT_TARGET: f64 = 95.0;
const OTHER_TARGET: f64 = 98.0;
/// Wrong answers that are shown.
const MOST_SHOWN: usize = 12;
/// Citations that an answer carries at most.
const MOST_CITED: usize = frlm_questions::reduce::MOST_CITATIONS;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Eight questions of one part.
    Plain,
    /// Questions of several parts, some of which wait for others.
    Compound,
}

/// Asks the questions of every document, for every length.
pub async fn run(rig: Rig, args: &LabModelArgs, home: &Home) -> anyhow::Result<()> {
    rig.introduce();
    let kind = if args.compound { Kind::Compound } else { Kind::Plain };
    let numbers: Vec<usize> =
        (0..args.documents).filter(|number| args.form.is_none_or(|form| Form::of(*number) == form)).collect();
    let documents = numbers.len();
    let mut curve = Vec::new();
    for &lines in &args.lines {
        let began = Instant::now();
        let mut table = Table::default();
        for (done, &number) in (1..).zip(&numbers) {
            let document = Document::generate(number, lines);
            let folder = tempfile::tempdir_in(home.root())?;
            let file = folder.path().join(document.form.name());
            std::fs::write(&file, &document.text)?;
            let asker = Home::open(Some(folder.path().join("home")))?;
            let questions = match kind {
                Kind::Plain => &document.questions,
                Kind::Compound => &document.compound,
            };
            for question in questions {
                let answer = Box::pin(rig.ask(question, &file, &asker)).await;
                table.add(&document, question, &answer);
            }
            eprintln!("{lines} lines: {done} of {documents} documents, {:.1}% right", table.all.percent());
        }
        table.print(documents, lines);
        println!("time       {:.0} s{}", began.elapsed().as_secs_f64(), rig.computed());
        curve.push((lines, table.all));
    }
    rig.shutdown().await;
    if curve.len() > 1 {
        println!("lines     right answers");
        for (lines, score) in curve {
            println!("{lines:<9} {:6.2}% ({} of {})", score.percent(), score.right, score.total);
        }
    }
    Ok(())
}

/// Where the questions go.
pub struct Rig {
    url: RelayUrl,
    /// What was started here; `None` where others are asked.
    own: Option<Own>,
}

/// A relay and its providers in this process.
struct Own {
    relay: EmbeddedRelay,
    providers: Vec<ProviderHandle>,
    engine: Arc<Remembering>,
}

impl Rig {
    /// A relay and three providers that share one engine.
    pub async fn start(model: Arc<dyn LanguageModel>) -> anyhow::Result<Self> {
        let engine = Arc::new(Remembering::new(model));
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await?;
        let url = relay.url();
        let mut providers = Vec::new();
        for number in 1..=PROVIDERS {
            let config = ProviderConfig {
                name: format!("lab-{number}"),
                jobs_per_minute_per_asker: u32::MAX,
                ..ProviderConfig::default()
            };
            let engine: Arc<dyn LanguageModel> = Arc::clone(&engine) as _;
            providers
                .push(Provider::start(config, Keys::generate(), std::slice::from_ref(&url), engine).await?);
        }
        Ok(Self { url, own: Some(Own { relay, providers, engine }) })
    }

    /// The providers on a relay.
    pub fn of_others(relay: &str) -> anyhow::Result<Self> {
        Ok(Self { url: frlm_relay::parse_relay_url(relay).map_err(Failure::usage)?, own: None })
    }

    fn introduce(&self) {
        match &self.own {
            Some(_) => println!(
                "swarm      {PROVIDERS} providers on one relay, redundancy 3/2; they share these weights, so that each \
                 prompt is computed once"
            ),
            None => println!("swarm      the providers on {}, redundancy 3/2", self.url),
        }
    }

    fn computed(&self) -> String {
        self.own
            .as_ref()
            .map_or_else(String::new, |own| format!(", {} prompts computed so far", own.engine.asked()))
    }

    /// One question, as `frlm ask` asks it.
    async fn ask(&self, question: &Question, file: &Path, home: &Home) -> anyhow::Result<Answer> {
        let mut flags = RunSpec::for_demo(question.text.clone(), vec![file.to_owned()], self.url.to_string());
        flags.verify = Some("redundancy:3/2".to_owned());
        flags.timeout = Some(TIMEOUT_SECS);
        let prepared = prepare(RunRequest::from_spec(&flags, &Config::default())?, &Documents::default())?;
        let runs = RunService::open(home).await?.with_models(frlm_client::run::Own::default());
        let run = runs.without_history().start_prepared(prepared, StartOptions::default()).await?;
        Ok(run.done.await?)
    }

    async fn shutdown(self) {
        let Some(Own { relay, providers, .. }) = self.own else { return };
        ProviderHandle::stop_all(&providers).await;
        relay.shutdown().await;
    }
}

#[derive(Default)]
struct Table {
    kinds: BTreeMap<&'static str, Score>,
    forms: BTreeMap<&'static str, Score>,
    all: Score,
    refused: usize,
    judged: Vec<(f64, bool)>,
    shown: usize,
    subtasks: usize,
    replicas: usize,
}

impl Table {
    fn add(&mut self, document: &Document, question: &Question, answer: &anyhow::Result<Answer>) {
        let right = answer.as_ref().is_ok_and(|answer| is_right(&question.right, answer));
        self.kinds.entry(question.kind).or_default().add(right);
        self.forms.entry(document.form.name()).or_default().add(right);
        self.all.add(right);
        let said = match answer {
            Ok(answer) => {
                self.subtasks += answer.subtasks.total;
                self.replicas += answer.verification.replicas;
                self.judged.push((answer.confidence, right));
                format!("{} (confidence {:.2})", answer.answer, answer.confidence)
            }
            Err(refusal) => {
                self.refused += 1;
                format!("no answer: {refusal}")
            }
        };
        if !right && self.shown < MOST_SHOWN {
            self.shown += 1;
            let said: String = said.chars().take(160).collect();
            eprintln!(
                "  {} \"{}\" {} / right is {:?}",
                document.form.name(),
                question.text,
                said,
                question.right
            );
        }
    }

    fn print(&self, documents: usize, lines: usize) {
        println!("documents {documents} of {lines} lines, {} questions", self.all.total);
        for (kind, score) in &self.kinds {
            let target = if kind.starts_with("count") { COUNT_TARGET } else { OTHER_TARGET };
            let reached = if score.percent() >= target { "reached" } else { "missed" };
            println!(
                "{kind:10} {:6.2}% ({} of {})  target {target}%: {reached}",
                score.percent(),
                score.right,
                score.total
            );
        }
        let forms: Vec<String> =
            self.forms.iter().map(|(form, score)| format!("{form} {:.1}%", score.percent())).collect();
        println!("forms      {}", forms.join("  "));
        let answered = (self.all.total - self.refused).max(1) as f64;
        println!(
            "work       {:.1} subtasks and {:.1} jobs per answered question",
            self.subtasks as f64 / answered,
            self.replicas as f64 / answered
        );
        println!(
            "all        {:6.2}%, {} refused, calibration error of the others {:.3}",
            self.all.percent(),
            self.refused,
            calibration_error(&self.judged)
        );
    }
}

/// Whether an answer's words and citations say what is right.
pub fn is_right(right: &Right, answer: &Answer) -> bool {
    let cited: Vec<u32> = answer.citations.iter().map(|citation| citation.lines[0]).collect();
    match right {
        Right::Count(count) => leading_number(&answer.answer) == Some(*count),
        Right::Lines(lines) => cited == lines[..lines.len().min(MOST_CITED)],
        Right::Exists(exists) => answer.answer.starts_with(if *exists { "Yes" } else { "No" }),
        Right::Value(value, lines) => {
            !cited.is_empty()
                && cited.iter().all(|line| lines.contains(line))
                && answer.answer.split([' ', '(', ')', ',']).any(|word| word == value)
        }
        Right::Line(line) => cited == [*line],
        Right::Parts(parts) => {
            // The sentence over them says nothing that they do not say.
            let lines = answer.answer.lines().filter(|line| !line.starts_with("In short: "));
            let lines: Vec<&str> = lines.collect();
            lines.len() == parts.len() && lines.iter().zip(parts).all(|(line, part)| line.contains(part))
        }
    }
}

fn leading_number(text: &str) -> Option<usize> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
