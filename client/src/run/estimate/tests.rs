//! What a dry run says.

use std::path::Path;

use frlm_conductor::claim_cache::{Entry, KeptClaim, KeptReading, Key, Strength};
use serde_json::json;

use super::*;
use crate::config::{By, VenueConfig};
use crate::documents::Documents;
use crate::run::RunSpec;
use crate::run::prepare;

/// What would become of a question about a short log; nobody is asked who is at the relay.
async fn foreseen(question: &str, with: impl FnOnce(&mut RunSpec), folder: &Path) -> (Prepared, Estimate) {
    let log = folder.join("orders.log");
    std::fs::write(&log, "order=1 user=mara status=failed\norder=2 user=jonas status=paid\n").unwrap();
    let mut args = RunSpec::over(question.to_owned(), vec![log]);
    args.relays = vec!["ws://127.0.0.1:1".to_owned()];
    with(&mut args);
    let office = VenueConfig {
        name: "office".to_owned(),
        model: "http://127.0.0.1:1/v1#m".to_owned(),
        price: 2_000,
        key_env: None,
        context: None,
    };
    let config = Config { venues: vec![office], ..Config::default() };
    let prepared = prepare(RunRequest::from_spec(&args, &config).unwrap(), &Documents::default()).unwrap();
    let estimate = super::estimate(&prepared, &config, &ProviderDirectory::default(), None).await.unwrap();
    (prepared, estimate)
}

const COUNT: &str = "How many orders have status failed?";

#[tokio::test]
async fn a_model_of_ones_own_costs_nothing_and_is_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    let own = |args: &mut RunSpec| {
        args.local = true;
        args.model = Some("embedded".to_owned());
    };
    let (prepared, estimate) = foreseen(COUNT, own, folder.path()).await;
    assert_eq!(estimate.quote, FREE);
    let said = estimate.describe(&prepared);
    assert!(said.contains("understood as: a count over status"), "{said}");
    assert!(said.contains("Cost        0 sats expected") && said.contains("is trusted"), "{said}");
    assert!(!said.contains("Fees"), "{said}");
}

#[tokio::test]
async fn a_venue_of_ones_own_costs_its_price_for_one_answer_to_each_subtask() {
    let folder = tempfile::tempdir().unwrap();
    let office = |args: &mut RunSpec| args.venues = vec!["office".to_owned()];
    let (prepared, estimate) = foreseen(COUNT, office, folder.path()).await;
    let Quote { low, expected, .. } = estimate.quote;
    assert!(expected > Sats::ZERO && low == expected, "{:?}", estimate.quote);
    assert!(!estimate.describe(&prepared).contains("mint"), "nothing is paid through one");
}

#[tokio::test]
async fn what_code_answers_alone_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (prepared, estimate) = foreseen("How many lines mention mara?", |_| (), folder.path()).await;
    assert!(prepared.by_code());
    assert_eq!(estimate.quote, FREE);
    let said = estimate.describe(&prepared);
    assert!(said.contains("understood as: a count over whole lines"), "{said}");
    assert!(said.contains("it costs nothing") && !said.contains("Verified"), "{said}");
    assert_eq!(estimate.json(&prepared)["relays"], json!([]), "nothing leaves this machine");
}

#[tokio::test]
async fn that_the_own_model_reads_a_question_first_is_said_with_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let question = "How old are the users?";
    let asked = async |by: By, model: &str| {
        let with = |args: &mut RunSpec| (args.by, args.model) = (Some(by), Some(model.to_owned()));
        let (prepared, estimate) = foreseen(question, with, folder.path()).await;
        assert_eq!(estimate.json(&prepared)["own_model_reads_first"], true);
        (estimate.describe(&prepared), estimate)
    };
    let (said, estimate) = asked(By::Code, "http://127.0.0.1:1/v1#m").await;
    assert!(said.contains("Own model   reads the question first"), "{said}");
    assert!(said.contains("Leaves      nothing: code answers this") && !said.contains("no model"), "{said}");
    assert!(estimate.quote == FREE && estimate.subtasks.is_empty());
    let (said, _) = asked(By::Code, "https://api.example.org/v1#m").await;
    assert!(said.contains("is told, to api.example.org (your own model)"), "{said}");
    let (said, estimate) = asked(By::Auto, "https://api.example.org/v1#m").await;
    assert!(said.contains("Own model   reads the question first") && said.contains("Verified"), "{said}");
    assert!(!estimate.subtasks.is_empty(), "the swarm is asked otherwise");
}

