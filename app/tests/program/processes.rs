//! Real processes: relay, providers and askers that are killed, restarted and interrupted.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{
    Background, Endpoint, SmallSwarm, frlm, json, killed_on_its_way, orders, run, stderr, stdout, until,
};

const QUESTION: &str = "How many lines have status failed?";

/// Asks it over a document at a relay, without asking back.
fn asking<'a>(document: &'a Path, relay: &'a str) -> [&'a str; 10] {
    [
        "ask",
        QUESTION,
        "--by",
        "swarm",
        "--file",
        document.to_str().unwrap(),
        "--relay",
        relay,
        "--json",
        "--yes",
    ]
}

#[test]
fn two_provider_processes_on_one_home_answer_and_the_run_is_recorded() {
    let SmallSwarm { home, url, path, .. } = &SmallSwarm::with_orders(60);
    let output = run(home, &asking(path, url));
    assert!(output.status.success(), "{}", stderr(&output));
    let answer = json(&output);
    assert_eq!(answer["coverage"], 1.0);
    assert!(answer["answer"].as_str().unwrap().contains("12"), "{answer}");
    let id = answer["run_id"].as_str().unwrap();
    assert!(stdout(&run(home, &["runs", "list"])).contains(id));
    assert!(stdout(&run(home, &["runs", "show", id])).contains(QUESTION));
    let compared = stdout(&run(home, &["runs", "diff", id, id]));
    assert!(compared.contains(QUESTION) && !compared.contains('≠'), "{compared}");
    assert!(stdout(&run(home, &["runs", "replay", id])).contains("run_done"));
    let shown = stdout(&run(home, &["runs", "show", id]));
    assert!(shown.contains("added to what runs have taught") && shown.contains("reward  "), "{shown}");
    let together = shown.split("\ntogether ").nth(1).unwrap_or_default();
    assert!(together.contains("extract ") && together.contains("1.00"), "{shown}");
    for plan in [true, false] {
        // The second rating is kept and not heard.
        let rated = run(home, &["runs", "feedback", id, "--stars", "4", "--json"]);
        assert!(rated.status.success(), "{}", stderr(&rated));
        assert_eq!((&json(&rated)["kept"], &json(&rated)["plan"]), (&true.into(), &plan.into()));
    }
    assert_eq!(run(home, &["runs", "feedback", id]).status.code(), Some(2));
    assert!(run(home, &["wallet", "audit"]).status.success());
    let taught = || std::fs::read_to_string(home.join("brain.json")).unwrap();
    assert!(taught().contains(QUESTION));
    let deleted = run(home, &["runs", "delete", id, "--yes"]);
    assert!(deleted.status.success(), "{}", stderr(&deleted));
    assert_eq!(run(home, &["runs", "show", id]).status.code(), Some(2));
    assert!(!taught().contains(QUESTION), "a deleted run leaves no question behind");
}

#[test]
fn a_killed_ask_goes_on_where_it_was() {
    let SmallSwarm { home, url, path, .. } = &SmallSwarm::with_orders(400);
    let id = killed_on_its_way(home, frlm(home).args(asking(path, url)).args(["--fragment-lines", "8"]));
    let listed = stdout(&run(home, &["runs", "list"]));
    assert!(listed.contains("interrupted") && !listed.contains("running"), "{listed}");
    let resumed = run(home, &["runs", "resume", &id, "--json"]);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    let answer = json(&resumed);
    assert_eq!(answer["run_id"].as_str(), Some(id.as_str()));
    assert!(answer["subtasks"]["cached"].as_u64().unwrap() >= 3, "{answer}");
    assert_eq!(answer["coverage"], 1.0);
    let audit = run(home, &["wallet", "audit"]);
    assert!(audit.status.success(), "{}", stdout(&audit));
}

#[cfg(unix)]
#[test]
fn a_killed_provider_costs_no_answer() {
    let SmallSwarm { folder, home, url, path, .. } = &SmallSwarm::with_orders(200);
    let doomed = Background::provider(folder.path(), url);
    let ask = frlm(home)
        .args(asking(path, url))
        .args(["--fragment-lines", "8"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the run has begun", Duration::from_mins(1), || {
        stdout(&run(home, &["runs", "list"])).contains("running")
    });
    doomed.signal("-KILL");
    let output = ask.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(json(&output)["coverage"], 1.0);
}

