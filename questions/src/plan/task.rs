//! One subtask: what is asked, and who can answer it.

use std::sync::Arc;

use frlm_inference::Dialect;
use frlm_protocol::one_line;
use sha2::{Digest as _, Sha256};

use super::Outcome;
use super::combine_tree::key_of_digest;
use super::compound::part_key;
use super::fragment_map::map_key;
use super::planning::PlanTask;
use super::program::key_of_asked;
use crate::dialect::claims::ReviewTask;
use crate::dialect::{DialectError, MapAnswer, MapTask, Prompt, json, records};
use crate::ingest::Fragment;
use crate::question::FieldHints;
use crate::question::compile::{self, CompileError, Compiled};
use crate::question::plan_check;
use crate::question::steps::StepsError;
use crate::reduce::words::{self, NoteBatch, WordsError};
use crate::reduce::{Coverage, FragmentRef};

/// The key of the question in which steps the question is asked.
pub const PLANNED: &str = "plan";

/// What a provider must be able to do; bits of [`frlm_scheduler::Needs::skills`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Skill {
    /// Extract from records or answer under a schema: every dialect.
    Extract = 0b01,
    /// Answer in free words: general models only.
    Words = 0b10,
    /// Review claims as one whom the user trusts: their own model, or the validator that they named.
    TrustedReview = 0b100,
}

impl Skill {
    /// Whether a general model is needed.
    pub fn takes_words(self) -> bool {
        self != Self::Extract
    }

    /// What a model of this dialect can do, as bits.
    pub fn of_dialect(dialect: Dialect) -> u8 {
        match dialect {
            Dialect::Records => Self::Extract as u8,
            Dialect::Json => Self::Extract as u8 | Self::Words as u8,
        }
    }
}

/// A question to be turned into a query.
#[derive(Debug, Clone)]
pub struct CompileTask {
    /// As asked.
    pub question: String,
    /// Field names seen in the documents.
    pub hints: FieldHints,
}

/// Verified answers in words, to be made one.
#[derive(Debug, Clone)]
pub struct CombineTask {
    /// As asked.
    pub question: String,
    /// What each fragment said, in document order.
    pub answers: Vec<(FragmentRef, MapAnswer)>,
    /// How much of the documents they cover.
    pub coverage: Coverage,
    /// Which of them contradict each other, and which is better supported, in this program's own words; mostly empty.
    pub conflicts: String,
    /// What an earlier attempt did wrong, in this program's own words; empty for the first.
    pub correction: String,
    /// How the answer should be put, in this program's own words; empty where the asker has no wishes.
    pub manner: String,
    /// Which of all notes these are, where they are too much for one provider.
    pub batch: NoteBatch,
}

impl CombineTask {
    /// Whether its text is the answer, and not one of those that it is made of.
    pub fn is_last(&self) -> bool {
        self.batch.writes.is_none()
    }

    fn key(&self) -> String {
        let NoteBatch { notes_before, level, context, .. } = self.batch;
        if !self.is_last() {
            return key_of_digest(level, notes_before..notes_before + self.answers.len(), context);
        }
        if self.correction.is_empty() { "combine".to_owned() } else { "combine:corrected".to_owned() }
    }

    /// What it combines, with the places that it is from.
    pub fn evidence(&self) -> Vec<(FragmentRef, &MapAnswer)> {
        self.answers.iter().map(|(fragment, answer)| (fragment.clone(), answer)).collect()
    }

