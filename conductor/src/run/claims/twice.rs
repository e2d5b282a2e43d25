//! Parts that are read twice: how much one reader leaves out (docs/claims.md, section 4). Pure.
//!
//! ```text
//!   reading settled ─┬─ its part is not drawn ──────────────────────────────────────────► accepted
//!                    └─ drawn ─► kept ─┬─ sats and another reader ─► read again ─► both ─► accepted
//!                                      └─ neither ───────────────────────────────────────► accepted
//! ```
//!
//! Of eight parts one is drawn by lot, and every part once readers are known to leave out so much that another one is worth its
//! price. What both state needs no second review. Nobody is paid by what comes out.

use std::collections::BTreeMap;

use frlm_verifier::claims::completeness::{Mentions, new_share};
use frlm_verifier::claims::{Claim, Relation, merge};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::fate::Fate;
use crate::answer::Completeness;
use crate::dialect::MapAnswer;
use crate::scheduler::SubtaskId;

/// Of so many parts one is read twice …
const BLOCK: usize = 8;
/// … and of fewer than these none: a second reading would be much of the price of a short text.
const FEWEST: usize = 4;
/// Another reader is worth its price where this share of what it states will be new: a fact may cost twice of what facts have
/// cost so far.
const WORTH_ASKING: f64 = 0.4;
/// … once so many claims of parts that were read twice tell it.
const FEWEST_CLAIMS: usize = 12;

/// A reading whose part is to be read by somebody else, too.
#[derive(Debug, Clone)]
pub struct First {
    /// Who read it.
    pub reader: String,
    /// What of it stands.
    pub claims: Vec<(Claim, Fate)>,
    /// The same as answers, with what stands of readers before it.
    pub answers: Vec<MapAnswer>,
    /// Claims of it whose reviews do not settle them.
    pub disputed: usize,
    /// Whether it is paid.
    pub earned: bool,
    /// How far it is believed: of a reading that found nothing, its reader.
    pub belief: Option<f64>,
}

impl First {
    /// What became of a claim that states a fact of this reading.
    pub fn fate_of(&self, claim: &Claim) -> Option<Fate> {
        let states_it = |known: &&(Claim, Fate)| {
            known.0.overlaps(claim) && merge::compare(&known.0, claim) == Relation::Same
        };
        self.claims.iter().find(states_it).map(|(_, fate)| *fate)
    }
}

/// What is known of a first reading.
#[derive(Debug)]
struct Kept {
    first: First,
    is_asked: bool,
}

/// The parts that are read twice.
#[derive(Debug)]
pub struct Twice {
    seed: u64,
    /// Readings of the plan, in order.
    planned: Vec<SubtaskId>,
    kept: BTreeMap<SubtaskId, Kept>,
    /// Parts that two have read.
    parts: u32,
    /// How many of their readers stated each fact.
    sightings: Vec<u32>,
    mentions: Mentions,
}

