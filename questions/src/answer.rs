//! The object of the command contract (design.md, section 3). Others script against it.

pub use frlm_documents::Location;
use frlm_inference::Usage;
use frlm_verifier::claims::completeness::ReadTwice;
use frlm_verifier::decisions::{RetryReason, Verb};
use serde::{Deserialize, Serialize};

use crate::ingest::DocumentsReport;
use crate::reduce::sentence::counted;
use crate::stage::RunStage;

/// Words of the decision which says that an answer of high stakes rests on strangers alone (tier 3). By them it is
/// found again: [`Answer::caution`].
pub const BEFORE_YOU_ACT: &str = "before you act on it";

/// Words of the decision which says why an answer is no surer. By them it is found again: [`Answer::no_surer`].
const NO_SURER: &str = "no surer than its weakest part";

/// Everything about a finished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Names the run in `frlm runs`.
    pub run_id: String,
    /// The answer in words, its first words holding the result.
    pub answer: String,
    /// How it was found.
    pub method: Method,
    /// How code read the question, where code answered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// 0..=1; see [`confidence`].
    pub confidence: f64,
    /// Verified subtasks as a share of all that the answer rests on, times the share of the documents that could be read,
    /// 0..=1; 1 only where nothing is missing.
    pub coverage: f64,
    /// What was read for it, and what could not be; empty in runs of earlier versions.
    #[serde(default)]
    pub documents: DocumentsReport,
    /// How much one reading finds of what there is; absent where no part was read by two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completeness: Option<Completeness>,
    /// What the answer rests on.
    pub citations: Vec<Citation>,
    /// What it cost.
    pub budget: BudgetReport,
    /// How the work went.
    pub subtasks: SubtaskReport,
    /// How the answers were accepted.
    pub verification: VerificationReport,
    /// What was decided on the way, and why.
    pub decisions: Vec<Decision>,
    /// What models read and wrote for it.
    #[serde(default)]
    pub usage: UsageReport,
    /// From the first start to the answer, pauses included.
    pub duration_ms: u64,
}

impl Answer {
    /// What to know before the answer is acted on, where much is at stake and only strangers had a hand in it.
    pub fn caution(&self) -> Option<&str> {
        let reasons = self.decisions.iter().map(|decision| decision.reasoning.as_str());
        reasons.rev().find(|reason| reason.contains(BEFORE_YOU_ACT))
    }

    /// Why the answer is no surer, where parts of it rest on providers that say nothing of their confidence.
    pub fn no_surer(&self) -> Option<&str> {
        let reasons = self.decisions.iter().map(|decision| decision.reasoning.as_str());
        reasons.rev().find(|reason| reason.contains(NO_SURER))
    }

    /// What to know before the answer is believed, where what was verified is rather wrong than right by its own account.
    /// That parts are missing is said elsewhere.
    pub fn doubt(&self) -> Option<String> {
        if let Some(doubt) = self.verification.claims.and_then(ClaimsReport::doubt) {
            return Some(doubt);
        }
        let of_what_is_there = if self.coverage > 0.0 { self.confidence / self.coverage } else { 1.0 };
        (of_what_is_there < UNSURE).then_some(
            "This answer is uncertain: the question may have been misunderstood, or a model was unsure of what \
             it read. Check the lines that it rests on, or rephrase the question."
                .to_owned(),
        )
    }
}

/// How much one reading finds, by the parts that two have read (docs/claims.md, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Completeness {
    /// How many parts that were.
    pub parts: u32,
    /// Verified facts that either found in them.
    pub facts: u32,
    /// Those that both found.
    pub shared: u32,
    /// The share of all facts that one reading finds, 0..=1, by Chapman's estimate. Equal models find the same ones, which
    /// overstates it.
    pub found_by_one: f64,
}

/// Of fewer facts nobody can say what share one reading finds.
const ENOUGH_FACTS: u32 = 12;

impl Completeness {
    /// How much one reading finds, by the parts that two have read; `None` where nobody found a fact in such parts.
    pub fn of(twice: &ReadTwice) -> Option<Self> {
        let found_by_one = (twice.found_by_one()? * 1e4).round() / 1e4;
        Some(Self { parts: twice.parts, facts: twice.facts(), shared: twice.shared, found_by_one })
    }

    /// For people: `One reading finds some 88 % of what there is: 2 parts were read twice, and both readers found 14 of 18 facts`;
    /// of a few facts only what was found.
    pub fn in_words(self) -> String {
        let parts =
            if self.parts == 1 { "1 part was".to_owned() } else { format!("{} parts were", self.parts) };
        let found =
            format!("{parts} read twice, and both readers found {} of {} facts", self.shared, self.facts);
        if self.facts < ENOUGH_FACTS {
            return format!("{found}: too few to say what one reading misses");
        }
        format!("One reading finds some {:.0} % of what there is: {found}", self.found_by_one * 100.0)
    }
}

