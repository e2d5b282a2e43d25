//! A question of several parts: each is asked of every fragment of its documents, and one that speaks
//! of an earlier part's answer waits until that is verified. Beyond that the brain may choose order and words
//! ([`super::arrangement`]): the answer is the same, what it takes to get there is not.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use frlm_learning::planning::decompose::Action;
use frlm_scheduler::SubtaskId;
use sha2::{Digest as _, Sha256};

use super::arrangement::Arrangement;
use super::figures::told;
use super::fragment_map::map_key;
use super::task::Belongs;
use super::{Outcome, PlanError, PlanSource, Settled, Subtask, Task};
use crate::dialect::claims::Form;
use crate::dialect::{MapAnswer, MapTask, evaluate_without_model, needs_model};
use crate::ingest::Fragment;
use crate::query::Query;
use crate::question::compound::{Compound, Part};
use crate::reduce::{Bound, Citation, Coverage, FragmentRef, MOST_CITATIONS, Reduced, reduce};

/// Asks the parts of a question, each as soon as what it needs is known.
#[derive(Debug)]
pub struct CompoundMap {
    compound: Arc<Compound>,
    fragments: Vec<Arc<Fragment>>,
    stages: Vec<Stage>,
    arrangement: Arrangement,
}

#[derive(Debug)]
enum Stage {
    /// An earlier part's answer is awaited.
    Waiting,
    /// Its fragments are asked, the first by this subtask, the others by those that follow.
    Asked { query: Query, first: u32, awaited: usize, answers: BTreeMap<u32, MapAnswer> },
    /// Its one answer, if it has one.
    Known(Option<String>),
}

impl CompoundMap {
    /// A plan for a question that was read in parts.
    pub fn new(compound: Arc<Compound>, fragments: Vec<Arc<Fragment>>) -> Self {
        let stages = compound.parts.iter().map(|_| Stage::Waiting).collect();
        Self { compound, fragments, stages, arrangement: Arrangement::default() }
    }

    fn fragments_of(&self, part: &Part) -> Vec<Arc<Fragment>> {
        fragments_of(part, &self.fragments).cloned().collect()
    }

    fn subtasks(&self, number: usize, query: &Query) -> Vec<Subtask> {
        let part = &self.compound.parts[number];
        let earlier = part.needs.as_ref().and_then(|need| {
            let Some(Stage::Known(Some(answer))) = self.stages.get(need.part) else { return None };
            Some((self.compound.parts.get(need.part)?, answer.as_str()))
        });
        let question = self.arrangement.words(part, earlier);
        let query = Some(query.clone());
        let task = MapTask { question, query, manner: String::new(), form: Form::default() };
        let belongs = u32::try_from(number).map_or(Belongs::Whole, Belongs::Part);
        Subtask::over(fragments_of(part, &self.fragments), task, belongs)
    }

