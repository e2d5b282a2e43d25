//! Pay: that honest work earns most, and that amounts are whole.

use proptest::prelude::*;

use super::*;
use crate::claims::draws::Draws;
use crate::claims::reviewer::{Confusion, StampTest};

/// What honest work on a claim costs, in pays for one.
const EFFORT: f64 = 0.3;

fn window(verdicts: impl IntoIterator<Item = (bool, Verdict)>) -> GoldWindow {
    let mut window = GoldWindow::default();
    verdicts.into_iter().for_each(|(is_false, verdict)| window.observe(is_false, verdict));
    window
}

#[test]
fn honest_work_is_paid_in_full_and_a_rubber_stamp_almost_nothing() {
    let honest = |at: u32| {
        let is_false = at.is_multiple_of(2);
        let errs = at % 7 == 3;
        (is_false, if is_false == errs { Verdict::Supported } else { Verdict::Contradicted })
    };
    assert_eq!(share_ppm(&window((0..32).map(honest)), 0.85, 0.5), 1_000_000);
    let stamp = share_ppm(&window((0..32).map(|at| (at % 2 == 0, Verdict::Supported))), 0.85, 0.5);
    assert_eq!(stamp, 122_003, "the prior of eight claims is all that it has");
    let always_no = share_ppm(&window((0..32).map(|at| (at % 2 == 0, Verdict::NotStated))), 0.85, 0.5);
    assert_eq!(always_no, stamp);
}

#[test]
fn a_newcomer_begins_between_nothing_and_all_and_is_then_paid_like_itself() {
    let after = |gold: u32, rejects_false: bool| {
        let verdict =
            |is_false| if is_false && rejects_false { Verdict::NotStated } else { Verdict::Supported };
        share_ppm(&window((0..gold).map(|at| (at % 2 == 0, verdict(at % 2 == 0)))), 0.85, 0.5)
    };
    assert_eq!(after(0, true), 610_015);
    let (honest, stamp): (Vec<u64>, Vec<u64>) =
        (0..=32).step_by(8).map(|gold| (after(gold, true), after(gold, false))).unzip();
    assert!(honest.windows(2).all(|pair| pair[0] <= pair[1]) && honest[1] > 950_000, "{honest:?}");
    assert!(stamp.windows(2).all(|pair| pair[0] > pair[1]), "{stamp:?}");
}

#[test]
fn a_family_no_better_than_chance_earns_nothing() {
    for honest in [0.0, 0.5, 0.55, f64::NAN] {
        assert_eq!(share_ppm(&GoldWindow::default(), honest, 0.5), 0, "{honest}");
    }
}

#[test]
fn amounts_are_rounded_down_to_whole_msats() {
    assert_eq!(pay_msats(333, 3, 1_000_000), 999);
    assert_eq!(pay_msats(333, 3, 333_333), 332);
    assert_eq!(pay_msats(1, 1, 999_999), 0);
    assert_eq!(pay_msats(u64::MAX, u64::MAX, u64::MAX), u64::MAX);
}

/// Ways of earning money with reviews.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Honest,
    /// Always supported, always rejected, by lot: no effort.
    AlwaysYes,
    AlwaysNo,
    ByLot,
    /// The contrary of what it finds, for the same effort.
    Inverted,
}

/// What a way earns a review after its effort, in pays for one. Who is found to be a rubber stamp begins again as a newcomer.
/// `share` is a constant share of gold, or the product's own.
fn earns(way: Way, pass: f64, catch: f64, share: Option<f64>, reviews: u32) -> f64 {
    let family = Confusion::assumed(pass, catch, 100.0);
    let honest = f64::midpoint(pass, catch);
    let mut sum = 0.0;
    for seed in 0..8 {
        let mut draws = Draws::new(seed, "pay");
        let (mut gold, mut test) = (GoldWindow::default(), StampTest::default());
        for _ in 0..reviews {
            if draws.chance(share.unwrap_or_else(|| test.gold_share())) {
                let is_false = draws.chance(0.5);
                let finds = if is_false { draws.chance(catch) } else { !draws.chance(pass) };
                let rejects = match way {
                    Way::Honest => finds,
                    Way::AlwaysYes => false,
                    Way::AlwaysNo => true,
                    Way::ByLot => draws.chance(0.5),
                    Way::Inverted => !finds,
                };
                let verdict = if rejects { Verdict::NotStated } else { Verdict::Supported };
                gold.observe(is_false, verdict);
                test.observe(is_false, verdict, &family);
                if test.is_stamp() {
                    (gold, test) = (GoldWindow::default(), StampTest::default());
                }
            }
            let effort = if matches!(way, Way::Honest | Way::Inverted) { EFFORT } else { 0.0 };
            sum += share_ppm(&gold, honest, 0.5) as f64 / WHOLE_PPM as f64 - effort;
        }
    }
    sum / f64::from(8 * reviews)
}

