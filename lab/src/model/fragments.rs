//! Held-out fragments with a question each: prompts, engine, checks and reduction as in production.
//!
//! The set is made by `assets/model/training/make_fragments.py` from a seed of its own, with values and words
//! that training never sees, and half of the keyed forms too; records without keys use the templates of
//! training. What is right comes from the generator's own values.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use frlm_inference::{GenerationRequest, LanguageModel};
use frlm_questions::dialect::claims::Form;
use frlm_questions::dialect::{MapAnswer, MapTask, equal, records};
use frlm_questions::ingest::{DocumentId, Fragment, FragmentId, Record, Span};
use frlm_questions::query::Query;
use frlm_questions::reduce::{Coverage, FragmentRef, reduce};
use serde::Deserialize;

use super::score::{Score, calibration_error};

/// 2,000 fragments of 4 to 40 lines.
const SET: &[u8] = include_bytes!("../../../assets/model/fragments.jsonl.gz");

/// Fragments up to this length are short.
const SHORT: usize = 16;

/// Shares of right answers that are aimed at, in hundredths: short fragments, all fragments.
const TARGETS: [f64; 2] = [99.5, 98.0];
/// The largest expected calibration error that is aimed at.
const CALIBRATION_TARGET: f64 = 0.05;
/// The longest time that a scan of 16 lines should take on one core.
const SCAN_TARGET: Duration = Duration::from_millis(300);

/// A fragment, what is asked of it, and what is right.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Example {
    task: String,
    style: String,
    pub query: Query,
    /// Lines as they stand in the file.
    pub records: Vec<String>,
    /// CSV rows as a model reads them.
    pub shown: Option<Vec<String>>,
    /// Lines, from 1, that the answer cites.
    pub lines: Vec<u32>,
    /// The measured field's value in them, where one is measured.
    values: Vec<String>,
}

/// What came of one fragment.
struct Outcome {
    right: bool,
    /// Whether the checks refused the model's answers.
    refused: bool,
    confidence: f64,
    overruled: usize,
    spent: Duration,
    tokens: u64,
}

/// Asks every fragment and prints accuracy, calibration and speed.
pub async fn run(model: &dyn LanguageModel, limit: Option<usize>) -> anyhow::Result<()> {
    let set = read_set()?;
    let asked = &set[..limit.unwrap_or(set.len()).min(set.len())];
    let mut table = Table::default();
    for example in asked {
        table.add(example, &ask(model, example).await?);
    }
    table.print();
    Ok(())
}

pub(super) fn read_set() -> anyhow::Result<Vec<Example>> {
    let text = crate::lines::unpack(SET).context("the bundled fragments")?;
    text.lines().map(|line| serde_json::from_str(line).context("a bundled fragment")).collect()
}

async fn ask(model: &dyn LanguageModel, example: &Example) -> anyhow::Result<Outcome> {
    let fragment = fragment_of(example);
    let task = MapTask {
        question: String::new(),
        query: Some(example.query.clone()),
        manner: String::new(),
        form: Form::default(),
    };
    let prompt = records::prompt(&task, &fragment);
    let (mut answers, mut stated, mut tokens) = (Vec::new(), Vec::new(), 0);
    let began = Instant::now();
    for text in prompt.texts() {
        let answer = model.generate(GenerationRequest::greedy(text, prompt.max_tokens as usize)).await?;
        tokens += answer.usage.total();
        stated.push(answer.probability());
        answers.push(answer.text);
    }
    let spent = began.elapsed();
    let reading = records::read(&task, &fragment, &answers, &stated);
    Ok(Outcome {
        right: reading.as_ref().is_ok_and(|reading| is_right(example, &fragment, &reading.answer)),
        refused: reading.is_err(),
        confidence: reading.as_ref().ok().and_then(|reading| reading.confidence).unwrap_or(0.0),
        overruled: reading.map_or(0, |reading| reading.overruled),
        spent,
        tokens,
    })
}

pub(super) fn fragment_of(example: &Example) -> Fragment {
    let records: Vec<Record> = (1..)
        .zip(&example.records)
        .enumerate()
        .map(|(at, (line, text))| Record {
            line,
            text: text.as_str().into(),
            shown: example.shown.as_ref().and_then(|shown| shown.get(at)).map(|shown| shown.as_str().into()),
        })
        .collect();
    let text: String = example.records.join("\n");
    let last = records.last().map_or(1, |record| record.line);
    Fragment {
        id: FragmentId(0),
        document: DocumentId(0),
        file: Arc::from("fragment"),
        span: Span { lines: 1..=last, bytes: 0..text.len(), sha256: String::new() },
        text: text.into(),
        records: records.into(),
        transcript: None,
    }
}

/// Whether the reduced answer cites exactly the right lines, with the right values.
pub(super) fn is_right(example: &Example, fragment: &Fragment, answer: &MapAnswer) -> bool {
    let reduced = reduce(&example.query, &[(FragmentRef::from(fragment), answer)], Coverage::full(1));
    let cited: Vec<u32> = reduced.citations.iter().map(|citation| citation.lines[0]).collect();
    let MapAnswer::Records { matches } = answer else { return false };
    let value_of = |line: u32| matches.iter().find(|found| found.line == line)?.value.as_deref();
    let lines_right = if example.task == "exists" {
        cited.is_empty() == example.lines.is_empty()
    } else {
        cited == example.lines
    };
    let mut wanted = example.lines.iter().zip(&example.values);
    lines_right && wanted.all(|(line, value)| value_of(*line).is_some_and(|found| same(found, value)))
}

