//! How much those read and write at once who are here: what is planned keeps to it.

use std::cmp::Reverse;

/// Tokens that prompt and answer may fill together, by what providers announce. Keys cost nothing, so one that announces
/// more or less than all others decides nothing by itself where several must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contexts {
    /// As many as must agree read and write so much, and one more: a provider that fails can be replaced.
    pub with_one_to_spare: usize,
    /// No more do than must agree; at least as much as the other.
    pub of_enough: usize,
}

impl Contexts {
    /// Where nothing is known of them: what a job holds is the only bound.
    pub const UNBOUNDED: Self = Self::same(usize::MAX);

    /// All of them read and write so much.
    pub const fn same(tokens: usize) -> Self {
        Self { with_one_to_spare: tokens, of_enough: tokens }
    }

    /// Of providers with these contexts, in any order, so many of whom must agree. `own`: the longest of the user's own
    /// machines', one of which is enough by itself. `None` where nobody is there.
    pub fn among(mut theirs: Vec<usize>, enough: usize, own: Option<usize>) -> Option<Self> {
        theirs.sort_unstable_by_key(|tokens| Reverse(*tokens));
        let last = theirs.len().checked_sub(1)?;
        // Where there are fewer, the shortest counts.
        let of_enough = theirs[enough.saturating_sub(1).min(last)].max(own.unwrap_or(0));
        Some(Self { with_one_to_spare: theirs[enough.min(last)], of_enough })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(theirs: &[usize], enough: usize, own: Option<usize>) -> (usize, usize) {
        let contexts = Contexts::among(theirs.to_vec(), enough, own).unwrap();
        (contexts.with_one_to_spare, contexts.of_enough)
    }

    #[test]
    fn a_context_suits_as_many_providers_as_must_agree_despite_an_outlier() {
        assert_eq!(among(&[4_096, 32_768, 8_192, 1_000_000], 2, None), (8_192, 32_768));
        assert_eq!(among(&[4_096, 8_192, 8_192, 16], 2, None), (4_096, 8_192));
        assert_eq!(among(&[8_192; 3], 2, None), (8_192, 8_192));
        assert_eq!(among(&[8_192], 1, None), (8_192, 8_192));
    }

    #[test]
    fn the_shortest_context_counts_with_too_few_and_ones_own_machine_suffices() {
        assert_eq!(among(&[8_192, 4_096], 3, None), (4_096, 4_096));
        assert_eq!(among(&[4_096, 65_536, 4_096, 4_096], 2, Some(65_536)), (4_096, 65_536));
        assert_eq!(Contexts::among(Vec::new(), 2, None), None);
    }
}
