//! Where prose is cut into parts: by what stands at a border, not by how much stands before it.
//!
//! ```text
//!   borders (before lines, or groups of them) ─► rank and hash of what follows each ─► a text beyond the budget is cut at
//!   the lowest of them; so is each side that is still beyond it
//! ```
//!
//! What is cut by counting from the start shifts from the first new line on, and every part behind it is another text that
//! has to be read again. Here a border is a cut or not by what stands near it. A new line makes borders lower at most, and so
//! changes the two parts beside it; hardly any edit changes three (docs/decisions/0081-verified-claims-are-kept.md has the figures).
//! Borders near the ends of what is cut are left out, so that no part is tiny.

use std::cmp::Ordering;
use std::ops::Range;

/// How near to an end nothing is cut, as a share of the budget.
const NEAR_AN_END: usize = 4;
/// Bits of a border's weight that hold its rank, the lowest hash of its block, and that of its own line; the rest tell
/// borders apart at which the same lines stand.
const RANK_BITS: u32 = 2;
const BLOCK_BITS: u32 = 28;
const LINE_BITS: u32 = 24;
const PLACE_BITS: u32 = u64::BITS - RANK_BITS - BLOCK_BITS - LINE_BITS;

/// How well a text can be cut before a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    /// A heading begins here.
    Heading,
    /// A paragraph or block does.
    Block,
    /// A line does, or a block that is better left with the heading before it.
    Line,
    /// Nothing does: white space.
    Nowhere,
}

/// What stands between two borders that follow each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit<'a> {
    /// How well the text can be cut before it.
    pub rank: Rank,
    /// Its text, of which the first line counts.
    pub text: &'a str,
    /// Whether it goes on with the block before it.
    pub goes_on: bool,
    /// All of its tokens.
    pub tokens: usize,
}

