//! What happens in a run, as a list of events.
//!
//! Every stage emits [`TraceEvent`]s; screens, `runs replay` and exports are pure folds over them
//! (`frlm_client::view`). The trace is also the journal: [`TraceEvent::Verified`] carries the accepted answer,
//! so that a resumed run need not ask again. The events are those of seeds/frlm-architecture.md
//! ("Data Flow", "Budget Flow", "Verification Flow") and what the pipeline of design.md adds.

use std::collections::BTreeMap;

pub use frlm_questions::stage::RunStage;
use frlm_scheduler::{AttemptId, FailureReason, SubtaskId};
use frlm_verifier::decisions::{DataSource, Params, RetryReason, Verb};
use serde::{Deserialize, Serialize};

/// An event with its place in the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceRecord {
    /// Counts up from 0 without gaps.
    pub seq: u64,
    /// Milliseconds since the run was first started.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: TraceEvent,
}

/// A subtask as it joins the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSubtask {
    /// Its position in the run.
    pub id: SubtaskId,
    /// Stable over resumes: what is done, over which text.
    pub key: String,
    /// For people: "lines 1–16 of orders.log".
    pub label: String,
}

/// What follows from how far an answer is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PosteriorStep {
    /// It is accepted.
    Accept,
    /// Another provider is asked.
    Ask(frlm_verifier::trust::AskReason),
    /// Nobody else may be asked: it is not accepted.
    Stop,
}

/// What an audit by the weights that a provider claims came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditFinding {
    /// So far its answers are as far from theirs as an engine's are from its own.
    Fits,
    /// They are further: other weights wrote them.
    AnotherModel,
    /// Nothing was committed to that could be held against the answer; this is why. It proves no lie, and its
    /// provider is believed less.
    Unreadable(String),
}

/// Who decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// The user's own model.
    Model,
    /// Code, from the priors.
    Code,
    /// Code, as the model's word was no valid decision; this is why.
    CodeAsModelFailed(String),
}

