//! Notes that are too much for one provider: combined in groups, and what comes of that again, until one text is left
//! (seeds/super-llm-block.md, function 2: what is too large for one is planned again).
//!
//! ```text
//!   notes 1 … 40 ─► digest ─┐
//!   notes 41 … 77 ─► digest ─┼─► (digest of digests ─►) the answer
//!   notes 78 … 90 ─► digest ─┘
//! ```
//!
//! A digest names the notes that it rests on by their numbers among all, so the answer can, too, and is checked against
//! the notes themselves. The plan is a tree, made whole before its first subtask: it waits for nothing that waits for it.
//! It has three bounds: how deep it may be, how many subtasks it may have, and how much each child may write, so that what
//! its parent reads is bounded. How much one reads and writes follows from what providers announce that they can
//! ([`Contexts`]). Where the bounds cannot be kept there is no tree, and the notes are given side by side.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use frlm_scheduler::SubtaskId;

use super::{CombineTask, Contexts, Outcome, Settled, Subtask, Task};
use crate::dialect::MapAnswer;
use crate::reduce::size::Size;
use crate::reduce::words::{self, NoteBatch};
use crate::reduce::{Coverage, FragmentRef};

/// What a tree may come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Levels of digests below the answer.
    pub depth: usize,
    /// Subtasks in all, the answer's included.
    pub count: usize,
    /// What one subtask reads.
    pub reads: Size,
    /// What one digest has: the budget of a child.
    pub writes: Size,
}

/// Digests that a parent reads, where each of them can still say something.
const READ_TOGETHER: usize = 12;
/// A digest of fewer tokens says nothing.
const LEAST_DIGEST_TOKENS: usize = 128;
/// What is around a digest where it is read.
const FRAME: Size = Size { bytes: 64, tokens: 4 };

impl Bounds {
    /// For a reader of so much at once; `None` where that is too little for two digests.
    pub fn within(reads: Size) -> Option<Self> {
        let writes = Size {
            bytes: (reads.bytes / READ_TOGETHER).saturating_sub(FRAME.bytes),
            tokens: (reads.tokens / READ_TOGETHER).saturating_sub(FRAME.tokens).max(LEAST_DIGEST_TOKENS),
        };
        let one = writes.plus(FRAME);
        one.plus(one).fits(reads).then_some(Self { depth: 3, count: 256, reads, writes })
    }
}

/// Bytes of the longest role that a step is told in.
pub const LONGEST_ROLE: usize = 125;
/// Tokens that are kept for what may yet be said beside the notes: a role, and what was wrong with an earlier attempt.
const MOST_SPARE_TOKENS: usize = 512;
/// One in so many is kept where that is less.
const SPARE: usize = 16;

/// What is read of notes by somebody who reads and writes so many tokens, if so many of them stand beside the notes.
fn room(context: usize, beside: usize) -> Option<Size> {
    let spare = (context / SPARE).min(MOST_SPARE_TOKENS);
    let tokens = context.checked_sub(beside.saturating_add(spare))?;
    Some(Size { tokens, ..Size::JOB })
}

/// How notes become one text.
#[derive(Debug)]
pub enum Way {
    /// All of them are read at once.
    AtOnce(Arc<CombineTask>),
    /// They are summed up in groups first.
    InGroups(Box<CombineTree>),
}

impl Way {
    /// One that those can go who are here; `None` where there is nothing to combine, or no bounds can be kept.
    pub fn of(task: CombineTask, contexts: Contexts) -> Option<Self> {
        let beside = words::beside_the_notes(&task.question, &task.remarks());
        for context in [contexts.with_one_to_spare, contexts.of_enough] {
            let Some(reads) = room(context, beside) else { continue };
            if words::can_combine(&task.evidence(), reads) {
                let batch = NoteBatch { reads, ..NoteBatch::default() };
                return Some(Self::AtOnce(Arc::new(CombineTask { batch, ..task })));
            }
            let Some(bounds) = Bounds::within(reads) else { continue };
            if let Some(shape) = Shape::of(&task, bounds) {
                return Some(Self::InGroups(Box::new(CombineTree::new(task, shape, bounds, context))));
            }
        }
        None
    }
}

/// What a tree is made of.
#[derive(Debug)]
struct Shape {
    /// Positions of the notes in the evidence.
    kept: Vec<usize>,
    levels: Vec<Vec<Range<usize>>>,
}

impl Shape {
    /// `None` where one text is enough, or the bounds cannot be kept.
    fn of(task: &CombineTask, bounds: Bounds) -> Option<Self> {
        let (kept, sizes) = words::numbered(&task.evidence());
        let levels = levels(&sizes, bounds).filter(|levels| levels.len() > 1)?;
        Some(Self { kept, levels })
    }
}