impl Twice {
    /// `seed`: which parts are drawn nobody else may know.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            planned: Vec::new(),
            kept: BTreeMap::new(),
            parts: 0,
            sightings: Vec::new(),
            mentions: Mentions::default(),
        }
    }

    /// A reading is planned; ids count up.
    pub fn planned(&mut self, id: SubtaskId) {
        self.planned.push(id);
    }

    /// Whether a part is to be read twice.
    pub fn draws(&self, id: SubtaskId) -> bool {
        if self.sightings.len() >= FEWEST_CLAIMS && new_share(&self.sightings) > WORTH_ASKING {
            return true;
        }
        let Ok(at) = self.planned.binary_search(&id) else { return false };
        let block = self.planned.chunks(BLOCK).nth(at / BLOCK).unwrap_or_default();
        let mut lot = ChaCha8Rng::seed_from_u64(self.seed.wrapping_add((at / BLOCK) as u64));
        block.len() >= FEWEST && lot.random_range(0..block.len()) == at % BLOCK
    }

    /// Keeps a reading until somebody else has read its part.
    pub fn keep(&mut self, id: SubtaskId, first: First) {
        self.kept.insert(id, Kept { first, is_asked: false });
    }

    /// Parts for which nobody else has been asked yet.
    pub fn waiting(&self) -> Vec<SubtaskId> {
        self.kept.iter().filter(|(_, kept)| !kept.is_asked).map(|(id, _)| *id).collect()
    }

    /// Somebody else is asked.
    pub fn asked(&mut self, id: SubtaskId) {
        if let Some(kept) = self.kept.get_mut(&id) {
            kept.is_asked = true;
        }
    }

    /// The first reading of a part that is read twice.
    pub fn first(&self, id: SubtaskId) -> Option<&First> {
        self.kept.get(&id).map(|kept| &kept.first)
    }

    /// The same, which is accepted now.
    pub fn take(&mut self, id: SubtaskId) -> Option<First> {
        self.kept.remove(&id).map(|kept| kept.first)
    }

    /// Two have read a part: what stands of either, and how many of its claims the second one shares with the first.
    pub fn compared(&mut self, first: usize, second: usize, shared: usize) {
        self.parts += 1;
        let alone = (first + second).saturating_sub(2 * shared);
        self.sightings.extend(std::iter::repeat_n(2, shared).chain(std::iter::repeat_n(1, alone)));
        let [first, second, shared] =
            [first, second, shared].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        self.mentions.observe(first, shared);
        self.mentions.observe(second, shared);
    }

    /// What came out, where two have read anything.
    pub fn found(&self) -> Option<Completeness> {
        let shared = self.sightings.iter().filter(|count| **count == 2).count();
        (self.parts > 0 && !self.sightings.is_empty()).then(|| Completeness {
            parts: self.parts,
            facts: self.sightings.len(),
            shared,
            found_by_one: (self.mentions.share() * 100.0).round() / 100.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use frlm_verifier::claims::{LineRange, Quote};

    use super::*;

    fn planned(parts: u32) -> Twice {
        let mut twice = Twice::new(7);
        (0..parts).for_each(|id| twice.planned(SubtaskId(2 * id)));
        twice
    }

    fn drawn(twice: &Twice) -> Vec<u32> {
        twice.planned.iter().filter(|id| twice.draws(**id)).map(|id| id.0 / 2).collect()
    }

    #[test]
    fn of_eight_parts_one_is_drawn_and_of_a_short_text_none() {
        for parts in 0..4 {
            assert!(drawn(&planned(parts)).is_empty());
        }
        for parts in 4..12 {
            assert_eq!(drawn(&planned(parts)).len(), 1, "{parts}");
        }
        let drawn = drawn(&planned(800));
        assert_eq!(drawn.len(), 100);
        for (block, part) in (0..).zip(&drawn) {
            assert_eq!(part / 8, block);
        }
        let places: std::collections::BTreeSet<u32> = drawn.iter().map(|part| part % 8).collect();
        assert_eq!(places.len(), 8, "no place in a block is safe");
        assert!(!planned(8).draws(SubtaskId(3)), "that is no reading of the plan");
    }

    #[test]
    fn where_readers_leave_out_much_everything_is_read_twice() {
        let mut twice = planned(8);
        twice.compared(8, 8, 6);
        assert_eq!(drawn(&twice).len(), 1);
        let found = twice.found().unwrap();
        assert_eq!((found.parts, found.facts, found.shared), (1, 10, 6));
        assert!((found.found_by_one - 0.7).abs() < 1e-9, "{found:?}");
        twice.compared(8, 8, 2);
        assert_eq!(drawn(&twice).len(), 8, "each finds what the other has not");
        assert!(twice.found().unwrap().found_by_one < found.found_by_one);
        assert_eq!(planned(8).found(), None);
    }

    #[test]
    fn a_claim_on_the_same_lines_in_other_order_is_the_same_fact_and_one_with_another_figure_is_not() {
        let claim = |text: &str, line| Claim {
            text: text.to_owned(),
            quotes: vec![Quote { lines: LineRange::new(line, line), words: String::new() }],
        };
        let first = First {
            reader: "a".to_owned(),
            claims: vec![(claim("The tenant pays 900 EUR a month.", 3), Fate::Accepted(0.02))],
            answers: Vec::new(),
            disputed: 0,
            earned: true,
            belief: Some(0.98),
        };
        assert_eq!(
            first.fate_of(&claim("The tenant pays 900 EUR each month.", 3)),
            Some(Fate::Accepted(0.02))
        );
        for (text, line) in [("The tenant pays 950 EUR a month.", 3), ("The tenant pays 900 EUR a month.", 4)]
        {
            assert_eq!(first.fate_of(&claim(text, line)), None, "{text} {line}");
        }
    }
}
