use frlm_scheduler::SubtaskId;
use frlm_verifier::claims::{Claim, LineRange, Quote, Verdict};

use crate::run::claims::book::{Book, Found};
use crate::run::claims::outcome::{Before, ClaimOutcome, Person};
use crate::run::claims::rules::RULES;

fn people(ids: &[&str]) -> Vec<Person> {
    ids.iter().map(|id| Person { id: (*id).into(), family: (*id).to_owned() }).collect()
}

fn claims(count: usize) -> Vec<Claim> {
    let quote = Quote { lines: LineRange::new(1, 1), words: "words".to_owned() };
    (0..count).map(|at| Claim { text: format!("claim {at}"), quotes: vec![quote.clone()] }).collect()
}

/// Readings one after the other, each of four claims; everybody else reviews what is asked, `verdict` says how: of whose claim, by whom,
/// and which one it is.
fn run(
    here: &[Person],
    readers: &[usize],
    verdict: impl Fn(&str, &str, usize) -> Verdict,
) -> (Book, Vec<(Option<Before>, ClaimOutcome)>) {
    let mut book = Book::new(RULES, 7);
    let (mut next, mut outcomes) = (1_000, Vec::new());
    for (reading, &reader) in (0..).zip(readers) {
        book.take(SubtaskId(reading), here[reader].clone(), claims(4), 0);
        // As many rounds as a claim may have reviews, and one that finds nobody left.
        for _ in 0..=RULES.most_reviews {
            for wanted in book.wanted(here, false) {
                let review = SubtaskId(next);
                next += 1;
                let reviewer = here.iter().find(|person| !wanted.not.contains(&person.id)).unwrap();
                book.asked(review, wanted.claims.clone());
                let said: Vec<Verdict> = wanted
                    .claims
                    .iter()
                    .map(|claim| verdict(&here[reader].id, &reviewer.id, claim.at))
                    .collect();
                book.reviewed((review, 0), reviewer, &said);
            }
        }
        let settled = book.settled();
        for one in settled.into_iter().chain(book.settle_disputes()) {
            outcomes.extend(one.claims.iter().map(|(_, outcome)| (one.again, *outcome)));
        }
    }
    (book, outcomes)
}

fn stand(outcomes: &[(Option<Before>, ClaimOutcome)]) -> usize {
    outcomes.iter().filter(|(_, outcome)| outcome.stands()).count()
}

#[test]
fn a_reviewer_who_rejects_what_both_others_state_keeps_their_claims() {
    let here = people(&["liar", "b", "c"]);
    let verdict = |_: &str, by: &str, at: usize| {
        if by == "liar" && at.is_multiple_of(2) { Verdict::Contradicted } else { Verdict::Supported }
    };
    let (mut book, outcomes) = run(&here, &[1, 2, 1, 2], verdict);
    assert_eq!(stand(&outcomes), 16, "{outcomes:?}");
    assert!(
        outcomes.iter().any(|(again, _)| *again == Some(Before::Undecided)),
        "the first ties are decided later"
    );
    let ids = here.iter().map(|person| &person.id);
    let found = book.newly_excluded(ids);
    assert!(
        matches!(found.as_slice(), [(id, Found::StandsAlone { times })] if **id == *"liar" && *times >= 3),
        "{found:?}"
    );
}

#[test]
fn a_liars_false_claims_fall_although_it_calls_the_claims_of_others_false() {
    let here = people(&["b", "c", "liar"]);
    let verdict = |of: &str, by: &str, at: usize| {
        let rejects = match (of, by) {
            ("liar", _) | (_, "liar") => at.is_multiple_of(2),
            _ => false,
        };
        if rejects { Verdict::Contradicted } else { Verdict::Supported }
    };
    let (_, outcomes) = run(&here, &[0, 2, 1, 2, 0, 1], verdict);
    assert_eq!(stand(&outcomes), 4 * 4 + 2 * 2, "{outcomes:?}");
}

#[test]
fn ties_among_strangers_that_nothing_tells_apart_are_left_out() {
    let here = people(&["c", "a", "b"]);
    // An honest reviewer errs now and then: one rejection among many verdicts makes no liar of it.
    let verdict = |of: &str, by: &str, at: usize| {
        if (of, by, at) == ("a", "c", 0) { Verdict::Contradicted } else { Verdict::Supported }
    };
    let (_, outcomes) = run(&here, &[1], verdict);
    assert_eq!(
        outcomes.iter().filter(|(_, outcome)| *outcome == ClaimOutcome::Undecided).count(),
        1,
        "{outcomes:?}"
    );
}

#[test]
fn a_rejection_by_two_reviewers_stands_whatever_their_reputation() {
    let here = people(&["x", "y", "a", "b"]);
    // Two reject every other claim of both others.
    let verdict = |of: &str, by: &str, at: usize| {
        let rejects = ["x", "y"].contains(&by) && ["a", "b"].contains(&of) && at.is_multiple_of(2);
        if rejects { Verdict::Contradicted } else { Verdict::Supported }
    };
    let (_, outcomes) = run(&here, &[2, 3, 2, 3], verdict);
    assert_eq!(stand(&outcomes), 8, "{outcomes:?}");
}

#[test]
fn two_providers_decide_nothing_against_each_other() {
    let here = people(&["a", "b"]);
    let (_, outcomes) =
        run(&here, &[0, 1, 0], |_, _, at| if at == 0 { Verdict::Contradicted } else { Verdict::Supported });
    assert_eq!(
        outcomes.iter().filter(|(_, outcome)| *outcome == ClaimOutcome::Undecided).count(),
        3,
        "{outcomes:?}"
    );
    assert!(outcomes.iter().all(|(again, _)| again.is_none()));
}
