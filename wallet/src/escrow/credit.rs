//! How much unreleased work a provider does for somebody.
//!
//! The payer could keep an answer and withhold its signature. What a provider can lose that way is
//! bounded: one job for somebody unknown, twice as many after each release up to 64, and half as
//! many after each lock that ran out unreleased (design, section 5).

/// Jobs that a stranger may have out unreleased.
pub const FIRST_UNRELEASED: u32 = 1;
/// Jobs that anybody may have out unreleased.
pub const MOST_UNRELEASED: u32 = 64;

/// What is known of one payer: a run's key, or the identity that a certificate names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Credit {
    /// Locks that were released.
    pub released: u32,
    /// Locks whose work was done and whose time ran out unreleased.
    pub withheld: u32,
    /// Jobs that are out now.
    pub open: u32,
}

impl Credit {
    /// How many jobs may be out at once.
    pub fn limit(&self) -> u32 {
        let doublings = self.released.min(MOST_UNRELEASED.ilog2());
        let earned = FIRST_UNRELEASED << doublings;
        (earned >> self.withheld.min(MOST_UNRELEASED.ilog2())).max(FIRST_UNRELEASED)
    }

    /// Whether one more may be taken. Somebody who withheld more often than they released gets
    /// nothing more: they cost more than they pay.
    pub fn has_room(&self) -> bool {
        self.withheld <= self.released && self.open < self.limit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credit_doubles_with_each_release_up_to_sixty_four() {
        let limits: Vec<u32> =
            (0..9).map(|released| Credit { released, ..Credit::default() }.limit()).collect();
        assert_eq!(limits, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
        assert_eq!(Credit { released: u32::MAX, ..Credit::default() }.limit(), MOST_UNRELEASED);
    }

    #[test]
    fn withholding_halves_it_and_ends_it() {
        let credit = Credit { released: 6, withheld: 2, open: 15 };
        assert_eq!((credit.limit(), credit.has_room()), (16, true));
        assert!(!Credit { open: 16, ..credit }.has_room());
        assert!(!Credit { released: 0, withheld: 1, open: 0 }.has_room());
        assert!(Credit::default().has_room());
        assert!(!Credit { open: 1, ..Credit::default() }.has_room());
    }
}
