//! `kill -9` while an account is written: what was finished is there, and nothing is half done (issue "The brain", done
//! when, 5).
//!
//! A child process changes the account and is killed, at a failpoint of its writing or whenever this process comes to it.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::memory::LearnerMemory;
use super::tests::{in_parts, served};
use super::*;
use crate::failpoint;

const ACCOUNT: &str = "FRLM_TEST_ACCOUNT";
const SCENE: &str = "FRLM_TEST_SCENE";
const SIGKILL: i32 = 9;

/// What a write does before and after it has its effect: [`crate::saved::write`].
const BEFORE: [&str; 3] = ["saved.1", "saved.2", "saved.3"];
const AFTER: &str = "saved.4";

/// Runs `child` below in a process of its own.
fn child_of(scene: &str, account: &Path) -> Command {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "planning::account::kills::child", "--ignored", "--nocapture"])
        .env(SCENE, scene)
        .env(ACCOUNT, account)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    child
}

/// Runs a scene until the failpoint kills it.
fn kill_at(failpoint: &str, scene: &str, account: &Path) {
    let status = child_of(scene, account).env(failpoint::VARIABLE, failpoint).status().unwrap();
    assert_eq!(status.signal(), Some(SIGKILL), "{scene} did not reach {failpoint}: {status}");
}

#[test]
#[ignore = "the other half of the tests in this file"]
fn child() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let memory = LearnerMemory::at(variable(ACCOUNT));
    match variable(SCENE).as_str() {
        "choose" => {
            memory.choose(&in_parts()).unwrap();
        }
        "add" => {
            memory.add(&served("new", 1.0)).unwrap();
        }
        "rate" => assert!(memory.rate("old", Satisfaction::Stars(5)).unwrap()),
        "observe" => {
            let seen = Behaviour { copied: true, ..Behaviour::default() };
            assert!(memory.observe("old", &seen).unwrap());
        }
        // Question after question, until somebody kills it; what it says is done is done.
        "learn" => loop {
            let known = memory.load().unwrap().map_or(0, |account| account.episodes().len());
            let chosen = memory.choose(&in_parts()).unwrap();
            let run = served(&format!("{known}"), 1.0);
            memory.add(&Served { action: chosen.action, chosen: Some(chosen.episode), ..run }).unwrap();
            println!("\ndone {}", known + 1);
        },
        other => panic!("there is no scene {other}"),
    }
}

/// An account that has learned, and its file.
fn learned(folder: &Path) -> LearnerMemory {
    let memory = LearnerMemory::at(folder.join("brain.json"));
    let chosen = memory.choose(&in_parts()).unwrap();
    let old = Served { action: chosen.action, chosen: Some(chosen.episode), ..served("old", 0.5) };
    memory.add(&old).unwrap();
    memory
}

#[test]
fn killed_at_any_step_the_account_is_either_the_old_or_the_new_one() {
    for scene in ["choose", "add", "rate", "observe"] {
        let folder = tempfile::tempdir().unwrap();
        let memory = learned(folder.path());
        let before = memory.load().unwrap().unwrap();
        for failpoint in BEFORE {
            kill_at(failpoint, scene, memory.path());
            assert_eq!(memory.load().unwrap().as_ref(), Some(&before), "{scene}, {failpoint}");
        }
        kill_at(AFTER, scene, memory.path());
        let after = memory.load().unwrap().unwrap();
        let has_changed = match scene {
            "choose" => after.policy_so_far() == Some((0, 2)),
            "add" => after.episodes().next_back().unwrap().run_id == "new",
            "rate" => after.episodes().next_back().unwrap().is_rated(),
            _ => after.episodes().next_back().unwrap().behaviour.copied,
        };
        assert!(has_changed, "{scene}");
        // Nobody waits for a lock of the dead, and what they left unfinished is in nobody's way.
        memory.add(&served("next", 1.0)).unwrap();
        assert_eq!(memory.load().unwrap().unwrap().episodes().len(), after.episodes().len() + 1, "{scene}");
    }
}

/// Among the moments are those in which the policy learns: with every hundredth reward.
#[test]
fn killed_at_any_moment_learning_loses_only_what_was_unfinished() {
    let folder = tempfile::tempdir().unwrap();
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    for (kills, killed_after) in (1..).zip([1, 2, 17, 40, 41, 98, 99, 100, 101]) {
        let mut child = child_of("learn", memory.path()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut done = lines.filter_map(|line| line.strip_prefix("done ")?.parse::<usize>().ok());
        let reached = done.find(|done| *done >= killed_after);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(SIGKILL), "it was alive until then: {status}");
        // What it said before the signal came.
        let last = done.last().or(reached).unwrap();

        let mut account = memory.load().unwrap().expect("it is there");
        let learned = account.episodes().len();
        assert!(learned == last || learned == last + 1, "{learned} of {last} that were done");
        let (updates, chosen) = account.policy_so_far().expect("it has a policy");
        // Each kill may have come between a choice and its reward.
        let unrewarded = chosen - learned as u64;
        assert!(unrewarded <= kills, "{chosen} chosen, {learned} rewarded");
        assert_eq!(updates, learned as u64 / 100);
        assert_eq!(account.choose(&in_parts()).unwrap().episode, EpisodeId(chosen), "it can go on");
    }
}
