//! Answers that say the same, as groups that do not depend on who answered first.

use std::cmp::Reverse;

use crate::normalise::{Agreement, Normalised, Rounding, agreement};

/// One answer among others, with what orders it.
#[derive(Debug)]
pub(super) struct Item {
    pub normalised: Normalised,
    pub canonical: String,
}

impl Item {
    pub fn new(normalised: Normalised) -> Self {
        Self { canonical: normalised.canonical(), normalised }
    }
}

/// Groups answers that are exactly the same after normalisation.
///
/// Equal spellings are one group at once. Between spellings the groups are complete-link over the
/// spellings' order: an answer joins a group only if it is the same as all its members. A number
/// without a unit comes last and joins only if there is exactly one group it can mean, because `5`
/// is both `5 USD` and `5 EUR` and those are two answers.
pub(super) fn exact(items: &[Item]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| {
        let key = |at: usize| (items[at].normalised.is_unit_free(), items[at].canonical.as_str());
        key(a).cmp(&key(b))
    });
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // One member per spelling is enough to compare with.
    let mut spellings: Vec<Vec<usize>> = Vec::new();
    for at in order {
        let same_spelling =
            |group: &Vec<usize>| group.iter().any(|&member| items[member].canonical == items[at].canonical);
        if let Some(group) = spellings.iter().position(same_spelling) {
            groups[group].push(at);
            continue;
        }
        let joins: Vec<usize> = (0..groups.len())
            .filter(|&group| {
                spellings[group].iter().all(|&member| {
                    let both = (&items[member].normalised, &items[at].normalised);
                    agreement(both.0, both.1, Rounding::Refused) == Agreement::Same
                })
            })
            .collect();
        if let [group] = joins[..] {
            groups[group].push(at);
            spellings[group].push(at);
        } else {
            groups.push(vec![at]);
            spellings.push(vec![at]);
        }
    }
    groups
}

/// Joins groups by pairwise similarity, complete-link in the given order.
///
/// `similar(a, b)` tells whether two groups may stand together; it is given `a < b`.
pub(super) fn linked(groups: usize, mut similar: impl FnMut(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut joined: Vec<Vec<usize>> = Vec::new();
    for group in 0..groups {
        let home = joined.iter().position(|members| members.iter().all(|&member| similar(member, group)));
        match home {
            Some(home) => joined[home].push(group),
            None => joined.push(vec![group]),
        }
    }
    joined
}

/// The heaviest group; `None` if another is as heavy.
pub(super) fn heaviest(weights: &[f64]) -> Option<usize> {
    let at = (0..weights.len())
        .max_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(Reverse(a).cmp(&Reverse(b))))?;
    let tied = weights.iter().enumerate().any(|(other, weight)| other != at && *weight >= weights[at]);
    (!tied).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalise::ExpectedFormat;

    fn sizes(answers: &[&str]) -> Vec<usize> {
        let items: Vec<_> =
            answers.iter().map(|text| Item::new(Normalised::of(text, ExpectedFormat::Explanation))).collect();
        let mut sizes: Vec<usize> = exact(&items).iter().map(Vec::len).collect();
        sizes.sort_unstable();
        sizes
    }

    #[test]
    fn a_number_without_a_unit_joins_only_what_it_can_alone_mean() {
        assert_eq!(sizes(&["5", "$5", "5 USD"]), [3]);
        assert_eq!(sizes(&["5", "$5", "5 EUR"]), [1, 1, 1]);
        assert_eq!(sizes(&["0.25", "25%", "25"]), [1, 2]);
    }

    #[test]
    fn linking_needs_every_pair() {
        // 0~1 and 1~2, but not 0~2.
        let chain = |a: usize, b: usize| b - a == 1;
        assert_eq!(linked(3, chain), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_tie_has_no_heaviest() {
        assert_eq!(heaviest(&[1.0, 2.0, 2.0]), None);
        assert_eq!(heaviest(&[1.0, 2.5, 2.0]), Some(1));
        assert_eq!(heaviest(&[]), None);
    }
}
