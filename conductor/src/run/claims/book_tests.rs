use frlm_verifier::claims::gold::{Change, Gold};
use frlm_verifier::claims::{LineRange, Quote};
use proptest::prelude::*;

use super::*;
use crate::run::claims::outcome::{TOLERATED, family};
use crate::run::claims::rules::RULES;

#[path = "rules_tests.rs"]
mod by_rules;

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
    let mut book = Book::new(RULES, 7);
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
        book.reviewed((review, 0), reviewer, &verdicts);
    }
}

/// Gold of nobody's claims.
fn gold(at: usize, change: Change) -> Gold {
    Gold { id: format!("gold {at}"), claim: claims(at + 1).remove(at), change }
}

fn offer(book: &mut Book, at: usize, change: Change, known_to: &[&str]) {
    let p_false = if change.is_false() { 1.0 } else { 0.03 };
    let known_to = known_to.iter().map(|id| (*id).to_owned()).collect();
    book.examination.offer(gold(at, change), p_false, known_to);
}

/// Answers what a sheet shows: gold rightly or wrongly, claims by `verdict`.
fn answers(items: &[Item], is_right: bool, verdict: impl Fn(usize) -> Verdict) -> Vec<Verdict> {
    let of = |item: &Item| match item {
        Item::Claim(at) => verdict(*at),
        Item::Gold(gold) if gold.change.is_false() == is_right => Verdict::Contradicted,
        Item::Gold(_) => Verdict::Supported,
    };
    items.iter().map(of).collect()
}

fn golds(items: &[Item]) -> usize {
    items.iter().filter(|item| matches!(item, Item::Gold(_))).count()
}

/// A record of so much gold, all of it answered rightly.
fn examined(gold: u32) -> ClaimRecord {
    let mut record = ClaimRecord::default();
    for at in 0..gold {
        let (is_false, verdict) =
            if at % 2 == 0 { (true, Verdict::Contradicted) } else { (false, Verdict::Supported) };
        record.observe(Observation::Gold { is_false, p_false: f64::from(u8::from(is_false)), verdict });
    }
    record
}

fn outcomes(settled: &[Settled]) -> Vec<ClaimOutcome> {
    settled.iter().flat_map(|settled| settled.claims.iter().map(|(_, outcome)| *outcome)).collect()
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
    assert!(
        outcomes(&settled)
            .iter()
            .all(|outcome| matches!(outcome, ClaimOutcome::Accepted(p) if *p <= RULES.accept_at))
    );
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
    assert_eq!(outcomes(&book.settled()), [ClaimOutcome::Rejected]);
}

#[test]
fn a_second_newcomer_is_asked_after_those_who_have_a_record() {
    let here = people(&["a", "b", "c", "known"]);
    let mut book = reading("a", 1);
    let mut record = ClaimRecord::default();
    (0..20).for_each(|_| record.observe(Observation::Claim { p_false: 0.0 }));
    book.recall(HashMap::from([("known".to_owned(), record)]));
    assert!(book.wanted(&here, false)[0].rather.is_empty(), "the first one is anybody");
    round(&mut book, &here, &mut 1, |_, _| Verdict::Contradicted);
    let wanted = book.wanted(&here, false);
    assert_eq!(wanted[0].rather, BTreeSet::from([ProviderId::from("known")]));
    assert!(!wanted[0].not.contains("c"), "nobody waits for the other one");
    assert!(book.wanted(&here[..3], false)[0].rather.is_empty(), "a swarm of newcomers must begin");
}

#[test]
fn a_tie_that_nobody_can_break_leaves_the_claim_out() {
    let here = people(&["a", "b"]);
    let mut book = reading("a", 1);
    round(&mut book, &here, &mut 1, |_, _| Verdict::Contradicted);
    book.wanted(&here, false);
    assert_eq!(outcomes(&book.settled()), [ClaimOutcome::Undecided]);
}

#[test]
fn where_nobody_else_is_here_claims_stand_without_a_review() {
    let mut book = reading("a", 2);
    assert!(book.wanted(&people(&["a"]), true).is_empty());
    assert!(book.settled().is_empty(), "somebody may come");
    assert!(book.wanted(&people(&["a"]), false).is_empty());
    assert!(outcomes(&book.settled()).iter().all(|outcome| matches!(outcome, ClaimOutcome::NotReviewed(_))));
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
    assert!(matches!(outcomes(&book.settled())[..], [ClaimOutcome::NotReviewed(_)]));
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
    let ids: Vec<ProviderId> = here.iter().map(|person| person.id.clone()).collect();
    assert!(book.newly_excluded(ids[1..].iter()).is_empty(), "who is not here is not told of");
    assert_eq!(book.newly_excluded(ids.iter()), [(ids[0].clone(), Found::ReadsFalsely)]);
    assert!(book.newly_excluded(ids.iter()).is_empty());
}

