//! How claims are accepted: by how many reviews, whose verdict counts, and how sure that must be.

use frlm_verifier::VerificationPolicy;
use frlm_verifier::claims::{Rules, Votes, Word};
use frlm_verifier::request::VerificationLevel;

/// How claims are accepted: at one in twenty false at most, by three reviews at most.
pub const RULES: Rules =
    Rules { accept_at: 0.05, most_reviews: 3, votes: None, word: Word::OneMore, wants_no_doubt: false };

/// How claims are accepted under a policy and level; `None` where whole answers are.
pub fn rules(policy: &VerificationPolicy, level: VerificationLevel) -> Option<Rules> {
    let rules = of_policy(policy)?;
    let at_level = match level {
        VerificationLevel::Standard => rules,
        VerificationLevel::High => Rules { word: Word::Needed, ..rules },
        VerificationLevel::Critical => Rules {
            word: Word::Needed,
            wants_no_doubt: true,
            most_reviews: rules.most_reviews.max(2),
            ..rules
        },
    };
    // The validator decides at every level.
    Some(if rules.word == Word::Alone { rules } else { at_level })
}

fn of_policy(policy: &VerificationPolicy) -> Option<Rules> {
    match policy {
        VerificationPolicy::Adaptive(_) => Some(RULES),
        VerificationPolicy::Validated { .. } => Some(Rules { word: Word::Alone, most_reviews: 0, ..RULES }),
        // One is enough: nobody reviews.
        VerificationPolicy::Redundancy { agree, .. } if *agree < 2 => None,
        VerificationPolicy::Redundancy { replicas, agree } => {
            let votes = Votes { of: *replicas as usize, agree: *agree as usize };
            Some(Rules { most_reviews: votes.of - 1, votes: Some(votes), ..RULES })
        }
        _ => None,
    }
}

/// Whether a claim stands only where as much speaks for it as the user asks for, and nothing else that a run knows helps it.
pub(super) fn is_strict(rules: &Rules) -> bool {
    rules.votes.is_some() || rules.word == Word::Alone || rules.wants_no_doubt
}
