//! Answers that code computes: the question as a query over a table of the documents (`frlm_tables`). Nothing leaves this
//! machine, and it costs nothing.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use frlm_questions::answer::Reading;
use frlm_questions::ingest::{Document, Fragment, IngestWarning, split_lines};
use frlm_questions::plan::Computed;
use frlm_questions::reduce::{Citation, MOST_CITATIONS};
use frlm_tables::{Answer, Answered, LoadError, LoadOptions, READ_WHOLE, SURE, Store, Table, ask_joined};

use super::document_tables::{InDocument, is_too_long, tables};
use super::read_by_model::Unsure;
use super::readings::{
    NEARLY_SURE, OtherReading, Read, ReadingChoice, less_likely, may_also_mean, of_answer, readings,
};
use super::sureness::{are_sure, confidence, drop_guesses, is_unsure_over, shape};
use crate::config::By;
use crate::failure::Failure;

/// The longest text that code computes over unasked where it would have to be read again for each question, or be in memory as a
/// whole.
pub(super) const MOST_BYTES_UNASKED: usize = 256 << 20;

/// How much memory a table takes that is not read block by block, in sizes of its text, while it is read.
const MEMORY_OF_A_TABLE: usize = 13;

/// What is asked of the tables.
#[derive(Clone, Copy)]
pub(super) struct Inquiry<'run> {
    pub question: &'run str,
    pub by: By,
    /// The reading that a person chose.
    pub choice: Option<&'run ReadingChoice>,
    /// Whether a model of the user's own may read what code is not sure of.
    pub has_model: bool,
    /// Whether a provider may.
    pub has_swarm: bool,
}

/// What is known beside the answer.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub warnings: Vec<IngestWarning>,
    /// Readings that code cannot decide between.
    pub readings: Vec<OtherReading>,
    /// What a model may read.
    pub unsure: Option<Unsure>,
    /// Whether documents hold tables, and code is not sure how the question over them is meant.
    pub is_unsure: bool,
}

/// The answer by code, and the document whose table gave it.
pub(super) struct ByCode {
    document: Document,
    answered: Box<Answered>,
}

/// The answer by code; `None` where somebody else is to be asked: a model of the user's own about what `told` says, or the swarm, with a
/// warning if that is only so because a document is long.
pub(super) fn answer(
    inquiry: Inquiry<'_>,
    documents: &[Document],
    store: Option<&Store>,
    told: &mut Told,
) -> Result<Option<ByCode>, Failure> {
    let Inquiry { question, choice, has_model, has_swarm, .. } = inquiry;
    // A person who chose a reading of code asked code.
    let by = if choice.is_some() { By::Code } else { inquiry.by };
    let sources = if by == By::Swarm { None } else { sources(by, documents, store, &mut told.warnings)? };
    let Some(mut sources) = sources else {
        told.is_unsure = is_unsure_over(&[question], documents, store);
        return Ok(None);
    };
    if let Some(choice) = choice {
        return chosen(choice, &sources, question).map(Some);
    }
    let mut answers: Vec<(usize, Answer)> =
        sources.iter().map(|source| source.table.ask(question)).enumerate().collect();
    // `orders per customer name` is asked of no single table.
    let best = answers.iter().filter_map(|(_, answer)| confidence(answer)).fold(0.0, f64::max);
    let mut is_of_one_table = true;
    if best < NEARLY_SURE {
        let tables: Vec<&Table> = sources.iter().map(|source| &source.table).collect();
        let joined = ask_joined(&tables, question).filter(|joined| joined.answered.confidence > best);
        is_of_one_table = joined.is_none();
        if let Some(joined) = joined
            && (by == By::Code || joined.answered.confidence >= READ_WHOLE)
        {
            return Ok(Some(ByCode::of(sources[joined.table].document, joined.answered)));
        }
    }
    let shapes: Vec<_> = sources.iter().map(|source| shape(&source.table)).collect();
    drop_guesses(&mut answers, &shapes);
    let for_model = match answers.as_slice() {
        [(at, answer)] if is_of_one_table && is_for_model(answer) => Some(*at),
        _ => None,
    };
    let is_taken = matches!(
        answers.as_slice(),
        [(_, Answer::Unique(answered))] if by == By::Code || answered.confidence >= READ_WHOLE
    );
    told.is_unsure = !are_sure(answers.iter().map(|(_, answer)| answer));
    let (mut taken, mut or_else) = (None, None);
    if is_taken && let Some((at, Answer::Unique(mut answered))) = answers.pop() {
        let source = &sources[at];
        let others = less_likely(&source.table, &answered, question);
        answered.notes.extend(others.iter().map(may_also_mean));
        taken = Some(ByCode::of(source.document, answered));
    } else if by == By::Code {
        or_else = Some(Failure::usage(why_not(&sources, &answers)));
    } else {
        // Where one word more would do, the user is told before the swarm is asked.
        let all = answers.into_iter().flat_map(|(at, answer)| {
            let InDocument { document, table } = &sources[at];
            of_answer(table, answer, question).map(|answered| OtherReading::of(&document.name, &answered))
        });
        let all: Vec<OtherReading> = all.collect();
        if all.len() > 1 {
            told.readings = all;
        }
    }
    let for_model = for_model.filter(|_| has_model || has_swarm && taken.is_none() && or_else.is_none());
    match (for_model, or_else) {
        (Some(at), or_else) => {
            told.unsure = Some(Unsure::of(sources.swap_remove(at), question, has_model, or_else));
        }
        (None, Some(failure)) => return Err(failure),
        (None, None) => {}
    }
    Ok(taken)
}

