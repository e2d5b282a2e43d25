//! What a mint or a wallet service says, before it becomes part of an error, a log or a record.
//!
//! Such words may hold what we sent: proofs, signatures, tokens. Their reader has the sats. What is left here can be
//! shown to anybody.

/// Characters that are kept.
const MOST: usize = 200;
/// From so many letters and digits in a row on, with a digit among them, it is no word: keys, secrets, signatures and
/// preimages have 32 and more, tokens far more.
const NO_WORD: usize = 24;
/// Where one of these begins, what follows may be in pieces too short to be told from words.
const NAMES: [&str; 7] =
    ["\"secret\"", "\"C\"", "\"C_\"", "\"witness\"", "\"preimage\"", "\"dleq\"", "secret="];
const HIDDEN: &str = "[hidden]";

/// The words on one line without control characters, at most 200 of them, and without anything that may be a secret.
pub(crate) fn safe(words: &str) -> String {
    let end = NAMES.iter().filter_map(|name| words.find(name)).min();
    let mut safe = String::new();
    let mut run = String::new();
    for character in words[..end.unwrap_or(words.len())].chars().chain([' ']) {
        if character.is_alphanumeric() || matches!(character, '_' | '-' | '+' | '=') {
            run.push(character);
            continue;
        }
        let is_word = run.chars().count() < NO_WORD || !run.chars().any(|one| one.is_ascii_digit());
        safe.push_str(if is_word { &run } else { HIDDEN });
        run.clear();
        if safe.len() > 4 * MOST {
            break;
        }
        safe.push(if character.is_control() || is_invisible(character) { ' ' } else { character });
    }
    let mut safe = safe.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = safe.char_indices().nth(MOST) {
        safe.truncate(cut);
        safe.push('…');
    }
    if end.is_some() {
        safe.push_str(HIDDEN);
    }
    safe
}

/// Direction marks and characters of no width, which make words look like others.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What must never be seen, as mints and wallets write it.
    fn secrets() -> Vec<String> {
        let hex = "9a1f293253e41e5b".repeat(4);
        vec![
            format!(r#"{{"amount":8,"id":"009a1f293253e41e","secret":"{hex}","C":"02{hex}"}}"#),
            format!(r#"["P2PK",{{"nonce":"{}","data":"02{hex}"}}]"#, &hex[..32]),
            format!("preimage {hex}"),
            format!("witness: {hex}{hex}"),
            format!("cashuB{}", "o2FteBtodHRwOi8_MTI3LjAuMC4x".repeat(8)),
            format!("cashuA{}", "eyJ0b2tlbiI6W3sicHJvb2Zz".repeat(8)),
            format!("nsec1{}", "q9w8e7r6t5".repeat(6)),
            format!("nostr+walletconnect://{hex}?relay=ws://127.0.0.1:1&secret={hex}"),
        ]
    }

    #[test]
    fn nothing_secret_is_left_and_the_rest_is() {
        for secret in secrets() {
            let said = safe(&format!("input was refused: {secret} (code 11001)"));
            assert!(said.starts_with("input was refused:"), "{said}");
            for part in ["9a1f293253e41e5b9a1f", "o2FteBtodHRw", "eyJ0b2tlbiI6", "q9w8e7r6t5q9"] {
                assert!(!said.contains(part), "{secret}\n{said}");
            }
        }
    }

    #[test]
    fn ordinary_words_stay_as_they_are() {
        for words in [
            "Connection refused (os error 111)",
            "it answers 422: too many inputs, at most 1000",
            "quote is expired",
        ] {
            assert_eq!(safe(words), words);
        }
        assert_eq!(safe("a\u{202e}b\n\u{1b}[31mred"), "a b [31mred");
    }

    proptest! {
        #[test]
        fn whatever_is_said_is_short_and_on_one_line(words in ".{0,600}") {
            let said = safe(&words);
            prop_assert!(said.chars().count() <= MOST + 1 + HIDDEN.len(), "{}", said);
            prop_assert!(!said.chars().any(char::is_control), "{:?}", said);
        }

        #[test]
        fn a_key_is_hidden_wherever_it_stands(before in "[a-z ,:(]{0,30}[ :(]", key in "[0-9a-f]{64}", after in "[ ).,][a-z ]{0,30}") {
            prop_assume!(key.chars().any(|one| one.is_ascii_digit()));
            let said = safe(&format!("{before}{key}{after}"));
            prop_assert!(!said.contains(&key), "{}", said);
        }
    }
}
