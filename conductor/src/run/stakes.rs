//! Questions of high stakes: medical, legal and financial ones (tier 3; seeds/verifier-block.md, "High-stakes
//! verification"). All answers to them should be rechecked by a model of the user's, or by a provider that the user
//! chose. If there is neither, other providers recheck them, and the run says so.

use frlm_questions::answer::BEFORE_YOU_ACT;
use frlm_verifier::sampling::Domain;

use super::RunSetup;
use super::subtasks::{Progress, SubtaskRecord};
use super::validate::Validation;

/// What the user should know before acting on such an answer. `own`: code or a model of the user's answered, or checked,
/// everything. `chosen`: the user has named the providers to ask, or a validator.
fn at_stake(domain: Domain, own: bool, chosen: bool) -> Option<String> {
    let alone = domain.is_high_stakes() && !own && !chosen;
    alone.then(|| {
        format!(
            "this is a {} question, and no provider of your choice answered it or reviewed the answers: \
             {BEFORE_YOU_ACT}, ask providers that you know (--provider), name a validator (--verify \
             validated:NPUB), or ask your own model (--local)",
            domain.name()
        )
    })
}

/// What the user should know at the end of a run of high stakes if its answer rests on unknown providers.
pub(super) fn of_run(
    setup: &RunSetup,
    subtasks: &[SubtaskRecord],
    validation: &Validation,
) -> Option<String> {
    let foreign =
        |record: &SubtaskRecord| matches!(&record.state, Progress::Accepted(accepted) if !accepted.local);
    let own = setup.by_code() || !subtasks.iter().any(foreign);
    let chosen = !setup.whom.only.is_empty() || validation.validator().is_some();
    at_stake(Domain::of(setup.asked()), own, chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_are_named_as_such_where_much_is_at_stake_and_only_there() {
        let strangers = (false, false);
        let of = |question: &str, (own, chosen)| at_stake(Domain::of(question), own, chosen);
        let words = of("What dosage did the patient get?", strangers).unwrap();
        assert!(words.starts_with("this is a medical question"), "{words}");
        assert!(words.contains(BEFORE_YOU_ACT), "by this the caution is found again: {words}");
        assert!(of("Is the contractor liable?", strangers).is_some_and(|words| words.contains("legal")));
        assert_eq!(of("How many orders failed?", strangers), None);
        for readers in [(true, false), (false, true)] {
            assert_eq!(of("How much tax is due?", readers), None, "{readers:?}");
        }
    }
}
