//! What a run has decided and told, for the reader of its answer.

use crate::answer::Decision;
use crate::stage::RunStage;

/// The most decisions and notices that are listed one by one: keys cost nothing, and each provider may be excluded for a reason of its own.
const MOST_LISTED: usize = 1_000;

/// The decisions and notices of a run, in order.
#[derive(Debug, Default)]
pub(super) struct Decided {
    listed: Vec<Decision>,
    unlisted: usize,
}

impl Decided {
    /// Whether another notice is listed; if not, it is only counted.
    pub fn has_room(&mut self) -> bool {
        let has_room = self.listed.len() < MOST_LISTED;
        self.unlisted += usize::from(!has_room);
        has_room
    }

    /// Takes in a decision, or a notice.
    pub fn push(&mut self, decision: Decision) {
        self.listed.push(decision);
    }

    /// What is listed, and the number of notices that are not.
    pub fn list(&self) -> Vec<Decision> {
        let rest = (self.unlisted > 0).then(|| {
            Decision::notice(RunStage::Record, format!("{} more notices are not listed", self.unlisted))
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
                let says = format!("provider {number} cannot be paid");
                decided.push(Decision::notice(RunStage::Dispatch, says));
            }
        }
        let listed = decided.list();
        assert_eq!(listed.len(), MOST_LISTED + 1);
        assert!(listed[MOST_LISTED].reasoning.starts_with("999000 more"), "{:?}", listed[MOST_LISTED]);
    }
}