/// What a step counts whose provider says nothing of its confidence.
const UNSTATED: f64 = 0.5;

/// Below it a reader is told. Who says nothing, and is contradicted now and then, stays above it.
const UNSURE: f64 = UNSTATED / 2.0;

/// How an answer was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// One prompt.
    Direct,
    /// Fragments were asked, code or a model reduced.
    MapReduce,
    /// A user's program.
    Program,
    /// Code computed it from a table of the documents; nobody was asked.
    Code,
}

/// A question as code read it: for the user to check, and to ask otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// In words: `average of Salary where Department = Engineering: 27 rows, 2 without a number left out`.
    pub words: String,
    /// The same as SQL over the table.
    pub sql: String,
    /// The file whose table it is.
    pub file: String,
    /// Rows that fit.
    pub rows: u64,
    /// Rows that fit and have no usable value where one is needed.
    pub left_out: u64,
    /// What to know about how the file was read.
    pub notes: Vec<String>,
}

/// A place in a document that supports the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// The fragment that holds it.
    pub fragment: String,
    /// The file's name as it was given.
    pub file: String,
    /// First and last line, counted from 1: of the file, or of its text where it is no text file (`frlm docs` prints that).
    pub lines: [u32; 2],
    /// Page, heading, cell, slide, chapter, message or time, where the file has them.
    #[serde(flatten)]
    pub location: Location,
    /// Text that stands in those lines.
    pub quote: String,
    /// What it supports: a part of the question (`2. …` in the text) or a note that the text names (`[2]`), counted
    /// from 1; absent where the whole text rests on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<u32>,
}

impl Citation {
    /// Where it stands, as a person would say it, without the file: `p. 12, § 4 Rent`, or `line 7`.
    pub fn place(&self) -> String {
        let [first, last] = self.lines;
        let location = self.location.to_string();
        match (location.is_empty(), first == last) {
            (false, _) => location,
            (true, true) => format!("line {first}"),
            (true, false) => format!("lines {first}–{last}"),
        }
    }
}

/// `limit = spent + reserved + pending_refund + available`, always; `spent` includes the fees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetReport {
    /// The cap.
    pub limit_sats: u64,
    /// Paid for verified work, fees included.
    pub spent_sats: u64,
    /// The part of `spent` that was fees.
    pub fees_sats: u64,
    /// Set aside for work that is not decided yet.
    pub reserved_sats: u64,
    /// Comes back later.
    pub pending_refund_sats: u64,
    /// Free.
    pub available_sats: u64,
    /// When the refund comes, as Unix seconds.
    pub refund_at: Option<u64>,
}

/// How the work went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubtaskReport {
    /// All that were planned.
    pub total: usize,
    /// With an accepted answer.
    pub verified: usize,
    /// Given up.
    pub failed: usize,
    /// Given up because time ran out; not counted in `failed`.
    pub timed_out: usize,
    /// Known from an earlier start of the run, or verified in an earlier run.
    pub cached: usize,
    /// Answered by the user's own model.
    pub local: usize,
    /// Answered by the swarm.
    pub swarm: usize,
}

/// How the answers were accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerificationReport {
    /// The policy's name.
    pub policy: String,
    /// Answers that were compared or checked.
    pub replicas: usize,
    /// Mean share of agreeing answers over the verified subtasks, 0..=1.
    pub agreement: f64,
    /// Answers that were checked again.
    pub spot_checks: usize,
    /// Accepted answers that others were asked for, too, because the one provider they rested on was
    /// contradicted since.
    #[serde(default, rename = "second_looks")]
    pub rechecks: usize,
    /// Answers that the user's own model chose among those given, in runs of earlier versions; 0 since.
    #[serde(default)]
    pub arbitrated: usize,
    /// Subtasks whose answer code knew, and that served as gold tasks. They cost nothing beyond themselves.
    #[serde(default)]
    pub gold_tasks: usize,
    /// Answers to gold tasks that were wrong.
    pub gold_failed: usize,
    /// What became of claims in words; absent where nothing was answered in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<ClaimsReport>,
    /// What the last look at the whole answer found (tier 4); absent in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_check: Option<FinalReport>,
}

