//! Writing to stdout and stderr when nobody may be reading any more.
//!
//! The standard macros panic on a closed pipe, as in `frlm runs replay ID | head`. Here the end of
//! the reader on stdout ends the program quietly, and a closed stderr only loses the words.

use std::fmt::Arguments;
use std::io::Write as _;

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

/// Writes to stdout; without a reader there is nothing left to do.
pub fn to_stdout(text: Arguments<'_>) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_fmt(text).and_then(|()| stdout.flush()).is_err() {
        std::process::exit(0);
    }
}

/// Asks on the terminal, and takes only a yes for a yes.
pub fn agreed(question: &str) -> std::io::Result<bool> {
    ask!("{question} [y/N] ");
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Writes to stderr as far as it goes.
pub fn to_stderr(text: Arguments<'_>) {
    // Nobody is left who could be told.
    let _ = std::io::stderr().lock().write_fmt(text);
}
