//! A question that code cannot take apart at once, taken apart by the user's own model (function 2), or by the small one inside
//! this program where the user has none, or one that says nothing.
//!
//! ```text
//!   code reads it ─► as it is
//!   simple (6), no fields, no model, one question only ─► as it is
//!   small model proposes ─► the question's own words, in parts that code can read ─► asked part by part
//!            └─ not ─► code behind its beginning
//!   model proposes ─► parts that code can read ─► asked part by part
//!         ▲  └─ not: once more, told why ─┐
//!         └───────────────────────────────┘─ not either ─► code behind its beginning
//!   model says nothing, also when it was asked how simple the question is ─► the small model, as if there were no other
//!   code behind its beginning: parts that say all that the question asks ─► asked part by part
//!            └─ not ─► as it is
//! ```
//!
//! *As it is*: the deterministic planner goes on as if there were no model. *Behind its beginning*: a model was asked
//! because the question has several parts and begins with something else; where it has no plan that counts, code reads the
//! parts behind that, and holds them to the question as it holds the small model's.

use std::sync::Arc;
use std::time::Duration;

use frlm_learning::planning::analyse::features::features;
use frlm_learning::planning::decompose::Action;

use crate::ingest::Fragment;
use crate::plan::{CompoundMap, facts};
use crate::question::compound::Compound;
use crate::question::proposal::{self, Proposal, prompt};
use crate::question::{FieldHints, field_hints};
use crate::run::RunError;
use crate::run::driver::Run;
use crate::small_model::split::split;
use crate::trace::TraceEvent;

/// One proposal and one repair.
const ATTEMPTS: usize = 2;

/// Why a model's proposal came to nothing.
enum Failed {
    /// It is told, and may mend it.
    Wrong(String),
    /// It says nothing; it is not asked again.
    Silent(String),
    /// The run is stopped.
    Stopped,
}

