//! Two runs side by side, fact by fact.

use super::state::{Details, Entry};
use super::view::state_mark;
use super::words;
use crate::desktop::screens::run::policy_in_words;
use crate::desktop::widgets::thousands;
use crate::desktop::widgets::words::lasting;
use frlm_client::units::percent;

/// A fact about two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What is compared.
    pub name: &'static str,
    /// The first run's.
    pub first: String,
    /// The second run's.
    pub second: String,
}

impl Fact {
    /// Whether the runs differ in it.
    pub fn differs(&self) -> bool {
        self.first != self.second
    }
}

/// All facts, in the order in which people ask for them.
pub fn facts(first: (&Entry, &Details), second: (&Entry, &Details)) -> Vec<Fact> {
    let fact = |name, tell: fn(&Entry, &Details) -> String| Fact {
        name,
        first: tell(first.0, first.1),
        second: tell(second.0, second.1),
    };
    let share = |share: Option<f64>| share.map_or(words::UNKNOWN.to_owned(), percent);
    let mut facts = vec![
        fact(words::QUESTION, |entry, _| entry.question.clone()),
        fact(words::ANSWER, |_, details| details.answer.clone()),
        fact(words::STATE, |entry, _| state_mark(entry.state).2.to_owned()),
        fact(words::DOCUMENTS, |entry, _| entry.documents.join(", ")),
        fact(words::ASKED_AT, |entry, _| entry.venue.clone()),
        fact(words::VERIFICATION, |entry, _| policy_in_words(&entry.policy, false)),
        fact(words::BUDGET, |entry, _| entry.unit.amount(entry.budget_sats)),
        fact(words::SPENT, |entry, details| {
            entry.unit.amount(entry.spent_sats.unwrap_or(details.spent_sats))
        }),
        fact(words::VERIFIED, |_, details| words::parts(details.verified, details.subtasks)),
        fact(words::DISPUTED, |_, details| thousands(details.dissents as u64)),
        fact(words::PROVIDERS, |_, details| details.providers.join(", ")),
        fact(words::TOOK, |_, details| lasting(details.lasted_ms)),
    ];
    let shares = [
        (words::COVERAGE, first.1.coverage, second.1.coverage),
        (words::CONFIDENCE, first.1.confidence, second.1.confidence),
        (words::AGREEMENT, first.1.agreement, second.1.agreement),
    ];
    for (position, (name, one, other)) in (2..).zip(shares) {
        facts.insert(position, Fact { name, first: share(one), second: share(other) });
    }
    facts
}
