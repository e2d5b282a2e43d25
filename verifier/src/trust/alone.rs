//! Answers that were accepted on the word of one provider, and when that word no longer carries them.
//!
//! A provider with a record is believed alone, and its first lies are believed with it until somebody
//! looks. When it is contradicted, what it said alone since it last agreed with somebody is in doubt;
//! with each further contradiction, what it said alone before that; once it is out, all of it.
//!
//! ```text
//!   alone alone │ agreed │ alone alone alone │ contradicted
//!   └─ next contradiction ┘ └── in doubt now ─┘
//! ```

use std::collections::HashMap;

use super::reputation::Member;

/// A subtask whose accepted answer rests on a word that no longer carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubted {
    /// The subtask.
    pub subtask: u64,
    /// Whose word it rests on.
    pub provider: Member,
}

/// What was accepted from each provider alone, and is not in doubt.
#[derive(Debug, Clone, Default)]
pub struct AloneAnswers(HashMap<Member, Word>);

/// One provider's.
#[derive(Debug, Clone, Default)]
struct Word {
    /// In the order in which they were accepted.
    subtasks: Vec<u64>,
    /// How many of them there were whenever it agreed with somebody.
    agreements: Vec<usize>,
}

impl AloneAnswers {
    /// An answer of this provider was accepted alone.
    pub fn given(&mut self, provider: Member, subtask: u64) {
        self.0.entry(provider).or_default().subtasks.push(subtask);
    }

    /// Another answer of it was the accepted one among several.
    pub fn agreed(&mut self, provider: Member) {
        let Some(word) = self.0.get_mut(&provider) else { return };
        let given = word.subtasks.len();
        if given > 0 && word.agreements.last() != Some(&given) {
            word.agreements.push(given);
        }
    }

    /// Another answer of it was not the accepted one: what is in doubt now. Nothing is handed out twice.
    pub fn contradicted(&mut self, provider: Member) -> Vec<Doubted> {
        let Some(word) = self.0.get_mut(&provider) else { return Vec::new() };
        while word.agreements.last().is_some_and(|given| *given >= word.subtasks.len()) {
            word.agreements.pop();
        }
        let carried = word.agreements.last().copied().unwrap_or(0);
        doubted(provider, word.subtasks.split_off(carried))
    }

    /// The provider is out: everything that is left rests on nothing.
    pub fn out(&mut self, provider: Member) -> Vec<Doubted> {
        self.0.remove(&provider).map_or_else(Vec::new, |word| doubted(provider, word.subtasks))
    }
}

fn doubted(provider: Member, subtasks: Vec<u64>) -> Vec<Doubted> {
    subtasks.into_iter().map(|subtask| Doubted { subtask, provider }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::super::evidence::ProviderTraits;
    use super::super::reputation::Reputation;
    use super::*;

    fn somebody() -> Member {
        Reputation::new().enrol("a", ProviderTraits::default())
    }

    fn subtasks(doubted: Vec<Doubted>) -> Vec<u64> {
        doubted.into_iter().map(|doubted| doubted.subtask).collect()
    }

    #[test]
    fn each_contradiction_reaches_back_to_an_earlier_agreement() {
        let (mut alone, liar) = (AloneAnswers::default(), somebody());
        alone.agreed(liar);
        (1..3).for_each(|subtask| alone.given(liar, subtask));
        alone.agreed(liar);
        (3..6).for_each(|subtask| alone.given(liar, subtask));
        assert_eq!(subtasks(alone.contradicted(liar)), [3, 4, 5]);
        alone.agreed(liar);
        assert_eq!(subtasks(alone.contradicted(liar)), [1, 2]);
        assert_eq!(subtasks(alone.contradicted(liar)), [0_u64; 0]);
        alone.given(liar, 6);
        alone.agreed(liar);
        alone.given(liar, 7);
        assert_eq!(subtasks(alone.out(liar)), [6, 7]);
        assert_eq!(subtasks(alone.out(liar)), [0_u64; 0]);
    }

    proptest! {
        #[test]
        fn every_answer_is_doubted_at_most_once_and_by_its_providers_exclusion(
            steps in proptest::collection::vec(0_u8..3, 0..60)
        ) {
            let (mut alone, provider) = (AloneAnswers::default(), somebody());
            let (mut given, mut handed_out) = (0_u64, Vec::new());
            for step in steps {
                match step {
                    0 => {
                        alone.given(provider, given);
                        given += 1;
                    }
                    1 => alone.agreed(provider),
                    _ => handed_out.extend(subtasks(alone.contradicted(provider))),
                }
            }
            handed_out.extend(subtasks(alone.out(provider)));
            prop_assert_eq!(handed_out.len() as u64, given);
            prop_assert_eq!(handed_out.into_iter().collect::<HashSet<_>>().len() as u64, given);
        }
    }
}
