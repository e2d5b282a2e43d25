//! The last look (seeds/verifier-block.md, "Tier 4"; seeds/super-llm-block.md, `SynthesisEngine`, step 4).

use super::super::words;
use super::*;
use crate::dialect::RecordMatch;
use crate::ingest::{DocumentId, Record, Span};

const REPORT: &str =
    "The disk was 98% full.\nThe disk was 71% full.\nOrder 17 cost 5 EUR.\nThe fan was loud.";

/// Every line a fragment, every line its own answer.
fn report() -> Vec<Fragment> {
    let fragment = |(line, text): (u32, &str)| Fragment {
        id: FragmentId(line - 1),
        document: DocumentId(0),
        file: "report.txt".into(),
        span: Span { lines: line..=line, bytes: 0..text.len(), sha256: String::new() },
        text: text.into(),
        records: vec![Record { line, text: text.into(), shown: None }].into(),
        transcript: None,
    };
    (1..).zip(REPORT.lines()).map(fragment).collect()
}

fn answers(fragments: &[Fragment]) -> Vec<(FragmentRef, MapAnswer)> {
    let quoted = |fragment: &Fragment| {
        let text = fragment.text.trim().to_owned();
        let line = *fragment.span.lines.start();
        let quotes = vec![RecordMatch { line, quote: text.clone(), value: None, reported: None }];
        MapAnswer::Words { answer: text, quotes }
    };
    fragments.iter().map(|fragment| (FragmentRef::from(fragment), quoted(fragment))).collect()
}

fn checked(text: &str) -> FinalCheck {
    let fragments = report();
    let answers = answers(&fragments);
    let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
    let full = Coverage::full(evidence.len());
    let mut reduced = words::concatenated(&evidence, full);
    text.clone_into(&mut reduced.text);
    of_words("How was it?", &reduced, true, &evidence, &fragments.iter().collect::<Vec<_>>(), full)
}

#[test]
fn an_answer_that_uses_all_notes_and_names_the_contradiction_passes() {
    let text = "The disk was 98% [1] or 71% [2] full; order 17 cost 5 EUR [3]; the fan was loud [4].";
    let check = checked(text);
    assert!(check.passed(), "{:?}", check.in_words());
    assert_eq!((check.parts, check.reservations().as_str()), (4, ""));
    assert!(check.claims >= 8, "four citations and four figures: {}", check.claims);
}

#[test]
fn a_sentence_without_a_source_is_to_be_corrected_or_else_marked() {
    let text = "The disk was 98% [1] or 71% [2] full. Order 17 cost 5 EUR [4]. The fan was loud [4]. Somebody did \
                all of it on purpose.";
    let mut check = checked(text);
    let fragments = report();
    let answers = answers(&fragments);
    let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
    check.sentences("How was it?", text, &evidence, Coverage::full(evidence.len()), false);
    let found = check.in_words();
    assert!(found.iter().any(|words| words.starts_with("sentence 2: the figure")), "{found:?}");
    assert!(found.contains(&"sentence 4: it names no note".to_owned()), "{found:?}");
    assert!(!check.is_fatal());
    assert!(check.correction().contains("its sentences 2, 4 did not"), "{}", check.correction());
    let marked = check.marked(text);
    assert!(marked.contains("5 EUR [4]. [no source] The fan") && marked.ends_with("on purpose. [no source]"));
    assert!(check.reservations().contains("[no source]"));
}

#[test]
fn omissions_are_numbered_in_the_correction_and_named_in_the_answer() {
    let check = checked("The disk was 98% [1] or 71% [2] full; order 17 cost 5 EUR [3].");
    assert_eq!(check.in_words(), ["note 4 is not used"]);
    assert!(!check.is_fatal());
    let correction = check.correction();
    assert!(correction.contains("[4]") && !correction.contains("fan"), "{correction}");
    let reservations = check.reservations();
    assert!(reservations.contains("“The fan was loud.” (report.txt line 4)"), "{reservations}");
}

