//! Tier 2 from request to result (seeds/verifier-block.md, "Verification Workflow").

use serde::{Deserialize, Serialize};

use crate::consensus::{Consensus, Judge, NoConsensus, build_consensus};
use crate::fitness::{self, ClusterFeedback, FitnessUpdate, cluster_feedback};
use crate::request::ValidationRequest;
use crate::validation::{Tools, ValidationOutcome, validate};

/// How good the accepted answer is, every figure 0..=1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QualityAssessment {
    /// By the primary method; what nothing could tell counts by the agreement.
    pub correctness: f64,
    /// A model's opinion, where one was asked.
    pub completeness: Option<f64>,
    /// A model's opinion, where one was asked.
    pub clarity: Option<f64>,
    /// The mean of what is known.
    pub overall_quality: f64,
}

/// What tier 2 answers (seeds/verifier-block.md, "Verification Result"). It holds no times: this crate
/// has no clock, its caller has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerificationResult {
    /// Names the request.
    pub request_id: String,
    /// Names the task.
    pub task_id: String,
    /// The answer.
    pub consensus: Consensus,
    /// How good it is.
    pub quality: QualityAssessment,
    /// Whether it is right.
    pub validation: ValidationOutcome,
    /// What it means for each node, in the order of the request.
    pub fitness_updates: Vec<FitnessUpdate>,
    /// What it means for the replica set.
    pub cluster_feedback: ClusterFeedback,
}

/// Builds the consensus, validates it, and works out what it means for everyone.
pub async fn verify_request(
    request: &ValidationRequest,
    judge: Option<&dyn Judge>,
    tools: Tools<'_>,
) -> Result<VerificationResult, NoConsensus> {
    let consensus = build_consensus(request, judge).await?;
    let validation = validate(&consensus, &request.original_task, &request.requirements, tools).await;
    let fitness_updates = fitness::updates(&request.node_answers, &consensus, &validation);
    let quality = quality(&consensus, &validation);
    let cluster_feedback = cluster_feedback(&consensus, quality.overall_quality, &fitness_updates);
    Ok(VerificationResult {
        request_id: request.request_id.clone(),
        task_id: request.task_id.clone(),
        consensus,
        quality,
        validation,
        fitness_updates,
        cluster_feedback,
    })
}

fn quality(consensus: &Consensus, validation: &ValidationOutcome) -> QualityAssessment {
    // What was judged on a part may be incomplete in the rest, or complete only there.
    let mut opinions = validation.findings.iter().filter_map(|finding| finding.assessment.as_ref());
    let assessment = opinions.find(|opinion| opinion.unread.is_nothing());
    let correctness =
        validation.correctness.unwrap_or(consensus.strength.weighted_agreement / 100.0).clamp(0.0, 1.0);
    let (completeness, clarity) =
        (assessment.map(|opinion| opinion.completeness), assessment.map(|opinion| opinion.clarity));
    let known: Vec<f64> = [Some(correctness), completeness, clarity].into_iter().flatten().collect();
    QualityAssessment {
        correctness,
        completeness,
        clarity,
        overall_quality: known.iter().sum::<f64>() / known.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::consensus::ConsensusMethod;
    use crate::testing::compound_interest;

    /// seeds/verifier-block.md, "Verification Result": the overall quality .95 is the mean of
    /// correctness 1.0, completeness .95 and clarity .90.
    #[test]
    fn overall_quality_is_the_mean_of_its_parts() {
        let request = compound_interest();
        let mut result = block_on(verify_request(&request, None, Tools::default())).unwrap();
        assert_eq!(result.consensus.method, ConsensusMethod::ExactMatch);
        assert_eq!(result.fitness_updates.len(), 3);
        assert!((result.quality.overall_quality - 1.0).abs() < 1e-9);
        result.validation.findings[0].assessment = Some(crate::consensus::Assessment {
            correctness: 1.0,
            completeness: 0.95,
            clarity: 0.90,
            format: 1.0,
            overall: 1.0,
            reasoning: String::new(),
            unread: crate::consensus::Unread::default(),
        });
        let quality = quality(&result.consensus, &result.validation);
        assert!((quality.overall_quality - 0.95).abs() < 1e-9);
    }

    #[test]
    fn a_result_is_serialised_and_read_back() {
        let result = block_on(verify_request(&compound_interest(), None, Tools::default())).unwrap();
        let text = serde_json::to_string(&result).unwrap();
        assert_eq!(serde_json::from_str::<VerificationResult>(&text).unwrap(), result);
    }
}
