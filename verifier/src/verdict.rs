//! Tier 2, first part: do the replicas of one subtask agree?
//!
//! seeds/frlm-architecture.md, "Verification Flow": similarity between replicas, the answer with
//! the most agreement, pass if enough agree. Answers are compared by a canonical key that the
//! caller derives (numbers, dates and lists as such), never by raw text.

use crate::VerificationPolicy;

/// One replica's answer to a subtask, after it passed the checks that need no comparison.
#[derive(Debug, Clone)]
pub struct Replica<T> {
    /// Who answered; distinct among the replicas of one subtask.
    pub provider: String,
    /// Canonical form: equal keys mean the same answer.
    pub key: String,
    /// Whether one answer of this provider is enough: the user's own machine.
    pub trusted: bool,
    /// The provider's own confidence, 0..=1, where it gave one.
    pub confidence: Option<f64>,
    /// What the validator says of it, under the policy that has one. The caller has checked who signed
    /// that, and what it covers.
    pub attested: Option<bool>,
    /// The answer.
    pub answer: T,
}

/// An answer that the verifier accepted. Only this crate can make one.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified<T> {
    answer: T,
    report: Report,
}

impl<T: Clone> Verified<T> {
    /// Accepts what `leader`, one of `replicas`, said.
    pub(crate) fn accept(leader: &Replica<T>, replicas: &[Replica<T>]) -> Self {
        Self { answer: leader.answer.clone(), report: Report::of(leader, replicas) }
    }
}

impl<T> Verified<T> {
    /// The accepted answer.
    pub fn answer(&self) -> &T {
        &self.answer
    }

    /// How it was accepted.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Takes the answer out.
    pub fn into_parts(self) -> (T, Report) {
        (self.answer, self.report)
    }
}

/// How an answer was accepted.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Report {
    /// Providers whose answer was accepted.
    pub agreeing: Vec<String>,
    /// Providers that said something else.
    pub dissenting: Vec<String>,
    /// Agreeing answers as a share of all answers, 0..=1.
    pub agreement: f64,
    /// Mean of the agreeing providers' own confidence, `None` if none gave any.
    pub reported_confidence: Option<f64>,
}

impl Report {
    /// Who said the same as `leader`, and who did not.
    pub(crate) fn of<T>(leader: &Replica<T>, replicas: &[Replica<T>]) -> Self {
        // What a validator rejected is no agreement, even if it comes to the same.
        let agrees = |replica: &&Replica<T>| replica.key == leader.key && replica.attested != Some(false);
        let (agreeing, dissenting): (Vec<_>, Vec<_>) = replicas.iter().partition(agrees);
        let confidences: Vec<f64> = agreeing.iter().filter_map(|replica| replica.confidence).collect();
        Self {
            agreement: agreeing.len() as f64 / replicas.len() as f64,
            reported_confidence: (!confidences.is_empty())
                .then(|| confidences.iter().sum::<f64>() / confidences.len() as f64),
            agreeing: agreeing.into_iter().map(|replica| replica.provider.clone()).collect(),
            dissenting: dissenting.into_iter().map(|replica| replica.provider.clone()).collect(),
        }
    }
}

/// What the answers so far amount to.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict<T> {
    /// Enough agree.
    Accepted(Verified<T>),
    /// It can still be decided with `missing` more agreeing answers.
    Open {
        /// How many further answers the leading group needs.
        missing: u32,
    },
    /// All replicas are in, and too few agree.
    Split(Report),
}

/// Compares the replicas of one subtask under a policy. The order of arrival does not matter:
/// a group that reached its number stays the only one that can, since more than half must agree.
pub fn verify<T: Clone>(policy: &VerificationPolicy, replicas: &[Replica<T>]) -> Verdict<T> {
    if let Some(trusted) = replicas.iter().find(|replica| replica.trusted) {
        return Verdict::Accepted(Verified::accept(trusted, replicas));
    }
    if let VerificationPolicy::Validated { .. } = policy {
        return by_attestation(policy, replicas);
    }
    let needed = policy.first_replicas();
    let Some((leader, votes)) = leading(replicas) else {
        return Verdict::Open { missing: needed };
    };
    if votes >= needed {
        return Verdict::Accepted(Verified::accept(leader, replicas));
    }
    let unasked = policy.most_replicas().saturating_sub(count(replicas.len()));
    if votes + unasked >= needed {
        Verdict::Open { missing: needed - votes }
    } else {
        Verdict::Split(Report::of(leader, replicas))
    }
}

