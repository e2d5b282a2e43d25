//! Closed subtasks → the answer, or an honest refusal to give one.

mod steps_told;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use frlm_documents::Location;
use frlm_learning::planning::performance::Synthesis;
use frlm_protocol::one_line;
use frlm_questions::answer::{
    self, Answer, BudgetReport, Citation, Completeness, FinalReport, SubtaskReport, VerificationReport,
};
use frlm_questions::dialect::MapAnswer;
use frlm_questions::ingest::{Fragment, FragmentId, files};
use frlm_questions::plan::program::ProgramAccount;
use frlm_questions::plan::{
    Answered, Belongs, HOW_TO_ASK, Outcome, PlanError, TablePlan, Task, read_by_code, reduce_parts,
};
use frlm_questions::query::Query;
use frlm_questions::question::compile::Compiled;
use frlm_questions::question::compound::Contrast;
use frlm_questions::reduce::final_check::{self, FinalCheck, Finding};
use frlm_questions::reduce::sentence::counted;
use frlm_questions::reduce::{self, Bound, Coverage, FragmentRef, Reduced, pattern_of, words};
use frlm_questions::stage::RunStage;
use frlm_scheduler::FailureReason;
use frlm_verifier::decisions::Verb;
use frlm_wallet::{Budget, Sats};

use super::driver::Run;
use super::subtasks::{Accepted, Progress, SubtaskRecord};
use super::work::Work;
use super::{RunError, RunSetup, known, learner, stakes};

/// How sure an answer by a query is at most, where code is not sure how the question is meant: as sure as the answers that code
/// computes then.
const UNSURE_READING: f64 = 0.75;

pub(super) async fn answer(run: &mut Run) -> Result<Answer, RunError> {
    let coverage = seen(&run.engine.work.setup, &run.engine.work.subtasks);
    let finished = match run.engine.work.report.finished.take() {
        Some(finished) => finished,
        None => Finished::of(&run.engine.work.setup, &run.engine.work.subtasks)?,
    };
    run.learner.pattern = finished.pattern;
    let (mut reduced, mut final_check) = finished.shown(&run.engine.work.subtasks, coverage);
    if let Some(bound) = run.engine.work.setup.documents.bound() {
        (reduced.bound, reduced.text) = (Bound::Unknown, format!("{}\n\n{bound}", reduced.text));
    }
    let (question, documents) =
        (run.engine.work.setup.question.clone(), run.engine.work.setup.documents.names.clone());
    let known = run.engine.answers.known.clone();
    if let Some(finding) =
        known::compare(known, question, &documents, &reduced, &mut run.engine.work.journal).await
    {
        final_check.passed = false;
        final_check.findings.push(finding);
    }
    if final_check.passed
        && let Some(sentence) = learner::in_short(&mut run.planning()).await
    {
        reduced.text = format!("{}\n{sentence}", reduced.text);
    }
    if let Some(steps) = run.engine.work.setup.plan.steps() {
        steps_told::tell(&mut reduced, steps, &run.engine.work.subtasks);
    }
    if let Some(words) =
        stakes::of_run(&run.engine.work.setup, &run.engine.work.subtasks, &run.engine.answers.validation)
    {
        run.engine.work.journal.notice(RunStage::Verify, &words);
    }
    run.engine.work.providers.clusters.tell_clusters(&mut run.engine.work.journal);
    if run.engine.work.setup.by_code() {
        run.engine
            .work
            .journal
            .notice(RunStage::Analyse, "code computed this exactly; no provider was asked");
    }
    let accepted: Vec<&Accepted> = accepted(&run.engine.work.subtasks).collect();
    let verification = verification(run, &accepted, final_check);
    let seen = if coverage.total == 0 { 1.0 } else { coverage.answered as f64 / coverage.total as f64 };
    let share = seen * run.engine.work.setup.documents.share_read();
    let computed = run.engine.work.setup.computed();
    // That a question needs words, and how it is taken apart, is no step that could be wrong by much.
    let steps = accepted.iter().filter(|accepted| !is_about_the_question(&accepted.outcome));
    let stated: Vec<Option<f64>> = steps.map(|accepted| accepted.confidence).collect();
    let confidence = match computed {
        Some(computed) => computed.confidence * share,
        None => answer::confidence(share, verification.agreement, stated.iter().copied()),
    };

    let reading = computed.map(|computed| computed.reading.clone());
    let confidence = as_sure_as_the_reading(&mut run.engine.work, confidence);
    if let Some(why) = answer::why_no_surer(&stated).filter(|_| reading.is_none()) {
        run.engine.work.journal.notice(RunStage::Verify, &why);
    }
    Ok(Answer {
        run_id: run.engine.work.setup.id.clone(),
        answer: reduced.text,
        method: if run.engine.work.setup.computed.is_some() {
            answer::Method::Code
        } else if run.engine.work.setup.plan.program().is_some() {
            answer::Method::Program
        } else if reading.is_some() || run.engine.work.setup.by_code() || run.learner.direct {
            answer::Method::Direct
        } else {
            answer::Method::MapReduce
        },
        reading,
        confidence: round(confidence),
        // However many parts there are, one that is missing shows.
        coverage: if share < 1.0 { round(share).min(0.9999) } else { 1.0 },
        documents: run.engine.work.setup.documents.report(),
        completeness: Completeness::of(&run.engine.answers.claims.book.seconds.read_twice()),
        citations: reduced
            .citations
            .into_iter()
            .map(|citation| Citation {
                fragment: citation.fragment.0.to_string(),
                file: citation.file.to_string(),
                lines: citation.lines,
                location: location(&run.engine.work.setup.fragments, &citation),
                quote: citation.quote,
                claim: citation.claim,
            })
            .collect(),
        budget: report(
            &run.jobs.money.ledger.budget(run.engine.work.setup.id.as_str()).await?,
            run.jobs.money.refund_at(),
        ),
        subtasks: subtasks(&run.engine.work.subtasks),
        verification,
        decisions: run.engine.work.journal.decisions(),
        usage: run.engine.work.report.usage,
        duration_ms: u64::try_from(run.engine.work.journal.now().as_millis()).unwrap_or(u64::MAX),
    })
}

