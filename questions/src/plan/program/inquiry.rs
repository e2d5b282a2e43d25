//! One question of a program's over some fragments: answered as a run answers it, by a [`FragmentMap`] with numbers of
//! its own for its subtasks. What it plans is compared with what was planned before, and nothing is asked twice.

use std::collections::HashMap;
use std::sync::Arc;

use frlm_scheduler::SubtaskId;
use serde_json::Value;

use crate::dialect::claims::{Form, Parts};
use crate::dialect::{MapAnswer, MapTask, evaluate_without_model, needs_model};
use crate::ingest::{DocumentId, Fragment};
use crate::plan::task::Belongs;
use crate::plan::{
    CompileTask, Contexts, FragmentMap, Outcome, PlanError, PlanSource as _, Settled, Subtask, Task,
};
use crate::query::{Query, Reduction};
use crate::question::compile::Compiled;
use crate::question::{FieldHints, field_hints, parse};
use crate::reduce::{Coverage, FragmentRef, ROUNDED, Reduced, reduce, words};

/// What is asked, and of which fragments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Inquiry {
    pub question: String,
    /// Their indices.
    pub fragments: Vec<usize>,
}

/// What it came to.
#[derive(Debug)]
pub(super) struct Reading {
    /// As the program sees it.
    pub value: Value,
    /// What that rests on.
    pub reduced: Reduced,
}

/// What there is to ask about.
pub(super) struct Library {
    fragments: Vec<Arc<Fragment>>,
    words_possible: bool,
    /// Whether readers answer in words as one.
    pub as_one: bool,
    pub contexts: Contexts,
    /// What is known of the fields of documents that were asked about together.
    hints: HashMap<Vec<DocumentId>, Arc<FieldHints>>,
    /// Questions about questions, once each over the same documents.
    compile: HashMap<(String, Vec<DocumentId>), Arc<CompileTask>>,
    /// How the documents are cut.
    parts: Parts,
    /// What fragments were asked, once each: a thousand subtasks share it.
    asked: HashMap<String, Vec<Arc<MapTask>>>,
}

impl Library {
    pub fn new(fragments: Vec<Arc<Fragment>>, words_possible: bool) -> Self {
        Self {
            parts: Parts::of(&fragments),
            fragments,
            words_possible,
            as_one: false,
            contexts: Contexts::UNBOUNDED,
            hints: HashMap::new(),
            compile: HashMap::new(),
            asked: HashMap::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.fragments.len()
    }

    /// The documents that an inquiry is about.
    fn documents(&self, inquiry: &Inquiry) -> Vec<DocumentId> {
        let mut documents: Vec<_> = inquiry.fragments.iter().map(|at| self.fragments[*at].document).collect();
        documents.sort_unstable();
        documents.dedup();
        documents
    }

    /// What is known of their fields. All of them say it, whichever pieces are asked about.
    fn hints(&mut self, documents: &[DocumentId]) -> Arc<FieldHints> {
        if let Some(known) = self.hints.get(documents) {
            return Arc::clone(known);
        }
        let theirs = self.fragments.iter().filter(|fragment| documents.contains(&fragment.document));
        let theirs: Vec<Fragment> = theirs.map(|fragment| Fragment::clone(fragment)).collect();
        let hints = Arc::new(field_hints(&theirs));
        self.hints.insert(documents.to_vec(), Arc::clone(&hints));
        hints
    }

    /// The answer to what takes no model.
    pub fn by_code(&mut self, inquiry: &Inquiry) -> Option<Reading> {
        let hints = self.hints(&self.documents(inquiry));
        let query = parse(&inquiry.question, &hints).filter(|query| !needs_model(query))?;
        let answers: Vec<(FragmentRef, MapAnswer)> = inquiry
            .fragments
            .iter()
            .map(|at| &self.fragments[*at])
            .map(|fragment| (FragmentRef::from(fragment.as_ref()), evaluate_without_model(&query, fragment)))
            .collect();
        let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
        Some(over_records(&query, &evidence))
    }

    /// Begins what takes one.
    pub fn open(&mut self, inquiry: Inquiry) -> Open {
        let documents = self.documents(&inquiry);
        let query = parse(&inquiry.question, &self.hints(&documents));
        let fragments: Vec<_> = inquiry.fragments.iter().map(|at| Arc::clone(&self.fragments[*at])).collect();
        // What it needs of the fields is put in where it asks about its question.
        let mut source = FragmentMap::new(
            &inquiry.question,
            query.clone(),
            FieldHints::default(),
            fragments,
            self.words_possible,
        )
        .over_prose(self.hints(&documents).is_empty())
        .as_one(self.as_one);
        source.keep_within(self.contexts);
        Open {
            inquiry,
            documents,
            query,
            source,
            planned: Vec::new(),
            told: 0,
            again: Vec::new(),
            begun: false,
        }
    }

    /// The same task, as it was made for the first who asked it.
    fn shared(&mut self, task: Task, documents: &[DocumentId]) -> Task {
        match task {
            Task::Compile(task) => {
                let hints = self.hints(documents);
                let question = task.question.clone();
                let first = self.compile.entry((question.clone(), documents.to_vec()));
                let first = first
                    .or_insert_with(|| Arc::new(CompileTask { question, hints: FieldHints::clone(&hints) }));
                Task::Compile(Arc::clone(first))
            }
            Task::Map { task, fragment } => {
                // A part of what is asked about has the number that it has in its document.
                let form = match &task.form {
                    Form::Claims(_) => Form::Claims(self.parts.clone()),
                    Form::Whole => Form::Whole,
                };
                let task = Arc::new(MapTask { form, ..MapTask::clone(&task) });
                let asked = self.asked.entry(task.question.clone()).or_default();
                let known = asked.iter().find(|known| ***known == *task).cloned();
                let first = known.unwrap_or_else(|| {
                    asked.push(Arc::clone(&task));
                    task
                });
                Task::Map { task: first, fragment }
            }
            other @ (Task::Plan(_) | Task::Reread { .. } | Task::Combine(_) | Task::Review(_)) => other,
        }
    }
}

/// An inquiry whose answer is awaited.
pub(super) struct Open {
    pub inquiry: Inquiry,
    documents: Vec<DocumentId>,
    query: Option<Query>,
    source: FragmentMap,
    /// Its subtasks by its own numbers: what the run calls them, and what they ask.
    planned: Vec<(SubtaskId, Task)>,
    /// How many of them its plan was told of, from the first on.
    told: usize,
    /// Those that came to something else since.
    again: Vec<usize>,
    begun: bool,
}

impl Open {
    pub fn keep_within(&mut self, contexts: Contexts) {
        self.source.keep_within(contexts);
    }

