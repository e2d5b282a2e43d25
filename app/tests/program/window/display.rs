//! The app on a display of its own: Xvfb, driven by keys and clicks.
//!
//! Needs `xvfb`, `xdotool` and a software Vulkan driver (`mesa-vulkan-drivers`), which `.ci/run`
//! installs.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take.
pub const TIMEOUT: Duration = Duration::from_mins(2);
/// A window that has not drawn for so long has ended what the last key began: hover and scroll bars fade, and
/// every frame of theirs takes a tenth of a second of a machine without a GPU, longer where another window wants it too.
pub const REST: Duration = Duration::from_millis(500);

/// Polls until something holds; a condition, not a pause, decides.
pub fn until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < end, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A display of its own.
pub struct Display {
    server: Child,
    name: String,
    frames: tempfile::TempDir,
}

impl Display {
    pub fn start() -> Self {
        let frames = tempfile::tempdir().unwrap();
        let mut server = Command::new("Xvfb")
            // Without -noreset the server starts over when its last client leaves, and turns away the clients that
            // come meanwhile: here the app, when xdotool has just looked for its window.
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"])
            .arg("-fbdir")
            .arg(frames.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is needed: apt-get install xvfb");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        Self { server, name: format!(":{}", number.trim()), frames }
    }

    /// Opens the app on it; returns when its window has the focus and shows what it will go on showing.
    pub fn open(&self, mut frlm: Command) -> Child {
        let mut app = frlm
            .env("DISPLAY", &self.name)
            .env_remove("WAYLAND_DISPLAY")
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut window = String::new();
        until("a window", TIMEOUT, || {
            assert_eq!(app.try_wait().unwrap(), None, "the app ended before it had a window");
            window = self.xdotool(&["search", "--onlyvisible", "--name", "^FRLM$"]);
            !window.is_empty()
        });
        self.xdotool(&["windowfocus", "--sync", &window]);
        until("a drawn window", TIMEOUT, || is_drawn(&self.picture()));
        // Its first frames still change what it shows: a key pressed now would seem to have done that.
        self.calm();
        app
    }

    /// What xdotool prints.
    pub fn xdotool(&self, args: &[&str]) -> String {
        let output = Command::new("xdotool")
            .env("DISPLAY", &self.name)
            .args(args)
            .output()
            .expect("xdotool is needed: apt-get install xdotool");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub fn keys(&self, keys: &str) {
        self.xdotool(&["key", "--clearmodifiers", keys]);
    }

    /// Acts, and waits until the screen has followed and stopped changing.
    pub fn follow(&self, act: impl FnOnce()) {
        let before = self.picture();
        act();
        until("the screen follows", TIMEOUT, || differ(&self.picture(), &before));
        self.calm();
    }

    /// Does what the palette calls `title`.
    pub fn command(&self, title: &str) {
        self.follow(|| self.keys("ctrl+k"));
        self.follow(|| drop(self.xdotool(&["type", "--delay", "20", title])));
        self.follow(|| self.keys("Return"));
    }

    /// The screen as it is: Xvfb keeps it in a file in the format of `xwd`.
    pub fn picture(&self) -> image::RgbImage {
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
    pub fn calm(&self) -> image::RgbImage {
        let (mut last, mut since, mut same) = (self.picture(), Instant::now(), 0);
        until("a calm screen", TIMEOUT, || {
            let now = self.picture();
            if differ(&now, &last) {
                (since, same) = (Instant::now(), 0);
            } else {
                same += 1;
            }
            last = now;
            same >= 4 && since.elapsed() >= REST
        });
        last
    }

    /// Keeps a picture of the screen once it is calm.
    pub fn keep(&self, name: &str) -> image::RgbImage {
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
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("window_story");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether two pictures differ by more than a blinking text cursor.
pub fn differ(one: &image::RgbImage, other: &image::RgbImage) -> bool {
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