/// How sure an answer by a query may be.
fn as_sure_as_the_reading(work: &mut Work, confidence: f64) -> f64 {
    let setup = &work.setup;
    let is_by_query = setup.compound.is_some() || query(setup, &work.subtasks).is_some();
    if !setup.reading_is_unsure || !is_by_query || setup.by_code() || confidence <= UNSURE_READING {
        return confidence;
    }
    work.journal.notice(RunStage::Analyse, "code is not sure that the question is meant as it was read");
    UNSURE_READING
}

fn is_about_the_question(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Compiled(Compiled::Free) | Outcome::Planned(_) | Outcome::Queried(_))
}

/// Where a citation stands in its file.
fn location(fragments: &[Arc<Fragment>], citation: &reduce::Citation) -> Location {
    let fragment = fragments.iter().find(|fragment| fragment.id == citation.fragment);
    fragment.map(|fragment| fragment.location(citation.lines[0])).unwrap_or_default()
}

/// Whether what was collected may be shown at all (seed: QuorumNotMet, VerificationFailed). No decision
/// gets round it: how much must be verified is the user's word.
pub(super) fn may_be_shown(
    work: &mut Work,
    accepted_by_person: bool,
    is_alone: bool,
) -> Result<(), RunError> {
    let coverage = seen(&work.setup, &work.subtasks);
    let gave_up: Vec<FailureReason> = work
        .subtasks
        .iter()
        .filter(|record| record.is_missed())
        .filter_map(|record| match record.state {
            Progress::GaveUp(why) => Some(why),
            _ => None,
        })
        .collect();
    let Some(first) = gave_up.first() else { return Ok(()) };
    let whole = work.subtasks.iter().filter(|record| record.is_missed()).count();
    let verified = accepted(&work.subtasks).count();
    let program = work.setup.plan.program();
    if program.is_some_and(|program| program.answer.is_some()) {
        // It was told of what is missing and has decided to answer: that is the user's word.
        let why = first.in_words();
        let words = format!(
            "{} of {whole} subtasks have no answer ({why}), and the program answers without",
            whole - verified
        );
        work.journal.decide(RunStage::Collect, Verb::Proceed, &words);
        return Ok(());
    }
    let ended_without = program.is_some();
    let planned = work.subtasks.iter().any(|record| matches!(record.task(), Task::Map { .. }));
    let quorum = work.setup.policy.quorum;
    let settles = accepted_by_person || quorum.is_met(coverage.answered, coverage.total);
    let enough = planned && settles;
    let why = first.in_words();
    if planned && coverage.missing() == 0 && !ended_without {
        // Only the step that would have made one text of the fragments' answers is missing.
        work.journal.decide(RunStage::Collect, Verb::Proceed,
            &format!("the parts' answers are verified but could not be combined ({why}); they are shown side by side"),
        );
        return Ok(());
    }
    if enough && coverage.answered > 0 && !ended_without {
        let missing = coverage.missing();
        let total = coverage.total;
        work.journal.decide(RunStage::Collect, Verb::Proceed,
            &format!("{missing} of {total} parts are missing ({why}); the quorum is met, so a partial answer is shown"),
        );
        return Ok(());
    }
    work.journal.decide(
        RunStage::Collect,
        Verb::Escalate,
        &format!("{verified} of {whole} parts were verified; the others: {why}"),
    );
    let mut failed = work.subtasks.iter().filter(|record| matches!(record.state, Progress::GaveUp(_)));
    let latest = failed
        .find_map(|record| record.last_failure.as_deref())
        .map_or(String::new(), |reason| format!("; one attempt said: {reason}"));
    // Answers came and were no plan: more of the same providers would not help.
    let unplanned = work.subtasks.iter().all(|record| matches!(record.task(), Task::Compile(_)))
        && work.subtasks.iter().any(|record| record.failures > 0);
    let message = if unplanned && matches!(first, FailureReason::Exhausted | FailureReason::NobodyLeft) {
        format!(
            "no answer: the question could not be turned into steps that code can check ({why}{latest}): {HOW_TO_ASK}"
        )
    } else {
        format!(
            "no answer: {} of {whole} parts could not be verified ({why}{latest}). {}",
            whole - verified,
            advice(*first, is_alone)
        )
    };
    Err(match &work.report.over_limit {
        // Every provider that could have answered was excluded for it.
        Some(limit) => RunError::OutOfBudget(format!("{message}; {limit}")),
        None if gave_up.contains(&FailureReason::OverBudget) => RunError::OutOfBudget(message),
        None => RunError::Unverified(message),
    })
}

