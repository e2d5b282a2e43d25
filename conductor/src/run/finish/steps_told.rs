//! The steps that a question took, told below its answer: each with the notes that were taken for it, so that everybody sees
//! what was asked in the question's place, and each is cited.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use frlm_questions::plan::{Outcome, StepMap, Task, Unanswered};
use frlm_questions::reduce::{Citation, Reduced, words};

use crate::run::subtasks::{Progress, SubtaskRecord};

/// Notes of a step that are named.
const MOST_NAMED: usize = 8;

/// Tells them.
pub(super) fn tell(reduced: &mut Reduced, steps: &StepMap, subtasks: &[SubtaskRecord]) {
    let mut parts = Vec::new();
    for record in subtasks {
        if let (Task::Map { .. }, Progress::Accepted(accepted)) = (record.task(), &record.state)
            && let Outcome::Mapped(answer) = &accepted.outcome
        {
            parts.extend(std::iter::repeat_n(record.subtask.part(), answer.each().len()));
        }
    }
    let evidence = super::mapped(subtasks);
    let numbers = words::numbers(&evidence);
    let is_listed = numbers.iter().flatten().any(|number| *number > 1);
    reduced.text.push_str("\n\nThe question was asked in steps; {1} is what the first found:");
    let of_step = |at: usize| {
        let all = parts.iter().zip(&evidence).zip(&numbers);
        let own = all.filter(move |((part, _), _)| part.is_some_and(|part| part as usize == at));
        own.filter_map(|((_, found), number)| Some((found, (*number)?)))
    };
    for (at, step) in steps.steps().each().iter().enumerate() {
        // What its readers were told and said again was found for an earlier one.
        let told: BTreeSet<usize> =
            steps.before(at).into_iter().flat_map(of_step).map(|(_, number)| number).collect();
        let own: Vec<_> = of_step(at).filter(|(_, number)| !told.contains(number)).collect();
        let named: BTreeSet<usize> = own.iter().map(|(_, number)| *number).collect();
        // Writing into a String cannot fail.
        let _ = write!(reduced.text, "\n{}. {} {}", at + 1, step.text, came_to(steps, at, &named, is_listed));
        let is_cited =
            |citation: &Citation| citation.claim.is_none_or(|claim| named.contains(&(claim as usize)));
        if !reduced.citations.iter().any(is_cited)
            && let Some(((fragment, answer), number)) = own.first()
            && let Some(citation) = words::citation(fragment, answer)
        {
            reduced.citations.push(citation.of_claim(Some(*number)));
            reduced.uncited = reduced.uncited.saturating_sub(1);
        }
    }
}

/// The notes that were taken for a step, or why there are none.
fn came_to(steps: &StepMap, at: usize, named: &BTreeSet<usize>, is_listed: bool) -> String {
    if named.is_empty() {
        return match steps.unanswered(at) {
            Some(Unanswered::NothingFound) => "The documents say nothing of it.".to_owned(),
            Some(Unanswered::Needs(need)) => {
                format!("It was not asked, because nothing was found for step {}.", need + 1)
            }
            Some(Unanswered::NotVerified) => {
                "It has no answer, because not everything is verified that it rests on.".to_owned()
            }
            // In other words.
            None => "The documents say no more than was found before.".to_owned(),
        };
    }
    if !is_listed {
        return String::new();
    }
    let numbers: Vec<String> = named.iter().take(MOST_NAMED).map(usize::to_string).collect();
    let more = if named.len() > MOST_NAMED { " and more" } else { "" };
    format!("[{}]{more}", numbers.join(", "))
}