impl Run {
    /// Has a model propose the parts of a question, where code knows none. A run that goes on keeps to what it began with;
    /// one that was stopped before anything was planned has begun with nothing.
    pub(in crate::run) async fn take_apart(&mut self) -> Result<(), RunError> {
        if self.setup.plan.program().is_some() {
            // It takes apart what it asks itself.
            return Ok(());
        }
        // Also where code reads the question now and the program that began the run did not.
        if let Some(texts) = self.setup.known.taken_apart.take() {
            match Compound::of_parts(&self.setup.question, &texts, &self.pieces()) {
                Ok(compound) => self.ask_in_parts(compound),
                Err(_) => self.take_known_steps(texts),
            }
            return Ok(());
        }
        self.take_prose_apart().await?;
        if self.setup.query.is_some()
            || self.setup.compound.is_some()
            || self.setup.known.planned
            || self.decisions.desk.model().is_none() && self.learner.small.is_none()
            || !seems_compound(&self.setup.question)
        {
            return Ok(());
        }
        let pieces = self.pieces();
        let hints = field_hints(&pieces);
        // Texts without fields have nothing that a part could be read over.
        if hints.is_empty() || self.analysis().await?.direct {
            return Ok(());
        }
        if self.decisions.desk.model().is_none() {
            return self.take_apart_closely(&pieces, &hints).await;
        }
        if self.learner.model_silent {
            // A longer question would keep the run waiting as long again, and for nothing.
            let why = "it did not even say how simple the question is, and is not asked for a plan";
            return self.take_apart_without_own(why, &pieces, &hints).await;
        }
        let guide = self.guide(&hints).await;
        let mut wrong: Option<String> = None;
        for attempt in 1..=ATTEMPTS {
            match self.proposed(&pieces, &hints, guide.as_ref(), wrong.as_deref()).await {
                Ok((compound, reasoning)) => {
                    let parts = compound.parts.iter().map(|part| part.text.clone()).collect();
                    self.journal.emit(TraceEvent::TakenApart { parts, reasoning });
                    self.decide(
                        "plan",
                        "proceed",
                        "the model took the question apart, and code can read each part",
                    );
                    self.ask_in_parts(compound);
                    return Ok(());
                }
                Err(Failed::Stopped) => return Err(self.interrupted()),
                Err(Failed::Wrong(why)) if attempt < ATTEMPTS => {
                    self.decide("plan", "retry", &format!("the model's plan is rejected: {why}"));
                    wrong = Some(why);
                }
                Err(Failed::Wrong(why)) => {
                    self.plan_without("the model", &why, &pieces);
                    return Ok(());
                }
                Err(Failed::Silent(why)) => {
                    self.learner.model_silent = true;
                    self.take_apart_without_own(&why, &pieces, &hints).await?;
                    if self.setup.compound.is_none() {
                        // It guided nobody and arranges nothing: what becomes of the question says nothing of it.
                        self.learner.chosen = None;
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The user's own model says nothing, and is left alone from here on: what would be done for somebody who has none is
    /// done.
    async fn take_apart_without_own(
        &mut self,
        why: &str,
        pieces: &[Fragment],
        hints: &FieldHints,
    ) -> Result<(), RunError> {
        if self.learner.small.is_none() {
            self.plan_without("the model", why, pieces);
            return Ok(());
        }
        let instead = format!("the model has no plan: {why}; the embedded model is asked in its place");
        self.decide("plan", "proceed", &instead);
        self.take_apart_closely(pieces, hints).await
    }

    /// Has the small model do it. The parts of such a question are its own, so that the policy has nothing to guide; how they are asked it chooses afterwards, as where code reads them.
    async fn take_apart_closely(&mut self, pieces: &[Fragment], hints: &FieldHints) -> Result<(), RunError> {
        let Some(small) = self.learner.small.clone() else { return Ok(()) };
        let (timeout, stop) = (self.timeout(), self.learner.stop.clone());
        let trying = split(&small, &self.setup.question, pieces, hints, timeout);
        match stop.run_until_cancelled(trying).await.ok_or_else(|| self.interrupted())? {
            Ok(compound) => {
                let parts = compound.parts.iter().map(|part| part.text.clone()).collect();
                let reasoning = "they say what the question says, in its order".to_owned();
                self.journal.emit(TraceEvent::TakenApart { parts, reasoning });
                let why =
                    "the embedded model took the question apart, and its parts say what the question says";
                self.decide("plan", "proceed", why);
                self.ask_in_parts(compound);
            }
            Err(why) => self.plan_without("the embedded model", &why, pieces),
        }
        Ok(())
    }

    /// A model has no plan that counts: the question is planned by code, behind its beginning if that says nothing.
    fn plan_without(&mut self, whose: &str, why: &str, pieces: &[Fragment]) {
        let why = format!("{whose} has no plan that counts: {why}");
        let Some(compound) = Compound::read_behind(&self.setup.question, pieces) else {
            self.decide("plan", "proceed", &format!("{why}; the question is planned without it"));
            return;
        };
        let parts = compound.parts.iter().map(|part| part.text.clone()).collect();
        let reasoning = "they are all that the question asks behind its beginning".to_owned();
        self.journal.emit(TraceEvent::TakenApart { parts, reasoning });
        self.decide(
            "plan",
            "proceed",
            &format!("{why}; code reads the question behind its beginning, which asks nothing"),
        );
        self.ask_in_parts(compound);
    }

    async fn proposed(
        &mut self,
        pieces: &[Fragment],
        hints: &FieldHints,
        guide: Option<&Action>,
        wrong: Option<&str>,
    ) -> Result<(Compound, String), Failed> {
        let Some(model) = self.decisions.desk.model() else {
            return Err(Failed::Silent("there is none".to_owned()));
        };
        let asker = self.setup.asker.preferences.for_planning();
        let practices = self.learner.chosen.as_ref().map_or(&[][..], |chosen| &chosen.practices);
        let told = prompt::told(&asker, practices);
        let prompt = prompt::prompt(&self.setup.question, hints, guide, &told, wrong);
        let (timeout, stop) = (self.timeout(), self.learner.stop.clone());
        let said = stop.run_until_cancelled(proposal::ask(&*model, prompt, prompt::schema(), timeout)).await;
        let text = said.ok_or(Failed::Stopped)?.map_err(Failed::Silent)?;
        let Proposal { queries, reasoning } =
            Proposal::read(&text).map_err(|error| Failed::Wrong(error.to_string()))?;
        let compound = Compound::of_parts(&self.setup.question, &queries, pieces)
            .map_err(|error| Failed::Wrong(error.to_string()))?;
        Ok((compound, reasoning))
    }

    fn ask_in_parts(&mut self, compound: Compound) {
        let compound = Arc::new(compound);
        let fragments = self.setup.fragments.clone();
        self.setup.plan = Box::new(CompoundMap::new(Arc::clone(&compound), fragments));
        self.setup.compound = Some(compound);
        self.setup.query = None;
    }

    /// What the policy chooses for a question whose parts nobody knows yet: it guides the model, and then the plan.
    async fn guide(&mut self, hints: &FieldHints) -> Option<Action> {
        let simplicity = self.learner.analysis.as_ref().map_or(0.5, |analysis| analysis.score);
        let asked = facts::before_parts(&self.setup.question, &self.setup.documents.names, hints, simplicity)
            .by(self.setup.asker.preferences.expertise);
        self.choose(asked).await
    }

    fn pieces(&self) -> Vec<Fragment> {
        self.setup.fragments.iter().map(|fragment| (**fragment).clone()).collect()
    }

    /// How long the own model may think: as long as about any decision, and no longer than the run has left.
    pub(super) fn timeout(&self) -> Duration {
        let left = self.setup.policy.timeout.total.saturating_sub(self.began.elapsed());
        self.setup.policy.decisions.timeout.min(left)
    }
}

/// Whether a question asks for more than one thing, by its marks and joining words.
fn seems_compound(question: &str) -> bool {
    let [_, clauses, conjunctions, ..] = features(question);
    Compound::likely_parts(question) > 1 || clauses > 0.0 || conjunctions > 0.0
}
