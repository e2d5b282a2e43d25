//! The answer on stdout: for people or as the contract's JSON object.

use std::fmt::Write as _;

use frlm_conductor::run::known::ANOTHER;
use frlm_protocol::{one_line, printable};
use frlm_questions::answer::{Answer, Citation, Method, VerificationReport};
use frlm_questions::ingest::DocumentsReport;
use frlm_util::text::shortened;

use crate::units::{percent, plural};

/// Records shown to people as sources; the JSON object has them all.
const MOST_SHOWN: usize = 5;
/// Notes shown to people as sources, for a text that names them by number.
const MOST_NOTES: usize = 40;
/// Characters of a note's quote that are shown.
const QUOTE_CHARS: usize = 90;
/// Findings of the last look at the whole answer that are shown to people; the JSON object has them all.
pub const MOST_FINDINGS: usize = 6;

/// One JSON object.
pub fn json(answer: &Answer) -> String {
    // Strings, numbers and lists of them: nothing in it can fail to serialise.
    serde_json::to_string(answer).unwrap_or_default()
}

/// For people. Text from documents and peers is stripped of control characters.
pub fn human(answer: &Answer) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = writeln!(text, "{}\n", printable(&answer.answer));
    reservations(&mut text, answer);
    sources(&mut text, answer);
    let (subtasks, confidence) = (&answer.subtasks, answer.confidence);
    let _ = match &answer.reading {
        Some(reading) => {
            for note in &reading.notes {
                let _ = writeln!(text, "! {}", one_line(note));
            }
            let asked = match answer.method {
                Method::Code => "no provider was asked",
                Method::Direct | Method::MapReduce | Method::Program => {
                    "after a provider had read the question"
                }
            };
            writeln!(text, "computed by code, {asked}; confidence {confidence:.2} that it is what you meant")
        }
        None if subtasks.total == 0 => writeln!(text, "no provider was asked; confidence {confidence:.2}"),
        None if answer.verification.claims.is_some() => writeln!(
            text,
            "{} of the documents read and settled by claims ({}), confidence {confidence:.2}",
            percent(answer.coverage),
            answer.verification.policy,
        ),
        None => writeln!(
            text,
            "{} of {} parts verified ({}, {} answers, {:.0}% agreement), coverage {}, confidence {confidence:.2}",
            subtasks.verified,
            subtasks.total,
            answer.verification.policy,
            answer.verification.replicas,
            answer.verification.agreement * 100.0,
            percent(answer.coverage),
        ),
    };
    let DocumentsReport { read, unread } = &answer.documents;
    if !unread.is_empty() {
        let of = plural(read + unread.len(), "document");
        let _ = writeln!(text, "{read} of {of} read, coverage {}", percent(answer.coverage));
    }
    let verification = &answer.verification;
    if let Some(claims) = verification.claims {
        let _ = writeln!(text, "{}", claims.in_words());
        if let Some(saved) = claims.reuse_in_words() {
            let _ = writeln!(text, "{saved} (--fresh reads all of it)");
        }
    }
    if let Some(completeness) = answer.completeness {
        let _ = writeln!(text, "{}", completeness.in_words());
    }
    if verification.spot_checks + verification.gold_tasks + verification.gold_failed > 0 {
        let _ = writeln!(
            text,
            "{} answers rechecked; {} gold tasks, {} wrong answers to them",
            verification.spot_checks, verification.gold_tasks, verification.gold_failed
        );
    }
    let budget = &answer.budget;
    let _ = writeln!(
        text,
        "{} of {} sats spent, {} available · {:.1} s · run {}",
        budget.spent_sats,
        budget.limit_sats,
        budget.available_sats,
        answer.duration_ms as f64 / 1e3,
        answer.run_id
    );
    text
}

/// What the answer rests on. Where its text names notes by number, a reader looks for these numbers: lines of one note that
/// follow each other are one source then.
fn sources(text: &mut String, answer: &Answer) {
    let is_by_notes = answer.verification.claims.is_some();
    let follows = |before: &Citation, next: &Citation| {
        is_by_notes
            && (&before.file, before.claim, &before.location) == (&next.file, next.claim, &next.location)
            && before.lines[1].saturating_add(1) == next.lines[0]
    };
    let sources: Vec<&[Citation]> = answer.citations.chunk_by(follows).collect();
    let most = if is_by_notes { MOST_NOTES } else { MOST_SHOWN };
    for source in sources.iter().take(most) {
        let ([begin, ..], [.., end]) = (source, source) else { continue };
        let number = begin.claim.filter(|_| is_by_notes).map_or(String::new(), |claim| format!("[{claim}] "));
        let file = one_line(&begin.file);
        let quote = if is_by_notes {
            let whole: Vec<&str> = source.iter().map(|citation| citation.quote.trim()).collect();
            shortened(&one_line(&whole.join(" ")), QUOTE_CHARS)
        } else {
            printable(&begin.quote).into_owned()
        };
        let ([first, _], [_, last]) = (begin.lines, end.lines);
        let location = begin.location.to_string();
        let _ = match (location.is_empty(), first == last) {
            // Terminals open `file:line`.
            (true, true) => writeln!(text, "  {number}{file}:{first}  {quote}"),
            (true, false) => writeln!(text, "  {number}{file}:{first}–{last}  {quote}"),
            (false, _) => writeln!(text, "  {number}{file}, {}: {quote}", one_line(&location)),
        };
    }
    if sources.len() > most {
        let _ =
            writeln!(text, "  … and {} more: frlm runs show {} --json", sources.len() - most, answer.run_id);
    }
    if !sources.is_empty() {
        text.push('\n');
    }
}

