use frlm_verifier::claims::{LineRange, Quote};
use proptest::prelude::*;

use super::*;

fn person(id: &str, family: &str) -> Person {
    Person { id: id.into(), family: family.to_owned() }
}

fn people(ids: &[&str]) -> Vec<Person> {
    ids.iter().map(|id| person(id, id)).collect()
}

fn claims(count: usize) -> Vec<Claim> {
    let quote = |line| Quote { lines: LineRange::new(line, line), words: "words".to_owned() };
    (1..=count)
        .map(|at| Claim { text: format!("claim {at}"), quotes: vec![quote(u32::try_from(at).unwrap())] })
        .collect()
}

/// A reading of so many claims by `reader`.
fn reading(reader: &str, count: usize) -> Book {
    let mut book = Book::new(RULES);
    book.take(SubtaskId(0), person(reader, reader), claims(count), 0);
    book
}

/// Asks for what is wanted under the next ids and answers by `verdict`; the reviewers are taken in order.
fn round(book: &mut Book, here: &[Person], next: &mut u32, verdict: impl Fn(&str, ClaimId) -> Verdict) {
    for wanted in book.wanted(here, false) {
        let review = SubtaskId(*next);
        *next += 1;
        let reviewer = here.iter().find(|person| !wanted.not.contains(&person.id)).unwrap();
        book.asked(review, wanted.claims.clone());
        let verdicts: Vec<Verdict> =
            wanted.claims.iter().map(|claim| verdict(&reviewer.id, *claim)).collect();
        book.reviewed(review, reviewer, &verdicts);
    }
}

fn fates(settled: &[Settled]) -> Vec<Fate> {
    settled.iter().flat_map(|settled| settled.claims.iter().map(|(_, fate)| *fate)).collect()
}

#[test]
fn one_review_of_another_model_bears_a_claim_out() {
    let mut book = reading("a", 6);
    let here = people(&["a", "b"]);
    let wanted = book.wanted(&here, false);
    assert_eq!(wanted.iter().map(|wanted| wanted.claims.len()).collect::<Vec<_>>(), [4, 2]);
    assert!(wanted.iter().all(|wanted| wanted.not.contains("a") && !wanted.not.contains("b")));
    round(&mut book, &here, &mut 1, |_, _| Verdict::Supported);
    assert!(book.wanted(&here, false).is_empty());
    let settled = book.settled();
    assert!(fates(&settled).iter().all(|fate| matches!(fate, Fate::Accepted(p) if *p <= RULES.accept_at)));
    assert!(!book.any_open());
}

#[test]
fn a_rejection_goes_to_one_more_reviewer_and_two_of_them_reject() {
    let here = people(&["a", "b", "c"]);
    let mut book = reading("a", 1);
    let mut next = 1;
    round(&mut book, &here, &mut next, |_, _| Verdict::Contradicted);
    assert!(book.settled().is_empty(), "one reviewer against a reader is a tie");
    round(&mut book, &here, &mut next, |_, _| Verdict::NotStated);
    book.wanted(&here, false);
    assert_eq!(fates(&book.settled()), [Fate::Rejected]);
}

#[test]
fn a_tie_that_nobody_can_break_leaves_the_claim_out() {
    let here = people(&["a", "b"]);
    let mut book = reading("a", 1);
    round(&mut book, &here, &mut 1, |_, _| Verdict::Contradicted);
    book.wanted(&here, false);
    assert_eq!(fates(&book.settled()), [Fate::LeftOut]);
}

#[test]
fn where_nobody_else_is_here_claims_stand_without_a_review() {
    let mut book = reading("a", 2);
    assert!(book.wanted(&people(&["a"]), true).is_empty());
    assert!(book.settled().is_empty(), "somebody may come");
    assert!(book.wanted(&people(&["a"]), false).is_empty());
    assert!(fates(&book.settled()).iter().all(|fate| matches!(fate, Fate::NotReviewed(_))));
}

#[test]
fn a_review_that_nobody_does_holds_nothing_up() {
    let here = people(&["a", "b"]);
    let mut book = reading("a", 1);
    let wanted = book.wanted(&here, false);
    book.asked(SubtaskId(1), wanted[0].claims.clone());
    assert!(book.wanted(&here, false).is_empty() && book.settled().is_empty());
    book.gave_up(SubtaskId(1));
    book.wanted(&here, false);
    assert!(matches!(fates(&book.settled())[..], [Fate::NotReviewed(_)]));
}