/// The first answer, by its key, that the validator confirms; nobody else's agreement counts.
fn by_attestation<T: Clone>(policy: &VerificationPolicy, replicas: &[Replica<T>]) -> Verdict<T> {
    let confirmed = replicas.iter().filter(|replica| replica.attested == Some(true));
    if let Some(leader) = confirmed.min_by(|a, b| a.key.cmp(&b.key).then(a.provider.cmp(&b.provider))) {
        return Verdict::Accepted(Verified::accept(leader, replicas));
    }
    match leading(replicas) {
        Some((leader, _)) if count(replicas.len()) >= policy.most_replicas() => {
            Verdict::Split(Report::of(leader, replicas))
        }
        _ => Verdict::Open { missing: 1 },
    }
}

/// The largest group's first member and its size; ties go to the smaller key, so that the choice
/// does not depend on who was faster.
fn leading<T>(replicas: &[Replica<T>]) -> Option<(&Replica<T>, u32)> {
    replicas
        .iter()
        .map(|replica| (replica, count(replicas.iter().filter(|other| other.key == replica.key).count())))
        .max_by(|(a, a_votes), (b, b_votes)| a_votes.cmp(b_votes).then_with(|| b.key.cmp(&a.key)))
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn replica(provider: u8, key: &str) -> Replica<String> {
        Replica {
            provider: format!("p{provider}"),
            key: key.to_owned(),
            trusted: false,
            confidence: Some(0.5),
            attested: None,
            answer: key.to_owned(),
        }
    }

    #[test]
    fn two_of_three_outvote_a_liar_in_any_order() {
        for order in [["a", "a", "b"], ["a", "b", "a"], ["b", "a", "a"]] {
            let replicas: Vec<_> = (0..3).map(|i| replica(i, order[usize::from(i)])).collect();
            let Verdict::Accepted(verified) = verify(&VerificationPolicy::TWO_OF_THREE, &replicas) else {
                panic!("not accepted: {order:?}");
            };
            assert_eq!(verified.answer(), "a");
            assert_eq!(verified.report().dissenting.len(), 1);
        }
    }

    #[test]
    fn dissent_leaves_the_subtask_open_until_the_replicas_are_used_up() {
        let mut replicas = vec![replica(0, "a"), replica(1, "b")];
        assert_eq!(verify(&VerificationPolicy::TWO_OF_THREE, &replicas), Verdict::Open { missing: 1 });
        replicas.push(replica(2, "c"));
        assert!(matches!(verify(&VerificationPolicy::TWO_OF_THREE, &replicas), Verdict::Split(_)));
    }

    #[test]
    fn the_users_own_machine_needs_no_second_opinion() {
        let mut own = replica(0, "a");
        own.trusted = true;
        assert!(matches!(verify(&VerificationPolicy::TWO_OF_THREE, &[own]), Verdict::Accepted(_)));
    }

    #[test]
    fn only_the_validators_word_accepts_under_its_policy() {
        let policy = VerificationPolicy::Validated { validator: "v".to_owned() };
        let attested = |provider, key, attested| Replica { attested, ..replica(provider, key) };
        let mut replicas = vec![attested(0, "a", None), attested(1, "a", Some(false))];
        assert_eq!(verify(&policy, &replicas), Verdict::Open { missing: 1 }, "agreement is no attestation");
        assert!(matches!(verify(&policy, &[replicas.clone(), vec![attested(2, "a", None)]].concat()),
            Verdict::Split(report) if report.dissenting == ["p1"]));
        replicas.push(attested(2, "b", Some(true)));
        let Verdict::Accepted(verified) = verify(&policy, &replicas) else { panic!("it is attested") };
        assert_eq!((verified.answer().as_str(), verified.report().dissenting.len()), ("b", 2));
    }

    proptest! {
        #[test]
        fn the_verdict_does_not_depend_on_arrival_order(
            keys in proptest::collection::vec(0_u8..3, 0..5), seed in any::<u64>()
        ) {
            let policy = VerificationPolicy::Redundancy { replicas: 5, agree: 3 };
            let mut replicas: Vec<_> =
                (0_u8..).zip(&keys).map(|(i, key)| replica(i, &key.to_string())).collect();
            let before = verify(&policy, &replicas);
            let turns = usize::try_from(seed % 5).unwrap().min(replicas.len());
            replicas.rotate_left(turns);
            let after = verify(&policy, &replicas);
            match (before, after) {
                (Verdict::Accepted(a), Verdict::Accepted(b)) => prop_assert_eq!(a.answer(), b.answer()),
                (a, b) => prop_assert_eq!(std::mem::discriminant(&a), std::mem::discriminant(&b)),
            }
        }
    }
}