    /// A subtask may have another answer than its plan was told.
    pub fn tell_again(&mut self, id: SubtaskId) {
        let theirs = self.planned.iter().position(|(planned, _)| *planned == id);
        self.again.extend(theirs.filter(|at| *at < self.told));
    }

    /// What the run calls its subtasks.
    pub fn subtasks(&self) -> impl Iterator<Item = SubtaskId> {
        self.planned.iter().map(|(id, _)| *id)
    }

    /// Fragments that were to be asked and were not, because it is not known what to ask them.
    pub fn unmapped(&self) -> usize {
        let asked = self.planned.iter().any(|(_, task)| matches!(task, Task::Map { .. }));
        if asked { 0 } else { self.inquiry.fragments.len() }
    }

    /// Goes on with what is known; its answer, where that is all. `reserve` takes up a subtask, or finds the same one.
    pub fn advance(
        &mut self,
        call: u32,
        known: &HashMap<u32, (Outcome, f64)>,
        library: &mut Library,
        reserve: &mut dyn FnMut(Subtask) -> SubtaskId,
    ) -> Result<Option<Reading>, PlanError> {
        loop {
            // In order: what comes later waits until all before it is known.
            let ready =
                self.planned[self.told..].iter().take_while(|(id, _)| known.contains_key(&id.0)).count();
            let again = std::mem::take(&mut self.again);
            if self.begun && ready == 0 && again.is_empty() {
                break;
            }
            self.begun = true;
            let news: Vec<Settled<'_>> = again
                .into_iter()
                .chain(self.told..self.told + ready)
                .filter_map(|at| {
                    let (outcome, confidence) = known.get(&self.planned.get(at)?.0.0)?;
                    Some(Settled { id: SubtaskId(u32::try_from(at).ok()?), outcome, confidence: *confidence })
                })
                .collect();
            let first = SubtaskId(u32::try_from(self.planned.len()).unwrap_or(u32::MAX));
            let more = self.source.next(&news, first)?;
            self.told += ready;
            for subtask in more {
                let task = library.shared(subtask.task, &self.documents);
                let id = reserve(Subtask { task: task.clone(), belongs: Belongs::Call(call) });
                self.planned.push((id, task));
            }
        }
        Ok((self.told == self.planned.len()).then(|| self.read(known)))
    }

