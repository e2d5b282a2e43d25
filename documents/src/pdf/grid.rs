//! Tables that lines rule.

use super::table::Table;
use super::word::Word;
use crate::block::Bounds;

/// The ruled tables of a page, the words outside of them, and the level lines that rule none.
pub(super) fn tables(
    words: Vec<Word>,
    rules: &[Bounds],
    _fills: &[Bounds],
) -> (Vec<Table>, Vec<Word>, Vec<Bounds>) {
    (Vec::new(), words, rules.to_vec())
}