#[tokio::test]
async fn what_earlier_runs_verified_is_counted_as_read() {
    let folder = tempfile::tempdir().unwrap();
    let (lease, question) = (folder.path().join("lease.txt"), "What is owed?");
    std::fs::write(&lease, "The rent is 900 EUR a month.\n").unwrap();
    let venues = vec!["office".to_owned()];
    let args = RunSpec { venues, ..RunSpec::over(question.to_owned(), vec![lease]) };
    let office = VenueConfig {
        name: "office".to_owned(),
        model: "http://127.0.0.1:1/v1#m".to_owned(),
        price: 2_000,
        key_env: None,
        context: None,
    };
    let config = Config { venues: vec![office], ..Config::default() };
    let prepared = prepare(RunRequest::from_spec(&args, &config).unwrap(), &Documents::default()).unwrap();
    let cache = ClaimCache::at(folder.path().join("claims.db"));
    let estimated = async || {
        let (directory, cache) = (ProviderDirectory::default(), Some(cache.clone()));
        super::estimate(&prepared, &config, &directory, cache).await.unwrap()
    };
    let before = estimated().await;
    assert_eq!((before.reused, before.first), (Reused::default(), 1));
    let claim =
        KeptClaim { text: "The rent is 900 EUR a month.".to_owned(), lines: vec![[0, 0]], confidence: 0.97 };
    let entry = Entry {
        key: Key::of(&prepared.fragments[0], question, ""),
        file: "lease.txt".to_owned(),
        reading: KeptReading { claims: vec![claim], readers: Vec::new(), sats: 7 },
    };
    let strength = Strength::of(&prepared.policy.verification, prepared.policy.level).unwrap();
    cache.keep("run", question, &[entry], strength, 1).unwrap();
    let after = estimated().await;
    assert_eq!((after.reused, after.first), (Reused { parts: 1, claims: 1, sats: 7 }, 0));
    assert!(before.quote.expected > Sats::ZERO && after.quote.expected == Sats::ZERO);
    assert!(after.describe(&prepared).contains("verified for 7 sats"));
    assert_eq!(after.json(&prepared)["reused"]["saved_sats"], 7);
}

#[tokio::test]
async fn how_claims_are_verified_is_said_as_runs_do_it() {
    let folder = tempfile::tempdir().unwrap();
    for (policy, said) in [
        ("adaptive", "up to 3 others review each claim of it, and a second one reads one part of 12"),
        (
            "redundancy:5/3",
            "up to 4 others review each claim of it until 3 of 5, its reader among them, support",
        ),
        ("none", "each subtask goes to one provider"),
    ] {
        let by = |spec: &mut RunSpec| {
            std::fs::write(&spec.files[0], "The rent is 900 EUR a month.\n").unwrap();
            spec.verify = Some(policy.to_owned());
        };
        let (prepared, estimate) = foreseen("What is owed?", by, folder.path()).await;
        assert!(estimate.describe(&prepared).contains(said), "{}", estimate.describe(&prepared));
    }
}

#[tokio::test]
async fn a_question_that_may_take_steps_says_so_before_it_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["lease.txt", "minutes.txt"].map(|name| folder.path().join(name));
    for file in &files {
        std::fs::write(file, "Anna Weber signed it.\n\nThe rent is due.\n").unwrap();
    }
    let office = VenueConfig {
        name: "office".to_owned(),
        model: "http://127.0.0.1:1/v1#m".to_owned(),
        price: 2_000,
        key_env: None,
        context: None,
    };
    let config = Config { venues: vec![office], ..Config::default() };
    let said = async |question: &str| {
        let venues = vec!["office".to_owned()];
        let args = RunSpec { venues, ..RunSpec::over(question.to_owned(), files.to_vec()) };
        let prepared =
            prepare(RunRequest::from_spec(&args, &config).unwrap(), &Documents::default()).unwrap();
        let estimate =
            super::estimate(&prepared, &config, &ProviderDirectory::default(), None).await.unwrap();
        (
            estimate.describe(&prepared),
            estimate.json(&prepared)["may_take_steps"].clone(),
            estimate.quote.expected,
        )
    };
    let (steps, json, dearer) = said("Who signed the contract that replaced the lease?").await;
    assert!(
        steps.contains("Subtasks    1 to begin with, 2 later") && steps.contains("Steps       "),
        "{steps}"
    );
    assert_eq!(json, serde_json::json!(true));
    let (simple, json, cheaper) = said("When is the rent due?").await;
    assert!(!simple.contains("Steps       ") && dearer > cheaper, "{simple}");
    assert_eq!(json, serde_json::json!(false));
}
