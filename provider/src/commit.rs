//! What a provider commits to in its answers, so that whoever has the weights that it claims can audit them
//! (docs/decisions/0018-the-prefill-audit.md).

use frlm_inference::{Answer, ModelInfo};
use frlm_protocol::{AnswerCommitment, CommittedPosition, ReceivedJob};
use frlm_verifier::audit::commitment::COMMITTED_TOKENS;
use frlm_verifier::audit::{Commitment, commit, committed_answers};

/// The answers of one job that are committed to.
#[derive(Debug)]
pub(crate) struct Committing {
    job: String,
    /// Ascending.
    answers: Vec<usize>,
}

impl Committing {
    /// Those that the job's id chooses. None for foreign clients, for a validator's work, of which only the verdict
    /// is sent, and where the engine does not know its weights: it does not number its tokens either.
    pub fn of(job: &ReceivedJob, answers: usize, model: &ModelInfo) -> Self {
        let id = job.id.to_hex();
        let commits = job.is_profile() && job.request.validate.is_none() && model.weights_hash.is_some();
        let answers = if commits { committed_answers(&id, answers) } else { Vec::new() };
        Self { job: id, answers }
    }

    /// How many rivals the engine is to report for each token of this answer.
    pub fn top_logprobs(&self, index: usize) -> usize {
        if self.answers.contains(&index) { COMMITTED_TOKENS } else { 0 }
    }

    /// What is committed to in this answer, as it came from the engine.
    pub fn commitment(&self, index: usize, answer: &Answer) -> Option<AnswerCommitment> {
        // Tokens of thinking are not told from those of the answer, which alone is sent.
        if !self.answers.contains(&index) || answer.reasoning.is_some() {
            return None;
        }
        on_the_wire(commit(&self.job, index, &answer.logprobs)?)
    }
}

fn on_the_wire(commitment: Commitment) -> Option<AnswerCommitment> {
    let positions = commitment.positions.into_iter().map(|at| {
        let position = u32::try_from(at.position).ok()?;
        Some(CommittedPosition { position, top: at.top })
    });
    Some(AnswerCommitment { positions: positions.collect::<Option<_>>()?, tokens: commitment.tokens })
}

#[cfg(test)]
mod tests {
    use frlm_inference::{FinishReason, RankedToken, TokenLogprob, Usage};
    use frlm_protocol::{JobAnswer, JobResult, Mode, Validate};
    use nostr::{EventId, Keys, Timestamp};

    use super::*;
    use crate::testing::{directed, model_info, request};

    fn weights() -> ModelInfo {
        ModelInfo { weights_hash: Some("ab".repeat(32)), ..model_info() }
    }

    /// An answer of so many tokens, each with five rivals.
    fn answer(tokens: u32) -> Answer {
        let rival = |id| RankedToken { id: Some(id), text: String::new(), logprob: -0.5 };
        let token = |id: u32| TokenLogprob {
            id: Some(id),
            token: "w".to_owned(),
            logprob: -0.5,
            top: (id..id + 5).map(rival).collect(),
        };
        Answer {
            text: "w".repeat(tokens as usize),
            reasoning: None,
            logprobs: (0..tokens).map(token).collect(),
            usage: Usage::default(),
            finish: FinishReason::Stop,
        }
    }

    #[test]
    fn rivals_are_asked_for_in_the_answers_alone_that_the_job_chooses() {
        let job = directed(request("copy", &["a"; 40], Mode::Each));
        let committing = Committing::of(&job, 40, &weights());
        let asked: Vec<usize> = (0..40).filter(|index| committing.top_logprobs(*index) == 5).collect();
        assert_eq!(asked, committed_answers(&job.id.to_hex(), 40));
        assert_eq!(asked.len(), 2);
        let committed: Vec<usize> =
            (0..40).filter(|index| committing.commitment(*index, &answer(9)).is_some()).collect();
        assert_eq!(committed, asked);
    }

    #[test]
    fn foreign_clients_validation_http_engines_and_thoughts_take_no_commitment() {
        let ours = directed(request("copy", &["a"], Mode::Together));
        let none = |job: &ReceivedJob, model: &ModelInfo| {
            let committing = Committing::of(job, 1, model);
            committing.top_logprobs(0) == 0 && committing.commitment(0, &answer(9)).is_none()
        };
        assert!(!none(&ours, &weights()));
        assert!(none(&ours, &model_info()), "an engine that knows no weights");
        let mut foreign = ours.clone();
        foreign.request.profile = None;
        assert!(none(&foreign, &weights()));
        let mut validation = ours.clone();
        validation.request.validate = Some(Validate { result: EventId::all_zeros(), answers: Vec::new() });
        assert!(none(&validation, &weights()));
        let thought = Answer { reasoning: Some("hm".to_owned()), ..answer(9) };
        assert_eq!(Committing::of(&ours, 1, &weights()).commitment(0, &thought), None);
    }

    #[test]
    fn the_largest_commitment_travels_whole() {
        let asker = Keys::generate();
        let mut job = directed(request("copy", &["a", "b"], Mode::Each));
        job.asker = asker.public_key();
        let committing = Committing::of(&job, 2, &weights());
        let committed: Vec<Option<AnswerCommitment>> =
            (0..2).map(|index| committing.commitment(index, &answer(2_000))).collect();
        assert!(committed.iter().flatten().all(|one| one.tokens.len() == 512 && one.positions.len() == 8));
        let answer = |commitment: &Option<AnswerCommitment>| JobAnswer {
            text: "w".to_owned(),
            commitment: commitment.clone(),
            ..JobAnswer::default()
        };
        let result = JobResult {
            answers: committed.iter().map(answer).collect(),
            model: None,
            prompt_tokens: 1,
            completion_tokens: 1,
            attestation: None,
            amount_msats: None,
        };
        let event = result.to_event(&job, &Keys::generate(), Timestamp::now()).unwrap();
        assert_eq!(JobResult::from_event(&event, &asker).unwrap().result, result);
    }
}
