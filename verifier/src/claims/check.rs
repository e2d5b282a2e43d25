//! What code can tell of a claim before anybody is asked (docs/claims.md, section 1).
//!
//! In this order, the first failure decides:
//! 1. every quote names lines of the part that was read, and words that a reader copied stand there;
//! 2. every number of the claim stands in its quotes, by value; the number of a section, anywhere in the part;
//! 3. every date and time of day does, in any notation;
//! 4. every name does.
//!
//! Numbers, dates and names may also stand in what the reader was told about the part: its document's name and its
//! headings. A number or a date a line or two beside the quotes is quoted, too: the reviewers see those lines, and a reader
//! who names one line too few states nothing false. A name there may be that of another one. A failure costs its claim and nothing else.

use std::collections::{BTreeSet, HashSet};

use super::claim::{Claim, LineRange, Quote};
use super::facts::{Facts, Lexicon, Role};
use super::prompt::LINES_AROUND;
use super::text::Text;
use super::token::{Kind, tokens};

/// Why code rejects a claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It rests on nothing.
    #[error("the claim has no quote")]
    NoQuote,
    /// A quote names lines that the reader was not shown, or empty ones.
    #[error("lines {} to {} are not in the part", .0.first(), .0.last())]
    OutsideText(LineRange),
    /// The words that the reader copied stand nowhere in the part.
    #[error("the quoted words are not in the part: {0}")]
    WordsNotThere(String),
    /// A number that is not in the quotes.
    #[error("{0} is not in the quoted lines")]
    Number(String),
    /// A date or a time that is not in the quotes.
    #[error("the date or time {0} is not in the quoted lines")]
    Date(String),
    /// A name that is not in the quotes.
    #[error("the name {0} is not in the quoted lines")]
    Name(String),
}

impl Failure {
    /// The same for somebody else who reads the part: in no word of the claim, which may be there to mislead.
    pub fn lesson(&self) -> &'static str {
        match self {
            Self::NoQuote => "a claim named no lines",
            Self::OutsideText(_) => "it named lines that are not in the part",
            Self::WordsNotThere(_) => "it quoted words that are not in the part",
            Self::Number(_) => "a claim had a number that is not in the lines that it named",
            Self::Date(_) => "a claim had a date or time that is not in the lines that it named",
            Self::Name(_) => "a claim had a name that is not in the lines that it named",
        }
    }
}

/// Checks a claim against the part that its reader was shown, and returns it with the quotes' words as code copies them
/// and with lines corrected where the reader copied words and miscounted.
pub fn check(claim: &Claim, text: &Text) -> Result<Claim, Failure> {
    let mut checked = claim.clone();
    if checked.quotes.is_empty() {
        return Err(Failure::NoQuote);
    }
    for quote in &mut checked.quotes {
        if !quote.words.is_empty() {
            let found = text.find(&quote.words, quote.lines);
            let found =
                found.ok_or_else(|| Failure::WordsNotThere(frlm_util::text::shortened(&quote.words, 80)))?;
            if !found.overlaps(quote.lines) {
                quote.lines = found;
            }
        }
        quote.words = text.copy(quote.lines).ok_or(Failure::OutsideText(quote.lines))?;
    }
    checked.quotes.sort();
    checked.quotes.dedup();
    match bears_out(&checked.text, &text.quoted(&checked), text) {
        Ok(()) => {}
        Err(failure @ (Failure::Number(_) | Failure::Date(_))) => {
            checked.quotes.extend(beside(&checked, text).ok_or(failure)?);
            checked.quotes.sort();
        }
        Err(failure) => return Err(failure),
    }
    Ok(checked)
}

/// The lines beside the quotes with which they bear the claim out, as few as do; `None` if all of them do not.
fn beside(claim: &Claim, text: &Text) -> Option<Vec<Quote>> {
    let is_quoted =
        |line: u32| claim.quotes.iter().any(|quote| quote.lines.overlaps(LineRange::new(line, line)));
    let around = claim.quotes.iter().flat_map(|quote| text.within(quote.lines.widened(LINES_AROUND)));
    let lines: BTreeSet<u32> = around.map(|(line, _)| line).filter(|line| !is_quoted(*line)).collect();
    let quote = |line: u32| {
        let lines = LineRange::new(line, line);
        Some(Quote { lines, words: text.copy(lines)? })
    };
    let mut added: Vec<Quote> = lines.into_iter().filter_map(quote).collect();
    let suffice = |added: &[Quote]| {
        let words: Vec<&str> = added.iter().map(|quote| quote.words.as_str()).collect();
        bears_out(&claim.text, &format!("{}\n\n{}", text.quoted(claim), words.join("\n\n")), text).is_ok()
    };
    if !suffice(&added) {
        return None;
    }
    for at in (0..added.len()).rev() {
        let one = added.remove(at);
        if !suffice(&added) {
            added.insert(at, one);
        }
    }
    Some(added)
}

