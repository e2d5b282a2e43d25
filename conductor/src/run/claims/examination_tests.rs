use frlm_verifier::claims::gold::Change;
use frlm_verifier::claims::{Claim, Observation, Verdict};

use super::*;

fn gold(at: usize, change: Change) -> Gold {
    let claim = Claim { text: format!("claim {at}"), quotes: Vec::new() };
    Gold { id: at.to_string(), claim, change }
}

#[test]
fn as_much_true_gold_is_made_as_false_where_claims_can_be_changed() {
    let mut examination = Examination::new(1);
    let mut kinds = Vec::new();
    for at in 0..6 {
        let wanted = examination.wants().unwrap();
        kinds.push(wanted);
        let change = if wanted == Wanted::True { Change::Unchanged } else { Change::Name };
        examination.offer(gold(at, change), 0.0, BTreeSet::new()).unwrap();
    }
    assert_eq!(kinds[..4], [Wanted::FalseOrTrue, Wanted::True, Wanted::FalseOrTrue, Wanted::True]);
    let mut examination = Examination::new(1);
    (0..5).for_each(|at| drop(examination.offer(gold(at, Change::Unchanged), 0.0, BTreeSet::new())));
    assert_eq!(examination.wants(), Some(Wanted::False), "enough is true");
}

#[test]
fn there_is_an_end_to_the_gold_that_waits() {
    let mut examination = Examination::new(1);
    (0..2 * MOST_WAITING)
        .for_each(|at| drop(examination.offer(gold(at, Change::Name), 1.0, BTreeSet::new())));
    assert_eq!((examination.wants(), examination.pool.len()), (None, MOST_WAITING));
}

#[test]
fn gold_stands_at_every_place_of_a_sheet_and_is_graded_once() {
    let mut examination = Examination::new(1);
    let mut places = BTreeSet::new();
    for at in 0..60 {
        examination.offer(gold(at, Change::Name), 0.9, BTreeSet::new());
        let drawn = examination.draw("b", &ClaimRecord::default()).unwrap();
        let items = (0..3).map(Item::Claim).chain([Item::Gold(drawn.clone())]).collect();
        let items = examination.write((SubtaskId(0), 0), items, true);
        places.insert(items.iter().position(|item| matches!(item, Item::Gold(_))));
        assert_eq!(examination.take((SubtaskId(0), 0)), Some(items));
        let (is_false, p_false) = examination.grade(&drawn).unwrap();
        assert!(is_false && p_false > 0.8);
        assert!(examination.grade(&drawn).is_none());
    }
    assert_eq!(places.len(), 4);
}

#[test]
fn who_was_found_honest_by_much_gold_is_shown_little_of_it() {
    let mut record = ClaimRecord::default();
    for at in 0..20 {
        let is_false = at % 2 == 0;
        let verdict = if is_false { Verdict::NotStated } else { Verdict::Supported };
        record.observe(Observation::Gold { is_false, p_false: f64::from(u8::from(is_false)), verdict });
    }
    let mut examination = Examination::new(1);
    (0..200).for_each(|at| drop(examination.offer(gold(at, Change::Name), 1.0, BTreeSet::new())));
    let drawn = (0..100).filter(|_| examination.draw("b", &record).is_some()).count();
    assert!((8..35).contains(&drawn), "{drawn}");
    assert!(examination.draw("b", &ClaimRecord::default()).is_some());
}
