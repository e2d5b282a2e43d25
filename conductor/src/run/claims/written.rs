//! A written answer before reviewers: each sentence is a claim on the notes that it names.
//!
//! Its notes are verified claims; a sentence that says more, or something else, is found by a reviewer, who is shown both. What
//! names no note is left to the last look at the answer, which is code's.

use std::ops::Range;
use std::sync::Arc;

use frlm_questions::dialect::claims;
use frlm_questions::ingest::{DocumentId, Fragment, Record, Span};
use frlm_questions::plan::CombineTask;
use frlm_questions::reduce::support::{is_beside_the_notes, sentences};
use frlm_questions::reduce::words;
use frlm_util::text::collapse_whitespace;
use frlm_verifier::claims::{Claim, LineRange, Quote};
use sha2::{Digest as _, Sha256};

/// What reviewers are told the notes are.
const NOTES: &str = "notes of readers, each with its file and place";

/// A text with its sentences that name notes.
#[derive(Debug)]
pub(super) struct Written {
    /// Where each claim stands in the text.
    pub places: Vec<Range<usize>>,
    pub claims: Vec<Claim>,
    /// The notes, a line each.
    pub notes: Arc<Fragment>,
}

impl Written {
    pub fn of(task: &CombineTask, text: &str) -> Self {
        let notes = words::lines_of_notes(&task.evidence());
        let count = u32::try_from(notes.len()).unwrap_or(u32::MAX);
        let (mut places, mut stated) = (Vec::new(), Vec::new());
        for place in sentences(text) {
            let Ok((plain, named)) = words::without_note_numbers(&text[place.clone()], &(1..=notes.len()))
            else {
                continue;
            };
            let lines = named.iter().filter_map(|number| u32::try_from(*number).ok());
            let quotes: Vec<Quote> =
                lines.map(|line| Quote { lines: LineRange::new(line, line), words: String::new() }).collect();
            let said = [".", ",", ";", ":", "?", "!"]
                .iter()
                .fold(collapse_whitespace(&plain), |said, mark| said.replace(&format!(" {mark}"), mark));
            if !quotes.is_empty() && !is_beside_the_notes(&said) {
                places.push(place);
                stated.push(Claim { text: said, quotes });
            }
        }
        let joined = notes.join("\n");
        let records = (1..).zip(notes).map(|(line, text)| Record { line, text: text.into(), shown: None });
        let notes = Fragment {
            id: claims::NOTES,
            document: DocumentId(u32::MAX),
            file: NOTES.into(),
            span: Span {
                lines: 1..=count,
                bytes: 0..joined.len(),
                sha256: hex::encode(Sha256::digest(joined.as_bytes())),
            },
            records: records.collect::<Vec<_>>().into(),
            text: joined.into(),
            transcript: None,
        };
        Self { places, claims: stated, notes: Arc::new(notes) }
    }
}

/// A text without some of its sentences.
pub(super) fn without(text: &str, dropped: &[Range<usize>]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for place in dropped {
        left.push_str(text[at..place.start].trim_end_matches(' '));
        at = place.end;
    }
    left.push_str(&text[at..]);
    left.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use frlm_questions::dialect::{MapAnswer, RecordMatch};
    use frlm_questions::ingest::FragmentId;
    use frlm_questions::reduce::words::NoteBatch;
    use frlm_questions::reduce::{Coverage, FragmentRef};

    use super::*;

    fn task() -> CombineTask {
        let note = |text: &str| {
            let quotes = vec![RecordMatch { line: 3, quote: text.to_owned(), value: None, reported: None }];
            (
                FragmentRef::of_text(FragmentId(0), "lease.txt"),
                MapAnswer::Words { answer: text.to_owned(), quotes },
            )
        };
        CombineTask {
            question: "What is owed?".to_owned(),
            answers: vec![note("The rent is 900 EUR."), note("The deposit is 1,800 EUR.")],
            coverage: Coverage::full(1),
            conflicts: String::new(),
            correction: String::new(),
            manner: String::new(),
            batch: NoteBatch::default(),
        }
    }

    #[test]
    fn a_sentence_is_a_claim_on_the_notes_that_it_names() {
        let text = "The rent is 900 EUR [1]. It says no more. The deposit is twice that [1, 2].";
        let written = Written::of(&task(), text);
        let claims: Vec<(&str, usize)> =
            written.claims.iter().map(|claim| (claim.text.as_str(), claim.quotes.len())).collect();
        assert_eq!(claims, [("The rent is 900 EUR.", 1), ("The deposit is twice that.", 2)]);
        assert!(written.notes.records[0].text.contains("lease.txt"));
        assert_eq!(&text[written.places[1].clone()], "The deposit is twice that [1, 2].");
        assert_eq!(without(text, &written.places[..1]), "It says no more. The deposit is twice that [1, 2].");
        assert_eq!(without(text, &written.places[1..]), "The rent is 900 EUR [1]. It says no more.");
        let two = Written::of(&task(), "The rent is 900 EUR [1]; the deposit is 1,800 EUR [2].");
        assert_eq!(two.claims[0].text, "The rent is 900 EUR; the deposit is 1,800 EUR.");
    }
}
