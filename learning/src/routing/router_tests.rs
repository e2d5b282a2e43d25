//! Who is chosen, and what is learned of that (seeds/load-balanced-rl-workflow.md, sections 2.3 and 3.5).

use proptest::prelude::*;

use super::*;
use crate::seeded::{Purpose, stream};

const CODING: TaskType = TaskType(1);
const CODER: RoleId = RoleId(1);

fn router() -> Router {
    let space = Space::seed();
    let learner = Learner::q_table(&space);
    Router::new(space, learner, LoadSettings::default())
}

fn greedy(router: &Router, available: &Availability, hints: Option<&Hints>) -> Result<Decision, NoRoute> {
    let mut rng = stream(1, 1, Purpose::Action);
    router.decide(CODING, available, hints, Mode::Greedy, &mut rng)
}

#[test]
fn the_penalty_is_read_before_the_assignment_is_recorded_section_2_3() {
    let mut router = router();
    let accounted: Vec<Accounted> = (0..4).map(|_| router.account(CODER)).collect();
    // The first assignment meets an empty window, the second one that is all coder.
    assert_eq!(accounted[0], Accounted { penalty: 0.0, next_load: LoadState::Balanced });
    assert_eq!(accounted[1], Accounted { penalty: 0.20, next_load: LoadState::Balanced });
    assert_eq!(accounted[2], Accounted { penalty: 0.20, next_load: LoadState::Hot(CODER) });
    assert!((accounted[3].penalty - 0.20).abs() < 1e-12);
}

#[test]
fn all_venues_down_is_told_from_roles_without_providers() {
    let router = router();
    let mut available = Availability::all(router.space());
    for venue in [VenueId(0), VenueId(1)] {
        available.close(router.space(), CODER, venue);
    }
    assert_ne!(greedy(&router, &available, None).unwrap().role, CODER, "another role steps in");
    for role in (0..4).map(RoleId) {
        for venue in [VenueId(0), VenueId(1)] {
            available.close(router.space(), role, venue);
        }
    }
    let nobody = greedy(&router, &available, None).unwrap_err();
    assert!(
        matches!(&nobody, NoRoute::RoleWithoutProviders { roles } if roles.contains("coder")),
        "{nobody}"
    );
    for venue in [VenueId(0), VenueId(1)] {
        available.close_venue(router.space(), venue);
    }
    let down = greedy(&router, &available, None).unwrap_err();
    assert_eq!(down, NoRoute::AllVenuesDown { venues: "local, swarm".to_owned() });
}

#[test]
fn an_unknown_task_type_is_named_with_those_that_are_known() {
    let words = router().task_type("poetry").unwrap_err().to_string();
    assert!(words.contains("poetry") && words.contains("research"));
}

#[test]
fn a_hint_decides_while_nothing_is_known_and_yields_to_experience() {
    let mut router = router();
    let available = Availability::all(router.space());
    let hints = Hints { role: Some((CODER, 1.0)), venue: Some((VenueId(1), f64::NAN)) };
    let hinted = greedy(&router, &available, Some(&hints)).unwrap();
    assert_eq!((hinted.role, hinted.venue), (CODER, VenueId(0)));
    let other = Decision { action: ActionId(6), ..hinted };
    for _ in 0..10 {
        let accounted = Accounted { penalty: 0.0, next_load: LoadState::Balanced };
        router.learn(&other, accounted, 0.9, None);
    }
    assert_eq!(greedy(&router, &available, Some(&hints)).unwrap().action, ActionId(6));
}

#[test]
fn production_updates_do_not_look_ahead_section_3_5() {
    let mut router = router();
    let decision = greedy(&router, &Availability::all(router.space()), None).unwrap();
    let accounted = router.account(decision.role);
    router.learn(&decision, accounted, 1.0, None);
    router.learn(&decision, accounted, 1.0, None);
    let values = router.learner().values(router.space(), &decision.situation);
    assert!((values[decision.action.0 as usize] - (0.15 + 0.15 * 0.85)).abs() < 1e-12);
}

#[test]
fn adapting_to_a_new_venue_keeps_what_was_learned() {
    let mut router = router();
    let decision = greedy(&router, &Availability::all(router.space()), None).unwrap();
    let accounted = router.account(decision.role);
    router.learn(&decision, accounted, 1.0, None);
    let mut venues = router.space().venues().to_vec();
    venues.push("endpoint".to_owned());
    let to =
        Space::new(router.space().task_types().to_vec(), router.space().roles().to_vec(), venues).unwrap();
    let adapted = router.adapted(to);
    assert!(adapted.is_sound());
    let again = greedy(&adapted, &Availability::all(adapted.space()), None).unwrap();
    assert!((again.value - 0.15).abs() < 1e-12);
}

proptest! {
    #[test]
    fn what_is_closed_is_never_chosen_and_identical_seeds_choose_alike(
        open in proptest::collection::vec(any::<bool>(), 8),
        past in proptest::collection::vec((0_u16..4, 0_u32..8, 0.0_f64..=1.0), 0..40),
        linear in any::<bool>(),
        greedy in any::<bool>(),
        task_type in 0_u16..4,
        hinted in proptest::option::of((0_u16..4, 0_u16..2)),
        seed in any::<u64>(),
    ) {
        let space = Space::seed();
        let learner = if linear { Learner::linear(&space) } else { Learner::q_table(&space) };
        let mut router = Router::new(space, learner, LoadSettings::default());
        for (task_type, action, reward) in past {
            let situation = router.situation(TaskType(task_type));
            let (role, venue) = router.space().parts(ActionId(action));
            let decision =
                Decision { situation, action: ActionId(action), role, venue, explored: false, value: 0.0 };
            let accounted = router.account(role);
            router.learn(&decision, accounted, reward, Some(TaskType(task_type)));
            router.end_iteration();
        }
        let mut available = Availability::all(router.space());
        for (action, open) in router.space().action_ids().zip(&open) {
            let (role, venue) = router.space().parts(action);
            if !open {
                available.close(router.space(), role, venue);
            }
        }
        let mode = if greedy { Mode::Greedy } else { Mode::Explore };
        let hints = hinted.map(|(role, venue)| Hints {
            role: Some((RoleId(role), 1.0)),
            venue: Some((VenueId(venue), 1.0)),
        });
        let decide = || {
            let mut rng = stream(seed, 0, Purpose::Action);
            router.decide(TaskType(task_type), &available, hints.as_ref(), mode, &mut rng)
        };
        match decide() {
            Ok(decision) => {
                prop_assert!(open[decision.action.0 as usize], "{decision:?}");
                prop_assert!(!(greedy && decision.explored));
            }
            Err(why) => {
                prop_assert!(!open.contains(&true), "{why}");
                let nobody = matches!(why, NoRoute::RoleWithoutProviders { .. });
                prop_assert!(nobody, "the venues are up");
            }
        }
        prop_assert_eq!(decide(), decide());
    }
}
