//! An answer in pieces, each with the sources that it rests on: what a front end shows beside each other.

use frlm_questions::answer::Answer;
use frlm_questions::reduce::sentences;

/// A piece of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim<'a> {
    /// Markdown.
    pub text: &'a str,
    /// Positions among the answer's citations; empty: nothing in the documents is cited for it.
    pub sources: Vec<usize>,
    /// Whether it begins a paragraph.
    pub begins: bool,
}

/// A piece with the notes that it names, and whether it begins a paragraph.
type Piece<'a> = (&'a str, Vec<u32>, bool);

/// The pieces in order: one for each part of a question that has several, one for each note of a list, one for each
/// sentence of a text that names notes, and otherwise the whole.
pub fn claims(answer: &Answer) -> Vec<Claim<'_>> {
    let text = answer.answer.trim();
    let is_known = |number: u32| answer.citations.iter().any(|citation| citation.claim == Some(number));
    let numbered: Vec<Piece<'_>> = if text.lines().filter_map(part).any(is_known) {
        pieces(text, |line| part(line).is_some())
            .map(|piece| (piece, part(piece).into_iter().collect(), true))
            .collect()
    } else if text.contains("```") {
        Vec::new()
    } else if noted(text).into_iter().any(is_known) {
        let paragraphs = text.split("\n\n").map(str::trim).filter(|piece| !piece.is_empty());
        paragraphs.flat_map(by_sentence).collect()
    } else {
        (1..)
            .zip(pieces(text, |line| line.starts_with("- ")))
            .map(|(number, piece)| (piece, vec![number], true))
            .collect()
    };
    let sources = |numbers: &[u32]| {
        let cited = answer.citations.iter().enumerate();
        let own = cited.filter(|(_, citation)| citation.claim.is_some_and(|claim| numbers.contains(&claim)));
        own.map(|(position, _)| position).collect::<Vec<_>>()
    };
    let claims: Vec<Claim<'_>> = numbered
        .into_iter()
        .map(|(text, numbers, begins)| Claim { text, sources: sources(&numbers), begins })
        .collect();
    if claims.iter().all(|claim| claim.sources.is_empty()) {
        return vec![Claim { text, sources: (0..answer.citations.len()).collect(), begins: true }];
    }
    claims
}

/// A paragraph by its sentences, a list by its items. Sentences side by side that name the same notes stay together, and
/// so does what no sentence can be cut out of.
fn by_sentence(paragraph: &str) -> Vec<Piece<'_>> {
    if paragraph.lines().any(is_item) {
        return pieces(paragraph, is_item).map(|piece| (piece, noted(piece), true)).collect();
    }
    let mut cuts: Vec<usize> = sentences(paragraph).iter().map(|at| at.start).collect();
    // What stands before the first sentence, and between two, is not lost.
    if let Some(first) = cuts.first_mut() {
        *first = 0;
    }
    cuts.push(paragraph.len());
    let parts: Vec<&str> = cuts.windows(2).map(|cut| paragraph[cut[0]..cut[1]].trim()).collect();
    if parts.is_empty() || !parts.iter().all(|part| stands_alone(part)) {
        return vec![(paragraph, noted(paragraph), true)];
    }
    let mut found: Vec<(usize, Vec<u32>)> = Vec::new();
    for (part, start) in parts.iter().zip(&cuts) {
        let numbers = noted(part);
        if found.last().is_none_or(|(_, before)| *before != numbers) {
            found.push((*start, numbers));
        }
    }
    let ends = found.iter().skip(1).map(|(start, _)| *start).chain([paragraph.len()]).collect::<Vec<_>>();
    let pieces = found.into_iter().zip(ends);
    pieces.map(|((start, numbers), end)| (paragraph[start..end].trim(), numbers, start == 0)).collect()
}

/// An item of a list.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    part(line).is_some() || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// Whether a sentence is set the same without those around it: no emphasis goes beyond it, and it is of no table, no
/// quotation and no heading.
fn stands_alone(sentence: &str) -> bool {
    let is_even = |mark: &str| sentence.matches(mark).count().is_multiple_of(2);
    // Within a word it is no emphasis: user_id.
    let words = || sentence.split_whitespace().map(|word| word.trim_matches(['.', ',', ';', ':', '!', '?']));
    let opened = words().filter(|word| word.starts_with('_')).count();
    let closed = words().filter(|word| word.ends_with('_')).count();
    let is_block = |line: &str| ["|", ">", "#"].iter().any(|mark| line.trim_start().starts_with(mark));
    opened == closed && is_even("**") && is_even("*") && is_even("`") && !sentence.lines().any(is_block)
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
    use frlm_questions::answer::{Citation, Location};

    use super::*;
    use crate::output::tests::sample_answer;

    fn claimed(text: &str, claims_of: &[Option<u32>]) -> Vec<(String, Vec<usize>)> {
        let cited = |claim: &Option<u32>| Citation {
            fragment: "0".to_owned(),
            file: "orders.log".to_owned(),
            lines: [7, 7],
            location: Location::default(),
            quote: "status=failed".to_owned(),
            claim: *claim,
        };
        let citations = claims_of.iter().map(cited).collect();
        let answer = Answer { answer: text.to_owned(), citations, ..sample_answer(Vec::new()) };
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
    fn a_sentence_has_the_notes_that_it_names() {
        let text =
            "The disk was full [1].\nIt had been\n\nfor days [2, 3], and nobody saw [x]. Dr. Who came [3].";
        assert_eq!(
            claimed(text, &[Some(1), Some(3), Some(2)]),
            [
                piece("The disk was full [1].", &[0]),
                piece("It had been", &[]),
                piece("for days [2, 3], and nobody saw [x].", &[1, 2]),
                piece("Dr. Who came [3].", &[1]),
            ]
        );
    }

    #[test]
    fn sentences_with_the_same_notes_stay_together_and_no_text_is_lost() {
        let text = "It rained [1]. All day [1]. … Nobody went out [2]. So it was.";
        assert_eq!(
            claimed(text, &[Some(1), Some(2)]),
            [
                piece("It rained [1]. All day [1].", &[0]),
                piece("… Nobody went out [2].", &[1]),
                piece("So it was.", &[]),
            ]
        );
    }

    #[test]
    fn what_belongs_together_on_the_page_is_not_cut() {
        let bold = "**It rained [1]. All day [2].**";
        assert_eq!(claimed(bold, &[Some(1), Some(2)]), [piece(bold, &[0, 1])]);
        let slanted = "_It rained [1]. All day [2]._";
        assert_eq!(claimed(slanted, &[Some(1), Some(2)]), [piece(slanted, &[0, 1])]);
        let named = "The user_id is 7 [1]. It is new [2].";
        assert_eq!(claimed(named, &[Some(1), Some(2)]).len(), 2);
        let table = "| when | what |\n|---|---|\n| day [1]. Then | rain [2] |";
        assert_eq!(claimed(table, &[Some(1), Some(2)]), [piece(table, &[0, 1])]);
        let list = "Found:\n- It rained. All day [1].\n- Nobody went out [2].";
        let expected = [
            piece("Found:", &[]),
            piece("- It rained. All day [1].", &[0]),
            piece("- Nobody went out [2].", &[1]),
        ];
        assert_eq!(claimed(list, &[Some(1), Some(2)]), expected);
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
