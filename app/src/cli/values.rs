//! Reads numbers and addresses off the command line; what is refused says what would be taken.

use std::net::SocketAddr;
use std::str::FromStr;

use frlm_client::run::MOST_SECS;

/// The most that the ledger can hold, far beyond all sats that there will be.
const MOST_SATS: u64 = i64::MAX.unsigned_abs();

/// An amount of money.
pub fn sats(text: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|amount: &u64| *amount <= MOST_SATS)
        .ok_or_else(|| format!("give a whole number of sats, such as 500; at most {MOST_SATS}"))
}

/// How many of something; `T` is what the number has to fit into.
pub fn count<T: FromStr>(text: &str) -> Result<T, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().map_err(|_| {
        let fix = if digits {
            "that is too large; give a smaller whole number"
        } else {
            "give a whole number, such as 10"
        };
        fix.to_owned()
    })
}

/// How long to wait.
pub fn seconds(text: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|secs: &u64| *secs <= MOST_SECS)
        .ok_or_else(|| format!("give a whole number of seconds, such as 60; at most {MOST_SECS} (a year)"))
}

/// A part of a whole.
pub fn share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|share: &f64| (0.0..=1.0).contains(share))
        .ok_or_else(|| "give a share between 0 and 1, such as 0.9".to_owned())
}

/// How many times as fast as it was.
pub fn speed(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|speed: &f64| speed.is_finite() && *speed >= 0.0)
        .ok_or_else(|| "give 0 or more, such as 2 for twice the speed".to_owned())
}

/// What an answer is worth.
pub fn stars(text: &str) -> Result<u8, String> {
    text.parse()
        .ok()
        .filter(|stars: &u8| (1..=5).contains(stars))
        .ok_or_else(|| "give a whole number of stars from 1 to 5".to_owned())
}

/// Where to listen.
pub fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "give the address in numbers and a port, such as 127.0.0.1:7777 (this machine alone) or 0.0.0.0:7777 (every \
         machine that reaches this one)"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    /// What the standard library says of text that it cannot read: it names no fix.
    const BARE: [&str; 6] = [
        "invalid digit",
        "invalid float",
        "invalid socket",
        "empty string",
        "too large to fit",
        "too small to fit",
    ];

    /// Every option and every positional argument of every command, as `frlm` would be called with a value for it.
    fn with(value: &str) -> Vec<Vec<String>> {
        fn walk(command: &clap::Command, path: &[String], value: &str, calls: &mut Vec<Vec<String>>) {
            for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values()) {
                let mut call = path.to_vec();
                call.extend(arg.get_long().map(|long| format!("--{long}")));
                call.push(value.to_owned());
                calls.push(call);
            }
            for inner in command.get_subcommands() {
                let mut path = path.to_vec();
                path.push(inner.get_name().to_owned());
                walk(inner, &path, value, calls);
            }
        }
        let mut calls = Vec::new();
        walk(&Cli::command(), &["frlm".to_owned()], value, &mut calls);
        calls
    }

    fn refused(call: &[String]) -> Option<String> {
        Cli::read(call).err().map(|error| error.to_string())
    }

    #[test]
    fn whatever_number_is_refused_the_message_says_what_would_be_taken() {
        let mut numbers = 0;
        for mut call in with("x") {
            let Some(words) = refused(&call) else { continue };
            if !words.contains("invalid value 'x'") || words.contains("possible values") {
                continue;
            }
            numbers += 1;
            let address = words.contains("address");
            // What a person may type instead of the number that is wanted.
            for wrong in ["x", "", "-1", "1.5.5", "99999999999999999999999"] {
                if let Some(last) = call.last_mut() {
                    wrong.clone_into(last);
                }
                let words = refused(&call).unwrap_or_default();
                if words.is_empty() || words.contains("required arguments") {
                    // So large a number makes sense to a speed.
                    assert!(wrong.starts_with("999"), "{call:?} is taken");
                    continue;
                }
                // Some have words instead of numbers.
                let named = words.contains("give ") || words.contains("; use ");
                assert!(named || (address && wrong == "-1"), "{call:?}: {words}");
                assert!(BARE.iter().all(|bare| !words.contains(bare)), "{call:?}: {words}");
            }
        }
        assert!(numbers > 30, "{numbers} arguments were found that take a number");
    }

    #[test]
    fn numbers_that_make_sense_are_taken() {
        assert_eq!(sats("500"), Ok(500));
        assert_eq!(count::<u32>("7"), Ok(7));
        assert_eq!(seconds("0"), Ok(0));
        assert_eq!(seconds(&MOST_SECS.to_string()), Ok(MOST_SECS));
        assert_eq!(share("0.5"), Ok(0.5));
        assert_eq!(speed("0"), Ok(0.0));
        assert_eq!(stars("5"), Ok(5));
        assert_eq!(listen("127.0.0.1:7777"), Ok(SocketAddr::from(([127, 0, 0, 1], 7777))));
    }

    #[test]
    fn numbers_beyond_what_can_be_meant_are_refused() {
        assert!(seconds(&u64::MAX.to_string()).is_err());
        assert_eq!(sats(&MOST_SATS.to_string()), Ok(MOST_SATS));
        assert!(sats(&u64::MAX.to_string()).unwrap_err().contains("at most"), "no ledger holds as many");
        assert!(share("nan").is_err() && share("1.01").is_err());
        assert!(speed("inf").is_err() && speed("-1").is_err());
        assert!(stars("0").is_err() && stars("6").is_err());
        let words = count::<u32>("4294967296").unwrap_err();
        assert!(words.contains("smaller"), "{words}");
    }
}
