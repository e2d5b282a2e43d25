//! The questions to a planner: whether something has to be found out before readers can be asked; a question over a table as a query.

use std::sync::Arc;

use frlm_protocol::{Mode, OutputConstraint};
use frlm_verifier::claims::planning::{
    LONGEST_STEP_CHARS, MOST_HEADINGS, MOST_STEPS, Outlined, planning, planning_schema,
};

use super::table_query::{QUERIED, QueryTask};
use super::{Outcome, PLANNED, TaskError};
use crate::dialect::Prompt;
use crate::dialect::claims::headings;
use crate::ingest::{DocumentId, Fragment};
use crate::question::steps::{Steps, StepsError};

/// Tokens of a plan beside its questions.
const FRAME_TOKENS: usize = 64;

/// What a planner is asked.
#[derive(Debug, Clone)]
pub enum PlanTask {
    /// Whether something has to be found out first.
    Steps(Arc<StepsTask>),
    /// A query, over a table.
    Query(Arc<QueryTask>),
}

impl PlanTask {
    /// The question as asked.
    pub fn question(&self) -> &str {
        match self {
            Self::Steps(task) => &task.question,
            Self::Query(task) => &task.question,
        }
    }

    pub(super) fn prompt(&self) -> Prompt {
        match self {
            Self::Steps(task) => task.prompt(),
            Self::Query(task) => task.prompt(),
        }
    }

    pub(super) fn key(&self) -> &'static str {
        match self {
            Self::Steps(_) => PLANNED,
            Self::Query(_) => QUERIED,
        }
    }

    pub(super) fn label(&self) -> &'static str {
        match self {
            Self::Steps(_) => "take the question apart",
            Self::Query(_) => "write the question as a query",
        }
    }

    pub(super) fn read(&self, answer: &str) -> Result<Outcome, TaskError> {
        match self {
            Self::Steps(task) => {
                let steps = task.read(answer)?;
                Ok(Outcome::Planned(steps.map(|steps| steps.texts()).unwrap_or_default()))
            }
            Self::Query(task) => task.read(answer).map(Outcome::Queried).map_err(TaskError::Query),
        }
    }
}

/// A question in words, and what a planner is told of the documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepsTask {
    /// As asked.
    pub question: String,
    documents: Vec<Outlined>,
    most: usize,
}

impl StepsTask {
    /// Of a question over documents, which are told by their names and headings, or by how they begin.
    pub fn of<'a>(question: &str, fragments: impl IntoIterator<Item = &'a Fragment>) -> Self {
        let mut documents: Vec<(DocumentId, Outlined)> = Vec::new();
        for fragment in fragments {
            if documents.last().is_none_or(|(id, _)| *id != fragment.document) {
                let first = fragment.unread().records.iter().next().map(|record| record.text.to_string());
                let outlined =
                    Outlined { name: fragment.file.to_string(), headings: first.into_iter().collect() };
                documents.push((fragment.document, outlined));
            }
            if let Some((_, Outlined { headings: known, .. })) = documents.last_mut() {
                for heading in headings(fragment) {
                    if known.len() < MOST_HEADINGS && !known.iter().any(|one| one == heading) {
                        known.push(heading.to_owned());
                    }
                }
            }
        }
        let documents = documents.into_iter().map(|(_, outlined)| outlined).collect();
        Self { question: question.to_owned(), documents, most: MOST_STEPS }
    }

    /// The same where the question is taken apart into so many at most.
    #[must_use]
    pub fn at_most(&self, steps: usize) -> Self {
        Self { most: steps.clamp(2, MOST_STEPS), ..self.clone() }
    }

    /// What a planner is asked.
    pub fn prompt(&self) -> Prompt {
        let text = planning(&self.question, &self.documents, self.most).unwrap_or_default();
        // Rules are told apart from the documents, as jobs have them.
        let at = text.find("\nDocuments, ").unwrap_or(text.len());
        let (instruction, input) = (text[..at].to_owned(), text[at..].trim_start().to_owned());
        let tokens = FRAME_TOKENS + self.most * LONGEST_STEP_CHARS / 3;
        Prompt {
            instruction,
            inputs: vec![input],
            mode: Mode::Together,
            max_tokens: u32::try_from(tokens).unwrap_or(u32::MAX),
            constraint: Some(OutputConstraint::JsonSchema(planning_schema(self.most))),
        }
    }

    /// The steps that a planner's answer names, `None` where the question is asked as it is.
    pub fn read(&self, answer: &str) -> Result<Option<Steps>, StepsError> {
        let told = self.documents.iter().map(|one| format!("{} {}", one.name, one.headings.join(" ")));
        Steps::read(&self.question, &told.collect::<Vec<_>>().join("\n"), answer)
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::fragment;

    use super::*;

    #[test]
    fn a_planner_is_told_how_documents_begin_and_no_more_of_them() {
        let lease = fragment("lease.txt", "Lease of 3 May 2019\n\nThe rent is 900 EUR a month.\n");
        let task = StepsTask::of("Who signed the contract that replaced the 2019 lease?", [&lease]);
        let prompt = task.prompt();
        let [text] = prompt.texts().try_into().unwrap();
        assert!(
            text.contains("- \"lease.txt\": \"Lease of 3 May 2019\"\n") && !text.contains("900"),
            "{text}"
        );
        assert!(
            prompt.instruction.starts_with("You prepare a question")
                && prompt.inputs[0].starts_with("Documents, ")
        );
        assert!(task.at_most(9).prompt().instruction.contains("At most 4 questions"));
        assert!(task.at_most(1).prompt().instruction.contains("At most 2 questions"));
    }

    #[test]
    fn words_of_the_outline_are_known_to_the_reader_of_a_plan() {
        let lease = fragment("lease.txt", "Tenancy of 3 May 2019\n");
        let task = StepsTask::of("Who signed the contract that replaced the one of 2019?", [&lease]);
        let plan = "{\"questions\": [\"Which contract replaced the tenancy of 2019?\", \"Who signed {1}?\"]}";
        assert_eq!(task.read(plan).unwrap().unwrap().each().len(), 2);
        assert_eq!(task.read("{\"questions\": []}"), Ok(None));
    }
}
