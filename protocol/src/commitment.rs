//! What a provider commits to in an answer, so that a machine with the weights that it claims can tell whether they wrote
//! it (docs/decisions/0018-the-prefill-audit.md).
//!
//! It stands beside the answer, for our own peers only. What cannot be read is taken for absent: an answer counts
//! without it.

use serde::{Deserialize, Deserializer, Serialize};

use crate::limits::{MAX_COMMITTED_POSITIONS, MAX_COMMITTED_RANKS, MAX_COMMITTED_TOKENS};

/// The form of it that this program writes and reads.
const FORM: u32 = 1;

/// What a provider commits to in one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "OnWire", into = "OnWire")]
pub struct AnswerCommitment {
    /// The answer's first tokens, by their numbers in the model's vocabulary.
    pub tokens: Vec<u32>,
    /// What was likely at the positions that the job asks for.
    pub positions: Vec<CommittedPosition>,
}

/// What the provider's model found likely at one position of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommittedPosition {
    /// Which token of the answer, from 0.
    pub position: u32,
    /// The likeliest tokens there, as (number in the vocabulary, ln p).
    pub top: Vec<(u32, f32)>,
}

/// `{"form":1,"tokens":[5,9],"positions":[[0,[[5,-0.1],[7,-2.5]]]]}`
#[derive(Serialize, Deserialize)]
struct OnWire {
    form: u32,
    tokens: Vec<u32>,
    positions: Vec<(u32, Vec<(u32, f32)>)>,
}

impl AnswerCommitment {
    /// Whether it is of bearable size and all its numbers are some: JSON has no others.
    pub(crate) fn is_bounded(&self) -> bool {
        let holds = |at: &CommittedPosition| {
            at.top.len() <= MAX_COMMITTED_RANKS && at.top.iter().all(|(_, ln_p)| ln_p.is_finite())
        };
        self.tokens.len() <= MAX_COMMITTED_TOKENS
            && self.positions.len() <= MAX_COMMITTED_POSITIONS
            && self.positions.iter().all(holds)
    }
}

impl From<AnswerCommitment> for OnWire {
    fn from(commitment: AnswerCommitment) -> Self {
        let positions = commitment.positions.into_iter().map(|at| (at.position, at.top));
        Self { form: FORM, tokens: commitment.tokens, positions: positions.collect() }
    }
}

impl TryFrom<OnWire> for AnswerCommitment {
    type Error = &'static str;

    fn try_from(sent: OnWire) -> Result<Self, Self::Error> {
        if sent.form != FORM {
            return Err("another form of commitment");
        }
        let positions =
            sent.positions.into_iter().map(|(position, top)| CommittedPosition { position, top }).collect();
        let commitment = Self { tokens: sent.tokens, positions };
        if commitment.is_bounded() { Ok(commitment) } else { Err("a commitment beyond all bounds") }
    }
}

/// A commitment as far as it can be read: the answer beside it must not be lost for it.
pub(crate) fn if_readable<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<AnswerCommitment>, D::Error> {
    let sent = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(sent).ok())
}
