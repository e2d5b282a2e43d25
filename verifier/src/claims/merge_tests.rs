//! Merging: what is one fact, what contradicts, and that arrival does not matter.

use proptest::prelude::*;

use super::*;
use crate::claims::claim::LineRange;

fn stated(reader: &str, text: &str, line: u32) -> Stated {
    let quote = Quote { lines: LineRange::new(line, line + 1), words: String::new() };
    Stated { claim: Claim { text: text.to_owned(), quotes: vec![quote] }, reader: reader.to_owned() }
}

fn relation_of(left: &str, right: &str) -> Relation {
    compare(&stated("a", left, 1).claim, &stated("b", right, 1).claim)
}

#[test]
fn claims_with_the_same_facts_in_like_words_are_one() {
    let rent = "The tenant pays a rent of 900 EUR a month.";
    assert_eq!(relation_of(rent, "The tenant pays rent of € 900 a month."), Relation::Same);
    assert_eq!(
        relation_of(rent, "The tenant pays a rent of 950 EUR a month."),
        Relation::Conflict(Difference::Number)
    );
    assert_eq!(
        relation_of(rent, "The tenant pays a rent of 900 USD a month."),
        Relation::Conflict(Difference::Number)
    );
    assert_eq!(
        relation_of(rent, "The tenant never pays a rent of 900 EUR a month."),
        Relation::Conflict(Difference::Negation)
    );
    assert_eq!(relation_of(rent, "Pets are allowed."), Relation::Apart);
}

#[test]
fn a_claim_that_only_says_more_contradicts_nothing() {
    let less = "The offer is valid for three years.";
    assert_eq!(relation_of(less, "The offer is valid for three years, from 2 May 2026."), Relation::Similar);
    assert_eq!(
        relation_of("It ends on 2 May 2026 at the latest.", "It ends on 3 May 2026 at the latest."),
        Relation::Conflict(Difference::Date),
    );
    assert_eq!(relation_of("The rent is 900 EUR.", "As a deposit 2,000 EUR are paid."), Relation::Apart);
}

/// Each pair has most letters in common, and states two things.
#[test]
fn other_words_order_or_limits_are_not_taken_for_the_same_fact() {
    for (left, right) in [
        ("The rent is paid by Weber every month.", "The rent is paid by Patel every month."),
        ("The rent is paid by Weber.", "The rent is paid by Anna Weber."),
        ("Weber pays a rent of 900 EUR to Patel.", "Patel pays a rent of 900 EUR to Weber."),
        ("The tenant pays for repairs of the roof.", "The landlord pays for repairs of the roof."),
        ("The employer pays for the training.", "The employee pays for the training."),
        ("The rights granted here are revocable.", "The rights granted here are irrevocable."),
        ("Rent is due before the end of the month.", "Rent is due after the end of the month."),
        ("The tenant may sublet two rooms.", "The tenant may sublet only two rooms."),
        ("The tenant pays 900 EUR a month.", "The tenant pays 900 EUR a year."),
        ("Rent begins in the house in May.", "Rent begins in the house in June."),
        ("The roof must be paid and not the garden.", "The garden must be paid and not the roof."),
        ("Weber pays 900 EUR and Patel 800 EUR.", "Weber pays 800 EUR and Patel 900 EUR."),
        ("Die Miete zahlt der Käufer im Mai.", "Die Miete zahlt der Verkäufer im Mai."),
    ] {
        assert_eq!(relation_of(left, right), Relation::Similar, "{left} {right}");
    }
}

#[test]
fn endings_notations_and_small_words_do_not_matter() {
    for (left, right) in [
        (
            "The first rent of the flat is due from the tenant on 3 May 2026.",
            "The first rent of the flat is due from tenants on 2026-05-03.",
        ),
        (
            "Weber doit à Patel un loyer mensuel de 900 euros.",
            "Weber doit à Patel le loyer mensuel de 900 €.",
        ),
    ] {
        assert_eq!(relation_of(left, right), Relation::Same, "{left} {right}");
    }
}

#[test]
fn a_model_is_asked_between_the_bounds_and_its_answer_counts() {
    let claims = [
        stated("a", "Recipients automatically get a licence from the original licensors.", 1),
        stated("b", "Each recipient is licensed automatically by the original licensors.", 2),
    ];
    let merged = merge(&claims, &|_, _| None);
    assert_eq!((merged.groups.len(), merged.questions.as_slice()), (2, [(1, 0)].as_slice()));
    let merged = merge(&claims, &|_, _| Some(true));
    assert_eq!(merged.groups.len(), 1);
    assert_eq!(merged.groups[0].readers.len(), 2);
    assert!(merge(&claims, &|_, _| Some(false)).questions.is_empty());
}