/// docs/claims.md, section 3, has the figures.
#[test]
fn honest_work_earns_more_than_any_other_way_at_every_share_of_gold() {
    for (pass, catch) in [(0.97, 0.95), (0.92, 0.83)] {
        for share in [Some(0.02), Some(0.03), Some(0.05), Some(0.15), None] {
            let honest = earns(Way::Honest, pass, catch, share, 4_000);
            for way in [Way::AlwaysYes, Way::AlwaysNo, Way::ByLot, Way::Inverted] {
                let other = earns(way, pass, catch, share, 4_000);
                println!("pass {pass} gold {share:?}: honest {honest:.3}, {way:?} {other:.3}");
                assert!(honest > other, "{pass} {share:?} {way:?}: {other} of {honest}");
            }
        }
    }
}

/// What a reading of six claims earns on average if each falls with a probability, in thousandths of its price.
fn reading_earns(falls: f64) -> u64 {
    let mut draws = Draws::new(1, "reading");
    let readings = 20_000;
    let earned: u64 = (0..readings)
        .map(|_| {
            let fallen = (0..6).filter(|_| draws.chance(falls)).count() as u64;
            reading_share_ppm(6 - fallen, fallen)
        })
        .sum();
    earned / readings / 1_000
}

/// docs/claims.md, section 3, has the figures.
#[test]
fn lies_cost_a_reading_more_than_honest_mistakes() {
    assert_eq!(reading_share_ppm(0, 0), 1_000_000);
    assert_eq!(reading_share_ppm(5, 1), 666_666);
    assert_eq!(reading_share_ppm(3, 3), 0);
    let earned = [0.03, 0.17, 0.5, 0.9].map(reading_earns);
    assert!((935..945).contains(&earned[0]) && (640..690).contains(&earned[1]), "{earned:?}");
    assert!((140..175).contains(&earned[2]) && earned[3] < 5, "{earned:?}");
}

/// Ways of earning money with reviews that are paid whole or not at all.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reviewing {
    Way(Way),
    /// Always supported, under another name whenever a review is not paid.
    Renamed,
    /// Three times supported, then rejected, as false gold is likelier then, under another name each time.
    Guesser,
    /// Honest until it is no newcomer, then always supported, until it is found.
    Sleeper,
}

