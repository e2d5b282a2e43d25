//! `frlm-lab redteam --real`: nine providers with keys, connections and a queue of their own behind an
//! embedded relay, three of which lie, each in its own way; a run under the adaptive policy as `frlm ask`
//! would make it.
//!
//! Relay, providers and asker share this process, the providers one engine. What the liars have is what a
//! dishonest provider has: the prompt, the model, and a memory of their own.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::{Chunk, Generation, GenerationRequest, LanguageModel, ModelError, ModelInfo};
use frlm_questions::dialect::MapAnswer;
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::Outcome;
use frlm_verifier::VerificationPolicy;
use futures::stream;
use serde::Serialize;

use crate::bench::rig::{Rig, fragments};
use frlm_client::attack_simulation::world::mix;
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::models;

/// Providers, and how many of them lie: one in each way.
const PROVIDERS: usize = 9;
/// Lines of a fragment: a job has as many prompts.
const LINES: usize = 24;
/// Prompts that a sleeper answers honestly.
const SLEEPS_PROMPTS: u64 = 20 * LINES as u64;

/// How a provider lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lie {
    /// Every answer is another value of the same line: plausible, and no check of form can see it.
    OtherField,
    /// Half of the answers are a value of the line by lot.
    ByLot,
    /// Honest for twenty jobs, then as [`Lie::OtherField`].
    Sleeper,
}

impl Lie {
    /// One liar of each kind.
    pub const ALL: [Self; 3] = [Self::OtherField, Self::ByLot, Self::Sleeper];

    /// For tables.
    pub fn words(self) -> &'static str {
        match self {
            Self::OtherField => "liar: another value of the line",
            Self::ByLot => "liar: half of the time by lot",
            Self::Sleeper => "liar: honest for 20 jobs, then another value",
        }
    }
}

/// An honest engine in dishonest hands.
#[derive(Debug)]
pub struct Liar {
    engine: Arc<dyn LanguageModel>,
    lie: Lie,
    prompts: AtomicU64,
}

impl Liar {
    /// Lies in this way.
    pub fn new(engine: Arc<dyn LanguageModel>, lie: Lie) -> Self {
        Self { engine, lie, prompts: AtomicU64::new(0) }
    }

    /// What it asks of the engine in the place of what it was asked.
    fn twisted(&self, mut request: GenerationRequest) -> GenerationRequest {
        let number = self.prompts.fetch_add(1, Ordering::Relaxed);
        let lies = match self.lie {
            Lie::OtherField => true,
            Lie::ByLot => mix(number, 0x11e).is_multiple_of(2),
            Lie::Sleeper => number >= SLEEPS_PROMPTS,
        };
        if let Some(message) = request.messages.last_mut().filter(|_| lies) {
            message.content = redirected(&message.content, mix(number, 0xf1e1d));
        }
        request
    }
}

/// The prompt with another field of its record in the place of the first one that is asked for.
fn redirected(prompt: &str, lot: u64) -> String {
    let Some((instruction, record)) = prompt.split_once('\n') else { return prompt.to_owned() };
    let asked: Vec<&str> = instruction.trim_start_matches("copy ").split(", ").collect();
    let names = record.split_whitespace().filter_map(|part| part.split_once('=')).map(|(name, _)| name);
    let others: Vec<&str> = names.filter(|name| !asked.contains(name)).collect();
    let (Some(first), false) = (asked.first(), others.is_empty()) else { return prompt.to_owned() };
    let other = others[usize::try_from(lot % others.len() as u64).unwrap_or(0)];
    format!("{}\n{record}", instruction.replacen(first, other, 1))
}

#[async_trait]
impl LanguageModel for Liar {
    fn info(&self) -> &ModelInfo {
        self.engine.info()
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        let answer = self.engine.generate(self.twisted(request)).await?;
        Ok(Box::pin(stream::iter([Ok(Chunk::Done(answer))])))
    }
}

/// What came of the run.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Subtasks that were planned.
    pub subtasks: usize,
    /// Accepted and right.
    pub right: usize,
    /// Accepted and wrong.
    pub wrong: usize,
    /// For each wrong one who agreed on it, by number; liars first.
    pub mistakes: Vec<Vec<usize>>,
    /// Answers that came.
    pub results: usize,
    /// Jobs that ended without one: rejected, or failed. They cost nothing.
    pub unanswered: usize,
    /// The answer's text.
    pub answer: String,
    /// Whether it gives the number that code counts.
    pub answer_right: bool,
    /// By provider, in order; liars first.
    pub providers: Vec<ProviderReport>,
    /// Seconds from the start of the run to its answer.
    pub seconds: f64,
}

