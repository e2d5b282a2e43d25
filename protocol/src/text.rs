//! Making text from documents, peers and models safe to show.
//!
//! A terminal obeys escape sequences and a screen obeys bidirectional controls: both let a peer
//! rewrite what the user sees. Nothing else in the text is changed.

use std::borrow::Cow;
use std::path::Path;

/// Longest escape sequence body that is swallowed. An unterminated one must not hide the text
/// after it, so beyond this only its introducer goes.
const MAX_SEQUENCE_CHARS: usize = 256;

/// Most characters of a peer's text that errors quote.
const EXCERPT_CHARS: usize = 120;

/// Text that is safe for terminals and screens.
///
/// Removes ANSI escape sequences, C0 and C1 controls other than newline and tab, bidirectional
/// controls, and characters of no width that could hide or split words. Every line ending becomes
/// `\n`. Joiners stay between characters outside ASCII, where scripts and emoji need them.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| matches!(class_of(character), CharacterClass::Keep)) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        rest = match class_of(character) {
            CharacterClass::Keep => {
                kept.push(character);
                after
            }
            CharacterClass::Drop => after,
            CharacterClass::Newline => {
                kept.push('\n');
                if character == '\r' { after.strip_prefix('\n').unwrap_or(after) } else { after }
            }
            CharacterClass::Joiner => {
                let joins = kept.chars().next_back().is_some_and(can_be_joined)
                    && after.chars().next().is_some_and(can_be_joined);
                if joins {
                    kept.push(character);
                }
                after
            }
            CharacterClass::Escape => after_sequence(character, after),
        };
    }
    Cow::Owned(kept)
}

/// The same on one line, for names: a line break or a tab within is shown as `\n` or `\t`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let shown = printable(text);
    if shown.contains(['\n', '\t']) {
        return Cow::Owned(shown.replace('\n', "\\n").replace('\t', "\\t"));
    }
    shown
}

/// A path for people, in messages too: systems allow any character but one in a file's name.
pub fn shown_path(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}

/// A short printable quotation on one line, for error messages.
pub(crate) fn excerpt(text: &str) -> String {
    let mut line: String = printable(text)
        .chars()
        .map(|character| if character == '\n' { ' ' } else { character })
        .take(EXCERPT_CHARS + 1)
        .collect();
    if line.chars().count() > EXCERPT_CHARS {
        line.pop();
        line.push('…');
    }
    line
}