/// Levels from the notes to the answer; in each the ranges of the level before that are read together. `None` where the
/// bounds cannot be kept.
fn levels(sizes: &[Size], bounds: Bounds) -> Option<Vec<Vec<Range<usize>>>> {
    let mut levels: Vec<Vec<Range<usize>>> = Vec::new();
    let mut sizes = sizes.to_vec();
    let mut count = 0;
    loop {
        let groups = grouped(&sizes, bounds.reads)?;
        count += groups.len();
        if groups.is_empty() || count > bounds.count || levels.len() > bounds.depth {
            return None;
        }
        sizes = vec![bounds.writes.plus(FRAME); groups.len()];
        levels.push(groups);
        if sizes.len() == 1 {
            return Some(levels);
        }
    }
}

/// Neighbours that fit together; `None` where one is too large by itself.
fn grouped(sizes: &[Size], most: Size) -> Option<Vec<Range<usize>>> {
    let mut groups = Vec::new();
    let (mut start, mut sum) = (0, Size::NONE);
    for (at, size) in sizes.iter().enumerate() {
        if !size.fits(most) {
            return None;
        }
        if !sum.plus(*size).fits(most) {
            groups.push(start..at);
            (start, sum) = (at, Size::NONE);
        }
        sum = sum.plus(*size);
    }
    if start < sizes.len() {
        groups.push(start..sizes.len());
    }
    Some(groups)
}

/// The key of a subtask that digests notes: stable over resumes, and another one where those who are here read more or less
/// at once, for then other notes are read together.
pub(super) fn key_of_digest(depth: usize, notes: Range<usize>, context: usize) -> String {
    format!("combine:{depth}:{}-{}@{context}", notes.start + 1, notes.end)
}

/// For how large a context a tree was made, by the key of a digest of it.
pub fn context_of_key(key: &str) -> Option<usize> {
    key.strip_prefix("combine:")?.rsplit_once('@')?.1.parse().ok()
}

/// A tree on its way up.
#[derive(Debug)]
pub struct CombineTree {
    question: String,
    manner: String,
    conflicts: String,
    /// In the order of their numbers.
    notes: Vec<(FragmentRef, MapAnswer)>,
    coverage: Coverage,
    bounds: Bounds,
    /// Tokens that those read and write at once for whom it was made.
    context: usize,
    /// Those that are still to be planned, the next one first.
    levels: std::vec::IntoIter<Vec<Range<usize>>>,
    depth: usize,
    /// Which notes each item of the level before rests on, and what it says; at first the notes themselves.
    spans: Vec<Range<usize>>,
    texts: Vec<String>,
    /// Of the level that is out: the first subtask, and what came.
    first: u32,
    heard: BTreeMap<u32, String>,
}

impl CombineTree {
    fn new(task: CombineTask, shape: Shape, bounds: Bounds, context: usize) -> Self {
        let CombineTask { question, answers, coverage, conflicts, manner, .. } = task;
        let notes: Vec<(FragmentRef, MapAnswer)> = shape.kept.iter().map(|at| answers[*at].clone()).collect();
        Self {
            question,
            manner,
            conflicts,
            spans: (0..notes.len()).map(|at| at..at + 1).collect(),
            notes,
            coverage,
            bounds,
            context,
            levels: shape.levels.into_iter(),
            depth: 0,
            texts: Vec::new(),
            first: 0,
            heard: BTreeMap::new(),
        }
    }

    /// The subtasks of the next level; empty after the last.
    pub fn next_level(&mut self, first_id: SubtaskId) -> Vec<Subtask> {
        let Some(groups) = self.levels.next() else { return Vec::new() };
        let is_last = self.levels.as_slice().is_empty();
        let spans: Vec<Range<usize>> =
            groups.iter().map(|group| self.spans[group.start].start..self.spans[group.end - 1].end).collect();
        let subtasks = groups
            .into_iter()
            .zip(&spans)
            .map(|(group, span)| {
                let digests = self.texts.get(group).unwrap_or_default().to_vec();
                let told = |text: &String| if is_last { text.clone() } else { String::new() };
                let task = CombineTask {
                    question: self.question.clone(),
                    answers: self.notes[span.clone()].to_vec(),
                    coverage: self.coverage,
                    conflicts: told(&self.conflicts),
                    correction: String::new(),
                    manner: told(&self.manner),
                    batch: NoteBatch {
                        notes_before: span.start,
                        level: self.depth,
                        context: self.context,
                        digests,
                        reads: self.bounds.reads,
                        writes: (!is_last).then_some(self.bounds.writes),
                    },
                };
                Subtask::new(Task::Combine(Arc::new(task)))
            })
            .collect();
        self.first = first_id.0;
        self.depth += 1;
        self.spans = spans;
        self.heard.clear();
        subtasks
    }

    /// Takes in what was verified; whether the level is complete.
    pub fn hear(&mut self, verified: &[Settled<'_>]) -> bool {
        for settled in verified {
            if let (Outcome::Combined(text), true) = (settled.outcome, settled.id.0 >= self.first) {
                self.heard.insert(settled.id.0, text.clone());
            }
        }
        let complete = self.heard.len() == self.spans.len();
        if complete {
            self.texts = std::mem::take(&mut self.heard).into_values().collect();
        }
        complete
    }
}

#[cfg(test)]
mod tests;
