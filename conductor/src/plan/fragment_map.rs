//! The first plan source: the same question to every fragment.
//!
//! ```text
//!   code reads the question ─────────────────────────► Map ─► (words: combine, in groups first where they are too many) ─► done
//!   it does not ─► Compile ─┬─ a query ───────────────► Map
//!                           └─ none: it needs words ─┬─► Map
//!                              the text is short ────┴─► Undecided ─► Direct ─► done
//! ```

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::combine_tree::{CombineTree, Way};
use super::{CombineTask, CompileTask, Contexts, Outcome, PlanSource, Settled, Subtask, Task};
use crate::dialect::claims::{Form, Parts};
use crate::dialect::{MapAnswer, MapTask};
use crate::ingest::{Fragment, FragmentId};
use crate::query::Query;
use crate::question::FieldHints;
use crate::question::compile::Compiled;
use crate::reduce::words::Share;
use crate::reduce::{Coverage, FragmentRef, final_check};
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
    /// The program that makes the plan has failed, or was stopped: why, in its words and ours.
    #[error("{0}")]
    Program(String),
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
    /// Whether readers answer as one, and not with claims.
    as_one: bool,
    /// All of the text as one fragment, where that is one prompt.
    whole: Option<Arc<Fragment>>,
    /// How the answer should be put, for whoever writes its last words and nobody else.
    manner: String,
    /// The question as its readers are asked, where it needs words.
    for_readers: Option<String>,
    /// How much whoever writes reads at once.
    contexts: Contexts,
}

#[derive(Debug)]
enum Stage {
    /// A compile subtask must be asked first.
    Compile(Arc<CompileTask>),
    /// Its answer is awaited.
    Compiling,
    /// It needs words.
    Free,
    /// It needs words, and whoever runs the plan says whether it is simple enough to be asked in one piece.
    Undecided(Arc<Fragment>),
    /// It is.
    Direct(Arc<Fragment>),
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
        let in_words = query.is_none();
        // The only reader of a question in words has the last word, too.
        let last_word = in_words && self.fragments.len() == 1;
        let manner = if last_word { self.manner.clone() } else { String::new() };
        // Such a reader has all of the text, and no question of a part's reader is put to it.
        let phrased = self.for_readers.clone().filter(|_| in_words && !last_word);
        let question = phrased.unwrap_or_else(|| self.question.clone());
        let task = Arc::new(MapTask { question, query, manner, form: self.form(Parts::of(&self.fragments)) });
        let subtasks: Vec<Subtask> = self
            .fragments
            .iter()
            .map(|fragment| {
                Subtask::new(Task::Map { task: Arc::clone(&task), fragment: Arc::clone(fragment) })
            })
            .collect();
        self.stage = if in_words {
            Stage::Mapping { words: BTreeMap::new(), first: first_id.0, awaited: subtasks.len() }
        } else {
            Stage::Finished
        };
        Ok(subtasks)
    }
}