/// Cuts at a character boundary.
pub(crate) fn cut(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

enum CharacterClass {
    Keep,
    Drop,
    Newline,
    Joiner,
    Escape,
}

fn class_of(character: char) -> CharacterClass {
    match character {
        '\n' | '\t' => CharacterClass::Keep,
        '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => CharacterClass::Newline,
        '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}' => CharacterClass::Escape,
        '\u{200c}' | '\u{200d}' => CharacterClass::Joiner,
        _ if character.is_control() || is_deceptive(character) => CharacterClass::Drop,
        _ => CharacterClass::Keep,
    }
}

/// Characters that change the order of others or take no room themselves.
fn is_deceptive(character: char) -> bool {
    matches!(
        character,
        // Bidirectional marks, embeddings, overrides and isolates.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Soft hyphen, grapheme joiner, zero-width space, word joiner and invisible operators.
        | '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}' | '\u{feff}'
        // Fillers that draw nothing, annotation anchors.
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        // Tag characters and the selectors that can smuggle bytes.
        | '\u{e0000}'..='\u{e0fff}'
    )
}

fn can_be_joined(character: char) -> bool {
    !character.is_ascii() && matches!(class_of(character), CharacterClass::Keep)
}

/// What follows an escape sequence whose introducer was just read.
fn after_sequence(introducer: char, rest: &str) -> &str {
    let (kind, body) = match introducer {
        '\u{1b}' => match rest.chars().next() {
            Some(kind) if kind.is_ascii() => (kind, &rest[1..]),
            _ => return rest,
        },
        '\u{9b}' => ('[', rest),
        _ => (']', rest),
    };
    match kind {
        '[' => after_control_sequence(body),
        ']' | 'P' | 'X' | '^' | '_' => after_string_sequence(body),
        // Charset selections and the like: intermediates, then one final character.
        ' '..='/' => {
            let body = body.trim_start_matches(|byte| (' '..='/').contains(&byte));
            body.strip_prefix(|last: char| ('0'..='~').contains(&last)).unwrap_or(body)
        }
        '0'..='~' => body,
        _ => rest,
    }
}

/// Parameters and intermediates, then one final character.
fn after_control_sequence(body: &str) -> &str {
    let end = body.char_indices().take(MAX_SEQUENCE_CHARS).find(|(_, byte)| !(' '..='?').contains(byte));
    match end {
        Some((at, last)) if ('@'..='~').contains(&last) => &body[at + 1..],
        Some((at, _)) => &body[at..],
        None => body,
    }
}

/// Anything up to BEL or the string terminator, on this line and not too far away.
fn after_string_sequence(body: &str) -> &str {
    for (at, character) in body.char_indices().take(MAX_SEQUENCE_CHARS) {
        match character {
            '\u{7}' | '\u{9c}' => return &body[at + character.len_utf8()..],
            '\u{1b}' => return body[at + 1..].strip_prefix('\\').unwrap_or(&body[at..]),
            '\n' => break,
            _ => {}
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ordinary_text_is_borrowed_unchanged() {
        let text = "naïve café\n\t日本語 🦀 ✔\u{fe0f}";
        assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn escape_sequences_vanish_with_their_bodies() {
        assert_eq!(printable("\x1b[31mred\x1b[0m"), "red");
        assert_eq!(printable("\x1b]0;owned\x07title"), "title");
        assert_eq!(printable("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\"), "link");
        assert_eq!(printable("\u{9b}2Jcleared"), "cleared");
        assert_eq!(printable("a\x1b(Bb\x1bcc"), "abc");
    }

    #[test]
    fn an_unterminated_sequence_hides_nothing() {
        assert_eq!(printable("\x1b]0;the rest\nnext line"), "0;the rest\nnext line");
        let long = format!("\x1b]{}", "x".repeat(1000));
        assert_eq!(printable(&long).len(), 1000);
        assert_eq!(printable("end\x1b"), "end");
        assert_eq!(printable("\x1b["), "");
    }

    #[test]
    fn overwriting_and_reordering_are_impossible() {
        assert_eq!(printable("safe\rEVIL"), "safe\nEVIL");
        assert_eq!(printable("a\r\nb"), "a\nb");
        assert_eq!(printable("1\u{8}2\0"), "12");
        assert_eq!(printable("user\u{202e}txt.exe"), "usertxt.exe");
        assert_eq!(printable("\u{2066}x\u{2069}"), "x");
    }

    #[test]
    fn a_file_name_never_breaks_the_line_it_is_named_in() {
        assert!(matches!(one_line("orders 2024.log"), Cow::Borrowed("orders 2024.log")));
        assert_eq!(one_line("a\nfrlm: paid\tb\r\x1b[2Jc"), r"a\nfrlm: paid\tb\nc");
        assert_eq!(shown_path(Path::new("logs/a\nb\x1b[1m.log")), r"logs/a\nb.log");
    }

    #[test]
    fn hidden_characters_cannot_split_words() {
        assert_eq!(printable("pay\u{200b}pal\u{feff}"), "paypal");
        assert_eq!(printable("pay\u{200d}pal"), "paypal");
        assert_eq!(printable("x\u{e0041}\u{e0042}"), "x");
    }

    #[test]
    fn joiners_stay_where_scripts_need_them() {
        let family = "👩\u{200d}👧";
        assert_eq!(printable(family), family);
        let persian = "می\u{200c}خواهم";
        assert_eq!(printable(persian), persian);
        assert_eq!(printable("é\u{200d}\u{200d}é"), "é\u{200d}é");
    }

    proptest! {
        #[test]
        fn printable_text_is_a_fixed_point(text in any::<String>()) {
            let once = printable(&text).into_owned();
            prop_assert_eq!(printable(&once), once.as_str());
        }

        #[test]
        fn nothing_that_controls_a_terminal_is_left(text in "[\\x00-\\x7f\u{80}-\u{9f}\u{200b}-\u{206f}a-z]{0,80}") {
            let shown = printable(&text).into_owned();
            prop_assert!(shown.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
        }
    }
}