/// What became of the claims that readers made, one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClaimsReport {
    /// All that were made.
    pub stated: usize,
    /// Borne out by reviews of others.
    pub accepted: usize,
    /// Made by the user's own model, which is trusted.
    pub own: usize,
    /// Used though nobody was there to review them.
    pub not_reviewed: usize,
    /// Left out: their reviews contradict each other, or are too few.
    pub left_out: usize,
    /// Left out: reviews reject them.
    pub rejected: usize,
    /// Left out: code found a number, date, name or quote that is not in the lines.
    pub fell_to_code: usize,
    /// Verdicts that reviewers gave, without those on gold.
    pub reviews: usize,
    /// Verdicts on gold: claims whose right verdict was known.
    pub gold: usize,
    /// Those of them that were wrong.
    pub gold_wrong: usize,
    /// Reviews that counted for nothing and were not paid, as their verdict on gold was wrong.
    pub reviews_failed: usize,
    /// Reviewers that were not asked any more, as their verdicts did not depend on the claims.
    pub reviewers_excluded: usize,
    /// Sentences of written answers that were reviewed against the claims they name.
    pub sentences: usize,
    /// Those of them that the answer goes without.
    pub sentences_dropped: usize,
    /// What earlier runs verified.
    #[serde(flatten)]
    pub earlier: EarlierClaims,
}

/// Claims that earlier runs verified: the same was asked of the same lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EarlierClaims {
    /// How many; they are not among those that were stated.
    pub reused: usize,
    /// Parts that were not read again for that.
    pub reused_parts: usize,
    /// What these readings and their reviews had cost.
    pub saved_sats: u64,
}

impl ClaimsReport {
    /// Claims that the answer rests on.
    pub fn used(self) -> usize {
        self.accepted + self.own + self.not_reviewed + self.earlier.reused
    }

    /// All that the run knows of, used or not.
    pub fn all(self) -> usize {
        self.stated + self.earlier.reused
    }

    /// Whether anything was answered in words.
    pub fn says_anything(self) -> bool {
        self.stated + self.earlier.reused_parts > 0
    }

    /// For people, what earlier runs saved: `3 of its parts were not read again: 12 claims were verified in earlier runs,
    /// which saved 34 sats`; `None` where that is nothing.
    pub fn reuse_in_words(self) -> Option<String> {
        let (parts, claims) =
            (counted(self.earlier.reused_parts, "part"), counted(self.earlier.reused, "claim"));
        let were = if self.earlier.reused_parts == 1 { "was" } else { "were" };
        (self.earlier.reused_parts > 0).then(|| {
            format!(
                "{parts} {were} not read again: {claims} from earlier runs, which saved {} sats",
                self.earlier.saved_sats
            )
        })
    }

    /// For people: `24 claims: 20 supported by reviews of others, 3 rejected by code, 1 undecided and left out`.
    pub fn in_words(self) -> String {
        let of = [
            (self.accepted, "supported by reviews"),
            (self.earlier.reused, "verified in earlier runs"),
            (self.own, "of your own model"),
            (self.not_reviewed, "not reviewed"),
            (self.rejected, "rejected by reviews"),
            (self.fell_to_code, "rejected by code"),
            (self.left_out, "undecided and not used"),
        ];
        let parts: Vec<String> = of
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let claims = counted(self.all(), "claim");
        if parts.is_empty() { claims } else { format!("{claims}: {}", parts.join(", ")) }
    }

    /// The warning to show with the answer, where nobody was there to review what it rests on.
    fn doubt(self) -> Option<String> {
        let used = self.used();
        (self.not_reviewed > 0).then(|| {
            format!(
                "{} of the {used} claims that it rests on were not reviewed: no other provider with a general \
                 model was online. With a second one, each claim is reviewed by a provider that did not make \
                 it; or check the lines yourself.",
                self.not_reviewed
            )
        })
    }
}

/// The whole answer, held against everything it was made from (tier 4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalReport {
    /// Whether every verified part is used, nothing contradicts, everything claimed stands, and nothing
    /// is missing.
    pub passed: bool,
    /// Figures, quotations and citations that were looked up.
    pub claims: usize,
    /// What is wrong or missing; the answer says it too.
    pub findings: Vec<String>,
}

/// Tokens that models read and wrote for a run's answers, as providers and own engines report them: each replica,
/// second look and validation by itself. What nobody reports is in no sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageReport {
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Answers that came with a report.
    pub reported: usize,
    /// Answers that came without one, as those of foreign providers do, or with one that cannot be.
    pub unreported: usize,
}

