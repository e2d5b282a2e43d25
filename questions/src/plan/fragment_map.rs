//! The first plan source: the same question to every fragment.
//!
//! ```text
//!   code reads the question ─────────────────────────► Map ─► (words: combine, in groups first where they are too many) ─► done
//!   it does not ─► Compile ─┬─ a query ───────────────► Map
//!                           └─ none: it needs words ─┬─► Map
//!                              the text is short ────┼─► Undecided ─► Direct ─► done
//!     something may have to be found out first ──────┴─► Planning ─┬─ steps ─► Proposed ─► Steps ─► combine ─► done
//!                                                                  └─ none, or nobody plans ─► Map
//! ```

mod in_steps;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use frlm_learning::planning::decompose::Action;
use frlm_scheduler::SubtaskId;

use super::combine_tree::{CombineTree, Way};
use super::planning::{PlanTask, StepsTask};
use super::steps::StepMap;
use super::{Belongs, CombineTask, CompileTask, Contexts, Outcome, PlanSource, Settled, Subtask, Task};
use crate::dialect::claims::{Form, Parts};
use crate::dialect::{MapAnswer, MapTask};
use crate::ingest::{Fragment, FragmentId};
use crate::query::Query;
use crate::question::FieldHints;
use crate::question::compile::Compiled;
use crate::question::steps::Steps;
use crate::reduce::words::NoteBatch;
use crate::reduce::{Coverage, FragmentRef, final_check};

/// Why no plan can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Nobody here can answer in words.
    #[error(
        "this question needs a model that answers in words, and only record models are here; {}",
        HOW_TO_ASK
    )]
    NeedsWords,
    /// The program that makes the plan has failed, or was stopped: why, in its words and ours.
    #[error("{0}")]
    Program(String),
}

/// What to do about a question that code cannot answer and nobody here can put into words.
pub const HOW_TO_ASK: &str = "start a provider with a general model (frlm provide --model PATH.gguf) or rephrase it as a count, \
     list, sum, largest, smallest, first, last or look-up over fields";

/// Compiles the question where code could not, maps it over the fragments, combines words.
#[derive(Debug)]
pub struct FragmentMap {
    question: String,
    fragments: Vec<Arc<Fragment>>,
    stage: Stage,
    /// Whether a model that answers in words can be reached.
    words_possible: bool,
    /// Whether readers answer as one, and not with claims.
    as_one: bool,
    /// All of the text as one fragment, where that is one prompt.
    whole: Option<Arc<Fragment>>,
    /// How the answer should be put, for its writer and nobody else.
    manner: String,
    /// The question as its readers are asked, where it needs words.
    for_readers: Option<String>,
    /// How much the writer reads at once.
    contexts: Contexts,
    /// What a planner is asked before the question is, where it may take several steps.
    planner: Option<Arc<StepsTask>>,
    /// The steps that it takes, once they are known.
    steps: Option<Box<StepMap>>,
    /// How they are asked, where that was chosen.
    guide: Option<Action>,
    notes: Vec<String>,
}