#[test]
fn each_newcomer_review_has_one_gold_claim_and_a_known_one_swaps_one_in() {
    let here = people(&["a", "b"]);
    let mut book = reading("a", 8);
    assert_eq!(book.wanted(&here, false)[0].claims.len(), 4, "without gold a review is full");
    offer(&mut book, 0, Change::Figure, &["a"]);
    let wanted = book.wanted(&here, false);
    assert_eq!(wanted.iter().map(|wanted| wanted.claims.len()).collect::<Vec<_>>(), [3, 3, 2]);
    book.asked(SubtaskId(1), wanted[0].claims.clone());
    let items = book.sheet((SubtaskId(1), 0), &"b".into(), true);
    assert_eq!((items.len(), golds(&items)), (4, 1));
    book.asked(SubtaskId(2), wanted[1].claims.clone());
    assert_eq!(golds(&book.sheet((SubtaskId(2), 0), &"b".into(), true)), 0, "gold serves once");

    let mut book = reading("a", 4);
    book.recall(HashMap::from([("b".to_owned(), examined(20))]));
    (0..40).for_each(|at| offer(&mut book, at, Change::Figure, &["a"]));
    let (mut with_gold, mut next) = (0, 1);
    for _ in 0..40 {
        let wanted = book.wanted(&here, false);
        assert_eq!(wanted[0].claims.len(), 4);
        book.asked(SubtaskId(next), wanted[0].claims.clone());
        let items = book.sheet((SubtaskId(next), 0), &"b".into(), true);
        assert_eq!(items.len(), 4, "how many there are tells nothing");
        with_gold += golds(&items);
        book.reviewed((SubtaskId(next), 0), &here[1], &answers(&items, true, |_| Verdict::Supported));
        // What gave way is wanted in a review of its own.
        let left = book.wanted(&here, false).first().map_or(0, |wanted| wanted.claims.len());
        assert_eq!(left, golds(&items));
        book.forget(SubtaskId(0));
        book.take(SubtaskId(0), here[0].clone(), claims(4), 0);
        next += 1;
    }
    assert!((2..=16).contains(&with_gold), "a fifth of 40 reviews: {with_gold}");
}

#[test]
fn gold_is_hidden_from_readers_of_its_part_and_from_answer_sentences() {
    let here = people(&["a", "b"]);
    let mut book = reading("a", 2);
    offer(&mut book, 0, Change::Figure, &["b"]);
    book.asked(SubtaskId(1), book_claims(2));
    assert_eq!(golds(&book.sheet((SubtaskId(1), 0), &here[1].id, true)), 0);
    assert_eq!(book.acquainted(SubtaskId(0)), BTreeSet::from(["a".to_owned(), "b".to_owned()]));

    let mut book = reading("a", 2);
    book.is_written(SubtaskId(0));
    offer(&mut book, 0, Change::Figure, &[]);
    book.asked(SubtaskId(1), book_claims(2));
    let items = book.sheet((SubtaskId(1), 0), &here[1].id, true);
    assert_eq!(items, [Item::Claim(0), Item::Claim(1)], "in their order");
}

fn book_claims(count: usize) -> Vec<ClaimId> {
    (0..count).map(|at| ClaimId { reading: SubtaskId(0), at }).collect()
}

#[test]
fn a_review_that_fails_its_gold_counts_for_nothing_and_is_asked_for_again() {
    let here = people(&["a", "b"]);
    let mut book = reading("a", 2);
    offer(&mut book, 0, Change::Negation, &[]);
    let wanted = book.wanted(&here, false);
    book.asked(SubtaskId(1), wanted[0].claims.clone());
    let items = book.sheet((SubtaskId(1), 0), &here[1].id, true);
    let came = book.reviewed((SubtaskId(1), 0), &here[1], &answers(&items, false, |_| Verdict::Supported));
    assert_eq!(came, Came::Fails { gold: 1, wrong: 1 });
    assert!(book.wanted(&here, false).is_empty() && book.settled().is_empty());
    book.gave_up(SubtaskId(1));
    assert_eq!(book.wanted(&here, false)[0].claims.len(), 2, "it was not heard, and may be asked once more");
    round(&mut book, &here, &mut 2, |_, _| Verdict::Supported);
    book.wanted(&here, false);
    let settled = book.settled();
    assert_eq!(settled[0].claims.iter().map(|(claim, _)| claim.clone()).collect::<Vec<_>>(), claims(2));
}

