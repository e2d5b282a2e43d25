//! What a text claims, looked up in the notes it was made from.

use std::ops::RangeInclusive;

use frlm_util::text::collapse_whitespace;

use super::{Note, WordsError};
use crate::dialect::{Quantity, contains};
use crate::reduce::Coverage;
use crate::reduce::sentence::ending;

/// What a text claims, looked up in its notes.
pub(in crate::reduce) struct Claims {
    /// The notes that it names, each once, in order.
    pub named: Vec<usize>,
    /// Figures, quotations and note numbers that were looked up.
    pub looked_up: usize,
    /// What was not found.
    pub wrong: Vec<WordsError>,
}

/// Looks up everything that a text claims: its note numbers, quotations and figures. `before`: so many notes come before
/// these.
pub(in crate::reduce) fn claims_of(
    question: &str,
    text: &str,
    notes: &[Note],
    before: usize,
    coverage: Coverage,
) -> Claims {
    let mut claims = Claims { named: Vec::new(), looked_up: 0, wrong: Vec::new() };
    let plain = match without_note_numbers(text, &(before + 1..=before + notes.len())) {
        Ok((plain, named)) => {
            claims.named = named;
            plain
        }
        Err(unknown) => {
            claims.wrong.push(unknown);
            text.to_owned()
        }
    };
    claims.looked_up += claims.named.len();
    claims.named.sort_unstable();
    claims.named.dedup();
    // What code adds about missing fragments is known too.
    let mut known = format!("{question}\n{}", ending(coverage));
    for note in notes {
        known.push('\n');
        known.push_str(&note.known());
    }
    let collapsed_known = collapse_whitespace(&known);
    for quotation in quotations(&plain) {
        claims.looked_up += 1;
        if !contains(&collapsed_known, &collapse_whitespace(quotation)) {
            claims.wrong.push(WordsError::UnknownQuotation(quotation.to_owned()));
        }
    }
    for figure in figures(&plain) {
        claims.looked_up += 1;
        if !has_figure(&known, figure) {
            claims.wrong.push(WordsError::UnknownFigure(figure.to_owned()));
        }
    }
    claims
}

/// Notes that a checked text names.
pub fn named(text: &str) -> Vec<usize> {
    without_note_numbers(text, &(0..=usize::MAX)).map(|(_, named)| named).unwrap_or_default()
}

/// The text without `[1]` and `[1, 2]`, and the notes they name.
pub fn without_note_numbers(
    text: &str,
    notes: &RangeInclusive<usize>,
) -> Result<(String, Vec<usize>), WordsError> {
    let mut plain = String::with_capacity(text.len());
    let mut named = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        let numbers = after.split_once(']').and_then(|(inside, behind)| {
            let numbers: Result<Vec<usize>, _> =
                inside.split(',').map(|number| number.trim().parse()).collect();
            numbers.ok().map(|numbers| (numbers, behind))
        });
        let Some((numbers, behind)) = numbers else {
            plain.push('[');
            rest = after;
            continue;
        };
        if let Some(&unknown) = numbers.iter().find(|number| !notes.contains(*number)) {
            return Err(WordsError::UnknownNote(unknown));
        }
        named.extend(numbers);
        rest = behind;
    }
    plain.push_str(rest);
    Ok((plain, named))
}

/// Texts in double quotation marks.
pub(in crate::reduce) fn quotations(text: &str) -> impl Iterator<Item = &str> {
    const PAIRS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('«', '»'), ('„', '“')];
    PAIRS.into_iter().flat_map(move |(open, close)| {
        let mut rest = text;
        std::iter::from_fn(move || {
            let (_, after) = rest.split_once(open)?;
            let (inside, behind) = after.split_once(close)?;
            rest = behind;
            Some(inside)
        })
    })
}

/// Whether a figure stands in a text, however it is written there.
pub(in crate::reduce) fn has_figure(text: &str, figure: &str) -> bool {
    figures(text).any(|other| match (Quantity::parse(figure), Quantity::parse(other)) {
        (Some(left), Some(right)) => left.amount == right.amount,
        _ => figure == other,
    })
}

/// Words with digits, punctuation around them left out.
pub(in crate::reduce) fn figures(text: &str) -> impl Iterator<Item = &str> {
    let separates = |c: char| c.is_whitespace() || "=()[]{}<>|/\"“”«»„;:".contains(c);
    text.split(separates)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && !"-−%$€£".contains(c)))
        .filter(|word| word.chars().any(|c| c.is_ascii_digit()))
}
