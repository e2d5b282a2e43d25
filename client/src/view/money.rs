//! The run's money over time.

use frlm_questions::answer::BudgetReport;

/// How the money stood from a moment on. `limit = spent + locked + reserved + free`, with what a
/// report says of refunds counted as spent until they are back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MoneyPoint {
    /// Milliseconds since the run began.
    pub at_ms: u64,
    /// Paid for verified work, or owed for it, in sats.
    pub spent: u64,
    /// What of that is owed: the work counts, and its provider is still to be told of its pay.
    pub owed: u64,
    /// Bound to jobs that are out.
    pub locked: u64,
    /// Set aside for jobs that have not left yet.
    pub reserved: u64,
}

impl MoneyPoint {
    /// What is left of a budget.
    pub fn free(&self, limit_sats: u64) -> u64 {
        limit_sats.saturating_sub(self.spent).saturating_sub(self.locked).saturating_sub(self.reserved)
    }
}

/// What a run may cost, now and before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BudgetView {
    /// As it is now.
    pub limit_sats: u64,
    /// Every budget, each with the moment from which on it held.
    since: Vec<(u64, u64)>,
}

impl BudgetView {
    /// From a moment on, the run may cost so much.
    pub(super) fn set(&mut self, at_ms: u64, limit_sats: u64) {
        self.limit_sats = limit_sats;
        self.since.push((at_ms, limit_sats));
    }

    /// As it was `at_ms` into the run.
    pub fn at(&self, at_ms: u64) -> u64 {
        let after = self.since.partition_point(|(from_ms, _)| *from_ms <= at_ms);
        after.checked_sub(1).map_or(self.limit_sats, |last| self.since[last].1)
    }
}

/// Where the sats of an attempt are when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// Set aside: its job never left.
    Reserved,
    /// Bound to a job that is out.
    Locked,
    /// Owed for work that counts.
    Owed,
}

/// The whole curve: a step function, one point per millisecond in which something changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MoneyCurve {
    points: Vec<MoneyPoint>,
    ever_owed: bool,
}

impl MoneyCurve {
    /// How it stands now.
    pub fn now(&self) -> MoneyPoint {
        self.points.last().copied().unwrap_or_default()
    }

    /// How it stood `at_ms` into the run.
    pub fn at(&self, at_ms: u64) -> MoneyPoint {
        let after = self.points.partition_point(|point| point.at_ms <= at_ms);
        after.checked_sub(1).and_then(|last| self.points.get(last)).copied().unwrap_or_default()
    }

    /// Every step, in order.
    pub fn steps(&self) -> &[MoneyPoint] {
        &self.points
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

    /// Sats that are locked or reserved for a job are owed from now on.
    pub(super) fn record_debt(&mut self, at_ms: u64, sats: u64, from: Bound) {
        let point = self.step(at_ms);
        let part = if from == Bound::Locked { &mut point.locked } else { &mut point.reserved };
        *part = part.saturating_sub(sats);
        point.spent = point.spent.saturating_add(sats);
        point.owed = point.owed.saturating_add(sats);
        self.ever_owed |= sats > 0;
    }

    /// Ends a reservation of `held` sats, of which `spent` were paid.
    pub(super) fn settle(&mut self, at_ms: u64, held: u64, from: Bound, spent: u64) {
        let point = self.step(at_ms);
        match from {
            Bound::Reserved => point.reserved = point.reserved.saturating_sub(held),
            Bound::Locked => point.locked = point.locked.saturating_sub(held),
            Bound::Owed => {
                point.owed = point.owed.saturating_sub(held);
                point.spent = point.spent.saturating_sub(held);
            }
        }
        point.spent = point.spent.saturating_add(spent);
    }

    /// Debts of an earlier start stay spent; the next process pays them, and this trace does not hear of it.
    pub(super) fn resume(&mut self, at_ms: u64) {
        if self.now().owed > 0 {
            self.step(at_ms).owed = 0;
        }
    }

    /// Whether anything was owed at any time.
    pub fn ever_owed(&self) -> bool {
        self.ever_owed
    }

    /// The ledger's own figures at the end outrank what was added up on the way.
    pub(super) fn close(&mut self, at_ms: u64, report: &BudgetReport) {
        let point = self.step(at_ms);
        point.spent = report.spent_sats.saturating_add(report.pending_refund_sats);
        point.owed = point.owed.min(point.spent);
        point.locked = 0;
        point.reserved = report.reserved_sats;
    }

    fn step(&mut self, at_ms: u64) -> &mut MoneyPoint {
        let last = self.now();
        if self.points.is_empty() || last.at_ms < at_ms {
            self.points.push(MoneyPoint { at_ms, ..last });
        }
        let index = self.points.len() - 1;
        &mut self.points[index]
    }
}
