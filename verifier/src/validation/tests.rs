use async_trait::async_trait;
use futures::executor::block_on;

use super::ground_truth::{GroundTruthStore, KnownAnswer, Provenance};
use super::*;
use crate::consensus::{Arbitration, Unread, exact_consensus};
use crate::testing::{compound_interest, eiffel_tower, haiku};

/// Thinks the same of every answer, without having read this.
struct Opinion(f64, Unread);

#[async_trait]
impl Judge for Opinion {
    async fn similarity(&self, _: &str, _: &str) -> Result<f64, JudgeError> {
        Ok(0.0)
    }

    async fn best_phrasing(&self, _: &[&str]) -> Result<usize, JudgeError> {
        Ok(0)
    }

    async fn arbitrate(&self, _: &str, _: &[(&str, &str)]) -> Result<Arbitration, JudgeError> {
        Err(JudgeError::Unusable("no arbiter".to_owned()))
    }

    async fn assess(&self, _: &OriginalTask, _: &str) -> Result<Assessment, JudgeError> {
        let overall = self.0;
        let reasoning = "as ever".to_owned();
        // seeds/verifier-block.md, `llm_validation`: the overall figure decides, whatever the others are.
        Ok(Assessment {
            correctness: 1.0 - overall,
            completeness: 0.5,
            clarity: 0.5,
            format: 1.0,
            overall,
            reasoning,
            unread: self.1,
        })
    }
}

fn outcome(
    mut request: crate::request::ValidationRequest,
    level: VerificationLevel,
    tools: Tools<'_>,
) -> ValidationOutcome {
    request.requirements.verification_level = level;
    let mut consensus = exact_consensus(&compound_interest()).unwrap();
    if let Some(found) = exact_consensus(&request) {
        consensus = found;
    }
    block_on(validate(&consensus, &request.original_task, &request.requirements, tools))
}

/// seeds/verifier-block.md, "Scenario 1", step 2: programmatic, correctness 1.0.
#[test]
fn scenario_1_is_validated_by_calculating_it_again() {
    let outcome = outcome(compound_interest(), VerificationLevel::Standard, Tools::default());
    assert_eq!(outcome.primary_method, Method::ProgrammaticExecution);
    assert_eq!((outcome.verification_passed, outcome.correctness), (Some(true), Some(1.0)));
    assert_eq!(outcome.findings.len(), 1, "standard stops at the first method that can tell");
}

/// seeds/verifier-block.md, "Scenario 2", step 2: the syllables are counted, and a model's .92 passes. Creativity (.88) is none
/// of the figures that the document's own `llm_validation` asks for.
#[test]
fn scenario_2_is_validated_by_a_models_opinion_and_a_syllable_count() {
    let request = haiku();
    let mut consensus = exact_consensus(&compound_interest()).unwrap();
    consensus.answer.clone_from(&request.node_answers[0].answer);
    let judge = Opinion(0.92, Unread::default());
    let tools = Tools { judge: Some(&judge), ..Tools::default() };
    let outcome = block_on(validate(&consensus, &request.original_task, &request.requirements, tools));
    assert_eq!(outcome.primary_method, Method::LlmValidation);
    assert_eq!((outcome.verification_passed, outcome.correctness), (Some(true), Some(0.92)));
    assert!(outcome.findings.iter().any(|found| found.detail == "about 5-7-5 syllables, as a haiku has"));
}

/// seeds/verifier-block.md, "Scenario 3", step 2: ground truth 1889.
#[test]
fn scenario_3_is_validated_by_the_store() {
    let store = GroundTruthStore::in_memory().unwrap();
    store
        .add(&KnownAnswer {
            question: "When was the Eiffel Tower completed?".to_owned(),
            answer: "The Eiffel Tower was completed in 1889".to_owned(),
            category: "historical_dates".to_owned(),
            provenance: Provenance::Import { source: "facts.jsonl".to_owned() },
        })
        .unwrap();
    let mut request = eiffel_tower();
    request.original_task.ground_truth = None;
    let tools = Tools { known: Some(&store), ..Tools::default() };
    let outcome = outcome(request, VerificationLevel::Standard, tools);
    assert_eq!((outcome.primary_method, outcome.verification_passed), (Method::GroundTruth, Some(true)));
}

