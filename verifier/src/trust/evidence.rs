//! What a run saw of providers: small, by name, so that it can be applied to whatever is known by then.

use serde::{Deserialize, Serialize};

use crate::fitness::Evaluation;

/// Tasks within which trust carries over: one kind of work on one subject at one stake.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskClass(String);

impl TaskClass {
    /// A class. The stake is the price of a job by powers of ten: who is honest for one sat may not be
    /// for a thousand.
    pub fn new(kind: &str, subject: &str, price_sats: u64) -> Self {
        let stake = price_sats.checked_ilog10().map_or(0, |digits| digits + 1);
        Self(format!("{kind}/{subject}/{stake}"))
    }

    /// As text, for people.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// What a provider says of itself that makes it like others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderTraits {
    /// The weights it claims to run.
    pub weights_hash: Option<String>,
    /// A hint of one operator behind several keys, such as the key that they are paid to.
    pub operator: Option<String>,
}

/// One thing that was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Answers of several providers to one subtask.
    Comparison {
        /// The subtask's class.
        class: TaskClass,
        /// Who said the same.
        groups: Vec<Vec<String>>,
        /// Which group was accepted; `None`: none, the truth was found by an audit and nobody had it.
        accepted: Option<usize>,
        /// How sure that is, 0..=1.
        certainty: f64,
        /// Whether the truth was found without them: a gold task, or this machine's own answer.
        audited: bool,
    },
    /// An answer that was accepted alone: it says nothing about its provider, except that it worked.
    Alone {
        /// Who gave it.
        provider: String,
    },
    /// An answer that did not pass the checks that need no comparison.
    FailedCheck {
        /// The subtask's class.
        class: TaskClass,
        /// Who gave it.
        provider: String,
    },
    /// How good an answer was, once it was accepted or rejected: for fitness and credits, which decide nothing about
    /// whom to believe.
    Scored {
        /// Who gave it.
        provider: String,
        /// How good it was.
        evaluation: Evaluation,
    },
    /// No answer in time. It costs time and is counted, but it is no lie: the wire may have been cut.
    Timeout {
        /// Who did not answer.
        provider: String,
    },
    /// The weights that a provider claims have read an answer of it. Where nobody measured how far such weights
    /// may be apart it says nothing; one answer beyond that is a proven lie.
    Audited {
        /// Whose answer.
        provider: String,
        /// The weights that it claims.
        weights_hash: String,
        /// How far it is from what they found, in nats ([`crate::audit::Score::total`]).
        score_nats: f64,
    },
    /// An answer that the weights which its provider claims were to read came without what they read it by, or with
    /// something else. Who names its weights promises that; the answer may be right all the same, so that this
    /// counts as a failed check, or as errors too many once it is the rule, and proves no lie.
    NothingToRead {
        /// The subtask's class.
        class: TaskClass,
        /// Whose answer.
        provider: String,
    },
    /// A lie that is proven: a failed audit, or a deterministic gold task contradicted that the claimed
    /// weights are known to answer right.
    ProvenLie {
        /// Who lied.
        provider: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_tells_stakes_apart_by_powers_of_ten() {
        let stake = |sats| TaskClass::new("map", "general", sats).name().to_owned();
        assert_eq!(stake(0), "map/general/0");
        assert_eq!([stake(1), stake(9)], ["map/general/1", "map/general/1"]);
        assert_eq!([stake(10), stake(1_000)], ["map/general/2", "map/general/4"]);
    }
}
