//! Answers of which the validator says nothing (docs/decisions/0054-answers-without-a-verdict.md), or, at the level
//! `critical`, of which nothing can tell whether they are right (docs/decisions/0060-what-nothing-can-tell-is-paid.md).
//!
//! They are not used. The provider of such an answer has done its part: it is paid, and nothing is held against it. Under any
//! policy, no provider is blamed either for the time that this machine itself takes to judge answers.

use frlm_questions::plan::Outcome;
use frlm_scheduler::UNPROVEN_SLOTS;
use frlm_verifier::Replica;

use crate::run::validate::Validation;

/// Answers without a verdict, beyond as many as were found right, after which a provider is asked nothing more …
pub(in crate::run) const MOST_UNJUDGED: u32 = 3;
/// … and after which it is not paid for more of them either: a provider could write answers that nobody can judge
/// would live by it. As many as may be under way by then of a provider that was never judged.
pub(in crate::run) const MOST_PAID_UNJUDGED: u32 = MOST_UNJUDGED + UNPROVEN_SLOTS;

impl Validation {
    /// An answer passed as right by the methods of its level, where no validator has the last word.
    pub(in crate::run) fn was_told_right(&mut self, replica: &Replica<Outcome>) {
        if self.validator().is_none() {
            self.say_right(&replica.provider);
        }
    }
}