/// The units before which a text is cut into parts of at most `max_tokens`, in order. A long paragraph
/// of one line has no border inside: the caller cuts it when it fills the parts.
pub(super) fn cuts(units: &[Unit<'_>], max_tokens: usize) -> Vec<usize> {
    let mut before = Vec::with_capacity(units.len() + 1);
    before.push(0);
    for unit in units {
        before.push(before[before.len() - 1] + unit.tokens);
    }
    if before[units.len()] <= max_tokens {
        return Vec::new();
    }
    let lowest = Lowest::of(weights(units));
    let margin = max_tokens.div_ceil(NEAR_AN_END);
    let mut cuts = Vec::new();
    let mut open = Vec::new();
    open.push(0..units.len());
    while let Some(range) = open.pop() {
        if before[range.end] - before[range.start] <= max_tokens {
            continue;
        }
        let (least, most) = (before[range.start] + margin, before[range.end] - margin);
        let from = before.partition_point(|tokens| *tokens < least).max(range.start + 1);
        let to = before.partition_point(|tokens| *tokens <= most).min(range.end);
        if let Some(cut) = lowest.within(from..to) {
            cuts.push(cut);
            open.push(range.start..cut);
            open.push(cut..range.end);
        }
    }
    cuts.sort_unstable();
    cuts
}

/// The lower, the rather a text is cut there. White space has none.
fn weights(units: &[Unit<'_>]) -> Vec<u64> {
    let hashes: Vec<u64> = units.iter().map(|unit| hash(first_line(unit.text).as_bytes())).collect();
    let mut lowest = hashes.clone();
    // A block is known by its lowest line, wherever that stands: no line that is put before or into it makes it higher.
    for at in (1..units.len()).rev() {
        if units[at].goes_on {
            lowest[at - 1] = lowest[at - 1].min(lowest[at]);
        }
    }
    let weight = |(at, unit): (usize, &Unit<'_>)| {
        let (rank, block) = match unit.rank {
            Rank::Heading => (0, lowest[at]),
            Rank::Block => (1, lowest[at]),
            Rank::Line => (2, hashes[at]),
            Rank::Nowhere => return u64::MAX,
        };
        let first = |hash: u64, bits: u32| hash >> (u64::BITS - bits);
        let block = (rank << BLOCK_BITS) | first(block, BLOCK_BITS);
        let line = (block << LINE_BITS) | first(hashes[at], LINE_BITS);
        (line << PLACE_BITS) | first(mixed(at as u64), PLACE_BITS)
    };
    units.iter().enumerate().map(weight).collect()
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim_end()
}

/// FNV-1a, mixed: parts of a run that goes on must be the same in another build of this program.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    mixed(bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

/// The finaliser of `SplitMix64`: every bit of the result depends on all of the value.
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Tells the lowest weight of any range in a time that grows with the logarithm of their number: texts come whose lines are
/// sorted so that each cut takes off as little as it can.
struct Lowest {
    weights: Vec<u64>,
    /// A binary tree of the indices of the lowest, its leaves in the second half.
    tree: Vec<u32>,
}

impl Lowest {
    fn of(weights: Vec<u64>) -> Self {
        let count = weights.len();
        let mut tree = vec![0; count];
        tree.extend((0..count).map(|at| u32::try_from(at).unwrap_or(u32::MAX)));
        for at in (1..count).rev() {
            tree[at] = lower(&weights, tree[2 * at], tree[2 * at + 1]);
        }
        Self { weights, tree }
    }

    /// The index of the lowest weight in a range, the first of equals; `None` where no text can be cut there.
    fn within(&self, range: Range<usize>) -> Option<usize> {
        let count = self.weights.len();
        let (mut from, mut to) = (range.start + count, range.end + count);
        let mut best: Option<u32> = None;
        while from < to {
            if from % 2 == 1 {
                best = Some(best.map_or(self.tree[from], |best| lower(&self.weights, best, self.tree[from])));
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                best = Some(best.map_or(self.tree[to], |best| lower(&self.weights, best, self.tree[to])));
            }
            (from, to) = (from / 2, to / 2);
        }
        best.map(|at| at as usize).filter(|at| self.weights[*at] < u64::MAX)
    }
}

fn lower(weights: &[u64], one: u32, other: u32) -> u32 {
    let order = weights[one as usize].cmp(&weights[other as usize]).then(one.cmp(&other));
    if order == Ordering::Greater { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&'static str], tokens: usize) -> Vec<Unit<'static>> {
        texts.iter().map(|text| Unit { rank: Rank::Line, text, goes_on: true, tokens }).collect()
    }

    #[test]
    fn what_fits_is_not_cut() {
        assert!(cuts(&lines(&["a", "b", "c"], 10), 30).is_empty());
        assert!(cuts(&[], 30).is_empty());
    }

    #[test]
    fn headings_come_before_blocks_and_blocks_before_lines() {
        let mut units = lines(&["a", "b", "c", "d", "e", "f", "g", "h", "i"], 10);
        (units[3].rank, units[4].rank) = (Rank::Heading, Rank::Block);
        assert_eq!(cuts(&units, 60), [3]);
        units[3].rank = Rank::Line;
        assert_eq!(cuts(&units, 60), [4]);
    }

    #[test]
    fn nothing_is_cut_where_only_white_space_stands_or_near_an_end() {
        let mut units = lines(&["a", "b", "c", "d"], 10);
        for unit in &mut units {
            unit.rank = Rank::Nowhere;
        }
        assert!(cuts(&units, 30).is_empty());
        units[1].rank = Rank::Heading;
        assert_eq!(cuts(&units, 30), [1]);
        units[0].tokens = 7;
        assert!(cuts(&units, 30).is_empty(), "a quarter of the budget at least");
    }

    #[test]
    fn many_lines_that_are_the_same_are_cut_in_parts_of_some_size() {
        let units = lines(&vec!["the same"; 20_000], 5);
        let found = cuts(&units, 100);
        let sizes: Vec<usize> = found.windows(2).map(|pair| (pair[1] - pair[0]) * 5).collect();
        assert!(sizes.iter().all(|size| (25..=100).contains(size)), "{sizes:?}");
        let mean = sizes.iter().sum::<usize>() / sizes.len();
        assert!(mean > 50, "{mean}");
    }

    #[test]
    fn the_lowest_of_a_range_is_the_lowest_of_a_search() {
        let weights: Vec<u64> = (0..77).map(|at| mixed(at) % 50).collect();
        let lowest = Lowest::of(weights.clone());
        for from in 0..weights.len() {
            for to in from..=weights.len() {
                let searched = (from..to).min_by_key(|at| (weights[*at], *at));
                assert_eq!(lowest.within(from..to), searched, "{from}..{to}");
            }
        }
    }
}
