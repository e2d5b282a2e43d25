//! What a provider commits to, before it can know whether it is audited.

use frlm_inference::TokenLogprob;
use sha2::{Digest as _, Sha256};

/// Tokens that are committed at each position (design.md, section 4: "the top-5 log-probabilities").
pub const COMMITTED_TOKENS: usize = 5;
/// Answers of one job that are committed to, at most: a job may have a thousand.
pub const MOST_ANSWERS: usize = 2;
/// Positions of an answer that are committed to, at most.
pub const MOST_POSITIONS: usize = 8;
/// Tokens from an answer's beginning that are named and can be chosen from, at most.
pub const MOST_TOKENS: usize = 512;

/// What a provider commits to in one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Commitment {
    /// Which answer of the job, from 0.
    pub answer: usize,
    /// The answer's first tokens, by their numbers in the model's vocabulary.
    pub tokens: Vec<u32>,
    /// What was likely at the chosen positions.
    pub positions: Vec<Position>,
}

/// What a provider's model found likely at one position of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// Which token of the answer, from 0.
    pub position: usize,
    /// The likeliest tokens there, best first, as (number in the vocabulary, ln p).
    pub top: Vec<(u32, f32)>,
}

/// Which of a job's answers are committed to, ascending: all of a few, else those that a hash of the job's id and of
/// the answers chooses. Nobody knows them before the work is done, and so nobody can do it well for these alone.
///
/// Letters and digits alone are hashed: who would have other answers chosen must say something else somewhere.
pub fn committed_answers(job: &str, answers: &[&str]) -> Vec<usize> {
    let mut hash = Sha256::new();
    hash.update(job.as_bytes());
    for answer in answers {
        let said: String =
            answer.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        hash.update([0]);
        hash.update(said.as_bytes());
    }
    chosen(hash.finalize().as_slice(), "answers", answers.len(), MOST_ANSWERS)
}

/// Which positions of an answer of so many tokens are committed to, ascending.
pub fn committed_positions(job: &str, answer: usize, tokens: usize) -> Vec<usize> {
    chosen(job.as_bytes(), &format!("answer {answer}"), tokens.min(MOST_TOKENS), MOST_POSITIONS)
}

/// What a provider commits to in an answer, from what its engine reported of the answer's tokens with
/// [`COMMITTED_TOKENS`] rivals each. `None` if the engine does not number its tokens or reported none.
pub fn commit(job: &str, answer: usize, reported: &[TokenLogprob]) -> Option<Commitment> {
    // A job without rivals commits to nothing, and need not pay for choosing.
    if reported.first()?.top.is_empty() {
        return None;
    }
    let reported = &reported[..reported.len().min(MOST_TOKENS)];
    let tokens: Vec<u32> = reported.iter().map(|token| token.id).collect::<Option<_>>()?;
    let positions = committed_positions(job, answer, tokens.len());
    let position = |position: usize| {
        let rivals = reported.get(position)?.top.iter().take(COMMITTED_TOKENS);
        let top: Vec<(u32, f32)> =
            rivals.map(|rival| Some((rival.id?, rival.logprob))).collect::<Option<_>>()?;
        (!top.is_empty()).then_some(Position { position, top })
    };
    let positions: Vec<Position> = positions.into_iter().map(position).collect::<Option<_>>()?;
    (!positions.is_empty()).then_some(Commitment { answer, tokens, positions })
}

/// `most` of `count` numbers, ascending: those with the lowest hashes.
fn chosen(by: &[u8], what: &str, count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    let hash = |number: usize| -> [u8; 32] {
        let mut hash = Sha256::new();
        for part in [by, what.as_bytes(), number.to_string().as_bytes()] {
            hash.update(part);
            hash.update([0]);
        }
        hash.finalize().into()
    };
    let mut ranked: Vec<([u8; 32], usize)> = (0..count).map(|number| (hash(number), number)).collect();
    ranked.sort_unstable();
    let mut chosen: Vec<usize> = ranked.into_iter().take(most).map(|(_, number)| number).collect();
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use frlm_inference::RankedToken;
    use proptest::prelude::*;

    use super::*;

    fn reported(id: u32) -> TokenLogprob {
        let rival = |id| RankedToken { id: Some(id), text: String::new(), logprob: -1.0 };
        TokenLogprob {
            id: Some(id),
            token: String::new(),
            logprob: -1.0,
            top: (id..id + 7).map(rival).collect(),
        }
    }

    #[test]
    fn an_answer_commits_to_its_tokens_and_to_five_rivals_at_a_few_of_them() {
        let answer: Vec<TokenLogprob> = (0..600).map(reported).collect();
        let commitment = commit("job", 3, &answer).unwrap();
        assert_eq!(commitment.tokens, (0..512).collect::<Vec<u32>>());
        assert_eq!(commitment.positions.len(), MOST_POSITIONS);
        for at in &commitment.positions {
            let first = u32::try_from(at.position).unwrap();
            assert_eq!(
                at.top.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
                (first..first + 5).collect::<Vec<_>>()
            );
        }
        assert_eq!(commit("job", 0, &answer[..3]).unwrap().positions.len(), 3);
    }

    #[test]
    fn an_engine_that_does_not_number_its_tokens_commits_to_nothing() {
        assert_eq!(commit("job", 0, &[TokenLogprob { id: None, ..reported(1) }]), None);
        assert_eq!(commit("job", 0, &[TokenLogprob { top: Vec::new(), ..reported(1) }]), None);
        assert_eq!(commit("job", 0, &[]), None);
    }

    #[test]
    fn another_job_asks_for_other_positions() {
        assert_ne!(committed_positions("one", 0, 300), committed_positions("two", 0, 300));
        assert_ne!(committed_positions("one", 0, 300), committed_positions("one", 1, 300));
        let answers = vec!["42"; 1_000];
        assert_ne!(committed_answers("one", &answers), committed_answers("two", &answers));
    }

    #[test]
    fn the_choice_of_committed_answers_depends_on_all_they_say_and_only_that() {
        let answers = vec!["status failed"; 1_000];
        let before = committed_answers("job", &answers);
        assert_eq!(before.len(), MOST_ANSWERS);
        let with = |at: usize, said: &'static str| {
            let mut other = answers.clone();
            other[at] = said;
            committed_answers("job", &other)
        };
        assert_eq!(with(7, " Status\n failed. "), before);
        assert_ne!(with(7, "status shipped"), before);
        assert_ne!(with(999, "status failed 1"), before);
        assert_eq!(committed_answers("job", &["a", "b"]), [0, 1], "all of a few");
    }

    proptest! {
        #[test]
        fn positions_are_the_jobs_choice(job in "[0-9a-f]{8}", answer in 0_usize..50, tokens in 0_usize..700) {
            let chosen = committed_positions(&job, answer, tokens);
            prop_assert_eq!(chosen.len(), tokens.min(MOST_POSITIONS));
            prop_assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(chosen.iter().all(|position| *position < tokens.min(MOST_TOKENS)));
            prop_assert_eq!(&chosen, &committed_positions(&job, answer, tokens));
        }
    }
}