/// What a run pays for: a review whose gold was answered rightly, or that had none, unless its reviewer is found. `newcomers` is
/// how likely a newcomer's review has gold; `None`: as the product has it. In pays for one review: what is left of it after the
/// effort, the reviews until a name was found, and how many were unpaid in a hundred.
fn run_pays(who: Reviewing, pass: f64, catch: f64, newcomers: Option<f64>, reviews: u32) -> (f64, f64, f64) {
    let family = Confusion::unmeasured();
    let (mut sum, mut found, mut unpaid) = (0.0, 0, 0);
    for seed in 0..8 {
        let mut draws = Draws::new(seed, "run");
        let (mut test, mut sleeps) = (StampTest::default(), false);
        for _ in 0..reviews {
            sleeps |= who == Reviewing::Sleeper && !test.is_examined();
            let way = match who {
                Reviewing::Way(way) => way,
                Reviewing::Renamed => Way::AlwaysYes,
                Reviewing::Guesser => {
                    if test.gold() < 2.5 {
                        Way::AlwaysYes
                    } else {
                        Way::AlwaysNo
                    }
                }
                Reviewing::Sleeper => {
                    if sleeps {
                        Way::AlwaysYes
                    } else {
                        Way::Honest
                    }
                }
            };
            let chance = newcomers.filter(|_| test.is_examined()).unwrap_or_else(|| test.gold_in_review());
            let mut is_paid = true;
            if draws.chance(chance) {
                let is_false = draws.chance(test.next_is_false());
                let finds = if is_false { draws.chance(catch) } else { !draws.chance(pass) };
                let rejects = match way {
                    Way::Honest => finds,
                    Way::AlwaysYes => false,
                    Way::AlwaysNo => true,
                    Way::ByLot => draws.chance(0.5),
                    Way::Inverted => !finds,
                };
                test.observe(
                    is_false,
                    if rejects { Verdict::NotStated } else { Verdict::Supported },
                    &family,
                );
                is_paid = rejects == is_false && !test.is_stamp();
                let leaves = test.is_stamp()
                    || (who == Reviewing::Renamed && !is_paid)
                    || (who == Reviewing::Guesser && test.gold() > 3.5);
                found += u32::from(test.is_stamp());
                if leaves {
                    (test, sleeps) = (StampTest::default(), false);
                }
            }
            let effort = if matches!(way, Way::Honest | Way::Inverted) { EFFORT } else { 0.0 };
            sum += f64::from(u8::from(is_paid)) - effort;
            unpaid += u32::from(!is_paid);
        }
    }
    let all = f64::from(8 * reviews);
    (sum / all, all / f64::from(found.max(1)), 100.0 * f64::from(unpaid) / all)
}

/// docs/claims.md, section 3, has the figures.
#[test]
fn in_a_run_an_honest_reviewer_earns_more_than_one_that_does_not_look() {
    for (pass, catch) in [(0.97, 0.95), (0.92, 0.83)] {
        let honest = Reviewing::Way(Way::Honest);
        for newcomers in [None, Some(0.53)] {
            let others = [Way::AlwaysYes, Way::AlwaysNo, Way::ByLot, Way::Inverted].map(Reviewing::Way);
            let others =
                others.into_iter().chain([Reviewing::Renamed, Reviewing::Guesser, Reviewing::Sleeper]);
            let (earned, found, unpaid) = run_pays(honest, pass, catch, newcomers, 4_000);
            println!("{pass} {newcomers:?} honest {earned:.3}, found after {found:.0}, {unpaid:.1} % unpaid");
            for other in others {
                let (theirs, found, unpaid) = run_pays(other, pass, catch, newcomers, 4_000);
                println!(
                    "{pass} {newcomers:?} {other:?} {theirs:.3}, found after {found:.0}, {unpaid:.1} % unpaid"
                );
                if newcomers.is_none() && other != Reviewing::Sleeper {
                    assert!(earned > theirs, "{pass} {other:?}: {theirs} of {earned}");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn a_claim_that_falls_never_pays(accepted in 0_u64..1_000, fallen in 0_u64..1_000) {
        let share = reading_share_ppm(accepted, fallen);
        prop_assert!(share <= WHOLE_PPM && reading_share_ppm(accepted, fallen + 1) <= share);
        prop_assert!(fallen == 0 || reading_share_ppm(accepted + 1, fallen) >= share);
    }

    #[test]
    fn nobody_is_paid_more_than_the_price(price in 0_u64..1_000_000, claims in 0_u64..1_000, share in 0_u64..2_000_000) {
        prop_assert!(pay_msats(price, claims, share) <= price * claims);
    }

    #[test]
    fn a_right_verdict_never_pays_less_than_a_wrong_one(
        past in proptest::collection::vec((any::<bool>(), any::<bool>()), 0..40), is_false: bool, honest in 0.6_f64..0.99,
    ) {
        let verdict = |rejects| if rejects { Verdict::Contradicted } else { Verdict::Supported };
        let past = window(past.into_iter().map(|(is_false, rejects)| (is_false, verdict(rejects))));
        let with = |rejects| {
            let mut window = past.clone();
            window.observe(is_false, verdict(rejects));
            share_ppm(&window, honest, 0.5)
        };
        prop_assert!(with(is_false) >= with(!is_false));
    }
}
