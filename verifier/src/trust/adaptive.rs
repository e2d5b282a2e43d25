//! How many replicas one subtask needs: as few as its leading group's fidelity allows.
//!
//! ```text
//!   answers ─► groups ─► fidelity of the leading group ─┬ ≥ target, and anchored ──────► Accept
//!                                                       ├ ≥ target, newcomers only ────► Ask a known one
//!                                                       ├ < target, someone is left ───► Ask another
//!                                                       ├ nobody left, two agree, ≥ least ► Accept
//!                                                       └ replicas used up ────────────► Stop
//! ```
//!
//! Distinct keys are not distinct people: an accepted group holds a provider with a record or was
//! audited. The one exception is a swarm in which nobody at all has a record: there the agreement of two
//! is accepted as under redundancy, because records can begin no other way.

use serde::{Deserialize, Serialize};

use super::evidence::TaskClass;
use super::posterior::{correctness, fidelities};
use super::reputation::{Member, Reputation};
use crate::policy::AdaptiveConfig;

/// How sure this machine's own answer is of being right, where no model's measure says more.
const AUDITED: f64 = 0.99;
/// Without anybody who has a record, as many must agree.
const LEAST_NEWCOMERS: usize = 2;

/// Answers to one subtask that say the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdaptiveGroup {
    /// Who gave them.
    pub members: Vec<Member>,
    /// Whether this machine found the answer itself, or an audit confirmed it.
    pub audited: bool,
}

/// Who could still be asked about a subtask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Anybody.
    pub anyone: bool,
    /// A provider with a record.
    pub known: bool,
}

/// The leading group, and how far it is to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Its position.
    pub group: usize,
    /// The probability that an honest run of the claimed model stands behind it.
    pub fidelity: f64,
    /// The probability that it is right; never above what the model measures on gold tasks.
    pub correctness: f64,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NextStep {
    /// Take the leading group.
    Accept(Assessment),
    /// Ask one more provider.
    Ask {
        /// What leads so far.
        leading: Option<Assessment>,
        /// It is believed, but only newcomers vouch for it: the next one must have a record.
        unanchored: bool,
    },
    /// The replicas are used up and no group is believed.
    Stop(Option<Assessment>),
}

impl AdaptiveConfig {
    /// Decides over the answers so far. The order of groups and members does not matter.
    pub fn next_step(
        &self,
        reputation: &Reputation,
        class: &TaskClass,
        groups: &[AdaptiveGroup],
        reach: Reach,
    ) -> NextStep {
        let answers: usize = groups.iter().map(|group| group.members.len()).sum();
        let used_up = answers >= self.most_replicas as usize;
        let Some(leading) = leading(reputation, class, groups) else {
            return if used_up {
                NextStep::Stop(None)
            } else {
                NextStep::Ask { leading: None, unanchored: false }
            };
        };
        let group = &groups[leading.group];
        let known = |group: &AdaptiveGroup| group.members.iter().any(|member| reputation.has_record(*member));
        let anchored = group.audited || known(group);
        let nobody_is_known = !reach.known && !groups.iter().any(known);
        let vouched = anchored || (nobody_is_known && group.members.len() >= LEAST_NEWCOMERS);
        let last_word = used_up || !reach.anyone || nobody_is_known;
        let enough = leading.fidelity >= self.target_fidelity
            || (last_word && group.members.len() >= 2 && leading.fidelity >= self.least_fidelity);
        if vouched && enough {
            NextStep::Accept(leading)
        } else if used_up {
            NextStep::Stop(Some(leading))
        } else {
            let unanchored = !anchored && leading.fidelity >= self.target_fidelity;
            NextStep::Ask { leading: Some(leading), unanchored }
        }
    }
}

