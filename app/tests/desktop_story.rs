//! A user's whole story on a real window: the binary under Xvfb, driven by keys and clicks.
//!
//! Needs `xvfb`, `xdotool` and a software Vulkan driver (`mesa-vulkan-drivers`), which `.ci/run`
//! installs. Leaves a picture of each screen in `target/tmp/desktop_story/`.

#![cfg(all(target_os = "linux", feature = "desktop", feature = "embedded"))]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_mins(2);

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

/// Polls until something holds; a condition, not a pause, decides.
fn until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < end, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
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

/// A display of its own.
struct Display {
    server: Child,
    name: String,
    frames: tempfile::TempDir,
}

impl Display {
    fn start() -> Self {
        let frames = tempfile::tempdir().unwrap();
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-fbdir"])
            .arg(frames.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is needed: apt-get install xvfb");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        Self { server, name: format!(":{}", number.trim()), frames }
    }

    fn xdotool(&self, args: &[&str]) -> String {
        let output = Command::new("xdotool")
            .env("DISPLAY", &self.name)
            .args(args)
            .output()
            .expect("xdotool is needed: apt-get install xdotool");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn keys(&self, keys: &str) {
        self.xdotool(&["key", "--clearmodifiers", keys]);
    }

    /// Acts, and waits until the screen has followed and stopped changing.
    fn follow(&self, act: impl FnOnce()) {
        let before = self.picture();
        act();
        until("the screen follows", PATIENCE, || differ(&self.picture(), &before));
        self.calm();
    }

    /// Does what the palette calls `title`.
    fn command(&self, title: &str) {
        self.follow(|| self.keys("ctrl+k"));
        self.follow(|| drop(self.xdotool(&["type", "--delay", "20", title])));
        self.follow(|| self.keys("Return"));
    }

    /// The screen as it is: Xvfb keeps it in a file in the format of `xwd`.
    fn picture(&self) -> image::RgbImage {
        let dump = std::fs::read(self.frames.path().join("Xvfb_screen0")).unwrap();
        let field =
            |index: usize| u32::from_be_bytes(dump[index * 4..index * 4 + 4].try_into().unwrap()) as usize;
        let (header, width, height) = (field(0), field(4), field(5));
        let (bytes_per_line, colours) = (field(12), field(19));
        let pixels = &dump[header + colours * 12..];
        image::RgbImage::from_fn(u32::try_from(width).unwrap(), u32::try_from(height).unwrap(), |x, y| {
            let at = y as usize * bytes_per_line + x as usize * 4;
            image::Rgb([pixels[at + 2], pixels[at + 1], pixels[at]])
        })
    }

    /// Waits until the screen has stopped changing.
    fn calm(&self) -> image::RgbImage {
        let mut last = self.picture();
        let mut calm = 0;
        until("a calm screen", PATIENCE, || {
            let now = self.picture();
            calm = if differ(&now, &last) { 0 } else { calm + 1 };
            last = now;
            calm >= 4
        });
        last
    }

    /// Keeps a picture of the screen once it is calm.
    fn keep(&self, name: &str) -> image::RgbImage {
        let last = self.calm();
        last.save(pictures().join(format!("{name}.png"))).unwrap();
        last
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn pictures() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("desktop_story");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether two pictures differ by more than a blinking text cursor.
fn differ(one: &image::RgbImage, other: &image::RgbImage) -> bool {
    const CURSOR_BYTES: usize = 3 * 120;
    one.as_raw().iter().zip(other.as_raw()).filter(|(one, other)| one != other).nth(CURSOR_BYTES).is_some()
}

/// Colours that a picture holds, up to a hundred: an empty window has a handful.
fn is_drawn(picture: &image::RgbImage) -> bool {
    let mut colours = std::collections::HashSet::new();
    picture.pixels().any(|pixel| {
        colours.insert(pixel.0);
        colours.len() > 100
    })
}

#[test]
fn the_whole_story_from_the_first_start_to_quitting() {
    let home = tempfile::tempdir().unwrap();
    // Another process: what the app serves for as a provider.
    let relay = Relay::start(home.path());
    std::fs::write(home.path().join("config.toml"), format!("relays = [\"{}\"]\n", relay.url)).unwrap();
    let display = Display::start();
    let mut app = frlm(home.path())
        .env("DISPLAY", &display.name)
        .env_remove("WAYLAND_DISPLAY")
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut window = String::new();
    until("a window", PATIENCE, || {
        assert_eq!(app.try_wait().unwrap(), None, "the app ended before it had a window");
        window = display.xdotool(&["search", "--onlyvisible", "--name", "^FRLM$"]);
        !window.is_empty()
    });
    display.xdotool(&["windowfocus", "--sync", &window]);
    until("a drawn window", PATIENCE, || is_drawn(&display.picture()));
    let start = display.keep("1-start");

    display.command("Start the local swarm");
    display.command("Try the sample document");
    display.follow(|| display.keys("ctrl+2"));
    let runs = || json(home.path(), &["runs", "list"]).as_array().unwrap().clone();
    // The key does nothing until the swarm serves and the quote is there.
    until("a run", PATIENCE, || {
        display.keys("ctrl+Return");
        !runs().is_empty()
    });
    let id = runs()[0]["run_id"].as_str().unwrap().to_owned();
    until("an answer", PATIENCE, || runs()[0]["state"] == "done");
    let watched = display.keep("3-run");
    assert!(differ(&watched, &start));
    display.follow(|| display.keys("ctrl+2"));
    display.keep("2-ask");
    display.follow(|| display.keys("ctrl+4"));
    let answer = display.keep("4-answer");
    assert!(differ(&answer, &watched));
    // The first source: its row is the first below the answer's card.
    display.xdotool(&["mousemove", "500", "420"]);
    display.calm();
    display.follow(|| drop(display.xdotool(&["click", "1"])));
    assert!(differ(&display.keep("4-answer-source"), &answer), "the source is shown beside the answer");

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
    until("an answer from the app as a provider", PATIENCE, || {
        let document = home.path().join("samples/orders.log");
        let asked = frlm(&home.path().join("elsewhere"))
            .args(["ask", "How many orders have status failed?", "--json", "--yes", "--verify", "none"])
            .args(["--relay", &relay.url, "--file"])
            .arg(&document)
            .output()
            .unwrap();
        String::from_utf8_lossy(&asked.stdout).contains("48 records")
    });
    assert!(differ(&display.keep("7-earn-online"), &offer));

    // Work is under way, so it asks first.
    display.follow(|| display.keys("ctrl+q"));
    display.keep("8-quit");
    assert_eq!(app.try_wait().unwrap(), None, "it asks before it leaves those who count on it");
    display.follow(|| display.keys("Tab"));
    display.follow(|| display.keys("Tab"));
    display.keys("Return");
    let mut status = None;
    until("the end", PATIENCE, || {
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
