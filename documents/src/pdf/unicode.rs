//! Characters of glyphs: presentation forms and ligatures taken apart, scripts told from each other, right-to-left text put into
//! the order in which it is read.

use unicode_normalization::UnicodeNormalization;

/// The characters of one glyph, in reading order. Nearly always it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Letters {
    first: char,
    rest: Option<Box<str>>,
}

impl Default for Letters {
    fn default() -> Self {
        Self { first: ' ', rest: None }
    }
}

impl Letters {
    pub fn from_char(character: char) -> Self {
        match character {
            // Nearly all glyphs of most documents.
            ' '..='~' => Self { first: character, rest: None },
            _ => Self::of(character.encode_utf8(&mut [0; 4])),
        }
    }

    /// The characters with presentation forms taken apart, accents put together.
    pub fn of(text: &str) -> Self {
        let mut normal = String::with_capacity(text.len());
        for character in text.chars() {
            match character {
                // As fonts of symbols name their bullets.
                '\u{f0b7}' | '\u{f0a8}' => normal.push('•'),
                '\u{f0a7}' => normal.push('▪'),
                '\u{f0d8}' => normal.push('➢'),
                '\u{f0fc}' => normal.push('✓'),
                '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => normal.push(' '),
                _ if is_presentation(character) => normal.extend(std::iter::once(character).nfkc()),
                _ => normal.push(character),
            }
        }
        // Arabic letters with marks come apart in their isolated forms as a space with the mark.
        let normal: String = if normal.is_ascii() { normal } else { normal.nfc().collect() };
        let normal = if normal.chars().all(char::is_whitespace) { " " } else { normal.trim() };
        let mut characters = normal.chars();
        let first = characters.next().unwrap_or(' ');
        let rest = characters.as_str();
        Self { first, rest: (!rest.is_empty()).then(|| rest.into()) }
    }

    pub fn first(&self) -> char {
        self.first
    }

    pub fn last(&self) -> char {
        self.rest.as_ref().and_then(|rest| rest.chars().next_back()).unwrap_or(self.first)
    }

    pub fn is_space(&self) -> bool {
        self.first == ' ' && self.rest.is_none()
    }

    pub fn push_to(&self, text: &mut String) {
        text.push(self.first);
        if let Some(rest) = &self.rest {
            text.push_str(rest);
        }
    }
}

/// A form that says how a letter is drawn, not which letter it is.
fn is_presentation(character: char) -> bool {
    matches!(character,
        '\u{fb00}'..='\u{fb06}' | '\u{fb13}'..='\u{fb17}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{ff01}'..='\u{ff5e}' | '\u{2f00}'..='\u{2fdf}' | '\u{f900}'..='\u{faff}' | '\u{132}'..='\u{133}')
        && !matches!(character, '\u{fd3e}' | '\u{fd3f}')
        && !matches!(character, '\u{ff01}'..='\u{ff5e}' if !character.is_alphanumeric())
}

/// Whether a glyph's character says something: no control character, nothing for private use but known bullets.
pub(super) fn is_text(character: char) -> bool {
    match character {
        '\t' | '\u{f0b7}' | '\u{f0a8}' | '\u{f0a7}' | '\u{f0d8}' | '\u{f0fc}' => true,
        '\u{e000}'..='\u{f8ff}' | '\u{fffd}'..='\u{ffff}' | '\u{f0000}'.. => false,
        _ => !character.is_control(),
    }
}

/// As wide as high: Chinese, Japanese and Korean.
pub(super) fn is_wide(character: char) -> bool {
    is_unspaced(character) && !is_thai(character) || matches!(character, '\u{ac00}'..='\u{d7a3}')
}

/// Scripts that put no spaces between words.
pub(super) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{2e80}'..='\u{303f}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
        || is_thai(character)
}

