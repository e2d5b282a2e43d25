//! The first plan source: the same question to every fragment.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{CombineTask, CompileTask, Outcome, PlanSource, Settled, Subtask, Task};
use crate::dialect::{MapAnswer, MapTask};
use crate::ingest::Fragment;
use crate::question::compile::Compiled;
use crate::question::{FieldHints, Query};
use crate::reduce::{Coverage, FragmentRef, words};
use crate::scheduler::SubtaskId;

/// Why no plan can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Nobody here can answer in words.
    #[error(
        "this question needs a model that answers in words, and only record models are here; {}",
        HOW_TO_ASK
    )]
    NeedsWords,
}

/// What to do about a question that code cannot answer and nobody here can put into words.
pub(crate) const HOW_TO_ASK: &str = "start a provider with a general model (frlm provide --model PATH.gguf) or rephrase it as a count, \
     list, sum, largest, smallest, first, last or look-up over fields";

/// Compiles the question where code could not, maps it over the fragments, combines words.
#[derive(Debug)]
pub struct FragmentMap {
    question: String,
    fragments: Vec<Arc<Fragment>>,
    stage: Stage,
    /// Whether a model that answers in words can be reached.
    words_possible: bool,
}

#[derive(Debug)]
enum Stage {
    /// A compile subtask must be asked first.
    Compile(Arc<CompileTask>),
    /// Its answer is awaited.
    Compiling,
    /// The fragments can be asked.
    Map(Option<Query>),
    /// Words from the fragments are awaited.
    Mapping { words: BTreeMap<SubtaskId, MapAnswer>, first: u32, awaited: usize },
    /// Nothing more to plan.
    Finished,
}

impl FragmentMap {
    /// A plan for a question. `query` is what code made of it, if it could.
    pub fn new(
        question: &str,
        query: Option<Query>,
        hints: FieldHints,
        fragments: Vec<Arc<Fragment>>,
        words_possible: bool,
    ) -> Self {
        let stage = match query {
            Some(query) => Stage::Map(Some(query)),
            None => Stage::Compile(Arc::new(CompileTask { question: question.to_owned(), hints })),
        };
        Self { question: question.to_owned(), fragments, stage, words_possible }
    }

    fn map(&mut self, query: Option<Query>, first_id: SubtaskId) -> Result<Vec<Subtask>, PlanError> {
        if query.is_none() && !self.words_possible {
            return Err(PlanError::NeedsWords);
        }
        let in_words = query.is_none();
        let task = Arc::new(MapTask { question: self.question.clone(), query });
        let subtasks: Vec<Subtask> = self
            .fragments
            .iter()
            .map(|fragment| Subtask {
                key: map_key(fragment.id.0, &fragment.span.sha256),
                task: Task::Map { task: Arc::clone(&task), fragment: Arc::clone(fragment) },
            })
            .collect();
        self.stage = if in_words && subtasks.len() > 1 {
            Stage::Mapping { words: BTreeMap::new(), first: first_id.0, awaited: subtasks.len() }
        } else {
            Stage::Finished
        };
        Ok(subtasks)
    }
}

/// Stable over resumes: which fragment, over which text.
fn map_key(fragment: u32, sha256: &str) -> String {
    format!("map:{fragment}:{sha256}")
}

/// The fragment that a subtask of this key reads, if it reads one.
pub fn fragment_of_key(key: &str) -> Option<u32> {
    key.strip_prefix("map:")?.split(':').next()?.parse().ok()
}

impl PlanSource for FragmentMap {
    fn next(&mut self, verified: &[Settled<'_>], first_id: SubtaskId) -> Result<Vec<Subtask>, PlanError> {
        match &mut self.stage {
            Stage::Compile(task) => {
                let task = Arc::clone(task);
                self.stage = Stage::Compiling;
                Ok(vec![Subtask { key: "compile".to_owned(), task: Task::Compile(task) }])
            }
            Stage::Compiling => {
                let compiled = verified.iter().find_map(|settled| match settled.outcome {
                    Outcome::Compiled(compiled) => Some(compiled.clone()),
                    _ => None,
                });
                match compiled {
                    Some(Compiled::Query(query)) => self.map(Some(query), first_id),
                    Some(Compiled::Free) => self.map(None, first_id),
                    None => Ok(Vec::new()),
                }
            }
            Stage::Map(query) => {
                let query = query.take();
                self.map(query, first_id)
            }
            Stage::Mapping { words, first, awaited } => {
                for settled in verified {
                    if let (Outcome::Mapped(answer), true) = (settled.outcome, settled.id.0 >= *first) {
                        words.insert(settled.id, answer.clone());
                    }
                }
                if words.len() < *awaited {
                    return Ok(Vec::new());
                }
                let said = std::mem::take(words);
                self.stage = Stage::Finished;
                let answers: Vec<(FragmentRef, MapAnswer)> = said
                    .into_iter()
                    .zip(&self.fragments)
                    .map(|((_, answer), fragment)| (FragmentRef::from(fragment.as_ref()), answer))
                    .collect();
                let coverage = Coverage::full(answers.len());
                let task = CombineTask {
                    question: self.question.clone(),
                    answers,
                    coverage,
                    correction: String::new(),
                };
                let evidence: Vec<_> = task.answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
                if !words::can_combine(&evidence) {
                    return Ok(Vec::new());
                }
                Ok(vec![Subtask { key: "combine".to_owned(), task: Task::Combine(Arc::new(task)) }])
            }
            Stage::Finished => Ok(Vec::new()),
        }
    }
}
