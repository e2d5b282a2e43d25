//! A question over a table of which code is not sure: a planner among the providers writes it as a query, and code runs that. Where the
//! query asks what texts mean, readers tell of which records it holds.
//!
//! ```text
//!   Ask ─► Asked ─┬─ a query ─┬──────────────────────────────► Computing, in a thread ─┬─► Answered
//!                 │           └─ what do texts mean? ─► Reading ───────►┘               └─ it cannot be run ─┐
//!                 └─ the table does not tell, or nobody wrote a query ──────────────────────────────────────┴─► Left
//! ```
//!
//! *Left*: the question is asked as without a planner.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use frlm_protocol::{Mode, OutputConstraint, one_line};
use frlm_scheduler::SubtaskId;
use frlm_util::text::{collapse_whitespace, shortened};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Notify;

use super::{Belongs, Computed, Outcome, PlanError, PlanSource, PlanTask, Settled, Subtask, Task};
use crate::dialect::claims::{Form, Parts};
use crate::dialect::{MapAnswer, MapTask, Prompt};
use crate::ingest::Fragment;

/// The key of the subtask that asks for a query.
pub const QUERIED: &str = "query";

/// Tokens of a query.
const MOST_TOKENS: u32 = 1_000;

/// Characters of a planner's reason that are kept.
const LONGEST_REASON: usize = 200;

/// A table over which code runs a planner's query.
pub trait QueriedTable: fmt::Debug + Send + Sync {
    /// Whether a reply is a query of this table, or says why the table does not tell; the error says what is wrong with it. It
    /// runs nothing, for the loop of a run waits for it.
    fn check(&self, reply: &str) -> Result<Queried, String>;

    /// What readers must tell before the query in a reply can be run.
    fn meaning(&self, reply: &str) -> Option<Meaning>;

    /// What the query in a reply comes to; the error says why it comes to nothing. It may take long. `meant`: the lines of the records of
    /// which readers found that they mean what the query asks for.
    fn compute(&self, reply: &str, meant: &BTreeSet<u32>) -> Result<Computed, String>;
}

/// What the text of a column is to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// The column's name.
    pub column: String,
    /// What its text is to mean, in words.
    pub says: String,
}

impl Meaning {
    /// What readers are asked of a part. Each record is a claim of its own, which others review, and code knows it by its last words.
    fn question(&self) -> String {
        let Self { column, says } = self;
        format!(
            "Which records are, by what their {column:?} says, {says}? Judge the meaning, in any words and any language, and leave out a \
             record of which you are not sure. Write one claim for each such record, with its line and no other line: The record with \
             \"WORDS COPIED FROM IT\" is {says}."
        )
    }

    /// The lines of the records of which an answer says that they mean it: claims of another form count for nothing, lest one counts that
    /// denies it, or that is about several records.
    pub fn lines<'a>(&'a self, answer: &'a MapAnswer) -> impl Iterator<Item = u32> + 'a {
        let end = format!(" is {}", self.says.to_lowercase());
        let line = move |answer: &'a MapAnswer| {
            let MapAnswer::Words { answer, quotes } = answer else { return None };
            let claim = collapse_whitespace(answer).to_lowercase();
            let [quote] = quotes.as_slice() else { return None };
            let is_it =
                claim.starts_with("the record ") && claim.trim_end_matches(['.', '"', ' ']).ends_with(&end);
            is_it.then_some(quote.line)
        };
        answer.each().iter().filter_map(line)
    }
}

/// What a planner makes of a question over a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Queried {
    /// Its reply, which has a query.
    Query(String),
    /// The table does not tell, and why.
    Refused(String),
}

/// A question that is to be written as a query.
#[derive(Debug, Clone)]
pub struct QueryTask {
    /// As asked.
    pub question: String,
    prompt: Prompt,
    table: Arc<dyn QueriedTable>,
    /// The parts of the table's document.
    fragments: Vec<Arc<Fragment>>,
}

impl QueryTask {
    /// `rules` say how a query is written, the table and the question stand in `input`, and `schema` is the form of a reply.
    pub fn new(
        question: &str,
        (rules, input, schema): (String, String, Value),
        table: Arc<dyn QueriedTable>,
        fragments: Vec<Arc<Fragment>>,
    ) -> Self {
        let prompt = Prompt {
            instruction: rules,
            inputs: vec![input],
            mode: Mode::Together,
            max_tokens: MOST_TOKENS,
            constraint: Some(OutputConstraint::JsonSchema(schema)),
        };
        Self { question: question.to_owned(), prompt, table, fragments }
    }

    /// What a planner is asked.
    pub fn prompt(&self) -> Prompt {
        self.prompt.clone()
    }

