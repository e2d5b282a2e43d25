//! How far a group of equal answers to one subtask is to be believed.
//!
//! For a group g of members with fidelities fᵢ, the odds that an honest run of the claimed model stands
//! behind it are
//!
//! ```text
//!             ∏ fᵢ                      ∏  ((1 − fⱼ) + fⱼ·ε)
//!   ───────────────────────────   ×   j∉g                    ,    i ∈ g
//!   ∏ (1 − fᵢ) · λ^(members − 1)
//! ```
//!
//! λ: how likely two liars tell the same lie. ε: how likely two honest providers differ, because one of
//! their models erred. A member that is correlated with a more trusted one adds only the part of its
//! evidence that is independent; members that would add nothing are left out, so that the group is worth
//! what its best witnesses are worth. Of several groups at most one can be right, so that their odds are
//! shared out: two trusted providers that contradict each other leave doubt in both. Agreement never
//! counts against a group, even if others agree: else a known liar could sink a right answer by repeating it.

/// A member of a group, or someone who said something else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Voter {
    /// The provider's fidelity for this class of tasks, 0..=1.
    pub fidelity: f64,
    /// What its model measures on gold tasks, 0..=1.
    pub accuracy: f64,
}

/// A group of equal answers among all answers to a subtask.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Those who gave it.
    pub members: Vec<Voter>,
    /// How strongly the members are correlated, one row each, 0 (independent) to 1 (one and the same);
    /// empty where all are independent.
    pub correlations: Vec<Vec<f64>>,
    /// Those who said something else.
    pub others: Vec<Voter>,
}

/// How likely two liars that do not know each other tell the same lie. High, because people who lie
/// together look as if they did not know each other until they are caught.
const SAME_LIE: f64 = 0.25;
/// Nobody is certain.
const LEAST_DOUBT: f64 = 1e-6;
/// Correlated members among which the best witnesses are looked for; the most trusted are tried.
const MOST_WITNESSES: usize = 10;

/// The probability of each group that an honest run of the claimed model stands behind it, where at
/// most one of them can be right. The groups are all answers to one subtask.
pub fn fidelities(groups: &[Group]) -> Vec<f64> {
    let log_odds: Vec<f64> = groups.iter().map(log_odds).collect();
    // Relative to the likeliest, "nobody" (log-odds 0) included.
    let most = log_odds.iter().copied().fold(0.0, f64::max);
    let sum: f64 = (-most).exp() + log_odds.iter().map(|log| (log - most).exp()).sum::<f64>();
    log_odds.iter().map(|log| (log - most).exp() / sum).collect()
}

/// The probability that a group's answer is right: no better than the best of the members' models
/// measures. Replicas of one model do not make it better: they err alike.
pub fn correctness(group: &Group, fidelity: f64) -> f64 {
    fidelity * group.members.iter().map(accuracy).fold(0.0, f64::max)
}

fn log_odds(group: &Group) -> f64 {
    if group.members.is_empty() {
        return f64::NEG_INFINITY;
    }
    // The weakest model's, so that a better one that agrees is never held against the group.
    let own_accuracy = group.members.iter().map(accuracy).fold(1.0, f64::min);
    let contradicted: f64 = group
        .others
        .iter()
        .map(|other| {
            let f = bounded(other.fidelity);
            let honest_difference = (2.0 - own_accuracy - accuracy(other)).clamp(0.01, 0.5);
            ((1.0 - f) + f * honest_difference).ln()
        })
        .sum();
    support(group) + contradicted
}

/// Log-odds by the members alone: the most that any choice of witnesses among them is worth.
fn support(group: &Group) -> f64 {
    let mut order: Vec<usize> = (0..group.members.len()).collect();
    let fidelity = |at: usize| bounded(group.members[at].fidelity);
    order.sort_by(|&a, &b| fidelity(b).total_cmp(&fidelity(a)));
    let odds = |at: usize| fidelity(at) / (1.0 - fidelity(at));
    let adds = |at: usize| (odds(at) / SAME_LIE).ln().max(0.0);
    let first = odds(order[0]).ln();
    if group.correlations.iter().flatten().all(|correlation| *correlation <= 0.0) {
        return first + order[1..].iter().map(|&at| adds(at)).sum::<f64>();
    }
    order.truncate(MOST_WITNESSES);
    let mut best = first;
    for chosen in 1_u32..1 << order.len() {
        let mut witnesses = (0..order.len()).filter(|bit| chosen & (1 << bit) != 0).map(|bit| order[bit]);
        let Some(leader) = witnesses.next() else { continue };
        let (mut before, mut log_odds) = (vec![leader], odds(leader).ln());
        for witness in witnesses {
            let correlation =
                before.iter().map(|&other| correlation(group, witness, other)).fold(0.0, f64::max);
            log_odds += (1.0 - correlation) * adds(witness);
            before.push(witness);
        }
        best = best.max(log_odds);
    }
    best
}

fn correlation(group: &Group, left: usize, right: usize) -> f64 {
    let known = group.correlations.get(left).and_then(|row| row.get(right)).copied().unwrap_or(0.0);
    if known.is_finite() { known.clamp(0.0, 1.0) } else { 1.0 }
}

