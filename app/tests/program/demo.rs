//! `frlm demo` against grep and awk over the files that it leaves, and against the books of both sides.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use crate::common::{json, run, stderr, stdout};
use nostr::Keys;
use serde_json::Value;

/// What grep, sort and awk say of the samples in a folder.
fn shell(folder: &Path, script: &str) -> String {
    let output = Command::new("sh").args(["-ec", script]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn the_parts_of_a_compound_question_wait_for_each_other_and_are_right() {
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), &["demo", "--compound", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let answer = json(&output);
    let samples = home.path().join("samples");
    let user = shell(
        &samples,
        "grep status=failed orders.log | grep -o 'user=[^ ]*' | sort | uniq -c | sort -rn | awk 'NR==1 {print $2}'",
    );
    let failed = shell(&samples, &format!("grep status=failed orders.log | grep -c '{user} '"));
    let errors = shell(&samples, &format!("grep -c 'level=ERROR {user} ' shop.log"));
    let status = shell(
        &samples,
        &format!(
            "grep ' {user} ' orders.log | sed 's/amount=//' | sort -k4 -rn | sed -n '1s/.*status=\\([a-z]*\\).*/\\1/p'"
        ),
    );
    let name = user.trim_start_matches("user=");
    let text = answer["answer"].as_str().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].contains(&format!("{name}: {failed} of ")), "{text}");
    assert!(lines[1].contains(&format!("[{name}] {errors} record")), "{text}");
    let verdict =
        if status == "shipped" { "Yes, shipped".to_owned() } else { format!("No, {status} and not") };
    assert!(lines[2].contains(&verdict), "{text}");

    assert_eq!(answer["coverage"], 1.0);
    let cited: Vec<&str> =
        answer["citations"].as_array().unwrap().iter().map(|it| it["file"].as_str().unwrap()).collect();
    for file in ["orders.log", "shop.log"] {
        assert!(cited.iter().any(|path| path.ends_with(file)), "{cited:?}");
    }
    // What waits is in the decisions; nothing that waits was planned before the first part was verified.
    let plan = &answer["decisions"][0];
    assert_eq!(plan["stage"], "plan");
    assert!(plan["reasoning"].as_str().unwrap().contains("part 3 needs the answer to part 1"), "{plan}");
    let id = answer["run_id"].as_str().unwrap();
    let trace = stdout(&run(home.path(), &["runs", "export", id]));
    let at = |what: &str| trace.find(what).unwrap_or_else(|| panic!("no {what} in the trace"));
    assert!(at("\"verified\"") < at("part 2: lines"));
    // Its providers run what they claim, and at least one answer was read to see that.
    assert!(trace[at("\"audited\"")..].contains("\"finding\":\"fits\""), "{trace}");
    assert!(!trace.contains("another_model"), "{trace}");

    // The receipt and what the three providers have agree, in play money that is called so.
    let told = stderr(&output);
    assert!(told.contains(&format!("receipt of run {id} in play sats (worth nothing)")), "{told}");
    assert!(!told.contains("does not add up"), "{told}");
    let figures = |before: &str, after: &str| -> Vec<u64> {
        let figure = |line: &str| line.split_once(before)?.1.split_once(after)?.0.trim().parse::<u64>().ok();
        told.lines().filter_map(figure).collect()
    };
    let (paid, earned) = (figures("jobs counted: ", " paid"), figures(": earned ", " for "));
    assert_eq!((paid.len(), earned.len()), (3, 3), "{told}");
    assert!(paid.iter().sum::<u64>() > 0, "{told}");
    assert_eq!(paid.iter().sum::<u64>(), earned.iter().sum::<u64>(), "{told}");
    assert_eq!(figures("  in all  ", " spent"), [answer["budget"]["spent_sats"].as_u64().unwrap()]);
}

