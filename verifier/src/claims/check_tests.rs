//! Code checks: what they find by themselves, and what they find in recorded claims.

use super::*;
use crate::claims::claim::Quote;

fn claim(text: &str, lines: &[(u32, u32)]) -> Claim {
    let quote =
        |&(first, last): &(u32, u32)| Quote { lines: LineRange::new(first, last), words: String::new() };
    Claim { text: text.to_owned(), quotes: lines.iter().map(quote).collect() }
}

/// A bad quote or an invented figure among good claims.
#[test]
fn a_bad_claim_costs_itself_and_no_other_of_the_answer() {
    let good = ["The Tenant pays 1,500 EUR a month.", "Notice is 30 days.", "Ravi Patel holds the deposit."];
    let answer = |bad: &str, at: usize| {
        let mut entries: Vec<String> = (1..)
            .zip(good)
            .map(|(line, claim)| format!("{{\"lines\": [[{line}, {line}]], \"claim\": \"{claim}\"}}"))
            .collect();
        entries.insert(at, bad.to_owned());
        crate::claims::Answer::parse(&format!("{{\"claims\": [{}]}}", entries.join(", ")))
    };
    for bad in [
        "{\"lines\": [[90, 91]], \"claim\": \"Pets are welcome.\"}",
        "{\"lines\": [[1, 1]], \"claim\": \"The Tenant pays 1,600 EUR a month.\"}",
        "{\"lines\": [{\"line\": 1, \"quote\": \"pays nothing\"}], \"claim\": \"The Tenant pays nothing.\"}",
        "{\"lines\": [], \"claim\": \"The Tenant pays nothing.\"}",
        "{\"lines\": [[1, 1]], \"claim\": 7}",
        "7",
    ] {
        for at in 0..=3 {
            let read = answer(bad, at);
            let passed: Vec<&str> = read
                .claims
                .iter()
                .filter(|claim| check(claim, &lease()).is_ok())
                .map(|claim| claim.text.as_str())
                .collect();
            assert_eq!(passed, good, "{bad} at {at}");
        }
    }
}

fn lease() -> Text {
    let lines = [
        "3. Rent. Anna Weber (the \"Tenant\") pays 1,500 EUR a month, for the first time on 3 May 2026,",
        "at the latest by 14:30. Notice is thirty (30) days.",
        "4. Deposit. Ravi Patel holds two monthly rents.",
    ];
    Text::new((1..).zip(lines.map(str::to_owned)), "Lease of Harbour House, 2026 > Payment")
}

#[test]
fn a_claim_that_its_lines_bear_out_passes_in_other_words() {
    for (text, lines) in [
        ("The Tenant, Weber, owes EUR 1500 each month.", (1, 1)),
        ("Rent is first due on 2026-05-03 at 2:30 pm.", (1, 2)),
        ("Harbour House can be left with a notice of 30 days.", (2, 2)),
        ("In May 2026 the payments to the landlord begin.", (1, 1)),
        ("Ravi Patel keeps 2 rents as a deposit under section 4.", (3, 3)),
    ] {
        let checked = check(&claim(text, &[lines]), &lease());
        assert!(
            checked.is_ok_and(|claim| !claim.quotes[0].words.is_empty()),
            "{text}: {:?}",
            check(&claim(text, &[lines]), &lease())
        );
    }
}

#[test]
fn each_failure_has_its_reason() {
    let failure = |text: &str, lines: &[(u32, u32)]| check(&claim(text, lines), &lease()).unwrap_err();
    assert_eq!(failure("Rent is due.", &[]), Failure::NoQuote);
    assert_eq!(failure("Rent is due.", &[(1, 1), (9, 9)]), Failure::OutsideText(LineRange::new(9, 9)));
    assert_eq!(failure("Rent is 1,600 EUR.", &[(1, 1)]), Failure::Number("1,600 EUR".to_owned()));
    assert_eq!(failure("Notice is three months.", &[(2, 2)]), Failure::Number("three months".to_owned()));
    assert_eq!(
        failure("Rent is first due on 5 May 2026.", &[(1, 1)]),
        Failure::Date("5 May 2026".to_owned())
    );
    assert_eq!(failure("It is due by 15:30.", &[(2, 2)]), Failure::Date("15:30".to_owned()));
    assert_eq!(failure("The deposit is held by Weber.", &[(3, 3)]), Failure::Name("Weber".to_owned()));
    let forged = Claim {
        quotes: vec![Quote { lines: LineRange::new(1, 1), words: "pays nothing".to_owned() }],
        ..claim("Rent is nothing.", &[])
    };
    assert_eq!(check(&forged, &lease()), Err(Failure::WordsNotThere("pays nothing".to_owned())));
}

#[test]
fn a_miscounted_line_is_corrected_by_the_words_that_were_copied() {
    let miscounted = Claim {
        quotes: vec![Quote { lines: LineRange::new(2, 2), words: "holds two monthly\nrents".to_owned() }],
        ..claim("Ravi Patel holds the deposit.", &[])
    };
    assert_eq!(check(&miscounted, &lease()).unwrap().quotes[0].lines, LineRange::new(3, 3));
}