#[test]
fn what_rests_on_a_blind_reviewer_is_decided_once_more() {
    let here = people(&["a", "b", "c", "d"]);
    let mut book = Book::new(RULES, 7);
    for id in 0..3 {
        book.take(SubtaskId(id), here[0].clone(), claims(1), 0);
    }
    let claim = |reading| vec![ClaimId { reading: SubtaskId(reading), at: 0 }];
    // The stamp bears out two readings, one of them beside an honest reviewer; the third is open.
    for (review, reading, reviewer) in [(10, 0, 1), (11, 1, 1), (12, 1, 2), (13, 2, 1)] {
        book.asked(SubtaskId(review), claim(reading));
        book.reviewed((SubtaskId(review), 0), &here[reviewer], &[Verdict::Supported]);
    }
    book.asked(SubtaskId(14), claim(2));
    book.wanted(&here, false);
    assert_eq!(book.settled().len(), 2);
    let mut stamp = ClaimRecord::default();
    let passes = Observation::Gold { is_false: true, p_false: 1.0, verdict: Verdict::Supported };
    (0..8).for_each(|_| stamp.observe(passes));
    book.recall(HashMap::from([("b".to_owned(), stamp)]));
    let ids = [here[1].id.clone()];
    let found = book.newly_excluded(ids.iter());
    assert_eq!(found, [(ids[0].clone(), Found::ReviewsBlindly { gold: 8, wrong: 8 })]);
    assert_eq!(book.doubt(&ids[0], true), 1, "what another bore out stands");
    assert!(book.any_again());
    book.reviewed((SubtaskId(14), 0), &here[2], &[Verdict::Contradicted]);
    let mut next = 20;
    for _ in 0..3 {
        round(&mut book, &here, &mut next, |_, _| Verdict::Contradicted);
    }
    let settled = book.settled();
    assert_eq!(
        settled.iter().map(|one| (one.reading.0, one.again.is_some())).collect::<Vec<_>>(),
        [(0, true), (2, false)]
    );
    assert_eq!(outcomes(&settled), [ClaimOutcome::Rejected, ClaimOutcome::Rejected]);
}

#[test]
fn claims_that_fall_to_code_exclude_no_reader_whose_others_stand() {
    let here = people(&["a", "b"]);
    let mut book = Book::new(RULES, 7);
    book.take(SubtaskId(0), person("a", "a"), claims(6), 3);
    round(&mut book, &here, &mut 1, |_, _| Verdict::Supported);
    book.wanted(&here, false);
    let settled = book.settled();
    assert!(
        outcomes(&settled).iter().all(|outcome| matches!(outcome, ClaimOutcome::Accepted(_))),
        "{settled:?}"
    );
    assert!(book.newly_excluded(["a".into()].iter()).is_empty());
}

#[test]
fn the_family_of_a_model_is_what_its_name_begins_with() {
    assert_eq!(family("Qwen2.5-7B-Instruct-Q4_K_M"), "qwen");
    assert_eq!(family("/models/mistral-7b.gguf"), "mistral");
    assert_eq!(family("7b"), "7b");
}

/// What a property holds a run against.
#[derive(Default)]
struct Seen {
    readers: BTreeMap<SubtaskId, ProviderId>,
    heard: BTreeSet<(ProviderId, ClaimId)>,
    rejected: BTreeMap<ClaimId, usize>,
    golds: BTreeSet<String>,
}

impl Seen {
    /// A sheet shows claims once, at most one gold claim, which nobody was shown before and its reviewer knows nothing of.
    fn sheet(
        &mut self,
        items: &[Item],
        wanted: &Wanted,
        known_to: &BTreeMap<String, BTreeSet<String>>,
        by: &str,
    ) {
        let places: BTreeSet<usize> = items
            .iter()
            .filter_map(|item| if let Item::Claim(at) = item { Some(*at) } else { None })
            .collect();
        assert!(
            items.len() <= MOST_REVIEWED && places.len() + golds(items) == items.len() && golds(items) < 2
        );
        assert!(places.iter().all(|at| *at < wanted.claims.len()));
        for item in items {
            let Item::Gold(gold) = item else { continue };
            assert!(self.golds.insert(gold.id.clone()), "{} is used twice", gold.id);
            assert!(!known_to[&gold.id].contains(by));
        }
    }

