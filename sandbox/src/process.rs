//! The process of a worker: how it is started, and that it ends with all that it started.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Time to load and to start, on a machine that has much else to do.
pub(crate) const START: Duration = Duration::from_secs(8);
/// Between two looks at a worker that says nothing.
pub(crate) const MOMENT: Duration = Duration::from_millis(5);

/// What is started as a worker.
#[derive(Debug, Clone)]
pub(crate) struct Starter {
    worker: PathBuf,
    arguments: Vec<OsString>,
}

impl Starter {
    pub(crate) fn new(worker: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        Self { worker: worker.into(), arguments: arguments.iter().map(OsString::from).collect() }
    }

    /// This very program with one argument.
    ///
    /// Errors: the system does not say where this program lies.
    pub(crate) fn of_this_program(argument: &str) -> io::Result<Self> {
        // By this name it is found even if the file was replaced since it was started.
        let linux = PathBuf::from("/proc/self/exe");
        let program = if linux.exists() { linux } else { std::env::current_exe()? };
        Ok(Self::new(program, &[argument]))
    }

    /// Starts a worker with pipes to its input and from its output. `errors`: where its standard error goes.
    pub(crate) fn start(&self, errors: Stdio) -> io::Result<Worker> {
        let mut command = Command::new(&self.worker);
        command
            .args(&self.arguments)
            .env_clear()
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors);
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            // A group of its own: whatever it may have started ends with it.
            command.process_group(0);
        }
        command.spawn().map(Worker)
    }
}

/// A worker that does not outlive its run, whatever happens.
pub(crate) struct Worker(pub Child);

impl Worker {
    /// Ends it and all of its group, and says how it ended. One that has closed its output is given a
    /// moment to end by itself, so that its own exit status is what is told.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        for _ in 0..20 {
            if self.has_ended() {
                break;
            }
            std::thread::sleep(MOMENT);
        }
        // Before it is waited for: until then its number, which is the group's, is nobody else's.
        self.kill_group();
        self.0.wait().ok()
    }

    #[cfg(unix)]
    pub(crate) fn has_ended(&self) -> bool {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.group().is_some_and(|id| !matches!(waitid(WaitId::Pid(id), options), Ok(None)))
    }

    #[cfg(unix)]
    fn group(&self) -> Option<rustix::process::Pid> {
        i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw)
    }

    #[cfg(unix)]
    pub(crate) fn kill_group(&mut self) {
        if let Some(group) = self.group() {
            // It fails if all of it has ended.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }

    #[cfg(not(unix))]
    pub(crate) fn kill_group(&mut self) {
        let _ = self.0.kill();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // After `end` it has been waited for, and this knows it.
        if let Ok(None) = self.0.try_wait() {
            self.kill_group();
            let _ = self.0.wait();
        }
    }
}
