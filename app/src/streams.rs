//! Writing to stdout and stderr when nobody may be reading any more.
//!
//! The standard macros panic on a closed pipe, as in `frlm runs replay ID | head`. Here the end of
//! the reader on stdout ends the program quietly, and a closed stderr only loses the words. A full disk
//! is no such end: a user who wrote an export into a file would take half of it for the whole.

use std::fmt::Arguments;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use frlm_client::documents::{Documents, Password};
use frlm_client::failure::code;
use frlm_client::home::Home;
use frlm_client::protocol::one_line;

/// Prints a line on stdout.
macro_rules! say {
    ($($text:tt)*) => { $crate::streams::to_stdout(format_args!("{}\n", format_args!($($text)*))) };
}

/// Prints on stdout without a line ending.
macro_rules! say_raw {
    ($($text:tt)*) => { $crate::streams::to_stdout(format_args!($($text)*)) };
}

/// Prints a line on stderr.
macro_rules! note {
    ($($text:tt)*) => { $crate::streams::to_stderr(format_args!("{}\n", format_args!($($text)*))) };
}

/// Prints on stderr without a line ending, for questions.
macro_rules! ask {
    ($($text:tt)*) => { $crate::streams::to_stderr(format_args!($($text)*)) };
}

/// Whether anything was written to stdout.
static SAID: AtomicBool = AtomicBool::new(false);

/// Whether stdout has something, which an error would make unreadable for a program.
pub fn has_said() -> bool {
    SAID.load(Ordering::Relaxed)
}

/// Writes to stdout; without a reader there is nothing left to do, and without room nothing more can be done.
pub fn to_stdout(text: Arguments<'_>) {
    SAID.store(true, Ordering::Relaxed);
    let mut stdout = std::io::stdout().lock();
    let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    to_stderr(format_args!(
        "frlm: the output could not be written completely: {error}; free some space or write it elsewhere\n"
    ));
    std::process::exit(code::FAILED.into());
}

/// Asks on the terminal, and takes only a yes for a yes.
pub fn agreed(question: &str) -> std::io::Result<bool> {
    ask!("{question} [y/N] ");
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Reads documents, and asks on the terminal for the passwords of encrypted ones, if anybody is there to be asked.
pub fn documents(home: &Home) -> Documents {
    let reader = Documents::of(home);
    if !std::io::stdin().is_terminal() {
        return reader;
    }
    reader.prompting(|name| secret(&format!("password of {}", one_line(name))).map(Password))
}

/// Asks on the terminal for what nobody may read there; nothing where nobody can be asked, or types nothing.
pub fn secret(question: &str) -> Option<String> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    ask!("{question}: ");
    let typed = console::Term::stderr().read_secure_line().unwrap_or_default();
    (!typed.is_empty()).then_some(typed)
}

/// Writes to stderr as far as it goes.
pub fn to_stderr(text: Arguments<'_>) {
    // Nobody is left who could be told.
    let _ = std::io::stderr().lock().write_fmt(text);
}