fn bounded(fidelity: f64) -> f64 {
    if fidelity.is_finite() { fidelity.clamp(LEAST_DOUBT, 1.0 - LEAST_DOUBT) } else { LEAST_DOUBT }
}

fn accuracy(voter: &Voter) -> f64 {
    if voter.accuracy.is_finite() { voter.accuracy.clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn voter(fidelity: f64) -> Voter {
        Voter { fidelity, accuracy: 0.99 }
    }

    fn group(members: Vec<Voter>, others: Vec<Voter>) -> Group {
        Group { members, correlations: Vec::new(), others }
    }

    /// The group's fidelity where the others each say something of their own.
    fn contested(first: Group) -> f64 {
        let (members, others) = (first.members.clone(), first.others.clone());
        let mut groups = vec![first];
        for (at, other) in others.iter().enumerate() {
            let rest = others.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, other)| *other);
            groups.push(group(vec![*other], members.iter().copied().chain(rest).collect()));
        }
        fidelities(&groups)[0]
    }

    fn fidelity(members: &[f64], others: &[f64]) -> f64 {
        let voters = |list: &[f64]| list.iter().map(|&fidelity| voter(fidelity)).collect::<Vec<_>>();
        contested(group(voters(members), voters(others)))
    }

    #[test]
    fn one_trusted_provider_is_enough_and_newcomers_need_each_other() {
        assert!(fidelity(&[0.995], &[]) > 0.99);
        assert!(fidelity(&[0.7], &[]) < 0.75);
        assert!(fidelity(&[0.7, 0.7], &[]) < 0.99);
        assert!(fidelity(&[0.7, 0.7, 0.7], &[]) > 0.99);
        assert!(fidelity(&[0.97, 0.7], &[]) > 0.99);
    }

    #[test]
    fn a_trusted_dissenter_casts_doubt_and_a_known_liar_does_not() {
        assert!(fidelity(&[0.99, 0.7], &[0.99]) < 0.95);
        assert!((fidelity(&[0.99, 0.7], &[0.0]) - fidelity(&[0.99, 0.7], &[])).abs() < 1e-5);
    }

    #[test]
    fn one_person_with_two_keys_adds_nothing() {
        let twins = Group {
            members: vec![voter(0.9), voter(0.9)],
            correlations: vec![vec![1.0, 1.0], vec![1.0, 1.0]],
            others: Vec::new(),
        };
        assert!((contested(twins) - fidelity(&[0.9], &[])).abs() < 1e-9);
    }

    #[test]
    fn a_twin_of_two_independent_witnesses_does_not_replace_them() {
        // The third is the most trusted, and correlated with both of the others.
        let members = vec![voter(0.9), voter(0.9), voter(0.91)];
        let correlations = vec![vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 1.0], vec![1.0, 1.0, 1.0]];
        let three = contested(Group { members, correlations, others: Vec::new() });
        assert!((three - fidelity(&[0.9, 0.9], &[])).abs() < 1e-9);
    }

    #[test]
    fn correctness_is_no_better_than_the_model_itself() {
        let weak = Voter { fidelity: 0.999, accuracy: 0.9 };
        let group = group(vec![weak; 5], Vec::new());
        let fidelity = fidelities(std::slice::from_ref(&group))[0];
        assert!(fidelity > 0.99 && correctness(&group, fidelity) <= 0.9);
    }

    fn voters(most: usize) -> impl Strategy<Value = Vec<Voter>> {
        let voter =
            (0.0_f64..=1.0, 0.5_f64..=1.0).prop_map(|(fidelity, accuracy)| Voter { fidelity, accuracy });
        proptest::collection::vec(voter, 1..most)
    }

    /// Six by six, symmetric, zero in half of the places.
    fn correlations() -> impl Strategy<Value = Vec<Vec<f64>>> {
        proptest::collection::vec(-1.0_f64..=1.0, 36).prop_map(|values| {
            let at = |a: usize, b: usize| values[a.min(b) * 6 + a.max(b)].max(0.0);
            (0..6).map(|a| (0..6).map(|b| if a == b { 1.0 } else { at(a, b) }).collect()).collect()
        })
    }

    proptest! {
        #[test]
        fn an_agreeing_replica_never_lowers_the_posterior(
            mut members in voters(6), others in voters(3), joins in voters(2), correlations in correlations()
        ) {
            let now = |members: &[Voter]| {
                let correlations = correlations.clone();
                contested(Group { members: members.to_vec(), correlations, others: others.clone() })
            };
            let before = now(&members);
            members.push(joins[0]);
            let after = now(&members);
            prop_assert!(after >= before - 1e-12, "{} < {}", after, before);
        }

        #[test]
        fn the_order_of_the_members_does_not_matter(members in voters(6), others in voters(3)) {
            let turned: Vec<Voter> = members.iter().rev().copied().collect();
            let (one, other) = (group(members, others.clone()), group(turned, others));
            prop_assert!((contested(one) - contested(other)).abs() < 1e-12);
        }

        #[test]
        fn every_posterior_is_a_probability(members in voters(6), others in voters(6)) {
            let best = members.iter().map(accuracy).fold(0.0, f64::max);
            let group = group(members, others);
            let fidelity = contested(group.clone());
            prop_assert!((0.0..=1.0).contains(&fidelity));
            prop_assert!(correctness(&group, fidelity) <= best + 1e-12);
        }
    }
}