/// `alone`: nobody but the user's own models could be asked.
fn advice(why: FailureReason, alone: bool) -> &'static str {
    match why {
        FailureReason::Split
        | FailureReason::Exhausted
        | FailureReason::NobodyLeft
        | FailureReason::OutOfTime
            if alone =>
        {
            "Only your own model was asked (--model). Once it answers, use frlm runs resume; or ask again with \
             another model"
        }
        FailureReason::Split => "Try more replicas (--verify redundancy:5/3) or other providers (--provider)",
        FailureReason::Exhausted => "frlm runs show tells what each attempt returned",
        FailureReason::NobodyLeft => {
            "Start more providers (frlm provide) and use frlm runs resume, or require fewer (--verify none)"
        }
        FailureReason::OutOfTime => "Give it longer (--timeout SECONDS) or use frlm runs resume",
        FailureReason::OverBudget => "Raise the budget (--budget SATS)",
        FailureReason::Cancelled => "frlm runs resume asks for them again",
        FailureReason::NoVerdict => {
            "Ask the validator's operator whether it is there and can do this work, name another one \
             (--verify validated:NPUB), or let records decide (--verify adaptive); where your own model was to judge \
             (--model), name a faster one; at --level critical name one that can tell, or ask for --level high"
        }
    }
}

/// How much of the documents the verified answers cover.
pub(super) fn seen(setup: &RunSetup, subtasks: &[SubtaskRecord]) -> Coverage {
    Coverage { unread: setup.documents.unread.len(), ..of_what_was_read(setup, subtasks) }
}