    /// What a planner's reply comes to.
    pub fn read(&self, reply: &str) -> Result<Queried, String> {
        self.table.check(reply).map(|queried| match queried {
            Queried::Query(reply) => Queried::Query(reply),
            Queried::Refused(why) => Queried::Refused(shortened(&one_line(&why), LONGEST_REASON)),
        })
    }
}

/// Asks for a query, and has code run it.
pub struct TablePlan {
    task: Arc<QueryTask>,
    /// How the question is asked without a query.
    otherwise: Option<Box<dyn PlanSource>>,
    stage: Stage,
    reads: bool,
    notes: Vec<String>,
}

#[derive(Debug)]
enum Stage {
    Ask,
    Asked,
    /// `first`: the id of the first part's subtask; parts are told of again where something was added.
    Reading {
        reply: String,
        meaning: Meaning,
        first: SubtaskId,
        meant: BTreeMap<SubtaskId, BTreeSet<u32>>,
    },
    Computing(Arc<Computing>),
    Answered(Box<Computed>),
    /// There is no query.
    Left,
}

/// What a thread comes to, and who is told.
#[derive(Debug, Default)]
struct Computing {
    result: Mutex<Option<Result<Computed, String>>>,
    done: Arc<Notify>,
}

impl Computing {
    fn begin(task: Arc<QueryTask>, reply: String, meant: BTreeSet<u32>) -> Arc<Self> {
        let computing = Arc::new(Self::default());
        let told = Arc::clone(&computing);
        let thread = tokio::task::spawn_blocking(move || task.table.compute(&reply, &meant));
        tokio::spawn(async move {
            let result = thread.await.unwrap_or_else(|failed| Err(failed.to_string()));
            *told.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            told.done.notify_one();
        });
        computing
    }