#[derive(Debug)]
enum Stage {
    /// A compile subtask must be asked first.
    Compile(Arc<CompileTask>),
    /// Its answer is awaited.
    Compiling,
    /// It needs words.
    Free,
    /// It needs words, and the run decides whether it is simple enough to be asked in one piece.
    Undecided(Arc<Fragment>),
    /// It is.
    Direct(Arc<Fragment>),
    /// A planner's word is awaited.
    Planning,
    /// It takes several steps, and the run says whether they are asked.
    Proposed,
    /// They are.
    Steps,
    /// The fragments can be asked.
    Map(Option<Query>),
    /// Words from the fragments are awaited.
    Mapping { words: BTreeMap<SubtaskId, (MapAnswer, f64)>, first: u32, awaited: usize },
    /// They are too much for one provider: digests of them are awaited.
    Combining(Box<CombineTree>),
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
        Self {
            question: question.to_owned(),
            fragments,
            stage,
            words_possible,
            as_one: false,
            whole: None,
            manner: String::new(),
            for_readers: None,
            contexts: Contexts::UNBOUNDED,
            planner: None,
            steps: None,
            guide: None,
            notes: Vec::new(),
        }
    }

    /// The same for readers who answer in words as one, if they are to: what is judged as a whole.
    #[must_use]
    pub fn as_one(self, as_one: bool) -> Self {
        Self { as_one, ..self }
    }

    fn form(&self, parts: Parts) -> Form {
        if self.as_one { Form::Whole } else { Form::Claims(parts) }
    }

    /// The same over documents without fields, if they are: there is nothing that a query could be about.
    #[must_use]
    pub fn over_prose(mut self, is_prose: bool) -> Self {
        if is_prose && matches!(self.stage, Stage::Compile(_)) {
            self.stage = Stage::Free;
        }
        self
    }

    /// The same with all of the text as one fragment, where it is that short: a simple question may be asked of that.
    #[must_use]
    pub fn with_whole(self, whole: Option<Arc<Fragment>>) -> Self {
        Self { whole, ..self }
    }

    /// The same with wishes for how the answer is put ([`crate::asker::Preferences::manner`]).
    #[must_use]
    pub fn in_manner(self, manner: String) -> Self {
        Self { manner, ..self }
    }

    fn map(&mut self, query: Option<Query>, first_id: SubtaskId) -> Result<Vec<Subtask>, PlanError> {
        if query.is_none() && !self.words_possible {
            return Err(PlanError::NeedsWords);
        }
        if let Some(task) = self.planner.take().filter(|_| query.is_none()) {
            self.stage = Stage::Planning;
            return Ok(vec![Subtask::new(Task::Plan(PlanTask::Steps(task)))]);
        }
        let in_words = query.is_none();
        let subtasks = self.asked_of_all(query);
        self.stage = if in_words {
            Stage::Mapping { words: BTreeMap::new(), first: first_id.0, awaited: subtasks.len() }
        } else {
            Stage::Finished
        };
        Ok(subtasks)
    }

    /// The question to every fragment.
    fn asked_of_all(&self, query: Option<Query>) -> Vec<Subtask> {
        let in_words = query.is_none();
        // The only reader of a question in words has the last word, too.
        let last_word = in_words && self.fragments.len() == 1;
        let manner = if last_word { self.manner.clone() } else { String::new() };
        // Such a reader has all of the text, and no question of a part's reader is put to it.
        let phrased = self.for_readers.clone().filter(|_| in_words && !last_word);
        let question = phrased.unwrap_or_else(|| self.question.clone());
        // Records stand by themselves; only claims are read beside what comes before a part.
        let parts = if in_words { Parts::of(&self.fragments) } else { Parts::default() };
        let task = MapTask { question, query, manner, form: self.form(parts) };
        Subtask::over(&self.fragments, task, Belongs::Whole)
    }

    /// The question to all of the text at once.
    fn asked_of_whole(&self, whole: &Arc<Fragment>) -> Vec<Subtask> {
        let (question, manner) = (self.question.clone(), self.manner.clone());
        let task = MapTask { question, query: None, manner, form: self.form(Parts::default()) };
        Subtask::over([whole], task, Belongs::Whole)
    }

    /// Has one answer written from what was found: for steps, if there were any, and for the question as it is.
    fn combine(
        &mut self,
        said: Vec<(FragmentRef, MapAnswer)>,
        confidences: &HashMap<FragmentId, f64>,
        first_id: SubtaskId,
    ) -> Vec<Subtask> {
        self.stage = Stage::Finished;
        let (mut answers, told) = self.found_in_steps();
        answers.extend(said);
        let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
        let confidence = |id: FragmentId| confidences.get(&id).copied().unwrap_or(0.0);
        let conflicts = final_check::conflicts(&evidence, confidence);
        let manner: Vec<&str> = [told, &self.manner].into_iter().filter(|wish| !wish.is_empty()).collect();
        let task = CombineTask {
            question: self.question.clone(),
            coverage: Coverage::full(self.fragments.len()),
            manner: manner.join(" "),
            answers,
            conflicts,
            correction: String::new(),
            batch: NoteBatch::default(),
        };
        match Way::of(task, self.contexts) {
            Some(Way::AtOnce(task)) => vec![Subtask::new(Task::Combine(task))],
            Some(Way::InGroups(mut tree)) => {
                let digests = tree.next_level(first_id);
                self.stage = Stage::Combining(tree);
                digests
            }
            None => Vec::new(),
        }
    }

    /// The question needs words: where the text is short, somebody says first whether all of it is asked at once.
    fn free(&mut self, first_id: SubtaskId) -> Result<Vec<Subtask>, PlanError> {
        match self.whole.take().filter(|_| self.words_possible) {
            Some(whole) => {
                self.stage = Stage::Undecided(whole);
                Ok(Vec::new())
            }
            None => self.map(None, first_id),
        }
    }
}