    fn verdict(&mut self, reviewer: &ProviderId, claim: ClaimId, verdict: Verdict) {
        assert!(self.readers[&claim.reading] != *reviewer);
        assert!(self.heard.insert((reviewer.clone(), claim)), "it is heard twice");
        *self.rejected.entry(claim).or_default() += usize::from(verdict.rejects());
    }
}

proptest! {
    #[test]
    fn every_reading_is_settled_and_gold_is_none_of_its_claims(
        counts in prop::collection::vec(0_usize..7, 1..8),
        providers in 1_usize..6,
        with_gold: bool,
        answered in prop::collection::vec(0_u8..16, 0..200),
    ) {
        let ids: Vec<String> = (0..providers).map(|at| format!("p{at}")).collect();
        let here: Vec<Person> = ids.iter().map(|id| person(id, id)).collect();
        let mut book = Book::new(RULES, 7);
        let (mut seen, mut known_to) = (Seen::default(), BTreeMap::new());
        let mut to_come = counts.iter().enumerate();
        let mut answered = answered.into_iter().chain(std::iter::repeat(0));
        let (mut next, mut settled, mut blind) = (100, Vec::new(), BTreeSet::new());
        for _ in 0..120 {
            // One reading after the other, so that later ones have gold of the first.
            if let Some((at, count)) = to_come.next() {
                let id = SubtaskId(u32::try_from(at).unwrap());
                let reader = &here[at % here.len()];
                seen.readers.insert(id, reader.id.clone());
                book.take(id, reader.clone(), claims(*count), at % 2);
            }
            let able: Vec<Person> = here.iter().filter(|person| !blind.contains(&person.id)).cloned().collect();
            for wanted in book.wanted(&able, false) {
                let review = SubtaskId(next);
                next += 1;
                book.asked(review, wanted.claims.clone());
                let answer = answered.next().unwrap();
                let reviewer = able.iter().rev().find(|person| !wanted.not.contains(&person.id));
                let Some(reviewer) = reviewer.filter(|_| answer % 8 != 7) else {
                    book.gave_up(review);
                    continue;
                };
                let items = book.sheet((review, 0), &reviewer.id, true);
                seen.sheet(&items, &wanted, &known_to, &reviewer.id);
                let verdict = Verdict::ALL[usize::from(answer) % 3];
                match book.reviewed((review, 0), reviewer, &answers(&items, answer < 8, |_| verdict)) {
                    Came::Fails { .. } => book.gave_up(review),
                    Came::Counts { claims, .. } => {
                        prop_assert_eq!(claims, items.len() - golds(&items));
                        for item in &items {
                            if let Item::Claim(at) = item {
                                seen.verdict(&reviewer.id, wanted.claims[*at], verdict);
                            }
                        }
                    }
                }
            }
            let ids: Vec<ProviderId> = here.iter().map(|person| person.id.clone()).collect();
            for (id, found) in book.newly_excluded(ids.iter()) {
                if let Found::ReviewsBlindly { .. } = found {
                    book.doubt(&id, false);
                    blind.insert(id);
                }
            }
            for one in book.settled() {
                for (at, (_, outcome)) in one.claims.iter().enumerate().filter(|_| with_gold) {
                    let change = match outcome {
                        ClaimOutcome::Accepted(_) if at % 2 == 0 => Change::Unchanged,
                        ClaimOutcome::Accepted(_) => Change::Figure,
                        ClaimOutcome::Rejected => Change::FoundFalse,
                        _ => continue,
                    };
                    let mut made = gold(at, change);
                    (made.id, made.claim.text) = (format!("{:?} {at}", one.reading), format!("gold {:?} {at}", one.reading));
                    known_to.insert(made.id.clone(), book.acquainted(one.reading));
                    book.examination.offer(made, 0.5, book_acquainted(&known_to, &one, at));
                }
                settled.push(one);
            }
        }
        prop_assert!(!book.any_open());
        prop_assert_eq!(settled.len(), counts.len());
        prop_assert!(with_gold || seen.golds.is_empty());
        let is_anybody_unheard = here.iter().any(|person| !book.records.is_heard(&person.id));
        for one in &settled {
            let texts: Vec<Claim> = one.claims.iter().map(|(claim, _)| claim.clone()).collect();
            prop_assert_eq!(texts, claims(counts[one.reading.0 as usize]));
            for (at, (_, outcome)) in one.claims.iter().enumerate() {
                let against = seen.rejected.get(&ClaimId { reading: one.reading, at }).copied().unwrap_or(0);
                match outcome {
                    ClaimOutcome::Accepted(p) => prop_assert!(*p <= TOLERATED && (against < 2 || is_anybody_unheard)),
                    ClaimOutcome::NotReviewed(_) => prop_assert!(against == 0 || is_anybody_unheard),
                    ClaimOutcome::Rejected => prop_assert!(against > 1),
                    ClaimOutcome::Undecided => prop_assert!(against > 0 || providers > 1),
                    ClaimOutcome::Unjudged => prop_assert!(false, "no verdict is needed under these rules"),
                }
            }
        }
    }

    /// A book in which a reviewer is shown gold, and one in which its record has the same gold from an earlier run.
    #[test]
    fn gold_moves_what_is_believed_of_a_claim_by_its_reviewers_record_alone(
        said in prop::collection::vec(0_usize..3, 3),
        others in prop::collection::vec(0_usize..3, 3),
        before in 0_u32..8,
        is_false: bool,
    ) {
        let here = people(&["a", "b", "c"]);
        let verdict = |said: &[usize], at: usize| Verdict::ALL[said[at]];
        let change = if is_false { Change::Negation } else { Change::Unchanged };
        let p_false = if is_false { 1.0 } else { 0.03 };
        let right = if is_false { Verdict::Contradicted } else { Verdict::Supported };
        let confidences = |in_run: bool| {
            let mut book = reading("a", 3);
            let mut record = examined(before);
            if in_run {
                offer(&mut book, 0, change, &[]);
            } else {
                record.observe(Observation::Gold { is_false, p_false, verdict: right });
            }
            book.recall(HashMap::from([("b".to_owned(), record)]));
            book.asked(SubtaskId(1), book_claims(3));
            let items = book.sheet((SubtaskId(1), 0), &here[1].id, true);
            let shown = golds(&items);
            book.reviewed((SubtaskId(1), 0), &here[1], &answers(&items, true, |at| verdict(&said, at)));
            book.asked(SubtaskId(2), book_claims(3));
            let all: Vec<Verdict> = (0..3).map(|at| verdict(&others, at)).collect();
            book.reviewed((SubtaskId(2), 0), &here[2], &all);
            book.wanted(&[], false);
            (shown, book.settled())
        };
        let (shown, with) = confidences(true);
        let (_, without) = confidences(false);
        prop_assert_eq!(shown, 1);
        prop_assert!(with == without, "{:?} {:?}", with, without);
    }
}

