//! Tier 2: how long comparing, validating and scoring takes without a model, and how often a model is
//! asked on real answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::Context as _;
use async_trait::async_trait;
use frlm_inference::{GenerationRequest, LanguageModel};
use frlm_questions::dialect::claims::Form;
use frlm_questions::dialect::{MapTask, Prompt, records};
use frlm_questions::ingest::{self, Document, Fragment, SplitOptions};
use frlm_questions::question::{field_hints, parse};
use frlm_verifier::consensus::{Arbitration, Assessment, Judge, JudgeError, ModelJudge};
use frlm_verifier::normalise::ExpectedFormat;
use frlm_verifier::request::{
    NodeAnswer, OriginalTask, TaskType, ValidationRequest, VerificationRequirements,
};
use frlm_verifier::validation::Tools;
use frlm_verifier::verification::verify_request;

use super::{Row, Target};
use frlm_client::home::Home;
use frlm_client::local_swarm;
use frlm_client::models;

/// What ten thousand subtasks may take.
const MOST_SECONDS: f64 = 1.0;
const SUBTASKS: f64 = 10_000.0;

/// Three replicas of each subtask in three spellings, one in ten of them wrong: normalised, grouped,
/// validated by code, fitness and feedback worked out. One thread.
pub async fn measure(subtasks: usize) -> anyhow::Result<Row> {
    let requests: Vec<ValidationRequest> = (0..subtasks).map(request).collect();
    let mut agreed = 0;
    let began = Instant::now();
    for request in &requests {
        let result = verify_request(request, None, Tools::default()).await?;
        agreed += result.consensus.agreeing.len();
    }
    let seconds = began.elapsed().as_secs_f64();
    let expected = subtasks * 3 - subtasks.div_ceil(10);
    (agreed == expected).then_some(()).with_context(|| format!("{agreed} answers agreed, not {expected}"))?;
    let limit = MOST_SECONDS * subtasks as f64 / SUBTASKS;
    Ok(Row {
        what: format!("tier 2 without model calls, {subtasks} subtasks × 3 replicas"),
        floor: format!("{limit:.2} s allowed"),
        measured: format!("{seconds:.3} s"),
        ratio: seconds / limit,
        target: Target::AtMost(1.0),
    })
}

/// What a subtask may take of the judging model.
const MOST_CALLS: f64 = 0.3;

/// The demo's question over its document, three replicas of each fragment by the embedded model, the third
/// of which reads another field: how often tier 2 asks the model what answers mean.
pub async fn model_calls(home: &Home) -> anyhow::Result<Row> {
    let model = models::open("embedded", None, home).await?;
    calls(model, local_swarm::ORDERS.text).await
}

async fn calls(model: Arc<dyn LanguageModel>, text: &str) -> anyhow::Result<Row> {
    let document = Document::of_text("orders.log", text);
    let fragments = ingest::split(&[document], SplitOptions { max_tokens: 4_000, max_records: 16 });
    let query =
        parse(local_swarm::QUESTION, &field_hints(&fragments)).context("the demo's question is read")?;
    let task = MapTask {
        question: local_swarm::QUESTION.to_owned(),
        query: Some(query),
        manner: String::new(),
        form: Form::default(),
    };
    let judge = Counting { judge: ModelJudge::new(Arc::clone(&model)), calls: AtomicUsize::new(0) };
    for (number, fragment) in fragments.iter().enumerate() {
        let prompt = records::prompt(&task, fragment);
        let honest = answer(&*model, &prompt, &task, fragment).await?;
        let elsewhere = Prompt { instruction: prompt.instruction.replacen("status", "user", 1), ..prompt };
        let other = answer(&*model, &elsewhere, &task, fragment).await?;
        let nodes = [honest.clone(), honest, other].into_iter().enumerate().map(node).collect();
        // Which answer wins is not the point here, and nobody has to.
        let _ = verify_request(&request_of(number, nodes), Some(&judge), Tools::default()).await;
    }
    let each = judge.calls.load(Ordering::Relaxed) as f64 / fragments.len() as f64;
    Ok(Row {
        what: format!(
            "tier 2 with the embedded model as judge, the demo's {} subtasks × 3 replicas, one of them a liar",
            fragments.len()
        ),
        floor: format!("{MOST_CALLS:.2} calls each allowed"),
        measured: format!("{each:.2} calls"),
        ratio: each / MOST_CALLS,
        target: Target::AtMost(1.0),
    })
}

