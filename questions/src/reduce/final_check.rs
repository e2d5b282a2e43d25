//! Tier 4: the finished answer, held against everything it was made from (design.md, section 6;
//! seeds/verifier-block.md, "Tier 4").
//!
//! Whether every verified answer was used or its absence is explained, whether notes contradict each
//! other without the text saying so, whether quotations and figures stand in the evidence, and whether
//! the text is one. All of it by code: a model that wrote the text is no witness to it.

use std::collections::HashSet;
use std::fmt::Write as _;

use frlm_inference::FinishReason;
use frlm_protocol::one_line;
use frlm_verifier::claims::merge::Difference;
use frlm_verifier::claims::wording::{Clash, Wording, clash};
use frlm_verifier::{Candidate, SelfCheck};

use super::support::{self, Unsourced};
use super::words::{Note, WordsError, claims_of, figures, notes};
use super::{Bound, Coverage, FragmentRef, Reduced};
use crate::dialect::{MapAnswer, quote_stands};
use crate::ingest::{Fragment, FragmentId};

#[cfg(test)]
mod tests;

/// Notes that are compared with each other, each with all.
const MOST_COMPARED: usize = 512;
/// Findings that are named one by one; more are counted.
const MOST_NAMED: usize = 5;
/// Contradictions that the writer is told one by one; more are counted.
const MOST_TOLD: usize = 20;
/// How much better supported one of two notes must be for that to be said.
const CLEARLY: f64 = 0.05;
/// Stands behind a sentence that has no source.
const NO_SOURCE: &str = " [no source]";
/// What is shown of a note.
const LONGEST_SAID_CHARS: usize = 160;

/// What is wrong with a finished answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A verified note that the text leaves out.
    Unused {
        /// Its number, counted from 1.
        note: usize,
        /// What it says, and where.
        said: String,
    },
    /// Two notes of the same words that differ in a figure, a date or a negation, and the text does not say so.
    Contradiction {
        /// Their numbers.
        notes: [usize; 2],
        /// What they say, and where.
        said: [String; 2],
        /// In what they differ.
        clash: Clash,
        /// Which of them is better supported, 0 or 1; `None` where neither is ([`FinalCheck::weigh`]).
        firmer: Option<usize>,
    },
    /// A figure, quotation or note number that the evidence does not have.
    Unsupported(WordsError),
    /// A sentence that does not stand in the notes that it names.
    Unsourced(Unsourced),
    /// A citation whose quotation does not stand in its fragment.
    Forged {
        /// Where it claims to stand.
        place: String,
    },
    /// Documents are missing, and the text does not say so.
    Unexplained {
        /// How many fragments.
        missing: usize,
    },
    /// A program was given so many answers that were found to be others afterwards.
    Overtaken(usize),
    /// The text is none: empty, a refusal, a loop; or its records are not those of its evidence.
    Malformed(String),
}

/// What the check looked at, and what it found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FinalCheck {
    /// Verified answers that had something to say.
    pub parts: usize,
    /// Figures, quotations and citations that were looked up.
    pub claims: usize,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Contradictions that the text gives without the names of the files that they stand in, for the reader.
    pub unnamed: Vec<String>,
}

impl FinalCheck {
    /// Whether nothing is wrong.
    pub fn passed(&self) -> bool {
        self.findings.is_empty()
    }

    /// Findings of a kind.
    pub fn count(&self, wanted: impl Fn(&Finding) -> bool) -> usize {
        self.findings.iter().filter(|finding| wanted(finding)).count()
    }

    /// Whether the text must not be shown: it says what nobody found, or it is no text.
    pub fn is_fatal(&self) -> bool {
        let fatal = |finding: &Finding| matches!(finding, Finding::Unsupported(_) | Finding::Malformed(_));
        self.findings.iter().any(fatal)
    }

