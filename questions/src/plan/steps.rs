//! The steps of a question in words ([`crate::question::steps`]): each is asked of every fragment, and one that names what an
//! earlier one finds waits for it. It is asked with verified claims in the place of the braces. One that needs what was not found
//! is not asked, and the answer says so.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use frlm_learning::planning::decompose::Action;
use frlm_scheduler::SubtaskId;

use super::arrangement::Arrangement;
use super::task::Belongs;
use super::{Outcome, Settled, Subtask};
use crate::dialect::claims::Form;
use crate::dialect::{MapAnswer, MapTask};
use crate::ingest::{Fragment, FragmentId};
use crate::question::steps::{Step, Steps, shared_words};
use crate::reduce::FragmentRef;

/// Claims that another step is asked with, at most, and characters of all of them.
const MOST_GIVEN: usize = 5;
const MOST_GIVEN_CHARS: usize = 1_000;

/// Asks the steps of a question, each as soon as what it needs is known.
#[derive(Debug)]
pub struct StepMap {
    steps: Steps,
    fragments: Vec<Arc<Fragment>>,
    form: Form,
    stages: Vec<Stage>,
    arrangement: Arrangement,
    /// What fragments said, and how far it is believed, by subtask.
    heard: BTreeMap<u32, (MapAnswer, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// An earlier step is awaited.
    Waiting,
    /// Its fragments are asked, the first by this subtask, the others by those that follow.
    Asked { first: u32 },
    /// It is not asked: nothing was found for this step.
    Left { need: usize },
}

/// Why a step has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// The documents say nothing of it.
    NothingFound,
    /// It was not asked: nothing was found for the step of this position.
    Needs(usize),
    /// It was not asked, or not by all fragments, as something of it or of what it waits for is not verified.
    NotVerified,
}

impl StepMap {
    /// Steps over fragments.
    pub fn new(steps: Steps, fragments: Vec<Arc<Fragment>>, form: Form, guide: Option<&Action>) -> Self {
        let stages = vec![Stage::Waiting; steps.each().len()];
        let arrangement = guide.map_or_else(Arrangement::default, Arrangement::from);
        Self { steps, fragments, form, stages, arrangement, heard: BTreeMap::new() }
    }