#[test]
fn a_lying_provider_is_outvoted_and_named_in_the_trace() {
    let SmallSwarm { folder, home, url, path, .. } = &SmallSwarm::with_orders(120);
    // A model that claims of every text that nothing matches: well-formed, plausible, and wrong.
    let endpoint = Endpoint::that_says(r#"{"matches":[]}"#);
    let _liar =
        Background::provider_with(folder.path(), url, &["--model", &endpoint.model(), "--name", "liar"]);
    let output = frlm(home).args(asking(path, url)).args(["--verify", "redundancy:3/2"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let answer = json(&output);
    assert!(answer["answer"].as_str().unwrap().starts_with("24 "), "{answer}");
    let exported = stdout(&run(home, &["runs", "export", answer["run_id"].as_str().unwrap()]));
    let events: Vec<serde_json::Value> =
        exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let liar = events
        .iter()
        .find(|event| event["type"] == "provider_seen" && event["name"] == "liar")
        .map(|event| event["provider"].clone())
        .expect("the liar was there");
    let dissents = |event: &&serde_json::Value| {
        event["type"] == "verify" && event["dissenting"].as_array().unwrap().contains(&liar)
    };
    assert!(events.iter().filter(dissents).count() > 0, "{exported}");
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_with_the_fix_and_loses_nothing() {
    let SmallSwarm { home, url, path, .. } = &SmallSwarm::with_orders(1_200);
    // No file may grow beyond this many KiB: to the program it is a disk that fills up in mid-run.
    let output = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 1600; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_frlm")])
        .args(asking(path, url))
        .args(["--fragment-lines", "8"])
        .env("FRLM_HOME", home)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("--home"), "{}", stderr(&output));
    let listed = json(&run(home, &["runs", "list", "--json"]));
    let id = listed[0]["run_id"].as_str().unwrap();
    let resumed = run(home, &["runs", "resume", id, "--json"]);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    let answer = json(&resumed);
    assert!(answer["answer"].as_str().unwrap().starts_with("240 "), "{answer}");
    assert!(answer["subtasks"]["cached"].as_u64().unwrap() > 0, "{answer}");
    assert!(run(home, &["wallet", "audit"]).status.success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_relay_and_provider_tidily() {
    let folder = tempfile::tempdir().unwrap();
    let (mut relay, url) = Background::relay(folder.path());
    let mut provider = Background::provider(folder.path(), &url);
    provider.signal("-INT");
    assert!(provider.wait(Duration::from_secs(10)).expect("the provider ends").success());
    relay.signal("-INT");
    assert!(relay.wait(Duration::from_secs(10)).expect("the relay ends").success());
}

#[test]
fn a_dry_run_publishes_nothing_and_says_what_would_leave() {
    let folder = tempfile::tempdir().unwrap();
    let (_relay, url) = Background::relay(folder.path());
    let _a = Background::provider(folder.path(), &url);
    let path = folder.path().join("orders.log");
    orders(&path, 60);
    let output = run(
        folder.path(),
        &["ask", QUESTION, "--by", "swarm", "--file", path.to_str().unwrap(), "--relay", &url, "--dry-run"],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stdout(&output);
    for part in ["encrypted", "Cost", "Provider", "adaptive"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let path = path.to_str().unwrap();
    let told = json(&run(
        folder.path(),
        &[
            "ask",
            QUESTION,
            "--by",
            "swarm",
            "--file",
            path,
            "--relay",
            &url,
            "--dry-run",
            "--json",
            "--budget",
            "70",
        ],
    ));
    assert_eq!(told["relays"][0], url, "{told}");
    assert_eq!(told["cost"]["limit_sats"], 70, "{told}");
    assert_eq!(told["providers"][0]["read_msats_per_1k"], 0, "{told}");
    assert!(!stdout(&run(folder.path(), &["runs", "list"])).contains(QUESTION));
}

#[test]
fn who_asks_without_a_wallet_is_told_that_prices_were_only_accounted() {
    let folder = tempfile::tempdir().unwrap();
    let (_relay, url) = Background::relay(folder.path());
    let _a = Background::provider_with(&folder.path().join("provider"), &url, &["--price", "1"]);
    let path = folder.path().join("orders.log");
    orders(&path, 10);
    let output = frlm(folder.path()).args(asking(&path, &url)).args(["--verify", "none"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(json(&output)["budget"]["spent_sats"].as_u64().unwrap() > 0, "{}", stdout(&output));
    assert!(stderr(&output).contains("no sats have moved"), "{}", stderr(&output));
}