    /// Says of notes that contradict each other which is better supported: in a conflict that counts
    /// (seeds/super-llm-block.md, function 5). `confidence` is the confidence in what a fragment said, 0..=1.
    pub fn weigh(&mut self, evidence: &[(FragmentRef, &MapAnswer)], confidence: impl Fn(FragmentId) -> f64) {
        let notes = notes(evidence);
        let of = |number: usize| notes.get(number - 1).map_or(0.0, |note| confidence(note.fragment.id));
        for finding in &mut self.findings {
            if let Finding::Contradiction { notes: [left, right], firmer, .. } = finding {
                *firmer = firmer_of(of(*left), of(*right));
            }
        }
    }

    /// Looks up each sentence of a text that a model wrote in the notes that it names. `translated`: it may be in another
    /// language than they are.
    pub fn sentences(
        &mut self,
        question: &str,
        text: &str,
        evidence: &[(FragmentRef, &MapAnswer)],
        coverage: Coverage,
        translated: bool,
    ) {
        let looked = support::look_up(question, text, &notes(evidence), coverage, translated);
        self.claims += looked.sentences;
        self.findings.extend(looked.unsourced.into_iter().map(Finding::Unsourced));
    }

    /// The text with a mark behind each sentence that has no source.
    pub fn marked(&self, text: &str) -> String {
        let mut marked = text.to_owned();
        for finding in self.findings.iter().rev() {
            if let Finding::Unsourced(Unsourced { end, .. }) = finding
                && marked.is_char_boundary(*end)
            {
                marked.insert_str(*end, NO_SOURCE);
            }
        }
        marked
    }

    /// Takes as used what a digest carried to the writer: a text over hundreds of notes cannot name each.
    pub fn carried(&mut self, digested: &HashSet<usize>) {
        self.findings
            .retain(|finding| !matches!(finding, Finding::Unused { note, .. } if digested.contains(note)));
    }

    /// Takes what the text leaves out as its writer's choice: readers of claims state more than an answer needs, definitions
    /// and sources among it, and nobody can use all of it without losing the thread.
    pub fn may_leave_out(&mut self) {
        self.findings.retain(|finding| !matches!(finding, Finding::Unused { .. }));
    }

    /// What a second attempt must do better. It names notes by number only: what they say stands between
    /// the prompt's delimiters and nowhere else.
    pub fn correction(&self) -> String {
        let numbers: Vec<String> = self
            .findings
            .iter()
            .filter_map(|finding| match finding {
                Finding::Unused { note, .. } => Some(format!("[{note}]")),
                _ => None,
            })
            .collect();
        let mut text = String::from("An earlier attempt was turned down.");
        // Writing into a String cannot fail.
        if !numbers.is_empty() {
            let _ = write!(
                text,
                " It left out {}: use each of these notes, or name its number and say why it does not matter.",
                numbers.join(", ")
            );
        }
        let contradictions = self.findings.iter().filter_map(|finding| match finding {
            Finding::Contradiction { notes, firmer, clash, .. } => Some((*notes, *clash, *firmer)),
            _ => None,
        });
        let told = told_of(contradictions);
        if !told.is_empty() {
            let _ = write!(text, " {told}");
        }
        let unsourced: Vec<String> = self
            .findings
            .iter()
            .filter_map(|finding| match finding {
                Finding::Unsourced(Unsourced { number, .. }) => Some(number.to_string()),
                _ => None,
            })
            .collect();
        if !unsourced.is_empty() {
            let _ = write!(
                text,
                " Every sentence must name the notes that it rests on and say nothing that is not in those; its sentences {} \
                 did not: mend them or leave them out.",
                unsourced.join(", ")
            );
        }
        if self.is_fatal() {
            text.push_str(" It held figures or quotations that stand in no note, or was no answer.");
        }
        text
    }

