//! What a provider commits to in its answers, so that a machine with the weights that it claims can audit them
//! (docs/decisions/0018-the-prefill-audit.md).
//!
//! Which answers of a job are sent with it follows from all of them, so each is written as if it were one of those.

use frlm_inference::{Answer, ModelInfo};
use frlm_protocol::{AnswerCommitment, CommittedPosition, JobAnswer, ReceivedJob};
use frlm_verifier::audit::commitment::COMMITTED_TOKENS;
use frlm_verifier::audit::{Commitment, commit, committed_answers};

/// What becomes of one job's answers.
#[derive(Debug)]
pub(crate) struct Committing {
    job: String,
    commits: bool,
}

impl Committing {
    /// Nothing is committed to for foreign clients, in a validator's work, of which only the verdict is sent, and where
    /// the engine does not know its weights: it does not number its tokens either.
    pub fn of(job: &ReceivedJob, model: &ModelInfo) -> Self {
        let commits = job.is_profile() && job.request.validate.is_none() && model.weights_hash.is_some();
        Self { job: job.id.to_hex(), commits }
    }

    /// How many rivals the engine is to report for each token.
    pub fn top_logprobs(&self) -> usize {
        if self.commits { COMMITTED_TOKENS } else { 0 }
    }

    /// What could be committed to in this answer, as it came from the engine.
    pub fn commitment(&self, index: usize, answer: &Answer) -> Option<AnswerCommitment> {
        // Tokens of thinking are not told from those of the answer, which alone is sent.
        if !self.commits || answer.reasoning.is_some() {
            return None;
        }
        on_the_wire(commit(&self.job, index, &answer.logprobs)?)
    }

    /// Leaves the commitments of those answers that all of them choose.
    pub fn choose(&self, answers: &mut [JobAnswer]) {
        let texts: Vec<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
        let chosen = committed_answers(&self.job, &texts);
        for (index, answer) in answers.iter_mut().enumerate() {
            answer.commitment = answer.commitment.take().filter(|_| chosen.contains(&index));
        }
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
    fn two_answers_are_committed_and_chosen_once_all_are_written() {
        let job = directed(request("copy", &["a"; 40], Mode::Each));
        let committing = Committing::of(&job, &weights());
        assert_eq!(committing.top_logprobs(), 5);
        let committed = |last: &str| -> Vec<usize> {
            let mut answers: Vec<JobAnswer> = (0..40)
                .map(|index| JobAnswer {
                    text: if index == 39 { last.to_owned() } else { "w".to_owned() },
                    commitment: committing.commitment(index, &answer(9)),
                    ..JobAnswer::default()
                })
                .collect();
            committing.choose(&mut answers);
            (0..40).filter(|index| answers[*index].commitment.is_some()).collect()
        };
        let chosen: Vec<Vec<usize>> = ["a", "b", "c", "d"].map(committed).into();
        assert!(chosen.iter().all(|chosen| chosen.len() == 2), "{chosen:?}");
        assert!(chosen.iter().any(|other| *other != chosen[0]), "{chosen:?}");
    }

    #[test]
    fn foreign_clients_validation_http_and_thoughts_take_no_commitment() {
        let ours = directed(request("copy", &["a"], Mode::Together));
        let none = |job: &ReceivedJob, model: &ModelInfo| {
            let committing = Committing::of(job, model);
            committing.top_logprobs() == 0 && committing.commitment(0, &answer(9)).is_none()
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
        assert_eq!(Committing::of(&ours, &weights()).commitment(0, &thought), None);
    }

    #[test]
    fn the_largest_commitment_travels_whole() {
        let asker = Keys::generate();
        let mut job = directed(request("copy", &["a", "b"], Mode::Each));
        job.asker = asker.public_key();
        let committing = Committing::of(&job, &weights());
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
