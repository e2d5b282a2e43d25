//! Questions in words: readers answer with claims about a part, reviewers with a verdict on each (docs/claims.md).
//!
//! A claim names the lines that it rests on. Code looks first: what it rejects costs the claim, never the answer. An
//! answer of another shape that some models give, words with quotes, is one claim.

use std::sync::Arc;

use frlm_protocol::{Mode, OutputConstraint};
use frlm_util::text::collapse_whitespace;
use frlm_verifier::claims::prompt::{self, Part, Shown};
use frlm_verifier::claims::{Answer, Claim, Failure, LineRange, Quote, Text, Verdict, answer, check};

use super::json::{delimiter, words};
use super::{DialectError, MapAnswer, MapTask, Prompt, RecordMatch};
use crate::ingest::{DocumentId, Fragment, FragmentId};

/// Tokens of a reading: some sixteen claims, and more of short ones.
const READING_TOKENS: u32 = 2_048;
/// Tokens of a review: its frame, and one verdict with quotation marks.
const REVIEW_TOKENS: (u32, u32) = (32, 12);
/// Empty lines in a row that a reader is shown as such; more of them are left out, and told as a gap.
const MOST_EMPTY_LINES: usize = 3;
/// How much of the part before a reader is shown.
const MOST_LINES_BEFORE: usize = 8;
const MOST_CHARS_BEFORE: usize = 500;
/// Lines of one range that are cited.
const MOST_CITED_LINES: usize = 4;

/// The fragment of the notes that an answer was written from.
pub const NOTES: FragmentId = FragmentId(u32::MAX);

/// How an answer in words is to be put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// As claims, each with its lines.
    Claims(Parts),
    /// As one, with quotes: what is judged as a whole, by a schema or a check of the user's, may be a program.
    Whole,
}

impl Default for Form {
    fn default() -> Self {
        Self::Claims(Parts::default())
    }
}

impl Form {
    /// How the documents are cut, as far as their reader is told.
    pub fn parts(&self) -> Parts {
        match self {
            Self::Claims(parts) => parts.clone(),
            Self::Whole => Parts::default(),
        }
    }
}

/// How the documents are cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts(Arc<Vec<Cut>>);

/// How one document is cut.
#[derive(Debug, PartialEq, Eq)]
struct Cut {
    document: DocumentId,
    /// Its first part.
    first: u32,
    /// For each part, how the one before it ends.
    before: Vec<String>,
}

impl Parts {
    /// Of fragments in the order of their documents.
    pub fn of(fragments: &[Arc<Fragment>]) -> Self {
        let mut cuts: Vec<Cut> = Vec::new();
        for (at, fragment) in fragments.iter().enumerate() {
            match cuts.last_mut().filter(|cut| cut.document == fragment.document) {
                Some(cut) => cut.before.push(end(&fragments[at - 1])),
                None => cuts.push(Cut {
                    document: fragment.document,
                    first: fragment.id.0,
                    before: vec![String::new()],
                }),
            }
        }
        Self(Arc::new(cuts))
    }

    /// The number of a fragment among the parts of its document, from 0, with that document. One that is in none stands by
    /// itself.
    fn find(&self, fragment: &Fragment) -> Option<(u32, &Cut)> {
        let cut = self.0.iter().find(|cut| cut.document == fragment.document)?;
        let number = fragment.id.0.checked_sub(cut.first)?;
        ((number as usize) < cut.before.len()).then_some((number, cut))
    }

    /// Which part of its document a fragment is, from 1, and of how many.
    fn place(&self, fragment: &Fragment) -> (u32, u32) {
        self.find(fragment)
            .map_or((1, 1), |(number, cut)| (number + 1, u32::try_from(cut.before.len()).unwrap_or(u32::MAX)))
    }

    fn before(&self, fragment: &Fragment) -> &str {
        self.find(fragment).map_or("", |(number, cut)| &cut.before[number as usize])
    }
}