    /// What the reader must know of an answer that is shown all the same; empty if nothing is wrong.
    pub fn reservations(&self) -> String {
        let mut text = String::new();
        let unused: Vec<&str> = self
            .findings
            .iter()
            .filter_map(|finding| match finding {
                Finding::Unused { said, .. } => Some(said.as_str()),
                _ => None,
            })
            .collect();
        if !unused.is_empty() {
            let _ = write!(text, "\nNot used in this answer: {}", listed(&unused));
        }
        for contradiction in &self.unnamed {
            let _ = write!(text, "\n{contradiction}");
        }
        for finding in &self.findings {
            let _ = match finding {
                Finding::Contradiction { said, clash, firmer, .. } => {
                    write!(text, "\n{}", contradiction(said, *clash, *firmer))
                }
                Finding::Forged { place } => {
                    write!(text, "\nA quotation could not be found again at {place} and was left out.")
                }
                Finding::Unexplained { missing } => {
                    write!(text, "\n{missing} parts are missing from this answer.")
                }
                Finding::Overtaken(answers) => {
                    write!(
                        text,
                        "\n{answers} of the answers that it rests on were found to be others afterwards: run it again."
                    )
                }
                Finding::Unused { .. }
                | Finding::Unsupported(_)
                | Finding::Unsourced(_)
                | Finding::Malformed(_) => Ok(()),
            };
        }
        if self.count(|finding| matches!(finding, Finding::Unsourced(_))) > 0 {
            text.push_str("\nA sentence marked [no source] does not stand in the notes that it names.");
        }
        text
    }

    /// The findings in words, for the trace.
    pub fn in_words(&self) -> Vec<String> {
        self.findings
            .iter()
            .map(|finding| match finding {
                Finding::Unused { note, .. } => format!("note {note} is not used"),
                Finding::Contradiction { notes: [left, right], clash, .. } if clash.is_sure() => {
                    format!("notes {left} and {right} contradict each other")
                }
                Finding::Contradiction { notes: [left, right], .. } => {
                    format!("notes {left} and {right} give different dates")
                }
                Finding::Unsupported(why) => why.to_string(),
                Finding::Unsourced(Unsourced { number, why, .. }) => format!("sentence {number}: {why}"),
                Finding::Forged { place } => format!("the quotation at {place} does not stand there"),
                Finding::Unexplained { missing } => format!("{missing} parts are missing, unsaid"),
                Finding::Overtaken(answers) => {
                    format!("{answers} of the answers that the program was given are others now")
                }
                Finding::Malformed(why) => format!("the text is none: {why}"),
            })
            .collect()
    }
}

/// Checks an answer that code made from records: its citations and its records are those of the
/// evidence, and it says so where documents are missing. Its figures are computed, not written.
pub fn of_records(
    reduced: &Reduced,
    evidence: &[(FragmentRef, &MapAnswer)],
    fragments: &[&Fragment],
    coverage: Coverage,
) -> FinalCheck {
    let mut check = FinalCheck { parts: evidence.len(), ..FinalCheck::default() };
    check.citations(reduced, fragments);
    check.text(&reduced.text, "");
    check.claims += 1;
    let mut lines: Vec<(u32, u32)> = evidence
        .iter()
        .flat_map(|(fragment, answer)| match answer {
            MapAnswer::Records { matches } => {
                matches.iter().map(|found| (fragment.id.0, found.line)).collect()
            }
            MapAnswer::Words { .. } | MapAnswer::Claims { .. } => Vec::new(),
        })
        .collect();
    lines.sort_unstable();
    lines.dedup();
    if lines.len() != reduced.matched {
        let why = format!("it rests on {} records and the evidence has {}", reduced.matched, lines.len());
        check.findings.push(Finding::Malformed(why));
    }
    check.missing(reduced, coverage);
    check
}

/// Checks an answer to a question of several parts: code made it from the parts' answers, each of which
/// rests on citations.
pub fn of_parts(reduced: &Reduced, fragments: &[&Fragment], coverage: Coverage) -> FinalCheck {
    let mut check = FinalCheck { parts: coverage.answered, ..FinalCheck::default() };
    check.citations(reduced, fragments);
    check.text(&reduced.text, "");
    check.missing(reduced, coverage);
    check
}

