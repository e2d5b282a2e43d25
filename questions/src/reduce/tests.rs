//! What results say, and what they are worth when something is missing.

use proptest::prelude::*;

use super::{Bound, Coverage, FragmentRef, MOST_CITATIONS, Reduced, reduce};
use crate::dialect::{MapAnswer, RecordMatch};
use crate::ingest::FragmentId;
use crate::query::{Comparison, Condition, Query, Reduction, Reduction as R};

const FULL: Coverage = Coverage { answered: 8, total: 8, unread: 0 };
const PART: Coverage = Coverage { answered: 6, total: 8, unread: 0 };
const AMOUNT: Option<&str> = Some("amount");

fn query(reduction: Reduction, measure: Option<&str>, report: Option<&str>) -> Query {
    let condition =
        Condition { field: "status".into(), comparison: Comparison::Equal, value: "failed".into() };
    Query {
        reduction,
        measure: measure.map(Into::into),
        report: report.map(Into::into),
        conditions: vec![condition],
    }
}

fn found(line: u32, value: Option<&str>, reported: Option<&str>) -> RecordMatch {
    RecordMatch {
        line,
        quote: format!("text of line {line}"),
        value: value.map(Into::into),
        reported: reported.map(Into::into),
    }
}

fn at(id: u32) -> FragmentRef {
    FragmentRef::of_text(FragmentId(id), "orders.log")
}

fn answer(matches: Vec<RecordMatch>) -> MapAnswer {
    MapAnswer::Records { matches }
}

/// Two fragments, given in the wrong order: 357 (user3, line 19), 20 (user1, line 3), 20.5 (user3, line 7).
fn three(reduction: Reduction, measure: Option<&str>, report: Option<&str>, coverage: Coverage) -> Reduced {
    let value = |text| measure.map(|_| text);
    let user = |text| report.map(|_| text);
    let first = answer(vec![found(3, value("20"), user("user1")), found(7, value("20.5"), user("user3"))]);
    let second = answer(vec![found(19, value("357"), user("user3"))]);
    let answers = [(at(5), &second), (at(1), &first)];
    reduce(&query(reduction, measure, report), &answers, coverage)
}

#[test]
fn a_sentence_begins_with_the_answer_and_partial_coverage_is_a_bound() {
    for (reduction, measure, report, coverage, text, bound) in SENTENCES {
        let result = three(reduction, measure, report, coverage);
        assert_eq!((result.text.as_str(), result.bound, result.matched), (text, bound, 3), "{reduction:?}");
    }
}

