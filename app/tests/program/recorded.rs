//! `frlm demo --recorded` against the licence that it leaves in its home, and against the recording.

use std::collections::HashSet;

use crate::common::{json, run, stderr, stdout};
use frlm_client::conductor::reduce::sentences;
use serde_json::Value;

/// Claims that are recorded as false.
fn false_claims() -> Vec<String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/recorded/gpl3/reviews.jsonl");
    let rows = std::fs::read_to_string(file).unwrap();
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["verdict"] != "supported")
        .map(|row| row["claim"].as_str().unwrap().to_owned())
        .collect()
}

/// Holds every sentence of an answer against the lines of the licence that it cites; the answer's text.
fn every_sentence_is_cited<'a>(answer: &'a Value, licence: &str) -> &'a str {
    let citations = answer["citations"].as_array().unwrap();
    let licence: Vec<&str> = licence.lines().collect();
    let mut cited = HashSet::new();
    for citation in citations {
        assert!(citation["file"].as_str().unwrap().ends_with("GPL-3.txt"), "{citation}");
        let line = usize::try_from(citation["lines"][0].as_u64().unwrap()).unwrap();
        assert!(licence[line - 1].contains(citation["quote"].as_str().unwrap()), "{citation}");
        cited.insert(citation["claim"].as_u64().unwrap());
    }
    let text = answer["answer"].as_str().unwrap();
    let written = sentences(text);
    assert!(written.len() >= 4, "{text}");
    for at in written {
        let sentence = &text[at];
        let (_, numbers) = sentence.rsplit_once('[').unwrap_or_else(|| panic!("no source: {sentence}"));
        let numbers = numbers.split(']').next().unwrap().split(", ").map(|number| number.parse().unwrap());
        assert!(
            numbers.clone().count() > 0 && numbers.clone().all(|number: u64| cited.contains(&number)),
            "{sentence}"
        );
    }
    text
}

#[test]
fn a_recorded_demo_says_so_and_cites_every_sentence_and_no_lie() {
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), &["demo", "--recorded", "--json"]);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let answer = json(&output);
    assert!(answer["recorded"].as_str().unwrap().contains("This is a recording"), "{answer}");
    assert!(told.contains("This is a recording"), "{told}");
    assert_eq!((&answer["coverage"], &answer["verification"]["policy"]), (&1.0.into(), &"adaptive".into()));

    let licence = std::fs::read_to_string(home.path().join("samples/GPL-3.txt")).unwrap();
    let text = every_sentence_is_cited(&answer, &licence);
    for lie in false_claims() {
        assert!(!text.contains(lie.trim_end_matches('.')), "{text}");
    }
    // Two honest providers are paid, and what the third stated falsely is named with its reason.
    assert!(told.contains(" claims were made: "), "{told}");
    let liar: Vec<&str> = told.lines().skip_while(|line| !line.starts_with("demo-c, which lies: ")).collect();
    assert!(liar.iter().any(|line| line.contains("reviews reject it")), "{told}");
    for name in ["demo-a", "demo-b"] {
        let earned = told.lines().find(|line| line.starts_with(&format!("{name}: earned "))).unwrap();
        assert!(!earned.contains("earned 0 "), "{earned}");
    }
}

#[test]
fn a_recorded_demo_tells_people_before_the_answer_what_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), &["demo", "--recorded"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("This is a recording"), "{}", stdout(&output));
    for other in ["--liar", "--compound", "Who may convey?"] {
        let refused = run(home.path(), &["demo", "--recorded", other]);
        assert_eq!(refused.status.code(), Some(2), "{other}: {}", stderr(&refused));
    }
}
