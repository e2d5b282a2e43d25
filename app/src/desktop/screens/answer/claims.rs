//! The answer in pieces, each with the sources that it rests on.

use frlm_conductor::answer::Answer;

/// A piece of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim<'a> {
    /// Markdown.
    pub text: &'a str,
    /// Positions among the answer's citations; empty: nothing in the documents is cited for it.
    pub sources: Vec<usize>,
}

/// The pieces in order: one for each part of a question that has several, one for each note of a list, one for each
/// paragraph of a text that names notes, and otherwise the whole.
pub fn claims(answer: &Answer) -> Vec<Claim<'_>> {
    let text = answer.answer.trim();
    let is_known = |number: u32| answer.citations.iter().any(|citation| citation.claim == Some(number));
    let numbered: Vec<(&str, Vec<u32>)> = if text.lines().filter_map(part).any(is_known) {
        pieces(text, |line| part(line).is_some())
            .map(|piece| (piece, part(piece).into_iter().collect()))
            .collect()
    } else if text.contains("```") {
        Vec::new()
    } else if noted(text).into_iter().any(is_known) {
        let paragraphs = text.split("\n\n").map(str::trim).filter(|piece| !piece.is_empty());
        paragraphs.map(|piece| (piece, noted(piece))).collect()
    } else {
        (1..)
            .zip(pieces(text, |line| line.starts_with("- ")))
            .map(|(number, piece)| (piece, vec![number]))
            .collect()
    };
    let sources = |numbers: &[u32]| {
        let cited = answer.citations.iter().enumerate();
        let own = cited.filter(|(_, citation)| citation.claim.is_some_and(|claim| numbers.contains(&claim)));
        own.map(|(position, _)| position).collect::<Vec<_>>()
    };
    let claims: Vec<Claim<'_>> =
        numbered.into_iter().map(|(text, numbers)| Claim { text, sources: sources(&numbers) }).collect();
    if claims.iter().all(|claim| claim.sources.is_empty()) {
        return vec![Claim { text, sources: (0..answer.citations.len()).collect() }];
    }
    claims
}

/// The text cut before each line with which a piece begins.
fn pieces(text: &str, begins: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let mut cuts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > 0 && begins(line) {
            cuts.push(at);
        }
        at += line.len();
    }
    cuts.push(text.len());
    let pieces: Vec<&str> = cuts.windows(2).map(|cut| text[cut[0]..cut[1]].trim()).collect();
    pieces.into_iter().filter(|piece| !piece.is_empty())
}

/// The part that a line answers: `2. …`.
fn part(line: &str) -> Option<u32> {
    line.split_once(". ")?.0.parse().ok()
}

/// Notes that a text names: `[2]`, `[1, 3]`.
fn noted(text: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    for piece in text.split('[').skip(1) {
        let Some((inside, _)) = piece.split_once(']') else { continue };
        let all: Result<Vec<u32>, _> = inside.split(',').map(|number| number.trim().parse()).collect();
        numbers.extend(all.unwrap_or_default());
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop::screens::run::samples::answer;

    fn claimed(text: &str, claims_of: &[Option<u32>]) -> Vec<(String, Vec<usize>)> {
        let mut answer = answer();
        text.clone_into(&mut answer.answer);
        answer.citations.truncate(claims_of.len());
        for (citation, claim) in answer.citations.iter_mut().zip(claims_of) {
            citation.claim = *claim;
        }
        claims(&answer).into_iter().map(|claim| (claim.text.to_owned(), claim.sources)).collect()
    }

    fn piece(text: &str, sources: &[usize]) -> (String, Vec<usize>) {
        (text.to_owned(), sources.to_vec())
    }

    #[test]
    fn each_part_of_a_question_has_its_own_sources_and_keeps_its_lines() {
        let text = "1. Which user? ida.holm: 3 of 48.\n2. How many? [ida.holm] 2 records match:\n7 and 9.";
        assert_eq!(
            claimed(text, &[Some(1), Some(2), Some(1)]),
            [
                piece("1. Which user? ida.holm: 3 of 48.", &[0, 2]),
                piece("2. How many? [ida.holm] 2 records match:\n7 and 9.", &[1]),
            ]
        );
    }

    #[test]
    fn a_value_in_brackets_is_no_note() {
        let text = "1. Which order? 2.\n2. Its status? [2] The status is failed.";
        let claims = claimed(text, &[Some(1), Some(2)]);
        assert_eq!(claims.iter().map(|(_, sources)| sources.clone()).collect::<Vec<_>>(), [[0], [1]]);
    }

    #[test]
    fn a_paragraph_has_the_notes_that_it_names() {
        let text = "The disk was full [1].\nIt had been\n\nfor days [2, 3], and nobody saw [x].";
        let claims = claimed(text, &[Some(1), Some(3), Some(2)]);
        assert_eq!(claims[0], piece("The disk was full [1].\nIt had been", &[0]));
        assert_eq!(claims[1].1, [1, 2]);
    }

    #[test]
    fn notes_side_by_side_are_counted() {
        let text = "- The fan was loud,\nall day. (report.txt line 4)\n- It rained. (report.txt line 9)";
        let claims = claimed(text, &[Some(1), Some(1), Some(2)]);
        assert_eq!(claims.iter().map(|(_, sources)| sources.len()).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn what_rests_on_everything_or_names_nothing_is_one_claim() {
        assert_eq!(claimed("48 records match.", &[None, None]), [piece("48 records match.", &[0, 1])]);
        let code = "See:\n\n```\na\n\nb\n``` [1]";
        assert_eq!(claimed(code, &[Some(1)]), [piece(code, &[0])]);
    }
}