    fn is_done(&self) -> bool {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn take(&self) -> Option<Result<Computed, String>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl TablePlan {
    /// `otherwise`: how the question is asked where nobody writes a query.
    pub fn new(task: QueryTask, otherwise: Box<dyn PlanSource>) -> Self {
        Self {
            task: Arc::new(task),
            otherwise: Some(otherwise),
            stage: Stage::Ask,
            reads: false,
            notes: Vec::new(),
        }
    }

    /// What code computed by a planner's query, once it has.
    pub fn computed(&self) -> Option<&Computed> {
        if let Stage::Answered(computed) = &self.stage { Some(computed) } else { None }
    }

    /// Whether readers were asked what texts mean.
    pub fn is_read(&self) -> bool {
        self.reads
    }

    /// Runs the query, if readers need tell nothing before; else what they are asked.
    fn run(&mut self, reply: String, first: SubtaskId) -> Vec<Subtask> {
        let Some(meaning) = self.task.table.meaning(&reply) else {
            self.compute(reply, BTreeSet::new());
            return Vec::new();
        };
        let form = Form::Claims(Parts::of(&self.task.fragments));
        let map = MapTask { question: meaning.question(), query: None, manner: String::new(), form };
        self.notes
            .push(format!("the query asks where {} means {:?}: readers tell", meaning.column, meaning.says));
        self.stage = Stage::Reading { reply, meaning, first, meant: BTreeMap::new() };
        self.reads = true;
        Subtask::over(&self.task.fragments, map, Belongs::Meaning)
    }

    fn compute(&mut self, reply: String, meant: BTreeSet<u32>) {
        self.stage = Stage::Computing(Computing::begin(Arc::clone(&self.task), reply, meant));
    }

    fn leave(&mut self, why: &str) {
        self.stage = Stage::Left;
        self.notes.push(format!("{why}: the question is asked of the parts"));
    }
}

impl PlanSource for TablePlan {
    fn next(&mut self, verified: &[Settled<'_>], first_id: SubtaskId) -> Result<Vec<Subtask>, PlanError> {
        match &mut self.stage {
            Stage::Ask => {
                self.stage = Stage::Asked;
                return Ok(vec![Subtask::new(Task::Plan(PlanTask::Query(Arc::clone(&self.task))))]);
            }
            Stage::Asked => {
                let queried = verified.iter().find_map(|settled| match settled.outcome {
                    Outcome::Queried(queried) => Some(queried.clone()),
                    _ => None,
                });
                match queried {
                    Some(Queried::Query(reply)) => return Ok(self.run(reply, first_id)),
                    Some(Queried::Refused(why)) => {
                        self.leave(&format!("a planner finds that the table does not tell ({why})"));
                    }
                    None => {}
                }
            }
            Stage::Reading { reply, meaning, first, meant } => {
                for settled in verified.iter().filter(|settled| settled.id >= *first) {
                    if let Outcome::Mapped(answer) = settled.outcome {
                        meant.insert(settled.id, meaning.lines(answer).collect());
                    }
                }
                if meant.len() >= self.task.fragments.len() {
                    let (reply, meant) = (std::mem::take(reply), std::mem::take(meant));
                    self.compute(reply, meant.into_values().flatten().collect());
                }
            }
            Stage::Computing(computing) => match computing.take() {
                Some(Ok(computed)) => {
                    self.notes.push(format!(
                        "a provider read the question as: {}",
                        one_line(&computed.reading.words)
                    ));
                    self.stage = Stage::Answered(Box::new(computed));
                }
                Some(Err(why)) => {
                    self.leave(&format!("code could not run the planner's query ({})", one_line(&why)));
                }
                None => {}
            },
            Stage::Answered(_) | Stage::Left => {}
        }
        Ok(Vec::new())
    }

    fn ask_in_steps(&mut self, _yes: bool) {
        self.stage = Stage::Left;
    }

    fn is_thinking(&self) -> bool {
        matches!(&self.stage, Stage::Computing(_))
    }

    fn has_news(&self) -> bool {
        match &self.stage {
            Stage::Computing(computing) => computing.is_done(),
            Stage::Left => true,
            Stage::Ask | Stage::Asked | Stage::Reading { .. } | Stage::Answered(_) => false,
        }
    }

    fn woken(&self) -> Option<Arc<Notify>> {
        if let Stage::Computing(computing) = &self.stage { Some(Arc::clone(&computing.done)) } else { None }
    }

    fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn table(&self) -> Option<&TablePlan> {
        Some(self)
    }

    fn instead(&mut self) -> Option<Box<dyn PlanSource>> {
        self.otherwise.take_if(|_| matches!(self.stage, Stage::Left))
    }
}

#[cfg(test)]
mod tests {
    use crate::answer::Reading;
    use crate::dialect::RecordMatch;
    use crate::dialect::testing::fragments;

    use super::*;

    const TOWNS: &str = "town=Rome note=far\ntown=Oslo note=cold\ntown=Bern note=dear\ntown=Lima note=loud\n";

    /// A table of which every query is about towns.
    #[derive(Debug)]
    struct Towns;

    impl QueriedTable for Towns {
        fn check(&self, reply: &str) -> Result<Queried, String> {
            match reply.strip_prefix("refuse ") {
                Some(why) => Ok(Queried::Refused(why.to_owned())),
                None if reply.contains("town") => Ok(Queried::Query(reply.to_owned())),
                None => Err("no column is called that".to_owned()),
            }
        }

        fn meaning(&self, reply: &str) -> Option<Meaning> {
            let (column, says) = reply.strip_prefix("town means ")?.split_once(' ')?;
            Some(Meaning { column: column.to_owned(), says: says.to_owned() })
        }

        fn compute(&self, reply: &str, meant: &BTreeSet<u32>) -> Result<Computed, String> {
            if reply.contains("every") {
                return Err("too many towns".to_owned());
            }
            let (words, sql, file) = (reply.to_owned(), String::new(), "towns.csv".to_owned());
            let reading = Reading { words, sql, file, rows: 1, left_out: 0, notes: Vec::new() };
            let text = format!("{meant:?}");
            Ok(Computed { text, value: None, confidence: 0.7, citations: Vec::new(), uncited: 0, reading })
        }
    }

    #[derive(Debug)]
    struct Asked;

    impl PlanSource for Asked {
        fn next(&mut self, _verified: &[Settled<'_>], _first: SubtaskId) -> Result<Vec<Subtask>, PlanError> {
            Ok(Vec::new())
        }
    }

    fn plan() -> TablePlan {
        let prompt = (String::new(), String::new(), Value::Null);
        let fragments = fragments("towns.csv", TOWNS, 2).into_iter().map(Arc::new).collect();
        TablePlan::new(QueryTask::new("Which town?", prompt, Arc::new(Towns), fragments), Box::new(Asked))
    }

    /// What a planner's reply to the only subtask comes to.
    fn hear(plan: &mut TablePlan, reply: &str) {
        let subtasks = plan.next(&[], SubtaskId(0)).unwrap();
        let [Subtask { task: Task::Plan(task), .. }] = subtasks.as_slice() else { panic!("{subtasks:?}") };
        let outcome = task.read(reply).unwrap();
        let settled = Settled { id: SubtaskId(0), outcome: &outcome, confidence: 1.0 };
        assert!(plan.next(&[settled], SubtaskId(1)).unwrap().is_empty());
    }

    #[tokio::test]
    async fn code_runs_the_query_in_a_thread_and_the_plan_waits_for_it() {
        let mut plan = plan();
        hear(&mut plan, "town by size");
        assert!(plan.is_thinking() && plan.computed().is_none());
        plan.woken().unwrap().notified().await;
        assert!(plan.is_thinking() && plan.has_news(), "until it is asked what it came to");
        assert!(plan.next(&[], SubtaskId(1)).unwrap().is_empty());
        assert_eq!(plan.computed().unwrap().reading.words, "town by size");
        assert!(!plan.is_thinking() && !plan.has_news() && plan.instead().is_none());
    }

    #[tokio::test]
    async fn without_a_query_that_runs_the_parts_are_asked_in_its_place() {
        for (reply, why) in
            [("refuse no towns", "does not tell (no towns)"), ("every town", "(too many towns)")]
        {
            let mut plan = plan();
            assert!(plan.instead().is_none());
            hear(&mut plan, reply);
            if let Some(woken) = plan.woken() {
                woken.notified().await;
                assert!(plan.next(&[], SubtaskId(1)).unwrap().is_empty());
            }
            assert!(plan.has_news() && plan.computed().is_none());
            let notes = plan.take_notes();
            assert!(matches!(notes.as_slice(), [note] if note.contains(why)), "{notes:?}");
            assert!(plan.instead().is_some() && plan.instead().is_none());
        }
    }

    /// One claim of a part, about a line.
    fn claim(line: u32, text: &str) -> MapAnswer {
        let quote = RecordMatch { line, quote: String::new(), value: None, reported: None };
        MapAnswer::Words { answer: text.to_owned(), quotes: vec![quote] }
    }

    fn meaning_plan() -> TablePlan {
        let mut plan = plan();
        plan.next(&[], SubtaskId(0)).unwrap();
        let outcome = Outcome::Queried(Queried::Query("town means note cold or loud".to_owned()));
        let settled = Settled { id: SubtaskId(0), outcome: &outcome, confidence: 1.0 };
        let subtasks = plan.next(&[settled], SubtaskId(1)).unwrap();
        assert!(subtasks.len() == 2 && plan.is_read() && !plan.is_thinking());
        let [Subtask { task: Task::Map { task, .. }, .. }, _] = subtasks.as_slice() else {
            panic!("{subtasks:?}")
        };
        assert!(task.question.contains("what their \"note\" says, cold or loud?"), "{}", task.question);
        plan
    }

    async fn computed(plan: &mut TablePlan) -> String {
        plan.woken().unwrap().notified().await;
        plan.next(&[], SubtaskId(3)).unwrap();
        plan.computed().unwrap().text.clone()
    }

    #[tokio::test]
    async fn readers_tell_which_records_mean_what_the_query_asks_for() {
        let mut plan = meaning_plan();
        let first = Outcome::Mapped(MapAnswer::Claims {
            claims: vec![
                claim(2, "The record with \"cold\" is Cold  or loud."),
                claim(1, "The record with \"far\" is not cold or loud."),
                claim(3, "Bern is cold or loud."),
            ],
        });
        let settled = |id, outcome| Settled { id: SubtaskId(id), outcome, confidence: 1.0 };
        assert!(plan.next(&[settled(1, &first)], SubtaskId(3)).unwrap().is_empty() && !plan.is_thinking());
        // A second reading adds to a part.
        let again = Outcome::Mapped(MapAnswer::Claims {
            claims: vec![claim(4, "The record with \"loud\" is cold or loud")],
        });
        let none = Outcome::Mapped(MapAnswer::Claims { claims: Vec::new() });
        assert!(plan.next(&[settled(2, &none)], SubtaskId(3)).unwrap().is_empty() && plan.is_thinking());
        assert_eq!(computed(&mut plan).await, "{2}");
        let mut plan = meaning_plan();
        plan.next(&[settled(2, &none)], SubtaskId(3)).unwrap();
        plan.next(&[settled(2, &again), settled(1, &first)], SubtaskId(3)).unwrap();
        assert_eq!(computed(&mut plan).await, "{2, 4}");
    }

    #[test]
    fn where_nobody_wrote_one_the_parts_are_asked_and_what_is_none_is_refused() {
        let mut plan = plan();
        let subtasks = plan.next(&[], SubtaskId(0)).unwrap();
        let [Subtask { task: Task::Plan(task), .. }] = subtasks.as_slice() else { panic!("{subtasks:?}") };
        assert_eq!(task.read("city").unwrap_err().to_string(), "no column is called that");
        plan.ask_in_steps(false);
        assert!(plan.has_news() && plan.instead().is_some());
    }
}
