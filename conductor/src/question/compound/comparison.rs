//! «Compare the number of failed orders with the number of refunded orders»: two questions of one kind, each answered by
//! one figure, that are held against each other.

use super::Part;
use super::scope::Documents;
use super::split::trimmed;
use crate::question::Reduction;

/// How a comparison begins.
const HEAD: &str = "compare ";
/// What stands between its sides.
const JOINTS: [&str; 7] = [" with ", " to ", " and ", " against ", " versus ", " vs ", " vs. "];
/// Bytes of a comparison. Each joint in it may be the one between the sides.
const LONGEST: usize = 400;

/// The two sides; `None` where it is no comparison, or there is not exactly one way to read both.
pub fn read(question: &str, documents: &Documents) -> Option<Vec<Part>> {
    let sides = sides(question)?;
    // Lower case of ASCII alone has every byte where it was.
    let lower = sides.to_ascii_lowercase();
    let joints = JOINTS.iter().flat_map(|joint| lower.match_indices(joint));
    let mut ways = joints.filter_map(|(at, joint)| {
        let one = documents.read(trimmed(&sides[..at]), &[])?;
        let other = documents.read(trimmed(&sides[at + joint.len()..]), &[])?;
        are_comparable(&one, &other).then(|| vec![one, other])
    });
    let way = ways.next()?;
    ways.next().is_none().then_some(way)
}

/// Whether a question is put as one.
pub fn is_one(question: &str) -> bool {
    sides(question).is_some()
}

fn sides(question: &str) -> Option<&str> {
    let question = question.trim();
    let begins = question.get(..HEAD.len())?.eq_ignore_ascii_case(HEAD);
    (begins && question.len() <= LONGEST).then(|| trimmed(&question[HEAD.len()..]))
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
