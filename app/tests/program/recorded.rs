//! What is recorded about the GPL-3 (`assets/recorded/gpl3/README.md`), against the licence itself: by `frlm demo --recorded`, and
//! by providers like any other, whose endpoints speak from the recording.

use std::collections::HashSet;
use std::sync::Arc;

use crate::common::paid_swarm::{PaidSwarm, command, done, parsed, sum};
use crate::common::{Endpoint, json, run, stderr, stdout};
use frlm_client::questions::reduce::sentences;
use frlm_client::recorded::{QUESTION, models};
use frlm_inference::{GenerationRequest, LanguageModel};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
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

/// An endpoint that speaks from the recording: whatever the size of the parts and the words of the prompts, a reader states
/// what is recorded of the lines that it sees, a reviewer says what is recorded of a claim, and a writer takes the recorded notes.
fn endpoint(model: Arc<dyn LanguageModel>) -> Endpoint {
    Endpoint::that_answers(move |prompt| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let request = GenerationRequest::greedy(prompt, 4_096);
        runtime.block_on(model.generate(request)).unwrap().text
    })
}

#[test]
fn a_demo_of_prose_runs_on_a_general_model_of_the_users_and_on_no_other() {
    let [honest, ..] = models().unwrap().map(endpoint);
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), &["demo", "--model", &honest.model(), "--json"]);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains(" claims were made: ") && !told.contains("This is a recording"), "{told}");
    let answer = json(&output);
    assert_eq!(answer["coverage"], 1.0, "{answer}");
    every_sentence_is_cited(
        &answer,
        &std::fs::read_to_string(home.path().join("samples/GPL-3.txt")).unwrap(),
    );
    let away = run(home.path(), &["demo", "--model", "http://127.0.0.1:1/v1#m"]);
    assert_eq!(away.status.code(), Some(1), "{}", stderr(&away));
    assert!(stderr(&away).contains("does not answer; start it"), "{}", stderr(&away));
    let refused = run(home.path(), &["demo", "--model", "embedded"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("--recorded"), "{}", stderr(&refused));
}

#[tokio::test(flavor = "multi_thread")]
async fn prose_is_answered_by_two_strangers_with_all_defaults_and_both_are_paid() {
    let [a, b, _] = models().unwrap().map(endpoint);
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let url = mint.url().to_owned();
    let swarm = PaidSwarm::of(mint, &url, &[("a", &a), ("b", &b)], &["--price", "5"]).await;
    let licence = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/recorded/gpl3/GPL-3.txt");
    let words = ["ask", QUESTION, "--file", licence, "--relay", &swarm.relay.1, "--yes", "--json"];
    let output = command(&swarm.asker(), &words).await;
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let answer = parsed(&stdout(&output));
    let verification = &answer["verification"];
    assert_eq!((&answer["coverage"], &verification["policy"]), (&1.0.into(), &"adaptive".into()), "{answer}");
    every_sentence_is_cited(&answer, &std::fs::read_to_string(licence).unwrap());

    // Neither is told to be wrong: nothing that they stated fell, and nothing that they did was not worth its price.
    let claims = &verification["claims"];
    assert!(claims["accepted"].as_u64().unwrap() >= 8, "{claims}");
    for fallen in ["rejected", "left_out", "fell_to_code", "reviews_failed", "reviewers_excluded"] {
        assert_eq!(claims[fallen], 0, "{claims}");
    }
    let run = answer["run_id"].as_str().unwrap();
    let receipt = parsed(&done(&swarm.asker(), &["wallet", "receipt", run, "--json"]).await);
    let lines = receipt["lines"].as_array().unwrap();
    let paid: HashSet<&str> = lines.iter().map(|line| line["provider"].as_str().unwrap()).collect();
    assert_eq!(paid.len(), 2, "{receipt}");
    for provider in paid {
        let of_it: Vec<Value> = lines.iter().filter(|line| line["provider"] == provider).cloned().collect();
        assert!(sum(&of_it, "paid_msats") > 0, "{receipt}");
        assert_eq!(sum(&of_it, "accepted"), sum(&of_it, "jobs"), "{receipt}");
    }
    swarm.mint.shutdown().await;
}
