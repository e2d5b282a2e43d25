//! The sandbox's near end: a worker process for every program.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::process::{MOMENT, START, Starter, Worker};
use crate::wire::{Limits, NOT_CONFINED, Program, Ran, Request, Word, Work};

/// The longest request: program and inputs.
const MOST_REQUEST_BYTES: usize = 1 << 20;

/// Why a program gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// It is longer than what is taken.
    #[error("program and inputs have {0} bytes; at most {1} are taken")]
    TooLong(usize, usize),
    /// The program raised an error, or is none.
    #[error("{0}")]
    Failed(String),
    /// The program needs what the sandbox's interpreter does not have, so nobody can say what it gives.
    #[error("the sandbox lacks what the program needs: {0}")]
    Lacks(String),
    /// It took too long.
    #[error("stopped after {0} ms")]
    Time(u64),
    /// It printed or gave too much.
    #[error("stopped: more than {0} bytes of output")]
    Output(usize),
    /// The worker died: out of memory, out of stack, aborted.
    #[error("the worker died ({0}); nothing else did")]
    Died(String),
    /// Its caller stopped it.
    #[error("stopped by its caller")]
    Stopped,
    /// The worker could not be started.
    #[error("the sandbox could not be started: {0}")]
    Start(String),
}

impl SandboxError {
    /// Whether it says something about the program; otherwise it says something about this machine or this
    /// interpreter, and the program may be right.
    pub fn is_the_programs(&self) -> bool {
        match self {
            Self::TooLong(..) | Self::Failed(_) | Self::Time(_) | Self::Output(_) | Self::Died(_) => true,
            Self::Lacks(_) | Self::Stopped | Self::Start(_) => false,
        }
    }
}

/// Starts a worker process for every program.
#[derive(Debug, Clone)]
pub struct Sandbox {
    starter: Starter,
    pub(crate) limits: Limits,
}

impl Sandbox {
    /// Workers are started as `worker` with these arguments; what runs there calls [`crate::worker::serve`]
    /// before it does anything else.
    pub fn new(worker: impl Into<PathBuf>, arguments: &[&str], limits: Limits) -> Self {
        Self { starter: Starter::new(worker, arguments), limits }
    }

    /// Workers are this very program with one argument.
    ///
    /// Errors: the system does not say where this program lies.
    pub fn of_this_program(argument: &str, limits: Limits) -> std::io::Result<Self> {
        Ok(Self { starter: Starter::of_this_program(argument)?, limits })
    }

    /// Runs a program to its end. Blocks for at most the limits' time, twice, and the time to start.
    pub fn run(&self, program: &Program) -> Result<Ran, SandboxError> {
        let start = |what: &str| SandboxError::Start(what.to_owned());
        let request = self.request(Work::Run(program.clone()), MOST_REQUEST_BYTES)?;
        let mut worker = self.start()?;
        let mut input = worker.0.stdin.take().ok_or_else(|| start("no way in"))?;
        let output = worker.0.stdout.take().ok_or_else(|| start("no way out"))?;
        let Limits { time_ms, output_bytes, .. } = self.limits;
        // Printed and given, and each byte may be escaped as six.
        let most = output_bytes.saturating_mul(12).saturating_add(4_096);
        let (heard, status) = std::thread::scope(|threads| {
            // A worker that does not read, and one that does not stop writing, must not hold us up.
            threads.spawn(move || {
                // One that died before it read says so below.
                let _ = input.write_all(&request);
            });
            let (said, inbox) = sync_channel(1);
            threads.spawn(move || {
                let mut text = String::new();
                let read = output.take(most as u64).read_to_string(&mut text);
                // Nobody listens any more if it was too slow.
                let _ = said.send(read.map(|_| text));
            });
            let deadline = Instant::now() + Duration::from_millis(time_ms) * 2 + START;
            let heard = loop {
                match inbox.recv_timeout(MOMENT) {
                    // One that has ended, or has had its time, and whose output is open all the same: it
                    // left somebody behind.
                    Err(RecvTimeoutError::Timeout) if worker.has_ended() => {
                        worker.kill_group();
                        break inbox.recv().map_err(RecvTimeoutError::from);
                    }
                    Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
                    heard => break heard,
                }
            };
            // Ends both threads: their pipes lose the other end.
            (heard, worker.end())
        });
        match heard {
            Err(RecvTimeoutError::Timeout) => Err(SandboxError::Time(time_ms)),
            Err(RecvTimeoutError::Disconnected) => Err(start("its output could not be read")),
            Ok(text) => match text.ok().and_then(|text| serde_json::from_str(&text).ok()) {
                Some(Word::Gave(ran)) => Ok(ran),
                Some(Word::Raised(error)) => Err(SandboxError::Failed(error)),
                Some(Word::Lacks(what)) => Err(SandboxError::Lacks(what)),
                Some(Word::OutOfTime) => Err(SandboxError::Time(time_ms)),
                Some(Word::TooMuch) => Err(SandboxError::Output(output_bytes)),
                None => Err(self.died(status)),
            },
        }
    }

    /// The line that a worker is given.
    pub(crate) fn request(&self, work: Work, most_bytes: usize) -> Result<Vec<u8>, SandboxError> {
        let mut request = serde_json::to_vec(&Request { limits: self.limits, work })
            .map_err(|error| SandboxError::Start(error.to_string()))?;
        if request.len() > most_bytes {
            return Err(SandboxError::TooLong(request.len(), most_bytes));
        }
        request.push(b'\n');
        Ok(request)
    }

    /// What the end of a worker that said nothing means.
    pub(crate) fn died(&self, status: Option<ExitStatus>) -> SandboxError {
        #[cfg(unix)]
        {
            use std::os::unix::process::ExitStatusExt as _;
            let signal = status.and_then(|status| status.signal());
            if signal == Some(rustix::process::Signal::XCPU.as_raw()) {
                return SandboxError::Time(self.limits.time_ms);
            }
            if status.and_then(|status| status.code()) == Some(i32::from(NOT_CONFINED)) {
                return SandboxError::Start("the worker could not limit itself".to_owned());
            }
        }
        let how = status.map_or_else(|| "how is not known".to_owned(), |status| status.to_string());
        SandboxError::Died(how)
    }

    pub(crate) fn start(&self) -> Result<Worker, SandboxError> {
        self.starter.start(Stdio::null()).map_err(|error| SandboxError::Start(error.to_string()))
    }
}