type Sentence = (Reduction, Option<&'static str>, Option<&'static str>, Coverage, &'static str, Bound);

const SENTENCES: [Sentence; 18] = [
    (R::Count, None, None, FULL, "3 records match (status = failed).", Bound::Exact),
    (
        R::Count,
        None,
        None,
        PART,
        "At least 3 records match (status = failed): 2 of 8 parts are missing.",
        Bound::AtLeast,
    ),
    (R::Exists, None, None, FULL, "Yes: 3 records match (status = failed).", Bound::Exact),
    (R::Exists, None, None, PART, "Yes: at least 3 records match (status = failed).", Bound::Exact),
    (
        R::List,
        None,
        None,
        FULL,
        "3 records match (status = failed): line 3, line 7 and line 19.",
        Bound::Exact,
    ),
    (R::List, AMOUNT, None, FULL, "20, 20.5 and 357 (3 values in 3 records; status = failed).", Bound::Exact),
    (
        R::List,
        AMOUNT,
        None,
        PART,
        "At least 20, 20.5 and 357 (3 values in 3 records; status = failed): 2 of 8 parts are missing.",
        Bound::AtLeast,
    ),
    (
        R::Find,
        AMOUNT,
        None,
        FULL,
        "The amount differs: 20, 20.5 and 357 in 3 records, where status = failed.",
        Bound::Exact,
    ),
    (
        R::Sum,
        AMOUNT,
        None,
        FULL,
        "The total amount is 397.5 over 3 records, where status = failed.",
        Bound::Exact,
    ),
    (
        R::Sum,
        AMOUNT,
        None,
        PART,
        "The total amount is at least 397.5 over 3 records, where status = failed: 2 of 8 parts are missing.",
        Bound::AtLeast,
    ),
    (
        R::Average,
        AMOUNT,
        None,
        FULL,
        "The average amount is 132.5 over 3 records, where status = failed.",
        Bound::Exact,
    ),
    (
        R::Average,
        AMOUNT,
        None,
        PART,
        "The average amount so far is 132.5 over 3 records, where status = failed: 2 of 8 parts are missing.",
        Bound::Unknown,
    ),
    (
        R::Max,
        AMOUNT,
        Some("user"),
        FULL,
        "The largest amount is 357 (user3, line 19), where status = failed.",
        Bound::Exact,
    ),
    (
        R::Max,
        AMOUNT,
        Some("user"),
        PART,
        "The largest amount is at least 357 (user3, line 19), where status = failed: 2 of 8 parts are missing.",
        Bound::AtLeast,
    ),
    (
        R::Min,
        AMOUNT,
        None,
        PART,
        "The smallest amount is at most 20 (line 3), where status = failed: 2 of 8 parts are missing.",
        Bound::AtMost,
    ),
    (
        R::First,
        None,
        None,
        FULL,
        "Line 3 is the first match (status = failed): text of line 3.",
        Bound::Exact,
    ),
    (
        R::First,
        AMOUNT,
        None,
        PART,
        "The first amount seen is 20 (line 3), where status = failed: 2 of 8 parts are missing.",
        Bound::Unknown,
    ),
    (R::Last, AMOUNT, None, FULL, "The last amount is 357 (line 19), where status = failed.", Bound::Exact),
];

#[test]
fn nothing_found_is_said_and_is_no_proof_while_something_is_missing() {
    let silent = answer(Vec::new());
    let cases = [
        (R::Count, "0 records match (status = failed).", Bound::AtLeast),
        (R::Exists, "No: no record matches (status = failed).", Bound::Unknown),
        (R::Sum, "None: no record matches (status = failed).", Bound::Unknown),
        (R::List, "None: no record matches (status = failed).", Bound::AtLeast),
    ];
    for (reduction, text, partial) in cases {
        let query = query(reduction, Some("amount"), None);
        let full = reduce(&query, &[(at(0), &silent)], Coverage::full(1));
        assert_eq!((full.text.as_str(), full.bound), (text, Bound::Exact));
        let part = reduce(&query, &[(at(0), &silent)], Coverage { answered: 1, total: 2, unread: 0 });
        assert_eq!(part.text, "None seen so far (status = failed): 1 of 2 parts is missing.");
        assert_eq!(part.bound, partial);
    }
}

#[test]
fn values_that_cannot_be_added_are_told_apart_and_left_out_aloud() {
    let sum = |values: &[Option<&str>], coverage| {
        let matches = values.iter().zip(1..).map(|(value, line)| found(line, *value, None)).collect();
        reduce(&query(Reduction::Sum, Some("amount"), None), &[(at(0), &answer(matches))], coverage)
    };
    let mixed = sum(&[Some("5 EUR"), Some("7 USD"), Some("5.50 EUR"), None], Coverage::full(1));
    assert_eq!(
        mixed.text,
        "The total amount is 10.50 EUR and 7 USD over 3 records (1 more without a readable amount), where status = failed."
    );
    assert_eq!(mixed.bound, Bound::Exact);
    let unreadable = sum(&[Some("5"), Some("much")], Coverage::full(1));
    assert_eq!(unreadable.bound, Bound::Unknown);
    let negative = sum(&[Some("5"), Some("-7")], Coverage { answered: 1, total: 2, unread: 0 });
    assert_eq!(negative.bound, Bound::Unknown);
    assert!(negative.text.starts_with("The total amount so far is -2 over 2 records"), "{}", negative.text);
    let none = sum(&[Some("much"), None], Coverage::full(1));
    assert_eq!(
        (none.text.as_str(), none.bound),
        ("None: 2 records match (status = failed), but without a usable amount.", Bound::Unknown)
    );
}

#[test]
fn citations_are_capped_and_the_rest_is_counted() {
    let matches = (1..=70).map(|line| found(line, Some("1"), None)).collect();
    let answer = answer(matches);
    let count = reduce(&query(Reduction::Count, None, None), &[(at(0), &answer)], Coverage::full(1));
    assert_eq!((count.citations.len(), count.uncited, count.matched), (MOST_CITATIONS, 20, 70));
    assert_eq!(count.citations[1].lines, [2, 2]);
    let largest = three(Reduction::Max, Some("amount"), Some("user"), Coverage::full(2));
    assert_eq!(largest.citations.len(), 1);
    assert_eq!(
        (largest.citations[0].fragment, largest.citations[0].quote.as_str()),
        (FragmentId(5), "text of line 19")
    );
}

#[test]
fn an_answer_in_words_leaves_its_fragment_unread() {
    let words = MapAnswer::Words { answer: "three".into(), quotes: Vec::new() };
    let result = reduce(&query(Reduction::Count, None, None), &[(at(0), &words)], Coverage::full(1));
    assert_eq!(result.text, "None seen so far (status = failed): 1 of 1 parts is missing.");
}

#[test]
fn several_files_are_told_apart_in_places() {
    let (first, second) = (answer(vec![found(3, None, None)]), answer(vec![found(3, None, None)]));
    let other = FragmentRef::of_text(FragmentId(2), "more.log");
    let result =
        reduce(&query(Reduction::List, None, None), &[(at(0), &first), (other, &second)], Coverage::full(2));
    assert_eq!(result.text, "2 records match (status = failed): orders.log line 3 and more.log line 3.");
}

proptest! {
    #[test]
    fn the_reduction_of_a_split_is_the_reduction_of_the_whole(
        values in prop::collection::vec(prop_oneof![Just(None), (-500_i32..500).prop_map(|cents| Some(format!("{}.{:02}", cents / 100, cents.abs() % 100)))], 0..40),
        each in 1_usize..9,
        reverse in any::<bool>(),
    ) {
        let matches: Vec<RecordMatch> = values.iter().zip(1..).map(|(value, line)| found(line, value.as_deref(), None)).collect();
        let whole = answer(matches.clone());
        let parts: Vec<MapAnswer> = matches.chunks(each).map(|part| answer(part.to_vec())).collect();
        let mut split: Vec<(FragmentRef, &MapAnswer)> = parts.iter().zip(0..).map(|(part, id)| (at(id), part)).collect();
        if reverse {
            split.reverse();
        }
        for reduction in [R::Count, R::List, R::Exists, R::Find, R::Sum, R::Average, R::Min, R::Max, R::First, R::Last] {
            let query = query(reduction, Some("amount"), None);
            let one = reduce(&query, &[(at(0), &whole)], Coverage::full(1));
            let many = reduce(&query, &split, Coverage::full(parts.len()));
            prop_assert_eq!(&one.text, &many.text);
            prop_assert_eq!((one.bound, one.matched, one.uncited), (many.bound, many.matched, many.uncited));
            let lines = |result: &Reduced| result.citations.iter().map(|citation| citation.lines).collect::<Vec<_>>();
            prop_assert_eq!(lines(&one), lines(&many));
        }
    }
}

#[test]
fn a_calculated_figure_is_told_apart_from_a_value_found_in_a_document() {
    for (reduction, computed, value) in [
        (R::Sum, Some("397.5"), None),
        (R::Average, Some("132.5"), None),
        (R::Max, Some("357"), Some("357")),
        (R::Count, None, Some("3")),
    ] {
        let result = three(reduction, AMOUNT, None, FULL);
        assert_eq!((result.computed.as_deref(), result.value.as_deref()), (computed, value), "{reduction:?}");
    }
    let of = |reduction, values: &[Option<&str>]| {
        let records = (1..).zip(values).map(|(line, value)| found(line, *value, None)).collect();
        let answer = answer(records);
        let full = Coverage { answered: 1, total: 1, unread: 0 };
        reduce(&query(reduction, AMOUNT, None), &[(at(0), &answer)], full)
    };
    assert_eq!(of(R::Average, &[Some("1"), Some("1"), Some("2")]).computed.as_deref(), Some("about 1.33"));
    assert_eq!(of(R::Sum, &[Some("5 EUR"), Some("7 USD")]).computed, None, "of two kinds");
    assert_eq!(of(R::Sum, &[Some("5"), None]).computed, None, "not of all records");
    let tied = of(R::Max, &[Some("9"), Some("9"), Some("3")]);
    assert_eq!((tied.computed.as_deref(), tied.value), (Some("9"), None));
}
