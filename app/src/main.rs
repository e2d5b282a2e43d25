//! The `frlm` program.

fn main() -> std::process::ExitCode {
    frlm_app::main()
}