#[test]
fn a_reader_of_three_false_claims_is_excluded_and_told_once() {
    let here = people(&["a", "b", "c"]);
    let mut book = reading("a", 4);
    let mut next = 1;
    for _ in 0..3 {
        round(&mut book, &here, &mut next, |_, _| Verdict::Contradicted);
    }
    book.settled();
    assert_eq!(book.newly_excluded(), [ProviderId::from("a")]);
    assert!(book.newly_excluded().is_empty());
}

#[test]
fn claims_that_fall_to_code_exclude_no_reader_whose_others_stand() {
    let here = people(&["a", "b"]);
    let mut book = Book::new(RULES);
    book.take(SubtaskId(0), person("a", "a"), claims(6), 3);
    round(&mut book, &here, &mut 1, |_, _| Verdict::Supported);
    book.wanted(&here, false);
    let settled = book.settled();
    assert!(fates(&settled).iter().all(|fate| matches!(fate, Fate::Accepted(_))), "{settled:?}");
    assert!(book.newly_excluded().is_empty());
}

#[test]
fn the_family_of_a_model_is_what_its_name_begins_with() {
    assert_eq!(family("Qwen2.5-7B-Instruct-Q4_K_M"), "qwen");
    assert_eq!(family("/models/mistral-7b.gguf"), "mistral");
    assert_eq!(family("7b"), "7b");
}

proptest! {
    #[test]
    fn every_reading_is_settled_and_nobody_reviews_itself_or_twice(
        counts in prop::collection::vec(0_usize..7, 1..5),
        providers in 1_usize..6,
        answers in prop::collection::vec(0_u8..8, 0..200),
    ) {
        let ids: Vec<String> = (0..providers).map(|at| format!("p{at}")).collect();
        let here: Vec<Person> = ids.iter().map(|id| person(id, id)).collect();
        let mut book = Book::new(RULES);
        let mut readers = BTreeMap::new();
        for (at, count) in counts.iter().enumerate() {
            let reader = &here[at % here.len()];
            let id = SubtaskId(u32::try_from(at).unwrap());
            readers.insert(id, reader.id.clone());
            book.take(id, reader.clone(), claims(*count), at % 2);
        }
        let mut answers = answers.into_iter().chain(std::iter::repeat(0));
        let mut seen: BTreeSet<(ProviderId, ClaimId)> = BTreeSet::new();
        let mut rejected: BTreeMap<ClaimId, usize> = BTreeMap::new();
        let (mut next, mut settled) = (100, Vec::new());
        for _ in 0..40 {
            for wanted in book.wanted(&here, false) {
                let review = SubtaskId(next);
                next += 1;
                book.asked(review, wanted.claims.clone());
                let answer = answers.next().unwrap();
                let reviewer = here.iter().rev().find(|person| !wanted.not.contains(&person.id));
                let Some(reviewer) = reviewer.filter(|_| answer != 7) else {
                    book.gave_up(review);
                    continue;
                };
                let verdict = Verdict::ALL[usize::from(answer) % 3];
                for claim in &wanted.claims {
                    prop_assert!(readers[&claim.reading] != reviewer.id);
                    prop_assert!(seen.insert((reviewer.id.clone(), *claim)));
                    *rejected.entry(*claim).or_default() += usize::from(verdict.rejects());
                }
                book.reviewed(review, reviewer, &vec![verdict; wanted.claims.len()]);
            }
            settled.extend(book.settled());
        }
        prop_assert!(!book.any_open());
        prop_assert_eq!(settled.len(), counts.len());
        for one in &settled {
            for (at, (_, fate)) in one.claims.iter().enumerate() {
                let against = rejected.get(&ClaimId { reading: one.reading, at }).copied().unwrap_or(0);
                match fate {
                    Fate::Accepted(p) => prop_assert!(*p <= TOLERATED && against < 2),
                    Fate::NotReviewed(_) => prop_assert_eq!(against, 0),
                    Fate::Rejected => prop_assert!(against > 1),
                    Fate::LeftOut => prop_assert!(against > 0 || providers > 1),
                }
            }
        }
    }
}