impl UsageReport {
    /// Takes in one answer's report, or that there was none.
    pub fn add(&mut self, usage: Option<Usage>) {
        let Some(Usage { prompt_tokens, completion_tokens }) = usage else {
            self.unreported += 1;
            return;
        };
        self.reported += 1;
        self.prompt_tokens = self.prompt_tokens.saturating_add(prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(completion_tokens);
    }
}

/// A decision, or a notice, which lets the run proceed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// After which stage, or in which.
    pub stage: RunStage,
    /// What follows.
    pub decision: Verb,
    /// Why; or what the notice says.
    pub reasoning: String,
    /// What a retry changed: `tighten`, `widen`, `rerun` or `investigate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_reason: Option<RetryReason>,
}

impl Decision {
    /// What people should know, without anything that is decided.
    pub const fn notice(stage: RunStage, says: String) -> Self {
        Self { stage, decision: Verb::Proceed, reasoning: says, retry_reason: None }
    }
}

/// Confidence in an answer: coverage × the weakest step's reported confidence × mean agreement.
///
/// The weakest step, because one wrong fragment makes a count wrong. What providers say of
/// themselves is used only as far as others agreed with them, and a provider that says nothing
/// counts as `UNSTATED`.
pub fn confidence(coverage: f64, agreement: f64, reported: impl IntoIterator<Item = Option<f64>>) -> f64 {
    let weakest = reported
        .into_iter()
        .map(|reported| reported.unwrap_or(UNSTATED))
        .fold(1.0_f64, |weakest, reported| weakest.min(reported.clamp(0.0, 1.0)));
    (coverage * agreement * weakest).clamp(0.0, 1.0)
}

/// Why an answer with such parts is no surer, where what decides is that providers state no confidence.
pub fn why_no_surer(reported: &[Option<f64>]) -> Option<String> {
    let silent = reported.iter().filter(|stated| stated.is_none()).count();
    let decides = silent > 0 && reported.iter().flatten().all(|stated| *stated > UNSTATED);
    let of = reported.len();
    decides.then(|| {
        format!(
            "{silent} of {of} parts rest on providers that state no confidence, which counts {UNSTATED}; an answer is {NO_SURER}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_an_answer_is_no_surer_is_said_where_silence_decides() {
        let said = why_no_surer(&[Some(0.95), None, None]).unwrap();
        assert!(
            said.starts_with("2 of 3 parts rest on providers that state no confidence, which counts 0.5")
        );
        for stated in [&[Some(0.95), Some(0.9)][..], &[Some(0.4), None], &[]] {
            assert_eq!(why_no_surer(stated), None, "{stated:?}");
        }
    }

    #[test]
    fn a_few_facts_say_nothing_of_what_one_reading_finds() {
        let few = Completeness { parts: 1, facts: 1, shared: 0, found_by_one: 0.5 };
        let said = "1 part was read twice, and both readers found 0 of 1 facts: too few to say what one reading misses";
        assert_eq!(few.in_words(), said);
        let enough = Completeness { parts: 2, facts: 18, shared: 14, found_by_one: 0.876 };
        assert!(enough.in_words().starts_with("One reading finds some 88 % of what there is: 2 parts were"));
    }

    #[test]
    fn what_earlier_runs_verified_is_counted_and_what_it_saved_is_said() {
        let report = ClaimsReport {
            stated: 2,
            accepted: 2,
            earlier: EarlierClaims { reused: 5, reused_parts: 3, saved_sats: 12 },
            ..Default::default()
        };
        assert_eq!(report.in_words(), "7 claims: 2 supported by reviews, 5 verified in earlier runs");
        let said = report.reuse_in_words().unwrap();
        assert!(
            said.starts_with("3 parts were not read again: 5 claims from earlier runs, which saved 12 sats"),
            "{said}"
        );
        assert_eq!(ClaimsReport { stated: 2, ..Default::default() }.reuse_in_words(), None);
    }

    #[test]
    fn confidence_is_no_better_than_its_weakest_step() {
        assert!((confidence(1.0, 1.0, [Some(0.9), Some(0.4)]) - 0.4).abs() < 1e-9);
        assert!((confidence(0.5, 1.0, [Some(0.8)]) - 0.4).abs() < 1e-9);
        assert!((confidence(1.0, 1.0, [None]) - 0.5).abs() < 1e-9);
        assert!(confidence(1.0, 1.0, [Some(f64::NAN)]).is_finite());
    }

    #[test]
    fn reports_add_up_and_answers_without_one_are_counted_apart() {
        let mut report = UsageReport::default();
        for (prompt_tokens, completion_tokens) in [(40, 6), (2, 1)] {
            report.add(Some(Usage { prompt_tokens, completion_tokens }));
        }
        report.add(None);
        let expected = UsageReport { prompt_tokens: 42, completion_tokens: 7, reported: 2, unreported: 1 };
        assert_eq!(report, expected);
    }
}