/// What a command printed that must succeed: one JSON object a line.
fn printed(home: &Path, args: &[&str]) -> Vec<Value> {
    let output = run(home, args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn sats(rows: &[Value], of: &str) -> u64 {
    rows.iter().map(|row| row[of].as_u64().unwrap()).sum()
}

/// What the asker's history says that each provider was paid, fees aside: this mint takes none.
fn paid_by(history: &[Value]) -> HashMap<String, u64> {
    let attempt = |row: &Value| (row["subtask"].as_u64(), row["attempt"].as_u64());
    let reserved = history.iter().filter(|row| row["what"] == "reserve");
    let whose: HashMap<_, String> =
        reserved.filter_map(|row| Some((attempt(row), row["provider"].as_str()?.to_owned()))).collect();
    let mut paid: HashMap<String, u64> = HashMap::new();
    for row in history.iter().filter(|row| row["what"] == "settle" || row["what"] == "reconcile") {
        let sats = row["sats"].as_u64().unwrap();
        if sats > 0 {
            *paid.entry(whose[&attempt(row)].clone()).or_default() += sats;
        }
    }
    paid
}

#[test]
fn a_faulty_provider_earns_nothing_and_both_sides_books_of_a_demo_agree() {
    let folder = tempfile::tempdir().unwrap();
    let (home, kept) = (folder.path().join("home"), folder.path().join("kept"));
    let output = run(&home, &["demo", "--liar", "--keep", kept.to_str().unwrap(), "--json"]);
    let told = stderr(&output);
    assert!(output.status.success(), "{told}");
    let answer = json(&output);
    let asker = kept.join("asker");
    let failed = shell(&asker.join("samples"), "grep -c 'status=failed' orders.log");
    let text = answer["answer"].as_str().unwrap();
    assert!(text.starts_with(&format!("{failed} ")), "{text}");

    // Said on the screen: who lies, that it is a simulation, what was found, what it got, where the rest is.
    assert!(told.contains("demo-c simulates a liar"), "{told}");
    let end = told.lines().find(|line| line.starts_with("demo-c, which lied: ")).unwrap();
    assert!(end.contains("does not contain the quoted \"made-up\""), "{end}");
    assert!(end.contains("In play sats (worth nothing) it was paid nothing; "), "{end}");
    assert!(!end.contains("in escrow until"), "{end}");

    // Receipt, history and the history of each provider, to the sat, though the mint is gone.
    let id = answer["run_id"].as_str().unwrap();
    let receipt = printed(&asker, &["wallet", "receipt", id, "--json"]).remove(0);
    assert_eq!((&receipt["adds_up"], &receipt["play_money"]), (&Value::Bool(true), &Value::Bool(true)));
    let lines = receipt["lines"].as_array().unwrap();
    let paid = paid_by(&printed(&asker, &["wallet", "history", id, "--json"]));
    let spent = answer["budget"]["spent_sats"].as_u64().unwrap();
    assert_eq!((paid.values().sum::<u64>(), sats(lines, "paid_msats")), (spent, spent * 1_000));
    for name in ["demo-a", "demo-b", "demo-c"] {
        let home = kept.join(name);
        let secret = std::fs::read_to_string(home.join("provider.key")).unwrap();
        let key = Keys::parse(secret.trim()).unwrap().public_key().to_hex();
        let earned = printed(&home, &["wallet", "history", "--json"]);
        let received = sats(&earned, "received_sats");
        assert_eq!(received > 0, name != "demo-c", "{name}: {earned:?}");
        assert_eq!(paid.get(&key).copied().unwrap_or_default(), received, "{name}");
        let report = printed(&home, &["wallet", "earned", "--json"]).remove(0);
        assert_eq!(report["total"]["earned_sats"].as_u64(), Some(received), "{name}");
        assert_eq!(report["play_money"], true);
        let line = lines.iter().find(|line| line["provider"] == key.as_str()).unwrap();
        assert_eq!(line["paid_msats"].as_u64(), Some(received * 1_000), "{name}");
        assert_eq!(line["waiting_msats"], 0, "{name}");
        let balance = printed(&home, &["wallet", "balance", "--json"]).remove(0);
        assert_eq!(
            (&balance["play_money"], sats(balance["mints"].as_array().unwrap(), "available_sats")),
            (&Value::Bool(true), received)
        );
        if name == "demo-c" {
            assert!(
                line["reclaimed_msats"].as_u64().unwrap() > 0,
                "it was asked, and its sats were refunded: {line}"
            );
            assert!(earned.iter().all(|row| row["state"] == "returned"), "{earned:?}");
        }
    }

    // The commands that are named are the ones that work.
    let named: Vec<&str> = told.lines().filter(|line| line.starts_with("  frlm --home ")).collect();
    assert_eq!(named.len(), 8, "{told}");
    for line in named {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let output = run(&home, &words);
        assert!(output.status.success() && !stdout(&output).is_empty(), "{line}: {}", stderr(&output));
        assert!(!stderr(&output).contains("does not add up"), "{line}: {}", stderr(&output));
    }
    let again = run(&home, &["demo", "--keep", kept.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(2), "{}", stderr(&again));
}
