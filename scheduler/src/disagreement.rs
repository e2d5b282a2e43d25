//! Providers that contradicted each other, and who is asked beside whom because of that.
//!
//! Where agreement alone decides, two quick liars with lies of their own cost most subtasks: they are free whenever
//! anybody is, take two of three seats, and an honest answer between them has no majority. Nothing is learned from
//! that either, as each of the three may be the honest one. What can be seen is that the two never agree, with each
//! other or with anybody.
//!
//! ```text
//!   asked: l ─► who comes next? ─┬─ fewest of those asked at odds with it, and somebody's word bears it out ─► asked
//!                                └─ all others wait until nobody better is left, busy ones included
//! ```
//!
//! Of two who contradict each other one at least is wrong, so that asking both about one subtask buys one usable
//! answer. Nobody is left out by this: a subtask's first seat is anybody's, and a provider that is at odds with everybody
//! is asked where nobody else is left.

use super::ProviderIndex;
use super::entry::Entry;

/// Places for pairs: all pairs of two thousand providers.
const MOST_PLACES: usize = 2_000_000;
/// How far one that used to agree may be from being at odds: the present counts.
const MOST_BALANCE: i8 = 4;

/// Who agreed with whom in this run. It is looked up for every candidate of every subtask that waits: rows, and no map.
#[derive(Debug, Default)]
pub struct DisagreementGraph {
    /// How often a pair differed, less how often it agreed: in the row of the later one at the place of the earlier one.
    balance: Vec<Vec<i8>>,
    places: usize,
    terms: Vec<Terms>,
}

/// Those asked for one subtask, as far as they decide who is asked beside them.
#[derive(Debug)]
pub(super) struct Asked {
    /// Who is at odds with somebody, and on good terms with somebody else.
    counted: Vec<ProviderIndex>,
    /// The best rank that can be waited for.
    least: Rank,
}

/// With how many a provider is at odds, and with how many it rather agrees.
#[derive(Debug, Default, Clone, Copy)]
struct Terms {
    disagreement: u32,
    good: u32,
}

/// How little another answer would help beside those that were asked for: the less the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// Those asked with whom it is at odds. A provider that contradicts all others says nothing about them: else one that
    /// it has not met yet would be waited for, and one that never answers would hold the run up.
    disagreements: usize,
    /// Whether it is at odds with somebody and on good terms with nobody.
    contrary: bool,
}

impl DisagreementGraph {
    /// Two providers answered the same subtask: whether they said the same. Told where agreement alone decides,
    /// it keeps those apart who contradict each other.
    pub fn compared(&mut self, left: ProviderIndex, right: ProviderIndex, same: bool) {
        if left == right {
            return;
        }
        let Some(balance) = self.place(left, right) else { return };
        let before = *balance;
        let after = (before + if same { -1 } else { 1 }).clamp(-MOST_BALANCE, MOST_BALANCE);
        *balance = after;
        for provider in [left, right] {
            let at = provider.0 as usize;
            if self.terms.len() <= at {
                self.terms.resize(at + 1, Terms::default());
            }
            let terms = &mut self.terms[at];
            terms.disagreement = terms.disagreement + u32::from(after > 0) - u32::from(before > 0);
            terms.good = terms.good + u32::from(after < 0) - u32::from(before < 0);
        }
    }

    /// Where a pair's balance is kept; `None` if there is no room for it.
    fn place(&mut self, left: ProviderIndex, right: ProviderIndex) -> Option<&mut i8> {
        let (row, at) = pair(left, right);
        let there = self.balance.get(row).map_or(0, Vec::len);
        let more = (at + 1).saturating_sub(there) + (row + 1).saturating_sub(self.balance.len());
        if self.places + more > MOST_PLACES {
            return None;
        }
        self.places += more;
        if self.balance.len() <= row {
            self.balance.resize_with(row + 1, Vec::new);
        }
        if there <= at {
            self.balance[row].resize(at + 1, 0);
        }
        self.balance[row].get_mut(at)
    }

    fn terms(&self, provider: ProviderIndex) -> Terms {
        self.terms.get(provider.0 as usize).copied().unwrap_or_default()
    }

    /// Whether a provider is at odds with somebody and on good terms with nobody.
    fn is_contrary(&self, provider: ProviderIndex) -> bool {
        let Terms { disagreement, good } = self.terms(provider);
        disagreement > 0 && good == 0
    }

    fn disagree(&self, left: ProviderIndex, right: ProviderIndex) -> bool {
        let (row, at) = pair(left, right);
        self.balance.get(row).and_then(|row| row.get(at)).is_some_and(|balance| *balance > 0)
    }

    /// The best rank that a subtask can wait for among these candidates: those who were not asked yet, do not fail, and take
    /// another job now or when one of theirs is done; `None` where nobody was asked who is at odds with anybody.
    pub(super) fn least(
        &self,
        entry: &Entry,
        candidates: impl Iterator<Item = ProviderIndex>,
    ) -> Option<Asked> {
        let disagreements: Vec<_> =
            entry.asked_now().filter(|asked| self.terms(*asked).disagreement > 0).collect();
        if disagreements.is_empty() {
            return None;
        }
        let counted: Vec<_> = disagreements.into_iter().filter(|asked| !self.is_contrary(*asked)).collect();
        let least = candidates.map(|candidate| self.rank(&counted, candidate)).min()?;
        Some(Asked { counted, least })
    }

    /// Whether a provider ranks no worse than the best that can be waited for.
    pub(super) fn ranks(&self, candidate: ProviderIndex, asked: Option<&Asked>) -> bool {
        asked.is_none_or(|Asked { counted, least }| self.rank(counted, candidate) <= *least)
    }

    fn rank(&self, counted: &[ProviderIndex], candidate: ProviderIndex) -> Rank {
        let disagreements = counted.iter().filter(|asked| self.disagree(candidate, **asked)).count();
        Rank { disagreements, contrary: self.is_contrary(candidate) }
    }
}

/// The row of a pair, and its place there.
fn pair(left: ProviderIndex, right: ProviderIndex) -> (usize, usize) {
    (left.max(right).0 as usize, left.min(right).0 as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(disagreement: &DisagreementGraph, provider: u32) -> (u32, u32) {
        let Terms { disagreement, good } = disagreement.terms(ProviderIndex(provider));
        (disagreement, good)
    }

    #[test]
    fn who_differs_more_often_than_it_agrees_is_at_odds_and_may_make_it_up() {
        let (mut disagreement, a, b) = (DisagreementGraph::default(), ProviderIndex(0), ProviderIndex(1));
        disagreement.compared(a, b, false);
        assert_eq!((terms(&disagreement, 0), terms(&disagreement, 1)), ((1, 0), (1, 0)));
        disagreement.compared(b, a, true);
        assert_eq!((terms(&disagreement, 0), terms(&disagreement, 1)), ((0, 0), (0, 0)));
        (0..100).for_each(|_| disagreement.compared(a, b, true));
        assert_eq!(terms(&disagreement, 0), (0, 1));
        (0..=MOST_BALANCE).for_each(|_| disagreement.compared(a, b, false));
        assert_eq!(
            terms(&disagreement, 0),
            (1, 0),
            "a hundred agreements do not outweigh what comes after them for ever"
        );
    }
}