/// The last lines of a part: what a list or a sentence in the next one may begin with.
fn end(part: &Fragment) -> String {
    // A long text is looked at without being held.
    let part = part.unread();
    let (mut last, mut chars) = (Vec::new(), 0);
    for record in part.records.iter().rev().take(MOST_LINES_BEFORE) {
        chars += record.text.chars().count();
        if chars > MOST_CHARS_BEFORE && !last.is_empty() {
            break;
        }
        last.push(collapse_whitespace(&record.text));
    }
    last.reverse();
    last.join(" ")
}

/// A part as code checks claims about it.
pub fn text_of(fragment: &Fragment) -> Text {
    Seen::new(fragment, &Parts::default()).text
}

/// A part of a document as readers and reviewers see it.
#[derive(Debug)]
struct Seen<'a> {
    fragment: &'a Fragment,
    text: Text,
    place: (u32, u32),
    headings: Vec<&'a str>,
    before: &'a str,
}

impl<'a> Seen<'a> {
    fn new(fragment: &'a Fragment, parts: &'a Parts) -> Self {
        let headings = headings(fragment);
        let before = parts.before(fragment);
        let about = format!("{}\n{}\n{before}", fragment.file, headings.join("\n"));
        let text = Text::new(lines(fragment), &about);
        Self { fragment, text, place: parts.place(fragment), headings, before }
    }

    fn part(&self) -> Part<'_> {
        let (number, of) = self.place;
        Part { document: &self.fragment.file, number, of, headings: &self.headings, before: self.before }
    }

    fn fence(&self, beside: &str) -> String {
        delimiter(self.fragment, beside, &self.fragment.text)
    }
}

/// The headings that a part stands under, outermost first.
pub fn headings(fragment: &Fragment) -> Vec<&str> {
    let first = *fragment.span.lines.start();
    let headings = fragment
        .transcript
        .as_ref()
        .and_then(|transcript| transcript.entry(first).map(|entry| transcript.headings(entry)));
    headings.unwrap_or_default()
}

/// The lines that are asked about, and the empty ones between them.
fn lines(fragment: &Fragment) -> Vec<(u32, String)> {
    let mut lines: Vec<(u32, String)> = Vec::with_capacity(fragment.records.len());
    for record in &fragment.records {
        if let Some((last, _)) = lines.last() {
            let between = last + 1..record.line;
            if between.len() <= MOST_EMPTY_LINES {
                lines.extend(between.map(|line| (line, String::new())));
            }
        }
        lines.push((record.line, record.prompt_text().to_owned()));
    }
    lines
}

/// What a reader of a part is asked.
pub fn reading_prompt(task: &MapTask, parts: &Parts, fragment: &Fragment) -> Prompt {
    let seen = Seen::new(fragment, parts);
    let question = if task.manner.is_empty() {
        task.question.clone()
    } else {
        format!("{} ({})", task.question, task.manner)
    };
    let text = prompt::reading(seen.part(), &seen.text, &question, &seen.fence(&question));
    let schema = serde_json::from_str(answer::SCHEMA).ok().map(OutputConstraint::JsonSchema);
    of_text(text.unwrap_or_default(), READING_TOKENS, schema)
}

/// A reader's answer after the code checks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claimed {
    /// What code has nothing against, with the words of the lines that it rests on.
    pub claims: Vec<Claim>,
    /// The others, and why they fell.
    pub fallen: Vec<(Claim, Failure)>,
}

/// Reads a reader's answer, and checks its claims against the part.
pub fn read(parts: &Parts, fragment: &Fragment, answer: &str) -> Result<Claimed, DialectError> {
    let seen = Seen::new(fragment, parts);
    let read = Answer::parse(answer);
    let stated = if is_in_words(answer) { as_claims(words(fragment, answer)?) } else { read.claims };
    let mut claimed = Claimed::default();
    for claim in stated {
        match check(&claim, &seen.text) {
            Ok(claim) => claimed.claims.push(claim),
            Err(failure) => claimed.fallen.push((claim, failure)),
        }
    }
    if !is_in_words(answer) && !read.is_readable {
        return Err(DialectError::Shape("it has no list of claims".to_owned()));
    }
    let nothing_is_left = claimed.claims.is_empty() && !is_in_words(answer) && !read.dropped.is_empty();
    match claimed.fallen.first().filter(|_| claimed.claims.is_empty()) {
        Some((_, failure)) => Err(DialectError::NotBorneOut(failure.clone())),
        None if nothing_is_left => Err(DialectError::Shape(read.dropped[0].to_string())),
        None => Ok(claimed),
    }
}