    fn hear(&mut self, verified: &[Settled<'_>]) {
        for settled in verified {
            let Outcome::Mapped(answer) = settled.outcome else { continue };
            for stage in &mut self.stages {
                if let Stage::Asked { first, awaited, answers, .. } = stage
                    && (*first as usize..*first as usize + *awaited).contains(&(settled.id.0 as usize))
                {
                    answers.insert(settled.id.0, answer.clone());
                }
            }
        }
        for number in 0..self.stages.len() {
            if let Stage::Asked { query, awaited, answers, .. } = &self.stages[number]
                && answers.len() == *awaited
            {
                let fragments = self.fragments_of(&self.compound.parts[number]);
                let answers: Vec<(FragmentRef, &MapAnswer)> = fragments
                    .iter()
                    .map(|fragment| FragmentRef::from(fragment.as_ref()))
                    .zip(answers.values())
                    .collect();
                let value = reduce(query, &answers, Coverage::full(answers.len())).value;
                self.stages[number] = Stage::Known(value);
            }
        }
    }

    /// Whether a part may begin, as far as that is a matter of choice.
    fn may_begin(&self, number: usize) -> bool {
        let known: Vec<bool> = self.stages.iter().map(|stage| matches!(stage, Stage::Known(_))).collect();
        let open = self.stages.iter().filter(|stage| matches!(stage, Stage::Asked { .. })).count();
        self.arrangement.may_begin(number, &known, open, |at| self.wave(at))
    }

    /// How many parts a part waits for, one after the other.
    fn wave(&self, number: usize) -> usize {
        let needs = |part: &Part| part.needs.as_ref().map(|need| need.part);
        std::iter::successors(self.compound.parts.get(number), |part| self.compound.parts.get(needs(part)?))
            .skip(1)
            .count()
    }

    /// What a part can be asked with now.
    fn readiness(&self, part: &Part) -> Readiness {
        let given = match &part.needs {
            None => None,
            Some(need) => match self.stages.get(need.part) {
                Some(Stage::Known(value)) => value.as_deref(),
                _ => return Readiness::NotYet,
            },
        };
        part.query_given(given).map_or(Readiness::Never, Readiness::Now)
    }
}

/// Whether a part can be asked.
enum Readiness {
    /// What it waits for is not verified.
    NotYet,
    /// What it speaks of does not exist.
    Never,
    /// It can be asked this.
    Now(Query),
}

impl PlanSource for CompoundMap {
    fn next(&mut self, verified: &[Settled<'_>], first_id: SubtaskId) -> Result<Vec<Subtask>, PlanError> {
        self.hear(verified);
        let mut planned = Vec::new();
        // What code answers by itself may let an earlier part begin.
        while self.begin_parts(first_id, &mut planned) {}
        Ok(planned)
    }

    fn has_choice(&self) -> bool {
        !self.compound.by_code()
    }

    fn follow(&mut self, action: &Action) {
        self.arrangement = Arrangement::from(action);
    }

    fn hold_nothing_back(&mut self) -> bool {
        let held = |(number, part): (usize, &Part)| {
            matches!(self.stages[number], Stage::Waiting)
                && !matches!(self.readiness(part), Readiness::NotYet)
                && !self.may_begin(number)
        };
        let any = self.compound.parts.iter().enumerate().any(held);
        self.arrangement = Arrangement { phrasing: self.arrangement.phrasing, ..Arrangement::default() };
        any
    }

    fn to_come(&self) -> Vec<Subtask> {
        let parts = self.compound.parts.iter().enumerate();
        parts
            .filter(|(number, part)| {
                matches!(self.stages[*number], Stage::Waiting) && needs_model(&part.query)
            })
            .flat_map(|(number, part)| self.subtasks(number, &part.query))
            .collect()
    }
}

impl CompoundMap {
    /// Begins what can be begun now; `true` if code answered a part of it.
    fn begin_parts(&mut self, first_id: SubtaskId, planned: &mut Vec<Subtask>) -> bool {
        let mut answered = false;
        let compound = Arc::clone(&self.compound);
        for (number, part) in compound.parts.iter().enumerate() {
            if !matches!(self.stages[number], Stage::Waiting) || !self.may_begin(number) {
                continue;
            }
            let query = match self.readiness(part) {
                Readiness::NotYet => continue,
                Readiness::Never => {
                    self.stages[number] = Stage::Known(None);
                    answered = true;
                    continue;
                }
                Readiness::Now(query) => query,
            };
            if !needs_model(&query) {
                let reduced = by_code(&query, &self.fragments_of(part));
                self.stages[number] = Stage::Known(reduced.value);
                answered = true;
                continue;
            }
            let subtasks = self.subtasks(number, &query);
            let first = first_id.0 + u32::try_from(planned.len()).unwrap_or(u32::MAX);
            self.stages[number] =
                Stage::Asked { query, first, awaited: subtasks.len(), answers: BTreeMap::new() };
            planned.extend(subtasks);
        }
        answered
    }
}

fn fragments_of<'run>(
    part: &Part,
    fragments: &'run [Arc<Fragment>],
) -> impl Iterator<Item = &'run Arc<Fragment>> {
    let files: HashSet<Arc<str>> = part.documents.iter().cloned().collect();
    fragments.iter().filter(move |fragment| files.contains(&fragment.file))
}

