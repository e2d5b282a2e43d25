//! What verification came to, tier by tier.

/// How many answers each tier of verification let through, and what it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TierView {
    /// Passed.
    pub passed: u64,
    /// Turned down.
    pub failed: u64,
    /// What checking cost beyond a single answer, in sats.
    pub cost_sats: u64,
}

/// What each way to verify came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChecksView {
    /// Single answers: format, quotes, bounds.
    pub alone: TierView,
    /// Comparisons of replicas.
    pub compared: TierView,
    /// Comparisons in which somebody dissented.
    pub dissents: usize,
    /// Answers that were judged by the methods of the verification level; of what nothing could tell, neither.
    pub judged: TierView,
    /// Answers that nobody agreed on, and that a model of the user's settled, or did not.
    pub arbitrated: TierView,
    /// Answers that the weights which their providers claim have read; what could not be read is neither.
    pub audited: TierView,
    /// Whole answers: every part used, nothing contradicted, everything claimed found.
    pub whole: TierView,
}

impl TierView {
    /// One more was looked at.
    pub(super) fn count(&mut self, passed: bool) {
        *(if passed { &mut self.passed } else { &mut self.failed }) += 1;
    }
}
