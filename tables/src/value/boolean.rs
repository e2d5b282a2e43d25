//! Pairs of words that say yes and no.

/// The pairs, yes first. A column is of one pair.
pub(crate) const PAIRS: &[(&str, &str)] = &[
    ("yes", "no"),
    ("true", "false"),
    ("y", "n"),
    ("t", "f"),
    ("ja", "nein"),
    ("wahr", "falsch"),
    ("j", "n"),
    ("on", "off"),
];

/// The pairs, as bits, to which a word belongs.
pub(crate) fn pairs_of(cell: &str) -> u16 {
    if cell.len() > 6 {
        return 0;
    }
    let folded = cell.to_ascii_lowercase();
    PAIRS
        .iter()
        .enumerate()
        .filter(|(_, (yes, no))| folded == *yes || folded == *no)
        .fold(0, |bits, (index, _)| bits | 1 << index)
}

/// This word, if it is one of a pair.
pub(crate) fn known(word: &str) -> Option<&'static str> {
    PAIRS.iter().flat_map(|(yes, no)| [*yes, *no]).find(|known| *known == word)
}

/// What a word of the pair says.
pub(crate) fn read(cell: &str, pair: usize) -> Option<bool> {
    let (yes, no) = PAIRS.get(pair)?;
    if cell.eq_ignore_ascii_case(yes) {
        return Some(true);
    }
    cell.eq_ignore_ascii_case(no).then_some(false)
}