/// Stable over resumes: which fragment, over which text, asked what.
pub(super) fn part_key(part: u32, task: &MapTask, fragment: &Fragment) -> String {
    let given = match &task.query {
        Some(query) => {
            let given: Vec<&str> =
                query.conditions.iter().map(|condition| condition.value.as_str()).collect();
            given.join("\u{1f}")
        }
        // With what was found for the steps that it names.
        None => hex::encode(&Sha256::digest(&task.question)[..8]),
    };
    format!("{}:part:{part}:{given}", map_key(fragment))
}

/// Whether a subtask of this key belongs to a part of a question.
pub fn is_of_a_part(key: &str) -> bool {
    key.split(':').nth(3) == Some("part")
}

/// What code finds in fragments for a query that needs no model.
pub fn read_by_code(query: &Query, fragments: &[Arc<Fragment>]) -> Vec<(FragmentRef, MapAnswer)> {
    let read = |fragment: &Fragment| (FragmentRef::from(fragment), evaluate_without_model(query, fragment));
    fragments.iter().map(|fragment| read(fragment)).collect()
}

fn by_code(query: &Query, fragments: &[Arc<Fragment>]) -> Reduced {
    let answers = read_by_code(query, fragments);
    let answers: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
    reduce(query, &answers, Coverage::full(answers.len()))
}

/// A subtask with its verified answer, if it has one.
pub struct Answered<'run> {
    /// The subtask.
    pub subtask: &'run Subtask,
    /// What was accepted.
    pub outcome: Option<&'run Outcome>,
}

/// Each part in plain words, with its answer; `None` unless every one has a single value that rests on everything. A part
/// that asks after a value has a verdict, and its value alone would not say it.
pub fn said_parts<'run>(
    compound: &Compound,
    fragments: &[Arc<Fragment>],
    subtasks: impl Iterator<Item = Answered<'run>>,
) -> Option<Vec<(String, String)>> {
    let (_, _, values) = reduce_parts(compound, fragments, subtasks);
    let said = |(part, value): (&Part, &Option<String>)| {
        let value = value.clone().filter(|_| part.check.is_none())?;
        let text = match &part.needs {
            None => part.text.clone(),
            Some(need) => part.text_given(values.get(need.part)?.as_deref()?)?,
        };
        Some((text, value))
    };
    compound.parts.iter().zip(&values).map(said).collect()
}

