//! A user's whole story on a real window: the binary under Xvfb, driven by keys and clicks.
//!
//! Needs `xvfb`, `xdotool` and a software Vulkan driver (`mesa-vulkan-drivers`), which `.ci/run`
//! installs. Leaves a picture of each screen in `target/tmp/window_story/`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::display::{Display, TIMEOUT, differ, until};

/// The binary under test in a home of its own.
fn frlm(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_frlm"));
    command.env("FRLM_HOME", home).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// What a command prints with `--json`.
fn json(home: &Path, args: &[&str]) -> serde_json::Value {
    let output = frlm(home).args(args).arg("--json").output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// `frlm relay` in a process of its own.
struct Relay {
    process: Child,
    url: String,
}

impl Relay {
    fn start(home: &Path) -> Self {
        let mut process = frlm(home)
            .args(["relay", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let start = line.find("ws://").unwrap_or_else(|| panic!("no address in {line:?}"));
        let url = line[start..].split_whitespace().next().unwrap().to_owned();
        Self { process, url }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn the_whole_story_from_the_first_start_to_quitting() {
    let home = tempfile::tempdir().unwrap();
    // Another process: what the app serves for as a provider.
    let relay = Relay::start(home.path());
    std::fs::write(home.path().join("config.toml"), format!("relays = [\"{}\"]\n", relay.url)).unwrap();
    let display = Display::start();
    let mut app = display.open(frlm(home.path()));
    let start = display.keep("1-start");

    display.command("Start the local swarm");
    // It leads to Ask.
    display.command("Try the sample of records");
    let runs = || json(home.path(), &["runs", "list"]).as_array().unwrap().clone();
    // The key does nothing until the swarm serves and the quote is there.
    until("a run", TIMEOUT, || {
        display.keys("ctrl+Return");
        !runs().is_empty()
    });
    let id = runs()[0]["run_id"].as_str().unwrap().to_owned();
    until("an answer", TIMEOUT, || runs()[0]["state"] == "done");
    let watched = display.keep("3-run");
    assert!(differ(&watched, &start));
    display.follow(|| display.keys("ctrl+2"));
    display.keep("2-ask");
    display.follow(|| display.keys("ctrl+4"));
    let answer = display.keep("4-answer");
    assert!(differ(&answer, &watched));
    // A source: their rows stand below the answer's card. What is between two rows is narrower than these are apart.
    for height in ["410", "425"] {
        display.xdotool(&["mousemove", "500", height]);
        display.calm();
        display.xdotool(&["click", "1"]);
    }
    let right = |picture: &image::RgbImage| image::imageops::crop_imm(picture, 860, 0, 400, 800).to_image();
    until("the source beside the answer", TIMEOUT, || differ(&right(&display.picture()), &right(&answer)));
    display.keep("4-answer-source");

    let shown = json(home.path(), &["runs", "show", &id]);
    assert!(shown["answer"].as_str().unwrap().starts_with("48 "), "{shown}");
    let balance = json(home.path(), &["wallet", "balance"]);
    assert_eq!(balance["runs"][0]["run_id"], id.as_str());

    display.follow(|| display.keys("ctrl+9"));
    assert!(differ(&display.keep("5-wallet"), &answer));

    display.command("Go to Earn");
    let offer = display.keep("6-earn");
    display.command("Go online as a provider");
    // From another process, over the relay, somebody who asks finds it.
    until("an answer from the app as a provider", TIMEOUT, || {
        let document = home.path().join("samples/orders.log");
        let asked = frlm(&home.path().join("elsewhere"))
            .args([
                "ask",
                "How many orders have status failed?",
                "--by",
                "swarm",
                "--json",
                "--yes",
                "--verify",
                "none",
            ])
            .args(["--relay", &relay.url, "--file"])
            .arg(&document)
            .output()
            .unwrap();
        String::from_utf8_lossy(&asked.stdout).contains("48 records")
    });
    assert!(differ(&display.keep("7-earn-online"), &offer));

    for screen in ["Runs", "Providers", "Models", "Learning", "Settings"] {
        let before = display.calm();
        display.command(&format!("Go to {screen}"));
        assert!(differ(&display.keep(&format!("8-{}", screen.to_lowercase())), &before), "{screen}");
    }

    // Work is under way, so it asks first.
    display.follow(|| display.keys("ctrl+q"));
    display.keep("9-quit");
    assert_eq!(app.try_wait().unwrap(), None, "it asks before it leaves those who count on it");
    display.follow(|| display.keys("Tab"));
    display.follow(|| display.keys("Tab"));
    display.keys("Return");
    let mut status = None;
    until("the end", TIMEOUT, || {
        status = app.try_wait().unwrap();
        status.is_some()
    });
    assert!(status.unwrap().success());
}

#[test]
fn without_a_display_it_says_so_and_names_the_help() {
    let home = tempfile::tempdir().unwrap();
    let output = frlm(home.path()).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("frlm --help") && words.contains("DISPLAY"), "{words}");
}
