use frlm_conductor::run::claims::outcome::Person;
use frlm_conductor::run::claims::rules::RULES;
use frlm_verifier::claims::check;
use frlm_verifier::claims::draws::Draws;

use super::documents::Part;
use super::people::{Kind, Lie, Provider, Rates, read};
use super::tally::{Figure, Tally};
use super::world::{Policy, World, simulate};
use super::{Against, by_policy};

const PERFECT: Rates = Rates { pass: 1.0, catch_easy: 1.0, catch_hard: 1.0 };

fn world() -> World {
    World { tokens: 1_200, ..World::honest(PERFECT) }
}

fn provider(kind: Kind) -> Provider {
    Provider {
        person: Person { id: "a".into(), family: "alder".to_owned() },
        family: 0,
        kind,
        reviewed: 0,
        is_found: false,
    }
}

fn as_runs(world: &World, seed: u64) -> Tally {
    simulate(world, &Policy::as_runs(Some(RULES)), 100, 600, seed)
}

#[test]
fn code_turns_down_no_true_claim_in_any_kind_of_document_and_any_language() {
    let mut draws = Draws::new(1, "parts");
    let mut sorts = std::collections::BTreeSet::new();
    for _ in 0..80 {
        let part = Part::write(&mut draws, &world());
        sorts.insert(part.sort);
        for fact in &part.facts {
            for text in &fact.claims {
                let quotes = vec![frlm_verifier::claims::Quote { lines: fact.lines, words: String::new() }];
                let claim = frlm_verifier::claims::Claim { text: text.clone(), quotes };
                assert!(check(&claim, &part.text).is_ok(), "{claim:?}");
            }
        }
        assert!((1_100..1_400).contains(&part.prompt_tokens), "{}", part.prompt_tokens);
    }
    assert_eq!(sorts.len(), 9);
}

#[test]
fn each_kind_of_lie_is_told() {
    let mut draws = Draws::new(2, "lies");
    let told = |lie: Lie, draws: &mut Draws| {
        let world = World { lie: Some(lie), injected: 1.0, ..world() };
        let parts: Vec<Part> = (0..40).map(|_| Part::write(draws, &world)).collect();
        let stated = parts.iter().flat_map(|part| {
            let stated = read(&provider(Kind::Liar), part, &world, &[], draws);
            stated.into_iter().map(|(claim, truth)| (check(&claim, &part.text).is_ok(), truth.is_false))
        });
        let stated: Vec<(bool, bool)> = stated.collect();
        let lies = stated.iter().filter(|(_, is_false)| *is_false).count();
        let passing = stated.iter().filter(|(passes, is_false)| *is_false && *passes).count();
        (stated.len(), lies, passing)
    };
    let (all, lies, passing) = told(Lie::OnARealQuote, &mut draws);
    assert!(
        (200..280).contains(&all) && (90..150).contains(&lies) && passing * 10 > lies * 9,
        "{all} {lies} {passing}"
    );
    let (_, lies, passing) = told(Lie::InventedFigure, &mut draws);
    // Those that pass are honest mistakes.
    assert!(lies > 80 && passing * 10 < lies, "{lies} {passing}");
    let (all, lies, _) = told(Lie::Omission, &mut draws);
    assert!((90..150).contains(&all) && lies < all / 10, "{all} {lies}");
    let (_, lies, _) = told(Lie::Copied, &mut draws);
    assert!(lies > 70, "{lies}");
    let (all, lies, _) = told(Lie::Obedience, &mut draws);
    assert_eq!((all, lies), (40, 40));
}

#[test]
fn with_reviewers_that_never_err_every_true_claim_stands_and_no_other() {
    let tally = as_runs(&world(), 1);
    let figure = |figure: Figure| tally.figure(figure);
    assert!((figure(Figure::TrueAccepted) - 1.0).abs() < 1e-9, "{tally:?}");
    assert!(figure(Figure::FalseAmongAccepted) < 1e-9 && figure(Figure::FalseStated) > 0.005, "{tally:?}");
    assert!(figure(Figure::Tokens) > 1.0 && figure(Figure::VerdictsAClaim) > 1.0, "{tally:?}");
    assert!(figure(Figure::Gold) > 0.02, "{tally:?}");
    // One of twelve, as runs do it.
    assert!((0.06..0.11).contains(&figure(Figure::ReadTwice)), "{tally:?}");
}

#[test]
fn a_world_is_the_same_each_time_and_others_are_others() {
    let world = World { liars: 0.3, ..world() };
    let [one, again, other] = [1, 1, 2].map(|seed| format!("{:?}", as_runs(&world, seed)));
    assert_eq!(one, again);
    assert_ne!(one, other);
}

#[test]
fn who_checks_claims_keeps_lies_out_and_who_knows_records_finds_liars() {
    let simulation = by_policy(500, 3).unwrap();
    assert!(simulation.about.starts_with("SIMULATED"), "{}", simulation.about);
    let [kept, slips] = simulation.against.as_slice() else { panic!("{simulation:?}") };
    let names: Vec<&str> = kept.lines.iter().map(|line| line.policy.as_str()).collect();
    assert_eq!(names, ["none", "redundancy:3/2", "redundancy:5/3", "adaptive"]);
    // At 30 % liars.
    let at = |against: &Against, policy: usize, measure: usize| against.lines[policy].values[measure][3];
    assert!((0.9..1.1).contains(&at(kept, 0, 1)), "one reading and no review: {kept:?}");
    for policy in 1..4 {
        assert!(at(slips, policy, 0) < at(slips, 0, 0) / 2.0, "{slips:?}");
        assert!(at(kept, policy, 0) > 0.9 && at(kept, policy, 1) > 1.2, "{kept:?}");
        assert!(at(slips, policy, 1) > 0.2, "{slips:?}");
    }
    assert!(
        at(kept, 2, 1) > at(kept, 3, 1),
        "three for every claim cost more than as many as it takes: {kept:?}"
    );
    assert!(at(slips, 0, 1).abs() < 1e-9, "nobody is held to anything: {slips:?}");
    assert!(slips.lines[3].values[1][0].is_nan(), "where nobody lies there is nobody to be found");
}
