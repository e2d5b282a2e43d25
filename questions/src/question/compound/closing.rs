//! What a question asks at its end of two figures that it asked for before: "…, and which of the two is larger?", "…, and what
//! is the difference?", "…, and is that more than the number of refunded orders?"
//! (docs/decisions/0068-what-two-answers-come-to.md).
//!
//! Nobody is asked it: code tells it from both answers, once they are verified. Which two are meant must be clear: of the
//! parts before exactly two ask for a figure; "that" is what the part right before asks for. Both must be of one kind.

use frlm_util::text::collapse_whitespace;

use super::comparison::Contrast;
use super::scope::Documents;
use super::split::trimmed;
use super::{Part, heading};
use crate::query::Reduction;

/// What is asked of two parts' figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing {
    /// What.
    pub asks: Contrast,
    /// The positions of both parts.
    pub of: [usize; 2],
    /// As asked; `None` where the whole question is a comparison of its two parts.
    pub text: Option<String>,
}

impl Closing {
    /// Whether it brings no part of its own along, as "is that more than …" does.
    pub(super) fn asks_for_no_part(&self) -> bool {
        self.text.is_some() && !matches!(self.asks, Contrast::More | Contrast::Fewer)
    }

    /// As a sentence that an answer can follow.
    pub fn heading(&self) -> Option<String> {
        self.text.as_deref().map(heading)
    }
}

/// What a figure is: two of one kind can be held against each other.
#[derive(Debug, PartialEq, Eq)]
enum Kind<'part> {
    Count,
    /// Made of this field's values.
    Of(&'part str),
}

/// Which two are meant, in front of "is larger".
const WHICH: [&str; 8] = [
    "of the two figures ",
    "of the two numbers ",
    "of the two ",
    "of them ",
    "of both ",
    "of these ",
    "one ",
    "",
];
const LARGER: [&str; 5] = ["larger", "bigger", "greater", "higher", "more"];
const SMALLER: [&str; 5] = ["smaller", "lower", "less", "fewer", "lesser"];
/// Which two are meant, behind "what is the difference" and "what is the sum".
const BEHIND: [&str; 9] = [
    "",
    " of the two",
    " of them",
    " of both",
    " between the two",
    " between them",
    " between both",
    " of the two figures",
    " between the two figures",
];
const DIFFERENCES: [&str; 8] = [
    "what is the difference",
    "what was the difference",
    "how large is the difference",
    "how big is the difference",
    "what is their difference",
    "how much do they differ",
    "how much do the two differ",
    "how far apart are they",
];
const SUMS: [&str; 6] = [
    "what is the sum",
    "what was the sum",
    "what is their sum",
    "what do they add up to",
    "what do the two add up to",
    "what do both add up to",
];
/// How far apart two are goes without saying where it is said which is larger.
const BY_HOW_MUCH: [&str; 3] = [", and by how much", " and by how much", " by how much"];
/// What speaks of the figure right before.
const THAT: [&str; 5] = ["is that ", "was that ", "is this ", "was this ", "is it "];
const THAN: [(&str, Contrast); 12] = [
    ("more than ", Contrast::More),
    ("larger than ", Contrast::More),
    ("bigger than ", Contrast::More),
    ("greater than ", Contrast::More),
    ("higher than ", Contrast::More),
    ("above ", Contrast::More),
    ("fewer than ", Contrast::Fewer),
    ("less than ", Contrast::Fewer),
    ("smaller than ", Contrast::Fewer),
    ("lower than ", Contrast::Fewer),
    ("lesser than ", Contrast::Fewer),
    ("below ", Contrast::Fewer),
];

/// Reads what is no part of its own. What "that" is held against becomes one.
pub fn read(text: &str, parts: &mut Vec<Part>, before: &[Closing], documents: &Documents) -> Option<Closing> {
    let lower = collapse_whitespace(text).to_lowercase();
    let lower = lower.replace("what's", "what is").replace("what’s", "what is");
    let kept = Some(text.to_owned());
    if let Some(asks) = of_two(&lower) {
        return Some(Closing { asks, of: the_two(parts, documents)?, text: kept });
    }
    // Behind another of its kind "that" may be what code told.
    let (asks, than) = than(text).filter(|_| before.is_empty())?;
    let latest = parts.len().checked_sub(1)?;
    let other = documents.read(trimmed(than), parts)?;
    are_alike(&parts[latest], &other, documents).then(|| {
        parts.push(other);
        Closing { asks, of: [latest, latest + 1], text: kept }
    })
}

fn of_two(lower: &str) -> Option<Contrast> {
    let said = |phrases: &[&str]| {
        phrases.iter().filter_map(|phrase| lower.strip_prefix(phrase)).any(|rest| BEHIND.contains(&rest))
    };
    if said(&DIFFERENCES) {
        return Some(Contrast::Difference);
    }
    if said(&SUMS) {
        return Some(Contrast::Sum);
    }
    let which = lower.strip_prefix("which ")?;
    let which = BY_HOW_MUCH.iter().find_map(|end| which.strip_suffix(end)).unwrap_or(which);
    WHICH.iter().filter_map(|two| which.strip_prefix(two)).find_map(|rest| {
        let rest = rest.strip_prefix("is ").or_else(|| rest.strip_prefix("was "))?;
        let rest = rest.strip_prefix("the ").unwrap_or(rest);
        let word = rest.strip_suffix(" one").unwrap_or(rest);
        let larger = LARGER.contains(&word).then_some(Contrast::Which);
        larger.or_else(|| SMALLER.contains(&word).then_some(Contrast::Smaller))
    })
}

/// "is that more than the number of refunded orders": what "that" is to be, and what it is held against.
fn than(text: &str) -> Option<(Contrast, &str)> {
    let rest = THAT.iter().find_map(|that| behind(text, that))?;
    THAN.iter().find_map(|(than, asks)| Some((*asks, behind(rest, than)?)))
}

fn behind<'text>(text: &'text str, start: &str) -> Option<&'text str> {
    let head = text.get(..start.len())?;
    head.eq_ignore_ascii_case(start).then(|| &text[start.len()..])
}

/// The only two parts that ask for a figure.
fn the_two(parts: &[Part], documents: &Documents) -> Option<[usize; 2]> {
    let figures: Vec<usize> = (0..parts.len()).filter(|at| kind(&parts[*at], documents).is_some()).collect();
    let [one, other] = *figures.as_slice() else { return None };
    are_alike(&parts[one], &parts[other], documents).then_some([one, other])
}

/// Figures of one kind that are not the same one.
fn are_alike(one: &Part, other: &Part, documents: &Documents) -> bool {
    let kinds = (kind(one, documents), kind(other, documents));
    let is_one_kind = matches!(kinds, (Some(one), Some(other)) if one == other);
    is_one_kind && (one.query != other.query || one.documents != other.documents || one.needs != other.needs)
}

/// What a part's figure is; `None` where it is answered with something else.
fn kind<'part>(part: &'part Part, documents: &Documents) -> Option<Kind<'part>> {
    let query = &part.query;
    if query.report.is_some() || part.check.is_some() {
        return None;
    }
    match query.reduction {
        Reduction::Count => Some(Kind::Count),
        Reduction::Sum
        | Reduction::Average
        | Reduction::Min
        | Reduction::Max
        | Reduction::Find
        | Reduction::First
        | Reduction::Last => {
            let field = query.measure.as_deref()?;
            documents.are_amounts(part, field).then_some(Kind::Of(field))
        }
        Reduction::List | Reduction::Exists | Reduction::Most => None,
    }
}