fn of_what_was_read(setup: &RunSetup, subtasks: &[SubtaskRecord]) -> Coverage {
    if let Some(program) = setup.plan.program() {
        // Of what it asked: what it read for itself is in nobody's hands but its own.
        let asked = subtasks.iter().filter(|record| matches!(record.task(), Task::Map { .. })).count();
        let Coverage { answered, total, .. } = coverage(subtasks, asked);
        let total = total + program.by_code + program.unmapped;
        return Coverage { answered: answered + program.by_code, total, unread: 0 };
    }
    match &setup.compound {
        _ if setup.plan.table().is_some_and(TablePlan::is_read) => {
            let read = subtasks.iter().filter(|record| record.subtask.belongs == Belongs::Meaning);
            let is_answered = |record: &&SubtaskRecord| matches!(record.state, Progress::Accepted(_));
            Coverage { answered: read.clone().filter(is_answered).count(), total: read.count(), unread: 0 }
        }
        _ if setup.computed().is_some() => Coverage::full(setup.fragments.len()),
        Some(compound) => reduce_parts(compound, &setup.fragments, answered(subtasks)).1,
        None if setup.by_code() => Coverage::full(setup.fragments.len()),
        None => match setup.plan.steps() {
            // Each step is asked of every fragment.
            Some(steps) => {
                let asked =
                    subtasks.iter().filter(|record| matches!(record.task(), Task::Map { .. })).count();
                coverage(subtasks, asked + steps.unasked())
            }
            None => coverage(subtasks, setup.fragments.len()),
        },
    }
}

/// Every subtask with what was accepted, if anything was.
pub(super) fn answered(subtasks: &[SubtaskRecord]) -> impl Iterator<Item = Answered<'_>> {
    subtasks.iter().map(|record| Answered {
        subtask: &record.subtask,
        outcome: record.accepted().map(|accepted| &accepted.outcome),
    })
}

/// Fragments with an accepted answer.
fn coverage(subtasks: &[SubtaskRecord], fragments: usize) -> Coverage {
    let answered = subtasks
        .iter()
        .filter(|record| {
            matches!(record.task(), Task::Map { .. })
                && record.subtask.belongs != Belongs::Meaning
                && matches!(record.state, Progress::Accepted(_))
        })
        .count();
    Coverage { answered, total: fragments, unread: 0 }
}

/// An answer and what tier 4 found.
#[derive(Debug)]
pub(super) struct Finished {
    reduced: Reduced,
    pub check: FinalCheck,
    /// Whether a model wrote it from notes.
    pub by_model: bool,
    /// How it was put together; `None` where answers stand side by side.
    pattern: Option<Synthesis>,
}

impl Finished {
    /// The best answer that the closed subtasks give: of several texts over the notes the one in which
    /// least is wrong, the later of equals.
    pub fn of(setup: &RunSetup, subtasks: &[SubtaskRecord]) -> Result<Self, RunError> {
        let fragments: Vec<&Fragment> = setup.fragments.iter().map(AsRef::as_ref).collect();
        if let Some(program) = setup.plan.program() {
            return Self::of_program(program, &fragments, subtasks, seen(setup, subtasks));
        }
        if let Some(computed) = setup.computed() {
            let reduced = computed.reduced();
            let check = final_check::of_program(&reduced, &fragments, seen(setup, subtasks), 0);
            return Ok(Self { reduced, check, by_model: false, pattern: Some(Synthesis::Aggregative) });
        }
        if let Some(compound) = &setup.compound {
            let (reduced, coverage, _) = reduce_parts(compound, &setup.fragments, answered(subtasks));
            let check = final_check::of_parts(&reduced, &fragments, coverage);
            let compares = compound.closings.iter().any(|closing| closing.asks != Contrast::Sum);
            let pattern = if compares { Synthesis::Comparative } else { Synthesis::Aggregative };
            return Ok(Self { reduced, check, by_model: false, pattern: Some(pattern) });
        }
        let coverage = seen(setup, subtasks);
        let over_records = |query: &Query, evidence: &[(FragmentRef, &MapAnswer)]| {
            let reduced = reduce::reduce(query, evidence, coverage);
            let check = final_check::of_records(&reduced, evidence, &fragments, coverage);
            Self { reduced, check, by_model: false, pattern: Some(Synthesis::Aggregative) }
        };
        if let (true, Some(query)) = (setup.by_code(), &setup.query) {
            let answers = read_by_code(query, &setup.fragments);
            let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
            return Ok(over_records(query, &evidence));
        }
        let mapped = mapped(subtasks);
        if let Some(query) = query(setup, subtasks) {
            return Ok(over_records(&query, &mapped));
        }
        let confidences = confidences(subtasks);
        let digested = digested(subtasks);
        let by_claims = accepted(subtasks)
            .any(|accepted| matches!(accepted.outcome, Outcome::Mapped(MapAnswer::Claims { .. })));
        let checked = |reduced: Reduced, by_model: bool| {
            let mut check =
                final_check::of_words(&setup.question, &reduced, by_model, &mapped, &fragments, coverage);
            check.weigh(&mapped, |id| confidences.get(&id).copied().unwrap_or(0.0));
            check.carried(&digested);
            if by_claims {
                check.may_leave_out();
            }
            if by_model {
                let translated = setup.asker.preferences.language.is_some();
                check.sentences(&setup.question, &reduced.text, &mapped, coverage, translated);
            }
            Self { reduced, check, by_model, pattern: by_model.then(|| pattern_of(&setup.question)) }
        };
        let texts = subtasks.iter().filter_map(|record| match (record.task(), &record.accepted()?.outcome) {
            (Task::Combine(task), Outcome::Combined(text)) if task.is_last() => {
                words::combined(&setup.question, text, &mapped, coverage).ok()
            }
            _ => None,
        });
        let best =
            texts.map(|text| checked(text, true)).filter(|finished| !finished.check.is_fatal()).reduce(
                |best, next| {
                    if next.check.findings.len() <= best.check.findings.len() { next } else { best }
                },
            );
        match best {
            Some(best) => Ok(best),
            None => Ok(checked(side_by_side(&mapped, coverage)?, false)),
        }
    }

