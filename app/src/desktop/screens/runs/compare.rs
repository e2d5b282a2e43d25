//! Two runs side by side, fact by fact.

use super::state::{Details, Entry};
use super::view::state_mark;
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
    let share = |share: Option<f64>| share.map_or("–".to_owned(), percent);
    let mut facts = vec![
        fact("Question", |entry, _| entry.question.clone()),
        fact("Answer", |_, details| details.answer.clone()),
        fact("State", |entry, _| state_mark(entry.state).2.to_owned()),
        fact("Documents", |entry, _| entry.documents.join(", ")),
        fact("Asked at", |entry, _| entry.venue.clone()),
        fact("Verification", |entry, _| policy_in_words(&entry.policy, false)),
        fact("Budget", |entry, _| entry.unit.amount(entry.budget_sats)),
        fact("Spent", |entry, details| entry.unit.amount(entry.spent_sats.unwrap_or(details.spent_sats))),
        fact("Verified", |_, details| {
            format!("{} of {}", thousands(details.verified as u64), thousands(details.subtasks as u64))
        }),
        fact("Disputed", |_, details| thousands(details.dissents as u64)),
        fact("Providers", |_, details| details.providers.join(", ")),
        fact("Took", |_, details| lasting(details.lasted_ms)),
    ];
    let shares = [
        ("Coverage", first.1.coverage, second.1.coverage),
        ("Confidence", first.1.confidence, second.1.confidence),
        ("Agreement", first.1.agreement, second.1.agreement),
    ];
    for (position, (name, one, other)) in (2..).zip(shares) {
        facts.insert(position, Fact { name, first: share(one), second: share(other) });
    }
    facts
}
