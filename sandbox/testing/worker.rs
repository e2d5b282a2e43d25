//! The worker by itself, for this crate's tests: `serve` as it ships, and, for what no interpreter or reader would ever
//! do, a worker that tries it by hand once it is confined.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("try-by-hand") {
        return frlm_sandbox::by_hand::serve();
    }
    frlm_sandbox::worker::serve()
}