/// The parts' answers as one text, how much of what they rest on was seen, and the one value of each part that has one.
pub fn reduce_parts<'run>(
    compound: &Compound,
    fragments: &[Arc<Fragment>],
    subtasks: impl Iterator<Item = Answered<'run>>,
) -> (Reduced, Coverage, Vec<Option<String>>) {
    let mut asked: BTreeMap<usize, Vec<Answered<'run>>> = BTreeMap::new();
    for answered in subtasks {
        if let Some(part) = answered.subtask.part() {
            asked.entry(part as usize).or_default().push(answered);
        }
    }
    let mut values: Vec<Option<String>> = Vec::new();
    let mut figures: Vec<Option<String>> = Vec::new();
    let mut whole = Coverage::full(0);
    let mut joined = Reduced {
        text: String::new(),
        value: None,
        computed: None,
        bound: Bound::Exact,
        citations: Vec::new(),
        uncited: 0,
        matched: 0,
    };
    let mut cited: Vec<(usize, Vec<Citation>)> = Vec::new();
    for (number, part) in compound.parts.iter().enumerate() {
        let own: Vec<Arc<Fragment>> = fragments_of(part, fragments).cloned().collect();
        let given = part.needs.as_ref().and_then(|need| values.get(need.part)?.as_deref());
        let (reduced, coverage) = match (part.query_given(given), asked.get(&number)) {
            (Some(query), None) if !needs_model(&query) => {
                (Some(by_code(&query, &own)), Coverage::full(own.len()))
            }
            (Some(query), Some(asked)) => {
                let answers: Vec<(FragmentRef, &MapAnswer)> = asked.iter().filter_map(mapped).collect();
                let coverage = Coverage { answered: answers.len(), total: own.len(), unread: 0 };
                (Some(reduce(&query, &answers, coverage)), coverage)
            }
            // It was to be asked and was not: all of it is missing.
            (Some(_), None) => (None, Coverage { answered: 0, total: own.len(), unread: 0 }),
            (None, _) => (None, Coverage::full(0)),
        };
        whole.answered += coverage.answered;
        whole.total += coverage.total;
        let said = match &reduced {
            Some(reduced) => in_context(part, given, reduced),
            None => unasked(part, coverage),
        };
        // Writing into a String cannot fail.
        let _ = writeln!(joined.text, "{}. {} {said}", number + 1, part.heading());
        let exact = reduced.as_ref().filter(|reduced| reduced.bound == Bound::Exact);
        values.push(exact.and_then(|it| it.value.clone()));
        figures.push(exact.and_then(|it| it.value.clone().or_else(|| it.computed.clone())));
        if let Some(reduced) = reduced {
            if reduced.bound != Bound::Exact {
                joined.bound = Bound::Unknown;
            }
            joined.matched += reduced.matched;
            joined.uncited += reduced.uncited;
            cited.push((number + 1, reduced.citations));
        } else {
            joined.bound = Bound::Unknown;
        }
    }
    for said in compound.closings.iter().filter_map(|closing| told(closing, &figures)) {
        let _ = writeln!(joined.text, "{said}");
    }
    joined.text.truncate(joined.text.trim_end().len());
    let all: usize = cited.iter().map(|(_, citations)| citations.len()).sum();
    joined.citations = shared_out(cited);
    joined.uncited += all - joined.citations.len();
    (joined, whole, values)
}

/// What the parts rest on, at most [`MOST_CITATIONS`] together: each has its share, and what one leaves the first of
/// the others take.
fn shared_out(cited: Vec<(usize, Vec<Citation>)>) -> Vec<Citation> {
    let share = MOST_CITATIONS / cited.len().max(1);
    let taken: usize = cited.iter().map(|(_, citations)| citations.len().min(share)).sum();
    let mut left = MOST_CITATIONS - taken;
    let mut all = Vec::new();
    for (part, citations) in cited {
        let more = citations.len().saturating_sub(share).min(left);
        left -= more;
        all.extend(citations.into_iter().take(share + more).map(|citation| citation.of_claim(Some(part))));
    }
    all
}

fn mapped<'run>(answered: &Answered<'run>) -> Option<(FragmentRef, &'run MapAnswer)> {
    match (&answered.subtask.task, answered.outcome?) {
        (Task::Map { fragment, .. }, Outcome::Mapped(answer)) => {
            Some((FragmentRef::from(fragment.as_ref()), answer))
        }
        _ => None,
    }
}

/// A part's answer; for one that asks after a value, whether that is it.
fn in_context(part: &Part, given: Option<&str>, reduced: &Reduced) -> String {
    let verdict = match reduced.value.as_deref().filter(|_| reduced.bound == Bound::Exact) {
        Some(found) => match (part.holds(found), part.check.as_deref()) {
            (Some(true), _) => format!("Yes, {found}. "),
            (Some(false), Some(wanted)) => format!("No, {found} and not {wanted}. "),
            _ => String::new(),
        },
        None if part.check.is_some() => "Open. ".to_owned(),
        None => String::new(),
    };
    let whom = given.map_or(String::new(), |given| format!("[{given}] "));
    format!("{whom}{verdict}{}", reduced.text)
}

fn unasked(part: &Part, coverage: Coverage) -> String {
    match &part.needs {
        Some(need) if coverage.total == 0 => {
            format!("It was not asked, because part {} has no single answer.", need.part + 1)
        }
        Some(need) => {
            format!("It was not asked, because the answer to part {} is not verified.", need.part + 1)
        }
        None => "It was not asked.".to_owned(),
    }
}
