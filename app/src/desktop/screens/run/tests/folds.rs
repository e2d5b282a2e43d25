//! Folding: what comes twice, and in which batches.

use proptest::prelude::*;

use super::super::messages::Event;
use super::super::samples::{Recipe, shown};
use super::super::state::Run;
use crate::desktop::widgets::Unit;

#[test]
fn records_that_came_before_are_not_folded_twice() {
    let records = Recipe::done(41);
    let mut run = shown(records.clone(), false);
    let before = run.clone();
    run.apply(Event::Records { id: run.id.clone(), records });
    assert_eq!(run, before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Live events come in other batches than stored ones; what is on screen is the same.
    #[test]
    fn batches_do_not_matter(cuts in prop::collection::vec(1..200_usize, 1..40)) {
        let records = Recipe::done(41);
        let whole = shown(records.clone(), false);
        let mut run = Run::default();
        run.apply(Event::Opened { id: whole.id.clone(), live: false, unit: Unit::Sats });
        let mut rest = records.as_slice();
        for cut in cuts.into_iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (batch, after) = rest.split_at(cut.min(rest.len()));
            run.apply(Event::Records { id: whole.id.clone(), records: batch.to_vec() });
            rest = after;
        }
        run.apply(Event::Loaded { id: whole.id.clone(), damage: None });
        prop_assert_eq!(run, whole);
    }
}
