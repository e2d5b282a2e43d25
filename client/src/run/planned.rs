//! What a prepared request has asked, and of what.

use std::sync::Arc;

use frlm_questions::plan::{CompoundMap, FragmentMap, NothingToAsk, PlanSource, ProgramPlan, TablePlan};

use super::Prepared;
use super::read_by_model::Unsure;

impl Prepared {
    /// What to ask. `words_possible`: whether a model that answers in words can be reached.
    pub fn plan(&self, words_possible: bool) -> Box<dyn PlanSource> {
        if self.computed.is_some() || self.unsure.as_ref().is_some_and(Unsure::is_all_there_is) {
            return Box::new(NothingToAsk);
        }
        let as_one = self.policy.verification.judges_answers_as_one();
        if let Some(program) = &self.request.program {
            let script = program.script(&self.documents.names, &self.fragments);
            let (words, fragments) = (program.words(), self.fragments.clone());
            return Box::new(ProgramPlan::new(script, &words, fragments, words_possible).as_one(as_one));
        }
        let plan = self.plan_of_parts(words_possible, as_one);
        match &self.unsure {
            // What judges whole answers, a schema or a check of the user's, would judge the query.
            Some(unsure) if words_possible && !as_one && self.request.uses_swarm() => {
                Box::new(TablePlan::new(unsure.for_planner(self.fragments.clone()), plan))
            }
            _ => plan,
        }
    }

    /// How the question is asked of the documents' parts.
    fn plan_of_parts(&self, words_possible: bool, as_one: bool) -> Box<dyn PlanSource> {
        if let Some(compound) = &self.compound {
            return Box::new(CompoundMap::new(Arc::clone(compound), self.fragments.clone()));
        }
        let map = FragmentMap::new(
            &self.request.question,
            self.query.clone(),
            self.hints.clone(),
            self.fragments.clone(),
            words_possible,
        )
        .over_prose(self.hints.is_empty())
        .as_one(as_one)
        .in_steps();
        let manner = self.request.asker.preferences.manner();
        Box::new(map.with_whole(self.whole.clone()).in_manner(manner))
    }
}