impl FragmentMap {
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
                let fragment = Arc::clone(whole);
                self.fragments = vec![Arc::clone(&fragment)];
                self.stage = Stage::Mapping { words: BTreeMap::new(), first: first_id.0, awaited: 1 };
                let (question, manner) = (self.question.clone(), self.manner.clone());
                let form = self.form(Parts::default());
                let task = Arc::new(MapTask { question, query: None, manner, form });
                Ok(vec![Subtask::new(Task::Map { task, fragment })])
            }
            Stage::Map(query) => {
                let query = query.take();
                self.map(query, first_id)
            }
            Stage::Mapping { words, first, awaited } => {
                for settled in verified {
                    if let (Outcome::Mapped(answer), true) = (settled.outcome, settled.id.0 >= *first) {
                        words.insert(settled.id, (answer.clone(), settled.belief));
                    }
                }
                if words.len() < *awaited {
                    return Ok(Vec::new());
                }
                let said = std::mem::take(words);
                self.stage = Stage::Finished;
                let mut beliefs: HashMap<FragmentId, f64> = HashMap::new();
                let answers: Vec<(FragmentRef, MapAnswer)> = said
                    .into_iter()
                    .zip(&self.fragments)
                    .flat_map(|((_, (answer, belief)), fragment)| {
                        beliefs.insert(fragment.id, belief);
                        let each = answer.each().to_vec().into_iter();
                        each.map(|answer| (FragmentRef::from(fragment.as_ref()), answer))
                    })
                    .collect();
                let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
                let belief = |id: FragmentId| beliefs.get(&id).copied().unwrap_or(0.0);
                let conflicts = final_check::conflicts(&evidence, belief);
                let task = CombineTask {
                    question: self.question.clone(),
                    coverage: Coverage::full(self.fragments.len()),
                    answers,
                    conflicts,
                    correction: String::new(),
                    manner: self.manner.clone(),
                    share: Share::default(),
                };
                match Way::of(task, self.contexts) {
                    Some(Way::AtOnce(task)) => Ok(vec![Subtask::new(Task::Combine(task))]),
                    Some(Way::InGroups(mut tree)) => {
                        let digests = tree.next_level(first_id);
                        self.stage = Stage::Combining(tree);
                        Ok(digests)
                    }
                    None => Ok(Vec::new()),
                }
            }
            Stage::Combining(tree) => {
                Ok(if tree.hear(verified) { tree.next_level(first_id) } else { Vec::new() })
            }
            Stage::Undecided(_) | Stage::Finished => Ok(Vec::new()),
        }
    }

    fn to_come(&self) -> Vec<Subtask> {
        let Stage::Undecided(whole) = &self.stage else { return Vec::new() };
        let (question, manner) = (self.question.clone(), self.manner.clone());
        let form = self.form(Parts::default());
        let task = Arc::new(MapTask { question, query: None, manner, form });
        vec![Subtask::new(Task::Map { task, fragment: Arc::clone(whole) })]
    }

    fn may_combine(&self) -> bool {
        matches!(self.stage, Stage::Mapping { .. })
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

#[cfg(test)]
mod tests {
    use frlm_learning::planning::phrasing::Template;

    use super::*;
    use crate::dialect::testing::{ORDERS, fragment, fragments};

    const QUESTION: &str = "What is said of the weather?";

    /// A plan whose question is known to need words.
    fn undecided(words_possible: bool) -> FragmentMap {
        let pieces: Vec<_> = fragments("orders.log", ORDERS, 100).into_iter().map(Arc::new).collect();
        let whole = Arc::new(fragment("orders.log", ORDERS));
        let mut plan = FragmentMap::new(QUESTION, None, FieldHints::default(), pieces, words_possible)
            .with_whole(Some(whole));
        let first = plan.next(&[], SubtaskId(0)).unwrap();
        assert_eq!(first.len(), 1, "the question is compiled");
        assert!(!plan.may_be_direct());
        plan
    }

    fn told_that_it_needs_words(plan: &mut FragmentMap) -> Result<Vec<Subtask>, PlanError> {
        let outcome = Outcome::Compiled(Compiled::Free);
        plan.next(&[Settled { id: SubtaskId(0), outcome: &outcome, belief: 1.0 }], SubtaskId(1))
    }

    #[test]
    fn a_simple_question_is_asked_of_the_whole_text_and_of_nothing_else() {
        let mut plan = undecided(true);
        assert!(told_that_it_needs_words(&mut plan).unwrap().is_empty());
        assert!(plan.may_be_direct());
        let whole = plan.ask_directly(true).unwrap();
        assert_eq!(whole.text.lines().count(), ORDERS.lines().count());
        let asked = plan.next(&[], SubtaskId(1)).unwrap();
        assert!(matches!(asked.as_slice(), [Subtask { task: Task::Map { fragment, task }, .. }]
                if Arc::ptr_eq(fragment, &whole) && task.query.is_none() && task.question == QUESTION));
        assert!(!plan.may_be_direct() && plan.ask_directly(true).is_none());
        let outcome = Outcome::Mapped(MapAnswer::Words { answer: "fair".to_owned(), quotes: Vec::new() });
        let after =
            plan.next(&[Settled { id: SubtaskId(1), outcome: &outcome, belief: 1.0 }], SubtaskId(2)).unwrap();
        assert!(after.is_empty(), "there is nothing to combine");
    }

    #[test]
    fn one_that_is_not_simple_is_asked_of_each_fragment() {
        let mut plan = undecided(true);
        told_that_it_needs_words(&mut plan).unwrap();
        assert!(plan.ask_directly(false).is_none());
        assert_eq!(plan.next(&[], SubtaskId(1)).unwrap().len(), ORDERS.lines().count().div_ceil(100));
    }

    #[test]
    fn where_nobody_answers_in_words_there_is_nothing_to_decide() {
        let mut plan = undecided(false);
        assert_eq!(told_that_it_needs_words(&mut plan).unwrap_err(), PlanError::NeedsWords);
        assert!(!plan.may_be_direct());
    }

    /// What the providers of these subtasks would read.
    fn read_by_providers(subtasks: &[Subtask]) -> Vec<String> {
        subtasks
            .iter()
            .map(|subtask| format!("{:?}", subtask.prompt(frlm_inference::Dialect::Json)))
            .collect()
    }

    #[test]
    fn wishes_go_to_whoever_writes_the_answer_and_to_no_reader_of_a_fragment() {
        const MANNER: &str = "Write in this language: German.";
        let mut plan = undecided(true).in_manner(MANNER.to_owned());
        told_that_it_needs_words(&mut plan).unwrap();
        assert!(plan.ask_directly(false).is_none());
        let read = plan.next(&[], SubtaskId(1)).unwrap();
        assert!(read.len() > 1 && read_by_providers(&read).iter().all(|prompt| !prompt.contains("German")));
        let outcomes: Vec<Outcome> = (0..read.len())
            .map(|number| {
                Outcome::Mapped(MapAnswer::Words { answer: format!("rain {number}"), quotes: Vec::new() })
            })
            .collect();
        let settled: Vec<Settled<'_>> = (1..)
            .zip(&outcomes)
            .map(|(id, outcome)| Settled { id: SubtaskId(id), outcome, belief: 1.0 })
            .collect();
        let first_id = SubtaskId(u32::try_from(read.len() + 1).unwrap());
        let written = plan.next(&settled, first_id).unwrap();
        assert_eq!(written.len(), 1);
        assert!(read_by_providers(&written)[0].contains(MANNER));

        let mut direct = undecided(true).in_manner(MANNER.to_owned());
        told_that_it_needs_words(&mut direct).unwrap();
        direct.ask_directly(true).unwrap();
        let asked = direct.next(&[], SubtaskId(1)).unwrap();
        assert!(read_by_providers(&asked)[0].contains(MANNER), "its reader has the last word");
    }

    #[test]
    fn whoever_copies_fields_hears_no_wishes() {
        let piece = fragment("orders.log", ORDERS);
        let hints = crate::question::field_hints(std::slice::from_ref(&piece));
        let question = "How many orders failed?";
        let query = crate::question::parse(question, &hints);
        assert!(query.is_some());
        let mut plan = FragmentMap::new(question, query, hints, vec![Arc::new(piece)], true)
            .in_manner("Write in this language: German.".to_owned());
        let asked = plan.next(&[], SubtaskId(0)).unwrap();
        assert!(!read_by_providers(&asked)[0].contains("German"));
    }

    #[test]
    fn readers_are_asked_as_they_are_to_be_and_whoever_writes_the_answer_as_the_user_asked() {
        let put = |template: Template, question: &str| template.for_reader(question).unwrap();
        let mut plan = undecided(true);
        plan.phrase(put(Template::StepByStep, QUESTION));
        told_that_it_needs_words(&mut plan).unwrap();
        assert!(plan.ask_directly(false).is_none());
        let read = plan.next(&[], SubtaskId(1)).unwrap();
        assert!(
            matches!(&read[0].task, Task::Map { task, .. } if task.question.starts_with("Step 1: What is said"))
        );

        let whole = vec![Arc::new(fragment("orders.log", ORDERS))];
        let mut only = FragmentMap::new(QUESTION, None, FieldHints::default(), whole, true);
        only.phrase(put(Template::ExpectedOutputFormat, QUESTION));
        only.next(&[], SubtaskId(0)).unwrap();
        let asked = told_that_it_needs_words(&mut only).unwrap();
        assert!(
            matches!(asked.as_slice(), [Subtask { task: Task::Map { task, .. }, .. }] if task.question == QUESTION),
            "it is no part of a text, and its words are the answer"
        );

        let pieces: Vec<_> = fragments("orders.log", ORDERS, 100).into_iter().map(Arc::new).collect();
        let hints = crate::question::field_hints(&[fragment("orders.log", ORDERS)]);
        let question = "How many orders failed?";
        let query = crate::question::parse(question, &hints);
        let mut plan = FragmentMap::new(question, query, hints, pieces, true);
        plan.phrase(put(Template::StepByStep, question));
        let copied = plan.next(&[], SubtaskId(0)).unwrap();
        assert!(
            matches!(&copied[0].task, Task::Map { task, .. } if task.question == question),
            "code finishes it"
        );
    }
}
