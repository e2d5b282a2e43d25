use frlm_conductor::route::Terms;
use frlm_learning::routing::space::RoleId;
use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use super::super::constraints::RoleSet;
use super::*;

const TERMS: Terms = Terms { price_msats_per_1k: 1_000, slots: 4 };
const NEEDS: Needs = Needs { role: None, skills: 0, tokens: 1_000, most_msats: 10_000, private: false };

fn offer() -> Offer {
    Offer {
        roles: RoleSet::of([RoleId(0)]),
        skills: 1,
        context_tokens: 4_096,
        terms: TERMS,
        is_own_machine: false,
    }
}

fn of(offers: impl IntoIterator<Item = Offer>) -> Providers {
    let mut providers = Providers::default();
    for (at, offer) in (0..).zip(offers) {
        providers.upsert(ProviderIndex(at), offer);
    }
    providers
}

fn lot(seed: u64) -> SmallRng {
    SmallRng::seed_from_u64(seed)
}

/// How often each provider is taken in so many picks.
fn taken(providers: &Providers, needs: &Needs, picks: u32) -> Vec<u32> {
    let mut lot = lot(1);
    let mut taken = vec![0; providers.len()];
    for _ in 0..picks {
        taken[providers.pick(needs, |_| true, &mut lot).unwrap().0 as usize] += 1;
    }
    taken
}

#[test]
fn each_constraint_rules_out_and_is_counted() {
    let providers = of([
        Offer { roles: RoleSet::of([RoleId(200)]), ..offer() },
        Offer { context_tokens: 999, ..offer() },
        Offer { terms: Terms { price_msats_per_1k: 10_001, ..TERMS }, ..offer() },
        Offer { terms: Terms { slots: 0, ..TERMS }, ..offer() },
        Offer { skills: 0, ..offer() },
    ]);
    let needs = Needs { role: Some(RoleId(0)), skills: 1, ..NEEDS };
    let why = providers.pick(&needs, |_| true, &mut lot(1)).unwrap_err();
    let expected = NobodySuits { all: 5, capability: 2, context: 1, budget: 1, room: 1, privacy: 0 };
    assert_eq!(why, expected);
    assert!(why.to_string().contains("1 are too dear") && why.to_string().contains("wait"));
    let private = Needs { private: true, ..NEEDS };
    assert_eq!(of([offer()]).pick(&private, |_| true, &mut lot(1)).unwrap_err().privacy, 1);
    let own = of([offer(), Offer { is_own_machine: true, ..offer() }]);
    assert_eq!(own.pick(&private, |_| true, &mut lot(1)), Ok(ProviderIndex(1)));
    let nobody = Providers::default().pick(&NEEDS, |_| true, &mut lot(1)).unwrap_err();
    assert!(nobody.to_string().contains("frlm provide"));
}

#[test]
fn the_price_is_rounded_up_against_the_budget() {
    let providers = of([Offer { terms: Terms { price_msats_per_1k: 1_000, ..TERMS }, ..offer() }]);
    let pick = |most_msats| {
        providers.pick(&Needs { tokens: 1_001, most_msats, ..NEEDS }, |_| true, &mut lot(1)).is_ok()
    };
    assert!(pick(1_001) && !pick(1_000));
}

#[test]
fn of_two_providers_the_cheaper_faster_idler_or_more_reliable_is_taken() {
    let both = || of([offer(), offer()]);
    let wins = |providers: &Providers| taken(providers, &NEEDS, 50) == [50, 0];
    let mut faithful = both();
    faithful.set_fidelity(ProviderIndex(0), 0.9);
    assert!(wins(&faithful));
    let cheaper = of([Offer { terms: Terms { price_msats_per_1k: 100, ..TERMS }, ..offer() }, offer()]);
    assert!(wins(&cheaper));
    let mut faster = both();
    faster.answered(ProviderIndex(0), 0.5);
    faster.answered(ProviderIndex(1), 4.0);
    assert!(wins(&faster));
    let mut idle = both();
    idle.sent(ProviderIndex(1));
    assert!(wins(&idle));
    let mut reliable = both();
    reliable.sent(ProviderIndex(1));
    reliable.failed(ProviderIndex(1));
    assert!(wins(&reliable));
}

#[test]
fn the_last_but_one_of_many_is_found_and_everybody_may_be_excluded() {
    let mut providers = of((0..2_000).map(|_| Offer { context_tokens: 10, ..offer() }));
    providers.upsert(ProviderIndex(1_990), offer());
    assert_eq!(providers.pick(&NEEDS, |_| true, &mut lot(3)), Ok(ProviderIndex(1_990)));
    assert!(providers.pick(&NEEDS, |provider| provider != ProviderIndex(1_990), &mut lot(3)).is_err());
}