    pub(super) fn remarks(&self) -> String {
        let said = [self.manner.as_str(), self.conflicts.as_str(), self.correction.as_str()];
        said.into_iter().filter(|said| !said.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// A model's answers to a subtask, checked.
#[derive(Debug, Clone)]
pub struct ReadBack {
    /// What they amount to.
    pub outcome: Outcome,
    /// Probability that it is right, 0..=1; `None` where neither provider nor code can say.
    pub confidence: Option<f64>,
    /// Whether much of it is code's doing, or it is rather wrong than right: somebody else looks at it, then.
    pub doubtful: bool,
}

/// Below this confidence an answer is rather wrong than right.
const EVEN: f64 = 0.5;

fn is_unlikely(confidence: Option<f64>) -> bool {
    confidence.is_some_and(|confidence| confidence < EVEN)
}

/// Why a model's text is no answer to a subtask.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// To a fragment.
    #[error(transparent)]
    Map(#[from] DialectError),
    /// To the question about the question.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// To the question in which steps it is asked.
    #[error(transparent)]
    Plan(#[from] StepsError),
    /// To the request for a query: why it is none of the table.
    #[error("{0}")]
    Query(String),
    /// To the request to combine.
    #[error(transparent)]
    Combine(#[from] WordsError),
    /// Not exactly one answer where one was asked for.
    #[error("one answer was asked for, {0} came back")]
    Count(usize),
}

impl TaskError {
    /// What somebody else who tries is told, in no word of the answer, which may be there to mislead; `None` where that would help
    /// nobody.
    pub fn lesson(&self) -> Option<&'static str> {
        match self {
            Self::Map(DialectError::NotBorneOut(failure)) => Some(failure.lesson()),
            Self::Map(DialectError::Shape(_) | DialectError::Object(_)) => {
                Some("it was no JSON of the form that is asked for")
            }
            Self::Combine(WordsError::UnknownFigure(_) | WordsError::UnknownQuotation(_)) => {
                Some("it had a figure or a quotation that stands in no note")
            }
            Self::Combine(_) => Some("it named no note, or one that does not exist, or it was far too long"),
            _ => None,
        }
    }
}

/// What is asked.
#[derive(Debug, Clone)]
pub enum Task {
    /// Turn the question into a query that code can finish.
    Compile(Arc<CompileTask>),
    /// Plan how the question is asked.
    Plan(PlanTask),
    /// Ask one fragment.
    Map {
        /// The same for all fragments.
        task: Arc<MapTask>,
        /// The text.
        fragment: Arc<Fragment>,
    },
    /// Ask one fragment for claims that somebody else has been asked for: what it adds joins those.
    Reread {
        /// As it was asked.
        task: Arc<MapTask>,
        /// The text.
        fragment: Arc<Fragment>,
    },
    /// Write one answer from verified answers in words.
    Combine(Arc<CombineTask>),
    /// Say of claims of others whether their lines state them.
    Review(Arc<ReviewTask>),
}

impl Task {
    /// Every [`Task::kind`].
    pub const KINDS: [&str; 5] = ["compile", "extract", "read", "combine", "review"];

    /// The kind of work that it is: what trust and routing are learned by.
    pub fn kind(&self) -> &'static str {
        let [compile, extract, read, combine, review] = Self::KINDS;
        match self {
            // Both are about the question alone.
            Self::Compile(_) | Self::Plan(_) => compile,
            Self::Map { task, .. } if task.query.is_some() => extract,
            Self::Map { .. } | Self::Reread { .. } => read,
            Self::Combine(_) => combine,
            Self::Review(_) => review,
        }
    }
}

impl Task {
    /// The question as it is asked here.
    pub fn question(&self) -> &str {
        match self {
            Self::Compile(task) => &task.question,
            Self::Plan(task) => task.question(),
            Self::Map { task, .. } | Self::Reread { task, .. } => &task.question,
            Self::Combine(task) => &task.question,
            // Reviewers are not told what the run asks: a claim is true of its lines or not.
            Self::Review(_) => "Do the lines state what is claimed of them?",
        }
    }

    /// Whether it reads a part for an answer in words: claims are made of it.
    pub fn is_reading(&self) -> bool {
        matches!(self, Self::Map { task, .. } if task.query.is_none())
    }

    /// Whether it could have come to this. Of a run that an earlier program began, another task may have had its key.
    pub fn may_come_to(&self, outcome: &Outcome) -> bool {
        match (self, outcome) {
            (Self::Compile(_), Outcome::Compiled(_))
            | (Self::Plan(PlanTask::Steps(_)), Outcome::Planned(_))
            | (Self::Plan(PlanTask::Query(_)), Outcome::Queried(_))
            | (Self::Combine(_), Outcome::Combined(_))
            | (Self::Review(_), Outcome::Reviewed(_)) => true,
            (Self::Map { task, .. } | Self::Reread { task, .. }, Outcome::Mapped(answer)) => {
                task.query.is_some() == matches!(answer, MapAnswer::Records { .. })
            }
            _ => false,
        }
    }
}

/// One unit of work that is sent, compared and paid as a whole.
#[derive(Debug, Clone)]
pub struct Subtask {
    /// What is asked.
    pub task: Task,
    /// To what of the question it belongs.
    pub belongs: Belongs,
}

/// To what of a question a subtask belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Belongs {
    /// To all of it.
    Whole,
    /// To the part of this number, from 0, where it has several.
    Part(u32),
    /// To the call of this number, from 1, where a program asks.
    Call(u32),
    /// To what a query asks of texts that only readers can tell: not to the question as it is.
    Meaning,
}

impl Subtask {
    /// A subtask of a question that is asked as a whole.
    pub fn new(task: Task) -> Self {
        Self { task, belongs: Belongs::Whole }
    }

    /// The same question to each of these fragments.
    pub(super) fn over<'run>(
        fragments: impl IntoIterator<Item = &'run Arc<Fragment>>,
        task: MapTask,
        belongs: Belongs,
    ) -> Vec<Self> {
        let task = Arc::new(task);
        let of = |fragment| Self {
            task: Task::Map { task: Arc::clone(&task), fragment: Arc::clone(fragment) },
            belongs,
        };
        fragments.into_iter().map(of).collect()
    }

    /// Stable over resumes: what is done, over which text. Made when it is asked for, like [`Subtask::label`].
    pub fn key(&self) -> String {
        let key = match (&self.task, self.belongs) {
            (Task::Compile(_), _) => "compile".to_owned(),
            (Task::Plan(task), _) => task.key().to_owned(),
            (Task::Map { task, fragment }, Belongs::Part(part)) => part_key(part, task, fragment),
            (Task::Map { fragment, .. }, _) => map_key(fragment),
            (Task::Reread { task, fragment }, belongs) => {
                let (task, fragment) = (Arc::clone(task), Arc::clone(fragment));
                format!("again:{}", Self { task: Task::Map { task, fragment }, belongs }.key())
            }
            (Task::Combine(task), _) => task.key(),
            (Task::Review(task), _) => review_key(task),
        };
        if matches!(self.belongs, Belongs::Call(_) | Belongs::Meaning) {
            key_of_asked(&self.task, &key)
        } else {
            key
        }
    }

    /// The part of the question that it belongs to, from 0, where that has several.
    pub fn part(&self) -> Option<u32> {
        match self.belongs {
            Belongs::Part(part) => Some(part),
            Belongs::Whole | Belongs::Call(_) | Belongs::Meaning => None,
        }
    }

    /// What it is called, for people. Made when it is asked for: a run has a hundred thousand subtasks and
    /// names each once.
    pub fn label(&self) -> String {
        let of = match self.belongs {
            Belongs::Whole => String::new(),
            Belongs::Part(part) => format!("part {}: ", part + 1),
            Belongs::Call(call) => format!("call {call}: "),
            Belongs::Meaning => "what texts mean: ".to_owned(),
        };
        format!("{of}{}", self.what())
    }

    fn what(&self) -> String {
        match &self.task {
            Task::Compile(_) => "understand the question".to_owned(),
            Task::Plan(task) => task.label().to_owned(),
            Task::Map { fragment, .. } => {
                let lines = &fragment.span.lines;
                format!("lines {}–{} of {}", lines.start(), lines.end(), one_line(&fragment.file))
            }
            Task::Reread { fragment, .. } => {
                let lines = &fragment.span.lines;
                let file = one_line(&fragment.file);
                format!("lines {}–{} of {file}, a second time", lines.start(), lines.end())
            }
            Task::Combine(task) if !task.is_last() => {
                let first = task.batch.notes_before + 1;
                format!("sum up notes {first}–{}", task.batch.notes_before + task.answers.len())
            }
            Task::Combine(task) if task.correction.is_empty() => "write the answer".to_owned(),
            Task::Combine(_) => "write the answer again".to_owned(),
            Task::Review(task) => review_label(task),
        }
    }

    /// What a provider must be able to do.
    pub fn skill(&self) -> Skill {
        match &self.task {
            Task::Compile(_) => Skill::Extract,
            Task::Map { task, .. } if task.query.is_some() => Skill::Extract,
            Task::Review(task) if task.is_for_trusted => Skill::TrustedReview,
            Task::Plan(_) | Task::Map { .. } | Task::Reread { .. } | Task::Combine(_) | Task::Review(_) => {
                Skill::Words
            }
        }
    }

    /// The prompt for a model of this dialect. What is read of a fragment for it does not stay in memory: a run may have 100,000.
    pub fn prompt(&self, dialect: Dialect) -> Prompt {
        match (&self.task, dialect) {
            (Task::Compile(task), Dialect::Json) => compile::json_prompt(&task.question, &task.hints),
            (Task::Compile(task), Dialect::Records) => compile::records_prompt(&task.question),
            (Task::Plan(task), _) => task.prompt(),
            (Task::Map { task, fragment } | Task::Reread { task, fragment }, Dialect::Json) => {
                json::prompt(task, &fragment.unread())
            }
            (Task::Map { task, fragment } | Task::Reread { task, fragment }, Dialect::Records) => {
                records::prompt(task, &fragment.unread())
            }
            (Task::Combine(task), _) => {
                words::prompt(&task.question, &task.evidence(), &task.remarks(), &task.batch)
            }
            (Task::Review(task), _) => task.prompt(),
        }
    }

    /// Reads a model's answers back, checked against the fragment and the question. `stated` is what the
    /// provider says of each answer, 0..=1.
    pub fn read(
        &self,
        dialect: Dialect,
        answers: &[String],
        stated: &[Option<f64>],
    ) -> Result<ReadBack, TaskError> {
        if let (Task::Map { task, fragment } | Task::Reread { task, fragment }, Dialect::Records) =
            (&self.task, dialect)
        {
            let reading = records::read(task, &fragment.unread(), answers, stated)?;
            let confidence = reading.confidence;
            let doubtful = reading.is_patchwork() || is_unlikely(confidence);
            return Ok(ReadBack { outcome: Outcome::Mapped(reading.answer), confidence, doubtful });
        }
        // An answer's confidence is that of its weakest part.
        let weakest = stated.iter().flatten().copied().reduce(f64::min);
        let outcome = self.parse(dialect, answers)?;
        let confidence = match (&self.task, &outcome) {
            (Task::Compile(task), Outcome::Compiled(Compiled::Query(query))) => {
                let trust = plan_check::trust(&task.question, query, &task.hints);
                // What code doubts is doubtful whatever the provider says, and if it says nothing.
                weakest.map(|stated| stated * trust).or_else(|| (trust < 1.0).then_some(trust * 0.5))
            }
            _ => weakest,
        };
        Ok(ReadBack { outcome, confidence, doubtful: is_unlikely(confidence) })
    }

    /// Reads back what was not copied field by field, checked against the fragment and the question.
    fn parse(&self, dialect: Dialect, answers: &[String]) -> Result<Outcome, TaskError> {
        match (&self.task, dialect) {
            (Task::Compile(task), Dialect::Json) => {
                let plan = compile::parse_json(&task.question, only(answers)?)?;
                Ok(Outcome::Compiled(plan_check::agreeing(&task.question, plan, &task.hints)?))
            }
            (Task::Compile(task), Dialect::Records) => {
                let plan = compile::parse_records(&task.question, only(answers)?)?;
                Ok(Outcome::Compiled(plan_check::agreeing(&task.question, plan, &task.hints)?))
            }
            (Task::Plan(task), _) => task.read(only(answers)?),
            (Task::Map { task, fragment } | Task::Reread { task, fragment }, _) => {
                Ok(Outcome::Mapped(json::parse(task, &fragment.unread(), answers)?))
            }
            (Task::Combine(task), _) => {
                let text = only(answers)?;
                if task.is_last() {
                    words::combined(&task.question, text, &task.evidence(), task.coverage)?;
                } else {
                    words::digest(&task.question, text, &task.evidence(), task.coverage, &task.batch)?;
                }
                Ok(Outcome::Combined(text.trim().to_owned()))
            }
            (Task::Review(task), _) => Ok(Outcome::Reviewed(task.read(only(answers)?)?)),
        }
    }
}

/// Stable over resumes: which claims, on which lines.
fn review_key(task: &ReviewTask) -> String {
    let mut digest = Sha256::new();
    for one in &task.claims {
        digest.update(&one.fragment.span.sha256);
        digest.update(&one.claim.text);
    }
    format!("review:{}", hex::encode(&digest.finalize()[..8]))
}

fn review_label(task: &ReviewTask) -> String {
    let count = task.claims.len();
    let claims = if count == 1 { "a claim".to_owned() } else { format!("{count} claims") };
    match task.claims.first() {
        Some(first) => {
            let lines = &first.fragment.span.lines;
            let file = one_line(&first.fragment.file);
            format!("review {claims} about lines {}–{} of {file}", lines.start(), lines.end())
        }
        None => format!("review {claims}"),
    }
}

fn only(answers: &[String]) -> Result<&str, TaskError> {
    match answers {
        [answer] => Ok(answer),
        _ => Err(TaskError::Count(answers.len())),
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::claims::Form;
    use crate::dialect::testing::{ORDERS, fragment};
    use crate::ingest::{Document, SplitOptions, split};
    use crate::question::{field_hints, parse};

    use super::*;

    #[test]
    fn what_fits_a_task_is_of_its_kind() {
        let piece = fragment("orders.log", ORDERS);
        let question = "How many orders failed?";
        let hints = field_hints(std::slice::from_ref(&piece));
        let query = parse(question, &hints);
        assert!(query.is_some());
        let piece = Arc::new(piece);
        let map = |query| {
            let task = MapTask {
                question: question.to_owned(),
                query,
                manner: String::new(),
                form: Form::default(),
            };
            Task::Map { task: Arc::new(task), fragment: Arc::clone(&piece) }
        };
        let compile = Task::Compile(Arc::new(CompileTask { question: question.to_owned(), hints }));
        let records = Outcome::Mapped(MapAnswer::Records { matches: Vec::new() });
        let words = Outcome::Mapped(MapAnswer::Words { answer: String::new(), quotes: Vec::new() });
        let (compiled, combined) = (Outcome::Compiled(Compiled::Free), Outcome::Combined(String::new()));
        let fits =
            |task: &Task| [&records, &words, &compiled, &combined].map(|outcome| task.may_come_to(outcome));
        assert_eq!(fits(&map(query)), [true, false, false, false]);
        assert_eq!(fits(&map(None)), [false, true, false, false]);
        assert_eq!(fits(&compile), [false, false, true, false]);
    }

    #[test]
    fn asking_about_a_fragment_keeps_nothing_of_what_was_read() {
        let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
        let piece = Arc::new(split(&[Document::of_text("orders.log", ORDERS)], options).remove(0));
        let question = "How many orders failed?".to_owned();
        let query = parse(&question, &field_hints(&[piece.unread()]));
        let task = Arc::new(MapTask { question, query, manner: String::new(), form: Form::default() });
        let subtask = Subtask::new(Task::Map { task, fragment: Arc::clone(&piece) });
        let records = subtask.prompt(Dialect::Records);
        assert!(!records.inputs.is_empty() && !subtask.prompt(Dialect::Json).inputs.is_empty());
        assert!(subtask.read(Dialect::Json, &["{\"matches\":[]}".to_owned()], &[]).is_ok());
        let answers: Vec<String> = records.inputs.iter().map(|_| "failed".to_owned()).collect();
        // Whether it passes the checks or not, its lines were looked at.
        drop(subtask.read(Dialect::Records, &answers, &[]));
        assert!(piece.records.are_unread());
        assert!(!piece.records.iter().as_slice().is_empty() && !piece.records.are_unread());
    }
}