fn book_acquainted(
    known_to: &BTreeMap<String, BTreeSet<String>>,
    one: &Settled,
    at: usize,
) -> BTreeSet<String> {
    known_to[&format!("{:?} {at}", one.reading)].clone()
}

/// docs/money.md, "Readings and reviews": what a reading of six claims earns on average, where each falls by chance.
#[test]
fn a_reading_is_paid_whole_or_not_and_who_lies_in_half_seldom_is() {
    let earned = |falls: f64| {
        let of = |outcome: u32| {
            let fell = |at: usize| outcome & (1 << at) != 0;
            let outcome = |at| if fell(at) { ClaimOutcome::Rejected } else { ClaimOutcome::Accepted(0.03) };
            let claims: Vec<(Claim, ClaimOutcome)> = claims(6).into_iter().zip((0..6).map(outcome)).collect();
            let chance: f64 = (0..6).map(|at| if fell(at) { falls } else { 1.0 - falls }).product();
            let (reading, reader) = (SubtaskId(0), ProviderId::from("a"));
            let settled = Settled { reading, reader, claims, fallen: 0, prior: 0.1, again: None };
            if settled.is_earned() { chance } else { 0.0 }
        };
        (0..64).map(of).sum::<f64>()
    };
    for (falls, share) in [(0.03, 0.9995), (1.0 / 6.0, 0.938), (0.5, 0.344), (1.0, 0.0)] {
        assert!((earned(falls) - share).abs() < 5e-4, "{falls}: {}", earned(falls));
    }
}