/// What the reader must know before acting on the answer: it stands between the answer and what it rests on.
fn reservations(text: &mut String, answer: &Answer) {
    if let Some(caution) = answer.caution() {
        let _ = writeln!(text, "! {}\n", printable(caution));
    }
    if let Some(doubt) = answer.doubt() {
        let _ = writeln!(text, "! {doubt}\n");
    }
    if let Some(why) = answer.no_surer() {
        let _ = writeln!(text, "! {}\n", printable(why));
    }
    let (findings, more) = findings(&answer.verification);
    if findings.is_empty() {
        return;
    }
    let _ = writeln!(text, "The final check found:");
    for finding in findings {
        let _ = writeln!(text, "  ! {finding}");
    }
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more: frlm runs show {} --json", answer.run_id);
    }
    text.push('\n');
}

/// What the last look at the whole answer found (tier 4), in words that can be shown, and how many more there are.
pub fn findings(verification: &VerificationReport) -> (Vec<String>, usize) {
    let Some(check) = &verification.final_check else { return (Vec::new(), 0) };
    // What contradicts the user's own knowledge comes last, and is shown first.
    let (known, others): (Vec<&String>, Vec<&String>) =
        check.findings.iter().partition(|finding| finding.starts_with(ANOTHER));
    let shown = known.into_iter().chain(others).take(MOST_FINDINGS);
    let shown = shown.map(|finding| printable(finding).into_owned()).collect();
    (shown, check.findings.len().saturating_sub(MOST_FINDINGS))
}

#[cfg(test)]
pub(crate) mod tests {
    use frlm_questions::answer::{
        BudgetReport, ClaimsReport, FinalReport, Location, Method, SubtaskReport, UsageReport,
    };
    use frlm_questions::ingest::Unread;

    use super::*;

    pub(crate) fn sample_answer(findings: Vec<String>) -> Answer {
        let check = FinalReport { passed: findings.is_empty(), claims: 3, findings };
        Answer {
            run_id: "5e1f".to_owned(),
            answer: "48 orders failed.".to_owned(),
            method: Method::MapReduce,
            reading: None,
            confidence: 0.9,
            coverage: 1.0,
            documents: DocumentsReport::default(),
            completeness: None,
            citations: Vec::new(),
            budget: BudgetReport {
                limit_sats: 10,
                spent_sats: 0,
                fees_sats: 0,
                reserved_sats: 0,
                pending_refund_sats: 0,
                available_sats: 10,
                refund_at: None,
            },
            subtasks: SubtaskReport::default(),
            verification: VerificationReport {
                policy: "adaptive".to_owned(),
                replicas: 3,
                agreement: 1.0,
                spot_checks: 0,
                rechecks: 0,
                arbitrated: 0,
                gold_tasks: 0,
                gold_failed: 0,
                claims: None,
                final_check: Some(check),
            },
            decisions: Vec::new(),
            usage: UsageReport::default(),
            duration_ms: 1_000,
        }
    }

    #[test]
    fn final_check_findings_print_before_the_sources_known_answer_first() {
        let mut found: Vec<String> = (1..=7).map(|note| format!("note {note}\u{1b} is not used")).collect();
        found.push(format!("{ANOTHER}\"26\", and this is another one"));
        let text = human(&sample_answer(found));
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("no \"{words}\" in {text}"));
        assert!(at("48 orders failed.") < at("  ! the known answer is \"26\""));
        assert!(at("\"26\"") < at("  ! note 1"));
        assert!(at("note 5") < at("… and 2 more: frlm runs show 5e1f --json"));
        assert!(!text.contains('\u{1b}') && !text.contains("note 6"), "{text}");
    }

    #[test]
    fn an_answer_that_is_unsure_of_itself_says_so_before_its_sources() {
        let doubt = |confidence: f64, coverage: f64| {
            let mut unsure = sample_answer(Vec::new());
            (unsure.confidence, unsure.coverage) = (confidence, coverage);
            human(&unsure).contains("\n\n! This answer is uncertain")
        };
        assert!(doubt(0.0004, 1.0));
        // That parts are missing makes those that are there no less sure, and who says nothing of itself is no doubt.
        assert!(!doubt(0.2, 0.25) && !doubt(0.49, 1.0));
    }

    #[test]
    fn without_an_unread_document_no_share_is_whole() {
        let mut told = sample_answer(Vec::new());
        assert!(!human(&told).contains("documents"), "{}", human(&told));
        let unread = Unread { path: "scan.pdf".to_owned(), why: "a scan".to_owned() };
        told.documents = DocumentsReport { read: 999, unread: vec![unread] };
        told.coverage = 0.999;
        assert!(human(&told).contains("\n999 of 1,000 documents read, coverage 99%\n"), "{}", human(&told));
    }

    #[test]
    fn a_text_that_names_notes_has_each_note_once_under_its_number() {
        let cited = |claim: u32, line: u32, quote: &str| Citation {
            fragment: "1".to_owned(),
            file: "lease.txt".to_owned(),
            lines: [line, line],
            location: Location::default(),
            quote: quote.to_owned(),
            claim: Some(claim),
        };
        let mut told = sample_answer(Vec::new());
        told.verification.claims = Some(ClaimsReport::default());
        told.citations =
            vec![cited(2, 7, "  The rent is"), cited(2, 8, "900 euros.  "), cited(3, 9, "It ends in May.")];
        let text = human(&told);
        assert!(
            text.contains(
                "\n  [2] lease.txt:7–8  The rent is 900 euros.\n  [3] lease.txt:9  It ends in May.\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn an_answer_that_stands_is_printed_without_a_word_about_it() {
        assert!(
            human(&sample_answer(Vec::new()))
                .starts_with("48 orders failed.\n\nno provider was asked; confidence")
        );
    }
}