/// Checks what a program came to: its words are its own, what it rests on is not. `overtaken`: how many answers that it was
/// given are others now.
pub fn of_program(
    reduced: &Reduced,
    fragments: &[&Fragment],
    coverage: Coverage,
    overtaken: usize,
) -> FinalCheck {
    let mut check = FinalCheck { parts: coverage.answered, ..FinalCheck::default() };
    check.citations(reduced, fragments);
    check.missing(reduced, coverage);
    if overtaken > 0 {
        check.findings.push(Finding::Overtaken(overtaken));
    }
    check
}

/// Checks an answer in words. `by_model`: whether a model wrote it from the notes; what code sets side by
/// side leaves nothing out.
pub fn of_words(
    question: &str,
    reduced: &Reduced,
    by_model: bool,
    evidence: &[(FragmentRef, &MapAnswer)],
    fragments: &[&Fragment],
    coverage: Coverage,
) -> FinalCheck {
    let notes = notes(evidence);
    let mut check = FinalCheck { parts: notes.len(), ..FinalCheck::default() };
    check.citations(reduced, fragments);
    check.missing(reduced, coverage);
    let mut named: Vec<usize> = (1..=notes.len()).collect();
    if by_model {
        check.text(&reduced.text, question);
        let claims = claims_of(question, &reduced.text, &notes, 0, coverage);
        check.claims += claims.looked_up;
        check.findings.extend(claims.wrong.into_iter().map(Finding::Unsupported));
        // A text that names no note speaks of all of them, or of none that could be told.
        if !claims.named.is_empty() {
            named = claims.named;
        }
        // Of a part that says several things, an answer need not use each.
        let used: HashSet<FragmentId> =
            named.iter().filter_map(|number| notes.get(number - 1)).map(|note| note.fragment.id).collect();
        for (number, note) in (1..).zip(&notes) {
            if !named.contains(&number) && !used.contains(&note.fragment.id) {
                check.findings.push(Finding::Unused { note: number, said: said(note) });
            }
        }
    }
    let written = Wording::of(&reduced.text);
    for ([left, right], clash) in clashes(&notes).into_iter().filter(|(_, clash)| clash.in_same_words) {
        let both_named = by_model && named.contains(&left) && named.contains(&right);
        let both_given = [left, right].iter().all(|number| {
            let note = notes[number - 1].answer;
            let has = |figure| figures(&reduced.text).any(|other| other == figure);
            figures(note).all(has) && written.has_dates_of(&Wording::of(note))
        });
        let at = [left, right].map(|number| &notes[number - 1]);
        if !(both_named && both_given) {
            let said = at.map(said);
            check.findings.push(Finding::Contradiction { notes: [left, right], said, clash, firmer: None });
        } else if at[0].fragment.file != at[1].fragment.file
            && !at.iter().all(|note| names_file(&reduced.text, &note.fragment.file))
        {
            check.unnamed.push(contradiction(&at.map(said), clash, None));
        }
    }
    check
}

impl FinalCheck {
    fn citations(&mut self, reduced: &Reduced, fragments: &[&Fragment]) {
        for citation in &reduced.citations {
            self.claims += 1;
            let fragment = fragments.iter().find(|fragment| fragment.id == citation.fragment);
            let stands = fragment.is_some_and(|fragment| quote_stands(&fragment.text, &citation.quote));
            if !stands {
                let place = format!("{} line {}", one_line(&citation.file), citation.lines[0]);
                self.findings.push(Finding::Forged { place });
            }
        }
    }

    fn missing(&mut self, reduced: &Reduced, coverage: Coverage) {
        let missing = coverage.missing();
        if missing > 0 && reduced.bound != Bound::Exact && !reduced.text.contains("missing") {
            self.findings.push(Finding::Unexplained { missing });
        }
    }

    fn text(&mut self, text: &str, prompt: &str) {
        let check = SelfCheck::new(None, false).expect("no constraint needs no compiling");
        let finish = FinishReason::Stop;
        if let Err(why) = check.check(Candidate { prompt, text, finish, max_tokens: usize::MAX }) {
            self.findings.push(Finding::Malformed(why.summary().to_owned()));
        }
        if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            self.findings.push(Finding::Malformed("holds control characters".to_owned()));
        }
    }
}

