//! Places at which a test kills the process, to see what is left.
//!
//! Only test builds contain them: elsewhere [`hit`] is empty. (The wallet has its own: what is built for tests of one crate
//! is not there in those of another.)

/// Which failpoint is armed: its name, in a child process that a test has started.
#[cfg(test)]
pub const VARIABLE: &str = "FRLM_TEST_FAILPOINT";

/// Kills this process as `kill -9` does, if the failpoint is armed.
#[cfg(test)]
pub fn hit(name: &str) {
    if std::env::var(VARIABLE).is_ok_and(|armed| armed == name) {
        let process = std::process::id().to_string();
        let _ = std::process::Command::new("kill").args(["-9", &process]).status();
        // The signal is on its way; nothing more may happen here.
        loop {
            std::thread::park();
        }
    }
}

/// Nothing, outside tests.
#[cfg(not(test))]
#[inline]
pub fn hit(_name: &str) {}
