//! How many proofs, outputs or identities of proofs a mint takes in one request.
//!
//! Mints bound the lists that they read: stock ones take a thousand, others fifty. Some announce it (NUT-06), some only
//! refuse what is longer: 413, 422, "too many inputs". What was refused is cut in halves until it is taken, and what was
//! learned holds for the rest of the session.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::WalletError;

/// What mints take that say nothing: the stock limit of cdk's mint and of Nutshell.
const STOCK: usize = 1_000;

/// What is known of one mint.
#[derive(Debug, Default)]
pub(crate) struct Sizes(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Whether the mint has described itself in this session.
    described: bool,
    announced: Option<usize>,
    /// The most that is not known to be refused.
    found: Option<usize>,
}

impl Sizes {
    /// The most that is put into one request.
    pub fn most(&self) -> usize {
        let known = self.known();
        known.announced.unwrap_or(STOCK).min(known.found.unwrap_or(usize::MAX)).max(1)
    }

    /// Whether the mint has said what it takes, or that it says nothing of it.
    pub fn is_described(&self) -> bool {
        self.known().described
    }

    /// What the mint announces.
    pub fn describe(&self, most: Option<u64>) {
        let mut known = self.known();
        known.described = true;
        known.announced = most.and_then(|most| usize::try_from(most).ok());
    }

    /// A request with so many was refused for its size; whether one with fewer can be tried. `named`: what the mint says
    /// that it takes.
    pub fn refused(&self, count: usize, named: Option<usize>) -> bool {
        if count <= 1 {
            // A mint that refuses a single one has another reason, and has had it so far, too.
            self.known().found = None;
            return false;
        }
        let smaller = named.filter(|named| (1..count).contains(named)).unwrap_or(count / 2);
        let mut known = self.known();
        known.found = Some(known.found.unwrap_or(usize::MAX).min(smaller).max(1));
        true
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Things that go to a mint in whole pieces, as many at once as it takes.
#[derive(Debug)]
pub(crate) struct Chunks<'a, T> {
    sizes: &'a Sizes,
    left: VecDeque<T>,
    /// How many proofs a piece has.
    size: fn(&T) -> usize,
}

impl<'a, T> Chunks<'a, T> {
    pub fn of(sizes: &'a Sizes, pieces: Vec<T>, size: fn(&T) -> usize) -> Self {
        Self { sizes, left: pieces.into(), size }
    }

    /// The next pieces; a single one where that alone is more than the mint takes, for it may take it after all.
    pub fn next(&mut self) -> Option<Vec<T>> {
        let most = self.sizes.most();
        let mut chunk = vec![self.left.pop_front()?];
        let mut held = (self.size)(&chunk[0]);
        while let Some(next) = self.left.front().map(|piece| (self.size)(piece))
            && held.saturating_add(next) <= most
        {
            held += next;
            chunk.extend(self.left.pop_front());
        }
        Some(chunk)
    }

    /// What the mint's refusal of a chunk means: nothing if it is tried again in smaller ones.
    pub fn refused(&mut self, chunk: Vec<T>, error: WalletError) -> Result<(), WalletError> {
        let WalletError::TooLarge { most, .. } = &error else { return Err(error) };
        let held = chunk.iter().map(|piece| (self.size)(piece)).sum();
        if chunk.len() == 1 || !self.sizes.refused(held, *most) {
            return Err(error);
        }
        for piece in chunk.into_iter().rev() {
            self.left.push_front(piece);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_large(most: Option<usize>) -> WalletError {
        WalletError::TooLarge { mint: "mint".to_owned(), reason: "too many inputs".to_owned(), most }
    }

    #[test]
    fn what_a_mint_announces_and_what_it_refused_both_bound_a_request() {
        let sizes = Sizes::default();
        assert_eq!(sizes.most(), STOCK);
        sizes.describe(Some(50));
        assert_eq!(sizes.most(), 50);
        assert!(sizes.refused(50, None));
        assert_eq!(sizes.most(), 25);
        assert!(sizes.refused(25, Some(16)));
        assert_eq!(sizes.most(), 16);
        // It cannot be talked into ever more, and one is always tried.
        assert!(sizes.refused(16, Some(40)));
        assert_eq!(sizes.most(), 8);
        // One that refuses everything has not meant the size.
        assert!(!sizes.refused(1, Some(0)));
        assert_eq!(sizes.most(), 50);
    }

    #[test]
    fn pieces_stay_whole_and_none_is_lost_however_small_the_chunks_become() {
        let sizes = Sizes::default();
        sizes.describe(Some(10));
        let pieces: Vec<Vec<u32>> = vec![vec![1; 4], vec![2; 4], vec![3; 4], vec![4; 12], vec![5; 1]];
        let mut chunks = Chunks::of(&sizes, pieces, Vec::len);
        let first = chunks.next().unwrap();
        assert_eq!(first.len(), 2);
        chunks.refused(first, too_large(None)).unwrap();
        let counts: Vec<usize> =
            std::iter::from_fn(|| chunks.next()).map(|chunk| chunk.iter().map(Vec::len).sum()).collect();
        assert_eq!(counts, [4, 4, 4, 12, 1]);
    }

    #[test]
    fn one_piece_that_is_too_large_alone_is_not_tried_for_ever() {
        let sizes = Sizes::default();
        let mut chunks = Chunks::of(&sizes, vec![vec![1; 20]], Vec::len);
        let only = chunks.next().unwrap();
        assert!(matches!(chunks.refused(only, too_large(Some(5))), Err(WalletError::TooLarge { .. })));
        assert!(chunks.next().is_none());
    }
}