    fn read(&self, known: &HashMap<u32, (Outcome, f64)>) -> Reading {
        let outcomes: Vec<(&Task, &Outcome)> = self
            .planned
            .iter()
            .filter_map(|(id, task)| known.get(&id.0).map(|(outcome, _)| (task, outcome)))
            .collect();
        let evidence: Vec<(FragmentRef, &MapAnswer)> = outcomes
            .iter()
            .filter_map(|(task, outcome)| match (task, outcome) {
                (Task::Map { fragment, .. }, Outcome::Mapped(answer)) => Some((fragment, answer)),
                _ => None,
            })
            .flat_map(|(fragment, answer)| {
                answer.each().iter().map(|one| (FragmentRef::from(fragment.as_ref()), one))
            })
            .collect();
        let query = self.query.clone().or_else(|| {
            outcomes.iter().find_map(|(_, outcome)| match outcome {
                Outcome::Compiled(Compiled::Query(query)) => Some(Query::clone(query)),
                _ => None,
            })
        });
        if let Some(query) = query {
            return over_records(&query, &evidence);
        }
        let parts = outcomes.iter().filter(|(task, _)| matches!(task, Task::Map { .. })).count();
        let coverage = Coverage::full(parts);
        let question = &self.inquiry.question;
        let written = outcomes.iter().find_map(|(task, outcome)| match (task, outcome) {
            (Task::Combine(task), Outcome::Combined(text)) if task.is_last() => {
                words::combined(question, text, &evidence, coverage).ok()
            }
            _ => None,
        });
        let reduced = written.unwrap_or_else(|| words::concatenated(&evidence, coverage));
        let value = if reduced.matched == 0 { Value::Null } else { Value::String(reduced.text.clone()) };
        Reading { value, reduced }
    }
}

fn over_records(query: &Query, evidence: &[(FragmentRef, &MapAnswer)]) -> Reading {
    let reduced = reduce(query, evidence, Coverage::full(evidence.len()));
    let value = value(query, &reduced, evidence);
    Reading { value, reduced }
}

/// What a program is given: a number where there is one, `None` where nothing was found, a list where there are several.
fn value(query: &Query, reduced: &Reduced, evidence: &[(FragmentRef, &MapAnswer)]) -> Value {
    let (one, computed) = (reduced.value.as_deref(), reduced.computed.as_deref());
    match query.reduction {
        Reduction::Exists => Value::Bool(reduced.matched > 0),
        Reduction::Count => Value::from(reduced.matched),
        Reduction::List => Value::Array(found(query, evidence)),
        _ if reduced.matched == 0 => Value::Null,
        Reduction::Sum | Reduction::Average => {
            computed.or(one).map_or_else(|| Value::String(reduced.text.clone()), scalar)
        }
        _ => one.or(computed).map_or_else(|| Value::Array(found(query, evidence)), scalar),
    }
}

/// What matched: each value of the field that is asked for once, or the records.
fn found(query: &Query, evidence: &[(FragmentRef, &MapAnswer)]) -> Vec<Value> {
    let matches = evidence.iter().flat_map(|(_, answer)| match answer {
        MapAnswer::Records { matches } => matches.as_slice(),
        MapAnswer::Words { .. } | MapAnswer::Claims { .. } => &[],
    });
    let mut values: Vec<Value> = Vec::new();
    for found in matches {
        let value = found.reported.as_ref().or(found.value.as_ref());
        let value = value.map_or_else(|| Value::String(found.quote.clone()), |value| scalar(value));
        if query.measure.is_none() || !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// A figure as a number where it is one, without a unit and exact; else as it stands in the documents.
fn scalar(text: &str) -> Value {
    let is_plain = !text.starts_with(ROUNDED)
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'))
        // A number like 007 is a name.
        && (!text.trim_start_matches('-').starts_with('0') || text.len() == 1 || text.contains("0."));
    let number = is_plain.then(|| serde_json::from_str::<Value>(text).ok()).flatten();
    number.filter(Value::is_number).unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_are_numbers_and_what_only_looks_like_one_is_not() {
        assert_eq!(scalar("42"), json!(42));
        assert_eq!(scalar("-4.20"), json!(-4.2));
        assert_eq!(scalar("0"), json!(0));
        assert_eq!(scalar("0.5"), json!(0.5));
        for text in ["007", "$42", "about 1.3333", "1.2.3", "2026-03-02", "", "4 ms"] {
            assert_eq!(scalar(text), json!(text));
        }
    }
}