/// What a decision after a stage rests on (seeds/llm-reasoning-refactor.md, section 3.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionBasis {
    /// Who decided.
    pub by: Decider,
    /// What a retry is to change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_reason: Option<RetryReason>,
    /// How sure the decider is, 0..=1.
    pub confidence: f64,
    /// The metric or rate that drove it.
    pub signal: String,
    /// What kind of data the thresholds are for.
    pub data_source: DataSource,
    /// Counts and sums.
    pub metrics: BTreeMap<String, f64>,
    /// What they are in relation to each other.
    pub rates: BTreeMap<String, f64>,
    /// Values to try that came with the decision.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub suggested_params: Params,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TraceEvent {
    /// The run began.
    RunStart {
        /// Its id.
        run_id: String,
        /// As asked.
        question: String,
        /// Unix milliseconds.
        started_at_ms: u64,
        /// The budget.
        limit_sats: u64,
        /// The verification policy's name.
        policy: String,
        /// File names.
        documents: Vec<String>,
        /// How many fragments they were cut into.
        fragments: usize,
    },
    /// The run went on in another process.
    RunResume {
        /// Unix milliseconds.
        resumed_at_ms: u64,
        /// Subtasks that need not be asked again.
        known: usize,
    },
    /// The user lets the run spend more, in all.
    #[serde(rename = "cap_raised")]
    BudgetRaised {
        /// The budget from here on.
        limit_sats: u64,
    },
    /// A relay is connected.
    RelayOnline {
        /// Its address.
        relay: String,
    },
    /// A relay is gone.
    RelayOffline {
        /// Its address.
        relay: String,
        /// Its own words or the error.
        reason: String,
    },
    /// A provider can be asked.
    ProviderSeen {
        /// Its key.
        provider: String,
        /// What it calls itself.
        name: String,
        /// The model it claims to run.
        model: String,
        /// Its price.
        price_msats_per_1k: u64,
    },
    /// A provider cannot be asked any more.
    ProviderGone {
        /// Its key.
        provider: String,
    },
    /// The plan grew.
    Plan {
        /// The new subtasks.
        subtasks: Vec<PlannedSubtask>,
    },
    /// A model took the question apart, and code can read each part, or holds the steps of a question in words to its words
    /// (seeds/super-llm-block.md, function 2).
    TakenApart {
        /// The parts, each after those that it waits for.
        parts: Vec<String>,
        /// Why so, in the model's words.
        reasoning: String,
    },
    /// A question that needs words was looked at: whether it is simple enough to be asked of all of a short text at once
    /// (seeds/super-llm-block.md, function 6).
    Analysed(frlm_learning::planning::analyse::Analysis),
    /// The policy chose how a question of several parts is taken apart (seeds/super-llm-block.md, function 2).
    Chosen(Box<frlm_learning::planning::account::Chosen>),
    /// A step of the plan was weighed: how simple it is, and who should answer it (seeds/super-llm-block.md,
    /// functions 7 and 3). A step is what is asked once, of however many fragments.
    Weighed {
        /// The first of its subtasks; the others follow it.
        first: SubtaskId,
        /// How many they are.
        count: u32,
        /// What is asked.
        text: String,
        /// Which part of the question it is, from 0, where that has several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<usize>,
        /// The part whose answer it speaks of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        needs: Option<usize>,
        /// The score and the hint.
        weighed: Box<frlm_learning::planning::steps::Weighed>,
    },
    /// What the work that is to be done will cost, told before its first job leaves where somebody wants to be paid for
    /// it (design.md, section 5). The budget holds whatever comes.
    Quoted {
        /// One answer per subtask.
        low_sats: u64,
        /// As many answers as must agree.
        expected_sats: u64,
        /// Every replica that the policy allows, and every second look.
        high_sats: u64,
        /// What of the expected a mint takes; absent where none could be asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fees_sats: Option<u64>,
        /// What may be spent.
        left_sats: u64,
        /// Whether these sats are worth nothing.
        play_money: bool,
    },
    /// Routing decided who works on a subtask, and where.
    Routed {
        /// Which subtask.
        subtask: SubtaskId,
        /// What sort of task it is: `extract`, `read`, …
        task_type: String,
        /// The role.
        role: String,
        /// The venue: `swarm`, or an engine or endpoint of the user's own.
        venue: String,
        /// Which role was hot: `balanced`, `plain_hot`, …
        load_state: String,
        /// Whether it was chosen to learn something.
        explored: bool,
        /// What the learner thought it was worth.
        worth: f64,
        /// Why not the other venues, where something stood against them.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
    /// Money was reserved before a job left (seed: BudgetReserve).
    BudgetReserve {
        /// For which subtask.
        subtask: SubtaskId,
        /// For which attempt.
        attempt: AttemptId,
        /// How much.
        sats: u64,
    },
    /// A reservation ended (seed: BudgetSettle).
    BudgetSettle {
        /// For which subtask.
        subtask: SubtaskId,
        /// For which attempt.
        attempt: AttemptId,
        /// What it cost.
        spent_sats: u64,
        /// What became free again.
        refunded_sats: u64,
    },
    /// An answer of a provider that works first counts: its pay is owed from here on, and counts as spent,
    /// until a settlement says that the provider was told of it.
    Owed {
        /// For which subtask.
        subtask: SubtaskId,
        /// For which attempt.
        attempt: AttemptId,
        /// What was reserved for it, fees included.
        sats: u64,
    },
    /// A provider was paid outside escrow: what it got is gone, whatever it answers.
    PaidUnescrowed {
        /// For which subtask.
        subtask: SubtaskId,
        /// For which attempt.
        attempt: AttemptId,
        /// Whom.
        provider: String,
        /// To the provider.
        sats: u64,
        /// To mint and network.
        fees_sats: u64,
    },
    /// A job was handed to the swarm (seed: SubQuery.Submit).
    #[serde(rename = "subquery_submit")]
    SubQuerySubmit {
        /// Which subtask.
        subtask: SubtaskId,
        /// Which attempt.
        attempt: AttemptId,
        /// To whom.
        provider: String,
        /// Whether it doubles a straggler.
        hedge: bool,
    },
    /// The venue took the job; `job` is its event id.
    #[serde(rename = "subquery_sent")]
    SubQuerySent {
        /// Which subtask.
        subtask: SubtaskId,
        /// Which attempt.
        attempt: AttemptId,
        /// Event id.
        job: String,
    },
    /// The provider said how the job stands.
    #[serde(rename = "subquery_feedback")]
    SubQueryFeedback {
        /// Which subtask.
        subtask: SubtaskId,
        /// Which attempt.
        attempt: AttemptId,
        /// `processing`, `error`, …
        status: String,
        /// In words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// An attempt ended with a result or a failure (seed: SubQuery.Return).
    #[serde(rename = "subquery_return")]
    SubQueryReturn {
        /// Which subtask.
        subtask: SubtaskId,
        /// Which attempt.
        attempt: AttemptId,
        /// Whether the result passed the checks that need no comparison.
        ok: bool,
        /// Why not, or a short form of the answer.
        summary: String,
        /// Tokens the provider says it read and wrote; 0 where it says nothing that can be.
        tokens: u64,
        /// Those of them that it wrote; absent in runs of earlier versions.
        #[serde(default)]
        completion_tokens: u64,
        /// From submission to now.
        duration_ms: u64,
    },
    /// Nobody answered in time.
    #[serde(rename = "subquery_timeout")]
    SubQueryTimeout {
        /// Which subtask.
        subtask: SubtaskId,
        /// Which attempt.
        attempt: AttemptId,
    },
    /// A job whose answer is not needed any more was cancelled.
    #[serde(rename = "subquery_cancel")]
    SubQueryCancel {
        /// Which subtask.
        subtask: SubtaskId,
        /// Which attempt.
        attempt: AttemptId,
    },
    /// The replicas of a subtask were compared (seed: Verify).
    Verify {
        /// Which subtask.
        subtask: SubtaskId,
        /// Whether an answer was accepted.
        passed: bool,
        /// Agreeing answers as a share of all, 0..=1.
        agreement: f64,
        /// Who agreed.
        agreeing: Vec<String>,
        /// Who did not.
        dissenting: Vec<String>,
    },
    /// The policy's validator gave its word about an answer; its signature and what that covers were
    /// checked.
    Attested {
        /// Which subtask.
        subtask: SubtaskId,
        /// Whose attempt.
        attempt: AttemptId,
        /// The validator's key.
        validator: String,
        /// The result event that it is about.
        result: String,
        /// Answers that it confirms.
        confirmed: u32,
        /// Answers that it was shown.
        shown: u32,
    },
    /// Nobody said whether an answer is right that the policy's validator, or this machine, was to judge: it is not used,
    /// and nothing is held against its provider.
    NoVerdict {
        /// Which subtask.
        subtask: SubtaskId,
        /// Whose attempt.
        attempt: AttemptId,
        /// The validator's key; empty where this machine was to judge.
        validator: String,
        /// Who answered.
        provider: String,
        /// Whether its provider is paid all the same.
        paid: bool,
        /// Why there is none.
        why: String,
    },
    /// An answer was judged by the methods that the run's verification level asks for (tier 2).
    Validated {
        /// Which subtask.
        subtask: SubtaskId,
        /// Whose attempt.
        attempt: AttemptId,
        /// The most reliable method that could tell.
        method: frlm_verifier::validation::Method,
        /// How right it is by that, 0..=1; absent where nothing could tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        correctness: Option<f64>,
        /// Whether it passed; absent where nothing could tell and that is enough.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        passed: Option<bool>,
        /// Every method that was tried, in the order of trying.
        methods: Vec<frlm_verifier::validation::Method>,
        /// What a model of the user's did not read of it, where it judged a part.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unread: Option<frlm_verifier::consensus::Unread>,
    },
    /// A model of the user's compared an answer in words with those that were there before it (tier 2). Only traces of earlier
    /// versions have it.
    ComparedInWords {
        /// Which subtask.
        subtask: SubtaskId,
        /// Which attempt.
        attempt: AttemptId,
        /// How many different answers it was held against.
        others: u32,
        /// Whether it means the same as one of them.
        same: bool,
    },
    /// A model of the user's was asked who is right where nobody agreed on an answer in words (tier 2, fourth step).
    /// Only traces of earlier versions have it.
    Arbitrated {
        /// Which subtask.
        subtask: SubtaskId,
        /// How many answers it was shown.
        contenders: u32,
        /// Whether a model of the user's looked at the text for the answer that it chose, because nobody with a record
        /// gave that.
        #[serde(default)]
        audited: bool,
        /// Whose answer it holds to be right; nobody's if it settled nothing.
        chosen: Vec<String>,
        /// How sure it is, 0..=1, where it settled something.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
        /// Why, in its words, or why it settled nothing.
        reasoning: String,
    },
    /// The weights that a provider claims have read an answer of it (tier 3).
    Audited {
        /// Which subtask.
        subtask: SubtaskId,
        /// Which attempt.
        attempt: AttemptId,
        /// Whose answer.
        provider: String,
        /// What follows from this and its other audits.
        finding: AuditFinding,
        /// How far apart what it committed to and what was read are, in nats, where that can be told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        apart_nats: Option<f64>,
    },
    /// How far the leading answer of a subtask is believed, and what follows from that.
    Posterior {
        /// Which subtask.
        subtask: SubtaskId,
        /// What follows.
        step: PosteriorStep,
        /// The probability that an honest run of the claimed model stands behind it, 0..=1.
        fidelity: f64,
        /// The probability that it is right, 0..=1; no better than the model itself.
        correctness: f64,
    },
    /// The accepted answer, for resuming.
    Verified {
        /// Which subtask.
        subtask: SubtaskId,
        /// Stable over resumes.
        key: String,
        /// The checked answer.
        outcome: frlm_questions::plan::Outcome,
        /// Share of agreeing answers.
        agreement: f64,
        /// Mean of what the agreeing providers said of themselves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
        /// Replicas that answered.
        replicas: u32,
        /// Whether the user's own model answered.
        local: bool,
    },
    /// A subtask ended without an accepted answer.
    GaveUp {
        /// Which subtask.
        subtask: SubtaskId,
        /// Why.
        why: FailureReason,
    },
    /// The user's own model steps in.
    FallbackLocal {
        /// Why.
        reason: String,
        /// For how many subtasks.
        subtasks: usize,
    },
    /// Something arrived that does not count.
    Stray {
        /// What, and why not.
        what: String,
    },
    /// The whole answer was held against everything it was made from (tier 4).
    FinalCheck {
        /// Whether nothing was wrong.
        passed: bool,
        /// Verified answers that had something to say.
        parts: usize,
        /// Figures, quotations and citations that were looked up.
        claims: usize,
        /// What was wrong, in words of this program.
        findings: Vec<String>,
    },
    /// What was decided after a stage. Programs before decision 0120 recorded notices as decisions without a basis.
    Decision {
        /// After which.
        stage: RunStage,
        /// What follows.
        decision: Verb,
        /// Why.
        reasoning: String,
        /// What it rests on, where figures were weighed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        basis: Option<Box<DecisionBasis>>,
    },
    /// What people should know of a run; nothing follows from it.
    Notice {
        /// In which stage.
        stage: RunStage,
        /// A sentence.
        says: String,
    },
    /// What served the question was evaluated, and the way in which it was taken apart was rewarded
    /// (seeds/super-llm-block.md, functions 4 and 2).
    Evaluated {
        /// The evaluation, and the reward.
        appraisal: Box<frlm_learning::planning::account::Appraisal>,
        /// What the reward is made of.
        outcome: frlm_learning::planning::reward::Outcome,
        /// What became of the hints.
        hints: frlm_learning::planning::hints::HintRecord,
        /// Whether it was added to what earlier runs have taught.
        kept: bool,
    },
    /// What is said of all who answered one kind of task, taken together (seeds/verifier-block.md, "Cluster-level
    /// Feedback").
    Clustered {
        /// The kind of task: `extract`, `read`, …
        kind: String,
        /// Replica sets that it is about.
        sets: u32,
        /// In a word, in figures, and what would help.
        feedback: Box<frlm_verifier::fitness::ClusterFeedback>,
    },
    /// The run ended with an answer.
    RunDone {
        /// The object of the command contract.
        answer: Box<frlm_questions::answer::Answer>,
    },
    /// The run ended without one.
    RunFailed {
        /// In words, with the fix.
        error: String,
        /// The exit code that goes with it.
        exit_code: u8,
    },
}