#[test]
fn a_contradiction_that_the_text_hides_is_found() {
    let check = checked("The disk was 98% full [1][2]; order 17 cost 5 EUR [3]; the fan was loud [4].");
    assert_eq!(check.in_words(), ["notes 1 and 2 contradict each other"]);
    assert!(check.correction().contains("[1] and [2]"));
    assert!(check.reservations().contains("98%") && check.reservations().contains("71%"));
}

const CLASH: Clash = Clash { difference: Difference::Number, in_same_words: true };

/// Notes of one sentence each, with their files.
fn of_files(said: &[(&str, &str)]) -> Vec<(FragmentRef, MapAnswer)> {
    let note = |(id, (file, text)): (u32, &(&str, &str))| {
        let quotes = vec![RecordMatch { line: 1, quote: (*text).to_owned(), value: None, reported: None }];
        (FragmentRef::of_text(FragmentId(id), file), MapAnswer::Words { answer: (*text).to_owned(), quotes })
    };
    (0..).zip(said).map(note).collect()
}

#[test]
fn files_that_give_different_dates_are_named_unless_the_text_gives_both() {
    let said = [
        ("lease.txt", "The lease of Anna Beck begins on 1 May 2019."),
        ("letter.txt", "The lease of Anna Beck begins on 1 June 2019."),
    ];
    let answers = of_files(&said);
    let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
    let told = conflicts(&evidence, |_| 0.9);
    assert!(
        told.starts_with("[1] and [2] are alike and differ in a date:") && told.contains("name their files"),
        "{told}"
    );
    let full = Coverage::full(2);
    let check = |text: &str| {
        let mut reduced = words::concatenated(&evidence, full);
        text.clone_into(&mut reduced.text);
        of_words("When does the lease begin?", &reduced, true, &evidence, &[], full)
    };
    let is_named = |text: &str| check(text).reservations().contains("The documents give different dates: “");
    assert!(is_named("The lease begins on 1 May 2019 [1]. A letter says more [2]."));
    assert!(!is_named("It begins on 1 May 2019 by lease.txt [1] and on 1 June 2019 by letter.txt [2]."));
    let both = "It begins on 1 May 2019 [1], or on 1 June 2019 by letter.txt [2].";
    let hidden = check(both).count(|finding| matches!(finding, Finding::Contradiction { .. }));
    assert!(hidden == 0 && is_named(both), "a file that the text does not name is named by code");
    let minutes =
        [("minutes.txt", "The board met on 3 May 2021."), ("minutes.txt", "The board met on 9 May 2021.")];
    let answers = of_files(&minutes);
    let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
    assert_eq!(conflicts(&evidence, |_| 0.9), "", "one document may tell of two meetings");
}

#[test]
fn however_many_contradict_each_other_the_notes_keep_their_room() {
    let told = |count: usize| told_of((1..=count).map(|number| ([number, number + 1], CLASH, Some(1))));
    assert_eq!(told(0), "");
    assert_eq!(told(MOST_TOLD).matches("contradict").count(), MOST_TOLD);
    let all = told(100_000);
    assert!(all.ends_with("99980 more pairs contradict each other: say so."), "{all}");
    assert!(all.len() < 4_096, "{}", all.len());
}

#[test]
fn of_two_that_contradict_each_other_the_better_supported_is_named() {
    let fragments = report();
    let answers = answers(&fragments);
    let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
    // What fragment 1 said is believed more than what fragment 0 did.
    let second = |id: FragmentId| if id == FragmentId(1) { 0.9 } else { 0.6 };
    let told = conflicts(&evidence, second);
    assert_eq!(
        told,
        "[1] and [2] contradict each other: give both and say so, put [2] first and say that it is better supported."
    );
    assert!(!conflicts(&evidence, |_| 0.5).contains("supported"), "neither is");
    assert_eq!(conflicts(&evidence[2..], second), "");
    let mut check = checked("The disk was 98% full [1][2]; order 17 cost 5 EUR [3]; the fan was loud [4].");
    assert!(!check.reservations().contains("supported"));
    check.weigh(&evidence, second);
    assert!(check.reservations().contains("The second is better supported"), "{}", check.reservations());
    assert!(check.correction().contains("put [2] first"), "{}", check.correction());
    check.weigh(&evidence, |id| f64::from(u8::from(id == FragmentId(0))));
    assert!(check.reservations().contains("The first is better supported"), "{}", check.reservations());
}

