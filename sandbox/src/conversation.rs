//! The near end of a program that talks: a worker process, a thread that reads it and one that writes to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::process::{MOMENT, START, Worker};
use crate::sandbox::{Sandbox, SandboxError};
use crate::wire::{Call, Comes, Limits, Ran, Reply, Script, Turn, Word, Work};

/// The longest script with all that it finds set.
pub const MOST_SCRIPT_BYTES: usize = 64 << 20;
/// A worker's longest line, beside what the limits let it print and give.
const MOST_CALL_BYTES: usize = 4 << 20;

/// What a program that talks does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// It calls a function, and waits for [`Conversation::reply`].
    Calls(Call),
    /// It has ended, and gave this.
    Ended(Ran),
}

/// A program that is running, or waits for an answer. Dropping it ends its worker.
pub struct Conversation {
    sandbox: Sandbox,
    worker: Worker,
    lines_in: SyncSender<Vec<u8>>,
    lines_out: Receiver<Vec<u8>>,
}

impl std::fmt::Debug for Conversation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conversation").field("sandbox", &self.sandbox).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Says whether a script is a program; nothing of it runs.
    pub fn read(&self, script: &Script) -> Result<(), SandboxError> {
        let mut conversation = self.begin(Work::Read(script.clone()))?;
        conversation.next(&AtomicBool::new(false)).1.map(|_| ())
    }

    /// Starts a program that talks.
    pub fn converse(&self, script: Script) -> Result<Conversation, SandboxError> {
        self.begin(Work::Talk(script))
    }

    fn begin(&self, work: Work) -> Result<Conversation, SandboxError> {
        let start = |what: &str| SandboxError::Start(what.to_owned());
        let request = self.request(work, MOST_SCRIPT_BYTES)?;
        let mut worker = self.start()?;
        let input = worker.0.stdin.take().ok_or_else(|| start("no way in"))?;
        let output = worker.0.stdout.take().ok_or_else(|| start("no way out"))?;
        // Each byte that it prints or gives may be escaped as six.
        let most = self.limits.output_bytes.saturating_mul(12).saturating_add(MOST_CALL_BYTES);
        let (lines_in, to_be_written) = sync_channel(1);
        let (read, lines_out) = sync_channel(1);
        // Both end with their pipe, which ends with the worker.
        std::thread::spawn(move || write_lines(input, &to_be_written));
        std::thread::spawn(move || read_lines(output, most, &read));
        lines_in.send(request).map_err(|_| start("its input was closed"))?;
        Ok(Conversation { sandbox: self.clone(), worker, lines_in, lines_out })
    }
}

impl Conversation {
    /// Lets the program go on until it calls a function or ends; and what it printed meanwhile. Blocks for at most the
    /// limits' time, twice, and the time to start, or until `stop` is set.
    pub fn next(&mut self, stop: &AtomicBool) -> (String, Result<Next, SandboxError>) {
        let limits = self.sandbox.limits;
        let deadline = Instant::now() + Duration::from_millis(limits.time_ms) * 2 + START;
        let line = loop {
            match self.lines_out.recv_timeout(MOMENT) {
                Ok(line) => break line,
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    self.worker.kill_group();
                    return (String::new(), Err(SandboxError::Stopped));
                }
                Err(RecvTimeoutError::Timeout) if self.worker.has_ended() => {
                    // A process that it left behind may hold its output open.
                    self.worker.kill_group();
                    match self.lines_out.recv() {
                        Ok(line) => break line,
                        Err(_) => return (String::new(), Err(self.died())),
                    }
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.worker.kill_group();
                    return (String::new(), Err(SandboxError::Time(limits.time_ms)));
                }
                Err(RecvTimeoutError::Disconnected) => return (String::new(), Err(self.died())),
            }
        };
        match serde_json::from_slice::<Turn>(&line) {
            Ok(Turn { printed, comes }) => (printed, heard(comes, &limits)),
            // Half a line, or none of ours: it says nothing that could be believed.
            Err(_) => (String::new(), Err(self.died())),
        }
    }

    /// Answers the call that the program waits with.
    pub fn reply(&mut self, reply: &Reply) -> Result<(), SandboxError> {
        let mut line = serde_json::to_vec(reply).map_err(|error| SandboxError::Failed(error.to_string()))?;
        line.push(b'\n');
        // One that calls and does not read what it is answered is not waited for.
        match self.lines_in.try_send(line) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.died()),
        }
    }

    fn died(&mut self) -> SandboxError {
        let status = self.worker.end();
        self.sandbox.died(status)
    }
}

fn heard(comes: Comes, limits: &Limits) -> Result<Next, SandboxError> {
    match comes {
        Comes::Call(call) => Ok(Next::Calls(call)),
        Comes::End(Word::Gave(ran)) => Ok(Next::Ended(ran)),
        Comes::End(Word::Raised(error)) => Err(SandboxError::Failed(error)),
        Comes::End(Word::Lacks(what)) => Err(SandboxError::Lacks(what)),
        Comes::End(Word::OutOfTime) => Err(SandboxError::Time(limits.time_ms)),
        Comes::End(Word::TooMuch) => Err(SandboxError::Output(limits.output_bytes)),
    }
}

/// Writes until the worker is gone or nobody has anything to say any more. One that does not read must not hold us up.
fn write_lines(mut input: ChildStdin, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if input.write_all(&line).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Reads until the worker is gone; one that says more in a line than it may is not read any further.
fn read_lines(output: ChildStdout, most: usize, lines: &SyncSender<Vec<u8>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(most as u64).read_until(b'\n', &mut line);
        let whole = line.ends_with(b"\n");
        if !matches!(read, Ok(1..)) || lines.send(line).is_err() || !whole {
            return;
        }
    }
}