/// Claims that name lines alone, with the words of these lines; `None` where code has something against one of them.
pub fn holds(fragment: &Fragment, claims: impl Iterator<Item = Claim>) -> Option<Vec<Claim>> {
    let parts = Parts::default();
    let seen = Seen::new(fragment, &parts);
    claims.map(|claim| check(&claim, &seen.text).ok()).collect()
}

/// Whether an answer is of the shape that some models give without being asked for it: words with quotes.
fn is_in_words(answer: &str) -> bool {
    !answer.contains("\"claims\"") && answer.contains("\"found\"")
}

/// An answer in words as the claim that it is; none if it found nothing.
fn as_claims(answer: MapAnswer) -> Vec<Claim> {
    match answer {
        MapAnswer::Words { answer, quotes } if !answer.is_empty() => {
            let quotes = quotes.into_iter();
            let quotes = quotes
                .map(|found| Quote { lines: LineRange::new(found.line, found.line), words: found.quote });
            vec![Claim { text: answer, quotes: quotes.collect() }]
        }
        _ => Vec::new(),
    }
}

/// A claim as an answer of its own, with the lines that it rests on as they stand in the file.
pub fn as_answer(claim: &Claim, fragment: &Fragment) -> MapAnswer {
    let cited = |lines: LineRange| {
        let records = &fragment.records;
        let from = records.partition_point(|record| record.line < lines.first());
        let within = records[from..].iter().take_while(move |record| record.line <= lines.last());
        within.take(MOST_CITED_LINES).map(|record| RecordMatch {
            line: record.line,
            quote: record.text.trim().to_owned(),
            value: None,
            reported: None,
        })
    };
    let mut quotes: Vec<RecordMatch> = claim.quotes.iter().flat_map(|quote| cited(quote.lines)).collect();
    quotes.sort_by_key(|quote| quote.line);
    quotes.dedup();
    MapAnswer::Words { answer: claim.text.clone(), quotes }
}

/// A reader's answer as one, for those who compare answers as a whole: its claims one after the other, or its own words.
pub fn whole(fragment: &Fragment, answer: &str) -> Result<MapAnswer, DialectError> {
    if is_in_words(answer) {
        return words(fragment, answer);
    }
    let claims = read(&Parts::default(), fragment, answer)?.claims;
    let mut all = Vec::new();
    for claim in &claims {
        if let MapAnswer::Words { quotes, .. } = as_answer(claim, fragment) {
            all.extend(quotes);
        }
    }
    all.sort_by_key(|quote| quote.line);
    all.dedup();
    let texts: Vec<&str> = claims.iter().map(|claim| claim.text.as_str()).collect();
    Ok(MapAnswer::Words { answer: texts.join(" "), quotes: all })
}

/// A claim that is to be reviewed, with the part that it was read from.
#[derive(Debug, Clone)]
pub struct UnderReview {
    /// What was claimed.
    pub claim: Claim,
    /// Of what.
    pub fragment: Arc<Fragment>,
}

/// Claims for one reviewer.
#[derive(Debug, Clone)]
pub struct ReviewTask {
    /// At most [`prompt::MOST_REVIEWED`].
    pub claims: Vec<UnderReview>,
    /// How the documents are cut.
    pub parts: Parts,
    /// Whether it is for the reviewer that the user trusts, and for nobody else.
    pub is_for_trusted: bool,
}

