//! One run, from the plan to the answer.
//!
//! ```text
//!   plan ─► scheduler ─► reserve (ledger) ─► submit (swarm) ─► result ─► checks (dialect)
//!    ▲                                                                        │
//!    └──────────── verified ◄── settle (ledger) ◄── verdict (verifier) ◄──────┘
//! ```
//!
//! [`Run::execute`] drives it until every subtask is closed or the deadline comes, then reduces.
//! Everything that happens goes through the [`journal`] first.

mod attempts;
mod background_writer;
mod beside;
mod checks;
pub mod claims;
mod cluster;
mod commit;

pub mod control;
mod decide;
mod desks;
mod dispatch;
mod driver;
mod engine;
mod enough;
mod equipment;
mod error;
mod finish;
mod follows;
mod free_jobs;
mod gold;
mod heard;
pub mod journal;
pub mod known;
mod learner;
mod leave;
mod money;
mod outbox;
mod paces;
mod pay;
mod pay_after;
mod pay_before;
mod peers;
mod prices;
mod provider_desk;
mod provider_scoring;
pub mod quote;
mod recheck;
pub mod resume;
pub mod route;
mod score;
mod stakes;
mod subtasks;
mod trust;
mod usage;
mod validate;
mod work;
mod writers;

use std::sync::Arc;
use std::time::Duration;

pub use checks::prefill;
pub use driver::{Run, Wiring};
pub use equipment::Equipment;
pub use error::RunError;
use frlm_questions::asker::Asker;
use frlm_questions::dialect::needs_model;
use frlm_questions::ingest::{DocumentList, Fragment};
use frlm_questions::plan::{Computed, Outcome, PlanSource, Task};
use frlm_questions::query::Query;
use frlm_questions::question::compound::Compound;
use frlm_questions::stage::RunStage;
use frlm_scheduler::{AttemptId, SchedulerConfig};
use frlm_verifier::{Replica, VerificationPolicy};
use frlm_wallet::Sats;
pub use peers::Whom;

use crate::policy::FrlmPolicy;
use crate::swarm::ProviderInfo;

/// Everything a run needs to know before it begins.
pub struct RunSetup {
    /// Its id: hex, unique.
    pub id: String,
    /// As asked.
    pub question: String,
    /// What code made of the question, if it could.
    pub query: Option<Query>,
    /// The question's parts, if it has several.
    pub compound: Option<Arc<Compound>>,
    /// The answer, if code computed it from a table.
    pub computed: Option<Computed>,
    /// Whether the question is asked of tables and code is not sure how it is meant: no answer by a query is sure then.
    pub reading_is_unsure: bool,
    /// The documents' names, in order, and what could not be read.
    pub documents: DocumentList,
    /// The documents in pieces.
    pub fragments: Vec<Arc<Fragment>>,
    /// What to ask.
    pub plan: Box<dyn PlanSource>,
    /// How to behave.
    pub policy: FrlmPolicy,
    /// What was accepted in earlier starts of the run.
    pub known: resume::Known,
    /// Whom the run may ask, and who is spoken for.
    pub whom: Whom,
    /// How long it waits for whom.
    pub candidates: Candidates,
    /// Who asks: how the answer should be put, and how much time matters.
    pub asker: Asker,
}

/// How long a run waits for providers, and who steps in.
pub struct Candidates {
    /// Where answers are awaited, for messages: "ws://127.0.0.1:7777".
    pub place: String,
    /// How many providers to wait for beyond those that must agree; 0: none.
    pub enough: usize,
    /// How long to wait for enough providers before the first job leaves.
    pub discovery: Duration,
    /// How long a subtask that nobody is left to answer waits for somebody new.
    pub newcomers: Duration,
    /// The model that may step in, as a provider of the local venue.
    pub fallback: Option<ProviderInfo>,
    /// Foreign NIP-90 providers that the user named: asked beside those of the directory.
    pub foreign: Vec<ProviderInfo>,
    /// Up to what a foreign provider is paid before its work; the user has agreed to that.
    pub agreed_before: Sats,
}

impl Default for Candidates {
    /// Everyone may be asked: five seconds to find providers and ten for newcomers, no fallback.
    fn default() -> Self {
        Self {
            place: String::new(),
            enough: 0,
            discovery: Duration::from_secs(5),
            newcomers: SchedulerConfig::default().newcomer_wait,
            fallback: None,
            foreign: Vec::new(),
            agreed_before: Sats::ZERO,
        }
    }
}

impl RunSetup {
    /// A run over fragments with a plan, everything else at its default: nothing known, everyone may be asked.
    pub fn new(
        id: &str,
        question: &str,
        fragments: Vec<Arc<Fragment>>,
        plan: Box<dyn PlanSource>,
        policy: FrlmPolicy,
    ) -> Self {
        Self {
            id: id.to_owned(),
            question: question.to_owned(),
            query: None,
            compound: None,
            computed: None,
            reading_is_unsure: false,
            documents: DocumentList::default(),
            fragments,
            plan,
            policy,
            known: resume::Known::default(),
            whom: Whom::default(),
            candidates: Candidates::default(),
            asker: Asker::default(),
        }
    }

    /// The answer, if code computed it from a table: before the run began, or by the query of a planner.
    fn computed(&self) -> Option<&Computed> {
        self.computed.as_ref().or_else(|| self.plan.table()?.computed())
    }

    /// Whether code alone answers the question, so that nobody need be asked.
    pub fn by_code(&self) -> bool {
        if self.computed.is_some() {
            return true;
        }
        match &self.compound {
            Some(compound) => compound.by_code(),
            None => self.query.as_ref().is_some_and(|query| !needs_model(query)),
        }
    }

    /// All that it asks, as far as that can be told by its words: of a program, the program.
    fn asked(&self) -> &str {
        self.plan.program().map_or(&self.question, |program| &program.text)
    }

    /// The question that a subtask answers a part of: the run's, or what its program asked.
    fn question_of<'a>(&'a self, task: &'a Task) -> &'a str {
        if self.plan.program().is_some() { task.question() } else { &self.question }
    }
}

impl RunSetup {
    /// Whether what a subtask would still come to changes nothing: the program that asked has ended.
    fn nobody_waits(&self, stage: RunStage) -> bool {
        stage == RunStage::Collect && self.plan.program().is_some_and(|program| program.ended)
    }

    /// Whether more than a provider's own word says how good the answers to a subtask are: another answer, the validator,
    /// or the user's check. That code knew the right one is for the records alone: a provider that were told how good an answer was
    /// that nobody else gave would know that the task was gold.
    pub(in crate::run) fn is_compared(&self, answers: &[(AttemptId, Replica<Outcome>)]) -> bool {
        let [(_, alone)] = answers else { return true };
        let checked = matches!(self.policy.verification, VerificationPolicy::Checked { .. })
            && !matches!(alone.answer, Outcome::Compiled(_));
        checked || alone.attested.is_some()
    }
}
