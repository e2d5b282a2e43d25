//! Real processes on loopback, each test in a home of its own.

pub mod line;
pub mod paid_swarm;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub use frlm_client::testing_endpoint::Endpoint;
use frlm_wallet::ledger::HistoryEvent;
use frlm_wallet::{Budget, Ledger, Sats};
use tempfile::TempDir;

/// A command of the binary under test.
pub fn frlm(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_frlm"));
    command.env("FRLM_HOME", home).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

pub fn run(home: &Path, args: &[&str]) -> Output {
    frlm(home).args(args).output().unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {} {}", stdout(output), stderr(output)))
}

/// What the ledger of a home says of a run.
pub struct Booked {
    pub budget: Budget,
    /// How often something happened to sats of its: they were reserved, moved, returned.
    pub movements: usize,
}

impl Booked {
    /// Whether not a sat was so much as reserved.
    pub fn is_untouched(&self) -> bool {
        self.movements == 0 && self.budget.available == self.budget.limit
    }

    /// Whether it cost no more than it might, and holds nothing any more.
    pub fn is_within_its_budget(&self) -> bool {
        let Budget { limit, spent, reserved, pending_refund, .. } = self.budget;
        spent <= limit && (reserved, pending_refund) == (Sats::ZERO, Sats::ZERO)
    }
}

/// All runs that the ledger of a home knows; none where nothing was ever asked.
pub fn booked(home: &Path) -> Vec<Booked> {
    let path = home.join("ledger.db");
    if !path.exists() {
        return Vec::new();
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let ledger = Ledger::open(path).await.unwrap();
        let mut booked = Vec::new();
        for run in ledger.runs().await.unwrap() {
            let history = ledger.history(run.run).await.unwrap();
            let moved = history.iter().filter(|row| matches!(row.event, HistoryEvent::Reservation { .. }));
            booked.push(Booked { budget: run.budget, movements: moved.count() });
        }
        booked
    })
}

/// A background process that is killed when the test ends.
pub struct Background(pub Child);

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Background {
    /// Starts a relay at a port that the system picks; returns its address.
    pub fn relay(home: &Path) -> (Self, String) {
        let mut child = frlm(home)
            .args(["relay", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        (Self(child), url.trim().to_owned())
    }

    /// Starts a provider with the embedded model and waits until it serves.
    pub fn provider(home: &Path, relay: &str) -> Self {
        Self::provider_with(home, relay, &[])
    }

    pub fn provider_with(home: &Path, relay: &str, more: &[&str]) -> Self {
        let mut child = frlm(home)
            .args(["provide", "--relay", relay])
            .args(more)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let serving = lines.by_ref().map_while(Result::ok).any(|line| line.starts_with("serving "));
        assert!(serving, "the provider ended before it served");
        // Somebody must go on reading, or the provider blocks on a full pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self(child)
    }

    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.0.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    pub fn wait(&mut self, limit: Duration) -> Option<std::process::ExitStatus> {
        let until = Instant::now() + limit;
        while Instant::now() < until {
            if let Some(status) = self.0.try_wait().unwrap() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

/// A relay, two providers and an order log, and a home for the asker. The processes end before their folder goes.
pub struct SmallSwarm {
    _processes: [Background; 3],
    pub folder: TempDir,
    pub home: PathBuf,
    pub url: String,
    pub path: PathBuf,
}

impl SmallSwarm {
    pub fn with_orders(lines: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (home, path) = (folder.path().join("asker"), folder.path().join("orders.log"));
        orders(&path, lines);
        let (relay, url) = Background::relay(folder.path());
        let [a, b] = [(); 2].map(|()| Background::provider(folder.path(), &url));
        Self { _processes: [relay, a, b], folder, home, url, path }
    }
}

/// Starts a run in this home, kills its process once some of it is verified, and says which run it was.
pub fn killed_on_its_way(home: &Path, command: &mut Command) -> String {
    let mut asker = Background(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let mut id = String::new();
    until("some subtasks are verified", Duration::from_mins(1), || {
        let listed = run(home, &["runs", "list", "--json"]);
        let Ok(runs) = serde_json::from_slice::<serde_json::Value>(&listed.stdout) else { return false };
        let Some(found) = runs[0]["run_id"].as_str() else { return false };
        found.clone_into(&mut id);
        json(&run(home, &["runs", "show", found, "--json"]))["verified"].as_u64().unwrap_or(0) >= 3
    });
    asker.0.kill().unwrap();
    asker.0.wait().unwrap();
    id
}

/// Polls until something holds; a condition, not a pause, decides.
pub fn until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < end, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A numbered order log in which every fifth order failed.
pub fn orders(path: &Path, lines: usize) {
    let mut text = String::new();
    for number in 1..=lines {
        let (order, user, amount) = (4_000 + number, number % 7, number * 3);
        let status = if number % 5 == 0 { "failed" } else { "shipped" };
        writeln!(text, "{number:03} order {order} by user{user} amount {amount} {status}").unwrap();
    }
    std::fs::write(path, text).unwrap();
}
