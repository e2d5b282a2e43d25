//! Closed subtasks → the answer, or an honest refusal to give one.

use frlm_wallet::Budget;

use super::driver::{Accepted, Run, Slot, SlotState};
use super::{RunError, RunSetup};
use crate::answer::{self, Answer, BudgetReport, Citation, SubtaskReport, VerificationReport};
use crate::dialect::MapAnswer;
use crate::dialect::evaluate_without_model;
use crate::plan::{Answered, Outcome, Task, reduce_parts};
use crate::question::Query;
use crate::question::compile::Compiled;
use crate::reduce::{self, Coverage, FragmentRef, Reduced, words};
use crate::scheduler::GaveUp;

pub(super) async fn answer(run: &mut Run) -> Result<Answer, RunError> {
    let (reduced, coverage) = reduced(run)?;
    if run.setup.by_code() {
        run.decide("analyse", "proceed", "code answers this exactly; no model was asked");
    } else if coverage.is_full() {
        run.decide("collect", "proceed", &format!("all {} fragments are verified", coverage.total));
    }
    let accepted: Vec<&Accepted> = accepted(&run.slots).collect();
    let verification = verification(run, &accepted);
    let share = share(coverage);
    let confidence = answer::confidence(
        share,
        verification.agreement,
        accepted.iter().map(|accepted| accepted.confidence),
    );
    Ok(Answer {
        run_id: run.setup.id.clone(),
        answer: reduced.text,
        method: if run.setup.by_code() { answer::Method::Direct } else { answer::Method::MapReduce },
        confidence: round(confidence),
        coverage: round(share),
        citations: reduced
            .citations
            .into_iter()
            .map(|citation| Citation {
                fragment: citation.fragment.0.to_string(),
                file: citation.file.to_string(),
                lines: citation.lines,
                quote: citation.quote,
            })
            .collect(),
        budget: report(&run.money.ledger().budget(run.setup.id.as_str()).await?, run.money.refund_at()),
        subtasks: subtasks(&run.slots),
        verification,
        decisions: run.decisions.clone(),
        duration_ms: u64::try_from(run.journal.now().as_millis()).unwrap_or(u64::MAX),
    })
}

/// What the verified answers come to, and how much of the documents they cover.
fn reduced(run: &mut Run) -> Result<(Reduced, Coverage), RunError> {
    if let Some(compound) = run.setup.compound.clone() {
        let answered = run.slots.iter().map(|slot| Answered {
            subtask: &slot.subtask,
            outcome: match &slot.state {
                SlotState::Accepted(accepted) => Some(&accepted.outcome),
                _ => None,
            },
        });
        let (reduced, coverage) = reduce_parts(&compound, &run.setup.fragments, answered);
        collect(run, coverage)?;
        return Ok((reduced, coverage));
    }
    let coverage = if run.setup.by_code() {
        Coverage::full(run.setup.fragments.len())
    } else {
        coverage(&run.slots, run.setup.fragments.len())
    };
    collect(run, coverage)?;
    Ok((reduce(&run.setup, &run.slots, coverage)?, coverage))
}

/// Whether what was collected may be shown at all (seed: QuorumNotMet, VerificationFailed).
fn collect(run: &mut Run, coverage: Coverage) -> Result<(), RunError> {
    let gave_up: Vec<GaveUp> = run
        .slots
        .iter()
        .filter_map(|slot| match slot.state {
            SlotState::GaveUp(why) => Some(why),
            _ => None,
        })
        .collect();
    let Some(first) = gave_up.first() else { return Ok(()) };
    let policy = run.setup.policy.quorum;
    let whole = run.slots.len();
    let verified = accepted(&run.slots).count();
    let planned = run.slots.iter().any(|slot| matches!(slot.task(), Task::Map { .. }));
    let enough = planned && policy.allow_partial && policy.quorum.is_met(coverage.answered, coverage.total);
    let why = in_words(*first);
    if planned && coverage.is_full() {
        // Only the step that would have made one text of the fragments' answers is missing.
        run.decide(
            "collect",
            "proceed",
            &format!("the fragments' answers are verified but could not be combined ({why}); they are shown side by side"),
        );
        return Ok(());
    }
    if enough && coverage.answered > 0 {
        let missing = coverage.missing();
        let total = coverage.total;
        run.decide(
            "collect",
            "proceed",
            &format!("{missing} of {total} fragments are missing ({why}); the quorum is met, so a partial answer is shown"),
        );
        return Ok(());
    }
    run.decide(
        "collect",
        "escalate",
        &format!("{verified} of {whole} subtasks were verified; the others: {why}"),
    );
    let mut failed = run.slots.iter().filter(|slot| matches!(slot.state, SlotState::GaveUp(_)));
    let latest = failed
        .find_map(|slot| slot.last_failure.as_deref())
        .map_or(String::new(), |reason| format!("; one attempt said: {reason}"));
    let message = format!(
        "no answer: {} of {whole} subtasks could not be verified ({why}{latest}). {}",
        whole - verified,
        advice(*first)
    );
    Err(match &run.over_limit {
        // Whoever could have answered was left out for it.
        Some(limit) => RunError::OutOfBudget(format!("{message}; {limit}")),
        None if gave_up.contains(&GaveUp::OverBudget) => RunError::OutOfBudget(message),
        None => RunError::Unverified(message),
    })
}

