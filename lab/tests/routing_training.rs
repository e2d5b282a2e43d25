//! `frlm-lab learn route` as a process, with real inference: killed in the middle, it goes on, and ends as one that
//! was not.

#![cfg(feature = "embedded")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// A program that ends with its test.
struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const ITERATIONS: &str = "20";

fn training(home: &Path, learner: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_frlm-lab"));
    command.env("FRLM_HOME", home).stdin(Stdio::null());
    command.args(["learn", "route", "--iterations", ITERATIONS, "--seed", "7", "--learner", learner]);
    command.arg("--plots").arg(home.join("plots"));
    command
}

/// What a finished training printed of its result, and the pictures that it drew.
fn finished(home: &Path, learner: &str) -> (Vec<String>, [Vec<u8>; 2], String) {
    let output = training(home, learner).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    // The rows of venues say how long answers really took; everything above them is the result.
    let result =
        stdout(&output).lines().take_while(|line| !line.starts_with("| venue")).map(str::to_owned).collect();
    let picture = |name: &str| std::fs::read(home.join("plots").join(name)).unwrap();
    (result, [picture("routing-training.svg"), picture("routing-values.svg")], stderr(&output))
}

#[test]
fn a_killed_training_resumes_to_the_same_result_and_pictures() {
    for learner in ["q-table", "linucb"] {
        let folder = tempfile::tempdir().unwrap();
        let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
        let (result, pictures, _) = finished(&whole, learner);
        assert!(result.iter().any(|line| line.starts_with("result ")), "{result:?}");
        let mut child = Background(
            training(&killed, learner).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap(),
        );
        let mut lines = BufReader::new(child.0.stderr.take().unwrap()).lines();
        let middle = format!("  8 of {ITERATIONS}");
        assert!(lines.any(|line| line.unwrap().contains(&middle)), "it ended before its middle");
        // SIGKILL: no farewell.
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        assert!(!killed.join("plots").exists(), "it was not over");
        let (again, drawn, said) = finished(&killed, learner);
        assert!(said.contains("going on after "), "{said}");
        assert_eq!(again, result);
        assert_eq!(drawn, pictures);
    }
}