/// A fragment's answer as it would be compared: the checked one as JSON, or the model's own words.
async fn answer(
    model: &dyn LanguageModel,
    prompt: &Prompt,
    task: &MapTask,
    fragment: &Fragment,
) -> anyhow::Result<String> {
    let (mut answers, mut stated) = (Vec::new(), Vec::new());
    for text in prompt.texts() {
        let answer = model.generate(GenerationRequest::greedy(text, prompt.max_tokens as usize)).await?;
        stated.push(answer.probability());
        answers.push(answer.text);
    }
    Ok(match records::read(task, fragment, &answers, &stated) {
        Ok(reading) => serde_json::to_string(&reading.answer)?,
        Err(_) => answers.concat(),
    })
}

/// A judge that is counted.
struct Counting<J> {
    judge: J,
    calls: AtomicUsize,
}

impl<J> Counting<J> {
    fn count(&self, calls: usize) -> &J {
        self.calls.fetch_add(calls, Ordering::Relaxed);
        &self.judge
    }
}

#[async_trait]
impl<J: Judge> Judge for Counting<J> {
    async fn similarity(&self, left: &str, right: &str) -> Result<f64, JudgeError> {
        // Both orders of the pair.
        self.count(2).similarity(left, right).await
    }

    async fn best_phrasing(&self, answers: &[&str]) -> Result<usize, JudgeError> {
        self.count(1).best_phrasing(answers).await
    }

    async fn arbitrate(&self, query: &str, answers: &[(&str, &str)]) -> Result<Arbitration, JudgeError> {
        self.count(1).arbitrate(query, answers).await
    }

    async fn assess(&self, task: &OriginalTask, answer: &str) -> Result<Assessment, JudgeError> {
        self.count(1).assess(task, answer).await
    }
}

fn request(number: usize) -> ValidationRequest {
    let (whole, cents) = (1_000 + number * 7, number % 100);
    let last = if number.is_multiple_of(10) { cents + 1 } else { cents };
    let answers = [
        format!("The total is ${whole}.{cents:02}"),
        format!("{whole},{cents:02} USD"),
        format!("USD {whole}.{last:02}"),
    ];
    request_of(number, answers.into_iter().enumerate().map(node).collect())
}

fn node((at, answer): (usize, String)) -> NodeAnswer {
    NodeAnswer {
        node_id: format!("node-{at}"),
        answer,
        confidence: 0.9,
        reasoning: "Added up the amounts of all lines".to_owned(),
        latency_seconds: 1.8,
        ensemble_weight: 1.0,
        node_type: "generalist".to_owned(),
        node_fitness: 0.8,
    }
}

fn request_of(number: usize, node_answers: Vec<NodeAnswer>) -> ValidationRequest {
    ValidationRequest {
        request_id: format!("request-{number}"),
        task_id: format!("task-{number}"),
        original_task: OriginalTask {
            query: "What is the total of all lines?".to_owned(),
            task_type: TaskType::Extraction,
            domain: "accounts".to_owned(),
            expected_format: ExpectedFormat::NumericalAnswer,
            ground_truth: None,
            rounding_allowed: None,
            check: None,
        },
        node_answers,
        requirements: VerificationRequirements::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_spellings_but_the_wrong_ones_agree() {
        let row = measure(40).await.unwrap();
        assert!(row.what.contains("40 subtasks"));
    }

    #[tokio::test]
    async fn where_values_decide_no_model_is_asked() {
        let copy = |prompt: &str| {
            let (instruction, record) = prompt.split_once('\n').unwrap_or((prompt, ""));
            let field = instruction.trim_start_matches("copy ");
            let value = |part: &str| part.strip_prefix(&format!("{field}=")).map(str::to_owned);
            record.split(' ').find_map(value).unwrap_or_default()
        };
        let model = Arc::new(frlm_inference::scripted::ScriptedModel::new("copying", copy));
        let row = calls(model, local_swarm::ORDERS.text).await.unwrap();
        assert!(row.reached() == Some(true) && row.measured == "0.00 calls", "{}", row.measured);
    }
}