impl ReviewTask {
    /// What a reviewer is asked.
    pub fn prompt(&self) -> Prompt {
        let seen: Vec<Seen<'_>> =
            self.claims.iter().map(|one| Seen::new(&one.fragment, &self.parts)).collect();
        let shown: Vec<Shown<'_>> = self
            .claims
            .iter()
            .zip(&seen)
            .map(|(one, seen)| {
                // Beside a note stand other notes, not the rest of what it says.
                let around = if one.fragment.id == NOTES { 0 } else { prompt::LINES_AROUND };
                Shown { claim: &one.claim, text: &seen.text, part: seen.part(), around }
            })
            .collect();
        let beside: Vec<&str> = self.claims.iter().map(|one| one.claim.text.as_str()).collect();
        let others: String = seen.iter().skip(1).map(|seen| &*seen.fragment.text).collect();
        let fence = seen.first().map(|seen| seen.fence(&format!("{}\n{others}", beside.join("\n"))));
        let text = prompt::review(&shown, &fence.unwrap_or_default()).unwrap_or_default();
        let count = self.claims.len();
        let (frame, each) = REVIEW_TOKENS;
        let tokens = frame + each * u32::try_from(count).unwrap_or(u32::MAX);
        of_text(text, tokens, Some(OutputConstraint::JsonSchema(prompt::review_schema(count))))
    }

    /// The verdicts of a review, in the order of the claims.
    pub fn read(&self, answer: &str) -> Result<Vec<Verdict>, DialectError> {
        let count = self.claims.len();
        let verdicts = prompt::verdicts(answer, count);
        verdicts.ok_or_else(|| DialectError::Shape(format!("it is no list of {count} verdicts")))
    }
}