/// Thai, Lao, Burmese, Khmer.
fn is_thai(character: char) -> bool {
    matches!(character, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Letters of scripts that run from right to left.
pub(super) fn is_right_to_left(character: char) -> bool {
    matches!(character,
        '\u{590}'..='\u{65f}' | '\u{66a}'..='\u{6ef}' | '\u{6fa}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// A string of the file's own, such as a title.
pub(super) fn text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // PDFDocEncoding, but for a few accents and signs: as Windows-1252 for what is not ASCII.
        _ => match std::str::from_utf8(bytes) {
            Ok(text) if text.is_ascii() => text.to_owned(),
            _ => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
        },
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// What a unit of a line is for the order in which the line is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Left,
    Right,
    Number,
    Neutral,
}

fn direction(letters: &Letters) -> Direction {
    let character = letters.first();
    if is_right_to_left(character) {
        Direction::Right
    } else if character.is_numeric() || matches!(character, '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}') {
        Direction::Number
    } else if character.is_alphabetic() {
        Direction::Left
    } else {
        Direction::Neutral
    }
}

/// The order in which the units of a line are read that stand from left to right as given; `None` if it is this one. A line runs
/// from right to left if most of its letters do.
pub(super) fn reading_order(units: &[&Letters]) -> Option<Vec<usize>> {
    if !units.iter().any(|unit| is_right_to_left(unit.first())) {
        return None;
    }
    let directions: Vec<Direction> = units.iter().map(|unit| direction(unit)).collect();
    let count = |wanted| directions.iter().filter(|direction| **direction == wanted).count();
    let backwards = count(Direction::Right) >= count(Direction::Left);
    let mut levels = levels(&directions, backwards);
    // Signs within a number belong to it.
    for index in 1..levels.len().saturating_sub(1) {
        let sign = matches!(units[index].first(), '.' | ',' | ':' | '/' | '-' | '%');
        let between =
            directions[index - 1] == Direction::Number && directions[index + 1] == Direction::Number;
        if sign && between {
            levels[index] = levels[index - 1];
        }
    }
    let mut order: Vec<usize> = (0..units.len()).collect();
    let highest = levels.iter().copied().max().unwrap_or(0);
    // As the eye sees it → as it is read: the same reversals, the innermost last.
    for level in 1..=highest {
        let mut from = 0;
        while from < order.len() {
            if levels[order[from]] < level {
                from += 1;
                continue;
            }
            let mut until = from;
            while until < order.len() && levels[order[until]] >= level {
                until += 1;
            }
            order[from..until].reverse();
            from = until;
        }
    }
    Some(order)
}

/// How deep each unit is nested in changes of direction: 1 from right to left; 2 a number or Latin words in that.
fn levels(directions: &[Direction], backwards: bool) -> Vec<u8> {
    let base = u8::from(backwards);
    let mut levels = vec![base; directions.len()];
    for (index, direction) in directions.iter().enumerate() {
        levels[index] = match direction {
            Direction::Right => 1,
            Direction::Left if backwards => 2,
            Direction::Left => 0,
            Direction::Number => {
                // In a line from left to right a number belongs to right-to-left words on both sides.
                if backwards { 2 } else { 0 }
            }
            Direction::Neutral => base,
        };
    }
    // What stands between two units of one depth is as deep as they are.
    let strong: Vec<usize> =
        (0..directions.len()).filter(|index| directions[*index] != Direction::Neutral).collect();
    for pair in strong.windows(2) {
        let (from, until) = (pair[0], pair[1]);
        let both_numbers = directions[from] == Direction::Number && directions[until] == Direction::Number;
        if levels[from] == levels[until] && !both_numbers {
            let level = levels[from];
            levels[from + 1..until].fill(level);
        }
    }
    levels
}

/// Brackets of a right-to-left text that are named as they look, not as they are read, turned about.
pub(super) fn with_brackets_turned(text: &str) -> Option<String> {
    let mut open = 0_i32;
    let mut worst = 0_i32;
    for character in text.chars() {
        match character {
            '(' | '[' | '{' | '«' => open += 1,
            ')' | ']' | '}' | '»' => open -= 1,
            _ => {}
        }
        worst = worst.min(open);
    }
    if worst >= 0 || open != 0 {
        return None;
    }
    let turned = text.chars().map(|character| match character {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '«' => '»',
        '»' => '«',
        other => other,
    });
    Some(turned.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(letters: &Letters) -> String {
        let mut text = String::new();
        letters.push_to(&mut text);
        text
    }

    fn read(seen: &str) -> String {
        let units: Vec<Letters> = seen.chars().map(Letters::from_char).collect();
        let order = reading_order(&units.iter().collect::<Vec<_>>());
        let order = order.unwrap_or_else(|| (0..units.len()).collect());
        order.into_iter().map(|index| units[index].first()).collect()
    }

    #[test]
    fn ligatures_and_presentation_forms_are_taken_apart() {
        assert_eq!(text(&Letters::from_char('ﬁ')), "fi");
        assert_eq!(text(&Letters::from_char('\u{fefb}')), "لا");
        assert_eq!(text(&Letters::from_char('\u{fe8e}')), "ا");
        assert_eq!(text(&Letters::of("e\u{301}")), "é");
        assert_eq!(text(&Letters::from_char('\u{f0b7}')), "•");
        assert!(!is_text('\u{e123}') && !is_text('\u{7}') && is_text('ß'));
    }

    #[test]
    fn right_to_left_lines_are_read_from_the_right() {
        let seen = |logical: &str| logical.chars().rev().collect::<String>();
        assert_eq!(read("plain 12 text"), "plain 12 text");
        assert_eq!(read(&seen("שלום עולם")), "שלום עולם");
        // A number and a Latin word keep their own order inside.
        assert_eq!(read("AB 12.5 דגבא"), "אבגד AB 12.5");
        assert_eq!(read("say בא now"), "say אב now");
    }

    #[test]
    fn brackets_named_by_their_looks_are_turned() {
        assert_eq!(with_brackets_turned("א )ב( ג").as_deref(), Some("א (ב) ג"));
        assert_eq!(with_brackets_turned("א (ב) ג"), None);
    }

    #[test]
    fn strings_of_the_file_come_in_three_encodings() {
        assert_eq!(text_string(b"\xfe\xff\x00A\x04\x10"), "AА");
        assert_eq!(text_string(b"\xef\xbb\xbfna\xc3\xafve"), "naïve");
        assert_eq!(text_string(b"na\xefve"), "naïve");
    }
}