/// Stable over resumes: which fragment, over which text.
pub(super) fn map_key(fragment: &Fragment) -> String {
    format!("map:{}:{}", fragment.id.0, fragment.span.sha256)
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
                Ok(vec![Subtask::new(Task::Compile(task))])
            }
            Stage::Compiling => {
                let compiled = verified.iter().find_map(|settled| match settled.outcome {
                    Outcome::Compiled(compiled) => Some(compiled.clone()),
                    _ => None,
                });
                match compiled {
                    Some(Compiled::Query(query)) => self.map(Some(*query), first_id),
                    Some(Compiled::Free) => self.free(first_id),
                    None => Ok(Vec::new()),
                }
            }
            Stage::Free => self.free(first_id),
            Stage::Direct(whole) => {
                let whole = Arc::clone(whole);
                self.fragments = vec![Arc::clone(&whole)];
                self.stage = Stage::Mapping { words: BTreeMap::new(), first: first_id.0, awaited: 1 };
                Ok(self.asked_of_whole(&whole))
            }
            Stage::Map(query) => {
                let query = query.take();
                self.map(query, first_id)
            }
            Stage::Mapping { words, first, awaited } => {
                if let Some(steps) = &mut self.steps {
                    steps.hear(verified);
                }
                for settled in verified {
                    if let (Outcome::Mapped(answer), true) = (settled.outcome, settled.id.0 >= *first) {
                        words.insert(settled.id, (answer.clone(), settled.confidence));
                    }
                }
                if words.len() < *awaited {
                    return Ok(Vec::new());
                }
                let said = std::mem::take(words);
                let mut confidences: HashMap<FragmentId, f64> = HashMap::new();
                let answers: Vec<(FragmentRef, MapAnswer)> = said
                    .into_iter()
                    .zip(&self.fragments)
                    .flat_map(|((_, (answer, confidence)), fragment)| {
                        confidences.insert(fragment.id, confidence);
                        let each = answer.each().to_vec().into_iter();
                        each.map(|answer| (FragmentRef::from(fragment.as_ref()), answer))
                    })
                    .collect();
                Ok(self.combine(answers, &confidences, first_id))
            }
            Stage::Combining(tree) => {
                Ok(if tree.hear(verified) { tree.next_level(first_id) } else { Vec::new() })
            }
            Stage::Planning => self.hear_planner(verified, first_id),
            Stage::Steps => {
                if let Some(steps) = &mut self.steps {
                    steps.hear(verified);
                }
                self.next_of_steps(first_id)
            }
            Stage::Undecided(_) | Stage::Proposed | Stage::Finished => Ok(Vec::new()),
        }
    }

    fn to_come(&self) -> Vec<Subtask> {
        match (&self.stage, &self.steps) {
            (Stage::Undecided(whole), _) => self.asked_of_whole(whole),
            // As it stands, the fragments are read once; whether more often the planner says.
            (Stage::Planning, _) => self.asked_of_all(None),
            (Stage::Proposed | Stage::Steps, Some(steps)) => steps.to_come(),
            _ => Vec::new(),
        }
    }

    fn has_choice(&self) -> bool {
        self.planner().is_some()
    }

    fn follow(&mut self, action: &Action) {
        self.guide = Some(*action);
        self.planner = self
            .planner
            .take()
            .map(|task| Arc::new(task.at_most(action.steps.try_into().unwrap_or(usize::MAX))));
    }

    fn hold_nothing_back(&mut self) -> bool {
        matches!(self.stage, Stage::Steps)
            && self.steps.as_mut().is_some_and(|steps| steps.hold_nothing_back())
    }

    fn planner(&self) -> Option<Arc<StepsTask>> {
        self.planner.clone().filter(|_| matches!(self.stage, Stage::Free) && self.whole.is_none())
    }

    fn take_steps(&mut self, steps: Steps) {
        self.propose(steps);
    }

    fn proposed(&self) -> Option<&Steps> {
        let steps = self.steps.as_ref().filter(|_| matches!(self.stage, Stage::Proposed))?;
        Some(steps.steps())
    }

    fn ask_in_steps(&mut self, yes: bool) {
        if yes {
            self.stage = Stage::Steps;
        } else {
            (self.planner, self.steps, self.stage) = (None, None, Stage::Map(None));
        }
    }

    fn steps(&self) -> Option<&StepMap> {
        self.steps.as_deref().filter(|_| !matches!(self.stage, Stage::Proposed))
    }

    fn has_news(&self) -> bool {
        // Nobody has a plan: the question is asked as it is.
        matches!(self.stage, Stage::Map(None))
    }

    fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn may_combine(&self) -> bool {
        matches!(self.stage, Stage::Mapping { .. } | Stage::Steps)
    }

    fn keep_within(&mut self, contexts: Contexts) {
        self.contexts = contexts;
    }

    fn phrase(&mut self, words: String) {
        self.for_readers = Some(words);
    }

    fn may_be_direct(&self) -> bool {
        matches!(self.stage, Stage::Undecided(_))
    }

    fn ask_directly(&mut self, simple: bool) -> Option<Arc<Fragment>> {
        let Stage::Undecided(whole) = &self.stage else { return None };
        let whole = Arc::clone(whole);
        self.stage = if simple { Stage::Direct(Arc::clone(&whole)) } else { Stage::Map(None) };
        simple.then_some(whole)
    }
}