#[test]
fn two_choices_spread_jobs_far_more_evenly_than_one() {
    let spread = |two: bool| {
        let mut providers = of((0..200).map(|_| Offer { terms: Terms { slots: 100, ..TERMS }, ..offer() }));
        let mut lot = lot(5);
        let mut most = 0;
        for _ in 0..2_000 {
            let only = ProviderIndex(lot.random_range(0..200));
            let picked = if two { providers.pick(&NEEDS, |_| true, &mut lot).unwrap() } else { only };
            providers.sent(picked);
            most = most.max(providers.state(picked).unwrap().held);
        }
        most
    };
    let (two, one) = (spread(true), spread(false));
    assert!(two <= 13 && one > 16, "ten each on average: {two} with two choices, {one} at random");
}

#[test]
fn who_goes_and_comes_back_keeps_its_record_but_no_jobs() {
    let mut providers = of([offer(), offer()]);
    providers.set_fidelity(ProviderIndex(0), 0.9);
    providers.sent(ProviderIndex(0));
    providers.remove(ProviderIndex(0));
    assert_eq!(providers.pick(&NEEDS, |_| true, &mut lot(1)), Ok(ProviderIndex(1)));
    providers.upsert(ProviderIndex(0), offer());
    assert_eq!((providers.len(), providers.state(ProviderIndex(0)).map(|state| state.held)), (2, Some(0)));
    assert_eq!(taken(&providers, &NEEDS, 20), [20, 0]);
}

fn offers() -> impl Strategy<Value = Vec<(Offer, u32)>> {
    let one = (0_u16..4, 0_u8..4, 0_u32..3_000, 0_u64..20_000, 0_u32..3, any::<bool>(), 0_u32..4).prop_map(
        |(role, skills, context_tokens, price_msats_per_1k, slots, own, held)| {
            let offer = Offer {
                roles: RoleSet::of([RoleId(role)]),
                skills,
                context_tokens,
                terms: Terms { price_msats_per_1k, slots },
                is_own_machine: own,
            };
            (offer, held)
        },
    );
    proptest::collection::vec(one, 0..40)
}

proptest! {
    #[test]
    fn a_pick_meets_every_hard_constraint_and_finds_any_suitable_provider(
        offers in offers(),
        role in proptest::option::of(0_u16..4),
        skills in 0_u8..4,
        tokens in 0_u32..3_000,
        most_msats in 0_u64..20_000,
        private in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut providers = Providers::default();
        for (at, (offer, held)) in (0..).zip(&offers) {
            providers.upsert(ProviderIndex(at), *offer);
            for _ in 0..*held {
                providers.sent(ProviderIndex(at));
            }
        }
        let needs = Needs { role: role.map(RoleId), skills, tokens, most_msats, private };
        // Written out once more, so that the product's check is held against something.
        let suits = |(offer, held): &(Offer, u32)| {
            (!private || offer.is_own_machine)
                && offer.skills & skills == skills
                && role.is_none_or(|role| offer.roles == RoleSet::of([RoleId(role)]))
                && offer.context_tokens >= tokens
                && u128::from(offer.terms.price_msats_per_1k) * u128::from(tokens) <= u128::from(most_msats) * 1_000
                && *held < offer.terms.slots
        };
        match providers.pick(&needs, |_| true, &mut lot(seed)) {
            Ok(picked) => prop_assert!(suits(&offers[picked.0 as usize])),
            Err(why) => {
                prop_assert!(!offers.iter().any(suits));
                let counted = why.privacy + why.capability + why.context + why.budget + why.room;
                prop_assert_eq!(counted, offers.len());
            }
        }
        let again = providers.pick(&needs, |_| true, &mut lot(seed)).ok();
        prop_assert_eq!(again, providers.pick(&needs, |_| true, &mut lot(seed)).ok());
    }
}

#[test]
fn a_heartbeat_can_only_make_a_provider_look_busier() {
    assert!(load(0, 4.0, Some(3)) > load(0, 4.0, Some(0)));
    assert!((load(0, 4.0, Some(3)) - load(3, 4.0, Some(0))).abs() < 1e-12, "we know of three jobs");
    assert!((load(1, 4.0, None) - 1.0).abs() < 1e-12, "it is not believed, and counts as full");
}
