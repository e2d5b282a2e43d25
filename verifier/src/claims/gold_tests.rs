//! Gold: what is changed, that it is false, and that it is used once.

use proptest::prelude::*;

use super::*;
use crate::claims::check;
use crate::claims::claim::{LineRange, Quote};

fn lease(lines: &[&str]) -> Text {
    let filler =
        ["Pets are welcome in the garden.", "The roof was painted in spring.", "Bicycles stand in the yard."];
    let lines = lines.iter().chain(filler.iter().cycle().take(12)).map(|line| (*line).to_owned());
    Text::new((1..).zip(lines), "Lease")
}

fn claim(text: &str) -> Claim {
    Claim { text: text.to_owned(), quotes: vec![Quote { lines: LineRange::new(1, 1), words: String::new() }] }
}

fn changed(line: &str, text: &str, change: Change) -> Option<String> {
    make(&claim(text), &lease(&[line]), change, 1).map(|gold| gold.claim.text)
}

#[test]
fn a_figure_or_date_is_exchanged_for_another_of_the_same_lines() {
    let line = "Rent is 900 EUR and the deposit 850 EUR, due on 3 May 2026 and 3 June 2026. Weber pays, Patel holds it.";
    assert_eq!(changed(line, "Rent is 900 EUR.", Change::Figure).as_deref(), Some("Rent is 850 EUR."));
    assert_eq!(
        changed(line, "Rent is due on 3 May 2026.", Change::Date).as_deref(),
        Some("Rent is due on 3 June 2026.")
    );
    assert_eq!(
        changed(line, "Rent is paid by Weber.", Change::Name).as_deref(),
        Some("Rent is paid by Patel.")
    );
    for (text, change) in [("Rent is 900 EUR.", Change::Figure), ("Rent is paid by Weber.", Change::Name)] {
        let gold = make(&claim(text), &lease(&[line]), change, 1).unwrap();
        assert!(check::check(&gold.claim, &lease(&[line])).is_ok(), "it looks like a claim that passed");
    }
    let alone = changed("Rent is 900 EUR.", "Rent is 900 EUR.", Change::Figure).unwrap();
    assert!(alone != "Rent is 900 EUR." && alone.starts_with("Rent is "), "{alone}");
}

#[test]
fn negations_go_in_and_out_in_three_languages() {
    for (text, negated) in [
        ("Rent is due.", "Rent is not due."),
        ("Rent is not due.", "Rent is due."),
        ("Die Miete ist fällig.", "Die Miete ist nicht fällig."),
        ("Der Mieter darf keine Tiere halten.", "Der Mieter darf eine Tiere halten."),
        ("Le loyer est dû.", "Le loyer n'est pas dû."),
    ] {
        assert_eq!(changed("Rent.", text, Change::Negation).as_deref(), Some(negated));
    }
    assert_eq!(changed("Rent.", "Nobody pays.", Change::Negation), None, "two negations may be true again");
}

#[test]
fn a_qualification_is_dropped() {
    for (text, dropped) in [
        ("The tenant may sublet if the landlord agrees.", "The tenant may sublet."),
        ("The offer is valid unless it is revoked, for a year.", "The offer is valid, for a year."),
        ("Der Mieter darf untervermieten, sofern der Vermieter zustimmt.", "Der Mieter darf untervermieten."),
        ("Le locataire peut partir sauf en hiver.", "Le locataire peut partir."),
        ("It is allowed only occasionally.", "It is allowed occasionally."),
    ] {
        assert_eq!(changed("Rent.", text, Change::Qualification).as_deref(), Some(dropped));
    }
    assert_eq!(changed("Rent.", "Rent is due.", Change::Qualification), None);
}

#[test]
fn other_lines_do_not_speak_of_the_claim() {
    let text = lease(&["Rent is 900 EUR."]);
    let gold = make(&claim("Rent is 900 EUR."), &text, Change::OtherLines, 3).unwrap();
    assert!(gold.claim.quotes[0].lines.first() > 5);
    assert_eq!(gold.claim.text, "Rent is 900 EUR.");
}

#[test]
fn a_seed_gives_one_gold_claim_whose_id_tells_nothing() {
    let text = lease(&["Rent is 900 EUR or 800 EUR or 700 EUR."]);
    let of = |change, seed| make(&claim("Rent is 900 EUR."), &text, change, seed).unwrap();
    assert_eq!(of(Change::Figure, 4), of(Change::Figure, 4));
    assert_eq!(of(Change::Figure, 4).id, of(Change::Unchanged, 4).id);
    assert_ne!(of(Change::Figure, 4).id, of(Change::Figure, 5).id);
}

#[test]
fn gold_is_handed_out_once_and_to_nobody_who_knows_the_claim() {
    let text = lease(&["Rent is 900 EUR."]);
    let mut pool = Pool::default();
    let gold = make(&claim("Rent is 900 EUR."), &text, Change::Unchanged, 1).unwrap();
    let known_to = BTreeSet::from(["reader".to_owned()]);
    assert!(pool.add(gold.clone(), known_to.clone()) && !pool.add(gold, known_to));
    let mut draws = Draws::new(1, "pool");
    assert_eq!(pool.take(true, "a", &mut draws), None);
    assert_eq!(pool.take(false, "reader", &mut draws), None);
    let out = pool.take(false, "a", &mut draws).unwrap();
    assert_eq!(pool.take(false, "a", &mut draws), None);
    assert_eq!(pool.settle(&out.id).as_ref(), Some(&out));
    assert_eq!(pool.settle(&out.id), None);
}

#[test]
fn real_claims_found_false_are_half_of_the_false_gold() {
    let text = lease(&["Rent is 900 EUR."]);
    let mut pool = Pool::default();
    for at in 0..200_u32 {
        let change = if at < 60 { Change::FoundFalse } else { Change::Figure };
        let gold = make(&claim(&format!("Rent number {at} is 900 EUR.")), &text, change, at.into()).unwrap();
        pool.add(gold, BTreeSet::new());
    }
    let mut draws = Draws::new(1, "pool");
    let real =
        (0..80).filter(|_| pool.take(true, "a", &mut draws).unwrap().change == Change::FoundFalse).count();
    assert!((40..60).contains(&real), "{real}");
}

proptest! {
    /// Whatever is changed, no true claim is handed out as false under the same words and lines.
    #[test]
    fn a_changed_claim_is_never_the_claim_itself(seed: u64, rent in 10_u32..5_000, other in 10_u32..5_000) {
        let line = format!("Weber owes {rent} EUR from 3 May 2026 and Patel {other} EUR from 4 June 2026, unless it rains.");
        let text = lease(&[&line]);
        let verified = claim(&format!("Weber owes {rent} EUR from 3 May 2026, unless it rains."));
        for change in Change::FALSE {
            if let Some(gold) = make(&verified, &text, change, seed) {
                prop_assert_ne!((&gold.claim.text, &gold.claim.quotes), (&verified.text, &verified.quotes), "{:?}", change);
            }
        }
    }
}

/// docs/claims.md, section 3.
#[test]
fn newcomers_get_seven_times_the_gold_of_reviewers_with_a_name() {
    let stakes = |at_stake| Stakes { effort: 0.3, recognised: 0.2, honest: 0.85, constant: 0.5, at_stake };
    assert!((share(&stakes(8.0)) - 0.134).abs() < 0.001);
    assert!((share(&stakes(58.0)) - 0.0185).abs() < 0.0005);
}