/// The tables of all documents; `None` where the swarm is to be asked.
fn sources<'run>(
    by: By,
    documents: &'run [Document],
    store: Option<&Store>,
    warnings: &mut Vec<IngestWarning>,
) -> Result<Option<Vec<InDocument<'run>>>, Failure> {
    let whole_bytes = if by == By::Auto { MOST_BYTES_UNASKED } else { LoadOptions::default().whole_bytes };
    let mut sources = Vec::new();
    for document in documents {
        if by == By::Auto && store.is_none() && is_too_long(document, MOST_BYTES_UNASKED) {
            let why = "the document cache is off (`cache = false` under [documents]), and code does not read \
                       this much for each question; --by code does";
            warnings.push(left_to_the_swarm(document, why));
            return Ok(None);
        }
        let tables = match tables(document, store, whole_bytes) {
            Ok(tables) => tables,
            Err(error) if by == By::Auto => {
                warnings.push(left_to_the_swarm(document, &why_unasked(document, &error)));
                return Ok(None);
            }
            Err(error) => return Err(Failure::usage(format!("--by code: {}: {error}", document.name))),
        };
        // What a text says beside its tables only a reader knows.
        if tables.is_empty() && by == By::Auto {
            return Ok(None);
        }
        sources.extend(tables.into_iter().map(|table| InDocument { document, table }));
    }
    if sources.is_empty() {
        return Err(Failure::usage(
            "--by code: no table was found in these documents (CSV, JSON, logs, sheets, tables of PDF and Word files); \
             leave it out to ask the swarm",
        ));
    }
    Ok(Some(sources))
}

/// Whether a model may know better than code how the question is meant. What the file leaves open it does not know either.
fn is_for_model(answer: &Answer) -> bool {
    match answer {
        Answer::Unique(answered) => answered.confidence < SURE,
        Answer::Ambiguous(_) | Answer::Refused(_) => true,
        Answer::Asked(_) => false,
    }
}

/// The answer by the reading that a person chose.
fn chosen(choice: &ReadingChoice, sources: &[InDocument], question: &str) -> Result<ByCode, Failure> {
    let is_it = |read: &Read| choice.is(&sources[read.table].document.name, &read.answered);
    let read = readings(sources, question, None).into_iter().find(is_it).ok_or_else(|| {
        Failure::usage("the chosen reading is no reading of these documents any more; ask without it")
    })?;
    let mut answered = read.answered;
    answered.notes.push("you chose this reading".to_owned());
    Ok(ByCode::of(sources[read.table].document, answered))
}

