//! What a run has decided, for the reader of its answer.

use crate::answer::Decision;

/// The most decisions that are listed one by one: keys cost nothing, and each provider may be excluded for a reason of its own.
const MOST_LISTED: usize = 1_000;

/// The decisions of a run, in order.
#[derive(Debug, Default)]
pub(super) struct Decided {
    listed: Vec<Decision>,
    unlisted: usize,
}

impl Decided {
    /// Whether another decision is listed; if not, it is only counted.
    pub fn has_room(&mut self) -> bool {
        let has_room = self.listed.len() < MOST_LISTED;
        self.unlisted += usize::from(!has_room);
        has_room
    }

    /// Takes in a decision.
    pub fn push(&mut self, decision: Decision) {
        self.listed.push(decision);
    }

    /// The listed decisions, and the number of those that are not listed.
    pub fn list(&self) -> Vec<Decision> {
        let rest = (self.unlisted > 0).then(|| Decision {
            stage: "record".to_owned(),
            decision: "proceed".to_owned(),
            reasoning: format!("{} more decisions are not listed", self.unlisted),
            retry_reason: None,
        });
        self.listed.iter().cloned().chain(rest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_of_reasons_is_counted_and_not_listed() {
        let mut decided = Decided::default();
        for number in 0..1_000_000 {
            if decided.has_room() {
                decided.push(Decision {
                    stage: "dispatch".to_owned(),
                    decision: "retry".to_owned(),
                    reasoning: format!("provider {number} cannot be paid"),
                    retry_reason: None,
                });
            }
        }
        let listed = decided.list();
        assert_eq!(listed.len(), MOST_LISTED + 1);
        assert!(listed[MOST_LISTED].reasoning.starts_with("999000 more"), "{:?}", listed[MOST_LISTED]);
    }
}
