//! A question as words.

/// Longest question that is read at all, in bytes.
const LONGEST: usize = 400;

/// A word, a quotation, or an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Where it stands in the question, quotation marks left out.
    pub range: std::ops::Range<usize>,
    /// In lower case.
    pub lower: String,
    /// Whether it stood in quotation marks.
    pub quoted: bool,
}

const QUOTES: [(char, char); 6] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('«', '»'), ('„', '“')];

const OPERATORS: [&str; 12] = ["!=", "<>", ">=", "<=", "==", "=", "<", ">", "≥", "≤", ":", ","];

/// Splits a question; `None` for several sentences, several lines, open quotation marks, or text
/// too long to be one question.
pub fn tokens(question: &str) -> Option<Vec<Token>> {
    let question = question.trim_end();
    if question.len() > LONGEST || question.trim_start().contains(['\n', '\r']) {
        return None;
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    let end = question.trim_end_matches(['?', '.', '!', ' ']).len();
    while at < end {
        let rest = &question[at..end];
        let first = rest.chars().next()?;
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if let Some(&(_, close)) = QUOTES.iter().find(|(open, _)| *open == first) {
            let start = at + first.len_utf8();
            let length = closing(&question[start..], close)?;
            tokens.push(token(question, start..start + length, true));
            at = start + length + close.len_utf8();
        } else if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
            tokens.push(token(question, at..at + operator.len(), false));
            at += operator.len();
        } else {
            let length = word_length(rest);
            let word = &rest[..length];
            // The end of a sentence within: what follows is another question.
            if word.ends_with(['?', '!', '.', ';']) {
                return None;
            }
            let bare = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
            tokens.push(token(question, at..at + bare.len(), false));
            if bare.len() < length {
                tokens.push(token(question, at + bare.len()..at + length, false));
            }
            at += length;
        }
    }
    Some(tokens)
}

fn token(question: &str, range: std::ops::Range<usize>, quoted: bool) -> Token {
    Token { lower: question[range.clone()].to_lowercase().replace('’', "'"), range, quoted }
}

/// Bytes up to the closing mark, which must end a word and may not be empty.
fn closing(text: &str, close: char) -> Option<usize> {
    let ends_word =
        |at: usize| text[at + close.len_utf8()..].chars().next().is_none_or(|next| !next.is_alphanumeric());
    let length = text.match_indices(close).map(|(at, _)| at).find(|&at| ends_word(at))?;
    (!text[..length].trim().is_empty()).then_some(length)
}

/// Bytes of the word at the beginning. Commas end a word unless digits follow (`6,288`).
fn word_length(text: &str) -> usize {
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next();
        let ends = match c {
            ',' => !(previous.is_ascii_digit() && next.is_some_and(|next| next.is_ascii_digit())),
            ':' => next.is_none_or(char::is_whitespace),
            _ => c.is_whitespace() || "=<>≥≤".contains(c) || c == '!' && next == Some('='),
        };
        if ends {
            return at;
        }
        previous = c;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(question: &str) -> Option<Vec<String>> {
        let tokens = tokens(question)?;
        Some(tokens.into_iter().map(|token| question[token.range].to_owned()).collect())
    }

    #[test]
    fn words_quotations_and_operators_are_told_apart() {
        let cases: [(&str, &[&str]); 7] = [
            ("How many orders failed?", &["How", "many", "orders", "failed"]),
            ("amount>=6,288.95, status!=paid", &["amount", ">=", "6,288.95", ",", "status", "!=", "paid"]),
            (
                "by mara.lindt since 2026-03-02T08:14:07Z.",
                &["by", "mara.lindt", "since", "2026-03-02T08:14:07Z"],
            ),
            ("mention “a, b = c”?", &["mention", "a, b = c"]),
            ("contain 'it's'?", &["contain", "it's"]),
            ("user3's status", &["user3", "'s", "status"]),
            ("level: ERROR", &["level", ":", "ERROR"]),
        ];
        for (question, expected) in cases {
            assert_eq!(
                split(question).as_deref(),
                Some(expected.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice()),
                "{question}"
            );
        }
    }

    #[test]
    fn more_than_one_sentence_is_no_question() {
        for question in [
            "How many? And why?",
            "Stop. Count all",
            "a\nb",
            "mention \"open",
            "mention \"\"",
            &"x ".repeat(300),
        ] {
            assert_eq!(tokens(question), None, "{question}");
        }
    }
}
