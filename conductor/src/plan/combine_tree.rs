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
//! It has three caps: how deep it may be, how many subtasks it may have, and how much each child may write, so that what
//! its parent reads is bounded. Where they cannot be kept there is no tree, and the notes are given side by side.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::{CombineTask, Outcome, Settled, Subtask, Task};
use crate::dialect::MapAnswer;
use crate::reduce::words::{self, MOST_NOTES_BYTES, Share};
use crate::reduce::{Coverage, FragmentRef};
use crate::scheduler::SubtaskId;

/// What a tree may come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Levels of digests below the answer.
    pub depth: usize,
    /// Subtasks in all, the answer's included.
    pub count: usize,
    /// Bytes that one subtask reads.
    pub reads: usize,
    /// Bytes that one digest has: the budget of a child.
    pub writes: usize,
}

impl Default for Caps {
    fn default() -> Self {
        // A parent reads twelve digests at least.
        Self { depth: 3, count: 256, reads: MOST_NOTES_BYTES, writes: MOST_NOTES_BYTES / 12 - 64 }
    }
}

/// What is around a digest where it is read.
const FRAME_BYTES: usize = 64;

/// Levels from the notes to the answer; in each the ranges of the level before that are read together. `None` where the
/// caps cannot be kept.
pub fn levels(sizes: &[usize], caps: Caps) -> Option<Vec<Vec<Range<usize>>>> {
    let mut levels: Vec<Vec<Range<usize>>> = Vec::new();
    let mut sizes = sizes.to_vec();
    let mut count = 0;
    loop {
        let groups = grouped(&sizes, caps.reads)?;
        count += groups.len();
        if groups.is_empty() || count > caps.count || levels.len() > caps.depth {
            return None;
        }
        sizes = vec![caps.writes + FRAME_BYTES; groups.len()];
        levels.push(groups);
        if sizes.len() == 1 {
            return Some(levels);
        }
    }
}

/// Neighbours that fit together; `None` where one is too large by itself.
fn grouped(sizes: &[usize], most: usize) -> Option<Vec<Range<usize>>> {
    let mut groups = Vec::new();
    let (mut start, mut sum) = (0, 0_usize);
    for (at, size) in sizes.iter().enumerate() {
        if *size > most {
            return None;
        }
        if sum + size > most {
            groups.push(start..at);
            (start, sum) = (at, 0);
        }
        sum += size;
    }
    if start < sizes.len() {
        groups.push(start..sizes.len());
    }
    Some(groups)
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
    caps: Caps,
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
    /// A tree over the notes in the evidence; `None` where one text is enough, or the caps cannot be kept.
    pub fn new(task: CombineTask, caps: Caps) -> Option<Self> {
        let CombineTask { question, answers, coverage, conflicts, manner, .. } = task;
        let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
        let (kept, sizes) = words::numbered(&evidence);
        let levels = levels(&sizes, caps).filter(|levels| levels.len() > 1)?;
        let notes: Vec<(FragmentRef, MapAnswer)> = kept.iter().map(|at| answers[*at].clone()).collect();
        Some(Self {
            question,
            manner,
            conflicts,
            spans: (0..notes.len()).map(|at| at..at + 1).collect(),
            notes,
            coverage,
            caps,
            levels: levels.into_iter(),
            depth: 0,
            texts: Vec::new(),
            first: 0,
            heard: BTreeMap::new(),
        })
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
                let key = if is_last {
                    "combine".to_owned()
                } else {
                    format!("combine:{}:{}-{}", self.depth, span.start + 1, span.end)
                };
                let told = |text: &String| if is_last { text.clone() } else { String::new() };
                let task = CombineTask {
                    question: self.question.clone(),
                    answers: self.notes[span.clone()].to_vec(),
                    coverage: self.coverage,
                    conflicts: told(&self.conflicts),
                    correction: String::new(),
                    manner: told(&self.manner),
                    share: Share {
                        notes_before: span.start,
                        digests,
                        most_bytes: (!is_last).then_some(self.caps.writes),
                    },
                };
                Subtask { key, task: Task::Combine(Arc::new(task)) }
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