/// The group that is believed most; `None` without answers.
pub fn leading(reputation: &Reputation, class: &TaskClass, groups: &[AdaptiveGroup]) -> Option<Assessment> {
    let voters: Vec<_> = (0..groups.len())
        .map(|at| {
            let others = groups.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<Member> = others.flat_map(|(_, group)| group.members.iter().copied()).collect();
            reputation.group(class, &groups[at].members, &others)
        })
        .collect();
    let assessment = |(at, fidelity): (usize, f64)| {
        let audited = groups[at].audited;
        let fidelity = if audited { 1.0 } else { fidelity };
        let measured = correctness(&voters[at], fidelity);
        Assessment {
            group: at,
            fidelity,
            correctness: if audited { measured.max(AUDITED) } else { measured },
        }
    };
    fidelities(&voters)
        .into_iter()
        .enumerate()
        .filter(|(at, _)| groups[*at].audited || !groups[*at].members.is_empty())
        .map(assessment)
        .max_by(|a, b| {
            let first = |at: usize| groups[at].members.iter().min().copied();
            a.fidelity.total_cmp(&b.fidelity).then_with(|| first(b.group).cmp(&first(a.group)))
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::evidence::{Evidence, ProviderTraits};
    use super::*;

    const EVERYBODY: Reach = Reach { anyone: true, known: true };
    const NEWCOMERS: Reach = Reach { anyone: true, known: false };
    const NOBODY: Reach = Reach { anyone: false, known: false };

    fn class() -> TaskClass {
        TaskClass::new("extraction", "general", 1)
    }

    /// Members 0–3 have a record, 4 and 5 are unknown; 2 and 3 belong to one operator.
    fn swarm() -> (Reputation, Vec<Member>) {
        let mut reputation = Reputation::new();
        let members: Vec<Member> = (0..6)
            .map(|at| {
                let operator = (at == 2 || at == 3).then(|| "one".to_owned());
                reputation.enrol(&format!("p{at}"), ProviderTraits { weights_hash: None, operator })
            })
            .collect();
        for _ in 0..15 {
            let groups = vec![(0..4).map(|at| format!("p{at}")).collect()];
            let comparison = Evidence::Comparison {
                class: class(),
                groups,
                accepted: Some(0),
                certainty: 1.0,
                audited: false,
            };
            reputation.observe(&comparison);
        }
        (reputation, members)
    }

    fn group(members: &[Member]) -> AdaptiveGroup {
        AdaptiveGroup { members: members.to_vec(), audited: false }
    }

    fn step(reputation: &Reputation, groups: &[AdaptiveGroup], reach: Reach) -> NextStep {
        AdaptiveConfig::default().next_step(reputation, &class(), groups, reach)
    }

    #[test]
    fn one_answer_of_a_trusted_provider_is_enough() {
        let (reputation, members) = swarm();
        let accepted = step(&reputation, &[group(&members[..1])], EVERYBODY);
        assert!(
            matches!(accepted, NextStep::Accept(assessment) if assessment.correctness <= 0.99),
            "{accepted:?}"
        );
        assert_eq!(step(&reputation, &[], EVERYBODY), NextStep::Ask { leading: None, unanchored: false });
    }

    #[test]
    fn agreeing_newcomers_are_not_believed_while_anybody_has_a_record() {
        let (mut reputation, _) = swarm();
        let crowd: Vec<Member> =
            (0..6).map(|at| reputation.enrol(&format!("sybil{at}"), ProviderTraits::default())).collect();
        for count in 1..=6 {
            let next = step(&reputation, &[group(&crowd[..count])], EVERYBODY);
            assert!(matches!(next, NextStep::Ask { .. }), "{count} newcomers: {next:?}");
        }
        let audited = AdaptiveGroup { audited: true, ..group(&crowd[..1]) };
        assert!(matches!(step(&reputation, &[audited], EVERYBODY), NextStep::Accept(_)));
    }

    #[test]
    fn where_nobody_has_a_record_agreement_is_believed_as_under_redundancy() {
        let mut reputation = Reputation::new();
        let crowd: Vec<Member> =
            (0..4).map(|at| reputation.enrol(&format!("p{at}"), ProviderTraits::default())).collect();
        let of = |count: usize, reach| step(&reputation, &[group(&crowd[..count])], reach);
        assert!(matches!(of(1, NEWCOMERS), NextStep::Ask { .. }));
        assert!(matches!(of(1, NOBODY), NextStep::Ask { .. }), "one newcomer is never enough");
        assert!(matches!(of(2, NEWCOMERS), NextStep::Accept(assessment) if assessment.fidelity < 0.99));
        assert!(matches!(of(2, EVERYBODY), NextStep::Ask { .. }), "someone with a record can be asked");
        assert!(matches!(of(3, NEWCOMERS), NextStep::Accept(_)));
        let split = [group(&crowd[..1]), group(&crowd[1..2])];
        assert!(matches!(step(&reputation, &split, NOBODY), NextStep::Ask { .. }));
    }

    #[test]
    fn disagreement_asks_on_and_ends_when_replicas_are_used_up() {
        let (reputation, members) = swarm();
        let config = AdaptiveConfig { most_replicas: 4, ..AdaptiveConfig::default() };
        let split = [group(&members[..1]), group(&members[1..2])];
        assert!(matches!(config.next_step(&reputation, &class(), &split, EVERYBODY), NextStep::Ask { .. }));
        let tied = [group(&[members[0], members[4]]), group(&[members[1], members[5]])];
        assert!(matches!(config.next_step(&reputation, &class(), &tied, EVERYBODY), NextStep::Stop(Some(_))));
    }

    /// Members by the side each is on; sides without members are left out.
    fn sides(members: &[Member], sides: &[usize]) -> Vec<AdaptiveGroup> {
        (0..3)
            .map(|side| {
                let who = members.iter().zip(sides).filter(|(_, at)| **at == side);
                group(&who.map(|(member, _)| *member).collect::<Vec<_>>())
            })
            .filter(|group| !group.members.is_empty())
            .collect()
    }

    proptest! {
        #[test]
        fn the_order_of_groups_and_members_does_not_matter(
            on in proptest::collection::vec(0_usize..3, 1..6), turns in 0_usize..6
        ) {
            let (reputation, members) = swarm();
            let mut groups = sides(&members, &on);
            let before = step(&reputation, &groups, EVERYBODY);
            let leader = |groups: &[AdaptiveGroup]| {
                leading(&reputation, &class(), groups).map(|assessment| {
                    let mut members = groups[assessment.group].members.clone();
                    members.sort();
                    members
                })
            };
            let led = leader(&groups);
            let turns = turns % groups.len();
            groups.rotate_left(turns);
            for group in &mut groups {
                group.members.reverse();
            }
            let after = step(&reputation, &groups, EVERYBODY);
            prop_assert_eq!(std::mem::discriminant(&before), std::mem::discriminant(&after));
            prop_assert_eq!(led, leader(&groups));
        }

        #[test]
        fn an_agreeing_honest_replica_never_lowers_the_posterior(
            on in proptest::collection::vec(0_usize..3, 5), joins in 0_usize..6
        ) {
            let (reputation, mut members) = swarm();
            let newcomer = members.remove(joins);
            let mut groups = sides(&members, &on);
            let Some(before) = leading(&reputation, &class(), &groups) else { return Ok(()) };
            groups[before.group].members.push(newcomer);
            let after = leading(&reputation, &class(), &groups).unwrap();
            prop_assert_eq!(after.group, before.group);
            prop_assert!(after.fidelity >= before.fidelity - 1e-12);
        }
    }
}
