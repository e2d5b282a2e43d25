//! What readers and reviewers are asked: the files of `prompts/`, filled in.
//!
//! Rules come first, then the document, then the question and the form of the answer, so that questions about one document
//! share what stands before. A reviewer sees the quoted lines with two more on both sides, never who read them, and gives
//! one verdict for each claim without reasoning: free reasoning makes small models worse (2604.01652).

use std::fmt::Write as _;

use serde_json::Value;

use super::claim::Claim;
use super::reviewer::Verdict;
use super::text::Text;
use crate::template::{Template, TemplateError, quoted};

/// Which wording it is; part of what a cached answer is found by.
pub const VERSION: u32 = 2;
/// Claims in one review at most: batches beyond four were measured for large models alone (docs/claims.md, section 1).
pub const MOST_REVIEWED: usize = 4;
/// Lines shown around those that are quoted.
pub const LINES_AROUND: u32 = 2;
/// Lines of a part's beginning that the end of the part before may belong to.
const BEGINNING_LINES: u32 = 12;
const LONGEST_NAME_CHARS: usize = 200;
const LONGEST_BEFORE_CHARS: usize = 600;
const LONGEST_QUESTION_CHARS: usize = 2_000;

/// Where a part is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    /// The document's name.
    pub document: &'a str,
    /// Which part it is, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
    /// The headings above it, outermost first.
    pub headings: &'a [&'a str],
    /// How the part before it ends: a list may begin there, or a sentence. Empty of the first one.
    pub before: &'a str,
}

/// The prompt for reading a part. `fence` is random: lines that equal it are left out.
pub fn reading(part: Part<'_>, text: &Text, question: &str, fence: &str) -> Result<String, TemplateError> {
    Template::parse(include_str!("../../prompts/reading.txt"))?.fill(&[
        ("document", &quoted(part.document, LONGEST_NAME_CHARS)),
        ("part", &part.number.to_string()),
        ("parts", &part.of.to_string()),
        ("headings", &headings(part)),
        ("before", &before(part)),
        ("fence", fence),
        ("lines", &numbered(text.lines(), fence)),
        ("question", &quoted(question, LONGEST_QUESTION_CHARS)),
    ])
}

/// A claim as a reviewer is shown it.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// The part that it was read from.
    pub text: &'a Text,
    /// Where that is from.
    pub part: Part<'a>,
    /// How many lines above and below those of the claim are shown: [`LINES_AROUND`] of a document.
    pub around: u32,
}

/// The prompt for reviewing claims, of any readers, of any parts.
pub fn review(claims: &[Shown<'_>], fence: &str) -> Result<String, TemplateError> {
    let template = Template::parse(include_str!("../../prompts/review_claim.txt"))?;
    let mut shown = String::new();
    for (at, Shown { claim, text, part, around }) in claims.iter().enumerate() {
        let mut lines: Vec<(u32, &str)> =
            claim.quotes.iter().flat_map(|quote| text.within(quote.lines.widened(*around))).collect();
        lines.sort_unstable();
        lines.dedup();
        let begins = text.lines().next().map_or(0, |(first, _)| first) + BEGINNING_LINES;
        let is_at_the_beginning = lines.first().is_some_and(|(first, _)| *first < begins);
        shown.push_str(&template.fill(&[
            ("document", &quoted(part.document, LONGEST_NAME_CHARS)),
            ("part", &part.number.to_string()),
            ("parts", &part.of.to_string()),
            ("headings", &headings(*part)),
            ("before", &if is_at_the_beginning { before(*part) } else { String::new() }),
            ("fence", fence),
            ("lines", &numbered(lines.into_iter(), fence)),
            ("number", &(at + 1).to_string()),
            ("claim", &quoted(&claim.text, super::answer::LONGEST_CLAIM_CHARS)),
        ])?);
    }
    Template::parse(include_str!("../../prompts/review.txt"))?
        .fill(&[("claims", &shown), ("count", &claims.len().to_string())])
}

/// The JSON schema of a review of so many claims.
pub fn review_schema(count: usize) -> Value {
    serde_json::json!({
        "type": "object",
        "properties": {
            "verdicts": {
                "type": "array",
                "items": {"enum": ["supported", "contradicted", "not_stated"]},
                "minItems": count,
                "maxItems": count,
            },
        },
        "required": ["verdicts"],
        "additionalProperties": false,
    })
}

/// The verdicts of a review on `count` claims; `None` if it is no review of so many.
pub fn verdicts(answer: &str, count: usize) -> Option<Vec<Verdict>> {
    let object = &answer[answer.find('{')?..=answer.rfind('}')?.max(answer.find('{')?)];
    let read: Value = serde_json::from_str(object).ok()?;
    let verdicts: Vec<Verdict> = serde_json::from_value(read.get("verdicts")?.clone()).ok()?;
    (verdicts.len() == count).then_some(verdicts)
}

fn headings(part: Part<'_>) -> String {
    if part.headings.is_empty() {
        "none".to_owned()
    } else {
        quoted(&part.headings.join(" > "), LONGEST_NAME_CHARS)
    }
}

fn before(part: Part<'_>) -> String {
    if part.before.is_empty() {
        return String::new();
    }
    format!("The part before ends: {}\n", quoted(part.before, LONGEST_BEFORE_CHARS))
}

fn numbered<'a>(lines: impl Iterator<Item = (u32, &'a str)>, fence: &str) -> String {
    let mut numbered = String::new();
    let mut last = None;
    for (number, line) in lines.filter(|(_, line)| line.trim() != fence) {
        if last.is_some_and(|last| number > last + 1) && !numbered.is_empty() {
            numbered.push_str("…\n");
        }
        // Writing to a string cannot fail.
        let _ = writeln!(numbered, "{number}| {}", line.trim_end());
        last = Some(number);
    }
    numbered.truncate(numbered.trim_end().len());
    numbered
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