    /// The steps.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// Takes in what was verified; also what came to something else since.
    pub fn hear(&mut self, verified: &[Settled<'_>]) {
        for settled in verified {
            if let Outcome::Mapped(answer) = settled.outcome
                && self.fragment_of(settled.id.0).is_some()
            {
                self.heard.insert(settled.id.0, (answer.clone(), settled.confidence));
            }
        }
    }

    /// What can be asked now.
    pub fn next(&mut self, first_id: SubtaskId) -> Vec<Subtask> {
        let mut planned = Vec::new();
        let mut again = true;
        while std::mem::take(&mut again) {
            for at in 0..self.stages.len() {
                if self.stages[at] != Stage::Waiting || !self.may_begin(at) || !self.is_ready(at) {
                    continue;
                }
                let needs = &self.steps.each()[at].needs;
                if let Some(&need) = needs.iter().find(|need| self.found(**need).is_empty()) {
                    self.stages[at] = Stage::Left { need };
                    // What waits for this one need not wait any longer.
                    again = true;
                    continue;
                }
                let first = first_id.0 + u32::try_from(planned.len()).unwrap_or(u32::MAX);
                planned.extend(self.subtasks(at, self.asked(at)));
                self.stages[at] = Stage::Asked { first };
            }
        }
        planned
    }

    /// Subtasks that will follow, as far as that can be told now.
    pub fn to_come(&self) -> Vec<Subtask> {
        let waiting = (0..self.stages.len()).filter(|at| self.stages[*at] == Stage::Waiting);
        waiting.flat_map(|at| self.subtasks(at, self.steps.each()[at].text.clone())).collect()
    }

    /// Whether nothing more is asked or awaited.
    pub fn is_done(&self) -> bool {
        (0..self.stages.len()).all(|at| self.is_known(at))
    }

    /// Whether no step has found anything.
    pub fn found_nothing(&self) -> bool {
        self.heard.values().all(|(answer, _)| said(answer).next().is_none())
    }

    /// Nothing that was asked is open any more: what was held back by choice is asked now. Whether there is any.
    pub fn hold_nothing_back(&mut self) -> bool {
        let held = |at: usize| self.stages[at] == Stage::Waiting && self.is_ready(at) && !self.may_begin(at);
        let any = (0..self.stages.len()).any(held);
        self.arrangement = Arrangement { phrasing: self.arrangement.phrasing, ..Arrangement::default() };
        any
    }

    /// What was found, in the order of the subtasks.
    pub fn evidence(&self) -> Vec<(FragmentRef, MapAnswer)> {
        let heard = self.heard.iter().filter_map(|(id, (answer, _))| Some((self.fragment_of(*id)?, answer)));
        let each = |(fragment, answer): (&Arc<Fragment>, &MapAnswer)| {
            let at = FragmentRef::from(fragment.as_ref());
            answer.each().to_vec().into_iter().map(move |one| (at.clone(), one))
        };
        heard.flat_map(each).collect()
    }

    /// How far what each fragment said is believed: as far as the least of it.
    pub fn confidences(&self) -> HashMap<FragmentId, f64> {
        let mut confidences: HashMap<FragmentId, f64> = HashMap::new();
        for (id, (_, confidence)) in &self.heard {
            if let Some(fragment) = self.fragment_of(*id) {
                let least = confidences.entry(fragment.id).or_insert(*confidence);
                *least = least.min(*confidence);
            }
        }
        confidences
    }

    /// Why a step has no answer; `None` where it has one.
    pub fn unanswered(&self, at: usize) -> Option<Unanswered> {
        match self.stages[at] {
            Stage::Left { need } => Some(Unanswered::Needs(need)),
            _ if !self.found(at).is_empty() => None,
            Stage::Asked { .. } if self.is_known(at) => Some(Unanswered::NothingFound),
            Stage::Asked { .. } | Stage::Waiting => Some(Unanswered::NotVerified),
        }
    }

    /// Fragments that are still to be asked.
    pub fn unasked(&self) -> usize {
        let waiting = self.stages.iter().filter(|stage| **stage == Stage::Waiting).count();
        waiting * self.fragments.len()
    }

    /// A step with what was found in the place of the braces, as its readers are asked.
    fn asked(&self, at: usize) -> String {
        let Step { text, needs } = &self.steps.each()[at];
        let mut asked = text.clone();
        for need in needs {
            // Writing into a String cannot fail.
            let _ =
                write!(asked, " For {{{}}} this was found: {}", need + 1, self.given(*need, text).join(" "));
        }
        asked
    }

    /// What was found for a step that a later one needs: of too much, what shares most words with both.
    fn given(&self, need: usize, asks: &str) -> Vec<&str> {
        let asked = format!("{} {asks}", self.steps.each()[need].text);
        let mut found = self.found(need);
        found.sort_by_key(|claim| std::cmp::Reverse(shared_words(&asked, claim)));
        let mut left = MOST_GIVEN_CHARS;
        let fits = |claim: &&str| {
            let fits = claim.chars().count() <= left;
            left = if fits { left - claim.chars().count() } else { left };
            fits
        };
        found.into_iter().filter(fits).take(MOST_GIVEN).collect()
    }

    /// What fragments said for a step, in their order, each once. That a reader says again what it was told is no finding.
    fn found(&self, at: usize) -> Vec<&str> {
        let told: HashSet<&str> =
            self.before(at).into_iter().flat_map(|before| self.said_of(before)).collect();
        let mut found: Vec<&str> = Vec::new();
        for one in self.said_of(at) {
            if !told.contains(one) && !found.contains(&one) {
                found.push(one);
            }
        }
        found
    }

    fn said_of(&self, at: usize) -> impl Iterator<Item = &str> {
        self.ids(at).filter_map(|id| self.heard.get(&id)).flat_map(|(answer, _)| said(answer))
    }

    /// The steps that one rests on, those included that those rest on.
    pub fn before(&self, at: usize) -> BTreeSet<usize> {
        let needs = &self.steps.each()[at].needs;
        needs.iter().flat_map(|need| self.before(*need).into_iter().chain([*need])).collect()
    }

    fn ids(&self, at: usize) -> std::ops::Range<u32> {
        let count = u32::try_from(self.fragments.len()).unwrap_or(u32::MAX);
        match self.stages[at] {
            Stage::Asked { first } => first..first.saturating_add(count),
            Stage::Waiting | Stage::Left { .. } => 0..0,
        }
    }

    fn fragment_of(&self, id: u32) -> Option<&Arc<Fragment>> {
        let at = (0..self.stages.len()).find(|at| self.ids(*at).contains(&id))?;
        self.fragments.get((id - self.ids(at).start) as usize)
    }

    fn is_known(&self, at: usize) -> bool {
        match self.stages[at] {
            Stage::Waiting => false,
            Stage::Left { .. } => true,
            Stage::Asked { .. } => self.ids(at).all(|id| self.heard.contains_key(&id)),
        }
    }

    fn is_ready(&self, at: usize) -> bool {
        self.steps.each()[at].needs.iter().all(|need| self.is_known(*need))
    }

    fn may_begin(&self, at: usize) -> bool {
        let known: Vec<bool> = (0..self.stages.len()).map(|at| self.is_known(at)).collect();
        let open = (0..self.stages.len())
            .filter(|at| matches!(self.stages[*at], Stage::Asked { .. }) && !known[*at])
            .count();
        self.arrangement.may_begin(at, &known, open, |at| self.wave(at))
    }

    /// How many steps one waits for, one after the other.
    fn wave(&self, at: usize) -> usize {
        let needs = &self.steps.each()[at].needs;
        needs.iter().map(|need| self.wave(*need) + 1).max().unwrap_or(0)
    }

    fn subtasks(&self, at: usize, question: String) -> Vec<Subtask> {
        let form = self.form.clone();
        let task = MapTask { question, query: None, manner: String::new(), form };
        let belongs = u32::try_from(at).map_or(Belongs::Whole, Belongs::Part);
        Subtask::over(&self.fragments, task, belongs)
    }
}

/// What an answer says in words.
fn said(answer: &MapAnswer) -> impl Iterator<Item = &str> {
    answer.each().iter().filter_map(|one| match one {
        MapAnswer::Words { answer, .. } => Some(answer.trim()).filter(|answer| !answer.is_empty()),
        MapAnswer::Records { .. } | MapAnswer::Claims { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::fragments;

    use super::*;

    /// Three fragments: 0, 1, 2.
    fn map(texts: &[&str]) -> StepMap {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let pieces = fragments("lease.txt", "one\ntwo\nthree\n", 1).into_iter().map(Arc::new).collect();
        StepMap::new(Steps::of(&texts).unwrap().unwrap(), pieces, Form::default(), None)
    }

    fn claims(texts: &[&str]) -> Outcome {
        let words = |text: &&str| MapAnswer::Words { answer: (*text).to_owned(), quotes: Vec::new() };
        Outcome::Mapped(MapAnswer::Claims { claims: texts.iter().map(words).collect() })
    }

    fn tell(map: &mut StepMap, id: u32, texts: &[&str]) {
        let outcome = claims(texts);
        map.hear(&[Settled { id: SubtaskId(id), outcome: &outcome, confidence: 0.9 }]);
    }

    fn questions(subtasks: &[Subtask]) -> Vec<&str> {
        subtasks.iter().map(|subtask| subtask.task.question()).collect()
    }

    #[test]
    fn a_step_is_asked_with_the_claims_that_were_found_for_what_it_names() {
        let mut map = map(&["Which contract replaced the lease?", "Who signed {1}?"]);
        assert_eq!(map.to_come().len(), 6);
        assert_eq!(questions(&map.next(SubtaskId(5))), ["Which contract replaced the lease?"; 3]);
        tell(&mut map, 5, &[]);
        tell(&mut map, 6, &["The agreement of June replaced the lease."]);
        assert!(map.next(SubtaskId(9)).is_empty(), "a fragment has not answered");
        tell(&mut map, 7, &[]);
        let asked = map.next(SubtaskId(9));
        let wanted = "Who signed {1}? For {1} this was found: The agreement of June replaced the lease.";
        assert_eq!(questions(&asked), [wanted; 3]);
        assert!(asked.iter().all(|subtask| subtask.part() == Some(1)) && map.to_come().is_empty());
        for (id, texts) in [(9, &[][..]), (10, &[]), (11, &["Anna Weber signed the agreement of June."])] {
            assert!(!map.is_done());
            tell(&mut map, id, texts);
        }
        assert!(
            map.is_done()
                && !map.found_nothing()
                && map.unanswered(0).is_none()
                && map.unanswered(1).is_none()
        );
        let files: Vec<u32> = map.evidence().iter().map(|(at, _)| at.id.0).collect();
        assert_eq!(files, [1, 2]);
    }

    #[test]
    fn what_needs_what_was_not_found_is_not_asked_nor_is_what_needs_that() {
        let mut map = map(&[
            "Which contract replaced the lease?",
            "Who signed {1}?",
            "Who elected {2}?",
            "Who pays the rent?",
        ]);
        assert_eq!(map.next(SubtaskId(0)).len(), 6, "the last waits for nothing");
        for id in 0..3 {
            tell(&mut map, id, &[]);
        }
        assert!(map.next(SubtaskId(6)).is_empty() && !map.is_done());
        for id in 3..6 {
            tell(&mut map, id, &["The tenant pays the rent."]);
        }
        assert!(map.next(SubtaskId(6)).is_empty() && map.is_done() && !map.found_nothing());
        let unanswered: Vec<_> = (0..4).map(|at| map.unanswered(at)).collect();
        let (nothing, needs) = (Some(Unanswered::NothingFound), |at| Some(Unanswered::Needs(at)));
        assert_eq!(unanswered, [nothing, needs(0), needs(1), None]);
    }

    #[test]
    fn what_a_reader_was_told_and_says_again_is_no_finding() {
        let mut map =
            map(&["Which lease was made in 2019?", "Which contract replaced {1}?", "Who signed {2}?"]);
        map.next(SubtaskId(0));
        for step in [0, 3] {
            tell(&mut map, step, &["The lease of 2019 has the number 17."]);
            tell(&mut map, step + 1, &[]);
            tell(&mut map, step + 2, &[]);
            map.next(SubtaskId(step + 3));
        }
        let unanswered: Vec<_> = (0..3).map(|at| map.unanswered(at)).collect();
        assert_eq!(unanswered, [None, Some(Unanswered::NothingFound), Some(Unanswered::Needs(1))]);
        assert!(map.is_done());
    }

    #[test]
    fn of_too_much_what_the_questions_speak_of_is_given() {
        let mut map = map(&["Which contract replaced the lease?", "Who signed {1}?"]);
        map.next(SubtaskId(0));
        tell(
            &mut map,
            0,
            &["The roof leaks.", "Rain is wet.", "Cats purr.", "Bells ring.", "Trains run.", "Birds sing."],
        );
        tell(&mut map, 1, &["The agreement replaced the lease, a contract."]);
        tell(&mut map, 2, &[]);
        let asked = map.next(SubtaskId(3))[0].task.question().to_owned();
        assert!(
            asked.contains("found: The agreement replaced the lease, a contract. The roof leaks."),
            "{asked}"
        );
        assert!(!asked.contains("Trains run.") && !asked.contains("Birds sing."), "{asked}");
    }

    #[test]
    fn what_came_to_something_else_since_counts_as_that() {
        let mut map = map(&["Which contract replaced the lease?", "Who signed {1}?"]);
        map.next(SubtaskId(0));
        tell(&mut map, 0, &["The agreement of June replaced the lease."]);
        tell(&mut map, 0, &[]);
        tell(&mut map, 1, &[]);
        tell(&mut map, 2, &[]);
        assert!(map.next(SubtaskId(3)).is_empty() && map.is_done() && map.found_nothing());
    }
}
