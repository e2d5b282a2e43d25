//! What a program was answered: what its own answer may rest on.

use std::collections::{HashMap, HashSet};

use frlm_protocol::printable;
use frlm_scheduler::SubtaskId;

use super::inquiry::Reading;
use crate::plan::Outcome;
use crate::reduce::{Bound, Citation, Coverage, MOST_CITATIONS, Reduced};

/// What the end of a run needs to know of its program.
#[derive(Debug)]
pub struct ProgramAccount {
    /// The program's, and what was asked of it.
    pub text: String,
    /// Whether it has ended.
    pub ended: bool,
    /// What it came to; `None` as long as it has not ended, or where it ended for want of an answer.
    pub answer: Option<String>,
    /// Questions to fragments that code answered.
    pub by_code: usize,
    /// Questions to fragments that nobody could put.
    pub unmapped: usize,
    /// What the answers that it was given rest on, each place once.
    citations: Vec<Citation>,
    cited: HashSet<(u32, u32)>,
    uncited: usize,
    matched: usize,
    /// What was accepted for subtasks when it was told of them, in canonical form.
    told: HashMap<u32, String>,
}

impl ProgramAccount {
    pub(super) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ended: false,
            answer: None,
            by_code: 0,
            unmapped: 0,
            citations: Vec::new(),
            cited: HashSet::new(),
            uncited: 0,
            matched: 0,
            told: HashMap::new(),
        }
    }

    /// It is given this answer.
    pub(super) fn has_read(&mut self, reading: &Reading) {
        self.matched += reading.reduced.matched;
        self.uncited += reading.reduced.uncited;
        for citation in &reading.reduced.citations {
            if !self.cited.insert((citation.fragment.0, citation.lines[0])) {
                continue;
            }
            if self.citations.len() < MOST_CITATIONS {
                self.citations.push(citation.clone().of_claim(None));
            } else {
                self.uncited += 1;
            }
        }
    }

    /// An answer that it is given rests on these subtasks.
    pub(super) fn rests_on(
        &mut self,
        subtasks: impl Iterator<Item = SubtaskId>,
        known: &HashMap<u32, (Outcome, f64)>,
    ) {
        let told = subtasks.filter_map(|id| Some((id.0, known.get(&id.0)?.0.agreement_key())));
        self.told.extend(told);
    }

    /// How many of the answers that it was told are others now. `now`: what is accepted for a subtask.
    pub fn overtaken<'run>(&self, now: impl Fn(u32) -> Option<&'run Outcome>) -> usize {
        let same = |id: &u32, told: &String| now(*id).is_some_and(|outcome| outcome.agreement_key() == *told);
        self.told.iter().filter(|(id, told)| !same(id, told)).count()
    }

    /// Its answer, with what that rests on.
    pub fn reduced(&self, coverage: Coverage) -> Option<Reduced> {
        let text = printable(self.answer.as_deref()?).trim_end().to_owned();
        let bound = if coverage.is_full() { Bound::Exact } else { Bound::Unknown };
        let value = (!text.contains('\n')).then(|| text.clone());
        let mut citations = self.citations.clone();
        citations.sort_by_key(|citation| (citation.fragment, citation.lines[0]));
        Some(Reduced {
            text,
            value,
            computed: None,
            bound,
            citations,
            uncited: self.uncited,
            matched: self.matched,
        })
    }
}
