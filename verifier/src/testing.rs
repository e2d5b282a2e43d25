//! The seed's example nodes and tasks, for tests.

use crate::normalise::ExpectedFormat;
use crate::request::{NodeAnswer, OriginalTask, TaskType, ValidationRequest, VerificationRequirements};

pub(crate) fn node(id: &str, answer: &str, confidence: f64, weight: f64) -> NodeAnswer {
    NodeAnswer {
        node_id: id.to_owned(),
        answer: answer.to_owned(),
        confidence,
        reasoning: String::new(),
        latency_seconds: 2.5,
        ensemble_weight: weight,
        node_type: "generalist".to_owned(),
        node_fitness: 0.8,
    }
}

pub(crate) fn request(task: OriginalTask, node_answers: Vec<NodeAnswer>) -> ValidationRequest {
    ValidationRequest {
        request_id: "validation-req-abc123".to_owned(),
        task_id: "task-001".to_owned(),
        original_task: task,
        node_answers,
        requirements: VerificationRequirements::default(),
    }
}

pub(crate) fn task(query: &str, task_type: TaskType, expected_format: ExpectedFormat) -> OriginalTask {
    OriginalTask {
        query: query.to_owned(),
        task_type,
        domain: "general".to_owned(),
        expected_format,
        ground_truth: None,
        rounding_allowed: None,
        check: None,
    }
}

/// seeds/verifier-block.md, "Scenario 1", with the weights of its example request.
pub(crate) fn compound_interest() -> ValidationRequest {
    let mut task = task(
        "Calculate the compound interest on $10,000 at 5% annually for 10 years",
        TaskType::Calculation,
        ExpectedFormat::NumericalAnswer,
    );
    task.ground_truth = Some("$6,288.95".to_owned());
    // The document takes C's rounded answer as correct.
    task.rounding_allowed = Some(true);
    let nodes = vec![
        NodeAnswer {
            reasoning: "Used formula A = P(1+r)^t = 10000(1.05)^10 = 16288.95, interest = 16288.95 - \
                        10000 = 6288.95"
                .to_owned(),
            latency_seconds: 1.8,
            node_type: "math_specialist".to_owned(),
            node_fitness: 0.87,
            ..node("node-550e8400", "The compound interest is $6,288.95", 0.92, 1.2)
        },
        NodeAnswer {
            reasoning: "Calculated using compound interest formula".to_owned(),
            latency_seconds: 2.1,
            node_type: "math_specialist".to_owned(),
            node_fitness: 0.82,
            ..node("node-661f9511", "The compound interest is $6,288.95", 0.88, 1.1)
        },
        NodeAnswer {
            reasoning: "Rounded calculation".to_owned(),
            latency_seconds: 2.3,
            node_fitness: 0.80,
            ..node("node-772g0622", "The compound interest is approximately $6,289", 0.85, 1.0)
        },
    ];
    request(task, nodes)
}

/// seeds/verifier-block.md, "Scenario 3": weights 1.2, 1.1 and 1.0.
pub(crate) fn eiffel_tower() -> ValidationRequest {
    let mut task =
        task("When was the Eiffel Tower completed?", TaskType::FactualQa, ExpectedFormat::Explanation);
    task.ground_truth = Some("The Eiffel Tower was completed in 1889".to_owned());
    let said = |year: u16| format!("The Eiffel Tower was completed in {year}");
    let fit = |fitness: f64, node: NodeAnswer| NodeAnswer { node_fitness: fitness, ..node };
    request(
        task,
        vec![
            fit(0.88, node("A", &said(1889), 0.95, 1.2)),
            fit(0.82, node("B", &said(1889), 0.90, 1.1)),
            fit(0.79, node("C", &said(1887), 0.85, 1.0)),
        ],
    )
}

/// seeds/verifier-block.md, "Scenario 2".
pub(crate) fn haiku() -> ValidationRequest {
    let task = task(
        "Write a haiku about artificial intelligence",
        TaskType::CreativeWriting,
        ExpectedFormat::Creative,
    );
    let fit = |fitness: f64, node: NodeAnswer| NodeAnswer { node_fitness: fitness, ..node };
    request(
        task,
        vec![
            fit(
                0.85,
                node(
                    "A",
                    "Silicon thoughts dance\nPatterns emerge from chaos\nMind without a soul",
                    0.78,
                    1.0,
                ),
            ),
            fit(
                0.83,
                node("B", "Electric neurons\nLearning the world, bit by bit\nFuture unfolding", 0.81, 1.0),
            ),
            fit(
                0.75,
                node("C", "AI is thinking\nComputers are very smart now\nWhat will happen next", 0.65, 1.0),
            ),
        ],
    )
}
