//! The worker by itself, for this crate's tests: `serve` as it ships, and, for what the interpreter would
//! never do, a worker that tries it by hand once it is confined.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("try-by-hand") {
        return frlm_sandbox::worker::try_by_hand();
    }
    frlm_sandbox::worker::serve()
}