#[test]
fn a_chain_of_small_differences_joins_nothing_far_apart() {
    let trees = ["alder", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "ivy"];
    let claims: Vec<Stated> = trees.windows(5).map(|trees| stated("r", &trees.join(" "), 1)).collect();
    let merged = merge(&claims, &|_, _| Some(true));
    let holds = |group: &Group, at: usize| group.members.contains(&at);
    assert!(merged.groups.iter().any(|group| group.members.len() > 1), "{merged:?}");
    assert!(!merged.groups.iter().any(|group| holds(group, 0) && holds(group, 4)), "{merged:?}");
}

#[test]
fn claims_about_other_lines_stay_apart() {
    let claims = [stated("a", "The rent is 900 EUR.", 1), stated("b", "The rent is 900 EUR.", 9)];
    assert_eq!(merge(&claims, &|_, _| Some(true)).groups.len(), 2);
}

#[test]
fn the_most_specific_words_stand_and_all_quotes_are_kept() {
    let claims = [
        stated("a", "The tenant pays the monthly rent.", 1),
        stated("b", "The tenant pays the full monthly rent.", 2),
    ];
    let merged = merge(&claims, &|_, _| Some(true));
    assert_eq!((merged.groups.len(), merged.groups[0].wording, merged.groups[0].quotes.len()), (1, 1, 2));
}

proptest! {
    #[test]
    fn the_result_does_not_depend_on_the_order_of_arrival(
        picks in proptest::collection::vec((0_usize..9, 0_u32..4, 0_u8..3), 0..10), turns in 0_usize..10
    ) {
        const TEXTS: [&str; 9] = [
            "The tenant pays 900 EUR a month.", "The tenant pays 950 EUR a month.", "The tenant pays EUR 900 every month.",
            "The tenant does not pay 900 EUR a month.", "A deposit is due.", "A deposit of 900 EUR is due.",
            "The tenant pays a deposit.", "The tenant pays 900 EUR a month in advance.", "The tenant pays.",
        ];
        let claims: Vec<Stated> = picks.iter().map(|&(text, line, reader)| stated(&reader.to_string(), TEXTS[text], line + 1)).collect();
        let mut turned = claims.clone();
        turned.rotate_left(turns.min(claims.len()));
        turned.reverse();
        let described = |claims: &[Stated]| {
            let merged = merge(claims, &|left, right| Some(left.text.len() == right.text.len()));
            let groups: Vec<_> = merged.groups.iter().map(|group| {
                let mut members: Vec<_> = group.members.iter().map(|&at| claims[at].clone()).collect();
                members.sort();
                (claims[group.wording].claim.clone(), members, group.quotes.clone())
            }).collect();
            (groups, merged.conflicts)
        };
        let (one, other) = (described(&claims), described(&turned));
        prop_assert_eq!(one, other);
    }

    /// Even if a model says of every pair that it is the same.
    #[test]
    fn no_group_has_two_figures_or_a_negation_beside_none(
        picks in proptest::collection::vec((0_usize..3, 0_usize..3, any::<bool>(), 0_u32..2), 0..12)
    ) {
        const SUBJECTS: [&str; 3] = ["The tenant", "The landlord", "Everybody in the house"];
        const FIGURES: [&str; 3] = ["900 EUR", "950 EUR", "3 May 2026"];
        let claims: Vec<Stated> = picks.iter().enumerate().map(|(at, &(subject, figure, negated, line))| {
            let verb = if negated { "does not owe the rent of" } else { "owes the rent of" };
            stated(&at.to_string(), &format!("{} {verb} {}.", SUBJECTS[subject], FIGURES[figure]), line + 1)
        }).collect();
        let merged = merge(&claims, &|_, _| Some(true));
        for group in &merged.groups {
            let kinds: BTreeSet<(usize, bool)> = group.members.iter().map(|&at| (picks[at].1, picks[at].2)).collect();
            prop_assert_eq!(kinds.len(), 1, "{:?}", group);
        }
        for &(one, other, _) in &merged.conflicts {
            prop_assert!(one != other && one < merged.groups.len() && other < merged.groups.len());
        }
    }

    #[test]
    fn every_claim_is_in_exactly_one_group(lines in proptest::collection::vec(0_u32..3, 0..8)) {
        let claims: Vec<Stated> = lines.iter().map(|&line| stated("r", "The tenant pays.", line + 1)).collect();
        let mut all: Vec<usize> = merge(&claims, &|_, _| None).groups.into_iter().flat_map(|group| group.members).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..claims.len()).collect::<Vec<_>>());
    }
}