#[test]
fn a_figure_beside_the_quotes_is_quoted_too_and_a_name_is_not() {
    let lines = [
        "Correction of 11 June 2024",
        "",
        "The minutes are corrected in two points.",
        "The order may be placed if the costs are no more",
        "than 780,000 EUR.",
        "The caretaker leaves.",
        "His name is Ruben Adler, and he is 64.",
    ];
    let text = Text::new((1..).zip(lines.map(str::to_owned)), "minutes.txt");
    let corrected = claim("By the correction of 11 June 2024 the costs are at most 780,000 EUR.", &[(3, 5)]);
    let quotes = check(&corrected, &text).unwrap().quotes;
    let lines: Vec<(u32, u32)> =
        quotes.iter().map(|quote| (quote.lines.first(), quote.lines.last())).collect();
    assert_eq!(lines, [(1, 1), (3, 5)], "no line more than it takes");
    for (far, quote) in [
        ("By the correction of 11 June 2024 the costs are limited.", (4, 5)),
        ("The costs are at most 64 EUR.", (4, 4)),
        ("The caretaker is Ruben Adler.", (6, 6)),
        ("The costs are at most 740,000 EUR.", (4, 5)),
    ] {
        assert!(check(&claim(far, &[quote]), &text).is_err(), "{far}");
    }
}

#[test]
fn the_number_in_a_name_may_stand_anywhere() {
    let lines =
        ["Manual of the Tidewell 40", "", "", "", "There is no code E6 on this Tidewell. Wait 30 minutes."];
    let text = Text::new((1..).zip(lines.map(str::to_owned)), "manual.txt");
    assert!(check(&claim("There is no code E6 on the Tidewell 40.", &[(5, 5)]), &text).is_ok());
    for wrong in ["There is no code E6 on the Tidewell 25.", "Wait 40 minutes.", "Wait for 40 of them."] {
        assert!(matches!(check(&claim(wrong, &[(5, 5)]), &text), Err(Failure::Number(_))), "{wrong}");
    }
}

/// A recording: docs/claims.md, section 1.
#[test]
fn recorded_true_claims_pass_and_code_alone_finds_two_lies() {
    let text = gpl3();
    let (mut passed, mut found, mut trues) = (0, Vec::new(), 0);
    for recorded in recorded("claims.jsonl") {
        let claim = claim(recorded["claim"].as_str().unwrap(), &lines_of(&recorded));
        let checked = check(&claim, &text);
        if recorded["true"] == true {
            trues += 1;
            passed += u32::from(checked.is_ok());
            assert!(checked.is_ok(), "{}: {checked:?}", claim.text);
        } else if let Err(failure) = checked {
            found.push(failure.to_string());
        }
    }
    assert_eq!((trues, passed), (18, 18));
    assert_eq!(found, ["ten years is not in the quoted lines", "two years is not in the quoted lines"],);
}

/// A recording: what two honest readers wrote, sentence by sentence.
#[test]
fn code_turns_down_nothing_that_honest_readers_wrote() {
    let text = gpl3();
    let (mut all, mut failed) = (0, Vec::new());
    for recorded in recorded("readers.jsonl") {
        let claim = claim(recorded["claim"].as_str().unwrap(), &lines_of(&recorded));
        all += 1;
        if let Err(failure) = check(&claim, &text) {
            failed.push(format!("{}: {failure}", claim.text));
        }
    }
    assert!(all > 40 && failed.is_empty(), "{} of {all}: {failed:#?}", failed.len());
}

/// Recordings: what people wrote by hand as honest readers and as a liar (`conductor/tests/data/by-hand`). The lies invent no figure,
/// and are left to reviewers.
#[test]
fn code_turns_down_nothing_true_that_was_written_by_hand() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../conductor/tests/data/by-hand");
    let (mut wronged, mut found, mut lies, mut trues) = (Vec::new(), 0, 0, 0);
    for name in ["licences", "lease", "minutes", "pump"] {
        let rows = |file: &str| -> Vec<serde_json::Value> {
            let text = std::fs::read_to_string(data.join(name).join(file)).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let is_true = |claim: &serde_json::Value, reviews: &[serde_json::Value]| {
            reviews.iter().any(|row| row["claim"] == *claim && row["verdict"] == "supported")
        };
        let reviews = rows("reviews.jsonl");
        for row in rows("readers.jsonl") {
            let document = row["document"].as_str().unwrap();
            let text = std::fs::read_to_string(data.join(name).join(document)).unwrap();
            let text = Text::new((1..).zip(text.lines().map(str::to_owned)), document);
            let claim = claim(row["claim"].as_str().unwrap(), &lines_of(&row));
            let failure = check(&claim, &text).err();
            if is_true(&row["claim"], &reviews) {
                trues += 1;
                wronged.extend(failure.map(|failure| format!("{}: {failure}", claim.text)));
            } else {
                lies += 1;
                found += u32::from(failure.is_some());
            }
        }
    }
    assert_eq!((trues, lies, found, wronged), (135, 33, 0, Vec::<String>::new()));
}

fn gpl3() -> Text {
    let lines = std::fs::read_to_string(folder().join("text.txt")).unwrap();
    let lines = lines.lines().filter_map(|line| line.split_once('|'));
    Text::new(lines.map(|(number, line)| (number.parse().unwrap(), line.to_owned())), "GPL-3")
}

fn recorded(file: &str) -> Vec<serde_json::Value> {
    let lines = std::fs::read_to_string(folder().join(file)).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn lines_of(recorded: &serde_json::Value) -> Vec<(u32, u32)> {
    serde_json::from_value(recorded["lines"].clone()).unwrap()
}

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claims-gpl3")
}