/// The same value, with or without the unit that stands beside it in the line.
fn same(found: &str, wanted: &str) -> bool {
    equal(found, wanted)
        || found.strip_prefix(wanted).is_some_and(|unit| unit.chars().all(char::is_alphabetic))
}

/// Sums over all fragments.
#[derive(Default)]
struct Table {
    tasks: BTreeMap<String, [Score; 2]>,
    lengths: BTreeMap<usize, Score>,
    styles: BTreeMap<String, Score>,
    short: Score,
    all: Score,
    judged: Vec<(f64, bool)>,
    refused: usize,
    overruled: [usize; 2],
    scans: Vec<Duration>,
    spent: Duration,
    tokens: u64,
    prompts: usize,
}

impl Table {
    fn add(&mut self, example: &Example, outcome: &Outcome) {
        let long = usize::from(example.records.len() > SHORT);
        self.tasks.entry(example.task.clone()).or_default()[long].add(outcome.right);
        self.lengths.entry(example.records.len()).or_default().add(outcome.right);
        self.styles.entry(example.style.clone()).or_default().add(outcome.right);
        self.all.add(outcome.right);
        if long == 0 {
            self.short.add(outcome.right);
        }
        self.refused += usize::from(outcome.refused);
        if !outcome.refused {
            self.judged.push((outcome.confidence, outcome.right));
        }
        self.overruled[0] += outcome.overruled;
        self.overruled[1] += usize::from(outcome.overruled > 0);
        if example.records.len() == SHORT {
            self.scans.push(outcome.spent);
        }
        self.spent += outcome.spent;
        self.tokens += outcome.tokens;
        self.prompts += example.records.len();
    }

    fn print(&mut self) {
        println!("task         up to {SHORT} lines            longer");
        for (task, [short, long]) in &self.tasks {
            let of = |score: &Score| format!("{:6.2}% ({} of {})", score.percent(), score.right, score.total);
            println!("{task:10} {:22} {}", of(short), of(long));
        }
        for (name, scores) in [("lines", by_length(&self.lengths)), ("style", by_style(&self.styles))] {
            println!("{name:10} {scores}");
        }
        for (name, score, target) in
            [(format!("up to {SHORT}"), self.short, TARGETS[0]), ("all".to_owned(), self.all, TARGETS[1])]
        {
            let (percent, right, total) = (score.percent(), score.right, score.total);
            println!(
                "{name:10} {percent:6.2}% of fragments ({right} of {total})  {}",
                verdict(percent >= target, &format!("{target}%"))
            );
        }
        println!(
            "checks    overruled {} copies in {} fragments, refused {} fragments",
            self.overruled[0], self.overruled[1], self.refused
        );
        let error = calibration_error(&self.judged);
        println!(
            "calibration error {error:.4}  {}",
            verdict(error <= CALIBRATION_TARGET, &format!("at most {CALIBRATION_TARGET}"))
        );
        self.scans.sort();
        if let Some(scan) = self.scans.get(self.scans.len() / 2) {
            let target = format!("at most {} ms", SCAN_TARGET.as_millis());
            println!(
                "scan of {SHORT} lines {} ms (median of {})  {}",
                scan.as_millis(),
                self.scans.len(),
                verdict(*scan <= SCAN_TARGET, &target)
            );
        }
        let seconds = self.spent.as_secs_f64();
        println!(
            "speed     {:.1} ms per prompt, {:.0} tokens/s read and written, one engine",
            seconds * 1e3 / self.prompts.max(1) as f64,
            self.tokens as f64 / seconds
        );
    }
}

fn by_length(scores: &BTreeMap<usize, Score>) -> String {
    let parts: Vec<String> =
        scores.iter().map(|(lines, score)| format!("{lines}: {:.1}%", score.percent())).collect();
    parts.join("  ")
}

fn by_style(scores: &BTreeMap<String, Score>) -> String {
    let parts: Vec<String> =
        scores.iter().map(|(style, score)| format!("{style} {:.1}%", score.percent())).collect();
    parts.join("  ")
}

fn verdict(reached: bool, target: &str) -> String {
    format!("target {target}: {}", if reached { "reached" } else { "missed" })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_set_is_read_and_asks_something_of_every_fragment() {
        let set = read_set().unwrap();
        assert!(set.len() >= 2_000, "{}", set.len());
        for example in &set {
            assert!(!example.query.fields().is_empty(), "{example:?}");
            assert!(example.lines.iter().all(|line| *line as usize <= example.records.len()));
            assert!(example.values.is_empty() || example.values.len() == example.lines.len());
        }
    }

    /// Continuous integration's small form of `frlm-lab model`: the shipped weights, the real engine.
    #[cfg(feature = "embedded")]
    #[tokio::test]
    async fn the_shipped_model_reads_nineteen_of_twenty_held_out_fragments() {
        use frlm_inference::open::{ModelSpec, open};

        let cache = tempfile::tempdir().unwrap();
        let mut spec: ModelSpec = "embedded".parse().unwrap();
        spec.engines = Some(1);
        spec.cache_dir = Some(cache.path().to_owned());
        let model = open(&spec).await.unwrap();
        let mut table = Table::default();
        for example in &read_set().unwrap()[..100] {
            table.add(example, &ask(&*model, example).await.unwrap());
        }
        assert!(table.all.percent() >= 95.0, "{:?}", table.all);
        let error = calibration_error(&table.judged);
        assert!(error <= 0.05, "calibration error {error}");
    }
}
