//! Gold for reviewers, made of what others have settled about a part (docs/claims.md, section 3).
//!
//! What reviewers are asked about has passed the code checks, and so must gold: else a reviewer could tell it by code.

use frlm_verifier::claims::draws::Draws;
use frlm_verifier::claims::gold::{Change, Gold, make};
use frlm_verifier::claims::{Claim, Text, check};

/// What kind of gold is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The claim as it is.
    True,
    /// One with something changed.
    False,
    /// The same, or the claim as it is where no change fits it.
    FalseOrTrue,
}

/// Gold of a claim about this text that others bear out; `None` where what is wanted cannot be made of it.
pub fn of_true(claim: &Claim, text: &Text, wanted: Wanted, seed: u64) -> Option<Gold> {
    let unchanged = || make(claim, text, Change::Unchanged, seed);
    match wanted {
        Wanted::True => unchanged(),
        Wanted::False => changed(claim, text, seed),
        Wanted::FalseOrTrue => changed(claim, text, seed).or_else(unchanged),
    }
}

/// Gold of a claim about this text that others reject.
pub fn found_false(claim: &Claim, text: &Text, seed: u64) -> Option<Gold> {
    make(claim, text, Change::FoundFalse, seed)
}

fn changed(claim: &Claim, text: &Text, seed: u64) -> Option<Gold> {
    let mut changes = Change::FALSE;
    Draws::new(seed, "change").shuffle(&mut changes);
    let made = changes.into_iter().filter_map(|change| make(claim, text, change, seed));
    made.filter_map(|gold| Some(Gold { claim: check(&gold.claim, text).ok()?, ..gold }))
        .find(|gold| gold.claim != *claim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::claims::{Parts, read, text_of};
    use crate::dialect::testing::fragment;

    const LEASE: &str = "The rent is 900 EUR and the deposit is 850 EUR.\nThe tenant pays it.\n";

    fn claim(text: &str, line: u32) -> Claim {
        let answer = format!("{{\"claims\": [{{\"lines\": [[{line}, {line}]], \"claim\": \"{text}\"}}]}}");
        read(&Parts::default(), &fragment("lease.txt", LEASE), &answer).unwrap().claims.remove(0)
    }

    #[test]
    fn false_gold_passes_the_code_checks_and_says_something_else() {
        let text = text_of(&fragment("lease.txt", LEASE));
        let rent = claim("The rent is 900 EUR.", 1);
        for seed in 0..20 {
            let gold = of_true(&rent, &text, Wanted::False, seed).unwrap();
            assert!(gold.change.is_false() && gold.claim.text != rent.text, "{gold:?}");
            assert!(check(&gold.claim, &text).is_ok(), "{gold:?}");
        }
        assert_eq!(of_true(&rent, &text, Wanted::True, 1).unwrap().claim, rent);
        assert!(found_false(&rent, &text, 1).unwrap().change.is_false());
    }

    #[test]
    fn what_nothing_can_be_changed_in_serves_as_true_gold_alone() {
        let text = text_of(&fragment("lease.txt", LEASE));
        let plain = claim("The tenant pays it.", 2);
        assert!(of_true(&plain, &text, Wanted::False, 1).is_none());
        assert!(!of_true(&plain, &text, Wanted::FalseOrTrue, 1).unwrap().change.is_false());
    }
}