/// A prompt of one text. Rules are told apart from the document, as jobs have them.
fn of_text(text: String, max_tokens: u32, constraint: Option<OutputConstraint>) -> Prompt {
    let (instruction, input) = match text.find("\nDocument: ") {
        Some(at) => (text[..at].to_owned(), text[at + 1..].to_owned()),
        None => (text, String::new()),
    };
    Prompt { instruction, inputs: vec![input], mode: Mode::Together, max_tokens, constraint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::testing::fragment;

    const LEASE: &str = "Lease of 3 May 2021\n\nThe rent is 900 EUR a month.\nThe tenant, Anna Beck, pays it by the third\n\
                         of each month unless the landlord agrees otherwise.\n";

    fn task(question: &str) -> MapTask {
        MapTask { question: question.to_owned(), query: None, manner: String::new(), form: Form::default() }
    }

    fn answering(lines: &str, claim: &str) -> String {
        format!("{{\"claims\": [{{\"lines\": [{lines}], \"claim\": \"{claim}\"}}]}}")
    }

    #[test]
    fn a_reader_sees_every_line_with_its_number_and_the_question_after_it() {
        let prompt =
            reading_prompt(&task("What is the rent?"), &Parts::default(), &fragment("lease.txt", LEASE));
        let [text] = prompt.texts().try_into().unwrap();
        assert!(text.contains("3| The rent is 900 EUR a month.\n4| The tenant"), "{text}");
        assert!(!text.contains('…'), "an empty line is none that is missing");
        assert!(text.find("900 EUR a month").unwrap() < text.find("What is the rent?").unwrap());
        assert!(
            prompt.instruction.starts_with("You read one part") && prompt.inputs[0].starts_with("Document: ")
        );
    }

    #[test]
    fn a_part_that_begins_within_a_list_is_shown_how_the_one_before_ends() {
        let text = "The tenant, Anna Beck, pays:\n(a) the rent of 900 EUR,\n(b) all costs of heating.\n";
        let parts: Vec<Arc<Fragment>> =
            crate::dialect::testing::fragments("lease.txt", text, 1).into_iter().map(Arc::new).collect();
        let cut = Parts::of(&parts);
        let [asked] = reading_prompt(&task("Who pays what?"), &cut, &parts[1]).texts().try_into().unwrap();
        assert!(asked.contains("The part before ends: \"The tenant, Anna Beck, pays:\"\n"), "{asked}");
        let [asked] = reading_prompt(&task("Who pays what?"), &cut, &parts[0]).texts().try_into().unwrap();
        assert!(!asked.contains("The part before ends"), "{asked}");
        let claim = answering("[2, 2]", "The tenant, Anna Beck, pays the rent of 900 EUR.");
        assert_eq!(
            read(&cut, &parts[1], &claim).unwrap().claims.len(),
            1,
            "the name stands in the part before"
        );
        assert!(read(&Parts::default(), &parts[1], &claim).is_err());
    }

    #[test]
    fn a_claim_that_code_turns_down_costs_itself() {
        let lease = fragment("lease.txt", LEASE);
        let two = "{\"claims\": [{\"lines\": [[3, 3]], \"claim\": \"The rent is 900 EUR a month.\"}, \
                   {\"lines\": [[3, 3]], \"claim\": \"The rent is 950 EUR a month.\"}]}";
        let claimed = read(&Parts::default(), &lease, two).unwrap();
        assert_eq!((claimed.claims.len(), claimed.fallen.len()), (1, 1));
        let false_one = read(&Parts::default(), &lease, &answering("[3, 3]", "The rent is 950 EUR a month."));
        assert!(matches!(false_one, Err(DialectError::NotBorneOut(why)) if why.to_string().contains("950")));
        assert_eq!(read(&Parts::default(), &lease, "{\"claims\": []}").unwrap(), Claimed::default());
        assert!(read(&Parts::default(), &lease, "I do not know.").is_err());
    }

    #[test]
    fn words_with_quotes_are_one_claim() {
        let words = "{\"found\": true, \"answer\": \"The rent is 900 EUR.\", \"quotes\": [{\"line\": 3, \"quote\": \"900 EUR\"}]}";
        let claimed = read(&Parts::default(), &fragment("lease.txt", LEASE), words).unwrap();
        assert_eq!(claimed.claims[0].text, "The rent is 900 EUR.");
        let nothing = "{\"found\": false, \"answer\": \"\", \"quotes\": []}";
        assert_eq!(
            read(&Parts::default(), &fragment("lease.txt", LEASE), nothing).unwrap(),
            Claimed::default()
        );
    }

    #[test]
    fn a_claim_is_cited_by_the_lines_as_they_stand() {
        let lease = fragment("lease.txt", LEASE);
        let claim = "Anna Beck pays by the third of each month unless the landlord agrees otherwise.";
        let claimed = read(&Parts::default(), &lease, &answering("[4, 5]", claim)).unwrap();
        let MapAnswer::Words { quotes, .. } = as_answer(&claimed.claims[0], &lease) else { panic!("words") };
        let lines: Vec<(u32, &str)> = quotes.iter().map(|quote| (quote.line, quote.quote.as_str())).collect();
        assert_eq!(lines[0], (4, "The tenant, Anna Beck, pays it by the third"));
        assert_eq!(lines[1].0, 5);
    }

    #[test]
    fn a_reviewer_sees_the_lines_around_a_claim_and_gives_a_verdict_on_each() {
        let lease = Arc::new(fragment("lease.txt", LEASE));
        let claim = read(&Parts::default(), &lease, &answering("[3, 3]", "The rent is 900 EUR a month."))
            .unwrap()
            .claims
            .remove(0);
        let one = UnderReview { claim, fragment: Arc::clone(&lease) };
        let review =
            ReviewTask { claims: vec![one.clone(), one], parts: Parts::default(), is_for_trusted: false };
        let [text] = review.prompt().texts().try_into().unwrap();
        assert!(text.contains("5| of each month") && text.contains("Claim 2: "), "{text}");
        let verdicts = review.read("{\"verdicts\": [\"supported\", \"not_stated\"]}").unwrap();
        assert_eq!(verdicts, [Verdict::Supported, Verdict::NotStated]);
        assert!(review.read("{\"verdicts\": [\"supported\"]}").is_err());
    }
}