    /// What a program came to.
    fn of_program(
        program: &ProgramAccount,
        fragments: &[&Fragment],
        subtasks: &[SubtaskRecord],
        coverage: Coverage,
    ) -> Result<Self, RunError> {
        let reduced = program.reduced(coverage).ok_or_else(|| {
            let words = "the program has no answer";
            RunError::Plan(PlanError::Program(words.to_owned()))
        })?;
        let now = |id: u32| Some(&subtasks.get(id as usize)?.accepted()?.outcome);
        let check = final_check::of_program(&reduced, fragments, coverage, program.overtaken(now));
        Ok(Self { reduced, check, by_model: false, pattern: None })
    }

    /// The answer as it is shown: what is missing or contradicted is said, what does not stand is not
    /// cited.
    fn shown(self, subtasks: &[SubtaskRecord], coverage: Coverage) -> (Reduced, FinalReport) {
        let Self { mut reduced, check, .. } = self;
        reduced.text = check.marked(&reduced.text);
        reduced.text.push_str(&check.reservations());
        let forged = |citation: &reduce::Citation| {
            let place = format!("{} line {}", one_line(&citation.file), citation.lines[0]);
            check.findings.iter().any(|finding| *finding == Finding::Forged { place: place.clone() })
        };
        reduced.citations.retain(|citation| !forged(citation));
        let without_answer =
            missed(subtasks).filter(|record| !matches!(record.state, Progress::Accepted(_))).count();
        let missing = coverage.missing();
        let mut findings = check.in_words();
        if missing > 0 {
            findings.push(format!("{missing} of {} parts have no verified answer", coverage.total));
        } else if without_answer > 0 {
            findings.push(format!("{} without a verified answer", counted(without_answer, "further step")));
        }
        findings.extend(files(coverage.unread).map(|files| format!("{files} could not be read")));
        let report = FinalReport { passed: findings.is_empty(), claims: check.claims, findings };
        (reduced, report)
    }
}

/// What the fragments said, as far as it is verified.
pub(super) fn mapped(subtasks: &[SubtaskRecord]) -> Vec<(FragmentRef, &MapAnswer)> {
    let answers = subtasks.iter().filter_map(|record| match (record.task(), &record.accepted()?.outcome) {
        (Task::Map { fragment, .. }, Outcome::Mapped(answer))
            if record.subtask.belongs != Belongs::Meaning =>
        {
            Some((fragment, answer))
        }
        _ => None,
    });
    // 100,000 answers need no room for twice as many.
    let mut mapped = Vec::with_capacity(subtasks.len());
    mapped.extend(answers.flat_map(|(fragment, answer)| {
        answer.each().iter().map(|one| (FragmentRef::from(fragment.as_ref()), one))
    }));
    mapped
}