/// Why code does not compute over a document unasked.
fn why_unasked(document: &Document, error: &LoadError) -> String {
    match error {
        LoadError::TooLarge { limit_bytes } => format!(
            "it has more than {} MB, and its format has to be in memory as a whole; --by code does that, and takes about {} GB of \
             memory",
            limit_bytes >> 20,
            (document.text.len() * MEMORY_OF_A_TABLE).div_ceil(1 << 30)
        ),
        other => other.to_string(),
    }
}

/// What the user should know of a document that code leaves to the swarm only because it is long.
fn left_to_the_swarm(document: &Document, why: &str) -> IngestWarning {
    IngestWarning::Noted {
        name: document.name.clone(),
        note: format!("code does not compute over it: {why}"),
    }
}

/// What stands for a document about which nobody is asked.
pub(super) fn first_line(document: &Document) -> Vec<Fragment> {
    split_lines(document, &BTreeSet::from([1]))
}

impl ByCode {
    pub fn of(document: &Document, answered: Box<Answered>) -> Self {
        Self { document: document.clone(), answered }
    }

    /// How the question was read, in words.
    pub fn reading(&self) -> &str {
        &self.answered.reading
    }

    /// Whether it rests on a text that is too long to be held.
    pub fn is_of_kept_text(&self) -> bool {
        self.document.text.is_kept()
    }

    /// The cited lines alone; the first line, where none is cited.
    pub fn fragments(&self) -> Vec<Fragment> {
        let lines: BTreeSet<u32> = self.cited().collect();
        if lines.is_empty() { first_line(&self.document) } else { split_lines(&self.document, &lines) }
    }

    /// As a run takes it, cited from these fragments of the documents.
    pub fn computed(&self, fragments: &[impl Borrow<Fragment>]) -> Computed {
        let Self { document, answered } = self;
        let Answered { reading, outcome, confidence, notes, .. } = &**answered;
        let cited: Vec<u32> = self.cited().collect();
        let citations = citations(document, &cited, fragments);
        let rows = usize::try_from(outcome.matched).unwrap_or(usize::MAX);
        let value = outcome.single().zip(outcome.headings.first());
        Computed {
            text: format!("{} ({reading})", answered.text()),
            value: value.map(|(cell, heading)| heading.plain_text(cell)),
            confidence: *confidence,
            uncited: rows.saturating_sub(citations.len()),
            citations,
            reading: Reading {
                words: reading.clone(),
                sql: answered.sql(),
                file: document.name.clone(),
                rows: outcome.matched,
                left_out: outcome.left_out.iter().map(|left| left.missing + left.misfits).sum(),
                notes: notes.clone(),
            },
        }
    }

    fn cited(&self) -> impl Iterator<Item = u32> {
        self.answered.outcome.lines.iter().copied().take(MOST_CITATIONS)
    }
}

/// The lines of a document as citations.
fn citations(document: &Document, lines: &[u32], fragments: &[impl Borrow<Fragment>]) -> Vec<Citation> {
    let Some(last) = lines.iter().max() else { return Vec::new() };
    let mut texts: HashMap<u32, String> = lines.iter().map(|line| (*line, String::new())).collect();
    for (number, text) in (1..=*last).zip(document.text.lines()) {
        texts.entry(number).and_modify(|known| *known = text.into_owned());
    }
    let own: Vec<&Fragment> =
        fragments.iter().map(Borrow::borrow).filter(|fragment| fragment.document == document.id).collect();
    let cite = |line: &u32| {
        // Fragments stand in the order of their lines.
        let at = own.partition_point(|fragment| fragment.span.lines.end() < line);
        let fragment = own.get(at).filter(|fragment| fragment.span.lines.contains(line))?;
        Some(Citation {
            fragment: fragment.id,
            file: std::sync::Arc::clone(&fragment.file),
            lines: [*line, *line],
            quote: texts.get(line)?.trim_end_matches('\r').to_owned(),
            claim: None,
        })
    };
    lines.iter().filter_map(cite).collect()
}

