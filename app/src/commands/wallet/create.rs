//! A wallet is made, or taken up again from its words.
//!
//! New words are shown and some of them asked for before anything is written: an interrupted attempt leaves no
//! wallet whose words nobody has.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal as _};

use frlm_client::wallet::seed::{Phrase, Zeroizing};

use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::wallet_session;

/// How often one word may be typed wrongly.
const TRIES: usize = 3;
/// Words in a line, where people read them.
const WORDS_PER_LINE: usize = 4;
/// More bytes than a phrase of 24 words takes, however it is spread over lines.
const ROOM: usize = 4_096;

/// Makes a wallet, or takes one up again from its phrase.
pub fn create(restore: bool, yes: bool, home: &Home) -> anyhow::Result<()> {
    wallet_session::may_be_made(home)?;
    wallet_session::create(home, &(if restore { restored()? } else { made(yes)? }))?;
    if restore {
        note!("restored; next, to find your sats: frlm wallet mints add URL");
        return Ok(());
    }
    if wallet_session::passphrase().is_none() {
        note!(
            "The seed is sealed with a key beside it: anybody who reads {} has the sats. \
             FRLM_WALLET_PASSPHRASE seals it with a passphrase of yours instead",
            home.wallet().display()
        );
    }
    note!("next, add a mint that you trust: frlm wallet mints add URL --limit SATS");
    Ok(())
}

fn restored() -> anyhow::Result<Phrase> {
    ask!("The recovery phrase (end with an empty line): ");
    let words = typed_words(&mut std::io::stdin().lock())?;
    Ok(Phrase::parse(&words).map_err(Failure::usage)?)
}

/// What is typed or piped up to an empty line, on as many lines as somebody has written it down on.
fn typed_words(lines: &mut impl BufRead) -> std::io::Result<Zeroizing<String>> {
    // Roomy from the start: a text that grows leaves copies behind that nobody wipes.
    let mut words = Zeroizing::new(String::with_capacity(ROOM));
    loop {
        let before = words.len();
        let is_over = lines.read_line(&mut words)? == 0;
        let is_empty = words[before..].trim().is_empty();
        if is_over || (is_empty && !words.trim().is_empty()) {
            return Ok(words);
        }
    }
}

/// New words, which somebody has.
fn made(yes: bool) -> anyhow::Result<Phrase> {
    if !yes && !std::io::stdin().is_terminal() {
        let why = "without a terminal, creating a wallet needs --yes: its words are printed on stdout, once, \
                   and anybody who has them has the sats";
        return Err(Failure::usage(why).into());
    }
    let phrase = Phrase::generate();
    note!("Write these words down, in this order. They are shown once; anybody who has them has the sats:");
    if yes {
        say!("{}", *Zeroizing::new(phrase.reveal()));
        return Ok(phrase);
    }
    say!("{}", *numbered(&phrase));
    if is_written_down(&phrase, &phrase.places_to_ask(), &mut std::io::stdin().lock())? {
        return Ok(phrase);
    }
    let why = "those are not the words: no wallet was created, and the words above are worth nothing. For new \
               words: frlm wallet create";
    Err(Failure::with_code(code::FAILED, why).into())
}

/// The words with their places, a few in each line.
fn numbered(phrase: &Phrase) -> Zeroizing<String> {
    let words = Zeroizing::new(phrase.reveal());
    let mut shown = Zeroizing::new(String::with_capacity(ROOM));
    for (word, place) in words.split_whitespace().zip(1..) {
        let (width, after) = if place % WORDS_PER_LINE == 0 { (0, "\n") } else { (10, "") };
        // Writing into a String cannot fail.
        let _ = write!(shown, "{place:>2}. {word:<width$}{after}");
    }
    let end = shown.trim_end().len();
    shown.truncate(end);
    shown
}

/// Asks for the words at these places.
fn is_written_down(phrase: &Phrase, places: &[usize], answers: &mut impl BufRead) -> std::io::Result<bool> {
    for place in places {
        let mut left = TRIES;
        loop {
            ask!("Word {place}: ");
            let mut typed = Zeroizing::new(String::with_capacity(ROOM));
            if answers.read_line(&mut typed)? == 0 {
                return Ok(false);
            }
            if phrase.has_word(*place, &typed) {
                break;
            }
            left -= 1;
            if left == 0 {
                return Ok(false);
            }
            note!("that is not word {place}; look again");
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "legal winner thank year wave sausage worth useful legal winner thank yellow";

    fn told(typed: &str) -> bool {
        let phrase = Phrase::parse(WORDS).unwrap();
        is_written_down(&phrase, &[2, 6, 12], &mut typed.as_bytes()).unwrap()
    }

    #[test]
    fn who_has_the_words_may_mistype_one_and_who_has_not_gets_no_wallet() {
        assert!(told("winner\nsausage\nyellow\n"));
        assert!(told("winer\nWinner\n sausage\nyelow\nyelow\nyellow\n"));
        assert!(!told("winner\nlegal\nlegal\nlegal\nsausage\nyellow\n"), "three tries each");
        assert!(!told("winner\nsausage\n"), "the terminal was closed");
        assert!(!told(""));
    }

    #[test]
    fn a_phrase_ends_with_an_empty_line_or_with_the_pipe() {
        let read = |typed: &str| {
            let mut rest = typed.as_bytes();
            let words = typed_words(&mut rest).unwrap();
            (words.split_whitespace().collect::<Vec<_>>().join(" "), rest.len())
        };
        assert_eq!(read("\nlegal winner\nthank year\n\nmore"), ("legal winner thank year".to_owned(), 4));
        assert_eq!(read("legal winner thank year"), ("legal winner thank year".to_owned(), 0));
        assert_eq!(read(""), (String::new(), 0));
    }

    #[test]
    fn the_words_are_shown_with_their_places() {
        let shown = String::clone(&numbered(&Phrase::parse(WORDS).unwrap()));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 3, "{shown}");
        assert!(lines[0].starts_with(" 1. legal ") && lines[2].ends_with("12. yellow"), "{shown}");
    }
}
