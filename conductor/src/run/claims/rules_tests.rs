use frlm_verifier::VerificationPolicy;
use frlm_verifier::request::VerificationLevel;

use super::*;
use crate::run::claims::rules::rules;

#[test]
fn by_votes_a_claim_is_accepted_with_enough_support() {
    let votes = |of, agree| {
        let policy = VerificationPolicy::Redundancy { replicas: of, agree };
        let mut book = Book::new(rules(&policy, VerificationLevel::Standard).unwrap(), 7);
        book.take(SubtaskId(0), person("a", "a"), claims(1), 0);
        book
    };
    let here = people(&["a", "b", "c"]);
    let after = |book: &mut Book, here: &[Person], verdicts: &[Verdict]| {
        let mut next = 1;
        for verdict in verdicts {
            round(book, here, &mut next, |_, _| *verdict);
        }
        assert!(book.wanted(here, false).is_empty());
        outcomes(&book.settled())
    };
    let stands = after(&mut votes(3, 2), &here, &[Verdict::NotStated, Verdict::Supported]);
    assert!(matches!(stands[..], [ClaimOutcome::Accepted(_)]), "{stands:?}");
    let falls = after(&mut votes(3, 2), &here, &[Verdict::NotStated, Verdict::Contradicted]);
    assert_eq!(falls, [ClaimOutcome::Rejected]);
    // One support is not three, though the posterior would do.
    assert_eq!(after(&mut votes(3, 3), &here[..2], &[Verdict::Supported]), [ClaimOutcome::Undecided]);
    assert_eq!(
        after(&mut votes(2, 2), &here[..1], &[]),
        [ClaimOutcome::Undecided],
        "nobody is there to support it"
    );
    let mut book = votes(3, 3);
    round(&mut book, &here[..2], &mut 1, |_, _| Verdict::Supported);
    assert!(book.wanted(&here[..2], true).is_empty() && book.settled().is_empty(), "somebody may come");
    let one = VerificationPolicy::Redundancy { replicas: 1, agree: 1 };
    assert!(rules(&one, VerificationLevel::Standard).is_none(), "nobody reviews");
}

/// A book with these rules in which "own" is trusted, if it is here.
fn trusting(rules: Rules, is_here: bool) -> Book {
    let mut book = Book::new(rules, 7);
    book.trusted = is_here.then(|| person("own", "own"));
    book.take(SubtaskId(0), person("a", "a"), claims(6), 0);
    book
}

/// Answers what is wanted of the trusted one by this verdict, and nothing else.
fn trusted_says(book: &mut Book, here: &[Person], verdict: Verdict) {
    let wanted: Vec<Wanted> = book.wanted(here, false);
    assert!(wanted.iter().all(|wanted| wanted.is_for_trusted), "{wanted:?}");
    for (at, wanted) in (100..).zip(wanted) {
        let verdicts = vec![verdict; wanted.claims.len()];
        book.asked(SubtaskId(at), wanted.claims);
        book.reviewed((SubtaskId(at), 0), &person("own", "own"), &verdicts);
    }
}

#[test]
fn a_validator_reviews_every_claim_and_decides_it() {
    let policy = VerificationPolicy::Validated { validator: "own".to_owned() };
    let rules = rules(&policy, VerificationLevel::Critical).unwrap();
    let here = people(&["a", "b", "c"]);
    for (verdict, stands) in [(Verdict::Supported, true), (Verdict::NotStated, false)] {
        let mut book = trusting(rules, true);
        assert_eq!(book.wanted(&here, false).iter().map(|one| one.claims.len()).collect::<Vec<_>>(), [4, 2]);
        trusted_says(&mut book, &here, verdict);
        assert!(book.wanted(&here, false).is_empty());
        let outcomes = outcomes(&book.settled());
        assert_eq!(outcomes.len(), 6);
        assert!(outcomes.iter().all(|outcome| outcome.stands() == stands), "{outcomes:?}");
        assert!(stands || outcomes.contains(&ClaimOutcome::Rejected));
    }
    let mut book = trusting(rules, false);
    assert!(book.wanted(&here, true).is_empty() && book.settled().is_empty(), "it may come");
    assert!(book.wanted(&here, false).is_empty());
    let settled = book.settled();
    assert!(settled[0].is_unjudged() && settled[0].is_earned(), "its reader has done its part: {settled:?}");
}

#[test]
fn a_review_that_the_trusted_one_does_not_give_holds_nothing_up() {
    let rules = rules(&VerificationPolicy::DEFAULT, VerificationLevel::High).unwrap();
    let here = people(&["a", "b"]);
    let mut book = trusting(rules, true);
    round(&mut book, &here, &mut 1, |_, _| Verdict::Supported);
    for (at, wanted) in (100..).zip(book.wanted(&here, false)) {
        assert!(wanted.is_for_trusted);
        book.asked(SubtaskId(at), wanted.claims);
        book.gave_up(SubtaskId(at));
    }
    assert!(book.wanted(&here, false).is_empty());
    let outcomes = outcomes(&book.settled());
    assert!(outcomes.iter().all(|outcome| matches!(outcome, ClaimOutcome::Accepted(_))), "{outcomes:?}");
}

#[test]
fn what_the_trusted_one_rejects_no_other_claim_of_the_run_saves() {
    let rules = rules(&VerificationPolicy::DEFAULT, VerificationLevel::High).unwrap();
    let here = people(&["a", "b"]);
    let mut book = trusting(rules, true);
    round(&mut book, &here, &mut 1, |_, _| Verdict::Supported);
    trusted_says(&mut book, &here, Verdict::Contradicted);
    book.wanted(&here, false);
    assert_eq!(outcomes(&book.settled()), [ClaimOutcome::Undecided; 6]);
    assert!(book.settle_disputes().is_empty());
}