/// Why code gives no answer, with what the user can do.
fn why_not(sources: &[InDocument], answers: &[(usize, Answer)]) -> String {
    let name = |at: usize| sources[at].document.name.as_str();
    if let [_, _, ..] = answers
        && !answers.iter().all(|(_, answer)| matches!(answer, Answer::Refused(_)))
    {
        let mut names: Vec<&str> = answers.iter().map(|(at, _)| name(*at)).collect();
        // A document may have several tables.
        names.dedup();
        if let [name] = names.as_slice() {
            return format!(
                "--by code: several tables of {name} could answer this; say in the question what only one of them has, or \
                 leave --by code out"
            );
        }
        return format!(
            "--by code: several tables could answer this ({}); name one of them with --file",
            names.join(", ")
        );
    }
    let Some((at, answer)) = answers.first() else { return String::new() };
    let name = name(*at);
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = match answer {
        Answer::Unique(_) => Ok(()),
        Answer::Ambiguous(readings) => {
            let _ = write!(text, "--by code: the question can be read in several ways over {name}:");
            readings
                .iter()
                .try_for_each(|answered| write!(text, "\n  {}: {}", answered.reading, answered.text()))
        }
        Answer::Asked(asked) => {
            write!(
                text,
                "--by code: {name}: {} ({} or {})",
                asked.question, asked.options[0], asked.options[1]
            )
        }
        Answer::Refused(refusal) => {
            let _ = write!(text, "--by code: {} Questions that work on {name}:", refusal.why);
            refusal.suggestions.iter().try_for_each(|question| write!(text, "\n  {question}"))
        }
    };
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use frlm_documents::{Block, Kind, Place, Transcript};
    use frlm_questions::ingest::{SplitOptions, split};

    use super::*;
    use crate::config::Config;
    use crate::documents::Documents;
    use crate::home::Home;
    use crate::run::request::{RunRequest, prepare};
    use crate::run::spec::RunSpec;

    const ORDERS: &str = "order;customer;amount\n1;Ada;1.200,50\n2;Ben;99,50\n3;Ada;300,00\n";

    fn inquiry(by: By, question: &str) -> Inquiry<'_> {
        Inquiry { question, by, choice: None, has_model: false, has_swarm: false }
    }

    fn ask(by: By, documents: &[Document], question: &str) -> Result<Option<Computed>, Failure> {
        let fragments = split(documents, SplitOptions { max_tokens: 2_000, max_records: 16 });
        let answered = answer(inquiry(by, question), documents, None, &mut Told::default())?;
        Ok(answered.map(|answered| answered.computed(&fragments)))
    }

    #[test]
    fn the_lines_that_a_long_text_is_cited_by_are_its_only_parts() {
        let documents = [Document::of_text("orders.csv", ORDERS)];
        let asked = |question| {
            answer(inquiry(By::Code, question), &documents, None, &mut Told::default()).unwrap().unwrap()
        };
        let question = "What is the total amount where customer is Ada?";
        let few = asked(question);
        let fragments = few.fragments();
        let lines: Vec<_> = fragments.iter().map(|fragment| fragment.span.lines.clone()).collect();
        assert_eq!(lines, [2..=2, 4..=4]);
        let computed = few.computed(&fragments);
        let cited = computed.citations.iter().map(|citation| (citation.fragment.0, citation.quote.as_str()));
        assert_eq!(cited.collect::<Vec<_>>(), [(0, "1;Ada;1.200,50"), (1, "3;Ada;300,00")]);
        let all = ask(By::Code, &documents, question).unwrap().unwrap();
        assert_eq!((computed.text, computed.reading), (all.text, all.reading));
        assert_eq!(asked("How many orders have an amount over 5000?").fragments().len(), 1);
    }

    #[test]
    fn a_table_of_a_text_and_a_json_document_are_tables() {
        let question = "What is the total amount where customer is Ada?";
        let text = "# Orders\n\nAs of May.\n\n| order | customer | amount |\n|---|---|---|\n| 1 | Ada | 20 |\n| 2 | Ben | 5 |\n\nMore to come.\n";
        let json = "[\n  {\n    \"order\": 1,\n    \"customer\": \"Ada\",\n    \"amount\": 20\n  },\n  {\n    \"order\": 2,\n    \"customer\": \"Ben\",\n    \"amount\": 5\n  }\n]\n";
        for (name, text) in [("orders.md", text), ("orders.json", json)] {
            let computed = ask(By::Auto, &[Document::of_text(name, text)], question).unwrap();
            assert_eq!(computed.unwrap().value.as_deref(), Some("20"), "{name}");
        }
        let prose = Document::of_text("notes.md", "# Notes\n\nAda ordered twice, for 20 and for 5.\n");
        assert!(
            ask(By::Auto, std::slice::from_ref(&prose), question).unwrap().is_none(),
            "readers read prose"
        );
        assert!(ask(By::Code, &[prose], question).is_err());
    }

    #[test]
    fn one_of_several_files_with_the_same_columns_answers_for_no_other() {
        let january = Document::of_text("jan.csv", "day,shop,amount\n1,Rewe,10\n2,Aldi,20\n3,Rewe,30\n");
        let february =
            Document::of_text("feb.csv", "day,shop,amount\n1,Rewe,15\n2,Aldi,45\n3,Aldi,pending\n");
        let question = "What is the total amount?";
        let alone = ask(By::Code, std::slice::from_ref(&january), question).unwrap().unwrap();
        assert_eq!(alone.value.as_deref(), Some("60"));
        let both = [january, february];
        assert!(ask(By::Auto, &both, question).unwrap().is_none());
        let why = ask(By::Code, &both, question).unwrap_err().to_string();
        assert!(why.contains("several tables could answer this (jan.csv, feb.csv)"), "{why}");
    }

    #[test]
    fn the_table_of_a_long_text_is_made_once_and_kept_in_the_home() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let file = folder.path().join("orders.csv");
        std::fs::write(&file, ORDERS).unwrap();
        let documents = Documents::of(&home).holding(8);
        let asked = || {
            let question = "What is the total amount where customer is Ada?".to_owned();
            let request =
                RunRequest::from_spec(&RunSpec::over(question, vec![file.clone()]), &Config::default())
                    .unwrap();
            let prepared = prepare(RunRequest { by: By::Code, ..request }, &documents).unwrap();
            let lines: Vec<_> = prepared.fragments.iter().map(|part| part.span.lines.clone()).collect();
            let computed = prepared.computed.unwrap();
            let quotes: Vec<String> = computed.citations.into_iter().map(|citation| citation.quote).collect();
            (computed.value.unwrap(), lines, quotes)
        };
        let expected = (
            "1500.5".to_owned(),
            vec![2..=2, 4..=4],
            vec!["1;Ada;1.200,50".to_owned(), "3;Ada;300,00".to_owned()],
        );
        let kept = || documents.tables().unwrap().list().unwrap().len();
        assert_eq!((asked(), kept()), (expected.clone(), 1));
        assert_eq!((asked(), kept()), (expected, 1));
        std::fs::write(&file, ORDERS.replace("300,00", "299,50")).unwrap();
        assert_eq!((asked().0.as_str(), kept()), ("1500", 2));
    }

    #[test]
    fn a_long_text_that_has_to_be_in_memory_is_left_to_the_swarm_and_named() {
        let document = Document::of_text("orders.csv", ORDERS);
        assert_eq!(tables(&document, None, ORDERS.len()).unwrap().len(), 1);
        let error = tables(&document, None, ORDERS.len() - 1).unwrap_err();
        let why = why_unasked(&document, &error);
        assert!(why.contains("--by code does that, and takes about 1 GB"), "{why}");
        let IngestWarning::Noted { name, note } = left_to_the_swarm(&document, "why") else {
            panic!("a note")
        };
        assert_eq!((name.as_str(), note.as_str()), ("orders.csv", "code does not compute over it: why"));
    }

    #[test]
    fn a_sum_over_a_table_is_exact_cited_and_says_how_it_was_read() {
        let documents = [Document::of_text("orders.csv", ORDERS)];
        let computed = ask(By::Auto, &documents, "What is the total amount?").unwrap().unwrap();
        assert!(computed.text.starts_with("1600 ("), "{}", computed.text);
        assert_eq!((computed.reading.rows, computed.reading.left_out), (3, 0));
        let lines: Vec<u32> = computed.citations.iter().map(|citation| citation.lines[0]).collect();
        assert_eq!((lines, computed.citations[0].quote.as_str()), (vec![2, 3, 4], "1;Ada;1.200,50"));
        assert!(computed.reading.sql.starts_with("SELECT"), "{}", computed.reading.sql);
    }

    #[test]
    fn a_question_code_doubts_goes_to_the_swarm_or_is_refused_with_examples() {
        let documents = [Document::of_text("orders.csv", ORDERS)];
        let question = "Why was Ada unhappy with the delivery?";
        assert_eq!(ask(By::Auto, &documents, question).unwrap(), None);
        let refused = ask(By::Code, &documents, question).unwrap_err().to_string();
        assert!(refused.contains("Questions that work on orders.csv:\n  "), "{refused}");
        assert_eq!(ask(By::Swarm, &documents, "How many records are there?").unwrap(), None);
    }

    #[test]
    fn two_tables_are_joined_if_the_key_is_named_or_code_is_asked_for() {
        let customers = "customer,city\nAda,Berlin\nBen,Paris\nEve,Berlin\n";
        let documents = [
            Document::of_text("orders.csv", ORDERS),
            Document {
                id: frlm_questions::ingest::DocumentId(1),
                ..Document::of_text("customers.csv", customers)
            },
        ];
        let question = "What is the total amount per city?";
        assert_eq!(ask(By::Auto, &documents, question).unwrap(), None);
        let computed = ask(By::Code, &documents, question).unwrap().unwrap();
        assert!(computed.text.contains("Berlin: 1500.5; Paris: 99.5"), "{}", computed.text);
        assert!(
            computed.reading.words.contains("joined where customer is customer"),
            "{}",
            computed.reading.words
        );
        let named = ask(By::Auto, &documents, "What is the total amount per city, joined on customer?");
        assert!(named.unwrap().unwrap().confidence > 0.99);
    }

    #[test]
    fn of_readings_that_code_cannot_decide_between_one_may_be_chosen() {
        let documents = [
            Document::of_text("may.csv", ORDERS),
            Document {
                id: frlm_questions::ingest::DocumentId(1),
                ..Document::of_text("june.csv", ORDERS.replace("99,50", "100,50"))
            },
        ];
        let (question, mut told) = ("What is the total amount?", Told::default());
        let swarm = answer(inquiry(By::Auto, question), &documents, None, &mut told).unwrap();
        assert!(swarm.is_none());
        let texts: Vec<&str> = told.readings.iter().map(|reading| reading.text.as_str()).collect();
        assert_eq!(texts, ["1600", "1601"]);
        let choice = &told.readings[1].choice;
        let by_choice = Inquiry { choice: Some(choice), ..inquiry(By::Auto, question) };
        let chosen = answer(by_choice, &documents, None, &mut Told::default()).unwrap().unwrap();
        let computed =
            chosen.computed(&split(&documents, SplitOptions { max_tokens: 2_000, max_records: 16 }));
        assert_eq!((computed.value.as_deref(), computed.reading.file.as_str()), (Some("1601"), "june.csv"));
        assert!(computed.reading.notes.contains(&"you chose this reading".to_owned()));
        let elsewhere = answer(by_choice, &documents[..1], None, &mut Told::default()).map(|_| ());
        assert!(elsewhere.unwrap_err().to_string().contains("no reading of these documents any more"));
    }

    #[test]
    fn beside_a_guess_its_other_readings_are_offered() {
        let text = "Home,Away,HG,AG,Attendance\nEden,Tarn,2,1,400\nTarn,Eden,0,3,1000\nEden,Shap,1,1,500\n";
        let documents = [Document::of_text("fixtures.csv", text)];
        let (question, mut told) = ("Which team had the highest attendance?", Told::default());
        let swarm = answer(inquiry(By::Auto, question), &documents, None, &mut told).unwrap();
        assert!(swarm.is_none());
        let [_, other] = told.readings.as_slice() else { panic!("{:?}", told.readings) };
        assert_eq!(other.text, "Tarn: 1000");
        let by_choice = Inquiry { choice: Some(&other.choice), ..inquiry(By::Auto, question) };
        let chosen = answer(by_choice, &documents, None, &mut Told::default()).unwrap().unwrap();
        assert_eq!(chosen.answered.text(), other.text);
        let guess = answer(inquiry(By::Code, question), &documents, None, &mut Told::default());
        let note = "it may also mean: Home, Attendance with the largest Attendance: 3 rows: Tarn: 1000";
        assert!(guess.unwrap().unwrap().answered.notes.contains(&note.to_owned()));
    }

    #[test]
    fn two_tables_that_both_answer_are_not_taken_for_one() {
        let documents = [
            Document::of_text("may.csv", ORDERS),
            Document { id: frlm_questions::ingest::DocumentId(1), ..Document::of_text("june.csv", ORDERS) },
        ];
        assert_eq!(ask(By::Auto, &documents, "What is the total amount?").unwrap(), None);
        let refused = ask(By::Code, &documents, "What is the total amount?").unwrap_err().to_string();
        assert!(refused.contains("several tables could answer this (may.csv, june.csv)"), "{refused}");
    }

    #[test]
    fn a_document_of_which_several_tables_answer_is_named_once() {
        let row = |table: u32, header: bool, cells: [&str; 2]| Block {
            kind: Kind::Row { table, header, cells: cells.map(str::to_owned).to_vec() },
            text: cells.join(" | "),
            place: Place::Page { page: table, bounds: None },
        };
        let transcript = Transcript::of(vec![
            row(1, true, ["item", "amount"]),
            row(1, false, ["Rent", "1200"]),
            row(2, true, ["guest", "amount"]),
            row(2, false, ["Ada", "80"]),
        ]);
        let text: Arc<str> = transcript.text.as_str().into();
        let lease =
            Document { transcript: Some(Arc::new(transcript)), ..Document::of_text("lease.pdf", text) };
        let refused = ask(By::Code, &[lease], "What is the total amount?").unwrap_err().to_string();
        assert!(
            refused.starts_with("--by code: several tables of lease.pdf could answer this;"),
            "{refused}"
        );
    }

    #[test]
    fn prose_beside_a_table_is_for_readers() {
        let letter = "Dear all,\n\nthe orders of May were late.\n";
        let documents = [
            Document::of_text("orders.csv", ORDERS),
            Document { id: frlm_questions::ingest::DocumentId(1), ..Document::of_text("letter.txt", letter) },
        ];
        assert_eq!(ask(By::Auto, &documents, "What is the total amount?").unwrap(), None);
        assert!(ask(By::Code, &documents, "What is the total amount?").unwrap().is_some());
    }

    #[test]
    fn only_a_long_table_is_left_to_the_swarm_for_its_length() {
        let orders = Document::of_text("orders.csv", ORDERS);
        assert!(is_too_long(&orders, ORDERS.len() - 1) && !is_too_long(&orders, ORDERS.len()));
        assert!(!is_too_long(&Document::of_text("letter.txt", "Dear Ada,\n"), 1));
    }
}
