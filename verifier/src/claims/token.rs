//! A text as words, numbers, dates and signs, with what stands around each.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Letters only.
    Word,
    /// Digits, with the marks that stand between digits.
    Digits,
    /// Letters and digits in one: `v2`, `A4`.
    Mixed,
    /// One of the signs that matter: `%`, `§`, currencies, brackets.
    Sign,
}

/// A stretch of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Token<'a> {
    /// Its characters.
    pub text: &'a str,
    /// Where they begin, in bytes.
    pub start: usize,
    /// What it is.
    pub kind: Kind,
    /// Whether it begins a sentence, a line of a list, or what stands in quotation marks.
    pub begins: bool,
    /// Whether it is the first of its line.
    pub begins_line: bool,
    /// Whether it follows the token before it with nothing between.
    pub attached: bool,
    /// The character right before it, if it is on the same line.
    pub before: Option<char>,
    /// The character right after it.
    pub after: Option<char>,
}

impl Token<'_> {
    /// Whether it begins with a capital letter.
    pub fn is_capitalised(&self) -> bool {
        self.kind != Kind::Digits && self.text.starts_with(char::is_uppercase)
    }
}

/// Reads a text. Every alphanumeric character is in exactly one token.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let (mut begins, mut begins_line, mut before, mut end_before) = (true, true, None, usize::MAX);
    while let Some((start, c)) = chars.next() {
        let token = if c.is_ascii_digit() {
            Some(digits_end(text, start))
        } else if c.is_alphanumeric() {
            Some((word_end(text, start), Kind::Word))
        } else if "%§$€£¥₿()".contains(c) {
            Some((start + c.len_utf8(), Kind::Sign))
        } else {
            None
        };
        let Some((end, mut kind)) = token else {
            match c {
                '\n' => (begins_line, before) = (true, None),
                c if c.is_whitespace() => before = Some(' '),
                c => {
                    // The "-" of "Apache-2.0" is no minus.
                    let is_hyphen = c == '-' && before.is_some_and(char::is_alphanumeric);
                    before = Some(if is_hyphen { '\u{2010}' } else { c });
                    begins |= ".!?:;\"“„«»•*…".contains(c);
                }
            }
            continue;
        };
        while chars.peek().is_some_and(|(at, _)| *at < end) {
            chars.next();
        }
        let text_of = &text[start..end];
        if kind == Kind::Word && text_of.contains(|c: char| c.is_ascii_digit()) {
            kind = Kind::Mixed;
        }
        found.push(Token {
            text: text_of,
            start,
            kind,
            begins,
            begins_line,
            attached: end_before == start,
            before,
            after: text[end..].chars().next(),
        });
        // What stands after a bracket, or after the mark of a list, begins like a sentence.
        begins = matches!(c, '(' | ')')
            || (kind == Kind::Digits && begins_line && text[end..].starts_with(['.', ')']));
        (begins_line, before, end_before) = (false, text_of.chars().next_back(), end);
    }
    found
}

/// Digits with marks between them, else digits and letters in one word.
fn digits_end(text: &str, start: usize) -> (usize, Kind) {
    let rest = &text[start..];
    let mut end = 0;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_ascii_digit() {
            end = at + 1;
        } else if !(is_mark(c) && chars.peek().is_some_and(|(_, next)| next.is_ascii_digit())) {
            break;
        }
    }
    let mut end = start + end;
    // `6 288,95`: groups of three after a first group of at most three.
    let first = &text[start..end];
    if (1..=3).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_digit()) {
        while let Some(group) = text[end..].strip_prefix(' ').map(leading_digits) {
            let after = &text[end + 1 + group..];
            let ends = !after
                .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | ':' | '/' | '-'))
                || after.strip_prefix(',').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
                || after.starts_with([',', '.']) && !after[1..].starts_with(|c: char| c.is_ascii_digit());
            if group != 3 || !ends {
                break;
            }
            end += 1 + group;
            if let Some(fraction) =
                text[end..].strip_prefix(',').map(leading_digits).filter(|digits| *digits > 0)
            {
                end += 1 + fraction;
                break;
            }
        }
    }
    (end, Kind::Digits)
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn is_mark(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | '/' | '-' | '–' | '\'' | '’' | '\u{a0}' | '\u{202f}')
}

fn word_end(text: &str, start: usize) -> usize {
    text[start..].find(|c: char| !c.is_alphanumeric()).map_or(text.len(), |end| start + end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn numbers_keep_the_marks_between_their_digits() {
        assert_eq!(
            texts("It cost 6 288,95 EUR, on 28.03.2007."),
            ["It", "cost", "6 288,95", "EUR", "on", "28.03.2007"]
        );
        assert_eq!(texts("a 30-day period, 14:30, 5 %"), ["a", "30", "day", "period", "14:30", "5", "%"]);
        assert_eq!(texts("sections 4 and 5; v2 l'an"), ["sections", "4", "and", "5", "v2", "l", "an"]);
        assert_eq!(texts("12 300 1 2000"), ["12 300", "1", "2000"]);
    }

    #[test]
    fn sentences_lists_and_brackets_begin() {
        let beginnings: Vec<_> = tokens("Anna paid. She (Weber) left\n2. Duties")
            .into_iter()
            .filter(|token| token.begins)
            .collect();
        let beginnings: Vec<_> = beginnings.iter().map(|token| token.text).collect();
        assert_eq!(beginnings, ["Anna", "She", "Weber", "left", "Duties"]);
    }

    proptest! {
        #[test]
        fn every_letter_and_digit_is_in_one_token(text in any::<String>()) {
            let count = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
            let in_tokens: usize = tokens(&text).iter().map(|token| count(token.text)).sum();
            prop_assert_eq!(in_tokens, count(&text));
        }
    }
}
