//! `frlm wallet passphrase` as scripts use it.

use std::process::Output;

use crate::common::{frlm, json, run, stderr};

const OLD: &str = "FRLM_WALLET_PASSPHRASE";
const NEW: &str = "FRLM_WALLET_NEW_PASSPHRASE";

#[test]
fn a_passphrase_is_set_changed_and_dropped_and_opens_the_wallet_alone() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let reseal = |old: &str, new: &str, more: &[&str]| {
        let mut command = frlm(home);
        command.args(["wallet", "passphrase"]).args(more).env(OLD, old).env(NEW, new).output().unwrap()
    };
    let opens =
        |words: &str| frlm(home).args(["wallet", "balance"]).env(OLD, words).output().unwrap().status.code();
    let fails = |output: &Output, says: &[&str]| {
        assert_eq!(output.status.code(), Some(2), "{}", stderr(output));
        assert!(says.iter().all(|words| stderr(output).contains(words)), "{}", stderr(output));
    };
    fails(&reseal("", "one", &[]), &["frlm wallet create"]);
    assert!(run(home, &["wallet", "create", "--yes"]).status.success());
    for (old, new, word) in [("", "one", "set"), ("one", "two", "changed")] {
        let output = reseal(old, new, &["--json"]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(json(&output), serde_json::json!({ "passphrase": word }));
        assert_eq!((opens(new), opens(old)), (Some(0), Some(2)));
    }
    fails(&reseal("one", "three", &[]), &[OLD, "frlm wallet create --restore"]);
    fails(&reseal("", "three", &[]), &[OLD]);
    fails(&reseal("two", "", &[]), &[NEW, "--drop"]);
    fails(&reseal("two", "three", &["--drop"]), &[NEW]);
    assert_eq!((opens("two"), opens("three")), (Some(0), Some(2)), "nothing was changed");
    let output = reseal("two", "", &["--drop", "--json"]);
    assert_eq!(json(&output), serde_json::json!({ "passphrase": "dropped" }), "{}", stderr(&output));
    assert_eq!(opens(""), Some(0));
    fails(&reseal("", "", &["--drop"]), &["no passphrase"]);
}