/// seeds/verifier-block.md, `aggregate_validation_results`: .95 for code and truth, .75 for a model.
#[test]
fn a_model_passes_from_075_on_and_code_from_095() {
    for (opinion, passed) in [(0.75, true), (0.74, false)] {
        let judge = Opinion(opinion, Unread::default());
        let tools = Tools { judge: Some(&judge), ..Tools::default() };
        let outcome = outcome(haiku(), VerificationLevel::Standard, tools);
        assert_eq!(
            (outcome.primary_method, outcome.verification_passed),
            (Method::LlmValidation, Some(passed))
        );
    }
    assert!((Method::ProgrammaticExecution.threshold() - 0.95).abs() < 1e-9);
    assert!((Method::GroundTruth.threshold() - 0.95).abs() < 1e-9);
    // The document has none for it; it says that 95 % of what it tells is so.
    assert!((Method::CrossReference.threshold() - 0.95).abs() < 1e-9);
}

/// seeds/verifier-block.md, "Verification Result", `primary_method`, and `aggregate_validation_results` for `none`.
#[test]
fn methods_have_the_documents_names() {
    for (method, name) in [
        (Method::ProgrammaticExecution, "programmatic_execution"),
        (Method::GroundTruth, "ground_truth"),
        (Method::LlmValidation, "llm_validation"),
        (Method::CrossReference, "cross_reference"),
        (Method::None, "none"),
    ] {
        assert_eq!(serde_json::to_value(method).unwrap(), name);
    }
}

/// seeds/verifier-block.md, "Priority Order": programmatic > ground truth > LLM validation > cross-reference.
#[test]
fn the_most_reliable_method_that_could_tell_decides() {
    let order =
        [Method::ProgrammaticExecution, Method::GroundTruth, Method::LlmValidation, Method::CrossReference];
    let finding =
        |method, correctness| Finding { method, correctness, detail: String::new(), assessment: None };
    for (at, first) in order.into_iter().enumerate() {
        // Those before it could not tell, those behind it say the opposite.
        let silent = order[..at].iter().map(|method| finding(*method, None));
        let others = order[at + 1..].iter().map(|method| finding(*method, Some(0.0)));
        let mut findings: Vec<Finding> = others.chain([finding(first, Some(1.0))]).chain(silent).collect();
        for _ in 0..findings.len() {
            findings.rotate_left(1);
            let outcome = aggregate(findings.clone(), VerificationLevel::High);
            assert_eq!((outcome.primary_method, outcome.verification_passed), (first, Some(true)));
        }
    }
}

/// seeds/verifier-block.md, `strategies`: the methods for each kind of task, in their order. Of its names
/// `quality_assessment` and `syntax_check` are parts of a model's assessment and of running a program; a program has known
/// answers before a model is asked.
#[test]
fn each_kind_of_task_has_the_documents_methods() {
    use Method::{CrossReference, GroundTruth, LlmValidation, ProgrammaticExecution};
    let of = Method::strategies;
    assert_eq!(of(TaskType::Calculation), [ProgrammaticExecution, GroundTruth, LlmValidation]);
    assert_eq!(of(TaskType::CreativeWriting), [LlmValidation]);
    assert_eq!(of(TaskType::FactualQa), [GroundTruth, CrossReference, LlmValidation]);
    assert_eq!(of(TaskType::CodeGeneration), [ProgrammaticExecution, GroundTruth, LlmValidation]);
}

#[test]
fn code_outranks_a_model_and_critical_wants_both() {
    let judge = Opinion(0.1, Unread::default());
    let tools = Tools { judge: Some(&judge), ..Tools::default() };
    let high = outcome(compound_interest(), VerificationLevel::High, tools);
    assert_eq!((high.primary_method, high.verification_passed), (Method::ProgrammaticExecution, Some(true)));
    assert_eq!(high.findings.len(), 2);
    let critical = outcome(compound_interest(), VerificationLevel::Critical, tools);
    assert_eq!(critical.verification_passed, Some(false));
}

