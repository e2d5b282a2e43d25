//! Two questions of one kind, each answered by one figure, that are held against each other: "compare the number of failed
//! orders with the number of refunded orders", "are there more failed than refunded orders?", "how many more failed than
//! refunded orders are there?" (docs/decisions/0048-comparisons-by-code.md, 0049-more-or-fewer.md).

use super::Part;
use super::scope::Documents;
use super::split::trimmed;
use crate::query::Reduction;

/// What is asked of two figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contrast {
    /// Which is the larger.
    Which,
    /// Whether the first is.
    More,
    /// Whether the second is.
    Fewer,
    /// Which is the smaller.
    Smaller,
    /// How far they are apart.
    Difference,
    /// What they are together.
    Sum,
}

/// How a comparison begins.
const HEADS: [(&str, Contrast); 11] = [
    ("compare ", Contrast::Which),
    ("are there more ", Contrast::More),
    ("were there more ", Contrast::More),
    ("do we have more ", Contrast::More),
    ("did we have more ", Contrast::More),
    ("are there fewer ", Contrast::Fewer),
    ("were there fewer ", Contrast::Fewer),
    ("do we have fewer ", Contrast::Fewer),
    ("did we have fewer ", Contrast::Fewer),
    ("how many more ", Contrast::Difference),
    ("how many fewer ", Contrast::Difference),
];
/// How one ends that begins with "how many".
const ENDS: [&str; 4] = [" are there", " were there", " do we have", " did we have"];
/// What stands between the sides of one that begins with "compare".
const JOINTS: [&str; 7] = [" with ", " to ", " and ", " against ", " versus ", " vs ", " vs. "];
/// The same where more or fewer are asked for.
const THAN: &str = " than ";
/// Stands for what is counted where that was said.
const ONES: &str = " ones";
/// What a side begins with that leaves out what is counted: "more orders of mara than of tom".
const LINKS: [&str; 8] = ["with", "of", "in", "by", "for", "from", "at", "on"];
/// Bytes of a comparison. Each joint in it may be the one between the sides.
const LONGEST: usize = 400;
/// Words of a side: each end of one and each beginning of the other is tried.
const MOST_WORDS: usize = 12;

/// What is asked, and the two sides; `None` where it is no comparison, or there is not exactly one way to read both.
pub fn read(question: &str, documents: &Documents) -> Option<(Contrast, Vec<Part>)> {
    let (contrast, sides) = sides(question)?;
    let (one, other) = match contrast {
        Contrast::More | Contrast::Fewer => counted(sides, documents)?,
        Contrast::Difference => {
            let sides = ENDS.iter().find_map(|end| sides.strip_suffix(end)).unwrap_or(sides);
            counted(sides, documents)?
        }
        Contrast::Which | Contrast::Smaller | Contrast::Sum => joined(sides, documents)?,
    };
    Some((contrast, vec![one, other]))
}

/// Whether a question is put as one.
pub fn is_one(question: &str) -> bool {
    sides(question).is_some()
}

fn sides(question: &str) -> Option<(Contrast, &str)> {
    let question = question.trim();
    let begins =
        |head: &str| question.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head));
    let (head, contrast) = HEADS.iter().find(|(head, _)| begins(head))?;
    (question.len() <= LONGEST).then(|| (*contrast, trimmed(&question[head.len()..])))
}

/// "the number of failed orders with the number of refunded orders"
fn joined(sides: &str, documents: &Documents) -> Option<(Part, Part)> {
    // Lower case of ASCII alone has every byte where it was.
    let lower = sides.to_ascii_lowercase();
    let joints = JOINTS.iter().flat_map(|joint| lower.match_indices(joint));
    let mut ways = joints.filter_map(|(at, joint)| {
        let one = documents.read(trimmed(&sides[..at]), &[])?;
        let other = documents.read(trimmed(&sides[at + joint.len()..]), &[])?;
        are_comparable(&one, &other).then_some((one, other))
    });
    let way = ways.next()?;
    ways.next().is_none().then_some(way)
}

/// "failed orders than refunded orders", "failed than refunded orders", "failed orders than refunded ones", "orders of mara
/// than of tom": what one side leaves out the other one says. Where it might go for both and need not, nothing is read.
fn counted(sides: &str, documents: &Documents) -> Option<(Part, Part)> {
    let lower = sides.to_ascii_lowercase();
    let mut joints = lower.match_indices(THAN);
    let at = joints.next()?.0;
    if joints.next().is_some() {
        return None;
    }
    let (one, other) = (trimmed(&sides[..at]), trimmed(&sides[at + THAN.len()..]));
    if [one, other].iter().any(|side| side.split(' ').count() > MOST_WORDS) {
        return None;
    }
    let first = only(std::iter::once(one.to_owned()).chain(with_ends(one, other)), documents)?;
    let second = match other.strip_suffix(ONES) {
        Some(which) => only(with_ends(which, one), documents)?,
        None if LINKS.contains(&other.split(' ').next().unwrap_or_default()) => {
            only(starts(one).map(|start| format!("{start} {other}")), documents)?
        }
        None => only(std::iter::once(other.to_owned()), documents)?,
    };
    are_comparable(&first, &second).then_some((first, second))
}

/// The one thing that is counted in one of these words; `None` where several would be.
fn only(texts: impl Iterator<Item = String>, documents: &Documents) -> Option<Part> {
    let mut found: Option<Part> = None;
    for part in texts.filter_map(|text| documents.read(&format!("how many {text}"), &[])) {
        match &found {
            Some(known) if known.query != part.query || known.documents != part.documents => return None,
            Some(_) => {}
            None => found = Some(part),
        }
    }
    found
}

/// A side, each time with more of the other one's end behind it, but never with all of it.
fn with_ends(side: &str, other: &str) -> impl Iterator<Item = String> {
    let ends = other.match_indices(' ').map(move |(at, _)| other[at..].trim_start());
    ends.map(move |end| format!("{side} {end}"))
}

/// How a side begins, each time with a word more, to all of it.
fn starts(side: &str) -> impl Iterator<Item = &str> {
    let ends = side.match_indices(' ').map(|(at, _)| at).chain([side.len()]);
    ends.map(move |end| &side[..end])
}

/// Figures of one kind: both count, or both are made of the same field in the same way.
fn are_comparable(one: &Part, other: &Part) -> bool {
    let is_figure = matches!(
        one.query.reduction,
        Reduction::Count | Reduction::Sum | Reduction::Average | Reduction::Min | Reduction::Max
    );
    let plain = |part: &Part| part.query.report.is_none() && part.check.is_none();
    is_figure
        && one.query.reduction == other.query.reduction
        && one.query.measure == other.query.measure
        && one.query != other.query
        && plain(one)
        && plain(other)
}
