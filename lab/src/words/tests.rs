use frlm_conductor::run::claims::book::RULES;
use frlm_conductor::run::claims::fate::Person;
use frlm_verifier::claims::check;
use frlm_verifier::claims::draws::Draws;
use serde_json::Value;

use super::documents::Part;
use super::people::{Kind, Lie, Provider, Rates, read};
use super::rows::rows;
use super::world::{Policy, World, simulate};

const PERFECT: Rates = Rates { pass: 1.0, catch_easy: 1.0, catch_hard: 1.0 };
const AS_RUNS: Policy =
    Policy { rules: RULES, newcomers_read: 1.0, newcomers_review: 1.0, other_families_first: false };

fn world() -> World {
    let first = rows()[0].world;
    World { rates: PERFECT, tokens: 1_200, ..first }
}

fn provider(kind: Kind) -> Provider {
    Provider { person: Person { id: "a".into(), family: "alder".to_owned() }, family: 0, kind, reviewed: 0 }
}

fn figures(world: &World, policy: &Policy, seed: u64) -> Value {
    super::report::json("", &[simulate(world, policy, 100, 600, seed)])["figures"].clone()
}

fn median(figures: &Value, name: &str) -> f64 {
    figures[name]["median"].as_f64().unwrap()
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
    let figures = figures(&world(), &AS_RUNS, 1);
    assert!((median(&figures, "TrueAccepted") - 1.0).abs() < 1e-9, "{figures}");
    assert!(
        median(&figures, "FalseAmongAccepted") < 1e-9 && median(&figures, "FalseStated") > 0.005,
        "{figures}"
    );
    assert!(median(&figures, "Tokens") > 1.0 && median(&figures, "VerdictsAClaim") > 1.0, "{figures}");
    assert!(median(&figures, "Gold") > 0.02, "{figures}");
    // One of twelve, as runs do it.
    assert!((0.06..0.11).contains(&median(&figures, "ReadTwice")), "{figures}");
}

#[test]
fn a_world_is_the_same_each_time_and_others_are_others() {
    let world = World { liars: 0.3, ..world() };
    let [one, again, other] = [1, 1, 2].map(|seed| figures(&world, &AS_RUNS, seed));
    assert_eq!(one, again);
    assert_ne!(one, other);
}