/// Whether every number, date and name of a sentence stands in `quotes`, or in what is said about `text`. The sentence of
/// a written answer is held to its claims in the same way.
pub fn bears_out(sentence: &str, quotes: &str, text: &Text) -> Result<(), Failure> {
    let claimed = Facts::of(sentence, text.lexicon());
    let nothing = Lexicon::default();
    let sources = [Facts::of(quotes, &nothing), Facts::of(text.about(), &nothing)];
    numbers(&claimed, &sources, text)?;
    dates(&claimed, &sources)?;
    let there = Words::of(&[quotes, text.about()]);
    match claimed.names.iter().find(|name| !there.has(name)) {
        Some(missing) => Err(Failure::Name(missing.clone())),
        None => Ok(()),
    }
}

fn numbers(claimed: &Facts, sources: &[Facts], text: &Text) -> Result<(), Failure> {
    for figure in claimed.figures.iter().filter(|figure| figure.role != Role::Marker) {
        let found =
            |source: &Facts| source.figures.iter().chain(&source.counts).any(|found| found.bears_out(figure));
        let stands = sources.iter().any(found);
        // "in 2007" of a text that has a day of 2007, "the 28th" of a 28 March.
        let in_date = figure.unit.is_none()
            && sources.iter().flat_map(|source| &source.dates).flat_map(|date| &date.readings).any(|when| {
                let parts = [when.year, when.day.map(i32::from)];
                parts.into_iter().flatten().any(|part| figure.values.contains(&part.into()))
            });
        // The number of a section stands at its head, not in what the section says.
        let names_section = figure.role == Role::Reference && text.lexicon().has_number(&figure.text);
        // "Tidewell 40" is called so wherever it stands.
        let in_name = figure.unit.is_none()
            && figure.named.as_ref().is_some_and(|named| text.lexicon().has_named(named));
        if !stands && !in_date && !names_section && !in_name {
            return Err(Failure::Number(figure.text.clone()));
        }
    }
    Ok(())
}

fn dates(claimed: &Facts, sources: &[Facts]) -> Result<(), Failure> {
    let years: BTreeSet<i32> = sources
        .iter()
        .flat_map(|source| {
            let alone = source
                .figures
                .iter()
                .flat_map(|figure| figure.values.iter().filter_map(|value| i32::try_from(*value).ok()));
            alone
                .chain(source.dates.iter().flat_map(|date| date.readings.iter().filter_map(|when| when.year)))
        })
        .collect();
    for date in &claimed.dates {
        let stands = sources
            .iter()
            .flat_map(|source| &source.dates)
            .flat_map(|found| &found.readings)
            .any(|found| date.readings.iter().any(|when| found.bears_out(when, &years)));
        if !stands {
            return Err(Failure::Date(date.text.clone()));
        }
    }
    let times: BTreeSet<u32> =
        sources.iter().flat_map(|source| source.times.iter().map(|(minutes, _)| *minutes)).collect();
    match claimed.times.iter().find(|(minutes, _)| !times.contains(minutes)) {
        Some((_, missing)) => Err(Failure::Date(missing.clone())),
        None => Ok(()),
    }
}

/// Words of a text in lower case, and the initials of words in a row.
struct Words {
    words: HashSet<String>,
    initials: String,
}

impl Words {
    fn of(texts: &[&str]) -> Self {
        let (mut words, mut initials) = (HashSet::new(), String::new());
        for text in texts {
            for token in tokens(text).iter().filter(|token| token.kind != Kind::Sign) {
                words.insert(token.text.to_lowercase());
                initials.extend(token.text.chars().next().filter(|c| c.is_uppercase()));
            }
            initials.push(' ');
        }
        Self { words, initials }
    }

    /// Whether a name is among them, in the genitive or plural or not, or as initials.
    fn has(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        let forms = [format!("{lower}s"), format!("{lower}es")];
        let is_initials = (2..=5).contains(&name.len()) && name.chars().all(char::is_uppercase);
        self.words.contains(&lower)
            || ["s", "es"].iter().any(|ending| {
                lower.strip_suffix(ending).is_some_and(|stem| stem.len() > 2 && self.words.contains(stem))
            })
            || forms.iter().any(|form| self.words.contains(form))
            || is_initials && self.initials.contains(name)
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
