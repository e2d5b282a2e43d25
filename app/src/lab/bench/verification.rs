//! Tier 2 without a model: how long comparing, validating and scoring takes.

use std::time::Instant;

use anyhow::Context as _;
use frlm_verifier::normalise::ExpectedFormat;
use frlm_verifier::request::{
    NodeAnswer, OriginalTask, TaskType, ValidationRequest, VerificationRequirements,
};
use frlm_verifier::validation::Tools;
use frlm_verifier::verification::verify_request;

use super::{Row, Target};

/// What ten thousand subtasks may take (issue «Verification and decisions»).
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

fn request(number: usize) -> ValidationRequest {
    let (whole, cents) = (1_000 + number * 7, number % 100);
    let last = if number.is_multiple_of(10) { cents + 1 } else { cents };
    let answers = [
        format!("The total is ${whole}.{cents:02}"),
        format!("{whole},{cents:02} USD"),
        format!("USD {whole}.{last:02}"),
    ];
    let node = |(at, answer): (usize, String)| NodeAnswer {
        node_id: format!("node-{at}"),
        answer,
        confidence: 0.9,
        reasoning: "Added up the amounts of all lines".to_owned(),
        latency_seconds: 1.8,
        ensemble_weight: 1.0,
        node_type: "generalist".to_owned(),
        node_fitness: 0.8,
    };
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
        },
        node_answers: answers.into_iter().enumerate().map(node).collect(),
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
}
