//! An open window that nobody uses: what it takes of the processor, screen by screen.
//!
//! `cargo test --profile ci --workspace --test program window::idle -- --nocapture` prints the table. What counts is the
//! processor time of the app alone, so that whatever else the machine does is not in it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::display::{Display, REST, TIMEOUT, until};

/// How long each screen is left alone.
const ALONE: Duration = Duration::from_secs(3);
/// The most of one core that it may take, in percent: three of the hundredths of a second that Linux counts in.
const MOST_PERCENT: f64 = 1.0;

/// The screens in the order of the navigation.
const SCREENS: [&str; 11] = [
    "Start",
    "Ask",
    "Run",
    "Answer",
    "Runs",
    "Providers",
    "Models",
    "Earn",
    "Wallet",
    "Learning",
    "Settings",
];

/// Processor time that a process has taken so far, all threads together.
fn processor_time(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // Fields 14 and 15, counted after the name, which may hold spaces; in hundredths of a second.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

/// Returns when a process has taken nothing for a while.
fn rest(process: u32) {
    let (mut taken, mut since) = (processor_time(process), Instant::now());
    until("a window at rest", TIMEOUT, || {
        let now = processor_time(process);
        if now > taken {
            (taken, since) = (now, Instant::now());
        }
        since.elapsed() >= REST
    });
}

#[test]
fn an_open_window_that_nobody_uses_takes_less_than_a_hundredth_of_a_core() {
    let home = tempfile::tempdir().unwrap();
    let display = Display::start();
    let mut command = Command::new(env!("CARGO_BIN_EXE_frlm"));
    command.env("FRLM_HOME", home.path()).stdin(Stdio::null());
    let mut app = display.open(command);
    let mut worst: f64 = 0.0;
    for screen in SCREENS {
        display.command(&format!("Go to {screen}"));
        // What it took to get here is not what it takes to stay.
        rest(app.id());
        let (before, began) = (processor_time(app.id()), Instant::now());
        std::thread::sleep(ALONE);
        let taken = processor_time(app.id()).saturating_sub(before);
        let percent = taken.as_secs_f64() / began.elapsed().as_secs_f64() * 100.0;
        println!("{screen:10} {percent:5.2}% of a core");
        worst = worst.max(percent);
    }
    display.keys("ctrl+q");
    until("the end", TIMEOUT, || app.try_wait().unwrap().is_some());
    assert!(worst <= MOST_PERCENT, "{worst:.2}% of a core");
}
