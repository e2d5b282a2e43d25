//! `frlm demo --compound` against grep and awk over the files that it leaves.

#![cfg(test)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::path::Path;
use std::process::Command;

use common::{json, run, stderr, stdout};

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