/// What the writer must know of notes that contradict each other; empty where none do. It names notes by
/// number only.
pub fn conflicts(evidence: &[(FragmentRef, &MapAnswer)], confidence: impl Fn(FragmentId) -> f64) -> String {
    let notes = notes(evidence);
    let of = |number: usize| confidence(notes[number - 1].fragment.id);
    let pairs = clashes(&notes).into_iter();
    told_of(pairs.map(|([left, right], clash)| ([left, right], clash, firmer_of(of(left), of(right)))))
}

/// Contradictions in words, each with which note is better supported; no more than leave room for the notes.
fn told_of(pairs: impl Iterator<Item = ([usize; 2], Clash, Option<usize>)>) -> String {
    let mut pairs = pairs.peekable();
    let mut told: Vec<String> =
        pairs.by_ref().take(MOST_TOLD).map(|(notes, clash, firmer)| conflict(notes, clash, firmer)).collect();
    if pairs.peek().is_some() {
        told.push(format!("{} more pairs contradict each other: say so.", pairs.count()));
    }
    told.join(" ")
}

fn conflict([left, right]: [usize; 2], clash: Clash, firmer: Option<usize>) -> String {
    if !clash.is_sure() {
        let what = match clash.difference {
            Difference::Number => "a figure",
            Difference::Date => "a date",
            Difference::Negation => "a negation",
        };
        return format!(
            "[{left}] and [{right}] are alike and differ in {what}: if they speak of the same thing, give both, say that they \
             differ, and name their files."
        );
    }
    let firmer = firmer.map(|which| if which == 0 { left } else { right });
    let which = firmer
        .map_or(String::new(), |note| format!(", put [{note}] first and say that it is better supported"));
    format!("[{left}] and [{right}] contradict each other: give both and say so{which}.")
}

fn firmer_of(left: f64, right: f64) -> Option<usize> {
    ((left - right).abs() >= CLEARLY).then_some(usize::from(right > left))
}

/// Pairs of notes that may not both be right. In one document another date is another event, and words that are merely alike
/// are about something else.
fn clashes(notes: &[Note]) -> Vec<([usize; 2], Clash)> {
    let notes = &notes[..notes.len().min(MOST_COMPARED)];
    let worded: Vec<Wording> = notes.iter().map(|note| Wording::of(note.answer)).collect();
    let mut pairs = Vec::new();
    for (right, note) in notes.iter().enumerate() {
        for (left, other) in notes[..right].iter().enumerate() {
            let Some(clash) = clash(&worded[left], &worded[right]) else { continue };
            if clash.is_sure() || note.fragment.file != other.fragment.file {
                pairs.push(([left + 1, right + 1], clash));
            }
        }
    }
    pairs.sort_unstable_by_key(|(notes, _)| *notes);
    pairs
}

/// Two notes that may not both be right, for the reader.
fn contradiction([left, right]: &[String; 2], clash: Clash, firmer: Option<usize>) -> String {
    let what = if clash.is_sure() { "contradict each other" } else { "give different dates" };
    let which = match firmer {
        Some(0) => ". The first is better supported",
        Some(_) => ". The second is better supported",
        None => "",
    };
    format!("The documents {what}: {left}; {right}{which}")
}

/// Whether a text names a file, with its folders or without.
fn names_file(text: &str, file: &str) -> bool {
    text.to_lowercase().contains(&file.rsplit(['/', '\\']).next().unwrap_or(file).to_lowercase())
}

fn said(note: &Note) -> String {
    let answer: String = note.answer.chars().take(LONGEST_SAID_CHARS).collect();
    format!("“{answer}” ({})", note.place())
}

fn listed(items: &[&str]) -> String {
    let (named, more) = items.split_at(items.len().min(MOST_NAMED));
    match more.len() {
        0 => named.join("; "),
        more => format!("{}; and {more} more", named.join("; ")),
    }
}