/// Notes that a verified digest names, where all were too much for one provider.
fn digested(subtasks: &[SubtaskRecord]) -> HashSet<usize> {
    subtasks
        .iter()
        .filter_map(|record| match (record.task(), &record.accepted()?.outcome) {
            (Task::Combine(task), Outcome::Combined(text)) if !task.is_last() => Some(words::named(text)),
            _ => None,
        })
        .flatten()
        .collect()
}

/// How far what the fragments said is believed.
fn confidences(subtasks: &[SubtaskRecord]) -> HashMap<FragmentId, f64> {
    subtasks
        .iter()
        .filter_map(|record| match record.task() {
            Task::Map { fragment, .. } => Some((fragment.id, record.accepted()?.smoothed_agreement())),
            _ => None,
        })
        .collect()
}

/// What the fragments said, as it is.
fn side_by_side(mapped: &[(FragmentRef, &MapAnswer)], coverage: Coverage) -> Result<Reduced, RunError> {
    let reduced = words::concatenated(mapped, coverage);
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
pub(super) fn query(setup: &RunSetup, subtasks: &[SubtaskRecord]) -> Option<Query> {
    setup.query.clone().or_else(|| {
        accepted(subtasks).find_map(|accepted| match &accepted.outcome {
            Outcome::Compiled(Compiled::Query(query)) => Some(Query::clone(query)),
            _ => None,
        })
    })
}

fn accepted(subtasks: &[SubtaskRecord]) -> impl Iterator<Item = &Accepted> {
    subtasks.iter().filter_map(SubtaskRecord::accepted)
}

fn verification(run: &Run, accepted: &[&Accepted], final_check: FinalReport) -> VerificationReport {
    let agreement = if accepted.is_empty() {
        // Nothing was asked, so nobody disagreed.
        1.0
    } else {
        accepted.iter().map(|accepted| accepted.agreement).sum::<f64>() / accepted.len() as f64
    };
    VerificationReport {
        policy: run.engine.work.report.policy_name.clone(),
        replicas: accepted.iter().map(|accepted| accepted.replicas as usize).sum(),
        agreement: round(agreement),
        spot_checks: run.engine.work.providers.trust.assessor.spot_checks(),
        rechecks: run.engine.answers.rechecks.begun,
        // Runs of earlier versions had an arbiter, and readers of the report know the field.
        arbitrated: 0,
        gold_tasks: run.engine.work.providers.trust.assessor.gold().tasks,
        gold_failed: run.engine.work.providers.trust.assessor.gold().failed,
        claims: run.engine.answers.claims.report.says_anything().then_some(run.engine.answers.claims.report),
        final_check: Some(final_check),
    }
}

/// Subtasks that the answer would lack without an answer to them. A text that was to be bettered stands without the better one.
fn missed(subtasks: &[SubtaskRecord]) -> impl Iterator<Item = &SubtaskRecord> {
    let is_written = |record: &SubtaskRecord| matches!(record.task(), Task::Combine(task) if task.is_last());
    let has_text =
        subtasks.iter().any(|record| is_written(record) && matches!(record.state, Progress::Accepted(_)));
    let is_spare = move |record: &SubtaskRecord| {
        has_text && is_written(record) && matches!(record.state, Progress::GaveUp(_))
    };
    subtasks.iter().filter(move |record| record.is_missed() && !is_spare(record))
}

fn subtasks(subtasks: &[SubtaskRecord]) -> SubtaskReport {
    let subtasks: Vec<&SubtaskRecord> = missed(subtasks).collect();
    let mut report = SubtaskReport { total: subtasks.len(), ..SubtaskReport::default() };
    for record in subtasks {
        match &record.state {
            Progress::Accepted(accepted) => {
                report.verified += 1;
                report.cached += usize::from(accepted.cached);
                report.local += usize::from(accepted.local);
                report.swarm += usize::from(!accepted.local);
            }
            Progress::GaveUp(FailureReason::OutOfTime) => report.timed_out += 1,
            Progress::GaveUp(_) | Progress::Open => report.failed += 1,
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
        // Somebody else may have seen to it meanwhile.
        refund_at: refund_at.filter(|_| budget.pending_refund > Sats::ZERO),
    }
}

/// Four digits are more than the figures are worth.
fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