/// What became of one provider.
#[derive(Debug, Default, Serialize)]
pub struct ProviderReport {
    /// How it lies; absent: it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lie: Option<Lie>,
    /// Jobs that it was given.
    pub jobs: usize,
    /// Answers that were accepted.
    pub accepted: usize,
    /// Accepted answers that were wrong.
    pub accepted_wrong: usize,
    /// Answers that were rejected because others were believed.
    pub rejected: usize,
    /// Whether it was put out.
    pub out: bool,
}

/// Runs it with this model, prints what came of it, and fails if the answer or an accepted one is wrong.
pub async fn run(model: &str, subtasks: usize, json: bool, home: &Home) -> anyhow::Result<()> {
    eprintln!(
        "real keys, sockets and jobs: {PROVIDERS} providers with the model {model} behind an embedded relay, {} of \
         them liars; all in this process, with one engine",
        Lie::ALL.len()
    );
    let model = models::open(model, None, home).await?;
    let report = Box::pin(measure(&model, subtasks)).await?;
    if json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print(&report);
    }
    if report.answer_right && report.wrong == 0 {
        return Ok(());
    }
    let wrong = report.wrong;
    Err(Failure::with_code(code::FAILED, format!("the answer or {wrong} accepted answers are wrong")).into())
}

/// One run over `subtasks` fragments of an order log.
async fn measure(engine: &Arc<dyn LanguageModel>, subtasks: usize) -> anyhow::Result<Report> {
    let mut models: Vec<Arc<dyn LanguageModel>> = Vec::new();
    for number in 0..PROVIDERS {
        models.push(match Lie::ALL.get(number) {
            Some(lie) => Arc::new(Liar::new(Arc::clone(engine), *lie)),
            None => Arc::clone(engine),
        });
    }
    let rig = Rig::start(models).await?;
    let fragments = fragments(subtasks, LINES);
    let mut watching = Watching::new(&rig.keys(), &fragments);
    let began = Instant::now();
    let policy = VerificationPolicy::DEFAULT;
    let answer = rig.run(fragments.clone(), policy, |record| watching.see(record.event)).await;
    let seconds = began.elapsed().as_secs_f64();
    rig.shutdown().await;
    let truth: usize = fragments.iter().map(|fragment| failed(fragment).len()).sum();
    Ok(watching.end(answer?.answer, truth, seconds))
}

/// Lines of a fragment that match, as code reads them.
fn failed(fragment: &Fragment) -> HashSet<u32> {
    let matching = fragment.records.iter().filter(|record| record.prompt_text().contains("status=failed"));
    matching.map(|record| record.line).collect()
}

/// Takes the run's events in.
struct Watching {
    /// The lines that match, by subtask.
    truth: Vec<HashSet<u32>>,
    keys: HashMap<String, usize>,
    providers: Vec<ProviderReport>,
    /// Who agreed in the latest verdict over a subtask.
    agreeing: BTreeMap<u32, Vec<String>>,
    /// Whether the outcome of each accepted subtask is right, and who agreed on it.
    verdicts: HashMap<u32, (bool, Vec<String>)>,
    results: usize,
    unanswered: usize,
}

impl Watching {
    fn new(keys: &[String], fragments: &[Arc<Fragment>]) -> Self {
        let providers = (0..keys.len())
            .map(|at| ProviderReport { lie: Lie::ALL.get(at).copied(), ..ProviderReport::default() });
        Self {
            truth: fragments.iter().map(|fragment| failed(fragment)).collect(),
            keys: keys.iter().enumerate().map(|(at, key)| (key.clone(), at)).collect(),
            providers: providers.collect(),
            agreeing: BTreeMap::new(),
            verdicts: HashMap::new(),
            results: 0,
            unanswered: 0,
        }
    }

    fn provider(&mut self, key: &str) -> Option<&mut ProviderReport> {
        self.providers.get_mut(*self.keys.get(key)?)
    }

    fn see(&mut self, event: TraceEvent) {
        match event {
            TraceEvent::SubQuerySubmit { provider, .. } => {
                if let Some(provider) = self.provider(&provider) {
                    provider.jobs += 1;
                }
            }
            TraceEvent::SubQueryReturn { ok: true, .. } => self.results += 1,
            TraceEvent::SubQueryReturn { ok: false, .. } => self.unanswered += 1,
            TraceEvent::Verify { subtask, agreeing, dissenting, .. } => {
                for key in dissenting {
                    if let Some(provider) = self.provider(&key) {
                        provider.rejected += 1;
                    }
                }
                self.agreeing.insert(subtask.0, agreeing);
            }
            TraceEvent::Verified { subtask, outcome, .. } => {
                let right = self.is_right(subtask.0, &outcome);
                let agreeing = self.agreeing.remove(&subtask.0).unwrap_or_default();
                // A second look may put another outcome in its place: the last one counts.
                self.verdicts.insert(subtask.0, (right, agreeing));
            }
            TraceEvent::Notice { says, .. } => {
                let named =
                    says.split_once(' ').filter(|(_, rest)| rest.starts_with("is not asked any more"));
                if let Some(provider) = named.and_then(|(key, _)| self.provider(key)) {
                    provider.out = true;
                }
            }
            _ => {}
        }
    }

