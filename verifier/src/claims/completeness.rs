//! How much the readers missed (docs/claims.md, section 4).
//!
//! Two readers that mention the same facts missed few; two that mention others missed many. Only verified claims count,
//! because an invention is always seen once. Equal models mention the same and overstate what was found. Nobody is paid by
//! these figures: they say whether another reader is worth its price.

/// How many facts there are, by what was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Total {
    /// Facts in all.
    pub facts: f64,
    /// Standard deviation of that, where one is known.
    pub deviation: Option<f64>,
    /// Facts that were seen.
    pub seen: f64,
}

impl Total {
    /// The share of all facts that was seen, 0 to 1.
    pub fn recall(&self) -> f64 {
        if self.facts > 0.0 { (self.seen / self.facts).min(1.0) } else { 1.0 }
    }
}

/// Chapman's estimate: two readers with `first` and `second` verified claims, `shared` of them by both. `None` if the
/// counts cannot be.
pub fn chapman(first: u32, second: u32, shared: u32) -> Option<Total> {
    if shared > first.min(second) {
        return None;
    }
    let [n1, n2, m] = [first, second, shared].map(f64::from);
    let facts = (n1 + 1.0) * (n2 + 1.0) / (m + 1.0) - 1.0;
    let variance = (n1 + 1.0) * (n2 + 1.0) * (n1 - m) * (n2 - m) / ((m + 1.0).powi(2) * (m + 2.0));
    Some(Total { facts, deviation: Some(variance.sqrt()), seen: n1 + n2 - m })
}

/// Chao's estimate, a lower bound: `readers` readers, and how many of them mentioned each fact. `None` for one reader,
/// which gives no estimate.
pub fn chao(readers: u32, sightings: &[u32]) -> Option<Total> {
    if readers < 2 {
        return None;
    }
    let seen_by = |times: u32| sightings.iter().filter(|count| **count == times).count() as f64;
    let seen = sightings.iter().filter(|count| **count > 0).count() as f64;
    let (once, twice, t) = (seen_by(1), seen_by(2), f64::from(readers));
    let unseen = (t - 1.0) / t * once * (once - 1.0) / (2.0 * (twice + 1.0));
    Some(Total { facts: seen + unseen, deviation: None, seen })
}

/// Verified claims of a second reader before anything is concluded from how many of them are new.
const FEWEST: u32 = 12;
/// The share of new facts from which another part is worth a second reading: it costs about as much as the first, and a fact may
/// cost twice what facts have cost so far (docs/claims.md, section 4).
const WORTH_ASKING: f64 = 0.5;

/// Parts that two have read, taken together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadTwice {
    /// How many.
    pub parts: u32,
    /// Verified claims of those who read first.
    pub first: u32,
    /// Verified claims of those who read second.
    pub second: u32,
    /// Facts that both stated.
    pub shared: u32,
}

impl ReadTwice {
    /// Takes in a part: the verified claims of both readers, and how many of each state a fact of the other.
    pub fn observe(&mut self, first: u32, second: u32, shared: u32) {
        self.parts += 1;
        self.first += first;
        self.second += second;
        self.shared += shared.min(first).min(second);
    }

    /// Facts that either stated.
    pub fn facts(&self) -> u32 {
        self.first + self.second - self.shared
    }

    /// The share of all facts that one reading finds, 0 to 1, by Chapman's estimate; `None` where nobody has found any.
    pub fn found_by_one(&self) -> Option<f64> {
        let total = chapman(self.first, self.second, self.shared).filter(|total| total.seen > 0.0)?;
        let one = f64::from(self.first + self.second) / 2.0;
        Some((one / total.facts).min(1.0))
    }

    /// Whether a second reading of other parts is worth its price: the share of what second readers state and first ones
    /// have not is above what it must be, by more than a standard deviation.
    pub fn is_worth_asking(&self) -> bool {
        if self.second < FEWEST {
            return false;
        }
        let claims = f64::from(self.second);
        let new = f64::from(self.second - self.shared) / claims;
        new - (new * (1.0 - new) / claims).sqrt() > WORTH_ASKING
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// docs/claims.md, section 4.
    #[test]
    fn chapmans_estimate_is_as_calculated() {
        let good = chapman(8, 7, 5).unwrap();
        assert!((good.recall() - 0.91).abs() < 0.005, "{good:?}");
        let poor = chapman(8, 7, 2).unwrap();
        assert!((poor.recall() - 0.57).abs() < 0.005, "{poor:?}");
        assert!((poor.facts - 23.0).abs() < 0.01 && (poor.deviation.unwrap() - 8.0).abs() < 0.3, "{poor:?}");
        assert_eq!(chapman(3, 4, 4), None);
        assert!((chapman(0, 0, 0).unwrap().recall() - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn chaos_estimate_grows_with_what_one_reader_alone_saw() {
        let one = |sightings: &[u32]| chao(3, sightings).unwrap();
        assert!((one(&[3, 3, 3, 2]).recall() - 1.0).abs() < f64::EPSILON);
        let some = one(&[1, 1, 1, 1, 2, 3]);
        assert!((some.facts - (6.0 + 2.0 / 3.0 * 12.0 / 4.0)).abs() < 1e-9, "{some:?}");
        assert_eq!(chao(1, &[1, 1]), None, "one reader gives no estimate");
    }

    #[test]
    fn what_two_readers_share_says_what_one_of_them_finds() {
        let mut twice = ReadTwice::default();
        assert_eq!((twice.found_by_one(), twice.is_worth_asking()), (None, false));
        twice.observe(0, 0, 0);
        assert_eq!(
            (twice.parts, twice.found_by_one()),
            (1, None),
            "two who find nothing say nothing of facts"
        );
        twice.observe(8, 7, 5);
        assert_eq!(twice.facts(), 10);
        assert!((twice.found_by_one().unwrap() - 7.5 / 11.0).abs() < 1e-9, "{twice:?}");
        let same = ReadTwice { parts: 1, first: 6, second: 6, shared: 6 };
        assert!((same.found_by_one().unwrap() - 1.0).abs() < 1e-9);
    }

    /// Readers who leave out a quarter, or half, are worth no second reading of everything; those who leave out more are.
    #[test]
    fn other_parts_are_read_twice_where_second_readers_find_much_that_is_new() {
        let twice = |second, shared| ReadTwice { parts: 3, first: second, second, shared };
        assert!(!twice(11, 0).is_worth_asking(), "too little is known");
        assert!(twice(12, 3).is_worth_asking());
        assert!(!twice(12, 7).is_worth_asking(), "it may be chance");
        assert!(!twice(40, 20).is_worth_asking());
        assert!(twice(40, 15).is_worth_asking());
        assert!(!twice(400, 300).is_worth_asking());
    }

    proptest! {
        #[test]
        fn nothing_is_seen_more_often_than_it_is_there(first in 0_u32..40, second in 0_u32..40, shared in 0_u32..40) {
            if let Some(total) = chapman(first, second, shared) {
                prop_assert!(total.facts >= total.seen - 1e-9 && (0.0..=1.0).contains(&total.recall()));
            }
        }
    }
}
