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

/// The share of the next reader's claims that will be new: facts seen once over all sightings. One before the first.
pub fn new_share(sightings: &[u32]) -> f64 {
    let all: u32 = sightings.iter().sum();
    let once = sightings.iter().filter(|count| **count == 1).count();
    if all == 0 { 1.0 } else { once as f64 / f64::from(all) }
}

/// Whether another reader is worth its price: what its new claims are worth against what it costs.
pub fn is_worth_asking(sightings: &[u32], claims_a_reading: f64, value_msats: u64, price_msats: u64) -> bool {
    new_share(sightings) * claims_a_reading * value_msats as f64 > price_msats as f64
}

/// The share of facts that one reader of a family mentions, over parts that were read twice: m / n₁, each claim of the
/// other reader being a question that this one answered or not.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mentions {
    shared: f64,
    asked: f64,
}

impl Mentions {
    /// Takes in a part that was read twice: the other reader's verified claims, and how many of them this one had, too.
    pub fn observe(&mut self, others: u32, shared: u32) {
        self.asked += f64::from(others);
        self.shared += f64::from(shared.min(others));
    }

    /// The share, with two of four as a prior.
    pub fn share(&self) -> f64 {
        (self.shared + 2.0) / (self.asked + 4.0)
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
    fn the_next_reader_is_asked_while_its_new_claims_are_worth_more_than_it_costs() {
        assert!((new_share(&[1, 1, 2]) - 0.5).abs() < f64::EPSILON);
        assert!(is_worth_asking(&[1, 1, 2], 6.0, 100, 299));
        assert!(!is_worth_asking(&[1, 1, 2], 6.0, 100, 300));
        assert!(is_worth_asking(&[], 6.0, 1, 5));
    }

    #[test]
    fn mentions_are_learned_from_parts_that_were_read_twice() {
        let mut mentions = Mentions::default();
        assert!((mentions.share() - 0.5).abs() < f64::EPSILON);
        (0..50).for_each(|_| mentions.observe(8, 6));
        assert!((mentions.share() - 0.75).abs() < 0.01);
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
