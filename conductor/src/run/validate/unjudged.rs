//! Answers of which the validator says nothing (docs/decisions/0054-answers-without-a-verdict.md), or, at the level
//! `critical`, of which nothing can tell whether they are right (docs/decisions/0060-what-nothing-can-tell-is-paid.md).
//!
//! They are not used. The provider of such an answer has done its part: it is paid, and nothing is held against it. Under any
//! policy, no provider is blamed either for the time that this machine itself takes to judge answers.

use frlm_verifier::Replica;

use crate::plan::Outcome;
use crate::run::validate::Validation;
use crate::scheduler::UNPROVEN_SLOTS;

/// Answers without a verdict, beyond as many as were found right, after which a provider is asked nothing more …
pub(in crate::run) const MOST_UNJUDGED: u32 = 3;
/// … and after which it is not paid for more of them either: a provider could write answers that nobody can judge
/// would live by it. As many as may be under way by then of a provider that was never judged.
pub(in crate::run) const MOST_PAID_UNJUDGED: u32 = MOST_UNJUDGED + UNPROVEN_SLOTS;

/// What was said of a provider's answers in this run by whom, or what, was to judge them, in numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::run) struct VerdictCount {
    /// Answers that were found right.
    pub confirmed: u32,
    /// Answers of which nothing was said.
    pub nothing: u32,
}

impl VerdictCount {
    /// Of how many more answers nothing was said than were found right.
    pub fn excess(self) -> u32 {
        self.nothing.saturating_sub(self.confirmed)
    }
}

impl Validation {
    /// An answer passed as right by the methods of its level, where no validator has the last word.
    pub(in crate::run) fn was_told_right(&mut self, replica: &Replica<Outcome>) {
        if self.validator().is_none() {
            self.say_right(&replica.provider);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_how_many_more_answers_nothing_was_said_counts_what_was_confirmed() {
        let said = |confirmed, nothing| VerdictCount { confirmed, nothing }.excess();
        assert_eq!((said(0, 3), said(2, 3), said(5, 3)), (3, 1, 0));
    }
}