/// seeds/verifier-block.md, `aggregate_validation_results`: .75 passes, by an answer and a text that were read.
#[test]
fn nothing_is_right_by_a_part_and_wrong_what_begins_wrongly() {
    let (of_text, of_answer) =
        (Unread { task_chars: 9, answer_chars: 0 }, Unread { task_chars: 0, answer_chars: 9 });
    let judged = |opinion, unread, level| {
        let judge = Opinion(opinion, unread);
        let tools = Tools { judge: Some(&judge), ..Tools::default() };
        outcome(haiku(), level, tools)
    };
    for (opinion, unread, level, passed) in [
        (1.0, of_answer, VerificationLevel::High, None),
        (1.0, of_text, VerificationLevel::High, None),
        (1.0, of_answer, VerificationLevel::Critical, None),
        (0.74, of_answer, VerificationLevel::High, Some(false)),
        (0.74, of_text, VerificationLevel::High, None),
        (0.74, of_text, VerificationLevel::Critical, Some(false)),
    ] {
        let outcome = judged(opinion, unread, level);
        assert_eq!(outcome.verification_passed, passed, "{opinion} {unread} {level}");
        assert_eq!(outcome.unread(), Some(unread));
        let by_model = outcome.findings.iter().find(|finding| finding.assessment.is_some()).unwrap();
        assert!(by_model.detail.starts_with("judged on a part, without the last 9"), "{}", by_model.detail);
    }
    assert_eq!(judged(1.0, Unread::default(), VerificationLevel::High).unread(), None);
}

/// Code and known truth have read everything: what a model did not read takes nothing from them.
#[test]
fn a_part_that_a_model_read_takes_nothing_from_what_code_can_tell() {
    let judge = Opinion(1.0, Unread { task_chars: 9, answer_chars: 9 });
    let tools = Tools { judge: Some(&judge), ..Tools::default() };
    let outcome = outcome(compound_interest(), VerificationLevel::Critical, tools);
    assert_eq!(
        (outcome.primary_method, outcome.verification_passed),
        (Method::ProgrammaticExecution, Some(true))
    );
}

/// seeds/verifier-block.md, `aggregate_validation_results`: "No validation possible - uncertain", at every level.
#[test]
fn what_nothing_can_tell_is_neither_right_nor_wrong_at_any_level() {
    for level in VerificationLevel::ALL {
        assert_eq!(outcome(haiku(), level, Tools::default()).verification_passed, None, "{level}");
    }
}

#[test]
fn a_check_of_the_askers_comes_before_every_other_method() {
    struct Says(bool);
    impl CodeRunner for Says {
        fn run(&self, _: &str, _: &[(&str, serde_json::Value)]) -> Result<program::Ran, program::CodeError> {
            Ok(program::Ran { output: String::new(), truth: Some(self.0) })
        }
    }
    let judge = Opinion(1.0, Unread::default());
    for (says, request) in [(true, haiku()), (false, eiffel_tower()), (false, compound_interest())] {
        let mut request = request;
        request.original_task.check = Some("answer != ''".to_owned());
        let runner = Says(says);
        let tools = Tools { code: Some(&runner), judge: Some(&judge), ..Tools::default() };
        let outcome = outcome(request.clone(), VerificationLevel::Standard, tools);
        assert_eq!(outcome.verification_passed, Some(says));
        assert_eq!(outcome.primary_method, Method::ProgrammaticExecution);
        // Without a sandbox the next method is asked.
        let tools = Tools { judge: Some(&judge), ..Tools::default() };
        assert_ne!(outcome_of(request, tools).primary_method, Method::ProgrammaticExecution);
    }
}

fn outcome_of(request: crate::request::ValidationRequest, tools: Tools<'_>) -> ValidationOutcome {
    outcome(request, VerificationLevel::Standard, tools)
}