#[test]
fn figures_that_nobody_found_and_texts_that_are_none_are_fatal() {
    let invented = "The disk was 99% full [1][2][3][4].";
    let check = checked(invented);
    assert!(check.is_fatal() && check.in_words().contains(&"the figure 99% stands in no note".to_owned()));
    assert!(checked("I'm sorry, but I cannot help with that.").is_fatal());
    assert!(checked("All of it [7].").is_fatal());
}

#[test]
fn names_of_things_differ_without_a_contradiction_and_denials_do_not() {
    let pairs = |left: &str, right: &str| {
        let answers =
            [left, right].map(|text| MapAnswer::Words { answer: text.to_owned(), quotes: Vec::new() });
        let at = |id| FragmentRef::of_text(FragmentId(id), "a.txt");
        let evidence: Vec<_> = (0..).zip(&answers).map(|(id, answer)| (at(id), answer)).collect();
        clashes(&notes(&evidence)).len()
    };
    assert_eq!(pairs("Order 17 was paid late.", "Order 18 was paid late."), 0);
    assert_eq!(pairs("Order 17 cost about 5 EUR.", "Order 17 cost about 7 EUR."), 1);
    assert_eq!(pairs("The valve was open.", "The valve was not open."), 1);
    assert_eq!(pairs("The valve was open.", "The pump was not open."), 0);
    assert_eq!(pairs("5 EUR", "7 EUR"), 0, "too little is said to contradict anything");
}

#[test]
fn a_wrong_citation_is_found_in_answers_of_any_writer() {
    let fragments = report();
    let answers = answers(&fragments);
    let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
    let full = Coverage::full(4);
    let mut reduced = words::concatenated(&evidence, full);
    let all: Vec<&Fragment> = fragments.iter().collect();
    let found = of_words("?", &reduced, false, &evidence, &all, full);
    assert_eq!(found.in_words(), ["notes 1 and 2 contradict each other"], "set side by side, not resolved");
    "The disk was empty.".clone_into(&mut reduced.citations[1].quote);
    let found = of_words("?", &reduced, false, &evidence, &all, full);
    assert_eq!(found.count(|finding| matches!(finding, Finding::Forged { .. })), 1);
    let partial =
        of_words("?", &reduced, false, &evidence, &all, Coverage { answered: 4, total: 5, unread: 0 });
    assert_eq!(partial.count(|finding| matches!(finding, Finding::Unexplained { missing: 1 })), 0);
    reduced.bound = Bound::Unknown;
    let partial =
        of_words("?", &reduced, false, &evidence, &all, Coverage { answered: 4, total: 5, unread: 0 });
    assert_eq!(partial.count(|finding| matches!(finding, Finding::Unexplained { missing: 1 })), 1);
}

#[test]
fn an_answer_over_records_rests_on_the_records_of_its_evidence() {
    let fragments = report();
    let found = |fragment: &Fragment| {
        let line = *fragment.span.lines.start();
        let quote = fragment.text.trim().to_owned();
        MapAnswer::Records { matches: vec![RecordMatch { line, quote, value: None, reported: None }] }
    };
    let answers: Vec<_> =
        fragments.iter().map(|fragment| (FragmentRef::from(fragment), found(fragment))).collect();
    let evidence: Vec<_> = answers.iter().map(|(at, answer)| (at.clone(), answer)).collect();
    let query = crate::query::Query {
        reduction: crate::query::Reduction::Count,
        measure: None,
        report: None,
        conditions: Vec::new(),
    };
    let full = Coverage::full(4);
    let mut reduced = super::super::reduce(&query, &evidence, full);
    let all: Vec<&Fragment> = fragments.iter().collect();
    assert!(of_records(&reduced, &evidence, &all, full).passed());
    reduced.matched = 5;
    assert!(of_records(&reduced, &evidence, &all, full).is_fatal());
}
