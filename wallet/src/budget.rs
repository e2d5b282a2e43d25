//! The equation that holds for every run.

use crate::amount::Sats;

/// Where the sats of a run's limit are.
///
/// `limit = spent + reserved + pending_refund + available`, always and exactly (design, section
/// 3). Only the ledger makes a `Budget`, from sums it has checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// The most that the run may cost.
    pub limit: Sats,
    /// Paid, or possibly paid and not yet reconciled; fees included.
    pub spent: Sats,
    /// The part of `spent` that went to fees.
    pub fees: Sats,
    /// Set aside for attempts that are under way.
    pub reserved: Sats,
    /// On its way back, for example until a locktime.
    pub pending_refund: Sats,
    /// Free to be reserved.
    pub available: Sats,
}

/// What one reservation contributes to a budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Contribution {
    pub spent: Sats,
    pub fees: Sats,
    pub reserved: Sats,
    pub pending_refund: Sats,
}

impl Contribution {
    /// Everything that is not available.
    pub fn taken(self) -> Option<Sats> {
        self.spent.checked_add(self.reserved)?.checked_add(self.pending_refund)
    }

    pub fn checked_add(self, other: Self) -> Option<Self> {
        Some(Self {
            spent: self.spent.checked_add(other.spent)?,
            fees: self.fees.checked_add(other.fees)?,
            reserved: self.reserved.checked_add(other.reserved)?,
            pending_refund: self.pending_refund.checked_add(other.pending_refund)?,
        })
    }

    pub fn checked_sub(self, other: Self) -> Option<Self> {
        Some(Self {
            spent: self.spent.checked_sub(other.spent)?,
            fees: self.fees.checked_sub(other.fees)?,
            reserved: self.reserved.checked_sub(other.reserved)?,
            pending_refund: self.pending_refund.checked_sub(other.pending_refund)?,
        })
    }
}

impl Budget {
    /// Nothing if the shares exceed the limit, or fees exceed what was spent.
    pub(crate) fn new(limit: Sats, shares: Contribution) -> Option<Self> {
        let available = limit.checked_sub(shares.taken()?)?;
        let Contribution { spent, fees, reserved, pending_refund } = shares;
        (fees <= spent).then_some(Self { limit, spent, fees, reserved, pending_refund, available })
    }

    pub(crate) fn shares(self) -> Contribution {
        let Self { spent, fees, reserved, pending_refund, .. } = self;
        Contribution { spent, fees, reserved, pending_refund }
    }

    /// Whether the equation holds, for tests and audits that want to hear it from the numbers.
    pub fn is_balanced(&self) -> bool {
        self.shares().taken().and_then(|taken| taken.checked_add(self.available)) == Some(self.limit)
            && self.fees <= self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_taken_is_available() {
        let shares =
            Contribution { spent: Sats(415), fees: Sats(3), reserved: Sats(0), pending_refund: Sats(40) };
        let budget = Budget::new(Sats(1_000), shares).unwrap();
        assert_eq!(budget.available, Sats(545));
        assert!(budget.is_balanced());
    }

    #[test]
    fn a_budget_beyond_its_limit_cannot_be_made() {
        let shares = Contribution { reserved: Sats(11), ..Contribution::default() };
        assert_eq!(Budget::new(Sats(10), shares), None);
        let shares = Contribution { spent: Sats(1), fees: Sats(2), ..Contribution::default() };
        assert_eq!(Budget::new(Sats(10), shares), None);
    }
}
