//! What a prompt asks for, by its shape: numbered lines, numbered claims, numbered notes.

use std::collections::BTreeSet;

/// What a prompt asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked<'a> {
    /// The question as a query.
    Query,
    /// Claims about these lines.
    Reading(BTreeSet<u32>),
    /// A verdict on each of these claims, with the numbers of the lines that are shown for it; none where those are notes.
    Review(Vec<(String, Option<BTreeSet<u32>>)>),
    /// A text over these notes, each with its number.
    Writing(Vec<(usize, &'a str)>),
    /// Something else.
    Unknown,
}

impl<'a> Asked<'a> {
    /// Reads a prompt. A review shows numbered lines, too, so its claims are looked for first.
    pub fn of(prompt: &'a str) -> Self {
        if prompt.contains("Turn it into a query") {
            return Self::Query;
        }
        if prompt.contains("took notes for the question") {
            return Self::Writing(prompt.lines().filter_map(note).collect());
        }
        let claims = claims(prompt);
        if !claims.is_empty() {
            return Self::Review(claims);
        }
        let lines: BTreeSet<u32> = prompt.lines().filter_map(line).collect();
        if lines.is_empty() { Self::Unknown } else { Self::Reading(lines) }
    }
}

/// Claims, each after its document and the lines that it rests on.
fn claims(prompt: &str) -> Vec<(String, Option<BTreeSet<u32>>)> {
    let (mut claims, mut lines, mut of_notes) = (Vec::new(), BTreeSet::new(), false);
    for row in prompt.lines() {
        if let Some(document) = row.strip_prefix("Document: ") {
            of_notes = document.starts_with("\"notes of readers");
        } else if let Some(claim) = claim(row) {
            let lines = std::mem::take(&mut lines);
            claims.push((claim, (!of_notes).then_some(lines)));
        } else {
            lines.extend(line(row));
        }
    }
    claims
}

/// `12| words`
fn line(line: &str) -> Option<u32> {
    line.split_once('|')?.0.parse().ok()
}

/// `Claim 2: "words"`
fn claim(line: &str) -> Option<String> {
    let (number, claim) = line.strip_prefix("Claim ")?.split_once(": ")?;
    number.parse::<usize>().ok()?;
    serde_json::from_str(claim.trim()).ok()
}

/// `[3] words`
fn note(line: &str) -> Option<(usize, &str)> {
    let (number, note) = line.strip_prefix('[')?.split_once("] ")?;
    Some((number.parse().ok()?, note.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_told_by_the_shape_of_the_prompt() {
        assert_eq!(Asked::of("Turn it into a query.\nThe question: When?"), Asked::Query);
        let reading = "Claims, please.\n=====\n7| Claim 1: \"The\n8| \n12| end.\n=====\nQuestion: \"When?\"";
        assert_eq!(Asked::of(reading), Asked::Reading(BTreeSet::from([7, 8, 12])));
        let review = "Verdicts, please.\n7| The\nClaim 1: \"The \\\"end\\\".\"\n9| …\nClaim 2: \"No end.\"\n";
        let claims = [("The \"end\".", 7), ("No end.", 9)];
        let claims = claims.map(|(claim, line)| (claim.to_owned(), Some(BTreeSet::from([line]))));
        assert_eq!(Asked::of(review), Asked::Review(claims.to_vec()));
        let notes = "Document: \"notes of readers, each with its file\", part 1 of 1\n1| The end.\nClaim 1: \"The end.\"\n";
        assert_eq!(Asked::of(notes), Asked::Review(vec![("The end.".to_owned(), None)]));
        let writing =
            "Readers took notes for the question below.\n[1] The end.\n    line 7: “The”\n[12] No end.\n";
        assert_eq!(Asked::of(writing), Asked::Writing(vec![(1, "The end."), (12, "No end.")]));
        assert_eq!(Asked::of("Hello."), Asked::Unknown);
    }
}