    fn is_right(&self, subtask: u32, outcome: &Outcome) -> bool {
        let Outcome::Mapped(MapAnswer::Records { matches }) = outcome else { return false };
        let found: HashSet<u32> = matches.iter().map(|found| found.line).collect();
        self.truth.get(subtask as usize) == Some(&found)
    }

    fn end(mut self, answer: String, truth: usize, seconds: f64) -> Report {
        let verdicts = std::mem::take(&mut self.verdicts);
        for (right, agreeing) in verdicts.values() {
            for key in agreeing {
                if let Some(provider) = self.provider(key) {
                    provider.accepted += 1;
                    provider.accepted_wrong += usize::from(!right);
                }
            }
        }
        let wrong = verdicts.values().filter(|(right, _)| !*right).map(|(_, agreeing)| agreeing);
        let number = |key: &String| self.keys.get(key).map(|at| at + 1);
        let mistakes: Vec<Vec<usize>> =
            wrong.map(|agreeing| agreeing.iter().filter_map(number).collect()).collect();
        let right = verdicts.len() - mistakes.len();
        let answer_right = answer.split_whitespace().next() == Some(truth.to_string().as_str());
        Report {
            subtasks: self.truth.len(),
            right,
            wrong: mistakes.len(),
            mistakes,
            results: self.results,
            unanswered: self.unanswered,
            answer,
            answer_right,
            providers: self.providers,
            seconds,
        }
    }
}

fn print(report: &Report) {
    let Report {
        subtasks,
        right,
        wrong,
        mistakes,
        results,
        unanswered,
        answer,
        answer_right,
        providers,
        seconds,
    } = report;
    println!(
        "| provider | jobs | accepted | of them wrong | rejected | put out |\n| --- | --- | --- | --- | --- | --- |"
    );
    for (number, provider) in (1..).zip(providers) {
        let who = provider.lie.map_or("honest", Lie::words);
        let ProviderReport { jobs, accepted, accepted_wrong, rejected, out, .. } = provider;
        let out = if *out { "yes" } else { "" };
        println!("| {number}, {who} | {jobs} | {accepted} | {accepted_wrong} | {rejected} | {out} |");
    }
    let each = *results as f64 / (*subtasks).max(1) as f64;
    println!(
        "{right} of {subtasks} subtasks accepted and right, {wrong} accepted and wrong; {each:.2} answers each, {unanswered} jobs turned \
         down, {seconds:.1} s"
    );
    for agreeing in mistakes {
        println!("wrong, and agreed on by {agreeing:?}");
    }
    println!("answer: {answer} ({})", if *answer_right { "right" } else { "wrong" });
}

#[cfg(test)]
mod tests {
    use frlm_inference::scripted::ScriptedModel;

    use super::*;

    /// Copies the asked fields, as the embedded model is trained to.
    fn copying() -> Arc<dyn LanguageModel> {
        let copy = |prompt: &str| {
            let (instruction, record) = prompt.split_once('\n').unwrap_or((prompt, ""));
            let value = |field: &str| {
                record.split(' ').find_map(|part| part.strip_prefix(&format!("{field}="))).unwrap_or("-")
            };
            let fields = instruction.trim_start_matches("copy ").split(", ");
            fields.fold(String::new(), |text, field| text + value(field) + "\n")
        };
        Arc::new(ScriptedModel::new("copying", copy).with_concurrency(8))
    }

    #[test]
    fn a_lie_is_another_value_of_the_same_line() {
        let prompt = "copy status\norder=7 user=ann status=failed";
        let lies: HashSet<String> = (0..20).map(|lot| redirected(prompt, lot)).collect();
        assert_eq!(lies.len(), 2, "{lies:?}");
        assert!(lies.contains("copy user\norder=7 user=ann status=failed"), "{lies:?}");
        assert_eq!(redirected("copy status\nstatus=failed", 3), "copy status\nstatus=failed");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn three_faulty_of_nine_over_a_relay_are_excluded_and_the_answer_is_right() {
        let report = Box::pin(measure(&copying(), 240)).await.unwrap();
        // What is accepted at 0.99 may be wrong in 2.4 of 240 on average, and by chance in twice as many: who
        // lies seldom is believed alone until somebody is asked besides.
        assert!(report.right >= 235 && report.right + report.wrong == 240, "{report:?}");
        assert_eq!(report.answer_right, report.wrong == 0, "{report:?}");
        let (liars, honest) = report.providers.split_at(3);
        assert!(liars[0].out && liars[0].accepted == liars[0].accepted_wrong, "{report:?}");
        assert!(honest.iter().all(|honest| !honest.out), "{report:?}");
    }
}