fn in_words(why: GaveUp) -> &'static str {
    match why {
        GaveUp::Split => "the providers disagree",
        GaveUp::Exhausted => "every attempt failed",
        GaveUp::NobodyLeft => "no further provider was there to ask",
        GaveUp::OutOfTime => "time ran out",
        GaveUp::OverBudget => "the budget ran out",
        GaveUp::CalledOff => "they were called off",
    }
}

fn advice(why: GaveUp) -> &'static str {
    match why {
        GaveUp::Split => "Try more replicas (--verify redundancy:5/3) or other providers (--provider)",
        GaveUp::Exhausted => "frlm runs show tells what each attempt returned",
        GaveUp::NobodyLeft => "Start more providers (frlm provide) or need fewer (--verify none)",
        GaveUp::OutOfTime => "Give it longer (--timeout SECONDS) or go on with frlm runs resume",
        GaveUp::OverBudget => "Raise the cap (--budget SATS)",
        GaveUp::CalledOff => "frlm runs resume asks for them again",
    }
}

/// Fragments with an accepted answer.
fn coverage(slots: &[Slot], fragments: usize) -> Coverage {
    let answered = slots
        .iter()
        .filter(|slot| {
            matches!(slot.task(), Task::Map { .. }) && matches!(slot.state, SlotState::Accepted(_))
        })
        .count();
    Coverage { answered, total: fragments }
}

fn share(coverage: Coverage) -> f64 {
    if coverage.total == 0 { 1.0 } else { coverage.answered as f64 / coverage.total as f64 }
}

fn reduce(setup: &RunSetup, slots: &[Slot], coverage: Coverage) -> Result<Reduced, RunError> {
    if let (true, Some(query)) = (setup.by_code(), &setup.query) {
        let answers: Vec<_> = setup
            .fragments
            .iter()
            .map(|fragment| (FragmentRef::from(fragment.as_ref()), evaluate_without_model(query, fragment)))
            .collect();
        let answers: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
        return Ok(reduce::reduce(query, &answers, coverage));
    }
    let mapped: Vec<(FragmentRef, &MapAnswer)> = slots
        .iter()
        .filter_map(|slot| match (slot.task(), &slot.state) {
            (Task::Map { fragment, .. }, SlotState::Accepted(accepted)) => match &accepted.outcome {
                Outcome::Mapped(answer) => Some((FragmentRef::from(fragment.as_ref()), answer)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    if let Some(query) = query(setup, slots) {
        return Ok(reduce::reduce(&query, &mapped, coverage));
    }
    let combined = slots.iter().find_map(|slot| match (slot.task(), &slot.state) {
        (Task::Combine(_), SlotState::Accepted(accepted)) => match &accepted.outcome {
            Outcome::Combined(text) => words::combined(&setup.question, text, &mapped, coverage).ok(),
            _ => None,
        },
        _ => None,
    });
    let reduced = combined.unwrap_or_else(|| words::concatenated(&mapped, coverage));
    if reduced.matched == 0 {
        return Err(RunError::Unverified(
            "no answer: nothing in the documents answers this question as far as the models can tell. \
             Rephrase it, or ask models that know more (frlm provide --model PATH.gguf)"
                .to_owned(),
        ));
    }
    Ok(reduced)
}

/// The query that the maps answered: what code made of the question, or the verified compilation.
fn query(setup: &RunSetup, slots: &[Slot]) -> Option<Query> {
    setup.query.clone().or_else(|| {
        accepted(slots).find_map(|accepted| match &accepted.outcome {
            Outcome::Compiled(Compiled::Query(query)) => Some(query.clone()),
            _ => None,
        })
    })
}

fn accepted(slots: &[Slot]) -> impl Iterator<Item = &Accepted> {
    slots.iter().filter_map(|slot| match &slot.state {
        SlotState::Accepted(accepted) => Some(accepted),
        _ => None,
    })
}

fn verification(run: &Run, accepted: &[&Accepted]) -> VerificationReport {
    let agreement = if accepted.is_empty() {
        // Nothing was asked, so nobody disagreed.
        1.0
    } else {
        accepted.iter().map(|accepted| accepted.agreement).sum::<f64>() / accepted.len() as f64
    };
    VerificationReport {
        policy: run.setup.policy.verification.to_string(),
        replicas: accepted.iter().map(|accepted| accepted.replicas as usize).sum(),
        agreement: round(agreement),
        spot_checks: run.trust.spot_checks(),
        gold_failed: 0,
    }
}

fn subtasks(slots: &[Slot]) -> SubtaskReport {
    let mut report = SubtaskReport { total: slots.len(), ..SubtaskReport::default() };
    for slot in slots {
        match &slot.state {
            SlotState::Accepted(accepted) => {
                report.verified += 1;
                report.cached += usize::from(accepted.cached);
                report.local += usize::from(accepted.local);
                report.swarm += usize::from(!accepted.local);
            }
            SlotState::GaveUp(GaveUp::OutOfTime) => report.timed_out += 1,
            SlotState::GaveUp(_) | SlotState::Open => report.failed += 1,
        }
    }
    report
}

fn report(budget: &Budget, refund_at: Option<u64>) -> BudgetReport {
    BudgetReport {
        limit_sats: budget.limit.0,
        spent_sats: budget.spent.0,
        fees_sats: budget.fees.0,
        reserved_sats: budget.reserved.0,
        pending_refund_sats: budget.pending_refund.0,
        available_sats: budget.available.0,
        refund_at,
    }
}

/// Four digits are more than the figures are worth.
fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
