//! The run's money over time.

use crate::answer::BudgetReport;

/// How the money stood from a moment on. `limit = spent + locked + reserved + free`, with what a
/// report says of refunds counted as spent until they are back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MoneyPoint {
    /// Milliseconds since the run began.
    pub at_ms: u64,
    /// Paid for verified work, in sats.
    pub spent: u64,
    /// Bound to jobs that are out.
    pub locked: u64,
    /// Set aside for jobs that have not left yet.
    pub reserved: u64,
}

impl MoneyPoint {
    /// What is left of a cap.
    pub fn free(&self, limit_sats: u64) -> u64 {
        limit_sats.saturating_sub(self.spent).saturating_sub(self.locked).saturating_sub(self.reserved)
    }
}

/// The whole curve: a step function, one point per millisecond in which something changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MoneyCurve(Vec<MoneyPoint>);

impl MoneyCurve {
    /// How it stands now.
    pub fn now(&self) -> MoneyPoint {
        self.0.last().copied().unwrap_or_default()
    }

    /// How it stood `at_ms` into the run.
    pub fn at(&self, at_ms: u64) -> MoneyPoint {
        let after = self.0.partition_point(|point| point.at_ms <= at_ms);
        after.checked_sub(1).and_then(|last| self.0.get(last)).copied().unwrap_or_default()
    }

    /// Every step, in order.
    pub fn steps(&self) -> &[MoneyPoint] {
        &self.0
    }

    pub(super) fn reserve(&mut self, at_ms: u64, sats: u64) {
        let point = self.step(at_ms);
        point.reserved = point.reserved.saturating_add(sats);
    }

    pub(super) fn lock(&mut self, at_ms: u64, sats: u64) {
        let point = self.step(at_ms);
        let moved = sats.min(point.reserved);
        point.reserved -= moved;
        point.locked = point.locked.saturating_add(moved);
    }

    /// Ends a reservation of `held` sats, of which `spent` were paid.
    pub(super) fn settle(&mut self, at_ms: u64, held: u64, was_locked: bool, spent: u64) {
        let point = self.step(at_ms);
        let part = if was_locked { &mut point.locked } else { &mut point.reserved };
        *part = part.saturating_sub(held);
        point.spent = point.spent.saturating_add(spent);
    }

    /// The ledger's own figures at the end outrank what was added up on the way.
    pub(super) fn close(&mut self, at_ms: u64, report: &BudgetReport) {
        let point = self.step(at_ms);
        point.spent = report.spent_sats.saturating_add(report.pending_refund_sats);
        point.locked = 0;
        point.reserved = report.reserved_sats;
    }

    fn step(&mut self, at_ms: u64) -> &mut MoneyPoint {
        let last = self.now();
        if self.0.is_empty() || last.at_ms < at_ms {
            self.0.push(MoneyPoint { at_ms, ..last });
        }
        let index = self.0.len() - 1;
        &mut self.0[index]
    }
}
